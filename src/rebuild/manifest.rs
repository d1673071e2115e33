//! The manifest: for every URL that was asked for, which capture was taken, why, and what was rejected. One JSON object a line.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::diff::model::Diff;
use crate::recovery::policy::{Policy, Requests};
use crate::time::Instant;

/// The name of the format.
pub(crate) const SCHEMA: &str = "acuity.rebuild/1";

/// What was built, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rebuild {
    pub schema: String,
    pub tool_version: String,
    pub output: String,
    pub policy: Policy,
    /// How captures were chosen: `newest`, `closest` or `coherent`.
    pub choice: String,
    /// The date asked for, or the best moment.
    pub at: Option<Instant>,
    /// URLs whose chosen capture is proven online at `at` (only by `coherent`).
    pub proven_together: Option<u64>,
    pub repositories: Vec<String>,
    pub recovered: u64,
    /// What was asked for and not recovered.
    pub missing: u64,
    /// Those of them that were found only as an error page, a parked page or a wall, which was written.
    pub stand_ins: u64,
    /// Records written, without the warcinfo.
    pub records: u64,
    /// Records whose length was wrong or that ended early: written as they can be read.
    pub mended: u64,
    pub bytes: u64,
    /// What each policy would have recovered, and the requests it would have made of remote repositories. Modelled: nothing was sent.
    pub policies: Vec<Modelled>,
    pub urls: Vec<Entry>,
}

/// What `--json` writes: what was built, and what differs from the original where there is one.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    #[serde(flatten)]
    pub rebuild: &'a Rebuild,
    pub diff: Option<&'a Diff>,
}

/// A policy as it would have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Modelled {
    pub policy: Policy,
    pub recovered: u64,
    pub missing: u64,
    /// Those of them that it would have found only as an error page, a parked page or a wall.
    pub stand_ins: u64,
    /// Recovered URLs that the original does not have; `None` without an original.
    pub added: Option<u64>,
    pub requests: u64,
    pub efficiency: Option<f64>,
    pub efficiency_without_added: Option<f64>,
    pub days: Option<u64>,
    pub by_repository: Vec<Requests>,
}

/// One URL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub url: String,
    pub key: String,
    /// It was asked for.
    pub sought: bool,
    pub taken: Option<Taken>,
    /// Why this version was chosen, or why none could be.
    pub why: String,
    /// Repositories that might have it: their indexes list it.
    pub might_have: Vec<String>,
    pub rejected: Vec<Rejected>,
}

/// The capture that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Taken {
    pub repository: String,
    pub file: String,
    pub offset: Option<u64>,
    pub record_id: Option<String>,
    pub time: Instant,
    pub status: Option<u16>,
    /// It is an error page, a parked page or a wall: the page is not recovered.
    pub is_stand_in: bool,
    /// Whether the index of the package has it; `None` where the output is not a package. A 304 whose page is there is left out.
    pub indexed: Option<bool>,
    /// What was not copied byte for byte, if so.
    pub mended: Option<String>,
    /// Where the original of a revisit is, which was copied too.
    pub original: Option<String>,
}

/// A capture that was not taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rejected {
    pub repository: String,
    pub file: String,
    pub offset: Option<u64>,
    pub time: Instant,
    pub why: String,
}

/// Writes the manifest: what was built, then a line for each URL.
pub(crate) fn write(out: &mut dyn Write, rebuild: &Rebuild) -> io::Result<()> {
    let head = Rebuild { urls: Vec::new(), ..rebuild.clone() };
    let mut line = |value: serde_json::Result<String>| writeln!(out, "{}", value.map_err(io::Error::from)?);
    line(serde_json::to_string(&head))?;
    rebuild.urls.iter().try_for_each(|entry| line(serde_json::to_string(entry)))
}
