//! Since when a version was online by the server's own word, where nothing in the archive speaks against that word.
//!
//! A Last-Modified that is accepted ([`super::run`]) supports a claim. To show that a version was *not* there at a time, it must do
//! more, for the server's clock decides then. It does so only where
//!
//! - the response is a page (a 404, 410 or redirect has no version that could be dated);
//! - its `Date` is recorded, agrees with `WARC-Date` within [`MAX_CLOCK_SKEW_MICROS`], and is not before the Last-Modified;
//! - no other record of the address, of whatever method, status or media type, holds the same content from before, or has its
//!   strong ETag, by which a server names one content;
//! - no record that is cut, and so may hold the same content, is from before.
//!
//! Of two clocks that differ within the tolerance, either may be right: the earlier reading counts.

use std::collections::{HashMap, HashSet};

use crate::capture::intern::Id;
use crate::capture::other_records::OtherRecord;
use crate::capture::table::{Row, Table};
use crate::change::run::Versions;
use crate::time::{Instant, SECOND};

/// How far (in microseconds) the clocks of server and crawler may be apart.
const MAX_CLOCK_SKEW_MICROS: i64 = 60 * SECOND;

/// When a version began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Began {
    /// At the earliest, whichever clock was right.
    pub since: Instant,
    /// As the server stated it.
    pub stated: Instant,
}

/// Why the Last-Modified of a version does not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The answer is not a version of a page.
    Status(u16),
    /// The server stated no `Date`, so nothing shows its clock.
    NoDate,
    /// It is later than the `Date` of its own response.
    AfterDate(Instant),
    /// By how many seconds the clocks of server and crawler differ.
    Clock(i64),
    /// A row before it holds the same content.
    Shown(usize),
    /// A record by another method, or without a date, holds the same content; its place among those beside the page.
    ShownBeside(usize),
    /// A row before it has the same strong ETag.
    Tagged(usize),
    /// A record by another method has the same strong ETag; its place among those beside the page.
    TaggedBeside(usize),
    /// A row before it is cut, and may hold the same content.
    Cut(usize),
}

/// A Last-Modified that does not decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubted {
    /// The row that states it.
    pub row: usize,
    pub stated: Instant,
    pub why: Doubt,
}

/// When every run of a page began: `None` where no Last-Modified says it.
pub(crate) fn began(table: &Table, versions: &Versions, rows: &[Row]) -> Vec<Option<Result<Began, Doubted>>> {
    let contradicted: HashSet<usize> = versions.contradicted.iter().map(|(row, _)| *row).collect();
    let used: HashSet<usize> = versions.looks.iter().map(|look| look.row).collect();
    let beside = rows.first().map_or(&[][..], |row| table.beside(table.text(row.key)));
    let mut undated: HashMap<Id, usize> = HashMap::new();
    for (place, record) in beside.iter().enumerate().filter(|(_, record)| record.time.is_none()) {
        if let Some(body) = record.body.filter(|_| record.length != Some(0)) {
            undated.entry(body).or_insert(place);
        }
    }
    let others = (0..rows.len()).filter(|place| !used.contains(place)).collect();
    let ground = Ground { table, versions, rows, others, beside, undated };
    let places = 0..versions.runs.len();
    places.map(|place| ground.of_run(place, &contradicted)).collect()
}

/// What the versions of a page are held against.
struct Ground<'a> {
    table: &'a Table,
    versions: &'a Versions,
    rows: &'a [Row],
    /// The rows that show no version, in time order.
    others: Vec<usize>,
    beside: &'a [OtherRecord],
    /// Which of those without a date holds a content.
    undated: HashMap<Id, usize>,
}

/// What speaks against the dates of a run, each with its time: only dates behind that are concerned.
struct Against {
    shown: Option<(Instant, Doubt)>,
    /// Without a date, it may be from before.
    undated: Option<(Instant, Doubt)>,
    cut: Option<(Instant, Doubt)>,
}

impl Ground<'_> {
    fn of_run(&self, place: usize, contradicted: &HashSet<usize>) -> Option<Result<Began, Doubted>> {
        let run = &self.versions.runs[place];
        run.last_modified?;
        let places = || run.looks.clone().map(|look| self.versions.looks[look].row);
        let dated = || {
            let dated = places().filter_map(|row| Some((row, self.rows.get(row)?.last_modified?)));
            dated.filter(|(row, _)| !contradicted.contains(row))
        };
        let against = self.against(place, dated().map(|(_, stated)| stated).max()?);
        let mut began: Option<Began> = None;
        for (row, stated) in dated() {
            let before = |found: Option<(Instant, Doubt)>| found.filter(|(time, _)| *time < stated);
            let shown = before(against.shown).or(against.undated);
            let read = match (read(&self.rows[row], stated), shown, before(against.cut)) {
                (Err(why @ Doubt::Status(_)), ..) => Err(why),
                // A contradiction says more than a clock that is unknown.
                (_, Some((_, why)), _) | (Err(why), ..) | (Ok(_), None, Some((_, why))) => Err(why),
                (Ok(since), None, None) => Ok(since),
            };
            match read {
                // One date that is doubtful makes all of them so.
                Err(why) => return Some(Err(Doubted { row, stated, why })),
                Ok(since) if began.is_none_or(|began| since < began.since) => {
                    began = Some(Began { since, stated });
                }
                Ok(_) => {}
            }
        }
        began.map(Ok)
    }

    /// The first records since the last capture of the version before, up to a date, that hold the content of a run or may hold it.
    /// What was there earlier may have come back.
    fn against(&self, place: usize, latest: Instant) -> Against {
        let Versions { looks, runs, .. } = self.versions;
        let rows = runs[place].looks.clone().map(|look| looks[look].row);
        let bodies: HashSet<Id> = rows.filter_map(|row| held(self.rows.get(row)?)).collect();
        let is_same = |body: Option<Id>| body.is_some_and(|body| bodies.contains(&body));
        let rows = runs[place].looks.clone().map(|look| looks[look].row);
        let tags: HashSet<Id> =
            rows.filter_map(|row| self.rows.get(row)?.etag).filter(|tag| self.is_strong(*tag)).collect();
        let is_tagged = |tag: Option<Id>| tag.is_some_and(|tag| tags.contains(&tag));
        let after = place.checked_sub(1).map(|place| looks[runs[place].looks.end - 1].captured);
        let is_past = |time: Instant| after.is_some_and(|after| time <= after);
        let from = self.others.partition_point(|row| is_past(self.rows[*row].time));
        let others = self.others[from..].iter().copied().take_while(|row| self.rows[*row].time < latest);
        let from = self.beside.partition_point(|record| record.time.is_none_or(is_past));
        let mut beside = self.beside.iter().enumerate().skip(from);
        let beside = beside.find_map(|(place, record)| {
            let body = record.body.filter(|_| record.length != Some(0));
            match record.time? {
                time if is_same(body) => Some((time, Doubt::ShownBeside(place))),
                time if is_tagged(record.etag) => Some((time, Doubt::TaggedBeside(place))),
                _ => None,
            }
        });
        let undated = bodies.iter().find_map(|body| self.undated.get(body));
        let undated = undated.map(|place| (Instant(i64::MIN), Doubt::ShownBeside(*place)));
        // What is gone or led elsewhere was not the page, cut or not.
        let is_cut = |row: &Row| {
            (row.truncated || row.status == Some(206))
                && !row.bodiless
                && !row.strays
                && matches!(row.status, None | Some(200..=299))
        };
        let mut shown = others.clone().filter(|row| is_same(held(&self.rows[*row])));
        let mut cut = others.clone().filter(|row| is_cut(&self.rows[*row]));
        let mut tagged = others.clone().filter(|row| is_tagged(self.rows[*row].etag));
        let shown = shown.next().map(|row| (self.rows[row].time, Doubt::Shown(row)));
        let tagged = tagged.next().map(|row| (self.rows[row].time, Doubt::Tagged(row)));
        Against {
            shown: [shown, beside, tagged].into_iter().flatten().min_by_key(|(time, _)| *time),
            undated,
            cut: cut.next().map(|row| (self.rows[row].time, Doubt::Cut(row))),
        }
    }

    /// Whether an ETag names one content byte for byte; a weak one names what is alike.
    fn is_strong(&self, tag: Id) -> bool {
        let tag = self.table.text(tag);
        tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"')
    }
}

/// The content of a row, unless it is empty: many records hold nothing.
fn held(row: &Row) -> Option<Id> {
    row.body.filter(|_| row.body_length != Some(0))
}

/// The earliest reading of a Last-Modified, by its own response alone.
fn read(row: &Row, stated: Instant) -> Result<Instant, Doubt> {
    if let Some(status) = row.status.filter(|status| !matches!(status, 200..=299 | 304)) {
        return Err(Doubt::Status(status));
    }
    let date = row.http_date.ok_or(Doubt::NoDate)?;
    if stated > date {
        return Err(Doubt::AfterDate(date));
    }
    // A cache hands on the date at which the server made the response.
    let server = date.plus(i64::from(row.age.unwrap_or(0)).saturating_mul(SECOND));
    let ahead = server.0.saturating_sub(row.end.0).max(0);
    let behind = row.time.0.saturating_sub(server.0).max(0);
    if ahead > MAX_CLOCK_SKEW_MICROS || behind > MAX_CLOCK_SKEW_MICROS {
        return Err(Doubt::Clock(server.0.saturating_sub(row.time.0) / SECOND));
    }
    Ok(stated.plus(-server.0.saturating_sub(row.time.0).max(0)))
}

#[cfg(test)]
#[path = "began_tests.rs"]
mod tests;
