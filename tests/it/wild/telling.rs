//! What an answer says, and what it must not leave out.

use crate::support::digests::sha1;
use crate::support::record::{Record, id};

use super::*;

#[test]
fn a_304_with_a_date_against_itself_excludes_nothing() {
    let date = |hour: u32| format!("\nLast-Modified: Mon, 14 Mar 2022 {hour:02}:40:00 GMT");
    let named = |more: &str| not_modified(2, 12, more).field("WARC-Refers-To", &format!("<{}>", id(1)));
    let half_past = "2022-03-14T11:30:00Z";
    for records in [
        [page(1, 10, A, &date(8)), named(&date(11))],
        [page(1, 10, A, ""), named(&date(11))],
        [page(1, 10, A, &date(8)), not_modified(2, 12, &date(11))],
    ] {
        let found = Archive::of(&records).at(half_past, &[]);
        assert_eq!(found["verdict"], "not-provable", "{}", found["answer"]);
        assert!(!found["answer"].as_str().unwrap().starts_with("No."), "{found}");
    }
}

#[test]
fn no_is_said_only_where_no_other_version_was_captured_before() {
    let date = "\nDate: Mon, 14 Mar 2022 12:00:00 GMT\nLast-Modified: Mon, 14 Mar 2022 11:40:00 GMT";
    let half_past = "2022-03-14T11:30:00Z";
    let alone = Archive::of(&[page(2, 12, B, date)]).at(half_past, &[]);
    assert!(alone["answer"].as_str().unwrap().starts_with("No. The record nearest that time"), "{alone}");
    let both = Archive::of(&[page(1, 10, A, ""), page(2, 12, B, date)]).at(half_past, &[]);
    let answer = both["answer"].as_str().unwrap();
    assert!(answer.starts_with("The archive does not settle this. The record after that time"), "{answer}");
    assert!(answer.contains("was last changed later than that time, at 11:40:00 UTC"), "{answer}");
    // A day of which a part is proven is not denied.
    let records = [page(1, 8, A, ""), page(2, 10, A, ""), page(3, 12, B, date)];
    let day = Archive::of(&records).at("2022-03-14", &[]);
    assert!(day["answer"].as_str().unwrap().starts_with("Yes, for part of that day"), "{day}");
}

#[test]
fn records_of_one_second_may_lie_in_any_order() {
    let said = |records: &[Record]| {
        let found = Archive::of(records).at("2022-03-14T10:30:00Z", &["--phrase", "Version A"]);
        (found["answer"].clone(), found["phrases"][0]["answer"].clone(), found["because"].clone())
    };
    let (a, b, c) = (page(1, 10, A, ""), page(2, 10, B, ""), page(3, 12, A, ""));
    let one = said(&[a.clone(), b.clone(), c.clone()]);
    assert_eq!(one, said(&[b.clone(), a.clone(), c.clone()]));
    assert_eq!(one, said(&[c, b, a]));
}

#[test]
fn a_page_that_was_gone_before_is_no_version() {
    let gone = |n, hour| {
        Record::response(n, URL, &at(hour), "HTTP/1.1 404 Not Found\nContent-Type: text/html", A.as_bytes())
    };
    let found = Archive::of(&[gone(1, 10), page(2, 12, A, "")]).at(&at(11), &[]);
    let answer = found["answer"].as_str().unwrap();
    assert!(
        answer.contains("answered 404 Not Found before (10:00:00 UTC) and 200 OK after (12:00:00 UTC)"),
        "{answer}"
    );
    assert!(!answer.contains("versions"), "{answer}");
    // Words of two equal error messages are none of the page.
    let both = Archive::of(&[gone(1, 10), gone(2, 12)]).at(&at(11), &["--phrase", "right of withdrawal"]);
    let phrase = &both["phrases"][0];
    assert!(!phrase["answer"].as_str().unwrap().starts_with("Yes"), "{phrase}");
    assert_eq!(
        (phrase["present"].as_array().unwrap().len(), phrase["absent"].as_array().unwrap().len()),
        (0, 0)
    );
    assert!(phrase["unprovable"][0]["reason"].as_str().unwrap().contains("404 Not Found"), "{phrase}");
}

#[test]
fn what_is_wrong_with_the_records_relied_on_stands_in_the_answer() {
    let answer = |record: Record| {
        let found = Archive::of(&[page(1, 10, A, ""), record]).at(&at(11), &[]);
        assert_eq!(found["pages"][0]["state"], "proven");
        found["answer"].as_str().unwrap().to_owned()
    };
    let plain = answer(page(2, 12, A, ""));
    assert!(plain.ends_with("and nothing else between them."), "{plain}");
    for (record, words) in [
        (
            page(2, 12, A, "").field("WARC-Block-Digest", &sha1(b"another block")),
            "The block of the record of 12:00:00 UTC",
        ),
        (page(2, 12, A, "\nContent-Length: 10"), "is longer than its Content-Length says"),
        (
            page(2, 12, A, &format!("\nContent-Length: 7\nContent-Length: {}", A.len())),
            "or it states several",
        ),
        (
            page(2, 12, A, &format!("\nContent-Range: bytes 0-{}/{}", A.len() - 1, A.len())),
            "has a Content-Range",
        ),
        (page(2, 12, A, "\nDate: yesterday"), "The Date of the record of 12:00:00 UTC cannot be read"),
        (page(2, 12, A, "\nLast-Modified: long ago"), "The Last-Modified of the record"),
    ] {
        let told = answer(record);
        assert!(told.starts_with("Yes.") && told.contains(words), "{told}");
    }
    // A record of the address without a date may belong anywhere.
    let undated = page(3, 11, B, "").set("WARC-Date", "the other day");
    let found = Archive::of(&[page(1, 10, A, ""), page(2, 12, A, ""), undated]).at(&at(11), &[]);
    assert_eq!(found["pages"][0]["undated"], 1);
    assert!(
        found["answer"].as_str().unwrap().contains("1 record of the address has no date that can be read"),
        "{found}"
    );
    // An index that states another status contradicts the record.
    let line = line(0, &sha1(A.as_bytes()), "a.warc");
    let judged = |status: &str| {
        let line = line.replace("\"200\"", &format!("\"{status}\""));
        let archive = Archive::of(&[page(1, 10, A, ""), page(2, 12, A, "")]).and("i.cdxj", line.as_bytes());
        let found = archive.at(&at(11), &[]);
        (found["pages"][0]["state"].clone(), found["answer"].as_str().unwrap().to_owned())
    };
    assert_eq!(judged("200").0, "proven");
    let (state, answer) = judged("404");
    assert_eq!(state, "undecided");
    assert!(answer.contains("another digest, status or method"), "{answer}");
}

#[test]
fn a_page_that_reads_like_an_error_is_told() {
    let lost = "<html><head><title>404 Not Found</title></head><body><h1>Page not found</h1></body></html>";
    let found = Archive::of(&[page(1, 10, lost, ""), page(2, 12, lost, "")]).at(&at(11), &[]);
    assert_eq!(found["pages"][0]["state"], "proven");
    let answer = found["answer"].as_str().unwrap();
    assert!(answer.contains("reads like an error page"), "{answer}");
}

#[test]
fn fragments_are_not_said_to_be_compared() {
    let other = page(2, 12, A, "").set("WARC-Target-URI", "http://T.example:80/terms#top");
    let found = Archive::of(&[page(1, 10, A, ""), other]).at(&at(11), &[]);
    assert_eq!(found["pages"][0]["state"], "proven");
    assert!(found["limits"].to_string().contains("what follows a #"), "{found}");
}
