//! Hottest-middle, SHARC-threshold and inducible crawling: one pyramid, three thresholds.
//!
//! Hottest page to the shortest interval, and so on outwards; but a page whose survival `e^(−λI)` on the shortest free
//! interval falls below a floor is given up and moves to the end, hottest last.
//!
//! | strategy | floor |
//! |---|---|
//! | Hottest-middle | none |
//! | SHARC-threshold | τ |
//! | inducible | 1 − η: the chance of a conflict `κ = 1 − (1−p)^t`, p = 1 − e^(−λΔ) per slot, must stay below η |
//!
//! Online, Hottest-middle visits the coldest detected page and revisits hottest first.
//!
//! Source: Mazeika et al., *SOLAR*, §6 (Hottest-middle, SHARC-threshold); Spaniol, Denev, Mazeika, Weikum, Senellart, *Data
//! Quality in Web Archiving*, WICOW 2009, §4.2, eq. 4 and Fig. 8 (inducible). Cost: one sort.

use crate::schedule::baseline::hottest::HottestLast;
use crate::schedule::links::Links;
use crate::schedule::order::Order;
use crate::schedule::plan::{Plan, Strategy};
use crate::schedule::site::{Site, survival};

/// Hottest page in the middle; no page is given up.
pub(crate) struct HottestMiddle;

impl Strategy for HottestMiddle {
    fn plan(&self, site: &Site) -> Plan {
        Plan::pyramid(&site.hottest_first(), site)
    }

    fn crawl(&self, site: &Site, links: &Links) -> Plan {
        let visit = Plan::single(&HottestLast.order(site, links)).visit().to_vec();
        let mut revisit = vec![0; site.len()];
        for (slot, page) in site.hottest_first().into_iter().enumerate() {
            revisit[page as usize] = slot as u32;
        }
        Plan::slots(visit, revisit, site)
    }
}

/// Hottest page in the middle; pages below the floor outside.
pub(crate) struct Threshold {
    keeps: fn(f64, f64) -> bool,
    floor: f64,
}

impl Threshold {
    /// SHARC-threshold: survival must be τ or more.
    pub(crate) fn sharc(tau: f64) -> Self {
        Threshold { keeps: |survival, tau| survival >= tau, floor: tau }
    }

    /// Inducible crawling: the chance of a conflict must be less than η.
    pub(crate) fn inducible(eta: f64) -> Self {
        Threshold { keeps: |survival, floor| survival > floor, floor: 1.0 - eta }
    }
}

impl Strategy for Threshold {
    fn plan(&self, site: &Site) -> Plan {
        let (mut promising, mut hopeless) = (Vec::with_capacity(site.len()), Vec::new());
        let mut hopeful = vec![true; site.len()];
        for page in site.hottest_first() {
            let interval = site.interval(promising.len());
            // No time, no risk: whatever the threshold, the middle is taken.
            if interval == 0.0 || (self.keeps)(survival(site.rates()[page as usize], interval), self.floor) {
                promising.push(page);
            } else {
                hopeful[page as usize] = false;
                hopeless.push(page);
            }
        }
        promising.extend(hopeless.into_iter().rev());
        Plan::pyramid(&promising, site).with_kept(hopeful)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_below_the_floor_moves_outside_hottest_last() {
        let site = Site::new(vec![3.0, 2.0, 1.0, 0.01, 0.001], 1.0).unwrap();
        let plan = Threshold::sharc(0.5).plan(&site);
        let intervals: Vec<u64> = (0..5).map(|page| plan.interval(page).unwrap()).collect();
        assert_eq!(intervals, [0, 8, 6, 2, 4]);
        assert_eq!(Threshold::inducible(0.5).plan(&site), plan);
    }
}
