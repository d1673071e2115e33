//! Sessions set into a horizon: which subsites, when they begin, and when each page is fetched.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::allocation::Pages;
use super::calendar::first_days;
use super::model::PlannedSession;
use super::plan::WeeksRequest;
use super::sessions::{PERIODS, Sessions, Subsite, Terms, plan};
use crate::schedule::page::Page;
use crate::schedule::subsite::Group;

const SECONDS_A_DAY: f64 = 86_400.0;

/// The sessions of a plan.
pub(super) struct Held {
    pub(super) found: Sessions,
    pub(super) sessions: Vec<PlannedSession>,
    /// Δ of every session, in days.
    delays: Vec<f64>,
    alone: f64,
}

impl Held {
    /// Plans sessions for the subsites of every host, and lays them out over the days.
    pub(super) fn plan(
        pages: &[Page],
        all: &Pages,
        request: &WeeksRequest,
        lanes: &BTreeMap<&Arc<str>, u32>,
    ) -> Self {
        let delay =
            |lane: &Arc<str>| request.lane_delays.get(lane).copied().unwrap_or(request.delay) / SECONDS_A_DAY;
        let mut groups: BTreeMap<(u32, Option<&Group>), Vec<u32>> = BTreeMap::new();
        for (number, page) in (0..).zip(pages) {
            let lane = lanes.get(&page.lane).copied().unwrap_or(0);
            groups.entry((lane, page.group.as_ref())).or_default().push(number);
        }
        let subsites: Vec<Subsite> = groups
            .into_values()
            .map(|own| Subsite { delay: delay(&pages[own[0] as usize].lane), pages: own })
            .collect();
        let terms = Terms { budget: request.budget, alone: request.alone, periods: &PERIODS };
        let found = plan(all, &subsites, terms);
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
        Held { found, sessions, delays, alone: request.alone }
    }

    /// Adds the downloads of all sessions to those of their pages.
    pub(super) fn enter(&self, at: &mut [Vec<f64>]) {
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

    /// What was planned, and what proves it.
    pub(super) fn note(&self) -> String {
        let found = &self.found;
        let below = if found.bound > 0.0 { (1.0 - found.value / found.bound).max(0.0) } else { 0.0 };
        format!(
            "Sessions are a heuristic: the plan holds {} again and again. Its value is {:.3}, and no plan of this kind reaches more \
             than {:.3}: the gap is {:.2} %. {} of a page's worth needs no session.",
            crate::format::count(self.sessions.len() as u64, "session"),
            found.value,
            found.bound,
            100.0 * below,
            crate::format::percent(self.alone),
        )
    }
}
