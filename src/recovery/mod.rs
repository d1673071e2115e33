//! How much of a lost site is back: difference vector, reconstruction diagram, policies of a repository crawler and the
//! requests they cost, similarity of texts, and the test that compares policies.
//!
//! Source: F. McCown, M. L. Nelson, *Evaluation of Crawling Policies for a Web-Repository Crawler*, HYPERTEXT 2006.

pub(crate) mod vector;
pub(crate) mod diagram;
pub(crate) mod policy;
pub(crate) mod shingles;
pub(crate) mod wilcoxon;
