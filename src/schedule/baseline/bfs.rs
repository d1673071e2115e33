//! Breadth first: what was found first is fetched first. The order of nearly every archive crawler.
//!
//! Source: Denev et al., *The SHARC framework*, VLDB Journal, §5.1, Table 2. Without links: by the places at which it
//! found the pages before, else the given order.

use std::collections::VecDeque;

use crate::schedule::links::{Discovery, Links};
use crate::schedule::order::Order;
use crate::schedule::site::Site;

pub(crate) struct Bfs;

impl Order for Bfs {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        if !links.is_flat() || site.found().is_empty() {
            return breadth_first(links);
        }
        let mut order: Vec<u32> = (0..site.len() as u32).collect();
        order.sort_by_key(|page| site.found()[*page as usize].breadth);
        order
    }
}

/// The pages in the order in which a crawl breadth first fetches them.
pub(crate) fn breadth_first(links: &Links) -> Vec<u32> {
    let mut discovery = Discovery::new(links);
    let mut detected: VecDeque<u32> = links.seeds().iter().copied().collect();
    let mut order = Vec::with_capacity(links.len());
    while let Some(page) = detected.pop_front() {
        order.push(page);
        detected.extend(discovery.download(page));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breadth_first_goes_as_in_sharc_table_2() {
        let (site, links) = super::super::sharc_example();
        assert_eq!(Bfs.order(&site, &links), [0, 1, 2, 3, 4, 5]);
    }
}
