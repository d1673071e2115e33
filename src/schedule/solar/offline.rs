//! SOLAR-offline: every page gets an interval as long as its confidence length, then the schedule shrinks.
//!
//! The page with the shortest length takes the middle. Then, lengths ascending, page i takes the smallest free revisit slot
//! `r ≥ 1` whose visit slot `v = I_i − r ≥ 1` is free, or is hopeless if there is none. Used slots close up (shrinking), and
//! the hopeless pages follow outside, longest length first.
//!
//! Source: Mazeika et al., *SOLAR*, §4.1–4.2 and Algorithm 1. DIFFERENCE: the algorithm's input line says "sorted
//! descending"; the text, and the only useful reading, is ascending. Lengths have no weights.
//! Cost: at most `O(n²)` steps; far fewer unless nearly all pages are hopeless.

use std::collections::HashSet;

use super::shrink::ranks;
use super::{lengths, shortest_first};
use crate::schedule::plan::{Plan, Strategy};
use crate::schedule::site::Site;

/// SOLAR-offline with confidence τ.
pub(crate) struct Offline {
    /// The survival that a confidence length promises.
    pub tau: f64,
}

impl Strategy for Offline {
    fn plan(&self, site: &Site) -> Plan {
        let lengths = lengths(site, self.tau);
        let mut free = Free::new(site.len());
        let (mut visits, mut revisits, mut hopeless) = (Vec::new(), Vec::new(), Vec::new());
        for (place, page) in shortest_first(site).into_iter().enumerate() {
            let slots = if place == 0 { Some((0, 0)) } else { free.take(lengths[page as usize]) };
            match slots {
                Some((visit, revisit)) => {
                    visits.push((visit, page));
                    revisits.push((revisit, page));
                }
                None => hopeless.push(page),
            }
        }
        let (mut visit, mut revisit) = (vec![0; site.len()], vec![0; site.len()]);
        ranks(&visits, 0, &mut visit);
        ranks(&revisits, 0, &mut revisit);
        let mut hopeful = vec![true; site.len()];
        for (place, &page) in hopeless.iter().rev().enumerate() {
            let slot = (visits.len() + place) as u32;
            (visit[page as usize], revisit[page as usize]) = (slot, slot);
            hopeful[page as usize] = false;
        }
        Plan::slots(visit, revisit, site).with_kept(hopeful)
    }
}

/// Free slots on both sides.
struct Free {
    /// Taken revisit slots are never beyond 2n: each of n pages is stopped by at most 2n others.
    revisits: Vec<bool>,
    first: usize,
    near: Vec<bool>,
    far: HashSet<u64>,
}

impl Free {
    fn new(n: usize) -> Self {
        Free { revisits: vec![true; 2 * n + 2], first: 1, near: vec![true; 8 * n + 8], far: HashSet::new() }
    }

    fn visit_is_free(&self, slot: u64) -> bool {
        match self.near.get(slot as usize) {
            Some(free) => *free,
            None => !self.far.contains(&slot),
        }
    }

    /// The smallest free revisit slot whose visit slot is free, too.
    fn take(&mut self, length: u64) -> Option<(u64, u64)> {
        while self.first < self.revisits.len() && !self.revisits[self.first] {
            self.first += 1;
        }
        let end = self.revisits.len().min(usize::try_from(length).unwrap_or(usize::MAX));
        let revisit = (self.first..end)
            .find(|&revisit| self.revisits[revisit] && self.visit_is_free(length - revisit as u64))?;
        let visit = length - revisit as u64;
        self.revisits[revisit] = false;
        match self.near.get_mut(visit as usize) {
            Some(free) => *free = false,
            None => _ = self.far.insert(visit),
        }
        Some((visit, revisit as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_room_is_hopeless_and_goes_outside() {
        // Lengths 1, 1, 1, 9, 9 slots: the first takes the middle, no r ≥ 1, v ≥ 1 has r + v = 1, the others fit.
        let tau = 0.5f64;
        let rates: Vec<f64> =
            [1.0, 1.0, 1.0, 9.0, 9.0].iter().map(|length| (1.0 / tau).ln() / length).collect();
        let site = Site::new(rates, 1.0).unwrap();
        let plan = Offline { tau }.plan(&site);
        assert_eq!(plan.interval(0), Some(0));
        assert_eq!(plan.given_up(), Some(2));
        assert_eq!([3, 4].map(|page| plan.interval(page).unwrap()), [3, 3]);
        assert_eq!([1, 2].map(|page| plan.interval(page).unwrap()), [8, 6]);
    }

    #[test]
    fn pages_that_never_change_and_pages_that_always_do_can_be_planned() {
        let site = Site::new(vec![0.0, f64::INFINITY, 0.0, f64::INFINITY, 1e-300], 1.0).unwrap();
        let plan = Offline { tau: 0.9 }.plan(&site);
        assert_eq!(plan.interval(1), Some(0));
        assert_eq!(plan.given_up(), Some(1));
    }
}
