//! What to do first: at most five actions, each with an effect that was computed, or with its count.

use std::collections::HashSet;

use crate::audit::action_order;
use crate::audit::answers::{day_of_pages, shows_importance};
use crate::audit::bands::{self, Open, Parts};
use crate::audit::collection_answers::AllSeeds;
use crate::audit::commands::Commands;
use crate::audit::completeness_figure::{Effect, MIN_FOR_PERCENT, together};
use crate::audit::model::{Action, ActionKind, Answers, Band, BandCounts, Missing, Question, SiteAudit};
use crate::audit::record::Record;
use crate::audit::record_actions;
use crate::audit::{capture_spacing, closer_captures, retry};
use crate::format::{count, list, local, number, part_of, percent, percent_change, percents};
use crate::html::links::LinkKind;
use crate::quality::link_completeness::TargetStatus;
use crate::time::Interval;

/// Minimum gain of an order of the next crawl that is suggested, as a share.
pub(crate) const GAIN: f64 = 0.005;
/// Minimum gain of pages captured again after the next crawl.
const GAIN_AGAIN: f64 = 0.01;
/// Writes what the actions mean by never requested, and nothing else.
const LIST_MISSING: &str = "--missing missing.txt --missing-only untried";
/// A page that holds this share of importance and is not consistent is named.
const HEAVY: f64 = 0.10;

/// What is known when the actions are chosen.
pub(crate) struct Known<'a> {
    pub record: Record<'a>,
    pub answers: &'a Answers,
    /// What became of the seeds of all sites.
    pub seeds: Option<AllSeeds>,
    pub commands: &'a Commands,
    /// The period that a reader has seen.
    pub shown: Option<Interval>,
}

/// The actions, most urgent first.
pub(crate) fn choose(known: &Known<'_>) -> Vec<Action> {
    let sites = known.record.sites;
    let mut actions = record_actions::of(&known.record, known.commands);
    match sites {
        [] => {}
        [only] => actions.extend(of_site(known, only)),
        many => actions.extend(of_sites(known, many)),
    }
    actions.extend(seeds(known));
    action_order::first(actions, known)
}

fn of_site(known: &Known<'_>, site: &SiteAudit) -> Vec<Action> {
    let commands = known.commands;
    let mut actions = Vec::new();
    let band = bands::consistent(site);
    if band == Band::CannotTell && site.pages.total > 0 {
        let once = site.pages.single;
        let text = "Capture each page twice in the next crawl: consistency can then be judged.".to_owned();
        let twice = Action::new(ActionKind::CaptureTwice, Question::Consistent, once.max(1), text);
        actions.push(twice.about(&site.site).run(commands.schedule(&site.site)));
        if once == site.pages.total {
            let text = "If you hold another crawl of this site, audit both together.".to_owned();
            let other = Action::new(ActionKind::AddCrawl, Question::Consistent, 1, text);
            actions.push(other.about(&site.site).run(commands.audit("OTHER-CRAWL")));
        }
    } else {
        let planned = planned(known, site).or_else(|| closer_captures::of_site(known, site));
        actions.extend(planned.or_else(|| closer_captures::by_plan(known, site)));
    }
    actions.extend(again(known, site));
    actions.extend(missing(known, site));
    actions.extend(retry::of_site(known, site));
    actions.extend(scope(known, site));
    actions.extend(invisible(known, site));
    actions.extend(looks(known, site));
    actions
}

/// The shares expected to be consistent in the planned and in the last order, on the same pages, where captures show what to
/// expect of so short a crawl.
pub(crate) fn compared(site: &SiteAudit) -> Option<(f64, f64)> {
    let plan = site.reschedule.as_ref().filter(|plan| plan.compared_pages > 0 && plan.is_shown)?;
    let pages = plan.compared_pages as f64;
    Some((plan.compared_coherence? / pages, plan.last_crawl? / pages))
}

/// Whether the planned order gains enough to be worth a line.
pub(crate) fn is_planned_better(site: &SiteAudit) -> bool {
    compared(site).is_some_and(|(planned, last)| planned - last > GAIN)
}

/// Whether the archive does not record what the crawl of a site was meant to cover.
pub(crate) fn is_unrecorded(site: &SiteAudit) -> bool {
    Parts::of(site).limits_open
}

/// The next crawl in the planned order, where that helps.
fn planned(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let plan = site.reschedule.as_ref()?;
    let is_there = closer_captures::gone(site) < site.pages.total;
    let (planned, last) = compared(site).filter(|_| is_planned_better(site) && is_there)?;
    let is_doubtful = is_doubtful(std::iter::once(site));
    let said = |orders: String| format!("Crawl in the planned order: {orders}.");
    let text = said(orders(last, planned, is_doubtful));
    let in_counts = orders_in_counts(last, planned, plan.compared_pages, is_doubtful).map(said);
    let action = Action::new(ActionKind::PlanCrawl, Question::Consistent, plan.compared_pages, text);
    let action = Action { in_counts, ..action.about(&site.site).effect(last, planned) };
    Some(action.run(known.commands.schedule(&site.site)))
}

/// What the two orders come to, in pages of mean importance; `None` where these are the same.
fn orders_in_counts(last: f64, planned: f64, pages: u64, is_doubtful: bool) -> Option<String> {
    let [last, planned] = [last, planned].map(|share| (share * pages as f64).round() as u64);
    let about = if is_doubtful { "" } else { "about " };
    let expected = format!("{about}{} of {}", number(planned), count(pages, "page"));
    (last < planned).then(|| expected_orders(&expected, &number(last), is_doubtful))
}

/// What the planned and the last order come to.
fn orders(last: f64, planned: f64, is_doubtful: bool) -> String {
    let (last, planned) = percents(last, planned);
    expected_orders(&planned, &last, is_doubtful)
}

/// The two orders in words; at most so much, where this rests on pages that may be generated for each request.
fn expected_orders(planned: &str, last: &str, is_doubtful: bool) -> String {
    match is_doubtful {
        true => format!("up to {planned} consistent, {last} in the last order"),
        false => format!("{planned} expected consistent, {last} in the last order"),
    }
}

/// Whether what is expected of sites rests on pages that may be generated for each request.
pub(crate) fn is_doubtful<'s>(sites: impl Iterator<Item = &'s SiteAudit>) -> bool {
    let plans = sites.filter_map(|site| site.reschedule.as_ref());
    let (doubtful, pages) = plans
        .fold((0.0, 0), |(doubtful, pages), plan| (doubtful + plan.doubtful, pages + plan.compared_pages));
    doubtful > capture_spacing::MAX_OPEN_SHARE * pages as f64
}

/// Sites that are not consistent, and would be more so in the planned order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PlannedSites<'a> {
    /// How many; and the only one.
    pub sites: u64,
    pub only: Option<&'a str>,
    /// The shares expected to be consistent in the planned and in the last order, over all their pages.
    pub planned: f64,
    pub last: f64,
}

/// Whether a site is not consistent, and would be more so in the planned order.
pub(crate) fn needs_plan(site: &SiteAudit) -> bool {
    let is_lacking = matches!(bands::consistent(site), Band::Poor | Band::Mixed);
    is_lacking && is_planned_better(site) && closer_captures::gone(site) < site.pages.total
}

impl<'a> PlannedSites<'a> {
    pub(crate) fn of(sites: &'a [SiteAudit]) -> Option<Self> {
        let better: Vec<&SiteAudit> = sites.iter().filter(|site| needs_plan(site)).collect();
        let (mut pages, mut planned, mut last) = (0.0, 0.0, 0.0);
        for site in &better {
            let (of_site, of_last) = compared(site)?;
            let many = site.reschedule.as_ref()?.compared_pages as f64;
            pages += many;
            planned += of_site * many;
            last += of_last * many;
        }
        let only = if let [only] = &better[..] { Some(only.site.as_str()) } else { None };
        let sites = better.len() as u64;
        (sites > 0).then(|| PlannedSites { sites, only, planned: planned / pages, last: last / pages })
    }

    /// The sites, as the object of a sentence.
    pub(crate) fn named(&self) -> String {
        self.only.map_or_else(|| count(self.sites, "site"), str::to_owned)
    }
}

/// The planned order for the sites of a collection, where that helps.
fn planned_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Option<Action> {
    let found = PlannedSites::of(sites)?;
    let is_doubtful = is_doubtful(sites.iter().filter(|site| needs_plan(site)));
    let orders = orders(found.last, found.planned, is_doubtful);
    let text = format!("Crawl {} in the planned order: {orders}.", found.named());
    let action = Action::new(ActionKind::PlanCrawl, Question::Consistent, found.sites, text);
    let command = match found.only {
        Some(only) => known.commands.schedule(only),
        None => known.commands.schedule_all(),
    };
    Some(action.effect(found.last, found.planned).run(command))
}

/// A few pages captured again right after the next crawl, where that helps. What rests on rates that no captures checked is not
/// promised.
fn again(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let plan = site.reschedule.as_ref().filter(|plan| plan.compared_pages > 0 && plan.is_shown)?;
    let found = plan.again?;
    let pages = plan.compared_pages as f64;
    let (before, after) = (found.before / pages, found.expected / pages);
    if !site.has_checked_rates() || after - before <= GAIN_AGAIN {
        return None;
    }
    let text = format!(
        "Right after the next crawl, capture {} again: {} of importance expected together.",
        count(found.pages, "page"),
        percent_change(before, after)
    );
    let action = Action::new(ActionKind::FetchAgain, Question::Consistent, found.pages, text);
    Some(action.about(&site.site).effect(before, after).run(known.commands.repair(found.pages)))
}

/// Seeds that were not reached, of all sites.
fn seeds(known: &Known<'_>) -> Option<Action> {
    let seeds = known.seeds.filter(|seeds| seeds.lacking() > 0)?;
    let (reached, total) = (seeds.all.reached, seeds.all.total);
    let (were, lists) = match seeds.lacking() {
        1 => ("that was", "names it"),
        _ => ("that were", "lists them"),
    };
    let text = format!(
        "Capture {} {were} not reached: seeds {} → {} of {}, if online; --details {lists}.",
        count(seeds.lacking(), "seed"),
        number(reached),
        number(total),
        number(total)
    );
    let action = Action::new(ActionKind::CaptureSeeds, Question::Complete, seeds.lacking(), text);
    Some(action.effect(seeds.all.share(), 1.0).run(known.commands.audit("--details")))
}

/// What would show whether the site is complete.
fn scope(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let seeds = site.completeness.as_ref().and_then(|found| found.seeds);
    let action = |kind, text: &str, command: &str| {
        let action = Action::new(kind, Question::Complete, 1, text.to_owned()).about(&site.site);
        Some(action.run(known.commands.audit(command)))
    };
    match bands::open(site)? {
        Open::Limits => {
            let text = "Add the log of the crawl: it shows what was meant to be captured.";
            action(ActionKind::AddLogs, text, "--crawl-log crawl.log")
        }
        Open::NoLinks if seeds.is_none() => {
            let text = "Give the list of seeds: completeness can then be judged.";
            action(ActionKind::AddSeeds, text, "--seeds seeds.txt")
        }
        _ => None,
    }
}

/// What a page needs a missing file for, as a noun.
fn noun(kind: LinkKind, is_embed: bool) -> &'static str {
    match kind {
        _ if !is_embed => "page",
        LinkKind::Image => "image",
        LinkKind::Stylesheet => "style sheet",
        LinkKind::Script => "script",
        _ => "file",
    }
}

/// `12 pages, 3 images and 1 style sheet`.
pub(crate) fn kinds_of(entries: &[&Missing]) -> String {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for entry in entries {
        let noun = noun(entry.used_as, entry.kind == "embed");
        match counts.iter_mut().find(|(known, _)| *known == noun) {
            Some((_, many)) => *many += 1,
            None => counts.push((noun, 1)),
        }
    }
    counts.sort_by_key(|(noun, many)| (*noun != "page", std::cmp::Reverse(*many), *noun));
    list(&counts.iter().map(|(noun, many)| count(*many, noun)).collect::<Vec<_>>())
}

/// How many files were never requested: each URL once, as the list of what is missing has it. Where the list is cut, as counted.
pub(crate) fn never_requested<'a>(sites: impl Iterator<Item = &'a SiteAudit>) -> u64 {
    let (mut urls, mut counted, mut is_cut) = (HashSet::new(), 0, false);
    for site in sites {
        counted += together(site).map_or(0, |found| found.untried);
        is_cut |= site.completeness.as_ref().is_some_and(|found| found.missing_left_out > 0);
        let untried = site.missing.iter().flatten().filter(|entry| entry.fate == TargetStatus::Untried);
        urls.extend(untried.map(|entry| entry.url.as_str()));
    }
    if is_cut || urls.is_empty() { counted } else { urls.len() as u64 }
}

/// What was never requested.
fn missing(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let found = together(site)?;
    let untried: Vec<_> =
        site.missing.iter().flatten().filter(|entry| entry.fate == TargetStatus::Untried).collect();
    if found.untried == 0 {
        return None;
    }
    let files = never_requested(std::iter::once(site));
    let what = if untried.len() as u64 == files {
        kinds_of(&untried)
    } else {
        let completeness = site.completeness.as_ref()?;
        let (links, embeds) = (completeness.links?.untried, completeness.embeds?.untried);
        let parts = [(links, "page"), (embeds, "embed")].into_iter().filter(|(many, _)| *many > 0);
        list(&parts.map(|(many, noun)| count(many, noun)).collect::<Vec<_>>())
    };
    let effect = Effect::of(site, |_, found| bands::after(found));
    // In a crawl of its own a page would be captured at another time than all others.
    let text = |effect: Option<String>| match (&untried[..], effect) {
        ([only], None) if files == 1 => {
            format!("Add {} to the next crawl: it was never requested.", local(&only.url, &site.site))
        }
        ([only], Some(effect)) if files == 1 => {
            format!("Add {} to the next crawl: {effect}, if it still exists.", local(&only.url, &site.site))
        }
        // That they were never requested stands in the answer.
        (_, effect) => {
            let effect = effect.map_or_else(String::new, |effect| format!(": {effect}"));
            format!("Add {what} to the next crawl{effect}, if online.")
        }
    };
    let plain = text(effect.map(|effect| effect.text()));
    let action = Action::new(ActionKind::CaptureMissing, Question::Complete, files, plain);
    let (before, after) = effect.map(|effect| effect.shares()).unzip();
    let in_counts = effect.map(|effect| text(Some(effect.in_counts())));
    let action = Action { before, after, in_counts, ..action.about(&site.site) };
    Some(action.run(known.commands.audit(LIST_MISSING)))
}

/// Pages that changed, but are unchanged where only visible text counts.
fn invisible(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let pages = site.page_totals().unseen_changes;
    if pages == 0 {
        return None;
    }
    let (effect, counted, shares) = without_invisible(site, pages);
    let said = |effect: String| format!("Decide if invisible changes matter: {effect}.");
    let action = Action::new(ActionKind::DecideCompare, Question::Consistent, pages, said(effect));
    let (before, after) = shares.unzip();
    let in_counts = counted.map(said);
    let action = Action { certain: true, before, after, in_counts, ..action.about(&site.site) };
    Some(action.run(known.commands.audit("--compare text")))
}

/// What the answer would say without the changes of `pages` that nobody sees, the same in counts, and its shares before and after:
/// the figures that its sentence shows.
fn without_invisible(site: &SiteAudit, pages: u64) -> (String, Option<String>, Option<(f64, f64)>) {
    let (coherence, total) = (&site.coherence, site.pages.total);
    let best = &coherence.best;
    let Some(by_text) = coherence.by_text.filter(|found| found.pages > best.pages) else {
        let read = if pages == 1 { "reads" } else { "read" };
        return (format!("{} {read} the same before and after", count(pages, "page")), None, None);
    };
    let (by_number, by_weight) = (best.share.unwrap_or(0.0), coherence.best_by_weight.share.unwrap_or(0.0));
    let importance =
        (shows_importance(by_number, by_weight), shows_importance(by_text.share, by_text.weight_share));
    let has_percentage = coherence.provable
        && total >= MIN_FOR_PERCENT
        && (best.pages > 1 && by_text.pages < total)
        && bands::consistent(site) != Band::CannotTell;
    let shown = |before: f64, after: f64, by: &str| {
        let (from, to) = (percent(before), percent(after));
        let is_plain = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
        (from != to && is_plain(&from) && is_plain(&to))
            .then(|| (format!("consistent {from} → {to}{by} without them"), Some((before, after))))
    };
    let by_share = match importance {
        _ if !has_percentage => None,
        (true, true) => shown(by_weight, by_text.weight_share, " by importance"),
        (false, false) => shown(by_number, by_text.share, ""),
        _ => None,
    };
    let counted = match (by_text.pages, total) {
        (_, 1) => "without them, the page was online unchanged".to_owned(),
        (some, all) => format!("without them, {} were online together", part_of(some, all, "page")),
    };
    match by_share {
        Some((text, shares)) => (text, Some(counted), shares),
        None => (counted, None, Some((by_number, by_text.share))),
    }
}

/// Pages that a person should look at.
fn looks(known: &Known<'_>, site: &SiteAudit) -> Vec<Action> {
    let mut actions = Vec::new();
    let pages = site.page_totals();
    let total = pages.weight;
    let heavy = pages.heaviest_changed.filter(|page| page.weight > HEAVY * total);
    let is_wanted = bands::consistent(site) != Band::Good;
    if let Some(page) = heavy.filter(|page| is_wanted && page.reason.starts_with("changed")) {
        let path = local(&page.url, &site.site);
        let reason = with_day(&page.reason, known.shown.and_then(|shown| day_of_pages(site, shown)));
        let look = |why: &str| format!("Look at {path}: it {why}{reason}.");
        // Where all pages weigh the same, importance is no reason.
        let is_heavier = page.weight * site.all_pages() as f64 > 1.01 * total;
        let (text, in_counts) = match is_heavier {
            false => (look(""), None),
            true => {
                let share = percent(page.weight / total);
                let much = look("holds much of the importance and ");
                (look(&format!("holds {share} of importance and ")), Some(much))
            }
        };
        let action = Action::new(ActionKind::LookAtPage, Question::Consistent, 1, text).about(&site.site);
        let action = Action { in_counts, ..action };
        let action = match known.commands.explain(path) {
            Some(explain) => action.run(explain),
            None => action,
        };
        actions.push(Action { file: Some(page.url.clone()), ..action });
    }
    actions.extend(error_pages(site));
    actions
}

/// The reason of a page whose times leave out the day, with it.
fn with_day(reason: &str, day: Option<String>) -> String {
    let Some(day) = day else { return reason.to_owned() };
    for start in ["changed between ", "changed at "] {
        let is_time = |rest: &str| rest.get(2..3) == Some(":");
        if let Some(rest) = reason.strip_prefix(start).filter(|rest| is_time(rest)) {
            return format!("{start}{day} {rest}");
        }
    }
    reason.to_owned()
}

/// Pages that look like error pages, but for those that a person has seen.
fn error_pages(site: &SiteAudit) -> Option<Action> {
    let is_open = |url: &str| !is_reviewed(site, url);
    let mut open = site.findings.soft404.iter().filter(|found| is_open(&found.url));
    let first = open.next()?;
    let seen = site.findings.soft404.len() - open.count() - 1;
    let urls = site.findings.soft404_urls.saturating_sub(seen as u64);
    let path = local(&first.url, &site.site);
    let text = match urls {
        0 | 1 => format!("Look at {path}: it looks like an error page despite status 200."),
        many => format!(
            "Look at {path} and {}: they look like error pages despite status 200.",
            count(many - 1, "other page")
        ),
    };
    let action = Action::new(ActionKind::LookAtPage, Question::Complete, urls, text).about(&site.site);
    Some(Action { file: Some(first.url.clone()), ..action })
}

/// Whether a person said something of a page.
fn is_reviewed(site: &SiteAudit, url: &str) -> bool {
    site.page_list.iter().any(|page| page.url == url && page.review.is_some())
}

/// The actions without the pages that a person has looked at since.
pub(crate) fn without_reviewed(actions: Vec<Action>, sites: &[SiteAudit]) -> Vec<Action> {
    let still = |action: Action| {
        let of_site = |site: &&SiteAudit| Some(&site.site) == action.site.as_ref();
        let Some((site, url)) = sites.iter().find(of_site).zip(action.file.as_deref()) else {
            return Some(action);
        };
        match (action.kind, action.answer) {
            (ActionKind::LookAtPage, Question::Complete) => error_pages(site),
            (ActionKind::LookAtPage, _) if is_reviewed(site, url) => None,
            _ => Some(action),
        }
    };
    actions.into_iter().filter_map(still).collect()
}

/// Sites that are poor, and no longer are when what was never requested is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Helped {
    /// The files that this takes: of a site whose embeds suffice, only these.
    files: u64,
    /// What the sites become: one that is no longer poor need not be good.
    bands: BandCounts,
}

impl Helped {
    fn of(sites: &[SiteAudit]) -> Self {
        let mut urls = HashSet::new();
        let (mut counted, mut is_cut, mut bands) = (0, false, Vec::new());
        for site in sites.iter().filter(|site| bands::complete(site) == Band::Poor) {
            let ways = [bands::complete_after_embeds(site), bands::complete_after(site)];
            let Some(way) = ways.iter().position(|band| *band != Band::Poor) else { continue };
            bands.push(ways[way]);
            let needs =
                |entry: &&Missing| entry.fate == TargetStatus::Untried && (way == 1 || entry.kind == "embed");
            urls.extend(site.missing.iter().flatten().filter(needs).map(|entry| entry.url.as_str()));
            let embeds = site.completeness.as_ref().and_then(|found| found.embeds);
            counted += match way {
                0 => embeds.map_or(0, |embeds| embeds.untried),
                _ => together(site).map_or(0, |found| found.untried),
            };
            is_cut |= site.completeness.as_ref().is_some_and(|found| found.missing_left_out > 0);
        }
        let files = if is_cut { counted } else { urls.len() as u64 };
        Helped { files, bands: BandCounts::of(bands.into_iter()) }
    }

    fn sites(&self) -> u64 {
        Band::ALL.iter().map(|band| self.bands.get(*band)).sum()
    }

    /// `good`; `3 good, 16 cannot tell`.
    fn words(&self) -> String {
        let bands: Vec<Band> = Band::ALL.into_iter().filter(|band| self.bands.get(*band) > 0).collect();
        match &bands[..] {
            [only] => only.name().to_owned(),
            several => {
                let some =
                    several.iter().map(|band| format!("{} {}", number(self.bands.get(*band)), band.name()));
                some.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

fn of_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Vec<Action> {
    let mut actions = Vec::new();
    let untried = |site: &&SiteAudit| together(site).is_some_and(|found| found.untried > 0);
    let lacking: Vec<&SiteAudit> = sites.iter().filter(untried).collect();
    let files = never_requested(sites.iter());
    if files > 0 {
        let helped = Helped::of(sites);
        let poor = sites.iter().filter(|site| bands::complete(site) == Band::Poor).count() as u64;
        let left = poor - helped.sites();
        let effect = match helped.sites() {
            0 => String::new(),
            _ => {
                let change = format!(
                    "Complete? poor on {} → {} (then {})",
                    number(poor),
                    count(left, "site"),
                    helped.words()
                );
                match helped.files < files {
                    true => format!(": with {} of them {change}", number(helped.files)),
                    false => format!(": {change}"),
                }
            }
        };
        let (were, exist) = match files {
            1 => ("that was", "it still exists"),
            2 => ("that were", "both still exist"),
            _ => ("that were", "all still exist"),
        };
        let of = if let [only] = &lacking[..] { format!(" of {}", only.site) } else { String::new() };
        let files_of = format!("{}{of}", count(files, "file"));
        let text = format!("Add {files_of} {were} never requested to the next crawl{effect}, if {exist}.");
        let action = Action::new(ActionKind::CaptureMissing, Question::Complete, files, text);
        let (sites_before, sites_after) = (helped.sites() > 0).then_some((poor, left)).unzip();
        actions.push(Action { sites_before, sites_after, ..action.run(known.commands.audit(LIST_MISSING)) });
    }
    actions.extend(retry::of_sites(known, sites));
    actions.extend(planned_sites(known, sites));
    actions.extend(closer_captures::of_sites(known, sites));
    let open = sites.iter().filter(|site| bands::consistent(site) == Band::CannotTell).count() as u64;
    if open > 0 {
        let text = match open == sites.len() as u64 {
            true => "Capture each page twice in the next crawl: consistency can then be judged.",
            false => {
                "Capture each page twice in the next crawl: sites that cannot be judged now can be judged then."
            }
        };
        let text = text.to_owned();
        let twice = Action::new(ActionKind::CaptureTwice, Question::Consistent, open, text);
        actions.push(twice.run(known.commands.schedule_all()));
    }
    let unrecorded = sites.iter().filter(|site| is_unrecorded(site)).count() as u64;
    if unrecorded > 0 {
        let verb = if unrecorded == 1 { "does" } else { "do" };
        let text = format!(
            "Add the logs of the crawls: {} {verb} not record what was meant to be captured.",
            count(unrecorded, "site")
        );
        let action = Action::new(ActionKind::AddLogs, Question::Complete, unrecorded, text);
        actions.push(action.run(known.commands.audit("--crawl-log crawl.log")));
    }
    actions
}
