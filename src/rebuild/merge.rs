//! All records of several collections in one: each once, payloads that are stored already as revisits.
//!
//! A response becomes a revisit only where its stored payload, its codings and its declared payload digest all equal those of a response before it;
//! so a replay gives the same bytes. A record that occurs twice, byte for byte, is written once. Records of ARC become records of WARC. Everything
//! else is copied as it is.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::copy::{Action, Item, Plan};
use super::revisit::Original;
use super::source::Opened;
use crate::archive::http;
use crate::archive::members::Depth;
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::Compression;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::problem::Problem;

/// Longer HTTP heads than this are not looked into: their responses are copied.
const LONGEST_HEAD: usize = 64 << 10;
/// Longer records are copied as they are: a revisit is made in memory.
const LONGEST: u64 = 64 << 20;

/// What was found in all files.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    pub items: Vec<Item>,
    pub files: Vec<Opened>,
    /// Records left out because they are there already.
    pub twice: u64,
    /// Records whose end is unknown, which cannot be copied.
    pub damaged: u64,
    /// Responses that become revisits.
    pub revisits: u64,
    /// The newest date of a record, as written.
    pub newest: Option<String>,
    keep: bool,
    seen: HashSet<[u8; 32]>,
    payloads: HashMap<[u8; 32], Original>,
}

impl Merge {
    /// Nothing yet; `keep`: payloads stay where they are.
    pub(crate) fn new(keep: bool) -> Self {
        Merge { keep, ..Merge::default() }
    }

    /// Adds the records of a file.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn add(&mut self, mut source: Opened) -> io::Result<()> {
        let mut taker = Taker::default();
        source.walk(Depth::Blocks, &mut taker)?;
        if taker.is_shared || source.compression == Compression::Zstd {
            source = source.unpack()?;
            taker = Taker::default();
            source.walk(Depth::Blocks, &mut taker)?;
        }
        self.damaged += taker.damaged;
        let file = self.files.len();
        self.files.push(source);
        for record in taker.records {
            if !self.seen.insert(record.identity) {
                self.twice += 1;
                continue;
            }
            self.newest = self.newest.take().max(record.date.clone());
            let action = self.action(&record);
            self.items.push(Item { file, offset: record.offset, length: record.length, action });
        }
        Ok(())
    }

    fn action(&mut self, record: &Record) -> Action {
        if record.is_arc {
            return Action::Arc;
        }
        let (Some(payload), false) = (record.payload, self.keep) else { return Action::Copy };
        if let Some(original) = self.payloads.get(&payload) {
            self.revisits += 1;
            return Action::Revisit(original.clone());
        }
        if let (Some(id), Some(url), Some(date)) = (&record.id, &record.url, &record.date) {
            let original = Original { id: id.clone(), url: url.clone(), date: date.clone() };
            self.payloads.insert(payload, original);
        }
        Action::Copy
    }
}

/// Copies all records of some files, and says how long the copying alone took.
///
/// # Errors
/// Where a file cannot be read, or the target not be written.
pub fn copied(files: &[PathBuf], target: &Path) -> io::Result<Duration> {
    let mut merge = Merge::new(true);
    for file in files {
        merge.add(Opened::new(&file.to_string_lossy())?)?;
    }
    let plan = Plan {
        files: merge.files,
        names: Vec::new(),
        warcinfo: Vec::new(),
        items: merge.items,
        is_gzip: true,
    };
    let started = Instant::now();
    plan.write(target)?;
    Ok(started.elapsed())
}

/// A record as far as merging needs it.
#[derive(Debug)]
struct Record {
    offset: u64,
    length: u64,
    id: Option<String>,
    url: Option<String>,
    date: Option<String>,
    /// A hash of the whole record.
    identity: [u8; 32],
    /// A hash of the payload of a response, with its codings; `None` where it is not a plain response.
    payload: Option<[u8; 32]>,
    is_arc: bool,
}

#[derive(Default)]
struct Taker {
    records: Vec<Record>,
    now: Option<Now>,
    is_shared: bool,
    damaged: u64,
}

struct Now {
    record: Record,
    whole: blake3::Hasher,
    payload: Option<Payload>,
}

/// The payload of a response on its way.
struct Payload {
    digest: String,
    head: Vec<u8>,
    hasher: Option<blake3::Hasher>,
    length: u64,
}

impl Payload {
    /// Takes the next bytes of the block. `false`: this is nothing that can become a revisit.
    fn take(&mut self, piece: &[u8]) -> bool {
        if let Some(hasher) = &mut self.hasher {
            hasher.update(piece);
            self.length += piece.len() as u64;
            return true;
        }
        self.head.extend_from_slice(piece);
        if !http::is_response(&self.head) && self.head.len() > 16 {
            return false;
        }
        let Some(end) = http::response_head_length(&self.head) else { return self.head.len() < LONGEST_HEAD };
        let response = http::parse_response(&self.head[..end]);
        if response.status != Some(200) {
            return false;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[u8::from(response.wrapping.chunked)]);
        for part in response.wrapping.codings.iter().chain([&self.digest]) {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        let body = self.head.split_off(end);
        hasher.update(&body);
        self.length += body.len() as u64;
        self.hasher = Some(hasher);
        true
    }
}

impl Visitor for Taker {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        let mut whole = blake3::Hasher::new();
        let text = |value: &Option<std::borrow::Cow<'_, str>>| value.as_deref().map(str::to_owned);
        let parts =
            [&head.id, &head.target, &head.date, &head.payload_digest, &head.block_digest, &head.refers_to];
        for part in parts {
            whole.update(part.as_deref().unwrap_or("-").as_bytes());
            whole.update(&[0]);
        }
        whole.update(head.record_type.to_string().as_bytes());
        // Without an id two records are never the same one, except those of ARC, which has no ids.
        if head.id.is_none() && !head.is_arc {
            whole.update(&(self.records.len() as u64).to_le_bytes());
            whole.update(&offset.to_le_bytes());
        }
        let is_plain = head.record_type == RecordType::Response
            && head.truncated.is_none()
            && head.segment_number.is_none();
        let payload = head.payload_digest.as_deref().filter(|_| is_plain).map(|digest| Payload {
            digest: digest.to_owned(),
            head: Vec::new(),
            hasher: None,
            length: 0,
        });
        let record = Record {
            offset,
            length: 0,
            id: text(&head.id),
            url: text(&head.target),
            date: text(&head.date),
            identity: [0; 32],
            payload: None,
            is_arc: head.is_arc,
        };
        self.now = Some(Now { record, whole, payload });
    }

    fn block(&mut self, piece: &[u8]) {
        let Some(now) = &mut self.now else { return };
        now.whole.update(piece);
        if now.payload.as_mut().is_some_and(|payload| !payload.take(piece)) {
            now.payload = None;
        }
    }

    fn end(&mut self, end: RecordEnd) {
        let Some(Now { mut record, whole, payload }) = self.now.take() else { return };
        let Some(length) = end.length else {
            self.is_shared = true;
            self.damaged += 1;
            return;
        };
        record.length = length;
        record.identity = *whole.finalize().as_bytes();
        let is_small = length <= LONGEST && !end.cut && !end.doubtful;
        record.payload = payload
            .filter(|payload| is_small && payload.length > 0)
            .and_then(|payload| payload.hasher)
            .map(|hasher| *hasher.finalize().as_bytes());
        self.records.push(record);
    }

    fn problem(&mut self, _problem: Problem) {}
}
