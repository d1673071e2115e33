//! What changed between two versions of a page: how much it matters, how alike the texts are, and both side by side.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::align::{Mark, Pair, align};
use super::model::{Change, Resource};
use crate::audit::bodies::{Bodies, Holders, holds_body};
use crate::capture::page::is_html;
use crate::capture::table::{Row, Table};
use crate::html::blocks::{Block, blocks};
use crate::html::lines::lines;
use crate::ingest::Body;
use crate::quality::change_importance::change_importance;
use crate::quality::weights::ChangeWeights;
use crate::recovery::shingles::resemblance;

/// Bytes of bodies that are compared in one run.
const MAX_COMPARED_BYTES: u64 = 4 << 30;
/// Pages whose two versions are shown side by side.
const MAX_SHOWN_PAGES: usize = 40;
/// Lines of a page, and characters of a line, that are shown side by side.
const LINES: usize = 3_000;
const LINE: usize = 1_000;
/// Images and links of a page that are named.
const MAX_NAMED_FILES: usize = 200;

/// Measures the changes of these resources, the most important first: each with the captures on both sides.
pub(super) fn measure(
    table: &Table,
    paths: Vec<&str>,
    weights: &ChangeWeights,
    changed: &mut [(&mut Resource, &Row, &Row)],
) {
    changed.sort_by(|a, b| b.0.importance.total_cmp(&a.0.importance).then_with(|| a.0.key.cmp(&b.0.key)));
    let holders = Holders::new(table, paths);
    let bodies = Bodies::default();
    let (mut left, mut shown) = (MAX_COMPARED_BYTES, 0);
    for (resource, before, after) in changed {
        let is_text = |row: &Row| {
            row.mime
                .map(|mime| table.text(mime))
                .is_some_and(|mime| is_html(mime) || mime.starts_with("text/"))
        };
        // What is empty is an empty text, whatever type it has.
        let is_empty = |row: &Row| row.body_length == Some(0);
        let is_shown = |one: &Row, other: &Row| is_text(one) && (is_text(other) || is_empty(other));
        if !is_shown(before, after) && !is_shown(after, before) {
            continue;
        }
        let same_text = before.text.zip(after.text).map(|(before, after)| before == after);
        let mut change = Change {
            importance: None,
            similarity: None,
            same_text,
            blocks: Vec::new(),
            lines: Vec::new(),
            images: Vec::new(),
            links: Vec::new(),
            reason: None,
        };
        let fetched = fetch(table, &holders, &bodies, before, &mut left)
            .and_then(|before| Ok((before, fetch(table, &holders, &bodies, after, &mut left)?)));
        match fetched {
            Ok((before, after)) => compare(&mut change, &before, &after, weights, &mut shown),
            Err(reason) => change.reason = Some(reason),
        }
        resource.change = Some(change);
    }
}

fn fetch(
    table: &Table,
    holders: &Holders<'_>,
    bodies: &Bodies,
    row: &Row,
    left: &mut u64,
) -> Result<std::rc::Rc<Body>, String> {
    if *left == 0 {
        return Err("the limit of bodies to compare was reached before this one".to_owned());
    }
    let original = holders.original(row);
    let of = |is_held: &dyn Fn(&&Row) -> bool| Some(row).filter(is_held).or_else(|| original.filter(is_held));
    // What a table of an archive tells is in that archive, where it is still there.
    let holder = of(&|row| holds_body(row) && holders.is_read(row)).or_else(|| of(&|row| holds_body(row)));
    let body = bodies.fetch(table, holder.ok_or("its body is not in what was read")?)?;
    *left = left.saturating_sub(body.bytes.len() as u64);
    Ok(body)
}

fn compare(change: &mut Change, before: &Body, after: &Body, weights: &ChangeWeights, shown: &mut usize) {
    let content_type = |body: &Body| body.content_type.clone().unwrap_or_default();
    let is_type = |body: &Body| is_html(&content_type(body));
    let is_page = |body: &Body| is_type(body) || body.bytes.is_empty();
    let has_room = *shown < MAX_SHOWN_PAGES;
    if is_page(before) && is_page(after) {
        let cut = |body: &Body| blocks(&body.bytes, Some(content_type(body).as_bytes()));
        match (cut(before), cut(after)) {
            (Ok(before), Ok(after)) => {
                let found = change_importance(&before, &after, weights);
                (change.importance, change.blocks) = (Some(found.importance), found.changes);
                if has_room {
                    change.images = replaced(&before, &after, |block| &block.images);
                    change.links = replaced(&before, &after, |block| &block.links);
                }
            }
            (Err(problem), _) | (_, Err(problem)) => change.reason = Some(problem.message),
        }
    }
    let lines_of = |body: &Body| match is_page(body) {
        true => lines(&body.bytes, Some(content_type(body).as_bytes())),
        false => Ok(plain(&body.bytes)),
    };
    match (lines_of(before), lines_of(after)) {
        (Ok(before), Ok(after)) => {
            change.similarity = Some(resemblance(&words(&before), &words(&after)));
            if has_room && before != after {
                let first = |lines: &[String]| lines.len().min(LINES);
                change.lines = align(&before[..first(&before)], &after[..first(&after)]);
                change.lines.iter_mut().for_each(shorten);
            }
        }
        (Err(reason), _) | (_, Err(reason)) => change.reason = Some(reason),
    }
    *shown += usize::from([&change.lines, &change.images, &change.links].iter().any(|it| !it.is_empty()));
}

/// What blocks name on one side only, in the order of the page: each beside what stands in its place.
fn replaced(before: &[Block], after: &[Block], of: fn(&Block) -> &Vec<String>) -> Vec<Pair> {
    let named = |blocks: &[Block]| -> Vec<String> { blocks.iter().flat_map(of).cloned().collect() };
    let pairs = align(&named(before), &named(after));
    pairs.into_iter().filter(|pair| pair.mark != Mark::Same).take(MAX_NAMED_FILES).collect()
}

/// Shows of a long line the part that holds what changed.
fn shorten(pair: &mut Pair) {
    let text = |line: &Option<String>| line.clone().unwrap_or_default();
    let (before, after) = (text(&pair.before), text(&pair.after));
    let same = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
    // Some words before the change, and from the start where it is near.
    let skip = if pair.mark == Mark::Changed && same > LINE / 2 { same - LINE / 4 } else { 0 };
    for line in [&mut pair.before, &mut pair.after].into_iter().flatten() {
        if line.chars().nth(LINE).is_some() {
            let mark = |is_cut: bool| if is_cut { "\u{2026}" } else { "" };
            let part: String = line.chars().skip(skip).take(LINE).collect();
            let is_cut = line.chars().nth(skip + LINE).is_some();
            *line = format!("{}{part}{}", mark(skip > 0), mark(is_cut));
        }
    }
}

/// The lines of a text that is no HTML.
fn plain(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(1 << 20)]);
    text.lines().map(|line| line.trim().to_owned()).collect()
}

fn words(lines: &[String]) -> Vec<u64> {
    let hash = |word: &str| {
        let mut hasher = DefaultHasher::new();
        word.hash(&mut hasher);
        hasher.finish()
    };
    lines.iter().flat_map(|line| line.split_whitespace()).map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_far_into_a_long_line_is_shown() {
        let line = |end: &str| Some(format!("{}{end}", "word ".repeat(900)));
        let mut pair = Pair { mark: Mark::Changed, before: line("free"), after: line("charged") };
        shorten(&mut pair);
        let after = pair.after.unwrap();
        assert!(after.starts_with('\u{2026}') && after.ends_with("word charged"), "{after}");
        assert!(pair.before.unwrap().ends_with("word free"));
        let mut same = Pair { mark: Mark::Same, before: line("x"), after: line("x") };
        shorten(&mut same);
        assert!(same.before.unwrap().ends_with('\u{2026}'), "what is left out is marked");
    }
}
