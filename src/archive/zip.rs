//! The directory of a zip file, and its entries read in place.
//!
//! For packages of web archives: entries are stored, so that a WARC of any size is a section of the package, read with
//! `pread`; only small ones are deflated. The directory is not trusted: memory is bounded however many entries it
//! declares; entries that overlap (as in zip bombs), are encrypted or reach beyond the file are reported and not read;
//! names are text to show and look up, never paths. If the package was cut and its directory is missing, entries are
//! found by their own headers.
//!
//! Source: PKWARE, .ZIP File Format Specification (APPNOTE) 6.3.10, sections 4.3 and 4.5.3.

use std::io::{self, Read, Write};

use super::blob::Blob;
use super::temporary;
use crate::problem::{Level, Problem};

/// Packages have tens of entries, large ones thousands.
const MAX_ENTRIES: usize = 100_000;
/// Bytes of all entry names together.
const MAX_NAME_BYTES: usize = 16 << 20;
/// End record with the longest possible comment, in bytes.
const MAX_TAIL: u64 = 22 + 65_535;
/// Maximum ratio of inflated to deflated size. Deflate can reach 1032; WARCs stay well below 100.
const MAX_INFLATION_RATIO: u64 = 200;
/// Inflated bytes allowed at any ratio.
const ALWAYS_ALLOWED_BYTES: u64 = 64 << 20;
/// Inflated entries up to this size stay in memory, larger ones go to an unnamed temporary file.
const MAX_IN_MEMORY: u64 = 4 << 20;

/// One entry of a zip file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name: text, never a path.
    pub name: String,
    /// Offset of the entry's header.
    pub header_offset: u64,
    pub data_offset: u64,
    /// The length of its data in the file.
    pub stored_length: u64,
    /// The length of the entry when inflated, as declared.
    pub length: u64,
    /// Whether its data are deflated.
    pub is_deflated: bool,
    /// CRC-32 of the entry, as declared.
    crc: Option<u32>,
    /// Why the entry cannot be read, if it cannot.
    pub fault: Option<&'static str>,
}

/// The entries of a zip file, in the order of its directory, and its problems.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// All entries, including faulty ones.
    pub entries: Vec<Entry>,
    /// What was found; the caller adds the file.
    pub problems: Vec<Problem>,
    pub surplus: Surplus,
}

/// How many bytes of the file are not part of an entry or of the directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Surplus {
    pub before: u64,
    pub behind: u64,
    pub comment: u64,
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl Directory {
    /// Reads the directory of a zip file; a file that is not a zip has no entries.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn read(blob: &Blob) -> io::Result<Self> {
        let mut directory = Directory::default();
        match find_end(blob)? {
            Some(end) => {
                let surplus = end.surplus;
                directory.read_central(blob, end)?;
                let first = directory.entries.iter().map(|entry| entry.header_offset).min();
                directory.surplus = Surplus { before: first.unwrap_or(0), ..surplus };
            }
            None => directory.salvage(blob)?,
        }
        directory.judge(blob.len());
        Ok(directory)
    }

    /// The last entry of this name: if a name occurs twice, readers agree on the last.
    pub(crate) fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.name == name)
    }

    fn warn(&mut self, kind: &str, message: String) {
        self.problems.push(Problem::new(Level::Warning, kind, message));
    }

    fn read_central(&mut self, blob: &Blob, end: End) -> io::Result<()> {
        let mut reader = blob.section(0, end.directory_end).reader(end.directory);
        let (mut header, mut variable) = ([0; 46], Vec::new());
        let (mut count, mut name_bytes) = (0u64, 0);
        while read_full(&mut reader, &mut header)? && header.starts_with(b"PK\x01\x02") {
            count += 1;
            let lengths = [28, 30, 32].map(|at| usize::from(u16_at(&header, at)));
            variable.resize(lengths.iter().sum(), 0);
            if !read_full(&mut reader, &mut variable)? {
                break;
            }
            name_bytes += lengths[0];
            if self.entries.len() == MAX_ENTRIES || name_bytes > MAX_NAME_BYTES {
                let message = format!("only the first {} entries are read", self.entries.len());
                self.warn("zip-too-many-entries", message);
                return Ok(());
            }
            let (name, extra) = variable[..lengths[0] + lengths[1]].split_at(lengths[0]);
            let mut entry = central_entry(&header, name, extra);
            entry.header_offset = entry.header_offset.saturating_add(end.shift);
            entry.locate(blob)?;
            self.entries.push(entry);
        }
        // Without zip64 the number is kept modulo 65,536.
        if count & 0xffff != end.count & 0xffff {
            let message = format!("the package declares {} entries, its directory has {count}", end.count);
            self.warn("zip-directory-damaged", message);
        }
        Ok(())
    }

    /// Finds the entries of a truncated package by their own headers.
    fn salvage(&mut self, blob: &Blob) -> io::Result<()> {
        let mut offset = 0;
        while self.entries.len() < MAX_ENTRIES {
            let header = blob.bytes_at(offset, 30)?;
            if header.len() < 30 || !header.starts_with(b"PK\x03\x04") {
                break;
            }
            let (name, extra) = (usize::from(u16_at(&header, 26)), usize::from(u16_at(&header, 28)));
            let variable = blob.bytes_at(offset + 30, name + extra)?;
            let mut entry = local_entry(
                &header,
                &variable[..name.min(variable.len())],
                &variable[name.min(variable.len())..],
            );
            entry.header_offset = offset;
            entry.data_offset = offset + 30 + (name + extra) as u64;
            let left = blob.len().saturating_sub(entry.data_offset);
            // The length follows the data and is unknown here, so take everything to the end.
            let is_open = u16_at(&header, 6) & 8 != 0 && entry.stored_length == 0;
            let is_cut = is_open || entry.stored_length > left;
            if is_cut {
                entry.stored_length = left;
                entry.crc = None;
            }
            offset = entry.data_offset.saturating_add(entry.stored_length);
            self.entries.push(entry);
            if is_cut {
                break;
            }
        }
        if !self.entries.is_empty() {
            let message = "the package has no directory at its end, so it was cut; the entries that could be found were read";
            self.problems.push(
                Problem::new(Level::Warning, "zip-directory-missing", message)
                    .with_remedy("fetch the package again"),
            );
        }
        Ok(())
    }

    /// Finds the entries that cannot be read.
    fn judge(&mut self, length: u64) {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|place| self.entries[*place].header_offset);
        let mut taken = 0;
        for place in order {
            let entry = &mut self.entries[place];
            let end = entry.data_offset.saturating_add(entry.stored_length);
            if entry.fault.is_none() && end > length {
                entry.fault = Some("it reaches beyond the end of the package");
            }
            if entry.fault.is_none() && entry.header_offset < taken {
                entry.fault = Some("it overlaps another entry");
            }
            if entry.fault.is_none() {
                taken = end;
            }
        }
        let faults: Vec<Problem> = (self.entries.iter())
            .filter_map(|entry| {
                let message = format!("the entry {:?} cannot be read: {}", entry.name, entry.fault?);
                let problem = Problem::new(Level::Error, "zip-entry-unreadable", message);
                Some(
                    problem
                        .at(entry.header_offset)
                        .with_remedy("unpack the zip file, and name what is in it"),
                )
            })
            .collect();
        self.problems.extend(faults);
        let mut names: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
        names.sort_unstable();
        let mut twice: Vec<String> =
            names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].to_owned()).collect();
        twice.dedup();
        for name in twice {
            self.warn(
                "zip-duplicate-name",
                format!("several entries are named {name:?}; looked up by name, the last one counts"),
            );
        }
    }
}

/// Where the directory is.
struct End {
    directory: u64,
    directory_end: u64,
    count: u64,
    /// Bytes before the zip file proper, which its offsets do not count.
    shift: u64,
    /// The comment, and what comes behind it.
    surplus: Surplus,
}

/// Finds the end record, from the end of the file, and the 64-bit one before it.
fn find_end(blob: &Blob) -> io::Result<Option<End>> {
    let tail_offset = blob.len().saturating_sub(MAX_TAIL);
    let tail = blob.bytes_at(tail_offset, MAX_TAIL as usize)?;
    let found = memchr::memmem::rfind_iter(&tail, b"PK\x05\x06").find(|at| {
        let comment = usize::from(u16_at(&tail, at + 20));
        at + 22 + comment <= tail.len()
    });
    let Some(at) = found else { return Ok(None) };
    let end = &tail[at..];
    let comment = u64::from(u16_at(end, 20));
    let behind = (end.len() as u64).saturating_sub(22 + comment);
    let surplus = Surplus { before: 0, behind, comment };
    let mut position = tail_offset + at as u64;
    let (mut count, mut size, mut directory) =
        (u64::from(u16_at(end, 10)), u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
    let locator = blob.bytes_at(position.saturating_sub(20), 20)?;
    if locator.starts_with(b"PK\x06\x07") {
        let end64 = blob.bytes_at(u64_at(&locator, 8), 56)?;
        if end64.len() == 56 && end64.starts_with(b"PK\x06\x06") {
            (count, size, directory) = (u64_at(&end64, 32), u64_at(&end64, 40), u64_at(&end64, 48));
            position = u64_at(&locator, 8);
        }
    }
    let computed = position.saturating_sub(size);
    let is_there = |offset: u64| {
        blob.bytes_at(offset, 4).map(|bytes| bytes == b"PK\x01\x02" || (count == 0 && offset == position))
    };
    Ok(if is_there(directory)? {
        Some(End { directory, directory_end: position, count, shift: 0, surplus })
    } else if is_there(computed)? {
        Some(End {
            directory: computed,
            directory_end: position,
            count,
            shift: computed.saturating_sub(directory),
            surplus,
        })
    } else {
        None
    })
}

fn entry(header: &[u8], flags_at: usize, name: &[u8]) -> Entry {
    let flags = u16_at(header, flags_at);
    let method = u16_at(header, flags_at + 2);
    let fault = match method {
        _ if flags & 1 != 0 => Some("it is encrypted"),
        0 | 8 => None,
        _ => Some("its compression method is not used in web archives"),
    };
    Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        header_offset: 0,
        data_offset: 0,
        crc: Some(u32_at(header, flags_at + 8)),
        stored_length: u64::from(u32_at(header, flags_at + 12)),
        length: u64::from(u32_at(header, flags_at + 16)),
        is_deflated: method == 8,
        fault,
    }
}

fn local_entry(header: &[u8], name: &[u8], extra: &[u8]) -> Entry {
    let mut entry = entry(header, 6, name);
    widen(extra, &mut [&mut entry.length, &mut entry.stored_length]);
    entry
}

fn central_entry(header: &[u8], name: &[u8], extra: &[u8]) -> Entry {
    let mut entry = entry(header, 8, name);
    entry.header_offset = u64::from(u32_at(header, 42));
    widen(extra, &mut [&mut entry.length, &mut entry.stored_length, &mut entry.header_offset]);
    entry
}

/// Takes the values that do not fit into 32 bits from the zip64 extra field, where they follow each other.
fn widen(mut extra: &[u8], values: &mut [&mut u64]) {
    while extra.len() >= 4 {
        let (kind, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let field = &extra[4..extra.len().min(4 + length)];
        if kind == 1 {
            let wide = values.iter_mut().filter(|value| ***value == u64::from(u32::MAX));
            for (value, bytes) in wide.zip(field.chunks_exact(8)) {
                **value = u64_at(bytes, 0);
            }
            return;
        }
        extra = &extra[4 + field.len()..];
    }
}

/// Fills the buffer; false at the end.
fn read_full(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Bytes of a deflated entry that are enough to recognise what it holds: what is compressed in it once more has to show some of its text.
const START: u64 = 3 * super::sniff::HEAD as u64;

impl Entry {
    /// Finds the data after the entry's own header, whose name and extra field may differ in length.
    fn locate(&mut self, blob: &Blob) -> io::Result<()> {
        let header = blob.bytes_at(self.header_offset, 30)?;
        if header.len() == 30 && header.starts_with(b"PK\x03\x04") {
            let variable = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
            self.data_offset = self.header_offset + 30 + variable;
        } else {
            self.data_offset = self.header_offset;
            self.fault = self.fault.or(Some("its header is not where the directory says"));
        }
        Ok(())
    }

    /// The bytes that the entry begins with; of a stored one all. Nothing of one that cannot be read.
    pub(crate) fn start(&self, package: &Blob) -> Blob {
        if self.fault.is_some() {
            return Blob::memory([]);
        }
        let stored = package.section(self.data_offset, self.stored_length);
        if !self.is_deflated {
            return stored;
        }
        let mut start = Vec::new();
        // What was inflated before damage counts.
        let _ = flate2::read::DeflateDecoder::new(stored.reader(0)).take(START).read_to_end(&mut start);
        Blob::memory(start)
    }

    /// The entry's bytes: a section of the package if stored, else inflated to memory or an unnamed temporary file. A
    /// damaged or too large entry is returned as far as it could be read, with a problem.
    ///
    /// # Errors
    /// If the package cannot be read or the temporary file cannot be written.
    pub fn open(&self, package: &Blob) -> io::Result<(Blob, Option<Problem>)> {
        if let Some(fault) = self.fault {
            return Ok((Blob::memory([]), Some(self.problem("zip-entry-unreadable", fault.to_owned()))));
        }
        let stored = package.section(self.data_offset, self.stored_length);
        if !self.is_deflated {
            return Ok((stored, None));
        }
        let limit = ALWAYS_ALLOWED_BYTES.max(self.stored_length.saturating_mul(MAX_INFLATION_RATIO));
        let mut inflater = flate2::read::DeflateDecoder::new(stored.reader(0)).take(limit);
        let mut crc = flate2::Crc::new();
        let (mut memory, mut file) = (Vec::new(), None);
        let mut buffer = vec![0; 64 * 1024];
        let mut problem = None;
        let mut length = 0;
        loop {
            let count = match inflater.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    problem =
                        Some(self.problem("zip-entry-damaged", format!("it does not inflate: {error}")));
                    break;
                }
            };
            let bytes = &buffer[..count];
            crc.update(bytes);
            length += count as u64;
            match &mut file {
                None if length <= MAX_IN_MEMORY => memory.extend_from_slice(bytes),
                None => {
                    let mut spool = temporary::file()?;
                    spool.write_all(&std::mem::take(&mut memory))?;
                    spool.write_all(bytes)?;
                    file = Some(spool);
                }
                Some(spool) => spool.write_all(bytes)?,
            }
        }
        let is_too_large =
            length == limit && inflater.into_inner().read(&mut buffer).is_ok_and(|count| count > 0);
        if is_too_large {
            let message = format!(
                "only its first {limit} bytes were read: it inflates to more than {MAX_INFLATION_RATIO} times its size"
            );
            problem = Some(self.problem("zip-entry-too-large", message));
        } else if problem.is_none() && self.crc.is_some_and(|declared| declared != crc.sum()) {
            problem = Some(self.problem("zip-entry-damaged", "its CRC-32 differs".to_owned()));
        }
        let blob = match file {
            Some(file) => Blob::file(file)?,
            None => Blob::memory(memory),
        };
        Ok((blob, problem))
    }

    fn problem(&self, kind: &str, what: String) -> Problem {
        Problem::new(Level::Error, kind, format!("the entry {:?}: {what}", self.name)).at(self.header_offset)
    }
}
