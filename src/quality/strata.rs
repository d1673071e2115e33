//! A test for changes that come at certain times, among captures that are compared only within strata: the generalised test of
//! Mantel and Haenszel.
//!
//! Stratum s has N captures, C of which show a change; n_k of the captures and c_k of the changes are in part k of the week. If
//! changes do not depend on the part, they are a random choice of C captures, so that over all strata
//!
//! ```text
//! d_k  = Σ_s (c_k − n_k C/N)                                          what is more than expected
//! V_kl = Σ_s C (N − C) / (N² (N − 1)) · (N n_k [k = l] − n_k n_l)      its covariance
//! Q    = dᵀ V⁻ d                                                       V⁻ a generalised inverse
//! ```
//!
//! and Q is distributed like χ² with as many degrees of freedom as V has rank, where there are many captures. With fewer of them the
//! changes are dealt out at random within their strata, and the share of deals with at least that Q is the chance. With one stratum, Q
//! is Pearson's statistic times (N − 1)/(N − C).
//!
//! Cost: O(captures) a deal, at most [`MAX_DEALS`] of them.
//!
//! Sources: N. Mantel, W. Haenszel, *Statistical Aspects of the Analysis of Data from Retrospective Studies*, J. Natl. Cancer Inst. 22,
//! 1959; A. Agresti, *Categorical Data Analysis*, 2002, section 7.5. The use is ours.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Night, morning, afternoon and evening of workdays, then those of weekends.
pub(super) const PARTS_OF_WEEK: usize = 8;

/// Maximum number of random deals: a smaller chance is not measured.
const MAX_DEALS: usize = 99_999;
/// Number of deals as uneven as what was seen after which the chance is known well enough.
const ENOUGH_DEALS: usize = 20;
/// Maximum number of captures that are dealt at random: with more, the statistic has its limit distribution.
const MAX_CAPTURES_DEALT: usize = 1000;
/// A pivot below this share of its variance is a rounding error.
const SMALL_PIVOT: f64 = 1e-9;

type Vector = [f64; PARTS_OF_WEEK];
type Matrix = [Vector; PARTS_OF_WEEK];

/// Captures that are compared with each other: how many of each part there are, and how many of them show a change.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stratum {
    pub looks: [u32; PARTS_OF_WEEK],
    pub changes: [u32; PARTS_OF_WEEK],
}

impl Stratum {
    fn totals(&self) -> (u32, u32) {
        (self.looks.iter().sum(), self.changes.iter().sum())
    }

    /// Whether changes could have come at other times: some captures show one and others do not, in more than one part.
    fn is_informative(&self) -> bool {
        let (looks, changes) = self.totals();
        changes > 0 && changes < looks && self.looks.iter().filter(|looks| **looks > 0).count() > 1
    }
}

/// All strata that say something.
#[derive(Debug)]
pub(super) struct Strata {
    strata: Vec<Stratum>,
    expected: Vector,
    inverse: Matrix,
    rank: usize,
}

impl Strata {
    pub(super) fn of(strata: impl IntoIterator<Item = Stratum>) -> Self {
        let strata: Vec<Stratum> = strata.into_iter().filter(Stratum::is_informative).collect();
        let (mut expected, mut covariance) = (Vector::default(), Matrix::default());
        for stratum in &strata {
            let (all, changes) = stratum.totals();
            let (all, changes) = (f64::from(all), f64::from(changes));
            let factor = changes * (all - changes) / (all * all * (all - 1.0));
            let looks = stratum.looks.map(f64::from);
            for row in 0..PARTS_OF_WEEK {
                expected[row] += looks[row] * changes / all;
                covariance[row][row] += factor * all * looks[row];
                for column in 0..PARTS_OF_WEEK {
                    covariance[row][column] -= factor * looks[row] * looks[column];
                }
            }
        }
        let (inverse, rank) = generalised_inverse(covariance);
        Strata { strata, expected, inverse, rank }
    }

    /// Number of captures.
    pub(super) fn looks(&self) -> usize {
        self.strata.iter().map(|stratum| stratum.totals().0 as usize).sum()
    }

    pub(super) fn changes(&self) -> usize {
        self.strata.iter().map(|stratum| stratum.totals().1 as usize).sum()
    }

    /// Q: how far the changes of the parts are from what is expected.
    pub(super) fn statistic(&self, changes: &[u32; PARTS_OF_WEEK]) -> f64 {
        let more: Vector = std::array::from_fn(|part| f64::from(changes[part]) - self.expected[part]);
        let product = |row: &Vector| row.iter().zip(&more).map(|(a, b)| a * b).sum::<f64>();
        self.inverse.iter().zip(&more).map(|(row, more)| product(row) * more).sum()
    }

    /// The chance that changes which do not depend on the part give at least this Q; `None`: nothing can be compared.
    pub(super) fn chance(&self) -> Option<f64> {
        if self.rank == 0 {
            return None;
        }
        let mut changes = [0; PARTS_OF_WEEK];
        for stratum in &self.strata {
            changes.iter_mut().zip(stratum.changes).for_each(|(sum, more)| *sum += more);
        }
        let found = self.statistic(&changes);
        if self.looks() > MAX_CAPTURES_DEALT {
            return Some(chi_square(found, self.rank as f64));
        }
        let bag = |stratum: &Stratum| {
            let parts = (0u8..).zip(stratum.looks);
            let bag: Vec<u8> =
                parts.flat_map(|(part, looks)| std::iter::repeat_n(part, looks as usize)).collect();
            (bag, stratum.totals().1 as usize)
        };
        let mut bags: Vec<(Vec<u8>, usize)> = self.strata.iter().map(bag).collect();
        // One seed for all: the same captures give the same result.
        let mut random = Pcg64::seed_from_u64(5_11);
        let (mut deals, mut as_uneven) = (0, 0);
        while deals < MAX_DEALS && as_uneven < ENOUGH_DEALS {
            let mut counts = [0u32; PARTS_OF_WEEK];
            for (bag, changes) in &mut bags {
                let (dealt, _) = bag.partial_shuffle(&mut random, *changes);
                dealt.iter().for_each(|part| counts[usize::from(*part)] += 1);
            }
            as_uneven += usize::from(self.statistic(&counts) >= found * (1.0 - 1e-9) - 1e-9);
            deals += 1;
        }
        Some(match as_uneven {
            ENOUGH_DEALS => ENOUGH_DEALS as f64 / deals as f64,
            as_uneven => (as_uneven + 1) as f64 / (deals + 1) as f64,
        })
    }
}

/// A generalised inverse of a covariance, by sweeping its rows; and its rank.
fn generalised_inverse(mut matrix: Matrix) -> (Matrix, usize) {
    let variances: Vector = std::array::from_fn(|at| matrix[at][at]);
    let mut rank = 0;
    for pivot in 0..PARTS_OF_WEEK {
        let value = matrix[pivot][pivot];
        if value <= SMALL_PIVOT * variances[pivot] {
            matrix[pivot] = Vector::default();
            matrix.iter_mut().for_each(|row| row[pivot] = 0.0);
            continue;
        }
        rank += 1;
        let row = matrix[pivot].map(|entry| entry / value);
        for other in (0..PARTS_OF_WEEK).filter(|other| *other != pivot) {
            let factor = matrix[other][pivot];
            for column in 0..PARTS_OF_WEEK {
                matrix[other][column] -= factor * row[column];
            }
            matrix[other][pivot] = -factor / value;
        }
        matrix[pivot] = row;
        matrix[pivot][pivot] = 1.0 / value;
    }
    (matrix, rank)
}

/// The upper tail of the chi-square distribution, by Wilson and Hilferty's approximation.
fn chi_square(value: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    let z = ((value / degrees).cbrt() - (1.0 - spread)) / spread.sqrt();
    normal_tail(z)
}

/// The upper tail of the normal distribution (Abramowitz and Stegun 26.2.17).
fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let polynomial = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every way to choose `count` of the captures of a bag, as changes per part.
    fn choices(bag: &[usize], count: usize) -> Vec<[u32; PARTS_OF_WEEK]> {
        (0u32..1 << bag.len())
            .filter(|chosen| chosen.count_ones() as usize == count)
            .map(|chosen| {
                let mut counts = [0; PARTS_OF_WEEK];
                let taken = (0..bag.len()).filter(|at| chosen >> at & 1 == 1);
                taken.for_each(|at| counts[bag[at]] += 1);
                counts
            })
            .collect()
    }

    fn stratum(bag: &[usize], changes: [u32; PARTS_OF_WEEK]) -> Stratum {
        let mut looks = [0; PARTS_OF_WEEK];
        bag.iter().for_each(|part| looks[*part] += 1);
        Stratum { looks, changes }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_chance_is_the_share_of_all_ways_to_deal_the_changes(
            one in prop::collection::vec(0usize..4, 6..9),
            other in prop::collection::vec(0usize..4, 5..8),
            pick in any::<prop::sample::Index>(),
            pick_other in any::<prop::sample::Index>(),
            (few, some) in (1usize..4, 1usize..4),
        ) {
            let (ways, others) = (choices(&one, few), choices(&other, some));
            let strata = Strata::of([
                stratum(&one, *pick.get(&ways)),
                stratum(&other, *pick_other.get(&others)),
            ]);
            let Some(chance) = strata.chance() else { return Ok(()) };
            let both = strata.strata.len() == 2;
            let of = |a: &[u32; PARTS_OF_WEEK], b: &[u32; PARTS_OF_WEEK]| {
                let only = |use_it: bool, of: &[u32; PARTS_OF_WEEK]| if use_it { *of } else { [0; PARTS_OF_WEEK] };
                let (a, b) = if both { (*a, *b) } else {
                    let first = stratum(&one, *a).is_informative();
                    (only(first, a), only(!first, b))
                };
                strata.statistic(&std::array::from_fn(|part| a[part] + b[part]))
            };
            let found = of(pick.get(&ways), pick_other.get(&others));
            let all = ways.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
            let as_uneven = all.filter(|(a, b)| of(a, b) >= found - 1e-9).count();
            let exact = as_uneven as f64 / (ways.len() * others.len()) as f64;
            // Dealing ends after twenty deals as uneven, so the chance is known to about a fifth.
            prop_assert!((chance / exact).ln().abs() < 1.0, "{chance} {exact}");
        }

        #[test]
        fn with_one_stratum_it_is_pearsons_statistic(
            looks in prop::array::uniform8(0u32..30),
            share in 0.1f64..0.9,
        ) {
            let changes = looks.map(|looks| (f64::from(looks) * share) as u32);
            let stratum = Stratum { looks, changes };
            prop_assume!(stratum.is_informative());
            let (all, total) = stratum.totals();
            let (all, total) = (f64::from(all), f64::from(total));
            let term = |part: usize| {
                let expected = f64::from(looks[part]) * total / all;
                if expected > 0.0 { (f64::from(changes[part]) - expected).powi(2) / expected } else { 0.0 }
            };
            let pearson: f64 = (0..PARTS_OF_WEEK).map(term).sum();
            let strata = Strata::of([stratum]);
            let wanted = pearson * (all - 1.0) / (all - total);
            let found = strata.statistic(&changes);
            prop_assert!((found - wanted).abs() <= 1e-6 * (1.0 + wanted), "{found} {wanted}");
            prop_assert_eq!(strata.rank, looks.iter().filter(|looks| **looks > 0).count() - 1);
        }
    }

    #[test]
    fn the_tail_of_chi_square_is_that_of_tables() {
        for (value, degrees, tail) in
            [(14.067, 7.0, 0.05), (18.475, 7.0, 0.01), (3.841, 1.0, 0.05), (6.346, 7.0, 0.5)]
        {
            let found = chi_square(value, degrees);
            assert!((found - tail).abs() < 0.01, "{value} {degrees}: {found}");
        }
    }
}
