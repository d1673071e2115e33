use super::*;
use crate::capture::table::Table;
use crate::capture::testing::{Look, look};
use crate::change::evidence::{Compare, Grade, Judge};

const DAY: f64 = 86_400.0;

fn evidence(looks: Vec<Look>) -> Evidence {
    let table = Table::of(&looks.into_iter().map(Look::build).collect::<Vec<_>>());
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    Evidence::of(&Versions::of(&judge, table.rows()), 0)
}

fn page(day: u32) -> Look {
    look("http://a.example/", &format!("2024-01-{day:02}T00:00:00Z"))
}

#[test]
fn looks_become_changed_and_unchanged_gaps() {
    let looks = evidence(vec![page(1).body(1), page(3).body(1), page(4).body(2), page(5)]).looks;
    assert_eq!((looks.unchanged, looks.unchanged_gaps), (2.0 * DAY, 1));
    assert_eq!(looks.changed, [DAY + 1.0]);
}

#[test]
fn an_accepted_last_modified_pins_a_change() {
    let looks = evidence(vec![
        page(3).body(1).last_modified("2024-01-01T00:00:00Z"),
        page(5).body(2).last_modified("2024-01-04T00:00:00Z"),
    ]);
    assert_eq!((looks.told.pinned, looks.told.unchanged), (2, 3.0 * DAY));
    assert!(looks.told.changed.is_empty());
    assert_eq!((looks.looks.pinned, &looks.looks.changed[..]), (0, &[2.0 * DAY + 1.0][..]));
    let made_on_request = evidence(vec![page(3).body(1).last_modified("2024-01-03T00:00:00Z")]);
    assert!(made_on_request.told.is_empty());
}

#[test]
fn every_page_has_a_rate_that_is_neither_zero_nor_infinite_and_says_where_it_comes_from() {
    let mut pages: Vec<Evidence> = (0..100)
        .map(|place| {
            let looks = Looks {
                changed: vec![DAY; usize::from(place % 10 == 0)],
                unchanged: 5.0 * DAY,
                unchanged_gaps: 5,
                pinned: 0,
            };
            Evidence::of_looks(looks, place / 50)
        })
        .collect();
    pages.push(Evidence { class: 0, ..Evidence::default() });
    pages.push(Evidence { class: 7, ..Evidence::default() });
    pages.push(Evidence { change_freq: Some(ChangeFreq::Daily), ..Evidence::default() });
    pages.push(Evidence::exact(7, 100.0, 0));
    let Rates { rates, .. } = estimate(&pages);
    for rate in &rates {
        assert!(rate.estimate.mean > 0.0 && rate.estimate.mean.is_finite());
        assert!(rate.estimate.low <= rate.estimate.mean && rate.estimate.mean <= rate.estimate.high);
    }
    assert!(rates[0].per_second() > rates[1].per_second());
    let sources: Vec<Source> = rates[99..].iter().map(|rate| rate.source).collect();
    assert_eq!(sources, [Source::Looks, Source::Folder, Source::Site, Source::Sitemap, Source::History]);
    assert!((rates[102].per_second() - 1.0 / DAY).abs() < 1e-12);
    assert!((rates[103].per_second() - 0.07).abs() < 1e-12);
}
/// Pages of which the server says that they were online for years, captured twice within minutes.
fn stamped(pages: usize, changed: usize) -> Vec<Evidence> {
    (0..pages)
        .map(|place| {
            let mut looks = Looks::default();
            looks.gap(150.0, place < changed);
            let mut told = looks.clone();
            told.pin(700.0 * DAY);
            Evidence { told, looks, ..Evidence::default() }
        })
        .collect()
}

#[test]
fn old_stamps_do_not_outweigh_changes_that_were_seen() {
    let found = estimate(&stamped(190, 42));
    let refuted = found.refuted.unwrap();
    assert_eq!((refuted.pages, refuted.changed), (190, 42));
    assert!(refuted.expected < 1.0, "{refuted:?}");
    assert!(found.check.agrees() && (found.check.expected - 42.0).abs() < 10.0, "{:?}", found.check);
    // 42 of 190 in 150 s: some 140 a day.
    let mean = found.rates.iter().map(Rate::per_second).sum::<f64>() / 190.0 * DAY;
    assert!((70.0..300.0).contains(&mean), "{mean}");
    assert!(found.rates.iter().all(|rate| rate.source == Source::Looks));
}

#[test]
fn stamps_that_agree_with_the_looks_are_used() {
    let found = estimate(&stamped(190, 0));
    assert_eq!(found.refuted, None);
    assert!(found.rates[0].per_second() * DAY < 0.01);
}

#[test]
fn where_stamps_are_refuted_a_page_with_nothing_else_has_the_rate_of_its_site() {
    let mut pages = stamped(190, 42);
    let mut told = Looks::default();
    told.pin(700.0 * DAY);
    pages.push(Evidence { told, ..Evidence::default() });
    let found = estimate(&pages);
    assert_eq!(found.rates[190].source, Source::Site);
    assert!(found.rates[190].per_second() * DAY > 10.0);
}

#[test]
fn a_site_of_which_nothing_is_known_has_an_assumed_rate_with_a_wide_interval() {
    let found = estimate(&[Evidence::default()]);
    let Rate { estimate, source } = found.rates[0];
    assert_eq!(source, Source::Assumed);
    assert!(estimate.high > 10.0 / DAY && estimate.low < 1.0 / (36_525.0 * DAY), "{estimate:?}");
    assert_eq!(found.check, Check::default());
}

#[test]
fn a_page_generated_for_each_request_says_nothing_of_its_rate() {
    let at =
        |second: u32, body| look("http://a.example/", &format!("2024-01-01T00:00:{second:02}Z")).body(body);
    let every = evidence(vec![at(0, 1), at(2, 2), page(5).body(3), page(9).body(4)]);
    assert_eq!(every, Evidence::default());
    assert_eq!(evidence(vec![at(0, 1), at(2, 2)]), Evidence::default());
    // Two servers in turn are the same once in a while, but what one of them gave comes back.
    assert_eq!(evidence(vec![at(0, 1), at(2, 2), at(4, 2), page(5).body(1)]), Evidence::default());
    // It was the same once, but only for seconds: that may be a cache, and tells nothing of days.
    assert_eq!(evidence(vec![at(0, 1), at(2, 2), at(4, 2)]), Evidence::default());
    // It stayed the same for days and did not go back: then it may well have changed.
    assert!(!evidence(vec![at(0, 1), at(2, 2), page(5).body(2)]).looks.is_empty());
    assert!(!evidence(vec![page(1).body(1), page(2).body(2), page(3).body(3)]).looks.is_empty());
}

#[test]
fn where_no_page_is_seen_unchanged_captures_bound_no_rate() {
    let mut looks = Looks::default();
    looks.gap(0.5 * DAY, true);
    let found = estimate(&vec![Evidence::of_looks(looks.clone(), 0); 40]);
    assert!(found.unbounded && found.rates.iter().all(|rate| rate.source == Source::Assumed));
    let mut still = Looks::default();
    still.gap(0.5 * DAY, false);
    let found = estimate(&[Evidence::of_looks(looks, 0), Evidence::of_looks(still, 0)]);
    assert!(!found.unbounded && found.rates[0].source == Source::Looks);
}

#[test]
fn a_stamp_alone_gives_an_order_and_no_known_rate_until_captures_check_it() {
    let mut told = Looks::default();
    told.pin(3.0);
    let alone = Evidence { told, ..Evidence::default() };
    let listed = Evidence { change_freq: Some(ChangeFreq::Daily), ..Evidence::default() };
    let of = |changed: &[bool]| {
        let watched = changed.iter().map(|changed| {
            let mut looks = Looks::default();
            looks.gap(DAY, *changed);
            Evidence::of_looks(looks, 0)
        });
        let found = estimate(&[alone.clone(), listed.clone()].into_iter().chain(watched).collect::<Vec<_>>());
        assert_eq!(found.are_checked(), found.rates[0].source == Source::LastModified);
        assert!(found.rates[0].per_second() > 0.0);
        [found.rates[0].source, found.rates[1].source]
    };
    assert_eq!(of(&[]), [Source::Assumed; 2]);
    assert_eq!(of(&[false]), [Source::Assumed; 2], "no page was seen to change");
    assert_eq!(of(&[true]), [Source::Assumed; 2], "none was seen unchanged");
    assert_eq!(of(&[true, false]), [Source::LastModified, Source::Sitemap]);
}
