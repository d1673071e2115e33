//! What was requested and failed, and may succeed another time.

use std::collections::HashSet;

use crate::audit::actions::{Known, kinds_of};
use crate::audit::bands;
use crate::audit::completeness_figure::Effect;
use crate::audit::missing_reason::Lost;
use crate::audit::model::{Action, ActionKind, LinkCompleteness, Missing, Question, SiteAudit};
use crate::format::count;

/// Writes what the action means by failed, and nothing else.
const LIST_FAILED: &str = "--missing missing.txt --missing-only failed";

fn failed(site: &SiteAudit) -> impl Iterator<Item = &Missing> {
    site.missing.iter().flatten().filter(|entry| Lost::of(entry) == Lost::Failed)
}

/// How many files of some sites failed and may answer another time: each URL once, as the list of what is missing has it.
pub(crate) fn files<'a>(sites: impl Iterator<Item = &'a SiteAudit>) -> u64 {
    sites.flat_map(failed).map(|entry| entry.url.as_str()).collect::<HashSet<_>>().len() as u64
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
    let text = |effect: Option<String>| {
        let effected = match (effect, entries.len()) {
            (None, _) => String::new(),
            (Some(effect), 1) => format!(": {effect}, if it answers"),
            (Some(effect), _) => format!(": {effect}, if they answer"),
        };
        format!("Request again the {} that failed{effected}.", kinds_of(&entries))
    };
    let many = files(std::iter::once(site));
    let action = Action::new(
        ActionKind::RequestAgain,
        Question::Complete,
        many,
        text(effect.map(|effect| effect.text())),
    );
    let (before, after) = effect.map(|effect| effect.shares()).unzip();
    let in_counts = effect.map(|effect| text(Some(effect.in_counts())));
    let action = Action { before, after, in_counts, ..action.about(&site.site) };
    Some(action.run(known.commands.audit(LIST_FAILED)))
}

/// The same for the sites of a collection.
pub(crate) fn of_sites(known: &Known<'_>, sites: &[SiteAudit]) -> Option<Action> {
    let many = files(sites.iter());
    if many == 0 {
        return None;
    }
    let failing = sites.iter().filter(|site| failed(site).next().is_some()).count() as u64;
    let text =
        format!("Request again the {} of {} that failed.", count(many, "file"), count(failing, "site"));
    let action = Action::new(ActionKind::RequestAgain, Question::Complete, many, text);
    Some(action.run(known.commands.audit(LIST_FAILED)))
}
