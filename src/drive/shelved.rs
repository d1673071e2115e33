//! An archive that is larger than memory: its captures are on disk, by site, and a table is made of one site at a time.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use super::companions::Companions;
use crate::audit::importance::weigh_some;
use crate::audit::insignificant::merge_unseen;
use crate::audit::missing_archives::Holdings;
use crate::audit::profile::Tally;
use crate::audit::sites::{Captured, Census, OneSite, Part, PartVisit, Sites, Visit};
use crate::audit::{Importance, LinkMap, Parameters};
use crate::capture::crawl::{Divided, Divider};
use crate::capture::table::Table;
use crate::html::sitemap::Entry;
use crate::ingest::shelf::Shelf;
use crate::ingest::spool::Spool;
use crate::ingest::{InputFile, ProblemLog, report_contradictions};

/// Captures on disk, and what is known of all of them.
pub(crate) struct Shelved {
    shelf: Shelf,
    divided: Divided,
    census: Census,
    captured: Captured,
    /// The audited sites, and where they lie.
    sites: BTreeMap<String, u32>,
}

impl Shelved {
    /// Sorts captures by site with about `memory` bytes.
    pub(super) fn new(
        spool: Spool,
        parameters: &Parameters,
        inputs: &[InputFile],
        memory: usize,
        counts: &mut [u64],
        holdings: &mut Holdings,
        log: &mut ProblemLog,
    ) -> io::Result<Self> {
        let mut divider = Divider::new(&parameters.division, parameters.from, parameters.to, &[]);
        let (mut census, mut captured) =
            (Census { tally: Tally::new(parameters), ..Census::default() }, Captured::default());
        let mut sites: BTreeMap<String, u32> = BTreeMap::new();
        let mut numbers: HashMap<Option<String>, u32> = HashMap::new();
        let place = &mut |table: &Table| {
            report_contradictions(table, inputs, log)?;
            holdings.add(table);
            captured.add(table, parameters);
            divider.add(table);
            census.left_out.add(table.left_out());
            let mut shelves = Vec::with_capacity(table.pages().len());
            for page in table.pages() {
                let rows = table.rows_of(page);
                let site = rows.first().and_then(|row| parameters.site_by.site_of(table.text(row.url)));
                let next = numbers.len() as u32;
                let shelf = *numbers.entry(site.clone()).or_insert(next);
                shelves.push(shelf);
                let seen = || rows.iter().filter(|row| divider.takes(row));
                if seen().next().is_none() {
                    continue;
                }
                let is_wanted = |site: &String| parameters.site.as_ref().is_none_or(|only| only == site);
                let site = site.filter(is_wanted);
                if site.is_some() || parameters.site.is_none() {
                    census.tally.add(table, seen());
                }
                if let Some(site) = site {
                    census.pages += u64::from(parameters.pages.takes(table, rows));
                    sites.insert(site, shelf);
                }
            }
            Ok(shelves)
        };
        let count = &mut |input: u32| {
            if let Some(count) = counts.get_mut(input as usize) {
                *count += 1;
            }
        };
        let shelf = Shelf::fill(spool, parameters.canon, memory, count, place)?;
        let divided = divider.finish();
        census.crawls.clone_from(&divided.crawls);
        census.silence = divided.silence;
        census.sites = sites.len();
        Ok(Shelved { shelf, divided, census, captured, sites })
    }

    pub(super) fn for_each_table(&self, visit: &mut dyn FnMut(&Table) -> io::Result<()>) -> io::Result<()> {
        self.shelf.for_each_table(visit)
    }

    pub(super) fn captured(&self) -> Captured {
        self.captured.clone()
    }
}

/// The sites of an archive on disk, with what they are weighed and judged by.
pub(super) struct ShelvedSites<'a> {
    pub shelved: &'a Shelved,
    pub parameters: &'a Parameters,
    pub links: Option<&'a LinkMap>,
    pub importance: &'a Importance,
    pub sitemaps: &'a [Entry],
    pub seeds: &'a [String],
    /// About how many bytes of the page records of a site are held in memory, and as many of their rates.
    pub memory: usize,
}

impl ShelvedSites<'_> {
    /// Weighs pages of a table: those at the places `own`.
    pub(super) fn weigh(&self, table: &Table, own: &[usize]) -> (String, Vec<f64>) {
        let ShelvedSites { importance, parameters, links, sitemaps, seeds, .. } = *self;
        weigh_some(importance, table, parameters, links, sitemaps, seeds, own.iter().copied())
    }

    fn one(&self, name: &str, shelf: u32, each: &mut Visit<'_, io::Error>) -> io::Result<()> {
        let companions = self.links.map(|links| RefCell::new(Companions::new(links, self.parameters, name)));
        let more = &mut |table: &Table| {
            companions.as_ref().map_or_else(Vec::new, |companions| companions.borrow_mut().of(table))
        };
        if companions.is_none() && self.importance.is_uniform() {
            // Nothing that is said of a page needs the others, or captures of other sites.
            let parts = &|visit: &mut PartVisit<'_, io::Error>| {
                self.shelved.shelf.for_each_part(shelf, &mut |table| {
                    let of_row = self.shelved.divided.of_rows(table);
                    let places = self.places(table, &of_row, name);
                    visit(&Part { table, of_row: &of_row, places: &places, weights: None })
                })
            };
            return each(&OneSite { name, parts, judged_by: None, records: None, memory: self.memory });
        }
        let mut table = self.shelved.shelf.table(&[shelf], &BTreeSet::new(), more)?;
        merge_unseen(&mut table);
        let of_row = self.shelved.divided.of_rows(&table);
        let own: Vec<usize> = self.own(&table, name).collect();
        let (_, weights) = self.weigh(&table, &own);
        let places = self.places(&table, &of_row, name);
        let part = Part { table: &table, of_row: &of_row, places: &places, weights: Some(&weights) };
        let memory = self.memory;
        each(&OneSite { name, parts: &|visit| visit(&part), judged_by: Some(part), records: None, memory })
    }

    /// The pages of a table that belong to a site.
    fn own(&self, table: &Table, name: &str) -> impl Iterator<Item = usize> {
        (0..table.pages().len()).filter(move |place| {
            let first = table.rows_of(&table.pages()[*place]).first();
            let site = first.and_then(|row| self.parameters.site_by.site_of(table.text(row.url)));
            site.is_some_and(|site| site == name)
        })
    }

    /// Those with captures in what was asked for.
    fn places(&self, table: &Table, of_row: &[Option<u32>], name: &str) -> Vec<usize> {
        let is_seen = |place: &usize| table.pages()[*place].rows.clone().any(|row| of_row[row].is_some());
        self.own(table, name).filter(is_seen).collect()
    }
}

impl Sites for ShelvedSites<'_> {
    type Error = io::Error;

    fn census(&self) -> &Census {
        &self.shelved.census
    }

    fn captured(&self) -> io::Result<Captured> {
        Ok(self.shelved.captured())
    }

    fn visit(&self, each: &mut Visit<'_, io::Error>) -> io::Result<()> {
        self.shelved.sites.iter().try_for_each(|(name, shelf)| self.one(name, *shelf, each))
    }
}
