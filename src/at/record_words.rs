//! What the records relied on hold, in words.

use crate::at::clock_words::{One, relied_on};
use crate::at::date::AskedDate;
use crate::at::model::{At, SiteVerdict, Witness};
use crate::at::words::status_words;
use crate::capture::Kind;
use crate::change::at::State;
use crate::change::evidence::Grade;
use crate::format::count;
use crate::time::SECOND;
use crate::url::as_written;

/// How many records that were not used are named.
const TOLD: usize = 10;

/// What the records relied on hold, for an answer about one page.
pub(super) fn because(at: &At, date: &AskedDate) -> Vec<String> {
    let Some(page) = at.pages.only() else { return Vec::new() };
    let one = One { page, date };
    let records = relied_on(page);
    let shown = |place: usize| &records[..place];
    let mut because: Vec<String> =
        (0..).zip(&records).map(|(place, record)| holds(&one, record, shown(place))).collect();
    for unused in page.unused.iter().take(TOLD) {
        let id = unused.record_id.as_deref().unwrap_or("without an id");
        because.push(format!(
            "Not used: the record of {} ({id}): {}.",
            one.time(unused.captured),
            unused.reason
        ));
    }
    let doubts = page.contradictions.iter().chain(&page.damage);
    because.extend(doubts.map(|found| format!("{}.", capital(&one.contradiction(found)))));
    if at.verdict == SiteVerdict::Coherent && page.state == State::Proven {
        because.extend(written_again(&one));
        because.push(match page.grade {
            _ if page.is_absent() && page.shown.iter().any(|part| part.location.is_some()) => {
                "Compared were the status of the responses and where they lead, not their content.".to_owned()
            }
            _ if page.is_absent() => {
                "Compared was the status of the responses, not their content.".to_owned()
            }
            Some(Grade::Bytes) => "Compared were the bytes of the content.".to_owned(),
            Some(Grade::Digest) => "Compared were the digests that the records state.".to_owned(),
            _ => "A server's answer 304 Not Modified is relied on.".to_owned(),
        });
    }
    because
}

/// A clause that begins with a capital.
pub(super) fn capital(clause: &str) -> String {
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
    let mut words = format!("Record {}, {}", record.label, one.time(record.date));
    if as_written(&record.url) != as_written(&one.page.url) {
        words += &format!(", of {}", record.url);
    }
    words += ": ";
    words += &record.status.map_or_else(|| "no status".to_owned(), status_words);
    let is_same = |other: &&&Witness| other.body_blake3.is_some() && other.body_blake3 == record.body_blake3;
    // A revisit holds no content of its own.
    let own = before.iter().filter(is_same).find(|other| other.kind != Kind::Revisit);
    let last = before.last().filter(is_same).filter(|other| other.kind != Kind::Revisit);
    let same = last.or(own).or_else(|| before.iter().find(is_same));
    words += &match (record.kind, record.body_bytes, same) {
        (Kind::Revisit, ..) if record.status == Some(304) => {
            "; the server stated that the content had not been modified".to_owned()
        }
        // Which record the crawler had in mind is not told: a digest says the same of all that have it.
        (Kind::Revisit, _, Some(other)) if record.declared.is_some() && record.declared == other.declared => {
            format!("; the crawler recorded repeated content, with the same digest as record {}", other.label)
        }
        (Kind::Revisit, ..) => "; the crawler recorded that the content was repeated".to_owned(),
        (Kind::Index, ..) => "; an index lists it, the record itself was not read".to_owned(),
        _ if record.location.is_some() && matches!(record.status, Some(300..=399)) => {
            format!(", to {}", record.location.as_deref().unwrap_or_default())
        }
        (_, Some(bytes), Some(other)) if before.last().is_some_and(|last| last.label == other.label) => {
            format!(", the same {}", count(bytes, "byte"))
        }
        (_, Some(bytes), Some(other)) => {
            format!(", the same {} as record {}", count(bytes, "byte"), other.label)
        }
        (_, Some(bytes), None) => format!(", {}", count(bytes, "byte")),
        (_, None, _) => ", content of unknown length".to_owned(),
    };
    words + "."
}
