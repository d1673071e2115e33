//! One response of one URL at one time: the row of the table that everything else is computed from.

use std::sync::Arc;

use super::field::{Column, Field, Value};
use super::negotiation::Negotiation;
use super::record::{is_marked, record, words};
use crate::digest::{BodyDigest, Digest};
use crate::html::link_list::Links;
use crate::html::sitemap::Entry;
use crate::html::soft404::Soft404;
use crate::time::Instant;

words! {
    /// What kind of record the observation comes from.
    #[derive(Default)]
    pub enum Kind {
        /// A `response` record: the answer with its body.
        #[default]
        Response = "response",
        /// A `resource` record: the body without an answer around it.
        Resource = "resource",
        /// A `revisit` record: the answer, its body declared to equal an earlier one.
        Revisit = "revisit",
        /// A line of a CDX or CDXJ index: no body at hand.
        Index = "index",
    }
}

words! {
    /// How a revisit was resolved to its original, in the order in which it is tried.
    pub enum ResolvedBy {
        /// `WARC-Refers-To` names the record.
        Id = "id",
        /// `WARC-Refers-To-Target-URI` and `-Date` name the capture.
        UrlDate = "url-date",
        /// A capture has the same declared payload digest.
        Digest = "digest",
    }
}

words! {
    /// What a declared payload digest was found to cover, where that is not the payload: a habit of writers.
    pub enum Covers {
        /// The body with its chunk framing.
        Framed = "framed",
        /// The body without its content coding.
        Decoded = "decoded",
        /// The whole block.
        Block = "block",
        /// Nothing: it is the digest of an empty body.
        Empty = "empty",
    }
}

words! {
    /// Why a revisit does not show that the body it refers to was served again.
    pub enum AtOdds {
        /// It declares another digest than the record that it refers to.
        Digest = "digest",
        /// The body of the record that it refers to is not the one of that record's own digest.
        Original = "original",
        /// The record that it refers to is cut.
        Cut = "cut",
        /// It is a 304, and the record that it names is of another URL.
        Elsewhere = "elsewhere",
        /// It is a 304, and the record that it names was captured later.
        Later = "later",
        /// Other evidence contradicts the record that it refers to.
        Contradictory = "contradictory",
        /// It has no status, and the record that it refers to holds a part of the page.
        Part = "part",
    }
}

impl AtOdds {
    /// Why, in words about "it", the revisit.
    pub(crate) fn words(self) -> &'static str {
        match self {
            AtOdds::Digest => "it declares another digest than the capture that it refers to",
            AtOdds::Original => "the capture it refers to does not match its own digest",
            AtOdds::Cut => "the capture that it refers to is cut short",
            AtOdds::Elsewhere => "the capture it refers to is of another address",
            AtOdds::Later => "the capture it refers to is later",
            AtOdds::Contradictory => "other evidence contradicts the capture that it refers to",
            AtOdds::Part => "the capture that it refers to holds a part of the page",
        }
    }
}

words! {
    /// Who contradicts a capture.
    pub enum Witness {
        /// Another record of the same id, URL and date, with another body.
        Copy = "copy",
        /// A line of an index, with another digest for the record at that place.
        Index = "index",
        /// The package that holds the file, with another hash for it.
        Package = "package",
        /// A request by another method than GET, which may be its own.
        Request = "request",
        /// The head of the record itself, which states one field several times, with different values.
        Head = "head",
    }
}

record! {
    flags u8;
    /// Contradictory evidence about a capture.
    #[derive(Eq)]
    pub struct Contradiction {
        /// Who contradicts it.
        witness: Witness,
        /// The file that holds the witness.
        file: Arc<str>,
        /// The place of the witness in that file.
        offset: Option<u64>,
    }
}

record! {
    flags u8;
    /// What a revisit refers to: the fields as its record declares them, and how they were resolved.
    #[derive(Default, Eq)]
    pub struct RefersTo {
        /// `WARC-Refers-To-Target-URI`.
        url: Option<String>,
        /// `WARC-Refers-To-Date`.
        time: Option<Instant>,
        /// `WARC-Refers-To`.
        record_id: Option<String>,
        /// How the original was found; `None`: it was not.
        resolved_by: Option<ResolvedBy> [late],
        /// The file that holds the original, where it was found.
        file: Option<Arc<str>> [late],
        /// The offset of the original in that file.
        offset: Option<u64> [late],
        /// Why the revisit says nothing about the body of its original.
        at_odds: Option<AtOdds> [late omit],
    }
}

record! {
    flags u64;
    /// One answer of one URL at one time. Unknown is `None`, `null` in JSON.
    #[derive(Default)]
    pub struct Observation {
        /// The URL as captured.
        url: String,
        /// The method of the request, if a request record or the index names it.
        method: Option<String>,
        /// The canonical key of the URL (SURT).
        key: String,
        /// When capture began, at the earliest.
        time: Option<Instant>,
        /// `time` plus the date's precision plus the known duration of the fetch.
        time_end: Option<Instant>,
        /// The status of the HTTP answer.
        status: Option<u16>,
        /// The media type of the answer, without parameters, in lower case.
        mime: Option<String>,
        /// The kind of record.
        kind: Kind,
        /// The short name of a revisit's profile.
        profile: Option<String>,
        /// The software that wrote the file, from its warcinfo record.
        writer: Option<Arc<str>>,
        /// The payload digest that the header declares.
        declared: Option<Digest>,
        /// The payload digest recomputed in the declared algorithm, transfer coding removed.
        payload: Option<Digest>,
        /// Whether `declared` and `payload` agree.
        digest_ok: Option<bool>,
        /// What `declared` covers instead, where it does not agree and that was found.
        digest_covers: Option<Covers> [omit],
        /// BLAKE3 of the identity body (transfer and content coding removed). A resolved revisit carries its original's,
        /// unless the two contradict each other.
        body: Option<BodyDigest>,
        /// The `Last-Modified` of the answer.
        last_modified: Option<Instant>,
        /// The `ETag` of the answer.
        etag: Option<String>,
        /// The `Date` of the answer: the server's clock.
        http_date: Option<Instant>,
        /// The length of the record in its file, compressed where it is.
        length: Option<u64>,
        /// Why the capture is cut: the `WARC-Truncated` reason; `input` where the file ends or is damaged; `segment`; `head-cut` where the
        /// answer ends within its head; `body-short`,
        /// `chunks-cut` or `coding-cut` where the body ends before its length, its chunks or its coding say; `no-body` where there is
        /// none at all and no request says that it was not HEAD; `original` for a revisit of a cut capture.
        truncated: Option<String>,
        /// Whether a cut capture begins unlike the page that stood there before and after it.
        strays: Option<bool> [omit],
        /// The file that holds the record.
        file: Arc<str>,
        /// The offset of the record (or of its compressed member) in that file.
        offset: Option<u64>,
        /// `WARC-Record-ID`, without angle brackets.
        record_id: Option<String>,
        /// For a revisit, what it refers to.
        refers_to: Option<RefersTo>,
        /// The length of the identity body in bytes.
        body_length: Option<u64>,
        /// The `Content-Length` of a revisit whose head names no coding: a shorter body of its original is cut.
        content_length: Option<u64> [omit],
        /// The target of a redirect, as the answer gives it.
        location: Option<String>,
        /// The crawl or collection the record belongs to: `isPartOf` of the warcinfo record, else its id.
        crawl: Option<Arc<str>>,
        /// BLAKE3 of the visible text of an HTML body: equal where only markup, scripts or comments differ.
        text: Option<BodyDigest>,
        /// The `charset` that the answer declares, in lower case.
        charset: Option<String> [omit],
        /// The `Vary` of the answer, in lower case.
        vary: Option<String> [omit],
        /// The codings of the stored body as the head names them: of its content, outermost last, then `chunked`.
        coding: Option<String> [omit],
        /// Digests of the request headers that may have chosen the answer, where the request is in the archive.
        request: Option<Negotiation> [omit],
        /// For a 304 whose request is in the archive: the `If-None-Match` of that request.
        if_none_match: Option<String> [omit],
        /// The same for `If-Modified-Since`.
        if_modified_since: Option<Instant> [omit],
        /// The `Age` of the answer: for how many seconds it had been in a cache.
        age: Option<u64> [omit],
        /// How many milliseconds the fetch took, where the crawler says so.
        duration: Option<u64> [omit],
        /// `WARC-IP-Address`.
        ip: Option<String> [omit],
        /// Who contradicts the capture.
        contradicts: Option<Contradiction> [omit],
        /// What is wrong with the record though it was read, in codes: `age` (unreadable), `block-digest`, `body-long` (longer than `Content-Length`),
        /// `content-length` (unreadable, or several), `content-range` (without status 206), `part` (that range is not the whole), `date`
        /// and `last-modified` (unreadable), `dates` and `last-modifieds` (several that differ; none is used), `several-` with the name of
        /// a field (several that differ; nothing is proven).
        damage: Option<String> [omit],
        /// Why an answer with status 200 is taken for "not found".
        soft404: Option<Soft404> [omit],
        /// The links and embedded resources of the body, where they were asked for.
        links: Option<Links> [omit],
        /// What the body lists, where it is a sitemap and that was asked for.
        sitemap: Option<Vec<Entry>> [omit],
    }
}

impl Observation {
    /// An observation of which nothing else is known.
    pub(crate) fn new(kind: Kind, url: String, key: String, file: Arc<str>) -> Self {
        Observation { url, key, kind, file, ..Observation::default() }
    }

    /// Appends the observation as one line of JSON.
    pub fn json_line(&self, line: &mut Vec<u8>) {
        self.json(line);
        line.push(b'\n');
    }

    /// The columns of the flat form.
    pub(crate) fn flat_columns() -> Vec<Column> {
        let mut columns = Vec::with_capacity(Self::WIDTH);
        Self::columns("", &mut columns);
        columns
    }

    /// Gives the values of [`Self::flat_columns`], in their order.
    pub(crate) fn flat_values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>)) {
        self.values(give);
    }

    /// Whether this code is among its damage.
    pub(crate) fn is_damaged_by(&self, code: &str) -> bool {
        self.damage.as_deref().is_some_and(|damage| damage.split(' ').any(|known| known == code))
    }

    /// Whether the body is not the one of the declared digest, and no habit of writers explains it.
    pub fn is_refuted(&self) -> bool {
        is_refuted(self.digest_ok, self.digest_covers)
    }
}

/// The code of [`Observation::damage`] for a block that is not the one of its declared digest.
pub(crate) const BLOCK_DIGEST: &str = "block-digest";

/// The start of the codes of [`Observation::damage`] for a field of which the head states several that differ; its name follows.
pub(crate) const SEVERAL: &str = "several-";

/// The JSON schema of one line of `acuity index`.
pub fn observation_schema() -> serde_json::Value {
    let mut schema = Observation::schema();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "One line of acuity index: an observation".into();
    schema
}

/// Whether a declared digest is refuted by its body: not the digest of anything that the record holds.
pub(crate) fn is_refuted(digest_ok: Option<bool>, covers: Option<Covers>) -> bool {
    digest_ok == Some(false) && matches!(covers, None | Some(Covers::Empty))
}

#[cfg(test)]
#[path = "observation_tests.rs"]
mod tests;
