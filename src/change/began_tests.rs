use proptest::prelude::*;

use super::*;
use crate::capture::testing::{Look, look, look_at, parse};
use crate::change::at::Standings;
use crate::change::evidence::{Compare, Grade, Judge};
use crate::time::Instant;

const URL: &str = "http://a.example/";

fn time(clock: &str) -> Instant {
    parse(&format!("2024-03-01T{clock}Z"))
}

/// The page as captured at noon, last changed at 11:40 by a server whose clock is right.
fn noon() -> Look {
    look(URL, "2024-03-01T12:00:00Z")
        .body(1)
        .last_modified("2024-03-01T11:40:00Z")
        .http_date(time("12:00:00"))
}

fn earlier() -> Look {
    look(URL, "2024-03-01T10:00:00Z")
}

/// Whether the page is shown not to have been there at a time.
fn is_refuted(looks: Vec<Look>, at: &str) -> bool {
    let table = Table::of(&looks.into_iter().map(Look::build).collect::<Vec<_>>());
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    let versions = Versions::of(&judge, table.rows());
    Standings::of(&table, &versions, table.rows()).at(time(at)).is_refuted()
}

#[test]
fn a_date_decides_only_where_the_clock_of_the_server_is_shown_to_be_right() {
    let of = |look: Look| is_refuted(vec![look], "11:00:00");
    assert!(of(noon()));
    let undated = || look(URL, "2024-03-01T12:00:00Z").body(1).last_modified("2024-03-01T11:40:00Z");
    assert!(!of(undated()), "no Date");
    assert!(!of(undated().http_date(time("15:00:00"))), "three hours ahead");
    assert!(!of(undated().http_date(time("11:50:00"))), "ten minutes behind");
    assert!(!of(undated().http_date(time("11:30:00"))), "later than its Date");
    assert!(of(undated().http_date(time("11:59:58"))), "two seconds behind");
    assert!(of(undated().http_date(time("11:50:00")).age(600)), "kept by a cache for ten minutes");
    for status in [404, 410, 302] {
        assert!(!of(noon().status(status)), "{status}");
    }
}

#[test]
fn of_two_clocks_the_earlier_reading_counts() {
    let ahead = || noon().http_date(time("12:00:30"));
    assert!(is_refuted(vec![ahead()], "11:39:29"));
    assert!(!is_refuted(vec![ahead()], "11:39:30"), "the server's clock is half a minute ahead");
    assert!(is_refuted(vec![noon()], "11:39:59"));
    assert!(!is_refuted(vec![noon()], "11:40:00"));
}

#[test]
fn the_same_content_from_before_contradicts_the_date() {
    for (name, before) in [
        ("refused", earlier().status(403).body(1)),
        ("by POST", earlier().method("POST").body(1)),
        ("cut", earlier().cut()),
    ] {
        for at in ["11:00:00", "09:00:00"] {
            assert!(!is_refuted(vec![before.clone(), noon()], at), "{name} {at}");
        }
    }
    for (name, before) in [
        ("refused with other words", earlier().status(403).body(2)),
        ("by POST with other words", earlier().method("POST").body(2)),
    ] {
        assert!(is_refuted(vec![before, noon()], "11:00:00"), "{name}");
    }
    // What was captured behind the date does not contradict it.
    let behind = look(URL, "2024-03-01T11:50:00Z").status(403).body(1);
    assert!(is_refuted(vec![behind, noon()], "11:00:00"));
}

proptest! {
    /// Against the rule written out: nothing else shows that a page was not there.
    #[test]
    fn a_page_is_refuted_only_by_the_rule(
        modified in -300i64..100, date in prop::option::of(-200i64..200), status in 0usize..4, asked in -400i64..100,
        other in prop::option::of((-400i64..100, 1u8..3)),
    ) {
        let second = |offset: i64| Instant(time("12:00:00").0 + offset * SECOND);
        let status = [200, 404, 302, 200][status];
        let mut page = look_at(URL, second(0)).body(1).status(status);
        page = page.last_modified(&second(modified).to_string());
        if let Some(date) = date {
            page = page.http_date(second(date));
        }
        let refused = other.map(|(at, body)| look_at(URL, second(at)).status(503).body(body));
        let looks = [Some(page), refused].into_iter().flatten().map(Look::build).collect::<Vec<_>>();
        let table = Table::of(&looks);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let versions = Versions::of(&judge, table.rows());
        let found = Standings::of(&table, &versions, table.rows()).at(second(asked)).is_refuted();
        let rule = date.is_some_and(|date| {
            status == 200
                && (-60..=60).contains(&date)
                && modified <= date
                && modified <= 0
                && (date - modified) > 2
                && asked < modified
                && asked < modified - date
                && other.is_none_or(|(at, body)| body != 1 || at >= modified)
        });
        prop_assert_eq!(found, rule);
    }
}
