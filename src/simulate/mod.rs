//! Simulation: what a schedule is worth on sites whose every change is known.
//!
//! ```text
//! synthetic ─ sites whose law of change is known ── run, continuous ─┐
//! replay ──── sites whose changes were recorded ─── recorded ────────┼─ scores ─ model ─ rows
//! paper ───── the tables of the papers, beside ours ─────────────────┘
//! ```

pub(crate) mod world;
pub(crate) mod process;
pub(crate) mod synthetic;
pub(crate) mod score;
pub(crate) mod crawl;
pub(crate) mod spec;
pub(crate) mod run;
pub(crate) mod continuous;
pub(crate) mod clairvoyant;
pub(crate) mod replay;
pub(crate) mod model;
pub(crate) mod forecast;
pub(crate) mod recorded;
mod shuffled;
pub(crate) mod sweep;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
pub(crate) mod truth;
pub(crate) mod repositories;
pub(crate) mod paper;

#[cfg(test)]
mod tests;
