//! `acuity at`: was the content that the archive holds online at a date?

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::custody::CustodyArgs;
use super::exhibits::ExhibitArgs;
use super::exit::Exit;
use super::files::Files;
use super::input::{ReadArgs, nothing_found, sources};
use super::output;
use super::select::{JsonArgs, PageArgs, PhraseArgs, ProofArgs, StrictArgs, in_words};
use crate::archive::source::{Expansion, Source};
use crate::at::ask::{answer, wanted};
use crate::at::date::AskedDate;
use crate::at::embed_model::Embeds;
use crate::at::model::{AtParameters, SiteVerdict};
use crate::error::Error;
use crate::report::at::{Length, Seal, write};
use crate::report::at_json::{AnswerFile, embeddable};
use crate::report::html;
use crate::url::{Canon, SiteBy};

const EXAMPLES: &str = "\
Examples:
  acuity at 2022-03-14T12:20:00Z crawl.warc.gz
  acuity at 2022-03-14 archives/ --site example.org --print report.txt
  acuity at 2022-03 archives/ --url https://example.org/terms
  acuity at 2022-03-14 archives/ --phrase 'right of withdrawal'
  acuity at 2022-03-14 archives/ --json=report.json --require coherent
  acuity verify report.json archives/";

/// Arguments of `acuity at`.
///
/// The answer is yes when captures before and after the date hold the same content, for every page; no when nothing was captured
/// before and the server's own Last-Modified shows that the first version is newer; else the archive does not settle it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct AtArgs {
    /// The date: 2022-03-14T12:20:00Z, another zone, an hour, day, month, year, or a range A/B
    ///
    /// A day, month or year means all of it, in UTC; `2022-03-14+09:00` is a local day. A range ends at the time B, or with
    /// the day, month or year B. The answer says for which part it holds.
    #[arg(value_name = "DATE", value_parser = parse_date)]
    date: String,

    /// WARC, ARC, WACZ, CDX or CDXJ files, directories or globs, as for `acuity audit`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Only this URL, captured or not; may be given several times
    #[arg(long, value_name = "URL", help_heading = "Which pages")]
    url: Vec<String>,

    /// Only the URLs that FILE lists, one per line, captured or not
    #[arg(long, value_name = "FILE", help_heading = "Which pages")]
    pages_from: Option<PathBuf>,

    #[command(flatten)]
    select: PageArgs,

    #[command(flatten)]
    same: StrictArgs,

    #[command(flatten)]
    proof: ProofArgs,

    #[command(flatten)]
    phrases: PhraseArgs,

    /// Which embedded files (images, style sheets, scripts, frames) to list
    #[arg(long, value_enum, value_name = "WHICH", default_value = "all", help_heading = "Output")]
    embeds: EmbedsArg,

    /// Add the chances that a version was online, estimated from how often pages change
    ///
    /// They are not evidence, and are listed separately.
    #[arg(long, help_heading = "Output")]
    estimates: bool,

    /// Exit with code 1 if the answer differs from this one
    #[arg(long, value_enum, value_name = "VERDICT", help_heading = "Output")]
    require: Option<RequireArg>,

    #[command(flatten)]
    json: JsonArgs,

    /// Write the whole report as plain text, with all records and hashes
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    print: Option<PathBuf>,

    /// Write one self-contained HTML page to print: question, answer, records, method, hashes
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    #[command(flatten)]
    custody: CustodyArgs,

    /// Write who made the report, when, where and with what, as JSON
    #[arg(long = "custody", value_name = "FILE", help_heading = "Custody")]
    custody_to: Option<PathBuf>,

    #[command(flatten)]
    exhibits: ExhibitArgs,

    #[command(flatten)]
    reading: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RequireArg {
    /// Every page is proven to have been there throughout the date
    Coherent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EmbedsArg {
    /// All of them
    All,
    /// Those that are not proven to have been online with their page
    Exceptions,
    /// None
    None,
}

fn parse_date(text: &str) -> Result<String, String> {
    AskedDate::parse(text).map(|_| text.to_owned()).map_err(|error| in_words(&error))
}

pub(super) fn execute(args: &AtArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--json", args.json.json.as_deref())?;
    files.write("--print", args.print.as_deref())?;
    files.write("--html", args.html.as_deref())?;
    files.write("--custody", args.custody_to.as_deref())?;
    files.read(args.pages_from.as_deref())?;
    let exhibits = args.exhibits.prepare(args.json.json.as_deref(), &mut files)?;
    let parameters = args.parameters()?;
    let sources = rereadable(&args.inputs, args.reading.expansion(), &mut files)?;
    let input = args.reading.read(&sources, wanted(&parameters), false, &mut files)?;
    let log = input.log;
    let answer = answer(input.reading, &log, &parameters)?;
    let file = AnswerFile::of(&answer)?;
    let custody = args.custody.custody(&answer, &file.sha256);
    args.json.write_file(&file)?;
    if let Some(path) = &args.custody_to {
        let json = embeddable(&custody)?;
        output::write(Some(path), |out| Ok(out.write_all(&json)?))?;
    }
    if let Some(path) = &args.print {
        output::write(Some(path), |out| {
            Ok(write(out, &answer, Seal { sha256: &file.sha256, custody: Some(&custody) }, Length::Whole)?)
        })?;
    }
    if let Some(path) = &args.html {
        output::write(Some(path), |out| Ok(html::at::write(out, &answer, &file, Some(&custody))?))?;
    }
    exhibits.write(&answer, &file, &custody)?;
    if !files.take_stdout() {
        output::write(None, |out| {
            Ok(write(out, &answer, Seal { sha256: &file.sha256, custody: None }, Length::Short)?)
        })?;
    }
    args.reading.report_problems(&log);
    // An address that answered 404 Not Found is settled, but the page was not there.
    let is_there = answer.verdict == SiteVerdict::Coherent && answer.counts.absent == 0;
    let met = args.require.is_none() || is_there;
    Ok(args.reading.exit(&log, if met { Exit::Done } else { Exit::BarNotMet }))
}

/// The files that inputs name, if all of them can be read more than once: for `at`, and again for `verify`.
pub(super) fn rereadable(
    inputs: &[OsString],
    how: Expansion,
    files: &mut Files,
) -> anyhow::Result<Vec<Source>> {
    let sources = sources(inputs, how, files)?;
    if let Some(stream) =
        sources.iter().find(|source| source.named && source.fault.is_none() && source.is_stream())
    {
        let name = if stream.name == "-" { "standard input" } else { &stream.name };
        // Nobody types an archive.
        let is_typed = io::stdin().is_terminal();
        if stream.name == "-" && !is_typed && io::stdin().read(&mut [0]).is_ok_and(|count| count == 0) {
            return Err(nothing_found(sources.len()).into());
        }
        return Err(Error::usage(format!(
            "{name} cannot be read twice, so none of its records can be relied on"
        ))
        .with_remedy("save it to a file, and name that")
        .into());
    }
    Ok(sources)
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
            canon: Canon::from(self.same.canon).name().to_owned(),
            site_by: match &self.select.site_by {
                SiteBy::Host => "host".to_owned(),
                SiteBy::Domain => "domain".to_owned(),
                SiteBy::Prefix(prefix) => format!("prefix:{prefix}"),
            },
            pages: self.select.pages.into(),
            evidence: self.proof.evidence.into(),
            digests: self.reading.digests.word().to_owned(),
            site: self.select.site.clone(),
            urls,
            phrases: self.phrases.phrase.clone(),
            raw: self.phrases.raw,
            embeds: match self.embeds {
                EmbedsArg::All => Embeds::All,
                EmbedsArg::Exceptions => Embeds::Exceptions,
                EmbedsArg::None => Embeds::None,
            },
            estimates: self.estimates,
        })
    }
}
