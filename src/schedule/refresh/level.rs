//! Keeps every day of a plan within the budget: downloads of a day that has too many move to the nearest day with room.
//!
//! The best instants of each page taken alone may all fall on one day, above all the first downloads of pages that were never
//! captured. Days are filled in the order of what the downloads of a page are worth, so that the important pages keep their
//! days; two gaps that are nearly equal lose little. What the moved instants are worth is computed anew ([`worth`]); the value
//! without limits for single days stays the upper bound.

use super::allocation::Aim;
use super::whole::{Horizon, quiet};

/// The days of a horizon and how many downloads each has room for.
pub(crate) struct Days {
    room: Vec<u64>,
    /// For every day the way to the next day with room, later and earlier; a place past the end: none.
    later: Vec<u32>,
    earlier: Vec<u32>,
}

impl Days {
    /// Room for `budget` downloads a day: with half a download a day, every second day has room for one.
    pub(crate) fn new(days: f64, budget: f64) -> Days {
        let until = |day: usize| (budget * (day as f64).min(days) + 1e-9).min(1e18) as u64;
        let count = days.ceil().max(1.0) as usize;
        let room: Vec<u64> = (0..count).map(|day| until(day + 1) - until(day)).collect();
        let mut days = Days {
            later: (0..=count as u32).collect(),
            // Shifted by one, so that zero means none.
            earlier: (0..=count as u32).collect(),
            room,
        };
        (0..count)
            .filter(|&day| days.room[day] == 0)
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|day| days.close(day));
        days
    }

    fn close(&mut self, day: usize) {
        self.later[day] = day as u32 + 1;
        self.earlier[day + 1] = day as u32;
    }

    /// The nearest day with room, the later one of two; `None` when all are full.
    fn nearest(&mut self, day: usize) -> Option<usize> {
        let later = Some(root(&mut self.later, day as u32) as usize).filter(|&later| later < self.room.len());
        let earlier = (root(&mut self.earlier, day as u32 + 1) as usize).checked_sub(1);
        match (earlier, later) {
            (Some(earlier), Some(later)) if day - earlier < later - day => Some(earlier),
            (earlier, later) => later.or(earlier),
        }
    }

    /// Takes room for a download at `at`: stays where its day has room, else moves to the nearest day. `None` when all are full.
    pub(crate) fn take(&mut self, at: f64) -> Option<f64> {
        let wanted = (at.max(0.0) as usize).min(self.room.len() - 1);
        let day = self.nearest(wanted)?;
        self.room[day] -= 1;
        if self.room[day] == 0 {
            self.close(day);
        }
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
pub(crate) fn level(at: &mut [Vec<f64>], first: &[u32], days: f64, budget: f64) {
    let mut room = Days::new(days, budget);
    for &page in first {
        let instants = &mut at[page as usize];
        let moved: Vec<f64> =
            instants.iter().filter_map(|at| room.take(*at)).map(|at| at.min(days)).collect();
        *instants = moved;
        instants.sort_by(f64::total_cmp);
    }
}

/// What the downloads of a page at these instants (ascending, in days) are worth by an aim, without its weight.
pub(crate) fn worth(page: Horizon, days: f64, at: &[f64], aim: Aim) -> f64 {
    let rate = page.rate;
    let (Some(first), Some(last)) = (at.first(), at.last()) else {
        return super::whole::worth(page, days, 0, aim);
    };
    let gaps = || at.windows(2).map(|pair| pair[1] - pair[0]);
    match aim {
        Aim::Freshness => {
            let before = if page.age.is_finite() {
                quiet(rate, page.age + first) - quiet(rate, page.age)
            } else {
                0.0
            };
            (before + gaps().map(|gap| quiet(rate, gap)).sum::<f64>() + quiet(rate, days - last)) / days
        }
        _ if rate.is_infinite() => 0.0,
        Aim::Blur => {
            let ends = first * first / 2.0 + (days - last) * (days - last) / 2.0;
            -rate * (ends + gaps().map(|gap| gap * gap / 4.0).sum::<f64>()) / days
        }
        // The first download shows what there is at the start of the horizon or came since.
        Aim::Versions => rate * (quiet(rate, *first) + gaps().map(|gap| quiet(rate, gap)).sum::<f64>()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::whole::{best, instants};
    use super::*;

    fn page(rate: f64, weight: f64, age: f64) -> Horizon {
        Horizon { rate, weight, age }
    }

    #[test]
    fn the_best_instants_are_worth_what_the_closed_forms_say() {
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            for one in [
                page(0.2, 1.0, 3.0),
                page(3.0, 1.0, 0.0),
                page(0.01, 1.0, 40.0),
                page(1.0, 1.0, f64::INFINITY),
            ] {
                for m in 1..6 {
                    let by_instants = worth(one, 10.0, &instants(one, 10.0, m, aim), aim);
                    let closed = super::super::whole::worth(one, 10.0, m, aim);
                    assert!(
                        (by_instants - closed).abs() <= 1e-12 * closed.abs().max(1.0),
                        "{aim:?} {one:?} {m}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_day_that_is_full_passes_on_to_the_nearest_day_with_room() {
        let mut days = Days::new(5.0, 1.0);
        let taken: Vec<Option<f64>> = [2.5, 2.5, 2.5, 2.25, 2.0, 0.0].map(|at| days.take(at)).to_vec();
        assert_eq!(taken, [Some(2.5), Some(3.5), Some(1.5), Some(4.25), Some(0.0), None]);
    }

    #[test]
    fn half_a_download_a_day_has_room_on_every_second_day() {
        let mut days = Days::new(4.0, 0.5);
        assert_eq!([days.take(0.0), days.take(0.0), days.take(0.0)], [Some(1.0), Some(3.0), None]);
    }

    #[test]
    fn no_day_is_above_the_budget_no_download_is_lost_and_no_value_is_above_the_bound() {
        // Pages that were never captured would all be fetched at once, and equal pages on the same day.
        let pages: Vec<Horizon> = (0..60)
            .map(|i| {
                let age = if i % 3 == 0 { f64::INFINITY } else { f64::from(i % 2) * 9.0 };
                page([0.02, 0.1, 1.5][i as usize % 3], f64::from(1 + i % 7), age)
            })
            .collect();
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            let (counts, bound) = best(&pages, 14.0, 70, (&[], &[]), aim);
            let mut at: Vec<Vec<f64>> =
                pages.iter().zip(&counts).map(|(page, &m)| instants(*page, 14.0, m, aim)).collect();
            level(&mut at, &(0..60).collect::<Vec<u32>>(), 14.0, 5.0);
            let mut load = [0; 14];
            at.iter().flatten().for_each(|at| load[(*at as usize).min(13)] += 1);
            assert!(load.iter().all(|load| *load <= 5), "{aim:?} {load:?}");
            assert_eq!(at.iter().map(Vec::len).sum::<usize>(), counts.iter().sum::<u32>() as usize);
            let value: f64 =
                pages.iter().zip(&at).map(|(page, at)| page.weight * worth(*page, 14.0, at, aim)).sum();
            assert!(value <= bound + 1e-9, "{aim:?} {value} {bound}");
        }
    }
}
