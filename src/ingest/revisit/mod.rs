//! Revisit records: which capture each one refers to, and whether the two agree.

mod keys;
pub(crate) mod recheck;
pub(crate) mod report;
pub(crate) mod resolution;
pub(crate) mod resolve;
pub(crate) mod content_of_revisits;
