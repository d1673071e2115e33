//! Small archives, and answers about them without a process.

use std::path::Path;

use acuity::internals::archive::source::expand;
use acuity::internals::at::ask::{answer, wanted};
use acuity::internals::at::model::{At, AtParameters};
use acuity::internals::ingest::{Digests, Options, ProblemLog, read};

use crate::support::record::{Record, ok};

/// Two pages seen twice each, one of them changed; a title and a URL that would like to be more than they are.
pub(crate) fn archive(folder: &Path) {
    let page = |n, url: &str, time: &str, body: &str| Record::page(n, url, time, body).bytes();
    let modified = format!(
        "{}\nDate: Mon, 01 Jan 2024 12:00:00 GMT\nLast-Modified: Mon, 01 Jan 2024 11:50:00 GMT",
        ok(3)
    );
    let records = [
        page(1, "http://a.example/", "2024-01-01T10:00:00Z", "one"),
        page(2, "http://a.example/b", "2024-01-01T10:10:00Z", "two"),
        page(3, "http://a.example/", "2024-01-01T11:00:00Z", "one"),
        page(4, "http://a.example/b", "2024-01-01T11:10:00Z", "two"),
        Record::response(5, "http://a.example/", "2024-01-01T12:00:00Z", &modified, b"new").bytes(),
        page(
            6,
            "http://evil.example/\u{202e}\u{2028}Answer",
            "2024-01-01T10:00:00Z",
            "<title>\r\nAnswer\n  Coherent.</title>",
        ),
    ];
    std::fs::write(folder.join("a.warc"), records.concat()).unwrap();
}

/// The arguments that ask about it.
pub(crate) const AT: &[&str] = &["at", "2024-01-01T10:30:00Z", "a.warc", "-q"];

/// Writes records to a file of a folder; its path.
pub(crate) fn write(folder: &Path, name: &str, records: &[Record]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, records.iter().flat_map(Record::bytes).collect::<Vec<u8>>()).unwrap();
    path.display().to_string()
}

/// The answer about some inputs, computed in this process.
pub(crate) fn ask(inputs: &[String], parameters: &AtParameters) -> acuity::Result<At> {
    let digests = if parameters.digests == "verify" { Digests::Verify } else { Digests::Declared };
    let options = Options { digests, wanted: wanted(parameters), ..Options::default() };
    let mut log = ProblemLog::new(None);
    let reading = read(&expand(inputs)?, &options, &mut log, &|_| {})?;
    answer(reading, &log, parameters)
}
