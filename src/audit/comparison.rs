//! An audit compared with an earlier one: what got better, worse or fixed, and which actions were done.

use std::collections::{BTreeMap, HashSet};

use crate::audit::comparison_words::{self, Both};
use crate::audit::completed_actions;
use crate::audit::measures::Measures;
use crate::audit::model::{
    ActionOutcome, ActionState, AnswerChange, Audit, Band, Comparison, Listed, Question, Said, SiteAudit,
};
use crate::audit::same_measure::{self, direction};
use crate::audit::site_changes::{self, Latest, PageChanges, Weighed};

/// Examples of a list.
const MAX_EXAMPLES: usize = 20;

/// Compares an audit with an earlier one, read from the file `with`.
pub(crate) fn compare(then: &Audit, now: &Audit, with: &str) -> Comparison {
    let (old, new) = (latest(then), latest(now));
    if is_other(&old, &new) {
        // Another site is neither better nor worse.
        let text = "The two audits have no site in common, so nothing is compared.".to_owned();
        let said = vec![Said { topic: "Note".to_owned(), text }];
        return Comparison {
            with: with.to_owned(),
            window: then.summary.window,
            said,
            ..Comparison::default()
        };
    }
    let measures = Measures::of(then, now);
    let has_pages = [&old, &new].iter().all(|sites| sites.values().all(|site| site.page_totals.is_none()));
    let listed = has_pages && measures.pages;
    let mut comparison = Comparison {
        with: with.to_owned(),
        window: then.summary.window,
        answers: answers(then, now, &old, &new, &measures),
        sites: match old.len().max(new.len()) {
            0 | 1 => Vec::new(),
            _ => site_changes::of(&old, &new, listed, &measures),
        },
        actions: outcomes(then, now),
        ..Comparison::default()
    };
    let lost = if listed { pages(&mut comparison, &old, &new, &measures) } else { HashSet::new() };
    missing(&mut comparison, &old, &new, &lost, &measures);
    let both = Both { then, now, old: &old, new: &new, measures: &measures, has_pages };
    comparison.said = comparison_words::said(&comparison, &both);
    comparison
}

/// Whether the audits are of sites of which none is in both.
fn is_other(old: &Latest<'_>, new: &Latest<'_>) -> bool {
    !old.is_empty() && !new.is_empty() && !old.keys().any(|name| new.contains_key(name))
}

/// Each site as it was captured last.
fn latest(audit: &Audit) -> Latest<'_> {
    let mut sites: Latest<'_> = BTreeMap::new();
    for site in &audit.sites {
        let held = sites.entry(&site.site).or_insert(site);
        if site.window.to >= held.window.to {
            *held = site;
        }
    }
    sites
}

/// The one site of an audit, as it was captured last; `None` where there are several.
pub(crate) fn only<'a>(sites: &Latest<'a>) -> Option<&'a SiteAudit> {
    sites.values().next().copied().filter(|_| sites.len() == 1)
}

/// The answers then and now: of one site as it was captured last, and about the record.
fn answers(
    then: &Audit,
    now: &Audit,
    old: &Latest<'_>,
    new: &Latest<'_>,
    measures: &Measures,
) -> Vec<AnswerChange> {
    let sites = only(old).zip(only(new));
    let change = |question: Question| {
        let (before, after) = (band(then, old, question), band(now, new, question));
        let direction = match (question, sites) {
            (Question::Consistent | Question::Complete, Some((old, new))) => {
                same_measure::way(question, measures, old, new)
            }
            _ => direction(before, after),
        };
        let measured = match (question, sites) {
            (Question::Record, _) => same_measure::of_records(then, now),
            (_, Some((old, new))) => same_measure::of(question, measures, old, new, direction),
            _ => None,
        };
        (before.is_some() && after.is_some()).then(|| AnswerChange {
            question,
            before,
            after,
            before_share: measured.and_then(|found| found.before),
            after_share: measured.and_then(|found| found.after),
            measure: measured.map(|found| found.measure.to_owned()),
            direction,
        })
    };
    [Question::Consistent, Question::Complete, Question::Record].into_iter().filter_map(change).collect()
}

/// The band of an answer: of the audit, or where it judged several crawls of one site, of the site as it was captured last.
fn band(audit: &Audit, sites: &Latest<'_>, question: Question) -> Option<Band> {
    let last = only(sites).filter(|_| audit.sites.len() > 1).map(|site| &site.answers);
    let answer = match (question, last) {
        (Question::Consistent, Some(last)) => &last.consistent,
        (Question::Consistent, None) => &audit.answers.consistent,
        (Question::Complete, Some(last)) => &last.complete,
        (Question::Complete, None) => &audit.answers.complete,
        (Question::Record, _) => &audit.answers.record,
    };
    answer.band
}

/// Pages with their weights: the heaviest first.
fn listed(mut pages: Weighed<'_>) -> Listed {
    pages.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    Listed {
        count: pages.len() as u64,
        first: pages.iter().take(MAX_EXAMPLES).map(|(_, url)| (*url).to_owned()).collect(),
    }
}

/// The pages that fare otherwise; the result is those that were captured then and are not here now.
fn pages<'a>(
    comparison: &mut Comparison,
    old: &Latest<'a>,
    new: &Latest<'a>,
    measures: &Measures,
) -> HashSet<&'a str> {
    let changes = PageChanges::of_all(old, new, measures);
    comparison.gained = listed(changes.gained);
    comparison.fixed = listed(changes.fixed);
    comparison.broken = listed(changes.broken);
    let lost = changes.lost.iter().map(|(_, url)| *url).collect();
    comparison.lost = listed(changes.lost);
    lost
}

/// Files that are missing in one of the audits: of the sites whose links both know, and list whole. Pages that are `lost` are
/// not among them.
fn missing(
    comparison: &mut Comparison,
    old: &Latest<'_>,
    new: &Latest<'_>,
    lost: &HashSet<&str>,
    measures: &Measures,
) {
    let (mut better, mut worse) = (Vec::new(), Vec::new());
    for (name, before) in old {
        if let Some((found, lacking)) =
            new.get(name).and_then(|after| site_changes::missing(measures, before, after))
        {
            better.extend(found);
            worse.extend(lacking.into_iter().filter(|(_, url)| !lost.contains(url)));
        }
    }
    comparison.no_longer_missing = listed(better);
    comparison.newly_missing = listed(worse);
}

fn outcomes(then: &Audit, now: &Audit) -> Vec<ActionOutcome> {
    let outcome = |action: &crate::audit::model::Action| {
        let left = completed_actions::left(action, then, now);
        let state = match left {
            None => ActionState::Unknown,
            Some(0) if !completed_actions::was_carried_out(action, then, now) => ActionState::NotNeeded,
            Some(0) => ActionState::Done,
            Some(left) if left < action.count => ActionState::Partly,
            Some(_) => ActionState::Open,
        };
        ActionOutcome {
            kind: action.kind,
            site: action.site.clone(),
            text: action.text.clone(),
            before: action.count,
            left,
            state,
        }
    };
    then.actions.iter().map(outcome).collect()
}
