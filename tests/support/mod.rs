//! What the tests of the reader share: archives written byte by byte, and the reader run over them.

// Every test binary uses a part of this.
#![allow(dead_code, unreachable_pub)]

pub mod bless;
pub mod data;
pub mod deflate;
pub mod demo;
pub mod digests;
pub mod pack;
pub mod program;
pub mod reading;
pub mod record;
pub mod schema;
pub mod zip;
