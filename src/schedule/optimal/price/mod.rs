//! The optimum of very many pages, to within a proven 0.1%.
//!
//! Pages are normalised to `c_i(x) = w_i·e^(−μ_i x)`, `μ = 2λΔ`, mean weight 1. Let slot prices be *linear between knots* `0 =
//! x_0 < … < x_{K−1} = n−1`. On each piece `c_i − p` is convex, so **its maximum over all n slots is its maximum over the K
//! knots**, and `Σ_k p_k = Σ_j a_j P_j` with hat weights `a_j`. The bound
//!
//! ```text
//! EC* ≤ Σ_j a_j P_j + Σ_i max_j (c_i(x_j) − P_j)
//! ```
//!
//! is therefore exact for these prices at the cost of n·K multiplications. The best prices solve a transport of n pages to K
//! knots of capacity `a_j`; smoothed by a softmax of width η it is a convex problem of K unknowns for Newton's method. η falls
//! by 4 from level to level; at small η pages are rounded to knots, laid out, polished, and the gap to the bound is read off.
//!
//! Newton works on classes of similar pages until classes are too coarse; a bound from classes does not hold for the pages,
//! so the certificate is always computed over all pages. Work is cut into a fixed number of pieces whose results are added in
//! order: the answer is the same whatever the number of threads.

mod bound;
mod classes;
mod knots;
mod newton;
mod parallel;
mod polish;
mod round;

use super::Solution;
use crate::schedule::site::{Site, survival};
use knots::Knots;

/// The relative gap that ends the search.
const TARGET: f64 = 9.5e-4;

/// A rounding this many times farther from the bound than the target is not worth polishing.
const HOPELESS: f64 = 4.0;

/// Step-one knots at first; when the gap falls no more, knots and classes are refined in turn.
const FINE: usize = 64;

/// Levels of η before the best so far is returned with the gap it has.
const LEVELS: usize = 14;

/// Pages as curves `w·e^(−μx)`, mean weight 1.
#[derive(Debug, Clone)]
struct Curves {
    weight: Vec<f64>,
    mu: Vec<f64>,
}

impl Curves {
    /// The curves of a site, and the factor that gives true profits back; `None` if no page has any weight.
    fn of(site: &Site) -> Option<(Self, f64)> {
        // A pyramid with a gap: every interval is gap·Δ longer, which is a smaller weight.
        let weight: Vec<f64> = site
            .weights()
            .iter()
            .zip(site.rates())
            .map(|(w, &rate)| w * survival(rate, site.interval(0)))
            .collect();
        let mean = weight.iter().sum::<f64>() / weight.len() as f64;
        // Beyond 745 e^(−μ) is zero: such a page has a value in the middle only, and ∞ is not needed.
        let mu = site.rates().iter().map(|rate| (2.0 * rate * site.delay()).min(745.0)).collect();
        (mean > 0.0).then(|| (Curves { weight: weight.into_iter().map(|w| w / mean).collect(), mu }, mean))
    }

    fn len(&self) -> usize {
        self.mu.len()
    }

    fn at(&self, page: usize, slot: usize) -> f64 {
        self.weight[page] * (-self.mu[page] * slot as f64).exp()
    }
}

/// An assignment within 0.1% of the optimum, and the bound that proves it.
pub(crate) fn solve(site: &Site) -> Solution {
    let n = site.len();
    let trivial = || (0..n as u32).collect();
    let Some((curves, scale)) = Curves::of(site).filter(|_| n > 1) else {
        let bound = (0..n).map(|page| super::profit(site, page, page)).sum();
        return Solution { slots: trivial(), bound };
    };
    let mut knots = Knots::new(n, FINE);
    let mut prices = vec![0.0; knots.len()];
    let (mut upper, mut lower, mut slots) = (f64::INFINITY, 0.0, trivial());
    let mut grade = classes::Grade::Coarse;
    let mut set = classes::classes(&curves, grade);
    let (mut eta, mut gap, mut stalls) = (1.0, f64::INFINITY, 0);
    for _ in 0..LEVELS {
        if eta < 0.05 && grade == classes::Grade::Coarse {
            grade = classes::Grade::Fine;
            set = classes::classes(&curves, grade);
        }
        newton::minimise(&set, &knots, &mut prices, eta);
        if eta <= 0.005 {
            upper = f64::min(upper, bound::bound(&curves, &knots, &prices));
            let value = |slots: &[u32]| (0..n).map(|page| curves.at(page, slots[page] as usize)).sum::<f64>();
            let mut candidate = round::round(&curves, &knots, &prices, eta);
            if upper <= value(&candidate) * (1.0 + HOPELESS * TARGET) {
                candidate = polish::polish(&curves, &knots, &prices, candidate);
            }
            let value = value(&candidate);
            if value > lower {
                (lower, slots) = (value, candidate);
            }
            let reached = (upper - lower) / lower;
            if reached <= TARGET {
                break;
            }
            let stalled = reached > 0.9 * gap;
            gap = f64::min(gap, reached);
            if stalled {
                stalls += 1;
                if stalls % 2 == 1 {
                    let finer = Knots::new(n, 2 * knots.fine());
                    prices = finer.positions().iter().map(|&x| knots.price(&prices, x)).collect();
                    knots = finer;
                } else if let Some(finer) = grade.finer() {
                    grade = finer;
                    set = classes::classes(&curves, grade);
                }
                continue;
            }
        }
        eta /= 4.0;
    }
    // The sums above are rounded: a certificate must not be.
    Solution { slots, bound: upper * scale * (1.0 + 1e-9) }
}

/// Pair swaps on a given assignment, until they gain next to nothing; the value never falls.
pub(crate) fn swaps(site: &Site, slots: Vec<u32>) -> Vec<u32> {
    match Curves::of(site).filter(|_| site.len() > 1) {
        Some((curves, _)) => polish::sweep(&curves, slots),
        None => slots,
    }
}

#[cfg(test)]
mod tests;
