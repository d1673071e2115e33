//! Whether what an earlier audit proposed was done: how much of each action is left, by the figures of a later one.

use crate::audit::actions::{is_planned_better, is_unrecorded};
use crate::audit::answers::together;
use crate::audit::bands;
use crate::audit::model::{Action, ActionKind, Audit, Band, Question, SiteAudit};
use crate::change::evidence::Compare;
use crate::change::run::PageState;
use crate::problem::Level;

/// How many files, records, pages or sites an action is still about; `None` where that cannot be told.
pub(crate) fn left(action: &Action, now: &Audit) -> Option<u64> {
    let problems = |which: &dyn Fn(Level, &str) -> bool| -> u64 {
        now.summary
            .problems
            .iter()
            .filter(|found| which(found.level, &found.kind))
            .map(|found| found.count)
            .sum()
    };
    match action.kind {
        ActionKind::ReplaceFile => {
            let name = base(action.file.as_deref()?);
            let all: u64 = problems(&|level, _| level == Level::Error);
            let listed = now.problems.iter().filter(|problem| problem.level == Level::Error);
            let here = listed.clone().filter(|problem| base(&problem.file) == name).count() as u64;
            (here > 0 || listed.count() as u64 == all).then_some(here)
        }
        ActionKind::CompareCopy => Some(problems(&|level, kind| {
            level == Level::Warning && matches!(kind, "payload-digest" | "block-digest")
        })),
        ActionKind::AddOriginals => {
            Some(now.sites.iter().map(|site| site.findings.unresolved_revisits).sum())
        }
        ActionKind::AddArchives => {
            Some(u64::from(now.answers.record.band == Some(Band::CannotTell)) * action.count)
        }
        ActionKind::PlanCrawl => {
            let site = one(action, now)?;
            site.reschedule.as_ref()?.last_crawl?;
            Some(if is_planned_better(site) { action.count } else { 0 })
        }
        ActionKind::CaptureTwice => Some(match &action.site {
            Some(_) => {
                let site = one(action, now)?;
                if bands::consistent(site) == Band::CannotTell { site.pages.single } else { 0 }
            }
            None => sites(now, |site| bands::consistent(site) == Band::CannotTell),
        }),
        ActionKind::CaptureMissing => match &action.site {
            Some(_) => Some(together(one(action, now)?)?.untried),
            None => Some(now.sites.iter().filter_map(together).map(|found| found.untried).sum()),
        },
        ActionKind::FetchAgain => {
            Some(one(action, now)?.repair.as_ref().map_or(0, |repair| repair.fetches.len() as u64))
        }
        ActionKind::AddCrawl => {
            let site = one(action, now)?;
            Some(u64::from(site.pages.single == site.pages.total))
        }
        ActionKind::AddLogs => Some(sites(now, is_unrecorded)),
        ActionKind::DecideCompare => {
            let is_decided = now.parameters.compare == Compare::Text;
            Some(if is_decided { 0 } else { one(action, now)?.page_totals().unseen_changes })
        }
        ActionKind::LookAtPage => {
            let site = one(action, now)?;
            let url = action.file.as_deref()?;
            let page = site.page_list.iter().find(|page| page.url == url);
            let is_reviewed = page.is_some_and(|page| page.review.is_some());
            let is_there = match action.answer {
                Question::Complete => site.findings.soft404.iter().any(|found| found.url == url),
                _ => page.is_some_and(|page| page.state == PageState::Changed),
            };
            Some(if is_reviewed || !is_there { 0 } else { action.count })
        }
    }
}

/// The site of an action, as it was captured last.
fn one<'a>(action: &Action, now: &'a Audit) -> Option<&'a SiteAudit> {
    let name = action.site.as_deref()?;
    now.sites.iter().filter(|site| site.site == name).max_by_key(|site| site.window.to)
}

fn sites(now: &Audit, which: impl Fn(&SiteAudit) -> bool) -> u64 {
    now.sites.iter().filter(|site| which(site)).count() as u64
}

/// The name of a file without its folders.
fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
