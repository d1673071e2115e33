//! `acuity audit`: how good a capture is.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, FromArgMatches, ValueEnum};

use super::beside::Earlier;
use super::exit::Exit;
use super::files::Files;
use super::input::{DigestsArg, ReadArgs, sources};
use super::output;
use super::screen::{ShowArgs, Shown};
use super::select::{PageArgs, ProofArgs, SameArgs};
use super::{crawls, logs, page_records, rate_prior, sitemaps};
use crate::archive::source::Source;
use crate::audit::changes::MAX_COMPARED_BYTES;
use crate::audit::compute::Entered;
use crate::audit::profile::parse_seeds;
use crate::audit::promised;
use crate::audit::site_rates::RatePriors;
use crate::audit::words::why_none;
use crate::audit::{Audit, ChangeMeter, Fates, Importance, Parameters};
use crate::capture::crawl::Division;
use crate::change::evidence::Compare;
use crate::change::history::History;
use crate::drive::{Beside, Tabled, Tabling, drive, tabulate};
use crate::error::Error;
use crate::ingest::{InputFile, ProblemLog, Reading, Wanted};
use crate::problem::Problem;
use crate::quality::importance::WeightTable;
use crate::quality::link_completeness::TargetStatus;
use crate::quality::weights::ChangeWeights;
use crate::report::csv::PageTable;
use crate::report::missing;
use crate::schedule::Schedule;
use crate::time::{Dated, Instant};
use crate::url::Canon;

/// How many pages have their stories in an HTML report by default.
const STORIES: usize = 400;

/// The most pages that a report lists one by one; a page takes some 3 KB of JSON.
pub(super) const MAX_LISTED: u64 = 250_000;

const EXAMPLES: &str = "\
Examples:
  acuity audit crawl.warc.gz                    one crawl: what is known of it
  acuity audit archives/ --crawls auto          a folder, crawl against crawl
  acuity audit --visit a.warc.gz --revisit b.warc.gz
  acuity audit archives/ --explain https://example.org/
  acuity audit archives/ --json | jq '.sites[].coherence.best'
  acuity audit archives/ --compare-with last.json    what changed since then
  acuity audit archives/ -q --fail-under coherence=0.95 --json=report.json";

/// Arguments of `acuity audit`.
///
/// For every page: did it change between two captures? For every site: how many pages are proven to have been online
/// together, and when; how far a replayed page is from what was online; which pages are the worst, and what to do next. A
/// page captured once proves nothing, and is never said to have changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct AuditArgs {
    /// WARC, ARC, WACZ, CDX or CDXJ files, or the JSON lines of `acuity index`, recognised by their content
    ///
    /// Directories are searched, globs expanded, `@LIST` names a file with one path a line (`@-`: standard input), and `-`
    /// is archive data on standard input. With --visit and --revisit, INPUT is only where revisit records find their
    /// originals.
    #[arg(required_unless_present = "visit", value_name = "INPUT")]
    pub inputs: Vec<OsString>,

    /// Inputs of the visit, to compare with those of --revisit
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "revisit", help_heading = "What is compared")]
    pub visit: Vec<OsString>,

    /// Inputs of the revisit
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "visit", help_heading = "What is compared")]
    pub revisit: Vec<OsString>,

    /// Divide the captures into crawls, and compare each with the next: auto, or a file that `acuity crawls` wrote
    /// [default: all are one]
    ///
    /// auto divides by collection and warcinfo, and by silences of an hour and more. With a file, the captures are divided as those
    /// that it was made from: so are parts of a collection.
    #[arg(long, value_name = "HOW", conflicts_with = "visit", help_heading = "What is compared")]
    pub crawls: Option<CrawlsArg>,

    /// The inputs are a part of the collection NAME: its captures of some whole sites
    ///
    /// What is said of a site is then the same whatever other sites are in the part, and `acuity report --merge` puts parts
    /// together. Commands that the report suggests name the collection.
    #[arg(long, value_name = "NAME", conflicts_with = "visit", help_heading = "Parts of a collection")]
    pub part_of: Option<String>,

    /// Captures of other sites that these sites are judged by, but that are not judged themselves
    ///
    /// Originals of revisits, targets of links and redirects with what they embed, the robots.txt of their hosts, sitemaps that name
    /// the sites.
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "part_of", help_heading = "Parts of a collection")]
    pub companions: Vec<OsString>,

    /// Judge change rates by this file, which `acuity rate-prior` wrote of whole sites: then some of their pages have the same
    /// rates as in an audit of all
    ///
    /// A site that the file does not have is judged by the pages that are here.
    #[arg(long, value_name = "FILE", help_heading = "Parts of a collection")]
    pub rate_prior: Option<PathBuf>,

    /// With page records: captures of their sites and of the companions, so that links, importance and sitemaps are known
    ///
    /// Page records hold none of these. Of captures of a URL that follow each other and were answered alike, the first is enough.
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Parts of a collection")]
    pub captures: Vec<OsString>,

    /// Only captures from this date on, such as 2024, 2024-05-01 or 2024-05-01T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = TypedDate::first, help_heading = "What is compared")]
    pub from: Option<TypedDate>,

    /// Only captures up to this date, its whole year, month or day included
    #[arg(long, value_name = "DATE", value_parser = TypedDate::last, help_heading = "What is compared")]
    pub to: Option<TypedDate>,

    #[command(flatten)]
    pub select: PageArgs,

    #[command(flatten)]
    pub same: SameArgs,

    /// What counts as a change
    #[arg(long, value_enum, value_name = "WHAT", default_value = "bytes", help_heading = "What is proof")]
    pub compare: CompareArg,

    #[command(flatten)]
    pub proof: ProofArgs,

    /// The exact history of changes, a CSV table page,change_time[,event][,importance], plain or gzip: makes blur and
    /// completeness exact
    #[arg(long, value_name = "FILE", help_heading = "What is proof")]
    pub history: Option<PathBuf>,

    /// Sitemaps of the sites, plain or gzip: they say how often pages change
    ///
    /// An index of sitemaps leads to the other files given, by their names. Sitemaps in the archives are found without it;
    /// the files given here take precedence.
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is proof")]
    pub sitemap: Vec<PathBuf>,

    /// What pages weigh: pagerank, pagerank-all, inlinks, depth, sitemap, uniform, keywords:WORDS, or a CSV file
    /// url,weight
    ///
    /// By default PageRank of each site where links are known, else all pages weigh the same; pagerank-all counts links
    /// between sites, too. keywords:WORDS weighs pages by their similarity to these words. Plain and weighted figures are
    /// shown side by side.
    #[arg(long, value_name = "HOW", help_heading = "What matters")]
    pub importance: Option<String>,

    /// Whether changed pages are compared block by block, to measure how much each change matters
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "What matters")]
    pub change_importance: ChangeArg,

    /// A TOML file with other weights for blocks and changes; docs/importance.md has the table
    #[arg(long, value_name = "FILE", help_heading = "What matters")]
    pub weights: Option<PathBuf>,

    /// Count two captures as one version if the change between them matters less than E
    ///
    /// E lies between 0 and 1. Without a number it is `changed.below` of the table of weights: dates, clocks, counters and
    /// advertising count for less. Pages are then compared by their text.
    #[arg(
        long,
        value_name = "E",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto",
        value_parser = parse_below,
        help_heading = "What matters"
    )]
    pub ignore_below: Option<Below>,

    /// The time zone of the hours in patterns, as an offset from UTC such as +02:00
    #[arg(long, value_name = "OFFSET", value_parser = parse_offset, allow_hyphen_values = true, help_heading = "What matters")]
    pub timezone: Option<i32>,

    /// Which embedded resources have to be there
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all", help_heading = "What is missing")]
    pub embeds: EmbedsArg,

    /// crawl.log files of Heritrix: they show what failed, what was left out on purpose and what was never requested
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    pub crawl_log: Vec<PathBuf>,

    /// skippedPages.jsonl files of Browsertrix: they show what was left out on purpose
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    pub skipped: Vec<PathBuf>,

    /// Write the URLs of what is missing, one a line, worst first, for a crawler to fetch
    #[arg(long, value_name = "FILE", help_heading = "What is missing")]
    pub missing: Option<PathBuf>,

    /// With --missing: write only what is missing for these reasons, such as untried,failed
    #[arg(
        long,
        value_enum,
        value_name = "FATES",
        value_delimiter = ',',
        requires = "missing",
        help_heading = "What is missing"
    )]
    missing_only: Vec<FateArg>,

    /// Hold what this schedule promised (`acuity schedule --json=FILE`) against what the crawl reached, page by page
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    promised: Option<PathBuf>,

    /// Say what got better, worse or fixed since the audit that --json=FILE wrote, and which of its actions were done
    #[arg(long, value_name = "FILE", help_heading = "What is compared")]
    compare_with: Option<PathBuf>,

    /// Lists of seeds, one URL a line: tell which of them were reached; those that packages list are known without
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    pub seeds: Vec<PathBuf>,

    /// Count what was captured by media type, status, month and host, also without --html and --details, for `report --merge`
    #[arg(long, help_heading = "Output")]
    profile: bool,

    /// Explain one page instead: every capture, every gap, every verdict and its reason
    #[arg(long, value_name = "URL", help_heading = "Output")]
    pub explain: Vec<String>,

    /// Explain the N pages that hurt most, in JSON and HTML [default: 400 with --html]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub stories: Option<usize>,

    /// Write one row for each page as a CSV table, however many they are, while the audit goes on
    ///
    /// The columns are those of pages.csv. Reports list the pages of up to 250,000; with more they have summaries, and this
    /// table has the pages.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    page_table: Option<PathBuf>,

    #[command(flatten)]
    pub show: ShowArgs,

    #[command(flatten)]
    pub reading: ReadArgs,
}

/// How captures are divided into crawls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CrawlsArg {
    Auto,
    /// As this file says.
    File(PathBuf),
}

impl FromStr for CrawlsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(CrawlsArg::Auto),
            file if Path::new(file).exists() => Ok(CrawlsArg::File(file.into())),
            _ => Err(format!("{text:?} is neither auto nor a file")),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareArg {
    /// Every byte
    Bytes,
    /// Visible text, where it is known
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ChangeArg {
    /// Where bodies can be read again
    Auto,
    /// Never
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EmbedsArg {
    /// All of them, wherever they are hosted: without them a page does not look as it did
    All,
    /// Those on the site itself
    Site,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FateArg {
    /// Never requested
    Untried,
    /// Requested, but not captured
    Failed,
    /// Left out on purpose: robots.txt or the rules of the crawl forbid it
    Excluded,
}

impl From<FateArg> for TargetStatus {
    fn from(fate: FateArg) -> Self {
        match fate {
            FateArg::Untried => TargetStatus::Untried,
            FateArg::Failed => TargetStatus::Failed,
            FateArg::Excluded => TargetStatus::Excluded,
        }
    }
}

/// The importance below which changes are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Below {
    /// That of the table of weights.
    OfTable,
    Given(f64),
}

fn parse_below(text: &str) -> Result<Below, String> {
    match text.parse() {
        _ if text == "auto" => Ok(Below::OfTable),
        Ok(below) if (0.0..=1.0).contains(&below) => Ok(Below::Given(below)),
        _ => Err(format!("{text:?} is not a number from 0 to 1")),
    }
}

/// Minutes of an offset such as `+02:00`, `-0330`, `+2` or `UTC`.
fn parse_offset(text: &str) -> Result<i32, String> {
    let wrong = || format!("{text:?} is not an offset from UTC; write +02:00 or -03:30");
    if matches!(text, "UTC" | "utc" | "Z" | "z" | "0") {
        return Ok(0);
    }
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    let (hours, minutes) =
        if digits.len() <= 2 { (&*digits, "0") } else { digits.split_at(digits.len() - 2) };
    match (hours.parse::<i32>(), minutes.parse::<i32>()) {
        (Ok(hours @ 0..=14), Ok(minutes @ 0..=59)) if digits.len() <= 4 => Ok(sign * (hours * 60 + minutes)),
        _ => Err(wrong()),
    }
}

fn parse_date(text: &str) -> Result<Dated, String> {
    Dated::parse(text).ok_or_else(|| format!("{text:?} is no date; write 2024-05-01 or 2024-05-01T12:00:00Z"))
}

/// The first instant of a date.
pub(super) fn parse_from(text: &str) -> Result<Instant, String> {
    parse_date(text).map(|dated| dated.instant)
}

/// The last instant of a date.
pub(super) fn parse_to(text: &str) -> Result<Instant, String> {
    parse_date(text).map(Dated::end)
}

/// A date with the text that it was typed as, for commands to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedDate {
    pub text: String,
    pub at: Instant,
}

impl TypedDate {
    /// The first instant of a date.
    pub(super) fn first(text: &str) -> Result<Self, String> {
        parse_from(text).map(|at| TypedDate { text: text.to_owned(), at })
    }

    /// The last instant of a date.
    pub(super) fn last(text: &str) -> Result<Self, String> {
        parse_to(text).map(|at| TypedDate { text: text.to_owned(), at })
    }
}

/// All sources, and the names of those that are more than an input.
struct Sources {
    sources: Vec<Source>,
    visit: BTreeSet<String>,
    revisit: BTreeSet<String>,
    companions: BTreeSet<String>,
}

pub(super) fn execute(args: &AuditArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--missing", args.missing.as_deref())?;
    args.show.outputs(&mut files)?;
    files.write("--page-table", args.page_table.as_deref())?;
    files.read(args.promised.as_deref())?;
    let schedule = args.promised.as_deref().map(read_schedule).transpose()?;
    let earlier = match &args.compare_with {
        Some(path) => {
            files.read(Some(path))?;
            Some(Earlier::read(path)?)
        }
        None => None,
    };
    let (mut result, log) = match &args.page_table {
        None => perform(args, &mut files, Some(MAX_LISTED), &mut |_, _, _| Ok(()))?,
        Some(path) => output::write(Some(path), |out| {
            let mut table = PageTable::new(out)?;
            let mut add = |entry: usize, site: &str, page: &_| table.add(entry, site, page);
            let done = perform(args, &mut files, Some(MAX_LISTED), &mut add)?;
            table.finish()?;
            Ok(done)
        })?,
    };
    if let Some((schedule, name)) = &schedule {
        result.promised = Some(promised::compare(schedule, name, &result.sites, args.same.canon.into()));
    }
    let shown = match () {
        () if files.take_stdout() => Shown::Nothing,
        () if args.explain.is_empty() => Shown::Table,
        () => Shown::Stories,
    };
    args.show.put_beside(&mut result, earlier.as_ref())?;
    let exit = args.show.show(&result, shown)?;
    if shown != Shown::Table {
        args.reading.report_problems(&log);
    }
    Ok(args.reading.exit(&log, exit))
}

/// A schedule, and the name of its file.
fn read_schedule(path: &Path) -> crate::Result<(Schedule, String)> {
    let at = |error: Error| error.at_file(path);
    let text = std::fs::read(path).map_err(|error| at(Error::usage(error.to_string())))?;
    Ok((promised::read(&text).map_err(at)?, path.display().to_string()))
}

/// Reads and audits; shows nothing. `files` holds the outputs that will be written.
///
/// With more than `max_pages` pages the result lists none; `entered` sees all.
pub(super) fn perform(
    args: &AuditArgs,
    files: &mut Files,
    max_pages: Option<u64>,
    entered: &mut Entered<'_, io::Error>,
) -> anyhow::Result<(Audit, ProblemLog)> {
    if page_records::are_given(&args.inputs)? {
        let (result, log) = page_records::reduce(args, files, max_pages, entered)?;
        args.write_missing(&result)?;
        return Ok((result, log));
    }
    if !args.captures.is_empty() {
        return Err(Error::usage("--captures is for audits of page records")
            .with_remedy("name captures of other sites with --companions")
            .into());
    }
    // Text shows soft 404s too, whatever is compared.
    let wanted = Wanted { text: true, links: true, sitemaps: true };
    let Prepared { reading, mut tabled, mut log, parameters, beside } =
        prepare(args, files, max_pages, wanted)?;
    let result = drive(reading, &mut tabled, &mut log, &parameters, beside, entered)?;
    for url in &parameters.explain {
        explained(&result, &tabled, parameters.canon, url)?;
    }
    drop(tabled);
    args.write_missing(&result)?;
    Ok((result, log))
}

/// What was read for an audit.
pub(super) struct Prepared {
    pub reading: Reading,
    pub tabled: Tabled,
    pub log: ProblemLog,
    pub parameters: Parameters,
    pub beside: Beside,
}

/// Reads all that an audit is made from.
pub(super) fn prepare(
    args: &AuditArgs,
    files: &mut Files,
    max_pages: Option<u64>,
    wanted: Wanted,
) -> anyhow::Result<Prepared> {
    let instant = |date: &Option<TypedDate>| date.as_ref().map(|date| date.at);
    if let (Some(from), Some(to)) = (instant(&args.from), instant(&args.to))
        && from >= to
    {
        return Err(Error::usage(format!("--from {from} lies after --to, which ends at {to}"))
            .with_remedy("give the earlier date with --from")
            .into());
    }
    let Sources { sources, visit, revisit, companions } = args.sources(files)?;
    let importance = args.importance.as_ref().map(Path::new);
    let read = [args.history.as_deref(), args.weights.as_deref(), importance].into_iter().flatten();
    let division = match &args.crawls {
        Some(CrawlsArg::File(path)) => Some(crawls::read(path, files)?),
        _ => None,
    };
    let lists = args.sitemap.iter().chain(&args.crawl_log).chain(&args.skipped).chain(&args.seeds);
    let lists = lists.map(PathBuf::as_path);
    read.chain(lists).try_for_each(|path| files.read(Some(path)))?;
    let history = match &args.history {
        Some(path) => {
            let history = History::read(sitemaps::open(path)?).map_err(|error| error.at_file(path))?;
            Some((history, path.display().to_string()))
        }
        None => None,
    };
    if args.ignore_below.is_some() && args.change_importance == ChangeArg::None {
        return Err(Error::usage("--ignore-below needs the importance of changes")
            .with_remedy("leave out --change-importance none")
            .into());
    }
    let meter = match args.change_importance {
        ChangeArg::Auto => Some(ChangeMeter::new(weights(args.weights.as_deref())?, MAX_COMPARED_BYTES)),
        ChangeArg::None => None,
    };
    let input = args.read_until_limit().read(&sources, wanted, false, files)?;
    let (mut reading, mut log) = (input.reading, input.log);
    let captured = std::mem::take(&mut reading.sitemaps);
    let sitemaps = sitemaps::gather(&args.sitemap, captured, &mut |problem| log.push(problem))?;
    let mut parameters = args.parameters(&reading.inputs, &visit, &revisit);
    parameters.companions = numbers(&reading.inputs, &companions);
    if let Some(division) = division {
        parameters.division = division;
    }
    parameters.rate_priors = args.rate_priors(files)?;
    for path in &args.seeds {
        parameters.seeds.extend(parse_seeds(&sitemaps::text_of(path)?));
    }
    let listed = reading.pages.iter().filter(|page| page.is_seed == Some(true));
    parameters.seeds.extend(listed.map(|page| page.url.clone()));
    if let Some(below) = args.ignore_below {
        let of_table = meter.as_ref().map_or(0.0, |meter| meter.weights().changed.below);
        parameters.ignore_below = Some(if let Below::Given(below) = below { below } else { of_table });
        parameters.compare = Compare::Text;
    }
    let importance = args.importance(parameters.canon, &mut |problem| log.push(problem))?;
    let how = Tabling {
        hashed: args.show.html.is_some(),
        memory: args.reading.memory,
        // These compare pages of all sites, or change the table, so they need one table of all captures.
        local: importance.is_local() && args.ignore_below.is_none(),
    };
    let tabled = tabulate(&mut reading, &parameters, &mut log, how)?;
    has_site(&tabled, &parameters)?;
    parameters.explain = super::pages::named(&tabled, &parameters, &args.explain)?;
    let beside = Beside {
        sitemaps,
        fates: args.fates(parameters.canon, &mut |problem| log.push(problem))?,
        importance,
        history,
        meter,
        verified: args.reading.digests == DigestsArg::Verify,
        has_options: args.has_options(),
        is_part: args.part_of.is_some(),
        typed: args.typed(),
        max_pages,
    };
    Ok(Prepared { reading, tabled, log, parameters, beside })
}

impl AuditArgs {
    /// The audit of these inputs with default options.
    pub(super) fn plain(inputs: &[OsString], reading: &ReadArgs) -> anyhow::Result<Self> {
        let words = ["audit", "--"].map(OsString::from).into_iter().chain(inputs.iter().cloned());
        let matches = Self::augment_args(clap::Command::new("audit")).try_get_matches_from(words)?;
        Ok(AuditArgs { reading: reading.clone(), ..Self::from_arg_matches(&matches)? })
    }

    /// Writes what is missing, if asked for.
    fn write_missing(&self, result: &Audit) -> anyhow::Result<()> {
        let Some(path) = &self.missing else { return Ok(()) };
        let fates: Vec<TargetStatus> = self.missing_only.iter().map(|fate| (*fate).into()).collect();
        output::write(Some(path), |out| Ok(missing::write(out, result, &fates)?))
    }

    /// What rates are judged by, where that is given.
    pub(super) fn rate_priors(&self, files: &mut Files) -> crate::Result<Option<Box<RatePriors>>> {
        self.rate_prior.as_deref().map(|path| rate_prior::read(path, files)).transpose()
    }

    /// What crawlers wrote beside the archives.
    pub(super) fn fates(
        &self,
        canon: Canon,
        problem: &mut dyn FnMut(Problem) -> io::Result<()>,
    ) -> crate::Result<Fates> {
        logs::read(&self.crawl_log, &self.skipped, canon, problem)
    }

    /// Whether embedded resources count on the site itself alone.
    pub(super) fn embeds_of_site(&self) -> bool {
        self.embeds == EmbedsArg::Site
    }

    /// Whether there are options beside [`Parameters`] that `acuity schedule` would not know of.
    pub(super) fn has_options(&self) -> bool {
        let files = [&self.sitemap, &self.crawl_log, &self.skipped];
        self.history.is_some()
            // A part that is judged by its whole has the figures of the whole.
            || (self.rate_prior.is_some() && self.part_of.is_none())
            || self.importance.is_some()
            || self.weights.is_some()
            || self.ignore_below.is_some()
            || self.timezone.is_some()
            || self.change_importance != ChangeArg::Auto
            || self.reading.digests != DigestsArg::Verify
            || files.into_iter().any(|files| !files.is_empty())
    }

    /// All sources, each once.
    fn sources(&self, files: &mut Files) -> anyhow::Result<Sources> {
        // Each argument is expanded once: a list may come from standard input.
        let (first, second) = (sources(&self.visit, files)?, sources(&self.revisit, files)?);
        let names = |sources: &[Source]| sources.iter().map(|source| source.name.clone()).collect();
        let (visit, revisit): (BTreeSet<String>, BTreeSet<String>) = (names(&first), names(&second));
        if let Some(both) = visit.intersection(&revisit).next() {
            let message = format!("{both} is given for the visit and for the revisit");
            return Err(Error::usage(message).with_remedy("name each file once").into());
        }
        let path = |source: &Source| source.path().canonicalize().ok();
        let named: BTreeSet<PathBuf> = first.iter().chain(&second).filter_map(path).collect();
        let mut others = sources(&self.inputs, files)?;
        others.retain(|source| path(source).is_none_or(|path| !named.contains(&path)));
        let beside = sources(&self.companions, files)?;
        let companions: BTreeSet<String> = names(&beside);
        if let Some(both) = others.iter().find(|source| companions.contains(&source.name)) {
            let message = format!("{} is given as an input and as a companion", both.name);
            return Err(Error::usage(message).with_remedy("name each file once").into());
        }
        let sources = first.into_iter().chain(second).chain(others).chain(beside).collect();
        Ok(Sources { sources, visit, revisit, companions })
    }

    /// Where importance comes from: the name of a measure, else that of a file.
    pub(super) fn importance(
        &self,
        canon: Canon,
        problem: &mut dyn FnMut(Problem) -> std::io::Result<()>,
    ) -> crate::Result<Importance> {
        let Some(name) = &self.importance else { return Ok(Importance::By(None)) };
        if let Some(query) = name.strip_prefix("keywords:") {
            if !query.chars().any(char::is_alphanumeric) {
                return Err(Error::usage("--importance keywords: names no words")
                    .with_remedy("write --importance \"keywords:free software\""));
            }
            return Ok(Importance::Keywords(query.to_owned()));
        }
        match name.parse() {
            Ok(by) => Ok(Importance::By(Some(by))),
            Err(unknown) if !std::path::Path::new(name).exists() => Err(unknown),
            Err(_) => {
                let text = sitemaps::text_of(name.as_ref())?;
                let mut table = WeightTable::parse(text.as_bytes(), |url| canon.key(url));
                for found in table.problems.drain(..) {
                    problem(found.in_file(name))?;
                }
                Ok(Importance::Table(name.clone(), table))
            }
        }
    }

    /// How captures are read: what those after `--to` link to is not asked for.
    pub(super) fn read_until_limit(&self) -> ReadArgs {
        ReadArgs { links_until: self.to.as_ref().map(|date| date.at), ..self.reading.clone() }
    }

    fn parameters(
        &self,
        inputs: &[InputFile],
        visit: &BTreeSet<String>,
        revisit: &BTreeSet<String>,
    ) -> Parameters {
        Parameters {
            canon: self.same.canon.into(),
            site_by: self.select.site_by.clone(),
            pages: self.select.pages.into(),
            evidence: self.proof.evidence.into(),
            compare: match self.compare {
                CompareArg::Bytes => Compare::Bytes,
                CompareArg::Text => Compare::Text,
            },
            from: self.from.as_ref().map(|date| date.at),
            to: self.to.as_ref().map(|date| date.at),
            division: match &self.crawls {
                Some(_) => Division::Auto,
                None if !visit.is_empty() => {
                    Division::Sets { visit: numbers(inputs, visit), revisit: numbers(inputs, revisit) }
                }
                None => Division::Whole,
            },
            site: self.select.site.clone(),
            embeds_of_site: self.embeds_of_site(),
            explain: self.explain.clone(),
            stories: self.stories.unwrap_or(if self.show.html.is_some() { STORIES } else { 0 }),
            utc_offset_minutes: self.timezone.unwrap_or(0),
            ignore_below: None,
            companions: Vec::new(),
            seeds: Vec::new(),
            profile: self.profile
                || self.show.html.is_some()
                || self.show.details.is_some()
                || !self.seeds.is_empty(),
            rate_priors: None,
        }
    }
}

/// The numbers of the inputs that come from these sources.
fn numbers(inputs: &[InputFile], names: &BTreeSet<String>) -> Vec<u32> {
    (0u32..).zip(inputs).filter(|(_, file)| names.contains(&file.source)).map(|(number, _)| number).collect()
}

/// The weights of changes, with what the user's file overrides.
pub(super) fn weights(path: Option<&Path>) -> crate::Result<ChangeWeights> {
    let Some(path) = path else { return Ok(ChangeWeights::default()) };
    ChangeWeights::with_overrides(&sitemaps::text_of(path)?).map_err(|error| error.at_file(path))
}

/// A site that was asked for has to be there.
fn has_site(tabled: &Tabled, parameters: &Parameters) -> crate::Result<()> {
    let Some(site) = &parameters.site else { return Ok(()) };
    let captured = tabled.captured(parameters);
    if captured.span.is_none() || captured.sites.contains(site) {
        return Ok(());
    }
    let error = Error::usage(why_none(&captured, parameters));
    Err(match super::pages::nearest(site, captured.sites.iter().map(String::as_str)) {
        Some(near) => error.with_remedy(format!("did you mean {near}?")),
        None => error.with_remedy("`acuity audit` without --site lists the sites"),
    })
}

/// A page whose story was asked for has to be there.
fn explained(audit: &Audit, tabled: &Tabled, canon: Canon, url: &str) -> crate::Result<()> {
    let keys: HashSet<String> = HashSet::from([canon.key(url), url.to_owned()]);
    let mut pages = audit.sites.iter().flat_map(|site| &site.page_list);
    // Where the pages are too many to list, those whose story was asked for are in the table of pages.
    if pages.any(|page| keys.contains(&page.key)) || audit.sites.iter().any(|site| site.page_totals.is_some())
    {
        return Ok(());
    }
    let message = format!("no page {url} was captured in what was audited");
    let mut captured = false;
    tabled.for_each_table(&mut |table| {
        captured |= keys.iter().any(|key| table.page(key).is_some());
        Ok(())
    })?;
    Err(Error::usage(message).with_remedy(if captured {
        "it was captured, but as no HTML page, or outside of the dates, site or sets: try --pages all"
    } else {
        "`acuity index` lists what was captured"
    }))
}
