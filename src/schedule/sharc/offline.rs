//! SHARC-offline: organ pipes. The coldest pages at both ends, the hottest in the middle.
//!
//! With pages sorted by λ ascending, page i (of 0..n) is fetched in slot `i/2` (i even) or `n − (i−1)/2` (i odd). The
//! penalty `ω(t) = t²/2 + (T−t)²/2` of a slot falls towards the middle, so by the rearrangement inequality this minimises the
//! blur `Σ λω` exactly; with page weights it minimises `Σ wλω`, sorted by wλ.
//!
//! Repeated in the same order (FIFO) it is **SHARC-revisits** (Def. 4): page i at `i/2` and `n+1+i/2`, and so on.
//!
//! Source: Denev et al., *The SHARC framework*, §4.2, Theorem 2; §7.1, Def. 4. Algorithm 1 prints the assignment the other
//! way round (`pD_i = p_{i/2}`); read as `pD_{i/2} = p_i` it is the theorem and meets Example 2. Cost: one sort.

use crate::schedule::links::Links;
use crate::schedule::order::Order;
use crate::schedule::site::Site;

pub(crate) struct Offline;

impl Order for Offline {
    fn order(&self, site: &Site, _: &Links) -> Vec<u32> {
        // 0·∞: a page without weight does no harm, however hot.
        let heat = |page: usize| match (site.rates()[page], site.weights()[page]) {
            (_, 0.0) => 0.0,
            (rate, weight) => rate * weight,
        };
        let mut heat: Vec<(f64, u32)> = (0..site.len()).map(|page| (heat(page), page as u32)).collect();
        heat.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut order = vec![0; heat.len()];
        let last = heat.len().saturating_sub(1);
        for (i, (_, page)) in heat.into_iter().enumerate() {
            order[if i % 2 == 0 { i / 2 } else { last - (i - 1) / 2 }] = page;
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::expected::blur;
    use crate::schedule::plan::{Plan, Revisits, Strategy};
    use crate::schedule::{baseline::sharc_example, order::Ordered};
    use proptest::prelude::*;

    #[test]
    fn blur_of_sharc_example_2_is_22_7() {
        let (site, links) = sharc_example();
        let order = Offline.order(&site, &links);
        assert_eq!(order, [0, 2, 4, 5, 3, 1]);
        assert!((blur(&site, &Plan::single(&order)) * 6.0 - 22.7).abs() < 1e-12);
    }

    #[test]
    fn blur_of_sharc_revisits_in_example_8_is_22_590909() {
        let (site, _) = sharc_example();
        let plan = Ordered::new(Offline, Revisits::Fifo).plan(&site);
        let times: Vec<_> =
            (0..6).map(|page| (plan.visit_time(page), plan.revisit_time(page).unwrap())).collect();
        assert_eq!(times, [(0, 6), (5, 11), (1, 7), (4, 10), (2, 8), (3, 9)]);
        assert!((blur(&site, &plan) * 6.0 - 22.590_909).abs() < 1e-6);
    }

    fn permutations(n: usize) -> Vec<Vec<u32>> {
        if n == 0 {
            return vec![vec![]];
        }
        let shorter = permutations(n - 1);
        let insert = |order: &Vec<u32>, at: usize| {
            let mut order = order.clone();
            order.insert(at, n as u32 - 1);
            order
        };
        shorter.iter().flat_map(|order| (0..n).map(move |at| insert(order, at))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn no_order_has_less_weighted_blur(pages in prop::collection::vec((0.0f64..2.0, 0.0f64..5.0), 1..7)) {
            let (rates, weights): (Vec<f64>, Vec<f64>) = pages.into_iter().unzip();
            let site = Site::new(rates, 1.0).unwrap().with_weights(weights).unwrap();
            let ours = blur(&site, &Plan::single(&Offline.order(&site, &Links::flat(site.len()))));
            for order in permutations(site.len()) {
                prop_assert!(ours <= blur(&site, &Plan::single(&order)) + 1e-12);
            }
        }
    }
}
