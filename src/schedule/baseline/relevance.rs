//! Relevance: the most important page first, in a fixed order.
//!
//! Source: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, §7,
//! after Cho, Garcia-Molina, Page, *Efficient crawling through URL ordering*. Importance is the page weight.

use super::hottest::best_first;
use crate::schedule::links::Links;
use crate::schedule::order::Order;
use crate::schedule::site::Site;

pub(crate) struct Relevance;

impl Order for Relevance {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        let mut ranking: Vec<u32> = (0..site.len() as u32).collect();
        let weights = site.weights();
        ranking.sort_by(|&a, &b| weights[b as usize].total_cmp(&weights[a as usize]));
        best_first(ranking, links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_page_comes_first_and_equal_ones_keep_their_order() {
        let site = Site::new(vec![1.0; 4], 1.0).unwrap().with_weights(vec![1.0, 3.0, 1.0, 2.0]).unwrap();
        assert_eq!(Relevance.order(&site, &Links::flat(4)), [1, 3, 0, 2]);
    }
}
