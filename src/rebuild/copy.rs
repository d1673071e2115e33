//! Copies records: byte for byte where source and target are compressed alike, else the same record compressed again.
//!
//! Neighbouring records of one file are copied in one piece, long pieces by two threads: one reads, the other writes. Nothing is held
//! in memory but a few buffers.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression as Level, Crc};

use super::arc;
use super::mend::{self, Mend, Salvage};
use super::partial::{Partial, Summed};
use super::proven::is_proven;
use super::revisit::{Original, to_revisit};
use super::source::Opened;
use crate::archive::blob::Blob;
use crate::archive::sniff::Compression;

/// What is done with a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    Copy,
    /// A record of an ARC file becomes one of WARC; its compressed data may be damaged.
    Arc {
        is_broken: bool,
    },
    /// Its length is wrong, or it ends early: it is written as it was read.
    Mend(Mend),
    /// The payload is stored already: a revisit of that record is written instead.
    Revisit(Box<Original>),
}

impl Action {
    /// What is done with a record that was found so.
    pub(crate) fn of(is_arc: bool, mend: Option<Mend>) -> Self {
        match mend {
            _ if is_arc => Action::Arc { is_broken: mend.is_some_and(|mend| mend.is_broken) },
            Some(mend) => Action::Mend(mend),
            None => Action::Copy,
        }
    }

    fn is_broken(&self) -> bool {
        matches!(self, Action::Arc { is_broken: true } | Action::Mend(Mend { is_broken: true, .. }))
    }
}

/// A record to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub file: usize,
    pub offset: u64,
    pub length: u64,
    pub action: Action,
}

/// All that is written, in order.
#[derive(Debug)]
pub(crate) struct Plan {
    pub files: Vec<Opened>,
    /// Name, length and time of last change of each file: whether a plan is the same.
    pub names: Vec<String>,
    pub warcinfo: Vec<u8>,
    pub items: Vec<Item>,
    /// Whether records are compressed, each on its own.
    pub is_gzip: bool,
}

/// Bytes read at a time.
const BUFFER_BYTES: usize = 512 << 10;
/// Buffers that are read ahead of what is written.
const BUFFERS_AHEAD: usize = 2;
/// Shorter pieces are not worth a thread.
const MIN_THREAD_BYTES: u64 = 4 << 20;
/// Records are copied together up to about this length.
const TOGETHER: u64 = 64 << 20;

impl Plan {
    /// A name for the plan: equal plans write equal bytes.
    pub(crate) fn name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.update(&[u8::from(self.is_gzip)]);
        for name in &self.names {
            hasher.update(name.as_bytes());
            hasher.update(&[0]);
        }
        hasher.update(&self.warcinfo);
        for item in &self.items {
            hasher.update(&(item.file as u64).to_le_bytes());
            hasher.update(&item.offset.to_le_bytes());
            hasher.update(&item.length.to_le_bytes());
            hasher.update(&[match item.action {
                Action::Copy => 0,
                Action::Revisit(_) => 1,
                Action::Arc { .. } => 2,
                Action::Mend(_) => 3,
            }]);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Writes the target, taking up what a killed run left. Gives the lengths of the written records, the warcinfo first.
    pub(crate) fn write(&self, target: &Path) -> io::Result<Vec<u64>> {
        let mut partial = Partial::open(target, &self.name())?;
        let mut buffer = vec![0; BUFFER_BYTES];
        if partial.done.is_empty() {
            let record = self.packed(&self.warcinfo)?;
            partial.writer().write_all(&record)?;
            partial.wrote(record.len() as u64)?;
        }
        let mut next = partial.done.len().saturating_sub(1);
        while let Some(item) = self.items.get(next) {
            if !self.is_raw(item) {
                let length = self.convert(item, partial.writer())?;
                partial.wrote(length)?;
                next += 1;
                continue;
            }
            let together = self.together(next);
            let length: u64 = self.items[next..together].iter().map(|item| item.length).sum();
            copy_range(&self.files[item.file].blob, item.offset, length, partial.writer(), &mut buffer)?;
            for item in &self.items[next..together] {
                partial.wrote(item.length)?;
            }
            next = together;
        }
        partial.finish(target)
    }

    /// Whether a record is copied as it is.
    fn is_raw(&self, item: &Item) -> bool {
        let compression = self.files[item.file].compression;
        item.action == Action::Copy
            && compression == if self.is_gzip { Compression::Gzip } else { Compression::None }
    }

    /// The end of the records from `start` on that stand one behind the other in their file, up to some length.
    fn together(&self, start: usize) -> usize {
        let mut end = start + 1;
        let mut length = self.items[start].length;
        while let (Some(last), Some(item)) = (self.items.get(end - 1), self.items.get(end)) {
            let is_next = item.file == last.file && item.offset == last.offset + last.length;
            if !is_next || !self.is_raw(item) || length > TOGETHER {
                break;
            }
            length += item.length;
            end += 1;
        }
        end
    }

    fn packed(&self, record: &[u8]) -> io::Result<Vec<u8>> {
        if !self.is_gzip {
            return Ok(record.to_vec());
        }
        let mut encoder = GzEncoder::new(Vec::new(), Level::default());
        encoder.write_all(record)?;
        encoder.finish()
    }

    /// Writes a record in another wrapping, or as a revisit. Gives its length.
    fn convert(&self, item: &Item, out: &mut Summed) -> io::Result<u64> {
        let source = &self.files[item.file];
        let section = source.blob.section(item.offset, item.length);
        let unpacked = || -> Box<dyn Read> {
            match source.compression {
                Compression::Gzip if item.action.is_broken() => Box::new(Salvage::new(&section, 0)),
                Compression::Gzip => Box::new(GzDecoder::new(section.reader(0))),
                _ => Box::new(section.reader(0)),
            }
        };
        let mended = |mend: Mend| {
            let is_cut = mend.is_cut || (mend.is_doubtful && !is_proven(unpacked(), mend.block)?);
            mend::convert(unpacked(), Mend { is_cut, ..mend })
        };
        let mut reader = unpacked();
        let made = match item.action {
            Action::Arc { .. } => Some(arc::convert(unpacked())?),
            Action::Mend(mend) => Some(mended(mend)?),
            Action::Copy if !self.is_gzip => match mend::behind_others(unpacked())? {
                Some(mend) => Some(mended(mend)?),
                None => None,
            },
            Action::Copy | Action::Revisit(_) => None,
        };
        if let Some(made) = made {
            let made = made.ok_or_else(|| io::Error::other("a source changed while it was copied"))?;
            io::copy(&mut (&mut reader).take(made.skip), &mut io::sink())?;
            let block = reader.take(made.length);
            reader = Box::new(io::Cursor::new(made.head).chain(block).chain(&b"\r\n\r\n"[..]));
        }
        if let Action::Revisit(original) = &item.action {
            let mut record = Vec::new();
            reader.read_to_end(&mut record)?;
            let made = to_revisit(&record, original).unwrap_or(record);
            let made = self.packed(&made)?;
            out.write_all(&made)?;
            return Ok(made.len() as u64);
        }
        let mut counted = Counted { out, length: 0 };
        if self.is_gzip {
            let mut encoder = GzEncoder::new(&mut counted, Level::default());
            io::copy(&mut reader, &mut encoder)?;
            encoder.finish()?;
        } else {
            io::copy(&mut reader, &mut counted)?;
        }
        Ok(counted.length)
    }
}

struct Counted<'a> {
    out: &'a mut Summed,
    length: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Copies a range of a file.
fn copy_range(blob: &Blob, offset: u64, length: u64, out: &mut Summed, buffer: &mut [u8]) -> io::Result<()> {
    if length >= MIN_THREAD_BYTES {
        return copy_ahead(blob, offset, length, out);
    }
    let mut done = 0;
    while done < length {
        let count = read_piece(blob, offset + done, length - done, buffer)?;
        out.write_all(&buffer[..count])?;
        done += count as u64;
    }
    Ok(())
}

/// Reads the next bytes of a range of which `left` are left. Gives how many, at least one.
fn read_piece(blob: &Blob, offset: u64, left: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
    let count = blob.read_at(offset, &mut buffer[..room])?;
    if count == 0 {
        let message = "a source became shorter while it was copied";
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    Ok(count)
}

/// A buffer with a piece that was read, the length of the piece and its checksum.
type Piece = io::Result<(Vec<u8>, usize, Crc)>;

/// Copies a range of a file: a second thread reads it and sums it up while this one writes.
fn copy_ahead(blob: &Blob, offset: u64, length: u64, out: &mut Summed) -> io::Result<()> {
    thread::scope(|scope| {
        let (give, pieces) = sync_channel::<Piece>(BUFFERS_AHEAD);
        let (give_back, empty) = channel();
        for _ in 0..=BUFFERS_AHEAD {
            // The other end is here.
            let _ = give_back.send(vec![0; BUFFER_BYTES]);
        }
        scope.spawn(move || read_ahead(blob, offset, length, &empty, &give));
        for piece in pieces {
            let (buffer, count, sum) = piece?;
            out.write_summed(&buffer[..count], &sum)?;
            // Nobody takes it behind the last piece.
            let _ = give_back.send(buffer);
        }
        Ok(())
    })
}

/// Reads a range into empty buffers, and gives them on; ends where nobody takes them any more.
fn read_ahead(blob: &Blob, offset: u64, length: u64, empty: &Receiver<Vec<u8>>, give: &SyncSender<Piece>) {
    let mut done = 0;
    while done < length {
        let Ok(mut buffer) = empty.recv() else { return };
        let piece = read_piece(blob, offset + done, length - done, &mut buffer).map(|count| {
            done += count as u64;
            let mut sum = Crc::new();
            sum.update(&buffer[..count]);
            (buffer, count, sum)
        });
        let is_last = piece.is_err();
        if give.send(piece).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plan that copies members of these lengths, one behind the other.
    fn plan(bytes: Vec<u8>, lengths: &[u64]) -> Plan {
        let source = Opened { blob: Blob::memory(bytes), compression: Compression::Gzip };
        let mut offset = 0;
        let items = lengths.iter().map(|length| {
            offset += length;
            Item { file: 0, offset: offset - length, length: *length, action: Action::Copy }
        });
        let items = items.collect();
        Plan { files: vec![source], names: Vec::new(), warcinfo: b"about".to_vec(), items, is_gzip: true }
    }

    #[test]
    fn long_and_short_pieces_are_copied_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.warc.gz");
        let bytes: Vec<u8> = (0..9_000_001u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for lengths in [&[9_000_001][..], &[1, 4_500_000, 4_500_000], &[BUFFER_BYTES as u64; 17]] {
            let plan = plan(bytes.clone(), lengths);
            let written = plan.write(&target).unwrap();
            let copied: u64 = lengths.iter().sum();
            assert_eq!(&written[1..], lengths);
            let made = std::fs::read(&target).unwrap();
            assert!(made[written[0] as usize..] == bytes[..copied as usize], "{lengths:?}");
        }
    }

    #[test]
    fn a_source_that_became_shorter_ends_the_copy() {
        let folder = tempfile::tempdir().unwrap();
        for length in [10, MIN_THREAD_BYTES + 10] {
            let plan = plan(vec![7; length as usize - 5], &[length]);
            let error = plan.write(&folder.path().join("out.warc.gz")).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{length}");
        }
    }
}
