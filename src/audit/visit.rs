//! Goes over the captures of one site, a table at a time, and makes its page records and stories.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::sync::Arc;

use crate::audit::changes::{ChangeMeter, Shown};
use crate::audit::model::{RunChange, Story};
use crate::audit::page_record::PageRecord;
use crate::audit::page_record_maker::{Maker, Seen};
use crate::audit::params::Parameters;
use crate::audit::records::Records;
use crate::audit::sites::{OneSite, Part};
use crate::audit::story;
use crate::capture::table::Row;
use crate::change::evidence::{Compare, Judge};
use crate::change::rate::Evidence;
use crate::change::run::{PageState, Versions};
use crate::time::Interval;

/// Maximum number of blocks of a change in a story.
const BLOCKS: usize = 20;

/// The records of a site in one window.
#[derive(Default)]
pub(crate) struct InWindow {
    pub records: Records,
    /// The weight of each page, as given; `None`: all pages weigh the same.
    pub weights: Option<Vec<f64>>,
    /// From the first capture of a page to the end of the last one.
    pub span: Option<Interval>,
}

impl InWindow {
    /// Records of which about `memory` bytes are held.
    pub(crate) fn new(memory: usize) -> Self {
        InWindow { records: Records::new(memory), ..InWindow::default() }
    }

    fn push(&mut self, record: PageRecord, number: Option<u32>) -> io::Result<()> {
        for capture in record.captures.iter().filter(|_| number.is_some()) {
            let span = self.span.unwrap_or(Interval { from: capture.time, to: capture.ended() });
            let (from, to) = (span.from.min(capture.time), span.to.max(capture.ended()));
            self.span = Some(Interval { from, to });
        }
        self.records.push(record, number)
    }

    /// Adds a record that was made elsewhere; `next` is the number of the next page.
    pub(crate) fn add(&mut self, record: PageRecord, next: &mut u32) -> io::Result<()> {
        let number = record.is_page.then_some(*next);
        *next += u32::from(number.is_some());
        self.push(record, number)
    }

    /// The crawls that captured pages, in time order.
    pub(crate) fn crawls(&self) -> io::Result<Vec<u32>> {
        let mut crawls: BTreeSet<u32> = BTreeSet::new();
        self.records.each(&mut |kept| {
            if kept.number.is_some() {
                crawls.extend(
                    kept.record.captures.iter().filter_map(|capture| u32::try_from(capture.crawl).ok()),
                );
            }
        })?;
        Ok(crawls.into_iter().collect())
    }
}

/// Takes a record, the number of its page, and the weight of the page where one is given.
type GiveRecord<'a, E> = dyn FnMut(PageRecord, Option<(u32, Option<f64>)>) -> Result<(), E> + 'a;

/// Goes over the captures of a site.
pub(crate) struct Visitor<'a, E> {
    pub one: &'a OneSite<'a, E>,
    pub parameters: &'a Parameters,
    /// Compares versions block by block, if enabled.
    pub changes: Option<&'a ChangeMeter>,
}

impl<E: From<io::Error>> Visitor<'_, E> {
    /// The crawls that captured its pages, in time order.
    pub(crate) fn crawls(&self) -> Result<Vec<u32>, E> {
        let mut crawls: BTreeSet<u32> = BTreeSet::new();
        self.one.each_part(&mut |part| {
            for place in part.places {
                let page = &part.table.pages()[*place];
                if self.parameters.pages.takes(part.table, part.table.rows_of(page)) {
                    crawls.extend(part.of_row[page.rows.clone()].iter().flatten());
                }
            }
            Ok(())
        })?;
        Ok(crawls.into_iter().collect())
    }

    /// The records of what these crawls captured. `known` is what all captures of each page say about its rate, by its number;
    /// else that is found here. Changes are measured only if `measured`.
    pub(crate) fn records(
        &self,
        crawls: &[u32],
        known: Option<&[Evidence]>,
        measured: bool,
    ) -> Result<InWindow, E> {
        let mut inside = InWindow::new(self.one.memory);
        self.each_record(crawls, known, measured, &mut |record, page| {
            inside.push(record, page.map(|(number, _)| number))?;
            if let Some((_, Some(weight))) = page {
                inside.weights.get_or_insert_default().push(weight);
            }
            Ok(())
        })?;
        Ok(inside)
    }

    /// As [`Self::records`], one after the other, with the number of each page, and its weight where one is given.
    pub(crate) fn each_record(
        &self,
        crawls: &[u32],
        known: Option<&[Evidence]>,
        measured: bool,
        give: &mut GiveRecord<'_, E>,
    ) -> Result<(), E> {
        let site: Arc<str> = self.one.name.into();
        let mut number = 0u32;
        self.one.each_part(&mut |part| {
            if let Some(meter) = self.changes {
                meter.forget();
            }
            let table = part.table;
            let judge = Judge::new(table, self.parameters.compare, self.parameters.evidence);
            let mut maker = Maker::new(table, &site);
            for place in part.places {
                let all = table.rows_of(&table.pages()[*place]);
                let page = self.parameters.pages.takes(table, all).then_some(number);
                number += u32::from(page.is_some());
                let (rows, of_rows) = in_crawls(part, *place, crawls);
                let Some(first) = all.first().filter(|_| !rows.is_empty()) else { continue };
                let Some(page) = page else {
                    let seen = Seen {
                        rows: &rows,
                        crawls: &of_rows,
                        page: None,
                        changes: None,
                        by_text: None,
                        first,
                    };
                    give(maker.record(seen), None)?;
                    continue;
                };
                let versions = Versions::of(&judge, &rows);
                let evidence = match known.and_then(|known| known.get(page as usize)) {
                    Some(evidence) => Cow::Borrowed(evidence),
                    None if rows.len() == all.len() => Cow::Owned(Evidence::of(&versions, 0)),
                    // Captures outside the dates that were asked for say nothing here.
                    None => {
                        let Parameters { from, to, .. } = self.parameters;
                        let is_dated = |row: &&Row| {
                            from.is_none_or(|from| row.time >= from) && to.is_none_or(|to| row.time < to)
                        };
                        let dated: Vec<Row> = all.iter().filter(is_dated).copied().collect();
                        Cow::Owned(Evidence::of(&Versions::of(&judge, &dated), 0))
                    }
                };
                let shown = Shown { table, rows: &rows, all, versions: &versions };
                let changes = self.changes.filter(|_| measured).map(|meter| meter.changes(&shown));
                let seen = Seen {
                    rows: &rows,
                    crawls: &of_rows,
                    page: Some((&versions, &evidence)),
                    changes,
                    by_text: by_text(&judge, &rows, &versions),
                    first,
                };
                let weight = part.weights.map(|weights| weights[*place]);
                give(maker.record(seen), Some((page, weight)))?;
            }
            Ok(())
        })
    }

    /// The stories of the pages of these keys, in what these crawls captured.
    pub(crate) fn stories(
        &self,
        crawls: &[u32],
        keys: &HashSet<String>,
    ) -> Result<HashMap<String, Story>, E> {
        let mut stories = HashMap::new();
        self.one.each_part(&mut |part| {
            if let Some(meter) = self.changes {
                meter.forget();
            }
            let table = part.table;
            let judge = Judge::new(table, self.parameters.compare, self.parameters.evidence);
            for place in part.places {
                let page = &table.pages()[*place];
                let key = table.text(page.key);
                if !keys.contains(key) {
                    continue;
                }
                let (rows, of_rows) = in_crawls(part, *place, crawls);
                let versions = Versions::of(&judge, &rows);
                let mut story = story::tell(&judge, &rows, &of_rows, &versions);
                let shown = Shown { table, rows: &rows, all: table.rows_of(page), versions: &versions };
                for change in self.changes.map(|meter| meter.changes(&shown)).unwrap_or_default() {
                    if let Ok(mut measured) = change.importance {
                        measured.changes.truncate(BLOCKS);
                        let (from, to) = (change.from, change.to);
                        story.changes.push(RunChange { from, to, change: Some(measured), reason: None });
                    }
                }
                stories.insert(key.to_owned(), story);
            }
            Ok(())
        })?;
        Ok(stories)
    }
}

/// What the captures of a page whose bytes changed show where only visible text counts: what `--compare text` would find.
fn by_text(judge: &Judge<'_>, rows: &[Row], versions: &Versions) -> Option<Versions> {
    let is_open = judge.compare() == Compare::Bytes && versions.state == PageState::Changed;
    let by_text = || Judge::new(judge.table(), Compare::Text, judge.floor());
    (is_open && rows.iter().any(|row| row.text.is_some())).then(|| Versions::of(&by_text(), rows))
}

/// The rows of a page that these crawls captured, and the crawl of each.
fn in_crawls<'t>(part: &Part<'t>, place: usize, crawls: &[u32]) -> (Cow<'t, [Row]>, Vec<u32>) {
    let page = &part.table.pages()[place];
    let all = part.table.rows_of(page);
    let of_row = &part.of_row[page.rows.clone()];
    let crawl_of = |row: usize| of_row[row].filter(|crawl| crawls.contains(crawl));
    let of_rows: Vec<u32> = (0..all.len()).filter_map(crawl_of).collect();
    // Rows are in time order, so those of a window mostly follow each other.
    let mut taken = (0..all.len()).filter(|row| crawl_of(*row).is_some());
    let Some(first) = taken.next() else { return (Cow::Borrowed(&[]), of_rows) };
    let last = taken.next_back().unwrap_or(first);
    let rows = if last - first + 1 == of_rows.len() {
        Cow::Borrowed(&all[first..=last])
    } else {
        Cow::Owned((first..=last).filter(|row| crawl_of(*row).is_some()).map(|row| all[row]).collect())
    };
    (rows, of_rows)
}
