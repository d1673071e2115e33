use std::io::{Cursor, Write};

use proptest::prelude::*;
use zip::CompressionMethod::{Deflated, Stored};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::digest::{Algorithm, Hasher};
use crate::time::Instant;

/// A zip file of these entries.
fn zip(entries: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, deflate) in entries {
        let method = if *deflate { Deflated } else { Stored };
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn open(bytes: &[u8]) -> Wacz {
    Wacz::open(Blob::memory(bytes)).unwrap()
}

fn content(wacz: &Wacz, entry: &Entry) -> Vec<u8> {
    let (blob, _) = wacz.read(entry).unwrap();
    blob.bytes_at(0, blob.len() as usize).unwrap()
}

fn kinds(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.kind.as_str()).collect()
}

fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hasher.finish().to_string()
}

const WARC: &[u8] = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n";

/// A package with the hash of its WARC, which may be wrong, and of its description.
fn package(hash: &str, software: &str) -> Vec<u8> {
    let description = format!(
        r#"{{"profile": "data-package", "software": "{software}", "created": "2021-05-27T22:37:32Z", "wacz_version": "1.1.1",
            "resources": [{{"name": "a", "path": "archive/data.warc.gz", "hash": "{hash}", "bytes": {}}}],
            "relation": {{"requires": [{{"filename": "old.wacz", "hash": "{hash}", "size": 5, "crawlId": "c1"}}]}}}}"#,
        WARC.len()
    );
    let digest = format!(r#"{{"path": "datapackage.json", "hash": "{}"}}"#, sha256(description.as_bytes()));
    let pages = "{\"format\": \"json-pages-1.0\", \"id\": \"pages\"}\n\
        {\"url\": \"http://a.org/\", \"ts\": \"2020-10-07T21:22:36Z\", \"title\": \"A\", \"text\": \"…\"}\n\
        broken\n{\"url\": \"http://a.org/b\", \"seed\": true, \"status\": 200, \"ts\": 1000}\n";
    zip(&[
        ("archive/data.warc.gz", WARC, false),
        ("pages/pages.jsonl", pages.as_bytes(), true),
        ("datapackage.json", description.as_bytes(), true),
        ("datapackage-digest.json", digest.as_bytes(), true),
    ])
}

#[test]
fn a_stored_warc_is_a_section_of_the_package() {
    let bytes = package(&sha256(WARC), "py-wacz 0.5");
    let mut wacz = open(&bytes);
    assert_eq!(wacz.problems(), []);
    let entry = wacz.archives().next().unwrap().clone();
    assert_eq!((entry.name.as_str(), entry.length), ("archive/data.warc.gz", WARC.len() as u64));
    let start = entry.data_offset as usize;
    assert_eq!(&bytes[start..start + WARC.len()], WARC);
    assert_eq!(content(&wacz, &entry), WARC);
    assert_eq!(wacz.check_hashes().unwrap(), []);
    let package = wacz.package().unwrap();
    assert_eq!((package.resources.len(), package.requires[0].file.as_str()), (1, "old.wacz"));
    assert_eq!((package.requires[0].bytes, package.requires[0].crawl.as_deref()), (Some(5), Some("c1")));
    assert_eq!(package.created, Instant::parse("2021-05-27T22:37:32Z"));
}

#[test]
fn pages_are_read_and_broken_lines_counted() {
    let (pages, problems) = open(&package("", "")).pages().unwrap();
    let urls: Vec<&str> = pages.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["http://a.org/", "http://a.org/b"]);
    assert_eq!(
        (pages[0].title.as_deref(), pages[0].time),
        (Some("A"), Instant::parse("2020-10-07T21:22:36Z"))
    );
    assert_eq!(
        (pages[1].is_seed, pages[1].status, pages[1].time),
        (Some(true), Some(200), Some(Instant(1_000_000)))
    );
    assert_eq!(kinds(&problems), ["wacz-pages-damaged"]);
    assert!(problems[0].message.contains("line 3"), "{}", problems[0].message);
}

#[test]
fn a_hash_that_differs_is_called_just_that_and_known_writers_are_named() {
    let wrong = sha256(b"something else");
    for (software, known) in [("@harvard-lil/js-wacz 0.1.5", true), ("py-wacz 0.5", false)] {
        let problems = open(&package(&wrong, software)).check_hashes().unwrap();
        assert_eq!(kinds(&problems), ["wacz-hash-differs"]);
        assert!(problems[0].message.contains("hash of \"archive/data.warc.gz\" differs"));
        assert!(!problems[0].message.contains("tamper"));
        assert_eq!(problems[0].remedy.as_ref().unwrap().contains("issue 127"), known);
    }
}

#[test]
fn a_hash_that_can_be_forged_is_named_though_it_agrees() {
    let mut md5 = Hasher::new(Algorithm::Md5);
    md5.update(WARC);
    let weak = open(&package(&md5.finish().to_string(), "x")).contents().unwrap().weak;
    assert_eq!(weak, ["archive/data.warc.gz"]);
    assert!(open(&package(&sha256(WARC), "x")).contents().unwrap().weak.is_empty());
}

#[test]
fn what_the_description_lists_and_what_is_there_are_compared() {
    let bytes = zip(&[
        ("archive/b.warc", WARC, false),
        (
            "datapackage.json",
            br#"{"resources": [{"path": "archive/gone.warc"}, {"path": "archive/b.warc", "bytes": 3}, 7]}"#,
            true,
        ),
        ("archive/c.warc", WARC, true),
        ("datapackage-digest.json", br#"{"hash": "sha256:00"}"#, false),
    ]);
    let mut wacz = open(&bytes);
    assert_eq!(wacz.archives().count(), 2);
    let problems = wacz.check_hashes().unwrap();
    assert_eq!(
        kinds(&problems),
        ["wacz-resource-missing", "wacz-length-differs", "wacz-resource-unlisted", "wacz-package-damaged"]
    );
    let deflated = wacz.archives().nth(1).unwrap();
    assert!(deflated.is_deflated);
    assert_eq!(content(&wacz, deflated), WARC);
}

#[test]
fn names_are_never_paths() {
    for name in ["archive/../../../etc/passwd", "/etc/passwd", "archive/\u{1b}[2Jx", "C:\\x"] {
        let wacz = open(&zip(&[(name, WARC, false)]));
        assert_eq!(wacz.entries()[0].name, name);
        assert_eq!(content(&wacz, &wacz.entries()[0]), WARC);
    }
}

#[test]
fn a_package_cut_short_gives_what_is_there() {
    let bytes = zip(&[("archive/a.warc", WARC, false), ("archive/b.warc", WARC, false), ("x", b"y", false)]);
    let second = open(&bytes).entries()[1].clone();
    let cut = &bytes[..second.data_offset as usize + 20];
    let wacz = open(cut);
    assert!(kinds(wacz.problems()).contains(&"zip-directory-missing"));
    let found: Vec<Vec<u8>> = wacz.archives().map(|entry| content(&wacz, entry)).collect();
    assert_eq!(found, [WARC.to_vec(), WARC[..20].to_vec()]);
    assert!(open(b"PK").entries().is_empty());
    assert_eq!(kinds(open(b"").problems()), ["zip-damaged"]);
}

#[test]
fn bytes_before_the_zip_file_and_behind_it_do_no_harm() {
    let mut bytes = b"#!/bin/sh\n".to_vec();
    bytes.extend(zip(&[("archive/a.warc", WARC, false)]));
    bytes.extend(b"trailing");
    let wacz = open(&bytes);
    assert_eq!(content(&wacz, &wacz.entries()[0]), WARC);
}

#[test]
fn overlapping_encrypted_and_duplicate_entries_are_named() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("archive/a.warc", SimpleFileOptions::default().compression_method(Stored)).unwrap();
    writer.write_all(WARC).unwrap();
    writer.shallow_copy_file("archive/a.warc", "archive/b.warc").unwrap();
    let wacz = open(&writer.finish().unwrap().into_inner());
    assert_eq!(kinds(wacz.problems())[0], "zip-entry-unreadable");
    assert!(wacz.problems()[0].message.contains("overlaps"));
    assert_eq!(wacz.archives().count(), 1);

    // The names have equal lengths, so one can be made into the other; bit 0 of the flags means encrypted.
    let mut bytes = zip(&[("archive/a.warc", WARC, false), ("archive/b.warc", WARC, false)]);
    while let Some(at) = memchr::memmem::find(&bytes, b"archive/b.warc") {
        bytes[at..at + 14].copy_from_slice(b"archive/a.warc");
    }
    let wacz = open(&bytes);
    assert!(kinds(wacz.problems()).contains(&"zip-duplicate-name"));
    assert_eq!(wacz.archives().count(), 2);
    let central = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
    bytes[central + 8] |= 1;
    let wacz = open(&bytes);
    assert!(wacz.problems()[0].message.contains("encrypted"), "{:?}", wacz.problems());
    assert_eq!(wacz.archives().count(), 1);
}

#[test]
fn a_bomb_is_inflated_only_so_far() {
    let bytes = zip(&[("archive/bomb.warc", &vec![0; 80 << 20], true)]);
    let wacz = open(&bytes);
    let (blob, problem) = wacz.read(&wacz.entries()[0]).unwrap();
    assert_eq!(problem.unwrap().kind, "zip-entry-too-large");
    assert_eq!(blob.len(), 64 << 20);
}

#[test]
fn a_directory_that_declares_more_than_there_is_costs_no_memory() {
    let mut bytes = zip(&[("archive/a.warc", WARC, false)]);
    let end = memchr::memmem::rfind(&bytes, b"PK\x05\x06").unwrap();
    bytes[end + 10..end + 12].copy_from_slice(&[0xff, 0x7f]);
    let wacz = open(&bytes);
    assert_eq!(kinds(wacz.problems())[0], "zip-directory-damaged");
    assert_eq!(content(&wacz, &wacz.entries()[0]), WARC);
}

#[test]
fn entries_lie_where_the_zip_crate_finds_them() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, large, method) in
        [("a", false, Stored), ("b", true, Stored), ("c", true, Deflated), ("d/", false, Stored)]
    {
        let options = SimpleFileOptions::default().compression_method(method).large_file(large);
        writer.start_file(name, options).unwrap();
        writer.write_all(WARC).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    let mut reference = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let wacz = open(&bytes);
    assert_eq!(wacz.entries().len(), reference.len());
    for (place, entry) in wacz.entries().iter().enumerate() {
        let other = reference.by_index(place).unwrap();
        assert_eq!(
            (entry.header_offset, Some(entry.data_offset)),
            (other.header_start(), other.data_start())
        );
        assert_eq!((entry.stored_length, entry.length), (other.compressed_size(), other.size()));
        assert_eq!(content(&wacz, entry), WARC);
    }
}

#[test]
fn a_directory_behind_four_gigabytes_is_found() {
    // The 64-bit end record, its locator and extra fields, as written by tools for packages of any size; the hole in
    // front takes no room on disk.
    let small = zip(&[("archive/a.warc", WARC, false)]);
    let central = memchr::memmem::find(&small, b"PK\x01\x02").unwrap();
    let end = memchr::memmem::rfind(&small, b"PK\x05\x06").unwrap();
    let base = 5u64 << 30;
    let mut tail = small[..central].to_vec();
    let directory = base + tail.len() as u64;
    let mut header = small[central..end].to_vec();
    header[30..32].copy_from_slice(&12u16.to_le_bytes());
    header[42..46].copy_from_slice(&[0xff; 4]);
    header.truncate(46 + "archive/a.warc".len());
    header.extend([1, 0, 8, 0]);
    header.extend(base.to_le_bytes());
    let end64 = directory + header.len() as u64;
    tail.extend(&header);
    tail.extend(b"PK\x06\x06");
    tail.extend(44u64.to_le_bytes());
    tail.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for value in [1, 1, header.len() as u64, directory] {
        tail.extend(value.to_le_bytes());
    }
    tail.extend(b"PK\x06\x07\0\0\0\0");
    tail.extend(end64.to_le_bytes());
    tail.extend([1, 0, 0, 0]);
    tail.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
    let file = tempfile::tempfile().unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &tail, base).unwrap();
    let wacz = Wacz::open(Blob::file(file).unwrap()).unwrap();
    let entry = wacz.archives().next().unwrap();
    assert_eq!(entry.header_offset, base);
    assert_eq!(content(&wacz, entry), WARC);
}

#[test]
fn damage_in_a_deflated_entry_is_found() {
    let text =
        b"a text that is long enough to be deflated, a text that is long enough to be deflated".repeat(9);
    let mut bytes = zip(&[("archive/a.warc", &text, true)]);
    let start = open(&bytes).entries()[0].data_offset as usize;
    bytes[start + 30] ^= 0x55;
    let wacz = open(&bytes);
    let (_, problem) = wacz.read(&wacz.entries()[0]).unwrap();
    assert_eq!(problem.unwrap().kind, "zip-entry-damaged");
}

#[test]
fn a_list_of_packages_stays_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("list");
    std::fs::create_dir_all(inner.join("sub")).unwrap();
    std::fs::write(inner.join("a.wacz"), b"x").unwrap();
    std::fs::write(inner.join("sub/b.wacz"), b"x").unwrap();
    std::fs::write(folder.path().join("out.wacz"), b"x").unwrap();
    std::os::unix::fs::symlink(folder.path().join("out.wacz"), inner.join("link.wacz")).unwrap();
    let absolute = folder.path().join("out.wacz");
    let paths = [
        "a.wacz",
        "./sub/b.wacz",
        "../out.wacz",
        "sub/../../out.wacz",
        "link.wacz",
        "gone.wacz",
        "",
        "https://example.org/c.wacz",
        absolute.to_str().unwrap(),
    ];
    let resources: Vec<_> = paths.iter().map(|path| serde_json::json!({"path": path})).collect();
    let json = serde_json::json!({"profile": "multi-wacz-package", "resources": resources}).to_string();
    let list = multi_wacz(json.as_bytes(), &inner).unwrap();
    assert_eq!(list.files, [inner.join("a.wacz"), inner.join("./sub/b.wacz")]);
    assert_eq!(kinds(&list.problems), ["multi-wacz-not-read"; 7]);
    assert!(multi_wacz(br#"{"resources": [{"path": "a.warc"}]}"#, &inner).is_none());
    assert!(multi_wacz(b"[1]", &inner).is_none());
}

#[test]
fn version_one_had_its_hashes_elsewhere() {
    let package = DataPackage::parse(
        br#"{"resources": [{"path": "archive/a.warc", "hashing": "sha256", "stats": {"bytes": 9,
            "hash": "18e48de8d35170defcab9080c9e28d36f7d6a076edcc48a269d1728ef5cb6179"}}], "metadata": {"title": "T"}}"#,
    )
    .unwrap();
    assert_eq!((package.resources[0].bytes, package.title.as_deref()), (Some(9), Some("T")));
    assert_eq!(package.resources[0].hash.unwrap().algorithm(), Algorithm::Sha256);
}

proptest! {
    #[test]
    fn no_damage_makes_the_reader_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in any::<prop::sample::Index>(),
        keep in any::<bool>(),
    ) {
        let mut bytes = package(&sha256(WARC), "");
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if !keep {
            bytes.truncate(cut.index(bytes.len()));
        }
        let mut wacz = open(&bytes);
        wacz.check_hashes().unwrap();
        wacz.pages().unwrap();
        for entry in wacz.entries() {
            let (blob, _) = wacz.read(entry).unwrap();
            prop_assert!(blob.len() <= 64 << 20);
        }
    }
}

#[test]
fn a_hash_of_the_manifest_that_is_stated_twice_and_another_path_are_noted() {
    let notes = |digest: &str| {
        let bytes =
            zip(&[("datapackage.json", b"{}", false), ("datapackage-digest.json", digest.as_bytes(), false)]);
        open(&bytes).manifest().unwrap().notes
    };
    assert_eq!(notes(r#"{"path": "datapackage.json", "hash": "sha256:00"}"#), [""; 0]);
    let twice = notes(r#"{"path": "datapackage.json", "hash": "sha256:00", "hash": "sha256:01"}"#);
    assert!(twice.len() == 1 && twice[0].contains("its hash several times"), "{twice:?}");
    let other = notes(r#"{"path": "other.json", "hash": "sha256:00"}"#);
    assert!(other.len() == 1 && other[0].contains("other.json"), "{other:?}");
}
