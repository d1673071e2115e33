//! The options of `acuity audit`, and what they ask for.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use clap::{Args, FromArgMatches};

use super::files::Files;
use super::input::{DigestsArg, ReadArgs, sources};
use super::screen::ShowArgs;
use super::select::{PageArgs, ProofArgs, SameArgs};
use super::values::{
    Below, ChangeArg, CompareArg, CrawlsArg, EmbedsArg, FateArg, TypedDate, parse_below, parse_offset,
};
use super::{logs, output, rate_prior, sitemaps};
use crate::archive::source::Source;
use crate::audit::missing_reason::Lost;
use crate::audit::site_rates::RatePriors;
use crate::audit::{Audit, Fates, Importance, Parameters};
use crate::capture::crawl::Division;
use crate::change::evidence::Compare;
use crate::error::Error;
use crate::ingest::InputFile;
use crate::problem::Problem;
use crate::quality::importance::WeightTable;
use crate::report::missing;
use crate::url::Canon;

/// How many pages have their stories in an HTML report by default.
const STORIES: usize = 400;

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
    /// Directories are searched, globs expanded, `@LIST` names a file with one path per line (`@-`: standard input), and `-`
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
    /// auto divides by collection and warcinfo, and by pauses of an hour or more. With a file, captures are divided as in the
    /// archive that it was made from: use it for parts of a collection.
    #[arg(long, value_name = "HOW", conflicts_with = "visit", help_heading = "What is compared")]
    pub crawls: Option<CrawlsArg>,

    /// The inputs are a part of the collection NAME: its captures of some whole sites
    ///
    /// The figures of a site then do not depend on the other sites of the part, and `acuity report --merge` puts parts
    /// together. Commands that the report suggests name the collection.
    #[arg(long, value_name = "NAME", conflicts_with = "visit", help_heading = "Parts of a collection")]
    pub part_of: Option<String>,

    /// Captures of other sites that these sites are judged by, but that are not judged themselves
    ///
    /// Originals of revisits, targets of links and redirects with what they embed, the robots.txt of their hosts, sitemaps that name
    /// the sites.
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "part_of", help_heading = "Parts of a collection")]
    pub companions: Vec<OsString>,

    /// Take the usual change rates of each site from this file of `acuity rate-prior`, so that a part of a site has the same
    /// rates as in an audit of the whole site
    ///
    /// A site that the file does not have is judged by the pages that are here.
    #[arg(long, value_name = "FILE", help_heading = "Parts of a collection")]
    pub rate_prior: Option<PathBuf>,

    /// With page records: captures of their sites and of the companions, so that links, importance and sitemaps are known
    ///
    /// Page records hold none of these. Of consecutive captures of a URL with the same response, the first is enough.
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
    /// By default PageRank within each site if links are known, otherwise all pages count the same; pagerank-all counts
    /// links between sites too. keywords:WORDS weighs pages by their similarity to these words. Plain and weighted figures
    /// are shown side by side.
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

    /// Which embedded files count for completeness
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all", help_heading = "What is missing")]
    pub embeds: EmbedsArg,

    /// crawl.log files of Heritrix: they show what failed, what was left out on purpose and what was never requested
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    pub crawl_log: Vec<PathBuf>,

    /// skippedPages.jsonl files of Browsertrix: they show what was left out on purpose
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    pub skipped: Vec<PathBuf>,

    /// Write the missing URLs, one per line, worst first, as a list for a crawler
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
    pub missing_only: Vec<FateArg>,

    /// Compare what a schedule promised (`acuity schedule --json=FILE`) with what the crawl reached, page by page
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub promised: Option<PathBuf>,

    /// Say what got better, worse or fixed since the audit that --json=FILE wrote, and which of its actions were done
    #[arg(long, value_name = "FILE", help_heading = "What is compared")]
    pub compare_with: Option<PathBuf>,

    /// Lists of seeds, one URL per line, to report which were reached; seeds listed in packages are found without this option
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is missing")]
    pub seeds: Vec<PathBuf>,

    /// Count what was captured by media type, status, month and host, also without --html and --details, for `report --merge`
    #[arg(long, help_heading = "Output")]
    pub profile: bool,

    /// Explain one page instead: every capture, every gap, every verdict and its reason
    #[arg(long, value_name = "URL", help_heading = "Output")]
    pub explain: Vec<String>,

    /// Explain the N worst pages, in JSON and HTML [default: 400 with --html]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub stories: Option<usize>,

    /// Write a CSV table with one row per page during the audit, for any number of pages
    ///
    /// The columns are those of pages.csv. Reports list the pages of up to 250,000; with more they have summaries, and this
    /// table has the pages.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub page_table: Option<PathBuf>,

    #[command(flatten)]
    pub show: ShowArgs,

    #[command(flatten)]
    pub reading: ReadArgs,
}

/// All sources, and the names of those that are more than an input.
pub(super) struct Sources {
    pub sources: Vec<Source>,
    pub visit: BTreeSet<String>,
    pub revisit: BTreeSet<String>,
    pub companions: BTreeSet<String>,
}

/// The options of an audit that decide how single pages are judged: page records and rate priors take them too.
#[derive(Debug, Args)]
pub(super) struct JudgedArgs {
    /// Only captures from this date on
    #[arg(long, value_name = "DATE", value_parser = TypedDate::first)]
    from: Option<TypedDate>,

    /// Only captures up to this date, its whole year, month or day included
    #[arg(long, value_name = "DATE", value_parser = TypedDate::last)]
    to: Option<TypedDate>,

    #[command(flatten)]
    select: PageArgs,

    #[command(flatten)]
    same: SameArgs,

    /// What counts as a change
    #[arg(long, value_enum, value_name = "WHAT", default_value = "bytes", help_heading = "What is proof")]
    compare: CompareArg,

    #[command(flatten)]
    proof: ProofArgs,
}

impl JudgedArgs {
    /// Judges the pages of this audit by these options.
    pub(super) fn hand_to(&self, audit: &mut AuditArgs) {
        (audit.from, audit.to) = (self.from.clone(), self.to.clone());
        audit.select = self.select.clone();
        audit.same = self.same.clone();
        audit.proof = self.proof.clone();
        audit.compare = self.compare;
    }
}

impl AuditArgs {
    /// The audit of these inputs with default options.
    pub(super) fn plain(inputs: &[OsString], reading: &ReadArgs) -> anyhow::Result<Self> {
        let words = ["audit", "--"].map(OsString::from).into_iter().chain(inputs.iter().cloned());
        let matches = Self::augment_args(clap::Command::new("audit")).try_get_matches_from(words)?;
        Ok(AuditArgs { reading: reading.clone(), ..Self::from_arg_matches(&matches)? })
    }

    /// Writes what is missing, if asked for.
    pub(super) fn write_missing(&self, result: &Audit) -> anyhow::Result<()> {
        let Some(path) = &self.missing else { return Ok(()) };
        let fates: Vec<Lost> = self.missing_only.iter().flat_map(|fate| fate.chosen()).copied().collect();
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
    pub(super) fn sources(&self, files: &mut Files) -> anyhow::Result<Sources> {
        // Each argument is expanded once: a list may come from standard input.
        let mut sources = |arguments: &[OsString]| sources(arguments, self.reading.expansion(), files);
        let (first, second) = (sources(&self.visit)?, sources(&self.revisit)?);
        let names = |sources: &[Source]| sources.iter().map(|source| source.name.clone()).collect();
        let (visit, revisit): (BTreeSet<String>, BTreeSet<String>) = (names(&first), names(&second));
        if let Some(both) = visit.intersection(&revisit).next() {
            let message = format!("{both} is given for the visit and for the revisit");
            return Err(Error::usage(message).with_remedy("name each file once").into());
        }
        let path = |source: &Source| source.path().canonicalize().ok();
        let named: BTreeSet<PathBuf> = first.iter().chain(&second).filter_map(path).collect();
        let mut others = sources(&self.inputs)?;
        others.retain(|source| path(source).is_none_or(|path| !named.contains(&path)));
        let mut beside = sources(&self.companions)?;
        beside.iter_mut().for_each(|source| source.beside = true);
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

    pub(super) fn parameters(
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
pub(super) fn numbers(inputs: &[InputFile], names: &BTreeSet<String>) -> Vec<u32> {
    (0u32..).zip(inputs).filter(|(_, file)| names.contains(&file.source)).map(|(number, _)| number).collect()
}
