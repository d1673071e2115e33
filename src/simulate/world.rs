//! A site whose changes are known: what every strategy is run against.
//!
//! Times are seconds on one axis, whichever the source chose: seconds since the epoch for a replayed history, slots
//! for a synthetic site.

/// One page of a [`World`].
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// Its URL, or the path a history knows it by.
    pub url: String,
    /// Weight of the page; 1 if unknown.
    pub weight: f64,
    /// When it was created; `-∞` if before the world begins.
    pub born: f64,
    /// When it was deleted; `+∞` if it still exists at the end.
    pub died: f64,
    /// Its changes, ascending, after `born` and before `died`.
    pub changes: Vec<f64>,
    /// Unknown spans (an archive's gaps that contain a change at an unknown instant, and the time
    /// before the first and after the last capture): disjoint, ascending.
    pub unknown: Vec<(f64, f64)>,
}

/// A site and all that happened on it from `from` to `to`.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// What the site is called in tables.
    pub name: String,
    /// Start of the known time.
    pub from: f64,
    /// End of the known time.
    pub to: f64,
    pub pages: Vec<Subject>,
    /// For each page, the pages it links to.
    pub links: Vec<Vec<u32>>,
}
