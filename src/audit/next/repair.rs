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
    // Error pages are not among the pages judged.
    let judged: Vec<&PageAudit> = site.page_list.iter().filter(|page| page.error_page.is_none()).collect();
    let pages: Vec<Evidence> = judged.iter().map(|page| evidence(page)).collect();
    let found = repair(&pages, seconds(now), delay, fetches.min(pages.len()).min(MAX_FETCHES));
    let instant = Instant::from_seconds(found.instant);
    let fetched = found.fetches.iter().zip(&found.chances).enumerate();
    let fetches: Vec<RepairFetch> = fetched
        .map(|(slot, (&page, &chance))| RepairFetch {
            url: judged[page as usize].url.clone(),
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
        count(judged.len() as u64, "page"),
    );
    let method = if found.new_instant { RepairMethod::Heuristic } else { RepairMethod::Exact };
    let weight = pages.iter().map(|page| page.weight).sum::<f64>() + 0.0;
    let pages = judged.len() as u64;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::model::ActionKind;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;

    /// Three pages proven for a day, and one captured once; `failed` is a look that failed behind it.
    fn archive(failed: bool) -> crate::audit::Audit {
        let page = |name: &str, date: &str| look(&format!("http://a.example/{name}"), date);
        let mut looks = Vec::new();
        for (body, name) in ["a", "b", "c"].into_iter().enumerate() {
            looks.push(page(name, "2024-01-01T00:00:00Z").body(body as u8).build());
            looks.push(page(name, "2024-01-03T00:00:00Z").body(body as u8).build());
        }
        looks.push(page("d", "2024-01-02T00:00:00Z").body(9).build());
        if failed {
            looks.push(page("d", "2024-01-02T12:00:00Z").status(503).build());
        }
        audit(&Table::of(&looks), &Parameters::default(), AuditInput::default())
    }

    #[test]
    fn a_page_captured_once_is_fetched_again_and_the_report_says_what_that_brings() {
        let audit = archive(false);
        let repair = audit.sites[0].repair.as_ref().unwrap();
        assert_eq!(repair.fetches.len(), 1);
        assert!(repair.fetches[0].url.ends_with("/d"));
        assert!(repair.before == 3.0 && repair.expected > 3.0 && repair.expected < 4.0, "{repair:?}");
        assert_eq!((repair.weight, repair.method), (4.0, RepairMethod::Exact));
        let action = audit.actions.iter().find(|action| action.kind == ActionKind::FetchAgain).unwrap();
        assert_eq!((action.count, action.before), (1, Some(0.75)));
        assert_eq!(action.after, Some(repair.expected / 4.0));
        assert!(action.command.as_ref().unwrap().contains("--repair 1"), "{action:?}");
        assert_eq!(archive(false), audit, "the same archive has the same report");
    }

    #[test]
    fn intervals_that_only_touch_are_not_proven_together() {
        // The date of a capture leaves open when within its precision it was: one page is proven up to an instant, the other behind it.
        let page = |name: &str, date: &str, body: u8| {
            look(&format!("http://a.example/{name}"), date).body(body).build()
        };
        let looks = |begin: &str| {
            let looks = [
                page("a", "2024-01-01T00:00:00Z", 1),
                page("a", "2024-01-02T00:00:00Z", 1),
                page("b", begin, 2),
                page("b", "2024-01-03T00:00:00Z", 2),
            ];
            audit(&Table::of(&looks), &Parameters::default(), AuditInput::default())
        };
        let before = |begin: &str| {
            let audit = looks(begin);
            of(&audit.sites[0], audit.sites[0].page_list[1].last_look, None, 0).before
        };
        assert_eq!(before("2024-01-02T00:00:00Z"), 1.0);
        assert_eq!(before("2024-01-01T23:00:00Z"), 2.0);
    }

    #[test]
    fn a_page_whose_last_look_failed_is_no_candidate() {
        let audit = archive(true);
        let fetches = audit.sites[0].repair.iter().flat_map(|repair| &repair.fetches);
        assert_eq!(fetches.filter(|fetch| fetch.url.ends_with("/d")).count(), 0);
    }
}
