//! What can be done next, and what the last plan came to, in the model: a repair, and promises compared with what was
//! reached.

use serde::{Deserialize, Serialize};

use crate::time::Instant;

/// Pages to fetch again now, and what that is expected to bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repair {
    pub site: String,
    /// The first fetch: what was asked for, or one pause behind the last capture.
    pub start: Instant,
    /// The instant at which the pages are then proven together.
    pub instant: Instant,
    /// `exact` for an instant in the past, `heuristic` for one inside the repair.
    pub method: RepairMethod,
    pub pages: u64,
    /// Weight proven together now, at the best instant.
    pub before: f64,
    /// Expected weight proven together afterwards.
    pub expected: f64,
    /// Weight of all pages.
    pub weight: f64,
    /// How many of the fetches are of pages whose rate is only assumed: their chances may be far off.
    #[serde(default)]
    pub assumed: u64,
    /// In order; a page may come twice around a new instant.
    pub fetches: Vec<RepairFetch>,
    pub text: String,
}

/// How a repair was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RepairMethod {
    /// For an instant in the past: no other choice or order of as many fetches can expect more.
    Exact,
    /// For an instant inside the repair.
    Heuristic,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepairFetch {
    pub url: String,
    pub at: Instant,
    /// That the page is then proven.
    pub chance: f64,
}

/// A few pages captured again right after the next crawl.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Again {
    pub pages: u64,
    /// Weight expected to be online together without them, in the order that the report suggests.
    pub before: f64,
    /// Weight expected to be online together with these captures.
    pub expected: f64,
}

/// What a schedule promised, and what the crawl reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Promised {
    /// The file of the schedule.
    pub schedule: String,
    /// Pages of the schedule, and how many of them can be judged.
    pub pages: u64,
    pub judged: u64,
    /// Over the judged pages: weight expected to stay unchanged from visit to revisit, and its standard error, for pages that change
    /// independently of each other.
    pub expected: f64,
    pub standard_error: f64,
    /// Weight of the judged pages that stayed unchanged.
    pub reached: f64,
    /// Whether the two are within two standard errors; null where no page can be judged.
    pub agrees: Option<bool>,
    /// How much later than planned the crawl began; null if it did not, or the schedule has no dates.
    #[serde(default)]
    pub begun_late_seconds: Option<f64>,
    /// Pages captured later than planned, and the longest delay of one; without dates, counted from the first capture.
    #[serde(default)]
    pub late_pages: u64,
    #[serde(default)]
    pub latest_seconds: Option<f64>,
    pub text: String,
    /// In the order of the visits.
    pub page_list: Vec<PromisedPage>,
}

/// What was promised of one page, and reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromisedPage {
    pub url: String,
    pub weight: f64,
    /// The chance that it does not change from visit to revisit.
    pub chance: f64,
    /// Whether it did not; null where that cannot be judged.
    pub reached: Option<bool>,
    /// How much later than planned its visit or revisit was captured, whichever is more; null if neither was.
    #[serde(default)]
    pub late_seconds: Option<f64>,
    pub reason: String,
}
