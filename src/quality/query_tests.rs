use proptest::prelude::*;

use super::*;
use crate::change::run::Outer;
use crate::quality::sweep::Coverage;

fn closed(from: i64, to: i64) -> Option<Span> {
    Interval::new(Instant(from), Instant(to)).map(Span::closed)
}

fn capture(time: i64, stood: Option<Span>) -> Capture {
    Capture { time: Instant(time), stood }
}

fn window(from: i64, to: i64) -> Interval {
    Interval { from: Instant(from), to: Instant(to) }
}

#[test]
fn ben_saad_example_5_21_is_0_568421() {
    // Five versions; the first three were online together, the others beside them. Weights are those of their changes.
    let stood = [closed(0, 10), closed(2, 12), closed(4, 14), closed(20, 30), closed(40, 50)];
    let pages: Vec<[Capture; 1]> =
        stood.iter().enumerate().map(|(place, stood)| [capture(place as i64, *stood)]).collect();
    let weights = Weights::new(&[0.2, 0.54, 0.34, 0.22, 0.6]);
    let result = coherence(pages.iter().map(|page| &page[..]), &weights, window(0, 10)).unwrap();
    assert!((result.by_weight - 0.568421).abs() < 5e-7, "{result:?}");
    assert!((result.by_number - 0.6).abs() < 1e-12);
}

#[test]
fn the_answer_changes_midway_between_captures() {
    // Page 1 changes from A to B; page 2 stayed A. Until midway the answer is coherent, then it is not.
    let page_1 = [capture(0, closed(0, 4)), capture(10, closed(6, 20))];
    let page_2 = [capture(0, closed(0, 4))];
    let pages = [&page_1[..], &page_2[..]];
    let result = coherence(pages, &Weights::uniform(2), window(0, 20)).unwrap();
    assert!((result.by_number - (5.0 + 15.0 * 0.5) / 20.0).abs() < 1e-12, "{result:?}");
}

#[test]
fn a_single_version_is_coherent_with_itself() {
    let page = [capture(5, None)];
    let result = coherence([&page[..]], &Weights::uniform(1), window(0, 10)).unwrap();
    assert_eq!((result.by_number, result.by_weight), (1.0, 1.0));
    let result = coherence([&page[..], &page[..]], &Weights::uniform(2), window(5, 5)).unwrap();
    assert_eq!(result.by_number, 0.5);
    let none: [&[Capture]; 0] = [];
    assert_eq!(coherence(none, &Weights::uniform(0), window(0, 10)), None);
}

prop_compose! {
    fn page()(
        mut times in prop::collection::vec(0i64..60, 1..6),
        stood in prop::collection::vec((0i64..60, 0i64..30, 0u8..3), 6),
    ) -> Vec<Capture> {
        times.sort_unstable();
        times.iter().zip(stood).map(|(time, (from, length, kind))| capture(*time, match kind {
            0 => None,
            1 => closed(from, from + length),
            _ => Span::open(Outer { after: Some(Instant(from)), before: Some(Instant(from + length)) }),
        })).collect()
    }
}

proptest! {
    #[test]
    fn the_integral_equals_dense_sampling(
        pages in prop::collection::vec(page(), 1..6),
        weights in prop::collection::vec(0.1f64..3.0, 6),
    ) {
        let weights = Weights::new(&weights[..pages.len()]);
        let result = coherence(pages.iter().map(Vec::as_slice), &weights, window(0, 60)).unwrap();
        // Midways lie on multiples of one half: samples at odd quarters meet every piece equally often.
        let (mut number, mut weight, samples) = (0.0, 0.0, 120);
        for sample in 0..samples {
            let at = 4 * 60 * sample / samples + 1;
            let answers: Vec<(Span, u64)> = pages.iter().enumerate().filter_map(|(page, captures)| {
                let nearest = captures.iter().map(|capture| (4 * capture.time.0 - at).abs()).min()?;
                // Of captures at one instant, the last one is the state that followed.
                let answer = captures.iter().rev().find(|capture| (4 * capture.time.0 - at).abs() == nearest)?;
                answer.stood.map(|span| (span, weights.units(page)))
            }).collect();
            let coverage = Coverage::of(answers);
            number += f64::from(coverage.best_by_number().pages.max(1)) / pages.len() as f64;
            weight += coverage.best_by_weight().weight.max(weights.greatest()) as f64 / weights.total() as f64;
        }
        // Before the first of several captures at one instant, the first one answers; leave such cases to the exact sum.
        prop_assume!(pages.iter().all(|page| page.windows(2).all(|pair| pair[0].time < pair[1].time)));
        prop_assert!((result.by_number - number / samples as f64).abs() < 1e-9);
        prop_assert!((result.by_weight - weight / samples as f64).abs() < 1e-9);
    }
}
