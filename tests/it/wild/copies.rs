//! Copies of one capture, of which each may say something against it: that stays, whichever copies are given and in which order.

use crate::support::digests::sha1;
use crate::support::record::{Record, id};

use super::*;

const PART: &str = "<!doctype html><html><body><p>Version A";

/// The captures at these hours, as an ARC.
fn arc(captures: &[(u32, &str)]) -> Vec<u8> {
    let head = "1 0 test\nURL IP-address Archive-date Content-type Archive-length\n\n";
    let mut bytes =
        format!("filedesc://a.arc 0.0.0.0 20220314000000 text/plain {}\n{head}\n", head.len()).into_bytes();
    for (hour, body) in captures {
        let block = format!("{}\r\n\r\n{body}", HTML.replace('\n', "\r\n"));
        let line = format!("{URL} 192.0.2.1 20220314{hour:02}0000 text/html {}\n", block.len());
        bytes.extend([line, block, "\n".to_owned()].concat().into_bytes());
    }
    bytes
}

/// An archive of two files, in both orders.
fn both(one: (&str, &[u8]), other: (&str, &[u8])) -> [Archive; 2] {
    [Archive::with(one.0, one.1).and(other.0, other.1), Archive::with(other.0, other.1).and(one.0, one.1)]
}

fn cut(n: u32, hour: u32) -> Record {
    page(n, hour, PART, "").field("WARC-Truncated", "length")
}

/// Nothing is known at eleven, not even that words were missing.
fn settles_nothing(archive: &Archive) {
    let found = archive.at(&at(11), &["--phrase", "unheard"]);
    assert_ne!(found["pages"][0]["state"], "proven", "{found}");
    assert!(found["phrases"][0]["absent"].as_array().unwrap().is_empty(), "{found}");
}

#[test]
fn a_copy_that_does_not_say_so_makes_no_cut_capture_whole() {
    let told = bytes(&[cut(1, 10), cut(2, 12)]);
    let untold = |first: u32| bytes(&[page(first, 10, PART, ""), page(first + 1, 12, PART, "")]);
    for copy in [("b.warc", untold(1)), ("b.warc", untold(7)), ("b.arc", arc(&[(10, PART), (12, PART)]))] {
        let name = copy.0;
        for archive in both(("a.warc", &told), (name, &copy.1)) {
            settles_nothing(&archive);
            assert_eq!(archive.judged(), ("unknown".to_owned(), 0));
        }
    }
    // A longer copy is the whole one: the other was cut where it was stored.
    let whole = bytes(&[page(1, 10, A, ""), page(2, 12, A, "")]);
    for archive in both(("a.warc", &told), ("b.warc", &whole)) {
        assert_eq!(archive.state_at(11), "proven");
    }
}

#[test]
fn revisits_of_a_cut_capture_are_cut_although_a_copy_does_not_say_so() {
    let again = |n, hour, of| repeated(n, hour, HTML, PART, of);
    for (copy, named) in [(1, 1), (7, 1), (7, 7)] {
        let told = bytes(&[cut(1, 9), again(2, 10, named), again(3, 12, named)]);
        let untold = bytes(&[page(copy, 9, PART, "")]);
        for archive in both(("a.warc", &told), ("b.warc", &untold)) {
            settles_nothing(&archive);
        }
    }
}

#[test]
fn what_a_line_of_an_index_calls_cut_is_cut() {
    let records = [page(1, 10, PART, ""), page(2, 12, PART, "")];
    let line = |date: &str, offset: usize, more: &str| {
        line(offset as u64, &sha1(PART.as_bytes()), "a.warc")
            .replace("20220314100000", date)
            .replace("\"length\"", &format!("{more}\"length\""))
    };
    let second = bytes(&records[..1]).len();
    let lines = |more: &str| line("20220314100000", 0, more) + &line("20220314120000", second, more);
    for archive in both(("a.warc", &bytes(&records)), ("a.cdxj", lines("").as_bytes())) {
        assert_eq!(archive.state_at(11), "proven");
    }
    for archive in
        both(("a.warc", &bytes(&records)), ("a.cdxj", lines("\"truncated\":\"length\",").as_bytes()))
    {
        settles_nothing(&archive);
    }
}

/// The response to a request by this method, between two pages that are the same.
fn asked_by(method: &str, posted: fn(u32) -> Record) -> Vec<Record> {
    let request = |n: u32, hour, method: &str, of: u32| {
        Record::request(n, URL, &at(hour), &format!("{method} /terms"), "")
            .field("WARC-Concurrent-To", &format!("<{}>", id(of)))
    };
    vec![
        page(1, 10, A, ""),
        request(4, 10, "GET", 1),
        posted(2),
        request(5, 11, method, 2),
        page(3, 12, A, ""),
        request(6, 12, "GET", 3),
    ]
}

fn posted(n: u32) -> Record {
    page(n, 11, B, "")
}

fn empty(n: u32) -> Record {
    page(n, 11, "", "\nContent-Length: 0")
}

#[test]
fn a_copy_without_its_request_makes_no_response_to_post_or_head_a_version() {
    for (method, other) in [("POST", posted as fn(u32) -> Record), ("HEAD", empty)] {
        let told = bytes(&asked_by(method, other));
        let untold = |from: u32| {
            let again = |n, hour| page(n, hour, A, "");
            bytes(&[again(from + 1, 10), other(from + 2), again(from + 3, 12)])
        };
        for (name, copy) in [("b.warc", untold(0)), ("b.warc", untold(20))] {
            for archive in both(("a.warc", &told), (name, &copy)) {
                assert_eq!(archive.judged(), ("sharp".to_owned(), 1), "{method}");
                assert_eq!(archive.at(&at(11), &[])["left_out"]["other_methods"], 1);
            }
        }
    }
    let copy = arc(&[(10, A), (11, B), (12, A)]);
    for archive in both(("a.warc", &bytes(&asked_by("POST", posted))), ("b.arc", &copy)) {
        is(archive.judged(), "sharp", 1);
    }
}

#[test]
fn a_response_that_is_there_twice_with_its_request_once_has_that_method() {
    let mut records = asked_by("POST", posted);
    records.insert(4, posted(2));
    is(Archive::of(&records).judged(), "sharp", 1);
    records.swap(2, 4);
    is(Archive::of(&records).judged(), "sharp", 1);
}

#[test]
fn the_method_that_a_line_of_an_index_names_is_that_of_its_record() {
    let records = [page(1, 10, A, ""), posted(2), page(3, 12, A, "")];
    let offset = bytes(&records[..1]).len() as u64;
    let posted = line(offset, &sha1(B.as_bytes()), "a.warc")
        .replace("20220314100000", "20220314110000")
        .replace("\"length\"", "\"method\":\"POST\",\"length\"");
    let with_body = posted.replace("/terms 2022", "/terms?__wb_method=post&x=1 2022");
    for index in [posted, with_body] {
        for archive in both(("a.warc", &bytes(&records)), ("a.cdxj", index.as_bytes())) {
            is(archive.judged(), "sharp", 1);
        }
    }
}

#[test]
fn one_record_that_is_asked_for_by_get_in_one_copy_and_by_post_in_another_is_contradictory() {
    let (get, post) = (bytes(&asked_by("GET", posted)), bytes(&asked_by("POST", posted)));
    for archive in both(("a.warc", &get), ("b.warc", &post)) {
        assert_eq!(archive.judged(), ("unknown".to_owned(), 0));
    }
    // Two captures of one second with requests of their own are two.
    let two = |method: &str, n: u32| {
        let request = Record::request(n + 10, URL, &at(11), &format!("{method} /terms"), "");
        [page(n, 11, A, ""), request.field("WARC-Concurrent-To", &format!("<{}>", id(n)))]
    };
    let records =
        [vec![page(1, 10, A, "")], two("GET", 2).to_vec(), two("POST", 3).to_vec(), vec![page(4, 12, A, "")]];
    is(Archive::of(&records.concat()).judged(), "sharp", 1);
}
