//! Polishing a rounded schedule: first where it hurts most, then everywhere.
//!
//! The gap of a schedule to the bound is the sum of *regrets* `u_i − (c_i(σ(i)) − p_σ(i))`, `u_i` the page's gain at its best
//! knot. The pages of greatest regret trade their slots among each other by an exact assignment; then all pages at distance 1, 2,
//! 4, …, at distance 2, 4, 8, …, at distance 3, 6, 12, … and so on swap where both together gain, until a sweep gains next to
//! nothing. Swaps at distance d never leave their residue class modulo d, so residues are shared out to threads and the result
//! is that of one.

use super::super::assignment;
use super::bound::gains;
use super::{Curves, knots::Knots};

/// How many pages trade slots at once; how many such rounds; how many sweeps of swaps.
const TRADERS: usize = 600;
const ROUNDS: usize = 3;
const SWEEPS: usize = 6;

/// Stop sweeping when a sweep gains less than this share of the value.
const NOTHING: f64 = 1e-6;

/// Threads share the work from this distance and number of pages on: shorter distances have too few residues, smaller sites
/// too little work.
const MIN_SHARED_DISTANCE: usize = 64;
const MIN_SHARED_PAGES: usize = 1 << 16;

/// The slots after polishing; the value never falls.
pub(super) fn polish(curves: &Curves, knots: &Knots, prices: &[f64], mut slots: Vec<u32>) -> Vec<u32> {
    let gains = gains(curves, knots, prices);
    let slot_prices = knots.slot_prices(prices);
    for _ in 0..ROUNDS {
        if !trade(curves, &slot_prices, &gains, &mut slots) {
            break;
        }
    }
    sweep(curves, slots)
}

/// Pair swaps at growing distances, sweep after sweep.
pub(super) fn sweep(curves: &Curves, mut slots: Vec<u32>) -> Vec<u32> {
    let mut laid = vec![Laid::default(); slots.len()];
    for (page, &slot) in slots.iter().enumerate() {
        let (weight, mu, value) = (curves.weight[page], curves.mu[page], curves.at(page, slot as usize));
        laid[slot as usize] = Laid { weight, mu, value, page: page as u32 };
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let value = |laid: &[Laid]| laid.iter().map(|laid| laid.value).sum::<f64>();
    let mut before = value(&laid);
    for sweep in 0..SWEEPS {
        let mut distance = 1 + sweep;
        while distance < laid.len() {
            let shared =
                if distance < MIN_SHARED_DISTANCE || laid.len() < MIN_SHARED_PAGES { 1 } else { threads };
            swap(distance, &mut laid, shared);
            distance *= 2;
        }
        let after = value(&laid);
        if after - before <= NOTHING * after {
            break;
        }
        before = after;
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
fn swap(distance: usize, laid: &mut [Laid], threads: usize) {
    let cut = |thread: usize| distance * thread / threads;
    let mut shares: Vec<Vec<&mut [Laid]>> = (0..threads).map(|_| Vec::new()).collect();
    for mut block in laid.chunks_mut(distance) {
        for (thread, share) in shares.iter_mut().enumerate() {
            let (own, rest) = block.split_at_mut((cut(thread + 1) - cut(thread)).min(block.len()));
            share.push(own);
            block = rest;
        }
    }
    std::thread::scope(|scope| {
        let mut shares = shares.into_iter().enumerate();
        let first = shares.next();
        for (thread, share) in shares {
            scope.spawn(move || swap_blocks(distance, cut(thread), share));
        }
        if let Some((_, share)) = first {
            swap_blocks(distance, 0, share);
        }
    });
}

/// Swaps between neighbouring blocks; the first page of the first one is in slot `first`.
fn swap_blocks(distance: usize, first: usize, mut blocks: Vec<&mut [Laid]>) {
    for at in 1..blocks.len() {
        let (before, behind) = blocks.split_at_mut(at);
        let slot = first + (at - 1) * distance;
        for (place, (inner, outer)) in before[at - 1].iter_mut().zip(behind[0].iter_mut()).enumerate() {
            if inner.mu == outer.mu && inner.weight == outer.weight {
                continue;
            }
            let slot = slot + place;
            let inwards = outer.weight * (-outer.mu * slot as f64).exp();
            let outwards = inner.weight * (-inner.mu * (slot + distance) as f64).exp();
            if inwards + outwards > inner.value + outer.value {
                std::mem::swap(inner, outer);
                (inner.value, outer.value) = (inwards, outwards);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_never_lose_and_are_the_same_on_any_number_of_threads() {
        let laid: Vec<Laid> = (0..1000u32)
            .map(|page| {
                let (weight, mu) = (f64::from(page * 7919 % 101), f64::from(page * 104_729 % 97) * 1e-3);
                Laid { weight, mu, value: weight * (-mu * f64::from(page)).exp(), page }
            })
            .collect();
        for distance in [1, 2, 7, 64, 600, 999] {
            let swapped = |threads: usize| {
                let mut laid = laid.clone();
                swap(distance, &mut laid, threads);
                laid
            };
            let (one, value) = (swapped(1), |laid: &[Laid]| laid.iter().map(|laid| laid.value).sum::<f64>());
            assert!(value(&one) >= value(&laid));
            for (slot, laid) in one.iter().enumerate() {
                assert!((laid.value - laid.weight * (-laid.mu * slot as f64).exp()).abs() < 1e-12);
            }
            for threads in [2, 3, 8] {
                let pages = |laid: Vec<Laid>| laid.into_iter().map(|laid| laid.page).collect::<Vec<_>>();
                assert_eq!(pages(swapped(threads)), pages(one.clone()), "{distance} {threads}");
            }
        }
    }
}
