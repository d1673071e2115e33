//! Schedules: in which order, and when, the next crawl should fetch the pages.
//!
//! A crawl must be polite: one download every Δ seconds. So a site of n pages is never captured in an instant, and the
//! order decides how much of the capture can later be *proven* to stem from one instant. A **visit–revisit** schedule
//! fetches every page twice, all visits before all revisits; a page that did not change in between stood unchanged at
//! the middle of the crawl, and so did every other such page. A **single-visit** schedule can only be less or more
//! *blurred*.
//!
//! ```text
//! pages (rate λ, weight w) ─ Site ─ Strategy ─ Plan ─ expected coherence and blur ─ Schedule ─ crawler lists
//!                            site   one file a   plan   expected                     model      export
//!                                   strategy
//! ```
//!
//! [`strategy`] finds a strategy by name; `docs/schedulers.md` lists them and says how to add one.

pub mod site;
pub mod plan;
pub mod links;
pub mod frontier;
pub mod order;
pub mod expected;
pub mod parallel;

pub mod baseline;
pub mod sharc;
pub mod solar;
pub mod threshold;
pub mod pattern;
pub mod optimal;

pub mod registry;
pub mod subsite;
pub mod page;
pub mod delay;
pub mod last;
pub mod model;
pub mod compare;
pub mod build;
pub mod export;

#[cfg(test)]
mod tests;

pub use model::Schedule;
pub use page::Page;
pub use plan::{Plan, Revisits, Strategy};
pub use registry::{Settings, strategy};
pub use site::Site;
