use std::io::BufReader;

use proptest::prelude::*;

use super::*;
use crate::time::Instant;

/// All lines and problems of an index, read through a buffer of the given size.
fn read(text: &[u8], buffer: usize) -> (Vec<IndexLine<'static>>, Vec<(u64, String)>) {
    let mut reader = IndexReader::new(BufReader::with_capacity(buffer, text));
    let (mut lines, mut problems) = (Vec::new(), Vec::new());
    while let Some(item) = reader.next_item().unwrap() {
        match item {
            IndexItem::Line(line) => lines.push(owned(line)),
            IndexItem::Problem(problem) => problems.push((problem.offset.unwrap(), problem.kind)),
        }
    }
    (lines, problems)
}

fn owned(line: IndexLine<'_>) -> IndexLine<'static> {
    fn own(text: Option<Cow<'_, str>>) -> Option<Cow<'static, str>> {
        text.map(|text| Cow::Owned(text.into_owned()))
    }
    IndexLine {
        url: Cow::Owned(line.url.into_owned()),
        time: line.time,
        status: line.status,
        mime: own(line.mime),
        digest: line.digest,
        length: line.length,
        offset: line.offset,
        file: own(line.file),
        record_id: own(line.record_id),
        method: own(line.method),
        redirect: own(line.redirect),
        truncated: own(line.truncated),
        is_revisit: line.is_revisit,
        refers_to_url: own(line.refers_to_url),
        refers_to_time: line.refers_to_time,
        refers_to_id: own(line.refers_to_id),
        doubtful: line.doubtful,
    }
}

fn one(text: &str) -> IndexLine<'static> {
    let (mut lines, problems) = read(text.as_bytes(), 8192);
    assert_eq!((lines.len(), problems), (1, vec![]), "{text}");
    lines.remove(0)
}

const SHA1: &str = "B2RKOLH7OEPRC5ZLUE7T3TGB7DRLGZ7J";

#[test]
fn the_eleven_columns_of_most_indexers() {
    let line = one(&format!(
        " CDX N b a m s k r M S V g\norg,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} http://a.org/b - 402 117 x.arc.gz\n"
    ));
    assert_eq!(line.url, "http://a.org/");
    assert_eq!(line.time.unwrap().instant, Instant::parse("2007-08-21T14:32:46Z").unwrap());
    assert_eq!((line.status, line.mime.as_deref()), (Some(200), Some("text/html")));
    assert_eq!(line.digest, Digest::parse(SHA1));
    assert_eq!((line.length, line.offset, line.file.as_deref()), (Some(402), Some(117), Some("x.arc.gz")));
    assert_eq!((line.redirect.as_deref(), line.doubtful), (Some("http://a.org/b"), None));
}

#[test]
fn wgets_columns_with_the_record_id() {
    let line = one(&format!(
        " CDX a b a m s k r M V g u\nhttp://a/ 20261116001556 http://a.org/ text/html - {SHA1} - - 864 r.warc.gz <urn:uuid:4190>\r\n"
    ));
    assert_eq!(line.url, "http://a.org/");
    assert_eq!((line.status, line.length, line.offset), (None, None, Some(864)));
    assert_eq!(line.record_id.as_deref(), Some("urn:uuid:4190"));
}

#[test]
fn any_order_and_any_delimiter_the_header_names() {
    let line = one("\tCDX\ts\ta\tg\tb\n404\thttp://a.org/b c\tx.warc\t2007\n");
    assert_eq!(
        (line.status, line.url.as_ref(), line.file.as_deref()),
        (Some(404), "http://a.org/b c", Some("x.warc"))
    );
    let old = "CDX A b e a m s c k r V v D d g M n\n\
        0.com/B 20010424210551 209.52.183.152 0.com:80/B text/html 200 58670fbe7432c5bed6f3dcd7ea32b221 \
        a725a64ad6bb7112c55ed26c9e4cef63 - 17130110 59129865 1927657 6501523 DE_crawl6 - 5750\n";
    let line = one(old);
    assert_eq!((line.url.as_ref(), line.offset), ("0.com:80/B", Some(17_130_110)));
    assert_eq!(line.digest.unwrap().algorithm(), crate::digest::Algorithm::Md5);
}

#[test]
fn without_header_the_number_of_columns_tells_them() {
    for (line, length, offset) in [
        (format!("org,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} 402"), Some(402), None),
        (format!("org,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} - 117 x.warc"), None, Some(117)),
        (
            format!("org,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} - - 117 x.warc"),
            None,
            Some(117),
        ),
        (
            format!("org,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} - - 402 117 x.warc"),
            Some(402),
            Some(117),
        ),
    ] {
        assert_eq!(looks_like_index(line.as_bytes()), Some(IndexFormat::Cdx));
        let line = one(&line);
        assert_eq!((line.url.as_ref(), line.length, line.offset), ("http://a.org/", length, offset));
        assert_eq!(line.digest, Digest::parse(SHA1));
    }
}

#[test]
fn a_url_with_blanks_is_put_together_again() {
    let header = " CDX N b a m s k r M S V g\n";
    let line = one(&format!(
        "{header}org,a)/ 20070821143246 http://a.org/x y  z text/html 200 {SHA1} - - 402 117 x.arc.gz"
    ));
    assert_eq!((line.url.as_ref(), line.offset), ("http://a.org/x y  z", Some(117)));
    // Blanks elsewhere shift the other fields, which then make no sense.
    let (lines, problems) = read(
        format!("{header}org,a)/ 20070821143246 http://a.org/x text/html 200 {SHA1} - - 402 117 x y.arc.gz")
            .as_bytes(),
        64,
    );
    assert_eq!((lines.len(), problems.len()), (0, 1));
}

#[test]
fn cdxj_of_pywb_and_of_openwayback_and_bare_objects() {
    let pywb = one(
        "!meta 0 {}\norg,a)/ 20261116001318 {\"url\": \"http://a.org/\", \"mime\": \"warc/revisit\", \"status\": \"200\", \
         \"digest\": \"sha1:B2RKOLH7OEPRC5ZLUE7T3TGB7DRLGZ7J\", \"length\": \"14\", \"offset\": 328, \"filename\": \"a.warc.gz\", \
         \"method\": \"POST\", \"extra\": [1, {\"a\": null}]}\n",
    );
    assert_eq!((pywb.url.as_ref(), pywb.status, pywb.is_revisit), ("http://a.org/", Some(200), true));
    assert_eq!((pywb.length, pywb.offset, pywb.file.as_deref()), (Some(14), Some(328), Some("a.warc.gz")));
    assert_eq!((pywb.method.as_deref(), pywb.digest), (Some("POST"), Digest::parse(SHA1)));
    let openwayback = one(
        "!OpenWayback-CDXJ 1.0\n(com,a,)/f 2007-08-21T13:31:36Z response {\"ref\":\"warcfile:I.arc.gz#1977239\",\"hsc\":200,\
         \"sha\":\"B2RKOLH7OEPRC5ZLUE7T3TGB7DRLGZ7J\",\"digest\":\"GMW5NWOZ6D5MJLEUCH3JDIEURJMAEIIM\",\"uri\":\"http://a.com/f\",\
         \"rle\":681,\"mct\":\"image/x-icon\"}",
    );
    assert_eq!((openwayback.file.as_deref(), openwayback.offset), (Some("I.arc.gz"), Some(1_977_239)));
    assert_eq!((openwayback.digest, openwayback.length), (Digest::parse(SHA1), Some(681)));
    assert_eq!(openwayback.time.unwrap().instant, Instant::parse("2007-08-21T13:31:36Z").unwrap());
    let revisit = one(
        "(com,a,)/f 2007-08-21T13:31:36Z revisit {\"uri\":\"http://a.com/f\",\"rou\":\"http://a.com/g\",\"rod\":\"2006\"}",
    );
    assert!(revisit.is_revisit && revisit.refers_to_time.is_some());
    assert_eq!(revisit.refers_to_url.as_deref(), Some("http://a.com/g"));
    let bare = "{\"url\":\"http://a.com/\\u0066\",\"timestamp\":\"20200101000000\",\"status\":null}";
    assert_eq!(looks_like_index(bare.as_bytes()), Some(IndexFormat::Cdxj));
    let bare = one(bare);
    assert_eq!((bare.url.as_ref(), bare.status), ("http://a.com/f", None));
    assert_eq!(bare.time.unwrap().instant, Instant::parse("2020-01-01T00:00:00Z").unwrap());
}

#[test]
fn a_malformed_line_is_a_problem_with_its_place_and_reading_goes_on() {
    let good = format!("org,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} 402\n");
    let bad = "org,a)/ 20070821143246 some/not/even/url text/html 200 X 402\n";
    let text = format!("{good}{bad}nonsense\n\n{good}org,a)/ 20070821143246 {{\"url\": 1\n{good}");
    for buffer in [1, 7, 100, 8192] {
        let (lines, problems) = read(text.as_bytes(), buffer);
        assert_eq!(lines.len(), 3);
        let places: Vec<u64> = problems.iter().map(|(offset, _)| *offset).collect();
        let first = good.len() as u64;
        let second = first + bad.len() as u64;
        assert_eq!(places, [first, second, second + 10 + first]);
        assert!(problems.iter().all(|(_, kind)| kind == "index-line-malformed"));
    }
}

#[test]
fn what_makes_no_sense_in_a_field_is_unknown_and_named() {
    let line = one(&format!("org,a)/ 20070821143246 http://a.org/ text/html 2x0 {SHA1} 402"));
    assert_eq!((line.status, line.doubtful), (None, Some("status")));
    let line = one("org,a)/ 20071321143246 http://a.org/ unk 0 - -");
    assert_eq!((line.time, line.status, line.digest, line.doubtful), (None, None, None, Some("date")));
}

#[test]
fn a_line_without_end_is_passed_over_in_bounded_memory() {
    let good = format!("org,a)/ 20070821143246 http://a.org/ text/html 200 {SHA1} 402\n");
    let text = format!("{good}{}\n{good}", "x".repeat(5 << 20));
    let mut reader = IndexReader::new(BufReader::new(text.as_bytes()));
    let mut kinds = Vec::new();
    while let Some(item) = reader.next_item().unwrap() {
        kinds.push(match item {
            IndexItem::Line(_) => "line".to_owned(),
            IndexItem::Problem(problem) => problem.kind,
        });
    }
    assert_eq!(kinds, ["line", "index-line-too-long", "line"]);
    assert_eq!(reader.offset(), text.len() as u64);
}

#[test]
fn indexes_are_told_from_other_files_by_their_content() {
    for (head, format) in [
        (" CDX N b a m s k r M S V g\n", Some(IndexFormat::Cdx)),
        ("CDX A b e a\n", Some(IndexFormat::Cdx)),
        (
            "!meta 0 {\"format\": \"cdxj-gzip-1.0\"}\norg,a)/ 20200101000000 {\"offset\": 0}\n",
            Some(IndexFormat::Summary),
        ),
        ("!OpenWayback-CDXJ 1.0\n", Some(IndexFormat::Cdxj)),
        ("org,a)/ 20200101000000 {\"url\": \"htt", Some(IndexFormat::Cdxj)),
        ("org,a)/ 20200101000000\tpart-0\t0\t1234\t1\n", Some(IndexFormat::Summary)),
        ("WARC/1.0\r\nWARC-Type: warcinfo\r\n", None),
        ("filedesc://a.arc 0.0.0.0 20070821143246 text/plain 200 - - 0 a.arc 122\n", None),
        ("{\"url\":\"http://a/\",\"kind\":\"response\",\"time\":\"2020-01-01T00:00:00Z\"}\n", None),
        ("{\"profile\": \"data-package\"}", None),
        ("<!DOCTYPE html>\n", None),
        ("", None),
        ("\u{1f}\u{8b}", None),
    ] {
        assert_eq!(looks_like_index(head.as_bytes()), format, "{head:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic_or_lose_its_place(
        text in prop::collection::vec(prop::sample::select(b" CDXNbamskrMSVg\n{}\":,-0123456789!abc/\t\xff\r".to_vec()), 0..400),
        buffer in 1usize..64,
    ) {
        prop_assert_eq!(read(&text, buffer), read(&text, 8192));
        looks_like_index(&text);
    }
}
