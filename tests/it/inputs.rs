//! What is read, however it is named: names that are no UTF-8, pipes, lists; and how many threads read it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::record::Record;
use serde_json::Value;

const ODD: &[u8] = b"caf\xe9.warc";
const SHOWN: &str = "caf\\xE9.warc";

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acuity"));
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// The output of a command that must not wait for anybody.
fn soon(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("{command:?} hangs");
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A page that changed between two looks.
fn archive() -> Vec<u8> {
    let page = |n, date, body| Record::page(n, "http://a.example/", date, body).bytes();
    [page(1, "2024-01-01T00:00:00Z", "<p>one"), page(2, "2024-01-02T00:00:00Z", "<p>two")].concat()
}

#[test]
fn a_name_that_is_no_utf8_is_read_and_shown_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let odd = OsStr::from_bytes(ODD);
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in").join(odd), archive()).unwrap();
    fs::copy(folder.path().join("in").join(odd), folder.path().join(odd)).unwrap();
    fs::write(folder.path().join("list"), [ODD, b"\n"].concat()).unwrap();
    for (argument, name) in
        [(odd, SHOWN), ("in".as_ref(), &*format!("in/{SHOWN}")), ("@list".as_ref(), SHOWN)]
    {
        let output = soon({
            let mut command = program(folder.path());
            command.args(["audit", "--json", "--html", "x.html"]).arg(argument);
            command
        });
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let audit = json(&output);
        assert_eq!(audit["inputs"][0]["path"], name);
        assert!(audit["inputs"][0]["blake3"].is_string());
        // Bodies are found again by the name.
        let change = &audit["sites"][0]["page_list"][0]["change_importance"][0];
        assert!(change["importance"].is_number(), "{change}");
    }
    let mut at = program(folder.path());
    at.args(["at", "2024-01-01T12:00:00Z", "--json=at.json"]).arg(odd);
    assert_eq!(soon(at).status.code(), Some(0));
    let mut verify = program(folder.path());
    verify.args(["verify", "at.json"]).arg(odd);
    let output = soon(verify);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_pipe_in_a_folder_is_passed_over_and_a_named_one_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/a.warc"), archive()).unwrap();
    for name in ["in/pipe", "named"] {
        let made = Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap();
        assert!(made.success());
    }
    let mut index = program(folder.path());
    index.args(["index", "in", "--problems", "problems.jsonl"]);
    let output = soon(index);
    assert_eq!(
        (output.status.code(), output.stdout.iter().filter(|byte| **byte == b'\n').count()),
        (Some(0), 2)
    );
    let problems = fs::read_to_string(folder.path().join("problems.jsonl")).unwrap();
    assert!(problems.contains("\"not-a-file\"") && problems.contains("in/pipe"), "{problems}");

    let pipe = folder.path().join("named");
    let writer =
        thread::spawn(move || fs::File::options().write(true).open(pipe).unwrap().write_all(&archive()));
    let mut audit = program(folder.path());
    audit.args(["audit", "named", "--json", "--html", "x.html"]);
    let output = soon(audit);
    writer.join().unwrap().unwrap();
    let audit = json(&output);
    assert_eq!(audit["summary"]["observations"], 2);
    assert!(audit["inputs"][0]["blake3"].is_null());

    // What cannot be read again is no witness.
    let mut at = program(folder.path());
    at.args(["at", "2024", "named"]);
    assert_eq!(soon(at).status.code(), Some(2));
}

#[test]
fn a_list_is_not_written_over_and_may_come_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc"), archive()).unwrap();
    fs::write(folder.path().join("b.warc"), archive()).unwrap();
    fs::write(folder.path().join("list"), "a.warc\n").unwrap();
    let mut index = program(folder.path());
    index.args(["index", "@list", "-o", "list"]);
    assert_eq!(soon(index).status.code(), Some(2));
    let mut audit = program(folder.path());
    audit.args(["audit", "--json", "--visit", "@-", "--revisit", "b.warc"]);
    audit.stdin(fs::File::open(folder.path().join("list")).unwrap());
    let audit = json(&soon(audit));
    assert_eq!(audit["inputs"].as_array().unwrap().len(), 2);
}

#[test]
fn so_many_threads_that_none_can_start_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc"), archive()).unwrap();
    for (threads, code) in [("0", 2), ("1", 0), ("64", 0), ("1025", 2), ("100000", 2)] {
        let mut index = program(folder.path());
        index.args(["index", "a.warc", "-j", threads]);
        let output = soon(index);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{threads}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn hashes_of_a_package_that_are_not_checked_are_said_not_to_be() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/torture/wacz-stored.wacz");
    let kinds = |digests: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut index = program(folder.path());
        index.args(["index", "--problems", "p.jsonl", "--digests", digests]).arg(&package);
        assert_eq!(soon(index).status.code(), Some(0));
        fs::read_to_string(folder.path().join("p.jsonl")).unwrap()
    };
    assert!(kinds("declared").contains("\"wacz-hashes-unchecked\""));
    assert!(!kinds("verify").contains("wacz-hashes-unchecked"));
}

#[test]
fn no_table_of_captures_acts_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let page = Record::page(1, "http://a.example/\u{1b}[2J", "2024-01-01T00:00:00Z", "x").bytes();
    fs::write(folder.path().join("a.warc"), page).unwrap();
    let mut index = program(folder.path());
    index.args(["index", "a.warc", "--format", "csv"]);
    let output = soon(index);
    assert!(output.stdout.starts_with(b"url,") && !output.stdout.contains(&0x1b));
}
