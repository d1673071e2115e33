//! The optimum where all pages change equally often: heaviest page to the shortest interval.
//!
//! All profits are products, `c_i(k) = w_i·s_k` with `s_k = e^(−2λΔk)` falling, so by the rearrangement inequality the greatest
//! weight belongs to the greatest survival, and no other order is worth more. Equal pages keep their order. Cost: one sort.

use super::{Solution, profit};
use crate::schedule::site::Site;

/// The exact optimum, if all rates are equal.
pub(super) fn solve(site: &Site) -> Option<Solution> {
    let (first, rates) = site.rates().split_first()?;
    if rates.iter().any(|rate| rate != first) {
        return None;
    }
    let mut order: Vec<u32> = (0..site.len() as u32).collect();
    order.sort_by(|&a, &b| site.weights()[b as usize].total_cmp(&site.weights()[a as usize]));
    let mut slots = vec![0; site.len()];
    for (slot, &page) in order.iter().enumerate() {
        slots[page as usize] = slot as u32;
    }
    let bound = (0..site.len()).map(|page| profit(site, page, slots[page] as usize)).sum();
    Some(Solution { slots, bound })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::optimal::exact;

    #[test]
    fn pages_of_one_rate_are_sorted_by_weight_and_none_can_do_better() {
        for rate in [0.0, 0.03, 2.0, f64::INFINITY] {
            for two_phase in [false, true] {
                let weights: Vec<f64> = (0..60).map(|i| f64::from(i * 7919 % 23)).collect();
                let site = Site::new(vec![rate; 60], 1.0).unwrap().with_weights(weights).unwrap();
                let site = site.two_phase(two_phase);
                let found = solve(&site).unwrap();
                assert!((found.bound - exact(&site).bound).abs() < 1e-9, "{rate}");
            }
        }
        assert!(solve(&Site::new(vec![0.1, 0.2], 1.0).unwrap()).is_none());
        assert!(solve(&Site::new(vec![], 1.0).unwrap()).is_none());
    }
}
