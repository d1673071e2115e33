//! Entries in the order in which they were added: in memory up to a limit, beyond it in an unnamed temporary file. They are read from
//! the first to the last, as often as needed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::archive::temporary;

/// Bytes that are written and read together, once there is a file.
const PIECE: usize = 256 << 10;
/// The bytes of the length before each entry.
const HEAD: usize = 4;

/// Entries, each of some bytes.
#[derive(Debug)]
pub(crate) struct Overflow {
    limit: usize,
    /// The last entries, each behind its length.
    held: Vec<u8>,
    /// The entries before those.
    file: Option<File>,
    /// How many bytes the file has.
    written: u64,
}

impl Default for Overflow {
    /// Entries that stay in memory.
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

impl Overflow {
    /// Entries of which about `limit` bytes stay in memory.
    pub(crate) fn new(limit: usize) -> Self {
        Overflow { limit, held: Vec::new(), file: None, written: 0 }
    }

    /// About how many bytes stay in memory.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Adds the entry whose bytes `put` appends.
    pub(crate) fn push(&mut self, put: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let start = self.held.len();
        self.held.extend_from_slice(&[0; HEAD]);
        put(&mut self.held);
        let length = u32::try_from(self.held.len() - start - HEAD).map_err(io::Error::other)?;
        self.held[start..start + HEAD].copy_from_slice(&length.to_le_bytes());
        let limit = if self.file.is_some() { PIECE } else { self.limit };
        if self.held.len() > limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(temporary::file()?),
        };
        temporary::named(file.write_all_at(&self.held, self.written))?;
        self.written += self.held.len() as u64;
        self.held.clear();
        self.held.shrink_to(2 * PIECE);
        Ok(())
    }

    /// Reads all entries, from the first on.
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        self.cursor_from(0)
    }

    /// The place of the next entry that is added.
    pub(crate) fn place(&self) -> u64 {
        self.written + self.held.len() as u64
    }

    /// Reads the entries from a place on.
    pub(crate) fn cursor_from(&self, place: u64) -> Cursor<'_> {
        let in_memory = usize::try_from(place.saturating_sub(self.written)).unwrap_or(usize::MAX);
        Cursor {
            of: self,
            next: place.min(self.written),
            buffer: Vec::new(),
            at: 0,
            in_memory: in_memory.min(self.held.len()),
        }
    }
}

/// Reads entries one after the other.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    of: &'a Overflow,
    /// Where to read next in the file.
    next: u64,
    /// What was read of it, from `at` on not yet given.
    buffer: Vec<u8>,
    at: usize,
    /// The place of the next entry among those in memory.
    in_memory: usize,
}

impl Cursor<'_> {
    /// The next entry; `None` behind the last one.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if self.in_file(HEAD)?.is_some() {
            self.at += HEAD;
            let length = number(&self.buffer[self.at - HEAD..self.at]);
            self.in_file(length)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            self.at += length;
            return Ok(Some(&self.buffer[self.at - length..self.at]));
        }
        let held = &self.of.held[self.in_memory..];
        let Some((head, rest)) = held.split_at_checked(HEAD) else { return Ok(None) };
        let entry = rest.get(..number(head)).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.in_memory += HEAD + entry.len();
        Ok(Some(entry))
    }

    /// Makes sure that the buffer has this number of bytes of the file; `None` at its end.
    fn in_file(&mut self, wanted: usize) -> io::Result<Option<()>> {
        if self.buffer.len() - self.at >= wanted {
            return Ok(Some(()));
        }
        let Some(file) = &self.of.file else { return Ok(None) };
        self.buffer.drain(..self.at);
        self.at = 0;
        let had = self.buffer.len();
        let left = usize::try_from(self.of.written - self.next).unwrap_or(usize::MAX);
        let more = (wanted - had).max(PIECE).min(left);
        self.buffer.resize(had + more, 0);
        temporary::named(file.read_exact_at(&mut self.buffer[had..], self.next))?;
        self.next += more as u64;
        Ok((self.buffer.len() >= wanted).then_some(()))
    }
}

/// The length that stands before an entry.
fn number(head: &[u8]) -> usize {
    head.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_stays_in_memory_entries_come_back_in_their_order_and_again() {
        let entry = |number: usize| vec![number as u8; number * 37 % 4001];
        for limit in [0, 1 << 20, usize::MAX] {
            let mut entries = Overflow::new(limit);
            for number in 0..3000 {
                entries.push(|out| out.extend(entry(number))).unwrap();
            }
            assert_eq!(entries.file.is_none(), limit == usize::MAX);
            assert!(limit == usize::MAX || entries.held.capacity() <= 3 * PIECE);
            for _ in 0..2 {
                let mut cursor = entries.cursor();
                for number in 0..3000 {
                    assert_eq!(cursor.next().unwrap(), Some(&entry(number)[..]), "{limit} {number}");
                }
                assert_eq!(cursor.next().unwrap(), None);
            }
        }
        assert_eq!(Overflow::new(0).cursor().next().unwrap(), None);
    }

    #[test]
    fn entries_are_read_from_any_place() {
        for limit in [0, 3000, usize::MAX] {
            let mut entries = Overflow::new(limit);
            let places: Vec<u64> = (0..200usize)
                .map(|number| {
                    let place = entries.place();
                    entries.push(|out| out.resize(out.len() + number, number as u8)).unwrap();
                    place
                })
                .collect();
            for (number, place) in places.into_iter().enumerate() {
                let mut cursor = entries.cursor_from(place);
                assert_eq!(cursor.next().unwrap(), Some(&vec![number as u8; number][..]), "{limit}");
            }
            assert_eq!(entries.cursor_from(entries.place()).next().unwrap(), None);
        }
    }

    #[test]
    fn an_entry_larger_than_a_piece_comes_back_whole() {
        let mut entries = Overflow::new(0);
        for number in [1u8, 2, 3] {
            entries.push(|out| out.resize(out.len() + 3 * PIECE, number)).unwrap();
        }
        let mut cursor = entries.cursor();
        for number in [1u8, 2, 3] {
            assert_eq!(cursor.next().unwrap(), Some(&vec![number; 3 * PIECE][..]));
        }
        assert_eq!(cursor.next().unwrap(), None);
    }
}
