//! The block of one record, read again by its place: whether two records hold the same bytes, however they are compressed.

use std::collections::{HashMap, VecDeque};
use std::io;

use super::fetch::open;
use crate::archive::blob::Blob;
use crate::archive::members::{Tools, walk_at};
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::{Compression, sniff};
use crate::archive::walk::{RecordEnd, Visitor};
use crate::problem::Problem;

/// Where a record lies, and what tells it apart from others in its compressed member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub file: &'a str,
    pub offset: u64,
    pub length: Option<u64>,
    pub id: Option<&'a str>,
    pub url: &'a str,
}

/// The bytes of a block, as far as it goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    hash: blake3::Hash,
    /// Without the newlines at its end.
    trimmed: blake3::Hash,
    /// Its head states no length: newlines at its end may be those that part records.
    is_open: bool,
}

impl Block {
    /// Whether two records hold the same bytes.
    pub(crate) fn is_same(&self, other: &Block) -> bool {
        match self.is_open || other.is_open {
            true => self.trimmed == other.trimmed,
            false => self.hash == other.hash,
        }
    }
}

/// Reads blocks, keeping the files it has opened.
///
/// Records that share a compressed member are read together when a second one of them is wanted: one by one, each would be inflated from
/// the start of the member again, and the cost would grow with the square of their number.
#[derive(Default)]
pub(crate) struct Blocks {
    files: HashMap<String, (Blob, Compression)>,
    tools: Tools,
    /// The places that were read last, the latest in front.
    recent: VecDeque<(String, u64)>,
    /// Members whose blocks are all known, the latest in front.
    members: VecDeque<((String, u64), Member)>,
}

/// Places that are remembered to see that records share a member: some of both sides.
const MAX_RECENT: usize = 8;
/// Members whose blocks are held.
const MAX_MEMBERS: usize = 4;
/// Maximum number of blocks held of a member.
const MAX_BLOCKS: usize = 1 << 20;

impl Blocks {
    /// The block of a record; `None` where there is no such record.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn read(&mut self, spot: &Spot<'_>) -> io::Result<Option<Block>> {
        if !self.files.contains_key(spot.file) {
            let blob = open(spot.file)?;
            let (compression, _) = sniff(&blob)?;
            self.files.insert(spot.file.to_owned(), (blob, compression));
        }
        let Some((blob, compression)) = self.files.get(spot.file) else { return Ok(None) };
        let is_here = |place: &(String, u64)| place.0 == spot.file && place.1 == spot.offset;
        let is_known = self.members.iter().any(|(place, _)| is_here(place));
        if *compression != Compression::None && (is_known || self.recent.iter().any(is_here)) {
            if !is_known {
                let mut member = Member::default();
                walk_at(blob, spot.offset, None, *compression, &mut self.tools, &mut member)?;
                self.members.push_front(((spot.file.to_owned(), spot.offset), member));
                self.members.truncate(MAX_MEMBERS);
            }
            let member = self.members.iter().find(|(place, _)| is_here(place)).map(|(_, member)| member);
            if let Some(member) = member.filter(|member| member.is_whole()) {
                return Ok(member.blocks.get(&name(spot.id, spot.url)).copied());
            }
        } else if *compression != Compression::None {
            self.recent.push_front((spot.file.to_owned(), spot.offset));
            self.recent.truncate(MAX_RECENT);
        }
        let mut reader = Reader { id: spot.id, url: spot.url, sums: None, is_read: false };
        walk_at(blob, spot.offset, spot.length, *compression, &mut self.tools, &mut reader)?;
        Ok(reader.sums.map(Sums::finish))
    }
}

/// What a record is found by in its member: its id, or where it has none its URL.
fn name(id: Option<&str>, url: &str) -> [u8; 16] {
    let hash = match id {
        Some(id) => blake3::hash(id.as_bytes()),
        None => blake3::keyed_hash(&[1; 32], url.as_bytes()),
    };
    let mut name = [0; 16];
    name.copy_from_slice(&hash.as_bytes()[..16]);
    name
}

/// The blocks of all captures of a member, the first of each id and of each URL.
#[derive(Default)]
struct Member {
    blocks: HashMap<[u8; 16], Block>,
    current: Option<(Sums, Option<[u8; 16]>, [u8; 16])>,
}

impl Member {
    /// Whether there was room for all of them.
    fn is_whole(&self) -> bool {
        self.blocks.len() < MAX_BLOCKS
    }
}

impl Visitor for Member {
    fn begin(&mut self, head: &RecordHead<'_>, _offset: u64) {
        let by_url = name(None, head.target.as_deref().unwrap_or_default());
        let by_id = head.id.as_deref().map(|id| name(Some(id), ""));
        self.current = (is_capture(head) && self.is_whole()).then(|| (Sums::of(head), by_id, by_url));
    }

    fn block(&mut self, piece: &[u8]) {
        if let Some((sums, ..)) = &mut self.current {
            sums.add(piece);
        }
    }

    fn end(&mut self, _end: RecordEnd) {
        if let Some((sums, by_id, by_url)) = self.current.take() {
            let block = sums.finish();
            for name in by_id.into_iter().chain([by_url]) {
                self.blocks.entry(name).or_insert(block);
            }
        }
    }

    fn problem(&mut self, _problem: Problem) {}
}

fn is_capture(head: &RecordHead<'_>) -> bool {
    matches!(head.record_type, RecordType::Response | RecordType::Resource | RecordType::Revisit)
}

struct Reader<'a> {
    id: Option<&'a str>,
    url: &'a str,
    sums: Option<Sums>,
    /// The record that is passing is the one.
    is_read: bool,
}

struct Sums {
    hasher: blake3::Hasher,
    /// Up to the last byte that is not a newline.
    trimmed: blake3::Hasher,
    is_open: bool,
}

impl Sums {
    fn of(head: &RecordHead<'_>) -> Self {
        let empty = blake3::Hasher::new();
        Sums { hasher: empty.clone(), trimmed: empty, is_open: head.content_length.is_none() }
    }

    fn add(&mut self, piece: &[u8]) {
        let newlines = piece.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let (text, newlines) = piece.split_at(piece.len() - newlines);
        if !text.is_empty() {
            self.hasher.update(text);
            self.trimmed.clone_from(&self.hasher);
        }
        self.hasher.update(newlines);
    }

    fn finish(self) -> Block {
        let Sums { hasher, trimmed, is_open } = self;
        Block { hash: hasher.finalize(), trimmed: trimmed.finalize(), is_open }
    }
}

impl Visitor for Reader<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, _offset: u64) {
        let is_it = match self.id {
            Some(id) => head.id.as_deref() == Some(id),
            None => head.target.as_deref() == Some(self.url),
        };
        self.is_read = is_capture(head) && is_it && self.sums.is_none();
        if self.is_read {
            self.sums = Some(Sums::of(head));
        }
    }

    fn block(&mut self, piece: &[u8]) {
        if let Some(sums) = self.sums.as_mut().filter(|_| self.is_read) {
            sums.add(piece);
        }
    }

    fn end(&mut self, _end: RecordEnd) {
        self.is_read = false;
    }

    fn problem(&mut self, _problem: Problem) {}
}
