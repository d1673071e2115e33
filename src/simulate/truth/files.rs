//! Captures as files: WARC, gzip, ARC, WACZ, CDX, CDXJ, and what tampering leaves of them.

use rand::RngExt;
use rand_pcg::Pcg64;
use serde_json::json;

use super::capture::{Capture, Kind};
use super::crawl::gzip;
use super::crawler::Crawler;
use crate::archive::zip_writer::{Stored, ZipWriter};
use crate::digest::{Algorithm, Hasher};
use crate::time::Instant;
use crate::url::Canon;

type Files = Vec<(String, Vec<u8>)>;

/// Writes captures as a crawler does. Gives the pages, too, of which other evidence contradicts a capture.
pub(crate) fn write(crawler: Crawler, captures: &[Capture], random: &mut Pcg64) -> (Files, Vec<usize>) {
    let file = |name: &str, bytes: Vec<u8>| (name.to_owned(), bytes);
    let files = match crawler {
        Crawler::Gzip => vec![file("crawl.warc.gz", members(captures))],
        Crawler::Package => vec![file("crawl.wacz", package(captures, captures))],
        Crawler::Arc => vec![file("crawl.arc", arc(captures))],
        Crawler::Index | Crawler::SparseIndex => vec![file("crawl.cdx", cdx(captures).into_bytes())],
        Crawler::JsonIndex => vec![file("crawl.cdxj", cdxj(captures, "crawl.warc.gz", None).into_bytes())],
        Crawler::Indexed => vec![
            file("crawl.warc", warc(captures)),
            file("crawl.cdxj", cdxj(captures, "crawl.warc", None).into_bytes()),
        ],
        Crawler::TwoWriters => vec![file("crawl.arc", arc(captures)), file("crawl.warc", warc(captures))],
        Crawler::Copied => vec![
            file("crawl.warc", warc(captures)),
            file("copy.warc", warc(captures)),
            file("packed.warc.gz", members(captures)),
        ],
        Crawler::Tampered => return tampered(captures, random),
        _ => vec![file("crawl.warc", warc(captures))],
    };
    (files, Vec::new())
}

fn digest(algorithm: Algorithm, bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(bytes);
    hasher.finish().to_string()
}

fn id(number: u32) -> String {
    format!("<urn:uuid:00000000-0000-4000-8000-{number:012}>")
}

fn record(fields: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let mut head = String::from("WARC/1.0\r\n");
    for (name, value) in fields {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn message(head: &str, body: &[u8]) -> Vec<u8> {
    [head.replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body].concat()
}

/// A capture as WARC records: the capture, and its request if that is kept.
fn records(capture: &Capture) -> Vec<u8> {
    let (number, date) = (id(capture.number), capture.date.to_string());
    let sum = digest(Algorithm::Sha1, &capture.payload);
    let original = match capture.kind {
        Kind::SameDigest(number, ..) | Kind::NotModified(Some(number)) => Some(id(number)),
        _ => None,
    };
    let mut fields =
        vec![("WARC-Record-ID", &*number), ("WARC-Date", &date), ("WARC-Target-URI", &capture.url)];
    let to_date;
    let mut block = message(&capture.head, &capture.body);
    match &capture.kind {
        Kind::Response => {
            fields.push(("WARC-Type", "response"));
            fields.push(("Content-Type", "application/http; msgtype=response"));
            fields.push(("WARC-Payload-Digest", &sum));
        }
        Kind::Resource(mime) => {
            fields.extend([("WARC-Type", "resource"), ("Content-Type", *mime)]);
            block.clone_from(&capture.body);
        }
        Kind::SameDigest(_, url, date) => {
            to_date = date.to_string();
            fields.extend([
                ("WARC-Type", "revisit"),
                ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
                ("Content-Type", "application/http; msgtype=response"),
                ("WARC-Payload-Digest", &*sum),
                ("WARC-Refers-To-Target-URI", url),
                ("WARC-Refers-To-Date", &to_date),
            ]);
            block = message(&capture.head, b"");
        }
        Kind::NotModified(_) => fields.extend([
            ("WARC-Type", "revisit"),
            ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/server-not-modified"),
            ("Content-Type", "application/http; msgtype=response"),
        ]),
    }
    fields.extend(original.as_deref().map(|original| ("WARC-Refers-To", original)));
    if capture.truncated {
        fields.push(("WARC-Truncated", "time"));
    }
    let mut bytes = record(&fields, &block);
    if let Some(request) = &capture.request {
        let own = id(capture.number + 1_000_000);
        let fields = [
            ("WARC-Type", "request"),
            ("WARC-Record-ID", &own),
            ("WARC-Date", &date),
            ("WARC-Target-URI", &capture.url),
            ("WARC-Concurrent-To", &number),
            ("Content-Type", "application/http; msgtype=request"),
        ];
        bytes.extend(record(&fields, &message(request, b"")));
    }
    bytes
}

/// What the file begins with.
fn info() -> Vec<u8> {
    let fields = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", &*id(0)),
        ("WARC-Date", "2022-03-14T09:59:59Z"),
        ("Content-Type", "application/warc-fields"),
    ];
    record(&fields, b"software: truth/1\r\nformat: WARC File Format 1.0\r\n")
}

fn warc(captures: &[Capture]) -> Vec<u8> {
    info().into_iter().chain(captures.iter().flat_map(records)).collect()
}

fn members(captures: &[Capture]) -> Vec<u8> {
    let all = std::iter::once(info()).chain(captures.iter().map(records));
    all.flat_map(|record| gzip(&record)).collect()
}

fn arc(captures: &[Capture]) -> Vec<u8> {
    let start = "1 0 truth\nURL IP-address Archive-date Content-type Archive-length\n";
    let head = format!("filedesc://crawl.arc 0.0.0.0 20220314095959 text/plain {}\n{start}\n", start.len());
    let mut bytes = head.into_bytes();
    for capture in captures {
        let block = message(&capture.head, &capture.body);
        let line = format!("{} 1.2.3.4 {} text/html {}\n", capture.url, capture.date.digits14(), block.len());
        bytes.extend(line.into_bytes());
        bytes.extend(block);
        bytes.push(b'\n');
    }
    bytes
}

fn sum_of(capture: &Capture) -> String {
    digest(Algorithm::Sha1, &capture.payload).trim_start_matches("sha1:").to_owned()
}

fn cdx(captures: &[Capture]) -> String {
    let mut text = String::from(" CDX N b a m s k r M S V g\n");
    for capture in captures {
        text += &format!(
            "{} {} {} text/html {} {} - - 100 {} crawl.warc.gz\n",
            Canon::Default.key(&capture.url),
            capture.date.digits14(),
            capture.url,
            capture.status,
            sum_of(capture),
            capture.number
        );
    }
    text
}

/// CDXJ with the places of the captures in the WARC; `altered` has another digest than its record.
fn cdxj(captures: &[Capture], filename: &str, altered: Option<usize>) -> String {
    let mut text = String::new();
    let mut offset = info().len();
    for (place, capture) in captures.iter().enumerate() {
        let length = records(capture).len();
        let sum = match altered == Some(place) {
            true => digest(Algorithm::Sha1, b"another body").trim_start_matches("sha1:").to_owned(),
            false => sum_of(capture),
        };
        let fields = json!({
            "url": capture.url,
            "mime": "text/html",
            "status": capture.status.to_string(),
            "digest": sum,
            "length": length.to_string(),
            "offset": offset.to_string(),
            "filename": filename,
        });
        text += &format!("{} {} {fields}\n", Canon::Default.key(&capture.url), capture.date.digits14());
        offset += length;
    }
    text
}

/// A package of `held`, whose hashes are those of `hashed`.
fn package(held: &[Capture], hashed: &[Capture]) -> Vec<u8> {
    let index = {
        let mut text = String::new();
        let mut offset = gzip(&info()).len();
        for capture in held {
            let length = gzip(&records(capture)).len();
            let fields = json!({
                "url": capture.url, "mime": "text/html", "status": capture.status.to_string(),
                "digest": sum_of(capture), "length": length.to_string(), "offset": offset.to_string(),
                "filename": "crawl.warc.gz",
            });
            text += &format!("{} {} {fields}\n", Canon::Default.key(&capture.url), capture.date.digits14());
            offset += length;
        }
        text.into_bytes()
    };
    let pages = b"{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}\n".to_vec();
    let parts = [
        ("archive/crawl.warc.gz", members(held), members(hashed)),
        ("indexes/index.cdxj", index.clone(), index),
        ("pages/pages.jsonl", pages.clone(), pages),
    ];
    let resources: Vec<_> = parts
        .iter()
        .map(|(path, bytes, hashed)| {
            // Composed here once more: what these packages test must not make them.
            let name = path.rsplit('/').next().unwrap_or(path);
            json!({"name": name, "path": path, "hash": digest(Algorithm::Sha256, hashed), "bytes": bytes.len()})
        })
        .collect();
    let description = json!({
        "profile": "data-package", "wacz_version": "1.1.1", "created": Instant(super::START.0).to_string(),
        "software": "truth/1", "resources": resources,
    });
    let mut bytes = Vec::new();
    let mut zip = ZipWriter::new(&mut bytes);
    let described = [("datapackage.json", description.to_string().into_bytes())];
    let parts = parts.into_iter().map(|(path, bytes, _)| (path, bytes)).chain(described);
    for (path, content) in parts {
        let mut crc = flate2::Crc::new();
        crc.update(&content);
        let stored = Stored { crc: crc.sum(), length: content.len() as u64 };
        // Writing into memory does not fail.
        let _ = zip.store(path, stored, &mut &*content);
    }
    let _ = zip.finish();
    bytes
}

/// One record is altered: in a copy of the file, below its index, or inside a package that hashed the old file.
fn tampered(captures: &[Capture], random: &mut Pcg64) -> (Files, Vec<usize>) {
    let pages: Vec<usize> = (0..captures.len()).filter(|place| captures[*place].status == 200).collect();
    let file = |name: &str, bytes: Vec<u8>| (name.to_owned(), bytes);
    let Some(place) = pages.get(random.random_range(0..pages.len().max(1))).copied() else {
        return (vec![file("crawl.warc", warc(captures))], Vec::new());
    };
    let mut altered = captures.to_vec();
    let length = altered[place].body.len();
    altered[place].body = vec![b'x'; length];
    altered[place].payload = altered[place].body.clone();
    let page = vec![captures[place].page];
    match random.random_range(0..3) {
        0 => (vec![file("crawl.warc", warc(captures)), file("copy.warc", warc(&altered))], page),
        1 => {
            let index = cdxj(captures, "crawl.warc", Some(place)).into_bytes();
            (vec![file("crawl.warc", warc(captures)), file("crawl.cdxj", index)], page)
        }
        _ => {
            let mut all: Vec<usize> = captures.iter().map(|capture| capture.page).collect();
            all.sort_unstable();
            all.dedup();
            (vec![file("crawl.wacz", package(&altered, captures))], all)
        }
    }
}
