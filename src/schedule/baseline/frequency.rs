//! Frequency: pages by how often a freshness-optimal crawler would fetch them; the hottest pages are penalised.
//!
//! With f fetches per second a page of rate λ is fresh for the share `F(λ, f) = (f/λ)(1 − e^(−λ/f))` of the time. Under a
//! budget `Σ f = 1/Δ` the weighted freshness `Σ w·F` is greatest where all marginal gains are equal,
//!
//! ```text
//! (w/λ)·g(λ/f) = m,   g(x) = 1 − (1 + x)e^(−x),
//! ```
//!
//! and pages with `mλ ≥ w` are not worth a fetch at all. Pages are visited by f, greatest first; those with f = 0 by their
//! `w/λ`, so the hottest comes last.
//!
//! Source: Cho, Garcia-Molina, *Effective page refresh policies for Web crawlers*, ACM TODS 28(4), 2003; named *Frequency*
//! by Ben Saad, Gançarski, DEXA 2011, §7. Cost: `O(n)` per bisection step and one sort.

use super::hottest::best_first;
use crate::schedule::links::Links;
use crate::schedule::order::Order;
use crate::schedule::site::Site;

/// Pages by their freshness-optimal frequency.
pub(crate) struct Frequency;

impl Order for Frequency {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        let frequency = frequencies(site);
        let worth = |page: usize| site.weights()[page] / site.rates()[page];
        let mut ranking: Vec<u32> = (0..site.len() as u32).collect();
        ranking.sort_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            let by_worth = || worth(b).max(0.0).total_cmp(&worth(a).max(0.0));
            frequency[b].total_cmp(&frequency[a]).then_with(by_worth)
        });
        best_first(ranking, links)
    }
}

/// The optimal fetches per second of every page under the budget of one fetch every Δ seconds.
pub(crate) fn frequencies(site: &Site) -> Vec<f64> {
    let budget = 1.0 / site.delay();
    let at = |multiplier: f64| -> Vec<f64> {
        let pages = site.rates().iter().zip(site.weights());
        pages.map(|(&rate, &weight)| frequency(rate, weight, multiplier)).collect()
    };
    // m lies between 0 (endless budget) and max w/λ (nothing is worth a fetch): bisection on its logarithm.
    let greatest =
        site.rates().iter().zip(site.weights()).filter(|(rate, _)| **rate > 0.0 && rate.is_finite());
    let greatest = greatest.map(|(rate, weight)| weight / rate).fold(0.0, f64::max);
    if greatest == 0.0 || !budget.is_finite() {
        return vec![0.0; site.len()];
    }
    let (mut low, mut high) = (-60.0, 0.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let spent: f64 = at(greatest * f64::exp(middle)).iter().sum();
        if spent > budget { low = middle } else { high = middle }
    }
    at(greatest * f64::exp(high))
}

fn frequency(rate: f64, weight: f64, multiplier: f64) -> f64 {
    if rate == 0.0 || !rate.is_finite() {
        return 0.0;
    }
    let target = multiplier * rate / weight;
    if target.is_nan() || target >= 1.0 { 0.0 } else { rate / inverse_gain(target) }
}

/// Solves `1 − (1 + x)e^(−x) = y` for `0 < y < 1`: Newton from a start below the root's steepest part, kept in a bracket.
fn inverse_gain(y: f64) -> f64 {
    let gain = |x: f64| if x < 1e-4 { x * x / 2.0 - x * x * x / 3.0 } else { 1.0 - (1.0 + x) * (-x).exp() };
    let (mut low, mut high) = (0.0, 800.0);
    let mut x = (2.0 * y).sqrt().max(1e-150);
    for _ in 0..60 {
        let error = gain(x) - y;
        if error > 0.0 {
            high = x
        } else {
            low = x
        }
        let next = x - error / (x * (-x).exp());
        let next = if next > low && next < high { next } else { (low + high) / 2.0 };
        if (next - x).abs() <= 1e-13 * x {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_is_inverted_over_its_whole_range() {
        for x in [1e-6, 1e-3, 0.1, 1.0, 1.7933, 5.0, 30.0] {
            let y = if x < 1e-4 { x * x / 2.0 - x * x * x / 3.0 } else { 1.0 - (1.0 + x) * f64::exp(-x) };
            assert!((inverse_gain(y) / x - 1.0).abs() < 1e-3, "{x} {}", inverse_gain(y));
        }
    }

    #[test]
    fn the_example_of_cho_and_garcia_molina_is_met() {
        // Five pages that change 1 to 5 times a day, five fetches a day: 1.15 1.36 1.35 1.14 0.00 a day (their Table 2).
        let day = 86_400.0;
        let rates = [1.0, 2.0, 3.0, 4.0, 5.0].map(|rate| rate / day);
        let site = Site::new(rates.to_vec(), day / 5.0).unwrap();
        let daily: Vec<f64> = frequencies(&site).iter().map(|f| f * day).collect();
        for (ours, theirs) in daily.iter().zip([1.15, 1.36, 1.35, 1.14, 0.0]) {
            assert!((ours - theirs).abs() < 0.006, "{daily:?}");
        }
        assert_eq!(Frequency.order(&site, &Links::flat(5)), [1, 2, 0, 3, 4]);
    }

    #[test]
    fn pages_of_zero_and_infinite_rate_come_last() {
        let site = Site::new(vec![f64::INFINITY, 0.1, 0.0], 1.0).unwrap();
        assert_eq!(Frequency.order(&site, &Links::flat(3)), [1, 2, 0]);
        let still = Site::new(vec![0.0; 3], 1.0).unwrap();
        assert_eq!(Frequency.order(&still, &Links::flat(3)), [0, 1, 2]);
    }
}
