//! Locality: an audit of a whole archive equals the audits of its sites, each with its companions, put together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bounded::archives;
use crate::support::data::{data, say};
use crate::support::program::run;

fn done(folder: &Path, arguments: &[&str]) {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
}

/// A report without what names files and their lengths.
fn report(folder: &Path, name: &str) -> Value {
    let mut report: Value = serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
    report["inputs"] = Value::Null;
    report.as_object_mut().unwrap().remove("part_of");
    report
}

/// The first place where two reports differ.
fn difference(one: &Value, other: &Value, place: &str) -> Option<String> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            names.into_iter().find_map(|name| {
                let of = |map: &serde_json::Map<String, Value>| map.get(name).cloned().unwrap_or_default();
                difference(&of(a), &of(b), &format!("{place}.{name}"))
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(number, (a, b))| difference(a, b, &format!("{place}[{number}]"))),
        _ => (one != other).then(|| format!("{place}: {one} and {other}")),
    }
}

fn site(url: &str) -> String {
    let host =
        url.split("://").nth(1).and_then(|rest| rest.split(['/', ':', '?']).next()).unwrap_or_default();
    host.trim_start_matches("www.").to_owned()
}

/// The captures in `lines.jsonl` by part: `part_of` says of a site in which part it is.
fn divide(folder: &Path, part_of: &dyn Fn(&str) -> usize) -> usize {
    let lines = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
    let mut parts: BTreeMap<usize, String> = BTreeMap::new();
    for line in lines.lines() {
        let observation: Value = serde_json::from_str(line).unwrap();
        let part = parts.entry(part_of(&site(observation["url"].as_str().unwrap()))).or_default();
        part.push_str(line);
        part.push('\n');
    }
    for number in parts.keys() {
        fs::write(folder.join(format!("own-{number}.jsonl")), &parts[number]).unwrap();
        let others = parts.iter().filter(|(other, _)| *other != number).map(|(_, lines)| lines.as_str());
        fs::write(folder.join(format!("others-{number}.jsonl")), others.collect::<String>()).unwrap();
    }
    parts.len()
}

fn merged(folder: &Path, parts: usize, options: &[&str], with_companions: bool) -> Value {
    let names: Vec<String> = (0..parts).map(|number| format!("part-{number}.json")).collect();
    for (number, name) in names.iter().enumerate() {
        let (own, json) = (format!("own-{number}.jsonl"), format!("--json={name}"));
        let others = format!("others-{number}.jsonl");
        let mut arguments = vec!["audit", &own, "--part-of", "lines.jsonl", "-q", &json];
        if with_companions && parts > 1 {
            arguments.extend(["--companions", &others]);
        }
        arguments.extend(options);
        done(folder, &arguments);
    }
    let mut arguments = vec!["report", "--merge", "--part-of", "lines.jsonl", "--json=merged.json"];
    arguments.extend(names.iter().map(String::as_str));
    done(folder, &arguments);
    report(folder, "merged.json")
}

fn check(folder: &Path, whole: &[&str], part: &[&str], part_of: &dyn Fn(&str) -> usize) {
    let arguments = [&["audit", "lines.jsonl", "-q", "--json=whole.json"], whole].concat();
    done(folder, &arguments);
    let parts = divide(folder, part_of);
    // Parts do not know the names of the lists that the whole was given.
    let whole = report(folder, "whole.json").to_string().replace(" --seeds seeds.txt", "");
    let whole = serde_json::from_str(&whole).unwrap();
    let merged = merged(folder, parts, part, true);
    if let Some(differs) = difference(&whole, &merged, "") {
        panic!("{part:?}: {differs}");
    }
}

#[test]
fn the_whole_is_its_sites_with_their_companions() {
    for seed in 1..=3 {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let mut index = vec!["index".to_owned(), "--content".to_owned(), "-olines.jsonl".to_owned()];
        index.extend(archives(folder, seed));
        done(folder, &index.iter().map(String::as_str).collect::<Vec<_>>());
        let alone = |site: &str| {
            ["a.example", "b.example", "cdn.example", "other.test"]
                .iter()
                .position(|name| *name == site)
                .unwrap()
        };
        check(folder, &[], &[], &alone);
        check(folder, &["--profile"], &["--profile"], &alone);
        let seeds = "http://a.example/\nhttp://b.example/\nhttp://nobody.example/\n";
        fs::write(folder.join("seeds.txt"), seeds).unwrap();
        check(folder, &["--seeds", "seeds.txt"], &["--seeds", "seeds.txt"], &|site| alone(site) % 2);
        check(
            folder,
            &["--compare", "text", "--pages", "all"],
            &["--compare", "text", "--pages", "all"],
            &|site| alone(site) % 2,
        );
        done(folder, &["crawls", "lines.jsonl", "-q", "-o", "crawls.json"]);
        check(folder, &["--crawls", "auto"], &["--crawls", "crawls.json"], &alone);
        done(folder, &["crawls", "lines.jsonl", "-q", "-o", "crawls.json", "--from", "2024-03-04"]);
        let from = ["--from", "2024-03-04"];
        check(
            folder,
            &[&from[..], &["--crawls", "auto"]].concat(),
            &[&from[..], &["--crawls", "crawls.json"]].concat(),
            &alone,
        );
    }
}

#[test]
fn without_companions_a_site_is_judged_wrongly() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut index = vec!["index".to_owned(), "--content".to_owned(), "-olines.jsonl".to_owned()];
    index.extend(archives(folder, 1));
    done(folder, &index.iter().map(String::as_str).collect::<Vec<_>>());
    done(folder, &["audit", "lines.jsonl", "-q", "--json=whole.json"]);
    let parts = divide(folder, &|site| usize::from(site == "cdn.example"));
    let whole = report(folder, "whole.json");
    assert_eq!(difference(&whole, &merged(folder, parts, &[], true), ""), None);
    assert!(difference(&whole, &merged(folder, parts, &[], false), "").is_some());
}

#[test]
fn recorded_crawls_are_their_parts() {
    let Some(crawls) = data("crawls") else {
        return say("skipped: no crawls");
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = fs::canonicalize(crawls).unwrap().join("wget").display().to_string();
    done(folder, &["index", &path, "--content", "-q", "-o", "lines.jsonl"]);
    done(folder, &["audit", "lines.jsonl", "-q", "--part-of", "lines.jsonl", "--json=whole.json"]);
    let parts = divide(folder, &|_| 0);
    assert_eq!(difference(&report(folder, "whole.json"), &merged(folder, parts, &[], true), ""), None);
}

#[test]
fn what_does_not_fit_together_is_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut index = vec!["index".to_owned(), "--content".to_owned(), "-olines.jsonl".to_owned()];
    index.extend(archives(folder, 2));
    done(folder, &index.iter().map(String::as_str).collect::<Vec<_>>());
    divide(folder, &|site| usize::from(site == "a.example"));
    let part = |own: &str, more: &[&str], json: &str| {
        done(folder, &[&["audit", own, "--part-of", "x", "-q", json], more].concat());
    };
    part("own-0.jsonl", &[], "--json=0.json");
    part("own-1.jsonl", &["--compare", "text"], "--json=1.json");
    done(folder, &["audit", "own-1.jsonl", "-q", "--json=whole.json"]);
    done(folder, &["audit", "own-1.jsonl", "-q", "--part-of", "y", "--json=of-y.json"]);
    let refused = |arguments: &[&str], why: &str| {
        let output = run(folder, &[&["report"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    };
    refused(&["--merge", "0.json", "1.json"], "other options");
    refused(&["--merge", "0.json", "0.json"], "has the site");
    refused(&["--merge", "0.json", "of-y.json"], "it is a part of y, and those before it of x");
    refused(&["--merge", "0.json", "whole.json"], "which collection");
    refused(&["--merge", "whole.json"], "which collection");
    refused(&["0.json", "1.json", "0.json"], "--merge");
    fs::write(folder.join("crawls.json"), r#"{"schema":"acuity.crawls/1","silence_micros":null,"crawls":[],"stretches":{"x":[{"from":"2024-01-01T00:00:00Z","to":"2024-01-01T00:00:00Z","crawl":3}]}}"#).unwrap();
    let output = run(folder, &["audit", "own-0.jsonl", "--crawls", "crawls.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be used"));
    let output = run(folder, &["audit", "own-0.jsonl", "--part-of", "x", "--companions", "own-0.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
}
