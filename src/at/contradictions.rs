//! What is contradictory, damaged or unused among the captures of a page: it belongs in the answer, not in a count.

use std::collections::HashSet;

use crate::at::damage::several;
use crate::at::model::{Contradiction, PagePart, UnusedCapture};
use crate::at::page::{Ground, Selected};
use crate::at::words::status_words;
use crate::capture::intern::Id;
use crate::capture::page::is_failed;
use crate::capture::table::Row;
use crate::capture::{AtOdds, Kind, Witness};
use crate::change::role::{Aside, Roles};
use crate::time::Instant;

/// Maximum number of each listed.
const MAX_LISTED: usize = 50;

/// Contradictory records of a page.
pub(super) fn of_page(ground: &Ground<'_>, page: &Selected<'_>) -> Vec<Contradiction> {
    let found = page.rows.iter().filter_map(|row| {
        let words = match row.contradicted_by {
            Some(Witness::Head) => several(row.damage.map_or("", |damage| ground.table.text(damage))),
            _ => contradiction(row)?.to_owned(),
        };
        let original = ground.table.original(row).map(|(file, offset)| (file, Some(offset)));
        let other = match ground.table.contradiction(row) {
            Some((Witness::Head, ..)) => None,
            Some((_, "", _)) => {
                ground.inputs.get(row.witness_input as usize).map(|index| (index.path.as_str(), None))
            }
            Some((_, file, offset)) => Some((file, offset)),
            None => original,
        };
        Some(Contradiction {
            words,
            captured: row.time,
            file: ground.table.text(row.file).to_owned(),
            offset: row.offset,
            record_id: row.record_id.map(|id| ground.table.text(id).to_owned()),
            other_file: other.map(|(file, _)| file.to_owned()),
            other_offset: other.and_then(|(_, offset)| offset),
        })
    });
    found.take(MAX_LISTED).collect()
}

fn contradiction(row: &Row) -> Option<&'static str> {
    match (row.contradicted_by, row.at_odds) {
        (Some(Witness::Copy), _) => {
            Some("another record has the same id, address and date, but other content")
        }
        (Some(Witness::Index), _) => {
            Some("an index states another digest, status or method for the record at this place")
        }
        (Some(Witness::Package), _) => Some("its file is not the one that its package hashed"),
        // The fields are named elsewhere.
        (Some(Witness::Head), _) => None,
        (Some(Witness::Request), _) => {
            Some("a request that was not GET may be its own, and then it does not show the page")
        }
        (None, Some(AtOdds::Digest)) => {
            Some("it says it repeats an earlier record, but the digests they state differ")
        }
        (None, Some(AtOdds::Original)) => {
            Some("it says it repeats an earlier record, whose content does not have the digest stated there")
        }
        (None, Some(AtOdds::Elsewhere)) => {
            Some("it says that an earlier record was not modified, but names one of another address")
        }
        (None, Some(AtOdds::Later)) => {
            Some("it says that an earlier record was not modified, but names one that was captured later")
        }
        (None, Some(AtOdds::Contradictory)) => {
            Some("it says it repeats an earlier record, which other evidence contradicts")
        }
        (None, Some(AtOdds::Cut | AtOdds::Part)) => None,
        (None, None) if row.refuted => Some("its content does not have the digest that the record states"),
        (None, None) => None,
    }
}

/// Captures that show no version of the page: those between two captures relied on, and the nearest on each side
/// where no capture that counts is nearer.
pub(super) fn unused(
    ground: &Ground<'_>,
    page: &Selected<'_>,
    around: &[(Option<usize>, Option<usize>)],
    part: PagePart,
) -> Vec<UnusedCapture> {
    let mut all: Vec<UnusedCapture> = Vec::new();
    for pair in around {
        let found = between(ground, page, *pair, part);
        all.extend(found.into_iter().filter(|one| !all.contains(one)).collect::<Vec<_>>());
    }
    all.sort_by_key(|unused| unused.captured);
    all.truncate(MAX_LISTED);
    all
}

fn between(
    ground: &Ground<'_>,
    page: &Selected<'_>,
    (before, after): (Option<usize>, Option<usize>),
    part: PagePart,
) -> Vec<UnusedCapture> {
    let used: HashSet<usize> = page.versions.looks.iter().map(|look| look.row).collect();
    let time = |look: Option<usize>| look.map(|look| page.versions.looks[look].captured);
    let (from, to) = (time(before), time(after));
    let is_inside = |time: Instant| from.is_none_or(|from| time >= from) && to.is_none_or(|to| time <= to);
    let rows = || page.rows.iter().enumerate().filter(|(place, _)| !used.contains(place)).map(|(_, row)| row);
    let beside = || ground.table.beside(&page.key).iter().filter(|record| record.method.is_some());
    // Between two captures, or without any, all of them; towards an open end only the nearest.
    let is_all = from.is_some() == to.is_some();
    let is_early = |time: Instant| time <= part.from;
    let distance = |time: Instant| time.0.abs_diff(part.from.0);
    let nearest = |early: bool| {
        let times = rows().map(|row| row.time).chain(beside().filter_map(|record| record.time));
        times.filter(|time| is_inside(*time) && is_early(*time) == early).map(distance).min()
    };
    let (before, behind) = (nearest(true), nearest(false));
    let is_near = |time: Instant| {
        let nearest = if is_early(time) { before } else { behind };
        is_inside(time) && (is_all || nearest == Some(distance(time)))
    };
    let roles = Roles::of(ground.table, page.rows);
    let text = |id: Id| ground.table.text(id).to_owned();
    let of_rows = rows().filter(|row| is_near(row.time)).take(MAX_LISTED).map(|row| UnusedCapture {
        captured: row.time,
        status: row.status,
        reason: reason(&roles, row),
        method: None,
        file: text(row.file),
        offset: row.offset,
        record_id: row.record_id.map(text),
    });
    let others = beside().filter(|record| record.time.is_some_and(is_near)).take(MAX_LISTED);
    let others = others.filter_map(|record| {
        let method = text(record.method?);
        Some(UnusedCapture {
            captured: record.time?,
            status: record.status,
            reason: match method.len() < 20 && method.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                true => format!("it is a response to a {method} request"),
                false => "it is a response to a request other than GET".to_owned(),
            },
            method: Some(method),
            file: text(record.file),
            offset: record.offset,
            record_id: record.record_id.map(text),
        })
    });
    of_rows.chain(others).collect()
}

/// Why a capture shows no version of the page.
fn reason(roles: &Roles, row: &Row) -> String {
    if roles.aside(row) == Some(Aside::OtherMedia) && row.kind != Kind::Resource {
        return format!("{}: something else may have been there", Aside::OtherMedia.explain());
    }
    if let Some(
        aside @ (Aside::Way
        | Aside::Challenge
        | Aside::Partial
        | Aside::OtherMedia
        | Aside::OtherSpelling
        | Aside::NoBody
        | Aside::NoHead),
    ) = roles.aside(row)
    {
        return aside.explain();
    }
    match row.status {
        _ if row.truncated && row.strays => {
            "the record is cut short, and what it holds does not begin like the page: something else may have been there"
                .to_owned()
        }
        Some(status @ (404 | 410)) if row.truncated => {
            format!("the server answered {}, and the record is cut short", status_words(status))
        }
        _ if row.truncated => "the record is cut short".to_owned(),
        _ if row.at_odds == Some(AtOdds::Cut) => "it repeats a record that is cut short".to_owned(),
        Some(status @ (300..=399)) => format!("the server answered {}", status_words(status)),
        Some(status) if is_failed(row) || status >= 400 => {
            format!("the server answered {}", status_words(status))
        }
        _ => "it does not show a version of the page".to_owned(),
    }
}
