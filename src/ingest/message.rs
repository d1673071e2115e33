//! What was learnt from one record, on its way from the thread that read it to the one that assembles the file.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::quality::FixedState;
use smallvec::SmallVec;

use crate::capture::{Negotiation, Observation};
use crate::html::link_list::Links;
use crate::html::page::Findings;
use crate::problem::Problem;
use crate::time::Instant;

/// Whether digests are recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Digests {
    /// Recompute and compare all of them, and compute `body`.
    #[default]
    Verify,
    /// Take the declared ones as they are; bodies are not read.
    Declared,
}

/// What one record says, before the records around it are known.
#[derive(Debug)]
pub enum Item {
    /// An observation that needs no neighbours: a line of an index.
    Observed(Box<Observation>),
    /// A capture whose request, metadata and warcinfo may still come.
    Capture(Capture),
    /// A request, which gives a capture its method and the headers that may have selected the response.
    Request(Companion<Request>),
    /// Links that a crawler found in a page, from a metadata record.
    Outlinks(Companion<Links>),
    /// A metadata record with the duration of a fetch in milliseconds.
    Duration(Companion<i64>),
    /// A warcinfo record.
    Info {
        /// Its record id.
        id: Option<String>,
        /// The software that wrote the file.
        software: Option<Arc<str>>,
        /// The collection it says it is part of.
        part_of: Option<Arc<str>>,
    },
}

/// What a request says about its response.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: Cow<'static, str>,
    /// The headers that may have selected the response.
    pub headers: Negotiation,
    /// What the crawler had already, where it asked for something newer only.
    pub condition: Option<Box<Condition>>,
    /// Its target and `WARC-Date`, by which it is found where no record names another.
    pub target: Option<RecordKey>,
    pub time: Option<Instant>,
    /// The place of its record in the file.
    pub offset: u64,
}

/// The condition of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    pub none_match: Option<String>,
    pub modified_since: Option<Instant>,
}

/// A capture, with what is needed to find the records that belong to it.
#[derive(Debug)]
pub struct Capture {
    pub observation: Box<Observation>,
    pub id: Option<RecordKey>,
    /// `WARC-Concurrent-To`.
    pub concurrent_to: RecordKeys,
    /// `WARC-Warcinfo-ID`.
    pub warcinfo_id: Option<RecordKey>,
    /// Links that are not in the observation.
    pub told: ExtraLinks,
}

/// Links of a capture that are not in its observation.
#[derive(Debug, Default)]
pub struct ExtraLinks {
    /// What was found in it, if it is a page.
    pub page: Option<Arc<Findings>>,
    /// Links that a crawler found in it.
    pub outlinks: Option<Links>,
}

/// A record id as a number: ids are compared with those of a few neighbours, and strings are slow to hand from thread
/// to thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordKey(u64);

impl RecordKey {
    pub fn of(id: &str) -> Self {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(id.as_bytes());
        RecordKey(hasher.finish())
    }
}

/// Ids of records: mostly none or one.
pub(crate) type RecordKeys = SmallVec<[RecordKey; 1]>;

/// A record about a capture.
#[derive(Debug)]
pub struct Companion<T> {
    pub id: Option<RecordKey>,
    /// The records it belongs to: `WARC-Concurrent-To` and `WARC-Refers-To`.
    pub belongs_to: RecordKeys,
    /// Its target.
    pub url: Option<String>,
    /// What it says.
    pub value: T,
}

/// Items and problems of one part of a file.
#[derive(Debug, Default)]
pub struct Batch {
    /// What was found, in the order of the records.
    pub items: Vec<Item>,
    /// What was wrong.
    pub problems: Vec<Problem>,
}
