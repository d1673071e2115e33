//! Revisit records: which capture each one refers to, and whether the two agree.

pub mod recheck;
pub(crate) mod resolution;
pub mod resolve;
