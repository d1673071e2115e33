//! Recognises what a file holds by its content, never by its name.

use std::io::{self, Read};

use super::blob::Blob;
use super::cdx::{IndexFormat, looks_like_index};
use super::gzip;
use super::members;
use super::record_start::{holds_record, is_record_start};
use super::zst;

/// How the bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

/// What the bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// WARC or ARC records.
    Records,
    /// Lines of a CDX or CDXJ index.
    Index(IndexFormat),
    /// Observations as JSON lines: the output of `acuity index`.
    Observations,
    /// A Parquet file.
    Parquet,
    /// A zip file, usually a WACZ package.
    Zip,
    /// A JSON file that names several WACZ packages.
    MultiWacz,
    Empty,
    /// Text of no known format.
    Text,
    /// Anything else; with the format's name if its magic number is known.
    Unknown(Option<&'static str>),
}

/// Bytes that are examined.
pub(crate) const HEAD: usize = 64 << 10;

/// Looks at the start of a file.
pub fn sniff(blob: &Blob) -> io::Result<(Compression, Content)> {
    let start = blob.bytes_at(0, HEAD)?;
    if start.is_empty() {
        return Ok((Compression::None, Content::Empty));
    }
    if gzip::is_member(&start) {
        let mut head = vec![0; HEAD];
        let (length, damaged) =
            read_head(&mut flate2::bufread::MultiGzDecoder::new(blob.reader(0)), &mut head);
        let content = content_of(&head[..length]);
        // A damaged start shows nothing: the record reader continues after it.
        return Ok((
            Compression::Gzip,
            if damaged && !is_known(&content) { Content::Records } else { content },
        ));
    }
    if zst::is_frame(&start) {
        let dictionary = zst::dictionary(blob).unwrap_or_default().unwrap_or_default();
        let mut head = vec![0; HEAD];
        let (length, damaged) =
            match zstd::stream::read::Decoder::with_dictionary(blob.reader(0), &dictionary) {
                Ok(mut decoder) => read_head(&mut decoder, &mut head),
                Err(_) => (0, true),
            };
        let content = content_of(&head[..length]);
        return Ok((
            Compression::Zstd,
            if damaged && !is_known(&content) { Content::Records } else { content },
        ));
    }
    let content = content_of(&start);
    if content == Content::Unknown(None) {
        // The very first bytes may be damaged.
        if holds_member(&start) {
            return Ok((Compression::Gzip, Content::Records));
        }
        if memchr::memmem::find(&start, &zst::FRAME).is_some_and(|at| holds_frame(&start[at..])) {
            return Ok((Compression::Zstd, Content::Records));
        }
    }
    Ok((Compression::None, content))
}

fn holds_member(bytes: &[u8]) -> bool {
    let (mut from, mut probe) = (0, None);
    while let Some(at) = gzip::find_magic(bytes, from) {
        if members::starts_record(&bytes[at..], &mut probe) {
            return true;
        }
        from = at + 1;
    }
    false
}

fn holds_frame(bytes: &[u8]) -> bool {
    let mut head = [0; 4096];
    let Ok(decoder) = zstd::stream::read::Decoder::with_buffer(bytes) else { return false };
    let (length, _) = read_head(&mut decoder.single_frame(), &mut head);
    is_record_start(head[..length].trim_ascii_start())
}

fn is_known(content: &Content) -> bool {
    !matches!(content, Content::Empty | Content::Text | Content::Unknown(_))
}

/// Fills `head` as far as possible; returns the length and whether reading failed.
fn read_head(reader: &mut dyn Read, head: &mut [u8]) -> (usize, bool) {
    let mut length = 0;
    while length < head.len() {
        match reader.read(&mut head[length..]) {
            Ok(0) => return (length, false),
            Ok(count) => length += count,
            Err(_) => return (length, true),
        }
    }
    (length, false)
}

fn content_of(start: &[u8]) -> Content {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let trimmed = text.trim_ascii_start();
    if start.is_empty() {
        return Content::Empty;
    }
    if is_record_start(trimmed) {
        return Content::Records;
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Content::Zip;
    }
    if start.starts_with(b"PAR1") {
        return Content::Parquet;
    }
    if trimmed.starts_with(b"{") {
        let first_line = trimmed.split(|byte| *byte == b'\n').next().unwrap_or_default();
        if has(first_line, b"\"url\"") && has(first_line, b"\"kind\"") && has(first_line, b"\"key\"") {
            return Content::Observations;
        }
        if has(trimmed, b"\"resources\"") && has(trimmed, b".wacz") {
            return Content::MultiWacz;
        }
    }
    if let Some(format) = looks_like_index(text) {
        return Content::Index(format);
    }
    if holds_record(text) {
        return Content::Records;
    }
    if start.starts_with(&[0x04, 0x22, 0x4d, 0x18]) {
        return Content::Unknown(Some("lz4"));
    }
    if start.starts_with(b"BZh") {
        return Content::Unknown(Some("bzip2"));
    }
    if start.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        return Content::Unknown(Some("xz"));
    }
    let whole = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let is_text = whole && !start.iter().any(|byte| *byte < 9 || (14..32).contains(byte) && *byte != 27);
    if is_text { Content::Text } else { Content::Unknown(None) }
}

fn has(bytes: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(bytes, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(bytes: &[u8]) -> (Compression, Content) {
        sniff(&Blob::memory(bytes.to_vec())).unwrap()
    }

    #[test]
    fn formats_are_recognised_by_content() {
        assert_eq!(sniffed(b"WARC/1.0\r\nWARC-Type: warcinfo\r\n").1, Content::Records);
        assert_eq!(sniffed(b"\r\n\r\nWARC/1.0\r\n").1, Content::Records);
        assert_eq!(sniffed(b"junk\nWARC/1.0\r\nWARC-Type: x\r\n").1, Content::Records);
        assert_eq!(sniffed(b"filedesc://x 0.0.0.0 20200101000000 text/plain 3\n").1, Content::Records);
        assert_eq!(sniffed(b"PK\x03\x04....").1, Content::Zip);
        assert_eq!(sniffed(b"PAR1\x15\x04").1, Content::Parquet);
        assert_eq!(sniffed(b"").1, Content::Empty);
        assert_eq!(sniffed(b"# Read me\nsome words").1, Content::Text);
        assert_eq!(sniffed(b"\x04\x22\x4d\x18abc").1, Content::Unknown(Some("lz4")));
        assert_eq!(sniffed(b"\x00\x01\x02").1, Content::Unknown(None));
        assert_eq!(
            sniffed(b"{\"url\":\"http://a/\",\"method\":null,\"key\":\"a)/\",\"kind\":\"index\"}\n").1,
            Content::Observations
        );
        assert_eq!(sniffed(b"\x1f\x8b\x08\x00broken").0, Compression::Gzip);
        assert_eq!(sniffed(b"\x1f\x8b\x08\x00broken").1, Content::Records);
    }
}
