//! A merge loses nothing: what it writes shows what its inputs show, and is rebuilt alike.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{good, manifest, run};
use crate::support::digests::sha1;
use crate::support::pack::{gzip, members};
use crate::support::record::{Record, http, id, ok};

const DATE: &str = "2024-01-01T00:00:00Z";
const SITE: &str = "http://a.example/";

fn page(n: u32, name: &str, body: &str) -> Record {
    Record::page(n, &format!("{SITE}{name}"), DATE, body)
}

/// The classes that are not empty.
fn counts(folder: &Path, one: &str, other: &str) -> Vec<(String, u64)> {
    let output = run(folder, &["diff", "-q", "--json", one, other]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = found["counts"].as_object().unwrap().iter();
    counts.map(|(name, n)| (name.clone(), n.as_u64().unwrap())).filter(|(_, n)| *n > 0).collect()
}

/// Asserts that input and output are identical, both ways, with this many resources.
fn assert_same(folder: &Path, input: &str, output: &str, resources: u64, case: &str) {
    for (one, other) in [(input, output), (output, input)] {
        let found = counts(folder, one, other);
        assert_eq!(found, [("identical".to_owned(), resources)], "{case}: {one} {other}");
    }
}

#[test]
fn captures_of_one_second_stay_in_their_order_where_one_becomes_a_revisit() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..8 {
        let (a, b) = (format!("<p>page A{n}"), format!("<p>page B{n}"));
        let records = [page(1, "j", &a).bytes(), page(2, "k", &a).bytes(), page(3, "k", &b).bytes()];
        fs::write(folder.path().join("in.warc.gz"), members(&records)).unwrap();
        let told = good(folder.path(), &["merge", "in.warc.gz", "-o", "m.warc.gz"]);
        assert!(told.contains("1 payload stored already"), "{told}");
        assert_same(folder.path(), "in.warc.gz", "m.warc.gz", 2, &n.to_string());
    }
}

#[test]
fn captures_of_one_second_with_one_body_and_two_media_types_are_both_there_before_and_after() {
    let folder = tempfile::tempdir().unwrap();
    let body = b"<p>the same words";
    let dates = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.250Z"];
    for (n, (first, second)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
        for types in [["text/html", "text/plain"], ["text/plain", "text/html"], ["image/png", "text/html"]] {
            for ids in [[1, 2], [2, 1]] {
                let record = |which: usize, date: usize| {
                    let head = format!("HTTP/1.1 200 OK\nContent-Type: {}", types[which]);
                    let record = Record::response(ids[which], SITE, dates[date], &head, body);
                    record.set("WARC-Payload-Digest", &sha1(body)).bytes()
                };
                let records = [record(0, first), record(1, second)];
                fs::write(folder.path().join("in.warc.gz"), members(&records)).unwrap();
                let told = good(folder.path(), &["merge", "in.warc.gz", "-o", "m.warc.gz"]);
                assert!(told.contains("1 payload stored already"), "{told}");
                assert_same(folder.path(), "in.warc.gz", "m.warc.gz", 1, &format!("{n} {types:?} {ids:?}"));
            }
        }
    }
}

/// The ids of the records of an archive, in order, without the warcinfo of the merge.
fn ids(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let ids = text.lines().filter_map(|line| line.strip_prefix("WARC-Record-ID: "));
    ids.skip(1).map(|id| id.trim().trim_matches(['<', '>']).to_owned()).collect()
}

#[test]
fn originals_come_before_their_revisits_whatever_the_order_of_the_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let (body, later) = ("<p>unchanged", "2024-02-01T00:00:00Z");
    let url = format!("{SITE}x");
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html";
    let revisit = Record::revisit(2, &url, later, "identical-payload-digest", head)
        .field("WARC-Payload-Digest", &sha1(body.as_bytes()));
    let by_id = revisit.clone().field("WARC-Refers-To", &format!("<{}>", id(1)));
    let by_date = revisit.clone().field("WARC-Refers-To-Target-URI", &url).field("WARC-Refers-To-Date", DATE);
    let original = page(1, "x", body);
    let software = Record::fields("warcinfo", 3, DATE, "software: old crawler");
    let spring = [software.bytes(), original.bytes(), page(4, "y", "<p>the page y").bytes()];
    fs::write(folder.path().join("spring.warc"), spring.concat()).unwrap();
    for revisit in [by_id, by_date, revisit] {
        let autumn = [page(5, "z", "<p>the page z").bytes(), revisit.bytes()];
        fs::write(folder.path().join("autumn.warc"), autumn.concat()).unwrap();
        good(folder.path(), &["merge", "-q", "spring.warc", "autumn.warc", "-o", "a.warc"]);
        good(folder.path(), &["merge", "-q", "autumn.warc", "spring.warc", "-o", "b.warc"]);
        assert_eq!(ids(folder.path(), "a.warc"), [3, 1, 4, 5, 2].map(id));
        assert_eq!(
            ids(folder.path(), "b.warc"),
            ids(folder.path(), "a.warc"),
            "the file comes first, as a whole"
        );
        // Within one file only the original is moved.
        fs::write(folder.path().join("one.warc"), [&autumn[..], &spring].concat().concat()).unwrap();
        good(folder.path(), &["merge", "-q", "one.warc", "-o", "c.warc"]);
        assert_eq!(ids(folder.path(), "c.warc"), [5, 1, 2, 3, 4].map(id));
        assert_same(folder.path(), "one.warc", "c.warc", 3, "one file");
    }
}

/// The URLs that a rebuild of an archive seeks.
fn sought(folder: &Path, input: &str) -> BTreeSet<String> {
    let repository = format!("a={input}");
    good(folder, &["rebuild", "-q", "--no-audit", "--repo", &repository, "-o", "o.warc.gz"]);
    let (_, urls) = manifest(&folder.join("o.manifest.jsonl"));
    urls.into_keys().collect()
}

#[test]
fn a_revisit_links_to_what_its_own_media_type_and_address_say() {
    let folder = tempfile::tempdir().unwrap();
    let linking = "<p>front<a href=d/y>y</a><a href=x>x</a>";
    let typed = |n, name: &str, media: &str| {
        let head = format!("HTTP/1.1 200 OK\n{media}Content-Length: {}", linking.len());
        Record::response(n, &format!("{SITE}{name}"), DATE, &head, linking.as_bytes()).bytes()
    };
    for media in ["Content-Type: text/html\n", "Content-Type: application/xhtml+xml\n", ""] {
        // The style sheet comes first, so that the pages become revisits of it.
        let records = [
            typed(1, "a.css", "Content-Type: text/css\n"),
            page(2, "", "<p>the front page<a href=j>j</a>").bytes(),
            typed(3, "j", media),
            typed(4, "d/y", media),
            page(5, "x", "<p>page x").bytes(),
        ];
        fs::write(folder.path().join("in.warc.gz"), members(&records)).unwrap();
        let told = good(folder.path(), &["merge", "in.warc.gz", "-o", "m.warc.gz"]);
        assert!(told.contains("2 payloads stored already"), "{told}");
        assert_same(folder.path(), "in.warc.gz", "m.warc.gz", 5, media);
        let all = sought(folder.path(), "in.warc.gz");
        assert!(all.contains("http://a.example/d/d/y") && all.contains("http://a.example/x"), "{all:?}");
        assert_eq!(sought(folder.path(), "m.warc.gz"), all, "{media}");
    }
}

#[test]
fn a_member_whose_record_has_a_wrong_length_is_copied_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>a page of some words";
    let missing = format!("HTTP/1.1 404 Not Found\nContent-Type: text/html\nContent-Length: {}", body.len());
    for head in [ok(body.len()), missing, "HTTP/1.1 404 Not Found".to_owned()] {
        for wrong in [-20_i64, -5, 2, 4, 7, 90, 4000] {
            let record = Record::response(1, SITE, DATE, &head, body.as_bytes());
            let length = record.block().len() as i64 + wrong;
            let odd = gzip(&record.length(&length.to_string()).bytes());
            let file = [odd.clone(), gzip(&page(2, "x", "<p>the next one").bytes())].concat();
            fs::write(folder.path().join("in.warc.gz"), file).unwrap();
            good(folder.path(), &["merge", "-q", "in.warc.gz", "-o", "m.warc.gz"]);
            let made = fs::read(folder.path().join("m.warc.gz")).unwrap();
            assert!(made.windows(odd.len()).any(|bytes| bytes == odd), "{head} {wrong}: every byte is there");
            let before = counts(folder.path(), "in.warc.gz", "in.warc.gz");
            assert_eq!(counts(folder.path(), "in.warc.gz", "m.warc.gz"), before, "{head} {wrong}");
            assert_eq!(counts(folder.path(), "m.warc.gz", "in.warc.gz"), before, "{head} {wrong}");
        }
    }
}

#[test]
fn bytes_behind_a_record_that_only_its_member_holds_are_said_to_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let record = page(1, "", "<p>a page of some words");
    let length = record.block().len() - 5;
    let records = [page(2, "x", "<p>the first").bytes(), record.length(&length.to_string()).bytes()];
    fs::write(folder.path().join("in.warc.gz"), members(&records)).unwrap();
    let merged = run(folder.path(), &["merge", "in.warc.gz", "-o", "m.warc"]);
    let told = String::from_utf8(merged.stderr).unwrap();
    assert_eq!(merged.status.code(), Some(3), "{told}");
    let offset = gzip(&records[0]).len();
    assert!(told.contains(&format!("at byte {offset} of in.warc.gz")), "{told}");
    assert_same(folder.path(), "in.warc.gz", "m.warc", 2, "m.warc");
}

#[test]
fn an_arc_record_whose_line_has_no_length_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>a page";
    let block = String::from_utf8(http(&ok(body.len()), body.as_bytes())).unwrap();
    let record = |name: &str, length: &str| {
        format!("{SITE}{name} 192.0.2.1 20140216050221 text/html{length}\n{block}\n").into_bytes()
    };
    let sound = format!(" {}", block.len());
    let opening = b"filedesc://a.arc 192.0.2.1 20140101000000 text/plain 7\n1 0 A\n\n\n".to_vec();
    for places in [["", &sound, &sound], [&sound, "", &sound], [&sound, &sound, ""]] {
        let records: Vec<Vec<u8>> =
            ["a", "b", "c"].iter().zip(places).map(|(name, length)| record(name, length)).collect();
        let records = [vec![opening.clone()], records].concat();
        fs::write(folder.path().join("in.arc"), records.concat()).unwrap();
        fs::write(folder.path().join("in.arc.gz"), members(&records)).unwrap();
        for input in ["in.arc", "in.arc.gz"] {
            for output in ["m.warc", "m.warc.gz"] {
                let merged = run(folder.path(), &["merge", input, "-o", output]);
                let told = String::from_utf8(merged.stdout).unwrap();
                assert!(told.starts_with("4 records written"), "{input} {output}: {told}");
                assert_same(folder.path(), input, output, 3, &format!("{places:?}"));
                fs::remove_file(folder.path().join(output)).unwrap();
            }
        }
    }
}

#[test]
fn a_member_that_cannot_be_inflated_is_told_wherever_it_breaks() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..400).map(|n| format!("word{} ", n * 7919 % 1000)).collect();
    let one = gzip(&page(1, "a", &format!("<p>{text}")).bytes());
    let other = gzip(&page(2, "b", "<p>sound").bytes());
    let flipped = [&one[..3], &[one[3] ^ 0x55], &one[4..]].concat();
    let inserted = [&one[..300], &[b'Z'; 50], &one[300..]].concat();
    let cases = [("start", flipped), ("middle", one[..one.len() / 2].to_vec()), ("inserted", inserted)];
    for (name, damaged) in cases {
        for file in [[damaged.clone(), other.clone()].concat(), [other.clone(), damaged.clone()].concat()] {
            fs::write(folder.path().join("a.warc.gz"), file).unwrap();
            let output = run(folder.path(), &["merge", "-q", "a.warc.gz", "-o", "o.warc.gz"]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(3), "{name}: {said}");
            assert!(said.contains("could not be copied"), "{name}: {said}");
        }
    }
}

#[test]
fn a_record_that_is_lost_in_damage_does_not_hold_up_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut damaged =
        gzip(&[page(1, "", "<p>the first <a href=/b>page").bytes(), b"some bytes more".to_vec()].concat());
    let crc = damaged.len() - 6;
    damaged[crc] ^= 0x55;
    let sound = gzip(&page(2, "b", "<p>sound").bytes());
    fs::write(folder.path().join("a.warc.gz"), [damaged, sound].concat()).unwrap();
    let old = Record::page(3, SITE, "2020-01-01T00:00:00Z", "<p>an older <a href=/b>page");
    fs::write(folder.path().join("old.warc.gz"), gzip(&old.bytes())).unwrap();
    let arguments = [
        "rebuild",
        "-q",
        "--no-audit",
        "--policy",
        "exhaustive",
        "--repo",
        "a=a.warc.gz",
        "--repo",
        "old=old.warc.gz",
        "-o",
        "o.warc",
    ];
    let output = run(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert!(!urls[SITE]["taken"].is_null(), "{}", urls[SITE]);
    let behind = &urls[&format!("{SITE}b")];
    let why = behind["why"].as_str().unwrap();
    assert!(behind["taken"]["repository"] == "a" || why.contains("its file is damaged"), "{behind}");
}
