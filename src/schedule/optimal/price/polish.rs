//! Polishing a rounded schedule: first where it hurts most, then everywhere.
//!
//! The gap of a schedule to the bound is the sum of *regrets* `u_i − (c_i(σ(i)) − p_σ(i))`, `u_i` the page's gain at its best
//! knot. The pages of greatest regret trade their slots among each other by an exact assignment; then all pages at distance 1, 2,
//! 4, …, at distance 2, 4, 8, …, at distance 3, 6, 12, … and so on swap where both together gain.

use super::super::assignment;
use super::bound::gains;
use super::{Curves, knots::Knots};

/// So many pages trade slots at once, at most so often.
const TRADERS: usize = 600;
const ROUNDS: usize = 3;
const SWEEPS: usize = 6;

/// The slots after polishing; the value never falls.
pub(super) fn polish(curves: &Curves, knots: &Knots, prices: &[f64], mut slots: Vec<u32>) -> Vec<u32> {
    let gains = gains(curves, knots, prices);
    let slot_prices = knots.slot_prices(prices);
    for _ in 0..ROUNDS {
        if !trade(curves, &slot_prices, &gains, &mut slots) {
            break;
        }
    }
    let mut laid = vec![Laid::default(); slots.len()];
    for (page, &slot) in slots.iter().enumerate() {
        let (weight, mu, value) = (curves.weight[page], curves.mu[page], curves.at(page, slot as usize));
        laid[slot as usize] = Laid { weight, mu, value, page: page as u32 };
    }
    for sweep in 0..SWEEPS {
        let mut distance = 1 + sweep;
        while distance < laid.len() {
            swap(distance, &mut laid);
            distance *= 2;
        }
    }
    for (slot, laid) in laid.iter().enumerate() {
        slots[laid.page as usize] = slot as u32;
    }
    slots
}

/// An exact assignment of the pages of greatest regret to their own slots; whether it gained.
fn trade(curves: &Curves, slot_prices: &[f64], gains: &[f64], slots: &mut [u32]) -> bool {
    let net = |page: usize, slot: usize| curves.at(page, slot) - slot_prices[slot];
    let regret = |page: usize| gains[page] - net(page, slots[page] as usize);
    let mut by_regret: Vec<(f64, u32)> = (0..slots.len()).map(|page| (regret(page), page as u32)).collect();
    let traders = TRADERS.min(by_regret.len());
    let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if traders < by_regret.len() {
        by_regret.select_nth_unstable_by(traders, order);
        by_regret.truncate(traders);
    }
    by_regret.sort_unstable_by(order);
    let pages: Vec<usize> = by_regret.iter().map(|&(_, page)| page as usize).collect();
    let own: Vec<u32> = pages.iter().map(|&page| slots[page]).collect();
    let value = |page: usize, slot: u32| curves.at(page, slot as usize);
    let costs: Vec<f64> =
        pages.iter().flat_map(|&page| own.iter().map(move |&slot| -value(page, slot))).collect();
    let assignment = assignment::solve(pages.len(), pages.len(), &costs);
    let traded = |at: usize| own[assignment.columns[at] as usize];
    let gain: f64 =
        pages.iter().enumerate().map(|(at, &page)| value(page, traded(at)) - value(page, own[at])).sum();
    if gain <= 0.0 {
        return false;
    }
    for (at, &page) in pages.iter().enumerate() {
        slots[page] = traded(at);
    }
    true
}

/// A page in its slot: what a swap needs, side by side in memory.
#[derive(Clone, Default)]
struct Laid {
    weight: f64,
    mu: f64,
    value: f64,
    page: u32,
}

/// Pages `distance` slots apart change places where that gains.
fn swap(distance: usize, laid: &mut [Laid]) {
    for slot in 0..laid.len() - distance {
        let (inner, outer) = (&laid[slot], &laid[slot + distance]);
        if inner.mu == outer.mu && inner.weight == outer.weight {
            continue;
        }
        let inwards = outer.weight * (-outer.mu * slot as f64).exp();
        let outwards = inner.weight * (-inner.mu * (slot + distance) as f64).exp();
        if inwards + outwards > inner.value + outer.value {
            laid.swap(slot, slot + distance);
            laid[slot].value = inwards;
            laid[slot + distance].value = outwards;
        }
    }
}
