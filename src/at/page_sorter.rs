//! Puts the pages of an answer in the order of the report, names their records and seals them: on disk if the pages do not
//! fit in memory, with the same result.

use std::io;

use serde::{Deserialize, Serialize};

use crate::at::companions;
use crate::at::labels::{Namer, Names, place};
use crate::at::model::{PageAt, Role, Witness};
use crate::at::page_list::{PageList, PageWriter};
use crate::at::record_model::RequestAt;
use crate::at::seal::seal;
use crate::error::Result;
use crate::ingest::sorter::Sorter;

/// Minimum memory of a sorter: less would only make more runs to merge.
const MIN_SORT_BYTES: usize = 8 << 20;
/// A record to seal takes about this much more than its JSON.
const RECORD: usize = 1000;
/// What follows the number of a slot.
const LABEL: u8 = 0;
const SEAL: u8 = 1;

/// Takes the pages of an answer in any order.
pub(super) struct PageSorter {
    sorter: Sorter,
    memory: usize,
}

/// What is found out about a record by reading its file again.
#[derive(Serialize, Deserialize)]
struct Sealed {
    ip: Option<String>,
    request: Option<RequestAt>,
    record_sha256: Option<String>,
}

impl PageSorter {
    /// Works with about `memory` bytes.
    pub(super) fn new(memory: usize) -> Self {
        PageSorter { sorter: Sorter::new((memory / 4).max(4 * MIN_SORT_BYTES)), memory }
    }

    /// Adds a page. Exceptions come first: what replay would serve too late, then the states from the least to the most
    /// favourable; equals by key.
    pub(super) fn push(&mut self, page: &PageAt) -> io::Result<()> {
        let rank = [u8::MAX - page.verdict as u8, u8::MAX - page.state as u8, u8::from(!page.is_absent())];
        let key: Vec<u8> = rank.into_iter().chain(page.key.bytes()).collect();
        self.sorter.push(&key, &serde_json::to_vec(page)?)
    }

    /// The pages in their order, their records named; with `seals` what the files of the records tell of them is added.
    pub(super) fn finish(self, seals: bool) -> Result<PageList> {
        let share = (self.memory / 8).max(MIN_SORT_BYTES);
        let mut namer = Namer::new(share);
        let mut records = Sorter::new(share);
        let mut unnamed = PageWriter::new(self.memory / 8);
        self.sorter.finish(&mut |_, json| {
            let mut page: PageAt = serde_json::from_slice(json)?;
            page.witnesses.sort_by_key(|record| (record.role == Role::Text, record.date));
            for record in &page.witnesses {
                let id = record.record_id.as_deref();
                let slot = namer.record(&place(&record.file, record.offset, id, record.date))?;
                if seals && record.index.is_none() {
                    let value = [&slot.to_be_bytes()[..], &serde_json::to_vec(record)?].concat();
                    records.push(record.file.as_bytes(), &value)?;
                }
            }
            mentions(&mut page).try_for_each(|mention| namer.mention(mention))?;
            unnamed.push(page)
        })?;
        let unnamed = unnamed.finish();
        let mut slots = Sorter::new(share);
        namer.finish(&mut |slot, label| slots.push(&key(slot, LABEL), label))?;
        // A file is walked through once for each batch of its records.
        seal_all(records, (self.memory / 4).max(4 * MIN_SORT_BYTES), &mut slots)?;
        let mut joining = Joining {
            pages: unnamed.iter().map(std::borrow::Cow::into_owned),
            names: Names::default(),
            current: None,
            next: 0,
            out: PageWriter::new(self.memory / 8),
        };
        slots.finish(&mut |key, value| joining.add(key, value))?;
        let pages = joining.finish()?;
        unnamed.check()?;
        Ok(pages)
    }
}

/// Where a page names records by their places.
fn mentions(page: &mut PageAt) -> impl Iterator<Item = &mut String> {
    let shown = page.shown.iter_mut().flat_map(|part| [&mut part.before, &mut part.after]);
    [&mut page.before, &mut page.after].into_iter().chain(shown).flatten()
}

fn key(slot: u64, tag: u8) -> [u8; 9] {
    let mut key = [tag; 9];
    key[..8].copy_from_slice(&slot.to_be_bytes());
    key
}

/// Reads the files of records again, as many records at once as memory holds.
fn seal_all(records: Sorter, memory: usize, slots: &mut Sorter) -> Result<()> {
    let (mut batch, mut size): (Vec<(u64, Witness)>, usize) = (Vec::new(), 0);
    let mut failed = None;
    let visited = records.finish(&mut |_, value| {
        let (slot, json) = value.split_first_chunk::<8>().ok_or(io::ErrorKind::InvalidData)?;
        let record: Witness = serde_json::from_slice(json)?;
        // Each batch walks through its files once, so that it ends where a file does if it can.
        let is_other = batch.last().is_some_and(|(_, last)| last.file != record.file);
        if size > memory || (is_other && size > memory / 2) {
            seal_batch(&mut batch, slots).map_err(|error| {
                failed = Some(error);
                io::ErrorKind::Other
            })?;
            size = 0;
        }
        size += json.len() + RECORD;
        batch.push((u64::from_be_bytes(*slot), record));
        Ok(())
    });
    if let Some(error) = failed {
        return Err(error);
    }
    visited?;
    seal_batch(&mut batch, slots)
}

fn seal_batch(batch: &mut Vec<(u64, Witness)>, slots: &mut Sorter) -> Result<()> {
    let mut records: Vec<&mut Witness> = batch.iter_mut().map(|(_, record)| record).collect();
    companions::add(&mut records)?;
    seal(&mut records)?;
    for (slot, record) in batch.drain(..) {
        let Witness { ip, request, record_sha256, .. } = record;
        let json = serde_json::to_vec(&Sealed { ip, request, record_sha256 }).map_err(io::Error::from)?;
        slots.push(&key(slot, SEAL), &json)?;
    }
    Ok(())
}

/// Puts labels and seals into the slots of pages, one page after the other.
struct Joining<P> {
    pages: P,
    names: Names,
    current: Option<Current>,
    /// The first slot of the next page.
    next: u64,
    out: PageWriter,
}

struct Current {
    page: PageAt,
    first: u64,
    labels: Vec<Option<String>>,
}

impl<P: Iterator<Item = PageAt>> Joining<P> {
    fn add(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let (slot, tag) = key.split_first_chunk::<8>().ok_or(io::ErrorKind::InvalidData)?;
        let slot = u64::from_be_bytes(*slot);
        while slot >= self.next {
            if !self.advance()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let Some(Current { page, first, labels }) = &mut self.current else { return Ok(()) };
        let place = (slot - *first) as usize;
        if tag == [LABEL] {
            labels[place] = self.names.label(slot, value)?;
        } else if let Some(record) = page.witnesses.get_mut(place) {
            let Sealed { ip, request, record_sha256 } = serde_json::from_slice(value)?;
            (record.ip, record.request, record.record_sha256) = (ip, request, record_sha256);
        }
        Ok(())
    }

    /// Goes to the next page; `false` if there is none.
    fn advance(&mut self) -> io::Result<bool> {
        self.close()?;
        let Some(mut page) = self.pages.next() else { return Ok(false) };
        let slots = page.witnesses.len() + mentions(&mut page).count();
        self.current = Some(Current { page, first: self.next, labels: vec![None; slots] });
        self.next += slots as u64;
        Ok(true)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(Current { mut page, labels, .. }) = self.current.take() else { return Ok(()) };
        let mut labels = labels.into_iter();
        for record in &mut page.witnesses {
            record.label = labels.next().flatten().unwrap_or_default();
        }
        let shown = page.shown.iter_mut().flat_map(|part| [&mut part.before, &mut part.after]);
        for mention in [&mut page.before, &mut page.after].into_iter().chain(shown) {
            if mention.is_some() {
                *mention = labels.next().flatten();
            }
        }
        self.out.push(page)
    }

    fn finish(mut self) -> io::Result<PageList> {
        while self.advance()? {}
        Ok(self.out.finish())
    }
}
