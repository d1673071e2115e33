//! What a plan can be expected to reach.
//!
//! Pages change as independent Poisson processes of rate λ.
//!
//! ```text
//! coherence  EC = Σ w·e^(−λI)          I: from visit to revisit; a page counts when it did not change in between
//! blur       B  = Σ w·λ·ω / (T·Σ w)    T: length of the crawl, which is also the window of observation
//!            ω  = t_v²/2 + (t_r − t_v)²/4 + (T − t_r)²/2      closest capture is served
//!            ω  = t²/2 + (T − t)²/2                           single visit
//! ```
//!
//! Source: Denev, Mazeika, Spaniol, Weikum, *The SHARC framework for data quality in Web archiving*, VLDB Journal:
//! coherence Def. 2 and 5; blur eq. 1–4 (single), 18–20 (revisits, upper limit of the integral read as `(2n+1)Δ`).
//! DIFFERENCE: the average divides by all n+1 pages for revisits too, where the paper prints n; and both are weighted.
//! Cost: one pass.

use super::plan::Plan;
use super::site::{Site, survival};

/// A page less likely than this to stay unchanged counts as hopeless, in every row of a comparison.
pub(crate) const HOPE: f64 = 0.5;

/// What a plan can be expected to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Weight of the pages that stay unchanged between visit and revisit; `None` for a single visit, which proves
    /// nothing.
    pub coherence: Option<f64>,
    /// Mean number of changes between what is served and what was online, by weight; infinite if a rate is.
    pub blur: f64,
    /// Pages given up; `None` for a single visit.
    pub hopeless: Option<usize>,
    /// Slots from first to last download.
    pub length: u64,
}

/// Expected coherence, blur, hopeless pages and length of a plan.
pub fn expected(site: &Site, plan: &Plan, floor: f64) -> Expected {
    let hopeless = (!plan.is_single()).then(|| {
        (0..plan.len())
            .filter(|&page| !plan.hopeful(page, page_survival(site, plan, page).unwrap_or(1.0), floor))
            .count()
    });
    Expected { coherence: coherence(site, plan), blur: blur(site, plan), hopeless, length: plan.length() }
}

/// The chance that a page does not change between its visit and its revisit.
pub(crate) fn page_survival(site: &Site, plan: &Plan, page: usize) -> Option<f64> {
    Some(survival(site.rates()[page], plan.interval(page)? as f64 * site.delay()))
}

/// Expected coherence `EC = Σ w·e^(−λI)`; `None` for a single visit.
pub fn coherence(site: &Site, plan: &Plan) -> Option<f64> {
    if plan.is_single() {
        return None;
    }
    Some(
        (0..plan.len())
            .map(|page| site.weights()[page] * page_survival(site, plan, page).unwrap_or(0.0))
            .sum(),
    )
}

/// Expected coherence of a single visit with the *start* of the crawl, where the server's dates can be believed:
/// `Σ w·e^(−λt)`, t the time of the visit.
///
/// Source: Spaniol, Denev, Mazeika, Weikum, Senellart, *Data Quality in Web Archiving*, WICOW 2009, §3.3 and eq. 2.
#[cfg(test)]
pub(crate) fn coherence_with_start(site: &Site, plan: &Plan) -> f64 {
    let at = |page| plan.visit_time(page) as f64 * site.delay();
    (0..plan.len()).map(|page| site.weights()[page] * survival(site.rates()[page], at(page))).sum()
}

/// Average stochastic blur, by weight.
pub(crate) fn blur(site: &Site, plan: &Plan) -> f64 {
    let total: f64 = site.weights().iter().sum();
    let window = plan.length() as f64;
    if window == 0.0 || total == 0.0 || site.delay() == 0.0 {
        return 0.0;
    }
    let sum: f64 = (0..plan.len())
        .map(|page| match (site.rates()[page], site.weights()[page]) {
            (0.0, _) | (_, 0.0) => 0.0,
            (rate, weight) => weight * rate * penalty(plan, page, window),
        })
        .sum();
    sum * site.delay() / (window * total)
}

/// ω in units of Δ².
fn penalty(plan: &Plan, page: usize, window: f64) -> f64 {
    let visit = plan.visit_time(page) as f64;
    let revisit = plan.revisit_time(page).map_or(visit, |slot| slot as f64);
    visit * visit / 2.0 + (revisit - visit).powi(2) / 4.0 + (window - revisit).powi(2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::plan::Revisits;

    /// The running example of the SHARC paper (Fig. 3): six pages of rates 0 to 5.
    fn site() -> Site {
        Site::new((0..6).map(f64::from).collect(), 1.0).unwrap()
    }

    #[test]
    fn blur_of_sharc_example_1_is_27_5_and_4_583333_a_page() {
        let average = blur(&site(), &Plan::single(&[0, 1, 2, 3, 4, 5]));
        assert!((average * 6.0 - 27.5).abs() < 1e-12);
        assert!((average - 4.583_333).abs() < 1e-6);
    }

    #[test]
    fn blur_with_revisits_of_sharc_example_7_is_24_772727() {
        let plan = Plan::ordered(&[0, 1, 2, 3, 4, 5], Revisits::Fifo, &site());
        assert!((blur(&site(), &plan) * 6.0 - 24.772_727).abs() < 1e-6);
        for (page, numerator) in [35.0, 62.0, 93.0, 140.0, 215.0].into_iter().enumerate() {
            let page = page + 1;
            assert!((page as f64 * penalty(&plan, page, 11.0) / 11.0 - numerator / 22.0).abs() < 1e-12);
        }
    }

    #[test]
    fn expected_coherence_of_sharc_example_9_is_2_222806() {
        let site = Site::new(vec![0.40, 0.35, 0.30, 0.25, 0.20], 1.0).unwrap();
        let plan = Plan::pyramid(&[0, 1, 2, 3, 4], &site);
        assert!((coherence(&site, &plan).unwrap() - 2.222_806).abs() < 5e-7);
    }

    #[test]
    fn the_two_sums_of_sharc_example_10_are_1_222806_and_1_278695() {
        let sum = |rates: [f64; 4]| -> f64 {
            rates.iter().zip([2.0, 4.0, 6.0, 8.0]).map(|(rate, interval)| survival(*rate, interval)).sum()
        };
        assert!((sum([0.35, 0.30, 0.25, 0.20]) - 1.222_806).abs() < 5e-7);
        assert!((sum([0.30, 0.25, 0.20, 0.35]) - 1.278_695).abs() < 5e-7);
    }

    #[test]
    fn a_page_that_always_changes_makes_the_blur_infinite_unless_it_weighs_nothing() {
        let site = Site::new(vec![f64::INFINITY, 1.0], 1.0).unwrap();
        let plan = Plan::single(&[0, 1]);
        assert_eq!(blur(&site, &plan), f64::INFINITY);
        assert!(blur(&site.with_weights(vec![0.0, 1.0]).unwrap(), &plan).is_finite());
    }
}
