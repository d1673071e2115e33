//! Where the wanted records of a file are, and the requests and metadata that belong to them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;

use super::mend::{Counted, Mend};
use super::source::Opened;
use crate::archive::members::Depth;
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::Compression;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::problem::Problem;
use crate::time::{Dated, Instant};

/// A record and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub offset: u64,
    pub length: u64,
    pub id: Option<String>,
    /// Which of the wanted records it is; `None`: it belongs to one.
    pub asked: Option<usize>,
    /// It is a record of ARC.
    pub is_arc: bool,
    /// Why it cannot be copied as it is.
    pub mend: Option<Mend>,
    /// What has to be mended where it is written without a member of its own: only that shows where it ends.
    pub mend_outside: Option<Mend>,
}

/// A record that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub offset: u64,
    pub id: Option<String>,
    /// URL and time name a record without an id where several share a member.
    pub url: String,
    pub time: Instant,
}

/// The wanted records of a file in the order of the file; and the file they are copied from, unpacked if need be.
#[derive(Debug)]
pub(crate) struct Inventory {
    pub source: Opened,
    pub entries: Vec<Entry>,
    /// The file cannot be unpacked to its end.
    pub is_damaged: bool,
}

/// How far a request or metadata record may stand from its capture.
const NEIGHBOURS: usize = 256;

/// Finds the wanted records of a file.
pub(crate) fn take(source: Opened, asked: &[Asked]) -> io::Result<Inventory> {
    let is_plain = source.compression == Compression::None;
    let mut taker = Taker::new(asked, false, is_plain);
    source.walk(Depth::Heads, &mut taker)?;
    if !taker.is_shared && source.compression != Compression::Zstd {
        return Ok(Inventory { source, entries: taker.entries(), is_damaged: false });
    }
    let (unpacked, is_damaged) = match source.unpack() {
        Ok(unpacked) => (unpacked, false),
        // Damaged: what stands in members of its own is copied all the same, the others as far as they go.
        Err(_) if taker.found.len() + taker.broken.len() >= asked.len() => {
            let mut broken = std::mem::take(&mut taker.broken);
            broken.iter_mut().for_each(|entry| entry.length = source.blob.len() - entry.offset);
            taker.found.append(&mut broken);
            return Ok(Inventory { source, entries: taker.entries(), is_damaged: true });
        }
        Err(_) => (source.unpack_so_far()?, true),
    };
    let mut taker = Taker::new(asked, true, true);
    unpacked.walk(Depth::Heads, &mut taker)?;
    Ok(Inventory { source: unpacked, entries: taker.entries(), is_damaged })
}

struct Taker<'a> {
    /// Wanted records by their places.
    places: HashMap<(u64, Option<&'a str>), usize>,
    /// Wanted records by their ids.
    ids: HashMap<&'a str, usize>,
    /// Wanted records without ids, by URL and time.
    names: HashMap<(&'a str, Instant), usize>,
    /// The file was unpacked: offsets are others, and names alone count.
    by_name: bool,
    found: Vec<Entry>,
    /// Records that may belong to a capture behind them.
    waiting: VecDeque<(Entry, Option<String>)>,
    /// Ids that wanted captures name.
    named: HashSet<String>,
    now: Option<Now>,
    /// The URL of the last wanted capture, where the next record may be its request.
    last_url: Option<String>,
    is_shared: bool,
    /// Wanted records whose compressed data are damaged.
    broken: Vec<Entry>,
    counted: Counted,
}

/// The record that is being read.
struct Now {
    entry: Entry,
    is_wanted: bool,
    is_companion: bool,
    is_claimed: bool,
    is_loose: bool,
    url: Option<String>,
    names: Vec<String>,
}

impl<'a> Taker<'a> {
    fn new(asked: &'a [Asked], by_name: bool, is_plain: bool) -> Self {
        let all = || asked.iter().enumerate();
        Taker {
            places: all().map(|(place, one)| ((one.offset, one.id.as_deref()), place)).collect(),
            ids: all().filter_map(|(place, one)| Some((one.id.as_deref()?, place))).collect(),
            names: all()
                .filter(|(_, one)| one.id.is_none())
                .map(|(place, one)| ((one.url.as_str(), one.time), place))
                .collect(),
            by_name,
            found: Vec::new(),
            waiting: VecDeque::new(),
            named: HashSet::new(),
            now: None,
            last_url: None,
            is_shared: false,
            broken: Vec::new(),
            counted: Counted::new(is_plain),
        }
    }

    fn entries(mut self) -> Vec<Entry> {
        self.found.sort_by(|a, b| (a.offset, &a.id).cmp(&(b.offset, &b.id)));
        self.found.dedup();
        self.found
    }

    fn asked_at(&self, head: &RecordHead<'_>, offset: u64) -> Option<usize> {
        let id = head.id.as_deref();
        let found = match (self.by_name, id) {
            (true, Some(id)) => self.ids.get(id),
            (true, None) => {
                let time = Dated::parse(head.date.as_deref()?)?.instant;
                self.names.get(&(head.target.as_deref()?, time))
            }
            (false, id) if head.record_type == RecordType::Request => self.places.get(&(offset, id)),
            (false, id) => self.places.get(&(offset, id)).or_else(|| self.places.get(&(offset, None))),
        };
        found.copied()
    }
}

impl Visitor for Taker<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        self.counted.begin();
        let is_capture =
            matches!(head.record_type, RecordType::Response | RecordType::Resource | RecordType::Revisit);
        // A request is wanted only by its own name.
        let is_request = head.record_type == RecordType::Request && head.id.is_some();
        let asked = if is_capture || is_request { self.asked_at(head, offset) } else { None };
        let is_companion = matches!(head.record_type, RecordType::Request | RecordType::Metadata);
        let names: Vec<String> = head.concurrent_to.iter().map(|id| id.to_string()).collect();
        let refers = head.refers_to.as_deref().filter(|_| is_companion);
        let claims = |id: &str| self.ids.contains_key(id);
        let id = head.id.as_deref().map(str::to_owned);
        let is_claimed = is_companion
            && (names.iter().any(|id| claims(id))
                || refers.is_some_and(claims)
                || id.as_ref().is_some_and(|id| self.named.contains(id)));
        self.now = Some(Now {
            entry: Entry {
                offset,
                length: 0,
                id,
                asked,
                is_arc: head.is_arc,
                mend: None,
                mend_outside: None,
            },
            is_wanted: asked.is_some(),
            is_companion,
            is_claimed,
            is_loose: names.is_empty() && refers.is_none(),
            url: head.target.as_deref().map(str::to_owned),
            names,
        });
    }

    fn block(&mut self, piece: &[u8]) {
        self.counted.add(piece);
    }

    fn end(&mut self, end: RecordEnd) {
        let Some(mut now) = self.now.take() else { return };
        let last_url = self.last_url.take();
        if !now.is_wanted && !now.is_companion {
            return;
        }
        now.entry.mend = self.counted.end(end);
        now.entry.mend_outside = self.counted.outside(end);
        let Some(length) = end.length else {
            self.is_shared |= now.is_wanted || now.is_claimed;
            if now.is_wanted && now.entry.mend.is_some() {
                self.broken.push(now.entry);
            }
            return;
        };
        now.entry.length = length;
        if now.is_wanted {
            // Requests before the capture that it names, or of its URL right before it.
            let last = self.waiting.len().checked_sub(1);
            let mut kept = VecDeque::new();
            for (at, (entry, url)) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
                let is_named = entry.id.as_ref().is_some_and(|id| now.names.contains(id));
                let is_loose = Some(at) == last && url.is_some() && url == now.url;
                if is_named || is_loose {
                    self.found.push(entry);
                } else {
                    kept.push_back((entry, url));
                }
            }
            self.waiting = kept;
            self.named.extend(now.names);
            self.last_url = now.url;
            self.found.push(now.entry);
        } else if now.is_claimed || (now.is_loose && now.url.is_some() && now.url == last_url) {
            self.last_url = last_url;
            self.found.push(now.entry);
        } else {
            self.waiting.push_back((now.entry, now.url.filter(|_| now.is_loose)));
            if self.waiting.len() > NEIGHBOURS {
                self.waiting.pop_front();
            }
        }
    }

    fn problem(&mut self, _problem: Problem) {}
}
