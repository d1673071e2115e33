//! Revisit records: which capture each one refers to, and whether the two agree.

pub(crate) mod recheck;
pub(crate) mod resolution;
pub(crate) mod resolve;
