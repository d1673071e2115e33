//! Depth first: what was found last is fetched first, links of one page in their order.
//!
//! Source: Denev et al., *The SHARC framework*, VLDB Journal, §5.1, Table 1. Without links: by the places at which it
//! found the pages before, else the given order.

use crate::schedule::links::{Discovery, Links};
use crate::schedule::order::Order;
use crate::schedule::site::Site;

pub(crate) struct Dfs;

impl Order for Dfs {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        if !links.is_flat() || site.found().is_empty() {
            return depth_first(links);
        }
        let mut order: Vec<u32> = (0..site.len() as u32).collect();
        order.sort_by_key(|page| site.found()[*page as usize].depth);
        order
    }
}

/// The pages in the order in which a crawl depth first fetches them.
pub(crate) fn depth_first(links: &Links) -> Vec<u32> {
    let mut discovery = Discovery::new(links);
    let mut detected: Vec<u32> = links.seeds().iter().rev().copied().collect();
    let mut order = Vec::with_capacity(links.len());
    while let Some(page) = detected.pop() {
        order.push(page);
        let older = detected.len();
        detected.extend(discovery.download(page));
        detected[older..].reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_first_goes_as_in_sharc_table_1() {
        let (site, links) = super::super::sharc_example();
        assert_eq!(Dfs.order(&site, &links), [0, 1, 3, 4, 2, 5]);
    }
}
