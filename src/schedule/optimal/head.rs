//! The optimum where only the first few slots are worth anything: sites so hot that no page lasts long.
//!
//! Let m be the least `μ = 2λΔ`. Beyond slot h all slots together are worth at most `Σ_{k≥h} max_i c_i(k) ≤ W·e^(−mh)/(1 − e^(−m))`,
//! W the greatest weight; and the optimum is at least W, the heaviest page in the middle. So with
//!
//! ```text
//! h = ln(10^9/(1 − e^(−m)))/m
//! ```
//!
//! all but a 10^-9 of the optimum lies in the first h slots. Slot k is best given to one of its h most profitable pages: of any h
//! pages one is free, as the other slots need only h − 1. What is left is a small assignment of h slots to those pages, exact.

use super::{Solution, assignment, profit};
use crate::schedule::site::Site;

/// Maximum number of slots; larger heads are left to the price method.
const MAX_SLOTS: f64 = 256.0;

/// The optimum to within 10^-9, if the site is hot enough.
pub(super) fn solve(site: &Site) -> Option<Solution> {
    let n = site.len();
    let least = site.rates().iter().copied().fold(f64::INFINITY, f64::min) * 2.0 * site.delay();
    let worth = 1.0 - (-least).exp();
    let head = ((1e9 / worth).ln() / least.min(1e9)).ceil();
    if head.is_nan() || head > MAX_SLOTS || head as usize >= n {
        return None;
    }
    let head = (head as usize).max(1);
    let candidates = candidates(site, head);
    let costs: Vec<f64> =
        (0..head).flat_map(|k| candidates.iter().map(move |&page| -profit(site, page as usize, k))).collect();
    let assignment = assignment::solve(head, candidates.len(), &costs);
    let mut slots = vec![u32::MAX; n];
    for (slot, &column) in assignment.columns.iter().enumerate() {
        slots[candidates[column as usize] as usize] = slot as u32;
    }
    let rest = slots.iter_mut().filter(|slot| **slot == u32::MAX);
    rest.zip(head as u32..).for_each(|(slot, next)| *slot = next);
    let heaviest = (0..n).map(|page| profit(site, page, 0)).fold(0.0, f64::max);
    let tail = heaviest * (-least * head as f64).exp() / worth;
    let value: f64 = (0..n).map(|page| profit(site, page, slots[page] as usize)).sum();
    // The sums are rounded: a certificate must not be.
    let bound = (tail - assignment.dual_bound(&costs)).max(value) * (1.0 + 1e-9);
    Some(Solution { slots, bound })
}

/// The `head` most profitable pages of every one of the first `head` slots, by number.
fn candidates(site: &Site, head: usize) -> Vec<u32> {
    let mut chosen = vec![false; site.len()];
    let mut profits = Vec::with_capacity(site.len());
    for k in 0..head {
        profits.clear();
        profits.extend((0..site.len()).map(|page| (profit(site, page, k), page as u32)));
        let by_profit = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        profits.select_nth_unstable_by(head - 1, by_profit);
        profits[..head].iter().for_each(|&(_, page)| chosen[page as usize] = true);
    }
    (0..site.len() as u32).filter(|&page| chosen[page as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::optimal::exact;

    #[test]
    fn the_head_alone_gives_the_optimum_of_a_hot_site() {
        let rates: Vec<f64> = (0..400).map(|i| 0.3 + f64::from(i * 7919 % 400) / 100.0).collect();
        let weights: Vec<f64> = (0..400).map(|i| 1.0 + f64::from(i * 104_729 % 397)).collect();
        for two_phase in [false, true] {
            let site = Site::new(rates.clone(), 1.0)
                .unwrap()
                .with_weights(weights.clone())
                .unwrap()
                .two_phase(two_phase);
            let value = |slots: &[u32]| -> f64 {
                (0..400).map(|page| profit(&site, page, slots[page] as usize)).sum()
            };
            let (head, all) = (solve(&site).unwrap(), exact(&site));
            assert!((value(&head.slots) / value(&all.slots) - 1.0).abs() < 1e-8);
            assert!(head.bound >= value(&all.slots) && head.bound < value(&all.slots) * (1.0 + 1e-8));
        }
    }

    #[test]
    fn a_site_with_one_cold_page_is_not_for_this_method() {
        let mut rates = vec![1.0; 1000];
        rates[500] = 0.0;
        assert!(solve(&Site::new(rates, 1.0).unwrap()).is_none());
        let always = Site::new(vec![f64::INFINITY; 1000], 1.0).unwrap();
        assert!((solve(&always).unwrap().bound - 1.0).abs() < 1e-8);
    }
}
