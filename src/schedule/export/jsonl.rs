//! The neutral form: one JSON object per download, in the order of time. All other forms are subsets of it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use super::super::model::{Kind, Schedule, Slot};
use super::File;
use crate::error::{Error, Result};
use crate::time::Instant;

/// The fields of a line; `seconds` (from the start of the crawl) stands in for `at` where no date was given.
#[derive(Serialize)]
struct Line<'a> {
    url: &'a Arc<str>,
    kind: Kind,
    slot: u64,
    at: Option<Instant>,
    seconds: f64,
    lane: &'a Arc<str>,
    interval_seconds: Option<f64>,
    survival: Option<f64>,
    hopeful: Option<bool>,
    weight: f64,
}

pub(super) fn file(schedule: &Schedule) -> Result<File> {
    let mut slots: Vec<Cow<'_, Slot>> = schedule.sites.iter().flat_map(|site| &site.slots).collect();
    slots.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let mut content = String::new();
    for slot in slots {
        let Slot { url, kind, slot, at, seconds, lane, interval_seconds, survival, hopeful, weight, .. } =
            &*slot;
        let (kind, slot, at, seconds) = (*kind, *slot, *at, *seconds);
        let (interval_seconds, survival, hopeful, weight) = (*interval_seconds, *survival, *hopeful, *weight);
        let line = Line { url, kind, slot, at, seconds, lane, interval_seconds, survival, hopeful, weight };
        content += &serde_json::to_string(&line).map_err(|error| Error::data(error.to_string()))?;
        content.push('\n');
    }
    Ok(File::new("schedule.jsonl", content))
}
