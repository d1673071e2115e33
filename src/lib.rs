//! Acuity tells how good a web archive is.
//!
//! It reads existing captures, says for every page whether it is *sharp* (unchanged between two
//! looks), for every site at which instants the capture is *coherent*, how *blurred* it is, how
//! *complete* it is, and in which order the next crawl should fetch the pages.
//!
//! # One flow
//!
//! ```text
//! bytes → records → observations → pages and sites → change → quality → schedule → report
//! archive            ingest         capture           change   quality   schedule   report
//! ```
//!
//! The modules below stand in the order of the flow. A module uses only modules listed before it;
//! `tests/layers.rs` guards that.

#![warn(unreachable_pub)]

mod error;
mod time;
mod format;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
mod digest;
mod problem;

mod byte_search;
mod url;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
mod archive;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
mod crawl;
mod html;
mod capture;
mod ingest;

mod change;
mod quality;
mod recovery;
mod schedule;
mod simulate;

mod audit;
mod at;
mod diff;
mod rebuild;
mod report;
pub mod cli;

#[cfg(test)]
mod fuzz_tests;
#[doc(hidden)]
pub mod internals;

pub use error::{Error, ErrorKind, Result};
