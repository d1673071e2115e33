//! A 304 stands for the content of the capture that it names only where nothing speaks against that.

use std::fs;

use super::{good, manifest, page};
use crate::support::record::{Record, id, ok};

const FIRST: &str = "2024-01-01T00:00:00Z";
const BETWEEN: &str = "2024-01-15T00:00:00Z";
const LATER: &str = "2024-02-01T00:00:00Z";

/// A tag and a `Last-Modified`, as a response gives them.
type Validators = (Option<&'static str>, Option<&'static str>);

const OLD: Option<&str> = Some("Sun, 01 Jan 2023 00:00:00 GMT");
const OLDER: Option<&str> = Some("Sat, 01 Jan 2022 00:00:00 GMT");
const AFTER: Option<&str> = Some("Wed, 10 Jan 2024 00:00:00 GMT");

fn lines((tag, modified): Validators) -> String {
    let line =
        |name: &str, value: Option<&str>| value.map_or(String::new(), |value| format!("\n{name}: {value}"));
    line("ETag", tag) + &line("Last-Modified", modified)
}

/// What of a 304 speaks against the capture that it names.
fn contradiction(had: Validators, told: Validators) -> Option<&'static str> {
    let differ =
        |one: Option<&str>, other: Option<&str>| one.zip(other).is_some_and(|(one, other)| one != other);
    match () {
        () if differ(had.1, told.1) => Some("its Last-Modified is not that of the capture that it names"),
        () if had.1.is_none() && told.1 == AFTER => {
            Some("its Last-Modified is later than the capture that it names")
        }
        () if differ(had.0, told.0) => Some("its ETag is not that of the capture that it would confirm"),
        () => None,
    }
}

#[test]
fn a_304_that_contradicts_the_capture_it_names_is_not_taken_before_a_full_capture() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/";
    let tags = [None, Some("\"x\""), Some("\"y\"")];
    let all = || tags.into_iter().flat_map(|tag| [None, OLD, OLDER, AFTER].map(|modified| (tag, modified)));
    let mut taken = [0, 0];
    for (had, told) in all().filter(|had| had.1 != AFTER).flat_map(|had| all().map(move |told| (had, told))) {
        let body = b"<p>the first page";
        let records = [
            Record::response(1, url, FIRST, &(ok(body.len()) + &lines(had)), body).bytes(),
            page(2, "", BETWEEN, "<p>a newer page"),
            Record::revisit(
                3,
                url,
                LATER,
                "server-not-modified",
                &("HTTP/1.1 304 Not Modified".to_owned() + &lines(told)),
            )
            .field("WARC-Refers-To", &format!("<{}>", id(1)))
            .bytes(),
        ];
        fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
        good(folder.path(), &["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc"]);
        let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        let entry = &urls[url];
        let why = contradiction(had, told);
        taken[usize::from(why.is_some())] += 1;
        let expected = if why.is_some() { (200, BETWEEN) } else { (304, LATER) };
        assert_eq!(
            (&entry["taken"]["status"], &entry["taken"]["time"]),
            (&expected.0.into(), &expected.1.into()),
            "{had:?} {told:?} {entry:#}"
        );
        if let Some(why) = why {
            let rejected =
                entry["rejected"].as_array().unwrap().iter().find(|one| one["time"] == LATER).unwrap();
            assert_eq!(rejected["why"], format!("a 304 that confirms no capture: {why}"), "{had:?} {told:?}");
        }
        for made in ["o.warc", "o.manifest.jsonl"] {
            fs::remove_file(folder.path().join(made)).unwrap();
        }
    }
    assert!(taken[0] > 20 && taken[1] > 20, "{taken:?}");
}

/// A 304 that was kept as a response has no content to restore, but it shows when the content of another capture was online.
#[test]
fn a_304_without_content_brings_the_capture_that_it_proves_closer_to_a_date() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/";
    let records = |tag: &str| {
        let page = |n: u32, date: &str, tag: &str, body: &[u8]| {
            Record::response(n, url, date, &format!("{}\nETag: {tag}", ok(body.len())), body).bytes()
        };
        let head = format!("HTTP/1.1 304 Not Modified\nETag: {tag}");
        [
            page(1, "2015-01-01T00:00:00Z", "\"x\"", b"<p>the first page of the site"),
            Record::response(2, url, "2017-07-01T00:00:00Z", &head, b"").bytes(),
            page(3, "2019-01-01T00:00:00Z", "\"y\"", b"<p>another page, quite unlike it"),
        ]
        .concat()
    };
    for (tag, expected) in [("\"x\"", "2015-01-01T00:00:00Z"), ("W/\"x\"", "2019-01-01T00:00:00Z")] {
        fs::write(folder.path().join("a.warc"), records(tag)).unwrap();
        let arguments =
            ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "--at", "2017-06-01", "-o", "o.warc"];
        good(folder.path(), &arguments);
        let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        assert_eq!(urls[url]["taken"]["time"], expected, "{tag}: {}", urls[url]);
    }
}
