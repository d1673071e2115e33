//! The sites of an audit compared with an earlier one, each with what got better, worse or fixed on it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::audit::measures::Measures;
use crate::audit::model::{Band, Direction, PageAudit, Question, SiteAnswers, SiteAudit, SiteChange};
use crate::audit::same_measure;
use crate::change::run::PageState;
use crate::format::{count, list};

/// Sites that are listed.
const SITES: usize = 1_000;

/// Sites by name, each as it was captured last.
pub(crate) type Latest<'a> = BTreeMap<&'a str, &'a SiteAudit>;

/// URLs with their weights.
pub(crate) type Weighed<'a> = Vec<(f64, &'a str)>;

/// Pages that fare otherwise than last time.
#[derive(Debug, Default)]
pub(crate) struct PageChanges<'a> {
    /// Changed then, unchanged now.
    pub fixed: Weighed<'a>,
    /// Unchanged then, changed now.
    pub broken: Weighed<'a>,
    /// Captured then, not here now.
    pub lost: Weighed<'a>,
    /// Here now, not then.
    pub gained: Weighed<'a>,
}

impl<'a> PageChanges<'a> {
    /// Those of all sites of two audits.
    pub(crate) fn of_all(old: &Latest<'a>, new: &Latest<'a>, measures: &Measures) -> Self {
        let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        let mut all = PageChanges::default();
        for name in names {
            let (before, after) = (old.get(name).copied(), new.get(name).copied());
            let found = PageChanges::of_site(before, after, measures);
            all.fixed.extend(found.fixed);
            all.broken.extend(found.broken);
            all.lost.extend(found.lost);
            all.gained.extend(found.gained);
        }
        all
    }

    /// Those of a site. Where two audits compare pages in two ways, none is better or worse.
    fn of_site(before: Option<&'a SiteAudit>, after: Option<&'a SiteAudit>, measures: &Measures) -> Self {
        fn pages(site: Option<&SiteAudit>) -> impl Iterator<Item = &PageAudit> {
            site.into_iter().flat_map(|site| &site.page_list)
        }
        let found = PageChanges::of(pages(before), pages(after));
        match before.zip(after) {
            Some((before, after)) if !measures.compare_alike(before, after) => {
                PageChanges { fixed: Vec::new(), broken: Vec::new(), ..found }
            }
            _ => found,
        }
    }

    fn of(old: impl Iterator<Item = &'a PageAudit>, new: impl Iterator<Item = &'a PageAudit>) -> Self {
        let old: HashMap<&str, &PageAudit> = old.map(|page| (page.key.as_str(), page)).collect();
        let new: HashMap<&str, &PageAudit> = new.map(|page| (page.key.as_str(), page)).collect();
        let mut changes = PageChanges::default();
        for (key, before) in &old {
            let entry = (before.weight, before.url.as_str());
            match new.get(key).map(|after| after.state) {
                None => changes.lost.push(entry),
                Some(PageState::Sharp) if before.state == PageState::Changed => changes.fixed.push(entry),
                Some(PageState::Changed) if before.state == PageState::Sharp => changes.broken.push(entry),
                Some(_) => {}
            }
        }
        let gained = new.iter().filter(|(key, _)| !old.contains_key(*key));
        changes.gained = gained.map(|(_, page)| (page.weight, page.url.as_str())).collect();
        changes
    }
}

/// Files of a site that are no longer missing, and those that newly are; `None` where one of the audits does not list them whole, or
/// where other files count.
pub(crate) fn missing<'a>(
    measures: &Measures,
    before: &'a SiteAudit,
    after: &'a SiteAudit,
) -> Option<(Weighed<'a>, Weighed<'a>)> {
    let is_whole = |site: &SiteAudit| {
        site.completeness.as_ref().is_some_and(|found| found.links.is_some() && found.missing_left_out == 0)
    };
    if !measures.count_alike(before, after) || !is_whole(before) || !is_whole(after) {
        return None;
    }
    fn only_in<'a>(one: &'a SiteAudit, other: &SiteAudit) -> Weighed<'a> {
        let known: BTreeSet<&str> =
            other.missing.iter().flatten().map(|missing| missing.url.as_str()).collect();
        let only = one.missing.iter().flatten().filter(|missing| !known.contains(missing.url.as_str()));
        only.map(|missing| (missing.weight, missing.url.as_str())).collect()
    }
    Some((only_in(before, after), only_in(after, before)))
}

/// The sites on which something changed, worse ones first; `listed` says whether both audits list the same pages.
pub(crate) fn of(old: &Latest<'_>, new: &Latest<'_>, listed: bool, measures: &Measures) -> Vec<SiteChange> {
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let change = |name: &str| match (old.get(name), new.get(name)) {
        (Some(before), Some(after)) => of_both(before, after, listed, measures),
        // Where the audits do not judge the same sites, none is gone or new.
        _ if !measures.sites => None,
        (Some(before), None) => Some(of_one(before, Direction::Gone)),
        (None, Some(after)) => Some(of_one(after, Direction::New)),
        (None, None) => None,
    };
    let mut sites: Vec<SiteChange> = names.into_iter().filter_map(change).collect();
    sites.sort_by(|a, b| (a.direction, &a.site).cmp(&(b.direction, &b.site)));
    sites.truncate(SITES);
    sites
}

/// A site that is in one of the audits only.
fn of_one(site: &SiteAudit, direction: Direction) -> SiteChange {
    let bands = |when| {
        if direction == when {
            (site.answers.consistent.band, site.answers.complete.band)
        } else {
            (None, None)
        }
    };
    let ((consistent_before, complete_before), (consistent_after, complete_after)) =
        (bands(Direction::Gone), bands(Direction::New));
    let text = match direction {
        Direction::Gone => "There last time and not now.",
        _ => "Not there last time.",
    };
    SiteChange {
        site: site.site.clone(),
        consistent_before,
        consistent_after,
        complete_before,
        complete_after,
        direction,
        text: text.to_owned(),
        ..SiteChange::default()
    }
}

/// A site of both audits; `None` where nothing of it changed.
fn of_both(before: &SiteAudit, after: &SiteAudit, listed: bool, measures: &Measures) -> Option<SiteChange> {
    let (then, now) = (&before.answers, &after.answers);
    let questions = [Question::Consistent, Question::Complete];
    let ways = questions.map(|question| same_measure::way(question, measures, before, after));
    let way =
        [Direction::Worse, Direction::Better, Direction::Unknown].into_iter().find(|way| ways.contains(way));
    let pages = listed.then(|| PageChanges::of_site(Some(before), Some(after), measures));
    let files = missing(measures, before, after);
    let many = |some: fn(&PageChanges<'_>) -> usize| pages.as_ref().map(|pages| some(pages) as u64);
    let mut change = SiteChange {
        site: before.site.clone(),
        consistent_before: then.consistent.band,
        consistent_after: now.consistent.band,
        complete_before: then.complete.band,
        complete_after: now.complete.band,
        direction: way.unwrap_or(Direction::Same),
        fixed: many(|pages| pages.fixed.len()),
        broken: many(|pages| pages.broken.len()),
        lost: many(|pages| pages.lost.len()),
        gained: many(|pages| pages.gained.len()),
        no_longer_missing: files.as_ref().map(|(found, _)| found.len() as u64),
        newly_missing: files.as_ref().map(|(_, lacking)| lacking.len() as u64),
        text: String::new(),
    };
    let answers = std::array::from_fn(|place| {
        let change = Judged { question: questions[place], way: ways[place], before, after };
        change.text(measures)
    });
    change.text = text(&change, answers);
    (!change.text.is_empty()).then_some(change)
}

/// An answer about a site then and now.
struct Judged<'a> {
    question: Question,
    way: Direction,
    before: &'a SiteAudit,
    after: &'a SiteAudit,
}

impl Judged<'_> {
    /// `complete mixed → poor (versions 99% → 12%)`; `None` where it is the same.
    fn text(&self, measures: &Measures) -> Option<String> {
        let Judged { question, way, before, after } = *self;
        let (name, band): (_, fn(&SiteAnswers) -> _) = match question {
            Question::Complete => ("complete", |answers| answers.complete.band),
            _ => ("consistent", |answers| answers.consistent.band),
        };
        let (then, now) = (band(&before.answers), band(&after.answers));
        if then == now {
            return None;
        }
        let why = match measures.judge_alike(question, before, after) {
            false => Some("by another measure".to_owned()),
            true => same_measure::of(question, measures, before, after, way)
                .and_then(|found| found.words(question)),
        };
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        let word = |band: Option<Band>| band.unwrap_or_default().name();
        Some(format!("{name} {} → {}{why}", word(then), word(now)))
    }
}

/// What changed on a site of both audits, in sentences; none where nothing did. `answers` are the sentences about its answers.
fn text(change: &SiteChange, answers: [Option<String>; 2]) -> String {
    let some = |many: Option<u64>, noun: &str, what: &str| {
        many.filter(|many| *many > 0).map(|many| format!("{}{what}", count(many, noun)))
    };
    let parts = [
        ("", answers.into()),
        (
            "fixed: ",
            vec![
                some(change.fixed, "page", " now unchanged"),
                some(change.no_longer_missing, "file", " no longer missing"),
            ],
        ),
        (
            "worse: ",
            vec![
                some(change.broken, "page", " now changed"),
                some(change.lost, "page", " not here now"),
                some(change.newly_missing, "file", " newly missing"),
            ],
        ),
        ("new: ", vec![some(change.gained, "page", "")]),
    ];
    let said = parts.into_iter().filter_map(|(mark, some)| {
        let some: Vec<String> = some.into_iter().flatten().collect();
        (!some.is_empty()).then(|| format!("{mark}{}", list(&some)))
    });
    let mut text = said.collect::<Vec<_>>().join("; ");
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_says_what_got_better_worse_and_fixed() {
        let change = SiteChange {
            fixed: Some(2),
            broken: Some(1),
            lost: Some(0),
            gained: Some(3),
            no_longer_missing: None,
            newly_missing: Some(4),
            ..SiteChange::default()
        };
        let answers = [Some("consistent poor → mixed (60% → 80%)".to_owned()), None];
        assert_eq!(
            text(&change, answers),
            "Consistent poor → mixed (60% → 80%); fixed: 2 pages now unchanged; worse: 1 page now changed and 4 files newly missing; \
             new: 3 pages."
        );
        assert_eq!(text(&SiteChange::default(), [None, None]), "");
    }
}
