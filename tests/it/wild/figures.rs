//! Figures that nothing checks are not given, and what contradicts a page stands with it.

use crate::support::record::{Record, id};

use super::*;

fn site_page(n: u32, time: &str, body: &str, more: &str) -> Record {
    let (url, body) =
        (format!("http://t.example/{n}"), format!("<html><body><p>{n} {body}</p></body></html>"));
    Record::response(100 + n, &url, time, &format!("{HTML}{more}"), body.as_bytes())
}

/// Pages that were captured once, of which the server says that they were made `seconds` before.
fn stamped(pages: u32, seconds: u32) -> Vec<Record> {
    let of = |n: u32| {
        let (made, date) = (600 + 7 * n - seconds, 600 + 7 * n);
        let clock = |at: u32| format!("Mon, 14 Mar 2022 10:{:02}:{:02} GMT", at / 60, at % 60);
        let more = format!("\nDate: {}\nLast-Modified: {}", clock(date), clock(made));
        site_page(n, &format!("2022-03-14T10:{:02}:{:02}Z", date / 60, date % 60), "still", &more)
    };
    (0..pages).map(of).collect()
}

#[test]
fn a_last_modified_that_no_captures_check_gives_no_figure() {
    for seconds in [3, 20, 60, 400] {
        let archive = Archive::of(&stamped(20, seconds));
        let site = &archive.audit(&[])["sites"][0];
        for figure in ["rates", "blur", "versions"] {
            let basis = site["basis"][figure]["basis"].as_str().unwrap();
            assert!(matches!(basis, "assumed" | "unknown"), "{seconds} {figure}: {basis}");
        }
        assert!(site["rates"]["median_per_day"].is_null(), "{}", site["rates"]);
        assert!(site["completeness"]["versions"]["share"].is_null());
        let next = &site["reschedule"];
        assert!(next["expected_coherence"].is_null() && next["last_crawl"].is_null(), "{next}");
        assert_eq!(next["hopeless"], 0);
        let page = &site["page_list"][0];
        assert!(page["reason"].as_str().unwrap().contains("is unknown"), "{page}");
        let text = archive.run(&["audit", "-q", "--details"], &[]);
        assert!(!text.contains("changes a day") && !text.contains("expected consistent"), "{text}");
        assert!(!text.contains("too fast"), "{text}");
        let text = archive.run(&["schedule", "-q"], &[]);
        assert!(text.contains("is unknown until they are captured twice"), "{text}");
        assert!(!text.contains("expected coherence"), "{text}");
        assert!(!text.contains("too fast") && !text.contains("expected blur"), "{text}");
    }
}

#[test]
fn captures_that_show_pages_changed_and_unchanged_check_the_rates() {
    let again = |n: u32, body: &str| {
        site_page(n, "2022-03-16T10:00:00Z", body, "").set("WARC-Record-ID", &format!("<{}>", id(500 + n)))
    };
    let dated = |n: u32| {
        let more = "\nDate: Mon, 14 Mar 2022 10:10:00 GMT\nLast-Modified: Wed, 09 Mar 2022 10:00:00 GMT";
        site_page(n, &format!("2022-03-14T10:10:{:02}Z", 7 * n), "still", more)
    };
    let mut records: Vec<Record> = (0..4).map(dated).collect();
    records.push(again(0, "still"));
    let site = Archive::of(&records).audit(&[])["sites"][0].clone();
    assert_eq!(site["basis"]["rates"]["basis"], "unknown", "no page changed: {}", site["basis"]);
    assert_eq!(site["basis"]["blur"]["basis"], "unknown", "the dates of three pages are not checked");
    records.extend([again(1, "anew"), again(2, "still"), again(3, "still")]);
    let site = Archive::of(&records).audit(&[])["sites"][0].clone();
    assert_eq!(site["basis"]["rates"]["basis"], "estimated", "{}", site["basis"]);
}

#[test]
fn a_page_that_was_never_seen_to_change_has_no_rate() {
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 12, A, "")]);
    let site = &archive.audit(&[])["sites"][0];
    assert!(site["rates"]["median_per_day"].is_null());
    assert_eq!(site["basis"]["rates"]["reason"], "no page was seen to change");
    assert_eq!(
        site["page_list"][0]["reason"],
        "unchanged between its 2 captures; how often it changes is unknown"
    );
}

#[test]
fn a_weak_tag_claims_although_there_is_a_date_beside_it() {
    let (tag, old) = ("\nETag: W/\"x\"", "\nLast-Modified: Sat, 05 Mar 2022 08:00:00 GMT");
    let first = || page(1, 10, A, &format!("{tag}{old}\nDate: Mon, 14 Mar 2022 10:00:00 GMT"));
    let named = |more: &str| not_modified(2, 12, more).field("WARC-Refers-To", &format!("<{}>", id(1)));
    let request = |more: &str| {
        let block = format!("GET /terms HTTP/1.1\nHost: t.example{more}\n\n").replace('\n', "\r\n");
        Record::new("request", 3, &at(12), block)
            .field("WARC-Target-URI", URL)
            .field("Content-Type", "application/http; msgtype=request")
            .field("WARC-Concurrent-To", &format!("<{}>", id(2)))
    };
    let both = format!("{tag}{old}");
    let since = "\nIf-Modified-Since: Sat, 05 Mar 2022 08:00:00 GMT";
    let match_too = format!("\nIf-None-Match: W/\"x\"{since}");
    assert_eq!(Archive::of(&[first(), named(tag)]).state_at(11), "claimed");
    assert_eq!(Archive::of(&[first(), named(&both)]).state_at(11), "claimed");
    assert_eq!(Archive::of(&[first(), not_modified(2, 12, &both)]).state_at(11), "claimed");
    assert_eq!(Archive::of(&[first(), named(&both), request(&match_too)]).state_at(11), "claimed");
    // The date alone was asked for, and answers.
    assert_eq!(Archive::of(&[first(), named(&both), request(since)]).state_at(11), "proven");
}

#[test]
fn contradictory_evidence_is_named_in_the_answer_with_both_places() {
    let archive = Archive::with("a.warc", &bytes(&[page(1, 10, A, ""), page(2, 12, A, "")]))
        .and("b.warc", &bytes(&[page(1, 10, B, "")]));
    let found = archive.audit(&[]);
    let record = &found["answers"]["record"];
    assert_eq!(record["band"], "poor", "{record}");
    assert!(record["sentence"].as_str().unwrap().contains("contradicted by another record"), "{record}");
    assert!(!record["sentence"].as_str().unwrap().contains("smaller"), "{record}");
    let actions = found["actions"].as_array().unwrap();
    let action = actions.iter().find(|action| action["kind"] == "compare-evidence").unwrap();
    let text = action["text"].as_str().unwrap();
    assert!(text.contains("a.warc") && text.contains("b.warc"), "{text}");
    let story = archive.run(&["audit", "-q", "--explain", URL], &[]);
    let words = story.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("a record of the same id, URL and date, in "), "{words}");
    assert!(words.contains("a.warc at byte") && words.contains("b.warc at byte"), "{words}");
}

#[test]
fn no_share_is_above_the_whole() {
    let wrong = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let twice = page(1, 10, A, "").set("WARC-Payload-Digest", wrong).field("WARC-Block-Digest", wrong);
    let record = Archive::of(&[twice]).audit(&[])["answers"]["record"].clone();
    let sentence = record["sentence"].as_str().unwrap();
    assert!(sentence.contains("1 record has a digest that does not match"), "{sentence}");
}

#[test]
fn where_nothing_was_captured_the_record_cannot_be_judged() {
    let record = Archive::of(&[Record::fields("warcinfo", 1, &at(9), "software: test\r\n")]).audit(&[])["answers"]["record"].clone();
    assert_eq!(record["band"], "cannot tell", "{record}");
}

#[test]
fn an_index_shows_neither_the_method_nor_what_is_cut() {
    let lines: String = ["20220314100000", "20220314120000"]
        .map(|date| line(1, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "x.warc").replace("20220314100000", date))
        .concat();
    let page = Archive::with("x.cdxj", lines.as_bytes()).audited();
    for assumption in ["method-get", "whole-bodies"] {
        assert!(page["assumptions"].as_array().unwrap().iter().any(|one| one == assumption), "{page}");
    }
    let read = Archive::of(&[super::page(1, 10, A, ""), super::page(2, 12, A, "")]).audited();
    assert!(!read["assumptions"].to_string().contains("whole-bodies"), "{read}");
}

#[test]
fn requests_that_differ_are_named_in_the_assumptions() {
    let request = |n: u32, hour: u32, of: u32, more: &str| {
        let block = format!("GET /terms HTTP/1.1\nHost: t.example{more}\n\n").replace('\n', "\r\n");
        Record::new("request", n, &at(hour), block)
            .field("WARC-Target-URI", URL)
            .field("Content-Type", "application/http; msgtype=request")
            .field("WARC-Concurrent-To", &format!("<{}>", id(of)))
    };
    for (header, name) in [
        ("Cookie: s=", "whatever-cookie"),
        ("Authorization: Basic ", "whatever-authorization"),
        ("User-Agent: a/", "whatever-user-agent"),
        ("Accept-Language: e", "whatever-language"),
        ("Accept: text/", "whatever-accept"),
    ] {
        let with = |second: &str| {
            Archive::of(&[
                page(1, 10, A, ""),
                request(3, 10, 1, &format!("\n{header}n")),
                page(2, 12, B, ""),
                request(4, 12, 2, &format!("\n{header}{second}")),
            ])
        };
        let differ = with("x");
        let page = differ.audited();
        assert_eq!(page["state"], "changed");
        assert!(page["assumptions"].to_string().contains(name), "{page}");
        let written = header.split(':').next().unwrap();
        let assumed = differ.at(&at(11), &[])["assumptions"].to_string();
        assert!(
            assumed.contains(&format!("did not depend on {written}, though the requests differ in it")),
            "{assumed}"
        );
        assert!(!with("n").audited()["assumptions"].to_string().contains("whatever"));
    }
}

#[test]
fn markup_only_is_said_where_all_pages_changed() {
    let of = |n: u32, hour: u32, class: &str| {
        let body = format!(
            "<html><body><p class=\"{class}\">The words of page {n} stay as they are.</p></body></html>"
        );
        Record::response(10 * hour + n, &format!("http://t.example/{n}"), &at(hour), HTML, body.as_bytes())
    };
    let records: Vec<Record> = (0..5).flat_map(|n| [of(n, 10, "a"), of(n, 12, "b")]).collect();
    let answer = Archive::of(&records).audit(&[])["sites"][0]["answers"]["consistent"].clone();
    assert!(answer["sentence"].as_str().unwrap().contains("All 5 pages changed only in markup"), "{answer}");
}

#[test]
fn what_is_taken_for_a_wall_by_its_words_is_an_assumption() {
    let wall = "<html><head><title>Just a moment...</title></head><body><p>Verify you are human to continue.</p></body></html>";
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 11, wall, ""), page(3, 12, A, "")]);
    let found = archive.at("2022-03-14T11:30:00Z", &[]);
    assert_eq!(found["pages"][0]["state"], "proven", "{found}");
    assert!(found["assumptions"].to_string().contains("was a bot wall"), "{}", found["assumptions"]);
    let refused =
        Record::response(2, URL, &at(11), "HTTP/1.1 403 Forbidden\nContent-Type: text/html", wall.as_bytes());
    let found =
        Archive::of(&[page(1, 10, A, ""), refused, page(3, 12, A, "")]).at("2022-03-14T11:30:00Z", &[]);
    assert!(!found["assumptions"].to_string().contains("bot wall"), "{}", found["assumptions"]);
}

#[test]
fn two_versions_of_one_second_are_told_as_what_they_are() {
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 10, B, ""), page(3, 12, A, "")]);
    let found = archive.audited();
    assert!(!found["reason"].as_str().unwrap().contains("each of its 3"), "{found}");
    assert_eq!(found["claimed"].as_array().unwrap().len(), 0, "the server stated nothing: {found}");
    let story = archive.run(&["audit", "-q", "--explain", URL], &[]);
    assert!(!story.contains("spelling") && !story.contains("claimed by the server"), "{story}");
    let answer = archive.at("2022-03-14T11:30:00Z", &[]);
    assert!(!answer["answer"].as_str().unwrap().contains("dates that"), "{}", answer["answer"]);
}

#[test]
fn the_record_does_not_depend_on_how_pages_are_compared() {
    let old = "\nLast-Modified: Fri, 04 Mar 2022 00:00:00 GMT";
    let words = [page(1, 10, A, old), page(2, 12, B, old)];
    let markup = B.replace("<p>", "<p class=\"x\">");
    let markup = [page(1, 10, B, old), page(2, 12, &markup, old)];
    for records in [words, markup] {
        let archive = Archive::of(&records);
        for compare in [&[][..], &["--compare", "text"]] {
            let found = archive.audit(compare);
            assert_eq!(
                found["sites"][0]["findings"]["contradicted_last_modified"]["pages"], 1,
                "{compare:?}"
            );
            assert_eq!(found["answers"]["record"]["band"], "mixed", "{compare:?}");
        }
    }
}

#[test]
fn a_page_that_is_gone_is_said_to_be_gone() {
    let gone =
        Record::response(2, URL, &at(12), "HTTP/1.1 404 Not Found\nContent-Type: text/html", b"<p>no</p>");
    let archive = Archive::of(&[page(1, 10, A, ""), gone]);
    assert!(archive.audited()["reason"].as_str().unwrap().contains("gone (404)"));
    let answer = archive.audit(&[])["sites"][0]["answers"]["consistent"]["sentence"].clone();
    assert!(answer.as_str().unwrap().contains("gone (404)"), "{answer}");
}

#[test]
fn a_revisit_finds_by_its_digest_what_declares_none() {
    let repeated = |body: &str| {
        Record::revisit(2, URL, &at(12), "identical-payload-digest", HTML)
            .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
    };
    is(Archive::of(&[page(1, 10, A, "").without("WARC-Payload-Digest"), repeated(A)]).judged(), "sharp", 1);
    is(Archive::of(&[page(1, 10, A, "").without("WARC-Payload-Digest"), repeated(B)]).judged(), "unknown", 0);
}

#[test]
fn a_charset_that_only_one_of_two_captures_names_is_an_assumption() {
    let silent = |n: u32, hour: u32, body: &str| {
        Record::response(n, URL, &at(hour), "HTTP/1.1 200 OK\nContent-Type: text/html", body.as_bytes())
    };
    let found = Archive::of(&[page(1, 10, A, ""), silent(2, 12, A)]).at(&at(11), &["--phrase", "\u{a4}100"]);
    assert_eq!(found["pages"][0]["state"], "proven", "{found}");
    assert!(found["assumptions"].to_string().contains("names no charset"), "{}", found["assumptions"]);
    let named = Archive::of(&[page(1, 10, A, ""), page(2, 12, A, "")]).at(&at(11), &[]);
    assert!(!named["assumptions"].to_string().contains("charset"), "{}", named["assumptions"]);
}

#[test]
fn where_versions_decide_whether_a_site_is_complete_the_sentence_says_so() {
    // Half of the pages change between looks a day apart, and nothing is linked.
    let seen = |n: u32, day: u32| {
        let text = if n.is_multiple_of(2) { 0 } else { day / (1 + n % 3) };
        let body = format!("<html><body><p>{n} {text}</p></body></html>");
        let url = format!("http://v.example/{n}");
        Record::response(
            100 * n + day,
            &url,
            &format!("2022-03-{:02}T10:{n:02}:00Z", 1 + day),
            HTML,
            body.as_bytes(),
        )
    };
    let records: Vec<Record> = (0..30).flat_map(|n| (0..9).map(move |day| seen(n, day))).collect();
    let answer = Archive::of(&records).audit(&[])["answers"]["complete"].clone();
    assert!(matches!(answer["band"].as_str(), Some("poor" | "mixed")), "{answer}");
    assert!(answer["sentence"].as_str().unwrap().contains("of the versions of the pages"), "{answer}");
}
