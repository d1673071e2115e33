//! The sites of an archive, one after the other, each with a table that holds its captures and those that it is judged by.
//!
//! Small archives are one table; of large ones a table is made of each site in turn. The figures are the same.

use std::collections::BTreeSet;
use std::io;

use crate::audit::params::Parameters;
use crate::audit::profile::Tally;
use crate::audit::visit::InWindow;
use crate::capture::crawl::{Crawl, Crawls, divide};
use crate::capture::site::{Site, group};
use crate::capture::table::{LeftOut, Table};
use crate::time::Instant;

/// What is known of an archive before its sites are audited.
#[derive(Debug, Clone, Default)]
pub(crate) struct Census {
    /// All crawls, in time order.
    pub crawls: Vec<Crawl>,
    /// The silence that splits crawls, in microseconds, where it was used.
    pub silence: Option<i64>,
    /// Captures in what was asked for, and what they are.
    pub tally: Tally,
    /// How many of them are pages of the audited sites.
    pub pages: u64,
    pub left_out: LeftOut,
    /// How many sites are audited.
    pub sites: usize,
}

/// Captures of one site in one table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub table: &'a Table,
    /// For every row of the table the number of its crawl.
    pub of_row: &'a [Option<u32>],
    /// The URLs of the site with captures in what was asked for, as places in [`Table::pages`].
    pub places: &'a [usize],
    /// Weights for [`Table::pages`], in their order; else all pages weigh the same.
    pub weights: Option<&'a [f64]>,
}

/// What is done with a part of a site.
pub(crate) type PartVisit<'v, E> = dyn FnMut(&Part<'_>) -> Result<(), E> + 'v;

/// One site and where its captures are.
pub(crate) struct OneSite<'a, E> {
    pub name: &'a str,
    /// Visits its captures, in one table or in several that follow each other by key. They can be visited again.
    pub parts: &'a dyn Fn(&mut PartVisit<'_, E>) -> Result<(), E>,
    /// All its captures with those of other sites that links are judged by, where links are known.
    pub judged_by: Option<Part<'a>>,
    /// Its page records, where they were made elsewhere; there are no captures then.
    pub records: Option<&'a InWindow>,
    /// About how many bytes of its page records are held in memory, and as many of their rates.
    pub memory: usize,
}

impl<E> OneSite<'_, E> {
    pub(crate) fn each_part(&self, visit: &mut PartVisit<'_, E>) -> Result<(), E> {
        (self.parts)(visit)
    }
}

/// What is done with each site.
pub(crate) type Visit<'v, E> = dyn FnMut(&OneSite<'_, E>) -> Result<(), E> + 'v;

/// The sites of an archive.
pub(crate) trait Sites {
    /// Why a site cannot be had.
    type Error: From<io::Error>;

    /// What is known of all of them.
    fn census(&self) -> &Census;

    /// When and of which sites there are captures.
    fn captured(&self) -> Result<Captured, Self::Error>;

    /// Visits the audited sites in the order of their names.
    fn visit(&self, each: &mut Visit<'_, Self::Error>) -> Result<(), Self::Error>;
}

/// When and of which sites there are captures, audited or not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Captured {
    /// The first and the last capture.
    pub span: Option<(Instant, Instant)>,
    pub sites: BTreeSet<String>,
    /// Whether a capture lies in the dates that were asked for.
    pub is_inside: bool,
}

impl Captured {
    /// Adds the captures of a table.
    pub(crate) fn add(&mut self, table: &Table, parameters: &Parameters) {
        for row in table.rows() {
            let (first, last) = self.span.unwrap_or((row.time, row.time));
            self.span = Some((first.min(row.time), last.max(row.time)));
            let is_before = parameters.from.is_some_and(|from| row.time < from);
            let is_behind = parameters.to.is_some_and(|to| row.time >= to);
            self.is_inside |= !is_before && !is_behind;
        }
        let first = |page| table.rows_of(page).first().map(|row| table.text(row.url));
        let sites = table.pages().iter().filter_map(|page| parameters.site_by.site_of(first(page)?));
        self.sites.extend(sites);
    }
}

/// All sites in one table.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    table: &'a Table,
    parameters: &'a Parameters,
    crawls: Crawls,
    sites: Vec<Site>,
    weights: Option<&'a [f64]>,
    census: Census,
}

impl<'a> Whole<'a> {
    pub(crate) fn new(table: &'a Table, parameters: &'a Parameters, weights: Option<&'a [f64]>) -> Self {
        let beside = &parameters.companions;
        let crawls = divide(table, &parameters.division, parameters.from, parameters.to, beside);
        let is_own = |row: usize| crawls.of_row[row].is_some() && !beside.contains(&table.rows()[row].input);
        let seen = |place: usize| table.pages()[place].rows.clone().any(is_own);
        let urls: Vec<usize> = (0..table.pages().len()).filter(|place| seen(*place)).collect();
        let sites: Vec<Site> = group(table, urls.iter().copied(), |url| parameters.site_by.site_of(url))
            .into_iter()
            .filter(|site| parameters.site.as_ref().is_none_or(|only| *only == site.name))
            .collect();
        let is_page = |place: &&usize| parameters.pages.takes(table, table.rows_of(&table.pages()[**place]));
        let mut tally = Tally::new(parameters);
        let asked: Vec<usize> = match &parameters.site {
            None => urls,
            Some(_) => sites.iter().flat_map(|site| &site.pages).copied().collect(),
        };
        for place in asked {
            let rows = table.pages()[place].rows.clone().filter(|row| is_own(*row));
            tally.add(table, rows.map(|row| &table.rows()[row]));
        }
        let census = Census {
            crawls: crawls.crawls.clone(),
            silence: crawls.silence,
            tally,
            pages: sites.iter().flat_map(|site| &site.pages).filter(is_page).count() as u64,
            left_out: table.left_out(),
            sites: sites.len(),
        };
        Whole { table, parameters, crawls, sites, weights, census }
    }
}

impl Sites for Whole<'_> {
    type Error = io::Error;

    fn census(&self) -> &Census {
        &self.census
    }

    fn captured(&self) -> io::Result<Captured> {
        let mut captured = Captured::default();
        captured.add(self.table, self.parameters);
        Ok(captured)
    }

    fn visit(&self, each: &mut Visit<'_, io::Error>) -> io::Result<()> {
        self.sites.iter().try_for_each(|site| {
            let (table, of_row) = (self.table, &self.crawls.of_row[..]);
            let part = Part { table, of_row, places: &site.pages, weights: self.weights };
            // Records take less than the table, which is in memory.
            let (name, memory) = (&site.name, usize::MAX);
            each(&OneSite {
                name,
                parts: &|visit| visit(&part),
                judged_by: Some(part),
                records: None,
                memory,
            })
        })
    }
}
