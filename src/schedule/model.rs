//! The result: what renderers print and exporters write. Nothing is computed from here on.
//!
//! JSON: `"schema": "acuity.schedule/1"`. Unknown values are `null`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::slots::Slots;
use super::subsite::GroupBy;
use crate::time::Instant;

pub(crate) const SCHEMA: &str = "acuity.schedule/1";

/// Schedules of all lanes, and the strategies compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// `acuity.schedule/1`.
    pub schema: String,
    /// One schedule for each lane, or for each subsite of a lane.
    pub sites: Vec<SiteSchedule>,
    /// What other strategies would reach, over all sites together; empty where nothing shows how often any page changes.
    pub strategies: Vec<Row>,
    /// Remarks needed to read it right.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The schedule of one lane or subsite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteSchedule {
    /// The lane: usually a host; empty where all pages came from one table.
    pub site: Arc<str>,
    /// The subsite, where pages of a group are kept together.
    pub group: Option<Arc<str>>,
    /// What makes the subsite one: a sitemap lists its pages, they lie in a folder, or the table of rates says so.
    #[serde(default)]
    pub group_by: Option<GroupBy>,
    /// The name of the strategy that ordered the pages.
    pub strategy: String,
    /// Δ: seconds between downloads.
    pub delay_seconds: f64,
    /// Where that pause comes from.
    pub delay_source: DelaySource,
    /// When the first page is fetched, if a date was given.
    pub start: Option<Instant>,
    /// The instant for which the capture is to be coherent: the middle of the crawl.
    pub reference: Option<Instant>,
    /// Seconds from the start of the whole crawl to the reference.
    pub reference_seconds: f64,
    /// Pages, and how many a page budget left out.
    pub pages: usize,
    /// Pages that a page budget left out.
    pub left_out: usize,
    /// Pages of whose own changes nothing is known: their rates are those of other pages.
    pub unknown_rates: usize,
    /// How many of these are linked but were never captured.
    pub never_captured: usize,
    /// Weight of the pages expected to stay sharp; null for a single visit, and where nothing shows how often any page changes.
    pub expected_coherence: Option<f64>,
    /// Weight of all pages.
    pub weight: f64,
    /// Mean number of changes between what is served and what was online; null if it is infinite.
    pub expected_blur: Option<f64>,
    /// Pages given up; null for a single visit.
    pub hopeless: Option<usize>,
    /// No schedule has an expected coherence above this; null for a single visit.
    pub upper_bound: Option<f64>,
    /// What is lost at most: (upper_bound − expected_coherence) / upper_bound.
    pub gap: Option<f64>,
    /// Why nothing can be expected though change rates are known, or why less may be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
    /// Seconds from the first download to the last.
    pub length_seconds: f64,
    /// All downloads, in the order of time.
    pub slots: Slots,
}

/// What captures say against the chances that follow from change rates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caveat {
    /// As a sentence.
    pub text: String,
    /// They refute the chances, or do not show them: then none is given.
    pub refuses: bool,
}

/// The caveats of lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caveats {
    pub by_lane: HashMap<Arc<str>, Caveat>,
    /// That of lanes without one of their own.
    pub of_others: Option<Caveat>,
}

impl Caveats {
    pub(crate) fn of(&self, lane: &Arc<str>) -> Option<&Caveat> {
        self.by_lane.get(lane).or(self.of_others.as_ref())
    }
}

/// Where Δ comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DelaySource {
    /// The user gave it.
    #[default]
    Given,
    /// The median pause of the last crawl.
    Captures,
    /// Not known: one second.
    Default,
}

/// Visit or revisit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The first download.
    Visit,
    /// The second, which proves that nothing changed.
    Revisit,
}

impl Kind {
    /// `visit` or `revisit`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Visit => "visit",
            Kind::Revisit => "revisit",
        }
    }
}

/// One download. The page in the middle, of interval 0, is fetched once: as a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The page.
    pub url: Arc<str>,
    /// Whether it is fetched for the first time.
    pub kind: Kind,
    /// The number of the slot in its lane, from 0.
    pub slot: u64,
    /// When, if a date was given.
    pub at: Option<Instant>,
    /// Seconds from the start of the whole crawl.
    pub seconds: f64,
    /// The host, fetched at its own pace.
    pub lane: Arc<str>,
    /// Seconds from visit to revisit; null for a single visit.
    pub interval_seconds: Option<f64>,
    /// The chance that the page does not change in between.
    pub survival: Option<f64>,
    /// Whether the page is likely enough to stay unchanged.
    pub hopeful: Option<bool>,
    /// How much the page counts.
    pub weight: f64,
    /// Its changes a day; null if it always changes, and where nothing shows how often any page changes.
    #[serde(default)]
    pub rate_per_day: Option<f64>,
}

/// One line of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    /// Weight of the pages expected to stay sharp.
    pub expected_coherence: Option<f64>,
    /// Mean number of changes between what is served and what was online; null if it is infinite.
    pub expected_blur: Option<f64>,
    /// Pages likelier to change between visit and revisit than not (or less likely than τ to stay), in every row alike.
    pub hopeless: Option<usize>,
    /// Pages that the strategy gives up by a rule of its own; null if it has none.
    #[serde(default)]
    pub given_up: Option<usize>,
    /// Seconds from the first download to the last.
    pub length_seconds: f64,
    /// What is lost against the upper bound (of coherence; of a single visit, against the least blur).
    pub gap: Option<f64>,
}

/// What is lost against an upper bound counts as nothing below this: it is less than the rounding error of the sums.
const ROUNDING: f64 = 1e-9;

/// Whether so little is lost against the upper bound that no order can do better.
pub(crate) fn is_best(gap: f64) -> bool {
    gap.abs() < ROUNDING
}

/// A host and one of its subsites as a report names them; an empty lane is a table of pages without hosts.
pub(crate) fn lane_name(lane: &str, group: Option<&str>) -> String {
    let lane = if lane.is_empty() { "all pages" } else { lane };
    group.map_or_else(|| lane.to_owned(), |group| format!("{lane} {group}"))
}

impl SiteSchedule {
    /// Its host and subsite.
    pub(crate) fn name(&self) -> String {
        lane_name(&self.site, self.group.as_deref())
    }

    /// The first fetches of pages that change too fast to be captured consistently, the least chance first.
    pub(crate) fn too_fast(&self) -> Vec<Cow<'_, Slot>> {
        let is_given_up = |slot: &Cow<'_, Slot>| slot.kind == Kind::Visit && slot.hopeful == Some(false);
        let mut pages: Vec<Cow<'_, Slot>> = self.slots.iter().filter(is_given_up).collect();
        pages.sort_by(|a, b| a.survival.unwrap_or(0.0).total_cmp(&b.survival.unwrap_or(0.0)));
        pages
    }

    /// Whether nothing shows how often any of its pages change: then only the order is given.
    pub(crate) fn lacks_rates(&self) -> bool {
        self.pages > 0
            && self.unknown_rates == self.pages
            && self.slots.iter().all(|slot| slot.rate_per_day.is_none())
    }

    /// Whether pages are fetched once only.
    pub(crate) fn is_single_visit(&self) -> bool {
        self.slots.iter().all(|slot| slot.interval_seconds.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_change_too_fast_come_by_their_chance() {
        let slot = |url: &str, kind, hopeful, survival| Slot {
            url: url.into(),
            kind,
            slot: 0,
            at: None,
            seconds: 0.0,
            lane: "a.example".into(),
            interval_seconds: None,
            survival,
            hopeful,
            weight: 1.0,
            rate_per_day: None,
        };
        let slots = vec![
            slot("half", Kind::Visit, Some(false), Some(0.5)),
            slot("stays", Kind::Visit, Some(true), Some(0.1)),
            slot("least", Kind::Visit, Some(false), Some(0.2)),
            slot("half", Kind::Revisit, Some(false), Some(0.5)),
            slot("unknown", Kind::Visit, None, None),
        ];
        let json = serde_json::json!({
            "site": "a.example", "group": "/b/", "strategy": "x", "delay_seconds": 1.0, "delay_source": "given", "start": null,
            "reference": null, "reference_seconds": 0.0, "pages": 4, "left_out": 0, "unknown_rates": 0, "never_captured": 0,
            "expected_coherence": null, "weight": 4.0, "expected_blur": null, "hopeless": 2, "upper_bound": null, "gap": null,
            "length_seconds": 1.0, "slots": slots
        });
        let site: SiteSchedule = serde_json::from_value(json).unwrap();
        let urls: Vec<String> = site.too_fast().iter().map(|slot| slot.url.to_string()).collect();
        assert_eq!(urls, ["least", "half"]);
        assert_eq!(site.name(), "a.example /b/");
        assert_eq!(lane_name("", None), "all pages");
        assert!(is_best(0.0) && is_best(1e-12) && !is_best(1e-6));
    }
}
