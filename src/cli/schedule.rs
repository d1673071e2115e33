//! `acuity schedule`: in which order, and when, the next crawl should fetch the pages.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::audit;
use super::audit_args::AuditArgs;
use super::exit::Exit;
use super::files::Files;
use super::input::ReadArgs;
use super::output::{self, Unwritable};
use super::report_file::read_audit;
use super::screen::{ColorArg, screen};
use crate::audit::Audit;
use crate::audit::commands::{argument, quoted};
use crate::audit::model::PageAudit;
use crate::audit::next::crawl;
use crate::audit::next::shelf::{Shelf, shelve};
use crate::audit::next::shelved_crawl::ShelvedCrawl;
use crate::audit::outlook::Outlook;
use crate::format::{bytes, count};
use crate::report::schedule_screen::{self, Shown};
use crate::report::{html, schedule_table};
use crate::schedule::build::{Choice, Request, Share, When, build_from, parse_seconds};
use crate::schedule::compare::Mode;
use crate::schedule::drive::{self, Drive, Driven};
use crate::schedule::export::{self, Export, Format};
use crate::schedule::model::DelaySource;
use crate::schedule::page::{Page, RateUnit, pages_from_rates_csv};
use crate::schedule::parts::PageSource;
use crate::schedule::registry::{COMPARED, Settings};
use crate::schedule::{Schedule, model};
use crate::time::Instant;

/// Pages, and downloads, that take more than this part of `--memory` lie in temporary files.
const SHARE: usize = 8;

/// About the bytes that a search holds of a page: rate, weight, captures, and its places in the plans that are compared.
const PAGE: usize = 150;

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

    /// Revisit only N pages, or N % of them: those that gain most; the others are fetched once
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
    /// One JSON object a download
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
    fn pages_from_rates(&self) -> Result<Option<(Vec<Page>, Option<String>)>> {
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
}

/// Runs the command. Data goes to `out`, remarks to `notes`.
pub fn execute(args: &ScheduleArgs, out: &mut dyn Write, notes: &mut dyn Write) -> Result<(Schedule, Exit)> {
    let mut request = args.request()?;
    let mut files = Files::default();
    files.write("--json", args.json_path())?;
    files.write("--html", args.html.as_deref())?;
    files.read(args.rates.as_deref())?;
    if let Some((pages, note)) = args.pages_from_rates()? {
        request.notes.extend(note);
        return schedule_pages(args, &request, &pages.as_slice(), None, &mut files, out, notes);
    }
    let (mut audit, mut shelf, exit) = load_pages(&args.inputs, &args.reading, &mut files)?;
    if let Some(name) = &args.site {
        shelf.keep(|entry| audit.sites.get(entry).is_some_and(|site| site.site == *name));
        only(&mut audit, name)?;
    }
    let next = ShelvedCrawl::of(&audit.sites, &shelf, !args.captured_only, args.subsite)?;
    let outlook = Outlook::of(&audit.sites);
    if args.delay.is_none() {
        request.lane_delays = next.delays.clone();
    }
    request.notes.extend(next.patterns.clone());
    let (schedule, driven) = schedule_pages(args, &request, &next, Some(&outlook), &mut files, out, notes)?;
    Ok((schedule, exit.max(driven)))
}

impl ScheduleArgs {
    /// Where JSON goes.
    fn json_path(&self) -> Option<&Path> {
        self.json.as_ref().map(|path| path.as_deref().unwrap_or(Path::new("-")))
    }

    /// Whether the schedule is that of the audit: no option makes it another crawl.
    fn is_plain(&self) -> bool {
        let Self { budget, delay, revisits, single_visit, middle_once, tau, eta, ignore_weights, .. } = self;
        let given = [budget.is_some(), delay.is_some(), revisits.is_some(), tau.is_some(), eta.is_some()];
        !(given.contains(&true) || *single_visit || *middle_once || *ignore_weights)
    }

    /// The screen: short, or all tables where details were asked for, or strategies to compare.
    fn shown(&self, schedule: &Schedule, outlook: Option<&Outlook>) -> String {
        let is_whole = self.details || self.subsite || !self.strategy.is_empty() || schedule.sites.is_empty();
        let Some(outlook) = outlook.filter(|_| !is_whole) else {
            return schedule_table::render(schedule);
        };
        let words = self.inputs.iter().map(|name| argument(&name.to_string_lossy()));
        let site = self.site.iter().flat_map(|site| ["--site".to_owned(), quoted(site)]);
        let words: Vec<String> = words.chain(site).collect();
        let export = format!("acuity schedule {} --export wget --out plan", words.join(" "));
        let shown = Shown {
            outlook: Some(outlook).filter(|_| self.is_plain()),
            is_known: outlook.is_known,
            is_compared: outlook.is_compared,
            export: (self.out.is_none() && self.is_plain()).then_some(export),
        };
        schedule_screen::render(schedule, &shown, screen(ColorArg::Auto))
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

/// Keeps one site of an audit, which has to be there.
pub(super) fn only(audit: &mut Audit, name: &str) -> crate::Result<()> {
    if !audit.sites.iter().any(|site| site.site == name) {
        let error = crate::Error::usage(format!("there is no site {name}"));
        return Err(match super::pages::nearest(name, audit.sites.iter().map(|site| site.site.as_str())) {
            Some(near) => error.with_remedy(format!("did you mean {near}?")),
            None => error.with_remedy("`acuity audit` lists the sites"),
        });
    }
    audit.sites.retain(|site| site.site == name);
    Ok(())
}

/// The audit: read back, or made of archives and indexes.
pub(super) fn load_audit(
    inputs: &[OsString],
    reading: &ReadArgs,
    files: &mut Files,
) -> Result<(Audit, Exit)> {
    let mut pages: Vec<Vec<PageAudit>> = Vec::new();
    let (mut audit, is_apart, exit) = load(inputs, reading, files, &mut |entry, page| {
        pages.resize_with(pages.len().max(entry + 1), Vec::new);
        pages[entry].push(page.for_plans());
        Ok(())
    })?;
    if is_apart {
        pages.resize_with(audit.sites.len(), Vec::new);
        for (site, pages) in audit.sites.iter_mut().zip(pages) {
            (site.page_list, site.page_totals) = (pages, None);
        }
    }
    Ok((audit, exit))
}

/// The same for schedules: of the pages of each site only what these are made from is kept, and what is more than a part of
/// `--memory` lies in a temporary file.
fn load_pages(inputs: &[OsString], reading: &ReadArgs, files: &mut Files) -> Result<(Audit, Shelf, Exit)> {
    let limit = reading.memory / SHARE;
    let mut shelf = Shelf::new(limit);
    let (mut audit, is_shelved, exit) =
        load(inputs, reading, files, &mut |entry, page| shelf.push(entry, page))?;
    if !is_shelved {
        shelf = shelve(&mut audit.sites, limit)?;
    }
    Ok((audit, shelf, exit))
}

/// Refuses a report that holds no pages, because they are too many for it.
fn has_pages(audit: &Audit, report: &Path) -> crate::Result<()> {
    let lacking = audit.sites.iter().find(|site| site.page_list.is_empty() && site.page_totals.is_some());
    lacking.map_or(Ok(()), |site| {
        let message = format!(
            "this report has totals of the {} of {}, not the pages: they are too many for it",
            count(site.all_pages(), "page"),
            site.site
        );
        let remedy = "give the archives, or an index of them, in its place";
        Err(crate::Error::data(message).at_file(report).with_remedy(remedy))
    })
}

/// An audit. Read back, it holds its pages; made of archives and indexes, each page is handed to `keep` with the number of its
/// entry, and `true` is returned.
fn load(
    inputs: &[OsString],
    reading: &ReadArgs,
    files: &mut Files,
    keep: &mut dyn FnMut(usize, &PageAudit) -> io::Result<()>,
) -> Result<(Audit, bool, Exit)> {
    let (mut reports, mut archives) = (Vec::new(), Vec::new());
    for input in inputs {
        if is_report(input) { reports.push(input) } else { archives.push(input.clone()) }
    }
    match (&reports[..], &archives[..]) {
        ([report], []) => {
            let path = Path::new(report);
            files.read(Some(path))?;
            let audit = read_audit(path, reading.memory)?;
            has_pages(&audit, path)?;
            Ok((audit, false, Exit::Done))
        }
        ([], _) => {
            let plain = AuditArgs::plain(&archives, reading)?;
            let (audit, log) =
                audit::perform(&plain, files, Some(0), &mut |entry, _, page| keep(entry, page))?;
            reading.report_problems(&log);
            let exit = reading.exit(&log, Exit::Done);
            Ok((audit, true, exit))
        }
        _ => Err(crate::Error::usage("an audit cannot be joined with other inputs")
            .with_remedy("give one audit, or archives and indexes")
            .into()),
    }
}

/// Whether a file is an audit: JSON, not lines of it, whose first key is the schema.
fn is_report(path: &OsStr) -> bool {
    if !Path::new(path).is_file() {
        return false;
    }
    let mut head = [0; 256];
    let read = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let head: String = String::from_utf8_lossy(&head[..read]).split_whitespace().collect();
    head.trim_start_matches('\u{feff}').starts_with("{\"schema\":\"acuity.")
}

/// What to know where the numbers that strategies work with took more than `--memory`.
fn above_memory(schedule: &Schedule, memory: usize) -> Option<String> {
    let pages: usize = schedule.sites.iter().map(|site| site.pages).sum();
    let held = pages.saturating_mul(PAGE);
    (held > memory).then(|| {
        format!(
            "The search held about {} for {}, more than --memory: the numbers that strategies work with are always held. --site or --budget \
             plans fewer pages.",
            bytes(held as u64),
            count(pages as u64, "page")
        )
    })
}

/// Schedules pages from wherever they came, and writes what was asked for.
fn schedule_pages(
    args: &ScheduleArgs,
    request: &Request,
    pages: &dyn PageSource,
    outlook: Option<&Outlook>,
    files: &mut Files,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<(Schedule, Exit)> {
    let schedule = build_from(pages, request)?;
    if let Some(remark) = above_memory(&schedule, args.reading.memory) {
        writeln!(notes, "{remark}")?;
    }
    let mut exit = Exit::Done;
    let mut exports = Vec::new();
    if let Some(directory) = &args.out {
        for crawler in &args.export {
            exports.push(Made::new(&schedule, *crawler, directory, args.export.len() > 1, files)?);
        }
    }
    match args.json_path() {
        Some(path) if path != Path::new("-") => write_json_file(&schedule, path)?,
        Some(_) => write_json(&schedule, out)?,
        None if files.take_stdout() => {}
        None => out.write_all(args.shown(&schedule, outlook).as_bytes())?,
    }
    if let Some(path) = &args.html {
        output::write(Some(path), |out| Ok(html::schedule::write(out, &schedule)?))?;
    }
    exports.iter().try_for_each(|export| export.write(notes))?;
    if let Some(command) = &args.drive {
        let command = command.split_whitespace().map(str::to_owned).collect();
        let drive = Drive { command, log: args.drive_log.clone(), retries: args.retries };
        let Driven { done, failed, resumed, left_out, latest } = drive::drive(&schedule, &drive)?;
        writeln!(
            notes,
            "drive: {done} downloads made, {failed} failed, {resumed} made before, {left_out} left out; at most {latest:.1} s late"
        )?;
        if failed > 0 {
            exit = Exit::Unreadable;
        }
    }
    Ok((schedule, exit))
}

fn write_json(schedule: &model::Schedule, out: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    crate::report::pretty::write(&mut out, schedule)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn write_json_file(schedule: &model::Schedule, path: &Path) -> Result<()> {
    output::write(Some(path), |out| write_json(schedule, out))
}

/// The files for a crawler, and where they go.
pub(super) struct Made {
    name: &'static str,
    directory: PathBuf,
    export: Export,
}

impl Made {
    /// Several crawlers at once get a directory each.
    pub(super) fn new(
        schedule: &Schedule,
        crawler: Crawler,
        out: &Path,
        apart: bool,
        files: &mut Files,
    ) -> Result<Self> {
        let (format, name) = match crawler {
            Crawler::Jsonl => (Format::Jsonl, "jsonl"),
            Crawler::Heritrix => (Format::Heritrix, "heritrix"),
            Crawler::Browsertrix => (Format::Browsertrix, "browsertrix"),
            Crawler::Wget => (Format::Wget, "wget"),
            Crawler::Nutch => (Format::Nutch, "nutch"),
            Crawler::Scrapy => (Format::Scrapy, "scrapy"),
        };
        let directory = if apart { out.join(name) } else { out.to_owned() };
        let export = export::export(schedule, format)?;
        for file in &export.files {
            files.write("--out", Some(&directory.join(&file.name)))?;
        }
        Ok(Made { name, directory, export })
    }

    pub(super) fn write(&self, notes: &mut dyn Write) -> Result<()> {
        let Made { name, directory, export } = self;
        export.write(directory).map_err(|error| Unwritable::in_folder(directory, io::Error::other(error)))?;
        let files = count(export.files.len() as u64, "file");
        writeln!(notes, "{name}: {files} in {}", directory.display())?;
        if let Some(remark) = export.remark {
            writeln!(notes, "{name}: {remark}")?;
        }
        if export.left_out > 0 {
            let downloads = count(export.left_out as u64, "download");
            writeln!(notes, "{name}: {downloads} left out: no http or https URL that can be requested")?;
        }
        Ok(())
    }
}

pub(super) fn instant(date: &str) -> Result<Instant> {
    Instant::parse(date).ok_or_else(|| {
        crate::Error::usage(format!("{date:?} is not a date"))
            .with_remedy("write 2030-01-31T12:00:00Z")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        schedule: ScheduleArgs,
    }

    fn run(arguments: &[&str], table: &str) -> Result<(Schedule, String, String)> {
        let directory = tempfile::tempdir()?;
        let rates = directory.path().join("rates.csv");
        std::fs::write(&rates, table)?;
        let rates = rates.display().to_string();
        let all = ["schedule", "--rates", &rates].into_iter().chain(arguments.iter().copied());
        let cli = Cli::try_parse_from(all)?;
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let (schedule, _) = execute(&cli.schedule, &mut out, &mut notes)?;
        Ok((schedule, String::from_utf8(out)?, String::from_utf8(notes)?))
    }

    #[test]
    fn a_search_above_memory_is_told_with_a_remedy() {
        let pages: Vec<Page> = (0..100).map(|i| Page::new(&format!("p{i}"), 0.1)).collect();
        let schedule =
            crate::schedule::build::build(&pages, &Request { delay: 1.0, ..Request::default() }).unwrap();
        assert_eq!(above_memory(&schedule, 100 * PAGE), None);
        let remark = above_memory(&schedule, 100 * PAGE - 1).unwrap();
        assert!(remark.contains("100 pages") && remark.contains("--budget"), "{remark}");
    }

    #[test]
    fn downloads_that_failed_give_an_exit_code() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(file("rates.csv"), "page,rate\nhttp://a.example/,0.1\n").unwrap();
        let exit = |command: &str| {
            let (rates, log) = (file("rates.csv"), file(&format!("{}.jsonl", command.len())));
            let own = [
                "schedule",
                "--rates",
                &rates,
                "--delay",
                "0s",
                "--drive",
                command,
                "--drive-log",
                &log,
                "--retries",
                "0",
            ];
            let cli = Cli::try_parse_from(own).unwrap();
            execute(&cli.schedule, &mut Vec::new(), &mut Vec::new()).map(|(_, exit)| exit)
        };
        assert_eq!(exit("true").unwrap(), Exit::Done);
        assert_eq!(exit("false").unwrap(), Exit::Unreadable);
        assert!(exit("/nonexistent/command").unwrap_err().to_string().contains("cannot be run"));
    }

    const EXAMPLE: &str = "page,rate\np5,0.40\np4,0.35\np3,0.30\np2,0.25\np1,0.20\n";

    #[test]
    fn a_table_is_taken_at_its_word_or_refused() {
        let (_, out, _) = run(&["--delay", "1s"], "page,rate,note\na,1,x\nb,2,y\n").unwrap();
        assert!(out.contains("columns of the table that were skipped: note"), "{out}");
        let groupless = run(&["--subsite"], EXAMPLE).unwrap_err();
        assert!(groupless.to_string().contains("--subsite needs groups"), "{groupless}");
        assert!(run(&["--subsite"], "page,rate,group\na,1,x\nb,2,\n").is_ok());
        assert!(run(&[], "page,rate\na,1\na,2\n").is_err());
    }

    #[test]
    fn json_has_the_keys_of_the_schema() {
        let (_, out, _) =
            run(&["--delay", "1s", "--strategy", "sharc-selective", "--middle-once", "--json"], EXAMPLE)
                .unwrap();
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json["schema"], "acuity.schedule/1");
        let site = &json["sites"][0];
        assert!((site["expected_coherence"].as_f64().unwrap() - 2.281_969).abs() < 5e-7);
        assert!((site["upper_bound"].as_f64().unwrap() - 2.282_081).abs() < 5e-7);
        assert!(
            site["gap"].as_f64().unwrap() > 0.0 && site["start"].is_null() && site["reference"].is_null()
        );
        assert_eq!((&site["strategy"], &site["delay_seconds"]), (&"sharc-selective".into(), &1.0.into()));
        assert_eq!(site["slots"].as_array().unwrap().len(), 9);
        assert!(site["slots"][0]["at"].is_null() && site["slots"][0]["seconds"] == 0.0);
        assert_eq!(json["strategies"][0]["name"], "sharc-selective");
        let parsed: Schedule = serde_json::from_str(&out).unwrap();
        assert_eq!(parsed.sites[0].slots.len(), 9);
    }

    #[test]
    fn the_table_fits_eighty_columns_and_names_every_strategy() {
        let (schedule, out, _) =
            run(&["--start", "2030-01-01", "--strategy", "all", "--middle-once"], EXAMPLE).unwrap();
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
        assert!(crate::schedule::registry::COMPARED.iter().all(|name| out.contains(name)));
        assert_eq!(schedule.sites[0].reference, Instant::parse("2030-01-01T00:00:04Z"));
    }

    #[test]
    fn strategies_may_be_repeated_and_all_stands_for_the_others() {
        let rows = |arguments: &[&str]| {
            let schedule = run(arguments, EXAMPLE).unwrap().0;
            let names: Vec<String> = schedule.strategies.into_iter().map(|row| row.name).collect();
            (schedule.sites[0].strategy.clone(), names)
        };
        let all = rows(&["--strategy", "all"]);
        assert_eq!((all.0.as_str(), all.1.len()), ("optimal", COMPARED.len()));
        assert_eq!(rows(&["--strategy", "optimal", "--strategy", "all"]), all);
        assert_eq!(rows(&["--strategy", "all", "--strategy", "bfs-lifo"]), all);
        let (made, names) = rows(&["--strategy", "bfs-lifo", "--strategy", "all", "--strategy", "bfs-lifo"]);
        assert_eq!((made.as_str(), names[0].as_str(), names.len()), ("bfs-lifo", "bfs-lifo", COMPARED.len()));
        assert_eq!(rows(&["--strategy", "op", "--strategy", "op"]).1, ["op"]);
        assert!(run(&["--strategy", "all", "--strategy", "nonsense"], EXAMPLE).is_err());
    }

    #[test]
    fn exports_are_written_and_what_cannot_be_exported_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().display().to_string();
        let table = "page,rate,weight\nhttp://a.example/,0.1,2\nhttp://a.example/b,0.2,\np3,0.3,1\n";
        let (_, _, notes) = run(&["--export", "wget", "--export", "nutch", "--out", &out], table).unwrap();
        assert!(
            directory.path().join("wget/crawl.sh").exists()
                && directory.path().join("nutch/seeds.txt").exists()
        );
        assert!(notes.contains("left out"));
    }

    #[test]
    fn weights_can_be_hidden_from_the_strategy() {
        let table = "page,rate,weight\na,0.4,1\nb,0.3,9\n";
        let seen = run(&["--middle-once"], table).unwrap().0.sites[0].expected_coherence.unwrap();
        let blind = run(&["--middle-once", "--ignore-weights"], table).unwrap().0.sites[0]
            .expected_coherence
            .unwrap();
        assert!((seen - (9.0 + (-0.8f64).exp())).abs() < 1e-12 && blind < seen);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for arguments in [
            ["--delay", "soon"],
            ["--start", "tomorrow"],
            ["--strategy", "random"],
            ["--tau", "2"],
            ["--export", "wget"],
            ["--rate-unit", "year"],
        ] {
            let strategy = if arguments[0] == "--tau" { &["--strategy", "solar-offline"][..] } else { &[] };
            assert!(run(&[&arguments[..], strategy].concat(), EXAMPLE).is_err(), "{arguments:?}");
        }
    }
}
