//! Do the rates of a site agree with what its captures show? A posterior predictive check.
//!
//! Page `i` was captured several times; `G_i` is the time between captures that could be compared. By the rate that is
//! reported for it, it is expected to be seen changed with the chance
//!
//! ```text
//! p_i = 1 - e^(-lambda_i G_i)        mu = sum p_i        X = how many pages were seen to have changed
//! ```
//!
//! If the rates hold, X is a sum of independent trials with the mean `mu`, and Chernoff's bound says of both tails
//!
//! ```text
//! P(X >= x) for x > mu, P(X <= x) for x < mu:   at most e^(-D),   D = x ln(x/mu) - x + mu
//! ```
//!
//! Rates *agree* with the captures while `e^(-D)` is not below [`CHANCE`]. The posteriors have seen the same captures, which
//! draws `mu` towards X: who disagrees nevertheless disagrees by far. That rates agree proves nothing of single pages.
//!
//! Source: Rubin, Bayesianly justifiable and relevant frequency calculations for the applied statistician, Annals of
//! Statistics 1984 (the check); Chernoff, A measure of asymptotic efficiency for tests of a hypothesis, Annals of
//! Mathematical Statistics 1952, in its form for sums of unequal trials (Mitzenmacher, Upfal: Probability and
//! Computing, theorems 4.4 and 4.5). Assumes that pages change independently. Cost: one integration per page.

use crate::change::poisson::Looks;

/// What would happen by chance less often than this refutes the rates.
pub(crate) const CHANCE: f64 = 1e-6;

/// How many pages were seen to have changed, and how many were to be expected.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Check {
    /// Pages with captures that could be compared.
    pub pages: u64,
    /// How many of them changed between captures.
    pub changed: u64,
    /// How many were to be expected by the rates.
    pub expected: f64,
}

impl Check {
    /// Adds a page: its rate per second as it is reported, and its captures.
    pub(crate) fn add(&mut self, rate: f64, looks: &Looks) {
        let compared = looks.unchanged + looks.changed.iter().sum::<f64>();
        if compared > 0.0 {
            self.pages += 1;
            self.changed += u64::from(!looks.changed.is_empty());
            self.expected -= (-rate * compared).exp_m1();
        }
    }

    /// At most so often would chance alone bring as many, or as few, changed pages.
    pub(crate) fn chance(&self) -> f64 {
        let seen = self.changed as f64;
        let distance = if self.changed == 0 {
            self.expected
        } else {
            seen * (seen / self.expected).ln() - seen + self.expected
        };
        (-distance).exp().min(1.0)
    }

    /// Whether the rates agree with the captures.
    pub(crate) fn agrees(&self) -> bool {
        self.chance() >= CHANCE
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: f64 = 86_400.0;

    fn check(pages: u64, changed: u64, expected: f64) -> Check {
        Check { pages, changed, expected }
    }

    #[test]
    fn changes_far_beyond_the_expected_refute_the_rates_and_so_does_their_absence() {
        assert!(!check(191, 42, 0.07).agrees());
        assert!(!check(191, 0, 20.0).agrees());
        assert!(check(191, 42, 40.0).agrees());
        assert!(check(191, 0, 3.0).agrees());
        assert!(check(0, 0, 0.0).agrees());
        assert_eq!(check(10, 4, 4.0).chance(), 1.0);
        assert!(!check(10, 4, 0.0).agrees(), "what cannot happen happened");
    }

    #[test]
    fn only_looks_that_were_compared_count() {
        let mut found = Check::default();
        found.add(1.0 / DAY, &Looks::default());
        assert_eq!(found, Check::default());
        let mut alone = Looks::default();
        alone.gap(DAY, false);
        found.add(1.0 / DAY, &alone);
        assert_eq!((found.pages, found.changed), (1, 0));
        assert!((found.expected - (1.0 - (-1.0f64).exp())).abs() < 1e-12, "once a day: 63% change in a day");
    }

    proptest! {
        #[test]
        fn the_bound_is_above_the_exact_tail_of_unequal_trials(
            chances in prop::collection::vec(0.0f64..1.0, 1..25),
            changed in 0usize..25,
        ) {
            prop_assume!(changed <= chances.len());
            let mut exact = vec![1.0];
            for chance in &chances {
                let mut next = vec![0.0; exact.len() + 1];
                for (number, share) in exact.iter().enumerate() {
                    next[number] += share * (1.0 - chance);
                    next[number + 1] += share * chance;
                }
                exact = next;
            }
            let expected: f64 = chances.iter().sum();
            let tail: f64 = match changed as f64 > expected {
                true => exact[changed..].iter().sum(),
                false => exact[..=changed].iter().sum(),
            };
            let bound = check(chances.len() as u64, changed as u64, expected).chance();
            prop_assert!(tail <= bound + 1e-12, "{tail} {bound}");
        }
    }
}
