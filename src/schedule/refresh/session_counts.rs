//! Whole sessions and whole single downloads of a horizon: how often each, by what one more gains over these days.
//!
//! In the long run a session costs a part of a download a day; in a horizon it is held a whole number of times. Held m times
//! at equal intervals γ, a page of it in a slot of interval I is worth
//!
//! ```text
//! w[(1 − β)·e^(−λI)·m·Q(γ) + β·(m·Q(γ) + what the last capture serves before the first session)]/L        Q(t) = (1 − e^(−λt))/λ
//! ```
//!
//! with the first session at once (γ = L/m), or, where all pages were captured before, γ = (L + a)/(m + 1) after the youngest capture, of age
//! a: whichever is more. Sessions and pages outside of them are taken by gain per download until the budget is spent, which is exact but for
//! the last few downloads of one session. What is left goes, download by download, to where it keeps pages current for longest: pages outside
//! sessions, and pages of sessions in between. Which pages make a session is decided before ([`super::sessions`]); a **heuristic**.

use super::allocation::Aim;
use super::candidates::{Terms, by_worth};
use super::day_limits::Days;
use super::exact::{Horizon, fresh, instants, quiet};
use super::greedy::{Limits, Step, greedy};
use super::sessions::{Session, downloads};
use super::timetable::MOMENT;

/// What being current is worth at least, as a part of a page's worth: it decides where the aim gains nothing by what is left.
pub(super) const CURRENT: f64 = 1e-9;

/// The sessions that a horizon may hold.
#[derive(Clone, Copy)]
pub(super) struct Rounds<'a> {
    pub sessions: &'a [Session],
    /// Δ of every session, in days.
    pub delays: &'a [f64],
    /// β: the share of a page's worth that needs no session.
    pub alone: f64,
    pub gap: u32,
    pub terms: Terms<'a>,
}

/// Whose sessions begin first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// Of subsites that are held often.
    Often,
    /// Of those that are worth most per download.
    Worth,
}

/// When the sessions of a subsite begin, and what they are worth.
#[derive(Debug, Clone, Copy)]
struct Held {
    worth: f64,
    first: f64,
    apart: f64,
}

/// The dates of a horizon.
#[derive(Debug, Default)]
pub(super) struct Laid {
    /// When each session begins.
    pub sessions: Vec<Vec<f64>>,
    /// Single downloads of every page.
    pub singles: Vec<Vec<f64>>,
    /// Whether hosts have no time for more that gains.
    pub is_full: bool,
}

impl Rounds<'_> {
    fn days(&self) -> f64 {
        self.terms.room.days
    }

    fn downloads(&self, session: usize) -> usize {
        downloads(self.sessions[session].pages.len(), self.gap)
    }

    /// Days from the first download of a session to Δ behind its last.
    fn length(&self, session: usize) -> f64 {
        self.downloads(session) as f64 * self.delays[session]
    }

    /// How often a session can be held: no more than once a day, and one after the other.
    fn most(&self, session: usize) -> u32 {
        let length = self.length(session);
        if length >= self.days() { 0 } else { (self.days() / length.max(1.0)).max(1.0) as u32 }
    }

    /// What the pages of a session are worth that is held m times, and when that is.
    fn held(&self, session: usize, m: u32) -> Held {
        let own = &self.sessions[session];
        let pages = || own.pages.iter().map(|&page| self.terms.pages[page as usize]);
        let (days, rounds) = (self.days(), f64::from(m));
        if m == 0 {
            let worth = pages().map(|page| self.alone * page.weight * fresh(page, days, 0)).sum();
            return Held { worth, first: 0.0, apart: days };
        }
        let worth = |first: f64, apart: f64| {
            let one = |(slot, page): (usize, Horizon)| {
                let Horizon { rate, weight, age } = page;
                let interval = (2 * slot + self.gap as usize) as f64 * self.delays[session];
                let survives = if interval == 0.0 || rate == 0.0 { 1.0 } else { (-rate * interval).exp() };
                let before = if age.is_finite() { quiet(rate, age + first) - quiet(rate, age) } else { 0.0 };
                let served = rounds * quiet(rate, apart);
                weight * ((1.0 - self.alone) * survives * served + self.alone * (before + served)) / days
            };
            Held { worth: pages().enumerate().map(one).sum(), first, apart }
        };
        let at_once = worth(0.0, days / rounds);
        let oldest = pages().map(|page| page.age).fold(0.0, f64::max);
        let youngest = pages().map(|page| page.age).fold(f64::INFINITY, f64::min);
        let apart = (days + youngest) / (rounds + 1.0);
        if !oldest.is_finite() || apart <= youngest {
            return at_once;
        }
        let later = worth(apart - youngest, apart);
        if later.worth > at_once.worth { later } else { at_once }
    }

    /// How often every session is held; `is_within`: whether a page belongs to one.
    fn counts(&self, is_within: &[bool]) -> Vec<u32> {
        let Terms { pages, all, room, .. } = self.terms;
        let outside: Vec<u32> = (0..pages.len() as u32).filter(|&page| !is_within[page as usize]).collect();
        let host = |page: u32| all.hosts[page as usize];
        let first_pages = self.sessions.iter().map(|session| host(session.pages[0]));
        let groups: Vec<u32> = first_pages.chain(outside.iter().map(|&page| host(page))).collect();
        let mut counts = vec![0; groups.len()];
        let limits =
            Limits { left: room.downloads() as f64, least: 1.0, groups: &groups, rooms: self.rooms() };
        greedy(&mut counts, limits, |item, m| {
            let Some(place) = item.checked_sub(self.sessions.len()) else {
                let cost = self.downloads(item) as f64;
                let gain = self.held(item, m + 1).worth - self.held(item, m).worth;
                return (m < self.most(item) && gain > 0.0).then_some(Step { gain: gain / cost, cost });
            };
            let page = pages[outside[place] as usize];
            let gain = fresh(page, room.days, m + 1) - fresh(page, room.days, m);
            let gain = self.alone * page.weight * gain;
            (gain > 0.0).then_some(Step { gain, cost: 1.0 })
        });
        counts.truncate(self.sessions.len());
        counts
    }

    /// Downloads that every host has time for.
    fn rooms(&self) -> Vec<f64> {
        self.terms.all.caps.iter().map(|cap| (cap * self.days()).min(1e18).ceil()).collect()
    }

    /// Single downloads of every page, beside the sessions that begin at these times.
    fn singles(&self, begins: &[Vec<f64>], of_page: &[Option<u32>]) -> (Vec<u32>, bool) {
        let Terms { pages, all, room, .. } = self.terms;
        let (mut left, mut rooms) = (room.downloads() as f64, self.rooms());
        for (number, begins) in begins.iter().enumerate() {
            let cost = (begins.len() * self.downloads(number)) as f64;
            left -= cost;
            if let Some(room) = rooms.get_mut(all.hosts[self.sessions[number].pages[0] as usize] as usize) {
                *room -= cost;
            }
        }
        let worth = |place: usize, m: u32| match of_page[place].map(|number| &begins[number as usize]) {
            Some(begins) if !begins.is_empty() => between(pages[place].rate, begins, room.days, m),
            _ => room.days * fresh(pages[place], room.days, m),
        };
        let mut counts = vec![0; pages.len()];
        let limits = Limits { left: left.max(0.0), least: 1.0, groups: &all.hosts, rooms };
        let step = |page: usize, m: u32| {
            let gain = pages[page].weight * (worth(page, m + 1) - worth(page, m));
            let gain = self.alone.max(CURRENT) * gain / room.days;
            (gain > CURRENT * CURRENT).then_some(Step { gain, cost: 1.0 })
        };
        greedy(&mut counts, limits, step);
        left -= counts.iter().map(|count| f64::from(*count)).sum::<f64>();
        let is_full = left >= 1.0 && (0..pages.len()).any(|page| step(page, counts[page]).is_some());
        (counts, is_full)
    }

    /// When sessions begin that are held so often: one after the other as the budget pays for the first of each, then at equal intervals.
    fn begins(&self, counts: &[u32], first: First) -> Vec<Vec<f64>> {
        let held: Vec<Held> = (0..).zip(counts).map(|(number, &m)| self.held(number, m)).collect();
        let density = |number: usize| held[number].worth / self.downloads(number) as f64;
        let mut order: Vec<usize> = (0..counts.len()).filter(|&number| counts[number] > 0).collect();
        order.sort_by(|&a, &b| {
            let apart = match first {
                First::Often => held[a].apart.total_cmp(&held[b].apart),
                First::Worth => std::cmp::Ordering::Equal,
            };
            apart.then(density(b).total_cmp(&density(a))).then(a.cmp(&b))
        });
        let is_later = |number: &&usize| held[**number].first > 0.0;
        let later: f64 = order.iter().filter(is_later).map(|&number| self.paid_in(number)).sum();
        // Those that wait are spread around the time that is best for them.
        let (mut at_once, mut waiting) = (0.0, -later / 2.0);
        let mut begins = vec![Vec::new(); counts.len()];
        for number in order {
            let Held { first, apart, .. } = held[number];
            let rounds = f64::from(counts[number]);
            let own = self.paid_in(number);
            let first = if first > 0.0 {
                waiting += own;
                first + waiting - own / 2.0
            } else {
                at_once += own;
                (at_once - own) % apart
            };
            let latest = self.days() - rounds * self.length(number) - 2.0 * MOMENT;
            let first = first.min(latest).max(0.0);
            let apart = (self.days() - first) / rounds;
            begins[number] = (0..counts[number]).map(|round| first + f64::from(round) * apart).collect();
        }
        self.paced(begins)
    }

    /// Days in which the budget pays for a session.
    fn paid_in(&self, number: usize) -> f64 {
        self.downloads(number) as f64 / self.terms.room.budget
    }

    /// The same sessions in the same order, each begun as soon as the ones before it are paid for, and none that would end too late. What the
    /// budget saves while no session is held is not spent on several at once.
    fn paced(&self, wanted: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let numbered = |(number, begins): (usize, Vec<f64>)| begins.into_iter().map(move |at| (at, number));
        let mut begins = vec![Vec::new(); wanted.len()];
        let mut all: Vec<(f64, usize)> = wanted.into_iter().enumerate().flat_map(numbered).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut paid = 0.0f64;
        for (at, number) in &mut all {
            *at = at.max(paid);
            paid = *at + self.paid_in(*number);
        }
        let mut next = self.days();
        for (at, number) in all.iter_mut().rev() {
            let latest = self.days() - self.length(*number) - 2.0 * MOMENT;
            *at = at.min(latest).min(next - self.paid_in(*number)).max(0.0);
            next = *at;
        }
        all.into_iter().for_each(|(at, number)| begins[number].push(at));
        begins
    }

    /// Sessions and single downloads of the horizon.
    pub(super) fn laid(&self, first: First) -> Laid {
        let Terms { pages, room, .. } = self.terms;
        let mut of_page: Vec<Option<u32>> = vec![None; pages.len()];
        for (number, session) in (0..).zip(self.sessions) {
            session.pages.iter().for_each(|&page| of_page[page as usize] = Some(number));
        }
        let is_within: Vec<bool> = of_page.iter().map(Option::is_some).collect();
        let sessions = self.begins(&self.counts(&is_within), first);
        let (counts, mut is_full) = self.singles(&sessions, &of_page);
        let mut days = Days::new(room);
        for (number, begins) in sessions.iter().enumerate() {
            self.occupy(number, begins, &mut days);
        }
        let mut singles = vec![Vec::new(); pages.len()];
        for page in by_worth(pages, Aim::Freshness) {
            let place = page as usize;
            let begins = of_page[place].map(|number| &sessions[number as usize]);
            let wanted = match begins {
                _ if counts[place] == 0 => continue,
                Some(begins) if !begins.is_empty() => dates_between(begins, room.days, counts[place]),
                _ => instants(pages[place], room.days, counts[place], Aim::Freshness),
            };
            let taken = wanted.into_iter().filter_map(|at| days.take(page, at));
            singles[place] = taken.map(|at| at.min(room.days - MOMENT)).collect();
            singles[place].sort_by(f64::total_cmp);
            is_full |= singles[place].len() < counts[place] as usize;
        }
        Laid { sessions, singles, is_full }
    }

    /// Takes the room that a session needs: of its host on the days of its downloads, of the budget on the days that pay for it.
    fn occupy(&self, number: usize, begins: &[f64], days: &mut Days<'_>) {
        let (count, delay) = (self.downloads(number), self.delays[number]);
        let page = self.sessions[number].pages[0];
        for &begin in begins {
            for (day, downloads) in shares(begin, count, delay, days.len()) {
                days.occupy_host(page, day, downloads);
            }
            for (day, downloads) in shares(begin, count, 1.0 / self.terms.room.budget, days.len()) {
                days.occupy(day, downloads);
            }
        }
    }
}

/// How many of so many downloads, one every `apart` days, fall on each day; the last day has all that come later.
fn shares(begin: f64, count: usize, apart: f64, days: usize) -> Vec<(usize, u64)> {
    let mut shares = Vec::new();
    let mut done = 0;
    while done < count {
        let day = ((begin + done as f64 * apart) as usize).min(days - 1);
        let until = ((day + 1) as f64 - begin) / apart.max(MOMENT * 1e-3);
        let end = if day + 1 == days { count } else { (until.ceil() as usize).clamp(done + 1, count) };
        shares.push((day, (end - done) as u64));
        done = end;
    }
    shares
}

/// The gaps behind each session, and how many of m more downloads fall into each: one more into the first ones.
fn gaps(begins: &[f64], days: f64, m: u32) -> impl Iterator<Item = (f64, f64, u32)> {
    let rounds = begins.len() as u32;
    let ends = begins.iter().skip(1).copied().chain([days]);
    (0..)
        .zip(begins.iter().copied().zip(ends))
        .map(move |(place, (begin, end))| (begin, end - begin, m / rounds + u32::from(place < m % rounds)))
}

/// Days that a page of a session is current behind its sessions, with m more downloads in between.
fn between(rate: f64, begins: &[f64], days: f64, m: u32) -> f64 {
    gaps(begins, days, m)
        .map(|(_, gap, more)| f64::from(more + 1) * quiet(rate, gap / f64::from(more + 1)))
        .sum()
}

/// The moments of these downloads, in days.
fn dates_between(begins: &[f64], days: f64, m: u32) -> Vec<f64> {
    let of_gap = |(begin, gap, more): (f64, f64, u32)| {
        (1..=more).map(move |place| begin + f64::from(place) * gap / f64::from(more + 1))
    };
    gaps(begins, days, m).flat_map(of_gap).collect()
}
