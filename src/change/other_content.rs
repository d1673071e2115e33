//! Captures of something else: they show no version of the page, but they show that it was not the one around them.
//!
//! Such a capture is cut, and its body begins unlike the page ([`crate::ingest`] compares them), or its status, which is whole, is
//! another one: 404, 410 or a redirect elsewhere. Or it is an answer with status 200 and other content in another media type: the
//! address answered with that, so nothing is proven over it ([`super::firm`]). A `resource` of another media type was made from
//! the page, as a screenshot is, and says nothing.

use crate::capture::Kind;
use crate::capture::table::{Row, Table};
use crate::change::evidence::Identity;
use crate::change::firm::Window;
use crate::change::role::{Aside, leads_away, same_as_written};
use crate::change::run::{Look, REACH};
use crate::time::Instant;

/// The captures of a page that show something else, in time order.
pub(crate) struct Strays<'a> {
    table: &'a Table,
    rows: &'a [Row],
    found: Vec<&'a Row>,
    /// The longest time that one of them took, and that a cache kept one, in microseconds.
    longest: i64,
    kept: i64,
}

impl<'a> Strays<'a> {
    pub(crate) fn of(table: &'a Table, rows: &'a [Row], identities: &[Result<Identity, Aside>]) -> Self {
        let shows = |(place, row): &(usize, &Row)| {
            let is_cut = row.truncated && (row.strays || tells_by_status(row).is_some());
            is_cut || answers_otherwise(row, identities[*place].as_ref().err())
        };
        let found: Vec<&Row> = rows.iter().enumerate().filter(shows).map(|(_, row)| row).collect();
        let most = |of: fn(&Row) -> i64| found.iter().map(|row| of(row)).max().unwrap_or(0);
        let longest = most(|row| row.end.0.saturating_sub(row.time.0));
        let kept = most(|row| row.time.0.saturating_sub(row.made.0));
        Strays { table, rows, found, longest, kept }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The first capture of something else that may have been made between two captures of one version.
    pub(crate) fn between(&self, one: &Look, other: &Look) -> Option<&'a Row> {
        let from = self.found.partition_point(|row| row.time < one.time.plus(-self.longest));
        let to = self.found.partition_point(|row| row.time <= other.end.plus(self.kept));
        let near = self.found.get(from..to).unwrap_or_default();
        let is_between = |row: &Row| Window::of(row).iter().any(|window| window.may_lie_between(one, other));
        let mut found = near.iter().copied().filter(|row| is_between(row));
        found.find(|row| self.differs(row, &self.rows[one.row]))
    }

    /// When something else was shown last before a capture.
    pub(crate) fn last_before(&self, look: &Look) -> Option<Instant> {
        let behind = self.found.partition_point(|row| row.time <= look.captured);
        let mut near = self.found[behind.saturating_sub(REACH)..behind].iter().rev();
        near.find(|row| self.differs(row, &self.rows[look.row])).map(|stray| stray.end)
    }

    /// Whether a capture of something else speaks against a version of the page.
    fn differs(&self, stray: &Row, page: &Row) -> bool {
        if stray.truncated {
            return stray.strays || tells_by_status(stray) != page.status;
        }
        let is_same = match (stray.body, page.body) {
            (Some(one), Some(other)) => one == other,
            _ => stray.declared.is_some() && stray.declared == page.declared,
        };
        !is_same && same_as_written(self.table, stray.url, page.url)
    }
}

/// Whether a capture is an answer with status 200 that is of another media type than the page.
fn answers_otherwise(row: &Row, aside: Option<&Aside>) -> bool {
    aside == Some(&Aside::OtherMedia) && row.kind != Kind::Resource && row.status == Some(200)
}

/// The status of a cut capture, where it says all: there is no such page, or it is elsewhere.
fn tells_by_status(row: &Row) -> Option<u16> {
    row.status.filter(|status| matches!(status, 404 | 410) || (*status != 304 && leads_away(row)))
}
