//! Reads the records that a report names again, without the main reader.
//!
//! It shares nothing with the main reader but the opening of files. A record with a place of its own is hashed as it is
//! stored and inflated; the [`warc` crate](crate::at::second_reader) reads its fields and its block. A record that shares a
//! compressed member with others has no place of its own: the stream is inflated from the member's start, records are
//! skipped by their `Content-Length`, and the wanted one is hashed, head and block. Each member is read once for all
//! records wanted of it. Memory is bounded by the head of a record.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use crate::archive::blob::{Blob, BlobReader};
use crate::archive::remote::{RangeReader, is_fetch_failure};
use crate::archive::zst;
use crate::at::model::Witness;
use crate::at::second_reader::{self, SecondReading};
use crate::digest::{Algorithm, Hasher};
use crate::error::{Error, Result};
use crate::ingest::fetch::open_or_fetch;
use crate::time::{Dated, Instant};

/// Maximum size of a head, in bytes.
const MAX_HEAD: u64 = 1 << 20;
/// At most this much of a record is inflated to see whether it can be.
const MAX_INFLATED: u64 = 256 << 20;

/// What is found at the place of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Again {
    Record(Seen),
    /// Known only from an index.
    Indexed,
    /// Not found: its place is unknown or beyond the end, or the records before it in its member cannot be skipped.
    Lost,
}

/// A record that was read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// SHA-256 of the record as stored; of the record itself, where it shares its compressed member.
    pub sha256: String,
    /// Its head, if it is one of a WARC record.
    pub head: Option<Vec<u8>>,
    /// The record as the `warc` crate reads it, where it can.
    pub second: Option<SecondReading>,
    /// The stored bytes cannot be inflated.
    pub damaged: bool,
}

/// Reads all of some witnesses again, in their order. Those that only an index tells of are read where a program fetches
/// archives that are not on this disk. An error says why one could not be read.
pub(crate) fn again(witnesses: &[&Witness], remote: Option<&Arc<RangeReader>>) -> Vec<Result<Again>> {
    let mut files = Files { open: HashMap::new(), remote };
    let mut found: Vec<Result<Again>> = Vec::with_capacity(witnesses.len());
    // Records without a place of their own, by file and the start of their member.
    let mut shared: BTreeMap<(&str, u64), Vec<usize>> = BTreeMap::new();
    for (place, witness) in witnesses.iter().enumerate() {
        found.push(match (witness.offset, witness.length) {
            // The place that a line of an index gives is a place in another file.
            _ if witness.index.is_some() && remote.is_none() => Ok(Again::Indexed),
            (Some(offset), Some(length)) => files.alone(&witness.file, offset, length),
            (Some(offset), None) => {
                shared.entry((&witness.file, offset)).or_default().push(place);
                Ok(Again::Lost)
            }
            (None, _) => Ok(Again::Lost),
        });
    }
    for ((file, offset), places) in shared {
        let blob = match files.open(file) {
            Ok(blob) => blob,
            Err(error) => {
                let message = error.to_string();
                places.iter().for_each(|place| found[*place] = Err(Error::data(message.clone())));
                continue;
            }
        };
        let (all, mut wanted) = (places.clone(), places);
        let ended = stream(blob, offset).map(|stream| {
            step(
                stream,
                &mut |head| {
                    let here: Vec<usize> =
                        wanted.iter().copied().filter(|place| is_of(witnesses[*place], head)).collect();
                    wanted.retain(|place| !here.contains(place));
                    Wanted { is_last: wanted.is_empty(), places: here }
                },
                &mut |places, seen| {
                    places.iter().for_each(|place| found[*place] = Ok(Again::Record(seen.clone())));
                },
            )
        });
        // Damage ends the stream, and what was found before it counts; what a program did not give is not known to be lost.
        let fault = match ended {
            Ok(stepped) => stepped.err().filter(is_fetch_failure),
            Err(error) => Some(error),
        };
        if let Some(error) = fault {
            for place in all {
                if matches!(found[place], Ok(Again::Lost)) {
                    found[place] = Err(Error::data(error.to_string()).at_file(file));
                }
            }
        }
    }
    found
}

struct Files<'a> {
    open: HashMap<String, Blob>,
    remote: Option<&'a Arc<RangeReader>>,
}

impl Files<'_> {
    fn open(&mut self, name: &str) -> Result<&Blob> {
        if !self.open.contains_key(name) {
            let blob = open_or_fetch(name, self.remote).map_err(|error| Error::from(error).at_file(name))?;
            self.open.insert(name.to_owned(), blob);
        }
        self.open.get(name).ok_or_else(|| Error::data("it is not open").at_file(name))
    }

    /// A record with a place of its own.
    fn alone(&mut self, file: &str, offset: u64, length: u64) -> Result<Again> {
        let blob = self.open(file)?;
        let fault = |error: io::Error| Error::from(error).at_file(file);
        let section = blob.section(offset, length);
        if section.len() < length {
            return Ok(Again::Lost);
        }
        let mut hasher = Hasher::new(Algorithm::Sha256);
        let read = hash(&mut section.reader(0), length, &mut hasher).map_err(fault)?;
        if read < length {
            return Ok(Again::Lost);
        }
        let start = section.bytes_at(0, 5).map_err(fault)?;
        let mut seen = Seen { sha256: hasher.finish().hex(), head: None, second: None, damaged: false };
        // ARC and Zstandard: the hash of the stored bytes is the check.
        if start.starts_with(&[0x1f, 0x8b]) {
            let mut inflated = BufReader::new(flate2::bufread::GzDecoder::new(section.reader(0)));
            // What could be inflated before a fault still counts.
            match take_head(&mut inflated) {
                Ok(head) => seen.head = head,
                Err(error) if is_fetch_failure(&error) => return Err(fault(error)),
                Err(_) => seen.damaged = true,
            }
            seen.second = second(seen.head.as_deref(), &mut inflated);
            match io::copy(&mut inflated.take(MAX_INFLATED), &mut io::sink()) {
                Err(error) if is_fetch_failure(&error) => return Err(fault(error)),
                copied => seen.damaged |= copied.is_err(),
            }
        } else if start.starts_with(b"WARC/") {
            let mut reader = section.reader(0);
            seen.head = take_head(&mut reader).map_err(fault)?;
            seen.second = second(seen.head.as_deref(), &mut reader);
        }
        Ok(Again::Record(seen))
    }
}

/// The record with this head as the `warc` crate reads it.
fn second(head: Option<&[u8]>, block: &mut dyn BufRead) -> Option<SecondReading> {
    let head = head?;
    let length: u64 = field(head, "Content-Length")?.parse().ok()?;
    second_reader::read(head, &mut block.take(length))
}

/// The uncompressed bytes from a member's start to the end of the file.
fn stream(blob: &Blob, offset: u64) -> io::Result<Box<dyn BufRead>> {
    let start = blob.bytes_at(offset, 4)?;
    let reader: BlobReader = blob.reader(offset);
    Ok(if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader)))
    } else if zst::is_frame(&start) {
        let dictionary = zst::dictionary(blob)?.unwrap_or_default();
        let decoder = zstd::stream::read::Decoder::with_dictionary(reader, &dictionary)?;
        Box::new(BufReader::new(decoder))
    } else {
        Box::new(reader)
    })
}

/// Whether a record is wanted, and for which of the records asked for.
struct Wanted {
    /// No record after it is wanted.
    is_last: bool,
    places: Vec<usize>,
}

/// Goes over records: `choose` gets every head, `take` the records that are wanted.
fn step(
    mut stream: Box<dyn BufRead>,
    choose: &mut dyn FnMut(&[u8]) -> Wanted,
    take: &mut dyn FnMut(&[usize], Seen),
) -> io::Result<()> {
    while let Some(head) = take_head(&mut stream)? {
        let Some(length) = field(&head, "Content-Length").and_then(|length| length.parse::<u64>().ok())
        else {
            return Ok(());
        };
        let wanted = choose(&head);
        if !wanted.places.is_empty() {
            let mut hasher = Hasher::new(Algorithm::Sha256);
            hasher.update(&head);
            let mut tee = Tee { stream: &mut stream, hasher, left: length };
            let second = second_reader::read(&head, &mut tee);
            // What the second reader left unread belongs to the record, too.
            io::copy(&mut tee, &mut io::sink())?;
            if tee.left > 0 {
                return Ok(());
            }
            let sha256 = tee.hasher.finish().hex();
            take(&wanted.places, Seen { sha256, head: Some(head), second, damaged: false });
        } else if io::copy(&mut (&mut stream).take(length), &mut io::sink())? < length {
            return Ok(());
        }
        if wanted.is_last {
            return Ok(());
        }
    }
    Ok(())
}

/// The next bytes of a stream, hashed as they are read.
struct Tee<'a> {
    stream: &'a mut dyn BufRead,
    hasher: Hasher,
    left: u64,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Tee<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.stream.fill_buf()?;
        Ok(&bytes[..bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX))])
    }

    fn consume(&mut self, count: usize) {
        // What is consumed was given out by `fill_buf`, so asking again reads nothing.
        if let Ok(bytes) = self.stream.fill_buf() {
            let count = count.min(bytes.len());
            self.hasher.update(&bytes[..count]);
            self.stream.consume(count);
            self.left -= count as u64;
        }
    }
}

/// Hashes the next bytes; returns how many there were.
fn hash(reader: &mut dyn BufRead, length: u64, hasher: &mut Hasher) -> io::Result<u64> {
    let mut left = length;
    while left > 0 {
        let bytes = reader.fill_buf()?;
        let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if count == 0 {
            break;
        }
        hasher.update(&bytes[..count]);
        reader.consume(count);
        left -= count as u64;
    }
    Ok(length - left)
}

/// The head of the next record, with its empty line; `None` if no record of WARC follows.
fn take_head(reader: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    loop {
        let bytes = reader.fill_buf()?;
        let newlines = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        if newlines == 0 {
            break;
        }
        reader.consume(newlines);
    }
    let mut head = Vec::new();
    let mut reader = reader.take(MAX_HEAD);
    loop {
        let start = head.len();
        let is_empty = reader.read_until(b'\n', &mut head)? == 0;
        if is_empty || !head[..head.len().min(5)].eq_ignore_ascii_case(b"WARC/") {
            return Ok(None);
        }
        if matches!(&head[start..], b"\r\n" | b"\n") {
            return Ok(Some(head));
        }
    }
}

/// Whether a record of this date is the one asked for. An index may have cut the date to the second.
pub(crate) fn is_date(witness: &Witness, date: Instant) -> bool {
    match witness.index {
        Some(_) => (witness.date..=witness.date_end).contains(&date),
        None => date == witness.date,
    }
}

/// Whether a head is that of the record asked for.
fn is_of(witness: &Witness, head: &[u8]) -> bool {
    let date = field(head, "WARC-Date").and_then(|date| Dated::parse(&date));
    let has_id = witness.record_id.is_none() || bare(head, "WARC-Record-ID") == witness.record_id;
    has_id
        && date.is_some_and(|date| is_date(witness, date.instant))
        && states(head, "WARC-Target-URI", &witness.url)
}

/// The values of a field, folded lines joined, Latin-1 where they are not UTF-8.
fn values(head: &[u8], name: &str) -> Vec<String> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut is_it = false;
    for line in head.split(|byte| *byte == b'\n').skip(1) {
        if matches!(line.first(), Some(b' ' | b'\t')) {
            if let Some(value) = found.last_mut().filter(|_| is_it) {
                if !value.is_empty() {
                    value.push(b' ');
                }
                value.extend_from_slice(line.trim_ascii());
            }
            continue;
        }
        // A line without a colon is not a field and cannot be continued.
        let colon = line.iter().position(|byte| *byte == b':');
        is_it = colon.is_some_and(|colon| line[..colon].trim_ascii().eq_ignore_ascii_case(name.as_bytes()));
        if let Some(colon) = colon.filter(|_| is_it) {
            found.push(line[colon + 1..].trim_ascii().to_vec());
        }
    }
    let text = |value: Vec<u8>| {
        String::from_utf8(value)
            .unwrap_or_else(|error| error.as_bytes().iter().map(|byte| char::from(*byte)).collect())
    };
    found.into_iter().map(text).collect()
}

/// The last value of a field.
pub(crate) fn field(head: &[u8], name: &str) -> Option<String> {
    values(head, name).pop()
}

/// The same, without the angle brackets around it.
pub(crate) fn bare(head: &[u8], name: &str) -> Option<String> {
    field(head, name).map(unbracketed)
}

/// Whether a head states this value of a field, be it one of several.
pub(crate) fn states(head: &[u8], name: &str, value: &str) -> bool {
    values(head, name).into_iter().any(|stated| unbracketed(stated) == value)
}

fn unbracketed(value: String) -> String {
    let inner = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).map(str::to_owned);
    inner.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_the_wild_writes_them() {
        let head = b"WARC/1.0\r\na: 1\r\nURI: <http://a/>\r\n b\r\nnone\r\n x\r\nA : <2>\r\nc: \xe9>\r\nd:\r\n late\r\n\r\n";
        assert_eq!(field(head, "a").as_deref(), Some("<2>"));
        assert_eq!(bare(head, "A").as_deref(), Some("2"));
        assert_eq!(bare(head, "uri").as_deref(), Some("<http://a/> b"));
        assert_eq!(bare(head, "c").as_deref(), Some("\u{e9}>"));
        assert_eq!(field(head, "d").as_deref(), Some("late"));
        assert_eq!(field(head, "e"), None);
    }

    #[test]
    fn heads_are_read_one_after_the_other_and_anything_else_ends_the_walk() {
        let mut bytes = &b"\r\n\nWARC/1.0\nContent-Length: 2\n\nxyWARC/1.1\r\nb: c\r\n\r\nrest"[..];
        assert_eq!(take_head(&mut bytes).unwrap().unwrap(), b"WARC/1.0\nContent-Length: 2\n\n");
        bytes.consume(2);
        assert_eq!(take_head(&mut bytes).unwrap().unwrap(), b"WARC/1.1\r\nb: c\r\n\r\n");
        assert_eq!(take_head(&mut bytes).unwrap(), None);
        assert_eq!(take_head(&mut &b"WARC/1.0\r\ncut: x\r\n"[..]).unwrap(), None);
    }
}
