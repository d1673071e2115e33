//! From dates to a timetable: the downloads of a host are at least Δ apart, sessions are not interrupted, and nothing is
//! fetched after the end of the plan. What a plan is worth is computed of the dates that come out here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{PlannedSession, PlannedWeeks, WeeksPlan};
use super::plan::WeeksRequest;
use super::sessions::downloads;
use crate::schedule::model::{DelaySource, Kind, Schedule, SiteSchedule, Slot};
use crate::time::{SECOND, SECONDS_A_DAY};

/// A second, in days.
pub(super) const MOMENT: f64 = 1.0 / SECONDS_A_DAY;

/// The day of a time, counted from 0: what is at midnight but for rounding begins the next one.
pub(crate) fn day_of(days: f64) -> u64 {
    (days + 1e-10) as u64
}

/// What is due: one download, or a session of several pages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Due<T> {
    /// In days from the start.
    pub at: f64,
    /// Downloads in a row, Δ apart.
    pub downloads: usize,
    pub what: T,
}

/// Sets the downloads of one host Δ (in days) apart, in the order of time: each at its date or as soon behind it as can be, those of a day
/// within that day where they fit into it. What would end behind the horizon is left out.
pub(super) fn spaced<T>(mut dues: Vec<Due<T>>, delay: f64, days: f64) -> Vec<Due<T>> {
    let end = (days - MOMENT).max(0.0);
    dues.iter_mut().for_each(|due| due.at = due.at.min(end));
    dues.sort_by(|a, b| a.at.total_cmp(&b.at));
    // From the last to the first: each leaves time for the next one, and ends on its day.
    let mut next = f64::INFINITY;
    let fits = fitting_days(&dues, delay, days);
    for due in dues.iter_mut().rev() {
        let day = due.at as usize;
        let own = due.downloads as f64 * delay;
        let ended = (day as f64 + 1.0).min(days) - (due.downloads.max(1) - 1) as f64 * delay - MOMENT;
        if fits.get(day).copied().unwrap_or(false) {
            due.at = due.at.min(ended).min(next - own).max(day as f64);
        }
        next = due.at;
    }
    let mut free = 0.0f64;
    dues.retain_mut(|due| {
        due.at = due.at.max(free);
        let length = (due.downloads.max(1) - 1) as f64 * delay;
        let is_within = due.at + length < days;
        if is_within {
            free = due.at + due.downloads as f64 * delay;
        }
        is_within
    });
    dues
}

/// The days whose downloads fit into them, Δ apart.
fn fitting_days<T>(dues: &[Due<T>], delay: f64, days: f64) -> Vec<bool> {
    let mut needed = vec![0.0; days.ceil().max(1.0) as usize];
    let last = needed.len() - 1;
    dues.iter().for_each(|due| needed[(due.at as usize).min(last)] += due.downloads as f64 * delay);
    let length = |day: usize| (days - day as f64).min(1.0);
    needed.into_iter().enumerate().map(|(day, needed)| needed <= length(day) + 1e-9).collect()
}

/// Spaces the downloads of single pages, host by host; `delays` in days.
pub(super) fn space_pages(at: &mut [Vec<f64>], hosts: &[u32], delays: &[f64], days: f64) {
    let mut by_host: Vec<Vec<Due<u32>>> = delays.iter().map(|_| Vec::new()).collect();
    for ((page, at), host) in (0..).zip(at.iter_mut()).zip(hosts) {
        by_host[*host as usize].extend(at.drain(..).map(|at| Due { at, downloads: 1, what: page }));
    }
    for (dues, delay) in by_host.into_iter().zip(delays) {
        for due in spaced(dues, *delay, days) {
            at[due.what as usize].push(due.at);
        }
    }
}

/// What of a plan is due at a time.
#[derive(Clone, Copy)]
enum Part<'a> {
    Page(&'a PlannedWeeks),
    Session(&'a PlannedSession),
}

impl<'a> Part<'a> {
    /// The downloads in order, with the slots between visit and revisit; those of a session Δ apart.
    fn downloads(self, plan: &'a WeeksPlan, gap: u32) -> Vec<(&'a PlannedWeeks, Kind, Option<u64>)> {
        match self {
            Part::Page(page) => vec![(page, Kind::Visit, None)],
            Part::Session(session) => {
                let page = |slot: usize, kind| {
                    (&plan.pages[session.pages[slot] as usize], kind, Some(2 * slot as u64 + u64::from(gap)))
                };
                let visits = (0..session.pages.len()).rev().map(|slot| page(slot, Kind::Visit));
                // The page in the middle is revisited where a slot lies between.
                let again = 1 - gap as usize..session.pages.len();
                visits.chain(again.map(|slot| page(slot, Kind::Revisit))).collect()
            }
        }
    }
}

/// The downloads as a schedule for the exporters: single visits and sessions, each at its time, those of one host at least Δ apart.
pub(crate) fn as_schedule(plan: &WeeksPlan, request: &WeeksRequest) -> Schedule {
    let mut lanes: BTreeMap<&Arc<str>, Vec<Due<Part<'_>>>> = BTreeMap::new();
    let gap = request.gap();
    for page in &plan.pages {
        let alone = if page.session.is_none() { &page.at_days } else { &page.between_days };
        let downloads = alone.iter().map(|&at| Due { at, downloads: 1, what: Part::Page(page) });
        lanes.entry(&page.lane).or_default().extend(downloads);
    }
    for session in &plan.sessions {
        let downloads = downloads(session.pages.len(), gap);
        let begins = session.at_days.iter().map(|&at| Due { at, downloads, what: Part::Session(session) });
        lanes.entry(&session.lane).or_default().extend(begins);
    }
    let at = |seconds: f64| request.start.map(|start| start.plus((seconds * SECOND as f64).round() as i64));
    let site = |(lane, mut dues): (&Arc<str>, Vec<Due<Part<'_>>>)| {
        dues.sort_by(|a, b| a.at.total_cmp(&b.at));
        let delay = request.delay_of(lane);
        let mut slots: Vec<Slot> = Vec::with_capacity(dues.len());
        for due in dues {
            for (place, (page, kind, interval)) in due.what.downloads(plan, gap).into_iter().enumerate() {
                let seconds = due.at * SECONDS_A_DAY + place as f64 * delay;
                let interval = interval.map(|slots| slots as f64 * delay);
                let rate = page.rate_per_day.map(|rate| rate / SECONDS_A_DAY);
                let survival = interval.map(|interval| {
                    if interval == 0.0 { 1.0 } else { rate.map_or(0.0, |rate| (-rate * interval).exp()) }
                });
                slots.push(Slot {
                    url: page.url.clone(),
                    kind,
                    slot: slots.len() as u64,
                    at: at(seconds),
                    seconds,
                    lane: lane.clone(),
                    interval_seconds: interval,
                    survival,
                    hopeful: None,
                    weight: page.weight,
                    rate_per_day: page.rate_per_day,
                });
            }
        }
        SiteSchedule {
            site: lane.clone(),
            group: None,
            group_by: None,
            strategy: "plan".to_owned(),
            delay_seconds: delay,
            delay_source: DelaySource::Given,
            start: at(0.0),
            reference: None,
            reference_seconds: 0.0,
            pages: slots.len(),
            left_out: 0,
            unknown_rates: 0,
            never_captured: 0,
            expected_coherence: None,
            weight: plan.weight,
            expected_blur: None,
            hopeless: None,
            upper_bound: None,
            gap: None,
            caveat: None,
            length_seconds: slots.last().map_or(0.0, |slot| slot.seconds),
            slots: slots.into(),
        }
    };
    Schedule {
        schema: crate::schedule::model::SCHEMA.to_owned(),
        sites: lanes.into_iter().map(site).collect(),
        strategies: Vec::new(),
        notes: plan.notes.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dues(at: &[f64]) -> Vec<Due<usize>> {
        at.iter().enumerate().map(|(what, &at)| Due { at, downloads: 1, what }).collect()
    }

    fn times(at: &[f64], delay: f64, days: f64) -> Vec<f64> {
        spaced(dues(at), delay, days).iter().map(|due| due.at).collect()
    }

    #[test]
    fn downloads_of_a_host_are_apart_and_stay_on_their_day_where_they_fit() {
        assert_eq!(times(&[0.0, 0.0, 0.0], 0.25, 2.0), [0.0, 0.25, 0.5]);
        // Late in the day there is time for both only if they are earlier.
        assert_eq!(times(&[0.9, 0.95, 1.0], 0.25, 2.0), [0.5, 0.75, 1.0]);
        // Three do not fit into a day of two: the third is on the next.
        assert_eq!(times(&[0.0, 0.0, 0.0], 0.5, 2.0), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn what_is_at_midnight_but_for_rounding_is_on_the_next_day() {
        let at = [7.0, 7.0 - 1e-12, 0.1 + 0.7 + 6.2, 6.99999].map(day_of);
        assert_eq!(at, [7, 7, 7, 6]);
    }

    #[test]
    fn nothing_is_fetched_behind_the_end() {
        let ends = times(&[3.0, 3.0, 3.0], 0.001, 3.0);
        assert_eq!(ends.len(), 3);
        assert!(ends.iter().all(|at| *at < 3.0) && ends.windows(2).all(|pair| pair[1] - pair[0] >= 0.0009));
        assert_eq!(times(&[0.5; 9], 0.2, 1.0).len(), 3);
        // A session that would not end in time is not begun.
        let long = vec![Due { at: 0.6, downloads: 5, what: 0 }, Due { at: 0.1, downloads: 3, what: 1 }];
        let held: Vec<usize> = spaced(long, 0.12, 1.0).iter().map(|due| due.what).collect();
        assert_eq!(held, [1, 0]);
        assert_eq!(spaced(vec![Due { at: 0.0, downloads: 9, what: 0 }], 0.2, 1.0), vec![]);
    }

    #[test]
    fn dates_that_are_apart_stay_as_they_are() {
        let at = [0.1, 0.4, 1.3, 2.999];
        assert_eq!(times(&at, 0.0005, 3.0), at);
        assert_eq!(
            times(&times(&[0.2, 0.2, 0.99, 1.0], 0.1, 3.0), 0.1, 3.0),
            times(&[0.2, 0.2, 0.99, 1.0], 0.1, 3.0)
        );
    }
}
