//! A plan: the slot of every visit and revisit; and what makes plans, a [`Strategy`].
//!
//! Slots are Δ apart and counted from the middle outwards, on both sides. With n pages, visit slot v is fetched at
//! `(n−1−v)Δ` after the start and revisit slot r at `(n−1+gap+r)Δ`, so the page must not change for
//!
//! ```text
//! I = (v + r + gap)Δ
//! ```
//!
//! The gap is 0 when one page holds both innermost slots: it is fetched once. When two different
//! pages hold them, or the crawl has two strict phases, both are fetched and the gap is 1.
//!
//! DIFFERENCE: Mazeika, Denev, Spaniol and Weikum, *The SOLAR System for Sharp Web Archiving*, Def. 4.1, let two pages
//! share the middle in their online experiment; [`Plan::with_shared_middle`] gives that reading.

use super::links::Links;
use super::site::Site;

/// Decides in which order pages are fetched.
///
/// Offline, every page is known before the crawl begins. Online, pages are discovered on the way, through links; a
/// strategy that has no online side of its own is an oracle and plans offline there, too.
pub trait Strategy: Send + Sync {
    /// Plans a crawl of pages that are all known.
    fn plan(&self, site: &Site) -> Plan;

    /// Plans a crawl that starts at the seeds and finds the other pages by `links`.
    fn crawl(&self, site: &Site, links: &Links) -> Plan {
        let _ = links;
        self.plan(site)
    }
}

/// In which order pages are visited again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revisits {
    /// First in, first out: the crawl is run twice. Every interval is nΔ.
    Fifo,
    /// Last in, first out: the crawl is run back. The intervals are 0, 2Δ, 4Δ, …: a pyramid.
    Lifo,
}

/// Visit and revisit slots of every page, counted from the middle; see the [module](self).
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    visit: Vec<u32>,
    revisit: Option<Vec<u32>>,
    gap: u32,
    /// Pages with a revisit slot from here on are not revisited.
    revisits: u32,
    kept: Option<Vec<bool>>,
    bound: Option<f64>,
}

impl Plan {
    /// Every page once, in this order.
    pub fn single(order: &[u32]) -> Self {
        let last = order.len().saturating_sub(1) as u32;
        let mut visit = vec![0; order.len()];
        for (time, &page) in order.iter().enumerate() {
            visit[page as usize] = last - time as u32;
        }
        Plan { visit, revisit: None, gap: 0, revisits: u32::MAX, kept: None, bound: None }
    }

    /// Visits in this order, then revisits in the same (FIFO) or in the opposite order (LIFO).
    pub fn ordered(order: &[u32], revisits: Revisits, site: &Site) -> Self {
        let visit = Plan::single(order).visit;
        let last = order.len().saturating_sub(1) as u32;
        let revisit = match revisits {
            Revisits::Lifo => visit.clone(),
            Revisits::Fifo => visit.iter().map(|slot| last - slot).collect(),
        };
        Plan::slots(visit, revisit, site)
    }

    /// A pyramid: the k-th page of `inner_first` has the k-th shortest interval.
    pub fn pyramid(inner_first: &[u32], site: &Site) -> Self {
        let mut visit = vec![0; inner_first.len()];
        for (slot, &page) in inner_first.iter().enumerate() {
            visit[page as usize] = slot as u32;
        }
        Plan::slots(visit.clone(), visit, site)
    }

    /// Given visit and revisit slots: two permutations of `0..n`.
    pub fn slots(visit: Vec<u32>, revisit: Vec<u32>, site: &Site) -> Self {
        let shared = visit.iter().zip(&revisit).all(|(v, r)| (*v == 0) == (*r == 0));
        Plan {
            visit,
            revisit: Some(revisit),
            gap: site.gap().max(u32::from(!shared)),
            revisits: u32::MAX,
            kept: None,
            bound: None,
        }
    }

    /// Revisits only the pages of the innermost slots. A page that is not revisited has no interval.
    #[must_use]
    pub fn with_revisits(mut self, revisits: u32, site: &Site) -> Self {
        if self.revisit.is_none() {
            (self.revisit, self.gap) = (Some(self.visit.clone()), site.gap());
        }
        self.revisits = revisits;
        self
    }

    /// Marks the pages that the strategy keeps; it gives up the others.
    #[must_use]
    pub fn with_kept(mut self, kept: Vec<bool>) -> Self {
        self.kept = Some(kept);
        self
    }

    /// How many pages the strategy gave up by its own rule; `None` if it has no such rule.
    pub fn given_up(&self) -> Option<usize> {
        self.kept.as_ref().map(|kept| kept.iter().filter(|kept| !**kept).count())
    }

    /// Adds a proven upper bound of the expected coherence of *any* plan for the same site.
    #[must_use]
    pub fn with_bound(mut self, bound: f64) -> Self {
        self.bound = Some(bound);
        self
    }

    /// Lets the last visit and the first revisit fall together, as SOLAR counts, even where they are two pages.
    #[must_use]
    pub fn with_shared_middle(mut self) -> Self {
        self.gap = 0;
        self
    }

    /// The visits alone.
    #[must_use]
    pub fn visits_only(mut self) -> Self {
        self.revisit = None;
        self.revisits = u32::MAX;
        self.kept = None;
        self.bound = None;
        self.gap = 0;
        self
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.visit.len()
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.visit.is_empty()
    }

    /// Whether pages are visited once only.
    pub fn is_single(&self) -> bool {
        self.revisit.is_none()
    }

    /// Visit slots, from the middle outwards, by page.
    pub fn visit(&self) -> &[u32] {
        &self.visit
    }

    /// Revisit slots, from the middle outwards, by page.
    pub fn revisit(&self) -> Option<&[u32]> {
        self.revisit.as_deref()
    }

    /// How many pages are revisited.
    pub fn revisited(&self) -> usize {
        if self.is_single() { 0 } else { self.len().min(self.revisits as usize) }
    }

    /// Slots between the two innermost downloads: 0 when they are one.
    pub fn gap(&self) -> u32 {
        self.gap
    }

    /// The proven upper bound that came with the plan.
    pub fn bound(&self) -> Option<f64> {
        self.bound
    }

    /// Slots from visit to revisit; `None` where there is no revisit.
    pub fn interval(&self, page: usize) -> Option<u64> {
        let revisit = self.revisit.as_ref()?[page];
        (revisit < self.revisits)
            .then(|| u64::from(self.visit[page]) + u64::from(revisit) + u64::from(self.gap))
    }

    /// The slot of the visit, counted from the start of the crawl.
    pub fn visit_time(&self, page: usize) -> u64 {
        (self.len() as u64 - 1) - u64::from(self.visit[page])
    }

    /// The slot of the revisit, counted from the start of the crawl.
    pub fn revisit_time(&self, page: usize) -> Option<u64> {
        Some(self.visit_time(page) + self.interval(page)?)
    }

    /// Length of the crawl in slots, from the first download to the last.
    pub fn length(&self) -> u64 {
        let last = self.len().saturating_sub(1) as u64;
        let revisits = u64::from(self.revisits).min(self.len() as u64);
        if self.is_single() || revisits == 0 { last } else { last + revisits - 1 + u64::from(self.gap) }
    }

    /// Whether the page is likely to stay unchanged: its survival is `floor` or more, whatever the strategy decided. A page
    /// that is fetched once needs no luck, and one without any chance is never hopeful.
    pub fn hopeful(&self, page: usize, survival: f64, floor: f64) -> bool {
        self.interval(page) == Some(0) || (survival > 0.0 && survival >= floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_run_twice_keeps_every_page_waiting_equally_long() {
        let site = Site::new(vec![0.1; 4], 1.0).unwrap();
        let plan = Plan::ordered(&[2, 0, 3, 1], Revisits::Fifo, &site);
        assert_eq!((0..4).map(|page| plan.interval(page)).collect::<Vec<_>>(), [Some(4); 4]);
        assert_eq!(plan.visit_time(2), 0);
        assert_eq!(plan.revisit_time(2), Some(4));
        assert_eq!(plan.length(), 7);
    }

    #[test]
    fn a_crawl_run_back_is_a_pyramid_with_one_page_in_the_middle() {
        let site = Site::new(vec![0.1; 3], 1.0).unwrap();
        let plan = Plan::ordered(&[2, 0, 1], Revisits::Lifo, &site);
        assert_eq!([1, 0, 2].map(|page| plan.interval(page).unwrap()), [0, 2, 4]);
        assert_eq!((plan.gap(), plan.length()), (0, 4));
        let plan = Plan::ordered(&[2, 0, 1], Revisits::Lifo, &site.two_phase(true));
        assert_eq!([1, 0, 2].map(|page| plan.interval(page).unwrap()), [1, 3, 5]);
        assert_eq!((plan.gap(), plan.length()), (1, 5));
    }

    #[test]
    fn a_page_is_hopeless_by_its_chance_and_not_by_what_a_strategy_decided() {
        let site = Site::new(vec![f64::INFINITY; 3], 1.0).unwrap();
        let plan = Plan::pyramid(&[0, 1, 2], &site).with_kept(vec![false, true, true]);
        let chances = [(0, 1.0), (1, 0.0), (2, 0.1), (2, 0.5)];
        assert_eq!(chances.map(|(page, chance)| plan.hopeful(page, chance, 0.5)), [true, false, false, true]);
        assert_eq!((plan.given_up(), plan.visits_only().given_up()), (Some(1), None));
    }

    #[test]
    fn no_page_and_one_page_are_plans_too() {
        let none = Site::new(vec![], 1.0).unwrap();
        assert_eq!(Plan::pyramid(&[], &none).length(), 0);
        let one = Site::new(vec![f64::INFINITY], 1.0).unwrap();
        let plan = Plan::ordered(&[0], Revisits::Fifo, &one);
        assert_eq!((plan.interval(0), plan.length()), (Some(0), 0));
    }
}
