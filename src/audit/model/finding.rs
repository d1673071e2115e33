//! Findings a curator acts on, in the model.

use serde::{Deserialize, Serialize};

use crate::change::evidence::Grade;
use crate::change::run::is_per_request;
use crate::time::Instant;

/// Findings about one site in one window. Lists of examples are cut at 20; the numbers beside them are not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Pages that changed between two captures of one crawl, first changes first.
    pub changed_mid_crawl: Vec<ChangedPage>,
    /// How many pages changed between two captures of one crawl.
    pub changed_mid_crawl_pages: u64,
    /// Two passes of one crawl, where most pages were captured in both and no crawls were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<Passes>,
    /// The server's clock against the crawler's.
    pub clock_skew: ClockSkew,
    /// Last-Modified that the archive contradicts.
    pub contradicted_last_modified: Contradictions,
    /// Pages that differ within a minute, or at every one of more than ten captures: how often these change, no capture shows, so
    /// they are left out of blur and versions.
    #[serde(default)]
    pub made_anew: MadeAnew,
    /// Revisits whose original was not found.
    pub unresolved_revisits: u64,
    /// Captures that hold only a part of what the server sent.
    #[serde(default)]
    pub cut_captures: u64,
    /// How many of them no later capture of their URL makes good.
    #[serde(default)]
    pub cut_unrepeated: u64,
    /// Captures of which only an index tells: no record of theirs was read.
    #[serde(default)]
    pub index_captures: u64,
    /// Captures that repeat a body.
    pub duplicates: Duplicates,
    /// Captures by status and media type, most first.
    pub statuses: Vec<StatusCount>,
    /// Folders by their share of the blur, worst first, at most 50.
    pub folders: Vec<Folder>,
    /// The span of captures that would replay as one date.
    pub replay_span: Option<ReplaySpan>,
    /// The pages that hurt most, worst first.
    pub worst: Vec<WorstPage>,
    /// URLs whose last answer says "not found" by a sign other than its status, first URLs first.
    #[serde(default)]
    pub soft404: Vec<SoftPage>,
    /// Number of URLs that look like error pages.
    #[serde(default)]
    pub soft404_urls: u64,
    /// How many of them the papers' rule finds: their content equals the response for an address that does not exist.
    #[serde(default)]
    pub soft404_by_paper: u64,
    /// Verdicts that were made by bytes for want of a text, where texts are compared.
    pub compared_without_text: u64,
}

/// Two passes of one crawl over a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passes {
    /// When the second one begins.
    pub second_from: Instant,
    /// How many pages were captured at all.
    pub pages: u64,
    /// How many were captured in both.
    pub in_both: u64,
}

/// A page that changed, and between which captures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedPage {
    /// The page.
    pub url: String,
    /// The last capture of the version before the change.
    pub after: Instant,
    /// The end of the first capture of the version after the change.
    pub before: Instant,
    /// By what proof.
    pub grade: Grade,
}

/// The server's clock against the crawler's, in seconds; positive: the server is ahead.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockSkew {
    /// Captures whose answer has a date.
    pub dated: u64,
    /// How many of them are off by more than a minute.
    pub skewed: u64,
    pub median_seconds: Option<f64>,
    /// The one furthest off.
    pub worst_seconds: Option<f64>,
}

/// Contradicted Last-Modified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradictions {
    pub pages: u64,
    /// How many captures.
    pub observations: u64,
    /// A few of these captures.
    pub examples: Vec<Contradiction>,
}

/// One contradicted Last-Modified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// The page.
    pub url: String,
    /// The capture.
    pub time: Instant,
    /// What the server said.
    pub last_modified: Instant,
}

impl Findings {
    /// How many captures had another status than 200 and 304, by status, in the order of the list.
    pub(crate) fn other_responses(&self) -> Vec<(Option<u16>, u64)> {
        let mut odd: Vec<(Option<u16>, u64)> = Vec::new();
        for entry in self.statuses.iter().filter(|entry| !matches!(entry.status, Some(200 | 304))) {
            match odd.iter_mut().find(|(status, _)| *status == entry.status) {
                Some((_, captures)) => *captures += entry.captures,
                None => odd.push((entry.status, entry.captures)),
            }
        }
        odd
    }
}

/// Pages that differ at captures within a minute, and are probably generated for each request or by several servers; and those that
/// differ at every one of many captures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MadeAnew {
    pub pages: u64,
    /// The shortest time between two captures that differ, in seconds; null without such pages.
    pub shortest_seconds: Option<f64>,
    /// A few of these URLs.
    pub examples: Vec<String>,
}

impl MadeAnew {
    /// Whether some of them were probably generated for each request, or by several servers.
    pub(crate) fn is_per_request(&self) -> bool {
        self.shortest_seconds.is_some_and(is_per_request)
    }
}

/// Captures that repeat a body, over all URLs of the site.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Duplicates {
    /// Captures whose body is known.
    pub captures: u64,
    /// Distinct bodies among them.
    pub distinct: u64,
    /// Captures stored as revisits.
    pub revisits: u64,
    /// Bodies stored again although they were there already.
    pub stored_again: u64,
    /// The share of captures that repeat a body; null without bodies.
    pub ratio: Option<f64>,
}

/// How many captures have this status and media type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatusCount {
    pub status: Option<u16>,
    /// The media type.
    pub mime: Option<String>,
    pub captures: u64,
}

/// A folder of the site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Folder {
    /// The path up to its last slash.
    pub folder: String,
    pub pages: u64,
    /// Pages that were unchanged.
    pub sharp: u64,
    /// Pages that changed during the crawl.
    pub changed: u64,
    /// Seen once.
    pub single: u64,
    /// Not decided.
    pub unknown: u64,
    /// The expected actual blur of its pages.
    pub blur: f64,
    /// Its share of the blur of the site; null if the site has no blur.
    pub share: Option<f64>,
}

/// The captures that are closest to one date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplaySpan {
    /// The date asked for: the first best instant, else the end of the window.
    pub at: Instant,
    /// The earliest capture served.
    pub from: Instant,
    /// The latest capture served.
    pub to: Instant,
}

/// An answer that means "not found" without saying so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoftPage {
    pub url: String,
    /// The sign.
    pub reason: String,
    /// Which rule finds it; `None` in reports of earlier versions.
    #[serde(default)]
    pub rule: Option<SoftRule>,
}

/// Which rule finds an error page with status 200.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SoftRule {
    /// The papers': its content equals the response for an address that does not exist.
    Papers,
    /// Ours: its words, a short page at many unlike addresses, a redirect to the root.
    Own,
    /// The papers' rule and ours agree.
    Both,
}

/// A page that hurts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstPage {
    /// The page.
    pub url: String,
    /// Its expected actual blur.
    pub blur: f64,
    /// What it weighs: the worst page is the one with the greatest blur times weight.
    #[serde(default)]
    pub weight: Option<f64>,
    /// Why.
    pub reason: String,
}
