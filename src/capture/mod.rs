//! Captures, free of any file format: observations, their canonical URLs, pages and sites.

pub(crate) mod bytes;
mod doubles;
pub(crate) mod field;
pub(crate) mod graph;
pub(crate) mod names;
pub(crate) mod negotiation;
pub(crate) mod normal;
pub(crate) mod record;
pub(crate) mod observation;
pub(crate) mod intern;
mod copies;
pub(crate) mod response_date;
pub(crate) mod redirect;
pub(crate) mod shared;
pub(crate) mod other_records;
pub(crate) mod table;
pub(crate) mod page;
pub(crate) mod site;
pub(crate) mod division;
pub(crate) mod crawl;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use negotiation::Negotiation;
pub(crate) use observation::{AtOdds, Contradiction, Covers, RefersTo, ResolvedBy, Witness};
pub use observation::{Kind, Observation};
