//! Whether a crawl was made as an earlier audit planned it: by the order in which its pages were captured, and by its length.

use std::collections::HashMap;

use crate::audit::model::{PageAudit, PlannedPage, SiteAudit};
use crate::time::Interval;

/// How alike the order of a crawl and the planned one are at least, where the plan was followed: a rank correlation. Fetches
/// that failed or were late move some pages.
const MIN_CORRELATION: f64 = 0.95;
/// How much longer than planned a crawl may be that kept the planned pace.
const LONGER: f64 = 1.5;
/// Minimum number of pages that show an order.
const MIN_PAGES: usize = 3;

/// Whether the crawl `now` was made in the order that the audit `then` planned: its first and its last captures, each more so than
/// the crawl that the plan was made from. `None` where that cannot be told.
pub(crate) fn is_in_planned_order(then: &SiteAudit, now: &SiteAudit) -> Option<bool> {
    let plan = &then.reschedule.as_ref()?.plan;
    let (before, after) = (alike(plan, then), alike(plan, now)?);
    let is_nearer = before.is_none_or(|before| after.least() > before.least());
    Some(after.least() >= MIN_CORRELATION && is_nearer)
}

/// Whether the crawl `now` took about as long as the audit `then` planned. `None` where that cannot be told.
pub(crate) fn is_at_planned_pace(then: &SiteAudit, now: &SiteAudit) -> Option<bool> {
    let plan = &then.reschedule.as_ref()?.plan;
    let end =
        plan.iter().map(|page| page.revisit_seconds.unwrap_or(page.visit_seconds)).max_by(f64::total_cmp)?;
    let took = Interval { from: now.window.from, to: now.window.to }.seconds();
    let captured_twice = now.pages.sharp + now.pages.changed;
    // The end of a capture is a second behind its date.
    Some(captured_twice > 0 && took <= LONGER * end + 1.0)
}

/// How alike two orders are: of the first captures, and of the last.
#[derive(Debug, Clone, Copy)]
struct Alike {
    first: f64,
    last: f64,
}

impl Alike {
    fn least(self) -> f64 {
        self.first.min(self.last)
    }
}

/// How far the captures of a crawl follow a plan, host by host: by the pages that both have. `None` where these are too few, or no
/// page was captured twice.
fn alike(plan: &[PlannedPage], crawl: &SiteAudit) -> Option<Alike> {
    let pages: HashMap<&str, &PageAudit> = crawl
        .page_list
        .iter()
        .flat_map(|page| page.urls.iter().map(move |url| (url.as_str(), page)))
        .collect();
    let mut lanes: HashMap<&str, Vec<(&PlannedPage, &PageAudit)>> = HashMap::new();
    for planned in plan {
        if let Some(page) = pages.get(planned.url.as_str()) {
            lanes.entry(planned.lane.as_str()).or_default().push((planned, page));
        }
    }
    let mut found: Option<Alike> = None;
    for lane in lanes.values().filter(|lane| lane.len() >= MIN_PAGES) {
        let visits = lane.iter().map(|(planned, page)| (planned.visit_seconds, page.first_look.0)).collect();
        let again = lane.iter().filter(|(_, page)| page.last_look > page.first_look);
        let revisits = again
            .filter_map(|(planned, page)| Some((planned.revisit_seconds?, page.last_look.0)))
            .collect::<Vec<_>>();
        let of_lane = Alike { first: correlation(visits)?, last: correlation(revisits)? };
        found = Some(match found {
            None => of_lane,
            Some(held) => Alike { first: held.first.min(of_lane.first), last: held.last.min(of_lane.last) },
        });
    }
    found
}

/// The rank correlation (Spearman's) of planned times with those of captures. `None` for too few, and where all of one kind are
/// the same.
fn correlation(times: Vec<(f64, i64)>) -> Option<f64> {
    if times.len() < MIN_PAGES {
        return None;
    }
    let ranks = |order: &dyn Fn(usize, usize) -> std::cmp::Ordering| {
        let mut places: Vec<usize> = (0..times.len()).collect();
        places.sort_by(|a, b| order(*a, *b));
        let mut ranks = vec![0.0; times.len()];
        let mut start = 0;
        // Equal times share the middle of their ranks.
        while start < places.len() {
            let same =
                places[start..].iter().take_while(|place| order(places[start], **place).is_eq()).count();
            for place in &places[start..start + same] {
                ranks[*place] = start as f64 + (same - 1) as f64 / 2.0;
            }
            start += same;
        }
        ranks
    };
    let planned = ranks(&|a, b| times[a].0.total_cmp(&times[b].0));
    let captured = ranks(&|a, b| times[a].1.cmp(&times[b].1));
    let middle = (times.len() - 1) as f64 / 2.0;
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum() };
    let scale = (product(&planned, &planned) * product(&captured, &captured)).sqrt();
    (scale > 0.0).then(|| product(&planned, &captured) / scale)
}

#[cfg(test)]
mod tests {
    use super::correlation;

    #[test]
    fn orders_are_alike_by_the_ranks_of_their_times() {
        let of = |captured: &[i64]| {
            correlation(captured.iter().enumerate().map(|(place, at)| (place as f64, *at)).collect())
        };
        assert_eq!(of(&[10, 20, 30, 40]), Some(1.0));
        assert_eq!(of(&[40, 30, 20, 10]), Some(-1.0));
        assert_eq!(of(&[7, 7, 7]), None);
        assert_eq!(of(&[1, 2]), None);
        // 1 − 6 Σd² ⁄ n(n² − 1), where no two are the same.
        let swapped = of(&[20, 10, 30, 40, 50]).unwrap();
        assert!((swapped - (1.0 - 6.0 * 2.0 / (5.0 * 24.0))).abs() < 1e-12);
    }
}
