//! Urgency, and which page is downloaded next by it.

use super::Pattern;
use crate::schedule::links::Links;
use crate::schedule::order::Order;
use crate::schedule::site::Site;

/// Which ω_k makes a page urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Mean importance of all changes.
    Importance,
    /// Number of changes in the period.
    Pattern,
    /// Importance of changes in the period.
    ImportancePattern,
}

/// The pages by urgency, period after period.
#[derive(Debug, Clone)]
pub(crate) struct Urgent {
    weights: Vec<f64>,
    rates: Vec<f64>,
    patterns: Vec<Pattern>,
    kind: Kind,
    last: Vec<f64>,
}

impl Urgent {
    /// All pages were last fetched at time −1 (in periods): when the crawl begins they have waited equally long.
    pub(crate) fn new(site: &Site, kind: Kind) -> Self {
        Urgent {
            weights: site.weights().to_vec(),
            // An infinite rate would swallow every weight; the greatest finite number keeps pages comparable.
            rates: site.rates().iter().map(|rate| rate.min(1e100)).collect(),
            patterns: site.patterns().to_vec(),
            kind,
            last: vec![-1.0; site.len()],
        }
    }

    pub(crate) fn urgency(&self, page: usize, k: usize) -> f64 {
        let expected = match (self.patterns.get(page), self.kind) {
            (None, _) => self.rates[page],
            (Some(pattern), Kind::Importance) => pattern.mean_importance(),
            (Some(pattern), Kind::Pattern) => pattern.changes(k),
            (Some(pattern), Kind::ImportancePattern) => pattern.importance(k),
        };
        self.weights[page] * expected * (k as f64 - self.last[page])
    }

    /// Downloads the `m` most urgent of the pages that `may` be downloaded in period k; the most urgent first, equally
    /// urgent ones in their order.
    pub(crate) fn download(&mut self, k: usize, m: usize, may: impl Fn(usize) -> bool) -> Vec<u32> {
        let pages = (0..self.last.len()).filter(|&page| may(page));
        let mut urgent: Vec<(f64, u32)> = pages.map(|page| (self.urgency(page, k), page as u32)).collect();
        let by_urgency = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if m < urgent.len() {
            urgent.select_nth_unstable_by(m, by_urgency);
            urgent.truncate(m);
        }
        urgent.sort_unstable_by(by_urgency);
        urgent.iter().for_each(|&(_, page)| self.last[page as usize] = k as f64);
        urgent.into_iter().map(|(_, page)| page).collect()
    }
}

/// One round of pattern-based crawling: period after period the M most urgent pages that are still to be fetched.
pub(crate) struct Urgency {
    pub kind: Kind,
    /// M; by default as many as Δ allows in a period, or, where the length of a period is unknown, the round is spread
    /// over one cycle.
    pub per_period: Option<usize>,
}

impl Urgency {
    fn downloads_a_period(&self, site: &Site) -> usize {
        let pattern = site.patterns().first();
        let spread = || site.len().div_ceil(pattern.map_or(1, Pattern::periods));
        let by_time = || {
            let slots = pattern?.period_seconds()? / site.delay();
            // No delay at all: everything fits into the first period.
            Some(if slots < site.len() as f64 { slots as usize } else { site.len() })
        };
        self.per_period.or_else(by_time).unwrap_or_else(spread).max(1)
    }
}

impl Order for Urgency {
    fn order(&self, site: &Site, _: &Links) -> Vec<u32> {
        let m = self.downloads_a_period(site);
        let mut urgent = Urgent::new(site, self.kind);
        let mut fetched = vec![false; site.len()];
        let mut order = Vec::with_capacity(site.len());
        for k in 0.. {
            let pages = urgent.download(k, m, |page| !fetched[page]);
            if pages.is_empty() {
                break;
            }
            pages.iter().for_each(|&page| fetched[page as usize] = true);
            order.extend(pages);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        let pattern = |changes: [f64; 2], importance: [f64; 2]| {
            Pattern::new(changes.into(), importance.into()).unwrap()
        };
        let patterns = vec![
            pattern([9.0, 1.0], [0.1, 0.1]),
            pattern([1.0, 9.0], [0.5, 0.2]),
            pattern([2.0, 2.0], [0.0, 0.9]),
        ];
        Site::new(vec![1.0; 3], 1.0).unwrap().with_patterns(patterns).unwrap()
    }

    #[test]
    fn the_three_strategies_see_three_different_urgencies() {
        let first = |kind| Urgent::new(&site(), kind).download(0, 1, |_| true);
        assert_eq!(first(Kind::Pattern), [0]);
        assert_eq!(first(Kind::ImportancePattern), [1]);
        assert_eq!(first(Kind::Importance), [2]);
    }

    #[test]
    fn a_page_that_was_fetched_waits_until_it_is_urgent_again() {
        let mut urgent = Urgent::new(&site(), Kind::Importance);
        let fetched: Vec<u32> = (0..6).flat_map(|k| urgent.download(k, 1, |_| true)).collect();
        assert_eq!(fetched, [2, 1, 2, 1, 2, 1]);
        assert_eq!(urgent.urgency(0, 6), 0.1 * 7.0);
    }

    #[test]
    fn a_period_of_known_length_holds_as_many_downloads_as_the_delay_allows_and_the_crawl_may_begin_in_any() {
        use crate::schedule::pattern::Cycle;
        use std::sync::Arc;
        // Two kinds of pages: busy in the first hour, and busy in the second.
        let cycle =
            |changes: [f64; 2]| Arc::new(Cycle::new(changes.into(), changes.into()).unwrap().lasting(3600.0));
        let (early, late) = (cycle([1.0, 0.0]), cycle([0.0, 1.0]));
        let order = |first: usize, delay: f64| {
            let patterns = [&early, &late, &early, &late];
            let patterns = patterns.map(|cycle| Pattern::of(cycle.clone(), 2.0).starting(first)).to_vec();
            let site = Site::new(vec![1.0; 4], delay).unwrap().with_patterns(patterns).unwrap();
            Urgency { kind: Kind::Pattern, per_period: None }.order(&site, &Links::flat(4))
        };
        assert_eq!(order(0, 1800.0), [0, 2, 1, 3]);
        assert_eq!(order(1, 1800.0), [1, 3, 0, 2]);
        assert_eq!(order(3, 1800.0), order(1, 1800.0));
        assert_eq!(order(0, 0.0), [0, 2, 1, 3]);
        assert_eq!(order(0, 1e9).len(), 4);
    }

    #[test]
    fn one_round_fetches_every_page_once() {
        for per_period in [None, Some(1), Some(100)] {
            let mut order = Urgency { kind: Kind::Pattern, per_period }.order(&site(), &Links::flat(3));
            order.sort_unstable();
            assert_eq!(order, [0, 1, 2]);
        }
    }
}
