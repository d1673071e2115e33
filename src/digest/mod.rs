//! Digests: labels as archives spell them, and hashing while reading.

mod hasher;
mod label;
mod sha1;

pub use hasher::Hasher;
pub use label::{Algorithm, BodyDigest, Digest};
