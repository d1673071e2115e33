//! The options every command that reads archives has, and the reading itself.

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::{Progress, ProgressArg, write_problems, write_unread};
use super::exit::Exit;
use super::files::Files;
use super::metrics;
use super::output::{self, stream};
use crate::archive::source::{Expansion, Source, expand_so, lists};
use crate::error::Error;
use crate::ingest::{self, Options, ProblemLog, Reading, Wanted};
use crate::problem::{Level, Problem};
use crate::report::csv::ProblemTable;
use crate::time::Instant;

/// What to read, and how.
#[derive(Debug, Clone, Args)]
pub(super) struct InputArgs {
    /// WARC, ARC, WACZ, CDX or CDXJ files, or the JSON lines of `acuity index`, recognised by their content
    ///
    /// Directories are searched, globs expanded, `@LIST` names a file with one path per line (`@-`: standard input),
    /// and `-` is archive data on standard input.
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<OsString>,

    #[command(flatten)]
    pub reading: ReadArgs,
}

/// Options for reading inputs, shared by all commands that read.
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

    /// Maximum bytes read from standard input, a pipe or a device, such as 500G
    #[arg(long, value_name = "SIZE", default_value = "1024G", value_parser = parse_size, help_heading = "Reading")]
    pub max_input: usize,

    /// Stop if an input does not exist or cannot be opened, instead of reading the others
    #[arg(long, help_heading = "Reading")]
    pub strict: bool,

    /// Exit with code 1 if there are problems of this level or above, such as problems=warning
    ///
    /// If something could not be read, the exit code is still 3.
    #[arg(long, value_name = "problems=LEVEL", value_parser = parse_fail_on, help_heading = "Reading")]
    pub fail_on: Option<Level>,

    /// Write every problem: level, kind, file, offset, record_id, message, remedy; as lines of JSON, or as a table if FILE ends
    /// in .csv
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub problems: Option<PathBuf>,

    /// How progress is shown: on a terminal as a line that moves, elsewhere as one line per minute, or as JSON lines
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", help_heading = "Reading")]
    pub progress: ProgressArg,

    /// Write a summary for monitoring, in Prometheus' text format: files, bytes, records, problems, seconds
    #[arg(long, value_name = "FILE", help_heading = "Reading")]
    pub metrics: Option<PathBuf>,

    /// No progress and no summary on standard error
    #[arg(short, long, help_heading = "Reading")]
    pub quiet: bool,

    /// Index lines stay beside the captures that they describe: the two are compared.
    #[arg(skip)]
    pub keep_lines: bool,

    /// Sources are read in the order given, whatever their names.
    #[arg(skip)]
    pub in_order: bool,

    /// Links of later captures are left out.
    #[arg(skip)]
    pub links_until: Option<Instant>,
}

/// Whether digests are recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DigestsArg {
    /// Recompute and compare all digests
    Verify,
    /// Take the declared digests; bodies are not read
    Declared,
}

impl DigestsArg {
    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            DigestsArg::Verify => "verify",
            DigestsArg::Declared => "declared",
        }
    }
}

/// Maximum number of threads; each takes memory.
const MAX_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize =
        text.parse().map_err(|_| format!("{text:?} is not a whole number of 1 or more"))?;
    if number.get() > MAX_THREADS {
        return Err(format!("at most {MAX_THREADS} threads; more threads than cores do not help"));
    }
    Ok(number)
}

fn parse_fail_on(text: &str) -> Result<Level, String> {
    let word = text.strip_prefix("problems=");
    let level = Level::ALL.iter().copied().find(|level| Some(level.word()) == word);
    level.ok_or_else(|| "write problems=note, problems=warning or problems=error".to_owned())
}

pub(super) fn parse_size(text: &str) -> Result<usize, String> {
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

/// Refuses a web address, unless a file of that name exists.
fn is_file_name(argument: &OsString) -> crate::Result<()> {
    let text = argument.to_string_lossy();
    let is_address = ["http://", "https://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    if !is_address || std::path::Path::new(argument).exists() {
        return Ok(());
    }
    let message = format!("{text} is a web address. Acuity reads archive files, not the web");
    Err(Error::usage(message).with_remedy("give WARC, WACZ, ARC, CDX or CDXJ files, or folders of them"))
}

/// The sources that arguments name.
pub(super) fn sources(
    arguments: &[OsString],
    how: Expansion,
    files: &mut Files,
) -> crate::Result<Vec<Source>> {
    arguments.iter().try_for_each(is_file_name)?;
    lists(arguments).try_for_each(|list| files.read(Some(list)))?;
    expand_so(arguments, how)
}

/// No input holds an archive: a batch job must not take that for success.
pub(super) fn nothing_found(sources: usize) -> Error {
    let looked_at = match sources {
        0 => "no file was found".to_owned(),
        1 => "1 file was looked at, and it is not a WARC, WACZ, ARC or CDX file with content".to_owned(),
        count => {
            format!("{count} files were looked at, and none is a WARC, WACZ, ARC or CDX file with content")
        }
    };
    Error::data(format!("no archives: {looked_at}")).with_remedy("name archives, or a folder that holds some")
}

/// No input could be read: what kept them from being read is the cause, if anything did.
pub(super) fn nothing_read(sources: usize, log: &ProblemLog) -> Error {
    let unread = log.kept().iter().filter(|problem| problem.kind == UNREADABLE);
    let causes: Vec<String> =
        unread.map(|problem| format!("{}: {}", problem.file, problem.message)).collect();
    match causes.is_empty() {
        true => nothing_found(sources),
        false => Error::data(format!("nothing was read: {}", causes.join("; "))),
    }
}

/// The kind of problem of an input that cannot be read.
pub(super) const UNREADABLE: &str = "unreadable-input";

/// A run over some sources: its progress, and what it reports to monitoring at its end.
pub(super) struct Run {
    progress: Progress,
    metrics: Option<PathBuf>,
}

impl Run {
    /// More bytes are done.
    pub(super) fn advance(&self, bytes: u64) {
        self.progress.advance(bytes);
    }

    /// Ends the run, and writes the metrics if asked for.
    pub(super) fn finish(&self, files: u64, records: u64, log: &ProblemLog) -> anyhow::Result<()> {
        self.progress.finish();
        let Some(path) = &self.metrics else { return Ok(()) };
        output::write(Some(path), |out| {
            let seconds = self.progress.seconds();
            Ok(metrics::write(out, files, self.progress.done(), records, log, seconds)?)
        })
    }
}

/// What was read, with the findings on the way.
pub struct Input {
    pub reading: Reading,
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
        let sources = sources(&self.inputs, self.reading.expansion(), files)?;
        self.reading.read(&sources, wanted, keep_content, files)
    }
}

impl ReadArgs {
    pub fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, usize::from)
    }

    /// How arguments are expanded.
    pub(super) fn expansion(&self) -> Expansion {
        Expansion { max_list: self.max_input as u64, ..Expansion::default() }
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
        files.write("--metrics", self.metrics.as_deref())?;
        files.read_sources(sources)?;
        self.check_faults(sources)?;
        let mut log = self.log()?;
        let run = self.start(sources.iter());
        let reading = self.ingest(sources, wanted, keep_content, &mut log, &run);
        log.flush()?;
        let reading = reading?;
        run.finish(reading.inputs.len() as u64, reading.observations.len(), &log)?;
        files.have_read(&reading.inputs)?;
        if reading.inputs.is_empty() {
            self.report_problems(&log);
            return Err(nothing_read(sources.len(), &log).into());
        }
        Ok(Input { reading, log })
    }

    /// A log of problems that writes them where the user wants: as a CSV table if the name says so.
    pub(super) fn log(&self) -> anyhow::Result<ProblemLog> {
        let Some(path) = self.problems.as_deref() else { return Ok(ProblemLog::new(None)) };
        let writer = stream(path)?;
        let is_table = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        Ok(if is_table {
            ProblemLog::writing(Box::new(ProblemTable::new(writer)?))
        } else {
            ProblemLog::new(Some(writer))
        })
    }

    /// Starts the clock and the progress of a run over these sources.
    pub(super) fn start<'a>(&self, sources: impl Iterator<Item = &'a Source>) -> Run {
        let lengths = sources.filter_map(|source| std::fs::metadata(source.path()).ok());
        let total = lengths.map(|file| file.len()).sum();
        Run { progress: Progress::new(total, self.progress, self.quiet), metrics: self.metrics.clone() }
    }

    /// Reads some of the sources of a run.
    pub(super) fn ingest(
        &self,
        sources: &[Source],
        wanted: Wanted,
        keep_content: bool,
        log: &mut ProblemLog,
        run: &Run,
    ) -> crate::Result<Reading> {
        let threads = self.threads();
        let digests = match self.digests {
            DigestsArg::Verify => ingest::Digests::Verify,
            DigestsArg::Declared => ingest::Digests::Declared,
        };
        let options = Options {
            digests,
            threads,
            memory: self.memory,
            max_input: self.max_input as u64,
            wanted,
            keep_content,
            graph: !keep_content,
            keep_lines: self.keep_lines,
            in_order: self.in_order,
            links_until: self.links_until,
            ..Options::default()
        };
        let reading = ingest::read(sources, &options, log, &|bytes| run.advance(bytes));
        run.progress.wipe();
        reading
    }

    /// Missing inputs stop the run if there are no others, or with `--strict`. The metrics say so.
    pub(super) fn check_faults(&self, sources: &[Source]) -> anyhow::Result<()> {
        let fault = |source: &Source| {
            let fault = source.fault.clone().or_else(|| if self.strict { source.closed() } else { None })?;
            Some(format!("{}: {fault}", source.name))
        };
        let faults: Vec<String> = sources.iter().filter_map(fault).collect();
        if faults.is_empty() || (!self.strict && faults.len() < sources.len()) {
            return Ok(());
        }
        let mut log = ProblemLog::new(None);
        for fault in &faults {
            log.push(Problem::new(Level::Error, UNREADABLE, fault.clone()))?;
        }
        self.start([].iter()).finish(0, 0, &log)?;
        Err(Error::usage(faults.join("; ")).with_remedy("name files or folders that exist").into())
    }

    /// The exit code of a run that finished, given the problems it found.
    pub fn exit(&self, log: &ProblemLog, exit: Exit) -> Exit {
        match () {
            () if log.has_errors() => Exit::Unreadable,
            () if self.fail_on.is_some_and(|level| log.has(level)) => {
                if !self.quiet {
                    let _ = writeln!(io::stderr(), "acuity: not met: there are problems (--fail-on)");
                }
                Exit::BarNotMet
            }
            () => exit,
        }
    }

    /// Names the inputs that cannot be read on standard error, where a report names only the first.
    pub(super) fn report_unread(&self, log: &ProblemLog) {
        if !self.quiet {
            let _ = write_unread(&mut io::stderr().lock(), log);
        }
    }

    /// Writes the summary of problems to standard error.
    pub fn report_problems(&self, log: &ProblemLog) {
        if !self.quiet {
            let file = self.problems.as_ref().map(|path| path.display().to_string());
            // Standard error may be closed; the exit code still says it.
            let _ = write_problems(&mut io::stderr().lock(), log, file.as_deref());
        }
    }
}
