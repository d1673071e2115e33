//! What the head of a record says about its capture, before its block is read.

use std::sync::Arc;

use crate::archive::http;
use crate::archive::record::{RecordHead, profile_name};
use crate::capture::{Kind, Observation, RefersTo};
use crate::digest::Digest;
use crate::problem::{Level, Problem};
use crate::time::{Dated, Instant};
use crate::url::Canon;

/// Dates outside of this are reported as absurd.
const PLAUSIBLE: std::ops::Range<Instant> = Instant(568_000_000_000_000)..Instant(4_102_444_800_000_000);

/// The observation from the head of a record; the body is added later.
pub(super) fn observe(
    head: &RecordHead<'_>,
    offset: u64,
    kind: Kind,
    file: &Arc<str>,
    problems: &mut Vec<Problem>,
) -> Observation {
    let url = head.target.as_deref().unwrap_or_default().to_owned();
    let key = Canon::Default.key(&url);
    let id = head.id.as_deref();
    let mut report = |level, name: &str, message: String| {
        let problem = Problem::new(level, name, message).in_file(&**file).at(offset).of_record(id);
        problems.push(problem);
    };
    if head.target.is_none() {
        report(Level::Warning, "no-target-uri", "the record names no WARC-Target-URI".to_owned());
    }
    let dated = head.date.as_deref().and_then(Dated::parse);
    match dated {
        None => {
            let text = head.date.as_deref().unwrap_or_default();
            report(Level::Warning, "bad-date", format!("no date can be read from {text:?}"));
        }
        Some(dated) if !PLAUSIBLE.contains(&dated.instant) => {
            report(Level::Warning, "absurd-date", format!("there was no web at {}", dated.instant));
        }
        Some(_) => {}
    }
    let declared_text = match kind {
        // The block of a resource is its payload.
        Kind::Resource => head.payload_digest.as_deref().or(head.block_digest.as_deref()),
        _ => head.payload_digest.as_deref(),
    };
    let declared = declared_text.and_then(Digest::parse);
    if let (Some(text), None) = (declared_text, declared) {
        report(Level::Note, "unknown-digest", format!("the digest {text:?} is of no known kind"));
    }
    let refers_to = (kind == Kind::Revisit).then(|| RefersTo {
        url: head.refers_to_target.as_deref().map(str::to_owned),
        time: head.refers_to_date.as_deref().and_then(Dated::parse).map(|dated| dated.instant),
        record_id: head.refers_to.as_deref().map(str::to_owned),
        ..RefersTo::default()
    });
    Observation {
        time: dated.map(|dated| dated.instant),
        time_end: dated.map(Dated::end),
        status: head.arc_status,
        mime: match kind {
            Kind::Resource => head.content_type.as_deref().and_then(http::media_type),
            _ if head.is_arc => head.content_type.as_deref().and_then(http::media_type),
            _ => None,
        },
        profile: head
            .profile
            .as_deref()
            .filter(|_| kind == Kind::Revisit)
            .map(|uri| profile_name(uri).to_owned()),
        declared,
        truncated: head.truncated.as_deref().map(str::to_ascii_lowercase),
        offset: Some(offset),
        record_id: head.id.as_deref().map(str::to_owned),
        ip: head.ip.as_deref().map(str::to_owned),
        refers_to,
        ..Observation::new(kind, url, key, file.clone())
    }
}
