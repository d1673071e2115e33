//! Where a rebuild starts: the front page, under whichever spelling it is stored.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{good, manifest, page, run};
use crate::support::record::Record;

const DATE: &str = "2005-01-01T00:00:00Z";
const PARKED: &str = "<title>domain renewal</title><p>This domain has expired and is parked. Renew it now.";

/// Rebuilds an archive of these records; gives the head of the manifest, and the names of what was recovered.
fn rebuilt(folder: &Path, records: &[Vec<u8>], options: &[&str]) -> (Value, Vec<String>) {
    fs::write(folder.join("a.warc"), records.concat()).unwrap();
    let base = ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", "o.warc"];
    good(folder, &[&base[..], options].concat());
    let (head, urls) = manifest(&folder.join("o.manifest.jsonl"));
    let is_recovered =
        |entry: &Value| entry["taken"].is_object() && entry["taken"]["is_stand_in"] == Value::Bool(false);
    let names = urls.into_iter().filter(|(_, entry)| is_recovered(entry));
    (head, names.map(|(url, _)| url.replace("http://a.example", "")).collect())
}

#[test]
fn the_front_page_is_found_under_the_name_of_its_index_file() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["index.html", "Default.asp", "INDEX.PHP"] {
        let records = [page(1, "a", DATE, "<p>the page a"), page(2, name, DATE, "<p>front<a href=/a>a</a>")];
        let mut expected = [format!("/{name}"), "/a".to_owned()];
        expected.sort();
        for options in [
            &[][..],
            &["--seed", "http://a.example/"],
            &["--seed", "http://a.example"],
            &["--seed", "http://a.example/", "--canon", "strict"],
            &["--seed", "http://a.example/index.cgi"],
            &["--scope", "http://a.example/"],
        ] {
            let (head, names) = rebuilt(folder.path(), &records, options);
            assert_eq!(names, expected, "{options:?}");
            assert_eq!(head["missing"], 0, "{options:?}");
            // The naive policy asks for one spelling after the other.
            let is_as_stored = options.is_empty();
            let lookups = &head["policies"][0]["by_repository"][0]["lookups"];
            assert_eq!(*lookups, if is_as_stored { 2 } else { 3 }, "{name} {options:?}");
        }
    }
}

#[test]
fn other_seeds_are_found_with_and_without_a_slash_and_in_other_capitals() {
    let folder = tempfile::tempdir().unwrap();
    let seeds =
        [("dir", "dir/index.html"), ("dir/index.html", "dir/"), ("Page.HTML", "page.html"), ("dir/", "dir")];
    for (seed, stored) in seeds {
        let records =
            [page(1, stored, DATE, "<p>start<a href=/a>a</a>"), page(2, "a", DATE, "<p>the page a")];
        for canon in ["default", "strict"] {
            let seed = format!("http://a.example/{seed}");
            let (_, names) = rebuilt(folder.path(), &records, &["--seed", &seed, "--canon", canon]);
            assert_eq!(names.len(), 2, "{seed} {stored} {canon}: {names:?}");
        }
    }
}

#[test]
fn a_redirect_at_the_root_comes_along_with_the_front_page() {
    let folder = tempfile::tempdir().unwrap();
    let head = "HTTP/1.1 302 Found\nLocation: /index.html";
    let records = [
        page(1, "index.html", DATE, "<p>front<a href=/a>a</a>"),
        page(2, "a", DATE, "<p>the page a"),
        Record::response(3, "http://a.example/", DATE, head, b"").bytes(),
    ];
    for options in [&[][..], &["--seed", "http://a.example/"]] {
        assert_eq!(rebuilt(folder.path(), &records, options).1, ["/", "/a", "/index.html"], "{options:?}");
    }
    // To an address that is no front page.
    let head = "HTTP/1.1 302 Found\nLocation: /home/";
    let records = [
        page(1, "home/", DATE, "<p>front<a href=/a>a</a>"),
        page(2, "a", DATE, "<p>the page a"),
        Record::response(3, "http://a.example/", DATE, head, b"").bytes(),
    ];
    assert_eq!(rebuilt(folder.path(), &records, &[]).1, ["/", "/a", "/home/"]);
}

#[test]
fn a_parked_root_does_not_hide_the_front_page_under_another_name() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        page(1, "index.html", DATE, "<p>front<a href=/a>a</a>"),
        page(2, "a", DATE, "<p>the page a"),
        page(3, "", "2009-01-01T00:00:00Z", PARKED),
    ];
    for options in [&[][..], &["--seed", "http://a.example/"], &["--policy", "naive"]] {
        let (head, names) = rebuilt(folder.path(), &records, options);
        assert_eq!(names, ["/a", "/index.html"], "{options:?}");
        assert_eq!((&head["missing"], &head["stand_ins"]), (&1.into(), &1.into()), "{options:?}");
    }
}

#[test]
fn a_seed_that_no_repository_knows_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let records = [page(1, "", DATE, "<p>front")];
    let options = ["--seed", "http://a.example/", "--seed", "http://a.example/lost"];
    let (head, names) = rebuilt(folder.path(), &records, &options);
    assert_eq!((names.len(), &head["missing"]), (1, &1.into()));
    let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert_eq!(urls["http://a.example/lost"]["why"], "not restored: no repository knows it");
    let alone = ["rebuild", "-q", "--repo", "a=a.warc", "-o", "p.warc", "--seed", "http://a.example/lost"];
    let refused = run(folder.path(), &alone);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("nothing can be recovered"));
}
