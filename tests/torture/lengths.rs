//! Lengths that lie, and what stands between records.

use crate::case::cases;
use crate::heads::after;
use crate::support::pack::{gzip, members};
use crate::support::record::Record;

const DATE: &str = "2020-02-03T04:05:06Z";

fn page() -> Record {
    Record::page(1, "http://odd.example/", DATE, "<p>odd</p>")
}

fn length_plus(difference: i64) -> Record {
    let length = page().block().len() as i64 + difference;
    page().length(&length.to_string())
}

cases! {
    /// Content-Length too small by ten: the next record must be found.
    fn length_too_small(".warc") { [length_plus(-10).bytes(), after()].concat() }

    /// Content-Length too large by ten: it reaches into the next record, which must not be swallowed.
    fn length_too_large(".warc") { [length_plus(10).bytes(), after()].concat() }

    /// Content-Length counts the CRLF CRLF behind the block (archive-commons#2).
    fn length_counts_the_trailer(".warc") { [length_plus(4).bytes(), after()].concat() }

    /// Content-Length too large in a gzip member.
    fn length_too_large_in_member(".warc.gz") { members(&[length_plus(10).bytes(), after()]) }

    /// Content-Length too small in a gzip member.
    fn length_too_small_in_member(".warc.gz") { members(&[length_plus(-10).bytes(), after()]) }

    /// Content-Length too large in a whole-file gzip.
    fn length_too_large_whole_file(".warc.gz") { gzip(&[length_plus(10).bytes(), after()].concat()) }

    /// No Content-Length.
    fn no_length(".warc") { [page().without_length().bytes(), after()].concat() }

    /// No Content-Length in a gzip member: the member's end is the record's end.
    fn no_length_in_member(".warc.gz") { members(&[page().without_length().bytes(), after()]) }

    /// A negative Content-Length.
    fn length_negative(".warc") { [page().length("-1").bytes(), after()].concat() }

    /// A Content-Length that is not a number.
    fn length_no_number(".warc") { [page().length("many").bytes(), after()].concat() }

    /// Content-Length 2^64-1 (the `warc` and `rust_warc` crates panic).
    fn length_largest(".warc") { [page().length("18446744073709551615").bytes(), after()].concat() }

    /// Content-Length 2^64-1 in a gzip member.
    fn length_largest_in_member(".warc.gz") { members(&[page().length("18446744073709551615").bytes(), after()]) }

    /// Content-Length 2^64: more than fits.
    fn length_overflow(".warc") { [page().length("18446744073709551616").bytes(), after()].concat() }

    /// No newline behind a record (warcreate#122).
    fn no_trailer(".warc") { [page().trailer(b"").bytes(), after()].concat() }

    /// One CRLF instead of two behind a record (archive-commons#2).
    fn one_newline_trailer(".warc") { [page().trailer(b"\r\n").bytes(), after()].concat() }

    /// Many newlines behind a record.
    fn many_newlines(".warc") { [page().trailer(&b"\r\n".repeat(50)).bytes(), after()].concat() }

    /// A stray CRLF between record head and block, not counted by Content-Length (Nutch; warcio PR#42).
    fn stray_newline_before_block(".warc") {
        let record = page();
        let bytes = record.bytes();
        let head = bytes.len() - record.block().len() - 4;
        [&bytes[..head], b"\r\n", &bytes[head..], &after()].concat()
    }

    /// Text between two records.
    fn garbage_between_records(".warc") { [page().bytes(), b"=== end of part 1 ===\r\n".to_vec(), after()].concat() }

    /// Binary garbage without a newline right in front of a record (`warc` and fastwarc lose the record behind it).
    fn garbage_glued_to_record(".warc") { [page().bytes(), vec![0xfe; 100], after()].concat() }

    /// A record with an empty block.
    fn empty_block(".warc") {
        let empty = Record::new("response", 1, DATE, "").field("WARC-Target-URI", "http://odd.example/").field("Content-Type", "application/http; msgtype=response");
        [empty.bytes(), after()].concat()
    }

    /// A resource with an empty block.
    fn empty_resource(".warc") {
        let empty = Record::new("resource", 1, DATE, "").field("WARC-Target-URI", "http://odd.example/empty.css").field("Content-Type", "text/css")
            .field("WARC-Payload-Digest", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        [empty.bytes(), after()].concat()
    }

    /// The head of the last record ends the file: no blank line, no block.
    fn head_without_blank_line(".warc") {
        let bytes = page().bytes();
        let head = bytes.len() - page().block().len() - 4 - 2;
        [&after(), &bytes[..head]].concat()
    }

    /// A block that holds a line `WARC/1.0` of its own: a page about the format.
    fn version_line_in_block(".warc") {
        let body = "<pre>\r\nWARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n</pre>";
        [Record::page(1, "http://odd.example/", DATE, body).bytes(), after()].concat()
    }
}
