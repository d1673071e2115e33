use super::*;
use crate::schedule::registry::Settings;
use crate::simulate::replay::{Crawls, Reach, Training};
use crate::simulate::world::{Subject, World};

/// Forty pages for a thousand days: every fourth one changes daily, the others never; one dies.
fn site() -> Replay {
    let day = 86_400.0;
    let page = |place: usize| Subject {
        url: if place == 0 { "/".into() } else { format!("/page-{place:02}") },
        weight: 1.0,
        born: f64::NEG_INFINITY,
        died: if place == 5 { 500.0 * day } else { f64::INFINITY },
        changes: if place.is_multiple_of(4) {
            (1..1000).map(|turn| f64::from(turn) * day).collect()
        } else {
            vec![]
        },
        unknown: vec![],
    };
    let links = (0..40).map(|place| if place == 0 { (1..40).collect() } else { vec![0] }).collect();
    let pages: Vec<Subject> = (0..40).map(page).collect();
    let world = World { name: "forty".into(), from: 0.0, to: 1_000.0 * day, pages, links };
    Replay { world, seen: vec![vec![]; 40] }
}

fn recorded<'a>(
    replay: &'a Replay,
    told: &'a [RateOrigin],
    specs: &'a [Spec],
    scores: &'a [Score],
) -> Recorded<'a> {
    Recorded {
        replay,
        duration: 10.0 * 86_400.0,
        starts: 9,
        lead: 100.0 * 86_400.0,
        told,
        specs,
        planning: Planning::default(),
        scores,
        against: Some("bfs-fifo"),
        threads: 2,
    }
}

fn told() -> [RateOrigin; 3] {
    [
        RateOrigin::Oracle(Reach::Life),
        RateOrigin::Estimated(Crawls { interval: 10.0 * 86_400.0, count: 10 }),
        RateOrigin::Predicted(Training { share: 0.5, ..Training::default() }),
    ]
}

#[test]
fn strategies_that_know_which_pages_are_hot_keep_more_of_a_recorded_site_coherent() {
    let (replay, told) = (site(), told());
    let specs: Vec<Spec> =
        ["optimal", "bfs-fifo"].map(|name| Spec::parse(name, &Settings::default()).unwrap()).into();
    let result = run(&recorded(&replay, &told, &specs, &Score::ALL)).unwrap();
    let sampled = |site: &str, strategy: &str, score: &str| {
        let found = |row: &&Row| row.site == site && row.strategy == strategy && row.score == score;
        result.rows.iter().find(found).unwrap_or_else(|| panic!("{site} {strategy} {score}")).sampled.unwrap()
    };
    for site in ["forty, oracle rates", "forty, estimated rates"] {
        // Ten pages change daily. Run twice, the crawl sees all of them change; the optimum keeps at least the one in the middle.
        assert!((sampled(site, "bfs-fifo", "incoherence") - 10.0).abs() < 0.3);
        assert!(sampled(site, "optimal", "incoherence") <= 9.1, "{site}");
        assert!(sampled(site, "optimal", "gain in incoherence over bfs-fifo") >= 0.9);
        let together = sampled(site, "optimal", "incoherence") + sampled(site, "optimal", "pages");
        assert!((39.0..=40.0).contains(&together), "{together}");
    }
    assert_eq!(result.rows.iter().filter(|row| row.score == "query" && row.sampled.is_some()).count(), 6);
    assert!(result.rows.iter().all(|row| row.score != UNDECIDED && row.runs == 9));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (replay, told) = (site(), told());
    let specs = Spec::all(&Settings::default()).unwrap();
    let setup = recorded(&replay, &told, &specs, &[Score::Incoherence, Score::Blur]);
    let alone = run(&Recorded { threads: 1, ..setup.clone() }).unwrap();
    assert!(alone == run(&setup).unwrap() && alone == run(&Recorded { threads: 5, ..setup }).unwrap());
}

#[test]
fn what_is_unknown_stays_so() {
    let mut replay = site();
    replay.world.pages[1].unknown = vec![(0.0, f64::INFINITY)];
    let specs = [Spec::parse("bfs-lifo", &Settings::default()).unwrap()];
    let told = [RateOrigin::Oracle(Reach::Life)];
    let result = run(&recorded(&replay, &told, &specs, &[Score::Incoherence, Score::Blur])).unwrap();
    let of = |score: &str| result.rows.iter().find(|row| row.score == score).unwrap();
    assert_eq!((of("blur").sampled, of(UNDECIDED).sampled), (None, Some(1.0)));
    assert!(of("blur").expected.is_some() && of("incoherence").sampled.is_some());
}

#[test]
fn a_crawl_longer_than_the_history_is_refused() {
    let replay = site();
    let specs = [Spec::parse("bfs", &Settings::default()).unwrap()];
    let told = [RateOrigin::Oracle(Reach::Life)];
    let setup = recorded(&replay, &told, &specs, &[Score::Incoherence]);
    assert!(run(&Recorded { duration: 1e12, ..setup }).is_err());
}
