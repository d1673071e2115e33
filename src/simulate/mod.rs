//! Simulation: what a schedule is worth on sites whose every change is known.
//!
//! ```text
//! synthetic ─ sites whose law of change is known ── run, continuous ─┐
//! replay ──── sites whose changes were recorded ─── recorded ────────┼─ scores ─ model ─ rows
//! paper ───── the tables of the papers, beside ours ─────────────────┘
//! ```

pub mod world;
pub mod process;
pub mod synthetic;
pub mod score;
pub mod crawl;
pub mod spec;
pub mod run;
pub mod continuous;
pub mod replay;
pub mod model;
pub mod recorded;
pub mod sweep;
pub mod paper;

pub use model::{Row, Simulation};
pub use world::{Subject, World};

#[cfg(test)]
mod tests;
