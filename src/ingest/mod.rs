//! Records to observations: the only bridge between `archive` and `capture`.

mod answer;
pub mod assemble;
pub mod codec;
pub mod fetch;
pub mod index_line;
pub mod items;
pub mod log;
mod observe;
pub mod pair;
pub mod payload;
pub mod plan;
pub mod read;
pub mod recheck;
pub mod resolve;
pub mod scan;
pub mod seen;
pub mod spool;
pub mod unit;

pub use assemble::Digests;
pub use fetch::{Body, Fetcher, NoBody, Sought};
pub use log::ProblemLog;
pub use plan::InputFile;
pub use read::{Options, Reading, SitemapFile, read};
pub use scan::Wanted;
pub use spool::Spool;
