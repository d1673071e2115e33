//! The observations of a run, in input order: in memory up to a limit, then in an unnamed temporary file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::codec::{Glimpse, Names, decode, encode, glimpse, kind_of};
use super::thread::start_thread;
use crate::archive::temporary;
use crate::capture::{Kind, Observation};

/// Bytes that are held, spilled and rendered together. Small enough for the processor's cache.
const SEGMENT: usize = 96 << 10;

/// Observations that can be read several times, each with the number of its input.
pub struct Spool {
    limit: usize,
    names: Names,
    /// Where the spilled segments, the first ones, lie in the temporary file: offset and length.
    spilled: Vec<(u64, usize)>,
    file: Option<File>,
    /// Encoded observations, each behind its length, in segments.
    held: Vec<Vec<u8>>,
    held_bytes: usize,
    /// The last observation, encoded: only here to be used again.
    scratch: Vec<u8>,
    count: u64,
    /// Number of observations of each kind.
    kinds: [u64; 4],
}

/// Changes an encoded observation; returns whether it was dropped.
pub(crate) type Change<'a> = dyn FnMut(Kind, &mut [u8], &Names) -> io::Result<bool> + 'a;

/// Renders an observation as bytes.
pub(crate) type Render<'a> = dyn Fn(&Observation, &mut Vec<u8>) -> io::Result<()> + Sync + 'a;

impl Spool {
    /// A spool that holds about `limit` bytes in memory.
    pub fn new(limit: usize) -> Self {
        Spool {
            limit,
            names: Names::default(),
            spilled: Vec::new(),
            file: None,
            held: Vec::new(),
            held_bytes: 0,
            scratch: Vec::new(),
            count: 0,
            kinds: [0; 4],
        }
    }

    /// About how many bytes it holds in memory at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The number of observations.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// The number of observations of a kind.
    pub fn count(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an observation at the end.
    pub fn push(&mut self, observation: &Observation, input: u32) -> io::Result<()> {
        self.scratch.clear();
        encode(observation, input, &mut self.names, &mut self.scratch);
        self.count += 1;
        self.kinds[observation.kind as usize] += 1;
        let length = self.scratch.len() + 4;
        if self.held.last().is_none_or(|segment| segment.len() + length > SEGMENT) {
            if self.held_bytes > self.limit {
                self.spill()?;
            }
            self.held.push(Vec::with_capacity(SEGMENT.max(length)));
        }
        if let Some(segment) = self.held.last_mut() {
            segment.extend_from_slice(&(self.scratch.len() as u32).to_le_bytes());
            segment.extend_from_slice(&self.scratch);
            self.held_bytes += length;
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(temporary::file()?),
        };
        for segment in self.held.drain(..) {
            let offset = self.spilled.last().map_or(0, |(offset, length)| offset + *length as u64);
            temporary::named(file.write_all_at(&segment, offset))?;
            self.spilled.push((offset, segment.len()));
        }
        self.held_bytes = 0;
        Ok(())
    }

    fn segments(&self) -> usize {
        self.spilled.len() + self.held.len()
    }

    fn segment(&self, number: usize) -> io::Result<Cow<'_, [u8]>> {
        match (self.spilled.get(number), &self.file) {
            (Some((offset, length)), Some(file)) => {
                let mut segment = vec![0; *length];
                file.read_exact_at(&mut segment, *offset)?;
                Ok(Cow::Owned(segment))
            }
            _ => Ok(Cow::Borrowed(&self.held[number - self.spilled.len()])),
        }
    }

    /// Visits all observations in order, each with the number of its input.
    pub fn for_each(&self, visit: &mut dyn FnMut(&Observation, u32) -> io::Result<()>) -> io::Result<()> {
        for number in 0..self.segments() {
            for bytes in encoded(&self.segment(number)?) {
                let (observation, input) = decode(bytes, &self.names).ok_or(io::ErrorKind::InvalidData)?;
                visit(&observation, input)?;
            }
        }
        Ok(())
    }

    /// Yields every encoded observation in order, and frees each one on the way.
    pub(crate) fn drain(
        mut self,
        visit: &mut dyn FnMut(&[u8], &Names) -> io::Result<()>,
    ) -> io::Result<Names> {
        for number in 0..self.spilled.len() {
            encoded(&self.segment(number)?).try_for_each(|bytes| visit(bytes, &self.names))?;
        }
        for segment in self.held.drain(..) {
            encoded(&segment).try_for_each(|bytes| visit(bytes, &self.names))?;
        }
        Ok(self.names)
    }

    /// Decodes the main fields of the observations of some kinds.
    pub fn glimpse_at(
        &self,
        kinds: &[Kind],
        visit: &mut dyn FnMut(Kind, &Glimpse<'_>, &Names),
    ) -> io::Result<()> {
        for number in 0..self.segments() {
            for bytes in encoded(&self.segment(number)?) {
                if let Some(kind) = kind_of(bytes).filter(|kind| kinds.contains(kind)) {
                    visit(kind, &glimpse(bytes).ok_or(io::ErrorKind::InvalidData)?, &self.names);
                }
            }
        }
        Ok(())
    }

    /// Changes the observations of some kinds where they lie: `change` gets them encoded, and returns whether it
    /// dropped the observation.
    pub fn amend(&mut self, kinds: &[Kind], change: &mut Change<'_>) -> io::Result<()> {
        let Spool { spilled, file, held, names, count, kinds: counts, .. } = self;
        let mut amend = |segment: &mut [u8]| -> io::Result<()> {
            let mut rest = segment;
            while let Some((bytes, behind)) = split_encoded(rest) {
                rest = behind;
                let Some(kind) = kind_of(bytes).filter(|kind| kinds.contains(kind)) else { continue };
                if change(kind, bytes, names)? {
                    *count -= 1;
                    counts[kind as usize] -= 1;
                }
            }
            Ok(())
        };
        let mut buffer = Vec::new();
        for (offset, length) in spilled {
            let Some(file) = &*file else { break };
            buffer.resize(*length, 0);
            file.read_exact_at(&mut buffer, *offset)?;
            amend(&mut buffer)?;
            file.write_all_at(&buffer, *offset)?;
        }
        held.iter_mut().try_for_each(|segment| amend(segment))
    }

    /// Renders every observation with several threads, and writes them in order.
    pub fn render(&self, threads: usize, render: &Render<'_>, out: &mut dyn Write) -> io::Result<()> {
        if threads <= 1 {
            let mut rendered = Vec::new();
            for number in 0..self.segments() {
                self.render_segment(number, render, &mut rendered)?;
                out.write_all(&rendered)?;
            }
            return Ok(());
        }
        // Each thread takes every n-th segment, at most two ahead of the writer.
        thread::scope(|scope| {
            let lanes: Vec<_> = (0..threads)
                .map(|lane| {
                    let (done, results) = sync_channel(1);
                    let work = move || {
                        for number in (lane..self.segments()).step_by(threads) {
                            let mut rendered = Vec::new();
                            let outcome = self.render_segment(number, render, &mut rendered);
                            // Writing failed: there is no receiver any more.
                            if done.send(outcome.map(|()| rendered)).is_err() {
                                return;
                            }
                        }
                    };
                    start_thread(scope, work).then_some(results)
                })
                .collect();
            let mut own = Vec::new();
            for number in 0..self.segments() {
                let Some(results) = &lanes[number % threads] else {
                    self.render_segment(number, render, &mut own)?;
                    out.write_all(&own)?;
                    continue;
                };
                let rendered = results.recv().map_err(|_| io::Error::other("a thread failed"))??;
                out.write_all(&rendered)?;
            }
            Ok(())
        })
    }

    fn render_segment(&self, number: usize, render: &Render<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        out.clear();
        for bytes in encoded(&self.segment(number)?) {
            let (observation, _) = decode(bytes, &self.names).ok_or(io::ErrorKind::InvalidData)?;
            render(&observation, out)?;
        }
        Ok(())
    }
}

/// The first encoded observation of a segment, and what is behind it.
fn split_encoded(segment: &mut [u8]) -> Option<(&mut [u8], &mut [u8])> {
    let (length, behind) = segment.split_first_chunk_mut::<4>()?;
    behind.split_at_mut_checked(u32::from_le_bytes(*length) as usize)
}

/// The encoded observations of a segment, without those that were dropped.
pub(super) fn encoded(segment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = segment;
    let all = std::iter::from_fn(move || {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (bytes, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        rest = behind;
        Some(bytes)
    });
    all.filter(|bytes| kind_of(bytes).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::codec::drop_encoded;
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn memory_and_file_hold_the_same_in_the_same_order() {
        let observations: Vec<Observation> = (0..5000)
            .map(|number| look(&format!("http://a/{number}"), "2026-01-01T00:00:00Z").build())
            .collect();
        for limit in [0, 150 << 10, 10 << 20] {
            let mut spool = Spool::new(limit);
            for (number, observation) in observations.iter().enumerate() {
                spool.push(observation, number as u32).unwrap();
            }
            assert_eq!(spool.spilled.is_empty(), limit == 10 << 20);
            let mut at = 0;
            let drop_sevens = &mut |_, bytes: &mut [u8], _: &Names| {
                at += 1;
                let is_seven = at % 10 == 8;
                if is_seven {
                    drop_encoded(bytes);
                }
                Ok(is_seven)
            };
            spool.amend(&[Kind::Response], drop_sevens).unwrap();
            let left = || (0..5000).filter(|number| number % 10 != 7);
            for _ in 0..2 {
                let mut seen = Vec::new();
                let visit = &mut |observation: &Observation, input: u32| {
                    seen.push((observation.url.clone(), input));
                    Ok(())
                };
                spool.for_each(visit).unwrap();
                let expected: Vec<(String, u32)> =
                    left().map(|number| (format!("http://a/{number}"), number)).collect();
                assert_eq!(seen, expected);
            }
            assert_eq!((spool.len(), spool.count(Kind::Response)), (4500, 4500));
            let expected: String = left().map(|number| format!("http://a/{number}")).collect();
            for threads in [1, 3] {
                let mut rendered = Vec::new();
                let render = |observation: &Observation, out: &mut Vec<u8>| {
                    out.extend_from_slice(observation.url.as_bytes());
                    Ok(())
                };
                spool.render(threads, &render, &mut rendered).unwrap();
                assert_eq!(String::from_utf8(rendered).unwrap(), expected);
            }
        }
    }
}
