//! The whole story of one page, in the model: every capture, every gap, every verdict and why.

use serde::{Deserialize, Serialize};

use super::{RunChange, Window};
use crate::capture::Kind;
use crate::change::evidence::Grade;
use crate::change::run::Outer;
use crate::digest::{BodyDigest, Digest};
use crate::time::Instant;

/// All that is known of a page in one window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// Its captures in time order, failed ones included.
    pub looks: Vec<StoryCapture>,
    /// What two captures that follow each other say; failed captures stand between them.
    pub gaps: Vec<GapOut>,
    /// The runs of equal captures.
    pub runs: Vec<StoryRun>,
    /// What changed from run to run, block by block, where bodies could be compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<RunChange>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoryCapture {
    /// When capture began.
    pub time: Instant,
    /// When it ended at the latest.
    pub end: Instant,
    /// When the response was made, by its Age; absent where that is when capture began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Instant>,
    /// The URL as captured.
    pub url: String,
    /// The number of its crawl in the window, counted from 0.
    pub crawl: u64,
    pub status: Option<u16>,
    /// The media type.
    pub mime: Option<String>,
    /// The kind of record.
    pub kind: Kind,
    /// Why it shows no state of the page; null where it does.
    pub failed: Option<String>,
    /// The number of its version, counted from 0; null where it may be any, or failed.
    pub version: Option<u64>,
    /// The digest of its body, codings removed.
    pub body: Option<BodyDigest>,
    pub body_length: Option<u64>,
    /// The digest its record declares.
    pub declared: Option<Digest>,
    /// Whether that digest was recomputed and agrees: with the body, or with other bytes of the record that its writer is known to
    /// hash, such as the body with its chunk framing.
    pub digest_ok: Option<bool>,
    pub last_modified: Option<Instant>,
    /// Whether the archive contradicts it; null without one.
    pub contradicted: Option<bool>,
    pub etag: Option<String>,
    /// The server's clock.
    pub http_date: Option<Instant>,
    /// The software that wrote it.
    pub writer: Option<String>,
    /// The file that holds it.
    pub file: String,
    /// Where in that file.
    pub offset: Option<u64>,
    /// `WARC-Record-ID`.
    pub record_id: Option<String>,
}

/// What two neighbouring captures say of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compared {
    /// One version.
    Same,
    /// Two versions.
    Different,
    /// Not decided.
    Unknown,
}

impl Compared {
    /// The name, as it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Compared::Same => "same",
            Compared::Different => "different",
            Compared::Unknown => "unknown",
        }
    }
}

/// The time between two captures that did not fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GapOut {
    /// The earlier capture, as a place in `looks`.
    pub from: u64,
    /// The later capture.
    pub to: u64,
    /// How long it is, in seconds.
    pub seconds: f64,
    pub verdict: Compared,
    /// What it rests on.
    pub grade: Option<Grade>,
    /// Why, in words.
    pub reason: String,
}

/// One run of equal captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoryRun {
    /// Its first capture, as a place in `looks`.
    pub first: u64,
    /// Its last capture.
    pub last: u64,
    /// The number of its version, counted from 0; null where it may be any.
    pub version: Option<u64>,
    /// When it is proven to have been online.
    pub proven: Option<Window>,
    /// When validators claim that it was online.
    pub claimed: Option<Window>,
    /// The open bounds of its lifetime.
    pub outer: Outer,
    /// The accepted `Last-Modified`.
    pub last_modified: Option<Instant>,
    /// The weakest grade that ties its captures.
    pub grade: Option<Grade>,
}
