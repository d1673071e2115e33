//! One answer of one URL at one time: the row of the table that everything else is computed from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::{BodyDigest, Digest};
use crate::html::link_list::Links;
use crate::html::sitemap::Entry;
use crate::html::soft404::Soft404;
use crate::time::Instant;

/// What kind of record the observation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A `response` record: the answer with its body.
    Response,
    /// A `resource` record: the body without an answer around it.
    Resource,
    /// A `revisit` record: the answer, its body told to equal an earlier one.
    Revisit,
    /// A line of a CDX or CDXJ index: no body at hand.
    Index,
}

/// How a revisit was resolved to its original, in the order in which it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResolvedBy {
    /// `WARC-Refers-To` names the record.
    Id,
    /// `WARC-Refers-To-Target-URI` and `-Date` name the capture.
    UrlDate,
    /// A capture has the same declared payload digest.
    Digest,
}

/// What a declared payload digest was found to cover, where that is not the payload: a habit of writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Covers {
    /// The body with its chunk framing.
    Framed,
    /// The body without its content coding.
    Decoded,
    /// The whole block.
    Block,
    /// Nothing: it is the digest of an empty body.
    Empty,
}

/// Why a revisit does not show that the body it refers to was served again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtOdds {
    /// It declares another digest than the record that it refers to.
    Digest,
    /// The body of the record that it refers to is not the one of that record's own digest.
    Original,
}

/// What a revisit refers to: the fields as its record declares them, and how they were resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefersTo {
    /// `WARC-Refers-To-Target-URI`.
    pub url: Option<String>,
    /// `WARC-Refers-To-Date`.
    pub time: Option<Instant>,
    /// `WARC-Refers-To`.
    pub record_id: Option<String>,
    /// How the original was found; `None`: it was not.
    pub resolved_by: Option<ResolvedBy>,
    /// The file that holds the original, where it was found.
    #[serde(default)]
    pub file: Option<Arc<str>>,
    /// The offset of the original in that file.
    #[serde(default)]
    pub offset: Option<u64>,
    /// Why the revisit says nothing about the body of its original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_odds: Option<AtOdds>,
}

/// One answer of one URL at one time. Unknown is `None`, `null` in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The URL as captured.
    pub url: String,
    /// The method of the request, if a request record or the index tells it.
    pub method: Option<String>,
    /// The canonical key of the URL (SURT).
    pub key: String,
    /// When capture began, at the earliest.
    pub time: Option<Instant>,
    /// `time` plus the date's precision plus the known duration of the fetch.
    pub time_end: Option<Instant>,
    /// The status of the HTTP answer.
    pub status: Option<u16>,
    /// The media type of the answer, without parameters, in lower case.
    pub mime: Option<String>,
    /// The kind of record.
    pub kind: Kind,
    /// The short name of a revisit's profile.
    pub profile: Option<String>,
    /// The software that wrote the file, from its warcinfo record.
    pub writer: Option<Arc<str>>,
    /// The payload digest that the header declares.
    pub declared: Option<Digest>,
    /// The payload digest recomputed in the declared algorithm, transfer coding removed.
    pub payload: Option<Digest>,
    /// Whether `declared` and `payload` agree.
    pub digest_ok: Option<bool>,
    /// What `declared` covers instead, where it does not agree and that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest_covers: Option<Covers>,
    /// BLAKE3 of the identity body (transfer and content coding removed). A resolved revisit carries its original's,
    /// unless the two are at odds.
    pub body: Option<BodyDigest>,
    /// The `Last-Modified` of the answer.
    pub last_modified: Option<Instant>,
    /// The `ETag` of the answer.
    pub etag: Option<String>,
    /// The `Date` of the answer: the server's clock.
    pub http_date: Option<Instant>,
    /// The length of the record in its file, compressed where it is.
    pub length: Option<u64>,
    /// Why the capture is incomplete: the `WARC-Truncated` reason, `input` where the file ends or is damaged.
    pub truncated: Option<String>,
    /// The file that holds the record.
    pub file: Arc<str>,
    /// The offset of the record (or of its compressed member) in that file.
    pub offset: Option<u64>,
    /// `WARC-Record-ID`, without angle brackets.
    pub record_id: Option<String>,
    /// For a revisit, what it refers to.
    pub refers_to: Option<RefersTo>,
    /// The length of the identity body in bytes.
    #[serde(default)]
    pub body_length: Option<u64>,
    /// The target of a redirect, as the answer gives it.
    #[serde(default)]
    pub location: Option<String>,
    /// The crawl or collection the record belongs to: `isPartOf` of the warcinfo record, else its id.
    #[serde(default)]
    pub crawl: Option<Arc<str>>,
    /// BLAKE3 of the visible text of an HTML body: equal where only markup, scripts or comments differ.
    #[serde(default)]
    pub text: Option<BodyDigest>,
    /// Why an answer with status 200 is taken for "not found".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft404: Option<Soft404>,
    /// The links and embedded resources of the body, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<Links>,
    /// What the body lists, where it is a sitemap and that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitemap: Option<Vec<Entry>>,
}

impl Observation {
    /// Whether the body is not the one of the declared digest, and no habit of writers explains it.
    pub fn is_refuted(&self) -> bool {
        is_refuted(self.digest_ok, self.digest_covers)
    }
}

/// Whether a declared digest is refuted by its body: not the digest of anything that the record holds.
pub(crate) fn is_refuted(digest_ok: Option<bool>, covers: Option<Covers>) -> bool {
    digest_ok == Some(false) && matches!(covers, None | Some(Covers::Empty))
}
