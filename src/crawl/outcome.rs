//! What became of a URL, as a crawler's own log tells it. An archive knows only what was captured; a log knows what was
//! tried in vain, what was left out on purpose and what nobody came to.

use serde::{Deserialize, Serialize};

/// What became of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "fate")]
pub enum Fate {
    /// The server answered, with this status.
    Answered {
        /// The HTTP status.
        status: u16,
    },
    /// It was tried and no answer came.
    Failed {
        /// Why.
        reason: String,
    },
    /// The crawl was told to leave it out.
    Excluded {
        /// By what.
        reason: String,
    },
    /// It was found but not tried: a limit came first.
    Untried {
        /// Which.
        reason: String,
    },
    /// It was not kept because its content was there already.
    Duplicate,
}

/// One line of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// The URL as the log has it.
    pub url: String,
    /// What became of it.
    pub fate: Fate,
    /// The page it was found on.
    pub via: Option<String>,
}

/// The longest line of a log that is read.
pub(crate) const MAX_LINE: usize = 64 * 1024;
