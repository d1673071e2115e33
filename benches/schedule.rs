//! Schedulers at 10^5 and 10^6 pages: time and certified gap.
//!
//! `cargo bench --bench schedule` runs all; `cargo bench --bench schedule -- zipf` those whose name holds the word.

#[path = "support/lines.rs"]
mod lines;

use std::time::Instant;

use acuity::internals::schedule::expected::{coherence, expected};
use acuity::internals::schedule::{Settings, Site, strategy};
use lines::{print, wanted};
use rand::{RngExt, SeedableRng};

fn main() {
    let wanted = wanted();
    print(format_args!(
        "{:34} {:>9} {:>16} {:>18} {:>10} {:>8}",
        "site", "pages", "strategy", "coherence", "gap", "s"
    ));
    for n in [100_000, 1_000_000] {
        for (name, site) in sites(n) {
            for scheduler in ["optimal", "sharc-offline"] {
                let label = format!("{name} {n} {scheduler}");
                if !label.contains(&wanted) {
                    continue;
                }
                let begin = Instant::now();
                let plan = strategy(scheduler, &Settings::default()).unwrap().plan(&site);
                let seconds = begin.elapsed().as_secs_f64();
                let value = coherence(&site, &plan).unwrap();
                let gap =
                    plan.bound().map_or(String::new(), |bound| format!("{:.1e}", (bound - value) / bound));
                print(format_args!(
                    "{name:34} {n:>9} {scheduler:>16} {value:>18.6} {gap:>10} {seconds:>8.2}"
                ));
            }
        }
    }
    if "selective".contains(&wanted) {
        selective(&mut print);
    }
}

/// SHARC-selective against what it is made of: a sort, and hopeless × n multiply-adds.
fn selective(print: &mut dyn FnMut(std::fmt::Arguments)) {
    for skew in [1.2, 1.0] {
        let n = 100_000;
        let site = Site::new((0..n).map(|i| 1.0 / (i as f64 + 1.0).powf(skew)).collect(), 1.0).unwrap();
        let begin = Instant::now();
        let plan = strategy("sharc-selective", &Settings::default()).unwrap().plan(&site);
        let seconds = begin.elapsed().as_secs_f64();
        let hopeless = expected(&site, &plan, 0.0).hopeless.unwrap_or(0);
        let begin = Instant::now();
        std::hint::black_box(site.hottest_first());
        let row = vec![0.5f64; n];
        let mut sum = 0.0;
        for _ in 0..hopeless {
            for value in std::hint::black_box(&row) {
                sum += value * 1.000_1;
            }
        }
        std::hint::black_box(sum);
        let reference = begin.elapsed().as_secs_f64();
        print(format_args!(
            "selective, skew {skew}: {n} pages, {hopeless} hopeless: {seconds:.2} s; sort and multiply-adds alone {reference:.2} s"
        ));
    }
}

fn sites(n: usize) -> Vec<(&'static str, Site)> {
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(1);
    let skewed: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 1.0).powf(1.2)).collect();
    let hot: Vec<f64> = skewed.iter().map(|rate| 10.0 * rate).collect();
    let heat: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 1.0)).collect();
    let uniform: Vec<f64> = (0..n).map(|_| 10f64.powf(random.random_range(-8.0..-1.0))).collect();
    let mut zipf: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 1.0)).collect();
    for i in (1..n).rev() {
        zipf.swap(i, random.random_range(0..=i));
    }
    let odd: Vec<f64> = (0..n)
        .map(|i| match i % 20 {
            0..6 => 0.0,
            6 => f64::INFINITY,
            _ => 10f64.powf(random.random_range(-8.0..-1.0)),
        })
        .collect();
    let all_hot: Vec<f64> = (0..n).map(|_| random.random_range(0.5..5.0)).collect();
    let pareto: Vec<f64> = (0..n).map(|_| (1.0 - random.random::<f64>()).powf(-0.5)).collect();
    let log_normal: Vec<f64> = (0..n)
        .map(|_| {
            let (a, b): (f64, f64) = (random.random(), random.random());
            // A normal deviate by the polar form; rates around one change in 100,000 slots.
            let normal = (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos();
            (2.5 * normal).exp() * 1e-5
        })
        .collect();
    let ten_rates: Vec<f64> = (0..n).map(|i| 10f64.powi(-((i % 10) as i32))).collect();
    let ten_weights: Vec<f64> = (0..n).map(|i| (i / 10 % 10) as f64).collect();
    let mut one_heavy = vec![1.0; n];
    one_heavy[n / 2] = n as f64;
    let site = |rates: &[f64]| Site::new(rates.to_vec(), 1.0).unwrap();
    let weighted = |rates: &[f64], weights: &[f64]| site(rates).with_weights(weights.to_vec()).unwrap();
    vec![
        ("log-uniform, zipf weights", weighted(&uniform, &zipf)),
        ("1/(i+1)^1.2, heat weights", weighted(&skewed, &heat)),
        ("log-uniform", site(&uniform)),
        ("1/(i+1)^1.2", site(&skewed)),
        ("all equal", site(&vec![1e-5; n])),
        ("two rates", site(&(0..n).map(|i| if i % 2 == 0 { 1e-5 } else { 2e-5 }).collect::<Vec<_>>())),
        ("30% zero, 5% infinite, zipf", weighted(&odd, &zipf)),
        ("all hot, pareto weights", weighted(&all_hot, &pareto)),
        ("10/(i+1)^1.2", site(&hot)),
        ("100/(i+1)^1.2", site(&skewed.iter().map(|rate| 100.0 * rate).collect::<Vec<_>>())),
        ("1/(i+1)", site(&heat)),
        ("log-normal, pareto weights", weighted(&log_normal, &pareto)),
        ("ten rates, ten weights", weighted(&ten_rates, &ten_weights)),
        ("one page with half the weight", weighted(&uniform, &one_heavy)),
    ]
}
