//! What is wrong with records that were read all the same, in words: opposing counsel would find it, so the answer tells it.

use crate::at::model::Contradiction;
use crate::at::page::{Ground, Selected};
use crate::capture::table::Row;

/// Maximum number listed.
const MAX_LISTED: usize = 50;

/// What is wrong with the records between the two captures relied on, and with these.
pub(super) fn of_page(
    ground: &Ground<'_>,
    page: &Selected<'_>,
    looks: (Option<usize>, Option<usize>),
) -> Vec<Contradiction> {
    let found = between(page, looks).flat_map(|row| {
        let codes = row.damage.map_or("", |damage| ground.table.text(damage));
        codes.split(' ').filter_map(words).map(move |words| Contradiction {
            words: words.to_owned(),
            captured: row.time,
            file: ground.table.text(row.file).to_owned(),
            offset: row.offset,
            record_id: row.record_id.map(|id| ground.table.text(id).to_owned()),
            other_file: None,
            other_offset: None,
        })
    });
    found.take(MAX_LISTED).collect()
}

/// The rows from the capture before to the one after.
fn between<'a>(
    page: &'a Selected<'_>,
    (before, after): (Option<usize>, Option<usize>),
) -> impl Iterator<Item = &'a Row> {
    let time = |look: usize| page.versions.looks[look].captured;
    let (from, to) = (before.or(after).map(time), after.or(before).map(time));
    page.rows
        .iter()
        .filter(move |row| from.is_some_and(|from| row.time >= from) && to.is_some_and(|to| row.time <= to))
}

/// Why the content of a capture relied on reads like an error page.
pub(super) fn error_words(
    ground: &Ground<'_>,
    page: &Selected<'_>,
    (before, after): (Option<usize>, Option<usize>),
) -> Option<String> {
    let signs = [before, after].into_iter().flatten().filter_map(|look| {
        let row = &page.rows[page.versions.looks[look].row];
        row.soft404.map(|sign| ground.table.text(sign).to_owned())
    });
    signs.into_iter().next()
}

/// What a code of `Observation::damage` means, as a clause about the record.
fn words(code: &str) -> Option<&'static str> {
    Some(match code {
        "block-digest" => "its block does not have the digest that the record states (WARC-Block-Digest)",
        "body-long" => "its content is longer than its Content-Length says",
        "content-length" => "its Content-Length cannot be read, or it states several",
        "content-range" => "its head has a Content-Range, as parts of a page have, but its status is not 206",
        "date" => "its Date cannot be read",
        "last-modified" => "its Last-Modified cannot be read",
        _ => return None,
    })
}
