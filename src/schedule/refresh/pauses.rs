//! Where pauses are long: downloads put one by one at times that their host has free.
//!
//! Plans made of days let a host that allows a few downloads a day have them on one instant, and setting these apart afterwards moves some
//! of them into other days, or behind the end. Here every host has a row of times, and those are free that keep Δ to all downloads of the host
//! so far. Each download goes to the page that gains most by one, at the time that is best for it; with blur, pages that were never captured
//! come first. In rows whose times are Δ apart nothing is wasted on one host; in rows of more times hosts can give way to each other, whose
//! downloads would fall on the same days. A **heuristic**, for sites that are small enough: several rows are tried. Cost: (pages + downloads) × times of a host.

use std::cmp::Ordering;

use super::allocation::Aim;
use super::dates::worth;
use super::day_limits::Room;
use super::exact::Horizon;
use super::timetable::MOMENT;

/// Pages and downloads times the times of a host up to which such plans are made.
const MAX_PAGE_TIMES: f64 = 2e6;

/// Δ in days from which on times of a host matter more than its days.
const LONG: f64 = 1.0 / 48.0;

/// How the times of a host lie in the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// Δ apart, from the start on.
    Early,
    /// Δ apart, up to the end.
    Late,
    /// From the start to the end, as far apart as that allows.
    Whole,
    /// As far apart, half a gap before the first and behind the last.
    Middle,
    /// Half of Δ apart, from the start on, and the end.
    Half,
    /// So many of them from the start to the end: more than Δ allows.
    Fine(u32),
}

/// The numbers of times of the finest rows.
const FINE: [u32; 2] = [41, 113];

/// The rows that are tried; none where pauses are short, or the site is too large.
pub(super) fn rows(pages: &[Horizon], room: Room<'_>, delays: &[f64]) -> Vec<Row> {
    let binding = room.caps.iter().zip(delays).filter(|(cap, delay)| **cap < room.budget && **delay >= LONG);
    let most = binding.map(|(_, delay)| room.days / delay + 1.0).fold(0.0, f64::max);
    let downloads = room.downloads() as f64;
    let times = most.max(downloads.min(room.days * room.budget.ceil()));
    let is_affordable = |times: f64| (pages.len() as f64 + downloads) * times <= MAX_PAGE_TIMES;
    if most == 0.0 || !is_affordable(times) {
        return Vec::new();
    }
    let mut rows = vec![Row::Early, Row::Late, Row::Whole, Row::Middle];
    rows.extend(is_affordable(2.0 * times + 1.0).then_some(Row::Half));
    rows.extend(FINE.into_iter().filter(|count| is_affordable(f64::from(*count))).map(Row::Fine));
    rows
}

impl Row {
    /// The times of a host, Δ (in days) apart or more, at most `most` of them; of finer rows more.
    fn times(self, days: f64, delay: f64, most: u64) -> Vec<f64> {
        let end = (days - MOMENT).max(0.0);
        if let Row::Half | Row::Fine(_) = self {
            let finest = end / most.saturating_mul(2).max(u64::from(FINE[1])) as f64;
            let step = if let Row::Fine(count) = self { end / f64::from(count - 1) } else { delay / 2.0 };
            let step = step.max(finest).max(MOMENT);
            let count = (end / step + 1e-9) as u64 + 1;
            let times = (0..count).map(|place| (place as f64 * step).min(end));
            return times.chain((end > (count - 1) as f64 * step + MOMENT).then_some(end)).collect();
        }
        let fitting = |length: f64| if delay > 0.0 { (length / delay + 1e-9) as u64 } else { u64::MAX };
        let count = match self {
            Row::Middle => fitting(days).max(1),
            _ => fitting(end).saturating_add(1),
        };
        let count = count.min(most.max(1));
        let (first, step) = match self {
            Row::Late => (end - (count - 1) as f64 * delay.max(MOMENT), delay.max(MOMENT)),
            Row::Whole => (0.0, if count > 1 { end / (count - 1) as f64 } else { 0.0 }),
            Row::Middle => (days / count as f64 / 2.0, days / count as f64),
            _ => (0.0, delay.max(MOMENT)),
        };
        (0..count).map(|place| first + place as f64 * step).map(|time| time.clamp(0.0, end)).collect()
    }
}

/// What a page would gain by its next download: compared in this order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Next {
    /// Never captured, and without a blur until it is.
    is_awaited: bool,
    gain: f64,
    /// The place of its time in the row of its host.
    place: usize,
}

impl Next {
    fn compare(&self, other: &Next) -> Ordering {
        self.is_awaited.cmp(&other.is_awaited).then(self.gain.total_cmp(&other.gain))
    }
}

/// The rows of all hosts, and what is left of them.
struct Free<'a> {
    room: Room<'a>,
    /// By host, as are those below.
    times: Vec<Vec<f64>>,
    /// Δ in days.
    delays: &'a [f64],
    /// When downloads begin, ascending.
    taken: Vec<Vec<f64>>,
    /// What every day has left.
    left: Vec<u64>,
}

impl Free<'_> {
    fn host(&self, page: usize) -> usize {
        self.room.hosts.get(page).map_or(0, |host| *host as usize)
    }

    fn is_free(&self, host: usize, place: usize) -> bool {
        let (time, taken) = (self.times[host][place], &self.taken[host]);
        let day = (time as usize).min(self.left.len() - 1);
        let gap = self.delays[host].max(MOMENT / 2.0) * (1.0 - 1e-12);
        let behind = taken.partition_point(|own| *own < time);
        self.left[day] > 0
            && taken.get(behind).is_none_or(|next| next - time >= gap)
            && behind.checked_sub(1).is_none_or(|before| time - taken[before] >= gap)
    }

    /// The best next download of a page; `None` where none gains.
    fn next(&self, number: usize, page: &Horizon, at: &[f64]) -> Option<Next> {
        let Room { days, aim, .. } = self.room;
        if page.weight <= 0.0 || !page.rate.is_finite() {
            return None;
        }
        let host = self.host(number);
        let is_awaited = aim == Aim::Blur && page.age.is_infinite() && at.is_empty();
        let now = worth(*page, days, at, aim);
        let mut with = Vec::with_capacity(at.len() + 1);
        let mut best: Option<(f64, usize)> = None;
        for (place, &time) in
            self.times[host].iter().enumerate().filter(|(place, _)| self.is_free(host, *place))
        {
            with.clear();
            with.extend_from_slice(at);
            with.insert(at.partition_point(|own| *own < time), time);
            let gain = worth(*page, days, &with, aim) - now;
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, place));
            }
        }
        let (gain, place) = best?;
        // Of those without a blur the heaviest choose first, of equal ones those that change most.
        let gain = page.weight * if is_awaited { 1.0 + page.rate.min(1e3) * 1e-9 } else { gain };
        (is_awaited || gain > 0.0).then_some(Next { is_awaited, gain, place })
    }
}

/// The downloads of a horizon at times of such rows.
pub(super) fn plan(pages: &[Horizon], room: Room<'_>, delays: &[f64], row: Row) -> Vec<Vec<f64>> {
    let most = room.downloads();
    let times: Vec<Vec<f64>> = delays.iter().map(|delay| row.times(room.days, *delay, most)).collect();
    let taken = vec![Vec::new(); times.len()];
    let mut free = Free { room, times, delays, taken, left: room.of(room.budget) };
    let mut at: Vec<Vec<f64>> = vec![Vec::new(); pages.len()];
    let mut next: Vec<Option<Next>> =
        pages.iter().enumerate().map(|(number, page)| free.next(number, page, &[])).collect();
    for _ in 0..most {
        let best = next.iter().enumerate().filter_map(|(number, next)| next.map(|next| (number, next)));
        // Of equal ones the first page.
        let best = best.max_by(|(a, one), (b, two)| one.compare(two).then(b.cmp(a)));
        let Some((number, Next { place, .. })) = best else { break };
        let host = free.host(number);
        let time = free.times[host][place];
        let day = (time as usize).min(free.left.len() - 1);
        let behind = free.taken[host].partition_point(|own| *own < time);
        free.taken[host].insert(behind, time);
        free.left[day] -= 1;
        let own = &mut at[number];
        own.insert(own.partition_point(|own| *own < time), time);
        for (number, page) in pages.iter().enumerate() {
            let is_open = next[number].is_some_and(|next| free.is_free(free.host(number), next.place));
            if next[number].is_some() && (!is_open || at[number].contains(&time)) {
                next[number] = free.next(number, page, &at[number]);
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_apart_and_within_the_horizon() {
        for row in [Row::Early, Row::Late, Row::Whole, Row::Middle] {
            for (days, delay) in [(7.0, 1.5), (7.0, 4.2), (7.0, 9.0), (3.5, 0.1), (14.0, 0.25)] {
                let times = row.times(days, delay, 1_000);
                assert!(times.iter().all(|time| (0.0..days).contains(time)), "{row:?} {times:?}");
                assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= delay - 1e-9), "{row:?} {times:?}");
                assert!(times.len() as f64 >= (days / delay).floor(), "{row:?} {times:?}");
            }
        }
    }

    #[test]
    fn hosts_give_way_to_each_other_where_days_have_room_for_one() {
        // A page of each host every 100 hours: from the start, both would be due on the same days.
        let pages = [0.28, 0.17, 0.8].map(|rate| Horizon { rate, weight: 1.0, age: f64::INFINITY });
        let (hosts, delays) = ([0, 0, 1], [100.0 / 24.0; 2]);
        let caps = delays.map(|delay| 1.0 / delay);
        let room = Room { days: 14.0, budget: 1.0, hosts: &hosts, caps: &caps, aim: Aim::Freshness };
        let made = |row: Row| plan(&pages, room, &delays, row);
        let value = |at: &[Vec<f64>]| super::super::dates::value(&pages, 14.0, at, Aim::Freshness);
        assert!(made(Row::Early)[2].len() < 3);
        let best = rows(&pages, room, &delays).into_iter().map(made);
        let best = best.max_by(|a, b| value(a).total_cmp(&value(b))).unwrap();
        assert!(best[2].len() == 3 && value(&best) > 1.14, "{best:?}");
    }

    #[test]
    fn every_download_has_a_time_of_its_host_and_a_day_of_the_budget() {
        let pages: Vec<Horizon> = (0..9)
            .map(|i| Horizon { rate: 0.05 * f64::from(i + 1), weight: 1.0, age: f64::INFINITY })
            .collect();
        let hosts = [0, 1, 0, 1, 0, 1, 0, 1, 0];
        let delays = [0.5, 1.25];
        let caps = delays.map(|delay| 1.0 / delay);
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            let room = Room { days: 7.0, budget: 2.0, hosts: &hosts, caps: &caps, aim };
            for row in rows(&pages, room, &delays) {
                let at = plan(&pages, room, &delays, row);
                let mut load = [0; 7];
                at.iter().flatten().for_each(|at| load[*at as usize] += 1);
                assert!(load.iter().all(|load| *load <= 2), "{aim:?} {row:?} {load:?}");
                for host in 0..2 {
                    let own = at.iter().zip(hosts).filter(|(_, own)| *own == host);
                    let mut own: Vec<f64> = own.flat_map(|(at, _)| at.iter().copied()).collect();
                    own.sort_by(f64::total_cmp);
                    let gap = delays[host as usize] - 1e-9;
                    assert!(own.windows(2).all(|pair| pair[1] - pair[0] >= gap), "{aim:?} {row:?} {own:?}");
                }
                // As many as the budget has room for, and every page that can be replayed only then.
                assert!(aim != Aim::Blur || at.iter().all(|at| !at.is_empty()), "{row:?} {at:?}");
            }
        }
    }
}
