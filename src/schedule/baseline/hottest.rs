//! Hottest first (HF) and hottest last (HL): of the detected pages, the one that changes most, or least, often.
//!
//! Source: Denev et al., *The SHARC framework*, VLDB Journal, §9.1. (The headings HF and HL are exchanged in its Tables
//! 11, 12, 15, 16 and 19.) Hottest last with LIFO revisits is the pyramid with the hottest pages in the middle, as far as
//! pages are found in time. Cost: `O(n log n)`.

use crate::schedule::frontier::Frontier;
use crate::schedule::links::{Discovery, Links};
use crate::schedule::order::Order;
use crate::schedule::site::Site;

pub(crate) struct HottestFirst;

/// Hottest last: coldest first.
pub(crate) struct HottestLast;

impl Order for HottestFirst {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        best_first(site.hottest_first(), links)
    }
}

impl Order for HottestLast {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        best_first(site.coldest_first(), links)
    }
}

/// Always the detected page that stands first in `ranking`.
pub(crate) fn best_first(ranking: Vec<u32>, links: &Links) -> Vec<u32> {
    let mut order = Vec::with_capacity(ranking.len());
    let mut discovery = Discovery::new(links);
    let mut detected = Frontier::new(ranking);
    links.seeds().iter().for_each(|&seed| detected.insert(seed));
    while let Some(page) = detected.take_first() {
        order.push(page);
        discovery.download(page).for_each(|child| detected.insert(child));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_detected_pages_can_be_chosen() {
        let (site, links) = super::super::sharc_example();
        assert_eq!(HottestFirst.order(&site, &links), [0, 2, 5, 1, 4, 3]);
        assert_eq!(HottestLast.order(&site, &links), [0, 1, 2, 3, 4, 5]);
        assert_eq!(HottestFirst.order(&site, &Links::flat(6)), [5, 4, 3, 2, 1, 0]);
    }
}
