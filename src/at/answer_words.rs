//! The answer in words that a judge reads: yes, no, or the archive does not settle this; then what it rests on.
//!
//! No sentence claims more than the records show: the archive shows, the server answered, the server stated.

use crate::at::clock_words::{One, against, relied_on};
use crate::at::date::{AskedDate, clock, clock_beside};
use crate::at::labels::named;
use crate::at::model::{At, Contradiction, PageAt, SiteVerdict, UnusedCapture, Witness};
use crate::at::words::status_words;
use crate::capture::Kind;
use crate::change::at::State;
use crate::change::evidence::Grade;
use crate::change::run::{contradicts_age, made};
use crate::format::count;
use crate::problem::Level;
use crate::time::{Instant, SECOND};

/// How many findings about records stand in the answer itself.
const TOLD: usize = 3;
const NOT_SETTLED: &str = "The archive does not settle this.";

pub(super) fn answer(at: &At, date: &AskedDate) -> String {
    let mut answer = match at.pages.as_slice() {
        [page] => One { page, date }.answer(at),
        _ => many(at, date),
    };
    let touched: Vec<&PageAt> = at.pages.iter().filter(|page| !page.contradictions.is_empty()).collect();
    if at.pages.len() > 1 && !touched.is_empty() {
        answer += &format!(
            " Records of {} contradict each other (listed below).",
            count(touched.len() as u64, "page")
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
        let mut answer = match at.verdict {
            SiteVerdict::Coherent => self.proven(before, after, unread(at) > 0),
            _ if at.parts.iter().any(|part| part.verdict == SiteVerdict::Coherent) => self.partly(at),
            SiteVerdict::NotCoherent => self.late(before, after),
            SiteVerdict::NotProvable => self.open(at, before, after),
        };
        if at.verdict == SiteVerdict::Coherent {
            answer += &against(self, before, after);
            for unused in &page.unused {
                answer += &format!(
                    " A record between them ({}) shows no version of the page and was not counted: {}.",
                    self.time(unused.captured),
                    unused.reason
                );
            }
            let is_relied_on = |found: &&Contradiction| {
                page.witnesses
                    .iter()
                    .any(|record| (&record.file, record.offset) == (&found.file, found.offset))
            };
            match page.contradictions.iter().find(is_relied_on) {
                Some(found) => answer += &format!(" {}.", capital(&self.contradiction(found))),
                None if page.contradictions.is_empty() => {}
                None => {
                    answer += " Records of the address at other times contradict each other (listed below).";
                }
            }
        }
        answer + &self.damage()
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
        match after.status.or(before.status) {
            Some(status @ (404 | 410)) => {
                format!(
                    "The address answered {} {around}: by the server, no such page was there.",
                    status_words(status)
                )
            }
            Some(status @ 300..=399) if status != 304 => {
                let target =
                    before.location.as_deref().or(after.location.as_deref()).unwrap_or("another address");
                format!("The address answered {} {around}: it led on to {target}.", status_words(status))
            }
            Some(status @ 400..) => format!("The address answered {} {around}.", status_words(status)),
            _ => {
                let other = match () {
                    () if is_unread => "no other version that could be read",
                    () if self.page.unused.is_empty() => "nothing else",
                    () => "no other version",
                };
                format!("Yes. The archive shows the same content {around}, and {other} between them.")
            }
        }
    }

    /// Last-Modified says that the nearest version is newer. Where another one was captured before, that may still have been
    /// there.
    fn late(&self, before: Option<&Witness>, after: Option<&Witness>) -> String {
        let noun = self.date.noun;
        let nearest = after.or(before).map(|record| self.time(record.date));
        let changed = self.page.began_after.map(|began| self.time(began));
        if let (Some(before), Some(_)) = (before, after) {
            return format!(
                "{NOT_SETTLED} The record after that {noun} ({}) holds a version that, by the server's own Last-Modified, was last \
                 changed later than that {noun}, at {}. Whether what was there before ({}) still was the archive does not show.",
                nearest.as_deref().unwrap_or("unknown"),
                changed.as_deref().unwrap_or("an unknown time"),
                self.time(before.date)
            );
        }
        format!(
            "No. The record nearest that {noun} ({}) holds a version that, by the server's own Last-Modified, was last changed \
             later than that {noun}, at {}. What was there {} the archive does not show.",
            nearest.as_deref().unwrap_or("unknown"),
            changed.as_deref().unwrap_or("an unknown time"),
            self.date.words
        )
    }

    /// A part of the period is proven.
    fn partly(&self, at: &At) -> String {
        let noun = self.date.noun;
        let spans: Vec<String> = at
            .parts
            .iter()
            .filter(|part| part.verdict == SiteVerdict::Coherent)
            .map(|part| {
                format!(
                    "from {} to {} UTC",
                    clock_beside(part.from, self.date.span),
                    clock_beside(part.to, self.date.span)
                )
            })
            .collect();
        let spans = match spans.as_slice() {
            [one] => one.clone(),
            [first, last] => format!("{first}, and {last}"),
            [first, .., last] => format!("{first}, and in {} more parts, the last {last}", spans.len() - 1),
            [] => String::new(),
        };
        let rest = match (noun, self.date.words.split_once(' ')) {
            ("day" | "month" | "year", Some((_, date))) => date.to_owned(),
            _ => format!("that {noun}"),
        };
        format!(
            "Yes, for part of that {noun}: {spans}. For the rest of {rest} the archive does not settle it."
        )
    }

    /// When the server made the response at the earliest: a cache may have kept it for its Age.
    fn made(&self, record: &Witness) -> Instant {
        made(record.date, record.date_end, record.age, record.http_date).0
    }

    /// Why a record after the date may have been made before it.
    fn cached(&self, record: &Witness) -> String {
        let (noun, captured) = (self.date.noun, self.time(record.date));
        let age = record.age.unwrap_or(0);
        let stated = self.time(record.date.plus(-i64::from(age) * SECOND));
        let doubtful = |date: &Instant| contradicts_age(record.date, record.date_end, age, *date);
        match record.http_date.filter(doubtful) {
            Some(date) => format!(
                "The record after that {noun} ({captured}) came from a cache, and its dates contradict each other: by its Age, the \
                 server made it at {stated}, by its Date at {}. So it may have been made before that {noun}{}.",
                self.time(date),
                if noun == "time" { "" } else { " ended" }
            ),
            None => format!(
                "The record after that {noun} ({captured}) came from a cache: by its Age, the server made it at {stated}, before that \
                 {noun}{}.",
                if noun == "time" { "" } else { " ended" }
            ),
        }
    }

    /// What a record is contradicted by, as a clause that names the record.
    fn contradiction(&self, found: &Contradiction) -> String {
        let record = format!("the record of {}", self.time(found.captured));
        let words = found.words.as_str();
        if let Some(says) = words.strip_prefix("it ") {
            return format!("{record} {says}");
        }
        match words.strip_prefix("its ").and_then(|words| words.split_once(' ')) {
            Some((part, says)) => format!("the {part} of {record} {says}"),
            None => format!("beside {record}, {words}"),
        }
    }

    /// The archive does not settle it: why.
    fn open(&self, at: &At, before: Option<&Witness>, after: Option<&Witness>) -> String {
        let (page, noun) = (self.page, self.date.noun);
        if let Some(refused) = self.refused() {
            return refused;
        }
        if let Some(first) = page.contradictions.first() {
            let more = match page.contradictions.len() {
                1 => String::new(),
                more => format!(" {} other records contradict each other, too.", more - 1),
            };
            return format!(
                "{NOT_SETTLED} Records contradict each other: {} (listed below). It was not relied on.{more}",
                self.contradiction(first)
            );
        }
        let times = |one: &Witness, other: &Witness| {
            format!("before ({}) and after ({})", self.time(one.date), self.time(other.date))
        };
        let is_kept = |record: &&Witness| self.made(record) < record.date;
        let cached = after.filter(is_kept).filter(|record| self.made(record) < self.date.span.to);
        let why = match (page.state, before, after) {
            (State::Undecided, _, Some(record)) if cached.is_some() => self.cached(record),
            (State::ChangedNearby, Some(one), Some(other)) if is_state(one) != is_state(other) => format!(
                "The address answered {} before ({}) and {} after ({}). Which of the two, or a third, held {} is not shown.",
                one.status.map_or_else(|| "without a status".to_owned(), status_words),
                self.time(one.date),
                other.status.map_or_else(|| "without a status".to_owned(), status_words),
                self.time(other.date),
                self.date.words
            ),
            (State::ChangedNearby, Some(one), Some(other)) => format!(
                "The records {} differ. One of the two versions, or a third, was there {}.",
                times(one, other),
                self.date.words
            ),
            (State::Undecided, Some(one), Some(other)) => {
                format!(
                    "The records {} cannot be compared: what they hold does not show whether it is the same.",
                    times(one, other)
                )
            }
            (State::Claimed, _, Some(record)) => format!(
                "There are signs that the version captured later ({}) was already there, such as dates that the server stated; no two \
                 records prove it for that {noun}.",
                self.time(record.date)
            ),
            (State::Unseen, None, Some(record)) => format!(
                "It holds no usable record of the address before that {noun}; the first one after it is of {}.",
                self.time(record.date)
            ),
            (State::Unseen, Some(record), None) => format!(
                "It holds no usable record of the address after that {noun}; the last one before it is of {}.",
                self.time(record.date)
            ),
            (State::Missing, ..) if page.failed > 0 => {
                let reason = page.unused.first().map_or("they failed", |unused| unused.reason.as_str());
                format!(
                    "None of its {} of the address shows the page: {reason}.",
                    count(page.failed, "record")
                )
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

    /// The server answered with an error on both sides.
    fn refused(&self) -> Option<String> {
        let span = self.date.span;
        let is_error = |unused: &&UnusedCapture| unused.status.is_some_and(|status| status >= 400);
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

/// The status of a record that is no version of a page: there was none, or it was elsewhere.
fn is_state(record: &Witness) -> Option<u16> {
    record.status.filter(|status| *status >= 300 && *status != 304)
}

/// Several pages.
fn many(at: &At, date: &AskedDate) -> String {
    let (counts, noun) = (&at.counts, date.noun);
    let mut answer = match at.verdict {
        SiteVerdict::Coherent => format!(
            "Yes. For all {} pages the archive shows the same content before and after that {noun}, and nothing else between.",
            counts.pages
        ),
        SiteVerdict::NotCoherent => format!(
            "No. For {} of {} pages the record nearest that {noun} holds a version that, by the server's own Last-Modified, was \
             last changed later than that {noun}.",
            counts.late, counts.pages
        ),
        SiteVerdict::NotProvable => format!(
            "The archive does not settle this for all pages: it shows the same content before and after that {noun} for {} of {}.",
            counts.proven, counts.pages
        ),
    };
    if at.parts.len() > 1 {
        let spans = at.parts.iter().filter(|part| part.verdict == SiteVerdict::Coherent);
        let spans: Vec<String> =
            spans.map(|part| format!("from {} to {} UTC", clock(part.from), clock(part.to))).collect();
        answer += &match spans.as_slice() {
            [] => format!(" There is no part of that {noun} for which it is settled for all pages."),
            [one] => format!(" For all pages it is settled for part of that {noun}: {one}."),
            [first, .., last] => format!(
                " For all pages it is settled for {} parts of that {noun}, the first {first}, the last {last}.",
                spans.len()
            ),
        };
    }
    answer
}

/// What the records relied on hold, for an answer about one page.
pub(super) fn because(at: &At, date: &AskedDate) -> Vec<String> {
    let [page] = at.pages.as_slice() else { return Vec::new() };
    let one = One { page, date };
    let records = relied_on(page);
    let shown = |place: usize| &records[..place];
    let mut because: Vec<String> =
        (0..).zip(&records).map(|(place, record)| holds(&one, record, shown(place))).collect();
    let doubts = page.contradictions.iter().chain(&page.damage);
    because.extend(doubts.map(|found| format!("{}.", capital(&one.contradiction(found)))));
    if at.verdict == SiteVerdict::Coherent && page.state == State::Proven {
        because.extend(written_again(&one));
        let is_gone = page.witnesses.iter().any(|record| matches!(record.status, Some(404 | 410)));
        because.push(match page.grade {
            _ if is_gone => "Compared was the status of the responses, not their content.".to_owned(),
            Some(Grade::Bytes) => "Compared were the bytes of the content.".to_owned(),
            Some(Grade::Digest) => "Compared were the digests that the records state.".to_owned(),
            _ => "A server's answer 304 Not Modified is relied on.".to_owned(),
        });
    }
    because
}

/// A clause that begins with a capital.
fn capital(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

/// A record whose Last-Modified lies after an earlier one with the same content: the server says that it was written again.
fn written_again(one: &One<'_>) -> Option<String> {
    let earliest = one.page.witnesses.iter().min_by_key(|record| record.date)?;
    let (again, modified) = one.page.witnesses.iter().find_map(|record| {
        let modified = record.last_modified.filter(|modified| *modified > earliest.date_end)?;
        // A date that goes with the response was generated, not kept.
        let is_kept =
            record.http_date.is_none_or(|date| date.0.abs_diff(modified.0) > 2 * SECOND.unsigned_abs());
        (is_kept && record.date > earliest.date).then_some((record, modified))
    })?;
    Some(format!(
        "Record {} states that it was last changed at {}, after record {}; its content is the same.",
        again.label,
        one.time(modified),
        earliest.label
    ))
}

fn holds(one: &One<'_>, record: &Witness, before: &[&Witness]) -> String {
    let mut words = format!("Record {}, {}: ", record.label, one.time(record.date));
    words += &record.status.map_or_else(|| "no status".to_owned(), status_words);
    let same =
        before.iter().find(|other| other.body_blake3.is_some() && other.body_blake3 == record.body_blake3);
    words += &match (record.kind, record.body_bytes, same) {
        (Kind::Revisit, ..) if record.status == Some(304) => {
            "; the server stated that the content had not been modified".to_owned()
        }
        (Kind::Revisit, _, Some(other)) => {
            format!("; the crawler recorded that the content was that of record {}", other.label)
        }
        (Kind::Revisit, ..) => "; the crawler recorded that the content was repeated".to_owned(),
        (Kind::Index, ..) => "; an index lists it, the record itself was not read".to_owned(),
        (_, Some(bytes), Some(_)) => format!(", the same {}", count(bytes, "byte")),
        (_, Some(bytes), None) => format!(", {}", count(bytes, "byte")),
        (_, None, _) => ", content of unknown length".to_owned(),
    };
    words + "."
}
