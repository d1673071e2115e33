//! Captures, free of any file format: observations, their canonical URLs, pages and sites.

pub mod graph;
pub mod names;
pub mod observation;
pub mod intern;
pub mod table;
pub mod page;
pub mod site;
pub mod crawl;
#[cfg(test)]
pub(crate) mod testing;

pub use observation::{AtOdds, Covers, Kind, Observation, RefersTo, ResolvedBy};
