//! The audit: from the table of observations to one versioned result that every report is rendered from.
#![allow(missing_docs, reason = "names that speak for themselves carry no comment")]

pub(crate) mod model;
pub(crate) mod moved;
pub(crate) mod params;
pub(crate) mod soft404;
pub(crate) mod link_map;
pub(crate) mod fates;
pub(crate) mod robots;
pub(crate) mod evident_scope;
mod target_kinds;
pub(crate) mod targets;
pub(crate) mod keywords;
pub(crate) mod importance;
pub(crate) mod bodies;
pub(crate) mod changes;
pub(crate) mod insignificant;
pub(crate) mod versions;
pub(crate) mod patterns;
pub(crate) mod words;
pub(crate) mod history_check;
pub(crate) mod commands;
pub(crate) mod page_record;
mod page_record_maker;
pub(crate) mod rate_list;
pub(crate) mod records;
pub(crate) mod site_rates;
pub(crate) mod page;
pub(crate) mod story;
pub(crate) mod stories;
pub(crate) mod findings;
pub(crate) mod next;
pub(crate) mod coherence;
pub(crate) mod basis;
pub(crate) mod site;
pub(crate) mod profile;
pub(crate) mod profiles;
pub(crate) mod sites;
pub(crate) mod visit;
pub(crate) mod bands;
pub(crate) mod lost;
pub(crate) mod completeness_figure;
pub(crate) mod answers;
pub(crate) mod why;
pub(crate) mod collection_answers;
pub(crate) mod doubts;
pub(crate) mod record;
pub(crate) mod record_actions;
pub(crate) mod action_order;
pub(crate) mod sooner;
pub(crate) mod realised;
pub(crate) mod same_measure;
pub(crate) mod actions;
pub(crate) mod outlook;
pub(crate) mod conclude;
pub(crate) mod merge;
pub(crate) mod reduce;
pub(crate) mod compute;
pub(crate) mod retry;
pub(crate) mod review;
pub(crate) mod done;
pub(crate) mod site_changes;
pub(crate) mod comparison;
pub(crate) mod limit;
pub(crate) mod promised;

pub(crate) use changes::ChangeMeter;
pub use compute::{AuditInput, audit};
pub(crate) use fates::Fates;
pub(crate) use importance::Importance;
pub use link_map::LinkMap;
pub use model::Audit;
pub use params::Parameters;

#[cfg(test)]
mod complete_tests;
#[cfg(test)]
pub(crate) mod schema_tests;
