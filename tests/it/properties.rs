//! Properties of reading: what is written is read back, and how the work is split does not show.

use std::path::Path;

use crate::support::pack::{chunked, gzip, zlib, zstd};
use crate::support::reading::{Read, read_inputs};
use crate::support::record::{Record, id};
use acuity::internals::capture::Kind;
use acuity::internals::digest::BodyDigest;
use acuity::internals::ingest::{Options, Wanted};
use acuity::internals::time::Instant;
use proptest::prelude::*;

/// How a page's body is wrapped.
#[derive(Debug, Clone, Copy)]
enum Wrapping {
    Plain,
    Chunked(usize),
    Gzip,
    GzipChunked(usize),
    Deflate,
    Zstd,
}

#[derive(Debug, Clone)]
enum Entry {
    Response { path: u8, body: Vec<u8>, wrapping: Wrapping, status: u16 },
    Resource { path: u8, body: Vec<u8> },
    Revisit { path: u8, not_modified: bool },
    Request { path: u8 },
}

fn wrapping() -> impl Strategy<Value = Wrapping> {
    prop_oneof![
        Just(Wrapping::Plain),
        (1..40usize).prop_map(Wrapping::Chunked),
        Just(Wrapping::Gzip),
        (1..40usize).prop_map(Wrapping::GzipChunked),
        Just(Wrapping::Deflate),
        Just(Wrapping::Zstd),
    ]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..300),
        proptest::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), Just(b'W'), any::<u8>()], 1..60),
        "(WARC/1\\.0\r\nWARC-Type: response\r\n){0,2}[a-z<>\r\n ]{1,100}".prop_map(String::into_bytes),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        4 => (any::<u8>(), body(), wrapping(), prop_oneof![Just(200), Just(404), Just(503)])
            .prop_map(|(path, body, wrapping, status)| Entry::Response { path, body, wrapping, status }),
        1 => (any::<u8>(), body()).prop_map(|(path, body)| Entry::Resource { path, body }),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(path, not_modified)| Entry::Revisit { path, not_modified }),
        1 => any::<u8>().prop_map(|path| Entry::Request { path }),
    ]
}

fn url(path: u8) -> String {
    format!("http://random.example/{path}")
}

fn record(n: u32, entry: &Entry) -> Record {
    let date = format!("2020-02-03T04:{:02}:{:02}.{:03}Z", n / 60 % 60, n % 60, n % 1000);
    match entry {
        Entry::Response { path, body, wrapping, status } => {
            let (lines, payload, wrapped) = match wrapping {
                Wrapping::Plain => ("", body.clone(), body.clone()),
                Wrapping::Chunked(size) => {
                    ("\nTransfer-Encoding: chunked", body.clone(), chunked(body, *size, ""))
                }
                Wrapping::Gzip => ("\nContent-Encoding: gzip", gzip(body), gzip(body)),
                Wrapping::GzipChunked(size) => (
                    "\nContent-Encoding: gzip\nTransfer-Encoding: chunked",
                    gzip(body),
                    chunked(&gzip(body), *size, ""),
                ),
                Wrapping::Deflate => ("\nContent-Encoding: deflate", zlib(body), zlib(body)),
                Wrapping::Zstd => ("\nContent-Encoding: zstd", zstd(body, &[]), zstd(body, &[])),
            };
            let head = format!("HTTP/1.1 {status} Some Reason\nContent-Type: text/html{lines}");
            let digest = crate::support::digests::sha1(&payload);
            Record::response(n, &url(*path), &date, &head, &wrapped)
                .set("WARC-Payload-Digest", &digest)
                .block_digest()
        }
        Entry::Resource { path, body } => Record::new("resource", n, &date, body.clone())
            .field("WARC-Target-URI", &url(*path))
            .field("Content-Type", "text/css")
            .block_digest(),
        Entry::Revisit { path, not_modified: true } => {
            Record::revisit(n, &url(*path), &date, "server-not-modified", "HTTP/1.1 304 Not Modified")
        }
        Entry::Revisit { path, .. } => {
            Record::revisit(n, &url(*path), &date, "identical-payload-digest", "HTTP/1.1 200 OK")
        }
        Entry::Request { path } => Record::request(n, &url(*path), &date, "GET /", ""),
    }
}

fn records(entries: &[Entry]) -> Vec<Vec<u8>> {
    entries.iter().zip(1..).map(|(entry, n)| record(n, entry).bytes()).collect()
}

/// Packs records; the offset of each, where each has one of its own.
fn pack(records: &[Vec<u8>], packing: u8) -> (Vec<u8>, Vec<u64>) {
    let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
    for record in records {
        offsets.push(bytes.len() as u64);
        match packing {
            0 => bytes.extend_from_slice(record),
            1 => bytes.extend(gzip(record)),
            _ => bytes.extend(zstd(record, &[])),
        }
    }
    (bytes, offsets)
}

fn with_file<T>(bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read(file.path())
}

fn read_with(path: &Path, threads: usize, chunk: u64) -> Read {
    read_inputs(&[path], &Options { threads, chunk, ..Options::default() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_sound_archive_is_read_back_exactly(entries in proptest::collection::vec(entry(), 1..12), packing in 0..3u8) {
        let (bytes, offsets) = pack(&records(&entries), packing);
        let read = with_file(&bytes, |path| read_with(path, 1, 1 << 20));
        prop_assert_eq!(read.problem_lines(), "");
        let mut found = read.observations.iter();
        for ((entry, n), offset) in entries.iter().zip(1..).zip(offsets) {
            let (kind, path, status, body) = match entry {
                Entry::Response { path, body, status, .. } => (Kind::Response, path, Some(*status), Some(body)),
                Entry::Resource { path, body } => (Kind::Resource, path, None, Some(body)),
                Entry::Revisit { path, not_modified } => (Kind::Revisit, path, Some(if *not_modified { 304 } else { 200 }), None),
                Entry::Request { .. } => continue,
            };
            let observation = found.next().unwrap();
            prop_assert_eq!((observation.kind, &observation.url, observation.status), (kind, &url(*path), status));
            prop_assert_eq!((observation.record_id.as_deref(), observation.offset), (Some(&*id(n)), Some(offset)));
            let date = format!("2020-02-03T04:{:02}:{:02}.{:03}Z", n / 60 % 60, n % 60, n % 1000);
            prop_assert_eq!(observation.time, Instant::parse(&date));
            if let Some(body) = body {
                prop_assert_eq!(observation.body, Some(BodyDigest(*blake3::hash(body).as_bytes())));
                prop_assert_eq!((observation.digest_ok, observation.body_length), (Some(true), Some(body.len() as u64)));
            }
        }
        prop_assert!(found.next().is_none());
    }

    #[test]
    fn threads_and_chunks_do_not_show(
        entries in proptest::collection::vec(entry(), 1..40), threads in 2..5usize, chunk in 1..2000u64,
        damage in proptest::collection::vec(any::<(u16, u8)>(), 0..3),
    ) {
        let (mut bytes, _) = pack(&records(&entries), 1);
        for (at, mask) in damage {
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= mask;
        }
        let (alone, together) = with_file(&bytes, |path| (read_with(path, 1, chunk), read_with(path, threads, chunk)));
        prop_assert_eq!(alone.observation_lines(), together.observation_lines());
        prop_assert_eq!(alone.problem_lines(), together.problem_lines());
    }
}

#[test]
fn threads_and_chunks_do_not_show_in_the_torture_set() {
    let folder = Path::new("fixtures/torture");
    let alone = read_with(folder, 1, 1);
    for (threads, chunk) in [(2, 1), (3, 17), (4, 100), (2, 1000)] {
        let together = read_with(folder, threads, chunk);
        assert_eq!(alone.observation_lines(), together.observation_lines());
        assert_eq!(alone.problem_lines(), together.problem_lines());
    }
}

#[test]
fn a_body_that_comes_again_has_the_links_and_the_text_of_its_own_address_and_encoding() {
    let body =
        "<title>Größe</title><base href=sub/><a href='../x#1'>ä</a><a href='../x#2'>b</a><img src=/i.png>";
    let page = |n: u32, url: &str, charset: &str| {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: text/html; charset={charset}");
        gzip(&Record::response(n, url, "2026-01-01T00:00:00Z", &head, body.as_bytes()).bytes())
    };
    let pages = [("http://a/d/", "utf-8"), ("http://b/e/f/", "utf-8"), ("http://a/d/", "iso-8859-1")];
    let archive: Vec<Vec<u8>> =
        (0..2).flat_map(|_| pages).zip(1..).map(|((url, charset), n)| page(n, url, charset)).collect();
    let folder = tempfile::tempdir().unwrap();
    let wanted = Wanted { text: true, links: true, sitemaps: false, walls: true };
    for threads in [1, 2] {
        let options = Options { threads, wanted, keep_content: true, chunk: 300, ..Options::default() };
        // Each on its own, for nothing was read before it.
        let mut alone = Vec::new();
        for member in &archive {
            let path = folder.path().join("one.warc.gz");
            std::fs::write(&path, member).unwrap();
            alone.extend(read_inputs(&[path.as_path()], &options).observations);
        }
        let path = folder.path().join("all.warc.gz");
        std::fs::write(&path, archive.concat()).unwrap();
        let together = read_inputs(&[path.as_path()], &options).observations;
        assert_eq!(together.len(), 6);
        for (one, other) in alone.iter().zip(&together) {
            assert_eq!((&one.links, one.text, one.body), (&other.links, other.text, other.body));
        }
        let urls = |number: usize| -> Vec<String> {
            together[number]
                .links
                .iter()
                .flat_map(|links| links.iter())
                .map(|(_, url)| url.to_owned())
                .collect()
        };
        assert_eq!(urls(3), ["http://a/d/x", "http://a/i.png"]);
        assert_eq!(urls(4), ["http://b/e/f/x", "http://b/i.png"]);
        assert_eq!(together[3].text, together[4].text);
        assert_ne!(together[4].text, together[5].text);
    }
}
