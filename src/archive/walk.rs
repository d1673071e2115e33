//! Walks over the records of an uncompressed stream.
//!
//! Lengths can be wrong, records cut, and garbage can lie between them. The rule: what the stream shows wins over what a
//! head says. A record ends where its `Content-Length` says only if a record or the end follows there; otherwise the
//! next record is searched for, and the deviation is reported.

use super::arc;
use super::fields::head_length;
use super::record::{self, RecordHead};
use super::record_start::{Dialect, dialect, find_anywhere, find_start, holds_record, is_record_start};
use super::window::Window;
use crate::problem::{Level, Problem};

/// Maximum size of a head; longer ones are cut.
pub(crate) const HEAD_LIMIT: usize = 4 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordEnd {
    /// Its length in the file (compressed, if the file is), if it does not share a member and that is sound. Bytes behind it in its
    /// member that are not a record count as part of it.
    pub length: Option<u64>,
    /// Whether its block is incomplete, or contains another record.
    pub cut: bool,
    /// Whether the block's end is a guess, because its length is wrong or no record follows: only its own digest or
    /// length can prove it complete.
    pub doubtful: bool,
    /// Whether blank lines follow it.
    pub trailer: bool,
}

/// Receives records while a file is walked.
pub trait Visitor {
    /// A record starts at `offset` in the file.
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64);
    /// The next bytes of its block.
    fn block(&mut self, piece: &[u8]);
    fn end(&mut self, end: RecordEnd);
    /// A finding; the visitor adds the file.
    fn problem(&mut self, problem: Problem);
}

/// Where the stream is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Plain bytes: a record's offset is its position.
    Plain,
    /// The stream is one compressed member: all its records have the member's offset.
    Member {
        /// The member's offset.
        offset: u64,
        /// The member's compressed length, if known before it is walked.
        length: Option<u64>,
    },
}

/// What to do with a last record whose block is incomplete in this stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Short {
    /// Report it, as cut.
    Report,
    /// Leave it: the block may go on in the next member.
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkEnd {
    /// At the end of the stream, after this many records.
    Done { records: u64 },
    /// Before an incomplete last record ([`Short::Leave`] only).
    Left,
}

/// Walks over all records of `window`. `scratch` is a reusable buffer for heads.
pub(crate) fn walk<W: Window, V: Visitor>(
    window: &mut W,
    place: Place,
    short: Short,
    scratch: &mut Vec<u8>,
    visitor: &mut V,
) -> WalkEnd {
    let mut records = 0;
    let (mut is_arc, mut resynced) = (false, false);
    loop {
        let newlines = skip_newlines(window);
        let start = window.position();
        let offset = match place {
            Place::Plain => start,
            Place::Member { offset, .. } => offset,
        };
        let Some(dialect) = dialect(start_of_record(window)) else {
            let rest = window.fill(1);
            let may_go_on = b"WARC/".starts_with(rest) || is_arc && !rest.contains(&b'\n');
            if short == Short::Leave && !rest.is_empty() && may_go_on {
                return WalkEnd::Left;
            }
            if rest.is_empty() || !resync(window, is_arc, offset, records, visitor) {
                return WalkEnd::Done { records };
            }
            resynced = true;
            continue;
        };
        if records > 0 && newlines == 0 && !std::mem::take(&mut resynced) {
            let message = "no blank line between this record and the one before it";
            visitor.problem(Problem::new(Level::Note, "no-record-trailer", message).at(offset));
        }
        is_arc = matches!(dialect, Dialect::Arc);
        let Some(complete) = take_head(window, &dialect, scratch) else {
            if short == Short::Leave && window.damage().is_none() {
                window.rewind(start);
                return WalkEnd::Left;
            }
            let message = "the file ends, or is damaged, within the head of a record";
            visitor.problem(Problem::new(Level::Error, "record-head-cut", message).at(offset));
            return WalkEnd::Done { records };
        };
        if !complete {
            let message =
                format!("the head of a record is longer than {HEAD_LIMIT} bytes; the rest of it was skipped");
            visitor.problem(Problem::new(Level::Warning, "record-head-too-long", message).at(offset));
        }
        let head = match dialect {
            Dialect::Warc => record::parse(scratch),
            Dialect::Arc => match arc::parse_line(scratch) {
                Some(head) => head,
                None => continue,
            },
        };
        let extent = plan_block(window, head.content_length, is_arc);
        if short == Short::Leave && matches!(extent, Extent::Beyond) && window.damage().is_none() {
            window.rewind(start);
            return WalkEnd::Left;
        }
        visitor.begin(&head, offset);
        let Passed { cut, doubtful, resume } = pass_block(window, &extent, is_arc, visitor);
        if let Some(problem) = length_problem(&extent, cut, head.content_length) {
            visitor.problem(problem.at(offset).of_record(head.id.as_deref()));
        }
        records += 1;
        if let Some(position) = resume {
            visitor.end(RecordEnd { length: None, cut: true, doubtful, trailer: false });
            if !window.rewind(position) {
                let message =
                    "too many wrong lengths in one compressed stream; records inside this one are lost";
                let problem = Problem::new(Level::Error, "records-lost", message).at(offset);
                visitor.problem(problem.of_record(head.id.as_deref()));
            }
            continue;
        }
        let newlines = peek_newlines(window);
        // Damage may show only now: a member's checksum comes last.
        let at_end = window.fill(newlines + 1).len() <= newlines;
        let is_damaged = window.damage().is_some() && at_end;
        let cut = cut || is_damaged;
        let length = match place {
            Place::Plain => Some(window.position() + newlines as u64 - start),
            Place::Member { .. } if records > 1 || is_damaged => None,
            Place::Member { .. } if !at_end && !is_last(window, newlines, is_arc) => None,
            Place::Member { offset, length } => {
                length.or_else(|| Some(window.compressed_position()? - offset))
            }
        };
        visitor.end(RecordEnd { length, cut, doubtful, trailer: newlines > 0 });
    }
}

/// Enough bytes to see whether a record starts here.
fn start_of_record<W: Window>(window: &mut W) -> &[u8] {
    let bytes = window.fill(64);
    let more = bytes.len() >= 64 && !bytes[..5].eq_ignore_ascii_case(b"WARC/") && !bytes.contains(&b'\n');
    let looks_like_url = more && bytes[0].is_ascii_alphabetic() && bytes.contains(&b':');
    window.fill(if looks_like_url { arc::LINE_LIMIT } else { 64 })
}

fn peek_newlines<W: Window>(window: &mut W) -> usize {
    let mut wanted = 16;
    loop {
        let bytes = window.fill(wanted);
        match bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')) {
            Some(count) => return count,
            // A longer run of newlines is treated as garbage.
            None if bytes.len() < wanted || wanted > 1 << 20 => return bytes.len(),
            None => wanted = bytes.len() + 1,
        }
    }
}

fn skip_newlines<W: Window>(window: &mut W) -> usize {
    let mut skipped = 0;
    loop {
        let count = peek_newlines(window);
        window.consume(count);
        skipped += count;
        if count == 0 {
            return skipped;
        }
    }
}

/// Copies the head into `scratch` and consumes it. `None`: it is incomplete. `Some(false)`: it was too long.
fn take_head<W: Window>(window: &mut W, dialect: &Dialect, scratch: &mut Vec<u8>) -> Option<bool> {
    scratch.clear();
    if matches!(dialect, Dialect::Arc) {
        let bytes = window.fill(arc::LINE_LIMIT);
        let end = memchr::memchr(b'\n', bytes)? + 1;
        scratch.extend_from_slice(&bytes[..end]);
        window.consume(end);
        return Some(true);
    }
    let (mut wanted, mut searched) = (1 << 10, 0);
    loop {
        let bytes = window.fill(wanted);
        if let Some(end) = head_length(bytes, searched) {
            scratch.extend_from_slice(&bytes[..end]);
            window.consume(end);
            return Some(true);
        }
        if bytes.len() < wanted {
            return None;
        }
        if bytes.len() >= HEAD_LIMIT {
            scratch.extend_from_slice(&bytes[..HEAD_LIMIT]);
            window.consume(HEAD_LIMIT);
            return skip_rest_of_head(window).then_some(false);
        }
        searched = bytes.len().saturating_sub(4);
        wanted = bytes.len() * 2;
    }
}

fn skip_rest_of_head<W: Window>(window: &mut W) -> bool {
    loop {
        let bytes = window.fill(64 << 10);
        if let Some(end) = head_length(bytes, 0) {
            window.consume(end);
            return true;
        }
        if bytes.len() < 64 << 10 {
            return false;
        }
        let count = bytes.len() - 4;
        window.consume(count);
    }
}

/// What is known about the block's end before it is read.
enum Extent {
    /// `Content-Length` is right, as far as the stream shows.
    Good(u64),
    /// The stream cannot look ahead: not known yet.
    Unseen(u64),
    /// The block is complete, but no record follows: it may be longer.
    Doubtful(u64),
    /// A record starts inside the block; it ends here instead.
    Wrong(u64),
    /// `Content-Length` includes the blank lines after the block; it ends before them.
    CountsTrailer(u64),
    /// The block reaches the end of the stream: it is incomplete, or its length is unknown.
    Beyond,
}

fn plan_block<W: Window>(window: &mut W, content_length: Option<u64>, is_arc: bool) -> Extent {
    let start = window.position();
    let looks_ahead = window.peek(start, 0).is_some();
    if !looks_ahead {
        return Extent::Unseen(content_length.unwrap_or(u64::MAX));
    }
    let Some(length) = content_length else {
        return match find_record(window, start, u64::MAX, is_arc) {
            Some(end) => Extent::Wrong(end - start),
            None => Extent::Beyond,
        };
    };
    let end = start.saturating_add(length);
    let is_inside = length == 0 || window.peek(end - 1, 1).is_some_and(|byte| !byte.is_empty());
    if is_inside {
        match following(window, end, is_arc) {
            // If no newline follows, a block that ends in blank lines has most likely counted them
            // (archive-commons#2).
            Following::Record { newlines: false }
                if !is_arc && length >= 4 && is_trailer(window, end - 4) =>
            {
                return Extent::CountsTrailer(length - 4);
            }
            Following::Record { .. } | Following::Nothing => return Extent::Good(length),
            Following::Other => {}
        }
    }
    match find_record(window, start, end, is_arc) {
        Some(wrong) => Extent::Wrong(wrong - start),
        None if is_inside => Extent::Doubtful(length),
        None => Extent::Beyond,
    }
}

fn is_trailer<W: Window>(window: &mut W, position: u64) -> bool {
    window.peek(position, 4).is_some_and(|bytes| *bytes == *b"\r\n\r\n")
}

/// What follows a block.
enum Following {
    /// A record, after newlines or directly.
    Record { newlines: bool },
    /// At most newlines.
    Nothing,
    /// Bytes that are neither newlines nor a record.
    Other,
}

/// Whether no record follows the one that ends here, behind these newlines: a length that is too small leaves bytes that are none.
/// `false` where the stream cannot look ahead.
fn is_last<W: Window>(window: &mut W, newlines: usize, is_arc: bool) -> bool {
    let position = window.position();
    let Some(bytes) = window.peek(position, usize::MAX) else { return false };
    let rest = &bytes[newlines.min(bytes.len())..];
    !rest.is_empty() && !is_record_start(rest) && !is_cut_start(rest, is_arc) && !holds_record(&bytes)
}

/// Whether the last bytes of a stream can be the start of a record that is cut within its first line.
fn is_cut_start(bytes: &[u8], is_arc: bool) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    b"WARC/".starts_with(bytes) || is_arc && bytes[0].is_ascii_alphabetic() && bytes.iter().all(is_text)
}

fn following<W: Window>(window: &mut W, end: u64, is_arc: bool) -> Following {
    let mut at = end;
    for _ in 0..64 {
        let wanted = if is_arc { arc::LINE_LIMIT } else { 64 };
        let Some(bytes) = window.peek(at, wanted) else { return Following::Other };
        match bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')) {
            None if bytes.is_empty() => return Following::Nothing,
            None => at += bytes.len() as u64,
            // Without a newline before it, the end of a word could look like a URL: `ttp://…`.
            Some(0) if is_arc && at == end && !arc::has_known_scheme(&bytes) => return Following::Other,
            Some(0) if is_record_start(&bytes) || bytes.len() < wanted && is_cut_start(&bytes, is_arc) => {
                return Following::Record { newlines: at > end };
            }
            Some(0) => return Following::Other,
            Some(count) => at += count as u64,
        }
    }
    Following::Other
}

/// Searches `from..to` for the next record; returns where the newlines before it start.
fn find_record<W: Window>(window: &mut W, from: u64, to: u64, is_arc: bool) -> Option<u64> {
    const PIECE: usize = 256 << 10;
    const OVERLAP: usize = 4 << 10;
    // The byte before a block is the newline that ends its head.
    let mut at = from.saturating_sub(1);
    while at < to {
        let bytes = window.peek(at, PIECE)?.into_owned();
        if let Some(found) = find_anywhere(&bytes, is_arc) {
            let mut end = found;
            while end > 0 && found - end < 4 && matches!(bytes[end - 1], b'\r' | b'\n') {
                end -= 1;
            }
            let end = (at + end as u64).max(from);
            return (end < to).then_some(end);
        }
        if bytes.len() < PIECE {
            return None;
        }
        at += (PIECE - OVERLAP) as u64;
    }
    None
}

/// The outcome of passing over a block.
struct Passed {
    /// Whether it ended early.
    cut: bool,
    /// Whether its end is a guess.
    doubtful: bool,
    /// Where to go back to, if it swallowed a record.
    resume: Option<u64>,
}

/// Passes the block to the visitor.
fn pass_block<W: Window, V: Visitor>(
    window: &mut W,
    extent: &Extent,
    is_arc: bool,
    visitor: &mut V,
) -> Passed {
    match *extent {
        Extent::Good(length) => {
            Passed { cut: pass(window, length, visitor) < length, doubtful: false, resume: None }
        }
        Extent::Doubtful(length) | Extent::Wrong(length) | Extent::CountsTrailer(length) => {
            Passed { cut: pass(window, length, visitor) < length, doubtful: true, resume: None }
        }
        Extent::Beyond => {
            pass(window, u64::MAX, visitor);
            Passed { cut: true, doubtful: true, resume: None }
        }
        Extent::Unseen(length) => {
            let mut search = SwallowedRecord { is_arc, tail: Vec::new(), found: None };
            let mut left = length;
            while left > 0 {
                let at = window.position();
                let bytes = window.fill(1);
                if bytes.is_empty() {
                    break;
                }
                let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                visitor.block(&bytes[..count]);
                search.feed(at, &bytes[..count]);
                window.consume(count);
                left -= count as u64;
            }
            let newlines = peek_newlines(window);
            let rest = window.fill(newlines + 64);
            let ends_well = rest.len() <= newlines || is_record_start(&rest[newlines..]);
            let resume = search.found.filter(|_| left > 0 || !ends_well);
            Passed { cut: left > 0 || resume.is_some(), doubtful: !ends_well, resume }
        }
    }
}

fn pass<W: Window, V: Visitor>(window: &mut W, length: u64, visitor: &mut V) -> u64 {
    let mut passed = 0;
    while passed < length {
        let bytes = window.fill(1);
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len().min(usize::try_from(length - passed).unwrap_or(usize::MAX));
        visitor.block(&bytes[..count]);
        window.consume(count);
        passed += count as u64;
    }
    passed
}

/// Searches for a record start in a block that arrives in pieces.
struct SwallowedRecord {
    is_arc: bool,
    tail: Vec<u8>,
    found: Option<u64>,
}

impl SwallowedRecord {
    fn feed(&mut self, position: u64, piece: &[u8]) {
        const TAIL: usize = 256;
        if self.found.is_some() {
            return;
        }
        let kept = self.tail.len();
        self.tail.extend_from_slice(&piece[..piece.len().min(TAIL)]);
        if let Some(at) = find_start(&self.tail, self.is_arc) {
            self.found = Some(position - kept as u64 + at as u64);
        } else if let Some(at) = find_start(piece, self.is_arc) {
            self.found = Some(position + at as u64);
        }
        self.tail.clear();
        self.tail.extend_from_slice(&piece[piece.len().saturating_sub(TAIL)..]);
    }
}

fn length_problem(extent: &Extent, cut: bool, content_length: Option<u64>) -> Option<Problem> {
    let problem = |level, kind, message: String| Some(Problem::new(level, kind, message));
    match (extent, content_length) {
        (_, None) => problem(
            Level::Warning,
            "no-content-length",
            "no valid Content-Length; the block was taken to end where the next record starts".to_owned(),
        ),
        (Extent::Wrong(_), Some(length)) => problem(
            Level::Warning,
            "content-length-too-large",
            format!("Content-Length says {length} bytes, but another record starts within them"),
        ),
        (Extent::CountsTrailer(_), Some(length)) => problem(
            Level::Warning,
            "content-length-too-large",
            format!("Content-Length says {length} bytes, but includes the blank lines after the block"),
        ),
        (Extent::Unseen(length), _) if cut => problem(
            Level::Error,
            "record-cut",
            format!("Content-Length says {length} bytes, but the block ends earlier"),
        ),
        (Extent::Beyond, Some(length)) => problem(
            Level::Error,
            "record-cut",
            format!("Content-Length says {length} bytes, but the file or member ends earlier"),
        ),
        _ => None,
    }
}

/// Skips to the next record start; `false` if there is none.
fn resync<W: Window, V: Visitor>(
    window: &mut W,
    is_arc: bool,
    offset: u64,
    records: u64,
    visitor: &mut V,
) -> bool {
    let start = window.position();
    let found = loop {
        let bytes = window.fill(64 << 10);
        let starts = [find_anywhere(bytes, is_arc), find_start(bytes, !is_arc)];
        if let Some(at) = starts.into_iter().flatten().min() {
            window.consume(at);
            break true;
        }
        if bytes.len() < 64 << 10 {
            let count = bytes.len();
            window.consume(count);
            break false;
        }
        let count = bytes.len() - (4 << 10);
        window.consume(count);
    };
    let skipped = window.position() - start;
    let (kind, message) = match (found, records) {
        (true, 0) => ("garbage-skipped", format!("{skipped} bytes before the first record are not a record")),
        (true, _) => (
            "garbage-skipped",
            format!(
                "{skipped} bytes between two records are not a record; the length before them may be too small"
            ),
        ),
        (false, 0) => ("not-records", format!("{skipped} bytes hold no record")),
        (false, _) => ("trailing-garbage", format!("{skipped} bytes after the last record are not a record")),
    };
    visitor.problem(Problem::new(Level::Warning, kind, message).at(offset));
    found
}
