//! From pages and a budget to the downloads of weeks.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};

use super::allocation::{Aim, Pages, Times, allocate};
use super::calendar::{days, first_days, periods};
use super::model::{Bought, PlannedWeeks, SCHEMA, WeeksPlan};
use super::whole::{Horizon, best, instants};
use crate::error::{Error, Result};
use crate::schedule::model::{DelaySource, Kind, Schedule, SiteSchedule, Slot};
use crate::schedule::page::Page;
use crate::time::{Instant, SECOND};

const SECONDS_A_DAY: f64 = 86_400.0;

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
}

/// Plans the weeks.
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
    if request.style == Style::Periods && request.aim != Aim::Freshness {
        return Err(Error::usage("periods of 1, 2, 4, … days are planned for freshness only")
            .with_remedy("leave out --periods or --aim"));
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
    let curve = [0.5, 1.0, 2.0, 4.0].map(|share| {
        let budget = share * request.budget;
        let own = if share == 1.0 { steady.clone() } else { allocate(&all, budget, request.aim, times) };
        Bought { budget, value: own.value, bound: own.bound, price: own.price, dropped: own.dropped }
    });
    let mut notes = vec![dropped_note(request.aim, steady.dropped)];
    let (at, period_days, value) = match request.style {
        Style::Whole => {
            notes.push(
                "The end of the horizon is not maintained, so the value lies above that of a steady state."
                    .to_owned(),
            );
            whole(pages, &all, request)
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
    let dropped = (0..pages.len()).filter(|&page| at[page].is_empty() && pages[page].rate > 0.0).count();
    let planned = pages.iter().zip(at).zip(period_days).zip(&steady.frequencies);
    let planned = planned.map(|(((page, at_days), period_days), per_day)| PlannedWeeks {
        url: page.url.clone(),
        lane: page.lane.clone(),
        rate_per_day: Some(page.rate * SECONDS_A_DAY).filter(|rate| rate.is_finite()),
        weight: page.weight,
        per_day: *per_day,
        period_days,
        at_days,
    });
    Ok(WeeksPlan {
        schema: SCHEMA,
        aim: aim_name(request.aim),
        times: match request.style {
            Style::Whole => "whole",
            Style::Periods => "periods",
            Style::Random => "random",
        },
        days: request.days,
        budget: request.budget,
        value,
        weight: all.weights.iter().sum(),
        curve: curve.to_vec(),
        load,
        dropped,
        pages: planned.collect(),
        notes,
    })
}

fn aim_name(aim: Aim) -> &'static str {
    match aim {
        Aim::Freshness => "freshness",
        Aim::Blur => "blur",
        Aim::Versions => "versions",
    }
}

/// The aims disagree about pages that change often: which was chosen, and what it drops.
fn dropped_note(aim: Aim, dropped: usize) -> String {
    match aim {
        Aim::Freshness => format!(
            "Freshness and completeness drop pages that change too often for their weight: {dropped} here."
        ),
        Aim::Blur => "Blur drops no page.".to_owned(),
        Aim::Versions => {
            format!("The number of versions favours pages that change often; {dropped} pages are dropped.")
        }
    }
}

type Downloads = (Vec<Vec<f64>>, Vec<Option<u64>>, f64);

fn whole(pages: &[Page], all: &Pages, request: &WeeksRequest) -> Downloads {
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
    let (counts, value) = best(&horizon, request.days, downloads, (&all.hosts, &caps), request.aim);
    let at = horizon.iter().zip(&counts).map(|(page, &m)| instants(*page, request.days, m, request.aim));
    let value = if request.aim == Aim::Blur { -value / request.days } else { value };
    (at.collect(), vec![None; pages.len()], value)
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

/// The downloads as a schedule of single visits, for the exporters: each at its time, those of one host at least Δ apart.
pub(crate) fn as_schedule(plan: &WeeksPlan, request: &WeeksRequest) -> Schedule {
    let mut lanes: BTreeMap<&Arc<str>, Vec<(f64, &PlannedWeeks)>> = BTreeMap::new();
    for page in &plan.pages {
        let downloads = page.at_days.iter().map(|day| (day * SECONDS_A_DAY, page));
        lanes.entry(&page.lane).or_default().extend(downloads);
    }
    let at = |seconds: f64| request.start.map(|start| start.plus((seconds * SECOND as f64).round() as i64));
    let site = |(lane, mut downloads): (&Arc<str>, Vec<(f64, &PlannedWeeks)>)| {
        downloads.sort_by(|a, b| a.0.total_cmp(&b.0));
        let delay = request.lane_delays.get(lane).copied().unwrap_or(request.delay);
        let mut free = 0.0;
        let mut slots = Vec::with_capacity(downloads.len());
        for (number, (due, page)) in downloads.into_iter().enumerate() {
            let seconds = f64::max(due, free);
            free = seconds + delay;
            slots.push(Slot {
                url: page.url.clone(),
                kind: Kind::Visit,
                slot: number as u64,
                at: at(seconds),
                seconds,
                lane: lane.clone(),
                interval_seconds: None,
                survival: None,
                hopeful: None,
                weight: page.weight,
                rate_per_day: page.rate_per_day,
            });
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
        for style in [Style::Whole, Style::Periods, Style::Random] {
            let request = request(style, Aim::Freshness);
            let made = plan(&pages(), &request).unwrap();
            let total: u32 = made.load.iter().sum();
            let limit = if style == Style::Random { 140 + 60 } else { 140 };
            assert!(total > 60 && total <= limit, "{style:?} {total}");
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
