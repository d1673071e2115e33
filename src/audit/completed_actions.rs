//! Whether what an earlier audit proposed was done: how much of each action is left, by the figures of a later one.

use std::collections::{BTreeMap, HashSet};

use crate::archive::source::base_name;
use crate::audit::actions::{is_unrecorded, needs_plan, never_requested};
use crate::audit::bands;
use crate::audit::closer_captures::is_slow;
use crate::audit::completeness_figure::together;
use crate::audit::measures::Measures;
use crate::audit::model::{Action, ActionKind, Audit, Band, PageAudit, Question, SiteAudit};
use crate::audit::realised::{is_at_planned_pace, is_in_planned_order};
use crate::audit::record::{Record, with_bodies};
use crate::audit::retry;
use crate::change::evidence::Compare;
use crate::change::run::PageState;
use crate::problem::Level;
use crate::quality::link_completeness::TargetStatus;

/// How many files, records, pages or sites an action of the audit `then` is still about; `None` where that cannot be told. What
/// is not in the later audit was not done, and what is new in it was not asked for. An audit that cannot see what is left does not
/// show that it is gone.
pub(crate) fn left(action: &Action, then: &Audit, now: &Audit) -> Option<u64> {
    let left = seen(action, then, now)?;
    (left >= action.count || can_see(action, then, now)).then_some(left)
}

/// Whether an audit can see what an action of an earlier one is about: by its settings, and by what it read.
fn can_see(action: &Action, then: &Audit, now: &Audit) -> bool {
    let measures = Measures::of(then, now);
    let both: Vec<(&SiteAudit, &SiteAudit)> = then
        .sites
        .iter()
        .filter(|site| action.site.as_ref().is_none_or(|name| *name == site.site))
        .filter_map(|site| Some((site, last(now, &site.site)?)))
        .collect();
    let all = |is_alike: &dyn Fn(&SiteAudit, &SiteAudit) -> bool| {
        both.iter().all(|(then, now)| is_alike(then, now))
    };
    match action.kind {
        ActionKind::ReplaceFile
        | ActionKind::ComparePackages
        | ActionKind::CompareRevisits
        | ActionKind::CompareEvidence
        | ActionKind::CompareCopy
        | ActionKind::CaptureCut => Record::of(now).is_checked() || !Record::of(then).is_checked(),
        ActionKind::ReadFile | ActionKind::AddOriginals => {
            with_bodies(&now.inputs) || !with_bodies(&then.inputs)
        }
        ActionKind::CaptureTwice | ActionKind::FetchAgain => {
            all(&|then, now| measures.judge_alike(Question::Consistent, then, now))
        }
        ActionKind::CaptureMissing | ActionKind::RequestAgain | ActionKind::AddLogs => {
            all(&|then, now| measures.count_alike(then, now))
        }
        ActionKind::AddCrawl => measures.pages,
        // What these ask for shows in any audit.
        ActionKind::AddArchives
        | ActionKind::PlanCrawl
        | ActionKind::CaptureSooner
        | ActionKind::AddSeeds
        | ActionKind::CaptureSeeds
        | ActionKind::DecideCompare => true,
        ActionKind::LookAtPage => match action.answer {
            Question::Consistent => all(&|then, now| measures.compare_alike(then, now)),
            _ => all(&|then, now| measures.count_alike(then, now)),
        },
    }
}

/// How much of an action is left, as far as the later audit sees.
fn seen(action: &Action, then: &Audit, now: &Audit) -> Option<u64> {
    let problems = |which: &dyn Fn(Level, &str) -> bool| -> u64 {
        now.summary
            .problems
            .iter()
            .filter(|found| which(found.level, &found.kind))
            .map(|found| found.count)
            .sum()
    };
    let record = Record::of(now);
    match action.kind {
        ActionKind::ReplaceFile => {
            let Some(file) = action.file.as_deref() else { return Some(record.damaged().len() as u64) };
            let name = base_name(file);
            let all: u64 = problems(&|level, _| level == Level::Error);
            let listed = now.problems.iter().filter(|problem| problem.level == Level::Error).count() as u64;
            let damaged = record.damaged();
            let here = damaged.iter().find(|(file, _)| base_name(file) == name);
            let here = here.map_or(0, |(_, places)| places.len() as u64);
            (here > 0 || listed == all).then_some(here)
        }
        ActionKind::ComparePackages => Some(record.differing_hashes()),
        ActionKind::ReadFile => {
            let asked = unread_with(then, action.file.as_deref()?);
            let unread = record.unread();
            Some(unread.iter().filter(|problem| asked.contains(base_name(&problem.file))).count() as u64)
        }
        ActionKind::CompareRevisits => Some(record.contradicting_revisits()),
        ActionKind::CompareEvidence => Some(record.contradictory()),
        ActionKind::CompareCopy => Some(record.mismatched_records()),
        ActionKind::CaptureCut => Some(same_sites(then, now).map(|site| site.findings.cut_unrepeated).sum()),
        ActionKind::AddOriginals => {
            Some(same_sites(then, now).map(|site| site.findings.unresolved_revisits).sum())
        }
        ActionKind::AddArchives => {
            Some(u64::from(now.answers.record.band == Some(Band::CannotTell)) * action.count)
        }
        // Only the new crawl shows whether it was made as planned.
        ActionKind::PlanCrawl => as_planned(action, then, now, needs_plan, is_in_planned_order),
        ActionKind::CaptureSooner => as_planned(action, then, now, is_slow, is_at_planned_pace),
        ActionKind::CaptureTwice => Some(match &action.site {
            Some(_) => {
                let site = one(action, now)?;
                if bands::consistent(site) == Band::CannotTell { site.pages.single } else { 0 }
            }
            None => sites(then, now, |site| bands::consistent(site) == Band::CannotTell),
        }),
        ActionKind::CaptureMissing => {
            if action.site.is_some() {
                one(action, now).filter(|site| together(site).is_some())?;
            }
            Some(still_missing(action, then, now))
        }
        ActionKind::RequestAgain => match &action.site {
            Some(_) => Some(retry::files(std::iter::once(one(action, now)?))),
            None => Some(retry::files(same_sites(then, now))),
        },
        ActionKind::FetchAgain => {
            let plan = one(action, now)?.reschedule.as_ref()?;
            Some(plan.again.as_ref().map_or(0, |again| again.pages))
        }
        ActionKind::AddCrawl => {
            let site = one(action, now)?;
            Some(u64::from(site.pages.single == site.pages.total))
        }
        ActionKind::AddLogs => match &action.site {
            Some(_) => Some(u64::from(is_unrecorded(one(action, now)?))),
            None => Some(sites(then, now, is_unrecorded)),
        },
        ActionKind::AddSeeds => {
            let found = one(action, now)?.completeness.as_ref()?;
            Some(u64::from(found.seeds.is_none()))
        }
        ActionKind::CaptureSeeds => {
            let seeds = match &action.site {
                Some(_) => one(action, now)?.completeness.as_ref()?.seeds?,
                None => now.profile.as_ref()?.seeds.as_ref()?.counted(),
            };
            Some(seeds.total.saturating_sub(seeds.reached))
        }
        // Whether a person decided is seen from what was asked for, not from what another crawl captured.
        ActionKind::DecideCompare => match now.parameters.compare {
            Compare::Text => Some(0),
            Compare::Bytes => one(action, now).map(|_| action.count),
        },
        ActionKind::LookAtPage => {
            let site = one(action, now)?;
            let url = action.file.as_deref()?;
            let page = site.page_list.iter().find(|page| page.url == url)?;
            // A review is the only sign that somebody looked.
            let is_open = page.review.is_none() && is_still_odd(action, site, page);
            Some(if is_open { action.count } else { 0 })
        }
    }
}

/// Whether a page still gives a reason to look at it: it looks like an error page, or does not count as unchanged.
fn is_still_odd(action: &Action, site: &SiteAudit, page: &PageAudit) -> bool {
    match action.answer {
        Question::Complete if action.count > 1 => site.findings.soft404_urls > 0,
        Question::Complete => site.findings.soft404.iter().any(|found| found.url == page.url),
        _ => page.state != PageState::Sharp,
    }
}

/// Whether what an action asks for was given. Where nothing is left of it for another reason, it is no longer needed: a crawl that
/// needs no log has not been given one.
pub(crate) fn was_carried_out(action: &Action, then: &Audit, now: &Audit) -> bool {
    match action.kind {
        ActionKind::AddLogs => {
            let is_logged =
                |site: &SiteAudit| site.completeness.as_ref().is_some_and(|found| found.is_logged);
            let asked = |site: &&SiteAudit| match &action.site {
                Some(name) => site.site == *name,
                None => is_unrecorded(site),
            };
            then.sites
                .iter()
                .filter(asked)
                .all(|site| now.sites.iter().filter(|other| other.site == site.site).all(is_logged))
        }
        ActionKind::LookAtPage => one(action, now).is_some_and(|site| {
            let url = action.file.as_deref();
            site.page_list.iter().any(|page| Some(page.url.as_str()) == url && page.review.is_some())
        }),
        // What nothing links to any more is not missing, and was not captured.
        ActionKind::CaptureMissing | ActionKind::RequestAgain => {
            captured(action, then).zip(captured(action, now)).is_none_or(|(then, now)| now > then)
        }
        // Both together: the later audit holds the captures of the earlier one.
        ActionKind::AddCrawl => one(action, then).zip(one(action, now)).is_some_and(|(then, now)| {
            now.window.from <= then.window.from && then.window.to <= now.window.to
        }),
        _ => true,
    }
}

/// How much is left of an action about the next crawl: of one site, or of all that were of this kind; `is_done` says of a site
/// whether its crawl was made as planned. `None` where that cannot be told of any.
fn as_planned(
    action: &Action,
    then: &Audit,
    now: &Audit,
    which: impl Fn(&SiteAudit) -> bool,
    is_done: impl Fn(&SiteAudit, &SiteAudit) -> Option<bool>,
) -> Option<u64> {
    if action.site.is_some() {
        return Some(if is_done(one(action, then)?, one(action, now)?)? { 0 } else { action.count });
    }
    let mut left = 0;
    for site in then.sites.iter().filter(|site| which(site)) {
        let crawl =
            now.sites.iter().filter(|other| other.site == site.site).max_by_key(|other| other.window.to);
        let is_left = match crawl {
            Some(crawl) => !is_done(site, crawl)?,
            None => true,
        };
        left += u64::from(is_left);
    }
    Some(left)
}

/// How many links and embeds were captured, of the site of an action or of all; `None` where they are not known.
fn captured(action: &Action, audit: &Audit) -> Option<u64> {
    let is_meant = |site: &&SiteAudit| action.site.as_ref().is_none_or(|name| *name == site.site);
    audit.sites.iter().filter(is_meant).map(|site| together(site).map(|found| found.captured)).sum()
}

/// The site of an action, as it was captured last.
fn one<'a>(action: &Action, now: &'a Audit) -> Option<&'a SiteAudit> {
    last(now, action.site.as_deref()?)
}

/// A site of an audit, as it was captured last.
fn last<'a>(audit: &'a Audit, name: &str) -> Option<&'a SiteAudit> {
    audit.sites.iter().filter(|site| site.site == name).max_by_key(|site| site.window.to)
}

/// The files that an action about an unread one meant: those with a remedy, or those without. By name, without folders.
fn unread_with<'a>(then: &'a Audit, file: &'a str) -> HashSet<&'a str> {
    let unread = Record::of(then).unread();
    let is_asked = unread.iter().find(|problem| problem.file == file).map(|problem| problem.remedy.is_some());
    let asked = unread.iter().filter(|problem| Some(problem.remedy.is_some()) == is_asked);
    asked.map(|problem| base_name(&problem.file)).chain([base_name(file)]).collect()
}

/// Each site of an earlier audit as it was captured last: in the later audit, or where it is not in that, in the earlier one.
fn same_sites<'a>(then: &'a Audit, now: &'a Audit) -> impl Iterator<Item = &'a SiteAudit> {
    let mut latest: BTreeMap<&str, &SiteAudit> =
        then.sites.iter().map(|site| (site.site.as_str(), site)).collect();
    for site in &now.sites {
        if let Some(held) = latest.get_mut(site.site.as_str()) {
            *held = site;
        }
    }
    latest.into_values()
}

/// How many sites of the earlier audit are still of this kind.
fn sites(then: &Audit, now: &Audit, which: impl Fn(&SiteAudit) -> bool) -> u64 {
    same_sites(then, now).filter(|site| which(site)).count() as u64
}

/// How many of the files that an action names are still missing: each by its URL, where both audits list them whole.
fn still_missing(action: &Action, then: &Audit, now: &Audit) -> u64 {
    let is_asked = |site: &&SiteAudit| action.site.as_ref().is_none_or(|name| *name == site.site);
    let is_whole = |site: &SiteAudit| {
        site.completeness.as_ref().is_some_and(|found| found.links.is_some() && found.missing_left_out == 0)
    };
    fn untried(site: &SiteAudit) -> impl Iterator<Item = &str> {
        let missing = site.missing.iter().flatten();
        missing.filter(|entry| entry.fate == TargetStatus::Untried).map(|entry| entry.url.as_str())
    }
    let asked: HashSet<&str> = then.sites.iter().filter(is_asked).flat_map(untried).collect();
    let held: Vec<&SiteAudit> = same_sites(then, now).filter(is_asked).collect();
    let are_whole = then.sites.iter().filter(is_asked).chain(held.iter().copied()).all(is_whole);
    if !are_whole || asked.is_empty() {
        return never_requested(held.into_iter());
    }
    let left: HashSet<&str> = held.into_iter().flat_map(untried).filter(|url| asked.contains(url)).collect();
    left.len() as u64
}
