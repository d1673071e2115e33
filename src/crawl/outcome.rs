//! The outcome of a URL according to the crawler's own log. An archive shows only what was captured; a log also shows what
//! failed, what was left out on purpose and what the crawl did not get to.

use serde::{Deserialize, Serialize};

/// The outcome of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "fate")]
pub enum Fate {
    /// The server responded with this status.
    Answered { status: u16 },
    /// It was requested, without a usable response.
    Failed { reason: String },
    /// It was left out on purpose.
    Excluded { reason: String },
    /// It was found but never requested: a limit was reached first.
    Untried { reason: String },
    /// It was not kept because its content had already been captured.
    Duplicate,
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// The URL as logged.
    pub url: String,
    pub fate: Fate,
    /// The page it was found on.
    pub via: Option<String>,
}

/// Maximum length of a line, in bytes.
pub(crate) const MAX_LINE: usize = 64 * 1024;
