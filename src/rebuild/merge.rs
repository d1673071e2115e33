//! All records of several collections in one: each once, payloads that are stored already as revisits.
//!
//! A response becomes a revisit only where its stored payload, its codings and its declared payload digest all equal those of a response before it;
//! so a replay gives the same bytes. A record that occurs twice, byte for byte, is written once. Records of ARC become records of WARC. Everything
//! else is copied as it is, and read no further than its head unless its head or its digest occurs twice.

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
    pub files: Vec<Opened>,
    /// Records whose end is unknown, which cannot be copied.
    pub damaged: u64,
    /// The newest date of a record, as written.
    pub newest: Option<String>,
    records: Vec<(usize, Record)>,
    keep: bool,
}

/// What is written, and what is not.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub items: Vec<Item>,
    /// Records left out because they are there already.
    pub twice: u64,
    /// Responses that become revisits.
    pub revisits: u64,
}

impl Merge {
    /// Nothing yet; `keep`: payloads stay where they are.
    pub(crate) fn new(keep: bool) -> Self {
        Merge { keep, ..Merge::default() }
    }

    /// Adds the records of a file. Heads are enough for most records of a gzip file: only those are inflated whole that may be
    /// equal to others.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn add(&mut self, mut source: Opened) -> io::Result<()> {
        let mut taker = Taker { heads: source.compression == Compression::Gzip, ..Taker::default() };
        source.walk(if taker.heads { Depth::Heads } else { Depth::Blocks }, &mut taker)?;
        if taker.heads && taker.is_odd {
            taker = Taker::default();
            source.walk(Depth::Blocks, &mut taker)?;
        }
        if taker.is_shared || source.compression == Compression::Zstd {
            match source.unpack() {
                Ok(unpacked) => {
                    source = unpacked;
                    taker = Taker::default();
                    source.walk(Depth::Blocks, &mut taker)?;
                }
                // Damaged: what stands in members of its own is copied all the same.
                Err(_) if source.compression == Compression::Gzip && !taker.records.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        self.damaged += taker.damaged;
        let file = self.files.len();
        self.files.push(source);
        for mut record in taker.records {
            self.newest = self.newest.take().max(record.date.take());
            self.records.push((file, record));
        }
        Ok(())
    }

    /// Decides what becomes of every record, in order.
    ///
    /// # Errors
    /// Where a record cannot be read again.
    pub(crate) fn merged(&mut self) -> io::Result<Merged> {
        let mut heads: HashMap<[u8; 32], u32> = HashMap::new();
        let mut digests: HashMap<[u8; 32], u32> = HashMap::new();
        for (_, record) in &self.records {
            *heads.entry(record.head).or_default() += 1;
            if let Some(digest) = record.digest {
                *digests.entry(digest).or_default() += 1;
            }
        }
        let mut out = Merged::default();
        let mut seen: HashSet<([u8; 32], [u8; 32])> = HashSet::new();
        let mut payloads: HashMap<[u8; 32], Original> = HashMap::new();
        for (file, record) in std::mem::take(&mut self.records) {
            let (offset, length, is_arc) = (record.offset, record.length, record.is_arc);
            let may_be_twice = heads.get(&record.head).is_some_and(|count| *count > 1);
            let may_be_stored = !self.keep
                && record.digest.is_some_and(|digest| digests.get(&digest).is_some_and(|count| *count > 1));
            let mut action = if is_arc { Action::Arc } else { Action::Copy };
            if may_be_twice || may_be_stored {
                let body = match record.body {
                    Some(body) => Some(body),
                    None => self.read_again(file, offset, length)?,
                };
                let identity = body.as_ref().map(|body| (record.head, body.identity));
                if may_be_twice && identity.is_some_and(|identity| !seen.insert(identity)) {
                    out.twice += 1;
                    continue;
                }
                let body = body.filter(|_| may_be_stored && !is_arc);
                if let Some((payload, name)) = body.and_then(|body| Some((body.payload?, body.name))) {
                    match payloads.get(&payload) {
                        Some(original) => {
                            out.revisits += 1;
                            action = Action::Revisit(original.clone());
                        }
                        None => payloads.extend(name.map(|name| (payload, name))),
                    }
                }
            }
            out.items.push(Item { file, offset, length, action });
        }
        Ok(out)
    }

    /// Reads a record of a gzip file whole. `None`: it is damaged, and equal to no other.
    fn read_again(&self, file: usize, offset: u64, length: u64) -> io::Result<Option<Body>> {
        let source = &self.files[file];
        let blob = source.blob.section(offset, length);
        let mut taker = Taker::default();
        Opened { blob, compression: source.compression }.walk(Depth::Blocks, &mut taker)?;
        Ok(taker.records.pop().filter(|_| !taker.is_odd).and_then(|record| record.body))
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
    let items = merge.merged()?.items;
    let plan = Plan { files: merge.files, names: Vec::new(), warcinfo: Vec::new(), items, is_gzip: true };
    let started = Instant::now();
    plan.write(target)?;
    Ok(started.elapsed())
}

/// A record as far as merging needs it.
#[derive(Debug)]
struct Record {
    offset: u64,
    length: u64,
    date: Option<String>,
    /// A hash of the head: records of different heads are different.
    head: [u8; 32],
    /// A hash of the declared payload digest of a plain response: payloads of different digests are not stored once.
    digest: Option<[u8; 32]>,
    is_arc: bool,
    /// `None`: only the head was read.
    body: Option<Body>,
}

/// What is known of a record that was read whole.
#[derive(Debug)]
struct Body {
    /// A hash of the whole record.
    identity: [u8; 32],
    /// A hash of the payload of a response, with its codings; `None` where it is not a plain response.
    payload: Option<[u8; 32]>,
    /// How a revisit names it.
    name: Option<Original>,
}

#[derive(Default)]
struct Taker {
    records: Vec<Record>,
    now: Option<Now>,
    /// Only heads matter.
    heads: bool,
    is_shared: bool,
    /// Something is wrong with the file: heads are not enough.
    is_odd: bool,
    damaged: u64,
}

struct Now {
    record: Record,
    whole: blake3::Hasher,
    payload: Option<Payload>,
    name: Option<Original>,
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
        let digest = head.payload_digest.as_deref().filter(|_| is_plain);
        let payload = digest.filter(|_| !self.heads).map(|digest| Payload {
            digest: digest.to_owned(),
            head: Vec::new(),
            hasher: None,
            length: 0,
        });
        let name = match (&head.id, &head.target, &head.date) {
            (Some(id), Some(url), Some(date)) if payload.is_some() => {
                Some(Original { id: id.to_string(), url: url.to_string(), date: date.to_string() })
            }
            _ => None,
        };
        let record = Record {
            offset,
            length: 0,
            date: head.date.as_deref().map(str::to_owned),
            head: *whole.finalize().as_bytes(),
            digest: digest.map(|digest| *blake3::hash(digest.as_bytes()).as_bytes()),
            is_arc: head.is_arc,
            body: None,
        };
        self.now = Some(Now { record, whole, payload, name });
    }

    fn block(&mut self, piece: &[u8]) {
        let Some(now) = self.now.as_mut().filter(|_| !self.heads) else { return };
        now.whole.update(piece);
        if now.payload.as_mut().is_some_and(|payload| !payload.take(piece)) {
            now.payload = None;
        }
    }

    fn end(&mut self, end: RecordEnd) {
        let Some(Now { mut record, whole, payload, name }) = self.now.take() else { return };
        self.is_odd |= end.cut || end.doubtful;
        let Some(length) = end.length else {
            self.is_shared = true;
            self.damaged += 1;
            return;
        };
        record.length = length;
        let is_small = length <= LONGEST && !end.cut && !end.doubtful;
        let payload = payload
            .filter(|payload| is_small && payload.length > 0)
            .and_then(|payload| payload.hasher)
            .map(|hasher| *hasher.finalize().as_bytes());
        let body = || Body { identity: *whole.finalize().as_bytes(), payload, name };
        record.body = (!self.heads).then(body);
        self.records.push(record);
    }

    fn problem(&mut self, _problem: Problem) {
        self.is_odd = true;
    }
}
