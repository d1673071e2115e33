//! Steps by gain: the greatest first, until what they may cost is spent.
//!
//! Every item has a row of steps, each of which gains something and costs something; a step can be taken when those before it were. A heap
//! takes the greatest gain again and again. **A head start.** Up to the moment when the greatest gain on the heap is no more than a price
//! p, every item takes its steps up to the first that gains no more than p, and nothing else happens, as long as all of that can be paid
//! for. So these steps are taken item by item, without a heap, and the heap takes the rest: the same steps for any p. A sample of the
//! items says which p leaves little to the heap. Groups of items may have a limit of their own: one that p would bring above its limit gets
//! no head start.
//!
//! Cost: a step each, and `log n` for each of the last few in a hundred.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Minimum number of items for a head start; about as many of them decide how far it goes.
const MIN_ITEMS_AHEAD: usize = 20_000;
const SAMPLE: usize = 5_000;

/// How often the price is raised at most, until everything above it can be paid for; and by what part.
const RAISES: usize = 12;
const RAISE: f64 = 1.25;

/// The first price, as a part of the one of the sample, and the least one with a place on the first heap.
const ABOVE: f64 = 1.02;
const BELOW: f64 = 0.9;

/// What a step gains, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    /// What is compared: the gain, or the gain by cost.
    pub gain: f64,
    pub cost: f64,
}

/// What may be spent.
#[derive(Debug, Clone)]
pub(super) struct Limits<'a> {
    pub left: f64,
    /// The least that a step costs.
    pub least: f64,
    /// The group of every item, as a place in `rooms`; empty: none has a limit.
    pub groups: &'a [u32],
    /// What a group may spend.
    pub rooms: Vec<f64>,
}

impl Limits<'_> {
    fn group(&self, item: usize) -> Option<usize> {
        self.groups.get(item).map(|group| *group as usize).filter(|group| *group < self.rooms.len())
    }

    /// Spends the cost of a step, if that much is left.
    fn spend(&mut self, item: usize, cost: f64) -> bool {
        let group = self.group(item);
        if cost > self.left || group.is_some_and(|group| cost > self.rooms[group]) {
            return false;
        }
        self.left -= cost;
        if let Some(group) = group {
            self.rooms[group] -= cost;
        }
        true
    }
}

/// The next step of an item.
#[derive(PartialEq)]
struct Next {
    gain: f64,
    cost: f64,
    item: u32,
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    /// Greatest gain first; of equal ones the first item.
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.item.cmp(&self.item))
    }
}

/// Takes steps by gain. `taken`: how many each item took before. `step(item, place)` is its step at that place; `None`: its last one was taken. An
/// item whose step can not be paid for takes no more.
pub(super) fn greedy(taken: &mut [u32], mut limits: Limits<'_>, step: impl Fn(usize, u32) -> Option<Step>) {
    let mut low = f64::NEG_INFINITY;
    if taken.len() >= MIN_ITEMS_AHEAD {
        let price = price(taken, &limits, &step);
        low = BELOW * price;
        head_start(taken, &mut limits, ABOVE * price, &step);
    }
    let all: Vec<u32> = (0..taken.len() as u32).collect();
    by_heap(taken, &all, &mut limits, low, &step);
}

/// Takes steps of these items by gain, and returns the gain of the last one. The heap holds only what gains more than `low` as long as
/// there is such a step.
fn by_heap(
    taken: &mut [u32],
    items: &[u32],
    limits: &mut Limits<'_>,
    low: f64,
    step: &impl Fn(usize, u32) -> Option<Step>,
) -> f64 {
    let next = |item: u32, place: u32| {
        step(item as usize, place).map(|Step { gain, cost }| Next { gain, cost, item })
    };
    let (first, mut rest): (Vec<Next>, Vec<Next>) =
        items.iter().filter_map(|&item| next(item, taken[item as usize])).partition(|next| next.gain > low);
    let mut heap = BinaryHeap::from(first);
    let mut last = 0.0;
    while limits.left >= limits.least {
        let Some(Next { gain, cost, item }) = heap.pop() else {
            if rest.is_empty() {
                break;
            }
            heap = std::mem::take(&mut rest).into();
            continue;
        };
        if !limits.spend(item as usize, cost) {
            continue;
        }
        last = gain;
        let place = &mut taken[item as usize];
        *place += 1;
        match next(item, *place) {
            // What waits gains no more than `low` either.
            Some(next) if next.gain <= low && !rest.is_empty() => rest.push(next),
            next => heap.extend(next),
        }
    }
    last
}

/// The gain of the last step that a sample of the items takes, with its share of what may be spent; 0 where that is more than it needs.
fn price(taken: &[u32], limits: &Limits<'_>, step: &impl Fn(usize, u32) -> Option<Step>) -> f64 {
    let all = taken.len();
    let sample: Vec<u32> = (0..all as u32).step_by((all / SAMPLE).max(1)).collect();
    let left = limits.left * sample.len() as f64 / all as f64;
    let mut own = Limits { left, least: limits.least, groups: &[], rooms: Vec::new() };
    let last = by_heap(&mut taken.to_vec(), &sample, &mut own, f64::NEG_INFINITY, step);
    if own.left < own.least { last } else { 0.0 }
}

/// Takes all steps that gain more than a price, or more than a higher one if they can not be paid for.
fn head_start(
    taken: &mut [u32],
    limits: &mut Limits<'_>,
    mut price: f64,
    step: &impl Fn(usize, u32) -> Option<Step>,
) {
    for _ in 0..RAISES {
        if let Some((ahead, costs)) = above(taken, limits, price, step) {
            let is_within = |group: usize| costs[group] <= limits.rooms[group];
            let within: Vec<bool> = (0..limits.rooms.len()).map(is_within).collect();
            for (item, (own, ahead)) in taken.iter_mut().zip(ahead).enumerate() {
                *own = if limits.group(item).is_none_or(|group| within[group]) { ahead } else { *own };
            }
            // Those without a group come last.
            for (group, cost) in costs.into_iter().enumerate() {
                match limits.rooms.get_mut(group) {
                    Some(_) if !within[group] => continue,
                    Some(room) => *room -= cost,
                    None => {}
                }
                limits.left -= cost;
            }
            return;
        }
        price *= RAISE;
    }
}

/// How many steps every item has taken when it took all above a price, and what they cost by group, the last of which is that of items
/// without one. `None` where that can not be paid for; a group costs no more than its limit.
fn above(
    taken: &[u32],
    limits: &Limits<'_>,
    price: f64,
    step: &impl Fn(usize, u32) -> Option<Step>,
) -> Option<(Vec<u32>, Vec<f64>)> {
    let mut ahead = taken.to_vec();
    let groups = limits.rooms.len();
    let mut costs = vec![0.0; groups + 1];
    let mut spent = 0.0;
    for (item, place) in ahead.iter_mut().enumerate() {
        let group = limits.group(item).unwrap_or(groups);
        let room = limits.rooms.get(group).copied().unwrap_or(f64::INFINITY);
        while costs[group] <= room
            && let Some(Step { cost, .. }) = step(item, *place).filter(|step| step.gain > price)
        {
            *place += 1;
            // Up to its limit, a group may spend what is not spent here.
            spent += cost.min(room - costs[group]);
            costs[group] += cost;
            if spent > limits.left {
                return None;
            }
        }
    }
    Some((ahead, costs))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greedy allocation by heap alone, without a head start: what the fast one is compared with.
    fn plain(taken: &mut [u32], mut limits: Limits<'_>, step: impl Fn(usize, u32) -> Option<Step>) {
        let all: Vec<u32> = (0..taken.len() as u32).collect();
        by_heap(taken, &all, &mut limits, f64::NEG_INFINITY, &step);
    }

    #[test]
    fn a_head_start_takes_the_same_steps_as_the_heap_alone() {
        let mut random = crate::schedule::tests::random(5);
        let items = MIN_ITEMS_AHEAD + 1_234;
        for case in 0..24 {
            let first: Vec<f64> = (0..items).map(|_| (8.0 * random()).exp()).collect();
            // Equal gains, gains that rise again, and steps of different costs.
            let first: Vec<f64> =
                first.iter().map(|gain| if case % 3 == 0 { gain.ceil() } else { *gain }).collect();
            let step = |item: usize, place: u32| {
                let dip = if case % 4 == 1 && place == 2 { 0.4 } else { 1.0 };
                let gain = dip * first[item] / f64::from(place + 1) - 1.5;
                let cost = if case % 2 == 0 { 1.0 } else { 1.0 / f64::from(1 << (13 - place.min(13))) };
                (gain > 0.0).then_some(Step { gain, cost })
            };
            let groups: Vec<u32> = (0..items).map(|_| (4.0 * random()) as u32).collect();
            let rooms = match case % 5 {
                0 => vec![],
                1 => vec![f64::INFINITY; 4],
                2 => vec![9.0, 1e9, 2e3, 1e9],
                3 => vec![1.0; 4],
                _ => vec![1e9, 4e3, 1e9, 0.0],
            };
            let left = [0.0, 3.0, 500.0, 2e4, 1e6, 1e9][case / 4];
            let limits =
                Limits { left, least: if case % 2 == 0 { 1.0 } else { 0.0 }, groups: &groups, rooms };
            let begin: Vec<u32> = (0..items).map(|item| u32::from(item % 7 == 0)).collect();
            let (mut ours, mut theirs) = (begin.clone(), begin);
            greedy(&mut ours, limits.clone(), step);
            plain(&mut theirs, limits, step);
            assert!(ours == theirs, "{case}");
        }
    }
}
