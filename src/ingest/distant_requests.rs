//! Requests far from their captures: in another file, or thousands of records away.
//!
//! Requests and captures without a counterpart nearby are kept, up to a limit, until all files are read: requests by the
//! records that they name and by their own ids, captures by the records that they name. Requests that name nothing, and are
//! not GET, speak against every capture of their URL and second that has no request of its own.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::assemble::{Capture, Companion};
use super::codec::decode;
use super::pair::give_request;
use super::spool::Spool;
use crate::capture::{Contradiction, Kind, Observation, Witness};
use crate::ingest::message::{RecordKey, RecordKeys, Request};
use crate::problem::{Level, Problem};
use crate::time::{Instant, SECOND};

/// Maximum number of requests, and of captures, kept.
const MAX_WAITING: usize = 1 << 20;

/// A request whose capture was not found yet, and the file that holds it.
#[derive(Debug, Clone)]
struct Waiting {
    request: Request,
    file: Arc<str>,
}

/// Requests and captures that have not found each other.
#[derive(Debug, Default)]
pub(crate) struct DistantRequests {
    /// By the records that they name.
    naming: HashMap<RecordKey, Waiting, RandomState>,
    /// By their own ids.
    requests: HashMap<RecordKey, Waiting, RandomState>,
    /// Those that name nothing and are not GET, by URL and second.
    loose: HashMap<(RecordKey, i64), Waiting, RandomState>,
    /// Captures without a request, with the records that they name.
    captures: Vec<(RecordKey, RecordKeys)>,
    /// How many did not fit.
    dropped: u64,
    /// The file that is being read.
    file: Option<Arc<str>>,
}

impl DistantRequests {
    pub(crate) fn begin(&mut self, file: &str) {
        self.file = Some(Arc::from(file));
    }

    /// A request that found no capture in its file.
    pub(super) fn request(&mut self, request: Companion<Request>) {
        let Companion { id, belongs_to, value, .. } = request;
        let is_get = value.method == "GET";
        let waiting = Waiting { request: value, file: self.file.clone().unwrap_or_default() };
        if self.naming.len().max(self.requests.len()).max(self.loose.len()) >= MAX_WAITING {
            self.dropped += 1;
            return;
        }
        for name in &belongs_to {
            keep(&mut self.naming, *name, &waiting);
        }
        if belongs_to.is_empty()
            && !is_get
            && let (Some(target), Some(time)) = (waiting.request.target, waiting.request.time)
        {
            keep(&mut self.loose, (target, second(time)), &waiting);
        }
        if let Some(id) = id {
            keep(&mut self.requests, id, &waiting);
        }
    }

    /// A capture is complete as far as its own file goes.
    pub(super) fn capture(&mut self, capture: &Capture) {
        let Some(id) = capture.id.filter(|_| capture.observation.method.is_none()) else { return };
        if capture.concurrent_to.is_empty() {
            return;
        }
        if self.captures.len() >= MAX_WAITING {
            self.dropped += 1;
            return;
        }
        self.captures.push((id, capture.concurrent_to.clone()));
    }

    /// Gives all requests that found their captures to them.
    pub(crate) fn settle(mut self, spool: Spool) -> io::Result<(Spool, Option<Problem>)> {
        if self.naming.is_empty() && self.requests.is_empty() && self.loose.is_empty() {
            return Ok((spool, None));
        }
        for (id, names) in std::mem::take(&mut self.captures) {
            if let Some(found) = names.iter().find_map(|name| self.requests.get(name)) {
                let found = found.clone();
                keep(&mut self.naming, id, &found);
            }
        }
        let problem = (self.dropped > 0).then(|| {
            let message = format!(
                "{} requests or captures are far from their counterparts and could not be kept: methods may be unknown",
                self.dropped
            );
            Problem::new(Level::Warning, "requests-left-out", message)
        });
        if self.naming.is_empty() && self.loose.is_empty() {
            return Ok((spool, problem));
        }
        let mut settled = Spool::new(spool.limit());
        spool.drain(&mut |bytes, names| {
            let (mut observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
            self.give(&mut observation);
            settled.push(&observation, input)
        })?;
        Ok((settled, problem))
    }

    fn give(&self, observation: &mut Observation) {
        if observation.method.is_some() || observation.kind == Kind::Index {
            return;
        }
        let id = observation.record_id.as_deref().map(RecordKey::of);
        if let Some(found) = id.and_then(|id| self.naming.get(&id)) {
            give_request(observation, found.request.clone());
            observation.normalise();
            return;
        }
        let place = (RecordKey::of(&observation.url), observation.time.map_or(i64::MIN, second));
        if let Some(found) = self.loose.get(&place) {
            observation.contradicts.get_or_insert_with(|| Contradiction {
                witness: Witness::Request,
                file: Arc::clone(&found.file),
                offset: Some(found.request.offset),
            });
        }
    }
}

fn second(time: Instant) -> i64 {
    time.0.div_euclid(SECOND)
}

/// Keeps a request; of two for one capture, the one that is not GET.
fn keep<K: std::hash::Hash + Eq>(all: &mut HashMap<K, Waiting, RandomState>, key: K, waiting: &Waiting) {
    let held = all.entry(key).or_insert_with(|| waiting.clone());
    if held.request.method == "GET" && waiting.request.method != "GET" {
        held.clone_from(waiting);
    }
}
