//! A collection: one table per archive, runs that continue, and runs that are killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::pack::gzip;
use crate::support::program::{acuity, run};
use crate::support::record::Record;
use serde_json::Value;

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {stderr}");
    stderr
}

/// Archives of a site, each with some pages, and one with a problem.
fn archives(folder: &Path, count: u32, pages: u32) {
    fs::create_dir_all(folder.join("in/sub")).unwrap();
    for number in 0..count {
        let mut records = if number == 1 { b"junk\n".to_vec() } else { Vec::new() };
        for page in 0..pages {
            let n = number * pages + page;
            let date = format!("2024-01-{:02}T00:00:{:02}Z", 1 + number % 28, page % 60);
            let body = format!("<p>{}</p><a href='/{}'>x</a>", (n / 3) % 7, (page + 1) % pages);
            records.extend(Record::page(n, &format!("http://a.example/{page}"), &date, &body).bytes());
        }
        let name =
            if number % 3 == 0 { format!("in/sub/{number}.warc.gz") } else { format!("in/{number}.warc") };
        fs::write(folder.join(name), if number % 3 == 0 { gzip(&records) } else { records }).unwrap();
    }
}

/// All files below a folder with their bytes, without those that a killed run was writing.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            match () {
                () if path.is_dir() => folders.push(path),
                () if name.ends_with(".partial") => {}
                () => drop(files.insert(name, fs::read(path).unwrap())),
            }
        }
    }
    files
}

#[test]
fn a_second_run_does_only_what_is_new_or_changed() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 6, 5);
    let index = ["index", "in", "--out", "made"];
    assert!(done(folder.path(), &index).contains("6 archives indexed, 0 unchanged"));
    let first = tree(&folder.path().join("made"));
    assert!(done(folder.path(), &index).contains("0 archives indexed, 6 unchanged"));
    assert_eq!(tree(&folder.path().join("made")), first);
    // One more, one changed, one table cut, one table gone, one manifest that is no JSON.
    archives(folder.path(), 7, 5);
    let changed = Record::page(999, "http://a.example/new", "2024-02-01T00:00:00Z", "<p>new").bytes();
    fs::write(folder.path().join("in/2.warc"), changed).unwrap();
    let parts = |part: &str| {
        let mut names: Vec<_> = fs::read_dir(folder.path().join("made").join(part))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        names.sort();
        names
    };
    let tables = parts("tables");
    let text = fs::read(&tables[0]).unwrap();
    fs::write(&tables[0], &text[..text.len() / 2]).unwrap();
    fs::remove_file(&tables[4]).unwrap();
    fs::write(&parts("manifest")[5], "{").unwrap();
    done(folder.path(), &index);
    done(folder.path(), &["index", "in", "--out", "anew"]);
    assert_eq!(tree(&folder.path().join("made")), tree(&folder.path().join("anew")));
    // Other options make other tables.
    let content = ["index", "in", "--out", "made", "--content"];
    assert!(done(folder.path(), &content).contains("7 archives indexed, 0 unchanged"));
}

#[test]
fn a_manifest_says_what_a_table_was_made_from_and_by_what() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 3, 4);
    done(folder.path(), &["index", "in", "--out", "made", "--content"]);
    let mut paths: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder.path().join("made/manifest")).unwrap() {
        let manifest: Value = serde_json::from_slice(&fs::read(entry.unwrap().path()).unwrap()).unwrap();
        let path = manifest["path"].as_str().unwrap().to_owned();
        let file = fs::File::open(folder.path().join(&path)).unwrap();
        let metadata = file.metadata().unwrap();
        assert_eq!(manifest["bytes"], metadata.len());
        let modified = metadata.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(manifest["modified"].to_string(), modified.as_nanos().to_string());
        assert_eq!(manifest["blake3"].as_str().unwrap().len(), 64);
        assert!(manifest["tool"].as_str().unwrap().contains(env!("CARGO_PKG_VERSION")), "{manifest}");
        assert_eq!((&manifest["options"]["content"], &manifest["observations"]), (&true.into(), &4.into()));
        assert!(manifest["problems"].is_array());
        for part in manifest["files"].as_array().unwrap() {
            let made = folder.path().join("made").join(part["path"].as_str().unwrap());
            assert_eq!(part["bytes"], fs::metadata(made).unwrap().len());
        }
        paths.push(path);
    }
    paths.sort();
    assert_eq!(paths.len(), 3);
    assert!(paths.iter().all(|path| path.starts_with("in/")), "{paths:?}");
}

#[test]
fn shards_together_make_the_whole_collection() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 8, 3);
    done(folder.path(), &["index", "in", "--out", "whole"]);
    for shard in ["1/3", "2/3", "3/3"] {
        done(folder.path(), &["index", "in", "--out", "parts", "--shard", shard]);
    }
    assert_eq!(tree(&folder.path().join("parts")), tree(&folder.path().join("whole")));
}

#[test]
fn an_audit_of_a_collection_is_the_audit_of_its_archives() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 6, 5);
    done(folder.path(), &["index", "in", "--out", "made", "--content", "--metrics", "run.prom"]);
    let audit = |input: &str| -> Value {
        serde_json::from_slice(&run(folder.path(), &["audit", input, "--json"]).stdout).unwrap()
    };
    let (tables, archives) = (audit("made"), audit("in"));
    for part in ["sites", "summary"] {
        for key in ["pages", "coherence", "blur", "observations", "urls"] {
            let of = |audit: &Value| match part {
                "sites" => audit[part][0][key].clone(),
                _ => audit[part][key].clone(),
            };
            assert_eq!(of(&tables), of(&archives), "{part} {key}");
        }
    }
    assert!(tables["problems"].to_string().contains("garbage-skipped"), "problems stay with the collection");
    let metrics = fs::read_to_string(folder.path().join("run.prom")).unwrap();
    let bytes: usize = tree(&folder.path().join("in")).values().map(Vec::len).sum();
    let bytes = format!("acuity_bytes {bytes}\n");
    for line in [
        "acuity_files 6\n",
        &bytes,
        "acuity_records 30\n",
        "acuity_problems{level=\"warning\"} 1\n",
        "acuity_seconds ",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    let json =
        done(folder.path(), &["index", "in", "--out", "made", "--content", "--progress", "json", "-q"]);
    let last: Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!(
        (last["event"].as_str(), last["bytes"] == last["total_bytes"]),
        (Some("done"), true),
        "{json}"
    );
}

#[test]
fn what_is_no_collection_or_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 2, 2);
    for arguments in [
        &["index", "in", "--out", "in"][..],
        &["index", "-", "--out", "made"],
        &["index", "in", "--shard", "1/2"],
    ] {
        assert_eq!(run(folder.path(), arguments).status.code(), Some(2), "{arguments:?}");
    }
    let missing = run(folder.path(), &["index", "in", "gone.warc", "--out", "made"]);
    assert_eq!(missing.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("gone.warc"));
}

/// Kills a run again and again, then lets it finish. `ACUITY_KILLS` sets how often (`benches/README.md`).
#[test]
fn a_run_that_is_killed_and_continued_makes_the_same_bytes() {
    let kills: u64 = std::env::var("ACUITY_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(25);
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 24, 60);
    let start = Instant::now();
    done(folder.path(), &["index", "in", "--out", "whole", "-q"]);
    let whole = start.elapsed();
    let expected = tree(&folder.path().join("whole"));
    let (mut state, mut killed) = (0x2545_f491_4f6c_dd1d_u64, 0);
    for round in 0..kills {
        // Every few rounds from the beginning, so that kills fall into all phases.
        if round % 5 == 0 {
            let _ = fs::remove_dir_all(folder.path().join("made"));
        }
        let mut child = acuity(folder.path(), &["index", "in", "--out", "made", "-q"]).spawn().unwrap();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        thread::sleep(
            Duration::from_nanos((whole.as_nanos() as u64 / 2).max(1))
                .mul_f64((state % 1000) as f64 / 1000.0),
        );
        child.kill().unwrap();
        killed += u64::from(child.wait().unwrap().code().is_none());
        if round % 5 == 4 {
            done(folder.path(), &["index", "in", "--out", "made", "-q"]);
            assert_eq!(tree(&folder.path().join("made")), expected, "round {round}");
        }
    }
    done(folder.path(), &["index", "in", "--out", "made", "-q"]);
    assert_eq!(tree(&folder.path().join("made")), expected);
    assert!(killed > 0, "no run was killed");
}

/// The only table of an archive with this number.
fn table_of(folder: &Path, archive: u32) -> std::path::PathBuf {
    let tables = fs::read_dir(folder.join("made/tables")).unwrap().map(|entry| entry.unwrap().path());
    let start = format!("{archive}.warc");
    let mut tables = tables.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&start));
    tables.next().unwrap()
}

#[test]
fn a_table_that_was_cut_or_altered_since_is_not_used_and_named() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 4, 6);
    done(folder.path(), &["index", "in", "--content", "--out", "made"]);
    let table = table_of(folder.path(), 2);
    let text = fs::read_to_string(&table).unwrap();
    let cut: String = text.split_inclusive('\n').take(2).collect();
    let altered = text.replacen("\"status\":200", "\"status\":404", 1);
    assert!(altered != text);
    for (broken, words) in [(cut, "the manifest of its collection lists"), (altered, "differs from the one")]
    {
        fs::write(&table, broken).unwrap();
        for command in [&["audit", "made"][..], &["at", "2024-01-02", "made"]] {
            let output = run(folder.path(), command);
            let all = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert_eq!(output.status.code(), Some(3), "{command:?}: {all}");
        }
        let output = run(folder.path(), &["audit", "made", "--json"]);
        let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
        let problems = audit["problems"].as_array().unwrap();
        let problem = problems.iter().find(|problem| problem["kind"] == "altered-table").unwrap();
        assert!(problem["message"].as_str().unwrap().contains(words), "{problem}");
        assert_eq!(audit["summary"]["observations"], 18);
    }
    done(folder.path(), &["index", "in", "--content", "--out", "made"]);
    done(folder.path(), &["audit", "made"]);
}

#[test]
fn tables_made_with_verified_digests_say_so() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 4, 6);
    fs::remove_file(folder.path().join("in/1.warc")).unwrap();
    let record = |options: &[&str]| {
        let _ = fs::remove_dir_all(folder.path().join("made"));
        done(folder.path(), &[&["index", "in", "--out", "made"], options].concat());
        let output = run(folder.path(), &["audit", "made", "--json"]);
        let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = audit["answers"]["record"]["sentence"].as_str().unwrap().to_owned();
        (audit["inputs"][0]["digests_verified"].clone(), said)
    };
    for options in [&[][..], &["--content"]] {
        let (verified, said) = record(options);
        assert_eq!(verified, true);
        assert!(said.starts_with("Every record could be read"), "{said}");
    }
    let (verified, said) = record(&["--digests", "declared"]);
    assert_eq!(verified, false);
    assert!(said.contains("Nothing was checked"), "{said}");
}

#[test]
fn archives_of_one_relative_path_in_two_folders_do_not_replace_each_other() {
    let folder = tempfile::tempdir().unwrap();
    for night in ["one", "two"] {
        fs::create_dir(folder.path().join(night)).unwrap();
        archives(&folder.path().join(night), 1, 4);
    }
    let index = ["index", "in", "--out", "../made"];
    done(&folder.path().join("one"), &index);
    let refused = run(&folder.path().join("two"), &index);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("another archive of this name") && said.contains("one/in/sub/0.warc.gz"), "{said}");
    done(&folder.path().join("one"), &index);
    // Where the first one is gone, the folder was probably moved.
    fs::remove_dir_all(folder.path().join("one")).unwrap();
    done(&folder.path().join("two"), &index);
}

#[test]
fn an_archive_is_known_again_however_its_path_is_written() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 3, 4);
    done(folder.path(), &["index", "in", "--out", "made"]);
    let before = tree(&folder.path().join("made"));
    let whole = folder.path().join("in");
    for inputs in ["./in", "in/../in", whole.to_str().unwrap()] {
        let said = done(folder.path(), &["index", inputs, "--out", "made"]);
        assert!(said.contains("0 archives indexed, 3 unchanged and skipped"), "{inputs}: {said}");
        assert!(!said.contains("not among the inputs"), "{inputs}: {said}");
    }
    assert_eq!(tree(&folder.path().join("made")), before);
}

/// Lines of an index of later captures of four pages.
fn index_lines() -> String {
    let line = |n: u32| {
        let digest = char::from(b'A' + n as u8).to_string().repeat(32);
        format!(
            "example,a)/{n} 202402010000{n:02} {{\"url\": \"http://a.example/{n}\", \"mime\": \"text/html\", \"status\": \"200\", \
             \"digest\": \"{digest}\", \"length\": \"300\", \"offset\": \"{}\", \"filename\": \"feb.warc.gz\"}}\n",
            300 * n
        )
    };
    (0..4).map(line).collect()
}

#[test]
fn what_only_an_index_tells_of_was_not_checked_nor_read_for_links() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 1, 4);
    fs::write(folder.path().join("feb.cdxj"), index_lines()).unwrap();
    done(folder.path(), &["index", "feb.cdxj", "--out", "alone"]);
    done(folder.path(), &["index", "in", "feb.cdxj", "--content", "--out", "both"]);
    let answers = |inputs: &[&str]| {
        let output = run(folder.path(), &[&["audit", "--json"], inputs].concat());
        let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
        let answer = |name: &str| {
            let answer = &audit["answers"][name];
            (answer["band"].as_str().unwrap().to_owned(), answer["sentence"].as_str().unwrap().to_owned())
        };
        (answer("complete"), answer("record"), audit["inputs"].clone())
    };
    let (_, record, inputs) = answers(&["alone"]);
    assert_eq!((record.0.as_str(), &inputs[0]["digests_verified"]), ("cannot tell", &Value::Null));
    assert!(record.1.contains("Nothing was checked"), "{record:?}");
    for inputs in [&["in", "feb.cdxj"][..], &["both"]] {
        let (complete, record, _) = answers(inputs);
        assert_eq!((complete.0.as_str(), record.0.as_str()), ("cannot tell", "cannot tell"), "{record:?}");
        assert!(
            complete.1.contains("The latest capture of all 4 pages was not read for links"),
            "{complete:?}"
        );
        assert!(
            record.1.starts_with("4 of 8 captures were not checked against the stored bytes"),
            "{record:?}"
        );
    }
    let (complete, record, _) = answers(&["in"]);
    assert_eq!((complete.0.as_str(), record.0.as_str()), ("good", "good"), "{complete:?} {record:?}");
}

#[test]
fn a_part_that_was_indexed_without_its_links_is_not_taken_for_complete() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, month: u32, body: &str| {
        Record::page(
            n + 10 * month,
            &format!("http://a.example/{n}"),
            &format!("2024-{month:02}-01T00:00:{n:02}Z"),
            body,
        )
        .bytes()
    };
    let links = "<a href=/0>a</a><a href=/1>b</a>";
    let later = format!("{links}<img src=/gone.png>");
    fs::write(folder.path().join("jan.warc"), [page(0, 1, links), page(1, 1, links)].concat()).unwrap();
    fs::write(folder.path().join("feb.warc"), [page(0, 2, &later), page(1, 2, links)].concat()).unwrap();
    let complete = |input: &str| {
        let output = run(folder.path(), &["audit", "--json", input]);
        let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
        let answer = &audit["answers"]["complete"];
        (answer["band"].as_str().unwrap().to_owned(), answer["sentence"].as_str().unwrap().to_owned())
    };
    done(folder.path(), &["index", "jan.warc", "--content", "--out", "made"]);
    assert_eq!(complete("made").0, "good");
    done(folder.path(), &["index", "feb.warc", "--out", "made"]);
    let (band, sentence) = complete("made");
    // Of one page the later capture has the same digest.
    assert!(band == "cannot tell" && sentence.contains("capture of 1 of 2 pages was not read"), "{sentence}");
    done(folder.path(), &["index", "feb.warc", "--content", "--out", "made"]);
    assert_eq!(complete("made").0, "poor");
}

#[test]
fn an_archive_that_changed_while_it_was_indexed_is_not_said_to_be_read() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 1, 4);
    done(folder.path(), &["index", "in", "--out", "made"]);
    let trace = r#"{"path":"live.warc","problems":[{"level":"error","kind":"file-changed","message":"the file changed while it was read",
        "file":"live.warc","remedy":"run `acuity index` again"}]}"#;
    fs::write(folder.path().join("made/left-out/live.warc-0123456789abcdef.json"), trace).unwrap();
    let output = run(folder.path(), &["audit", "--json", "made"]);
    let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sentence = audit["answers"]["record"]["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("1 file could not be read"), "{sentence}");
}

#[cfg(feature = "parquet")]
#[test]
fn a_list_of_problems_goes_with_the_table_it_belongs_to() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 2, 4);
    let index = ["index", "in", "--out", "made"];
    let lists = || fs::read_dir(folder.path().join("made/problems")).unwrap().count();
    done(folder.path(), &[&index[..], &["--format", "parquet"]].concat());
    let before = lists();
    done(folder.path(), &index);
    assert_eq!(lists(), before);
    let sound = fs::read(folder.path().join("in/1.warc")).unwrap();
    fs::write(folder.path().join("in/1.warc"), &sound[5..]).unwrap();
    done(folder.path(), &index);
    assert_eq!(lists(), before - 1);
}

#[test]
fn archives_that_are_gone_are_noted_and_ones_that_changed_in_secret_are_found_by_their_hash() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 4, 6);
    let index = ["index", "in", "--out", "made"];
    done(folder.path(), &index);
    fs::remove_file(folder.path().join("in/sub/3.warc.gz")).unwrap();
    let told = done(folder.path(), &index);
    assert!(told.contains("not-among-inputs"), "{told}");
    // The same size and time, another byte.
    let path = folder.path().join("in/2.warc");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let text = fs::read_to_string(&path).unwrap().replacen("<p>", "<i>", 1);
    fs::write(&path, text).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert!(done(folder.path(), &index).contains("0 archives indexed, 3 unchanged"));
    let output = run(folder.path(), &[&index[..], &["--rehash"]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("1 archive indexed, 2 unchanged"), "{told}");
}

/// The kinds of problems in the audit of some inputs, their files, and the exit code.
fn problems(folder: &Path, inputs: &[&str]) -> (Vec<(String, String)>, Option<i32>) {
    let output = run(folder, &[&["audit"], inputs, &["--json"]].concat());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let audit: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{text}"));
    let word = |problem: &Value, field: &str| problem[field].as_str().unwrap().to_owned();
    let mut found: Vec<(String, String)> = audit["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["level"] == "error")
        .map(|problem| (word(problem, "kind"), word(problem, "file")))
        .collect();
    found.sort();
    (found, output.status.code())
}

#[test]
fn what_could_not_be_read_is_told_by_every_audit_until_it_is() {
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        archives(folder, 3, 4);
        fs::write(folder.join("packed.warc.bz2"), b"BZh91AY&SY\x00\x00").unwrap();
        let inputs = ["in", "gone", "late/*.warc", "packed.warc.bz2"];
        let index = [&["index"], &inputs[..], &["--out", "made", "--format", format, "-q"]].concat();
        assert_eq!(run(folder, &index).status.code(), Some(3));
        let (told, code) = problems(folder, &["made"]);
        assert_eq!((told.clone(), code), problems(folder, &inputs), "{format}");
        assert_eq!((told.len(), code), (3, Some(3)), "{told:?}");
        // Another run does not make it good, nor does one over other archives.
        run(folder, &index);
        done(folder, &["index", "in", "--out", "made", "--format", format, "-q"]);
        assert_eq!(problems(folder, &["made"]), (told, Some(3)));
        // A trace that was cut still says that something is missing.
        let trace = fs::read_dir(folder.join("made/left-out")).unwrap().next().unwrap().unwrap().path();
        fs::write(trace, "").unwrap();
        assert_eq!(problems(folder, &["made"]).0.len(), 3);
        // The path is a folder now, the pattern finds a file, and the packed archive is none any more.
        for name in ["gone/deep/x.warc", "late/y.warc", "packed.warc.bz2"] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let url = format!("http://a.example/{name}");
            fs::write(path, Record::page(900, &url, "2024-03-01T00:00:00Z", "<p>x").bytes()).unwrap();
        }
        run(folder, &index);
        done(folder, &index);
        let left: Vec<_> = fs::read_dir(folder.join("made/left-out")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        assert_eq!(problems(folder, &["made"]), (Vec::new(), Some(0)), "{format}");
    }
}

const FORMATS: &[&str] = if cfg!(feature = "parquet") { &["jsonl", "parquet"] } else { &["jsonl"] };

#[test]
fn a_table_without_a_whole_manifest_is_not_used_and_named() {
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        archives(folder, 4, 6);
        let index = ["index", "in", "--out", "made", "--format", format, "-q"];
        done(folder, &index);
        let manifest = fs::read_dir(folder.join("made/manifest"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("2.warc"))
            .unwrap();
        let whole = fs::read(&manifest).unwrap();
        for broken in [Some(&whole[..0]), Some(&whole[..whole.len() / 2]), None] {
            match broken {
                Some(bytes) => fs::write(&manifest, bytes).unwrap(),
                None => fs::remove_file(&manifest).unwrap(),
            }
            let (told, code) = problems(folder, &["made"]);
            assert_eq!((told.len(), code), (1, Some(3)), "{told:?}");
            assert!(told[0].0 == "altered-table" && told[0].1.contains("2.warc"), "{told:?}");
        }
        // All manifests gone: not one table is used.
        done(folder, &index);
        assert_eq!(problems(folder, &["made"]), (Vec::new(), Some(0)));
        fs::rename(folder.join("made/manifest"), folder.join("elsewhere")).unwrap();
        let output = run(folder, &["audit", "made"]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.contains("the manifest of the table is missing"), "{told}");
        fs::rename(folder.join("elsewhere"), folder.join("made/manifest")).unwrap();
        // A table of no bytes, and one that is gone.
        let part = if *format == "jsonl" { "made/tables" } else { "made/observations" };
        let table = fs::read_dir(folder.join(part)).unwrap().next().unwrap().unwrap().path();
        fs::write(&table, "").unwrap();
        assert_eq!(problems(folder, &["made"]).1, Some(3));
        fs::remove_file(&table).unwrap();
        assert_eq!(problems(folder, &["made"]).1, Some(3));
        // A list of problems that was cut.
        done(folder, &index);
        let list = fs::read_dir(folder.join("made/problems")).unwrap().next().unwrap().unwrap().path();
        fs::write(list, "").unwrap();
        assert_eq!(problems(folder, &["made"]).1, Some(3));
    }
}

#[cfg(feature = "parquet")]
#[test]
fn tables_of_another_format_replace_those_of_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 3, 4);
    for format in ["jsonl", "parquet", "jsonl"] {
        done(folder.path(), &["index", "in", "--out", "made", "--format", format, "-q"]);
        assert_eq!(problems(folder.path(), &["made"]), (Vec::new(), Some(0)), "{format}");
    }
}

#[test]
fn a_collection_inside_its_inputs_does_not_index_its_own_tables() {
    let folder = tempfile::tempdir().unwrap();
    archives(folder.path(), 3, 4);
    done(folder.path(), &["index", "in", "--out", "in/other"]);
    for again in 0..3 {
        for inputs in [&["in"][..], &["in", "in/made/tables/*"]] {
            let told = done(folder.path(), &[&["index"], inputs, &["--out", "in/made"]].concat());
            let all = told.contains("3 archives indexed, 0") || told.contains("0 archives indexed, 3 unch");
            assert!(all, "run {again}: {told}");
        }
    }
    let lines = String::from_utf8(run(folder.path(), &["index", "in/made", "-q"]).stdout).unwrap();
    assert_eq!(lines.lines().count(), 12);
    // Named itself, a collection is read; but never into itself.
    assert!(done(folder.path(), &["index", "in/made", "--out", "copy"]).contains("3 archives indexed"));
    assert_eq!(run(folder.path(), &["index", "in/made", "--out", "in/made"]).status.code(), Some(3));
}

#[test]
fn problems_of_a_site_are_the_same_whether_archives_or_tables_of_them_are_audited() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = |n: u32, host: &str, is_wrong: bool| {
        let date = format!("2024-01-01T00:00:{n:02}Z");
        let record = Record::page(n, &format!("http://{host}.example/{n}"), &date, "<p>some words");
        let digest = if is_wrong { b"other".as_slice() } else { b"<p>some words" };
        record.set("WARC-Payload-Digest", &crate::support::digests::sha1(digest)).bytes()
    };
    fs::write(folder.join("1.warc"), [page(1, "a", true), page(2, "b", true), page(3, "b", true)].concat())
        .unwrap();
    fs::write(folder.join("2.warc"), [page(4, "c", true), page(5, "d", false)].concat()).unwrap();
    fs::write(folder.join("3.warc"), [page(6, "a", false), b"junk\n".to_vec(), page(7, "b", false)].concat())
        .unwrap();
    let archives = ["1.warc", "2.warc", "3.warc"];
    let index =
        |more: &[&str]| run(folder, &[&["index", "-q", "--content"][..], &archives[..], more].concat());
    index(&["--out", "lines"]);
    #[cfg(feature = "parquet")]
    index(&["--out", "columns", "--format", "parquet"]);
    index(&["-o", "one.jsonl"]);
    let audit = |inputs: &[&str], site: &str| {
        let output = run(folder, &[&["audit", "-q", "--json", "--site", site][..], inputs].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            report["problems"].clone(),
            report["summary"]["problems"].clone(),
            report["answers"]["record"]["band"].clone(),
        )
    };
    let places = |found: &Value| -> Vec<(String, String)> {
        let one = |problem: &Value| {
            (problem["file"].as_str().unwrap().to_owned(), problem["kind"].as_str().unwrap().to_owned())
        };
        found.as_array().unwrap().iter().map(one).collect()
    };
    let wrong = |file: &str| (file.to_owned(), "payload-digest".to_owned());
    for (site, digests) in [
        ("a.example", vec![wrong("1.warc")]),
        ("b.example", vec![wrong("1.warc"); 2]),
        ("c.example", vec![wrong("2.warc")]),
        ("d.example", vec![]),
    ] {
        let whole = audit(&archives, site);
        let (of_digests, others): (Vec<_>, Vec<_>) =
            places(&whole.0).into_iter().partition(|(_, kind)| kind == "payload-digest");
        assert_eq!(of_digests, digests, "{site}");
        // What lies between records concerns the whole archive.
        let in_third = matches!(site, "a.example" | "b.example");
        assert_eq!(!others.is_empty(), in_third, "{site} {others:?}");
        assert!(others.iter().all(|(file, _)| file == "3.warc"), "{site} {others:?}");
        assert_eq!(audit(&["lines"], site), whole, "{site}");
        #[cfg(feature = "parquet")]
        {
            assert_eq!(audit(&["columns"], site), whole, "{site}");
            assert_eq!(audit(&["columns/observations", "--part-of", "all"], site), whole, "{site}");
        }
        run(folder, &["pages", "-q", "lines", "--site", site, "--out", "pages.jsonl"]);
        if folder.join("pages.jsonl").exists() {
            assert_eq!(audit(&["pages.jsonl", "--captures", "lines"], site), whole, "{site}");
        }
    }
}

#[test]
fn a_table_that_knows_of_no_links_gives_the_figures_of_its_archive() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let page = |n: u32, name: &str, body: &str| {
        Record::page(n, &format!("http://b.example/{name}"), &format!("2024-01-01T00:00:{n:02}Z"), body)
            .bytes()
    };
    let list = "<urlset><url><loc>http://b.example/dir/p</loc></url></urlset>";
    let sitemap = Record::response(
        9,
        "http://b.example/sitemap.xml",
        "2024-01-01T00:00:09Z",
        "HTTP/1.1 200 OK\nContent-Type: application/xml",
        list.as_bytes(),
    );
    let records = [
        page(1, "dir/", "<p>words<a href=/y>y</a><a href=http://c.example/>c</a>"),
        page(2, "dir/p", "<p>other words<a href=/z>z</a>"),
        page(3, "x", "<p>more words<a href=http://c.example/y>c</a>"),
        sitemap.bytes(),
    ];
    fs::write(folder.join("a.warc"), records.concat()).unwrap();
    done(folder, &["index", "a.warc", "--content", "-o", "a.jsonl"]);
    let figures = |input: &str| -> Value {
        let output = run(folder, &["audit", "-q", "--json", input]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["sites"][0]["completeness"].clone()
    };
    assert_eq!(figures("a.jsonl"), figures("a.warc"));
}
