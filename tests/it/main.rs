//! The integration tests in one program: each program of tests links the whole library, which takes longer than most tests.
//! `cargo test --test it NAME::` runs those of one file.

mod acted_on;
mod captured;
mod bounded;
mod captures;
mod careless;
mod cli_audit;
mod cli_rates;
mod collection;
mod completeness;
mod corpus;
mod crawls_audit;
mod crawls_index;
mod crawls_links;
mod curator;
mod damaged;
mod diff;
mod differential;
mod elsewhere;
mod error_pages;
mod examples;
mod fetch;
mod histories;
mod html;
mod indexes;
mod inputs;
mod judged;
mod layers;
mod needed;
mod never_below;
mod observation_schema;
mod outputs;
mod over_time;
mod packages;
mod page_shards;
mod parts;
#[cfg(feature = "parquet")]
mod parquet;
mod properties;
mod rebuild;
mod replay_archive;
mod same_figures;
mod schedule;
mod schedule_clock;
mod schedule_loop;
mod schedule_wget;
mod simulate;
#[path = "../support/mod.rs"]
mod support;
mod told;
mod tree_links;
mod truth;
mod unattended;
mod wild;
