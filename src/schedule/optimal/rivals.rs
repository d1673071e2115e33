//! Never below any other strategy: the best of all of them, improved.
//!
//! The price method ends within 0.1 % of its bound, and a simple strategy can be closer. So every strategy is planned too; since
//! `EC(v + r) ≤ max(EC(2v), EC(2r))`, mirroring its visits or its revisits makes a pyramid that is at least as good. The best of
//! these and of the price method is the start of pair swaps, each of which gains. Strategies of quadratic cost are left out
//! on sites larger than [`QUADRATIC_LIMIT`] pages, SHARC-selective above [`SELECTIVE_LIMIT`].

use super::{Solution, price, profit};
use crate::schedule::registry::{COMPARED, Settings, strategy};
use crate::schedule::site::Site;

/// Maximum number of pages for strategies whose cost is quadratic.
const QUADRATIC_LIMIT: usize = 20_000;

/// Maximum number of pages for SHARC-selective: pages given up × pages.
const SELECTIVE_LIMIT: usize = 100_000;

/// The solution, or the best other strategy where that is better, after pair swaps. The bound stays.
pub(super) fn improve(site: &Site, found: Solution, settings: &Settings) -> Solution {
    let value =
        |slots: &[u32]| -> f64 { (0..site.len()).map(|page| profit(site, page, slots[page] as usize)).sum() };
    let mut best = (value(&found.slots), found.slots);
    for name in COMPARED.into_iter().filter(|name| is_tried(name, site.len())) {
        let Ok(rival) = strategy(name, settings) else { continue };
        let plan = rival.plan(site);
        for slots in [Some(plan.visit()), plan.revisit()].into_iter().flatten() {
            let value = value(slots);
            if value > best.0 {
                best = (value, slots.to_vec());
            }
        }
    }
    let improved = price::swaps(site, best.1.clone());
    if value(&improved) > best.0 {
        best.1 = improved;
    }
    Solution { slots: best.1, bound: found.bound.max(best.0) }
}

/// Whether a strategy is tried. A crawl repeated in its order has the visits of the one run back.
fn is_tried(name: &str, pages: usize) -> bool {
    match name {
        "optimal" | "sharc-revisits" => false,
        "sharc-selective" => pages <= SELECTIVE_LIMIT,
        "sharc-selective-online" | "solar-offline" | "solar-online" => pages <= QUADRATIC_LIMIT,
        _ => !name.ends_with("-fifo"),
    }
}
