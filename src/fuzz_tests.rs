//! A seeded, structure-aware mutation fuzzer: every parser on mutated parts of the torture set.
//!
//! Coverage-guided engines need a nightly compiler or instrumentation that is not at hand; mutations of files that were each
//! made to show one trouble reach deep all the same. `ACUITY_FUZZ_SECONDS` sets the time (default 5), `ACUITY_FUZZ_SEED` the seed.

use std::path::Path;
use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::archive::blob::Blob;
use crate::archive::cdx::{IndexReader, looks_like_index};
use crate::archive::chunked::Dechunker;
use crate::archive::coding::{BodySink, Decoder};
use crate::archive::members::{Depth, Members, Tools, walk_plain, walk_zstd};
use crate::archive::record::RecordHead;
use crate::archive::sniff::sniff;
use crate::archive::wacz::{DataPackage, Wacz};
use crate::archive::walk::{RecordEnd, Visitor};
use crate::archive::{arc, http, record};
use crate::capture::Observation;
use crate::digest::Digest;
use crate::html::css::CssScanner;
use crate::html::{blocks, charset, links, sitemap};
use crate::problem::Problem;
use crate::time::{Dated, Instant as Time, parse_http_date};
use crate::url::Canon;

struct Ignore;

impl Visitor for Ignore {
    fn begin(&mut self, _head: &RecordHead<'_>, _offset: u64) {}
    fn block(&mut self, _piece: &[u8]) {}
    fn end(&mut self, _end: RecordEnd) {}
    fn problem(&mut self, _problem: Problem) {}
}

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("archives", |bytes| {
        let blob = Blob::memory(bytes);
        let mut tools = Tools::default();
        let _ = sniff(&blob);
        walk_plain(&blob, &mut tools, &mut Ignore);
        let _ = walk_zstd(&blob, &mut tools, &mut Ignore);
        for depth in [Depth::Blocks, Depth::Heads] {
            let _ = Members::new(&blob, 0, blob.len(), &mut tools).walk(0, depth, &mut Ignore);
        }
    }),
    ("heads", |bytes| {
        let _ = (record::parse(bytes), arc::parse_line(bytes));
    }),
    ("http", |bytes| {
        let length = http::response_head_length(bytes).unwrap_or(bytes.len());
        let _ = (http::parse_response(&bytes[..length]), http::request_method(bytes));
    }),
    ("chunked", |bytes| {
        let split = |step: usize| {
            let (mut dechunker, mut out) = (Dechunker::default(), Vec::new());
            bytes
                .chunks(step)
                .for_each(|piece| dechunker.feed(piece, &mut |data| out.extend_from_slice(data)));
            let framing = dechunker.finish(&mut |data| out.extend_from_slice(data));
            (out, framing)
        };
        assert_eq!(split(bytes.len().max(1)), split(7), "the split changes the result");
    }),
    ("codings", |bytes| {
        for coding in ["gzip", "deflate", "br", "zstd"] {
            let mut decoder = Decoder::new(&[coding.to_owned()], BodySink::new(None));
            bytes.chunks(1000).for_each(|piece| decoder.feed(piece));
            decoder.finish();
        }
    }),
    ("cdx", |bytes| {
        let _ = looks_like_index(bytes);
        let mut reader = IndexReader::new(bytes);
        while let Ok(Some(_)) = reader.next_item() {}
    }),
    ("zip", |bytes| {
        let _ = DataPackage::parse(bytes);
        let Ok(wacz) = Wacz::open(Blob::memory(bytes)) else { return };
        wacz.archives().for_each(|entry| drop(wacz.read(entry)));
        let _ = wacz.pages();
    }),
    ("html", |bytes| {
        let _ = blocks::blocks(bytes, Some(b"text/html"));
        let mut scanner = links::LinkScanner::new();
        bytes.chunks(100).for_each(|piece| scanner.feed(piece, &mut |_, _| {}));
        scanner.finish(&mut |_, _| {});
    }),
    ("css", |bytes| {
        let mut css = CssScanner::default();
        bytes.chunks(13).for_each(|piece| css.feed(piece, &mut |_, _: &[u8]| {}));
        css.finish(&mut |_, _: &[u8]| {});
    }),
    ("sitemap", |bytes| drop(sitemap::read(bytes))),
    ("charset", |bytes| {
        let _ = charset::Charset::detect(bytes, Some(&bytes[..bytes.len().min(60)]));
    }),
    ("dates", |bytes| {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]);
        let _ = (
            Dated::parse(&text),
            Dated::parse_digits(text.as_bytes()),
            parse_http_date(&text),
            Digest::parse(&text),
        );
        if let Some(time) = Time::parse(&text) {
            assert_eq!(Time::parse(&time.to_string()), Some(time));
        }
    }),
    ("urls", |bytes| {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]);
        for canon in [Canon::Default, Canon::Strict] {
            let _ = canon.key(&text);
        }
    }),
    ("index lines", |bytes| {
        for line in bytes.split(|byte| *byte == b'\n') {
            let _ = serde_json::from_slice::<Observation>(line);
            let _ = (crate::crawl::log::line(line), crate::crawl::skipped_pages::line(line));
        }
    }),
    ("report", |bytes| {
        let _ = serde_json::from_slice::<crate::audit::Audit>(bytes);
    }),
];

/// Words that parsers look for: put in anywhere.
const WORDS: &[&[u8]] = &[
    b"WARC/1.0\r\n",
    b"Content-Length: ",
    b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"0\r\n\r\n",
    b"\x1f\x8b\x08\0",
    b"\x28\xb5\x2f\xfd",
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b" CDX N b a m s k r M S V g\n",
    b"{\"url\":",
    b"<!--",
    b"-->",
    b"<script>",
    b"<a href='",
    b"url(",
    b"@import ",
    b"<urlset>",
    b"<loc>",
    b"&#x",
    b"%",
    b"xn--",
    b"20240101000000",
    b"18446744073709551615",
    b"-1",
    b"\xff\xfe",
    b"\0\0\0\0",
];

fn mutate(seed: &[u8], other: &[u8], rng: &mut Pcg64Mcg) -> Vec<u8> {
    const MAX_LENGTH: usize = 8 << 10;
    let from = rng.random_range(0..=seed.len().saturating_sub(MAX_LENGTH));
    let from = if rng.random_range(0..3) == 0 { from } else { 0 };
    let mut bytes = seed[from..seed.len().min(from + MAX_LENGTH)].to_vec();
    for _ in 0..rng.random_range(0..6) {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..7) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
            2 => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            3 => {
                let end = (at + rng.random_range(0..64)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + rng.random_range(0..200)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let start = rng.random_range(0..=other.len());
                let end = (start + rng.random_range(0..500)).min(other.len());
                bytes.splice(at..at, other[start..end].iter().copied());
            }
            _ => {
                let word = rng.next_u32().to_le_bytes();
                bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
        }
    }
    bytes
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/torture");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn no_parser_panics_or_hangs_on_mutated_input() {
    let setting = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seconds, seed) = (setting("ACUITY_FUZZ_SECONDS", 5), setting("ACUITY_FUZZ_SEED", 1));
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let seeds = seeds();
    assert!(seeds.len() > 100);
    let (start, mut executions) = (Instant::now(), 0u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let (one, other) = (rng.random_range(0..seeds.len()), rng.random_range(0..seeds.len()));
        let bytes = mutate(&seeds[one], &seeds[other], &mut rng);
        for (name, target) in TARGETS {
            let begun = Instant::now();
            let outcome = std::panic::catch_unwind(|| target(&bytes));
            assert!(outcome.is_ok(), "{name} panics on {}", bytes.escape_ascii());
            let took = begun.elapsed();
            assert!(took < Duration::from_secs(20), "{name} took {took:?} on {}", bytes.escape_ascii());
            executions += 1;
        }
    }
    assert!(executions > 100, "{executions} executions");
    if seconds > 5 {
        std::fs::write(
            std::env::temp_dir().join("acuity-fuzz.txt"),
            format!("{executions} executions in {seconds} s, seed {seed}\n"),
        )
        .unwrap();
    }
}
