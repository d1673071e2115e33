//! `acuity diff`: classes, difference vectors, what is written.

mod not_modified;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::data::data;
use crate::support::digests::sha1;
use crate::support::pack::{gzip, members};
use crate::support::record::{Record, http, id};
use crate::support::schema::faults;
use serde_json::{Value, json};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap()
}

fn diff(folder: &Path, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["diff", "-q", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let output = run(folder, &all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn class(diff: &Value, url: &str) -> String {
    let resources = diff["resources"].as_array().unwrap();
    let found = resources.iter().find(|resource| resource["url"].as_str().unwrap().ends_with(url));
    found.unwrap_or_else(|| panic!("no {url}"))["class"].as_str().unwrap().to_owned()
}

fn page(n: u32, name: &str, body: &str) -> Vec<u8> {
    Record::page(n, &format!("http://a.example/{name}"), "2024-01-01T00:00:00Z", body).bytes()
}

/// The paper's Figure 1: A to F; rebuilt are A, B', C', E and G. F was sought and not found, D was never sought.
fn figure_1() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let names = ["A", "B", "C", "D", "E", "F"];
    let original: Vec<Vec<u8>> =
        (1..).zip(names).map(|(n, name)| page(n, name, &format!("<p>this is page {name}"))).collect();
    let gone = Record::response(
        19,
        "http://a.example/F",
        "2024-01-01T00:00:00Z",
        "HTTP/1.1 404 Not Found\nContent-Type: text/html",
        b"gone",
    );
    let rebuilt = [
        page(11, "A", "<p>this is page A"),
        page(12, "B", "<p>an older page B"),
        page(13, "C", "<p>an older page C"),
        page(14, "E", "<p>this is page E"),
        page(15, "G", "<p>this is page G"),
        gone.bytes(),
    ];
    fs::write(folder.path().join("w.warc"), original.concat()).unwrap();
    fs::write(folder.path().join("w2.warc"), rebuilt.concat()).unwrap();
    let asked: String =
        ["A", "B", "C", "E", "F", "G"].map(|name| format!("http://a.example/{name}\n")).concat();
    fs::write(folder.path().join("asked.txt"), asked).unwrap();
    folder
}

#[test]
fn a_revisit_without_a_head_differs_from_a_redirect_where_its_original_was_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>this is page A";
    let url = "http://a.example/A";
    let profile = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";
    let revisit = Record::new("revisit", 2, "2024-01-02T00:00:00Z", "")
        .field("WARC-Target-URI", url)
        .field("WARC-Profile", profile)
        .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
        .field("WARC-Refers-To", &format!("<{}>", id(1)))
        .bytes();
    let found = "HTTP/1.1 302 Found\nLocation: http://a.example/B";
    let redirect = Record::response(3, url, "2024-01-03T00:00:00Z", found, b"").bytes();
    fs::write(folder.path().join("1.warc"), [page(1, "A", body), revisit.clone()].concat()).unwrap();
    fs::write(folder.path().join("2.warc"), redirect).unwrap();
    fs::write(folder.path().join("3.warc"), revisit).unwrap();
    let resource = |one: &str, other: &str| diff(folder.path(), &[one, other])["resources"][0].clone();
    for (one, other) in [("1.warc", "2.warc"), ("2.warc", "1.warc")] {
        let resource = resource(one, other);
        assert_eq!(
            (&resource["class"], &resource["reason"]),
            (&"changed".into(), &"the status differs".into())
        );
    }
    // Without its original nothing is known of the status.
    let alone = resource("3.warc", "2.warc");
    assert_eq!(alone["class"], "unknown");
    assert!(
        alone["reason"].as_str().unwrap().contains("one side is a redirect, and with which status"),
        "{alone}"
    );
    assert_eq!(resource("1.warc", "3.warc")["class"], "identical");
}

#[test]
fn figure_1_between_two_archives_and_with_a_log_of_requests() {
    let folder = figure_1();
    let plain = diff(folder.path(), &["w.warc", "w2.warc"]);
    assert_eq!(
        plain["counts"],
        json!({"identical": 2, "changed": 2, "missing": 2, "unsought": 0, "added": 1, "unknown": 0})
    );
    let third = 1.0 / 3.0;
    assert_eq!(plain["vector"]["changed"], json!(third));
    assert_eq!((&plain["vector"]["missing"], &plain["vector"]["added"]), (&json!(third), &json!(0.2)));
    let logged = diff(folder.path(), &["w.warc", "w2.warc", "--sought", "asked.txt"]);
    assert_eq!(logged["vector"]["changed"], json!(third));
    assert_eq!(logged["vector"]["missing"], json!(1.0 / 6.0));
    assert_eq!(logged["vector"]["unsought"], json!(1.0 / 6.0));
    assert_eq!((class(&logged, "/D"), class(&logged, "/F")), ("unsought".to_owned(), "missing".to_owned()));
    // Every class has its witnesses.
    for resource in logged["resources"].as_array().unwrap() {
        assert!(!resource["witnesses"].as_array().unwrap().is_empty(), "{resource}");
    }
}

#[test]
fn the_schema_describes_what_is_written() {
    let folder = figure_1();
    let found = diff(folder.path(), &["w.warc", "w2.warc"]);
    let schema: Value = serde_json::from_str(include_str!("../../docs/diff-schema.json")).unwrap();
    assert_eq!(faults(&schema, &found), Vec::<String>::new());
    assert_eq!(found["schema"], "acuity.diff/1");
}

#[test]
fn limits_lists_and_drawings() {
    let folder = figure_1();
    let arguments =
        ["diff", "w.warc", "w2.warc", "-q", "--missing", "gone.txt", "--svg", "d.svg", "--fail-over"];
    let with =
        |limits: &str| run(folder.path(), &[&arguments[..], &[limits]].concat()).status.code().unwrap();
    assert_eq!((with("missing=0.34"), with("missing=0.05"), with("lost=1")), (0, 1, 2));
    let gone = fs::read_to_string(folder.path().join("gone.txt")).unwrap();
    assert_eq!(gone.lines().count(), 2);
    let svg = fs::read_to_string(folder.path().join("d.svg")).unwrap();
    for part in ["class=\"added\"", "class=\"changed\"", "class=\"missing\"", "(0.333, 0.333, 0.200)"] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    let text = String::from_utf8(run(folder.path(), &["diff", "w.warc", "w2.warc"]).stdout).unwrap();
    assert!(text.starts_with("2 of 6 resources identical"), "{text}");
    assert!(text.contains("▓") && text.contains("similarity of the text"), "{text}");
}

#[test]
fn what_cannot_be_compared_names_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/";
    let whole = Record::page(1, url, "2024-01-01T00:00:00Z", "<p>the whole page");
    let length = whole.block().len() + 50;
    let cut = Record::page(2, url, "2024-02-01T00:00:00Z", "<p>the whole page").length(&length.to_string());
    let in_charset = |n: u32, charset: &str| {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: text/plain; charset={charset}");
        Record::response(n, url, &format!("2024-0{n}-01T00:00:00Z"), &head, b"caf\xe9")
    };
    for (one, other, reason) in [
        (&whole, &cut, "cannot be compared: second capture: its record is cut short"),
        (&cut, &whole, "cannot be compared: first capture: its record is cut short"),
        (
            &in_charset(3, "iso-8859-1"),
            &in_charset(4, "koi8-r"),
            "cannot be compared: the same bytes are declared in two charsets, and their texts are unknown",
        ),
    ] {
        fs::write(folder.path().join("a.warc"), one.bytes()).unwrap();
        fs::write(folder.path().join("b.warc"), other.bytes()).unwrap();
        let found = diff_of(folder.path(), "a.warc", "b.warc");
        assert_eq!(found["resources"][0]["class"], "unknown", "{found}");
        assert_eq!(found["resources"][0]["reason"], reason);
    }
    // By bytes alone, the digest of a revisit is too weak.
    let revisit =
        Record::revisit(5, url, "2024-03-01T00:00:00Z", "identical-payload-digest", "HTTP/1.1 200 OK")
            .field("WARC-Payload-Digest", &sha1(b"<p>the whole page"))
            .field("WARC-Refers-To", &format!("<{}>", id(1)));
    fs::write(folder.path().join("a.warc"), whole.bytes()).unwrap();
    fs::write(folder.path().join("b.warc"), [whole.bytes(), revisit.bytes()].concat()).unwrap();
    let found = diff(folder.path(), &["a.warc", "b.warc", "--evidence", "bytes"]);
    let reason = "the only evidence is of grade digest, weaker than asked for";
    assert_eq!(found["resources"][0]["reason"], reason, "{found}");
}

/// A comparison whose inputs may be damaged.
fn diff_of(folder: &Path, one: &str, other: &str) -> Value {
    serde_json::from_slice(&run(folder, &["diff", "-q", "--json", one, other]).stdout).unwrap()
}

#[test]
fn a_capture_against_itself_is_the_zero_vector() {
    let mut checked = 0;
    for name in
        ["crawls/wget/siteC-visit.warc.gz", "crawls/condget/siteC.wacz", "crawls/wget/siteC-visit.cdx"]
    {
        let Some(path) = data(name) else { continue };
        let path = path.canonicalize().unwrap();
        let path = path.to_str().unwrap();
        let found = diff(Path::new("."), &[path, path]);
        for part in ["changed", "missing", "added"] {
            assert_eq!(found["vector"][part], json!(0.0), "{name} {part}");
            assert_eq!(found["by_importance"][part], json!(0.0), "{name} {part}");
        }
        checked += 1;
    }
    let folder = figure_1();
    let found = diff(folder.path(), &["w.warc", "./w.warc"]);
    assert_eq!(found["counts"]["identical"], 6, "{checked} other archives");
}

#[test]
fn html_resources_are_the_pages_of_the_audit() {
    for name in ["crawls/wget/siteC-visit.warc.gz", "warcs"] {
        let Some(path) = data(name) else { continue };
        let path = path.canonicalize().unwrap();
        let path = path.to_str().unwrap();
        let output = run(Path::new("."), &["diff", "-q", "--json", path, path]);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let audit = run(Path::new("."), &["audit", "-q", "--json", path]);
        let audit: Value = serde_json::from_slice(&audit.stdout).unwrap();
        let html = found["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "html").unwrap();
        assert_eq!(html["counts"]["identical"], audit["summary"]["pages"], "{name}");
    }
}

#[test]
fn what_cannot_be_compared_makes_the_vector_a_range() {
    let folder = tempfile::tempdir().unwrap();
    let cut = Record::page(3, "http://a.example/B", "2024-01-02T00:00:00Z", "<p>half of")
        .field("WARC-Truncated", "length");
    fs::write(folder.path().join("1.warc"), [page(1, "A", "<p>a"), page(2, "B", "<p>half of it")].concat())
        .unwrap();
    fs::write(folder.path().join("2.warc"), [page(4, "A", "<p>a"), cut.bytes()].concat()).unwrap();
    let found = diff(folder.path(), &["1.warc", "2.warc"]);
    assert_eq!(found["vector"]["changed"], json!({"low": 0.0, "high": 0.5}));
    assert_eq!(class(&found, "/B"), "unknown");
    let code = |limit: &str| {
        run(folder.path(), &["diff", "-q", "1.warc", "2.warc", "--fail-over", limit]).status.code().unwrap()
    };
    assert_eq!((code("changed=0.4"), code("changed=0.5")), (1, 0), "what may be more does not meet a limit");
}

#[test]
fn one_archive_at_two_dates_and_a_page_that_moved() {
    let folder = tempfile::tempdir().unwrap();
    let at = |n, name: &str, date: &str, body: &str| {
        Record::page(n, &format!("http://a.example/{name}"), date, body).bytes()
    };
    let archive = [
        at(1, "same", "2020-05-01T00:00:00Z", "<p>the same"),
        at(2, "old", "2020-05-01T00:00:00Z", "<p>a page that moves to another address"),
        at(3, "same", "2024-05-01T00:00:00Z", "<p>the same"),
        at(4, "new", "2024-05-01T00:00:00Z", "<p>a page that moves to another address"),
    ];
    fs::write(folder.path().join("a.warc"), archive.concat()).unwrap();
    let dates = ["a.warc", "--from", "2020", "--to", "2020", "--from", "2024", "--to", "2024"];
    let found = diff(folder.path(), &dates);
    assert_eq!(
        (class(&found, "/same"), class(&found, "/old")),
        ("identical".to_owned(), "missing".to_owned())
    );
    let moved = found["resources"].as_array().unwrap().iter().find(|one| one["class"] == "missing").unwrap();
    assert_eq!(moved["moved"], "http://a.example/new");
    assert_eq!(diff(folder.path(), &["a.warc", "--to", "2020", "--from", "2024"])["counts"], found["counts"]);
    for bad in [
        &["a.warc"][..],
        &["a.warc", "--from", "2020"],
        &["a.warc", "a.warc", "--from", "2024", "--to", "2020"],
    ] {
        let output = run(folder.path(), &[&["diff"], bad].concat());
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
    }
    // Scope: only what is below.
    let found = diff(folder.path(), &[&dates[..], &["--scope", "http://a.example/same"]].concat());
    assert_eq!(found["counts"]["missing"], 0);
}

#[test]
fn two_versions_stand_side_by_side_as_text_and_nothing_runs() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "<p>one<p><script>alert(1)</script>&lt;script&gt;alert(2)&lt;/script&gt;<p>three";
    fs::write(folder.path().join("1.warc"), page(1, "A", "<p>one<p>two<p>three")).unwrap();
    fs::write(folder.path().join("2.warc"), page(2, "A", hostile)).unwrap();
    let output = run(folder.path(), &["diff", "-q", "1.warc", "2.warc", "--html", "d.html"]);
    assert!(output.status.success());
    let html = fs::read_to_string(folder.path().join("d.html")).unwrap();
    assert!(html.contains("Content-Security-Policy") && html.contains("default-src "));
    assert!(html.contains("<td class=\"mark\"><bdi>two</bdi></td>"), "{html}");
    assert!(html.contains("&lt;script") && !html.contains("<script>alert"));
    // A title and an image are in no line of the text.
    for more in [["", ""], ["<p>old line", "<p>new line"]] {
        let versions = [("1.warc", 1, "Old", "a.png", more[0]), ("2.warc", 2, "New", "b.png", more[1])];
        for (file, n, title, image, more) in versions {
            let html = format!("<title>{title} name</title><p>Some words<img src={image} alt=x>{more}");
            fs::write(folder.path().join(file), page(n, "A", &html)).unwrap();
        }
        assert!(run(folder.path(), &["diff", "-q", "1.warc", "2.warc", "--html", "d.html"]).status.success());
        let html = fs::read_to_string(folder.path().join("d.html")).unwrap();
        assert!(html.contains("<td class=\"mark\"><bdi>Old name</bdi></td>"), "{html}");
        assert!(html.contains("1 image replaced"), "{html}");
    }
}

#[test]
fn redirects_errors_and_other_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let redirect = |n, to: &str| {
        let head = format!("HTTP/1.1 301 Moved\nLocation: {to}\nContent-Length: 0");
        Record::new("response", n, "2024-01-02T00:00:00Z", http(&head, b""))
            .field("WARC-Target-URI", "http://a.example/r/s")
            .field("Content-Type", "application/http; msgtype=response")
            .bytes()
    };
    fs::write(folder.path().join("1.warc"), redirect(1, "/x/y")).unwrap();
    fs::write(folder.path().join("2.warc"), redirect(2, "/x/z")).unwrap();
    fs::write(folder.path().join("3.warc"), redirect(3, "/x/y")).unwrap();
    assert_eq!(diff(folder.path(), &["1.warc", "2.warc"])["counts"]["changed"], 1, "another target");
    assert_eq!(diff(folder.path(), &["1.warc", "3.warc"])["counts"]["identical"], 1);
}

/// An archive with a page, an image that is revisited and a page that was not modified; and a CDXJ index of it.
fn indexed(folder: &Path, with_digests: bool) {
    let (old, new) = ("2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z");
    let url = |name: &str| format!("http://a.example/{name}");
    let revisit = |n, name: &str, profile: &str, status: &str, original| {
        Record::revisit(n, &url(name), new, profile, &format!("HTTP/1.1 {status}\nETag: \"x\""))
            .field("WARC-Refers-To", &format!("<{}>", id(original)))
            .field("WARC-Refers-To-Target-URI", &url(name))
            .field("WARC-Refers-To-Date", old)
    };
    let archive = [
        Record::page(1, &url("A"), old, "<p>page A").bytes(),
        Record::page(2, &url("B"), old, "<p>page B").bytes(),
        Record::page(3, &url("C"), old, "<p>page C").bytes(),
        revisit(4, "B", "identical-payload-digest", "200 OK", 2)
            .field("WARC-Payload-Digest", &sha1(b"<p>page B"))
            .bytes(),
        revisit(5, "C", "server-not-modified", "304 Not Modified", 3).bytes(),
    ];
    fs::write(folder.join("a.warc.gz"), members(&archive)).unwrap();
    let output = run(folder, &["index", "-q", "a.warc.gz"]);
    let mut lines = Vec::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let mut fields = json!({
            "url": line["url"], "status": line["status"].to_string(), "filename": "a.warc.gz",
            "offset": line["offset"].to_string(), "length": line["length"].to_string(),
            "mime": if line["kind"] == "revisit" { json!("warc/revisit") } else { line["mime"].clone() },
        });
        if with_digests && !line["declared"].is_null() {
            fields["digest"] = line["declared"].clone();
        }
        let digits: String =
            line["time"].as_str().unwrap().chars().filter(char::is_ascii_digit).take(14).collect();
        lines.push(format!("{} {digits} {fields}\n", line["key"].as_str().unwrap()));
    }
    lines.sort();
    fs::write(folder.join("a.cdxj"), lines.concat()).unwrap();
}

#[test]
fn an_archive_and_its_own_index_are_identical_either_way() {
    for with_digests in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        indexed(folder.path(), with_digests);
        for sides in [["a.warc.gz", "a.cdxj"], ["a.cdxj", "a.warc.gz"], ["a.cdxj", "a.cdxj"], [".", "a.cdxj"]]
        {
            let found = diff(folder.path(), &sides);
            assert_eq!(found["counts"]["identical"], 3, "{sides:?} {:?}", found["resources"]);
            assert_eq!(found["vector"]["missing"], json!(0.0), "{sides:?}");
            assert_eq!(found["rebuilt"]["captures"], 5, "{sides:?}");
        }
        // An index is no proof by bytes.
        let found = diff(folder.path(), &["a.warc.gz", "a.cdxj", "--evidence", "bytes"]);
        assert_eq!((&found["counts"]["unknown"], &found["counts"]["missing"]), (&json!(3), &json!(0)));
    }
    let (Some(archive), Some(index)) =
        (data("crawls/wget/siteC-visit.warc.gz"), data("crawls/wget/siteC-visit.cdx"))
    else {
        return;
    };
    let paths = [archive, index].map(|path| path.canonicalize().unwrap().to_str().unwrap().to_owned());
    let found = diff(Path::new("."), &[&paths[0], &paths[1]]);
    for class in ["changed", "missing", "added", "unknown"] {
        assert_eq!(found["counts"][class], 0, "{}", found["counts"]);
    }
}

#[test]
fn a_copy_is_identical_whatever_its_captures_are() {
    let folder = tempfile::tempdir().unwrap();
    indexed(folder.path(), true);
    let cut = Record::page(8, "http://a.example/cut", "2024-01-01T00:00:00Z", "<p>half of")
        .field("WARC-Truncated", "length")
        .bytes();
    let short = Record::response(
        9,
        "http://a.example/short",
        "2024-01-01T00:00:00Z",
        "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 99",
        b"<p>ends too early",
    );
    let mut bytes = fs::read(folder.path().join("a.warc.gz")).unwrap();
    bytes.extend(members(&[cut.clone(), short.bytes()]));
    fs::write(folder.path().join("one.warc.gz"), &bytes).unwrap();
    fs::write(folder.path().join("other.warc.gz"), &bytes).unwrap();
    let found = diff(folder.path(), &["one.warc.gz", "other.warc.gz"]);
    assert_eq!(found["counts"]["identical"], 5, "{:?}", found["resources"]);
    // Another record of the same id, cut elsewhere, is not a copy.
    let elsewhere = Record::page(8, "http://a.example/cut", "2024-01-01T00:00:00Z", "<p>half")
        .field("WARC-Truncated", "length");
    fs::write(folder.path().join("1.warc"), cut).unwrap();
    fs::write(folder.path().join("2.warc"), elsewhere.bytes()).unwrap();
    assert_eq!(diff(folder.path(), &["1.warc", "2.warc"])["counts"]["unknown"], 1);
    if let Some(path) = data("crawls/condget/siteC.warc.gz") {
        fs::copy(&path, folder.path().join("copy.warc.gz")).unwrap();
        for other in [path, data("crawls/condget/siteC.wacz").unwrap()] {
            let found =
                diff(folder.path(), &["copy.warc.gz", other.canonicalize().unwrap().to_str().unwrap()]);
            assert_eq!(found["counts"]["identical"], 190, "{}", found["counts"]);
        }
    }
}

#[test]
fn declared_digests_that_differ_are_never_identical() {
    let folder = tempfile::tempdir().unwrap();
    let index = |name: &str, digest: Option<&str>, offset: u32| {
        let mut fields = json!({"url": "http://a.example/x", "mime": "text/html", "status": "200",
            "filename": "data.warc.gz", "offset": offset.to_string(), "length": "500"});
        if let Some(digest) = digest {
            fields["digest"] = json!(digest);
        }
        fs::write(folder.path().join(name), format!("example,a)/x 20240101000000 {fields}\n")).unwrap();
    };
    let (one, two) = (sha1(b"1"), sha1(b"2"));
    let sha256 = format!("sha256:{}", "0".repeat(64));
    let cases: [(Option<&str>, Option<&str>, u32, &str); 5] = [
        (Some(&one), Some(&two), 100, "changed"),
        (Some(&one), Some(&sha256), 100, "unknown"),
        (Some(&one), Some(&one), 200, "identical"),
        (None, None, 100, "identical"),
        (None, None, 200, "unknown"),
    ];
    for (first, second, offset, expected) in cases {
        index("1.cdxj", first, 100);
        index("2.cdxj", second, offset);
        let found = diff(folder.path(), &["1.cdxj", "2.cdxj"]);
        assert_eq!(class(&found, "/x"), expected, "{first:?} {second:?} {offset}");
        let assumes = found["assumptions"].to_string().contains("one family of writers");
        assert_eq!(assumes, expected == "changed", "{}", found["assumptions"]);
    }
}

#[test]
fn an_input_that_does_not_exist_is_no_lost_site() {
    let folder = figure_1();
    for sides in [["w.warc", "nope.warc"], ["nope.warc", "w.warc"]] {
        let output = run(folder.path(), &[&["diff", "-q", "--missing", "m.txt"][..], &sides].concat());
        assert_eq!(output.status.code(), Some(2), "{sides:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("nope.warc"));
        assert!(!folder.path().join("m.txt").exists());
    }
}

#[test]
fn one_content_in_two_codings_is_not_called_changed_by_its_digests() {
    let folder = tempfile::tempdir().unwrap();
    let (url, later) = ("http://a.example/A", "2024-02-01T00:00:00Z");
    let text = b"<p>the same content, sent in several ways";
    let packed = gzip(text);
    let framed = [format!("{:x}\r\n", text.len()).as_bytes(), text, b"\r\n0\r\n\r\n"].concat();
    let writer = Record::fields("warcinfo", 9, later, "software: Wget/1.21\r\n").bytes();
    let plain = page(1, "A", std::str::from_utf8(text).unwrap());
    fs::write(folder.path().join("1.warc"), [writer.clone(), plain].concat()).unwrap();
    for (field, body) in [("Content-Encoding: gzip", &packed), ("Transfer-Encoding: chunked", &framed)] {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: text/html\n{field}");
        let response = Record::response(2, url, later, &head, body);
        fs::write(folder.path().join("2.warc"), [writer.clone(), response.bytes()].concat()).unwrap();
        assert_eq!(class(&diff(folder.path(), &["1.warc", "2.warc"]), "/A"), "identical", "{field}");
        let found = diff(folder.path(), &["1.warc", "2.warc", "--digests", "declared"]);
        assert_eq!(class(&found, "/A"), "unknown", "{field}");
        assert_eq!(found["vector"]["changed"], json!({"low": 0.0, "high": 1.0}));
        // A revisit whose original is not here.
        let revisit = Record::revisit(3, url, later, "identical-payload-digest", &head)
            .field("WARC-Payload-Digest", &sha1(body));
        fs::write(folder.path().join("3.warc"), [writer.clone(), revisit.bytes()].concat()).unwrap();
        let found = diff(folder.path(), &["1.warc", "3.warc"]);
        assert_eq!(class(&found, "/A"), "unknown", "{field}");
        assert!(found["resources"][0]["reason"].as_str().unwrap().contains("codings"), "{found}");
    }
}

#[test]
fn revisits_without_heads_are_not_called_changed_by_their_digests() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"<p>the same content, sent in two ways";
    let writer = Record::fields("warcinfo", 9, "2024-01-01T00:00:00Z", "software: Wget/1.21\r\n").bytes();
    for (n, body) in [(1, text.to_vec()), (2, gzip(text))] {
        let revisit = Record::new("revisit", n, &format!("2024-0{n}-01T00:00:00Z"), "")
            .field("WARC-Target-URI", "http://a.example/A")
            .field("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")
            .field("WARC-Payload-Digest", &sha1(&body));
        fs::write(folder.path().join(format!("{n}.warc")), [writer.clone(), revisit.bytes()].concat())
            .unwrap();
    }
    for digests in ["verify", "declared"] {
        let found = diff(folder.path(), &["1.warc", "2.warc", "--digests", digests]);
        assert_eq!(class(&found, "/A"), "unknown", "{digests}");
    }
}

#[test]
fn bodies_that_cannot_be_decoded_are_identical_as_stored_or_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let coded = |n: u32, end: u8| {
        let head = "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: br";
        let body = [0x11, 0xff, 0, 0xff, 0, 1, 2, end];
        Record::response(n, "http://a.example/A", "2024-01-01T00:00:00Z", head, &body).bytes()
    };
    for (n, end) in [(1, 3), (2, 4), (3, 3)] {
        fs::write(folder.path().join(format!("{n}.warc")), coded(n, end)).unwrap();
    }
    assert_eq!(class(&diff(folder.path(), &["1.warc", "2.warc"]), "/A"), "unknown");
    assert_eq!(class(&diff(folder.path(), &["1.warc", "3.warc"]), "/A"), "identical");
}

#[test]
fn what_became_empty_and_which_image_changed_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |one: Vec<u8>, other: Vec<u8>| {
        fs::write(folder.path().join("1.warc"), one).unwrap();
        fs::write(folder.path().join("2.warc"), other).unwrap();
        assert!(run(folder.path(), &["diff", "-q", "1.warc", "2.warc", "--html", "d.html"]).status.success());
        fs::read_to_string(folder.path().join("d.html")).unwrap()
    };
    let bare = |n| {
        let head = "HTTP/1.1 200 OK\nContent-Length: 0";
        Record::response(n, "http://a.example/A", "2024-01-01T00:00:00Z", head, b"").bytes()
    };
    let mark = "<td class=\"mark\"><bdi>all of the text</bdi></td>";
    assert!(shown(page(1, "A", "<p>all of the text"), bare(2)).contains(mark));
    assert!(shown(bare(1), page(2, "A", "<p>all of the text")).contains(mark));
    let body = |image: &str, link: &str| {
        format!("<p>Some words<img src=same.png><img src={image}><a href={link}>here</a>")
    };
    let html = shown(page(1, "A", &body("old.png", "/x")), page(2, "A", &body("new.png", "/y")));
    for marked in ["old.png", "new.png", "/x", "/y"] {
        assert!(html.contains(&format!("<td class=\"mark\"><bdi>{marked}</bdi></td>")), "{marked} in {html}");
    }
    assert!(html.contains("image replaced") && !html.contains("same.png"), "{html}");
}

/// What stood at an address is compared, whatever its type was at other times.
#[test]
fn content_of_two_media_types_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/x";
    let record = |n: u32, year: u32, mime: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {mime}");
        Record::response(n, url, &format!("{year}-01-01T00:00:00Z"), &head, body.as_bytes()).bytes()
    };
    let (html, pdf, png) =
        ("<html>The mill is open.</html>", "%PDF-1.4 of the mill", "\u{89}PNG of the mill");
    for (before, after, expected, why) in [
        (
            vec![record(1, 2020, "text/html", html)],
            vec![record(2, 2021, "application/pdf", pdf)],
            "changed",
            "media types differ",
        ),
        (
            vec![record(1, 2020, "image/png", png)],
            vec![record(2, 2021, "text/html", html), record(3, 2022, "image/png", png)],
            "identical",
            "",
        ),
        (
            vec![record(1, 2020, "text/html", html)],
            vec![record(2, 2021, "text/plain", html)],
            "unknown",
            "another media type",
        ),
    ] {
        fs::write(folder.path().join("w.warc"), before.concat()).unwrap();
        fs::write(folder.path().join("v.warc"), after.concat()).unwrap();
        for (one, other) in [("w.warc", "v.warc"), ("v.warc", "w.warc")] {
            let diff = diff(folder.path(), &[one, other]);
            assert_eq!(class(&diff, "/x"), expected, "{diff}");
            let reason = diff["resources"][0]["reason"].as_str().unwrap_or_default();
            assert!(reason.contains(why), "{reason}");
        }
    }
}

#[test]
fn a_capture_at_midnight_is_of_the_day_that_begins() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, date: &str, body: &str| Record::page(n, "http://a.example/", date, body).bytes();
    let records =
        [page(1, "2024-01-05T00:00:00Z", "<p>in January"), page(2, "2024-02-01T00:00:00Z", "<p>in February")];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    let counts = |dates: &[&str]| {
        let output = run(folder.path(), &[&["diff", "-q", "--json", "a.warc"][..], dates].concat());
        assert!(output.status.success(), "{dates:?}: {}", String::from_utf8_lossy(&output.stderr));
        let diff: Value = serde_json::from_slice(&output.stdout).unwrap();
        (diff["counts"]["changed"].as_u64().unwrap(), diff["original"]["captures"].as_u64().unwrap())
    };
    for dates in [
        &["--from", "2024-01", "--to", "2024-01", "--from", "2024-02", "--to", "2024-02"][..],
        &["--to", "2024-01", "--from", "2024-02"],
        &["--to", "2024-01-31", "--from", "2024-02-01"],
    ] {
        assert_eq!(counts(dates), (1, 1), "{dates:?}");
    }
    for (to, captures) in [("2024-01", 1), ("2024-01-31", 1), ("2024-02-01", 2), ("2024-02", 2)] {
        let output = run(folder.path(), &["audit", "-q", "--json", "a.warc", "--to", to]);
        let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(audit["summary"]["observations"], captures, "{to}");
    }
}

#[test]
fn changes_are_measured_from_tables_of_archives_too() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, date: &str, body: &str| Record::page(n, "http://a.example/", date, body).bytes();
    let texts = [
        "<title>a</title><p>The text of today is short.",
        "<title>a</title><p>The text of tomorrow is long.",
    ];
    for (n, (name, date)) in
        [("one", "2024-01-01T00:00:00Z"), ("two", "2024-02-01T00:00:00Z")].into_iter().enumerate()
    {
        fs::write(folder.path().join(format!("{name}.warc")), page(n as u32, date, texts[n])).unwrap();
        let warc = format!("{name}.warc");
        assert!(run(folder.path(), &["index", "-q", "--content", &warc, "--out", name]).status.success());
    }
    let change =
        |one: &str, other: &str| diff(folder.path(), &[one, other])["resources"][0]["change"].clone();
    let of_archives = change("one.warc", "two.warc");
    assert!(of_archives["importance"].as_f64().unwrap() > 0.0, "{of_archives}");
    assert_eq!(change("one", "two"), of_archives);
    fs::remove_file(folder.path().join("two.warc")).unwrap();
    let lacking = change("one", "two");
    assert!(lacking["importance"].is_null() && lacking["reason"].is_string(), "{lacking}");
}
