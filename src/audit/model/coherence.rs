//! How many pages of a site were online together, and when, as reports state it.

use serde::{Deserialize, Serialize};

use super::{Range, Window};
use crate::change::run::PageState;
use crate::time::Instant;

/// How coherent the capture of a site is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coherence {
    /// Where most pages are proven to have been online together.
    pub best: Level,
    /// Where the greatest weight of pages is proven to have been online together.
    pub best_by_weight: Level,
    /// Where all pages are proven to have been online together; no intervals: nowhere.
    pub full: Level,
    /// Where most pages were online together if validators are believed too.
    pub claimed: Level,
    /// The pages that are not proven at the best moment; null where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<Outside>,
    /// What `--compare text` would find instead; null where it would find the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_text: Option<ByText>,
    /// Pages the same at all their captures, among those that could be judged.
    pub sharc: Sharc,
    /// By visiting twice.
    pub inducible: Inducible,
    /// By Last-Modified.
    pub observable: Observable,
    /// By Last-Modified, as of the start of the crawl.
    pub measurable: Measurable,
    /// Of what a reader gets for one date, averaged over all dates of the window.
    pub query: Query,
    /// Whether any page is proven to have been online for a time; if not, coherence cannot be proven.
    pub provable: bool,
    /// How many pages are expected not to have changed in the whole window, by their rates and captures.
    pub expected_unchanged: f64,
    /// The coverage over time, in at most 512 steps.
    pub curve: Vec<CurvePoint>,
}

/// How far the pages of a site are proven to have been online together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Together {
    /// All of them, at some time.
    All,
    /// Some, but not all.
    Part,
    /// Nothing is provable.
    Unproven,
}

impl Coherence {
    /// How far all pages are proven to have been online together.
    pub(crate) fn together(&self) -> Together {
        match () {
            () if !self.full.intervals.is_empty() => Together::All,
            () if self.provable => Together::Part,
            () => Together::Unproven,
        }
    }
}

/// Pages that are not proven to have been online at the best moment, by what is known of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// Unchanged at another time.
    pub unchanged: u64,
    pub changed: u64,
    /// How many of these changed only in their markup.
    pub changed_in_markup_only: u64,
    /// Captured once.
    pub single: u64,
    /// Cannot be compared.
    pub unknown: u64,
}

impl Outside {
    pub(crate) fn add(&mut self, state: PageState, markup_only: bool) {
        *match state {
            PageState::Sharp => &mut self.unchanged,
            PageState::Changed => &mut self.changed,
            PageState::Single => &mut self.single,
            PageState::Unknown => &mut self.unknown,
        } += 1;
        self.changed_in_markup_only += u64::from(markup_only && state == PageState::Changed);
    }
}

/// How consistent a site is where only visible text counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ByText {
    /// The most pages proven to have been online together.
    pub pages: u64,
    /// Their share.
    pub share: f64,
    /// The greatest share of weight proven to have been online together.
    pub weight_share: f64,
}

/// A level of coverage and all intervals where it is reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Level {
    pub pages: u64,
    /// The sum of their weights.
    pub weight: f64,
    /// The share of pages (in `best_by_weight`: of weight); null where none is proven, which does not say that none was online.
    pub share: Option<f64>,
    /// All intervals, in time order.
    pub intervals: Vec<Window>,
}

/// Coherence as SHARC counts it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sharc {
    /// Pages the same at all captures.
    pub pages: u64,
    /// Pages that could be judged.
    pub judged: u64,
    /// The share of the judged ones, by number.
    pub share: Option<f64>,
    /// The share of the judged ones, by weight.
    pub weight_share: Option<f64>,
}

/// Inducible coherence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Inducible {
    /// The share of judged pages that changed.
    pub error: Option<f64>,
    /// Whether it holds; null: not provable.
    pub holds: Option<bool>,
}

/// Observable coherence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Observable {
    /// Whether it holds; null: not provable.
    pub holds: Option<bool>,
    /// The most pages whose intervals share a point.
    pub pages: u64,
    /// Pages with an accepted Last-Modified.
    pub stamped: u64,
}

/// Measurable coherence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measurable {
    /// The share of pages modified after the start.
    pub error: Option<Range>,
}

/// Query coherence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// By number of pages.
    pub by_number: Option<Range>,
    pub by_weight: Option<Range>,
}

/// The coverage from an instant on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// When this coverage begins.
    pub at: Instant,
    /// Pages proven to stand.
    pub pages: u64,
    /// The share of their weight.
    pub share: f64,
}
