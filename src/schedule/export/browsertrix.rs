//! Browsertrix Crawler: one call for every download, at its time, visits and revisits by one script.
//!
//! Browsertrix keeps its queue sorted by depth, then by the time a URL was queued, to the millisecond, then by URL: seeds of one
//! configuration come out in the order of their URLs, and a crawl takes each URL once. So every download is a crawl of one page
//! (`--limit 1`), which keeps any order. `pageExtraDelay` would come on top of loading and is not used: the script keeps the times.
//! A call starts a browser, so a lane can be no faster than one page per start and load; where Δ is shorter, Δ *becomes* that time
//! and `lane-NNN.times.tsv` shows it.
//!
//! Browsertrix keeps its state in a Redis of the container, which may be written to disk when a crawl ends: a second crawl of one name would
//! find all its work done. So every call has a name of its own (`--crawlId`). Redis and the browser have one port each, so only one crawl can run in a container
//! at a time (`flock`); several lanes are run side by side in a container each (`LANES`).

use super::super::model::Schedule;
use super::{File, timed};

const ABOUT: &str = "\
# Crawls this schedule with Browsertrix Crawler, inside its container:
#   docker run --rm -v \"$PWD:/crawls/plan\" webrecorder/browsertrix-crawler sh /crawls/plan/crawl.sh
# One page at a time is crawled in a container. With several lanes, run one container for each: docker run … -e LANES=lane-001 …
# More options for `crawl` can be given as arguments. The WARC files are in collections/LANE-KIND/archive.
# Δ is at least the time to start a browser and load a page; LANE.times.tsv has planned and actual seconds.";

const FETCH: &str = r#"    flock parts/browser crawl --crawlId "$lane-$page-$kind-${seconds%.*}" --config "$lane.yaml" --collection "$lane-$kind" --seeds "$url" --cwd "$PWD" "$@" >>"$lane-$kind.log" 2>&1"#;

pub(super) fn files(schedule: &Schedule) -> Vec<File> {
    let mut files = timed::files(schedule, ABOUT, FETCH);
    let lists: Vec<String> =
        files.iter().filter_map(|file| file.name.strip_suffix(".tsv").map(str::to_owned)).collect();
    for lane in lists {
        let settings = "workers: 1\nscopeType: page\ndepth: 0\nlimit: 1\npageExtraDelay: 0\n";
        files.push(File::new(format!("{lane}.yaml"), settings.to_owned()));
    }
    files
}
