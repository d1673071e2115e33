//! What was requested, failed, and may answer another time.

use crate::audit::actions::{Known, kinds_of};
use crate::audit::bands;
use crate::audit::completeness_figure::Effect;
use crate::audit::model::{Action, ActionKind, LinkCompleteness, Missing, Question, SiteAudit};
use crate::format::count;
use crate::quality::link_completeness::TargetStatus;

/// Writes what failed, and nothing else.
const LIST_FAILED: &str = "--missing missing.txt --missing-only failed";

/// Whether another request may be answered: the server was overloaded or out of order, or did not answer at all.
pub(crate) fn may_answer(entry: &Missing) -> bool {
    entry.fate == TargetStatus::Failed && matches!(entry.status, None | Some(408 | 425 | 429 | 500..=599))
}

fn failed(site: &SiteAudit) -> impl Iterator<Item = &Missing> {
    site.missing.iter().flatten().filter(|entry| may_answer(entry))
}

/// How many files of some sites failed and may answer another time.
pub(crate) fn files<'a>(sites: impl Iterator<Item = &'a SiteAudit>) -> u64 {
    sites.map(|site| failed(site).count() as u64).sum()
}

/// What failed on a site, requested again.
pub(crate) fn of_site(known: &Known<'_>, site: &SiteAudit) -> Option<Action> {
    let entries: Vec<&Missing> = failed(site).collect();
    let again = |kind: &str, found: LinkCompleteness| {
        let many = entries.iter().filter(|entry| entry.kind == kind).count() as u64;
        let many = many.min(found.failed);
        bands::with_more(LinkCompleteness { failed: found.failed - many, ..found }, many)
    };
    if entries.is_empty() {
        return None;
    }
    let is_whole = site.completeness.as_ref().is_some_and(|found| found.missing_left_out == 0);
    let effect = Effect::of(site, |kind, found| again(kind, found)).filter(|_| is_whole);
    let effected = effect.map_or_else(String::new, |effect| format!(": {}", effect.text()));
    let (many, them) = (entries.len() as u64, if entries.len() == 1 { "it answers" } else { "they answer" });
    let text = format!("Request {} again that failed{effected}, if {them}.", kinds_of(&entries));
    let action = Action::new(ActionKind::RequestAgain, Question::Complete, many, text);
    let (before, after) = effect.map(|effect| effect.shares()).unzip();
    let action = Action { before, after, ..action.about(&site.site) };
    Some(action.run(known.commands.audit(LIST_FAILED)))
}

/// The same for the sites of a collection.
pub(crate) fn of_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Option<Action> {
    let many = files(sites.iter());
    if many == 0 {
        return None;
    }
    let failing = sites.iter().filter(|site| failed(site).next().is_some()).count() as u64;
    let text = format!("Request {} of {} again that failed.", count(many, "file"), count(failing, "site"));
    let action = Action::new(ActionKind::RequestAgain, Question::Complete, many, text);
    Some(action.run(known.commands.audit(LIST_FAILED)))
}
