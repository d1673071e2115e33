//! What a strategy knows at a start comes from before it.

use proptest::prelude::*;

use super::predicted::Known;
use super::*;
use crate::change::predict::Method;
use crate::simulate::world::Subject;

const START: f64 = 500.0;

fn page(url: &str, born: f64, died: f64, mut changes: Vec<u32>) -> Subject {
    changes.sort_unstable();
    changes.dedup();
    let changes =
        changes.into_iter().map(f64::from).filter(|change| born < *change && *change < died).collect();
    Subject { url: url.into(), weight: 1.0, born, died, changes, unknown: vec![] }
}

fn site(pages: Vec<Subject>) -> Replay {
    let count = pages.len();
    let links = (0..count as u32).map(|page| vec![(page + 1) % count as u32]).collect();
    let world = World { name: "w".into(), from: 0.0, to: 1000.0, pages, links };
    Replay { world, seen: vec![vec![]; count] }
}

/// The same past, another future: other changes after the start, another death.
fn with_future(page: &Subject, changes: Vec<u32>, died: Option<u32>) -> Subject {
    let past = page.changes.iter().filter(|change| **change <= START).map(|change| *change as u32);
    let future = changes.into_iter().map(|change| 501 + change % 499);
    let died = died.map_or(f64::INFINITY, |died| f64::from(501 + died % 499));
    self::page(&page.url, page.born, died, past.chain(future).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_future_changes_what_is_estimated_or_predicted(
        past in prop::collection::vec((prop::collection::vec(1u32..1000, 0..12), 0u32..400), 12..30),
        future in prop::collection::vec((prop::collection::vec(0u32..499, 0..12), prop::option::of(0u32..499)), 30),
        interval in 7.0f64..90.0,
    ) {
        let pages: Vec<Subject> = past.into_iter().enumerate().map(|(place, (changes, born))| {
            page(&format!("/folder-{}/page-{place}", place % 3), f64::from(born), f64::INFINITY, changes)
        }).collect();
        let others =
            pages.iter().zip(future).map(|(page, (changes, died))| with_future(page, changes, died)).collect();
        let (one, other) = (site(pages), site(others));
        let (here, there) = (Snapshot::at(&one, START, 50.0), Snapshot::at(&other, START, 50.0));
        prop_assert_eq!(&here.members, &there.members);
        let crawls = Crawls { interval, count: 20 };
        prop_assert_eq!(estimated(&one, &here, &crawls), estimated(&other, &there, &crawls));
        for method in [Method::NaiveBayes, Method::Tree] {
            for known in [Known::Online, Known::Offline] {
                let training = Training { method, known, share: 0.5, seed: 3 };
                prop_assert_eq!(predicted(&one, &here, &training), predicted(&other, &there, &training));
            }
        }
    }
}

#[test]
fn an_oracle_does_know_the_future() {
    let one = site(vec![page("/a", 0.0, f64::INFINITY, vec![100])]);
    let other = site(vec![page("/a", 0.0, f64::INFINITY, vec![100, 510, 520])]);
    let (here, there) = (Snapshot::at(&one, START, 50.0), Snapshot::at(&other, START, 50.0));
    assert_eq!(oracle(&one, &here, Reach::Around(0.0)), [Some(0.0)]);
    assert_eq!(oracle(&other, &there, Reach::Around(0.0)), [Some(2.0 / 50.0)]);
}

#[test]
fn looks_at_an_earlier_life_of_a_page_count() {
    let never = f64::INFINITY;
    let mut pages = vec![page("/a", 0.0, 200.0, vec![50, 100, 150]), page("/a", 450.0, never, vec![])];
    pages.extend((0..40).map(|place| page(&format!("/{place}"), 0.0, never, vec![])));
    let replay = site(pages);
    let snapshot = Snapshot::at(&replay, START, 10.0);
    assert_eq!(snapshot.members[0], 1);
    let rates = estimated(&replay, &snapshot, &Crawls { interval: 25.0, count: 20 });
    assert!(rates[0].per_second() > 3.0 * rates[1].per_second(), "{:?} {:?}", rates[0], rates[1]);
    assert!(rates.iter().all(|rate| rate.per_second() > 0.0));
}

#[test]
fn pages_that_look_alike_are_predicted_to_change_alike() {
    let pages = (0..200)
        .map(|place| {
            let busy = place % 2 == 0;
            let folder = if busy { "news" } else { "about" };
            let changes = if busy { (1..50).map(|turn| turn * 10 + place % 7).collect() } else { vec![] };
            page(&format!("/{folder}/page-{place}"), 0.0, f64::INFINITY, changes)
        })
        .collect();
    let replay = site(pages);
    let snapshot = Snapshot::at(&replay, START, 10.0);
    for method in [Method::NaiveBayes, Method::Tree] {
        let rates = predicted(&replay, &snapshot, &Training { method, ..Training::default() });
        for pair in rates.chunks(2) {
            let (busy, still) = (pair[0].unwrap(), pair[1].unwrap());
            assert!((busy - 0.1).abs() < 0.02 && still > 0.0 && still < 0.01, "{method:?} {busy} {still}");
        }
    }
    let nobody = Snapshot::at(&replay, -5.0, 1.0);
    assert!(predicted(&replay, &nobody, &Training::default()).is_empty());
}
