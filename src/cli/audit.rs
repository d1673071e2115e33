//! `acuity audit`: how good a capture is.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches, ValueEnum};

use super::exit::Exit;
use super::files::Files;
use super::input::{DigestsArg, ReadArgs, sources};
use super::output;
use super::screen::{ShowArgs, Shown};
use super::select::{PageArgs, ProofArgs, SameArgs};
use super::{logs, sitemaps};
use crate::archive::source::Source;
use crate::audit::changes::MAX_COMPARED_BYTES;
use crate::audit::words::why_none;
use crate::audit::{Audit, ChangeMeter, Importance, Parameters};
use crate::capture::crawl::Division;
use crate::capture::table::Table;
use crate::change::evidence::Compare;
use crate::change::history::History;
use crate::drive::{Beside, drive, tabulate};
use crate::error::Error;
use crate::ingest::{InputFile, ProblemLog, Wanted};
use crate::problem::Problem;
use crate::quality::importance::WeightTable;
use crate::quality::weights::ChangeWeights;
use crate::report::missing;
use crate::time::{Dated, Instant};
use crate::url::Canon;

/// So many pages have their stories told in an HTML report.
const STORIES: usize = 400;

const EXAMPLES: &str = "\
Examples:
  acuity audit crawl.warc.gz                    one crawl: what is known of it
  acuity audit archives/ --crawls auto          a folder, crawl against crawl
  acuity audit --visit a.warc.gz --revisit b.warc.gz
  acuity audit archives/ --explain https://example.org/
  acuity audit archives/ --json | jq '.sites[].coherence.best'
  acuity audit archives/ -q --fail-under coherence=0.95 --json=report.json";

/// Arguments of `acuity audit`.
///
/// For every page: did it change between two looks? For every site: how many pages are proven to have stood together, and
/// when; how far off is what a reader gets; which pages are the worst, and what to do next. A page seen once proves
/// nothing, and is never called incoherent.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct AuditArgs {
    /// WARC, ARC, WACZ, CDX or CDXJ files, or the JSON lines of `acuity index`, told by their content
    ///
    /// Directories are searched, globs expanded, `@LIST` names a file with one path a line (`@-`: standard input), and `-`
    /// is archive data on standard input. With --visit and --revisit, INPUT is only where revisit records find their
    /// originals.
    #[arg(required_unless_present = "visit", value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Inputs of the visit, to compare with those of --revisit
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "revisit", help_heading = "What is compared")]
    visit: Vec<OsString>,

    /// Inputs of the revisit
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "visit", help_heading = "What is compared")]
    revisit: Vec<OsString>,

    /// Divide the captures into crawls, and compare each with the next [default: all are one]
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "visit", help_heading = "What is compared")]
    crawls: Option<CrawlsArg>,

    /// Only captures from this date on, such as 2024, 2024-05-01 or 2024-05-01T12:00:00Z
    #[arg(long, value_name = "DATE", value_parser = parse_from, help_heading = "What is compared")]
    from: Option<Instant>,

    /// Only captures up to this date, its whole year, month or day included
    #[arg(long, value_name = "DATE", value_parser = parse_to, help_heading = "What is compared")]
    to: Option<Instant>,

    #[command(flatten)]
    select: PageArgs,

    #[command(flatten)]
    same: SameArgs,

    /// What counts as a change
    #[arg(long, value_enum, value_name = "WHAT", default_value = "bytes", help_heading = "What is proof")]
    compare: CompareArg,

    #[command(flatten)]
    proof: ProofArgs,

    /// The exact history of changes, a CSV table page,change_time[,event], plain or gzip: makes blur exact
    #[arg(long, value_name = "FILE", help_heading = "What is proof")]
    history: Option<PathBuf>,

    /// Sitemaps of the sites, plain or gzip: tell how often pages change
    ///
    /// An index of sitemaps leads to the other files given, by their names. Sitemaps in the archives are found without it;
    /// what is given goes before what they say.
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is proof")]
    sitemap: Vec<PathBuf>,

    /// What pages weigh: pagerank, pagerank-all, inlinks, depth, sitemap, uniform, or a CSV file url,weight
    ///
    /// By default PageRank of each site where links are known, else all pages weigh the same; pagerank-all counts links
    /// between sites, too. Plain and weighted figures are shown side
    /// by side.
    #[arg(long, value_name = "HOW", help_heading = "What matters")]
    importance: Option<String>,

    /// Whether changed pages are compared block by block, to tell how much each change matters
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "What matters")]
    change_importance: ChangeArg,

    /// A TOML file with other weights for blocks and changes; docs/importance.md has the table
    #[arg(long, value_name = "FILE", help_heading = "What matters")]
    weights: Option<PathBuf>,

    /// Which embedded resources have to be there
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all", help_heading = "What is missing")]
    embeds: EmbedsArg,

    /// crawl.log files of Heritrix: tell failed, excluded and never tried apart
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    crawl_log: Vec<PathBuf>,

    /// skippedPages.jsonl files of Browsertrix: tell excluded and never tried apart
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    skipped: Vec<PathBuf>,

    /// Write the URLs of what is missing, one a line, worst first, for a crawler to fetch
    #[arg(long, value_name = "FILE", help_heading = "What is missing")]
    missing: Option<PathBuf>,

    /// Tell the whole story of one page instead: every look, every gap, every verdict and why
    #[arg(long, value_name = "URL", help_heading = "Output")]
    explain: Vec<String>,

    /// Tell the stories of the N pages that hurt most, in JSON and HTML [default: 400 with --html]
    #[arg(long, value_name = "N", help_heading = "Output")]
    stories: Option<usize>,

    #[command(flatten)]
    show: ShowArgs,

    #[command(flatten)]
    reading: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CrawlsArg {
    /// By collection and warcinfo, and by silences of an hour and more
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareArg {
    /// Every byte
    Bytes,
    /// Visible text, where it is known
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ChangeArg {
    /// Where bodies can be read again
    Auto,
    /// Never
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EmbedsArg {
    /// All of them, wherever they lie: a page is not shown as it was without them
    All,
    /// Those on the site itself
    Site,
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

/// Runs the command.
pub(super) fn execute(args: &AuditArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--missing", args.missing.as_deref())?;
    args.show.outputs(&mut files)?;
    let (result, log) = perform(args, &mut files)?;
    let shown = match () {
        () if files.take_stdout() => Shown::Nothing,
        () if args.explain.is_empty() => Shown::Table,
        () => Shown::Stories,
    };
    let exit = args.show.show(&result, shown)?;
    if shown != Shown::Table {
        args.reading.report_problems(&log);
    }
    Ok(args.reading.exit(&log, exit))
}

/// Reads and audits; shows nothing. `files` holds the outputs that will be written.
pub(super) fn perform(args: &AuditArgs, files: &mut Files) -> anyhow::Result<(Audit, ProblemLog)> {
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from >= to
    {
        return Err(Error::usage(format!("--from {from} lies after --to, which ends at {to}"))
            .with_remedy("give the earlier date with --from")
            .into());
    }
    let (sources, visit, revisit) = args.sources(files)?;
    let importance = args.importance.as_ref().map(Path::new);
    let read = [args.history.as_deref(), args.weights.as_deref(), importance].into_iter().flatten();
    let lists = args.sitemap.iter().chain(&args.crawl_log).chain(&args.skipped).map(PathBuf::as_path);
    read.chain(lists).try_for_each(|path| files.read(Some(path)))?;
    let history = match &args.history {
        Some(path) => {
            let history = History::read(sitemaps::open(path)?).map_err(|error| error.at_file(path))?;
            Some((history, path.display().to_string()))
        }
        None => None,
    };
    let meter = match args.change_importance {
        ChangeArg::Auto => Some(ChangeMeter::new(weights(args.weights.as_deref())?, MAX_COMPARED_BYTES)),
        ChangeArg::None => None,
    };
    // Text tells soft 404s, too, whatever is compared.
    let wanted = Wanted { text: true, links: true, sitemaps: true };
    let input = args.reading.read(&sources, wanted, false, files)?;
    let (mut reading, mut log) = (input.reading, input.log);
    let captured = std::mem::take(&mut reading.sitemaps);
    let sitemaps = sitemaps::gather(&args.sitemap, captured, &mut |problem| log.push(problem))?;
    let mut parameters = args.parameters(&reading.inputs, &visit, &revisit);
    let tabled = tabulate(&reading, parameters.canon, args.show.html.is_some())?;
    has_site(&tabled.table, &parameters)?;
    parameters.explain = super::pages::named(&tabled.table, &parameters, &args.explain)?;
    let beside = Beside {
        sitemaps,
        fates: logs::read(&args.crawl_log, &args.skipped, parameters.canon, &mut |problem| {
            log.push(problem)
        })?,
        importance: args.importance(parameters.canon, &mut |problem| log.push(problem))?,
        history,
        meter,
        verified: args.reading.digests == DigestsArg::Verify,
        has_options: args.has_options(),
        typed: args.typed(),
    };
    let (result, table) = drive(reading, tabled, &mut log, &parameters, beside)?;
    for url in &parameters.explain {
        explained(&result, &table, parameters.canon, url)?;
    }
    drop(table);
    if let Some(path) = &args.missing {
        output::write(Some(path), |out| Ok(missing::write(out, &result)?))?;
    }
    Ok((result, log))
}

impl AuditArgs {
    /// The audit of these inputs, all else as it is without options.
    pub(super) fn plain(inputs: &[OsString], reading: &ReadArgs) -> anyhow::Result<Self> {
        let words = ["audit", "--"].map(OsString::from).into_iter().chain(inputs.iter().cloned());
        let matches = Self::augment_args(clap::Command::new("audit")).try_get_matches_from(words)?;
        Ok(AuditArgs { reading: reading.clone(), ..Self::from_arg_matches(&matches)? })
    }

    /// The inputs as they were typed; none where they were divided into visit and revisit.
    fn typed(&self) -> Vec<String> {
        if !self.visit.is_empty() {
            return Vec::new();
        }
        self.inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect()
    }

    /// Whether there are options beside [`Parameters`] that `acuity schedule` would not know of.
    fn has_options(&self) -> bool {
        let files = [&self.sitemap, &self.crawl_log, &self.skipped];
        self.history.is_some()
            || self.importance.is_some()
            || self.weights.is_some()
            || self.change_importance != ChangeArg::Auto
            || self.reading.digests != DigestsArg::Verify
            || files.into_iter().any(|files| !files.is_empty())
    }

    /// All sources, and the names of those of the visit and of the revisit.
    fn sources(
        &self,
        files: &mut Files,
    ) -> anyhow::Result<(Vec<Source>, BTreeSet<String>, BTreeSet<String>)> {
        // Each argument is expanded once: a list may come from standard input.
        let (visit, revisit) = (sources(&self.visit, files)?, sources(&self.revisit, files)?);
        let names = |sources: &[Source]| sources.iter().map(|source| source.name.clone()).collect();
        let (visits, revisits): (BTreeSet<String>, BTreeSet<String>) = (names(&visit), names(&revisit));
        if let Some(both) = visits.intersection(&revisits).next() {
            let message = format!("{both} is given for the visit and for the revisit");
            return Err(Error::usage(message).with_remedy("name each file once").into());
        }
        let path = |source: &Source| source.path().canonicalize().ok();
        let named: BTreeSet<PathBuf> = visit.iter().chain(&revisit).filter_map(path).collect();
        let others = sources(&self.inputs, files)?.into_iter();
        let others = others.filter(|source| path(source).is_none_or(|path| !named.contains(&path)));
        Ok((visit.into_iter().chain(revisit).chain(others).collect(), visits, revisits))
    }

    /// Where importance comes from: the name of a measure, else that of a file.
    fn importance(
        &self,
        canon: Canon,
        problem: &mut dyn FnMut(Problem) -> std::io::Result<()>,
    ) -> crate::Result<Importance> {
        let Some(name) = &self.importance else { return Ok(Importance::By(None)) };
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

    fn parameters(
        &self,
        inputs: &[InputFile],
        visit: &BTreeSet<String>,
        revisit: &BTreeSet<String>,
    ) -> Parameters {
        let numbers = |names: &BTreeSet<String>| -> Vec<u32> {
            (0u32..)
                .zip(inputs)
                .filter(|(_, file)| names.contains(&file.source))
                .map(|(number, _)| number)
                .collect()
        };
        Parameters {
            canon: self.same.canon.into(),
            site_by: self.select.site_by.clone(),
            pages: self.select.pages.into(),
            evidence: self.proof.evidence.into(),
            compare: match self.compare {
                CompareArg::Bytes => Compare::Bytes,
                CompareArg::Text => Compare::Text,
            },
            from: self.from,
            to: self.to,
            division: match self.crawls {
                Some(CrawlsArg::Auto) => Division::Auto,
                None if !visit.is_empty() => {
                    Division::Sets { visit: numbers(visit), revisit: numbers(revisit) }
                }
                None => Division::Whole,
            },
            site: self.select.site.clone(),
            embeds_of_site: self.embeds == EmbedsArg::Site,
            explain: self.explain.clone(),
            stories: self.stories.unwrap_or(if self.show.html.is_some() { STORIES } else { 0 }),
        }
    }
}

/// The weights of changes, with what the user's file overrides.
pub(super) fn weights(path: Option<&Path>) -> crate::Result<ChangeWeights> {
    let Some(path) = path else { return Ok(ChangeWeights::default()) };
    ChangeWeights::with_overrides(&sitemaps::text_of(path)?).map_err(|error| error.at_file(path))
}

/// A site that was asked for has to be there.
fn has_site(table: &Table, parameters: &Parameters) -> crate::Result<()> {
    let Some(site) = &parameters.site else { return Ok(()) };
    let first = |page| table.rows_of(page).first().map(|row| table.text(row.url));
    let sites = table.pages().iter().filter_map(|page| parameters.site_by.site_of(first(page)?));
    if table.rows().is_empty() || sites.into_iter().any(|found| found == *site) {
        return Ok(());
    }
    Err(Error::usage(why_none(table, parameters))
        .with_remedy("`acuity audit` without --site lists the sites"))
}

/// A page whose story was asked for has to be there.
fn explained(audit: &Audit, table: &Table, canon: Canon, url: &str) -> crate::Result<()> {
    let keys: HashSet<String> = HashSet::from([canon.key(url), url.to_owned()]);
    let mut pages = audit.sites.iter().flat_map(|site| &site.page_list);
    if pages.any(|page| keys.contains(&page.key)) {
        return Ok(());
    }
    let message = format!("no page {url} was captured in what was audited");
    let captured = keys.iter().any(|key| table.page(key).is_some());
    Err(Error::usage(message).with_remedy(if captured {
        "it was captured, but as no HTML page, or outside of the dates, site or sets: try --pages all"
    } else {
        "`acuity index` lists what was captured"
    }))
}
