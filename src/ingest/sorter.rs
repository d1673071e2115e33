//! Sorts more than memory holds: sorted runs in an unnamed temporary file, merged when they are read.
//!
//! The order is stable: entries with equal keys keep their order. Cost: O(n log n); a merge reads every byte once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::archive::temporary;

/// Bytes of a run that are read, or written, at once.
const PIECE: usize = 256 << 10;
/// An entry takes its key, its value, their lengths, and its place in the list of entries.
const OVERHEAD: usize = size_of::<Entry>() + HEAD;
/// The lengths of key and value.
const HEAD: usize = 8;

/// Receives each key and its value.
pub(crate) type Visit<'v> = dyn FnMut(&[u8], &[u8]) -> io::Result<()> + 'v;

/// Collects keys with values.
pub(crate) struct Sorter {
    limit: usize,
    arena: Vec<u8>,
    entries: Vec<Entry>,
    /// Where each sorted run lies in the file.
    runs: Vec<(u64, u64)>,
    file: Option<File>,
}

/// Where a key and its value lie in the arena.
#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    key: u32,
    value: u32,
}

impl Entry {
    fn key(self, arena: &[u8]) -> &[u8] {
        &arena[self.start..self.start + self.key as usize]
    }

    fn value(self, arena: &[u8]) -> &[u8] {
        let start = self.start + self.key as usize;
        &arena[start..start + self.value as usize]
    }
}

impl Sorter {
    /// A sorter that holds about `limit` bytes in memory.
    pub(crate) fn new(limit: usize) -> Self {
        Sorter { limit, arena: Vec::new(), entries: Vec::new(), runs: Vec::new(), file: None }
    }

    /// Adds a value under a key.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let length = |part: &[u8]| u32::try_from(part.len()).map_err(io::Error::other);
        let entry = Entry { start: self.arena.len(), key: length(key)?, value: length(value)? };
        if self.arena.len() + self.entries.len() * OVERHEAD + key.len() + value.len() > self.limit
            && !self.entries.is_empty()
        {
            self.spill()?;
            return self.push(key, value);
        }
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(value);
        self.entries.push(entry);
        Ok(())
    }

    fn sort(&mut self) {
        let arena = &self.arena;
        self.entries.sort_by(|one, other| one.key(arena).cmp(other.key(arena)));
    }

    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(temporary::file()?),
        };
        let start = self.runs.last().map_or(0, |(start, length)| start + length);
        let (mut end, mut piece) = (start, Vec::with_capacity(PIECE));
        let mut write = |piece: &mut Vec<u8>| {
            temporary::named(file.write_all_at(piece, end))?;
            end += piece.len() as u64;
            piece.clear();
            io::Result::Ok(())
        };
        for entry in &self.entries {
            piece.extend_from_slice(&entry.key.to_le_bytes());
            piece.extend_from_slice(&entry.value.to_le_bytes());
            piece.extend_from_slice(entry.key(&self.arena));
            piece.extend_from_slice(entry.value(&self.arena));
            if piece.len() >= PIECE {
                write(&mut piece)?;
            }
        }
        write(&mut piece)?;
        self.runs.push((start, end - start));
        self.arena.clear();
        self.entries.clear();
        Ok(())
    }

    /// Visits all keys with their values, in order.
    pub(crate) fn finish(mut self, visit: &mut Visit<'_>) -> io::Result<()> {
        if self.runs.is_empty() {
            self.sort();
            return self
                .entries
                .iter()
                .try_for_each(|entry| visit(entry.key(&self.arena), entry.value(&self.arena)));
        }
        if !self.entries.is_empty() {
            self.spill()?;
        }
        let Sorter { runs, file, arena, entries, .. } = self;
        drop((arena, entries));
        let Some(file) = file else { return Ok(()) };
        let mut sources: Vec<Source<'_>> =
            runs.iter().map(|(start, length)| Source::new(&file, *start, *length)).collect();
        let mut heap = BinaryHeap::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            if source.advance()? {
                heap.push(Reverse((source.key().to_vec(), number)));
            }
        }
        while let Some(mut top) = heap.peek_mut() {
            let Reverse((key, number)) = &mut *top;
            let source = &mut sources[*number];
            visit(source.key(), source.value())?;
            if source.advance()? {
                key.clear();
                key.extend_from_slice(source.key());
            } else {
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
        Ok(())
    }
}

/// A run that is read from its start to its end.
struct Source<'a> {
    file: &'a File,
    next: u64,
    end: u64,
    buffer: Vec<u8>,
    /// Where the current entry lies in the buffer.
    at: usize,
    key: usize,
    value: usize,
}

impl<'a> Source<'a> {
    fn new(file: &'a File, start: u64, length: u64) -> Self {
        Source { file, next: start, end: start + length, buffer: Vec::new(), at: 0, key: 0, value: 0 }
    }

    /// Makes sure that this many bytes of the current entry are in the buffer; `false` at the end of the run.
    fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        if self.buffer.len() - self.at >= wanted {
            return Ok(true);
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let held = self.buffer.len();
        let more = (wanted - held).max(PIECE).min((self.end - self.next) as usize);
        self.buffer.resize(held + more, 0);
        self.file.read_exact_at(&mut self.buffer[held..], self.next)?;
        self.next += more as u64;
        Ok(self.buffer.len() >= wanted)
    }

    /// Goes to the next entry; `false` if there is none.
    fn advance(&mut self) -> io::Result<bool> {
        self.at += self.key + self.value;
        (self.key, self.value) = (0, 0);
        if !self.fill(HEAD)? {
            return Ok(false);
        }
        let number = |at: usize| {
            let bytes = self.buffer.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, u32::from_le_bytes) as usize
        };
        let (key, value) = (number(self.at), number(self.at + 4));
        self.at += HEAD;
        if !self.fill(key + value)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (self.key, self.value) = (key, value);
        Ok(true)
    }

    fn key(&self) -> &[u8] {
        &self.buffer[self.at..self.at + self.key]
    }

    fn value(&self) -> &[u8] {
        &self.buffer[self.at + self.key..self.at + self.key + self.value]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_memory_keys_come_in_order_and_equal_ones_as_they_were_put_in() {
        let key = |number: u64| format!("key {}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 900);
        let mut expected: Vec<(String, String)> =
            (0..5000).map(|number| (key(number), format!("{number}").repeat(number as usize % 7))).collect();
        for limit in [0, 3000, 100_000, 10 << 20] {
            let mut sorter = Sorter::new(limit);
            for (key, value) in &expected {
                sorter.push(key.as_bytes(), value.as_bytes()).unwrap();
            }
            assert_eq!(sorter.runs.is_empty(), limit == 10 << 20);
            let mut found = Vec::new();
            let visit = &mut |key: &[u8], value: &[u8]| {
                found.push((
                    String::from_utf8(key.to_vec()).unwrap(),
                    String::from_utf8(value.to_vec()).unwrap(),
                ));
                Ok(())
            };
            sorter.finish(visit).unwrap();
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(found, expected, "{limit}");
        }
        Sorter::new(0).finish(&mut |_, _| panic!("there is nothing")).unwrap();
    }

    #[test]
    fn an_entry_larger_than_a_piece_comes_back_whole() {
        let mut sorter = Sorter::new(1000);
        let large = vec![7u8; 3 * PIECE];
        for number in [3u8, 1, 2] {
            sorter.push(&[number], &large[usize::from(number)..]).unwrap();
        }
        let mut found = Vec::new();
        sorter
            .finish(&mut |key, value| {
                found.push((key[0], value.len()));
                Ok(())
            })
            .unwrap();
        assert_eq!(found, [(1, large.len() - 1), (2, large.len() - 2), (3, large.len() - 3)]);
    }
}
