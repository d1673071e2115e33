//! Measurable crawling: a single visit, soon enough after the start that the page has not changed since.
//!
//! Where the server's `Last-Modified` can be believed, a capture is coherent with the *start* of the crawl if no page changed
//! between the start and its visit. Hottest first; the page whose chance of a conflict `κ = 1 − (1−p)^t` is η or more, with
//! `p = 1 − e^(−λΔ)` and t slots since the start, is skipped for the moment. Skipped pages follow in the opposite order.
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart, *Data Quality in Web Archiving*, WICOW 2009, §4.1, eq. 2 and Fig. 7. A
//! skipped page takes no time: t counts downloads, as the text has it. With page weights nothing changes: η is a bound on risk.
//! Cost: one sort.

use crate::schedule::links::Links;
use crate::schedule::order::Order;
use crate::schedule::site::{Site, survival};

/// Hottest first as long as the risk is less than η.
pub(crate) struct Measurable {
    /// The readiness to assume risk.
    pub eta: f64,
}

impl Order for Measurable {
    fn order(&self, site: &Site, _: &Links) -> Vec<u32> {
        let (mut order, mut skipped) = (Vec::with_capacity(site.len()), Vec::new());
        for page in site.hottest_first() {
            let conflict = 1.0 - survival(site.rates()[page as usize], order.len() as f64 * site.delay());
            // The first slot is the joker: no time has passed, κ = 0.
            if order.is_empty() || conflict < self.eta { order.push(page) } else { skipped.push(page) }
        }
        order.extend(skipped.into_iter().rev());
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::expected::coherence_with_start;
    use crate::schedule::plan::Plan;

    #[test]
    fn the_hottest_page_is_the_joker_and_risky_ones_come_last() {
        let site = Site::new(vec![0.001, 2.0, 3.0, 0.01, 1.0], 1.0).unwrap();
        let order = Measurable { eta: 0.5 }.order(&site, &Links::flat(5));
        assert_eq!(order, [2, 3, 0, 4, 1]);
        let survivals = [1.0, (-0.01f64).exp(), (-0.002f64).exp(), (-3.0f64).exp(), (-8.0f64).exp()];
        let expected = survivals.iter().sum::<f64>();
        assert!((coherence_with_start(&site, &Plan::single(&order)) - expected).abs() < 1e-12);
    }
}
