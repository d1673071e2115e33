//! SOLAR-online: visit slots are filled from the outside in, with the longest confidence length that fits.
//!
//! With visit slots counted `v = −(n−1), …, 0`, take of the detected pages the longest length I whose revisit slot
//! `r = v + I > 0` is free; if none is, the shortest is hopeless. In the end the revisits shrink, and those of hopeless pages follow,
//! last-in-first-out.
//!
//! Source: Mazeika et al., *SOLAR*, §5, Algorithm 2. Cost: at most `O(n²)` comparisons.

use std::collections::HashSet;

use super::shrink::ranks;
use super::{lengths, shortest_first};
use crate::schedule::frontier::Frontier;
use crate::schedule::links::{Discovery, Links};
use crate::schedule::plan::{Plan, Strategy};
use crate::schedule::site::Site;

/// SOLAR-online with confidence τ.
pub(crate) struct Online {
    /// The survival that a confidence length promises.
    pub tau: f64,
}

impl Strategy for Online {
    fn plan(&self, site: &Site) -> Plan {
        self.crawl(site, &Links::flat(site.len()))
    }

    fn crawl(&self, site: &Site, links: &Links) -> Plan {
        let n = site.len();
        let lengths = lengths(site, self.tau);
        let mut detected = Frontier::new(shortest_first(site));
        let mut discovery = Discovery::new(links);
        links.seeds().iter().for_each(|&seed| detected.insert(seed));
        let mut used: HashSet<u64> = HashSet::with_capacity(n);
        let (mut revisits, mut hopeless) = (Vec::with_capacity(n), Vec::new());
        let mut visit = vec![0; n];
        for slot in (0..n as u32).rev() {
            // In slots from the middle: r = I − v.
            let revisit = |page: u32| lengths[page as usize].checked_sub(u64::from(slot)).filter(|r| *r > 0);
            let mut fits = None;
            for place in (0..detected.len()).rev() {
                let Some(page) = detected.get(place) else { break };
                // Shorter ones end even earlier.
                let Some(revisit) = revisit(page) else { break };
                if !used.contains(&revisit) {
                    fits = Some((page, revisit));
                    break;
                }
            }
            let page = match fits {
                Some((page, revisit)) => {
                    used.insert(revisit);
                    revisits.push((revisit, page));
                    detected.remove(page);
                    page
                }
                None => {
                    let Some(page) = detected.take_first() else { break };
                    hopeless.push(page);
                    page
                }
            };
            visit[page as usize] = slot;
            discovery.download(page).for_each(|child| detected.insert(child));
        }
        let mut revisit = vec![0; n];
        ranks(&revisits, 0, &mut revisit);
        let mut hopeful = vec![true; n];
        for (place, &page) in hopeless.iter().rev().enumerate() {
            revisit[page as usize] = (revisits.len() + place) as u32;
            hopeful[page as usize] = false;
        }
        Plan::slots(visit, revisit, site).with_kept(hopeful)
    }
}
