//! Records around a capture, and records that are not captures.

use crate::case::cases;
use crate::heads::after;
use crate::support::record::{Record, id};

const DATE: &str = "2020-02-03T04:05:06Z";
const URL: &str = "http://page.example/form";

fn page(n: u32) -> Record {
    Record::page(n, URL, DATE, "<p>x</p>")
}

fn concurrent(record: Record, n: u32) -> Record {
    record.field("WARC-Concurrent-To", &format!("<{}>", id(n)))
}

cases! {
    /// The request stands before its response and is named by it.
    fn request_before(".warc") { [Record::request(2, URL, DATE, "GET /form", "").bytes(), concurrent(page(1), 2).bytes(), after()].concat() }

    /// The request stands behind its response and names it.
    fn request_after(".warc") { [page(1).bytes(), concurrent(Record::request(2, URL, DATE, "GET /form", ""), 1).bytes(), after()].concat() }

    /// Neither names the other; they are neighbours of one URL.
    fn request_unnamed(".warc") { [Record::request(2, URL, DATE, "HEAD /form", "").bytes(), page(1).bytes(), after()].concat() }

    /// Same URL, other methods and bodies: GET and two POSTs (P13, pywb#988). Only the first is a page's history.
    fn post_variants(".warc") {
        let pair = |n: u32, line: &str, form: &str| [concurrent(page(n), n + 10).bytes(), Record::request(n + 10, URL, DATE, line, form).bytes()].concat();
        [pair(1, "GET /form", ""), pair(2, "POST /form", "q=1"), pair(3, "POST /form", "q=2")].concat()
    }

    /// Heritrix metadata with fetchTimeMs: the fetch took that long (P7).
    fn fetch_time(".warc") {
        let metadata = Record::fields("metadata", 2, DATE, "via: http://page.example/\r\nhopsFromSeed: L\r\nfetchTimeMs: 1500\r\n").field("WARC-Target-URI", URL);
        [page(1).bytes(), concurrent(metadata, 1).bytes(), after()].concat()
    }

    /// fetchTimeMs that is not a number, or negative.
    fn fetch_time_odd(".warc") {
        let metadata = |n, value: &str| Record::fields("metadata", n, DATE, &format!("fetchTimeMs: {value}\r\n")).field("WARC-Target-URI", URL);
        [page(1).bytes(), concurrent(metadata(2, "soon"), 1).bytes(), concurrent(metadata(3, "-5"), 1).bytes(), after()].concat()
    }

    /// Writers and crawls: each warcinfo holds for the records behind it, or for those that name it.
    fn warcinfo(".warc") {
        let info = |n, software: &str, part: &str| Record::fields("warcinfo", n, DATE, &format!("software: {software}\r\nisPartOf: {part}\r\n")).bytes();
        [
            info(11, "Wget/1.21", "spring"), page(1).bytes(), info(12, "Browsertrix-Crawler 1.0", "autumn"), page(2).bytes(),
            page(3).field("WARC-Warcinfo-ID", &format!("<{}>", id(11))).bytes(),
        ].concat()
    }

    /// A file of warcit: its dates are those of files on disk, not of fetches (P8, warcit#31).
    fn warcit(".warc") {
        let resource = Record::new("resource", 2, "2015-01-01T00:00:00Z", "<p>x</p>").field("WARC-Target-URI", "http://site.example/").field("Content-Type", "text/html");
        [Record::fields("warcinfo", 1, DATE, "software: warcit 0.4.0\r\n").bytes(), resource.bytes()].concat()
    }

    /// `urn:text:`, `urn:view:`, `urn:pageinfo:` resources of browsertrix: no captures of the web (P9, browsertrix-crawler#792).
    fn urn_records(".warc") {
        let urn = |n, kind: &str, block: &str| Record::new("resource", n, DATE, block).field("WARC-Target-URI", &format!("urn:{kind}:{URL}")).field("Content-Type", "application/json").bytes();
        [page(1).bytes(), urn(2, "text", "x"), urn(3, "view", "PNG"), urn(4, "pageinfo", "{\"urls\":{\"http://page.example/a.css\":{\"status\":200,\"fromBrowserCache\":true}}}"), after()].concat()
    }

    /// `dns:` answers and `metadata:` resources of Heritrix and warcprox.
    fn dns_records(".warc") {
        let dns = Record::new("response", 1, DATE, "20200203040506\npage.example.\t300\tIN\tA\t192.0.2.1\n").field("WARC-Target-URI", "dns:page.example").field("Content-Type", "text/dns");
        let meta = Record::new("resource", 2, DATE, "seeds").field("WARC-Target-URI", "metadata://crawl/seeds.txt").field("Content-Type", "text/plain");
        [dns.bytes(), meta.bytes(), after()].concat()
    }

    /// Resources instead of responses (warcit#11), and a resource that holds an HTTP answer.
    fn resources(".warc") {
        let resource = |n, kind: &str, block: &str| Record::new("resource", n, DATE, block).field("WARC-Target-URI", &format!("http://r{n}.example/")).field("Content-Type", kind).bytes();
        [resource(1, "text/html; charset=utf-8", "<p>x</p>"), resource(2, "application/http; msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx"), after()].concat()
    }

    /// A conversion and a metadata record without fields: skipped.
    fn conversion(".warc") {
        let other = |n, kind: &str| Record::new(kind, n, DATE, "\x00binary").field("WARC-Target-URI", URL).bytes();
        [other(1, "conversion"), other(2, "metadata"), after()].concat()
    }

    /// The same capture twice in one file: both are observations.
    fn doubled_record(".warc") { [page(1).bytes(), page(1).bytes()].concat() }
}
