//! The captures that a question is answered from: all of them, or where they would take more than memory those that the question
//! needs.
//!
//! An answer about some pages needs their captures, the records that hold their bodies, and the files that they embed; with
//! estimates all pages of their sites, since rates come from those. What pages embed shows only when their captures are known,
//! so what is lacking is added in rounds. An answer about everything, or about a site, takes some pages at a time; with
//! phrases, which are looked for in all pages together, it needs everything at once.

use std::collections::{BTreeSet, HashMap};
use std::io;

use crate::at::model::AtParameters;
use crate::at::originals::{self, Originals};
use crate::capture::table::{LeftOut, Table, TableBuilder};
use crate::ingest::shelf::Shelf;
use crate::ingest::spool::Spool;
use crate::url::{Canon, SiteBy};

/// What a capture takes in a table.
const CAPTURE: u64 = 500;
/// What a page takes while it is answered for, beside its captures.
const PAGE: u64 = 8 << 10;
/// The shelf of pages of sites that are not asked about.
const OTHER: u32 = u32::MAX;

/// What was read, as tables are made of it.
pub(super) enum Captures {
    Whole(Box<Table>),
    /// On disk.
    Shelved(Box<Shelved>),
}

impl Captures {
    /// Takes over what was read from the files with these paths; `counts` gets the number of observations of each.
    pub(super) fn new(
        spool: Spool,
        parameters: &AtParameters,
        (canon, site_by): (Canon, &SiteBy),
        paths: &[&str],
        counts: &mut [u64],
    ) -> io::Result<Self> {
        let count = &mut |input: u32| {
            if let Some(count) = counts.get_mut(input as usize) {
                *count += 1;
            }
        };
        let is_part = !parameters.urls.is_empty() || parameters.site.is_some();
        let can_part = is_part || parameters.phrases.is_empty();
        // Each capture may be one of a page of its own; pages that are named are few.
        let of_each = if parameters.urls.is_empty() { CAPTURE + PAGE } else { CAPTURE };
        if can_part && spool.len().saturating_mul(of_each) > spool.limit() as u64 {
            let shelved = Shelved::new(spool, parameters, (canon, site_by), paths, count)?;
            return Ok(Captures::Shelved(Box::new(shelved)));
        }
        let mut builder = TableBuilder::new();
        spool.for_each(&mut |observation, input| {
            count(input);
            let mut observation = observation.clone();
            canon.key_into(&observation.url, &mut observation.key);
            builder.push(&observation, input);
            Ok(())
        })?;
        Ok(Captures::Whole(Box::new(builder.finish())))
    }
}

/// Captures on disk by key, on shelves of pages that are answered for together.
pub(super) struct Shelved {
    shelf: Shelf,
    originals: Originals,
    /// What was left out of all captures.
    pub left_out: LeftOut,
    pub batches: Vec<Batch>,
    /// How many pages are asked about, where that is known: not where they are named.
    pub pages: Option<u64>,
}

/// Pages that are answered for together, and what that needs as far as is known.
#[derive(Default)]
pub(super) struct Batch {
    /// The shelves that are needed whole.
    shelves: Vec<u32>,
    /// Other pages that are needed.
    keys: BTreeSet<Vec<u8>>,
    /// Whether only the pages of the shelves are asked about, not what was added.
    is_own: bool,
}

/// Decides which pages are answered for together, while they pass by in the order of their keys.
struct Placing<'a> {
    parameters: &'a AtParameters,
    site_by: &'a SiteBy,
    asked: BTreeSet<String>,
    /// Everything is asked about.
    is_whole: bool,
    /// Everything or a site is asked about, and each page can be answered for without the others.
    is_parted: bool,
    /// What the pages of one shelf may take.
    room: u64,
    taken: u64,
    shelf: u32,
    sites: HashMap<Option<String>, u32>,
    needed: BTreeSet<u32>,
    pages: u64,
}

impl Placing<'_> {
    fn place(&mut self, table: &Table) -> Vec<u32> {
        table.pages().iter().map(|page| self.page(table, table.text(page.key), page.rows.clone())).collect()
    }

    fn page(&mut self, table: &Table, key: &str, rows: std::ops::Range<usize>) -> u32 {
        let rows = &table.rows()[rows];
        let site = rows.first().and_then(|row| self.site_by.site_of(table.text(row.url)));
        let is_of_asked = self.is_whole || site == self.parameters.site;
        self.pages += u64::from(is_of_asked && site.is_some() && self.parameters.pages.takes(table, rows));
        if self.is_parted && !is_of_asked {
            return OTHER;
        }
        if self.is_parted {
            self.taken += PAGE + CAPTURE * rows.len() as u64;
            if self.taken > self.room {
                (self.taken, self.shelf) = (0, self.shelf + 1);
            }
            self.needed.insert(self.shelf);
            return self.shelf;
        }
        let is_asked = match self.asked.is_empty() {
            true => is_of_asked,
            false => self.parameters.estimates && self.asked.contains(key),
        };
        let next = self.sites.len() as u32;
        let number = *self.sites.entry(site).or_insert(next);
        if is_asked {
            self.needed.insert(number);
        }
        number
    }
}

impl Shelved {
    fn new(
        spool: Spool,
        parameters: &AtParameters,
        (canon, site_by): (Canon, &SiteBy),
        paths: &[&str],
        count: &mut dyn FnMut(u32),
    ) -> io::Result<Self> {
        let memory = spool.limit() / 2;
        let names_none = parameters.urls.is_empty();
        let mut placing = Placing {
            parameters,
            site_by,
            asked: parameters.urls.iter().map(|url| canon.key(url)).collect(),
            is_whole: names_none && parameters.site.is_none(),
            // Rates come from all pages of a site, so that a site stays together for estimates.
            is_parted: names_none && parameters.phrases.is_empty() && !parameters.estimates,
            room: memory as u64 / 4,
            taken: 0,
            shelf: 0,
            sites: HashMap::new(),
            needed: BTreeSet::new(),
            pages: 0,
        };
        let mut left_out = LeftOut::default();
        let mut gathering = originals::Gathering::new(memory / 4);
        let is_read = |input: u32, file: &str| paths.get(input as usize).is_some_and(|path| *path == file);
        let shelf = Shelf::fill(spool, canon, memory, count, &mut |table: &Table| {
            left_out.add(table.left_out());
            gathering.add(table, is_read)?;
            Ok(placing.place(table))
        })?;
        let takes_turns = placing.is_whole || (placing.is_parted && !placing.needed.is_empty());
        let batch = |shelves| Batch { shelves, is_own: takes_turns, ..Batch::default() };
        let batches = match takes_turns {
            true => placing.needed.iter().map(|shelf| batch(vec![*shelf])).collect(),
            false => {
                let keys = placing.asked.iter().map(|key| key.clone().into_bytes()).collect();
                vec![Batch { keys, ..batch(placing.needed.iter().copied().collect()) }]
            }
        };
        let pages = takes_turns.then_some(placing.pages);
        Ok(Shelved { shelf, originals: gathering.finish()?, left_out, batches, pages })
    }

    /// A table of what a batch needs, with the records that captures in it refer to.
    pub(super) fn table(&self, batch: &Batch) -> io::Result<Table> {
        let mut known: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut failed = None;
        let table = self.shelf.table(&batch.shelves, &batch.keys, &mut |table| {
            let mut lacking = Vec::new();
            for page in table.pages() {
                let key = table.text(page.key).as_bytes();
                if known.contains(key) {
                    continue;
                }
                known.insert(key.to_vec());
                match self.originals.of_page(key) {
                    Ok(found) => lacking.extend(found),
                    Err(error) => failed = Some(error),
                }
            }
            lacking
        })?;
        failed.map_or(Ok(table), Err)
    }

    /// Whether a page is one that a batch answers for.
    pub(super) fn is_own(&self, batch: &Batch, key: &str) -> bool {
        !batch.is_own || self.shelf.holds(&batch.shelves, key.as_bytes())
    }
}

impl Batch {
    /// Adds pages that are needed too; says whether any is new.
    pub(super) fn add(&mut self, keys: impl IntoIterator<Item = Vec<u8>>) -> bool {
        let before = self.keys.len();
        self.keys.extend(keys);
        self.keys.len() > before
    }
}
