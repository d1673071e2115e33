//! Where another order of the next crawl does not help: captures that lie closer together do.

use crate::audit::actions::{GAIN, Known, compared, needs_plan};
use crate::audit::bands;
use crate::audit::model::{Action, ActionKind, Band, PageAudit, Question, SiteAudit};
use crate::audit::pace::own_gap;
use crate::change::run::PageState;
use crate::format::{count, duration, lasting, local, number, part_of, percent};

/// Whether pages of a site changed between captures that can be made sooner after each other, and no other order helps.
pub(crate) fn is_slow(site: &SiteAudit) -> bool {
    let is_lacking = matches!(bands::consistent(site), Band::Poor | Band::Mixed);
    let is_as_quick = site.reschedule.as_ref().is_some_and(|plan| plan.no_quicker);
    is_lacking && changing(site) > gone(site) && !needs_plan(site) && !is_as_quick
}

/// Whether a page was gone at its last capture: no crawl brings it back.
fn is_gone(page: &PageAudit) -> bool {
    let last = page.seen.and_then(|seen| seen.last.content);
    page.state == PageState::Changed && last.is_some_and(|content| content.gone().is_some())
}

/// How many pages were gone at their last capture.
pub(crate) fn gone(site: &SiteAudit) -> u64 {
    site.page_list.iter().filter(|page| is_gone(page)).count() as u64
}

/// Pages that differ however close together their captures lie.
pub(crate) fn anew(site: &SiteAudit) -> u64 {
    let is_anew = |page: &&PageAudit| page.state == PageState::Changed && page.is_generated();
    match site.page_list.is_empty() {
        true => site.findings.made_anew.pages.min(site.pages.changed),
        false => site.page_list.iter().filter(is_anew).count() as u64,
    }
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
    let besides =
        if anew > 0 { format!(", besides {} made for each request", number(anew)) } else { String::new() };
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

/// The planned order, where it is unknown what share of the pages it keeps: it captures the weightiest page that changed again much
/// sooner than the last crawl did.
pub(crate) fn by_plan(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let plan = site.reschedule.as_ref().filter(|plan| plan.no_quicker && !plan.is_shown)?;
    let may_stay =
        |page: &&PageAudit| page.state == PageState::Changed && !page.is_generated() && !is_gone(page);
    let heavier =
        |a: &&PageAudit, b: &&PageAudit| a.weight.total_cmp(&b.weight).then_with(|| b.url.cmp(&a.url));
    let page = site.page_list.iter().filter(may_stay).max_by(heavier)?;
    let planned = plan.plan.iter().find(|planned| planned.url == page.url)?;
    let (then, now) = (own_gap(page)?, planned.revisit_seconds? - planned.visit_seconds);
    let is_lacking = matches!(bands::consistent(site), Band::Poor | Band::Mixed);
    (is_lacking && now <= then / 2.0).then(|| {
        let text = format!(
            "Crawl in the planned order: {} is then captured twice within {}, not {}.",
            local(&page.url, &site.site),
            duration(now),
            duration(then)
        );
        let action = Action::new(ActionKind::PlanCrawl, Question::Consistent, plan.compared_pages, text);
        action.about(&site.site).run(known.commands.schedule(&site.site))
    })
}

/// The second captures of the sites of a collection sooner after the first.
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
