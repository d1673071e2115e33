//! `acuity simulate`: compares strategies on sites whose every change is known.

mod history;
mod invent;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use self::history::{Asked, HistoryArgs};
use self::invent::InventArgs;
use super::exit::Exit;
use super::files::Files;
use super::input::ReadArgs;
use super::output;
use super::screen::{ColorArg, screen};
use crate::report::simulate::{csv, svg, table};
use crate::schedule::registry::Settings;
use crate::simulate::model::{self, Key, Simulation};
use crate::simulate::paper;
use crate::simulate::run::{Knowledge, Planning, Seeds};
use crate::simulate::score::Score;
use crate::simulate::spec::Spec;
use crate::simulate::sweep::{self, Sweep};
use crate::simulate::synthetic::sharc::Leaves;
use crate::simulate::synthetic::{Described, Importance, Kind};

const EXAMPLES: &str = "\
Examples:
  acuity simulate                                all strategies, a site of SHARC
  acuity simulate --paper sharc-13               a published table beside ours
  acuity simulate --slow-down 1,2,5,10 --svg duration.svg --score incoherence
  acuity simulate --site solar-smooth --strategy optimal --strategy bfs-fifo
  acuity simulate --site daily --resources 20,60,100 --score completeness
  acuity simulate --history changes.csv.gz --links links.csv.gz --duration 30d
  acuity simulate --paper all --json=papers.json --sort=-z
  acuity simulate --write-archive case-7 --seed 7    an archive with its truth";

/// Options of `acuity simulate`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct SimulateArgs {
    /// Kind of synthetic site
    #[arg(long, value_enum, default_value = "sharc", help_heading = "Site")]
    pub site: SiteArg,

    /// Reproduce a published table beside our figures: solar-1, solar-2, sharc-6, sharc-11 to sharc-21, datq-9, datq-9-hindsight, importance-7, importance-8, warrick-1, warrick-2, or "all"; may be repeated
    ///
    /// Each published cell with what is expected here, what was sampled, and the distance in standard deviations of one run. Where
    /// a paper can be read in several ways, the notes say which reading was taken.
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["site", "pages", "skew", "slow_down", "resources", "strategy", "score"],
        help_heading = "Site")]
    pub paper: Vec<String>,

    /// Number of pages; several make a sweep [default: as in the paper]
    #[arg(long, value_name = "N,…", value_delimiter = ',', help_heading = "Site")]
    pub pages: Vec<usize>,

    /// How unevenly changes are spread over the pages (sharc, chances)
    #[arg(long, value_name = "S,…", value_delimiter = ',', help_heading = "Site")]
    pub skew: Vec<f64>,

    /// Time between two downloads, in units of the site's time
    #[arg(long, value_name = "K,…", value_delimiter = ',', help_heading = "Site")]
    pub slow_down: Vec<f64>,

    /// Downloads an hour, in percent of the pages (daily)
    #[arg(long, value_name = "%,…", value_delimiter = ',', help_heading = "Site")]
    pub resources: Vec<f64>,

    /// Days that a daily site is crawled
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Site")]
    pub days: u16,

    /// Whether the leaves of the tree are cold or hot (sharc)
    #[arg(long, value_enum, value_delimiter = ',', help_heading = "Site")]
    pub leaves: Vec<LeavesArg>,

    /// Links per page (sharc) [default: 400]
    #[arg(long, value_name = "N", help_heading = "Site")]
    pub outdegree: Option<usize>,

    /// How important pages are
    #[arg(long, value_enum, default_value = "equal", help_heading = "Site")]
    pub weights: WeightsArg,

    /// Strategy, such as optimal or solar-offline:tau=0.88; may be repeated [default: all]
    #[arg(long, value_name = "NAME", help_heading = "Strategy")]
    pub strategy: Vec<String>,

    /// Let strategies know every page before the crawl; else pages are found by links
    ///
    /// Offline strategies, such as optimal, always know every page.
    #[arg(long, help_heading = "Strategy")]
    pub all_known: bool,

    /// Hide the page weights from the strategies; the result is still judged by them
    #[arg(long, help_heading = "Strategy")]
    pub ignore_weights: bool,

    /// Score, or "all": incoherence, pages, blur, blur-revisits, measurable, completeness, query [default: incoherence,blur]
    ///
    /// A daily site has no visit and revisit: "all" means blur-revisits, completeness and query there, and the default is the first two.
    ///
    /// incoherence: weight of the pages that changed between visit and revisit; pages: number of those that did not; blur:
    /// changes between what is served and what was online, of the visits alone; blur-revisits: of both; measurable: weight of the
    /// pages that changed between the start and their visit; completeness: share of the versions that was captured; query:
    /// share of the versions served for a date that were online together (slow on large sites).
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = "Score")]
    pub score: Vec<String>,

    /// Runs, each with a seed of its own
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Score")]
    pub seeds: u64,

    /// The first seed
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Score")]
    pub seed: u64,

    /// Sort rows by site, strategy, score, expected, sampled, published, z (its size) or downloads; -NAME: greatest first
    #[arg(long, value_name = "[-]NAME", allow_hyphen_values = true, value_parser = parse_sort, help_heading = "Output")]
    pub sort: Option<(Key, bool)>,

    /// Write JSON: to FILE, or without FILE to standard output instead of the table
    ///
    /// Its schema is `acuity.simulate/1`, described in docs/simulate-schema.json.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Output")]
    pub json: Option<Option<PathBuf>>,

    /// Write one CSV table: to FILE, or without FILE to standard output instead of the table
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, help_heading = "Output")]
    pub csv: Option<Option<PathBuf>>,

    /// Write a plot: strategies against what varies from site to site (slow-down, skew, resources, pages)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub svg: Option<PathBuf>,

    /// Whether to use colour; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: ColorArg,

    /// What really happened.
    #[command(flatten)]
    pub history: HistoryArgs,

    /// An archive whose truth is known.
    #[command(flatten)]
    pub invent: InventArgs,

    /// How archives are read.
    #[command(flatten)]
    pub reading: ReadArgs,
}

/// Kind of synthetic site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SiteArg {
    /// Rates 1/(i+1)^skew on a tree (10,000 pages, skew 1.2)
    Sharc,
    /// SOLAR's skewed rates on its tree (1,000 pages)
    SolarSkewed,
    /// SOLAR's smooth rates on its tree (1,000 pages)
    SolarSmooth,
    /// Chances of change per slot (10,000 pages)
    Chances,
    /// Patterns of change by the hour; crawled for days (1,000 pages)
    Daily,
}

/// Which end of the tree is hot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LeavesArg {
    /// The root is hottest
    Cold,
    /// The root is coldest
    Hot,
}

/// How important pages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum WeightsArg {
    /// All the same importance
    Equal,
    /// The more a page changes, the more important: n/(H·(1 + rank))
    Heat,
}

fn parse_sort(text: &str) -> Result<(Key, bool), String> {
    let (name, descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
    let key = match name {
        "site" => Key::Site,
        "strategy" => Key::Strategy,
        "score" => Key::Score,
        "expected" => Key::Expected,
        "sampled" => Key::Sampled,
        "published" => Key::Published,
        "z" => Key::Z,
        "downloads" => Key::Downloads,
        _ => {
            return Err(
                "choose site, strategy, score, expected, sampled, published, z or downloads".to_owned()
            );
        }
    };
    Ok((key, descending))
}

impl SimulateArgs {
    /// The sites: every combination of the options.
    fn described(&self) -> Vec<Described> {
        fn each<T: Copy>(values: &[T]) -> Vec<Option<T>> {
            if values.is_empty() { vec![None] } else { values.iter().copied().map(Some).collect() }
        }
        let kind = match self.site {
            SiteArg::Sharc => Kind::Sharc,
            SiteArg::SolarSkewed => Kind::SolarSkewed,
            SiteArg::SolarSmooth => Kind::SolarSmooth,
            SiteArg::Chances => Kind::Chances,
            SiteArg::Daily => Kind::Daily,
        };
        let leaves: Vec<Leaves> = self
            .leaves
            .iter()
            .map(|leaves| match leaves {
                LeavesArg::Cold => Leaves::Cold,
                LeavesArg::Hot => Leaves::Hot,
            })
            .collect();
        let mut sites = Vec::new();
        for leaves in each(&leaves) {
            for pages in each(&self.pages) {
                for skew in each(&self.skew) {
                    for slow_down in each(&self.slow_down) {
                        for resources in each(&self.resources) {
                            sites.push(Described {
                                pages,
                                skew,
                                slow_down,
                                outdegree: self.outdegree,
                                leaves,
                                resources: resources.map(|percent| percent / 100.0),
                                ..Described::new(kind)
                            });
                        }
                    }
                }
            }
        }
        sites
    }

    fn scores(&self) -> Result<Vec<Score>> {
        let days = self.site == SiteArg::Daily && !self.history.is_asked();
        let mut scores = Vec::new();
        if self.score.is_empty() {
            return Ok(match days {
                true => vec![Score::BlurRevisits, Score::Completeness],
                false => vec![Score::Incoherence, Score::Blur],
            });
        }
        for name in &self.score {
            let named = match name.as_str() {
                "all" if days => Score::OF_DAYS.to_vec(),
                "all" => Score::ALL.to_vec(),
                name => vec![Score::of(name).ok_or_else(|| {
                    let names = Score::ALL.map(Score::name).join(" ");
                    crate::Error::usage(format!("there is no score {name:?}"))
                        .with_remedy(format!("choose all, or some of: {names}"))
                })?],
            };
            scores.extend(named.into_iter().filter(|score| !scores.contains(score)).collect::<Vec<_>>());
        }
        Ok(scores)
    }

    fn planning(&self) -> Planning {
        Planning {
            knowledge: if self.all_known { Knowledge::All } else { Knowledge::Seeds },
            shared_middle: false,
            ignore_weights: self.ignore_weights,
        }
    }

    /// Runs the simulation. Returns whether some input could not be read.
    fn simulate(&self, files: &mut Files) -> Result<(Simulation, Exit)> {
        let threads = self.reading.threads();
        let seeds = Seeds { first: self.seed, count: self.seeds };
        let mut exit = Exit::Done;
        let mut simulation = if self.history.is_asked() {
            let specs = match self.strategy.as_slice() {
                [] => Spec::all(&Settings::default())?,
                names => names
                    .iter()
                    .map(|name| Spec::parse(name, &Settings::default()))
                    .collect::<crate::Result<_>>()?,
            };
            let scores = self.scores()?;
            let asked = Asked {
                specs: &specs,
                planning: self.planning(),
                scores: &scores,
                seed: self.seed,
                reading: &self.reading,
            };
            let (simulation, log) = self.history.simulate(&asked, files)?;
            if let Some(log) = log {
                self.reading.report_problems(&log);
                exit = if log.has_errors() { Exit::Unreadable } else { Exit::Done };
            }
            simulation
        } else if self.paper.is_empty() {
            let importance = match self.weights {
                WeightsArg::Equal => Importance::Equal,
                WeightsArg::Heat => Importance::Heat,
            };
            sweep::run(&Sweep {
                sites: self.described(),
                importance,
                strategies: self.strategy.clone(),
                settings: Settings::default(),
                planning: self.planning(),
                scores: self.scores()?,
                days: usize::from(self.days),
                seeds,
                threads,
            })?
        } else {
            self.papers(seeds, threads)?
        };
        if let Some((key, descending)) = self.sort {
            model::sort(&mut simulation.rows, key, descending);
        }
        Ok((simulation, exit))
    }

    /// The tables of papers, one after the other.
    fn papers(&self, seeds: Seeds, threads: usize) -> Result<Simulation> {
        let all = self.paper.iter().any(|name| name == "all");
        let names = if all { paper::names()? } else { self.paper.clone() };
        let mut tables = Vec::new();
        for name in &names {
            tables.push(paper::reproduce(name, seeds, threads)?);
        }
        if tables.len() == 1 {
            return Ok(tables.remove(0));
        }
        let mut joined = Simulation::new("Tables of the papers, beside ours");
        for (name, table) in names.iter().zip(tables) {
            joined.notes.push(format!("{name}: {}", table.title));
            joined.notes.extend(table.notes.into_iter().map(|note| format!("{name}: {note}")));
            joined.rows.extend(table.rows.into_iter().map(|mut row| {
                row.site = format!("{name}: {}", row.site);
                row
            }));
        }
        Ok(joined)
    }
}

/// Runs the command. Text goes to `out`.
pub(super) fn execute(args: &SimulateArgs, out: &mut dyn Write) -> Result<Exit> {
    if let Some(folder) = &args.invent.write_archive {
        args.invent.write(folder, args.seed, out)?;
        return Ok(Exit::Done);
    }
    let target = |asked: &'_ Option<Option<PathBuf>>| -> Option<PathBuf> {
        asked.as_ref().map(|path| path.clone().unwrap_or_else(|| "-".into()))
    };
    let (json, csv) = (target(&args.json), target(&args.csv));
    let mut files = Files::default();
    files.write("--json", json.as_deref())?;
    files.write("--csv", csv.as_deref())?;
    files.write("--svg", args.svg.as_deref())?;
    let (simulation, exit) = args.simulate(&mut files)?;
    let write = |path: Option<&Path>, text: &dyn Fn() -> Result<Vec<u8>>| -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        let text = text()?;
        output::write(Some(path), |out| Ok(out.write_all(&text)?))
    };
    write(args.svg.as_deref(), &|| Ok(svg::render(&simulation).into_bytes()))?;
    write(json.as_deref(), &|| {
        let mut text = Vec::new();
        crate::report::pretty::write(&mut text, &simulation)?;
        text.push(b'\n');
        Ok(text)
    })?;
    write(csv.as_deref(), &|| {
        let mut text = Vec::new();
        csv::write(&mut text, &simulation)?;
        Ok(text)
    })?;
    if !files.take_stdout() {
        table::write(out, &simulation, screen(args.color), args.sort.is_some())?;
    }
    Ok(exit)
}
