//! Declared digests: spellings, and what writers hash.

use crate::case::cases;
use crate::heads::after;
use crate::support::digests::{blake3_hex, md5_hex, sha1, sha1_hex, sha256_base64, sha256_hex};
use crate::support::pack::{chunked, gzip};
use crate::support::record::{Record, ok};

const DATE: &str = "2020-02-03T04:05:06Z";
const TEXT: &[u8] = b"<p>The quick brown fox jumps over the lazy dog.</p>";
const EMPTY: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

fn declared(n: u32, digest: &str) -> Vec<u8> {
    Record::response(n, &format!("http://d{n}.example/"), DATE, &ok(TEXT.len()), TEXT)
        .set("WARC-Payload-Digest", digest)
        .bytes()
}

fn habit(head: &str, body: &[u8], digest: &str) -> Record {
    Record::response(1, "http://habit.example/", DATE, head, body).set("WARC-Payload-Digest", digest)
}

cases! {
    /// SHA-1 in base32 and hex, lower and upper case, with `sha-1` and `SHA1` (warc-specifications#80, #48, #64; brozzler#213, wad#233).
    fn sha1_spellings(".warc") {
        let base32 = sha1(TEXT);
        [
            declared(1, &base32), declared(2, &base32.to_lowercase()), declared(3, &format!("sha1:{}", sha1_hex(TEXT))), declared(4, &format!("SHA1:{}", sha1_hex(TEXT).to_uppercase())),
            declared(5, &base32.replace("sha1:", "sha-1:")), declared(6, &base32.replace("sha1:", "sha1: ")), after(),
        ].concat()
    }

    /// A digest without a label, as in CDX: recognised by its length (jwarc PR#59).
    fn bare_digests(".warc") { [declared(1, &sha1(TEXT)[5..]), declared(2, &sha1_hex(TEXT)), declared(3, &sha256_hex(TEXT)), declared(4, &md5_hex(TEXT)), after()].concat() }

    /// SHA-256 in hex and base64, `sha256` and `sha-256`, MD5, BLAKE3 (Zeno PR#449).
    fn other_algorithms(".warc") {
        [
            declared(1, &format!("sha256:{}", sha256_hex(TEXT))), declared(2, &format!("sha-256:{}", sha256_base64(TEXT))),
            declared(3, &format!("md5:{}", md5_hex(TEXT))), declared(4, &format!("blake3:{}", blake3_hex(TEXT))), after(),
        ].concat()
    }

    /// An unknown algorithm, a digest of the wrong length, a label alone: no digest, and said so.
    fn unknown_digests(".warc") { [declared(1, "tiger:ABCDEF"), declared(2, "sha1:ABC"), declared(3, "sha256:"), after()].concat() }

    /// The payload digest is wrong and no habit of writers explains it.
    fn payload_digest_wrong(".warc") { [declared(1, &sha1(b"something else")), after()].concat() }

    /// The block digest is wrong.
    fn block_digest_wrong(".warc") {
        let page = Record::page(1, "http://block.example/", DATE, "<p>x</p>").field("WARC-Block-Digest", &sha1(b"something else"));
        [page.bytes(), after()].concat()
    }

    /// Both digests are right.
    fn digests_right(".warc") { [Record::page(1, "http://right.example/", DATE, "<p>x</p>").block_digest().bytes(), after()].concat() }

    /// The chunk framing was hashed with the body (warcio#74, #75; wpull#424; wad#218; heritrix3#769).
    fn habit_chunk_framing(".warc") {
        let framed = chunked(TEXT, 20, "");
        [habit("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", &framed, &sha1(&framed)).bytes(), after()].concat()
    }

    /// The body was hashed without its content coding.
    fn habit_decoded(".warc") {
        [habit("HTTP/1.1 200 OK\nContent-Encoding: gzip", &gzip(TEXT), &sha1(TEXT)).bytes(), after()].concat()
    }

    /// The body was hashed without its content coding, and was chunked.
    fn habit_decoded_chunked(".warc") {
        let framed = chunked(&gzip(TEXT), 20, "");
        [habit("HTTP/1.1 200 OK\nContent-Encoding: gzip\nTransfer-Encoding: chunked", &framed, &sha1(TEXT)).bytes(), after()].concat()
    }

    /// The payload digest is that of the whole block (Common Crawl 2018 had them exchanged: webarchive-commons#81).
    fn habit_block(".warc") {
        let record = habit(&ok(TEXT.len()), TEXT, "");
        let block = sha1(record.block());
        [record.set("WARC-Payload-Digest", &block).field("WARC-Block-Digest", &block).bytes(), after()].concat()
    }

    /// The payload digest is that of nothing, the body is not empty.
    fn habit_empty(".warc") { [habit(&ok(TEXT.len()), TEXT, EMPTY).bytes(), after()].concat() }

    /// The digest of nothing in hex (jhove#629), on a body that is empty: right.
    fn empty_body_digest(".warc") {
        [habit("HTTP/1.1 301 Moved\nLocation: /x", b"", "sha1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709").bytes(), after()].concat()
    }

    /// No digest is declared: nothing to check, and the body is known all the same.
    fn no_digest(".warc") { [habit(&ok(TEXT.len()), TEXT, "").without("WARC-Payload-Digest").bytes(), after()].concat() }

    /// A resource declares only a block digest: its block is its payload.
    fn resource_block_digest(".warc") {
        let resource = |n, text: &str| Record::new("resource", n, DATE, text).field("WARC-Target-URI", &format!("http://r{n}.example/")).field("Content-Type", "text/html").block_digest();
        [resource(1, "<p>x</p>").bytes(), resource(2, "<p>y</p>").field("WARC-Payload-Digest", &sha1(b"<p>y</p>")).bytes(), after()].concat()
    }
}
