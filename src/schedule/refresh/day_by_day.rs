//! Day by day: on every day the pages whose download is worth most by what is known on that day.
//!
//! Where many pages were never captured, the best instants of each page alone ([`super::exact`]) all fall on the first days, and
//! moving them apart ruins what they were best for; a plan made forwards does not have to be moved. Two indexes of a page that was
//! last captured `a` days ago, with `r` days to go (freshness):
//!
//! ```text
//! to the end   w(1 − e^(−λa))(1 − e^(−λr))/λ          what one download gains if it is the last one
//! price        w[1 − (1 + λa)e^(−λa)]/λ, and no more than the above      at equal intervals, the price of a download
//! ```
//!
//! The price of a gap γ of cost c(γ) is `γc′ − c`: for versions `w[1 − (1 + λγ)e^(−λγ)]`, for blur `wλγ²/4`, twice that for the first
//! gap of what was never captured. Both are **heuristics**. Cost: pages × steps.

use super::allocation::{Aim, gain};
use super::day_limits::{Days, Room, Step};
use super::exact::{Horizon, quiet};
use super::timetable::MOMENT;

/// Pages times steps that a plan may cost: of more, several days are planned in one step.
const MAX_PAGE_STEPS: f64 = 1e8;

/// Steps of a day where that is affordable: pages that change much gain by several downloads a day.
const STEPS: usize = 4;

/// Steps of a day at most, and what they may cost.
const FINEST: f64 = 96.0;
const FINE_WORK: f64 = 2e7;

/// What a download is valued by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    /// What it gains up to the end of the horizon.
    ToTheEnd,
    /// What a download of the page is worth at equal intervals.
    Price,
}

/// What a download is worth now: `age` days after the last capture, `left` days before the end, `since` the start.
fn index(page: &Horizon, age: f64, left: f64, since: f64, aim: Aim, by: Index) -> f64 {
    let Horizon { rate, weight, .. } = *page;
    if !rate.is_finite() {
        return 0.0;
    }
    let gap = age.min(since);
    match (aim, by) {
        (Aim::Freshness, _) if rate == 0.0 => {
            if age.is_finite() {
                0.0
            } else {
                weight * left
            }
        }
        (Aim::Freshness, by) => {
            let to_the_end = weight * -(-rate * age).exp_m1() * quiet(rate, left);
            match by {
                Index::ToTheEnd => to_the_end,
                Index::Price if age.is_finite() => to_the_end.min(weight * gain(rate * age) / rate),
                Index::Price => to_the_end.min(weight / rate),
            }
        }
        (Aim::Versions, Index::ToTheEnd) => weight * -(-rate * gap).exp_m1(),
        (Aim::Versions, Index::Price) => weight * gain(rate * gap),
        (Aim::Blur, _) if age.is_infinite() => weight * rate * since * since / 2.0,
        (Aim::Blur, _) => weight * rate * age * age / 4.0,
    }
}

/// The downloads of a horizon, step by step. Those of a day are spread evenly over its steps, and so are those of a host with a limit of its
/// own: else a host would spend a day's downloads on as many pages at once.
fn stepped(pages: &[Horizon], room: Room<'_>, by: Index, steps: usize) -> Vec<Vec<f64>> {
    let mut days = Days::new(room);
    let mut at: Vec<Vec<f64>> = vec![Vec::new(); pages.len()];
    let mut last: Vec<f64> = pages.iter().map(|page| -page.age).collect();
    let stride = (pages.len() as f64 * days.len() as f64 / MAX_PAGE_STEPS).ceil().max(1.0) as usize;
    // Current from the start of a step on, close to all of it, or with all that it brought.
    let within = match room.aim {
        Aim::Freshness => 0.0,
        Aim::Blur => 0.5,
        Aim::Versions => 1.0 - MOMENT,
    };
    let mut order: Vec<(f64, u32)> = Vec::with_capacity(pages.len());
    let mut closed: Vec<(f64, u32)> = Vec::new();
    for first in (0..days.len()).step_by(stride) {
        let stretch = first..(first + stride).min(days.len());
        // The last day may be a part of one.
        let count = (((room.days - first as f64).min(1.0) * steps as f64).ceil() as usize).clamp(1, steps);
        for place in 0..count {
            let step = Step { place, count };
            let now = (first as f64 + (place as f64 + within) / steps as f64).min(room.days - MOMENT);
            order.clear();
            order.extend((0..).zip(pages).filter_map(|(number, page): (u32, _)| {
                let age = now - last[number as usize];
                let worth = index(page, age, room.days - now, now, room.aim, by);
                (worth > 0.0).then_some((worth, number))
            }));
            for day in stretch.clone() {
                let mut wanted = days.due(day, step) as usize;
                while wanted > 0 && !order.is_empty() {
                    let taken = top(&mut order, wanted);
                    let before = closed.len();
                    for (worth, page) in taken {
                        if !days.host_is_due(page, day, step) {
                            closed.push((worth, page));
                            continue;
                        }
                        days.fill(page, day);
                        let when = now + (day - first) as f64;
                        at[page as usize].push(when);
                        last[page as usize] = when;
                        wanted -= 1;
                    }
                    if closed.len() == before {
                        break;
                    }
                    closed.extend(order.extract_if(.., |(_, page)| !days.host_is_due(*page, day, step)));
                }
                // Their hosts may have room on the next day.
                order.append(&mut closed);
            }
        }
    }
    at
}

/// Takes the greatest out of the list, in their order; of equal ones the first page.
fn top(order: &mut Vec<(f64, u32)>, count: usize) -> Vec<(f64, u32)> {
    let greatest = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
    let from = order.len().saturating_sub(count);
    if from > 0 {
        order.select_nth_unstable_by(from, greatest);
    }
    let mut taken = order.split_off(from);
    taken.sort_unstable_by(|a, b| greatest(b, a));
    taken
}

/// The plans that are made day by day.
pub(crate) fn plans(pages: &[Horizon], room: Room<'_>) -> Vec<(Index, usize)> {
    let cost = |steps: usize| pages.len() as f64 * room.days * steps as f64;
    let mut plans = vec![(Index::ToTheEnd, 1), (Index::Price, 1)];
    if cost(STEPS) <= MAX_PAGE_STEPS {
        plans.push((Index::Price, STEPS));
    }
    // As many steps as the fastest host can make downloads, each at its own time.
    let fastest = room.caps.iter().copied().fold(0.0, f64::max);
    let fastest = if room.caps.is_empty() { room.budget } else { fastest.min(room.budget) };
    let finest = fastest.ceil().clamp(1.0, FINEST) as usize;
    if finest > 1 && cost(finest) <= FINE_WORK {
        plans.push((Index::ToTheEnd, finest));
        if finest != STEPS {
            plans.push((Index::Price, finest));
        }
    }
    plans
}

/// A single plan, by one index and one number of steps a day.
pub(crate) fn plan(pages: &[Horizon], room: Room<'_>, (by, steps): (Index, usize)) -> Vec<Vec<f64>> {
    stepped(pages, room, by, steps)
}

#[cfg(test)]
mod tests {
    use super::super::dates::value;
    use super::*;

    fn thousand(rate: impl Fn(f64) -> f64) -> Vec<Horizon> {
        (1..=1000).map(|i| Horizon { rate: rate(f64::from(i)), weight: 1.0, age: f64::INFINITY }).collect()
    }

    #[test]
    fn a_thousand_new_pages_are_kept_as_current_as_an_independent_program_keeps_them() {
        let room = Room { days: 84.0, budget: 20.0, hosts: &[], caps: &[], aim: Aim::Freshness };
        for (pages, theirs) in
            [(thousand(|i| (1.0f64 / 0.7).ln() / i), 693.02), (thousand(|i| i.powf(-1.2)), 694.34)]
        {
            let at = plan(&pages, room, (Index::ToTheEnd, 1));
            assert!((value(&pages, 84.0, &at, Aim::Freshness) - theirs).abs() < 0.01);
            let priced = plan(&pages, room, (Index::Price, 1));
            assert!(value(&pages, 84.0, &priced, Aim::Freshness) > theirs);
        }
    }

    #[test]
    fn every_day_and_every_host_keeps_its_room() {
        let pages = thousand(|i| 1.0 / i);
        let hosts: Vec<u32> = (0..1000).map(|page| page % 2).collect();
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            let room = Room { days: 10.0, budget: 7.5, hosts: &hosts, caps: &[2.0, 100.0], aim };
            for which in plans(&pages, room) {
                let at = plan(&pages, room, which);
                let mut load = [[0; 10]; 2];
                for (page, at) in at.iter().enumerate() {
                    at.iter().for_each(|at| load[page % 2][*at as usize] += 1);
                    assert!(at.windows(2).all(|pair| pair[0] < pair[1]));
                }
                for day in 0..10 {
                    assert!(load[0][day] <= 2 && load[0][day] + load[1][day] <= 8, "{aim:?} {load:?}");
                }
                assert_eq!(load.iter().flatten().sum::<u32>(), 75, "{aim:?} {which:?} {load:?}");
            }
        }
    }

    #[test]
    fn pages_that_never_or_always_change_are_harmless() {
        let one = |rate: f64, age: f64| Horizon { rate, weight: 1.0, age };
        let pages = [one(0.0, f64::INFINITY), one(f64::INFINITY, 1.0), one(0.0, 3.0), one(0.5, 3.0)];
        let room = Room { days: 4.0, budget: 2.0, hosts: &[], caps: &[], aim: Aim::Freshness };
        let at = plan(&pages, room, (Index::Price, 1));
        assert_eq!(at, [vec![0.0], vec![], vec![], vec![0.0, 1.0, 2.0, 3.0]]);
    }
}
