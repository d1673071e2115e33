//! The table of pages, written while an audit goes on: a row for every page, however many there are.

use std::io::{self, Write};

use serde_json::Value;

use super::columns::PAGES;
use super::{cell, escape};
use crate::audit::model::PageAudit;

/// Writes the rows of pages.csv, one site after the other.
pub(crate) struct PageTable<W: Write>(::csv::Writer<W>);

impl<W: Write> PageTable<W> {
    /// A table with its header.
    pub(crate) fn new(out: W) -> io::Result<Self> {
        let mut writer = ::csv::Writer::from_writer(out);
        writer.write_record(PAGES)?;
        Ok(PageTable(writer))
    }

    /// Adds a page of a site; `entry` is the number of its entry in `sites[]`.
    pub(crate) fn add(&mut self, entry: usize, site: &str, page: &PageAudit) -> io::Result<()> {
        let first = [entry.to_string(), escape::csv(site).into_owned()];
        let value: Value = serde_json::to_value(page)?;
        let rest = PAGES[first.len()..].iter().map(|column| cell(&value, column));
        self.0.write_record(first.iter().cloned().chain(rest))?;
        Ok(())
    }

    /// Ends the table.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}
