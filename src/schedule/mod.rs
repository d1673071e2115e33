//! Schedules: in which order, and when, the next crawl should fetch the pages.
//!
//! A crawl must be polite: one download every Δ seconds. So a site of n pages is never captured in an instant, and the
//! order decides how much of the capture can later be *proven* to belong to one instant. A **visit–revisit** schedule
//! fetches every page twice, all visits before all revisits; a page that did not change in between was online, unchanged, at
//! the middle of the crawl, together with every other such page. A **single-visit** schedule can only be less or more
//! *blurred*.
//!
//! ```text
//! pages (rate λ, weight w) ─ Site ─ Strategy ─ Plan ─ expected coherence and blur ─ Schedule ─ crawler lists
//!                            site   one file a   plan   expected                     model      export
//!                                   strategy
//! ```
//!
//! [`strategy`] finds a strategy by name; `docs/schedulers.md` lists them and says how to add one.

pub(crate) mod site;
pub(crate) mod plan;
pub(crate) mod links;
pub(crate) mod frontier;
pub(crate) mod order;
pub(crate) mod expected;
pub(crate) mod parallel;

pub(crate) mod baseline;
pub(crate) mod sharc;
pub(crate) mod solar;
pub(crate) mod threshold;
pub(crate) mod pattern;
pub(crate) mod optimal;
pub(crate) mod worst_case;

pub(crate) mod registry;
pub(crate) mod subsite;
pub(crate) mod page;
pub(crate) mod delay;
pub(crate) mod last_crawl;
pub(crate) mod model;
pub(crate) mod slots;
pub(crate) mod compare;
pub(crate) mod parts;
mod rows;
pub(crate) mod build;
pub(crate) mod refresh;
pub(crate) mod drive;
mod drive_log;
pub(crate) mod export;

#[cfg(test)]
mod tests;

pub(crate) use model::Schedule;
pub(crate) use plan::{Plan, Strategy};
pub use registry::{Settings, strategy};
pub use site::Site;
