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
pub mod next_patterns;
pub mod next_plan;
pub mod next_rates;
pub mod next_crawl;
pub mod site;
pub mod compute;
pub mod bar;
pub mod at_again;
pub mod at_phrase_model;
pub mod at_embed_model;
pub mod at_model;
pub mod at_words;
pub mod at_phrases;
pub mod at_embeds;
pub mod at_page;
pub mod at;
pub mod at_seal;
pub mod at_read;
pub mod at_stamp;
pub mod at_verify;
pub mod timeline;

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
