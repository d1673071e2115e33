//! SHARC-online: organ pipes built while the pages are being found.
//!
//! N is the (estimated) number of pages, d pages are downloaded, e are detected and waiting, sorted by rate ascending:
//!
//! ```text
//! d + e ≤ N/2   ascending   the coldest
//! d ≤ N/2       middle      position d if d < e, else the hottest
//! else          descending  the hottest
//! ```
//!
//! Source: Denev et al., *The SHARC framework*, §5.3, eq. 11–16; Algorithm 2 with its slips read as in the text (`n_E` is
//! m+1 at the start, the last index is `n_E − 1`). With page weights heat is wλ, as in SHARC-offline.
//! Cost: `O(n log n)`.

use crate::schedule::frontier::Frontier;
use crate::schedule::links::{Discovery, Links};
use crate::schedule::order::Order;
use crate::schedule::site::Site;

pub(crate) struct Online;

impl Order for Online {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        let n = site.len();
        let heat = |page: u32| match (site.rates()[page as usize], site.weights()[page as usize]) {
            (_, 0.0) => 0.0,
            (rate, weight) => rate * weight,
        };
        let mut ranking: Vec<u32> = (0..n as u32).collect();
        ranking.sort_by(|&a, &b| heat(a).total_cmp(&heat(b)));
        let mut detected = Frontier::new(ranking);
        let mut discovery = Discovery::new(links);
        links.seeds().iter().for_each(|&seed| detected.insert(seed));
        let mut order = Vec::with_capacity(n);
        loop {
            let (downloaded, waiting) = (order.len(), detected.len());
            let next = if 2 * (downloaded + waiting) <= n {
                detected.take_first()
            } else if 2 * downloaded <= n && downloaded < waiting {
                detected.take(downloaded)
            } else {
                detected.take_last()
            };
            let Some(page) = next else { return order };
            order.push(page);
            discovery.download(page).for_each(|child| detected.insert(child));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_sharc_table_3() {
        let (site, links) = crate::schedule::baseline::sharc_example();
        assert_eq!(Online.order(&site, &links), [0, 1, 4, 3, 2, 5]);
    }
}
