//! What to do first: at most five actions, each with an effect that was computed, or with its count.
//!
//! Repairs come before decisions, decisions before pages to look at; among these the worst answer first.

use crate::audit::answers::together;
use crate::audit::bands;
use crate::audit::commands::Commands;
use crate::audit::model::{Action, ActionKind, Answer, Answers, Band, Question, SiteAudit};
use crate::audit::record::Record;
use crate::format::{count, list, local, number, percent};
use crate::html::links::LinkKind;
use crate::quality::link_completeness::TargetStatus;

/// Maximum number of actions: the first screen has room for these.
const MOST: usize = 5;
/// Minimum gain of an order of the next crawl that is suggested, as a share.
const GAIN: f64 = 0.005;
/// A page that holds this share of importance and is not consistent is named.
const HEAVY: f64 = 0.10;

/// What is known when the actions are chosen.
pub(crate) struct Known<'a> {
    pub record: Record<'a>,
    pub answers: &'a Answers,
    pub commands: &'a Commands,
}

impl Action {
    fn new(kind: ActionKind, answer: Question, count: u64, text: String) -> Self {
        let (site, before, after, command, file) = (None, None, None, None, None);
        Action { kind, answer, site, count, before, after, certain: false, command, file, text }
    }

    fn run(self, command: String) -> Self {
        Action { command: Some(command), ..self }
    }

    fn about(self, site: &SiteAudit) -> Self {
        Action { site: Some(site.site.clone()), ..self }
    }

    fn effect(self, before: f64, after: f64) -> Self {
        Action { before: Some(before), after: Some(after), ..self }
    }

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
    let mut actions = repairs(known);
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
        key(a).cmp(&key(b)).then_with(|| b.gain().total_cmp(&a.gain())).then_with(|| a.kind.cmp(&b.kind))
    });
    actions.truncate(MOST);
    actions
}

/// What helps the record.
fn repairs(known: &Known<'_>) -> Vec<Action> {
    let (record, commands) = (&known.record, known.commands);
    let problems = || commands.audit("--problems problems.jsonl");
    let mut actions = Vec::new();
    for (file, places) in record.damaged().into_iter().take(2) {
        let first = places.iter().flatten().min();
        let others = places.len() - usize::from(first.is_some());
        let what = match (first, others) {
            (Some(offset), 0) => format!(": it is damaged at byte {}", number(*offset)),
            (Some(offset), more) => {
                format!(
                    ": it is damaged at byte {} and in {}",
                    number(*offset),
                    count(more as u64, "other place")
                )
            }
            (None, _) => ": it could not be read".to_owned(),
        };
        let name = file.rsplit('/').next().unwrap_or(file);
        let text = format!("Replace {name} by another copy{what}.");
        let action = Action::new(ActionKind::ReplaceFile, Question::Record, places.len() as u64, text);
        actions.push(Action { file: Some(file.to_owned()), ..action.run(problems()) });
    }
    for file in record.unread().into_iter().take(2 - actions.len()) {
        let name = file.rsplit('/').next().unwrap_or(file);
        let text = format!("Correct the path of {name}, or replace it: it could not be read.");
        let action = Action::new(ActionKind::ReplaceFile, Question::Record, 1, text);
        actions.push(Action { file: Some(file.to_owned()), ..action.run(problems()) });
    }
    let digests = record.mismatches();
    if digests > 0 {
        let text =
            format!("Compare {} with another copy: their digests do not match.", count(digests, "record"));
        actions.push(Action::new(ActionKind::CompareCopy, Question::Record, digests, text).run(problems()));
    }
    let missing = record.without_original();
    if missing > 0 {
        let mut needs: Vec<(&str, u64)> = record
            .sites
            .iter()
            .map(|site| (site.site.as_str(), site.findings.unresolved_revisits))
            .filter(|(_, many)| *many > 0)
            .collect();
        needs.sort_by_key(|(site, many)| (std::cmp::Reverse(*many), *site));
        let where_from = match (&needs[..], record.sites.len()) {
            (_, 1) | ([], _) => String::new(),
            (needs, _) => {
                let parts: Vec<String> = needs
                    .iter()
                    .take(2)
                    .map(|(site, many)| format!("{site} needs {}", number(*many)))
                    .collect();
                format!(": {}", parts.join(", "))
            }
        };
        let text = match missing {
            1 => format!("Add the archive that holds 1 original{where_from}."),
            many => format!("Add the archives that hold {}{where_from}.", count(many, "original")),
        };
        actions.push(Action::new(ActionKind::AddOriginals, Question::Record, missing, text));
    }
    if !record.is_checked() && record.captures > 0 {
        let text =
            "Audit the WARC files that the index describes: that answers the other two questions.".to_owned();
        let files = record.inputs.len() as u64;
        actions.push(Action::new(ActionKind::AddArchives, Question::Record, files, text));
    }
    actions
}

fn of_site(known: &Known<'_>, site: &SiteAudit) -> Vec<Action> {
    let commands = known.commands;
    let mut actions = Vec::new();
    let band = bands::consistent(site);
    if band == Band::CannotTell && site.pages.total > 0 {
        let once = site.pages.single;
        let text = "Capture each page twice in the next crawl: it can then be judged.".to_owned();
        let twice = Action::new(ActionKind::CaptureTwice, Question::Consistent, once.max(1), text);
        actions.push(twice.about(site).run(commands.schedule(&site.site)));
        if once == site.pages.total {
            let text = "If you hold another crawl of this site, audit both together.".to_owned();
            let other = Action::new(ActionKind::AddCrawl, Question::Consistent, 1, text);
            actions.push(other.about(site).run(commands.audit("OTHER-CRAWL")));
        }
    } else {
        actions.extend(planned(known, site));
    }
    actions.extend(again(known, site));
    actions.extend(missing(known, site));
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
    let links = site.completeness.as_ref().and_then(|found| found.links);
    links.is_some_and(|links| links.plain_share.is_some_and(|share| share < 0.5) && links.excluded == 0)
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
    Some(action.about(site).effect(last, planned).run(known.commands.schedule(&site.site)))
}

/// A few pages fetched again right away, where that helps.
fn again(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let repair = site.repair.as_ref().filter(|repair| repair.weight > 0.0)?;
    let (before, after) = (repair.before / repair.weight, repair.expected / repair.weight);
    if after - before <= GAIN {
        return None;
    }
    let fetches = repair.fetches.len() as u64;
    let text = format!(
        "Recapture {} after a crawl: {} → {} of importance expected together.",
        count(fetches, "page"),
        percent(before),
        percent(after)
    );
    let action = Action::new(ActionKind::FetchAgain, Question::Consistent, fetches, text);
    Some(action.about(site).effect(before, after).run(known.commands.repair(fetches)))
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

/// What was never requested.
fn missing(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let found = together(site)?;
    let untried: Vec<_> =
        site.missing.iter().flatten().filter(|entry| entry.fate == TargetStatus::Untried).collect();
    if found.untried == 0 {
        return None;
    }
    let what = if untried.len() as u64 == found.untried {
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
    let text = match (&untried[..], percent(before) == percent(after)) {
        ([only], _) if found.untried == 1 => {
            format!(
                "Capture 1 {} never requested: {}.",
                noun(only.used_as, only.kind == "embed"),
                local(&only.url, &site.site)
            )
        }
        (_, true) => format!("Capture {what} never requested, if online."),
        _ => format!(
            "Capture {what} never requested: complete {} → {}, if online.",
            percent(before),
            percent(after)
        ),
    };
    let action = Action::new(ActionKind::CaptureMissing, Question::Complete, found.untried, text);
    Some(action.about(site).effect(before, after).run(known.commands.audit("--missing missing.txt")))
}

/// Pages all of whose changes no reader sees.
fn invisible(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let pages = site.page_totals().unseen_changes;
    if pages == 0 {
        return None;
    }
    let which = if site.pages.changed == 1 {
        "the changed page reads".to_owned()
    } else {
        format!(
            "{} of {} changed pages {}",
            number(pages),
            number(site.pages.changed),
            if pages == 1 { "reads" } else { "read" }
        )
    };
    let text = format!("Decide if invisible changes matter: {which} the same.");
    let action = Action::new(ActionKind::DecideCompare, Question::Consistent, pages, text);
    Some(action.about(site).run(known.commands.audit("--compare text")))
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
        let action = Action::new(ActionKind::LookAtPage, Question::Consistent, 1, text).about(site);
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
        let action = Action::new(ActionKind::LookAtPage, Question::Complete, urls, text).about(site);
        actions.push(Action { file: Some(first.url.clone()), ..action });
    }
    actions
}

fn of_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Vec<Action> {
    let mut actions = Vec::new();
    let untried = |site: &&SiteAudit| together(site).is_some_and(|found| found.untried > 0);
    let lacking: Vec<&SiteAudit> = sites.iter().filter(untried).collect();
    let files: u64 = lacking.iter().filter_map(|site| together(site)).map(|found| found.untried).sum();
    let poor =
        |band: fn(&SiteAudit) -> Band| sites.iter().filter(|site| band(site) == Band::Poor).count() as u64;
    let (before, after) = (poor(bands::complete), poor(bands::complete_after));
    if files > 0 {
        let effect = match before > after {
            true => format!(
                ": complete poor on {} → {}, if they still exist",
                number(before),
                count(after, "site")
            ),
            false => ", if they still exist".to_owned(),
        };
        let text = format!(
            "Capture {} that were never requested, on {}{effect}.",
            count(files, "file"),
            count(lacking.len() as u64, "site")
        );
        let action = Action::new(ActionKind::CaptureMissing, Question::Complete, files, text);
        actions.push(action.run(known.commands.audit("--missing missing.txt")));
    }
    let open = sites.iter().filter(|site| bands::consistent(site) == Band::CannotTell).count() as u64;
    if open > 0 {
        let text =
            format!("Capture each page twice in the next crawl: {} can then be judged.", count(open, "site"));
        actions.push(Action::new(ActionKind::CaptureTwice, Question::Consistent, open, text));
    }
    let unrecorded = sites.iter().filter(|site| is_unrecorded(site)).count() as u64;
    if unrecorded > 0 {
        let verb = if unrecorded == 1 { "does" } else { "do" };
        let text = format!(
            "Add crawl logs (--crawl-log): {} {verb} not record the limits of the crawl.",
            count(unrecorded, "site")
        );
        actions.push(Action::new(ActionKind::AddLogs, Question::Complete, unrecorded, text));
    }
    actions
}
