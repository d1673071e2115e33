//! Change histories of real sites, replayed. They are found by `ACUITY_DATA` (default `../shared/data`); where they are
//! absent, that is said and the test passes.

use std::fs::File;

use crate::support::data::{data, say};
use acuity::internals::change::predict::cross::FOLDS;
use acuity::internals::change::predict::{
    BINS, Example, Features, Method, Predictor, cross_validate, sample,
};
use acuity::internals::simulate::replay::predicted::{Known, examples};
use acuity::internals::simulate::replay::{
    Bulk, Columns, Crawls, Happened, Log, Reach, Replay, Snapshot, Training, estimated, from_log, oracle,
    predicted, starts,
};

const DAY: f64 = 86_400.0;

fn history(name: &str, bulk: Bulk) -> Option<Replay> {
    let file = |kind: &str| data(&format!("histories/{name}.{kind}.csv.gz"));
    let (changes, links) = (File::open(file("changes")?).unwrap(), File::open(file("links")?).unwrap());
    let mut log = Log::read(changes, &Columns::default(), bulk).unwrap();
    log.read_links(links, &Columns::default()).unwrap();
    Some(from_log(name, &log).unwrap())
}

#[test]
fn every_event_of_a_real_history_is_in_its_world() {
    // Counted from the tables: pages, those with a second life, changes of pages that stand, births and deaths.
    for (name, bulk, lives, changes, deaths) in [
        ("digitalgov", Bulk::Keep, 7406 + 112, 17_968 + 8227, 3108 + 364),
        ("digitalgov", Bulk::LeaveOut, 7406 + 112, 8227, 3108 + 364),
        // One page is modified before it is added: it stood before, and its addition is one change more.
        ("python-peps", Bulk::Keep, 742 + 7, 12_660 + 3012 + 1, 9),
    ] {
        let Some(replay) = history(name, bulk) else { continue };
        let pages = &replay.world.pages;
        assert_eq!(pages.len(), lives, "{name}");
        assert_eq!(pages.iter().map(|page| page.changes.len()).sum::<usize>(), changes, "{name}");
        assert_eq!(pages.iter().filter(|page| page.died.is_finite()).count(), deaths, "{name}");
        for page in pages {
            assert!(page.changes.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(page.changes.iter().all(|change| page.born < *change && *change < page.died));
        }
    }
}

#[test]
fn rates_are_known_at_every_start_and_nobody_orders_pages_better_than_the_oracle() {
    for name in ["digitalgov", "python-peps"] {
        let Some(replay) = history(name, Bulk::Keep) else { continue };
        let length = 30.0 * DAY;
        for start in starts(&replay.world, 4, length, 365.0 * DAY).unwrap() {
            let snapshot = Snapshot::at(&replay, start, length);
            let pages = snapshot.members.len();
            assert!(pages > 50, "{name}: {pages}");
            let crawls = Crawls { interval: 14.0 * DAY, count: 26 };
            let mut ranked = vec![("oracle", oracle(&replay, &snapshot, Reach::Around(0.0)))];
            ranked.push(("life", oracle(&replay, &snapshot, Reach::Life)));
            let rates = estimated(&replay, &snapshot, &crawls);
            ranked.push(("estimated", rates.iter().map(|rate| Some(rate.per_second())).collect()));
            for method in [Method::NaiveBayes, Method::Tree] {
                let training = Training { method, ..Training::default() };
                ranked.push((method.name(), predicted(&replay, &snapshot, &training)));
            }
            let changed: Vec<bool> = (0..pages)
                .map(|page| match snapshot.replay.between(page, start, start + length) {
                    Happened::Changed => true,
                    Happened::Unchanged => false,
                    other => panic!("a log knows all of its time: {other:?}"),
                })
                .collect();
            let areas: Vec<(&str, Option<f64>)> =
                ranked.iter().map(|(source, rates)| (*source, area(rates, &changed))).collect();
            let changing = changed.iter().filter(|changed| **changed).count();
            say(&format!("{name}: {pages} pages, {changing} change; {areas:?}"));
            assert!(areas[1..].iter().all(|other| other.1 <= areas[0].1), "none does better than an oracle");
            for (source, rates) in &ranked {
                let known = rates.iter().flatten().count();
                assert!(known * 100 >= pages * 99, "{name} {source}: {known} of {pages}");
                assert!(rates.iter().flatten().all(|rate| rate.is_finite() && *rate >= 0.0));
            }
        }
    }
}

/// The chance that a page which changes has the higher rate than one which does not (ties count half).
fn area(rates: &[Option<f64>], changed: &[bool]) -> Option<f64> {
    let mut known: Vec<(f64, bool)> =
        rates.iter().zip(changed).filter_map(|(rate, changed)| Some(((*rate)?, *changed))).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut still_below, mut sum, mut changing) = (0.0, 0.0, 0.0);
    for group in known.chunk_by(|a, b| a.0 == b.0) {
        let changed = group.iter().filter(|page| page.1).count() as f64;
        let still = group.len() as f64 - changed;
        sum += changed * (still_below + still / 2.0);
        still_below += still;
        changing += changed;
    }
    (changing > 0.0 && still_below > 0.0).then(|| sum / (changing * still_below))
}

#[test]
fn predictors_are_assessed_on_real_histories() {
    for name in ["digitalgov", "python-peps"] {
        for bulk in BULK {
            let Some(replay) = history(name, bulk) else { continue };
            let pages: Vec<u32> = (0..replay.world.pages.len() as u32).collect();
            for known in [Known::Online, Known::Offline] {
                let examples = examples(&replay, &pages, replay.world.to, known);
                for method in [Method::NaiveBayes, Method::Tree] {
                    let assessment = cross_validate(&examples, method, BINS, FOLDS, 1).unwrap();
                    let percent = |share: Option<f64>| 100.0 * share.unwrap();
                    say(&format!(
                        "{name} {bulk:?} {known:?} {}: accuracy {:.2}% (majority {:.2}%), within one bin {:.2}%, off by {:?} of {} \
                         pages in bins {:?}",
                        method.name(),
                        percent(assessment.accuracy()),
                        percent(assessment.majority()),
                        percent(assessment.within(1)),
                        assessment.off_by,
                        assessment.pages(),
                        assessment.bins,
                    ));
                    assert!(assessment.pages() > 700);
                    if matches!(bulk, Bulk::Keep) {
                        let shares = [assessment.accuracy(), assessment.within(1), assessment.majority()];
                        assert_eq!(
                            shares.map(|share| format!("{:.0}%", percent(share))),
                            told(name, known, method)
                        );
                    }
                }
            }
        }
    }
}

/// What docs/simulate.md tells of a history: pages in the right class, at most one class off, and in the fullest one.
fn told(name: &str, known: Known, method: Method) -> [String; 3] {
    let (_, section) = include_str!("../../docs/simulate.md").split_once("Tables 4 and 5").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let (features, classifier) = (
        if known == Known::Online { "online" } else { "offline" },
        if method == Method::Tree { "C4.5" } else { "Naive Bayes" },
    );
    let rows = section.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    let mut rows = rows.filter(|row| row.len() > 6 && row[1].starts_with(features) && row[2] == classifier);
    let row = rows.next_back().unwrap();
    let (first, fullest) = if name == "digitalgov" { (5, "digitalgov,") } else { (3, "PEPs, ") };
    // "… right for 10% (PEPs, …) and 22% (digitalgov, …)"
    let before = section.split(&format!("({fullest}")).next().unwrap().trim_end();
    let majority = before.rsplit(' ').next().unwrap();
    [row[first].to_owned(), row[first + 1].to_owned(), majority.to_owned()]
}

#[test]
#[ignore = "trains several hundred predictors: cargo test --release --test it histories:: -- --ignored"]
fn the_expected_rate_orders_pages_better_than_that_of_the_likeliest_bin() {
    let length = 30.0 * DAY;
    for (name, bulk) in
        ["digitalgov", "python-peps"].into_iter().flat_map(|name| BULK.map(|bulk| (name, bulk)))
    {
        let Some(replay) = history(name, bulk) else { continue };
        let starts = starts(&replay.world, 12, length, 365.0 * DAY).unwrap();
        for (method, known, share) in trainings() {
            let (mut expected, mut likeliest) = (0.0, 0.0);
            for start in &starts {
                let snapshot = Snapshot::at(&replay, *start, length);
                let happened =
                    |page| snapshot.replay.between(page, *start, start + length) == Happened::Changed;
                let changed: Vec<bool> = (0..snapshot.members.len()).map(happened).collect();
                let examples = examples(&replay, &snapshot.members, *start, known);
                let watched = sample(examples.len(), share, 1).into_iter();
                let watched: Vec<Example> = watched.map(|place| examples[place as usize].clone()).collect();
                let predictor = Predictor::train(&watched, method).unwrap();
                let rates = |rate: &dyn Fn(&Features) -> Option<f64>| -> Vec<Option<f64>> {
                    examples.iter().map(|example| rate(&example.features)).collect()
                };
                let bin = |features: &Features| Some(predictor.rates()[predictor.bin(features)? as usize]);
                expected += area(&rates(&|features| predictor.predict(features)), &changed).unwrap() / 12.0;
                likeliest += area(&rates(&bin), &changed).unwrap() / 12.0;
            }
            let of = format!("{name} {bulk:?} {} {known:?} {share}", method.name());
            say(&format!("{of}: {expected:.3} expected, {likeliest:.3} likeliest bin"));
            assert!(expected > likeliest, "{of}");
        }
    }
}

const BULK: [Bulk; 2] = [Bulk::Keep, Bulk::LeaveOut];

fn trainings() -> Vec<(Method, Known, f64)> {
    let methods = [Method::NaiveBayes, Method::Tree].into_iter();
    let seen = methods.flat_map(|method| [Known::Online, Known::Offline].map(|known| (method, known)));
    seen.flat_map(|(method, known)| [0.1, 0.5].map(|share| (method, known, share))).collect()
}
