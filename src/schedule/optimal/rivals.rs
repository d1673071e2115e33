//! Never below any other strategy: the best of all of them, improved.
//!
//! The price method ends within 0.1% of its bound, and a simple strategy can be closer. So every strategy is planned too; since
//! `EC(v + r) ≤ max(EC(2v), EC(2r))`, mirroring its visits or its revisits makes a pyramid that is at least as good. The best of
//! these and of the price method is the start of pair swaps, each of which gains. Where links are known, both ways of a strategy
//! are tried: with all pages known, and with pages found by links.
//!
//! Two strategies cost too much on very large sites ([`is_affordable`]). Wherever such a plan is made anyway, for a comparison
//! or by name, the optimum is given it too ([`lead`]): so **no figure that is printed beside the optimum is ahead of it**,
//! whatever the number of pages. That holds for the order of the last crawl and for strategies with settings of their own.

use super::{Solution, price, profit, ties};
use crate::schedule::links::Links;
use crate::schedule::plan::Plan;
use crate::schedule::registry::{COMPARED, Settings, strategy};
use crate::schedule::site::Site;

/// Maximum number of pages for strategies whose cost is quadratic.
const QUADRATIC_LIMIT: usize = 20_000;

/// Maximum number of pages for SHARC-selective: pages given up × pages.
const SELECTIVE_LIMIT: usize = 100_000;

/// The name of the strategy that leads.
pub(crate) const OPTIMAL: &str = "optimal";

/// What an assignment of pages to the slots of a pyramid is worth.
fn value(site: &Site, slots: &[u32]) -> f64 {
    (0..site.len()).map(|page| profit(site, page, slots[page] as usize)).sum()
}

/// The best pyramid so far.
struct Best<'a> {
    site: &'a Site,
    value: f64,
    slots: Vec<u32>,
    /// Whether a rival was better than what was there at first.
    is_new: bool,
}

impl<'a> Best<'a> {
    fn new(site: &'a Site, slots: Vec<u32>) -> Self {
        Best { site, value: value(site, &slots), slots, is_new: false }
    }

    /// Takes a mirror image of the plan if that is better.
    fn try_plan(&mut self, plan: &Plan) {
        for slots in [Some(plan.visit()), plan.revisit()].into_iter().flatten() {
            let value = value(self.site, slots);
            if value > self.value {
                (self.value, self.slots, self.is_new) = (value, slots.to_vec(), true);
            }
        }
    }

    /// Pair swaps, where they gain.
    fn swapped(mut self) -> Self {
        let improved = price::swaps(self.site, self.slots.clone());
        let value = value(self.site, &improved);
        if value > self.value {
            (self.value, self.slots) = (value, improved);
        }
        self
    }
}

/// The solution, or the best other strategy where that is better, after pair swaps. The bound stays.
pub(super) fn improve(site: &Site, links: Option<&Links>, found: Solution, settings: &Settings) -> Solution {
    let mut best = Best::new(site, found.slots);
    for name in COMPARED.into_iter().filter(|name| is_new(name) && is_affordable(name, site.len())) {
        let Ok(rival) = strategy(name, settings) else { continue };
        best.try_plan(&rival.plan(site));
        if let Some(links) = links {
            best.try_plan(&rival.crawl(site, links));
        }
    }
    let best = best.swapped();
    Solution { bound: found.bound.max(best.value), slots: best.slots }
}

/// Lets `plan`, the optimum of a site, take the lead over plans that were made for the same pages.
pub(crate) fn lead<'a>(site: &Site, plan: Plan, rivals: impl IntoIterator<Item = &'a Plan>) -> Plan {
    let mut best = Best::new(site, plan.visit().to_vec());
    rivals.into_iter().filter(|rival| rival.len() == plan.len()).for_each(|rival| best.try_plan(rival));
    if !best.is_new {
        return plan;
    }
    let mut best = best.swapped();
    ties::settle(site, &mut best.slots);
    let bound = plan.bound().map(|bound| bound.max(best.value));
    let led = super::pyramid(site, &best.slots);
    bound.into_iter().fold(led, Plan::with_bound)
}

/// Whether a strategy has visits of its own. A crawl repeated in its order has those of the one run back.
fn is_new(name: &str) -> bool {
    name != OPTIMAL && name != "sharc-revisits" && !name.ends_with("-fifo")
}

/// Whether a strategy is fast enough for that many pages.
fn is_affordable(name: &str, pages: usize) -> bool {
    match name {
        "sharc-selective" => pages <= SELECTIVE_LIMIT,
        "sharc-selective-online" | "solar-offline" | "solar-online" => pages <= QUADRATIC_LIMIT,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::expected::coherence;
    use crate::schedule::optimal::Optimal;
    use crate::schedule::plan::Strategy;

    #[test]
    fn the_optimum_takes_the_lead_over_any_plan_and_stays_where_it_leads() {
        let rates: Vec<f64> = (0..300).map(|i| 1.0 / f64::from(i + 1)).collect();
        let site = Site::new(rates, 1.0).unwrap();
        let best = Optimal::default().plan(&site);
        let value = |plan: &Plan| coherence(&site, plan).unwrap();
        // A poor plan in its place, with the bound of the optimum: as if the price method had ended far away.
        let poor = Plan::pyramid(&(0..300).collect::<Vec<_>>(), &site).with_bound(best.bound().unwrap());
        let led = lead(&site, poor.clone(), [&best]);
        assert!(value(&poor) < value(&best) && value(&led) >= value(&best) * (1.0 - 1e-13));
        assert_eq!(led.bound(), best.bound());
        // Visits of one plan and revisits of another: a mirror image of one of the two is at least as good.
        let mixed = Plan::slots(best.visit().to_vec(), poor.visit().to_vec(), &site);
        assert!(value(&lead(&site, poor.clone(), [&mixed])) >= value(&mixed));
        assert_eq!(lead(&site, best.clone(), [&poor, &mixed]), best);
        // Plans of other pages are not rivals.
        assert_eq!(lead(&site, poor.clone(), [&Plan::single(&[0, 1])]), poor);
    }
}
