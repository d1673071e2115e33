//! OP: the page whose refresh is worth most now.
//!
//! Olston and Pandey weigh a refresh after t seconds by the staleness it ends and prevents,
//!
//! ```text
//! U(t) = t·D(t) − ∫₀ᵗ D(x) dx,   D(x) = 1 − e^(−λx),   so   U(t) = (1 − (1 + λt)e^(−λt)) / λ
//! ```
//!
//! (times the page weight). In a single crawl every page was last refreshed before it began, so t is the same for all; in
//! slot i, `t = (i+1)Δ`.
//!
//! Source: Olston, Pandey, *Recrawl scheduling based on information longevity*, WWW 2008, eq. 1, compared in Denev et al.,
//! *The SHARC framework*, §9.1. DIFFERENCE: the SHARC authors give OP the true change history; here it has the rates, like
//! everyone else.
//!
//! For fixed t, U has one maximum in λ (at `λt ≈ 1.793`), so among pages of one weight the best is one of two neighbours
//! in the order of rates. Cost: `O(n log n)` for each distinct weight.

use std::collections::BTreeMap;

use crate::schedule::frontier::Frontier;
use crate::schedule::links::{Discovery, Links};
use crate::schedule::order::Order;
use crate::schedule::site::Site;

/// Olston and Pandey's greedy refresh.
pub(crate) struct Op;

/// Where `U` is greatest: the root of `(1 + x + x²)e^(−x) = 1`.
const PEAK: f64 = 1.793_282_132_894_784_8;

/// Pages of one weight.
struct Class {
    weight: f64,
    detected: Frontier,
    /// Rates in the order of ranks; the local number of a page is its rank.
    rates: Vec<f64>,
    pages: Vec<u32>,
}

impl Order for Op {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        let mut by_weight: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for page in site.coldest_first() {
            by_weight.entry(site.weights()[page as usize].to_bits()).or_default().push(page);
        }
        let mut home = vec![(0u32, 0u32); site.len()];
        let mut classes: Vec<Class> = Vec::with_capacity(by_weight.len());
        for (weight, pages) in by_weight {
            for (local, &page) in pages.iter().enumerate() {
                home[page as usize] = (classes.len() as u32, local as u32);
            }
            classes.push(Class {
                weight: f64::from_bits(weight),
                detected: Frontier::new((0..pages.len() as u32).collect()),
                rates: pages.iter().map(|&page| site.rates()[page as usize]).collect(),
                pages,
            });
        }
        let detect = |classes: &mut [Class], page: u32| {
            let (class, local) = home[page as usize];
            classes[class as usize].detected.insert(local);
        };
        let mut discovery = Discovery::new(links);
        links.seeds().iter().for_each(|&seed| detect(&mut classes, seed));
        let mut order = Vec::with_capacity(site.len());
        while order.len() < site.len() {
            let elapsed = (order.len() + 1) as f64 * site.delay();
            let best = classes.iter().enumerate().filter_map(|(at, class)| Some((at, class.best(elapsed)?)));
            // Ties: the lowest page number.
            let Some((at, (_, k))) = best.max_by(|(a, (x, i)), (b, (y, j))| {
                let page = |at: usize, k: usize| classes[at].page(k);
                x.total_cmp(y).then_with(|| page(*b, *j).cmp(&page(*a, *i)))
            }) else {
                break;
            };
            let class = &mut classes[at];
            let Some(local) = class.detected.take(k) else { break };
            let page = class.pages[local as usize];
            order.push(page);
            discovery.download(page).for_each(|child| detect(&mut classes, child));
        }
        order
    }
}

impl Class {
    fn page(&self, k: usize) -> Option<u32> {
        self.detected.get(k).map(|local| self.pages[local as usize])
    }

    /// Utility and position of the best detected page.
    fn best(&self, elapsed: f64) -> Option<(f64, usize)> {
        let rate = |k: usize| self.detected.get(k).map(|local| self.rates[local as usize]);
        // The first detected page at or beyond the peak; it or the one before is the best.
        let (mut low, mut high) = (0, self.detected.len());
        while low < high {
            let middle = (low + high) / 2;
            if rate(middle)? * elapsed < PEAK { low = middle + 1 } else { high = middle }
        }
        let candidate = |k: usize| rate(k).map(|rate| (self.weight * utility(rate, elapsed), k));
        let above = candidate(low);
        let below = low.checked_sub(1).and_then(candidate);
        match (below, above) {
            (Some(below), Some(above)) => Some(if below.0 >= above.0 { below } else { above }),
            (one, other) => one.or(other),
        }
    }
}

fn utility(rate: f64, elapsed: f64) -> f64 {
    let x = rate * elapsed;
    if x == 0.0 || !x.is_finite() {
        return 0.0;
    }
    let gain = if x < 1e-4 { x * x / 2.0 - x * x * x / 3.0 } else { 1.0 - (1.0 + x) * (-x).exp() };
    gain / rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, page by page.
    fn slowly(site: &Site) -> Vec<f64> {
        let mut left: Vec<usize> = (0..site.len()).collect();
        let mut gains = Vec::new();
        while !left.is_empty() {
            let elapsed = (site.len() - left.len() + 1) as f64 * site.delay();
            let gain = |page: usize| site.weights()[page] * utility(site.rates()[page], elapsed);
            let best = (0..left.len()).max_by(|&a, &b| gain(left[a]).total_cmp(&gain(left[b]))).unwrap();
            gains.push(gain(left.remove(best)));
        }
        gains
    }

    proptest! {
        #[test]
        fn the_page_of_greatest_utility_is_always_taken(
            pages in prop::collection::vec((0.001f64..3.0, 1u8..4), 1..40),
        ) {
            let (rates, weights): (Vec<f64>, Vec<f64>) = pages.iter().map(|&(rate, weight)| (rate, f64::from(weight))).unzip();
            let site = Site::new(rates, 0.7).unwrap().with_weights(weights).unwrap();
            let order = Op.order(&site, &Links::flat(site.len()));
            for ((slot, page), best) in order.iter().map(|&page| page as usize).enumerate().zip(slowly(&site)) {
                let gain = site.weights()[page] * utility(site.rates()[page], (slot + 1) as f64 * 0.7);
                prop_assert!((gain - best).abs() <= 1e-12 * best.max(1e-300));
            }
        }
    }
}
