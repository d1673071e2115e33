//! The result of planning weeks: what renderers print. Nothing is computed from here on.
//!
//! JSON: `"schema": "acuity.plan/1"`.

use std::sync::Arc;

use serde::Serialize;

pub(crate) const SCHEMA: &str = "acuity.plan/1";

/// Which pages are fetched when.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WeeksPlan {
    pub schema: &'static str,
    /// `freshness`, `blur` or `versions`.
    pub aim: &'static str,
    /// `whole`, `periods` or `random`.
    pub times: &'static str,
    pub days: f64,
    /// Downloads a day.
    pub budget: f64,
    /// Value of the downloads that are planned: summed over pages by weight (freshness: pages that are current on average).
    pub value: f64,
    /// Weight of all pages.
    pub weight: f64,
    /// The steady state at this budget, and what other budgets buy.
    pub curve: Vec<Bought>,
    /// Downloads of every day of the horizon.
    pub load: Vec<u32>,
    /// Pages that change and are never fetched.
    pub dropped: usize,
    pub pages: Vec<PlannedWeeks>,
    pub notes: Vec<String>,
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
    /// Downloads a day in the steady state.
    pub per_day: f64,
    /// Every so many days, where periods were asked for.
    pub period_days: Option<u64>,
    /// Days from the start, ascending.
    pub at_days: Vec<f64>,
}
