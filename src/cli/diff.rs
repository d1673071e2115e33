//! `acuity diff`: what differs between two captures of a site.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};

use super::at::rereadable;
use super::audit::weights;
use super::exit::Exit;
use super::files::Files;
use super::input::{Input, ReadArgs, nothing_found};
use super::output;
use super::rebuild::manifest_of;
use super::screen::{ColorArg, screen};
use super::select::{JsonArgs, ProofArgs, SameArgs, in_words};
use super::sitemaps;
use super::values::{parse_from, parse_to};
use crate::archive::source::Source;
use crate::diff::compute::{DiffInput, diff};
use crate::diff::limit::{self, Limit};
use crate::diff::model::Diff;
use crate::diff::sides::Membership;
use crate::diff::sought::SoughtUrls;
use crate::error::Error;
use crate::ingest::{ProblemLog, Wanted};
use crate::report::escape::terminal;
use crate::report::{diff as text, html};
use crate::time::Instant;

const EXAMPLES: &str = "\
Examples:
  acuity diff spring.wacz autumn.wacz
  acuity diff original/ rebuilt.warc.gz --sought rebuilt.manifest.jsonl
  acuity diff archives/ --from 2020 --to 2020 --from 2024 --to 2024
  acuity diff old/ new/ --scope https://example.org/news/ --html diff.html
  acuity diff old/ new/ -q --missing gone.txt --fail-over missing=0.05";

/// Resources listed of each class, unless told otherwise.
const LISTED_BY_DEFAULT: usize = 10;

/// Arguments of `acuity diff`.
///
/// Every resource is identical, changed, missing, never requested, added, or cannot be compared. The difference vector is
/// (changed / |W|, missing / |W|, added / |W'|), for W the first and W' the second capture: (0, 0, 0) where nothing differs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct DiffArgs {
    /// The first capture, the original: a file, directory, glob or @LIST, as for `acuity audit`
    #[arg(value_name = "W")]
    original: OsString,

    /// The second capture, later or rebuilt; without it W is compared with itself at other dates
    #[arg(value_name = "W2")]
    rebuilt: Option<OsString>,

    /// Only captures from this date on; given twice: for the first and for the second capture
    #[arg(long, value_name = "DATE", value_parser = parse_from, help_heading = "What is compared")]
    from: Vec<Instant>,

    /// Only captures up to this date, its whole year, month or day included; given twice: for the first and for the second
    #[arg(long, value_name = "DATE", value_parser = parse_to, help_heading = "What is compared")]
    to: Vec<Instant>,

    /// Only URLs below this one, such as https://example.org/dir/
    #[arg(long, value_name = "URL", help_heading = "What is compared")]
    scope: Option<String>,

    /// What was requested for the second capture: a crawl log, a manifest of `acuity rebuild`, or one URL per line
    ///
    /// It separates what was never requested from what was not found. Without it, the manifest beside a file that `acuity rebuild`
    /// wrote is read.
    #[arg(long, value_name = "FILE", help_heading = "What is compared")]
    sought: Vec<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    #[command(flatten)]
    proof: ProofArgs,

    /// A TOML file with other weights for blocks and changes
    #[arg(long, value_name = "FILE", help_heading = "What is proof")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    json: JsonArgs,

    /// Write one self-contained HTML page, with both versions of changed pages side by side as text
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write the reconstruction diagram
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,

    /// Write what is missing or was never requested, one URL per line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    missing: Option<PathBuf>,

    /// Exit with code 1 if more differs, such as missing=0.05,changed=0.5
    ///
    /// changed, missing and unsought are shares of the first capture, added is one of the second. A limit is not met where the
    /// share may be larger.
    #[arg(long, value_name = "LIMITS", value_parser = parse_limits, help_heading = "Output")]
    fail_over: Option<Limits>,

    /// Resources listed of each class
    #[arg(long, value_name = "N", default_value_t = LISTED_BY_DEFAULT, help_heading = "Output")]
    list: usize,

    /// Whether to use colour; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    color: ColorArg,

    #[command(flatten)]
    reading: ReadArgs,
}

/// Limits for the vector.
#[derive(Debug, Clone)]
struct Limits(Vec<Limit>);

fn parse_limits(text: &str) -> Result<Limits, String> {
    limit::parse(text).map(Limits).map_err(|error| in_words(&error))
}

type Period = (Option<Instant>, Option<Instant>);

pub(super) fn execute(args: &DiffArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--json", args.json.json.as_deref())?;
    files.write("--html", args.html.as_deref())?;
    files.write("--svg", args.svg.as_deref())?;
    files.write("--missing", args.missing.as_deref())?;
    files.read(args.weights.as_deref())?;
    let (result, log) = args.compare(&mut files)?;
    args.show(&result, &files)?;
    args.reading.report_problems(&log);
    args.exit(&result, &log)
}

/// What differs between a site and what was rebuilt of it.
pub(super) fn after_rebuild(
    original: &OsString,
    rebuilt: &Path,
    manifest: &Path,
    reading: &ReadArgs,
    (same, proof): (&SameArgs, &ProofArgs),
) -> anyhow::Result<Diff> {
    let words = ["diff".into(), "--sought".into(), manifest.as_os_str().to_owned(), "--".into()];
    let words = words.into_iter().chain([original.clone(), rebuilt.as_os_str().to_owned()]);
    let matches = DiffArgs::augment_args(clap::Command::new("diff")).try_get_matches_from(words)?;
    let args = DiffArgs {
        reading: reading.clone(),
        same: same.clone(),
        proof: proof.clone(),
        ..DiffArgs::from_arg_matches(&matches)?
    };
    Ok(args.compare(&mut Files::default())?.0)
}

/// Prints the comparison after `acuity rebuild`.
pub(super) fn show_after_rebuild(diff: &Diff, color: ColorArg) -> anyhow::Result<()> {
    output::write(None, |out| Ok(text::write(out, diff, screen(color), LISTED_BY_DEFAULT)?))
}

impl DiffArgs {
    /// Reads both sides and compares them.
    fn compare(&self, files: &mut Files) -> anyhow::Result<(Diff, ProblemLog)> {
        let periods = self.periods()?;
        let change_weights = weights(self.weights.as_deref())?;
        let canon = self.same.canon.into();
        let mut sought = SoughtUrls::default();
        let beside = self
            .rebuilt
            .as_ref()
            .filter(|_| self.sought.is_empty())
            .and_then(|rebuilt| manifest_of(Path::new(rebuilt)));
        for path in self.sought.iter().chain(&beside) {
            files.read(Some(path))?;
            sought.read(&sitemaps::text_of(path)?, canon).map_err(|error| error.at_file(path))?;
        }
        let has_log = beside.is_some() || !self.sought.is_empty();
        let (sources, sides) = self.sources(files)?;
        let names = [&self.original, self.rebuilt.as_ref().unwrap_or(&self.original)]
            .map(|name| vec![name.to_string_lossy().into_owned()]);
        let wanted = Wanted { text: true, links: true, sitemaps: false, walls: true };
        let reading = ReadArgs { keep_lines: true, ..self.reading.clone() };
        let input = reading.read(&sources, wanted, true, files)?;
        let input = Input { reading: input.reading.show_revisits(wanted)?, ..input };
        let membership = Membership {
            inputs: input
                .reading
                .inputs
                .iter()
                .map(|file| sides.get(&file.source).copied().unwrap_or(0))
                .collect(),
            periods,
            canon,
            scope: self.scope.clone(),
        };
        for (bit, side) in [(1, Some(&self.original)), (2, self.rebuilt.as_ref())] {
            let Some(side) = side.filter(|_| !membership.inputs.iter().any(|sides| sides & bit != 0)) else {
                continue;
            };
            reading.report_problems(&input.log);
            let given = sides.values().filter(|sides| **sides & bit != 0).count();
            return Err(nothing_found(given).at_file(side).into());
        }
        let result = diff(
            &input.reading,
            &DiffInput {
                membership: &membership,
                names,
                evidence: self.proof.evidence.into(),
                sought: has_log.then_some(&sought),
                manifest: beside.as_ref().map(|path| path.display().to_string()),
                weights: &change_weights,
            },
        )?;
        if result.original.resources == 0 {
            return Err(Error::usage(
                "the first capture has nothing to compare: no URL with content in this scope and these dates",
            )
            .with_remedy("`acuity index` lists what was captured")
            .into());
        }
        Ok((result, input.log))
    }

    /// The dates of both sides.
    fn periods(&self) -> anyhow::Result<[Period; 2]> {
        let refuse = |message: &str, remedy: &str| Err(Error::usage(message).with_remedy(remedy).into());
        if self.from.len() > 2 || self.to.len() > 2 {
            return refuse("--from and --to are given at most twice", "once for each capture");
        }
        let at = |dates: &[Instant], side: usize| dates.get(side).copied();
        let periods = match (&self.rebuilt, self.from.as_slice(), self.to.as_slice()) {
            // Dates that are given once hold for both archives.
            (Some(_), from, to) => [0, 1]
                .map(|side| (at(from, side).or_else(|| at(from, 0)), at(to, side).or_else(|| at(to, 0)))),
            // Up to one date, and from another one on.
            (None, [from], [to]) if to <= from => [(None, Some(*to)), (Some(*from), None)],
            (None, from, to) if from.len() + to.len() >= 2 => {
                let sides = [0, 1].map(|side| (at(from, side), at(to, side)));
                if sides.contains(&(None, None)) || sides[0] == sides[1] {
                    return refuse(
                        "the dates of the two captures of one archive are not clear",
                        "give --from and --to twice, first those of the first capture",
                    );
                }
                sides
            }
            (None, ..) => {
                return refuse(
                    "one archive is compared with itself at other dates, and none are given",
                    "name a second archive, or give --from and --to twice",
                );
            }
        };
        for (from, to) in periods {
            if let (Some(from), Some(to)) = (from, to)
                && from >= to
            {
                return refuse(
                    &format!("--from {from} is after --to, which ends at {to}"),
                    "give the earlier date with --from",
                );
            }
        }
        Ok(periods)
    }

    /// All sources, each once, and the sides that each belongs to.
    fn sources(&self, files: &mut Files) -> anyhow::Result<(Vec<Source>, BTreeMap<String, u8>)> {
        let first = rereadable(std::slice::from_ref(&self.original), self.reading.expansion(), files)?;
        let second = match &self.rebuilt {
            Some(rebuilt) => rereadable(std::slice::from_ref(rebuilt), self.reading.expansion(), files)?,
            None => first.clone(),
        };
        // A side of which nothing is there was mistyped, not lost.
        self.reading.check_faults(&first)?;
        self.reading.check_faults(&second)?;
        let mut names: BTreeMap<PathBuf, String> = BTreeMap::new();
        let mut sides: BTreeMap<String, u8> = BTreeMap::new();
        let mut sources = Vec::new();
        for (bit, source) in
            first.into_iter().map(|source| (1, source)).chain(second.into_iter().map(|source| (2, source)))
        {
            let path = source.path().canonicalize().unwrap_or_else(|_| source.path().into_owned());
            let name = names.entry(path).or_insert_with(|| source.name.clone()).clone();
            if *sides.entry(name.clone()).and_modify(|sides| *sides |= bit).or_insert(bit) == bit
                && name == source.name
            {
                sources.push(source);
            }
        }
        sources.dedup_by(|a, b| a.name == b.name);
        Ok((sources, sides))
    }

    fn show(&self, result: &Diff, files: &Files) -> anyhow::Result<()> {
        self.json.write(result)?;
        if let Some(path) = &self.html {
            output::write(Some(path), |out| Ok(html::diff::write(out, result)?))?;
        }
        if let Some(path) = &self.svg {
            output::write(Some(path), |out| Ok(text::svg::write(out, result)?))?;
        }
        if let Some(path) = &self.missing {
            output::write(Some(path), |out| Ok(text::missing(out, result)?))?;
        }
        if !files.take_stdout() {
            output::write(None, |out| Ok(text::write(out, result, screen(self.color), self.list)?))?;
        }
        Ok(())
    }

    fn exit(&self, result: &Diff, log: &ProblemLog) -> anyhow::Result<Exit> {
        let short =
            self.fail_over.as_ref().map_or_else(Vec::new, |limits| limit::exceeded(result, &limits.0));
        for shortfall in &short {
            // Standard error may be closed; the exit code still says it.
            let _ = writeln!(std::io::stderr(), "acuity: {}", terminal(shortfall));
        }
        Ok(self.reading.exit(log, if short.is_empty() { Exit::Done } else { Exit::BarNotMet }))
    }
}
