//! The clocks of crawler and server, in words: compared, and where they lead to different answers.

use crate::at::date::{AskedDate, clock_beside};
use crate::at::facts::{CLOCK_TOLERANCE, Facts};
use crate::at::model::{At, PageAt, Role, ShownPart, Witness};
use crate::format::{count, duration};
use crate::time::{Instant, Interval};

/// What is said about one page.
pub(super) struct One<'a> {
    pub page: &'a PageAt,
    pub date: &'a AskedDate,
}

impl One<'_> {
    pub(super) fn time(&self, at: Instant) -> String {
        format!("{} UTC", clock_beside(at, self.date.span))
    }
}

/// The records that the answer rests on, each once, in the order of their dates; those that only words were searched in are
/// named with the words.
pub(super) fn relied_on(page: &PageAt) -> Vec<&Witness> {
    let mut records: Vec<&Witness> = Vec::new();
    for record in page.witnesses.iter().filter(|record| record.role != Role::Text) {
        if records.iter().all(|other| other.label != record.label) {
            records.push(record);
        }
    }
    records.sort_by_key(|record| record.date);
    records
}

/// Where, by the server's own `Date`, a record is not on the side of the date, or of a part of it, that the crawler's clock says.
pub(super) fn against(
    one: &One<'_>,
    before: Option<&Witness>,
    after: Option<&Witness>,
    part: Option<&ShownPart>,
) -> String {
    let noun = if part.is_some() { "part" } else { one.date.noun };
    let span = part.map_or(one.date.span, |part| Interval { from: part.from, to: part.to });
    let off = |record: &&Witness| {
        record.index.is_none() && record.clock_off().is_some_and(|seconds| seconds.abs() > CLOCK_TOLERANCE)
    };
    let server = |record: &Witness| record.http_date.map(|date| (record.label.clone(), date));
    let early = before.filter(off).and_then(server).filter(|(_, date)| *date > span.from);
    let late = after.filter(off).and_then(server).filter(|(_, date)| *date < span.to);
    let mut words = String::new();
    if let Some((label, date)) = early {
        words += &format!(
            " By the server's own Date, record {label} was made at {}, not before that {noun}: one of the two clocks was wrong.",
            one.time(date)
        );
    }
    if let Some((label, date)) = late {
        words += &format!(
            " By the server's own Date, record {label} was made at {}, not after that {noun}: one of the two clocks was wrong, or \
             a cache had kept the response.",
            one.time(date)
        );
    }
    words
}

/// The clocks of crawler and server for the records relied on.
pub(super) fn clocks(at: &At, facts: &Facts, date: &AskedDate) -> Vec<String> {
    if let Some(page) = at.pages.only() {
        let one = One { page, date };
        let read = relied_on(page).into_iter().filter(|record| record.index.is_none());
        return read.map(|record| of_record(&one, record)).collect();
    }
    if facts.clocks_off == 0 {
        return Vec::new();
    }
    vec![format!(
        "In {} of {} relied on, the server's clock is more than a minute off the crawler's, at most by {}.",
        facts.clocks_off,
        count(facts.records, "record"),
        duration(facts.worst_clock as f64)
    )]
}

fn of_record(one: &One<'_>, record: &Witness) -> String {
    let crawler = clock_beside(record.date, one.date.span);
    let (Some(server), Some(seconds)) = (record.http_date, record.clock_difference) else {
        return format!("{}: crawler {crawler}; the server stated no date.", record.label);
    };
    let server = clock_beside(server, one.date.span);
    let is_kept = record.clock_off().is_some_and(|off| off.abs() <= CLOCK_TOLERANCE);
    if let Some(age) = record.age.filter(|age| *age > 0 && is_kept) {
        return format!(
            "{}: crawler {crawler}; by its Date the server made the response at {server}, and by its Age a cache kept it for {}.",
            record.label,
            duration(f64::from(age))
        );
    }
    if record.made_since == record.http_date && (record.age.is_none() || !is_kept) {
        return format!(
            "{}: crawler {crawler}; by its Date the server made the response at {server}, {} before: a cache had kept it, or the server's \
             clock was slow.",
            record.label,
            duration(seconds.unsigned_abs() as f64)
        );
    }
    match seconds {
        _ if server == crawler => format!("{}: crawler and server {crawler}.", record.label),
        seconds if seconds.abs() > CLOCK_TOLERANCE => format!(
            "{}: crawler {crawler}, server {server}: the server's clock is {} {} the crawler's.",
            record.label,
            duration(seconds.abs() as f64),
            if seconds > 0 { "ahead of" } else { "behind" }
        ),
        _ => format!("{}: crawler {crawler}, server {server}.", record.label),
    }
}
