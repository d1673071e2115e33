//! Whether a block whose end is a guess is known to be whole: readers believe it only where its length, its chunks, its coding or its
//! digest prove it. Behind a length that is right, nobody could tell any more that it was a guess.

use std::io::{self, Read};

use super::body::Coding;
use super::mend::start;
use crate::archive::http::{self, ResponseHead};
use crate::archive::record::{RecordType, parse};
use crate::digest::{Algorithm, Digest};

/// Longer HTTP heads are not read, so nothing is proven of them.
const MAX_HEAD_BYTES: u64 = 64 << 10;

/// Whether the block of a record, of this length, is proven whole. What is not a capture with a body needs no proof.
pub(super) fn is_proven(mut record: impl Read, block: u64) -> io::Result<bool> {
    let Some((start, end)) = start(&mut record)? else { return Ok(false) };
    let head = parse(&start[..end]);
    let digest = match head.record_type {
        RecordType::Response => head.payload_digest.as_deref(),
        RecordType::Resource => head.payload_digest.as_deref().or(head.block_digest.as_deref()),
        _ => return Ok(true),
    };
    let declared = digest.and_then(Digest::parse);
    let mut block = start[end..].chain(record).take(block);
    let mut piece = Vec::new();
    (&mut block).take(MAX_HEAD_BYTES).read_to_end(&mut piece)?;
    let (mut response, mut body) = (ResponseHead::default(), 0);
    if http::is_response(&piece) {
        let Some(end) = http::response_head_length(&piece) else { return Ok(false) };
        (response, body) = (http::parse_response(&piece[..end]), end);
    }
    let mut coding = Coding::of(&response, declared.map_or(Algorithm::Sha1, |digest| digest.algorithm()));
    let mut length = 0;
    while !piece.is_empty() {
        coding.take(&piece[body..]);
        length += (piece.len() - body) as u64;
        piece.clear();
        body = 0;
        (&mut block).take(MAX_HEAD_BYTES).read_to_end(&mut piece)?;
    }
    let is_of_length = response.content_length == Some(length) && !response.wrapping.chunked;
    Ok(is_of_length || coding.proves(declared, !response.wrapping.codings.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_chunks_or_a_digest_prove_a_block() {
        let of = |kind: &str, fields: &str, block: &str| {
            let record = format!("WARC/1.0\r\nWARC-Type: {kind}\r\n{fields}\r\n{block}and what follows");
            is_proven(record.as_bytes(), block.len() as u64).unwrap()
        };
        let http = |fields: &str, body: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n{body}");
        assert!(of("response", "", &http("Content-Length: 3\r\n", "abc")));
        assert!(!of("response", "", &http("Content-Length: 4\r\n", "abc")));
        assert!(!of("response", "", &http("", "abc")));
        let chunked = "Transfer-Encoding: chunked\r\n";
        assert!(of("response", "", &http(chunked, "3\r\nabc\r\n0\r\n\r\n")));
        assert!(!of("response", "", &http(chunked, "3\r\nabc\r\n")));
        let digest = "WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n";
        assert!(of("response", digest, &http("", "abc")) && of("resource", digest, "abc"));
        assert!(!of("response", digest, &http("", "ab")) && !of("resource", digest, "ab"));
        assert!(of("request", "", "GET / HTTP/1.1\r\n\r\n"));
    }
}
