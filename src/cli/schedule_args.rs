//! The options of `acuity schedule`, and what they ask for.

use std::ffi::OsString;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::audited::{SHARE, instant};
use super::input::ReadArgs;
use crate::audit::next::crawl;
use crate::schedule::build::{Choice, Request, Share, When, parse_seconds};
use crate::schedule::compare::Mode;
use crate::schedule::model::DelaySource;
use crate::schedule::page::{Page, RateUnit, pages_from_rates_csv};
use crate::schedule::registry::{COMPARED, Settings};

const EXAMPLES: &str = "\
Examples:
  acuity schedule archives/                     the best order, beside that of the last crawl
  acuity schedule archives/ --details           all figures, and 26 other orders
  acuity schedule audit.json --start 2030-01-01T06:00:00Z
  acuity schedule archives/ --export wget --out plan && sh plan/crawl.sh
  acuity schedule archives/ --budget 500 --single-visit --json
  acuity schedule --rates rates.csv --delay 1s --strategy all";

/// Options of `acuity schedule`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub struct ScheduleArgs {
    /// Archives and indexes, which are audited first, or what `acuity audit --json=FILE` wrote
    ///
    /// Recognised by content. An audit that was made with options (dates, crawls, sitemaps, what makes a site) is given as JSON;
    /// archives are audited without. Rates, weights, hosts and the pause between pages come from the audit.
    #[arg(required_unless_present = "rates", conflicts_with = "rates", value_name = "INPUT")]
    pub inputs: Vec<OsString>,

    /// Only this site, by its name in the audit
    #[arg(long, value_name = "SITE", conflicts_with = "rates", help_heading = "Pages")]
    pub site: Option<String>,

    /// Only pages that were captured; else those linked but never captured are planned too
    ///
    /// Their rate is the mean rate of their site, their weight the mean weight.
    #[arg(long, conflicts_with = "rates", help_heading = "Pages")]
    pub captured_only: bool,

    /// Table of change rates: columns page, rate and, if wanted, weight and group; rates may be 0 or inf
    #[arg(long, value_name = "FILE.csv", help_heading = "Pages")]
    pub rates: Option<PathBuf>,

    /// Unit of time of the rates in the table
    #[arg(long, value_name = "UNIT", default_value = "second", help_heading = "Pages")]
    pub rate_unit: Unit,

    /// Schedule at most N pages: the most important; of equally important ones those that change least
    #[arg(long, value_name = "N", help_heading = "Pages")]
    pub budget: Option<usize>,

    /// Revisit only N pages, or N% of them: those that gain most; the others are fetched once
    #[arg(long, value_name = "N[%]", conflicts_with_all = ["single_visit", "strategy", "ignore_weights"], help_heading = "Strategy")]
    pub revisits: Option<String>,

    /// Keep the pages of a subsite together: coherent subsites, one by one
    ///
    /// A subsite is what one sitemap lists; pages that none lists, and hosts that one sitemap lists whole, go by folder. With
    /// --rates it is the column group. The schedule says which.
    #[arg(long, help_heading = "Pages")]
    pub subsite: bool,

    /// Time between two downloads of a host: 1s, 500ms, 2m [default: as the last crawl, or 1s]
    #[arg(long, value_name = "TIME", help_heading = "Crawl")]
    pub delay: Option<String>,

    /// Date of the first download
    #[arg(long, value_name = "DATE", conflicts_with = "reference", help_heading = "Crawl")]
    pub start: Option<String>,

    /// Date for which the captures should be consistent: the middle of the crawl
    #[arg(long, value_name = "DATE", help_heading = "Crawl")]
    pub reference: Option<String>,

    /// Visit pages once: fewest versions away (blur) instead of proven consistency
    #[arg(long, help_heading = "Crawl")]
    pub single_visit: bool,

    /// Fetch the page in the middle once, as the papers do: one download less, but an audit has nothing to compare it with
    #[arg(long, conflicts_with = "single_visit", help_heading = "Crawl")]
    pub middle_once: bool,

    /// Strategy, or "all" for all of them; may be repeated to compare several, each once: the first one makes the schedule
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub strategy: Vec<String>,

    /// Least chance that a page stays unchanged: sets SOLAR's lengths, SHARC-threshold and which pages change too fast
    #[arg(long, value_name = "P", help_heading = "Strategy")]
    pub tau: Option<f64>,

    /// Greatest chance of a conflict that the strategies measurable and inducible accept
    #[arg(long, value_name = "P", help_heading = "Strategy")]
    pub eta: Option<f64>,

    /// Downloads per period, for pattern, importance and importance-pattern
    #[arg(long, value_name = "M", help_heading = "Strategy")]
    pub per_period: Option<usize>,

    /// Hide the page weights from the strategies; the result is still judged by them
    #[arg(long, help_heading = "Strategy")]
    pub ignore_weights: bool,

    /// Print the schedule as JSON, or write it to FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Output")]
    pub json: Option<Option<PathBuf>>,

    /// Show all figures: the first downloads, what is expected of them, and all strategies compared
    #[arg(long, help_heading = "Output")]
    pub details: bool,

    /// Write one self-contained HTML page: the schedule drawn, and the strategies compared
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Write the files that a crawler takes; may be repeated
    #[arg(long, value_name = "CRAWLER", requires = "out", help_heading = "Output")]
    pub export: Vec<Crawler>,

    /// Directory of the exported files
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Run CMD for every download at its time, the URL as its last argument; Acuity keeps the clock
    ///
    /// CMD is split at spaces and run without a shell; the exit code is 3 if downloads failed. The environment has ACUITY_URL, ACUITY_KIND, ACUITY_LANE, ACUITY_SLOT,
    /// ACUITY_PLANNED, ACUITY_ATTEMPT and, for revisits, ACUITY_IF_NONE_MATCH and ACUITY_IF_MODIFIED_SINCE, if the command
    /// printed `ETag:` or `Last-Modified:` lines at the visit.
    #[arg(long, value_name = "CMD", help_heading = "Drive")]
    pub drive: Option<String>,

    /// Log of planned and actual times; a stopped crawl resumes where its log ends
    #[arg(
        long,
        value_name = "FILE",
        default_value = "acuity-drive.jsonl",
        requires = "drive",
        help_heading = "Drive"
    )]
    pub drive_log: PathBuf,

    /// Further attempts after a failed fetch
    #[arg(long, value_name = "N", default_value = "2", requires = "drive", help_heading = "Drive")]
    pub retries: u32,

    /// How archives are read.
    #[command(flatten)]
    pub reading: ReadArgs,
}

/// Unit of time of a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    /// Changes per second
    Second,
    /// Changes per hour
    Hour,
    /// Changes per day
    Day,
}

/// A crawler that schedules are exported for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Crawler {
    /// One JSON object per download
    Jsonl,
    /// Heritrix 3: .force files and a script that drops them in time
    Heritrix,
    /// Browsertrix Crawler: a script that crawls each page at its time
    Browsertrix,
    /// GNU Wget: a script that fetches each page at its time, with what it needs to be shown
    Wget,
    /// Apache Nutch: seeds with fetch intervals
    Nutch,
    /// Scrapy: a spider that follows the schedule and writes a WARC
    Scrapy,
}

impl ScheduleArgs {
    /// What the options ask for. Fails where they make no sense.
    pub fn request(&self) -> Result<Request> {
        let when = match (&self.start, &self.reference) {
            (Some(date), _) => When::Start(instant(date)?),
            (None, Some(date)) => When::Reference(instant(date)?),
            (None, None) => When::Sometime,
        };
        let settings = Settings { tau: self.tau, eta: self.eta, per_period: self.per_period };
        Ok(Request {
            delay: self.delay.as_deref().map_or(Ok(crawl::DELAY), parse_seconds)?,
            delay_source: if self.delay.is_some() { DelaySource::Given } else { DelaySource::Default },
            choice: choice(&self.strategy),
            mode: Mode { single_visit: self.single_visit, ignore_weights: self.ignore_weights, settings },
            middle_once: self.middle_once,
            subsites: self.subsite,
            budget: self.budget,
            revisits: self.revisits.as_deref().map(Share::parse).transpose()?,
            when,
            held_bytes: Some(self.reading.memory / SHARE),
            ..Request::default()
        })
    }

    /// The pages of the table of rates, if one was given, and a note on skipped columns.
    pub(super) fn pages_from_rates(&self) -> Result<Option<(Vec<Page>, Option<String>)>> {
        let Some(path) = &self.rates else { return Ok(None) };
        let unit = match self.rate_unit {
            Unit::Second => RateUnit::Second,
            Unit::Hour => RateUnit::Hour,
            Unit::Day => RateUnit::Day,
        };
        let at = |error: crate::Error| error.at_file(path);
        let file = File::open(path).map_err(|error| at(crate::Error::usage(error.to_string())))?;
        let (pages, others) = pages_from_rates_csv(BufReader::new(file), unit).map_err(at)?;
        if self.subsite && pages.iter().all(|page| page.group.is_none()) {
            let message = "--subsite needs groups, and the table names none";
            return Err(at(crate::Error::usage(message).with_remedy("add a column group")).into());
        }
        let note = (!others.is_empty())
            .then(|| format!("columns of the table that were skipped: {}", others.join(", ")));
        Ok(Some((pages, note)))
    }

    /// Where JSON goes.
    pub(super) fn json_path(&self) -> Option<&Path> {
        self.json.as_ref().map(|path| path.as_deref().unwrap_or(Path::new("-")))
    }

    /// Whether the schedule is that of the audit: no option makes it another crawl.
    pub(super) fn is_plain(&self) -> bool {
        let Self { budget, delay, revisits, single_visit, middle_once, tau, eta, ignore_weights, .. } = self;
        let given = [budget.is_some(), delay.is_some(), revisits.is_some(), tau.is_some(), eta.is_some()];
        !(given.contains(&true) || *single_visit || *middle_once || *ignore_weights)
    }
}

/// The strategies that are named, each once; `all` stands for all that are compared.
fn choice(names: &[String]) -> Choice {
    let Some(first) = names.first() else { return Choice::Best };
    if first == "all" && names[1..].iter().all(|name| name == "all" || COMPARED.contains(&name.as_str())) {
        return Choice::All;
    }
    let mut chosen: Vec<String> = Vec::new();
    for name in names {
        let meant = if name == "all" { &COMPARED[..] } else { &[name.as_str()] };
        let new: Vec<&str> =
            meant.iter().copied().filter(|name| !chosen.iter().any(|own| own == name)).collect();
        chosen.extend(new.into_iter().map(str::to_owned));
    }
    Choice::Named(chosen)
}
