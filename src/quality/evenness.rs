//! Whether a page changes at certain times: a test of evenness, and the part of the week in which it changes most.
//!
//! The week has eight parts: night, morning, afternoon and evening of workdays and of weekends. If changes do not depend
//! on the time, each part has its share of them by the number of its captures. Pearson's statistic
//!
//! ```text
//! X² = Σ_k (c_k − n_k C/N)² / (n_k C/N)         c changes among n captures in part k, C among N in all
//! ```
//!
//! is compared with what the same changes give when they are dealt out to the captures at random: the chance p of a page is the
//! share of deals that are at least as uneven. Deals end when enough of them are, so that a page without a time costs few.
//!
//! A site has many pages, and of many even one at random looks uneven. So the chances p₁ ≤ p₂ ≤ … of its m pages are held
//! against
//!
//! ```text
//! limit = LEVEL · k / m          k the largest number with p_k ≤ LEVEL · k / m, at least 1
//! ```
//!
//! A page has a time of its own if its chance is at most the limit. Where no page has one, the chance that any gets one is
//! [`LEVEL`]; of those that get one, that share is expected to be wrong.
//!
//! Sources: J. Besag, P. Clifford, *Sequential Monte Carlo p-values*, Biometrika 78, 1991; Y. Benjamini, Y. Hochberg, *Controlling
//! the False Discovery Rate*, J. R. Statist. Soc. B 57, 1995. The use of both is ours, not in the papers on archives.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use super::pattern::{DayKind, Look, period};

/// The level of the test.
pub(crate) const LEVEL: f64 = 0.01;
/// Minimum numbers of captures and of changes: with fewer no page can pass the test.
const MIN_LOOKS: usize = 10;
const MIN_CHANGES: usize = 5;
/// Maximum number of random deals: a chance below one in so many is not measured.
const MAX_DEALS: usize = 99_999;
/// Number of deals as uneven as what was seen after which the chance is known well enough.
const ENOUGH: usize = 20;
/// With more captures the statistic has its limit distribution.
const MANY_LOOKS: usize = 1000;

/// A part of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Monday to Friday, 0 to 6 o'clock.
    WorkdayNight,
    /// Monday to Friday, 6 to 12.
    WorkdayMorning,
    /// Monday to Friday, 12 to 18.
    WorkdayAfternoon,
    /// Monday to Friday, 18 to 24.
    WorkdayEvening,
    /// Saturday and Sunday, 0 to 6.
    WeekendNight,
    /// Saturday and Sunday, 6 to 12.
    WeekendMorning,
    /// Saturday and Sunday, 12 to 18.
    WeekendAfternoon,
    /// Saturday and Sunday, 18 to 24.
    WeekendEvening,
    /// All days, 0 to 6.
    EveryNight,
    /// All days, 6 to 12.
    EveryMorning,
    /// All days, 12 to 18.
    EveryAfternoon,
    /// All days, 18 to 24.
    EveryEvening,
}

/// The parts of the week, and those of all days.
const PARTS: [When; 12] = [
    When::WorkdayNight,
    When::WorkdayMorning,
    When::WorkdayAfternoon,
    When::WorkdayEvening,
    When::WeekendNight,
    When::WeekendMorning,
    When::WeekendAfternoon,
    When::WeekendEvening,
    When::EveryNight,
    When::EveryMorning,
    When::EveryAfternoon,
    When::EveryEvening,
];

/// A part belongs to all days if the same hours of the other days show a change at least this share as often.
const AS_OFTEN: f64 = 0.5;

impl When {
    /// In words, for a line of a report.
    pub fn words(self) -> &'static str {
        match self {
            When::WorkdayNight => "on workdays at night",
            When::WorkdayMorning => "on workdays in the morning",
            When::WorkdayAfternoon => "on workdays in the afternoon",
            When::WorkdayEvening => "on workdays in the evening",
            When::WeekendNight => "on weekends at night",
            When::WeekendMorning => "on weekends in the morning",
            When::WeekendAfternoon => "on weekends in the afternoon",
            When::WeekendEvening => "on weekends in the evening",
            When::EveryNight => "every night",
            When::EveryMorning => "every morning",
            When::EveryAfternoon => "every afternoon",
            When::EveryEvening => "every evening",
        }
    }
}

fn part(look: &Look) -> usize {
    let (kind, hour) = period(look.at);
    hour / 6 + if kind == DayKind::Workday { 0 } else { 4 }
}

/// Captures and changes per part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    looks: [u32; 8],
    changes: [u32; 8],
    /// Those of Sundays among them, by the quarter of the day.
    sunday_looks: [u32; 4],
    sunday_changes: [u32; 4],
}

impl Parts {
    pub(crate) fn of<'a>(looks: impl IntoIterator<Item = &'a Look>) -> Parts {
        let mut parts = Parts::default();
        for look in looks {
            let (at, is_changed) = (part(look), u32::from(look.importance > 0.0));
            parts.looks[at] += 1;
            parts.changes[at] += is_changed;
            if period(look.at).0 == DayKind::Sunday {
                parts.sunday_looks[at % 4] += 1;
                parts.sunday_changes[at % 4] += is_changed;
            }
        }
        parts
    }

    pub(crate) fn add(&mut self, other: &Parts) {
        for at in 0..8 {
            self.looks[at] += other.looks[at];
            self.changes[at] += other.changes[at];
        }
        for at in 0..4 {
            self.sunday_looks[at] += other.sunday_looks[at];
            self.sunday_changes[at] += other.sunday_changes[at];
        }
    }

    fn statistic(&self, changes: &[u32; 8]) -> f64 {
        let (all, total) = (self.looks.iter().sum::<u32>(), changes.iter().sum::<u32>());
        let share = f64::from(total) / f64::from(all.max(1));
        let term = |(looks, changes): (&u32, &u32)| {
            let expected = f64::from(*looks) * share;
            if expected > 0.0 { (f64::from(*changes) - expected).powi(2) / expected } else { 0.0 }
        };
        self.looks.iter().zip(changes).map(term).sum()
    }

    /// The chance that changes without a time of their own look at least as uneven; `None`: too few captures to say.
    pub(crate) fn chance(&self) -> Option<f64> {
        let (looks, changes) =
            (self.looks.iter().sum::<u32>() as usize, self.changes.iter().sum::<u32>() as usize);
        let seen = self.looks.iter().filter(|looks| **looks > 0).count();
        if looks < MIN_LOOKS || changes < MIN_CHANGES || looks - changes < 2 || seen < 2 {
            return None;
        }
        let found = self.statistic(&self.changes);
        if looks > MANY_LOOKS {
            // Of a bag of changes without returning them the variance is smaller by this factor.
            let factor = looks as f64 / (looks - changes) as f64;
            return Some(chi_square(found * factor, (seen - 1) as f64));
        }
        let mut bag: Vec<u8> =
            (0u8..8).flat_map(|part| std::iter::repeat_n(part, self.looks[part as usize] as usize)).collect();
        // One seed for all: the same captures give the same result.
        let mut random = Pcg64::seed_from_u64(5_11);
        let (mut deals, mut as_uneven) = (0, 0);
        while deals < MAX_DEALS && as_uneven < ENOUGH {
            let (dealt, _) = bag.partial_shuffle(&mut random, changes);
            let mut counts = [0u32; 8];
            dealt.iter().for_each(|part| counts[usize::from(*part)] += 1);
            as_uneven += usize::from(self.statistic(&counts) >= found - 1e-9);
            deals += 1;
        }
        Some(match as_uneven {
            ENOUGH => ENOUGH as f64 / deals as f64,
            as_uneven => (as_uneven + 1) as f64 / (deals + 1) as f64,
        })
    }

    /// The part in which a capture most often shows a change; that of all days where workdays and weekends do not differ.
    pub(crate) fn when(&self) -> Option<When> {
        let share = |at: &usize| f64::from(self.changes[*at]) / f64::from(self.looks[*at].max(1));
        // Of equal ones the first.
        let best = (0..8).rev().max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let quarter = best % 4;
        let sundays = (self.sunday_looks[quarter], self.sunday_changes[quarter]);
        let saturdays = (self.looks[quarter + 4] - sundays.0, self.changes[quarter + 4] - sundays.1);
        // Nothing is of every day that spares Sundays or Saturdays.
        let as_often = |(looks, changes): (u32, u32)| {
            looks == 0 || f64::from(changes) / f64::from(looks) >= AS_OFTEN * share(&best)
        };
        let is_of_all =
            share(&((best + 4) % 8)) >= AS_OFTEN * share(&best) && as_often(saturdays) && as_often(sundays);
        PARTS.get(if is_of_all { 8 + best % 4 } else { best }).copied()
    }
}

/// The tests of all pages of a site, by the numbers of the pages.
#[derive(Debug, Default)]
pub(crate) struct Tests {
    chances: HashMap<usize, f64>,
}

impl Tests {
    /// Tests a page, if its captures suffice.
    pub(crate) fn add(&mut self, page: usize, parts: &Parts) {
        if let Some(chance) = parts.chance() {
            self.chances.insert(page, chance);
        }
    }

    /// The chance of a page; `None`: it was not tested.
    pub(crate) fn chance(&self, page: usize) -> Option<f64> {
        self.chances.get(&page).copied()
    }

    /// What the chance of a page must not exceed.
    pub(crate) fn limit(&self) -> f64 {
        let mut chances: Vec<f64> = self.chances.values().copied().collect();
        chances.sort_by(f64::total_cmp);
        let of = |count: usize| LEVEL * count as f64 / chances.len().max(1) as f64;
        let passing = (1..=chances.len()).rev().find(|count| chances[count - 1] <= of(*count));
        of(passing.unwrap_or(1))
    }
}

/// The upper tail of the chi-square distribution, by Wilson and Hilferty's approximation.
fn chi_square(value: f64, degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    let z = ((value / degrees).cbrt() - (1.0 - spread)) / spread.sqrt();
    normal_tail(z)
}

/// The upper tail of the normal distribution (Abramowitz and Stegun 26.2.17).
fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let polynomial = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * polynomial
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::time::Instant;

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn a_page_that_spares_sundays_does_not_change_every_day() {
        let monday = Instant::parse("2024-01-01T00:00:00Z").unwrap().0;
        let of = |days: &[i64]| {
            let looks: Vec<Look> = (0..42 * 4)
                .map(|number| {
                    let changes = number % 4 == 2 && days.contains(&(number / 4 % 7));
                    let at = Instant(monday + number * 6 * HOUR);
                    Look { at, gap_hours: 6.0, importance: f64::from(u8::from(changes)) }
                })
                .collect();
            Parts::of(&looks).when()
        };
        assert_eq!(of(&[1, 2, 3, 4, 5]), Some(When::WorkdayAfternoon));
        assert_eq!(of(&[0, 1, 2, 3, 4, 5, 6]), Some(When::EveryAfternoon));
        assert_eq!(of(&[5, 6]), Some(When::WeekendAfternoon));
    }

    /// A page captured every five hours from a Monday on, which shows a change by `changes`.
    fn page(captures: i64, mut changes: impl FnMut(usize) -> bool) -> Parts {
        let monday = Instant::parse("2024-01-01T00:00:00Z").unwrap().0;
        let looks: Vec<Look> = (0..captures)
            .map(|number| {
                let at = Instant(monday + number * 5 * HOUR);
                let mut look = Look { at, gap_hours: 5.0, importance: 0.0 };
                look.importance = f64::from(u8::from(changes(part(&look))));
                look
            })
            .collect();
        Parts::of(&looks)
    }

    /// The time of a page that is the only one of its site.
    fn time(page: &Parts) -> Option<When> {
        page.chance().filter(|chance| *chance <= LEVEL).and_then(|_| page.when())
    }

    /// How many of these pages of one site have a time of their own.
    fn timed(pages: &[Parts]) -> usize {
        let mut tests = Tests::default();
        pages.iter().enumerate().for_each(|(number, page)| tests.add(number, page));
        let limit = tests.limit();
        (0..pages.len()).filter(|page| tests.chance(*page).is_some_and(|chance| chance <= limit)).count()
    }

    #[test]
    fn of_the_many_pages_of_a_site_that_change_at_random_none_gets_a_time() {
        let mut random = Pcg64::seed_from_u64(7);
        let sites = 100;
        let mut at_random = || (0..60).map(|_| page(40, |_| random.random_bool(0.3))).collect::<Vec<_>>();
        let wrong = (0..sites).filter(|_| timed(&at_random()) > 0).count();
        assert!(wrong <= 4, "{wrong} of {sites} sites");
        // Those that have a time keep it among the others, also one alone.
        for regular in [1, 10] {
            let mut pages = at_random();
            pages.extend((0..regular).map(|_| page(60, |part| part == 1)));
            let found = timed(&pages);
            assert!((regular..=regular + 1).contains(&found), "{found} of {regular}");
        }
        assert_eq!(timed(&[]), 0);
    }

    #[test]
    fn a_page_that_changes_at_a_time_gets_it() {
        for captures in [60, 3000] {
            assert_eq!(time(&page(captures, |part| part == 1)), Some(When::WorkdayMorning));
            assert_eq!(time(&page(captures, |part| part % 4 == 1)), Some(When::EveryMorning));
            let weekends = time(&page(captures, |part| part >= 4));
            assert_eq!(weekends.map(|when| when >= When::WeekendNight), Some(true));
        }
    }

    #[test]
    fn random_pages_and_pages_with_few_captures_get_none() {
        let mut random = Pcg64::seed_from_u64(1);
        for (captures, pages, most) in [(40, 400, 12), (2000, 200, 8)] {
            let found =
                (0..pages).filter(|_| time(&page(captures, |_| random.random_bool(0.3))).is_some()).count();
            assert!(found <= most, "{found} of {pages}");
        }
        assert_eq!(time(&page(9, |part| part == 1)), None);
        assert_eq!(time(&page(60, |_| true)), None);
        assert_eq!(page(60, |_| false).chance(), None);
    }

    #[test]
    fn the_tail_of_chi_square_is_that_of_tables() {
        for (value, degrees, tail) in
            [(14.067, 7.0, 0.05), (18.475, 7.0, 0.01), (3.841, 1.0, 0.05), (6.346, 7.0, 0.5)]
        {
            let found = chi_square(value, degrees);
            assert!((found - tail).abs() < 0.01, "{value} {degrees}: {found}");
        }
    }
}
