//! Whether the captures of a site show how often its pages change within the time that its next crawl takes.
//!
//! A page that differed at every capture may change once between two of them or at every request. Captures a day apart tell the
//! one from the other as little as they tell what a crawl of ten minutes will find, so nothing is promised of such a crawl.
//! A page that differed within a minute is generated for each request: it counts as never consistent.

use std::collections::HashMap;

use crate::audit::model::{PageAudit, PlannedPage};
use crate::time::SECOND;

/// If captures are at least this many times further apart than those of the next crawl, a difference says nothing about it.
const MAX_GAP_RATIO: f64 = 3.0;
/// Maximum share of pages that may leave it open.
pub(crate) const MAX_OPEN_SHARE: f64 = 0.05;
/// Where an order is expected to keep so much more than it kept in a crawl as quick, the rates do not fit.
pub(crate) const MISFIT: f64 = 0.10;
/// A crawl at most this many times as long as the next one is no slower.
const AS_QUICK: f64 = 2.0;

/// Whether captures show what a crawl will find that has the two captures of a page `next` seconds apart on average.
pub(crate) fn is_shown(pages: &[PageAudit], next: f64) -> bool {
    let is_open = |page: &&PageAudit| {
        let may_change_once = page.versions > 1 && page.proven.is_empty() && !page.is_generated();
        may_change_once && own_gap(page).is_some_and(|own| own >= MAX_GAP_RATIO * next)
    };
    pages.iter().filter(is_open).count() as f64 <= MAX_OPEN_SHARE * pages.len() as f64
}

/// Whether the captures of most pages lie no further apart than such a crawl has them.
pub(crate) fn is_as_quick(pages: &[PageAudit], next: f64) -> bool {
    let mut gaps: Vec<f64> = pages.iter().filter_map(own_gap).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).is_some_and(|median| *median <= AS_QUICK * next)
}

/// Share of importance that was the same from one capture to the next; `None` where nothing was captured twice.
pub(crate) fn kept(pages: &[PageAudit]) -> Option<f64> {
    let (mut kept, mut all) = (0.0, 0.0);
    for page in pages {
        let gaps = page.observations.saturating_sub(page.failed + 1);
        if gaps > 0 {
            let changes = (page.outer.len().saturating_sub(1) as f64 / gaps as f64).min(1.0);
            kept += page.weight * (1.0 - changes);
            all += page.weight;
        }
    }
    (all > 0.0).then(|| kept / all)
}

/// Weight that a plan expects to stay unchanged of pages that differed at every capture: less, where they are generated for each
/// request. Captures so close together that this would show there are none.
pub(crate) fn doubtful(pages: &[PageAudit], plan: &[PlannedPage]) -> f64 {
    let chances: HashMap<&str, f64> =
        plan.iter().filter_map(|page| Some((page.url.as_str(), page.chance?))).collect();
    let may_be_generated = |page: &&PageAudit| page.versions > 1 && page.proven.is_empty();
    let expected = |page: &PageAudit| page.weight * chances.get(page.url.as_str()).unwrap_or(&0.0);
    // An empty sum is −0.
    pages.iter().filter(may_be_generated).map(expected).sum::<f64>() + 0.0
}

/// How far apart (in seconds) the captures of a page are on average.
pub(crate) fn own_gap(page: &PageAudit) -> Option<f64> {
    let gaps = page.observations.checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some((page.last_look.0 - page.first_look.0) as f64 / SECOND as f64 / gaps as f64)
}
