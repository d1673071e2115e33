//! Captures that fall together: of two captures within one second, nobody knows which came first.
//!
//! Where a capture may have been made before or after one of another version, it neither ends nor begins a proven stretch: its run
//! is cut before or behind it, so that the order in which two such captures stand in a file decides nothing.

use crate::change::evidence::Identity;
use crate::change::run::{Link, Look, Run};
use crate::time::Instant;

/// Cuts off the captures of each run that may be as early as one of the run before, or as late as one of the run behind.
pub(crate) fn split(looks: &[Look], runs: &mut Vec<Run>, members: &mut Vec<Vec<Identity>>) {
    let cuts = cuts(looks, runs);
    if cuts.iter().all(|(head, tail)| *head == 0 && *tail == 0) {
        return;
    }
    let (old_runs, old_members) = (std::mem::take(runs), std::mem::take(members));
    for ((run, of_run), (head, tail)) in old_runs.into_iter().zip(old_members).zip(cuts) {
        let (start, end) = (run.looks.start, run.looks.end);
        let single = |look: usize| look..look + 1;
        let whole = start + head..end - tail;
        let parts = (start..whole.start).map(single).chain((!whole.is_empty()).then_some(whole.clone()));
        for looks in parts.chain((whole.end..end).map(single)) {
            let link = if looks.end == end { run.link } else { Some(Link::Unknown) };
            let grade = run.grade.filter(|_| looks.len() > 1);
            // What equals a capture out of order is no claim of the server.
            let is_parted = looks.end != end;
            runs.push(Run { link, grade, is_parted, ..Run::new(looks) });
            members.push(of_run.clone());
        }
    }
}

/// For every run, how many captures at its begin and at its end may be out of order with those of its neighbours.
fn cuts(looks: &[Look], runs: &[Run]) -> Vec<(usize, usize)> {
    // The latest time at which a capture before the run may have been made.
    let mut ended: Option<Instant> = None;
    let of_run = runs.iter().map(|run| {
        let own = &looks[run.looks.clone()];
        let next = looks.get(run.looks.end).map(|look| look.time);
        let is_later = |look: &Look| ended.is_none_or(|ended| ended <= look.time);
        let is_earlier = |look: &Look| next.is_none_or(|next| look.end <= next && look.time < next);
        let head = own.iter().take_while(|look| !is_later(look)).count();
        let tail = own[head..].iter().rev().take_while(|look| !is_earlier(look)).count();
        ended = own.iter().map(|look| look.end).max().max(ended);
        // A capture alone proves nothing as it is.
        if own.len() == 1 { (0, 0) } else { (head, tail) }
    });
    of_run.collect()
}
