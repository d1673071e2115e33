//! HTTP heads.

use crate::case::cases;
use crate::heads::after;
use crate::support::digests::sha1;
use crate::support::record::Record;

const DATE: &str = "2020-02-03T04:05:06Z";

fn answer(n: u32, head: &str, body: &[u8]) -> Vec<u8> {
    Record::response(n, &format!("http://h{n}.example/"), DATE, head, body).bytes()
}

/// A record whose block is written out in full.
fn block(n: u32, block: &[u8], body: &[u8]) -> Vec<u8> {
    Record::new("response", n, DATE, block)
        .field("WARC-Target-URI", &format!("http://h{n}.example/"))
        .field("Content-Type", "application/http; msgtype=response")
        .field("WARC-Payload-Digest", &sha1(body))
        .bytes()
}

cases! {
    /// Status lines without a reason, with a space behind the code, in lower case, with two spaces (news-crawl#66, warcat#3).
    fn status_lines(".warc") {
        [answer(1, "HTTP/1.1 200", b"x"), answer(2, "HTTP/1.1 200 ", b"x"), answer(3, "http/1.0 404 Not Found", b"x"), answer(4, "HTTP/1.1  301 Moved", b"x"), after()].concat()
    }

    /// HTTP/2 and HTTP/3 in the status line (stormcrawler#828, warc-specifications#15).
    fn status_http2(".warc") { [answer(1, "HTTP/2 200\ncontent-type: text/html", b"x"), answer(2, "HTTP/2.0 404", b"x"), answer(3, "HTTP/3 200", b"x"), after()].concat() }

    /// Interim heads before the answer's own: 100 Continue, 103 Early Hints (httrack#1740).
    fn interim_heads(".warc") {
        let heads = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
        [block(1, &[&heads[..], b"body"].concat(), b"body"), after()].concat()
    }

    /// Nothing but an interim head.
    fn interim_head_alone(".warc") { [block(1, b"HTTP/1.1 100 Continue\r\n\r\n", b""), after()].concat() }

    /// A status that is not a number.
    fn status_no_number(".warc") { [answer(1, "HTTP/1.1 OK", b"x"), answer(2, "HTTP/1.1 2000 Too Long", b"x"), after()].concat() }

    /// A head of lines that end in LF alone.
    fn head_lf(".warc") { [block(1, b"HTTP/1.1 200 OK\nContent-Type: text/html\n\nbody", b"body"), after()].concat() }

    /// A folded header, a repeated one, one without a value, one in Latin-1.
    fn odd_headers(".warc") {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=utf-8\r\nContent-Type: text/plain\r\nX-Empty:\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nETag: \"caf\xe9\"\r\n\r\nbody";
        [block(1, head, b"body"), after()].concat()
    }

    /// No blank line behind the HTTP head: there is no body.
    fn head_without_end(".warc") { [block(1, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", b""), after()].concat() }

    /// A response record whose block is no HTTP answer at all.
    fn no_http_head(".warc") { [block(1, b"<html>bare</html>", b"<html>bare</html>"), after()].concat() }

    /// A shorter body than the HTTP Content-Length says: the crawler was cut off and did not say so.
    fn body_short(".warc") { [answer(1, "HTTP/1.1 200 OK\nContent-Length: 1000", b"only this"), after()].concat() }

    /// Answers without a body, some with a length: HEAD, 204, 304.
    fn bodyless(".warc") { [answer(1, "HTTP/1.1 204 No Content", b""), answer(2, "HTTP/1.1 304 Not Modified\nContent-Length: 1000\nETag: \"a\"", b""), after()].concat() }

    /// Validators: Last-Modified and Date in the three forms HTTP had, a weak ETag, and dates that are none.
    fn validators(".warc") {
        [
            answer(1, "HTTP/1.1 200 OK\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\nDate: Mon, 03 Feb 2020 04:05:07 GMT\nETag: W/\"abc\"", b"x"),
            answer(2, "HTTP/1.1 200 OK\nLast-Modified: Sunday, 06-Nov-94 08:49:37 GMT\nDate: Mon Feb  3 04:05:07 2020", b"x"),
            answer(3, "HTTP/1.1 200 OK\nLast-Modified: 0\nDate: yesterday", b"x"),
            after(),
        ].concat()
    }

    /// A server whose clock is a year off.
    fn clock_skew(".warc") { [answer(1, "HTTP/1.1 200 OK\nDate: Sun, 03 Feb 2019 04:05:06 GMT", b"x"), after()].concat() }

    /// Redirects with absolute, relative and odd targets.
    fn redirects(".warc") {
        [answer(1, "HTTP/1.1 301 Moved\nLocation: https://h1.example/", b""), answer(2, "HTTP/1.1 302 Found\nLocation: ../x y", b""), after()].concat()
    }

    /// Media types as servers write them: none, upper case, a list, garbage.
    fn media_types(".warc") {
        let typed = |n, kind: &str| answer(n, &format!("HTTP/1.1 200 OK\nContent-Type: {kind}"), b"x");
        [typed(1, "TEXT/HTML; Charset=UTF-8"), typed(2, "text/html, text/html"), typed(3, "html"), typed(4, ""), answer(5, "HTTP/1.1 200 OK", b"x"), after()].concat()
    }

    /// Browsertrix stores decoded bodies and renames the headers to `x-orig-…` (P5): nothing is to be decoded.
    fn x_orig_headers(".warc") {
        [answer(1, "HTTP/1.1 200 OK\nContent-Type: text/html\nx-orig-content-encoding: gzip\nx-orig-transfer-encoding: chunked", b"<p>plain</p>"), after()].concat()
    }

    /// Failed looks: 206, 408, 429, 500, 503 are observations too.
    fn failed_looks(".warc") {
        [
            answer(1, "HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-0/9", b"x"), answer(2, "HTTP/1.1 408 Request Timeout", b""),
            answer(3, "HTTP/1.1 429 Too Many Requests\nRetry-After: 60", b""), answer(4, "HTTP/1.1 500 Oops", b"x"), answer(5, "HTTP/1.1 503 Busy", b"x"), after(),
        ].concat()
    }
}
