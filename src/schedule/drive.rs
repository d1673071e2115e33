//! Driving any fetch command by a schedule: Acuity keeps the clock.
//!
//! For every download, at its absolute time, the command is run with the URL as its last argument, never through a shell. Its
//! environment says the rest: `ACUITY_URL`, `ACUITY_KIND` (visit or revisit), `ACUITY_LANE`, `ACUITY_SLOT`, `ACUITY_PLANNED`,
//! `ACUITY_ATTEMPT`. A command may print header lines (`ETag: …`, `Last-Modified: …`); the revisit of the page gets them as
//! `ACUITY_IF_NONE_MATCH` and `ACUITY_IF_MODIFIED_SINCE`. Exit code 0 is success; else it is run again, Δ later.
//!
//! Lanes run side by side, the downloads of a lane one after another, at most [`AT_ONCE`] commands at a time. The log has a line
//! for every attempt, planned against actual time. After a kill the same log resumes: what succeeded is not fetched again, and the
//! clock of the first run goes on. The log names its schedule; that of another one is refused.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::export::safe_url;
use super::model::{Kind, Schedule, SiteSchedule, Slot};
use crate::digest::{Algorithm, Hasher};
use crate::error::{Error, Result};
use crate::time::{Instant, SECOND};

/// Maximum bytes of a command's output that are read for headers.
const MAX_OUTPUT: u64 = 64 << 10;

/// How many commands run at the same time. A collection may have thousands of hosts, a machine cannot run as many crawlers.
const AT_ONCE: usize = 64;

/// How a schedule is driven.
#[derive(Debug, Clone)]
pub(crate) struct Drive {
    /// Program and arguments; the URL comes last.
    pub command: Vec<String>,
    pub log: PathBuf,
    /// Further attempts after a failure.
    pub retries: u32,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Entry {
    /// The clock: when second 0 of the schedule is, and the SHA-256 of its downloads.
    Start { at: Instant, schedule: String },
    Fetch {
        url: String,
        kind: Kind,
        lane: String,
        slot: u64,
        attempt: u32,
        planned: Instant,
        actual: Instant,
        seconds_late: f64,
        /// Exit code; null if the command was killed or could not be run.
        exit: Option<i32>,
        #[serde(default)]
        etag: Option<String>,
        #[serde(default)]
        last_modified: Option<String>,
    },
}

/// What came of a crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Driven {
    pub done: usize,
    pub failed: usize,
    /// Downloads that an earlier run had made.
    pub resumed: usize,
    /// Downloads whose URL no command can be given.
    pub left_out: usize,
    /// Greatest delay of a download, in seconds.
    pub latest: f64,
}

impl Driven {
    fn add(&mut self, other: &Driven) {
        self.done += other.done;
        self.failed += other.failed;
        self.resumed += other.resumed;
        self.left_out += other.left_out;
        self.latest = self.latest.max(other.latest);
    }
}

type Headers = (Option<String>, Option<String>);

/// What an earlier run left.
#[derive(Default)]
struct Before {
    start: Option<Instant>,
    done: HashSet<(String, u64)>,
    headers: HashMap<(String, String), Headers>,
}

fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(since.as_micros() as i64)
}

/// SHA-256 of what is to be downloaded: lanes, slots, times, kinds and URLs.
fn identity(schedule: &Schedule) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    for slot in schedule.sites.iter().flat_map(|site| &site.slots) {
        let Slot { lane, slot, seconds, kind, url, .. } = slot;
        hasher.update(format!("{lane}\n{slot} {seconds} {} {url}\n", kind.name()).as_bytes());
    }
    hasher.finish().to_string()
}

/// Runs all downloads that are not done yet.
pub(crate) fn drive(schedule: &Schedule, drive: &Drive) -> Result<Driven> {
    if drive.command.is_empty() {
        return Err(Error::usage("--drive needs a command")
            .with_remedy("write --drive \"curl --fail --output page\""));
    }
    let identity = identity(schedule);
    let (log, before) = open_log(&drive.log, &identity)?;
    let planned = schedule
        .sites
        .iter()
        .filter_map(|site| site.slots.first())
        .filter_map(|slot| slot.at.map(|at| at.plus(-(slot.seconds * SECOND as f64).round() as i64)));
    let start = before.start.or(planned.min()).unwrap_or_else(now);
    let run = Run { drive, start, before: &before, log: Mutex::new(log) };
    if before.start.is_none() {
        run.log(&Entry::Start { at: start, schedule: identity })?;
    }
    let mut total = Driven::default();
    let mut waiting = BinaryHeap::new();
    for site in &schedule.sites {
        let mut lane = Lane::new(site, start);
        match lane.next(&run) {
            Some(due) => waiting.push(Waiting(Reverse(due), lane)),
            None => total.add(&lane.driven),
        }
    }
    // A worker takes the lane that is due first and gives it back for its next download. One that finds no lane can end: each lane
    // still under way has a worker of its own.
    let workers = waiting.len().min(AT_ONCE);
    let waiting = Mutex::new(waiting);
    let ends: Vec<Result<Driven>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| work(&run, &waiting))).collect();
        let crashed = || Err(Error::data("a download ended unexpectedly"));
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| crashed())).collect()
    });
    for end in ends {
        total.add(&end?);
    }
    Ok(total)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn work(run: &Run, waiting: &Mutex<BinaryHeap<Waiting>>) -> Result<Driven> {
    let mut driven = Driven::default();
    loop {
        let Some(Waiting(Reverse(due), mut lane)) = lock(waiting).pop() else { return Ok(driven) };
        sleep_until(due);
        if let Err(error) = lane.fetch(run) {
            // Without its log a crawl cannot be resumed: the others end, too.
            lock(waiting).clear();
            return Err(error);
        }
        match lane.next(run) {
            Some(due) => lock(waiting).push(Waiting(Reverse(due), lane)),
            None => driven.add(&lane.driven),
        }
    }
}

/// What all lanes share.
struct Run<'a> {
    drive: &'a Drive,
    start: Instant,
    before: &'a Before,
    log: Mutex<File>,
}

impl Run<'_> {
    fn log(&self, entry: &Entry) -> Result<()> {
        let mut line = serde_json::to_vec(entry).map_err(|error| Error::data(error.to_string()))?;
        line.push(b'\n');
        let mut log = lock(&self.log);
        log.write_all(&line)
            .and_then(|()| log.flush())
            .map_err(|error| Error::from(error).at_file(&self.drive.log))
    }
}

/// A lane that waits for its next download; the one that is due first is the greatest.
struct Waiting<'a>(Reverse<Instant>, Lane<'a>);

impl PartialEq for Waiting<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Waiting<'_> {}

impl PartialOrd for Waiting<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

/// The downloads of one host, one after another.
struct Lane<'a> {
    slots: &'a [Slot],
    delay: i64,
    /// When the host may be asked again.
    free: Instant,
    /// The number of the next attempt at the first of the slots.
    attempt: u32,
    headers: HashMap<String, Headers>,
    driven: Driven,
}

impl<'a> Lane<'a> {
    fn new(site: &'a SiteSchedule, start: Instant) -> Self {
        Lane {
            slots: &site.slots,
            delay: (site.delay_seconds * SECOND as f64).round() as i64,
            free: start,
            attempt: 1,
            headers: HashMap::new(),
            driven: Driven::default(),
        }
    }

    /// When the next download is due; what cannot or need not be fetched is left out.
    fn next(&mut self, run: &Run) -> Option<Instant> {
        while let Some((slot, rest)) = self.slots.split_first() {
            if safe_url(&slot.url).is_none() {
                self.driven.left_out += 1;
            } else if run.before.done.contains(&(slot.lane.to_string(), slot.slot)) {
                self.driven.resumed += 1;
            } else {
                // Late downloads stay Δ apart: a resumed crawl is as polite as a new one.
                return Some(planned(run, slot).max(self.free));
            }
            self.slots = rest;
        }
        None
    }

    /// One attempt at the first of the slots.
    fn fetch(&mut self, run: &Run) -> Result<()> {
        let Some((slot, rest)) = self.slots.split_first() else { return Ok(()) };
        let Some(url) = safe_url(&slot.url) else { return Ok(()) };
        let planned = planned(run, slot);
        let known = self
            .headers
            .get(&url)
            .or_else(|| run.before.headers.get(&(slot.lane.to_string(), url.clone())))
            .filter(|_| slot.kind == Kind::Revisit);
        let actual = now();
        self.free = actual.plus(self.delay);
        let (exit, found) =
            fetch(run.drive, slot, &url, planned, self.attempt, &known.cloned().unwrap_or_default());
        let seconds_late = actual.0.saturating_sub(planned.0) as f64 / SECOND as f64;
        run.log(&Entry::Fetch {
            url: url.clone(),
            kind: slot.kind,
            lane: slot.lane.to_string(),
            slot: slot.slot,
            attempt: self.attempt,
            planned,
            actual,
            seconds_late,
            exit,
            etag: found.0.clone(),
            last_modified: found.1.clone(),
        })?;
        if exit == Some(0) {
            self.driven.done += 1;
            self.driven.latest = self.driven.latest.max(seconds_late);
            self.headers.insert(url, found);
        } else if self.attempt <= run.drive.retries {
            self.attempt += 1;
            return Ok(());
        } else {
            self.driven.failed += 1;
        }
        (self.slots, self.attempt) = (rest, 1);
        Ok(())
    }
}

fn planned(run: &Run, slot: &Slot) -> Instant {
    run.start.plus((slot.seconds * SECOND as f64).round() as i64)
}

fn sleep_until(at: Instant) {
    let wait = at.0.saturating_sub(now().0);
    if wait > 0 {
        std::thread::sleep(Duration::from_micros(wait as u64));
    }
}

/// Runs the command once: its exit code, and the validators that it printed.
fn fetch(
    drive: &Drive,
    slot: &Slot,
    url: &str,
    planned: Instant,
    attempt: u32,
    known: &Headers,
) -> (Option<i32>, Headers) {
    let Some((program, arguments)) = drive.command.split_first() else { return (None, Headers::default()) };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::piped());
    command.env("ACUITY_URL", url).env("ACUITY_KIND", slot.kind.name()).env("ACUITY_LANE", &*slot.lane);
    command.env("ACUITY_SLOT", slot.slot.to_string()).env("ACUITY_PLANNED", planned.to_string());
    command.env("ACUITY_ATTEMPT", attempt.to_string());
    for (name, value) in [("ACUITY_IF_NONE_MATCH", &known.0), ("ACUITY_IF_MODIFIED_SINCE", &known.1)] {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let Ok(mut child) = command.spawn() else { return (None, Headers::default()) };
    let mut text = Vec::new();
    if let Some(mut output) = child.stdout.take() {
        let _ = output.by_ref().take(MAX_OUTPUT).read_to_end(&mut text);
        // The rest is read and dropped, so that the command does not wait for a reader.
        let _ = std::io::copy(&mut output, &mut std::io::sink());
    }
    let exit = child.wait().ok().and_then(|status| status.code());
    (exit, validators(&String::from_utf8_lossy(&text)))
}

/// `ETag` and `Last-Modified` among printed lines.
fn validators(text: &str) -> Headers {
    let value = |name: &str| {
        text.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            let value = value.trim();
            let plain = !value.is_empty() && value.len() <= 1024 && !value.contains(|c: char| c.is_control());
            (own.trim().eq_ignore_ascii_case(name) && plain).then(|| value.to_owned())
        })
    };
    (value("etag"), value("last-modified"))
}

/// Opens the log to append to it, and reads what an earlier run did. A last line that a kill cut off is ignored.
fn open_log(path: &Path, identity: &str) -> Result<(File, Before)> {
    let failed = |error: std::io::Error| Error::from(error).at_file(path);
    let mut before = Before::default();
    let mut log = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(failed)?;
    for line in BufReader::new(&log).split(b'\n') {
        match serde_json::from_slice(&line.map_err(failed)?) {
            Ok(Entry::Start { schedule, .. }) if schedule != identity => {
                return Err(Error::usage("this is the log of another schedule")
                    .with_remedy("name another file with --drive-log, or remove this one")
                    .at_file(path));
            }
            Ok(Entry::Start { at, .. }) => before.start = before.start.or(Some(at)),
            Ok(Entry::Fetch { url, lane, slot, exit: Some(0), etag, last_modified, .. }) => {
                before.headers.insert((lane.clone(), url), (etag, last_modified));
                before.done.insert((lane, slot));
            }
            _ => {}
        }
    }
    // The next line must not continue one that was cut off.
    let mut last = [b'\n'];
    match log.seek(SeekFrom::End(-1)).and_then(|_| log.read_exact(&mut last)) {
        Err(error) if error.kind() != ErrorKind::InvalidInput => return Err(failed(error)),
        _ if last != [b'\n'] => log.write_all(b"\n").map_err(failed)?,
        _ => {}
    }
    Ok((log, before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::build::{Request, build};
    use crate::schedule::page::Page;

    fn schedule(delay: f64) -> Schedule {
        let pages: Vec<Page> =
            ["http://a.example/1", "http://a.example/$(touch hacked)", "javascript:alert(1)"]
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
        let drive =
            Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 0 };
        let schedule = schedule(0.05);
        let driven = super::drive(&schedule, &drive).unwrap();
        let slots: Vec<&Slot> =
            schedule.sites[0].slots.iter().filter(|slot| safe_url(&slot.url).is_some()).collect();
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
    fn many_hosts_share_a_bounded_number_of_commands() {
        let folder = tempfile::tempdir().unwrap();
        let text = "cd \"$(dirname \"$0\")\"\nmkdir \"run.$$\"\necho run.* | wc -w >>out\nsleep 0.1\nrmdir \"run.$$\"\n";
        let pages: Vec<Page> = (0..3 * AT_ONCE)
            .map(|i| Page {
                lane: format!("{i}.example").into(),
                ..Page::new(&format!("http://{i}.example/"), 0.0)
            })
            .collect();
        let schedule = build(&pages, &Request { delay: 0.0, ..Request::default() }).unwrap();
        assert_eq!(schedule.sites.len(), pages.len());
        let drive =
            Drive { command: script(folder.path(), text), log: folder.path().join("log"), retries: 0 };
        let driven = super::drive(&schedule, &drive).unwrap();
        assert_eq!((driven.done, driven.failed), (pages.len(), 0));
        let out = std::fs::read_to_string(folder.path().join("out")).unwrap();
        let most = out.lines().map(|line| line.trim().parse::<usize>().unwrap()).max().unwrap();
        assert!((2..=AT_ONCE).contains(&most), "{most}");
    }

    #[test]
    fn a_command_that_is_not_there_fails_and_only_plain_headers_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let drive =
            Drive { command: vec!["/nonexistent".into()], log: folder.path().join("log"), retries: 0 };
        assert!(super::drive(&schedule(0.0), &drive).unwrap().failed > 0);
        assert_eq!(
            validators("ETag: \"x\"\nlast-modified:  Mon \nX: y"),
            (Some("\"x\"".into()), Some("Mon".into()))
        );
        assert_eq!(validators("ETag:\nLast-Modified: a\u{7}b"), (None, None));
    }
}
