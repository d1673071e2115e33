//! From pages and a budget to the downloads of weeks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::allocation::{Aim, Allocation, Pages, Times, allocate};
use super::calendar::days;
use super::candidates::{Dates, SHARES, Terms, exact};
use super::day_limits::Room;
use super::exact::Horizon;
use super::model::{Bought, PlanAim, PlannedWeeks, SCHEMA, WeeksPlan, Worth};
use super::plan_words::{LeftOut, budget_note, capped_note, late_note, notes_on, summary};
use super::session_plan::Held;
use super::timetable::day_of;
use super::{dates, random};
use crate::error::{Error, Result};
use crate::schedule::page::Page;
use crate::schedule::parallel::{jobs, threads};
use crate::time::{Instant, SECOND, SECONDS_A_DAY};

/// The budgets of the curve, as multiples of the one that was asked for.
const BUDGETS: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// Hosts bind where the budget is above this share of what their pauses let through.
const BINDING: f64 = 0.5;
/// Shares of the budget that are then tried, too.
const SMALLER: [f64; 6] = [0.95, 0.9, 0.8, 0.7, 0.6, 0.5];
/// Of so many pages at most.
const MAX_PAGES_TRIED_AGAIN: usize = 500;

/// How downloads are put into the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Style {
    /// Whole downloads by marginal gain: exact for the horizon.
    #[default]
    Whole,
    /// Every 1, 2, 4, 8, … days.
    Periods,
    /// At random times.
    Random,
    /// Subsites in coherent sessions, single pages at equal intervals.
    Sessions,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct WeeksRequest {
    pub days: f64,
    /// Downloads a day.
    pub budget: f64,
    pub aim: Aim,
    pub style: Style,
    /// Seconds between two downloads of a host.
    pub delay: f64,
    pub lane_delays: std::collections::HashMap<Arc<str>, f64>,
    pub start: Option<Instant>,
    pub seed: u64,
    /// The share of a page's worth that needs no session.
    pub alone: f64,
    /// The page in the middle of a session is fetched once, as in the papers; else twice like all others.
    pub middle_once: bool,
}

impl WeeksRequest {
    /// Slots between the innermost visit and the innermost revisit of a session.
    pub(super) fn gap(&self) -> u32 {
        u32::from(!self.middle_once)
    }

    /// Δ of a host, in seconds.
    pub(super) fn delay_of(&self, lane: &Arc<str>) -> f64 {
        self.lane_delays.get(lane).copied().unwrap_or(self.delay)
    }

    /// Fails where what is asked for makes no sense.
    fn check(&self) -> Result<()> {
        if !(self.days > 0.0 && self.days <= 36_525.0 && self.budget >= 0.0 && self.budget.is_finite()) {
            return Err(Error::usage(
                "a plan has a length of up to 100 years and a budget of downloads, zero or more",
            ));
        }
        if matches!(self.style, Style::Periods | Style::Sessions) && self.aim != Aim::Freshness {
            return Err(Error::usage("periods and sessions are planned for freshness only")
                .with_remedy("leave out --aim, or --periods and --sessions"));
        }
        if !(0.0..=1.0).contains(&self.alone) {
            return Err(Error::usage(
                "the share of a page's worth that needs a session is a number from 0 to 1",
            ));
        }
        Ok(())
    }
}

/// Dates with what they are worth, and what they would be worth in the long run.
struct Laid {
    dates: Dates,
    /// By the aim; blur is negative.
    value: f64,
    bound: Option<f64>,
    steady: Worth,
    /// What sessions keep current, whose aim is another.
    current: Option<Worth>,
}

/// Of budgets in ascending order, none buys less than one before it: what fits that one fits it, too.
fn never_falling(steadies: &mut [Allocation]) {
    for place in 1..steadies.len() {
        let (before, after) = steadies.split_at_mut(place);
        let (Some(before), Some(own)) = (before.last(), after.first_mut()) else { continue };
        if own.value < before.value {
            *own = Allocation { bound: own.bound.max(before.bound), price: 0.0, ..before.clone() };
        }
    }
}

/// Plans the downloads of weeks. Every figure but those named steady is one of the dates that are planned.
pub(crate) fn plan(pages: &[Page], asked: &WeeksRequest) -> Result<WeeksPlan> {
    asked.check()?;
    let lanes: BTreeMap<&Arc<str>, u32> = {
        let mut lanes: BTreeMap<&Arc<str>, u32> = pages.iter().map(|page| (&page.lane, 0)).collect();
        lanes.values_mut().enumerate().for_each(|(place, number)| *number = place as u32);
        lanes
    };
    let delays: Vec<f64> = lanes.keys().map(|lane| asked.delay_of(lane) / SECONDS_A_DAY).collect();
    let all = Pages {
        rates: pages.iter().map(|page| page.rate * SECONDS_A_DAY).collect(),
        weights: pages.iter().map(|page| page.weight).collect(),
        hosts: pages.iter().map(|page| lanes[&page.lane]).collect(),
        caps: delays.iter().map(|delay| if *delay > 0.0 { 1.0 / delay } else { f64::INFINITY }).collect(),
    };
    // A budget above what the pauses of hosts let through buys nothing: it makes the same plan.
    let most: f64 = all.caps.iter().map(|cap| cap + 1.0 / asked.days).sum();
    // Random times begin in the order of the budget and are then parted, so that they need some room.
    let room = if asked.style == Style::Random { 4.0 * most } else { most };
    let request = &WeeksRequest { budget: asked.budget.min(room), ..asked.clone() };
    let horizon = horizon(pages, &all, request.start);
    let terms = Terms {
        pages: &horizon,
        all: &all,
        room: Room {
            days: request.days,
            budget: request.budget,
            hosts: &all.hosts,
            caps: &all.caps,
            aim: request.aim,
        },
        delays: &delays,
    };
    let times = if request.style == Style::Random { Times::Random } else { Times::Equal };
    let budgets = BUDGETS.map(|part| part * asked.budget);
    let own = BUDGETS.iter().position(|part| *part == 1.0).unwrap_or(0);
    let (mut held, mut steadies) = if request.style == Style::Sessions {
        let reached = budgets.map(|budget| budget.min(most));
        let (held, mut steadies) = Held::plan(pages, &all, request, &lanes, (&reached, own));
        let beyond = steadies.iter_mut().zip(budgets).filter(|(_, budget)| *budget > most);
        beyond.for_each(|(steady, _)| steady.price = 0.0);
        never_falling(&mut steadies);
        (Some(held), steadies)
    } else {
        (None, jobs(threads(), budgets.len(), |place| allocate(&all, budgets[place], request.aim, times)))
    };
    let bought = |(budget, own): (&f64, &Allocation)| Bought {
        budget: *budget,
        value: own.value,
        bound: own.bound,
        price: own.price,
        dropped: own.dropped,
    };
    let curve: Vec<Bought> = budgets.iter().zip(&steadies).map(bought).collect();
    let steady = steadies.swap_remove(own);
    let mut laid = lay(terms, request, &steady, held.as_mut());
    let binds = request.budget > BINDING * all.caps.iter().sum::<f64>();
    if request.style == Style::Sessions && binds && pages.len() <= MAX_PAGES_TRIED_AGAIN {
        // Where hosts bind, the sessions that a smaller budget has may fit together better, and fit this budget as well.
        for share in SMALLER {
            let smaller = WeeksRequest { budget: share * request.budget, ..request.clone() };
            let (mut other, _) = Held::plan(pages, &all, &smaller, &lanes, (&[smaller.budget], 0));
            let room = Room { budget: smaller.budget, ..terms.room };
            let tried = lay(Terms { room, ..terms }, &smaller, &steady, Some(&mut other));
            if tried.value > laid.value {
                (laid, held) = (tried, Some(other));
            }
        }
    }
    let Laid { dates: Dates { at, periods, missed, moved, .. }, value, bound, steady: kept_up, current } =
        laid;
    let mut load = vec![0u32; request.days.ceil() as usize];
    let last = load.len().saturating_sub(1);
    at.iter().flatten().for_each(|at| load[(day_of(*at) as usize).min(last)] += 1);
    let is_never =
        |page: usize| at[page].is_empty() && (all.rates[page] > 0.0 || horizon[page].age.is_infinite());
    let dropped = (0..pages.len()).filter(|&page| is_never(page)).count();
    let is_counted = |page: &usize| dates::is_counted(horizon[*page], !at[*page].is_empty(), request.aim);
    let counted: f64 = (0..pages.len()).filter(is_counted).map(|page| all.weights[page]).sum();
    let is_waiting = |page: &usize| {
        let Horizon { rate, weight, age } = horizon[*page];
        at[*page].is_empty() && weight > 0.0 && age.is_finite() && rate > 0.0 && rate.is_finite()
    };
    let new = horizon.iter().filter(|page| page.weight > 0.0 && page.age.is_infinite()).count();
    let left_out = LeftOut {
        missed,
        is_short: new as f64 > asked.budget * asked.days,
        waiting: (0..pages.len()).filter(is_waiting).count(),
        moved: if request.style == Style::Periods { moved } else { 0 },
        endless: all.rates.iter().filter(|rate| rate.is_infinite()).count(),
    };
    let mut notes = notes_on(request, left_out);
    notes.extend(held.as_ref().map(Held::note));
    notes.extend(budget_note(&load, asked));
    notes.extend(held.as_ref().and_then(|held| held.left_note(&at, terms.room.downloads())));
    notes.extend(held.as_ref().and_then(|_| late_note(&load)));
    let period_days = |page: usize| periods.as_ref().and_then(|periods| periods[page]).map(days);
    let mut frequencies = steady.frequencies;
    if request.style == Style::Periods {
        // What was moved is fetched as often as it is in these days, and what is fetched once no more.
        let moved = |page: usize| if at[page].len() > 1 { at[page].len() as f64 / request.days } else { 0.0 };
        let per_day = |page: usize| period_days(page).map_or_else(|| moved(page), |days| 1.0 / days as f64);
        frequencies.iter_mut().enumerate().for_each(|(page, own)| *own = per_day(page));
    }
    if let Some(held) = &held {
        // Of pages whose subsite is not held within these days, as often as they are fetched in them.
        let own = |page: usize| match held.frequency(page) {
            0.0 => at[page].len() as f64 / request.days,
            own => own,
        };
        frequencies.iter_mut().enumerate().for_each(|(page, frequency)| *frequency = own(page));
    }
    let (sessions, mut between) = held.map_or_else(Default::default, Held::into_parts);
    let mut session = vec![None; pages.len()];
    for (number, held) in (0..).zip(&sessions) {
        for (slot, &page) in held.pages.iter().enumerate() {
            session[page as usize] = Some(number);
            let looks = if slot == 0 && request.middle_once { 1.0 } else { 2.0 };
            frequencies[page as usize] =
                held.period_days.map_or(looks / request.days, |period| looks / period);
        }
    }
    notes.extend(capped_note(&all, &frequencies, &lanes));
    let planned = pages.iter().zip(at).zip(frequencies).zip(session).enumerate();
    let planned = planned.map(|(number, (((page, at_days), per_day), session))| PlannedWeeks {
        url: page.url.clone(),
        lane: page.lane.clone(),
        rate_per_day: Some(page.rate * SECONDS_A_DAY).filter(|rate| rate.is_finite()),
        weight: page.weight,
        per_day,
        period_days: period_days(number),
        session,
        at_days,
        between_days: between.remove(&(number as u32)).unwrap_or_default(),
    });
    let mut made = WeeksPlan {
        schema: SCHEMA,
        aim: match (request.style, request.aim) {
            (Style::Sessions, _) => PlanAim::Sessions,
            (_, Aim::Freshness) => PlanAim::Freshness,
            (_, Aim::Blur) => PlanAim::Blur,
            (_, Aim::Versions) => PlanAim::Versions,
        },
        times: match request.style {
            Style::Whole => "whole",
            Style::Periods => "periods",
            Style::Random => "random",
            Style::Sessions => "sessions",
        },
        days: request.days,
        budget: asked.budget,
        summary: String::new(),
        value,
        bound,
        steady: kept_up,
        current,
        weight: counted,
        curve,
        load,
        dropped,
        sessions,
        pages: planned.collect(),
        notes,
    };
    made.summary = summary(&made);
    Ok(made)
}

/// Lays the downloads into the horizon, and values their dates.
fn lay(terms: Terms<'_>, request: &WeeksRequest, steady: &Allocation, held: Option<&mut Held<'_>>) -> Laid {
    let sign = if request.aim == Aim::Blur { -1.0 } else { 1.0 };
    let allowed = terms.room.downloads();
    let mut kept_up = Worth { value: steady.value, bound: Some(steady.bound) };
    let bound_of = |dates: &Dates| {
        let downloads: usize = dates.at.iter().map(Vec::len).sum();
        exact(terms, allowed.max(downloads as u64), false).1
    };
    // Equal but for rounding where nothing had to move. Plans that leave out other pages than the one of the bound are not compared with it.
    let most = |value: f64, bound: Option<f64>| bound.map_or(value, |bound| value.min(bound));
    let comparable = |dates: &Dates, bound: Option<f64>| {
        let is_comparable = |bound: &f64| {
            (request.aim != Aim::Blur || dates.missed == 0)
                && dates.value <= bound + 1e-9 * bound.abs().max(1.0)
        };
        bound.filter(is_comparable)
    };
    let (dates, bound) = match request.style {
        Style::Whole => {
            let (counts, bound) = exact(terms, allowed, true);
            (terms.best(&counts), bound)
        }
        Style::Periods => {
            let (dates, for_ever) = terms.periods(&SHARES);
            kept_up.value = for_ever;
            let bound = bound_of(&dates);
            (dates, bound)
        }
        Style::Random => {
            let dates = random::plan(terms, request, steady);
            let bound = bound_of(&dates);
            (dates, bound)
        }
        Style::Sessions => {
            let Some(held) = held else { return Laid::empty(kept_up) };
            let (at, value) = held.lay(terms);
            let fresh = dates::value(terms.pages, request.days, &at, Aim::Freshness);
            let dates = Dates { missed: dates::missed(terms.pages, &at), at, value, ..Dates::none() };
            let bound = bound_of(&dates);
            let current = Some(Worth { value: most(fresh, bound), bound });
            return Laid { dates, value, bound: None, steady: kept_up, current };
        }
    };
    let bound = comparable(&dates, bound);
    let value = sign * most(dates.value, bound);
    Laid { value, bound: bound.map(|bound| sign * bound), dates, steady: kept_up, current: None }
}

impl Laid {
    fn empty(steady: Worth) -> Self {
        Laid { dates: Dates::none(), value: 0.0, bound: None, steady, current: None }
    }
}

/// The pages with the age of their last capture.
fn horizon(pages: &[Page], all: &Pages, start: Option<Instant>) -> Vec<Horizon> {
    let age = |page: &Page| match (page.looks, start) {
        (Some((_, last)), Some(start)) => {
            ((start.0.saturating_sub(last.0)) as f64 / SECOND as f64 / SECONDS_A_DAY).max(0.0)
        }
        (Some(_), None) => 0.0,
        (None, _) => f64::INFINITY,
    };
    let one = |(page, &rate): (&Page, &f64)| Horizon { rate, weight: page.weight, age: age(page) };
    pages.iter().zip(&all.rates).map(one).collect()
}

/// Fetches pages once, from the start on, as many a day as the budget has, unless their own times come first.
pub(super) fn fetch_once(at: &mut [Vec<f64>], pages: &[u32], request: &WeeksRequest) {
    for (place, &page) in pages.iter().enumerate() {
        let day = place as f64 / request.budget;
        let own = &mut at[page as usize];
        if day < request.days && own.first().is_none_or(|first| *first > day) {
            own.insert(0, day);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::timetable::as_schedule;
    use super::*;

    fn request(style: Style, aim: Aim) -> WeeksRequest {
        WeeksRequest {
            days: 14.0,
            budget: 10.0,
            aim,
            style,
            delay: 60.0,
            lane_delays: Default::default(),
            start: None,
            seed: 1,
            alone: 0.5,
            middle_once: false,
        }
    }

    fn pages() -> Vec<Page> {
        (0..40)
            .map(|i| Page {
                lane: ["a", "b"][i % 2].into(),
                ..Page::new(&format!("http://a.example/{i}"), 1.0 / (1.0 + i as f64) / SECONDS_A_DAY)
            })
            .collect()
    }

    #[test]
    fn every_style_keeps_the_budget_the_horizon_and_the_pause_of_a_host() {
        for style in [Style::Whole, Style::Periods, Style::Random, Style::Sessions] {
            let request = request(style, Aim::Freshness);
            let made = plan(&pages(), &request).unwrap();
            let total: u32 = made.load.iter().sum();
            assert!(total > 60 && total <= 140, "{style:?} {total}");
            // Days may be busier than their share at random times and in sessions, and never untold.
            let is_busy = made.load.iter().any(|day| f64::from(*day) > request.budget);
            assert_eq!(
                made.notes.iter().any(|note| note.contains("not hold for every day")),
                is_busy,
                "{style:?}"
            );
            assert!(!is_busy || matches!(style, Style::Random | Style::Sessions), "{:?}", made.load);
            assert!(made.bound.is_none_or(|bound| made.value <= bound));
            assert!(made.pages.iter().flat_map(|page| &page.at_days).all(|day| (0.0..=14.0).contains(day)));
            assert!(made.curve.windows(2).all(|pair| pair[0].value <= pair[1].value + 1e-9));
            for bought in &made.curve {
                assert!(bought.value <= bought.bound * (1.0 + 1e-9));
            }
            let schedule = as_schedule(&made, &request);
            assert_eq!(schedule.sites.len(), 2);
            for site in &schedule.sites {
                assert!(
                    site.slots.held().windows(2).all(|pair| pair[1].seconds - pair[0].seconds >= 60.0 - 1e-6)
                );
            }
            assert_eq!(schedule.sites.iter().map(|site| site.slots.len()).sum::<usize>(), total as usize);
        }
    }

    #[test]
    fn aims_disagree_about_hot_pages() {
        let downloads = |aim| -> Vec<usize> {
            plan(&pages(), &request(Style::Whole, aim))
                .unwrap()
                .pages
                .iter()
                .map(|page| page.at_days.len())
                .collect()
        };
        let (fresh, versions) = (downloads(Aim::Freshness), downloads(Aim::Versions));
        assert!(versions[0] > fresh[0], "{versions:?} {fresh:?}");
        assert!(downloads(Aim::Blur).iter().all(|count| *count > 0));
    }

    #[test]
    fn a_slow_host_is_capped_and_nonsense_is_refused() {
        let mut slow = request(Style::Whole, Aim::Freshness);
        slow.lane_delays.insert("a".into(), 43_200.0);
        let made = plan(&pages(), &slow).unwrap();
        let of_a: usize =
            made.pages.iter().filter(|page| &*page.lane == "a").map(|page| page.at_days.len()).sum();
        assert!(of_a <= 28, "{of_a}");
        assert!(plan(&pages(), &WeeksRequest { days: -1.0, ..slow.clone() }).is_err());
        assert!(plan(&pages(), &WeeksRequest { budget: f64::NAN, ..slow.clone() }).is_err());
        assert!(plan(&pages(), &request(Style::Periods, Aim::Blur)).is_err());
        assert!(plan(&[], &slow).unwrap().pages.is_empty());
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod value_tests;
