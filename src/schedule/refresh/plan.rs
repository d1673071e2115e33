//! From pages and a budget to the downloads of weeks.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};

use super::allocation::{Aim, Pages, Times, allocate};
use super::calendar::{days, first_days, periods};
use super::held::Held;
use super::level::{level, worth};
use super::model::{Bought, PlannedSession, PlannedWeeks, SCHEMA, WeeksPlan};
use super::plan_words::{Worth, aim_name, aim_note, busiest_note, capped_note, summary};
use super::whole::{Horizon, best, instants};
use crate::error::{Error, Result};
use crate::schedule::model::{DelaySource, Kind, Schedule, SiteSchedule, Slot};
use crate::schedule::page::Page;
use crate::schedule::parallel::{jobs, threads};
use crate::time::{Instant, SECOND};

const SECONDS_A_DAY: f64 = 86_400.0;

/// The budgets of the curve, as multiples of the one that was asked for.
const BUDGETS: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

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
}

pub(crate) fn plan(pages: &[Page], request: &WeeksRequest) -> Result<WeeksPlan> {
    if !(request.days > 0.0
        && request.days <= 36_525.0
        && request.budget >= 0.0
        && request.budget.is_finite())
    {
        return Err(Error::usage(
            "a plan has a length of up to 100 years and a budget of downloads, zero or more",
        ));
    }
    if matches!(request.style, Style::Periods | Style::Sessions) && request.aim != Aim::Freshness {
        return Err(Error::usage("periods and sessions are planned for freshness only")
            .with_remedy("leave out --aim, or --periods and --sessions"));
    }
    if !(0.0..=1.0).contains(&request.alone) {
        return Err(Error::usage("the share of a page's worth that needs a session is a number from 0 to 1"));
    }
    let lanes: BTreeMap<&Arc<str>, u32> = {
        let mut lanes: BTreeMap<&Arc<str>, u32> = pages.iter().map(|page| (&page.lane, 0)).collect();
        lanes.values_mut().enumerate().for_each(|(place, number)| *number = place as u32);
        lanes
    };
    let delay = |lane: &Arc<str>| request.lane_delays.get(lane).copied().unwrap_or(request.delay);
    let cap = |lane: &Arc<str>| match delay(lane) {
        seconds if seconds > 0.0 => SECONDS_A_DAY / seconds,
        _ => f64::INFINITY,
    };
    let all = Pages {
        rates: pages.iter().map(|page| page.rate * SECONDS_A_DAY).collect(),
        weights: pages.iter().map(|page| page.weight).collect(),
        hosts: pages.iter().map(|page| lanes[&page.lane]).collect(),
        caps: lanes.keys().map(|lane| cap(lane)).collect(),
    };
    let times = if request.style == Style::Random { Times::Random } else { Times::Equal };
    let steady = allocate(&all, request.budget, request.aim, times);
    let held = (request.style == Style::Sessions).then(|| Held::plan(pages, &all, request, &lanes));
    let curve: Vec<Bought> = jobs(threads(), BUDGETS.len(), |place| {
        let budget = BUDGETS[place] * request.budget;
        let own =
            if BUDGETS[place] == 1.0 { steady.clone() } else { allocate(&all, budget, request.aim, times) };
        Bought { budget, value: own.value, bound: own.bound, price: own.price, dropped: own.dropped }
    });
    let mut notes = vec![aim_note(request.aim).to_owned()];
    notes.extend(held.as_ref().map(Held::note));
    notes.extend(capped_note(&all, &steady.frequencies, &lanes));
    let mut bound = held.as_ref().map(|held| held.found.bound);
    let (at, period_days, value) = match request.style {
        Style::Whole => {
            notes.push(
                "Pages need not stay current after the last day, so the value is above that of a plan kept up for ever."
                    .to_owned(),
            );
            let whole = whole(pages, &all, request);
            bound = Some(whole.bound);
            (whole.at, vec![None; pages.len()], whole.value)
        }
        Style::Periods => {
            let (exponents, value) = periods(&all, request.budget);
            let (first, _) = first_days(&exponents);
            let at = exponents.iter().zip(&first).map(|(exponent, first)| match exponent {
                None => Vec::new(),
                Some(exponent) => (0..)
                    .map(|round: u64| (first + round * days(*exponent)) as f64)
                    .take_while(|day| *day < request.days)
                    .collect(),
            });
            (at.collect(), exponents.iter().map(|exponent| exponent.map(days)).collect(), value)
        }
        Style::Sessions => {
            let frequencies = held.as_ref().map_or(&[][..], |held| &held.found.frequencies);
            let at = frequencies
                .iter()
                .enumerate()
                .map(|(page, frequency)| spread(page, *frequency, request.days));
            let mut at: Vec<Vec<f64>> = at.collect();
            held.iter().for_each(|held| held.enter(&mut at));
            (at, vec![None; pages.len()], held.as_ref().map_or(0.0, |held| held.found.value))
        }
        Style::Random => {
            let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(request.seed);
            let at = steady.frequencies.iter().map(|&frequency| drawn(frequency, request.days, &mut random));
            (at.collect::<Vec<Vec<f64>>>(), vec![None; pages.len()], steady.value)
        }
    };
    let mut load = vec![0u32; request.days.ceil() as usize];
    for day in at.iter().flatten() {
        let last = load.len() - 1;
        load[(*day as usize).min(last)] += 1;
    }
    notes.extend(busiest_note(&load, request));
    let dropped = (0..pages.len()).filter(|&page| at[page].is_empty() && pages[page].rate > 0.0).count();
    let (mut frequencies, sessions) = match held {
        None => (steady.frequencies, Vec::new()),
        Some(held) => (held.found.frequencies, held.sessions),
    };
    let mut session = vec![None; pages.len()];
    for (number, held) in (0..).zip(&sessions) {
        for (slot, &page) in held.pages.iter().enumerate() {
            session[page as usize] = Some(number);
            frequencies[page as usize] = if slot == 0 { 1.0 } else { 2.0 } / held.period_days;
        }
    }
    let planned = pages.iter().zip(at).zip(period_days).zip(frequencies).zip(session);
    let planned = planned.map(|((((page, at_days), period_days), per_day), session)| PlannedWeeks {
        url: page.url.clone(),
        lane: page.lane.clone(),
        rate_per_day: Some(page.rate * SECONDS_A_DAY).filter(|rate| rate.is_finite()),
        weight: page.weight,
        per_day,
        period_days,
        session,
        at_days,
    });
    let planned: Vec<PlannedWeeks> = planned.collect();
    let weight: f64 = all.weights.iter().sum();
    Ok(WeeksPlan {
        schema: SCHEMA,
        aim: aim_name(request.aim),
        times: match request.style {
            Style::Whole => "whole",
            Style::Periods => "periods",
            Style::Random => "random",
            Style::Sessions => "sessions",
        },
        days: request.days,
        budget: request.budget,
        summary: summary(request, &planned, Worth { value, bound, weight }),
        value,
        bound,
        weight,
        curve,
        load,
        dropped,
        sessions,
        pages: planned,
        notes,
    })
}

/// Downloads at equal intervals; pages begin at different times, so that days are loaded evenly.
fn spread(page: usize, frequency: f64, days: f64) -> Vec<f64> {
    if frequency <= 0.0 {
        return Vec::new();
    }
    let phase = (page as f64 * 0.618_033_988_749_894_9).fract();
    let all = (0..).map(|round: u64| (phase + round as f64) / frequency);
    all.take_while(|day| *day < days).collect()
}

/// Whole downloads, every day within the budget.
struct Whole {
    at: Vec<Vec<f64>>,
    value: f64,
    /// What the same number of downloads is worth if single days have no limit.
    bound: f64,
}

fn whole(pages: &[Page], all: &Pages, request: &WeeksRequest) -> Whole {
    let age = |page: &Page| match (page.looks, request.start) {
        (Some((_, last)), Some(start)) => {
            ((start.0.saturating_sub(last.0)) as f64 / SECOND as f64 / SECONDS_A_DAY).max(0.0)
        }
        (Some(_), None) => 0.0,
        (None, _) => f64::INFINITY,
    };
    let horizon: Vec<Horizon> = pages
        .iter()
        .zip(&all.rates)
        .map(|(page, &rate)| Horizon { rate, weight: page.weight, age: age(page) })
        .collect();
    let caps: Vec<u64> = all.caps.iter().map(|cap| (cap * request.days).min(1e18) as u64).collect();
    let downloads = (request.budget * request.days).min(1e18) as u64;
    let (counts, best) = best(&horizon, request.days, downloads, (&all.hosts, &caps), request.aim);
    let at = horizon.iter().zip(&counts).map(|(page, &m)| instants(*page, request.days, m, request.aim));
    let mut at: Vec<Vec<f64>> = at.collect();
    level(&mut at, &by_worth(&horizon), request.days, request.budget);
    let worths =
        horizon.iter().zip(&at).map(|(page, at)| page.weight * worth(*page, request.days, at, request.aim));
    let value: f64 = worths.sum();
    // Equal but for rounding where nothing had to move.
    let value = value.min(best);
    let sign = if request.aim == Aim::Blur { -1.0 } else { 1.0 };
    Whole { at, value: sign * value, bound: sign * best }
}

/// The pages whose downloads lose most by waiting first: what was never captured by its weight, then weight times rate.
fn by_worth(pages: &[Horizon]) -> Vec<u32> {
    let loss = |page: &Horizon| if page.age.is_finite() { page.weight * page.rate } else { page.weight };
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by(|a, b| {
        let (a, b) = (&pages[*a as usize], &pages[*b as usize]);
        a.age.is_finite().cmp(&b.age.is_finite()).then(loss(b).total_cmp(&loss(a)))
    });
    order
}

/// A Poisson process of this frequency.
fn drawn(frequency: f64, days: f64, random: &mut rand_pcg::Pcg64Mcg) -> Vec<f64> {
    let mut at = Vec::new();
    if frequency <= 0.0 {
        return at;
    }
    let mut now = 0.0;
    loop {
        now -= (1.0 - random.random::<f64>()).ln() / frequency;
        if now >= days {
            return at;
        }
        at.push(now);
    }
}

/// What is due at a time.
enum Due<'a> {
    Page(&'a PlannedWeeks),
    Session(&'a PlannedSession),
}

impl<'a> Due<'a> {
    /// The downloads in order, with the slots between visit and revisit; those of a session Δ apart.
    fn downloads(&self, plan: &'a WeeksPlan) -> Vec<(&'a PlannedWeeks, Kind, Option<u64>)> {
        match self {
            Due::Page(page) => vec![(page, Kind::Visit, None)],
            Due::Session(session) => {
                let page = |slot: usize, kind| {
                    (&plan.pages[session.pages[slot] as usize], kind, Some(2 * slot as u64))
                };
                let visits = (0..session.pages.len()).rev().map(|slot| page(slot, Kind::Visit));
                visits.chain((1..session.pages.len()).map(|slot| page(slot, Kind::Revisit))).collect()
            }
        }
    }
}

/// The downloads as a schedule for the exporters: single visits and sessions, each at its time, those of one host at least Δ apart.
pub(crate) fn as_schedule(plan: &WeeksPlan, request: &WeeksRequest) -> Schedule {
    let mut lanes: BTreeMap<&Arc<str>, Vec<(f64, Due<'_>)>> = BTreeMap::new();
    for page in plan.pages.iter().filter(|page| page.session.is_none()) {
        let downloads = page.at_days.iter().map(|day| (day * SECONDS_A_DAY, Due::Page(page)));
        lanes.entry(&page.lane).or_default().extend(downloads);
    }
    for session in &plan.sessions {
        let begins = session.at_days.iter().map(|day| (day * SECONDS_A_DAY, Due::Session(session)));
        lanes.entry(&session.lane).or_default().extend(begins);
    }
    let at = |seconds: f64| request.start.map(|start| start.plus((seconds * SECOND as f64).round() as i64));
    let site = |(lane, mut downloads): (&Arc<str>, Vec<(f64, Due<'_>)>)| {
        downloads.sort_by(|a, b| a.0.total_cmp(&b.0));
        let delay = request.lane_delays.get(lane).copied().unwrap_or(request.delay);
        let mut free = 0.0;
        let mut slots: Vec<Slot> = Vec::with_capacity(downloads.len());
        for (due, what) in downloads {
            // A session is not interrupted; what falls into it waits for its end.
            for (page, kind, interval) in what.downloads(plan) {
                let seconds = f64::max(due, free);
                free = seconds + delay;
                let interval = interval.map(|slots| slots as f64 * delay);
                let rate = page.rate_per_day.map(|rate| rate / SECONDS_A_DAY);
                let survival = interval.map(|interval| {
                    if interval == 0.0 { 1.0 } else { rate.map_or(0.0, |rate| (-rate * interval).exp()) }
                });
                slots.push(Slot {
                    url: page.url.clone(),
                    kind,
                    slot: slots.len() as u64,
                    at: at(seconds),
                    seconds,
                    lane: lane.clone(),
                    interval_seconds: interval,
                    survival,
                    hopeful: None,
                    weight: page.weight,
                    rate_per_day: page.rate_per_day,
                });
            }
        }
        SiteSchedule {
            site: lane.clone(),
            group: None,
            group_by: None,
            strategy: "plan".to_owned(),
            delay_seconds: delay,
            delay_source: DelaySource::Given,
            start: at(0.0),
            reference: None,
            reference_seconds: 0.0,
            pages: slots.len(),
            left_out: 0,
            unknown_rates: 0,
            never_captured: 0,
            expected_coherence: None,
            weight: plan.weight,
            expected_blur: None,
            hopeless: None,
            upper_bound: None,
            gap: None,
            length_seconds: slots.last().map_or(0.0, |slot| slot.seconds),
            slots,
        }
    };
    Schedule {
        schema: crate::schedule::model::SCHEMA.to_owned(),
        sites: lanes.into_iter().map(site).collect(),
        strategies: Vec::new(),
        notes: plan.notes.clone(),
    }
}

#[cfg(test)]
mod tests {
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
            // Random and steady times keep the budget on average.
            let limit = match style {
                Style::Random => 140 + 60,
                Style::Sessions => 140 + 20,
                _ => 140,
            };
            assert!(total > 60 && total <= limit, "{style:?} {total}");
            // Days may be busier than their share at random times and in sessions, and never untold.
            let is_busy = made.load.iter().any(|day| f64::from(*day) > request.budget);
            assert_eq!(
                made.notes.iter().any(|note| note.contains("not for every day")),
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
                assert!(site.slots.windows(2).all(|pair| pair[1].seconds - pair[0].seconds >= 60.0 - 1e-6));
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
