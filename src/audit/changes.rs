//! The importance of changes: reads the bodies of two versions again and compares them block by block.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::archive::remote::RangeReader;
use crate::audit::bodies::Bodies;
use crate::capture::intern::Id;
use crate::capture::page::is_html;
use crate::capture::table::{Row, Table};
use crate::change::run::{Link, Run, Versions};
use crate::html::blocks::{Block, blocks};
use crate::quality::change_importance::{ChangeImportance, change_importance};
use crate::quality::weights::ChangeWeights;
use crate::time::Instant;

/// Maximum bytes of bodies compared in one run.
pub(crate) const MAX_COMPARED_BYTES: u64 = 4 << 30;

/// The blocks of one version, or why they are not available.
type Cut = Rc<Result<Vec<Block>, String>>;

/// Measures the importance of changes.
pub struct ChangeMeter {
    weights: ChangeWeights,
    bodies: Bodies,
    /// Bytes that may still be read.
    left: Cell<u64>,
    /// Whether a body could not be had.
    lacks: Cell<bool>,
    /// The version read last: the later one of a change is the earlier one of the next.
    last: RefCell<Option<(Id, Cut)>>,
}

impl fmt::Debug for ChangeMeter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ChangeMeter").field("left", &self.left).finish_non_exhaustive()
    }
}

/// The captures of a page in a window, and what they show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub table: &'a Table,
    /// Captures in the window.
    pub rows: &'a [Row],
    /// All captures of the page, also outside of the window.
    pub all: &'a [Row],
    pub versions: &'a Versions,
}

/// One change of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    /// The run that it began, as an index into the runs of the page.
    pub run: usize,
    /// The last capture of the version before the change.
    pub from: Instant,
    /// The first capture of the version after.
    pub to: Instant,
    /// What changed, or why this is unknown.
    pub importance: Result<ChangeImportance, String>,
}

impl ChangeMeter {
    /// A meter with a table of weights that reads at most `budget` bytes.
    pub fn new(weights: ChangeWeights, budget: u64) -> Self {
        ChangeMeter {
            weights,
            bodies: Bodies::default(),
            left: Cell::new(budget),
            lacks: Cell::new(false),
            last: RefCell::default(),
        }
    }

    /// Also reads archives that are not on this disk.
    pub(crate) fn fetching(self, remote: Option<Arc<RangeReader>>) -> Self {
        ChangeMeter { bodies: Bodies::fetching(remote), ..self }
    }

    /// Forgets what it read last: the next captures are of another table.
    pub(crate) fn forget(&self) {
        self.bodies.forget();
        *self.last.borrow_mut() = None;
    }

    /// The table of weights.
    pub(crate) fn weights(&self) -> &ChangeWeights {
        &self.weights
    }

    /// Whether a body that was needed could not be had.
    pub(crate) fn lacks_bodies(&self) -> bool {
        self.lacks.get()
    }

    /// The changes of a page between runs that are known to differ.
    pub(crate) fn changes(&self, page: &Shown<'_>) -> Vec<Change> {
        changes(page.versions, |before, after| self.between(page, before, after))
    }

    fn between(&self, page: &Shown<'_>, before: &Run, after: &Run) -> Result<ChangeImportance, String> {
        let before = self.cut(page, before);
        let before = before.as_ref().as_ref().map_err(Clone::clone)?;
        let after = self.cut(page, after);
        let after = after.as_ref().as_ref().map_err(Clone::clone)?;
        Ok(change_importance(before, after, &self.weights))
    }

    /// The blocks of the version in a run.
    fn cut(&self, page: &Shown<'_>, run: &Run) -> Cut {
        let table = page.table;
        let mut rows = run.looks.clone().map(|look| &page.rows[page.versions.looks[look].row]);
        let Some(row) = rows.find_map(|row| held(&self.bodies, page, row)) else {
            self.lacks.set(true);
            return Rc::new(Err("its body is not in the archives read".to_owned()));
        };
        if let Some((body, cut)) = &*self.last.borrow()
            && Some(*body) == row.body
        {
            return Rc::clone(cut);
        }
        let cut = Rc::new(self.read(table, row));
        if let Some(body) = row.body {
            *self.last.borrow_mut() = Some((body, Rc::clone(&cut)));
        }
        cut
    }

    fn read(&self, table: &Table, row: &Row) -> Result<Vec<Block>, String> {
        if !row.mime.is_some_and(|mime| is_html(table.text(mime))) {
            return Err("it is not HTML".to_owned());
        }
        if self.left.get() == 0 {
            return Err("the limit of bytes to compare was reached before this capture".to_owned());
        }
        let body = self.bodies.fetch(table, row).inspect_err(|_| self.lacks.set(true))?;
        self.left.set(self.left.get().saturating_sub(body.bytes.len() as u64));
        blocks(&body.bytes, body.content_type.as_deref().map(str::as_bytes))
            .map_err(|problem| problem.message)
    }
}

/// The changes of a page between runs that are known to differ, each measured by `measure`.
pub(crate) fn changes(
    versions: &Versions,
    measure: impl Fn(&Run, &Run) -> Result<ChangeImportance, String>,
) -> Vec<Change> {
    let pairs = versions.runs.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| matches!(pair[0].link, Some(Link::Different(_))))
        .map(|(place, pair)| Change {
            run: place + 1,
            from: versions.looks[pair[0].looks.end - 1].time,
            to: versions.looks[pair[1].looks.start].time,
            importance: measure(&pair[0], &pair[1]),
        })
        .collect()
}

/// The row that holds the body of a row: itself, or for a revisit a capture of the page with the same body.
fn held<'t>(bodies: &Bodies, page: &Shown<'t>, row: &'t Row) -> Option<&'t Row> {
    if bodies.reaches(row) {
        return Some(row);
    }
    row.body.and_then(|body| page.all.iter().find(|other| other.body == Some(body) && bodies.reaches(other)))
}

#[cfg(test)]
#[path = "labelled_changes_tests.rs"]
mod labelled;
