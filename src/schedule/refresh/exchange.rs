//! Exchanges: pages of a plan swap downloads as long as that gains.
//!
//! What makes plans looks at one page or at one day at a time. With few downloads that can cost a tenth: the right pages on each other's days.
//! Here every download, and the room that a day has left, is a slot at its time. A slot may be given to another page, two slots may change
//! hands, and then each may move within its day. Removing a download and adding one elsewhere are independent unless the one lies
//! between the neighbours of the other, so what all exchanges gain is known from two tables. A **heuristic**, for plans that are small enough;
//! the tests hold it against all assignments of small sites. Cost of a round: slots × (pages + slots).

use super::allocation::Aim;
use super::dates::worth;
use super::day_limits::Room;
use super::exact::Horizon;
use super::timetable::MOMENT;

/// Slots times pages and slots up to which downloads change hands, and up to which those of every plan do.
const MAX_SLOT_PAGES: f64 = 2e5;
const MAX_SLOT_PAGES_OF_EVERY_PLAN: f64 = 1e4;

/// Rounds at most, and how often downloads may move within their days.
const ROUNDS: usize = 20;
const SHIFTS: usize = 5;

/// Steps of the search for the best time within a day: to a second.
const HALVINGS: usize = 40;

/// A gain above rounding, as a part of what all is worth.
const NOTABLE: f64 = 1e-12;

/// A time at which there is room for a download, and the page that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Slot {
    at: f64,
    page: Option<u32>,
}

/// Downloads that change hands.
struct Exchange<'a> {
    pages: &'a [Horizon],
    room: Room<'a>,
    at: Vec<Vec<f64>>,
    slots: Vec<Slot>,
    /// What hosts with less room than a day have left.
    by_host: Vec<Option<Vec<u64>>>,
    /// What a page would gain by a slot, page by page.
    gains: Vec<Vec<f64>>,
    /// What its page would lose without a slot.
    losses: Vec<f64>,
    /// The downloads of its page before and behind a slot; without end where there are none.
    near: Vec<(f64, f64)>,
    /// What is no more than rounding.
    notable: f64,
}

fn work(pages: &[Horizon], room: Room<'_>, at: &[Vec<f64>]) -> f64 {
    let downloads: usize = at.iter().map(Vec::len).sum();
    let slots = downloads as f64 + room.days.ceil();
    slots * (slots + pages.len() as f64)
}

/// Whether the downloads of every plan may change hands, not only those of the best.
pub(super) fn is_cheap(pages: &[Horizon], room: Room<'_>, at: &[Vec<f64>]) -> bool {
    work(pages, room, at) <= MAX_SLOT_PAGES_OF_EVERY_PLAN
}

/// The dates with downloads exchanged; and the same with each at its best time of the day. `None` where that would take too long.
pub(super) fn exchanged(pages: &[Horizon], room: Room<'_>, at: &[Vec<f64>]) -> Option<[Vec<Vec<f64>>; 2]> {
    if work(pages, room, at) > MAX_SLOT_PAGES {
        return None;
    }
    let mut own = Exchange::new(pages, room, at, &[]);
    own.improve();
    let kept = own.at.clone();
    own.settle();
    Some([kept, own.at])
}

/// Single downloads that have changed hands for freshness beside others, of sessions, that stay. `None` where that would take too long.
pub(super) fn beside(
    pages: &[Horizon],
    room: Room<'_>,
    singles: &[Vec<f64>],
    held: &[Vec<f64>],
) -> Option<Vec<Vec<f64>>> {
    if work(pages, room, singles) > MAX_SLOT_PAGES {
        return None;
    }
    let mut own = Exchange::new(pages, room, singles, held);
    own.improve();
    own.settle();
    let mut made = vec![Vec::new(); pages.len()];
    for slot in &own.slots {
        slot.page.into_iter().for_each(|page| made[page as usize].push(slot.at));
    }
    made.iter_mut().for_each(|own| own.sort_by(f64::total_cmp));
    Some(made)
}

impl<'a> Exchange<'a> {
    /// `held`: downloads that stay where they are; empty: none does. Sessions make days busier than their share, so what other days have left beside
    /// them is not free.
    fn new(pages: &'a [Horizon], room: Room<'a>, singles: &[Vec<f64>], held: &[Vec<f64>]) -> Self {
        let mut left = room.of(room.budget);
        let mut by_host = room.of_hosts();
        let mut slots = Vec::new();
        let all = (0..).zip(singles).map(|own| (own, true)).chain((0..).zip(held).map(|own| (own, false)));
        for ((page, own), is_single) in all {
            for &time in own {
                let day = (time as usize).min(left.len() - 1);
                if is_single {
                    slots.push(Slot { at: time, page: Some(page) });
                }
                left[day] = left[day].saturating_sub(1);
                if let Some(host) = host_of(&mut by_host, room.hosts, page) {
                    host[day] = host[day].saturating_sub(1);
                }
            }
        }
        let mut at = singles.to_vec();
        for (own, held) in at.iter_mut().zip(held) {
            own.extend(held);
            own.sort_by(f64::total_cmp);
        }
        // One of those that a day has left is enough: it is seldom that any is.
        let free = left.iter().enumerate().filter(|(_, left)| **left > 0 && held.is_empty());
        let within = match room.aim {
            Aim::Freshness => 0.0,
            Aim::Blur => 0.5,
            Aim::Versions => 1.0 - MOMENT,
        };
        slots.extend(
            free.map(|(day, _)| Slot { at: (day as f64 + within).min(room.days - MOMENT), page: None }),
        );
        let total: f64 = pages
            .iter()
            .zip(&at)
            .map(|(page, at)| page.weight * worth(*page, room.days, at, room.aim).abs())
            .sum();
        let mut own = Exchange {
            pages,
            room,
            at,
            slots,
            by_host,
            gains: Vec::new(),
            losses: Vec::new(),
            near: Vec::new(),
            notable: NOTABLE * total.max(f64::MIN_POSITIVE),
        };
        own.tabulate();
        own
    }

    /// What some downloads of a page in a row are worth: only differences of these mean anything.
    fn part(&self, page: u32, parts: [Option<f64>; 3]) -> f64 {
        let page = self.pages[page as usize];
        let mut times = [0.0; 3];
        let mut count = 0;
        for time in parts.into_iter().flatten() {
            times[count] = time;
            count += 1;
        }
        page.weight * worth(page, self.room.days, &times[..count], self.room.aim)
    }

    /// The downloads of a page before and behind a time, that of its own at `except` left out.
    fn around(&self, page: u32, time: f64, except: Option<f64>) -> (Option<f64>, Option<f64>) {
        let own = &self.at[page as usize];
        let mut place = own.partition_point(|at| *at < time);
        let before = match except {
            Some(except) if place > 0 && own[place - 1] == except => place.checked_sub(2),
            _ => place.checked_sub(1),
        };
        if except.is_some_and(|except| own.get(place) == Some(&except)) {
            place += 1;
        }
        (before.map(|place| own[place]), own.get(place).copied())
    }

    /// What a page gains by a download at a time.
    fn gain(&self, page: u32, time: f64) -> f64 {
        let (before, behind) = self.around(page, time, None);
        self.part(page, [before, Some(time), behind]) - self.part(page, [before, None, behind])
    }

    /// What a page loses without its download at a time. Blur has none of what can not be replayed, which is no gain.
    fn loss(&self, page: u32, time: f64) -> f64 {
        let own = self.pages[page as usize];
        let is_last = self.at[page as usize].len() == 1;
        if self.room.aim == Aim::Blur && is_last && own.age.is_infinite() {
            return f64::INFINITY;
        }
        let (before, behind) = self.around(page, time, Some(time));
        self.part(page, [before, Some(time), behind]) - self.part(page, [before, None, behind])
    }

    /// What a page gains by moving its download from one slot to another.
    fn moved(&self, page: u32, from: usize, to: usize) -> f64 {
        let (out, time) = (self.slots[from].at, self.slots[to].at);
        let (before, behind) = self.near[from];
        if time < before || time > behind {
            return self.gains[page as usize][to] - self.losses[from];
        }
        let [before, behind] = [before, behind].map(|time| Some(time).filter(|time| time.is_finite()));
        self.part(page, [before, Some(time), behind]) - self.part(page, [before, Some(out), behind])
    }

    fn tabulate(&mut self) {
        self.gains = vec![Vec::new(); self.pages.len()];
        self.losses = vec![0.0; self.slots.len()];
        self.near = vec![(f64::NEG_INFINITY, f64::INFINITY); self.slots.len()];
        (0..self.pages.len() as u32).for_each(|page| self.tabulate_page(page));
    }

    fn tabulate_page(&mut self, page: u32) {
        self.gains[page as usize] = self.slots.iter().map(|slot| self.gain(page, slot.at)).collect();
        for place in 0..self.slots.len() {
            if self.slots[place].page == Some(page) {
                let at = self.slots[place].at;
                self.losses[place] = self.loss(page, at);
                let (before, behind) = self.around(page, at, Some(at));
                self.near[place] = (before.unwrap_or(f64::NEG_INFINITY), behind.unwrap_or(f64::INFINITY));
            }
        }
    }

    /// Whether the host of a page has room on the day of a slot, which may be left by a page.
    fn has_room(&self, page: u32, to: usize) -> bool {
        let host = |page: u32| self.room.hosts.get(page as usize).copied();
        let is_same = self.slots[to].page.is_some_and(|left| host(left) == host(page));
        let room = host(page).and_then(|host| self.by_host.get(host as usize)?.as_ref());
        is_same || room.is_none_or(|room| room[self.slots[to].at as usize] > 0)
    }

    /// Gives a slot to a page, or to none.
    fn hand(&mut self, slot: usize, page: Option<u32>) {
        let Slot { at, page: before } = self.slots[slot];
        self.slots[slot].page = page;
        let day = at as usize;
        if let Some(before) = before {
            let own = &mut self.at[before as usize];
            if let Some(place) = own.iter().position(|time| *time == at) {
                own.remove(place);
            }
            if let Some(host) = host_of(&mut self.by_host, self.room.hosts, before) {
                host[day] += 1;
            }
        }
        if let Some(page) = page {
            let own = &mut self.at[page as usize];
            own.insert(own.partition_point(|time| *time < at), at);
            if let Some(host) = host_of(&mut self.by_host, self.room.hosts, page) {
                host[day] = host[day].saturating_sub(1);
            }
        }
    }

    /// Lets downloads move within their days, and change hands again.
    fn settle(&mut self) {
        for _ in 0..SHIFTS {
            if !self.shift() {
                break;
            }
            self.tabulate();
            self.improve();
        }
    }

    /// Exchanges as long as that gains.
    fn improve(&mut self) {
        for _ in 0..ROUNDS {
            let mut is_better = false;
            for slot in 0..self.slots.len() {
                is_better |= self.give(slot);
                for other in slot + 1..self.slots.len() {
                    is_better |= self.swap(slot, other);
                }
            }
            if !is_better {
                return;
            }
        }
    }

    /// Gives a slot to the page that gains most by it; whether that gained.
    fn give(&mut self, slot: usize) -> bool {
        let owner = self.slots[slot].page;
        let loss = if owner.is_some() { self.losses[slot] } else { 0.0 };
        let mut best = (loss + self.notable, None);
        for page in (0..self.pages.len() as u32).filter(|page| Some(*page) != owner) {
            let gain = self.gains[page as usize][slot];
            if gain > best.0 && self.has_room(page, slot) {
                best = (gain, Some(page));
            }
        }
        let Some(page) = best.1 else { return false };
        self.hand(slot, Some(page));
        owner.into_iter().chain([page]).for_each(|page| self.tabulate_page(page));
        true
    }

    /// Lets two slots change hands; whether that gained.
    fn swap(&mut self, one: usize, two: usize) -> bool {
        let (first, second) = (self.slots[one].page, self.slots[two].page);
        if first == second {
            return false;
        }
        let gain = |page: Option<u32>, from, to| page.map_or(0.0, |page| self.moved(page, from, to));
        let is_free = |page: Option<u32>, to| page.is_none_or(|page| self.has_room(page, to));
        let is_same_day = self.slots[one].at as usize == self.slots[two].at as usize;
        let total = gain(first, one, two) + gain(second, two, one);
        if total <= self.notable || !(is_same_day || (is_free(first, two) && is_free(second, one))) {
            return false;
        }
        self.hand(one, None);
        self.hand(two, first);
        self.hand(one, second);
        first.into_iter().chain(second).for_each(|page| self.tabulate_page(page));
        true
    }

    /// Moves every download to its best time of the day; whether that gained.
    fn shift(&mut self) -> bool {
        let mut gained = 0.0;
        for slot in 0..self.slots.len() {
            let Slot { at, page: Some(page) } = self.slots[slot] else { continue };
            let (before, behind) = self.around(page, at, Some(at));
            let day = at.floor();
            let mut from = before.map_or(day, |before| before.max(day));
            let end = (day + 1.0).min(self.room.days) - MOMENT;
            let mut to = behind.map_or(end, |behind| behind.min(end)).max(from);
            let value = |time: f64| self.part(page, [before, Some(time), behind]);
            // What a time of day is worth has one summit: gaps are the better the more equal they are.
            for _ in 0..HALVINGS {
                let (early, late) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
                if value(early) < value(late) { from = early } else { to = late }
            }
            let gain = value(from) - value(at);
            if gain > self.notable {
                gained += gain;
                self.slots[slot].at = from;
                let own = &mut self.at[page as usize];
                if let Some(place) = own.iter().position(|time| *time == at) {
                    own[place] = from;
                }
            }
        }
        gained > 1e3 * self.notable
    }
}

/// The room that the host of a page has left, where it has less than a day.
fn host_of<'a>(by_host: &'a mut [Option<Vec<u64>>], hosts: &[u32], page: u32) -> Option<&'a mut Vec<u64>> {
    by_host.get_mut(*hosts.get(page as usize)? as usize)?.as_mut()
}
