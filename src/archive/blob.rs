//! A blob: bytes that can be read at any offset, by several threads at once.
//!
//! Archives are read with `pread`, never mapped: truncating a mapped file kills the process. A WARC
//! stored inside a WACZ is a section of the package, read in place.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::Arc;

use super::remote::{self, RangeReader, Remote};

/// Random-access bytes: a file, a section of one, memory, or what a program gives.
#[derive(Debug, Clone)]
pub struct Blob {
    bytes: Bytes,
    start: u64,
    length: u64,
}

#[derive(Debug, Clone)]
enum Bytes {
    File(Arc<File>),
    Memory(Arc<[u8]>),
    Remote(Arc<Remote>),
}

/// What tells the bytes of a blob from those of others: a part of a file in its present state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    size: u64,
    start: u64,
    length: u64,
}

impl Blob {
    /// All of a regular file.
    pub fn file(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Blob { bytes: Bytes::File(Arc::new(file)), start: 0, length })
    }

    pub fn memory(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Blob { start: 0, length: bytes.len() as u64, bytes: Bytes::Memory(bytes) }
    }

    /// An archive elsewhere; where it ends shows only when it is read.
    pub(crate) fn remote(reader: Arc<RangeReader>, name: &str) -> Self {
        let bytes = Bytes::Remote(Arc::new(Remote::new(reader, name)));
        Blob { bytes, start: 0, length: remote::LENGTH }
    }

    /// A part of this blob, limited to its bounds.
    pub fn section(&self, start: u64, length: u64) -> Self {
        let start = start.min(self.length);
        Blob { bytes: self.bytes.clone(), start: self.start + start, length: length.min(self.length - start) }
    }

    /// What tells these bytes from others; only those of files are known so.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let Bytes::File(file) = &self.bytes else { return None };
        let file = file.metadata().ok()?;
        Some(Identity {
            device: file.dev(),
            inode: file.ino(),
            modified: (file.mtime(), file.mtime_nsec()),
            size: file.len(),
            start: self.start,
            length: self.length,
        })
    }

    pub fn len(&self) -> u64 {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Fills `buffer` from `offset` on; gives fewer bytes only at the end.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.length.saturating_sub(offset).min(buffer.len() as u64) as usize;
        if available == 0 {
            return Ok(0);
        }
        let buffer = &mut buffer[..available];
        match &self.bytes {
            Bytes::Memory(bytes) => {
                let start = (self.start + offset) as usize;
                buffer.copy_from_slice(&bytes[start..start + available]);
                Ok(available)
            }
            Bytes::Remote(remote) => remote.read_at(self.start + offset, buffer),
            Bytes::File(file) => {
                let mut filled = 0;
                while filled < available {
                    match read_file(file, &mut buffer[filled..], self.start + offset + filled as u64) {
                        Ok(0) => break,
                        Ok(count) => filled += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(filled)
            }
        }
    }

    /// Up to `length` bytes from `offset` on.
    pub fn bytes_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; self.length.saturating_sub(offset).min(length as u64) as usize];
        let filled = self.read_at(offset, &mut buffer)?;
        buffer.truncate(filled);
        Ok(buffer)
    }

    /// A buffered reader that starts at `offset`.
    pub fn reader(&self, offset: u64) -> BlobReader {
        BlobReader { blob: self.clone(), offset, buffer: Vec::new(), at: 0 }
    }
}

/// Reads a blob sequentially and knows its exact position.
#[derive(Debug)]
pub struct BlobReader {
    blob: Blob,
    /// Offset of the first byte after the buffer.
    offset: u64,
    buffer: Vec<u8>,
    at: usize,
}

#[cfg(not(test))]
fn read_file(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

#[cfg(test)]
fn read_file(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    super::faults::call(buffer.len(), |length| file.read_at(&mut buffer[..length], offset))
}

const READ_AHEAD: usize = 256 * 1024;

impl BlobReader {
    /// The offset of the next byte to be read.
    pub fn position(&self) -> u64 {
        self.offset - (self.buffer.len() - self.at) as u64
    }
}

impl BufRead for BlobReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.buffer.len() {
            self.at = 0;
            let ahead = self.blob.length.saturating_sub(self.offset).min(READ_AHEAD as u64);
            self.buffer.resize(ahead as usize, 0);
            let filled = self.blob.read_at(self.offset, &mut self.buffer)?;
            self.buffer.truncate(filled);
            self.offset += filled as u64;
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl Read for BlobReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(out.len());
        out[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_never_reaches_beyond_its_blob() {
        let blob = Blob::memory(*b"0123456789");
        let section = blob.section(4, 100);
        assert_eq!(section.len(), 6);
        assert_eq!(section.bytes_at(1, 3).unwrap(), b"567");
        assert_eq!(section.section(2, 2).bytes_at(0, 9).unwrap(), b"67");
        assert_eq!(section.bytes_at(99, 3).unwrap(), b"");
        let mut reader = section.reader(2);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), reader.position()), ("6789", 6));
    }
}
