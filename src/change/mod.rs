//! What is known of change: evidence between two looks, versions of a page, change rates.

pub mod evidence;
pub mod run;
pub mod poisson;
pub mod special;
pub mod gamma;
pub mod predictive;
pub mod rate;
pub mod history;
pub mod at;
pub mod predict;

pub use evidence::{Compare, Grade, Judge, Verdict};
pub use run::{PageState, Run, Versions};
