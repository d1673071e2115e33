use proptest::prelude::*;

use super::*;
use crate::capture::table::Table;
use crate::capture::testing::{Look, look, look_at, parse};
use crate::change::evidence::{Compare, Judge};

fn with<T>(looks: Vec<Look>, act: impl FnOnce(&Standings<'_>) -> T) -> T {
    let table = Table::of(&looks.into_iter().map(Look::build).collect::<Vec<_>>());
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    let versions = Versions::of(&judge, table.rows());
    act(&Standings::of(&table, &versions, table.rows()))
}

fn page(second: u32) -> Look {
    look("http://a.example/", &format!("2024-01-01T00:00:{second:02}Z"))
}

fn at(second: u32) -> Instant {
    parse(&format!("2024-01-01T00:00:{second:02}Z"))
}

#[test]
fn every_state_of_the_definitions() {
    let looks = vec![
        page(10).body(1),
        page(20).body(1),
        page(30).body(2).last_modified("2024-01-01T00:00:26Z"),
        page(40).status(404),
        page(50),
    ];
    with(looks, |standings| {
        let state = |second| standings.at(at(second)).state;
        assert_eq!(state(5), State::Unseen);
        // The first capture is dated to the second: where in it the page was fetched is unknown.
        assert_eq!(state(10), State::Unseen);
        assert_eq!((state(11), state(20)), (State::Proven, State::Proven));
        assert_eq!((state(21), state(26)), (State::ChangedNearby, State::ChangedNearby));
        assert_eq!((state(27), state(30)), (State::Claimed, State::Claimed));
        assert_eq!(state(35), State::ChangedNearby);
        assert_eq!(state(55), State::Unseen);
        assert_eq!(standings.grade(&standings.at(at(15))), Some(Grade::Bytes));
        assert_eq!(standings.grade(&standings.at(at(28))), Some(Grade::Validator));
        assert_eq!(standings.chance(at(15), 1.0), None);
        assert_eq!(standings.witnesses(Interval { from: at(12), to: at(13) }), (Some(0), Some(1)));
        assert_eq!(standings.witnesses(Interval { from: at(22), to: at(23) }), (Some(1), Some(2)));
        assert_eq!(standings.witnesses(Interval { from: at(5), to: at(6) }), (None, Some(0)));
    });
    with(vec![page(10), page(20)], |standings| assert_eq!(standings.at(at(15)).state, State::Undecided));
    with(vec![page(10).status(503)], |standings| assert_eq!(standings.at(at(10)).state, State::Missing));
}

#[test]
fn a_version_that_began_after_the_instant_but_would_be_served_is_late() {
    let newer = page(30).body(2).last_modified("2024-01-01T00:00:26Z").http_date(at(30));
    let looks = vec![page(10).body(1), newer];
    with(looks, |standings| {
        let late = |second| standings.at(at(second)).late;
        // Up to the middle the earlier capture is served.
        assert_eq!([late(15), late(20), late(21), late(25), late(26)], [false, false, true, true, false]);
    });
    // Two dates of one version refute each other, so neither shows since when it was online.
    let looks = vec![
        page(30).body(2).last_modified("2024-01-01T00:00:20Z").http_date(at(30)),
        page(40).body(2).last_modified("2024-01-01T00:00:26Z").http_date(at(40)),
    ];
    with(looks, |standings| {
        assert!(![19, 22].iter().any(|second| standings.at(at(*second)).late));
    });
    with(vec![page(30).body(2)], |standings| assert!(!standings.at(at(5)).late));
}

#[test]
fn a_version_that_began_later_has_no_chance_before() {
    let newer = page(30).body(2).last_modified("2024-01-01T00:00:26Z").http_date(at(30));
    let looks = vec![page(10).body(1), newer];
    with(looks, |standings| {
        for second in [15, 25] {
            let chances = standings.chances(at(second), 0.1).unwrap();
            // The first capture ends a second behind its date, and began with it.
            let expected = (-0.1 * f64::from(second - 10)).exp();
            assert_eq!(chances.later, 0.0);
            assert!((chances.earlier - expected).abs() < 1e-12, "{chances:?}");
            assert!((chances.earlier + chances.neither - 1.0).abs() < 1e-12);
        }
        // Behind the date that the server gives it may stand.
        assert!(standings.chances(at(26), 0.1).unwrap().later > 0.0);
    });
}

#[test]
fn of_runs_that_meet_at_an_instant_the_proven_one_counts() {
    let exact = || page(16).end(at(16));
    let looks = vec![exact(), exact().body(2), page(16).body(2)];
    with(looks, |standings| {
        let standing = standings.at(at(16));
        assert_eq!((standing.state, standing.run, standing.served), (State::Proven, Some(1), Some(1)));
        assert_eq!(standings.at(at(17)).state, State::Unseen);
    });
}

/// The chance by adding up: the first change of the gap in small steps, given that there is one.
fn earlier_by_steps(rate: f64, a: f64, b: f64) -> f64 {
    const STEPS: usize = 20_000;
    let (mut all, mut behind) = (0.0, 0.0);
    for (from, to, counts) in [(0.0, a, false), (a, b, true)] {
        let step = (to - from) / STEPS as f64;
        // Density of the first change, by the midpoint rule; scaled so that it does not vanish for small rates.
        let sum: f64 =
            (0..STEPS).map(|place| (-rate * (from + (place as f64 + 0.5) * step)).exp() * step).sum();
        all += sum;
        behind += if counts { sum } else { 0.0 };
    }
    behind / all
}

#[test]
fn small_rates_lose_no_digits() {
    for rate in [1e-3, 1e-8, 1e-14, 1e-18, 0.0] {
        let chances = Chances::in_gap(rate, 2.5, 10.0);
        assert!((chances.earlier - 0.75).abs() < 0.01 && (chances.later - 0.25).abs() < 0.01, "{chances:?}");
    }
    assert!((Chances::in_gap(1e-9, 2.5, 10.0).earlier - 0.75).abs() < 1e-8);
    assert_eq!(Chances::in_gap(1.0, 0.0, 10.0).earlier, 1.0);
    assert_eq!(Chances::in_gap(1.0, 10.0, 10.0).later, 1.0);
    let hot = Chances::in_gap(1e6, 5.0, 10.0);
    assert!(hot.neither > 0.999_999);
}

proptest! {
    #[test]
    fn chances_are_those_of_numerical_integration(
        log_rate in -12.0f64..1.5, b in 0.1f64..20.0, share in 0.0f64..=1.0,
    ) {
        let (rate, a) = (10f64.powf(log_rate), b * share);
        let chances = Chances::in_gap(rate, a, b);
        prop_assert!((chances.earlier - earlier_by_steps(rate, a, b)).abs() < 1e-5, "{:?}", chances);
        prop_assert!((chances.later - earlier_by_steps(rate, b - a, b)).abs() < 1e-5);
        prop_assert!((chances.earlier + chances.later + chances.neither - 1.0).abs() < 1e-9);
    }

    /// Segments say at every instant what asking for that instant says, and proven is what the definition allows.
    #[test]
    fn segments_equal_asking_at_every_instant(
        looks in prop::collection::vec(
            (0i64..40, 0i64..4, 0u8..4, prop::option::of(-3i64..40), prop::option::of(0u32..20)), 0..8,
        ),
    ) {
        let looks: Vec<Look> = looks.into_iter().map(|(time, length, body, modified, age)| {
            let mut made = look_at("http://a.example/", Instant(time * SECOND)).end(Instant((time + length) * SECOND));
            if let Some(age) = age {
                made = made.age(age);
            }
            if body > 0 {
                made = made.body(body);
            }
            match modified {
                Some(modified) => {
                    let date = Instant((time + modified % 3) * SECOND);
                    made.last_modified(&Instant(modified * SECOND).to_string()).http_date(date)
                }
                None => made,
            }
        }).collect();
        with(looks, |standings| {
            let segments = standings.segments();
            for half in -10..100i64 {
                for offset in [-1, 0, 1] {
                    let at = Instant(half * SECOND / 2 + offset);
                    let place = segments.partition_point(|segment| segment.from <= at) - 1;
                    let standing = standings.at(at);
                    prop_assert_eq!(segments[place].standing, standing);
                    let proven = standings.versions().proven().any(|interval| interval.contains(at));
                    prop_assert_eq!(standing.state == State::Proven, proven);
                    // What is proven is never late: the version served is the proven one.
                    prop_assert!(!(proven && standing.late));
                }
            }
            Ok(())
        })?;
    }
}
