//! Partial revisits: all n pages are visited, and only k of them again.
//!
//! The k pages are in the pyramid; the others are visited before it and lengthen no interval. For k chosen pages the proof of the
//! [module above](super) holds (the other slots are idle), so the optimum is the **rectangular assignment of n pages to the
//! intervals `0, 2Δ, …, 2(k−1)Δ`** with profit `w·e^(−λI)`: n + k − 1 downloads. For any prices p ≥ 0 of the slots
//!
//! ```text
//! EC ≤ Σ_k p_k + Σ_i max(0, max_k (c_i(k) − p_k))
//! ```
//!
//! and the dual prices of the assignment make both sides equal. Pages of one weight: the k coldest, whatever the slots, so there the
//! choice is exact for any number of pages. Else, above [`CELLS`] pages × slots, the k pages of greatest `w·e^(−λkΔ)` are taken: a
//! **heuristic**, and no bound is given.
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart, *Data Quality in Web Archiving*, WICOW 2009 (revisits of some pages only).
//! Cost: `O(k²n)` at worst.

use super::{Optimal, assignment, profit, ties};
use crate::schedule::plan::{Plan, Strategy};
use crate::schedule::site::{Site, survival};

/// Maximum number of pages × slots for the exact assignment.
const CELLS: usize = super::DENSE * super::DENSE;

/// The best plan that revisits `revisits` pages.
pub(crate) fn plan(site: &Site, revisits: usize) -> Plan {
    let n = site.len();
    if revisits >= n {
        return Optimal::default().plan(site);
    }
    if revisits == 0 {
        return Plan::single(&site.coldest_first()).with_revisits(0, site).with_bound(0.0);
    }
    let first = site.weights().first().copied().unwrap_or(1.0);
    if site.weights().iter().all(|weight| *weight == first) {
        return chosen(site, &site.coldest_first()[..revisits], true);
    }
    if n.saturating_mul(revisits) <= CELLS {
        return exact(site, revisits);
    }
    let worth = |page: u32| {
        let (rate, weight) = (site.rates()[page as usize], site.weights()[page as usize]);
        weight * survival(rate, site.interval(revisits / 2))
    };
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
    chosen(site, &order[..revisits], false)
}

fn exact(site: &Site, revisits: usize) -> Plan {
    let n = site.len();
    let costs: Vec<f64> =
        (0..revisits).flat_map(|slot| (0..n).map(move |page| -profit(site, page, slot))).collect();
    let found = assignment::solve(revisits, n, &costs);
    let mut slots = vec![u32::MAX; n];
    for (slot, &page) in found.columns.iter().enumerate() {
        slots[page as usize] = slot as u32;
    }
    let value: f64 = found.columns.iter().enumerate().map(|(k, &page)| profit(site, page as usize, k)).sum();
    outside(site, &mut slots, revisits).with_bound((-found.dual_bound(&costs)).max(value))
}

/// The optimum of the chosen pages; its bound is one of all choices only where the choice is proven.
fn chosen(site: &Site, pages: &[u32], is_proven: bool) -> Plan {
    let of = |values: &[f64]| pages.iter().map(|&page| values[page as usize]).collect::<Vec<f64>>();
    let part =
        Site::new(of(site.rates()), site.delay()).and_then(|part| part.with_weights(of(site.weights())));
    let mut slots = vec![u32::MAX; site.len()];
    let mut bound = None;
    if let Ok(part) = part {
        let plan = Optimal::default().plan(&part.two_phase(site.gap() > 0));
        pages.iter().zip(plan.visit()).for_each(|(&page, &slot)| slots[page as usize] = slot);
        bound = plan.bound().filter(|_| is_proven);
    }
    bound.into_iter().fold(outside(site, &mut slots, pages.len()), Plan::with_bound)
}

/// Gives the pages without a slot the places before the pyramid, hottest nearest to it.
fn outside(site: &Site, slots: &mut [u32], revisits: usize) -> Plan {
    let others = site.hottest_first().into_iter().filter(|&page| slots[page as usize] == u32::MAX);
    let places: Vec<(u32, u32)> = others.zip(revisits as u32..).collect();
    places.into_iter().for_each(|(page, slot)| slots[page as usize] = slot);
    ties::settle(site, slots);
    Plan::slots(slots.to_vec(), slots.to_vec(), site).with_revisits(revisits as u32, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::expected::coherence;

    fn value(rates: &[f64], weights: &[f64], revisits: usize) -> (f64, Plan) {
        let site = Site::new(rates.to_vec(), 1.0).unwrap().with_weights(weights.to_vec()).unwrap();
        let plan = plan(&site, revisits);
        (coherence(&site, &plan).unwrap(), plan)
    }

    const RATES: [f64; 6] = [0.5, 0.4, 0.3, 0.2, 0.1, 0.05];
    const WEIGHTS: [f64; 6] = [5.0, 1.0, 2.0, 4.0, 1.0, 3.0];

    #[test]
    fn the_six_pages_of_the_definitions() {
        for (revisits, golden) in [(1, 5.0), (2, 7.714512254), (3, 10.137472443), (6, 10.973767873)] {
            let (ours, plan) = value(&RATES, &WEIGHTS, revisits);
            assert!((ours - golden).abs() < 1e-9, "{revisits}: {ours}");
            assert!((plan.bound().unwrap() - golden).abs() < 1e-9);
            assert_eq!((0..6).filter(|&page| plan.interval(page).is_some()).count(), revisits);
            assert_eq!(plan.length(), 6 + revisits as u64 - 2);
        }
        let (_, three) = value(&RATES, &WEIGHTS, 3);
        assert_eq!(
            (0..6).map(|page| three.interval(page).is_some()).collect::<Vec<_>>(),
            [true, false, false, true, false, true]
        );
    }

    /// The best of all ordered choices of pages.
    fn brute(rates: &[f64], weights: &[f64], revisits: usize, slot: usize, used: u32) -> f64 {
        if slot == revisits {
            return 0.0;
        }
        (0..rates.len())
            .filter(|page| used >> page & 1 == 0)
            .map(|page| {
                let own = weights[page] * (-rates[page] * 2.0 * slot as f64).exp();
                own + brute(rates, weights, revisits, slot + 1, used | 1 << page)
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn no_choice_of_pages_and_slots_is_better_and_more_revisits_gain_less() {
        let mut random = crate::schedule::tests::random(5);
        for case in 0..40 {
            let rates: Vec<f64> = (0..5).map(|_| random()).collect();
            let weights: Vec<f64> =
                (0..5).map(|_| if case % 2 == 0 { 1.0 } else { 5.0 * random() }).collect();
            let values: Vec<f64> = (0..=5).map(|k| value(&rates, &weights, k).0).collect();
            for (revisits, ours) in values.iter().enumerate() {
                assert!(
                    (ours - brute(&rates, &weights, revisits, 0, 0)).abs() < 1e-12,
                    "{rates:?} {weights:?}"
                );
            }
            assert!(values.windows(3).all(|v| v[2] - v[1] <= v[1] - v[0] + 1e-12), "{values:?}");
        }
    }

    #[test]
    fn a_thousand_pages_have_the_golden_values() {
        let smooth: Vec<f64> = (1..=1000).map(|i| (1.0f64 / 0.7).ln() / f64::from(i)).collect();
        let harmonic: f64 = (1..=1000).map(|rank| 1.0 / f64::from(rank)).sum();
        let heat: Vec<f64> = (1..=1000).map(|rank| 1000.0 / (harmonic * f64::from(rank))).collect();
        for (weights, golden) in [(vec![1.0; 1000], 119.400326), (heat, 455.702715)] {
            let (ours, plan) = value(&smooth, &weights, 125);
            assert!((ours - golden).abs() < 1e-6, "{ours}");
            assert!((plan.bound().unwrap() / ours - 1.0).abs() < 1e-9);
        }
    }
}
