//! Small plans against all ways to put downloads on days.

use std::collections::HashMap;

use super::*;

/// The most that downloads on whole days are worth: every set of days for every page, within the room of the days. Blur is negative, and no
/// page may be missed. `None`: some page has to be.
fn brute(pages: &[Horizon], room: Room<'_>, within: f64) -> Option<f64> {
    let count = room.days as usize;
    let mut states: HashMap<Vec<u64>, f64> = HashMap::from([(room.of(room.budget), 0.0)]);
    for page in pages {
        let worth: Vec<f64> = (0..1usize << count)
            .map(|set| {
                let on = (0..count).filter(|day| set >> day & 1 == 1);
                let at: Vec<f64> = on.map(|day| day as f64 + within).collect();
                let is_missed = room.aim == Aim::Blur && at.is_empty();
                if is_missed {
                    f64::NEG_INFINITY
                } else {
                    page.weight * dates::worth(*page, room.days, &at, room.aim)
                }
            })
            .collect();
        let mut next: HashMap<Vec<u64>, f64> = HashMap::new();
        for (left, value) in states {
            for (set, worth) in worth.iter().enumerate() {
                if (0..count).any(|day| set >> day & 1 == 1 && left[day] == 0) {
                    continue;
                }
                let rest: Vec<u64> = (0..count).map(|day| left[day] - (set >> day & 1) as u64).collect();
                let most = next.entry(rest).or_insert(f64::NEG_INFINITY);
                *most = most.max(value + worth);
            }
        }
        states = next;
    }
    states.into_values().reduce(f64::max).filter(|most| most.is_finite())
}

#[test]
fn no_downloads_on_other_days_are_worth_more_at_small_sites() {
    let mut random = crate::schedule::tests::random(28);
    for (aim, within) in [(Aim::Freshness, 0.0), (Aim::Blur, 0.5), (Aim::Versions, 1.0)] {
        let mut all = 0;
        for round in 0..60 {
            let site: Vec<Page> = (0..2 + round % 3)
                .map(|number| {
                    let weight = if random() < 0.5 { 1.0 } else { 10.0 * random() };
                    page(number, 10f64.powf(3.0 * random() - 2.0), weight)
                })
                .collect();
            let own = WeeksRequest {
                days: 6.0,
                budget: [0.5, 0.7, 1.0, 1.5, 2.0][round % 5],
                delay: 0.001,
                ..request(Style::Whole, aim)
            };
            let of = |page: &Page| Horizon {
                rate: page.rate * SECONDS_A_DAY,
                weight: page.weight,
                age: f64::INFINITY,
            };
            let pages: Vec<Horizon> = site.iter().map(of).collect();
            let room = Room { days: own.days, budget: own.budget, hosts: &[], caps: &[], aim };
            let Some(most) = brute(&pages, room, within) else { continue };
            let made = plan(&site, &own).unwrap();
            let reached = if aim == Aim::Blur { -most / made.value } else { made.value / most };
            // The last download is a moment before the end of its day, and those of a host are apart.
            assert!(reached >= 1.0 - 1e-5, "{aim:?} {round} {reached} {site:?}");
            all += 1;
        }
        assert!(all > 50, "{aim:?} {all}");
    }
}

#[test]
fn random_times_keep_the_budget_of_all_days_and_say_so() {
    let mut random = crate::schedule::tests::random(29);
    for round in 0..90 {
        let aim = [Aim::Freshness, Aim::Blur, Aim::Versions][round % 3];
        let site: Vec<Page> =
            (0..3 + round % 20).map(|number| page(number, 10f64.powf(3.0 * random() - 2.0), 1.0)).collect();
        let budget = [0.5, 2.0, 8.0, 1.0][round % 4];
        let own = WeeksRequest { days: 28.0, budget, seed: round as u64, ..request(Style::Random, aim) };
        let made = plan(&site, &own).unwrap();
        let all: u32 = made.load.iter().sum();
        assert_eq!(f64::from(all), 28.0 * budget, "{aim:?} {round}");
        let told = format!("{all} of {all} that the budget has for all days");
        assert!(made.notes.iter().any(|note| note.contains(&told)), "{:?}", made.notes);
    }
}

#[test]
fn what_was_never_captured_and_has_a_frequency_is_not_left_to_chance() {
    // At random times every page has a frequency here, which the best dates do not.
    let site: Vec<Page> = (1..=5).map(|number| page(number, number as f64, 1.0)).collect();
    for seed in 0..40 {
        let own = WeeksRequest { days: 4.0, budget: 5.0, seed, ..request(Style::Random, Aim::Freshness) };
        let made = plan(&site, &own).unwrap();
        assert!(made.pages.iter().all(|page| page.per_day > 0.0));
        assert!(made.pages.iter().all(|page| !page.at_days.is_empty()), "{seed} {:?}", made.pages);
        assert_eq!((made.dropped, made.load.iter().sum::<u32>()), (0, 20), "{seed}");
    }
}

#[test]
fn a_period_is_named_only_where_dates_keep_it_and_no_page_is_fetched_twice_on_a_day() {
    let mut random = crate::schedule::tests::random(30);
    let mut moved = 0;
    for round in 0..60 {
        let site: Vec<Page> = (0..2 + round % 17)
            .map(|number| Page {
                lane: ["h1", "h2"][usize::from(random() < 0.3)].into(),
                ..page(number, 10f64.powf(4.0 * random() - 3.0), 0.1 + 10.0 * random())
            })
            .collect();
        let own = WeeksRequest {
            days: [28.0, 31.5, 84.0][round % 3],
            budget: [0.4, 1.3, 2.0, 3.7][round % 4],
            delay: [1.0, 43_200.0][round % 2],
            ..request(Style::Periods, Aim::Freshness)
        };
        let made = plan(&site, &own).unwrap();
        let mut without = 0;
        for page in &made.pages {
            let days: Vec<u64> = page.at_days.iter().map(|at| *at as u64).collect();
            let gaps: Vec<u64> = days.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert!(gaps.iter().all(|gap| *gap > 0), "{round} {page:?}");
            assert!(
                page.period_days.is_none_or(|own| gaps.iter().all(|gap| *gap == own)),
                "{round} {page:?}"
            );
            without += usize::from(page.period_days.is_none() && gaps.len() > 1);
        }
        let is_told = made.notes.iter().any(|note| note.contains("not fetched at equal intervals"));
        assert!(is_told || without == 0, "{round} {:?}", made.notes);
        moved += without;
    }
    // Now and then days are full.
    assert!(moved > 0);
}
