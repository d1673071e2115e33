//! `acuity simulate` as it is run: tables, JSON, CSV, plots, histories and archives.

use std::process::{Command, Output};

use crate::support::data::data;
use serde_json::Value;

fn acuity(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity"))
        .arg("simulate")
        .args(arguments)
        .env("COLUMNS", "80")
        .output()
        .unwrap()
}

#[track_caller]
fn text(arguments: &[&str]) -> String {
    let output = acuity(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn rows(arguments: &[&str]) -> Vec<Value> {
    let json: Value = serde_json::from_str(&text(&[arguments, &["--json"]].concat())).unwrap();
    assert_eq!(json["schema"], "acuity.simulate/1");
    json["rows"].as_array().unwrap().clone()
}

const SMALL: [&str; 6] = ["--pages", "200", "--seeds", "5", "--outdegree", "10"];

#[test]
fn all_strategies_are_compared_and_the_table_fits_eighty_columns() {
    let table = text(&SMALL);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for strategy in acuity::internals::schedule::registry::COMPARED {
        assert!(table.contains(strategy), "{strategy}");
    }
    assert!(table.contains("incoherence, 5 runs") && table.contains("blur, 5 runs"), "{table}");
}

#[test]
fn the_same_seeds_give_the_same_bytes_on_any_number_of_threads() {
    let run = |threads: &str| text(&[&SMALL[..], &["--score", "all", "--json", "-j", threads]].concat());
    let alone = run("1");
    assert!(alone == run("2") && alone == run("7"));
    assert!(alone != text(&[&SMALL[..], &["--score", "all", "--json", "--seed", "2"]].concat()));
}

#[test]
fn a_sweep_is_a_row_for_every_site_and_a_line_for_every_strategy() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("plot.svg").display().to_string();
    let sweep =
        [&SMALL[..], &["--slow-down", "1,2,4", "--strategy", "optimal", "--strategy", "bfs-fifo"]].concat();
    let rows = rows(&[&sweep[..], &["--score", "incoherence", "--svg", &plot]].concat());
    assert_eq!(rows.len(), 6);
    let slow_downs: Vec<f64> = rows.iter().map(|row| row["point"]["slow_down"].as_f64().unwrap()).collect();
    assert_eq!(slow_downs, [1.0, 1.0, 2.0, 2.0, 4.0, 4.0]);
    for pair in rows.chunks(2) {
        assert!(pair[0]["expected"].as_f64().unwrap() < pair[1]["expected"].as_f64().unwrap());
        assert!(pair[0]["published"].is_null() && pair[0]["z"].is_null());
    }
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("incoherence by slow-down"));
    assert_eq!(svg.matches("<polyline").count(), 2);
    let bars = folder.path().join("bars.svg").display().to_string();
    text(&[&SMALL[..], &["--svg", &bars, "--score", "blur"]].concat());
    assert_eq!(std::fs::read_to_string(&bars).unwrap().matches("<rect x").count(), 26);
}

#[test]
fn a_published_table_stands_beside_ours() {
    let rows = rows(&["--paper", "solar-2", "--seeds", "3"]);
    let row =
        rows.iter().find(|row| row["strategy"] == "hottest-middle" && row["score"] == "E(pages)").unwrap();
    assert_eq!(row["published"], 672.271);
    assert!((row["expected"].as_f64().unwrap() - 672.2710).abs() < 5e-5);
    // An expectation has no spread of its own: the difference stands in place of z.
    assert!(row["z"].is_null() && row["difference"].as_f64().unwrap().abs() < 0.01);
    assert!(row["stderr"].as_f64().unwrap() > 0.0);
    let table = text(&["--paper", "solar-2", "--seeds", "3"]);
    assert!(table.contains("published") && table.contains("τ"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn rows_are_sorted_as_asked_and_csv_holds_what_json_holds() {
    let ascending = rows(&[&SMALL[..], &["--sort", "expected", "--score", "incoherence"]].concat());
    let values: Vec<f64> = ascending.iter().map(|row| row["expected"].as_f64().unwrap()).collect();
    assert!(values.is_sorted());
    let mut csv = csv::Reader::from_reader(std::io::Cursor::new(text(
        &[&SMALL[..], &["--sort=-expected", "--score", "incoherence", "--csv"]].concat(),
    )));
    let column = csv.headers().unwrap().iter().position(|name| name == "expected").unwrap();
    let descending: Vec<f64> = csv.records().map(|record| record.unwrap()[column].parse().unwrap()).collect();
    assert_eq!(descending, values.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn crawls_of_days_are_compared_by_what_they_catch() {
    let rows = rows(&[
        "--site",
        "daily",
        "--pages",
        "60",
        "--days",
        "1",
        "--resources",
        "20,100",
        "--seeds",
        "4",
        "--score",
        "completeness,query",
        "--strategy",
        "importance-pattern",
        "--strategy",
        "relevance",
    ]);
    assert_eq!(rows.len(), 8);
    let caught = |row: &Value| row["sampled"].as_f64().unwrap();
    assert!(rows.iter().all(|row| (0.0..=1.0).contains(&caught(row))));
    assert!(caught(&rows[4]) > caught(&rows[0]), "more downloads catch more");
    assert!(rows[0]["expected"].is_number() && rows[2]["expected"].is_null());
}

const HISTORY: &str = "page,change_time,event\n";

/// Sixty pages for three years; every third one changes weekly.
fn history() -> String {
    let mut lines = HISTORY.to_owned();
    for page in 0..60 {
        lines.push_str(&format!("/p{page:02},2020-01-01,A\n"));
    }
    for week in 0..150 {
        let day = acuity::internals::time::Instant::parse("2020-01-02")
            .unwrap()
            .plus(week * 7 * acuity::internals::time::DAY);
        for page in (0..60).step_by(3) {
            lines.push_str(&format!("/p{page:02},{day},M\n"));
        }
    }
    lines
}

#[test]
fn a_history_is_replayed_with_three_kinds_of_rates_and_compared_with_bfs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.changes.csv");
    std::fs::write(&path, history()).unwrap();
    let path = path.display().to_string();
    let rows = rows(&["--history", &path, "--starts", "5", "--duration", "20d", "--score", "incoherence"]);
    for kind in ["oracle", "estimated", "predicted"] {
        let site = format!("site, {kind} rates");
        let of = |strategy: &str, score: &str| {
            let found = rows
                .iter()
                .find(|row| row["site"] == site && row["strategy"] == strategy && row["score"] == score);
            found.unwrap_or_else(|| panic!("{site} {strategy} {score}"))["sampled"].as_f64().unwrap()
        };
        assert!((of("bfs-fifo", "incoherence") - 20.0).abs() < 1e-9);
        let gain = of("optimal", "gain in incoherence over bfs-fifo");
        assert!((gain - (20.0 - of("optimal", "incoherence"))).abs() < 1e-9);
    }
    let table = text(&["--history", &path, "--starts", "2", "--strategy", "optimal"]);
    assert!(table.contains("2 crawls that take 30 d") && table.contains("cross-validation"), "{table}");
}

#[test]
fn an_archive_is_replayed_and_what_is_unknown_stays_so() {
    let Some(folder) = data("crawls/wget") else { return };
    let folder = folder.display().to_string();
    let rows = rows(&[
        &folder,
        "-q",
        "--rates",
        "oracle",
        "--starts",
        "3",
        "--strategy",
        "bfs-fifo",
        "--score",
        "incoherence,blur",
    ]);
    let undecided = rows.iter().find(|row| row["score"] == "undecided").unwrap();
    assert!(undecided["sampled"].as_f64().unwrap() > 0.0);
    let blur = rows.iter().find(|row| row["score"] == "blur").unwrap();
    assert!(blur["sampled"].is_null());
}

#[test]
fn what_makes_no_sense_is_refused_with_a_remedy() {
    for arguments in [
        &["--paper", "sharc-99"][..],
        &["--strategy", "random"],
        &["--score", "speed"],
        &["--sort", "speed"],
        &["--site", "solar-smooth", "--skew", "2"],
        &["--site", "daily", "--score", "incoherence"],
        &["--pages", "0"],
        &["--slow-down", "-1"],
        &["--paper", "solar-1", "--pages", "5"],
        &["--history", "absent.csv"],
        &["--links", "links.csv"],
    ] {
        let output = acuity(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_demo_archive_is_replayed_without_any_option() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo");
    let table = text(&[folder, "-q"]);
    for kind in ["oracle", "estimated", "predicted"] {
        assert!(table.contains(&format!("{kind} rates: incoherence, 20 runs")), "{table}");
    }
    assert!(!table.split_whitespace().any(|word| word == "-0.0000"), "{table}");
    assert!(!table.contains("0.0 days"), "{table}");
    assert!(table.contains("20 crawls that take 1 min"), "{table}");
    let rows = rows(&[folder, "-q", "--strategy", "optimal"]);
    let negative_zero = |row: &serde_json::Value| {
        row.as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_f64)
            .any(|value| value == 0.0 && value.is_sign_negative())
    };
    assert!(!rows.iter().any(negative_zero));
}

#[test]
fn a_daily_site_is_judged_by_what_means_something_to_it() {
    let scores = |more: &[&str]| -> std::collections::BTreeSet<String> {
        let args = [&["--site", "daily", "--pages", "40", "--seeds", "2"], more].concat();
        rows(&args).iter().map(|row| row["score"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(scores(&[]).into_iter().collect::<Vec<_>>(), ["blur-revisits", "completeness"]);
    let all = scores(&["--score", "all"]);
    assert_eq!(all.into_iter().collect::<Vec<_>>(), ["blur-revisits", "completeness", "query"]);
}
