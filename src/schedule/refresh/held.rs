//! Sessions set into a horizon: which subsites, when they begin, and when each page is fetched.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::allocation::{Aim, Allocation, Pages};
use super::calendar::first_days;
use super::model::PlannedSession;
use super::plan::WeeksRequest;
use super::sessions::{PERIODS, Sessions, Subsite, Terms, plans};
use super::timetable::{Due, SECONDS_A_DAY, spaced};
use super::whole::{Horizon, quiet};
use super::{candidates, dates};
use crate::schedule::page::Page;
use crate::schedule::subsite::Group;

/// The sessions of a plan.
pub(super) struct Held {
    pub(super) found: Sessions,
    pub(super) sessions: Vec<PlannedSession>,
    /// Δ of every session, in days.
    delays: Vec<f64>,
    alone: f64,
}

impl Held {
    /// Plans sessions for the subsites of every host, and lays them out over the days; and what sessions and single pages are worth kept up for
    /// ever, with other budgets, too. `own`: which of them is the one of the plan.
    pub(super) fn plan(
        pages: &[Page],
        all: &Pages,
        request: &WeeksRequest,
        lanes: &BTreeMap<&Arc<str>, u32>,
        (budgets, own): (&[f64], usize),
    ) -> (Self, Vec<Allocation>) {
        let delay = |lane: &Arc<str>| request.delay_of(lane) / SECONDS_A_DAY;
        let mut groups: BTreeMap<(u32, Option<&Group>), Vec<u32>> = BTreeMap::new();
        for (number, page) in (0..).zip(pages) {
            let lane = lanes.get(&page.lane).copied().unwrap_or(0);
            groups.entry((lane, page.group.as_ref())).or_default().push(number);
        }
        let subsites: Vec<Subsite> = groups
            .into_values()
            .map(|own| Subsite { delay: delay(&pages[own[0] as usize].lane), pages: own })
            .collect();
        let terms = Terms { alone: request.alone, periods: &PERIODS };
        let mut plans = plans(all, &subsites, terms, budgets);
        let steadies = plans.iter().map(|found| steady(all, found)).collect();
        let found = plans.swap_remove(own);
        let exponents: Vec<Option<u32>> =
            found.sessions.iter().map(|session| Some(session.period.log2().round() as u32)).collect();
        let (first, _) = first_days(&exponents);
        let mut sessions = Vec::with_capacity(found.sessions.len());
        let mut delays = Vec::with_capacity(found.sessions.len());
        for (session, first) in found.sessions.iter().zip(first) {
            let delay = subsites[session.subsite].delay;
            // Begun on a day behind what the horizon leaves over, a session is held no more often than it was paid for.
            let over = request.days.floor() % session.period;
            let first = match request.days >= session.period {
                true => over + first as f64 % (session.period - over),
                false => first as f64,
            };
            let starts = (0..).map(|round: u64| first + round as f64 * session.period);
            let one = |(slot, page): (usize, &u32)| {
                let page = &pages[*page as usize];
                let days = 2.0 * slot as f64 * delay;
                let survives = match days {
                    0.0 => 1.0,
                    days => (-page.rate * SECONDS_A_DAY * days).exp(),
                };
                (page.weight * survives, page.weight)
            };
            let of_pages = session.pages.iter().enumerate().map(one);
            let (expected, weight) = of_pages.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let middle = session.pages.first().map(|&page| &pages[page as usize]);
            let group = middle.and_then(|page| page.group.as_ref());
            sessions.push(PlannedSession {
                lane: middle.map_or_else(|| "".into(), |page| page.lane.clone()),
                group: group.map(|group| group.name.clone()),
                group_by: group.map(|group| group.by),
                period_days: session.period,
                at_days: starts.take_while(|day| *day < request.days).collect(),
                length_seconds: 2.0 * session.pages.len().saturating_sub(1) as f64 * delay * SECONDS_A_DAY,
                expected_coherence: expected,
                weight,
                pages: session.pages.clone(),
            });
            delays.push(delay);
        }
        (Held { found, sessions, delays, alone: request.alone }, steadies)
    }

    /// Pages that are fetched in a session that is held within the horizon.
    pub(super) fn pages(&self) -> HashSet<u32> {
        let held = self.sessions.iter().filter(|session| !session.at_days.is_empty());
        held.flat_map(|session| session.pages.iter().copied()).collect()
    }

    /// Downloads of all sessions.
    pub(super) fn downloads(&self) -> usize {
        let of =
            |session: &PlannedSession| session.at_days.len() * (2 * session.pages.len()).saturating_sub(1);
        self.sessions.iter().map(of).sum()
    }

    /// Sets sessions and the downloads of single pages into the days, those of a host one after another.
    pub(super) fn lay(&mut self, singles: Vec<Vec<f64>>, terms: candidates::Terms<'_>) -> Vec<Vec<f64>> {
        /// A page, or a session by its place.
        #[derive(Clone, Copy)]
        enum Part {
            Page(usize),
            Session(usize),
        }
        let mut by_host: Vec<Vec<Due<Part>>> = terms.delays.iter().map(|_| Vec::new()).collect();
        let host_of = |page: usize| terms.all.hosts[page] as usize;
        for (number, session) in self.sessions.iter_mut().enumerate() {
            let Some(&page) = session.pages.first() else { continue };
            let downloads = (2 * session.pages.len()).saturating_sub(1);
            let begins = session.at_days.drain(..);
            let begins = begins.map(|at| Due { at, downloads, what: Part::Session(number) });
            by_host[host_of(page as usize)].extend(begins);
        }
        for (page, at) in singles.iter().enumerate() {
            let dues = at.iter().map(|&at| Due { at, downloads: 1, what: Part::Page(page) });
            by_host[host_of(page)].extend(dues);
        }
        let mut at: Vec<Vec<f64>> = vec![Vec::new(); singles.len()];
        for (dues, &delay) in by_host.into_iter().zip(terms.delays) {
            for due in spaced(dues, delay, terms.room.days) {
                match due.what {
                    Part::Page(page) => at[page].push(due.at),
                    Part::Session(number) => self.sessions[number].at_days.push(due.at),
                }
            }
        }
        self.enter(&mut at);
        at
    }

    /// Adds the downloads of all sessions to those of their pages.
    fn enter(&self, at: &mut [Vec<f64>]) {
        for (session, delay) in self.sessions.iter().zip(&self.delays) {
            let middle = session.pages.len().saturating_sub(1) as f64;
            for (slot, &page) in session.pages.iter().enumerate() {
                let own = &mut at[page as usize];
                for start in &session.at_days {
                    own.push(start + (middle - slot as f64) * delay);
                    if slot > 0 {
                        own.push(start + (middle + slot as f64) * delay);
                    }
                }
            }
        }
    }

    /// What these dates are worth by the aim of sessions: `w[(1 − β)·together + β·current]`, averaged over the horizon. A page is together
    /// with the others of its session from the session's middle to that of the next one, while it is as it was at both its looks.
    pub(super) fn value(&self, pages: &[Horizon], days: f64, at: &[Vec<f64>]) -> f64 {
        let current = dates::value(pages, days, at, Aim::Freshness);
        let mut together = 0.0;
        for (session, delay) in self.sessions.iter().zip(&self.delays) {
            let middle = session.pages.len().saturating_sub(1) as f64 * delay;
            for (slot, &page) in session.pages.iter().enumerate() {
                let Horizon { rate, weight, .. } = pages[page as usize];
                let half = slot as f64 * delay;
                let survives = if half == 0.0 || rate == 0.0 { 1.0 } else { (-rate * 2.0 * half).exp() };
                let ends = session.at_days.iter().skip(1).map(|start| start + middle).chain([days]);
                let spans = session.at_days.iter().zip(ends).map(|(start, end)| {
                    let span = end - (start + middle);
                    half.min(span) + quiet(rate, (span - half).max(0.0))
                });
                together += weight * survives * spans.sum::<f64>() / days;
            }
        }
        (1.0 - self.alone) * together + self.alone * current
    }

    /// What was planned, and what proves it.
    pub(super) fn note(&self) -> String {
        let found = &self.found;
        let below = if found.bound > 0.0 { (1.0 - found.value / found.bound).max(0.0) } else { 0.0 };
        format!(
            "Sessions are a heuristic: the plan holds {} again and again. {} of a page's worth needs no session. Kept up for ever it is \
             worth {:.3}, and no plan of this kind more than {:.3}: the gap is {:.2} %.",
            crate::format::count(self.sessions.len() as u64, "session"),
            crate::format::percent(self.alone),
            found.value,
            found.bound,
            100.0 * below,
        )
    }
}

/// What sessions and single pages are worth kept up for ever.
fn steady(all: &Pages, found: &Sessions) -> Allocation {
    let mut is_held = vec![false; all.len()];
    let held = found.sessions.iter().flat_map(|session| &session.pages);
    held.for_each(|&page| is_held[page as usize] = true);
    let is_never =
        |page: &usize| !is_held[*page] && found.frequencies[*page] == 0.0 && all.rates[*page] > 0.0;
    Allocation {
        dropped: (0..all.len()).filter(is_never).count(),
        frequencies: found.frequencies.clone(),
        value: found.value,
        bound: found.bound,
        price: found.price,
    }
}
