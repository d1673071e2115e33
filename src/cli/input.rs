//! The options every command that reads archives has, and the reading itself.

use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::{Progress, write_problems};
use super::files::Files;
use super::output::stream;
use crate::archive::source::{Source, expand, lists};
use crate::ingest::{self, Options, ProblemLog, Reading, Wanted};

/// What to read, and how.
#[derive(Debug, Clone, Args)]
pub(super) struct InputArgs {
    /// WARC, ARC, WACZ, CDX or CDXJ files, or the JSON lines of `acuity index`, told by their content
    ///
    /// Directories are searched, globs expanded, `@LIST` names a file with one path a line (`@-`: standard input),
    /// and `-` is archive data on standard input.
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,

    #[command(flatten)]
    pub reading: ReadArgs,
}

/// How to read.
#[derive(Debug, Clone, Args)]
pub struct ReadArgs {
    /// Whether digests are recomputed, or taken as declared without reading the bodies
    #[arg(long, value_enum, default_value = "verify", help_heading = "Reading")]
    pub digests: DigestsArg,

    /// Number of threads [default: all cores]
    #[arg(short = 'j', long = "threads", value_name = "N", value_parser = parse_threads, help_heading = "Reading")]
    pub threads: Option<NonZeroUsize>,

    /// Memory for observations before they go to a temporary file, such as 200M or 2G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size, help_heading = "Reading")]
    pub memory: usize,

    /// Write every problem as a line of JSON: level, kind, file, offset, record_id, message, remedy
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub problems: Option<PathBuf>,

    /// No progress and no summary on standard error
    #[arg(short, long, help_heading = "Reading")]
    pub quiet: bool,
}

/// Whether digests are recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DigestsArg {
    /// Recompute and compare all digests
    Verify,
    /// Take the declared digests; bodies are not read
    Declared,
}

/// More threads than any machine has cores; each takes memory.
const MOST_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize = text.parse().map_err(|_| format!("{text:?} is no number of 1 or more"))?;
    if number.get() > MOST_THREADS {
        return Err(format!("at most {MOST_THREADS} threads; more than there are cores make nothing faster"));
    }
    Ok(number)
}

fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let factor: usize = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        unit => return Err(format!("unknown unit {unit:?}; use K, M or G")),
    };
    let number: usize = digits.parse().map_err(|_| format!("{text:?} is not a size"))?;
    number.checked_mul(factor).ok_or_else(|| format!("{text:?} is too large"))
}

/// The sources that arguments name.
pub(super) fn sources(arguments: &[OsString], files: &mut Files) -> crate::Result<Vec<Source>> {
    lists(arguments).try_for_each(|list| files.read(Some(list)))?;
    expand(arguments)
}

/// What was read, with the findings on the way.
pub struct Input {
    /// The observations.
    pub reading: Reading,
    /// The findings.
    pub log: ProblemLog,
}

impl InputArgs {
    /// Reads everything.
    pub(super) fn read(
        &self,
        wanted: Wanted,
        keep_content: bool,
        files: &mut Files,
    ) -> anyhow::Result<Input> {
        self.reading.read(&sources(&self.inputs, files)?, wanted, keep_content, files)
    }
}

impl ReadArgs {
    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from)
    }

    /// Reads these sources; `wanted` out of their bodies, links and sitemaps kept with the observations if asked for.
    /// `files` holds all other outputs: none may be a source.
    pub fn read(
        &self,
        sources: &[Source],
        wanted: Wanted,
        keep_content: bool,
        files: &mut Files,
    ) -> anyhow::Result<Input> {
        files.write("--problems", self.problems.as_deref())?;
        files.read_sources(sources)?;
        let writer = self.problems.as_deref().map(stream).transpose()?;
        let mut log = ProblemLog::new(writer);
        let threads = self.threads();
        let digests = match self.digests {
            DigestsArg::Verify => ingest::Digests::Verify,
            DigestsArg::Declared => ingest::Digests::Declared,
        };
        let total = sources
            .iter()
            .filter_map(|source| std::fs::metadata(source.path()).ok())
            .map(|file| file.len())
            .sum();
        let progress = Progress::new(total, self.quiet);
        let options = Options {
            digests,
            threads,
            memory: self.memory,
            wanted,
            keep_content,
            graph: !keep_content,
            ..Options::default()
        };
        let reading = ingest::read(sources, &options, &mut log, &|bytes| progress.advance(bytes));
        progress.finish();
        log.flush()?;
        let reading = reading?;
        files.have_read(&reading.inputs)?;
        Ok(Input { reading, log })
    }

    /// Writes the summary of problems to standard error.
    pub fn report_problems(&self, log: &ProblemLog) {
        if !self.quiet {
            let file = self.problems.as_ref().map(|path| path.display().to_string());
            // Standard error may be closed; the exit code still tells.
            let _ = write_problems(&mut io::stderr().lock(), log, file.as_deref());
        }
    }
}
