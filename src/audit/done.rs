//! Whether what an earlier audit proposed was done: how much of each action is left, by the figures of a later one.

use crate::audit::actions::{is_planned_better, is_unrecorded, never_requested};
use crate::audit::answers::together;
use crate::audit::bands;
use crate::audit::model::{Action, ActionKind, Audit, Band, SiteAudit};
use crate::audit::record::Record;
use crate::change::evidence::Compare;
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
    let record = Record::of(now);
    match action.kind {
        ActionKind::ReplaceFile => {
            let Some(file) = action.file.as_deref() else { return Some(record.damaged().len() as u64) };
            let name = base(file);
            let all: u64 = problems(&|level, _| level == Level::Error);
            let listed = now.problems.iter().filter(|problem| problem.level == Level::Error);
            let here = listed.clone().filter(|problem| base(&problem.file) == name).count() as u64;
            (here > 0 || listed.count() as u64 == all).then_some(here)
        }
        ActionKind::ComparePackages => Some(record.differing_hashes()),
        ActionKind::ReadFile => {
            let name = base(action.file.as_deref()?);
            let unread = record.unread();
            match action.count {
                1 => Some(unread.iter().filter(|problem| base(&problem.file) == name).count() as u64),
                _ => Some(unread.len() as u64),
            }
        }
        ActionKind::CompareRevisits => Some(record.contradicting_revisits()),
        ActionKind::CompareEvidence => Some(record.contradictory()),
        ActionKind::CompareCopy => Some(record.mismatched_records()),
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
            Some(_) => {
                let site = one(action, now).filter(|site| together(site).is_some())?;
                Some(never_requested(std::iter::once(site)))
            }
            None => Some(never_requested(now.sites.iter())),
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
            None => Some(sites(now, is_unrecorded)),
        },
        ActionKind::AddSeeds => {
            let found = one(action, now)?.completeness.as_ref()?;
            Some(u64::from(found.seeds.is_none()))
        }
        ActionKind::CaptureSeeds => {
            let seeds = one(action, now)?.completeness.as_ref()?.seeds?;
            Some(seeds.total - seeds.reached)
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
            Some(if page.review.is_some() { 0 } else { action.count })
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
