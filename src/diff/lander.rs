//! Pages that show nothing, or only what a script of a parker or of a wall against robots makes of them.
//!
//! Their text says nothing, so their bodies are read again: only short ones, and only where a URL has another version.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::page::is_html_page;
use crate::capture::table::{Row, Table};
use crate::html::page::PageScanner;
use crate::html::stand_in::{Lander, by_markup};
use crate::ingest::{Fetcher, Sought};

/// Longer bodies have content, so they are not read again.
const MAX_BODY_BYTES: u64 = 32 << 10;

/// Reads short pages again.
pub(crate) struct Landers {
    /// For every body the first response that holds it: a revisit shows it too.
    holders: HashMap<Id, usize>,
    state: RefCell<(Fetcher, HashMap<Id, Option<Lander>>)>,
}

impl fmt::Debug for Landers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Landers")
    }
}

impl Landers {
    pub(crate) fn new(table: &Table) -> Self {
        let mut holders = HashMap::new();
        for (place, row) in table.rows().iter().enumerate() {
            if let Some(body) = row.body.filter(|_| row.kind == Kind::Response && row.offset.is_some()) {
                holders.entry(body).or_insert(place);
            }
        }
        Landers { holders, state: RefCell::default() }
    }

    /// What a capture is that shows no page.
    pub(crate) fn of(&self, table: &Table, shown: &Row) -> Option<Lander> {
        let body = shown.body?;
        let row = if shown.revisit { &table.rows()[*self.holders.get(&body)?] } else { shown };
        if !is_html_page(table, shown) || shown.soft404.is_some() || row.body_length? > MAX_BODY_BYTES {
            return None;
        }
        if row.body_length == Some(0) {
            return Some(Lander::Nothing("it is empty"));
        }
        if row.kind != Kind::Response {
            return None;
        }
        let mut state = self.state.borrow_mut();
        let (fetcher, known) = &mut *state;
        if let Some(known) = known.get(&body) {
            return known.clone();
        }
        let sought = Sought {
            file: table.text(row.file),
            offset: row.offset?,
            length: row.length,
            id: row.record_id.map(|id| table.text(id)),
            declared: None,
        };
        // What cannot be read again is judged by its text alone.
        let page = fetcher.body(&sought).ok()?.ok()?;
        let mut scanner = PageScanner::new(page.content_type.as_deref().map(str::as_bytes));
        scanner.feed(&page.bytes);
        let length = scanner.finish(table.text(row.url).as_bytes()).text.map_or(0, |text| text.length);
        let found = by_markup(&page.bytes, length);
        known.insert(body, found.clone());
        found
    }
}
