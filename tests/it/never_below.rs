//! `optimal` is never below any other strategy, on sites too large for the exact assignment.
//!
//! By default a few sites are tried. `ACUITY_SITES=200 cargo test --release --test it never_below::` tries 200 of 2,501 to 20,000 pages
//! (each is named on standard error); `ACUITY_FIRST` and `ACUITY_LAST` cut out a part of them.

use std::io::Write;

use acuity::internals::schedule::expected::coherence;
use acuity::internals::schedule::links::Links;
use acuity::internals::schedule::plan::Plan;
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

/// All strategies, with all pages known and with pages found by links (a tree), are at most `optimal` of the same knowledge.
fn check(what: &str, site: &Site) {
    let links = Links::tree(site.len(), 7);
    let best = strategy("optimal", &Settings::default()).unwrap();
    let value = |plan: &Plan| coherence(site, plan).unwrap();
    let (known, found) = (value(&best.plan(site)), value(&best.crawl(site, &links)));
    // The optimum itself is most of the cost, and is made once for each knowledge.
    for name in COMPARED.into_iter().filter(|name| *name != "optimal") {
        let other = strategy(name, &Settings::default()).unwrap();
        let pairs = [(known, value(&other.plan(site))), (found, value(&other.crawl(site, &links)))];
        for (optimal, other) in pairs {
            // Sums of equal numbers in another order differ by rounding.
            assert!(optimal >= other * (1.0 - 1e-13), "{what}: optimal {optimal} is below {name} {other}");
        }
    }
}

#[test]
fn no_strategy_is_ahead_of_optimal_on_any_site() {
    let number = |name: &str| std::env::var(name).ok().and_then(|sites| sites.parse().ok());
    let sites = number("ACUITY_SITES").unwrap_or(3usize);
    for place in number("ACUITY_FIRST").unwrap_or(0)..number("ACUITY_LAST").unwrap_or(sites) {
        // Sizes from 2,501 to 20,000; a short run stays at the small end.
        let share = if sites < 20 { 0.0 } else { place as f64 / (sites - 1) as f64 };
        let pages = (2_501.0 * (20_000.0f64 / 2_501.0).powf(share)).round() as usize;
        let what = format!("site {place} of {pages} pages");
        check(&what, &site(place, pages));
        let _ = writeln!(std::io::stderr(), "{what}: below none");
    }
}

#[test]
fn strange_sites_have_an_optimum_too() {
    // Just above and just below the size of the exact assignment would take long in a test; its own tests cover it.
    let pages = 2_501;
    // In a short run every fourth.
    let step = if std::env::var("ACUITY_SITES").is_ok() { 1 } else { 4 };
    let plain = |rate: &dyn Fn(usize) -> f64| Site::new((0..pages).map(rate).collect(), 1.0).unwrap();
    let weighed = |site: Site, weight: &dyn Fn(usize) -> f64| {
        site.with_weights((0..pages).map(weight).collect()).unwrap()
    };
    let power = |i: usize| 1.0 / (i as f64 + 1.0).powf(1.2);
    for (what, site) in [
        ("no page has a weight", weighed(plain(&power), &|_| 0.0)),
        ("one page has all weight", weighed(plain(&power), &|i| f64::from(u8::from(i == 17)))),
        ("weights of 600 orders of magnitude", weighed(plain(&power), &|i| 10f64.powi(i as i32 % 600 - 300))),
        (
            "the heaviest weights there are",
            weighed(plain(&power), &|i| if i % 2 == 0 { f64::MAX / 1e4 } else { 1.0 }),
        ),
        ("all change equally often, weights differ", weighed(plain(&|_| 0.001), &|i| (i % 97) as f64)),
        ("no page changes", plain(&|_| 0.0)),
        ("all always change", plain(&|_| f64::INFINITY)),
        ("one page never changes", plain(&|i| if i == 5 { 0.0 } else { f64::INFINITY })),
        ("two rates, far apart", plain(&|i| if i % 2 == 0 { 1e-300 } else { 1e300 })),
        ("no time passes", Site::new((0..pages).map(power).collect(), 0.0).unwrap()),
        ("two strict phases", plain(&power).two_phase(true)),
        ("a long delay", Site::new((0..pages).map(power).collect(), 86_400.0).unwrap()),
    ]
    .into_iter()
    .step_by(step)
    {
        check(what, &site);
    }
}
