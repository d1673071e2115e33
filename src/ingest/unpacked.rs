//! The records of a compressed member that several captures share, unpacked once: read one by one, each of them would be inflated
//! from the start of the member again, and the cost would grow with the square of their number.
//!
//! A member is unpacked when a second body of it is wanted, into a temporary file without a name, for all readers of the process:
//! those of many small tables come and go. What does not fit the limits is read from the archive, as if it were alone.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::fetch::MAX_BODY_BYTES;
use crate::archive::blob::{Blob, Identity};
use crate::archive::members::{Tools, walk_at};
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::Compression;
use crate::archive::temporary;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::digest::BodyDigest;
use crate::problem::Problem;

/// Maximum bytes of temporary files.
const MAX_BYTES: u64 = 4 << 30;
/// Maximum number of records that are known by their places in them.
const MAX_RECORDS: usize = 1 << 20;
/// Maximum number of members held.
const MAX_MEMBERS: usize = 16;
/// Maximum number of members that are known to be shared.
const MAX_NOTED: usize = 1 << 16;

/// A member: the bytes of its archive, and its offset there.
type Place = (Identity, u64);

static HELD: Mutex<Held> = Mutex::new(Held { noted: BTreeSet::new(), members: Vec::new() });

struct Held {
    /// Members that several captures share.
    noted: BTreeSet<Place>,
    /// Those that are unpacked, the last used one last.
    members: Vec<Member>,
}

struct Member {
    place: Place,
    slot: Arc<Mutex<Option<Arc<Unpacked>>>>,
    bytes: u64,
    records: usize,
}

impl Held {
    /// Where a member is unpacked to, if it is a shared one.
    fn slot(&mut self, place: &Place) -> Option<Arc<Mutex<Option<Arc<Unpacked>>>>> {
        let member = match self.members.iter().position(|member| member.place == *place) {
            Some(at) => self.members.remove(at),
            None if self.noted.contains(place) => {
                Member { place: place.clone(), slot: Arc::default(), bytes: 0, records: 0 }
            }
            None => return None,
        };
        let slot = Arc::clone(&member.slot);
        self.members.push(member);
        Some(slot)
    }

    /// Notes the size of a member; those that were not used for longest go until the others fit.
    fn fit(&mut self, place: &Place, unpacked: &Unpacked) {
        if let Some(member) = self.members.iter_mut().find(|member| member.place == *place) {
            (member.bytes, member.records) = (unpacked.bytes, unpacked.records.len());
        }
        let is_over = |members: &[Member]| {
            members.len() > MAX_MEMBERS
                || members.iter().map(|member| member.bytes).sum::<u64>() > MAX_BYTES
                || members.iter().map(|member| member.records).sum::<usize>() > MAX_RECORDS
        };
        while self.members.len() > 1 && is_over(&self.members) {
            self.members.remove(0);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that several captures share the member at an offset.
pub(super) fn note(blob: &Blob, offset: u64) {
    if let Some(identity) = blob.identity() {
        let mut held = locked(&HELD);
        if held.noted.len() >= MAX_NOTED {
            held.noted.clear();
        }
        held.noted.insert((identity, offset));
    }
}

/// The member at an offset, if it is noted as shared; it is unpacked where it is not yet.
///
/// # Errors
/// When the archive cannot be read.
pub(super) fn of(
    blob: &Blob,
    offset: u64,
    compression: Compression,
    tools: &mut Tools,
) -> io::Result<Option<Arc<Unpacked>>> {
    if compression == Compression::None {
        return Ok(None);
    }
    let Some(place) = blob.identity().map(|identity| (identity, offset)) else { return Ok(None) };
    let Some(slot) = locked(&HELD).slot(&place) else { return Ok(None) };
    let mut slot = locked(&slot);
    if let Some(unpacked) = &*slot {
        return Ok(Some(Arc::clone(unpacked)));
    }
    let mut unpacker = Unpacker::new();
    walk_at(blob, offset, None, compression, tools, &mut unpacker)?;
    let unpacked = Arc::new(unpacker.finish());
    *slot = Some(Arc::clone(&unpacked));
    locked(&HELD).fit(&place, &unpacked);
    Ok(Some(unpacked))
}

/// A capture of a member, and where its block is in the temporary file.
pub(super) struct Record {
    start: u64,
    length: usize,
    pub content_type: Option<Box<str>>,
    pub is_cut: bool,
    /// Its block is longer than [`MAX_BODY_BYTES`], and not kept.
    pub is_too_long: bool,
}

/// A member that was unpacked.
pub(super) struct Unpacked {
    /// There is none where nothing could be stored.
    file: Option<File>,
    bytes: u64,
    /// In the order of the member.
    records: Vec<Record>,
    /// Hashes of record ids, each with the number of its record, in order.
    ids: Vec<(u128, u32)>,
    /// The digests of bodies, each with the number of its record, in order.
    bodies: OnceLock<Vec<(BodyDigest, u32)>>,
    /// Whether all captures are there.
    pub is_whole: bool,
}

impl Unpacked {
    /// The first capture with an id, or of all.
    pub(super) fn first(&self, id: Option<&str>) -> Option<&Record> {
        match id {
            Some(id) => self.with_id(id).next().map(|(_, record)| record),
            None => self.records.first(),
        }
    }

    /// The first whole capture with a body, and with an id where one is wanted. `digest` is that of the body in a block.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub(super) fn with_body(
        &self,
        id: Option<&str>,
        body: BodyDigest,
        digest: impl Fn(&[u8]) -> Option<BodyDigest>,
    ) -> io::Result<Option<&Record>> {
        let bodies = match self.bodies.get() {
            Some(bodies) => bodies,
            None => {
                let mut found = Vec::new();
                for (number, record) in (0u32..).zip(&self.records) {
                    if !record.is_cut && !record.is_too_long {
                        found.extend(digest(&self.block(record)?).map(|digest| (digest, number)));
                    }
                }
                found.sort_unstable_by_key(|(digest, number)| (digest.0, *number));
                self.bodies.get_or_init(|| found)
            }
        };
        let from = bodies.partition_point(|(digest, _)| digest.0 < body.0);
        let mut with_it = bodies[from..].iter().take_while(|(digest, _)| *digest == body);
        let is_named = |number: u32| id.is_none_or(|id| self.with_id(id).any(|(named, _)| named == number));
        let number = with_it.find(|(_, number)| is_named(*number));
        Ok(number.and_then(|(_, number)| self.records.get(*number as usize)))
    }

    fn with_id(&self, id: &str) -> impl Iterator<Item = (u32, &Record)> {
        let hash = hash(id);
        let from = self.ids.partition_point(|(other, _)| *other < hash);
        self.ids[from..]
            .iter()
            .take_while(move |(other, _)| *other == hash)
            .filter_map(|(_, number)| Some((*number, self.records.get(*number as usize)?)))
    }

    /// The block of a capture.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub(super) fn block(&self, record: &Record) -> io::Result<Vec<u8>> {
        let mut block = vec![0; record.length];
        if let Some(file) = &self.file {
            file.read_exact_at(&mut block, record.start)?;
        }
        Ok(block)
    }
}

fn hash(id: &str) -> u128 {
    let hash = blake3::hash(id.as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

struct Unpacker {
    file: Option<BufWriter<File>>,
    unpacked: Unpacked,
    current: Option<Record>,
}

impl Unpacker {
    fn new() -> Self {
        // Where no file can be made, nothing is stored.
        let file = temporary::file().ok().map(|file| BufWriter::with_capacity(1 << 18, file));
        let unpacked = Unpacked {
            file: None,
            bytes: 0,
            records: Vec::new(),
            ids: Vec::new(),
            bodies: OnceLock::new(),
            is_whole: file.is_some(),
        };
        Unpacker { file, unpacked, current: None }
    }

    /// Stores nothing more.
    fn stop(&mut self) {
        self.current = None;
        self.unpacked.is_whole = false;
    }

    fn finish(self) -> Unpacked {
        let Unpacker { file, mut unpacked, .. } = self;
        unpacked.ids.sort_unstable();
        match file.map(BufWriter::into_inner) {
            Some(Ok(file)) => Unpacked { file: Some(file), ..unpacked },
            // The disk is full: what was written last is lost.
            _ => Unpacked { records: Vec::new(), ids: Vec::new(), bytes: 0, is_whole: false, ..unpacked },
        }
    }
}

impl Visitor for Unpacker {
    fn begin(&mut self, head: &RecordHead<'_>, _offset: u64) {
        self.current = None;
        if !self.unpacked.is_whole || !matches!(head.record_type, RecordType::Response | RecordType::Resource)
        {
            return;
        }
        if self.unpacked.records.len() >= MAX_RECORDS {
            return self.stop();
        }
        if let Some(id) = head.id.as_deref() {
            self.unpacked.ids.push((hash(id), self.unpacked.records.len() as u32));
        }
        let own_type = head.record_type == RecordType::Resource || head.is_arc;
        self.current = Some(Record {
            start: self.unpacked.bytes,
            length: 0,
            content_type: head.content_type.as_deref().filter(|_| own_type).map(Into::into),
            is_cut: false,
            is_too_long: false,
        });
    }

    fn block(&mut self, piece: &[u8]) {
        let Some(record) = self.current.as_mut().filter(|record| !record.is_too_long) else { return };
        if record.length + piece.len() > MAX_BODY_BYTES {
            record.is_too_long = true;
            return;
        }
        let fits = self.unpacked.bytes + piece.len() as u64 <= MAX_BYTES;
        match self.file.as_mut().filter(|_| fits).map(|file| file.write_all(piece)) {
            Some(Ok(())) => {
                record.length += piece.len();
                self.unpacked.bytes += piece.len() as u64;
            }
            _ => self.stop(),
        }
    }

    fn end(&mut self, end: RecordEnd) {
        if let Some(record) = self.current.take() {
            self.unpacked.records.push(Record { is_cut: end.cut, ..record });
        }
    }

    fn problem(&mut self, _problem: Problem) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::fetch::{Fetcher, NoBody, Sought};

    fn record(number: u32) -> Vec<u8> {
        let body = format!("body {number}");
        format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:{number}>\r\nWARC-Target-URI: http://a/{number}\r\n\
             WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        )
        .into_bytes()
    }

    fn sought<'a>(file: &'a str, id: Option<&'a str>) -> Sought<'a> {
        Sought { file, offset: 0, length: None, id, declared: None }
    }

    #[test]
    fn a_shared_member_is_unpacked_when_a_second_body_is_wanted() {
        let records: Vec<u8> = (0..50).flat_map(record).collect();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&records).unwrap();
        let gzip = encoder.finish().unwrap();
        let zstd = zstd::encode_all(&records[..], 1).unwrap();
        for (bytes, compression) in [(gzip, Compression::Gzip), (zstd, Compression::Zstd)] {
            let archive = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(archive.path(), bytes).unwrap();
            let file = archive.path().to_str().unwrap();
            let blob = Blob::file(File::open(file).unwrap()).unwrap();
            let unpacked = || of(&blob, 0, compression, &mut Tools::default()).unwrap();
            assert!(unpacked().is_none());
            // Readers come and go.
            for number in (0..50u32).rev() {
                let id = format!("urn:{number}");
                let body = Fetcher::default().body(&sought(file, Some(&id))).unwrap().unwrap();
                assert_eq!(body.bytes, format!("body {number}").into_bytes());
                assert_eq!(body.content_type.as_deref(), Some("text/plain"));
            }
            let member = unpacked().unwrap();
            assert!(member.is_whole && member.records.len() == 50);
            let mut fetcher = Fetcher::default();
            assert_eq!(fetcher.body(&sought(file, Some("urn:50"))).unwrap(), Err(NoBody::NoRecord));
            assert_eq!(fetcher.body(&sought(file, None)).unwrap().unwrap().bytes, b"body 0");
            let digest = |text: &str| BodyDigest(*blake3::hash(text.as_bytes()).as_bytes());
            let mut found = |id, text: &str| {
                let mut budget = u64::MAX;
                let found = fetcher.body_with(&sought(file, id), digest(text), &mut budget);
                found.unwrap().map(|body| body.bytes)
            };
            assert_eq!(found(None, "body 33"), Ok(b"body 33".to_vec()));
            assert_eq!(found(Some("urn:33"), "body 33"), Ok(b"body 33".to_vec()));
            assert_eq!(found(Some("urn:32"), "body 33"), Err(NoBody::NoRecord));
            // Another file in its place.
            std::fs::write(archive.path(), b"").unwrap();
            assert!(
                Fetcher::default().body(&sought(file, Some("urn:1"))).map_or(true, |found| found.is_err())
            );
        }
    }
}
