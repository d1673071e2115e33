//! `acuity rebuild`: a site put together from several archives.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::at::rereadable;
use super::audit::perform;
use super::audit_args::AuditArgs;
use super::exit::Exit;
use super::files::Files;
use super::front_pages::FrontPages;
use super::input::{DigestsArg, ReadArgs};
use super::output::{self, Unwritable};
use super::screen::{ColorArg, screen};
use super::select::{JsonArgs, ProofArgs, SameArgs};
use super::sitemaps;
use super::values::parse_from;
use crate::archive::source::Source;
use crate::diff::model::Diff;
use crate::error::Error;
use crate::ingest::{ProblemLog, Reading, Wanted};
use crate::rebuild::choose::{Overrides, Rule};
use crate::rebuild::compute::{Built, Request, build};
use crate::rebuild::manifest::{self, Rebuild};
use crate::rebuild::repositories::Scope;
use crate::rebuild::wacz;
use crate::recovery::policy::{Access, Policy};
use crate::report::escape::terminal;
use crate::report::{rebuild as text, table};
use crate::time::Instant;
use crate::url::{Canon, SiteBy};

const EXAMPLES: &str = "\
Examples:
  acuity rebuild --repo ia=ia/ --repo own=crawl.wacz -o site.warc.gz
  acuity rebuild --repo a=a.warc.gz --repo b=b.warc.gz --at 2019-06 -o site.wacz
  acuity rebuild --repo a=a/ --repo b=b/ --coherent -o site.wacz
  acuity rebuild --repo a=a/ --original lost.warc.gz -o site.warc.gz
  acuity diff lost.warc.gz site.warc.gz --sought site.manifest.jsonl";

/// Arguments of `acuity rebuild`.
///
/// Starts at the seeds, follows the links of what is recovered, and copies the best capture of every URL byte for byte, with its
/// request and metadata. Error pages, parked domains and cut records are taken only where nothing better exists; what there is only as an
/// error page, a parked page or a wall is not counted as recovered.
#[derive(Debug, Args)]
// Bodies are always read, so the option has nothing to choose; its other value is refused with a reason.
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES, mut_arg("digests", |digests| digests.hide(true)))]
pub(super) struct RebuildArgs {
    /// A repository and what it holds: NAME=INPUT, an input as for `acuity audit`; may be given several times, also for one name
    #[arg(long, required = true, value_name = "NAME=INPUT", value_parser = parse_repo, help_heading = "Repositories")]
    repo: Vec<(String, String)>,

    /// URLs that one lister query gives, for the modelled requests: N, or NAME=N
    #[arg(long, value_name = "N", default_value = "1000", value_parser = parse_number, help_heading = "Repositories")]
    page_size: Vec<(Option<String>, u64)>,

    /// Requests that a repository answers per day, for the modelled requests: N, or NAME=N
    #[arg(long, value_name = "N", value_parser = parse_number, help_heading = "Repositories")]
    quota: Vec<(Option<String>, u64)>,

    /// The file to write: .warc.gz, .warc or .wacz
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    /// Which URLs are looked up
    #[arg(
        long,
        value_enum,
        value_name = "POLICY",
        default_value = "knowledgeable",
        help_heading = "What is recovered"
    )]
    policy: PolicyArg,

    /// Where to start; may be given several times [default: the front pages of all sites]
    ///
    /// A front page is / or its index name, such as /index.html. Where no site has one, the topmost page with the shortest URL is a start.
    #[arg(long, value_name = "URL", help_heading = "What is recovered")]
    seed: Vec<String>,

    /// Follow links only to URLs below this one; may be given several times [default: the sites of the seeds]
    ///
    /// Images, style sheets and scripts that pages embed are taken from any site.
    #[arg(long, value_name = "URL", help_heading = "What is recovered")]
    scope: Vec<String>,

    /// Take the capture closest to this date instead of the newest
    #[arg(long, value_name = "DATE", value_parser = parse_from, conflicts_with = "coherent", help_heading = "Which captures")]
    at: Option<Instant>,

    /// Take the versions that are proven to have been online together, at the best moment or at DATE
    #[arg(long, value_name = "DATE", num_args = 0..=1, require_equals = true, value_parser = parse_from, help_heading = "Which captures")]
    coherent: Option<Option<Instant>>,

    /// Captures chosen by hand: lines of a URL and a record id or a date
    #[arg(long, value_name = "FILE", help_heading = "Which captures")]
    choose: Option<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    #[command(flatten)]
    proof: ProofArgs,

    /// The original site; the report ends with what differs from it
    #[arg(long, value_name = "INPUT", help_heading = "Output")]
    original: Option<OsString>,

    /// Where the manifest goes [default: beside the output, as NAME.manifest.jsonl]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    manifest: Option<PathBuf>,

    #[command(flatten)]
    json: JsonArgs,

    /// Neither audit what was built nor compare it with --original
    #[arg(long, help_heading = "Output")]
    no_audit: bool,

    /// Whether to use colour; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    color: ColorArg,

    #[command(flatten)]
    reading: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PolicyArg {
    /// What recovered pages link to, looked up in every repository
    Naive,
    /// What recovered pages link to, looked up in repositories that list it
    Knowledgeable,
    /// Everything that repositories list
    Exhaustive,
}

fn parse_repo(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, input)) if !name.is_empty() && !input.is_empty() => {
            Ok((name.to_owned(), input.to_owned()))
        }
        _ => Err(format!("{text:?} does not name a repository; write NAME=INPUT")),
    }
}

fn parse_number(text: &str) -> Result<(Option<String>, u64), String> {
    let (name, number) = match text.split_once('=') {
        Some((name, number)) => (Some(name.to_owned()), number),
        None => (None, text),
    };
    let number = number.parse().ok().filter(|number| *number > 0);
    number
        .map(|number| (name, number))
        .ok_or_else(|| format!("{text:?} is neither a whole number of 1 or more nor NAME=N"))
}

/// What kind of file a name asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Gzip,
    Plain,
    Wacz,
}

impl Target {
    pub(super) fn of(path: &Path) -> crate::Result<Self> {
        let name = path.to_string_lossy().to_ascii_lowercase();
        match name {
            name if name.ends_with(".warc.gz") => Ok(Target::Gzip),
            name if name.ends_with(".warc") => Ok(Target::Plain),
            name if name.ends_with(".wacz") => Ok(Target::Wacz),
            _ => Err(Error::usage(format!("{} is not a name for an archive", path.display()))
                .with_remedy("end it in .warc.gz, .warc or .wacz")),
        }
    }
}

/// The names of the repositories in order, all sources, and the repository of each source.
type Named = (Vec<String>, Vec<Source>, BTreeMap<String, usize>);

/// How the names of manifests end.
const MANIFEST: &str = "manifest.jsonl";

/// Maximum number of repositories: a set of them is held in 64 bits.
const MAX_REPOSITORIES: usize = 64;

pub(super) fn execute(args: &RebuildArgs) -> anyhow::Result<Exit> {
    if args.reading.digests == DigestsArg::Declared {
        let message = "bodies have to be read to follow links, and to tell parked, damaged and error pages from good ones";
        return Err(Error::usage(message).with_remedy("leave out --digests declared").into());
    }
    let target = Target::of(&args.output)?;
    let manifest_path = args.manifest.clone().unwrap_or_else(|| manifest_beside(&args.output));
    let mut files = Files::default();
    files.write("--output", Some(&args.output))?;
    files.write("--manifest", Some(&manifest_path))?;
    files.write("--json", args.json.json.as_deref())?;
    files.read(args.choose.as_deref())?;
    let canon: Canon = args.same.canon.into();
    let (names, sources, repository_by_source) = args.repositories(&mut files)?;
    let overrides = match &args.choose {
        Some(path) => {
            Overrides::read(&sitemaps::text_of(path)?, canon).map_err(|error| error.at_file(path))?
        }
        None => Overrides::default(),
    };
    let (original, original_log) = args.original_keys(canon, &mut files)?.unzip();
    let wanted = Wanted { text: true, links: true, sitemaps: false, walls: true };
    let input = args.reading.read(&sources, wanted, true, &mut files)?;
    let reading = &input.reading.show_revisits(wanted)?;
    let seeds = args.seeds(reading)?;
    let request = Request {
        canon,
        policy: match args.policy {
            PolicyArg::Naive => Policy::Naive,
            PolicyArg::Knowledgeable => Policy::Knowledgeable,
            PolicyArg::Exhaustive => Policy::Exhaustive,
        },
        rule: match (args.at, args.coherent) {
            (_, Some(at)) => Rule::Coherent(at),
            (Some(at), None) => Rule::Closest(at),
            (None, None) => Rule::Newest,
        },
        evidence: args.proof.evidence.into(),
        overrides,
        scope: args.scope(&seeds),
        seeds,
        access: args.access(&names)?,
        repository_of: reading
            .inputs
            .iter()
            .map(|file| repository_by_source.get(&file.source).copied().unwrap_or(0))
            .collect(),
        is_copied: reading.inputs.iter().map(|file| file.format.has_bodies()).collect(),
        original,
        output: args.output.display().to_string(),
        is_gzip: target != Target::Plain,
    };
    let mut built = build(reading, &request)?;
    if built.plan.items.is_empty() {
        return Err(args.nothing_recovered(&built.rebuild).into());
    }
    built.rebuild.bytes = write(&mut built, &args.output, target)?;
    output::write(Some(&manifest_path), |out| Ok(manifest::write(out, &built.rebuild)?))?;
    let to_screen = !files.take_stdout();
    if to_screen {
        output::write(None, |out| Ok(text::write(out, &built.rebuild, screen(args.color))?))?;
    }
    let logs = [Some(&input.log), original_log.as_ref()];
    logs.into_iter().flatten().for_each(|log| args.reading.report_problems(log));
    let diff = args.difference(&manifest_path)?;
    args.json.write(&manifest::Report { rebuild: &built.rebuild, diff: diff.as_ref() })?;
    match &diff {
        Some(diff) if to_screen => super::diff::show_after_rebuild(diff, args.color)?,
        None if to_screen && !args.no_audit => args.audit()?,
        _ => {}
    }
    let exits = logs.into_iter().flatten().map(|log| args.reading.exit(log, Exit::Done));
    Ok(exits.max().unwrap_or(Exit::Done))
}

/// A file beside the output, named after it.
pub(super) fn beside(output: &Path, suffix: &str) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem =
        [".warc.gz", ".warc", ".wacz"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    output.with_file_name(format!("{stem}.{suffix}"))
}

/// Where the manifest of an output goes: where that name belongs to another output that is still there, the whole name of the output
/// precedes it.
fn manifest_beside(output: &Path) -> PathBuf {
    let usual = beside(output, MANIFEST);
    let other = manifest_output(&usual).map(|other| output.with_file_name(other));
    match other {
        Some(other) if other.file_name() != output.file_name() && other.exists() => {
            let own = full_beside(output);
            // Standard error may be closed; the manifest says it, too.
            let _ = writeln!(
                std::io::stderr(),
                "acuity: {} belongs to {}; the manifest of this one is {}",
                terminal(&usual.display().to_string()),
                terminal(&other.display().to_string()),
                terminal(&own.display().to_string())
            );
            own
        }
        _ => usual,
    }
}

/// The second name that the manifest of an output may have.
fn full_beside(output: &Path) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    output.with_file_name(format!("{name}.{MANIFEST}"))
}

/// The name of the output that a manifest is of.
fn manifest_output(manifest: &Path) -> Option<OsString> {
    let mut line = String::new();
    BufReader::new(File::open(manifest).ok()?.take(1 << 20)).read_line(&mut line).ok()?;
    let head: serde_json::Value = serde_json::from_str(&line).ok()?;
    let is_manifest = head.get("schema").and_then(|schema| schema.as_str()) == Some(manifest::SCHEMA);
    let output = head.get("output").filter(|_| is_manifest)?.as_str()?;
    Path::new(output).file_name().map(OsString::from)
}

/// The manifest beside a file that `acuity rebuild` wrote. `None` where there is none of this file.
pub(super) fn manifest_of(output: &Path) -> Option<PathBuf> {
    let candidates = [beside(output, MANIFEST), full_beside(output)];
    candidates.into_iter().find(|path| manifest_output(path).as_deref() == output.file_name())
}

/// Says of every capture that was taken whether the index of the package has it.
fn note_indexed(rebuild: &mut Rebuild, left_out: &[wacz::Indexed]) {
    let left_out: HashSet<(&str, Instant)> =
        left_out.iter().map(|line| (line.url.as_str(), line.time)).collect();
    for entry in &mut rebuild.urls {
        if let Some(taken) = &mut entry.taken {
            taken.indexed = Some(!left_out.contains(&(entry.url.as_str(), taken.time)));
        }
    }
}

/// Writes the records, and packs them if asked for. Gives the length of the file.
fn write(built: &mut Built, path: &Path, target: Target) -> anyhow::Result<u64> {
    let data = if target == Target::Wacz { beside(path, "acuity-data.warc.gz") } else { path.to_owned() };
    let lengths = built.plan.write(&data).map_err(|error| Unwritable::or_source(&data, error))?;
    if target == Target::Wacz {
        let mut offset = lengths.first().copied().unwrap_or(0);
        let mut lines = Vec::new();
        for (line, length) in built.index.iter_mut().zip(lengths.iter().skip(1)) {
            if let Some(mut line) = line.take() {
                (line.offset, line.length) = (offset, *length);
                lines.push(line);
            }
            offset += length;
        }
        let left_out = wacz::leave_out_not_modified(&mut lines);
        note_indexed(&mut built.rebuild, &left_out);
        let mut file = File::open(&data)?;
        let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        output::write(Some(path), |out| Ok(wacz::write(out, &mut file, lines, &title, built.newest)?))?;
        std::fs::remove_file(&data)?;
    }
    Ok(std::fs::metadata(path)?.len())
}

impl RebuildArgs {
    /// Why nothing is written.
    fn nothing_recovered(&self, rebuild: &Rebuild) -> Error {
        if rebuild.urls.iter().any(|entry| !entry.might_have.is_empty()) {
            return Error::usage(
                "nothing can be recovered: the repositories only list it, or what they hold cannot be used",
            )
            .with_remedy("give the archives that hold the records, not only their indexes");
        }
        let error = Error::usage("nothing can be recovered from these seeds");
        match self.policy {
            PolicyArg::Exhaustive => error,
            _ => error.with_remedy("give --seed, or --policy exhaustive"),
        }
    }

    /// The names of the repositories in order, all sources, and the repository of each source.
    fn repositories(&self, files: &mut Files) -> anyhow::Result<Named> {
        let mut names: Vec<String> = Vec::new();
        let (mut sources, mut of_source) = (Vec::new(), BTreeMap::new());
        for (name, input) in &self.repo {
            let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            for source in rereadable(&[OsString::from(input)], self.reading.expansion(), files)? {
                if of_source.insert(source.name.clone(), place).is_some_and(|other| other != place) {
                    return Err(Error::usage(format!("{} is given for two repositories", source.name))
                        .with_remedy("name each file once")
                        .into());
                }
                sources.push(source);
            }
        }
        if names.len() > MAX_REPOSITORIES {
            return Err(Error::usage(format!("at most {MAX_REPOSITORIES} repositories")).into());
        }
        sources.dedup_by(|a, b| a.name == b.name);
        Ok((names, sources, of_source))
    }

    fn access(&self, names: &[String]) -> crate::Result<Vec<Access>> {
        for name in self.page_size.iter().chain(&self.quota).filter_map(|(name, _)| name.as_ref()) {
            if !names.contains(name) {
                return Err(Error::usage(format!("no repository is called {name}"))
                    .with_remedy("--quota and --page-size take names that --repo gives"));
            }
        }
        let of = |given: &[(Option<String>, u64)], name: &str| {
            let own = given.iter().rev().find(|(known, _)| known.as_deref() == Some(name));
            own.or_else(|| given.iter().rev().find(|(known, _)| known.is_none())).map(|(_, number)| *number)
        };
        Ok(names
            .iter()
            .map(|name| Access {
                name: name.clone(),
                page_size: of(&self.page_size, name).unwrap_or(1000),
                daily_requests: of(&self.quota, name),
            })
            .collect())
    }

    /// Where to start: what was given, else the front pages.
    fn seeds(&self, reading: &Reading) -> anyhow::Result<Vec<String>> {
        if !self.seed.is_empty() {
            return Ok(self.seed.clone());
        }
        if !self.scope.is_empty() {
            return Ok(self.scope.clone());
        }
        let found = FrontPages::seeds_of(reading)?;
        // What is listed needs no start.
        if found.is_empty() && self.policy != PolicyArg::Exhaustive {
            return Err(Error::usage("the repositories hold no page to start from")
                .with_remedy("give --seed, or --policy exhaustive")
                .into());
        }
        Ok(found)
    }

    fn scope(&self, seeds: &[String]) -> Scope {
        match self.scope.as_slice() {
            [] => Scope {
                prefixes: Vec::new(),
                sites: seeds.iter().filter_map(|seed| SiteBy::Host.site_of(seed)).collect(),
            },
            prefixes => Scope {
                prefixes: prefixes.iter().cloned().map(SiteBy::Prefix).collect(),
                sites: HashSet::new(),
            },
        }
    }

    /// The keys of the original site, where it is given, and what was found when it was read.
    fn original_keys(
        &self,
        canon: Canon,
        files: &mut Files,
    ) -> anyhow::Result<Option<(HashSet<String>, ProblemLog)>> {
        let Some(original) = &self.original else { return Ok(None) };
        let sources = rereadable(std::slice::from_ref(original), self.reading.expansion(), files)?;
        let reading = ReadArgs { problems: None, ..self.reading.clone() };
        let input = reading.read(&sources, Wanted::default(), true, files)?;
        let mut keys = HashSet::new();
        input.reading.observations.for_each(&mut |observation, _| {
            if observation.status.is_none_or(|status| (200..400).contains(&status)) {
                keys.insert(canon.key(&observation.url));
            }
            Ok(())
        })?;
        Ok(Some((keys, input.log)))
    }

    /// What differs from the original, if there is one.
    fn difference(&self, manifest: &Path) -> anyhow::Result<Option<Diff>> {
        let Some(original) = self.original.as_ref().filter(|_| !self.no_audit) else { return Ok(None) };
        let rules = (&self.same, &self.proof);
        super::diff::after_rebuild(original, &self.output, manifest, &self.quiet(), rules).map(Some)
    }

    /// Ends with the audit of what was built.
    fn audit(&self) -> anyhow::Result<()> {
        let args = AuditArgs::plain(&[self.output.clone().into_os_string()], &self.quiet())?;
        let (audit, _) = perform(&args, &mut Files::default(), None, &mut |_, _, _| Ok(()))?;
        output::write(None, |out| {
            writeln!(out)?;
            Ok(table::write(out, &audit, screen(self.color), None)?)
        })
    }

    /// How what was built is read again.
    fn quiet(&self) -> ReadArgs {
        ReadArgs { problems: None, quiet: true, ..self.reading.clone() }
    }
}
