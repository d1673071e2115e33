//! Puts together the records that belong to one capture: its request (method), its metadata (duration), and the
//! warcinfo record of its file (writer, crawl).
//!
//! The records of one capture are near each other but in any order, so a few captures are held back until their
//! neighbours are read. `WARC-Concurrent-To` names them; where it is missing, a request next to a capture of the
//! same URL is taken for its own.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::assemble::{Capture, Companion, Item, Told};
use crate::capture::Observation;
use crate::html::link_list::Links;
use crate::ingest::message::{RecordKey, RecordKeys, Request};

/// Takes a complete observation, and links that are not in it.
pub(crate) type Out<'a> = dyn FnMut(Box<Observation>, Told) + 'a;

/// How many captures are held back, and how many requests remembered.
const NEIGHBOURS: usize = 16;

/// Pairs the records of one file.
#[derive(Default)]
pub(crate) struct Pairing {
    held: VecDeque<Capture>,
    requests: VecDeque<Companion<Request>>,
    infos: HashMap<RecordKey, Info, RandomState>,
    info: Info,
    /// The last request, if no capture has come since that could be its own.
    loose_request: bool,
    /// A request right behind a capture of its URL: that capture's own, unless the next capture names it.
    behind: Option<Companion<Request>>,
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
            Item::Observed(observation) => out(observation, Told::default()),
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
        self.settle();
        for capture in std::mem::take(self).held {
            out(capture.observation, capture.told);
        }
    }

    fn capture(&mut self, mut capture: Capture, out: &mut Out<'_>) {
        let info = capture.warcinfo_id.as_ref().and_then(|id| self.infos.get(id)).unwrap_or(&self.info);
        capture.observation.writer.clone_from(&info.writer);
        capture.observation.crawl.clone_from(&info.crawl);
        if let Some(request) = self.behind.take_if(|request| belongs(&capture, request)) {
            give_request(&mut capture.observation, request.value);
        }
        self.settle();
        let own = self.requests.iter().rposition(|request| belongs(&capture, request));
        let own = own.or_else(|| {
            let last = self.requests.back()?;
            let unclaimed =
                self.loose_request && last.belongs_to.is_empty() && capture.concurrent_to.is_empty();
            (unclaimed && last.url.as_deref() == Some(&*capture.observation.url))
                .then(|| self.requests.len() - 1)
        });
        if capture.observation.method.is_none()
            && let Some(request) = own.and_then(|at| self.requests.remove(at))
        {
            give_request(&mut capture.observation, request.value);
        }
        self.loose_request = false;
        self.held.push_back(capture);
        if self.held.len() > NEIGHBOURS
            && let Some(capture) = self.held.pop_front()
        {
            out(capture.observation, capture.told);
        }
    }

    /// Gives the request behind the last capture to it: no other has named it.
    fn settle(&mut self) {
        if let Some((request, capture)) = self.behind.take().zip(self.held.back_mut()) {
            give_request(&mut capture.observation, request.value);
        }
    }

    fn request(&mut self, request: Companion<Request>) {
        self.settle();
        let own = self.held.iter_mut().rev().find(|capture| belongs(capture, &request));
        if let Some(capture) = own {
            if capture.observation.method.is_none() {
                give_request(&mut capture.observation, request.value);
                return;
            }
        } else if self.held.back().is_some_and(|capture| {
            capture.observation.method.is_none()
                && request.belongs_to.is_empty()
                && capture.concurrent_to.is_empty()
                && request.url.as_deref() == Some(&*capture.observation.url)
        }) {
            self.behind = Some(request);
            return;
        }
        self.requests.push_back(request);
        self.loose_request = true;
        if self.requests.len() > NEIGHBOURS {
            self.requests.pop_front();
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

fn give_request(observation: &mut Observation, request: Request) {
    observation.method = Some(request.method.into_owned());
    observation.request = Some(request.headers);
}

fn belongs<T>(capture: &Capture, companion: &Companion<T>) -> bool {
    let names = |names: &RecordKeys, id: Option<RecordKey>| id.is_some_and(|id| names.contains(&id));
    names(&companion.belongs_to, capture.id) || names(&capture.concurrent_to, companion.id)
}
