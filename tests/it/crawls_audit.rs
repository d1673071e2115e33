//! Crawls of one site by three writers, with every change of its pages known. They are found by `ACUITY_DATA` (default
//! `../shared/data`); where they are absent, that is said and the test passes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

use acuity::internals::archive::source::expand;
use acuity::internals::audit::{Audit, AuditInput, Parameters, audit};
use acuity::internals::capture::table::{Table, TableBuilder};
use acuity::internals::change::evidence::Grade;
use acuity::internals::change::history::History;
use acuity::internals::change::run::PageState;
use acuity::internals::ingest::{Digests, Options, ProblemLog, read};
use acuity::internals::time::Instant;
use acuity::internals::url::Canon;

const TOOLS: [(&str, &[&str], usize); 3] = [
    ("wget", &["wget/siteC-visit.warc.gz", "wget/siteC-revisit.warc.gz"], 42),
    ("warcprox", &["warcprox/SITEC-20261116001318675-00000-t52kzgb7.warc.gz"], 33),
    ("condget", &["condget/siteC.warc.gz"], 42),
];

/// The folder of the crawls; `None`, said on stderr, where it is absent.
fn crawls() -> Option<PathBuf> {
    let folder =
        std::env::var_os("ACUITY_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = folder.join("crawls");
    if path.join("truth.csv").exists() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "skipped: {} is absent", path.display());
    None
}

fn table(folder: &std::path::Path, files: &[&str], digests: Digests) -> Table {
    let names: Vec<String> = files.iter().map(|file| folder.join(file).display().to_string()).collect();
    let mut log = ProblemLog::new(None);
    let options = Options { digests, ..Options::default() };
    let reading = read(&expand(&names).unwrap(), &options, &mut log, &|_| {}).unwrap();
    let mut builder = TableBuilder::new();
    reading
        .observations
        .for_each(&mut |observation, input| {
            let mut observation = observation.clone();
            observation.key = Canon::Strict.key(&observation.url);
            builder.push(&observation, input);
            Ok(())
        })
        .unwrap();
    builder.finish()
}

fn parameters(evidence: Grade) -> Parameters {
    Parameters { canon: Canon::Strict, evidence, ..Parameters::default() }
}

/// URLs whose bytes differ between their looks, and all URLs that answered 200 or 304, for a tool or for all.
fn truth(folder: &std::path::Path, tool: Option<&str>) -> (BTreeSet<String>, usize) {
    let mut bodies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut reader = csv::Reader::from_path(folder.join("captures.csv")).unwrap();
    for record in reader.deserialize::<BTreeMap<String, String>>() {
        let record = record.unwrap();
        if tool.is_some_and(|tool| record["tool"] != tool) || !["200", "304"].contains(&&*record["status"]) {
            continue;
        }
        let body = if record["entity_sha1"].is_empty() { "server_sha1" } else { "entity_sha1" };
        bodies.entry(record["url"].clone()).or_default().insert(record[body].clone());
    }
    let all = bodies.len();
    (bodies.into_iter().filter(|(_, bodies)| bodies.len() > 1).map(|(url, _)| url).collect(), all)
}

fn changed(audit: &Audit) -> BTreeSet<String> {
    let pages = audit.sites.iter().flat_map(|site| &site.page_list);
    pages.filter(|page| page.state == PageState::Changed).map(|page| page.url.clone()).collect()
}

/// No proven interval contains a change: the server's bytes were the same throughout.
fn assert_nothing_false_is_proven(audit: &Audit, history: &History) -> usize {
    let mut proven = 0;
    for page in audit.sites.iter().flat_map(|site| &site.page_list) {
        let changes: &[Instant] = history.changes(&page.url, &page.key).unwrap_or_default();
        for interval in &page.proven {
            let wrong = changes.iter().find(|change| interval.from < **change && **change <= interval.to);
            assert_eq!(wrong, None, "{} from {} to {}", page.url, interval.from, interval.to);
            proven += 1;
        }
    }
    proven
}

#[test]
fn the_pages_found_changed_are_those_whose_bytes_differ() {
    let Some(folder) = crawls() else { return };
    let history = History::read(std::fs::File::open(folder.join("truth.csv")).unwrap()).unwrap();
    let together: Vec<&str> = TOOLS.iter().flat_map(|(_, files, _)| files.iter().copied()).collect();
    let alone = TOOLS.iter().map(|(tool, files, count)| (Some(*tool), files.to_vec(), *count));
    for (tool, files, count) in alone.chain([(None, together, 42)]) {
        let (expected, urls) = truth(&folder, tool);
        assert_eq!(expected.len(), count);
        let table = table(&folder, &files, Digests::Verify);
        for evidence in [Grade::Bytes, Grade::Digest, Grade::NotModified, Grade::Validator] {
            let audit = audit(&table, &parameters(evidence), AuditInput::default());
            let found = changed(&audit);
            let proven = assert_nothing_false_is_proven(&audit, &history);
            if evidence >= Grade::NotModified {
                assert_eq!(found, expected, "{tool:?}");
                assert_eq!(audit.summary.pages as usize, urls, "{tool:?}");
                assert!(proven > 0);
            } else {
                assert!(found.is_subset(&expected), "{tool:?} {evidence:?}");
            }
        }
    }
}

#[test]
fn from_declared_digests_alone_nothing_false_is_found_either() {
    let Some(folder) = crawls() else { return };
    let history = History::read(std::fs::File::open(folder.join("truth.csv")).unwrap()).unwrap();
    let together: Vec<&str> = TOOLS.iter().flat_map(|(_, files, _)| files.iter().copied()).collect();
    let indexes = ["wget/siteC-visit.cdx", "wget/siteC-revisit.cdx", "warcprox/siteC.cdxj"];
    let alone = TOOLS.iter().map(|(tool, files, _)| (Some(*tool), files.to_vec()));
    let single_indexes = [(Some("wget"), indexes[..2].to_vec()), (Some("warcprox"), indexes[2..].to_vec())];
    for (tool, files) in alone.chain([(None, together)]).chain(single_indexes) {
        let (expected, _) = truth(&folder, tool);
        let table = table(&folder, &files, Digests::Declared);
        let audit = audit(&table, &parameters(Grade::NotModified), AuditInput::default());
        assert_nothing_false_is_proven(&audit, &history);
        if tool.is_some() {
            assert_eq!(changed(&audit), expected, "{files:?}");
        } else {
            assert!(changed(&audit).is_subset(&expected));
        }
    }
}

#[test]
fn an_index_beside_its_archives_changes_nothing() {
    let Some(folder) = crawls() else { return };
    let archives = ["wget/siteC-visit.warc.gz", "wget/siteC-revisit.warc.gz"];
    let with_index = [archives[0], "wget/siteC-visit.cdx", "wget/siteC-revisit.cdx", archives[1]];
    let alone = table(&folder, &archives, Digests::Verify);
    let both = table(&folder, &with_index, Digests::Verify);
    assert_eq!(alone.rows().len(), both.rows().len());
    let parameters = parameters(Grade::NotModified);
    let strip = |mut audit: Audit| {
        audit.summary.left_out = Default::default();
        serde_json::to_string(&audit).unwrap()
    };
    assert_eq!(
        strip(audit(&alone, &parameters, AuditInput::default())),
        strip(audit(&both, &parameters, AuditInput::default()))
    );
}

#[test]
fn with_the_history_blur_is_exact_and_lies_where_the_archive_put_it() {
    let Some(folder) = crawls() else { return };
    let history = History::read(std::fs::File::open(folder.join("truth.csv")).unwrap()).unwrap();
    let table = table(&folder, TOOLS[2].1, Digests::Verify);
    let parameters = parameters(Grade::NotModified);
    let known = audit(&table, &parameters, AuditInput { history: Some(&history), ..AuditInput::default() });
    let seen = audit(&table, &parameters, AuditInput::default());
    assert!(known.sites[0].blur.actual.exact && !seen.sites[0].blur.actual.exact);
    let (exact, estimated) = (known.sites[0].blur.actual.expected.unwrap(), seen.sites[0].blur.actual);
    assert!(estimated.low <= exact, "{exact} {estimated:?}");
    assert!((0.2..5.0).contains(&(estimated.expected.unwrap() / exact)), "{exact} {estimated:?}");
}

#[test]
fn rates_agree_with_the_looks_and_the_true_share_of_versions_lies_in_its_interval() {
    let Some(folder) = crawls() else { return };
    let history = History::read(std::fs::File::open(folder.join("truth.csv")).unwrap()).unwrap();
    let together: Vec<&str> = TOOLS.iter().flat_map(|(_, files, _)| files.iter().copied()).collect();
    let table = table(&folder, &together, Digests::Verify);
    let plain = audit(&table, &parameters(Grade::NotModified), AuditInput::default());
    let input = AuditInput { history: Some(&history), ..AuditInput::default() };
    let exact = audit(&table, &parameters(Grade::NotModified), input);
    let check = plain.sites[0].rates.check.unwrap();
    assert_eq!((check.pages, check.changed, check.agrees), (190, 42, true), "{check:?}");
    // The server's dates are years old; by them hardly a page would change within minutes.
    assert!(check.expected_by_stamps.unwrap() < 1.0 && (check.expected - 42.0).abs() < 10.0, "{check:?}");
    let versions = plain.sites[0].completeness.as_ref().unwrap().versions;
    let truth = exact.sites[0].completeness.as_ref().unwrap().versions.share.unwrap();
    assert!(versions.low.unwrap() < truth && truth < versions.high.unwrap(), "{versions:?} {truth}");
    assert!((versions.share.unwrap() - truth).abs() < 0.1, "{versions:?} {truth}");
    // The order of the last crawl kept 148 pages sharp.
    let next = plain.sites[0].reschedule.as_ref().unwrap();
    assert!((140.0..175.0).contains(&next.last_crawl.unwrap()), "{:?}", next.last_crawl);
}
