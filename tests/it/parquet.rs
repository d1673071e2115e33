//! Parquet tables: written by `acuity index --format parquet`, read back by everything that reads an index.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::digests::{md5_hex, sha1};
use crate::support::program::run;
use crate::support::record::{Record, id, ok};

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    stderr
}

fn inputs() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo").to_owned()
}

/// The report without what names files and their lengths.
fn figures(folder: &Path, input: &str) -> Value {
    done(folder, &["audit", input, "-q", "--json=report.json"]);
    let text = fs::read_to_string(folder.join("report.json")).unwrap();
    let mut report: Value = serde_json::from_str(&text.replace(input, "INPUT")).unwrap();
    report["inputs"] = Value::Null;
    report
}

fn tables(folder: &Path, part: &str) -> Vec<std::path::PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn an_audit_of_parquet_equals_one_of_json_lines_and_a_second_run_makes_nothing_anew() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let input = inputs();
    let index = ["index", &input, "--content", "--format", "parquet", "--out", "columns"];
    assert!(done(folder, &index).contains("2 archives indexed, 0 unchanged"));
    done(folder, &["index", &input, "--content", "--out", "lines1"]);
    // Names of one length, so that suggested commands wrap alike.
    assert_eq!(figures(folder, "columns"), figures(folder, "lines1"));
    let first: Vec<Vec<u8>> =
        tables(folder, "columns/observations").iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(done(folder, &index).contains("0 archives indexed, 2 unchanged"));
    // A table that was altered is made again, with the same bytes.
    let altered = &tables(folder, "columns/observations")[0];
    fs::write(altered, "PAR1").unwrap();
    assert!(done(folder, &index).contains("1 archive indexed, 1 unchanged"));
    let again: Vec<Vec<u8>> =
        tables(folder, "columns/observations").iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(first == again);
}

#[test]
fn rows_hold_every_field_of_an_observation() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let input = inputs();
    done(folder, &["index", &input, "--content", "--format", "parquet", "--out", "columns"]);
    done(folder, &["index", &input, "--content", "-o", "lines.jsonl"]);
    done(folder, &["index", "columns", "--content", "-o", "back.jsonl"]);
    let sorted = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted("back.jsonl"), sorted("lines.jsonl"));
}

#[test]
fn damaged_tables_end_in_a_problem_and_never_in_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    done(folder, &["index", &inputs(), "--content", "--format", "parquet", "--out", "columns"]);
    let whole = fs::read(&tables(folder, "columns/observations")[0]).unwrap();
    let mut state = 7u64;
    for round in 0..60 {
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes.truncate(bytes.len() * (round + 1) / 64),
            _ => {
                for _ in 0..=round % 7 {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    // Half of the changes go to the description at the end.
                    let from = if round % 2 == 0 { bytes.len() - 4000 } else { 0 };
                    let at = from + (state >> 33) as usize % (bytes.len() - from);
                    bytes[at] ^= 1 << (state >> 61);
                }
            }
        }
        fs::write(folder.join("damaged.parquet"), bytes).unwrap();
        let output = run(folder, &["index", "damaged.parquet", "-o", "out.jsonl", "-q"]);
        assert!(
            matches!(output.status.code(), Some(0 | 3)),
            "{round}: {:?} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn other_tables_and_formats_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    done(folder, &["index", &inputs(), "--content", "--format", "parquet", "--out", "columns"]);
    let links = tables(folder, "columns/links")[0].display().to_string();
    let output = run(folder, &["index", &links]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a table of observations"));
    let output = run(folder, &["index", &inputs(), "--format", "parquet"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--out DIR"));
    let output = run(folder, &["index", &inputs(), "--format", "csv", "--out", "x"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Archives in `archive`, audited as they are and as tables in `columns`; gives both reports without what names files and their lengths.
fn both(folder: &Path, archives: &[(&str, Vec<Record>)]) -> [Value; 2] {
    fs::create_dir_all(folder.join("archive")).unwrap();
    for (name, records) in archives {
        let bytes: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
        fs::write(folder.join("archive").join(name), bytes).unwrap();
    }
    run(folder, &["index", "archive", "--content", "--format", "parquet", "--out", "columns", "-q"]);
    // Names of one length, so that suggested commands wrap alike.
    ["archive", "columns"].map(|input| of_inputs(folder, &[input], input))
}

/// The report of an audit without what names files and their lengths.
fn of_inputs(folder: &Path, inputs: &[&str], name: &str) -> Value {
    run(folder, &[&["audit", "-q", "--json=report.json"], inputs].concat());
    let text = fs::read_to_string(folder.join("report.json")).unwrap();
    let mut report: Value = serde_json::from_str(&text).unwrap();
    // Commands name the inputs.
    let named = |value: Value| {
        let text = value.to_string().replace(&format!(" {name} "), " INPUT ");
        let text = text.replace(&format!(" {name}:"), " INPUT:");
        serde_json::from_str(&text.replace(&format!(" {name}\""), " INPUT\"")).unwrap()
    };
    for part in ["actions", "sites"] {
        report[part] = named(report[part].take());
    }
    report["inputs"] = Value::Null;
    for count in ["files", "indexes"] {
        report["summary"][count] = Value::Null;
    }
    report
}

const PAGE: &str =
    "<html><title>x</title><body><p>A page of some words, with a <a href='/q'>link</a>.</p></body></html>";

#[test]
fn a_revisit_beside_a_cut_original_finds_the_whole_one_in_another_archive() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/p";
    let cut = Record::page(1, url, "2024-01-01T00:00:00Z", &PAGE[..40])
        .set("WARC-Payload-Digest", &sha1(PAGE.as_bytes()))
        .field("WARC-Truncated", "length");
    let revisit =
        Record::revisit(2, url, "2024-01-03T00:00:00Z", "identical-payload-digest", &ok(PAGE.len()))
            .field("WARC-Payload-Digest", &sha1(PAGE.as_bytes()));
    let whole = Record::page(3, "http://a.example/copy", "2024-01-02T00:00:00Z", PAGE);
    let last = Record::page(4, url, "2024-01-05T00:00:00Z", PAGE);
    let [archives, tables] =
        both(folder.path(), &[("1.warc", vec![cut, revisit]), ("2.warc", vec![whole, last])]);
    assert_eq!(archives["summary"]["problems"], tables["summary"]["problems"]);
    assert_eq!(archives["answers"]["record"], tables["answers"]["record"]);
    assert_eq!(archives, tables);
    assert!(!archives["problems"].to_string().contains("revisit-of-cut"));
}

#[test]
fn what_the_first_table_could_not_compare_is_compared_when_the_archives_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/p";
    // No digest, and one of another kind than the revisit has.
    let bare = Record::page(1, url, "2024-01-01T00:00:00Z", PAGE).without("WARC-Payload-Digest");
    let other = Record::page(2, "http://a.example/q", "2024-01-01T00:00:00Z", &PAGE[1..])
        .set("WARC-Payload-Digest", &format!("md5:{}", md5_hex(&PAGE.as_bytes()[1..])));
    let revisit = |n, original: &str, url: &str, body: &str| {
        Record::revisit(n, url, "2024-01-03T00:00:00Z", "identical-payload-digest", &ok(body.len()))
            .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
            .field("WARC-Refers-To", &format!("<{original}>"))
    };
    let records = vec![
        bare,
        other,
        revisit(3, &id(1), url, PAGE),
        revisit(4, &id(2), "http://a.example/q", &PAGE[1..]),
    ];
    let [archives, tables] = both(folder.path(), &[("1.warc", records)]);
    assert_eq!(archives, tables);
    fs::rename(folder.path().join("archive"), folder.path().join("gone")).unwrap();
    let gone = of_inputs(folder.path(), &["columns"], "columns");
    let pages = |report: &Value| report["sites"][0]["coherence"].clone();
    assert_eq!(pages(&gone), pages(&archives));
}

#[test]
fn what_was_checked_goes_with_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = Record::page(1, "http://a.example/", "2024-01-01T00:00:00Z", PAGE);
    let wrong = Record::page(2, "http://a.example/q", "2024-01-02T00:00:00Z", PAGE)
        .set("WARC-Payload-Digest", &sha1(b"something else"));
    let [archives, _] = both(folder, &[("1.warc", vec![page, wrong])]);
    let table = tables(folder, "columns/observations").remove(0);
    fs::copy(table, folder.join("moved.parquet")).unwrap();
    let moved = of_inputs(folder, &["moved.parquet"], "moved.parquet");
    assert_eq!(moved["answers"]["record"], archives["answers"]["record"]);
    assert_eq!(moved["problems"], archives["problems"]);
    assert!(moved["problems"].to_string().contains("payload-digest"));
    // Digests that were taken as declared were not checked.
    run(
        folder,
        &["index", "archive", "--digests", "declared", "--format", "parquet", "--out", "taken", "-q"],
    );
    fs::copy(tables(folder, "taken/observations").remove(0), folder.join("taken.parquet")).unwrap();
    let taken = of_inputs(folder, &["taken.parquet"], "taken.parquet");
    assert_eq!(taken["answers"]["record"]["band"], "cannot tell");
}

#[test]
fn pages_without_links_are_known_to_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = |n, date: &str| Record::page(n, "http://a.example/", date, "<title>x</title><p>No links.");
    let [archives, tables] =
        both(folder, &[("1.warc", vec![page(1, "2024-01-01T00:00:00Z"), page(2, "2024-01-02T00:00:00Z")])]);
    assert_eq!(archives["answers"]["complete"], tables["answers"]["complete"]);
    assert_eq!(archives, tables);
    // Nobody looked for links.
    run(folder, &["index", "archive", "--format", "parquet", "--out", "without", "-q"]);
    let without = of_inputs(folder, &["without"], "without");
    assert!(without["sites"][0]["completeness"]["links_unknown"].is_string());
}

#[test]
fn parts_of_a_collection_tell_each_problem_once_and_what_was_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = |n, host: &str| {
        let record = Record::page(n, &format!("http://{host}/"), "2024-01-01T00:00:00Z", PAGE);
        record.set("WARC-Payload-Digest", &sha1(host.as_bytes()))
    };
    let archives: Vec<(&str, Vec<Record>)> = ["a", "b", "c"]
        .iter()
        .zip(1..)
        .map(|(name, n)| (*name, vec![page(n, &format!("{name}.example"))]))
        .collect();
    let [archives, whole] = both(folder, &archives);
    let tables = tables(folder, "columns/observations");
    let tables: Vec<String> = tables.iter().map(|table| table.display().to_string()).collect();
    let mut merge = vec!["report", "--merge", "--part-of", "columns", "--json=merged.json"];
    for (number, name) in [(2, "--json=2"), (0, "--json=0"), (1, "--json=1")] {
        let (own, others): (Vec<_>, Vec<_>) = tables.iter().partition(|table| **table == tables[number]);
        let mut audit = vec!["audit", own[0], "--part-of", "columns", "-q", name, "--companions"];
        audit.extend(others.iter().map(|table| table.as_str()));
        run(folder, &audit);
        merge.push(&name[7..]);
    }
    let output = run(folder, &merge);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let merged: Value = serde_json::from_slice(&fs::read(folder.join("merged.json")).unwrap()).unwrap();
    assert_eq!(archives["problems"].as_array().unwrap().len(), 3);
    for part in ["problems", "answers"] {
        assert_eq!(merged[part], archives[part]);
        assert_eq!(whole[part], archives[part]);
    }
    assert_eq!(merged["summary"]["problems"], archives["summary"]["problems"]);
}
