//! A "no" rests on the server's own Last-Modified: it is given only where nothing in the archive speaks against that date.

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};
use acuity::internals::change::at::State;

use crate::archive::{ask, write};
use crate::support::record::{Record, id};

const URL: &str = "http://a.example/terms";
const BODY: &str = "<html><body><p>the terms, in quite some words</p></body></html>";
const MODIFIED: &str = "\nLast-Modified: Fri, 01 Mar 2024 11:40:00 GMT";

/// An answer at an hour of 2024-03-01, with more fields in its head.
fn answer(n: u32, hour: &str, status: &str, fields: &str, body: &str) -> Record {
    let head = format!(
        "HTTP/1.1 {status}\nContent-Type: text/html; charset=utf-8\nContent-Length: {}{fields}",
        body.len()
    );
    Record::response(n, URL, &format!("2024-03-01T{hour}:00Z"), &head, body.as_bytes())
}

fn date(clock: &str) -> String {
    format!("\nDate: Fri, 01 Mar 2024 {clock} GMT")
}

/// The page at noon, by a server whose clock is right.
fn noon() -> Record {
    answer(2, "12:00", "200 OK", &format!("{MODIFIED}{}", date("12:00:00")), BODY)
}

fn at_eleven(records: &[Record]) -> At {
    let folder = tempfile::tempdir().unwrap();
    let parameters = AtParameters { urls: vec![URL.to_owned()], ..AtParameters::on("2024-03-01T11:00:00Z") };
    ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap()
}

/// The archive does not settle it, and the answer says why.
fn is_open(records: &[Record], why: &str) {
    let at = at_eleven(records);
    assert_eq!(at.verdict, SiteVerdict::NotProvable, "{}", at.answer);
    assert!(at.answer.starts_with("The archive does not settle this."), "{}", at.answer);
    assert!(at.answer.contains(why), "{why}: {}", at.answer);
}

#[test]
fn a_version_that_is_newer_by_a_clock_that_was_right_was_not_there() {
    let at = at_eleven(&[noon()]);
    assert_eq!(at.verdict, SiteVerdict::NotCoherent);
    assert!(at.answer.starts_with("No. The record nearest that time (12:00:00 UTC)"), "{}", at.answer);
    assert!(at.answer.contains("later than that time, at 11:40:00 UTC"), "{}", at.answer);
}

#[test]
fn a_clock_that_was_wrong_or_is_not_known_settles_nothing() {
    let with = |fields: &str| [answer(2, "12:00", "200 OK", &format!("{MODIFIED}{fields}"), BODY)];
    is_open(
        &with(&date("15:00:00")),
        "The Last-Modified of the record of 12:00:00 UTC (2024-03-01T11:40:00Z) decides nothing: the server's clock was",
    );
    is_open(&with(&date("15:00:00")), "ahead of the crawler's");
    is_open(&with(&date("11:00:00")), "later than the Date of the same response");
    is_open(&with(""), "states no Date");
}

#[test]
fn the_same_content_before_contradicts_the_date() {
    let plain = Record::response(
        1,
        URL,
        "2024-03-01T10:00:00Z",
        &format!("HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: {}", BODY.len()),
        BODY.as_bytes(),
    );
    let told = "Records contradict each other: the record of 10:00:00 UTC holds the same content as a later record, whose \
                Last-Modified says that this content was last changed only at 2024-03-01T11:40:00Z";
    is_open(&[plain, noon()], told);
    is_open(&[answer(1, "10:00", "403 Forbidden", "", BODY), noon()], told);
    let posted = answer(1, "10:00", "200 OK", "", BODY).field("WARC-Concurrent-To", &format!("<{}>", id(3)));
    let request = Record::request(3, URL, "2024-03-01T10:00:00Z", "POST /terms", "");
    is_open(&[posted, request, noon()], told);
    let cut = answer(1, "10:00", "200 OK", "", &BODY[..30]).field("WARC-Truncated", "length");
    is_open(&[cut, noon()], "the record of 2024-03-01T10:00:00Z is cut short and may hold the same content");
    let undated = answer(1, "10:00", "200 OK", "", BODY).without("WARC-Date");
    is_open(&[undated, noon()], "a record without a date that can be read holds the same content");
    // Other content before, by whatever answer, does not.
    let at = at_eleven(&[answer(1, "10:00", "403 Forbidden", "", "no"), noon()]);
    assert!(at.answer.starts_with("No. "), "{}", at.answer);
    assert!(at.answer.contains("A record before that time (10:00:00 UTC) shows no version"), "{}", at.answer);
}

#[test]
fn what_is_no_page_has_no_version_that_could_be_newer() {
    for (status, fields) in
        [("404 Not Found", ""), ("410 Gone", ""), ("302 Found", "\nLocation: http://a.example/elsewhere")]
    {
        let fields = format!("{fields}{MODIFIED}{}", date("12:00:00"));
        is_open(
            &[answer(2, "12:00", status, &fields, "x")],
            &format!("the server responded with {status}, which is not a version"),
        );
    }
}

#[test]
fn of_two_dates_in_one_head_none_is_used() {
    let early = "\nLast-Modified: Thu, 01 Feb 2024 11:40:00 GMT";
    for fields in [format!("{early}{MODIFIED}"), format!("{MODIFIED}{early}")] {
        let record = answer(2, "12:00", "200 OK", &format!("{fields}{}", date("12:00:00")), BODY);
        is_open(
            &[record],
            "The head of the record of 12:00:00 UTC states several Last-Modified that differ, and none was used.",
        );
    }
    let twice = format!("{MODIFIED}{MODIFIED}{}", date("12:00:00"));
    assert!(at_eleven(&[answer(2, "12:00", "200 OK", &twice, BODY)]).answer.starts_with("No. "));
}

#[test]
fn the_same_strong_etag_before_contradicts_the_date() {
    let tagged = |tag: &str, n, hour: &str, fields: &str, body: &str| {
        answer(n, hour, "200 OK", &format!("\nETag: {tag}{fields}"), body)
    };
    let asked = |tag: &str, method: &str| {
        let head = tagged(tag, 1, "10:00", "", "").field("WARC-Concurrent-To", &format!("<{}>", id(3)));
        let request = Record::request(3, URL, "2024-03-01T10:00:00Z", &format!("{method} /terms"), "");
        let noon = tagged(tag, 2, "12:00", &format!("{MODIFIED}{}", date("12:00:00")), BODY);
        [head, request, noon]
    };
    let told = "the record of 10:00:00 UTC has the same strong ETag as a later record, whose Last-Modified says that this \
                content was last changed only at 2024-03-01T11:40:00Z";
    is_open(&asked("\"q\"", "HEAD"), told);
    // A weak one names what is alike, not what is the same.
    assert!(at_eleven(&asked("W/\"q\"", "HEAD")).answer.starts_with("No. "));
}

#[test]
fn a_date_that_other_records_contradict_is_told() {
    // By its date the content of noon is older than the other content of 11:30.
    let early = answer(1, "10:00", "200 OK", "", "<p>other");
    let late = answer(2, "12:00", "200 OK", "\nLast-Modified: Thu, 01 Feb 2024 11:40:00 GMT", BODY);
    let at = at_eleven(&[early, late]);
    let told = at.pages.held()[0].damage.iter().find(|damage| damage.words.contains("was not used"));
    assert!(
        told.is_some_and(|damage| damage.words.contains("2024-02-01T11:40:00Z")),
        "{:?}",
        at.pages.held()[0]
    );
}

#[test]
fn a_claim_is_put_down_to_a_last_modified_only_where_that_is_used() {
    let tagged = |n, hour: &str, fields: &str, body: &str| answer(n, hour, "200 OK", fields, body);
    let weak = "\nETag: W/\"v1\"";
    let page = tagged(2, "10:30", &format!("{weak}\nLast-Modified: Fri, 01 Mar 2024 07:00:00 GMT"), BODY);
    let head = format!("HTTP/1.1 304 Not Modified{weak}");
    let again = Record::revisit(3, URL, "2024-03-01T12:00:00Z", "server-not-modified", &head);
    let is_assumed =
        |at: &At| at.assumptions.iter().any(|text| text.contains("The server's clock was right"));
    // Other content at eight refutes the date: what is left is the tag.
    let refuted = at_eleven(&[tagged(1, "08:00", "", "<p>other"), page, again]);
    assert_eq!(refuted.pages.held()[0].state, State::Claimed, "{}", refuted.answer);
    assert_eq!(refuted.pages.held()[0].claimed_since, None);
    assert!(refuted.answer.contains("may show the same content"), "{}", refuted.answer);
    assert!(!is_assumed(&refuted), "{:?}", refuted.assumptions);
    let later = tagged(2, "12:00", "\nLast-Modified: Fri, 01 Mar 2024 07:00:00 GMT", BODY);
    let dated = at_eleven(&[later]);
    assert_eq!(dated.pages.held()[0].claimed_since.unwrap().to_string(), "2024-03-01T07:00:00Z");
    assert!(dated.answer.contains("By the server's own Last-Modified (07:00:00 UTC)"), "{}", dated.answer);
    assert!(is_assumed(&dated), "{:?}", dated.assumptions);
    let json = serde_json::to_value(&refuted.pages.held()[0]).unwrap();
    assert!(json["claimed_since"].is_null(), "{json}");
}
