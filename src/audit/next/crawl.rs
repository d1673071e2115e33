//! From the audit to the next crawl: its pages with rates, weights and lanes, the pause between them, and the recommendation
//! that ends the report.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;

use crate::audit::capture_spacing;
use crate::audit::commands::Commands;
use crate::audit::model::{PageAudit, Reschedule, SiteAudit};
use crate::audit::next::again;
use crate::audit::next::plan::{self, lanes, planned, reach, strategies};
use crate::audit::next::shelf::by_key;
use crate::audit::next::site_crawl::SiteCrawl;
use crate::audit::page_record::PageRecord;
use crate::capture::page::path;
use crate::format::{count, duration, percent};
use crate::schedule::compare::{difference, gap};
use crate::schedule::delay::{Fetch, median_pause};
use crate::schedule::last_crawl;
use crate::schedule::model::is_best;
use crate::schedule::page::{Basis, Page};
use crate::schedule::subsite;
use crate::url::host;

/// Δ in seconds where no pause is known.
pub(crate) const DELAY: f64 = 1.0;

/// What an audit spends on recommendations; `acuity schedule` takes any number of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Pages that may still be rescheduled.
    pub pages: usize,
    /// Sites for which the other strategies may still be run.
    pub comparisons: usize,
}

impl Default for Room {
    fn default() -> Self {
        Room { pages: 2_000, comparisons: 20 }
    }
}

/// Maximum number of pages for which other strategies are run for comparison.
const COMPARED: usize = 1_000;
/// How many of the pages that were never captured are named.
const NAMED: usize = 10;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NextCrawl {
    /// The pages, by site and key; behind those of a site what is linked but was never captured.
    pub pages: Vec<Page>,
    /// Δ of the lanes where it can be seen, in seconds.
    pub delays: HashMap<Arc<str>, f64>,
    /// Remark on the patterns of change; `None` without patterns.
    pub patterns: Option<String>,
}

/// The captures of pages, by which the pause is found that was kept between two pages of a host.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    hosts: HashMap<String, u32>,
    /// The numbers of crawls on hosts.
    lanes: HashMap<(u64, u32), u32>,
    fetches: Vec<Fetch<u32>>,
    pages: u32,
}

impl Pauses {
    pub(crate) fn add(&mut self, record: &PageRecord) {
        for capture in &record.captures {
            let name = host(record.spelling(record.answer(capture))).unwrap_or_default();
            let number = match self.hosts.get(name) {
                Some(number) => *number,
                None => {
                    let number = self.hosts.len() as u32;
                    self.hosts.insert(name.to_owned(), number);
                    number
                }
            };
            let next = self.lanes.len() as u32;
            let lane = *self.lanes.entry((capture.crawl, number)).or_insert(next);
            self.fetches.push(Fetch { lane, at: capture.time, page: self.pages });
        }
        self.pages += 1;
    }

    /// The pause in seconds.
    pub(crate) fn finish(self) -> Option<f64> {
        median_pause(self.fetches)
    }
}

/// The pages of the next crawl of these sites. Of a site with several entries, the latest one says how it was crawled, and
/// all of them which pages it has.
pub(crate) fn plan(sites: &[SiteAudit], uncaptured: bool) -> NextCrawl {
    let mut entries: BTreeMap<&str, Vec<&SiteAudit>> = BTreeMap::new();
    for site in sites {
        entries.entry(&site.site).or_default().push(site);
    }
    let mut next = NextCrawl::default();
    let mut sitemaps = Vec::new();
    let mut latest = Vec::with_capacity(entries.len());
    for mut entries in entries.into_values() {
        entries.sort_by_key(|site| site.window.to);
        entries.reverse();
        // Pages in memory can always be read.
        let _ = next.add(&entries, uncaptured, &mut sitemaps);
        latest.extend(entries.first().copied());
    }
    subsite::divide(&mut next.pages, &sitemaps);
    next.patterns = remark(latest.into_iter(), !next.pages.is_empty());
    next
}

/// What the patterns of change rest on, by the latest entries of sites; `None` without pages.
pub(crate) fn remark<'s>(latest: impl Iterator<Item = &'s SiteAudit>, has_pages: bool) -> Option<String> {
    let (mut looks, mut hours) = (0, 0);
    for class in latest.flat_map(|site| site.patterns.as_deref().unwrap_or_default()) {
        looks += class.pattern.looks;
        hours = hours.max(class.pattern.periods_trusted);
    }
    has_pages.then(|| match looks {
        0 => "patterns: no capture shows when pages change; only change rates are used".to_owned(),
        looks => format!(
            "patterns rest on {}; {hours} of 72 hours of the week are well covered{}",
            count(u64::from(looks), "capture"),
            if hours < 24 { ": a hint" } else { "" }
        ),
    })
}

impl NextCrawl {
    /// Adds a site by its entries, the latest first; `sitemaps` are those that list the pages.
    fn add<'s>(
        &mut self,
        entries: &[&'s SiteAudit],
        uncaptured: bool,
        sitemaps: &mut Vec<Option<Arc<str>>>,
    ) -> io::Result<()> {
        let Some(latest) = entries.first() else { return Ok(()) };
        let mut names: HashMap<String, Arc<str>> = HashMap::new();
        let mut pages: Vec<(&'s PageAudit, bool)> = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            pages.extend(entry.page_list.iter().map(|page| (page, number == 0)));
        }
        by_key::<_, PageAudit>(&mut pages);
        let mut listed_by = |sitemap: Option<&str>| {
            let name = |name: &str| names.entry(name.to_owned()).or_insert_with(|| name.into()).clone();
            sitemaps.push(sitemap.map(name));
        };
        let crawl = SiteCrawl::new(latest, &pages)?;
        let first = self.pages.len();
        for (page, is_latest) in &pages {
            listed_by(page.sitemap.as_deref());
            self.pages.push(crawl.page(*page, *is_latest));
        }
        if uncaptured {
            for (page, sitemap) in crawl.uncaptured(&pages)? {
                listed_by(sitemap);
                self.pages.push(page);
            }
        }
        if let Some(delay) = latest.delay_seconds {
            for page in &self.pages[first..] {
                self.delays.entry(page.lane.clone()).or_insert(delay);
            }
        }
        Ok(())
    }
}

/// Recommends the next crawl of a site in its latest entry; `entries` are all of that site. `room` is what may still be spent.
pub(crate) fn recommend(entries: &mut [SiteAudit], commands: &Commands, room: &mut Room) {
    // Where there are too many pages for a list, there are too many for a plan.
    let is_large = entries.iter().any(|entry| entry.page_totals.is_some());
    let least = entries.iter().map(|entry| entry.page_list.len()).max().unwrap_or(0);
    let has_room = !is_large && least <= room.pages;
    let next = if has_room { plan(entries, true) } else { NextCrawl::default() };
    let Some(latest) = entries.iter_mut().max_by_key(|site| site.window.to) else { return };
    if next.pages.is_empty() || next.pages.len() > room.pages {
        latest.next.push(best_order(commands, &latest.site));
        return;
    }
    let all = room.comparisons > 0 && next.pages.len() <= COMPARED;
    latest.reschedule = of(&next, latest, commands.schedule(&latest.site).text(), all);
    if latest.reschedule.is_some() {
        room.pages -= next.pages.len();
        room.comparisons -= usize::from(all);
    }
}

/// Whether the last crawl, if it was as quick as the next one, kept far less than its order is expected to keep.
fn is_refuted(recommended: &Reschedule, pages: &[PageAudit]) -> bool {
    let expected = recommended.last_crawl.map(|kept| kept / recommended.compared_pages.max(1) as f64);
    let found = expected.zip(capture_spacing::kept(pages)).filter(|_| recommended.no_quicker);
    found.is_some_and(|(expected, kept)| expected - kept > capture_spacing::MISFIT)
}

/// Takes away of a recommendation what the whole has no room for: the site was audited as a part, with room of its own.
pub(crate) fn keep_within(entries: &mut [SiteAudit], commands: &Commands, room: &mut Room) {
    let Some(latest) = entries.iter_mut().max_by_key(|site| site.window.to) else { return };
    let Some(recommended) = &mut latest.reschedule else { return };
    let pages = recommended.pages as usize;
    if pages > room.pages {
        latest.next.push(best_order(commands, &latest.site));
        latest.reschedule = None;
        return;
    }
    let all = room.comparisons > 0 && pages <= COMPARED;
    if !all {
        recommended.strategies.retain(|row| matches!(&*row.name, "optimal" | last_crawl::NAME));
    }
    room.pages -= pages;
    room.comparisons -= usize::from(all);
}

/// Where the best order is found that a report has no room for.
fn best_order(commands: &Commands, site: &str) -> String {
    format!("{}: the best order for the next crawl", commands.schedule(site).text().trim_end_matches('.'))
}

/// The recommendation for a site by its latest entry; `all` strategies are compared, or only the best with the last crawl.
fn of(next: &NextCrawl, latest: &SiteAudit, command: String, all: bool) -> Option<Reschedule> {
    let delay = |lane: &str| next.delays.get(lane).copied().unwrap_or(DELAY);
    let lanes = lanes(next.pages.iter(), delay)?;
    let reached = reach(&lanes)?;
    // Orders compare on the same pages: those that the last crawl had.
    let had = || next.pages.iter().filter(|page| page.looks.is_some());
    let is_whole = had().count() == next.pages.len();
    let fewer = if is_whole { Vec::new() } else { plan::lanes(had(), delay)? };
    let lanes_had = if is_whole { &lanes } else { &fewer };
    let compared = match had().count() {
        0 => None,
        _ if is_whole => Some(reached),
        _ => Some(reach(&fewer)?),
    };
    let compared = compared.and_then(|compared| Some((compared.coherence, compared.last?)));
    let again = compared.and_then(|(best, last)| again::after(lanes_had, best > last));
    let never = || next.pages.iter().filter(|page| page.basis == Basis::Uncaptured);
    let delay_seconds = next.delays.values().copied().reduce(f64::max).unwrap_or(DELAY);
    let mut recommended = Reschedule {
        strategy: "optimal".to_owned(),
        delay_seconds,
        pages: next.pages.len() as u64,
        never_captured: never().count() as u64,
        never_captured_pages: never().take(NAMED).map(|page| page.url.to_string()).collect(),
        expected_coherence: Some(reached.coherence),
        upper_bound: Some(reached.upper),
        gap: gap(reached.upper, reached.coherence),
        compared_pages: had().count() as u64,
        compared_coherence: compared.map(|(best, _)| best),
        last_crawl: compared.map(|(_, last)| last),
        gain: compared.map(|(best, last)| difference(best, last).max(0.0)),
        again,
        is_shown: true,
        no_quicker: false,
        doubtful: 0.0,
        hopeless: reached.hopeless,
        unknown_rates: next.pages.iter().filter(|page| page.basis != Basis::Own).count() as u64,
        range: None,
        text: String::new(),
        command,
        plan: planned(&lanes),
        strategies: strategies(&lanes, reached.upper, all),
    };
    if recommended.unknown_rates > 0 && !next.pages.iter().any(Page::has_own_rate) {
        recommended.forget_chances();
    }
    recommended.judge(latest);
    let weighed = next.pages.windows(2).any(|pair| pair[0].weight != pair[1].weight);
    recommended.text = text(&recommended, !next.delays.is_empty(), weighed);
    Some(recommended)
}

impl Reschedule {
    /// Says whether captures of the last crawl show what to expect; where they do not, nothing is expected.
    fn judge(&mut self, latest: &SiteAudit) {
        let gap = self.delay_seconds * self.pages as f64;
        let pages = &latest.page_list;
        self.no_quicker = capture_spacing::is_as_quick(pages, gap);
        self.doubtful = capture_spacing::doubtful(pages, &self.plan);
        let fits = latest.rates.check.is_none_or(|check| check.agrees) && !is_refuted(self, pages);
        self.is_shown = fits && capture_spacing::is_shown(pages, gap);
        if !self.is_shown {
            self.forget_chances();
        }
    }

    /// Whether what is expected rests on pages that may be generated for each request.
    fn is_doubtful(&self) -> bool {
        self.doubtful > capture_spacing::MAX_OPEN_SHARE * self.pages as f64
    }

    /// Leaves the order, and nothing that rests on change rates: they are unknown.
    fn forget_chances(&mut self) {
        (self.expected_coherence, self.upper_bound, self.gap) = (None, None, None);
        (self.compared_coherence, self.last_crawl, self.gain) = (None, None, None);
        (self.again, self.hopeless, self.doubtful) = (None, 0, 0.0);
        for page in &mut self.plan {
            (page.chance, page.hopeful) = (None, true);
        }
        self.strategies.clear();
    }
}

fn text(recommended: &Reschedule, seen: bool, weighed: bool) -> String {
    let Reschedule { pages, expected_coherence, hopeless, unknown_rates, never_captured, .. } = recommended;
    let of_what = if weighed { "of importance" } else { "of pages" };
    let orders =
        recommended.compared_coherence.zip(recommended.last_crawl).filter(|_| recommended.compared_pages > 0);
    let mut text = match orders {
        // The two orders, on the pages that both have.
        Some((best, last)) => {
            let had = recommended.compared_pages;
            let share = |coherence: f64| percent(coherence / had as f64);
            let (best, last) = (share(best), share(last));
            let on = match had {
                1 => "On the page of the last crawl".to_owned(),
                _ => format!("On the {} of the last crawl", count(had, "page")),
            };
            match best == last {
                true => format!(
                    "{on}, the planned order and the last order do equally well: {best} {of_what} expected consistent."
                ),
                false => format!(
                    "{on}, {best} {of_what} expected consistent in the planned order, and {last} in the last order."
                ),
            }
        }
        None => match expected_coherence {
            _ if !recommended.is_shown => {
                "Captures do not show what to expect of a crawl at this pace, so no share is promised.".to_owned()
            }
            Some(expected) => format!(
                "In the planned order, {} {of_what} expected consistent.",
                percent(expected / (*pages).max(1) as f64)
            ),
            None => "How often these pages change is unknown, so no order can be rated. A second capture would show \
                     more."
                .to_owned(),
        },
    };
    if recommended.is_doubtful() {
        text.push_str(" Less if pages that changed are generated for each request.");
    }
    text.push_str(&match recommended.gap {
        Some(gap) if is_best(gap) => " No order can do better.".to_owned(),
        Some(gap) if gap < 5e-5 => " No order can do better by more than 0.01%.".to_owned(),
        Some(gap) => format!(" The best possible order is at most {:.2}% better.", 100.0 * gap),
        None => String::new(),
    });
    let pace = duration(recommended.delay_seconds);
    text.push_str(&match seen {
        true => format!(" One page every {pace}."),
        false => format!(" One page every {pace}, which is assumed."),
    });
    if *never_captured > 0 {
        let named: Vec<String> =
            recommended.never_captured_pages.iter().take(2).map(|url| short_path(url)).collect();
        let more = if *never_captured > 2 { ", …" } else { "" };
        let were = if *never_captured == 1 { "was" } else { "were" };
        let pages = count(*never_captured, "page");
        let rates = if never_captured == unknown_rates { "; rates taken from other pages" } else { "" };
        text.push_str(&format!(" {pages} {were} never captured: {}{more}{rates}.", named.join(", ")));
    }
    if *hopeless > 0 {
        let change = if *hopeless == 1 { "changes" } else { "change" };
        text.push_str(&format!(
            " {} {change} too fast to be captured consistently.",
            count(*hopeless, "page")
        ));
    }
    match *unknown_rates {
        0 => {}
        all if all == *never_captured => {}
        all if all == *pages => {}
        some => text.push_str(&format!(
            " The rates of {} are unknown, and taken from other pages.",
            count(some, "page")
        )),
    }
    text
}

/// The path of a URL, its end cut off where it is long.
fn short_path(url: &str) -> String {
    const MAX_CHARS: usize = 40;
    let path = path(url);
    match path.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

#[cfg(test)]
#[path = "crawl_tests.rs"]
mod tests;
