//! Version completeness of pages and sites, from what the captures show.

use crate::audit::model::{PageCompleteness, VersionCompleteness as Out};
use crate::audit::page::Work;
use crate::change::history::Created;
use crate::change::run::Link;
use crate::quality::completeness::{Stretch, VersionCompleteness, estimated, exact, filled};
use crate::time::{Instant, Interval, SECOND};

/// Completeness of one page; `None` where every capture failed.
///
/// `weights` are the importances of the changes that made each run, `None` where they are unknown. With an exact history
/// (`created`) versions are counted: the one that was online when the window began, unless the page was added later, and one for
/// every change in it. They weigh what the history says; where it says nothing, the mean of what it does say.
pub(crate) fn of_page(
    work: &Work<'_>,
    window: Interval,
    created: Option<&[Created]>,
    weights: &[Option<f64>],
) -> Option<VersionCompleteness> {
    let versions = &work.versions;
    let (first, last) = (versions.looks.first()?, versions.looks.last()?);
    if let Some(created) = created {
        let before = created.partition_point(|version| version.at <= window.from);
        let inside: Vec<Created> =
            created[before..].iter().copied().filter(|version| version.at <= window.to).collect();
        let is_new = before == 0 && inside.first().is_some_and(|version| version.is_first);
        let old = before.checked_sub(1).and_then(|last| created[last].importance);
        let weights: Vec<Option<f64>> = (!is_new)
            .then_some(old)
            .into_iter()
            .chain(inside.iter().map(|version| version.importance))
            .collect();
        let happened =
            |at: Instant| usize::from(!is_new) + inside.partition_point(|version| version.at <= at);
        let captures = versions.looks.iter().map(|look| happened(look.time));
        return Some(exact(&filled(&weights).0, captures));
    }
    let mut known: Vec<Option<f64>> = Vec::new();
    for (run, weight) in versions.runs.iter().zip(weights) {
        // A version that comes back was captured before.
        if run.version.is_some_and(|version| version as usize == known.len()) {
            known.push(*weight);
        }
    }
    if known.is_empty() {
        known.push(None);
    }
    let seconds = |from: Instant, to: Instant| to.0.saturating_sub(from.0).max(0) as f64 / SECOND as f64;
    let head = match versions.runs.first().and_then(|run| run.last_modified) {
        Some(modified) if modified <= window.from => Stretch::Proven,
        Some(modified) if modified < first.time => Stretch::Before(seconds(window.from, modified)),
        _ => Stretch::Unseen(seconds(window.from, first.time)),
    };
    let mut stretches = vec![head, Stretch::Unseen(seconds(last.end, window.to))];
    stretches.extend(versions.gaps().map(|gap| {
        let length = seconds(gap.from.time, gap.to.time);
        match (gap.link, gap.last_modified) {
            (None, _) => Stretch::Proven,
            (Some(Link::Different(_)), Some(modified)) => {
                Stretch::Unseen(seconds(gap.from.time, modified.min(gap.to.time)))
            }
            (Some(Link::Different(_)), None) => Stretch::Changed(length),
            (Some(Link::Unknown), _) => Stretch::Unknown(length),
        }
    }));
    Some(estimated(&known, &stretches, work.rate_spread()))
}

/// What the model says of a page.
pub(crate) fn page_out(found: &VersionCompleteness, exact: bool) -> PageCompleteness {
    let share = found.estimate();
    PageCompleteness {
        share: share.map(|share| share.value),
        low: share.map(|share| share.low),
        high: share.map(|share| share.high),
        captured: found.captured,
        expected_missed: found.expected_missed,
        exact,
    }
}

/// What the model says of a site or an archive: without what rests on rates that are unknown where it is not
/// `usable`.
pub(crate) fn out(found: &VersionCompleteness, plain: &VersionCompleteness, usable: bool) -> Out {
    let share = found.estimate();
    Out {
        share: share.map(|share| share.value),
        plain_share: plain.share,
        low: share.map(|share| share.low),
        high: share.map(|share| share.high),
        captured: found.captured,
        expected_missed: usable.then_some(found.expected_missed),
        missing: found.share.map(|_| found.missing),
    }
}
