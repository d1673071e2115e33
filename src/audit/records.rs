//! The page records of one site in one window: few as they are, many as compact bytes, which may be on disk.

use std::io;

use crate::audit::page::Kept;
use crate::audit::page_record::PageRecord;
use crate::capture::bytes::{Reader, SharedNames};
use crate::capture::field::Field;
use crate::ingest::overflow::Overflow;

/// How many records are held as they are at most, and how many captures they may have.
const HELD: usize = 20_000;
const HELD_CAPTURES: usize = 200_000;
/// About how many bytes such a record takes.
const RECORD: usize = 2_000;

/// Page records in the order of their keys.
#[derive(Default)]
pub(crate) struct Records {
    held: Vec<Kept>,
    held_captures: usize,
    /// The records behind those.
    rest: Overflow,
    has_rest: bool,
    names: SharedNames,
    pages: usize,
}

impl Records {
    /// Holds about `memory` bytes.
    pub(crate) fn new(memory: usize) -> Self {
        Records { rest: Overflow::new(memory), ..Records::default() }
    }

    /// About how many bytes are held.
    pub(crate) fn memory(&self) -> usize {
        self.rest.limit()
    }

    /// Adds a record. `number` is the number of the page among all of its site; what is no page has none.
    pub(crate) fn push(&mut self, record: PageRecord, number: Option<u32>) -> io::Result<()> {
        self.pages += usize::from(number.is_some());
        let most = HELD.min(self.memory() / RECORD);
        if !self.has_rest && self.held.len() < most && self.held_captures < HELD_CAPTURES {
            self.held_captures += record.captures.len();
            self.held.push(Kept::new(record, number));
            return Ok(());
        }
        self.has_rest = true;
        self.rest.push(|bytes| {
            bytes.extend_from_slice(&number.unwrap_or(u32::MAX).to_le_bytes());
            record.encode(bytes, &mut self.names);
        })
    }

    /// Number of records that are of pages.
    pub(crate) fn pages(&self) -> usize {
        self.pages
    }

    /// Visits all records.
    pub(crate) fn try_each<E: From<io::Error>>(
        &self,
        visit: &mut dyn FnMut(&Kept) -> Result<(), E>,
    ) -> Result<(), E> {
        self.held.iter().try_for_each(&mut *visit)?;
        let mut cursor = self.rest.cursor();
        while let Some(bytes) = cursor.next()? {
            let kept = self.decode(bytes).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
            visit(&kept)?;
        }
        Ok(())
    }

    /// Visits all records.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&Kept)) -> io::Result<()> {
        self.try_each(&mut |kept| {
            visit(kept);
            Ok(())
        })
    }

    fn decode(&self, bytes: &[u8]) -> Option<Kept> {
        let mut reader = Reader { rest: bytes };
        let number = u32::from_le_bytes(reader.take(4)?.try_into().ok()?);
        let record = PageRecord::decode(&mut reader, &self.names)?;
        Some(Kept::new(record, Some(number).filter(|number| *number != u32::MAX)))
    }
}
