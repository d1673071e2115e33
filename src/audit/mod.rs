//! The audit: from the table of observations to one versioned result that every report is rendered from.

pub mod model;
pub mod params;
pub mod words;
pub mod page;
pub mod story;
pub mod findings;
pub mod site;
pub mod compute;
pub mod bar;
pub mod at_model;
pub mod at_words;
pub mod at;
pub mod at_seal;
pub mod at_stamp;
pub mod at_verify;
pub mod timeline;

pub use compute::{AuditInput, audit};
pub use model::Audit;
pub use params::Parameters;

#[cfg(test)]
mod schema_tests;
