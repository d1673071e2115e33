//! The log of a driven crawl: one line for every attempt, planned against actual time. A crawl that was stopped goes on from it.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::model::{Kind, Schedule, Slot};
use crate::digest::{Algorithm, Hasher};
use crate::error::{Error, Result};
use crate::time::Instant;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(super) enum Entry {
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
        /// Exit code; null if the command was killed.
        exit: Option<i32>,
        /// What ended the command, where no exit code says it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default)]
        etag: Option<String>,
        #[serde(default)]
        last_modified: Option<String>,
    },
}

pub(super) type Headers = (Option<String>, Option<String>);

/// What an earlier run left.
#[derive(Default)]
pub(super) struct Before {
    pub start: Option<Instant>,
    pub done: HashSet<(String, u64)>,
    pub headers: HashMap<(String, String), Headers>,
    /// When the last download of each lane began.
    pub last: HashMap<String, Instant>,
    /// The greatest delay of an attempt, in seconds.
    pub latest: f64,
    /// The last attempt at each download that failed so far.
    tried: HashMap<(String, u64), u32>,
    /// The last revisit of each page that succeeded, by lane and URL.
    revisited: HashMap<(String, String), u64>,
}

impl Before {
    /// How many attempts were made at a download.
    pub(super) fn attempts(&self, slot: &Slot) -> u32 {
        if self.tried.is_empty() {
            return 0;
        }
        self.tried.get(&(slot.lane.to_string(), slot.slot)).copied().unwrap_or(0)
    }

    /// Whether a revisit of a page was made that comes behind this visit.
    pub(super) fn was_revisited(&self, slot: &Slot, url: &str) -> bool {
        !self.revisited.is_empty()
            && self
                .revisited
                .get(&(slot.lane.to_string(), url.to_owned()))
                .is_some_and(|last| *last > slot.slot)
    }
}

/// SHA-256 of what is to be downloaded: lanes, slots, times, kinds and URLs.
pub(super) fn identity(schedule: &Schedule) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    for slot in schedule.sites.iter().flat_map(|site| &site.slots) {
        let Slot { lane, slot, seconds, kind, url, .. } = &*slot;
        hasher.update(format!("{lane}\n{slot} {seconds} {} {url}\n", kind.name()).as_bytes());
    }
    hasher.finish().to_string()
}

/// Opens the log to append to it, and reads what an earlier run did. A last line that a kill cut off is ignored.
pub(super) fn open_log(path: &Path, identity: &str) -> Result<(File, Before)> {
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
            Ok(Entry::Fetch {
                url,
                lane,
                slot,
                kind,
                attempt,
                exit,
                actual,
                seconds_late,
                etag,
                last_modified,
                ..
            }) => {
                let last = before.last.entry(lane.clone()).or_insert(actual);
                *last = actual.max(*last);
                before.latest = before.latest.max(seconds_late);
                if kind == Kind::Revisit && exit == Some(0) {
                    let last = before.revisited.entry((lane.clone(), url.clone())).or_insert(slot);
                    *last = slot.max(*last);
                }
                if exit != Some(0) {
                    let tried = before.tried.entry((lane.clone(), slot)).or_insert(0);
                    *tried = attempt.max(*tried);
                }
                if exit == Some(0) {
                    before.headers.insert((lane.clone(), url), (etag, last_modified));
                    before.done.insert((lane, slot));
                }
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
