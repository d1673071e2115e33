//! Records to observations: the only bridge between `archive` and `capture`.

pub(crate) mod assemble;
pub(crate) mod block;
pub(crate) mod codec;
mod contradiction;
pub(crate) mod fetch;
pub(crate) mod index_line;
mod late;
pub(crate) mod message;
pub(crate) mod opened;
pub(crate) mod overflow;
pub(crate) mod log;
mod observe;
pub(crate) mod page_cache;
pub(crate) mod pair;
pub(crate) mod payload;
pub(crate) mod plan;
pub mod read;
pub(crate) mod revisit;
pub(crate) mod scan;
pub(crate) mod shared_texts;
pub(crate) mod shelf;
pub(crate) mod sorter;
pub(crate) mod spool;
mod strays;
mod thread;
pub(crate) mod unit;
mod unlinked;

pub use assemble::Digests;
pub(crate) use contradiction::report_contradictions;
pub(crate) use fetch::Body;
pub use fetch::{Fetcher, Sought};
pub use log::ProblemLog;
pub(crate) use plan::InputFile;
pub use read::{Options, read};
pub(crate) use read::{Reading, SitemapFile};
pub use scan::Wanted;
