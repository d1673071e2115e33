//! One figure, one meaning: what an action promises is what the answer shows once it was done, and screens, HTML and JSON agree.

use std::fs;

use serde_json::Value;

use crate::support::demo::demo;
use crate::support::program::{audit, printed, run};
use crate::support::record::Record;

fn page(number: u32, url: &str, time: &str, body: &str) -> Vec<u8> {
    let body = format!("<html><head><title>T</title></head><body>{body}</body></html>");
    Record::page(number, url, &format!("2024-01-01T{time}Z"), &body).bytes()
}

fn action<'a>(audit: &'a Value, kind: &str) -> &'a Value {
    let actions = audit["actions"].as_array().unwrap();
    let found = actions.iter().find(|action| action["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind}: {:#}", audit["actions"]))
}

fn sentence<'a>(audit: &'a Value, question: &str) -> &'a str {
    audit["answers"][question]["sentence"].as_str().unwrap()
}

/// The shares of the last and of the planned order in an action.
fn orders(text: &str) -> (&str, &str) {
    let rest = text.split_once(": ").unwrap().1;
    let rest = rest.strip_prefix("up to ").unwrap_or(rest);
    let (planned, last) =
        rest.split_once(" expected consistent, ").or_else(|| rest.split_once(" consistent, ")).unwrap();
    (last.split_once(" in the last order").unwrap().0, planned)
}

/// A site captured twice: a home page that links to `pages` pages, of which the first `markup` change in markup only, and the
/// next `text` in their words. The home page links to `missing` more that were never requested.
fn site(name: &str, pages: usize, markup: usize, text: usize, missing: usize) -> Vec<u8> {
    let mut records = Vec::new();
    let links = |from: usize, to: usize| -> String {
        (from..to).map(|page| format!("<a href=\"/{page}\">{page}</a> ")).collect()
    };
    let home = links(0, pages + missing);
    for (pass, minute) in [0, 15].into_iter().enumerate() {
        let number = (pass * 1000) as u32;
        let url = format!("http://{name}/");
        records.extend(page(number + 1, &url, &format!("09:{minute:02}:00"), &home));
        for place in 0..pages {
            let home = "<a href=\"/\">home</a>";
            let body = match place {
                place if place < markup => format!("<p class=\"v{pass}\">page {place}</p>{home}"),
                place if place < markup + text => format!("<p>page {place}, words {pass}</p>{home}"),
                place => format!("<p>page {place}</p>{home}"),
            };
            let second = 20 * (place + 1);
            let time = format!("09:{:02}:{:02}", minute + second / 60, second % 60);
            records.extend(page(number + 2 + place as u32, &format!("{url}{place}"), &time, &body));
        }
    }
    records
}

#[test]
fn seeds_on_sites_without_any_capture_count() {
    let folder = tempfile::tempdir().unwrap();
    let lone =
        [page(1, "http://lone.example/", "09:00:00", "x"), page(2, "http://lone.example/", "10:00:00", "x")];
    fs::write(folder.path().join("lone.warc"), lone.concat()).unwrap();
    fs::write(folder.path().join("two.warc"), site("two.example", 3, 0, 0, 0)).unwrap();
    let list = "http://lone.example/\nhttp://other.example/\nhttp://third.example/x\n";
    fs::write(folder.path().join("seeds.txt"), list).unwrap();
    let found = audit(folder.path(), &["lone.warc", "--seeds", "seeds.txt"]);
    assert_eq!(found["answers"]["complete"]["band"], "poor", "{}", sentence(&found, "complete"));
    let told = "1 of 3 seeds was reached. 2 seeds are of sites without any page here.";
    assert!(sentence(&found, "complete").contains(told), "{}", sentence(&found, "complete"));
    let capture = action(&found, "capture-seeds");
    assert_eq!((&capture["count"], &capture["after"]), (&2.into(), &1.0.into()));
    let shown = printed(folder.path(), &["audit", "lone.warc", "--seeds", "seeds.txt"]);
    assert!(shown.contains("Capture 2 seeds that were not reached: seeds 1 → 3 of 3"), "{shown}");
    assert!(!shown.contains("Nothing to do"), "{shown}");
    // A collection says it beside its counts.
    let found = audit(folder.path(), &["lone.warc", "two.warc", "--seeds", "seeds.txt"]);
    assert!(sentence(&found, "complete").ends_with(told), "{}", sentence(&found, "complete"));
    assert_eq!(action(&found, "capture-seeds")["count"], 2);
    let with = ["audit", "lone.warc", "two.warc", "--seeds", "seeds.txt", "-q", "--json=then.json"];
    run(folder.path(), &with);
    let again = ["audit", "lone.warc", "two.warc", "--seeds", "seeds.txt", "--compare-with", "then.json"];
    let shown = printed(folder.path(), &again);
    assert!(shown.contains("open:") && shown.contains("capture 2 seeds that were not reached"), "{shown}");
}

#[test]
fn a_collection_says_why_its_sites_are_not_consistent_and_what_would_help() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        let site = site(&format!("{name}.example"), 24, 0, 14, 2);
        fs::write(folder.path().join(format!("{name}.warc")), site).unwrap();
    }
    let files = ["a.warc", "b.warc", "c.warc"];
    let found = audit(folder.path(), &files);
    assert_eq!(found["answers"]["consistent"]["sites"]["poor"], 3);
    assert_eq!(sentence(&found, "consistent"), "Of the 75 pages of all sites, 42 changed.");
    assert!(
        sentence(&found, "complete").contains("6 were never requested"),
        "{}",
        sentence(&found, "complete")
    );
    let planned = action(&found, "plan-crawl");
    assert!(planned["before"].as_f64() < planned["after"].as_f64(), "{planned}");
    assert!(
        planned["text"].as_str().unwrap().starts_with("Crawl 3 sites in the planned order: "),
        "{planned}"
    );
    assert_eq!(planned["command"], "acuity schedule a.warc b.warc c.warc");
    // Terminal and HTML print the sentences of the JSON.
    let shown = printed(folder.path(), &[&["audit"], &files[..], &["--html", "r.html"]].concat());
    let html = fs::read_to_string(folder.path().join("r.html")).unwrap();
    for question in ["consistent", "complete"] {
        let said = sentence(&found, question);
        assert!(html.contains(said), "{said}");
        let first = said.split(' ').take(3).collect::<Vec<_>>().join(" ");
        assert!(shown.contains(&first), "{first}: {shown}");
    }
    // The command shows the figures of the action.
    let shown = printed(folder.path(), &[&["schedule", "-q"], &files[..]].concat());
    let text = planned["text"].as_str().unwrap();
    let (last, best) = orders(text);
    assert!(shown.contains(&format!("last order {last} planned order {best}")), "{text}: {shown}");
    assert!(shown.contains("importance expected consistent"), "{shown}");
}

#[test]
fn an_action_is_not_done_by_leaving_a_site_out() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        let site = site(&format!("{name}.example"), 8, 0, 0, 3);
        fs::write(folder.path().join(format!("{name}.warc")), site).unwrap();
    }
    run(folder.path(), &["audit", "a.warc", "b.warc", "-q", "--json=then.json"]);
    let left = |files: &[&str]| {
        let found = audit(folder.path(), &[files, &["--compare-with", "then.json"]].concat());
        let outcomes = found["comparison"]["actions"].as_array().unwrap().clone();
        let missing = outcomes.into_iter().find(|outcome| outcome["kind"] == "capture-missing").unwrap();
        (missing["before"].as_u64(), missing["left"].as_u64(), missing["state"].clone())
    };
    assert_eq!(left(&["a.warc", "b.warc"]), (Some(6), Some(6), "open".into()));
    // A site that is gone was not captured, and what a new one lacks was not asked for.
    assert_eq!(left(&["a.warc", "c.warc"]), (Some(6), Some(6), "open".into()));
    let added = page(5000, "http://a.example/9", "11:00:00", "nine");
    fs::write(folder.path().join("more.warc"), added).unwrap();
    assert_eq!(left(&["a.warc", "more.warc", "c.warc"]), (Some(6), Some(5), "partly".into()));
}

#[test]
fn what_a_decision_promises_is_what_the_sentence_then_shows() {
    // By importance, the home page lifts the site into a better band than by number.
    for (pages, markup, text) in [(24, 5, 7), (24, 2, 3), (30, 12, 0), (12, 3, 4)] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.warc"), site("a.example", pages, markup, text, 0)).unwrap();
        let (bytes, texts) =
            (audit(folder.path(), &["a.warc"]), audit(folder.path(), &["a.warc", "--compare", "text"]));
        let decide = action(&bytes, "decide-compare");
        let text = decide["text"].as_str().unwrap();
        let share = |audit: &Value| audit["sites"][0]["coherence"]["best"]["share"].clone();
        assert_eq!((&decide["before"], &decide["after"]), (&share(&bytes), &share(&texts)), "{text}");
        if let Some((before, after)) = text.split_once(" → ") {
            let before = before.rsplit(' ').next().unwrap();
            let after = after.split(' ').next().unwrap();
            assert!(
                sentence(&bytes, "consistent").contains(before),
                "{text}: {}",
                sentence(&bytes, "consistent")
            );
            assert!(
                sentence(&texts, "consistent").contains(after),
                "{text}: {}",
                sentence(&texts, "consistent")
            );
        }
    }
}

#[test]
fn what_adding_files_promises_is_what_the_sentence_then_shows() {
    // Embeds decide: their figure is the one that rises.
    let folder = tempfile::tempdir().unwrap();
    let links: String = (0..8).map(|page| format!("<a href=\"/{page}\">{page}</a>")).collect();
    let home = format!("{links}<img src=\"/a.png\"><img src=\"/b.png\">");
    let mut records = page(1, "http://a.example/", "09:00:00", &home);
    for place in 0..8 {
        records.extend(page(
            2 + place,
            &format!("http://a.example/{place}"),
            &format!("09:00:{:02}", place + 1),
            "x",
        ));
    }
    let image = |number: u32, name: &str| {
        let head = "HTTP/1.1 200 OK\nContent-Type: image/png";
        Record::response(number, &format!("http://a.example/{name}"), "2024-01-01T09:01:00Z", head, b"png")
            .bytes()
    };
    records.extend(image(20, "a.png"));
    fs::write(folder.path().join("a.warc"), records).unwrap();
    fs::write(folder.path().join("b.warc"), image(21, "b.png")).unwrap();
    let found = audit(folder.path(), &["a.warc"]);
    assert!(
        sentence(&found, "complete").starts_with("1 of 2 embeds was captured"),
        "{}",
        sentence(&found, "complete")
    );
    let text = "Add /b.png to the next crawl: embeds 1 → 2 of 2, if it still exists.";
    assert_eq!(action(&found, "capture-missing")["text"], text);
    assert_eq!(action(&found, "capture-missing")["before"], found["answers"]["complete"]["share"]);
    let done = audit(folder.path(), &["a.warc", "b.warc"]);
    assert!(
        sentence(&done, "complete").starts_with("All 10 linked pages"),
        "{}",
        sentence(&done, "complete")
    );
    // Links decide: 20 of 29 are poor, though 23 of 32 of all would be mixed.
    let links: String = (0..29).map(|page| format!("<a href=\"/{page}\">{page}</a>")).collect();
    let images: String = (0..3).map(|image| format!("<img src=\"/{image}.png\">")).collect();
    let mut records = page(1, "http://b.example/", "09:00:00", &format!("{links}{images}"));
    for place in 0..20 {
        records.extend(page(
            2 + place,
            &format!("http://b.example/{place}"),
            &format!("09:00:{:02}", place + 1),
            "x",
        ));
    }
    for place in 0..3 {
        let head = "HTTP/1.1 200 OK\nContent-Type: image/png";
        let url = format!("http://b.example/{place}.png");
        records.extend(Record::response(40 + place, &url, "2024-01-01T09:01:00Z", head, b"png").bytes());
    }
    fs::write(folder.path().join("c.warc"), records).unwrap();
    let found = audit(folder.path(), &["c.warc"]);
    let said = sentence(&found, "complete");
    assert!(said.starts_with("20 of 29 linked pages (69%) were captured."), "{said}");
    let text = action(&found, "capture-missing")["text"].as_str().unwrap();
    assert!(text.contains("linked pages 69% → 100%"), "{text}");
}

#[test]
fn a_schedule_opens_with_the_figures_of_the_audit() {
    let folder = demo();
    let files = ["visit.warc.gz", "revisit.warc.gz"];
    let text = action(&audit(folder.path(), &files), "plan-crawl")["text"].as_str().unwrap().to_owned();
    let (last, planned) = orders(&text);
    let whole = run(folder.path(), &[&["schedule", "-q"], &files[..]].concat());
    let lines = String::from_utf8(whole.stdout).unwrap();
    assert!(lines.lines().count() <= 24 && lines.lines().all(|line| line.chars().count() <= 80), "{lines}");
    let shown = printed(folder.path(), &[&["schedule", "-q"], &files[..]].concat());
    assert!(shown.contains("importance expected consistent, on the 26 pages of the last crawl"), "{shown}");
    assert!(shown.contains(&format!("last order {last} planned order {planned}")), "{text}: {shown}");
    for word in ["hopeless", "coherence", "sharc", "26.31", "24.12", "downloads"] {
        assert!(!shown.replace("/downloads/", "").contains(word), "{word}: {shown}");
    }
    let command = "acuity schedule visit.warc.gz revisit.warc.gz --export wget --out plan";
    assert!(shown.contains(command), "{shown}");
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    assert!(run(folder.path(), &words).status.success());
    for more in [&["--details"][..], &["--strategy", "all"]] {
        let shown = printed(folder.path(), &[&["schedule", "-q"], &files[..], more].concat());
        assert!(shown.contains("sharc-selective") && shown.contains("last-crawl"), "{more:?}: {shown}");
    }
    // One pass shows nothing of how often pages change, so no share is promised.
    let shown = printed(folder.path(), &["schedule", "-q", "visit.warc.gz"]);
    assert!(shown.contains("unknown until they are captured twice") && !shown.contains('%'), "{shown}");
}

#[test]
fn a_limit_in_time_is_repeated_as_typed_and_holds_for_links_and_versions() {
    let folder = demo();
    let files = ["visit.warc.gz", "revisit.warc.gz"];
    let limited = [&files[..], &["--from", "2024-03-04", "--to", "2024-03-04T09:15:00Z"]].concat();
    let (found, first) = (audit(folder.path(), &limited), audit(folder.path(), &files[..1]));
    let commands: Vec<&str> =
        found["actions"].as_array().unwrap().iter().filter_map(|action| action["command"].as_str()).collect();
    assert!(!commands.is_empty());
    for command in commands {
        assert!(command.contains("--from 2024-03-04 --to 2024-03-04T09:15:00Z"), "{command}");
    }
    assert_eq!(sentence(&found, "complete"), sentence(&first, "complete"));
    assert!(!sentence(&found, "complete").contains("versions."), "{}", sentence(&found, "complete"));
}

#[test]
fn a_page_that_a_person_looked_at_is_no_longer_to_look_at() {
    let folder = demo();
    let files = ["visit.warc.gz", "revisit.warc.gz"];
    let looks = |audit: &Value| {
        let actions = audit["actions"].as_array().unwrap();
        actions.iter().filter(|action| action["kind"] == "look-at-page").count()
    };
    let before = looks(&audit(folder.path(), &files));
    assert!(before > 0);
    fs::write(folder.path().join("review.csv"), "url,rating\n/offers/winter.html,poor\n").unwrap();
    let found = audit(folder.path(), &[&files[..], &["--review", "review.csv"]].concat());
    assert_eq!(looks(&found), before - 1, "{:#}", found["actions"]);
}

#[test]
fn an_index_says_by_what_its_pages_were_compared() {
    let folder = tempfile::tempdir().unwrap();
    let mut cdx = " CDX N b a m s k r M S V g\n".to_owned();
    for page in 0..4 {
        for hour in ["09", "10"] {
            cdx += &format!(
                "example,b)/{page} 20240304{hour}000{page} http://b.example/{page} text/html 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA{} - - 10 0 b.warc.gz\n",
                ["A", "B", "C", "D"][page]
            );
        }
    }
    fs::write(folder.path().join("b.cdx"), cdx).unwrap();
    let found = audit(folder.path(), &["b.cdx"]);
    let said = sentence(&found, "consistent");
    assert!(said.starts_with("All 4 pages were online together, by declared digests, from "), "{said}");
}
