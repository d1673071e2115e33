//! The records and files that an answer rests on: a part of [`crate::at::model`].

use serde::{Deserialize, Serialize};

use crate::capture::Kind;
use crate::ingest::plan::InputFormat;
use crate::time::Instant;

/// What a record shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The last capture before the date.
    Before,
    /// The first capture after the date.
    After,
    /// It holds the body that a revisit refers to.
    Original,
    /// A capture of the time that was asked about, of which nothing is proven.
    Within,
    /// Phrases were searched for in its body.
    Text,
}

impl Role {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Before => "before",
            Role::After => "after",
            Role::Original => "original",
            Role::Within => "within",
            Role::Text => "text",
        }
    }
}

/// A record that a statement rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// The name of the record in this report: `A`, `B`, …; one record has one label.
    pub label: String,
    pub role: Role,
    pub kind: Kind,
    /// The URL as captured.
    pub url: String,
    pub file: String,
    /// The index that lists the record, where the file that holds it is not an input.
    pub index: Option<String>,
    /// BLAKE3 of the file on disk (of the package, for a file inside one); of the index, where only that was read.
    pub file_blake3: Option<String>,
    /// SHA-256 of the whole file.
    pub file_sha256: Option<String>,
    pub offset: Option<u64>,
    /// Its length as stored.
    pub length: Option<u64>,
    /// SHA-256 of the record as stored; of the record itself, head and block, where it shares a compressed member with others
    /// (then it has no length); `null` where it is known only from an index, or cannot be reached.
    pub record_sha256: Option<String>,
    /// `WARC-Record-ID`.
    pub record_id: Option<String>,
    /// `WARC-Date`.
    pub date: Instant,
    /// When the capture ended at the latest.
    pub date_end: Instant,
    pub status: Option<u16>,
    /// `Location`, where the response is a redirect.
    pub location: Option<String>,
    /// `Date` of the response: the server's clock.
    pub http_date: Option<Instant>,
    /// How many seconds caches had kept the response, by its Age.
    #[serde(default)]
    pub age: Option<u32>,
    /// When the response was made at the earliest, by its Age, its Date or the Date of an earlier record; `null` where nothing shows
    /// that a cache had kept it.
    #[serde(default)]
    pub made_since: Option<Instant>,
    /// Seconds by which `Date` is ahead of `WARC-Date`; negative where it is behind. A cache hands on the `Date` of what it keeps.
    pub clock_difference: Option<i64>,
    /// What the response varies by, as its `Vary` says.
    pub vary: Option<String>,
    /// The software that wrote the file, from its warcinfo record.
    pub writer: Option<String>,
    /// The crawl or collection, from the warcinfo record.
    pub crawl: Option<String>,
    /// `WARC-IP-Address`.
    pub ip: Option<String>,
    /// The request that the crawler sent, where it is recorded.
    pub request: Option<RequestAt>,
    /// `WARC-Payload-Digest`.
    pub declared: Option<String>,
    /// Whether it was recomputed and agrees.
    pub digest_ok: Option<bool>,
    /// Bytes of the body, codings removed.
    pub body_bytes: Option<u64>,
    /// BLAKE3 of the body, codings removed.
    pub body_blake3: Option<String>,
    /// The response header, as the server sent it.
    pub last_modified: Option<Instant>,
}

impl Witness {
    /// Whether its stated digest was recomputed, and what that gave.
    pub(crate) fn digest_words(&self) -> &'static str {
        match self.digest_ok {
            Some(true) => "recomputed, matching",
            Some(false) => "recomputed, different",
            None => "not recomputed",
        }
    }

    /// Seconds by which the server's clock is off, where a cache had kept the response for its Age.
    pub(crate) fn clock_off(&self) -> Option<i64> {
        self.clock_difference.map(|seconds| seconds.saturating_add(i64::from(self.age.unwrap_or(0))))
    }
}

/// A request record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestAt {
    /// `WARC-Record-ID`.
    pub record_id: Option<String>,
    pub offset: u64,
    /// Its length as stored; `null` where it shares a compressed member.
    pub length: Option<u64>,
    /// The request line: method, target and version.
    pub line: String,
    /// The header fields, in their order.
    pub headers: Vec<String>,
}

/// One file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtFile {
    /// The path; inside a package, the path of the package, `#` and the name there.
    pub path: String,
    pub format: InputFormat,
    pub bytes: u64,
    /// Captures read from it.
    pub observations: u64,
    /// BLAKE3 of the file on disk (of the package, for a file inside one).
    pub blake3: String,
    /// SHA-256 of the same.
    pub sha256: String,
}
