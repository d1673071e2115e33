//! The demo: the web site of a small library, crawled twice within one morning while it changes.
//!
//! `fixtures/demo/` holds the two files and tells the story. `ACUITY_BLESS=1 cargo test --test demo` writes them anew.

mod crawl;
mod pages;
mod site;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;

use acuity::internals::capture::Kind;
use acuity::internals::ingest::Options;
use support::bless::settle;
use support::reading::read_inputs;

const FOLDER: &str = "fixtures/demo";

#[test]
fn the_demo_is_what_its_generator_makes_and_reads_without_a_problem() {
    let folder = Path::new(FOLDER);
    let (visit, revisit) = (crawl::visit(), crawl::revisit());
    let readme = include_str!("story.md");
    let files =
        [("visit.warc.gz", visit), ("revisit.warc.gz", revisit), ("README.md", readme.as_bytes().to_vec())];
    let wrong: Vec<String> =
        files.iter().filter_map(|(name, bytes)| settle(&folder.join(name), bytes)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    let read = read_inputs(&[folder], &Options::default());
    // The README is skipped with a note.
    let kinds: Vec<&str> = read.problems.iter().map(|problem| problem.kind.as_str()).collect();
    assert_eq!(kinds, ["not-an-archive"]);
    let urls = site::urls();
    assert_eq!(read.observations.len(), 2 * urls.len() + 1, "one page is new at the second visit");
    let count = |kind, profile: Option<&str>| {
        read.observations
            .iter()
            .filter(|found| found.kind == kind && found.profile.as_deref() == profile)
            .count()
    };
    let not_modified = count(Kind::Revisit, Some("server-not-modified"));
    let identical = count(Kind::Revisit, Some("identical-payload-digest"));
    assert_eq!((not_modified, identical), (10, 16));
    for observation in &read.observations {
        assert_eq!(observation.method.as_deref(), Some("GET"));
        assert!(observation.writer.is_some() && observation.http_date.is_some(), "{observation:?}");
        assert!(observation.body.is_some(), "every revisit is resolved: {observation:?}");
    }
}
