//! `acuity rebuild` and `acuity merge`: what is taken, what is written, and that nothing is lost.

mod copies;
mod merged;
mod not_modified;
mod seeds;
mod sources;
mod stand_ins;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::data::data;
use crate::support::pack::members;
use crate::support::record::{Record, id};
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap()
}

fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The lines of a manifest: what was built, and the URLs by address.
fn manifest(path: &Path) -> (Value, BTreeMap<String, Value>) {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    (head, lines.map(|line| (line["url"].as_str().unwrap().to_owned(), line)).collect())
}

fn page(n: u32, name: &str, date: &str, body: &str) -> Vec<u8> {
    Record::page(n, &format!("http://a.example/{name}"), date, body).bytes()
}

/// Figure 2 of the paper: F is lost, and G, H, I are behind it.
fn figure_2() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let link = |names: &[&str]| -> String {
        names.iter().map(|name| format!("<a href=\"/{name}\">x</a>")).collect()
    };
    let pages = [
        ("", link(&["b", "c"])),
        ("b", link(&["d", "e"])),
        ("c", link(&["f"])),
        ("d", "<p>page d".to_owned()),
        ("e", "<p>page e".to_owned()),
        ("g", "<p>page g".to_owned()),
        ("h", "<p>page h".to_owned()),
        ("i", "<p>page i".to_owned()),
    ];
    let records: Vec<Vec<u8>> =
        (1..).zip(pages).map(|(n, (name, body))| page(n, name, "2024-01-01T00:00:00Z", &body)).collect();
    fs::write(folder.path().join("a.warc.gz"), members(&records[..5])).unwrap();
    fs::write(folder.path().join("b.warc.gz"), members(&records[5..])).unwrap();
    folder
}

#[test]
fn figure_2_the_exhaustive_policy_finds_what_is_behind_a_lost_page() {
    let folder = figure_2();
    let repos = [
        "rebuild",
        "-q",
        "--no-audit",
        "--repo",
        "a=a.warc.gz",
        "--repo",
        "b=b.warc.gz",
        "-o",
        "o.warc.gz",
        "--policy",
    ];
    for (policy, recovered) in [("naive", 5), ("knowledgeable", 5), ("exhaustive", 8)] {
        good(folder.path(), &[&repos[..], &[policy]].concat());
        let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        assert_eq!(
            (head["recovered"].as_u64(), head["missing"].as_u64()),
            (Some(recovered), Some(1)),
            "{policy}"
        );
        assert!(urls["http://a.example/f"]["taken"].is_null());
        let modelled = head["policies"].as_array().unwrap();
        // Six look-ups in two repositories and five hits; two lister queries and five retrievals.
        let requests: Vec<u64> = modelled.iter().map(|one| one["requests"].as_u64().unwrap()).collect();
        assert_eq!(requests, [17, 7, 10]);
    }
}

#[test]
fn the_newest_root_is_a_parking_page_and_the_site_is_restored_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let old = [
        page(
            1,
            "",
            "2005-01-01T00:00:00Z",
            "<h1>Library</h1><p>Welcome to the library of all texts<a href=/x>x</a><a href=/y>y</a>",
        ),
        page(2, "x", "2005-01-01T00:00:00Z", "<p>the text x"),
        page(3, "y", "2005-01-01T00:00:00Z", "<p>the text y"),
    ];
    let parked = "<title>domain renewal</title><p>This domain has expired and is parked. Renew it now.";
    let new: Vec<Vec<u8>> = (10..)
        .zip(["", "x", "y", "z"])
        .map(|(n, name)| page(n, name, "2006-03-01T00:00:00Z", parked))
        .collect();
    fs::write(folder.path().join("ia.warc"), old.concat()).unwrap();
    fs::write(folder.path().join("msn.warc"), new.concat()).unwrap();
    good(
        folder.path(),
        &["rebuild", "-q", "--no-audit", "--repo", "msn=msn.warc", "--repo", "ia=ia.warc", "-o", "o.warc.gz"],
    );
    let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert_eq!(head["recovered"], 3);
    for entry in urls.values() {
        assert_eq!(entry["taken"]["repository"], "ia", "{entry}");
        assert!(!entry["rejected"].as_array().unwrap().is_empty());
    }
}

#[test]
fn records_are_copied_byte_for_byte_with_their_requests_and_originals_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/";
    let original = Record::page(1, url, "2024-01-01T00:00:00Z", "<p>unchanged");
    let digest = crate::support::digests::sha1(b"<p>unchanged");
    let revisit = Record::revisit(
        2,
        url,
        "2024-01-02T00:00:00Z",
        "identical-payload-digest",
        "HTTP/1.1 200 OK\nContent-Type: text/html",
    )
    .field("WARC-Payload-Digest", &digest)
    .field("WARC-Refers-To", &format!("<{}>", id(1)))
    .field("WARC-Refers-To-Target-URI", url)
    .field("WARC-Refers-To-Date", "2024-01-01T00:00:00Z");
    let request = Record::request(3, url, "2024-01-02T00:00:00Z", "GET /", "")
        .field("WARC-Concurrent-To", &format!("<{}>", id(2)));
    let other = Record::request(4, "http://a.example/no", "2024-01-02T00:00:00Z", "GET /no", "");
    let early = members(&[original.bytes()]);
    let late = members(&[other.bytes(), revisit.bytes(), request.bytes()]);
    fs::write(folder.path().join("z.warc.gz"), &early).unwrap();
    fs::write(folder.path().join("b.warc.gz"), &late).unwrap();
    good(
        folder.path(),
        &["rebuild", "-q", "--no-audit", "--repo", "a=b.warc.gz", "--repo", "b=z.warc.gz", "-o", "o.warc.gz"],
    );
    let made = fs::read(folder.path().join("o.warc.gz")).unwrap();
    let copied = members(&[revisit.bytes(), request.bytes()]);
    let tail = [early.as_slice(), &copied].concat();
    assert!(made.ends_with(&tail), "the original, the revisit and its request, as they were");
    // A second run, and one without compression.
    good(
        folder.path(),
        &["rebuild", "-q", "--no-audit", "--repo", "a=b.warc.gz", "--repo", "b=z.warc.gz", "-o", "p.warc"],
    );
    let plain = fs::read(folder.path().join("p.warc")).unwrap();
    assert!(plain.ends_with(&[original.bytes(), revisit.bytes(), request.bytes()].concat()));
    assert!(plain.starts_with(b"WARC/1.1\r\nWARC-Type: warcinfo"));
}

#[test]
fn records_that_share_a_member_and_zstd_are_copied_too() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        page(1, "", "2024-01-01T00:00:00Z", "<p>front<a href=/x>x</a>"),
        page(2, "x", "2024-01-01T00:00:00Z", "<p>the other one"),
    ];
    fs::write(folder.path().join("one.warc.gz"), crate::support::pack::gzip(&records.concat())).unwrap();
    fs::write(folder.path().join("two.warc.zst"), crate::support::pack::zstd(&records.concat(), &[]))
        .unwrap();
    for name in ["one.warc.gz", "two.warc.zst"] {
        let repo = format!("a={name}");
        good(folder.path(), &["rebuild", "-q", "--no-audit", "--repo", &repo, "-o", "o.warc"]);
        let made = fs::read(folder.path().join("o.warc")).unwrap();
        assert!(made.ends_with(&records.concat()), "{name}");
    }
}

#[test]
fn a_date_and_a_choice_by_hand_decide() {
    let folder = tempfile::tempdir().unwrap();
    let dates = ["2001-01-01T00:00:00Z", "2003-01-01T00:00:00Z", "2005-01-01T00:00:00Z"];
    let records: Vec<Vec<u8>> =
        (1..).zip(dates).map(|(n, date)| page(n, "", date, &format!("<p>as of {date}"))).collect();
    fs::write(folder.path().join("a.warc"), records.concat()).unwrap();
    fs::write(folder.path().join("mine"), "http://a.example/ 20010101000000\n").unwrap();
    let taken = |options: &[&str]| {
        let base = ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc"];
        good(folder.path(), &[&base[..], options].concat());
        let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
        urls["http://a.example/"]["taken"]["time"].as_str().unwrap().to_owned()
    };
    assert_eq!(taken(&[]), dates[2]);
    assert_eq!(taken(&["--at", "2003-02"]), dates[1]);
    assert_eq!(taken(&["--choose", "mine"]), dates[0]);
    let refused = run(folder.path(), &["rebuild", "--repo", "a=a.warc", "-o", "a.zip"]);
    assert_eq!(refused.status.code(), Some(2));
    let over = run(folder.path(), &["rebuild", "--repo", "a=a.warc", "-o", "a.warc"]);
    assert_eq!(over.status.code(), Some(2), "no output over an input");
    let unknown = run(folder.path(), &["rebuild", "--repo", "a=a.warc", "--quota", "b=3", "-o", "o.warc.gz"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no repository is called b"));
}

#[test]
fn a_merged_collection_loses_nothing_and_stores_payloads_once() {
    let folder = tempfile::tempdir().unwrap();
    let first = [
        page(1, "", "2024-01-01T00:00:00Z", "<p>the same text in both"),
        page(2, "x", "2024-01-01T00:00:00Z", "<p>only in the first"),
    ];
    let second = [
        page(3, "", "2024-02-01T00:00:00Z", "<p>the same text in both"),
        page(4, "y", "2024-02-01T00:00:00Z", "<p>only in the second"),
        first[1].clone(),
    ];
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/1.warc.gz"), members(&first)).unwrap();
    fs::write(folder.path().join("in/2.warc.gz"), members(&second)).unwrap();
    for (options, revisits) in [(&[][..], 1), (&["--keep"][..], 0)] {
        let text = good(folder.path(), &[&["merge", "in", "-o", "all.warc.gz"][..], options].concat());
        assert!(text.contains(&format!("{revisits} payload")), "{text}");
        let diff: Value =
            serde_json::from_str(&good(folder.path(), &["diff", "-q", "--json", "in", "all.warc.gz"]))
                .unwrap();
        assert_eq!(diff["counts"]["identical"], 3, "{diff}");
        assert_eq!(
            diff["counts"]["changed"].as_u64().unwrap() + diff["counts"]["added"].as_u64().unwrap(),
            0
        );
        let index = good(folder.path(), &["index", "-q", "all.warc.gz"]);
        assert_eq!(index.lines().count(), 4, "every capture once");
        assert_eq!(index.matches("\"kind\":\"revisit\"").count(), revisits);
        // The revisit leads to its original's body.
        assert!(index.lines().all(|line| line.contains("\"body\":\"blake3:")), "{index}");
    }
}

/// Numbers that look random and are the same every time.
fn chance(seed: u64) -> f64 {
    let mut state = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((state ^ (state >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Three collections, each with six of ten captures of one crawl.
fn thinned(crawl: &Path, folder: &Path) -> Vec<BTreeSet<String>> {
    let index = good(Path::new("."), &["index", "-q", crawl.to_str().unwrap()]);
    let bytes = fs::read(crawl).unwrap();
    let mut held = Vec::new();
    for collection in 0..3u64 {
        let (mut file, mut pages) = (Vec::new(), BTreeSet::new());
        for (number, line) in (0u64..).zip(index.lines()) {
            let line: Value = serde_json::from_str(line).unwrap();
            if chance(1000 * collection + number) < 0.4 {
                continue;
            }
            let offset = line["offset"].as_u64().unwrap() as usize;
            file.extend_from_slice(&bytes[offset..offset + line["length"].as_u64().unwrap() as usize]);
            if line["status"] == 200 && line["kind"] == "response" {
                pages.insert(line["url"].as_str().unwrap().to_owned());
            }
        }
        fs::write(folder.join(format!("{collection}.warc.gz")), file).unwrap();
        held.push(pages);
    }
    held
}

const THREE: [&str; 8] =
    ["-q", "--no-audit", "--repo", "a=0.warc.gz", "--repo", "b=1.warc.gz", "--repo", "c=2.warc.gz"];

#[test]
fn three_thinned_collections_give_at_least_what_any_single_one_has_and_truth_agrees() {
    let (Some(crawl), Some(truth)) = (data("crawls/condget/siteC.warc.gz"), data("crawls/truth.csv")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let held = thinned(&crawl, folder.path());
    let build = |more: &[&str]| {
        good(
            folder.path(),
            &[&["rebuild"], &THREE[..], &["-o", "o.warc.gz", "--policy", "exhaustive"], more].concat(),
        );
        manifest(&folder.path().join("o.manifest.jsonl"))
    };
    let (head, urls) = build(&[]);
    let taken: BTreeSet<&String> =
        urls.iter().filter(|(_, entry)| !entry["taken"].is_null()).map(|(url, _)| url).collect();
    for pages in &held {
        assert!(pages.iter().all(|page| taken.contains(page)), "{head}");
    }
    assert!(held.iter().all(|pages| pages.len() < taken.len()), "none of them has all");
    // What was on the server: page, then time of change and hash.
    let mut history: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in fs::read_to_string(truth).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        history.entry(cells[0].to_owned()).or_default().push((cells[1].to_owned(), cells[3].to_owned()));
    }
    let at = |page: &str, time: &str| -> Option<String> {
        let changes = history.get(page)?;
        changes.iter().filter(|(change, _)| change.as_str() <= time).map(|(_, sha1)| sha1.clone()).next_back()
    };
    let page_of = |url: &str| match url.rsplit('/').next().unwrap() {
        "" => "index.html".to_owned(),
        name => name.to_owned(),
    };
    // The newest: no version that any collection holds is newer on the server than the one that was taken.
    let mut decided = 0;
    for (url, entry) in urls.iter().filter(|(_, entry)| !entry["taken"].is_null()) {
        let page = page_of(url);
        let mine = entry["taken"]["time"].as_str().unwrap();
        for other in entry["rejected"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["why"].as_str().unwrap().starts_with("an older"))
        {
            let theirs = other["time"].as_str().unwrap();
            if let (Some(a), Some(b)) = (at(&page, mine), at(&page, theirs)) {
                assert!(mine >= theirs, "{url}: {a} before {b}");
                decided += 1;
            }
        }
    }
    assert!(decided > 50, "{decided}");
    // Together: what is proven online at the moment was online then.
    let (head, urls) = build(&["--coherent"]);
    let moment = head["at"].as_str().unwrap();
    let proven: Vec<(&String, &Value)> =
        urls.iter().filter(|(_, entry)| entry["why"] == "proven online at the moment").collect();
    assert_eq!(head["proven_together"].as_u64().unwrap() as usize, proven.len());
    assert!(proven.len() > 20, "{}", proven.len());
    for (url, entry) in proven {
        let page = page_of(url);
        let (then, taken) = (at(&page, moment), at(&page, entry["taken"]["time"].as_str().unwrap()));
        assert_eq!(then, taken, "{url} at {moment}");
    }
}

#[test]
fn a_killed_run_that_is_run_again_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let filler = "0123456789abcdef".repeat(1 << 14);
    let links: String = (0..400).map(|n| format!("<a href=/{n}>{n}</a>")).collect();
    let mut records = vec![page(1000, "", "2024-01-01T00:00:00Z", &links)];
    records.extend(
        (0..400u32)
            .map(|n| page(n, &n.to_string(), "2024-01-01T00:00:00Z", &format!("<p>{n} <!-- {filler} -->"))),
    );
    fs::write(folder.path().join("big.warc"), records.concat()).unwrap();
    let commands: [&[&str]; 3] = [
        &["merge", "-q", "--keep", "big.warc", "-o", "o.warc"],
        &["rebuild", "-q", "--no-audit", "--repo", "a=big.warc", "-o", "o.warc"],
        &["rebuild", "-q", "--no-audit", "--repo", "a=big.warc", "-o", "o.wacz"],
    ];
    for arguments in commands {
        let output = folder.path().join(arguments[arguments.len() - 1]);
        good(folder.path(), arguments);
        let whole = fs::read(&output).unwrap();
        for pause in [40, 150, 300, 600, 900] {
            fs::remove_file(&output).ok();
            let mut child = Command::new(env!("CARGO_BIN_EXE_acuity"))
                .args(arguments)
                .current_dir(folder.path())
                .spawn()
                .unwrap();
            std::thread::sleep(std::time::Duration::from_millis(pause));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // What a killed run leaves is removed once it is a minute old.
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(120);
        for left in fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()) {
            if left.extension().is_some_and(|end| end == "partial") {
                fs::File::open(left).unwrap().set_modified(long_ago).unwrap();
            }
        }
        good(folder.path(), arguments);
        assert!(whole == fs::read(&output).unwrap(), "{arguments:?}");
        fs::remove_file(&output).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name != "big.warc" && !name.ends_with(".manifest.jsonl"))
            .collect();
        assert!(left.is_empty(), "nothing is left behind: {left:?}");
    }
}

#[test]
fn a_package_is_read_again_without_problems() {
    let folder = figure_2();
    let package = "rebuild -q --no-audit --repo a=a.warc.gz --repo b=b.warc.gz -o o.wacz --policy exhaustive";
    let package: Vec<&str> = package.split(' ').collect();
    good(folder.path(), &package);
    let output = run(folder.path(), &["index", "o.wacz", "--problems", "problems.jsonl"]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 8);
    let problems = fs::read_to_string(folder.path().join("problems.jsonl")).unwrap();
    assert!(!problems.contains("hash") && !problems.contains("zip"), "{problems}");
    let first = fs::read(folder.path().join("o.wacz")).unwrap();
    good(folder.path(), &[package.as_slice(), &["-j1"]].concat());
    assert_eq!(first, fs::read(folder.path().join("o.wacz")).unwrap(), "same input, same bytes");
}
