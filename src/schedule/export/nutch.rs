//! Apache Nutch: a seed list, with a fetch interval for every URL.
//!
//! A line is `URL⇥nutch.score=W⇥nutch.fetchInterval=SECONDS`, one for each URL, the interval in whole seconds. Of a page that is visited
//! several times, as in a plan of weeks, it is the mean time between two visits; else that from visit to revisit. A page that a plan
//! visits once is not due again before the plan ends. The page in the middle of a schedule has no interval of its own.
//!
//! Nutch's generator selects by score and sorts by a hash of the URL within a host, so neither the order nor the times of a
//! schedule can be given to it: interval and score only.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use super::super::model::{Kind, Schedule, Slot};
use super::{File, downloads};

/// The visits of a URL.
struct Visits<'a> {
    first: Cow<'a, Slot>,
    last: f64,
    count: u32,
    is_planned: bool,
}

impl Visits<'_> {
    /// Seconds until the page is due again.
    fn interval(&self, length: f64) -> Option<u64> {
        let seconds = match self.count {
            1 if self.is_planned => Some(length - self.first.seconds),
            1 => self.first.interval_seconds,
            count => Some((self.last - self.first.seconds) / f64::from(count - 1)),
        };
        seconds.map(|seconds| seconds.round() as u64).filter(|seconds| *seconds > 0)
    }
}

pub(super) fn file(schedule: &Schedule) -> File {
    let length = schedule.sites.iter().map(|site| site.length_seconds).fold(0.0, f64::max);
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut pages: Vec<(String, Visits<'_>)> = Vec::new();
    for site in &schedule.sites {
        let is_planned = site.strategy == "plan";
        for (slot, url) in downloads(site, Kind::Visit) {
            match places.get(&url) {
                Some(&place) => {
                    let visits = &mut pages[place].1;
                    (visits.last, visits.count) = (slot.seconds, visits.count + 1);
                }
                None => {
                    places.insert(url.clone(), pages.len());
                    let last = slot.seconds;
                    pages.push((url, Visits { first: slot, last, count: 1, is_planned }));
                }
            }
        }
    }
    let mut content = String::new();
    for (url, visits) in pages {
        // Writing to a string cannot fail.
        let _ = write!(content, "{url}\tnutch.score={}", visits.first.weight);
        if let Some(interval) = visits.interval(length) {
            let _ = write!(content, "\tnutch.fetchInterval={interval}");
        }
        content.push('\n');
    }
    File::new("seeds.txt", content)
}
