//! What differs between two captures of a site: every resource identical, changed, missing, never requested, added or unknown.

pub(crate) mod align;
mod changes;
pub(crate) mod compute;
mod history;
pub(crate) mod lander;
pub(crate) mod limit;
pub(crate) mod model;
mod originals;
mod reasons;
mod same;
pub(crate) mod sides;
pub(crate) mod sought;
pub(crate) mod state;
pub(crate) mod weights;
