//! Scrapy: a spider that follows the schedule, and the schedule as JSON lines.
//!
//! The spider asks Scrapy's engine for each page at its absolute time, lane by lane, writes what comes back with warcio, and
//! stores a revisit record where the payload is that of the visit. Bodies are stored as they came (no decompression); redirects
//! are stored, not followed. It is the same for every schedule: URLs are data in `schedule.jsonl`.

use std::borrow::Cow;

use serde::Serialize;

use super::super::model::{Kind, Schedule, Slot};
use super::File;
use super::url::safe;
use crate::error::{Error, Result};
use crate::time::Instant;

#[derive(Serialize)]
struct Line<'a> {
    url: String,
    kind: Kind,
    at: Option<Instant>,
    seconds: f64,
    lane: &'a str,
    /// Δ of the lane, in seconds.
    delay: f64,
}

pub(super) fn files(schedule: &Schedule) -> Result<Vec<File>> {
    let mut slots: Vec<(Cow<'_, Slot>, f64)> = Vec::new();
    for site in &schedule.sites {
        slots.extend(site.slots.iter().map(|slot| (slot, site.delay_seconds)));
    }
    slots.sort_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds));
    let mut lines = String::new();
    for (slot, delay) in slots {
        let Some(url) = safe(&slot.url) else { continue };
        let Slot { kind, at, seconds, lane, .. } = &*slot;
        let line = Line { url, kind: *kind, at: *at, seconds: *seconds, lane, delay };
        lines += &serde_json::to_string(&line).map_err(|error| Error::data(error.to_string()))?;
        lines.push('\n');
    }
    let spider = File { executable: true, ..File::new("spider.py", include_str!("spider.py").to_owned()) };
    Ok(vec![spider, File::new("schedule.jsonl", lines)])
}
