//! What a report tells is so: its counts are those of the archive, what it calls done was done, and what it suggests can be run.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::demo::demo;
use crate::support::pack::members;
use crate::support::program::{audit, printed, run};
use crate::support::record::Record;

fn record(number: u32, url: &str, time: &str, body: &str) -> Vec<u8> {
    let body = format!("<html><head><title>T</title></head><body>{body}</body></html>");
    Record::page(number, &format!("http://{url}"), &format!("2024-05-06T{time}Z"), &body).bytes()
}

/// A time of so many seconds after ten.
fn clock(second: u32) -> String {
    format!("{:02}:{:02}:{:02}", 10 + second / 3600, second / 60 % 60, second % 60)
}

fn sentence<'a>(audit: &'a Value, question: &str) -> &'a str {
    audit["answers"][question]["sentence"].as_str().unwrap()
}

fn action<'a>(audit: &'a Value, kind: &str) -> &'a Value {
    let actions = audit["actions"].as_array().unwrap();
    let found = actions.iter().find(|action| action["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind}: {:#}", audit["actions"]))
}

/// Runs a command in a shell, with the program that is tested.
fn run_in_shell(folder: &Path, command: &str) {
    let program = env!("CARGO_BIN_EXE_acuity");
    let script = command.replace("acuity ", &format!("{program} "));
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A home page and `pages` others, captured at each of these seconds, a page every `step` of them; `body` gives what a page
/// showed in a pass.
fn passes(site: &str, pages: u32, starts: &[u32], step: u32, body: impl Fn(u32, usize) -> String) -> Vec<u8> {
    let links: String = (0..pages).map(|page| format!("<a href=\"/{page}\">{page}</a> ")).collect();
    let mut records = Vec::new();
    for (pass, start) in starts.iter().enumerate() {
        let number = 1000 * pass as u32;
        records.extend(record(number, &format!("{site}/"), &clock(*start), &links));
        for page in 0..pages {
            let at = clock(start + step * (page + 1));
            let text = format!("<p>{}</p><a href=\"/\">home</a>", body(page, pass));
            records.extend(record(number + 1 + page, &format!("{site}/{page}"), &at, &text));
        }
    }
    records
}

#[test]
fn all_pages_that_changed_are_accounted_for() {
    // Four pages change after the best moment, one before it.
    let changes = |page: u32, pass: usize| match (page, pass) {
        (0..4, 2) | (4, 1..) => format!("page {page}, new"),
        _ => format!("page {page}"),
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc"), passes("a.example", 10, &[0, 600, 1200], 2, changes)).unwrap();
    let found = audit(folder.path(), &["a.warc"]);
    let site = &found["sites"][0];
    assert_eq!((&site["pages"]["changed"], &site["coherence"]["best"]["pages"]), (&5.into(), &10.into()));
    let said = sentence(&found, "consistent");
    assert!(said.starts_with("10 of 11 pages were online together"), "{said}");
    let rest = "The other one changed during the crawl. 4 of the 10 changed before or after.";
    assert!(said.ends_with(rest), "{said}");
    let shown = printed(folder.path(), &["audit", "a.warc", "--details", "--html", "r.html"]);
    assert!(shown.contains(rest) && shown.contains("5 changed between captures"), "{shown}");
    assert!(fs::read_to_string(folder.path().join("r.html")).unwrap().contains(rest));
}

#[test]
fn one_cut_is_one_damaged_place() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Vec<u8>> =
        (0..150).map(|page| record(page, &format!("a.example/{page}"), &clock(page), "words")).collect();
    let mut file = members(&records);
    file.truncate(file.len() - 20);
    fs::write(folder.path().join("a.warc.gz"), file).unwrap();
    let found = audit(folder.path(), &["a.warc.gz"]);
    let errors: u64 = found["summary"]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|kind| kind["level"] == "error")
        .map(|kind| kind["count"].as_u64().unwrap())
        .sum();
    assert_eq!(errors, 2, "{}", found["summary"]["problems"]);
    let said = sentence(&found, "record");
    assert!(said.ends_with("a.warc.gz is damaged in 1 place; the rest was read."), "{said}");
    assert_eq!(found["answers"]["record"]["band"], "mixed", "1 of 149 captures is under 1%");
    let replace = action(&found, "replace-file");
    assert_eq!(replace["count"], 1);
    assert!(!replace["text"].as_str().unwrap().contains("other place"), "{replace}");
    let mut actions = found["actions"].as_array().unwrap().iter();
    assert!(actions.all(|action| action["kind"] != "capture-cut"), "one cause is one action");
    fs::write(folder.path().join("then.json"), found.to_string()).unwrap();
    let again = audit(folder.path(), &["a.warc.gz", "--compare-with", "then.json"]);
    let outcome = &again["comparison"]["actions"][0];
    assert_eq!((&outcome["left"], &outcome["state"]), (&1.into(), &"open".into()), "{outcome}");
}

#[test]
fn the_planned_order_is_done_only_where_the_crawl_shows_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // The last seven pages change fast; in this order they are captured furthest apart.
    let changes = |changing: std::ops::Range<u32>| {
        move |page: u32, pass: usize| match changing.contains(&page) && pass == 1 {
            true => format!("page {page}, new"),
            false => format!("page {page}"),
        }
    };
    fs::write(at.join("old.warc"), passes("a.example", 20, &[0, 150], 3, changes(0..7))).unwrap();
    fs::write(at.join("same.warc"), passes("a.example", 20, &[7200, 7350], 3, changes(0..1))).unwrap();
    let found = audit(at, &["old.warc"]);
    fs::write(at.join("then.json"), found.to_string()).unwrap();
    assert!(action(&found, "plan-crawl")["text"].as_str().unwrap().contains("in the last order"));
    let state = |file: &str| {
        let now = audit(at, &[file, "--compare-with", "then.json"]);
        let outcomes = now["comparison"]["actions"].as_array().unwrap().clone();
        outcomes.into_iter().find(|outcome| outcome["kind"] == "plan-crawl").unwrap()["state"].clone()
    };
    // Fewer pages changed, but the order is the old one.
    assert_eq!(state("same.warc"), "open");
    assert_eq!(state("old.warc"), "open");
    // As planned, even where pages changed.
    let mut records = Vec::new();
    let plan = found["sites"][0]["reschedule"]["plan"].as_array().unwrap();
    for (number, page) in (0..).zip(plan) {
        let url = page["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        for (pass, key) in [(0, "visit_seconds"), (1, "revisit_seconds")] {
            if let Some(second) = page[key].as_f64() {
                let body = if number < 3 { format!("{url} {pass}") } else { url.to_owned() };
                records.extend(record(100 * pass + number, url, &clock(7200 + second as u32), &body));
            }
        }
    }
    fs::write(at.join("planned.warc"), records).unwrap();
    assert_eq!(state("planned.warc"), "done");
    // A crawl that captured every page once shows no second pass.
    let once = passes("a.example", 20, &[7200], 3, changes(0..0));
    fs::write(at.join("once.warc"), once).unwrap();
    assert_eq!(state("once.warc"), "unknown");
}

#[test]
fn importance_is_told_with_its_own_moment() {
    let folder = tempfile::tempdir().unwrap();
    let home: String = (0..8).map(|page| format!("<a href=\"/{page}\">{page}</a>")).collect();
    let mut records = Vec::new();
    for (pass, second) in [0, 900].into_iter().enumerate() {
        records.extend(record(100 * pass as u32, "a.example/", &clock(second), &home));
        for page in 0..4 {
            let (number, url) = (100 * pass as u32 + 1 + page, format!("a.example/{page}"));
            records.extend(record(
                number,
                &url,
                &clock(second + 1 + page),
                &format!("{page} <a href=\"/\">home</a>"),
            ));
        }
    }
    records.extend(record(500, "a.example/", &clock(7200), &format!("{home} new")));
    for (pass, second) in [1800, 3600].into_iter().enumerate() {
        for page in 0..8 {
            let (number, url) = (600 + 100 * pass as u32 + page, format!("a.example/{page}"));
            records.extend(record(
                number,
                &url,
                &clock(second + page),
                &format!("{page} <a href=\"/\">home</a>"),
            ));
        }
    }
    fs::write(folder.path().join("a.warc"), records).unwrap();
    let found = audit(folder.path(), &["a.warc"]);
    let coherence = &found["sites"][0]["coherence"];
    assert_eq!(coherence["best"]["pages"], 8, "{coherence}");
    assert_ne!(coherence["best"]["intervals"][0], coherence["best_by_weight"]["intervals"][0]);
    let shown = printed(folder.path(), &["audit", "a.warc", "--details"]);
    let (_, weighted) = shown.split_once(" weighted ").unwrap();
    let from = coherence["best_by_weight"]["intervals"][0]["from"].as_str().unwrap();
    let time = from.split_once('T').unwrap().1.trim_end_matches('Z').split('.').next().unwrap();
    let row = weighted.split_once(" replay ").unwrap().0;
    assert!(row.contains(time) && row.contains("the best moment by importance"), "{row}");
}

#[test]
fn commands_run_however_many_inputs_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("crawl")).unwrap();
    let mut names = Vec::new();
    for page in 0..30 {
        let name = format!("crawl/part-of-the-crawl-{page:02}.warc");
        fs::write(at.join(&name), record(page, &format!("a.example/{page}"), &clock(page), "words")).unwrap();
        names.push(name);
    }
    let few: Vec<&str> = names.iter().take(6).map(String::as_str).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    for files in [&few, &all] {
        let found = audit(at, files);
        let command = action(&found, "capture-twice")["command"].as_str().unwrap();
        assert!(!command.contains("INPUT") && !command.contains('…'), "{command}");
        run_in_shell(at, command);
    }
    let found = audit(at, &all);
    assert_eq!(action(&found, "capture-twice")["command"], "acuity schedule crawl/*.warc");
    // Another archive beside them: no pattern stands for these alone.
    let first: Vec<&str> = all[..29].iter().copied().filter(|name| !name.contains("13")).collect();
    let found = audit(at, &first);
    let twice = action(&found, "capture-twice");
    assert!(twice["command"].is_null(), "{twice}");
    assert!(
        twice["text"].as_str().unwrap().ends_with("Run acuity schedule with the same 28 inputs."),
        "{twice}"
    );
}

#[test]
fn no_answer_goes_without_an_action_because_another_has_many() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let wrong = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let body = "<html><body>x</body></html>";
    let digest = Record::page(1, "http://d.example/", "2024-01-01T00:00:00Z", body)
        .set("WARC-Payload-Digest", wrong)
        .bytes();
    let other = Record::page(1, "http://d.example/", "2024-01-01T00:00:00Z", "<p>other</p>").bytes();
    let mut cut = record(7, "c.example/", "10:00:00", "cut off");
    cut.truncate(cut.len() - 30);
    for (name, bytes) in [
        ("digest.warc", digest),
        ("other.warc", other),
        ("cut.warc", cut),
        ("stamp.tsr", vec![0x30, 0x03, 0x02, 0x01, 0x00, 0xff, 0xfe]),
        ("m.warc", record(9, "m.example/", "10:00:00", "<img src=\"/1.png\"><img src=\"/2.png\">")),
    ] {
        fs::write(at.join(name), bytes).unwrap();
    }
    let found = audit(at, &["digest.warc", "other.warc", "cut.warc", "stamp.tsr", "m.warc"]);
    let actions = found["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 5, "{actions:#?}");
    let missing = action(&found, "capture-missing");
    assert_eq!(missing["count"], 2);
    assert!(missing["text"].as_str().unwrap().contains("Complete? poor on 1 → 0 sites"), "{missing}");
    let mut commands: Vec<&str> = actions.iter().filter_map(|action| action["command"].as_str()).collect();
    let many = commands.len();
    commands.sort_unstable();
    commands.dedup();
    assert_eq!(commands.len(), many, "no command twice: {commands:?}");
    for action in actions {
        let text = action["text"].as_str().unwrap();
        let has_way = action["command"].is_string() || action["file"].is_string();
        assert!(has_way || text.contains("problems.jsonl"), "{action}");
    }
    let twice = action(&found, "capture-twice")["command"].as_str().unwrap();
    assert!(twice.starts_with("acuity schedule digest.warc"), "{twice}");
}

#[test]
fn originals_that_are_not_here_are_asked_for_with_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html";
    let revisit =
        Record::revisit(1, "http://a.example/", "2024-05-06T10:00:00Z", "identical-payload-digest", head)
            .field("WARC-Payload-Digest", "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
            .bytes();
    let page = record(2, "a.example/b", "10:00:01", "b");
    fs::write(folder.path().join("a.warc"), [revisit, page].concat()).unwrap();
    let add = audit(folder.path(), &["a.warc"]);
    let add = action(&add, "add-originals");
    assert_eq!(
        (&add["command"], &add["file"]),
        (&"acuity audit a.warc OTHER-ARCHIVES".into(), &"a.warc".into())
    );
}

#[test]
fn where_an_answer_can_be_helped_there_is_something_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Nearly all is there, but the home page was never requested.
    let home = "<a href=\"/\">home</a>";
    let mut records = Vec::new();
    for pass in 0..2 {
        for page in 0..30 {
            let next = format!("{home}<a href=\"/{}\">next</a>", (page + 1) % 30);
            records.extend(record(
                100 * pass + page,
                &format!("a.example/{page}"),
                &clock(600 * pass + page),
                &next,
            ));
        }
    }
    fs::write(at.join("good.warc"), records).unwrap();
    let found = audit(at, &["good.warc"]);
    assert_eq!(found["answers"]["complete"]["band"], "good", "{}", sentence(&found, "complete"));
    let missing = action(&found, "capture-missing");
    assert!(missing["text"].as_str().unwrap().starts_with("Add / to the next crawl"), "{missing}");
    assert!(!printed(at, &["audit", "good.warc"]).contains("Nothing to do"));
    // The two captures of the only page differ.
    let two = [record(1, "two.example/", "10:00:00", "one"), record(2, "two.example/", "10:05:00", "two")];
    fs::write(at.join("two.warc"), two.concat()).unwrap();
    let found = audit(at, &["two.warc"]);
    let sooner = action(&found, "capture-sooner");
    assert!(
        sooner["text"].as_str().unwrap().starts_with("Capture the page twice within less than"),
        "{sooner}"
    );
    run_in_shell(at, sooner["command"].as_str().unwrap());
    // The passes lie an hour apart: another order would not help, another pace would, and nothing shows by how much.
    let changes = |page: u32, pass: usize| format!("page {page}, {}", if page > 0 { pass } else { 0 });
    fs::write(at.join("slow.warc"), passes("s.example", 11, &[0, 3600], 2, changes)).unwrap();
    let found = audit(at, &["slow.warc"]);
    assert_eq!(found["answers"]["consistent"]["band"], "poor");
    let sooner = action(&found, "capture-sooner");
    let expected = "Capture each page twice within less time: 10 of 12 pages changed between captures.";
    assert_eq!(sooner["text"], expected);
    run_in_shell(at, sooner["command"].as_str().unwrap());
    fs::write(at.join("then.json"), found.to_string()).unwrap();
    fs::write(at.join("quick.warc"), passes("s.example", 11, &[9000, 9024], 2, changes)).unwrap();
    let state = |file: &str| {
        let now = audit(at, &[file, "--compare-with", "then.json"]);
        let outcomes = now["comparison"]["actions"].as_array().unwrap().clone();
        outcomes.into_iter().find(|outcome| outcome["kind"] == "capture-sooner").unwrap()["state"].clone()
    };
    assert_eq!((state("slow.warc"), state("quick.warc")), ("open".into(), "done".into()));
}

#[test]
fn an_answer_then_and_now_is_compared_by_the_same_measure() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let images = "<img src=\"/1.png\"><img src=\"/2.png\"><a href=\"/b\">b</a>";
    let image = |number: u32, name: &str| {
        let head = "HTTP/1.1 200 OK\nContent-Type: image/png";
        Record::response(number, &format!("http://a.example/{name}"), "2024-05-06T11:00:00Z", head, b"png")
            .bytes()
    };
    let pages = |start: u32| {
        [
            record(start, "a.example/", &clock(start), images),
            record(start + 1, "a.example/b", &clock(start + 1), "b"),
        ]
        .concat()
    };
    fs::write(at.join("then.warc"), [pages(0), image(50, "1.png")].concat()).unwrap();
    fs::write(at.join("now.warc"), [pages(3600), image(60, "1.png"), image(61, "2.png")].concat()).unwrap();
    fs::write(at.join("then.json"), audit(at, &["then.warc"]).to_string()).unwrap();
    let now = audit(at, &["now.warc", "--compare-with", "then.json"]);
    let changes = now["comparison"]["answers"].as_array().unwrap();
    let complete = changes.iter().find(|change| change["question"] == "complete").unwrap();
    assert_eq!(
        (&complete["measure"], &complete["before_share"], &complete["after_share"]),
        (&"embeds".into(), &0.5.into(), &1.0.into())
    );
    let said = now["comparison"]["said"].to_string();
    assert!(said.contains("Complete: poor → good (embeds 50% → 100%)"), "{said}");
    // The cards of the page say what the terminal says.
    run(at, &["audit", "now.warc", "--compare-with", "then.json", "--html", "r.html"]);
    assert!(
        fs::read_to_string(at.join("r.html")).unwrap().contains("<span class=\"was faint\">was poor</span>")
    );
}

#[test]
fn what_people_said_is_shown_on_the_terminal() {
    let folder = demo();
    fs::write(
        folder.path().join("review.csv"),
        "url,rating,note,by,date\n/news/,poor,banner missing,Ada,2024-03-05\n",
    )
    .unwrap();
    let files = ["audit", "visit.warc.gz", "revisit.warc.gz", "--review", "review.csv"];
    let said = "poor, \"banner missing\", by Ada, 2024-03-05";
    let details = printed(folder.path(), &[&files[..], &["--details"]].concat());
    assert!(details.contains(&format!("Reviewed by people - /news/: {said}")), "{details}");
    let story = printed(folder.path(), &[&files[..], &["--explain", "/news/"]].concat());
    assert!(story.contains(&format!("Reviewed: {said}.")), "{story}");
}

#[test]
fn what_is_missing_is_explained_by_the_path_that_reports_print() {
    let folder = demo();
    let files = ["audit", "visit.warc.gz", "revisit.warc.gz"];
    let found = audit(folder.path(), &files[1..]);
    let missing = found["sites"][0]["missing"].as_array().unwrap();
    assert!(missing.len() > 2);
    for entry in missing {
        let path = entry["url"].as_str().unwrap().strip_prefix("http://library.example").unwrap();
        let told = printed(folder.path(), &[&files[..], &["--explain", path]].concat());
        let why =
            if entry["fate"] == "untried" { "no sign that it was ever requested" } else { "Not captured: " };
        assert!(told.contains(why), "{told}");
        assert!(
            told.contains("captured page") && (told.contains("link") || told.contains("embed")),
            "{told}"
        );
    }
    run(folder.path(), &[&files[..], &["-q", "--json=a.json"]].concat());
    let path = missing[0]["url"].as_str().unwrap();
    assert!(printed(folder.path(), &["report", "a.json", "--explain", path]).contains("Not captured: "));
    let wrong = run(folder.path(), &[&files[..], &["--explain", "/nwes/"]].concat());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean /news/?"));
}

#[test]
fn details_of_a_collection_count_as_its_first_screen_does() {
    let folder = demo();
    fs::write(folder.path().join("o.warc"), record(1, "o.example/", "10:00:00", "once")).unwrap();
    let files = ["visit.warc.gz", "revisit.warc.gz", "o.warc"];
    let found = audit(folder.path(), &files);
    let verdict = found["summary"]["verdict"].as_str().unwrap();
    assert!(
        verdict.starts_with("Of 2 sites, 1 is consistent in part and 1 cannot be judged. Of 27 pages, "),
        "{verdict}"
    );
    assert_eq!(
        (&found["summary"]["pages"], &found["answers"]["consistent"]["sites"]["mixed"]),
        (&27.into(), &1.into())
    );
    assert!(verdict.ends_with("; 1 looks like an error page and is not judged."), "{verdict}");
    let shown = printed(folder.path(), &["audit", files[0], files[1], "--details"]);
    assert!(
        shown.contains("25 captured, 0 failed, 1 error page, 1 already gone, 1 never requested"),
        "{shown}"
    );
}

#[test]
fn a_rate_that_is_assumed_is_no_figure() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc"), passes("a.example", 3, &[0], 2, |page, _| page.to_string()))
        .unwrap();
    let found = audit(folder.path(), &["a.warc"]);
    assert_eq!(found["sites"][0]["page_list"][0]["rate"]["source"], "assumed");
    run(folder.path(), &["audit", "a.warc", "-q", "--html", "r.html"]);
    let html = fs::read_to_string(folder.path().join("r.html")).unwrap();
    let row = html.split("<tbody>").find(|part| part.contains("class=\"state single\"")).unwrap();
    let row = row.split("</tr>").next().unwrap();
    assert_eq!(row.matches("<td class=\"number\">–</td>").count(), 3, "{row}");
}

#[test]
fn sentences_read_well_for_one_and_none() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.warc"), record(1, "a.example/", "10:00:00", "<img src=\"/1.png\">")).unwrap();
    let found = audit(at, &["a.warc"]);
    let said = sentence(&found, "complete");
    assert!(said.starts_with("The embed was not captured, so the page will not look as it did."), "{said}");
    fs::write(at.join("seeds.txt"), "http://a.example/\nhttp://a.example/b\n").unwrap();
    let found = audit(at, &["a.warc", "--seeds", "seeds.txt"]);
    let text = action(&found, "capture-seeds")["text"].as_str().unwrap();
    assert_eq!(text, "Capture 1 seed that was not reached: seeds 1 → 2 of 2, if online; --details names it.");
    // A Last-Modified between the first capture of the site and that of the page lies before the page's first capture.
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html\nLast-Modified: Mon, 06 May 2024 10:05:00 GMT";
    let page = |number: u32, time: &str| {
        let date = format!("2024-05-06T{time}Z");
        Record::response(number, "http://b.example/b", &date, head, b"<html><body>b</body></html>").bytes()
    };
    let records = [record(1, "b.example/", "10:00:00", "x"), page(2, "10:10:00"), page(3, "10:20:00")];
    fs::write(at.join("b.warc"), records.concat()).unwrap();
    let found = audit(at, &["b.warc"]);
    let pages = found["sites"][0]["page_list"].as_array().unwrap();
    let reason =
        pages.iter().find(|page| page["url"] == "http://b.example/b").unwrap()["reason"].as_str().unwrap();
    assert!(reason.contains("10:05:00, before its first capture"), "{reason}");
}

/// Captures of a page that a cache sent, at these times and so many seconds after it was made.
fn cached(captures: &[(&str, u32)]) -> Vec<u8> {
    let record = |(place, (time, age)): (usize, &(&str, u32))| {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: text/html\nAge: {age}");
        let date = format!("2024-05-06T{time}Z");
        let body = b"<html><body>the same</body></html>";
        Record::response(place as u32, "http://a.example/", &date, &head, body).bytes()
    };
    captures.iter().enumerate().flat_map(record).collect()
}

#[test]
fn what_a_cache_sent_is_told_and_never_called_different() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // One response, sent twice.
    fs::write(at.join("a.warc"), cached(&[("10:00:00", 10), ("10:00:20", 30)])).unwrap();
    let found = audit(at, &["a.warc"]);
    assert_eq!(
        (&found["sites"][0]["pages"]["sharp"], &found["sites"][0]["coherence"]["provable"]),
        (&1.into(), &false.into())
    );
    let said = sentence(&found, "consistent");
    assert!(
        said.starts_with("The page was the same each time, but for no stretch of time is that proven."),
        "{said}"
    );
    let why = found["sites"][0]["answers"]["why"].as_str().unwrap();
    assert!(why.starts_with("The page was the same each time, but no time is proven;"), "{why}");
    // Two responses that by their Age were made the day before: only the server says so.
    fs::write(at.join("a.warc"), cached(&[("10:00:00", 40_000), ("10:10:00", 40_000)])).unwrap();
    let said = audit(at, &["a.warc"]);
    let said = sentence(&said, "consistent");
    assert!(said.contains("for no stretch of time is that proven"), "{said}");
    // An Age that ends behind the first capture leaves the time between.
    fs::write(at.join("a.warc"), cached(&[("10:00:00", 0), ("10:10:00", 120)])).unwrap();
    let said = audit(at, &["a.warc"]);
    let said = sentence(&said, "consistent");
    assert!(said.contains("10:00:01 to 10:07:59"), "{said}");
}

#[test]
fn a_site_that_can_be_judged_now_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let page = |number: u32, site: &str, time: &str| record(number, &format!("{site}.example/"), time, "x");
    let once: Vec<u8> = ["a", "b"].iter().flat_map(|site| page(1, site, "10:00:00")).collect();
    let twice: Vec<u8> = ["a", "b"].iter().flat_map(|site| page(2, site, "11:00:00")).collect();
    fs::write(at.join("then.warc"), once).unwrap();
    fs::write(at.join("now.warc"), twice).unwrap();
    fs::write(at.join("then.json"), audit(at, &["then.warc"]).to_string()).unwrap();
    let found = audit(at, &["then.warc", "now.warc", "--compare-with", "then.json"]);
    let said = found["comparison"]["said"].as_array().unwrap();
    let told = said.iter().any(|line| {
        line["topic"] == "Judged" && line["text"] == "2 sites could not be judged before and can now."
    });
    assert!(told, "{said:#?}");
}

#[test]
fn of_an_index_in_which_every_page_differs_it_is_told_that_it_leaves_unchanged_captures_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = |page: &str, day: u32, digest: char| {
        let digest: String = std::iter::repeat_n(digest, 32).collect();
        format!(
            "http://a.example/{page} 202403{day:02}080000 http://a.example/{page} text/html 200 {digest} - - 100 a.warc.gz <urn:uuid:{page}{day}>\n"
        )
    };
    let index = |last: char| {
        let lines = [line("a", 1, 'A'), line("a", 2, 'B'), line("b", 1, 'C'), line("b", 2, last)];
        format!(" CDX a b a m s k r M V g u\n{}{}", lines.concat(), line("c", 1, 'E'))
    };
    fs::write(at.join("a.cdx"), index('D')).unwrap();
    let found = audit(at, &["a.cdx"]);
    assert_eq!(found["answers"]["consistent"]["band"], "cannot tell");
    let said = sentence(&found, "consistent");
    assert!(
        said.contains("Every page captured twice differs. This index probably leaves unchanged"),
        "{said}"
    );
    assert!(printed(at, &["audit", "a.cdx", "-q"]).contains("leaves unchanged captures out"));
    // One that lists an unchanged page does not leave them out.
    fs::write(at.join("a.cdx"), index('C')).unwrap();
    assert!(!sentence(&audit(at, &["a.cdx"]), "consistent").contains("leaves unchanged captures out"));
}
