//! What one record tells, on its way from the thread that read it to whoever puts a file together.

use std::sync::Arc;

use crate::capture::Observation;
use crate::content::page::Link;
use crate::problem::Problem;
use crate::time::Instant;

/// Whether digests are recomputed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Digests {
    /// Recompute and compare all of them, and compute `body`.
    #[default]
    Verify,
    /// Take the declared ones as they are; bodies are not read.
    Declared,
}

/// What one record tells, before the records around it are known.
#[derive(Debug)]
pub enum Item {
    /// An observation that needs no neighbours: a line of an index.
    Observed(Box<Observation>),
    /// A capture.
    Capture(Capture),
    /// A request, which tells a capture's method.
    Request(Companion<String>),
    /// A sitemap.
    Sitemap(SitemapFile),
    /// Links that a crawler found in a page, told in a metadata record.
    Outlinks {
        /// The page.
        url: String,
        /// Its links.
        links: Vec<Link>,
    },
    /// A metadata record that tells how many milliseconds a fetch took.
    Duration(Companion<i64>),
    /// A warcinfo record.
    Info {
        /// Its record id.
        id: Option<String>,
        /// The software that wrote the file.
        software: Option<Arc<str>>,
        /// The collection it says it is part of.
        part_of: Option<Arc<str>>,
    },
}

/// A sitemap found in an archive.
#[derive(Debug, Clone)]
pub struct SitemapFile {
    /// Its URL.
    pub url: String,
    /// When it was captured.
    pub time: Instant,
    /// Its bytes, codings off.
    pub body: Vec<u8>,
}

/// A capture, with what is needed to find the records that belong to it.
#[derive(Debug)]
pub struct Capture {
    /// The observation.
    pub observation: Box<Observation>,
    /// `WARC-Concurrent-To`.
    pub concurrent_to: Vec<String>,
    /// `WARC-Warcinfo-ID`.
    pub warcinfo_id: Option<String>,
}

/// A record that tells something about a capture.
#[derive(Debug)]
pub struct Companion<T> {
    /// Its record id.
    pub id: Option<String>,
    /// The records it belongs to: `WARC-Concurrent-To` and `WARC-Refers-To`.
    pub belongs_to: Vec<String>,
    /// Its target.
    pub url: Option<String>,
    /// What it tells.
    pub value: T,
}

/// Items and problems on their way to whoever puts them together.
#[derive(Debug, Default)]
pub struct Batch {
    /// What was found, in the order of the records.
    pub items: Vec<Item>,
    /// What was wrong.
    pub problems: Vec<Problem>,
}
