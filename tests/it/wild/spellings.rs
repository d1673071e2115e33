//! Spellings of one URL, one capture written in two ways, and captures that say nothing between others.

use crate::support::record::{Record, id};

use super::*;

const SECURE: &str = "https://t.example/terms";

fn spelled(n: u32, url: &str, hour: u32, body: &str) -> Record {
    Record::response(n, url, &at(hour), HTML, body.as_bytes())
}

fn redirect(n: u32, url: &str, hour: u32, to: &str) -> Record {
    Record::response(n, url, &at(hour), &format!("HTTP/1.1 302 Found\nLocation: {to}"), b"")
}

#[test]
fn a_redirect_of_another_spelling_neither_changes_the_page_nor_ends_its_proof() {
    let amid = [
        spelled(1, SECURE, 10, A),
        redirect(2, URL, 11, "http://t.example/en/terms"),
        spelled(3, SECURE, 12, A),
    ];
    is(Archive::of(&amid).judged(), "sharp", 1);
    let chain = [
        redirect(1, URL, 9, "https://t.example/home"),
        redirect(2, "https://t.example/home", 9, "https://www.t.example/terms"),
        spelled(3, "https://www.t.example/terms", 10, A),
        spelled(4, "https://www.t.example/terms", 12, A),
    ];
    let audit = Archive::of(&chain).audit(&[]);
    let pages = audit["sites"][0]["page_list"].as_array().unwrap();
    let terms = pages.iter().find(|page| page["key"].as_str().unwrap().ends_with("/terms")).unwrap();
    assert_eq!(terms["state"], "sharp", "{terms}");
}

#[test]
fn a_page_that_moved_at_its_last_capture_has_changed_whatever_the_spelling() {
    let moved = [spelled(1, SECURE, 10, A), redirect(2, URL, 12, "http://t.example/en/terms")];
    is(Archive::of(&moved).judged(), "changed", 0);
}

#[test]
fn another_spelling_that_shows_something_else_does_not_end_the_proof_of_the_first() {
    let archive = Archive::of(&[page(1, 10, A, ""), spelled(2, SECURE, 11, B), page(3, 12, A, "")]);
    is(archive.judged(), "sharp", 1);
    assert_eq!(archive.state_at(11), "proven");
}

/// Two spellings: one stays the same, the other is edited every day, fetched the first or the second of the two.
fn two_pages(days: u32, apart: u32, edited_first: bool) -> Vec<Record> {
    let (still, edited) = if edited_first { (apart, 0) } else { (0, apart) };
    let at = |day: u32, second: u32| {
        format!(
            "2022-03-{:02}T{:02}:{:02}:{:02}Z",
            14 + day,
            10 + second / 3600,
            second / 60 % 60,
            second % 60
        )
    };
    (0..days)
        .flat_map(|day| {
            let body = format!("<html><body><p>Edited {day}</p></body></html>");
            let capture = |n: u32, url: &str, second: u32, body: &str| {
                Record::response(n, url, &at(day, second), HTML, body.as_bytes())
            };
            [
                capture(2 * day + 1, "http://w.example/a", still, A),
                capture(2 * day + 2, "http://w.example/A", edited, &body),
            ]
        })
        .collect()
}

#[test]
fn of_two_spellings_that_are_two_pages_the_one_that_changed_is_judged_whichever_was_fetched_first() {
    for days in [2, 3, 4] {
        for apart in [1, 2, 60, 3600] {
            for edited_first in [false, true] {
                let audit = Archive::of(&two_pages(days, apart, edited_first)).audit(&[]);
                let page = &audit["sites"][0]["page_list"][0];
                let found = (page["url"].as_str(), page["state"].as_str(), page["versions"].as_u64());
                let expected = (Some("http://w.example/A"), Some("changed"), Some(u64::from(days)));
                assert_eq!(found, expected, "{days} days, {apart} s apart, {edited_first}");
                assert!(!audit["answers"].to_string().contains("no page was seen to change"), "{audit}");
            }
        }
    }
}

#[test]
fn a_capture_that_shows_nothing_between_two_that_differ_hides_neither_version() {
    let bare = Record::revisit(2, URL, &at(11), "identical-payload-digest", "HTTP/1.1 200 OK");
    for nothing in [not_modified(2, 11, ""), bare] {
        let page = Archive::of(&[page(1, 10, A, ""), nothing, page(3, 12, B, "")]).audited();
        assert_eq!((page["state"].as_str(), page["versions"].as_u64()), (Some("changed"), Some(2)), "{page}");
    }
}

#[test]
fn one_id_and_date_with_two_bodies_contradict_each_other_however_they_are_written() {
    let other = |url: &str, id: &str| spelled(1, url, 10, B).set("WARC-Record-ID", &format!("<{id}>"));
    let capitals = id(1).to_uppercase().replace("URN:UUID", "urn:uuid");
    for other in [other("http://t.example:80/terms", &id(1)), other(URL, &capitals)] {
        let archive = Archive::of(&[page(1, 10, A, ""), other, page(3, 12, A, "")]);
        assert_ne!(archive.state_at(11), "proven");
        assert!(archive.audited()["proven"].as_array().unwrap().is_empty());
    }
}

#[test]
fn one_capture_dated_with_and_without_a_fraction_or_with_a_port_is_one() {
    let finer = page(2, 10, A, "").set("WARC-Date", "2022-03-14T10:00:00.712Z");
    let port = spelled(1, "http://t.example:80/terms", 10, A);
    for copy in [finer, port] {
        is(Archive::of(&[page(1, 10, A, ""), copy]).judged(), "single", 0);
    }
}

#[test]
fn a_response_that_a_get_and_a_post_request_name_is_contradictory() {
    let request = |n, line: &str| {
        Record::request(n, URL, &at(10), line, "").field("WARC-Concurrent-To", &format!("<{}>", id(1)))
    };
    let (get, post) = (|| request(5, "GET /terms"), || request(6, "POST /terms"));
    for records in [
        [page(1, 10, A, ""), get(), post(), page(3, 12, A, "")],
        [post(), get(), page(1, 10, A, ""), page(3, 12, A, "")],
        [get(), page(1, 10, A, ""), post(), page(3, 12, A, "")],
    ] {
        assert_ne!(Archive::of(&records).state_at(11), "proven");
    }
}

#[test]
fn a_bot_wall_is_known_from_index_lines_and_assumed_away_where_no_body_was_read() {
    let wall = "<html><head><title>Just a moment...</title></head><body><p>Verify you are human by completing the action below.</p>\
                </body></html>";
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 11, wall, ""), page(3, 12, A, "")]);
    let lines = archive.run(&["index", "-q"], &[]);
    is(Archive::with("lines.jsonl", lines.as_bytes()).judged(), "sharp", 1);
    let declared = archive.audit(&["--digests", "declared"])["sites"][0]["page_list"][0].clone();
    assert_eq!(declared["state"], "changed");
    assert!(declared["assumptions"].to_string().contains("whole-bodies"), "{declared}");
}

#[test]
fn walls_hold_hardly_anything_else() {
    let form = "<form><label>Name <input></label><label>Message <textarea></textarea></label>";
    let menu = "<nav><a href=/1>Section 1</a> <a href=/2>Section 2</a> <a href=/3>Section 3</a></nav>";
    for real in [
        format!(
            "<title>Contact us</title>{menu}<h1>Contact us</h1><p>Write to our office at Main Street 5. We answer within two days. \
                 The office is open from Monday to Friday, nine to five.</p>{form}<p>Please verify you are human:</p></form>"
        ),
        format!(
            "<title>Sign in</title><header>City of Springfield</header>{menu}{menu}<h1>Sign in</h1><p>Sign in to your account to see your \
                 bills and permits.</p>{form}<p>Complete the security check. I am not a robot</p></form><footer>Springfield City Hall, Main Street 5</footer>"
        ),
    ] {
        is(Archive::of(&[page(1, 10, &real, ""), page(2, 12, &real, "")]).judged(), "sharp", 1);
    }
    for wall in [
        "<html><head><title>t.example</title><script src=\"https://challenges.cloudflare.com/turnstile/v0/api.js\"></script></head>\
         <body><div class=\"cf-turnstile\"></div></body></html>",
        "<html><body><h1>Too many requests</h1><p>You have been rate limited. Please try again later.</p></body></html>",
    ] {
        let archive = Archive::of(&[page(1, 10, A, ""), page(2, 11, wall, ""), page(3, 12, A, "")]);
        is(archive.judged(), "sharp", 1);
    }
}
