//! Repair of an archive: which pages to fetch again now, from the audit of a site.

use crate::audit::model::{PageAudit, Repair, RepairFetch, RepairMethod, SiteAudit};
use crate::format::{count, precise};
use crate::schedule::refresh::repair::{Evidence, repair};
use crate::time::{Instant, SECOND};

/// Seconds between two fetches where no pause is known.
const DELAY: f64 = 1.0;
/// More fetches are no repair but a crawl.
const MAX_FETCHES: usize = 2_000;
/// A report suggests a tenth of the pages, at most these: few.
const MAX_SUGGESTED: u64 = 20;
/// Sites for which a report computes a repair have at most these pages.
pub(crate) const MAX_PAGES: usize = 2_000;

fn seconds(at: Instant) -> f64 {
    at.0 as f64 / SECOND as f64
}

/// What the captures show of a page. The last look may have failed: unless a proven interval ends with it, it is not known when
/// the last capture was, and a fetch now would prove nothing that could be named beforehand.
fn evidence(page: &PageAudit) -> Evidence {
    let is_capture = page.failed == 0 || page.proven.last().is_some_and(|window| window.to == page.last_look);
    Evidence {
        proven: page.proven.iter().map(|window| (seconds(window.from), seconds(window.to))).collect(),
        last: if is_capture { seconds(page.last_look) } else { f64::INFINITY },
        rate: page.rate.per_day / 86_400.0,
        weight: page.weight,
    }
}

/// The best repair of at most `fetches` fetches from `now` on. Assumes that no page changed and changed back.
pub(crate) fn of(site: &SiteAudit, now: Instant, delay: Option<f64>, fetches: usize) -> Repair {
    let delay = delay.or(site.delay_seconds).unwrap_or(DELAY);
    let pages: Vec<Evidence> = site.page_list.iter().map(evidence).collect();
    let found = repair(&pages, seconds(now), delay, fetches.min(pages.len()).min(MAX_FETCHES));
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
        "{}: fetching {} again from {now} on, {} → about {} of {} (by importance) are proven to have been online together at {instant}.",
        site.site,
        count(fetches.len() as u64, "page"),
        precise(before),
        precise(expected),
        count(site.page_list.len() as u64, "page"),
    );
    let method = if found.new_instant { RepairMethod::Heuristic } else { RepairMethod::Exact };
    let weight = pages.iter().map(|page| page.weight).sum::<f64>() + 0.0;
    let pages = site.page_list.len() as u64;
    let site = site.site.clone();
    Repair { site, start: now, instant, method, pages, before, expected, weight, fetches, text }
}

/// The repair that a report suggests: a tenth of the pages, one pause behind the last capture, so that the same archive always has
/// the same report. `None` where nothing would be gained, or the pages are too many.
pub(crate) fn suggested(site: &SiteAudit) -> Option<Repair> {
    let pages = site.page_list.len();
    if pages == 0 || pages > MAX_PAGES {
        return None;
    }
    let fetches = (pages as u64).div_ceil(10).min(MAX_SUGGESTED) as usize;
    let delay = site.delay_seconds.unwrap_or(DELAY);
    let last = site.page_list.iter().map(|page| page.last_look).max()?;
    let found = of(site, last.plus((delay * SECOND as f64) as i64), None, fetches);
    (!found.fetches.is_empty() && found.expected > found.before).then_some(found)
}
