//! Page records: the captures of sites divided by page in any way, and the figures made of all records, equal the audit of the whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::bounded::archives;
use crate::support::program::run;

fn done(folder: &Path, arguments: &[&str]) {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
}

/// A number that depends on a key and a seed alone.
fn hash(key: &str, seed: u64) -> u64 {
    key.bytes().fold(seed.wrapping_mul(0x9e37_79b9) | 1, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(7)
    })
}

/// The captures of some archives as `lines.jsonl`, without what the figures of page records leave out if not `linked`.
fn lines(folder: &Path, seed: u64, linked: bool) {
    let mut index = vec!["index".to_owned(), "--content".to_owned(), "-oall.jsonl".to_owned()];
    index.extend(archives(folder, seed));
    done(folder, &index.iter().map(String::as_str).collect::<Vec<_>>());
    let all = fs::read_to_string(folder.join("all.jsonl")).unwrap();
    let line = |line: &str| {
        let mut observation: Value = serde_json::from_str(line).unwrap();
        if !linked {
            observation.as_object_mut().unwrap().remove("links");
        }
        format!("{observation}\n")
    };
    fs::write(folder.join("lines.jsonl"), all.lines().map(line).collect::<String>()).unwrap();
}

/// Makes the page records of `shards` parts, each with the captures of all others beside it; gives their names.
fn map(folder: &Path, seed: u64, shards: u64, options: &[&str]) -> Vec<String> {
    let mut parts: BTreeMap<u64, String> = BTreeMap::new();
    for line in fs::read_to_string(folder.join("lines.jsonl")).unwrap().lines() {
        let observation: Value = serde_json::from_str(line).unwrap();
        let shard = hash(observation["key"].as_str().unwrap(), seed) % shards;
        *parts.entry(shard).or_default() += &format!("{line}\n");
    }
    let mut names = Vec::new();
    for (number, own) in &parts {
        let others = parts.iter().filter(|(other, _)| *other != number).map(|(_, lines)| lines.as_str());
        fs::write(folder.join("own.jsonl"), own).unwrap();
        fs::write(folder.join("others.jsonl"), others.collect::<String>()).unwrap();
        let is_parquet = cfg!(feature = "parquet") && number % 2 == 1;
        let name = format!("pages-{number}.{}", if is_parquet { "parquet" } else { "jsonl" });
        let mut arguments = vec!["pages", "own.jsonl", "--part-of", "lines.jsonl", "-q", "-o", &name];
        if parts.len() > 1 {
            arguments.extend(["--companions", "others.jsonl"]);
        }
        arguments.extend(options);
        done(folder, &arguments);
        names.push(name);
    }
    // In any order.
    names.sort_by_key(|name| hash(name, seed));
    names
}

fn report(folder: &Path, arguments: &[&str]) -> Value {
    done(folder, &[arguments, &["-q", "--json=report.json"]].concat());
    let mut report: Value = serde_json::from_slice(&fs::read(folder.join("report.json")).unwrap()).unwrap();
    report["inputs"] = Value::Null;
    report["summary"]["files"] = Value::Null;
    report
}

/// All places where two reports differ.
fn differences(one: &Value, other: &Value, place: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            for name in names {
                let of = |map: &serde_json::Map<String, Value>| map.get(name).cloned().unwrap_or_default();
                differences(&of(a), &of(b), &format!("{place}.{name}"), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b) {
                differences(a, b, &format!("{place}[]"), found);
            }
        }
        _ if one != other => found.push(format!("{place}: {one} and {other}")),
        _ => {}
    }
}

#[test]
fn shards_of_pages_and_a_reduce_are_the_whole() {
    let rounds: u64 = std::env::var("ACUITY_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let options: [&[&str]; 4] =
        [&[], &["--compare", "text", "--pages", "all"], &["--from", "2024-03-04"], &["--site-by", "domain"]];
    for seed in 1..=rounds {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        lines(folder, seed, false);
        let options = options[seed as usize % options.len()];
        let whole =
            report(folder, &[&["audit", "lines.jsonl", "--part-of", "lines.jsonl"], options].concat());
        for shards in [1, 2 + seed % 5] {
            let names = map(folder, seed, shards, options);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let reduced = report(folder, &[&["audit"], &names[..]].concat());
            let mut found = Vec::new();
            differences(&whole, &reduced, "", &mut found);
            // The files are others, so one action counts others.
            let known = [".sites[].completeness.links_unknown: ", ".actions[].count: 1 and "];
            found.retain(|place| !known.iter().any(|known| place.starts_with(known)));
            assert!(found.is_empty(), "{seed} {shards} {options:?}: {found:#?}");
            assert_eq!(
                reduced["sites"][0]["completeness"]["links_unknown"],
                json!("page records hold no links")
            );
        }
    }
}

#[test]
fn what_page_records_do_not_hold_is_what_follows_from_links() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    lines(folder, 5, true);
    let whole =
        report(folder, &["audit", "lines.jsonl", "--part-of", "lines.jsonl", "--importance", "uniform"]);
    let names = map(folder, 5, 3, &[]);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let reduced = report(folder, &[&["audit"], &names[..], &["--importance", "uniform"]].concat());
    let mut found = Vec::new();
    differences(&whole, &reduced, "", &mut found);
    let of_links = [
        ".sites[].completeness.",
        ".sites[].missing",
        ".sites[].next",
        ".sites[].reschedule",
        ".sites[].repair",
        ".sites[].page_list[].found",
        ".sites[].page_list[].sitemap",
        ".sites[].answers.complete",
        ".sites[].answers.why",
        ".answers.complete",
        ".actions",
    ];
    found.retain(|place| !of_links.iter().any(|known| place.starts_with(known)));
    assert!(found.is_empty(), "{found:#?}");
    for site in reduced["sites"].as_array().unwrap() {
        assert!(site["completeness"]["links"].is_null() && site["completeness"]["embeds"].is_null());
    }
}

#[test]
fn what_is_no_sound_set_of_page_records_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    lines(folder, 2, false);
    let names = map(folder, 2, 1, &[]);
    let refused = |arguments: &[&str], why: &str| {
        let output = run(folder, &[&["audit", "-q"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{stderr}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    };
    refused(&[&names[0], &names[0]], "two files have a page record");
    refused(&[&names[0], "lines.jsonl"], "others are captures");
    refused(&[&names[0], "--stories", "3"], "--stories");
    refused(&[&names[0], "--importance", "inlinks"], "links");
    let text = fs::read_to_string(folder.join(&names[0])).unwrap();
    let broken = |name: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(folder.join(name), text.replacen(from, to, 1)).unwrap();
    };
    broken("version.jsonl", "acuity.pages/1", "acuity.pages/9");
    refused(&["version.jsonl"], "acuity.pages/9");
    broken("place.jsonl", "\"answer\":0", "\"answer\":70");
    refused(&["place.jsonl"], "contradicts itself");
    broken("cut.jsonl", "\"captures\":[", "\"captures\":[{");
    refused(&["cut.jsonl"], "line 2");
    fs::write(
        folder.join("options.jsonl"),
        text.replacen("\"compare\":\"bytes\"", "\"compare\":\"text\"", 1),
    )
    .unwrap();
    refused(&[&names[0], "options.jsonl"], "other options");
}
