//! Captures, free of any file format: observations, their canonical URLs, pages and sites.

pub mod observation;
pub mod url;

pub use observation::{Kind, Observation, RefersTo, ResolvedBy};
