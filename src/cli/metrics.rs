//! A summary for monitoring, in the text format of Prometheus (node_exporter's textfile collector takes it).

use std::io::{self, Write};

use crate::ingest::ProblemLog;
use crate::problem::Level;

/// Writes the figures of a run. Only numbers and fixed words: no name from an archive.
pub(super) fn write(
    out: &mut dyn Write,
    files: u64,
    bytes: u64,
    records: u64,
    log: &ProblemLog,
    seconds: f64,
) -> io::Result<()> {
    let mut gauge = |name: &str, help: &str, values: &[(&str, String)]| {
        writeln!(out, "# HELP acuity_{name} {help}")?;
        writeln!(out, "# TYPE acuity_{name} gauge")?;
        values.iter().try_for_each(|(labels, value)| writeln!(out, "acuity_{name}{labels} {value}"))
    };
    let problems = |wanted: Level| -> String {
        log.counts().filter(|(level, ..)| *level == wanted).map(|(.., count)| count).sum::<u64>().to_string()
    };
    gauge("files", "Archives of the last run, also those that were unchanged.", &[("", files.to_string())])?;
    gauge("bytes", "Bytes of input in the last run.", &[("", bytes.to_string())])?;
    gauge("records", "Captures in the archives of the last run.", &[("", records.to_string())])?;
    let levels = [
        ("{level=\"error\"}", problems(Level::Error)),
        ("{level=\"warning\"}", problems(Level::Warning)),
        ("{level=\"note\"}", problems(Level::Note)),
    ];
    gauge("problems", "Problems found in the last run.", &levels)?;
    gauge("seconds", "Duration of the last run in seconds.", &[("", format!("{seconds:.3}"))])
}
