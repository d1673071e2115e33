//! Changes that do not matter: two captures of a page that differ by less than a given importance count as one version.
//!
//! Each capture is compared with the first capture of the version before it, not with its neighbour, so that many small
//! changes in a row add up and are seen. What cannot be compared (no text, no body to read) stays as it is. Beside it: changes that
//! readers do not see, which do not count where texts are compared.
//!
//! Source: Mazeika, Denev, Spaniol, Weikum, *The SOLAR System for Sharp Web Archiving*, section 6: changes in
//! advertisements and footers are to be ignored. So what changed there does not count here, however much it is.

use std::collections::{HashMap, HashSet};

use crate::audit::bodies::{Bodies, holds_body};
use crate::capture::intern::Id;
use crate::capture::page::is_html_page;
use crate::capture::table::{Row, Table};
use crate::html::blocks::{Block, Role, blocks};
use crate::html::seen_text::seen_text;
use crate::quality::change_importance::change_importance;
use crate::quality::weights::ChangeWeights;

/// Gives captures that differ by less than `below` one text, and captures that differ by more two, also where only images or links
/// do; and the number of captures that this made equal. Texts have to be what is compared.
pub(crate) fn merge(table: &mut Table, weights: &ChangeWeights, below: f64) -> u64 {
    let bodies = Bodies::default();
    let mut given: Vec<(usize, Id)> = Vec::new();
    let mut merged = 0;
    for page in table.pages() {
        let mut first: Option<(Id, Vec<Block>)> = None;
        let mut known: HashMap<Id, Id> = HashMap::new();
        let mut taken: HashSet<Id> = HashSet::new();
        for at in page.rows.clone() {
            let row = &table.rows()[at];
            let Some(text) = row.text.filter(|_| is_html_page(table, row)) else { continue };
            // One text may come with other images.
            let content = row.body.unwrap_or(text);
            if let Some(same) = known.get(&content) {
                merged += u64::from(*same != text && *same != content);
                given.push((at, *same));
                continue;
            }
            let Some(found) = cut(table, &bodies, row) else { continue };
            let same = first.as_ref().filter(|(_, first)| {
                let change = change_importance(first, &found, weights);
                let counts = |role: Role| !matches!(role, Role::Footer | Role::Noise);
                let parts = change.changes.iter().filter(|part| counts(part.role));
                let sum = parts.map(|part| part.contribution).sum::<f64>();
                sum < below || sum == 0.0
            });
            let version = match same.map(|(version, _)| *version) {
                Some(same) => {
                    merged += u64::from(same != text);
                    same
                }
                None => {
                    let version = if taken.insert(text) { text } else { content };
                    first = Some((version, found));
                    version
                }
            };
            known.insert(content, version);
            given.push((at, version));
        }
    }
    given.into_iter().for_each(|(at, text)| table.set_text(at, text));
    merged
}

/// Gives captures one text that differ only in what readers do not see.
pub(crate) fn merge_unseen(table: &mut Table) {
    let bodies = Bodies::default();
    let mut given: Vec<(usize, Id)> = Vec::new();
    for page in table.pages() {
        let texts = || page.rows.clone().filter_map(|at| Some((at, table.rows()[at].text?)));
        if texts().map(|(_, text)| text).collect::<HashSet<_>>().len() < 2 {
            continue;
        }
        let mut known: HashMap<Id, Id> = HashMap::new();
        let mut seen: HashMap<[u8; 32], Id> = HashMap::new();
        for (at, text) in texts() {
            let row = &table.rows()[at];
            let same = known.get(&text).copied().or_else(|| {
                let body =
                    bodies.fetch(table, row).ok().filter(|_| holds_body(row) && is_html_page(table, row))?;
                let content_type = body.content_type.as_deref().map(str::as_bytes);
                let same = *seen.entry(seen_text(&body.bytes, content_type)?).or_insert(text);
                known.insert(text, same);
                Some(same)
            });
            given.extend(same.filter(|same| *same != text).map(|same| (at, same)));
        }
    }
    given.into_iter().for_each(|(at, text)| table.set_text(at, text));
}

fn cut(table: &Table, bodies: &Bodies, row: &Row) -> Option<Vec<Block>> {
    let body = bodies.fetch(table, row).ok().filter(|_| holds_body(row))?;
    blocks(&body.bytes, body.content_type.as_deref().map(str::as_bytes)).ok()
}
