//! The best visit–revisit schedule of all, with proof.
//!
//! **Some pyramid is optimal.** A schedule gives every page a visit slot v and a revisit slot r, both permutations of `0..n`,
//! and its value `EC = Σ w·e^(−λ(v+r)Δ)` is a convex function of the intervals. Now
//!
//! ```text
//! v + r = ½(2v) + ½(2r),   so   EC(v + r) ≤ ½EC(2v) + ½EC(2r) ≤ max(EC(2v), EC(2r)):
//! ```
//!
//! mirroring the visits, or mirroring the revisits, is at least as good, and both are pyramids. It holds for any weights and
//! for any convex survival. What is left is a linear assignment of n pages to the intervals `0, 2Δ, …, 2(n−1)Δ` with profit
//! `c_i(k) = w_i·e^(−2λ_iΔk)`.
//!
//! **Every answer carries a certificate.** For any prices p of the slots and any assignment σ
//!
//! ```text
//! Σ_i c_i(σ(i)) = Σ_k p_k + Σ_i (c_i(σ(i)) − p_σ(i)) ≤ Σ_k p_k + Σ_i max_k (c_i(k) − p_k).
//! ```
//!
//! Up to [`DENSE`] pages the assignment is solved exactly, and its dual prices make the two sides equal; beyond, prices that
//! are linear between a few hundred knots give a schedule and a bound that are less than 0.1% apart ([`price`]). There the
//! other strategies are tried too, mirrored to pyramids, and the best of all is improved ([`rivals`]): so no strategy is ever
//! ahead. Pages that all change equally often need a sort only. Pages of equal rate and weight can be exchanged freely;
//! [`ties`] decides between them.
//!
//! With unequal slot distances, idle slots or one more Δ in every interval (a strict two-phase crawl) the same holds; see
//! `docs/schedulers.md`. No paper has the theorem: Denev et al., *The SHARC framework*, §7.2, call the optimum "hard" and
//! restrict themselves to pyramids; Mazeika et al., *SOLAR*, to a greedy.

mod alike;
pub(crate) mod assignment;
mod head;
pub(crate) mod partial;
pub(crate) mod rivals;
mod ties;
pub(crate) mod price;

use super::links::Links;
use super::plan::{Plan, Strategy};
use super::registry::Settings;
use super::site::{Site, survival};

/// Maximum number of pages for the exact assignment.
pub(crate) const DENSE: usize = 2_500;

/// The best schedule; the settings are those of the strategies that it is never worse than.
#[derive(Default)]
pub(crate) struct Optimal {
    pub(crate) settings: Settings,
}

impl Strategy for Optimal {
    fn plan(&self, site: &Site) -> Plan {
        self.within(site, DENSE)
    }

    /// Knows all pages, too; but what other strategies make of the links must not be ahead of it.
    fn crawl(&self, site: &Site, links: &Links) -> Plan {
        self.solve(site, Some(links), DENSE)
    }
}

impl Optimal {
    /// The optimum, exact up to `dense` pages only: an answer within 0.1% takes less time.
    pub(crate) fn within(&self, site: &Site, dense: usize) -> Plan {
        self.solve(site, None, dense)
    }

    fn solve(&self, site: &Site, links: Option<&Links>, dense: usize) -> Plan {
        let mut solution = alike::solve(site).unwrap_or_else(|| match site.len() {
            few if few <= dense => exact(site),
            _ => {
                let found = head::solve(site).unwrap_or_else(|| price::solve(site));
                rivals::improve(site, links, found, &self.settings)
            }
        });
        ties::settle(site, &mut solution.slots);
        pyramid(site, &solution.slots).with_bound(solution.bound)
    }
}

/// The pyramid in which every page has its slot.
fn pyramid(site: &Site, slots: &[u32]) -> Plan {
    Plan::slots(slots.to_vec(), slots.to_vec(), site)
}

/// An assignment of pages to the slots of the pyramid, and the proven upper bound of any.
#[derive(Debug)]
pub(crate) struct Solution {
    /// The slot of every page, from the middle.
    pub slots: Vec<u32>,
    /// No schedule has an expected coherence above this.
    pub bound: f64,
}

/// Profit of a page in slot k.
fn profit(site: &Site, page: usize, k: usize) -> f64 {
    site.weights()[page] * survival(site.rates()[page], site.interval(k))
}

fn exact(site: &Site) -> Solution {
    let n = site.len();
    // Pages in the order of rates: neighbours compete for neighbouring slots, and paths stay short.
    let order = site.hottest_first();
    let costs: Vec<f64> =
        order.iter().flat_map(|&page| (0..n).map(move |k| -profit(site, page as usize, k))).collect();
    let assignment = assignment::solve(n, n, &costs);
    let mut slots = vec![0; n];
    for (row, &page) in order.iter().enumerate() {
        slots[page as usize] = assignment.columns[row];
    }
    let value: f64 = (0..n).map(|page| profit(site, page, slots[page] as usize)).sum();
    // The dual bound equals the value but for rounding; a bound must not lie below what was reached.
    Solution { slots, bound: (-assignment.dual_bound(&costs)).max(value) }
}

#[cfg(test)]
mod tests;
