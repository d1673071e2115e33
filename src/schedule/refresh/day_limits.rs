//! Keeps every day within the budget and the limits of its hosts: excess downloads move to the
//! nearest day with room.
//!
//! The best instants of each page taken alone may all fall on one day, above all the first downloads of pages that were never
//! captured. Days are filled in several orders ([`super::candidates`]): by what the downloads of a page are worth, so that the important
//! pages keep their days, or those with one download first, because moving it moves all of them; two gaps that are nearly equal lose
//! little. The value without limits for single days stays the upper bound.

use super::allocation::Aim;

/// How many downloads a day has room for, and a host on a day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room<'a> {
    pub days: f64,
    /// Downloads a day.
    pub budget: f64,
    /// The host of every page, as a place in `caps`; empty: no caps.
    pub hosts: &'a [u32],
    /// Downloads a day that a host allows.
    pub caps: &'a [f64],
    /// Where a part of a download falls: with one a week, on the first day (freshness), in the middle (blur), on the last
    /// (versions).
    pub aim: Aim,
}

impl Room<'_> {
    /// Room of every day for `budget` downloads a day: with half a download a day, every second day has room for one.
    pub(crate) fn of(self, budget: f64) -> Vec<u64> {
        let phase = match self.aim {
            Aim::Freshness => 1.0 - 1e-6,
            Aim::Blur => 0.5,
            Aim::Versions => 0.0,
        };
        let all = whole(budget * self.days);
        let count = self.days.ceil().max(1.0) as usize;
        let until = |day: usize| match day {
            0 => 0,
            day if day == count => all,
            day => whole(budget * day as f64 + phase).min(all),
        };
        (0..count).map(|day| until(day + 1) - until(day)).collect()
    }

    /// Downloads of all days together.
    pub(super) fn downloads(self) -> u64 {
        whole(self.budget * self.days)
    }

    /// Downloads above the budgets of their days.
    pub(super) fn above(self, at: &[Vec<f64>]) -> u64 {
        let mut load = vec![0u64; self.days.ceil().max(1.0) as usize];
        let last = load.len() - 1;
        at.iter().flatten().for_each(|at| load[(*at as usize).min(last)] += 1);
        let most = whole(self.budget.ceil());
        load.into_iter().map(|load| load.saturating_sub(most)).sum()
    }

    /// Room of the hosts that have less of it than a day as a whole.
    pub(super) fn of_hosts(self) -> Vec<Option<Vec<u64>>> {
        self.caps.iter().map(|&cap| (cap < self.budget).then(|| self.of(cap))).collect()
    }
}

/// Whole downloads, but for rounding.
fn whole(downloads: f64) -> u64 {
    (downloads + 1e-9).min(1e18) as u64
}

/// A step of a day: `place` of `count`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    pub place: usize,
    pub count: usize,
}

impl Step {
    /// A day in one step.
    const WHOLE: Step = Step { place: 0, count: 1 };

    /// The part of the given downloads up to the end of the step, as early as possible.
    fn share(self, downloads: u64) -> u64 {
        let part = u128::from(downloads) * (self.place as u128 + 1);
        u64::try_from(part.div_ceil(self.count as u128)).unwrap_or(u64::MAX)
    }
}

/// The days of a horizon with the room that is left.
pub(crate) struct Days<'a> {
    room: Vec<u64>,
    /// By host; `None`: no less than the day has.
    by_host: Vec<Option<Vec<u64>>>,
    /// What days and hosts had at first.
    whole: Vec<u64>,
    whole_by_host: Vec<Option<Vec<u64>>>,
    hosts: &'a [u32],
    /// For every day the way to the next day with room, later and earlier; a place past the end: none.
    later: Vec<u32>,
    earlier: Vec<u32>,
}

impl<'a> Days<'a> {
    pub(crate) fn new(room: Room<'a>) -> Self {
        let own = room.of(room.budget);
        let count = own.len() as u32;
        let by_host = room.of_hosts();
        let mut days = Days {
            later: (0..=count).collect(),
            // Shifted by one, so that zero means none.
            earlier: (0..=count).collect(),
            whole: own.clone(),
            room: own,
            whole_by_host: by_host.clone(),
            by_host,
            hosts: room.hosts,
        };
        (0..days.room.len())
            .filter(|&day| days.room[day] == 0)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|day| days.close(day));
        days
    }

    pub(crate) fn len(&self) -> usize {
        self.room.len()
    }

    /// Downloads that are due up to the end of a step of a day, when all of the day are spread evenly over its steps.
    pub(crate) fn due(&self, day: usize, step: Step) -> u64 {
        step.share(self.whole[day]).saturating_sub(self.whole[day] - self.room[day])
    }

    /// Whether the host of a page has room up to the end of a step of a day.
    pub(crate) fn host_is_due(&self, page: u32, day: usize, step: Step) -> bool {
        let host = self.hosts.get(page as usize).map(|host| *host as usize);
        let of = |rooms: &'_ [Option<Vec<u64>>]| {
            host.and_then(|host| rooms.get(host)).and_then(Option::as_ref).map(|room| room[day])
        };
        match (of(&self.whole_by_host), of(&self.by_host)) {
            (Some(whole), Some(left)) => step.share(whole) > whole - left,
            _ => true,
        }
    }

    /// Whether the host of a page has room on a day.
    fn host_has_room(&self, page: u32, day: usize) -> bool {
        self.host_is_due(page, day, Step::WHOLE)
    }

    fn close(&mut self, day: usize) {
        self.later[day] = day as u32 + 1;
        self.earlier[day + 1] = day as u32;
    }

    fn with_room(&mut self, from: usize, is_later: bool) -> Option<usize> {
        match is_later {
            true => {
                let day = root(&mut self.later, from.min(self.room.len()) as u32) as usize;
                (day < self.room.len()).then_some(day)
            }
            false => (root(&mut self.earlier, from as u32 + 1) as usize).checked_sub(1),
        }
    }

    /// The nearest day with room for a page, the later one of two; `None` when all are full.
    fn nearest(&mut self, page: u32, day: usize) -> Option<usize> {
        let mut later = self.with_room(day, true);
        while let Some(next) = later.filter(|next| !self.host_has_room(page, *next)) {
            later = self.with_room(next + 1, true);
        }
        let mut earlier = self.with_room(day, false);
        while let Some(next) = earlier.filter(|next| !self.host_has_room(page, *next)) {
            earlier = next.checked_sub(1).and_then(|before| self.with_room(before, false));
        }
        match (earlier, later) {
            (Some(earlier), Some(later)) if day - earlier < later - day => Some(earlier),
            (earlier, later) => later.or(earlier),
        }
    }

    /// Takes room of a day that has it.
    pub(crate) fn fill(&mut self, page: u32, day: usize) {
        self.room[day] -= 1;
        let host = self.hosts.get(page as usize).and_then(|host| self.by_host.get_mut(*host as usize));
        if let Some(room) = host.and_then(Option::as_mut) {
            room[day] -= 1;
        }
        if self.room[day] == 0 {
            self.close(day);
        }
    }

    /// Takes room of a day for downloads that cannot move, as far as it has it.
    pub(super) fn occupy(&mut self, day: usize, downloads: u64) {
        if self.room[day] == 0 {
            return;
        }
        self.room[day] = self.room[day].saturating_sub(downloads);
        if self.room[day] == 0 {
            self.close(day);
        }
    }

    /// The same of the host of a page.
    pub(super) fn occupy_host(&mut self, page: u32, day: usize, downloads: u64) {
        let host = self.hosts.get(page as usize).and_then(|host| self.by_host.get_mut(*host as usize));
        if let Some(room) = host.and_then(Option::as_mut) {
            room[day] = room[day].saturating_sub(downloads);
        }
    }

    /// Takes room on all of these days, if all have it.
    pub(super) fn take_all(&mut self, page: u32, on: impl Iterator<Item = usize> + Clone) -> bool {
        let has_room = |day: usize| self.room[day] > 0 && self.host_has_room(page, day);
        let is_free = on.clone().all(has_room);
        if is_free {
            on.for_each(|day| self.fill(page, day));
        }
        is_free
    }

    /// Takes room on the nearest day that has it; `None` when all are full, or the page is fetched on that day already.
    pub(super) fn take_another(&mut self, page: u32, day: usize, own: &[f64]) -> Option<f64> {
        let day = self.nearest(page, day).filter(|day| !own.contains(&(*day as f64)))?;
        self.fill(page, day);
        Some(day as f64)
    }

    /// Takes room for a download at `at`: stays where its day has room, else moves to the nearest day. `None` when all are full.
    pub(crate) fn take(&mut self, page: u32, at: f64) -> Option<f64> {
        let wanted = (at.max(0.0) as usize).min(self.room.len() - 1);
        let day = self.nearest(page, wanted)?;
        self.fill(page, day);
        // A moved download keeps its time of day.
        Some(if day == wanted { at } else { day as f64 + at.fract() })
    }
}

/// The end of the way from a place, with the way shortened for the next time.
fn root(next: &mut [u32], place: u32) -> u32 {
    let mut end = place;
    while next[end as usize] != end {
        end = next[end as usize];
    }
    let mut place = place;
    while next[place as usize] != end {
        place = std::mem::replace(&mut next[place as usize], end);
    }
    end
}

/// Moves the instants of all pages so that no day is above its room. `first` orders the pages: who keeps their days.
pub(crate) fn level(at: &mut [Vec<f64>], first: &[u32], room: Room<'_>) {
    let mut days = Days::new(room);
    for &page in first {
        let instants = &mut at[page as usize];
        let moved: Vec<f64> =
            instants.iter().filter_map(|at| days.take(page, *at)).map(|at| at.min(room.days)).collect();
        *instants = moved;
        instants.sort_by(f64::total_cmp);
    }
}

#[cfg(test)]
mod tests {
    use super::super::dates::value;
    use super::super::exact::{Horizon, best, instants};
    use super::*;

    fn room(days: f64, budget: f64, aim: Aim) -> Room<'static> {
        Room { days, budget, hosts: &[], caps: &[], aim }
    }

    #[test]
    fn a_day_that_is_full_passes_on_to_the_nearest_day_with_room() {
        let mut days = Days::new(room(5.0, 1.0, Aim::Freshness));
        let taken: Vec<Option<f64>> = [2.5, 2.5, 2.5, 2.25, 2.0, 0.0].map(|at| days.take(0, at)).to_vec();
        assert_eq!(taken, [Some(2.5), Some(3.5), Some(1.5), Some(4.25), Some(0.0), None]);
    }

    #[test]
    fn a_part_of_a_download_falls_where_the_aim_has_it() {
        for (aim, half, weekly) in [
            (Aim::Freshness, [1, 0, 1, 0], [1, 0, 0, 0, 0, 0, 0]),
            (Aim::Blur, [1, 0, 1, 0], [0, 0, 0, 1, 0, 0, 0]),
            (Aim::Versions, [0, 1, 0, 1], [0, 0, 0, 0, 0, 0, 1]),
        ] {
            assert_eq!(room(4.0, 0.5, aim).of(0.5), half, "{aim:?}");
            assert_eq!(room(7.0, 1.0 / 7.0, aim).of(1.0 / 7.0), weekly, "{aim:?}");
            for (days, budget) in [(84.0, 0.7), (3.5, 2.0), (10.0, 0.05), (30.0, 2.4)] {
                let own = room(days, budget, aim).of(budget);
                assert_eq!(own.iter().sum::<u64>(), (budget * days + 1e-9) as u64, "{aim:?} {days} {budget}");
                assert!(own.iter().all(|day| *day <= budget.ceil() as u64), "{own:?}");
            }
        }
    }

    #[test]
    fn a_host_has_room_of_its_own() {
        let hosts = [0, 1];
        let mut days = Days::new(Room { hosts: &hosts, caps: &[1.0, 9.0], ..room(3.0, 2.0, Aim::Freshness) });
        let taken = [(0, 1.25), (0, 1.25), (1, 1.5), (0, 1.5), (0, 1.5), (1, 1.5)];
        let taken = taken.map(|(page, at)| days.take(page, at));
        assert_eq!(taken, [Some(1.25), Some(2.25), Some(1.5), Some(0.5), None, Some(2.5)]);
    }

    #[test]
    fn no_day_is_above_the_budget_no_download_is_lost_and_no_value_is_above_the_bound() {
        // Pages that were never captured would all be fetched at once, and equal pages on the same day.
        let pages: Vec<Horizon> = (0..60)
            .map(|i| {
                let age = if i % 3 == 0 { f64::INFINITY } else { f64::from(i % 2) * 9.0 };
                Horizon { rate: [0.02, 0.1, 1.5][i as usize % 3], weight: f64::from(1 + i % 7), age }
            })
            .collect();
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            let (counts, bound) = best(&pages, 14.0, 70, (&[], &[]), aim);
            let mut at: Vec<Vec<f64>> =
                pages.iter().zip(&counts).map(|(page, &m)| instants(*page, 14.0, m, aim)).collect();
            level(&mut at, &(0..60).collect::<Vec<u32>>(), room(14.0, 5.0, aim));
            let mut load = [0; 14];
            at.iter().flatten().for_each(|at| load[(*at as usize).min(13)] += 1);
            assert!(load.iter().all(|load| *load <= 5), "{aim:?} {load:?}");
            assert_eq!(at.iter().map(Vec::len).sum::<usize>(), counts.iter().sum::<u32>() as usize);
            let value = value(&pages, 14.0, &at, aim);
            assert!(value <= bound + 1e-9, "{aim:?} {value} {bound}");
        }
    }
}
