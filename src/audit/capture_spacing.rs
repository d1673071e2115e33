//! Whether the captures of a site show how often its pages change within the time that its next crawl takes.
//!
//! A page that differed at every capture may change once between two of them or at every request. Captures a day apart tell the
//! one from the other as little as they tell what a crawl of ten minutes will find, so nothing is promised of such a crawl.

use crate::audit::model::PageAudit;
use crate::time::SECOND;

/// If captures are at least this many times further apart than those of the next crawl, a difference says nothing about it.
const MAX_GAP_RATIO: f64 = 3.0;
/// Maximum share of pages that may leave it open.
const MAX_OPEN_SHARE: f64 = 0.05;
/// A crawl at most this many times as long as the next one is no slower.
const AS_QUICK: f64 = 2.0;

/// Whether captures show what a crawl will find that has the two captures of a page `next` seconds apart on average.
pub(crate) fn is_shown(pages: &[PageAudit], next: f64) -> bool {
    let is_open = |page: &&PageAudit| {
        page.versions > 1
            && page.proven.is_empty()
            && own_gap(page).is_some_and(|own| own >= MAX_GAP_RATIO * next)
    };
    pages.iter().filter(is_open).count() as f64 <= MAX_OPEN_SHARE * pages.len() as f64
}

/// Whether the captures of most pages lie no further apart than such a crawl has them.
pub(crate) fn is_as_quick(pages: &[PageAudit], next: f64) -> bool {
    let mut gaps: Vec<f64> = pages.iter().filter_map(own_gap).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).is_some_and(|median| *median <= AS_QUICK * next)
}

/// How far apart (in seconds) the captures of a page are on average.
fn own_gap(page: &PageAudit) -> Option<f64> {
    let gaps = page.observations.checked_sub(1).filter(|gaps| *gaps > 0)?;
    Some((page.last_look.0 - page.first_look.0) as f64 / SECOND as f64 / gaps as f64)
}
