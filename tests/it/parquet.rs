//! Parquet tables: written by `acuity index --format parquet`, read back by everything that reads an index.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::program::run;

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
