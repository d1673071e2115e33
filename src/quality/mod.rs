//! Measures of quality, one file each, all pure functions of intervals, weights and rates.

pub(crate) mod span;
pub(crate) mod alike;
pub(crate) mod weight;
pub(crate) mod sweep;
pub(crate) mod sharpness;
pub(crate) mod inducible;
pub(crate) mod observable;
pub(crate) mod measurable;
pub(crate) mod query;
pub(crate) mod spread;
pub(crate) mod blur_stochastic;
pub(crate) mod blur_actual;
mod block_match;
pub(crate) mod change_importance;
pub(crate) mod completeness;
pub(crate) mod evenness;
mod excerpt;
mod image_choice;
mod strata;
pub(crate) mod importance;
pub(crate) mod link_completeness;
pub(crate) mod pagerank;
pub(crate) mod pattern;
pub(crate) mod weights;

pub(crate) use span::Span;
pub(crate) use weight::Weights;
