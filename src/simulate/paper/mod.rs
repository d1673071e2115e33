//! The tables of the papers next to ours: published cell, expected, sampled, and the distance in standard deviations.
//!
//! The cells are in `published.toml`, with their sources and with the readings that had to be chosen. A published sample is one
//! run, so its distance is counted in standard deviations of one run. A published expectation should be met to its digits, and its
//! distance is close to zero. Where only a claim in a paper's text is left of a figure, the claim is a row: how much
//! better one strategy is than the best of some others.

mod special;
mod warrick;

use serde::Deserialize;

use super::model::{Row, Sample, Simulation};
use super::run::{Knowledge, Outcome, Planning, Seeds, judge, plan};
use super::score::Score;
use super::spec::Spec;
use super::synthetic::{Described, Importance, Point, daily};
use super::{continuous, shuffled};
use crate::error::{Error, Result};
use crate::schedule::registry::Settings;

const PUBLISHED: &str = include_str!("published.toml");

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    papers: std::collections::BTreeMap<String, String>,
    table: Vec<Table>,
}

/// A table or figure of a paper.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// Its name: `sharc-13`.
    pub id: String,
    paper: String,
    caption: String,
    score: Score,
    #[serde(default)]
    knowledge: Known,
    #[serde(default)]
    shared_middle: bool,
    /// Number of days of continuous crawling.
    days: Option<usize>,
    /// Rows that no strategy makes.
    special: Option<special::Special>,
    #[serde(default)]
    strategies: Vec<String>,
    notes: Vec<String>,
    row: Vec<Cells>,
    #[serde(default)]
    claim: Vec<Claim>,
}

/// What strategies know before the crawl begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Known {
    #[default]
    Seeds,
    All,
}

/// One row of a table: a site, and a cell for each strategy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    site: Described,
    #[serde(default)]
    strategies: Vec<String>,
    #[serde(default)]
    expected: Vec<f64>,
    #[serde(default)]
    cells: Vec<f64>,
}

/// A claim of the text: one strategy is better than the best of others, by so much.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    better: String,
    than: Vec<String>,
    by: f64,
}

fn published() -> Result<Published> {
    toml::from_str(PUBLISHED)
        .map_err(|error| Error::data(format!("the published tables are damaged: {error}")))
}

/// The names of all tables, in their order.
pub(crate) fn names() -> Result<Vec<String>> {
    let names = published()?.table.into_iter().map(|table| table.id);
    Ok(names.chain(warrick::NAMES.map(str::to_owned)).collect())
}

/// The table of that name beside ours.
pub(crate) fn reproduce(id: &str, seeds: Seeds, threads: usize) -> Result<Simulation> {
    if let Some(simulation) = warrick::reproduce(id, seeds)? {
        return Ok(simulation);
    }
    let Published { papers, table } = published()?;
    let known = names()?;
    let table = table.into_iter().find(|table| table.id == id).ok_or_else(|| {
        Error::usage(format!("there is no table {id:?}"))
            .with_remedy(format!("choose one of: {}", known.join(" ")))
    })?;
    let source = papers.get(&table.paper).map_or("", String::as_str);
    let mut simulation = Simulation::new(format!("{source}, {}", table.caption));
    simulation.notes.clone_from(&table.notes);
    for cells in &table.row {
        row(&table, cells, seeds, threads, &mut simulation.rows)?;
    }
    if table.special == Some(special::Special::Worst) {
        simulation.rows.extend(special::worst_cases());
    }
    Ok(simulation)
}

fn row(table: &Table, cells: &Cells, seeds: Seeds, threads: usize, rows: &mut Vec<Row>) -> Result<()> {
    let mut made = cells.site.build(Importance::Equal)?;
    let tree = made.links.clone();
    // Strategies that depend on the order of links are judged with many: see below.
    made.links = tree.shuffled(seeds.first);
    let names = if cells.strategies.is_empty() { &table.strategies } else { &cells.strategies };
    let specs: Vec<Spec> =
        names.iter().map(|name| Spec::parse(name, &Settings::default())).collect::<Result<_>>()?;
    let planning = Planning {
        knowledge: match table.knowledge {
            Known::Seeds => Knowledge::Seeds,
            Known::All => Knowledge::All,
        },
        shared_middle: table.shared_middle,
        ignore_weights: false,
    };
    let crawls = match table.days {
        Some(days) => continuous::plan(&made, &specs, days * daily::PERIODS, planning, threads)?,
        None => plan(&made, &specs, planning, threads)?,
    };
    let mut outcomes = judge(&made, &crawls, &[table.score], seeds, threads);
    if table.days.is_none() && planning.knowledge == Knowledge::Seeds {
        let by = shuffled::Shuffled { made: &made, tree: &tree, planning, seeds, threads };
        shuffled::average(&by, &specs, &mut outcomes)?;
    }
    for (place, outcome) in outcomes.iter().enumerate() {
        if let Some(expected) = cells.expected.get(place) {
            let mut row = Row::new(&made.name, made.point, outcome, Some(*expected));
            row.score = format!("E({})", row.score);
            row.difference = row.expected.map(|ours| expected - ours);
            row.z = None;
            rows.push(row);
        }
        if cells.expected.get(place).is_none() || cells.cells.get(place).is_some() {
            rows.push(Row::new(&made.name, made.point, outcome, cells.cells.get(place).copied()));
        }
    }
    if table.special == Some(special::Special::Clairvoyant) {
        rows.extend(special::hindsight(&made, seeds, threads));
    }
    for claim in &table.claim {
        let weight: f64 = made.site.weights().iter().sum();
        rows.extend(claim.row(&made.name, made.point, &outcomes, weight));
    }
    Ok(())
}

impl Claim {
    /// The gain of the better strategy over the best of the others, seed by seed.
    fn row(&self, site: &str, point: Point, outcomes: &[Outcome], weight: f64) -> Option<Row> {
        let find = |name: &str| outcomes.iter().find(|outcome| outcome.strategy == name);
        let better = find(&self.better)?;
        let others: Vec<&Outcome> = self.than.iter().filter_map(|name| find(name)).collect();
        // Sums over pages become shares of their weight.
        let unit = match better.score {
            Score::Incoherence | Score::Measurable | Score::Pages => weight,
            _ => 1.0,
        };
        // The best of the others is chosen once, by its mean: not anew for every seed.
        let sign = if better.score.more_is_better() { 1.0 } else { -1.0 };
        let mean = |outcome: &Outcome| {
            let mean = outcome.expected.or(Sample::of(&outcome.samples).mean);
            mean.map_or(f64::NEG_INFINITY, |mean| sign * mean)
        };
        let best = others.into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b)))?;
        let outcome = better.gain_over(best, unit);
        let mut row = Row::new(site, point, &outcome, Some(self.by));
        row.score = format!("gain in {}", row.score);
        // "About 10%" is no sample: no deviation measures it.
        row.z = None;
        Some(row)
    }
}

#[cfg(test)]
mod tests;
