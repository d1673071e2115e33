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

/// What captures tell, and page records do not hold.
const NOT_HELD: [&str; 2] = ["links", "sitemap"];

/// The captures of some archives as `lines.jsonl`, without these fields.
fn lines(folder: &Path, seed: u64, without: &[&str]) {
    let mut index = vec!["index".to_owned(), "--content".to_owned(), "-oall.jsonl".to_owned()];
    index.extend(archives(folder, seed));
    done(folder, &index.iter().map(String::as_str).collect::<Vec<_>>());
    let all = fs::read_to_string(folder.join("all.jsonl")).unwrap();
    let line = |line: &str| {
        let mut observation: Value = serde_json::from_str(line).unwrap();
        for field in without {
            observation.as_object_mut().unwrap().remove(*field);
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
    report["summary"]["indexes"] = Value::Null;
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
        lines(folder, seed, &NOT_HELD);
        let options = options[seed as usize % options.len()];
        let whole =
            report(folder, &[&["audit", "lines.jsonl", "--part-of", "lines.jsonl"], options].concat());
        for shards in [1, 2 + seed % 5] {
            let names = map(folder, seed, shards, options);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let reduced = report(folder, &[&["audit"], &names[..]].concat());
            let mut found = Vec::new();
            differences(&whole, &reduced, "", &mut found);
            // The files are others, so one action counts and names others.
            let known = [".actions[].count: 1 and ", ".actions[].file: \"lines.jsonl\" and "];
            // Links are unknown in both, and each says why.
            let why =
                [".sites[].completeness.links_unknown: ", ".sites[].answers.complete.", ".answers.complete."];
            found.retain(|place| !known.iter().chain(&why).any(|known| place.starts_with(known)));
            assert!(found.is_empty(), "{seed} {shards} {options:?}: {found:#?}");
            assert_eq!(
                reduced["sites"][0]["completeness"]["links_unknown"],
                json!("page records hold no links")
            );
        }
    }
}

/// Of captures that follow each other and were answered alike, the first; and all sitemaps, since later ones take precedence.
fn thinned(lines: &str) -> String {
    let mut captures: Vec<(String, Value)> =
        lines.lines().map(|line| (line.to_owned(), serde_json::from_str(line).unwrap())).collect();
    let text = |capture: &Value, name: &str| capture[name].as_str().unwrap_or_default().to_owned();
    captures.sort_by_key(|(_, capture)| (text(capture, "key"), text(capture, "time")));
    let told = [
        "key",
        "url",
        "status",
        "kind",
        "mime",
        "location",
        "soft404",
        "body",
        "declared",
        "truncated",
        "refers_to",
    ];
    let facts = |capture: &Value| told.map(|name| capture[name].clone());
    let mut kept = String::new();
    let mut before = None;
    for (line, capture) in captures {
        let facts = facts(&capture);
        if before.as_ref() != Some(&facts) || !capture["sitemap"].is_null() {
            kept += &format!("{line}\n");
        }
        before = Some(facts);
    }
    kept
}

#[test]
fn with_captures_beside_them_shards_of_pages_have_the_links_of_the_whole_too() {
    let rounds: u64 = std::env::var("ACUITY_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    // What decides the records, and what decides the figures.
    let options: [(&[&str], &[&str]); 5] = [
        (&[], &[]),
        (&["--compare", "text", "--pages", "all"], &["--embeds", "site"]),
        (&["--from", "2024-03-04"], &[]),
        (&["--site-by", "domain"], &["--importance", "sitemap"]),
        (&["--canon", "strict"], &["--importance", "uniform"]),
    ];
    for seed in 1..=rounds {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        lines(folder, seed, &[]);
        let all = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
        let thin = thinned(&all);
        assert!(thin.len() < all.len());
        fs::write(folder.join("thin.jsonl"), thin).unwrap();
        let (of_records, of_figures) = options[seed as usize % options.len()];
        let whole = report(
            folder,
            &[&["audit", "lines.jsonl", "--part-of", "lines.jsonl"], of_records, of_figures].concat(),
        );
        assert!(!whole["sites"][0]["completeness"]["links"].is_null());
        let names = map(folder, seed, 1 + seed % 4, of_records);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for captures in ["lines.jsonl", "thin.jsonl"] {
            let beside = ["--captures", captures];
            let reduced = report(folder, &[&["audit"], &names[..], of_figures, &beside].concat());
            let mut found = Vec::new();
            differences(&whole, &reduced, "", &mut found);
            // The files are others, so one action counts and names others.
            let known = [".actions[].count: 1 and ", ".actions[].file: \"lines.jsonl\" and "];
            found.retain(|place| !known.iter().any(|known| place.starts_with(known)));
            assert!(found.is_empty(), "{seed} {captures} {of_records:?} {of_figures:?}: {found:#?}");
        }
    }
}

#[test]
fn some_pages_of_a_site_are_judged_by_the_rate_prior_of_the_whole() {
    for (seed, options) in
        [(1, &[][..]), (2, &["--pages", "all", "--compare", "text"]), (3, &["--to", "2024-03-07"])]
    {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        lines(folder, seed, &[]);
        done(folder, &[&["rate-prior", "lines.jsonl", "-q", "-o", "prior.json"], options].concat());
        let whole = report(folder, &[&["audit", "lines.jsonl"], options].concat());
        let all = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
        let key =
            |line: &str| serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_owned();
        let (own, others): (Vec<&str>, Vec<&str>) =
            all.lines().partition(|line| hash(&key(line), seed).is_multiple_of(3));
        fs::write(folder.join("own.jsonl"), own.join("\n") + "\n").unwrap();
        fs::write(folder.join("others.jsonl"), others.join("\n") + "\n").unwrap();
        let part = ["audit", "own.jsonl", "--part-of", "whole", "--companions", "others.jsonl"];
        let judged = report(folder, &[&part[..], options, &["--rate-prior", "prior.json"]].concat());
        let alone = report(folder, &[&part[..], options].concat());
        let site = |report: &Value, name: &Value| {
            let sites = report["sites"].as_array().unwrap();
            sites.iter().find(|site| site["site"] == *name).cloned().unwrap_or_default()
        };
        let (mut pages, mut differ) = (0, 0);
        for of_whole in whole["sites"].as_array().unwrap() {
            let (of_part, of_alone) = (site(&judged, &of_whole["site"]), site(&alone, &of_whole["site"]));
            if of_part.is_null() {
                continue;
            }
            for figure in ["prior", "check"] {
                assert_eq!(of_part["rates"][figure], of_whole["rates"][figure], "{seed} {figure}");
            }
            for page in of_part["page_list"].as_array().unwrap() {
                let same = |page: &&Value, other: &Value| page["key"] == other["key"];
                let list = of_whole["page_list"].as_array().unwrap();
                let of_all = list.iter().find(|other| same(other, page)).unwrap();
                assert_eq!(page["rate"], of_all["rate"], "{seed} {}", page["key"]);
                let list = of_alone["page_list"].as_array().unwrap();
                differ +=
                    usize::from(list.iter().find(|other| same(other, page)).unwrap()["rate"] != page["rate"]);
                pages += 1;
            }
        }
        assert!(pages > 5 && differ > 0, "{pages} {differ}");
    }
}

#[test]
fn an_audit_of_page_records_says_what_records_do_not_hold_and_not_that_nothing_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let names = archives(folder, 4);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let whole = report(folder, &[&["audit"], &names[..]].concat());
    let record = |of_records: &[&str], of_audit: &[&str]| {
        done(folder, &[&["pages", "-q", "-o", "pages.jsonl"], of_records, &names[..]].concat());
        report(folder, &[&["audit", "pages.jsonl"], of_audit].concat())
    };
    let reduced = record(&[], &[]);
    assert_eq!(reduced["answers"]["record"], whole["answers"]["record"]);
    let complete = reduced["sites"][0]["answers"]["complete"]["sentence"].as_str().unwrap();
    assert!(complete.starts_with("Page records hold no links."), "{complete}");
    // Where nothing was read, that is said.
    let declared = record(&["--digests", "declared"], &[]);
    let said = declared["answers"]["record"]["sentence"].as_str().unwrap();
    assert!(said.contains("Digests were taken as the archive declares them"), "{said}");
    // With the archives themselves beside them, links are known.
    let mut found = Vec::new();
    let beside = [&["--captures"], &names[..]].concat();
    differences(&whole, &record(&[], &beside), "", &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_page_records_do_not_hold_is_what_follows_from_links() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    lines(folder, 5, &["sitemap"]);
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
    lines(folder, 2, &NOT_HELD);
    let names = map(folder, 2, 1, &[]);
    let refused = |arguments: &[&str], why: &str| {
        let output = run(folder, &[&["audit", "-q"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{stderr}");
        assert!(stderr.contains(why), "{arguments:?}: {stderr}");
    };
    refused(&[&names[0], &names[0]], "two files have a page record");
    refused(&[&names[0], "lines.jsonl"], "page records and captures cannot be mixed");
    refused(&[&names[0], "--stories", "3"], "--stories");
    refused(&[&names[0], "--importance", "inlinks"], "links");
    refused(&["lines.jsonl", "--captures", "lines.jsonl"], "--captures is for audits of page records");
    let some = fs::read_to_string(folder.join("lines.jsonl")).unwrap();
    fs::write(folder.join("some.jsonl"), some.lines().take(2).collect::<Vec<_>>().join("\n")).unwrap();
    refused(&[&names[0], "--captures", "some.jsonl"], "--captures has no capture of");
    for (prior, why) in [
        ("{}", "missing field"),
        (r#"{"schema":"acuity.rate-prior/9","sites":{}}"#, "acuity.rate-prior/9"),
        (
            r#"{"schema":"acuity.rate-prior/1","sites":{"x":{"site":{"shape":0,"beta_seconds":1,"deviation":0},"folders":{},
            "stamps":true,"unbounded":false,"assumed":false,"check":{"pages":0,"changed":0,"expected":0},"refuted":null}}}"#,
            "the figures of x are not a distribution",
        ),
    ] {
        fs::write(folder.join("prior.json"), prior).unwrap();
        refused(&["lines.jsonl", "--rate-prior", "prior.json"], why);
    }
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
