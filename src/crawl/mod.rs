//! What crawlers say about their own work: logs, lists of skipped pages, and what became of each URL.

pub(crate) mod log;
pub(crate) mod outcome;
pub(crate) mod skipped_pages;
