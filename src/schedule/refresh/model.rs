//! The result of planning weeks: what renderers print. Nothing is computed from here on.
//!
//! JSON: `"schema": "acuity.plan/1"`.

use std::sync::Arc;

use serde::Serialize;

use crate::schedule::model::lane_name;
use crate::schedule::subsite::GroupBy;

pub(crate) const SCHEMA: &str = "acuity.plan/1";

/// What a plan is good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlanAim {
    /// Pages whose last capture is current.
    Freshness,
    /// Few versions between what is replayed and what was online.
    Blur,
    /// Many versions captured.
    Versions,
    /// Current pages, and pages proven to have been online together.
    Sessions,
}

impl PlanAim {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            PlanAim::Freshness => "freshness",
            PlanAim::Blur => "blur",
            PlanAim::Versions => "versions",
            PlanAim::Sessions => "sessions",
        }
    }

    /// On which side of a value its bound lies: less blur is better, and more of all else.
    pub(crate) fn bound_side(self) -> &'static str {
        if self == PlanAim::Blur { "at least" } else { "at most" }
    }
}

/// Which pages are fetched when.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WeeksPlan {
    pub schema: &'static str,
    pub aim: PlanAim,
    /// `whole`, `periods`, `random` or `sessions`.
    pub times: &'static str,
    pub days: f64,
    /// Downloads a day.
    pub budget: f64,
    /// What the plan comes to, in a sentence or two.
    pub summary: String,
    /// Value of the dates that are planned, averaged over them: summed over pages by weight (freshness: pages that are current).
    pub value: f64,
    /// No plan with as many downloads has a better value; null where that is not proven.
    pub bound: Option<f64>,
    /// What it would be worth in the long run: the steady state; versions a day.
    pub steady: Worth,
    /// Sessions only: pages that the dates keep current, and what no plan with as many downloads exceeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<Worth>,
    /// Weight of all pages that are counted.
    pub weight: f64,
    /// The steady state at this budget, and what other budgets buy.
    pub curve: Vec<Bought>,
    /// Downloads of every day of the horizon.
    pub load: Vec<u32>,
    /// Pages that change or were never captured, and are not fetched.
    pub dropped: usize,
    /// Subsites that are fetched as a visit–revisit pyramid again and again.
    pub sessions: Vec<PlannedSession>,
    pub pages: Vec<PlannedWeeks>,
    pub notes: Vec<String>,
}

impl WeeksPlan {
    /// The pages that are fetched, those first that are fetched most often.
    pub(crate) fn most_fetched(&self) -> Vec<&PlannedWeeks> {
        let mut pages: Vec<&PlannedWeeks> =
            self.pages.iter().filter(|page| !page.at_days.is_empty()).collect();
        pages.sort_by(|a, b| b.at_days.len().cmp(&a.at_days.len()).then_with(|| a.url.cmp(&b.url)));
        pages
    }

    /// Days between two downloads of a page: its own period, else that of its session.
    pub(crate) fn period_of(&self, page: &PlannedWeeks) -> Option<f64> {
        let session = || self.sessions.get(page.session? as usize)?.period_days;
        page.period_days.map(|days| days as f64).or_else(session)
    }
}

/// A value, and what none exceeds (of blur: what none is below).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Worth {
    pub value: f64,
    pub bound: Option<f64>,
}

/// What a budget buys in the steady state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Bought {
    /// Downloads a day.
    pub budget: f64,
    pub value: f64,
    /// No frequencies have a better value.
    pub bound: f64,
    /// What one more download a day is worth.
    pub price: f64,
    pub dropped: usize,
}

/// The downloads of one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlannedWeeks {
    pub url: Arc<str>,
    pub lane: Arc<str>,
    /// Changes a day; null if it always changes.
    pub rate_per_day: Option<f64>,
    pub weight: f64,
    /// Downloads a day in the long run, by this style.
    pub per_day: f64,
    /// Days between two downloads, where periods were asked for.
    pub period_days: Option<u64>,
    /// The session that it belongs to: a place in `sessions`.
    pub session: Option<u32>,
    /// Days from the start, ascending.
    pub at_days: Vec<f64>,
    /// Those of `at_days` that belong to no session, of a page that has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub between_days: Vec<f64>,
}

/// A coherent session of a subsite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlannedSession {
    pub lane: Arc<str>,
    /// The subsite: a sitemap, a folder, or a group of the table.
    pub group: Option<Arc<str>>,
    pub group_by: Option<GroupBy>,
    /// Mean days from one session to the next; `None`: it is held once.
    pub period_days: Option<f64>,
    /// When sessions begin, in days from the start.
    pub at_days: Vec<f64>,
    /// Seconds from the first download to the last.
    pub length_seconds: f64,
    /// Weight of the pages expected to be proven together by one session, and of all its pages.
    pub expected_coherence: f64,
    pub weight: f64,
    /// Pages from the middle of the pyramid outwards: places in `pages`.
    pub pages: Vec<u32>,
}

impl PlannedSession {
    /// Its host and subsite.
    pub(crate) fn name(&self) -> String {
        lane_name(&self.lane, self.group.as_deref())
    }
}
