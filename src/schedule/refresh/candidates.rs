//! Whole downloads of a planning period, every day within the budget: makes several plans, values each over its own dates,
//! and takes the best, so that none of them is ever ahead of the plan that is given.
//!
//! - the exact share of downloads ([`super::exact`]), moved to days with room ([`super::day_limits`]) in several orders,
//! - periods of 1, 2, 4, … days, without end ([`super::calendar`]) or for the horizon ([`super::rhythm`]; freshness),
//! - day by day ([`super::day_by_day`]), by several indexes,
//! - one by one at times that are free on their host ([`super::pauses`]), where pauses are long.
//!
//! Where a plan is small enough, the downloads of each change hands as long as that gains ([`super::exchange`]).
//!
//! The exact share without limits for single days is the upper bound of them all.

use super::allocation::{Aim, Pages};
use super::calendar::{days, first_days, periods};
use super::day_limits::{Days, Room, level};
use super::exact::{Horizon, best, instants, quiet};
use super::{dates, day_by_day, exchange, pauses, rhythm, timetable};
use crate::schedule::parallel::{jobs, threads};

/// The terms that all candidates have in common.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    pub pages: &'a [Horizon],
    pub all: &'a Pages,
    pub room: Room<'a>,
    /// Δ of every host, in days.
    pub delays: &'a [f64],
}

/// How a plan was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Exact(First),
    Periods,
    Daily((day_by_day::Index, usize)),
    Pauses(pauses::Row),
}

/// Which pages keep their days when others have to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// Those whose downloads lose most by being moved.
    Worth,
    /// Those with few downloads: of a page that is fetched once all depends on the day; one of many gaps matters little.
    Few,
    /// Those that are fetched once, then those with many downloads, which need a day each.
    OnceThenMany,
}

/// Pages and downloads up to which all orders are tried.
const MAX_PAGES_IN_ALL_ORDERS: u64 = 1_000_000;

/// First days that a page with a period tries.
const MAX_FIRST_DAYS: u64 = 64;

/// Shares of the pages that are fetched once to which periods give way.
pub(super) const SHARES: [f64; 3] = [1.0, 0.25, 0.0625];

/// Periods of 2^k days, without end.
struct Periods {
    /// Downloads a day that they may cost.
    budget: f64,
    exponents: Vec<Option<u32>>,
    /// The first day of every page with a period.
    first: Vec<u64>,
    value: f64,
}

impl Periods {
    fn of(pages: &Pages, budget: f64) -> Self {
        let (exponents, value) = periods(pages, budget);
        let (first, _) = first_days(&exponents);
        Periods { budget, exponents, first, value }
    }
}

/// The dates of a plan.
#[derive(Debug, Clone)]
pub(super) struct Dates {
    pub at: Vec<Vec<f64>>,
    /// Exponents of periods of 2^k days, where these were best.
    pub periods: Option<Vec<Option<u32>>>,
    /// Value by the aim; for blur its negative, so that more is better.
    pub value: f64,
    pub missed: usize,
    /// What those weigh that are missed.
    pub missed_weight: f64,
    /// Downloads above the budgets of their days, where a host's pause moved them, and above that of all days.
    pub above: u64,
    /// Pages whose period is broken because a download had no room on its day.
    pub moved: usize,
}

impl Dates {
    /// A plan without downloads.
    pub(super) fn none() -> Self {
        Dates { at: Vec::new(), periods: None, value: 0.0, missed: 0, missed_weight: 0.0, above: 0, moved: 0 }
    }
}

impl Terms<'_> {
    /// The dates as a host's pause allows them, with what they are worth.
    pub(super) fn valued(self, mut at: Vec<Vec<f64>>, mut periods: Option<Vec<Option<u32>>>) -> Dates {
        let Terms { pages, all, room, delays } = self;
        timetable::space_pages(&mut at, &all.hosts, delays, room.days);
        let mut moved = 0;
        for (exponent, own) in periods.iter_mut().flatten().zip(&at) {
            if exponent.is_some_and(|exponent| !is_kept(exponent, own, room.days)) {
                *exponent = None;
                moved += 1;
            }
        }
        let downloads: usize = at.iter().map(Vec::len).sum();
        Dates {
            moved,
            value: dates::value(pages, room.days, &at, room.aim),
            missed: dates::missed(pages, &at),
            missed_weight: dates::missed_weight(pages, &at),
            above: room.above(&at) + (downloads as u64).saturating_sub(room.downloads()),
            at,
            periods,
        }
    }

    /// Every 1, 2, 4, … days; and what such periods are worth in the long run. What never changes has no period, and a period
    /// may end behind the horizon: such a page is fetched once if it was never captured, from what the periods leave over, or
    /// before them. Periods that were chosen for the horizon take their place where their dates are worth more. `shares`: see
    /// [`SHARES`].
    pub(super) fn periods(self, shares: &[f64]) -> (Dates, f64) {
        let order = by_worth(self.pages, self.room.aim);
        let whole = Periods::of(self.all, self.room.budget);
        let plain = self.periods_and_once(&[], &whole, &order);
        let once = self.once(&plain);
        let better = |best: Dates, next: Dates| self.better(best, next);
        let mut best = self.rhythms(&order).into_iter().fold(plain, better);
        if !once.is_empty() {
            // First the periods as they are, then fewer of them.
            let made = jobs(threads(), 1 + shares.len(), |way| {
                let Some(share) = way.checked_sub(1).map(|way| shares[way]) else {
                    return self.periods_and_once(&once, &whole, &order);
                };
                let once = &once[..(share * once.len() as f64).ceil() as usize];
                let budget = (self.room.budget - once.len() as f64 / self.room.days).max(0.0);
                self.periods_and_once(once, &Periods::of(self.all, budget), &order)
            });
            best = made.into_iter().fold(best, better);
        }
        (best, whole.value)
    }

    /// Every 1, 2, 4, … days or once, as is best for the horizon.
    fn rhythms(self, order: &[u32]) -> Option<Dates> {
        let chosen = rhythm::rhythms(self.pages, self.room, order)?;
        let (at, exponents) = rhythm::dates(&chosen, self.room.days);
        Some(self.valued(at, Some(exponents)))
    }

    /// Periods, and pages that are fetched once: first, where the budget leaves that much for them. `order`: who comes first of the others.
    fn periods_and_once(self, once: &[u32], periods: &Periods, order: &[u32]) -> Dates {
        let Periods { exponents, first, .. } = periods;
        let count = self.room.days.ceil() as u64;
        let is_beyond = |page: usize| exponents[page].is_none() || first[page] >= count;
        let mut is_once = vec![false; exponents.len()];
        once.iter().filter(|page| is_beyond(**page as usize)).for_each(|page| is_once[*page as usize] = true);
        let is_first = periods.budget < self.room.budget;
        let (early, late): (Vec<u32>, Vec<u32>) =
            order.iter().partition(|page| is_once[**page as usize] == is_first);
        let mut at: Vec<Vec<f64>> = vec![Vec::new(); exponents.len()];
        let mut room = Days::new(self.room);
        for page in early.into_iter().chain(late) {
            let place = page as usize;
            at[place] = match exponents[place] {
                _ if is_once[place] => room.take_another(page, 0, &[]).into_iter().collect(),
                Some(exponent) if first[place] < count => {
                    self.lay_period(page, days(exponent), first[place], &mut room)
                }
                _ => Vec::new(),
            };
        }
        self.valued(at, Some(exponents.clone()))
    }

    /// Every `period` days, from `first` on or from the next day for which all days have room; where there is none, each download
    /// on the nearest day with room.
    fn lay_period(self, page: u32, period: u64, first: u64, room: &mut Days<'_>) -> Vec<f64> {
        let count = self.room.days.ceil() as u64;
        let from = |first: u64| (first..count).step_by(period as usize).map(|day| day as usize);
        let firsts = (0..period.min(MAX_FIRST_DAYS))
            .map(|later| (first + later) % period)
            .filter(|first| *first < count);
        for first in firsts {
            if room.take_all(page, from(first)) {
                return from(first).map(|day| day as f64).collect();
            }
        }
        let mut own = Vec::new();
        from(first).for_each(|day| own.extend(room.take_another(page, day, &own)));
        own.sort_by(f64::total_cmp);
        own
    }

    /// Pages of a plan of periods that one download would help: never captured, not fetched in the horizon, and not because they change too
    /// often. Those whose download is worth most come first.
    fn once(self, plan: &Dates) -> Vec<u32> {
        let has_period = |page: usize| plan.periods.as_ref().is_some_and(|periods| periods[page].is_some());
        let is_once = |&page: &u32| {
            let page = page as usize;
            is_new(&self.pages[page])
                && plan.at[page].is_empty()
                && (self.pages[page].rate == 0.0 || has_period(page))
        };
        let mut once: Vec<u32> = (0..self.pages.len() as u32).filter(is_once).collect();
        once.sort_by(|a, b| self.worth_once(*b).total_cmp(&self.worth_once(*a)));
        once.truncate(self.room.downloads() as usize);
        once
    }

    /// Pages that were never captured and that the best plan of as many downloads fetches, and behind them others that are named, as many as
    /// there are downloads. Those whose download is worth most come first.
    pub(super) fn first_captures(self, others: impl Fn(usize) -> bool) -> Vec<u32> {
        let Terms { pages, room, .. } = self;
        if room.aim != Aim::Freshness {
            return Vec::new();
        }
        let (counts, _) = exact(self, room.downloads(), true);
        let is_best = |page: u32| counts[page as usize] > 0;
        let is_once = |&page: &u32| is_new(&pages[page as usize]) && (is_best(page) || others(page as usize));
        let mut once: Vec<u32> = (0..pages.len() as u32).filter(is_once).collect();
        once.sort_by(|&a, &b| {
            is_best(b).cmp(&is_best(a)).then(self.worth_once(b).total_cmp(&self.worth_once(a)))
        });
        once.truncate(room.downloads() as usize);
        once
    }

    /// What a page is worth that is fetched once, at the start.
    fn worth_once(self, page: u32) -> f64 {
        let page = self.pages[page as usize];
        page.weight * quiet(page.rate, self.room.days)
    }

    /// The best of all candidates for these counts of downloads.
    pub(super) fn best(self, counts: &[u32]) -> Dates {
        let Terms { pages, room, delays, .. } = self;
        let downloads: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        let is_cheap = downloads + pages.len() as u64 <= MAX_PAGES_IN_ALL_ORDERS;
        let mut ways = vec![Made::Exact(First::Worth)];
        if is_cheap {
            ways.extend([First::Few, First::OnceThenMany].map(Made::Exact));
        }
        if room.aim == Aim::Freshness {
            ways.push(Made::Periods);
        }
        ways.extend(day_by_day::plans(pages, room).into_iter().map(Made::Daily));
        ways.extend(pauses::rows(pages, room, delays).into_iter().map(Made::Pauses));
        let make = |way: usize| match ways[way] {
            Made::Exact(first) => {
                let one = |(page, &m): (&Horizon, &u32)| instants(*page, room.days, m, room.aim);
                let mut at: Vec<Vec<f64>> = pages.iter().zip(counts).map(one).collect();
                let mut order = by_worth(pages, room.aim);
                match first {
                    First::Worth => {}
                    First::Few => order.sort_by_key(|&page| counts[page as usize]),
                    First::OnceThenMany => order.sort_by_key(|&page| match counts[page as usize] {
                        0 | 1 => 0,
                        count => u32::MAX - count,
                    }),
                }
                level(&mut at, &order, room);
                self.valued(at, None)
            }
            Made::Periods if is_cheap => self.periods(&SHARES).0,
            Made::Periods => self.periods(&[]).0,
            Made::Daily(how) => self.valued(day_by_day::plan(pages, room, how), None),
            Made::Pauses(row) => self.valued(pauses::plan(pages, room, delays, row), None),
        };
        let made = jobs(threads(), ways.len(), |way| {
            let dates = make(way);
            match exchange::is_cheap(pages, room, &dates.at) {
                true => self.exchanged(dates),
                false => dates,
            }
        });
        let best = made.into_iter().reduce(|best, next| self.better(best, next));
        best.map_or_else(Dates::none, |best| self.exchanged(best))
    }

    /// The dates, or those that exchanges of downloads make of them.
    fn exchanged(self, dates: Dates) -> Dates {
        let others = exchange::exchanged(self.pages, self.room, &dates.at).into_iter().flatten();
        let others: Vec<Dates> = others.map(|at| self.valued(at, None)).collect();
        others.into_iter().fold(dates, |best, next| self.better(best, next))
    }

    /// The better of two plans: days within the budget come first, then, with blur, that no heavy page is missed that could be captured. Of
    /// equal plans the first.
    fn better(self, one: Dates, two: Dates) -> Dates {
        let missed = |dates: &Dates| if self.room.aim == Aim::Blur { dates.missed_weight } else { 0.0 };
        let order = two.above.cmp(&one.above).then(missed(&two).total_cmp(&missed(&one)));
        if order.then(one.value.total_cmp(&two.value)).is_lt() { two } else { one }
    }
}

/// How often every page is fetched in the best plan without limits for single days, and what that is worth: no plan of as many
/// downloads is worth more. `None`: pages that were never captured are left out, so that blurs are not comparable.
pub(super) fn exact(terms: Terms<'_>, downloads: u64, capped: bool) -> (Vec<u32>, Option<f64>) {
    let Terms { pages, all, room, .. } = terms;
    let caps: Vec<u64> = all.caps.iter().map(|cap| (cap * room.days).min(1e18).ceil() as u64).collect();
    let hosts = if capped { (&all.hosts[..], &caps[..]) } else { (&[][..], &[][..]) };
    let (counts, value) = best(pages, room.days, downloads, hosts, room.aim);
    let is_missed =
        |(page, count): (&Horizon, &u32)| page.weight > 0.0 && page.age.is_infinite() && *count == 0;
    let is_comparable = room.aim != Aim::Blur || !pages.iter().zip(&counts).any(is_missed);
    (counts, is_comparable.then_some(value))
}

/// Whether dates are such of a period of 2^k days: as far apart, up to the end.
fn is_kept(exponent: u32, at: &[f64], horizon: f64) -> bool {
    let (period, count) = (days(exponent), horizon.ceil() as u64);
    let is_apart = |pair: &[f64]| pair[1] as u64 - pair[0] as u64 == period;
    let next = at.last().map_or(period, |last| *last as u64 + period);
    at.windows(2).all(is_apart) && next >= count
}

/// Whether a page weighs something and was never captured.
fn is_new(page: &Horizon) -> bool {
    page.weight > 0.0 && page.age.is_infinite()
}

/// The pages whose downloads lose most by being moved first: weight times rate; what is to be current and was never captured comes
/// before that, by its weight.
pub(super) fn by_worth(pages: &[Horizon], aim: Aim) -> Vec<u32> {
    let is_awaited = |page: &Horizon| aim == Aim::Freshness && page.age.is_infinite();
    let loss = |page: &Horizon| match page.rate {
        _ if is_awaited(page) => page.weight,
        rate if rate.is_finite() => page.weight * rate,
        _ => 0.0,
    };
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&pages[*a as usize], &pages[*b as usize]);
        is_awaited(b).cmp(&is_awaited(a)).then(loss(b).total_cmp(&loss(a)))
    });
    order
}
