//! No page is left out that the aim and the budget would have.

use super::*;

/// Pages of all rates, half of them never captured; a captured one was captured up to 60 days before the start.
fn mixed(random: &mut impl FnMut() -> f64, count: usize) -> Vec<Page> {
    let mut one = |number: usize| {
        let rate = match random() {
            part if part < 0.1 => 0.0,
            part if part < 0.15 => f64::INFINITY,
            _ => 10f64.powf(7.0 * random() - 6.0),
        };
        let weight = if random() < 0.5 { 1.0 } else { 10.0 * random() };
        let last = Instant((60.0 * (1.0 - random()) * SECONDS_A_DAY) as i64 * SECOND);
        let looks = (random() < 0.5).then_some((last, last));
        let lane = ["h1", "h2"][usize::from(random() < 0.3)].into();
        Page { looks, lane, ..page(number, rate, weight) }
    };
    (0..count).map(&mut one).collect()
}

#[test]
fn blur_at_random_times_leaves_out_no_new_page_that_the_budget_reaches() {
    let mut random = crate::schedule::tests::random(26);
    for round in 0..300 {
        let site = mixed(&mut random, 1 + round % 12);
        let own = WeeksRequest {
            days: [28.0, 7.0, 3.5][round % 3],
            budget: [0.3, 1.0, 4.0, 12.0][round % 4],
            seed: round as u64,
            start: Some(Instant(60 * 86_400 * SECOND)),
            ..request(Style::Random, Aim::Blur)
        };
        let made = plan(&site, &own).unwrap();
        let allowed = (own.days * own.budget) as usize;
        let is_new = |page: &usize| site[*page].looks.is_none() && site[*page].weight > 0.0;
        let new = (0..site.len()).filter(is_new).count();
        let fetched =
            (0..site.len()).filter(is_new).filter(|page| !made.pages[*page].at_days.is_empty()).count();
        // All of them, or as many as there are downloads: heaviest first.
        assert!(fetched >= new.min(allowed), "{round} {fetched} {new} {allowed} {made:?}");
        let is_told = made.notes.iter().any(|note| note.contains("budget does not reach"));
        assert_eq!(is_told, fetched < new, "{round} {:?}", made.notes);
        let (mut lightest, mut heaviest) = (f64::INFINITY, 0.0f64);
        for page in (0..site.len()).filter(is_new) {
            match made.pages[page].at_days.is_empty() {
                true => heaviest = heaviest.max(site[page].weight),
                false => lightest = lightest.min(site[page].weight),
            }
        }
        assert!(fetched > allowed || heaviest <= lightest, "{round} {heaviest} {lightest}");
        // Captured pages that are left out are reported too, and left out only where its download would bring less than another.
        let says_all = made.notes.iter().any(|note| note.contains("drops no page"));
        let is_out = |page: &usize| {
            let own = &site[*page];
            made.pages[*page].at_days.is_empty() && own.weight > 0.0 && own.rate > 0.0
        };
        let is_endless = |page: &usize| site[*page].rate.is_infinite();
        assert!(
            !says_all || (0..site.len()).filter(is_out).all(|page| is_endless(&page)),
            "{round} {made:?}"
        );
        let best = plan(&site, &request_of(&own, Style::Whole)).unwrap();
        if best.pages.iter().map(|page| page.at_days.len()).sum::<usize>() >= allowed && best.times == "whole"
        {
            assert!(made.bound.is_none_or(|bound| made.value >= bound * (1.0 - 1e-9)), "{round}");
        }
    }
}

#[test]
fn blur_at_random_times_reaches_every_page_of_a_slow_host() {
    for seed in 0..20 {
        let own = WeeksRequest {
            days: 7.0,
            budget: 4.0,
            seed,
            delay: 43_200.0,
            ..request(Style::Random, Aim::Blur)
        };
        let site = pages((0..12).map(|number| if number == 0 { 50.0 } else { 1e-4 }));
        let made = plan(&site, &own).unwrap();
        assert!(made.pages.iter().all(|page| !page.at_days.is_empty()), "{seed} {:?}", made.pages);
        // More pages than the host has time for: the pause is named, not the budget.
        let made = plan(&pages([0.1; 20]), &own).unwrap();
        assert!(made.dropped >= 6, "{}", made.dropped);
        assert!(
            made.notes
                .iter()
                .any(|note| note.starts_with("The pause between two downloads of a host leaves"))
        );
    }
}

#[test]
fn a_page_that_hardly_ever_changes_is_not_lost_by_periods_random_times_or_sessions() {
    // One download of the cold page is worth as much as all others together.
    for rate in [0.0, 1e-9, 1e-4, 3e-3] {
        for style in [Style::Whole, Style::Periods, Style::Random, Style::Sessions] {
            for seed in 0..8 {
                let site: Vec<Page> = [(2.0, 1.0), (rate, 1.0), (1.5, 1.0)]
                    .into_iter()
                    .enumerate()
                    .map(|(number, (rate, weight))| page(number, rate, weight))
                    .collect();
                let own =
                    WeeksRequest { days: 28.0, budget: 5.0 / 28.0, seed, ..request(style, Aim::Freshness) };
                let own = WeeksRequest { alone: 1.0, ..own };
                let made = plan(&site, &own).unwrap();
                assert!(!made.pages[1].at_days.is_empty(), "{style:?} {rate} {:?}", made.pages);
                let fresh = made.current.map_or(made.value, |current| current.value);
                assert!(fresh > 0.85, "{style:?} {rate} {seed} {}", made.summary);
            }
        }
    }
    // Captured long ago: its last capture is current no more, and one download is worth all its weight.
    let long_ago = Page { looks: Some((Instant(0), Instant(0))), ..page(0, 0.01, 1.0) };
    let site = [long_ago, page(1, 3.0, 1.0), page(2, 0.02, 0.5)];
    let own = WeeksRequest {
        days: 28.0,
        budget: 5.0 / 28.0,
        start: Some(Instant(600 * 86_400 * SECOND)),
        ..request(Style::Periods, Aim::Freshness)
    };
    let made = plan(&site, &own).unwrap();
    let whole = plan(&site, &request_of(&own, Style::Whole)).unwrap();
    assert!(
        !made.pages[0].at_days.is_empty() && made.value > 0.85 * whole.value,
        "{} {}",
        made.summary,
        whole.summary
    );
}

#[test]
fn periods_of_sites_of_all_kinds_are_close_to_the_best_dates_and_never_ahead() {
    let mut random = crate::schedule::tests::random(27);
    for round in 0..60 {
        let site = mixed(&mut random, 1 + round % 9);
        let own = WeeksRequest {
            days: [28.0, 12.0, 7.0][round % 3],
            budget: [5.0 / 28.0, 0.5, 1.0, 3.0][round % 4],
            start: Some(Instant(60 * 86_400 * SECOND)),
            ..request(Style::Periods, Aim::Freshness)
        };
        let (made, whole) =
            (plan(&site, &own).unwrap(), plan(&site, &request_of(&own, Style::Whole)).unwrap());
        assert!(made.value <= whole.value + 1e-9, "{round} {} {}", made.value, whole.value);
        assert!(made.value >= 0.8 * whole.value, "{round} {} {} {site:?}", made.value, whole.value);
    }
}
