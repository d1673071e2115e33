//! Contradictory evidence and copies: no verdict depends on which of them comes first, and each is reported with both places.

use crate::support::record::{Record, id};

use super::*;

const COPY: &str = "http://t.example/copy";
const LATIN: &str = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=iso-8859-1";

/// The part of a body that a cut record holds.
fn cut(n: u32, hour: u32, body: &str, length: usize) -> Record {
    Record::response(n, URL, &at(hour), &format!("{HTML}\nContent-Length: 900"), &body.as_bytes()[..length])
}

/// The files of a page with its contradictions: names and records.
fn files(list: &[(&str, &[Record])]) -> Archive {
    let empty = Archive(tempfile::tempdir().unwrap(), Vec::new());
    list.iter().fold(empty, |archive, (name, records)| archive.and(name, &bytes(records)))
}

/// The files that each contradiction of the page names, or nothing; the page must not be proven.
fn contradicted(archive: &Archive) -> Vec<String> {
    assert_ne!(archive.state_at(11), "proven");
    is(archive.judged(), "unknown", 0);
    let found = archive.at(&at(11), &[])["pages"][0]["contradictions"].clone();
    let name = |value: &Value| value.as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let both = |one: &Value| {
        let mut names = [name(&one["file"]), name(&one["other_file"])];
        names.sort();
        names.join(" ")
    };
    found.as_array().unwrap().iter().map(both).collect()
}

#[test]
fn a_weak_validator_of_a_304_claims_where_its_original_has_none() {
    let named = |more: &str| not_modified(2, 12, more).field("WARC-Refers-To", &format!("<{}>", id(1)));
    let state = |more: &str| Archive::of(&[page(1, 10, A, ""), named(more)]).state_at(11);
    assert_eq!(state("\nETag: W/\"a\""), "claimed");
    assert_eq!(state("\nETag: w/\"a\""), "claimed");
    assert_eq!(state("\nETag: \"a\""), "proven");
    assert_eq!(state(""), "proven");
}

#[test]
fn a_generated_date_beside_strong_tags_that_agree_takes_no_proof_away() {
    let stamps = |hour: u32| {
        format!(
            "\nETag: \"a\"\nDate: Mon, 14 Mar 2022 {hour}:00:00 GMT\nLast-Modified: Mon, 14 Mar 2022 {hour}:00:00 GMT"
        )
    };
    let first = || page(1, 10, A, &stamps(10));
    let named = |more: &str| not_modified(2, 12, more).field("WARC-Refers-To", &format!("<{}>", id(1)));
    assert_eq!(Archive::of(&[first(), named(&stamps(12))]).state_at(11), "proven");
    assert_eq!(Archive::of(&[first(), not_modified(2, 12, &stamps(12))]).state_at(11), "proven");
    // A date that was kept, and another one than before, is a contradiction.
    let kept = stamps(12).replace("Last-Modified: Mon, 14 Mar 2022 12", "Last-Modified: Mon, 14 Mar 2022 11");
    assert_ne!(Archive::of(&[first(), named(&kept)]).state_at(11), "proven");
    let weak = stamps(12).replace("\"a\"", "W/\"a\"");
    assert_ne!(Archive::of(&[first(), named(&weak)]).state_at(11), "proven");
}

#[test]
fn a_cut_capture_with_the_tag_of_a_304_takes_no_proof_away() {
    let tag = "\nETag: \"a\"";
    let part = |hour: u32| {
        let head = format!("{HTML}{tag}\nContent-Length: 900");
        Record::response(3, URL, &at(hour), &head, &A.as_bytes()[..40])
    };
    assert_eq!(Archive::of(&[page(1, 9, A, tag), not_modified(2, 12, tag), part(14)]).state_at(11), "proven");
    assert_eq!(Archive::of(&[page(1, 9, A, tag), part(10), not_modified(2, 12, tag)]).state_at(11), "proven");
    let other = Archive::of(&[page(1, 9, A, tag), not_modified(2, 12, tag), page(3, 14, B, tag)]);
    assert_eq!(other.state_at(11), "claimed", "the tag is on two whole contents");
}

#[test]
fn an_altered_copy_is_reported_also_where_it_is_cut_or_differs_in_charset_alone() {
    let whole = || vec![page(1, 10, A, ""), page(2, 12, A, "")];
    let altered = [
        cut(1, 10, B, 45),
        Record::response(1, URL, &at(10), LATIN, A.as_bytes()),
        Record::response(1, URL, &at(10), "HTTP/1.1 404 Not Found\nContent-Type: text/html", A.as_bytes()),
    ];
    for copy in altered {
        for names in [["a.warc", "b.warc"], ["b.warc", "a.warc"]] {
            let archive = files(&[(names[0], &whole()), (names[1], std::slice::from_ref(&copy))]);
            assert_eq!(contradicted(&archive), ["a.warc b.warc"]);
            let text = archive.run(&["audit"], &[]);
            assert!(text.contains("contradict"), "{text}");
        }
    }
    // The beginning of the same body says less, not something else.
    let archive = files(&[("a.warc", &whole()), ("b.warc", &[cut(1, 10, A, 45)])]);
    is(archive.judged(), "sharp", 1);
    assert_eq!(archive.at(&at(11), &[])["pages"][0]["contradictions"].as_array().unwrap().len(), 0);
}

#[test]
fn an_index_line_that_points_at_another_record_with_another_digest_contradicts_it() {
    let records = [page(1, 10, A, ""), page(2, 12, A, "")];
    let with = |line: String| Archive::of(&records).and("i.cdxj", line.as_bytes());
    let wrong = line(0, &crate::support::digests::sha1(B.as_bytes()), "a.warc");
    for line in [
        wrong.replace(URL, "http://t.example/other"),
        wrong.replace("example,t)/terms 2022031410", "example,t)/terms 2022031411"),
        // No record begins there.
        wrong.replace("\"offset\":\"0\"", "\"offset\":\"77\""),
    ] {
        let archive = with(line.clone());
        assert_eq!(contradicted(&archive), ["a.warc i.cdxj"], "{line}");
        assert_eq!(archive.audit(&[])["sites"][0]["pages"]["total"], 1, "such a line makes no capture");
    }
    let right = line(0, &crate::support::digests::sha1(A.as_bytes()), "a.warc");
    for line in [right.replace(URL, "http://t.example/terms/"), right] {
        assert_eq!(with(line).state_at(11), "proven");
    }
}

/// Two revisits of another URL, which name record 1 or only its digest.
fn revisits(is_named: bool) -> [Record; 2] {
    let of = |n: u32, hour: u32| {
        let record = repeated(n, hour, HTML, A, 1).set("WARC-Target-URI", COPY);
        if is_named { record } else { record.without("WARC-Refers-To") }
    };
    [of(5, 10), of(6, 12)]
}

#[test]
fn revisits_of_a_record_with_two_contents_prove_nothing_in_any_order() {
    let (first, altered) = (|| page(1, 9, A, ""), || page(1, 9, B, ""));
    for is_named in [true, false] {
        let [one, other] = revisits(is_named);
        let mut answers: Vec<(Value, Value, String)> = [
            files(&[("a.warc", &[first(), altered(), one.clone(), other.clone()])]),
            files(&[("a.warc", &[altered(), first(), one.clone(), other.clone()])]),
            files(&[
                ("a.warc", &[first()]),
                ("b.warc", &[altered()]),
                ("c.warc", &[one.clone(), other.clone()]),
            ]),
            files(&[
                ("b.warc", &[first()]),
                ("a.warc", &[altered()]),
                ("c.warc", &[one.clone(), other.clone()]),
            ]),
        ]
        .iter()
        .map(|archive| {
            let found =
                archive.run(&["at", &at(11), "-q", "--json"], &["--url", COPY, "--phrase", "withdrawal"]);
            let found: Value = serde_json::from_str(&found).unwrap();
            let page = found["pages"][0].clone();
            assert_ne!(page["state"], "proven", "{page}");
            assert_eq!(page["contradictions"].as_array().unwrap().len(), 2, "{page}");
            (page["state"].clone(), found["answer"].clone(), found["phrases"][0]["answer"].to_string())
        })
        .collect();
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        let sound = files(&[("a.warc", &[first(), one, other])]);
        let found = sound.run(&["at", &at(11), "-q", "--json"], &["--url", COPY]);
        assert_eq!(serde_json::from_str::<Value>(&found).unwrap()["pages"][0]["state"], "proven");
    }
}

#[test]
fn one_capture_with_two_ids_is_one_capture_wherever_they_lie() {
    let judged = |list: &[(&str, &[Record])]| {
        let page = files(list).audited();
        (page["state"].clone(), page["observations"].clone())
    };
    let (one, two) = (page(1, 10, A, ""), page(2, 10, A, ""));
    let together = judged(&[("a.warc", &[one.clone(), two.clone()])]);
    assert_eq!(together, judged(&[("a.warc", std::slice::from_ref(&one)), ("b.warc", &[two])]));
    assert_eq!(together, ("single".into(), 1.into()));
    assert_eq!(judged(&[("a.warc", &[one, page(2, 11, A, "")])]), ("sharp".into(), 2.into()));
}

#[test]
fn a_revisit_that_contradicts_its_original_counts_once_however_often_its_file_is_given() {
    let records = [page(1, 10, A, ""), repeated(2, 12, HTML, B, 1)];
    let told = |archive: &Archive| archive.audit(&[])["answers"]["record"]["sentence"].to_string();
    let once = told(&files(&[("a.warc", &records)]));
    assert!(once.contains("1 revisit contradicts"), "{once}");
    assert!(told(&files(&[("a.warc", &records), ("b.warc", &records)])).contains("1 revisit contradicts"));
}

#[test]
fn a_part_with_status_200_is_no_version_of_the_page() {
    let between = |range: &str, body: &str| {
        let head = format!("{HTML}\nContent-Range: {range}");
        let part = Record::response(2, URL, &at(11), &head, body.as_bytes());
        Archive::of(&[page(1, 10, A, ""), part, page(3, 12, A, "")])
    };
    let part = between("bytes 0-49/92", &A[..50]);
    is(part.judged(), "sharp", 1);
    assert_eq!(part.at("2022-03-14T11:30:00Z", &[])["pages"][0]["state"], "proven");
    is(between("bytes 0-56/57", B).judged(), "changed", 0);
}

#[test]
fn a_wall_is_a_wall_whatever_its_status() {
    let wall = "<html><head><title>Human Verification</title></head><body><p>Please verify you are human. Enable \
                JavaScript and cookies to continue</p></body></html>";
    let between = |status: &str, body: &str| {
        let head = format!("HTTP/1.1 {status}\nContent-Type: text/html");
        let other = Record::response(2, URL, &at(11), &head, body.as_bytes());
        Archive::of(&[page(1, 10, A, ""), other, page(3, 12, A, "")])
    };
    let by_words = |archive: &Archive| archive.audited()["assumptions"].to_string().contains("wall-by-words");
    let shown = between("200 OK", wall);
    is(shown.judged(), "sharp", 1);
    assert!(by_words(&shown));
    // A status that refuses says so by itself.
    for status in ["400 Bad Request", "405 Method Not Allowed", "418 Teapot", "999 Request denied"] {
        for body in [wall, B] {
            let archive = between(status, body);
            is(archive.judged(), "sharp", 1);
            assert!(!by_words(&archive), "{status}");
        }
    }
    is(between("404 Not Found", wall).judged(), "changed", 0);
    is(between("203 Non-Authoritative Information", B).judged(), "changed", 0);
}

#[test]
fn a_contradicted_capture_is_none_of_those_that_show_a_phrase() {
    let archive =
        files(&[("a.warc", &[page(1, 10, A, ""), page(2, 12, A, "")]), ("b.warc", &[page(1, 10, B, "")])]);
    let found = archive.at(&at(11), &["--phrase", "withdrawal"]);
    assert_eq!(found["phrases"][0]["captures"], 1, "{}", found["phrases"][0]);
    assert_eq!(found["phrases"][0]["first_capture"], at(12));
}

#[test]
fn the_story_of_a_page_names_only_what_is_assumed_of_it() {
    let other = |n: u32, hour: u32| {
        Record::response(
            n,
            "http://t.example/other",
            &at(hour),
            &format!("{HTML}\nETag: \"a\""),
            A.as_bytes(),
        )
    };
    let confirmed = not_modified(5, 12, "\nETag: \"a\"").set("WARC-Target-URI", "http://t.example/other");
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 12, A, ""), other(4, 10), confirmed]);
    let story = |url: &str| {
        archive.run(&["audit", "-q", "--explain", url], &[]).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let honest = "where a server answered 304 (not modified), that was true";
    assert!(story("http://t.example/other").contains(honest), "{}", story("http://t.example/other"));
    assert!(!story(URL).contains(honest), "{}", story(URL));
}
