//! The share of an answer then and now, each by the same measure: what decided then need not be what decides now.

use crate::audit::bands::Parts;
use crate::audit::model::{Audit, Direction, Level, Question, SiteAudit};

/// A share before and after, and what it is a share of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub measure: &'static str,
    pub before: f64,
    pub after: f64,
}

/// A measure, and the share by it then and now, where it is known.
type Kind = (&'static str, Option<f64>, Option<f64>);

/// The share of an answer in two audits; `None` where they have no measure in common.
pub(crate) fn of(question: Question, then: &Audit, now: &Audit, direction: Direction) -> Option<Measured> {
    if question == Question::Record {
        let (before, after) = then.answers.record.share.zip(now.answers.record.share)?;
        return Some(Measured { measure: "captures without damage or contradictions", before, after });
    }
    let ([then], [now]) = (&then.sites[..], &now.sites[..]) else { return None };
    let kinds: Vec<Kind> = match question {
        Question::Consistent => {
            let share = |site: &SiteAudit, which: fn(&SiteAudit) -> &Level| {
                which(site).share.filter(|_| site.coherence.provable)
            };
            let by_number: fn(&SiteAudit) -> &Level = |site| &site.coherence.best;
            let by_weight: fn(&SiteAudit) -> &Level = |site| &site.coherence.best_by_weight;
            vec![
                ("pages", share(then, by_number), share(now, by_number)),
                ("importance", share(then, by_weight), share(now, by_weight)),
            ]
        }
        _ => {
            let (then, now) = (Parts::of(then), Parts::of(now));
            vec![
                ("embeds", then.embeds, now.embeds),
                ("linked pages", then.links, now.links),
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
    // What got worse shows in what decides now, all else in what decided then.
    let order = if direction == Direction::Worse { [now, then] } else { [then, now] };
    order
        .into_iter()
        .flatten()
        .find_map(|(measure, before, after)| Some(Measured { measure, before: before?, after: after? }))
}
