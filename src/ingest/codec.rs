//! Observations as compact bytes: a third of the memory, and the same bytes whether they lie in memory or in a
//! temporary file. They never leave the run that made them. What a revisit refers to is known last; there is room for
//! it at the end of its bytes, so that it is written where they lie.

use std::collections::HashMap;
use std::sync::Arc;

use crate::capture::observation::is_refuted;
use crate::capture::{AtOdds, Covers, Kind, Observation, RefersTo};
use crate::digest::{Algorithm, BodyDigest, Digest};
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::ingest::revisit::resolution::{ANSWER, Answer, Rank, UNANSWERED};
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

    /// The string of a number; empty if there is none.
    pub fn text(&self, number: u64) -> &str {
        usize::try_from(number).ok().and_then(|number| self.names.get(number)).map_or("", |name| name)
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

fn put_links(out: &mut Vec<u8>, links: &Links) {
    put_number(out, links.len() as u64);
    for (kind, url) in links.iter() {
        out.push(kind as u8);
        put_text(out, url);
    }
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

/// Set in the kind of an observation that is to be passed over.
const DROPPED: u8 = 0x80;

/// Marks an encoded observation as one to be passed over.
pub(crate) fn drop_encoded(bytes: &mut [u8]) {
    bytes[0] |= DROPPED;
}

/// The flag that an observation refers to another.
const REFERS: u32 = 22;

/// Gives an answer to an encoded revisit, unless it has a better one.
pub(crate) fn give(answer: &Answer, revisit: &mut [u8]) {
    let Some(place) = revisit.last_chunk_mut::<ANSWER>() else { return };
    if answer.rank < place[0] {
        *place = answer.bytes();
        // It refers to something now, even if its record named nothing.
        revisit[1 + REFERS as usize / 8] |= 1 << (REFERS % 8);
    }
}

/// Appends an observation and the number of its input.
pub(crate) fn encode(observation: &Observation, input: u32, names: &mut Names, out: &mut Vec<u8>) {
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
    put_optional!(out, flags, 9, o.digest_ok, |out: &mut Vec<u8>, ok: &bool| out
        .push(u8::from(*ok) | o.digest_covers.map_or(0, |covers| 1 + covers as u8) << 1));
    let is_revisit = o.kind == Kind::Revisit;
    put_optional!(out, flags, 10, o.body.filter(|_| !is_revisit), body);
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
    // Rare and wordy: as JSON.
    put_optional!(out, flags, 29, o.soft404, put_json);
    put_optional!(out, flags, 30, o.links, put_links);
    put_optional!(out, flags, 31, o.sitemap, put_json);
    if let Some(refers) = &o.refers_to {
        flags |= 1 << REFERS;
        put_optional!(out, flags, 23, refers.url, text);
        put_optional!(out, flags, 24, refers.time, time);
        put_optional!(out, flags, 25, refers.record_id, text);
    }
    if is_revisit {
        let refers = o.refers_to.as_ref();
        let answer = Answer {
            rank: UNANSWERED,
            by: refers.and_then(|refers| refers.resolved_by),
            file: refers.and_then(|refers| refers.file.as_ref()).map(|file| names.number(file) as u32),
            offset: refers.and_then(|refers| refers.offset),
            body: o.body,
            at_odds: refers.and_then(|refers| refers.at_odds),
            unchecked: false,
            length: None,
        };
        out.extend_from_slice(&answer.bytes());
    }
    out[start + 1..start + 5].copy_from_slice(&flags.to_le_bytes());
}

/// The kind of an encoded observation.
pub(crate) fn kind_of(bytes: &[u8]) -> Option<Kind> {
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

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    fn str(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
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

    fn links(&mut self) -> Option<Links> {
        let mut links = Links::default();
        for _ in 0..self.number()? {
            let kind = *LinkKind::ALL.get(usize::from(self.byte()?))?;
            links.push(kind, self.str()?);
        }
        Some(links)
    }

    /// Whether a declared digest agrees, and what it covers else.
    fn checked(&mut self) -> Option<(bool, Option<Covers>)> {
        const COVERS: [Covers; 4] = [Covers::Framed, Covers::Decoded, Covers::Block, Covers::Empty];
        let byte = self.byte()?;
        Some((byte & 1 != 0, usize::from(byte >> 1).checked_sub(1).and_then(|at| COVERS.get(at).copied())))
    }

    fn body(&mut self) -> Option<BodyDigest> {
        Some(BodyDigest(self.take(32)?.try_into().ok()?))
    }
}

/// The part of an observation by which revisits and index lines find captures, read where it lies. Texts are bytes: they
/// are only compared.
#[derive(Debug)]
pub struct Glimpse<'a> {
    /// `url` of the observation.
    pub url: &'a [u8],
    /// The number of its `file`.
    pub file: u64,
    /// `time` of the observation.
    pub time: Option<Instant>,
    /// `declared` of the observation.
    pub declared: Option<Digest>,
    /// `body` of the observation.
    pub body: Option<BodyDigest>,
    /// `offset` of the observation.
    pub offset: Option<u64>,
    /// `record_id` of the observation.
    pub record_id: Option<&'a [u8]>,
    /// The URL it refers to.
    pub refers_url: Option<&'a [u8]>,
    /// The time it refers to.
    pub refers_time: Option<Instant>,
    /// The record it refers to.
    pub refers_id: Option<&'a [u8]>,
    /// `length` of the observation.
    pub length: Option<u64>,
    /// `payload` of the observation.
    pub payload: Option<Digest>,
    /// Whether its body is not the one of its declared digest.
    pub refuted: bool,
    /// How good the answer is that it got in this run.
    pub rank: Option<Rank>,
    /// What a revisit turned out to be at odds with.
    pub at_odds: Option<AtOdds>,
}

/// Reads only what [`Glimpse`] holds, without making strings of the rest.
pub(crate) fn glimpse(bytes: &[u8]) -> Option<Glimpse<'_>> {
    let flags = u32::from_le_bytes(bytes.get(1..5)?.try_into().ok()?);
    let mut reader = Reader { rest: &bytes[5..] };
    reader.number()?;
    let url = reader.bytes()?;
    reader.bytes()?;
    let file = reader.number()?;
    macro_rules! optional {
        ($bit:literal, $read:ident) => {
            if flags & (1 << $bit) != 0 { Some(reader.$read()?) } else { None }
        };
    }
    optional!(0, bytes);
    let time = optional!(1, time);
    optional!(2, time);
    optional!(3, number);
    optional!(4, bytes);
    optional!(5, bytes);
    optional!(6, number);
    let declared = optional!(7, digest);
    let payload = optional!(8, digest);
    let checked = optional!(9, checked);
    let body = optional!(10, body);
    optional!(11, time);
    optional!(12, bytes);
    optional!(13, time);
    let length = optional!(14, number);
    optional!(15, bytes);
    let offset = optional!(16, number);
    let record_id = optional!(17, bytes);
    let (mut refers_url, mut refers_time, mut refers_id) = (None, None, None);
    if flags & (1 << REFERS) != 0 {
        optional!(18, number);
        optional!(19, bytes);
        optional!(20, number);
        optional!(21, body);
        optional!(29, bytes);
        optional!(30, links);
        optional!(31, bytes);
        refers_url = optional!(23, bytes);
        refers_time = optional!(24, time);
        refers_id = optional!(25, bytes);
    }
    let is_revisit = kind_of(bytes) == Some(Kind::Revisit);
    let answer = if is_revisit { Answer::read(bytes) } else { None };
    Some(Glimpse {
        url,
        file,
        time,
        declared,
        body,
        offset,
        record_id,
        refers_url,
        refers_time,
        refers_id,
        length,
        payload,
        refuted: checked.is_some_and(|(ok, covers)| is_refuted(Some(ok), covers)),
        rank: answer.map(|answer| answer.rank).filter(|rank| *rank != UNANSWERED),
        at_odds: answer.and_then(|answer| answer.at_odds),
    })
}

/// Reads an observation and the number of its input. `None` only if the bytes are not what [`encode`] wrote.
pub(crate) fn decode(bytes: &[u8], names: &Names) -> Option<(Observation, u32)> {
    let kind = kind_of(bytes)?;
    let flags = u32::from_le_bytes(bytes.get(1..5)?.try_into().ok()?);
    let mut reader = Reader { rest: &bytes[5..] };
    let input = u32::try_from(reader.number()?).ok()?;
    let (url, key, file) = (reader.text()?, reader.text()?, names.name(reader.number()?)?);
    macro_rules! optional {
        ($bit:literal, $read:ident) => {
            if flags & (1 << $bit) != 0 { Some(reader.$read()?) } else { None }
        };
    }
    let digest_covers;
    let mut observation = Observation {
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
        writer: optional!(6, number).and_then(|number| names.name(number)),
        declared: optional!(7, digest),
        payload: optional!(8, digest),
        digest_ok: {
            let checked = optional!(9, checked);
            digest_covers = checked.and_then(|(_, covers)| covers);
            checked.map(|(ok, _)| ok)
        },
        digest_covers,
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
        crawl: optional!(20, number).and_then(|number| names.name(number)),
        text: optional!(21, body),
        soft404: optional!(29, text).and_then(|json| serde_json::from_str(&json).ok()),
        links: optional!(30, links),
        sitemap: optional!(31, text).and_then(|json| serde_json::from_str(&json).ok()),
        refers_to: if flags & (1 << REFERS) != 0 {
            Some(RefersTo {
                url: optional!(23, text),
                time: optional!(24, time),
                record_id: optional!(25, text),
                ..RefersTo::default()
            })
        } else {
            None
        },
    };
    if kind == Kind::Revisit {
        let answer = Answer::read(reader.take(ANSWER)?)?;
        observation.body = answer.body;
        if let Some(refers) = &mut observation.refers_to {
            refers.resolved_by = answer.by;
            refers.file = answer.file.and_then(|file| names.name(u64::from(file)));
            refers.offset = answer.offset;
            refers.at_odds = answer.at_odds;
        }
    }
    Some((observation, input))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::ResolvedBy;

    #[test]
    fn what_was_encoded_comes_back() {
        let line = r#"{"url":"http://a/ü","method":"GET","key":"a)/ü","time":"2026-11-16T00:13:18.5Z","time_end":null,"status":200,
            "mime":"text/html","kind":"revisit","profile":"identical-payload-digest","writer":"w","declared":"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "payload":null,"digest_ok":false,"digest_covers":"empty","body":"blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","last_modified":null,
            "etag":"\"x\"","http_date":"1994-11-06T08:49:37Z","length":300,"truncated":null,"file":"f","offset":70000,"record_id":"urn:x",
            "refers_to":{"url":"http://b/","time":"1994-11-06T08:49:37Z","record_id":null,"resolved_by":"url-date","file":"f","offset":7,"at_odds":"original"},
            "body_length":0,"location":null,"crawl":"c","text":null,
            "links":[{"kind":"anchor","url":"http://c/"},{"kind":"loaded","url":"http://d/"}],"sitemap":[{"url":"http://a/1","priority":0.5}]}"#;
        let observation: Observation = serde_json::from_str(line).unwrap();
        let (mut names, mut bytes) = (Names::default(), Vec::new());
        encode(&observation, 300, &mut names, &mut bytes);
        assert_eq!(kind_of(&bytes), Some(Kind::Revisit));
        let seen = glimpse(&bytes).unwrap();
        assert_eq!(seen.url, observation.url.as_bytes());
        assert_eq!(seen.record_id, observation.record_id.as_deref().map(str::as_bytes));
        assert_eq!((seen.time, seen.offset), (observation.time, observation.offset));
        assert_eq!((seen.declared, names.text(seen.file)), (observation.declared, &*observation.file));
        let refers = observation.refers_to.as_ref().unwrap();
        assert_eq!(
            (seen.refers_url, seen.refers_time),
            (refers.url.as_deref().map(str::as_bytes), refers.time)
        );
        assert_eq!(seen.refers_id, refers.record_id.as_deref().map(str::as_bytes));
        assert_eq!(decode(&bytes, &names), Some((observation, 300)));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length], &names), None, "{length}");
        }
        let answer = |rank, by, offset| Answer {
            rank,
            by: Some(by),
            file: Some(0),
            offset,
            body: None,
            at_odds: None,
            unchecked: false,
            length: None,
        };
        give(&answer(2, ResolvedBy::Digest, None), &mut bytes);
        give(&answer(0, ResolvedBy::Id, Some(1 << 40)), &mut bytes);
        give(&answer(1, ResolvedBy::UrlDate, Some(3)), &mut bytes);
        let (answered, _) = decode(&bytes, &names).unwrap();
        let refers = answered.refers_to.unwrap();
        assert_eq!((refers.resolved_by, refers.offset), (Some(ResolvedBy::Id), Some(1 << 40)));
        assert_eq!((refers.file.as_deref(), answered.body), (Some("f"), None));
        drop_encoded(&mut bytes);
        assert_eq!(decode(&bytes, &names), None);
    }
}
