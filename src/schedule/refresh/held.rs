//! Sessions set into a horizon: which subsites, when they begin, and when each page is fetched.
//!
//! Several sets of sessions are laid out over the days ([`super::rounds`]) and the one is taken whose dates are worth most: the sessions that are
//! best kept up for ever; those that are best if none is held less than once in these days; none at all.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::allocation::{Aim, Allocation, Pages};
use super::model::PlannedSession;
use super::plan::WeeksRequest;
use super::rounds::{Laid, Rounds};
use super::sessions::{PERIODS, Session, Sessions, Subsite, Terms, downloads, plans};
use super::timetable::{Due, SECONDS_A_DAY, spaced};
use super::whole::{Horizon, quiet};
use super::{candidates, dates};
use crate::format::count;
use crate::schedule::page::Page;
use crate::schedule::subsite::Group;

/// The sessions of a plan.
pub(super) struct Held<'a> {
    pages: &'a [Page],
    subsites: Vec<Subsite>,
    /// Sets of sessions to choose from; the first is the best one kept up for ever.
    sets: Vec<Sessions>,
    /// The one that was chosen.
    chosen: usize,
    sessions: Vec<PlannedSession>,
    /// Downloads between the sessions of a page.
    between: HashMap<u32, Vec<f64>>,
    /// Whether the pause of a host left no time for what gains.
    is_full: bool,
    alone: f64,
    gap: u32,
}

/// A set of sessions laid out over the days.
struct Dated {
    sessions: Vec<Session>,
    /// When each begins.
    begins: Vec<Vec<f64>>,
    /// Δ of each, in days.
    delays: Vec<f64>,
    between: HashMap<u32, Vec<f64>>,
    is_full: bool,
    /// All downloads of every page.
    at: Vec<Vec<f64>>,
}

impl<'a> Held<'a> {
    /// Plans sessions for the subsites of every host; and what sessions and single pages are worth kept up for ever, with other budgets, too.
    /// `own`: which of them is the one of the plan.
    pub(super) fn plan(
        pages: &'a [Page],
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
        let (alone, gap) = (request.alone, request.gap());
        let mut found = plans(all, &subsites, Terms { alone, periods: &PERIODS, gap }, budgets);
        let steadies = found.iter().map(|found| steady(all, found)).collect();
        let mut sets = vec![found.swap_remove(own)];
        if PERIODS.last().is_some_and(|longest| request.days < *longest) {
            let shorter = PERIODS.iter().copied().filter(|period| *period < request.days);
            let periods: Vec<f64> = shorter.chain([request.days]).collect();
            sets.extend(plans(all, &subsites, Terms { alone, periods: &periods, gap }, &[budgets[own]]));
        }
        let (sessions, between) = Default::default();
        (Held { pages, subsites, sets, chosen: 0, sessions, between, is_full: false, alone, gap }, steadies)
    }

    /// Downloads a day of pages outside sessions, kept up for ever.
    pub(super) fn frequencies(&self) -> &[f64] {
        &self.sets[self.chosen].frequencies
    }

    /// The sessions, and what is fetched between those of a page.
    pub(super) fn into_parts(self) -> (Vec<PlannedSession>, HashMap<u32, Vec<f64>>) {
        (self.sessions, self.between)
    }

    /// Sets sessions and single downloads into the days, and returns all dates with what they are worth by the aim of sessions.
    pub(super) fn lay(&mut self, terms: candidates::Terms<'_>) -> (Vec<Vec<f64>>, f64) {
        let days = terms.room.days;
        let mut best: Option<(usize, Dated, f64)> = None;
        for (place, set) in self.sets.iter().map(|set| &set.sessions[..]).chain([&[][..]]).enumerate() {
            let dated = self.dated(set, terms);
            let value = self.value(&dated, terms.pages, days);
            if best.as_ref().is_none_or(|best| value > best.2) {
                best = Some((place, dated, value));
            }
        }
        let Some((place, dated, value)) = best else { return (Vec::new(), 0.0) };
        self.chosen = place.min(self.sets.len() - 1);
        self.sessions = self.planned(&dated, days);
        (self.between, self.is_full) = (dated.between, dated.is_full);
        (dated.at, value)
    }

    /// Sessions and single downloads over the days, those of a host one after another.
    fn dated(&self, set: &[Session], terms: candidates::Terms<'_>) -> Dated {
        /// A page, or a session by its place.
        #[derive(Clone, Copy)]
        enum Part {
            Page(usize),
            Session(usize),
        }
        let delays: Vec<f64> = set.iter().map(|session| self.subsites[session.subsite].delay).collect();
        let rounds = Rounds { sessions: set, delays: &delays, alone: self.alone, gap: self.gap, terms };
        let Laid { sessions: begins, singles, mut is_full } = rounds.laid();
        let mut by_host: Vec<Vec<Due<Part>>> = terms.delays.iter().map(|_| Vec::new()).collect();
        let host_of = |page: usize| terms.all.hosts[page] as usize;
        for (number, begins) in begins.iter().enumerate() {
            let pages = &set[number].pages;
            let downloads = downloads(pages.len(), self.gap);
            let begins = begins.iter().map(|&at| Due { at, downloads, what: Part::Session(number) });
            by_host[host_of(pages[0] as usize)].extend(begins);
        }
        for (page, at) in singles.iter().enumerate() {
            let dues = at.iter().map(|&at| Due { at, downloads: 1, what: Part::Page(page) });
            by_host[host_of(page)].extend(dues);
        }
        let mut at: Vec<Vec<f64>> = vec![Vec::new(); singles.len()];
        let mut begins = vec![Vec::new(); set.len()];
        for (dues, &delay) in by_host.into_iter().zip(terms.delays) {
            let wanted = dues.len();
            let kept = spaced(dues, delay, terms.room.days);
            is_full |= kept.len() < wanted;
            for due in kept {
                match due.what {
                    Part::Page(page) => at[page].push(due.at),
                    Part::Session(number) => begins[number].push(due.at),
                }
            }
        }
        let kept = || set.iter().zip(&delays).zip(&begins).filter(|(_, begins)| !begins.is_empty());
        let mut dated = Dated {
            sessions: kept().map(|((session, _), _)| session.clone()).collect(),
            delays: kept().map(|((_, delay), _)| *delay).collect(),
            begins: kept().map(|(_, begins)| begins.clone()).collect(),
            between: HashMap::new(),
            is_full,
            at,
        };
        dated.enter(self.gap);
        dated
    }

    /// The sessions as they are printed.
    fn planned(&self, dated: &Dated, days: f64) -> Vec<PlannedSession> {
        let one = |((session, begins), &delay): ((&Session, &Vec<f64>), &f64)| {
            let of_page = |(slot, page): (usize, &u32)| {
                let page = &self.pages[*page as usize];
                let interval = (2 * slot + self.gap as usize) as f64 * delay;
                let survives = match interval {
                    0.0 => 1.0,
                    interval => (-page.rate * SECONDS_A_DAY * interval).exp(),
                };
                (page.weight * survives, page.weight)
            };
            let of_pages = session.pages.iter().enumerate().map(of_page);
            let (expected, weight) = of_pages.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            let middle = session.pages.first().map(|&page| &self.pages[page as usize]);
            let group = middle.and_then(|page| page.group.as_ref());
            let length = downloads(session.pages.len(), self.gap).saturating_sub(1) as f64 * delay;
            PlannedSession {
                lane: middle.map_or_else(|| "".into(), |page| page.lane.clone()),
                group: group.map(|group| group.name.clone()),
                group_by: group.map(|group| group.by),
                period_days: (days - begins[0]) / begins.len() as f64,
                at_days: begins.clone(),
                length_seconds: length * SECONDS_A_DAY,
                expected_coherence: expected,
                weight,
                pages: session.pages.clone(),
            }
        };
        dated.sessions.iter().zip(&dated.begins).zip(&dated.delays).map(one).collect()
    }

    /// What these dates are worth by the aim of sessions: `w[(1 − β)·together + β·current]`, averaged over the horizon. A page is together
    /// with the others of its session from the session's middle to that of the next one, while it is as it was at both its looks.
    fn value(&self, dated: &Dated, pages: &[Horizon], days: f64) -> f64 {
        let current = dates::value(pages, days, &dated.at, Aim::Freshness);
        let mut together = 0.0;
        for ((session, begins), delay) in dated.sessions.iter().zip(&dated.begins).zip(&dated.delays) {
            let between = f64::from(self.gap) / 2.0;
            let middle = (session.pages.len().saturating_sub(1) as f64 + between) * delay;
            for (slot, &page) in session.pages.iter().enumerate() {
                let Horizon { rate, weight, .. } = pages[page as usize];
                let half = (slot as f64 + between) * delay;
                let survives = if half == 0.0 || rate == 0.0 { 1.0 } else { (-rate * 2.0 * half).exp() };
                let ends = begins.iter().skip(1).map(|start| start + middle).chain([days]);
                let spans = begins.iter().zip(ends).map(|(start, end)| {
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
        let Sessions { value, bound, .. } = &self.sets[0];
        let below = if *bound > 0.0 { (1.0 - value / bound).max(0.0) } else { 0.0 };
        format!(
            "Sessions are a heuristic: the plan holds {} again and again. {} of a page's worth needs no session. Kept up for ever such a plan \
             is worth {value:.3}, and none of this kind more than {bound:.3}: the gap is {:.2} %.",
            count(self.sessions.len() as u64, "session"),
            crate::format::percent(self.alone),
            100.0 * below,
        )
    }

    /// Why a part of the budget is left.
    pub(super) fn left_note(&self, at: &[Vec<f64>], allowed: u64) -> Option<String> {
        let made: u64 = at.iter().map(|own| own.len() as u64).sum();
        let left = allowed.checked_sub(made).filter(|left| *left > 0)?;
        let why = match self.is_full {
            true => "the pause between two downloads of a host leaves no time for more",
            false => "no page would be current for longer by one more",
        };
        Some(format!("{} of the budget are left: {why}.", count(left, "download")))
    }
}

impl Dated {
    /// Adds the downloads of all sessions to those of their pages.
    fn enter(&mut self, gap: u32) {
        for ((session, begins), delay) in self.sessions.iter().zip(&self.begins).zip(&self.delays) {
            let middle = session.pages.len().saturating_sub(1);
            for (slot, &page) in session.pages.iter().enumerate() {
                let own = &mut self.at[page as usize];
                if !own.is_empty() {
                    self.between.insert(page, own.clone());
                }
                for start in begins {
                    own.push(start + (middle - slot) as f64 * delay);
                    if slot > 0 || gap > 0 {
                        own.push(start + (middle + slot + gap as usize) as f64 * delay);
                    }
                }
                own.sort_by(f64::total_cmp);
            }
        }
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
