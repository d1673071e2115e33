//! The lines of an index, one after the other, with a bound on their length.

use std::io::{self, BufRead};

use super::columns::Columns;
use super::{IndexLine, json};
use crate::problem::{Level, Problem};

/// Maximum line length. `data:` URLs reach some hundred kilobytes.
const MAX_LINE_BYTES: usize = 1 << 20;

/// What a line of an index gives.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "an item is used and dropped; a box would cost more than the line"
)]
pub enum IndexItem<'a> {
    /// A capture.
    Line(IndexLine<'a>),
    /// A line that could not be read, with its byte offset; the caller adds the file.
    Problem(Problem),
}

/// Reads an index line by line. Memory is bounded by the longest line that is read, a megabyte.
pub struct IndexReader<R> {
    reader: R,
    columns: Option<Columns>,
    /// The line that is handed out, where it does not lie whole in the reader's buffer.
    line: Vec<u8>,
    /// Bytes of the reader's buffer that the line handed out before lies in.
    lent: usize,
    offset: u64,
    next_offset: u64,
}

/// Where the next line lies.
enum Place {
    End,
    InBuffer(usize),
    InLine,
    TooLong(u64),
}

impl<R: BufRead> IndexReader<R> {
    /// A reader from the first byte of an index, already decompressed.
    pub fn new(reader: R) -> Self {
        IndexReader { reader, columns: None, line: Vec::new(), lent: 0, offset: 0, next_offset: 0 }
    }

    /// The byte offset of the line handed out last.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next capture or problem; `None` at the end. Headers and empty lines are skipped.
    ///
    /// # Errors
    /// What the reader below gives.
    pub fn next_item(&mut self) -> io::Result<Option<IndexItem<'_>>> {
        // The loop only finds the line: what is returned borrows it, which the borrow checker allows but once.
        let place = loop {
            let place = self.find_line()?;
            let line = match place {
                Place::End => return Ok(None),
                Place::TooLong(length) => {
                    let message =
                        format!("a line of {length} bytes was skipped; the limit is {MAX_LINE_BYTES}");
                    let problem =
                        Problem::new(Level::Warning, "index-line-too-long", message).at(self.offset);
                    return Ok(Some(IndexItem::Problem(problem)));
                }
                Place::InBuffer(length) => &self.reader.fill_buf()?[..length],
                Place::InLine => &self.line[..],
            };
            let line = trimmed(line);
            if line.is_empty() || line[0] == b'!' {
                continue;
            }
            if let Some(columns) = Columns::of_header(line) {
                self.columns = Some(columns);
                continue;
            }
            if self.columns.is_none() && split_cdxj(line).is_none() {
                self.columns = Columns::of_line(line);
            }
            break place;
        };
        let line = match place {
            Place::InBuffer(length) => &self.reader.fill_buf()?[..length],
            _ => &self.line[..],
        };
        Ok(Some(match parse(self.columns.as_ref(), trimmed(line)) {
            Ok(line) => IndexItem::Line(line),
            Err(fault) => {
                let message = format!("a line of the index was skipped: {fault}");
                IndexItem::Problem(
                    Problem::new(Level::Warning, "index-line-malformed", message)
                        .at(self.offset)
                        .with_remedy("make the index again from its archive files"),
                )
            }
        }))
    }

    /// Finds the next line and moves past it; the bytes stay lent until the next call.
    fn find_line(&mut self) -> io::Result<Place> {
        self.reader.consume(std::mem::take(&mut self.lent));
        self.offset = self.next_offset;
        self.line.clear();
        let mut length = 0u64;
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                self.next_offset += length;
                return Ok(match length {
                    0 => Place::End,
                    _ if length > MAX_LINE_BYTES as u64 => Place::TooLong(length),
                    _ => Place::InLine,
                });
            }
            let end = memchr::memchr(b'\n', buffer);
            let taken = end.map_or(buffer.len(), |end| end + 1);
            length += taken as u64;
            if end.is_some() && length == taken as u64 && taken <= MAX_LINE_BYTES {
                self.lent = taken;
                self.next_offset += length;
                return Ok(Place::InBuffer(taken));
            }
            if length <= MAX_LINE_BYTES as u64 {
                self.line.extend_from_slice(&buffer[..taken]);
            }
            self.reader.consume(taken);
            if end.is_some() {
                self.next_offset += length;
                return Ok(if length > MAX_LINE_BYTES as u64 {
                    Place::TooLong(length)
                } else {
                    Place::InLine
                });
            }
        }
    }
}

/// Without the end of the line and a byte order mark.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.iter().all(u8::is_ascii_whitespace) { b"" } else { line }
}

/// Takes a line apart by the columns of its header, or as CDXJ.
fn parse<'a>(columns: Option<&Columns>, line: &'a [u8]) -> Result<IndexLine<'a>, String> {
    if let Some(columns) = columns
        && !(columns.is_blank_delimited() && line.ends_with(b"}") && split_cdxj(line).is_some())
    {
        return columns.parse(line).map_err(str::to_owned);
    }
    let (date, kind, object) = split_cdxj(line).ok_or("it has neither known columns nor a JSON object")?;
    let object = std::str::from_utf8(object).map_err(|_| "its JSON is not UTF-8")?;
    let mut parsed = IndexLine::default();
    json::parse(object, &mut parsed).map_err(|error| format!("its JSON is damaged: {error}"))?;
    if !date.is_empty() {
        parsed.set_time(date);
    }
    parsed.is_revisit |= kind == b"revisit";
    match parsed.fault() {
        Some(fault) => Err(fault.to_owned()),
        None => Ok(parsed),
    }
}

/// Date, kind of record (OpenWayback writes it) and object of a CDXJ line; the first two are empty where the object is
/// alone. The key, which comes first, is recomputed from the URL.
pub(super) fn split_cdxj(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    if line.first() == Some(&b'{') {
        return Some((b"", b"", line));
    }
    let key = memchr::memchr(b' ', line)?;
    // Between key and object there are a date and at most one word.
    let open = memchr::memchr(b'{', line.get(key..key + 64).unwrap_or(&line[key..]))? + key;
    let between = line[key..open].trim_ascii();
    if between.is_empty() {
        return None;
    }
    let date = memchr::memchr(b' ', between).unwrap_or(between.len());
    Some((&between[..date], between[date..].trim_ascii(), &line[open..]))
}
