//! Crawls with known truth: one site, crawled twice by three writers at the same time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::support::data::data;
use crate::support::reading::{Read, read_inputs};
use acuity::internals::capture::{Kind, Observation};
use acuity::internals::digest::BodyDigest;
use acuity::internals::ingest::Options;
use acuity::internals::time::Instant;

const ARCHIVES: [&str; 4] = [
    "condget/siteC.warc.gz",
    "warcprox/SITEC-20261116001318675-00000-t52kzgb7.warc.gz",
    "wget/siteC-visit.warc.gz",
    "wget/siteC-revisit.warc.gz",
];

fn read(folder: &Path, names: &[&str]) -> Read {
    let paths: Vec<_> = names.iter().map(|name| folder.join(name)).collect();
    read_inputs(&paths.iter().map(|path| path.as_path()).collect::<Vec<_>>(), &Options::default())
}

/// What a capture is, in the words of `captures.csv`: file, URL, time, kind, profile, status.
type Row = (String, String, Instant, String, String, u16);

fn row(observation: &Observation) -> Row {
    let kind = match observation.kind {
        Kind::Response => "response",
        Kind::Revisit => "revisit",
        Kind::Resource => "resource",
        Kind::Index => "index",
    };
    (
        observation.file.rsplit('/').next().unwrap().to_owned(),
        observation.url.clone(),
        observation.time.unwrap(),
        kind.to_owned(),
        observation.profile.clone().unwrap_or_default(),
        observation.status.unwrap_or_default(),
    )
}

/// The rows of `captures.csv` with the SHA-1 of the entity that was captured.
fn truth(folder: &Path) -> Vec<(Row, String)> {
    let mut reader = csv::Reader::from_path(folder.join("captures.csv")).unwrap();
    let rows = reader.deserialize::<HashMap<String, String>>().map(Result::unwrap);
    rows.map(|row| {
        let of = |name: &str| row[name].clone();
        let status = row["status"].parse().unwrap();
        let row =
            (of("file"), of("url"), Instant::parse(&row["date"]).unwrap(), of("type"), of("profile"), status);
        (row, of("entity_sha1"))
    })
    .collect()
}

/// Only pages of the site: writers also keep files of their own (`metadata://…`).
fn of_web(read: &Read) -> impl Iterator<Item = &Observation> {
    read.observations.iter().filter(|observation| observation.url.starts_with("http"))
}

#[test]
fn captures_equal_the_table_of_captures() {
    let Some(folder) = data("crawls") else { return };
    let read = read(&folder, &ARCHIVES);
    let found: BTreeSet<Row> = of_web(&read).map(row).collect();
    let truth: BTreeSet<Row> = truth(&folder).into_iter().map(|(row, _)| row).collect();
    assert_eq!(truth.len(), 1143);
    assert_eq!(found.difference(&truth).next(), None);
    assert_eq!(truth.difference(&found).next(), None);
}

#[test]
fn bodies_are_equal_across_writers_exactly_where_the_servers_bytes_were() {
    let Some(folder) = data("crawls") else { return };
    let read = read(&folder, &ARCHIVES);
    let entities: BTreeMap<Row, String> = truth(&folder).into_iter().collect();
    let (mut bodies, mut shas) = (HashMap::<String, BodyDigest>::new(), HashMap::<BodyDigest, String>::new());
    let mut compared = 0;
    for observation in of_web(&read) {
        let sha1 = entities[&row(observation)].clone();
        // The table has entities for responses only.
        let (Some(body), false) = (observation.body, sha1.is_empty()) else { continue };
        assert_eq!(*bodies.entry(sha1.clone()).or_insert(body), body, "{observation:?}");
        assert_eq!(*shas.entry(body).or_insert(sha1.clone()), sha1, "{observation:?}");
        compared += 1;
    }
    assert!(compared > 650, "{compared}");
}

#[test]
fn an_index_given_with_its_archives_does_not_count_captures_twice() {
    let Some(folder) = data("crawls") else { return };
    for (archives, indexes) in [
        (
            &["wget/siteC-visit.warc.gz", "wget/siteC-revisit.warc.gz"][..],
            &["wget/siteC-visit.cdx", "wget/siteC-revisit.cdx"][..],
        ),
        (&["warcprox/SITEC-20261116001318675-00000-t52kzgb7.warc.gz"], &["warcprox/siteC.cdxj"]),
    ] {
        let alone = read(&folder, archives);
        let together = read(&folder, &[indexes, archives].concat());
        assert_eq!(together.observation_lines(), alone.observation_lines());
        let index = read(&folder, indexes);
        assert!(!index.observations.is_empty());
        assert!(
            index
                .observations
                .iter()
                .all(|observation| observation.kind == Kind::Index && observation.body.is_none())
        );
    }
}

#[test]
fn the_index_of_an_archive_reads_like_the_archive() {
    let Some(folder) = data("crawls") else { return };
    let read = read(&folder, &ARCHIVES);
    let index = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::fs::write(index.path(), read.observation_lines()).unwrap();
    let again = read_inputs(&[index.path()], &Options::default());
    assert_eq!(again.observation_lines(), read.observation_lines());
}
