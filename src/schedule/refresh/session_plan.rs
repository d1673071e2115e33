//! Sessions placed in a planning period: which subsites, when each session begins, when each page is fetched.
//!
//! Makes several plans and keeps the one with the highest value: the sessions that are best in the long run, and those
//! that are best if none is held less than once in these days, laid out over the days ([`super::session_counts`]) in two orders; sessions and single downloads
//! bought one after another ([`super::session_search`]); and the plan without sessions ([`super::candidates`]), which is so never ahead. Single downloads beside
//! sessions are exchanged where that gains ([`super::exchange`]).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::allocation::{Aim, Allocation, Pages};
use super::exact::{Horizon, quiet};
use super::model::PlannedSession;
use super::plan::WeeksRequest;
use super::session_counts::{First, Laid, Rounds};
use super::session_search::Search;
use super::sessions::{MAX_PAGES_FINE, PERIODS, Session, Sessions, Subsite, Terms, downloads, plans};
use super::timetable::{Due, spaced};
use super::{candidates, dates, exchange};
use crate::format::count;
use crate::schedule::page::Page;
use crate::schedule::subsite::Group;
use crate::time::SECONDS_A_DAY;

/// The sessions of a plan.
pub(super) struct Held<'a> {
    pages: &'a [Page],
    subsites: Vec<Subsite>,
    /// Sets of sessions to choose from; the first is the best one in the long run.
    sets: Vec<Sessions>,
    /// The one that was chosen; `None`: sessions of another kind, or none.
    chosen: Option<usize>,
    sessions: Vec<PlannedSession>,
    /// Downloads between the sessions of a page.
    between: HashMap<u32, Vec<f64>>,
    /// Whether the pause of a host left no time for what gains.
    is_full: bool,
    alone: f64,
    gap: u32,
}

/// A set of sessions laid out over the days.
#[derive(Default)]
struct Dated {
    sessions: Vec<Session>,
    /// For each session its first moments, in days.
    begins: Vec<Vec<f64>>,
    /// Δ of each, in days.
    delays: Vec<f64>,
    /// Downloads of every page outside sessions, in the order of time.
    singles: Vec<Vec<f64>>,
    is_full: bool,
}

impl<'a> Held<'a> {
    /// Plans sessions for the subsites of every host; and what sessions and single pages are worth in the long run, with
    /// other budgets, too. `own`: which of them is the one of the plan.
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
        (
            Held { pages, subsites, sets, chosen: Some(0), sessions, between, is_full: false, alone, gap },
            steadies,
        )
    }

    /// Downloads a day of a page outside sessions, in the long run; 0 where only these days say it.
    pub(super) fn frequency(&self, page: usize) -> f64 {
        self.chosen.map_or(0.0, |chosen| self.sets[chosen].frequencies[page])
    }

    /// The sessions, and what is fetched between those of a page.
    pub(super) fn into_parts(self) -> (Vec<PlannedSession>, HashMap<u32, Vec<f64>>) {
        (self.sessions, self.between)
    }

    /// Sets sessions and single downloads into the days, and returns all dates with what they are worth by the aim of sessions.
    pub(super) fn lay(&mut self, terms: candidates::Terms<'_>) -> (Vec<Vec<f64>>, f64) {
        let days = terms.room.days;
        let mut best: Option<(Option<usize>, Dated, f64)> = None;
        let mut keep = |set: Option<usize>, dated: Dated| {
            let value = self.value(&dated, terms.pages, days);
            if best.as_ref().is_none_or(|best| value > best.2) {
                best = Some((set, dated, value));
            }
        };
        for (place, set) in self.sets.iter().enumerate() {
            let delays = self.delays(&set.sessions);
            let (alone, gap) = (self.alone, self.gap);
            let rounds = Rounds { sessions: &set.sessions, delays: &delays, alone, gap, terms };
            let tried = if terms.pages.len() > MAX_PAGES_FINE { 1 } else { 2 };
            for first in [First::Often, First::Worth].into_iter().take(tried) {
                let dated = self.dated(&set.sessions, rounds.laid(first), terms);
                self.exchanged(&dated, terms).into_iter().for_each(|dated| keep(Some(place), dated));
                keep(Some(place), dated);
            }
        }
        let sets: Vec<&[Session]> = self.sets.iter().map(|set| &set.sessions[..]).collect();
        if let Some((set, laid)) = Search::new(&self.subsites, (self.alone, self.gap), terms).best(&sets) {
            let dated = self.dated(&set, laid, terms);
            self.exchanged(&dated, terms).into_iter().for_each(|dated| keep(None, dated));
            keep(None, dated);
        }
        let (counts, most) = candidates::exact(terms, terms.room.downloads(), true);
        let reached = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.2);
        if most.is_none_or(|most| self.alone * most > reached) {
            let without = self.without(&counts, terms);
            let value = self.value(&without, terms.pages, days);
            best = best.filter(|best| best.2 >= value).or(Some((None, without, value)));
        }
        let Some((chosen, dated, value)) = best else { return (Vec::new(), 0.0) };
        self.chosen = chosen;
        self.sessions = self.planned(&dated);
        self.is_full = dated.is_full;
        let at = dated.at(self.gap);
        let Dated { sessions, mut singles, .. } = dated;
        let held = sessions.iter().flat_map(|session| &session.pages);
        let between = held.map(|&page| (page, std::mem::take(&mut singles[page as usize])));
        self.between = between.filter(|(_, own)| !own.is_empty()).collect();
        (at, value)
    }

    /// Δ of each session, in days.
    fn delays(&self, set: &[Session]) -> Vec<f64> {
        set.iter().map(|session| self.subsites[session.subsite].delay).collect()
    }

    /// The plan without sessions, for these counts of downloads.
    fn without(&self, counts: &[u32], terms: candidates::Terms<'_>) -> Dated {
        let at = terms.best(counts).at;
        let made: u64 = at.iter().map(|own| own.len() as u64).sum();
        let (wanted, _) = candidates::exact(terms, terms.room.downloads(), false);
        let is_full = made < wanted.into_iter().map(u64::from).sum();
        Dated { singles: at, is_full, ..Dated::default() }
    }

    /// The dates with single downloads that changed hands, where that does not take too long.
    fn exchanged(&self, dated: &Dated, terms: candidates::Terms<'_>) -> Option<Dated> {
        let singles = exchange::beside(terms.pages, terms.room, &dated.singles, &dated.held(self.gap))?;
        let (sessions, is_full) = (dated.begins.clone(), dated.is_full);
        Some(self.dated(&dated.sessions, Laid { sessions, singles, is_full }, terms))
    }

    /// Sessions and single downloads over the days, those of a host one after another.
    fn dated(&self, set: &[Session], laid: Laid, terms: candidates::Terms<'_>) -> Dated {
        /// A page, or a session by its place.
        #[derive(Clone, Copy)]
        enum Part {
            Page(usize),
            Session(usize),
        }
        let delays = self.delays(set);
        let Laid { sessions: begins, singles, mut is_full } = laid;
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
        let mut singles = vec![Vec::new(); singles.len()];
        let mut begins = vec![Vec::new(); set.len()];
        for (dues, &delay) in by_host.into_iter().zip(terms.delays) {
            let wanted = dues.len();
            let kept = spaced(dues, delay, terms.room.days);
            is_full |= kept.len() < wanted;
            for due in kept {
                match due.what {
                    Part::Page(page) => singles[page].push(due.at),
                    Part::Session(number) => begins[number].push(due.at),
                }
            }
        }
        let kept = || set.iter().zip(&delays).zip(&begins).filter(|(_, begins)| !begins.is_empty());
        Dated {
            sessions: kept().map(|((session, _), _)| session.clone()).collect(),
            delays: kept().map(|((_, delay), _)| *delay).collect(),
            begins: kept().map(|(_, begins)| begins.clone()).collect(),
            singles,
            is_full,
        }
    }

    /// The sessions as they are printed.
    fn planned(&self, dated: &Dated) -> Vec<PlannedSession> {
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
                period_days: period(begins),
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
        let current = dates::value(pages, days, &dated.at(self.gap), Aim::Freshness);
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
        let all: f64 = self.pages.iter().map(|page| page.weight).sum();
        let below = if all > 0.0 && *bound > 1e-9 * all { (1.0 - value / bound).max(0.0) } else { 0.0 };
        let held = match self.sessions.len() {
            0 => "in this period no session that was tried beats single downloads".to_owned(),
            held => {
                let times: usize = self.sessions.iter().map(|session| session.at_days.len()).sum();
                format!(
                    "the plan holds {} of {}",
                    count(times as u64, "session"),
                    count(held as u64, "subsite")
                )
            }
        };
        format!(
            "Sessions are chosen by a heuristic: {held}. {} of a page's worth needs no session. In the long run such a plan \
             is worth {value:.3}, and none of this kind more than {bound:.3}: the gap is {:.2}%.",
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
    /// The downloads of every page in sessions.
    fn held(&self, gap: u32) -> Vec<Vec<f64>> {
        let mut at = vec![Vec::new(); self.singles.len()];
        for ((session, begins), delay) in self.sessions.iter().zip(&self.begins).zip(&self.delays) {
            let middle = session.pages.len().saturating_sub(1);
            for (slot, &page) in session.pages.iter().enumerate() {
                for start in begins {
                    at[page as usize].push(start + (middle - slot) as f64 * delay);
                    if slot > 0 || gap > 0 {
                        at[page as usize].push(start + (middle + slot + gap as usize) as f64 * delay);
                    }
                }
            }
        }
        at
    }

    /// All downloads of every page, in the order of time.
    fn at(&self, gap: u32) -> Vec<Vec<f64>> {
        let mut at = self.held(gap);
        for (own, singles) in at.iter_mut().zip(&self.singles) {
            own.extend(singles);
            own.sort_by(f64::total_cmp);
        }
        at
    }
}

/// Mean days from one session to the next.
fn period(begins: &[f64]) -> Option<f64> {
    let apart = begins.len().checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some((begins[apart] - begins[0]) / apart as f64)
}

/// What sessions and single pages are worth in the long run.
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
        // No plan is worth more than all pages.
        bound: found.bound.min(all.weights.iter().sum()),
        price: found.price,
    }
}
