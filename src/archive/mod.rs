//! Bytes to records: every archive format, whatever the wild does to it. Nothing here knows pages or metrics.

pub mod arc;
pub mod blob;
pub mod cdx;
pub mod chunked;
pub mod coding;
pub mod few;
pub mod fields;
pub mod gzip;
pub mod http;
pub mod members;
pub mod record;
mod record_start;
pub mod skim;
pub mod sniff;
pub mod source;
pub mod temporary;
pub mod wacz;
pub mod walk;
pub mod window;
pub mod zip;
pub mod zst;
