//! The rate of a Poisson process, seen only through captures at irregular times.
//!
//! A capture shows whether the page changed since the previous one, not how often. With gaps `g` (seconds), the likelihood of
//! rate `lambda` is
//!
//! ```text
//! L(lambda) = prod_changed (1 - e^(-lambda g)) * lambda^K * e^(-lambda U)
//! ```
//!
//! `U` sums the unchanged time. `K` counts changes whose instant is known (an accepted Last-Modified `mu` ends the gap:
//! nothing changed from `mu` to the capture, and one change happened at `mu`). The maximum solves
//!
//! ```text
//! K/lambda + sum_changed g / (e^(lambda g) - 1) = U
//! ```
//!
//! which has one root, between `(X+K)/(U + G/2)` and `(X+K)/U`, `X` and `G` the number and sum of the changed gaps. For
//! equal gaps and `K = 0` this is `-ln(unchanged/n)/g`. The bias-reduced form adds half an unchanged mean gap; for equal
//! gaps that is `-ln((n-X+0.5)/(n+0.5))/g`.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 8.2 (equal slots); Cho, Garcia-Molina: Estimating frequency of change, ACM TOIT 2003 (bias reduction, and the
//! use of Last-Modified). Irregular gaps: the likelihood above. Cost: O(changed gaps) per step of the root search.

use serde::{Deserialize, Serialize};

/// What the captures of one page say about its rate. Times are seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Looks {
    /// Lengths of the gaps in which the page changed.
    pub changed: Vec<f64>,
    /// Total time in which it is known not to have changed.
    pub unchanged: f64,
    /// How many gaps that total is made of.
    pub unchanged_gaps: u32,
    /// Changes whose instant is known.
    pub pinned: u32,
}

impl Looks {
    /// Adds a gap between two captures.
    pub fn gap(&mut self, seconds: f64, changed: bool) {
        if !(seconds.is_finite() && seconds > 0.0) {
            return;
        }
        if changed {
            self.changed.push(seconds);
        } else {
            self.unchanged += seconds;
            self.unchanged_gaps += 1;
        }
    }

    /// Adds a change that is known to be followed by `seconds` without one.
    pub fn pin(&mut self, seconds: f64) {
        if seconds.is_finite() && seconds >= 0.0 {
            self.pinned += 1;
            self.unchanged += seconds;
        }
    }

    /// Whether the captures say nothing at all.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.unchanged <= 0.0 && self.pinned == 0
    }

    /// How many changes were seen.
    pub fn changes(&self) -> f64 {
        self.changed.len() as f64 + f64::from(self.pinned)
    }

    /// `ln L(lambda)`.
    pub fn log_likelihood(&self, rate: f64) -> f64 {
        let changed: f64 = self.changed.iter().map(|gap| (-(-rate * gap).exp_m1()).ln()).sum();
        changed + f64::from(self.pinned) * rate.ln() - rate * self.unchanged
    }

    /// The rate of greatest likelihood per second. `None`: no change was seen (it would be 0), or no
    /// unchanged time (it would be infinite).
    pub fn most_likely(&self) -> Option<f64> {
        self.root(self.unchanged)
    }

    /// The same with less bias for few captures.
    pub fn bias_reduced(&self) -> Option<f64> {
        let gaps = self.changed.len() as f64 + f64::from(self.unchanged_gaps);
        let total = self.changed.iter().sum::<f64>() + self.unchanged;
        self.root(self.unchanged + if gaps > 0.0 { total / gaps / 2.0 } else { 0.0 })
    }

    fn root(&self, unchanged: f64) -> Option<f64> {
        if self.changes() == 0.0 || unchanged <= 0.0 {
            return None;
        }
        let changed: f64 = self.changed.iter().sum();
        let mut low = self.changes() / (unchanged + changed / 2.0);
        let mut high = self.changes() / unchanged;
        // The left side falls in lambda: bisection in the logarithm halves the digits still wanted with each step.
        for _ in 0..200 {
            let middle = (low * high).sqrt();
            if middle <= low || middle >= high {
                break;
            }
            let left = f64::from(self.pinned) / middle
                + self.changed.iter().map(|gap| gap / (middle * gap).exp_m1()).sum::<f64>();
            if left > unchanged { low = middle } else { high = middle }
        }
        Some((low * high).sqrt())
    }
}

/// The chance that a page of this rate does not change for a time.
pub(crate) fn survival(rate: f64, seconds: f64) -> f64 {
    (-rate * seconds).exp()
}

/// The expected number of changes in a gap of which it is known that there was at least one: `x / (1 - e^-x)`.
pub(crate) fn changes_given_one(rate: f64, seconds: f64) -> f64 {
    let expected = rate * seconds;
    if expected < 1e-300 { 1.0 } else { expected / -(-expected).exp_m1() }
}

/// For how long a page is unchanged with the chance `tau`: `ln(1/tau) / lambda` (Mazeika, Denev, Spaniol, Weikum: The
/// SOLAR System for Sharp Web Archiving, IWAW 2010, eq. 1).
#[cfg(test)]
pub(crate) fn confidence_length(rate: f64, tau: f64) -> f64 {
    -tau.ln() / rate
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn equal(unchanged: u32, changed: usize, gap: f64) -> Looks {
        Looks {
            changed: vec![gap; changed],
            unchanged: f64::from(unchanged) * gap,
            unchanged_gaps: unchanged,
            pinned: 0,
        }
    }

    #[test]
    fn equal_gaps_have_the_closed_form() {
        let looks = equal(6, 4, 3600.0);
        let closed = -(6.0f64 / 10.0).ln() / 3600.0;
        assert!((looks.most_likely().unwrap() / closed - 1.0).abs() < 1e-12);
        let reduced = -(6.5f64 / 10.5).ln() / 3600.0;
        assert!((looks.bias_reduced().unwrap() / reduced - 1.0).abs() < 1e-12);
    }

    #[test]
    fn all_unchanged_and_all_changed_have_no_estimate() {
        assert_eq!(equal(5, 0, 60.0).most_likely(), None);
        assert_eq!(equal(0, 5, 60.0).most_likely(), None);
        assert!(equal(0, 5, 60.0).bias_reduced().is_some());
        assert_eq!(Looks::default().bias_reduced(), None);
    }

    #[test]
    fn a_known_history_gives_changes_by_time() {
        let looks = Looks { pinned: 7, unchanged: 100.0, ..Looks::default() };
        assert!((looks.most_likely().unwrap() - 0.07).abs() < 1e-12);
    }

    #[test]
    fn the_length_of_confidence_is_that_of_the_paper() {
        // The smooth data set: rates ln(1/0.7)/i give intervals of the lengths 1, 2, 3, ... at tau = 0.7.
        for length in 1..=1000 {
            let rate = (1.0f64 / 0.7).ln() / f64::from(length);
            assert!((confidence_length(rate, 0.7) - f64::from(length)).abs() < 1e-9);
        }
    }

    #[test]
    fn at_least_one_change_is_expected_where_one_was_seen() {
        assert_eq!(changes_given_one(0.0, 10.0), 1.0);
        assert!((changes_given_one(1e-12, 1.0) - 1.0).abs() < 1e-11);
        assert!((changes_given_one(1.0, 1.0) - 1.0 / (1.0 - (-1.0f64).exp())).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn no_rate_of_a_grid_is_likelier_than_the_root(
            changed in prop::collection::vec(1.0f64..1e7, 0..12),
            unchanged in prop::collection::vec(1.0f64..1e7, 1..12),
            pinned in 0u32..4,
        ) {
            let mut looks = Looks { pinned, ..Looks::default() };
            changed.iter().for_each(|gap| looks.gap(*gap, true));
            unchanged.iter().for_each(|gap| looks.gap(*gap, false));
            prop_assume!(looks.changes() > 0.0);
            let best = looks.most_likely().unwrap();
            let top = looks.log_likelihood(best);
            for step in -200..=200 {
                let rate = best * (f64::from(step) * 0.05).exp();
                prop_assert!(looks.log_likelihood(rate) <= top + 1e-9 * (1.0 + top.abs()));
            }
        }
    }
}
