//! Tests of whole plans: what is printed is what the dates are worth, and no other plan under the same budget is ahead.

use super::super::timetable::as_schedule;
use super::*;
use crate::schedule::export::{Format, export};
use crate::schedule::subsite::{Group, GroupBy};

fn request(style: Style, aim: Aim) -> WeeksRequest {
    WeeksRequest {
        days: 84.0,
        budget: 20.0,
        aim,
        style,
        delay: 1.0,
        lane_delays: Default::default(),
        start: None,
        seed: 1,
        alone: 0.5,
        middle_once: false,
    }
}

fn page(number: usize, rate: f64, weight: f64) -> Page {
    Page { weight, ..Page::new(&format!("http://a.example/{number}"), rate / SECONDS_A_DAY) }
}

fn pages(rates: impl IntoIterator<Item = f64>) -> Vec<Page> {
    rates.into_iter().enumerate().map(|(number, rate)| page(number, rate, 1.0)).collect()
}

fn five() -> Vec<Page> {
    pages([1.0, 2.0, 3.0, 4.0, 5.0])
}

/// Rates of a thousand pages, with equal weights and with such that fall with the rank.
fn thousands() -> Vec<Vec<Page>> {
    let mut skewed = vec![1.0];
    (0..999).for_each(|i| skewed.push(skewed[i] / if i % 9 < 3 { 1.06 } else { 1.001 }));
    let smooth: Vec<f64> = (1..=1000).map(|i| (1.0f64 / 0.7).ln() / f64::from(i)).collect();
    let harmonic: f64 = (1..=1000).map(|rank| 1.0 / f64::from(rank)).sum();
    let heat = |rank: usize| 1000.0 / (harmonic * (rank + 1) as f64);
    [skewed, smooth]
        .into_iter()
        .flat_map(|rates| {
            let weighed = rates.iter().enumerate().map(|(rank, rate)| page(rank, *rate, heat(rank)));
            [weighed.collect(), pages(rates)]
        })
        .collect()
}

/// Chance that the last capture is current, averaged over small steps; of pages never captured before.
fn measured(plan: &WeeksPlan) -> f64 {
    const STEPS: u32 = 20_000;
    let mut total = 0.0;
    for page in &plan.pages {
        let rate = page.rate_per_day.unwrap_or(f64::INFINITY);
        let (mut next, mut last, mut sum) = (0, None, 0.0);
        for step in 0..STEPS {
            let now = (f64::from(step) + 0.5) * plan.days / f64::from(STEPS);
            while page.at_days.get(next).is_some_and(|at| *at <= now) {
                last = Some(page.at_days[next]);
                next += 1;
            }
            sum += last.map_or(0.0, |last: f64| (-rate * (now - last)).exp());
        }
        total += page.weight * sum / f64::from(STEPS);
    }
    total
}

#[test]
fn the_value_printed_is_that_of_the_dates_whatever_made_them() {
    for style in [Style::Whole, Style::Periods, Style::Random] {
        let own = WeeksRequest { days: 28.0, budget: 3.0, ..request(style, Aim::Freshness) };
        let made = plan(&five(), &own).unwrap();
        assert!((made.value - measured(&made)).abs() < 2e-3 * made.value, "{style:?} {}", made.value);
        assert!(made.value <= made.bound.unwrap(), "{style:?}");
    }
    // 28 downloads of a hundred pages that were never captured cannot keep more than 28 of them current.
    let cold = pages([0.001; 100]);
    for style in [Style::Whole, Style::Periods, Style::Random] {
        let own = WeeksRequest { days: 28.0, budget: 1.0, ..request(style, Aim::Freshness) };
        let made = plan(&cold, &own).unwrap();
        assert!(made.value < 28.0, "{style:?} {}", made.summary);
        // What it would be worth in the long run is another figure, and named so.
        assert!(style == Style::Random || made.steady.value > 90.0);
    }
}

/// Day by day, the pages whose download gains most up to the end: written apart from what is tested.
fn greedy(pages: &[Page], days: usize, budget: usize) -> f64 {
    let rate = |page: &Page| page.rate * SECONDS_A_DAY;
    let quiet = |rate: f64, t: f64| -(-rate * t).exp_m1() / rate;
    let mut last: Vec<Option<usize>> = vec![None; pages.len()];
    let mut value = 0.0;
    for day in 0..days {
        let mut gains: Vec<(f64, usize)> = pages
            .iter()
            .enumerate()
            .map(|(number, page)| {
                let old = last[number].map_or(0.0, |last| (-rate(page) * (day - last) as f64).exp());
                (page.weight * (1.0 - old) * quiet(rate(page), (days - day) as f64), number)
            })
            .collect();
        gains.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (gain, number) in gains.into_iter().take(budget) {
            last[number] = Some(day);
            value += gain;
        }
    }
    value / days as f64
}

#[test]
fn no_plan_under_the_same_budget_is_ahead_of_the_one_given() {
    let mut sites = thousands();
    sites.push(five());
    for site in sites {
        let budget = if site.len() == 5 { 5.0 } else { 20.0 };
        let of = |style| {
            let own = WeeksRequest { budget, ..request(style, Aim::Freshness) };
            plan(&site, &own).unwrap()
        };
        let (given, periods) = (of(Style::Whole), of(Style::Periods));
        assert!(given.value >= periods.value - 1e-9, "{} {}", given.value, periods.value);
        // Downloads of a host are a second apart, which the other plan does not keep.
        let rival = greedy(&site, 84, budget as usize);
        assert!(given.value >= rival * (1.0 - 1e-5), "{} {rival}", given.value);
        assert!(given.value <= given.bound.unwrap());
        assert!(given.load.iter().all(|day| f64::from(*day) <= budget), "{:?}", given.load);
    }
}

#[test]
fn blur_fetches_every_page_or_says_how_many_it_does_not() {
    for site in thousands() {
        let made = plan(&site, &request(Style::Whole, Aim::Blur)).unwrap();
        assert!(made.pages.iter().all(|page| !page.at_days.is_empty()));
        assert_eq!(made.dropped, 0);
        // Twice the load of one download each at least: close to the exact optimum of all of them.
        assert!(
            made.value >= made.bound.unwrap() && made.value < 1.2 * made.bound.unwrap(),
            "{}",
            made.summary
        );
    }
    // One download for two pages: in the middle of the week, and the other page is not counted.
    let two = pages([0.001, 1.0]);
    let week = WeeksRequest { days: 7.0, budget: 1.0 / 7.0, ..request(Style::Whole, Aim::Blur) };
    let made = plan(&two, &week).unwrap();
    assert_eq!((made.dropped, made.weight, made.bound), (1, 1.0, None));
    assert!((made.pages[0].at_days[0] - 3.5).abs() < 0.01, "{:?}", made.pages);
    assert!((made.value - 0.001 * 7.0 / 4.0).abs() < 1e-6);
    assert!(made.notes.iter().any(|note| note.contains("1 page never captured so far is not fetched")));
    assert!(!made.notes.iter().any(|note| note.contains("drops no page")), "{:?}", made.notes);
    // What always changes is fetched once and not counted.
    let endless = pages([f64::INFINITY, 1.0]);
    let made = plan(&endless, &WeeksRequest { days: 7.0, budget: 1.0, ..week }).unwrap();
    assert_eq!((made.pages[0].at_days.len(), made.pages[1].at_days.len(), made.weight), (1, 6, 1.0));
    assert!(made.value > 0.0 && made.notes.iter().any(|note| note.starts_with("Always changing")));
}

#[test]
fn versions_at_random_times_are_those_of_all_days() {
    let own = WeeksRequest { budget: 5.0, ..request(Style::Random, Aim::Versions) };
    let made = plan(&five(), &own).unwrap();
    // 3.75 a day in the steady state.
    assert!((made.steady.value - 3.75).abs() < 1e-6, "{:?}", made.steady);
    assert!((250.0..380.0).contains(&made.value), "{}", made.summary);
    assert!(made.value <= made.bound.unwrap());
}

#[test]
fn nothing_is_fetched_after_the_last_day() {
    for (style, aim) in [
        (Style::Whole, Aim::Versions),
        (Style::Whole, Aim::Blur),
        (Style::Random, Aim::Versions),
        (Style::Periods, Aim::Freshness),
        (Style::Sessions, Aim::Freshness),
    ] {
        let own = WeeksRequest { days: 10.5, budget: 3.0, delay: 600.0, ..request(style, aim) };
        let made = plan(&five(), &own).unwrap();
        let schedule = as_schedule(&made, &own);
        let slots = || schedule.sites.iter().flat_map(|site| &site.slots);
        assert!(slots().all(|slot| slot.seconds < 10.5 * SECONDS_A_DAY), "{style:?} {aim:?}");
        assert_eq!(slots().count() as u32, made.load.iter().sum::<u32>());
        // The dates that are valued are those that are exported.
        let mut dates: Vec<f64> = made.pages.iter().flat_map(|page| page.at_days.clone()).collect();
        let mut exported: Vec<f64> = slots().map(|slot| slot.seconds / SECONDS_A_DAY).collect();
        dates.sort_by(f64::total_cmp);
        exported.sort_by(f64::total_cmp);
        assert!(dates.iter().zip(&exported).all(|(a, b)| (a - b).abs() < 1e-9), "{style:?} {aim:?}");
        assert!(made.summary.contains("in 10.5 days"), "{}", made.summary);
    }
}

#[test]
fn sessions_name_their_aim_and_bound_and_curve_belong_to_it() {
    let subsite = |number: usize, rate: f64, weight: f64| Page {
        group: Some(Group { name: ["g1", "g2"][number / 3].into(), by: GroupBy::Table }),
        ..page(number, rate, weight)
    };
    let site: Vec<Page> = [(0.5, 3.0), (0.2, 2.0), (0.05, 1.0), (1.0, 2.0), (0.3, 2.0), (0.02, 2.0)]
        .into_iter()
        .enumerate()
        .map(|(number, (rate, weight))| subsite(number, rate, weight))
        .collect();
    let own = WeeksRequest {
        budget: 3.0,
        delay: 864.0,
        middle_once: true,
        ..request(Style::Sessions, Aim::Freshness)
    };
    let made = plan(&site, &own).unwrap();
    assert_eq!(made.aim, PlanAim::Sessions);
    assert!((made.steady.value - 7.568002086).abs() < 1e-8, "{:?}", made.steady);
    let own_budget = made.curve.iter().find(|bought| bought.budget == 3.0).unwrap();
    assert_eq!((own_budget.value, Some(own_budget.bound)), (made.steady.value, made.steady.bound));
    assert!(made.curve.windows(2).all(|pair| pair[0].value <= pair[1].value));
    assert!(made.summary.contains("the aim of sessions"), "{}", made.summary);
    // What is kept current is compared with plans for that, of as many downloads.
    let current = made.current.unwrap();
    assert!((current.value - measured(&made)).abs() < 0.01, "{current:?}");
    let plain = plan(&site, &request_of(&own, Style::Whole)).unwrap();
    assert!(current.value < plain.value && plain.value <= current.bound.unwrap() + 1e-9);
    // Over its dates, each half of the aim is no more than what is current.
    assert!(
        made.value <= current.value && made.value > 0.8 * made.steady.value,
        "{} {current:?}",
        made.value
    );
}

fn request_of(request: &WeeksRequest, style: Style) -> WeeksRequest {
    WeeksRequest { style, ..request.clone() }
}

#[test]
fn a_plan_for_nutch_has_every_page_once_with_its_interval() {
    let own = WeeksRequest { days: 14.0, budget: 2.0, ..request(Style::Periods, Aim::Freshness) };
    let made = plan(&pages([0.2, 0.5, 0.01, 0.05]), &own).unwrap();
    assert!(made.pages.iter().any(|page| page.at_days.len() > 1));
    let files = export(&as_schedule(&made, &own), Format::Nutch).unwrap().files;
    let lines: Vec<&str> = files[0].content.lines().collect();
    assert_eq!(lines.len(), made.pages.iter().filter(|page| !page.at_days.is_empty()).count());
    for page in made.pages.iter().filter(|page| page.at_days.len() > 1) {
        let line = lines.iter().find(|line| line.starts_with(&format!("{}\t", page.url))).unwrap();
        let interval: f64 = line.rsplit_once("fetchInterval=").unwrap().1.parse().unwrap();
        let days = interval / SECONDS_A_DAY;
        assert!((days - page.period_days.unwrap() as f64).abs() < 1.1, "{line} {page:?}");
    }
    assert!(lines.iter().all(|line| line.contains("nutch.fetchInterval=")), "{lines:?}");
}

#[test]
fn periods_say_how_often_a_page_is_fetched() {
    let own = WeeksRequest { budget: 5.0, ..request(Style::Periods, Aim::Freshness) };
    let made = plan(&five(), &own).unwrap();
    for page in &made.pages {
        let per_day = page.period_days.map_or(0.0, |days| 1.0 / days as f64);
        assert_eq!(page.per_day, per_day, "{page:?}");
        assert_eq!(page.at_days.is_empty(), per_day == 0.0);
    }
}

#[test]
fn a_slow_host_keeps_its_pace_on_every_day_and_is_named() {
    let mut site = five();
    site.iter_mut().enumerate().for_each(|(number, page)| page.lane = ["h1", "h2"][number / 3].into());
    for style in [Style::Whole, Style::Periods] {
        let own = WeeksRequest { days: 28.0, budget: 5.0, delay: 43_200.0, ..request(style, Aim::Freshness) };
        let made = plan(&site, &own).unwrap();
        let mut load = [[0; 28]; 2];
        for (number, page) in made.pages.iter().enumerate() {
            page.at_days.iter().for_each(|at| load[number / 3][*at as usize] += 1);
        }
        assert!(load.iter().flatten().all(|load| *load <= 2), "{style:?} {load:?}");
        assert!(load.iter().all(|host| host.iter().sum::<u32>() > 40), "{style:?} {load:?}");
        let note = made.notes.iter().find(|note| note.starts_with("The pause between")).unwrap();
        assert!(note.contains("limits h1 and 1 more"), "{note}");
    }
}

/// Day by day and pause by pause, the page whose download gains most up to the end: written apart from what is tested.
fn greedy_by_pause(pages: &[Page], days: usize, budget: usize, a_day: usize) -> f64 {
    let end = days as f64;
    let quiet = |rate: f64, t: f64| if rate == 0.0 { t } else { -(-rate * t).exp_m1() / rate };
    let mut last: Vec<Option<f64>> = vec![None; pages.len()];
    let mut value = 0.0;
    for day in 0..days {
        for slot in 0..a_day.min(budget) {
            let now = day as f64 + slot as f64 / a_day as f64;
            let gain = |page: usize| {
                let rate = pages[page].rate * SECONDS_A_DAY;
                let old = last[page].map_or(0.0, |last| (-rate * (now - last)).exp());
                pages[page].weight * (1.0 - old) * quiet(rate, end - now)
            };
            let best = (0..pages.len()).max_by(|a, b| gain(*a).total_cmp(&gain(*b))).unwrap();
            value += gain(best);
            last[best] = Some(now);
        }
    }
    value / end
}

#[test]
fn a_tight_pause_leaves_no_plan_ahead_of_the_one_given() {
    // Four downloads a day, whatever the budget; of the last page one is enough, on the first day.
    let site: Vec<Page> = [(10.0, 8.0), (0.25, 0.1), (1.4, 0.1), (4.4, 1.0), (0.0, 1.0)]
        .into_iter()
        .enumerate()
        .map(|(number, (rate, weight))| page(number, rate, weight))
        .collect();
    let own = WeeksRequest { delay: 21_600.0, ..request(Style::Whole, Aim::Freshness) };
    let made = plan(&site, &own).unwrap();
    assert!(made.value > 3.92, "{}", made.summary);
    assert!(made.pages[4].at_days[0] < 1.0, "{:?}", made.pages[4]);
    let mut random = crate::schedule::tests::random(16);
    for a_day in [2, 4, 8] {
        for _ in 0..4 {
            let site: Vec<Page> = (0..3 + (9.0 * random()) as usize)
                .map(|number| {
                    let rate = if random() < 0.25 { 0.0 } else { 10f64.powf(3.0 * random() - 2.0) };
                    page(number, rate, if random() < 0.5 { 1.0 } else { 10.0 * random() })
                })
                .collect();
            for budget in [a_day, 2 * a_day] {
                let own = WeeksRequest {
                    days: 28.0,
                    budget: budget as f64,
                    delay: SECONDS_A_DAY / a_day as f64,
                    ..request(Style::Whole, Aim::Freshness)
                };
                let made = plan(&site, &own).unwrap();
                let rival = greedy_by_pause(&site, 28, budget, a_day);
                assert!(made.value >= rival * (1.0 - 1e-9), "{a_day} {} {rival} {site:?}", made.value);
                assert!(made.value <= made.bound.unwrap());
            }
        }
    }
}

#[test]
fn what_never_changes_and_was_never_captured_is_fetched_once_in_every_style() {
    // Weights 5, 1, 1: half of the budget is enough for all that is worth fetching.
    let site: Vec<Page> = [(0.0, 5.0), (0.5, 1.0), (0.2, 1.0)]
        .into_iter()
        .enumerate()
        .map(|(number, (rate, weight))| page(number, rate, weight))
        .collect();
    for style in [Style::Whole, Style::Periods, Style::Random, Style::Sessions] {
        for budget in [4.0, 0.25] {
            let own = WeeksRequest { days: 28.0, budget, ..request(style, Aim::Freshness) };
            let made = plan(&site, &own).unwrap();
            assert_eq!(made.dropped, made.pages.iter().filter(|page| page.at_days.is_empty()).count());
            assert!(!made.pages[0].at_days.is_empty(), "{style:?} {budget}: {:?}", made.pages);
            let fresh = made.current.map_or(made.value, |current| current.value);
            assert!((fresh - measured(&made)).abs() < 5e-3 * fresh, "{style:?} {budget} {}", made.summary);
            // A session has days of its own.
            let is_first = made.pages[0].session.is_some() || made.pages[0].at_days[0] < 1.0;
            assert!(is_first && fresh > 2.5 && fresh <= made.weight, "{style:?} {budget} {:?}", made.pages);
            assert!(style == Style::Sessions || fresh > 5.0, "{style:?} {budget} {}", made.summary);
        }
    }
    // Where nothing needs a session, none is held, and the page is fetched once all the same.
    let own = WeeksRequest { days: 28.0, alone: 1.0, ..request(Style::Sessions, Aim::Freshness) };
    for budget in [0.25, 4.0] {
        let made = plan(&site, &WeeksRequest { budget, ..own.clone() }).unwrap();
        assert!(made.pages[0].session.is_some() || made.pages[0].at_days == [0.0], "{:?}", made.pages[0]);
        assert!(made.current.unwrap().value > 5.0, "{}", made.summary);
        assert!(f64::from(made.load.iter().sum::<u32>()) <= 28.0 * budget + 3.0, "{:?}", made.load);
    }
    // Blur counts every page that can be replayed: none is missed at random times either.
    let own = WeeksRequest { days: 28.0, budget: 4.0, ..request(Style::Random, Aim::Blur) };
    let made = plan(&pages([0.0, 0.5, f64::INFINITY]), &own).unwrap();
    assert!(made.pages.iter().all(|page| !page.at_days.is_empty()), "{:?}", made.pages);
    for seed in 1..=20 {
        let own = WeeksRequest { days: 28.0, budget: 4.0, seed, ..request(Style::Random, Aim::Blur) };
        let made = plan(&[page(0, 0.02, 1.0), page(1, 50.0, 3.0)], &own).unwrap();
        assert!(made.pages.iter().all(|page| !page.at_days.is_empty()) && made.dropped == 0, "{seed}");
    }
    // A page that was captured needs no download.
    let captured = Page { looks: Some((Instant(0), Instant(0))), ..page(0, 0.0, 5.0) };
    for style in [Style::Periods, Style::Random] {
        let own = WeeksRequest { days: 28.0, budget: 4.0, ..request(style, Aim::Freshness) };
        let made = plan(&[captured.clone(), page(1, 0.5, 1.0)], &own).unwrap();
        assert!(made.pages[0].at_days.is_empty() && made.dropped == 0, "{style:?}");
    }
    // Light pages give way where a budget is short, and what is left over is theirs.
    let many: Vec<Page> = (0..200)
        .map(|number| if number < 2 { page(number, 1.0, 50.0) } else { page(number, 0.0, 0.01) })
        .collect();
    let own = WeeksRequest { days: 28.0, budget: 2.0, ..request(Style::Periods, Aim::Freshness) };
    let made = plan(&many, &own).unwrap();
    let daily = (1.0 - (-1.0f64).exp()) * 100.0;
    assert!(made.value > 0.99 * daily, "{} {daily}", made.value);
}

#[path = "session_tests.rs"]
mod sessions;

#[path = "left_out_tests.rs"]
mod left_out;

#[path = "brute_tests.rs"]
mod brute_force;
