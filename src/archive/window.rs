//! A window: the next bytes of an uncompressed stream of records.
//!
//! Records are parsed through this one interface, whether their bytes are in memory (a gzip member inflated whole, the
//! common and fast case) or come from a reader in pieces (a plain file, a member too big for memory, a damaged one).

use std::borrow::Cow;
use std::io::{self, Read};

use super::blob::Blob;

/// The next bytes of a stream.
pub(crate) trait Window {
    /// Makes at least `wanted` bytes available if the stream has them, and returns all available bytes.
    /// Damage ends the stream; see [`Window::damage`].
    fn fill(&mut self, wanted: usize) -> &[u8];

    /// Consumes `count` available bytes.
    fn consume(&mut self, count: usize);

    /// The number of bytes consumed so far.
    fn position(&self) -> u64;

    /// The bytes at `position`, if the stream can look ahead at no cost.
    fn peek(&mut self, position: u64, length: usize) -> Option<Cow<'_, [u8]>>;

    /// Goes back to an earlier position; `false` if that is no longer possible.
    fn rewind(&mut self, position: u64) -> bool;

    /// Why the stream ended early.
    fn damage(&self) -> Option<&str>;

    /// The position in the compressed file, if known.
    fn compressed_position(&self) -> Option<u64> {
        None
    }
}

#[derive(Debug)]
pub(crate) struct SliceWindow<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> SliceWindow<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        SliceWindow { bytes, at: 0 }
    }
}

impl Window for SliceWindow<'_> {
    fn fill(&mut self, _wanted: usize) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.bytes.len());
    }

    fn position(&self) -> u64 {
        self.at as u64
    }

    fn peek(&mut self, position: u64, length: usize) -> Option<Cow<'_, [u8]>> {
        let start = usize::try_from(position).unwrap_or(usize::MAX).min(self.bytes.len());
        let end = start.saturating_add(length).min(self.bytes.len());
        Some(Cow::Borrowed(&self.bytes[start..end]))
    }

    fn rewind(&mut self, position: u64) -> bool {
        self.at = position as usize;
        true
    }

    fn damage(&self) -> Option<&str> {
        None
    }
}

/// The source of a [`StreamWindow`]: can be opened at any position of the uncompressed stream.
pub(crate) trait Stream {
    /// A reader of the stream from `position` on.
    fn open(&mut self, position: u64) -> io::Result<()>;

    /// Reads on from where the last call ended.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize>;

    /// The bytes at `position`, if looking ahead is free.
    fn peek(&mut self, position: u64, length: usize) -> Option<Cow<'_, [u8]>>;

    /// Why looking ahead failed, if it did: what was planned from it may be wrong.
    fn failure(&self) -> Option<&str> {
        None
    }

    /// How often the window may rewind: a compressed stream must be read again from its start.
    fn rewinds(&self) -> u32;

    /// The position in the compressed file, if known.
    fn compressed_position(&self) -> Option<u64> {
        None
    }
}

const PIECE: usize = 256 * 1024;
const FIRST_PIECE: usize = 16 * 1024;

/// A window on a reader: never more than a few pieces in memory.
#[derive(Debug)]
pub(crate) struct StreamWindow<S> {
    stream: S,
    buffer: Vec<u8>,
    at: usize,
    /// Position of `buffer[0]`.
    base: u64,
    ended: bool,
    damage: Option<String>,
    rewinds: u32,
}

impl<S: Stream> StreamWindow<S> {
    /// A window on `stream`, from its start.
    pub(crate) fn new(mut stream: S) -> Self {
        let damage = stream.open(0).err().map(|error| error.to_string());
        let rewinds = stream.rewinds();
        StreamWindow { stream, buffer: Vec::new(), at: 0, base: 0, ended: damage.is_some(), damage, rewinds }
    }
}

impl<S: Stream> Window for StreamWindow<S> {
    fn fill(&mut self, wanted: usize) -> &[u8] {
        if self.buffer.len() - self.at < wanted && !self.ended {
            self.buffer.drain(..self.at);
            self.base += self.at as u64;
            self.at = 0;
            while self.buffer.len() < wanted && !self.ended {
                let length = self.buffer.len();
                // Most files of a folder are small: the first piece is, too.
                let piece = if self.base + length as u64 == 0 { FIRST_PIECE } else { PIECE };
                self.buffer.resize(length + piece, 0);
                let count = match self.stream.read(&mut self.buffer[length..]) {
                    Ok(count) => count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                        self.buffer.truncate(length);
                        continue;
                    }
                    Err(error) => {
                        self.damage = Some(error.to_string());
                        0
                    }
                };
                self.ended |= count == 0;
                self.buffer.truncate(length + count);
            }
        }
        &self.buffer[self.at..]
    }

    fn consume(&mut self, count: usize) {
        self.at = (self.at + count).min(self.buffer.len());
    }

    fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    fn peek(&mut self, position: u64, length: usize) -> Option<Cow<'_, [u8]>> {
        self.stream.peek(position, length)
    }

    fn rewind(&mut self, position: u64) -> bool {
        if position >= self.base && position <= self.position() {
            self.at = (position - self.base) as usize;
            return true;
        }
        if self.rewinds == 0 || self.stream.open(position).is_err() {
            return false;
        }
        self.rewinds -= 1;
        self.buffer.clear();
        (self.at, self.base, self.ended, self.damage) = (0, position, false, None);
        true
    }

    fn damage(&self) -> Option<&str> {
        self.damage.as_deref().or_else(|| self.stream.failure())
    }

    fn compressed_position(&self) -> Option<u64> {
        self.stream.compressed_position()
    }
}

/// The plain bytes of a blob.
#[derive(Debug)]
pub(crate) struct PlainStream {
    blob: Blob,
    at: u64,
    failure: Option<String>,
}

impl PlainStream {
    pub(crate) fn new(blob: Blob) -> Self {
        PlainStream { blob, at: 0, failure: None }
    }
}

impl Stream for PlainStream {
    fn open(&mut self, position: u64) -> io::Result<()> {
        self.at = position;
        Ok(())
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.blob.read_at(self.at, out)?;
        self.at += count as u64;
        Ok(count)
    }

    fn peek(&mut self, position: u64, length: usize) -> Option<Cow<'_, [u8]>> {
        match self.blob.bytes_at(position, length) {
            Ok(bytes) => Some(Cow::Owned(bytes)),
            Err(error) => {
                self.failure.get_or_insert(error.to_string());
                None
            }
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn rewinds(&self) -> u32 {
        u32::MAX
    }
}

/// Skips `count` bytes of a reader.
pub(super) fn skip(reader: &mut dyn Read, count: u64) -> io::Result<()> {
    let skipped = io::copy(&mut reader.take(count), &mut io::sink())?;
    if skipped == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
