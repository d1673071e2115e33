//! The options that several commands share: which pages, what is proof, and where JSON goes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::output;
use crate::capture::page::PageFilter;
use crate::change::evidence::Grade;
use crate::error::Error;
use crate::report::at_json::AnswerFile;
use crate::url::{Canon, SiteBy};

/// Which pages of which sites.
#[derive(Debug, Clone, Args)]
pub(super) struct PageArgs {
    /// Which URLs are pages
    #[arg(long, value_enum, value_name = "WHICH", default_value = "html", help_heading = "Which pages")]
    pub pages: PagesArg,

    /// What makes a site: host, domain, or prefix:URL
    #[arg(long, value_name = "HOW", default_value = "host", value_parser = parse_site_by, help_heading = "Which pages")]
    pub site_by: SiteBy,

    /// Only this site, by its name in the report
    #[arg(long, value_name = "SITE", help_heading = "Which pages")]
    pub site: Option<String>,
}

/// When two URLs are one page.
#[derive(Debug, Clone, Args)]
pub(super) struct SameArgs {
    /// Which URLs are the same page
    #[arg(long, value_enum, value_name = "RULES", default_value = "default", help_heading = "Which pages")]
    pub canon: CanonArg,
}

/// When two URLs are one page, for evidence: only as written, unless asked for otherwise.
#[derive(Debug, Clone, Args)]
pub(super) struct StrictArgs {
    /// Which URLs are the same page
    #[arg(long, value_enum, value_name = "RULES", default_value = "strict", help_heading = "Which pages")]
    pub canon: CanonArg,
}

/// What proves that two captures are equal.
#[derive(Debug, Clone, Args)]
pub(super) struct ProofArgs {
    /// The weakest evidence that proves
    #[arg(
        long,
        value_enum,
        value_name = "GRADE",
        default_value = "not-modified",
        help_heading = "What is proof"
    )]
    pub evidence: EvidenceArg,
}

/// Which phrases to look for, and in what.
#[derive(Debug, Clone, Args)]
pub(super) struct PhraseArgs {
    /// Look for this phrase in the text that readers see; may be given several times
    ///
    /// Upper and lower case, white space, markup within a line, character references and encodings do not matter. A page is
    /// said to hold a phrase, or not to, only where that is proven.
    #[arg(long, value_name = "TEXT", value_parser = parse_phrase, help_heading = "Phrases")]
    pub phrase: Vec<String>,

    /// Look for phrases in the bytes of the pages instead: every byte counts
    #[arg(long, requires = "phrase", help_heading = "Phrases")]
    pub raw: bool,
}

/// Where JSON goes.
#[derive(Debug, Clone, Args)]
pub(super) struct JsonArgs {
    /// Write JSON: to FILE, or without FILE to standard output instead of the text
    ///
    /// It holds everything that is known (docs/report-schema.json and docs/at-schema.json describe it); `acuity report FILE`
    /// shows it again later.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "-",
        help_heading = "Output"
    )]
    pub json: Option<PathBuf>,
}

impl JsonArgs {
    /// Writes the file of an answer, if asked for.
    pub(super) fn write_file(&self, file: &AnswerFile) -> anyhow::Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        output::write(Some(path), |out| Ok(file.write(out)?))
    }

    /// Writes a report, if asked for.
    pub(super) fn write(&self, report: &impl Serialize) -> anyhow::Result<()> {
        let Some(path) = &self.json else { return Ok(()) };
        output::write(Some(path), |out| {
            crate::report::pretty::write(&mut *out, report)?;
            Ok(out.write_all(b"\n")?)
        })
    }
}

/// Which URLs are pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PagesArg {
    /// HTML with status 200 at least once
    Html,
    /// Every URL: images, scripts and redirects too
    All,
}

/// Which URLs are the same page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CanonArg {
    /// Nearly every byte matters; only the case of scheme and host, the default port and the fragment do not
    Strict,
    /// As the indexes of web archives (SURT)
    Default,
    /// Index files, trailing slashes and session ids do not matter either
    Loose,
}

/// The weakest evidence that proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EvidenceArg {
    /// Bodies recomputed and compared
    Bytes,
    /// Declared digests compared
    Digest,
    /// The server answered 304
    NotModified,
    /// ETag or Last-Modified: they never prove, so this is the same as not-modified
    Validator,
}

impl From<PagesArg> for PageFilter {
    fn from(pages: PagesArg) -> Self {
        match pages {
            PagesArg::Html => PageFilter::Html,
            PagesArg::All => PageFilter::All,
        }
    }
}

impl From<CanonArg> for Canon {
    fn from(canon: CanonArg) -> Self {
        match canon {
            CanonArg::Strict => Canon::Strict,
            CanonArg::Default => Canon::Default,
            CanonArg::Loose => Canon::Loose,
        }
    }
}

impl From<EvidenceArg> for Grade {
    fn from(evidence: EvidenceArg) -> Self {
        match evidence {
            EvidenceArg::Bytes => Grade::Bytes,
            EvidenceArg::Digest => Grade::Digest,
            EvidenceArg::NotModified => Grade::NotModified,
            EvidenceArg::Validator => Grade::Validator,
        }
    }
}

/// An error of the library as clap shows it.
pub(super) fn in_words(error: &Error) -> String {
    match error.remedy() {
        Some(remedy) => format!("{error}; {remedy}"),
        None => error.to_string(),
    }
}

fn parse_site_by(text: &str) -> Result<SiteBy, String> {
    text.parse().map_err(|error: Error| in_words(&error))
}

fn parse_phrase(text: &str) -> Result<String, String> {
    crate::html::phrase::fault(text).map_or(Ok(text.to_owned()), |fault| Err(fault.to_owned()))
}
