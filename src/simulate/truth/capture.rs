//! A capture as it is written, and what it can say.

use super::history::State;
use super::response::Language;
use crate::time::Instant;

/// What a response showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shown {
    pub state: State,
    /// Whom it was shown to.
    pub language: Language,
    /// What no other response has.
    pub token: Option<u64>,
}

/// What a sound reader can take from a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// The state of the page, for certain: proofs and changes must be found.
    State,
    /// Nothing, and it is not in the way of a proof.
    Nothing,
    /// Perhaps something: proofs may end here.
    Doubt,
}

/// One capture with its truth.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    pub page: usize,
    /// The URL as written.
    pub url: String,
    /// Whether the path was in upper case.
    pub upper: bool,
    /// The earliest and the latest instant that its date allows.
    pub from: Instant,
    pub end: Instant,
    /// When the response was made, by all that the capture declares.
    pub made: Instant,
    /// When the request was really sent.
    pub asked: Instant,
    pub says: Says,
    /// Why it does not say for certain what the page was.
    pub why: &'static str,
    pub shown: Shown,
}

/// How a capture is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Response,
    /// A record of another kind than an HTTP response, with its media type.
    Resource(&'static str),
    /// A revisit by digest of the capture with this number, URL and date.
    SameDigest(u32, String, Instant),
    /// A revisit for a 304, with the number of its original where that is named.
    NotModified(Option<u32>),
}

/// A capture, independent of the format it is written in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Capture {
    pub number: u32,
    pub page: usize,
    pub url: String,
    /// The date as it is written.
    pub date: Instant,
    pub kind: Kind,
    pub status: u16,
    /// Status line and fields, a line each.
    pub head: String,
    /// The body as stored, codings and all.
    pub body: Vec<u8>,
    /// What its digest is taken over: without transfer coding.
    pub payload: Vec<u8>,
    /// The head of its request, if that is kept.
    pub request: Option<String>,
    pub truncated: bool,
    /// What it can say; `None` for what no reader counts, such as the same record again.
    pub seen: Option<Seen>,
}
