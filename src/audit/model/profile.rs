//! What was captured, in the model: by media type and status, by month, by host, with samples and seeds.

use serde::{Deserialize, Serialize};

use super::SiteSeeds;
use crate::time::Instant;

/// What was captured, as curators profile a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    pub captures: u64,
    /// How many of them are revisits: they repeat what another capture stores.
    pub revisits: u64,
    /// Bytes that the captures take in their archives, as far as they are known; null where no size is. So in the rows below.
    pub bytes: Option<u64>,
    /// Captures whose size is unknown.
    pub unmeasured: u64,
    /// By kind of media and class of status; pairs without captures are left out.
    pub types: Vec<TypeRow>,
    /// By month, in the order of time.
    pub months: Vec<MonthRow>,
    /// By year, in the order of time.
    pub years: Vec<MonthRow>,
    /// The hosts with most captures, at most 20.
    pub hosts: Vec<HostRow>,
    /// How many hosts the list leaves out.
    pub hosts_left_out: u64,
    /// Pages to open: chosen by a hash of their URLs, so that nobody's taste decides and each run gives the same.
    pub samples: Vec<SampleRow>,
    /// What became of the seeds; null where none are known.
    pub seeds: Option<Seeds>,
}

/// Captures of one kind of media with one class of status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeRow {
    /// `HTML`, `Image`, `CSS` and so on; `unknown` where no media type is recorded.
    pub media: String,
    /// `2xx`, `3xx`, `4xx`, `5xx`, or `other`.
    pub status: String,
    pub captures: u64,
    pub bytes: Option<u64>,
}

/// Captures of one month or year.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonthRow {
    /// As `2024-03`, or `2024`.
    pub month: String,
    pub captures: u64,
    pub bytes: Option<u64>,
}

/// Captures of one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRow {
    pub host: String,
    pub urls: u64,
    pub captures: u64,
    pub bytes: Option<u64>,
}

/// A page to open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRow {
    pub url: String,
    pub time: Instant,
}

/// What became of the seeds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeds {
    pub total: u64,
    /// Captured with a usable response.
    pub reached: u64,
    /// Answered by a redirect only.
    pub redirected: u64,
    /// Requested, without a usable response.
    pub failed: u64,
    /// No capture at all.
    pub not_captured: u64,
    /// One by one, those not reached first; at most 1,000.
    pub list: Vec<SeedRow>,
}

impl Seeds {
    /// How many were reached, those that were redirected among them.
    pub(crate) fn counted(&self) -> SiteSeeds {
        SiteSeeds { total: self.total, reached: self.reached + self.redirected }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedRow {
    pub url: String,
    pub outcome: SeedOutcome,
    /// The last status, where one is known.
    pub status: Option<u16>,
    /// Where it redirected to.
    pub location: Option<String>,
    /// The last capture that decides.
    pub time: Option<Instant>,
}

/// What became of a seed, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedOutcome {
    NotCaptured,
    Failed,
    Redirected,
    Reached,
}

impl SeedOutcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            SeedOutcome::NotCaptured => "no capture",
            SeedOutcome::Failed => "failed",
            SeedOutcome::Redirected => "redirected",
            SeedOutcome::Reached => "reached",
        }
    }
}
