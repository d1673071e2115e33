//! The answer about one page where the time asked about is a day, an hour or a period, and not all of it has one answer.

use std::collections::BTreeMap;

use crate::at::clock_words::One;
use crate::at::date::{clock_beside, span_words};
use crate::at::model::{At, Role, ShownPart, SiteVerdict, Witness};
use crate::at::words::status_words;
use crate::format::count;
use crate::time::{Instant, Interval};

impl One<'_> {
    /// Parts of the time are settled, each in its own way.
    pub(super) fn in_parts(&self, at: &At, after: Option<&Witness>) -> String {
        let (page, noun) = (self.page, self.date.noun);
        let mut sentences: Vec<String> = Vec::new();
        let shown: Vec<&ShownPart> = page.shown.iter().filter(|part| part.is_page()).collect();
        if !shown.is_empty() {
            sentences.push(format!("Yes, for part of that {noun}: {}.", self.stretches(&shown)));
        }
        let mut others: BTreeMap<(Option<u16>, Option<&str>), Vec<&ShownPart>> = BTreeMap::new();
        for part in page.shown.iter().filter(|part| !part.is_page()) {
            others.entry((part.status, part.location.as_deref())).or_default().push(part);
        }
        for ((status, location), parts) in others {
            let meant = match (status, location) {
                (Some(404 | 410), _) => ": by the server, no such page was there".to_owned(),
                (Some(300..=399), Some(location)) => format!(": it led on to {location}"),
                _ => String::new(),
            };
            sentences.push(format!(
                "For {} of that {noun} the address answered {}, {}{meant}.",
                if sentences.is_empty() { "part" } else { "another part" },
                status.map_or_else(|| "without a status".to_owned(), status_words),
                self.stretches(&parts)
            ));
        }
        let is_refuted = at.parts.iter().any(|part| part.verdict == SiteVerdict::NotCoherent);
        if let Some(began) = page.began_after.filter(|_| is_refuted) {
            // Where the clocks of server and crawler are not quite the same, the earlier reading counts.
            let refuted = at.parts.iter().filter(|part| part.verdict == SiteVerdict::NotCoherent);
            let until = refuted.map(|part| part.to.plus(1)).max().unwrap_or(began);
            sentences.push(format!(
                "{}until {}. The first record of the address ({}) holds a version that, by the server's own Last-Modified, was \
                 last changed {}. What was there before the archive does not show.",
                if sentences.is_empty() { format!("No, for part of that {noun}: ") } else { "No ".to_owned() },
                self.time(until),
                after.map_or_else(|| "unknown".to_owned(), |record| self.time(record.date)),
                if until == began { "then".to_owned() } else { format!("at {}", self.time(began)) },
            ));
        }
        if at.parts.iter().any(|part| part.verdict == SiteVerdict::NotProvable) {
            let rest = match (noun, self.date.words.split_once(' ')) {
                ("day" | "month" | "year", Some((_, date))) => date.to_owned(),
                _ => format!("that {noun}"),
            };
            sentences.push(format!("For the rest of {rest} the archive does not settle it."));
        }
        sentences.join(" ")
    }

    /// Parts of the time, in words.
    fn stretches(&self, parts: &[&ShownPart]) -> String {
        let clock = |at: Instant| clock_beside(at, self.date.span);
        let spans: Vec<String> =
            parts.iter().map(|part| span_words(Interval { from: part.from, to: part.to }, clock)).collect();
        match spans.as_slice() {
            [one] => one.clone(),
            [first, last] => format!("{first}, and {last}"),
            [first, .., last] => format!("{first}, and in {} more parts, the last {last}", spans.len() - 1),
            [] => String::new(),
        }
    }

    /// The time has usable records, and no part of it is proven.
    pub(super) fn within(&self) -> String {
        let (page, noun) = (self.page, self.date.noun);
        let mut records: Vec<&Witness> = Vec::new();
        for record in &page.witnesses {
            let is_here =
                self.date.span.contains(record.date) && !matches!(record.role, Role::Original | Role::Text);
            if is_here && records.last().is_none_or(|last| last.label != record.label) {
                records.push(record);
            }
        }
        let clock = |record: &Witness| clock_beside(record.date, self.date.span);
        let when = match records.as_slice() {
            [] => String::new(),
            [one] => format!(", of {} UTC", clock(one)),
            [first, last] => format!(", of {} and {} UTC", clock(first), clock(last)),
            [first, .., last] => format!(", of {} to {} UTC", clock(first), clock(last)),
        };
        let differs = |pair: &[&Witness]| {
            pair[0].body_blake3.is_some()
                && pair[1].body_blake3.is_some()
                && pair[0].body_blake3 != pair[1].body_blake3
        };
        let is_all = records.len() as u64 == page.within;
        let why = if is_all && records.len() > 1 && records.windows(2).all(differs) {
            "They differ; what was there between them is not shown.".to_owned()
        } else {
            format!("No records before and after any part of that {noun} show the same content.")
        };
        let very = if noun == "time" { "very " } else { "" };
        format!("It holds {} of that {very}{noun}{when}. {why}", count(page.within, "usable record"))
    }
}
