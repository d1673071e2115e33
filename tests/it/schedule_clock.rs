//! Start times are absolute: the script for wget and the spider for Scrapy are run on a clock that the test makes, so that slow pages
//! show whether lateness adds up, and a busy machine does not matter. A crawl that begins behind its start keeps the pause of the host.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use acuity::internals::schedule::build::{Request, build};
use acuity::internals::schedule::export::{Format, export};
use acuity::internals::schedule::model::Schedule;
use acuity::internals::schedule::page::Page;
use acuity::internals::time::{Instant, SECOND};

/// Seconds that a fetch takes; a slow page takes longer than the pause between two.
const FETCH: f64 = 0.4;
const SLOW: f64 = 1.9;

/// When the clock begins.
const NOW: i64 = 1000;

/// Eight pages of one host, a second apart; one of them is slow, and one is refused. A shell would read two URLs otherwise.
fn schedule() -> Schedule {
    let names = ["a", "b", "slow", "$(touch${IFS}evil)", "e", "refused", "g;touch evil", "h"];
    let page = |(number, name): (usize, &&str)| {
        let url = format!("http://a.example/{name}");
        Page { lane: "a.example".into(), ..Page::new(&url, 0.01 * number as f64) }
    };
    let pages: Vec<Page> = names.iter().enumerate().map(page).collect();
    build(&pages, &Request { delay: 1.0, ..Request::default() }).unwrap()
}

/// The same, planned for so many seconds ago.
fn schedule_of_the_past(seconds: i64) -> Schedule {
    let mut schedule = schedule();
    let start = Instant::from_seconds((NOW - seconds) as f64);
    for site in &mut schedule.sites {
        site.start = Some(start);
        let mut slots = site.slots.held().to_vec();
        for slot in &mut slots {
            slot.at = Some(start.plus((slot.seconds * SECOND as f64) as i64));
        }
        site.slots = slots.into();
    }
    schedule
}

/// When each fetch begins if start times are absolute: at its time, or when the one before is done and half a pause is over.
fn wanted(schedule: &Schedule) -> Vec<(f64, f64)> {
    let mut free = 0.0f64;
    let mut times = Vec::new();
    for slot in &schedule.sites[0].slots {
        let begins = free.max(slot.seconds);
        let took = match &*slot.url {
            url if url.contains("slow") => SLOW,
            url if url.contains("refused") => 0.0,
            _ => FETCH,
        };
        free = begins + took.max(0.5);
        times.push((slot.seconds, begins));
    }
    times
}

fn check(times: &[(f64, f64)], schedule: &Schedule) {
    let wanted = wanted(schedule);
    assert_eq!(times.len(), wanted.len());
    for (ours, wanted) in times.iter().zip(&wanted) {
        assert!((ours.0 - wanted.0).abs() < 2e-3 && (ours.1 - wanted.1).abs() < 2e-3, "{ours:?} {wanted:?}");
    }
    // Slow pages make those right behind them late; the others are on time.
    let late = times.iter().filter(|(planned, begins)| begins - planned > 2e-3).count();
    assert!(late > 0 && late < times.len() / 2, "{times:?}");
}

/// A crawl that begins late makes all downloads, none of them less than a pause behind the one before.
fn check_late(times: &[(f64, f64)], schedule: &Schedule) {
    assert_eq!(times.len(), schedule.sites[0].slots.len());
    assert!(times[0].1 > times[0].0 + 3.0, "{times:?}");
    for pair in times.windows(2) {
        assert!(pair[1].1 - pair[0].1 >= 1.0 - 2e-3, "{times:?}");
    }
}

#[cfg(unix)]
fn program(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[cfg(unix)]
fn the_script_for_wget_does_not_drift() {
    let schedule = schedule();
    let folder = tempfile::tempdir().unwrap();
    let times = run_script(folder.path(), &schedule);
    check(&times, &schedule);
    // Nothing in a URL was run, and every URL reached the program as one argument.
    assert!(!folder.path().join("plan/evil").exists() && !folder.path().join("evil").exists());
    let urls = std::fs::read_to_string(folder.path().join("clock.urls")).unwrap();
    assert_eq!(urls.lines().count(), schedule.sites[0].slots.len());
    assert!(urls.lines().any(|url| url == "http://a.example/g;touch%20evil"), "{urls}");
    assert!(urls.contains("$(touch$%7BIFS%7Devil)"), "{urls}");
}

#[test]
#[cfg(unix)]
fn the_script_for_wget_keeps_the_pause_when_it_begins_late() {
    for seconds in [4, 900] {
        let schedule = schedule_of_the_past(seconds);
        let folder = tempfile::tempdir().unwrap();
        check_late(&run_script(folder.path(), &schedule), &schedule);
    }
}

/// Planned and actual seconds of every download, by the script with a wget of the test.
#[cfg(unix)]
fn run_script(folder: &Path, schedule: &Schedule) -> Vec<(f64, f64)> {
    let plan = folder.join("plan");
    export(schedule, Format::Wget).unwrap().write(&plan).unwrap();
    let stubs = folder.join("stubs");
    std::fs::create_dir(&stubs).unwrap();
    let clock = folder.join("clock");
    std::fs::write(&clock, format!("{NOW}.000\n")).unwrap();
    let advance = "awk -v by=\"$by\" '{ printf \"%.3f\\n\", $1 + by }' \"$CLOCK\" >\"$CLOCK.new\" && mv \"$CLOCK.new\" \"$CLOCK\"";
    program(&stubs, "date", "cat \"$CLOCK\"");
    program(&stubs, "sleep", &format!("by=$1\n{advance}"));
    // The URL is the last argument; it is written down as it came.
    let wget = format!(
        "for last in \"$@\"; do :; done\nprintf '%s\\n' \"$last\" >>\"$CLOCK.urls\"\ncase $last in *slow*) by={SLOW} ;; *refused*) exit 4 ;; *) by={FETCH} ;; esac\n{advance}"
    );
    program(&stubs, "wget", &wget);
    let path = format!("{}:{}", stubs.display(), std::env::var("PATH").unwrap_or_default());
    let run = Command::new("sh")
        .arg(plan.join("crawl.sh"))
        .env("PATH", path)
        .env("CLOCK", &clock)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let times = std::fs::read_to_string(plan.join("lane-001.times.tsv")).unwrap();
    times
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (fields[0].parse().unwrap(), fields[1].parse().unwrap())
        })
        .collect()
}

/// Scrapy, warcio and Twisted as far as the spider needs them, on a clock of their own.
const STAGE: &str = r#"
import heapq, itertools, json, sys, time, types

clock, queue, number = [float(sys.argv[4])], [], itertools.count()
time.time = lambda: clock[0]

def module(name, **parts):
    sys.modules[name] = types.SimpleNamespace(**parts)
    return sys.modules[name]

class Spider:
    def __init__(self, **kwargs): pass

class Request:
    def __init__(self, url, callback, errback, dont_filter, headers, meta):
        if "refused" in url:
            raise ValueError(url)
        self.url, self.callback, self.errback, self.headers, self.meta = url, callback, errback, headers, meta

class TimeoutError(Exception):
    pass

scrapy = module("scrapy", Spider=Spider, Request=Request, __version__="stage")
scrapy.signals = module("scrapy.signals")
module("scrapy.exceptions", DontCloseSpider=Exception)
module("warcio")
module("warcio.statusandheaders", StatusAndHeaders=lambda *a, **k: None)

class Writer:
    def __init__(self, file, gzip): pass
    def __getattr__(self, name): return lambda *a, **k: None

module("warcio.warcwriter", WARCWriter=Writer)
reactor = types.SimpleNamespace(callLater=lambda pause, call, *a: heapq.heappush(queue, (clock[0] + pause, next(number), call, a)))
module("twisted")
module("twisted.internet", reactor=reactor)

class Engine:
    def crawl(self, request):
        took = float(sys.argv[3]) if "slow" in request.url else float(sys.argv[2])
        took = 1e9 if "hangs" in request.url else took
        limit = request.meta["download_timeout"]
        if took > limit:
            failure = types.SimpleNamespace(request=request, type=TimeoutError)
            return reactor.callLater(limit, request.errback, failure)
        # A name in the URL is none of a host; a page behind a password needs it.
        is_known = request.headers.get("Authorization") == b"Basic bmFtZTpwQHNz"
        status = 404 if "@" in request.url else 401 if "secret" in request.url and not is_known else 200
        answer = types.SimpleNamespace(meta=request.meta, headers={}, status=status, body=b"x")
        reactor.callLater(took, request.callback, answer)

sys.path.insert(0, sys.argv[1])
import os
os.chdir(sys.argv[1])
import spider
one = spider.PlanSpider(plan="schedule.jsonl", warc="crawl.warc.gz")
one.crawler = types.SimpleNamespace(engine=Engine())
one.opened()
while queue:
    clock[0], _, call, arguments = heapq.heappop(queue)
    call(*arguments)
one.closed_now()
assert one.left == 0
"#;

/// Planned and actual times, in seconds, and the lines of the log.
type Spider = (Vec<(f64, f64)>, Vec<serde_json::Value>);

/// Planned and actual seconds of every download, and what came of it, by the spider on its stage. `None`: there is no Python.
fn run_spider(schedule: &Schedule) -> Option<Spider> {
    let folder = tempfile::tempdir().unwrap();
    export(schedule, Format::Scrapy).unwrap().write(folder.path()).unwrap();
    let stage = folder.path().join("stage.py");
    std::fs::write(&stage, STAGE).unwrap();
    let run = Command::new("python3")
        .arg(&stage)
        .arg(folder.path())
        .args([FETCH.to_string(), SLOW.to_string(), NOW.to_string()])
        .output();
    let Ok(run) = run else {
        let _ = std::io::stderr().write_all(b"skipped: python3 is not installed\n");
        return None;
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let times = std::fs::read_to_string(folder.path().join("times.jsonl")).unwrap();
    let fetches: Vec<serde_json::Value> =
        times.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seconds = |fetch: &serde_json::Value, key: &str| fetch[key].as_f64().unwrap();
    let times = fetches.iter().map(|fetch| (seconds(fetch, "planned"), seconds(fetch, "actual"))).collect();
    Some((times, fetches))
}

#[test]
fn the_spider_for_scrapy_does_not_drift_and_goes_on_behind_what_is_refused() {
    let schedule = schedule();
    let Some((times, fetches)) = run_spider(&schedule) else { return };
    check(&times, &schedule);
    for fetch in fetches {
        let is_refused = fetch["url"].as_str().unwrap().contains("refused");
        assert_eq!(
            fetch["outcome"],
            if is_refused { "failed: ValueError".into() } else { serde_json::json!(200) }
        );
    }
}

#[test]
fn the_spider_for_scrapy_waits_no_longer_than_a_slot_and_sends_passwords_apart() {
    let page = |url: &str| Page { lane: "a.example".into(), ..Page::new(url, 0.001) };
    let pages = ["http://a.example/hangs", "http://name:p%40ss@a.example/secret", "http://a.example/@secret"];
    for (delay, limit) in [(1.0, 10.0), (25.0, 25.0), (300.0, 60.0)] {
        let schedule = build(&pages.map(page), &Request { delay, ..Request::default() }).unwrap();
        let Some((times, fetches)) = run_spider(&schedule) else { return };
        assert_eq!(times.len(), 6);
        for fetch in &fetches {
            let outcome = match fetch["url"].as_str().unwrap() {
                url if url.contains("hangs") => "failed: TimeoutError".into(),
                url if url.contains("name") => serde_json::json!(200),
                _ => serde_json::json!(404),
            };
            assert_eq!(fetch["outcome"], outcome, "{fetch}");
        }
        // The next one begins when the limit is over, if it is not planned later.
        let hanging =
            fetches.iter().position(|fetch| fetch["url"].as_str().unwrap().contains("hangs")).unwrap();
        let (planned, began) = times[hanging + 1];
        assert!((began - f64::max(planned, times[hanging].1 + limit)).abs() < 2e-3, "{times:?}");
    }
}

#[test]
fn the_spider_for_scrapy_keeps_the_pause_when_it_begins_late() {
    for seconds in [4, 900] {
        let schedule = schedule_of_the_past(seconds);
        let Some((times, _)) = run_spider(&schedule) else { return };
        check_late(&times, &schedule);
    }
}
