//! Replay: a site as it really changed, from a log of its changes or from an archive of it.
//!
//! ```text
//! changes.csv ─ log ─ lives ─┐
//!                            ├─ Replay ─ starts ─ Snapshot ─ oracle, estimated, predicted ─ rates
//! captures ─────── archive ──┘  happened: what a capture, or a visit and a revisit, would have shown
//! ```
//!
//! Time is virtual: seconds since 1970, wherever a crawl is set into it. What a strategy may know at a start
//! ([`mod@oracle`] aside) comes from before it. What the source does not say stays unknown.

pub(crate) mod log;
pub(crate) mod lives;
pub(crate) mod happened;
pub(crate) mod archive;
pub mod starts;
pub mod oracle;
pub mod estimated;
pub mod predicted;

use super::world::World;

pub use archive::from_archive;
pub use estimated::{Crawls, estimated};
pub(crate) use estimated::{Seen, discounted};
pub use happened::Happened;
pub use lives::from_log;
pub use log::{Bulk, Columns, Log};
pub use oracle::{Reach, oracle};
pub use predicted::{Training, predicted};
pub use starts::{Snapshot, starts};

/// A site whose changes were recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Its pages and their changes, as far as they are known.
    pub world: World,
    /// For each page the spans of time in which it changed at an instant that is unknown: after the first of the two,
    /// and not after the second. By begin, ascending; each lies in the page's unknown time. Empty for a log, which
    /// knows instants.
    pub seen: Vec<Vec<(f64, f64)>>,
}

#[cfg(test)]
mod tests;
