//! Whole downloads of a horizon, every day within the budget: several plans are made, each is valued over its own dates, and the
//! best is taken, so that none of them is ever ahead of the plan that is given.
//!
//! - the exact share of downloads ([`super::whole`]), moved to days with room ([`super::level`]),
//! - periods of 1, 2, 4, … days ([`super::calendar`]; freshness),
//! - day by day ([`super::daily`]), by several indexes.
//!
//! The exact share without limits for single days is the upper bound of them all.

use super::allocation::{Aim, Pages};
use super::calendar::{days, first_days, periods};
use super::level::{Room, level};
use super::whole::{Horizon, best, instants};
use super::{daily, dates, timetable};
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
    Exact,
    Periods,
    Daily((daily::Index, usize)),
}

/// The dates of a plan.
#[derive(Debug, Clone)]
pub(super) struct Dates {
    pub at: Vec<Vec<f64>>,
    /// Exponents of periods of 2^k days, where these were best.
    pub periods: Option<Vec<Option<u32>>>,
    /// Blur is negative.
    pub value: f64,
    pub missed: usize,
}

impl Terms<'_> {
    /// The dates as a host's pause allows them, with what they are worth.
    pub(super) fn valued(self, mut at: Vec<Vec<f64>>, periods: Option<Vec<Option<u32>>>) -> Dates {
        let Terms { pages, all, room, delays } = self;
        timetable::space_pages(&mut at, &all.hosts, delays, room.days);
        Dates {
            value: dates::value(pages, room.days, &at, room.aim),
            missed: dates::missed(pages, &at),
            at,
            periods,
        }
    }

    /// Every 1, 2, 4, … days; and what these periods are worth kept up for ever.
    pub(super) fn periods(self) -> (Dates, f64) {
        let (exponents, value) = periods(self.all, self.room.budget);
        let (first, _) = first_days(&exponents);
        let dates = |(exponent, first): (&Option<u32>, &u64)| match exponent {
            None => Vec::new(),
            Some(exponent) => (0..)
                .map(|round: u64| (first + round * days(*exponent)) as f64)
                .take_while(|day| *day < self.room.days)
                .collect(),
        };
        let mut at: Vec<Vec<f64>> = exponents.iter().zip(&first).map(dates).collect();
        level(&mut at, &by_worth(self.pages, self.room.aim), self.room);
        (self.valued(at, Some(exponents)), value)
    }

    /// The best of all candidates for these counts of downloads.
    pub(super) fn best(self, counts: &[u32]) -> Dates {
        let Terms { pages, room, .. } = self;
        let mut ways = vec![Made::Exact];
        if room.aim == Aim::Freshness {
            ways.push(Made::Periods);
        }
        ways.extend(daily::plans(pages, room).into_iter().map(Made::Daily));
        let made = jobs(threads(), ways.len(), |way| match ways[way] {
            Made::Exact => {
                let one = |(page, &m): (&Horizon, &u32)| instants(*page, room.days, m, room.aim);
                let mut at: Vec<Vec<f64>> = pages.iter().zip(counts).map(one).collect();
                level(&mut at, &by_worth(pages, room.aim), room);
                self.valued(at, None)
            }
            Made::Periods => self.periods().0,
            Made::Daily(how) => self.valued(daily::plan(pages, room, how), None),
        });
        // Blur: first of all no page that could be captured is missed. Of equal plans the first.
        let missed = |one: &Dates| if room.aim == Aim::Blur { one.missed } else { 0 };
        let is_better = |one: &Dates, other: &Dates| {
            missed(one) < missed(other) || (missed(one) == missed(other) && one.value > other.value)
        };
        let best = made.into_iter().reduce(|best, next| if is_better(&next, &best) { next } else { best });
        best.unwrap_or(Dates { at: Vec::new(), periods: None, value: 0.0, missed: 0 })
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

/// The pages whose downloads lose most by being moved first: weight times rate; what is to be current and was never captured comes
/// before that, by its weight.
fn by_worth(pages: &[Horizon], aim: Aim) -> Vec<u32> {
    let is_new = |page: &Horizon| aim == Aim::Freshness && page.age.is_infinite();
    let loss = |page: &Horizon| match page.rate {
        _ if is_new(page) => page.weight,
        rate if rate.is_finite() => page.weight * rate,
        _ => 0.0,
    };
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&pages[*a as usize], &pages[*b as usize]);
        is_new(b).cmp(&is_new(a)).then(loss(b).total_cmp(&loss(a)))
    });
    order
}
