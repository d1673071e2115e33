//! Measures of quality, one file each, all pure functions of intervals, weights and rates.

pub mod span;
pub mod weight;
pub mod sweep;
pub mod sharpness;
pub mod inducible;
pub mod observable;
pub mod measurable;
pub mod query;
pub mod blur_stochastic;
pub mod blur_actual;
mod block_match;
pub mod change_importance;
pub mod completeness;
pub mod importance;
pub mod link_completeness;
pub mod pagerank;
pub mod pattern;
pub mod weights;

pub use span::Span;
pub use weight::Weights;
