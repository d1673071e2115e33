//! The observations of a run, in input order: in memory up to a limit, then in a temporary file that no name leads to.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use super::codec::{Glimpse, Names, decode, encode, glimpse, kind_of};
use crate::capture::{Kind, Observation};

/// Bytes that are held, and let go of, together.
const SEGMENT: usize = 512 << 10;

/// Observations that can be gone through several times, each with the number of the input it comes from.
pub struct Spool {
    limit: usize,
    names: Names,
    /// Encoded observations, each behind its length, in segments that are let go of one by one.
    held: Vec<Vec<u8>>,
    held_bytes: usize,
    spilled: Option<BufWriter<File>>,
    /// The last observation, encoded: only here to be used again.
    scratch: Vec<u8>,
    count: u64,
    /// How many of each kind there are.
    kinds: [u64; 4],
}

impl Spool {
    /// A spool that holds about `limit` bytes in memory.
    pub fn new(limit: usize) -> Self {
        Spool {
            limit,
            names: Names::default(),
            held: Vec::new(),
            held_bytes: 0,
            spilled: None,
            scratch: Vec::new(),
            count: 0,
            kinds: [0; 4],
        }
    }

    /// The number of observations.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// The number of observations of a kind.
    pub fn count(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an observation at the end.
    pub fn push(&mut self, observation: &Observation, input: u32) -> io::Result<()> {
        self.scratch.clear();
        encode(observation, input, &mut self.names, &mut self.scratch);
        let scratch = std::mem::take(&mut self.scratch);
        let outcome = self.push_encoded(&scratch);
        self.scratch = scratch;
        outcome
    }

    fn push_encoded(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.count += 1;
        if let Some(kind) = kind_of(bytes) {
            self.kinds[kind as usize] += 1;
        }
        if self.held.last().is_none_or(|segment| segment.len() + bytes.len() + 4 > SEGMENT) {
            self.held.push(Vec::with_capacity(SEGMENT.max(bytes.len() + 4)));
        }
        if let Some(segment) = self.held.last_mut() {
            segment.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            segment.extend_from_slice(bytes);
            self.held_bytes += bytes.len() + 4;
        }
        if self.held_bytes > self.limit {
            let spilled = match &mut self.spilled {
                Some(spilled) => spilled,
                none => none.insert(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?)),
            };
            for segment in self.held.drain(..) {
                spilled.write_all(&segment)?;
            }
            self.held_bytes = 0;
        }
        Ok(())
    }

    /// Goes through all encoded observations in their order; `consume`: for the last time.
    fn for_each_encoded(
        &mut self,
        consume: bool,
        visit: &mut dyn FnMut(&[u8], &Names) -> io::Result<()>,
    ) -> io::Result<()> {
        if let Some(spilled) = &mut self.spilled {
            spilled.flush()?;
            let file = spilled.get_mut();
            file.rewind()?;
            let mut reader = BufReader::with_capacity(1 << 20, &mut *file);
            let (mut length, mut bytes) = ([0; 4], Vec::new());
            loop {
                match reader.read_exact(&mut length) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                    other => other?,
                }
                bytes.resize(u32::from_le_bytes(length) as usize, 0);
                reader.read_exact(&mut bytes)?;
                visit(&bytes, &self.names)?;
            }
            file.seek(io::SeekFrom::End(0))?;
        }
        let names = &self.names;
        let mut go_through = |segment: &[u8]| encoded(segment).try_for_each(|bytes| visit(bytes, names));
        if consume {
            return std::mem::take(&mut self.held).into_iter().try_for_each(|segment| go_through(&segment));
        }
        self.held.iter().try_for_each(|segment| go_through(segment))
    }

    /// Writes what `render` makes of every observation, in their order, with several threads.
    pub fn render(
        &mut self,
        threads: usize,
        render: &(dyn Fn(&Observation, &mut Vec<u8>) -> io::Result<()> + Sync),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        let mut buffer = Vec::new();
        // What was spilled waits for the disk anyway.
        let spilled = self.for_each(&mut |observation, _| {
            buffer.clear();
            render(observation, &mut buffer)?;
            out.write_all(&buffer)
        });
        self.held = held;
        spilled?;
        let names = &self.names;
        let render_segment = |segment: &Vec<u8>| -> io::Result<Vec<u8>> {
            let mut rendered = Vec::with_capacity(segment.len() * 2);
            for bytes in encoded(segment) {
                let (observation, _) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
                render(&observation, &mut rendered)?;
            }
            Ok(rendered)
        };
        for segments in self.held.chunks(threads.max(1)) {
            let rendered: Vec<io::Result<Vec<u8>>> = std::thread::scope(|scope| {
                let others: Vec<_> =
                    segments[1..].iter().map(|segment| scope.spawn(|| render_segment(segment))).collect();
                let first = render_segment(&segments[0]);
                let joined = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                    thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread failed")))
                };
                std::iter::once(first).chain(others.into_iter().map(joined)).collect()
            });
            for rendered in rendered {
                out.write_all(&rendered?)?;
            }
        }
        Ok(())
    }

    /// Goes through all observations in their order, each with the number of its input.
    pub fn for_each(&mut self, visit: &mut dyn FnMut(&Observation, u32) -> io::Result<()>) -> io::Result<()> {
        self.for_each_encoded(false, &mut |bytes, names| {
            let (observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
            visit(&observation, input)
        })
    }

    /// Goes through the observations of some kinds.
    pub fn for_each_of(&mut self, kinds: &[Kind], visit: &mut dyn FnMut(&Observation)) -> io::Result<()> {
        self.for_each_encoded(false, &mut |bytes, names| {
            if kind_of(bytes).is_some_and(|kind| kinds.contains(&kind)) {
                visit(&decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?.0);
            }
            Ok(())
        })
    }

    /// Glimpses at the observations of some kinds.
    pub fn glimpse_at(
        &mut self,
        kinds: &[Kind],
        visit: &mut dyn FnMut(Kind, &Glimpse<'_>),
    ) -> io::Result<()> {
        self.for_each_encoded(false, &mut |bytes, names| {
            if let Some(kind) = kind_of(bytes).filter(|kind| kinds.contains(kind)) {
                visit(kind, &glimpse(bytes, names).ok_or(io::ErrorKind::InvalidData)?);
            }
            Ok(())
        })
    }

    /// Gives away every observation of some kinds and takes back what becomes of it; the others stay.
    pub fn transform(
        mut self,
        kinds: &[Kind],
        change: &mut dyn FnMut(Observation) -> Option<Observation>,
    ) -> io::Result<Spool> {
        let mut changed = Spool::new(self.limit);
        let mut outcome = Vec::new();
        // The names move to the new spool; their numbers stay what they are.
        let names = std::mem::take(&mut self.names);
        changed.names = names;
        self.for_each_encoded(true, &mut |bytes, _| {
            if !kind_of(bytes).is_some_and(|kind| kinds.contains(&kind)) {
                return changed.push_encoded(bytes);
            }
            let (observation, input) = decode(bytes, &changed.names).ok_or(io::ErrorKind::InvalidData)?;
            outcome.clear();
            outcome.extend(change(observation));
            outcome.iter().try_for_each(|observation| changed.push(observation, input))
        })?;
        Ok(changed)
    }
}

/// The encoded observations of a segment.
fn encoded(segment: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = segment;
    std::iter::from_fn(move || {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (bytes, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        rest = behind;
        Some(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn memory_and_file_hold_the_same_in_the_same_order() {
        let observations: Vec<Observation> = (0..50)
            .map(|number| look(&format!("http://a/{number}"), "2026-01-01T00:00:00Z").build())
            .collect();
        for limit in [0, 700, 1 << 20] {
            let mut spool = Spool::new(limit);
            for (number, observation) in observations.iter().enumerate() {
                spool.push(observation, number as u32).unwrap();
            }
            let drop_sevens =
                &mut |observation: Observation| (!observation.url.ends_with('7')).then_some(observation);
            let mut spool = spool.transform(&[Kind::Response], drop_sevens).unwrap();
            for _ in 0..2 {
                let mut seen = Vec::new();
                let visit = &mut |observation: &Observation, input: u32| {
                    seen.push((observation.url.clone(), input));
                    Ok(())
                };
                spool.for_each(visit).unwrap();
                let expected: Vec<(String, u32)> = (0..50)
                    .filter(|number| number % 10 != 7)
                    .map(|number| (format!("http://a/{number}"), number))
                    .collect();
                assert_eq!(seen, expected);
            }
            assert_eq!(spool.len(), 45);
            let mut rendered = Vec::new();
            let render = |observation: &Observation, out: &mut Vec<u8>| {
                out.extend_from_slice(observation.url.as_bytes());
                Ok(())
            };
            spool.render(3, &render, &mut rendered).unwrap();
            let expected: String = (0..50)
                .filter(|number| number % 10 != 7)
                .map(|number| format!("http://a/{number}"))
                .collect();
            assert_eq!(String::from_utf8(rendered).unwrap(), expected);
        }
    }
}
