//! Replays: strategies on what really happened to a site.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::archive::source::name_of;
use crate::capture::graph::GraphBuilder;
use crate::capture::page::PageFilter;
use crate::change::Judge;
use crate::change::evidence::{Compare, Grade};
use crate::change::predict::cross::FOLDS;
use crate::change::predict::{BINS, Method, cross_validate};
use crate::cli::files::Files;
use crate::cli::input::{ReadArgs, sources};
use crate::cli::output;
use crate::ingest::{ProblemLog, Wanted};
use crate::report::layout::UNKNOWN;
use crate::schedule::build::parse_seconds;
use crate::simulate::forecast;
use crate::simulate::model::Simulation;
use crate::simulate::recorded::{self, RateOrigin, Recorded};
use crate::simulate::replay::predicted::{Known, examples};
use crate::simulate::replay::{Bulk, Columns, Crawls, Log, Reach, Replay, Training, from_archive, from_log};
use crate::simulate::run::Planning;
use crate::simulate::score::Score;
use crate::simulate::spec::Spec;
use crate::time::SECONDS_A_DAY;
use crate::url::Canon;

/// Options of replays.
#[derive(Debug, Clone, Args)]
pub(crate) struct HistoryArgs {
    /// Archives or indexes: their captures are the history, and what they do not prove stays unknown
    #[arg(value_name = "INPUT", conflicts_with_all = ["paper", "history"])]
    pub inputs: Vec<OsString>,

    /// Table of what really changed: columns page, change_time and, if there are any, event (A, M, D) and bulk; plain or gzip
    #[arg(long, value_name = "FILE.csv", conflicts_with = "paper", help_heading = "History")]
    pub history: Option<PathBuf>,

    /// Table of links: columns page and linked_page
    #[arg(long, value_name = "FILE.csv", requires = "history", help_heading = "History")]
    pub links: Option<PathBuf>,

    /// Other names of columns, such as page=url,change_time=when
    #[arg(long, value_name = "MAP", requires = "history", help_heading = "History")]
    pub columns: Option<String>,

    /// Leave out changes that were made to many pages at once
    #[arg(long, requires = "history", help_heading = "History")]
    pub without_bulk: bool,

    /// Time that a crawl takes, such as 12h or 30d; several make a sweep [default: 30d, less in a short history]
    #[arg(long, value_name = "TIME,…", value_delimiter = ',', help_heading = "History")]
    pub duration: Vec<String>,

    /// Number of crawls, started at times spread over the history
    #[arg(long, value_name = "N", default_value = "20", help_heading = "History")]
    pub starts: std::num::NonZeroU16,

    /// Where strategies get the change rates of pages from
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "oracle,estimated,predicted",
        help_heading = "History"
    )]
    pub rates: Vec<RatesArg>,

    /// Time between the earlier crawls that rates are estimated from [default: the duration]
    #[arg(long, value_name = "TIME", help_heading = "History")]
    pub interval: Option<String>,

    /// How many earlier crawls there were
    #[arg(long, value_name = "N", default_value = "12", help_heading = "History")]
    pub earlier: u16,

    /// Compare forecasts of changes with what happened, by several rules, instead of running strategies
    #[arg(long, help_heading = "History")]
    pub forecast: bool,

    /// Plot the forecasts of the default rule against what happened
    #[arg(long, value_name = "FILE.svg", requires = "forecast", help_heading = "Output")]
    pub calibration: Option<PathBuf>,

    /// How rates are predicted
    #[arg(long, value_enum, value_name = "HOW", default_value = "tree", help_heading = "History")]
    pub predictor: PredictorArg,

    /// What a predictor sees: the URL (online), or also links and the last change (offline)
    #[arg(long, value_enum, value_name = "WHAT", default_value = "online", help_heading = "History")]
    pub features: FeaturesArg,

    /// Compare all strategies with this one, crawl by crawl
    #[arg(long, value_name = "NAME", default_value = "bfs-fifo", help_heading = "History")]
    pub against: String,
}

/// Where strategies get rates from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RatesArg {
    /// The truth, including the future
    Oracle,
    /// From earlier crawls
    Estimated,
    /// The same; pages with equal rates stay as they come, whichever changed last
    Unordered,
    /// From earlier crawls, each counting 0.7 times the next one
    Discounted,
    /// The geometric mean of estimated and discounted
    Mixed,
    /// From the features of pages
    Predicted,
}

/// How rates are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PredictorArg {
    /// A decision tree (C4.5)
    Tree,
    /// Naive Bayes
    NaiveBayes,
}

/// What a predictor sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeaturesArg {
    /// The URL
    Online,
    /// The URL and the page
    Offline,
}

/// What strategies are run, and how.
pub(crate) struct Asked<'a> {
    pub specs: &'a [Spec],
    pub planning: Planning,
    pub scores: &'a [Score],
    pub seed: u64,
    pub reading: &'a ReadArgs,
}

impl HistoryArgs {
    /// Whether a history was given.
    pub(crate) fn is_asked(&self) -> bool {
        self.history.is_some() || !self.inputs.is_empty()
    }

    /// Runs all; with what was found on reading an archive.
    pub(crate) fn simulate(
        &self,
        asked: &Asked,
        files: &mut Files,
    ) -> Result<(Simulation, Option<ProblemLog>)> {
        files.read(self.history.as_deref())?;
        files.read(self.links.as_deref())?;
        files.write("--calibration", self.calibration.as_deref())?;
        let (replay, mut notes, log) = match &self.history {
            Some(path) => {
                let (replay, notes) = self.table(path)?;
                (replay, notes, None)
            }
            None => {
                let (replay, log) = self.archive(asked.reading, files)?;
                (replay, Vec::new(), Some(log))
            }
        };
        if self.forecast {
            let interval = self.interval.as_deref().map_or(Ok(30.0 * SECONDS_A_DAY), parse_seconds)?;
            if interval.is_nan() || interval <= 0.0 {
                return Err(crate::Error::usage("--interval has to be longer than 0")
                    .with_remedy("give --interval 30d")
                    .into());
            }
            let (mut simulation, calibration) = forecast::run(&replay, interval, asked.seed);
            simulation.notes.extend(notes);
            if let Some(path) = &self.calibration {
                let svg = crate::report::calibration::svg(&simulation.title, &calibration);
                output::write(Some(path), |out| Ok(std::io::Write::write_all(out, svg.as_bytes())?))?;
            }
            return Ok((simulation, log));
        }
        let span = replay.world.to - replay.world.from;
        let knows_future = self.rates.iter().all(|rates| *rates == RatesArg::Oracle);
        let durations = match self.duration.as_slice() {
            [] => vec![self.usual_duration(span, knows_future)?],
            given => given.iter().map(|text| parse_seconds(text)).collect::<crate::Result<_>>()?,
        };
        let training = self.training(asked.seed);
        let mut whole: Option<Simulation> = None;
        for duration in durations {
            let interval = self.interval.as_deref().map_or(Ok(duration), parse_seconds)?;
            let crawls = Crawls { interval, count: usize::from(self.earlier) };
            let told: Vec<RateOrigin> = self
                .rates
                .iter()
                .map(|rates| match rates {
                    RatesArg::Oracle => RateOrigin::Oracle(Reach::Life),
                    RatesArg::Estimated => RateOrigin::Estimated(crawls),
                    RatesArg::Unordered => RateOrigin::Unordered(crawls),
                    RatesArg::Discounted => RateOrigin::Discounted(crawls),
                    RatesArg::Mixed => RateOrigin::Mixed(crawls),
                    RatesArg::Predicted => RateOrigin::Predicted(training),
                })
                .collect();
            let lead = if knows_future { 0.0 } else { interval * f64::from(self.earlier) };
            let simulation = recorded::run(&Recorded {
                replay: &replay,
                duration,
                starts: usize::from(self.starts.get()),
                lead,
                told: &told,
                specs: asked.specs,
                planning: asked.planning,
                scores: asked.scores,
                against: Some(&self.against),
                threads: asked.reading.threads(),
            })?;
            match &mut whole {
                None => whole = Some(simulation),
                Some(whole) => {
                    whole.notes.extend(simulation.notes);
                    whole.rows.extend(simulation.rows);
                }
            }
        }
        let mut whole = whole.unwrap_or_else(|| Simulation::new(replay.world.name.clone()));
        if self.rates.contains(&RatesArg::Predicted) {
            notes.extend(assessed(&replay, training));
        }
        whole.notes.extend(notes);
        Ok((whole, log))
    }

    /// Default length of a crawl in a history of `span` seconds: a month, but at most a tenth of what is left after the earlier
    /// crawls. Where these keep the pace of the crawl, all of them take half of the history.
    fn usual_duration(&self, span: f64, knows_future: bool) -> crate::Result<f64> {
        let most = match &self.interval {
            _ if knows_future => span / 10.0,
            Some(interval) => (span - f64::from(self.earlier) * parse_seconds(interval)?) / 10.0,
            None => (span / 10.0).min(span / (2.0 * (f64::from(self.earlier) + 1.0))),
        };
        Ok(most.clamp(0.0, 30.0 * SECONDS_A_DAY))
    }

    fn training(&self, seed: u64) -> Training {
        Training {
            method: match self.predictor {
                PredictorArg::Tree => Method::Tree,
                PredictorArg::NaiveBayes => Method::NaiveBayes,
            },
            known: match self.features {
                FeaturesArg::Online => Known::Online,
                FeaturesArg::Offline => Known::Offline,
            },
            seed,
            ..Training::default()
        }
    }

    /// The history of a table.
    fn table(&self, path: &Path) -> Result<(Replay, Vec<String>)> {
        let columns = Columns::parse(self.columns.as_deref().unwrap_or(""))?;
        let bulk = if self.without_bulk { Bulk::LeaveOut } else { Bulk::Keep };
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error: crate::Error| error.at_file(&path)
        };
        let open =
            |path: &Path| File::open(path).map_err(|error| at(path)(crate::Error::usage(error.to_string())));
        let mut log = Log::read(open(path)?, &columns, bulk).map_err(at(path))?;
        if let Some(links) = &self.links {
            log.read_links(open(links)?, &columns).map_err(at(links))?;
        }
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let name = name.trim_end_matches(".gz").trim_end_matches(".csv").trim_end_matches(".changes");
        let replay = from_log(name, &log).map_err(at(path))?;
        let mut notes = Vec::new();
        if log.left_out > 0 {
            notes.push(format!(
                "{} changes that were made to many pages at once were left out.",
                log.left_out
            ));
        }
        if log.links_left_out > 0 {
            notes.push(format!("{} links of pages without a history were left out.", log.links_left_out));
        }
        Ok((replay, notes))
    }

    /// The history of archives.
    fn archive(&self, reading: &ReadArgs, files: &mut Files) -> Result<(Replay, ProblemLog)> {
        let wanted = Wanted { links: true, ..Wanted::default() };
        let sources = sources(&self.inputs, reading.expansion(), files)?;
        let input = reading.read(&sources, wanted, false, files)?;
        let read = input.reading;
        let table = read.table()?;
        // Pages are known by their keys, links by their URLs.
        let mut graph = GraphBuilder::default();
        read.graph.contract(&mut graph, |url, key| Canon::Default.key_into(url, key), &[], &mut |_, _| ());
        let graph = graph.finish().0;
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let name = self.inputs.iter().map(|input| name_of(Path::new(input))).collect::<Vec<_>>().join(" ");
        Ok((from_archive(&name, &judge, PageFilter::Html, Some(&graph))?, input.log))
    }
}

/// How well a predictor knows pages that it was not trained on.
fn assessed(replay: &Replay, training: Training) -> Option<String> {
    let pages: Vec<u32> = (0..replay.world.pages.len() as u32).collect();
    let examples = examples(replay, &pages, replay.world.to, training.known);
    let found = cross_validate(&examples, training.method, BINS, FOLDS, training.seed)?;
    let percent = |share: Option<f64>| share.map_or(UNKNOWN.to_owned(), crate::format::percent);
    Some(format!(
        "Predictor {}, {FOLDS}-fold cross-validation over {} pages and {} classes of rates: {} right (the fullest class alone: {}), {} off by \
         one class at most; pages off by 0, 1, … classes: {:?}.",
        training.method.name(),
        found.pages(),
        found.bins.len(),
        percent(found.accuracy()),
        percent(found.majority()),
        percent(found.within(1)),
        found.off_by,
    ))
}
