//! Observable coherence: by Last-Modified.
//!
//! A page captured at `t` with Last-Modified `mu` was online from `mu` to `t`, if the server is to be believed.
//!
//! ```text
//! holds   iff the intervals [mu_i, t_i] of all pages share a point, that is max mu <= min t
//! ```
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart: Data Quality in Web Archiving, WICOW 2009, Def. 3.2. DIFFERENCE:
//! a page without Last-Modified has a known right end only, so the answer may be open. Cost: O(n log n).

use crate::quality::span::Span;
use crate::quality::sweep::Coverage;
use crate::time::{Instant, Interval};

/// One page: when it was captured, and its accepted Last-Modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamped {
    /// When it was captured.
    pub time: Instant,
    /// When it was last modified, by the server's word.
    pub last_modified: Option<Instant>,
}

/// Whether all pages are observably coherent.
pub(crate) fn holds(pages: &[Stamped]) -> Option<bool> {
    let first = pages.iter().map(|page| page.time).min()?;
    let latest = pages.iter().filter_map(|page| page.last_modified).max();
    if latest.is_some_and(|latest| latest > first) {
        return Some(false);
    }
    pages.iter().all(|page| page.last_modified.is_some()).then_some(true)
}

/// The most pages whose intervals share a point.
pub(crate) fn pages(pages: &[Stamped]) -> u32 {
    let spans = pages.iter().filter_map(|page| Interval::new(page.last_modified?, page.time));
    Coverage::of(spans.map(|interval| (Span::closed(interval), 1))).best_by_number().pages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamped(last_modified: Option<i64>, time: i64) -> Stamped {
        Stamped { time: Instant(time), last_modified: last_modified.map(Instant) }
    }

    #[test]
    fn intervals_that_share_a_point_are_coherent() {
        assert_eq!(holds(&[stamped(Some(0), 5), stamped(Some(4), 9), stamped(Some(5), 12)]), Some(true));
        assert_eq!(holds(&[stamped(Some(0), 5), stamped(Some(6), 9)]), Some(false));
        assert_eq!(pages(&[stamped(Some(0), 5), stamped(Some(6), 9), stamped(Some(4), 8)]), 2);
    }

    #[test]
    fn a_page_without_stamp_leaves_the_question_open_unless_it_is_refuted_anyway() {
        assert_eq!(holds(&[stamped(Some(0), 5), stamped(None, 9)]), None);
        assert_eq!(holds(&[stamped(Some(7), 9), stamped(None, 5)]), Some(false));
        assert_eq!(holds(&[]), None);
    }
}
