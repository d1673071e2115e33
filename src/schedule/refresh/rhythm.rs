//! Periods of 1, 2, 4, … days chosen for a horizon: what was captured before it, and where it ends, count.
//!
//! Periods without end ([`super::calendar`]) leave out what a horizon asks for: the first download of what was never
//! captured, or was captured long ago, is worth much more than its place in a steady state. Here a page is fetched on a first
//! day and every 2^k days from then on, or once, and each such rhythm is valued over the horizon by closed form:
//!
//! ```text
//! first day d, period T, m = ⌈(L − d)/T⌉:   [q(a + d) − q(a) + (m − 1)q(T) + q(L − d − (m − 1)T)]/L,   q(t) = (1 − e^(−λt))/λ
//! ```
//!
//! Rhythms are taken by gain per download until all are spent, then laid on days with room, the shortest period first. Where that
//! is cheap, single pages and then pairs of pages choose anew as long as that gains. A **heuristic**; the tests hold it against all
//! assignments of small sites. Cost: pages × days.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::calendar::{MAX_EXPONENT, days as period};
use super::day_limits::Room;
use super::exact::{Horizon, quiet};

/// Pages times days up to which a plan is made.
const MAX_PAGE_DAYS: f64 = 5e7;

/// Rhythms that single pages, and pairs of pages, may try.
const SINGLE_WORK: f64 = 2e7;
const PAIR_WORK: f64 = 2e6;

/// How often pages choose anew at most.
const ROUNDS: usize = 20;

/// A page is fetched on day `first`, and every 2^k days from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rhythm {
    pub exponent: u32,
    pub first: u64,
}

impl Rhythm {
    /// The days of its downloads.
    fn days(self, count: u64) -> impl Iterator<Item = usize> {
        (self.first..count).step_by(period(self.exponent) as usize).map(|day| day as usize)
    }

    fn downloads(self, count: u64) -> u64 {
        (count - self.first).div_ceil(period(self.exponent))
    }
}

/// A shorter period of a page, or its first download, by gain per download.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    gain: f64,
    page: u32,
    exponent: u32,
    cost: u64,
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    /// Greatest gain first; of equal ones the first page.
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.page.cmp(&self.page))
    }
}

/// Pages, days and what is left of their room.
struct Board<'a> {
    pages: &'a [Horizon],
    days: f64,
    /// Whole days, the last of which may be a part of one.
    count: u64,
    /// The shortest period that leaves room for one download.
    once: u32,
    hosts: &'a [u32],
    room: Vec<u64>,
    /// Room of all days together.
    left: u64,
    by_host: Vec<Option<Vec<u64>>>,
}

impl<'a> Board<'a> {
    fn new(pages: &'a [Horizon], room: Room<'a>) -> Self {
        let count = room.days.ceil().max(1.0) as u64;
        let of_days = room.of(room.budget);
        Board {
            pages,
            days: room.days,
            count,
            once: count.next_power_of_two().ilog2().min(MAX_EXPONENT),
            hosts: room.hosts,
            left: of_days.iter().sum(),
            room: of_days,
            by_host: room.of_hosts(),
        }
    }

    /// What a rhythm of a page is worth, with its weight.
    fn worth(&self, page: usize, rhythm: Option<Rhythm>) -> f64 {
        let Horizon { rate, weight, age } = self.pages[page];
        let before = |first: f64| match age.is_finite() {
            true => quiet(rate, age + first) - quiet(rate, age),
            false => 0.0,
        };
        let Some(rhythm) = rhythm else { return weight * before(self.days) / self.days };
        let (first, period) = (rhythm.first as f64, period(rhythm.exponent) as f64);
        let more = (rhythm.downloads(self.count) - 1) as f64;
        let behind = quiet(rate, self.days - first - more * period);
        weight * (before(first) + more * quiet(rate, period) + behind) / self.days
    }

    /// The rhythm of this period that suits a page best, whatever the others do, and what it is worth: its first day lies as long after its last
    /// capture as its downloads are apart, in the middle, or at the start.
    fn suits(&self, page: usize, exponent: u32) -> (Rhythm, f64) {
        let of = |first: u64| {
            let rhythm = Rhythm { exponent, first };
            (rhythm, self.worth(page, Some(rhythm)))
        };
        let age = self.pages[page].age;
        if age.is_infinite() {
            return of(0);
        }
        let last = (self.count - 1) as f64;
        let days = [period(exponent) as f64 - age, (self.days - age) / 2.0];
        let days = days.map(|first| of(first.clamp(0.0, last) as u64));
        days.into_iter().fold(of(0), |best, next| if next.1 > best.1 { next } else { best })
    }

    fn of_host<'b>(&self, by_host: &'b mut [Option<Vec<u64>>], page: usize) -> Option<&'b mut Vec<u64>> {
        by_host.get_mut(*self.hosts.get(page)? as usize)?.as_mut()
    }

    fn has_room(&self, page: usize, rhythm: Rhythm) -> bool {
        let host = self.hosts.get(page).and_then(|host| self.by_host.get(*host as usize)?.as_ref());
        rhythm.days(self.count).all(|day| self.room[day] > 0 && host.is_none_or(|room| room[day] > 0))
    }

    fn take(&mut self, page: usize, rhythm: Option<Rhythm>) {
        self.left -= rhythm.map_or(0, |rhythm| rhythm.downloads(self.count));
        self.turn(page, rhythm, |room| *room -= 1);
    }

    fn give_back(&mut self, page: usize, rhythm: Option<Rhythm>) {
        self.left += rhythm.map_or(0, |rhythm| rhythm.downloads(self.count));
        self.turn(page, rhythm, |room| *room += 1);
    }

    fn turn(&mut self, page: usize, rhythm: Option<Rhythm>, change: fn(&mut u64)) {
        let Some(rhythm) = rhythm else { return };
        let mut by_host = std::mem::take(&mut self.by_host);
        let mut host = self.of_host(&mut by_host, page);
        for day in rhythm.days(self.count) {
            change(&mut self.room[day]);
            if let Some(host) = &mut host {
                change(&mut host[day]);
            }
        }
        self.by_host = by_host;
    }

    /// The best rhythm with these exponents that has room.
    fn best(&self, page: usize, exponents: impl Iterator<Item = u32>) -> Option<Rhythm> {
        let mut best = (self.worth(page, None), None);
        if self.left == 0 {
            return None;
        }
        // What was never captured is the better the earlier it is fetched.
        let is_new = self.pages[page].age.is_infinite();
        for exponent in exponents {
            for first in 0..self.count {
                let rhythm = Rhythm { exponent, first };
                if self.has_room(page, rhythm) {
                    let worth = self.worth(page, Some(rhythm));
                    best = if worth > best.0 { (worth, Some(rhythm)) } else { best };
                    if is_new {
                        break;
                    }
                }
            }
        }
        best.1
    }

    /// The step of a page from its rhythm to the one that gains most for each download, within the downloads that are left.
    fn step(&self, page: usize, now: Option<u32>, left: u64) -> Option<Step> {
        let (spent, own) = match now.map(|exponent| self.suits(page, exponent)) {
            Some((rhythm, worth)) => (rhythm.downloads(self.count), worth),
            None => (0, self.worth(page, None)),
        };
        let steps = (0..now.unwrap_or(self.once + 1)).rev().filter_map(|exponent| {
            let (rhythm, worth) = self.suits(page, exponent);
            let cost =
                rhythm.downloads(self.count).checked_sub(spent).filter(|cost| (1..=left).contains(cost))?;
            Some(Step { gain: (worth - own) / cost as f64, page: page as u32, exponent, cost })
        });
        steps
            .reduce(|best, next| if next.gain > best.gain { next } else { best })
            .filter(|best| best.gain > 0.0)
    }

    /// The periods of all pages by gain per download, as if every day had room for any of them.
    fn shared_out(&self) -> Vec<Option<u32>> {
        let mut left = self.left;
        let room = |room: &Option<Vec<u64>>| room.as_ref().map_or(u64::MAX, |room| room.iter().sum());
        let mut hosts: Vec<u64> = self.by_host.iter().map(room).collect();
        let mut chosen: Vec<Option<u32>> = vec![None; self.pages.len()];
        let mut heap: BinaryHeap<Step> =
            (0..self.pages.len()).filter_map(|page| self.step(page, None, left)).collect();
        while let Some(step) = heap.pop() {
            let page = step.page as usize;
            let mut host = self.hosts.get(page).and_then(|host| hosts.get_mut(*host as usize));
            let room = host.as_ref().map_or(left, |host| left.min(**host));
            // What was best no longer fits: what does waits for its turn.
            if step.cost > room {
                heap.extend(self.step(page, chosen[page], room));
                continue;
            }
            left -= step.cost;
            if let Some(host) = &mut host {
                **host -= step.cost;
            }
            chosen[page] = Some(step.exponent);
            heap.extend(self.step(page, chosen[page], left));
        }
        chosen
    }

    /// Lays exponents on days with room: short periods first, a longer one where there is none. `order`: who comes first of the others.
    fn lay(&mut self, exponents: &[Option<u32>], order: &[u32]) -> Vec<Option<Rhythm>> {
        let mut order: Vec<u32> = order.to_vec();
        order.sort_by_key(|&page| exponents[page as usize].unwrap_or(u32::MAX));
        let mut chosen = vec![None; self.pages.len()];
        for page in order.into_iter().map(|page| page as usize) {
            let Some(exponent) = exponents[page] else { continue };
            chosen[page] = (exponent..=self.once).find_map(|exponent| self.best(page, exponent..=exponent));
            self.take(page, chosen[page]);
        }
        chosen
    }

    /// Pages choose anew, one after the other, then in pairs, as long as that gains.
    fn improve(&mut self, chosen: &mut [Option<Rhythm>]) {
        let (pages, rhythms) = (self.pages.len(), self.days * f64::from(self.once + 1));
        if pages as f64 * rhythms * self.days > SINGLE_WORK {
            return;
        }
        let in_pairs = (pages as f64 * rhythms).powi(2) <= PAIR_WORK;
        for _ in 0..ROUNDS {
            let mut is_better = false;
            for (page, rhythm) in chosen.iter_mut().enumerate().take(pages) {
                let before = self.worth(page, *rhythm);
                self.give_back(page, *rhythm);
                let best = self.best(page, 0..=self.once);
                if self.worth(page, best) > before * (1.0 + 1e-12) {
                    *rhythm = best;
                    is_better = true;
                }
                self.take(page, *rhythm);
            }
            if !is_better && in_pairs {
                is_better =
                    (0..pages).any(|one| (0..pages).any(|two| one != two && self.pair(chosen, one, two)));
            }
            if !is_better {
                return;
            }
        }
    }

    /// Tries all rhythms of one page, each with the best of another; whether that gained.
    fn pair(&mut self, chosen: &mut [Option<Rhythm>], one: usize, two: usize) -> bool {
        let now = self.worth(one, chosen[one]) + self.worth(two, chosen[two]);
        self.give_back(one, chosen[one]);
        self.give_back(two, chosen[two]);
        let mut best = (now * (1.0 + 1e-12), chosen[one], chosen[two]);
        let all = (0..=self.once)
            .flat_map(|exponent| (0..self.count).map(move |first| Some(Rhythm { exponent, first })));
        for own in all.chain([None]).collect::<Vec<_>>() {
            if own.is_some_and(|own| !self.has_room(one, own)) {
                continue;
            }
            self.take(one, own);
            let other = self.best(two, 0..=self.once);
            self.give_back(one, own);
            let worth = self.worth(one, own) + self.worth(two, other);
            if worth > best.0 {
                best = (worth, own, other);
            }
        }
        let is_better = (best.1, best.2) != (chosen[one], chosen[two]);
        (chosen[one], chosen[two]) = (best.1, best.2);
        self.take(one, chosen[one]);
        self.take(two, chosen[two]);
        is_better
    }

    fn total(&self, chosen: &[Option<Rhythm>]) -> f64 {
        chosen.iter().enumerate().map(|(page, rhythm)| self.worth(page, *rhythm)).sum()
    }
}

/// The rhythms of all pages, by marginal gain, or with every page once that a download helps, whichever is worth more. `order`: which pages
/// lose most by being moved. `None` where that would take too long.
pub(super) fn rhythms(pages: &[Horizon], room: Room<'_>, order: &[u32]) -> Option<Vec<Option<Rhythm>>> {
    if pages.len() as f64 * room.days > MAX_PAGE_DAYS {
        return None;
    }
    let fresh = Board::new(pages, room);
    let shared = fresh.shared_out();
    let gain = |page: usize| fresh.suits(page, fresh.once).1 - fresh.worth(page, None);
    let gains: Vec<f64> = (0..pages.len()).map(gain).collect();
    let mut by_gain: Vec<u32> = (0..pages.len() as u32).collect();
    by_gain.sort_by(|a, b| gains[*b as usize].total_cmp(&gains[*a as usize]));
    let once = vec![Some(fresh.once); pages.len()];
    let made = [(shared, order), (once, &by_gain)].map(|(exponents, order)| {
        let mut board = Board::new(pages, room);
        let mut chosen = board.lay(&exponents, order);
        board.improve(&mut chosen);
        (board.total(&chosen), chosen)
    });
    made.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, chosen)| chosen)
}

/// The dates of rhythms, and the exponents of their periods: none where a page is fetched once.
pub(super) fn dates(chosen: &[Option<Rhythm>], days: f64) -> (Vec<Vec<f64>>, Vec<Option<u32>>) {
    let count = days.ceil().max(1.0) as u64;
    let one = |rhythm: &Option<Rhythm>| {
        let days: Vec<f64> = rhythm.iter().flat_map(|own| own.days(count)).map(|day| day as f64).collect();
        let exponent = rhythm.map(|own| own.exponent).filter(|exponent| period(*exponent) < count);
        (days, exponent)
    };
    chosen.iter().map(one).unzip()
}

#[cfg(test)]
mod tests {
    use super::super::allocation::Aim;
    use super::super::dates::value;
    use super::*;

    fn room(days: f64, budget: f64) -> Room<'static> {
        Room { days, budget, hosts: &[], caps: &[], aim: Aim::Freshness }
    }

    fn site(random: &mut impl FnMut() -> f64, pages: usize) -> Vec<Horizon> {
        let page = |random: &mut dyn FnMut() -> f64| Horizon {
            rate: if random() < 0.1 { 0.0 } else { 10f64.powf(4.0 * random() - 3.0) },
            weight: if random() < 0.5 { 1.0 } else { 10.0 * random() },
            age: if random() < 0.5 { f64::INFINITY } else { (60.0 * random()).floor() },
        };
        (0..pages).map(|_| page(random)).collect()
    }

    fn best(pages: &[Horizon], room: Room<'_>) -> (f64, Vec<Option<Rhythm>>) {
        let order: Vec<u32> = (0..pages.len() as u32).collect();
        let chosen = rhythms(pages, room, &order).unwrap();
        (Board::new(pages, room).total(&chosen), chosen)
    }

    /// The most that any rhythms of these pages are worth.
    fn brute(board: &mut Board<'_>, page: usize) -> f64 {
        if page == board.pages.len() {
            return 0.0;
        }
        let mut most = board.worth(page, None) + brute(board, page + 1);
        for exponent in 0..=board.once {
            for first in 0..board.count {
                let rhythm = Rhythm { exponent, first };
                if board.has_room(page, rhythm) {
                    board.take(page, Some(rhythm));
                    most = most.max(board.worth(page, Some(rhythm)) + brute(board, page + 1));
                    board.give_back(page, Some(rhythm));
                }
            }
        }
        most
    }

    #[test]
    fn no_rhythms_of_small_sites_are_worth_more() {
        let mut random = crate::schedule::tests::random(22);
        let (mut all, mut equal) = (0, 0);
        for round in 0..120 {
            let pages = site(&mut random, 1 + round % 3);
            let room = room([5.0, 7.0, 8.0, 6.5][round % 4], [0.2, 0.4, 0.75, 1.0, 1.5, 2.0][round % 6]);
            let (ours, _) = best(&pages, room);
            let most = brute(&mut Board::new(&pages, room), 0);
            assert!(ours <= most + 1e-9 && ours >= 0.995 * most, "{ours} {most} {pages:?} {room:?}");
            all += 1;
            equal += usize::from(ours >= most * (1.0 - 1e-9));
        }
        assert!(equal * 100 >= all * 98, "{equal} of {all}");
    }

    #[test]
    fn every_page_once_on_a_day_with_room_is_never_worth_more() {
        let mut random = crate::schedule::tests::random(23);
        for round in 0..60 {
            let pages = site(&mut random, 2 + 3 * (round % 8));
            let room = room([28.0, 84.0, 10.5][round % 3], [0.06, 0.25, 1.0, 3.0][round % 4]);
            let (ours, _) = best(&pages, room);
            // Page by page in their order, each on its best day of those left.
            let mut board = Board::new(&pages, room);
            let mut rival = 0.0;
            for page in 0..pages.len() {
                let once = board.best(page, board.once..=board.once);
                board.take(page, once);
                rival += board.worth(page, once);
            }
            assert!(ours >= rival * (1.0 - 1e-9), "{ours} {rival} {pages:?} {room:?}");
        }
    }

    #[test]
    fn dates_are_worth_what_the_closed_form_says_and_keep_their_days() {
        let mut random = crate::schedule::tests::random(24);
        for round in 0..40 {
            let pages = site(&mut random, 1 + round);
            let room = room([28.0, 9.5][round % 2], [0.3, 1.0, 2.5][round % 3]);
            let (ours, chosen) = best(&pages, room);
            let (at, exponents) = dates(&chosen, room.days);
            let by_dates = value(&pages, room.days, &at, Aim::Freshness);
            assert!((ours - by_dates).abs() <= 1e-9 * ours.max(1.0), "{ours} {by_dates}");
            let mut load = vec![0; room.days.ceil() as usize];
            at.iter().flatten().for_each(|day| load[*day as usize] += 1);
            assert!(load.iter().zip(room.of(room.budget)).all(|(load, room)| *load <= room), "{load:?}");
            for (at, exponent) in at.iter().zip(&exponents) {
                let gaps = at.windows(2).map(|pair| (pair[1] - pair[0]) as u64);
                assert!(gaps.into_iter().all(|gap| Some(gap) == exponent.map(period)), "{at:?} {exponent:?}");
            }
        }
    }

    #[test]
    fn hosts_keep_their_room() {
        let mut random = crate::schedule::tests::random(25);
        let pages = site(&mut random, 24);
        let hosts: Vec<u32> = (0..24).map(|page| page % 2).collect();
        let room = Room { hosts: &hosts, caps: &[0.5, 9.0], ..room(28.0, 3.0) };
        let (at, _) = dates(&best(&pages, room).1, 28.0);
        let mut load = [0; 28];
        at.iter().step_by(2).flatten().for_each(|day| load[*day as usize] += 1);
        assert!(load.iter().zip(room.of(0.5)).all(|(load, room)| *load <= room), "{load:?}");
        assert!(load.iter().sum::<u64>() > 7);
    }
}
