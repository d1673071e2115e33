//! Measurable coherence: as of the start of the crawl, by Last-Modified.
//!
//! ```text
//! f(p_i) = 0 if mu_i <= t_s, else 1
//! q      = sum f(p_i) / n                                 an error share: 0 is best
//! ```
//!
//! `t_s` is the start of the crawl: the only instant for which every interval `[mu_i, t_i]` can be asked.
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart: Data Quality in Web Archiving, WICOW 2009, Lemma 3.3, Def. 3.4.
//! DIFFERENCE: pages without Last-Modified make the error a range, and so do those modified in the very second in which
//! the crawl began, for Last-Modified is cut to seconds. A page captured at the start itself needs no stamp.

use crate::quality::observable::Stamps;
use crate::time::SECOND;

/// The least and the greatest error share; `None` without pages.
pub(crate) fn error(pages: &Stamps) -> Option<(f64, f64)> {
    let start = pages.first?;
    // Whether a page without Last-Modified changed is unknown, but for those captured at the start itself.
    let (mut certain, mut possible) = (0u64, pages.unstamped - pages.unstamped_at_first);
    for (_, modified) in pages.stamped.iter().filter(|(time, _)| *time > start) {
        match () {
            () if *modified > start => certain += 1,
            () if modified.plus(SECOND) > start => possible += 1,
            () => {}
        }
    }
    let share = |count: u64| count as f64 / pages.pages() as f64;
    Some((share(certain), share(certain + possible)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::observable::Stamped;
    use crate::time::Instant;

    fn error(pages: &[Stamped]) -> Option<(f64, f64)> {
        super::error(&pages.iter().copied().collect())
    }

    fn stamped(last_modified: Option<i64>, time: i64) -> Stamped {
        Stamped { time: Instant(time * SECOND), last_modified: last_modified.map(|at| Instant(at * SECOND)) }
    }

    #[test]
    fn figure_3_of_data_quality_in_web_archiving() {
        // Top: all pages modified before the start. Bottom: page 3 was modified at t2.
        let top = [stamped(Some(-9), 1), stamped(Some(-5), 2), stamped(Some(-7), 3), stamped(Some(-2), 4)];
        assert_eq!(error(&top), Some((0.0, 0.0)));
        let mut bottom = top;
        bottom[2] = stamped(Some(2), 3);
        assert_eq!(error(&bottom), Some((0.25, 0.25)));
    }

    #[test]
    fn pages_without_stamp_make_a_range() {
        let pages = [stamped(None, 1), stamped(None, 2), stamped(Some(2), 3), stamped(Some(-5), 4)];
        assert_eq!(error(&pages), Some((0.25, 0.5)));
        assert_eq!(error(&[]), None);
    }

    #[test]
    fn the_second_in_which_the_crawl_began_is_open() {
        let pages = [
            Stamped { time: Instant(SECOND / 2), last_modified: None },
            Stamped { time: Instant(5 * SECOND), last_modified: Some(Instant(0)) },
        ];
        assert_eq!(error(&pages), Some((0.0, 0.5)));
    }
}
