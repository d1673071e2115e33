//! Every number of the papers' tables that has a closed form, with the optimum beside it.

use crate::schedule::registry::Settings;
use crate::simulate::model::Row;
use crate::simulate::paper::reproduce;
use crate::simulate::run::{Knowledge, Planning, Seeds, judge, plan};
use crate::simulate::score::Score;
use crate::simulate::spec::Spec;
use crate::simulate::sweep::{self, Sweep};
use crate::simulate::synthetic::sharc::Leaves;
use crate::simulate::synthetic::{Described, Importance, Kind, Synthetic};

const NONE: Seeds = Seeds { first: 1, count: 0 };

#[track_caller]
fn assert_near(ours: f64, published: f64, tolerance: f64) {
    assert!((ours - published).abs() <= tolerance, "{ours} is not {published} ± {tolerance}");
}

fn expected(made: &Synthetic, strategy: &str, score: Score, planning: Planning) -> f64 {
    let spec = Spec::parse(strategy, &Settings::default()).unwrap();
    let crawls = plan(made, &[spec], planning, 1).unwrap();
    judge(made, &crawls, &[score], NONE, 1)[0].expected.unwrap()
}

fn sharc(pages: usize, skew: f64, slow_down: f64, leaves: Leaves) -> Synthetic {
    let described = Described {
        pages: Some(pages),
        skew: Some(skew),
        slow_down: Some(slow_down),
        leaves: Some(leaves),
        ..Described::new(Kind::Sharc)
    };
    described.build(Importance::Equal).unwrap()
}

fn offline() -> Planning {
    Planning { knowledge: Knowledge::All, ..Planning::default() }
}

/// The row of a site and strategy whose score is a published expectation, or the plain one.
#[track_caller]
fn find<'a>(rows: &'a [Row], site: &str, strategy: &str) -> &'a Row {
    let mut found = rows.iter().filter(|row| row.site == site && row.strategy == strategy);
    found.next().unwrap_or_else(|| panic!("{site}: {strategy}"))
}

#[test]
fn solar_table_1_is_met_to_its_digits() {
    let rows = reproduce("solar-1", NONE, 2).unwrap().rows;
    for (site, strategy, value, tolerance) in [
        ("solar skewed 1000", "hottest-middle", 649.5773, 5e-5),
        ("solar smooth 1000", "hottest-middle", 492.8637, 5e-5),
        ("solar skewed 1000", "solar-offline:tau=0.88", 703.66, 5e-3),
        ("solar skewed 1000", "solar-offline:tau=0.87", 706.04, 5e-3),
        ("solar smooth 1000", "solar-offline:tau=0.7", 515.207, 5e-4),
        ("solar skewed 1000", "sharc-threshold:tau=0.042", 684.26, 5e-3),
        ("solar smooth 1000", "sharc-threshold:tau=0.042", 492.8637, 5e-5),
        ("solar skewed 1000", "sharc-selective", 731.558717055, 5e-10),
        ("solar smooth 1000", "sharc-selective", 536.199152606, 5e-10),
        ("solar skewed 1000", "optimal", 731.558717055, 5e-10),
        ("solar smooth 1000", "optimal", 536.209359781, 5e-10),
    ] {
        assert_near(find(&rows, site, strategy).expected.unwrap(), value, tolerance);
    }
    // Published samples lie within two standard deviations; of a published expectation the difference is given.
    for row in rows.iter().filter(|row| row.published.is_some()) {
        match row.difference {
            Some(difference) => assert!(row.z.is_none() && difference.abs() < 2.5, "{row:?}"),
            None => assert!(row.z.unwrap().abs() < 2.0, "{row:?}"),
        }
    }
    assert!(find(&rows, "solar skewed 1000", "hottest-middle").difference.unwrap().abs() < 5e-4);
}

#[test]
fn solar_table_2_is_met_as_far_as_it_is_told() {
    let rows = reproduce("solar-2", NONE, 2).unwrap().rows;
    for (site, strategy, value, tolerance) in [
        ("solar skewed 1000", "hottest-middle", 672.2710, 5e-5),
        ("solar smooth 1000", "hottest-middle", 455.5120, 5e-5),
        ("solar skewed 1000", "solar-online:tau=0.5", 669.5, 7.5),
        ("solar skewed 1000", "solar-online:tau=0.7", 669.5, 7.5),
        ("solar smooth 1000", "solar-online:tau=0.5", 460.0, 2.5),
        ("solar smooth 1000", "solar-online:tau=0.6", 460.0, 2.5),
        ("solar skewed 1000", "hottest-last-lifo", 726.702248, 5e-7),
        ("solar smooth 1000", "hottest-last-lifo", 508.504019, 5e-7),
    ] {
        assert_near(find(&rows, site, strategy).expected.unwrap(), value, tolerance);
    }
}

#[test]
fn every_row_of_sharc_incoherence_is_met_with_its_spread() {
    for (n, skew, slow_down, selective, spread, fifo, lifo, online) in [
        (10_000, 1.2, 1.0, 3029.778, 43.0, 4154.597, 3236.243, 3057.82),
        (50_000, 1.2, 1.0, 11904.054, 91.1, 17366.849, 12382.831, 12048.60),
        (10_000, 1.2, 2.0, 4647.984, 43.8, 5857.971, 5392.97, 4985.42),
        (10_000, 1.2, 10.0, 7941.820, 29.6, 9431.572, 9753.52, 8039.29),
        (10_000, 1.0, 1.0, 7048.764, 35.1, 8514.861, 8643.18, 7122.69),
        (10_000, 1.5, 1.0, 373.612, 18.6, 1043.208, 377.58, 373.61),
        (10_000, 2.0, 1.0, 15.680, 3.8, 175.745, 15.70, 15.68),
    ] {
        let hot = sharc(n, skew, slow_down, Leaves::Hot);
        let names =
            ["sharc-selective", "bfs-fifo", "sharc-revisits", "hottest-last-lifo", "sharc-selective-online"];
        let specs: Vec<Spec> =
            names.iter().map(|name| Spec::parse(name, &Settings::default()).unwrap()).collect();
        let crawls = plan(&hot, &specs, Planning::default(), 2).unwrap();
        let outcomes = judge(&hot, &crawls, &[Score::Incoherence], NONE, 2);
        for (outcome, (value, tolerance)) in
            outcomes.iter().zip([(selective, 5e-4), (fifo, 5e-4), (fifo, 5e-4), (lifo, 5e-3), (online, 5e-3)])
        {
            assert_near(outcome.expected.unwrap(), value, tolerance);
        }
        assert_near(outcomes[0].deviation.unwrap(), spread, 0.051);
    }
}

#[test]
fn sharc_average_blur_is_met() {
    let (cold, hot) = (sharc(10_000, 1.2, 1.0, Leaves::Cold), sharc(10_000, 1.2, 1.0, Leaves::Hot));
    assert_near(expected(&cold, "sharc-offline", Score::Blur, offline()), 1.221678, 5e-7);
    assert_near(expected(&cold, "hottest-first", Score::Blur, offline()), 2.289792, 5e-7);
    assert_near(expected(&cold, "hottest-last", Score::Blur, offline()), 2.289792, 5e-7);
    assert_near(expected(&cold, "sharc-online", Score::Blur, Planning::default()), 1.7459, 5e-5);
    assert_near(expected(&hot, "sharc-online", Score::Blur, Planning::default()), 1.2386, 5e-5);
}

#[test]
fn the_optimum_beats_sharc_selective() {
    for (n, skew, slow_down, optimum, selective) in [
        (1000, 1.0, 1.0, 296.727122, 295.731954),
        (1000, 1.2, 10.0, 147.454586, 146.681042),
        (2000, 1.0, 1.0, 592.804829, 590.787938),
    ] {
        let made = sharc(n, skew, slow_down, Leaves::Cold);
        assert_near(expected(&made, "sharc-selective", Score::Pages, offline()), selective, 5e-7);
        // The tests of schedules have the optimum of the largest of these sites.
        if n < 2000 {
            assert_near(expected(&made, "optimal", Score::Pages, offline()), optimum, 5e-7);
        }
    }
}

#[test]
fn with_weights_by_heat_the_optimum_is_far_ahead_of_who_ignores_them() {
    for (described, ignored, optimum) in [
        (Described::new(Kind::SolarSkewed), 315.330749, 326.378919),
        (Described::new(Kind::SolarSmooth), 318.823754, 591.920417),
        (Described { pages: Some(1000), ..Described::new(Kind::Sharc) }, 340.950891, 505.429853),
    ] {
        let made = described.build(Importance::Heat).unwrap();
        let blind = Planning { ignore_weights: true, ..offline() };
        let coherence = |strategy, planning| 1000.0 - expected(&made, strategy, Score::Incoherence, planning);
        assert_near(coherence("sharc-selective", blind), ignored, 5e-7);
        assert_near(coherence("optimal", offline()), optimum, 5e-7);
    }
}

#[test]
fn published_samples_of_sharc_whose_reading_is_clear_lie_within_four_deviations() {
    for table in ["sharc-17", "sharc-18", "sharc-20", "sharc-21"] {
        let clear = |row: &&Row| {
            let fifo = row.strategy.ends_with("-fifo") || row.strategy == "sharc-revisits";
            // Online rows with cold leaves at skew 1.5 and 2 are printed far above what the algorithm reaches.
            fifo || row.strategy == "sharc-selective"
        };
        let rows = reproduce(table, NONE, 2).unwrap().rows;
        let mut checked = 0;
        for row in rows.iter().filter(clear) {
            assert!(row.z.unwrap().abs() < 4.0, "{table}: {row:?}");
            checked += 1;
        }
        assert!(checked >= 18, "{table}: {checked}");
    }
}

#[test]
fn breadth_and_depth_first_are_met_with_links_in_random_order() {
    // 45 of the 48 cells of BFS and DFS with LIFO revisits lie within two deviations, and all within three.
    let (mut cells, mut within_two) = (0, 0);
    for table in ["sharc-17", "sharc-18", "sharc-20", "sharc-21"] {
        for row in reproduce(table, NONE, 2).unwrap().rows {
            if let Some(z) = row.z.filter(|_| matches!(row.strategy.as_str(), "bfs-lifo" | "dfs-lifo")) {
                cells += 1;
                within_two += usize::from(z.abs() <= 2.0);
                assert!(z.abs() < 3.5, "{table}: {row:?}");
            }
        }
    }
    assert!(cells >= 20 && within_two * 10 >= cells * 9, "{within_two} of {cells}");
}

#[test]
fn a_site_by_its_options_is_crawled_as_in_the_tables() {
    let described =
        Described { pages: Some(10_000), leaves: Some(Leaves::Cold), ..Described::new(Kind::Sharc) };
    let sweep = Sweep {
        sites: vec![described],
        importance: Importance::Equal,
        strategies: ["hottest-last-lifo", "bfs-lifo", "dfs-lifo"].map(str::to_owned).to_vec(),
        settings: Settings::default(),
        planning: Planning::default(),
        scores: vec![Score::Blur, Score::Incoherence],
        days: 1,
        seeds: NONE,
        threads: 2,
    };
    let simulation = sweep::run(&sweep).unwrap();
    assert!(simulation.notes.iter().any(|note| note.starts_with("Links are followed in random order")));
    let own = |strategy: &str| {
        let is_own = |row: &&Row| row.strategy == strategy && row.score == "incoherence";
        simulation.rows.iter().find(is_own).unwrap().expected.unwrap()
    };
    // The cells of Table 13, each one run of the authors.
    for (strategy, published) in [("hottest-last-lifo", 3079.0), ("bfs-lifo", 3719.0), ("dfs-lifo", 3995.0)] {
        assert_near(own(strategy), published, 0.05 * published);
    }
    // With all pages known there are no links to follow.
    let known = Sweep { planning: Planning { knowledge: Knowledge::All, ..sweep.planning }, ..sweep };
    assert!(sweep::run(&known).unwrap().notes.is_empty());
}

#[test]
fn every_seed_follows_links_in_an_order_of_its_own() {
    let of = |first, count| {
        let rows = reproduce("sharc-17", Seeds { first, count }, 2).unwrap().rows;
        rows.into_iter().filter(|row| matches!(row.strategy.as_str(), "bfs-lifo" | "dfs-lifo"))
    };
    // A sample depends on its own seed, not on the first one of the call. Two samples lie one error from their mean.
    for (both, second) in of(1, 2).zip(of(2, 1)) {
        let (mean, error) = (both.sampled.unwrap(), both.stderr.unwrap());
        let away = (second.sampled.unwrap() - mean).abs();
        assert!((away - error).abs() <= 1e-9 * mean, "{both:?} {second:?}");
    }
    // The spread of the samples is that of one run, to which the order of links adds.
    let (mut ratio, mut rows) = (0.0, 0.0);
    for row in of(1, 10) {
        let error = row.stderr.unwrap() * 10f64.sqrt();
        ratio += (error / row.deviation.unwrap()).powi(2);
        rows += 1.0;
    }
    assert!((0.5..1.7).contains(&(ratio / rows)), "{} {rows}", ratio / rows);
}
