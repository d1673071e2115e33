//! What is said of a site's links, and what counts as one: sentences that must be true, and details of the judgement.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::captured::{HTML, archive, audit, missing};
use crate::support::record::Record;

const SVG: &str = "HTTP/1.1 200 OK\nContent-Type: image/svg+xml";

/// A page with links to `/p0`, `/p1` and so on.
fn links(count: usize) -> String {
    let links: String = (0..count).map(|number| format!("<a href=/p{number}>x</a>")).collect();
    format!("<title>Harbour</title><p>Welcome to the harbour</p>{links}")
}

fn complete(audit: &Value) -> (&str, &str) {
    let answer = &audit["sites"][0]["answers"]["complete"];
    (answer["band"].as_str().unwrap(), answer["sentence"].as_str().unwrap())
}

fn text(folder: &TempDir, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["audit", "-q"])
        .args(more)
        .arg(folder.path().join("a.warc"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn links_beyond_the_crawl_are_named_and_never_said_not_to_be_there() {
    let home = links(120);
    let folder = archive(&[("http://a.example/", HTML, home.as_bytes())]);
    let (band, sentence) =
        (complete(&audit(&folder, &[])).0.to_owned(), complete(&audit(&folder, &[])).1.to_owned());
    assert_eq!(band, "cannot tell");
    assert!(
        sentence.starts_with(
            "120 linked pages were not captured; whether they were meant to be is not recorded."
        ),
        "{sentence}"
    );
    assert!(!sentence.contains("no links"), "{sentence}");
    let details = text(&folder, &["--details"]);
    assert!(details.contains("120 beyond what the crawl covered"), "{details}");
    let html = folder.path().join("a.html");
    text(&folder, &["--html", html.to_str().unwrap()]);
    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.contains("120 linked pages") && !html.contains("no links or embeds"), "it says otherwise");
    let folder = archive(&[("http://a.example/", HTML, b"<p>Welcome to the harbour")]);
    let found = audit(&folder, &[]);
    assert!(complete(&found).1.starts_with("The page has no links or embeds on this site."));
}

#[test]
fn links_of_a_capture_that_is_cut_are_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let body = links(20);
    let whole =
        Record::response(1, "http://a.example/", "2024-03-04T10:00:00Z", HTML, body.as_bytes()).bytes();
    std::fs::write(folder.path().join("a.warc"), &whole[..whole.len() - body.len() + 10]).unwrap();
    let found = audit(&folder, &[]);
    let (band, sentence) = complete(&found);
    assert_eq!(band, "cannot tell");
    assert!(
        sentence.contains("Not all links are known: the capture of the page is cut short."),
        "{sentence}"
    );
    assert_eq!(found["sites"][0]["completeness"]["cut_pages"], 1);
}

#[test]
fn linked_pages_that_were_requested_and_failed_are_named_and_make_an_answer_poor() {
    const BUSY: &str = "HTTP/1.1 503 Service Unavailable\nContent-Type: text/html";
    const GONE: &str = "HTTP/1.1 404 Not Found\nContent-Type: text/html";
    for (head, band, said) in
        [(BUSY, "poor", "29 failed."), (GONE, "cannot tell", "29 were already gone from the site.")]
    {
        let home = links(30);
        let urls: Vec<String> = (0..30).map(|number| format!("http://a.example/p{number}")).collect();
        let mut all = vec![("http://a.example/", HTML, home.as_bytes())];
        all.push((&urls[0], HTML, b"<p>The pilots of the harbour"));
        all.extend(urls[1..].iter().map(|url| (url.as_str(), head, &b"no"[..])));
        let found = audit(&archive(&all), &[]);
        assert_eq!(complete(&found).0, band, "{}", complete(&found).1);
        assert!(complete(&found).1.contains(said), "{}", complete(&found).1);
    }
    let found = audit(&archive(&[("http://a.example/", HTML, b"<p>Welcome</p><a href=/x>x</a>")]), &[]);
    assert!(complete(&found).1.starts_with("The linked page was not captured."), "{}", complete(&found).1);
}

#[test]
fn links_that_a_crawler_guessed_do_not_overrule_the_markup_though_their_record_names_no_capture() {
    let folder = tempfile::tempdir().unwrap();
    let page =
        b"<link rel=shortlink href='/?p=7'><script src=/s.js></script><p>Harbour</p><a href=/d.pdf>d</a>";
    let pdf = "HTTP/1.1 200 OK\nContent-Type: application/pdf";
    let time = "2024-03-04T10:00:00Z";
    let mut bytes = Record::response(1, "http://a.example/", time, HTML, page).bytes();
    let tell = |number: u32, url: &str, outlinks: &str| {
        let fields = format!(
            "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n\
             Content-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n{outlinks}\r\n\r\n",
            outlinks.len()
        );
        fields.into_bytes()
    };
    bytes.extend(tell(
        101,
        "http://a.example/",
        "outlink: http://a.example/?p=7 E link/@href\r\noutlink: http://a.example/css/fun E script\r\n",
    ));
    bytes.extend(Record::response(2, "http://a.example/d.pdf", time, pdf, b"%PDF-1.4 x").bytes());
    bytes.extend(tell(102, "http://a.example/d.pdf", "outlink: http://a.example/of-pdf L a/@href\r\n"));
    std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
    let found = missing(&audit(&folder, &[]), "a.example");
    let urls: Vec<&str> = found.keys().map(|url| &url["http://a.example".len()..]).collect();
    // The markup of the PDF was not read, so what the crawler found in it counts.
    assert_eq!(urls, ["/of-pdf", "/s.js"]);
}

#[test]
fn links_and_images_of_drawings_count_and_what_templates_hold_does_not() {
    let page = b"<p>Harbour</p><a href=/q.svg>q</a><object data=/p.svg></object><img src=/i.svg>\
        <template><img src=/t.png><a href=/t>t</a></template>\
        <video><source src=/v.webm><source src=/v.mp4></video>";
    let drawing = |name: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg'><image href='/{name}.png'/><a href='/{name}-link'/></svg>"
        )
    };
    let (p, q, i) = (drawing("p"), drawing("q"), drawing("i"));
    let folder = archive(&[
        ("http://a.example/", HTML, page),
        ("http://a.example/p.svg", SVG, p.as_bytes()),
        ("http://a.example/q.svg", SVG, q.as_bytes()),
        ("http://a.example/i.svg", SVG, i.as_bytes()),
        ("http://a.example/v.webm", "HTTP/1.1 200 OK\nContent-Type: video/webm", b"\x1aE\xdf\xa3"),
    ]);
    let found = missing(&audit(&folder, &[]), "a.example");
    let urls: Vec<&str> = found.keys().map(|url| &url["http://a.example".len()..]).collect();
    assert_eq!(urls, ["/p-link", "/p.png", "/q-link", "/q.png"]);
}

#[test]
fn an_option_that_matches_nothing_is_told_and_is_no_fault_of_the_record() {
    let folder = archive(&[("http://a.example/", HTML, b"<p>Welcome to the harbour")]);
    let found = audit(&folder, &["--importance", "keywords:zeppelin"]);
    assert_eq!(found["answers"]["record"]["band"], "good", "{}", found["answers"]["record"]);
    let said = text(&folder, &["--importance", "keywords:zeppelin", "--details"]);
    assert!(said.contains("no page matches the keywords \"zeppelin\""), "{said}");
}

/// The state of a page with two captures.
fn state(before: &str, after: &str, more: &[&str]) -> String {
    let url = "http://a.example/";
    let folder = archive(&[(url, HTML, before.as_bytes()), (url, HTML, after.as_bytes())]);
    audit(&folder, more)["sites"][0]["page_list"][0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_bound_for_changes_holds_for_images_too_and_hidden_text_is_no_change_of_text() {
    let words = "The council met and spoke about the bridge over the river for hours. ".repeat(20);
    let page = |more: &str| format!("<title>News</title><main><p>{words}</p>{more}</main>");
    let (a, b) = (page("<img src=/a.png>"), page("<img src=/b.png>"));
    assert_eq!(state(&a, &b, &["--ignore-below=0.005"]), "changed");
    assert_eq!(state(&a, &b, &["--ignore-below=0.9"]), "sharp");
    assert_eq!(state(&a, &b, &["--compare", "text"]), "sharp");
    for hidden in ["hidden", "style='display:none'"] {
        let of = |text: &str| page(&format!("<div {hidden}>{text}</div>"));
        assert_eq!(state(&of("one old secret"), &of("another text"), &["--compare", "text"]), "sharp");
        assert_eq!(state(&of("one old secret"), &of("another text"), &["--ignore-below=0"]), "sharp");
    }
    assert_eq!(state(&page("<p>You know."), &page("<p>You know?"), &["--compare", "text"]), "changed");
    for (one, other) in [
        ("3 minutes ago", "5 minutes ago"),
        ("17 users online", "21 users online"),
        ("Page generated in 0.123 seconds", "Page generated in 0.301 seconds"),
        ("1 234 visites", "1 301 visites"),
        ("© 2023 Mill Ltd", "© 2024 Mill Ltd"),
    ] {
        let of = |text: &str| page(&format!("<p>{text}</p>"));
        assert_eq!(state(&of(one), &of(other), &["--ignore-below"]), "sharp", "{one}");
    }
    assert_eq!(state(&page("<p>£24.99"), &page("<p>£29.99"), &["--ignore-below"]), "changed");
}

#[test]
fn an_archive_of_cut_captures_is_no_trustworthy_record() {
    let capture = |n: u32, path: &str, more: &str| {
        let head = format!("{HTML}\nContent-Length: {}", if more.is_empty() { 900 } else { 7 });
        let record = Record::response(
            n,
            &format!("http://a.example{path}"),
            "2024-03-04T10:00:00Z",
            &head,
            b"<p>cut.",
        );
        if more.is_empty() { record } else { record.field("WARC-Truncated", more) }
    };
    let folder = tempfile::tempdir().unwrap();
    let write = |records: &[Record]| {
        let bytes: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
        std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
        let found = audit(&folder, &[]);
        let answer = &found["answers"]["record"];
        (
            answer["band"].as_str().unwrap().to_owned(),
            answer["sentence"].as_str().unwrap().to_owned(),
            found["actions"][0]["kind"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let (band, sentence, action) =
        write(&[capture(1, "/", "length"), capture(2, "/b", "time"), capture(3, "/c", "")]);
    assert_eq!((band.as_str(), action.as_str()), ("poor", "capture-cut"));
    assert!(sentence.starts_with("All 3 captures are cut short: they hold only the beginning"), "{sentence}");
    let whole =
        |n: u32| Record::page(n, &format!("http://a.example/{n}"), "2024-03-04T10:00:00Z", "<p>whole");
    let mut many: Vec<Record> = (10..210).map(whole).collect();
    many.push(capture(1, "/", "length"));
    let (band, sentence, action) = write(&many);
    assert_eq!((band.as_str(), action.as_str()), ("mixed", "capture-cut"));
    assert!(sentence.starts_with("1 of 201 captures (under 1%) is cut short"), "{sentence}");
    // What was captured whole afterwards need not be captured again.
    many.push(Record::page(2, "http://a.example/", "2024-03-04T11:00:00Z", "<p>whole"));
    let (band, _, action) = write(&many);
    assert_eq!((band.as_str(), action != "capture-cut"), ("mixed", true));
}

#[test]
fn what_is_doubtful_in_a_record_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32| Record::page(n, &format!("http://a.example/{n}"), "2024-03-04T10:00:00Z", "<p>whole");
    let records = [page(1), page(2).set("WARC-Date", "yesterday"), page(3)];
    let bytes: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
    std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
    let found = audit(&folder, &[]);
    let sentence = found["answers"]["record"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("There is 1 record without a readable date."), "{sentence}");
}

#[test]
fn the_reason_of_a_site_is_a_sentence() {
    let folder = archive(&[
        ("http://a.example/", HTML, b"<p>one <img src=/i.png> <a href=/b>b</a>"),
        ("http://b.example/", HTML, b"<p>alone"),
    ]);
    let found = audit(&folder, &[]);
    let why = |place: usize| found["sites"][place]["answers"]["why"].as_str().unwrap();
    assert_eq!(
        why(0),
        "The page was captured once; the embed was not captured; the linked page was not captured; what the crawl was \
         meant to cover is not recorded."
    );
    assert_eq!(why(1), "The page was captured once; it has no links or embeds.");
}
