//! One observation as one line of JSON: exactly what serde makes of it, several times as fast. An index of a large
//! collection is mostly this.

use std::fmt::Write as _;
use std::io;

use crate::capture::Observation;
use crate::time::Instant;

/// Appends the line, newline included.
pub(crate) fn write(observation: &Observation, line: &mut Vec<u8>) -> io::Result<()> {
    let o = observation;
    line.extend_from_slice(b"{\"url\":");
    text(line, &o.url);
    optional(line, "method", o.method.as_deref(), text);
    line.extend_from_slice(b",\"key\":");
    text(line, &o.key);
    optional(line, "time", o.time, time);
    optional(line, "time_end", o.time_end, time);
    optional(line, "status", o.status.map(u64::from), number);
    optional(line, "mime", o.mime.as_deref(), text);
    line.extend_from_slice(b",\"kind\":");
    serde_json::to_writer(&mut *line, &o.kind)?;
    optional(line, "profile", o.profile.as_deref(), text);
    optional(line, "writer", o.writer.as_deref(), text);
    optional(line, "declared", o.declared, plain);
    optional(line, "payload", o.payload, plain);
    optional(line, "digest_ok", o.digest_ok, |line, ok: bool| {
        line.extend_from_slice(if ok { b"true" } else { b"false" });
    });
    if let Some(covers) = &o.digest_covers {
        line.extend_from_slice(b",\"digest_covers\":");
        serde_json::to_writer(&mut *line, covers)?;
    }
    optional(line, "body", o.body, plain);
    optional(line, "last_modified", o.last_modified, time);
    optional(line, "etag", o.etag.as_deref(), text);
    optional(line, "http_date", o.http_date, time);
    optional(line, "length", o.length, number);
    optional(line, "truncated", o.truncated.as_deref(), text);
    line.extend_from_slice(b",\"file\":");
    text(line, &o.file);
    optional(line, "offset", o.offset, number);
    optional(line, "record_id", o.record_id.as_deref(), text);
    line.extend_from_slice(b",\"refers_to\":");
    serde_json::to_writer(&mut *line, &o.refers_to)?;
    optional(line, "body_length", o.body_length, number);
    optional(line, "location", o.location.as_deref(), text);
    optional(line, "crawl", o.crawl.as_deref(), text);
    optional(line, "text", o.text, plain);
    if let Some(soft404) = &o.soft404 {
        line.extend_from_slice(b",\"soft404\":");
        serde_json::to_writer(&mut *line, soft404)?;
    }
    if let Some(links) = &o.links {
        line.extend_from_slice(b",\"links\":");
        serde_json::to_writer(&mut *line, links)?;
    }
    if let Some(sitemap) = &o.sitemap {
        line.extend_from_slice(b",\"sitemap\":");
        serde_json::to_writer(&mut *line, sitemap)?;
    }
    line.extend_from_slice(b"}\n");
    Ok(())
}

fn optional<T>(line: &mut Vec<u8>, name: &str, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
    line.extend_from_slice(b",\"");
    line.extend_from_slice(name.as_bytes());
    line.extend_from_slice(b"\":");
    match value {
        Some(value) => write(line, value),
        None => line.extend_from_slice(b"null"),
    }
}

fn text(line: &mut Vec<u8>, text: &str) {
    let needs_escape = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    // Without an early end, so that many bytes are looked at at once.
    if text.as_bytes().iter().fold(false, |found, byte| found | needs_escape(byte)) {
        // Memory takes everything.
        let _ = serde_json::to_writer(&mut *line, text);
        return;
    }
    line.push(b'"');
    line.extend_from_slice(text.as_bytes());
    line.push(b'"');
}

/// Something whose text needs no escape: a digest.
fn plain(line: &mut Vec<u8>, value: impl std::fmt::Display) {
    let mut label = String::with_capacity(80);
    let _ = write!(label, "\"{value}\"");
    line.extend_from_slice(label.as_bytes());
}

fn time(line: &mut Vec<u8>, time: Instant) {
    line.push(b'"');
    time.write_rfc3339(line);
    line.push(b'"');
}

fn number(line: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn the_line_is_what_serde_makes() {
        let mut full = look("http://a/\"\u{1}\\é", "2026-01-01T00:00:00.25Z").build();
        let mut observations = vec![full.clone()];
        full.status = Some(301);
        full.declared = crate::digest::Digest::parse("3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        full.payload = full.declared;
        (full.digest_ok, full.digest_covers) = (Some(false), Some(crate::capture::Covers::Framed));
        full.body = Some(crate::digest::BodyDigest([7; 32]));
        full.text = full.body;
        (full.length, full.offset, full.body_length) = (Some(0), Some(u64::MAX), Some(10));
        (full.etag, full.location) = (Some("\"e\"".into()), Some("/x\n".into()));
        full.refers_to =
            Some(crate::capture::RefersTo { url: Some("http://b/".into()), ..Default::default() });
        (full.last_modified, full.http_date) = (full.time, full.time_end);
        full.sitemap =
            crate::html::sitemap::read(b"<urlset><url><loc>http://a/</loc></url>").map(|read| read.entries);
        observations.push(full);
        for observation in observations {
            let mut line = Vec::new();
            write(&observation, &mut line).unwrap();
            let expected = serde_json::to_string(&observation).unwrap() + "\n";
            assert_eq!(String::from_utf8(line).unwrap(), expected);
        }
    }
}
