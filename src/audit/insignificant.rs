//! Changes that do not matter: two captures of a page that differ by less than a given importance count as one version.
//!
//! Each capture is compared with the first capture of the version before it, not with its neighbour, so that many small
//! changes in a row add up and are seen. What cannot be compared (no text, no body to read) stays as it is.
//!
//! Source: Mazeika, Denev, Spaniol, Weikum, *The SOLAR System for Sharp Web Archiving*, section 6: changes in
//! advertisements and footers are to be ignored. So what changed there does not count here, however much it is.

use std::collections::HashMap;

use crate::audit::bodies::{Bodies, holds_body};
use crate::capture::intern::Id;
use crate::capture::page::is_html_page;
use crate::capture::table::{Row, Table};
use crate::html::blocks::{Block, Role, blocks};
use crate::quality::change_importance::change_importance;
use crate::quality::weights::ChangeWeights;

/// Gives captures that differ by less than `below` one text, and the number of captures that this made equal. Texts
/// have to be what is compared.
pub(crate) fn merge(table: &mut Table, weights: &ChangeWeights, below: f64) -> u64 {
    let bodies = Bodies::default();
    let mut merged: Vec<(usize, Id)> = Vec::new();
    for page in table.pages() {
        let mut first: Option<(Id, Vec<Block>)> = None;
        let mut known: HashMap<Id, Id> = HashMap::new();
        for at in page.rows.clone() {
            let row = &table.rows()[at];
            let Some(text) = row.text.filter(|_| is_html_page(table, row)) else { continue };
            if let Some(same) = known.get(&text) {
                if *same != text {
                    merged.push((at, *same));
                }
                continue;
            }
            let Some(found) = cut(table, &bodies, row) else { continue };
            let same = first.as_ref().filter(|(_, first)| {
                let change = change_importance(first, &found, weights);
                let counts = |role: Role| !matches!(role, Role::Footer | Role::Noise);
                let parts = change.changes.iter().filter(|part| counts(part.role));
                parts.map(|part| part.contribution).sum::<f64>() < below
            });
            match same.map(|(text, _)| *text) {
                Some(same) => {
                    known.insert(text, same);
                    merged.push((at, same));
                }
                None => {
                    known.insert(text, text);
                    first = Some((text, found));
                }
            }
        }
    }
    let count = merged.len() as u64;
    merged.into_iter().for_each(|(at, text)| table.set_text(at, text));
    count
}

fn cut(table: &Table, bodies: &Bodies, row: &Row) -> Option<Vec<Block>> {
    let body = bodies.fetch(table, row).ok().filter(|_| holds_body(row))?;
    blocks(&body.bytes, body.content_type.as_deref().map(str::as_bytes)).ok()
}
