//! Simulation: what a schedule is worth on sites whose every change is known.

pub mod world;
pub mod predictor;
pub mod replay;

pub use world::{Subject, World};
