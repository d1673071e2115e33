//! What is written, and where: never over an input, never two outputs to one file, never half a folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::demo::demo;
use crate::support::record::Record;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with an archive, its index, its audit and other things that commands read.
fn desk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let page = |n, date, body| Record::page(n, "http://a.example/", date, body).bytes();
    let archive = [page(1, "2024-01-01T00:00:00Z", "<p>one"), page(2, "2024-01-02T00:00:00Z", "<p>one")];
    fs::write(at("own.warc"), archive.concat()).unwrap();
    fs::write(at("list"), "own.warc\n").unwrap();
    fs::write(at("rates.csv"), "page,rate\na,1\n").unwrap();
    fs::write(at("history.csv"), "page,change_time\nhttp://a.example/,2023-01-01T00:00:00Z\n").unwrap();
    fs::create_dir(at("sheets")).unwrap();
    fs::write(at("sheets/pages.csv"), "url,weight\nhttp://a.example/,1\n").unwrap();
    fs::hard_link(at("own.warc"), at("link.warc")).unwrap();
    let made = [
        run(folder.path(), &["index", "own.warc", "-o", "own.jsonl"]),
        run(folder.path(), &["audit", "own.warc", "--json=audit.json"]),
        run(folder.path(), &["at", "2024-01-01T12:00:00Z", "own.warc", "--json=at.json"]),
    ];
    assert!(made.iter().all(|output| code(output) == 0), "{made:?}");
    folder
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = desk();
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    for line in [
        "index own.warc -o own.warc",
        "index own.warc -o link.warc",
        "index own.warc -o ./sheets/../own.warc",
        "index @list -o own.warc",
        "index . -o own.jsonl",
        "index own.warc --problems own.warc",
        "audit own.warc --missing own.warc",
        "audit own.warc --html own.warc",
        "audit own.jsonl --json=own.jsonl",
        "audit own.warc --problems own.warc",
        "audit own.warc --problems link.warc",
        "audit own.warc --history history.csv --html history.csv",
        "audit own.warc --importance sheets/pages.csv --csv sheets",
        "audit . --json=own.warc",
        "at 2024-01-01 own.warc --print own.warc",
        "at 2024-01-01 own.warc --html own.warc",
        "at 2024-01-01 own.warc --pages-from list --json=list",
        "verify at.json own.warc --tsq own.warc",
        "verify at.json own.warc --tsq at.json",
        "timeline http://a.example/ own.warc --problems own.warc",
        "explain-change http://a.example/ own.warc --problems own.warc",
        "report audit.json --html audit.json",
        "schedule own.warc --json=own.warc",
        "schedule own.warc --html own.warc",
        "schedule audit.json --html audit.json",
        "schedule --rates rates.csv --json=rates.csv",
        "simulate own.warc --svg own.warc",
        "simulate --history history.csv --csv=history.csv",
    ] {
        let names = [
            "own.warc",
            "own.jsonl",
            "history.csv",
            "at.json",
            "audit.json",
            "rates.csv",
            "sheets/pages.csv",
        ];
        let before = names.map(read);
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&output), 2, "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains("which is an input"), "{line}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{line}");
        assert!(before == names.map(read), "{line}");
    }
}

#[test]
fn exported_files_do_not_replace_what_the_schedule_was_made_from() {
    let folder = desk();
    let table = fs::read(folder.path().join("rates.csv")).unwrap();
    fs::write(folder.path().join("schedule.jsonl"), &table).unwrap();
    let export = ["--export", "jsonl", "--out", "."];
    let output = run(folder.path(), &[&["schedule", "--rates", "schedule.jsonl"], &export[..]].concat());
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(fs::read(folder.path().join("schedule.jsonl")).unwrap(), table);
    let output = run(folder.path(), &[&["schedule", "--rates", "rates.csv"], &export[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn two_outputs_do_not_go_to_one_place() {
    let folder = desk();
    for line in [
        "audit own.warc --html x --json=x",
        "audit own.warc --html x --json=./x",
        "audit own.warc --missing x --problems x",
        "audit own.warc --csv d --html d/pages.csv --missing d/pages.csv",
        "audit own.warc --missing - --json",
        "audit own.warc --html - --json",
        "audit own.warc --problems - --json",
        "report audit.json --html - --json",
        "at 2024-01-01 own.warc --print - --json",
        "index own.warc --problems -",
        "simulate --site sharc --pages 10 --json --csv",
        "schedule audit.json --json --html -",
    ] {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&output), 2, "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains("would both write to"), "{line}: {}", stderr(&output));
        assert!(output.stdout.is_empty() && !folder.path().join("x").exists(), "{line}");
    }
    // What goes to standard output takes the place of the text.
    let output = run(folder.path(), &["audit", "own.warc", "--html", "-"]);
    assert!(output.stdout.starts_with(b"<!DOCTYPE html>") && output.stdout.ends_with(b"</html>\n"));
    let output = run(folder.path(), &["audit", "own.warc", "--html", "/dev/null", "--json=/dev/null"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    // The same command may be run again, in the folder that it writes to.
    for _ in 0..2 {
        let output = run(folder.path(), &["audit", ".", "--json=again.json", "--csv", "again", "-q"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}

#[test]
fn a_folder_of_tables_never_holds_parts_of_two_audits() {
    let folder = demo();
    let sheets = |name: &str| -> Vec<String> {
        let entries = fs::read_dir(folder.path().join(name)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    fs::create_dir(folder.path().join("both")).unwrap();
    fs::write(folder.path().join("both/terms.csv"), "mine\n").unwrap();
    let told = ["audit", "visit.warc.gz", "revisit.warc.gz", "--stories", "3", "--csv"];
    assert_eq!(code(&run(folder.path(), &[&told[..], &["first"]].concat())), 0);
    assert!(sheets("first").contains(&"looks.csv".to_owned()));
    let all: Vec<String> =
        acuity::internals::report::csv::FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert!(sheets("first").iter().all(|name| all.contains(name)), "{:?}", sheets("first"));
    for name in ["first", "second", "both"] {
        assert_eq!(code(&run(folder.path(), &["audit", "visit.warc.gz", "--csv", name])), 0);
    }
    assert_eq!(sheets("first"), sheets("second"));
    // A file that only has the name of one of ours stays.
    assert_eq!(fs::read_to_string(folder.path().join("both/terms.csv")).unwrap(), "mine\n");
}

#[test]
fn a_full_disk_is_told_with_the_name_of_the_file() {
    let folder = desk();
    for line in [
        "index own.warc -o /dev/full",
        "audit own.warc --json=/dev/full",
        "audit own.warc --html /dev/full",
        "schedule audit.json --json=/dev/full",
        "simulate --site sharc --pages 10 --csv=/dev/full",
    ] {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&output), 74, "{line}: {}", stderr(&output));
        let text = stderr(&output);
        assert!(text.contains("/dev/full cannot be written: No space left"), "{line}: {text}");
        assert_eq!(text.matches("No space").count(), 1, "{line}: {text}");
    }
}

#[test]
fn a_temporary_file_that_cannot_be_made_is_told_with_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    // More than is held in any case.
    let url = |page: u32| format!("http://a.example/{page}/{}", "x".repeat(2000));
    let pages = (0..2000).flat_map(|n| Record::page(n, &url(n), "2024-01-01T00:00:00Z", "x").bytes());
    fs::write(folder.path().join("many.warc"), pages.collect::<Vec<u8>>()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["audit", "many.warc", "--memory", "0"])
        .current_dir(folder.path())
        .env("TMPDIR", "/nonexistent")
        .output()
        .unwrap();
    let text = stderr(&output);
    assert_eq!(code(&output), 74, "{text}");
    assert!(text.contains("a temporary file in /nonexistent (TMPDIR) cannot be written"), "{text}");
    assert_eq!(text.matches("No such file").count(), 1, "{text}");
}

#[test]
fn errors_are_told_once_and_in_one_line() {
    let folder = desk();
    for (line, code_of, words) in [
        ("audit own.warc --weights audit.json", 2, "audit.json: line 1: "),
        ("schedule --rates nothing.csv", 2, "nothing.csv: No such file"),
        ("audit own.warc --history nothing.csv", 2, "nothing.csv: No such file"),
        ("simulate --history nothing.csv", 2, "nothing.csv: No such file"),
        ("schedule nothing.json", 2, "nothing.json: No such file"),
    ] {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let text = stderr(&output);
        assert_eq!(code(&output), code_of, "{line}: {text}");
        assert!(text.contains(words) && !text.contains("\\u{a}"), "{line}: {text}");
        assert!(text.matches("No such file").count() <= 1, "{line}: {text}");
    }
}

#[test]
fn a_reader_who_leaves_takes_neither_files_nor_the_exit_code_along() {
    let folder = desk();
    let at = |name: &str| folder.path().join(name);
    // Standard output is a pipe that nobody reads.
    let unread = |line: &str| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let arguments = line.split(' ');
        let mut command = Command::new(env!("CARGO_BIN_EXE_acuity"));
        code(&command.args(arguments).current_dir(folder.path()).stdout(writer).output().unwrap())
    };
    for (line, files) in [
        (
            "plan --rates rates.csv --weeks 1 --budget 5 --csv p.csv --html p.html --json=p.json",
            "p.csv p.html p.json",
        ),
        ("plan own.warc --weeks 1 --budget 5 --export jsonl --out plan --json", "plan/schedule.jsonl"),
        ("schedule --rates rates.csv --html s.html --export jsonl --out next", "s.html next/schedule.jsonl"),
        ("schedule --rates rates.csv --drive true --drive-log d.jsonl", "d.jsonl"),
        ("audit own.warc --html a.html", "a.html"),
        ("at 2024-01-01T12:00:00Z own.warc --html at.html", "at.html"),
        ("verify at.json own.warc --tsq at.tsq", "at.tsq"),
        ("timeline http://a.example/ own.warc --html t.html", "t.html"),
        ("rebuild --repo own=own.warc --seed http://a.example/ -o r.warc", "r.warc"),
        ("index own.warc", ""),
    ] {
        assert_eq!(unread(line), 0, "{line}");
        for file in files.split_whitespace() {
            assert!(at(file).exists(), "{line}: {file}");
        }
    }
    let forged = fs::read_to_string(at("at.json")).unwrap().replacen("a.example", "b.example", 1);
    fs::write(at("forged.json"), forged).unwrap();
    assert_eq!(unread("verify forged.json own.warc"), 1);
    fs::write(
        at("once.warc"),
        Record::page(1, "http://a.example/", "2024-01-01T00:00:00Z", "<p>one").bytes(),
    )
    .unwrap();
    assert_eq!(unread("audit once.warc --fail-under coherence=0.95"), 1);
}
