//! The optimum against brute force, and the price method against the exact one.

use super::*;
use crate::schedule::expected::coherence;
use crate::schedule::plan::Strategy;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

fn permutations(n: u32) -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    for value in 0..n {
        let longer = |short: &Vec<u32>| {
            (0..=short.len())
                .map(|at| {
                    let mut long = short.clone();
                    long.insert(at, value);
                    long
                })
                .collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The best of all pairs of permutations. Pages are alike up to their numbers, so the table of profits by interval is enough.
fn brute(site: &Site) -> f64 {
    let n = site.len();
    let table: Vec<Vec<f64>> = (0..n)
        .map(|page| {
            let interval = |k: usize| (k as f64 + f64::from(site.gap())) * site.delay();
            (0..2 * n).map(|k| site.weights()[page] * survival(site.rates()[page], interval(k))).collect()
        })
        .collect();
    let all = permutations(n as u32);
    let value = |visit: &[u32], revisit: &[u32]| -> f64 {
        (0..n).map(|page| table[page][(visit[page] + revisit[page]) as usize]).sum()
    };
    all.iter()
        .flat_map(|visit| all.iter().map(move |revisit| (visit, revisit)))
        .map(|(v, r)| value(v, r))
        .fold(0.0, f64::max)
}

fn rate() -> impl proptest::strategy::Strategy<Value = f64> {
    prop_oneof![8 => (-3.0f64..1.0).prop_map(|log| 10f64.powf(log)), 1 => Just(0.0), 1 => Just(f64::INFINITY)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn optimal_is_the_best_of_all_pairs_of_permutations(
        pages in prop::collection::vec((rate(), prop_oneof![4 => 0.01f64..5.0, 1 => Just(0.0)]), 0..6),
        two_phase in any::<bool>(),
    ) {
        let (rates, weights): (Vec<f64>, Vec<f64>) = pages.into_iter().unzip();
        let site = Site::new(rates, 0.7).unwrap().with_weights(weights).unwrap().two_phase(two_phase);
        let plan = Optimal::default().plan(&site);
        let ours = coherence(&site, &plan).unwrap();
        prop_assert!((ours - brute(&site)).abs() < 1e-12 * (1.0 + ours));
        prop_assert!((plan.bound().unwrap() - ours).abs() < 1e-12 * (1.0 + ours));
    }
}

#[test]
fn optimal_is_the_best_of_all_518400_pairs_for_six_pages() {
    let rates = [[0.9, 0.4, 0.35, 0.1, 0.05, 0.0], [0.4, 0.35, 0.30, 0.25, 0.20, 0.15]];
    for (rates, weights) in rates.into_iter().zip([[1.0; 6], [3.0, 0.5, 1.0, 2.0, 0.1, 1.0]]) {
        let site = Site::new(rates.to_vec(), 1.0).unwrap().with_weights(weights.to_vec()).unwrap();
        let ours = coherence(&site, &Optimal::default().plan(&site)).unwrap();
        assert!((ours - brute(&site)).abs() < 1e-12);
    }
}

#[test]
fn the_optimum_of_sharc_example_11_is_2_282081() {
    let site = Site::new(vec![0.40, 0.35, 0.30, 0.25, 0.20], 1.0).unwrap();
    assert!((coherence(&site, &Optimal::default().plan(&site)).unwrap() - 2.282_081).abs() < 5e-7);
}
