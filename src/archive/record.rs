//! Record heads of WARC 0.17 to 1.1.

use std::borrow::Cow;

use memchr::memchr;
use smallvec::SmallVec;
pub(crate) use warc::RecordType;

use super::fields::{Fields, Value, is_named, text};

/// The head of a record: the named fields that matter here, as written, angle brackets removed.
#[derive(Debug, Clone)]
pub struct RecordHead<'a> {
    /// `WARC-Type`.
    pub record_type: RecordType,
    /// `WARC-Record-ID`.
    pub id: Option<Cow<'a, str>>,
    /// `WARC-Target-URI`.
    pub target: Option<Cow<'a, str>>,
    /// `WARC-Date`.
    pub date: Option<Cow<'a, str>>,
    /// `Content-Length`; `None` if missing or not a number.
    pub content_length: Option<u64>,
    pub content_type: Option<Cow<'a, str>>,
    /// `WARC-Payload-Digest`.
    pub payload_digest: Option<Cow<'a, str>>,
    /// `WARC-Block-Digest`.
    pub block_digest: Option<Cow<'a, str>>,
    /// `WARC-Truncated`.
    pub truncated: Option<Cow<'a, str>>,
    /// `WARC-Profile`.
    pub profile: Option<Cow<'a, str>>,
    /// `WARC-Refers-To`.
    pub refers_to: Option<Cow<'a, str>>,
    /// `WARC-Refers-To-Target-URI`.
    pub refers_to_target: Option<Cow<'a, str>>,
    /// `WARC-Refers-To-Date`.
    pub refers_to_date: Option<Cow<'a, str>>,
    /// `WARC-Concurrent-To`, which may be repeated.
    pub concurrent_to: SmallVec<[Cow<'a, str>; 1]>,
    /// `WARC-Segment-Number`.
    pub segment_number: Option<u64>,
    /// `WARC-Warcinfo-ID`.
    pub warcinfo_id: Option<Cow<'a, str>>,
    /// `WARC-IP-Address`.
    pub ip: Option<Cow<'a, str>>,
    /// Fields that the head states several times, with different values: what they say is unknown.
    pub several: Vec<&'static str>,
    /// The other values of `WARC-Target-URI` then: the record is one of these pages as well.
    pub other_targets: Vec<Cow<'a, str>>,
    /// The HTTP status in an ARC 2 head.
    pub arc_status: Option<u16>,
    /// Whether the record comes from an ARC file: its content type is then that of the payload.
    pub is_arc: bool,
}

impl RecordHead<'_> {
    /// A head with nothing but its type.
    pub fn new(record_type: RecordType) -> Self {
        RecordHead {
            record_type,
            id: None,
            target: None,
            date: None,
            content_length: None,
            content_type: None,
            payload_digest: None,
            block_digest: None,
            truncated: None,
            profile: None,
            refers_to: None,
            refers_to_target: None,
            refers_to_date: None,
            concurrent_to: SmallVec::new(),
            segment_number: None,
            warcinfo_id: None,
            ip: None,
            several: Vec::new(),
            other_targets: Vec::new(),
            arc_status: None,
            is_arc: false,
        }
    }
}

/// Other values of `WARC-Target-URI` that are kept.
const MAX_OTHER_TARGETS: usize = 8;

/// Sets a field, and notes where it had another value.
fn set<T: PartialEq>(
    field: &mut Option<T>,
    value: T,
    name: &'static str,
    several: &mut Vec<&'static str>,
) -> Option<T> {
    let before = field.replace(value);
    let other = before.filter(|before| field.as_ref() != Some(before));
    if other.is_some() && !several.contains(&name) {
        several.push(name);
    }
    other
}

/// Sets a digest. A record may declare digests of several algorithms; two of the same algorithm contradict each other.
fn set_digest<'a>(
    field: &mut Option<Cow<'a, str>>,
    value: Cow<'a, str>,
    name: &'static str,
    several: &mut Vec<&'static str>,
) {
    let is_by_the_same = |before: &Cow<'_, str>| {
        let algorithm = |digest: &str| digest.split(':').next().unwrap_or_default().to_ascii_lowercase();
        algorithm(before) == algorithm(&value)
    };
    if field.as_ref().is_some_and(|before| !is_by_the_same(before)) {
        *field = Some(value);
    } else {
        set(field, value, name, several);
    }
}

/// Whether `bytes` start with a WARC version line, as far as they go.
pub(crate) fn is_version_line(bytes: &[u8]) -> bool {
    bytes.len() >= 7
        && bytes[..5].eq_ignore_ascii_case(b"WARC/")
        && bytes[5].is_ascii_digit()
        && bytes[6] == b'.'
}

/// Parses the head of a WARC record: version line and fields.
pub(crate) fn parse(head: &[u8]) -> RecordHead<'_> {
    let fields = memchr(b'\n', head).map_or(&head[head.len()..], |end| &head[end + 1..]);
    let mut record = RecordHead::new(RecordType::Unknown(String::new()));
    let (mut several, mut kind, mut length) = (Vec::new(), None, None);
    for (name, value) in Fields::new(fields) {
        // Dispatch on the length first, so that a common field costs one comparison.
        match name.len() {
            9 if is_named(name, "WARC-Type") => {
                let other = set(&mut kind, record_type(value.bytes()), "WARC-Type", &mut several);
                // A record that may be a capture is read as one.
                if let Some(other) = other.filter(is_capture) {
                    kind = Some(other);
                }
            }
            9 if is_named(name, "WARC-Date") => {
                set(&mut record.date, value.text(), "WARC-Date", &mut several);
            }
            12 if is_named(name, "Content-Type") => record.content_type = Some(value.text()),
            12 if is_named(name, "WARC-Profile") => {
                set(&mut record.profile, bare(value), "WARC-Profile", &mut several);
            }
            14 if is_named(name, "Content-Length") => {
                set(&mut length, value.text().parse().ok(), "Content-Length", &mut several);
            }
            14 if is_named(name, "WARC-Record-ID") => {
                set(&mut record.id, bare(value), "WARC-Record-ID", &mut several);
            }
            14 if is_named(name, "WARC-Truncated") => record.truncated = Some(value.text()),
            14 if is_named(name, "WARC-Refers-To") => {
                set(&mut record.refers_to, bare(value), "WARC-Refers-To", &mut several);
            }
            15 if is_named(name, "WARC-IP-Address") => record.ip = Some(value.text()),
            15 if is_named(name, "WARC-Target-URI") => {
                let other = set(&mut record.target, bare(value), "WARC-Target-URI", &mut several);
                record.other_targets.extend(other.filter(|_| record.other_targets.len() < MAX_OTHER_TARGETS));
            }
            16 if is_named(name, "WARC-Warcinfo-ID") => record.warcinfo_id = Some(bare(value)),
            17 if is_named(name, "WARC-Block-Digest") => {
                set_digest(&mut record.block_digest, value.text(), "WARC-Block-Digest", &mut several);
            }
            18 if is_named(name, "WARC-Concurrent-To") => record.concurrent_to.push(bare(value)),
            19 if is_named(name, "WARC-Payload-Digest") => {
                set_digest(&mut record.payload_digest, value.text(), "WARC-Payload-Digest", &mut several);
            }
            19 if is_named(name, "WARC-Segment-Number") => {
                record.segment_number = value.text().parse().ok();
            }
            19 if is_named(name, "WARC-Refers-To-Date") => {
                set(&mut record.refers_to_date, value.text(), "WARC-Refers-To-Date", &mut several);
            }
            25 if is_named(name, "WARC-Refers-To-Target-URI") => {
                let name = "WARC-Refers-To-Target-URI";
                set(&mut record.refers_to_target, bare(value), name, &mut several);
            }
            _ => {}
        }
    }
    record.record_type = kind.unwrap_or(record.record_type);
    record.content_length = length.flatten();
    record.several = several;
    record
}

fn is_capture(kind: &RecordType) -> bool {
    matches!(kind, RecordType::Response | RecordType::Revisit | RecordType::Resource)
}

/// The record type. The four common ones are matched without allocating a string.
fn record_type(value: &[u8]) -> RecordType {
    match value {
        b"response" => RecordType::Response,
        b"request" => RecordType::Request,
        b"metadata" => RecordType::Metadata,
        b"revisit" => RecordType::Revisit,
        _ => RecordType::from(text(Cow::Borrowed(value))),
    }
}

/// The value without the `<…>` that wget puts around target URIs too (jwarc#30, warcio PR#42).
fn bare(value: Value<'_>) -> Cow<'_, str> {
    match value.text() {
        Cow::Borrowed(text) => Cow::Borrowed(unbracketed(text)),
        Cow::Owned(text) => Cow::Owned(unbracketed(&text).to_owned()),
    }
}

fn unbracketed(text: &str) -> &str {
    text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(text)
}

/// The short name of a revisit profile: the last segment of its URI, whatever version precedes it.
pub(crate) fn profile_name(profile: &str) -> &str {
    match profile.trim_end_matches('/').rsplit('/').next() {
        // "uri-agnostic-identical-payload-digest" says in its name what every such revisit may do.
        Some("uri-agnostic-identical-payload-digest") => "identical-payload-digest",
        Some(name) => name,
        None => profile,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_all_versions_and_cases_are_read() {
        let head =
            b"WARC/1.0\r\nwarc-type: RESPONSE\r\nWARC-Target-URI: <http://a/ b>\r\nContent-Length: 12\r\n\
            WARC-Concurrent-To: <urn:a>\r\nWARC-Concurrent-To: <urn:b>\r\nWARC-Record-ID: <urn:c>\r\n\r\n";
        let record = parse(head);
        assert_eq!(record.record_type, RecordType::Response);
        assert_eq!(record.target.as_deref(), Some("http://a/ b"));
        assert_eq!(record.content_length, Some(12));
        assert!(record.concurrent_to.iter().eq(["urn:a", "urn:b"]));
        assert_eq!(record.id.as_deref(), Some("urn:c"));
        assert_eq!(parse(b"WARC/1.0\nContent-Length: 99999999999999999999\n\n").content_length, None);
        assert_eq!(parse(b"WARC/1.0\nContent-Length: -1\n\n").content_length, None);
    }

    #[test]
    fn a_field_with_two_values_is_noted_in_either_order() {
        let head = |fields: &str| format!("WARC/1.1\r\n{fields}\r\n");
        let (one, other) = ("WARC-Target-URI: http://a/\r\n", "warc-target-uri: <http://b/>\r\n");
        for (fields, target, rest) in
            [(vec![one, other], "http://b/", "http://a/"), (vec![other, one], "http://a/", "http://b/")]
        {
            let text = head(&fields.concat());
            let record = parse(text.as_bytes());
            assert_eq!(record.several, ["WARC-Target-URI"]);
            assert_eq!((record.target.as_deref(), &*record.other_targets[0]), (Some(target), rest));
        }
        let same = head(&format!("{one}{one}WARC-Date: x\r\nWARC-Date: x\r\n"));
        assert!(parse(same.as_bytes()).several.is_empty());
        for types in
            ["WARC-Type: metadata\nWARC-Type: response\n", "WARC-Type: response\nWARC-Type: metadata\n"]
        {
            let text = head(types);
            let record = parse(text.as_bytes());
            assert_eq!((record.record_type, record.several), (RecordType::Response, vec!["WARC-Type"]));
        }
        let many = head(&(0..99).map(|n| format!("WARC-Target-URI: http://a/{n}\n")).collect::<String>());
        assert_eq!(parse(many.as_bytes()).other_targets.len(), MAX_OTHER_TARGETS);
    }

    #[test]
    fn two_digests_by_one_algorithm_contradict_each_other() {
        for name in ["WARC-Payload-Digest", "WARC-Block-Digest"] {
            let head =
                |one: &str, other: &str| format!("WARC/1.1\r\n{name}: {one}\r\n{name}: {other}\r\n\r\n");
            for (one, other, several) in [
                ("sha1:AAAA", "sha1:BBBB", vec![name]),
                ("SHA1:AAAA", "sha1:BBBB", vec![name]),
                ("sha1:AAAA", "sha1:AAAA", vec![]),
                ("sha1:AAAA", "sha256:BBBB", vec![]),
            ] {
                assert_eq!(parse(head(one, other).as_bytes()).several, several, "{one} {other}");
            }
        }
    }

    #[test]
    fn profiles_have_short_names() {
        for (uri, name) in [
            ("http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", "identical-payload-digest"),
            ("http://netpreserve.org/warc/0.18/revisit/server-not-modified", "server-not-modified"),
            (
                "http://netpreserve.org/warc/1.1/revisit/uri-agnostic-identical-payload-digest",
                "identical-payload-digest",
            ),
            ("odd", "odd"),
        ] {
            assert_eq!(profile_name(uri), name);
        }
    }
}
