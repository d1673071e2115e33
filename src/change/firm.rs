//! Firm captures: known to lie before or after every capture with other content. Only they can begin or end a proof.
//!
//! A capture is firm if nothing else may have been made at the time at which it may have been made itself: in its second, or, where a
//! cache may have kept its response, at any time since that was made at the earliest. Two firm captures of a run prove the time between
//! them if nothing else was made there. The run is cut where something else was, and around captures that are not firm, unless firm
//! ones on both sides prove without them. So the order in which captures of one second stand in a file decides nothing.
//!
//! Something else is a capture of another version, or one that may be of another, or one that shows no version but other content
//! ([`super::other_content`]). Where a cache may have kept it, it counts at two times: when it was captured, and when it was made by the word of
//! the server. If it was made at neither, the page changed and changed back, which is assumed not to be so.
//!
//! Cost: O(log captures) for each capture, and [`REACH`] steps where captures of several runs of one version lie among others.

use crate::capture::table::Row;
use crate::change::bare::agrees;
use crate::change::evidence::{Identity, Judge, Verdict};
use crate::change::other_content::Strays;
use crate::change::role::Aside;
use crate::change::run::{Link, Look, REACH, Run, judge_all};
use crate::time::Instant;

/// A time at which a response may have been made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub from: Instant,
    pub to: Instant,
}

impl Window {
    /// The times that count against others: of the capture, and by the word of the server.
    pub(crate) fn of(row: &Row) -> [Window; 2] {
        [Window { from: row.time, to: row.end }, Window { from: row.made, to: row.stated() }]
    }

    /// Whether it may lie behind one capture and before another, or in the time of one of them.
    pub(crate) fn may_lie_between(&self, one: &Look, other: &Look) -> bool {
        let is_before = self.to <= one.time && self.from < one.time;
        let is_behind = other.end <= self.from && other.time < self.from;
        !is_before && !is_behind
    }
}

/// A response that a cache may have kept, at its capture.
struct Kept {
    window: Window,
    look: usize,
    run: usize,
    /// The next one of another run.
    other: usize,
}

/// What speaks against captures of a run.
struct Others<'a, 't> {
    judge: &'a Judge<'t>,
    identities: &'a [Result<Identity, Aside>],
    strays: &'a Strays<'a>,
    looks: &'a [Look],
    /// The latest time, by the word of their servers, at which captures up to each one were made.
    ended: Vec<Instant>,
    kept: Vec<Kept>,
    /// The longest time that one of them took, in microseconds.
    longest: i64,
}

impl<'a, 't> Others<'a, 't> {
    fn of(
        judge: &'a Judge<'t>,
        rows: &[Row],
        identities: &'a [Result<Identity, Aside>],
        strays: &'a Strays<'a>,
        looks: &'a [Look],
        runs: &[Run],
    ) -> Self {
        let mut ended: Vec<Instant> = Vec::with_capacity(looks.len());
        for look in looks {
            let stated = rows[look.row].stated();
            ended.push(ended.last().map_or(stated, |before| stated.max(*before)));
        }
        let mut kept = Vec::new();
        for (run, place) in runs.iter().zip(0..) {
            for look in run.looks.clone().filter(|look| looks[*look].is_kept()) {
                let window = Window { from: looks[look].captured, to: looks[look].end };
                kept.push(Kept { window, look, run: place, other: 0 });
            }
        }
        kept.sort_by_key(|kept| (kept.window.from, kept.look));
        let mut other = kept.len();
        for place in (0..kept.len()).rev() {
            if kept.get(place + 1).is_some_and(|next| next.run != kept[place].run) {
                other = place + 1;
            }
            kept[place].other = other;
        }
        let took = |kept: &Kept| kept.window.to.0.saturating_sub(kept.window.from.0);
        let longest = kept.iter().map(took).max().unwrap_or(0);
        Others { judge, identities, strays, looks, ended, kept, longest }
    }

    /// Until when something else was made before a run, and since when behind it. A bare 304 that agrees with the run is nothing else.
    fn around(&self, run: &Run, members: &[Identity]) -> (Option<Instant>, Option<Instant>) {
        let is_other = |look: &usize| !(self.looks[*look].is_bare && self.is_same(*look, members));
        let before = (0..run.looks.start).rev().find(is_other).map(|look| self.ended[look]);
        let behind = (run.looks.end..self.looks.len()).find(is_other).map(|look| self.looks[look].time);
        (before, behind)
    }

    /// Whether something else may have been made between two captures of a run, or in the time of one of them.
    fn lie_between(
        &self,
        place: usize,
        members: &[Identity],
        (before, behind): (Option<Instant>, Option<Instant>),
        (one, other): (usize, usize),
    ) -> bool {
        let (first, last) = (&self.looks[one], &self.looks[other]);
        before.is_some_and(|ended| ended > first.time)
            || behind.is_some_and(|next| last.end > next || last.time >= next)
            || self.kept_lies_between(place, members, first, last)
            || self.strays.between(first, last).is_some()
    }

    fn kept_lies_between(&self, run: usize, members: &[Identity], one: &Look, other: &Look) -> bool {
        let reach = one.time.plus(-self.longest);
        let mut at = self.kept.partition_point(|kept| kept.window.from < reach);
        for _ in 0..REACH {
            let Some(kept) = self.kept.get(at).filter(|kept| kept.window.from <= other.end) else {
                return false;
            };
            if kept.run == run {
                at = kept.other;
                continue;
            }
            if kept.window.may_lie_between(one, other) && !self.is_same(kept.look, members) {
                return true;
            }
            at += 1;
        }
        // Too many to tell.
        true
    }

    fn is_same(&self, look: usize, members: &[Identity]) -> bool {
        let Look { row, is_bare, .. } = self.looks[look];
        self.identities[row].as_ref().is_ok_and(|identity| {
            matches!(judge_all(self.judge, members, identity), Verdict::Same(_))
                || (is_bare && agrees(self.judge, members, identity))
        })
    }
}

/// Cuts runs where something else was made, and around captures that are not firm. Says of every capture whether it is.
pub(crate) fn split(
    judge: &Judge<'_>,
    rows: &[Row],
    identities: &[Result<Identity, Aside>],
    strays: &Strays<'_>,
    looks: &[Look],
    (runs, members): (&mut Vec<Run>, &mut Vec<Vec<Identity>>),
) -> Vec<bool> {
    if runs.len() <= 1 && strays.is_empty() {
        return vec![true; looks.len()];
    }
    let others = Others::of(judge, rows, identities, strays, looks, runs);
    let mut firm = vec![false; looks.len()];
    let (old_runs, old_members) = (std::mem::take(runs), std::mem::take(members));
    for ((run, of_run), place) in old_runs.into_iter().zip(old_members).zip(0..) {
        // A capture alone proves nothing as it is.
        if run.looks.len() == 1 {
            runs.push(run);
            members.push(of_run);
            continue;
        }
        let around = others.around(&run, &of_run);
        let between = |one, other| others.lie_between(place, &of_run, around, (one, other));
        for look in run.looks.clone() {
            firm[look] = !between(look, look);
        }
        // Each part reaches from a firm capture to the last one with nothing else between.
        let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
        for look in run.looks.clone().filter(|look| firm[*look]) {
            match parts.last_mut() {
                Some(part) if !between(part.end - 1, look) => part.end = look + 1,
                _ => {
                    let done = parts.last().map_or(run.looks.start, |part| part.end);
                    parts.extend((done..look).map(|alone| alone..alone + 1));
                    parts.push(look..look + 1);
                }
            }
        }
        let done = parts.last().map_or(run.looks.start, |part| part.end);
        parts.extend((done..run.looks.end).map(|alone| alone..alone + 1));
        for part in parts {
            let is_last = part.end == run.looks.end;
            let link = if is_last { run.link } else { Some(Link::Unknown) };
            let grade = run.grade.filter(|_| part.len() > 1);
            // What equals a capture out of order, or behind something else, is no claim of the server.
            runs.push(Run { link, grade, is_parted: !is_last, ..Run::new(part) });
            members.push(of_run.clone());
        }
    }
    firm
}
