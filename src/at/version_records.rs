//! The records of every version of a page, and what changed from the version before.

use std::rc::Rc;

use crate::at::companions;
use crate::at::doubt_words::Reasons;
use crate::at::model::{Role, Witness};
use crate::at::page::{Ground, Selected};
use crate::at::seal::seal;
use crate::at::timeline::Timeline;
use crate::at::version_change::{VersionChange, between};
use crate::audit::bodies::Bodies;
use crate::capture::table::Row;
use crate::error::Result;
use crate::ingest::Body;
use crate::quality::weights::ChangeWeights;

/// Adds to every version its records, and what changed from the version before.
///
/// # Errors
/// When a file cannot be read any longer.
pub(crate) fn describe(
    line: &mut Timeline,
    ground: &Ground<'_>,
    page: &Selected<'_>,
    bodies: &Bodies,
) -> Result<()> {
    let Selected { rows, versions, .. } = page;
    let reasons = Reasons::of(ground.judge, page);
    let weights = ChangeWeights::default();
    // The last capture of the version before, and its content. A bare 304 has none of its own.
    let mut before: Option<(usize, std::result::Result<Rc<Body>, String>)> = None;
    for (place, run) in versions.runs.iter().enumerate() {
        let held = ground.holders.of_run(rows, versions, run);
        let row = |look: usize| &rows[versions.looks[look].row];
        let (first, last) = versions.ends(run);
        let mut named = vec![("first capture", row(first))];
        let is_named = |held: &Row| [first, last].iter().any(|look| std::ptr::eq(held, row(*look)));
        let other = held.as_ref().ok().filter(|held| !is_named(held));
        named.extend(other.map(|row| ("holds the content", *row)));
        named.push(("last capture", row(last)));
        let records = &mut line.versions[place].records;
        for (what, row) in named {
            let record = ground.witness(Role::Text, row);
            if records.iter().all(|(_, other)| *other != record) {
                records.push((what, record));
            }
        }
        let body = held.and_then(|row| bodies.fetch(ground.table, row));
        let answer = place
            .checked_sub(1)
            .and_then(|earlier| line.versions[place].other_answer(&line.versions[earlier]));
        let is_bare = versions.looks[run.looks.start].is_bare;
        line.versions[place].change = match (answer, &before, &body) {
            (_, None, _) => None,
            (Some(words), ..) => Some(VersionChange::of_answer(words)),
            (None, Some((last, _)), _) if is_bare => Some(VersionChange::of_answer(format!(
                "nothing that is known: {}",
                reasons.why((*last, run.looks.start))
            ))),
            (None, Some((last, Ok(before))), Ok(after)) if before.bytes == after.bytes => {
                Some(VersionChange::of_answer(format!(
                    "nothing that is known: the same content, but nothing is proven of the time between them: {}",
                    reasons.why((*last, run.looks.start))
                )))
            }
            (None, Some((_, Ok(before))), Ok(after)) => Some(between(before, after, &weights)),
            (None, Some((_, Err(why))), _) | (None, _, Err(why)) => Some(VersionChange::unknown(why.clone())),
        };
        if !is_bare || before.is_none() {
            before = Some((run.looks.end - 1, body));
        }
    }
    let mut all: Vec<&mut Witness> = line
        .versions
        .iter_mut()
        .flat_map(|version| version.records.iter_mut().map(|(_, record)| record))
        .collect();
    companions::add(&mut all)?;
    seal(&mut all)
}
