//! `acuity plan`: weeks of crawling under a budget of downloads; and which pages to fetch again now.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::audited::{instant, load_audit, only};
use super::exit::Exit;
use super::exported::ExportFiles;
use super::files::Files;
use super::input::ReadArgs;
use super::output;
use super::schedule_args::Crawler;
use crate::audit::model::{Repair, SiteAudit};
use crate::audit::next::crawl;
use crate::audit::next::learn::State;
use crate::audit::next::rates;
use crate::audit::next::repair;
use crate::error::Error;
use crate::report::plan_table;
use crate::schedule::build::parse_seconds;
use crate::schedule::page::{Page, RateUnit, pages_from_rates_csv};
use crate::schedule::refresh::allocation::Aim;
use crate::schedule::refresh::plan::{Style, WeeksRequest, plan};
use crate::schedule::refresh::timetable::as_schedule;
use crate::time::Instant;

const EXAMPLES: &str = "\
Examples:
  acuity plan archives/ --weeks 12 --budget 5000/day
  acuity plan audit.json --weeks 4 --budget 200 --periods --csv plan.csv
  acuity plan --rates rates.csv --weeks 12 --budget 20 --aim versions --json
  acuity plan archives/ --weeks 12 --budget 500 --sessions --html plan.html
  acuity plan archives/ --repair 50             which 50 pages to fetch again now";

/// Options of `acuity plan`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct PlanArgs {
    /// Archives and indexes, which are audited first, or what `acuity audit --json=FILE` wrote
    #[arg(required_unless_present = "rates", conflicts_with = "rates", value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Table of change rates a day: columns page, rate and, if wanted, weight and group
    #[arg(long, value_name = "FILE.csv", help_heading = "Pages")]
    rates: Option<PathBuf>,

    /// Learn from every crawl: keep what it shows in FILE, forecast from it, and compare the forecasts with the next crawl
    ///
    /// The file is created if it does not exist. The archive of the new crawl is enough; earlier ones may be given again beside it.
    #[arg(long, value_name = "FILE.json", conflicts_with = "rates", help_heading = "Pages")]
    learn: Option<PathBuf>,

    /// Plot the forecasts of --learn against what the crawls showed
    #[arg(long, value_name = "FILE.svg", requires = "learn", help_heading = "Output")]
    calibration: Option<PathBuf>,

    /// Length of the plan in weeks
    #[arg(long, value_name = "N", default_value = "12", help_heading = "Plan")]
    weeks: f64,

    /// Budget of downloads: 5000/day, 20000/week, or a number per day
    #[arg(long, value_name = "N[/day|/week]", required_unless_present = "repair", help_heading = "Plan")]
    budget: Option<String>,

    /// What the plan optimises
    #[arg(long, value_enum, value_name = "AIM", default_value = "freshness", help_heading = "Plan")]
    aim: AimArg,

    /// Fetch pages every 1, 2, 4, 8, … days
    #[arg(long, conflicts_with = "random", help_heading = "Plan")]
    periods: bool,

    /// Fetch pages at random times, which a site cannot predict
    #[arg(long, help_heading = "Plan")]
    random: bool,

    /// Fetch subsites together, as visits and revisits; SHARE is the part of a page's worth that needs this [default: 0.5]
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true, default_missing_value = "0.5",
        conflicts_with_all = ["random", "periods"], help_heading = "Plan")]
    sessions: Option<f64>,

    /// Fetch the page in the middle of a session once, as the papers do: one download less, but an audit has nothing to compare it with
    #[arg(long, requires = "sessions", help_heading = "Plan")]
    middle_once: bool,

    /// Seed of the random times
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Plan")]
    seed: u64,

    /// Date of the first download [default for --repair: now]
    #[arg(long, value_name = "DATE", help_heading = "Plan")]
    start: Option<String>,

    /// Time between two downloads of a host, which caps its downloads a day [default: as the last crawl, or 1s]
    #[arg(long, value_name = "TIME", help_heading = "Plan")]
    delay: Option<String>,

    /// Only this site, by its name in the report
    #[arg(long, value_name = "SITE", conflicts_with = "rates", help_heading = "Pages")]
    site: Option<String>,

    /// Name the N pages to fetch again now, chosen so that as many pages as possible are proven online together
    #[arg(long, value_name = "N", conflicts_with = "rates", help_heading = "Repair")]
    repair: Option<usize>,

    /// Print JSON, or write it to FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Output")]
    json: Option<Option<PathBuf>>,

    /// Write one page with the curve of value against budget, the calendar, sessions and pages
    #[arg(long, value_name = "FILE", conflicts_with = "repair", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write one line for every download: day, seconds, date, host, page, visit or revisit
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,

    /// Write the files that a crawler takes; may be repeated
    #[arg(long, value_name = "CRAWLER", requires = "out", help_heading = "Output")]
    export: Vec<Crawler>,

    /// Directory of the exported files
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,

    /// How archives are read.
    #[command(flatten)]
    reading: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AimArg {
    /// Captures are current for as much of the time as possible; also the share of versions captured, page by page
    #[value(alias = "completeness")]
    Freshness,
    /// Replayed pages are as close as possible to what was online, in versions
    Blur,
    /// As many versions as possible are captured
    Versions,
}

/// Reads `5000/day`, `20000/week` or a number; in downloads a day.
fn parse_budget(text: &str) -> Result<f64> {
    let (number, days) = match text.split_once('/') {
        None => (text, 1.0),
        Some((number, "day" | "d")) => (number, 1.0),
        Some((number, "week" | "w")) => (number, 7.0),
        Some((number, _)) => (number, f64::NAN),
    };
    let budget = number.trim().parse::<f64>().unwrap_or(f64::NAN) / days;
    if budget.is_finite() && budget >= 0.0 {
        return Ok(budget);
    }
    Err(Error::usage(format!("{text:?} is not a budget")).with_remedy("write 5000/day or 20000/week").into())
}

/// Runs the command. Data goes to `out`, remarks to `notes`.
pub(super) fn execute(args: &PlanArgs, out: &mut dyn Write, notes: &mut dyn Write) -> Result<Exit> {
    let mut files = Files::default();
    files.write("--json", args.json_path())?;
    files.write("--csv", args.csv.as_deref())?;
    files.write("--html", args.html.as_deref())?;
    files.write("--calibration", args.calibration.as_deref())?;
    files.read(args.rates.as_deref())?;
    let start = args.start.as_deref().map(instant).transpose()?;
    let delay = args.delay.as_deref().map(parse_seconds).transpose()?;
    let mut remarks = Vec::new();
    let (pages, lane_delays, exit): (Vec<Page>, _, Exit) = match &args.rates {
        Some(path) => {
            let at = |error: Error| error.at_file(path);
            let file = File::open(path).map_err(|error| at(Error::usage(error.to_string())))?;
            (
                pages_from_rates_csv(BufReader::new(file), RateUnit::Day).map_err(at)?.0,
                Default::default(),
                Exit::Done,
            )
        }
        None => {
            let (mut audit, exit) = load_audit(&args.inputs, &args.reading, &mut files)?;
            if let Some(site) = &args.site {
                only(&mut audit, site)?;
            }
            if let Some(fetches) = args.repair {
                let now = start.unwrap_or_else(now);
                let repairs: Vec<Repair> =
                    audit.sites.iter().map(|site| repair::of(site, now, delay, fetches)).collect();
                args.write_json(&repairs, out, |out| plan_table::repairs(&repairs, out))?;
                return Ok(exit);
            }
            let mut next = crawl::plan(&audit.sites, true);
            remarks.extend(rates::expected_error(&audit.sites));
            if let Some(path) = &args.learn {
                let state = args.learned(path, &audit.sites)?;
                let learned = state.rates(&audit.sites);
                for page in &mut next.pages {
                    page.rate = learned.get(&*page.url).copied().unwrap_or(page.rate);
                }
                remarks.push(state.note());
            }
            (next.pages, if delay.is_none() { next.delays } else { Default::default() }, exit)
        }
    };
    let request = WeeksRequest {
        days: 7.0 * args.weeks,
        budget: parse_budget(args.budget.as_deref().unwrap_or("0"))?,
        aim: match args.aim {
            AimArg::Freshness => Aim::Freshness,
            AimArg::Blur => Aim::Blur,
            AimArg::Versions => Aim::Versions,
        },
        style: match (args.periods, args.random, args.sessions) {
            (true, _, _) => Style::Periods,
            (_, true, _) => Style::Random,
            (_, _, Some(_)) => Style::Sessions,
            _ => Style::Whole,
        },
        alone: 1.0 - args.sessions.unwrap_or(0.5),
        delay: delay.unwrap_or(1.0),
        lane_delays,
        start,
        seed: args.seed,
        middle_once: args.middle_once,
    };
    let mut made = plan(&pages, &request)?;
    made.notes.extend(remarks);
    // A schedule of all downloads is made only where it is asked for.
    let is_asked = args.csv.is_some() || (args.out.is_some() && !args.export.is_empty());
    let schedule = is_asked.then(|| as_schedule(&made, &request));
    let mut exports = Vec::new();
    if let (Some(directory), Some(schedule)) = (&args.out, &schedule) {
        for crawler in &args.export {
            exports.push(ExportFiles::new(schedule, *crawler, directory, args.export.len() > 1, &mut files)?);
        }
    }
    args.write_json(&made, out, |out| plan_table::render(&made, out))?;
    if let (Some(path), Some(schedule)) = (&args.csv, &schedule) {
        output::write(Some(path), |out| Ok(plan_table::csv(schedule, out)?))?;
    }
    if let Some(path) = &args.html {
        output::write(Some(path), |out| Ok(crate::report::html::plan::write(out, &made)?))?;
    }
    exports.iter().try_for_each(|export| export.write(notes))?;
    Ok(exit)
}

impl PlanArgs {
    /// Learns from the sites: reads the state, adds to it, writes it back, and the plot of its forecasts.
    fn learned(&self, path: &Path, sites: &[SiteAudit]) -> Result<State> {
        let at = |error: Error| error.at_file(path);
        let mut state = match std::fs::read(path) {
            Ok(text) => State::read(&text).map_err(at)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(at(Error::usage(error.to_string())).into()),
        };
        state.learn(sites);
        output::write(Some(path), |out| {
            crate::report::pretty::write(&mut *out, &state)?;
            Ok(out.write_all(b"\n")?)
        })?;
        if let Some(plot) = &self.calibration {
            let svg = crate::report::calibration::svg("Forecast against outcome", &state.calibration);
            output::write(Some(plot), |out| Ok(out.write_all(svg.as_bytes())?))?;
        }
        Ok(state)
    }

    fn json_path(&self) -> Option<&Path> {
        self.json.as_ref().map(|path| path.as_deref().unwrap_or(Path::new("-")))
    }

    /// JSON where it was asked for, else the table.
    fn write_json(
        &self,
        value: &impl serde::Serialize,
        out: &mut dyn Write,
        table: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let json = |out: &mut dyn Write| -> Result<()> {
            let mut out = BufWriter::new(out);
            crate::report::pretty::write(&mut out, value)?;
            out.write_all(b"\n")?;
            Ok(out.flush()?)
        };
        match self.json_path() {
            Some(path) if path != Path::new("-") => {
                output::write(Some(path), json)?;
                Ok(table(out)?)
            }
            Some(_) => json(out),
            None => Ok(table(out)?),
        }
    }
}

fn now() -> Instant {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Instant::from_seconds(since.as_secs_f64().floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_a_day_or_a_week() {
        assert_eq!(parse_budget("5000/day").unwrap(), 5000.0);
        assert_eq!(parse_budget("70/week").unwrap(), 10.0);
        assert_eq!(parse_budget("0.5").unwrap(), 0.5);
        for text in ["", "-1", "5/month", "many", "inf", "nan/day"] {
            assert!(parse_budget(text).is_err(), "{text}");
        }
    }
}
