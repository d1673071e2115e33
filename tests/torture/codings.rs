//! Transfer and content codings.

use crate::case::cases;
use crate::heads::after;
use crate::support::deflate::deflate;
use crate::support::pack::{brotli, chunked, gzip, zlib, zstd};
use crate::support::record::Record;

const DATE: &str = "2020-02-03T04:05:06Z";
const TEXT: &[u8] = b"<p>The quick brown fox jumps over the lazy dog. The quick brown fox.</p>";

/// An answer with these header lines; the declared payload digest is that of `payload`.
fn answer(n: u32, lines: &str, body: &[u8], payload: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\nContent-Type: text/html\n{lines}");
    let digest = crate::support::digests::sha1(payload);
    Record::response(n, &format!("http://c{n}.example/"), DATE, &head, body)
        .set("WARC-Payload-Digest", &digest)
        .bytes()
}

fn coded(n: u32, coding: &str, body: &[u8]) -> Vec<u8> {
    answer(n, &format!("Content-Encoding: {coding}"), body, body)
}

const CHUNKED: &str = "Transfer-Encoding: chunked";

cases! {
    /// Chunked, sound; the payload digest is of the body without its framing (warc-specifications#22).
    fn chunked_sound(".warc") { [answer(1, CHUNKED, &chunked(TEXT, 20, ""), TEXT), after()].concat() }

    /// Chunked with extensions and trailer fields.
    fn chunked_trailers(".warc") {
        let body = b"5;name=value\r\nhello\r\n6 ; x\r\n world\r\n0\r\nX-Checksum: 1\r\nX-More: 2\r\n\r\n";
        [answer(1, CHUNKED, body, b"hello world"), after()].concat()
    }

    /// Chunked with sizes in upper case, leading zeros, LF line ends, no last blank line.
    fn chunked_loose(".warc") {
        [answer(1, CHUNKED, b"00A\nabcdefghij\n0\n", b"abcdefghij"), after()].concat()
    }

    /// The header says chunked, the body is not framed: many writers take the framing off and keep the header.
    fn chunked_header_lies(".warc") { [answer(1, CHUNKED, TEXT, TEXT), after()].concat() }

    /// The header lies, and the body starts with hex digits: `face` may be a chunk of 64206 bytes that was cut, so the body stays unknown.
    fn chunked_header_lies_hex(".warc") {
        let body = b"face\nto face with a body that starts like a chunk";
        [answer(1, CHUNKED, body, body), after()].concat()
    }

    /// The last chunk is missing: the body is not known to be whole.
    fn chunked_cut(".warc") {
        let body = chunked(TEXT, 20, "");
        let body = &body[..body.len() - 30];
        [answer(1, CHUNKED, body, body), after()].concat()
    }

    /// The framing breaks in the middle.
    fn chunked_broken(".warc") { [answer(1, CHUNKED, b"5\r\nhello\r\nzz\r\nworld\r\n0\r\n\r\n", b"hello"), after()].concat() }

    /// A chunk size of 16 hex digits.
    fn chunked_huge_size(".warc") { [answer(1, CHUNKED, b"ffffffffffffffff\r\nhello", b"hello"), after()].concat() }

    /// Gzip, x-gzip, upper case.
    fn gzip_bodies(".warc") { [coded(1, "gzip", &gzip(TEXT)), coded(2, "x-gzip", &gzip(TEXT)), coded(3, "GZIP", &gzip(TEXT)), after()].concat() }

    /// Gzip of two members, as some servers flush it.
    fn gzip_two_members(".warc") { [coded(1, "gzip", &[gzip(&TEXT[..30]), gzip(&TEXT[30..])].concat()), after()].concat() }

    /// Gzip with bytes behind it: servers append padding.
    fn gzip_padded(".warc") { [coded(1, "gzip", &[gzip(TEXT), vec![0; 5]].concat()), after()].concat() }

    /// Gzip within chunks, the order of nearly every server.
    fn gzip_chunked(".warc") {
        let lines = format!("Content-Encoding: gzip\n{CHUNKED}");
        [answer(1, &lines, &chunked(&gzip(TEXT), 16, ""), &gzip(TEXT)), after()].concat()
    }

    /// Deflate: zlib by the standard, raw by habit.
    fn deflate_bodies(".warc") { [coded(1, "deflate", &zlib(TEXT)), coded(2, "deflate", &deflate(TEXT)), after()].concat() }

    /// Brotli (conifer#727, warcio#73, pywb#947).
    fn brotli_body(".warc") { [coded(1, "br", &brotli(TEXT)), after()].concat() }

    /// Zstd (jwarc PR#98).
    fn zstd_body(".warc") { [coded(1, "zstd", &zstd(TEXT, &[])), after()].concat() }

    /// Codings stacked, in one header and in two, and a transfer coding that is not chunked.
    fn stacked_codings(".warc") {
        [
            coded(1, "br, gzip", &gzip(&brotli(TEXT))), answer(2, "Content-Encoding: gzip\nContent-Encoding: zstd", &zstd(&gzip(TEXT), &[]), &zstd(&gzip(TEXT), &[])),
            answer(3, "Transfer-Encoding: gzip, chunked", &chunked(&gzip(TEXT), 16, ""), &gzip(TEXT)), after(),
        ].concat()
    }

    /// An unknown coding is a problem, not an abort; the body stays unknown.
    fn unknown_coding(".warc") { [coded(1, "sdch", b"\x00\x01\x02"), coded(2, "gzip, aws-chunked", &gzip(TEXT)), after()].concat() }

    /// Words that name no coding.
    fn no_coding_words(".warc") { [coded(1, "identity", TEXT), coded(2, "utf-8", TEXT), coded(3, "none", TEXT), coded(4, "", TEXT), after()].concat() }

    /// The header lies about every coding: the body is plain (openwayback PR#395).
    fn lying_codings(".warc") { [coded(1, "gzip", TEXT), coded(2, "deflate", TEXT), coded(3, "br", TEXT), coded(4, "zstd", TEXT), after()].concat() }

    /// A gzip body cut in its middle, of a record that is whole.
    fn gzip_body_cut(".warc") {
        let body = gzip(TEXT);
        [coded(1, "gzip", &body[..body.len() - 20]), after()].concat()
    }

    /// A gzip body with a wrong checksum.
    fn gzip_body_bad_checksum(".warc") {
        let mut body = gzip(TEXT);
        let crc = body.len() - 8;
        body[crc] ^= 1;
        [coded(1, "gzip", &body), after()].concat()
    }

    /// Coded bodies of nothing: an empty body under a coding's header, and the coding of an empty body.
    fn coded_nothing(".warc") { [coded(1, "gzip", b""), coded(2, "gzip", &gzip(b"")), coded(3, "br", b"\x06"), after()].concat() }

    /// The same page by three writers: plain, gzip, chunked. Declared digests differ, the identity body is one (P4, P5).
    fn same_body_three_codings(".warc") {
        [coded(1, "identity", TEXT), coded(2, "gzip", &gzip(TEXT)), answer(3, CHUNKED, &chunked(TEXT, 7, ""), TEXT), after()].concat()
    }
}
