//! Strategies side by side, over all sites of a crawl.

use super::expected::expected;
use super::model::Row;
use super::optimal::rivals;
use super::plan::{Plan, Strategy};
use super::registry::{COMPARED, Settings, strategy};
use super::site::Site;
use crate::error::Result;

/// Above this number of pages only named strategies are run.
pub(crate) const COMPARE_LIMIT: usize = 10_000;

/// How plans are made of strategies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mode {
    /// Pages are visited once.
    pub single_visit: bool,
    /// Strategies do not see the page weights; the result is still judged by them.
    pub ignore_weights: bool,
    /// τ, η, M.
    pub settings: Settings,
}

impl Mode {
    /// The strategy of that name in this mode. The best single visit is SHARC-offline.
    pub fn strategy(&self, name: &str) -> Result<Box<dyn Strategy>> {
        let name = if self.single_visit && name == "optimal" { "sharc-offline" } else { name };
        strategy(name, &self.settings)
    }

    pub fn plan(&self, strategy: &dyn Strategy, site: &Site) -> Plan {
        let plan = if self.ignore_weights { strategy.plan(&site.unweighted()) } else { strategy.plan(site) };
        if self.single_visit { plan.visits_only() } else { plan }
    }

    /// Lets the optimum of a site take the lead over another plan for it. A single visit proves nothing: there blur decides.
    pub(crate) fn lead(&self, site: &Site, plan: Plan, rival: &Plan) -> Plan {
        match (self.single_visit, self.ignore_weights) {
            (true, _) => plan,
            (false, true) => rivals::lead(&site.unweighted(), plan, [rival]),
            (false, false) => rivals::lead(site, plan, [rival]),
        }
    }

    /// The survival below which a page counts as hopeless, whatever the strategy.
    pub fn floor(&self) -> f64 {
        self.settings.tau.unwrap_or(super::expected::HOPE)
    }
}

/// `a − b` of two sums over the same pages: what is only rounding is 0, not −8.88e-16.
pub(crate) fn difference(a: f64, b: f64) -> f64 {
    let (difference, scale) = (a - b, a.abs().max(b.abs()).max(1.0));
    if difference.abs() <= 1e-11 * scale { 0.0 } else { difference }
}

/// What is lost against an upper bound; `None` where there is nothing to lose.
pub(crate) fn gap(upper: f64, reached: f64) -> Option<f64> {
    if upper > 0.0 { Some(((upper - reached) / upper).max(0.0)) } else { (upper == reached).then_some(0.0) }
}

/// The plans of a strategy, site by site.
pub(crate) fn plans(name: &str, sites: &[&Site], mode: &Mode) -> Result<Vec<Plan>> {
    let strategy = mode.strategy(name)?;
    Ok(sites.iter().map(|site| mode.plan(strategy.as_ref(), site)).collect())
}

/// The row of given plans; `upper` is the bound of coherence, or (single visit) the least blur. Sums of coherence and hopeless pages, mean blur by weight, the longest lane.
pub(crate) fn row(name: &str, sites: &[&Site], plans: &[&Plan], mode: &Mode, upper: Option<f64>) -> Row {
    let (mut coherence, mut hopeless, mut given_up) = (Some(0.0), Some(0), Some(0));
    let (mut blur, mut weight, mut length) = (0.0, 0.0, 0.0);
    for (site, plan) in sites.iter().zip(plans) {
        let reached = expected(site, plan, mode.floor());
        let own: f64 = site.weights().iter().sum();
        coherence = coherence.zip(reached.coherence).map(|(sum, one)| sum + one);
        hopeless = hopeless.zip(reached.hopeless).map(|(sum, one)| sum + one);
        given_up = given_up.zip(plan.given_up()).map(|(sum, one)| sum + one);
        if own > 0.0 {
            blur += own * reached.blur;
            weight += own;
        }
        length = f64::max(length, reached.length as f64 * site.delay());
    }
    let blur = if weight > 0.0 { blur / weight } else { 0.0 };
    let gap = match (upper, coherence) {
        (Some(upper), Some(reached)) => gap(upper, reached),
        // Blur is to be small: what could be had is the share of it that is not needed.
        (Some(least), None) if blur.is_finite() => gap(blur, least),
        _ => None,
    };
    let expected_blur = blur.is_finite().then_some(blur);
    Row {
        name: name.to_owned(),
        expected_coherence: coherence,
        expected_blur,
        hopeless,
        given_up,
        length_seconds: length,
        gap,
    }
}

/// All strategies that a comparison lists.
pub(crate) fn all() -> &'static [&'static str] {
    &COMPARED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_rounding_is_no_difference_and_what_is_more_is() {
        // 0.1 + 0.7 is 8.88e-16 or so away from 0.8; sums of many pages in another order differ likewise.
        assert_eq!(difference(10.0 * (0.1 + 0.7), 8.0).to_bits(), 0.0f64.to_bits());
        let pages: Vec<f64> = (1..5_000).map(|i| (-1.0 / f64::from(i)).exp()).collect();
        let (there, back): (f64, f64) = (pages.iter().sum(), pages.iter().rev().sum());
        assert!(there != back);
        assert_eq!(difference(there, back).to_bits(), 0.0f64.to_bits());
        assert_eq!(difference(there, there - 1e-6), there - (there - 1e-6));
        assert_eq!((difference(1.0, 3.0), difference(0.0, 0.0)), (-2.0, 0.0));
        assert!(difference(2e-9, 1e-9) > 0.0);
    }
}
