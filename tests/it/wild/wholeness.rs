//! What is cut, however it shows, and what revisits take over from their originals.

use crate::support::digests::sha1;
use crate::support::record::{Record, id};

use super::*;

const PART: &str = "<!doctype html><html><body><p>Version A";

/// Two captures at ten and twelve: nothing is proven between them, not even that words were missing.
fn settles_nothing(records: &[Record]) {
    let found = Archive::of(records).at(&at(11), &["--phrase", "unheard"]);
    assert_ne!(found["pages"][0]["state"], "proven", "{found}");
    assert!(found["phrases"][0]["absent"].as_array().unwrap().is_empty(), "{found}");
}

/// A revisit without the head of its response.
fn headless(n: u32, hour: u32, body: &[u8], of: u32) -> Record {
    Record::new("revisit", n, &at(hour), "")
        .field("WARC-Target-URI", URL)
        .field("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")
        .field("WARC-Payload-Digest", &sha1(body))
        .field("WARC-Refers-To", &format!("<{}>", id(of)))
}

#[test]
fn revisits_without_a_head_of_a_partial_response_prove_nothing() {
    let head = "HTTP/1.1 206 Partial Content\nContent-Type: text/html\nContent-Range: bytes 0-39/99";
    for url in [URL, "http://t.example/other"] {
        let part = Record::response(1, url, &at(9), head, PART.as_bytes());
        let again = |n, hour| headless(n, hour, PART.as_bytes(), 1);
        settles_nothing(&[part, again(2, 10), again(3, 12)]);
    }
}

#[test]
fn revisits_whose_own_length_is_that_of_a_longer_body_are_cut() {
    let head = |length: usize| format!("{HTML}\nContent-Length: {length}");
    let original = || page(1, 9, PART, "");
    let again = |n, hour, length| repeated(n, hour, &head(length), PART, 1);
    settles_nothing(&[original(), again(2, 10, 92), again(3, 12, 92)]);
    let whole = Archive::of(&[original(), again(2, 10, PART.len()), again(3, 12, PART.len())]);
    assert_eq!(whole.state_at(11), "proven");
    // The length of a coded body says nothing of what it holds.
    let coded = format!("{}\nContent-Encoding: gzip", head(92));
    let coded = |n, hour| repeated(n, hour, &coded, PART, 1);
    assert_eq!(Archive::of(&[original(), coded(2, 10), coded(3, 12)]).state_at(11), "proven");
}

#[test]
fn a_response_that_ends_within_its_head_is_cut() {
    let cut = |n, hour| {
        Record::new("response", n, &at(hour), "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Le")
            .field("WARC-Target-URI", URL)
            .field("Content-Type", "application/http; msgtype=response")
    };
    settles_nothing(&[cut(1, 10), cut(2, 12)]);
}

#[test]
fn a_body_without_the_coding_that_its_head_names_is_cut_where_it_is_shorter_than_the_coded_one() {
    let text = "right of withdrawal ".repeat(40);
    let coded = |n, hour, length: usize| {
        page(n, hour, &text, &format!("\nContent-Encoding: gzip\nContent-Length: {length}"))
    };
    settles_nothing(&[coded(1, 10, text.len() + 20), coded(2, 12, text.len() + 20)]);
    // Stored without its coding it is longer.
    assert_eq!(Archive::of(&[coded(1, 10, 60), coded(2, 12, 60)]).state_at(11), "proven");
    // A few bytes are longer in a coding.
    let few = |n, hour| page(n, hour, "ok", "\nContent-Encoding: gzip\nContent-Length: 22");
    assert_eq!(Archive::of(&[few(1, 10), few(2, 12)]).state_at(11), "proven");
}

#[test]
fn a_length_of_too_many_digits_is_longer_than_every_body() {
    let long = |n, hour| page(n, hour, A, "\nContent-Length: 99999999999999999999999");
    settles_nothing(&[long(1, 10), long(2, 12)]);
}

#[test]
fn a_revisit_without_a_head_of_a_screenshot_is_no_version_of_the_page() {
    let picture = Record::new("resource", 2, &at(9), "\u{89}PNG123")
        .field("WARC-Target-URI", URL)
        .field("Content-Type", "image/png");
    let again = headless(3, 11, "\u{89}PNG123".as_bytes(), 2);
    let archive = Archive::of(&[page(1, 10, A, ""), picture, again, page(4, 12, A, "")]);
    is(archive.judged(), "sharp", 1);
    // Of the page itself it is one.
    let again = headless(3, 11, A.as_bytes(), 1);
    assert_eq!(Archive::of(&[page(1, 10, A, ""), again]).judged(), ("sharp".to_owned(), 1));
}
