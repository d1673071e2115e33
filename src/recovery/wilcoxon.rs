//! Wilcoxon's signed-rank test: do pairs of figures differ in one direction?
//!
//! Pairs that are equal are dropped; the absolute differences of the others are ranked, equal ones by their mean rank. W is the
//! smaller of the sums of ranks of positive and of negative differences. Under the hypothesis that signs are fair coins all 2^n
//! sign patterns are equally likely. The two-sided p is the share of patterns whose smaller sum is W or less.
//!
//! The distribution is counted exactly, ties included, by dynamic programming over doubled ranks: O(n * sum of ranks), so
//! O(n^3). From 200 pairs on the normal approximation with correction for ties and continuity is taken.
//!
//! Source: F. Wilcoxon, *Individual Comparisons by Ranking Methods*, Biometrics Bulletin 1945; used by McCown, Nelson, section
//! 4.2.

/// From this many pairs on the distribution is approximated.
const APPROXIMATE: usize = 200;

/// Share of the greatest figure below which two differences are equal.
const ROUNDING: f64 = 1e-12;

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SignedRank {
    /// Pairs that differ.
    pub pairs: usize,
    /// The sum of ranks of pairs whose first is greater.
    pub positive: f64,
    /// The sum of ranks of pairs whose second is greater.
    pub negative: f64,
    /// The two-sided probability of sums at least as unequal by chance. 1 where no pair differs.
    pub p: f64,
}

/// Tests pairs. Pairs with a figure that is no number are dropped.
pub(crate) fn signed_rank(pairs: &[(f64, f64)]) -> SignedRank {
    let whole = || pairs.iter().filter(|(one, other)| one.is_finite() && other.is_finite());
    // Differences of decimal fractions are equal up to rounding: 0.3 - 0.2 is not 0.2 - 0.1 to the last bit.
    let rounding =
        ROUNDING * whole().fold(0.0, |most: f64, (one, other)| most.max(one.abs()).max(other.abs()));
    let mut differences: Vec<f64> =
        whole().map(|(one, other)| one - other).filter(|difference| difference.abs() > rounding).collect();
    differences.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = differences.len();
    // Doubled ranks are whole numbers, ties included.
    let mut ranks = Vec::with_capacity(n);
    let mut ties = 0.0;
    let mut start = 0;
    while start < n {
        let first = differences[start].abs();
        let size = differences[start..].iter().take_while(|d| d.abs() - first <= rounding).count();
        ranks.extend(std::iter::repeat_n(2 * start + size + 1, size));
        ties += (size.pow(3) - size) as f64;
        start += size;
    }
    let sum = |sign: f64| -> usize {
        differences.iter().zip(&ranks).filter(|(d, _)| d.signum() == sign).map(|(_, rank)| rank).sum()
    };
    let (positive, negative) = (sum(1.0), sum(-1.0));
    let least = positive.min(negative);
    let p = match n {
        0 => 1.0,
        n if n < APPROXIMATE => exact(&ranks, least),
        n => approximate(n as f64, least as f64 / 2.0, ties),
    };
    SignedRank { pairs: n, positive: positive as f64 / 2.0, negative: negative as f64 / 2.0, p }
}

/// Twice the share of sign patterns whose sum of doubled ranks is at most `least`.
fn exact(ranks: &[usize], least: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    let mut chance = vec![0.0f64; total + 1];
    chance[0] = 1.0;
    let mut reached = 0;
    for rank in ranks {
        reached += rank;
        for sum in (0..=reached).rev() {
            let with = if sum >= *rank { chance[sum - rank] } else { 0.0 };
            chance[sum] = 0.5 * (chance[sum] + with);
        }
    }
    (2.0 * chance[..=least].iter().sum::<f64>()).min(1.0)
}

fn approximate(n: f64, least: f64, ties: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let z = ((mean - least - 0.5) / variance.sqrt()).max(0.0);
    // Abramowitz and Stegun 7.1.26, to 1.5e-7.
    let x = z / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let polynomial = terms.iter().fold(0.0, |sum, term| (sum + term) * t);
    (polynomial * (-x * x).exp()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn darwins_maize() {
        // Heights of 15 pairs of plants (Darwin 1876), as Fisher and Wilcoxon's textbooks test them: W = 24, p = 0.0413.
        let differences = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
        let pairs: Vec<(f64, f64)> = differences.iter().map(|d| (f64::from(*d), 0.0)).collect();
        let found = signed_rank(&pairs);
        assert_eq!((found.pairs, found.negative, found.positive), (15, 24.0, 96.0));
        assert!((found.p - 0.041_259_765_625).abs() < 1e-12, "{}", found.p);
    }

    #[test]
    fn differences_that_are_equal_but_for_rounding_are_ties() {
        let tenths = [(3, 2), (2, 1), (9, 8), (5, 9), (7, 4), (4, 1), (6, 6), (8, 1)];
        let pairs = |by: f64| tenths.map(|(one, other)| (f64::from(one) / by, f64::from(other) / by));
        let whole = signed_rank(&pairs(1.0));
        for by in [10.0, 1000.0, 0.007] {
            assert_eq!(signed_rank(&pairs(by)), whole, "{by}");
        }
        assert_eq!(whole.pairs, 7);
    }

    #[test]
    fn nothing_differs_and_all_differ_one_way() {
        assert_eq!(signed_rank(&[(1.0, 1.0), (2.0, 2.0)]).p, 1.0);
        let one_way: Vec<(f64, f64)> = (1..=10).map(|n| (f64::from(n), 0.0)).collect();
        assert!((signed_rank(&one_way).p - 2.0 / 1024.0).abs() < 1e-15);
    }

    #[test]
    fn the_approximation_is_near_the_exact_distribution() {
        let pairs = |n: i32| -> Vec<(f64, f64)> {
            (1..=n).map(|k| (f64::from(k * if k % 5 < 2 { -1 } else { 1 }), 0.0)).collect()
        };
        let ranks: Vec<usize> = (1..=200).map(|k| 2 * k).collect();
        let found = signed_rank(&pairs(200));
        let exact = exact(&ranks, (2.0 * found.negative.min(found.positive)) as usize);
        assert!((found.p - exact).abs() < 1e-3, "{} {exact}", found.p);
    }

    proptest! {
        #[test]
        fn the_exact_distribution_equals_all_sign_patterns(values in prop::collection::vec(-4i32..5, 1..11)) {
            let pairs: Vec<(f64, f64)> = values.iter().map(|v| (f64::from(*v), 0.0)).collect();
            let found = signed_rank(&pairs);
            let sizes: Vec<i32> = values.iter().filter(|v| **v != 0).map(|v| v.abs()).collect();
            let rank = |size: i32| -> f64 {
                let below = sizes.iter().filter(|s| **s < size).count() as f64;
                let same = sizes.iter().filter(|s| **s == size).count() as f64;
                below + (same + 1.0) / 2.0
            };
            let total: f64 = sizes.iter().map(|s| rank(*s)).sum();
            let least = found.positive.min(found.negative);
            let extreme = (0u32..1 << sizes.len()).filter(|signs| {
                let sum: f64 = sizes.iter().enumerate().filter(|(at, _)| signs >> at & 1 == 1).map(|(_, s)| rank(*s)).sum();
                sum.min(total - sum) <= least + 1e-9
            }).count();
            let brute = extreme as f64 / f64::from(1u32 << sizes.len());
            prop_assert!((found.p - brute.min(1.0)).abs() < 1e-9, "{} {brute}", found.p);
        }
    }
}
