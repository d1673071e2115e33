//! `acuity at`, `acuity verify`, `acuity timeline` and `acuity report` as users meet them.

use std::path::Path;
use std::process::{Command, Output};

use acuity::internals::at::model::{AtParameters, SiteVerdict};
use acuity::internals::change::at::State;
use acuity::internals::time::Instant;
use serde_json::Value;

use crate::support::record::Record;

use crate::archive::{AT, archive, ask};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_verdict_holds_for_the_whole_of_its_stretch_and_says_for_which_part_of_a_day() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let json = |date: &str, more: &[&str]| -> Value {
        let output = run(folder.path(), &[&["at", date, "a.warc", "-q", "--json"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let site = &["--site", "a.example"];
    let point = json("2024-01-01T10:30:00Z", site);
    assert_eq!((&point["verdict"], &point["grade"]), (&"coherent".into(), &"bytes".into()));
    assert_eq!(point["holds"]["from"], "2024-01-01T10:10:01Z");
    assert_eq!(point["holds"]["to"], "2024-01-01T11:00:00Z");
    assert_eq!(point["counts"]["proven"], 2);
    assert_eq!(point["pages"][0]["witnesses"].as_array().unwrap().len(), 2);
    let zone = json("2024-01-01T12:30:00+02:00", site);
    assert_eq!(zone["asked"], point["asked"]);
    let day = json("2024-01-01", site);
    assert_eq!(day["verdict"], "not-provable");
    let coherent: Vec<&Value> =
        day["parts"].as_array().unwrap().iter().filter(|part| part["verdict"] == "coherent").collect();
    assert_eq!(coherent.len(), 1);
    assert_eq!(coherent[0]["from"], "2024-01-01T10:10:01Z");
    assert!(day["answer"].as_str().unwrap().contains("for part of that day: from 2024-01-01 10:10:01 to"));
    let late = json("2024-01-01T11:40:00Z", &["--url", "http://a.example/"]);
    // Another version was captured before, and may still have been there.
    assert_eq!(
        (&late["verdict"], &late["pages"][0]["verdict"]),
        (&"not-provable".into(), &"not-provable".into())
    );
    let words = late["answer"].as_str().unwrap();
    assert!(words.starts_with("The archive does not settle this. The record after that time"), "{words}");
    assert_eq!(late["pages"][0]["state"], "changed-nearby");
    assert_eq!(late["pages"][0]["began_after"], "2024-01-01T11:50:00Z");
    // In the whole gap the answer is the same.
    assert_eq!(late["holds"]["from"], "2024-01-01T11:00:00.000001Z");
    let nearest: Vec<&Value> =
        late["better"].as_array().unwrap().iter().map(|better| &better["at"]).collect();
    assert_eq!(nearest, ["2024-01-01T11:00:00Z"]);
    let all = json("2024-01-01T10:30:00Z", &[]);
    assert_eq!((&all["verdict"], all["sites"].as_array().unwrap().len()), (&"not-provable".into(), 2));
    assert_eq!(all["sites"][0]["verdict"], "coherent");
    let missing = json("2024-01-01T10:30:00Z", &["--url", "http://a.example/none"]);
    assert_eq!(
        (&missing["pages"][0]["state"], &missing["pages"][0]["probability"]),
        (&"missing".into(), &Value::Null)
    );
}

#[test]
fn a_timeline_shows_the_versions_of_one_page() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let output = run(folder.path(), &["timeline", "http://a.example/", "a.warc", "-q"]);
    let text = stdout(&output);
    assert!(text.lines().any(|line| line.starts_with("  |A====") && line.ends_with("B|")), "{text}");
    assert!(
        text.contains("proven   2024-01-01T10:00:01Z to 2024-01-01T11:00:00Z\n              by bytes"),
        "{text}"
    );
    assert!(text.contains("claimed  2024-01-01T11:50:01Z to 2024-01-01T12:00:00Z"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(run(folder.path(), &["timeline", "http://none.example/", "a.warc"]).status.code(), Some(2));
}

#[test]
fn exit_codes_follow_what_was_required() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let code = |more: &[&str]| run(folder.path(), &[AT, more].concat()).status.code().unwrap();
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["--require", "coherent"]), 1);
    assert_eq!(code(&["--require", "coherent", "--site", "a.example"]), 0);
    assert_eq!(code(&["--site", "nobody.example"]), 2);
    assert_eq!(run(folder.path(), &["at", "yesterday", "a.warc"]).status.code(), Some(2));
    // Standard input cannot be read twice; if there is nothing in it, nothing was found.
    let piped = |file: &str| {
        let input = std::fs::File::open(folder.path().join(file)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_acuity"));
        command.args(["at", "2024", "-"]).stdin(input).output().unwrap().status.code()
    };
    std::fs::write(folder.path().join("empty"), "").unwrap();
    assert_eq!((piped("a.warc"), piped("empty")), (Some(2), Some(3)));
}

#[test]
fn titles_and_urls_cannot_forge_a_line_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let output = run(folder.path(), &[AT, &["--print", "r.txt"]].concat());
    let whole = std::fs::read_to_string(folder.path().join("r.txt")).unwrap();
    for text in [stdout(&output), whole] {
        assert_eq!(text.lines().filter(|line| line.starts_with("ANSWER ")).count(), 1, "{text}");
        assert!(!text.contains(['\u{202e}', '\u{2028}', '\u{1b}']));
        assert!(text.contains("changed and changed back"), "assumptions are stated");
        for word in ["authentic", "certified", "tampered"] {
            assert!(!text.to_lowercase().contains(word), "{word}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

/// The demo crawl, copied, so that files have short names.
fn demo(folder: &Path) {
    for name in ["visit.warc.gz", "revisit.warc.gz"] {
        std::fs::copy(Path::new("fixtures/demo").join(name), folder.join(name)).unwrap();
    }
}

#[test]
fn phrases_are_answered_on_the_terminal_in_json_and_on_the_timeline() {
    let folder = tempfile::tempdir().unwrap();
    demo(folder.path());
    let inputs = ["visit.warc.gz", "revisit.warc.gz", "-q"];
    let asked = [
        "at",
        "2024-03-04T09:15:00Z",
        "--phrase",
        "COSTS 12.00",
        "--phrase",
        "boat library",
        "--json=r.json",
    ];
    let output = run(folder.path(), &[&asked[..], &inputs].concat());
    let text = stdout(&output);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("PHRASE \"boat library\""), "{text}");
    assert!(text.contains("The archive lacks"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("r.json")).unwrap()).unwrap();
    let phrase = &report["phrases"][1];
    assert_eq!(phrase["present"].as_array().map(Vec::len), Some(0));
    let front =
        phrase["unprovable"].as_array().unwrap().iter().find(|page| page["url"] == "http://library.example/");
    assert_eq!(front.unwrap()["before"]["holds"], false);
    assert_eq!(front.unwrap()["after"]["holds"], true);
    assert!(report["uncaptured"]["urls"].to_string().contains("annual-report"), "{}", report["uncaptured"]);
    assert_eq!(report["embeds"]["missing"], 1);
    // The report is shown again as it was, and holds.
    let again = run(folder.path(), &["report", "r.json"]);
    assert_eq!(stdout(&again), text);
    let verified = run(folder.path(), &[&["verify", "r.json"][..], &inputs].concat());
    assert!(
        verified.status.success() && stdout(&verified).starts_with("Verified: every field"),
        "{}",
        stdout(&verified)
    );
    let line = run(
        folder.path(),
        &[&["timeline", "http://library.example/", "--phrase", "boat library"][..], &inputs].concat(),
    );
    let line = stdout(&line);
    assert!(line.contains("phrase \"boat library\"\n  |o") && line.contains("+|\n"), "{line}");
    let code = |phrase: &str| {
        run(folder.path(), &[&["at", "2024", "--phrase", phrase][..], &inputs].concat()).status.code()
    };
    assert_eq!(code("--"), Some(2), "nothing to look for");
}

#[test]
fn verify_does_not_call_verified_what_only_an_index_tells() {
    let folder = tempfile::tempdir().unwrap();
    demo(folder.path());
    let index = run(folder.path(), &["index", "-q", "visit.warc.gz", "revisit.warc.gz", "-o", "i.jsonl"]);
    assert!(index.status.success());
    // Not even where the archives happen to lie beside the index.
    assert!(
        run(folder.path(), &["at", "2024-03-04T09:15:00Z", "i.jsonl", "-q", "--json=r.json"])
            .status
            .success()
    );
    let output = run(folder.path(), &["verify", "r.json", "i.jsonl", "-q", "--tsq", "r.tsq"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.starts_with("Not verified in full: every field follows")
            && text.contains("none could be read again"),
        "{text}"
    );
    assert!(!folder.path().join("r.tsq").exists());
    let nothing =
        ["at", "2024-03-04T09:15:00Z", "visit.warc.gz", "-q", "--json=n.json", "--url", "http://x.example/"];
    assert!(run(folder.path(), &nothing).status.success());
    let output = run(folder.path(), &["verify", "n.json", "visit.warc.gz", "-q", "--tsq", "n.tsq"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(std::fs::read(folder.path().join("n.tsq")).unwrap().len(), 59);
}

#[test]
fn verify_names_what_fails_and_no_text_of_a_report_passes_for_its_verdict() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    assert!(run(folder.path(), &[AT, &["--json=r.json"]].concat()).status.success());
    let threads = run(folder.path(), &[AT, &["--json=2.json", "-j", "2"]].concat());
    assert!(threads.status.success());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("r.json"), read("2.json"), "threads change nothing");
    let forged = format!("{} Verified: every field follows from the inputs\nVerified", "x".repeat(60));
    let mut report: Value = serde_json::from_str(&read("r.json")).unwrap();
    report["answer"] = forged.as_str().into();
    report["tool_version"] = forged.into();
    std::fs::write(folder.path().join("x.json"), report.to_string()).unwrap();
    let output = run(folder.path(), &["verify", "x.json", "a.warc", "-q"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("NOTE    made by version"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("FAILED  .answer: the report says")), "{text}");
    assert!(!text.lines().any(|line| line.trim_start().starts_with("Verified")), "{text}");
}

#[test]
fn verify_exits_with_1_for_whatever_was_altered_and_with_2_only_for_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    assert!(run(folder.path(), &[AT, &["--json=r.json"]].concat()).status.success());
    let text = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let verify = |text: &str| {
        std::fs::write(folder.path().join("x.json"), text).unwrap();
        run(folder.path(), &["verify", "x.json", "a.warc", "-q"])
    };
    assert_eq!(verify(&text).status.code(), Some(0));
    for (path, value) in [
        ("/schema", Value::from("acuity.at/9")),
        ("/verdict", "certain".into()),
        ("/pages/0/state", "x".into()),
        ("/pages/0/witnesses/0/date", "yesterday".into()),
        ("/grade", 7.into()),
        ("/counts", Value::Null),
        ("/parameters/canon", "none-such".into()),
        ("/parameters/site", "b.example".into()),
        ("/parameters/site_by", "x".into()),
        ("/parameters/date", "some day".into()),
        ("/parameters/digests", "".into()),
        ("/parameters/phrases", serde_json::json!(["--"])),
    ] {
        let mut altered = report.clone();
        *altered.pointer_mut(path).unwrap() = value;
        let output = verify(&altered.to_string());
        assert_eq!(output.status.code(), Some(1), "{path}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(stdout(&output).starts_with("FAILED  "), "{path}: {}", stdout(&output));
    }
    for broken in [&text[..text.len() / 2], "", "not a report"] {
        assert_eq!(verify(broken).status.code(), Some(1));
    }
    let code = |arguments: &[&str]| run(folder.path(), arguments).status.code();
    assert_eq!(code(&["verify", "none.json", "a.warc", "-q"]), Some(2));
    assert_eq!(code(&["verify", "r.json", "none.warc", "-q"]), Some(2));
    let help = stdout(&run(folder.path(), &["verify", "--help"]));
    assert!(help.contains("Exit codes:") && help.contains("was altered"), "{help}");
    // A file under another name is the same file.
    std::fs::rename(folder.path().join("a.warc"), folder.path().join("b.warc")).unwrap();
    let output = run(folder.path(), &["verify", "r.json", "b.warc", "-q"]);
    let moved = stdout(&output);
    assert_eq!(output.status.code(), Some(0));
    assert!(moved.starts_with("NOTE ") && moved.contains("unchanged, given in another place"), "{moved}");
    assert!(!moved.contains("FAILED"), "{moved}");
}

#[test]
fn what_is_said_of_a_day_belongs_to_one_instant_and_its_proven_part_has_witnesses() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let inputs = [folder.path().join("a.warc").display().to_string()];
    let day = |url: &str| {
        let urls = vec![format!("http://a.example{url}")];
        let mut at =
            ask(&inputs, &AtParameters { urls, estimates: true, ..AtParameters::on("2024-01-01") }).unwrap();
        let page = at.pages.held_mut().unwrap().remove(0);
        (at, page)
    };
    let (at, page) = day("/b");
    let time = |text: &str| Instant::parse(&format!("2024-01-01T{text}Z")).unwrap();
    assert_eq!((at.verdict, at.counts.unseen, page.state), (SiteVerdict::NotProvable, 1, State::Unseen));
    let states: Vec<State> = page.parts.iter().map(|part| part.state).collect();
    assert_eq!(states, [State::Unseen, State::Proven, State::Unseen]);
    let proven = page.proven.as_ref().unwrap();
    assert_eq!((proven.from, proven.to), (time("10:10:01"), time("11:10:00")));
    let dates: Vec<Instant> = page.witnesses.iter().map(|witness| witness.date).collect();
    assert!(dates.contains(&time("10:10:00")) && dates.contains(&time("11:10:00")), "{dates:?}");
    // The chance at the first instant of the day, not the least of the day.
    let distance = (time("10:10:01").0 - time("00:00:00").0) as f64 / 86_400e6;
    let expected = (-page.rate_per_day.unwrap() * distance).exp();
    assert!((page.probability.unwrap() - expected).abs() < 1e-9, "{:?} {expected}", page.probability);
    // No chance is given where a version had not begun.
    let urls = vec!["http://a.example/".to_owned()];
    let asked = AtParameters { urls, estimates: true, ..AtParameters::on("2024-01-01T11:40:00Z") };
    let mut at = ask(&inputs, &asked).unwrap();
    let page = at.pages.held_mut().unwrap().remove(0);
    assert_eq!((at.verdict, at.counts.late), (SiteVerdict::NotProvable, 0));
    assert_eq!((page.state, page.probability), (State::ChangedNearby, None));
    assert_eq!(page.began_after, Some(time("11:50:00")));
    assert_eq!(page.chances.unwrap().later, 0.0);
    let output = run(folder.path(), &["at", "2024-01-01", "a.warc", "-q", "--url", "http://a.example/b"]);
    let text = stdout(&output);
    assert!(text.contains("Yes, for part of that day: from 10:10:01 to 11:10:00 UTC."), "{text}");
    assert!(!text.contains("ESTIMATES"), "{text}");
}

#[test]
fn addresses_of_another_spelling_do_not_prove_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n, path: &str, hour: u32| {
        Record::page(n, &format!("http://t.example{path}"), &format!("2022-03-14T{hour}:00:00Z"), "<p>same")
            .bytes()
    };
    let records = [page(1, "/terms", 10), page(2, "/Terms", 12)].concat();
    std::fs::write(folder.path().join("a.warc"), records).unwrap();
    let asked =
        ["at", "2022-03-14T11:00:00Z", "a.warc", "-q", "--json=r.json", "--url", "http://t.example/terms"];
    assert!(run(folder.path(), &asked).status.success());
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(
        (&report["verdict"], &report["parameters"]["canon"]),
        (&"not-provable".into(), &"strict".into())
    );
    assert!(report["answer"].as_str().unwrap().starts_with("The archive does not settle this."));
    assert_eq!(run(folder.path(), &["verify", "r.json", "a.warc", "-q"]).status.code(), Some(0));
}

#[test]
fn an_html_report_is_verified_by_the_answer_inside_and_by_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let made = [AT, &["--html", "r.html", "--json=r.json", "--case", "24-cv-1", "--print", "r.txt"]].concat();
    assert!(run(folder.path(), &made).status.success());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("r.html").contains(&read("r.json")), "the same bytes are inside");
    assert!(
        read("r.html").contains("24-cv-1")
            && read("r.txt").contains("24-cv-1")
            && !read("r.json").contains("24-cv-1")
    );
    let verify = || run(folder.path(), &["verify", "r.html", "a.warc", "-q"]).status.code();
    assert_eq!(verify(), Some(0));
    let page = read("r.html");
    std::fs::write(folder.path().join("r.html"), page.replacen("Not shown", "Well shown", 1)).unwrap();
    assert_eq!(verify(), Some(1));
}

#[test]
fn files_whose_names_were_exchanged_or_that_lie_deeper_are_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, url: &str, hour: u32| {
        Record::page(n, url, &format!("2024-01-01T{hour}:00:00Z"), "one").bytes()
    };
    let (one, two) = (folder.path().join("in/a.warc"), folder.path().join("in/b.warc"));
    std::fs::create_dir_all(folder.path().join("in/deep")).unwrap();
    std::fs::write(&one, [page(1, "http://a.example/", 10), page(2, "http://a.example/", 13)].concat())
        .unwrap();
    std::fs::write(&two, [page(3, "http://b.example/", 10), page(4, "http://a.example/", 12)].concat())
        .unwrap();
    for report in ["--json=r.json", "--html=r.html"] {
        assert!(run(folder.path(), &["at", "2024-01-01T11:00:00Z", "in", "-q", report]).status.success());
    }
    let verified = || {
        for report in ["r.json", "r.html"] {
            let output = run(folder.path(), &["verify", report, "in", "-q"]);
            assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        }
    };
    verified();
    // Exchanged, under the very names of the report.
    let away = folder.path().join("away");
    for (from, to) in [(&one, &away), (&two, &one), (&away, &two)] {
        std::fs::rename(from, to).unwrap();
    }
    verified();
    let output = stdout(&run(folder.path(), &["verify", "r.json", "in", "-q"]));
    assert!(output.contains("unchanged, given in another place"), "{output}");
    // The first one in a folder that comes last.
    std::fs::rename(&two, folder.path().join("in/deep/a.warc")).unwrap();
    std::fs::rename(&one, folder.path().join("in/b.warc")).unwrap();
    verified();
    // A byte that changed is still found.
    let path = folder.path().join("in/b.warc");
    let altered = String::from_utf8(std::fs::read(&path).unwrap()).unwrap().replace("12:00:00Z", "12:00:01Z");
    std::fs::write(&path, altered).unwrap();
    assert_eq!(run(folder.path(), &["verify", "r.json", "in", "-q"]).status.code(), Some(1));
}

#[test]
fn what_else_lies_in_a_folder_of_archives_is_noted_and_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("in");
    std::fs::create_dir(&inside).unwrap();
    archive(&inside);
    let made = ["at", "2024-01-01T10:30:00Z", "in", "-q", "--json=in/r.json"];
    assert!(run(folder.path(), &made).status.success());
    let verify = || run(folder.path(), &["verify", "in/r.json", "in", "-q"]);
    // The report lies beside the archive; then a text, and something that cannot be read.
    for (name, bytes) in
        [("r.json", None), ("README.txt", Some(&b"hi"[..])), ("x.bin", Some(b"\0\x01\x02\x03"))]
    {
        if let Some(bytes) = bytes {
            std::fs::write(inside.join(name), bytes).unwrap();
        }
        let output = verify();
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{name}: {text}");
        assert!(text.contains("left out") && text.contains(&format!("in/{name}")), "{name}: {text}");
    }
    // Made with a text beside the archive, and verified without it.
    std::fs::remove_file(inside.join("x.bin")).unwrap();
    let output = run(folder.path(), &made);
    assert!(output.status.success(), "{output:?}");
    std::fs::remove_file(inside.join("README.txt")).unwrap();
    assert_eq!(verify().status.code(), Some(0), "{}", stdout(&verify()));
    // An archive more is no such thing.
    archive(&inside.join("..").canonicalize().unwrap());
    std::fs::rename(folder.path().join("a.warc"), inside.join("b.warc")).unwrap();
    assert_eq!(verify().status.code(), Some(1));
}

#[test]
fn verify_says_that_who_made_a_page_was_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let made = [AT, &["--html", "r.html", "--json=r.json", "--examiner", "A. Clerk"]].concat();
    assert!(run(folder.path(), &made).status.success());
    let verify = |report: &str| {
        let output = stdout(&run(folder.path(), &["verify", report, "a.warc", "-q"]));
        output.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ")
    };
    let told = "cannot be computed from the inputs, and was not checked";
    assert!(verify("r.html").contains(told), "{}", verify("r.html"));
    assert!(!verify("r.json").contains(told), "{}", verify("r.json"));
}
