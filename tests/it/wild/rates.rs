//! Pages whose captures do not show how often they change, and sites where no captures bound that.

use crate::support::digests::sha1;
use crate::support::record::Record;

use super::*;

/// A capture of a page at a second of the day.
fn seen(n: usize, seconds: usize, text: &str) -> Record {
    let (url, body) =
        (format!("http://r.example/{n}"), format!("<html><body><p>{n} {text}</p></body></html>"));
    let time = format!(
        "2022-03-{:02}T{:02}:{:02}:{:02}Z",
        14 + seconds / 86_400,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60
    );
    Record::response((1000 * n + seconds % 997) as u32, &url, &time, HTML, body.as_bytes())
        .set("WARC-Record-ID", &format!("<urn:test:{n}-{seconds}>"))
}

/// Thirty pages that stayed the same for a day.
fn still() -> impl Iterator<Item = Record> {
    (100..130).flat_map(|n| [0, 86_400].map(|later| seen(n, 7200 + n + later, "still")))
}

#[test]
fn pages_made_for_each_request_are_left_out_of_blur_and_versions() {
    let made =
        (0..5).flat_map(|n| [0, 5].map(|later| seen(n, 3600 + 20 * n + later, &format!("at {later}"))));
    let archive = Archive::of(&made.chain(still()).collect::<Vec<_>>());
    let site = archive.audit(&[])["sites"][0].clone();
    assert_eq!(site["findings"]["made_anew"]["pages"], 5);
    for page in site["page_list"].as_array().unwrap() {
        let is_made = page["state"] == "changed";
        assert_eq!(page["blur"].is_null(), is_made, "{page}");
        assert_eq!(page["completeness"].is_null(), is_made, "{page}");
        assert_eq!(page["rate"]["source"] == "assumed", is_made, "{page}");
    }
    let reason = site["basis"]["rates"]["reason"].as_str().unwrap();
    assert_eq!(reason, "5 pages differ within a minute or at every capture, and no other was seen to change");
    let text = archive.run(&["audit", "-q", "--details"], &[]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!words.contains("no page was seen to change"), "{words}");
    assert_eq!(
        words.matches("left out are 5 pages that differ within a minute or at every capture").count(),
        2,
        "{words}"
    );
}

#[test]
fn pages_seen_for_seconds_only_tell_of_no_rate_though_two_captures_are_the_same() {
    for pages in [1, 10] {
        let seen = (0..pages).flat_map(|n| {
            [(0, "one"), (5, "one"), (11, "other")].map(|(later, text)| seen(n, 3600 + 20 * n + later, text))
        });
        let archive = Archive::of(&seen.collect::<Vec<_>>());
        let site = archive.audit(&[])["sites"][0].clone();
        for page in site["page_list"].as_array().unwrap() {
            assert_eq!(page["rate"]["source"], "assumed", "{page}");
            assert!(page["blur"].is_null() && page["completeness"].is_null(), "{page}");
        }
        assert!(site["rates"]["median_per_day"].is_null(), "{}", site["rates"]);
        let text = archive.run(&["audit", "-q", "--details"], &[]);
        assert!(!text.contains("changes a day"), "{text}");
    }
}

#[test]
fn a_page_that_differs_at_every_one_of_many_captures_has_no_rate() {
    let made =
        (0..5).flat_map(|n| (0..20).map(move |k| seen(n, 3600 + 20 * n + 90 * k, &format!("look {k}"))));
    let archive = Archive::of(&made.chain(still()).collect::<Vec<_>>());
    let site = archive.audit(&[])["sites"][0].clone();
    let pages = site["page_list"].as_array().unwrap();
    let page = pages.iter().find(|page| page["url"] == "http://r.example/0").unwrap();
    assert_eq!(page["reason"], "changed at every one of its 20 captures; how often it changes is unknown");
    assert_eq!(
        (&page["rate"]["source"], page["made_anew_seconds"].as_f64()),
        (&"assumed".into(), Some(90.0))
    );
    assert!(page["blur"].is_null() && page["completeness"].is_null(), "{page}");
    assert!(site["rates"]["median_per_day"].is_null(), "{}", site["rates"]);
    let text = archive.run(&["audit", "-q", "--details"], &[]);
    assert!(!text.contains("a minute") && !text.contains("changes a day"), "{text}");
    let story = archive.run(&["audit", "-q", "--explain", "http://r.example/0"], &[]);
    assert!(
        !story.contains("generated for each request") && !story.contains("expected to change"),
        "{story}"
    );
}

#[test]
fn pages_that_two_servers_give_in_turn_within_a_minute_tell_of_no_rate() {
    // Eight pages come from two servers in turn, twelve stay the same.
    let served = |n: usize, pass: usize| if n < 8 && (n + pass).is_multiple_of(2) { "one" } else { "other" };
    let seen = |passes: &[usize]| -> Vec<Record> {
        let pass = |(pass, later): (usize, &usize)| {
            (0..20).map(|n| seen(n, 3600 + n + later, served(n, pass))).collect::<Vec<_>>()
        };
        passes.iter().enumerate().flat_map(pass).collect()
    };
    for passes in [&[0, 40, 80][..], &[0, 40, 80, 86_400, 86_440, 86_480]] {
        let archive = Archive::of(&seen(passes));
        let site = archive.audit(&[])["sites"][0].clone();
        for page in site["page_list"].as_array().unwrap() {
            assert_eq!(page["made_anew_seconds"].is_number(), page["state"] == "changed", "{page}");
        }
        let text = archive.run(&["audit", "-q", "--details"], &[]);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!words.contains("times an hour"), "{words}");
        assert!(words.contains("probably generated for each request, or by several servers"), "{words}");
        assert!(!words.contains("twice within less time"), "{words}");
    }
}

#[test]
fn pages_that_differ_within_seconds_are_not_to_be_captured_sooner() {
    let token = |n: usize, later: usize| seen(n, 3600 + 10 * n + later, &format!("token {later}"));
    let looks = [0, 5, 86_400, 86_405];
    let archive = Archive::of(&(0..20).flat_map(|n| looks.map(|later| token(n, later))).collect::<Vec<_>>());
    let actions = archive.audit(&[])["actions"].to_string();
    assert!(!actions.contains("capture-sooner"), "{actions}");
}

#[test]
fn a_rate_that_is_hardly_known_is_no_headline() {
    let hot = [0, 200].map(|later| seen(0, 36_000 + later, &format!("at {later}")));
    let cold = (1..50).flat_map(|n| [0, 200].map(|later| seen(n, 36_000 + 2 * n + later, "still")));
    let archive = Archive::of(&hot.into_iter().chain(cold).collect::<Vec<_>>());
    let rates = archive.audit(&[])["sites"][0]["rates"].clone();
    assert!(rates["median_per_day"].is_null(), "{rates}");
    assert!(rates["error_factor"].as_f64().unwrap() > 100.0, "{rates}");
    let text = archive.run(&["audit", "-q", "--details"], &[]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("hardly known: too few captures show whether these pages change"), "{words}");
    assert!(!words.contains("changes a day"), "{words}");
}

#[test]
fn seconds_without_a_change_do_not_bound_the_days_between_captures_that_differ() {
    let line = |n: usize, date: &str, version: &str| {
        let (url, digest) = (format!("http://w.example/{n}"), sha1(format!("{n} {version}").as_bytes()));
        format!(
            "example,w)/{n} {date} {{\"url\":\"{url}\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"{digest}\",\
             \"length\":\"500\",\"offset\":\"{n}{date}\",\"filename\":\"x.warc.gz\"}}\n"
        )
    };
    let lines: String = (10..50)
        .flat_map(|n| {
            (1..4).map(move |day| line(n, &format!("202203{:02}10{n}00", 5 * day), &day.to_string()))
        })
        .collect();
    let reason = |lines: &str| {
        Archive::with("w.cdxj", lines.as_bytes()).audit(&[])["sites"][0]["basis"]["rates"]["reason"].clone()
    };
    assert_eq!(
        reason(&lines),
        "every page captured twice differs; this index probably leaves unchanged captures out"
    );
    assert_eq!(
        reason(&format!("{lines}{}", line(10, "20220305101003", "1"))),
        "every page captured twice differs, except at captures close together; this index probably leaves unchanged captures out"
    );
}
