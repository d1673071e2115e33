//! The result of an audit, versioned: [`SCHEMA`]. Every report, on the terminal, as JSON, CSV or HTML, is rendered from it
//! and computes nothing of its own. `docs/report-schema.json` describes it; a test holds the two together.
//!
//! Unknown is `null`. Times are UTC. Rates are per day. Weights sum to the number of pages, so that without given weights
//! every page weighs 1.

mod answers_and_actions;
mod basis;
mod change;
mod coherence;
mod comparison;
mod finding;
mod next;
mod page;
mod profile;
mod review;
mod first_and_last;
mod site;
mod story;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};

pub use answers_and_actions::{Action, ActionKind, Answer, Answers, Band, SiteAnswers};
pub(crate) use answers_and_actions::{BandCounts, Question};
pub use basis::{Basis, FigureBases, FigureBasis};
pub(crate) use change::{CHANGE_SCHEMA, PageChanges, RunChange};
pub(crate) use coherence::{
    ByText, Coherence, CurvePoint, Inducible, Level, Measurable, Observable, Outside, Query, Sharc, Together,
};
pub(crate) use comparison::{
    ActionOutcome, ActionState, AnswerChange, Comparison, Direction, Listed, Said, SiteChange,
};
pub(crate) use finding::{
    ChangedPage, ClockSkew, Contradiction, Contradictions, Duplicates, Findings, Folder, MadeAnew, Passes,
    ReplaySpan, SoftPage, SoftRule, StatusCount, WorstPage,
};
pub(crate) use first_and_last::{CaptureContent, Content, FirstAndLast};
pub(crate) use next::{Again, Promised, PromisedPage, Repair, RepairFetch, RepairMethod};
pub use page::PageAudit;
pub(crate) use page::{ActualBlur, ChangeImportance, PageBlur, PageCompleteness, PageRate};
pub(crate) use profile::{HostRow, MonthRow, Profile, SampleRow, SeedOutcome, SeedRow, Seeds, TypeRow};
pub(crate) use review::{RatingCount, Review, ReviewSummary};
pub(crate) use site::{
    Blur, CaptureTimes, ClassPattern, CrawlSummary, Excluded, LinkCompleteness, PageTotals, PlannedPage,
    PriorOut, RateCheck, Rates, SiteActual, SiteSeeds, Stochastic, VersionCompleteness,
};
pub use site::{Missing, PageCounts, Reschedule, SiteAudit, SiteCompleteness};
pub(crate) use story::{Compared, GapOut, Story, StoryCapture, StoryRun};

use crate::audit::params::Stated;
use crate::capture::table::LeftOut;
use crate::ingest::plan::InputFormat;
use crate::problem::{self, Problem};

/// The name and version of this model.
pub(crate) const SCHEMA: &str = "acuity.audit/1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    pub schema: String,
    pub tool_version: String,
    /// The collection that this is the audit of a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// What was read.
    pub inputs: Vec<Input>,
    /// What decides the result.
    pub parameters: Stated,
    /// The whole archive in a few numbers.
    pub summary: Summary,
    /// One entry per site, or per site and pair of consecutive crawls.
    pub sites: Vec<SiteAudit>,
    /// Consistent? Complete? Trustworthy record?
    #[serde(default)]
    pub answers: Answers,
    /// What to do first, most urgent first.
    #[serde(default)]
    pub actions: Vec<Action>,
    /// Why there is nothing to do, where there are no actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_action: Option<String>,
    /// What the schedule of this crawl promised, and what was reached, where a schedule was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promised: Option<Promised>,
    /// What was captured: by media type and status, month and host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// What this audit shows beside an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// What people said of its pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewSummary>,
    /// Where pages can be replayed: a URL with `{timestamp}` and `{url}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// What the verdicts assume: all that some page of this audit rests on, and nothing else.
    pub assumptions: Vec<String>,
    /// Findings about the data: the first ones. [`Summary::problems`] counts all.
    pub problems: Vec<Problem>,
}

impl Audit {
    /// What is said where there are no actions; reports did not always hold it.
    pub(crate) fn why_no_action(&self) -> &str {
        self.no_action.as_deref().unwrap_or("Nothing that helps is known from this archive.")
    }

    /// What each of its entries is, as a noun.
    pub(crate) fn noun(&self) -> &'static str {
        noun(&self.sites)
    }
}

/// What each entry of an audit is: a site, or where some were crawled several times, a pair of crawls of one.
pub(crate) fn noun(sites: &[SiteAudit]) -> &'static str {
    let names: BTreeSet<&str> = sites.iter().map(|site| site.site.as_str()).collect();
    if names.len() == sites.len() { "site" } else { "pair of crawls" }
}

/// One input file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The path, as the user named it.
    pub path: String,
    /// What it is; unknown also where a report of another version names a format that this one does not.
    #[serde(default, deserialize_with = "known_format")]
    pub format: Option<InputFormat>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// How many observations came from it.
    pub observations: Option<u64>,
    /// BLAKE3 of the file, where it was computed.
    #[serde(default)]
    pub blake3: Option<String>,
    /// Captures whose bodies cannot be read again: the archive they are in is not at its path, or is another file than it was.
    #[serde(default)]
    pub unreadable_bodies: Option<u64>,
    /// Of a table that says so: whether digests were recomputed from the stored bytes when it was made.
    #[serde(default)]
    pub digests_verified: Option<bool>,
}

fn known_format<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<InputFormat>, D::Error> {
    let word = Option::<Cow<'de, str>>::deserialize(reader)?;
    Ok(InputFormat::ALL.iter().copied().find(|format| Some(format.word()) == word.as_deref()))
}

/// The whole archive in a few numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Observations in the table.
    pub observations: u64,
    /// Distinct URLs, by key.
    pub urls: u64,
    /// URLs that are pages.
    pub pages: u64,
    pub sites: u64,
    /// Files that hold these captures.
    #[serde(default)]
    pub files: u64,
    /// Files that are indexes of others.
    #[serde(default)]
    pub indexes: u64,
    /// The answer in a sentence or two.
    pub verdict: String,
    /// First and last observation.
    pub window: Option<Window>,
    /// What did not enter the table.
    pub left_out: LeftOut,
    /// All crawls, where observations were divided.
    pub crawls: Vec<CrawlSummary>,
    /// How complete the versions are: the mean over sites.
    #[serde(default)]
    pub completeness: Option<VersionCompleteness>,
    /// How many findings about the data there are, gravest first.
    pub problems: Vec<ProblemCount>,
}

/// How many findings of one kind there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemCount {
    /// How much they matter.
    pub level: problem::Level,
    pub kind: String,
    pub count: u64,
}

/// A closed interval of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First instant.
    pub from: crate::time::Instant,
    /// Last instant.
    pub to: crate::time::Instant,
}

impl From<crate::time::Interval> for Window {
    fn from(interval: crate::time::Interval) -> Self {
        Window { from: interval.from, to: interval.to }
    }
}

/// A range of a value that is not known exactly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}
