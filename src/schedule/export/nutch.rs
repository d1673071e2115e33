//! Apache Nutch: a seed list, with a fetch interval for every URL.
//!
//! A line is `URL⇥nutch.score=W⇥nutch.fetchInterval=SECONDS`, the interval that from visit to revisit, in whole seconds. The page
//! in the middle has no interval of its own.
//!
//! Nutch's generator selects by score and sorts by a hash of the URL within a host, so neither the order nor the times of a
//! schedule can be given to it: interval and score only.

use std::fmt::Write;

use super::super::model::{Kind, Schedule};
use super::{File, downloads};

pub(super) fn file(schedule: &Schedule) -> File {
    let mut content = String::new();
    for (slot, url) in schedule.sites.iter().flat_map(|site| downloads(site, Kind::Visit)) {
        // Writing to a string cannot fail.
        let _ = write!(content, "{url}\tnutch.score={}", slot.weight);
        if let Some(interval) =
            slot.interval_seconds.map(|seconds| seconds.round() as u64).filter(|seconds| *seconds > 0)
        {
            let _ = write!(content, "\tnutch.fetchInterval={interval}");
        }
        content.push('\n');
    }
    File::new("seeds.txt", content)
}
