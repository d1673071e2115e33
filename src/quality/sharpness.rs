//! Sharpness: how many pages are known to have been unchanged between their captures.
//!
//! ```text
//! coherence(c) = #{ pages whose visit and revisit are the same }
//! ```
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! Def. 2. DIFFERENCE: a page seen once, or whose captures cannot be compared, is neither coherent nor incoherent; the
//! number is given together with how many pages could be judged. With more than two captures, all must be the same.

use crate::change::run::PageState;
use crate::quality::weight::Weights;

/// How many pages are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sharpness {
    /// All captures the same.
    pub sharp: usize,
    /// Known to have changed.
    pub changed: usize,
    /// Seen once.
    pub single: usize,
    /// Not decided.
    pub unknown: usize,
    /// The units of the sharp pages.
    pub sharp_weight: u64,
    /// The units of the sharp and the changed pages.
    pub judged_weight: u64,
}

impl Sharpness {
    /// Counts the states of pages, each with its place among the weights.
    pub(crate) fn of(states: impl IntoIterator<Item = (usize, PageState)>, weights: &Weights) -> Self {
        let mut sharpness = Sharpness::default();
        for (page, state) in states {
            match state {
                PageState::Sharp => {
                    sharpness.sharp += 1;
                    sharpness.sharp_weight += weights.units(page);
                    sharpness.judged_weight += weights.units(page);
                }
                PageState::Changed => {
                    sharpness.changed += 1;
                    sharpness.judged_weight += weights.units(page);
                }
                PageState::Single => sharpness.single += 1,
                PageState::Unknown => sharpness.unknown += 1,
            }
        }
        sharpness
    }

    /// All pages.
    pub(crate) fn total(&self) -> usize {
        self.sharp + self.changed + self.single + self.unknown
    }

    /// The pages of which it is known whether they changed.
    pub(crate) fn judged(&self) -> usize {
        self.sharp + self.changed
    }
}

/// The expected coherence of intervals between visit and revisit: `sum w e^(-lambda I)`.
///
/// Source: the same, Def. 5.
#[cfg(test)]
pub(crate) fn expected(pages: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    pages.into_iter().map(|(rate, interval)| (-rate * interval).exp()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_counted_by_number_and_weight() {
        use PageState::{Changed, Sharp, Single, Unknown};
        let weights = Weights::new(&[1.0, 2.0, 3.0, 2.0]);
        let sharpness = Sharpness::of([Sharp, Changed, Single, Unknown].into_iter().enumerate(), &weights);
        assert_eq!((sharpness.total(), sharpness.judged()), (4, 2));
        assert_eq!(weights.share(sharpness.sharp_weight), Some(0.125));
        assert_eq!(weights.share(sharpness.judged_weight), Some(0.375));
    }

    #[test]
    fn sharc_example_9_expects_2_222806_coherent_pages() {
        let schedule = [(0.40, 0.0), (0.35, 2.0), (0.30, 4.0), (0.25, 6.0), (0.20, 8.0)];
        assert!((expected(schedule) - 2.222806).abs() < 5e-7);
    }

    #[test]
    fn sharc_example_10_weighs_a_hopeful_against_a_hopeless_page() {
        // The hottest page is settled at interval 0; the next one is .35 in the shortest interval left, or hopeless.
        let hopeful = expected([(0.35, 2.0), (0.30, 4.0), (0.25, 6.0), (0.20, 8.0)]);
        let hopeless = expected([(0.30, 2.0), (0.25, 4.0), (0.20, 6.0), (0.35, 8.0)]);
        assert!((hopeful - 1.222806).abs() < 5e-7, "{hopeful}");
        assert!((hopeless - 1.278695).abs() < 5e-7, "{hopeless}");
    }
}
