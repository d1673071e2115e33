//! `acuity at`: were the pages proven to stand together at a date?

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::audit::{CanonArg, EvidenceArg, PagesArg, parse_site_by};
use super::exit::Exit;
use super::input::{DigestsArg, ReadArgs};
use super::output::Output;
use crate::archive::source::expand;
use crate::audit::at::{asked, at};
use crate::audit::at_model::{At, AtFile, AtParameters, SiteVerdict};
use crate::audit::at_seal::{file_hashes, seal};
use crate::audit::model::ProblemCount;
use crate::capture::table::TableBuilder;
use crate::capture::url::{Canon, SiteBy};
use crate::error::Error;
use crate::ingest::{ProblemLog, Wanted};
use crate::report::at::{Length, write};

const EXAMPLES: &str = "\
Examples:
  acuity at 2022-03-14T12:20:00Z crawl.warc.gz
  acuity at 2022-03-14 archives/ --site example.org --print report.txt
  acuity at 2022-03 archives/ --url https://example.org/terms
  acuity at 2022-03-14 archives/ --json=report.json --require coherent
  acuity verify report.json archives/";

/// Arguments of `acuity at`.
///
/// The verdict is `coherent` when every page is proven at the date by equal captures before and after it; `not coherent`
/// when the server's Last-Modified shows that the version closest to the date came only later; else `not provable`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub struct AtArgs {
    /// The date: 2022-03-14T12:20:00Z, with another zone, or a minute, day, month or year
    ///
    /// A day, month or year means all of it, in UTC; the answer says for which part it holds.
    #[arg(value_name = "DATE", value_parser = parse_date)]
    date: String,

    /// WARC, ARC, WACZ, CDX or CDXJ files, directories or globs, as for `acuity audit`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Only this site, by its name in the report
    #[arg(long, value_name = "SITE", help_heading = "Which pages")]
    site: Option<String>,

    /// Only this URL, captured or not; may be given several times
    #[arg(long, value_name = "URL", help_heading = "Which pages")]
    url: Vec<String>,

    /// Only the URLs that FILE lists, one a line, captured or not
    #[arg(long, value_name = "FILE", help_heading = "Which pages")]
    pages_from: Option<PathBuf>,

    /// Which URLs are pages
    #[arg(long, value_enum, value_name = "WHICH", default_value = "html", help_heading = "Which pages")]
    pages: PagesArg,

    /// What makes a site: host, domain, or prefix:URL
    #[arg(long, value_name = "HOW", default_value = "host", value_parser = parse_site_by, help_heading = "Which pages")]
    site_by: SiteBy,

    /// Which URLs are the same page
    #[arg(long, value_enum, value_name = "RULES", default_value = "default", help_heading = "Which pages")]
    canon: CanonArg,

    /// The weakest evidence that proves
    #[arg(
        long,
        value_enum,
        value_name = "GRADE",
        default_value = "not-modified",
        help_heading = "What is proof"
    )]
    evidence: EvidenceArg,

    /// Exit with code 1 if the verdict is another one
    #[arg(long, value_enum, value_name = "VERDICT", help_heading = "Output")]
    require: Option<RequireArg>,

    /// Write JSON: to FILE, or without FILE to standard output instead of the text
    ///
    /// Its schema is `acuity.at/1`, described in docs/at-schema.json; `acuity verify FILE` checks it.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-",
        help_heading = "Output"
    )]
    json: Option<PathBuf>,

    /// Write the whole report as plain text, with all witnesses and hashes
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    print: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RequireArg {
    /// Every page is proven throughout the date
    Coherent,
}

fn parse_date(text: &str) -> Result<String, String> {
    asked(text).map(|_| text.to_owned()).map_err(|error| match error.remedy() {
        Some(remedy) => format!("{error}; {remedy}"),
        None => error.to_string(),
    })
}

/// Runs the command.
pub fn execute(args: &AtArgs) -> anyhow::Result<Exit> {
    let (answer, log) = compute(&args.parameters()?, &args.inputs, &args.reading)?;
    let to_stdout = args.json.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if let Some(path) = &args.json {
        let mut output = Output::create(Some(path))?;
        serde_json::to_writer_pretty(output.writer(), &answer)?;
        output.writer().write_all(b"\n")?;
        output.finish()?;
    }
    if let Some(path) = &args.print {
        let mut output = Output::create(Some(path))?;
        write(output.writer(), &answer, Length::Whole)?;
        output.finish()?;
    }
    if !to_stdout {
        let mut output = Output::create(None)?;
        write(output.writer(), &answer, Length::Short)?;
        output.finish()?;
    }
    args.reading.report_problems(&log);
    let met = args.require.is_none() || answer.verdict == SiteVerdict::Coherent;
    Ok(match () {
        () if log.has_errors() => Exit::Unreadable,
        () if !met => Exit::BarNotMet,
        () => Exit::Done,
    })
}

/// Reads the inputs and computes the answer: for `at`, and again for `verify`.
pub(super) fn compute(
    parameters: &AtParameters,
    inputs: &[String],
    reading: &ReadArgs,
) -> anyhow::Result<(At, ProblemLog)> {
    let canon: Canon = parameters.canon.parse()?;
    let sources = expand(inputs)?;
    if sources.iter().any(|source| source.name == "-") {
        return Err(Error::usage("standard input cannot be read again, so nothing in it can be a witness")
            .with_remedy("save it to a file, and name that")
            .into());
    }
    let input = reading.read(&sources, Wanted::default(), false)?;
    let (read, log) = (input.reading, input.log);
    let mut counts = vec![0u64; read.inputs.len()];
    let mut builder = TableBuilder::new();
    read.observations.for_each(&mut |observation, input| {
        if let Some(count) = counts.get_mut(input as usize) {
            *count += 1;
        }
        let mut observation = observation.clone();
        canon.key_into(&observation.url, &mut observation.key);
        builder.push(&observation, input);
        Ok(())
    })?;
    let mut hashes: BTreeMap<&str, (String, String)> = BTreeMap::new();
    let mut files = Vec::with_capacity(read.inputs.len());
    for (file, count) in read.inputs.iter().zip(counts) {
        if !hashes.contains_key(file.source.as_str()) {
            hashes.insert(&file.source, file_hashes(&file.source)?);
        }
        let (blake3, sha256) = hashes.get(file.source.as_str()).cloned().unwrap_or_default();
        files.push(AtFile {
            path: file.file.clone(),
            format: file.format.clone(),
            bytes: file.bytes,
            observations: count,
            blake3,
            sha256,
        });
    }
    let count = |(level, kind, count): (_, &str, _)| ProblemCount { level, kind: kind.to_owned(), count };
    let problems = log.counts().map(count).collect();
    let mut answer = at(&builder.finish(), parameters, files, problems)?;
    seal(&mut answer)?;
    Ok((answer, log))
}

impl AtArgs {
    fn parameters(&self) -> anyhow::Result<AtParameters> {
        let mut urls = self.url.clone();
        if let Some(path) = &self.pages_from {
            let text = std::fs::read_to_string(path)
                .map_err(|error| Error::usage(error.to_string()).at_file(path))?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            urls.extend(lines.map(str::to_owned));
            if urls.is_empty() {
                return Err(Error::usage("the list names no page").at_file(path).into());
            }
        }
        Ok(AtParameters {
            date: self.date.clone(),
            canon: Canon::from(self.canon).name().to_owned(),
            site_by: match &self.site_by {
                SiteBy::Host => "host".to_owned(),
                SiteBy::Domain => "domain".to_owned(),
                SiteBy::Prefix(prefix) => format!("prefix:{prefix}"),
            },
            pages: self.pages.into(),
            evidence: self.evidence.into(),
            digests: match self.reading.digests {
                DigestsArg::Verify => "verify",
                DigestsArg::Declared => "declared",
            }
            .to_owned(),
            site: self.site.clone(),
            urls,
        })
    }
}
