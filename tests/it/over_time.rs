//! Audits beside earlier ones, reviews of people, links to replay, and what was captured: through the program.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::program::run;
use crate::support::record::Record;

const HOME: &str = "http://a.example/";

/// Pages of one pass: path, time, body.
fn pass(pages: &[(&str, &str, &str)], first: u32) -> Vec<u8> {
    let record = |(number, (path, time, body)): (u32, &(&str, &str, &str))| {
        let body = format!("<html><body><p>{body}</p></body></html>");
        Record::page(number, &format!("http://a.example{path}"), &format!("2024-01-{time}Z"), &body).bytes()
    };
    (first..).zip(pages).flat_map(record).collect()
}

fn linked(body: &str) -> String {
    format!("{body} <a href=\"/b\">b</a> <a href=\"/c\">c</a>")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Two crawls of a small site: in the first the home page changed and /c was never requested; the second mends both, and lacks /d.
fn two_crawls() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (linked("one"), linked("two"));
    let first = [
        ("/", "01T00:00:00", old.as_str()),
        ("/b", "01T00:00:01", "b"),
        ("/d", "01T00:00:02", "d"),
        ("/", "01T01:00:00", new.as_str()),
        ("/b", "01T01:00:01", "b"),
        ("/d", "01T01:00:02", "d"),
    ];
    let second = [
        ("/", "09T00:00:00", new.as_str()),
        ("/b", "09T00:00:01", "b"),
        ("/c", "09T00:00:02", "c"),
        ("/", "09T01:00:00", new.as_str()),
        ("/b", "09T01:00:01", "b"),
        ("/c", "09T01:00:02", "c"),
    ];
    fs::write(folder.path().join("1.warc"), pass(&first, 1)).unwrap();
    fs::write(folder.path().join("2.warc"), pass(&second, 50)).unwrap();
    folder
}

#[test]
fn an_audit_says_what_changed_since_an_earlier_one_and_which_actions_were_done() {
    let folder = two_crawls();
    let at = folder.path();
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    let text = stdout(&run(at, &["audit", "2.warc", "--compare-with", "last.json"]));
    assert!(text.contains("Since last.json (2024-01-01"), "{text}");
    assert!(text.contains("Fixed    1 page that changed last time is unchanged now: /."), "{text}");
    assert!(text.contains("1 file is no longer missing: /c."), "{text}");
    assert!(text.contains("1 page was captured last time and is not here: /d."), "{text}");
    assert!(text.contains("New      1 page was not there last time: /c."), "{text}");
    stdout(&run(at, &["audit", "2.warc", "-q", "--json=this.json", "--compare-with", "last.json"]));
    let this = json(&at.join("this.json"));
    let outcomes = this["comparison"]["actions"].as_array().unwrap();
    assert_eq!(outcomes.len(), json(&at.join("last.json"))["actions"].as_array().unwrap().len());
    let missing = outcomes.iter().find(|outcome| outcome["kind"] == "capture-missing").unwrap();
    assert_eq!((&missing["state"], &missing["left"]), (&Value::from("done"), &Value::from(0)));
    // What a report says of two files is what the audit said.
    stdout(&run(at, &["audit", "2.warc", "-q", "--json=plain.json"]));
    stdout(&run(at, &["report", "last.json", "plain.json", "--json=again.json", "--html", "change.html"]));
    assert_eq!(json(&at.join("again.json"))["comparison"], this["comparison"]);
    let html = fs::read_to_string(at.join("change.html")).unwrap();
    assert!(html.contains("id=\"since\"") && html.contains("What became of the actions"));
    stdout(&run(at, &["report", "this.json", "--csv", "tables"]));
    let said = fs::read_to_string(at.join("tables/since.csv")).unwrap();
    assert!(said.starts_with("topic,text\n") && said.contains("is no longer missing"), "{said}");
}

#[test]
fn the_same_captures_compared_with_themselves_are_the_same() {
    let folder = two_crawls();
    let at = folder.path();
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    let text = stdout(&run(at, &["audit", "1.warc", "--compare-with", "last.json"]));
    assert!(text.contains("Same     The answers, pages and missing files are the same."), "{text}");
    assert!(text.contains("Both audits seem to be of the same captures."), "{text}");
    let text = stdout(&run(at, &["audit", "1.warc", "--compare", "text", "--compare-with", "last.json"]));
    assert!(text.contains("made with different settings (compare)"), "{text}");
    let wrong = run(at, &["audit", "1.warc", "--compare-with", "1.warc"]);
    assert_eq!(wrong.status.code(), Some(3), "{}", String::from_utf8_lossy(&wrong.stderr));
}

/// What became of an action, and the sentences of a comparison but for its notes.
fn outcome(file: &Path, kind: &str) -> (Value, String) {
    let comparison = &json(file)["comparison"];
    let outcomes = comparison["actions"].as_array().unwrap();
    let found = outcomes.iter().find(|outcome| outcome["kind"] == kind).unwrap_or(&Value::Null);
    let said = comparison["said"].as_array().unwrap().iter().filter(|said| said["topic"] != "Note");
    let said = said.map(|said| format!("{}: {}", said["topic"], said["text"])).collect::<Vec<_>>().join("\n");
    (found["state"].clone(), said)
}

/// A site of which a page failed, and most of whose weight is on a page that changed.
fn failing(at: &Path) {
    let linked = |body: &str| format!("{body} <a href=/b>b</a> <a href=/c>c</a> <a href=/f>f</a>");
    let home = "<a href=/>home</a>";
    let (one, two) = (linked("one"), linked("two"));
    let pages = [
        ("/", "01T00:00:00", one.as_str()),
        ("/b", "01T00:00:01", home),
        ("/c", "01T00:00:02", home),
        ("/d", "01T00:00:03", home),
        ("/", "01T01:00:00", two.as_str()),
        ("/b", "01T01:00:01", home),
        ("/c", "01T01:00:02", home),
        ("/d", "01T01:00:03", home),
    ];
    let mut bytes = pass(&pages, 1);
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/html";
    bytes.extend(Record::response(40, "http://a.example/f", "2024-01-01T01:00:04Z", head, b"busy").bytes());
    fs::write(at.join("1.warc"), bytes).unwrap();
}

#[test]
fn an_audit_that_cannot_see_what_is_left_calls_no_action_done() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    failing(at);
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    fs::write(at.join("1.jsonl"), stdout(&run(at, &["index", "1.warc", "-q"]))).unwrap();
    for again in [&["1.warc", "--digests", "declared"][..], &["1.jsonl"], &["1.warc"]] {
        let rest = ["-q", "--compare-with", "last.json", "--json=this.json"];
        stdout(&run(at, &[&["audit"], again, &rest].concat()));
        let (state, said) = outcome(&at.join("this.json"), "request-again");
        assert_eq!(state, if again == ["1.warc"] { "open" } else { "unknown" }, "{again:?}: {said}");
        assert!(said.contains("0 of ") && !said.contains("Better"), "{again:?}: {said}");
    }
    // What weaker evidence shows needed no second capture.
    let folder = two_crawls();
    let at = folder.path();
    let once = Record::page(1, HOME, "2024-01-01T00:00:00Z", "<p>once</p>").bytes();
    fs::write(at.join("1.warc"), once).unwrap();
    stdout(&run(at, &["audit", "1.warc", "-q", "--evidence", "bytes", "--json=last.json"]));
    let rest = ["audit", "2.warc", "-q", "--compare-with", "last.json", "--json=this.json"];
    stdout(&run(at, &rest));
    assert_eq!(outcome(&at.join("this.json"), "capture-twice").0, "unknown");
    stdout(&run(at, &[&rest[..], &["--evidence", "bytes"]].concat()));
    assert_eq!(outcome(&at.join("this.json"), "capture-twice").0, "done");
}

#[test]
fn answers_by_two_measures_are_neither_better_nor_worse() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    failing(at);
    let settings = [
        &["--importance", "uniform"][..],
        &["--canon", "strict"],
        &["--compare", "text"],
        &["--digests", "declared"],
    ];
    let audit = |options: &[&str], more: &[&str]| {
        stdout(&run(at, &[&["audit", "1.warc", "-q"], options, more].concat()));
    };
    for options in settings {
        for (then, now) in [(&[][..], options), (options, &[])] {
            audit(then, &["--json=last.json"]);
            audit(now, &["--compare-with", "last.json", "--json=this.json"]);
            let (_, said) = outcome(&at.join("this.json"), "");
            assert!(!said.contains("Better") && !said.contains("Worse"), "{then:?} {now:?}: {said}");
            assert!(!said.contains("New") && !said.contains("Fixed"), "{then:?} {now:?}: {said}");
        }
    }
    // By importance the site is poor, by number of pages mixed.
    audit(&[], &["--json=last.json"]);
    audit(&["--importance", "uniform"], &["--compare-with", "last.json", "--json=this.json"]);
    let (_, said) = outcome(&at.join("this.json"), "");
    assert!(said.contains("Consistent is mixed and was poor, by another measure."), "{said}");
}

#[test]
fn another_site_is_neither_better_nor_worse_and_nobody_looked_or_decided() {
    let folder = two_crawls();
    let at = folder.path();
    let other = Record::page(90, "http://b.example/", "2023-12-31T23:59:59Z", "<p>other</p>").bytes();
    fs::write(at.join("3.warc"), other).unwrap();
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    stdout(&run(at, &["audit", "3.warc", "-q", "--json=other.json", "--compare-with", "last.json"]));
    let comparison = json(&at.join("other.json"))["comparison"].clone();
    assert_eq!(comparison["answers"], Value::from(Vec::<Value>::new()));
    let said = comparison["said"].as_array().unwrap();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0]["text"].as_str().unwrap().contains("no site in common"), "{said:?}");
    // The home page is unchanged in the second crawl, so that nobody needs to look at it any more.
    stdout(&run(at, &["audit", "2.warc", "-q", "--json=this.json", "--compare-with", "last.json"]));
    let look = |file: &str| {
        let this = json(&at.join(file));
        let outcomes = this["comparison"]["actions"].as_array().unwrap().clone();
        outcomes.into_iter().find(|outcome| outcome["kind"] == "look-at-page").unwrap()["state"].clone()
    };
    assert_eq!(look("this.json"), "not-needed");
    fs::write(at.join("review.csv"), "url,rating,note\n/,good,seen\n").unwrap();
    let flags = [
        "audit",
        "2.warc",
        "-q",
        "--review",
        "review.csv",
        "--compare-with",
        "last.json",
        "--json=seen.json",
    ];
    stdout(&run(at, &flags));
    assert_eq!(look("seen.json"), "done");
}

#[test]
fn reviews_are_proposed_shown_and_carried_over() {
    let folder = two_crawls();
    let at = folder.path();
    stdout(&run(at, &["audit", "1.warc", "-q", "--review", "review.csv"]));
    let table = fs::read_to_string(at.join("review.csv")).unwrap();
    assert!(table.starts_with("url,rating,note,by,date\n") && table.contains(HOME), "{table}");
    let filled = "url,rating,note,by,date\n/,poor,banner <b>missing</b>,Ada,2024-02-01\n/gone,good,,,\n";
    fs::write(at.join("review.csv"), filled).unwrap();
    let flags = ["audit", "1.warc", "--review", "review.csv", "--json=last.json", "--html", "last.html"];
    let text = stdout(&run(at, &flags));
    assert!(
        text.contains("Reviewed by people: 1 page (1 rated poor); 1 review is of a page that is not in"),
        "{text}"
    );
    assert_eq!(fs::read_to_string(at.join("review.csv")).unwrap(), filled, "what people wrote stays");
    let html = fs::read_to_string(at.join("last.html")).unwrap();
    assert!(html.contains("banner &lt;b&gt;missing&lt;/b&gt;") && !html.contains("<b>missing"), "escaped");
    stdout(&run(at, &["audit", "2.warc", "-q", "--compare-with", "last.json", "--json=this.json"]));
    let this = json(&at.join("this.json"));
    let pages = this["sites"][0]["page_list"].as_array().unwrap();
    let home = pages.iter().find(|page| page["url"] == HOME).unwrap();
    assert_eq!(home["review"]["note"], "banner <b>missing</b>");
    assert_eq!(home["review"]["carried_over"], true);
    assert_eq!(this["review"]["carried_over"], 1);
}

#[test]
fn pages_link_to_where_they_can_be_replayed() {
    let folder = two_crawls();
    let at = folder.path();
    let pattern = "http://localhost:8080/all/{timestamp}/{url}";
    stdout(&run(at, &["audit", "1.warc", "-q", "--html", "r.html", "--replay", pattern]));
    let html = fs::read_to_string(at.join("r.html")).unwrap();
    assert!(html.contains("href=\"http://localhost:8080/all/20240101010000/http://a.example/\""));
    let wrong = run(at, &["audit", "1.warc", "--replay", "javascript:{url}"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn what_was_captured_is_counted_and_seeds_are_told() {
    let folder = two_crawls();
    let at = folder.path();
    let other = Record::page(90, "http://b.example/", "2023-12-31T23:59:59Z", "<p>other</p>").bytes();
    fs::write(at.join("3.warc"), other).unwrap();
    fs::write(at.join("seeds.txt"), "# seeds\nhttp://a.example/\nhttp://c.example/\n").unwrap();
    let flags =
        ["audit", "1.warc", "2.warc", "3.warc", "-q", "--json=p.json", "--csv", "t", "--seeds", "seeds.txt"];
    stdout(&run(at, &flags));
    let audit = json(&at.join("p.json"));
    let profile = &audit["profile"];
    assert_eq!(profile["captures"], 13);
    let sum = |list: &str, key: &str| -> u64 {
        profile[list].as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum()
    };
    for list in ["types", "months", "years", "hosts"] {
        assert_eq!(
            (sum(list, "captures"), sum(list, "bytes")),
            (13, profile["bytes"].as_u64().unwrap()),
            "{list}"
        );
    }
    assert_eq!(profile["months"][0]["month"], "2023-12");
    assert_eq!(profile["hosts"][0]["host"], "a.example");
    assert_eq!(profile["seeds"]["reached"], 1);
    assert_eq!(profile["seeds"]["list"][0]["url"], "http://c.example/");
    assert_eq!(fs::read_to_string(at.join("t/profile_types.csv")).unwrap().lines().count(), 2);
    let text = stdout(&run(at, &["audit", "1.warc", "3.warc", "--details"]));
    assert!(text.contains("What was captured") && text.contains("Pages to open"), "{text}");
}

#[test]
fn a_line_of_seeds_that_is_no_url_is_reported_and_no_seed() {
    let folder = two_crawls();
    let at = folder.path();
    fs::write(at.join("seeds.txt"), "http://a.example/\nnot a url\n").unwrap();
    let output = run(at, &["audit", "1.warc", "--json=p.json", "--seeds", "seeds.txt"]);
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = "line 2 is not a URL and is left out: \"not a url\"";
    assert_eq!(warned, format!("1 line of seeds could not be read:\n  seeds.txt: {line}\n"));
    let audit = json(&at.join("p.json"));
    assert_eq!(audit["profile"]["seeds"]["total"], 1);
    assert_eq!(audit["answers"]["record"]["band"], "good", "a slip in a list is no fault of the record");
    let found =
        audit["problems"].as_array().unwrap().iter().find(|found| found["kind"] == "seed-not-url").unwrap();
    assert_eq!(found["message"], line);
    assert_eq!(found["file"], "seeds.txt");
}

#[test]
fn a_row_of_a_collection_names_what_decides() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    failing(at);
    let embeds = "<p>words</p><img src=/1.png><img src=/2.png>";
    fs::write(
        at.join("2.warc"),
        Record::page(90, "http://b.example/", "2024-01-01T00:00:00Z", embeds).bytes(),
    )
    .unwrap();
    stdout(&run(at, &["audit", "1.warc", "2.warc", "-q", "--json=now.json"]));
    let now = json(&at.join("now.json"));
    let why = |site: &str| {
        let site = now["sites"].as_array().unwrap().iter().find(|found| found["site"] == site).unwrap();
        site["answers"]["why"].as_str().unwrap().to_owned()
    };
    let (a, b) = (why("a.example"), why("b.example"));
    assert!(
        a.starts_with("3 of 4 pages were online together, but only ") && a.contains("% by importance"),
        "{a}"
    );
    assert!(b.contains("; none of 2 embeds was captured"), "{b}");
    // Beside an earlier audit in which no page changed, the row has the share that decides.
    let bytes = fs::read(at.join("1.warc")).unwrap();
    let still = String::from_utf8(bytes).unwrap().replace("<p>two", "<p>one");
    fs::write(at.join("1.warc"), still).unwrap();
    stdout(&run(at, &["audit", "1.warc", "2.warc", "-q", "--json=then.json"]));
    stdout(&run(at, &["report", "then.json", "now.json", "--json=both.json"]));
    let both = json(&at.join("both.json"));
    let row = both["comparison"]["sites"][0]["text"].as_str().unwrap();
    assert!(row.starts_with("Consistent good → poor (100% → ") && row.contains("% by importance)"), "{row}");
}

#[test]
fn one_site_limits_the_whole_report() {
    let folder = two_crawls();
    let at = folder.path();
    let other = Record::page(90, "http://b.example/", "2020-05-05T00:00:00Z", "<p>other</p>").bytes();
    fs::write(at.join("3.warc"), &other[..]).unwrap();
    // A damaged file that holds nothing of the site.
    fs::write(at.join("4.warc"), &other[..other.len() - 20]).unwrap();
    let output = run(
        at,
        &["audit", "1.warc", "3.warc", "4.warc", "--site", "a.example", "--json=s.json", "--html", "s.html"],
    );
    assert!(output.stderr.is_empty() || output.status.code().is_some());
    let audit = json(&at.join("s.json"));
    assert_eq!(audit["summary"]["observations"], 6);
    assert_eq!(audit["summary"]["files"], 1);
    assert_eq!(audit["summary"]["window"]["from"], "2024-01-01T00:00:00Z");
    assert_eq!(audit["answers"]["record"]["band"], "good", "{}", audit["answers"]["record"]);
    assert_eq!(audit["profile"]["hosts"].as_array().unwrap().len(), 1);
    let all = run(at, &["audit", "1.warc", "3.warc", "4.warc"]);
    let text = String::from_utf8(all.stdout).unwrap();
    assert!(text.starts_with("2 sites: "), "{text}");
    assert!(text.contains("Worst site ") && text.contains("online together"), "{text}");
}

#[test]
fn a_story_is_found_by_the_path_that_reports_print() {
    let folder = two_crawls();
    let at = folder.path();
    let text = stdout(&run(at, &["audit", "1.warc", "--explain", "/b"]));
    assert!(text.starts_with("http://a.example/b\n"), "{text}");
    stdout(&run(at, &["audit", "1.warc", "-q", "--explain", "/b", "--json=e.json"]));
    let text = stdout(&run(at, &["report", "e.json", "--explain", "/b"]));
    assert!(text.starts_with("http://a.example/b\n"), "{text}");
    let wrong = run(at, &["audit", "1.warc", "--explain", "/bb"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean /b?"));
}

/// A collection of three sites: of `a` a page, of `b` a link, of `c` nothing, or the whole site.
fn collection(at: &Path, name: &str, pages: &[(&str, &str, &str)]) {
    let record = |(number, (url, time, body)): (u32, &(&str, &str, &str))| {
        let body = format!("<html><body><p>{body}</p></body></html>");
        Record::page(number, &format!("http://{url}"), &format!("2024-01-{time}Z"), &body).bytes()
    };
    let bytes: Vec<u8> = (1..).zip(pages).flat_map(record).collect();
    fs::write(at.join(name), bytes).unwrap();
}

#[test]
fn a_collection_says_site_by_site_what_got_better_worse_and_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let first = [
        ("a.example/", "01T00:00:00", "one"),
        ("a.example/", "01T01:00:00", "two"),
        ("b.example/", "01T00:00:00", "same <a href=/x>x</a>"),
        ("b.example/", "01T01:00:00", "same <a href=/x>x</a>"),
        ("c.example/", "01T00:00:00", "c"),
        ("same.example/", "01T00:00:00", "s"),
    ];
    let second = [
        ("a.example/", "09T00:00:00", "two"),
        ("a.example/", "09T01:00:00", "two"),
        ("b.example/", "09T00:00:00", "same <a href=/x>x</a>"),
        ("b.example/", "09T01:00:00", "other <a href=/x>x</a>"),
        ("b.example/x", "09T00:00:00", "x"),
        ("b.example/x", "09T01:00:00", "x"),
        ("d.example/", "09T00:00:00", "d"),
        ("same.example/", "09T00:00:00", "s"),
    ];
    collection(at, "1.warc", &first);
    collection(at, "2.warc", &second);
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    stdout(&run(at, &["audit", "2.warc", "-q", "--json=this.json"]));
    let compared = ["report", "last.json", "this.json", "--json=both.json", "--html", "both.html"];
    stdout(&run(at, &compared));
    let both = json(&at.join("both.json"));
    let sites = both["comparison"]["sites"].as_array().unwrap();
    let told: Vec<(&str, &str)> = sites
        .iter()
        .map(|site| (site["site"].as_str().unwrap(), site["direction"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [("b.example", "worse"), ("c.example", "gone"), ("a.example", "better"), ("d.example", "new")]
    );
    let text = |name: &str| {
        let site = sites.iter().find(|site| site["site"] == name).unwrap();
        site["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text("a.example"), "Consistent poor → good; fixed: 1 page now unchanged.");
    assert!(
        text("b.example").contains("fixed: 1 file no longer missing; worse: 1 page now changed"),
        "{sites:?}"
    );
    assert_eq!(text("c.example"), "There last time and not now.");
    let screen = stdout(&run(at, &["audit", "2.warc", "--compare-with", "last.json"]));
    for site in sites {
        let line = format!("{}  ", site["site"].as_str().unwrap());
        assert!(screen.lines().any(|found| found.starts_with(&line)), "{screen}");
    }
    assert!(!screen.contains("same.example  "), "{screen}");
    let html = fs::read_to_string(at.join("both.html")).unwrap();
    assert!(html.contains("id=\"site-changes\"") && html.contains("1 page now unchanged"));
}

/// A site whose home page links to `pages`, each captured at every one of the times; those below `changing` differ each time.
fn linked_site(at: &Path, name: &str, pages: u32, changing: u32, times: &[&str]) {
    let links: String = (0..pages).map(|page| format!("<a href=/{page}>{page}</a>")).collect();
    let mut records = Vec::new();
    for (pass, time) in (0..).zip(times) {
        let mut write = |number: u32, path: &str, body: &str| {
            let body = format!("<html><body><p>{body}</p></body></html>");
            let date = format!("2024-01-{time}:{:02}Z", number % 60);
            let url = format!("http://a.example/{path}");
            records.extend(Record::page(pass * 1_000 + number, &url, &date, &body).bytes());
        };
        write(1, "", &links);
        for page in 0..pages {
            let version = if page < changing { pass } else { 0 };
            write(page + 2, &page.to_string(), &format!("page {page} version {version}"));
        }
    }
    fs::write(at.join(name), records).unwrap();
}

fn said(audit: &Value) -> Vec<(String, String)> {
    let lines = audit["comparison"]["said"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    lines.map(|line| (text(&line["topic"]), text(&line["text"]))).collect()
}

#[test]
fn what_a_second_crawl_can_judge_for_the_first_time_did_not_get_worse() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    linked_site(at, "1.warc", 20, 6, &["01T08:00"]);
    linked_site(at, "2.warc", 20, 6, &["02T08:00", "02T08:20", "02T08:40"]);
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    for inputs in [&["2.warc"][..], &["1.warc", "2.warc"]] {
        let asked = ["-q", "--json=this.json", "--compare-with", "last.json"];
        stdout(&run(at, &[&["audit"][..], inputs, &asked].concat()));
        let this = json(&at.join("this.json"));
        let found = said(&this);
        assert!(found.iter().all(|(topic, _)| topic != "Worse"), "{found:?}");
        if inputs.len() == 1 {
            let complete = &this["comparison"]["answers"][1];
            assert_eq!(complete["direction"], "unknown", "{complete}");
            assert_eq!(
                (&complete["measure"], &complete["before_share"]),
                (&Value::from("versions"), &Value::Null)
            );
            let judged =
                |start: &str| found.iter().any(|(topic, text)| topic == "Judged" && text.starts_with(start));
            assert!(judged("Complete is mixed and was good: versions can now be judged, and "), "{found:?}");
            assert!(judged("Consistent can now be judged: "), "{found:?}");
        }
        // Another crawl was added only where both are audited together.
        let outcomes = this["comparison"]["actions"].as_array().unwrap();
        let added = outcomes.iter().find(|outcome| outcome["kind"] == "add-crawl").unwrap();
        assert_eq!(added["state"], if inputs.len() == 2 { "done" } else { "not-needed" });
    }
}

#[test]
fn crawls_of_one_site_are_told_apart_and_its_last_ones_compared() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    linked_site(at, "1.warc", 20, 6, &["01T08:00"]);
    linked_site(at, "2.warc", 20, 6, &["02T08:00"]);
    linked_site(at, "3.warc", 20, 2, &["03T08:00"]);
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    let all = ["1.warc", "2.warc", "3.warc", "--crawls", "auto"];
    let text = stdout(&run(at, &[&["audit"][..], &all, &["--compare-with", "last.json"]].concat()));
    assert!(text.contains("pairs of crawls"), "{text}");
    assert!(!text.contains("2 sites") && !text.contains("all sites"), "{text}");
    assert!(
        text.contains("a.example 2024-01-01 08:00:01") && text.contains("a.example 2024-01-02 08:00:01"),
        "{text}"
    );
    assert!(!text.contains("are the same"), "{text}");
    assert!(text.contains("Consistent can now be judged: "), "{text}");
}

/// A home page with links to pages that are captured, refused, gone and, where `asked` is false, never requested.
fn partly_captured(at: &Path, name: &str, day: &str, [fine, refused, gone, new]: [u32; 4], asked: bool) {
    let kinds = [("fine", fine, 200), ("refused", refused, 403), ("gone", gone, 404), ("new", new, 200)];
    let links: String = kinds
        .iter()
        .flat_map(|(kind, many, _)| (0..*many).map(move |page| format!("<a href=/{kind}{page}>{page}</a>")))
        .collect();
    let mut number = 0;
    let mut records = Vec::new();
    for pass in [8, 9] {
        let mut write = |path: &str, status: u32, body: &str| {
            number += 1;
            let body = format!("<html><body><p>{body}</p></body></html>");
            let head =
                format!("HTTP/1.1 {status} X\r\nContent-Type: text/html\r\nContent-Length: {}", body.len());
            let date = format!("2024-01-{day}T{pass:02}:00:{:02}Z", number % 60);
            let url = format!("http://a.example/{path}");
            records.extend(Record::response(number, &url, &date, &head, body.as_bytes()).bytes());
        };
        write("", 200, &links);
        for (kind, many, status) in kinds.iter().filter(|(kind, ..)| *kind != "new" || asked) {
            for page in 0..*many {
                write(&format!("{kind}{page}"), *status, &format!("{kind} number {page}"));
            }
        }
    }
    fs::write(at.join(name), records).unwrap();
}

#[test]
fn links_are_compared_by_one_measure_and_what_nobody_gave_was_not_done() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Poor by what was requested, then by all: 5 of 24 links are captured then, 12 of 24 now.
    let counts = [5, 4, 8, 7];
    partly_captured(at, "1.warc", "01", counts, false);
    partly_captured(at, "2.warc", "09", counts, true);
    let text = stdout(&run(at, &["audit", "1.warc"]));
    assert!(
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains("Of 9 that were requested and not gone, only 5 were captured."),
        "{text}"
    );
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=last.json"]));
    stdout(&run(at, &["audit", "2.warc", "-q", "--json=this.json", "--compare-with", "last.json"]));
    let this = json(&at.join("this.json"));
    let complete = &this["comparison"]["answers"][1];
    assert_eq!(
        complete["before_share"],
        json(&at.join("last.json"))["sites"][0]["completeness"]["links"]["plain_share"]
    );
    assert_eq!(complete["after_share"], this["sites"][0]["completeness"]["links"]["plain_share"]);
    assert!(said(&this).iter().all(|(topic, _)| topic != "Worse"), "{:?}", said(&this));
    // A log that was asked for and not given is no longer needed where all links are captured.
    let counts = [5, 1, 0, 20];
    partly_captured(at, "3.warc", "01", counts, false);
    partly_captured(at, "4.warc", "09", counts, true);
    stdout(&run(at, &["audit", "3.warc", "-q", "--json=last.json"]));
    stdout(&run(at, &["audit", "4.warc", "-q", "--json=this.json", "--compare-with", "last.json"]));
    let this = json(&at.join("this.json"));
    let outcomes = this["comparison"]["actions"].as_array().unwrap();
    let log = outcomes.iter().find(|outcome| outcome["kind"] == "add-logs").unwrap();
    assert_eq!(log["state"], "not-needed", "{log}");
}

#[test]
fn each_row_names_the_measure_that_decides() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let embeds: String = (0..20).map(|number| format!("<img src=/{number}.png>")).collect();
    let captures = |host: &str, body: &str, first: u32| {
        let page = |number: u32, time: &str| {
            let body = format!("<html><body><p>Words.</p>{body}</body></html>");
            Record::page(number, &format!("http://{host}/"), time, &body).bytes()
        };
        [page(first, "2024-01-01T00:00:00Z"), page(first + 1, "2024-01-01T01:00:00Z")].concat()
    };
    let image = |number: u32| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png";
        Record::response(
            100 + number,
            &format!("http://a.example/{number}.png"),
            "2024-01-01T00:00:09Z",
            head,
            b"x",
        )
        .bytes()
    };
    let images: Vec<u8> = (0..4).flat_map(image).collect();
    fs::write(at.join("1.warc"), [captures("a.example", "", 1), captures("b.example", "", 3)].concat())
        .unwrap();
    fs::write(
        at.join("2.warc"),
        [captures("a.example", &embeds, 1), images, captures("b.example", "", 3)].concat(),
    )
    .unwrap();
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=1.json"]));
    stdout(&run(at, &["audit", "2.warc", "-q", "--json=2.json"]));
    let text = |old: &str, new: &str| {
        stdout(&run(at, &["report", old, new, "--json=both.json"]));
        let sites = json(&at.join("both.json"))["comparison"]["sites"].as_array().unwrap().clone();
        let site = sites.into_iter().find(|site| site["site"] == "a.example").unwrap();
        site["text"].as_str().unwrap().to_owned()
    };
    let said = text("1.json", "2.json");
    assert!(said.starts_with("Complete cannot tell → poor (embeds 20% now)"), "{said}");
    let said = text("2.json", "1.json");
    assert!(said.starts_with("Complete poor → cannot tell (embeds 20% then)"), "{said}");
}

#[test]
fn an_answer_about_other_pages_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let twice = |pages: &[(&str, [&str; 2])]| {
        let of = |hour: usize| {
            let record = move |(number, (path, bodies)): (usize, &(&str, [&str; 2]))| {
                let words =
                    format!("The harbour of {path} has boats, nets and gulls, and {} lamps.", bodies[hour]);
                let body =
                    format!("<html><head><title>{path}</title></head><body><p>{words}</p></body></html>");
                let date = format!("2024-01-01T{hour:02}:00:{number:02}Z");
                let id = (100 * hour + number) as u32 + 1;
                Record::page(id, &format!("http://a.example{path}"), &date, &body).bytes()
            };
            pages.iter().enumerate().flat_map(record).collect::<Vec<u8>>()
        };
        [of(0), of(1)].concat()
    };
    let changing = [("/", ["one", "two"])];
    let still: Vec<(&str, [&str; 2])> =
        ["/b", "/c", "/d", "/e", "/f"].into_iter().map(|path| (path, ["same", "same"])).collect();
    fs::write(at.join("1.warc"), twice(&[&changing[..], &still].concat())).unwrap();
    fs::write(at.join("2.warc"), twice(&[&changing[..], &still[..1]].concat())).unwrap();
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=1.json"]));
    let text = stdout(&run(at, &["audit", "2.warc", "--compare-with", "1.json"]));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Consistent: mixed → poor"), "{text}");
    assert!(text.contains("This is about other pages than last time: 4 are not here now."), "{text}");
}

#[test]
fn a_page_that_no_longer_changes_needs_no_look() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    failing(at);
    stdout(&run(at, &["audit", "1.warc", "-q", "--json=1.json"]));
    let home = "<a href=/>home</a>";
    let linked = linked("two");
    let pages: Vec<(&str, &str, &str)> = [("09T00:00:00", "09T00:00:01"), ("09T01:00:00", "09T01:00:01")]
        .into_iter()
        .flat_map(|(first, second)| [("/", first, linked.as_str()), ("/b", second, home)])
        .collect();
    fs::write(at.join("2.warc"), pass(&pages, 1)).unwrap();
    stdout(&run(at, &["audit", "2.warc", "-q", "--compare-with", "1.json", "--json=2.json"]));
    let (state, said) = outcome(&at.join("2.json"), "look-at-page");
    assert_eq!(state, "not-needed", "{said}");
    stdout(&run(at, &["audit", "1.warc", "-q", "--compare-with", "1.json", "--json=2.json"]));
    assert_eq!(outcome(&at.join("2.json"), "look-at-page").0, "open");
}
