//! The questions that a case is asked: an audit, and whether pages and a phrase were there at a date.

use std::path::{Path, PathBuf};

use acuity::internals::archive::source::expand;
use acuity::internals::at::ask::{answer, wanted};
use acuity::internals::at::model::{At, AtParameters};
use acuity::internals::audit::{Audit, AuditInput, Parameters, audit};
use acuity::internals::ingest::{Digests, Options, ProblemLog, Wanted, read};
use acuity::internals::simulate::truth::{Case, PHRASE};
use acuity::internals::time::Instant;

/// Writes the files of a case; their paths.
pub(crate) fn write(case: &Case, folder: &Path) -> Vec<PathBuf> {
    let write = |(name, bytes): &(String, Vec<u8>)| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    case.files.iter().map(write).collect()
}

fn names(inputs: &[PathBuf]) -> Vec<String> {
    inputs.iter().map(|path| path.display().to_string()).collect()
}

/// The audit of some files.
pub(crate) fn audited(inputs: &[PathBuf]) -> Audit {
    let wanted = Wanted { text: true, ..Wanted::default() };
    let options = Options { threads: 1, wanted, ..Options::default() };
    let reading =
        read(&expand(&names(inputs)).unwrap(), &options, &mut ProblemLog::new(None), &|_| {}).unwrap();
    audit(&reading.table().unwrap(), &Parameters::default(), AuditInput::default())
}

/// What is known at an instant, and of the phrase then.
pub(crate) fn at(inputs: &[PathBuf], date: Instant) -> Option<At> {
    let parameters = AtParameters { phrases: vec![PHRASE.to_owned()], ..AtParameters::on(date.to_string()) };
    let options =
        Options { digests: Digests::Verify, wanted: wanted(&parameters), threads: 1, ..Options::default() };
    let mut log = ProblemLog::new(None);
    let reading = read(&expand(&names(inputs)).unwrap(), &options, &mut log, &|_| {}).unwrap();
    answer(reading, &log, &parameters).ok()
}
