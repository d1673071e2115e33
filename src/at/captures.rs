//! The captures that a question is answered from: all of them, or where they would take more than memory those that the question
//! needs.
//!
//! An answer about some pages needs their captures, the records that hold their bodies, and the files that they embed; with
//! estimates all pages of their sites, since rates come from those. Which records and files these are shows only when the first
//! captures are known, so what is lacking is added in rounds. An answer about everything needs everything.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use crate::at::model::AtParameters;
use crate::capture::Kind;
use crate::capture::table::{LeftOut, Table, TableBuilder};
use crate::digest::BodyDigest;
use crate::ingest::shelf::Shelf;
use crate::ingest::spool::Spool;
use crate::url::{Canon, SiteBy};

/// What a capture takes in a table.
const CAPTURE: u64 = 500;

/// What was read, as tables are made of it.
pub(super) enum Captures {
    /// All in one table.
    Whole(Box<Table>),
    /// On disk.
    Shelved(Box<Shelved>),
}

impl Captures {
    /// Takes over what was read; `counts` gets the number of observations of each input.
    pub(super) fn new(
        spool: Spool,
        parameters: &AtParameters,
        (canon, site_by): (Canon, &SiteBy),
        counts: &mut [u64],
    ) -> io::Result<Self> {
        let count = &mut |input: u32| {
            if let Some(count) = counts.get_mut(input as usize) {
                *count += 1;
            }
        };
        let is_part = !parameters.urls.is_empty() || parameters.site.is_some();
        if is_part && spool.len().saturating_mul(CAPTURE) > spool.limit() as u64 {
            return Ok(Captures::Shelved(Box::new(Shelved::new(spool, parameters, canon, site_by, count)?)));
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

/// Captures on disk by key, and which of them a question needs as far as is known.
pub(super) struct Shelved {
    shelf: Shelf,
    /// What was left out of all captures.
    pub left_out: LeftOut,
    /// The sites that are needed whole.
    sites: Vec<u32>,
    /// Other pages that are needed.
    keys: BTreeSet<Vec<u8>>,
    /// The records whose pages are known, or not there: by place and by body.
    places: HashSet<(String, u64)>,
    bodies: HashSet<BodyDigest>,
}

impl Shelved {
    fn new(
        spool: Spool,
        parameters: &AtParameters,
        canon: Canon,
        site_by: &SiteBy,
        count: &mut dyn FnMut(u32),
    ) -> io::Result<Self> {
        let asked: BTreeSet<String> = parameters.urls.iter().map(|url| canon.key(url)).collect();
        let mut numbers: HashMap<Option<String>, u32> = HashMap::new();
        let (mut left_out, mut sites) = (LeftOut::default(), BTreeSet::new());
        let place = &mut |table: &Table| {
            left_out.add(table.left_out());
            let shelves = table.pages().iter().map(|page| {
                let first = table.rows_of(page).first();
                let site = first.and_then(|row| site_by.site_of(table.text(row.url)));
                let is_asked = match asked.is_empty() {
                    true => site == parameters.site,
                    false => parameters.estimates && asked.contains(table.text(page.key)),
                };
                let next = numbers.len() as u32;
                let number = *numbers.entry(site).or_insert(next);
                if is_asked {
                    sites.insert(number);
                }
                number
            });
            Ok(shelves.collect())
        };
        let memory = spool.limit() / 2;
        let shelf = Shelf::fill(spool, canon, memory, count, place)?;
        Ok(Shelved {
            shelf,
            left_out,
            sites: sites.into_iter().collect(),
            keys: asked.into_iter().map(String::into_bytes).collect(),
            places: HashSet::new(),
            bodies: HashSet::new(),
        })
    }

    /// A table of what is needed, with the records that revisits in it refer to.
    pub(super) fn table(&mut self, paths: &[&str]) -> io::Result<Table> {
        loop {
            let table = self.shelf.table(&self.sites, &self.keys, &mut |_| Vec::new())?;
            let wanted = self.originals(&table, paths)?;
            if !self.add(wanted) {
                return Ok(table);
            }
        }
    }

    /// Adds pages that are needed too; says whether any is new.
    pub(super) fn add(&mut self, keys: impl IntoIterator<Item = Vec<u8>>) -> bool {
        let before = self.keys.len();
        self.keys.extend(keys);
        self.keys.len() > before
    }

    /// The pages of the records that rows without a body of their own are shown by: the record that a revisit was resolved to, and
    /// the first one with the same body.
    fn originals(&mut self, table: &Table, paths: &[&str]) -> io::Result<Vec<Vec<u8>>> {
        let (mut places, mut bodies) = (HashSet::new(), HashSet::new());
        for row in table.rows() {
            if let Some((file, offset)) = table.original(row) {
                let place = (file.to_owned(), offset);
                if self.places.insert(place.clone()) {
                    places.insert(place);
                }
            }
            let is_read = paths.get(row.input as usize).is_some_and(|path| *path == table.text(row.file));
            let holds = matches!(row.kind, Kind::Response | Kind::Resource) && is_read;
            let body = row.body.filter(|_| !holds).and_then(|body| table.body(body));
            if let Some(body) = body.filter(|body| self.bodies.insert(*body)) {
                bodies.insert(body);
            }
        }
        let mut keys = Vec::new();
        if places.is_empty() && bodies.is_empty() {
            return Ok(keys);
        }
        self.shelf.for_each_table(&mut |table| {
            for row in table.rows().iter().filter(|row| matches!(row.kind, Kind::Response | Kind::Resource)) {
                let place = row.offset.map(|offset| (table.text(row.file).to_owned(), offset));
                let is_named = place.is_some_and(|place| places.contains(&place));
                // Only the first one with a body stands for it.
                let is_first =
                    row.body.and_then(|body| table.body(body)).is_some_and(|body| bodies.remove(&body));
                if is_named || is_first {
                    keys.push(table.text(row.key).as_bytes().to_vec());
                }
            }
            Ok(())
        })?;
        Ok(keys)
    }
}
