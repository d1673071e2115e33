//! Tests of driving a schedule: times, retries, resuming.

use std::path::Path;

use super::*;
use crate::schedule::build::{Request, When, build};
use crate::schedule::page::Page;

fn schedule(delay: f64) -> Schedule {
    let pages: Vec<Page> = ["http://a.example/1", "http://a.example/$(touch hacked)", "javascript:alert(1)"]
        .iter()
        .enumerate()
        .map(|(i, url)| Page { lane: "a".into(), ..Page::new(url, 0.001 * (i as f64 + 1.0)) })
        .collect();
    build(&pages, &Request { delay, ..Request::default() }).unwrap()
}

fn script(folder: &Path, text: &str) -> Vec<String> {
    let path = folder.join("fetch.sh");
    std::fs::write(&path, text).unwrap();
    vec!["sh".to_owned(), path.display().to_string()]
}

fn entries(log: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(log).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn every_download_is_made_at_its_time_and_validators_reach_the_revisit() {
    let folder = tempfile::tempdir().unwrap();
    let text = "printf '%s|%s|%s|%s\\n' \"$1\" \"$ACUITY_URL\" \"$ACUITY_KIND\" \"${ACUITY_IF_NONE_MATCH:-}\" >>\"$(dirname \"$0\")/out\"\necho 'ETag: \"v1\"'\n";
    let drive = Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 0 };
    let schedule = schedule(0.05);
    let driven = super::drive(&schedule, &drive).unwrap();
    let slots: Vec<&Slot> =
        schedule.sites[0].slots.held().iter().filter(|slot| safe_url(&slot.url).is_some()).collect();
    assert_eq!((driven.done, driven.failed), (slots.len(), 0));
    assert!(driven.left_out > 0);
    // Nothing is early; the log says how late each one was, and the sum what the latest was.
    let mut latest = 0.0f64;
    for entry in entries(&drive.log) {
        if let Entry::Fetch { planned, actual, seconds_late, .. } = entry {
            assert!(actual >= planned, "{planned} {actual}");
            assert!((seconds_late - (actual.0 - planned.0) as f64 / SECOND as f64).abs() < 2e-3);
            latest = latest.max(seconds_late);
        }
    }
    assert!((driven.latest - latest).abs() < 2e-3);
    let out = std::fs::read_to_string(folder.path().join("out")).unwrap();
    for (line, slot) in out.lines().zip(&slots) {
        let url = safe_url(&slot.url).unwrap();
        let etag = if slot.kind == Kind::Revisit { "\"v1\"" } else { "" };
        assert_eq!(line, format!("{url}|{url}|{}|{etag}", slot.kind.name()));
    }
    assert!(!folder.path().join("hacked").exists() && !Path::new("hacked").exists());
    // A second run finds everything done, and the clock of the first.
    let again = super::drive(&schedule, &drive).unwrap();
    assert_eq!((again.done, again.resumed), (0, slots.len()));
}

#[test]
fn failures_are_tried_again_and_a_killed_crawl_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // The first attempt of every download fails.
    let text = "test \"$ACUITY_ATTEMPT\" -gt 1\n";
    let mut drive =
        Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 0 };
    let schedule = schedule(0.01);
    let failed = super::drive(&schedule, &drive).unwrap();
    assert!(failed.done == 0 && failed.failed > 0);
    // A kill may cut the last line off.
    std::fs::OpenOptions::new()
        .append(true)
        .open(&drive.log)
        .unwrap()
        .write_all(b"{\"event\":\"fet")
        .unwrap();
    drive.retries = 1;
    let start = entries(&drive.log)[0].clone();
    let done = super::drive(&schedule, &drive).unwrap();
    assert_eq!((done.done, done.failed), (failed.failed, 0));
    assert_eq!(entries(&drive.log)[0], start);
    // The line after the one that was cut off counts, too.
    let again = super::drive(&schedule, &drive).unwrap();
    assert_eq!((again.done, again.resumed), (0, failed.failed));
    // What another schedule did says nothing about this one.
    let other = super::drive(&self::schedule(0.02), &drive).unwrap_err();
    assert!(other.to_string().contains("another schedule"), "{other}");
    assert!(super::drive(&schedule, &Drive { command: vec![], ..drive }).is_err());
}

#[test]
fn a_crawl_that_goes_on_keeps_the_pause_behind_its_last_download() {
    let folder = tempfile::tempdir().unwrap();
    let mut drive =
        Drive { command: script(folder.path(), "exit 1\n"), log: folder.path().join("log"), retries: 0 };
    let schedule = schedule(0.3);
    super::drive(&schedule, &drive).unwrap();
    (drive.command, drive.retries) = (script(folder.path(), "exit 0\n"), 1);
    super::drive(&schedule, &drive).unwrap();
    let fetched = entries(&drive.log).into_iter().filter_map(|entry| match entry {
        Entry::Fetch { actual, .. } => Some(actual),
        Entry::Start { .. } => None,
    });
    let times: Vec<Instant> = fetched.collect();
    for pair in times[times.len() / 2 - 1..].windows(2) {
        assert!(pair[1] >= pair[0].plus(SECOND * 3 / 10), "{} {}", pair[0], pair[1]);
    }
}

#[test]
fn many_hosts_share_a_bounded_number_of_commands() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "cd \"$(dirname \"$0\")\"\nmkdir \"run.$$\"\necho run.* | wc -w >>out\nsleep 0.1\nrmdir \"run.$$\"\n";
    let pages: Vec<Page> = (0..3 * MAX_COMMANDS)
        .map(|i| Page {
            lane: format!("{i}.example").into(),
            ..Page::new(&format!("http://{i}.example/"), 0.0)
        })
        .collect();
    let schedule = build(&pages, &Request { delay: 0.0, ..Request::default() }).unwrap();
    assert_eq!(schedule.sites.len(), pages.len());
    let drive = Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 0 };
    let driven = super::drive(&schedule, &drive).unwrap();
    assert_eq!((driven.done, driven.failed), (2 * pages.len(), 0));
    let out = std::fs::read_to_string(folder.path().join("out")).unwrap();
    let most = out.lines().map(|line| line.trim().parse::<usize>().unwrap()).max().unwrap();
    assert!((2..=MAX_COMMANDS).contains(&most), "{most}");
}

/// Seconds late by slot, of the last attempt.
fn lateness(log: &Path) -> Vec<(u64, u32, f64)> {
    let fetch = |entry| match entry {
        Entry::Fetch { slot, attempt, seconds_late, .. } => Some((slot, attempt, seconds_late)),
        Entry::Start { .. } => None,
    };
    entries(log).into_iter().filter_map(fetch).collect()
}

fn ten_pages(delay: f64) -> Schedule {
    let pages: Vec<Page> = (0..10)
        .map(|i| Page { lane: "a".into(), ..Page::new(&format!("http://a.example/{i}"), 0.001) })
        .collect();
    build(&pages, &Request { delay, ..Request::default() }).unwrap()
}

#[test]
fn a_slow_page_makes_few_late_and_not_all_that_follow() {
    let folder = tempfile::tempdir().unwrap();
    // The second download takes three pauses.
    let text = "test \"$ACUITY_SLOT\" -ne 1 || sleep 0.9\n";
    let drive = Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 0 };
    super::drive(&ten_pages(0.3), &drive).unwrap();
    let late = lateness(&drive.log);
    assert!(late[2].2 > 0.5, "{late:?}");
    // Half a pause a download is made good; a busy machine may add to it.
    assert!(late.last().unwrap().2 < 0.25, "{late:?}");
}

#[test]
fn what_fails_is_tried_again_without_making_the_others_late() {
    let folder = tempfile::tempdir().unwrap();
    // Two pages fail twice.
    let text = "case $ACUITY_SLOT in 2|3) test \"$ACUITY_ATTEMPT\" -gt 2;; *) true;; esac\n";
    let drive = Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 2 };
    let driven = super::drive(&ten_pages(0.2), &drive).unwrap();
    assert_eq!((driven.done, driven.failed), (20, 0));
    let late = lateness(&drive.log);
    let first: Vec<f64> = late.iter().filter(|(_, attempt, _)| *attempt == 1).map(|one| one.2).collect();
    // In line, four attempts would have made all that follow 0.8 s late.
    assert!(first.iter().all(|late| *late < 0.5) && first.last().unwrap() < &0.2, "{late:?}");
}

#[test]
fn a_crawl_that_begins_late_keeps_the_pause() {
    let folder = tempfile::tempdir().unwrap();
    let drive = Drive { command: vec!["true".into()], log: folder.path().join("log"), retries: 0 };
    let start = now().plus(-5 * SECOND);
    let pages: Vec<Page> = (0..4)
        .map(|i| Page { lane: "a".into(), ..Page::new(&format!("http://a.example/{i}"), 0.001) })
        .collect();
    let request = Request { delay: 0.2, when: When::Start(start), ..Request::default() };
    super::drive(&build(&pages, &request).unwrap(), &drive).unwrap();
    let fetch = |entry| match entry {
        Entry::Fetch { actual, .. } => Some(actual),
        Entry::Start { .. } => None,
    };
    let began: Vec<Instant> = entries(&drive.log).into_iter().filter_map(fetch).collect();
    assert_eq!(began.len(), 8);
    assert!(began.windows(2).all(|pair| pair[1].0 - pair[0].0 >= SECOND / 5), "{began:?}");
}

#[test]
fn a_download_that_no_command_can_be_given_has_failed_and_the_next_one_follows() {
    let folder = tempfile::tempdir().unwrap();
    // Longer than an argument may be.
    let command = vec!["true".to_owned(), "x".repeat(200 << 10)];
    let drive = Drive { command, log: folder.path().join("log"), retries: 0 };
    let driven = super::drive(&schedule(0.0), &drive).unwrap();
    let slots = schedule(0.0).sites[0].slots.iter().filter(|slot| safe_url(&slot.url).is_some()).count();
    assert_eq!((driven.done, driven.failed), (0, slots));
}

#[test]
fn a_command_that_cannot_be_run_ends_the_crawl_and_only_plain_headers_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let drive = Drive { command: vec!["/nonexistent".into()], log: folder.path().join("log"), retries: 0 };
    let error = super::drive(&schedule(0.0), &drive).unwrap_err().to_string();
    assert!(error.contains("/nonexistent") && error.contains("cannot be run"), "{error}");
    // One that is killed has a reason instead of an exit code.
    let killed = Drive { command: script(folder.path(), "kill -9 $$\n"), ..drive };
    assert!(super::drive(&schedule(0.0), &killed).unwrap().failed > 0);
    let has_reason = |entry: &Entry| matches!(entry, Entry::Fetch { exit: None, reason: Some(reason), .. } if reason.contains("signal 9"));
    assert!(entries(&killed.log).iter().any(has_reason));
    assert_eq!(
        validators("ETag: \"x\"\nlast-modified:  Mon \nX: y"),
        (Some("\"x\"".into()), Some("Mon".into()))
    );
    assert_eq!(validators("ETag:\nLast-Modified: a\u{7}b"), (None, None));
}

#[test]
fn a_visit_is_never_tried_behind_its_revisit_and_attempts_are_counted_on() {
    let folder = tempfile::tempdir().unwrap();
    // One visit fails, slowly and again and again, until its revisit comes.
    let text = "case $ACUITY_SLOT in 5) sleep 0.3; exit 1;; *) exit 0;; esac\n";
    let mut drive =
        Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 50 };
    let schedule = ten_pages(0.05);
    let page = schedule.sites[0].slots.held()[5].url.clone();
    let tried = |log: &Path| {
        let of = |entry| match entry {
            Entry::Fetch { url, kind, attempt, .. } if *url == *page => Some((kind, attempt)),
            _ => None,
        };
        entries(log).into_iter().filter_map(of).collect::<Vec<(Kind, u32)>>()
    };
    let driven = super::drive(&schedule, &drive).unwrap();
    let once = tried(&drive.log);
    assert!(once.len() > 1 && once.last() == Some(&(Kind::Revisit, 1)), "{once:?}");
    assert_eq!((driven.done, driven.failed), (19, 1), "{once:?}");
    // Nor is it when the crawl goes on; and what the log says of delays is said again.
    let again = super::drive(&schedule, &drive).unwrap();
    assert_eq!((again.done, again.failed, again.resumed), (0, 1, 19));
    assert_eq!(tried(&drive.log), once);
    assert!((again.latest - driven.latest).abs() < 2e-3);
    // A download that failed goes on with its next attempt, and ends with its last one.
    drive.log = folder.path().join("other");
    drive.command = script(folder.path(), "exit 1\n");
    let schedule = self::schedule(0.01);
    let attempts = |retries: u32| {
        let driven = super::drive(&schedule, &Drive { retries, ..drive.clone() }).unwrap();
        (driven.failed, lateness(&drive.log).into_iter().map(|one| one.1).max())
    };
    let (failed, _) = attempts(1);
    assert_eq!([attempts(1), attempts(3), attempts(3)], [2, 4, 4].map(|most| (failed, Some(most))));
}

#[test]
fn the_greatest_delay_is_that_of_the_log_failed_attempts_included() {
    let folder = tempfile::tempdir().unwrap();
    // The last attempts at one download come late, and fail.
    let text = "case $ACUITY_SLOT in 3) sleep 0.2; exit 1;; *) exit 0;; esac\n";
    let drive = Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 3 };
    let driven = super::drive(&ten_pages(0.02), &drive).unwrap();
    let latest = |late: &[(u64, u32, f64)]| late.iter().map(|one| one.2).fold(0.0, f64::max);
    let late = lateness(&drive.log);
    assert!((driven.latest - latest(&late)).abs() < 2e-3, "{driven:?} {late:?}");
}
