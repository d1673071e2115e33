//! What speaks against a history, or is missing in it, and what it assumes: the same as in an answer about a date.

use crate::at::answer_words::clause;
use crate::at::assumptions::{self, Asked};
use crate::at::facts::Facts;
use crate::at::model::{Contradiction, PagePart};
use crate::at::page::{Ground, Selected};
use crate::at::record_words::capital;
use crate::at::timeline::Timeline;
use crate::at::{contradictions, damage};
use crate::change::at::State;
use crate::format::{count, number};

/// Where the record lies that something was found about, and what it contradicts.
fn places(found: &Contradiction) -> String {
    let place = |file: &str, offset: Option<u64>| match offset {
        Some(offset) => format!("{file} at byte {}", number(offset)),
        None => file.to_owned(),
    };
    let own = place(&found.file, found.offset);
    match &found.other_file {
        Some(other) => format!("{own}; the other is {}", place(other, found.other_offset)),
        None => own,
    }
}

/// Adds to the history of a page what is contradictory, damaged, undated or unused among its records, and what it assumes.
/// `errors` is the number of parts of the inputs that could not be read.
pub(crate) fn add(
    line: &mut Timeline,
    ground: &Ground<'_>,
    page: &Selected<'_>,
    asked: &Asked<'_>,
    errors: u64,
) {
    let all = 0..page.versions.looks.len();
    let captured = |look: &usize| page.versions.looks[*look].captured;
    let ends = (all.clone().min_by_key(captured), all.clone().max_by_key(captured));
    let mut found = contradictions::of_page(ground, page);
    found.extend(damage::of_page(ground, page, &[ends]));
    let told =
        found.iter().map(|found| (capital(&clause(found, &found.captured.to_string())), places(found)));
    line.doubts.extend(told.map(|(words, places)| format!("{words} ({places}).")));
    let part = PagePart { from: line.over.from, to: line.over.to, state: State::Undecided };
    for unused in contradictions::unused(ground, page, &[(None, None)], part) {
        line.doubts.push(format!(
            "The record of {} shows no version of the page and was not counted: {}.",
            unused.captured, unused.reason
        ));
    }
    let undated = ground.table.undated(&page.key);
    if undated > 0 {
        line.doubts.push(format!(
            "{} of the address {} no date that can be read, and may belong to any time.",
            count(undated, "record"),
            if undated == 1 { "has" } else { "have" }
        ));
    }
    for (run, version) in page.versions.runs.iter().zip(&line.versions) {
        let looks: Vec<_> = run.looks.clone().map(|look| (Some(look), None)).collect();
        if let Some(sign) = damage::error_words(ground, page, &looks) {
            line.doubts.push(format!(
                "Though the server answered 200 OK, the content captured at {} reads like an error page: {sign}.",
                version.first
            ));
        }
    }
    if errors > 0 {
        line.doubts.push(format!(
            "Part of the inputs could not be read ({}); other records of the address may have been there.",
            count(errors, "error")
        ));
    }
    let records = line.versions.iter().flat_map(|version| version.records.iter().map(|(_, record)| record));
    line.assumed = assumptions::list(asked, &Facts::of_history(&page.versions, records));
}
