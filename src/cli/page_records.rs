//! `acuity pages`: page records, the first half of an audit; and the second half, an audit of page records.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::audit::{Prepared, prepare};
use super::audit_args::{AuditArgs, JudgedArgs};
use super::exit::Exit;
use super::files::Files;
use super::input::{DigestsArg, ReadArgs, sources};
use super::output;
use super::sitemaps;
use super::values::ChangeArg;
use crate::audit::bands::NOT_IN_RECORDS;
use crate::audit::commands::Typed;
use crate::audit::compute::{Entered, audit_sites};
use crate::audit::importance::weigh_records;
use crate::audit::page_record::PageRecord;
use crate::audit::record::with_bodies;
use crate::audit::reduce::{Manifest, Reduction};
use crate::audit::{Audit, AuditInput, Importance, Parameters};
use crate::change::history::History;
#[cfg(feature = "parquet")]
use crate::columnar::flat::{self, FlatWriter};
#[cfg(feature = "parquet")]
use crate::columnar::rows;
use crate::drive::{Judging, drive_records};
use crate::error::Error;
use crate::html::sitemap::Entry;
use crate::ingest::{ProblemLog, Wanted};

/// How a file of page records begins.
const START: &[u8] = b"{\"schema\":\"acuity.pages/";

/// Under which name a Parquet file notes what its records are made from.
#[cfg(feature = "parquet")]
const NOTE: &str = "manifest";

const EXAMPLES: &str = "\
Examples:
  acuity pages archives/ --out pages.jsonl && acuity audit pages.jsonl
  acuity pages captures-3-of-8.jsonl --part-of site --out pages/3.jsonl
  acuity audit pages/*.jsonl --json=report.json";

/// Arguments of `acuity pages`.
///
/// A page record holds everything that the figures of a site need from one URL: responses, captures, proven versions, what
/// the captures say about its change rate, and how much its changes matter. It is made from the captures of that URL alone,
/// so the captures of a site can be divided by page in any way. `acuity audit` of all records has the figures that an audit
/// of all captures has, but for links, sitemaps in archives, importance by links or words, and stories, which need more than
/// one page or its captures. Links, sitemaps and importance are known if that audit is given captures, too (--captures):
/// fewer than records are made from.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct PagesArgs {
    /// Archives, indexes, or the tables of `acuity index`, as for `acuity audit`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Where the records go, as lines of JSON, or as Parquet if it ends so; - is standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The inputs are a part of the collection NAME: the captures of some of its pages
    #[arg(long, value_name = "NAME")]
    part_of: Option<String>,

    /// Captures of other pages that are not among the records, such as the originals of revisits
    #[arg(long, value_name = "INPUT", num_args = 1.., requires = "part_of")]
    companions: Vec<OsString>,

    #[command(flatten)]
    judged: JudgedArgs,

    /// Whether changed pages are compared block by block, to measure how much each change matters
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "What matters")]
    change_importance: ChangeArg,

    #[command(flatten)]
    reading: ReadArgs,
}

impl PagesArgs {
    /// The audit whose first half this is.
    fn audit(&self) -> anyhow::Result<AuditArgs> {
        let mut audit = AuditArgs::plain(&self.inputs, &self.reading)?;
        audit.part_of.clone_from(&self.part_of);
        audit.companions.clone_from(&self.companions);
        self.judged.hand_to(&mut audit);
        audit.change_importance = self.change_importance;
        Ok(audit)
    }
}

pub(super) fn execute(args: &PagesArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--out", Some(&args.out))?;
    let wanted = Wanted { text: true, links: false, sitemaps: false, walls: true };
    let Prepared { reading, mut tabled, mut log, parameters, beside } =
        prepare(&args.audit()?, &mut files, None, wanted)?;
    output::write(Some(&args.out), |out| {
        let writer = RefCell::new(Records::new(out, &args.out)?);
        let begin = &mut |manifest: &Manifest| writer.borrow_mut().begin(manifest);
        let give = &mut |record: &PageRecord| writer.borrow_mut().give(record);
        drive_records(reading, &mut tabled, &mut log, &parameters, beside, begin, give)?;
        Ok(writer.into_inner().finish()?)
    })?;
    args.reading.report_problems(&log);
    Ok(args.reading.exit(&log, Exit::Done))
}

/// Writes page records: lines of JSON, the first of which says what they are made from; or a Parquet file that notes it.
struct Records<'w> {
    out: &'w mut dyn Write,
    line: Vec<u8>,
    #[cfg(feature = "parquet")]
    is_parquet: bool,
    #[cfg(feature = "parquet")]
    table: Option<FlatWriter>,
}

impl<'w> Records<'w> {
    fn new(out: &'w mut dyn Write, path: &Path) -> crate::Result<Self> {
        let is_parquet = path.extension().is_some_and(|extension| extension == "parquet");
        if is_parquet && cfg!(not(feature = "parquet")) {
            return Err(Error::usage("this acuity was built without Parquet")
                .with_remedy("build it with --features parquet, or name a file that ends in .jsonl"));
        }
        Ok(Records {
            out,
            line: Vec::new(),
            #[cfg(feature = "parquet")]
            is_parquet,
            #[cfg(feature = "parquet")]
            table: None,
        })
    }

    fn begin(&mut self, manifest: &Manifest) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if self.is_parquet {
            let note = (NOTE, serde_json::to_string(manifest)?);
            let table = FlatWriter::new::<PageRecord>(PageRecord::SCHEMA, 0, note);
            self.table = Some(table.map_err(io::Error::other)?);
            return Ok(());
        }
        serde_json::to_writer(&mut *self.out, manifest)?;
        self.out.write_all(b"\n")
    }

    fn give(&mut self, record: &PageRecord) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let Some(table) = &mut self.table {
            return table.push(record).map_err(io::Error::other);
        }
        self.line.clear();
        record.json_line(&mut self.line);
        self.out.write_all(&self.line)
    }

    fn finish(self) -> io::Result<()> {
        #[cfg(feature = "parquet")]
        if let Some(table) = self.table {
            self.out.write_all(&table.finish().map_err(io::Error::other)?)?;
        }
        self.out.flush()
    }
}

/// Whether the inputs are page records. All of them have to be, or none.
pub(super) fn are_given(inputs: &[OsString]) -> crate::Result<bool> {
    let count = inputs.iter().filter(|input| is_given(Path::new(input))).count();
    if count > 0 && count < inputs.len() {
        return Err(Error::usage("page records and captures cannot be mixed")
            .with_remedy("audit page records alone; `acuity pages` makes them of captures"));
    }
    Ok(count > 0)
}

fn is_given(path: &Path) -> bool {
    let mut start = [0; START.len()];
    // What is not a plain file may give its bytes only once.
    let Some(mut file) = path.is_file().then(|| File::open(path).ok()).flatten() else { return false };
    if file.read_exact(&mut start).is_err() {
        return false;
    }
    #[cfg(feature = "parquet")]
    if start.starts_with(b"PAR1") {
        let blob = crate::ingest::fetch::open(&path.to_string_lossy()).ok();
        return blob.is_some_and(|blob| rows::note(&blob, "schema").is_some_and(|name| is_schema(&name)));
    }
    start == START
}

/// Whether a file says that it holds page records, of whatever version.
#[cfg(feature = "parquet")]
fn is_schema(name: &str) -> bool {
    name.starts_with("acuity.pages/")
}

/// Audits page records; shows nothing.
pub(super) fn reduce(
    args: &AuditArgs,
    files: &mut Files,
    max_pages: Option<u64>,
    entered: &mut Entered<'_, io::Error>,
) -> anyhow::Result<(Audit, ProblemLog)> {
    let has_captures = !args.captures.is_empty();
    let asked = [
        (!args.explain.is_empty(), "--explain"),
        (args.stories.is_some(), "--stories"),
        (args.missing.is_some() && !has_captures, "--missing"),
        (!args.visit.is_empty(), "--visit"),
        (args.crawls.is_some(), "--crawls"),
    ];
    if let Some((_, option)) = asked.iter().find(|(is_asked, _)| *is_asked) {
        return Err(Error::usage(format!("page records do not have what {option} needs"))
            .with_remedy("audit the captures instead")
            .into());
    }
    let mut reduction = Reduction::new(args.reading.memory);
    for input in &args.inputs {
        let path = Path::new(input);
        files.read(Some(path))?;
        read(path, &mut reduction).map_err(|error| error.at_file(path))?;
    }
    let mut parameters = reduction.parameters()?;
    parameters.utc_offset_minutes = args.timezone.unwrap_or(parameters.utc_offset_minutes);
    parameters.embeds_of_site = args.embeds_of_site();
    parameters.rate_priors = args.rate_priors(files)?;
    let Beside { judging, importance, sitemaps, history, log } = Beside::read(args, &parameters, files)?;
    let unweighed: RefCell<Option<String>> = RefCell::new(None);
    let miss = &mut |key: &str| {
        unweighed.borrow_mut().get_or_insert_with(|| key.to_owned());
    };
    let miss = RefCell::new(miss);
    let weigh = |records: &_| match &judging {
        Some(judging) => judging.weigh(records, &mut **miss.borrow_mut()).map(Some),
        None => weigh_records(&importance, records, parameters.canon, &sitemaps),
    };
    let (manifest, sites) = reduction.finish(judging.as_ref().map(Judging::part), &weigh)?;
    let by = match (&judging, &importance) {
        (Some(judging), _) => judging.by.clone(),
        (None, Importance::Table(name, _)) => name.clone(),
        (None, Importance::By(Some(_))) if !importance.is_uniform() => "sitemap".to_owned(),
        _ => "uniform".to_owned(),
    };
    let is_unread = with_bodies(&manifest.inputs) && !manifest.bodies_read;
    let input = AuditInput {
        weights: Some((&by, &[])),
        max_pages,
        links: judging.as_ref().and_then(|judging| judging.links.as_ref()),
        links_unknown: (judging.is_none() && !is_unread).then_some(NOT_IN_RECORDS),
        fates: judging.as_ref().map(|judging| &judging.fates),
        sitemaps: &sitemaps,
        history: history.as_ref(),
        has_options: manifest.parameters.other_options || args.has_options(),
        is_part: manifest.part_of.is_some(),
        typed: Typed {
            inputs: manifest.part_of.clone().map_or(manifest.typed, |name| vec![name]),
            ..Typed::default()
        },
        inputs: manifest.inputs,
        problems: manifest.problems,
        problem_counts: manifest.problem_counts,
        ..AuditInput::default()
    };
    let audit = audit_sites(&sites, &parameters, input, entered)?;
    match unweighed.into_inner() {
        Some(key) => {
            Err(Error::usage(format!("--captures has no capture of {key}, which has a page record"))
                .with_remedy("name the captures that the page records were made from")
                .into())
        }
        None => Ok((audit, log)),
    }
}

/// What an audit of page records is made with, besides them.
struct Beside {
    judging: Option<Judging>,
    importance: Importance,
    sitemaps: Vec<Entry>,
    history: Option<History>,
    log: ProblemLog,
}

impl Beside {
    fn read(args: &AuditArgs, parameters: &Parameters, files: &mut Files) -> anyhow::Result<Self> {
        let (canon, mut log) = (parameters.canon, ProblemLog::new(None));
        let mut reading = None;
        if !args.captures.is_empty() {
            let wanted = Wanted { text: true, links: true, sitemaps: true, walls: true };
            let captures = sources(&args.captures, args.reading.expansion(), files)?;
            let input = args.read_until_limit().read(&captures, wanted, false, files)?;
            (reading, log) = (Some(input.reading), input.log);
        }
        let captured = reading.as_mut().map(|reading| std::mem::take(&mut reading.sitemaps));
        let found = captured.unwrap_or_default();
        let sitemaps = sitemaps::gather(&args.sitemap, found, &mut |problem| log.push(problem))?;
        let history = match &args.history {
            Some(path) => Some(History::read(sitemaps::open(path)?).map_err(|error| error.at_file(path))?),
            None => None,
        };
        let importance = args.importance(canon, &mut |problem| log.push(problem))?;
        let is_known = !matches!(importance, Importance::Keywords(_)) && importance.is_of_pages();
        let judging = match reading {
            None if !is_known => {
                return Err(Error::usage("page records hold neither links nor words")
                    .with_remedy(
                        "give --importance uniform, sitemap, or a CSV file url,weight; or --captures",
                    )
                    .into());
            }
            None => None,
            Some(reading) => {
                let fates = args.fates(canon, &mut |problem| log.push(problem))?;
                let verified = args.reading.digests == DigestsArg::Verify;
                Some(Judging::new(reading, parameters, &importance, &sitemaps, fates, verified)?)
            }
        };
        Ok(Beside { judging, importance, sitemaps, history, log })
    }
}

#[cfg(feature = "parquet")]
fn starts_with(path: &Path, magic: &[u8; 4]) -> io::Result<bool> {
    let mut start = [0; 4];
    Ok(File::open(path)?.read_exact(&mut start).is_ok() && start == *magic)
}

#[cfg(feature = "parquet")]
fn read_table(path: &Path, reduction: &mut Reduction) -> crate::Result<()> {
    let blob = crate::ingest::fetch::open(&path.to_string_lossy())?;
    let missing = || Error::data("the file does not say which inputs its page records were made from");
    let note = rows::note(&blob, NOTE).ok_or_else(missing)?;
    reduction.manifest(serde_json::from_str(&note).map_err(|error| Error::data(error.to_string()))?)?;
    let (mut number, mut done) = (0u64, Ok(()));
    flat::for_each::<PageRecord>(&blob, "page records", &["key", "site", "captures"], &mut |record| {
        number += 1;
        let added = || {
            let record = record.map_err(|error| Error::data(format!("row {number}: {error}")))?;
            Ok(reduction.add(&record)?)
        };
        if done.is_ok() {
            done = added();
        }
    })?;
    done
}

fn read(path: &Path, reduction: &mut Reduction) -> crate::Result<()> {
    #[cfg(feature = "parquet")]
    if starts_with(path, b"PAR1")? {
        return read_table(path, reduction);
    }
    let mut lines = BufReader::new(sitemaps::open(path)?);
    let mut line = Vec::new();
    let mut number = 0u64;
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        number += 1;
        let wrong = |error: serde_json::Error| Error::data(format!("line {number}: {error}"));
        if number == 1 {
            reduction.manifest(serde_json::from_slice(&line).map_err(wrong)?)?;
        } else {
            reduction.add(&serde_json::from_slice(&line).map_err(wrong)?)?;
        }
    }
}
