//! Which way an answer went, and its share then and now by one measure: what decided then need not be what decides now.

use crate::audit::bands::{self, Parts};
use crate::audit::measures::Measures;
use crate::audit::model::{Audit, Band, Direction, Level, Question, SiteAudit};
use crate::format::{percent, percents};

/// A share before and after, and what it is a share of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub measure: &'static str,
    /// Unknown where only the other of the two audits can judge it.
    pub before: Option<f64>,
    pub after: Option<f64>,
}

impl Measured {
    /// `versions 99% → 12%`, `70% → 80% by importance`, `embeds 20% now`; `None` where the share is the same.
    pub(crate) fn words(&self, question: Question) -> Option<String> {
        shares(question, self.measure, self.before, self.after)
    }
}

/// A share then and now, for people; `None` where it is the same, or known of neither audit.
pub(crate) fn shares(
    question: Question,
    measure: &str,
    before: Option<f64>,
    after: Option<f64>,
) -> Option<String> {
    let shares = match (before, after) {
        (None, None) => return None,
        (Some(before), Some(after)) if percent(before) == percent(after) => return None,
        (Some(before), Some(after)) => {
            let (before, after) = percents(before, after);
            format!("{before} → {after}")
        }
        (Some(before), None) => format!("{} then", percent(before)),
        (None, Some(after)) => format!("{} now", percent(after)),
    };
    Some(match question {
        Question::Complete => format!("{measure} {shares}"),
        Question::Consistent if measure == IMPORTANCE => format!("{shares} by importance"),
        _ => shares,
    })
}

/// The share of pages by their importance.
pub(crate) const IMPORTANCE: &str = "importance";

/// A measure, and the share by it then and now, where it is known.
type Kind = (&'static str, Option<f64>, Option<f64>);

/// The order of bands that are known.
fn rank(band: Option<Band>) -> Option<u8> {
    match band? {
        Band::Poor => Some(0),
        Band::Mixed => Some(1),
        Band::Good => Some(2),
        Band::CannotTell => None,
    }
}

/// Which way an answer went.
pub(crate) fn direction(before: Option<Band>, after: Option<Band>) -> Direction {
    match (rank(before), rank(after)) {
        _ if before == after => Direction::Same,
        (Some(before), Some(after)) if after > before => Direction::Better,
        (Some(_), Some(_)) => Direction::Worse,
        _ => Direction::Unknown,
    }
}

/// The share of captures that are sound in two audits.
pub(crate) fn of_records(then: &Audit, now: &Audit) -> Option<Measured> {
    let (before, after) = then.answers.record.share.zip(now.answers.record.share)?;
    let measure = "captures without damage or contradictions";
    Some(Measured { measure, before: Some(before), after: Some(after) })
}

/// Which way an answer about a site went. By two measures it went neither way.
pub(crate) fn way(question: Question, measures: &Measures, then: &SiteAudit, now: &SiteAudit) -> Direction {
    let way = match question {
        Question::Complete => way_of_completeness(then, now),
        _ => direction(then.answers.consistent.band, now.answers.consistent.band),
    };
    match way {
        Direction::Better | Direction::Worse if !measures.judge_alike(question, then, now) => {
            Direction::Unknown
        }
        way => way,
    }
}

/// Which way completeness went. What only one of the two audits can judge, versions or seeds, makes a site neither better nor
/// worse: a second crawl that shows for the first time that versions are missed did not lose them.
fn way_of_completeness(then: &SiteAudit, now: &SiteAudit) -> Direction {
    let way = direction(then.answers.complete.band, now.answers.complete.band);
    let (of_then, of_now) = (Parts::of(then), Parts::of(now));
    let in_common = |parts: Parts, other: Parts| Parts {
        versions: parts.versions.filter(|_| other.versions.is_some()),
        seeds: parts.seeds.filter(|_| other.seeds.is_some()),
        ..parts
    };
    let band = |site: &SiteAudit, parts: Parts| Some(parts.band(bands::links_unknown(site)));
    let by_common = direction(band(then, in_common(of_then, of_now)), band(now, in_common(of_now, of_then)));
    match way {
        Direction::Better | Direction::Worse if by_common != way => Direction::Unknown,
        way => way,
    }
}

/// The part of completeness that decides in one of two audits and that the other cannot judge.
fn of_one(then: Parts, now: Parts) -> Option<Measured> {
    let part = |measure, before: Option<f64>, after: Option<f64>| {
        let decides = before.is_some() && before == then.worst() || after.is_some() && after == now.worst();
        (before.is_some() != after.is_some() && decides).then_some(Measured { measure, before, after })
    };
    part("versions", then.versions, now.versions).or_else(|| part("seeds", then.seeds, now.seeds))
}

/// The share of an answer about a site in two audits; `None` where they have no measure in common.
pub(crate) fn of(
    question: Question,
    measures: &Measures,
    then: &SiteAudit,
    now: &SiteAudit,
    direction: Direction,
) -> Option<Measured> {
    let is_known = match question {
        Question::Consistent => measures.compare_alike(then, now),
        _ => measures.count_alike(then, now),
    };
    if !is_known {
        return None;
    }
    if question == Question::Complete
        && direction == Direction::Unknown
        && let Some(found) = of_one(Parts::of(then), Parts::of(now))
    {
        return Some(found);
    }
    let (before_site, after_site) = (then, now);
    let kinds: Vec<Kind> = match question {
        Question::Consistent => {
            let share = |site: &SiteAudit, which: fn(&SiteAudit) -> &Level| {
                which(site).share.filter(|_| site.coherence.provable)
            };
            let by_number: fn(&SiteAudit) -> &Level = |site| &site.coherence.best;
            let by_weight: fn(&SiteAudit) -> &Level = |site| &site.coherence.best_by_weight;
            let by_number = ("pages", share(then, by_number), share(now, by_number));
            let by_weight = (IMPORTANCE, share(then, by_weight), share(now, by_weight));
            // Each audit weighs pages by what it was told.
            if measures.importance { vec![by_number, by_weight] } else { vec![by_number] }
        }
        _ => {
            // Links may decide by those that were requested; the share of all of them is one measure for both.
            let all_links =
                |site: &SiteAudit| Parts::of(site).links.and(site.completeness.as_ref()?.links?.plain_share);
            let links = ("linked pages", all_links(then), all_links(now));
            let (then, now) = (Parts::of(then), Parts::of(now));
            vec![
                ("embeds", then.embeds, now.embeds),
                links,
                ("versions", then.versions, now.versions),
                ("seeds", then.seeds, now.seeds),
            ]
        }
    };
    let least = |which: fn(&Kind) -> Option<f64>| {
        let known = kinds.iter().filter_map(|kind| Some((which(kind)?, kind)));
        known.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, kind)| *kind)
    };
    let (then, now) = (least(|kind| kind.1), least(|kind| kind.2));
    // What got worse shows in what decides now, what got better in what decided then. Where one of the audits cannot tell, the other
    // one has what decides.
    let is_open = |site: &SiteAudit| band_of(question, site) == Some(Band::CannotTell);
    let decides = match direction {
        Direction::Worse => now,
        Direction::Better => then,
        _ if is_open(before_site) && !is_open(after_site) => now,
        _ if is_open(after_site) && !is_open(before_site) => then,
        _ => [then, now].into_iter().flatten().find(|(_, before, after)| before.is_some() && after.is_some()),
    };
    decides.map(|(measure, before, after)| Measured { measure, before, after })
}

/// The band of an answer about a site.
fn band_of(question: Question, site: &SiteAudit) -> Option<Band> {
    match question {
        Question::Complete => site.answers.complete.band,
        _ => site.answers.consistent.band,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_is_neither_better_nor_worse() {
        let way = |before, after| direction(Some(before), Some(after));
        assert_eq!(way(Band::Poor, Band::Good), Direction::Better);
        assert_eq!(way(Band::Good, Band::Mixed), Direction::Worse);
        assert_eq!(way(Band::Good, Band::Good), Direction::Same);
        assert_eq!(way(Band::Good, Band::CannotTell), Direction::Unknown);
    }
}
