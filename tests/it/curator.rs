//! What a curator reads first: it is true, it adds up, and what it asks for is what its files hold.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::digests::sha1;
use crate::support::pack::gzip;
use crate::support::program::{audit, printed, run};
use crate::support::record::Record;

const DAY: &str = "2024-05-06";

/// A page of a site, captured at a time of the day.
fn page(number: u32, url: &str, time: &str, body: &str) -> Record {
    let body =
        format!("<html><head><title>T</title></head><body><p>Words about {url}.</p>{body}</body></html>");
    Record::page(number, &format!("http://{url}"), &format!("{DAY}T{time}Z"), &body)
}

fn response(number: u32, url: &str, time: &str, status: &str, media: &str) -> Record {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {media}");
    Record::response(number, &format!("http://{url}"), &format!("{DAY}T{time}Z"), &head, url.as_bytes())
}

fn image(number: u32, url: &str, time: &str) -> Record {
    response(number, url, time, "200 OK", "image/png")
}

fn write(folder: &Path, name: &str, records: &[Record]) {
    let bytes: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
    fs::write(folder.join(name), bytes).unwrap();
}

fn action<'a>(audit: &'a Value, kind: &str) -> Option<&'a Value> {
    audit["actions"].as_array().unwrap().iter().find(|action| action["kind"] == kind)
}

fn text<'a>(audit: &'a Value, kind: &str) -> &'a str {
    action(audit, kind).unwrap_or_else(|| panic!("no {kind}: {:#}", audit["actions"]))["text"]
        .as_str()
        .unwrap()
}

fn sentence<'a>(audit: &'a Value, question: &str) -> &'a str {
    audit["answers"][question]["sentence"].as_str().unwrap()
}

/// Sites of one page that needs `images`; with them, or without.
fn illustrated(sites: &[&str], images: u32, are_captured: bool) -> Vec<Record> {
    let mut records = Vec::new();
    for (site, first) in sites.iter().zip((1..).step_by(100)) {
        let embeds: String = (0..images).map(|n| format!("<img src=/{n}.png>")).collect();
        records.push(page(first, &format!("{site}/"), "08:00:00", &embeds));
        let all = (0..images).filter(|_| are_captured);
        records.extend(all.map(|n| image(first + 1 + n, &format!("{site}/{n}.png"), "08:00:05")));
    }
    records
}

#[test]
fn a_repair_that_was_asked_for_is_never_worse() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (sites, name) in [(&["a.example", "b.example"][..], "both"), (&["a.example"], "one")] {
        write(at, "old.warc", &illustrated(sites, 5, false));
        write(at, "new.warc", &illustrated(sites, 5, true));
        let old = audit(at, &["old.warc"]);
        fs::write(at.join("old.json"), old.to_string()).unwrap();
        let new = audit(at, &["new.warc", "--compare-with", "old.json"]);
        let said: Vec<(&str, &str)> = new["comparison"]["said"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| (line["topic"].as_str().unwrap(), line["text"].as_str().unwrap()))
            .collect();
        assert!(said.iter().all(|(topic, _)| *topic != "Worse"), "{said:?}");
        let is_told =
            |topic, start: &str| said.iter().any(|(t, text)| *t == topic && text.starts_with(start));
        match name {
            "both" => {
                assert!(is_told("Fixed", "10 files are no longer missing"), "{said:?}");
                assert!(is_told("Judged", "2 sites can no longer be judged."), "{said:?}");
                // What the sites become is said when it is asked for.
                assert_eq!(
                    text(&old, "capture-missing"),
                    "Add 10 files that were never requested to the next crawl: Complete? poor on 2 → 0 sites (then cannot \
                     tell), if all still exist."
                );
            }
            _ => {
                assert!(is_told("Fixed", "5 files are no longer missing"), "{said:?}");
                assert!(is_told("Judged", "Complete can no longer be judged; it was poor."), "{said:?}");
            }
        }
    }
}

#[test]
fn of_files_that_would_help_no_more_are_named_than_do() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = (0..40).map(|n| format!("<a href=/{n}.html>{n}</a>")).collect();
    let mut records = illustrated(&["a.example"], 5, false);
    records[0] = page(1, "a.example/", "08:00:00", &format!("{links}<img src=/0.png><img src=/1.png>"));
    records.push(page(2, "a.example/0.html", "08:00:01", ""));
    records.push(page(300, "b.example/", "08:00:00", ""));
    write(folder.path(), "a.warc", &records);
    let found = audit(folder.path(), &["a.warc"]);
    assert_eq!(
        text(&found, "capture-missing"),
        "Add 41 files of a.example that were never requested to the next crawl: with 2 of them Complete? poor on 1 → 0 \
         sites (then cannot tell), if all still exist."
    );
}

#[test]
fn a_page_that_was_lost_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let home = page(1, "a.example/", "08:00:00", "<a href=/b.html>b</a>");
    write(at, "old.warc", &[home.clone(), page(2, "a.example/b.html", "08:00:01", "")]);
    write(at, "new.warc", &[home]);
    fs::write(at.join("old.json"), audit(at, &["old.warc"]).to_string()).unwrap();
    let new = audit(at, &["new.warc", "--compare-with", "old.json"]);
    let said = new["comparison"]["said"].as_array().unwrap();
    let of_page = said.iter().filter(|line| line["text"].as_str().unwrap().contains("/b.html")).count();
    assert_eq!(of_page, 1, "{said:#?}");
    assert_eq!(
        (&new["comparison"]["lost"]["count"], &new["comparison"]["newly_missing"]["count"]),
        (&1.into(), &0.into())
    );
}

#[test]
fn the_day_is_named_where_the_period_of_all_captures_is_longer_than_that_of_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    let home = |time: &str, number| page(number, "a.example/", time, "<img src=/x.png><a href=/b>b</a>");
    let other = |time: &str, number, text: &str| page(number, "a.example/b", time, text);
    let mut records = vec![
        home("08:00:00", 1),
        other("08:00:05", 2, "one"),
        home("08:30:00", 3),
        other("08:30:05", 4, "two"),
        image(5, "a.example/x.png", "08:40:00"),
    ];
    write(folder.path(), "a.warc", &records);
    let found = audit(folder.path(), &["a.warc"]);
    assert!(!sentence(&found, "consistent").contains(DAY), "{}", sentence(&found, "consistent"));
    let later = image(6, "a.example/x.png", "08:40:00").set("WARC-Date", "2024-05-26T08:00:00Z");
    records.push(later);
    write(folder.path(), "a.warc", &records);
    let found = audit(folder.path(), &["a.warc"]);
    assert!(text(&found, "look-at-page").contains("between 2024-05-06 08:00:05 and 08:30:06"), "{found:#}");
    records.retain(|record| !String::from_utf8_lossy(record.block()).contains("two"));
    write(folder.path(), "a.warc", &records);
    let found = audit(folder.path(), &["a.warc"]);
    let said = sentence(&found, "consistent");
    assert!(said.contains("2024-05-06 08:00:01 to 08:29:59") || said.contains("2024-05-06 08:00"), "{said}");
}

#[test]
fn what_is_to_be_requested_again_is_what_the_list_holds() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let links: String = ["gone1", "gone2", "busy", "closed", "new"]
        .map(|name| format!("<a href=/{name}>{name}</a>"))
        .concat();
    let html = "text/html";
    let records = [
        page(1, "a.example/", "08:00:00", &links),
        response(2, "a.example/gone1", "08:00:01", "404 Not Found", html),
        response(3, "a.example/gone2", "08:00:02", "410 Gone", html),
        response(4, "a.example/busy", "08:00:03", "503 Service Unavailable", html),
        response(5, "a.example/closed", "08:00:04", "403 Forbidden", html),
    ];
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    let again = action(&found, "request-again").unwrap();
    assert!(again["text"].as_str().unwrap().starts_with("Request again the 1 page that failed"), "{again:#}");
    assert_eq!(again["count"], 1);
    assert!(text(&found, "capture-missing").starts_with("Add /new to the next crawl: "), "{found:#}");
    let listed = |fate: &str| {
        run(at, &["audit", "a.warc", "-q", "--missing", "missing.txt", "--missing-only", fate]);
        let list = fs::read_to_string(at.join("missing.txt")).unwrap();
        list.lines().map(|url| url.rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("failed"), ["busy"]);
    assert_eq!(listed("gone"), ["gone1", "gone2"]);
    assert_eq!(listed("unusable"), ["closed"]);
    assert_eq!(listed("untried"), ["new"]);
    assert_eq!(listed("untried,failed,gone,unusable").len(), 5);
}

#[test]
fn a_collection_names_what_decided_its_bands() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Embeds decide: links do not count where the limits of a crawl are unknown.
    let links: String = (0..40).map(|n| format!("<a href=/{n}.html>{n}</a>")).collect();
    let images: String = (0..12).map(|n| format!("<img src=/{n}.png>")).collect();
    let mut records = vec![
        page(1, "a.example/", "08:00:00", &format!("{links}{images}")),
        page(2, "a.example/0.html", "08:00:01", ""),
        page(50, "b.example/", "08:00:00", ""),
    ];
    records.extend((0..11).map(|n| image(3 + n, &format!("a.example/{n}.png"), "08:00:02")));
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    assert_eq!(found["answers"]["complete"]["sites"]["mixed"], 1);
    assert_eq!(
        sentence(&found, "complete"),
        "On 1 site, of 12 embedded files, 1 was never requested. 1 site has no links between its pages."
    );
    assert_eq!(sentence(&found, "consistent"), "No site has enough pages with two captures.");
    write(at, "b.warc", &illustrated(&["a.example", "b.example"], 4, false));
    let found = audit(at, &["b.warc"]);
    assert_eq!(sentence(&found, "complete"), "On all sites, none of 8 embedded files was ever requested.");
}

#[test]
fn nothing_is_promised_of_pages_that_are_gone_or_of_hosts_that_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let html = "text/html";
    let records = [
        page(1, "a.example/terms", "08:00:00", ""),
        response(2, "a.example/terms", "09:00:00", "404 Not Found", html),
        response(3, "a.example/terms", "10:00:00", "404 Not Found", html),
    ];
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    let actions = found["actions"].to_string();
    assert!(!actions.contains("expected consistent") && !actions.contains("of importance"), "{actions}");
    assert!(text(&found, "look-at-page").contains(", when it was gone (404)."), "{actions}");
    // One host with two captures of each page, one with a single capture.
    let twice = [("08:00:00", 1), ("12:00:00", 11)].map(|(time, number)| {
        let pages = (0..4).map(|n| page(number + n, &format!("b.example/{n}"), time, ""));
        pages.collect::<Vec<_>>()
    });
    let mut records = twice.concat();
    records.push(page(30, "c.example/", "08:00:00", ""));
    write(at, "b.warc", &records);
    let said = printed(at, &["schedule", "b.warc", "-q"]);
    assert!(!said.contains("of importance expected consistent"), "{said}");
}

#[test]
fn every_reason_of_the_record_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // A digest that does not match, a revisit without its original, a cut file and bytes of no record.
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html";
    let wrong = page(1, "a.example/", "08:00:00", "").field("WARC-Payload-Digest", &sha1(b"other"));
    let revisit =
        Record::revisit(2, "http://a.example/b", "2024-05-06T08:00:01Z", "identical-payload-digest", head)
            .field("WARC-Payload-Digest", &sha1(b"elsewhere"));
    let mut bytes: Vec<u8> = [wrong, revisit].iter().flat_map(Record::bytes).collect();
    bytes.extend(b"these bytes belong to no record\r\n\r\n");
    fs::write(at.join("a.warc"), bytes).unwrap();
    let whole = gzip(&page(3, "a.example/c", "08:00:02", &"long ".repeat(2000)).bytes());
    fs::write(at.join("b.warc.gz"), &whole[..whole.len() - 20]).unwrap();
    let found = audit(at, &["a.warc", "b.warc.gz"]);
    let reasons = found["answers"]["record"]["reasons"].as_array().unwrap().clone();
    assert!(reasons.len() > 2, "{reasons:#?}");
    assert_eq!(reasons[0], "1 record has a digest that does not match the stored bytes.");
    let details = printed(at, &["audit", "a.warc", "b.warc.gz", "-q", "--details"]);
    run(at, &["audit", "a.warc", "b.warc.gz", "-q", "--html", "a.html"]);
    let html = fs::read_to_string(at.join("a.html")).unwrap();
    for reason in &reasons {
        let reason = reason.as_str().unwrap();
        assert!(details.contains(reason), "{reason}: {details}");
        assert!(html.contains(reason.split('\'').next().unwrap()), "{reason}");
    }
}

#[test]
fn records_with_wrong_digests_are_counted_not_their_digests() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = |number: u32| {
        page(number, &format!("a.example/{number}"), "08:00:00", "")
            .field("WARC-Payload-Digest", &sha1(b"other"))
            .field("WARC-Block-Digest", &sha1(b"another"))
    };
    write(folder.path(), "a.warc", &[wrong(1), wrong(2), page(3, "a.example/3", "08:00:00", "")]);
    let found = audit(folder.path(), &["a.warc"]);
    let said = sentence(&found, "record");
    assert!(said.starts_with("2 records have digests that do not match the stored bytes."), "{said}");
    assert!(!said.contains('%'), "{said}");
    assert_eq!(
        text(&found, "compare-copy"),
        "Compare the records whose digests do not match with another copy."
    );
}

#[test]
fn pages_add_up_and_names_of_sites_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let long = "a-rather-long-name-of-a-host-here.example";
    let error = "<html><head><title>404 Page not found</title></head><body><h1>Page not found</h1><p>Error 404: the page \
                 you asked for does not exist.</p></body></html>";
    let records = [
        Record::page(1, "http://e.example/x", "2024-05-06T08:00:00Z", error),
        page(2, &format!("{long}/"), "08:00:00", ""),
    ];
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    assert_eq!(found["summary"]["pages"], 2, "{found:#}");
    let sites = found["sites"].as_array().unwrap();
    let site = sites.iter().find(|site| site["site"] == "e.example").unwrap();
    assert_eq!((&site["pages"]["total"], &site["pages"]["error_pages"]), (&0.into(), &1.into()));
    for flags in [&["audit", "a.warc", "-q"][..], &["audit", "a.warc", "-q", "--details"]] {
        let said = printed(at, flags);
        assert!(said.contains(&format!("{long} 1 cannot tell")), "{said}");
        assert!(said.contains("e.example 1 cannot tell"), "{said}");
        assert!(said.contains("The page looks like an error page"), "{said}");
    }
}

#[test]
fn a_page_is_looked_at_for_its_importance_only_where_others_have_less() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let pass = |time: &str, number: u32, changed: &[u32]| -> Vec<Record> {
        let body = |n: &u32| if changed.contains(n) { format!("changed at {time}") } else { String::new() };
        (0..10).map(|n| page(number + n, &format!("a.example/{n}"), time, &body(&n))).collect()
    };
    let changed = [3, 4, 5, 6];
    let records = [pass("08:00:00", 1, &changed), pass("09:00:00", 21, &changed)].concat();
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    assert!(!found["actions"].to_string().contains("of importance and"), "{:#}", found["actions"]);
    // Where pages are consistent all the same, none is to be looked at.
    let records = [pass("08:00:00", 1, &[]), pass("09:00:00", 21, &[]), pass("10:00:00", 41, &[9])].concat();
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    assert_eq!(found["answers"]["consistent"]["band"], "good", "{}", found["answers"]);
    assert!(action(&found, "look-at-page").is_none(), "{:#}", found["actions"]);
}

#[test]
fn digests_over_chunk_framing_are_called_wrong_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let body = b"<html><title>T</title><p>words</p></html>";
    let framed = crate::support::pack::chunked(body, 16, "");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked";
    let record = Record::response(1, "http://a.example/", "2024-05-06T08:00:00Z", head, &framed)
        .field("WARC-Payload-Digest", &sha1(&framed));
    write(at, "a.warc", &[record]);
    let found = audit(at, &["a.warc"]);
    assert_eq!(found["answers"]["record"]["band"], "good", "{}", found["answers"]["record"]);
    let story = printed(at, &["audit", "a.warc", "-q", "--explain", "/"]);
    assert!(!story.contains("wrong"), "{story}");
}

#[test]
fn a_file_is_replaced_before_what_its_damage_cut() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let cut = page(1, "a.example/", "08:00:00", "").field("WARC-Truncated", "length");
    let long = page(2, "a.example/b", "08:00:01", &"long ".repeat(2000)).bytes();
    let mut bytes = cut.bytes();
    bytes.extend(&long[..long.len() - 4000]);
    fs::write(at.join("a.warc"), bytes).unwrap();
    let found = audit(at, &["a.warc"]);
    let kinds: Vec<&str> =
        found["actions"].as_array().unwrap().iter().map(|action| action["kind"].as_str().unwrap()).collect();
    let place = |kind: &str| kinds.iter().position(|known| *known == kind);
    assert!(place("replace-file").unwrap() < place("capture-cut").unwrap(), "{kinds:?}");
    assert!(
        text(&found, "capture-cut").starts_with("Repeat the other capture that is cut short"),
        "{found:#}"
    );
}

#[test]
fn rates_from_dates_are_refuted_not_the_dates() {
    let Some(crawl) = crate::support::data::data("crawls/wget") else { return };
    let said = printed(&crawl, &["audit", "siteC-visit.warc.gz", "siteC-revisit.warc.gz", "-q", "--details"]);
    assert!(
        said.contains(
            "change rates estimated from Last-Modified alone expected under 1 change; 42 of 190 pages changed. Rates were \
             taken from captures"
        ),
        "{said}"
    );
    assert!(!said.contains("not reliable"), "{said}");
}

#[test]
fn the_menu_of_a_report_follows_its_sections() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "a.warc", &[page(1, "a.example/", "08:00:00", "")]);
    run(at, &["audit", "a.warc", "-q", "--profile", "--html", "a.html"]);
    let html = fs::read_to_string(at.join("a.html")).unwrap();
    let (menu, rest) = html.split_once("</nav>").unwrap();
    let links: Vec<&str> = menu
        .split("href=\"#")
        .skip(1)
        .map(|link| link.split('"').next().unwrap())
        .filter(|anchor| *anchor != "main")
        .collect();
    let places: Vec<Option<usize>> =
        links.iter().map(|anchor| rest.find(&format!("id=\"{anchor}\""))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{links:?} {places:?}");
}

/// Two passes over ten pages, `gap` minutes apart, of which four hold a token that every request gets anew.
fn with_tokens(gap: u32) -> Vec<Record> {
    let home: String = (0..10).map(|number| format!("<a href=/{number}>page</a>")).collect();
    let mut records = Vec::new();
    for pass in 0..2 {
        for number in 0..10 {
            let seconds = pass * gap * 60 + number * 5;
            let time = format!("{:02}:{:02}:{:02}", 8 + seconds / 3600, seconds / 60 % 60, seconds % 60);
            let token = if number % 3 == 0 { format!("<p>token {pass}</p>") } else { String::new() };
            let body = if number == 0 { format!("{home}{token}") } else { token };
            records.push(page(pass * 100 + number + 1, &format!("a.example/{number}"), &time, &body));
        }
    }
    records
}

#[test]
fn no_share_is_promised_of_a_crawl_much_shorter_than_what_captures_show() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "hours.warc", &with_tokens(300));
    let hours = audit(at, &["hours.warc"]);
    assert_eq!(
        text(&hours, "capture-sooner"),
        "Capture each page twice within less time: 4 of 10 pages changed between captures."
    );
    assert!(action(&hours, "plan-crawl").is_none(), "{:#}", hours["actions"]);
    assert_eq!(hours["sites"][0]["reschedule"]["is_shown"], false);
    let screen = printed(at, &["schedule", "hours.warc"]);
    assert!(screen.contains("are much further apart than those of this crawl"), "{screen}");
    // Nor do its page, its tables and its JSON give chances.
    assert!(run(at, &["schedule", "hours.warc", "--html", "plan.html", "--json=plan.json"]).status.success());
    let page = std::fs::read_to_string(at.join("plan.html")).unwrap();
    assert!(
        page.contains("are much further apart") && !page.contains("are expected to stay unchanged"),
        "{page}"
    );
    let plan: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(at.join("plan.json")).unwrap()).unwrap();
    assert!(plan["sites"][0]["expected_coherence"].is_null() && plan["strategies"] == serde_json::json!([]));
    assert!(plan["sites"][0]["slots"].as_array().unwrap().iter().all(|slot| slot["survival"].is_null()));
    let details = printed(at, &["schedule", "hours.warc", "--details"]);
    assert!(
        details.contains("are much further apart") && !details.contains("expected coherence"),
        "{details}"
    );
    assert!(screen.contains("Start Page Again Unchanged"), "{screen}");
    // No crawl of this pace is quicker than the last one.
    write(at, "minutes.warc", &with_tokens(1));
    let minutes = audit(at, &["minutes.warc"]);
    assert!(action(&minutes, "capture-sooner").is_none(), "{:#}", minutes["actions"]);
    // Of pages captured once, the screen has the second fetch, and nothing about rates.
    write(at, "once.warc", &with_tokens(1)[..9]);
    let screen = printed(at, &["schedule", "once.warc"]);
    assert!(screen.contains("Start Page Again Unchanged") && !screen.contains("rate is that"), "{screen}");
}

#[test]
fn a_report_without_its_pages_is_no_schedule_of_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(at, "a.warc", &with_tokens(300));
    let report = String::from_utf8(run(at, &["audit", "a.warc", "--json", "-q"]).stdout).unwrap();
    let (before, pages) = report.split_once("\"page_list\":").unwrap();
    let mut list = serde_json::Deserializer::from_str(pages).into_iter::<Vec<Value>>();
    assert_eq!(list.next().unwrap().unwrap().len(), 10);
    let totals = r#""page_totals":{"left_out":10,"weight":10.0,"changed_weight":4.0,"unseen_changes":0,"heaviest_changed":null}"#;
    let behind = &pages[list.byte_offset()..];
    fs::write(at.join("report.json"), format!("{before}{totals},\"page_list\":[]{behind}")).unwrap();
    let output = run(at, &["schedule", "report.json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("totals of the 10 pages of a.example, not the pages"), "{said}");
}

/// A site of twelve pages in two passes: eight are always the same, four differ at every capture, and were captured once more a few
/// seconds later.
fn generated(at: &Path, name: &str, seconds: u32) {
    let clock = |second: u32| format!("{:02}:{:02}:{:02}", 9 + second / 3600, second / 60 % 60, second % 60);
    let links: String = (0..12).map(|page| format!("<a href=/{page}>{page}</a>")).collect();
    let mut records = Vec::new();
    let mut capture = |page: u32, second: u32| {
        let number = records.len() as u32 + 1;
        let request = if page < 4 { format!("Request {number}.") } else { String::new() };
        let url = format!("a.example/{page}");
        records.push(self::page(number, &url, &clock(second), &format!("{request}{links}")));
    };
    (0..24).for_each(|place| capture(place % 12, place * seconds));
    (0..8).for_each(|place| capture(place / 2, 24 * seconds + place * 3));
    write(at, name, &records);
}

#[test]
fn pages_generated_for_each_request_are_never_expected_to_be_consistent() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, seconds) in [("slow.warc", 100), ("quick.warc", 1)] {
        generated(at, name, seconds);
        let found = audit(at, &[name]);
        let site = &found["sites"][0];
        assert_eq!(site["findings"]["made_anew"]["pages"], 4, "{name}");
        let plan = &site["reschedule"];
        let weight = |page: &Value| page["weight"].as_f64().unwrap();
        let pages = site["page_list"].as_array().unwrap();
        let still: f64 = pages.iter().filter(|page| page["state"] == "sharp").map(weight).sum();
        for order in ["compared_coherence", "last_crawl"] {
            let expected = plan[order].as_f64().unwrap();
            assert!(
                (expected - still).abs() < 0.03 * pages.len() as f64,
                "{name}: {order} {expected}, {still}"
            );
        }
        assert!(action(&found, "plan-crawl").is_none(), "{name}: {:#}", found["actions"]);
        // The schedule says the same.
        let output = run(at, &["schedule", name, "--json", "-"]);
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        let slots = made["sites"][0]["slots"].as_array().unwrap();
        let is_generated = |slot: &&Value| {
            let path = slot["url"].as_str().unwrap().trim_start_matches("http://a.example/");
            path.parse::<u32>().unwrap() < 4
        };
        assert!(slots.iter().filter(is_generated).all(|slot| slot["survival"] == 0.0), "{name}");
        let screen = printed(at, &["schedule", name]);
        assert!(screen.contains("4 pages change too fast to be captured consistently"), "{screen}");
        assert!(!screen.contains("last order over 99%"), "{screen}");
        // No order helps, and that is said.
        assert_eq!(
            found["no_action"],
            "Nothing that helps is known: all 4 pages that changed are probably generated for each request, so no order of \
             crawling helps."
        );
        assert!(printed(at, &["audit", name]).contains(found["no_action"].as_str().unwrap()));
    }
}

#[test]
fn no_share_is_promised_where_the_last_crawl_refutes_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let links: String = (0..16).map(|page| format!("<a href=/{page}>{page}</a>")).collect();
    let home = "<a href=/>home</a>";
    let records: Vec<Record> = (0..32)
        .map(|place| {
            let (pass, path) = (place / 16, place % 16);
            let time = format!("09:{place:02}:00");
            match path {
                0 => page(place + 1, "a.example/", &time, &format!("<p>Words {pass}.</p>{links}")),
                path => page(place + 1, &format!("a.example/{path}"), &time, home),
            }
        })
        .collect();
    write(at, "a.warc", &records);
    let found = audit(at, &["a.warc"]);
    // The home page holds much of the importance and changed: its order kept far less than rates say.
    let plan = &found["sites"][0]["reschedule"];
    assert_eq!((&plan["is_shown"], &plan["no_quicker"]), (&Value::from(false), &Value::from(true)));
    assert!(plan["last_crawl"].is_null() && plan["plan"][0]["chance"].is_null(), "{plan:#}");
    assert!(plan["text"].as_str().unwrap().contains("no share is promised"), "{plan:#}");
    assert_eq!(
        text(&found, "plan-crawl"),
        "Crawl in the planned order: / is then captured twice within 1 min, not 16 min."
    );
    let screen = printed(at, &["schedule", "a.warc"]);
    assert!(screen.contains("Less stayed the same in the last crawl than change rates say"), "{screen}");
    assert!(!screen.contains('%'), "{screen}");
}

#[test]
fn links_that_lead_to_other_sites_are_said_to_do_so() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = (0..5).map(|n| format!("<a href=/go{n}>{n}</a>")).collect();
    let mut records = vec![page(1, "a.example/", "08:00:00", &links)];
    records.extend((0..5).map(|n| {
        let status = format!("302 Found\r\nLocation: http://b.example/{n}");
        response(2 + n, &format!("a.example/go{n}"), "08:00:01", &status, "text/html")
    }));
    write(folder.path(), "a.warc", &records);
    let found = audit(folder.path(), &["a.warc", "--site", "a.example"]);
    assert_eq!(found["sites"][0]["completeness"]["links"]["away"], 5);
    let said = sentence(&found, "complete");
    assert!(said.starts_with("All 5 links within this site lead to other sites."), "{said}");
    records[0] = page(1, "a.example/", "08:00:00", &format!("{links}<img src=/i.png>"));
    records.push(image(9, "a.example/i.png", "08:00:02"));
    write(folder.path(), "a.warc", &records);
    let found = audit(folder.path(), &["a.warc", "--site", "a.example"]);
    let said = sentence(&found, "complete");
    assert!(
        !said.contains("No page links") && said.contains("lead to other sites, so nothing shows"),
        "{said}"
    );
}

#[test]
fn the_screen_of_many_sites_folds_to_thirty_lines() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for number in 0..12 {
        let site = format!("site{number}.example");
        let mut records = illustrated(&[&site], number % 5, number % 2 == 0);
        if number % 3 == 0 {
            records.push(page(50, &format!("{site}/"), "09:00:00", "<p>Other words.</p>"));
            records.push(page(51, &format!("{site}/b"), "09:00:01", "<p>b</p>"));
            records.push(page(52, &format!("{site}/b"), "10:00:01", "<p>other</p>"));
        }
        if number % 4 == 1 {
            let links: String = (0..30).map(|n| format!("<a href=/{n}.html>{n}</a>")).collect();
            records.push(page(60, &format!("{site}/map"), "09:00:02", &links));
        }
        write(at, &format!("{number}.warc"), &records);
    }
    let lines = |arguments: &[&str]| {
        let output = run(at, arguments);
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert!(lines(&["audit", "."]) <= 30, "{}", lines(&["audit", "."]));
    let whole = printed(at, &["audit", ".", "--details"]);
    for action in audit(at, &["."])["actions"].as_array().unwrap() {
        assert!(whole.contains(action["text"].as_str().unwrap()), "{action}");
    }
}
