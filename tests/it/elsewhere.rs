//! Archives that are not on this disk: named by `--name-as`, read by the program of `--fetch`.

use std::fs;
use std::path::Path;

use crate::support::pack::gzip;
use crate::support::program::run;
use crate::support::record::Record;
use serde_json::Value;

/// Two versions of a page in two archives, which are moved to `far/` after they were indexed.
fn moved(folder: &Path) {
    fs::create_dir_all(folder.join("in")).unwrap();
    for (number, name) in (0u32..).zip(["a b'$(touch gone).warc.gz", "two.warc"]) {
        let date = format!("2024-01-0{}T10:00:00Z", number + 1);
        let mut bytes = Vec::new();
        for page in ["x", "y"] {
            let body = format!("<html><h1>Page</h1><p>Words of version {number} of page {page}.</p></html>");
            let id = number * 2 + u32::from(page == "y");
            let record = Record::page(id, &format!("http://a.example/{page}"), &date, &body).bytes();
            bytes.extend(if name.ends_with("gz") { gzip(&record) } else { record });
        }
        fs::write(folder.join("in").join(name), bytes).unwrap();
    }
    for (format, output) in [("jsonl", "index.jsonl"), ("cdxj", "index.cdxj")] {
        let index = ["index", "in", "-o", output, "--format", format, "--name-as", "s3://far/{name}", "-q"];
        assert_eq!(run(folder, &index).status.code(), Some(0));
    }
    fs::rename(folder.join("in"), folder.join("far")).unwrap();
    // A range reader that maps the name and keeps a list of what was asked for.
    let script =
        "printf '%s\\n' \"$*\" >>asked\ntail -c +$(($2 + 1)) \"far/${1#s3://far/}\" | head -c \"$3\"\n";
    fs::write(folder.join("range.sh"), script).unwrap();
}

#[test]
fn changes_are_explained_from_archives_that_a_program_fetches() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    moved(folder);
    let lines = fs::read_to_string(folder.join("index.jsonl")).unwrap();
    assert!(lines.contains("\"file\":\"s3://far/two.warc\""), "{lines}");
    assert!(fs::read_to_string(folder.join("index.cdxj")).unwrap().contains("\"s3://far/two.warc\""));
    for index in ["index.jsonl", "index.cdxj"] {
        let explain = |more: &[&str]| -> Value {
            let arguments = ["explain-change", "http://a.example/x", index, "--json", "-q"];
            let output = run(folder, &[&arguments[..], more].concat());
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let without = explain(&[]);
        assert_eq!(without["changes"][0]["change"], Value::Null, "{index}: {without}");
        let with = explain(&["--fetch", "sh range.sh"]);
        assert!(with["changes"][0]["change"].is_object(), "{index}: {with}");
        let failing = explain(&["--fetch", "false"]);
        let reason = failing["changes"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("--fetch failed"), "{index}: {reason}");
    }
    assert!(!folder.join("gone").exists(), "a name reached a shell's text");
    assert!(
        fs::read_to_string(folder.join("asked")).unwrap().contains("s3://far/a b'$(touch gone).warc.gz 0 ")
    );
}

#[test]
fn a_report_made_from_an_index_is_verified_with_records_that_a_program_fetches() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    moved(folder);
    for index in ["index.jsonl", "index.cdxj"] {
        let at = ["at", "2024-01-01T10:00:00Z", index, "--json=report.json", "-q"];
        assert_eq!(run(folder, &at).status.code(), Some(0));
        let verify = |more: &[&str]| {
            let output = run(folder, &[&["verify", "report.json", index, "-q"], more].concat());
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        assert_eq!(verify(&[]).0, Some(3));
        let (code, words) = verify(&["--fetch", "sh range.sh"]);
        assert_eq!(code, Some(0), "{index}: {words}");
        // What a program does not give is not known to be wrong: all of it, or from the third call on.
        fs::write(folder.join("tired.sh"), "printf x >>tired; test $(wc -c <tired) -lt 3 && . ./range.sh\n")
            .unwrap();
        for command in ["false", "/nowhere/at/all", "sh tired.sh"] {
            let _ = fs::remove_file(folder.join("tired"));
            let (code, words) = verify(&["--fetch", command]);
            assert_eq!(code, Some(3), "{index}: {command}: {words}");
            assert!(words.contains("Not verified in full") && !words.contains("FAILED"), "{words}");
            assert!(words.contains("UNREAD") && words.contains("--fetch"), "{words}");
        }
        // Another body under the same head.
        let path = folder.join("far/two.warc");
        let bytes = fs::read(&path).unwrap();
        let text =
            String::from_utf8(bytes.clone()).unwrap().replace("version 1 of page", "version 9 of page");
        fs::write(&path, text).unwrap();
        let at = ["at", "2024-01-03T10:00:00Z", index, "--json=report.json", "-q"];
        assert_eq!(run(folder, &at).status.code(), Some(0));
        let (code, words) = verify(&["--fetch", "sh range.sh"]);
        assert_eq!(code, Some(1), "{index}: {words}");
        assert!(words.contains("the digest that the report says"), "{words}");
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_name_with_a_hash_sign_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let record = Record::page(1, "http://a.example/", "2024-01-01T10:00:00Z", "<p>x").bytes();
    fs::write(folder.join("p#x.warc"), record).unwrap();
    let output = run(folder, &["index", "p#x.warc", "--name-as", "s3://b/{name}", "-q"]);
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(line["file"], "s3://b/p#x.warc");
}

#[test]
fn names_stay_different_and_collections_know_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["in/a.warc", "in/sub/a.warc"] {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        let record = Record::page(1, "http://a.example/", "2024-01-01T10:00:00Z", "<p>x").bytes();
        fs::write(folder.join(name), record).unwrap();
    }
    for out in [&["-o", "index.jsonl"][..], &["--out", "made"]] {
        let output = run(folder, &[&["index", "in", "--name-as", "far:{name}"], out].concat());
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        let named = run(folder, &[&["index", "in", "--name-as", "far:{path}", "-q"], out].concat());
        assert_eq!(named.status.code(), Some(0), "{}", String::from_utf8_lossy(&named.stderr));
    }
    let table = fs::read_dir(folder.join("made/tables")).unwrap().next().unwrap().unwrap().path();
    assert!(fs::read_to_string(table).unwrap().contains("\"far:in/"));
    let again = run(folder, &["index", "in", "--name-as", "far:{path}", "--out", "made"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("2 unchanged"));
    let others = run(folder, &["index", "in", "--out", "made"]);
    assert!(String::from_utf8_lossy(&others.stderr).contains("2 archives indexed"));
}
