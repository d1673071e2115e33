//! Unattended jobs: missing inputs, full disks, signals, endless streams, inputs in any order.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::support::pack::gzip;
use crate::support::program::{acuity, run};
use crate::support::record::Record;
use crate::support::zip::zip;
use serde_json::Value;

const DATE: &str = "2024-01-01T00:00:00Z";

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lines(output: &Output) -> usize {
    output.stdout.iter().filter(|byte| **byte == b'\n').count()
}

fn page(n: u32, url: &str, body: &str) -> Vec<u8> {
    Record::page(n, url, DATE, body).bytes()
}

fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

#[test]
fn missing_inputs_are_all_named_and_the_rest_is_read() {
    let list = b"a.warc\ngone-1.warc\nb.warc\ngone-2.warc\n";
    let folder = folder_with(&[
        ("a.warc", &page(1, "http://a.example/", "<p>a")),
        ("b.warc", &page(2, "http://b.example/", "<p>b")),
        ("list", list),
    ]);
    let output = run(folder.path(), &["index", "@list", "--problems", "problems.jsonl"]);
    assert_eq!((code(&output), lines(&output)), (3, 2), "{}", stderr(&output));
    let problems = fs::read_to_string(folder.path().join("problems.jsonl")).unwrap();
    assert!(problems.contains("gone-1.warc") && problems.contains("gone-2.warc"), "{problems}");
    assert!(stderr(&output).contains("gone-1.warc") && stderr(&output).contains("gone-2.warc"));
    let strict = run(folder.path(), &["index", "@list", "--strict", "-o", "out.jsonl"]);
    assert_eq!(code(&strict), 2);
    assert!(stderr(&strict).contains("gone-1.warc") && stderr(&strict).contains("gone-2.warc"));
    assert!(!folder.path().join("out.jsonl").exists());
    let nothing = run(folder.path(), &["index", "gone-1.warc", "gone-2.warc"]);
    assert_eq!(code(&nothing), 2, "{}", stderr(&nothing));
}

#[test]
fn a_folder_that_cannot_be_read_is_named_and_the_rest_is_read() {
    let folder = folder_with(&[
        ("in/a.warc", &page(1, "http://a.example/", "<p>a")),
        ("in/closed/b.warc", &page(2, "http://b.example/", "<p>b")),
        ("in/z/c.warc", &page(3, "http://c.example/", "<p>c")),
    ]);
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(folder.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("", 0o755);
    mode("in/closed", 0o000);
    for (more, expected, count) in [(&[][..], 3, 2), (&["--strict"], 2, 0)] {
        let mut command = acuity(folder.path(), &[&["index", "in"], more].concat());
        // Nothing is closed to root.
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            command.uid(65534).gid(65534);
        }
        // Where nobody else may run the program, this cannot be tried.
        let Ok(output) = command.output() else { break };
        assert_eq!((code(&output), lines(&output)), (expected, count), "{}", stderr(&output));
        assert!(stderr(&output).contains("closed"), "{}", stderr(&output));
    }
    mode("in/closed", 0o755);
}

#[test]
fn an_archive_that_cannot_be_opened_stops_a_strict_run() {
    let folder = folder_with(&[
        ("in/a.warc", &page(1, "http://a.example/", "<p>a")),
        ("in/b.warc", &page(2, "http://b.example/", "<p>b")),
    ]);
    let refused = |said: &str| {
        for (more, expected, count) in [(&[][..], 3, 1), (&["--strict"], 2, 0)] {
            let mut command = acuity(folder.path(), &[&["index", "in"], more].concat());
            if fs::metadata("/proc/self").unwrap().uid() == 0 {
                command.uid(65534).gid(65534);
            }
            // Where nobody else may run the program, this cannot be tried.
            let Ok(output) = command.output() else { break };
            assert_eq!((code(&output), lines(&output)), (expected, count), "{}", stderr(&output));
            assert!(
                stderr(&output).contains("b.warc") && stderr(&output).contains(said),
                "{}",
                stderr(&output)
            );
        }
    };
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.path().join("in/b.warc"), fs::Permissions::from_mode(0o000)).unwrap();
    refused("Permission denied");
    fs::remove_file(folder.path().join("in/b.warc")).unwrap();
    std::os::unix::fs::symlink("gone.warc", folder.path().join("in/b.warc")).unwrap();
    refused("No such file");
}

#[test]
fn a_folder_that_links_to_itself_is_read_once() {
    let folder = folder_with(&[("a/x.warc", &page(1, "http://a.example/", "<p>a"))]);
    std::os::unix::fs::symlink("..", folder.path().join("a/up")).unwrap();
    std::os::unix::fs::symlink("a", folder.path().join("b")).unwrap();
    let output = run(folder.path(), &["index", "."]);
    assert_eq!((code(&output), lines(&output)), (0, 1), "{}", stderr(&output));
}

#[test]
fn nothing_found_is_not_success() {
    let folder = folder_with(&[("empty.warc", b""), ("list", b"# nothing\n"), ("notes/README", b"words\n")]);
    fs::create_dir(folder.path().join("nothing")).unwrap();
    for input in ["nothing", "@list", "-", "empty.warc", "notes", "@-"] {
        let output = run(folder.path(), &["index", input, "-o", "out.jsonl"]);
        assert_eq!(code(&output), 3, "{input}: {}", stderr(&output));
        assert!(stderr(&output).contains("no archives"), "{input}: {}", stderr(&output));
        assert!(!folder.path().join("out.jsonl").exists(), "{input}");
        for command in [&["audit", input][..], &["at", "2024-03-04", input]] {
            let output = run(folder.path(), command);
            assert_eq!(code(&output), 3, "{command:?}: {}", stderr(&output));
        }
    }
}

#[test]
fn nothing_on_one_side_is_not_success() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a")), ("zero.warc", b"")]);
    fs::create_dir(folder.path().join("nothing")).unwrap();
    for other in ["nothing", "zero.warc"] {
        for command in [
            &["diff", "a.warc", other][..],
            &["diff", other, "a.warc"],
            &["audit", "--visit", "a.warc", "--revisit", other],
            &["audit", "--visit", other, "--revisit", "a.warc"],
        ] {
            let output = run(folder.path(), command);
            assert_eq!(code(&output), 3, "{command:?}: {}", stderr(&output));
            assert!(stderr(&output).contains(&format!("{other}: no archives")), "{}", stderr(&output));
            assert!(output.stdout.is_empty(), "{command:?}");
        }
    }
    let output = run(folder.path(), &["merge", "nothing", "-o", "out.warc.gz"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("no archives"), "{}", stderr(&output));
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3, "no output");
}

#[test]
fn a_merge_names_all_that_is_missing_and_takes_the_rest() {
    let folder = folder_with(&[
        ("a.warc", &page(1, "http://a.example/", "<p>a")),
        ("b.warc", &page(2, "http://b.example/", "<p>b")),
        ("cut.wacz", b"PK\x03\x04cut"),
    ]);
    let inputs = ["merge", "gone-1", "a.warc", "cut.wacz", "gone-2", "b.warc", "-o", "out.warc"];
    let output = run(folder.path(), &inputs);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    for name in ["gone-1", "gone-2", "cut.wacz"] {
        assert!(stderr(&output).contains(&format!("{name}: ")), "{}", stderr(&output));
    }
    assert_eq!(lines(&run(folder.path(), &["index", "out.warc", "-q"])), 2);
}

#[test]
fn a_full_disk_has_its_own_exit_code_and_names_the_output() {
    let archive: Vec<u8> = (0..400)
        .flat_map(|n| page(n, &format!("http://a.example/{n}"), &format!("<p>{}", "x".repeat(500))))
        .collect();
    let folder = folder_with(&[("a.warc", &archive)]);
    let program = env!("CARGO_BIN_EXE_acuity");
    let run = |script: &str| {
        let script = script.replace("acuity", &format!("'{program}'"));
        Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap()
    };
    for command in ["schedule a.warc", "plan a.warc --budget 10", "simulate", "audit a.warc --json"] {
        let output = run(&format!("acuity {command} -q >/dev/full"));
        assert_eq!(code(&output), 74, "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("standard output cannot be written: "), "{}", stderr(&output));
    }
    for output in ["out.warc", "out.warc.gz"] {
        let output = run(&format!("ulimit -f 16; acuity merge a.warc -o {output}"));
        assert_eq!(code(&output), 74, "{}", stderr(&output));
        assert!(stderr(&output).contains("out.warc"), "{}", stderr(&output));
    }
}

#[test]
fn the_problems_of_yesterday_stay_until_those_of_today_are_complete() {
    let archive: Vec<u8> = (0..20_000).flat_map(|n| page(n, "http://a.example/", "<p>a")).collect();
    let archive = [&b"junk\n"[..], &archive].concat();
    let folder = folder_with(&[("a.warc", &archive)]);
    let mut interrupted = 0;
    for (step, name) in (0..12u64).zip(["p.csv", "p.jsonl"].into_iter().cycle()) {
        fs::write(folder.path().join(name), "YESTERDAY").unwrap();
        let index = ["index", "a.warc", "-q", "-o", "out.jsonl", "--problems", name];
        let mut child = acuity(folder.path(), &index).spawn().unwrap();
        thread::sleep(Duration::from_millis(30 * step + 5));
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        interrupted += u32::from(child.wait().unwrap().code().is_none());
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text == "YESTERDAY" || text.contains("a.warc"), "{text}");
    }
    assert!(interrupted > 0, "no run was interrupted");
    assert_eq!(code(&run(folder.path(), &["index", "a.warc", "-q", "-o", "o", "--problems", "p.csv"])), 0);
    assert!(fs::read_to_string(folder.path().join("p.csv")).unwrap().lines().count() >= 2);
}

#[test]
fn a_list_that_never_ends_meets_the_limit() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    let program = env!("CARGO_BIN_EXE_acuity");
    for (list, more, says) in [
        ("yes a.warc", "--max-input 1K", "--max-input"),
        ("tr '\\0' x </dev/zero", "", "a line of the list"),
        ("echo a.warc", "--max-input 1K", ""),
    ] {
        let script = format!("{list} 2>/dev/null | '{program}' index @- -q {more}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        assert_eq!(code(&output) == 0, says.is_empty(), "{list}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{list}: {}", stderr(&output));
    }
}

#[test]
fn an_empty_file_beside_a_good_one_is_a_problem_that_names_it() {
    let folder = folder_with(&[("empty.warc", b""), ("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    let output = run(folder.path(), &["index", "empty.warc", "a.warc", "-o", "out.jsonl"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("empty.warc: the input is empty"), "{}", stderr(&output));
    let failed =
        run(folder.path(), &["index", "empty.warc", "a.warc", "-q", "--fail-on", "problems=warning"]);
    assert_eq!(code(&failed), 1, "{}", stderr(&failed));
    let audit = run(folder.path(), &["audit", "empty.warc", "a.warc", "--json=-"]);
    assert!(String::from_utf8_lossy(&audit.stdout).contains("\"kind\": \"empty-input\""));
}

#[test]
fn a_full_disk_for_temporary_files_leaves_no_output() {
    let folder = folder_with(&[]);
    let archive: Vec<u8> = (0..2000).flat_map(|n| page(n, "http://a.example/", "<p>a")).collect();
    let mut command = acuity(folder.path(), &["index", "-", "-o", "out.jsonl"]);
    command.env("TMPDIR", "/nonexistent").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(&archive);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("TMPDIR"), "{}", stderr(&output));
    assert!(!folder.path().join("out.jsonl").exists());
}

#[test]
fn problems_of_a_level_can_fail_a_job() {
    let folder =
        folder_with(&[("a.warc", &[&b"junk\n"[..], &page(1, "http://a.example/", "<p>a")].concat())]);
    for (arguments, expected) in [
        (&["index", "a.warc"][..], 0),
        (&["index", "a.warc", "--fail-on", "problems=error"], 0),
        (&["index", "a.warc", "--fail-on", "problems=warning"], 1),
        (&["audit", "a.warc", "--fail-on", "problems=note"], 1),
        (&["audit", "a.warc", "--fail-on", "problems=loud"], 2),
        (&["schedule", "a.warc", "--fail-on", "problems=warning"], 1),
        (&["at", "2024-01-01", "a.warc", "--fail-on", "problems=warning"], 1),
        (&["diff", "a.warc", "a.warc", "--fail-on", "problems=warning"], 1),
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(code(&output), expected, "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_leaves_nothing() {
    let archive: Vec<u8> = (0..4000).flat_map(|n| page(n, "http://a.example/", "<p>a")).collect();
    let folder = folder_with(&[("a.warc", &archive)]);
    let program = env!("CARGO_BIN_EXE_acuity");
    let script = format!("ulimit -f 64; exec '{program}' index a.warc -o out.jsonl");
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&output), 74, "{}", stderr(&output));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a.warc"], "{left:?}");
}

#[test]
fn signals_leave_no_partial_files() {
    let archive: Vec<u8> = (0..20_000).flat_map(|n| page(n, "http://a.example/", "<p>a")).collect();
    let folder = folder_with(&[("a.warc", &archive)]);
    let mut interrupted = 0;
    let commands: [&[&str]; 2] =
        [&["index", "a.warc", "-q", "-o", "out.jsonl"], &["audit", "a.warc", "-q", "--csv", "."]];
    for step in 0..12u64 {
        let mut child = acuity(folder.path(), commands[usize::from(step >= 8)]).spawn().unwrap();
        thread::sleep(Duration::from_millis(40 * step + 5));
        let signal = if step % 2 == 0 { "-TERM" } else { "-INT" };
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        interrupted += u32::from(child.wait().unwrap().code().is_none());
        let left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".partial"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    assert!(interrupted > 0, "no run was interrupted");
}

#[test]
fn stale_partial_files_go_and_those_in_use_stay() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    let old = SystemTime::now() - Duration::from_secs(3600);
    let make = |name: &str| {
        let file = File::create(folder.path().join(name)).unwrap();
        file.set_modified(old).unwrap();
        file
    };
    drop(make(".acuity-dead.partial"));
    drop(make("acuity-other.partial"));
    let used = make(".acuity-used.partial");
    used.lock().unwrap();
    File::create(folder.path().join(".acuity-new.partial")).unwrap();
    let tables = folder.path().join(".acuity-tables.partial");
    fs::create_dir(&tables).unwrap();
    fs::write(tables.join("pages.csv"), "half").unwrap();
    File::open(&tables).unwrap().set_modified(old).unwrap();
    assert_eq!(code(&run(folder.path(), &["index", "a.warc", "-o", "out.jsonl"])), 0);
    assert!(!tables.exists());
    let is_there = |name: &str| folder.path().join(name).exists();
    assert!(!is_there(".acuity-dead.partial"));
    for name in [".acuity-used.partial", ".acuity-new.partial", "acuity-other.partial", "out.jsonl"] {
        assert!(is_there(name), "{name}");
    }
}

#[test]
fn devices_that_never_end_do_not_hold_up_a_job() {
    let folder = folder_with(&[]);
    let start = Instant::now();
    let output = run(folder.path(), &["index", "/dev/zero"]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let endless = "while :; do printf 'WARC/1.0\\r\\nWARC-Type: metadata\\r\\nContent-Length: 0\\r\\n\\r\\n\\r\\n\\r\\n'; done";
    let program = env!("CARGO_BIN_EXE_acuity");
    let script = format!("{{ {endless}; }} 2>/dev/null | '{program}' index - --max-input 200K");
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("--max-input"), "{}", stderr(&output));
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn the_order_of_inputs_changes_nothing() {
    let link =
        |n: u32, to: &str| page(n, &format!("http://a.example/{n}"), &format!("<a href='/{to}'>x</a>"));
    let later = |n: u32, body: &str| {
        Record::page(n + 100, &format!("http://a.example/{n}"), "2024-01-03T00:00:00Z", body).bytes()
    };
    let folder = folder_with(&[
        ("a.warc", &[link(1, "2"), link(2, "3"), later(1, "<p>new")].concat()),
        ("b.warc.gz", &gzip(&[link(3, "1"), link(4, "4")].concat())),
        ("c.warc", &[later(3, "<p>c"), link(5, "1"), later(5, "<p>d")].concat()),
    ]);
    let orders = [
        ["a.warc", "b.warc.gz", "c.warc"],
        ["c.warc", "a.warc", "b.warc.gz"],
        ["b.warc.gz", "c.warc", "a.warc"],
    ];
    for command in [&["audit", "--json", "-q"][..], &["index", "--content", "-q"]] {
        // Commands repeat the inputs as typed; everything else is the same to the byte.
        let outputs: Vec<String> = orders
            .iter()
            .map(|order| {
                let output = run(folder.path(), &[command, &order[..]].concat()).stdout;
                String::from_utf8(output).unwrap().replace(&order.join(" "), "INPUTS")
            })
            .collect();
        assert!(!outputs[0].is_empty());
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{command:?}");
    }
}

#[test]
fn zip_files_without_the_layout_of_wacz_are_read() {
    let (one, two) = (page(1, "http://a.example/", "<p>a"), gzip(&page(2, "http://b.example/", "<p>b")));
    let wacz =
        |warc: &[u8]| zip(&[("archive/data.warc.gz", warc, false), ("datapackage.json", b"{}", false)]);
    let multi = zip(&[("first.wacz", &wacz(&two), false), ("second.wacz", &wacz(&gzip(&one)), true)]);
    let plain = zip(&[("crawl/one.warc", &one, true), ("two.warc.gz", &two, false), ("README", b"x", false)]);
    let nested = zip(&[("deep.wacz", &zip(&[("deeper.wacz", &wacz(&two), false)]), false)]);
    let folder = folder_with(&[("plain.zip", &plain), ("multi.zip", &multi), ("nested.zip", &nested)]);
    for name in ["plain.zip", "multi.zip"] {
        let output = run(folder.path(), &["index", name]);
        assert_eq!((code(&output), lines(&output)), (0, 2), "{name}: {}", stderr(&output));
        // Bodies inside are found again: an audit that compares them has no problem with their place.
        let audit: Value =
            serde_json::from_slice(&run(folder.path(), &["audit", name, "--json"]).stdout).unwrap();
        assert!(!audit["problems"].to_string().contains("bodies-not-readable"), "{name}");
    }
    let refused = run(folder.path(), &["index", "nested.zip"]);
    assert_eq!(code(&refused), 3);
    assert!(
        stderr(&refused).contains("a package in a zip file in a zip file is not read"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn other_compressions_are_named_with_a_remedy() {
    let bzip2 = b"BZh91AY&SY\x00\x00";
    let lz4 = b"\x04\x22\x4d\x18\x64\x40\xa7";
    let packed = zip(&[("a.warc.bz2", bzip2, false)]);
    // The method of an entry stands in its head and in the directory; 12 is bzip2.
    let mut other = zip(&[("a.warc.gz", &gzip(&page(1, "http://a.example/", "<p>a")), true)]);
    let directory = other.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    (other[8], other[directory + 10]) = (12, 12);
    let folder =
        folder_with(&[("a.warc.bz2", bzip2), ("a.warc.lz4", lz4), ("a.zip", &packed), ("other.zip", &other)]);
    for (name, command) in [
        ("a.warc.bz2", "bzip2 -dc"),
        ("a.warc.lz4", "lz4 -dc"),
        ("a.zip", "bzip2 -dc"),
        ("other.zip", "unpack the zip file"),
    ] {
        let output = run(folder.path(), &["index", name, "--problems", "problems.jsonl"]);
        assert_eq!(code(&output), 3, "{name}: {}", stderr(&output));
        let problems = fs::read_to_string(folder.path().join("problems.jsonl")).unwrap();
        assert!(problems.contains(command), "{name}: {problems}");
    }
}

#[test]
fn an_empty_digest_is_none_only_where_a_server_said_not_modified() {
    const EMPTY: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
    let revisit = |n, profile, head: &str| {
        Record::revisit(n, "http://a.example/", DATE, profile, head)
            .field("WARC-Payload-Digest", EMPTY)
            .bytes()
    };
    let archive = [
        revisit(1, "server-not-modified", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        revisit(2, "identical-payload-digest", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ];
    let folder = folder_with(&[("a.warc", &archive.concat())]);
    let output = run(folder.path(), &["index", "a.warc"]);
    let declared: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["declared"].clone())
        .collect();
    assert_eq!(declared, [Value::Null, Value::from(EMPTY)]);
}

#[test]
fn archives_in_zip_files_are_known_by_their_content_and_merged_too() {
    let (one, two) = (page(1, "http://a.example/", "<p>a"), gzip(&page(2, "http://b.example/", "<p>b")));
    let wacz = zip(&[("archive/data.warc.gz", &two, false), ("datapackage.json", b"{}", false)]);
    let document = zip(&[("word/document.xml", b"<x/>", true)]);
    let odd = zip(&[
        ("crawl/0001", &one, true),
        ("data.bin", &two, false),
        ("README", b"a text", false),
        ("notes.docx", &document, false),
        ("picture.png", b"\x89PNG\r\n\x1a\n", false),
    ]);
    let packed = zip(&[("a.zip", &zip(&[("crawl.dat", &one, true)]), false), ("second", &wacz, true)]);
    let folder = folder_with(&[("odd.zip", &odd), ("packed.zip", &packed), ("document.zip", &document)]);
    for name in ["odd.zip", "packed.zip"] {
        let output = run(folder.path(), &["index", "-q", name]);
        assert_eq!(code(&output), 0, "{name}: {}", stderr(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2, "{name}");
        let audit: Value =
            serde_json::from_slice(&run(folder.path(), &["audit", name, "--json"]).stdout).unwrap();
        assert_eq!(audit["inputs"][0]["unreadable_bodies"], 0, "{name}");
        let merged = run(folder.path(), &["merge", name, "-o", "m.warc.gz"]);
        assert_eq!(code(&merged), 0, "{name}: {}", stderr(&merged));
        let diff = run(folder.path(), &["diff", "-q", "--json", name, "m.warc.gz"]);
        let diff: Value = serde_json::from_slice(&diff.stdout).unwrap();
        assert_eq!(
            (&diff["counts"]["identical"], &diff["counts"]["added"]),
            (&2.into(), &0.into()),
            "{name}"
        );
    }
    let refused = run(folder.path(), &["audit", "document.zip"]);
    assert!(
        code(&refused) == 3 && stderr(&refused).contains("the zip file holds no archive"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn archives_that_moved_are_named_with_the_figures_that_lack_them() {
    let later = Record::page(2, "http://a.example/", "2024-01-02T00:00:00Z", "<p>b").bytes();
    let folder = folder_with(&[("a.warc", &[page(1, "http://a.example/", "<p>a"), later].concat())]);
    assert_eq!(code(&run(folder.path(), &["index", "a.warc", "-o", "a.jsonl"])), 0);
    let audit = |name: &str| -> Value {
        serde_json::from_slice(&run(folder.path(), &["audit", name, "--json"]).stdout).unwrap()
    };
    let before = audit("a.jsonl");
    assert_eq!(before["inputs"][0]["unreadable_bodies"], 0);
    fs::rename(folder.path().join("a.warc"), folder.path().join("elsewhere.warc")).unwrap();
    let after = audit("a.jsonl");
    assert_eq!(after["inputs"][0]["unreadable_bodies"], 2);
    assert!(after["problems"].to_string().contains("bodies-not-readable"));
    let screen = String::from_utf8(run(folder.path(), &["audit", "a.jsonl"]).stdout).unwrap();
    assert!(screen.contains("The bodies of 2 captures cannot be read again"), "{screen}");
    // Other figures lack them too, whether or not changes are weighed.
    let output = run(folder.path(), &["audit", "a.jsonl", "--json", "--change-importance", "none"]);
    let plain: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plain["inputs"][0]["unreadable_bodies"], 2);
    let message = plain["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("blank responses") && !message.contains("matter"), "{message}");
}

#[test]
fn archives_that_changed_are_named_with_the_figures_that_lack_them() {
    let records: Vec<Vec<u8>> = (1..=6)
        .map(|day| {
            let date = format!("2024-01-0{day}T00:00:00Z");
            let body = format!("<p>The text of day {day}, which is another one than that of the day before.");
            Record::page(day, "http://a.example/", &date, &body).bytes()
        })
        .collect();
    let apart: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let four: usize = records[..4].iter().map(|record| gzip(record).len()).sum();
    let other = gzip(&page(9, "http://b.example/", "<p>Another archive."));
    let states: [(&str, Vec<u8>, u64); 6] = [
        ("as it was", apart.clone(), 0),
        ("cut", apart[..four + 10].to_vec(), 2),
        ("one member", gzip(&records.concat()), 5),
        ("replaced", other, 6),
        ("no gzip", records.concat(), 6),
        ("empty", Vec::new(), 6),
    ];
    let folder = folder_with(&[("a.warc.gz", &apart)]);
    assert_eq!(code(&run(folder.path(), &["index", "a.warc.gz", "--content", "-o", "a.jsonl"])), 0);
    for (what, bytes, lost) in states {
        fs::write(folder.path().join("a.warc.gz"), bytes).unwrap();
        let audit: Value =
            serde_json::from_slice(&run(folder.path(), &["audit", "a.jsonl", "--json"]).stdout).unwrap();
        assert_eq!(audit["inputs"][0]["unreadable_bodies"], lost, "{what}");
        assert_eq!(audit["problems"].to_string().contains("bodies-not-readable"), lost > 0, "{what}");
        let screen = String::from_utf8(run(folder.path(), &["audit", "a.jsonl"]).stdout).unwrap();
        let said = format!("The bodies of {lost} captures cannot be read again");
        assert_eq!(screen.contains(&said), lost > 0, "{what}: {screen}");
    }
}

#[test]
fn records_of_one_member_are_audited_like_those_of_their_own() {
    let records: Vec<Vec<u8>> = (1..=9)
        .map(|day| {
            let date = format!("2024-01-0{day}T00:00:00Z");
            let body = format!("<p>The text of day {day}, which is another one than that of the day before.");
            Record::page(day, "http://a.example/", &date, &body).bytes()
        })
        .collect();
    let apart: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let folder = folder_with(&[("apart/a.warc.gz", &apart), ("one/a.warc.gz", &gzip(&records.concat()))]);
    let importances = |name: &str| -> Vec<Value> {
        let output = run(folder.path(), &["audit", name, "--json"]);
        let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
        let changes = audit["sites"][0]["page_list"][0]["change_importance"].as_array().unwrap().clone();
        assert_eq!(changes.len(), 8, "{name}");
        assert!(changes.iter().all(|change| change["importance"].is_number()), "{name}: {changes:?}");
        changes
    };
    assert_eq!(importances("apart/a.warc.gz"), importances("one/a.warc.gz"));
}

#[test]
fn records_of_one_member_are_compared_like_those_of_their_own() {
    // Only whole blocks say whether these are copies, for their bodies cannot be decoded.
    let record = |n: u32| {
        let head = "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: br";
        let body = format!("no brotli {n}");
        let date = format!("2024-01-01T00:{:02}:{:02}Z", n / 60, n % 60);
        Record::response(n, &format!("http://a.example/{n}"), &date, head, body.as_bytes())
            .set("WARC-Truncated", "length")
            .bytes()
    };
    let records: Vec<Vec<u8>> = (1..40).map(record).collect();
    let apart: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    let reversed: Vec<u8> = records.iter().rev().flatten().copied().collect();
    let folder = folder_with(&[
        ("apart.warc.gz", &apart),
        ("one.warc.gz", &gzip(&records.concat())),
        ("two.warc.gz", &gzip(&reversed)),
        ("lacking.warc.gz", &gzip(&records[1..].concat())),
    ]);
    let names = ["apart.warc.gz", "one.warc.gz", "two.warc.gz", "lacking.warc.gz"];
    for one in names {
        for other in names {
            let output = run(folder.path(), &["diff", "-q", "--json", one, other]);
            let diff: Value = serde_json::from_slice(&output.stdout).unwrap();
            let lacking = [one, other].map(|name| u64::from(name == "lacking.warc.gz"));
            let identical = 39 - lacking[0].max(lacking[1]);
            let counts =
                ["identical", "unknown", "changed"].map(|name| diff["counts"][name].as_u64().unwrap());
            assert_eq!(counts, [identical, 0, 0], "{one} {other}");
        }
    }
}

#[test]
fn exit_codes_of_merge_rebuild_and_diff_are_those_of_the_table() {
    let front = page(1, "http://a.example/", "<p>front<a href=/x>x</a>");
    let other = page(2, "http://a.example/x", "<p>the page x");
    let whole = [front.clone(), other.clone()].concat();
    let cut = &whole[..whole.len() - 20];
    let junk: Vec<u8> = (0..4000u32).map(|n| (n.wrapping_mul(2654435761) >> 13) as u8).collect();
    let folder = folder_with(&[
        ("a.warc", &whole),
        ("b.warc", &front),
        ("cut.warc", cut),
        ("junk.bin", &junk),
        ("text.txt", b"a text\n"),
        ("empty.warc", b""),
        ("in/a.warc", &whole),
        ("in/README", b"a text\n"),
        ("with-junk/a.warc", &whole),
        ("with-junk/b.bin", &junk),
    ]);
    let rebuild = ["rebuild", "-q", "--no-audit", "-o", "o.warc.gz", "--repo"];
    let with_original = ["rebuild", "-q", "-o", "o.warc.gz", "--repo", "x=b.warc", "--original"];
    let merge = ["merge", "-q", "-o", "o.warc.gz"];
    let cases: [(i32, &[&str], &[&str]); 26] = [
        (0, &["diff", "-q"], &["a.warc", "b.warc"]),
        (1, &["diff", "-q"], &["a.warc", "b.warc", "--fail-over", "missing=0.1"]),
        (2, &["diff", "-q"], &["a.warc", "nowhere.warc"]),
        (2, &["diff", "-q"], &["a.warc", "b.warc", "--fail-over", "missed=0.1"]),
        (3, &["diff", "-q"], &["a.warc", "cut.warc"]),
        (3, &["diff", "-q"], &["a.warc", "junk.bin"]),
        (3, &["diff", "-q"], &["a.warc", "with-junk"]),
        (0, &merge, &["a.warc", "b.warc"]),
        (0, &merge, &["in"]),
        (0, &merge, &["a.warc", "empty.warc"]),
        (2, &["merge", "-q", "-o", "o.txt"], &["a.warc"]),
        (3, &merge, &["a.warc", "nowhere.warc"]),
        (3, &merge, &["a.warc", "junk.bin"]),
        (3, &merge, &["a.warc", "text.txt"]),
        (3, &merge, &["with-junk"]),
        (3, &merge, &["cut.warc"]),
        (3, &merge, &["empty.warc"]),
        (0, &rebuild, &["x=a.warc"]),
        (2, &rebuild, &["x=nowhere.warc"]),
        (2, &rebuild, &["x=a.warc", "--seed", "http://nowhere.example/"]),
        (3, &rebuild, &["x=cut.warc"]),
        (3, &rebuild, &["x=a.warc", "--repo", "y=junk.bin"]),
        (3, &rebuild, &["x=with-junk"]),
        (0, &with_original, &["a.warc"]),
        (3, &with_original, &["cut.warc"]),
        (3, &with_original, &["junk.bin"]),
    ];
    for (expected, command, arguments) in cases {
        let output = run(folder.path(), &[command, arguments].concat());
        assert_eq!(code(&output), expected, "{command:?} {arguments:?}: {}", stderr(&output));
    }
    let told = run(folder.path(), &[&merge[..], &["a.warc", "junk.bin"]].concat());
    assert!(stderr(&told).contains("junk.bin: it holds no known archive format"), "{}", stderr(&told));
}

#[test]
fn a_stream_that_cannot_be_stored_is_told_so_by_a_quiet_run_too() {
    let long = page(1, "http://a.example/", &"<p>a".repeat(1 << 20));
    let short = page(1, "http://a.example/", &"<p>a".repeat(1 << 9));
    let folder = folder_with(&[("a.warc", &long), ("short.warc", &short)]);
    let cases = [
        ("a.warc", "/nonexistent", "1G", "TMPDIR"),
        ("a.warc", "/tmp", "1K", "--max-input"),
        ("short.warc", "/tmp", "1K", "--max-input"),
    ];
    for (file, temporary, limit, cause) in cases {
        let mut command = acuity(folder.path(), &["audit", "-", "-q", "--max-input", limit]);
        command.env("TMPDIR", temporary);
        let mut cat = Command::new("cat");
        cat.arg(folder.path().join(file)).stdout(Stdio::piped());
        let mut cat = cat.spawn().unwrap();
        command.stdin(cat.stdout.take().unwrap());
        let output = command.output().unwrap();
        // It holds the pipe open.
        drop(command);
        cat.wait().unwrap();
        assert_eq!(code(&output), 3);
        let said = stderr(&output);
        assert!(said.contains(cause) && !said.contains("no archives"), "{said}");
    }
}

#[test]
fn a_part_of_the_archives_is_for_collections_only() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    for more in
        [&["--shard", "1/2"][..], &["--shard", "1/2", "-o", "a.jsonl"], &["--rehash", "-o", "a.jsonl"]]
    {
        let output = run(folder.path(), &[&["index", "a.warc"], more].concat());
        assert_eq!(code(&output), 2, "{more:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("--out"), "{}", stderr(&output));
    }
}

#[test]
fn one_run_at_a_time_is_at_work_on_a_collection() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    let index = |more: &[&str]| run(folder.path(), &[&["index", "a.warc", "--out", "made"], more].concat());
    fs::create_dir(folder.path().join("made")).unwrap();
    let other = File::open(folder.path().join("made")).unwrap();
    other.lock().unwrap();
    for more in [&[][..], &["--shard", "1/1"]] {
        let output = index(more);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("another run is writing"), "{}", stderr(&output));
    }
    // Another part of the same work.
    other.unlock().unwrap();
    other.lock_shared().unwrap();
    assert_eq!(code(&index(&[])), 2);
    assert_eq!(code(&index(&["--shard", "1/1"])), 0);
    drop(other);
    assert_eq!(code(&index(&[])), 0);
}

#[test]
fn an_audit_names_all_inputs_that_are_missing() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    let missing: Vec<String> = (1..=11).map(|number| format!("gone-{number}.warc")).collect();
    let arguments: Vec<&str> =
        ["audit", "a.warc"].into_iter().chain(missing.iter().map(String::as_str)).collect();
    let output = run(folder.path(), &arguments);
    assert_eq!(code(&output), 3);
    let said = stderr(&output);
    assert!(missing.iter().all(|name| said.contains(&format!("{name}:"))), "{said}");
}

#[test]
fn metrics_count_what_was_unchanged_and_tell_of_a_run_that_stopped() {
    let folder = folder_with(&[("a.warc", &page(1, "http://a.example/", "<p>a"))]);
    let index = |more: &[&str]| {
        let all = [&["index", "a.warc", "--out", "made", "--metrics", "m.prom"], more].concat();
        let output = run(folder.path(), &all);
        (code(&output), fs::read_to_string(folder.path().join("m.prom")).unwrap())
    };
    for _ in 0..2 {
        let (exit, metrics) = index(&[]);
        assert_eq!(exit, 0);
        assert!(
            metrics.contains("\nacuity_files 1\n") && metrics.contains("\nacuity_records 1\n"),
            "{metrics}"
        );
    }
    let (exit, metrics) = index(&["gone.warc", "--strict"]);
    assert_eq!(exit, 2);
    assert!(metrics.contains("\nacuity_files 0\n"), "{metrics}");
    assert!(metrics.contains("acuity_problems{level=\"error\"} 1"), "{metrics}");
}
