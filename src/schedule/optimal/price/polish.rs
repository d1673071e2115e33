//! Polishing a rounded schedule: first where it hurts most, then everywhere.
//!
//! The gap of a schedule to the bound is the sum of *regrets* `u_i − (c_i(σ(i)) − p_σ(i))`, `u_i` the page's gain at its best
//! knot. The pages of greatest regret trade their slots among each other by an exact assignment; then all pages at distance 1,
//! 2, 4, … swap where both together gain.

use super::super::assignment;
use super::bound::gains;
use super::{Curves, knots::Knots};

/// So many pages trade slots at once, at most so often.
const TRADERS: usize = 600;
const ROUNDS: usize = 3;
const SWEEPS: usize = 2;

/// The slots after polishing; the value never falls.
pub(super) fn polish(curves: &Curves, knots: &Knots, prices: &[f64], mut slots: Vec<u32>) -> Vec<u32> {
    let gains = gains(curves, knots, prices);
    for _ in 0..ROUNDS {
        if !trade(curves, knots, prices, &gains, &mut slots) {
            break;
        }
    }
    let mut pages = vec![0u32; slots.len()];
    for (page, &slot) in slots.iter().enumerate() {
        pages[slot as usize] = page as u32;
    }
    for _ in 0..SWEEPS {
        let mut distance = 1;
        while distance < pages.len() {
            swap(curves, distance, &mut pages);
            distance *= 2;
        }
    }
    for (slot, &page) in pages.iter().enumerate() {
        slots[page as usize] = slot as u32;
    }
    slots
}

/// An exact assignment of the pages of greatest regret to their own slots; whether it gained.
fn trade(curves: &Curves, knots: &Knots, prices: &[f64], gains: &[f64], slots: &mut [u32]) -> bool {
    let regret = |page: usize| {
        gains[page] - (curves.at(page, slots[page] as usize) - knots.price(prices, slots[page]))
    };
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
    let assignment = assignment::solve(pages.len(), &costs);
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

/// Pages `distance` slots apart change places where that gains.
fn swap(curves: &Curves, distance: usize, pages: &mut [u32]) {
    for slot in 0..pages.len() - distance {
        let (inner, outer) = (pages[slot] as usize, pages[slot + distance] as usize);
        let now = curves.at(inner, slot) + curves.at(outer, slot + distance);
        let then = curves.at(outer, slot) + curves.at(inner, slot + distance);
        if then > now {
            pages.swap(slot, slot + distance);
        }
    }
}
