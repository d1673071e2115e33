//! The reader against two others, the `warc` crate and `fastwarc`: on sound archives all three see the same records.

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::support::data::{data, say};
use acuity::internals::archive::blob::Blob;
use acuity::internals::archive::members::{Depth, Members, Tools, walk_plain, walk_zstd};
use acuity::internals::archive::record::RecordHead;
use acuity::internals::archive::sniff::{Compression, Content, sniff};
use acuity::internals::archive::walk::{RecordEnd, Visitor};
use acuity::internals::problem::Problem;
use fastwarc::warc::iter::{ArchiveIterator, ArchiveIteratorOptions};
use warc::WarcHeader;

/// What all three tell of a record. The offset is that of its gzip member; the `warc` crate knows none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    kind: String,
    id: String,
    url: String,
    date: String,
    block: u64,
    offset: Option<u64>,
}

/// Archives, by the end of their name, on which a peer is not asked, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("valid-warcfile-upper-lower-case.warc", "warc", "it wants `WARC/` in upper case"),
    ("valid-warcfile-upper-lower-case.warc", "fastwarc", "it wants `WARC/` in upper case"),
    ("5mementos.warc", "warc", "lines end in LF: it finds no record"),
    ("5mementos.warc", "fastwarc", "lines end in LF: it takes the head for one field"),
    ("variableSizedDates.warc", "warc", "lines end in LF: it finds no record"),
    ("variableSizedDates.warc", "fastwarc", "lines end in LF: it takes the head for one field"),
    (
        "baconIpsum_chunked_httpTrailors.warc",
        "warc",
        "a length in the file is one byte short: it gives up at the newline left over",
    ),
    (
        "example-url-agnostic-revisit.warc.gz",
        "warc",
        "nothing stands behind the first record: it wants a blank line there",
    ),
    ("field-names-in-any-case.warc", "fastwarc", "it wants `Content-Length` in this case"),
    ("folded-fields.warc", "warc", "it does not read folded fields"),
    ("folded-fields.warc", "fastwarc", "it keeps the blank of a folded field"),
    ("gzip-empty-members.warc.gz", "fastwarc", "it ends at an empty member"),
    ("lf-line-ends.warc", "warc", "it swallows the next record"),
    ("lf-line-ends.warc", "fastwarc", "it takes the head for one field"),
    ("line-without-colon.warc", "warc", "it gives up at a line without a colon"),
    ("many-newlines.warc", "warc", "it wants exactly one blank line behind a record"),
    ("one-newline-trailer.warc", "warc", "it wants exactly one blank line behind a record"),
    ("odd-version-lines.warc", "warc", "it wants `WARC/` in upper case"),
    ("odd-version-lines.warc", "fastwarc", "it wants `WARC/` in upper case"),
    ("uri-latin1.warc", "warc", "it gives bytes; which letters they are is for the caller"),
    ("uri-latin1.warc", "fastwarc", "it takes them for broken UTF-8"),
];

#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    problems: Vec<Problem>,
}

impl Visitor for Rows {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        self.rows.push(Row {
            kind: head.record_type.to_string(),
            id: head.id.as_deref().unwrap_or_default().to_owned(),
            url: head.target.as_deref().unwrap_or_default().to_owned(),
            date: head.date.as_deref().unwrap_or_default().to_owned(),
            block: 0,
            offset: Some(offset),
        });
    }

    fn block(&mut self, piece: &[u8]) {
        self.rows.last_mut().unwrap().block += piece.len() as u64;
    }

    fn end(&mut self, _end: RecordEnd) {}

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }
}

fn own(bytes: &[u8], compression: Compression) -> Rows {
    let (blob, mut tools, mut rows) = (Blob::memory(bytes.to_vec()), Tools::default(), Rows::default());
    match compression {
        Compression::Gzip => {
            Members::new(&blob, 0, blob.len(), &mut tools).walk(0, Depth::Blocks, &mut rows).unwrap();
        }
        Compression::Zstd => walk_zstd(&blob, &mut tools, &mut rows).unwrap(),
        Compression::None => walk_plain(&blob, &mut tools, &mut rows),
    }
    rows
}

fn bare(value: &str) -> String {
    value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(value).to_owned()
}

fn of_warc(bytes: &[u8], compression: Compression) -> Result<Vec<Row>, String> {
    let reader: Box<dyn Read> = match compression {
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(bytes)),
        _ => Box::new(bytes),
    };
    let mut rows = Vec::new();
    for record in warc::WarcReader::new(BufReader::new(reader)).iter_raw_records() {
        let (head, block) = record.map_err(|error| error.to_string())?;
        let of = |name| {
            head.headers
                .get(&name)
                .map(|value| String::from_utf8_lossy(value).into_owned())
                .unwrap_or_default()
        };
        rows.push(Row {
            kind: of(WarcHeader::WarcType),
            id: bare(&of(WarcHeader::RecordID)),
            url: bare(&of(WarcHeader::TargetURI)),
            date: of(WarcHeader::Date),
            block: block.len() as u64,
            offset: None,
        });
    }
    Ok(rows)
}

fn of_fastwarc(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let options = ArchiveIteratorOptions { parse_http: false, ..ArchiveIteratorOptions::default() };
    let iterator = ArchiveIterator::with_options(std::io::Cursor::new(bytes.to_vec()), options);
    let mut rows = Vec::new();
    for record in iterator {
        let record = record.map_err(|error| error.to_string())?;
        let record = record.borrow();
        let of = |name: &str| record.headers().get(name).map(|value| value.into_owned()).unwrap_or_default();
        rows.push(Row {
            kind: of("WARC-Type"),
            id: bare(&of("WARC-Record-ID")),
            url: bare(&of("WARC-Target-URI")),
            date: of("WARC-Date"),
            block: record.content_length(),
            offset: Some(record.stream_pos()),
        });
    }
    Ok(rows)
}

fn archives() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::from("fixtures/torture"), PathBuf::from("fixtures/demo")];
    folders
        .extend(["warcs", "crawls/wget", "crawls/warcprox", "crawls/condget"].into_iter().filter_map(data));
    for folder in folders {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        paths.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()));
    }
    paths.sort();
    paths
}

fn compare(
    path: &Path,
    peer: &str,
    own: &[Row],
    theirs: Result<Vec<Row>, String>,
    has_offsets: bool,
) -> Option<String> {
    let name = path.to_string_lossy();
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(reason) => return Some(format!("{name}: {peer} gives up: {reason}")),
    };
    let plain = |row: &Row| Row {
        kind: row.kind.to_lowercase(),
        offset: row.offset.filter(|_| has_offsets),
        ..row.clone()
    };
    let (own, theirs): (Vec<Row>, Vec<Row>) =
        (own.iter().map(plain).collect(), theirs.iter().map(plain).collect());
    let differ = own.iter().zip(&theirs).find(|(own, theirs)| own != theirs);
    match differ {
        Some((own, theirs)) => Some(format!("{name}: {peer} differs:\n  own {own:?}\n  its {theirs:?}")),
        None if own.len() != theirs.len() => {
            Some(format!("{name}: {} records, {peer} has {}", own.len(), theirs.len()))
        }
        None => None,
    }
}

#[test]
fn on_sound_archives_all_readers_see_the_same_records() {
    let (mut compared, mut odd, mut wrong) = (0, 0, Vec::new());
    for path in archives() {
        let name = path.to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let (compression, content) = sniff(&Blob::memory(bytes.clone())).unwrap();
        let is_warc =
            content == Content::Records && compression != Compression::Zstd && !name.contains(".arc");
        if !is_warc {
            continue;
        }
        let Rows { rows, problems } = own(&bytes, compression);
        let is_sound =
            problems.is_empty() && rows.iter().all(|row| !row.id.is_empty() && !row.kind.is_empty());
        if !is_sound {
            odd += 1;
            continue;
        }
        for peer in ["warc", "fastwarc"] {
            if let Some((.., why)) =
                EXCEPTIONS.iter().find(|(file, whom, _)| name.ends_with(file) && *whom == peer)
            {
                say(&format!("{peer} is not asked about {name}: {why}"));
                continue;
            }
            let difference = match peer {
                "warc" => compare(&path, peer, &rows, of_warc(&bytes, compression), false),
                _ => compare(&path, peer, &rows, of_fastwarc(&bytes), true),
            };
            wrong.extend(difference);
            compared += 1;
        }
    }
    say(&format!("{compared} comparisons; {odd} archives are not sound, and not compared"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 100);
}
