//! `acuity crawls`: how captures are divided into crawls, as a table for dividing parts of an archive in the same way.

use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::Exit;
use super::files::Files;
use super::input::InputArgs;
use super::values::{parse_from, parse_to};
use super::{output, sitemaps};
use crate::audit::Parameters;
use crate::capture::crawl::{Divider, Division, DivisionTable};
use crate::drive::{Tabling, tabulate};
use crate::error::Error;
use crate::ingest::Wanted;
use crate::time::Instant;

const EXAMPLES: &str = "\
Examples:
  acuity crawls collection/ -o crawls.json
  acuity audit part.parquet --part-of collection --crawls crawls.json --json=part.json";

/// Arguments of `acuity crawls`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct CrawlsArgs {
    #[command(flatten)]
    input: InputArgs,

    /// Only captures from this date on
    #[arg(long, value_name = "DATE", value_parser = parse_from)]
    from: Option<Instant>,

    /// Only captures up to this date, its whole year, month or day included
    #[arg(long, value_name = "DATE", value_parser = parse_to)]
    to: Option<Instant>,

    /// Write to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn execute(args: &CrawlsArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--output", Some(args.output.as_deref().unwrap_or(Path::new("-"))))?;
    let wanted = Wanted::default();
    let input = args.input.read(wanted, false, &mut files)?;
    let (mut reading, mut log) = (input.reading, input.log);
    let (from, to) = (args.from, args.to);
    let parameters = Parameters { division: Division::Auto, from, to, ..Parameters::default() };
    let how = Tabling { hashed: false, memory: args.input.reading.memory, local: true };
    let tabled = tabulate(&mut reading, &parameters, &mut log, how)?;
    let mut divider = Divider::new(&Division::Auto, from, to, &[]);
    tabled.for_each_table(&mut |table| {
        divider.add(table);
        Ok(())
    })?;
    let table = divider.finish().table();
    output::write(args.output.as_deref(), |out| {
        serde_json::to_writer_pretty(&mut *out, &table)?;
        Ok(out.write_all(b"\n")?)
    })?;
    args.input.reading.report_problems(&log);
    Ok(args.input.reading.exit(&log, Exit::Done))
}

/// The division that a file states.
pub(super) fn read(path: &Path, files: &mut Files) -> crate::Result<Division> {
    files.read(Some(path))?;
    let at = |message: String| {
        let error = Error::usage(message).with_remedy("`acuity crawls` writes such a file");
        error.at_file(path)
    };
    let text = sitemaps::text_of(path)?;
    let table: DivisionTable = serde_json::from_str(&text).map_err(|error| at(error.to_string()))?;
    match table.fault() {
        Some(fault) => Err(at(format!("this division into crawls cannot be used: {fault}"))),
        None => Ok(Division::Given(Box::new(table))),
    }
}
