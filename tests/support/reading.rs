//! The reader, run over files and over bytes in memory.

use std::path::Path;
use std::sync::Arc;

use acuity::internals::archive::blob::Blob;
use acuity::internals::archive::sniff::{Compression, Content, sniff};
use acuity::internals::archive::source::expand;
use acuity::internals::archive::wacz::Wacz;
use acuity::internals::capture::Observation;
use acuity::internals::ingest::assemble::{Batch, Digests, Item};
use acuity::internals::ingest::scan::Wanted;
use acuity::internals::ingest::unit::{How, Message, Unit, Work, Workbench};
use acuity::internals::ingest::{Options, ProblemLog, read};
use acuity::internals::problem::Problem;

/// What was read.
#[derive(Debug, Default)]
pub struct Read {
    /// The observations.
    pub observations: Vec<Observation>,
    /// The problems.
    pub problems: Vec<Problem>,
}

impl Read {
    /// The observations as JSON lines.
    pub fn observation_lines(&self) -> String {
        let mut lines = Vec::new();
        self.observations.iter().for_each(|observation| observation.json_line(&mut lines));
        String::from_utf8(lines).unwrap()
    }

    /// The problems as JSON lines.
    pub fn problem_lines(&self) -> String {
        self.problems.iter().map(|problem| serde_json::to_string(problem).unwrap() + "\n").collect()
    }
}

/// Reads inputs as the commands do.
pub fn read_inputs(inputs: &[&Path], options: &Options) -> Read {
    let inputs: Vec<String> = inputs.iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    let mut log = ProblemLog::new(None);
    let reading = read(&expand(&inputs).unwrap(), options, &mut log, &|_| {}).unwrap();
    let mut observations = Vec::new();
    reading
        .observations
        .for_each(&mut |observation, _| {
            observations.push(observation.clone());
            Ok(())
        })
        .unwrap();
    Read { observations, problems: log.kept().to_vec() }
}

/// Reads one file with one thread.
pub fn read_file(path: &Path) -> Read {
    read_inputs(&[path], &Options::default())
}

/// Reads bytes in memory, without putting records together: what a thread does with a file. `None` where the bytes are
/// not told to be an archive or index.
pub fn read_bytes(
    bytes: Vec<u8>,
    wanted: Wanted,
    bench: &mut Workbench,
) -> Option<(Vec<Item>, Vec<Problem>)> {
    read_blob(Blob::memory(bytes), wanted, bench)
}

/// The archives in a package, and all that can be wrong with it.
fn read_package(blob: Blob, wanted: Wanted, bench: &mut Workbench) -> (Vec<Item>, Vec<Problem>) {
    let mut package = Wacz::open(blob).unwrap();
    let mut problems = package.check_hashes().unwrap();
    problems.extend(package.pages().unwrap().1);
    problems.extend_from_slice(package.problems());
    let mut items = Vec::new();
    for entry in package.archives() {
        let (blob, problem) = package.read(entry).unwrap();
        problems.extend(problem);
        let (more, found) = read_blob(blob, wanted, bench).unwrap_or_default();
        items.extend(more);
        problems.extend(found);
    }
    (items, problems)
}

fn read_blob(blob: Blob, wanted: Wanted, bench: &mut Workbench) -> Option<(Vec<Item>, Vec<Problem>)> {
    let (compression, content) = sniff(&blob).unwrap();
    let work = match (content, compression) {
        (Content::Records, Compression::Gzip) => Work::Gzip { from: 0, until: blob.len(), find: false },
        (Content::Records, Compression::Zstd) => Work::Zstd,
        (Content::Records, Compression::None) => Work::Plain,
        (Content::Index(_), compression) => Work::Index(compression),
        (Content::Observations, compression) => Work::Observations(compression),
        (Content::Zip, _) => return Some(read_package(blob, wanted, bench)),
        _ => return None,
    };
    let unit = Unit { blob, file: Arc::from("memory"), work };
    let (mut items, mut problems) = (Vec::new(), Vec::new());
    let how = How { digests: Digests::Verify, wanted };
    unit.run(how, bench, &mut |message| match message {
        Message::Batch(Batch { items: more, problems: found }) => {
            items.extend(more);
            problems.extend(found);
        }
        Message::Start(_) | Message::End(_) => {}
        Message::Failed(error) => {
            problems.push(Problem::new(
                acuity::internals::problem::Level::Error,
                "unreadable-input",
                error.to_string(),
            ));
        }
    });
    Some((items, problems))
}
