//! Repair of an archive: which pages to fetch again now, from the audit of a site.

use std::collections::BTreeSet;

use crate::audit::model::{PageAudit, Repair, RepairFetch, RepairMethod, SiteAudit};
use crate::change::rate::Source;
use crate::format::{count, number, percent_change};
use crate::schedule::refresh::repair::{Evidence, most_proven, repair};
use crate::time::{Instant, SECOND};

/// Seconds between two fetches where no pause is known.
const DELAY: f64 = 1.0;
/// Maximum number of fetches of a repair; more would be a crawl.
const MAX_FETCHES: usize = 2_000;
/// Maximum number of pages tried when smaller repairs gain nothing.
const MAX_TRIED: usize = 64;
/// Minimum gain of a repair, as a share of importance.
const MIN_GAIN: f64 = 0.0005;

fn seconds(at: Instant) -> f64 {
    at.0 as f64 / SECOND as f64
}

/// What the captures show of a page. The last look may have failed: unless a proven interval ends with it, it is unknown when
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
    // Around a new instant a page is captured twice.
    let asked = fetches.min(2 * pages.len()).min(MAX_FETCHES);
    let found = repair(&pages, seconds(now), delay, asked);
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
    let weight = pages.iter().map(|page| page.weight).sum::<f64>() + 0.0;
    let share = |part: f64| part / if weight > 0.0 { weight } else { 1.0 };
    let helps = expected - before > MIN_GAIN * weight;
    let (fetches, expected) = if helps { (fetches, expected) } else { (Vec::new(), before) };
    let is_assumed = |page: &&u32| judged[**page as usize].rate.source == Source::Assumed;
    let assumed = if helps { found.fetches.iter().filter(is_assumed).count() as u64 } else { 0 };
    let last = judged.iter().map(|page| page.last_look).max();
    let text = match last {
        None => format!("{}: there are no pages to judge.", site.site),
        Some(_) if helps => format!(
            "{}: capture {} again from {now} on. Then {} of importance is expected to be proven online together at {instant}.{}",
            site.site,
            captured_again(&fetches),
            percent_change(share(before), share(expected)),
            caveat(assumed, fetches.len() as u64),
        ),
        Some(_) if before >= weight * (1.0 - MIN_GAIN) => {
            format!("{}: nothing to capture again: all pages are proven online together.", site.site)
        }
        Some(_) if most_proven(&pages, seconds(now)) - before > MIN_GAIN * weight => {
            too_few(&site.site, &pages, (seconds(now), delay), asked)
        }
        Some(last) if now < last => format!(
            "{}: {now} is before the last capture ({last}): name a time after it, with --start.",
            site.site
        ),
        Some(last) => format!(
            "{}: too much time has passed since the last capture ({last}) to capture pages again: none would be proven \
             unchanged since then. Do it right after the next crawl.",
            site.site
        ),
    };
    let method = if found.new_instant { RepairMethod::Heuristic } else { RepairMethod::Exact };
    let pages = judged.len() as u64;
    let site = site.site.clone();
    Repair { site, start: now, instant, method, pages, before, expected, weight, assumed, fetches, text }
}

/// How many pages are captured again, and in how many captures where that is another number.
fn captured_again(fetches: &[RepairFetch]) -> String {
    let pages: BTreeSet<&str> = fetches.iter().map(|fetch| fetch.url.as_str()).collect();
    let (pages, captures) = (pages.len() as u64, fetches.len() as u64);
    match pages == captures {
        true => count(pages, "page"),
        false => format!("{}, in {},", count(pages, "page"), count(captures, "capture")),
    }
}

/// What to say of chances that rest on rates nobody has seen.
fn caveat(assumed: u64, captures: u64) -> String {
    match assumed {
        0 => String::new(),
        all if all == captures => {
            " How often these pages change is assumed, not known, so this may be far off.".to_owned()
        }
        some => format!(
            " Of {} of these captures it is assumed, not known, how often the page changes, so this may be far off.",
            number(some)
        ),
    }
}

/// That so many captures gain nothing, though time is left: with how many they do, if that is soon found.
fn too_few(site: &str, pages: &[Evidence], (now, delay): (f64, f64), asked: usize) -> String {
    let weight: f64 = pages.iter().map(|page| page.weight).sum();
    let most = (2 * pages.len()).min(MAX_TRIED);
    // Each page once is tried, too.
    let after =
        |more: usize| if more < pages.len() && 2 * more > pages.len() { pages.len() } else { 2 * more };
    let more = std::iter::successors(Some(after(asked).max(1)), |more| Some(after(*more)));
    let more = more.map(|more| more.min(most));
    let mut helpful = None;
    for more in more {
        let found = repair(pages, now, delay, more);
        if found.expected - found.before > MIN_GAIN * weight {
            helpful = Some((found.fetches.len(), found.before / weight, found.expected / weight));
        }
        if helpful.is_some() || more >= most {
            break;
        }
    }
    let none = match asked {
        0 => "without captures nothing more is proven online together.".to_owned(),
        1 => "one more capture would not raise what is proven online together.".to_owned(),
        asked => {
            format!("{} would not raise what is proven online together.", count(asked as u64, "more capture"))
        }
    };
    let remedy = match helpful {
        Some((more, before, expected)) => {
            format!("With {more}: {} of importance expected.", percent_change(before, expected))
        }
        None => "Ask for more captures, or do it right after the next crawl.".to_owned(),
    };
    format!("{site}: {none} {remedy}")
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

    fn repaired(audit: &crate::audit::Audit, now: &str, fetches: usize) -> Repair {
        of(&audit.sites[0], Instant::parse(now).unwrap(), None, fetches)
    }

    #[test]
    fn a_page_captured_once_is_captured_again_right_after_the_crawl() {
        let audit = archive(false);
        let repair = repaired(&audit, "2024-01-03T00:00:01Z", 1);
        assert_eq!(repair.fetches.len(), 1);
        assert!(repair.fetches[0].url.ends_with("/d"));
        assert!(repair.before == 3.0 && repair.expected > 3.0 && repair.expected < 4.0, "{repair:?}");
        assert_eq!((repair.weight, repair.method), (4.0, RepairMethod::Exact));
        assert!(
            repair.text.contains("capture 1 page again") && repair.text.contains("75% →"),
            "{}",
            repair.text
        );
    }

    #[test]
    fn years_later_nothing_is_promised() {
        let repair = repaired(&archive(false), "2034-01-03T00:00:00Z", 1);
        assert!(repair.fetches.is_empty() && repair.expected == repair.before, "{repair:?}");
        assert!(repair.text.contains("too much time has passed"), "{}", repair.text);
    }

    #[test]
    fn no_capture_brings_nothing_and_pages_may_be_captured_twice() {
        let audit = archive(false);
        let none = repaired(&audit, "2024-01-03T00:00:01Z", 0);
        assert!(none.fetches.is_empty() && none.expected == none.before, "{none:?}");
        assert!(
            none.text.contains("without captures nothing more") && none.text.contains("With 1: 75% →"),
            "{}",
            none.text
        );
        // Years later nothing bridges the time since the last captures; all pages twice are proven at a new instant.
        let twice = repaired(&audit, "2034-01-03T00:00:00Z", 8);
        assert_eq!((twice.fetches.len(), twice.method), (8, RepairMethod::Heuristic));
        assert!(
            twice.expected > 3.9 && twice.text.contains("capture 4 pages, in 8 captures, again"),
            "{}",
            twice.text
        );
    }

    #[test]
    fn captures_that_are_too_few_are_not_said_to_be_too_late() {
        let day = |day: u32| format!("2030-01-{day:02}T00:00:00Z");
        let page = |name: &str, from: u32, to: u32, bodies: [u8; 2]| {
            let one =
                |on: u32, body: u8| look(&format!("http://a.example/{name}"), &day(on)).body(body).build();
            [one(from, bodies[0]), one(to, bodies[1])]
        };
        let looks = [page("a", 1, 11, [1, 1]), page("b", 2, 12, [2, 2]), page("c", 3, 13, [3, 4])].concat();
        let audit = audit(&Table::of(&looks), &Parameters::default(), AuditInput::default());
        for few in [1, 2] {
            let repair = repaired(&audit, "2030-01-13T00:00:02Z", few);
            assert!(repair.fetches.is_empty());
            assert!(
                repair.text.contains("more capture") && repair.text.contains("With 3: 67% →"),
                "{}",
                repair.text
            );
        }
        assert_eq!(repaired(&audit, "2030-01-13T00:00:02Z", 3).fetches.len(), 3);
    }

    #[test]
    fn a_report_promises_nothing_of_the_past() {
        let audit = archive(false);
        assert_eq!(audit.sites[0].repair, None);
        assert!(
            audit.actions.iter().all(|action| action.kind != ActionKind::FetchAgain),
            "{:?}",
            audit.actions
        );
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
        let repair = repaired(&archive(true), "2024-01-03T00:00:01Z", 4);
        assert_eq!(repair.fetches.iter().filter(|fetch| fetch.url.ends_with("/d")).count(), 0);
    }
}
