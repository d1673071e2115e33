//! Records to observations: the only bridge between `archive` and `capture`.

pub mod assemble;
pub mod index_line;
pub mod log;
mod pair;
mod payload;
pub mod plan;
mod read;
mod resolve;
mod spool;
mod unit;

pub use assemble::Digests;
pub use log::ProblemLog;
pub use plan::InputFile;
pub use read::{Options, Reading, read};
pub use spool::Spool;
