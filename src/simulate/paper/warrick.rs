//! The tables of the paper on repository crawlers: difference vectors from counts, their statistics, and the policies on synthetic
//! repositories.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::recovery::policy::Policy;
use crate::recovery::vector::Counts;
use crate::recovery::wilcoxon::signed_rank;
use crate::simulate::model::{Row, Sample, Simulation};
use crate::simulate::repositories::{Kind, LostSite, OF_PAPER};
use crate::simulate::run::Seeds;
use crate::simulate::synthetic::Point;

const SOURCE: &str =
    "McCown, Nelson: Evaluation of Crawling Policies for a Web-Repository Crawler, HYPERTEXT 2006";
const TABLE_1: &str = include_str!("warrick.toml");
/// The names of the tables.
pub(super) const NAMES: [&str; 2] = ["warrick-1", "warrick-2"];
/// Pages of a synthetic site, close to the mean of the paper's sites.
const PAGES: usize = 400;
const COVERAGES: [f64; 6] = [0.1, 0.2, 0.3, 0.5, 0.7, 0.9];
/// The coverage at which staleness and limits vary.
const USUAL_COVERAGE: f64 = 0.5;
/// Shares of copies that are of an older version, of all repositories.
const STALE: [f64; 5] = [0.0, 0.2, 0.4, 0.6, 0.8];
/// Requests that every repository answers in a day.
const LIMITS: [u64; 4] = [50, 100, 300, 1000];

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table1 {
    site: Vec<Site>,
}

/// A site of Table 1: vectors as printed and the counts behind them, for each policy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Site {
    name: String,
    uris: u64,
    vectors: [[f64; 3]; 3],
    counts: [[u64; 3]; 3],
}

impl Site {
    fn counts(&self, policy: usize) -> Counts {
        let [changed, missing, added] = self.counts[policy];
        let identical = self.uris.saturating_sub(changed + missing);
        Counts { identical, changed, missing, added, ..Counts::default() }
    }
}

fn table_1() -> Result<Vec<Site>> {
    let table: Table1 = toml::from_str(TABLE_1)
        .map_err(|error| Error::data(format!("the published tables are damaged: {error}")))?;
    Ok(table.site)
}

/// The table of that name beside ours; `None`: it is of another paper.
pub(super) fn reproduce(id: &str, seeds: Seeds) -> Result<Option<Simulation>> {
    Ok(Some(match id {
        "warrick-1" => vectors(&table_1()?),
        "warrick-2" => statistics(&table_1()?, seeds),
        _ => return Ok(None),
    }))
}

/// A row that is no sample of ours.
fn row(site: &str, strategy: &str, score: &str, expected: Option<f64>, published: Option<f64>) -> Row {
    Row {
        site: site.to_owned(),
        strategy: strategy.to_owned(),
        score: score.to_owned(),
        expected,
        sampled: None,
        stderr: None,
        published,
        z: None,
        difference: None,
        deviation: None,
        runs: 1,
        downloads: 0.0,
        point: Point::default(),
    }
}

fn vectors(sites: &[Site]) -> Simulation {
    let mut simulation = Simulation::new(format!("{SOURCE}, Table 1: difference vectors"));
    simulation.notes = vec![
        "Ours are computed from whole counts of resources; every one rounds to the printed digits.".to_owned(),
        "Several counts of added resources may print the same share; the closest one is taken, for site 1 that of section 5.1.".to_owned(),
    ];
    for site in sites {
        for (place, policy) in Policy::ALL.into_iter().enumerate() {
            let counts = site.counts(place);
            let vector = counts.vector();
            let parts = [("changed", vector.changed), ("missing", vector.missing), ("added", vector.added)];
            for ((score, share), printed) in parts.into_iter().zip(site.vectors[place]) {
                let mut row =
                    row(&site.name, policy.name(), score, share.map(|share| share.low()), Some(printed));
                row.point.pages = site.uris as usize;
                simulation.rows.push(row);
            }
        }
    }
    simulation
}

/// Mean, median, sample deviation, least and greatest value of Table 2, as printed.
type Printed = [f64; 5];
const RECOVERED: [Printed; 3] =
    [[71.4, 79.6, 27.5, 5.4, 100.0], [72.4, 76.5, 25.3, 8.4, 100.0], [74.7, 80.2, 23.6, 8.6, 100.0]];
const ADDED: [Printed; 3] =
    [[8.1, 1.3, 13.3, 0.0, 50.8], [11.1, 3.4, 16.7, 0.0, 61.2], [51.1, 42.1, 30.8, 0.6, 100.0]];
/// Mean efficiency with and without added resources, as printed.
const EFFICIENCY: [[f64; 2]; 3] = [[0.16, 0.15], [0.41, 0.37], [0.49, 0.22]];

/// The statistics of Table 2 over one figure of every site.
fn five(values: &[f64]) -> [Option<f64>; 5] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let sample = Sample::of(values);
    let middle = sorted.len() / 2;
    let median = match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    };
    [sample.mean, median, sample.deviation, sorted.first().copied(), sorted.last().copied()]
}

fn statistics(sites: &[Site], seeds: Seeds) -> Simulation {
    let mut simulation =
        Simulation::new(format!("{SOURCE}, Table 2: statistics, and the policies on synthetic repositories"));
    let recovered = |policy: usize| -> Vec<f64> {
        sites.iter().map(|site| 100.0 * (1.0 - site.vectors[policy][1])).collect()
    };
    let added =
        |policy: usize| -> Vec<f64> { sites.iter().map(|site| 100.0 * site.vectors[policy][2]).collect() };
    type Values<'a> = &'a dyn Fn(usize) -> Vec<f64>;
    let scores: [(&str, Values<'_>, [Printed; 3]); 2] =
        [("recovered", &recovered, RECOVERED), ("added", &added, ADDED)];
    for (score, values, printed) in scores {
        for (statistic, name) in ["mean", "median", "deviation", "least", "greatest"].iter().enumerate() {
            for (place, policy) in Policy::ALL.into_iter().enumerate() {
                let ours = five(&values(place))[statistic];
                let title = format!("{name} of {score}, percent");
                let mut row = row("24 sites", policy.name(), &title, ours, Some(printed[place][statistic]));
                row.runs = sites.len() as u64;
                simulation.rows.push(row);
            }
        }
        for (one, other) in [(1, 0), (2, 0), (2, 1)] {
            let pairs: Vec<(f64, f64)> = values(one).into_iter().zip(values(other)).collect();
            simulation.rows.push(p_value("24 sites", score, &pairs, one, other, Point::default()));
        }
    }
    synthetic(&mut simulation, seeds);
    stale_and_limited(&mut simulation, seeds);
    simulation.notes = vec![
        "Recovered and added are computed from the printed vectors of Table 1; deviations are those of a sample.".to_owned(),
        "Requests per site stood only in figures that are lost, so the paper's efficiencies cannot be computed again. They are shown beside those of synthetic repositories at coverage 0.5, for comparison only.".to_owned(),
        "The paper calls the fall of the exhaustive policy from 0.49 to 0.22 a loss of 45%; it is 55%.".to_owned(),
        format!("Synthetic: sites of {PAGES} pages and half as many older ones, four repositories with the paper's daily limits; coverage, age and listing are assumptions. Requests are modelled, none was sent."),
        format!("Older copies and daily limits vary at coverage {USUAL_COVERAGE}. Changed share: recovered in an older version. With a limit the days are those of the slowest repository."),
        "p: two-sided, exact, of Wilcoxon's signed-rank test over pairs of sites. The paper has p < 0.001 between all efficiencies, and p < 0.05 between exhaustive and naive without added resources.".to_owned(),
    ];
    simulation
}

fn p_value(site: &str, score: &str, pairs: &[(f64, f64)], one: usize, other: usize, point: Point) -> Row {
    let test = signed_rank(pairs);
    let strategy = format!("{} against {}", Policy::ALL[one].name(), Policy::ALL[other].name());
    let mut row = row(site, &strategy, &format!("p of {score}"), Some(test.p), None);
    row.runs = pairs.len() as u64;
    row.point = point;
    row
}

/// One figure of a policy on one synthetic site.
type Measure = (&'static str, fn(&Figures) -> f64);

#[derive(Debug, Clone, Copy)]
struct Figures {
    efficiency: f64,
    efficiency_without_added: f64,
    recovered: f64,
    /// Recovered in an older version.
    changed: f64,
    added: f64,
    requests: f64,
    days: f64,
    /// Resources of the site recovered for each day.
    daily: f64,
}

const MEASURES: [Measure; 8] = [
    ("efficiency", |figures| figures.efficiency),
    ("efficiency without added", |figures| figures.efficiency_without_added),
    ("recovered share", |figures| figures.recovered),
    ("added share", |figures| figures.added),
    ("requests", |figures| figures.requests),
    ("days", |figures| figures.days),
    ("changed share", |figures| figures.changed),
    ("recovered a day", |figures| figures.daily),
];

fn figures(pages: usize, coverage: f64, kinds: &[Kind], seed: u64) -> [Figures; 3] {
    let mut site = LostSite::draw(pages, coverage, kinds, seed);
    Policy::ALL.map(|policy| {
        let recovery = site.recover(policy, kinds);
        let counts = site.counts(&recovery);
        let efficiency = |recovered| recovery.efficiency(recovered).unwrap_or(f64::NAN);
        Figures {
            efficiency: efficiency(counts.rebuilt()),
            efficiency_without_added: efficiency(counts.recovered()),
            recovered: counts.recovered() as f64 / counts.original() as f64,
            changed: counts.changed as f64 / counts.original() as f64,
            added: counts.vector().added.map_or(0.0, |share| share.low()),
            requests: recovery.total_requests() as f64,
            days: recovery.days().unwrap_or(0) as f64,
            daily: counts.recovered() as f64 / recovery.days().unwrap_or(1).max(1) as f64,
        }
    })
}

fn draws(coverage: f64, kinds: &[Kind], seeds: Seeds) -> Vec<[Figures; 3]> {
    (0..seeds.count).map(|run| figures(PAGES, coverage, kinds, seeds.first.wrapping_add(run))).collect()
}

/// A row with the mean of one measure of a policy.
fn sampled(runs: &[[Figures; 3]], (_, of): Measure, policy: usize, row: Row, point: Point) -> Row {
    let values: Vec<f64> = runs.iter().map(|run| of(&run[policy])).collect();
    let sample = Sample::of(&values);
    let requests: f64 = runs.iter().map(|run| run[policy].requests).sum();
    Row {
        sampled: sample.mean,
        stderr: sample.stderr,
        deviation: sample.deviation,
        runs: runs.len() as u64,
        downloads: requests / runs.len().max(1) as f64,
        point,
        ..row
    }
}

/// What older copies and daily limits do to the policies, at one coverage.
fn stale_and_limited(simulation: &mut Simulation, seeds: Seeds) {
    let stale = STALE.map(|stale| {
        let kinds = OF_PAPER.map(|kind| Kind { stale, ..kind });
        (format!("synthetic, {stale} of the copies older"), kinds, ["changed share", "added share"])
    });
    let limited = LIMITS.map(|daily_requests| {
        let kinds = OF_PAPER.map(|kind| Kind { daily_requests, ..kind });
        (format!("synthetic, {daily_requests} requests a day"), kinds, ["days", "recovered a day"])
    });
    let point = Point { pages: PAGES, ..Point::default() };
    for (name, kinds, scores) in stale.into_iter().chain(limited) {
        let runs = draws(USUAL_COVERAGE, &kinds, seeds);
        for measure in MEASURES.into_iter().filter(|(score, _)| scores.contains(score)) {
            for (place, policy) in Policy::ALL.into_iter().enumerate() {
                let row = row(&name, policy.name(), measure.0, None, None);
                simulation.rows.push(sampled(&runs, measure, place, row, point));
            }
        }
    }
}

fn synthetic(simulation: &mut Simulation, seeds: Seeds) {
    for coverage in COVERAGES {
        let runs: Vec<[Figures; 3]> = draws(coverage, &OF_PAPER, seeds);
        let point = Point { pages: PAGES, coverage: Some(coverage), ..Point::default() };
        let name = format!("synthetic, coverage {coverage}");
        for (at, measure) in MEASURES.into_iter().enumerate() {
            for (place, policy) in Policy::ALL.into_iter().enumerate() {
                let published =
                    (coverage == USUAL_COVERAGE).then(|| EFFICIENCY[place].get(at).copied()).flatten();
                simulation.rows.push(sampled(
                    &runs,
                    measure,
                    place,
                    row(&name, policy.name(), measure.0, None, published),
                    point,
                ));
            }
        }
        for (score, of) in &MEASURES[..2] {
            for (one, other) in [(1, 0), (2, 0), (2, 1)] {
                let pairs: Vec<(f64, f64)> =
                    runs.iter().map(|run| (of(&run[one]), of(&run[other]))).collect();
                simulation.rows.push(p_value(&name, score, &pairs, one, other, point));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_72_vectors_of_table_1_follow_from_counts() {
        let sites = table_1().unwrap();
        assert_eq!(sites.len(), 24);
        for row in vectors(&sites).rows {
            let (ours, printed) = (row.expected.unwrap(), row.published.unwrap());
            // 19/152 = 0.125 and the like are printed rounded up.
            assert_eq!(
                format!("{:.3}", ours + 1e-12),
                format!("{printed:.3}"),
                "{} {}",
                row.site,
                row.strategy
            );
        }
        for site in &sites {
            for policy in 0..3 {
                assert_eq!(site.counts(policy).original(), site.uris, "{}", site.name);
            }
        }
    }

    #[test]
    fn table_2_follows_from_table_1() {
        let rows = statistics(&table_1().unwrap(), Seeds { first: 1, count: 0 }).rows;
        let mut checked = 0;
        for row in rows.iter().filter(|row| row.published.is_some() && row.site == "24 sites") {
            // Printed to one digit; 1.25 and 42.05 are printed rounded up.
            let (ours, printed) = (row.expected.unwrap(), row.published.unwrap());
            assert!((ours - printed).abs() <= 0.05 + 1e-9, "{} {}: {ours}", row.strategy, row.score);
            checked += 1;
        }
        assert_eq!(checked, 30);
        let median: Vec<f64> = rows
            .iter()
            .filter(|row| row.score == "median of added, percent")
            .filter_map(|row| row.expected)
            .collect();
        for (ours, expected) in median.iter().zip([1.25, 3.4, 42.05]) {
            assert!((ours - expected).abs() < 1e-9, "{ours}");
        }
    }

    #[test]
    fn older_copies_change_what_is_recovered_and_limits_make_days() {
        let mut simulation = Simulation::new(String::new());
        stale_and_limited(&mut simulation, Seeds { first: 1, count: 6 });
        let of = |site: &str, policy: &str, score: &str| {
            let mut rows = simulation.rows.iter();
            let row =
                rows.find(|row| row.site.contains(site) && row.strategy == policy && row.score == score);
            row.unwrap().sampled.unwrap()
        };
        for policy in ["naive", "knowledgeable", "exhaustive"] {
            let changed: Vec<f64> =
                STALE.map(|stale| of(&format!(", {stale} of"), policy, "changed share")).to_vec();
            assert_eq!(changed[0], 0.0, "{policy}");
            assert!(changed.is_sorted() && changed[4] > 0.3, "{policy} {changed:?}");
            let days: Vec<f64> = LIMITS.map(|limit| of(&format!(", {limit} req"), policy, "days")).to_vec();
            assert!(days.iter().rev().is_sorted() && days[0] > 2.0 && days[3] == 1.0, "{policy} {days:?}");
        }
        // The naive policy asks every repository for everything: limits hold it up the longest.
        assert!(of(", 50 req", "naive", "days") > of(", 50 req", "knowledgeable", "days"));
        assert!(
            of(", 50 req", "knowledgeable", "recovered a day") > of(", 50 req", "naive", "recovered a day")
        );
    }

    #[test]
    fn the_policies_behave_as_the_paper_found() {
        let runs: Vec<[Figures; 3]> = (1..=24).map(|seed| figures(PAGES, 0.5, &OF_PAPER, seed)).collect();
        let mean = |policy: usize, of: fn(&Figures) -> f64| {
            runs.iter().map(|run| of(&run[policy])).sum::<f64>() / runs.len() as f64
        };
        let efficiency = [0, 1, 2].map(|policy| mean(policy, |figures| figures.efficiency));
        assert!(efficiency[0] < efficiency[1] && efficiency[0] < efficiency[2], "{efficiency:?}");
        let without = [0, 1, 2].map(|policy| mean(policy, |figures| figures.efficiency_without_added));
        assert!(without[1] > without[0] && without[1] > without[2], "knowledgeable is the best: {without:?}");
        let requests = [0, 1, 2].map(|policy| mean(policy, |figures| figures.requests));
        assert!(requests[1] < requests[0] && requests[1] < requests[2], "{requests:?}");
        let added = [0, 1, 2].map(|policy| mean(policy, |figures| figures.added));
        assert!(added[2] > added[1] && added[2] > added[0], "{added:?}");
        for (one, other) in [(1, 0), (2, 0)] {
            let pairs: Vec<(f64, f64)> =
                runs.iter().map(|run| (run[one].efficiency, run[other].efficiency)).collect();
            assert!(signed_rank(&pairs).p < 0.001);
        }
    }
}
