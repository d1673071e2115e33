//! From the audit to the next crawl: its pages with rates, weights and lanes, the pause between them, and the recommendation
//! that ends the report.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::audit::model::{Input, Missing, PageAudit, Reschedule, SiteAudit};
use crate::audit::page::Work;
use crate::audit::words::{count, figure, length};
use crate::capture::page::folder;
use crate::capture::table::Table;
use crate::capture::url::{SiteBy, host};
use crate::change::rate::Source;
use crate::schedule::compare::{Mode, gap};
use crate::schedule::delay::{Fetch, median_pause};
use crate::schedule::expected::{coherence, expected};
use crate::schedule::optimal::Optimal;
use crate::schedule::page::{Basis, Page};
use crate::schedule::{Site, last};
use crate::time::{DAY, SECOND};

/// Δ in seconds where nothing tells how long a crawler may wait.
pub const DELAY: f64 = 1.0;

/// Up to so many pages the recommendation is the exact optimum, above within 0.1 %: a report must not take long.
const EXACT: usize = 400;
/// So many pages of an audit are rescheduled; `acuity schedule` takes any number.
pub const RESCHEDULED: usize = 2_000;

const SECONDS_A_DAY: f64 = (DAY / SECOND) as f64;

/// The pages of the next crawl.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NextCrawl {
    /// The pages, by site and key; behind those of a site what is linked but was never captured.
    pub pages: Vec<Page>,
    /// Δ of the lanes where it can be seen, in seconds.
    pub delays: HashMap<Arc<str>, f64>,
}

/// The pause that was kept between two pages of a host, in seconds.
pub fn delay(table: &Table, works: &[Work<'_>]) -> Option<f64> {
    let fetches = works.iter().flat_map(|work| {
        work.rows.iter().zip(&work.crawls).map(|(row, crawl)| Fetch {
            lane: (*crawl, host(table.text(row.url)).unwrap_or_default()),
            at: row.time,
            page: work.place,
        })
    });
    median_pause(fetches.collect())
}

/// The pages of the next crawl of these sites. Of a site with several entries, the latest one says how it was crawled, and
/// all of them which pages it has.
pub fn plan(sites: &[SiteAudit], uncaptured: bool) -> NextCrawl {
    let mut entries: BTreeMap<&str, Vec<&SiteAudit>> = BTreeMap::new();
    for site in sites {
        entries.entry(&site.site).or_default().push(site);
    }
    let mut next = NextCrawl::default();
    for mut entries in entries.into_values() {
        entries.sort_by_key(|site| site.window.to);
        next.add(&entries, uncaptured);
    }
    next
}

impl NextCrawl {
    fn add(&mut self, entries: &[&SiteAudit], uncaptured: bool) {
        let Some(latest) = entries.last() else { return };
        let mut pages: BTreeMap<&str, (&PageAudit, bool)> = BTreeMap::new();
        for (number, site) in entries.iter().enumerate() {
            let is_latest = number + 1 == entries.len();
            pages.extend(site.page_list.iter().map(|page| (page.key.as_str(), (page, is_latest))));
        }
        let lane = |url: &str| -> Arc<str> {
            SiteBy::Host.site_of(url).unwrap_or_else(|| latest.site.clone()).into()
        };
        let new = |url: &str, per_day: f64, weight: f64, basis: Basis| Page {
            lane: lane(url),
            weight,
            group: Some(folder(url).into()),
            basis,
            ..Page::new(url, per_day / SECONDS_A_DAY)
        };
        let first = self.pages.len();
        for (page, is_latest) in pages.values() {
            let basis = match page.rate.source {
                Source::Folder | Source::Site => Basis::Others,
                Source::History | Source::Looks | Source::LastModified | Source::Sitemap => Basis::Own,
            };
            self.pages.push(Page {
                looks: is_latest.then_some((page.first_look, page.last_look)),
                ..new(&page.url, page.rate.per_day, page.weight, basis)
            });
        }
        if uncaptured {
            let known: HashSet<&str> =
                pages.values().flat_map(|(page, _)| &page.urls).map(String::as_str).collect();
            let mut added: HashSet<&str> = HashSet::new();
            for missing in latest.missing.iter().flatten().filter(|missing| worth_a_try(missing)) {
                let url = missing.url.as_str();
                if !known.contains(url) && added.insert(url) {
                    // Weights of a site have the mean 1.
                    self.pages.push(new(url, latest.rates.prior.mean_per_day, 1.0, Basis::Uncaptured));
                }
            }
        }
        if let Some(delay) = latest.delay_seconds {
            for page in &self.pages[first..] {
                self.delays.entry(page.lane.clone()).or_insert(delay);
            }
        }
    }
}

/// A link that was not tried, or that failed on the server's side.
fn worth_a_try(missing: &Missing) -> bool {
    missing.kind == "link" && missing.status.is_none_or(|status| status >= 500)
}

/// Recommends the next crawl of a site in its latest entry; `entries` are all of that site. `left` is how many more pages may
/// be rescheduled. `only` says that the audit has no other site.
pub fn recommend(entries: &mut [SiteAudit], inputs: &[Input], only: bool, left: &mut usize) {
    let next = plan(entries, true);
    let Some(latest) = entries.iter_mut().max_by_key(|site| site.window.to) else { return };
    if next.pages.is_empty() || next.pages.len() > *left {
        latest.next.push("acuity schedule: the best order for the next crawl".to_owned());
        return;
    }
    *left -= next.pages.len();
    latest.reschedule = of(&next, command(inputs, &latest.site, only));
}

fn of(next: &NextCrawl, command: String) -> Option<Reschedule> {
    let mut lanes: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
    for page in &next.pages {
        lanes.entry(&page.lane).or_default().push(page);
    }
    let (mut reached, mut upper, mut hopeless) = (0.0, 0.0, 0);
    let mut before = Some(0.0);
    for (lane, pages) in &lanes {
        let delay = next.delays.get(*lane).copied().unwrap_or(DELAY);
        // Rates and weights of an audit read back may be anything: then there is no recommendation.
        let site = Site::new(pages.iter().map(|page| page.rate).collect(), delay).ok()?;
        let site = site.with_weights(pages.iter().map(|page| page.weight).collect()).ok()?;
        let plan = Optimal::within(&site, EXACT);
        let result = expected(&site, &plan, Mode::default().floor());
        reached += result.coherence?;
        upper += plan.bound()?;
        hopeless += result.hopeless.unwrap_or(0) as u64;
        let own = last::plan(pages, &site).and_then(|plan| coherence(&site, &plan));
        before = before.zip(own).map(|(sum, own)| sum + own);
    }
    let delay_seconds = next.delays.values().copied().reduce(f64::max).unwrap_or(DELAY);
    let mut recommended = Reschedule {
        strategy: "optimal".to_owned(),
        delay_seconds,
        pages: next.pages.len() as u64,
        expected_coherence: reached,
        upper_bound: upper,
        gap: gap(upper, reached),
        last_crawl: before,
        gain: before.map(|before| (reached - before).max(0.0)),
        hopeless,
        unknown_rates: next.pages.iter().filter(|page| page.basis != Basis::Own).count() as u64,
        range: None,
        text: String::new(),
        command,
    };
    recommended.text = text(&recommended, !next.delays.is_empty());
    Some(recommended)
}

fn text(recommended: &Reschedule, seen: bool) -> String {
    let Reschedule { pages, expected_coherence, gain, hopeless, unknown_rates, .. } = recommended;
    let best = match recommended.gap {
        Some(gap) if gap < 1e-9 => "provably the best order".to_owned(),
        Some(gap) => format!("at most {:.2} % below the best possible", 100.0 * gap),
        None => "no order can do better".to_owned(),
    };
    let gain = gain.map_or_else(String::new, |gain| match gain {
        gain if gain < 5e-4 => ", as many as by the order of the last crawl".to_owned(),
        gain => format!(", {} more than by the order of the last crawl", figure(gain)),
    });
    let pace = length(recommended.delay_seconds);
    let pace = if seen { pace } else { format!("{pace} (assumed)") };
    let mut text = format!(
        "optimal: {} of {} expected to stay sharp{gain}; {best}, one page every {pace}.",
        figure(*expected_coherence),
        count(*pages, "page"),
    );
    if *hopeless > 0 {
        let are = if *hopeless == 1 { "is" } else { "are" };
        text.push_str(&format!(" {} {are} hopeless.", count(*hopeless, "page")));
    }
    match *unknown_rates {
        0 => {}
        all if all == *pages => text.push_str(
            " How often these pages change is not known: their rates are assumed, and a second look tells more.",
        ),
        some => text.push_str(&format!(
            " The rates of {} are not known and taken from other pages.",
            count(some, "page")
        )),
    }
    text
}

/// What to run for the whole schedule.
fn command(inputs: &[Input], site: &str, only: bool) -> String {
    let inputs = match inputs {
        [] => "INPUT…".to_owned(),
        few if few.len() <= 2 => few.iter().map(|input| quoted(&input.path)).collect::<Vec<_>>().join(" "),
        _ => "INPUT…".to_owned(),
    };
    let site = if only { String::new() } else { format!(" --site {}", quoted(site)) };
    format!("acuity schedule {inputs}{site}")
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('-') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
#[path = "next_crawl_tests.rs"]
mod tests;
