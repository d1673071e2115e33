//! Acuity says how good a web archive is.
//!
//! It reads existing captures and answers three questions. *Consistent?* Were these pages ever online together, and when?
//! *Complete?* Were the linked pages, images and versions captured? *Trustworthy record?* Is anything damaged or
//! contradictory? Each answer has a band, a sentence and its evidence; what cannot be proven is unknown, never 0.
//!
//! ```
//! # fn main() -> acuity::Result<()> {
//! let archive = acuity::Archive::open(["fixtures/demo"])?;
//! let audit = archive.audit()?;
//! assert!(audit.answers.consistent.sentence.starts_with("20 of 25 pages"));
//! let plan = audit.schedule(1.0)?;
//! assert_eq!(plan.sites.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! [`Archive`] opens inputs and makes an index, an [`Audit`] or an answer about a date ([`At`]); [`Audit::schedule`] plans
//! the next crawl; [`model`] names what these results hold. `examples/` has whole programs. Everything else is private, but for the
//! command line in [`cli`].
//!
//! # One flow
//!
//! ```text
//! bytes → records → observations → pages and sites → change → quality → schedule → report
//! archive            ingest         capture           change   quality   schedule   report
//! ```
//!
//! Modules are listed in the order of the flow. A module uses only modules listed before it; `tests/it/layers.rs` guards that.

#![warn(unreachable_pub)]
// Nearly everything is private, and its documentation links to private parts for maintainers.
#![allow(rustdoc::private_intra_doc_links)]

mod error;
mod word_enum;
mod time;
mod format;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
mod digest;
mod problem;

mod byte_search;
mod url;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
mod archive;
#[cfg(feature = "signatures")]
mod signatures;
#[allow(missing_docs, reason = "reachable only through the hidden `internals`")]
mod crawl;
mod html;
mod capture;
#[cfg(feature = "parquet")]
mod columnar;
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
mod bundle;
mod drive;
mod facade;
pub mod cli;

#[cfg(any(test, fuzzing))]
mod fuzz_targets;
#[cfg(test)]
mod fuzz_tests;
#[doc(hidden)]
pub mod internals;

/// What the results hold, by name: answers and actions, sites and pages, and the schedule of a site.
pub mod model {
    pub use crate::at::model::{PageAt, SiteVerdict};
    pub use crate::audit::model::{
        Action, ActionKind, Answer, Answers, Band, Basis, FigureBases, FigureBasis, Missing, PageAudit,
        PageCounts, Reschedule, SiteAnswers, SiteAudit, SiteCompleteness,
    };
    pub use crate::schedule::model::{SiteSchedule, Slot};
}

pub use at::model::At;
pub use audit::Audit;
pub use error::{Error, ErrorKind, Result};
pub use facade::Archive;
pub use schedule::model::Schedule;
