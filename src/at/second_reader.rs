//! The independent second reader: the `warc` crate reads the records that a report names, so that a fault of our own
//! reader does not confirm itself.
//!
//! The crate trusts `Content-Length`, reads heads without a limit, takes lines that end in a bare line feed for one endless
//! head, and panics on text that is not UTF-8. So it receives one record at a time: a head that our own code found and
//! bounded, and as many bytes of block as that head declares, streamed. What it cannot read (folded fields, dates shorter
//! than a second) is `None`.

use std::io::{BufRead, Cursor, Read};

use warc::{WarcHeader, WarcReader};

use crate::at::reread::field;
use crate::digest::{Digest, Hasher};
use crate::time::Instant;

/// Longer blocks are not handed to the crate.
const MAX_BLOCK: u64 = 1 << 30;

/// A record as the `warc` crate reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SecondReading {
    /// `WARC-Type`, in lower case.
    pub kind: String,
    /// `WARC-Record-ID`, without angle brackets.
    pub id: String,
    /// `WARC-Date`.
    pub date: Instant,
    /// `WARC-Target-URI`, without angle brackets.
    pub target: Option<String>,
    /// Whether the block has the digest that the record declares; `None` where it declares none.
    pub block_matches: Option<bool>,
}

/// Reads one record: a bounded head, and its block, which must be limited to `Content-Length`.
pub(crate) fn read(head: &[u8], block: &mut dyn BufRead) -> Option<SecondReading> {
    let length: u64 = field(head, "Content-Length")?.parse().ok()?;
    let is_folded = head.windows(2).any(|pair| pair[0] == b'\n' && matches!(pair[1], b' ' | b'\t'));
    // `Record::header` panics on values that are not UTF-8.
    let is_utf8 = std::str::from_utf8(head).is_ok();
    if length > MAX_BLOCK || is_folded || !is_utf8 || !head.ends_with(b"\r\n\r\n") {
        return None;
    }
    let mut reader = WarcReader::new(Cursor::new(head).chain(block));
    let mut records = reader.stream_records();
    let mut record = records.next_item()?.ok()?;
    if record.content_length() != length {
        return None;
    }
    let header = |name: WarcHeader| record.header(name).map(|value| bare(&value));
    let declared = header(WarcHeader::BlockDigest).and_then(|digest| Digest::parse(&digest));
    let mut reading = SecondReading {
        kind: record.warc_type().to_string().to_ascii_lowercase(),
        id: bare(record.warc_id()),
        date: Instant(record.date().timestamp_micros()),
        target: header(WarcHeader::TargetURI),
        block_matches: None,
    };
    let mut hasher = declared.map(|digest| Hasher::new(digest.algorithm()));
    let (mut buffer, mut seen) = (vec![0; 64 << 10], 0);
    loop {
        let count = record.read(&mut buffer).ok()?;
        if count == 0 {
            break;
        }
        seen += count as u64;
        if let Some(hasher) = &mut hasher {
            hasher.update(&buffer[..count]);
        }
    }
    if seen != length {
        return None;
    }
    reading.block_matches = hasher.map(|hasher| Some(hasher.finish()) == declared);
    Some(reading)
}

fn bare(value: &str) -> String {
    let value = value.trim();
    value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(value).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(length: &str) -> Vec<u8> {
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-01-01T10:00:00Z\r\n\
             WARC-Target-URI: http://a.example/\r\nWARC-Block-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n\
             Content-Length: {length}\r\n\r\n"
        )
        .into_bytes()
    }

    #[test]
    fn a_record_is_read_and_its_block_checked() {
        let read = |body: &[u8]| read(&head("5"), &mut &body[..]).unwrap();
        let reading = read(b"12345");
        assert_eq!((reading.kind.as_str(), reading.id.as_str()), ("response", "urn:uuid:1"));
        assert_eq!(reading.target.as_deref(), Some("http://a.example/"));
        assert_eq!(reading.date, Instant::parse("2024-01-01T10:00:00Z").unwrap());
        assert_eq!(read(b"54321").block_matches, Some(false));
    }

    #[test]
    fn hostile_lengths_and_heads_are_refused() {
        for length in ["18446744073709551615", "9223372036854775807", "-1", "", "1e9", "99999999999999999999"]
        {
            assert_eq!(read(&head(length), &mut &b"\n"[..]), None, "{length}");
        }
        assert_eq!(read(&head("5"), &mut &b"123"[..]), None);
        let bare_line_feeds = String::from_utf8(head("5")).unwrap().replace("\r\n", "\n");
        assert_eq!(read(bare_line_feeds.as_bytes(), &mut &b"12345"[..]), None);
        let latin1 = [&head("5")[..20], b"\xe9", &head("5")[20..]].concat();
        assert_eq!(read(&latin1, &mut &b"12345"[..]), None);
        let folded = String::from_utf8(head("5")).unwrap().replace("response", "response\r\n more");
        assert_eq!(read(folded.as_bytes(), &mut &b"12345"[..]), None);
        let two_lengths = String::from_utf8(head("5"))
            .unwrap()
            .replace("\r\n\r\n", "\r\nContent-Length: 18446744073709551615\r\n\r\n");
        assert_eq!(read(two_lengths.as_bytes(), &mut &b"12345"[..]), None);
    }
}
