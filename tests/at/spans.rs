//! Days, hours and periods: what is said of a part is not said of the whole, and one report has one answer.

use std::fs;
use std::path::Path;

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};

use crate::archive::{ask, write};
use crate::support::program::run;
use crate::support::record::{Record, id, ok};

const URL: &str = "http://a.example/terms";
const DAY: &str = "2024-03-01";

/// A response at an hour of the day.
fn answered(n: u32, hour: &str, head: &str, body: &str) -> Record {
    Record::response(n, URL, &format!("2024-03-01T{hour}:00Z"), head, body.as_bytes())
}

fn page(n: u32, hour: &str, body: &str) -> Record {
    answered(n, hour, &ok(body.len()), body)
}

/// A page that was last changed at 11:40.
fn modified(n: u32, hour: &str, body: &str) -> Record {
    let head = format!(
        "{}\nDate: Fri, 01 Mar 2024 {hour}:00 GMT\nLast-Modified: Fri, 01 Mar 2024 11:40:00 GMT",
        ok(body.len())
    );
    answered(n, hour, &head, body)
}

fn missing(n: u32, hour: &str, url: &str) -> Record {
    let head = "HTTP/1.1 404 Not Found\nContent-Type: text/html\nContent-Length: 4";
    Record::response(n, url, &format!("2024-03-01T{hour}:00Z"), head, b"nope")
}

fn at(records: &[Record], date: &str) -> At {
    let folder = tempfile::tempdir().unwrap();
    let parameters = AtParameters { urls: vec![URL.to_owned()], ..AtParameters::on(date) };
    ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap()
}

/// The big word and the title of the page to print.
fn shown(folder: &Path, date: &str, more: &[&str]) -> (String, String) {
    run(folder, &[&["at", date, "a.warc", "-q", "--html", "r.html"], more].concat());
    let html = fs::read_to_string(folder.join("r.html")).unwrap();
    let between = |from: &str, to: &str| {
        let start = html.find(from).unwrap() + from.len();
        html[start..start + html[start..].find(to).unwrap()].to_owned()
    };
    (between("data-verdict>", "</b>"), between("<title>", "</title>"))
}

#[test]
fn a_change_within_the_day_is_not_said_to_be_later_than_the_day() {
    let records = [modified(1, "12:00", "<p>one")];
    for (date, noun) in [(DAY, "day"), ("2024-03-01T11", "hour"), ("2024-03", "month")] {
        let at = at(&records, date);
        assert_eq!(at.verdict, SiteVerdict::NotCoherent);
        let day = if noun == "month" { "2024-03-01 " } else { "" };
        let start = format!(
            "No, for part of that {noun}: until {day}11:40:00 UTC. The first record of the address ({day}12:00:00 UTC) holds a \
             version that, by the server's own Last-Modified, was last changed then."
        );
        assert!(at.answer.starts_with(&start), "{}", at.answer);
        assert!(at.answer.contains("For the rest of") && !at.answer.contains("later than"), "{}", at.answer);
    }
    let before = at(&records, "2024-02-29");
    assert!(before.answer.starts_with("No. The record nearest that day"), "{}", before.answer);
    assert!(before.answer.contains("later than that day, at 2024-03-01 11:40:00 UTC"), "{}", before.answer);
    // With a proven part, that part comes first.
    let both = at(&[modified(1, "12:00", "<p>one"), modified(2, "13:00", "<p>one")], DAY);
    assert!(
        both.answer
            .starts_with("Yes, for part of that day: from 12:00:01 to 13:00:00 UTC. No until 11:40:00 UTC."),
        "{}",
        both.answer
    );
    // Several pages.
    let folder = tempfile::tempdir().unwrap();
    let other = "http://a.example/b";
    let all = [
        modified(1, "12:00", "<p>one"),
        Record::page(2, other, "2024-03-01T10:00:00Z", "b"),
        Record::page(3, other, "2024-03-01T12:00:00Z", "b"),
    ];
    let urls = vec![URL.to_owned(), other.to_owned()];
    let many = ask(&[write(folder.path(), "a.warc", &all)], &AtParameters { urls, ..AtParameters::on(DAY) })
        .unwrap();
    assert!(
        many.answer.starts_with("No, for part of that day. For 1 of 2 pages the first record"),
        "{}",
        many.answer
    );
}

#[test]
fn text_page_and_verdict_give_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let records = [page(1, "10:00", "<p>old"), modified(2, "12:00", "<p>new")];
    write(folder.path(), "a.warc", &records);
    for time in ["10:30", "11:00", "11:10", "11:50"] {
        let date = format!("2024-03-01T{time}:00Z");
        let answer = at(&records, &date);
        assert_eq!(answer.verdict, SiteVerdict::NotProvable, "{time}");
        assert!(answer.answer.starts_with("The archive does not settle this."), "{}", answer.answer);
        assert_eq!(answer.parts.len(), 1, "{:?}", answer.parts);
        assert!(answer.better.is_empty(), "{:?}", answer.better);
        let (word, title) = shown(folder.path(), &date, &["--url", URL]);
        assert_eq!(word, "not settled");
        assert!(title.contains(": not settled"), "{title}");
    }
    write(folder.path(), "a.warc", &[page(1, "10:00", "<p>one"), page(2, "12:00", "<p>one")]);
    assert_eq!(shown(folder.path(), DAY, &["--url", URL]).0, "yes, for part");
    assert_eq!(shown(folder.path(), "2024-03-01T11:00:00Z", &["--url", URL]).0, "yes");
}

#[test]
fn a_page_that_was_not_there_is_never_a_yes() {
    let gone = [missing(1, "10:00", URL), missing(2, "12:00", URL)];
    for date in [DAY, "2024-03-01T10:30:00Z/2024-03-01T13:00:00Z"] {
        let answer = at(&gone, date).answer;
        assert!(
            answer.starts_with("For part of that") && answer.contains("answered 404 Not Found, from"),
            "{answer}"
        );
        assert!(answer.contains("by the server, no such page was there"), "{answer}");
    }
    let moment = at(&gone, "2024-03-01T11:00:00Z");
    assert_eq!((moment.counts.absent, moment.grade), (1, None));
    assert!(moment.answer.starts_with("The address answered 404 Not Found before"), "{}", moment.answer);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.warc", &gone);
    assert_eq!(shown(folder.path(), "2024-03-01T11:00:00Z", &["--url", URL]).0, "404 Not Found");
    let asked = ["at", "2024-03-01T11:00:00Z", "a.warc", "--url", URL, "-q", "--require", "coherent"];
    assert_eq!(run(folder.path(), &asked).status.code(), Some(1));
    // A redirect is none either.
    let head = "HTTP/1.1 302 Found\nLocation: http://a.example/t2\nContent-Length: 0";
    let led = at(&[answered(1, "10:00", head, ""), answered(2, "12:00", head, "")], DAY).answer;
    assert!(led.starts_with("For part of that day the address answered 302 Found"), "{led}");
    // Beside a page that was there.
    let other = "http://a.example/b";
    let all = [
        missing(1, "10:00", URL),
        missing(2, "12:00", URL),
        Record::page(3, other, "2024-03-01T10:00:00Z", "b"),
        Record::page(4, other, "2024-03-01T12:00:00Z", "b"),
    ];
    let urls = vec![URL.to_owned(), other.to_owned()];
    let parameters = AtParameters { urls, ..AtParameters::on("2024-03-01T11:00:00Z") };
    let many = ask(&[write(folder.path(), "b.warc", &all)], &parameters).unwrap();
    assert!(many.answer.starts_with("Yes, for 1 of 2 pages:"), "{}", many.answer);
    assert!(many.answer.contains("For 1 the address answered 404 Not Found"), "{}", many.answer);
}

#[test]
fn records_of_the_day_are_not_said_to_lie_before_or_after_it() {
    let two = at(&[page(1, "10:00", "<p>one"), page(2, "12:00", "<p>two")], DAY);
    assert_eq!(
        two.answer,
        "The archive does not settle this. It holds 2 usable records of that day, of 10:00:00 and 12:00:00 UTC. They differ; what \
         was there between them is not shown."
    );
    assert_eq!(two.because.len(), 2, "{:?}", two.because);
    let one = at(&[page(1, "10:00", "<p>one")], DAY);
    assert!(one.answer.contains("It holds 1 usable record of that day, of 10:00:00 UTC."), "{}", one.answer);
    let exact = at(&[page(1, "11:00", "<p>one")], "2024-03-01T11:00:00Z");
    assert!(exact.answer.contains("1 usable record of that very time"), "{}", exact.answer);
    assert!(!exact.answer.contains("before it"), "{}", exact.answer);
}

#[test]
fn what_speaks_against_a_part_stands_in_the_answer() {
    let busy = "HTTP/1.1 503 Service Unavailable\nContent-Length: 4";
    let between =
        [page(1, "10:00", "<p>one"), answered(2, "11:00", busy, "busy"), page(3, "12:00", "<p>one")];
    let answer = at(&between, DAY).answer;
    assert!(answer.starts_with("Yes, for part of that day: from 10:00:01 to 12:00:00 UTC."), "{answer}");
    assert!(answer.contains("A record in that part (11:00:00 UTC) shows no version of the page"), "{answer}");
    let wrong =
        page(2, "12:00", "<p>one").field("WARC-Block-Digest", "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let damaged = at(&[page(1, "10:00", "<p>one"), wrong], DAY);
    assert!(damaged.answer.contains("WARC-Block-Digest"), "{}", damaged.answer);
    // Two records of one id.
    let twice = at(&[page(1, "10:00", "<p>one"), page(1, "12:00", "<p>one")], "2024-03-01T11:00:00Z");
    assert!(twice.answer.contains("is also that of another record"), "{}", twice.answer);
}

#[test]
fn labels_follow_time_and_the_assumption_names_the_pair() {
    let flip = [
        page(1, "10:00", "<p>one"),
        page(2, "10:30", "<p>two"),
        page(3, "11:30", "<p>two"),
        page(4, "12:00", "<p>one"),
    ];
    let day = at(&flip, DAY);
    let labels: Vec<&str> =
        day.pages.held()[0].witnesses.iter().map(|record| record.label.as_str()).collect();
    assert!(labels.is_sorted() && labels.first() == Some(&"A") && labels.last() == Some(&"D"), "{labels:?}");
    assert_eq!(day.assumptions[0], "The page did not change and change back between B and C.");
}

#[test]
fn every_record_is_named_with_what_sets_it_apart() {
    // The original of a revisit, at another address.
    let body = b"<p>one";
    let original =
        Record::response(9, "http://b.example/copy", "2024-03-01T09:00:00Z", &ok(body.len()), body);
    let repeated = |n, hour: &str| {
        Record::revisit(
            n,
            URL,
            &format!("2024-03-01T{hour}:00Z"),
            "identical-payload-digest",
            "HTTP/1.1 200 OK",
        )
        .field("WARC-Payload-Digest", &crate::support::digests::sha1(body))
        .field("WARC-Refers-To", &format!("<{}>", id(9)))
        .field("WARC-Refers-To-Target-URI", "http://b.example/copy")
        .field("WARC-Refers-To-Date", "2024-03-01T09:00:00Z")
    };
    let because = at(&[original, repeated(1, "10:00"), repeated(2, "12:00")], "2024-03-01T11:00:00Z").because;
    assert!(because[0].contains(", of http://b.example/copy: 200 OK"), "{because:?}");
    assert!(because[1].ends_with("repeated content, with the same digest as record A."), "{because:?}");
    // Responses that show no page.
    let busy = "HTTP/1.1 503 Service Unavailable\nContent-Length: 4";
    let at_eleven =
        at(&[answered(1, "10:00", busy, "busy"), answered(2, "12:00", busy, "busy")], "2024-03-01T11:00:00Z");
    assert_eq!(
        at_eleven.because.iter().filter(|line| line.contains("503")).count(),
        2,
        "{:?}",
        at_eleven.because
    );
    // Redirects to two places.
    let to =
        |place: &str| format!("HTTP/1.1 302 Found\nLocation: http://a.example/{place}\nContent-Length: 0");
    let led =
        at(&[answered(1, "10:00", &to("x"), ""), answered(2, "12:00", &to("y"), "")], "2024-03-01T11:00:00Z");
    assert!(led.answer.contains("led on to http://a.example/x before"), "{}", led.answer);
    assert!(led.because[1].ends_with("302 Found, to http://a.example/y."), "{:?}", led.because);
}
