//! The answer in words that a judge reads: yes, no, or the archive does not settle this; then what it rests on.
//!
//! No sentence claims more than the records show: the archive shows, the server answered, the server stated.

use crate::at::clock_words::{One, against};
use crate::at::damage::HEAD_STATES;
use crate::at::date::AskedDate;
use crate::at::facts::{CLOCK_TOLERANCE, Facts};
use crate::at::labels::named;
use crate::at::many_words;
use crate::at::model::{At, Contradiction, Part, SiteVerdict, UnusedCapture, Witness};
use crate::at::record_words::capital;
use crate::at::words::status_words;
use crate::capture::response_date::contradicts_age;
use crate::change::at::State;
use crate::format::count;
use crate::problem::Level;
use crate::time::{Instant, SECOND};

/// How many findings about records stand in the answer itself.
const TOLD: usize = 3;
const NOT_SETTLED: &str = "The archive does not settle this.";

pub(super) fn answer(at: &At, facts: &Facts, date: &AskedDate) -> String {
    let mut answer = match at.pages.only() {
        Some(page) => One { page, date }.answer(at),
        None => many_words::answer(at, facts, date),
    };
    if at.pages.len() > 1 && facts.contradicted > 0 {
        answer += &format!(
            " Records of {} contradict each other (listed below).",
            count(facts.contradicted, "page")
        );
    }
    let errors = unread(at);
    if errors > 0 {
        answer += &format!(
            " Part of the inputs could not be read ({}); other records of {} may have been there.",
            count(errors, "error"),
            if at.pages.len() == 1 { "the address" } else { "these pages" }
        );
    }
    answer
}

/// How many parts of the inputs could not be read.
fn unread(at: &At) -> u64 {
    at.problems.iter().filter(|problem| problem.level == Level::Error).map(|problem| problem.count).sum()
}

impl One<'_> {
    fn answer(&self, at: &At) -> String {
        let page = self.page;
        let before = named(page, page.before.as_ref());
        let after = named(page, page.after.as_ref());
        let is_settled = |part: &Part| part.verdict != SiteVerdict::NotProvable;
        let mut answer = match at.verdict {
            SiteVerdict::Coherent => self.proven(before, after, unread(at) > 0),
            _ if at.parts.len() > 1 && at.parts.iter().any(is_settled) => self.in_parts(at, after),
            SiteVerdict::NotCoherent => self.late(after),
            SiteVerdict::NotProvable => self.open(at, before, after),
        };
        if !page.shown.is_empty() {
            answer += &self.remarks(at.verdict == SiteVerdict::Coherent);
        }
        answer + &self.damage()
    }

    /// What speaks against the proofs: clocks, records that were not counted, contradictions.
    fn remarks(&self, is_whole: bool) -> String {
        let page = self.page;
        let mut words = String::new();
        for part in &page.shown {
            let (before, after) = (named(page, part.before.as_ref()), named(page, part.after.as_ref()));
            words += &against(self, before, after, (!is_whole).then_some(part));
            let (Some(before), Some(after)) = (before, after) else { continue };
            let is_between = |one: &&UnusedCapture| before.date <= one.captured && one.captured <= after.date;
            for unused in page.unused.iter().filter(is_between) {
                words += &format!(
                    " A record {} ({}) shows no version of the page and was not counted: {}.",
                    if is_whole { "between them" } else { "in that part" },
                    self.time(unused.captured),
                    unused.reason
                );
            }
        }
        let is_relied_on = |found: &&Contradiction| {
            let place = (&found.file, found.offset);
            page.witnesses.iter().any(|record| (&record.file, record.offset) == place)
        };
        match page.contradictions.iter().find(is_relied_on) {
            Some(found) => words += &format!(" {}.", capital(&self.contradiction(found))),
            None if page.contradictions.is_empty() => {}
            None => words += " Records of the address at other times contradict each other (listed below).",
        }
        words
    }

    /// What is wrong with the records, though they were read; and what was not used because its date is unknown.
    fn damage(&self) -> String {
        let page = self.page;
        let mut words = String::new();
        let (told, more) = page.damage.split_at(page.damage.len().min(TOLD));
        for found in told {
            words += &format!(" {}.", capital(&self.contradiction(found)));
        }
        if !more.is_empty() {
            words += &format!(" So it is with {} more (listed below).", count(more.len() as u64, "record"));
        }
        if page.undated > 0 {
            let (number, is) =
                (count(page.undated, "record"), if page.undated == 1 { "has" } else { "have" });
            words += &format!(
                " {number} of the address {is} no date that can be read, and may belong to that {}.",
                self.date.noun
            );
        }
        if let Some(sign) = &page.reads_as_error {
            words +=
                &format!(" Though the server answered 200 OK, the content reads like an error page: {sign}.");
        }
        words
    }

    /// The same content before and after.
    fn proven(&self, before: Option<&Witness>, after: Option<&Witness>, is_unread: bool) -> String {
        let noun = self.date.noun;
        let (Some(before), Some(after)) = (before, after) else {
            return format!("Yes. The archive shows the content {}.", self.date.words);
        };
        let around =
            format!("before ({}) and after ({}) that {noun}", self.time(before.date), self.time(after.date));
        let shown = self.page.shown.first();
        match shown.and_then(|part| part.status) {
            Some(status @ (404 | 410)) => {
                format!(
                    "The address answered {} {around}: by the server, no such page was there.",
                    status_words(status)
                )
            }
            Some(status @ 300..=399) => {
                let target = shown.and_then(|part| part.location.as_deref()).unwrap_or("another address");
                format!("The address answered {} {around}: it led on to {target}.", status_words(status))
            }
            Some(status @ 400..) => format!("The address answered {} {around}.", status_words(status)),
            _ => {
                let is_all = self.page.unused.is_empty() && !is_unread;
                let other = format!(
                    "{}{}",
                    if is_all { "nothing else" } else { "no other version" },
                    match (is_unread, self.page.undated > 0) {
                        (true, true) => " that could be read and has a date",
                        (true, false) => " that could be read",
                        (false, true) => " that has a date",
                        (false, false) => "",
                    }
                );
                format!("Yes. The archive shows the same content {around}, and {other} between them.")
            }
        }
    }

    /// Nothing was captured before, and Last-Modified says that the first version is newer.
    fn late(&self, after: Option<&Witness>) -> String {
        let noun = self.date.noun;
        let is_before = |unused: &&UnusedCapture| unused.captured < self.date.span.from;
        let aside = self.page.unused.iter().rfind(is_before).map_or_else(String::new, |unused| {
            format!(
                " A record before that {noun} ({}) shows no version of the page and was not counted: {}.",
                self.time(unused.captured),
                unused.reason
            )
        });
        format!(
            "No. The record nearest that {noun} ({}) holds a version that, by the server's own Last-Modified, was last changed \
             later than that {noun}, at {}. What was there {} the archive does not show.{aside}",
            after.map_or_else(|| "unknown".to_owned(), |record| self.time(record.date)),
            self.page.began_after.map_or_else(|| "an unknown time".to_owned(), |began| self.time(began)),
            self.date.words
        )
    }

    /// Why a record after the date may have been made before it.
    fn cached(&self, record: &Witness) -> String {
        let (noun, captured) = (self.date.noun, self.time(record.date));
        let ended = if noun == "time" { "" } else { " ended" };
        let Some(age) = record.age.filter(|age| *age > 0) else {
            let is_near = |one: Instant, other: Instant| {
                one.0.abs_diff(other.0) <= (CLOCK_TOLERANCE * SECOND).unsigned_abs()
            };
            let why = match record.made_since.zip(record.http_date) {
                Some((since, date)) if date <= since => {
                    format!(": by its Date, the server made it at {}, before", self.time(date))
                }
                Some((since, date)) if record.age.is_none() && is_near(since, date) => {
                    format!(": it has the Date of the record of {}, before", self.time(since))
                }
                Some((since, _)) if record.age.is_none() => format!(
                    ": by its Date and by how fast the clock was for another record, the server made it at {}, before",
                    self.time(since)
                ),
                _ => ", and the server may have made it before".to_owned(),
            };
            return format!(
                "The record after that {noun} ({captured}) may have come from a cache{why} that {noun}{ended}."
            );
        };
        let stated = self.time(record.date.plus(-i64::from(age) * SECOND));
        let doubtful = |date: &Instant| contradicts_age(record.date, record.date_end, age, *date);
        match record.http_date.filter(doubtful) {
            Some(date) => format!(
                "The record after that {noun} ({captured}) came from a cache, and its dates contradict each other: by its Age, the \
                 server made it at {stated}, by its Date at {}. So it may have been made before that {noun}{ended}.",
                self.time(date)
            ),
            None => format!(
                "The record after that {noun} ({captured}) came from a cache: by its Age, the server made it at {stated}, before that \
                 {noun}{ended}."
            ),
        }
    }

    /// What a record is contradicted by, as a clause that names the record.
    pub(super) fn contradiction(&self, found: &Contradiction) -> String {
        clause(found, &self.time(found.captured))
    }

    /// The archive does not settle it: why.
    fn open(&self, at: &At, before: Option<&Witness>, after: Option<&Witness>) -> String {
        let (page, noun) = (self.page, self.date.noun);
        if let Some(refused) = self.refused().filter(|_| page.within == 0) {
            return refused;
        }
        if let Some(first) = page.contradictions.first() {
            let more = match page.contradictions.len() {
                1 => String::new(),
                2 => " So does another record (listed below).".to_owned(),
                more => format!(" So do {} other records (listed below).", more - 1),
            };
            let who = match first.words.starts_with(HEAD_STATES) {
                true => "A record contradicts itself",
                false => "Records contradict each other",
            };
            return format!(
                "{NOT_SETTLED} {who}: {} (listed below). It was not relied on.{more}",
                self.contradiction(first)
            );
        }
        let times = |one: &Witness, other: &Witness| {
            format!("before ({}) and after ({})", self.time(one.date), self.time(other.date))
        };
        let is_earlier = |record: &&Witness| record.made_since.is_some_and(|since| since < self.date.span.to);
        let cached = after.filter(is_earlier);
        let why = match (page.state, before, after) {
            _ if page.within > 0 && cached.is_none() => self.within(),
            (State::ChangedNearby, Some(one), Some(other)) if page.not_comparable.is_some() => {
                self.not_comparable(one, other)
            }
            (State::ChangedNearby, Some(one), Some(other)) if page.began_after.is_some() => format!(
                "The record after that {noun} ({}) holds a version that, by the server's own Last-Modified, was last changed later \
                 than that {noun}, at {}. Whether what was there before ({}) still was the archive does not show.",
                self.time(other.date),
                page.began_after.map_or_else(|| "an unknown time".to_owned(), |began| self.time(began)),
                self.time(one.date)
            ),
            (State::ChangedNearby, Some(one), Some(other))
                if leads(one).is_some() && leads(one) != leads(other) && leads(other).is_some() =>
            {
                format!(
                    "The address led on to {} before ({}) and to {} after ({}). Which of the two, or a third, held {} is not shown.",
                    leads(one).unwrap_or_default(),
                    self.time(one.date),
                    leads(other).unwrap_or_default(),
                    self.time(other.date),
                    self.date.words
                )
            }
            (State::Undecided, _, Some(record)) if cached.is_some() => self.cached(record),
            (State::ChangedNearby, Some(one), Some(other)) if is_state(one) != is_state(other) => format!(
                "The address answered {} before ({}) and {} after ({}). Which of the two, or a third, held {} is not shown.",
                one.status.map_or_else(|| "without a status".to_owned(), status_words),
                self.time(one.date),
                other.status.map_or_else(|| "without a status".to_owned(), status_words),
                self.time(other.date),
                self.date.words
            ),
            (State::ChangedNearby, Some(one), Some(other)) if page.same_text => format!(
                "The records {} differ in their markup only: the text that a reader sees is the same in both. One of the two versions, or \
                 a third, was there {}.",
                times(one, other),
                self.date.words
            ),
            (State::ChangedNearby, Some(one), Some(other)) => format!(
                "The records {} differ. One of the two versions, or a third, was there {}.",
                times(one, other),
                self.date.words
            ),
            (State::Undecided, Some(one), Some(other)) => self.not_comparable(one, other),
            (State::Claimed, before, Some(record)) => match (page.claimed_since, before) {
                (Some(modified), _) => format!(
                    "By the server's own Last-Modified ({}), the version captured later ({}) was already there; no two records \
                     prove it for that {noun}.",
                    self.time(modified),
                    self.time(record.date)
                ),
                (_, Some(one)) => format!(
                    "The records {} may show the same content, but they do not prove it for that {noun}: {}.",
                    times(one, record),
                    page.not_comparable.as_deref().unwrap_or("no evidence is strong enough")
                ),
                (_, None) => format!(
                    "There are signs that the version captured later ({}) was already there, but no two records prove it for that \
                     {noun}.",
                    self.time(record.date)
                ),
            },
            (State::Unseen, None, Some(record)) => format!(
                "It holds no usable record of the address before that {noun}; the first one after it is of {}.",
                self.time(record.date)
            ),
            (State::Unseen, Some(record), None) => format!(
                "It holds no usable record of the address after that {noun}; the last one before it is of {}.",
                self.time(record.date)
            ),
            (State::Missing, ..) if page.failed > 0 => {
                let unused = page.unused.iter().find(|unused| unused.method.is_none());
                let reason = unused.map_or("they failed", |unused| unused.reason.as_str());
                match page.failed {
                    1 => format!("Its only record of the address does not show the page: {reason}."),
                    failed => {
                        format!(
                            "None of its {} of the address shows the page: {reason}.",
                            count(failed, "record")
                        )
                    }
                }
            }
            (State::Missing, ..) if at.left_out.other_methods + at.left_out.undated > 0 => {
                "It holds no record of the address that has a date and is of a GET request.".to_owned()
            }
            (State::Missing, ..) => "It holds no record of the address.".to_owned(),
            _ => format!("No records before and after that {noun} show the same content."),
        };
        let cut = page.unused.iter().find(|_| page.state != State::Missing);
        let cut = cut.map_or_else(String::new, |unused| {
            format!(" A nearer record ({}) was not used: {}.", self.time(unused.captured), unused.reason)
        });
        format!("{NOT_SETTLED} {why}{cut}")
    }

    /// Two records do not show whether the content was the same.
    fn not_comparable(&self, before: &Witness, after: &Witness) -> String {
        format!(
            "The records before ({}) and after ({}) do not show whether the same content was there {}: {}.",
            self.time(before.date),
            self.time(after.date),
            self.date.words,
            self.page.not_comparable.as_deref().unwrap_or("they cannot be compared")
        )
    }

    /// The server answered with an error on both sides.
    fn refused(&self) -> Option<String> {
        let span = self.date.span;
        let is_error = |unused: &&UnusedCapture| {
            unused.method.is_none() && unused.status.is_some_and(|status| status >= 400)
        };
        let errors = || self.page.unused.iter().filter(is_error);
        let before = errors().rfind(|unused| unused.captured <= span.from);
        let after = errors().find(|unused| unused.captured >= span.to);
        let describe = |unused: &UnusedCapture, side: &str| {
            let status = unused.status.map(status_words).unwrap_or_default();
            format!("{status} {side} ({})", self.time(unused.captured))
        };
        let answered = match (before, after) {
            (Some(one), Some(other)) if one.status == other.status => {
                format!("{} and after ({})", describe(one, "before"), self.time(other.captured))
            }
            (Some(one), Some(other)) => {
                format!("{} and {}", describe(one, "before"), describe(other, "after"))
            }
            _ => return None,
        };
        Some(format!(
            "The address answered {answered} that {}; the archive does not settle what others were shown.",
            self.date.noun
        ))
    }
}

/// What is found about a record, as a clause that names the record by its time.
pub(super) fn clause(found: &Contradiction, time: &str) -> String {
    let record = format!("the record of {time}");
    let words = found.words.as_str();
    if let Some(says) = words.strip_prefix("it ") {
        return format!("{record} {says}");
    }
    match words.strip_prefix("its ").and_then(|words| words.split_once(' ')) {
        Some((part, says)) => format!("the {part} of {record} {says}"),
        None => format!("beside {record}, {words}"),
    }
}

/// Where a redirect leads.
fn leads(record: &Witness) -> Option<&str> {
    record.location.as_deref().filter(|_| matches!(record.status, Some(300..=303 | 305..=399)))
}

/// The status of a record that is not a version of a page: there was none, or it was elsewhere.
fn is_state(record: &Witness) -> Option<u16> {
    record.status.filter(|status| *status >= 300 && *status != 304)
}
