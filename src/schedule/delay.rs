//! Δ from the data: the pause that the last crawl kept between two pages of a host.
//!
//! ```text
//! Δ = median of t(k+1) − t(k) over successive captures k, k+1 of different pages of one host in one crawl,
//!     0 < t(k+1) − t(k) < 1 hour
//! ```
//!
//! What is fetched between two pages (images, redirects) belongs to the slot of a page, so only pages are counted. No pause
//! at all means that the crawler asked for two pages at once, or that the clock is too coarse to tell: neither is a pause
//! that was kept. A silence of an hour is the end of a crawl, not politeness. The same page again shows when it was revisited,
//! not how fast the crawler went. Cost: one sort.

use crate::time::{Instant, SECOND};

/// A silence of this length or more is the end of a crawl, not a pause.
const SILENCE: i64 = 3_600 * SECOND;

/// One capture of a page: in which lane of which crawl, of which page, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fetch<L> {
    /// Crawl and host: pauses are counted within one.
    pub lane: L,
    pub at: Instant,
    pub page: u32,
}

/// The median pause in seconds; `None` where no pause can be seen. Of an even number of pauses the lower middle one.
pub(crate) fn median_pause<L: Ord + Copy>(mut fetches: Vec<Fetch<L>>) -> Option<f64> {
    fetches.sort_unstable();
    let mut pauses: Vec<i64> = fetches
        .windows(2)
        .filter(|pair| pair[0].lane == pair[1].lane && pair[0].page != pair[1].page)
        .map(|pair| pair[1].at.0.saturating_sub(pair[0].at.0))
        .filter(|pause| *pause > 0 && *pause < SILENCE)
        .collect();
    let middle = pauses.len().checked_sub(1)? / 2;
    let (_, median, _) = pauses.select_nth_unstable(middle);
    Some(*median as f64 / SECOND as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fetch(lane: u32, seconds: f64, page: u32) -> Fetch<u32> {
        Fetch { lane, at: Instant((seconds * SECOND as f64) as i64), page }
    }

    #[test]
    fn the_median_pause_is_taken_within_hosts_and_crawls() {
        let crawl = [(0.0, 0), (2.0, 1), (4.5, 2), (6.5, 3)].map(|(at, page)| fetch(1, at, page));
        let other = [(0.25, 4), (10.25, 5)].map(|(at, page)| fetch(2, at, page));
        assert_eq!(median_pause([&crawl[..], &other[..]].concat()), Some(2.0));
        assert_eq!(median_pause(crawl[..2].to_vec()), Some(2.0));
    }

    #[test]
    fn what_is_no_pause_between_pages_is_not_counted() {
        assert_eq!(median_pause::<u32>(vec![]), None);
        assert_eq!(median_pause(vec![fetch(1, 0.0, 0)]), None);
        let again = vec![fetch(1, 0.0, 0), fetch(1, 60.0, 0)];
        assert_eq!(median_pause(again), None);
        let at_once = vec![fetch(1, 5.0, 0), fetch(1, 5.0, 1), fetch(1, 6.0, 2)];
        assert_eq!(median_pause(at_once), Some(1.0));
        let yearly =
            vec![fetch(1, 0.0, 0), fetch(1, 3.0, 1), fetch(1, 31_536_000.0, 0), fetch(1, 31_536_003.0, 1)];
        assert_eq!(median_pause(yearly), Some(3.0));
    }

    proptest! {
        #[test]
        fn a_crawl_of_one_pace_has_that_pause_in_any_order_of_records(
            pace in 1u32..3_599, count in 2usize..40, turn in 0usize..40
        ) {
            let mut fetches: Vec<_> =
                (0..count).map(|page| fetch(0, page as f64 * f64::from(pace), page as u32)).collect();
            fetches.rotate_left(turn % count);
            prop_assert_eq!(median_pause(fetches), Some(f64::from(pace)));
        }
    }
}
