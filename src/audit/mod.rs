//! The audit: from the table of observations to one versioned result that every report is rendered from.

pub mod model;
pub mod params;
pub mod soft404;
pub mod link_map;
pub mod fates;
pub mod targets;
pub mod importance;
pub mod bodies;
pub mod changes;
pub mod versions;
pub mod patterns;
pub mod words;
pub mod history_check;
pub mod commands;
pub mod page;
pub mod story;
pub mod stories;
pub mod findings;
pub mod next;
pub mod site;
pub mod compute;
pub mod limit;

pub use changes::ChangeMeter;
pub use compute::{AuditInput, audit};
pub use fates::Fates;
pub use importance::Importance;
pub use link_map::LinkMap;
pub use model::Audit;
pub use params::Parameters;

#[cfg(test)]
mod complete_tests;
#[cfg(test)]
mod schema_tests;
