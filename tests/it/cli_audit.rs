//! `acuity audit` and `acuity report` as users meet them: whole outputs, exit codes, widths.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::bless::settle;
use crate::support::demo::demo;
use crate::support::record::Record;
use acuity::internals::report::layout::width;
use proptest::prelude::*;

/// Runs the program in a folder, without colours or columns from outside.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// An archive of pages: URL, time and body.
fn archive(pages: &[(&str, &str, &str)]) -> Vec<u8> {
    let record = |(number, (url, time, body)): (usize, &(&str, &str, &str))| {
        Record::page(number as u32 + 1, url, time, body).bytes()
    };
    pages.iter().enumerate().flat_map(record).collect()
}

/// Compares a whole output with the committed one.
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if let Some(fault) = settle(&path, text.as_bytes()) {
        panic!("{fault}\n{text}");
    }
}

/// A text without the codes of colours.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = code.split_once('m').map_or("", |(_, behind)| behind);
    }
    plain + rest
}

#[test]
fn two_visits_make_a_report_that_fits_80_columns() {
    let folder = demo();
    for (name, arguments) in [
        ("first-screen.txt", &["audit", "visit.warc.gz", "revisit.warc.gz"][..]),
        (
            "two-visits.txt",
            &["audit", "--visit", "visit.warc.gz", "--revisit", "revisit.warc.gz", "--details"],
        ),
        ("one-visit.txt", &["audit", "visit.warc.gz", "--details"]),
        (
            "explain.txt",
            &[
                "audit",
                "visit.warc.gz",
                "revisit.warc.gz",
                "--explain",
                "http://library.example/events/story-hour.html",
            ],
        ),
        ("explain-once.txt", &["audit", "visit.warc.gz", "--explain", "http://library.example/"]),
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        assert!(text.lines().all(|line| width(line) <= 80), "{text}");
        assert!(!text.contains('\u{1b}'), "no colour outside of a terminal");
        golden(name, &text);
    }
}

#[test]
fn help_is_as_agreed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, arguments) in [("audit-help.txt", ["audit", "-h"]), ("report-help.txt", ["report", "-h"])] {
        let text = stdout(&run(folder.path(), &arguments));
        golden(name, &text);
    }
}

#[test]
fn a_page_seen_once_is_never_called_incoherent() {
    let folder = demo();
    let text = stdout(&run(folder.path(), &["audit", "visit.warc.gz", "--details"]));
    assert!(text.contains("cannot be proven"), "{text}");
    assert!(!text.to_lowercase().contains("incoherent"), "{text}");
    assert!(!text.contains("changed between captures"), "{text}");
}

#[test]
fn exit_codes_tell_what_happened() {
    let folder = demo();
    let code = |arguments: &[&str]| {
        let output = run(folder.path(), arguments);
        (output.status.code().unwrap(), stderr(&output))
    };
    assert_eq!(code(&["audit", "visit.warc.gz"]).0, 0);
    let (exit, message) = code(&["audit", "nothing.warc"]);
    assert_eq!(exit, 2);
    assert!(message.contains("nothing.warc"), "{message}");
    let (exit, message) = code(&["audit", "visit.warc.gz", "--canno", "strict"]);
    assert_eq!(exit, 2);
    assert!(message.contains("--canon"), "{message}");
    assert_eq!(code(&["audit"]).0, 2);
    assert_eq!(code(&["audit", "--visit", "visit.warc.gz", "--revisit", "visit.warc.gz"]).0, 2);
    let (exit, message) = code(&["audit", "visit.warc.gz", "--explain", "http://nowhere.example/"]);
    assert_eq!(exit, 2);
    assert!(message.contains("http://nowhere.example/"), "{message}");
    std::fs::write(folder.path().join("broken.warc.gz"), b"\x1f\x8b\x08\x00garbage").unwrap();
    assert_eq!(code(&["audit", "visit.warc.gz", "broken.warc.gz"]).0, 3);
    std::fs::write(folder.path().join("other.json"), r#"{"schema": "acuity.change/1"}"#).unwrap();
    let (exit, message) = code(&["report", "other.json"]);
    assert_eq!(exit, 3);
    assert!(message.contains("acuity.change/1") && message.contains("acuity.audit/1"), "{message}");
}

#[test]
fn a_site_below_the_bar_is_named_with_what_it_lacks() {
    let folder = demo();
    let both = ["audit", "visit.warc.gz", "revisit.warc.gz", "--fail-under"];
    let with = |bars: &'static str| run(folder.path(), &[&both[..], &[bars]].concat());
    let short = with("coherence=0.95,blur=100");
    assert_eq!(short.status.code(), Some(1));
    let text = stderr(&short);
    assert!(text.contains("library.example: coherence is 80%, the limit is at least 95%"), "{text}");
    assert!(!text.contains("blur"), "{text}");
    assert_eq!(with("coherence=0.3,sharp=0.3").status.code(), Some(0));
    assert_eq!(with("coherence=50").status.code(), Some(2));
    let once = run(folder.path(), &["audit", "visit.warc.gz", "--fail-under", "coherence=0.1"]);
    assert_eq!(once.status.code(), Some(1));
    assert!(
        stderr(&once).contains("coherence is unknown, which does not meet the limit"),
        "{}",
        stderr(&once)
    );
}

#[test]
fn a_gate_does_not_open_where_nothing_was_judged() {
    let folder = demo();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let run = |line: &str| {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let text = (stdout(&output) + &stderr(&output)).split_whitespace().collect::<Vec<_>>().join(" ");
        (output.status.code().unwrap(), text)
    };
    let (code, text) = run("audit empty --fail-under coherence=0.95");
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("no archives"), "{text}");
    let (code, text) = run("audit visit.warc.gz --from 2025 --fail-under coherence=0.5");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("no page was judged: coherence is unknown"), "{text}");
    assert!(text.contains("No capture was made from 2025-01-01 00:00:00; all were made"), "{text}");
    assert_eq!(run("audit visit.warc.gz --fail-under ").0, 2);
    let (code, text) = run("audit visit.warc.gz --site nosuch --fail-under coherence=0.5");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("No site nosuch was captured; those captured are: "), "{text}");
    assert!(text.contains("library.example"), "{text}");
    let (code, text) = run("audit visit.warc.gz --from 2025 --to 2024");
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("is after"), "{text}");
}

#[test]
fn a_site_where_no_page_is_proven_is_not_coherent_in_part() {
    let folder = tempfile::tempdir().unwrap();
    let pages = [
        ("http://a.example/", "2024-01-01T00:00:00Z", "1"),
        ("http://a.example/", "2024-01-02T00:00:00Z", "2"),
        ("http://b.example/", "2024-01-01T00:00:00Z", "1"),
        ("http://b.example/", "2024-01-02T00:00:00Z", "2"),
    ];
    std::fs::write(folder.path().join("zero.warc"), archive(&pages)).unwrap();
    let text = stdout(&run(folder.path(), &["audit", "zero.warc", "--details"]));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Of 2 sites, 2 are hardly consistent. Of 2 pages, 2 changed"), "{text}");
    assert!(!text.contains(" 0%") && !text.contains("at no time"), "{text}");
    let json = run(folder.path(), &["audit", "zero.warc", "--json", "--csv", "sheets"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    for site in json["sites"].as_array().unwrap() {
        let coherence = &site["coherence"];
        assert_eq!(coherence["provable"], false);
        for level in ["best", "best_by_weight", "full", "claimed"] {
            assert!(coherence[level]["share"].is_null(), "{level}");
        }
    }
    let mut sheet = csv::Reader::from_path(folder.path().join("sheets/sites.csv")).unwrap();
    let column = sheet.headers().unwrap().iter().position(|name| name == "coherence.best.share").unwrap();
    assert!(sheet.records().all(|row| row.unwrap()[column].is_empty()));
}

#[test]
fn json_gives_the_same_table_csv_and_json_again() {
    let folder = demo();
    let path = folder.path();
    let table =
        run(path, &["audit", "visit.warc.gz", "revisit.warc.gz", "--json=report.json", "--csv", "first"]);
    let json = run(path, &["audit", "visit.warc.gz", "revisit.warc.gz", "--json"]);
    assert_eq!(std::fs::read(path.join("report.json")).unwrap(), json.stdout);
    assert_eq!(run(path, &["report", "report.json"]).stdout, table.stdout);
    assert_eq!(run(path, &["report", "report.json", "--json"]).stdout, json.stdout);
    run(path, &["report", "report.json", "--csv", "second"]);
    let mut names: Vec<_> =
        std::fs::read_dir(path.join("first")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let read = |folder: &str| std::fs::read(path.join(folder).join(&name)).unwrap();
        assert_eq!(read("first"), read("second"), "{name:?}");
    }
    let missing = run(path, &["report", "report.json", "--explain", "http://library.example/"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn the_suggested_schedule_has_the_figures_of_the_audit() {
    let folder = demo();
    for options in [
        &[][..],
        &["--pages", "all", "--importance", "inlinks", "--canon", "strict"],
        &["--site", "library.example"],
        &["--digests", "declared"],
    ] {
        let arguments =
            [&["audit", "visit.warc.gz", "revisit.warc.gz", "--json=audit.json"], options].concat();
        assert_eq!(run(folder.path(), &arguments).status.code(), Some(0));
        let json = std::fs::read(folder.path().join("audit.json")).unwrap();
        let audit: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let next = &audit["sites"][0]["reschedule"];
        let command = next["command"].as_str().unwrap();
        // What was audited with options is scheduled from its JSON, which is there already.
        let words: Vec<&str> = command.split(" && ").last().unwrap().split(' ').skip(1).collect();
        let output = run(folder.path(), &[&words[..], &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{command}: {}", stderr(&output));
        let schedule: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let sites = schedule["sites"].as_array().unwrap();
        let reached: f64 = sites.iter().map(|site| site["expected_coherence"].as_f64().unwrap()).sum();
        let expected = next["expected_coherence"].as_f64().unwrap();
        assert!((reached - expected).abs() < 1e-9, "{command}: {reached}, not {expected}");
    }
}

#[test]
fn breadth_and_depth_first_follow_the_links_of_the_archive() {
    let folder = demo();
    assert_eq!(run(folder.path(), &["audit", "visit.warc.gz", "--json=audit.json"]).status.code(), Some(0));
    let order = |input: &str, name: &str| -> Vec<String> {
        let output = run(folder.path(), &["schedule", input, "--strategy", name, "--json"]);
        let schedule: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(!output.stdout.windows(8).any(|words| words == b"bfs, dfs"), "{}", stdout(&output));
        let slots = schedule["sites"][0]["slots"].as_array().unwrap();
        let visits = slots.iter().filter(|slot| slot["kind"] != "revisit");
        visits.map(|slot| slot["url"].as_str().unwrap().to_owned()).collect()
    };
    let (breadth, depth) = (order("visit.warc.gz", "bfs-lifo"), order("visit.warc.gz", "dfs-lifo"));
    assert_ne!(breadth, depth);
    for order in [&breadth, &depth] {
        assert_eq!(order[0], "http://library.example/");
        assert!(!order.is_sorted(), "{order:?}");
    }
    assert_eq!((breadth, depth), (order("audit.json", "bfs-lifo"), order("audit.json", "dfs-lifo")));
}

#[test]
fn the_worst_pages_are_sorted_by_what_is_shown() {
    let folder = demo();
    let json = run(folder.path(), &["audit", "visit.warc.gz", "revisit.warc.gz", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let worst = json["sites"][0]["findings"]["worst"].as_array().unwrap();
    let harm = |page: &serde_json::Value| page["blur"].as_f64().unwrap() * page["weight"].as_f64().unwrap();
    assert!(worst.len() > 2 && worst.is_sorted_by(|a, b| harm(a) >= harm(b)), "{worst:?}");
}

#[test]
fn sites_are_named_in_full_in_80_columns() {
    let folder = tempfile::tempdir().unwrap();
    let hosts = ["a-rather-long-name-of-a-host.department.example", "b.example"];
    let urls = hosts.map(|host| format!("http://{host}/"));
    let times = ["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"];
    let pages: Vec<_> = urls.iter().flat_map(|url| times.map(|time| (url.as_str(), time, "1"))).collect();
    std::fs::write(folder.path().join("a.warc"), archive(&pages)).unwrap();
    for arguments in
        [&["audit", "a.warc", "--details"][..], &["audit", "a.warc", "--crawls", "auto", "--details"]]
    {
        let text = stdout(&run(folder.path(), arguments));
        let table = text.split("Same: ").next().unwrap();
        assert!(hosts.iter().all(|host| table.contains(host)), "{text}");
        assert!(text.lines().all(|line| width(line) <= 80), "{text}");
    }
}

#[test]
fn the_crawls_that_were_found_are_shown_even_if_it_is_one() {
    let folder = demo();
    let text = stdout(&run(
        folder.path(),
        &["audit", "visit.warc.gz", "revisit.warc.gz", "--crawls", "auto", "--details"],
    ));
    assert!(text.contains("Crawl 1: from 2024-03-04 09:00:00"), "{text}");
}

#[test]
fn a_story_can_be_told_again() {
    let folder = demo();
    let ask = ["--explain", "http://library.example/events/story-hour.html"];
    let told = run(
        folder.path(),
        &[&["audit", "visit.warc.gz", "revisit.warc.gz", "--json=r.json"], &ask[..]].concat(),
    );
    let again = run(folder.path(), &[&["report", "r.json"], &ask[..]].concat());
    assert_eq!(stdout(&told), stdout(&again));
    assert!(stdout(&told).contains("the bodies differ"), "{}", stdout(&told));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = demo();
    let with = |threads: &str| {
        run(folder.path(), &["audit", ".", "--crawls", "auto", "--pages", "all", "--json", "-j", threads])
            .stdout
    };
    assert!(!with("1").is_empty());
    assert_eq!(with("1"), with("2"));
}

#[test]
fn colour_comes_when_asked_for_and_never_with_no_color() {
    let folder = demo();
    let always =
        stdout(&run(folder.path(), &["audit", "visit.warc.gz", "revisit.warc.gz", "--color", "always"]));
    assert!(always.contains("\u{1b}[1m"), "{always}");
    let mut plain = Command::new(env!("CARGO_BIN_EXE_acuity"));
    plain.args(["audit", "visit.warc.gz", "revisit.warc.gz"]).current_dir(folder.path()).env("NO_COLOR", "1");
    assert!(!stdout(&plain.output().unwrap()).contains('\u{1b}'));
    // Coloured headings are padded to their columns.
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let stripped = trimmed(&without_colours(&always));
    assert_eq!(
        stripped,
        trimmed(&stdout(&run(folder.path(), &["audit", "visit.warc.gz", "revisit.warc.gz"])))
    );
}

#[test]
fn other_rules_make_other_pages() {
    let folder = tempfile::tempdir().unwrap();
    let pages = [
        ("http://a.example/x", "2024-01-01T00:00:00Z", "1"),
        ("http://a.example/x/index.html", "2024-01-01T01:00:00Z", "1"),
        ("http://www.A.example/x", "2024-01-01T02:00:00Z", "1"),
    ];
    std::fs::write(folder.path().join("a.warc"), archive(&pages)).unwrap();
    let pages = |canon: &str| {
        let output = run(folder.path(), &["audit", "a.warc", "--json", "--canon", canon]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["summary"]["pages"].as_u64().unwrap()
    };
    assert_eq!((pages("strict"), pages("default"), pages("loose")), (3, 2, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever an archive calls its pages, a report stays within its columns and acts on no terminal.
    #[test]
    fn hostile_urls_neither_widen_nor_act(
        paths in proptest::collection::vec("[^\\s\u{0}]{0,200}", 1..6),
        columns in 60usize..140,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let urls: Vec<String> =
            paths.iter().enumerate().map(|(number, path)| format!("http://a.example/{number}/{path}")).collect();
        let pages: Vec<(&str, &str, &str)> = urls
            .iter()
            .flat_map(|url| {
                ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"].map(|time| (url.as_str(), time, time))
            })
            .collect();
        std::fs::write(folder.path().join("a.warc"), archive(&pages)).unwrap();
        let json = run(folder.path(), &["audit", "a.warc", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        let url = json["sites"][0]["page_list"][0]["url"].as_str().unwrap_or("http://a.example/").to_owned();
        for arguments in [vec!["audit", "a.warc"], vec!["audit", "a.warc", "--details"], vec!["audit", "a.warc", "--explain", &url]] {
            let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
                .args(&arguments)
                .current_dir(folder.path())
                .env("COLUMNS", columns.to_string())
                .output()
                .unwrap();
            let text = stdout(&output);
            for line in text.lines() {
                prop_assert!(width(line) <= columns, "{} columns in {columns}: {line:?}", width(line));
                prop_assert!(!line.chars().any(char::is_control), "{line:?}");
            }
        }
    }
}

#[test]
fn the_first_screen_of_the_demo_has_three_answers_and_fits_a_terminal() {
    let folder = demo();
    for columns in ["60", "80", "100", "120", "160", "200"] {
        let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
            .args(["audit", "visit.warc.gz", "revisit.warc.gz", "-q"])
            .current_dir(folder.path())
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        let text = stdout(&output);
        let room: usize = columns.parse().unwrap();
        assert!(room < 80 || text.lines().count() <= 24, "{columns}: {text}");
        assert!(text.lines().all(|line| width(line) <= room.min(120)), "{columns}: {text}");
        for question in ["Consistent?   mixed", "Complete?     mixed", "Trustworthy?  good"] {
            assert!(text.contains(question), "{text}");
        }
        let command = "acuity audit visit.warc.gz revisit.warc.gz --missing missing.txt";
        assert!(room < 80 || text.contains(command), "{text}");
    }
    // Longer commands leave less room: the last action folds, and the details have it.
    let longer = ["audit", "visit.warc.gz", "revisit.warc.gz", "-q", "--importance", "uniform"];
    let text = stdout(&run(folder.path(), &longer));
    assert!(text.lines().count() <= 24 && !text.contains(" 4. Look at"), "{text}");
    assert!(text.contains("More: --details lists all 4 actions"), "{text}");
    let details = stdout(&run(folder.path(), &[&longer[..], &["--details"]].concat()));
    assert!(details.contains("\n 4. Look at /offers/winter.html"), "{details}");
}

#[test]
fn the_screen_prints_the_answers_and_actions_of_the_json() {
    let folder = demo();
    let output = run(folder.path(), &["audit", "visit.warc.gz", "revisit.warc.gz", "-q", "--json=a.json"]);
    let text = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("a.json")).unwrap()).unwrap();
    for action in json["actions"].as_array().unwrap() {
        assert!(text.contains(action["text"].as_str().unwrap()), "{action}");
    }
    assert!((1..=5).contains(&json["actions"].as_array().unwrap().len()));
    for question in ["consistent", "complete", "record"] {
        let answer = &json["answers"][question];
        let first = answer["sentence"].as_str().unwrap().split_whitespace().next().unwrap();
        assert!(text.contains(&format!("{} {first}", answer["band"].as_str().unwrap())), "{answer}");
    }
    let missing =
        json["actions"].as_array().unwrap().iter().find(|a| a["kind"] == "capture-missing").unwrap();
    assert_eq!((missing["count"].as_u64(), missing["before"].as_f64()), (Some(2), Some(28.0 / 32.0)));
    assert_eq!(missing["after"].as_f64(), Some(30.0 / 32.0));
    // The report shown again from its JSON is the same.
    let again = stdout(&run(folder.path(), &["report", "a.json"]));
    assert_eq!(again, stdout(&output));
}

#[test]
fn one_crawl_cannot_tell_and_says_what_would() {
    let folder = demo();
    let text = stdout(&run(folder.path(), &["audit", "visit.warc.gz", "-q"]));
    assert!(text.contains("Consistent?   cannot tell"), "{text}");
    assert!(text.contains("Capture each page twice in the next crawl"), "{text}");
    assert!(!text.contains("poor"), "{text}");
}

#[test]
fn a_page_may_be_named_by_its_path_and_a_slip_is_forgiven() {
    let folder = demo();
    let told = |page: &str| {
        run(folder.path(), &["audit", "visit.warc.gz", "revisit.warc.gz", "-q", "--explain", page])
    };
    assert_eq!(stdout(&told("/news/")), stdout(&told("http://library.example/news/")));
    let wrong = told("/nwes/");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("did you mean /news/?"), "{}", stderr(&wrong));
}

#[test]
fn a_web_address_is_no_input() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["audit", "https://example.org/"]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("https://example.org/ is a web address. Acuity reads archive files"), "{text}");
}
