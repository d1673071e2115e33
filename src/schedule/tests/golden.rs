//! The tables of the SOLAR and SHARC papers, by expectation, with the optimum beside them.

use crate::schedule::expected::{blur, coherence};
use crate::schedule::links::Links;
use crate::schedule::plan::Plan;
use crate::schedule::registry::{Settings, strategy};
use crate::schedule::site::Site;

/// SOLAR §6: λ_0 = 1, λ_{i+1} = λ_i/1.06 if i mod 9 < 3, else λ_i/1.001; 1,000 pages.
fn skewed() -> Site {
    let mut rates = vec![1.0];
    for i in 0..999 {
        rates.push(rates[i] / if i % 9 < 3 { 1.06 } else { 1.001 });
    }
    Site::new(rates, 1.0).unwrap()
}

/// SOLAR §6: confidence lengths 1, 2, …, 1000 at τ = 0.7.
fn smooth() -> Site {
    Site::new((1..=1000).map(|i| (1.0f64 / 0.7).ln() / f64::from(i)).collect(), 1.0).unwrap()
}

/// SHARC §9.3: λ_i = 1/(i+1)^skew; a slow-down multiplies every interval.
fn sharc(n: usize, skew: f64, slow_down: f64) -> Site {
    Site::new((0..n).map(|i| 1.0 / (i as f64 + 1.0).powf(skew)).collect(), slow_down).unwrap()
}

fn hot_leaves(site: &Site) -> Site {
    Site::new(site.rates().iter().rev().copied().collect(), site.delay()).unwrap()
}

/// Page weights 1000/(H·(1+r)), r the rank by heat.
fn heat_weights(site: Site) -> Site {
    let n = site.len();
    let harmonic: f64 = (1..=n).map(|r| 1.0 / r as f64).sum();
    let mut weights = vec![0.0; n];
    for (rank, page) in site.hottest_first().into_iter().enumerate() {
        weights[page as usize] = 1000.0 / (harmonic * (1.0 + rank as f64));
    }
    site.with_weights(weights).unwrap()
}

fn plan(name: &str, settings: Settings, site: &Site) -> Plan {
    strategy(name, &settings).unwrap().plan(site)
}

fn crawl(name: &str, settings: Settings, site: &Site, links: &Links) -> Plan {
    strategy(name, &settings).unwrap().crawl(site, links)
}

fn offline(name: &str, site: &Site) -> f64 {
    coherence(site, &plan(name, Settings::default(), site)).unwrap()
}

fn with_tau(tau: f64) -> Settings {
    Settings { tau: Some(tau), ..Settings::default() }
}

#[track_caller]
fn assert_near(ours: f64, published: f64, tolerance: f64) {
    assert!((ours - published).abs() <= tolerance, "{ours} is not {published} ± {tolerance}");
}

#[test]
fn solar_table_1_hottest_middle() {
    assert_near(offline("hottest-middle", &skewed()), 649.5773, 5e-5);
    assert_near(offline("hottest-middle", &smooth()), 492.8637, 5e-5);
}

#[test]
fn solar_table_1_solar_offline() {
    let value = |site: &Site, tau| coherence(site, &plan("solar-offline", with_tau(tau), site)).unwrap();
    assert_near(value(&skewed(), 0.88), 703.66, 5e-3);
    assert_near(value(&skewed(), 0.87), 706.04, 5e-3);
    assert_near(value(&smooth(), 0.7), 515.207, 5e-4);
}

#[test]
fn solar_table_1_sharc_threshold() {
    let value = |site: &Site| coherence(site, &plan("sharc-threshold", with_tau(0.042), site)).unwrap();
    assert_near(value(&skewed()), 684.26, 5e-3);
    assert_near(value(&smooth()), 492.8637, 5e-5);
    assert_eq!(plan("sharc-threshold", with_tau(0.042), &smooth()).given_up(), Some(0));
}

#[test]
fn solar_table_2_online() {
    // The paper lets the last visit and the first revisit share the middle.
    let value = |name, settings, site: &Site| {
        coherence(site, &crawl(name, settings, site, &Links::solar_tree(1000)).with_shared_middle()).unwrap()
    };
    assert_near(value("hottest-middle", Settings::default(), &skewed()), 672.2710, 5e-5);
    assert_near(value("hottest-middle", Settings::default(), &smooth()), 455.5120, 5e-5);
    for tau in [0.5, 0.55, 0.6] {
        assert_near(value("solar-online", with_tau(tau), &smooth()), 460.0, 2.5);
    }
    for tau in [0.5, 0.6, 0.7, 0.8] {
        assert_near(value("solar-online", with_tau(tau), &skewed()), 669.5, 7.5);
    }
    assert_near(value("hottest-last-lifo", Settings::default(), &skewed()), 726.702248, 5e-7);
    assert_near(value("hottest-last-lifo", Settings::default(), &smooth()), 508.504019, 5e-7);
}

#[test]
fn sharc_selective_and_the_optimum_on_the_sites_of_solar() {
    assert_near(offline("sharc-selective", &skewed()), 731.558717055, 5e-10);
    assert_near(offline("sharc-selective", &smooth()), 536.199152606, 5e-10);
    assert_near(offline("optimal", &skewed()), 731.558717055, 5e-10);
    assert_near(offline("optimal", &smooth()), 536.209359781, 5e-10);
}

#[test]
fn sharc_selective_offline_in_every_row() {
    for (n, skew, slow_down, incoherence, hopeless) in [
        (10_000, 1.2, 1.0, 3029.778, 499),
        (50_000, 1.2, 1.0, 11904.054, 1264),
        (10_000, 1.2, 2.0, 4647.984, 1527),
        (10_000, 1.2, 10.0, 7941.820, 6844),
        (10_000, 1.0, 1.0, 7048.764, 4999),
        (10_000, 1.5, 1.0, 373.612, 10),
        // The coldest page, decided last, is a tie of two equal sums: hopeful, by the rule "≥".
        (10_000, 2.0, 1.0, 15.680, 1),
    ] {
        let site = sharc(n, skew, slow_down);
        let plan = plan("sharc-selective", Settings::default(), &site);
        assert_near(n as f64 - coherence(&site, &plan).unwrap(), incoherence, 5e-4);
        assert_eq!(plan.given_up(), Some(hopeless));
    }
}

#[test]
fn sharc_baselines_and_online_in_every_row() {
    for (n, skew, slow_down, fifo, lifo, online) in [
        (10_000, 1.2, 1.0, 4154.597, 3236.243, 3057.82),
        (50_000, 1.2, 1.0, 17366.849, 12382.831, 12048.60),
        (10_000, 1.2, 2.0, 5857.971, 5392.97, 4985.42),
        (10_000, 1.2, 10.0, 9431.572, 9753.52, 8039.29),
        (10_000, 1.0, 1.0, 8514.861, 8643.18, 7122.69),
        (10_000, 1.5, 1.0, 1043.208, 377.58, 373.61),
        (10_000, 2.0, 1.0, 175.745, 15.70, 15.68),
    ] {
        let site = sharc(n, skew, slow_down);
        assert_near(n as f64 - offline("bfs-fifo", &site), fifo, 5e-4);
        assert_near(n as f64 - offline("sharc-revisits", &site), fifo, 5e-4);
        let (site, links) = (hot_leaves(&site), Links::tree(n, 400));
        let value = |name| coherence(&site, &crawl(name, Settings::default(), &site, &links)).unwrap();
        assert_near(
            n as f64 - value("hottest-last-lifo"),
            lifo,
            if n == 10_000 && slow_down < 2.0 && skew == 1.2 { 5e-4 } else { 5e-3 },
        );
        assert_near(n as f64 - value("sharc-selective-online"), online, 5e-3);
    }
}

#[test]
fn sharc_average_blur() {
    let site = sharc(10_000, 1.2, 1.0);
    let average = |name| blur(&site, &plan(name, Settings::default(), &site).visits_only());
    assert_near(average("sharc-offline"), 1.221678, 5e-7);
    assert_near(average("hottest-first"), 2.289792, 5e-7);
    assert_near(average("hottest-last"), 2.289792, 5e-7);
    let online = |site: &Site| {
        let plan = crawl("sharc-online", Settings::default(), site, &Links::tree(10_000, 400));
        blur(site, &plan.visits_only())
    };
    assert_near(online(&site), 1.7459, 5e-5);
    assert_near(online(&hot_leaves(&site)), 1.2386, 5e-5);
}

#[test]
fn the_optimum_beats_sharc_selective() {
    for (n, skew, slow_down, optimum, selective) in [
        (1000, 1.0, 1.0, 296.727122, 295.731954),
        (1000, 1.2, 10.0, 147.454586, 146.681042),
        (2000, 1.0, 1.0, 592.804829, 590.787938),
    ] {
        let site = sharc(n, skew, slow_down);
        assert_near(offline("sharc-selective", &site), selective, 5e-7);
        assert_near(offline("optimal", &site), optimum, 5e-7);
    }
}

#[test]
fn with_weights_the_optimum_is_far_ahead_of_a_schedule_that_ignores_them() {
    for (site, ignored, optimum) in [
        (skewed(), 315.330749, 326.378919),
        (smooth(), 318.823754, 591.920417),
        (sharc(1000, 1.2, 1.0), 340.950891, 505.429853),
    ] {
        let site = heat_weights(site);
        let blind = plan("sharc-selective", Settings::default(), &site.unweighted());
        assert_near(coherence(&site, &blind).unwrap(), ignored, 5e-7);
        assert_near(offline("optimal", &site), optimum, 5e-7);
    }
}
