//! Revisit records.

use crate::case::cases;
use crate::support::digests::sha1;
use crate::support::pack::members;
use crate::support::record::{Record, id};

const DATE: &str = "2020-02-03T04:05:06Z";
const LATER: &str = "2020-03-03T04:05:06Z";
const URL: &str = "http://page.example/";
const TEXT: &str = "<p>the same</p>";
const EMPTY: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
const OK: &str = "HTTP/1.1 200 OK\nContent-Type: text/html";
const NOT_MODIFIED: &str = "HTTP/1.1 304 Not Modified\nETag: \"a\"";

fn original() -> Vec<u8> {
    Record::page(1, URL, DATE, TEXT).bytes()
}

fn revisit(n: u32) -> Record {
    Record::revisit(n, URL, LATER, "identical-payload-digest", OK)
}

fn digest() -> String {
    sha1(TEXT.as_bytes())
}

cases! {
    /// Resolved by record id: all a wget revisit has is WARC-Refers-To.
    fn revisit_by_id(".warc") {
        [original(), revisit(2).field("WARC-Refers-To", &format!("<{}>", id(1))).field("WARC-Payload-Digest", &digest()).bytes()].concat()
    }

    /// Resolved by URL and date, which need not be those of the same URL (P2: browsertrix dedups across URLs).
    fn revisit_by_url_and_date(".warc") {
        [original(), revisit(2).set("WARC-Target-URI", "http://other.example/").field("WARC-Refers-To-Target-URI", URL).field("WARC-Refers-To-Date", DATE).field("WARC-Payload-Digest", &digest()).bytes()].concat()
    }

    /// Resolved by the declared digest alone: no refers-to field at all.
    fn revisit_by_digest(".warc") { [original(), revisit(2).field("WARC-Payload-Digest", &digest()).bytes()].concat() }

    /// Resolved by digest: of two captures with it, that of the same URL, though the other is earlier.
    fn revisit_by_digest_same_url_first(".warc") {
        let other = Record::page(3, "http://other.example/", "2020-01-01T00:00:00Z", TEXT).bytes();
        [other, original(), revisit(2).field("WARC-Payload-Digest", &digest()).bytes()].concat()
    }

    /// The revisit stands before its original.
    fn revisit_before_original(".warc") { [revisit(2).field("WARC-Refers-To", &format!("<{}>", id(1))).bytes(), original()].concat() }

    /// The original is not there: the revisit stays, unresolved (browsertrix#3172).
    fn revisit_unresolved(".warc") {
        revisit(2).field("WARC-Refers-To", "<urn:uuid:gone>").field("WARC-Refers-To-Target-URI", URL).field("WARC-Refers-To-Date", DATE).field("WARC-Payload-Digest", &digest()).bytes()
    }

    /// The original is in another file.
    fn revisit_across_files("") { vec![("a-revisit.warc.gz", members(&[revisit(2).field("WARC-Refers-To", &format!("<{}>", id(1))).bytes()])), ("b-original.warc.gz", members(&[original()]))] }

    /// Server-not-modified with refers-to fields (conditional GET).
    fn not_modified(".warc") {
        let revisit = Record::revisit(2, URL, LATER, "server-not-modified", NOT_MODIFIED).field("WARC-Refers-To-Target-URI", URL).field("WARC-Refers-To-Date", DATE);
        [original(), revisit.bytes()].concat()
    }

    /// Server-not-modified without digest and without refers-to, all that the standard asks for (P3, httrack#778).
    fn not_modified_bare(".warc") { [original(), Record::revisit(2, URL, LATER, "server-not-modified", NOT_MODIFIED).bytes()].concat() }

    /// Server-not-modified with the digest of an empty body, by old Heritrix: it means no digest (openwayback#224, heritrix3 PR#118).
    fn not_modified_empty_digest(".warc") {
        let empty = Record::page(3, "http://empty.example/", DATE, "").bytes();
        [original(), empty, Record::revisit(2, URL, LATER, "server-not-modified", NOT_MODIFIED).field("WARC-Payload-Digest", EMPTY).bytes()].concat()
    }

    /// The digest of an empty body in hex on a revisit (jhove#629).
    fn revisit_empty_digest_hex(".warc") {
        [original(), revisit(2).field("WARC-Payload-Digest", "sha1:DA39A3EE5E6B4B0D3255BFEF95601890AFD80709").field("WARC-Refers-To", &format!("<{}>", id(1))).bytes()].concat()
    }

    /// Heritrix stamps `WARC-Truncated: length` on every revisit, with Content-Length 0: it is not a truncation (P11).
    fn revisit_truncated_length(".warc") {
        let heritrix = Record::new("revisit", 2, LATER, "").field("WARC-Target-URI", URL).field("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/server-not-modified")
            .field("WARC-Truncated", "length").field("WARC-Payload-Digest", &digest());
        [original(), heritrix.bytes()].concat()
    }

    /// A revisit that was truncated for another reason stays so.
    fn revisit_truncated_disconnect(".warc") { [original(), revisit(2).field("WARC-Truncated", "disconnect").field("WARC-Payload-Digest", &digest()).bytes()].concat() }

    /// Profile URIs of all versions, `uri-agnostic-…`, one of someone's own, none.
    fn revisit_profiles(".warc") {
        let profile = |n, uri: &str| revisit(n).set("WARC-Profile", uri).field("WARC-Payload-Digest", &digest()).bytes();
        [
            original(), profile(2, "http://netpreserve.org/warc/0.18/revisit/identical-payload-digest"), profile(3, "http://netpreserve.org/warc/1.1/revisit/server-not-modified"),
            profile(4, "http://netpreserve.org/warc/1.1/revisit/uri-agnostic-identical-payload-digest"), profile(5, "http://example.com/profile/my-own/"),
            revisit(6).without("WARC-Profile").field("WARC-Payload-Digest", &digest()).bytes(),
        ].concat()
    }

    /// The digest of an empty block beside a block that is not empty (wget).
    fn revisit_empty_block_digest(".warc") {
        [original(), revisit(2).field("WARC-Refers-To", &format!("<{}>", id(1))).field("WARC-Block-Digest", EMPTY).bytes()].concat()
    }

    /// The digest is spelled otherwise than that of the original: hex against base32.
    fn revisit_other_spelling(".warc") {
        let hex = format!("sha1:{}", crate::support::digests::sha1_hex(TEXT.as_bytes()));
        [original(), revisit(2).field("WARC-Payload-Digest", &hex).bytes()].concat()
    }

    /// A revisit of a revisit: resolved to the original that both name.
    fn revisit_of_revisit(".warc") {
        let first = revisit(2).field("WARC-Refers-To", &format!("<{}>", id(1))).field("WARC-Payload-Digest", &digest());
        let second = revisit(3).field("WARC-Refers-To", &format!("<{}>", id(2))).field("WARC-Payload-Digest", &digest()).set("WARC-Date", "2020-04-03T04:05:06Z");
        [original(), first.bytes(), second.bytes()].concat()
    }

    /// The revisit declares another digest than the record that it names: it says nothing about that record's body.
    fn revisit_contradicts(".warc") {
        let refers = |n| revisit(n).field("WARC-Payload-Digest", &sha1(b"another body"));
        let by_date = refers(3).field("WARC-Refers-To-Target-URI", URL).field("WARC-Refers-To-Date", DATE);
        let copy = Record::page(4, "http://other.example/", DATE, "another body");
        [original(), refers(2).field("WARC-Refers-To", &format!("<{}>", id(1))).bytes(), by_date.bytes(), copy.bytes()].concat()
    }

    /// The original declares no digest, or one of another algorithm: its body has not the one of the revisit.
    fn revisit_contradicts_body(".warc") {
        let bare = Record::page(1, URL, DATE, TEXT).without("WARC-Payload-Digest");
        let refers = |n, digest: &str| revisit(n).field("WARC-Refers-To", &format!("<{}>", id(1))).field("WARC-Payload-Digest", digest).bytes();
        [bare.bytes(), refers(2, &sha1(b"another body")), refers(3, &digest()), refers(4, "md5:0cc175b9c0f1b6a831c399e269772661")].concat()
    }

    /// The body of the record that the revisit names is not the one of that record's own digest, which the revisit repeats.
    fn revisit_of_wrong_body(".warc") {
        let wrong = Record::page(1, URL, DATE, "<p>altered</p>").set("WARC-Payload-Digest", &digest());
        [wrong.bytes(), revisit(2).field("WARC-Refers-To", &format!("<{}>", id(1))).field("WARC-Payload-Digest", &digest()).bytes()].concat()
    }

    /// Resolved by digest alone: the capture whose body has that digest, not an earlier one that only declares it.
    fn revisit_by_digest_that_holds(".warc") {
        let wrong = Record::page(3, URL, "2020-01-01T00:00:00Z", "<p>altered</p>").set("WARC-Payload-Digest", &digest());
        [wrong.bytes(), original(), revisit(2).field("WARC-Payload-Digest", &digest()).bytes()].concat()
    }

    /// The original declares the digest of its chunk framing, as wget does, and the revisit that of the body: no contradiction.
    fn revisit_of_framed_digest(".warc") {
        let body = crate::support::pack::chunked(TEXT.as_bytes(), 5, "");
        let head = "HTTP/1.1 200 OK\nContent-Type: text/html\nTransfer-Encoding: chunked";
        let wget = Record::response(1, URL, DATE, head, &body);
        let refers = |n, digest: &str| revisit(n).field("WARC-Refers-To", &format!("<{}>", id(1))).field("WARC-Payload-Digest", digest).bytes();
        [wget.bytes(), refers(2, &sha1(&body)), refers(3, &digest())].concat()
    }

    /// A revisit with the body still in its block (against the standard, seen in the wild): the head counts.
    fn revisit_with_body(".warc") {
        let block = crate::support::record::http(OK, TEXT.as_bytes());
        let revisit = Record::new("revisit", 2, LATER, block).field("WARC-Target-URI", URL).field("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")
            .field("WARC-Payload-Digest", &digest());
        [original(), revisit.bytes()].concat()
    }

    /// The original is in another package, named by WARC-Refers-To-Container (P12, warc-specifications#111): unresolved without it.
    fn revisit_refers_to_container(".warc") {
        revisit(2).field("WARC-Refers-To-Target-URI", URL).field("WARC-Refers-To-Date", DATE).field("WARC-Refers-To-Container", "file://crawl-1.wacz").field("WARC-Payload-Digest", &digest()).bytes()
    }

    /// A refers-to date with fractions against a capture dated to the second, and the reverse.
    fn revisit_date_precision(".warc") {
        let revisit = revisit(2).field("WARC-Refers-To-Target-URI", URL).field("WARC-Refers-To-Date", "2020-02-03T04:05:06.789Z");
        [original(), revisit.bytes()].concat()
    }
}
