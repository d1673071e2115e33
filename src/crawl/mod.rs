//! What crawlers say about their own work: logs, lists of skipped pages, and what became of each URL.

pub mod log;
pub mod outcome;
pub mod skipped_pages;
