//! What repositories hold and how it is copied: originals held twice, ARC, captures chosen by hand, walls against robots, packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{good, manifest, page, run};
use crate::support::digests::sha1;
use crate::support::pack::{gzip, members};
use crate::support::record::{Record, id};
use crate::support::schema::faults;

const FIRST: &str = "2024-01-01T00:00:00Z";
const LATER: &str = "2024-02-01T00:00:00Z";

fn bodies(folder: &Path, input: &str) -> BTreeMap<(String, String), String> {
    // Bytes that are not records make another exit code, and no other lines.
    let index = String::from_utf8(run(folder, &["index", "-q", input]).stdout).unwrap();
    let lines = index.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    lines.map(|line| ((text(&line["url"]), text(&line["time"])), text(&line["body"]))).collect()
}

fn revisit(n: u32, original: u32, body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html";
    Record::revisit(n, "http://a.example/", LATER, "identical-payload-digest", head)
        .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
        .field("WARC-Refers-To", &format!("<{}>", id(original)))
        .bytes()
}

#[test]
fn the_original_of_a_revisit_comes_along_once_though_several_repositories_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>unchanged for a long time";
    let (old, new) = (page(1, "", FIRST, body), revisit(2, 1, body));
    let both = [old.clone(), new.clone()];
    for (one, other) in [(&both[..], &both[..]), (&both[..1], &both[..]), (&both[..], &both[..1])] {
        fs::write(folder.path().join("x.warc.gz"), members(one)).unwrap();
        fs::write(folder.path().join("y.warc.gz"), members(other)).unwrap();
        let arguments =
            ["rebuild", "-q", "--no-audit", "--repo", "x=x.warc.gz", "--repo", "y=y.warc.gz", "-o"];
        good(folder.path(), &[&arguments[..], &["o.warc"]].concat());
        let made = fs::read(folder.path().join("o.warc")).unwrap();
        assert!(made.ends_with(&both.concat()), "{}", String::from_utf8_lossy(&made));
        assert_eq!(made.windows(16).filter(|window| window == b"WARC-Record-ID: ").count(), 3);
    }
}

#[test]
fn a_revisit_whose_original_is_nowhere_restores_nothing_and_says_who_might_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let records = [page(1, "x", FIRST, "<p>x<a href=/>up</a>"), revisit(2, 9, "<p>lost")];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    let arguments = ["rebuild", "-q", "--repo", "a=a.warc", "--seed", "http://a.example/x", "-o", "o.warc"];
    let text = good(folder.path(), &arguments);
    assert!(text.contains("Not restored"), "{text}");
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains("a might have it"), "{text}");
    let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert_eq!((&head["recovered"], &head["missing"]), (&1.into(), &1.into()));
    let lost = &urls["http://a.example/"];
    assert!(lost["taken"].is_null() && lost["might_have"][0] == "a", "{lost}");
    assert!(lost["rejected"][0]["why"].as_str().unwrap().contains("revisit"), "{lost}");
    // The manifest beside the output says what was requested.
    fs::write(folder.path().join("w.warc"), [&records[0][..], &page(3, "never", FIRST, "<p>n")].concat())
        .unwrap();
    let diff = good(folder.path(), &["diff", "-q", "--json", "w.warc", "o.warc"]);
    let diff: Value = serde_json::from_str(&diff).unwrap();
    assert_eq!((&diff["counts"]["unsought"], &diff["counts"]["missing"]), (&1.into(), &0.into()));
    assert!(diff["assumptions"].to_string().contains("o.manifest.jsonl"), "{}", diff["assumptions"]);
}

fn arc(records: &[(&str, &str, &[u8])]) -> Vec<Vec<u8>> {
    let version = "1 0 Tester\nURL IP-address Archive-date Content-type Archive-length\n";
    let mut made = vec![
        format!("filedesc://t.arc 0.0.0.0 20040101000000 text/plain {}\n{version}\n", version.len())
            .into_bytes(),
    ];
    for (url, date, block) in records {
        let line = format!("{url} 192.0.2.7 {date} text/html {}\n", block.len());
        made.push([line.as_bytes(), block, b"\n"].concat());
    }
    made
}

#[test]
fn records_of_arc_files_become_warc_records_with_the_same_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let answer =
        |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes();
    let (front, other) = (answer("<p>front<a href=\"/x\">x</a>"), answer("<p>the other page"));
    let records = arc(&[
        ("http://a.example/", "20040101000000", &front),
        ("http://a.example/x", "200401010001", &other),
        ("dns:a.example", "20040101000000", b"20040101000000\na.example. 60 IN A 192.0.2.7\n"),
    ]);
    fs::write(folder.path().join("plain.arc"), records.concat()).unwrap();
    fs::write(folder.path().join("members.arc.gz"), members(&records)).unwrap();
    fs::write(folder.path().join("one.arc.gz"), gzip(&records.concat())).unwrap();
    let mut outputs = Vec::new();
    for name in ["plain.arc", "members.arc.gz", "one.arc.gz"] {
        let repo = format!("a={name}");
        good(folder.path(), &["rebuild", "-q", "--no-audit", "--repo", &repo, "-o", "o.warc"]);
        let (head, _) = manifest(&folder.path().join("o.manifest.jsonl"));
        assert_eq!(head["recovered"], 2, "{name}");
        outputs.push(fs::read(folder.path().join("o.warc")).unwrap());
        good(folder.path(), &["merge", "-q", name, name, "-o", "m.warc.gz"]);
        assert_eq!(bodies(folder.path(), "m.warc.gz"), bodies(folder.path(), name), "{name}");
    }
    assert!(outputs.iter().all(|output| *output == outputs[0]), "however they are packed");
    assert!(outputs[0].ends_with(&[&other[..], b"\r\n\r\n"].concat()), "the block as it was");
    let problems = run(folder.path(), &["index", "-q", "o.warc", "--fail-on", "problems=warning"]);
    assert!(problems.status.success(), "{}", String::from_utf8_lossy(&problems.stderr));
    // All in one: the collections say the same, record by record.
    good(folder.path(), &["merge", "-q", "plain.arc", "members.arc.gz", "one.arc.gz", "-o", "all.warc.gz"]);
    assert_eq!(bodies(folder.path(), "all.warc.gz"), bodies(folder.path(), "plain.arc"));
    assert_eq!(good(folder.path(), &["index", "-q", "all.warc.gz"]).lines().count(), 3, "each once");
}

#[test]
fn walls_and_parked_pages_are_taken_only_where_nothing_better_exists() {
    let folder = tempfile::tempdir().unwrap();
    let wall = "<title>Just a moment...</title><h1>a.example</h1><p>Verify you are human by completing the action below.";
    let parked = "<title>a.example</title><h1>a.example</h1><p>This domain is for sale. Buy this domain.";
    let failed = Record::response(
        6,
        "http://a.example/",
        "2024-05-01T00:00:00Z",
        "HTTP/1.1 503 Busy\nContent-Type: text/html",
        b"busy",
    );
    let records = [
        page(1, "", FIRST, "<p>the front page<a href=/x>x</a><a href=/y>y</a>"),
        page(2, "", LATER, wall),
        page(3, "", "2024-03-01T00:00:00Z", parked),
        page(4, "x", FIRST, "<p>the page x"),
        page(5, "x", LATER, wall),
        failed.bytes(),
        page(7, "y", LATER, wall),
    ];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    for policy in ["naive", "knowledgeable", "exhaustive"] {
        for choice in [&[][..], &["--at", "2025"], &["--coherent"], &["--coherent=2024-06-01"]] {
            let base =
                ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc", "--policy", policy];
            good(folder.path(), &[&base[..], choice].concat());
            let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
            for name in ["", "x"] {
                let entry = &urls[&format!("http://a.example/{name}")];
                assert_eq!(entry["taken"]["time"], FIRST, "{policy} {choice:?} {entry}");
            }
            let only = &urls["http://a.example/y"];
            assert!(only["why"].as_str().unwrap().contains("nothing better exists"), "{only}");
        }
    }
}

#[test]
fn a_record_is_taken_though_lines_of_an_index_describe_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let records = [page(1, "", FIRST, "<p>front<a href=/x>x</a>"), page(2, "x", FIRST, "<p>the page x")];
    fs::write(folder.path().join("m.warc.gz"), members(&records)).unwrap();
    let lines = good(folder.path(), &["index", "-q", "m.warc.gz"]);
    fs::write(folder.path().join("m.jsonl"), lines).unwrap();
    // Names before and behind the one that the lines have.
    for name in ["m.warc.gz", "a.warc.gz", "z.warc.gz"] {
        fs::rename(folder.path().join("m.warc.gz"), folder.path().join(name)).unwrap();
        let (archive, index) = (format!("a={name}"), "i=m.jsonl".to_owned());
        let (archive_too, same) = (format!("b={name}"), "b=m.jsonl".to_owned());
        for repos in [[&archive, &index], [&index, &archive], [&archive_too, &same]] {
            let rebuild =
                ["rebuild", "-q", "--no-audit", "-o", "o.warc", "--repo", repos[0], "--repo", repos[1]];
            good(folder.path(), &rebuild);
            let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
            assert_eq!((&head["recovered"], &head["records"]), (&2.into(), &2.into()), "{repos:?} {urls:?}");
            assert_eq!(urls["http://a.example/"]["taken"]["file"], name, "{repos:?}");
        }
        fs::rename(folder.path().join(name), folder.path().join("m.warc.gz")).unwrap();
    }
    let lines = ["rebuild", "-q", "--repo", "i=m.jsonl", "-o", "p.warc", "--policy", "exhaustive"];
    let refused = run(folder.path(), &lines);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("give the archives that hold"), "{told}");
}

#[test]
fn what_a_user_names_is_taken_even_if_it_is_an_error_and_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let gone = Record::response(
        2,
        "http://a.example/x",
        LATER,
        "HTTP/1.1 404 Not Found\nContent-Type: text/html",
        b"gone for good",
    );
    let records =
        [page(1, "", FIRST, "<p>front<a href=/x>x</a>"), page(3, "x", FIRST, "<p>the page x"), gone.bytes()];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    let base = ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc", "--choose", "mine"];
    fs::write(folder.path().join("mine"), format!("http://a.example/x <{}>\n", id(2))).unwrap();
    good(folder.path(), &base);
    let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert_eq!(urls["http://a.example/x"]["taken"]["status"], 404);
    let why = "named by the user, though a better one exists: status 404";
    assert_eq!(urls["http://a.example/x"]["why"], why);
    fs::write(folder.path().join("mine"), "http://a.example/x 19990101000000\n").unwrap();
    let refused = run(folder.path(), &base);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no repository holds the capture"));
}

#[test]
fn what_a_user_names_is_taken_even_if_nothing_leads_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        page(1, "", FIRST, "<p>front<a href=/x>x</a>"),
        page(2, "x", FIRST, "<p>the page x"),
        page(3, "island", FIRST, "<p>an island<img src=/i.png>"),
        page(4, "i.png", FIRST, "an image"),
        page(5, "other", FIRST, "<p>nobody names this one"),
    ];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    fs::write(folder.path().join("mine"), format!("http://a.example/island {}\n", id(3))).unwrap();
    for policy in ["naive", "knowledgeable"] {
        let rebuild =
            ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc", "--policy", policy];
        good(folder.path(), &[&rebuild[..], &["--choose", "mine"]].concat());
        let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        let island = &urls["http://a.example/island"];
        assert_eq!(island["taken"]["record_id"], id(3), "{policy}");
        assert_eq!(island["why"], "named by the user; nothing else that was recovered leads to it");
        assert!(urls["http://a.example/i.png"]["taken"].is_object(), "{policy}: with what it embeds");
        assert!(!urls.contains_key("http://a.example/other"), "{policy}");
        fs::remove_file(folder.path().join("o.warc")).unwrap();
    }
}

#[test]
fn importance_decides_which_moment_is_the_best() {
    let folder = tempfile::tempdir().unwrap();
    // The front page, to which all link, is proven in January; two leaves nobody links to, in March.
    let date = |month: u32, day: u32| format!("2024-{month:02}-{day:02}T00:00:00Z");
    let front = "<p>front<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/d>d</a>";
    let mut records = vec![
        page(1, "", &date(1, 1), front),
        page(2, "", &date(1, 20), front),
        page(3, "", &date(3, 2), &front.replace("front", "another front")),
        page(4, "", &date(4, 2), &front.replace("front", "a third front")),
    ];
    for (n, name) in (10..).zip(["a", "b", "c", "d"]) {
        records.push(page(n, name, &date(1, 5), &format!("<p>{name} links up<a href=/>up</a>")));
    }
    for (n, name) in (20..).zip(["p", "q"]) {
        records.push(page(n, name, &date(3, 1), &format!("<p>leaf {name}")));
        records.push(page(n + 10, name, &date(3, 9), &format!("<p>leaf {name}")));
    }
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    let base =
        ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc", "--policy", "exhaustive"];
    good(folder.path(), &[&base[..], &["--coherent"]].concat());
    let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert!(head["at"].as_str().unwrap().starts_with("2024-01-"), "{head}");
    assert_eq!(urls["http://a.example/"]["taken"]["time"].as_str().unwrap().get(..7), Some("2024-01"));
}

#[test]
fn a_merged_package_holds_what_the_inputs_hold() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        page(1, "", FIRST, "<p>one text"),
        page(2, "", LATER, "<p>one text"),
        page(3, "y", LATER, "<p>another text"),
    ];
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/1.warc.gz"), members(&records[..1])).unwrap();
    fs::write(folder.path().join("in/2.warc"), records[1..].concat()).unwrap();
    good(folder.path(), &["merge", "-q", "in", "-o", "all.wacz"]);
    assert_eq!(bodies(folder.path(), "all.wacz"), bodies(folder.path(), "in"));
    let strict = run(folder.path(), &["index", "-q", "all.wacz", "--fail-on", "problems=warning"]);
    assert!(strict.status.success(), "{}", String::from_utf8_lossy(&strict.stderr));
    let first = fs::read(folder.path().join("all.wacz")).unwrap();
    good(folder.path(), &["merge", "-q", "in", "-o", "all.wacz"]);
    assert_eq!(first, fs::read(folder.path().join("all.wacz")).unwrap());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left");
}

#[test]
fn the_schema_describes_json_and_manifest() {
    let folder = super::figure_2();
    let schema: Value = serde_json::from_str(include_str!("../../../docs/rebuild-schema.json")).unwrap();
    let repos = ["rebuild", "-q", "--repo", "a=a.warc.gz", "--repo", "b=b.warc.gz", "--quota", "5"];
    for choice in [&[][..], &["--coherent"], &["--at", "2023"], &["--original", "a.warc.gz"]] {
        let text = good(folder.path(), &[&repos[..], choice, &["-o", "o.warc.gz", "--json"]].concat());
        let mut found: Value = serde_json::from_str(&text).unwrap();
        // What differs from the original has a schema of its own.
        let diff = found["diff"].take();
        assert_eq!((faults(&schema, &found), diff.is_null()), (Vec::new(), !choice.contains(&"--original")));
        let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        assert_eq!(faults(&schema, &head), Vec::<String>::new());
        let mut entry = schema["$defs"]["entry"].clone();
        entry["$defs"] = schema["$defs"].clone();
        assert!(urls.values().all(|url| faults(&entry, url).is_empty()));
    }
}

/// A page too long to be inflated where its head is enough, and that does not shrink; all are of one length.
fn long(n: u32, name: &str, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b' ' + (state >> 33) as u8 % 90)
    };
    let text: String = (0..30_000).map(|_| noise()).filter(|c| *c != '<' && *c != '&').take(25_000).collect();
    page(n, name, FIRST, &text)
}

#[test]
fn long_records_are_told_apart_though_only_their_heads_are_read_at_first() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let put = |name: &str, bytes: Vec<u8>| fs::write(folder.path().join("in").join(name), bytes).unwrap();
    let one: Vec<Vec<u8>> = (1..6).map(|n| long(n, &n.to_string(), u64::from(n))).collect();
    // Two records that claim one digest and have different bodies.
    let lie = |n: u32, seed: u64| {
        let record = String::from_utf8(long(n, &n.to_string(), seed)).unwrap();
        let at = record.find("WARC-Payload-Digest: ").unwrap();
        let end = at + record[at..].find("\r\n").unwrap();
        format!("{}WARC-Payload-Digest: sha1:{}{}", &record[..at], "A".repeat(32), &record[end..])
            .into_bytes()
    };
    put("1.warc.gz", members(&one));
    // The same record again, the same payload elsewhere, and the liars.
    put("2.warc.gz", members(&[one[2].clone(), long(9, "nine", 1), lie(10, 10), lie(11, 11)]));
    // Two records share a member, and the next is as long as the first.
    let shared = [gzip(&[long(12, "a", 12), long(13, "b", 13)].concat()), gzip(&long(14, "c", 14))].concat();
    put("3.warc.gz", shared);
    let last = [gzip(&long(15, "d", 15)), gzip(&long(16, "e", 16))];
    put("4.warc.gz", last.concat());
    for (options, revisits) in [(&[][..], 1), (&["--keep"][..], 0)] {
        let text = good(folder.path(), &[&["merge", "in", "-o", "all.warc.gz"][..], options].concat());
        assert!(text.contains(&format!("{revisits} payload")) && text.contains("1 record twice"), "{text}");
        assert_eq!(bodies(folder.path(), "all.warc.gz"), bodies(folder.path(), "in"));
        assert_eq!(bodies(folder.path(), "in").len(), 13);
    }
    // Bytes that are no member may have been one: merge says so, and keeps all else.
    put("4.warc.gz", [&last[0][..], b"these bytes are no member", &last[1]].concat());
    let output = run(folder.path(), &["merge", "in", "-o", "all.warc.gz"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 place could not be copied"));
    assert_eq!(bodies(folder.path(), "all.warc.gz"), bodies(folder.path(), "in"));
    // An index of heads alone finds the same records.
    let index = run(folder.path(), &["index", "-q", "--digests", "declared", "in"]).stdout;
    assert_eq!(String::from_utf8(index).unwrap().lines().count(), 14);
}

#[test]
fn a_damaged_record_does_not_keep_the_others_from_being_merged() {
    let folder = tempfile::tempdir().unwrap();
    let records: Vec<Vec<u8>> = (1..6).map(|n| long(n, &n.to_string(), u64::from(n))).collect();
    let mut bytes = members(&records);
    let third = members(&records[..2]).len();
    bytes[third + 9_000] ^= 0x55;
    bytes[third + 9_001] ^= 0x55;
    fs::write(folder.path().join("a.warc.gz"), &bytes).unwrap();
    fs::write(folder.path().join("b.warc.gz"), &bytes).unwrap();
    let output = run(folder.path(), &["merge", "-q", "a.warc.gz", "b.warc.gz", "-o", "all.warc.gz"]);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    let merged = fs::read(folder.path().join("all.warc.gz")).unwrap();
    let holds = |record: &[u8]| merged.windows(record.len()).any(|part| part == record);
    for sound in [0, 1, 3, 4] {
        assert!(holds(&gzip(&records[sound])), "{sound}");
    }
}

#[test]
fn records_of_one_id_that_differ_in_any_byte_are_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let plain = page(1, "a", FIRST, "<p>one");
    let noted = String::from_utf8(plain.clone()).unwrap().replacen("WARC-Date", "X-Note: 2\r\nWARC-Date", 1);
    let records = [plain.clone(), noted.into_bytes(), plain];
    for (name, bytes) in [("in.warc", records.concat()), ("in.warc.gz", members(&records))] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let text = good(folder.path(), &["merge", "--keep", name, "-o", "all.warc"]);
        assert!(text.contains("2 records written") && text.contains("1 record twice"), "{text}");
        let merged = fs::read(folder.path().join("all.warc")).unwrap();
        assert!(merged.ends_with(&records[..2].concat()), "{name}");
        fs::remove_file(folder.path().join("all.warc")).unwrap();
    }
}

#[test]
fn a_capture_that_contradicts_its_own_digest_is_taken_only_where_no_sound_one_exists() {
    let url = "http://a.example/";
    let sound = |n: u32, date: &str| Record::page(n, url, date, "<p>as it was sent").block_digest();
    let in_payload = |n: u32, date: &str| {
        Record::page(n, url, date, "<p>as it was rent")
            .set("WARC-Payload-Digest", &sha1(b"<p>as it was sent"))
    };
    let in_block = |n: u32, date: &str| {
        Record::page(n, url, date, "<p>as it was rent")
            .without("WARC-Payload-Digest")
            .field("WARC-Block-Digest", &sha1(sound(1, FIRST).block()))
    };
    let folder = tempfile::tempdir().unwrap();
    let taken = |first: &Record, second: &Record| {
        fs::write(folder.path().join("a.warc"), first.bytes()).unwrap();
        fs::write(folder.path().join("b.warc"), second.bytes()).unwrap();
        let arguments = "rebuild -q --no-audit --repo a=a.warc --repo b=b.warc -o o.warc";
        // Damage makes another exit code.
        run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
        let (_, mut urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        urls.remove(url).unwrap()
    };
    for damaged in [&in_payload as &dyn Fn(u32, &str) -> Record, &in_block] {
        // A newer one, another record of the same second, and a copy of the same id.
        for (broken, whole) in [
            (damaged(2, LATER), sound(1, FIRST)),
            (damaged(2, FIRST), sound(1, FIRST)),
            (damaged(1, FIRST), sound(1, FIRST)),
        ] {
            for (first, second, source) in [(&broken, &whole, "b"), (&whole, &broken, "a")] {
                let entry = taken(first, second);
                assert_eq!(entry["taken"]["repository"], source, "{entry}");
            }
        }
        let entry = taken(&damaged(2, LATER), &sound(1, FIRST));
        assert!(entry["rejected"][0]["why"].as_str().unwrap().starts_with("damaged: "), "{entry}");
        let entry = taken(&damaged(2, LATER), &damaged(1, FIRST));
        assert_eq!(entry["taken"]["repository"], "a", "the newest where none is sound");
        assert!(entry["why"].as_str().unwrap().contains("no sound one exists: damaged"), "{entry}");
    }
}

#[test]
fn json_holds_what_differs_from_the_original() {
    let folder = super::figure_2();
    let repos = ["rebuild", "-q", "--repo", "a=a.warc.gz", "-o", "o.warc.gz", "--json"];
    let json = |more: &[&str]| -> Value {
        serde_json::from_str(&good(folder.path(), &[&repos[..], more].concat())).unwrap()
    };
    let diff = json(&["--original", "b.warc.gz"])["diff"].clone();
    assert_eq!((&diff["schema"], &diff["counts"]["added"]), (&Value::from("acuity.diff/1"), &Value::from(5)));
    let schema: Value = serde_json::from_str(include_str!("../../../docs/diff-schema.json")).unwrap();
    assert_eq!(faults(&schema, &diff), Vec::<String>::new());
    assert!(json(&[])["diff"].is_null());
    let strict = json(&["--original", "b.warc.gz", "--canon", "strict"]);
    assert_eq!(strict["diff"]["parameters"]["canon"], "strict", "both follow the same rules");
}

#[test]
fn nothing_is_paid_for_a_revisit_from_which_nothing_can_be_restored() {
    let folder = tempfile::tempdir().unwrap();
    let records = [page(1, "x", FIRST, "<p>x<a href=/>up</a>"), revisit(2, 9, "<p>lost")];
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    let arguments = "rebuild -q --repo a=a.warc --seed http://a.example/x -o o.warc --json";
    let text = good(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    let policies = serde_json::from_str::<Value>(&text).unwrap()["policies"].clone();
    for policy in policies.as_array().unwrap() {
        assert_eq!(
            (&policy["recovered"], &policy["missing"]),
            (&Value::from(1), &Value::from(1)),
            "{policy}"
        );
        assert_eq!(policy["by_repository"][0]["retrievals"], 1, "{policy}");
    }
}

#[test]
fn a_site_is_not_rebuilt_by_declared_digests_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.warc"), page(1, "", FIRST, "<p>a page")).unwrap();
    let arguments = "rebuild -q --digests declared --repo a=a.warc -o o.warc";
    let output = run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("bodies have to be read") && told.contains("leave out --digests declared"),
        "{told}"
    );
    assert!(!folder.path().join("o.warc").exists());
    let help = run(folder.path(), &["rebuild", "--help"]).stdout;
    assert!(!String::from_utf8(help).unwrap().contains("--digests"), "what is refused is not offered");
}

#[test]
fn what_repeats_nothing_or_an_error_is_not_taken_where_content_exists() {
    let folder = tempfile::tempdir().unwrap();
    let front = page(1, "", FIRST, "<p>front");
    let not_modified = Record::response(2, "http://a.example/", LATER, "HTTP/1.1 304 Not Modified", b"");
    let gone = Record::response(
        3,
        "http://a.example/",
        "2024-01-15T00:00:00Z",
        "HTTP/1.1 404 Not Found\nContent-Type: text/html",
        b"gone for good",
    );
    let of_gone =
        Record::revisit(4, "http://a.example/", LATER, "server-not-modified", "HTTP/1.1 304 Not Modified")
            .field("WARC-Refers-To", &format!("<{}>", id(3)));
    for later in [not_modified.bytes(), [gone.bytes(), of_gone.bytes()].concat()] {
        fs::write(folder.path().join("a.warc"), [front.clone(), later].concat()).unwrap();
        good(folder.path(), &["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc"]);
        let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        let taken = &urls["http://a.example/"]["taken"];
        assert_eq!((&taken["status"], &taken["time"]), (&200.into(), &FIRST.into()), "{urls:#?}");
    }
}

#[test]
fn links_of_a_page_whose_original_only_an_index_has_are_followed_where_they_are_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let body = "<p>front<a href=/x>x</a><a href=/y>y</a>";
    let original = page(1, "", FIRST, body);
    fs::write(path("lost.warc"), &original).unwrap();
    for (name, more) in [("content.jsonl", &["--content"][..]), ("plain.jsonl", &[][..])] {
        let lines = good(folder.path(), &[&["index", "-q", "lost.warc"][..], more].concat());
        fs::write(path(name), lines).unwrap();
    }
    let digest = sha1(body.as_bytes());
    let line = format!(
        " CDX N b a m s k r M S V g\nexample,a)/ 20240101000000 http://a.example/ text/html 200 {} - - {} 0 lost.warc\n",
        &digest[5..],
        original.len()
    );
    fs::write(path("lost.cdx"), line).unwrap();
    fs::remove_file(path("lost.warc")).unwrap();
    let records = [
        revisit(2, 1, body),
        page(3, "x", LATER, "<p>the page x"),
        page(4, "y", LATER, "<p>the page y"),
        page(5, "z", LATER, "<p>the start<a href=/>front</a>"),
    ];
    fs::write(path("own.warc"), records.concat()).unwrap();
    let known = "; what it links to is known from an index or the crawler, and was followed";
    let unknown = "; what it links to is unknown";
    for (index, recovered, why) in
        [("content.jsonl", 3, known), ("plain.jsonl", 1, unknown), ("lost.cdx", 1, unknown)]
    {
        for policy in ["naive", "knowledgeable"] {
            let lost = format!("lost={index}");
            let repos =
                ["rebuild", "-q", "--no-audit", "--repo", "own=own.warc", "--repo", &lost, "-o", "o.warc"];
            let more = ["--seed", "http://a.example/z", "--policy", policy];
            good(folder.path(), &[&repos[..], &more].concat());
            let (head, urls) = manifest(&path("o.manifest.jsonl"));
            assert_eq!(
                (&head["recovered"], &head["missing"]),
                (&recovered.into(), &1.into()),
                "{index} {urls:?}"
            );
            let front = &urls["http://a.example/"];
            assert!(
                front["taken"].is_null() && front["might_have"].to_string().contains("lost"),
                "{index} {front}"
            );
            assert!(front["why"].as_str().unwrap().ends_with(why), "{index} {front}");
        }
    }
}
