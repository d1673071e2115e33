//! Writes zip files whose entries are stored, not compressed: a WACZ is read at offsets inside its entries.

use std::io::{self, Read, Write};

/// A zip file that is being written.
pub(crate) struct ZipWriter<W> {
    out: W,
    position: u64,
    directory: Vec<u8>,
    entries: u64,
}

/// What is known of an entry before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    pub crc: u32,
    pub length: u64,
}

/// 1980-01-01, the first date that zip can say: same content, same bytes.
const DATE: u32 = 0x0021_0000;
const LARGE: u64 = 0xffff_ffff;

impl<W: Write> ZipWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        ZipWriter { out, position: 0, directory: Vec::new(), entries: 0 }
    }

    /// Stores an entry.
    pub(crate) fn store(&mut self, name: &str, stored: Stored, content: &mut dyn Read) -> io::Result<()> {
        let start = self.position;
        let is_large = stored.length >= LARGE;
        let short = |value: u64| (value.min(LARGE) as u32).to_le_bytes();
        let mut extra = Vec::new();
        if is_large {
            extra.extend([1u16, 16].map(u16::to_le_bytes).concat());
            extra.extend([stored.length; 2].map(u64::to_le_bytes).concat());
        }
        let version: u16 = if is_large || start >= LARGE { 45 } else { 20 };
        // Version, flags (names are UTF-8), method "stored", time and date, checksum, lengths.
        let common = |extra: &[u8]| {
            let mut bytes = Vec::new();
            bytes.extend(version.to_le_bytes());
            bytes.extend(0x0800u16.to_le_bytes());
            bytes.extend(0u16.to_le_bytes());
            bytes.extend(DATE.to_le_bytes());
            bytes.extend(stored.crc.to_le_bytes());
            bytes.extend(short(stored.length));
            bytes.extend(short(stored.length));
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend((extra.len() as u16).to_le_bytes());
            bytes
        };
        let local = [b"PK\x03\x04", common(&extra).as_slice(), name.as_bytes(), &extra].concat();
        self.put(&local)?;
        let copied = io::copy(content, &mut self.out)?;
        if copied != stored.length {
            return Err(io::Error::other(format!("{name} changed while it was written")));
        }
        self.position += copied;
        if start >= LARGE {
            if extra.is_empty() {
                extra.extend([1u16, 8].map(u16::to_le_bytes).concat());
            } else {
                extra[2..4].copy_from_slice(&24u16.to_le_bytes());
            }
            extra.extend(start.to_le_bytes());
        }
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(45u16.to_le_bytes());
        self.directory.extend(common(&extra));
        self.directory.extend([0u8; 10]);
        self.directory.extend(short(start));
        self.directory.extend(name.as_bytes());
        self.directory.extend(&extra);
        self.entries += 1;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes the directory.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let (start, directory) = (self.position, std::mem::take(&mut self.directory));
        let length = directory.len() as u64;
        self.put(&directory)?;
        if start + length >= LARGE || self.entries >= 0xffff {
            let end = self.position;
            let mut large = b"PK\x06\x06".to_vec();
            large.extend(44u64.to_le_bytes());
            large.extend([45u16, 45].map(u16::to_le_bytes).concat());
            large.extend([0u8; 8]);
            large.extend([self.entries, self.entries, length, start].map(u64::to_le_bytes).concat());
            large.extend(b"PK\x06\x07");
            large.extend(0u32.to_le_bytes());
            large.extend(end.to_le_bytes());
            large.extend(1u32.to_le_bytes());
            self.put(&large)?;
        }
        let entries = (self.entries.min(0xffff) as u16).to_le_bytes();
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend([entries, entries].concat());
        end.extend((length.min(LARGE) as u32).to_le_bytes());
        end.extend((start.min(LARGE) as u32).to_le_bytes());
        end.extend([0u8; 2]);
        self.put(&end)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::blob::Blob;
    use crate::archive::zip::Directory;

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = Vec::new();
        let mut zip = ZipWriter::new(&mut bytes);
        for (name, content) in [("a/b.txt", &b"hello"[..]), ("é", b"")] {
            let mut crc = flate2::Crc::new();
            crc.update(content);
            let stored = Stored { crc: crc.sum(), length: content.len() as u64 };
            zip.store(name, stored, &mut &*content).unwrap();
        }
        zip.finish().unwrap();
        let blob = Blob::memory(bytes);
        let directory = Directory::read(&blob).unwrap();
        assert!(directory.problems.is_empty(), "{:?}", directory.problems);
        let names: Vec<&str> = directory.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["a/b.txt", "é"]);
        let (content, problem) = directory.find("a/b.txt").unwrap().open(&blob).unwrap();
        assert!(problem.is_none());
        assert_eq!(content.bytes_at(0, 5).unwrap(), b"hello");
    }
}
