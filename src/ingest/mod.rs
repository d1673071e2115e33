//! Records to observations: the only bridge between `archive` and `capture`.

pub mod assemble;
pub mod codec;
pub mod fetch;
pub mod index_line;
pub mod message;
pub mod log;
mod observe;
pub mod page_cache;
pub mod pair;
pub mod payload;
pub mod plan;
pub mod read;
pub mod revisit;
pub mod scan;
pub mod spool;
pub mod unit;

pub use assemble::Digests;
pub use fetch::{Body, Fetcher, NoBody, Sought};
pub use log::ProblemLog;
pub use plan::InputFile;
pub use read::{Options, Reading, SitemapFile, read};
pub use scan::Wanted;
pub use spool::Spool;
