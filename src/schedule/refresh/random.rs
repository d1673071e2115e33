//! Random times: a Poisson process for every page, and nothing left to chance that a plan must have.
//!
//! A page of small rate has a small frequency, and chance may well give it no download. Of what was captured before, the last capture serves on;
//! what was never captured is worth nothing before its first download:
//!
//! - for freshness it is fetched once, from the start on, where the best plan of as many downloads fetches it or it has a frequency at all, and
//!   chance does not come first,
//! - for blur every page that the best plan fetches takes over a download that chance gave to one that has more of them, at its time.
//!
//! Chance would also make more downloads than the budget has, or fewer. Of too many, some are left out at random; too few are filled up, each
//! for a page by its frequency: what is left is a Poisson process whose total is known.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::allocation::{Aim, Allocation, Times, allocate};
use super::candidates::{Dates, Terms, exact};
use super::plan::{WeeksRequest, fetch_once};

/// The downloads at random times.
pub(super) fn plan(terms: Terms<'_>, request: &WeeksRequest, steady: &Allocation) -> Dates {
    let mut random = Pcg64Mcg::seed_from_u64(request.seed);
    let once = terms.first_captures(|page| steady.frequencies[page] > 0.0);
    // What they cost, where chance does not come first, is taken from all.
    let fewer = (!once.is_empty()).then(|| {
        let cost = |(place, page): (usize, &u32)| {
            (-steady.frequencies[*page as usize] * place as f64 / request.budget).exp()
        };
        let budget = request.budget - once.iter().enumerate().map(cost).sum::<f64>() / request.days;
        allocate(terms.all, budget.max(0.0), request.aim, Times::Random)
    });
    let frequencies = &fewer.as_ref().unwrap_or(steady).frequencies;
    let mut at: Vec<Vec<f64>> =
        frequencies.iter().map(|frequency| drawn(*frequency, request.days, &mut random)).collect();
    fetch_once(&mut at, &once, request);
    let mut is_first = vec![false; at.len()];
    once.iter().for_each(|page| is_first[*page as usize] = true);
    let allowed = terms.room.downloads();
    leave_out(&mut at, &is_first, allowed, &mut random);
    // Caps of hosts, or pages that need no more, may leave a part of the budget.
    if steady.frequencies.iter().sum::<f64>() >= request.budget * (1.0 - 1e-9) {
        fill_up(&mut at, frequencies, allowed, request.days, &mut random);
    }
    if request.aim != Aim::Blur {
        return terms.valued(at, None);
    }
    let (counts, _) = exact(terms, terms.room.downloads(), true);
    let mut chance = Chance { terms, counts: &counts, random };
    chance.take_over(&mut at, false);
    let mut dates = terms.valued(at, None);
    // The pause of a host may leave no time for what comes last.
    if chance.take_over(&mut dates.at, true) {
        dates = terms.valued(dates.at, None);
    }
    dates
}

struct Chance<'a> {
    terms: Terms<'a>,
    /// Downloads of every page in the best plan.
    counts: &'a [u32],
    random: Pcg64Mcg,
}

impl Chance<'_> {
    /// Gives a download to every page that chance left out and the best plan fetches: one more as long as the budget has it, else one of a page
    /// that has most, of the same host if `by_host`. Whether any was given.
    fn take_over(&mut self, at: &mut [Vec<f64>], by_host: bool) -> bool {
        let Terms { pages, room, all, .. } = self.terms;
        let host =
            |page: usize| if by_host { all.hosts.get(page).map_or(0, |host| *host as usize) } else { 0 };
        let mut left_out: Vec<usize> =
            (0..at.len()).filter(|&page| at[page].is_empty() && self.counts[page] > 0).collect();
        // Nothing of what was never captured can be replayed: it comes first, the heaviest before all.
        left_out.sort_by(|&a, &b| {
            let (a, b) = (&pages[a], &pages[b]);
            b.age.is_infinite().cmp(&a.age.is_infinite()).then(b.weight.total_cmp(&a.weight))
        });
        let mut more: Vec<BinaryHeap<(usize, Reverse<usize>)>> =
            vec![BinaryHeap::new(); all.caps.len().max(1)];
        let counts = self.counts;
        let can_spare = |page: usize, own: usize| own > usize::from(counts[page] > 0);
        for (page, own) in at.iter().enumerate().filter(|(page, own)| can_spare(*page, own.len())) {
            more[host(page)].push((own.len(), Reverse(page)));
        }
        let mut spare = room.downloads().saturating_sub(at.iter().map(|own| own.len() as u64).sum());
        let mut is_given = false;
        for page in left_out {
            let time = if spare > 0 && !by_host {
                spare -= 1;
                self.random.random::<f64>() * room.days
            } else {
                let more = &mut more[host(page)];
                let Some((own, Reverse(giver))) = more.pop() else { continue };
                if can_spare(giver, own - 1) {
                    more.push((own - 1, Reverse(giver)));
                }
                at[giver].remove(self.random.random_range(0..own))
            };
            at[page].push(time);
            is_given = true;
        }
        is_given
    }
}

/// Downloads of all pages.
fn downloads(at: &[Vec<f64>]) -> u64 {
    at.iter().map(|own| own.len() as u64).sum()
}

/// Leaves out downloads at random until no more than `allowed` are left; not the first ones of pages that must have them.
fn leave_out(at: &mut [Vec<f64>], is_first: &[bool], allowed: u64, random: &mut Pcg64Mcg) {
    let all = downloads(at);
    let kept = at.iter().zip(is_first).filter(|(own, is_first)| **is_first && !own.is_empty()).count();
    let mut excess = all.saturating_sub(allowed);
    let mut others = all - kept as u64;
    for (own, is_first) in at.iter_mut().zip(is_first) {
        let mut place = 0;
        own.retain(|_| {
            place += 1;
            if excess == 0 || (place == 1 && *is_first) {
                return true;
            }
            let is_out = random.random_range(0..others) < excess;
            others -= 1;
            excess -= u64::from(is_out);
            !is_out
        });
    }
}

/// Adds downloads at random times, each of a page by its frequency, until there are `allowed`.
fn fill_up(at: &mut [Vec<f64>], frequencies: &[f64], allowed: u64, days: f64, random: &mut Pcg64Mcg) {
    let missing = allowed.saturating_sub(downloads(at));
    let mut sum = 0.0;
    let sums: Vec<f64> = frequencies
        .iter()
        .map(|frequency| {
            sum += frequency;
            sum
        })
        .collect();
    if sum <= 0.0 {
        return;
    }
    for _ in 0..missing {
        let part = random.random::<f64>() * sum;
        let page = sums.partition_point(|sum| *sum <= part);
        let Some(own) = at.get_mut(page) else { continue };
        let time = random.random::<f64>() * days;
        own.insert(own.partition_point(|at| *at < time), time);
    }
}

/// A Poisson process of this frequency.
fn drawn(frequency: f64, days: f64, random: &mut Pcg64Mcg) -> Vec<f64> {
    let mut at = Vec::new();
    if frequency <= 0.0 {
        return at;
    }
    let mut now = 0.0;
    loop {
        now -= (1.0 - random.random::<f64>()).ln() / frequency;
        if now >= days {
            return at;
        }
        at.push(now);
    }
}
