//! A record of an ARC file as a WARC record: the block as it is, behind a head made of the ARC line.
//!
//! ARC has no record ids. The id is made of the line and the block, so that the same record has the same id in every output. An
//! answer, or none where there should be one, becomes a `response`, anything else a `resource`; the line that opens a file, a `metadata` record.
//! Without a length the block ends before the newlines that part records, or where the `Content-Length` of its HTTP head says, if nothing
//! but such newlines is behind that: then it is known to be whole.

use std::io::{self, BufRead, BufReader, Read};
use std::net::IpAddr;

use super::warcinfo::urn_of;
use crate::archive::arc::{LINE_LIMIT, parse_line};
use crate::archive::http;
use crate::archive::record::RecordType;

/// What is written in place of an ARC record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Converted {
    /// The head of the WARC record.
    pub head: Vec<u8>,
    /// Bytes before the block in the ARC record.
    pub skip: u64,
    /// Bytes of the block.
    pub length: u64,
}

/// The start of a block that is kept: enough for the head of a response.
const START: usize = 64 << 10;

/// The length of a block by the head of its response; `None` where that does not tell it.
fn http_length(start: &[u8]) -> Option<u64> {
    let head = http::response_head_length(start).filter(|_| http::is_response(start))?;
    let response = http::parse_response(&start[..head]);
    let body = response.content_length.filter(|_| !response.wrapping.chunked)?;
    body.checked_add(head as u64)
}

/// Reads an ARC record once, without keeping it. `None`: it does not begin with an ARC line.
pub(crate) fn convert(record: impl Read) -> io::Result<Option<Converted>> {
    let mut reader = BufReader::with_capacity(1 << 16, record);
    let (mut line, mut skip) = (Vec::new(), 0);
    // Newlines before the line belong to the record before.
    while line.iter().all(|byte: &u8| matches!(byte, b'\r' | b'\n')) {
        line.clear();
        let count = (&mut reader).take(LINE_LIMIT as u64 + 1).read_until(b'\n', &mut line)?;
        if count == 0 {
            return Ok(None);
        }
        skip += count as u64;
    }
    let Some(head) = parse_line(&line) else { return Ok(None) };
    let mut hasher = blake3::Hasher::new();
    hasher.update(line.trim_ascii_end());
    let mut start = Vec::new();
    let (mut length, mut newlines) = (0, 0);
    let mut block = reader.take(head.content_length.unwrap_or(u64::MAX));
    loop {
        let piece = block.fill_buf()?;
        if piece.is_empty() {
            break;
        }
        hasher.update(piece);
        start.extend_from_slice(&piece[..piece.len().min(START.saturating_sub(start.len()))]);
        let trailing = piece.iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n')).count() as u64;
        newlines = if trailing == piece.len() as u64 { newlines + trailing } else { trailing };
        let count = piece.len();
        length += count as u64;
        block.consume(count);
    }
    let mut is_whole = head.content_length.is_some_and(|declared| declared <= length);
    if head.content_length.is_none() {
        let text = length - newlines;
        let stated = http_length(&start).filter(|stated| (text..=length).contains(stated));
        is_whole = stated.is_some();
        length = stated.unwrap_or(text);
    }
    let kind = match head.record_type {
        RecordType::WarcInfo => "metadata",
        _ if http::is_response(&start) => "response",
        // No answer at all: not an empty file.
        _ if length == 0 && head.target.as_deref().is_some_and(|url| url.starts_with("http")) => "response",
        _ => "resource",
    };
    // Without any length nothing shows that the block is whole.
    let is_cut = !is_whole && (kind != "metadata" || head.content_length.is_some());
    let media = match (kind, head.content_type.as_deref()) {
        ("response", _) => "application/http; msgtype=response",
        ("metadata", None) => "text/plain",
        (_, None) => "application/octet-stream",
        (_, Some(known)) => known,
    };
    let date = head.date.as_deref().map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), date);
    let mut made = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{}>\r\nWARC-Date: {date}\r\n",
        urn_of(&hasher.finalize())
    );
    if let Some(url) = &head.target {
        made.push_str(&format!("WARC-Target-URI: {}\r\n", one_line(url)));
    }
    if let Some(address) = address(&line, head.target.as_deref()) {
        made.push_str(&format!("WARC-IP-Address: {address}\r\n"));
    }
    if is_cut {
        made.push_str("WARC-Truncated: unspecified\r\n");
    }
    made.push_str(&format!("Content-Type: {}\r\nContent-Length: {length}\r\n\r\n", one_line(media)));
    Ok(Some(Converted { head: made.into_bytes(), skip, length }))
}

fn one_line(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// The address behind the URL.
fn address(line: &[u8], url: Option<&str>) -> Option<IpAddr> {
    let rest = line.get(url?.len() + 1..)?;
    let word = rest.split(|byte| *byte == b' ').next()?;
    let address: IpAddr = std::str::from_utf8(word).ok()?.parse().ok()?;
    (!address.is_unspecified()).then_some(address)
}

/// Digits as a date of the same precision.
fn date(digits: &str) -> String {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("00");
    let day = format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8));
    match digits.len() {
        17 => format!("{day}T{}:{}:{}.{}Z", part(8, 10), part(10, 12), part(12, 14), part(14, 17)),
        14 => format!("{day}T{}:{}:{}Z", part(8, 10), part(10, 12), part(12, 14)),
        12 | 13 => format!("{day}T{}:{}Z", part(8, 10), part(10, 12)),
        _ => day,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(record: &[u8]) -> (String, u64, u64) {
        let found = convert(record).unwrap().unwrap();
        (String::from_utf8(found.head).unwrap(), found.skip, found.length)
    }

    #[test]
    fn answers_files_and_the_opening_line_become_records() {
        let line = "http://a.example/x y 192.0.2.1 20140216050221 text/html 21\n";
        let block = "HTTP/1.1 200 OK\r\n\r\nab";
        let record = format!("\n{line}{block}\n");
        let (head, skip, length) = made(record.as_bytes());
        assert!(
            head.contains("WARC-Type: response\r\n") && head.contains("WARC-Date: 2014-02-16T05:02:21Z\r\n")
        );
        assert!(head.contains("WARC-Target-URI: http://a.example/x y\r\nWARC-IP-Address: 192.0.2.1\r\n"));
        assert!(head.contains("msgtype=response") && head.ends_with("Content-Length: 21\r\n\r\n"));
        assert_eq!((skip as usize, length), (line.len() + 1, 21));
        let (again, ..) = made(format!("{line}{block}").as_bytes());
        assert_eq!(again, head, "the same record, the same id");

        let (head, _, length) =
            made(b"dns:a.example 192.0.2.9 201402160502 text/dns -1\n20140216 a.example\r\n\n");
        assert!(
            head.contains("WARC-Type: resource\r\n") && head.contains("WARC-Date: 2014-02-16T05:02Z\r\n")
        );
        assert_eq!(length, 18);
        assert!(head.contains("WARC-Truncated"), "without a length nothing shows that it is whole");
        let (head, ..) = made(b"filedesc:// - - - 7\r\n1 0 IA\n");
        assert!(head.contains("WARC-Type: metadata\r\n") && !head.contains("IP-Address"));
        let (head, ..) = made(b"filedesc:// - - - -1\r\n1 0 IA\n");
        assert!(!head.contains("WARC-Truncated"));
        let (head, _, length) =
            made(b"http://a.example/ 0.0.0.0 20140216050221 text/html 99\nHTTP/1.0 200 OK");
        assert!(head.contains("WARC-Truncated") && !head.contains("IP-Address"));
        assert_eq!(length, 15);
        assert_eq!(convert(&b"\r\n\n"[..]).unwrap(), None);
        assert_eq!(convert(&b"no line of that kind\n"[..]).unwrap(), None);
    }
    #[test]
    fn the_length_of_the_response_shows_where_a_block_without_a_length_ends() {
        let of = |fields: &str, body: &str| {
            let line = "http://a.example/ 192.0.2.1 20140216050221 text/html -1\n";
            let response = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
            let (head, _, length) = made(format!("{line}{response}{body}").as_bytes());
            (head.contains("WARC-Truncated"), length as usize - response.len())
        };
        assert_eq!(of("Content-Length: 3\r\n", "abc\n"), (false, 3));
        assert_eq!(of("Content-Length: 3\r\n", "abc"), (false, 3));
        assert_eq!(of("Content-Length: 5\r\n", "abc\n\n\n"), (false, 5), "its own newlines belong to it");
        // Shorter or longer than it says, or it does not say: nothing shows that it is whole.
        assert_eq!(of("Content-Length: 9\r\n", "abc\n"), (true, 3));
        assert_eq!(of("Content-Length: 2\r\n", "abc\n"), (true, 3));
        assert_eq!(of("", "abc\n"), (true, 3));
        assert_eq!(of("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "abc\n"), (true, 3));
    }
}
