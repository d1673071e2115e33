//! Digests: labels as archives spell them, and hashing while reading.

mod agree;
mod hasher;
mod label;
mod sha1;

pub(crate) use agree::agree;
pub use hasher::Hasher;
pub use label::{Algorithm, BodyDigest, Digest};
