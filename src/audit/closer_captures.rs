//! What helps where another order of the next crawl does not: captures closer together.

use crate::audit::actions::{GAIN, Known, compared, needs_plan};
use crate::audit::bands;
use crate::audit::model::{Action, ActionKind, Band, PageAudit, Question, SiteAudit};
use crate::change::run::PageState;
use crate::format::{count, duration, lasting, number, part_of, percent};

/// Whether pages of a site changed between captures that can be made sooner after each other, and no other order helps.
pub(crate) fn is_slow(site: &SiteAudit) -> bool {
    let is_lacking = matches!(bands::consistent(site), Band::Poor | Band::Mixed);
    let is_as_quick = site.reschedule.as_ref().is_some_and(|plan| plan.no_quicker);
    is_lacking && changing(site) > gone(site) && !needs_plan(site) && !is_as_quick
}

/// How many pages were gone at their last capture: no crawl brings them back.
pub(crate) fn gone(site: &SiteAudit) -> u64 {
    let is_gone = |page: &&PageAudit| {
        let last = page.seen.and_then(|seen| seen.last.content);
        page.state == PageState::Changed && last.is_some_and(|content| content.gone().is_some())
    };
    site.page_list.iter().filter(is_gone).count() as u64
}

/// Pages that differ however close together their captures lie.
fn anew(site: &SiteAudit) -> u64 {
    site.findings.made_anew.pages.min(site.pages.changed)
}

/// How many pages changed between captures. Those that differ however close together their captures lie are not among them.
fn changing(site: &SiteAudit) -> u64 {
    site.pages.changed - anew(site)
}

/// What is expected of a crawl in the planned order and at its pace, where that is more than what is known now.
fn expected(site: &SiteAudit) -> Option<f64> {
    let (planned, _) = compared(site)?;
    (planned - bands::proven(site) > GAIN).then_some(planned)
}

/// `11 of 12 pages changed between captures, besides 2 made for each request`.
fn changed(changed: u64, anew: u64, total: u64) -> String {
    let besides = if anew > 0 {
        format!(", besides {} generated for each request", number(anew))
    } else {
        String::new()
    };
    format!("{} changed between captures{besides}", part_of(changed, total, "page"))
}

/// The second captures of a site sooner after the first.
pub(crate) fn of_site(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    if !is_slow(site) {
        return None;
    }
    let pages = &site.pages;
    let expected = expected(site);
    // What is expected is a figure only where it is known how often a typical page changes, and of pages that are still there.
    let share = expected.filter(|_| site.rates.median_per_day.is_some() && gone(site) == 0);
    let text = |share: Option<f64>| {
        Some(match (expected, pages.total) {
            (Some(_), total) => format!(
                "Capture each page twice in one quick crawl, one page every {}: {}.",
                duration(site.reschedule.as_ref()?.delay_seconds),
                match share {
                    Some(share) => format!("{} expected consistent", percent(share)),
                    None => changed(changing(site), anew(site), total),
                }
            ),
            (None, 1) => format!(
                "Capture the page twice within less than {}: it changed within that time.",
                lasting(site.window.from, site.window.to)
            ),
            (None, total) => {
                format!(
                    "Capture each page twice within less time: {}.",
                    changed(changing(site), anew(site), total)
                )
            }
        })
    };
    let action = Action::new(ActionKind::CaptureSooner, Question::Consistent, changing(site), text(share)?);
    let in_counts = share.and_then(|_| text(None));
    let action = Action { after: share, in_counts, ..action.about(&site.site) };
    Some(action.run(known.commands.schedule(&site.site)))
}

/// The same for the sites of a collection.
pub(crate) fn of_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Option<Action> {
    let slow: Vec<&SiteAudit> = sites.iter().filter(|site| is_slow(site)).collect();
    let sum = |of: fn(&SiteAudit) -> u64| slow.iter().map(|site| of(site)).sum::<u64>();
    let said = changed(sum(changing), sum(anew), sum(|site| site.pages.total));
    let (name, command) = match &slow[..] {
        [] => return None,
        [only] => (only.site.clone(), known.commands.schedule(&only.site)),
        many => (count(many.len() as u64, "site"), known.commands.schedule_all()),
    };
    let text = format!("Capture each page of {name} twice within less time: {said}.");
    let action = Action::new(ActionKind::CaptureSooner, Question::Consistent, slow.len() as u64, text);
    Some(action.run(command))
}
