//! Puts a site together from several archives: which URLs, which of their captures, and the records copied byte for byte.
//!
//! ```text
//! reading ─ repositories ─ policy ─ choice ─ plan ─ copy ─ WARC, WACZ, manifest
//! ```

pub(crate) mod arc;
mod body;
pub(crate) mod choose;
pub(crate) mod coherent;
pub(crate) mod compute;
pub(crate) mod copy;
mod heads;
pub(crate) mod inventory;
pub(crate) mod manifest;
pub(crate) mod mend;
pub(crate) mod merge;
mod order;
pub(crate) mod partial;
mod proven;
pub(crate) mod repositories;
pub(crate) mod revisit;
mod seeds;
pub(crate) use crate::ingest::opened as source;
pub(crate) mod wacz;
pub(crate) mod warcinfo;
