//! Answers from caches: what their Date and their Age take from a proof, and what they leave. Copies and captures of one second.

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};
use acuity::internals::change::at::State;

use crate::archive::{ask, write};
use crate::support::program::run;
use crate::support::record::{Record, id, ok};

const URL: &str = "http://a.example/terms";
const A: &str = "<p>Lending is free.";
const B: &str = "<p>Lending costs 4 euros.";
const JSON: &str = "{\"error\":true}";

/// An answer at a time of the day, with more fields in its head.
fn answer(n: u32, time: &str, body: &str, fields: &str) -> Record {
    let head = match body {
        JSON => format!("HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: {}", body.len()),
        _ => ok(body.len()),
    };
    Record::response(n, URL, &format!("2024-03-01T{time}Z"), &format!("{head}{fields}"), body.as_bytes())
}

/// The field `Date` for a time of the day.
fn date(time: &str) -> String {
    format!("\nDate: Fri, 01 Mar 2024 {time} GMT")
}

fn at(records: &[Record], time: &str) -> At {
    let folder = tempfile::tempdir().unwrap();
    let parameters =
        AtParameters { urls: vec![URL.to_owned()], ..AtParameters::on(format!("2024-03-01T{time}Z")) };
    ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap()
}

fn is_yes(records: &[Record], time: &str) -> bool {
    let at = at(records, time);
    assert_eq!(at.verdict == SiteVerdict::Coherent, at.answer.starts_with("Yes."), "{}", at.answer);
    at.verdict == SiteVerdict::Coherent
}

#[test]
fn an_old_date_shows_a_cache_that_states_no_age() {
    let changed = "\nLast-Modified: Fri, 01 Mar 2024 10:30:00 GMT";
    let records = |dated: &str| {
        vec![
            answer(1, "10:00:00", A, dated),
            answer(2, "12:00:00", A, &date("10:00:00")),
            answer(3, "12:05:00", B, &format!("{changed}{}", date("12:05:00"))),
        ]
    };
    for records in [records(""), records(&date("10:00:00"))] {
        let found = at(&records, "11:00:00");
        assert_eq!(found.verdict, SiteVerdict::NotProvable, "{}", found.answer);
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a.warc", &records);
        let audit = run(folder.path(), &["audit", "a.warc", "-q", "--json"]);
        let audit: serde_json::Value = serde_json::from_slice(&audit.stdout).unwrap();
        assert_eq!(audit["sites"][0]["page_list"][0]["proven"].as_array().unwrap().len(), 0, "{audit}");
    }
    // Without the version that came after, too: nothing shows that the first one was there later than the cache fetched it.
    let two = [answer(1, "10:00:00", A, ""), answer(2, "12:00:00", A, &date("10:00:00"))];
    let found = at(&two, "11:00:00");
    assert_eq!(found.verdict, SiteVerdict::NotProvable);
    assert!(found.answer.contains("may have come from a cache: by its Date"), "{}", found.answer);
    // It shortens a proof, and no more.
    let later = [answer(1, "08:00:00", A, ""), answer(2, "12:00:00", A, &date("10:00:00"))];
    assert!(is_yes(&later, "09:30:00") && !is_yes(&later, "10:30:00"));
}

#[test]
fn what_is_assumed_of_the_time_at_which_responses_were_made_is_stated() {
    for fields in ["", "\nAge: 600"] {
        let found = at(&[answer(1, "08:00:00", A, ""), answer(2, "12:00:00", A, fields)], "10:00:00");
        assert_eq!(found.verdict, SiteVerdict::Coherent, "{}", found.answer);
        assert!(found.assumptions.iter().any(|words| words.contains("WARC-Date")), "{:?}", found.assumptions);
    }
}

#[test]
fn two_captures_with_one_date_are_one_answer() {
    let kept = [
        answer(1, "10:00:00", A, &date("10:00:00")),
        answer(2, "10:00:50", A, &date("10:00:00")),
        answer(3, "10:00:55", B, "\nLast-Modified: Fri, 01 Mar 2024 10:00:20 GMT"),
    ];
    assert!(!is_yes(&kept, "10:00:30"));
    let anew = [answer(1, "10:00:00", A, &date("10:00:00")), answer(2, "10:00:50", A, &date("10:00:50"))];
    assert!(is_yes(&anew, "10:00:30"));
}

#[test]
fn a_clock_that_the_captures_show_to_be_slow_takes_nothing_from_a_proof() {
    let slow = [
        answer(1, "10:00:00", A, &date("07:00:00")),
        answer(2, "10:30:00", A, &date("07:30:00")),
        answer(3, "11:30:00", A, &date("08:30:00")),
    ];
    assert!(is_yes(&slow, "11:00:00"));
}

#[test]
fn the_nearest_record_behind_the_date_is_cited_not_one_that_a_cache_kept() {
    let records = [
        answer(1, "08:00:00", A, ""),
        answer(2, "12:00:00", A, ""),
        answer(3, "13:00:00", B, ""),
        answer(4, "14:00:00", A, "\nAge: 7500"),
    ];
    let found = at(&records, "10:00:00");
    assert!(found.answer.contains("after (12:00:00 UTC)"), "{}", found.answer);
    for last in [B, JSON] {
        let records = [
            answer(1, "08:00:00", A, ""),
            answer(2, "12:00:00", A, ""),
            answer(3, "14:00:00", A, "\nAge: 7500"),
            answer(4, "13:00:00", last, ""),
        ];
        assert!(is_yes(&records, "10:00:00"), "{last}");
    }
}

#[test]
fn what_a_cache_kept_speaks_against_a_proof_where_it_was_captured_or_made_between_and_nowhere_else() {
    let records = |body: &str, age: u32| {
        vec![
            answer(1, "08:00:00", A, ""),
            answer(2, "12:00:00", A, ""),
            answer(3, "13:00:00", body, &format!("\nAge: {age}")),
        ]
    };
    for body in [B, JSON] {
        // Made after both, and before both.
        assert!(is_yes(&records(body, 1800), "10:00:00"), "{body}");
        assert!(is_yes(&records(body, 6 * 3600), "10:00:00"), "{body}");
        // By its Age the server made it at eleven, and then the same content came back.
        assert!(!is_yes(&records(body, 2 * 3600), "10:00:00"), "{body}");
        assert!(!is_yes(&records(body, 2 * 3600), "11:30:00"), "{body}");
        let mut between = records(body, 0);
        between[2] = answer(3, "10:30:00", body, "\nAge: 10800");
        assert!(!is_yes(&between, "10:00:00"), "{body}");
    }
    let why = at(&records(B, 2 * 3600), "11:30:00");
    assert!(why.answer.contains("holds something else, and by its Age"), "{}", why.answer);
}

#[test]
fn another_media_type_in_the_second_before_or_after_two_captures_is_not_between_them() {
    let pages = [answer(2, "10:00:01", A, ""), answer(3, "12:00:00", A, "")];
    for (time, expected) in [("10:00:00", true), ("10:00:01", false), ("12:00:00", false), ("12:00:01", true)]
    {
        let records = [answer(1, time, JSON, ""), pages[0].clone(), pages[1].clone()];
        assert_eq!(is_yes(&records, "11:00:00"), expected, "{time}");
    }
}

#[test]
fn a_copy_without_an_etag_takes_no_proof_from_a_304() {
    let confirmed = |first: [Record; 2]| {
        let head = "HTTP/1.1 304 Not Modified\nETag: \"v1\"";
        let again = Record::revisit(3, URL, "2024-03-01T12:00:00Z", "server-not-modified", head);
        [first[0].clone(), first[1].clone(), again]
    };
    let (tagged, bare) = (|n| answer(n, "10:00:00", A, "\nETag: \"v1\""), |n| answer(n, "10:00:00", A, ""));
    for first in [[tagged(1), bare(2)], [bare(1), tagged(2)], [tagged(2), bare(1)]] {
        assert!(is_yes(&confirmed(first), "11:00:00"));
    }
}

#[test]
fn a_304_to_a_request_without_a_condition_proves_by_its_own_validator_only() {
    let records = |condition: &str, tag: &str| {
        let head = &format!("HTTP/1.1 304 Not Modified{tag}");
        let asked = format!("GET /terms HTTP/1.1\r\nHost: a.example\r\n{condition}\r\n");
        let request = Record::new("request", 3, "2024-03-01T12:00:00Z", asked)
            .field("WARC-Target-URI", URL)
            .field("WARC-Concurrent-To", &format!("<{}>", id(2)))
            .field("Content-Type", "application/http; msgtype=request");
        let again = Record::revisit(2, URL, "2024-03-01T12:00:00Z", "server-not-modified", head);
        [answer(1, "10:00:00", A, "\nETag: \"v1\""), again, request]
    };
    let tag = "\nETag: \"v1\"";
    assert!(is_yes(&records("If-None-Match: \"v1\"\r\n", tag), "11:00:00"));
    assert!(is_yes(&records("Accept: text/html\r\n", tag), "11:00:00"));
    let found = at(&records("Accept: text/html\r\n", ""), "11:00:00");
    assert_eq!(found.verdict, SiteVerdict::NotProvable, "{}", found.answer);
}

#[test]
fn an_age_with_a_fraction_counts_and_one_that_cannot_be_read_is_told() {
    let records =
        |age: &str| [answer(1, "08:00:00", A, ""), answer(2, "12:00:00", A, &format!("\nAge: {age}"))];
    assert!(!is_yes(&records("10800.5"), "10:00:00"));
    assert!(is_yes(&records("10800.5"), "08:30:00"));
    let found = at(&records("three hours"), "10:00:00");
    assert!(
        found.answer.contains("The Age of the record of 12:00:00 UTC cannot be read"),
        "{}",
        found.answer
    );
}

#[test]
fn a_change_of_the_markup_alone_is_called_so() {
    let records = [answer(1, "08:00:00", A, ""), answer(2, "12:00:00", "<p class=x>Lending is free.", "")];
    let found = at(&records, "10:00:00");
    assert_eq!(found.pages.held()[0].state, State::ChangedNearby);
    assert!(found.answer.contains("differ in their markup only"), "{}", found.answer);
    let other = at(&[records[0].clone(), answer(2, "12:00:00", B, "")], "10:00:00");
    assert!(!other.answer.contains("markup"), "{}", other.answer);
}

#[test]
fn a_history_says_why_equal_captures_prove_nothing_and_what_a_weak_304_is() {
    let folder = tempfile::tempdir().unwrap();
    let head = "HTTP/1.1 304 Not Modified\nETag: W/\"v1\"";
    let records = [
        answer(1, "08:00:00", A, "\nETag: W/\"v1\""),
        answer(2, "10:00:00", JSON, ""),
        answer(3, "12:00:00", A, "\nETag: W/\"v1\""),
        Record::revisit(4, URL, "2024-03-01T14:00:00Z", "server-not-modified", head),
    ];
    write(folder.path(), "a.warc", &records);
    let text = String::from_utf8(run(folder.path(), &["timeline", URL, "a.warc", "-q"]).stdout).unwrap();
    let words = text.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    assert!(!words.contains("other bytes") && !words.contains("without a status"), "{text}");
    assert!(
        words.contains(
            "the same content, but nothing is proven of the time between them: the server answered"
        ),
        "{text}"
    );
    assert!(words.contains("the next capture shows the same version"), "{text}");
    assert!(words.contains("304 Not Modified: it does not show which content was unchanged"), "{text}");
}

#[test]
fn a_history_names_both_places_of_a_contradiction() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.warc", &[answer(1, "08:00:00", A, ""), answer(2, "12:00:00", A, "")]);
    write(folder.path(), "b.warc", &[answer(1, "08:00:00", B, "")]);
    let text = run(folder.path(), &["timeline", URL, "a.warc", "b.warc", "-q"]);
    let text = String::from_utf8(text.stdout).unwrap();
    let words = text.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    let found = words.split("Found among the records").nth(1).unwrap();
    assert!(found.contains("a.warc at byte") && found.contains("b.warc at byte"), "{text}");
}

#[test]
fn the_name_of_an_input_that_is_altered_in_one_place_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.warc", &[answer(1, "08:00:00", A, ""), answer(2, "12:00:00", A, "")]);
    let made = run(folder.path(), &["at", "2024-03-01T10:00:00Z", "a.warc", "-q", "--url", URL, "--json"]);
    let path = folder.path().join("r.json");
    let report = String::from_utf8(made.stdout).unwrap();
    let verified = |report: &str, input: &str| {
        std::fs::write(&path, report).unwrap();
        let output = run(folder.path(), &["verify", "r.json", input, "-q"]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(verified(&report, "a.warc").0, Some(0));
    let mut altered: serde_json::Value = serde_json::from_str(&report).unwrap();
    altered["inputs"][0]["path"] = "elsewhere.warc".into();
    let (code, words) = verified(&altered.to_string(), "a.warc");
    assert_eq!(code, Some(1), "{words}");
    // A file that has another name now is the same file.
    std::fs::rename(folder.path().join("a.warc"), folder.path().join("moved.warc")).unwrap();
    let (code, words) = verified(&report, "moved.warc");
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("moved.warc"), "{words}");
}

#[test]
fn a_slow_clock_is_not_believed_beside_a_date_that_is_right() {
    // Early by an hour twice, two seconds apart: a slow clock, or two caches that were filled at ten.
    let early =
        || vec![answer(2, "11:00:00", A, &date("10:00:00")), answer(3, "11:00:02", A, &date("10:00:02"))];
    let with = |first: Record| [vec![first], early()].concat();
    assert!(is_yes(&with(answer(1, "08:00:00", A, "")), "10:30:00"));
    let right = with(answer(1, "08:00:00", A, &date("08:00:00")));
    assert!(!is_yes(&right, "10:30:00"));
    assert!(is_yes(&right, "09:30:00"));
}

#[test]
fn a_date_made_with_the_response_that_the_archive_refutes_disqualifies_the_others() {
    let modified = |time: &str| format!("\nLast-Modified: Fri, 01 Mar 2024 {time} GMT");
    let records = |later: &str| {
        let dated = |time: &str, modified: String| format!("{modified}{}", date(time));
        vec![
            answer(1, "12:00:00", A, &dated("12:00:00", modified("11:30:00"))),
            answer(2, "13:00:00", A, &dated("13:00:00", modified(later))),
        ]
    };
    assert!(at(&records("11:30:00"), "09:00:00").answer.starts_with("No."));
    let found = at(&records("13:00:00"), "09:00:00");
    assert_eq!(found.verdict, SiteVerdict::NotProvable, "{}", found.answer);
    assert!(!found.answer.starts_with("No."), "{}", found.answer);
}

#[test]
fn an_answer_for_part_of_a_day_says_that_it_relies_on_a_304() {
    let again = Record::revisit(
        2,
        URL,
        "2024-03-01T12:00:00Z",
        "server-not-modified",
        "HTTP/1.1 304 Not Modified\nETag: \"v1\"",
    );
    let records = [answer(1, "08:00:00", A, "\nETag: \"v1\""), again];
    let folder = tempfile::tempdir().unwrap();
    let parameters = AtParameters { urls: vec![URL.to_owned()], ..AtParameters::on("2024-03-01") };
    let found = ask(&[write(folder.path(), "a.warc", &records)], &parameters).unwrap();
    assert!(found.answer.starts_with("Yes, for part of that day"), "{}", found.answer);
    assert!(
        found.assumptions.iter().any(|text| text.contains("304 Not Modified")),
        "{:?}",
        found.assumptions
    );
}

#[test]
fn of_several_ages_the_largest_counts_and_one_that_cannot_be_read_is_unknown() {
    let records =
        |fields: &str| [answer(1, "08:00:00", A, ""), answer(2, "12:00:00", A, &format!("\nAge: {fields}"))];
    for fields in ["10, 7000", "7000, 10", "10\nAge: 7000", "x, 7000", "x\nAge: 7000"] {
        assert!(!is_yes(&records(fields), "11:00:00"), "{fields}");
        assert!(is_yes(&records(fields), "09:30:00"), "{fields}");
        assert!(!at(&records(fields), "09:30:00").answer.contains("cannot be read"), "{fields}");
    }
    for fields in ["x", "-5", "", "10.x"] {
        let found = at(&records(fields), "11:00:00");
        assert_eq!(found.verdict, SiteVerdict::NotProvable, "{fields}: {}", found.answer);
        assert!(found.answer.contains("may have come from a cache, and the server may have made it before"));
        // The Date says when it was made.
        assert!(is_yes(&records(&format!("{fields}{}", date("11:30:00"))), "11:00:00"), "{fields}");
        assert!(!is_yes(&records(&format!("{fields}{}", date("11:59:30"))), "11:59:40"), "{fields}");
    }
}

#[test]
fn an_age_of_0_is_a_second_like_any_other() {
    for age in [0, 1] {
        let records =
            [answer(1, "08:00:00", A, "\nAge: 0"), answer(2, "12:00:00", A, &format!("\nAge: {age}"))];
        let made = at(&records, "10:00:00").pages.held()[0].proven.unwrap();
        let end = format!("2024-03-01T11:59:5{}Z", 9 - age);
        assert_eq!((made.from.to_string(), made.to.to_string()), ("2024-03-01T08:00:01Z".to_owned(), end));
    }
}

#[test]
fn a_304_that_proves_nothing_takes_nothing_from_the_proof_of_two_captures_around_it() {
    let weak = "\nETag: W/\"v1\"";
    let again = |n, time: &str, fields: &str| {
        let head = format!("HTTP/1.1 304 Not Modified{fields}");
        Record::revisit(n, URL, &format!("2024-03-01T{time}Z"), "server-not-modified", &head)
    };
    let pages = || vec![answer(1, "08:00:00", A, weak), answer(2, "12:00:00", A, weak)];
    let aged = format!("{weak}\nAge: 7200");
    for between in [
        vec![again(3, "10:00:00", weak)],
        vec![again(3, "09:30:00", weak), again(4, "10:00:00", weak), again(5, "11:00:00", weak)],
        vec![again(3, "13:00:00", &aged)],
        vec![again(3, "13:00:00", weak)],
    ] {
        let records = [pages(), between].concat();
        let found = at(&records, "09:00:00");
        assert!(found.answer.contains("before (08:00:00 UTC) and after (12:00:00 UTC)"), "{}", found.answer);
        assert_eq!(found.verdict, SiteVerdict::Coherent);
        assert!(found.assumptions.iter().all(|text| !text.contains("304")), "{:?}", found.assumptions);
    }
    // Made in the second of the last capture, by a Date that both have.
    let dated = format!("{weak}{}", date("12:00:00"));
    let pages = [answer(1, "08:00:00", A, weak), answer(2, "12:00:00", A, &dated)];
    assert!(is_yes(&[&pages[..], &[again(3, "12:00:40", &dated)]].concat(), "09:00:00"));
    // By itself it proves nothing, and one with another tag is of something else.
    assert!(!is_yes(&[answer(1, "08:00:00", A, weak), again(2, "12:00:00", weak)], "09:00:00"));
    let other = again(3, "10:00:00", "\nETag: W/\"v2\"");
    assert!(!is_yes(&[&pages[..], &[other]].concat(), "09:00:00"));
    // Nor does it make one version of two.
    let changed =
        [answer(1, "08:00:00", A, weak), again(2, "10:00:00", weak), answer(3, "12:00:00", B, weak)];
    assert!(!is_yes(&changed, "09:00:00"));
}

#[test]
fn clocks_that_lie_around_the_time_asked_about_are_an_assumption() {
    let told = |first: &str, last: &str, time: &str| {
        let found =
            at(&[answer(1, "08:00:00", A, &date(first)), answer(2, "12:00:00", A, &date(last))], time);
        assert_eq!(found.verdict, SiteVerdict::Coherent, "{}", found.answer);
        found.assumptions.iter().any(|text| text.contains("between the Date of a record and its WARC-Date"))
    };
    assert!(told("08:00:00", "11:59:20", "11:59:40"));
    assert!(told("08:00:30", "12:00:00", "08:00:10"));
    assert!(!told("08:00:30", "11:59:20", "10:00:00"));
}

#[test]
fn a_date_beside_one_of_a_fast_clock_may_be_that_of_a_cache() {
    let records = |first: &str, last: &str| {
        [answer(1, "08:00:00", A, &date(first)), answer(2, "12:00:00", A, &date(last))]
    };
    // Two hours fast, and then right: put right, or kept for two hours.
    let found = at(&records("10:00:00", "12:00:00"), "11:00:00");
    assert_eq!(found.verdict, SiteVerdict::NotProvable, "{}", found.answer);
    assert!(found.answer.contains("how fast the clock was for another record"), "{}", found.answer);
    assert!(is_yes(&records("10:00:00", "12:00:00"), "09:30:00"));
    assert!(is_yes(&records("10:00:00", "14:00:00"), "11:00:00"), "as fast both times");
    // The fast one may be captured behind, too.
    let behind = [
        answer(1, "07:00:00", A, ""),
        answer(2, "08:00:00", A, &date("08:00:00")),
        answer(3, "12:00:00", B, &date("14:00:00")),
    ];
    assert!(!is_yes(&behind, "07:30:00"));
}

#[test]
fn a_history_says_of_a_bare_304_what_is_not_known_and_compares_the_versions_around_it() {
    let folder = tempfile::tempdir().unwrap();
    let weak = "\nETag: W/\"v1\"";
    let again = |n, time: &str| {
        let head = format!("HTTP/1.1 304 Not Modified{weak}");
        Record::revisit(n, URL, &format!("2024-03-01T{time}Z"), "server-not-modified", &head)
    };
    let records = [answer(1, "08:00:00", A, weak), again(2, "10:00:00"), answer(3, "12:00:00", B, "")];
    write(folder.path(), "a.warc", &records);
    let text = String::from_utf8(run(folder.path(), &["timeline", URL, "a.warc", "-q"]).stdout).unwrap();
    let words = text.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    let unknown = "changed nothing that is known: the later one is a 304 Not Modified that does not show";
    assert!(words.contains(unknown), "{text}");
    assert!(words.contains("added costs 4 euros.") && !words.contains("how is not known"), "{text}");
}

#[test]
fn what_a_cache_kept_until_before_the_next_capture_begins_a_proof_of_its_spelling() {
    let records = |age: u32| {
        let kept = format!("\nAge: {age}");
        let other = Record::page(2, "http://www.a.example/terms", "2024-03-01T09:00:00Z", A);
        [answer(1, "08:00:00", A, &kept), other, answer(3, "12:00:00", A, &kept)]
    };
    let is_proven = |records: &[Record]| {
        let folder = tempfile::tempdir().unwrap();
        let parameters = AtParameters {
            urls: vec![URL.to_owned()],
            canon: "default".to_owned(),
            ..AtParameters::on("2024-03-01T10:00:00Z")
        };
        ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap().verdict == SiteVerdict::Coherent
    };
    assert!(is_proven(&records(0)) && is_proven(&records(5)));
    // Kept since before ten by its Age, the last one proves nothing of that time.
    assert!(!is_proven(&records(7300)));
}
