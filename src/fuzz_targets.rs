//! What fuzzing runs: one target per parser. Mutated input in the tests ([`crate::fuzz_tests`]), and coverage-guided in `tests/fuzz/`.

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

/// The name of a parser, and what runs it.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// Every parser.
pub(crate) const TARGETS: &[Target] = &[
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
