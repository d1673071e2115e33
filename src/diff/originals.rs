//! What revisits without the head of their response were answered with: the 200 of their originals.
//!
//! Such a revisit says that the body was the same, and nothing of the status. Beside a page or an image that is enough: the bodies decide. Beside a
//! redirect only the status does.

use std::collections::HashSet;

use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::table::{Row, Table};
use crate::change::evidence::Identity;

/// The places of originals that were answered with 200.
#[derive(Debug)]
pub(super) struct Originals(HashSet<Id>);

impl Originals {
    /// Those in a table, of both sides.
    pub(super) fn of(table: &Table) -> Self {
        let named: HashSet<Id> = table.rows().iter().filter_map(original).collect();
        if named.is_empty() {
            return Originals(named);
        }
        let answered = |row: &&Row| row.kind == Kind::Response && row.status == Some(200) && !row.truncated;
        let places = table.rows().iter().filter(answered).filter_map(|row| table.place_of(row));
        Originals(places.filter(|place| named.contains(place)).collect())
    }

    /// The identity of a capture, with the status of its original if it has none itself.
    pub(super) fn status_into(&self, row: &Row, identity: Identity) -> Identity {
        match original(row) {
            Some(place) if self.0.contains(&place) => identity.with_status(200),
            _ => identity,
        }
    }
}

/// The place of the original of a revisit that has no status of its own.
fn original(row: &Row) -> Option<Id> {
    let is_bare =
        row.kind == Kind::Revisit && row.status.is_none() && !row.not_modified && row.at_odds.is_none();
    row.original.filter(|_| is_bare)
}
