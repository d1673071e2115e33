//! What is wrong with records that were read all the same, in words: opposing counsel would find it, so the answer states it.

use crate::at::model::Contradiction;
use crate::at::page::{Ground, Selected};
use crate::capture::Kind;
use crate::capture::observation::SEVERAL;
use crate::capture::table::Row;
use crate::change::run::stated_by;

/// Maximum number listed.
const MAX_LISTED: usize = 50;

/// What is wrong with the records between two captures relied on, and with these.
pub(super) fn of_page(
    ground: &Ground<'_>,
    page: &Selected<'_>,
    around: &[(Option<usize>, Option<usize>)],
) -> Vec<Contradiction> {
    let mut rows: Vec<&Row> = around.iter().flat_map(|looks| between(page, *looks)).collect();
    rows.sort_by_key(|row| (row.time, std::ptr::from_ref::<Row>(row) as usize));
    rows.dedup_by(|one, other| std::ptr::eq(*one, *other));
    let about = |row: &Row, words: String| Contradiction {
        words,
        captured: row.time,
        file: ground.table.text(row.file).to_owned(),
        offset: row.offset,
        record_id: row.record_id.map(|id| ground.table.text(id).to_owned()),
        other_file: None,
        other_offset: None,
    };
    let found = rows.into_iter().flat_map(|row| {
        let codes = row.damage.map_or("", |damage| ground.table.text(damage));
        let shared = shares_id(page, row).then_some(SHARED_ID);
        let unasked = is_unasked(row).then_some(UNASKED);
        codes
            .split(' ')
            .filter_map(words)
            .chain(shared)
            .chain(unasked)
            .map(move |words| about(row, words.to_owned()))
    });
    let refused = page.versions.contradicted.iter().map(|(row, stated)| {
        let row = &page.rows[*row];
        let why = match () {
            () if *stated > row.end => "it is later than the record itself",
            () if *stated > stated_by(row) => "it is later than the response itself by its Age",
            () => "other records contradict it",
        };
        about(row, format!("its Last-Modified ({stated}) was not used, nor any other of this page: {why}"))
    });
    found.chain(refused).take(MAX_LISTED).collect()
}

const SHARED_ID: &str =
    "its WARC-Record-ID is also that of another record, of another time, which no two records may have";

const UNASKED: &str = "its request as recorded has no condition that a 304 could be the answer to, so it counts only by an ETag or \
     a Last-Modified of its own";

/// Whether a capture is a 304 to a request that is known and has no condition.
fn is_unasked(row: &Row) -> bool {
    let has_condition = row.none_match.is_some() || row.modified_since.is_some();
    row.not_modified && row.method_known && row.kind != Kind::Index && !has_condition
}

/// Whether another capture of the page has the same id, at another time: a copy has the same time.
fn shares_id(page: &Selected<'_>, row: &Row) -> bool {
    let is_other = |other: &Row| other.record_id == row.record_id && other.time != row.time;
    row.record_id.is_some() && row.kind != Kind::Index && page.rows.iter().any(is_other)
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
    around: &[(Option<usize>, Option<usize>)],
) -> Option<String> {
    let looks = around.iter().flat_map(|(before, after)| [*before, *after]).flatten();
    let mut signs = looks.filter_map(|look| {
        let row = &page.rows[page.versions.looks[look].row];
        row.soft404.map(|sign| ground.table.text(sign).to_owned())
    });
    signs.next()
}

/// Which fields the head of a record states several times, with different values, as a clause about it.
pub(super) fn several(codes: &str) -> String {
    let names: Vec<&str> = codes.split(' ').filter_map(|code| code.strip_prefix(SEVERAL)).collect();
    format!("{HEAD_STATES} {} that differ; which one is right is unknown", names.join(" and several "))
}

/// How that clause begins.
pub(super) const HEAD_STATES: &str = "its head states several";

/// What a code of `Observation::damage` means, as a clause about the record.
fn words(code: &str) -> Option<&'static str> {
    Some(match code {
        "block-digest" => "its block does not have the digest that the record states (WARC-Block-Digest)",
        "body-long" => "its content is longer than its Content-Length says",
        "content-length" => "its Content-Length cannot be read, or it states several",
        "content-range" => "its head has a Content-Range, as parts of a page have, but its status is not 206",
        "part" => "its Content-Range names only a part of the page",
        "age" => "its Age cannot be read, so nothing shows for how long a cache had kept it",
        "date" => "its Date cannot be read",
        "dates" => "its head states several Date that differ, and none was used",
        "last-modifieds" => "its head states several Last-Modified that differ, and none was used",
        "last-modified" => "its Last-Modified cannot be read",
        _ => return None,
    })
}
