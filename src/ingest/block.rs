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

/// Reads blocks, keeping the files it has opened.
#[derive(Default)]
pub(crate) struct Blocks {
    files: HashMap<String, (Blob, Compression)>,
    tools: Tools,
}

impl Blocks {
    /// A hash of the block of a record, as far as it goes; `None` where there is no such record.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn hash(&mut self, spot: &Spot<'_>) -> io::Result<Option<blake3::Hash>> {
        if !self.files.contains_key(spot.file) {
            let blob = open(spot.file)?;
            let (compression, _) = sniff(&blob)?;
            self.files.insert(spot.file.to_owned(), (blob, compression));
        }
        let Some((blob, compression)) = self.files.get(spot.file) else { return Ok(None) };
        let mut reader = Reader { id: spot.id, url: spot.url, hasher: None, is_open: false };
        walk_at(blob, spot.offset, spot.length, *compression, &mut self.tools, &mut reader)?;
        Ok(reader.hasher.map(|hasher| hasher.finalize()))
    }
}

struct Reader<'a> {
    id: Option<&'a str>,
    url: &'a str,
    hasher: Option<blake3::Hasher>,
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
        self.is_open = is_capture && is_it && self.hasher.is_none();
        if self.is_open {
            self.hasher = Some(blake3::Hasher::new());
        }
    }

    fn block(&mut self, piece: &[u8]) {
        if let Some(hasher) = self.hasher.as_mut().filter(|_| self.is_open) {
            hasher.update(piece);
        }
    }

    fn end(&mut self, _end: RecordEnd) {
        self.is_open = false;
    }

    fn problem(&mut self, _problem: Problem) {}
}
