//! The price method against the exact assignment, and its bound against the definition.

use super::*;
use crate::schedule::optimal::{exact, profit};
use rand::{RngExt, SeedableRng};

fn value(site: &Site, slots: &[u32]) -> f64 {
    (0..site.len()).map(|page| profit(site, page, slots[page] as usize)).sum()
}

fn sites(n: usize) -> Vec<Site> {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
    let skewed: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64).powf(1.2)).collect();
    let uniform: Vec<f64> = (0..n).map(|_| 10f64.powf(random.random_range(-8.0..-1.0))).collect();
    let zipf: Vec<f64> =
        (0..n).map(|_| 1.0 / (1.0 - random.random::<f64>())).map(|w: f64| w.min(1e4)).collect();
    let heat: Vec<f64> = (0..n).map(|i| 1.0 / (1.0 + i as f64)).collect();
    let odd: Vec<f64> = (0..n)
        .map(|i| match i % 20 {
            0..6 => 0.0,
            6 => f64::INFINITY,
            _ => random.random_range(0.0..0.1),
        })
        .collect();
    let ten_rates: Vec<f64> = (0..n).map(|i| 10f64.powi(-((i % 10) as i32))).collect();
    let ten_weights: Vec<f64> = (0..n).map(|i| (i / 10 % 10) as f64).collect();
    let site = |rates: &[f64]| Site::new(rates.to_vec(), 1.0).unwrap();
    vec![
        site(&ten_rates).with_weights(ten_weights).unwrap(),
        site(&skewed),
        site(&skewed).with_weights(heat).unwrap(),
        site(&uniform).with_weights(zipf.clone()).unwrap(),
        site(&odd).with_weights(zipf).unwrap().two_phase(true),
        site(&vec![0.01; n]),
        site(&vec![0.0; n]),
        site(&vec![f64::INFINITY; n]),
    ]
}

#[test]
fn the_schedule_is_within_a_thousandth_of_the_bound_and_the_exact_optimum_between() {
    for (number, site) in sites(600).iter().enumerate() {
        let solution = solve(site);
        let mut slots = solution.slots.clone();
        slots.sort_unstable();
        assert_eq!(slots, (0..600).collect::<Vec<_>>());
        let (reached, best) = (value(site, &solution.slots), exact(site));
        let optimum = value(site, &best.slots);
        assert!(
            reached <= optimum * (1.0 + 1e-12) && optimum <= solution.bound * (1.0 + 1e-12),
            "{number}: {reached} {optimum} {}",
            solution.bound
        );
        assert!(
            solution.bound - reached <= 1e-3 * reached,
            "{number}: {reached} {optimum} {}",
            solution.bound
        );
    }
}

#[test]
fn the_bound_at_knots_is_the_bound_over_all_slots() {
    for site in sites(300).iter().take(4) {
        let (curves, _) = Curves::of(site).unwrap();
        let knots = Knots::new(300, 8);
        let prices: Vec<f64> =
            (0..knots.len()).map(|j| ((j * j) as f64).sin().abs() / (1.0 + j as f64)).collect();
        let all: Vec<f64> = (0..300).map(|k| knots.price(&prices, k)).collect();
        let gain =
            |page: usize| (0..300).map(|k| curves.at(page, k) - all[k]).fold(f64::NEG_INFINITY, f64::max);
        let slowly = all.iter().sum::<f64>() + (0..300).map(gain).sum::<f64>();
        assert!((bound::bound(&curves, &knots, &prices) - slowly).abs() < 1e-9 * slowly);
    }
}

#[test]
fn pages_without_weight_can_be_laid_out_anyhow() {
    let site = Site::new(vec![0.1; 5], 1.0).unwrap().with_weights(vec![0.0; 5]).unwrap();
    assert_eq!(solve(&site).bound, 0.0);
}
