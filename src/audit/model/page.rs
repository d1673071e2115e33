//! What an audit states of one page: state, proof, rate, blur, completeness, importance.

use serde::{Deserialize, Serialize};

use super::{FirstAndLast, Review, Story, Window};
use crate::change::assumption::Assumption;
use crate::change::evidence::Grade;
use crate::change::rate::Source;
use crate::change::run::{Outer, PER_REQUEST, PageState};
use crate::quality::pattern::{Behaviour, PatternSummary};
use crate::schedule::page::Found;

/// One page in one window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageAudit {
    /// The first captured spelling.
    pub url: String,
    /// All captured spellings, at most 20, in the order of capture.
    pub urls: Vec<String>,
    /// The canonical key.
    pub key: String,
    /// What is known.
    pub state: PageState,
    /// Why, in words.
    pub reason: String,
    /// Captures in the window, failed ones included.
    pub observations: u64,
    /// Captures that failed.
    pub failed: u64,
    /// The first capture in the window, failed ones included.
    pub first_look: crate::time::Instant,
    pub last_look: crate::time::Instant,
    /// The first and the last capture that show it, and what they showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<FirstAndLast>,
    /// Distinct versions seen for certain.
    pub versions: u64,
    /// When some version is proven to have been online.
    pub proven: Vec<Window>,
    /// When some version is claimed to have been online by validators.
    pub claimed: Vec<Window>,
    /// For every run of equal captures, the open bounds of its version's lifetime; null is without bound.
    pub outer: Vec<Outer>,
    /// The weakest grade that the state rests on.
    pub grade: Option<Grade>,
    /// What is said of it assumes.
    #[serde(default)]
    pub assumptions: Vec<Assumption>,
    /// Every change of it known is one of the markup alone: its visible text stayed the same.
    #[serde(default)]
    pub markup_only: bool,
    /// Where it differs within a minute, and is probably generated for each request or by several servers, or at every one of
    /// many captures: how many seconds apart captures were that differ, at least. Its captures do not show how often it
    /// changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_anew_seconds: Option<f64>,
    /// Why it looks like an error page despite status 200, where it does: then it is not called sharp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_page: Option<String>,
    /// The change rate.
    pub rate: PageRate,
    /// Why that rate is unknown, where it is: it then only serves to order pages, and no report shows what rests on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_unknown: Option<String>,
    /// The blur; null where all captures failed.
    pub blur: Option<PageBlur>,
    /// The chance that the page did not change in the whole window, given its captures.
    pub chance_unchanged: f64,
    /// The weight; weights sum to the number of pages.
    pub weight: f64,
    /// Whether a version is proven at the first best instant; null where no instant is.
    pub in_best: Option<bool>,
    /// The importance, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// The completeness of versions, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness: Option<PageCompleteness>,
    /// The changes between consecutive versions and the importance of each; null, with the reason, where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_importance: Option<Vec<ChangeImportance>>,
    /// How it behaves: the class of [`SiteAudit::patterns`](super::SiteAudit::patterns) that it belongs to; absent without
    /// captures that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<Behaviour>,
    /// The sitemap that lists it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitemap: Option<String>,
    /// When a crawl that follows links finds it, breadth first and depth first; absent where links are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
    /// When it changes in a way that matters, where captures are enough to tell or its story was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternSummary>,
    /// What somebody said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// Its whole story, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}

impl PageAudit {
    /// Whether it is generated for each request, or comes from several servers, as far as captures show: two captures of it differ
    /// however close together they lie.
    pub(crate) fn is_generated(&self) -> bool {
        self.made_anew_seconds.is_some_and(|seconds| seconds <= PER_REQUEST)
    }

    /// Its changes a day, where they are known.
    pub(crate) fn known_rate(&self) -> Option<f64> {
        self.rate_unknown.is_none().then_some(self.rate.per_day)
    }

    /// Its blur, where it is exact or its rate is known.
    pub(crate) fn known_blur(&self) -> Option<ActualBlur> {
        let blur = self.blur.map(|blur| blur.actual);
        blur.filter(|blur| blur.exact || self.rate_unknown.is_none())
    }

    /// The completeness of its versions, where it is exact or its rate is known.
    pub(crate) fn known_completeness(&self) -> Option<PageCompleteness> {
        self.completeness.filter(|found| found.exact || self.rate_unknown.is_none())
    }

    /// The page without what no plan of a crawl is made from.
    pub(crate) fn for_plans(&self) -> Self {
        PageAudit {
            url: self.url.clone(),
            urls: self.urls.clone(),
            key: self.key.clone(),
            reason: String::new(),
            proven: self.proven.clone(),
            claimed: Vec::new(),
            outer: self.outer.clone(),
            assumptions: Vec::new(),
            error_page: self.error_page.clone(),
            rate_unknown: None,
            change_importance: None,
            sitemap: self.sitemap.clone(),
            pattern: self.pattern.clone(),
            review: None,
            story: None,
            ..*self
        }
    }
}

/// A change rate with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageRate {
    /// Changes a day.
    pub per_day: f64,
    /// The 2.5% quantile.
    pub low: f64,
    /// The 97.5% quantile.
    pub high: f64,
    /// Where it comes from.
    pub source: Source,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageBlur {
    /// Expected from the rate alone.
    pub stochastic: f64,
    /// From what is known of the changes.
    pub actual: ActualBlur,
}

/// Bounds of the actual blur.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ActualBlur {
    /// At least.
    pub low: f64,
    pub expected: f64,
    /// At most, with one change in every gap; null where more are expected.
    pub high: Option<f64>,
    /// The part of `expected` before the first and after the last capture, by the rate alone.
    pub unseen: f64,
    /// Computed from an exact history: low, expected and high are equal.
    pub exact: bool,
}

/// The completeness of the versions of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PageCompleteness {
    /// The share of the weight of versions that was captured; null where no change was one that a reader sees.
    pub share: Option<f64>,
    /// The lower end of its 95% interval.
    pub low: Option<f64>,
    /// The upper end of its 95% interval.
    pub high: Option<f64>,
    /// The weight captured.
    pub captured: f64,
    /// The weight expected to be missed.
    pub expected_missed: f64,
    /// Counted from an exact history.
    pub exact: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeImportance {
    /// The last capture of the version before the change.
    pub from: crate::time::Instant,
    /// The first capture of the version after the change.
    pub to: crate::time::Instant,
    /// Between 0, nothing that a reader sees, and 1; null where it is unknown.
    pub importance: Option<f64>,
    /// Why it is unknown.
    pub reason: Option<String>,
}
