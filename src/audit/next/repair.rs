//! Repair of an archive: which pages to fetch again now, from the audit of a site.

use serde::Serialize;

use crate::audit::model::SiteAudit;
use crate::schedule::refresh::repair::{Evidence, repair};
use crate::time::{Instant, SECOND};

/// The pages to fetch again, and what that is expected to bring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RepairOut {
    pub site: String,
    /// The instant at which the pages are then proven together.
    pub instant: Instant,
    /// `exact` for an instant in the past, `heuristic` for one inside the repair.
    pub method: &'static str,
    pub pages: u64,
    /// Weight proven together now, at the best instant.
    pub before: f64,
    /// Expected weight proven together afterwards.
    pub expected: f64,
    pub fetches: Vec<RepairFetch>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RepairFetch {
    pub url: String,
    pub at: Instant,
    /// That the page still is what its last capture shows.
    pub chance: f64,
}

/// The best repair of at most `fetches` fetches from `now` on. Assumes that no page changed and changed back.
pub(crate) fn of(site: &SiteAudit, now: Instant, delay: Option<f64>, fetches: usize) -> RepairOut {
    let seconds = |at: Instant| at.0 as f64 / SECOND as f64;
    let delay = delay.or(site.delay_seconds).unwrap_or(1.0);
    let pages: Vec<Evidence> = site
        .page_list
        .iter()
        .map(|page| Evidence {
            proven: page.proven.iter().map(|window| (seconds(window.from), seconds(window.to))).collect(),
            last: seconds(page.last_look),
            rate: page.rate.per_day / 86_400.0,
            weight: page.weight,
        })
        .collect();
    let found = repair(&pages, seconds(now), delay, fetches.min(site.page_list.len()).min(2_000));
    let instant = Instant::from_seconds(found.instant);
    let fetched = found.fetches.iter().zip(&found.chances).enumerate();
    let fetches: Vec<RepairFetch> = fetched
        .map(|(slot, (&page, &chance))| RepairFetch {
            url: site.page_list[page as usize].url.clone(),
            at: now.plus((slot as f64 * delay * SECOND as f64) as i64),
            chance,
        })
        .collect();
    let (before, expected) = (found.before, found.expected);
    let text = format!(
        "{}: fetching {} again from {now} on, {before:.1} → about {expected:.1} of {} (by importance) are proven to have been online together at {instant}.",
        site.site,
        crate::format::count(fetches.len() as u64, "page"),
        crate::format::count(site.page_list.len() as u64, "page"),
    );
    let method = if found.new_instant { "heuristic" } else { "exact" };
    let pages = site.page_list.len() as u64;
    RepairOut { site: site.site.clone(), instant, method, pages, before, expected, fetches, text }
}
