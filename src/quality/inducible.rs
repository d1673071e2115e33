//! Inducible coherence: by visiting every page twice.
//!
//! ```text
//! holds   iff every page is the same at visit and revisit, and all [t_visit, t_revisit] share a point
//! q       = #{ i : theta(p_i) != theta(p~_i) } / n          an error share: 0 is best
//! ```
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart: Data Quality in Web Archiving, WICOW 2009, Def. 3.5 and 3.6.
//! DIFFERENCE: `n` counts the pages that could be judged; a page seen once is no error, but with it nothing holds for
//! certain. Cost: O(n) after the sweep.

use crate::quality::sharpness::Sharpness;

/// The share of judged pages that changed; `None` if none could be judged.
pub(crate) fn error(sharpness: &Sharpness) -> Option<f64> {
    (sharpness.judged() > 0).then(|| sharpness.changed as f64 / sharpness.judged() as f64)
}

/// Whether the capture is inducibly coherent: `full` says whether all proven intervals share a point. A page known to
/// have changed refutes it; anything else that is missing leaves it open.
pub(crate) fn holds(sharpness: &Sharpness, full: bool) -> Option<bool> {
    match () {
        () if sharpness.changed > 0 => Some(false),
        () if sharpness.total() == 0 || sharpness.judged() < sharpness.total() => None,
        () => Some(full),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(sharp: usize, changed: usize, single: usize) -> Sharpness {
        Sharpness { sharp, changed, single, ..Sharpness::default() }
    }

    #[test]
    fn one_changed_page_of_four_is_an_error_of_a_quarter() {
        assert_eq!(error(&counts(3, 1, 0)), Some(0.25));
        assert_eq!(holds(&counts(3, 1, 0), true), Some(false));
    }

    #[test]
    fn a_page_seen_once_is_no_error_but_leaves_the_question_open() {
        assert_eq!(error(&counts(3, 0, 5)), Some(0.0));
        assert_eq!(holds(&counts(3, 0, 5), true), None);
        assert_eq!(error(&counts(0, 0, 5)), None);
        assert_eq!(holds(&counts(3, 0, 0), true), Some(true));
        assert_eq!(holds(&counts(3, 0, 0), false), Some(false));
    }
}
