//! All captures of a URL, where one of them is a 304: what that may confirm.

use super::state::{State, state};
use crate::audit::soft404::Signs;
use crate::capture::table::Row;
use crate::change::evidence::Judge;
use crate::change::run::Versions;
use crate::url::Canon;

/// All captures of a URL that has a 304, on any side and at any date.
#[derive(Clone, Copy)]
pub(super) struct History<'t> {
    pub rows: &'t [Row],
    /// Its `Last-Modified` dates are believed, as in the audit.
    pub modified: bool,
    /// One of them has content, is a redirect to elsewhere or was cut: something is there that a 304 may speak of.
    pub has_content: bool,
}

impl<'t> History<'t> {
    pub(super) fn new(judge: &Judge<'t>, rows: &'t [Row], canon: Canon, signs: &Signs) -> Self {
        let has_content = |row: &Row| {
            let (state, _) = state(judge.table(), row, canon, signs);
            !repeats_only(row) && !matches!(state, State::Gone | State::Failed | State::Way)
        };
        History {
            rows,
            modified: Versions::of(judge, rows).contradicted.is_empty(),
            has_content: rows.iter().any(has_content),
        }
    }
}

/// Whether a capture is a 304, which has no content of its own. A writer may give it the status of what it confirms.
pub(super) fn repeats_only(row: &Row) -> bool {
    row.not_modified && row.status != Some(200)
}

/// Why a 304 does not show which content it confirms, where it says nothing of it.
pub(super) fn says_nothing(row: &Row) -> Option<&'static str> {
    let is_silent = !row.names_original && row.etag.is_none() && row.last_modified.is_none();
    is_silent.then_some("it names no capture and has neither ETag nor Last-Modified")
}
