//! From inputs to units of work, in the order of the inputs.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::assemble::Digests;
use super::collected_table::CollectedTable;
use super::revisit::report::KINDS;
use super::unit::{Unit, Work};
use crate::archive::blob::Blob;
use crate::archive::cdx::IndexFormat;
use crate::archive::collection::LeftOut;
use crate::archive::sniff::{Compression, Content, sniff};
use crate::archive::source::{Source, name_of};
use crate::archive::wacz::{ListedPage, Wacz, multi_wacz};
use crate::capture::record::words;
use crate::capture::{Contradiction, Witness};
use crate::problem::{Level, Problem};

/// What is to be done next.
#[derive(Debug)]
pub(crate) enum Step {
    /// A new file starts.
    File(InputFile),
    /// The file that has just started differs from the one that was packed.
    Contradicted(Contradiction),
    /// Something to be read.
    Unit(Unit),
    /// Something is wrong with an input.
    Problem(Problem),
    /// What was found when a table was made: other tables of its archive report the same.
    Told(Vec<Problem>),
    /// The pages that a package lists.
    Pages(Vec<ListedPage>),
    /// A package that holds originals of this input's revisits.
    Requires {
        /// The input.
        file: String,
        /// The file name of the package it needs.
        required: String,
    },
}

/// How inputs are planned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Maximum bytes taken from a pipe or device.
    pub max_input: u64,
    /// Gzip files longer than twice this are cut into parts of this length; `None`: never.
    pub chunk: Option<u64>,
    /// Whether the hashes of packages are checked.
    pub digests: Digests,
}

words! {
    /// What an input is, whatever its compression.
    #[derive(Default)]
    pub enum InputFormat {
        /// WARC records.
        #[default]
        Warc = "warc",
        /// ARC records.
        Arc = "arc",
        /// Records inside a WACZ package.
        Wacz = "wacz",
        /// A CDX index.
        Cdx = "cdx",
        /// A CDXJ index.
        Cdxj = "cdxj",
        /// Observations as JSON lines.
        Jsonl = "jsonl",
        /// Observations as Parquet.
        Parquet = "parquet",
    }
}

impl InputFormat {
    /// Whether it can hold bodies; an index cannot.
    pub(crate) fn has_bodies(self) -> bool {
        matches!(self, InputFormat::Warc | InputFormat::Arc | InputFormat::Wacz)
    }
}

/// A file that is read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputFile {
    /// The input it comes from, as the user named it or a folder holds it.
    pub source: String,
    /// Its name; inside a package, the package's name, `#` and the name there.
    pub file: String,
    pub format: InputFormat,
    /// Its length in bytes.
    pub bytes: u64,
    /// Of a table that says so: whether digests were recomputed from the stored bytes when it was made.
    #[serde(default)]
    pub digests_verified: Option<bool>,
    /// Whether it only stands beside the others ([`Source::beside`]).
    #[serde(default)]
    pub beside: bool,
    /// Whether a record was read for any capture of it, now or when its table was made; lines of an index are not read for.
    #[serde(skip)]
    pub has_records: bool,
}

impl InputFile {
    /// A file of which only itself is known yet.
    fn new(name: &str, blob: &Blob, format: InputFormat) -> Self {
        InputFile {
            source: String::new(),
            file: name.to_owned(),
            format,
            bytes: blob.len(),
            digests_verified: None,
            beside: false,
            has_records: false,
        }
    }
}

/// The files that are inputs already, by their true paths: a list of packages adds only others.
pub(crate) type Taken = BTreeSet<PathBuf>;

/// What the user named.
pub(crate) fn taken(sources: &[Source]) -> Taken {
    sources.iter().filter_map(|source| source.path().canonicalize().ok()).collect()
}

/// Plans one input.
pub(crate) fn plan(source: &Source, how: Plan, taken: &mut Taken) -> Vec<Step> {
    let mut steps = Vec::new();
    if source.is_skipped() {
        let message = "a pipe or device in a folder was skipped";
        let problem = Problem::new(Level::Warning, "not-a-file", message).in_file(&source.name);
        return vec![Step::Problem(problem.with_remedy("name it as an input itself to read what it gives"))];
    }
    if let Some(trace) = LeftOut::at(&source.path()) {
        return trace.problems.into_iter().map(Step::Problem).collect();
    }
    match source.open(how.max_input) {
        Ok(blob) => plan_blob(source, &blob, how, taken, &mut steps),
        Err(error) => {
            let message = format!("the input cannot be read: {error}");
            steps.push(Step::Problem(
                Problem::new(Level::Error, "unreadable-input", message).in_file(&source.name),
            ));
        }
    }
    for step in &mut steps {
        if let Step::File(file) = step {
            file.source.clone_from(&source.name);
            file.beside = source.beside;
        }
    }
    steps
}

fn plan_blob(source: &Source, blob: &Blob, how: Plan, taken: &mut Taken, steps: &mut Vec<Step>) {
    let problem = |level, kind, message: String| {
        Step::Problem(Problem::new(level, kind, message).in_file(&source.name))
    };
    let table = CollectedTable::of(source);
    if let Some(difference) = table.as_ref().and_then(|table| table.difference(blob)) {
        return steps.push(Step::Problem(difference.in_file(&source.name)));
    }
    let told = TableFacts::of(table.as_ref(), blob);
    steps.push(Step::Told(told.problems));
    let verified = told.digests_verified;
    let (compression, content) = match sniff(blob) {
        Ok(told) => told,
        Err(error) => {
            steps.push(problem(
                Level::Error,
                "unreadable-input",
                format!("the input cannot be read: {error}"),
            ));
            return;
        }
    };
    match content {
        Content::Records => {
            let format = record_format(blob, compression);
            plan_records(&source.name, blob, compression, format, how, steps);
        }
        Content::Index(IndexFormat::Summary) => steps.push(problem(
            Level::Warning,
            "secondary-index",
            "a secondary index lists the blocks of another index and holds no captures; it was skipped"
                .to_owned(),
        )),
        Content::Index(format) => {
            let format = if format == IndexFormat::Cdx { InputFormat::Cdx } else { InputFormat::Cdxj };
            plan_whole(&source.name, blob, format, Work::Index(compression), steps);
        }
        Content::Observations => {
            let how = (InputFormat::Jsonl, Work::Observations(compression));
            plan_table(&source.name, verified, blob, how, steps);
        }
        #[cfg(feature = "parquet")]
        Content::Parquet => {
            plan_table(&source.name, verified, blob, (InputFormat::Parquet, Work::Parquet), steps)
        }
        #[cfg(not(feature = "parquet"))]
        Content::Parquet => {
            let message = "the input is Parquet, which this build of acuity does not read";
            let problem = Problem::new(Level::Error, "unknown-input", message).in_file(&source.name);
            steps.push(Step::Problem(problem.with_remedy("build acuity with --features parquet")));
        }
        Content::Zip => {
            if let Err(error) = plan_package(&source.name, blob, how, MAX_NESTED_PACKAGES, steps) {
                steps.push(problem(
                    Level::Error,
                    "unreadable-input",
                    format!("the package cannot be read: {error}"),
                ));
            }
        }
        Content::MultiWacz => plan_list(source, blob, how, taken, steps),
        Content::Empty => steps.push(problem(Level::Warning, "empty-input", "the input is empty".to_owned())),
        // A directory of archives may hold a README; what the user names has to be an archive.
        Content::Text if !source.named => {
            steps.push(problem(
                Level::Note,
                NOT_AN_ARCHIVE,
                "a text file that is not an archive was skipped".to_owned(),
            ));
        }
        Content::Text => {
            steps.push(problem(
                Level::Error,
                "unknown-input",
                "the input is text, but no archive or index".to_owned(),
            ));
        }
        Content::Unknown(Some(coding)) => {
            steps.push(Step::Problem(compressed_otherwise(coding).in_file(&source.name)));
        }
        Content::Unknown(None) => {
            let message = "the input holds no known archive format".to_owned();
            steps.push(problem(Level::Error, "unknown-input", message));
        }
    }
}

/// A known compression that WARC does not provide for. No file name is part of the command: it may be hostile.
fn compressed_otherwise(coding: &str) -> Problem {
    let message = format!("the input holds {coding} data, which is not read");
    let remedy = format!("decompress it to a file, or pipe it: {coding} -dc FILE | acuity index -");
    Problem::new(Level::Error, "unknown-input", message).with_remedy(remedy)
}

/// A zip file of packages is read, but not a package in a package in a zip file.
pub(crate) const MAX_NESTED_PACKAGES: usize = 1;

/// What a table tells of how it was made: the manifest of its collection does, or a note in the table itself.
struct TableFacts {
    digests_verified: Option<bool>,
    problems: Vec<Problem>,
}

impl TableFacts {
    fn of(
        table: Option<&CollectedTable>,
        #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "lines have no notes"))]
        blob: &Blob,
    ) -> Self {
        let told = table.map(|table| TableFacts {
            digests_verified: Some(table.is_verified()),
            problems: table.problems(),
        });
        #[cfg(feature = "parquet")]
        let told = told.or_else(|| {
            let made = crate::columnar::provenance::Provenance::of(blob)?;
            Some(TableFacts { digests_verified: Some(made.is_verified()), problems: made.problems })
        });
        let mut told = told.unwrap_or(TableFacts { digests_verified: None, problems: Vec::new() });
        told.problems.retain(|problem| !KINDS.contains(&problem.kind.as_str()));
        told
    }
}

/// What an input is and how its digests were taken when it was made, without reading it. `None`: it is not an input.
pub(crate) fn glance(source: &Source) -> Option<(InputFormat, Option<bool>)> {
    let blob = source.open(0).ok()?;
    let (compression, content) = sniff(&blob).ok()?;
    let format = match content {
        Content::Records => record_format(&blob, compression),
        Content::Index(IndexFormat::Cdx) => InputFormat::Cdx,
        Content::Index(IndexFormat::Summary) => return None,
        Content::Index(_) => InputFormat::Cdxj,
        Content::Observations => InputFormat::Jsonl,
        Content::Parquet => InputFormat::Parquet,
        Content::Zip | Content::MultiWacz => InputFormat::Wacz,
        _ => return None,
    };
    let verified = match CollectedTable::of(source) {
        Some(table) => Some(table.is_verified()),
        None => TableFacts::of(None, &blob).digests_verified,
    };
    Some((format, verified))
}

/// Plans a table of observations. Some say how digests were taken when they were made.
fn plan_table(
    name: &str,
    verified: Option<bool>,
    blob: &Blob,
    (format, work): (InputFormat, Work),
    steps: &mut Vec<Step>,
) {
    plan_whole(name, blob, format, work, steps);
    if let Some(Step::File(file)) = steps.iter_mut().rev().find(|step| matches!(step, Step::File(_))) {
        file.digests_verified = verified;
    }
}

fn plan_whole(name: &str, blob: &Blob, format: InputFormat, work: Work, steps: &mut Vec<Step>) {
    steps.push(Step::File(InputFile::new(name, blob, format)));
    steps.push(Step::Unit(Unit { blob: blob.clone(), file: Arc::from(name), work }));
}

/// The kind of problem of a text that lies in a folder of archives.
pub(crate) const NOT_AN_ARCHIVE: &str = "not-an-archive";

/// The kind of problem of an archive that changed while it was indexed into a collection: nothing of it is there.
pub(crate) const FILE_CHANGED: &str = "file-changed";

/// Whether records are those of ARC or of WARC, by the first line. A damaged start is taken for WARC.
fn record_format(blob: &Blob, compression: Compression) -> InputFormat {
    let mut start = Vec::new();
    let unpacked: io::Result<Box<dyn Read>> = match compression {
        Compression::None => Ok(Box::new(blob.reader(0))),
        Compression::Gzip => Ok(Box::new(flate2::bufread::GzDecoder::new(blob.reader(0)))),
        Compression::Zstd => zstd::stream::read::Decoder::with_buffer(blob.reader(0))
            .map(|decoder| Box::new(decoder) as Box<dyn Read>),
    };
    // What was read before the damage counts.
    let _ = unpacked.and_then(|unpacked| unpacked.take(512).read_to_end(&mut start));
    let line = start.trim_ascii_start();
    let is_arc = [&b"filedesc://"[..], b"http://", b"https://"].iter().any(|scheme| line.starts_with(scheme));
    if is_arc { InputFormat::Arc } else { InputFormat::Warc }
}

/// Plans a blob of records.
fn plan_records(
    name: &str,
    blob: &Blob,
    compression: Compression,
    format: InputFormat,
    how: Plan,
    steps: &mut Vec<Step>,
) {
    match compression {
        Compression::None => plan_whole(name, blob, format, Work::Plain, steps),
        Compression::Zstd => plan_whole(name, blob, format, Work::Zstd, steps),
        Compression::Gzip => {
            let chunk = how.chunk.filter(|chunk| blob.len() / 2 >= *chunk).unwrap_or(blob.len()).max(1);
            let file: Arc<str> = Arc::from(name);
            steps.push(Step::File(InputFile::new(name, blob, format)));
            for from in (0..blob.len()).step_by(usize::try_from(chunk).unwrap_or(usize::MAX)) {
                let work = Work::Gzip { from, until: (from + chunk).min(blob.len()), find: from > 0 };
                steps.push(Step::Unit(Unit { blob: blob.clone(), file: file.clone(), work }));
            }
        }
    }
}

/// Plans the archives inside a WACZ package, read where they lie.
fn plan_package(name: &str, blob: &Blob, how: Plan, depth: usize, steps: &mut Vec<Step>) -> io::Result<()> {
    let mut package = Wacz::open(blob.clone())?;
    let mut report = |problems: Vec<Problem>| {
        steps.extend(problems.into_iter().map(|problem| Step::Problem(problem.in_file(name))));
    };
    let mut differing = Vec::new();
    if how.digests == Digests::Verify {
        let problems = package.check_hashes()?;
        let differ = problems.iter().filter(|problem| problem.kind == "wacz-hash-differs");
        differing.extend(differ.filter_map(|problem| problem.offset));
        report(problems);
    } else {
        let message = "the hashes of the package were not checked, for digests are taken as declared";
        report(vec![Problem::new(Level::Note, "wacz-hashes-unchecked", message)]);
    }
    let (pages, problems) = package.pages()?;
    report(problems);
    report(package.problems().to_vec());
    let requires = package.package().map(|description| description.requires.clone()).unwrap_or_default();
    steps.push(Step::Pages(pages));
    steps.extend(
        requires
            .into_iter()
            .map(|required| Step::Requires { file: name.to_owned(), required: required.file }),
    );
    if package.archives().next().is_none() && !package.entries().is_empty() {
        let problem = Problem::new(Level::Error, "unknown-input", "the zip file holds no archive");
        let remedy =
            "if some of its files are compressed in another way, unpack them and name them as inputs";
        steps.push(Step::Problem(problem.in_file(name).with_remedy(remedy)));
    }
    // Their packages record the hash of something else (js-wacz issue 127).
    let software =
        package.package().and_then(|description| description.software.as_deref()).unwrap_or_default();
    let software = software.to_ascii_lowercase();
    let is_trusted = !software.contains("js-wacz") && !software.contains("scoop");
    let first = steps.len();
    for entry in package.archives() {
        let inner = format!("{name}#{}", entry.name);
        let offset = Some(entry.header_offset).filter(|offset| is_trusted && differing.contains(offset));
        let (blob, problem) = package.read(entry)?;
        steps.extend(problem.map(|problem| Step::Problem(problem.in_file(&inner))));
        match sniff(&blob)? {
            (compression, Content::Records) => {
                let start = steps.len();
                plan_records(&inner, &blob, compression, InputFormat::Wacz, how, steps);
                if offset.is_some() {
                    let witness = Contradiction { witness: Witness::Package, file: Arc::from(name), offset };
                    steps.insert(start + 1, Step::Contradicted(witness));
                }
            }
            // Browsertrix packs a multi-WACZ as a zip file of packages.
            (_, Content::Zip) if depth > 0 => plan_package(&inner, &blob, how, depth - 1, steps)?,
            (_, Content::Zip) => {
                let message = "a package in a zip file in a zip file is not read";
                let problem = Problem::new(Level::Error, "unknown-input", message).in_file(&inner);
                steps.push(Step::Problem(
                    problem.with_remedy("unpack the outer zip file, and name what is in it"),
                ));
            }
            (_, Content::Unknown(Some(coding))) => {
                steps.push(Step::Problem(compressed_otherwise(coding).in_file(&inner)));
            }
            (_, Content::Empty) => {
                let problem = Problem::new(Level::Warning, "empty-input", "the entry is empty");
                steps.push(Step::Problem(problem.in_file(&inner)));
            }
            _ => {
                let message = "an entry of the package's archive folder is not an archive";
                steps.push(Step::Problem(
                    Problem::new(Level::Error, "unknown-input", message).in_file(&inner),
                ));
            }
        }
    }
    // What bodies are is compared with what the package's own indexes say, if bodies are read at all.
    let read = steps[first..].iter().any(|step| matches!(step, Step::Unit(_)));
    for entry in package.indexes().filter(|_| read && how.digests == Digests::Verify) {
        // One that cannot be read says nothing; its hash is checked above.
        let Ok((blob, _)) = package.read(entry) else { continue };
        if let Ok((compression, Content::Index(IndexFormat::Cdx | IndexFormat::Cdxj))) = sniff(&blob) {
            let file = Arc::from(format!("{name}#{}", entry.name));
            steps.push(Step::Unit(Unit { blob, file, work: Work::Witnesses(compression) }));
        }
    }
    Ok(())
}

/// Longer lists of packages are not read.
const MAX_LIST_BYTES: usize = 16 << 20;

/// Plans the packages that a multi-WACZ file lists.
fn plan_list(source: &Source, blob: &Blob, how: Plan, taken: &mut Taken, steps: &mut Vec<Step>) {
    let path = source.path();
    let folder = path.parent().unwrap_or(Path::new(""));
    let list = blob.bytes_at(0, MAX_LIST_BYTES).ok().and_then(|json| multi_wacz(&json, folder));
    let Some(list) = list else {
        let problem = Problem::new(Level::Error, "unknown-input", "the input is JSON, but lists no packages");
        steps.push(Step::Problem(problem.in_file(&source.name)));
        return;
    };
    steps.extend(list.problems.into_iter().map(|problem| Step::Problem(problem.in_file(&source.name))));
    for file in list.files {
        // Lists may name each other, or what the user named as well.
        if !file.canonicalize().is_ok_and(|path| taken.insert(path)) {
            continue;
        }
        steps.extend(plan(&Source::named(name_of(&file)), how, taken));
    }
}
