//! How many errors a leaf must be expected to make on pages it has not seen.
//!
//! A leaf that held `N` examples and misjudged `E` of them is taken to misjudge a share `U` of all pages, the upper
//! bound of that share at confidence `CF`:
//!
//! ```text
//! P(X <= E | N, U) = I_{1-U}(N - E, E + 1) = CF          X binomial, I the regularised incomplete Beta function
//! ```
//!
//! For `E = 0` that is `1 - CF^(1/N)`. A subtree is replaced by a leaf where the leaf's `N U` is no more than the sum
//! over the leaves of the subtree. The Beta form holds for the fractions of examples that missing features lead to.
//!
//! Source: Quinlan: C4.5, Programs for Machine Learning, Morgan Kaufmann 1993, chapter 4, with `CF` = 25%. DIFFERENCE:
//! the bound is solved exactly where the program approximates it; subtrees are replaced by leaves only, not by their
//! largest branch. Cost: some sixty steps of bisection a node.

use crate::change::special::ln_gamma;

/// The confidence at which a leaf's errors are bounded.
pub(crate) const CONFIDENCE: f64 = 0.25;

/// The regularised incomplete Beta function `I_x(a, b)` (Abramowitz and Stegun 26.5.8, by Lentz' method).
fn beta_share(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast left of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(b, a, 1.0 - x);
    }
    const TINY: f64 = 1e-300;
    let keep = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / keep(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for step in 1..300 {
        let m = f64::from(step);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / keep(1.0 + term * d);
            c = keep(1.0 + term / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    let front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p();
    front.exp() * fraction / a
}

/// `U`: the upper bound of the share of errors.
pub(crate) fn upper_bound(errors: f64, examples: f64) -> f64 {
    if examples - errors <= 1e-9 {
        return 1.0;
    }
    if errors <= 1e-9 {
        return 1.0 - CONFIDENCE.powf(1.0 / examples);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if beta_share(examples - errors, errors + 1.0, 1.0 - middle) > CONFIDENCE {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// `N U`: the errors expected of a leaf with these weights of the classes.
pub(crate) fn expected_errors(counts: &[f64]) -> f64 {
    let examples: f64 = counts.iter().sum();
    let right = counts.iter().copied().fold(0.0, f64::max);
    examples * upper_bound(examples - right, examples)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_the_book_is_decided_as_in_the_book() {
        // Chapter 4: three leaves of 6, 9 and 1 without an error are worse than one leaf of 16 with one.
        for (examples, bound) in [(6.0, 0.206), (9.0, 0.143), (1.0, 0.750)] {
            assert!((upper_bound(0.0, examples) - bound).abs() < 6e-4, "U(0, {examples})");
        }
        let leaves =
            expected_errors(&[6.0, 0.0]) + expected_errors(&[9.0, 0.0]) + expected_errors(&[0.0, 1.0]);
        assert!((leaves - 3.273).abs() < 5e-3, "{leaves}");
        // The book has 0.157 and 2.512 here, by its approximation; (1-U)^16 + 16 U (1-U)^15 = 0.25 at 0.159611.
        assert!((upper_bound(1.0, 16.0) - 0.159_611).abs() < 1e-6);
        assert!((expected_errors(&[15.0, 1.0]) - 2.512).abs() < 0.05);
        assert!(expected_errors(&[15.0, 1.0]) < leaves);
    }

    proptest! {
        #[test]
        fn the_bound_solves_the_sum_of_the_binomial_distribution(examples in 2u32..60, part in 0.0f64..1.0) {
            let errors = (f64::from(examples - 1) * part) as u32;
            let bound = upper_bound(f64::from(errors), f64::from(examples));
            let mut term = (1.0 - bound).powi(examples as i32);
            let mut sum = 0.0;
            for k in 0..=errors {
                sum += term;
                term *= f64::from(examples - k) / f64::from(k + 1) * bound / (1.0 - bound);
            }
            prop_assert!((sum - CONFIDENCE).abs() < 1e-9, "{sum}");
        }
    }
}
