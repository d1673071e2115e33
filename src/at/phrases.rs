//! Which pages are proven to hold a phrase at a date, and which are proven not to.
//!
//! A page *holds* a phrase at a date when it is proven there and the text of the version that is proven has the phrase;
//! it *lacks* it when that text surely has not ([`crate::html::phrase`]). Everything else is unprovable, with the
//! reason. Every version of every page is searched, so that the first and last instants are those of the whole archive.
//!
//! Cost: the bodies of all versions of the selected pages are read once more.

use crate::at::model::{PageAt, Role, Stretch};
use crate::at::page::{Decided, Ground, Selected};
use crate::at::phrase_model::{NearAt, PhraseAt, PhrasePage, QuoteAt, Sighting, UnprovablePage};
use crate::at::phrase_words;
use crate::at::words::status_words;
use crate::audit::bodies::Bodies;
use crate::capture::page::{is_html, is_xhtml};
use crate::capture::table::{Row, Table};
use crate::change::at::State;
use crate::change::run::{Run, Versions};
use crate::error::{Error, Result};
use crate::html::phrase::{Found, How, Phrases, fault};
use crate::html::quote::{Near, Quote};
use crate::time::{Instant, Interval};

/// What one version says about all phrases; or why it says nothing.
pub(crate) type Outcome = std::result::Result<Vec<Found>, String>;

/// Looks for phrases in bodies.
pub(crate) struct Searcher<'a> {
    table: &'a Table,
    bodies: Option<&'a Bodies>,
    phrases: Phrases,
    raw: bool,
}

/// Phrases that can be looked for.
///
/// # Errors
/// When one of them cannot.
pub(crate) fn check(phrases: &[String]) -> Result<()> {
    let wrong = phrases.iter().find_map(|phrase| fault(phrase).map(|fault| (phrase, fault)));
    wrong.map_or(Ok(()), |(phrase, fault)| {
        let shown: String = phrase.chars().take(60).collect();
        Err(Error::usage(format!("{shown:?} cannot be looked for")).with_remedy(fault))
    })
}

impl<'a> Searcher<'a> {
    /// Looks for these phrases, in visible texts or in the raw bytes.
    ///
    /// # Errors
    /// When a phrase cannot be looked for.
    pub(crate) fn new(
        table: &'a Table,
        bodies: Option<&'a Bodies>,
        phrases: &[String],
        raw: bool,
    ) -> Result<Self> {
        check(phrases)?;
        Ok(Searcher { table, bodies, phrases: Phrases::new(phrases), raw })
    }

    /// What the version says that a record holds.
    pub(crate) fn search(&self, holder: &Row) -> Outcome {
        let how = self.how(holder)?;
        let body = self.bodies.ok_or("bodies were not read")?.fetch(self.table, holder)?;
        Ok(self.phrases.search(&body.bytes, body.content_type.as_deref().map(str::as_bytes), how))
    }

    /// One of the phrases in its place in the body that a record holds.
    fn quote(&self, holder: &Row, phrase: usize) -> Option<Quote> {
        let (how, body) = (self.how(holder).ok()?, self.bodies?.fetch(self.table, holder).ok()?);
        self.phrases.quote(phrase, &body.bytes, body.content_type.as_deref().map(str::as_bytes), how)
    }

    /// The words nearest to one of the phrases in the body that a record holds.
    fn nearest(&self, holder: &Row, phrase: usize) -> Option<Near> {
        let (how, body) = (self.how(holder).ok()?, self.bodies?.fetch(self.table, holder).ok()?);
        self.phrases.nearest(phrase, &body.bytes, body.content_type.as_deref().map(str::as_bytes), how)
    }

    /// How the body of a record is searched, or why it cannot be.
    fn how(&self, holder: &Row) -> std::result::Result<How, String> {
        if matches!(holder.status, Some(300..=303 | 305..=399)) {
            return Err("its address only led on to another one".to_owned());
        }
        let mime = holder.mime.map(|mime| self.table.text(mime));
        Ok(match mime {
            _ if self.raw => How::Bytes,
            Some(mime) if is_xhtml(mime) => How::Xhtml,
            Some(mime) if is_html(mime) => How::Html,
            Some(mime) if is_plain(mime) => How::Text,
            // What kind it is said to be is quoted only where it is harmless.
            Some(mime) if mime.len() < 60 && mime.bytes().all(|byte| byte.is_ascii_graphic()) => {
                return Err(format!("it is {mime}, not a text that is shown as it stands"));
            }
            Some(_) => return Err("it is not a text that is shown as it stands".to_owned()),
            None => return Err("it does not say what kind of document it is".to_owned()),
        })
    }
}

/// Texts that are shown as they are. Of other kinds of text programs make something, or nothing that is shown.
fn is_plain(mime: &str) -> bool {
    const PLAIN: [&str; 5] =
        ["text/plain", "text/markdown", "text/x-markdown", "text/csv", "text/tab-separated-values"];
    let mime = mime.split(';').next().unwrap_or(mime).trim();
    PLAIN.iter().any(|plain| mime.eq_ignore_ascii_case(plain))
}

/// Whether the outcome of a version has one of the phrases; or why that cannot be determined.
pub(crate) fn holds(outcome: &Outcome, phrase: usize) -> std::result::Result<bool, String> {
    match outcome.as_ref().map_err(Clone::clone)?.get(phrase) {
        Some(Found::Present) => Ok(true),
        Some(Found::Absent) => Ok(false),
        Some(Found::Doubtful(reason)) => Err((*reason).to_owned()),
        None => Err("it was not searched".to_owned()),
    }
}

/// When the runs of a page that hold a phrase are proven, and which of their captures show it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sightings {
    pub proven: Vec<Interval>,
    /// How many captures show it.
    pub captures: u64,
    /// From the first to the last of them.
    pub over: Option<Interval>,
}

impl Sightings {
    /// Adds a run that holds the phrase.
    pub(crate) fn add(&mut self, versions: &Versions, run: &Run) {
        self.proven.extend(run.proven);
        self.captures += run.looks.len() as u64;
        let (first, last) = versions.ends(run);
        let (first, last) = (versions.looks[first].captured, versions.looks[last].captured);
        let over = self.over.get_or_insert(Interval { from: first, to: last });
        *over = Interval { from: over.from.min(first), to: over.to.max(last) };
    }

    /// All instants at which it is proven, as disjoint stretches.
    pub(crate) fn when(&mut self) -> Vec<Stretch> {
        self.proven.sort_unstable_by_key(|interval| (interval.from, interval.to));
        let mut when: Vec<Stretch> = Vec::new();
        for interval in &self.proven {
            match when.last_mut() {
                Some(last) if interval.from <= last.to.plus(1) => last.to = last.to.max(interval.to),
                _ => when.push(Stretch { from: interval.from, to: interval.to }),
            }
        }
        when
    }
}

/// Gathers what is known of each phrase, page by page.
pub(super) struct PhraseTally<'a> {
    ground: &'a Ground<'a>,
    searcher: Searcher<'a>,
    phrases: Vec<(PhraseAt, Sightings)>,
}

impl<'a> PhraseTally<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, phrases: &[String], raw: bool) -> Result<Self> {
        let empty = |phrase: &String| PhraseAt {
            phrase: phrase.clone(),
            answer: String::new(),
            present: Vec::new(),
            absent: Vec::new(),
            unprovable: Vec::new(),
            first: None,
            last: None,
            when: Vec::new(),
            captures: 0,
            first_capture: None,
            last_capture: None,
            limits: Vec::new(),
            quotes: Vec::new(),
            nearly: Vec::new(),
        };
        Ok(PhraseTally {
            ground,
            searcher: Searcher::new(ground.table, ground.bodies, phrases, raw)?,
            phrases: phrases.iter().map(|phrase| (empty(phrase), Sightings::default())).collect(),
        })
    }

    /// The record that holds the text of a version. Words of an error message do not belong to the page, and what other evidence
    /// contradicts shows nothing.
    fn holder(&self, page: &Selected<'a>, run: &Run) -> std::result::Result<&'a Row, String> {
        let mut rows = run.looks.clone().map(|look| &page.rows[page.versions.looks[look].row]);
        if rows.clone().any(|row| row.contradicted_by.is_some()) {
            return Err("other evidence contradicts that capture".to_owned());
        }
        if let Some(status) = rows.find_map(|row| row.status.filter(|status| *status >= 400)) {
            return Err(match status {
                404 | 410 => {
                    format!("the server answered {}: by it, no such page was there", status_words(status))
                }
                _ => format!("the server answered {}, not with the page", status_words(status)),
            });
        }
        self.ground.holders.of_run(page.rows, &page.versions, run)
    }

    /// Searches a page, and adds the records that were searched to its witnesses.
    pub(super) fn add(&mut self, page: &Selected<'a>, decided: &Decided, made: &mut PageAt) {
        let versions = &page.versions;
        let holders: Vec<std::result::Result<&Row, String>> =
            versions.runs.iter().map(|run| self.holder(page, run)).collect();
        let outcomes: Vec<Outcome> =
            holders.iter().map(|row| self.searcher.search(row.as_ref().map_err(Clone::clone)?)).collect();
        let proven = decided.inside.iter().filter(|(_, segment)| segment.standing.state == State::Proven);
        let mut runs: Vec<usize> = proven.filter_map(|(_, segment)| segment.standing.run).collect();
        runs.dedup();
        for run in &runs {
            if let (Ok(row), Ok(_)) = (&holders[*run], &outcomes[*run]) {
                self.ground.add_witness(&mut made.witnesses, Role::Text, row);
            }
        }
        let body = |run: usize| {
            let body = holders[run].as_ref().ok()?.body?;
            self.ground.table.body(body).map(|body| body.to_string())
        };
        for (place, (at, sightings)) in self.phrases.iter_mut().enumerate() {
            for (run, outcome) in versions.runs.iter().zip(&outcomes) {
                if holds(outcome, place) == Ok(true) {
                    sightings.add(versions, run);
                }
            }
            let quoting = Quoting { page, decided, outcomes: &outcomes, holders: &holders, runs: &runs };
            let (quotes, nearly) = quoting.of(&self.searcher, self.ground, place, &made.url);
            for row in quotes.iter().map(|(row, _)| row).chain(nearly.iter().map(|(row, _)| row)) {
                self.ground.add_witness(&mut made.witnesses, Role::Text, row);
            }
            at.quotes.extend(
                quotes.into_iter().map(|(_, quote)| quote).take(QUOTED - at.quotes.len().min(QUOTED)),
            );
            at.nearly
                .extend(nearly.into_iter().map(|(_, near)| near).take(QUOTED - at.nearly.len().min(QUOTED)));
            match judge(page, decided, &outcomes, place) {
                Ok(present) => {
                    let proven = runs.iter().filter_map(|run| versions.runs[*run].proven);
                    let around =
                        proven.reduce(|a, b| Interval { from: a.from.min(b.from), to: a.to.max(b.to) });
                    let around = around.unwrap_or(Interval { from: decided.part.from, to: decided.part.to });
                    let list = if present { &mut at.present } else { &mut at.absent };
                    list.push(PhrasePage {
                        url: made.url.clone(),
                        key: made.key.clone(),
                        proven: Stretch { from: around.from, to: around.to },
                        grade: made.grade,
                        body_blake3: runs.first().and_then(|run| body(*run)),
                    });
                }
                Err(unprovable) => at.unprovable.push(*unprovable),
            }
        }
    }

    /// All phrases; the words come later, when all else is known.
    pub(super) fn finish(self) -> Vec<PhraseAt> {
        let close = |(mut at, mut sightings): (PhraseAt, Sightings)| {
            at.when = sightings.when();
            at.first = at.when.first().map(|when| when.from);
            at.last = at.when.last().map(|when| when.to);
            at.captures = sightings.captures;
            at.first_capture = sightings.over.map(|over| over.from);
            at.last_capture = sightings.over.map(|over| over.to);
            at
        };
        self.phrases.into_iter().map(close).collect()
    }
}

/// The id of a record; empty where it has none.
fn id_of(table: &Table, row: &Row) -> String {
    row.record_id.map_or_else(String::new, |id| table.text(id).to_owned())
}

/// Maximum number of quotations of one phrase kept.
const QUOTED: usize = 200;
/// In how many versions of a page near misses are looked for, and how many are kept.
const NEAR_VERSIONS: usize = 20;
const NEAR_KEPT: usize = 3;

/// What is quoted from one page.
struct Quoting<'r, 'a> {
    page: &'r Selected<'a>,
    decided: &'r Decided,
    outcomes: &'r [Outcome],
    holders: &'r [std::result::Result<&'a Row, String>],
    /// The versions proven at the date.
    runs: &'r [usize],
}

/// Quotations and near misses, with the records that hold them.
type Quoted<'a> = (Vec<(&'a Row, QuoteAt)>, Vec<(&'a Row, NearAt)>);

impl<'a> Quoting<'_, 'a> {
    fn of(&self, searcher: &Searcher<'_>, ground: &Ground<'_>, phrase: usize, url: &str) -> Quoted<'a> {
        let versions = &self.page.versions;
        let run_of = |look: usize| versions.runs.partition_point(|run| run.looks.end <= look);
        let around = [self.decided.looks.0, self.decided.looks.1];
        let mut first: Vec<usize> =
            around.into_iter().flatten().map(run_of).chain(self.runs.iter().copied()).collect();
        first.sort_unstable();
        first.dedup();
        let mut quotes = Vec::new();
        for run in first
            .iter()
            .copied()
            .filter(|run| self.outcomes.get(*run).map(|found| holds(found, phrase)) == Some(Ok(true)))
        {
            let Some(Ok(row)) = self.holders.get(run) else { continue };
            let Some(quote) = searcher.quote(row, phrase) else { continue };
            let looks = around.into_iter().flatten().filter(|look| run_of(*look) == run);
            let mut captured: Vec<Instant> = looks.map(|look| versions.looks[look].captured).collect();
            captured.dedup();
            let (file, offset) = (ground.table.text(row.file).to_owned(), row.offset);
            let Quote { byte, part, before, words, after } = quote;
            quotes.push((
                *row,
                QuoteAt {
                    url: url.to_owned(),
                    captured,
                    // Named by its label later.
                    record: id_of(ground.table, row),
                    file,
                    offset,
                    byte,
                    place: part.to_owned(),
                    before,
                    words,
                    after,
                },
            ));
        }
        // Near misses: first around the date, then in other versions.
        let others = (0..versions.runs.len()).filter(|run| !first.contains(run));
        let mut nearly: Vec<(usize, &'a Row, NearAt)> = Vec::new();
        for run in first.iter().copied().chain(others).take(NEAR_VERSIONS) {
            let (Some(outcome), Some(Ok(row))) = (self.outcomes.get(run), self.holders.get(run)) else {
                continue;
            };
            if outcome.is_err() || holds(outcome, phrase) == Ok(true) {
                continue;
            }
            let Some(near) = searcher.nearest(row, phrase) else { continue };
            let (file, offset) = (ground.table.text(row.file).to_owned(), row.offset);
            let captured = versions.looks[versions.runs[run].looks.start].captured;
            let Near { byte, words, differs, distance } = near;
            nearly.push((
                distance,
                *row,
                NearAt {
                    url: url.to_owned(),
                    captured,
                    // Named by its label later.
                    record: id_of(ground.table, row),
                    file,
                    offset,
                    byte,
                    words,
                    differs,
                },
            ));
        }
        nearly.sort_by_key(|(distance, _, near)| (*distance, near.captured));
        nearly.dedup_by(|later, one| later.2.words == one.2.words);
        nearly.truncate(NEAR_KEPT);
        (quotes, nearly.into_iter().map(|(_, row, near)| (row, near)).collect())
    }
}

/// Whether a page holds a phrase at every instant of the date, or at none; else why neither is proven.
fn judge(
    page: &Selected<'_>,
    decided: &Decided,
    outcomes: &[Outcome],
    phrase: usize,
) -> std::result::Result<bool, Box<UnprovablePage>> {
    let (mut has, mut lacks): (Vec<Stretch>, Vec<Stretch>) = (Vec::new(), Vec::new());
    let mut doubt = None;
    for (over, segment) in &decided.inside {
        let (State::Proven, Some(run)) = (segment.standing.state, segment.standing.run) else { continue };
        let list = match holds(&outcomes[run], phrase) {
            Ok(true) => &mut has,
            Ok(false) => &mut lacks,
            Err(reason) => {
                doubt.get_or_insert(reason);
                continue;
            }
        };
        match list.last_mut() {
            Some(last) if last.to.plus(1) == over.from => last.to = over.to,
            _ => list.push(Stretch { from: over.from, to: over.to }),
        }
    }
    let is_proven = decided.part.state == State::Proven;
    if is_proven && doubt.is_none() && (has.is_empty() || lacks.is_empty()) {
        return Ok(lacks.is_empty());
    }
    let versions = &page.versions;
    let sighting = |look: usize| {
        let run = versions.runs.partition_point(|run| run.looks.end <= look);
        let found = holds(&outcomes[run], phrase);
        Sighting { captured: versions.looks[look].captured, holds: found.clone().ok(), reason: found.err() }
    };
    let (before, after) = (decided.looks.0.map(sighting), decided.looks.1.map(sighting));
    let reason = match doubt {
        _ if !is_proven => {
            let partly =
                decided.inside.iter().any(|(_, segment)| segment.standing.state != decided.part.state);
            let why = phrase_words::unproven(
                decided.part.state,
                page.versions.failed,
                before.as_ref(),
                after.as_ref(),
            );
            if partly { format!("for a part of that time {why}") } else { why }
        }
        Some(doubt) => doubt,
        None => "it came or went within the time that was asked for".to_owned(),
    };
    Err(Box::new(UnprovablePage {
        url: page.url.clone(),
        key: page.key.clone(),
        state: decided.part.state,
        reason,
        before,
        after,
        holds: has,
        lacks,
    }))
}
