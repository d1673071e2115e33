//! What was recorded with the records relied on: the address of the server, and the request that the crawler sent.
//!
//! Each file that holds such a record is walked once. A request belongs to a response if one of them names the other in
//! `WARC-Concurrent-To`; or if neither names any, the two are neighbours, and both have one target and date.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::archive::http::{request_fields, request_method};
use crate::archive::members::Depth;
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::walk::{RecordEnd, Visitor};
use crate::at::model::Witness;
use crate::at::record_model::RequestAt;
use crate::error::{Error, Result};
use crate::ingest::opened::Opened;
use crate::problem::Problem;

/// Of a longer request only the start is read.
const MAX_REQUEST: usize = 16 << 10;
/// How many requests wait for their response.
const WAITING: usize = 256;
/// Maximum number of header fields listed.
const MAX_HEADERS: usize = 64;

/// Adds IP addresses and requests to the records of a report.
///
/// # Errors
/// When a file cannot be read any longer.
pub(crate) fn add(witnesses: &mut [&mut Witness]) -> Result<()> {
    let mut files: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
    for witness in witnesses.iter().filter(|witness| witness.index.is_none()) {
        files.entry(witness.file.clone()).or_default().extend(Wanted::of(witness));
    }
    for (file, wanted) in &mut files {
        wanted.sort_by(|one, other| one.place().cmp(&other.place()));
        wanted.dedup_by(|one, other| one.place() == other.place());
        let fault = |error: std::io::Error| Error::from(error).at_file(file);
        let opened = Opened::new(file).map_err(fault)?;
        let mut walker = Walker::new(wanted);
        opened.walk(Depth::Blocks, &mut walker).map_err(fault)?;
    }
    for witness in witnesses {
        let Some(wants) = Wanted::of(witness).filter(|_| witness.index.is_none()) else { continue };
        let found = files.get(&witness.file).and_then(|all| {
            let place = all.binary_search_by(|other| other.place().cmp(&wants.place())).ok()?;
            Some(&all[place])
        });
        if let Some(found) = found {
            witness.ip.clone_from(&found.ip);
            witness.request.clone_from(&found.request);
        }
    }
    Ok(())
}

/// A record relied on.
struct Wanted {
    offset: u64,
    id: Option<String>,
    ip: Option<String>,
    request: Option<RequestAt>,
}

impl Wanted {
    fn of(witness: &Witness) -> Option<Self> {
        let id = witness.record_id.clone();
        Some(Wanted { offset: witness.offset?, id, ip: None, request: None })
    }

    /// By which they are sorted and found.
    fn place(&self) -> (u64, Option<&str>) {
        (self.offset, self.id.as_deref())
    }
}

/// A request that was read.
struct Sent {
    /// The records that it names.
    names: Vec<String>,
    at: RequestAt,
}

/// The last record that was read: what a neighbour needs to know.
#[derive(PartialEq)]
struct Neighbour {
    target: Option<String>,
    date: Option<String>,
    /// It names other records.
    names: bool,
}

enum Current {
    Request(Sent, Vec<u8>, Neighbour),
    /// The place of a record relied on, and the records that it names.
    Response(usize, Vec<String>, Neighbour),
    Other,
}

/// The record before the current one.
enum Last {
    Request(Neighbour),
    Response(usize, Neighbour),
}

struct Walker<'a> {
    /// Sorted by place.
    wanted: &'a mut [Wanted],
    /// The record relied on by its id.
    by_id: HashMap<String, usize>,
    /// The record relied on by the ids of those that it names, as far as it was read.
    by_name: HashMap<String, usize>,
    waiting: VecDeque<Sent>,
    current: Option<Current>,
    last: Option<Last>,
}

impl Visitor for Walker<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        let names: Vec<String> = head.concurrent_to.iter().map(|id| id.clone().into_owned()).collect();
        let neighbour = Neighbour {
            target: head.target.as_deref().map(str::to_owned),
            date: head.date.as_deref().map(str::to_owned),
            names: !names.is_empty(),
        };
        let id = head.id.as_deref().map(str::to_owned);
        self.current = Some(match head.record_type {
            RecordType::Request => {
                let at = RequestAt {
                    record_id: id,
                    offset,
                    length: None,
                    line: String::new(),
                    headers: Vec::new(),
                };
                Current::Request(Sent { names, at }, Vec::new(), neighbour)
            }
            _ => {
                let start = self.wanted.partition_point(|wanted| wanted.offset < offset);
                let here = self.wanted[start..].iter().take_while(|wanted| wanted.offset == offset);
                let place = { here }.position(|wanted| wanted.id.is_none() || wanted.id == id);
                match place.map(|place| start + place) {
                    Some(place) => {
                        self.wanted[place].ip = head.ip.as_deref().map(str::to_owned);
                        for name in &names {
                            self.by_name.entry(name.clone()).or_insert(place);
                        }
                        Current::Response(place, names, neighbour)
                    }
                    None => Current::Other,
                }
            }
        });
    }

    fn block(&mut self, piece: &[u8]) {
        if let Some(Current::Request(_, block, _)) = &mut self.current {
            let room = MAX_REQUEST.saturating_sub(block.len()).min(piece.len());
            block.extend_from_slice(&piece[..room]);
        }
    }

    fn end(&mut self, end: RecordEnd) {
        match self.current.take() {
            Some(Current::Request(mut sent, block, neighbour)) => {
                sent.at.length = end.length;
                if read(&block, &mut sent.at) {
                    self.request(sent, neighbour);
                }
            }
            Some(Current::Response(place, names, neighbour)) => self.response(place, &names, neighbour),
            Some(Current::Other) | None => self.last = None,
        }
    }

    fn problem(&mut self, _problem: Problem) {}
}

impl<'a> Walker<'a> {
    fn new(wanted: &'a mut [Wanted]) -> Self {
        let mut by_id = HashMap::new();
        for (place, wanted) in wanted.iter().enumerate() {
            if let Some(id) = &wanted.id {
                by_id.entry(id.clone()).or_insert(place);
            }
        }
        Walker { wanted, by_id, by_name: HashMap::new(), waiting: VecDeque::new(), current: None, last: None }
    }

    fn request(&mut self, sent: Sent, neighbour: Neighbour) {
        let named = sent.names.iter().filter_map(|id| self.by_id.get(id));
        let naming = sent.at.record_id.iter().filter_map(|id| self.by_name.get(id));
        let own = named.chain(naming).min().copied();
        let beside = match &self.last {
            Some(Last::Response(place, other)) if !other.names && *other == neighbour => Some(*place),
            _ => None,
        };
        match own.or(beside) {
            Some(place) => {
                self.wanted[place].request.get_or_insert(sent.at);
                self.last = None;
            }
            None => {
                self.waiting.push_back(sent);
                if self.waiting.len() > WAITING {
                    self.waiting.pop_front();
                }
                self.last = Some(Last::Request(neighbour));
            }
        }
    }

    fn response(&mut self, place: usize, names: &[String], neighbour: Neighbour) {
        let Some(wanted) = self.wanted.get_mut(place) else { return };
        let belongs = |sent: &Sent| {
            wanted.id.as_ref().is_some_and(|id| sent.names.contains(id))
                || sent.at.record_id.as_ref().is_some_and(|id| names.contains(id))
        };
        let is_beside =
            matches!(&self.last, Some(Last::Request(other)) if !other.names && *other == neighbour);
        let own = self.waiting.iter().rposition(belongs);
        let own = own.or_else(|| self.waiting.len().checked_sub(1).filter(|_| is_beside));
        if let Some(sent) = own.and_then(|own| self.waiting.remove(own)) {
            wanted.request.get_or_insert(sent.at);
            self.last = None;
        } else {
            self.last = Some(Last::Response(place, neighbour));
        }
    }
}

/// Reads the request line and the header fields; `false` if this is not an HTTP request.
fn read(block: &[u8], at: &mut RequestAt) -> bool {
    if request_method(block).is_none() {
        return false;
    }
    let line = block.split(|byte| *byte == b'\n').next().unwrap_or_default();
    at.line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    at.headers = request_fields(block)
        .take(MAX_HEADERS)
        .map(|(name, value)| format!("{}: {}", text(name), text(value.bytes())))
        .collect();
    true
}
