//! Versions of a page: runs of captures judged the same, and what is known of the time each version was online.
//!
//! A *run* is a maximal sequence of consecutive captures judged same (failed captures do not count), in the order in which their
//! responses were made at the earliest ([`crate::capture::response_date`]). A response from a cache was made at any time from then to its
//! capture: what a server says of that may shorten what is proven and never adds to it. With `f` the earliest time by which a
//! firm capture of the run was made for certain, and `l` the latest since which one was:
//!
//! ```text
//! proven   [f, l]                    two captures or more; what a date's precision or a fetch's duration hides is not proven
//! outer    (t(p), t_end(q))          p, q the nearest earlier and later captures known to differ; the true lifetime lies inside
//! claimed  [mu + 1 s, l]             mu the Last-Modified of the run, cut to seconds by the protocol
//! ```
//!
//! Grouping is loose, proof is strict: a proven interval lies between two captures of the same URL as written. A run whose
//! captures have several spellings is cut where no spelling spans it, and so is one whose captures fall together with those
//! of another version, or that has something else in it ([`super::firm`]).
//! Where captures contradict other evidence (two bodies for one record, an index or a package with another digest), nothing about
//! the page is proven.
//!
//! A Last-Modified is accepted when it lies after the last capture of another version and not after `f`; any other one is
//! contradicted by the archive, as is one that differs from that of an earlier capture made after it. `f` then is that of the first
//! run known to be equal with nothing known to differ since. One contradicted date disqualifies all dates of the page, and what a
//! 304 confirms by them; one within two seconds of its own response was generated, not kept: no evidence. Each page names what its verdicts assume ([`super::assumption`]).
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart: Data Quality in Web Archiving, WICOW 2009, Def. 3.1 (invariance
//! interval) and 3.5 (virtual time stamps). DIFFERENCE: the paper knows the next change; an archive knows only captures, so
//! there are three intervals instead of one. DIFFERENCE: a Last-Modified up to one second before the last capture of
//! another version is accepted, because its fraction was cut off.
//!
//! Cost: O(captures) verdicts per page; searches over undecided neighbours stop after [`REACH`] runs, which only widens
//! the outer bound.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::capture::response_date::{MAX_AGE, contradicts_age};
use crate::capture::table::Row;
use crate::change::assumption::Assumptions;
use crate::change::evidence::{Basis, Compare, Dates, GENERATED, Grade, Identity, Judge, Verdict, kept_date};
use crate::change::other_content::Strays;
use crate::change::role::Aside;
use crate::change::{bare, firm, strict};
use crate::time::{Instant, Interval, SECOND};

/// How many runs away a capture known to differ is searched for.
pub(crate) const REACH: usize = 64;
/// Captures that differ although they are at most this many seconds apart were probably generated for each request.
pub(crate) const PER_REQUEST: f64 = 60.0;
/// A page that differs across this many gaps, and never stays the same, may change any number of times within each.
const MIN_RESTLESS_GAPS: usize = 10;
/// How many distinct identities of one run are compared with a new capture.
pub(super) const MEMBERS: usize = 8;

/// Whether captures that differ though they are only this many seconds apart were probably generated for each request.
pub(crate) fn is_per_request(seconds: f64) -> bool {
    seconds <= PER_REQUEST
}

/// What is known of a page in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageState {
    /// Two captures or more, all the same.
    Sharp,
    /// Two captures are known to differ.
    Changed,
    /// One capture: nothing is provable.
    Single,
    /// Captures that could not be compared, or only failed ones.
    Unknown,
}

impl PageState {
    /// The name, as it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            PageState::Sharp => "sharp",
            PageState::Changed => "changed",
            PageState::Single => "single",
            PageState::Unknown => "unknown",
        }
    }
}

/// One capture that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// The place among the rows of the page.
    pub row: usize,
    /// When the response was made at the earliest: when capture began, or before, where a cache may have kept it.
    pub time: Instant,
    /// When it was made at the latest: when capture ended.
    pub end: Instant,
    /// When capture began.
    pub captured: Instant,
    /// It is a 304 that does not show which content had not been modified ([`super::bare`]).
    pub is_bare: bool,
}

impl Look {
    pub(crate) fn of(place: usize, row: &Row) -> Self {
        Look { row: place, time: row.made, end: row.end, captured: row.time, is_bare: false }
    }

    /// Whether a cache may have kept the response for a while.
    pub(crate) fn is_kept(&self) -> bool {
        self.time < self.captured
    }
}

/// When a response was made at the latest by its own word: its content was not modified later.
pub(crate) fn stated_by(row: &Row) -> Instant {
    let age = i64::from(row.age.unwrap_or(0)).saturating_mul(SECOND);
    let seconds = row.age.unwrap_or(0);
    let is_doubtful = |date: Instant| contradicts_age(row.time, row.end, seconds, date);
    // An age that no cache keeps responses for tells nothing.
    if age > MAX_AGE || row.http_date.is_some_and(is_doubtful) { row.end } else { row.end.plus(-age) }
}

/// What separates a run from the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// They are known to differ.
    Different(Grade),
    /// They could not be compared.
    Unknown,
}

/// The outer bound of a version's lifetime, an open interval; `None` is without bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outer {
    /// The last capture before that is known to differ.
    pub after: Option<Instant>,
    /// The end of the first capture behind that is known to differ.
    pub before: Option<Instant>,
}

/// One version as the captures show it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Run {
    /// Its captures, as places in [`Versions::looks`].
    pub looks: Range<usize>,
    /// The time for which it is proven to have been online.
    pub proven: Option<Interval>,
    /// The weakest grade among the captures judged same; `None` for a single capture.
    pub grade: Option<Grade>,
    /// The time for which validators claim that it was online, up to its last capture.
    pub claimed: Option<Interval>,
    /// The accepted `Last-Modified`.
    pub last_modified: Option<Instant>,
    /// The outer bound of its lifetime.
    pub outer: Outer,
    /// What separates it from the next run; `None` for the last one.
    pub link: Option<Link>,
    /// Something else was seen before the next run.
    pub is_parted: bool,
    /// The number of the version: equal numbers are known to be equal versions, `None` may be any.
    pub version: Option<u32>,
}

impl Run {
    /// A run of which only its captures are known yet.
    pub(crate) fn new(looks: Range<usize>) -> Self {
        Run {
            looks,
            proven: None,
            grade: None,
            claimed: None,
            last_modified: None,
            outer: Outer::default(),
            link: None,
            is_parted: false,
            version: None,
        }
    }
}

/// All that the captures of one page show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Versions {
    /// The captures that did not fail, in the order in which their responses were made.
    pub looks: Vec<Look>,
    /// The runs, in time order.
    pub runs: Vec<Run>,
    /// How many captures show no state of the page.
    pub failed: usize,
    /// Whether other evidence contradicts a capture: then nothing is proven.
    pub contradictory: bool,
    /// What the verdicts assume.
    pub assumptions: Assumptions,
    /// Rows whose `Last-Modified` the archive contradicts, with it.
    pub contradicted: Vec<(usize, Instant)>,
    /// How many distinct versions were seen for certain.
    pub distinct: u32,
    pub state: PageState,
    /// How many verdicts were made by bytes because a text was missing (only when comparing texts).
    pub without_text: usize,
}

/// The time between two consecutive captures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gap {
    /// The earlier capture.
    pub from: Look,
    /// The later capture.
    pub to: Look,
    /// `None`: both captures are of one run. Else what separates them.
    pub link: Option<Link>,
    /// The accepted `Last-Modified` of the later version, if the later capture opens a run.
    pub last_modified: Option<Instant>,
}

impl Gap {
    /// How long it is, in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.to.time.0.saturating_sub(self.from.time.0) as f64 / SECOND as f64
    }
}

impl Versions {
    /// The times for which a version is proven to have been online: a page that is gone, or moved, is not. `status` is that of the
    /// response to a capture.
    pub(crate) fn online(&self, status: impl Fn(&Look) -> Option<u16>) -> Vec<Interval> {
        let first = |run: &Run| status(&self.looks[run.looks.start]);
        let away = |run: &&Run| matches!(first(run), Some(300..=303 | 305..=399 | 404 | 410));
        let away: Vec<Interval> = self.runs.iter().filter(away).filter_map(|run| run.proven).collect();
        let is_away = |interval: &Interval| {
            away.iter().any(|away| away.from <= interval.from && interval.to <= away.to)
        };
        self.proven().filter(|interval| !is_away(interval)).collect()
    }

    /// Judges the captures of one page, which must be in time order.
    pub(crate) fn of(judge: &Judge<'_>, rows: &[Row]) -> Self {
        // Whether dates are to be believed does not depend on what counts as a change: bytes show it.
        let by_bytes = Self::judged(&judge.by_bytes(), rows, true);
        match (by_bytes.contradicted.is_empty(), judge.compare()) {
            (true, Compare::Bytes) => by_bytes,
            (true, Compare::Text) => Self::judged(judge, rows, true),
            // No date of this page is believed, for claims and for what a 304 confirms.
            (false, _) => {
                Versions { contradicted: by_bytes.contradicted, ..Self::judged(judge, rows, false) }
            }
        }
    }

    fn judged(judge: &Judge<'_>, rows: &[Row], modified: bool) -> Self {
        let identities = judge.identities(rows, modified);
        let mut looks = Vec::with_capacity(rows.len());
        let mut runs: Vec<Run> = Vec::new();
        let mut members: Vec<Vec<Identity>> = Vec::new();
        let mut without_text = 0;
        for look in made_in_order(rows, &identities) {
            let Ok(identity) = &identities[look.row] else { continue };
            let verdict = members.last().map(|members| {
                without_text += usize::from(members.iter().all(|member| judge.lacks_text(member, identity)));
                judge_all(judge, members, identity)
            });
            looks.push(look);
            match (verdict, runs.last_mut(), members.last_mut()) {
                (Some(Verdict::Same(grade)), Some(run), Some(members)) => {
                    run.looks.end = looks.len();
                    run.grade = run.grade.max(Some(grade));
                    if members.len() < MEMBERS && !members.contains(identity) {
                        members.push(*identity);
                    }
                    continue;
                }
                (Some(Verdict::Different(grade)), Some(run), _) => run.link = Some(Link::Different(grade)),
                (Some(Verdict::Unknown), Some(run), _) => run.link = Some(Link::Unknown),
                _ => {}
            }
            runs.push(Run::new(looks.len() - 1..looks.len()));
            members.push(vec![*identity]);
        }
        bare::join(judge, rows, &identities, &mut looks, (&mut runs, &mut members));
        let strays = Strays::of(judge.table(), rows, &identities);
        let firm = firm::split(judge, rows, &identities, &strays, &looks, (&mut runs, &mut members));
        strict::split(judge.table(), rows, &looks, &mut runs, &mut members);
        // Most pages have one run, and a site has millions of pages.
        runs.shrink_to_fit();
        looks.shrink_to_fit();
        let failed = rows.len() - looks.len();
        let mut versions = Versions {
            looks,
            runs,
            failed,
            contradictory: rows.iter().any(|row| row.contradicted_by.is_some()),
            assumptions: Assumptions::default(),
            contradicted: Vec::new(),
            distinct: 0,
            state: PageState::Unknown,
            without_text,
        };
        versions.prove(&firm);
        let differs = versions.bound(judge, &members);
        versions.number(judge, &members);
        if modified && judge.compare() == Compare::Bytes {
            versions.refute_dates(rows, &identities);
        }
        versions.claim(judge, rows, &identities, &members, modified);
        versions.contradicted.sort_unstable();
        versions.contradicted.dedup();
        versions.part_claims(&strays);
        if versions.contradictory {
            versions.unprove();
        }
        versions.state = versions.decide(differs && !versions.contradictory);
        let is_wall = |(row, found): (&Row, &Result<Identity, Aside>)| {
            // Other statuses say by themselves that the page was not shown.
            let says_all = matches!(row.status, Some(400..=403 | 405..=409 | 411..));
            !says_all && matches!(found, Err(Aside::Challenge))
        };
        let walls = rows.iter().zip(&identities).any(is_wall);
        versions.assumptions = strict::assumptions(judge, rows, &versions, walls);
        versions
    }

    /// Takes back all that rests on captures: no two of them compare.
    fn unprove(&mut self) {
        let looks = self.looks.len();
        let alone = |look: usize| {
            let link = (look + 1 < looks).then_some(Link::Unknown);
            Run { link, ..Run::new(look..look + 1) }
        };
        self.runs = (0..looks).map(alone).collect();
    }

    /// The captures of a run that were captured first and last: where a cache kept some, their order is not that of the run. A bare
    /// 304 shows no version, unless it is alone.
    pub(crate) fn ends(&self, run: &Run) -> (usize, usize) {
        let captured = |look: &usize| self.looks[*look].captured;
        let (start, end) = (run.looks.start, run.looks.end - 1);
        let shown = || run.looks.clone().filter(|look| !self.looks[*look].is_bare);
        (shown().min_by_key(captured).unwrap_or(start), shown().max_by_key(captured).unwrap_or(end))
    }

    /// The gaps between consecutive captures.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = Gap> + '_ {
        self.runs.iter().enumerate().flat_map(move |(place, run)| {
            let inner = run.looks.clone().skip(1).map(move |look| Gap {
                from: self.looks[look - 1],
                to: self.looks[look],
                link: None,
                last_modified: None,
            });
            let outer = self.runs.get(place + 1).map(|next| Gap {
                from: self.looks[run.looks.end - 1],
                to: self.looks[next.looks.start],
                link: run.link,
                last_modified: next.last_modified,
            });
            inner.chain(outer)
        })
    }

    /// For a page that is probably generated for each request, or comes from several servers: the shortest time, in seconds,
    /// between two captures that differ. Some differ within a minute, and no neighbouring captures are the same, or all lie within a
    /// minute, or an earlier version came back. Its captures do not show how often it changes.
    pub(crate) fn generated_per_request(&self) -> Option<f64> {
        let times = || self.looks.iter().map(|look| look.time.0);
        let watched = times().max().zip(times().min()).map_or(0, |(last, first)| last.saturating_sub(first));
        let is_still =
            watched as f64 > PER_REQUEST * SECOND as f64 && self.gaps().any(|gap| gap.link.is_none());
        self.shortest_change().filter(|seconds| is_per_request(*seconds) && (!is_still || self.goes_back()))
    }

    /// Whether an earlier version came back after another one.
    fn goes_back(&self) -> bool {
        let mut seen = HashSet::new();
        let mut last = None;
        self.runs.iter().filter_map(|run| run.version).any(|version| {
            let is_back = last != Some(version) && !seen.insert(version);
            last = Some(version);
            is_back
        })
    }

    /// The shortest time, in seconds, between two neighbouring captures that differ.
    fn shortest_change(&self) -> Option<f64> {
        let differing = self.gaps().filter(|gap| matches!(gap.link, Some(Link::Different(_))));
        differing.map(|gap| gap.seconds()).min_by(f64::total_cmp)
    }

    /// For a page whose captures do not show how often it changes: the shortest time, in seconds, between two that differ. It is
    /// probably generated for each request or comes from several servers, or it was captured often and differs at every capture,
    /// which bounds how often it changes from below only.
    pub(crate) fn differs_always(&self) -> Option<f64> {
        let is_still = self.gaps().any(|gap| gap.link.is_none());
        let differing = self.gaps().filter(|gap| matches!(gap.link, Some(Link::Different(_)))).count();
        let is_unbounded = !is_still && differing >= MIN_RESTLESS_GAPS;
        self.generated_per_request().or_else(|| self.shortest_change().filter(|_| is_unbounded))
    }

    /// The intervals for which some version is proven, in time order, disjoint.
    pub(crate) fn proven(&self) -> impl Iterator<Item = Interval> + '_ {
        let mut end = None;
        self.runs.iter().filter_map(|run| run.proven).filter_map(move |mut interval| {
            // Two captures at one instant can show two versions; a point belongs to one of them only.
            if end.is_some_and(|end| interval.from <= end) {
                interval.from = end.map_or(interval.from, |end: Instant| end.plus(1));
            }
            let interval = Interval::new(interval.from, interval.to)?;
            end = Some(interval.to);
            Some(interval)
        })
    }

    /// The weakest grade that the state of the page rests on.
    pub(crate) fn grade(&self) -> Option<Grade> {
        let links = self.runs.iter().filter_map(|run| match run.link {
            Some(Link::Different(grade)) => Some(grade),
            _ => None,
        });
        match self.state {
            PageState::Sharp => self.runs.iter().filter_map(|run| run.grade).max(),
            PageState::Changed => links.min(),
            PageState::Single | PageState::Unknown => None,
        }
    }

    fn prove(&mut self, firm: &[bool]) {
        for run in &mut self.runs {
            // The one that was made first for certain, and the last one; a capture alone proves nothing.
            let firm = || run.looks.clone().filter(|look| firm[*look] && !self.looks[*look].is_bare);
            let first = firm().min_by_key(|look| self.looks[*look].end);
            let last = firm().next_back().filter(|last| first != Some(*last));
            let pair = first.zip(last).map(|(first, last)| (self.looks[first].end, self.looks[last].time));
            run.proven = pair.and_then(|(from, to)| Interval::new(from, to));
        }
    }

    /// Finds the outer bounds, and whether any two captures are known to differ.
    fn bound(&mut self, judge: &Judge<'_>, members: &[Vec<Identity>]) -> bool {
        let differ = |earlier: usize, later: usize, link: Option<Link>| match link {
            Some(Link::Different(_)) if later == earlier + 1 => true,
            _ => members[later].iter().any(|identity| {
                matches!(judge_all(judge, &members[earlier], identity), Verdict::Different(_))
            }),
        };
        let mut differs = false;
        for place in 0..self.runs.len() {
            let last = |run: usize| self.looks[self.runs[run].looks.end - 1];
            let first = |run: usize| self.looks[self.runs[run].looks.start];
            let after = (place.saturating_sub(REACH)..place)
                .rev()
                .filter(|other| differ(*other, place, self.runs[*other].link))
                .inspect(|_| differs = true)
                // Where a cache kept one of the two, either may have been made first: that bounds nothing.
                .find(|other| last(*other).captured <= last(place).captured)
                .map(|other| last(other).time);
            let before = (place + 1..self.runs.len().min(place + 1 + REACH))
                .filter(|other| differ(place, *other, self.runs[place].link))
                .inspect(|_| differs = true)
                .find(|other| first(place).captured <= first(*other).captured)
                .map(|other| first(other).end);
            self.runs[place].outer = Outer { after, before };
        }
        differs
    }

    fn number(&mut self, judge: &Judge<'_>, members: &[Vec<Identity>]) {
        for place in 0..self.runs.len() {
            let mut version = Some(self.distinct);
            for other in (place.saturating_sub(REACH)..place).rev() {
                match judge_all(judge, &members[other], &members[place][0]) {
                    Verdict::Same(_) => {
                        version = self.runs[other].version;
                        break;
                    }
                    Verdict::Different(_) => {}
                    // What may be any version does not make others doubtful.
                    Verdict::Unknown if self.runs[other].version.is_none() => {}
                    Verdict::Unknown => version = None,
                }
            }
            if version == Some(self.distinct) {
                self.distinct += 1;
            }
            self.runs[place].version = version;
        }
    }

    /// Dates of which one refutes another: by a later capture the page was last modified before an earlier one was made, which
    /// states another date. A 304 dates the page whatever it confirms.
    fn refute_dates(&mut self, rows: &[Row], identities: &[Result<Identity, Aside>]) {
        let is_own =
            |row: usize| identities[row].as_ref().is_ok_and(|one| one.dates() != Dates::AgainstItself);
        let dated: Vec<(Look, Instant)> = self
            .looks
            .iter()
            .filter(|look| is_own(look.row))
            .filter_map(|look| Some((*look, kept_date(&rows[look.row])?)))
            .collect();
        for pair in dated.windows(2) {
            let [(earlier, stated), (later, other)] = pair else { continue };
            if stated != other && other.plus(SECOND) <= earlier.time {
                self.contradicted.push((later.row, *other));
            }
        }
    }

    fn claim(
        &mut self,
        judge: &Judge<'_>,
        rows: &[Row],
        identities: &[Result<Identity, Aside>],
        members: &[Vec<Identity>],
        modified: bool,
    ) {
        // Where some dates of a page are kept, one that is made with the response and that the archive refutes counts against all.
        let is_kept = self.looks.iter().any(|look| kept_date(&rows[look.row]).is_some());
        for place in 0..self.runs.len() {
            let Some(first) = self.shown_by(judge, rows, members, place) else { continue };
            let run = &self.runs[place];
            let last = self.looks[run.looks.end - 1].time;
            let mut accepted: Option<Instant> = None;
            for look in run.looks.clone() {
                let row = self.looks[look].row;
                let refuted =
                    rows[row].last_modified.filter(|date| is_kept && *date > first.plus(GENERATED as i64));
                let stated = kept_date(&rows[row]).or(refuted);
                let Some(modified) = stated.filter(|_| modified) else { continue };
                match identities[row].as_ref().map(Identity::dates) {
                    Ok(Dates::Nothing) => continue,
                    Ok(Dates::AgainstItself) => {
                        self.contradicted.push((row, modified));
                        continue;
                    }
                    Ok(Dates::Itself) | Err(_) => {}
                }
                let began_before = run.outer.after.is_some_and(|after| modified.plus(SECOND) <= after);
                if began_before || modified > first {
                    // By text, bytes may well have been modified since.
                    if judge.compare() == Compare::Bytes {
                        self.contradicted.push((row, modified));
                    }
                } else {
                    // Of several accepted ones the latest claims least.
                    accepted = accepted.max(Some(modified));
                }
            }
            let mut claimed = accepted.and_then(|modified| Interval::new(modified.plus(SECOND), last));
            if place > 0
                && self.runs[place - 1].link == Some(Link::Unknown)
                && !self.runs[place - 1].is_parted
                && let Some(since) = self.validated_since(judge, members, place)
            {
                let from = claimed.map_or(since, |claimed| claimed.from.min(since));
                claimed = Interval::new(from, last);
            }
            self.runs[place].last_modified = accepted;
            self.runs[place].claimed = claimed;
        }
    }

    /// When the content of a run was there at the latest. Earlier runs that are known to be equal count, unless something that is
    /// known to differ was there since: what cannot be compared does not make a date true.
    fn shown_by(
        &self,
        judge: &Judge<'_>,
        rows: &[Row],
        members: &[Vec<Identity>],
        place: usize,
    ) -> Option<Instant> {
        let own = |run: &Run| self.looks[run.looks.clone()].iter().map(|look| &rows[look.row]);
        let made = |run: &Run| own(run).map(stated_by).min();
        let run = &self.runs[place];
        let mut first = made(run);
        if own(run).all(|row| row.last_modified.is_none()) {
            return first;
        }
        for other in (place.saturating_sub(REACH)..place).rev() {
            let run = &self.runs[other];
            if run.link != Some(Link::Unknown) || run.is_parted {
                break;
            }
            match judge_all(judge, &members[other], &members[place][0]) {
                Verdict::Same(_) => first = first.min(made(run)),
                Verdict::Different(_) => break,
                Verdict::Unknown => {}
            }
        }
        first
    }

    /// Where equal validators tie the run to the undecided one before it: since when that one was online, as claimed.
    fn validated_since(&self, judge: &Judge<'_>, members: &[Vec<Identity>], place: usize) -> Option<Instant> {
        let tied = members[place - 1]
            .iter()
            .any(|earlier| matches!(judge.strongest(earlier, &members[place][0]), Verdict::Same(_)));
        let earlier = &self.runs[place - 1];
        tied.then(|| earlier.claimed.map_or(self.looks[earlier.looks.start].end, |claimed| claimed.from))
    }

    /// Claims reach back to where something else was shown, no further.
    fn part_claims(&mut self, strays: &Strays<'_>) {
        for run in &mut self.runs {
            let Some(claimed) = run.claimed else { continue };
            let since = strays.last_before(&self.looks[run.looks.start]);
            let from = since.map_or(claimed.from, |since| claimed.from.max(since.plus(1)));
            run.claimed = Interval::new(from, claimed.to);
        }
    }

    fn decide(&self, differs: bool) -> PageState {
        match self.looks.len() {
            0 => PageState::Unknown,
            1 => PageState::Single,
            _ if differs => PageState::Changed,
            _ if self.runs.len() == 1 && !self.contradictory => PageState::Sharp,
            _ => PageState::Unknown,
        }
    }
}

/// The captures that show a state of the page, in the order in which their responses were made: a cache may answer with
/// one that is older than what was captured before.
pub(crate) fn made_in_order(rows: &[Row], identities: &[Result<Identity, Aside>]) -> Vec<Look> {
    let of = |(place, row): (usize, &Row)| Look::of(place, row);
    let shown = rows.iter().enumerate().filter(|(place, _)| identities[*place].is_ok());
    let mut looks: Vec<Look> = shown.map(of).collect();
    // Rows are in the order of capture, which stays where responses were made together.
    looks.sort_by_key(|look| look.time);
    looks
}

/// The verdict on a capture against all that is known of a run: the strongest one; of equally strong ones, different.
pub(super) fn judge_all(judge: &Judge<'_>, members: &[Identity], identity: &Identity) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Different(grade) => (*grade as u8, 0),
        Verdict::Same(grade) => (*grade as u8, 1),
        Verdict::Unknown => (u8::MAX, 2),
    };
    let verdict = members.iter().map(|member| judge.verdict(member, identity)).min_by_key(rank);
    match verdict {
        // A capture that names no charset is the same as two that name different ones, which are not the same.
        Some(Verdict::Same(_))
            if members.iter().any(|member| judge.weigh(member, identity).1 == Basis::Charset) =>
        {
            Verdict::Unknown
        }
        verdict => verdict.unwrap_or(Verdict::Unknown),
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
