//! Reviews by people: ratings and notes on pages, kept in a file next to the report.

use serde::{Deserialize, Serialize};

/// What somebody said of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// As it was written: `good`, `poor`, `3`.
    pub rating: String,
    pub note: String,
    /// Who looked.
    #[serde(default)]
    pub by: String,
    /// When, as it was written.
    #[serde(default)]
    pub date: String,
    /// It comes from the earlier audit, not from the file.
    #[serde(default)]
    pub carried_over: bool,
}

/// All that was said of pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewSummary {
    /// The file, as it was named; null where all was carried over.
    pub file: Option<String>,
    /// Pages of this audit with a rating or a note.
    pub pages: u64,
    /// How many of these come from the earlier audit.
    pub carried_over: u64,
    /// Ratings and how many pages have each, most frequent first.
    pub ratings: Vec<RatingCount>,
    /// Reviews of pages that are not in this audit.
    pub not_audited: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingCount {
    pub rating: String,
    pub pages: u64,
}
