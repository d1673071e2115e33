//! Heads that state one field twice, with different values: whichever is read, nothing is proven of a page that the record may be of.

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};

use crate::archive::{ask, write};
use crate::support::program::run;
use crate::support::record::{Record, ok};

const URL: &str = "http://a.example/terms";
const OTHER: &str = "http://a.example/other";

fn page(n: u32, url: &str, hour: &str, body: &str) -> Record {
    Record::response(n, url, &format!("2024-03-01T{hour}:00Z"), &ok(body.len()), body.as_bytes())
}

fn at_eleven(records: &[Record], url: &str) -> At {
    let folder = tempfile::tempdir().unwrap();
    let parameters = AtParameters { urls: vec![url.to_owned()], ..AtParameters::on("2024-03-01T11:00:00Z") };
    ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap()
}

/// Nothing is settled, and the field is named.
fn is_open(records: &[Record], field: &str) {
    let at = at_eleven(records, URL);
    assert_eq!(at.verdict, SiteVerdict::NotProvable, "{field}: {}", at.answer);
    let named = format!("several {field} that differ");
    assert!(at.answer.contains(&named), "{field}: {}", at.answer);
    let problem = at.problems.iter().find(|problem| problem.kind == "contradictory-head");
    assert!(problem.is_some_and(|problem| problem.count > 0), "{field}: {:?}", at.problems);
}

#[test]
fn a_record_with_two_dates_addresses_or_types_proves_nothing_in_either_order() {
    let (before, after) = (page(1, URL, "10:00", "one"), page(3, URL, "12:00", "one"));
    let between = |middle: Record| [before.clone(), middle, after.clone()];
    assert_eq!(at_eleven(&[before.clone(), after.clone()], URL).verdict, SiteVerdict::Coherent);
    for (first, second) in [("10:30", "13:00"), ("13:00", "10:30")] {
        let date = format!("2024-03-01T{second}:00Z");
        is_open(&between(page(2, URL, first, "two").field("WARC-Date", &date)), "WARC-Date");
    }
    for (first, second) in [(URL, OTHER), (OTHER, URL)] {
        let record = page(2, first, "10:30", "two").field("WARC-Target-URI", second);
        is_open(&between(record), "WARC-Target-URI");
    }
    is_open(&between(page(2, URL, "10:30", "two").field("WARC-Type", "metadata")), "WARC-Type");
    // On a record that would be relied on.
    let twice = before.clone().field("WARC-Date", "2024-03-01T11:30:00Z");
    is_open(&[twice, after.clone()], "WARC-Date");
    let elsewhere = page(1, OTHER, "10:00", "one").field("WARC-Target-URI", URL);
    is_open(&[elsewhere, after.clone()], "WARC-Target-URI");
    // The same value twice says nothing else.
    let same = before.clone().field("WARC-Date", "2024-03-01T10:00:00Z");
    assert_eq!(at_eleven(&[same, after.clone()], URL).verdict, SiteVerdict::Coherent);
}

#[test]
fn a_redirect_with_two_targets_leads_nowhere_that_is_proven() {
    let led = |n, hour: &str, more: &str| {
        let head = format!("HTTP/1.1 302 Found\nContent-Length: 0\nLocation: /a{more}");
        Record::response(n, URL, &format!("2024-03-01T{hour}:00Z"), &head, b"")
    };
    is_open(&[led(1, "10:00", "\nLocation: /b"), led(2, "12:00", "\nLocation: /b")], "Location");
    let same = at_eleven(&[led(1, "10:00", "\nLocation: /a"), led(2, "12:00", "")], URL);
    assert!(same.problems.is_empty(), "{:?}", same.problems);
}

#[test]
fn a_report_that_names_such_a_record_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        page(1, OTHER, "10:00", "one")
            .field("WARC-Target-URI", URL)
            .field("WARC-Date", "2024-03-01T10:20:00Z"),
        page(2, URL, "12:00", "one"),
    ];
    write(folder.path(), "a.warc", &records);
    for url in [URL, OTHER] {
        let made = ["at", "2024-03-01T11:00:00Z", "a.warc", "-q", "--url", url, "--json=r.json"];
        assert!(run(folder.path(), &made).status.success());
        let checked = run(folder.path(), &["verify", "r.json", "a.warc", "-q"]);
        assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stdout));
    }
}
