//! How much later than planned a crawl was made: the promises of its schedule were made for the planned times.
//!
//! Where the schedule has dates, they are compared with those of the captures. Where it has none, its clock begins with the first
//! capture that followed it, and only delays behind that are known. Dates of captures are whole seconds, so a delay of up to a second
//! does not count.

use std::collections::HashMap;
use std::sync::Arc;

use crate::audit::model::PageAudit;
use crate::format::{count, duration, number};
use crate::schedule::model::{Kind, Schedule, SiteSchedule, Slot};
use crate::time::{Instant, SECOND};

/// What dates of captures leave open, in seconds.
const PRECISION: f64 = 1.0;

/// The time at which a download was planned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planned {
    at: Option<Instant>,
    seconds: f64,
}

impl From<&Slot> for Planned {
    fn from(slot: &Slot) -> Self {
        Planned { at: slot.at, seconds: slot.seconds }
    }
}

/// Dates of a schedule beside those of the crawl.
pub(super) struct Clock {
    /// The visit that was planned first, of those whose page was captured, and its capture.
    first: Option<(Planned, Instant)>,
}

impl Clock {
    /// `captured`: the page of a visit, if it was captured by this crawl.
    pub(super) fn of<'a>(
        schedule: &Schedule,
        captured: impl Fn(&SiteSchedule, &Slot) -> Option<&'a PageAudit>,
    ) -> Self {
        let mut first: Option<(Planned, Instant)> = None;
        for site in &schedule.sites {
            let visit = |slot: &Slot| {
                let page = captured(site, slot).filter(|_| slot.kind == Kind::Visit)?;
                Some((Planned::from(slot), page.first_look))
            };
            // Slots are in the order of time.
            let own = site.slots.iter().find_map(|slot| visit(&slot));
            if own.is_some_and(|own| first.is_none_or(|first| own.0.seconds < first.0.seconds)) {
                first = own;
            }
        }
        Clock { first }
    }

    /// How much later than planned a capture was made, in seconds.
    fn delay(&self, planned: Planned, captured: Instant) -> Option<f64> {
        let since = |from: Instant| (captured.0 - from.0) as f64 / SECOND as f64;
        let delay = match planned.at {
            Some(at) => since(at),
            None => {
                let (first, captured) = self.first?;
                since(captured) - (planned.seconds - first.seconds)
            }
        };
        (delay > PRECISION).then_some(delay)
    }

    /// How much later than its date the crawl began.
    pub(super) fn begun_late(&self) -> Option<f64> {
        let (planned, captured) = self.first.filter(|(planned, _)| planned.at.is_some())?;
        self.delay(planned, captured)
    }

    /// How much later than planned a page was captured at its visit or its revisit, whichever is more.
    pub(super) fn late(&self, visit: &Slot, revisit: Option<&Planned>, page: &PageAudit) -> Option<f64> {
        let first = self.delay(visit.into(), page.first_look);
        let is_captured_again = page.last_look > page.first_look;
        let last = revisit.filter(|_| is_captured_again);
        let last = last.and_then(|revisit| self.delay(*revisit, page.last_look));
        first.into_iter().chain(last).reduce(f64::max)
    }
}

/// When the revisits of a site were planned, by URL.
pub(super) fn revisits(site: &SiteSchedule) -> HashMap<Arc<str>, Planned> {
    let slots = site.slots.iter().filter(|slot| slot.kind == Kind::Revisit);
    slots.map(|slot| (slot.url.clone(), Planned::from(&*slot))).collect()
}

/// What to know of a late crawl; nothing of one in time.
pub(super) fn text(begun: Option<f64>, (late, latest): (u64, Option<f64>), pages: u64) -> Option<String> {
    let begun = begun.map(|seconds| format!("it began {} later than planned", duration(seconds)));
    let late = latest.map(|seconds| {
        let was = if late == 1 { "was" } else { "were" };
        format!(
            "{} of {} {was} captured late, by up to {}",
            number(late),
            count(pages, "page"),
            duration(seconds)
        )
    });
    let what: Vec<String> = begun.into_iter().chain(late).collect();
    (!what.is_empty()).then(|| {
        format!(
            " The crawl was late: {}. The promise was made for the planned times, not for these.",
            what.join(", and ")
        )
    })
}
