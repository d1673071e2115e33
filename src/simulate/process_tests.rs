use proptest::prelude::*;

use super::*;

fn periodic(rates: &[f64]) -> Process {
    let periods = rates.iter().map(|&rate| Period { rate, importance: 1.0 }).collect();
    Process::Periodic { periods, length: 2.5 }
}

fn processes() -> [Process; 3] {
    [
        Process::Poisson { rate: 0.7 },
        Process::Slots { chance: 0.4, slot: 1.5 },
        periodic(&[0.1, 2.0, 0.0, 0.6]),
    ]
}

#[test]
fn drawn_histories_have_the_mean_the_variance_and_the_survival_of_their_law() {
    let (from, to, point) = (3.0, 17.0, 9.0);
    for (place, process) in processes().into_iter().enumerate() {
        let runs = 20_000;
        let (mut count, mut silent, mut sum, mut square) = (0.0, 0.0, 0.0, 0.0);
        let mut changes = Vec::new();
        for run in 0..runs {
            process.draw(from, to, &mut stream(run, place as u64), &mut changes);
            assert!(changes.is_sorted() && changes.iter().all(|change| from < *change && *change <= to));
            count += changes.len() as f64;
            silent += f64::from(u8::from(!changes.iter().any(|change| *change <= 5.0)));
            let distance: f64 = changes.iter().map(|change| (change - point).abs()).sum();
            sum += distance;
            square += distance * distance;
        }
        let runs = runs as f64;
        let (mean, variance) = process.distances(point, from, to);
        let near = |ours: f64, law: f64, spread: f64| {
            assert!((ours - law).abs() < 4.5 * spread / runs.sqrt(), "{process:?}: {ours} is not {law}");
        };
        near(count / runs, process.mean(from, to), process.mean(from, to).sqrt());
        let survival = process.survival(from, 5.0);
        near(silent / runs, survival, (survival * (1.0 - survival)).sqrt());
        near(sum / runs, mean, variance.sqrt());
        let spread = square / runs - (sum / runs).powi(2);
        assert!((spread / variance - 1.0).abs() < 0.06, "{process:?}: {spread} is not {variance}");
    }
}

#[test]
fn a_page_draws_the_same_history_whoever_asks_and_others_draw_another() {
    let process = Process::Poisson { rate: 1.0 };
    let draw = |seed, page| {
        let mut changes = Vec::new();
        process.draw(0.0, 100.0, &mut stream(seed, page), &mut changes);
        changes
    };
    assert_eq!(draw(1, 2), draw(1, 2));
    assert_ne!(draw(1, 2), draw(2, 1));
    assert_ne!(draw(1, 2), draw(1, 3));
}

#[test]
fn pages_that_never_change_have_no_history() {
    let mut changes = vec![1.0];
    for process in
        [Process::Poisson { rate: 0.0 }, Process::Slots { chance: 0.0, slot: 1.0 }, periodic(&[0.0])]
    {
        process.draw(0.0, 1e6, &mut stream(1, 1), &mut changes);
        assert!(changes.is_empty() && process.survival(0.0, 1e6) == 1.0 && process.rate() == 0.0);
    }
}

proptest! {
    #[test]
    fn what_is_known_of_a_stretch_is_the_sum_of_what_is_known_of_its_parts(
        from in 0.0f64..20.0, first in 0.0f64..20.0, second in 0.0f64..20.0, point in -5.0f64..60.0,
    ) {
        let (middle, to) = (from + first, from + first + second);
        for process in processes() {
            let whole = process.distances(point, from, to);
            let (left, right) = (process.distances(point, from, middle), process.distances(point, middle, to));
            prop_assert!((whole.0 - left.0 - right.0).abs() < 1e-6);
            prop_assert!((whole.1 - left.1 - right.1).abs() < 1e-5);
            let product = process.survival(from, middle) * process.survival(middle, to);
            prop_assert!((process.survival(from, to) - product).abs() < 1e-9);
        }
    }
}
