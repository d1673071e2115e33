//! Observations as compact bytes: a third of the memory, and the same bytes whether they are in memory or in a temporary
//! file. They never leave the run that made them. What a revisit refers to is known last; there is room for it at the end of
//! its bytes, so that it is written where they lie.

pub(crate) use crate::capture::bytes::SharedNames as Names;
use crate::capture::bytes::{Reader, put_number};
use crate::capture::field::Field;
use crate::capture::normal::{NOT_MODIFIED, REVISIT_OF_CUT};
use crate::capture::observation::is_refuted;
use crate::capture::record::place_of;
use crate::capture::{AtOdds, Covers, Kind, Observation, RefersTo};
use crate::digest::{BodyDigest, Digest};
use crate::ingest::revisit::resolution::{RESOLUTION_LENGTH, Rank, Resolution, UNRESOLVED};
use crate::time::Instant;

/// Set in the kind of an observation that was dropped.
const DROPPED: u8 = 0x80;

/// Marks an encoded observation as dropped.
pub(crate) fn drop_encoded(bytes: &mut [u8]) {
    bytes[0] |= DROPPED;
}

/// Writes the resolution of an encoded revisit, unless it has a better one.
pub(crate) fn give(resolution: &Resolution, revisit: &mut [u8]) {
    let Some(place) = revisit.last_chunk_mut::<RESOLUTION_LENGTH>() else { return };
    if resolution.rank < place[0] {
        *place = resolution.bytes();
    }
}

/// Appends an observation and the number of its input.
pub(crate) fn encode(observation: &Observation, input: u32, names: &mut Names, out: &mut Vec<u8>) {
    out.push(observation.kind as u8);
    put_number(out, u64::from(input));
    observation.encode(out, names);
    if observation.kind == Kind::Revisit {
        let refers = observation.refers_to.as_ref();
        let resolution = Resolution {
            rank: UNRESOLVED,
            by: refers.and_then(|refers| refers.resolved_by),
            file: refers.and_then(|refers| refers.file.as_ref()).map(|file| names.number(file) as u32),
            offset: refers.and_then(|refers| refers.offset),
            body: observation.body,
            at_odds: refers.and_then(|refers| refers.at_odds),
            unchecked: false,
            length: None,
        };
        out.extend_from_slice(&resolution.bytes());
    }
}

/// The kind of an encoded observation; `None` if it was dropped.
pub(crate) fn kind_of(bytes: &[u8]) -> Option<Kind> {
    Kind::ALL.get(usize::from(*bytes.first()?)).copied()
}

/// The number of the input of an encoded observation.
pub(crate) fn input_of(bytes: &[u8]) -> Option<u32> {
    u32::try_from(Reader { rest: bytes.get(1..)? }.number()?).ok()
}

/// The canonical key of an encoded observation, where it lies.
pub(crate) fn key_of(bytes: &[u8]) -> Option<&[u8]> {
    const KEY: [usize; 1] = [place_of(Observation::FIELDS, "key")];
    let mut reader = Reader { rest: bytes.get(1..)? };
    reader.number()?;
    let [key] = Observation::locate(&mut reader, &KEY)?;
    key?.bytes()
}

/// The fields of an encoded observation by which revisits and index lines find captures, read in place. Texts are bytes:
/// they are only compared.
#[derive(Debug)]
pub struct Glimpse<'a> {
    pub input: u32,
    pub url: &'a [u8],
    /// The place of its file in the table of names.
    pub file: u64,
    pub time: Option<Instant>,
    pub declared: Option<Digest>,
    pub body: Option<BodyDigest>,
    pub offset: Option<u64>,
    pub record_id: Option<&'a [u8]>,
    pub refers_url: Option<&'a [u8]>,
    pub refers_time: Option<Instant>,
    /// The record it refers to.
    pub refers_id: Option<&'a [u8]>,
    pub length: Option<u64>,
    pub payload: Option<Digest>,
    /// Whether its body does not match its declared digest.
    pub refuted: bool,
    /// Whether it holds only the beginning of what the server sent.
    pub cut: bool,
    /// Whether it was asked for by another method than GET.
    pub other_method: bool,
    pub body_length: Option<u64>,
    pub content_length: Option<u64>,
    /// How good its resolution in this run is.
    pub rank: Option<Rank>,
    /// What the revisit contradicts.
    pub at_odds: Option<AtOdds>,
    pub status: Option<u16>,
    /// Whether it says that nothing was modified.
    pub not_modified: bool,
    /// Whether it is a line of the index of a package, which only bears witness.
    pub is_witness: bool,
}

/// The fields that a glimpse reads.
const SEEN: [usize; 19] = {
    const fn place(name: &str) -> usize {
        place_of(Observation::FIELDS, name)
    }
    [
        place("url"),
        place("method"),
        place("time"),
        place("status"),
        place("profile"),
        place("declared"),
        place("payload"),
        place("digest_ok"),
        place("digest_covers"),
        place("body"),
        place("length"),
        place("truncated"),
        place("file"),
        place("offset"),
        place("record_id"),
        place("refers_to"),
        place("body_length"),
        place("content_length"),
        place("contradicts"),
    ]
};

/// The fields of `refers_to` that a glimpse reads.
const REFERS: [usize; 3] = [
    place_of(RefersTo::FIELDS, "url"),
    place_of(RefersTo::FIELDS, "time"),
    place_of(RefersTo::FIELDS, "record_id"),
];

/// Reads only what [`Glimpse`] holds, without making strings of the rest.
pub(crate) fn glimpse(bytes: &[u8]) -> Option<Glimpse<'_>> {
    let mut reader = Reader { rest: bytes.get(1..)? };
    let input = u32::try_from(reader.number()?).ok()?;
    let [
        url,
        method,
        time,
        status,
        profile,
        declared,
        payload,
        ok,
        covers,
        body,
        length,
        truncated,
        file,
        offset,
        record_id,
        refers,
        body_length,
        content_length,
        contradicts,
    ] = Observation::locate(&mut reader, &SEEN)?;
    let status = status.and_then(|mut reader| reader.number());
    let profile = profile.and_then(|mut reader| reader.bytes());
    let (mut refers_url, mut refers_time, mut refers_id) = (None, None, None);
    if let Some(mut refers) = refers {
        let [url, time, id] = RefersTo::locate(&mut refers, &REFERS)?;
        refers_url = url.and_then(|mut reader| reader.bytes());
        refers_time = time.and_then(|mut reader| reader.time());
        refers_id = id.and_then(|mut reader| reader.bytes());
    }
    let covers = covers.and_then(|mut reader| Covers::ALL.get(usize::from(reader.byte()?)).copied());
    let is_revisit = kind_of(bytes) == Some(Kind::Revisit);
    let resolution = if is_revisit { Resolution::read(bytes) } else { None };
    Some(Glimpse {
        input,
        url: url?.bytes()?,
        file: file?.number()?,
        time: time.and_then(|mut reader| reader.time()),
        declared: declared.and_then(|mut reader| reader.digest()),
        body: body.and_then(|mut reader| reader.body()),
        offset: offset.and_then(|mut reader| reader.number()),
        record_id: record_id.and_then(|mut reader| reader.bytes()),
        refers_url,
        refers_time,
        refers_id,
        length: length.and_then(|mut reader| reader.number()),
        payload: payload.and_then(|mut reader| reader.digest()),
        refuted: is_refuted(ok.and_then(|mut reader| reader.byte()).map(|ok| ok != 0), covers),
        cut: truncated.is_some(),
        other_method: method
            .and_then(|mut reader| reader.bytes())
            .is_some_and(|method| !method.eq_ignore_ascii_case(b"GET")),
        body_length: body_length.and_then(|mut reader| reader.number()),
        content_length: content_length.and_then(|mut reader| reader.number()),
        rank: resolution.map(|resolution| resolution.rank).filter(|rank| *rank != UNRESOLVED),
        at_odds: resolution.and_then(|resolution| resolution.at_odds),
        status: status.and_then(|status| u16::try_from(status).ok()),
        not_modified: status == Some(304) || profile.is_some_and(says_not_modified),
        is_witness: kind_of(bytes) == Some(Kind::Index) && contradicts.is_some(),
    })
}

/// As [`Observation::is_not_modified`] has it.
fn says_not_modified(profile: &[u8]) -> bool {
    profile.windows(NOT_MODIFIED.len()).any(|part| part == NOT_MODIFIED.as_bytes())
}

/// Reads an observation and the number of its input. `None` only if the bytes are not what [`encode`] wrote.
pub(crate) fn decode(bytes: &[u8], names: &Names) -> Option<(Observation, u32)> {
    let kind = kind_of(bytes)?;
    let mut reader = Reader { rest: &bytes[1..] };
    let input = u32::try_from(reader.number()?).ok()?;
    let mut observation = Observation::decode(&mut reader, names)?;
    if kind == Kind::Revisit {
        let resolution = Resolution::read(reader.take(RESOLUTION_LENGTH)?)?;
        observation.body = resolution.body;
        // It refers to something now, even if its record named nothing.
        if resolution.by.is_some() {
            observation.refers_to.get_or_insert_default();
        }
        if let Some(refers) = &mut observation.refers_to {
            refers.resolved_by = resolution.by;
            refers.file = resolution.file.and_then(|file| names.name(u64::from(file)));
            refers.offset = resolution.offset;
            refers.at_odds = resolution.at_odds;
        }
        // What a table says of it was found without the captures that are read beside the table now.
        observation.truncated.take_if(|reason| reason == REVISIT_OF_CUT);
        if resolution.at_odds == Some(AtOdds::Cut) {
            observation.truncated.get_or_insert_with(|| REVISIT_OF_CUT.to_owned());
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
        let mut resolution = |rank, by, offset| Resolution {
            rank,
            by: Some(by),
            file: Some(names.number(&"f".into()) as u32),
            offset,
            body: None,
            at_odds: None,
            unchecked: false,
            length: None,
        };
        give(&resolution(2, ResolvedBy::Digest, None), &mut bytes);
        give(&resolution(0, ResolvedBy::Id, Some(1 << 40)), &mut bytes);
        give(&resolution(1, ResolvedBy::UrlDate, Some(3)), &mut bytes);
        let (answered, _) = decode(&bytes, &names).unwrap();
        let refers = answered.refers_to.unwrap();
        assert_eq!((refers.resolved_by, refers.offset), (Some(ResolvedBy::Id), Some(1 << 40)));
        assert_eq!((refers.file.as_deref(), answered.body), (Some("f"), None));
        drop_encoded(&mut bytes);
        assert_eq!(decode(&bytes, &names), None);
    }
}
