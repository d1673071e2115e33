//! A bundle verifies on a machine that has nothing else; no file of it can be altered, taken away or added unnoticed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::program::run;
use crate::support::record::{Record, ok};

/// A page seen three times, once as a revisit; a request; an image; another page; a warcinfo record.
fn records() -> Vec<Record> {
    let page = |n, path: &str, time: &str, body: &str| {
        Record::page(n, &format!("http://a.example{path}"), &format!("2024-01-01T{time}:00Z"), body)
    };
    let front = b"<p>a fee of 5 euros <img src=/i.png>";
    let tagged = format!("{}\nETag: \"v1\"", ok(front.len()));
    vec![
        Record::fields("warcinfo", 90, "2024-01-01T09:00:00Z", "software: Test/1\r\nisPartOf: crawl-1\r\n"),
        Record::response(1, "http://a.example/", "2024-01-01T10:00:00Z", &tagged, front),
        Record::request(11, "http://a.example/", "2024-01-01T10:00:00Z", "GET /", "")
            .field("WARC-Concurrent-To", &format!("<{}>", crate::support::record::id(1))),
        page(2, "/i.png", "10:01", "png"),
        page(3, "/other", "10:02", "other"),
        Record::revisit(
            4,
            "http://a.example/",
            "2024-01-01T12:00:00Z",
            "server-not-modified",
            "HTTP/1.1 304 Not Modified\nETag: \"v1\"",
        ),
        page(5, "/i.png", "12:01", "png"),
        page(6, "/other", "12:02", "other"),
        Record::response(7, "http://a.example/", "2024-01-01T14:00:00Z", &ok(3), b"new"),
    ]
}

/// The records plain, each in a gzip member of its own, or all in one.
fn write(folder: &Path, how: &str) -> PathBuf {
    let records: Vec<Vec<u8>> = records().iter().map(Record::bytes).collect();
    let pack = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let (name, bytes) = match how {
        "plain" => ("a.warc", records.concat()),
        "members" => ("a.warc.gz", records.iter().flat_map(|record| pack(record)).collect()),
        _ => ("a.warc.gz", pack(&records.concat())),
    };
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn make(folder: &Path, archive: &Path, bundle: &str, more: &[&str]) {
    let archive = archive.display().to_string();
    let ask =
        ["at", "2024-01-01T11:00:00Z", &archive, "-q", "--url", "http://a.example/", "--bundle", bundle];
    let output = run(folder, &[&ask, more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn verify(folder: &Path, bundle: &str) -> (Option<i32>, String) {
    let output = run(folder, &["verify", bundle]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { left.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn a_bundle_verifies_without_its_archive_and_copies_records_as_they_are() {
    let mut told = Vec::new();
    for how in ["plain", "members", "together"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let archive = write(folder, how);
        let stored = fs::read(&archive).unwrap();
        make(folder, &archive, "b", &["--case", "24-cv-1", "--phrase", "a fee of 5 euros"]);
        make(folder, &archive, "b.wacz", &["--case", "24-cv-1", "--phrase", "a fee of 5 euros"]);
        fs::remove_file(&archive).unwrap();
        for bundle in ["b", "b.wacz"] {
            let (code, words) = verify(folder, bundle);
            assert_eq!(code, Some(0), "{how} {bundle}: {words}");
            assert!(words.contains("Confirmed from the records in this bundle"), "{words}");
            assert!(words.contains("Only the whole archive can show"), "{words}");
        }
        // A name of a data package matches ^[-a-z0-9._/]+$.
        let manifest: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("b/datapackage.json")).unwrap()).unwrap();
        let is_plain = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'/');
        for resource in manifest["resources"].as_array().unwrap() {
            assert!(resource["name"].as_str().unwrap().bytes().all(is_plain), "{resource}");
        }
        // However records are packed, the same captures show the words.
        let answer: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("b/evidence/answer.json")).unwrap()).unwrap();
        told.push(answer["phrases"][0]["answer"].clone());
        assert!(told[0] == told[told.len() - 1], "{told:?}");
        let custody: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("b/evidence/custody.json")).unwrap()).unwrap();
        let copies = custody["copies"].as_array().unwrap();
        // The page's three captures, its request, the image's two, the warcinfo. Where all records share one member, they have
        // one place, and the other page comes with them.
        let expected = if how == "together" { 9 } else { 7 };
        assert_eq!(copies.len(), expected, "{copies:?}");
        for copy in copies.iter().filter(|_| how != "together") {
            let number = |name: &str| copy[name].as_u64().unwrap() as usize;
            let data = fs::read(folder.join("b").join(copy["to_file"].as_str().unwrap())).unwrap();
            let (from, to, length) = (number("from_offset"), number("to_offset"), number("length"));
            assert_eq!(stored[from..from + length], data[to..to + length]);
        }
        // The checksums are those that everybody can check.
        let sums = std::process::Command::new("sha256sum")
            .args(["-c", "--quiet", "evidence/SHA256SUMS"])
            .current_dir(folder.join("b"))
            .status();
        assert!(sums.is_ok_and(|status| status.success()));
        let listed = fs::read_to_string(folder.join("b/evidence/SHA256SUMS")).unwrap().lines().count();
        assert_eq!(listed, files(&folder.join("b")).len() - 3);
    }
}

#[test]
fn every_file_of_a_bundle_that_is_altered_removed_or_added_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let archive = write(folder, "members");
    make(folder, &archive, "b", &[]);
    let all = files(&folder.join("b"));
    assert!(all.len() >= 14, "{all:?}");
    for path in &all {
        let whole = fs::read(path).unwrap();
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut altered = whole.clone();
            altered[place] ^= 1;
            fs::write(path, &altered).unwrap();
            let (code, words) = verify(folder, "b");
            assert!(code == Some(1), "{} byte {place}: {code:?} {words}", path.display());
        }
        fs::write(path, [whole.as_slice(), b"\n"].concat()).unwrap();
        assert_eq!(verify(folder, "b").0, Some(1), "{} longer", path.display());
        fs::remove_file(path).unwrap();
        let (code, words) = verify(folder, "b");
        assert!(matches!(code, Some(1 | 2)), "{} removed: {code:?} {words}", path.display());
        fs::write(path, &whole).unwrap();
    }
    assert_eq!(verify(folder, "b").0, Some(0));
    for extra in ["evidence/more.txt", "archive/more.warc", "top.txt"] {
        fs::write(folder.join("b").join(extra), "x").unwrap();
        let (code, words) = verify(folder, "b");
        assert_eq!(code, Some(1), "{extra}: {words}");
        fs::remove_file(folder.join("b").join(extra)).unwrap();
    }
}

#[test]
fn a_forged_answer_is_caught_even_with_new_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let archive = write(folder, "members");
    make(folder, &archive, "b", &[]);
    let answer = folder.join("b/evidence/answer.json");
    let text = fs::read_to_string(&answer).unwrap();
    for (from, to) in [
        ("\"verdict\": \"coherent\"", "\"verdict\": \"not-coherent\""),
        ("10:00:00 UTC", "10:00:01 UTC"),
        ("\"date\": \"2024-01-01T10:00:00Z\"", "\"date\": \"2024-01-01T09:00:00Z\""),
        ("\"status\": 200", "\"status\": 201"),
    ] {
        let forged = text.replacen(from, to, 1);
        assert_ne!(forged, text, "{from}");
        fs::write(&answer, forged).unwrap();
        // The forger writes new checksums and a new custody.
        let hash = |path: &Path| {
            let output = std::process::Command::new("sha256sum").arg(path).output().unwrap();
            String::from_utf8(output.stdout).unwrap()[..64].to_owned()
        };
        let custody = folder.join("b/evidence/custody.json");
        let old = fs::read_to_string(&custody).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&old).unwrap();
        value["answer_sha256"] = hash(&answer).into();
        fs::write(&custody, serde_json::to_string_pretty(&value).unwrap()).unwrap();
        let sums: String = files(&folder.join("b"))
            .iter()
            .filter_map(|path| {
                let name = path.strip_prefix(folder.join("b")).unwrap().display().to_string();
                let listed = name.contains('/') && !name.ends_with("SHA256SUMS");
                listed.then(|| format!("{}  {name}\n", hash(path)))
            })
            .collect();
        fs::write(folder.join("b/evidence/SHA256SUMS"), sums).unwrap();
        let (code, words) = verify(folder, "b");
        assert_eq!(code, Some(1), "{from}: {words}");
        assert!(words.contains("evidence/answer.json."), "{from}: {words}");
        fs::write(&custody, old).unwrap();
    }
}

#[test]
fn records_are_copied_out_of_a_package_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let archive = write(folder, "members");
    make(folder, &archive, "b.wacz", &[]);
    // A bundle is a package like any other: what was asked of the archive can be asked of it.
    make(folder, &folder.join("b.wacz"), "again", &[]);
    let (code, words) = verify(folder, "again");
    assert_eq!(code, Some(0), "{words}");
}

#[test]
fn a_bundle_is_never_written_over_anything_and_holds_all_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let archive = write(folder, "members");
    fs::create_dir(folder.join("there")).unwrap();
    let archive = archive.display().to_string();
    let ask = ["at", "2024-01-01T11:00:00Z", &archive, "-q", "--bundle"];
    let output = run(folder, &[&ask[..], &["there"]].concat());
    assert_eq!(output.status.code(), Some(2));
    // A whole site goes into one as well, and the certificates are filled in but for what only a person knows.
    let named = ["whole", "--case", "24-cv-1", "--certificate", "c.txt", "--certificate-form", "neutral"];
    let output = run(folder, &[&ask[..], &named].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(verify(folder, "whole").0, Some(0));
    let fre = fs::read_to_string(folder.join("whole/evidence/certificate.txt")).unwrap();
    let neutral = fs::read_to_string(folder.join("c.txt")).unwrap();
    assert!(fre.contains("902(13)") && fre.contains("penalty of perjury") && fre.contains("24-cv-1"));
    assert!(fre.contains("1. I am ____________________"), "{fre}");
    assert!(!neutral.contains("902(") && neutral.contains("to the best of my knowledge"));
    for text in [&fre, &neutral] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        for word in ["authentic", "tamper", "forensic", "guarantee", "witness"] {
            assert!(!text.to_lowercase().contains(word), "{word}");
        }
    }
}

#[test]
fn a_bundle_holds_requests_of_other_files_and_records_without_a_date() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let url = "http://a.example/";
    let page = |n, time: &str, body: &str| Record::page(n, url, &format!("2024-01-01T{time}:00Z"), body);
    let undated = page(4, "11:30", "<p>x").set("WARC-Date", "the other day");
    let captures =
        [page(1, "10:00", "<p>one"), page(2, "12:00", "<p>one"), page(3, "13:00", "<p>two"), undated];
    let request = Record::request(8, url, "2024-01-01T13:00:00Z", "POST /", "x=1")
        .field("WARC-Concurrent-To", &format!("<{}>", crate::support::record::id(3)));
    let bytes = |records: &[Record]| records.iter().flat_map(Record::bytes).collect::<Vec<u8>>();
    fs::write(folder.join("a.warc"), bytes(&captures)).unwrap();
    fs::write(folder.join("requests.warc"), bytes(&[request])).unwrap();
    let date = "2024-01-01T11:00:00Z";
    let ask = ["at", date, "a.warc", "requests.warc", "-q", "--url", url, "--bundle", "b"];
    let output = run(folder, &ask);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer = fs::read_to_string(folder.join("b/evidence/answer.txt")).unwrap();
    assert!(answer.contains("no date that can be read"), "{answer}");
    let (code, words) = verify(folder, "b");
    assert_eq!(code, Some(0), "{words}");
}

#[test]
fn a_bundle_is_checked_by_its_answer_and_archive_and_without_its_answer_fails() {
    let folder = tempfile::tempdir().unwrap();
    let archive = write(folder.path(), "members");
    make(folder.path(), &archive, "b", &[]);
    let verify = |arguments: &[&str]| run(folder.path(), &[&["verify", "-q"], arguments].concat());
    let output = verify(&["b/evidence/answer.json", "b/archive"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("Only the whole archive can show"), "{text}");
    fs::remove_file(folder.path().join("b/evidence/answer.json")).unwrap();
    assert_eq!(verify(&["b"]).status.code(), Some(1));
    fs::create_dir(folder.path().join("empty")).unwrap();
    let output = verify(&["empty"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not a bundle"), "{output:?}");
}

#[test]
fn a_damaged_record_beside_those_relied_on_does_not_prevent_a_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, hour: &str, body: &str| {
        let record = Record::page(n, "http://a.example/", &format!("2024-01-01T{hour}:00:00Z"), body);
        crate::support::pack::members(&[record.bytes()])
    };
    let mut damaged = page(2, "11", "<p>two");
    damaged[30..60].fill(0);
    let archive = folder.path().join("a.warc.gz");
    fs::write(&archive, [page(1, "10", "<p>one"), damaged, page(3, "12", "<p>one")].concat()).unwrap();
    let output = run(
        folder.path(),
        &["at", "2024-01-01T11:30:00Z", "a.warc.gz", "--url", "http://a.example/", "-q", "--bundle", "b"],
    );
    assert!(folder.path().join("b/evidence/answer.json").is_file(), "{output:?}");
    let answer = fs::read_to_string(folder.path().join("b/evidence/answer.json")).unwrap();
    assert!(answer.contains("Part of the inputs could not be read ("), "{answer}");
    assert_eq!(run(folder.path(), &["verify", "b", "-q"]).status.code(), Some(0));
}

/// A damaged archive in a folder: what remains of it.
fn damaged(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_damaged_file_is_copied_whole_where_its_records_alone_would_not_show_the_same() {
    let sound = tempfile::tempdir().unwrap();
    let gzip = fs::read(write(sound.path(), "together")).unwrap();
    let plain: Vec<u8> = records().iter().flat_map(Record::bytes).collect();
    let more = [
        Record::fields("warcinfo", 91, "2024-01-02T09:00:00Z", "software: Test/1\r\n"),
        Record::page(20, "http://a.example/", "2024-01-02T10:00:00Z", "later"),
    ];
    let more: Vec<u8> = more.iter().flat_map(Record::bytes).collect();
    let mut whole = 0;
    for (name, bytes) in [("cut.warc.gz", &gzip[..gzip.len() - 20]), ("cut.warc", &plain[..plain.len() - 6])]
    {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let archive = damaged(folder, name, bytes);
        let other = damaged(folder, "more.warc", &more);
        for bundle in ["b", "b.wacz"] {
            let ask = [
                "at",
                "2024-01-01T11:00:00Z",
                name,
                "more.warc",
                "-q",
                "--url",
                "http://a.example/",
                "--bundle",
                bundle,
            ];
            let output = run(folder, &ask);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(folder.join(bundle).exists(), "{name}: {said}");
        }
        fs::remove_file(&archive).unwrap();
        fs::remove_file(&other).unwrap();
        for bundle in ["b", "b.wacz"] {
            let (code, words) = verify(folder, bundle);
            assert_eq!(code, Some(0), "{name} {bundle}: {words}");
        }
        let custody: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("b/evidence/custody.json")).unwrap()).unwrap();
        let copies = custody["copies"].as_array().unwrap();
        let Some(copy) = copies.iter().find(|copy| copy["what"] == "whole file") else { continue };
        whole += 1;
        let path = folder.join("b").join(copy["to_file"].as_str().unwrap());
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(custody["remarks"][0].as_str().unwrap().contains("So it was copied whole"), "{custody}");
        assert!(verify(folder, "b").1.contains("1 damaged file is copied whole."));
        // One bit more or less is caught, and so is a remark that was taken away.
        let mut altered = bytes.to_vec();
        altered[bytes.len() / 2] ^= 1;
        fs::write(&path, &altered).unwrap();
        assert_eq!(verify(folder, "b").0, Some(1), "{name}");
        fs::write(&path, bytes).unwrap();
        let mut silent = custody.clone();
        silent.as_object_mut().unwrap().remove("remarks");
        fs::write(folder.join("b/evidence/custody.json"), silent.to_string()).unwrap();
        assert!(verify(folder, "b").1.contains("its remarks do not follow"));
    }
    assert!(whole > 0);
}

#[test]
fn a_record_dated_later_than_the_report_is_remarked_in_custody_and_not_in_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let archive = write(folder, "plain").display().to_string();
    let at = |epoch: &str, json: &str, custody: &str| {
        let json = format!("--json={json}");
        let ask = [
            "at",
            "2024-01-01T11:00:00Z",
            &archive,
            "--url",
            "http://a.example/",
            &json,
            "--custody",
            custody,
        ];
        let output =
            crate::support::program::acuity(folder, &ask).env("SOURCE_DATE_EPOCH", epoch).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Made at 11:00 of that day, and two years later.
    at("1704106800", "early.json", "early-custody.json");
    at("1767225600", "late.json", "late-custody.json");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("early.json"), read("late.json"));
    let remarks =
        |name: &str| serde_json::from_str::<serde_json::Value>(&read(name)).unwrap()["remarks"].clone();
    assert!(remarks("late-custody.json").is_null());
    let early = remarks("early-custody.json");
    let said = early[0].as_str().unwrap();
    assert!(said.contains("is dated 2024-01-01T12:00:00Z, later than this report was made"), "{said}");
}

#[test]
fn a_reply_of_an_authority_laid_into_a_bundle_is_noted_and_fails_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, &write(folder, "members"), "b", &[]);
    for name in ["answer.tsr", "ca.pem", "evidence/answer.tsr"] {
        fs::write(folder.join("b").join(name), b"x").unwrap();
    }
    let (code, said) = verify(folder, "b");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("evidence/answer.tsr is not part of the bundle"), "{said}");
    let page = fs::read_to_string(folder.join("b/evidence/VERIFY.txt")).unwrap();
    assert!(page.contains("--tsr ../answer.tsr --ca ../ca.pem"), "{page}");
    fs::write(folder.join("b/evidence/other.tsr"), b"x").unwrap();
    assert_eq!(verify(folder, "b").0, Some(1));
}

#[test]
fn what_lies_around_the_zip_file_of_a_bundle_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make(folder, &write(folder, "members"), "b.wacz", &[]);
    let package = fs::read(folder.join("b.wacz")).unwrap();
    let (code, said) = verify(folder, "b.wacz");
    assert!(code == Some(0) && !said.contains("NOTE"), "{said}");
    let mut comment = package.clone();
    let end = comment.len();
    comment[end - 2] = 5;
    comment.extend(b"hello");
    let behind = [&package[..], b"junk"].concat();
    let before = [b"junk", &package[..]].concat();
    for (name, bytes, told) in [
        ("comment.wacz", comment, "a comment of 5 bytes"),
        ("behind.wacz", behind, "4 bytes after the zip file"),
        ("before.wacz", before, "4 bytes before the zip file"),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
        let (code, said) = verify(folder, name);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(code == Some(0) && said.contains(told), "{name}: {said}");
    }
}
