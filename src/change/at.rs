//! What is known of one page at one instant `T`, and the chance where nothing is proven.
//!
//! With `f` and `l` the first and last instant of a run ([`super::run`]), the state of a page at `T` is
//!
//! ```text
//! proven          f <= T <= l of one run of two captures or more
//! claimed         mu + 1 s <= T <= l, mu an accepted Last-Modified (or equal validators), and not proven
//! changed nearby  l <= T <= f', run and next run known to differ
//! undecided       the same, run and next run not comparable; or a cache kept what was captured behind T, so that it may have been
//!                 made before T
//! unseen          T < f of the first run, or T > l of the last
//! missing         no capture that did not fail
//! ```
//!
//! A page that changes as a Poisson process of rate `lambda` and is known to have changed in a gap of length
//! `b = f' - l`, with `a = T - l`:
//!
//! ```text
//! P(earlier version was still online) = (e^(-lambda a) - e^(-lambda b)) / (1 - e^(-lambda b))
//! P(later version was already online) = (e^(-lambda (b-a)) - e^(-lambda b)) / (1 - e^(-lambda b))
//! ```
//!
//! The printed form loses all digits for small `lambda b`; with `e^(-x) - e^(-y) = -e^(-x) expm1(x - y)` none is lost.
//! In the limit of small rates they are `1 - a/b` and `a/b`. Where an accepted Last-Modified says that the later version
//! began only after `T`, it was not online, and nothing is known of the time up to `T`: `e^(-lambda a)` and 0. Outside of all captures, and where the ends of a gap cannot be
//! compared, the version of the closest capture was online with the chance `e^(-lambda d)`, `d` its distance.
//!
//! *Replay* serves the capture closest to `T`, of two equally close ones the earlier. Where every accepted Last-Modified
//! of that capture's run lies after `T`, and nothing speaks against them ([`super::began`]), the version served began only after
//! `T`: the page is *late*. Captures alone never
//! show that, because `T` always lies inside the outer bound of the closest version.
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart: Data Quality in Web Archiving, WICOW 2009, section 3 (invariance
//! intervals). DIFFERENCE: the paper knows the next change and so needs no chances. Cost: O(captures) per page for all
//! segments, O(log captures) per instant.

use serde::{Deserialize, Serialize};

use crate::capture::table::{Row, Table};
use crate::change::began::{self, Began, Doubted};
use crate::change::evidence::Grade;
use crate::change::run::{Link, Versions};
use crate::time::{Instant, Interval, SECOND};

/// What is known of a page at an instant, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Two equal captures enclose the instant.
    Proven,
    /// Validators say that a version was online, no two captures do.
    Claimed,
    /// The looks around the instant differ.
    ChangedNearby,
    /// The looks around the instant cannot be compared.
    Undecided,
    /// The instant lies before the first capture or after the last.
    Unseen,
    /// There is no capture of the page at all.
    Missing,
}

impl State {
    /// All states, best first.
    pub const ALL: [State; 6] = [
        State::Proven,
        State::Claimed,
        State::ChangedNearby,
        State::Undecided,
        State::Unseen,
        State::Missing,
    ];

    /// The name, as it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            State::Proven => "proven",
            State::Claimed => "claimed",
            State::ChangedNearby => "changed-nearby",
            State::Undecided => "undecided",
            State::Unseen => "unseen",
            State::Missing => "missing",
        }
    }
}

/// The chances in a gap between two versions that differ; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Chances {
    /// The earlier version was still online.
    pub earlier: f64,
    /// The later version was already online.
    pub later: f64,
    /// A version that no capture shows was online.
    pub neither: f64,
}

impl Chances {
    /// The chances at `a` seconds into a gap of `b` seconds in which a page of this rate (per second) changed.
    pub fn in_gap(rate: f64, a: f64, b: f64) -> Self {
        if b <= 0.0 {
            return Chances { earlier: 0.5, later: 0.5, neither: 0.0 };
        }
        let a = a.clamp(0.0, b);
        let share = |from: f64| {
            let (x, y) = (rate * from, rate * b);
            // Below this, e^-x is 1 - x to the last digit.
            let exact =
                if y < 1e-12 { 1.0 - from / b } else { (-x).exp() * (x - y).exp_m1() / (-y).exp_m1() };
            exact.clamp(0.0, 1.0)
        };
        let (earlier, later) = (share(a), share(b - a));
        Chances { earlier, later, neither: (1.0 - earlier - later).max(0.0) }
    }
}

/// What is known of a page at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    pub state: State,
    /// The run that is proven or claimed; else the run of the capture that replay serves.
    pub run: Option<usize>,
    /// The capture that replay serves, as a place in [`Versions::looks`].
    pub served: Option<usize>,
    /// Where the looks around the instant do not agree: the run before, and the next one is the run behind.
    pub gap: Option<usize>,
    /// An accepted Last-Modified shows that the version served began only after the instant.
    pub late: bool,
}

impl Standing {
    /// Whether the page is shown not to have been there as captured: no version was captured before the instant, and the first
    /// version behind it is newer. Where another version was captured before, that one may still have been online.
    pub(crate) fn is_refuted(&self) -> bool {
        self.late && self.gap.is_none()
    }
}

/// A stretch of time in which all that is known of a page stays the same; it ends where the next one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its first instant.
    pub from: Instant,
    /// What is known.
    pub standing: Standing,
}

/// The versions of a page, ready to be asked about instants.
#[derive(Debug, Clone)]
pub(crate) struct Standings<'a> {
    versions: &'a Versions,
    /// For every run the earliest accepted Last-Modified: only what lies before it lies before all of them. Or why none decides.
    began: Vec<Option<Result<Began, Doubted>>>,
    /// When each look was captured, in that order: one from a cache was made earlier.
    captured: Vec<(Instant, usize)>,
}

impl<'a> Standings<'a> {
    /// Of the versions that the given rows show.
    pub(crate) fn of(table: &Table, versions: &'a Versions, rows: &[Row]) -> Self {
        let began = began::began(table, versions, rows);
        let mut captured: Vec<(Instant, usize)> =
            versions.looks.iter().map(|look| look.captured).zip(0..).collect();
        captured.sort_unstable();
        Standings { versions, began, captured }
    }

    pub(crate) fn versions(&self) -> &'a Versions {
        self.versions
    }

    /// Since when, by its earliest accepted Last-Modified, a version was online; `None` where that does not decide.
    fn began_of(&self, run: usize) -> Option<Began> {
        self.began[run]?.ok()
    }

    /// The same for the version of a capture: at the earliest.
    pub(crate) fn began(&self, look: usize) -> Option<Instant> {
        Some(self.began_of(self.run_of(look))?.since)
    }

    fn run_of(&self, look: usize) -> usize {
        self.versions.runs.partition_point(|run| run.looks.end <= look)
    }

    /// When, by its earliest accepted Last-Modified, the version served began, if that is later than an instant.
    pub(crate) fn began_behind(&self, standing: &Standing, at: Instant) -> Option<Instant> {
        let served = standing.served.filter(|_| standing.late)?;
        self.began_of(self.run_of(served)).filter(|began| began.since > at).map(|began| began.stated)
    }

    /// The accepted Last-Modified by which the version that the capture behind an instant shows is claimed to have been there.
    pub(crate) fn claimed_since(
        &self,
        standing: &Standing,
        behind: Option<usize>,
        at: Instant,
    ) -> Option<Instant> {
        let run = &self.versions.runs[standing.run.filter(|_| standing.state == State::Claimed)?];
        let is_shown = behind.is_some_and(|look| run.looks.contains(&look));
        run.last_modified.filter(|modified| is_shown && modified.plus(SECOND) <= at)
    }

    /// The Last-Modified that would show that the version served is newer than an instant, if nothing spoke against it.
    pub(crate) fn doubted(&self, standing: &Standing, at: Instant) -> Option<Doubted> {
        let is_alone = standing.state != State::Proven && standing.gap.is_none();
        let run = self.run_of(standing.served.filter(|_| is_alone)?);
        self.began[run]?.err().filter(|doubted| doubted.stated > at)
    }

    fn first(&self, run: usize) -> Instant {
        self.versions.looks[self.versions.runs[run].looks.start].end
    }

    fn last(&self, run: usize) -> Instant {
        self.versions.looks[self.versions.runs[run].looks.end - 1].time
    }

    /// The capture that replay serves: the closest one, of two the earlier.
    pub(crate) fn served(&self, at: Instant) -> Option<usize> {
        let captured = &self.captured;
        let behind = captured.partition_point(|(time, _)| *time < at);
        let distance = |place: usize| captured[place].0.0.abs_diff(at.0);
        // Of several captures at one instant the first is served.
        let first_at = |place: usize| captured.partition_point(|(time, _)| *time < captured[place].0);
        let place = match (behind.checked_sub(1).map(first_at), (behind < captured.len()).then_some(behind)) {
            (Some(before), Some(behind)) if distance(before) <= distance(behind) => Some(before),
            (_, Some(behind)) => Some(behind),
            (before, None) => before,
        };
        place.map(|place| captured[place].1)
    }

    /// Whether the instant lies behind all responses, though not behind all captures: the last ones came from a cache.
    fn is_cached(&self, at: Instant) -> bool {
        let last = self.versions.looks.last().map(|look| look.time);
        last < Some(at) && self.captured.last().is_some_and(|(captured, _)| at <= *captured)
    }

    pub(crate) fn at(&self, at: Instant) -> Standing {
        let runs = &self.versions.runs;
        let Some(served) = self.served(at) else {
            return Standing { state: State::Missing, run: None, served: None, gap: None, late: false };
        };
        let run_of = self.run_of(served);
        let late = self.began_of(run_of).is_some_and(|began| began.since > at);
        let standing = |state, run, gap| Standing { state, run: Some(run), served: Some(served), gap, late };
        // The first run that reaches the instant: of two that meet there, the instant belongs to the earlier.
        let reaching = runs.partition_point(|run| self.versions.looks[run.looks.end - 1].time < at);
        // Several runs may end at the instant, if captures fall together: any of them may be the proven one.
        let meeting = (reaching..runs.len()).take_while(|run| *run == reaching || self.last(run - 1) <= at);
        for place in meeting {
            if runs[place].proven.is_some_and(|proven| proven.contains(at)) {
                let served = if place == run_of { served } else { runs[place].looks.start };
                let (run, served) = (Some(place), Some(served));
                return Standing { state: State::Proven, run, served, gap: None, late: false };
            }
        }
        let gap = reaching.checked_sub(1).filter(|_| reaching < runs.len());
        let (had_gap, gap) = (gap.is_some(), gap.filter(|gap| self.around(*gap, at).is_some()));
        for (place, run) in runs.iter().enumerate().skip(reaching) {
            if run.claimed.is_some_and(|claimed| claimed.contains(at)) {
                return standing(State::Claimed, place, gap);
            }
            // A claim reaches back over runs that cannot be compared, never over one that is known to differ.
            if run.link != Some(Link::Unknown) {
                break;
            }
        }
        match gap.map(|gap| runs[gap].link) {
            None if self.is_cached(at) => standing(State::Undecided, run_of, None),
            // A cache kept what comes before the gap and was captured behind the instant.
            None if had_gap => Standing { late: false, ..standing(State::Undecided, run_of, None) },
            None => standing(State::Unseen, run_of, None),
            Some(Some(Link::Different(_))) => standing(State::ChangedNearby, run_of, gap),
            Some(_) => standing(State::Undecided, run_of, gap),
        }
    }

    /// The last capture of the run before a gap and the first one of the run behind it, of those captured on these sides of an instant.
    fn around(&self, gap: usize, at: Instant) -> Option<(usize, usize)> {
        let Versions { looks, runs, .. } = self.versions;
        let before = runs[gap].looks.clone().rev().find(|look| looks[*look].captured <= at);
        let behind = runs[gap + 1].looks.clone().find(|look| looks[*look].end >= at);
        before.zip(behind)
    }

    /// All of time in segments: in each of them, what [`Standings::at`] says is the same at every instant.
    pub(crate) fn segments(&self) -> Vec<Segment> {
        let mut breaks = vec![Instant(i64::MIN)];
        for place in 0..self.versions.runs.len() {
            breaks.extend([self.first(place), self.last(place), self.last(place).plus(1)]);
            let known = [self.versions.runs[place].proven, self.versions.runs[place].claimed];
            breaks.extend(known.into_iter().flatten().flat_map(|known| [known.from, known.to.plus(1)]));
            breaks.extend(self.began_of(place).map(|began| began.since));
        }
        for look in self.versions.looks.iter().filter(|look| look.is_kept()) {
            breaks.extend([look.captured, look.end.plus(1)]);
        }
        for pair in self.captured.windows(2) {
            // The first instant that is closer to the later capture.
            let middle = (i128::from(pair[0].0.0) + i128::from(pair[1].0.0)).div_euclid(2) + 1;
            breaks.push(Instant(i64::try_from(middle).unwrap_or(i64::MAX)));
        }
        breaks.extend(self.captured.last().map(|(captured, _)| captured.plus(1)));
        breaks.sort_unstable();
        breaks.dedup();
        let mut segments: Vec<Segment> = Vec::with_capacity(breaks.len());
        for from in breaks {
            let standing = self.at(from);
            if segments.last().is_none_or(|before| before.standing != standing) {
                segments.push(Segment { from, standing });
            }
        }
        segments
    }

    /// The weakest grade that a standing rests on; `None` where it rests on nothing.
    pub(crate) fn grade(&self, standing: &Standing) -> Option<Grade> {
        match standing.state {
            State::Proven => self.versions.runs[standing.run?].grade,
            State::Claimed => Some(Grade::Validator),
            State::ChangedNearby => match self.versions.runs[standing.gap?].link {
                Some(Link::Different(grade)) => Some(grade),
                _ => None,
            },
            State::Undecided | State::Unseen | State::Missing => None,
        }
    }

    /// The chances at an instant in a gap between two versions; `None` elsewhere.
    pub(crate) fn chances(&self, at: Instant, rate: f64) -> Option<Chances> {
        let gap = self.at(at).gap?;
        let Some(Link::Different(_)) = self.versions.runs[gap].link else { return None };
        let (from, to) = (self.last(gap), self.first(gap + 1));
        if self.began_of(gap + 1).is_some_and(|began| began.since > at) {
            let earlier = (-rate * seconds(from, at).max(0.0)).exp();
            return Some(Chances { earlier, later: 0.0, neither: 1.0 - earlier });
        }
        Some(Chances::in_gap(rate, seconds(from, at), seconds(from, to)))
    }

    /// The chance that the version replay serves was online at the instant, from the rate alone (claims aside); `None` where
    /// it is proven, where it is late (then it was not online, by the word of the server), and where there is no capture.
    pub(crate) fn chance(&self, at: Instant, rate: f64) -> Option<f64> {
        let standing = self.at(at);
        if standing.state == State::Proven || standing.late {
            return None;
        }
        let look = self.versions.looks[standing.served?];
        if let Some(chances) = self.chances(at, rate) {
            let serves_earlier = standing.served? < self.versions.runs[standing.gap?].looks.end;
            return Some(if serves_earlier { chances.earlier } else { chances.later });
        }
        // Where in its span the capture was taken is unknown: the farther end counts.
        let distance = seconds(look.time, at).max(seconds(at, look.end));
        Some((-rate * distance.max(0.0)).exp())
    }

    /// The captures that witness a standing over a stretch of time: before it and behind it.
    pub(crate) fn witnesses(&self, over: Interval) -> (Option<usize>, Option<usize>) {
        let standing = self.at(over.from);
        let Versions { looks, runs, .. } = self.versions;
        let all = match (standing.state, standing.run, standing.gap) {
            (State::Missing, ..) => return (None, None),
            (State::Proven, Some(run), _) => runs[run].looks.clone(),
            (_, _, Some(gap)) => {
                let (before, behind) = self.around(gap, over.from).unzip();
                return (before, behind);
            }
            (State::Undecided, ..) => {
                // What was captured behind the instant says nothing about it, for it may have been made before.
                let before = self.captured.partition_point(|(time, _)| *time <= over.from);
                let look = |place: usize| self.captured.get(place).map(|(_, look)| *look);
                return (before.checked_sub(1).and_then(look), look(before));
            }
            _ => 0..looks.len(),
        };
        // The nearest on each side: between them lies nothing else, which of others only holds where nothing was kept.
        let proves = |look: &usize| standing.state != State::Proven || !looks[*look].is_bare;
        let before = all.clone().filter(|look| looks[*look].end <= over.from && proves(look));
        let behind = all.clone().filter(|look| looks[*look].time >= over.to && proves(look));
        let before = before.max_by_key(|look| (looks[*look].time, looks[*look].end));
        let behind = behind.min_by_key(|look| (looks[*look].end, looks[*look].time));
        match (before, behind) {
            // The instant lies inside the span of one capture.
            (None, None) => (standing.served, None),
            found => found,
        }
    }
}

fn seconds(from: Instant, to: Instant) -> f64 {
    (i128::from(to.0) - i128::from(from.0)) as f64 / SECOND as f64
}

#[cfg(test)]
#[path = "at_tests.rs"]
mod tests;
