//! What must hold for every strategy: samples agree with expectations, and threads do not matter.

use crate::schedule::expected::{blur, coherence, coherence_with_start};
use crate::schedule::registry::Settings;
use crate::simulate::continuous;
use crate::simulate::crawl::Crawl;
use crate::simulate::model::Sample;
use crate::simulate::run::{Planning, Seeds, judge, plan};
use crate::simulate::score::Score;
use crate::simulate::spec::Spec;
use crate::simulate::synthetic::sharc::Leaves;
use crate::simulate::synthetic::{Described, Importance, Kind, Synthetic};

fn site(kind: Kind, importance: Importance) -> Synthetic {
    let mut described = Described { pages: Some(120), ..Described::new(kind) };
    if kind == Kind::Sharc {
        (described.outdegree, described.leaves, described.slow_down) =
            (Some(5), Some(Leaves::Hot), Some(1.5));
    }
    described.build(importance).unwrap()
}

fn sites() -> [Synthetic; 5] {
    [
        site(Kind::Sharc, Importance::Equal),
        site(Kind::Sharc, Importance::Heat),
        site(Kind::SolarSkewed, Importance::Equal),
        site(Kind::SolarSmooth, Importance::Heat),
        site(Kind::Chances, Importance::Equal),
    ]
}

fn all() -> Vec<Spec> {
    Spec::all(&Settings::default()).unwrap()
}

#[test]
fn expected_and_sampled_agree_within_four_standard_errors_over_a_hundred_seeds() {
    let seeds = Seeds { first: 1, count: 100 };
    for made in sites() {
        let crawls = plan(&made, &all(), Planning::default(), 2).unwrap();
        for outcome in judge(&made, &crawls, &Score::ALL, seeds, 2) {
            let Some(expected) = outcome.expected else {
                let slots = made.name.starts_with("chances") && outcome.score == Score::Completeness;
                assert!(slots || outcome.score == Score::Query, "{}", outcome.strategy);
                continue;
            };
            let sample = Sample::of(&outcome.samples);
            // The closed form of the spread where there is one: a sample of 100 may by chance show too little of it.
            let spread = outcome.deviation.or(sample.deviation).unwrap();
            let distance = (sample.mean.unwrap() - expected).abs();
            assert!(
                distance <= 4.0 * spread / 10.0 + 1e-9 * expected.abs(),
                "{}, {}, {:?}: {} is not {expected} ± {spread}",
                made.name,
                outcome.strategy,
                outcome.score,
                sample.mean.unwrap()
            );
        }
    }
}

#[test]
fn crawls_of_days_reach_what_is_expected_of_them() {
    let made = site(Kind::Daily, Importance::Equal);
    let crawls = continuous::plan(&made, &all(), 30, Planning::default(), 2).unwrap();
    let scores = [Score::Completeness, Score::BlurRevisits];
    for outcome in judge(&made, &crawls, &scores, Seeds { first: 1, count: 100 }, 2) {
        let sample = Sample::of(&outcome.samples);
        let distance = (sample.mean.unwrap() - outcome.expected.unwrap()).abs();
        assert!(
            distance <= 4.0 * sample.stderr.unwrap(),
            "{}: {sample:?} {:?}",
            outcome.strategy,
            outcome.expected
        );
    }
}

#[test]
fn the_spread_of_samples_is_the_spread_of_the_closed_form() {
    let made = site(Kind::SolarSmooth, Importance::Equal);
    let crawls = plan(&made, &all()[..4], Planning::default(), 2).unwrap();
    let scores = [Score::Incoherence, Score::Blur, Score::BlurRevisits, Score::Pages];
    for outcome in judge(&made, &crawls, &scores, Seeds { first: 7, count: 400 }, 2) {
        let ratio = Sample::of(&outcome.samples).deviation.unwrap() / outcome.deviation.unwrap();
        // The standard error of a deviation over 400 runs is 1/√800.
        assert!(
            (ratio - 1.0).abs() < 4.5 / 800f64.sqrt(),
            "{} {:?}: {ratio}",
            outcome.strategy,
            outcome.score
        );
    }
}

#[test]
fn the_same_seeds_give_the_same_bits_on_any_number_of_threads() {
    let made = site(Kind::Sharc, Importance::Heat);
    let run = |threads: usize| {
        let crawls = plan(&made, &all(), Planning::default(), threads).unwrap();
        judge(&made, &crawls, &Score::ALL, Seeds { first: 3, count: 5 }, threads)
    };
    let alone = run(1);
    for threads in [2, 3, 8] {
        assert!(alone == run(threads), "{threads} threads");
    }
    let bits = |outcome: &crate::simulate::run::Outcome| {
        outcome.samples.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert!(alone.iter().map(bits).eq(run(2).iter().map(bits)));
}

#[test]
fn the_law_of_every_process_gives_what_the_scheduler_expects_of_poisson_pages() {
    for made in [site(Kind::Sharc, Importance::Heat), site(Kind::SolarSmooth, Importance::Equal)] {
        let crawls = plan(&made, &all(), Planning::default(), 2).unwrap();
        let scores = [Score::Incoherence, Score::Blur, Score::BlurRevisits, Score::Measurable];
        let outcomes = judge(&made, &crawls, &scores, Seeds { first: 1, count: 0 }, 2);
        let weight: f64 = made.site.weights().iter().sum();
        for ((name, crawl), outcomes) in crawls.iter().zip(outcomes.chunks(scores.len())) {
            let Crawl::Planned { plan, .. } = crawl else { panic!("{name} has no plan") };
            let theirs = [
                weight - coherence(&made.site, plan).unwrap(),
                blur(&made.site, &plan.clone().visits_only()),
                blur(&made.site, plan),
                weight - coherence_with_start(&made.site, plan),
            ];
            for (outcome, theirs) in outcomes.iter().zip(theirs) {
                let ours = outcome.expected.unwrap();
                assert!(
                    (ours - theirs).abs() <= 1e-9 * weight,
                    "{name} {:?}: {ours} {theirs}",
                    outcome.score
                );
            }
        }
    }
}

#[test]
fn a_world_holds_the_very_changes_that_strategies_are_judged_by() {
    let made = site(Kind::Sharc, Importance::Equal);
    let crawls = plan(&made, &all()[..3], Planning::default(), 1).unwrap();
    let outcomes = judge(&made, &crawls, &[Score::Pages], Seeds { first: 9, count: 1 }, 1);
    let world = made.world(9, crawls.iter().map(|(_, crawl)| crawl.window(false)).fold(0.0, f64::max));
    assert_eq!((world.pages.len(), world.links.len(), world.links[0].len()), (120, 120, 5));
    for ((_, crawl), outcome) in crawls.iter().zip(&outcomes) {
        let sharp = (0..120).filter(|&page| {
            let mut buffer = [0.0; 2];
            let view = crawl.view(page, false, &mut buffer);
            let (first, last) = (view.captures[0], view.captures[view.captures.len() - 1]);
            !world.pages[page].changes.iter().any(|change| first < *change && *change <= last)
        });
        assert_eq!(outcome.samples, [sharp.count() as f64]);
    }
}
