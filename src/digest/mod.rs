//! Digests: labels as archives spell them, and hashing while reading.

mod agree;
mod hasher;
mod hex;
mod label;
mod sha1;

pub(crate) use agree::agree;
pub use hasher::Hasher;
#[cfg(feature = "signatures")]
pub(crate) use hex::hex;
pub(crate) use hex::sha256;
pub use label::{Algorithm, BodyDigest, Digest};
