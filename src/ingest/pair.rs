//! Puts together the records that belong to one capture: its request (method), its metadata (duration), and the
//! warcinfo record of its file (writer, crawl).
//!
//! The records of one capture are near each other but in any order, so a few captures are held back until their
//! neighbours are read. `WARC-Concurrent-To` names them. A request that names no record belongs to the capture of its URL and
//! date near it ([`super::unlinked`]). What is left waits for captures of other files ([`super::distant_requests`]).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::assemble::{Capture, Companion, ExtraLinks, Item};
use super::distant_requests::DistantRequests;
use super::unlinked;
use crate::capture::{Contradiction, Observation, Witness};
use crate::html::link_list::Links;
use crate::ingest::message::{RecordKey, RecordKeys, Request};

/// Takes a complete observation, and links that are not in it.
pub(crate) type Out<'a> = dyn FnMut(Box<Observation>, ExtraLinks) + 'a;

/// How many captures are held back, and how many requests remembered.
const NEIGHBOURS: usize = 16;

/// Pairs the records of one file.
#[derive(Default)]
pub(crate) struct Pairing {
    held: VecDeque<Capture>,
    requests: VecDeque<Companion<Request>>,
    infos: HashMap<RecordKey, Info, RandomState>,
    info: Info,
    /// Requests and captures that have not found each other, of all files.
    pub late: DistantRequests,
}

#[derive(Default, Clone)]
struct Info {
    writer: Option<Arc<str>>,
    crawl: Option<Arc<str>>,
}

/// Maximum number of warcinfo records kept of one file; the oldest ones are dropped first.
const INFOS: usize = 10_000;

impl Pairing {
    /// Takes the next record's item; captures that are complete go to `out`.
    pub(crate) fn push(&mut self, item: Item, out: &mut Out<'_>) {
        match item {
            Item::Observed(observation) => out(observation, ExtraLinks::default()),
            Item::Capture(capture) => self.capture(capture, out),
            // They were taken before pairing.
            Item::Outlinks(_) => {}
            Item::Request(request) => self.request(request),
            Item::Duration(duration) => self.duration(&duration),
            Item::Info { id, software, part_of } => {
                self.info =
                    Info { writer: software, crawl: part_of.or_else(|| id.as_deref().map(Arc::from)) };
                if self.infos.len() < INFOS {
                    self.infos.extend(id.map(|id| (RecordKey::of(&id), self.info.clone())));
                }
            }
        }
    }

    /// The end of the file: sends what was held back.
    pub(crate) fn end(&mut self, out: &mut Out<'_>) {
        while !self.held.is_empty() {
            self.release(out);
        }
        let late = std::mem::take(&mut self.late);
        let Pairing { requests, .. } = std::mem::replace(self, Pairing { late, ..Pairing::default() });
        requests.into_iter().for_each(|request| self.late.request(request));
    }

    fn capture(&mut self, mut capture: Capture, out: &mut Out<'_>) {
        let info = capture.warcinfo_id.as_ref().and_then(|id| self.infos.get(id)).unwrap_or(&self.info);
        capture.observation.writer.clone_from(&info.writer);
        capture.observation.crawl.clone_from(&info.crawl);
        let own = self.requests.iter().rposition(|request| is_request_of(&capture, request));
        if let Some(request) = own.and_then(|at| self.requests.remove(at)) {
            give_request(&mut capture.observation, request.value);
        }
        while let Some(at) = self.requests.iter().position(|request| belongs(&capture, request)) {
            let other = self.requests.remove(at);
            other.iter().for_each(|other| doubt(&mut capture.observation, &other.value));
        }
        self.held.push_back(capture);
        if self.held.len() > NEIGHBOURS {
            self.release(out);
        }
    }

    /// Sends the capture that was held back longest.
    fn release(&mut self, out: &mut Out<'_>) {
        unlinked::decide(&mut self.held, &mut self.requests);
        if let Some(capture) = self.held.pop_front() {
            self.late.capture(&capture);
            out(capture.observation, capture.told);
        }
    }

    fn request(&mut self, request: Companion<Request>) {
        let own = self
            .held
            .iter_mut()
            .rev()
            .find(|capture| capture.observation.method.is_none() && is_request_of(capture, &request));
        if let Some(capture) = own {
            return give_request(&mut capture.observation, request.value);
        }
        if let Some(capture) = self.held.iter_mut().rev().find(|capture| belongs(capture, &request)) {
            return doubt(&mut capture.observation, &request.value);
        }
        self.requests.push_back(request);
        if self.requests.len() > NEIGHBOURS {
            unlinked::decide(&mut self.held, &mut self.requests);
            if self.requests.len() > NEIGHBOURS
                && let Some(request) = self.requests.pop_front()
            {
                self.late.request(request);
            }
        }
    }

    /// Adds the links that a crawler found to the capture of their page, so that they stay with it. `false` where that
    /// capture is no longer held back.
    pub(crate) fn outlinks(&mut self, outlinks: &mut Companion<Links>) -> bool {
        // A record that names no capture speaks of the last one of its address.
        let is_loose = outlinks.belongs_to.is_empty();
        let own = self.held.iter_mut().rev().find(|capture| {
            (is_loose || belongs(capture, outlinks))
                && outlinks.url.as_deref() == Some(&*capture.observation.url)
        });
        let Some(capture) = own else { return false };
        match &mut capture.told.outlinks {
            Some(links) => links.append(&outlinks.value),
            none => *none = Some(std::mem::take(&mut outlinks.value)),
        }
        true
    }

    fn duration(&mut self, duration: &Companion<i64>) {
        let own = self.held.iter_mut().rev().find(|capture| belongs(capture, duration));
        if let Some(capture) = own {
            let end = capture.observation.time_end;
            capture.observation.time_end = end.map(|end| end.plus(duration.value.saturating_mul(1000)));
            capture.observation.duration = u64::try_from(duration.value).ok();
        }
    }
}

/// Gives a capture what its request says.
pub(super) fn give_request(observation: &mut Observation, request: Request) {
    observation.method = Some(request.method.into_owned());
    observation.request = Some(request.headers);
    // Only a 304 depends on what the crawler had already.
    if let Some(condition) = request.condition.filter(|_| observation.is_not_modified()) {
        observation.if_none_match = condition.none_match;
        observation.if_modified_since = condition.modified_since;
    }
}

/// A second request for one capture: where one was GET and the other was not, which one was answered is unknown.
fn doubt(observation: &mut Observation, request: &Request) {
    let is_get = |method: &str| method.eq_ignore_ascii_case("GET");
    let is_first = observation.method.as_deref().is_some_and(is_get);
    if is_first != is_get(&request.method) {
        observation.method = Some("GET".to_owned());
        let (file, offset) = (Arc::clone(&observation.file), Some(request.offset));
        observation.contradicts = Some(Contradiction { witness: Witness::Request, file, offset });
    }
}

fn belongs<T>(capture: &Capture, companion: &Companion<T>) -> bool {
    let names = |names: &RecordKeys, id: Option<RecordKey>| id.is_some_and(|id| names.contains(&id));
    names(&companion.belongs_to, capture.id) || names(&capture.concurrent_to, companion.id)
}

/// Whether one of the two names the other, or both name a third record and have one URL.
fn is_request_of(capture: &Capture, request: &Companion<Request>) -> bool {
    let is_beside = || {
        request.belongs_to.iter().any(|id| capture.concurrent_to.contains(id))
            && request.value.target == Some(RecordKey::of(&capture.observation.url))
    };
    belongs(capture, request) || is_beside()
}
