//! The heads of all records of a file: as far as merging needs them, and read by several threads where the file is long.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::num::{NonZeroU64, NonZeroU128};

use super::mend::{Counted, Mend};
use super::source::Opened;
use crate::archive::members::{Depth, Members, Tools};
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::Compression;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::problem::Problem;
use crate::schedule::parallel::{jobs, threads};

/// A file is divided among threads only into parts of at least this length.
const PART: u64 = 16 << 20;

/// A record as far as merging needs it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Head {
    pub offset: u64,
    pub length: u64,
    /// A hash of the head: records of different heads are different.
    pub head: u128,
    /// A hash of the declared payload digest of a plain response: payloads of different digests are not stored once.
    pub digest: Option<NonZeroU128>,
    pub is_arc: bool,
    pub is_revisit: bool,
    /// By what revisits call a capture; of a revisit what it calls its original.
    pub names: Names,
    /// Its head declares no length that could be read.
    pub lacks_length: bool,
    /// Why it cannot be copied as it is.
    pub mend: Option<Mend>,
    /// Only its member shows where it ends: its length is wrong, or no blank lines follow its block.
    pub needs_member: bool,
    /// Bytes that are not a record follow it in its member.
    pub has_tail: bool,
}

/// Hashes of an id, of a URL and date, and of a digest.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Names([Option<NonZeroU64>; 3]);

impl Names {
    fn new(id: Option<u128>, capture: Option<u128>, digest: Option<u128>) -> Self {
        Names([id, capture, digest].map(|hash| NonZeroU64::new(hash? as u64)))
    }

    /// The names of a record: none of what is neither a capture with content nor a revisit.
    fn of_head(head: &RecordHead<'_>, digest: Option<u128>) -> Self {
        let place = |url: &Option<Cow<'_, str>>, date: &Option<Cow<'_, str>>| {
            url.as_deref().zip(date.as_deref()).map(|(url, date)| hash_of_capture(url, date))
        };
        match head.record_type {
            RecordType::Response | RecordType::Resource => {
                Names::new(head.id.as_deref().map(hash_of_id), place(&head.target, &head.date), digest)
            }
            RecordType::Revisit => {
                let id = head.refers_to.as_deref().map(hash_of_id);
                let place = place(&head.refers_to_target, &head.refers_to_date);
                Names::new(id, place, digest.filter(|_| id.or(place).is_none()))
            }
            _ => Names::default(),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u64> {
        self.0.into_iter().flatten().map(NonZeroU64::get)
    }
}

/// What a walk over a file found.
#[derive(Debug, Default)]
pub(super) struct Heads {
    pub records: Vec<Head>,
    /// The newest date of a record, as written.
    pub newest: Option<String>,
    /// Some record shares its member with others.
    pub is_shared: bool,
    /// Something is wrong with the file: heads are not enough.
    pub is_odd: bool,
    /// Records whose end is unknown, and stretches of bytes that are not a record.
    pub damaged: u64,
    /// Offset of the first damaged place.
    pub first_damage: Option<u64>,
    /// Those of them whose compressed data are damaged, each alone in its member.
    broken: Vec<Head>,
    /// Members that cannot be inflated to their end.
    damaged_members: Vec<u64>,
    /// Hashes of the ids, and of the URLs and dates, that revisits refer to.
    pub referred: Vec<u128>,
    now: Option<Head>,
    last: Option<u64>,
    counted: Counted,
}

impl Heads {
    /// Reads the heads of a file; `depth`: how much of a gzip member is inflated.
    pub(super) fn read(source: &Opened, depth: Depth) -> io::Result<Self> {
        if depth == Depth::Heads
            && let Some(heads) = Heads::in_parts(source, threads())?
        {
            return Ok(heads);
        }
        let is_plain = source.compression == Compression::None;
        let mut heads = Heads { counted: Counted::new(is_plain), ..Heads::default() };
        source.walk(depth, &mut heads)?;
        Ok(heads)
    }

    /// Whether records stand in members of their own.
    pub(super) fn stand_alone(&self) -> bool {
        !self.records.is_empty() || !self.broken.is_empty()
    }

    /// Counts damaged members of which no record is copied.
    pub(super) fn count_lost_members(&mut self) {
        let kept: HashSet<u64> = self.records.iter().map(|head| head.offset).collect();
        for offset in std::mem::take(&mut self.damaged_members) {
            if !kept.contains(&offset) && self.first_damage != Some(offset) {
                self.damaged += 1;
                self.first_damage = Some(self.first_damage.map_or(offset, |first| first.min(offset)));
            }
        }
    }

    /// Counts records of damaged members as records of a file of this length: they are copied as far as they go.
    pub(super) fn take_broken(&mut self, length: u64) {
        self.damaged -= self.broken.len() as u64;
        let broken = self.broken.drain(..).map(|head| Head { length: length - head.offset, ..head });
        self.records.extend(broken);
        self.records.sort_by_key(|head| head.offset);
    }

    /// Reads the heads of a long gzip file in parts. `None`: it is not one, or a part does not begin where the one before it ends, as in a
    /// record that holds an archive.
    fn in_parts(source: &Opened, threads: usize) -> io::Result<Option<Self>> {
        let length = source.blob.len();
        let parts = (length / PART).min(threads as u64);
        if source.compression != Compression::Gzip || parts < 2 {
            return Ok(None);
        }
        let each = length.div_ceil(parts);
        let found = jobs(threads, parts as usize, |part| -> io::Result<_> {
            let from = part as u64 * each;
            let until = (from + each).min(length);
            let mut tools = Tools::default();
            let mut members = Members::new(&source.blob, from, until, &mut tools);
            let start = if part == 0 { Some(0) } else { members.find()? };
            let start = start.unwrap_or(length);
            let mut heads = Heads::default();
            let end = members.walk(start, Depth::Heads, &mut heads)?;
            Ok((start, end, heads))
        });
        let mut all = Heads::default();
        let mut expected = 0;
        for part in found {
            let (start, end, heads) = part?;
            if start != expected {
                return Ok(None);
            }
            expected = end;
            all.records.extend(heads.records);
            all.newest = all.newest.max(heads.newest);
            all.is_shared |= heads.is_shared;
            all.is_odd |= heads.is_odd;
            all.damaged += heads.damaged;
            all.first_damage = all.first_damage.or(heads.first_damage);
            all.broken.extend(heads.broken);
            all.referred.extend(heads.referred);
        }
        Ok(Some(all))
    }
}

/// Half of a hash: enough to tell which records are worth comparing.
fn half(hash: blake3::Hash) -> u128 {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}

/// A hash of a record id.
pub(super) fn hash_of_id(id: &str) -> u128 {
    half(blake3::hash(id.as_bytes()))
}

/// A hash of what a revisit names where it names no id.
pub(super) fn hash_of_capture(url: &str, date: &str) -> u128 {
    hash_of_id(&format!("{url} {date}"))
}

/// Whether a response may become a revisit: it is whole, and says what its payload is.
pub(super) fn payload_digest<'a>(head: &'a RecordHead<'_>) -> Option<&'a str> {
    let is_plain =
        head.record_type == RecordType::Response && head.truncated.is_none() && head.segment_number.is_none();
    head.payload_digest.as_deref().filter(|_| is_plain)
}

impl Visitor for Heads {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        let mut hasher = blake3::Hasher::new();
        let parts =
            [&head.id, &head.target, &head.date, &head.payload_digest, &head.block_digest, &head.refers_to];
        for part in parts {
            hasher.update(part.as_deref().unwrap_or("-").as_bytes());
            hasher.update(&[0]);
        }
        hasher.update(head.record_type.to_string().as_bytes());
        // Without an id two records are never the same one, except those of ARC, which has no ids.
        if head.id.is_none() && !head.is_arc {
            hasher.update(&offset.to_le_bytes());
        }
        if head.date.as_deref() > self.newest.as_deref() {
            self.newest = head.date.as_deref().map(str::to_owned);
        }
        let hash = |digest: &str| half(blake3::hash(digest.as_bytes()));
        let declared = head.payload_digest.as_deref().map(hash);
        let digest = declared.filter(|_| payload_digest(head).is_some());
        self.now = Some(Head {
            offset,
            length: 0,
            head: half(hasher.finalize()),
            digest: digest.and_then(NonZeroU128::new),
            is_arc: head.is_arc,
            is_revisit: head.record_type == RecordType::Revisit,
            names: Names::of_head(head, declared),
            lacks_length: head.content_length.is_none() && head.record_type != RecordType::WarcInfo,
            mend: None,
            needs_member: false,
            has_tail: false,
        });
        if head.record_type == RecordType::Revisit {
            self.referred.extend(head.refers_to.as_deref().map(hash_of_id));
            let place = head.refers_to_target.as_deref().zip(head.refers_to_date.as_deref());
            self.referred.extend(place.map(|(url, date)| hash_of_capture(url, date)));
        }
        self.counted.begin();
        // What shares a member is not alone in it.
        self.broken.retain(|known| known.offset != offset);
    }

    fn block(&mut self, piece: &[u8]) {
        self.counted.add(piece);
    }

    fn end(&mut self, end: RecordEnd) {
        let Some(mut head) = self.now.take() else { return };
        self.is_odd |= end.cut || end.doubtful;
        // Where an ARC record does not end where its line says, its length is as good as missing.
        head.lacks_length |= head.is_arc && head.offset > 0 && (end.cut || end.doubtful);
        head.mend = self.counted.end(end);
        head.needs_member = head.mend.is_none() && (end.cut || end.doubtful || !end.trailer);
        let is_first = self.last.replace(head.offset) != Some(head.offset);
        match end.length {
            Some(length) => {
                head.length = length;
                self.records.push(head);
            }
            None => {
                self.is_shared = true;
                self.damaged += 1;
                self.first_damage.get_or_insert(head.offset);
                if is_first && head.mend.is_some() {
                    self.broken.push(head);
                }
            }
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.is_odd = true;
        if problem.kind == "gzip-damaged" {
            self.damaged_members.extend(problem.offset);
        }
        if !matches!(problem.kind.as_str(), "garbage-skipped" | "not-records" | "trailing-garbage") {
            return;
        }
        // Bytes that hold no record are copied only with the member of the record before them.
        match self.records.last_mut().filter(|head| Some(head.offset) == problem.offset) {
            Some(head) => head.has_tail = true,
            None => {
                self.damaged += 1;
                self.first_damage = self.first_damage.or(problem.offset);
            }
        }
    }
}

#[cfg(test)]
impl Names {
    /// These names, three at most.
    pub(super) fn of(names: &[u64]) -> Self {
        let mut names = names.iter().map(|name| u128::from(*name));
        Names::new(names.next(), names.next(), names.next())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::archive::blob::Blob;

    /// A gzip member with one record of noise.
    fn member(number: u32, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/{number}\r\nWARC-Date: 2024-01-01T00:00:{:02}Z\r\n\
             WARC-Record-ID: <urn:{number}>\r\nContent-Length: {}\r\n\r\n",
            number % 60,
            body.len()
        );
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        [head.as_bytes(), body, b"\r\n\r\n"].iter().for_each(|part| encoder.write_all(part).unwrap());
        encoder.finish().unwrap()
    }

    fn noise(seed: u64, length: usize) -> Vec<u8> {
        let mut random = seed;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    fn opened(bytes: Vec<u8>) -> Opened {
        Opened { blob: Blob::memory(bytes), compression: Compression::Gzip }
    }

    #[test]
    fn parts_read_by_several_threads_are_the_whole() {
        let file: Vec<u8> =
            (0..60).flat_map(|number| member(number, &noise(number.into(), 1 << 20))).collect();
        let source = opened(file);
        let mut whole = Heads::default();
        source.walk(Depth::Heads, &mut whole).unwrap();
        assert_eq!(whole.records.len(), 60);
        for threads in [2, 3, 5] {
            let parts = Heads::in_parts(&source, threads).unwrap().unwrap();
            let places = |heads: &Heads| {
                heads.records.iter().map(|it| (it.offset, it.length, it.head)).collect::<Vec<_>>()
            };
            assert_eq!(places(&parts), places(&whole));
            assert_eq!(parts.newest, whole.newest);
        }
        assert!(Heads::in_parts(&source, 1).unwrap().is_none());
    }

    #[test]
    fn an_archive_inside_a_record_is_not_taken_for_records() {
        let inner: Vec<u8> =
            (0..40).flat_map(|number| member(100 + number, &noise(number.into(), 1 << 20))).collect();
        // Stored, so that the members inside are there for a search.
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/all.warc.gz\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:all>\r\nContent-Length: {}\r\n\r\n",
            inner.len()
        );
        [head.as_bytes(), &inner, b"\r\n\r\n"].iter().for_each(|part| encoder.write_all(part).unwrap());
        let file = [encoder.finish().unwrap(), member(1, b"x")].concat();
        let heads = Heads::read(&opened(file), Depth::Heads).unwrap();
        assert_eq!(heads.records.len(), 2);
    }
}
