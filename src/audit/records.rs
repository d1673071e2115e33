//! The page records of one site in one window: as they are where they are few, as compact bytes where they are many.

use crate::audit::page::Kept;
use crate::audit::page_record::PageRecord;
use crate::capture::bytes::{Reader, SharedNames};
use crate::capture::field::Field;

/// How many records are held as they are; each takes some 2 KB.
const HELD: usize = 20_000;

/// Page records in the order of their keys.
#[derive(Default)]
pub(crate) struct Records {
    held: Vec<Kept>,
    /// The records behind those, one after the other.
    bytes: Vec<u8>,
    names: SharedNames,
    pages: usize,
}

impl Records {
    /// Adds a record. `number` is the number of the page among all of its site; what is no page has none.
    pub(crate) fn push(&mut self, record: PageRecord, number: Option<u32>) {
        self.pages += usize::from(number.is_some());
        if self.held.len() < HELD {
            return self.held.push(Kept::new(record, number));
        }
        self.bytes.extend_from_slice(&number.unwrap_or(u32::MAX).to_le_bytes());
        record.encode(&mut self.bytes, &mut self.names);
    }

    /// How many of them are pages.
    pub(crate) fn pages(&self) -> usize {
        self.pages
    }

    /// Visits all records.
    pub(crate) fn try_each<E>(&self, visit: &mut dyn FnMut(&Kept) -> Result<(), E>) -> Result<(), E> {
        self.held.iter().try_for_each(&mut *visit)?;
        let mut reader = Reader { rest: &self.bytes };
        while let Some(kept) = self.next(&mut reader) {
            visit(&kept)?;
        }
        Ok(())
    }

    /// Visits all records.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&Kept)) {
        let Ok(()) = self.try_each::<std::convert::Infallible>(&mut |kept| {
            visit(kept);
            Ok(())
        });
    }

    fn next(&self, reader: &mut Reader<'_>) -> Option<Kept> {
        let number = u32::from_le_bytes(reader.take(4)?.try_into().ok()?);
        let record = PageRecord::decode(reader, &self.names)?;
        Some(Kept::new(record, Some(number).filter(|number| *number != u32::MAX)))
    }
}
