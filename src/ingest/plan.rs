//! From inputs to units of work, in the order of the inputs.

use std::sync::Arc;

use super::unit::{Unit, Work};
use crate::archive::blob::Blob;
use crate::archive::sniff::{Compression, Content, sniff};
use crate::archive::source::Source;
use crate::problem::{Level, Problem};

/// Compressed bytes a thread takes at a time.
const CHUNK: u64 = 4 << 20;

/// What is to be done next.
#[derive(Debug)]
pub enum Step {
    /// A new file starts.
    File(InputFile),
    /// Something to be read.
    Unit(Unit),
    /// Something is wrong with an input.
    Problem(Problem),
}

/// A file that is read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputFile {
    /// Its name; inside a package, the package's name, `#` and the name there.
    pub file: String,
    /// What it holds.
    pub format: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// Plans one input. With `chunks`, gzip files are cut into parts.
pub fn plan(source: &Source, chunks: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    match source.open() {
        Ok(blob) => plan_blob(source, &blob, chunks, &mut steps),
        Err(error) => {
            let message = format!("the input cannot be read: {error}");
            steps.push(Step::Problem(
                Problem::new(Level::Error, "unreadable-input", message).in_file(&source.name),
            ));
        }
    }
    steps
}

fn plan_blob(source: &Source, blob: &Blob, chunks: bool, steps: &mut Vec<Step>) {
    let problem = |level, kind, message: String| {
        Step::Problem(Problem::new(level, kind, message).in_file(&source.name))
    };
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
        Content::Records => plan_records(&source.name, blob, compression, chunks, steps),
        Content::Index(_) => plan_whole(&source.name, blob, "index", Work::Index(compression), steps),
        Content::Observations => {
            plan_whole(&source.name, blob, "observations", Work::Observations(compression), steps);
        }
        Content::Zip => {}
        Content::MultiWacz => {}
        Content::Empty => steps.push(problem(Level::Warning, "empty-input", "the input is empty".to_owned())),
        // A directory of archives may hold a README; what the user names has to be an archive.
        Content::Text if !source.named => {
            steps.push(problem(
                Level::Note,
                "not-an-archive",
                "a text file that is no archive was passed over".to_owned(),
            ));
        }
        Content::Text => {
            steps.push(problem(
                Level::Error,
                "unknown-input",
                "the input is text, but no archive or index".to_owned(),
            ));
        }
        Content::Unknown(name) => {
            let what = name.map_or("no known archive format".to_owned(), |name| {
                format!("{name} data, which is not read")
            });
            steps.push(problem(Level::Error, "unknown-input", format!("the input holds {what}")));
        }
    }
}

fn plan_whole(name: &str, blob: &Blob, format: &str, work: Work, steps: &mut Vec<Step>) {
    steps.push(Step::File(InputFile { file: name.to_owned(), format: format.to_owned(), bytes: blob.len() }));
    steps.push(Step::Unit(Unit { blob: blob.clone(), file: Arc::from(name), work }));
}

/// Plans a blob of records.
fn plan_records(name: &str, blob: &Blob, compression: Compression, chunks: bool, steps: &mut Vec<Step>) {
    match compression {
        Compression::None => plan_whole(name, blob, "warc", Work::Plain, steps),
        Compression::Zstd => plan_whole(name, blob, "warc.zst", Work::Zstd, steps),
        Compression::Gzip if !chunks || blob.len() < 2 * CHUNK => {
            let work = Work::Gzip { from: 0, until: blob.len(), find: false };
            plan_whole(name, blob, "warc.gz", work, steps);
        }
        Compression::Gzip => {
            let file: Arc<str> = Arc::from(name);
            let format = "warc.gz".to_owned();
            steps.push(Step::File(InputFile { file: name.to_owned(), format, bytes: blob.len() }));
            for from in (0..blob.len()).step_by(CHUNK as usize) {
                let work = Work::Gzip { from, until: (from + CHUNK).min(blob.len()), find: from > 0 };
                steps.push(Step::Unit(Unit { blob: blob.clone(), file: file.clone(), work }));
            }
        }
    }
}
