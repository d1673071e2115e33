//! What is known of change: evidence between two captures, versions of a page, change rates.
#![allow(missing_docs, reason = "names that speak for themselves carry no comment")]

pub(crate) mod assumption;
pub(crate) mod role;
pub(crate) mod evidence;
pub(crate) mod not_modified;
pub(crate) mod run;
pub(crate) mod bare;
pub(crate) mod firm;
pub(crate) mod spelling;
pub(crate) mod other_content;
pub(crate) mod strict;
pub(crate) mod poisson;
pub(crate) mod special;
pub(crate) mod gamma;
pub(crate) mod calibration;
pub(crate) mod predictive;
pub(crate) mod rate;
pub(crate) mod history;
pub(crate) mod began;
pub(crate) mod at;
pub(crate) mod predict;

pub use evidence::{Compare, Grade, Judge};
pub(crate) use run::Versions;
