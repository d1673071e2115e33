//! Records of a URL outside its history: responses to requests other than GET, and records without a date.
//!
//! They show no version of a page, but they may speak against what the versions show, and an answer must not say that nothing
//! else was there.

use std::collections::HashSet;

use crate::capture::Observation;
use crate::capture::intern::{Id, Interner};
use crate::capture::table::intern_body;
use crate::time::Instant;

/// One such record, with its strings and digests interned. `None` is unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of Observation, interned")]
pub(crate) struct OtherRecord {
    pub key: Id,
    pub time: Option<Instant>,
    pub method: Option<Id>,
    pub status: Option<u16>,
    pub body: Option<Id>,
    pub length: Option<u64>,
    pub etag: Option<Id>,
    pub file: Id,
    pub offset: Option<u64>,
    pub record_id: Option<Id>,
}

impl OtherRecord {
    /// Of an observation; `None` where no more values can be held.
    pub(super) fn of(observation: &Observation, values: &mut Interner) -> Option<Self> {
        let mut text = |text: &str| values.intern(text.as_bytes());
        Some(OtherRecord {
            key: text(&observation.key)?,
            time: observation.time,
            method: observation.method.as_deref().and_then(&mut text),
            status: observation.status,
            etag: observation.etag.as_deref().and_then(&mut text),
            length: observation.body_length,
            file: text(&observation.file)?,
            offset: observation.offset,
            record_id: observation.record_id.as_deref().and_then(&mut text),
            body: observation.body.and_then(|body| intern_body(values, body)),
        })
    }
}

/// Sorts records by key and time, those without a date first; each once, however often it was given.
pub(super) fn sort(records: &mut Vec<OtherRecord>, values: &Interner) {
    let mut seen = HashSet::new();
    records.retain(|record| record.record_id.is_none_or(|id| seen.insert((record.key, id, record.time))));
    records.sort_by(|one, other| {
        values.bytes(one.key).cmp(values.bytes(other.key)).then(one.time.cmp(&other.time))
    });
}
