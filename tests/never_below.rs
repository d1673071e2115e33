//! `optimal` is never below any other strategy, on sites too large for the exact assignment.
//!
//! By default a few sites are tried. `ACUITY_SITES=200 cargo test --release --test never_below` tries 200 of 2,501 to 20,000 pages.

use acuity::internals::schedule::expected::coherence;
use acuity::internals::schedule::registry::COMPARED;
use acuity::internals::schedule::{Settings, Site, strategy};

/// Numbers that look random and are the same everywhere: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The rates and weights of site number `number`: eight families, with and without weights.
fn site(number: usize, pages: usize) -> Site {
    let mut random = Numbers(number as u64);
    let skew = 0.8 + 1.2 * random.next();
    let rates: Vec<f64> = (0..pages)
        .map(|i| match number % 8 {
            0 => (i as f64 + 1.0).powf(-1.2),
            1 => (i as f64 + 1.0).powf(-skew),
            2 => 10f64.powf(-8.0 + 7.0 * random.next()),
            3 => (1.0f64 / 0.7).ln() / (i as f64 + 1.0),
            4 => [0.3, 0.01, 0.001, 0.0][i % 4],
            5 if i % 20 < 6 => 0.0,
            5 if i % 20 == 6 => f64::INFINITY,
            5 => 0.1 * random.next(),
            6 => (-8.0 + 2.0 * (random.next() + random.next() + random.next())).exp(),
            _ => 10.0 / (i as f64 + 1.0).powf(1.2),
        })
        .collect();
    let site = Site::new(rates, 1.0).unwrap();
    match number / 8 % 3 {
        0 => site,
        1 => site.with_weights((0..pages).map(|i| 1.0 / (1.0 + i as f64)).collect()).unwrap(),
        _ => site.with_weights((0..pages).map(|_| (1.0 / (1.0 - random.next())).min(1e4)).collect()).unwrap(),
    }
}

fn check(number: usize, pages: usize) {
    let site = site(number, pages);
    let value =
        |name: &str| coherence(&site, &strategy(name, &Settings::default()).unwrap().plan(&site)).unwrap();
    let best = value("optimal");
    for name in COMPARED {
        let other = value(name);
        // Sums of equal numbers in another order differ by rounding.
        assert!(
            best >= other * (1.0 - 1e-13),
            "site {number} of {pages} pages: optimal {best} is below {name} {other}"
        );
    }
}

#[test]
fn no_strategy_is_ahead_of_optimal_on_any_site() {
    let sites = std::env::var("ACUITY_SITES").ok().and_then(|sites| sites.parse().ok()).unwrap_or(3usize);
    for number in 0..sites {
        // Sizes from 2,501 to 20,000; a short run stays at the small end.
        let share = if sites < 20 { 0.0 } else { number as f64 / (sites - 1) as f64 };
        check(number, (2_501.0 * (20_000.0f64 / 2_501.0).powf(share)).round() as usize);
    }
}
