//! The block of one record, read again by its place: whether two records hold the same bytes, however they are compressed.

use std::collections::HashMap;
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
#[derive(Default)]
pub(crate) struct Blocks {
    files: HashMap<String, (Blob, Compression)>,
    tools: Tools,
}

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
        let mut reader = Reader { id: spot.id, url: spot.url, sums: None, is_read: false };
        walk_at(blob, spot.offset, spot.length, *compression, &mut self.tools, &mut reader)?;
        Ok(reader.sums.map(|Sums { hasher, trimmed, is_open }| Block {
            hash: hasher.finalize(),
            trimmed: trimmed.finalize(),
            is_open,
        }))
    }
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

impl Visitor for Reader<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, _offset: u64) {
        let is_capture =
            matches!(head.record_type, RecordType::Response | RecordType::Resource | RecordType::Revisit);
        let is_it = match self.id {
            Some(id) => head.id.as_deref() == Some(id),
            None => head.target.as_deref() == Some(self.url),
        };
        self.is_read = is_capture && is_it && self.sums.is_none();
        if self.is_read {
            let empty = blake3::Hasher::new();
            let is_open = head.content_length.is_none();
            self.sums = Some(Sums { hasher: empty.clone(), trimmed: empty, is_open });
        }
    }

    fn block(&mut self, piece: &[u8]) {
        if let Some(sums) = self.sums.as_mut().filter(|_| self.is_read) {
            let newlines = piece.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let (text, newlines) = piece.split_at(piece.len() - newlines);
            if !text.is_empty() {
                sums.hasher.update(text);
                sums.trimmed.clone_from(&sums.hasher);
            }
            sums.hasher.update(newlines);
        }
    }

    fn end(&mut self, _end: RecordEnd) {
        self.is_read = false;
    }

    fn problem(&mut self, _problem: Problem) {}
}
