//! What a schedule promised of the pages, compared with the audit of the crawl that followed it.
//!
//! A page keeps its promise if it was captured as planned and did not change: two captures or more that are the same, or the one
//! capture of the page in the middle. One that changed did not. What was not captured as planned, or cannot be compared, is not
//! judged. The standard error is that of pages that change independently: `√Σ w²p(1 − p)`; pages rebuilt together vary more.
//!
//! A promise was made for the planned times: what was captured later is named with its delay (`delay.rs`).

use std::collections::HashMap;

use super::delay::{self, Clock, revisits};
use crate::audit::model::{PageAudit, Promised, PromisedPage, SiteAudit};
use crate::change::run::PageState;
use crate::error::{Error, Result};
use crate::format::{count, duration, precise};
use crate::schedule::model::{Kind, SCHEMA, Schedule, SiteSchedule, Slot};
use crate::time::{Instant, SECOND};
use crate::url::Canon;

/// Differences below this are rounding.
const ROUNDING: f64 = 1e-9;

/// Reads a schedule as `acuity schedule --json` writes it.
pub(crate) fn read(text: &[u8]) -> Result<Schedule> {
    let schedule: Schedule =
        serde_json::from_slice(text).map_err(|error| Error::data(format!("not a schedule: {error}")))?;
    if schedule.schema != SCHEMA {
        return Err(Error::data(format!(
            "the schedule has the schema {:?}, not {SCHEMA:?}",
            schedule.schema
        )));
    }
    let slots = || schedule.sites.iter().flat_map(|site| &site.slots);
    let is_chance = |slot: &Slot| slot.survival.is_none_or(|chance| (0.0..=1.0).contains(&chance));
    if !slots().all(|slot| is_chance(&slot) && slot.weight.is_finite() && slot.weight >= 0.0) {
        return Err(Error::data("the schedule has chances or weights that mean nothing"));
    }
    if slots().all(|slot| slot.survival.is_none()) {
        return Err(Error::usage(
            "the schedule promises nothing: it fetches each page once, or change rates were unknown",
        )
        .with_remedy(
            "make a schedule without --single-visit, from captures that show pages changed and unchanged",
        ));
    }
    Ok(schedule)
}

/// Holds a schedule against the sites of an audit.
pub(crate) fn compare(schedule: &Schedule, file: &str, sites: &[SiteAudit], canon: Canon) -> Promised {
    let mut captured: HashMap<&str, &PageAudit> = HashMap::new();
    for page in sites.iter().flat_map(|site| &site.page_list) {
        // By key, and by the URL as it was captured.
        for name in [&page.key, &page.url] {
            let known = captured.entry(name).or_insert(page);
            if page.last_look > known.last_look {
                *known = page;
            }
        }
    }
    let find = |slot: &Slot| -> Option<&PageAudit> {
        captured.get(&*slot.url).or_else(|| captured.get(&*canon.key(&slot.url))).copied()
    };
    let clock = Clock::of(schedule, |site, slot| find(slot).filter(|page| !is_before(site, page)));
    let mut pages = Vec::new();
    for site in &schedule.sites {
        let revisits = revisits(site);
        for slot in site.slots.iter().filter(|slot| slot.kind == Kind::Visit) {
            let Some(chance) = slot.survival else { continue };
            let page = find(&slot);
            let (reached, mut reason) = judge(site, &slot, page);
            let late = page
                .filter(|page| !is_before(site, page))
                .and_then(|page| clock.late(&slot, revisits.get(&slot.url), page));
            if let Some(late) = late {
                reason = format!("{reason}; captured {} later than planned", duration(late));
            }
            let url = slot.url.to_string();
            pages.push(PromisedPage {
                url,
                weight: slot.weight,
                chance,
                reached,
                late_seconds: late,
                reason,
            });
        }
    }
    let judged: Vec<&PromisedPage> = pages.iter().filter(|page| page.reached.is_some()).collect();
    // An empty sum is −0.
    let sum = |of: &dyn Fn(&PromisedPage) -> f64| judged.iter().map(|page| of(page)).sum::<f64>() + 0.0;
    let expected = sum(&|page| page.weight * page.chance);
    let variance = sum(&|page| page.weight.powi(2) * page.chance * (1.0 - page.chance));
    let reached = sum(&|page| if page.reached == Some(true) { page.weight } else { 0.0 });
    let standard_error = variance.sqrt();
    let agrees = (!judged.is_empty())
        .then(|| (reached - expected).abs() <= 2.0 * standard_error + ROUNDING * expected.max(1.0));
    let begun_late_seconds = clock.begun_late();
    let late = pages.iter().filter_map(|page| page.late_seconds);
    let (late_pages, latest_seconds) = (late.clone().count() as u64, late.reduce(f64::max));
    let mut text = text(pages.len(), judged.len(), (expected, standard_error, reached), agrees);
    text.extend(delay::text(begun_late_seconds, (late_pages, latest_seconds), pages.len() as u64));
    Promised {
        schedule: file.to_owned(),
        pages: pages.len() as u64,
        judged: judged.len() as u64,
        expected,
        standard_error,
        reached,
        agrees,
        begun_late_seconds,
        late_pages,
        latest_seconds,
        text,
        page_list: pages,
    }
}

/// Whether a page was captured before the schedule began, too. Captures may begin within the second of the plan.
fn is_before(site: &SiteSchedule, page: &PageAudit) -> bool {
    let second = |at: Instant| at.0.div_euclid(SECOND);
    site.start.is_some_and(|start| second(page.first_look) < second(start))
}

/// Whether a page was as promised, and why.
fn judge(site: &SiteSchedule, slot: &Slot, page: Option<&PageAudit>) -> (Option<bool>, String) {
    let Some(page) = page else { return (None, "not captured".to_owned()) };
    let once = slot.interval_seconds == Some(0.0);
    if is_before(site, page) {
        return (None, "captured before the schedule began, too: audit the new crawl alone".to_owned());
    }
    match page.state {
        PageState::Sharp => (Some(true), page.reason.clone()),
        PageState::Changed => (Some(false), page.reason.clone()),
        PageState::Single if once => (Some(true), "captured once, as planned".to_owned()),
        PageState::Single => (None, "captured once: its revisit is missing".to_owned()),
        PageState::Unknown => (None, page.reason.clone()),
    }
}

fn text(
    pages: usize,
    judged: usize,
    (expected, error, reached): (f64, f64, f64),
    agrees: Option<bool>,
) -> String {
    let Some(agrees) = agrees else {
        return format!("None of {} of the schedule can be judged.", count(pages as u64, "page"));
    };
    let judged = if judged == pages { String::new() } else { format!("{judged} judged of ") };
    let verdict = match (agrees, reached > expected) {
        (true, _) => "as promised: within two standard errors",
        (false, true) => "more than promised, by over two standard errors",
        (false, false) => "less than promised, by over two standard errors",
    };
    format!(
        "Promised {} ± {} of {judged}{} unchanged, by weight; reached {}: {verdict}.",
        precise(expected),
        precise(error),
        count(pages as u64, "page"),
        precise(reached),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::look;
    use crate::schedule::build::{Request, When, build};
    use crate::schedule::page::Page;

    /// Two days from visit to revisit of the outermost page; a is in the middle.
    fn schedule(start: Option<&str>) -> Schedule {
        let page = |name: &str, rate: f64| Page::new(&format!("http://a.example/{name}"), rate);
        let pages = [page("a", 1e-5), page("b", 5e-6), page("c", 1e-6), page("d", 0.0)];
        let when = start.map_or(When::Sometime, |start| When::Start(Instant::parse(start).unwrap()));
        build(&pages, &Request { delay: 28_800.0, when, middle_once: true, ..Request::default() }).unwrap()
    }

    fn crawl() -> Vec<SiteAudit> {
        let page = |name: &str, day: u32, body| {
            look(&format!("http://a.example/{name}"), &format!("2024-01-0{day}T00:00:00Z")).body(body).build()
        };
        let looks = [
            page("a", 2, 1),
            page("b", 1, 2),
            page("b", 3, 3),
            page("c", 1, 4),
            page("c", 3, 4),
            page("d", 1, 5),
        ];
        audit(&Table::of(&looks), &Parameters::default(), AuditInput::default()).sites
    }

    #[test]
    fn pages_are_judged_one_by_one_and_what_cannot_be_judged_is_left_out() {
        let schedule = schedule(None);
        let found = compare(&schedule, "s.json", &crawl(), Canon::Default);
        let of = |name: &str| found.page_list.iter().find(|page| page.url.ends_with(name)).unwrap();
        assert_eq!(of("/a").reached, Some(true), "fetched once, as planned: {}", of("/a").reason);
        assert_eq!((of("/b").reached, of("/c").reached), (Some(false), Some(true)));
        assert_eq!(of("/d").reached, None, "its revisit is missing");
        assert_eq!((found.pages, found.judged, found.reached), (4, 3, 2.0));
        let chances = [1.0, of("/b").chance, of("/c").chance];
        assert_eq!(of("/a").chance, 1.0);
        assert!((found.expected - chances.iter().sum::<f64>()).abs() < 1e-12);
        let variance: f64 = chances.iter().map(|p| p * (1.0 - p)).sum();
        assert!((found.standard_error - variance.sqrt()).abs() < 1e-12);
        assert!(found.text.starts_with("Promised ") && found.text.contains("3 judged of 4 pages"));
    }

    #[test]
    fn what_was_captured_before_the_schedule_began_is_not_judged() {
        let found = compare(&schedule(Some("2024-01-02")), "s.json", &crawl(), Canon::Default);
        assert_eq!(found.judged, 1, "{found:?}");
        let found = compare(&schedule(Some("2023-12-31T23:59:59Z")), "s.json", &crawl(), Canon::Default);
        assert_eq!(found.judged, 3);
        let none = compare(&schedule(None), "s.json", &[], Canon::Default);
        assert_eq!((none.judged, none.agrees), (0, None));
        assert_eq!(none.text, "None of 4 pages of the schedule can be judged.");
    }

    /// The crawl of a schedule in which each download was so many hours late.
    fn crawl_of(schedule: &Schedule, late: impl Fn(&Slot) -> i64) -> Vec<SiteAudit> {
        let first = Instant::parse("2024-01-01T00:00:00Z").unwrap();
        let slots = schedule.sites.iter().flat_map(|site| &site.slots);
        let looks: Vec<_> = slots
            .map(|slot| {
                let at = first.plus((slot.seconds as i64 + 3600 * late(&slot)) * SECOND);
                look(&slot.url, &at.to_string()).body(1).build()
            })
            .collect();
        audit(&Table::of(&looks), &Parameters::default(), AuditInput::default()).sites
    }

    #[test]
    fn a_late_crawl_is_named_with_its_delay() {
        let dated = schedule(Some("2024-01-01"));
        let found = |schedule: &Schedule, late: &dyn Fn(&Slot) -> i64| {
            compare(schedule, "s.json", &crawl_of(schedule, late), Canon::Default)
        };
        let in_time = found(&dated, &|_| 0);
        assert_eq!((in_time.begun_late_seconds, in_time.late_pages, in_time.latest_seconds), (None, 0, None));
        assert!(!in_time.text.contains("late"), "{}", in_time.text);
        // All of it two hours later: every page, by as much.
        let begun = found(&dated, &|_| 2);
        assert_eq!((begun.begun_late_seconds, begun.late_pages), (Some(7200.0), 4));
        assert_eq!((begun.latest_seconds, begun.judged), (Some(7200.0), 4));
        assert!(begun.text.contains("it began 2 h later than planned"), "{}", begun.text);
        assert!(begun.text.contains("4 of 4 pages were captured late, by up to 2 h"), "{}", begun.text);
        assert!(begun.text.contains("made for the planned times"), "{}", begun.text);
        // Begun in time; the revisit of one page was late, with dates and without.
        let revisit = |slot: &Slot| i64::from(slot.kind == Kind::Revisit && slot.url.ends_with("/c")) * 3;
        for schedule in [&dated, &schedule(None)] {
            let one = found(schedule, &revisit);
            assert_eq!((one.begun_late_seconds, one.late_pages), (None, 1));
            let page = one.page_list.iter().find(|page| page.url.ends_with("/c")).unwrap();
            assert_eq!(page.late_seconds, Some(10_800.0));
            assert!(page.reason.ends_with("captured 3 h later than planned"), "{}", page.reason);
            assert!(one.text.contains("1 of 4 pages was captured late, by up to 3 h"), "{}", one.text);
        }
        // Without dates it is unknown when it should have begun.
        assert!(!found(&schedule(None), &|_| 2).text.contains("late"));
    }

    #[test]
    fn schedules_that_promise_nothing_or_mean_nothing_are_refused() {
        let good = serde_json::to_value(schedule(None)).unwrap();
        let read = |value: &serde_json::Value| super::read(value.to_string().as_bytes());
        assert!(read(&good).is_ok());
        let mut bad = good.clone();
        bad["sites"][0]["slots"][0]["survival"] = 2.0.into();
        assert!(read(&bad).unwrap_err().to_string().contains("mean nothing"));
        let mut bad = good.clone();
        bad["schema"] = "acuity.audit/1".into();
        assert!(read(&bad).is_err());
        let mut single = good;
        for slot in single["sites"][0]["slots"].as_array_mut().unwrap() {
            slot["survival"] = serde_json::Value::Null;
        }
        assert!(read(&single).unwrap_err().to_string().contains("promises nothing"));
        assert!(super::read(b"{").is_err());
    }
}
