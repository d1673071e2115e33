//! What lies between two records, and why two records cannot be compared: the answer says what is true, and all of it.

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};

use crate::archive::{ask, write};
use crate::support::record::{Record, id, ok};

const URL: &str = "http://a.example/terms";

fn page(n: u32, clock: &str, body: &str, fields: &str) -> Record {
    let head = format!("{}{fields}", ok(body.len()));
    Record::response(n, URL, &format!("2024-03-01T{clock}Z"), &head, body.as_bytes())
}

fn about(records: &[Record], date: &str, canon: &str) -> At {
    let folder = tempfile::tempdir().unwrap();
    let parameters =
        AtParameters { urls: vec![URL.to_owned()], canon: canon.to_owned(), ..AtParameters::on(date) };
    ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap()
}

fn at_eleven(records: &[Record]) -> At {
    about(records, "2024-03-01T11:00:00Z", "strict")
}

#[test]
fn answers_to_other_requests_between_are_told() {
    for method in ["POST", "HEAD"] {
        let other = page(3, "10:30:00", if method == "HEAD" { "" } else { "<p>two" }, "")
            .field("WARC-Concurrent-To", &format!("<{}>", id(4)));
        let request = Record::request(4, URL, "2024-03-01T10:30:00Z", &format!("{method} /terms"), "");
        let records = [page(1, "10:00:00", "<p>one", ""), other, request, page(2, "12:00:00", "<p>one", "")];
        let at = at_eleven(&records);
        assert_eq!(at.verdict, SiteVerdict::Coherent);
        assert!(!at.answer.contains("nothing else"), "{}", at.answer);
        let told = format!(
            "(10:30:00 UTC) shows no version of the page and was not counted: it is a response to a {method} request."
        );
        assert!(at.answer.contains(&told), "{}", at.answer);
    }
}

#[test]
fn a_record_without_a_date_is_told_in_one_breath_with_what_lies_between() {
    let undated = page(3, "10:30:00", "<p>two", "").without("WARC-Date");
    let at = at_eleven(&[page(1, "10:00:00", "<p>one", ""), undated, page(2, "12:00:00", "<p>one", "")]);
    assert!(
        at.answer.contains(
            "nothing else that has a date between them. 1 record of the address has no date that can be read"
        ),
        "{}",
        at.answer
    );
}

#[test]
fn the_real_cause_is_named_where_records_do_not_compare() {
    let asked = |n: u32, response: u32, hour: &str, cookie: &str| {
        let block = format!("GET /terms HTTP/1.1\r\nHost: a.example\r\nCookie: u={cookie}\r\n\r\n");
        Record::new("request", n, &format!("2024-03-01T{hour}:00:00Z"), block)
            .field("WARC-Target-URI", URL)
            .field("Content-Type", "application/http; msgtype=request")
            .field("WARC-Concurrent-To", &format!("<{}>", id(response)))
    };
    let varied = [
        page(1, "10:00:00", "<p>one", "\nVary: Cookie"),
        asked(3, 1, "10", "1"),
        page(2, "12:00:00", "<p>one", "\nVary: Cookie"),
        asked(4, 2, "12", "2"),
    ];
    let together = [
        page(1, "10:00:00", "<p>one", ""),
        page(3, "10:00:00", "<p>two", ""),
        page(2, "12:00:00", "<p>one", ""),
    ];
    let bare = [
        page(1, "10:00:00", "<p>one", ""),
        Record::response(3, URL, "2024-03-01T12:00:00Z", "HTTP/1.1 304 Not Modified", b""),
    ];
    for (records, why) in [
        (&varied[..], "their requests differ in headers that the response depends on (Vary: cookie)"),
        (&together, "another record of the same second"),
        (&bare, "304 Not Modified that does not show which content was unchanged"),
    ] {
        let at = at_eleven(records);
        assert_eq!(at.verdict, SiteVerdict::NotProvable, "{}", at.answer);
        assert!(at.answer.contains(why), "{why}: {}", at.answer);
        assert!(!at.answer.contains("what they hold does not show"), "{}", at.answer);
        assert!(!at.answer.contains("dates that the server stated"), "{}", at.answer);
    }
    let other = Record::page(2, "http://a.example/Terms", "2024-03-01T12:00:00Z", "<p>one");
    let spelled = about(&[page(1, "10:00:00", "<p>one", ""), other], "2024-03-01T11:00:00Z", "default");
    assert!(spelled.answer.contains("two spellings of the address"), "{}", spelled.answer);
}

#[test]
fn a_part_of_one_second_is_told_with_its_fractions() {
    let end = at_eleven(&[page(1, "10:00:00", "<p>one", ""), page(2, "11:00:00", "<p>one", "")]);
    assert!(end.answer.starts_with("Yes, for part of that time: at 11:00:00.000000 UTC."), "{}", end.answer);
    let records = [
        page(1, "10:00:00", "<p>one", ""),
        page(2, "11:00:00.250", "<p>two", ""),
        page(3, "12:00:00", "<p>two", ""),
    ];
    let part = at_eleven(&records);
    assert!(
        part.answer.starts_with("Yes, for part of that time: from 11:00:00.251000 to 11:00:00.999999 UTC."),
        "{}",
        part.answer
    );
}
