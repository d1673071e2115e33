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

pub mod error;
pub mod time;
pub mod digest;
pub mod problem;

pub mod byte_search;
pub mod url;
pub mod archive;
pub mod crawl;
pub mod html;
pub mod capture;
pub mod ingest;

pub mod change;
pub mod quality;
pub mod schedule;
pub mod simulate;

pub mod audit;
pub mod at;
pub mod report;
pub mod cli;

pub use error::{Error, ErrorKind, Result};
