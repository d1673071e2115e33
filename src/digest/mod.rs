//! Digests: labels as archives spell them, and hashing while reading.

mod label;

pub use label::{Algorithm, BodyDigest, Digest};
