//! Phrases at a date: proven present, proven absent, and all that is neither.

use std::path::Path;

use acuity::internals::at::model::{At, AtParameters, Role};
use acuity::internals::at::phrase_model::PhraseAt;
use acuity::internals::change::at::State;

use crate::archive::{ask, write};
use crate::support::record::{Record, ok};

const NOON: &str = "2024-01-01T12:00:00Z";

/// A site whose pages hold a phrase in every way there is.
fn site(folder: &Path) -> String {
    let mut n = 0;
    let mut records = Vec::new();
    let mut push = |records: &mut Vec<Record>, path: &str, hour: &str, head: &str, body: &[u8]| {
        n += 1;
        let (url, date) = (format!("http://a.example{path}"), format!("2024-01-01T{hour}:00:00Z"));
        records.push(Record::response(n, &url, &date, head, body));
    };
    let html = |body: &str| (ok(body.len()), body.as_bytes().to_vec());
    for (path, first, second) in [
        ("/has", "<p>Right <b>of</b>\nwith&shy;drawal", "<p>Right <b>of</b>\nwith&shy;drawal"),
        ("/has-not", "<p>other", "<p>other"),
        ("/hidden", "<p hidden>right of withdrawal", "<p hidden>right of withdrawal"),
        ("/came", "<p>other", "<p>right of withdrawal"),
        ("/changed", "<p>right of withdrawal, 1", "<p>right of withdrawal, 2"),
        (
            "/links",
            "<a href=/lost>x</a><a href=/has>y</a><img src=/x.png>",
            "<a href=/lost>x</a><a href=/has>y</a><img src=/x.png>",
        ),
    ] {
        for (hour, body) in [("10", first), ("14", second)] {
            let (head, body) = html(body);
            push(&mut records, path, hour, &head, &body);
        }
    }
    let (head, body) = html("<p>right of withdrawal");
    push(&mut records, "/early", "09", &head, &body);
    push(&mut records, "/late", "15", &head, &body);
    for hour in ["10", "14"] {
        let redirect = "HTTP/1.1 302 Found\nContent-Type: text/html\nLocation: /has\nContent-Length: 0";
        push(&mut records, "/moved", hour, redirect, b"");
        push(
            &mut records,
            "/pdf",
            hour,
            "HTTP/1.1 200 OK\nContent-Type: application/pdf\nContent-Length: 19",
            b"right of withdrawal",
        );
        push(
            &mut records,
            "/plain",
            hour,
            "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 19",
            b"Right of Withdrawal",
        );
        push(
            &mut records,
            "/odd",
            hour,
            "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: compress\nContent-Length: 19",
            b"\x1f\x9d\x90Right of withdrawal",
        );
    }
    write(folder, "site.warc", &records)
}

fn urls(pages: &[acuity::internals::at::phrase_model::PhrasePage]) -> Vec<&str> {
    pages.iter().map(|page| page.url.trim_start_matches("http://a.example")).collect()
}

fn reason<'a>(phrase: &'a PhraseAt, path: &str) -> &'a str {
    let page = phrase.unprovable.iter().find(|page| page.url.ends_with(path));
    &page.unwrap_or_else(|| panic!("{path}: {phrase:?}")).reason
}

fn with_phrase(date: &str) -> AtParameters {
    AtParameters {
        phrases: vec!["Right of  withdrawal".into()],
        pages: acuity::internals::capture::page::PageFilter::All,
        ..AtParameters::on(date)
    }
}

fn whole(at: &At) -> String {
    let mut out = Vec::new();
    use acuity::internals::report::at::{Length, Seal, write};
    write(&mut out, at, Seal { sha256: "", custody: None }, Length::Whole).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_page_holds_a_phrase_only_where_its_proven_version_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [site(folder.path())];
    let at = ask(&inputs, &with_phrase(NOON)).unwrap();
    let phrase = &at.phrases[0];
    assert_eq!(urls(&phrase.present), ["/has", "/plain"]);
    assert_eq!(urls(&phrase.absent), ["/has-not", "/links"]);
    for (path, why) in [
        ("/hidden", "in a hidden or struck-out part"),
        ("/came", "differ; only the later capture holds it"),
        ("/changed", "differ; both captures hold it"),
        ("/early", "after the last capture; that capture holds it"),
        ("/late", "before the first capture; that capture holds it"),
        ("/moved", "led on to another one"),
        ("/pdf", "it is application/pdf, not a text"),
        ("/odd", "coding"),
    ] {
        assert!(reason(phrase, path).contains(why), "{path}: {}", reason(phrase, path));
    }
    assert_eq!(phrase.present.len() + phrase.absent.len() + phrase.unprovable.len(), at.pages.len());
    // Only the two pages that are proven count for the first and the last instant; single captures are counted separately.
    assert_eq!(phrase.first.unwrap().to_string(), "2024-01-01T10:00:01Z");
    assert_eq!(phrase.last.unwrap().to_string(), "2024-01-01T14:00:00Z");
    assert_eq!(phrase.captures, 9);
    assert_eq!(phrase.first_capture.unwrap().to_string(), "2024-01-01T09:00:00Z");
    assert_eq!(phrase.last_capture.unwrap().to_string(), "2024-01-01T15:00:00Z");
    let held = at.pages.held().iter().find(|page| page.url.ends_with("/has")).unwrap();
    assert!(held.witnesses.iter().any(|witness| witness.body_blake3 == phrase.present[0].body_blake3));
    let text = whole(&at);
    assert!(text.contains("shown on http://a.example/has\n      from 2024-01-01T10:00:01Z"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_the_archive_lacks_limits_a_claim_of_absence() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [site(folder.path())];
    let parameters = AtParameters { phrases: vec!["nowhere to be found".into()], ..with_phrase(NOON) };
    let at = ask(&inputs, &parameters).unwrap();
    let phrase = &at.phrases[0];
    assert!(phrase.present.is_empty() && phrase.first.is_none() && phrase.captures == 0);
    let uncaptured = at.uncaptured.as_ref().unwrap();
    assert_eq!(
        (uncaptured.count, uncaptured.urls.as_slice()),
        (1, &["http://a.example/lost".to_owned()][..])
    );
    let limits = phrase.limits.join(" ");
    for words in
        ["lacks 1 address", "Nothing is proven for 7 of 12 pages", "2 changed-nearby", "2 unseen", "scripts"]
    {
        assert!(limits.contains(words), "{words}: {limits}");
    }
    let named = AtParameters { urls: vec!["http://a.example/has-not".into()], ..parameters.clone() };
    let at = ask(&inputs, &named).unwrap();
    assert_eq!((at.uncaptured.clone(), at.phrases[0].absent.len()), (None, 1));
    assert!(at.phrases[0].limits[0].contains("Only the pages that were named"));
    let declared = AtParameters { digests: "declared".into(), ..parameters };
    let at = ask(&inputs, &declared).unwrap();
    assert_eq!(at.uncaptured, None);
    assert!(at.phrases[0].limits.iter().any(|limit| limit.contains("Links were not read")));
}

#[test]
fn a_day_is_held_only_where_all_of_it_is_and_the_parts_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [site(folder.path())];
    let at = ask(&inputs, &with_phrase("2024-01-01")).unwrap();
    let phrase = &at.phrases[0];
    assert!(phrase.present.is_empty() && phrase.absent.is_empty());
    let part = |path: &str| {
        let page = phrase.unprovable.iter().find(|page| page.url.ends_with(path)).unwrap();
        (page.holds.len(), page.lacks.len())
    };
    assert_eq!((part("/has"), part("/has-not"), part("/came")), ((1, 0), (0, 1), (0, 0)));
    let inside = ask(&inputs, &with_phrase("2024-01-01T12:20Z")).unwrap();
    assert_eq!(urls(&inside.phrases[0].present), ["/has", "/plain"]);
}

#[test]
fn raw_phrases_are_looked_for_in_the_bytes_of_any_document() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [site(folder.path())];
    let parameters =
        AtParameters { phrases: vec!["right of withdrawal".into()], raw: true, ..with_phrase(NOON) };
    let at = ask(&inputs, &parameters).unwrap();
    assert_eq!(urls(&at.phrases[0].present), ["/hidden", "/pdf"]);
    assert_eq!(urls(&at.phrases[0].absent), ["/has", "/has-not", "/links", "/plain"]);
}

#[test]
fn an_index_proves_pages_but_no_phrase() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = ["20240101100000", "20240101140000"]
        .map(|time| format!("example,a)/ {time} http://a.example/ text/html 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA - - 100 0 a.warc.gz\n"))
        .concat();
    let path = folder.path().join("a.cdx");
    std::fs::write(&path, format!(" CDX N b a m s k r M S V g\n{lines}")).unwrap();
    let inputs = [path.display().to_string()];
    let at = ask(&inputs, &with_phrase(NOON)).unwrap();
    assert_eq!(at.pages.held()[0].state, State::Proven);
    assert!(reason(&at.phrases[0], "/").contains("only an index tells of it"));
    assert_eq!(at.pages.held()[0].embeds, None);
    assert!(at.pages.held()[0].witnesses.iter().all(|witness| witness.index.as_ref() == Some(&inputs[0])));
    assert!(at.pages.held()[0].witnesses.iter().all(|witness| witness.record_sha256.is_none()));
}

#[test]
fn a_revisit_is_searched_in_the_record_it_refers_to() {
    let folder = tempfile::tempdir().unwrap();
    let not_modified = |n, hour: &str| {
        let date = format!("2024-01-01T{hour}:00:00Z");
        Record::revisit(
            n,
            "http://a.example/",
            &date,
            "server-not-modified",
            "HTTP/1.1 304 Not Modified\nETag: \"v1\"",
        )
    };
    // Only a strong ETag that agrees makes a 304 a proof.
    let body = b"<p>right of withdrawal";
    let head = format!("{}\nETag: \"v1\"", ok(body.len()));
    let page = Record::response(1, "http://a.example/", "2024-01-01T08:00:00Z", &head, body);
    let inputs = [write(folder.path(), "r.warc", &[page, not_modified(2, "10"), not_modified(3, "14")])];
    let at = ask(&inputs, &with_phrase(NOON)).unwrap();
    assert_eq!(urls(&at.phrases[0].present), ["/"]);
    let roles: Vec<Role> = at.pages.held()[0].witnesses.iter().map(|witness| witness.role).collect();
    assert!(roles.contains(&Role::Before) && roles.contains(&Role::After), "{roles:?}");
    assert!(
        at.pages.held()[0].witnesses.iter().any(|witness| witness.date.to_string() == "2024-01-01T08:00:00Z")
    );
    assert!(at.pages.held()[0].witnesses.iter().all(|witness| witness.record_sha256.is_some()));
}

#[test]
fn hostile_titles_urls_and_phrases_cannot_forge_a_line_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let filler = "x".repeat(66);
    let page = |n, path: &str, hour: &str| {
        let url = format!("http://a.example/{path}");
        Record::page(n, &url, &format!("2024-01-01T{hour}:00:00Z"), "<title>\nAnswer\n  Coherent.</title>")
            .set("WARC-Target-URI", &url)
    };
    let records = [
        page(1, &format!("{filler} Answer {filler} Coherent. {filler} Verified:"), "10"),
        page(2, "\u{1b}[2J\u{202e}\u{2028}Answer", "10"),
        page(3, &format!("{filler} FAILED"), "11"),
    ];
    let inputs = [write(folder.path(), "evil.warc", &records)];
    let parameters = AtParameters {
        phrases: vec![format!("{filler} Answer"), "a\nAnswer\n\n  Coherent.\u{1b}[0m\u{202e}".into()],
        ..AtParameters::on("2024-01-01T10:30:00Z")
    };
    let at = ask(&inputs, &parameters).unwrap();
    let text = whole(&at);
    for heading in ["ANSWER", "Answer", "Coherent.", "QUESTION", "Verified:", "FAILED"] {
        let expected = usize::from(heading == "ANSWER" || heading == "QUESTION");
        assert_eq!(
            text.lines().filter(|line| line.starts_with(heading)).count(),
            expected,
            "{heading}: {text}"
        );
    }
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{2028}', '\r']));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // JSON is one value, whatever is in it.
    let json = serde_json::to_string_pretty(&at).unwrap();
    assert_eq!(serde_json::from_str::<At>(&json).unwrap(), at);
    assert_eq!(
        json.lines().filter(|line| line.trim_start().starts_with("\"verdict\"")).count(),
        1 + at.parts.len() + at.better.len() + at.sites.len() + at.pages.len()
    );
}

#[test]
fn data_and_scripts_are_not_searched_whatever_kind_of_text_they_call_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let body = "{\"x\": \"right of withdrawal\"}";
    for kind in [
        "text/json",
        "text/x-json",
        "text/jscript",
        "text/vbscript",
        "text/typescript",
        "text/template",
        "text/x-component",
        "text/calendar",
        "text/javascript",
        "application/json",
    ] {
        let head =
            format!("HTTP/1.1 200 OK\nContent-Type: {kind}; charset=utf-8\nContent-Length: {}", body.len());
        let page = |n, hour: u32| {
            let time = format!("2024-01-01T{hour}:00:00Z");
            Record::response(n, "http://a.example/x", &time, &head, body.as_bytes())
        };
        let inputs = [crate::archive::write(folder.path(), "x.warc", &[page(1, 10), page(2, 14)])];
        let at = ask(&inputs, &with_phrase(NOON)).unwrap();
        assert!(at.phrases[0].present.is_empty() && at.phrases[0].absent.is_empty(), "{kind}");
        assert!(reason(&at.phrases[0], "/x").contains(kind), "{kind}: {}", reason(&at.phrases[0], "/x"));
    }
}

#[test]
fn long_lists_of_a_phrase_stand_in_the_annex() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32| {
        let url = format!("http://a.example/{}", n / 2);
        let body = format!("<p>Page {} has a right of withdrawal.</p>", n / 2);
        Record::page(n, &url, &format!("2024-01-01T{}:00:00Z", [10, 14][n as usize % 2]), &body)
    };
    let html = |pages: u32| {
        let path =
            crate::archive::write(folder.path(), "a.warc", &(0..2 * pages).map(page).collect::<Vec<_>>());
        let asked = ["at", NOON, &path, "-q", "--phrase", "right of withdrawal", "--html", "r.html"];
        assert!(crate::support::program::run(folder.path(), &asked).status.success());
        std::fs::read_to_string(folder.path().join("r.html")).unwrap()
    };
    let place = |html: &str, text: &str| html.find(text).unwrap();
    let long = html(20);
    assert!(place(&long, "<blockquote>") > place(&long, "class=\"annex\""));
    assert!(place(&long, "in <a href=\"#phrase-lists\">the annex</a>") < place(&long, "class=\"annex\""));
    let short = html(2);
    assert!(place(&short, "<blockquote>") < place(&short, "class=\"annex\""));
    assert!(!short.contains("phrase-lists"));
}
