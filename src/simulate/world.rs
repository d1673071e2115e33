//! A site whose changes are known: what every strategy is run against.
//!
//! Times are seconds on one axis, whichever the source chose: seconds since the epoch for a replayed history, slots
//! for a synthetic site.

/// One page of a [`World`].
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// Its URL, or the path a history knows it by.
    pub url: String,
    /// What the page weighs; 1 where nothing tells.
    pub weight: f64,
    /// When it came to be; `-∞` if it stood before the world begins.
    pub born: f64,
    /// When it was taken down; `+∞` if it still stands at the end.
    pub died: f64,
    /// Its changes, ascending, after `born` and before `died`.
    pub changes: Vec<f64>,
    /// Spans about which nothing is known (an archive's gaps in which a change was seen but not when, and the time
    /// before its first and after its last look): disjoint, ascending.
    pub unknown: Vec<(f64, f64)>,
}

/// A site and all that happened on it from `from` to `to`.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// What the site is called in tables.
    pub name: String,
    /// Where what is known begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Its pages.
    pub pages: Vec<Subject>,
    /// For each page, the pages it links to.
    pub links: Vec<Vec<u32>>,
}
