//! Which of several equal pages goes inside.
//!
//! Pages of one rate and one weight can change places without changing the expected coherence. On real sites the rates are
//! estimates, and of two pages that were estimated alike the one that changed most recently, and after that the one that
//! comes later in the list (newer pages usually do), is the likelier to change: it gets the shorter interval.

use std::collections::HashMap;

use crate::schedule::site::Site;

/// Exchanges the slots of equal pages: recently changed pages inside, then late ones.
pub(super) fn settle(site: &Site, slots: &mut [u32]) {
    let mut alike: HashMap<(u64, u64), Vec<u32>> = HashMap::new();
    for page in 0..site.len() {
        let key = (site.rates()[page].to_bits(), site.weights()[page].to_bits());
        alike.entry(key).or_default().push(page as u32);
    }
    for mut pages in alike.into_values().filter(|pages| pages.len() > 1) {
        let mut own: Vec<u32> = pages.iter().map(|&page| slots[page as usize]).collect();
        own.sort_unstable();
        pages.sort_by(|&a, &b| site.changed(b as usize).total_cmp(&site.changed(a as usize)).then(b.cmp(&a)));
        for (page, slot) in pages.into_iter().zip(own) {
            slots[page as usize] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::expected::coherence;
    use crate::schedule::optimal::Optimal;
    use crate::schedule::plan::Strategy;

    #[test]
    fn of_equal_pages_the_recently_changed_are_inside_and_then_the_late_ones() {
        let site = Site::new(vec![0.1, 0.1, 0.1, 0.2, 0.1], 1.0).unwrap();
        let mut slots = vec![0, 1, 2, 3, 4];
        settle(&site, &mut slots);
        assert_eq!(slots, [4, 2, 1, 3, 0]);
        let never = f64::NEG_INFINITY;
        let site = site.with_changed(vec![5.0, never, 9.0, 99.0, never]).unwrap();
        settle(&site, &mut slots);
        assert_eq!(slots, [1, 4, 0, 3, 2]);
    }

    #[test]
    fn the_tie_rule_costs_nothing() {
        let rates: Vec<f64> = (0..60).map(|i| [0.3, 0.02, 0.001][i % 3]).collect();
        let site = Site::new(rates, 1.0).unwrap();
        let changed: Vec<f64> = (0..60).map(|i| f64::from(i * 7919 % 61)).collect();
        let value = |site: &Site| coherence(site, &Optimal::default().plan(site)).unwrap();
        let settled = site.clone().with_changed(changed).unwrap();
        assert!((value(&site) - value(&settled)).abs() < 1e-12);
        assert!(Site::new(vec![1.0], 1.0).unwrap().with_changed(vec![1.0, 2.0]).is_err());
    }
}
