//! What counts as captured, what is found as a link, and what weighs how much: case by case, with archives made here.

use std::collections::BTreeMap;
use std::process::Command;

use crate::support::record::Record;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const HTML: &str = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8";

/// An archive of responses: address, head and body each, a minute apart.
pub(crate) fn archive(responses: &[(&str, &str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    for (number, (url, head, body)) in (1u32..).zip(responses) {
        let time = format!("2024-03-04T10:{:02}:00Z", number % 60);
        bytes.extend(Record::response(number, url, &time, head, body).bytes());
    }
    std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
    folder
}

fn run(folder: &TempDir, more: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["audit", "-q", "--json"])
        .args(more)
        .arg(folder.path().join("a.warc"))
        .output()
        .unwrap()
}

pub(crate) fn audit(folder: &TempDir, more: &[&str]) -> Value {
    let output = run(folder, more);
    let text = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What is missing of a site, with its fate and reason.
pub(crate) fn missing(audit: &Value, site: &str) -> BTreeMap<String, (String, String)> {
    let sites = audit["sites"].as_array().unwrap();
    let site = sites.iter().find(|found| found["site"] == site).unwrap_or_else(|| panic!("{site}"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = site["missing"].as_array().unwrap().iter();
    entries.map(|entry| (text(&entry["url"]), (text(&entry["fate"]), text(&entry["reason"])))).collect()
}

/// The links that the index finds in a response at `http://a.example/dir/page`, with their kinds.
pub(crate) fn links(head: &str, body: &[u8]) -> Vec<(String, String)> {
    let folder = archive(&[("http://a.example/dir/page", head, body)]);
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["index", "-q", "--content"])
        .arg(folder.path().join("a.warc"))
        .output()
        .unwrap();
    let line: Value =
        serde_json::from_slice(output.stdout.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = line["links"].as_array().into_iter().flatten();
    all.map(|link| (text(&link["kind"]), text(&link["url"]))).collect()
}

fn pairs(found: &[(String, String)]) -> Vec<(&str, &str)> {
    found.iter().map(|(kind, url)| (&**kind, url.strip_prefix("http://a.example").unwrap_or(url))).collect()
}

#[test]
fn links_are_found_wherever_browsers_find_them() {
    let found = links(&format!("{HTML}\nRefresh: 5; url=/next"), b"<p>x");
    assert_eq!(pairs(&found), [("refresh", "/next")]);
    let found =
        links("HTTP/1.1 200 OK\nContent-Type: text/html; charset=iso-8859-1", b"<a href='/\xe9?q=\xe9'>");
    assert_eq!(pairs(&found), [("anchor", "/%C3%A9?q=%E9")]);
    let page =
        b"<html><head><script src='s.js'/><title>t</title></head><body><a href='/x'>x</a></body></html>";
    let found = links("HTTP/1.1 200 OK\nContent-Type: application/xhtml+xml", page);
    assert_eq!(pairs(&found), [("script", "/dir/s.js"), ("anchor", "/x")]);
    // In HTML the script goes on to the end.
    assert_eq!(pairs(&links(HTML, page)), [("script", "/dir/s.js")]);
    let page = b"<svg><script href='v.js'/></svg><a href='/y'>";
    assert_eq!(pairs(&links(HTML, page)), [("script", "/dir/v.js"), ("anchor", "/y")]);
    // Without a type, or with one that says nothing, the bytes decide.
    for head in ["HTTP/1.1 200 OK", "HTTP/1.1 200 OK\nContent-Type: application/unknown"] {
        assert_eq!(pairs(&links(head, b"\n <!doctype html><a href=/z>")), [("anchor", "/z")]);
        assert!(links(head, b"plain <a href=/z>").is_empty());
    }
    let page =
        b"<img src=p.gif data-src=/l.png><img loading=lazy src=/m.png><iframe loading=lazy src=/f></iframe>";
    let lazy = [("image", "/dir/p.gif"), ("lazy", "/l.png"), ("lazy", "/m.png"), ("lazy", "/f")];
    assert_eq!(pairs(&links(HTML, page)), lazy);
    let page = b"<frameset><frame src=/f></frameset><noframes><a href=/n>n</a></noframes>";
    assert_eq!(pairs(&links(HTML, page)), [("frame", "/f"), ("anchor", "/n")]);
    let page = b"<iframe srcdoc='<img src=/i.png>' src=/no></iframe><object><param name=movie value=/m.swf></object>\
                 <link rel=apple-touch-icon-precomposed href=/a.png>";
    assert_eq!(pairs(&links(HTML, page)), [("image", "/i.png"), ("object", "/m.swf"), ("icon", "/a.png")]);
    let feed = b"<?xml version='1.0'?><rss><channel><item><link>http://a.example/1</link>\
                 <enclosure url='/1.mp3'/></item></channel></rss>";
    for mime in ["application/rss+xml", "text/xml; charset=utf-8"] {
        let found = links(&format!("HTTP/1.1 200 OK\nContent-Type: {mime}"), feed);
        assert_eq!(pairs(&found), [("anchor", "/1"), ("anchor", "/1.mp3")]);
    }
    let drawing = b"<?xml version='1.0'?><svg><image xlink:href='/i.png'/><a href='/t'/><style>@import '/s.css';</style></svg>";
    let found = links("HTTP/1.1 200 OK\nContent-Type: image/svg+xml", drawing);
    assert_eq!(pairs(&found), [("image", "/i.png"), ("anchor", "/t"), ("stylesheet", "/s.css")]);
}

#[test]
fn a_page_without_a_type_and_a_feed_take_part_in_the_audit() {
    let feed = b"<rss><channel><item><link>http://a.example/lost</link></item></channel></rss>";
    let folder = archive(&[
        ("http://a.example/", "HTTP/1.1 200 OK", b"<html><a href=/two>two</a></html>"),
        ("http://a.example/two", HTML, b"<p>two"),
        ("http://a.example/feed", "HTTP/1.1 200 OK\nContent-Type: application/rss+xml", feed),
    ]);
    let found = audit(&folder, &[]);
    assert_eq!(found["summary"]["pages"], 2);
    assert_eq!(missing(&found, "a.example").keys().collect::<Vec<_>>(), ["http://a.example/lost"]);
}

/// The fate of `/t`, which the page links to and embeds, with these responses.
fn fate(responses: &[(&str, &str, &[u8])]) -> Option<String> {
    let page: &[u8] = b"<a href=/t>t</a><a href=/other>o</a><iframe src=/t></iframe>";
    let mut all =
        vec![("http://a.example/", HTML, page), ("http://a.example/other", HTML, b"<p>other words here")];
    all.extend_from_slice(responses);
    let found = audit(&archive(&all), &[]);
    missing(&found, "a.example").get("http://a.example/t").map(|(fate, reason)| format!("{fate}: {reason}"))
}

#[test]
fn what_counts_as_captured() {
    const T: &str = "http://a.example/t";
    let body: &[u8] = b"<p>the page itself";
    let redirect = |to: &str| format!("HTTP/1.1 302 Found\nLocation: {to}");
    let is = |responses: &[(&str, &str, &[u8])], expected: Option<&str>| {
        let found = fate(responses);
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) if found.contains(expected) => {}
            _ => panic!("{found:?} is not {expected:?}: {responses:?}"),
        }
    };
    is(&[], Some("untried"));
    is(&[(T, HTML, body)], None);
    is(&[(T, &redirect("/u"), b""), ("http://a.example/u", &redirect("/t"), b"")], Some("loop"));
    is(&[(T, &redirect("/t"), b"")], Some("itself"));
    is(&[(T, "HTTP/1.1 302 Found", b"")], Some("does not say where"));
    is(
        &[(T, "HTTP/1.1 206 Partial Content\nContent-Type: text/html\nContent-Range: bytes 0-9/99", body)],
        Some("part"),
    );
    is(&[(T, &format!("{HTML}\nContent-Length: 9999"), body)], Some("cut short"));
    is(&[(T, "HTTP/1.1 304 Not Modified", b"")], Some("not modified"));
    is(&[(T, HTML, b"")], Some("empty"));
    is(&[(T, "HTTP/1.1 204 No Content", b"")], Some("without any content"));
    is(&[(T, "HTTP/1.1 205 Reset Content", b"")], Some("without any content"));
    is(&[(T, HTML, b" \r\n\t\n")], Some("blank"));
    is(&[(T, "HTTP/1.1 200 OK\nContent-Type: image/png", b"\n\n")], Some("blank"));
    is(&[(T, HTML, b"<html><head></head><body> </body></html>")], Some("blank"));
    is(&[(T, HTML, b"<html><body><script src=/app.js></script></body></html>")], None);
    is(&[(T, HTML, b"<body><img src=/t.png></body>")], None);
    is(&[(T, HTML, b" "), (T, HTML, body)], None);
    is(&[(T, "HTTP/1.1 404 Not Found", b"gone")], Some("404"));
    is(&[(T, "HTTP/1.1 503 Busy", b"")], Some("503"));
    // A redirect counts as its target, on any host, through a chain.
    let chain = [
        (T, redirect("/u")),
        ("http://a.example/u", redirect("http://b.example/v")),
        ("http://b.example/v", redirect("/w")),
    ];
    let mut all: Vec<(&str, &str, &[u8])> =
        chain.iter().map(|(url, head)| (*url, &**head, &b""[..])).collect();
    all.push(("http://b.example/w", HTML, body));
    is(&all, None);
    all.pop();
    is(&all, Some("not captured"));
    // One good capture is enough, before or after a bad one.
    is(&[(T, HTML, body), (T, "HTTP/1.1 500 Broken", b"")], None);
    is(&[(T, "HTTP/1.1 500 Broken", b""), (T, HTML, body)], None);
    is(&[(T, HTML, b""), (T, HTML, body)], None);
}

#[test]
fn a_revisit_counts_as_captured_only_with_its_original() {
    const SAME: &str = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";
    let digest = "sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let home: &[u8] = b"<a href=/t>t</a><a href=/other>o</a>";
    let time = |minute: u32| format!("2024-03-04T10:{minute:02}:00Z");
    let page = |n: u32, path: &str, body: &[u8]| {
        Record::response(n, &format!("http://a.example/{path}"), &time(n), HTML, body)
    };
    for with_original in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = [page(1, "", home).bytes(), page(2, "other", b"<p>other words").bytes()].concat();
        if with_original {
            bytes.extend(page(3, "t", b"<p>the page").field("WARC-Payload-Digest", digest).bytes());
        }
        let revisit = Record::revisit(4, "http://a.example/t", &time(4), SAME, HTML)
            .field("WARC-Payload-Digest", digest)
            .field("WARC-Refers-To-Target-URI", "http://a.example/t")
            .field("WARC-Refers-To-Date", &time(3));
        bytes.extend(revisit.bytes());
        std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
        let found = missing(&audit(&folder, &[]), "a.example");
        let reasons: Vec<&str> = found.values().map(|(_, reason)| reason.as_str()).collect();
        match with_original {
            true => assert!(found.is_empty(), "{found:?}"),
            false => assert_eq!(reasons, ["it refers to an earlier capture that is not here"]),
        }
    }
}

#[test]
fn fonts_candidates_and_robots_are_not_missing() {
    let page: &[u8] = b"<style>@font-face{font-family:x;src:url(/x.woff2);unicode-range:U+0400-04FF}</style>\
        <img src=/s.png srcset='/m.png 2x, /l.png 3x'><picture><source srcset='/p1.webp 1x, /p2.webp 2x'><img src=/p.png></picture>\
        <a href=/private/x>x</a><link rel=pingback href=/xmlrpc.php><a href=/wp-json/x>api</a>";
    let folder = archive(&[
        ("http://a.example/", HTML, page),
        ("http://a.example/m.png", "HTTP/1.1 200 OK\nContent-Type: image/png", b"png"),
        ("http://a.example/p1.webp", "HTTP/1.1 200 OK\nContent-Type: image/webp", b"webp"),
        (
            "http://a.example/robots.txt",
            "HTTP/1.1 200 OK\nContent-Type: text/plain",
            b"User-agent: *\nDisallow: /private/\n",
        ),
    ]);
    let found = audit(&folder, &[]);
    assert_eq!(missing(&found, "a.example"), BTreeMap::new());
    let complete = &found["sites"][0]["completeness"];
    assert_eq!(complete["links"]["excluded"], 1);
    assert_eq!(complete["embeds"]["optional"], 1);
    assert_eq!(complete["embeds"]["share"], 1.0);
    assert_eq!(complete["excluded"][0]["url"], "http://a.example/private/x");
    assert_eq!(complete["excluded"][0]["reason"], "robots.txt forbids it");
}

#[test]
fn of_the_images_of_a_style_sheet_those_that_a_browser_did_not_load_are_optional() {
    let css: &[u8] = b".shown{background:url(/shown.png)}.other{background:url(/other.png)}";
    let sheet = ("http://a.example/s.css", "HTTP/1.1 200 OK\nContent-Type: text/css", css);
    let page = ("http://a.example/", HTML, &b"<link rel=stylesheet href=/s.css><p class=shown>x"[..]);
    let image = ("http://a.example/shown.png", "HTTP/1.1 200 OK\nContent-Type: image/png", &b"png"[..]);
    let found = audit(&archive(&[page, sheet, image]), &[]);
    assert_eq!(missing(&found, "a.example"), BTreeMap::new());
    assert_eq!(found["sites"][0]["completeness"]["embeds"]["optional"], 1);
    // Where none was loaded, nothing shows that the crawler chose.
    assert_eq!(missing(&audit(&archive(&[page, sheet]), &[]), "a.example").len(), 2);
}

#[test]
fn the_list_of_what_is_missing_is_chosen_by_fate() {
    let folder = archive(&[
        (
            "http://a.example/",
            HTML,
            b"<a href=/gone>g</a><a href=/never>n</a><a href=/private/x>x</a><a href=/two>2</a>",
        ),
        ("http://a.example/two", HTML, b"<p>two"),
        ("http://a.example/gone", "HTTP/1.1 404 Not Found", b""),
        (
            "http://a.example/robots.txt",
            "HTTP/1.1 200 OK\nContent-Type: text/plain",
            b"User-agent: *\nDisallow: /private/\n",
        ),
    ]);
    let list = folder.path().join("list");
    let listed = |only: &[&str]| {
        let more = [&["--missing", list.to_str().unwrap()], only].concat();
        assert!(run(&folder, &more).status.code().is_some_and(|code| code <= 1));
        let text = std::fs::read_to_string(&list).unwrap();
        text.lines().map(|line| line.trim_start_matches("http://a.example/").to_owned()).collect::<Vec<_>>()
    };
    // What robots.txt forbids is a comment, which crawlers skip.
    let marked = "# robots.txt forbids it: http://a.example/private/x";
    assert_eq!(listed(&[]), ["gone", "never", marked]);
    assert_eq!(listed(&["--missing-only", "untried,gone"]), ["gone", "never"]);
    assert_eq!(listed(&["--missing-only", "untried,failed"]), ["never"]);
    assert_eq!(listed(&["--missing-only", "gone"]), ["gone"]);
    assert_eq!(listed(&["--missing-only", "untried,excluded"]), ["never", "private/x"]);
    assert_eq!(run(&folder, &["--missing-only", "failed"]).status.code(), Some(2));
}

/// The weight of every page of a site.
fn weights(audit: &Value, site: &str) -> BTreeMap<String, f64> {
    let sites = audit["sites"].as_array().unwrap();
    let site = sites.iter().find(|found| found["site"] == site).unwrap_or_else(|| panic!("{site}"));
    let pages = site["page_list"].as_array().unwrap().iter();
    pages.map(|page| (page["url"].as_str().unwrap().to_owned(), page["weight"].as_f64().unwrap())).collect()
}

#[test]
fn importance_flows_through_chains_and_hosts_and_ends_in_loops() {
    let to = |to: &str| format!("HTTP/1.1 301 Moved\nLocation: {to}");
    let (one, two, three, four) =
        (to("/r2"), to("http://b.example/r3"), to("http://a.example/end"), to("/l2"));
    let loops = to("/l1");
    let home: &[u8] = b"<a href=/r1>x</a><a href=/l1>x</a><a href=/plain>x</a>";
    let linking: &[u8] = b"<a href=/r1>y</a>";
    let mut responses = vec![
        ("http://a.example/", HTML, home),
        ("http://a.example/p1", HTML, linking),
        ("http://a.example/p2", HTML, linking),
        ("http://a.example/r1", &*one, b""),
        ("http://a.example/r2", &*two, b""),
        ("http://b.example/r3", &*three, b""),
        ("http://a.example/end", HTML, b"<p>end"),
        ("http://a.example/plain", HTML, b"<p>plain"),
        ("http://a.example/l1", &*four, b""),
        ("http://a.example/l2", &*loops, b""),
    ];
    let found = weights(&audit(&archive(&responses), &[]), "a.example");
    let (end, plain) = (found["http://a.example/end"], found["http://a.example/plain"]);
    assert!(end > 1.5 * plain, "{end} {plain}");
    // Directly linked, it would weigh the same.
    let direct: &[u8] = b"<a href=/end>x</a><a href=/l1>x</a><a href=/plain>x</a>";
    let directly: &[u8] = b"<a href=/end>y</a>";
    (responses[0].2, responses[1].2, responses[2].2) = (direct, directly, directly);
    let same = weights(&audit(&archive(&responses), &[]), "a.example");
    assert!((same["http://a.example/end"] - end).abs() < 1e-9, "{same:?} {found:?}");
    // A site weighs the same whatever other sites are there; the global measure does not.
    let others: [(&str, &str, &[u8]); 2] = [
        ("http://c.example/", HTML, b"<a href=http://a.example/plain>z</a><a href=/q>q</a>"),
        ("http://c.example/q", HTML, b"<a href=http://a.example/plain>z</a>"),
    ];
    let (small, large) = (archive(&responses), archive(&[&responses[..], &others].concat()));
    let of = |folder: &TempDir, more: &[&str]| weights(&audit(folder, more), "a.example");
    for by in ["pagerank", "inlinks", "depth", "keywords:plain"] {
        assert_eq!(of(&small, &["--importance", by]), of(&large, &["--importance", by]), "{by}");
    }
    let all = ["--importance", "pagerank-all"];
    assert_ne!(of(&small, &all), of(&large, &all));
}

#[test]
fn an_embed_weighs_once_per_page_however_many_style_sheets_name_it() {
    let css: &[u8] = b"p{background:url(/i.png)}";
    let sheet = "HTTP/1.1 200 OK\nContent-Type: text/css";
    let folder = archive(&[
        (
            "http://a.example/",
            HTML,
            b"<link rel=stylesheet href=/1.css><link rel=stylesheet href=/2.css><p>x",
        ),
        ("http://a.example/1.css", sheet, css),
        ("http://a.example/2.css", sheet, css),
    ]);
    let found = audit(&folder, &[]);
    let entry = &found["sites"][0]["missing"][0];
    assert_eq!(
        (entry["url"].as_str(), entry["weight"].as_f64()),
        (Some("http://a.example/i.png"), Some(1.0))
    );
}

#[test]
fn keywords_weigh_pages_by_their_similarity() {
    let folder = archive(&[
        ("http://a.example/", HTML, "<p>Welcome to the site of the town".as_bytes()),
        ("http://a.example/bridge", HTML, "<p>The bridge: the council votes on the bridge".as_bytes()),
        (
            "http://a.example/news",
            HTML,
            "<p>News of the town, and among much else about sport, roads and people also the bridge"
                .as_bytes(),
        ),
        ("http://a.example/ja", HTML, "<p>橋の建設".as_bytes()),
    ]);
    let found = weights(&audit(&folder, &["--importance", "keywords:Bridge council"]), "a.example");
    let of = |path: &str| found[&format!("http://a.example/{path}")];
    assert!(of("bridge") > of("news") && of("news") > of("") && of("") == 0.0, "{found:?}");
    let found = weights(&audit(&folder, &["--importance", "keywords:橋"]), "a.example");
    assert_eq!(found["http://a.example/ja"], 4.0);
    let found = audit(&folder, &["--importance", "keywords:zeppelin"]);
    assert!(weights(&found, "a.example").values().all(|weight| *weight == 1.0));
    assert_eq!(found["problems"][0]["kind"], "importance-unmatched");
    assert_eq!(run(&folder, &["--importance", "keywords: "]).status.code(), Some(2));
}

#[test]
fn changes_that_do_not_matter_can_be_ignored_and_changes_that_do_are_still_seen() {
    let page = |clock: &str, price: &str| {
        let text = "The council met and spoke about the bridge over the river for hours without a result. "
            .repeat(4);
        format!(
            "<main><h1>Bridge</h1><p>{text}</p><p>It costs {price} euros.</p></main><footer>Page made at {clock}</footer>"
        )
    };
    let state = |second: &str, more: &[&str]| {
        let first = page("10:01", "500");
        let folder = archive(&[
            ("http://a.example/", HTML, first.as_bytes()),
            ("http://a.example/", HTML, second.as_bytes()),
        ]);
        let found = audit(&folder, more);
        (
            found["sites"][0]["page_list"][0]["state"].as_str().unwrap().to_owned(),
            found["parameters"]["ignore_below"].clone(),
        )
    };
    let (clock, price) = (page("11:17", "500"), page("11:17", "700"));
    assert_eq!(state(&clock, &[]).0, "changed");
    assert_eq!(state(&clock, &["--ignore-below=0.001"]), ("sharp".to_owned(), Value::from(0.001)));
    assert_eq!(state(&clock, &["--ignore-below"]).0, "sharp");
    assert_eq!(state(&price, &["--ignore-below"]).0, "changed");
    // What changes in footers and advertisements never counts here.
    let footer = page("10:01", "500").replace("Page made at", "Written anew by somebody else for nobody at");
    assert_eq!(
        (state(&footer, &[]).0, state(&footer, &["--ignore-below"]).0),
        ("changed".into(), "sharp".into())
    );
    let advert = page("10:01", "500") + "<div class=adsbygoogle>Buy shoes today, only here, only now</div>";
    assert_eq!(
        (state(&advert, &[]).0, state(&advert, &["--ignore-below"]).0),
        ("changed".into(), "sharp".into())
    );
    assert_eq!(state(&price, &["--ignore-below=1"]).0, "sharp");
    let folder = archive(&[("http://a.example/", HTML, b"x")]);
    assert_eq!(run(&folder, &["--ignore-below=2"]).status.code(), Some(2));
    assert_eq!(run(&folder, &["--ignore-below", "--change-importance", "none"]).status.code(), Some(2));
}

#[test]
fn the_example_of_the_paper_is_computed_from_a_history_with_importances() {
    // Ben Saad, Gançarski, Example 5.11: two captures of four versions, one of two.
    let mut records = Vec::new();
    for (number, page, minute) in [(1, "1", 25), (2, "1", 35), (3, "2", 15)] {
        let body = format!("<p>page {page} at {minute}");
        let url = format!("http://a.example/{page}");
        let time = format!("2024-03-04T10:{minute}:00Z");
        records.extend(Record::response(number, &url, &time, HTML, body.as_bytes()).bytes());
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.warc"), records).unwrap();
    let history = folder.path().join("history.csv");
    let rows = "page,change_time,event,importance\n\
        /1,2024-03-04T10:10:00Z,A,0.1\n/1,2024-03-04T10:20:00Z,M,0.6\n/1,2024-03-04T10:30:00Z,M,0.5\n\
        /1,2024-03-04T10:40:00Z,M,0.2\n/2,2024-03-04T10:10:00Z,A,0.12\n/2,2024-03-04T10:20:00Z,M,0.45\n";
    std::fs::write(&history, rows).unwrap();
    let more = [
        "--history",
        history.to_str().unwrap(),
        "--from",
        "2024-03-04T10:00:00Z",
        "--to",
        "2024-03-04T11:00:00Z",
    ];
    let found = audit(&folder, &more);
    let share = |page: usize| found["sites"][0]["page_list"][page]["completeness"]["share"].as_f64().unwrap();
    assert!(
        (share(0) - 1.1 / 1.4).abs() < 1e-9 && (share(1) - 0.12 / 0.57).abs() < 1e-9,
        "{} {}",
        share(0),
        share(1)
    );
    let site = found["sites"][0]["completeness"]["versions"]["plain_share"].as_f64().unwrap();
    assert!((site - (1.1 / 1.4 + 0.12 / 0.57) / 2.0).abs() < 1e-9, "{site}");
    std::fs::write(&history, rows.replace("0.45", "4.5")).unwrap();
    let output = run(&folder, &more);
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 7"), "{output:?}");
}

#[test]
fn patterns_are_told_in_local_time_and_only_where_a_time_stands_out() {
    // Two pages captured every five hours for six weeks: one changes on workday mornings in Tokyo, one at random.
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let (mut morning, mut random, mut seed) = (0, 0, 12345u64);
    for number in 0..200u64 {
        let hours = number * 5;
        let (day, hour) = (hours / 24, hours % 24);
        let date =
            if day < 31 { format!("2024-01-{:02}", day + 1) } else { format!("2024-02-{:02}", day - 30) };
        let tokyo = (hours + 9) % 168;
        morning += u32::from(tokyo / 24 < 5 && (6..12).contains(&(tokyo % 24)));
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random += u32::from(seed >> 61 < 2);
        for (path, version) in [("m", morning), ("r", random)] {
            let url = format!("http://a.example/{path}");
            let body = format!("<main><p>Version {version} of the page, version {version} indeed</p></main>");
            let time = format!("{date}T{hour:02}:00:00Z");
            bytes.extend(
                Record::response(
                    number as u32 * 2 + u32::from(path == "r") + 1,
                    &url,
                    &time,
                    HTML,
                    body.as_bytes(),
                )
                .bytes(),
            );
        }
    }
    std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
    let found = audit(&folder, &["--timezone", "+09:00"]);
    let page = |at: usize| &found["sites"][0]["page_list"][at];
    assert_eq!(page(0)["behaviour"]["when"], "workday-morning", "{}", page(0)["behaviour"]);
    assert_eq!(page(1)["behaviour"]["when"], Value::Null, "{}", page(1)["pattern"]["chance_even"]);
    assert_eq!(page(0)["pattern"]["utc_offset_minutes"], 540);
    assert!(page(0)["pattern"]["chance_even"].as_f64().unwrap() < 0.01);
    assert_ne!(audit(&folder, &[])["sites"][0]["page_list"][0]["behaviour"]["when"], "workday-morning");
    for wrong in ["+25:00", "Mars", "09:00", "+09:75"] {
        assert_eq!(run(&folder, &["--timezone", wrong]).status.code(), Some(2), "{wrong}");
    }
}

/// The reasons of what is missing, by the paths of `a.example`.
fn reasons(found: &Value) -> BTreeMap<String, String> {
    let missing = found["sites"][0]["missing"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    missing
        .iter()
        .map(|one| (text(&one["url"]).replace("http://a.example", ""), text(&one["reason"])))
        .collect()
}

#[test]
fn a_web_page_in_place_of_an_image_a_style_sheet_or_a_script_is_no_capture() {
    const PLAIN: &str = "HTTP/1.1 200 OK\nContent-Type: text/css";
    const ROOT: &str = "HTTP/1.1 302 Found\nLocation: /";
    let home: &[u8] = b"<!DOCTYPE html><title>Harbour</title><link rel=stylesheet href=/x.css><link rel=stylesheet href=/y.css><script src=/x.js></script>\
        <script src=/cgi.js></script><img src=/a.png><img src=/b.jpg><img src=/wrong.gif><iframe src=/frame></iframe><p>Ships and their people.";
    let folder = archive(&[
        ("http://a.example/", HTML, home),
        ("http://a.example/x.css", HTML, home),
        ("http://a.example/y.css", PLAIN, b"p { color: red }"),
        ("http://a.example/x.js", HTML, home),
        ("http://a.example/cgi.js", HTML, b"<!-- hide\ndocument.write('<p>now')\n//-->"),
        ("http://a.example/a.png", HTML, home),
        ("http://a.example/b.jpg", ROOT, b""),
        ("http://a.example/wrong.gif", HTML, b"GIF89a\x01\0\x01\0\0\0\0;"),
        ("http://a.example/frame", HTML, b"<p>A page inside a page, as it should be."),
    ]);
    let found = audit(&folder, &[]);
    let reasons = reasons(&found);
    assert_eq!(reasons.keys().collect::<Vec<_>>(), ["/a.png", "/b.jpg", "/x.css", "/x.js"], "{reasons:?}");
    assert_eq!(reasons["/a.png"], "answered with a web page, not with the file");
    assert_eq!(
        reasons["/b.jpg"],
        "redirected to http://a.example/, which answered with a web page, not with the file"
    );
}

#[test]
fn a_redirect_says_what_became_of_its_target() {
    const TO: &str = "HTTP/1.1 302 Found\nLocation: ";
    let (error, gone, empty, away) =
        (format!("{TO}/error.html"), format!("{TO}/gone"), format!("{TO}/empty"), format!("{TO}/nowhere"));
    let folder = archive(&[
        (
            "http://a.example/",
            HTML,
            b"<p>Welcome.<a href=/1>1</a><a href=/2>2</a><a href=/3>3</a><a href=/4>4</a>",
        ),
        ("http://a.example/1", &error, b""),
        ("http://a.example/error.html", HTML, b"<title>Page not found</title><h1>Page not found</h1>"),
        ("http://a.example/2", &gone, b""),
        ("http://a.example/gone", "HTTP/1.1 404 Not Found\nContent-Type: text/html", b"<p>no"),
        ("http://a.example/3", &empty, b""),
        ("http://a.example/empty", HTML, b""),
        ("http://a.example/4", &away, b""),
    ]);
    let reasons = reasons(&audit(&folder, &[]));
    assert!(
        reasons["/1"]
            .starts_with("redirected to http://a.example/error.html, which looks like an error page: "),
        "{reasons:?}"
    );
    assert_eq!(reasons["/2"], "redirected to http://a.example/gone, which is gone from the site (404)");
    assert_eq!(reasons["/3"], "redirected to http://a.example/empty, where the response is empty");
    assert_eq!(reasons["/4"], "redirected to http://a.example/nowhere, which was not captured");
}

#[test]
fn an_error_page_needs_no_embeds_and_a_page_that_went_away_later_was_captured() {
    let page: &[u8] = b"<title>The lamp</title><p>The keeper found a lamp and walked to the harbour with it, before the sun was up.";
    let folder = archive(&[
        ("http://a.example/", HTML, b"<p>Welcome to the harbour.<a href=/lamp>lamp</a>"),
        ("http://a.example/lamp", HTML, page),
        ("http://a.example/lamp", "HTTP/1.1 410 Gone\nContent-Type: text/html", page),
        (
            "http://a.example/old",
            HTML,
            b"<title>Page not found</title><h1>Page not found</h1><img src=/sad.png><p>The address is wrong.",
        ),
    ]);
    let found = audit(&folder, &[]);
    assert_eq!(
        found["sites"][0]["missing"].as_array().map(Vec::len),
        Some(0),
        "{}",
        found["sites"][0]["missing"]
    );
    assert_eq!(found["sites"][0]["findings"]["soft404_urls"], 1);
}

#[test]
fn keywords_read_the_title_and_not_what_is_hidden() {
    let folder = archive(&[
        ("http://a.example/", HTML, b"<title>Town</title><p>Welcome"),
        ("http://a.example/title", HTML, b"<title>Flood</title><p>Something else"),
        ("http://a.example/hidden", HTML, b"<title>Dry</title><p hidden>flood flood</p><p>dry"),
    ]);
    let found = weights(&audit(&folder, &["--importance", "keywords:flood"]), "a.example");
    assert!(found["http://a.example/title"] > 0.0 && found["http://a.example/hidden"] == 0.0, "{found:?}");
}

#[test]
fn pagerank_of_all_sites_has_one_scale_for_all_of_them() {
    let page = |name: &str, links: &str| format!("<title>{name}</title><p>About {name}, and more {links}");
    let mut all: Vec<(String, String)> = Vec::new();
    for site in 0..6 {
        let hub = "<a href=http://hub.example/>h</a>";
        all.push((
            format!("http://s{site}.example/"),
            page(&format!("s{site}"), &format!("<a href=/b>b</a>{hub}")),
        ));
        all.push((
            format!("http://s{site}.example/b"),
            page(&format!("b{site}"), &format!("<a href=/>b</a>{hub}")),
        ));
    }
    for site in ["hub", "lonely"] {
        all.push((format!("http://{site}.example/"), page(site, "<a href=/x>x</a>")));
        all.push((format!("http://{site}.example/x"), page(&format!("{site} x"), "<a href=/>x</a>")));
    }
    let responses: Vec<(&str, &str, &[u8])> =
        all.iter().map(|(url, body)| (url.as_str(), HTML, body.as_bytes())).collect();
    let found = audit(&archive(&responses), &["--importance", "pagerank-all"]);
    let pages: Vec<&Value> = found["sites"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|site| site["page_list"].as_array().unwrap())
        .collect();
    let of = |url: &str, field: &str| {
        let page = pages.iter().find(|page| page["url"] == url).unwrap_or_else(|| panic!("{url}"));
        page[field].as_f64().unwrap()
    };
    let [hub, lonely, other] = ["http://hub.example/", "http://lonely.example/", "http://s0.example/"]
        .map(|url| of(url, "importance"));
    assert!(hub > 4.0 * lonely && lonely > 2.0 * other, "{hub} {lonely} {other}");
    let mean =
        pages.iter().map(|page| page["importance"].as_f64().unwrap()).sum::<f64>() / pages.len() as f64;
    assert!((mean - 1.0).abs() < 1e-9, "{mean}");
    // What the figures of a site are weighed by sums to its pages.
    assert!((of("http://lonely.example/", "weight") - 1.0).abs() < 1e-9);
}

#[test]
fn a_crawl_that_broke_off_among_the_pages_of_a_level_is_not_complete() {
    let home: String = (0..40).map(|number| format!("<a href=/p{number}>x</a>")).collect();
    let home = format!("<title>Home</title><p>All pages: {home}");
    let bodies: Vec<String> =
        (0..40).map(|number| format!("<title>{number}</title><p>Page {number} of many")).collect();
    let urls: Vec<String> = (0..40).map(|number| format!("http://a.example/p{number}")).collect();
    let of = |captured: usize| {
        let mut all: Vec<(&str, &str, &[u8])> = vec![("http://a.example/", HTML, home.as_bytes())];
        let pages = urls.iter().zip(&bodies).take(captured);
        all.extend(pages.map(|(url, body)| (url.as_str(), HTML, body.as_bytes())));
        audit(&archive(&all), &[])["sites"][0]["answers"]["complete"]["band"].as_str().unwrap().to_owned()
    };
    for captured in [1, 3, 4, 5] {
        assert_eq!(of(captured), "cannot tell", "{captured}");
    }
    assert_eq!(of(40), "good");
}
