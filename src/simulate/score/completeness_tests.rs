use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::simulate::process::{Period, stream};

fn periodic(periods: &[(f64, f64)]) -> Process {
    let periods: Arc<[Period]> =
        periods.iter().map(|&(rate, importance)| Period { rate, importance }).collect();
    Process::Periodic { periods, length: 1.0 }
}

#[test]
fn h_agrees_where_its_two_forms_meet_and_with_tables_of_ei() {
    // Ei(1) = 1.895117816355937, Ei(10) = 2492.228976241877 (Abramowitz, Stegun, Table 5.1 and 5.2).
    let by_table = |x: f64, ei: f64| (-x).exp() * (ei - x.ln() - 0.577_215_664_901_532_9);
    assert!((scaled_integral(1.0) - by_table(1.0, 1.895_117_816_355_937)).abs() < 1e-14);
    assert!((scaled_integral(10.0) - by_table(10.0, 2_492.228_976_241_877)).abs() < 1e-13);
    assert!((scaled_integral(39.999_999_999) / scaled_integral(40.0) - 1.0).abs() < 1e-9);
    assert_eq!(scaled_integral(0.0), 0.0);
}

#[test]
fn versions_of_the_example_of_ben_saad_are_counted_once() {
    // Four changes of equal importance, captures after the second, again after the second, and after the third.
    let process = Process::Poisson { rate: 1.0 };
    assert_eq!(realised(&process, &[2.5, 2.7, 3.5], &[1.0, 2.0, 3.0, 4.0]), 0.5);
    assert_eq!(realised(&process, &[0.5], &[1.0]), 0.0);
    assert_eq!(realised(&process, &[0.5], &[]), 1.0);
    // Importance 0.1, 0.6, 0.5, 0.2, of which the second and the third were captured: 0.785714.
    let weighted = periodic(&[(1.0, 0.1), (1.0, 0.6), (1.0, 0.5), (1.0, 0.2)]);
    assert!((realised(&weighted, &[1.9, 2.9], &[0.5, 1.5, 2.5, 3.5]) - 0.785_714).abs() < 5e-7);
}

#[test]
fn what_is_expected_is_what_happens_on_the_average() {
    let (captures, from, to) = ([1.3, 4.0, 4.2, 7.9], 0.0, 9.5);
    let cases = [Process::Poisson { rate: 0.8 }, periodic(&[(0.2, 0.9), (2.0, 0.1), (0.0, 0.5), (1.0, 0.4)])];
    for process in cases {
        let runs = 20_000;
        let (mut sum, mut square) = (0.0, 0.0);
        let mut changes = Vec::new();
        for run in 0..runs {
            process.draw(from, to, &mut stream(run, 7), &mut changes);
            let one = realised(&process, &captures, &changes);
            sum += one;
            square += one * one;
        }
        let runs = runs as f64;
        let (mean, spread) = (sum / runs, (square / runs - (sum / runs).powi(2)).sqrt());
        let expected = expected(&process, &captures, from, to).unwrap();
        assert!(
            (mean - expected).abs() < 4.0 * spread / runs.sqrt(),
            "{process:?}: {mean} is not {expected}"
        );
    }
}

proptest! {
    #[test]
    fn the_quadrature_gives_the_closed_form_where_all_changes_matter_alike(
        mut captures in prop::collection::vec(0.0f64..10.0, 1..6), rate in 0.01f64..3.0, importance in 0.1f64..1.0,
    ) {
        captures.sort_by(f64::total_cmp);
        let closed = expected(&Process::Poisson { rate }, &captures, 0.0, 10.0).unwrap();
        let quadrature = expected(&periodic(&[(rate, importance)]), &captures, 0.0, 10.0).unwrap();
        prop_assert!((closed - quadrature).abs() < 1e-8, "{} is not {}", closed, quadrature);
        prop_assert!((0.0..=1.0 + 1e-12).contains(&closed));
    }
}
