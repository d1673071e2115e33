//! What `acuity audit` says of rates that rest on little, and of tables that do not belong to the archive.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::demo::demo;
use crate::support::record::Record;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity"))
        .arg("audit")
        .args(arguments)
        .current_dir(folder)
        .env_remove("COLUMNS")
        .output()
        .unwrap()
}

/// The text without its line breaks.
fn text(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn folder(looks: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let record = |(number, (time, body)): (usize, &(&str, &str))| {
        Record::page(number as u32 + 1, "http://a.example/", time, body).bytes()
    };
    let bytes: Vec<u8> = looks.iter().enumerate().flat_map(record).collect();
    std::fs::write(folder.path().join("a.warc"), bytes).unwrap();
    folder
}

#[test]
fn one_capture_gives_an_assumed_rate_no_certainty_and_meets_no_bar() {
    let folder = folder(&[("2024-01-01T00:00:00Z", "<p>one</p>")]);
    let said = text(folder.path(), &["a.warc", "--details"]);
    assert!(said.contains("rate – unknown: nothing shows how often the pages"), "{said}");
    assert!(!said.contains("versions 1") && said.contains("blur – unknown"), "{said}");
    assert!(!said.contains("100 to 100%") && !said.contains("by the pages of its site"), "{said}");
    let output = run(folder.path(), &["a.warc", "--fail-under", "versions=0.99,blur=0.01"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_page_that_differs_at_every_look_is_told_with_a_way_out() {
    let folder = folder(&[
        ("2024-01-01T00:00:00Z", "<p>x</p><!-- 1 -->"),
        ("2024-01-01T00:00:02Z", "<p>x</p><!-- 2 -->"),
        ("2024-01-02T00:00:00Z", "<p>x</p><!-- 3 -->"),
        ("2024-01-02T00:00:02Z", "<p>x</p><!-- 4 -->"),
    ]);
    let said = text(folder.path(), &["a.warc", "--details"]);
    assert!(said.contains("1 page differs even at captures 2 s apart"), "{said}");
    assert!(said.contains("--compare text"), "{said}");
    let said = text(folder.path(), &["a.warc", "--compare", "text", "--details"]);
    assert!(!said.contains("differs even at") && said.contains("1 was unchanged"), "{said}");
}

#[test]
fn a_history_that_captures_refute_and_tables_of_other_pages_are_told() {
    let folder = demo();
    let write = |name: &str, rows: &str| std::fs::write(folder.path().join(name), rows).unwrap();
    let archives = ["visit.warc.gz", "revisit.warc.gz"];
    write("wrong.csv", "page,change_time\nhttp://library.example/about/,2024-03-04T09:10:00Z\n");
    write("other.csv", "page,change_time\nhttp://other.example/,2024-03-04T09:10:00Z\n");
    write("weights.csv", "http://other.example/,1\n");
    let with = |more: &[&str]| text(folder.path(), &[&archives[..], more, &["--details"]].concat());
    let said = with(&["--history", "wrong.csv"]);
    assert!(said.contains("warning history-contradicted") && said.contains("09:10:00"), "{said}");
    let said = with(&["--history", "other.csv"]);
    assert!(said.contains("warning history-unmatched"), "{said}");
    let said = with(&["--importance", "weights.csv"]);
    assert!(said.contains("warning importance-unmatched"), "{said}");
    assert!(!with(&["--history", "wrong.csv", "--json"]).contains("-0.0,"));
    assert!(!with(&[]).contains("warning"));
}
