//! Rows that no strategy makes: the worst case of misplaced pages, and the best and worst crawl with hindsight.

use serde::Deserialize;

use crate::schedule::parallel::jobs;
use crate::schedule::worst_case;
use crate::simulate::clairvoyant::{best, pyramid, quiet, worst as worst_crawl};
use crate::simulate::model::{Row, Sample};
use crate::simulate::run::Seeds;
use crate::simulate::synthetic::{Point, Synthetic};

/// Which rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Special {
    Worst,
    Clairvoyant,
}

fn row(site: String, strategy: String, score: &str, pages: usize) -> Row {
    Row {
        site,
        strategy,
        score: score.to_owned(),
        expected: None,
        sampled: None,
        stderr: None,
        published: None,
        z: None,
        difference: None,
        deviation: None,
        runs: 0,
        downloads: pages as f64,
        point: Point { pages, ..Point::default() },
    }
}

/// Eq. 17 and the worst case that was found, for Example 6, for Figure 6a, and for six pages for which eq. 17 is not the worst case.
pub(super) fn worst_cases() -> Vec<Row> {
    let example: Vec<f64> = (1..=5).flat_map(|rate| [f64::from(rate); 2]).collect();
    let figure: Vec<f64> = (1..=51).flat_map(|pair| [100.0 / f64::from(pair); 2]).collect();
    let mut rows = Vec::new();
    for (site, rates, misplaced) in [
        ("Example 6, 10 pages", example, vec![2, 4, 6, 8, 10]),
        ("Figure 6a, 102 pages, skew 1", figure, vec![10, 20, 50, 100]),
        ("6 pages of rates 0 0 1 1 1 1", vec![0.0, 0.0, 1.0, 1.0, 1.0, 1.0], vec![2]),
    ] {
        let pages = rates.len();
        let mut least = row(site.to_owned(), "sharc-offline".to_owned(), "sum of λω", pages);
        least.expected = Some(worst_case::least_blur(&rates));
        rows.push(least);
        for k in misplaced {
            let mut theorem =
                row(site.to_owned(), format!("eq. 17, k = {k}"), "growth of the sum of λω", pages);
            theorem.expected = Some(worst_case::by_theorem(&rates, k));
            theorem.published = (pages == 10 && k == 4).then_some(145.0);
            theorem.difference = theorem.published.zip(theorem.expected).map(|(theirs, ours)| theirs - ours);
            let (growth, hottest) = worst_case::found(&rates, k);
            let strategy = format!("found, k = {k} ({hottest} hottest outside)");
            let mut found = row(site.to_owned(), strategy, "growth of the sum of λω", pages);
            found.expected = Some(growth);
            rows.extend([theorem, found]);
        }
    }
    rows
}

/// Incoherent pages of the best and the worst crawl that knows every change, seed by seed.
pub(super) fn hindsight(made: &Synthetic, seeds: Seeds, threads: usize) -> Vec<Row> {
    let n = made.site.len();
    let middle = n.saturating_sub(1) as f64;
    let reached = jobs(threads, seeds.count as usize, |seed| {
        let mut changes = Vec::new();
        let mut sides = Vec::with_capacity(n);
        for page in 0..n {
            made.draw(seeds.first + seed as u64, page, 2.0 * middle * made.site.delay(), &mut changes);
            changes.iter_mut().for_each(|change| *change /= made.site.delay());
            sides.push(quiet(&changes, middle, n));
        }
        let (before, after): (Vec<u32>, Vec<u32>) = sides.into_iter().unzip();
        [best(&before, &after), pyramid(&before, &after), worst_crawl(&before, &after)]
    });
    ["best with hindsight", "best pyramid with hindsight", "worst with hindsight"]
        .into_iter()
        .enumerate()
        .map(|(kind, strategy)| {
            let samples: Vec<f64> = reached.iter().map(|sharp| (n - sharp[kind]) as f64).collect();
            let sample = Sample::of(&samples);
            Row {
                sampled: sample.mean,
                stderr: sample.stderr,
                deviation: sample.deviation,
                runs: seeds.count,
                downloads: (2 * n).saturating_sub(1) as f64,
                point: made.point,
                ..row(made.name.clone(), strategy.to_owned(), "incoherence", n)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::synthetic::{Described, Importance, Kind};

    #[test]
    fn theorem_4_and_the_worse_case_that_it_misses_are_both_printed() {
        let rows = worst_cases();
        let six: Vec<(&str, Option<f64>)> = rows
            .iter()
            .filter(|row| row.site.starts_with("6 pages"))
            .map(|row| (row.strategy.as_str(), row.expected))
            .collect();
        assert_eq!(six[1], ("eq. 17, k = 2", Some(8.0)), "{six:?}");
        assert_eq!(six[2], ("found, k = 2 (0 hottest outside)", Some(12.0)), "{six:?}");
    }

    #[test]
    fn crawls_with_hindsight_reach_what_was_simulated_before() {
        // Sharp pages of an independent implementation: mean and standard error of 20 seeds (the worst of 6).
        for (kind, sharp) in [
            (Kind::SolarSkewed, [(822.1, 0.9), (793.3, 1.3), (592.3, 2.9)]),
            (Kind::SolarSmooth, [(951.8, 1.7), (842.2, 2.8), (234.2, 4.8)]),
        ] {
            let made = Described::new(kind).build(Importance::Equal).unwrap();
            let rows = hindsight(&made, Seeds { first: 1, count: 6 }, 2);
            for (row, (mean, error)) in rows.iter().zip(sharp) {
                let ours = 1000.0 - row.sampled.unwrap();
                let spread = f64::hypot(row.stderr.unwrap(), error);
                assert!(
                    (ours - mean).abs() < 4.0 * spread,
                    "{}: {ours} is not {mean} ± {spread}",
                    row.strategy
                );
            }
        }
    }
}
