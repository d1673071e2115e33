//! Driving any fetch command by a schedule: Acuity keeps the clock.
//!
//! For every download, at its absolute time, the command is run with the URL as its last argument, never through a shell. Its
//! environment says the rest: `ACUITY_URL`, `ACUITY_KIND` (visit or revisit), `ACUITY_LANE`, `ACUITY_SLOT`, `ACUITY_PLANNED`,
//! `ACUITY_ATTEMPT`. A command may print header lines (`ETag: …`, `Last-Modified: …`); the revisit of the page gets them as
//! `ACUITY_IF_NONE_MATCH` and `ACUITY_IF_MODIFIED_SINCE`. Exit code 0 is success; else it is run again, Δ later or when the host is
//! next in time: a page that fails does not make the others late, and a visit is not tried behind its revisit. A command that cannot be run at all ends the crawl; one that cannot be
//! run for this download has failed.
//!
//! **Lateness does not last.** The downloads of a host begin Δ apart. Where a slow one made the next late, they begin half of Δ apart until the
//! host is in time again; a host that is late by more than ten Δ and a minute keeps Δ. So does a crawl that begins behind its start, or was
//! stopped and goes on, until the host is in time. The scripts for wget and Browsertrix and the spider for Scrapy do the same.
//!
//! Lanes run side by side, the downloads of a lane one after another, at most [`MAX_COMMANDS`] commands at a time. The log
//! has a line for every attempt, planned against actual time. After a kill the same log resumes: what succeeded is not
//! fetched again, attempts are counted on, and the clock of the first run goes on. The log names its schedule; that of
//! another one is refused.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::iter::Peekable;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::drive_log::{Before, Entry, Headers, identity, open_log};
use super::export::safe_url;
use super::model::{Kind, Schedule, SiteSchedule, Slot};
use super::slots::Iter;
use crate::error::{Error, Result};
use crate::time::{Instant, SECOND};

/// Maximum bytes of a command's output that are read for headers.
const MAX_OUTPUT: u64 = 64 << 10;

/// How many commands run at the same time. A collection may have thousands of hosts, a machine cannot run as many crawlers.
const MAX_COMMANDS: usize = 64;

/// A crawl catches up delays of up to this many pauses, and at least this many microseconds.
const MAX_CATCH_UP_PAUSES: i64 = 10;
const MIN_CATCH_UP_MICROS: i64 = 60 * SECOND;

/// A smaller delay counts as punctual: a machine needs about this long to start a command.
const PUNCTUAL_MICROS: i64 = SECOND / 2;

/// How a schedule is driven.
#[derive(Debug, Clone)]
pub(crate) struct Drive {
    /// Program and arguments; the URL comes last.
    pub command: Vec<String>,
    pub log: PathBuf,
    /// Further attempts after a failure.
    pub retries: u32,
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
    /// The greatest delay in the log, in seconds: of any attempt, in this run or an earlier one.
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

fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant(since.as_micros() as i64)
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
    let mut total = Driven { latest: before.latest, ..Driven::default() };
    let mut waiting = BinaryHeap::new();
    for site in &schedule.sites {
        let mut lane = Lane::new(site, &before);
        match lane.next(&run) {
            Some(due) => waiting.push(Waiting(Reverse(due), lane)),
            None => total.add(&lane.driven),
        }
    }
    // A worker takes the lane that is due first and gives it back for its next download. One that finds no lane can end: each lane
    // still under way has a worker of its own.
    let workers = waiting.len().min(MAX_COMMANDS);
    let waiting = Mutex::new(waiting);
    let ends: Vec<Result<Driven>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| work(&run, &waiting))).collect();
        let crashed = || Err(Error::data("a download ended unexpectedly"));
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| crashed())).collect()
    });
    for end in ends {
        total.add(&end?);
    }
    // Downloads that could not be read from disk would be missing unseen.
    schedule.sites.iter().try_for_each(|site| site.slots.check())?;
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
    /// Whether no attempt is left for a download, or it is a visit whose revisit was made.
    fn is_given_up(&self, slot: &Slot) -> bool {
        let is_late = || {
            slot.kind == Kind::Visit
                && safe_url(&slot.url).is_some_and(|url| self.before.was_revisited(slot, &url))
        };
        self.before.attempts(slot) > self.drive.retries || is_late()
    }

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

/// A download that failed and is to be tried again.
struct Retry<'a> {
    slot: Cow<'a, Slot>,
    attempt: u32,
    /// Not before.
    from: Instant,
}

/// The downloads of one host, one after another.
struct Lane<'a> {
    slots: Peekable<Iter<'a>>,
    delay: i64,
    /// When the last download began.
    last: Option<Instant>,
    /// Whether it was late from its first download on.
    is_behind: bool,
    retries: VecDeque<Retry<'a>>,
    /// What is due next, with the number of the attempt.
    due: Option<(Cow<'a, Slot>, u32)>,
    headers: HashMap<String, Headers>,
    driven: Driven,
}

impl<'a> Lane<'a> {
    fn new(site: &'a SiteSchedule, before: &Before) -> Self {
        // A crawl that goes on keeps the pause behind what it did before it was stopped.
        let known = site.slots.first().and_then(|slot| before.last.get(&*slot.lane));
        let last = known.map(|last| (*last).min(now()));
        Lane {
            slots: site.slots.iter().peekable(),
            delay: (site.delay_seconds * SECOND as f64).round() as i64,
            last,
            is_behind: last.is_some(),
            retries: VecDeque::new(),
            due: None,
            headers: HashMap::new(),
            driven: Driven::default(),
        }
    }

    /// When a download that is planned for then can begin.
    fn begin(&self, planned: Instant) -> Instant {
        let Some(last) = self.last else { return planned };
        let late = last.plus(self.delay).0.saturating_sub(planned.0);
        let is_made_good = !self.is_behind
            && late <= MIN_CATCH_UP_MICROS.max(MAX_CATCH_UP_PAUSES.saturating_mul(self.delay));
        planned.max(last.plus(if is_made_good { self.delay / 2 } else { self.delay }))
    }

    /// When the next download is due; what cannot or need not be fetched is left out.
    fn next(&mut self, run: &Run) -> Option<Instant> {
        while let Some(slot) = self.slots.peek() {
            if safe_url(&slot.url).is_none() {
                self.driven.left_out += 1;
            } else if run.before.done.contains(&(slot.lane.to_string(), slot.slot)) {
                self.driven.resumed += 1;
            } else if run.is_given_up(slot) {
                self.driven.failed += 1;
            } else {
                break;
            }
            self.slots.next();
        }
        let upcoming = self.slots.peek().map(|slot| planned(run, slot));
        let upcoming = upcoming.map(|planned| (planned, self.begin(planned)));
        let again = self.retries.front().map(|retry| retry.from.max(self.begin(retry.from)));
        match (upcoming, again) {
            // What failed is tried again when the host is in time, or has nothing else to do.
            (Some((planned, begin)), Some(again))
                if begin > planned || again > planned.plus(self.delay / 4) =>
            {
                self.take(run, begin)
            }
            (_, Some(again)) => {
                let retry = self.retries.pop_front()?;
                self.due = Some((retry.slot, retry.attempt));
                Some(again)
            }
            (Some((_, begin)), None) => self.take(run, begin),
            (None, None) => None,
        }
    }

    fn take(&mut self, run: &Run, begin: Instant) -> Option<Instant> {
        let slot = self.slots.next()?;
        if slot.kind == Kind::Revisit {
            // A visit after its revisit proves nothing: count it as failed.
            let waiting = self.retries.len();
            self.retries.retain(|retry| retry.slot.url != slot.url);
            self.driven.failed += waiting - self.retries.len();
        }
        let attempt = run.before.attempts(&slot) + 1;
        self.due = Some((slot, attempt));
        Some(begin)
    }

    /// One attempt at what is due.
    fn fetch(&mut self, run: &Run) -> Result<()> {
        let Some((slot, attempt)) = self.due.take() else { return Ok(()) };
        let Some(url) = safe_url(&slot.url) else { return Ok(()) };
        let planned = planned(run, &slot);
        let known = self
            .headers
            .get(&url)
            .or_else(|| run.before.headers.get(&(slot.lane.to_string(), url.clone())))
            .filter(|_| slot.kind == Kind::Revisit);
        let actual = now();
        let is_late = actual.0.saturating_sub(planned.0) > PUNCTUAL_MICROS;
        self.is_behind = is_late && (self.is_behind || self.last.is_none());
        self.last = Some(actual);
        let ended = fetch(run.drive, &slot, &url, planned, attempt, &known.cloned().unwrap_or_default())?;
        let seconds_late = actual.0.saturating_sub(planned.0) as f64 / SECOND as f64;
        self.driven.latest = self.driven.latest.max(seconds_late);
        run.log(&Entry::Fetch {
            url: url.clone(),
            kind: slot.kind,
            lane: slot.lane.to_string(),
            slot: slot.slot,
            attempt,
            planned,
            actual,
            seconds_late,
            exit: ended.exit,
            reason: ended.reason,
            etag: ended.headers.0.clone(),
            last_modified: ended.headers.1.clone(),
        })?;
        if ended.exit == Some(0) {
            self.driven.done += 1;
            self.headers.insert(url, ended.headers);
        } else if attempt <= run.drive.retries {
            self.retries.push_back(Retry { slot, attempt: attempt + 1, from: actual.plus(self.delay) });
        } else {
            self.driven.failed += 1;
        }
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

/// How a command ended.
#[derive(Default)]
struct Ended {
    exit: Option<i32>,
    reason: Option<String>,
    /// The validators that it printed.
    headers: Headers,
}

/// Runs the command once. Fails where it cannot be run at all.
fn fetch(
    drive: &Drive,
    slot: &Slot,
    url: &str,
    planned: Instant,
    attempt: u32,
    known: &Headers,
) -> Result<Ended> {
    let Some((program, arguments)) = drive.command.split_first() else { return Ok(Ended::default()) };
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
    let mut child = match command.spawn() {
        Ok(child) => child,
        // Not now, or not with this URL: another download may succeed.
        Err(error) if is_passing(error.kind()) => {
            return Ok(Ended { reason: Some(error.to_string()), ..Ended::default() });
        }
        Err(error) => {
            return Err(Error::usage(format!("the command {program:?} of --drive cannot be run: {error}"))
                .with_remedy("name a program that is there; the log goes on when it is"));
        }
    };
    let mut text = Vec::new();
    if let Some(mut output) = child.stdout.take() {
        let _ = output.by_ref().take(MAX_OUTPUT).read_to_end(&mut text);
        // The rest is read and dropped, so that the command does not wait for a reader.
        let _ = std::io::copy(&mut output, &mut std::io::sink());
    }
    let headers = validators(&String::from_utf8_lossy(&text));
    Ok(match child.wait() {
        Ok(status) => Ended { exit: status.code(), reason: killed(status), headers },
        Err(error) => Ended { exit: None, reason: Some(error.to_string()), headers },
    })
}

/// Whether a command that could not be started may be started with other arguments or at another time.
fn is_passing(kind: ErrorKind) -> bool {
    use ErrorKind::{ArgumentListTooLong, Interrupted, InvalidInput, OutOfMemory, WouldBlock};
    matches!(kind, ArgumentListTooLong | Interrupted | InvalidInput | OutOfMemory | WouldBlock)
}

/// By what a command was killed.
fn killed(status: ExitStatus) -> Option<String> {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    match (status.code(), signal) {
        (Some(_), _) => None,
        (None, Some(signal)) => Some(format!("killed by signal {signal}")),
        (None, None) => Some("ended without an exit code".to_owned()),
    }
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

#[cfg(test)]
#[path = "drive_tests.rs"]
mod tests;
