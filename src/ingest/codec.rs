//! Observations as compact bytes: a third of the memory, and the same bytes whether they lie in memory or in a
//! temporary file. They never leave the run that made them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::capture::{Kind, Observation, RefersTo, ResolvedBy};
use crate::digest::{Algorithm, BodyDigest, Digest};
use crate::time::Instant;

/// Strings that many observations share, by number.
#[derive(Default)]
pub struct Names {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    last: u32,
}

impl Names {
    fn number(&mut self, name: &Arc<str>) -> u64 {
        // Neighbours mostly share their file and writer.
        if self.names.get(self.last as usize).is_some_and(|last| Arc::ptr_eq(last, name)) {
            return u64::from(self.last);
        }
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name.clone());
                self.numbers.insert(name.clone(), number);
                number
            }
        };
        self.last = number;
        u64::from(number)
    }

    fn name(&self, number: u64) -> Option<Arc<str>> {
        self.names.get(usize::try_from(number).ok()?).cloned()
    }
}

fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn put_json<T: serde::Serialize>(out: &mut Vec<u8>, value: &T) {
    put_text(out, &serde_json::to_string(value).unwrap_or_default());
}

fn put_digest(out: &mut Vec<u8>, digest: &Digest) {
    out.push(digest.algorithm() as u8);
    out.extend_from_slice(digest.bytes());
}

/// One bit of `flags` for every field that may be unknown, in the order of the struct.
macro_rules! put_optional {
    ($out:ident, $flags:ident, $bit:literal, $value:expr, $put:expr) => {
        if let Some(value) = &$value {
            $flags |= 1u32 << $bit;
            #[allow(clippy::redundant_closure_call)]
            ($put)(&mut *$out, value);
        }
    };
}

/// Appends an observation and the number of its input.
pub fn encode(observation: &Observation, input: u32, names: &mut Names, out: &mut Vec<u8>) {
    let o = observation;
    let start = out.len();
    out.push(o.kind as u8);
    out.extend_from_slice(&[0; 4]);
    let mut flags = 0u32;
    let text = |out: &mut Vec<u8>, value: &String| put_text(out, value);
    let time = |out: &mut Vec<u8>, value: &Instant| out.extend_from_slice(&value.0.to_le_bytes());
    let number = |out: &mut Vec<u8>, value: &u64| put_number(out, *value);
    let body = |out: &mut Vec<u8>, value: &BodyDigest| out.extend_from_slice(&value.0);
    put_number(out, u64::from(input));
    put_text(out, &o.url);
    put_text(out, &o.key);
    let file = names.number(&o.file);
    put_number(out, file);
    put_optional!(out, flags, 0, o.method, text);
    put_optional!(out, flags, 1, o.time, time);
    put_optional!(out, flags, 2, o.time_end, time);
    put_optional!(out, flags, 3, o.status, |out: &mut Vec<u8>, status: &u16| put_number(
        out,
        u64::from(*status)
    ));
    put_optional!(out, flags, 4, o.mime, text);
    put_optional!(out, flags, 5, o.profile, text);
    put_optional!(out, flags, 6, o.writer, |out: &mut Vec<u8>, name: &Arc<str>| put_number(
        out,
        names.number(name)
    ));
    put_optional!(out, flags, 7, o.declared, put_digest);
    put_optional!(out, flags, 8, o.payload, put_digest);
    put_optional!(out, flags, 9, o.digest_ok, |out: &mut Vec<u8>, ok: &bool| out.push(u8::from(*ok)));
    put_optional!(out, flags, 10, o.body, body);
    put_optional!(out, flags, 11, o.last_modified, time);
    put_optional!(out, flags, 12, o.etag, text);
    put_optional!(out, flags, 13, o.http_date, time);
    put_optional!(out, flags, 14, o.length, number);
    put_optional!(out, flags, 15, o.truncated, text);
    put_optional!(out, flags, 16, o.offset, number);
    put_optional!(out, flags, 17, o.record_id, text);
    put_optional!(out, flags, 18, o.body_length, number);
    put_optional!(out, flags, 19, o.location, text);
    put_optional!(out, flags, 20, o.crawl, |out: &mut Vec<u8>, name: &Arc<str>| put_number(
        out,
        names.number(name)
    ));
    put_optional!(out, flags, 21, o.text, body);
    // Rare and wordy: as JSON. Memory takes everything.
    put_optional!(out, flags, 29, o.soft404, put_json);
    put_optional!(out, flags, 30, o.links, put_json);
    if let Some(refers) = &o.refers_to {
        flags |= 1 << 22;
        put_optional!(out, flags, 23, refers.url, text);
        put_optional!(out, flags, 24, refers.time, time);
        put_optional!(out, flags, 25, refers.record_id, text);
        put_optional!(out, flags, 26, refers.resolved_by, |out: &mut Vec<u8>, by: &ResolvedBy| out
            .push(*by as u8));
        put_optional!(out, flags, 27, refers.file, |out: &mut Vec<u8>, name: &Arc<str>| put_number(
            out,
            names.number(name)
        ));
        put_optional!(out, flags, 28, refers.offset, number);
    }
    out[start + 1..start + 5].copy_from_slice(&flags.to_le_bytes());
}

/// The kind of an encoded observation.
pub fn kind_of(bytes: &[u8]) -> Option<Kind> {
    Some(match bytes.first()? {
        0 => Kind::Response,
        1 => Kind::Resource,
        2 => Kind::Revisit,
        3 => Kind::Index,
        _ => return None,
    })
}

struct Reader<'a> {
    rest: &'a [u8],
    names: &'a Names,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return Some(value);
            }
        }
    }

    fn str(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn text(&mut self) -> Option<String> {
        self.str().map(str::to_owned)
    }

    fn time(&mut self) -> Option<Instant> {
        Some(Instant(i64::from_le_bytes(self.take(8)?.try_into().ok()?)))
    }

    fn digest(&mut self) -> Option<Digest> {
        const ALGORITHMS: [Algorithm; 5] =
            [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake3];
        let algorithm = *ALGORITHMS.get(usize::from(self.byte()?))?;
        Digest::new(algorithm, self.take(algorithm.length())?)
    }

    fn body(&mut self) -> Option<BodyDigest> {
        Some(BodyDigest(self.take(32)?.try_into().ok()?))
    }

    fn name(&mut self) -> Option<Arc<str>> {
        let number = self.number()?;
        self.names.name(number)
    }
}

/// The part of a capture by which revisits and index lines find it, read where it lies.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// `url` of the observation.
    pub url: &'a str,
    /// `file` of the observation.
    pub file: Arc<str>,
    /// `time` of the observation.
    pub time: Option<Instant>,
    /// `declared` of the observation.
    pub declared: Option<Digest>,
    /// `body` of the observation.
    pub body: Option<BodyDigest>,
    /// `offset` of the observation.
    pub offset: Option<u64>,
    /// `record_id` of the observation.
    pub record_id: Option<&'a str>,
}

/// Reads only what [`Glimpse`] holds, without making strings of the rest.
pub fn glimpse<'a>(bytes: &'a [u8], names: &'a Names) -> Option<Glimpse<'a>> {
    let flags = u32::from_le_bytes(bytes.get(1..5)?.try_into().ok()?);
    let mut reader = Reader { rest: &bytes[5..], names };
    reader.number()?;
    let url = reader.str()?;
    reader.str()?;
    let file = reader.name()?;
    macro_rules! optional {
        ($bit:literal, $read:ident) => {
            if flags & (1 << $bit) != 0 { Some(reader.$read()?) } else { None }
        };
    }
    optional!(0, str);
    let time = optional!(1, time);
    optional!(2, time);
    optional!(3, number);
    optional!(4, str);
    optional!(5, str);
    optional!(6, number);
    let declared = optional!(7, digest);
    optional!(8, digest);
    optional!(9, byte);
    let body = optional!(10, body);
    optional!(11, time);
    optional!(12, str);
    optional!(13, time);
    optional!(14, number);
    optional!(15, str);
    let offset = optional!(16, number);
    let record_id = optional!(17, str);
    Some(Glimpse { url, file, time, declared, body, offset, record_id })
}

/// Reads an observation and the number of its input. `None` only if the bytes are not what [`encode`] wrote.
pub fn decode(bytes: &[u8], names: &Names) -> Option<(Observation, u32)> {
    let kind = kind_of(bytes)?;
    let flags = u32::from_le_bytes(bytes.get(1..5)?.try_into().ok()?);
    let mut reader = Reader { rest: &bytes[5..], names };
    let input = u32::try_from(reader.number()?).ok()?;
    let (url, key, file) = (reader.text()?, reader.text()?, reader.name()?);
    macro_rules! optional {
        ($bit:literal, $read:ident) => {
            if flags & (1 << $bit) != 0 { Some(reader.$read()?) } else { None }
        };
    }
    let observation = Observation {
        url,
        key,
        file,
        kind,
        method: optional!(0, text),
        time: optional!(1, time),
        time_end: optional!(2, time),
        status: optional!(3, number).and_then(|status| u16::try_from(status).ok()),
        mime: optional!(4, text),
        profile: optional!(5, text),
        writer: optional!(6, name),
        declared: optional!(7, digest),
        payload: optional!(8, digest),
        digest_ok: optional!(9, byte).map(|ok| ok != 0),
        body: optional!(10, body),
        last_modified: optional!(11, time),
        etag: optional!(12, text),
        http_date: optional!(13, time),
        length: optional!(14, number),
        truncated: optional!(15, text),
        offset: optional!(16, number),
        record_id: optional!(17, text),
        body_length: optional!(18, number),
        location: optional!(19, text),
        crawl: optional!(20, name),
        text: optional!(21, body),
        soft404: optional!(29, text).and_then(|json| serde_json::from_str(&json).ok()),
        links: optional!(30, text).and_then(|json| serde_json::from_str(&json).ok()),
        refers_to: if flags & (1 << 22) != 0 {
            Some(RefersTo {
                url: optional!(23, text),
                time: optional!(24, time),
                record_id: optional!(25, text),
                resolved_by: match optional!(26, byte) {
                    Some(0) => Some(ResolvedBy::Id),
                    Some(1) => Some(ResolvedBy::UrlDate),
                    Some(_) => Some(ResolvedBy::Digest),
                    None => None,
                },
                file: optional!(27, name),
                offset: optional!(28, number),
            })
        } else {
            None
        },
    };
    Some((observation, input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_encoded_comes_back() {
        let line = r#"{"url":"http://a/ü","method":"GET","key":"a)/ü","time":"2026-11-16T00:13:18.5Z","time_end":null,"status":200,
            "mime":"text/html","kind":"revisit","profile":"identical-payload-digest","writer":"w","declared":"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "payload":null,"digest_ok":false,"body":"blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","last_modified":null,
            "etag":"\"x\"","http_date":"1994-11-06T08:49:37Z","length":300,"truncated":null,"file":"f","offset":70000,"record_id":"urn:x",
            "refers_to":{"url":"http://b/","time":"1994-11-06T08:49:37Z","record_id":null,"resolved_by":"url-date","file":"f","offset":7},
            "body_length":0,"location":null,"crawl":"c","text":null}"#;
        let observation: Observation = serde_json::from_str(line).unwrap();
        let (mut names, mut bytes) = (Names::default(), Vec::new());
        encode(&observation, 300, &mut names, &mut bytes);
        assert_eq!(kind_of(&bytes), Some(Kind::Revisit));
        let seen = glimpse(&bytes, &names).unwrap();
        assert_eq!((seen.url, seen.record_id), (&*observation.url, observation.record_id.as_deref()));
        assert_eq!((seen.time, seen.offset), (observation.time, observation.offset));
        assert_eq!((seen.declared, seen.body), (observation.declared, observation.body));
        assert_eq!(seen.file, observation.file);
        assert_eq!(decode(&bytes, &names), Some((observation, 300)));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length], &names), None, "{length}");
        }
    }
}
