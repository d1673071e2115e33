//! What to do first: at most five actions, each with an effect that was computed, or with its count.
//!
//! Repairs come before decisions, decisions before pages to look at; among these the worst answer first.

use std::collections::HashSet;

use crate::audit::answers::together;
use crate::audit::bands::{self, Open, Parts};
use crate::audit::commands::Commands;
use crate::audit::model::{Action, ActionKind, Answer, Answers, Band, Question, SiteAudit};
use crate::audit::record::Record;
use crate::audit::record_actions;
use crate::format::{count, list, local, number, percent};
use crate::html::links::LinkKind;
use crate::quality::link_completeness::TargetStatus;

/// Maximum number of actions: the first screen has room for these.
const MOST: usize = 5;
/// Minimum gain of an order of the next crawl that is suggested, as a share.
const GAIN: f64 = 0.005;
/// Writes what the actions mean by never requested, and nothing else.
const LIST_MISSING: &str = "--missing missing.txt --missing-only untried";
/// Below this number a count says more than a percentage.
const FEW: u64 = 20;
/// A page that holds this share of importance and is not consistent is named.
const HEAVY: f64 = 0.10;

/// What is known when the actions are chosen.
pub(crate) struct Known<'a> {
    pub record: Record<'a>,
    pub answers: &'a Answers,
    pub commands: &'a Commands,
}

impl Action {
    /// Repairs, decisions, pages to look at.
    fn stage(&self) -> u8 {
        match self.kind {
            ActionKind::DecideCompare => 1,
            ActionKind::LookAtPage => 2,
            _ => 0,
        }
    }

    fn gain(&self) -> f64 {
        self.after.zip(self.before).map_or(0.0, |(after, before)| after - before)
    }
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
    let worst = |counts: &Answer| match (counts.band, counts.sites) {
        (Some(band), _) => band,
        (None, Some(sites)) if sites.poor > 0 => Band::Poor,
        (None, Some(sites)) if sites.mixed > 0 => Band::Mixed,
        (None, Some(sites)) if sites.cannot_tell > 0 => Band::CannotTell,
        _ => Band::Good,
    };
    let band = |question: Question| match question {
        Question::Record => worst(&known.answers.record),
        Question::Consistent => worst(&known.answers.consistent),
        Question::Complete => worst(&known.answers.complete),
    };
    actions.retain(|action| action.stage() > 0 || band(action.answer) != Band::Good);
    actions.sort_by(|a, b| {
        let key = |action: &Action| (action.stage(), band(action.answer), action.answer);
        // What helps the record comes in the order of the reasons.
        let kind = |action: &Action| (action.answer != Question::Record).then_some(action.kind);
        key(a).cmp(&key(b)).then_with(|| b.gain().total_cmp(&a.gain())).then_with(|| kind(a).cmp(&kind(b)))
    });
    actions.truncate(MOST);
    actions
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
        actions.extend(planned(known, site));
    }
    actions.extend(again(known, site));
    actions.extend(missing(known, site));
    actions.extend(scope(known, site));
    actions.extend(invisible(known, site));
    actions.extend(looks(known, site));
    actions
}

/// The shares expected to be consistent in the planned and in the last order, on the same pages.
fn compared(site: &SiteAudit) -> Option<(f64, f64)> {
    let plan = site.reschedule.as_ref().filter(|plan| plan.compared_pages > 0)?;
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
    let (planned, last) = compared(site).filter(|_| is_planned_better(site))?;
    let text = format!(
        "Crawl in the planned order: {} → {} of importance expected consistent.",
        percent(last),
        percent(planned)
    );
    let action = Action::new(ActionKind::PlanCrawl, Question::Consistent, plan.compared_pages, text);
    Some(action.about(&site.site).effect(last, planned).run(known.commands.schedule(&site.site)))
}

/// A few pages captured again right after the next crawl, where that helps. What rests on rates that no captures checked is not
/// promised.
fn again(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let plan = site.reschedule.as_ref().filter(|plan| plan.compared_pages > 0)?;
    let found = plan.again?;
    let pages = plan.compared_pages as f64;
    let (before, after) = (found.before / pages, found.expected / pages);
    if !site.has_checked_rates() || after - before <= GAIN {
        return None;
    }
    let text = format!(
        "Right after the next crawl, capture {} again: {} → {} of importance expected together.",
        count(found.pages, "page"),
        percent(before),
        percent(after)
    );
    let action = Action::new(ActionKind::FetchAgain, Question::Consistent, found.pages, text);
    Some(action.about(&site.site).effect(before, after).run(known.commands.repair(found.pages)))
}

/// What would show whether the site is complete, and seeds that were not reached.
fn scope(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let seeds = site.completeness.as_ref().and_then(|found| found.seeds);
    if let Some(seeds) = seeds.filter(|seeds| seeds.reached < seeds.total) {
        let lacking = seeds.total - seeds.reached;
        let text = format!("Capture {} not reached; --details lists them.", count(lacking, "seed"));
        let action = Action::new(ActionKind::CaptureSeeds, Question::Complete, lacking, text);
        return Some(action.about(&site.site).run(known.commands.audit("--details")));
    }
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
        let mut counts: Vec<(&str, u64)> = Vec::new();
        for entry in &untried {
            let noun = noun(entry.used_as, entry.kind == "embed");
            match counts.iter_mut().find(|(known, _)| *known == noun) {
                Some((_, many)) => *many += 1,
                None => counts.push((noun, 1)),
            }
        }
        counts.sort_by_key(|(noun, many)| (*noun != "page", std::cmp::Reverse(*many), *noun));
        list(&counts.iter().map(|(noun, many)| count(*many, noun)).collect::<Vec<_>>())
    } else {
        let completeness = site.completeness.as_ref()?;
        let (links, embeds) = (completeness.links?.untried, completeness.embeds?.untried);
        let parts = [(links, "page"), (embeds, "embed")].into_iter().filter(|(many, _)| *many > 0);
        list(&parts.map(|(many, noun)| count(many, noun)).collect::<Vec<_>>())
    };
    let total = (found.captured + found.failed + found.untried) as f64;
    let (before, after) = (found.captured as f64 / total, (found.captured + found.untried) as f64 / total);
    let effect = match percent(before) == percent(after) {
        true => String::new(),
        false => format!(": complete {} → {}", percent(before), percent(after)),
    };
    // In a crawl of its own a page would be captured at another time than all others.
    let text = match &untried[..] {
        [only] if files == 1 => format!(
            "Add {} to the next crawl, a {} never requested{effect}, if online.",
            local(&only.url, &site.site),
            noun(only.used_as, only.kind == "embed"),
        ),
        // That they were never requested stands in the answer.
        _ => format!("Add {what} to the next crawl{effect}, if online."),
    };
    let action = Action::new(ActionKind::CaptureMissing, Question::Complete, files, text);
    Some(action.about(&site.site).effect(before, after).run(known.commands.audit(LIST_MISSING)))
}

/// Pages that changed, but are unchanged where only visible text counts.
fn invisible(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let pages = site.page_totals().unseen_changes;
    if pages == 0 {
        return None;
    }
    // The share that the answer names: by number, or by importance where that decides.
    let coherence = &site.coherence;
    let (by_number, by_weight) =
        (coherence.best.share.unwrap_or(0.0), coherence.best_by_weight.share.unwrap_or(0.0));
    let is_hidden = bands::of_share(by_number) != bands::of_share(by_weight);
    let before = if is_hidden { by_weight } else { by_number };
    let by_text = coherence.by_text.map(|found| if is_hidden { found.weight_share } else { found.share });
    let after = by_text.unwrap_or(before);
    let effect = match (percent(before) == percent(after), pages) {
        (false, _) if site.pages.total < FEW => {
            let together = coherence.by_text.map_or(0, |found| found.pages);
            format!(
                "without them, {} of {} were online together",
                number(together),
                count(site.pages.total, "page")
            )
        }
        (false, _) => format!("consistent {} → {} without them", percent(before), percent(after)),
        (true, 1) => "1 page reads the same before and after".to_owned(),
        (true, many) => format!("{} read the same before and after", count(many, "page")),
    };
    let text = format!("Decide if invisible changes matter: {effect}.");
    let action = Action::new(ActionKind::DecideCompare, Question::Consistent, pages, text);
    let action = Action { certain: true, ..action.about(&site.site).effect(before, after) };
    Some(action.run(known.commands.audit("--compare text")))
}

/// Pages that a person should look at.
fn looks(known: &Known<'_>, site: &SiteAudit) -> Vec<Action> {
    let mut actions = Vec::new();
    let pages = site.page_totals();
    let total = pages.weight;
    let heavy = pages.heaviest_changed.filter(|page| page.weight > HEAVY * total);
    if let Some(page) = heavy.filter(|page| page.reason.starts_with("changed")) {
        let path = local(&page.url, &site.site);
        let share = percent(page.weight / total);
        let text = format!("Look at {path}: it holds {share} of importance and {}.", page.reason);
        let action = Action::new(ActionKind::LookAtPage, Question::Consistent, 1, text).about(&site.site);
        let (command, file) = (known.commands.explain(path), Some(page.url.clone()));
        actions.push(Action { command, file, ..action });
    }
    if let Some(first) = site.findings.soft404.first() {
        let path = local(&first.url, &site.site);
        let text = match site.findings.soft404_urls {
            1 => format!("Look at {path}: it looks like an error page despite status 200."),
            many => format!(
                "Look at {path} and {}: they look like error pages despite status 200.",
                count(many - 1, "other page")
            ),
        };
        let urls = site.findings.soft404_urls;
        let action = Action::new(ActionKind::LookAtPage, Question::Complete, urls, text).about(&site.site);
        actions.push(Action { file: Some(first.url.clone()), ..action });
    }
    actions
}

fn of_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Vec<Action> {
    let mut actions = Vec::new();
    let untried = |site: &&SiteAudit| together(site).is_some_and(|found| found.untried > 0);
    let lacking: Vec<&SiteAudit> = sites.iter().filter(untried).collect();
    let files = never_requested(sites.iter());
    let poor =
        |band: fn(&SiteAudit) -> Band| sites.iter().filter(|site| band(site) == Band::Poor).count() as u64;
    let (before, after) = (poor(bands::complete), poor(bands::complete_after));
    if files > 0 {
        let effect = match before > after {
            true => format!(": sites with Complete? poor {} → {}", number(before), number(after)),
            false => String::new(),
        };
        let they = if files == 1 { "it still exists" } else { "they still exist" };
        let of = if let [only] = &lacking[..] { format!(" of {}", only.site) } else { String::new() };
        let files_of = format!("{}{of}", count(files, "file"));
        let text = format!("Add {files_of}, never requested, to the next crawl{effect}, if {they}.");
        let action = Action::new(ActionKind::CaptureMissing, Question::Complete, files, text);
        let counts = if before > after { Some((before, after)) } else { None };
        let (sites_before, sites_after) = counts.unzip();
        actions.push(Action { sites_before, sites_after, ..action.run(known.commands.audit(LIST_MISSING)) });
    }
    let open = sites.iter().filter(|site| bands::consistent(site) == Band::CannotTell).count() as u64;
    if open > 0 {
        let text = match open == sites.len() as u64 {
            true => "Capture each page twice in the next crawl: consistency can then be judged.",
            false => "Capture each page twice in the next crawl: the sites that cannot be judged then can.",
        };
        let text = text.to_owned();
        actions.push(Action::new(ActionKind::CaptureTwice, Question::Consistent, open, text));
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
