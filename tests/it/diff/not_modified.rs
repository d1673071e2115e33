//! A 304 has the content of the capture that it confirms: `acuity diff` and `acuity audit` agree on which one that is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{class, diff, run};
use crate::support::data::data;
use crate::support::record::{Record, id, ok};
use serde_json::Value;

/// Two windows: what is before them belongs to neither.
const WINDOWS: [&str; 8] = ["--from", "2021", "--to", "2021", "--from", "2022", "--to", "2022"];
const BEFORE: &str = "2020-06-01T00:00:00Z";
const FIRST: &str = "2021-06-01T00:00:00Z";
const SECOND: &str = "2022-06-01T00:00:00Z";
const ASSUMED: &str = "Assumed: where a server answered 304 (not modified), that was true.";

/// Validators as lines of a head: a date long before, and one of the second in which the first page was made.
const OLD: &str = "\nLast-Modified: Tue, 01 Jan 2019 00:00:00 GMT";
const YOUNG: &str = "\nLast-Modified: Tue, 01 Jun 2021 00:00:00 GMT";

/// The class of every URL.
fn classes(diff: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let resources = diff["resources"].as_array().unwrap().iter();
    resources.map(|resource| (text(&resource["url"]), text(&resource["class"]))).collect()
}

/// The state of every URL in an audit, as the class that a comparison of its two captures should have.
fn audited(folder: &Path, arguments: &[&str]) -> BTreeMap<String, String> {
    let output = run(folder, &[&["audit", "-q", "--json", "--pages", "all"], arguments].concat());
    let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
    let pages =
        audit["sites"].as_array().unwrap().iter().flat_map(|site| site["page_list"].as_array().unwrap());
    let class = |page: &Value| match page["state"].as_str().unwrap() {
        "sharp" => "identical",
        "changed" => "changed",
        "unknown" => "unknown",
        state => panic!("{state}: {page}"),
    };
    pages.map(|page| (page["url"].as_str().unwrap().to_owned(), class(page).to_owned())).collect()
}

/// Where the original of a 304 stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Original {
    /// In the first window.
    First,
    /// Before both, and both windows hold a 304.
    Before,
    /// Before both, and the first window holds another page.
    Elsewhere,
}

/// Every case of validators, of what a 304 names and of where that stands; in words, and its records.
fn cases() -> Vec<(String, Vec<(&'static str, Record)>)> {
    let strong = "\nETag: \"x\"".to_owned();
    let both = format!("{strong}{OLD}");
    let had =
        ["".to_owned(), strong.clone(), "\nETag: W/\"x\"".to_owned(), OLD.to_owned(), YOUNG.to_owned(), both];
    let told = [
        had[0].clone(),
        strong,
        "\nETag: \"y\"".to_owned(),
        had[2].clone(),
        OLD.to_owned(),
        YOUNG.to_owned(),
    ];
    let mut cases = Vec::new();
    for place in [Original::First, Original::Before, Original::Elsewhere] {
        for (had, told) in had.iter().flat_map(|had| told.iter().map(move |told| (had, told))) {
            for names in ["id", "date", "nothing", "another id", "a response"] {
                let number = cases.len() as u32;
                let url = format!("http://a.example/{number}");
                let ids = [1, 2, 3].map(|place| number * 10 + place);
                let date = if place == Original::First { FIRST } else { BEFORE };
                let page = |id: u32, date: &str, body: String, had: &str| {
                    Record::response(id, &url, date, &format!("{}{had}", ok(body.len())), body.as_bytes())
                };
                let confirms = |id_of: u32, at: &str| {
                    let head = format!("HTTP/1.1 304 Not Modified{told}");
                    let revisit = Record::revisit(id_of, &url, at, "server-not-modified", &head);
                    match names {
                        "id" => revisit.field("WARC-Refers-To", &format!("<{}>", id(ids[0]))),
                        "another id" => revisit.field("WARC-Refers-To", &format!("<{}>", id(9))),
                        "date" => revisit
                            .field("WARC-Refers-To-Target-URI", &url)
                            .field("WARC-Refers-To-Date", date),
                        "nothing" => revisit,
                        _ => Record::response(id_of, &url, at, &head, b"").without("WARC-Payload-Digest"),
                    }
                };
                let mut records =
                    vec![(date, page(ids[0], date, format!("<p>the page of number {number}"), had))];
                match place {
                    Original::First => {}
                    Original::Before => records.push((FIRST, confirms(ids[1], FIRST))),
                    Original::Elsewhere => {
                        records.push((FIRST, page(ids[1], FIRST, format!("<p>another one, {number}"), "")));
                    }
                }
                records.push((SECOND, confirms(ids[2], SECOND)));
                cases.push((format!("{place:?}, {had:?}, {told:?}, names {names}"), records));
            }
        }
    }
    cases
}

#[test]
fn two_windows_have_the_classes_of_the_audit_whatever_a_304_says() {
    let folder = tempfile::tempdir().unwrap();
    let cases = cases();
    let of = |accept: &dyn Fn(&str) -> bool| -> Vec<u8> {
        let records = cases.iter().flat_map(|(_, records)| records);
        records.filter(|(date, _)| accept(date)).flat_map(|(_, record)| record.bytes()).collect()
    };
    fs::write(folder.path().join("a.warc"), of(&|_| true)).unwrap();
    fs::write(folder.path().join("1.warc"), of(&|date| date != SECOND)).unwrap();
    fs::write(folder.path().join("2.warc"), of(&|date| date == SECOND)).unwrap();
    let expected = audited(folder.path(), &["a.warc", "--from", "2021"]);
    for inputs in [&["a.warc"][..], &["1.warc", "2.warc"]] {
        let found = diff(folder.path(), &[inputs, &WINDOWS].concat());
        let classes = classes(&found);
        assert_eq!(classes.len(), cases.len());
        for (number, (case, _)) in cases.iter().enumerate() {
            let url = format!("http://a.example/{number}");
            assert_eq!(classes[&url], expected[&url], "{case} of {inputs:?}");
        }
        for class in ["identical", "changed", "unknown"] {
            assert!(found["counts"][class].as_u64().unwrap() > 20, "{}", found["counts"]);
        }
        assert!(found["assumptions"].as_array().unwrap().iter().any(|one| one == ASSUMED), "{found}");
    }
}

#[test]
fn a_304_that_names_a_page_of_the_other_side_is_identical_and_says_by_what() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/A";
    let page = |n: u32, date: &str, body: &str| {
        Record::response(n, url, date, &format!("{}\nETag: \"x\"", ok(body.len())), body.as_bytes()).bytes()
    };
    let confirms = |n: u32, date: &str, told: &str| {
        Record::revisit(n, url, date, "server-not-modified", &format!("HTTP/1.1 304 Not Modified{told}"))
            .field("WARC-Refers-To", &format!("<{}>", id(1)))
            .bytes()
    };
    fs::write(folder.path().join("1.warc"), page(1, FIRST, "<p>one page")).unwrap();
    for told in ["\nETag: \"x\"", ""] {
        fs::write(folder.path().join("2.warc"), confirms(2, SECOND, told)).unwrap();
        let found = diff(folder.path(), &["1.warc", "2.warc"]);
        let resource = &found["resources"][0];
        assert_eq!((&resource["class"], &resource["grade"]), (&"identical".into(), &"not-modified".into()));
        assert!(resource["reason"].as_str().unwrap().contains("304"), "{resource}");
        let found = diff(folder.path(), &["1.warc", "2.warc", "--evidence", "digest"]);
        assert_eq!(class(&found, "/A"), "unknown", "a 304 is weaker than a digest");
        assert!(!found["assumptions"].to_string().contains("304"), "nothing rests on it");
    }
    // The page changed after what a 304 confirms: both versions are shown.
    fs::write(
        folder.path().join("3.warc"),
        [page(1, BEFORE, "<p>old words"), confirms(2, FIRST, "")].concat(),
    )
    .unwrap();
    fs::write(folder.path().join("4.warc"), page(3, SECOND, "<p>new words")).unwrap();
    let found = diff(folder.path(), &["3.warc", "4.warc"]);
    let resource = &found["resources"][0];
    assert_eq!((&resource["class"], &resource["kind"]), (&"changed".into(), &"html".into()));
    assert_eq!(resource["change"]["lines"][0]["before"], "old words", "{resource}");
}

#[test]
fn a_wall_in_place_of_an_image_takes_nothing_from_a_304_of_the_image() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/i.png";
    let image = b"\x89PNG\r\n\x1a\nimage";
    let head =
        format!("HTTP/1.1 200 OK\nContent-Type: image/png\nETag: \"x\"\nContent-Length: {}", image.len());
    let wall = "<title>Just a moment...</title><p>Verify you are human by completing the action below.</p>";
    let again =
        Record::revisit(3, url, SECOND, "server-not-modified", "HTTP/1.1 304 Not Modified\nETag: \"x\"")
            .field("WARC-Refers-To", &format!("<{}>", id(1)));
    fs::write(folder.path().join("1.warc"), Record::response(1, url, FIRST, &head, image).bytes()).unwrap();
    let blocked = Record::page(2, url, "2022-05-01T00:00:00Z", wall);
    fs::write(folder.path().join("2.warc"), [blocked.bytes(), again.bytes()].concat()).unwrap();
    let found = diff(folder.path(), &["1.warc", "2.warc"]);
    assert_eq!(class(&found, "/i.png"), "identical", "{found}");
}

/// The URLs that an audit of all inputs takes for pages.
fn pages(folder: &Path, inputs: &[&str]) -> BTreeSet<String> {
    let output = run(folder, &[&["audit", "-q", "--json"], inputs].concat());
    let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lists = audit["sites"].as_array().unwrap().iter().map(|site| site["page_list"].as_array().unwrap());
    lists.flatten().map(|page| page["url"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_url_that_only_ever_answered_304_is_no_resource_as_it_is_no_page_of_the_audit() {
    let folder = tempfile::tempdir().unwrap();
    let url = |name: &str| format!("http://a.example/{name}");
    let confirms = |n: u32, name: &str, date: &str| {
        Record::revisit(n, &url(name), date, "server-not-modified", "HTTP/1.1 304 Not Modified\nETag: \"x\"")
    };
    let named = |n: u32, name: &str, original: u32| {
        confirms(n, name, SECOND).field("WARC-Refers-To", &format!("<{}>", id(original))).bytes()
    };
    let of_status = |n: u32, name: &str, date: &str, status: &str| {
        let head = format!("HTTP/1.1 {status}\nContent-Type: text/html\nETag: \"x\"");
        Record::response(n, &url(name), date, &head, b"<p>some words").bytes()
    };
    let one = [
        of_status(1, "page", FIRST, "200 OK"),
        of_status(2, "gone", FIRST, "404 Not Found"),
        of_status(3, "failed", FIRST, "503 Unavailable"),
        confirms(4, "bare", FIRST).bytes(),
        of_status(5, "confirmed", FIRST, "200 OK"),
    ];
    let other = [
        of_status(11, "page", SECOND, "200 OK"),
        named(12, "gone", 2),
        named(13, "failed", 3),
        named(14, "bare", 9),
        named(15, "orphan", 9),
        named(16, "confirmed", 5),
        Record::response(17, &url("response"), SECOND, "HTTP/1.1 304 Not Modified", b"").bytes(),
    ];
    fs::write(folder.path().join("1.warc"), one.concat()).unwrap();
    fs::write(folder.path().join("2.warc"), other.concat()).unwrap();
    let expected = pages(folder.path(), &["1.warc", "2.warc"]);
    assert_eq!(expected, BTreeSet::from([url("confirmed"), url("page")]));
    for inputs in [["1.warc", "2.warc"], ["2.warc", "1.warc"]] {
        let found = diff(folder.path(), &inputs);
        let classes = classes(&found);
        assert_eq!(classes.keys().cloned().collect::<BTreeSet<_>>(), expected, "{found:#}");
        assert!(classes.values().all(|class| class == "identical"), "{classes:?}");
        let told = "Not counted: 5 URLs that answered 304 (not modified), with content in no input.";
        assert!(found["assumptions"].as_array().unwrap().iter().any(|one| one == told), "{found:#}");
    }
    // Where the page is on the other side, that is what the 304 speaks of: it is there, and whether it is the same is unknown.
    fs::write(folder.path().join("1.warc"), of_status(1, "orphan", FIRST, "200 OK")).unwrap();
    assert_eq!(class(&diff(folder.path(), &["1.warc", "2.warc"]), "/orphan"), "unknown");
}

#[test]
fn the_reason_names_what_of_a_304_disagrees() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/A";
    let body = b"<p>one page";
    let reason = |had: &str, told: &str, names: Option<u32>, request: &str| {
        let page = Record::response(1, url, FIRST, &format!("{}{had}", ok(body.len())), body).bytes();
        let mut confirms = Record::revisit(
            2,
            url,
            SECOND,
            "server-not-modified",
            &format!("HTTP/1.1 304 Not Modified{told}"),
        );
        if let Some(names) = names {
            confirms = confirms.field("WARC-Refers-To", &format!("<{}>", id(names)));
        }
        let line = format!("GET /A HTTP/1.1\r\nHost: a.example\r\n{request}\r\n");
        let asks = Record::new("request", 3, SECOND, line)
            .field("WARC-Target-URI", url)
            .field("WARC-Concurrent-To", &format!("<{}>", id(2)))
            .field("Content-Type", "application/http; msgtype=request");
        let asked = if request.is_empty() { Vec::new() } else { asks.bytes() };
        fs::write(folder.path().join("1.warc"), page).unwrap();
        fs::write(folder.path().join("2.warc"), [confirms.bytes(), asked].concat()).unwrap();
        let found = diff(folder.path(), &["1.warc", "2.warc"]);
        let resource = &found["resources"][0];
        assert_eq!(resource["class"], "unknown", "{resource}");
        let start = "cannot be compared: a 304 does not show which content it confirms: ";
        resource["reason"]
            .as_str()
            .unwrap()
            .strip_prefix(start)
            .unwrap_or_else(|| panic!("{resource}"))
            .to_owned()
    };
    let (x, y) = ("\nETag: \"x\"", "\nETag: \"y\"");
    let tag = "its ETag is not that of the capture that it would confirm";
    assert_eq!(reason(x, y, Some(1), ""), tag);
    assert_eq!(reason(x, y, None, ""), tag);
    assert_eq!(reason("\nETag: W/\"x\"", y, Some(1), ""), tag);
    assert_eq!(reason(OLD, YOUNG, Some(1), ""), "its Last-Modified is not that of the capture that it names");
    assert_eq!(
        reason(OLD, YOUNG, None, ""),
        "its Last-Modified is not that of the capture that it would confirm"
    );
    let late = "\nLast-Modified: Wed, 01 Dec 2021 00:00:00 GMT";
    assert_eq!(reason("", late, Some(1), ""), "its Last-Modified is later than the capture that it names");
    assert_eq!(reason(x, "", None, ""), "it names no capture and has neither ETag nor Last-Modified");
    assert_eq!(
        reason(x, x, Some(9), ""),
        "the capture that it names is not here, or has no content of this URL"
    );
    let asked = "If-None-Match: \"z\"\r\n";
    let other_tag = "the If-None-Match of its request has not the ETag of the capture that it would confirm";
    assert_eq!(reason(x, x, Some(1), asked), other_tag);
    let asked = "If-Modified-Since: Wed, 01 Dec 2021 00:00:00 GMT\r\n";
    let later = "the If-Modified-Since of its request is later than the capture that it would confirm";
    assert_eq!(reason("", "", Some(1), asked), later);
    let asked = "If-Modified-Since: Mon, 01 Jan 2018 00:00:00 GMT\r\n";
    let modified = "its Last-Modified is later than the If-Modified-Since of its request";
    assert_eq!(reason(OLD, OLD, Some(1), asked), modified);
}

#[test]
fn a_real_crawl_with_conditional_requests_has_the_classes_of_its_audit() {
    let Some(path) = data("crawls/condget/siteC.warc.gz") else { return };
    let path = path.canonicalize().unwrap();
    let path = path.to_str().unwrap();
    let times = ["2026-11-16T00:00:00Z", "2026-11-16T00:16:03Z", "2026-11-16T00:16:04Z", "2027"];
    let windows = ["--from", times[0], "--to", times[1], "--from", times[2], "--to", times[3]];
    let found = diff(Path::new("."), &[&[path][..], &windows].concat());
    assert_eq!(classes(&found), audited(Path::new("."), &[path]));
    assert_eq!((&found["counts"]["identical"], &found["counts"]["changed"]), (&148.into(), &42.into()));
}
