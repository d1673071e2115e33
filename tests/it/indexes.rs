//! Indexes that other projects use as test data, and those of known crawls. They are found by `ACUITY_DATA` (default
//! `../shared/data`); what is absent is named and skipped.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use acuity::internals::archive::cdx::{IndexItem, IndexReader, looks_like_index};
use acuity::internals::capture::Observation;
use acuity::internals::ingest::index_line::IndexObserver;
use acuity::internals::url::Canon;

/// The file below the data folder; `None`, said on stderr, where it is absent.
fn data(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("ACUITY_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "skipped: {} is absent", path.display());
    None
}

/// The observations of an index, and how many lines were problems.
fn read(path: &PathBuf) -> (Vec<Observation>, usize) {
    let mut head = Vec::new();
    File::open(path).unwrap().take(8192).read_to_end(&mut head).unwrap();
    assert!(looks_like_index(&head).is_some(), "{}", path.display());
    let mut reader = IndexReader::new(BufReader::new(File::open(path).unwrap()));
    let mut observer = IndexObserver::new(path.to_string_lossy().into(), Canon::Default);
    let (mut observations, mut problems) = (Vec::new(), 0);
    while let Some(item) = reader.next_item().unwrap() {
        match item {
            IndexItem::Line(line) => observations.push(observer.observe(&line)),
            IndexItem::Problem(_) => problems += 1,
        }
    }
    (observations, problems)
}

#[test]
fn every_line_of_other_projects_indexes_is_read_or_named() {
    for (name, captures, problems) in [
        ("warcs/iipc__webarchive-commons__cdxfile1.cdx", 1666, 0),
        ("warcs/iipc__webarchive-commons__closestTest.cdxj", 2, 0),
        ("warcs/nla__outbackcdx__test1.cdx", 3, 0),
        ("warcs/nla__outbackcdx__test2.cdx", 3, 0),
        ("warcs/harvard-lil__js-wacz__valid.cdxj", 1, 0),
        // A URL of base64 and one behind `mailto:` are URLs; `some/not/even/url/thing` is none.
        ("warcs/edgi-govdata-archiving__wayback__malformed_cdx.txt.cdx", 4, 1),
        ("warcs/richardlehane__webarchive__hello-world.cdx", 3, 0),
        ("crawls/wget/siteC-visit.cdx", 191, 0),
        ("crawls/wget/siteC-revisit.cdx", 43, 0),
        ("crawls/warcprox/siteC.cdxj", 380, 0),
    ] {
        let Some(path) = data(name) else { continue };
        let (observations, found) = read(&path);
        assert_eq!((observations.len(), found), (captures, problems), "{name}");
        for observation in &observations {
            assert!(observation.time.is_some() && observation.declared.is_some(), "{observation:?}");
        }
    }
}

#[test]
fn keys_equal_those_that_the_indexers_wrote() {
    for name in ["crawls/warcprox/siteC.cdxj", "warcs/iipc__webarchive-commons__cdxfile1.cdx"] {
        let Some(path) = data(name) else { continue };
        let (observations, _) = read(&path);
        let lines = BufReader::new(File::open(&path).unwrap()).lines().map(Result::unwrap);
        let written = lines.filter(|line| !line.starts_with(" CDX"));
        let differ: BTreeSet<_> = written
            .zip(&observations)
            .map(|(line, observation)| {
                (line.split(' ').next().unwrap_or_default().to_owned(), observation.key.clone())
            })
            // The old Java tools made a host key of `dns:` records, the Python ones, as here, do not.
            .filter(|(written, key)| written != key && !key.starts_with("dns:"))
            .collect();
        assert!(differ.is_empty(), "{name}: {differ:#?}");
    }
}
