//! A few pages captured again right after the next crawl: what that is expected to bring.
//!
//! A crawl visits all pages and then revisits them, so every page that does not change in between is proven to have been online
//! between the two passes. A page that changed is proven again if the moment is moved behind its revisit and the page is
//! captured once more at the end. Then all pages with earlier revisits must be captured again too. So the pages captured again are
//! the first `k` of the second pass, and which `k` is best is known after the crawl. With `B` = 1 if a page did not change
//! between visit and revisit, `S` its chance to stay until the end, `w` its weight:
//!
//! ```text
//! gain = E[max over k of Σ over the first k revisits of w (S − B)]
//! ```
//!
//! All outcomes of the first pages are added up, so the figure is exact for the rates; `acuity plan --repair` chooses freely among
//! all pages and cannot do worse.

use crate::audit::model::Again;
use crate::audit::next::plan::Lane;
use crate::schedule::expected::page_survival;
use crate::schedule::plan::Plan;
use crate::schedule::site::survival;

/// Pages that may be captured again: outcomes double with each.
const MAX_PAGES: usize = 12;

/// One of the first revisits: its weight, the chance that the page did not change before it, and that it stays until the end.
#[derive(Debug, Clone, Copy)]
struct Revisit {
    weight: f64,
    unchanged: f64,
    stays: f64,
}

/// What capturing a tenth of the pages again brings, in the planned order or in that of the last crawl. Hosts are crawled side by
/// side, so only a site on one host is judged.
pub(crate) fn after(lanes: &[Lane<'_>], is_planned: bool) -> Option<Again> {
    let [lane] = lanes else { return None };
    let plan = if is_planned { Some(lane.best()) } else { lane.last() }?;
    let pages = lane.site().len().div_ceil(10).min(MAX_PAGES);
    let gain = expected_gain(&first_revisits(lane, plan, pages));
    let before = crate::schedule::expected::coherence(lane.site(), plan)?;
    (gain > 0.0).then_some(Again { pages: pages as u64, before, expected: before + gain })
}

fn first_revisits(lane: &Lane<'_>, plan: &Plan, pages: usize) -> Vec<Revisit> {
    let site = lane.site();
    let mut order: Vec<(u64, usize)> =
        (0..site.len()).filter_map(|page| Some((plan.revisit_time(page)?, page))).collect();
    order.sort_unstable();
    let first = order.into_iter().take(pages).enumerate();
    let revisit = |(slot, (at, page)): (usize, (u64, usize))| {
        // Captured again one after the other, one pause behind the crawl.
        let seconds = (plan.length() + slot as u64).saturating_sub(at) as f64 * site.delay();
        Revisit {
            weight: site.weights().get(page).copied().unwrap_or(1.0),
            unchanged: page_survival(site, plan, page).unwrap_or(1.0),
            stays: survival(site.rates()[page], seconds),
        }
    };
    first.map(revisit).collect()
}

/// The expected best sum over the first pages, for all ways in which they may have changed.
fn expected_gain(revisits: &[Revisit]) -> f64 {
    let mut expected = 0.0;
    for outcome in 0u32..1 << revisits.len() {
        let (mut chance, mut sum, mut best) = (1.0, 0.0, 0.0f64);
        for (place, revisit) in revisits.iter().enumerate() {
            let is_unchanged = outcome >> place & 1 == 1;
            chance *= if is_unchanged { revisit.unchanged } else { 1.0 - revisit.unchanged };
            sum += revisit.weight * (revisit.stays - f64::from(u8::from(is_unchanged)));
            best = best.max(sum);
        }
        expected += chance * best;
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revisit(weight: f64, unchanged: f64, stays: f64) -> Revisit {
        Revisit { weight, unchanged, stays }
    }

    #[test]
    fn a_page_that_changed_is_worth_capturing_again() {
        assert_eq!(expected_gain(&[]), 0.0);
        // It changes in half of the crawls, and then stays for certain.
        assert!((expected_gain(&[revisit(2.0, 0.5, 1.0)]) - 1.0).abs() < 1e-12);
        // A page that never changes is never captured again.
        assert_eq!(expected_gain(&[revisit(2.0, 1.0, 0.9)]), 0.0);
        // One behind a page that must be captured again too: 1 × 0.25 − 0.5 × 0.1.
        let both = expected_gain(&[revisit(0.5, 1.0, 0.9), revisit(1.0, 0.75, 1.0)]);
        assert!((both - 0.25 * (1.0 - 0.05)).abs() < 1e-12, "{both}");
    }
}
