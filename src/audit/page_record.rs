//! Page records: all that the figures of a site need of one of its URLs, from the captures of that URL alone.
//!
//! The first half of every audit makes page records, the second half makes figures of them. So a site can be larger than
//! memory, and its pages can be divided among machines: the records of a site are enough for its figures. The fields of a
//! record are listed once, here.

use std::sync::Arc;

use crate::audit::bodies::Spot;
use crate::audit::changes::Change;
use crate::capture::Kind;
use crate::capture::bytes::{Reader, SharedNames, put_number};
use crate::capture::field::{Column, Field, Value, enum_field, json_serde, json_value};
use crate::capture::page::{is_html, is_html_answer};
use crate::capture::record::{is_marked, record};

use crate::change::assumption::{Assumption, Assumptions};
use crate::change::evidence::Grade;
use crate::change::poisson::Looks;
use crate::change::rate::Evidence;
use crate::change::run::{Link, Look, Outer, PageState, Run, Versions};
use crate::digest::{BodyDigest, Digest};
use crate::time::{Instant, Interval};

record! {
    flags u8;
    /// The record of an archive that holds a body.
    #[derive(Eq)]
    pub struct Place {
        /// The path of the archive.
        file: Arc<str>,
        /// Where the record starts in the archive.
        offset: u64,
        /// The length of the record there.
        length: Option<u64> [omit],
        /// `WARC-Record-ID`.
        record_id: Option<String> [omit],
    }
}

record! {
    flags u16;
    /// What a URL answered, once for all captures that were answered alike.
    pub struct Answer {
        /// The spelling of the URL, by its place in `urls`.
        url: u64,
        /// The code of the HTTP head.
        status: Option<u16> [omit],
        /// The media type.
        mime: Option<Arc<str>> [omit],
        /// What kind of record tells of it.
        kind: Kind,
        /// Whether it is a revisit, even if only an index says so.
        revisit: bool,
        /// Whether the server said that nothing changed.
        not_modified: bool,
        /// Whether it is a revisit whose original was not found.
        unresolved: bool,
        /// Whether it holds only a part of what the server sent; absent where nothing says so.
        cut: Option<bool> [omit],
        /// The target of a redirect, as the answer gives it.
        location: Option<String> [omit],
        /// Why it is taken for "not found", in words.
        soft404: Option<Arc<str>> [omit],
        /// BLAKE3 of the body.
        body: Option<BodyDigest> [omit],
        /// The declared digest, where the body is unknown.
        declared: Option<Digest> [omit],
        /// BLAKE3 of the visible text.
        text: Option<BodyDigest> [omit],
        /// The length of the body, of HTML that can be read again.
        body_length: Option<u64> [omit],
        /// Where the body of HTML can be read again.
        held: Option<Place> [omit],
    }
}

record! {
    flags u8;
    /// One capture in the window.
    #[derive(Eq)]
    pub struct Capture {
        /// When it began.
        time: Instant,
        /// When it ended at the latest, where that is not when it began.
        end: Option<Instant> [omit],
        /// When the answer was made at the earliest, where that is not when capture began.
        made: Option<Instant> [omit],
        /// The server's clock.
        http_date: Option<Instant> [omit],
        /// For how many seconds caches had kept the answer, by its Age.
        age: Option<u64> [omit],
        /// Its crawl, counted from 0.
        crawl: u64,
        /// What was answered, by its place in `answers`.
        answer: u64,
        /// Whether it shows a state of the page.
        shown: bool,
    }
}

record! {
    flags u16;
    /// A run: consecutive captures that show one version.
    #[derive(Eq)]
    pub struct RunRecord {
        /// How many captures it has, of those that show a state of the page.
        captures: u64,
        /// From when it is proven to have been online.
        proven_from: Option<Instant> [omit],
        /// Until when.
        proven_to: Option<Instant> [omit],
        /// The weakest grade of that proof.
        grade: Option<Grade> [omit],
        /// From when it is claimed to have been online.
        claimed_from: Option<Instant> [omit],
        /// Until when.
        claimed_to: Option<Instant> [omit],
        /// The accepted Last-Modified.
        last_modified: Option<Instant> [omit],
        /// The last capture before that is known to differ.
        outer_after: Option<Instant> [omit],
        /// The first capture behind that is known to differ.
        outer_before: Option<Instant> [omit],
        /// By which grade it is known to differ from the next run; absent where that is unknown, and of the last run.
        differs: Option<Grade> [omit],
        /// Runs with equal content have the same number.
        version: Option<u64> [omit],
    }
}

record! {
    flags u8;
    /// A Last-Modified that the captures contradict.
    #[derive(Eq)]
    pub struct Contradicted {
        /// The capture, by its place in `captures`.
        capture: u64,
        /// The date that is wrong.
        last_modified: Instant,
    }
}

record! {
    flags u8;
    /// How much a change matters.
    pub struct Measured {
        /// The run that it began.
        run: u64,
        /// Between 0 and 1, where it is known.
        importance: Option<f64> [omit],
        /// Why it is unknown.
        reason: Option<String> [omit],
    }
}

record! {
    flags u8;
    /// A time for which a page is proven to have been online.
    #[derive(Eq)]
    pub struct Stretch {
        /// The first instant that is proven.
        from: Instant,
        /// The last instant that is proven.
        to: Instant,
    }
}

record! {
    flags u32;
    /// What the figures of a site need of one of its URLs in one window.
    pub struct PageRecord {
        /// The canonical key.
        key: String,
        /// The site that the URL belongs to.
        site: Arc<str>,
        /// The spelling that was captured first, in the window or not.
        url: String,
        /// The first capture, in the window or not.
        since: Instant,
        /// Whether it is a page that is judged; what is not a page counts for findings only.
        is_page: bool,
        /// Its spellings, in the order of capture.
        urls: Vec<String>,
        /// What was answered.
        answers: Vec<Answer>,
        /// Its captures in the window, in time order.
        captures: Vec<Capture>,
        /// The runs of a page.
        runs: Vec<RunRecord>,
        /// What is known of the page.
        state: PageState,
        /// How many distinct versions were seen for certain.
        distinct: u64,
        /// Whether other evidence contradicts a capture.
        contradictory: bool,
        /// Each Last-Modified that the captures contradict.
        contradicted: Vec<Contradicted>,
        /// What the verdicts assume.
        assumptions: Vec<Assumption>,
        /// How many verdicts were made by bytes for want of texts.
        without_text: u64,
        /// What all captures and stamps say about its rate, in the window or not.
        told: Looks,
        /// What the captures alone say, where stamps say more.
        looks: Option<Looks> [omit],
        /// How much its changes matter, where that was measured.
        changes: Option<Vec<Measured>> [omit],
        /// Whether a page whose bytes changed is unchanged where only visible text counts; absent where that was not asked.
        text_unchanged: Option<bool> [omit],
        /// When a page whose bytes changed is proven to have been online where only visible text counts.
        text_online: Option<Vec<Stretch>> [omit],
    }
}

enum_field!(Grade, [Grade::Bytes, Grade::Digest, Grade::NotModified, Grade::Validator]);
enum_field!(PageState, [PageState::Sharp, PageState::Changed, PageState::Single, PageState::Unknown]);
enum_field!(Assumption, Assumption::ALL);

/// The evidence about a rate fills one column, with its JSON.
impl Field for Looks {
    fn encode(&self, out: &mut Vec<u8>, names: &mut SharedNames) {
        self.changed.encode(out, names);
        self.unchanged.encode(out, names);
        put_number(out, u64::from(self.unchanged_gaps));
        put_number(out, u64::from(self.pinned));
    }

    fn decode(reader: &mut Reader<'_>, names: &SharedNames) -> Option<Self> {
        Some(Looks {
            changed: Vec::decode(reader, names)?,
            unchanged: f64::decode(reader, names)?,
            unchanged_gaps: reader.number()?.try_into().ok()?,
            pinned: reader.number()?.try_into().ok()?,
        })
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        Vec::<f64>::skip(reader)?;
        f64::skip(reader)?;
        reader.number()?;
        reader.number().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_serde(line, self);
    }

    fn columns(name: &str, columns: &mut Vec<Column>) {
        String::columns(name, columns);
    }

    fn values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>)) {
        give(json_value(self));
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "object",
            "required": ["changed", "unchanged", "unchanged_gaps", "pinned"],
            "properties": {
                "changed": { "type": "array", "items": { "type": "number" } },
                "unchanged": { "type": "number" },
                "unchanged_gaps": { "type": "integer", "minimum": 0 },
                "pinned": { "type": "integer", "minimum": 0 }
            }
        })
    }
}

impl Place {
    /// The place of a body.
    pub(crate) fn of(spot: &Spot<'_>) -> Self {
        let Spot { file, offset, length, record_id, .. } = *spot;
        Place { file: file.into(), offset, length, record_id: record_id.map(str::to_owned) }
    }

    /// Where to read the body again.
    pub(crate) fn spot(&self, body: Option<BodyDigest>) -> Spot<'_> {
        let Place { file, offset, length, record_id } = self;
        let record_id = record_id.as_deref();
        Spot { file, offset: *offset, length: *length, record_id, declared: None, body }
    }
}

/// Whether an answer may have to be read again, to tell an error page by its content.
pub(super) fn is_read_again(answer: &Answer) -> bool {
    answer.body.is_some() && (answer.is_html_page() || answer.is_gone())
}

impl Measured {
    pub(super) fn of(change: Change) -> Self {
        let (importance, reason) = match change.importance {
            Ok(found) => (Some(found.importance), None),
            Err(reason) => (None, Some(reason)),
        };
        Measured { run: change.run as u64, importance, reason }
    }
}

impl Answer {
    /// Whether it shows that the URL is a page.
    pub(crate) fn is_html_page(&self) -> bool {
        is_html_answer(self.status, self.kind, self.mime.as_deref())
    }

    /// Whether it says that the page is gone, in HTML.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.status, Some(404 | 410)) && self.mime.as_deref().is_some_and(is_html)
    }
}

impl PageRecord {
    /// The name and the version of the records, as a file of them says.
    pub(crate) const SCHEMA: &str = "acuity.pages/1";

    /// Takes over what captures show of a page.
    pub(super) fn judge(&mut self, versions: &Versions) {
        for look in &versions.looks {
            if let Some(capture) = self.captures.get_mut(look.row) {
                capture.shown = true;
            }
        }
        let run = |run: &Run| RunRecord {
            captures: run.looks.len() as u64,
            proven_from: run.proven.map(|proven| proven.from),
            proven_to: run.proven.map(|proven| proven.to),
            grade: run.grade,
            claimed_from: run.claimed.map(|claimed| claimed.from),
            claimed_to: run.claimed.map(|claimed| claimed.to),
            last_modified: run.last_modified,
            outer_after: run.outer.after,
            outer_before: run.outer.before,
            differs: match run.link {
                Some(Link::Different(grade)) => Some(grade),
                _ => None,
            },
            version: run.version.map(u64::from),
        };
        self.runs = versions.runs.iter().map(run).collect();
        self.state = versions.state;
        self.distinct = u64::from(versions.distinct);
        self.contradictory = versions.contradictory;
        let contradicted = |(row, last_modified): &(usize, Instant)| Contradicted {
            capture: *row as u64,
            last_modified: *last_modified,
        };
        self.contradicted = versions.contradicted.iter().map(contradicted).collect();
        self.assumptions = versions.assumptions.list();
        self.without_text = versions.without_text as u64;
    }

    /// What the captures show, as it was when the record was made.
    pub(crate) fn versions(&self) -> Versions {
        let mut looks: Vec<Look> = (0..)
            .zip(&self.captures)
            .filter(|(_, capture)| capture.shown)
            .map(|(row, capture)| capture.look(row))
            .collect();
        looks.sort_by_key(|look| look.time);
        let mut start = 0usize;
        let mut runs: Vec<Run> = Vec::with_capacity(self.runs.len());
        for run in &self.runs {
            let end = start.saturating_add(run.captures as usize).min(looks.len());
            let between =
                |from: Option<Instant>, to: Option<Instant>| Some(Interval { from: from?, to: to? });
            // A file may list a run without captures: skip it.
            if end > start {
                runs.push(Run {
                    proven: between(run.proven_from, run.proven_to),
                    grade: run.grade,
                    claimed: between(run.claimed_from, run.claimed_to),
                    last_modified: run.last_modified,
                    outer: Outer { after: run.outer_after, before: run.outer_before },
                    is_parted: false,
                    link: Some(run.differs.map_or(Link::Unknown, Link::Different)),
                    version: run.version.and_then(|version| version.try_into().ok()),
                    ..Run::new(start..end)
                });
            }
            start = end;
        }
        if let Some(last) = runs.last_mut() {
            last.link = None;
        }
        let contradicted = |found: &Contradicted| (found.capture as usize, found.last_modified);
        Versions {
            failed: self.captures.len() - looks.len(),
            looks,
            runs,
            contradictory: self.contradictory,
            assumptions: Assumptions::of(&self.assumptions),
            contradicted: self.contradicted.iter().map(contradicted).collect(),
            distinct: u32::try_from(self.distinct).unwrap_or(u32::MAX),
            state: self.state,
            without_text: self.without_text as usize,
        }
    }

    /// What its captures say about its rate.
    pub(crate) fn evidence(&self, class: u32) -> Evidence {
        let told = self.told.clone();
        let looks = self.looks.clone().unwrap_or_else(|| told.clone());
        Evidence { told, looks, class, ..Evidence::default() }
    }

    /// Whether all places that it names are there: a file may say anything.
    pub(crate) fn is_sound(&self) -> bool {
        let shown = self.captures.iter().filter(|capture| capture.shown).count() as u64;
        let in_runs = self.runs.iter().try_fold(0u64, |sum, run| sum.checked_add(run.captures));
        !self.captures.is_empty()
            && self.captures.iter().all(|capture| (capture.answer as usize) < self.answers.len())
            && self.captures.is_sorted_by_key(|capture| capture.time)
            && self.answers.iter().all(|answer| (answer.url as usize) < self.urls.len())
            && self.runs.iter().all(|run| run.captures > 0)
            && in_runs == Some(if self.is_page { shown } else { 0 })
            && self.contradicted.iter().all(|found| (found.capture as usize) < self.captures.len())
            && self.changes.iter().flatten().all(|change| (change.run as usize) < self.runs.len())
    }

    /// What a capture was answered.
    pub(crate) fn answer(&self, capture: &Capture) -> &Answer {
        &self.answers[capture.answer as usize]
    }

    /// The spelling of the URL of an answer.
    pub(crate) fn spelling(&self, answer: &Answer) -> &str {
        &self.urls[answer.url as usize]
    }

    /// Appends the record as one line of JSON.
    pub(crate) fn json_line(&self, line: &mut Vec<u8>) {
        self.json(line);
        line.push(b'\n');
    }
}

impl Capture {
    /// When it ended at the latest.
    pub(crate) fn ended(&self) -> Instant {
        self.end.unwrap_or(self.time)
    }

    /// When the answer was made at the earliest.
    pub(crate) fn made(&self) -> Instant {
        self.made.unwrap_or(self.time)
    }

    fn look(&self, row: usize) -> Look {
        Look { row, time: self.made(), end: self.ended(), captured: self.time, is_bare: false }
    }
}
