//! `acuity at` and `acuity verify` as users meet them, and against crawls of which every change is known.

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use acuity::archive::source::expand;
use acuity::audit::at::at;
use acuity::audit::at_model::{AtParameters, SiteVerdict};
use acuity::capture::page::{PageFilter, is_failed};
use acuity::capture::table::{Row, Table, TableBuilder};
use acuity::capture::url::Canon;
use acuity::change::at::{Standings, State};
use acuity::change::evidence::{Compare, Grade, Judge};
use acuity::change::run::Versions;
use acuity::ingest::{Digests, Options, ProblemLog, read};
use acuity::time::{Instant, SECOND};
use serde_json::Value;
use support::data::data;
use support::record::{Record, ok};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Two pages seen twice each, one of them changed; a title and a URL that would like to be more than they are.
fn archive(folder: &Path) {
    let page = |n, url: &str, time: &str, body: &str| Record::page(n, url, time, body).bytes();
    let modified = format!("{}\nLast-Modified: Mon, 01 Jan 2024 11:50:00 GMT", ok(3));
    let records = [
        page(1, "http://a.example/", "2024-01-01T10:00:00Z", "one"),
        page(2, "http://a.example/b", "2024-01-01T10:10:00Z", "two"),
        page(3, "http://a.example/", "2024-01-01T11:00:00Z", "one"),
        page(4, "http://a.example/b", "2024-01-01T11:10:00Z", "two"),
        Record::response(5, "http://a.example/", "2024-01-01T12:00:00Z", &modified, b"new").bytes(),
        page(
            6,
            "http://evil.example/\u{202e}\u{2028}Answer",
            "2024-01-01T10:00:00Z",
            "<title>\r\nAnswer\n  Coherent.</title>",
        ),
    ];
    std::fs::write(folder.join("a.warc"), records.concat()).unwrap();
}

const AT: &[&str] = &["at", "2024-01-01T10:30:00Z", "a.warc", "-q"];

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
    assert_eq!(day["verdict"], "not-coherent");
    let coherent: Vec<&Value> =
        day["parts"].as_array().unwrap().iter().filter(|part| part["verdict"] == "coherent").collect();
    assert_eq!(coherent.len(), 1);
    assert_eq!(coherent[0]["from"], "2024-01-01T10:10:01Z");
    assert!(day["answer"].as_str().unwrap().contains("a part of that time: 2024-01-01T10:10:01Z"));
    let late = json("2024-01-01T11:40:00Z", &["--url", "http://a.example/"]);
    assert_eq!((&late["verdict"], &late["grade"]), (&"not-coherent".into(), &"validator".into()));
    assert_eq!(late["pages"][0]["state"], "changed-nearby");
    assert_eq!(late["pages"][0]["began_after"], "2024-01-01T11:50:00Z");
    // Up to the middle of the gap the earlier version is served.
    assert_eq!(late["holds"]["from"], "2024-01-01T11:30:00.000001Z");
    assert_eq!(late["holds"]["to"], "2024-01-01T11:49:59.999999Z");
    let nearest: Vec<&Value> =
        late["better"].as_array().unwrap().iter().map(|better| &better["at"]).collect();
    assert_eq!(nearest, ["2024-01-01T11:00:00Z", "2024-01-01T11:30:00Z", "2024-01-01T11:50:00Z"]);
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
    assert_eq!(run(folder.path(), &["at", "2024", "-"]).status.code(), Some(2));
}

#[test]
fn titles_and_urls_cannot_forge_a_line_of_the_report() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let output = run(folder.path(), &[AT, &["--print", "r.txt"]].concat());
    let whole = std::fs::read_to_string(folder.path().join("r.txt")).unwrap();
    for text in [stdout(&output), whole] {
        assert_eq!(text.lines().filter(|line| line.trim() == "Answer").count(), 1, "{text}");
        assert!(!text.contains(['\u{202e}', '\u{2028}', '\u{1b}']));
        assert!(text.contains("does not change and change back"), "assumptions are stated");
        for word in ["authentic", "certified", "tampered"] {
            assert!(!text.to_lowercase().contains(word), "{word}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

/// All values in a report that are no object or array, by their paths.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{path}/{name}"), found))
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(place, value)| leaves(value, &format!("{path}/{place}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

#[test]
fn a_report_altered_in_any_field_fails_and_so_does_an_archive_altered_in_any_witnessed_byte() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let arguments = [AT, &["--json=r.json", "--site", "a.example"]].concat();
    assert!(run(folder.path(), &arguments).status.success());
    let verify =
        |report: &str| run(folder.path(), &["verify", report, "a.warc", "-q", "-j", "1"]).status.code();
    let first = std::fs::read(folder.path().join("r.json")).unwrap();
    assert_eq!(verify("r.json"), Some(0));
    let stamped = run(folder.path(), &["verify", "r.json", "a.warc", "-q", "--tsq", "r.tsq"]);
    assert!(stdout(&stamped).starts_with("Verified"), "{}", stdout(&stamped));
    assert_eq!(std::fs::read(folder.path().join("r.tsq")).unwrap().len(), 59);
    assert!(run(folder.path(), &[&arguments[..], &["-j", "2"]].concat()).status.success());
    assert_eq!(first, std::fs::read(folder.path().join("r.json")).unwrap(), "threads change nothing");
    let report: Value = serde_json::from_slice(&first).unwrap();
    let mut paths = Vec::new();
    leaves(&report, "", &mut paths);
    assert!(paths.len() > 100);
    for path in &paths {
        let mut altered = report.clone();
        let leaf = altered.pointer_mut(path).unwrap();
        *leaf = match &*leaf {
            Value::String(text) if text == "coherent" => "not-coherent".into(),
            Value::String(text) if text == "proven" => "claimed".into(),
            Value::String(text) if text == "bytes" => "digest".into(),
            Value::String(text) if Instant::parse(text).is_some() => "2024-01-01T10:31:00Z".into(),
            Value::String(text) => format!("{text}x").into(),
            Value::Number(number) => (number.as_f64().unwrap() as u64 + 1).into(),
            Value::Bool(value) => (!value).into(),
            _ => "x".into(),
        };
        std::fs::write(folder.path().join("x.json"), serde_json::to_vec(&altered).unwrap()).unwrap();
        assert_ne!(verify("x.json"), Some(0), "{path}");
    }
    let archive = std::fs::read(folder.path().join("a.warc")).unwrap();
    for place in (0..archive.len()).step_by(61) {
        let mut altered = archive.clone();
        altered[place] ^= 1;
        std::fs::write(folder.path().join("a.warc"), &altered).unwrap();
        assert_ne!(verify("r.json"), Some(0), "byte {place}");
    }
}

const TOOLS: [(&str, &[&str]); 4] = [
    ("wget", &["wget/siteC-visit.warc.gz", "wget/siteC-revisit.warc.gz"]),
    ("warcprox", &["warcprox/SITEC-20261116001318675-00000-t52kzgb7.warc.gz"]),
    ("condget", &["condget/siteC.warc.gz"]),
    (
        "",
        &[
            "wget/siteC-visit.warc.gz",
            "wget/siteC-revisit.warc.gz",
            "warcprox/SITEC-20261116001318675-00000-t52kzgb7.warc.gz",
            "condget/siteC.warc.gz",
        ],
    ),
];

fn table(folder: &Path, files: &[&str]) -> Table {
    let names: Vec<String> = files.iter().map(|file| folder.join(file).display().to_string()).collect();
    let options = Options { digests: Digests::Verify, ..Options::default() };
    let reading = read(&expand(&names).unwrap(), &options, &mut ProblemLog::new(None), &|_| {}).unwrap();
    let mut builder = TableBuilder::new();
    let mut push = |observation: &acuity::capture::Observation, input| {
        let mut observation = observation.clone();
        observation.key = Canon::Strict.key(&observation.url);
        builder.push(&observation, input);
        Ok(())
    };
    reading.observations.for_each(&mut push).unwrap();
    builder.finish()
}

type Bodies = BTreeMap<(String, Instant), String>;

/// What each capture really holds (by URL and date), and how each page stood since when.
fn truth(folder: &Path) -> (Bodies, BTreeMap<String, Vec<(Instant, String)>>) {
    let rows = |name: &str| -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(folder.join(name)).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    };
    let mut bodies = Bodies::new();
    for row in rows("captures.csv") {
        let body = if row["entity_sha1"].is_empty() { "server_sha1" } else { "entity_sha1" };
        bodies.insert((row["url"].clone(), Instant::parse(&row["date"]).unwrap()), row[body].clone());
    }
    let mut truth: BTreeMap<String, Vec<(Instant, String)>> = BTreeMap::new();
    for row in rows("truth.csv") {
        let at = Instant::parse(&row["change_time"]).unwrap();
        truth.entry(row["page"].clone()).or_default().push((at, row["sha1"].clone()));
    }
    truth.values_mut().for_each(|changes| changes.sort());
    (bodies, truth)
}

/// Whether the page may be called proven: equal captures enclose the instant, and none that differs lies between.
fn may_be_proven(looks: &[(&Row, &String)], at: Instant) -> bool {
    looks.iter().enumerate().any(|(first, (row, body))| {
        let equal = || looks[first + 1..].iter().take_while(|(_, other)| other == body);
        row.end <= at && equal().any(|(row, _)| row.time >= at)
    })
}

/// Whether the closest version began only after the instant, by every Last-Modified that the captures do not contradict.
fn is_late(looks: &[(&Row, &String)], at: Instant) -> bool {
    let Some(served) = (0..looks.len()).min_by_key(|look| looks[*look].0.time.0.abs_diff(at.0)) else {
        return false;
    };
    let same = |look: &usize| looks[*look].1 == looks[served].1;
    let first = (0..=served).rev().take_while(same).last().unwrap();
    let last = (served..looks.len()).take_while(same).last().unwrap();
    let before = first.checked_sub(1).map(|look| looks[look].0.time);
    let accepted = (first..=last).filter_map(|look| looks[look].0.last_modified).filter(|modified| {
        *modified <= looks[first].0.end && before.is_none_or(|before| modified.plus(SECOND) > before)
    });
    accepted.min().is_some_and(|modified| modified > at)
}

#[test]
fn for_every_second_of_two_crawls_nothing_false_is_proven_and_all_that_may_be_is() {
    let Some(folder) = data("crawls") else { return };
    let (bodies, truth) = truth(&folder);
    for (tool, files) in TOOLS {
        let table = table(&folder, files);
        let times = || table.rows().iter().map(|row| row.time.0.div_euclid(SECOND));
        let (start, end) = (times().min().unwrap() - 2, times().max().unwrap() + 3);
        let mut late = std::collections::BTreeSet::new();
        let mut unproven = std::collections::BTreeSet::new();
        for grade in [Grade::Bytes, Grade::Digest, Grade::NotModified, Grade::Validator] {
            let judge = Judge::new(&table, Compare::Bytes, grade);
            let mut count = 0;
            for page in table.pages() {
                let rows = table.rows_of(page);
                if !PageFilter::Html.takes(&table, rows) {
                    continue;
                }
                let url = table.text(rows[0].url);
                let name = url.splitn(4, '/').nth(3).unwrap();
                let history = &truth[if name.is_empty() { "index.html" } else { name }];
                let body = |row: &Row| &bodies[&(url.to_owned(), row.time)];
                let looks: Vec<(&Row, &String)> =
                    rows.iter().filter(|row| !is_failed(row)).map(|row| (row, body(row))).collect();
                let versions = Versions::of(&judge, rows);
                let standings = Standings::of(&versions, rows);
                for second in start..end {
                    let at = Instant(second * SECOND);
                    let standing = standings.at(at);
                    if grade == Grade::NotModified {
                        assert_eq!(
                            standing.state == State::Proven,
                            may_be_proven(&looks, at),
                            "{tool} {url} {at}"
                        );
                        assert_eq!(standing.late, is_late(&looks, at), "{tool} {url} {at}");
                        late.extend(standing.late.then_some(second));
                        unproven.extend((standing.state != State::Proven).then_some(second));
                    }
                    if standing.state == State::Proven {
                        count += 1;
                        let run = &versions.runs[standing.run.unwrap()];
                        let shown = body(&rows[versions.looks[run.looks.start].row]);
                        let stood = history.iter().rev().find(|(since, _)| *since <= at).unwrap();
                        assert_eq!(*shown, stood.1, "{tool} {grade:?} {url} {at}");
                    }
                }
            }
            // By bytes alone, revisits and 304 answers prove nothing.
            assert!(count > 0 || grade < Grade::NotModified, "{tool} {grade:?}");
        }
        for second in (start..end).step_by(97) {
            let parameters = AtParameters {
                date: format!("{}", Instant(second * SECOND)).replace('Z', ".000000Z"),
                canon: "strict".into(),
                site_by: "host".into(),
                pages: PageFilter::Html,
                evidence: Grade::NotModified,
                digests: "verify".into(),
                site: None,
                urls: Vec::new(),
            };
            let answer = at(&table, &parameters, Vec::new(), Vec::new()).unwrap();
            let expected = match () {
                () if late.contains(&second) => SiteVerdict::NotCoherent,
                () if unproven.contains(&second) => SiteVerdict::NotProvable,
                () => SiteVerdict::Coherent,
            };
            assert_eq!(answer.verdict, expected, "{tool} {second}");
        }
    }
}
