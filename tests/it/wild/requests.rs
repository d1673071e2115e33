//! What requests, caches and cut captures say about the captures around them.

use crate::support::pack::gzip;
use crate::support::record::{Record, id};

use super::*;

/// A request, `more` being further header fields.
fn request(n: u32, hour: u32, method: &str, more: &str) -> Record {
    let block = format!("{method} /terms HTTP/1.1\nHost: t.example{more}\n\n").replace('\n', "\r\n");
    Record::new("request", n, &at(hour), block)
        .field("WARC-Target-URI", URL)
        .field("Content-Type", "application/http; msgtype=request")
}

fn of(record: Record, n: u32) -> Record {
    record.field("WARC-Concurrent-To", &format!("<{}>", id(n)))
}

#[test]
fn a_request_in_another_file_is_found_by_either_name() {
    // A, then B, then the response to a POST, which is A again.
    let pages = |posted: Record| bytes(&[page(1, 9, A, ""), page(2, 10, B, ""), posted]);
    let posted = || page(3, 12, A, "");
    let asked = |captures: &[u8], requests: &[Record]| {
        let archive = Archive::with("a.warc", captures).and("requests.warc", &bytes(requests));
        let other = Archive::with("a-requests.warc", &bytes(requests)).and("b.warc", captures);
        assert_eq!(archive.state_at(11), other.state_at(11), "the order of files decides nothing");
        archive.state_at(11)
    };
    assert_eq!(asked(&pages(posted()), &[of(request(4, 12, "GET", ""), 3)]), "changed-nearby");
    for (captures, requests) in [
        (pages(posted()), [of(request(4, 12, "POST", ""), 3)]),
        (pages(of(posted(), 4)), [request(4, 12, "POST", "")]),
    ] {
        assert_eq!(asked(&captures, &requests), "unseen", "the page was last seen at ten");
        let archive = Archive::with("a.warc", &captures).and("r.warc", &bytes(&requests));
        assert_eq!(archive.at(&at(11), &[])["left_out"]["other_methods"], 1);
    }
    // A request that names nothing, of that URL and second.
    assert_eq!(asked(&pages(posted()), &[request(4, 12, "POST", "")]), "undecided");
    // The request of another capture says nothing.
    assert_eq!(asked(&pages(posted()), &[of(request(4, 12, "POST", ""), 77)]), "changed-nearby");
    // Both equal, one by POST: nothing is proven between them.
    let equal = bytes(&[page(1, 10, A, ""), page(2, 12, A, "")]);
    assert_eq!(asked(&equal, &[]), "proven");
    assert_eq!(asked(&equal, &[of(request(4, 12, "POST", ""), 2)]), "unseen");
}

#[test]
fn a_request_that_names_nothing_belongs_to_the_capture_of_its_date() {
    let captures = || (page(1, 9, A, ""), page(2, 10, B, ""), page(3, 12, A, ""));
    let (a, b, posted) = captures();
    let before = Archive::of(&[a, b, request(4, 12, "POST", ""), posted]);
    assert_eq!(before.state_at(11), "unseen", "the request stands before its response");
    let (a, b, posted) = captures();
    let behind = Archive::of(&[a, b, posted, request(4, 12, "POST", "")]);
    assert_eq!(behind.state_at(11), "unseen");
    // Captures of other addresses stand between.
    let other = |n: u32| page(n, 12, B, "").set("WARC-Target-URI", &format!("http://t.example/{n}"));
    let (a, b, posted) = captures();
    let mut records = vec![a, b, request(4, 12, "POST", "")];
    records.extend((20..30).map(other));
    records.push(posted);
    assert_eq!(Archive::of(&records).state_at(11), "unseen");
    // Of two captures in one second, one was the response to the POST, and which one is unknown.
    let same = |n: u32, body: &str| page(n, 12, body, "");
    let doubtful = Archive::of(&[page(1, 10, A, ""), same(2, A), request(4, 12, "POST", ""), same(3, A)]);
    let found = doubtful.at(&at(11), &[])["pages"][0].clone();
    assert_eq!(found["state"], "undecided");
    assert!(found["contradictions"][0]["words"].as_str().unwrap().contains("not GET"), "{found}");
    // One that is hours off belongs to neither.
    let far = Archive::of(&[page(1, 10, A, ""), request(4, 11, "POST", ""), page(2, 12, A, "")]);
    assert_eq!(far.state_at(11), "proven");
}

#[test]
fn a_304_confirms_what_its_own_request_asked_with() {
    let named = |more: &str| not_modified(2, 12, more).field("WARC-Refers-To", &format!("<{}>", id(1)));
    let judged = |original: &str, answer: &str, asked: &str| {
        Archive::of(&[page(1, 10, A, original), named(answer), of(request(3, 12, "GET", asked), 2)])
            .state_at(11)
    };
    let tag = "\nETag: \"v1\"";
    let date = "\nLast-Modified: Mon, 14 Mar 2022 08:00:00 GMT";
    let none_match = |tags: &str| format!("\nIf-None-Match: {tags}");
    let since = |hour: u32| format!("\nIf-Modified-Since: Mon, 14 Mar 2022 {hour:02}:00:00 GMT");
    assert_eq!(judged(tag, "", &none_match("\"v1\"")), "proven");
    assert_eq!(judged(tag, tag, &none_match("\"v0\", \"v1\"")), "proven", "the 304 says which");
    assert_eq!(judged(date, "", &since(8)), "proven");
    assert_eq!(judged("", "", &since(9)), "proven", "not modified since before the original");
    assert_eq!(judged(date, date, &since(11)), "proven", "the 304 repeats the date");
    for (original, answer, asked) in [
        (tag, "", none_match("\"v2\"")),
        (tag, tag, none_match("\"v2\"")),
        (tag, "", none_match("\"v0\", \"v1\"")),
        (tag, "", none_match("*")),
        (tag, "", none_match("W/\"v1\"")),
        ("", "", none_match("\"v1\"")),
        (date, "", since(11)),
        ("", "", since(11)),
        ("", "", String::new()),
    ] {
        assert_ne!(judged(original, answer, &asked), "proven", "{original} {answer} {asked}");
    }
    // The same for one that names no record.
    let unnamed = |asked: &str| {
        let records = [page(1, 10, A, tag), not_modified(2, 12, tag), of(request(3, 12, "GET", asked), 2)];
        Archive::of(&records).state_at(11)
    };
    assert_eq!(unnamed(&none_match("\"v1\"")), "proven");
    assert_ne!(unnamed(&none_match("\"v2\"")), "proven");
}

#[test]
fn an_age_that_its_date_contradicts_proves_no_side() {
    let dated = |n, hour: u32, age: &str, date: u32| {
        page(n, hour, A, &format!("{age}\nDate: Mon, 14 Mar 2022 {date:02}:00:00 GMT"))
    };
    let state = |one: Record, other: Record| Archive::of(&[one, other]).state_at(11);
    // Two hours in a cache, and made when it was captured: the cache may have kept it since ten.
    assert_ne!(state(page(1, 9, A, ""), dated(2, 12, "\nAge: 7200", 12)), "proven");
    assert_ne!(state(page(1, 9, A, ""), dated(2, 12, "\nAge: 0", 10)), "proven");
    assert_eq!(state(page(1, 9, A, ""), dated(2, 12, "\nAge: 600", 12)), "proven", "either is later");
    assert_eq!(state(page(1, 9, A, ""), dated(2, 13, "\nAge: 3600", 12)), "proven", "both say twelve");
    // The record before may have been made later than its Age says.
    assert_ne!(state(dated(1, 12, "\nAge: 7200", 12), page(2, 14, A, "")), "proven");
    let found = Archive::of(&[page(1, 9, A, ""), dated(2, 12, "\nAge: 7200", 12)]).at(&at(11), &[]);
    assert!(found["answer"].as_str().unwrap().contains("its dates contradict each other"), "{found}");
}

#[test]
fn a_cut_capture_of_something_else_ends_a_proof() {
    let cut = |n: u32, hour: u32, body: &str| {
        page(n, hour, body, &format!("\nContent-Length: {}", body.len() + 50))
    };
    let between = |cut: Record| Archive::of(&[page(1, 10, A, ""), cut, page(3, 12, A, "")]);
    assert_eq!(between(cut(2, 11, &A[..40])).state_at(11), "proven", "it is the begin of the page");
    let other = between(cut(2, 11, "<!doctype html><html><body><p>Version B, no right"));
    assert_eq!(other.state_at(11), "undecided");
    let page_of = other.audited();
    assert_ne!((page_of["state"].as_str(), page_of["proven"].as_array().unwrap().len()), (Some("sharp"), 1));
    assert!(page_of["state"] != "changed", "a cut capture shows no change either");
    let answer = other.at(&at(11), &[])["answer"].as_str().unwrap().to_owned();
    assert!(answer.contains("does not begin like the page"), "{answer}");
    // However it is coded, and by whatever it is cut.
    let coded = |body: &str| {
        let zipped = gzip(body.as_bytes());
        let head = format!("{HTML}\nContent-Encoding: gzip");
        Record::response(2, URL, &at(11), &head, &zipped[..zipped.len() - 12])
    };
    let long = |start: &str| format!("{start}{}", " and some more words".repeat(200));
    let whole = |n, hour| page(n, hour, &long(A), "");
    let judged = |cut: Record| Archive::of(&[whole(1, 10), cut, whole(3, 12)]).state_at(11);
    assert_eq!(judged(coded(&long(A))), "proven");
    assert_eq!(judged(coded(&long(B))), "undecided");
    let marked = |body: &str| page(2, 11, body, "").field("WARC-Truncated", "time");
    assert_eq!(judged(marked(&long(A)[..300])), "proven");
    assert_eq!(judged(marked(&long(B)[..300])), "undecided");
    // The status of a cut response is whole.
    let gone = Record::response(2, URL, &at(11), "HTTP/1.1 404 Not Found\nContent-Length: 99", b"gone");
    assert_eq!(between(gone).state_at(11), "undecided");
    let refused = Record::response(2, URL, &at(11), "HTTP/1.1 503 Busy\nContent-Length: 99", b"busy");
    assert_eq!(between(refused).state_at(11), "proven");
}
