//! The result of a simulation: one row per strategy, site and score. Renderers show it and compute nothing.
//!
//! JSON: `"schema": "acuity.simulate/1"`, described in `docs/simulate-schema.json`. Unknown values are `null`.

use serde::{Deserialize, Serialize};

use super::run::Outcome;
use super::synthetic::Point;

pub(crate) const SCHEMA: &str = "acuity.simulate/1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Simulation {
    pub schema: String,
    pub title: String,
    /// Remarks needed to read the rows.
    pub notes: Vec<String>,
    /// One row a site, strategy and score.
    pub rows: Vec<Row>,
    /// What `downloads` counts are forecasts: those of `--forecast`.
    #[serde(skip)]
    pub forecasts: bool,
}

impl Simulation {
    /// A result without rows.
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Simulation {
            schema: SCHEMA.to_owned(),
            title: title.into(),
            notes: Vec::new(),
            rows: Vec::new(),
            forecasts: false,
        }
    }
}

/// What one strategy reached on one site, by one score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub site: String,
    pub strategy: String,
    pub score: String,
    /// Expected value by closed form; null where there is none.
    pub expected: Option<f64>,
    /// The mean over all runs.
    pub sampled: Option<f64>,
    /// The standard error of `sampled`; null for a single run.
    pub stderr: Option<f64>,
    /// What a paper printed.
    pub published: Option<f64>,
    /// Standard deviations of a run from what is expected (or else sampled) to what was published.
    pub z: Option<f64>,
    /// Published minus expected, where a paper printed an expectation: its digits count, not deviations.
    #[serde(default)]
    pub difference: Option<f64>,
    /// The standard deviation of a run: by closed form, or else as seen.
    pub deviation: Option<f64>,
    /// How many runs: seeds, or start times.
    pub runs: u64,
    /// Downloads of a run, in the mean; of `--forecast` the number of forecasts.
    pub downloads: f64,
    /// What was varied from site to site.
    pub point: Point,
}

/// Mean, standard deviation and standard error of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// The mean; `None` of an empty sample.
    pub mean: Option<f64>,
    /// The standard deviation; `None` below two values.
    pub deviation: Option<f64>,
    /// The standard error of the mean; `None` below two values.
    pub stderr: Option<f64>,
}

impl Sample {
    pub(crate) fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        if values.is_empty() {
            return Sample { mean: None, deviation: None, stderr: None };
        }
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        Sample { mean: Some(mean), deviation, stderr: deviation.map(|deviation| deviation / n.sqrt()) }
    }
}

impl Row {
    pub(crate) fn new(site: &str, point: Point, outcome: &Outcome, published: Option<f64>) -> Self {
        let sample = Sample::of(&outcome.samples);
        let deviation = outcome.deviation.or(sample.deviation);
        let ours = outcome.expected.or(sample.mean);
        let z = || {
            let distance = published? - ours?;
            match deviation? {
                0.0 => (distance == 0.0).then_some(0.0),
                deviation => Some(distance / deviation),
            }
        };
        Row {
            site: site.to_owned(),
            strategy: outcome.strategy.clone(),
            score: outcome.score.name().to_owned(),
            expected: outcome.expected,
            sampled: sample.mean,
            stderr: sample.stderr,
            published,
            z: z(),
            difference: None,
            deviation,
            runs: outcome.samples.len() as u64,
            downloads: outcome.downloads,
            point,
        }
    }
}

/// By what rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Site,
    Strategy,
    Score,
    /// By what is expected, or else sampled.
    Expected,
    Sampled,
    Published,
    /// By the distance from the published value.
    Z,
    Downloads,
}

/// Sorts rows; equal ones keep their order, and unknown values come last.
pub(crate) fn sort(rows: &mut [Row], key: Key, descending: bool) {
    let number = |row: &Row| match key {
        Key::Expected => row.expected.or(row.sampled),
        Key::Sampled => row.sampled,
        Key::Published => row.published,
        Key::Z => row.z.map(f64::abs),
        _ => Some(row.downloads),
    };
    let text = |row: &Row| match key {
        Key::Site => Some(row.site.clone()),
        Key::Strategy => Some(row.strategy.clone()),
        Key::Score => Some(row.score.clone()),
        _ => None,
    };
    rows.sort_by(|a, b| {
        let order = match (text(a), text(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                (a, b) => return a.is_none().cmp(&b.is_none()),
            },
        };
        if descending { order.reverse() } else { order }
    });
}
