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

/// The pages of a site. Of those without Last-Modified, which may be millions, only the number is needed.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    /// The first capture of any page.
    pub first: Option<Instant>,
    /// Capture and Last-Modified of the pages that have one.
    pub stamped: Vec<(Instant, Instant)>,
    pub unstamped: u64,
    /// How many of these were captured first of all.
    pub unstamped_at_first: u64,
}

impl Stamps {
    pub(crate) fn add(&mut self, Stamped { time, last_modified }: Stamped) {
        if self.first.is_none_or(|first| time < first) {
            (self.first, self.unstamped_at_first) = (Some(time), 0);
        }
        match last_modified {
            Some(modified) => self.stamped.push((time, modified)),
            None => {
                self.unstamped += 1;
                self.unstamped_at_first += u64::from(self.first == Some(time));
            }
        }
    }

    /// Number of pages, with Last-Modified or without.
    pub(crate) fn pages(&self) -> u64 {
        self.stamped.len() as u64 + self.unstamped
    }
}

impl FromIterator<Stamped> for Stamps {
    fn from_iter<T: IntoIterator<Item = Stamped>>(pages: T) -> Self {
        let mut stamps = Stamps::default();
        pages.into_iter().for_each(|page| stamps.add(page));
        stamps
    }
}

/// Whether all pages are observably coherent.
pub(crate) fn holds(pages: &Stamps) -> Option<bool> {
    let first = pages.first?;
    let latest = pages.stamped.iter().map(|(_, modified)| *modified).max();
    if latest.is_some_and(|latest| latest > first) {
        return Some(false);
    }
    (pages.unstamped == 0).then_some(true)
}

/// The most pages whose intervals share a point.
pub(crate) fn pages(pages: &Stamps) -> u32 {
    let spans = pages.stamped.iter().filter_map(|(time, modified)| Interval::new(*modified, *time));
    Coverage::of(spans.map(|interval| (Span::closed(interval), 1))).best_by_number().pages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamped(last_modified: Option<i64>, time: i64) -> Stamped {
        Stamped { time: Instant(time), last_modified: last_modified.map(Instant) }
    }

    fn holds<const N: usize>(pages: [Stamped; N]) -> Option<bool> {
        super::holds(&Stamps::from_iter(pages))
    }

    #[test]
    fn intervals_that_share_a_point_are_coherent() {
        assert_eq!(holds([stamped(Some(0), 5), stamped(Some(4), 9), stamped(Some(5), 12)]), Some(true));
        assert_eq!(holds([stamped(Some(0), 5), stamped(Some(6), 9)]), Some(false));
        let three = [stamped(Some(0), 5), stamped(Some(6), 9), stamped(Some(4), 8)];
        assert_eq!(pages(&three.into_iter().collect()), 2);
    }

    #[test]
    fn a_page_without_stamp_leaves_the_question_open_unless_it_is_refuted_anyway() {
        assert_eq!(holds([stamped(Some(0), 5), stamped(None, 9)]), None);
        assert_eq!(holds([stamped(Some(7), 9), stamped(None, 5)]), Some(false));
        assert_eq!(holds([]), None);
    }
}
