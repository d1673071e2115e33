//! An archive replayed beside the truth: what the captures of a crawl are taken to say of a site must not be false. The
//! crawls are found by `ACUITY_DATA`; where they are absent, that is said and the test passes.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use crate::support::data::{data, say};
use acuity::internals::archive::source::expand;
use acuity::internals::capture::page::{PageFilter, path};
use acuity::internals::change::{Compare, Grade, Judge};
use acuity::internals::ingest::{Options, ProblemLog, read};
use acuity::internals::simulate::replay::{Bulk, Columns, Happened, Log, Replay, from_archive, from_log};

fn archive(files: &[&str]) -> Option<Replay> {
    let names: Option<Vec<String>> =
        files.iter().map(|file| Some(data(file)?.display().to_string())).collect();
    let mut log = ProblemLog::new(None);
    let reading = read(&expand(&names?).unwrap(), &Options::default(), &mut log, &|_| {}).unwrap();
    let table = reading.table().unwrap();
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    Some(from_archive("archive", &judge, PageFilter::Html, None).unwrap())
}

#[test]
fn what_an_archive_says_of_any_interval_is_true_or_unknown() {
    let Some(truth) = data("crawls/truth.csv") else { return };
    let log = Log::read(File::open(truth).unwrap(), &Columns::default(), Bulk::Keep).unwrap();
    let truth = from_log("truth", &log).unwrap();
    let places: HashMap<&str, usize> =
        truth.world.pages.iter().enumerate().map(|(place, page)| (page.url.as_str(), place)).collect();
    let wget = ["crawls/wget/siteC-visit.warc.gz", "crawls/wget/siteC-revisit.warc.gz"];
    let condget = ["crawls/condget/siteC.warc.gz"];
    for files in [&wget[..], &condget[..], &[wget[0], wget[1], condget[0]]] {
        let Some(archive) = archive(files) else { continue };
        let (from, to) = (archive.world.from, archive.world.to);
        let mut counts = BTreeMap::from([("unchanged", 0), ("changed", 0), ("unknown", 0)]);
        for (page, subject) in archive.world.pages.iter().enumerate() {
            let name = path(&subject.url).trim_start_matches('/');
            let name = if name.is_empty() { "index.html" } else { name };
            let Some(place) = places.get(name) else { continue };
            for (begin, end) in (0..20).flat_map(|begin| (begin + 1..=20).map(move |end| (begin, end))) {
                let at = |part: i32| from + f64::from(part) / 20.0 * (to - from);
                let happened = archive.between(page, at(begin), at(end));
                let really = truth.between(*place, at(begin), at(end));
                match happened {
                    Happened::Unknown => *counts.entry("unknown").or_default() += 1,
                    Happened::Unchanged => {
                        *counts.entry("unchanged").or_default() += 1;
                        assert_ne!(really, Happened::Changed, "{name} {} {}", at(begin), at(end));
                    }
                    Happened::Changed => {
                        *counts.entry("changed").or_default() += 1;
                        assert_eq!(really, Happened::Changed, "{name} {} {}", at(begin), at(end));
                    }
                    Happened::Absent => panic!("an archive knows of no birth"),
                }
            }
        }
        say(&format!("{} files: {counts:?}", files.len()));
        assert!(counts.values().all(|count| *count > 0), "{counts:?}");
    }
}
