//! The simulation as one CSV table: the rows of the JSON. Unknown is an empty cell.

use std::io::{self, Write};

use crate::report::escape;
use crate::simulate::model::Simulation;

const COLUMNS: [&str; 18] = [
    "site",
    "strategy",
    "score",
    "expected",
    "sampled",
    "stderr",
    "published",
    "z",
    "difference",
    "deviation",
    "runs",
    "downloads",
    "point.pages",
    "point.skew",
    "point.slow_down",
    "point.resources",
    "point.duration_days",
    "point.coverage",
];

pub(crate) fn write(out: &mut dyn Write, simulation: &Simulation) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    let is_renamed = |name: &str| simulation.forecasts && name == "downloads";
    writer.write_record(COLUMNS.map(|name| if is_renamed(name) { "forecasts" } else { name }))?;
    let known = |value: Option<f64>| value.map_or(String::new(), |value| (value + 0.0).to_string());
    for row in &simulation.rows {
        let text = |text: &str| escape::csv(text).into_owned();
        writer.write_record([
            text(&row.site),
            text(&row.strategy),
            text(&row.score),
            known(row.expected),
            known(row.sampled),
            known(row.stderr),
            known(row.published),
            known(row.z),
            known(row.difference),
            known(row.deviation),
            row.runs.to_string(),
            row.downloads.to_string(),
            row.point.pages.to_string(),
            known(row.point.skew),
            known(row.point.slow_down),
            known(row.point.resources),
            known(row.point.duration_days),
            known(row.point.coverage),
        ])?;
    }
    writer.flush()
}
