//! The heads of WARC records.

use crate::case::cases;
use crate::support::record::{Record, ok};

const DATE: &str = "2020-02-03T04:05:06Z";

/// A sound record behind the odd one: it must be found.
pub(crate) fn after() -> Vec<u8> {
    Record::page(99, "http://after.example/", "2020-02-03T05:00:00Z", "<p>after</p>").bytes()
}

fn page() -> Record {
    Record::page(1, "http://odd.example/", DATE, "<p>odd</p>")
}

cases! {
    /// `<…>` around the target URI, by wget and others; the most reported quirk (jwarc#30, warcio PR#42, arquivo#927, openwayback#421).
    fn uri_in_brackets(".warc") {
        [page().set("WARC-Target-URI", "<http://odd.example/>").bytes(), after()].concat()
    }

    /// Spaces in a target URI (warcio PR#80).
    fn uri_with_spaces(".warc") {
        [page().set("WARC-Target-URI", "http://odd.example/a b c.html").bytes(), after()].concat()
    }

    /// A target URI in Latin-1: bytes that are no UTF-8.
    fn uri_latin1(".warc") {
        let mut bytes = page().set("WARC-Target-URI", "http://odd.example/caf?").bytes();
        let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
        bytes[at] = 0xe9;
        [bytes, after()].concat()
    }

    /// No WARC-Target-URI at all (warcio PR#203).
    fn no_target_uri(".warc") { [page().without("WARC-Target-URI").bytes(), after()].concat() }

    /// Lines that end in LF alone (the `warc` crate swallows the next record).
    fn lf_line_ends(".warc") { [page().newline("\n").bytes(), page().newline("\n").set("WARC-Record-ID", "<urn:second>").bytes()].concat() }

    /// A field folded over several lines.
    fn folded_fields(".warc") {
        [page().set("WARC-Target-URI", "\r\n http://odd.example/").set("Content-Type", "application/http;\r\n\tmsgtype=response").bytes(), after()].concat()
    }

    /// Field names in any case, spaces around the colon (fastwarc reads a lower-case content-length as 0).
    fn field_names_in_any_case(".warc") {
        let text = String::from_utf8(page().bytes()).unwrap();
        let text = text.replacen("Content-Length: ", "content-length  :   ", 1).replace("WARC-Type", "wArC-tYpE").replace("WARC-Date", "warc-date");
        [text.into_bytes(), after()].concat()
    }

    /// Fields repeated: WARC-Concurrent-To, WARC-Protocol (warc-specifications#42, #95).
    fn repeated_fields(".warc") {
        let requests = [Record::request(3, "http://odd.example/", DATE, "GET /", ""), Record::request(4, "http://odd.example/x", DATE, "POST /x", "a=b")];
        let odd = page()
            .field("WARC-Protocol", "h2").field("WARC-Protocol", "tls/1.3")
            .field("WARC-Concurrent-To", "<urn:nobody>").field("WARC-Concurrent-To", "<urn:uuid:00000000-0000-4000-8000-000000000003>");
        [odd.bytes(), requests[0].bytes(), requests[1].bytes(), after()].concat()
    }

    /// A line without a colon among the fields.
    fn line_without_colon(".warc") {
        let text = String::from_utf8(page().bytes()).unwrap().replacen("WARC-Date", "this is no field\r\nWARC-Date", 1);
        [text.into_bytes(), after()].concat()
    }

    /// No WARC-Record-ID.
    fn no_record_id(".warc") { [page().without("WARC-Record-ID").bytes(), after()].concat() }

    /// No WARC-Type: what it is cannot be told.
    fn no_type(".warc") { [page().without("WARC-Type").bytes(), after()].concat() }

    /// A record type of someone's own.
    fn unknown_type(".warc") { [page().set("WARC-Type", "screenshot").bytes(), after()].concat() }

    /// Control characters and terminal escapes in a URI: passed on as they are, escaped where they are shown.
    fn uri_with_escapes(".warc") {
        [page().set("WARC-Target-URI", "http://odd.example/\u{1b}[31m\u{7}<script>\t,=1+1").bytes(), after()].concat()
    }

    /// A hundred unknown fields.
    fn hundred_fields(".warc") {
        [(0..100).fold(page(), |record, n| record.field(&format!("X-Field-{n}"), "value")).bytes(), after()].concat()
    }

    /// A segmented capture: first segment and its continuation (rare, unsupported almost everywhere: ipwb#374).
    fn segmented(".warc") {
        let body = "<p>one</p>".repeat(4);
        let whole = Record::page(1, "http://odd.example/", DATE, &body);
        let (start, rest) = whole.block().split_at(70);
        let first = Record::new("response", 1, DATE, start).field("WARC-Target-URI", "http://odd.example/").field("WARC-Segment-Number", "1")
            .field("Content-Type", "application/http; msgtype=response").field("WARC-Payload-Digest", &crate::support::digests::sha1(body.as_bytes()));
        let second = Record::new("continuation", 2, DATE, rest).field("WARC-Target-URI", "http://odd.example/").field("WARC-Segment-Number", "2")
            .field("WARC-Segment-Origin-ID", "<urn:uuid:00000000-0000-4000-8000-000000000001>").field("WARC-Segment-Total-Length", &whole.block().len().to_string());
        [first.bytes(), second.bytes(), after()].concat()
    }

    /// A capture that its crawler cut: WARC-Truncated with a reason.
    fn truncated_by_crawler(".warc") {
        let capture = |n, reason: &str| Record::page(n, &format!("http://{reason}.example/"), DATE, "<p>cut").field("WARC-Truncated", reason).bytes();
        [capture(1, "length"), capture(2, "time"), capture(3, "disconnect"), capture(4, "unspecified"), after()].concat()
    }

    /// The version line in lower case, and one of a version that does not exist.
    fn odd_version_lines(".warc") {
        let page = |n, version: &str| Record::response(n, &format!("http://v{n}.example/"), DATE, &ok(1), b"x").version(version).bytes();
        [page(1, "warc/1.0"), page(2, "WARC/9.9"), after()].concat()
    }
}
