//! Bytes to records: every archive format, however damaged. Nothing here knows about pages or metrics.

pub(crate) mod arc;
pub(crate) mod blob;
pub(crate) mod cdx;
pub(crate) mod chunked;
pub(crate) mod coding;
pub(crate) mod collection;
#[cfg(test)]
pub(crate) mod faults;
pub(crate) mod fields;
pub(crate) mod file_hashes;
pub(crate) mod gzip;
pub(crate) mod http;
pub(crate) mod members;
pub(crate) mod record;
pub(crate) mod remote;
mod record_start;
pub(crate) mod skim;
pub(crate) mod sniff;
pub(crate) mod source;
pub(crate) mod temporary;
pub(crate) mod wacz;
pub(crate) mod walk;
pub(crate) mod window;
pub(crate) mod zip;
pub(crate) mod zip_writer;
pub(crate) mod zst;
