//! Simulation: what a schedule is worth on sites whose every change is known.
//!
//! ```text
//! synthetic ─ a site whose law of change is known ─┐
//! replay ──── a site whose changes were recorded ──┴─ run ─ strategies, plans, scores ─ model ─ rows
//! paper ───── the tables of the papers, beside ours ─────────────────────────────────────┘
//! ```

pub mod world;
pub mod predictor;
pub mod replay;
pub mod process;
pub mod synthetic;
pub mod score;
pub mod crawl;
pub mod spec;
pub mod run;
pub mod continuous;
pub mod model;
pub mod sweep;
pub mod paper;

pub use model::{Row, Simulation};
pub use world::{Subject, World};

#[cfg(test)]
mod tests;
