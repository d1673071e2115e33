//! Walks over the gzip members or zstd frames of a file and the records in them.
//!
//! Any part of a file can be walked on its own: [`Members`] from a member start to the first member that
//! starts at or after a given offset. So several threads can share one file; the code that joins their parts checks that each
//! starts where the one before it ended.

use std::io;

use flate2::{Decompress, FlushDecompress};

use super::blob::Blob;
use super::gzip::{self, GzipStream, Inflated, Inflater};
use super::record_start::is_record_start;
use super::skim::skim;
use super::sniff::Compression;
use super::walk::{Place, RecordEnd, Short, Visitor, WalkEnd, walk};
use super::window::{SliceWindow, StreamWindow, Window};
use super::zst::{self, FrameInflater, FrameStream};
use crate::problem::{Level, Problem};

/// Maximum compressed bytes in memory: a member must fit to be inflated whole.
const WINDOW: usize = 4 << 20;
/// Compressed bytes read at a time: few enough to stay in the processor's cache until they are inflated.
const STEP: usize = 512 << 10;
/// Bytes that must be available before a member is tried; otherwise the window is refilled.
pub(super) const AHEAD: usize = 64 << 10;

/// How much of a record matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    Blocks,
    /// Its heads only.
    Heads,
}

/// The tools of one thread, made once and used for every file.
#[derive(Default)]
pub struct Tools {
    inflater: Inflater,
    head: Vec<u8>,
    window: Vec<u8>,
    probe: Option<Decompress>,
}

/// A moving view of the compressed file.
pub(super) struct View<'a> {
    blob: &'a Blob,
    /// Only ever grows: filling it with zeros costs as much as reading.
    buffer: &'a mut Vec<u8>,
    /// Bytes of the buffer that are valid.
    held: usize,
    start: u64,
    /// No read-ahead beyond this offset: another thread reads it.
    until: u64,
}

impl<'a> View<'a> {
    fn new(blob: &'a Blob, buffer: &'a mut Vec<u8>, start: u64, until: u64) -> Self {
        View { blob, buffer, held: 0, start, until }
    }

    /// Bytes of the whole file.
    pub(super) fn length(&self) -> u64 {
        self.blob.len()
    }

    /// The bytes from `offset` on: at least `wanted`, unless the file ends.
    pub(super) fn at(&mut self, offset: u64, wanted: usize) -> io::Result<&[u8]> {
        let end = self.start + self.held as u64;
        let held = if (self.start..=end).contains(&offset) { (end - offset) as usize } else { 0 };
        let left = self.blob.len().saturating_sub(offset) - held as u64;
        if held < wanted && left > 0 {
            self.buffer.copy_within(self.held - held..self.held, 0);
            let ahead = self.until.saturating_sub(offset).min(STEP as u64) as usize + AHEAD;
            let room = left.min(ahead.max(wanted).saturating_sub(held).max(AHEAD) as u64) as usize;
            if self.buffer.len() < held + room {
                self.buffer.resize(held + room, 0);
            }
            self.start = offset;
            self.held =
                held + self.blob.read_at(offset + held as u64, &mut self.buffer[held..held + room])?;
        }
        Ok(&self.buffer[(offset - self.start).min(self.held as u64) as usize..self.held])
    }
}

/// The gzip members of a part of a file.
pub struct Members<'a> {
    view: View<'a>,
    inflater: &'a mut Inflater,
    head: &'a mut Vec<u8>,
    probe: &'a mut Option<Decompress>,
}

impl<'a> Members<'a> {
    /// The members that start in `from..until`.
    pub fn new(blob: &'a Blob, from: u64, until: u64, tools: &'a mut Tools) -> Self {
        let Tools { inflater, head, window, probe } = tools;
        Members { view: View::new(blob, window, from, until), inflater, head, probe }
    }

    /// Finds the first member that starts with a record; it may start after the part.
    pub fn find(&mut self) -> io::Result<Option<u64>> {
        let from = self.view.start;
        find_in(&mut self.view, from, self.probe)
    }

    /// Walks over the members from `from` (a member start) to the first that starts at or after the end of the part.
    /// Returns where that one starts, or the end of the file.
    ///
    /// With `Depth::Heads`, bodies of long members are skipped.
    pub fn walk<V: Visitor>(self, from: u64, depth: Depth, visitor: &mut V) -> io::Result<u64> {
        let Members { mut view, inflater, head, probe } = self;
        let (blob, until) = (view.blob, view.until);
        let mut offset = from;
        while offset < until.min(blob.len()) {
            let bytes = view.at(offset, AHEAD)?;
            if bytes.is_empty() {
                visitor.problem(shrunk(blob, offset));
                return Ok(blob.len());
            }
            if !gzip::is_member(bytes) {
                let next = find_in(&mut view, offset + 1, probe)?.unwrap_or(blob.len());
                visitor.problem(not_a_member(blob, offset, next)?);
                offset = next;
                continue;
            }
            if depth == Depth::Heads
                && let Some(skimmed) = skim(&mut view, offset, probe, head)?
            {
                let length = skimmed.length;
                visitor.begin(&skimmed.head, offset);
                visitor.block(skimmed.block);
                visitor.end(RecordEnd { length: Some(length), cut: false, doubtful: false, trailer: true });
                offset += length;
                continue;
            }
            let bytes = view.at(offset, AHEAD)?;
            let (mut inflated, mut held) = (inflater.inflate(bytes), bytes.len());
            // Damaged, or not fully in memory yet.
            while inflated == Inflated::Bad && held < WINDOW && offset + (held as u64) < blob.len() {
                let bytes = view.at(offset, (2 * held).clamp(STEP, WINDOW))?;
                if bytes.len() <= held {
                    // The file became shorter: no more bytes will come.
                    break;
                }
                (inflated, held) = (inflater.inflate(bytes), bytes.len());
            }
            let Inflated::Whole { consumed } = inflated else {
                offset = stream_member(blob, offset, head, visitor, |at| find_in(&mut view, at, probe))?;
                continue;
            };
            let next = offset + consumed as u64;
            let mut slice = SliceWindow::new(inflater.output());
            let place = Place::Member { offset, length: Some(consumed as u64) };
            let end = walk(&mut slice, place, Short::Leave, head, visitor);
            match end {
                WalkEnd::Done { records } => shared_member(records, offset, visitor),
                // The record goes on in the next member if that one does not start a record of its own.
                WalkEnd::Left => {
                    let following = view.at(next, AHEAD)?;
                    if gzip::is_member(following) && !starts_record(following, probe) {
                        let problem =
                            Problem::new(Level::Note, "records-span-members", "records span gzip members");
                        let remedy = "recompress the file with one member per record to make it seekable";
                        visitor.problem(problem.at(offset).with_remedy(remedy));
                        let mut stream = StreamWindow::new(GzipStream::members(blob, offset));
                        stream.fill(1);
                        skip_to(&mut stream, slice.position());
                        let place = Place::Member { offset, length: None };
                        walk(&mut stream, place, Short::Report, head, visitor);
                        if !report_damage(&stream, offset, "gzip-damaged", visitor) {
                            return Ok(blob.len());
                        }
                        let damage = stream.compressed_position().unwrap_or(next).max(next);
                        offset = find_in(&mut view, damage, probe)?.unwrap_or(blob.len());
                        continue;
                    }
                    // Behind another record of its member it has no place of its own.
                    let place = match slice.position() {
                        0 => place,
                        _ => Place::Member { offset, length: None },
                    };
                    walk(&mut slice, place, Short::Report, head, visitor);
                }
            }
            offset = next;
        }
        Ok(offset)
    }
}

fn skip_to<W: Window>(window: &mut W, position: u64) {
    while window.position() < position {
        let left = (position - window.position()) as usize;
        let count = window.fill(1).len().min(left);
        if count == 0 {
            return;
        }
        window.consume(count);
    }
}

/// Streams one member that is too big or damaged; `next` finds the next good member from an offset on.
fn stream_member<V: Visitor>(
    blob: &Blob,
    offset: u64,
    head: &mut Vec<u8>,
    visitor: &mut V,
    mut next: impl FnMut(u64) -> io::Result<Option<u64>>,
) -> io::Result<u64> {
    let mut stream = StreamWindow::new(GzipStream::member(blob, offset));
    let place = Place::Member { offset, length: None };
    let end = walk(&mut stream, place, Short::Report, head, visitor);
    if let WalkEnd::Done { records } = end {
        shared_member(records, offset, visitor);
    }
    if report_damage(&stream, offset, "gzip-damaged", visitor) {
        return Ok(next(offset + 1)?.unwrap_or(blob.len()));
    }
    Ok(stream.compressed_position().unwrap_or(blob.len()).max(offset + 1))
}

fn report_damage<W: Window, V: Visitor>(window: &W, offset: u64, kind: &str, visitor: &mut V) -> bool {
    let Some(cause) = window.damage() else { return false };
    let message = format!("compressed data is damaged or cut: {cause}");
    let remedy = "everything before the damage and from the next intact member on was read";
    visitor.problem(Problem::new(Level::Error, kind, message).at(offset).with_remedy(remedy));
    true
}

fn shared_member<V: Visitor>(records: u64, offset: u64, visitor: &mut V) {
    if records > 1 {
        let message =
            format!("{records} records share one compressed member, so none of them can be read on its own");
        let remedy = "recompress the file with one member per record";
        visitor.problem(Problem::new(Level::Note, "shared-member", message).at(offset).with_remedy(remedy));
    }
}

/// The file has fewer bytes than when it was opened.
fn shrunk(blob: &Blob, offset: u64) -> Problem {
    let message =
        format!("the file became shorter while it was read: {} bytes are missing", blob.len() - offset);
    let remedy = "read it again when no other program writes to it";
    Problem::new(Level::Error, "file-shrank", message).at(offset).with_remedy(remedy)
}

fn not_a_member(blob: &Blob, offset: u64, next: u64) -> io::Result<Problem> {
    let skipped = next - offset;
    // The start of a head without the rest of it.
    if next == blob.len() && gzip::MAGIC.starts_with(&blob.bytes_at(offset, gzip::MAGIC.len())?) {
        let message = format!("the file ends {skipped} bytes into a compressed member: it is cut");
        return Ok(Problem::new(Level::Error, "gzip-damaged", message).at(offset));
    }
    let padding = blob.bytes_at(offset, skipped.min(1 << 16) as usize)?.iter().all(|byte| *byte == 0);
    let what = if padding { "zero bytes" } else { "bytes that are not a gzip member" };
    let problem = if next == blob.len() {
        let level = if padding { Level::Note } else { Level::Warning };
        Problem::new(level, "trailing-garbage", format!("{skipped} {what} after the last member"))
    } else {
        Problem::new(
            Level::Error,
            "gzip-damaged",
            format!("{skipped} {what} between two members were skipped"),
        )
    };
    Ok(problem.at(offset))
}

fn find_in(view: &mut View<'_>, from: u64, probe: &mut Option<Decompress>) -> io::Result<Option<u64>> {
    let length = view.blob.len();
    let mut offset = from;
    loop {
        let bytes = view.at(offset, AHEAD)?;
        let mut at = 0;
        while let Some(found) = gzip::find_magic(bytes, at) {
            if bytes.len() - found < AHEAD && found > 0 && offset + (bytes.len() as u64) < length {
                break;
            }
            if starts_record(&bytes[found..], probe) {
                return Ok(Some(offset + found as u64));
            }
            at = found + 1;
        }
        if bytes.is_empty() || offset + (bytes.len() as u64) >= length {
            return Ok(None);
        }
        // A magic number near the end is checked again once more bytes follow it.
        let looked = gzip::find_magic(bytes, at).unwrap_or(bytes.len().saturating_sub(3));
        offset += looked.max(1) as u64;
    }
}

/// Whether the gzip member at the start of `bytes` begins with a record.
pub(crate) fn starts_record(bytes: &[u8], probe: &mut Option<Decompress>) -> bool {
    let Some(header) = header_length(bytes) else { return false };
    let probe = probe.get_or_insert_with(|| Decompress::new(false));
    probe.reset(false);
    let mut start = [0; 4096];
    let input = &bytes[header..bytes.len().min(header + (64 << 10))];
    // An error still leaves what was inflated before it.
    let _ = probe.decompress(input, &mut start, FlushDecompress::None);
    let length = probe.total_out() as usize;
    let start = &start[..length.min(start.len())];
    is_record_start(start.trim_ascii_start())
}

/// The length of a gzip header, optional fields included.
pub(super) fn header_length(bytes: &[u8]) -> Option<usize> {
    if !gzip::is_member(bytes) {
        return None;
    }
    let flags = bytes[3];
    let mut at = 10;
    if flags & 4 != 0 {
        let extra = bytes.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([extra[0], extra[1]]));
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let field = bytes.get(at..bytes.len().min(at + (64 << 10)))?;
            at += memchr::memchr(0, field)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    (at < bytes.len()).then_some(at)
}

/// Walks over all zstd frames of a file.
pub fn walk_zstd<V: Visitor>(blob: &Blob, tools: &mut Tools, visitor: &mut V) -> io::Result<()> {
    let dictionary = zst::dictionary(blob)?.unwrap_or_default();
    let mut inflater = FrameInflater::new(&dictionary)?;
    let Tools { head, window, .. } = tools;
    let mut view = View::new(blob, window, 0, u64::MAX);
    let mut offset = 0;
    while offset < blob.len() {
        let bytes = view.at(offset, AHEAD)?;
        if bytes.is_empty() {
            visitor.problem(shrunk(blob, offset));
            return Ok(());
        }
        if let Some(length) = zst::skippable_length(bytes) {
            let end = offset + length;
            if end == blob.len() || zst::is_frame(view.at(end, 4)?) {
                offset = end;
                continue;
            }
            // Its length is wrong: its content may be frames.
            let next = find_frame(&mut view, offset + 8)?.unwrap_or(blob.len());
            let message = format!("a skippable frame says {length} bytes, but no frame follows");
            visitor.problem(Problem::new(Level::Error, "zstd-damaged", message).at(offset));
            offset = next;
            continue;
        }
        if !zst::is_frame(bytes) {
            let next = find_frame(&mut view, offset + 1)?;
            let message = format!("{} bytes are not a zstd frame", next.unwrap_or(blob.len()) - offset);
            let level = if next.is_some() { Level::Error } else { Level::Warning };
            let kind = if next.is_some() { "zstd-damaged" } else { "trailing-garbage" };
            visitor.problem(Problem::new(level, kind, message).at(offset));
            offset = next.unwrap_or(blob.len());
            continue;
        }
        let (mut consumed, mut held) = (inflater.inflate(bytes), bytes.len());
        while consumed.is_none() && held < WINDOW && offset + (held as u64) < blob.len() {
            let bytes = view.at(offset, (2 * held).clamp(STEP, WINDOW))?;
            if bytes.len() <= held {
                break;
            }
            (consumed, held) = (inflater.inflate(bytes), bytes.len());
        }
        if let Some(consumed) = consumed {
            let mut slice = SliceWindow::new(inflater.output());
            let place = Place::Member { offset, length: Some(consumed as u64) };
            if let WalkEnd::Done { records } = walk(&mut slice, place, Short::Report, head, visitor) {
                shared_member(records, offset, visitor);
            }
            offset += consumed as u64;
            continue;
        }
        let mut stream = StreamWindow::new(FrameStream::new(blob, offset, &dictionary)?);
        let place = Place::Member { offset, length: None };
        if let WalkEnd::Done { records } = walk(&mut stream, place, Short::Report, head, visitor) {
            shared_member(records, offset, visitor);
        }
        offset = if report_damage(&stream, offset, "zstd-damaged", visitor) {
            find_frame(&mut view, offset + 1)?.unwrap_or(blob.len())
        } else {
            stream.compressed_position().unwrap_or(blob.len()).max(offset + 1)
        };
    }
    Ok(())
}

fn find_frame(view: &mut View<'_>, from: u64) -> io::Result<Option<u64>> {
    let length = view.blob.len();
    let mut offset = from;
    loop {
        let bytes = view.at(offset, AHEAD)?;
        if let Some(at) = memchr::memmem::find(bytes, &zst::FRAME) {
            return Ok(Some(offset + at as u64));
        }
        if bytes.is_empty() || offset + (bytes.len() as u64) >= length {
            return Ok(None);
        }
        offset += bytes.len().saturating_sub(3).max(1) as u64;
    }
}

/// Walks over the records of a plain, uncompressed file.
pub fn walk_plain<V: Visitor>(blob: &Blob, tools: &mut Tools, visitor: &mut V) {
    let mut stream = StreamWindow::new(super::window::PlainStream::new(blob.clone()));
    walk(&mut stream, Place::Plain, Short::Report, &mut tools.head, visitor);
    report_damage(&stream, 0, "read-failed", visitor);
}

/// Walks over the record at `offset` alone, or over those that share its compressed member. `length` is the record's
/// length in the file, where it is known.
pub(crate) fn walk_at<V: Visitor>(
    blob: &Blob,
    offset: u64,
    length: Option<u64>,
    compression: Compression,
    tools: &mut Tools,
    visitor: &mut V,
) -> io::Result<()> {
    match compression {
        Compression::Gzip => {
            Members::new(blob, offset, offset.saturating_add(1), tools).walk(
                offset,
                Depth::Blocks,
                visitor,
            )?;
        }
        Compression::Zstd => {
            let dictionary = zst::dictionary(blob)?.unwrap_or_default();
            let mut stream = StreamWindow::new(FrameStream::new(blob, offset, &dictionary)?);
            let place = Place::Member { offset, length: None };
            walk(&mut stream, place, Short::Report, &mut tools.head, visitor);
        }
        Compression::None => {
            let section = blob.section(offset, length.unwrap_or(u64::MAX));
            let mut stream = StreamWindow::new(super::window::PlainStream::new(section));
            walk(&mut stream, Place::Plain, Short::Report, &mut tools.head, visitor);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::archive::record::RecordHead;

    #[derive(Default)]
    struct Seen {
        records: u64,
        problems: Vec<String>,
    }

    impl Visitor for Seen {
        fn begin(&mut self, _head: &RecordHead<'_>, _offset: u64) {
            self.records += 1;
        }
        fn block(&mut self, _piece: &[u8]) {}
        fn end(&mut self, _end: RecordEnd) {}
        fn problem(&mut self, problem: Problem) {
            self.problems.push(problem.kind);
        }
    }

    fn record() -> Vec<u8> {
        // Hardly compressible, so that members are long.
        let body: Vec<u8> = (0u32..20_000).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), &body, b"\r\n\r\n"].concat()
    }

    /// A file of four compressed records that is cut to `left` bytes after it was opened.
    fn shrunk_to(member: &[u8], left: u64) -> Blob {
        let mut file = tempfile::tempfile().unwrap();
        (0..4).for_each(|_| file.write_all(member).unwrap());
        let blob = Blob::file(file.try_clone().unwrap()).unwrap();
        file.set_len(left).unwrap();
        blob
    }

    #[test]
    fn a_file_that_shrinks_while_it_is_read_ends_with_a_problem() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&record()).unwrap();
        let gzip = encoder.finish().unwrap();
        let zstd = zstd::encode_all(&record()[..], 1).unwrap();
        for share in [0, 1, 7, 50, 99] {
            let mut seen = Seen::default();
            let blob = shrunk_to(&gzip, 4 * gzip.len() as u64 * share / 100);
            let mut tools = Tools::default();
            let end =
                Members::new(&blob, 0, blob.len(), &mut tools).walk(0, Depth::Blocks, &mut seen).unwrap();
            assert_eq!(end, blob.len());
            assert!(!seen.problems.is_empty(), "gzip, {share}%");
            let mut seen = Seen::default();
            walk_zstd(&shrunk_to(&zstd, 4 * zstd.len() as u64 * share / 100), &mut tools, &mut seen).unwrap();
            assert!(!seen.problems.is_empty(), "zstd, {share}%");
        }
    }

    #[test]
    fn a_file_that_ends_in_the_first_bytes_of_a_member_is_cut() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&record()).unwrap();
        let gzip = encoder.finish().unwrap();
        for kept in 1..30 {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&gzip).unwrap();
            file.write_all(&gzip[..kept]).unwrap();
            let blob = Blob::file(file).unwrap();
            let (mut seen, mut tools) = (Seen::default(), Tools::default());
            Members::new(&blob, 0, blob.len(), &mut tools).walk(0, Depth::Blocks, &mut seen).unwrap();
            assert_eq!(seen.records, 1);
            assert!(seen.problems.contains(&"gzip-damaged".to_owned()), "{kept} bytes: {:?}", seen.problems);
        }
    }
}
