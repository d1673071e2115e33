//! One page through time: its versions, what is known between them, and a strip of characters that shows both.

use crate::at::labels::letters;
use crate::at::model::{Stretch, Witness};
use crate::at::phrases::{Outcome, Sightings, holds};
use crate::at::version_change::VersionChange;
use crate::at::words::status_words;
use crate::capture::table::{Row, Table};
use crate::change::at::{Standings, State};
use crate::change::evidence::Grade;
use crate::change::run::{Link, Outer, Run, Versions};
use crate::time::{Instant, Interval};

/// The versions of one page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Timeline {
    /// The page.
    pub url: String,
    /// The time that the strip shows.
    pub over: Interval,
    /// When the last capture was made: the strip is longer where that was the first one.
    pub last: Instant,
    /// One character for each equal part of that time: the letter of a version that was captured there (`*` for one behind Z, or
    /// that may equal another), else what is
    /// known of all of it at the least: `=` proven, `-` claimed, `.` changed nearby, `?` undecided, blank unseen.
    pub strip: String,
    /// The versions in time order.
    pub versions: Vec<Version>,
    /// How many captures failed.
    pub failed: usize,
    /// Last-Modified dates that the archive contradicts.
    pub contradicted: usize,
    /// What is known of phrases.
    pub phrases: Vec<PhraseLine>,
    /// Which addresses are taken for the page, where not only the one that was asked for.
    pub canon: Option<String>,
    /// What is contradictory, damaged, undated or unused among the records, one sentence each.
    pub doubts: Vec<String>,
    /// What the history assumes.
    pub assumed: Vec<String>,
}

/// One phrase on one page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PhraseLine {
    pub phrase: String,
    /// Below each character of [`Timeline::strip`]: `#` proven present, `+` captured with it, `_` proven absent, `o` captured
    /// without it, `?` captured and not determined, blank where nothing is known.
    pub strip: String,
    /// All times at which it is proven present.
    pub when: Vec<Stretch>,
    /// For every version whether it holds the phrase, or why that cannot be determined.
    pub versions: Vec<Result<bool, String>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Version {
    /// Its name: A, B, …, Z, AA, …; equal versions have equal ones. `*`: it may equal another version.
    pub name: String,
    /// How many captures show it.
    pub looks: usize,
    /// When its first capture began.
    pub first: Instant,
    /// When its last capture began.
    pub last: Instant,
    /// The time for which it is proven.
    pub proven: Option<Interval>,
    /// The weakest grade of that proof.
    pub grade: Option<Grade>,
    /// The time for which validators claim it.
    pub claimed: Option<Interval>,
    /// Its lifetime lies inside.
    pub outer: Outer,
    /// Whether the next version is known to differ; `None` for the last one.
    pub next_differs: Option<bool>,
    /// What the server answered.
    pub status: Option<u16>,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// The first and the last capture, and the record that holds the content where that is another one; each with what it is.
    pub records: Vec<(&'static str, Witness)>,
    /// What changed from the version before; `None` for the first one.
    pub change: Option<VersionChange>,
}

impl Version {
    /// Whether it is a page: not a redirect, and not an answer that the page is missing.
    pub(crate) fn is_page(&self) -> bool {
        self.status.is_none_or(|status| status < 300 || status == 304)
    }

    /// What the server answered, in words.
    pub(crate) fn answered(&self) -> String {
        let status = self.status.map_or_else(|| "without a status".to_owned(), status_words);
        match (self.status, &self.location) {
            (Some(304), _) => format!("{status}: it does not show which content was unchanged"),
            (Some(404 | 410), _) => format!("{status}: by the server, no such page was there"),
            (Some(300..=399), Some(location)) => format!("{status}: it led on to {location}"),
            _ => status,
        }
    }

    /// How the answer differs from the one before, where not only the words of a page do; `None` where both are pages.
    pub(crate) fn other_answer(&self, before: &Version) -> Option<String> {
        if self.is_page() && before.is_page() {
            return None;
        }
        let status = |version: &Version| version.status.map_or_else(|| "no status".to_owned(), status_words);
        Some(match (&before.location, &self.location) {
            _ if before.status != self.status => {
                format!("it answered {}, before {}", status(self), status(before))
            }
            (Some(old), Some(new)) if old != new => format!("it led on to {new}, before to {old}"),
            _ => format!("it answered {} again; whether in the same way is unknown", status(self)),
        })
    }
}

/// The timeline of a page, with a strip of `columns` columns; `None` for a page whose captures all failed.
pub(crate) fn timeline(
    url: &str,
    table: &Table,
    versions: &Versions,
    rows: &[Row],
    columns: usize,
) -> Option<Timeline> {
    let captured = captured_in_order(versions);
    let (first, last) = (captured.first()?.0, captured.last()?.0);
    // At least a microsecond for each column.
    let length = (last.0.saturating_sub(first.0)).max(columns as i64);
    let over = Interval { from: first, to: first.plus(length) };
    let name =
        |version: Option<u32>| version.map_or_else(|| "*".to_owned(), |number| letters(number as usize));
    // A column has room for one letter.
    let letter = |version: Option<u32>| match name(version).as_bytes() {
        [letter] => char::from(*letter),
        _ => '*',
    };
    let standings = Standings::of(table, versions, rows);
    let segments = standings.segments();
    let edges = Edges { over, columns };
    let mut strip = String::with_capacity(columns);
    for column in 0..columns {
        let Interval { from, to } = edges.column(column);
        strip.push(if let Some(look) = captured_within(&captured, Interval { from, to }) {
            let run = versions.runs.partition_point(|run| run.looks.end <= look);
            versions.runs.get(run).map_or('*', |run| letter(run.version))
        } else {
            let begin = segments.partition_point(|segment| segment.from <= from).saturating_sub(1);
            let inside = segments[begin..].iter().take_while(|segment| segment.from <= to);
            match inside.map(|segment| segment.standing.state).max() {
                Some(State::Proven) => '=',
                Some(State::Claimed) => '-',
                Some(State::ChangedNearby) => '.',
                Some(State::Undecided) => '?',
                _ => ' ',
            }
        });
    }
    // A 304 has the status of what it confirms.
    let shown = |run: &Run| {
        let mut rows = run.looks.clone().map(|look| &rows[versions.looks[look].row]);
        rows.find(|row| !row.not_modified).copied()
    };
    let version = |run: &Run| Version {
        // One that confirms nothing is all that the version is.
        status: shown(run).map_or(Some(304), |row| row.status),
        location: shown(run).and_then(|row| row.location).map(|id| table.text(id).to_owned()),
        name: name(run.version),
        looks: run.looks.len(),
        first: versions.looks[versions.ends(run).0].captured,
        last: versions.looks[versions.ends(run).1].captured,
        proven: run.proven,
        grade: run.grade,
        claimed: run.claimed,
        outer: run.outer,
        next_differs: run.link.map(|link| matches!(link, Link::Different(_))),
        records: Vec::new(),
        change: None,
    };
    Some(Timeline {
        url: url.to_owned(),
        over,
        last,
        strip,
        versions: versions.runs.iter().map(version).collect(),
        failed: versions.failed,
        contradicted: versions.contradicted.len(),
        phrases: Vec::new(),
        canon: None,
        doubts: Vec::new(),
        assumed: Vec::new(),
    })
}

impl Timeline {
    /// Adds the phrases, with what every version says about them.
    pub(crate) fn add_phrases(&mut self, versions: &Versions, phrases: &[String], outcomes: &[Outcome]) {
        for (place, phrase) in phrases.iter().enumerate() {
            let found: Vec<Result<bool, String>> =
                outcomes.iter().map(|outcome| holds(outcome, place)).collect();
            let mut sightings = Sightings::default();
            for (run, found) in versions.runs.iter().zip(&found) {
                if *found == Ok(true) {
                    sightings.add(versions, run);
                }
            }
            let captured = captured_in_order(versions);
            let edge = Edges { over: self.over, columns: self.strip.chars().count() };
            let mark = |column: usize| {
                let over = edge.column(column);
                let proven = versions.runs.iter().position(|run| {
                    run.proven.is_some_and(|proven| proven.from <= over.from && over.to <= proven.to)
                });
                let captured = captured_within(&captured, over);
                let run = |look: usize| versions.runs.partition_point(|run| run.looks.end <= look);
                match (proven.map(|run| &found[run]), captured.map(|look| &found[run(look)])) {
                    (Some(Ok(true)), _) => '#',
                    (Some(Ok(false)), _) => '_',
                    (None, Some(Ok(true))) => '+',
                    (None, Some(Ok(false))) => 'o',
                    (_, Some(Err(_))) => '?',
                    _ => ' ',
                }
            };
            let strip = (0..edge.columns).map(mark).collect();
            self.phrases.push(PhraseLine {
                phrase: phrase.clone(),
                strip,
                when: sightings.when(),
                versions: found,
            });
        }
    }
}

/// When each capture was made, in that order, and its place among all of them.
fn captured_in_order(versions: &Versions) -> Vec<(Instant, usize)> {
    let mut captured: Vec<(Instant, usize)> =
        versions.looks.iter().map(|look| look.captured).zip(0..).collect();
    captured.sort_unstable();
    captured
}

/// The first capture within a stretch of time.
fn captured_within(captured: &[(Instant, usize)], over: Interval) -> Option<usize> {
    let first = captured.partition_point(|(time, _)| *time < over.from);
    captured.get(first).filter(|(time, _)| *time <= over.to).map(|(_, look)| *look)
}

/// A stretch of time in equal columns.
struct Edges {
    over: Interval,
    columns: usize,
}

impl Edges {
    fn column(&self, column: usize) -> Interval {
        let length = i128::from(self.over.to.0) - i128::from(self.over.from.0);
        let edge = |column: usize| {
            let share = length * column as i128 / self.columns.max(1) as i128;
            self.over.from.plus(i64::try_from(share).unwrap_or(i64::MAX))
        };
        let to = if column + 1 >= self.columns { self.over.to } else { edge(column + 1).plus(-1) };
        Interval { from: edge(column), to }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{Look, look};
    use crate::change::evidence::{Compare, Judge};

    #[test]
    fn the_strip_shows_captures_and_what_lies_between() {
        let page = |minute: u32| look("http://a.example/", &format!("2024-01-01T00:{minute:02}:00Z"));
        let looks = [
            page(0).body(1),
            page(10).body(1),
            page(20).body(2),
            page(30).body(1),
            page(40),
            page(50).body(3).last_modified("2024-01-01T00:45:00Z"),
        ];
        let table = Table::of(&looks.map(Look::build));
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let versions = Versions::of(&judge, table.rows());
        let line = timeline("http://a.example/", &table, &versions, table.rows(), 25).unwrap();
        assert_eq!(line.strip, "A====A....B....A????*??-C");
        assert_eq!(line.versions.len(), 5);
        let nothing = Versions::of(&judge, &[]);
        assert_eq!(timeline("x", &table, &nothing, &[], 25), None);
        let once = Versions::of(&judge, &table.rows()[..1]);
        assert_eq!(timeline("x", &table, &once, table.rows(), 3).unwrap().strip, "A  ");
    }
}
