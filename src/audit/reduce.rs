//! The second half of an audit alone: figures from page records that were made elsewhere.
//!
//! Records of a site may come in any number of files, divided by page in any way. They are sorted by site and key first, so the figures
//! are the same bytes for any division.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use crate::audit::model::{CrawlSummary, Input, ProblemCount};
use crate::audit::page_record::PageRecord;
use crate::audit::params::{Parameters, Stated};
use crate::audit::problem_union::ProblemUnion;
use crate::audit::profile::Tally;
use crate::audit::records::Records;
use crate::audit::sites::{Captured, Census, OneSite, Part, Sites, Visit};
use crate::audit::visit::InWindow;
use crate::capture::bytes::{Reader, SharedNames};
use crate::capture::division::Crawl;
use crate::capture::field::Field;
use crate::capture::table::LeftOut;
use crate::error::{Error, Result};
use crate::ingest::sorter::Sorter;
use crate::problem::Problem;
use crate::time::Interval;

/// What a file of page records says of the captures that they were made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The name and the version of the records.
    pub schema: String,
    pub tool_version: String,
    /// What decides the records.
    pub parameters: Stated,
    /// The collection that the captures are a part of.
    pub part_of: Option<String>,
    /// The inputs as the user named them.
    pub typed: Vec<String>,
    /// Captures in what was asked for.
    pub observations: u64,
    /// URLs with such captures.
    pub urls: u64,
    pub left_out: LeftOut,
    /// Whether the bodies of the captures were read, and their digests recomputed.
    #[serde(default)]
    pub bodies_read: bool,
    pub crawls: Vec<CrawlSummary>,
    pub inputs: Vec<Input>,
    pub problems: Vec<Problem>,
    pub problem_counts: Vec<ProblemCount>,
}

impl Manifest {
    /// Adds what another file says; its records are of other pages.
    fn add(&mut self, other: Manifest) -> Result<()> {
        if other.parameters != self.parameters || other.part_of != self.part_of {
            return Err(Error::usage("its records were made with other options than those before it")
                .with_remedy("make all page records with the same options"));
        }
        self.observations += other.observations;
        self.urls += other.urls;
        self.left_out.add(other.left_out);
        self.bodies_read &= other.bodies_read;
        for (place, crawl) in other.crawls.into_iter().enumerate() {
            match self.crawls.get_mut(place) {
                Some(known) => known.add(crawl),
                None => self.crawls.push(crawl),
            }
        }
        self.typed.extend(other.typed);
        self.inputs.extend(other.inputs);
        Ok(())
    }
}

/// Page records that are gathered, file by file.
pub(crate) struct Reduction {
    manifest: Option<Manifest>,
    problems: ProblemUnion,
    sorter: Sorter,
    names: SharedNames,
    sites: BTreeMap<String, u64>,
    pages: u64,
    buffer: Vec<u8>,
    memory: usize,
}

impl Reduction {
    /// Sorts records with about `memory` bytes.
    pub(crate) fn new(memory: usize) -> Self {
        Reduction {
            manifest: None,
            problems: ProblemUnion::default(),
            sorter: Sorter::new(memory),
            names: SharedNames::default(),
            sites: BTreeMap::new(),
            pages: 0,
            buffer: Vec::new(),
            memory,
        }
    }

    /// Adds what a file says of its records.
    pub(crate) fn manifest(&mut self, mut manifest: Manifest) -> Result<()> {
        if manifest.schema != PageRecord::SCHEMA {
            return Err(Error::usage(format!("{} are not page records of this version", manifest.schema))
                .with_remedy("make them again with `acuity pages`"));
        }
        let (problems, counts) = (&mut manifest.problems, &mut manifest.problem_counts);
        self.problems.add(std::mem::take(problems), std::mem::take(counts));
        match &mut self.manifest {
            Some(known) => known.add(manifest),
            none => {
                *none = Some(manifest);
                Ok(())
            }
        }
    }

    pub(crate) fn add(&mut self, record: &PageRecord) -> io::Result<()> {
        if !record.is_sound() {
            let message = format!("the page record of {} contradicts itself", record.key);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        *self.sites.entry(record.site.to_string()).or_default() += 1;
        self.pages += u64::from(record.is_page);
        self.buffer.clear();
        record.encode(&mut self.buffer, &mut self.names);
        // No name of a site has a zero byte.
        let key = [record.site.as_bytes(), &[0], record.key.as_bytes()].concat();
        self.sorter.push(&key, &self.buffer)
    }

    /// The parameters that the records were made with.
    pub(crate) fn parameters(&self) -> Result<Parameters> {
        self.manifest.as_ref().ok_or_else(no_records)?.parameters.parameters()
    }

    /// The sites of all records. `weigh` gives the weights of the pages of a site; `judged_by` are the captures that links are
    /// judged by, where they are known.
    pub(crate) fn finish<'w>(
        self,
        judged_by: Option<Part<'w>>,
        weigh: &'w Weigh<'w>,
    ) -> Result<(Manifest, RecordSites<'w>)> {
        let mut manifest = self.manifest.ok_or_else(no_records)?;
        (manifest.problems, manifest.problem_counts) = self.problems.finish();
        let census = Census {
            crawls: manifest.crawls.iter().map(crawl).collect(),
            silence: None,
            tally: Tally::counted(manifest.observations, manifest.urls),
            pages: self.pages,
            left_out: manifest.left_out,
            sites: self.sites.len(),
        };
        let sorter = RefCell::new(Some(self.sorter));
        Ok((
            manifest,
            RecordSites { census, names: self.names, sorter, judged_by, weigh, memory: self.memory / 8 },
        ))
    }
}

fn no_records() -> Error {
    Error::usage("there are no page records")
}

fn crawl(out: &CrawlSummary) -> Crawl {
    Crawl {
        names: out.names.clone(),
        span: Interval { from: out.from, to: out.to },
        observations: out.observations as usize,
    }
}

/// Sites of which there are page records. They can be visited once.
pub(crate) struct RecordSites<'w> {
    census: Census,
    names: SharedNames,
    sorter: RefCell<Option<Sorter>>,
    judged_by: Option<Part<'w>>,
    weigh: &'w Weigh<'w>,
    memory: usize,
}

/// Gives the weights of the pages of a site; `None`: all weigh the same.
pub(crate) type Weigh<'w> = dyn Fn(&Records) -> io::Result<Option<Vec<f64>>> + 'w;

/// The site whose records are being gathered.
#[derive(Default)]
struct Gathered {
    name: String,
    key: Vec<u8>,
    inside: InWindow,
    number: u32,
}

impl RecordSites<'_> {
    fn give(&self, gathered: &mut Gathered, each: &mut Visit<'_, io::Error>) -> io::Result<()> {
        let next = Gathered { inside: InWindow::new(self.memory), ..Gathered::default() };
        let Gathered { name, mut inside, .. } = std::mem::replace(gathered, next);
        if name.is_empty() {
            return Ok(());
        }
        inside.weights = (self.weigh)(&inside.records)?;
        let (judged_by, records) = (self.judged_by, Some(&inside));
        each(&OneSite { name: &name, parts: &|_| Ok(()), judged_by, records, memory: self.memory })
    }
}

impl Sites for RecordSites<'_> {
    type Error = io::Error;

    fn census(&self) -> &Census {
        &self.census
    }

    fn captured(&self) -> io::Result<Captured> {
        Ok(Captured::default())
    }

    fn visit(&self, each: &mut Visit<'_, io::Error>) -> io::Result<()> {
        let Some(sorter) = self.sorter.borrow_mut().take() else { return Ok(()) };
        let mut gathered = Gathered { inside: InWindow::new(self.memory), ..Gathered::default() };
        sorter.finish(&mut |key, bytes| {
            let record = PageRecord::decode(&mut Reader { rest: bytes }, &self.names)
                .ok_or(io::ErrorKind::InvalidData)?;
            if gathered.key == key {
                let message = format!("two files have a page record of {}", record.key);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if *gathered.name != *record.site {
                self.give(&mut gathered, each)?;
                gathered.name = record.site.to_string();
            }
            gathered.key = key.to_vec();
            gathered.inside.add(record, &mut gathered.number)
        })?;
        self.give(&mut gathered, each)
    }
}
