//! Tests of plans in sessions: they spend their budget within the days planned, and prove every page that they fetch twice.

use super::*;
use crate::schedule::model::{Kind, Schedule};

/// Pages of so many subsites, never captured, or all of them so many days before the start.
fn subsites(count: usize, groups: usize, seed: u64, age: Option<f64>) -> Vec<Page> {
    let mut random = crate::schedule::tests::random(seed);
    let captured = age.map(|days| Instant((-days * SECONDS_A_DAY * SECOND as f64) as i64));
    (0..count)
        .map(|number| {
            let rate = 10f64.powf(3.0 * random() - 2.5);
            let group = Group { name: format!("g{}", number % groups).into(), by: GroupBy::Table };
            let looks = captured.map(|at| (at, at));
            Page { group: Some(group), looks, ..page(number, rate, 1.0 + (4.0 * random()).floor()) }
        })
        .collect()
}

fn weeks(weeks: f64, budget: f64) -> WeeksRequest {
    let start = Some(Instant(0));
    WeeksRequest { days: 7.0 * weeks, budget, start, ..request(Style::Sessions, Aim::Freshness) }
}

#[test]
fn short_plans_spend_their_budget_from_the_first_day_on() {
    let (few, some, many) = (subsites(12, 2, 3, None), subsites(60, 4, 5, None), subsites(300, 10, 7, None));
    let plans = [
        (&few, 1.0, 1.0),
        (&few, 3.0, 1.5),
        (&few, 3.0, 3.0),
        (&some, 5.0, 1.0),
        (&some, 20.0, 2.0),
        (&many, 10.0, 3.0),
    ];
    for (site, budget, length) in plans {
        let own = weeks(length, budget);
        let made = plan(site, &own).unwrap();
        let total: u32 = made.load.iter().sum();
        assert_eq!(total, (budget * own.days) as u32, "{budget} {length} {}", made.summary);
        assert!(made.load[0] > 0, "{:?}", made.load);
        assert!(!made.notes.iter().any(|note| note.contains("of the budget are left")));
        assert!(!made.sessions.is_empty() && made.sessions.iter().all(|own| !own.at_days.is_empty()));
        // Single pages alone reach by this aim half of what they keep current.
        if site.len() < 100 {
            let plain = plan(site, &request_of(&own, Style::Whole)).unwrap();
            assert!(made.value > 0.5 * plain.value, "{} {}", made.value, plain.value);
        }
    }
}

#[test]
fn dates_are_ascending_within_the_days_and_those_of_the_schedule() {
    for age in [None, Some(0.0), Some(9.0)] {
        let site = subsites(60, 4, 11, age);
        let own = WeeksRequest { delay: 120.0, ..weeks(2.0, 20.0) };
        let made = plan(&site, &own).unwrap();
        for page in &made.pages {
            assert!(page.at_days.windows(2).all(|pair| pair[0] <= pair[1]), "{page:?}");
            assert!(page.at_days.iter().all(|at| (0.0..14.0).contains(at)), "{page:?}");
            assert!(page.between_days.iter().all(|at| page.at_days.contains(at)), "{page:?}");
            assert!(page.session.is_some() || page.between_days.is_empty());
        }
        let schedule = as_schedule(&made, &own);
        let slots = schedule.sites.iter().map(|site| site.slots.len()).sum::<usize>();
        assert_eq!(slots as u32, made.load.iter().sum::<u32>());
        for site in &schedule.sites {
            let is_apart =
                |pair: &[crate::schedule::model::Slot]| pair[1].seconds - pair[0].seconds > 119.999;
            assert!(site.slots.held().windows(2).all(is_apart), "{age:?}");
        }
    }
}

#[test]
fn what_is_left_of_the_budget_and_a_late_start_are_explained() {
    // Nothing changes, and all was captured: nothing gains.
    let still: Vec<Page> =
        subsites(12, 2, 3, Some(1.0)).into_iter().map(|page| Page { rate: 0.0, ..page }).collect();
    let own = WeeksRequest { alone: 1.0, ..weeks(1.0, 4.0) };
    let made = plan(&still, &own).unwrap();
    assert_eq!(made.load.iter().sum::<u32>(), 0);
    let has = |made: &WeeksPlan, text: &str| made.notes.iter().any(|note| note.contains(text));
    assert!(
        has(&made, "28 downloads of the budget are left: no page would be current for longer"),
        "{:?}",
        made.notes
    );
    // A download every six hours is all that the host allows.
    let made = plan(&subsites(12, 2, 3, None), &WeeksRequest { delay: 21_600.0, ..weeks(1.0, 9.0) }).unwrap();
    assert!(has(&made, "of the budget are left: the pause between two downloads"), "{:?}", made.notes);
    let late = late_note(&[0, 0, 5]).unwrap();
    assert!(late.starts_with("The first download is on day 3: what was captured before"), "{late}");
    assert_eq!((late_note(&[1, 0]), late_note(&[0, 0])), (None, None));
}

/// Visits and revisits of every page in the first session of a schedule.
fn first_session(schedule: &Schedule, made: &WeeksPlan) -> Vec<(usize, usize, Option<f64>)> {
    let session = &made.sessions[0];
    let from = session.at_days[0] * SECONDS_A_DAY - 1e-3;
    let until = from + session.length_seconds + 2e-3;
    let of = |page: &u32| {
        let url = &made.pages[*page as usize].url;
        let slots = schedule.sites.iter().flat_map(|site| site.slots.held());
        let own: Vec<_> =
            slots.filter(|slot| slot.url == *url && (from..until).contains(&slot.seconds)).collect();
        let of_kind = |kind| own.iter().filter(|slot| slot.kind == kind).count();
        (of_kind(Kind::Visit), of_kind(Kind::Revisit), own[0].interval_seconds)
    };
    session.pages.iter().map(of).collect()
}

#[test]
fn every_page_of_a_session_is_fetched_twice_unless_the_middle_is_to_be_fetched_once() {
    let site = subsites(12, 2, 3, None);
    for middle_once in [false, true] {
        let own = WeeksRequest { delay: 60.0, middle_once, ..weeks(2.0, 10.0) };
        let made = plan(&site, &own).unwrap();
        assert!(made.sessions[0].pages.len() > 1);
        let slots = first_session(&as_schedule(&made, &own), &made);
        for (slot, (visits, revisits, interval)) in slots.into_iter().enumerate() {
            let is_once = middle_once && slot == 0;
            assert_eq!((visits, revisits), (1, usize::from(!is_once)), "{slot}");
            // As in a schedule: 0, 2Δ, 4Δ, … or Δ, 3Δ, 5Δ, …
            let slots_between = 2 * slot + usize::from(!middle_once);
            assert_eq!(interval, Some(60.0 * slots_between as f64));
        }
        let session = &made.sessions[0];
        let downloads = 2 * session.pages.len() - usize::from(middle_once);
        assert!((session.length_seconds - 60.0 * (downloads - 1) as f64).abs() < 1e-6);
    }
    // No plan that proves the middle by a second look is worth more than the best that does not.
    let [twice, once] = [false, true].map(|middle_once| {
        plan(&site, &WeeksRequest { delay: 60.0, middle_once, ..weeks(1.0, 10.0) })
            .unwrap()
            .steady
            .bound
            .unwrap()
    });
    assert!(twice < once && twice > 0.9 * once, "{twice} {once}");
}

/// Pages of a table: rates a day, weights and subsites.
fn table(rows: &[(f64, f64, &str)]) -> Vec<Page> {
    let one = |(number, (rate, weight, group)): (usize, &(f64, f64, &str))| {
        let group = Some(Group { name: (*group).into(), by: GroupBy::Table });
        Page { group, ..page(number, *rate, *weight) }
    };
    rows.iter().enumerate().map(one).collect()
}

#[test]
fn no_plan_in_sessions_is_behind_the_plan_without_by_its_own_aim() {
    let rows = [
        (0.5, 3.0, "a"),
        (0.2, 2.0, "a"),
        (0.05, 1.0, "a"),
        (1.0, 2.0, "b"),
        (0.3, 2.0, "b"),
        (0.02, 2.0, "b"),
    ];
    let sites = [table(&rows), subsites(14, 3, 3, None), subsites(14, 3, 5, Some(2.0))];
    for site in &sites {
        for (alone, length, budget) in [
            (1.0, 1.0, 3.0),
            (0.98, 1.0, 3.0),
            (0.8, 1.0, 3.0),
            (0.9, 3.0, 2.0),
            (0.5, 2.0, 1.0),
            (0.0, 1.0, 4.0),
        ] {
            let own = WeeksRequest { alone, ..weeks(length, budget) };
            let made = plan(site, &own).unwrap();
            let plain = plan(site, &request_of(&own, Style::Whole)).unwrap();
            assert!(made.value >= alone * plain.value - 1e-9, "{alone} {} {}", made.value, plain.value);
        }
    }
    // Without any worth of sessions, what is fetched once is not put off to the last day.
    let made = plan(&sites[0], &WeeksRequest { alone: 1.0, ..weeks(1.0, 3.0) }).unwrap();
    let waits = |page: &PlannedWeeks| page.at_days.len() == 1 && page.at_days[0] > 3.0;
    assert!(!made.pages.iter().any(waits), "{:?}", made.pages);
    assert!(made.value > 8.87, "{}", made.value);
}

#[test]
fn the_session_that_is_worth_most_at_its_time_comes_first() {
    let two = table(&[(0.015, 2.58, "a"), (0.266, 0.56, "b")]);
    let slow: [(f64, f64, &str); 9] = [
        (0.0025, 2.0, "a"),
        (0.0038, 1.33, "a"),
        (0.0032, 3.0, "a"),
        (0.0055, 1.0, "b"),
        (0.002, 3.0, "c"),
        (0.0163, 2.0, "c"),
        (0.034, 1.95, "c"),
        (0.0195, 1.0, "d"),
        (0.0696, 1.24, "d"),
    ];
    let fast: [(f64, f64, &str); 9] = [
        (0.58, 3.0, "a"),
        (0.90, 2.0, "a"),
        (0.556, 1.52, "a"),
        (0.616, 1.87, "b"),
        (1.124, 2.98, "c"),
        (0.108, 1.96, "c"),
        (0.234, 1.08, "c"),
        (0.841, 1.62, "c"),
        (3.887, 2.41, "d"),
    ];
    // Reached by buying by hand, one session after another. Ten downloads on the first day would reach 13.4 on the second site, but the
    // budget pays for no two sessions on one day.
    let sites = [
        (two, 0.2, 2.0, 1.0, 2.80),
        (table(&slow), 0.5, 2.0, 1.8, 12.4),
        (table(&fast), 0.5, 1.0, 0.9, 2.48),
    ];
    for (site, alone, length, budget, least) in sites {
        let own = WeeksRequest { alone, ..weeks(length, budget) };
        let made = plan(&site, &own).unwrap();
        assert!(made.value > least, "{} {least}", made.value);
        assert!(made.pages.iter().map(|page| page.at_days.len()).sum::<usize>() as f64 <= budget * own.days);
    }
}

#[test]
fn what_is_held_once_has_no_period_and_no_weight_no_gap() {
    let made = plan(&subsites(12, 4, 3, None), &weeks(1.0, 3.0)).unwrap();
    for session in &made.sessions {
        assert_eq!(session.period_days.is_none(), session.at_days.len() == 1, "{session:?}");
    }
    let nothing: Vec<Page> =
        subsites(12, 4, 3, None).into_iter().map(|page| Page { weight: 0.0, ..page }).collect();
    let made = plan(&nothing, &weeks(1.0, 3.0)).unwrap();
    assert!(made.notes.iter().any(|note| note.contains("the gap is 0.00%")), "{:?}", made.notes);
}

/// By how many downloads a plan is at most ahead of its budget at the end of a day, and the longest session.
fn ahead(made: &WeeksPlan, budget: f64) -> (f64, f64) {
    let mut spent = 0.0;
    let ahead = made.load.iter().zip(1..).map(|(load, day)| {
        spent += f64::from(*load);
        spent - budget * f64::from(day)
    });
    let longest = made.sessions.iter().map(|session| session.pages.len() * 2).max().unwrap_or(0);
    (ahead.fold(0.0, f64::max), longest as f64)
}

#[test]
fn sessions_begin_when_all_before_them_are_paid_for() {
    let own_sessions = table(&[(0.05, 1.0, "a"), (0.2, 1.0, "b"), (0.9, 1.0, "c")]);
    let made = plan(&own_sessions, &weeks(1.0, 2.0)).unwrap();
    assert_eq!(made.load, [2; 7], "{}", made.summary);
    for seed in 0..12 {
        let site = subsites(20 + 40 * (seed as usize % 3), 4 + seed as usize % 5, seed, None);
        for (budget, length) in [(1.0, 1.0), (3.0, 2.0), (7.5, 4.0), (20.0, 1.0)] {
            let made = plan(&site, &weeks(length, budget)).unwrap();
            let (ahead, longest) = ahead(&made, budget);
            // Days pay for whole downloads, so a budget with a fraction may be a download ahead on each side.
            assert!(ahead <= longest + 2.0, "{seed} {budget} {length}: {ahead} {longest} {:?}", made.load);
            let busiest = made.load.iter().max().copied().unwrap_or(0);
            let most = budget.ceil() + longest;
            assert!(f64::from(busiest) <= most, "{seed} {budget} {length}: {:?}", made.load);
        }
    }
}

#[test]
fn more_than_the_pauses_of_hosts_let_through_changes_no_plan_and_ends() {
    let site = subsites(12, 3, 11, None);
    // 24 downloads a day.
    let asked = |budget: f64| WeeksRequest { delay: 3600.0, ..weeks(2.0, budget) };
    let (enough, much) = (plan(&site, &asked(200.0)).unwrap(), plan(&site, &asked(1e9)).unwrap());
    assert_eq!((enough.value, &enough.load), (much.value, &much.load));
    assert_eq!((much.budget, much.curve.last().unwrap().price), (1e9, 0.0));
    let total: f64 = site.iter().map(|page| page.weight).sum();
    assert!(much.curve.iter().all(|point| point.bound <= total && point.value <= point.bound * (1.0 + 1e-9)));
    for style in [Style::Periods, Style::Random, Style::Whole] {
        let made = plan(&site, &WeeksRequest { style, ..asked(1e9) }).unwrap();
        assert!(made.load.iter().all(|day| *day <= 25), "{style:?} {:?}", made.load);
    }
}

#[test]
fn a_larger_budget_never_buys_less_in_the_long_run() {
    for seed in 0..12 {
        let site = subsites(8, 2, 60 + seed, None);
        let asked = WeeksRequest { delay: 20_000.0, alone: 0.0, ..weeks(1.0, 3.0) };
        let curve: Vec<f64> = plan(&site, &asked).unwrap().curve.iter().map(|point| point.value).collect();
        assert!(curve.is_sorted(), "{seed} {curve:?}");
    }
}
