//! Whether a page changes at certain times: a test of evenness, and the part of the week in which it changes most.
//!
//! The week has eight parts: night, morning, afternoon and evening of workdays and of weekends. A capture after a long gap shows a
//! change more often than one after a short gap, whatever the time of day: the first capture of the morning shows what happened
//! all night. So captures are compared only with captures after gaps of about the same length, and each part is expected to have its
//! share of the changes in each such group. How far the parts are from that, in all groups together, is measured by
//! [`Strata::statistic`]. It
//! is compared with what the same changes give when they are dealt out at random to the captures of their group: the chance p of a page
//! is the share of deals that are at least as uneven. Deals end when enough of them are, so that a page without a time costs few.
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

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::pattern::{Look, period};
use super::strata::{Strata, Stratum};

/// The level of the test.
pub(crate) const LEVEL: f64 = 0.01;
/// Minimum numbers of captures and of changes: with fewer, no page can pass the test.
const MIN_CAPTURES: usize = 10;
const MIN_CHANGES: usize = 5;
/// Groups of gaps to a doubling of their length: in a group they differ by less than a fifth.
const GROUPS: f64 = 4.0;
/// Shorter gaps, in hours, count as of this length.
const MIN_GAP: f64 = 1e-3;

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
    /// Monday to Friday, at any hour.
    Workday,
    /// Saturday and Sunday, at any hour.
    Weekend,
}

/// The parts of the week, those of all days, and those of all hours.
const PARTS: [When; 14] = [
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
    When::Workday,
    When::Weekend,
];

/// Standard deviations by which hours of workdays must show more changes than the same hours of weekends, or fewer, to belong to one of
/// them alone: at the level of the test.
const UNLIKE: f64 = 2.33;

/// A part belongs to all days if its hours show a change at least this share as often on each kind of day as on the one with the most.
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
            When::Workday => "on workdays",
            When::Weekend => "on weekends",
        }
    }

    /// Whether quarters of workdays, Saturdays and Sundays belong to it.
    fn cells(self) -> [bool; CELLS] {
        let at = self as usize;
        std::array::from_fn(|cell| match at {
            0..8 => part_of(cell) == at,
            8..12 => cell % 4 == at % 4,
            12 => cell < 4,
            _ => cell >= 4,
        })
    }
}

/// Quarters of workdays, Saturdays and Sundays.
const CELLS: usize = 12;

fn cell(look: &Look) -> usize {
    let (kind, hour) = period(look.at);
    kind as usize * 4 + hour / 6
}

/// The part of the week that a cell belongs to.
fn part_of(cell: usize) -> usize {
    if cell < 4 { cell } else { 4 + cell % 4 }
}

/// Captures and changes of one group of gaps, by cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    looks: [u32; CELLS],
    changes: [u32; CELLS],
}

impl Counts {
    /// The share of captures that show a change.
    fn share(&self) -> f64 {
        let (looks, changes): (u32, u32) = (self.looks.iter().sum(), self.changes.iter().sum());
        f64::from(changes) / f64::from(looks.max(1))
    }
}

/// Captures and changes per part of the week, by groups of gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    groups: BTreeMap<i16, Counts>,
}

impl Parts {
    pub(crate) fn of<'a>(looks: impl IntoIterator<Item = &'a Look>) -> Parts {
        let mut parts = Parts::default();
        looks.into_iter().for_each(|look| parts.look(look));
        parts
    }

    /// Adds a capture.
    pub(crate) fn look(&mut self, look: &Look) {
        let group = (look.gap_hours.max(MIN_GAP).log2() * GROUPS).round() as i16;
        let counts = self.groups.entry(group).or_default();
        counts.looks[cell(look)] += 1;
        counts.changes[cell(look)] += u32::from(look.importance > 0.0);
    }

    pub(crate) fn add(&mut self, other: &Parts) {
        for (group, more) in &other.groups {
            let counts = self.groups.entry(*group).or_default();
            for at in 0..CELLS {
                counts.looks[at] += more.looks[at];
                counts.changes[at] += more.changes[at];
            }
        }
    }

    /// The chance that changes without a time of their own look at least as uneven; `None`: too few captures to say.
    pub(crate) fn chance(&self) -> Option<f64> {
        let strata = self.groups.values().map(|counts| {
            let mut stratum = Stratum::default();
            for at in 0..CELLS {
                stratum.looks[part_of(at)] += counts.looks[at];
                stratum.changes[part_of(at)] += counts.changes[at];
            }
            stratum
        });
        let strata = Strata::of(strata);
        let (looks, changes) = (strata.looks(), strata.changes());
        if looks < MIN_CAPTURES || changes < MIN_CHANGES || looks - changes < 2 {
            return None;
        }
        strata.chance()
    }

    /// The part whose captures show more changes than expected by the most standard deviations, gaps of the same length compared. A part
    /// of all days must not leave out workdays, Saturdays or Sundays, and one of workdays or weekends needs hours that are unlike the same
    /// hours of the others.
    pub(crate) fn when(&self) -> Option<When> {
        let excess = |part: &When| self.excess(&part.cells(), &[true; CELLS]).unwrap_or(0.0);
        // How many more changes the quarter of some days has than the same quarter of all days.
        let more = |own: [bool; CELLS], quarter: usize| self.excess(&own, &PARTS[8 + quarter].cells());
        let is_of_all_days = |quarter: usize| {
            let days = [quarter, quarter + 4, quarter + 8];
            let often: Vec<f64> = days.iter().filter_map(|cell| self.ratio(*cell)).collect();
            let most = often.iter().copied().fold(0.0, f64::max);
            let is_like = |day: &usize| {
                let own = std::array::from_fn(|cell| cell == *day);
                more(own, quarter).is_none_or(|more| more.abs() < UNLIKE)
            };
            often.iter().all(|often| *often >= AS_OFTEN * most) || days.iter().all(is_like)
        };
        let is_shown = |part: &When| {
            let quarter = *part as usize % 4;
            match *part as usize {
                0..8 => {
                    let is_unlike = more(part.cells(), quarter).is_none_or(|more| more >= UNLIKE);
                    is_unlike || !is_of_all_days(quarter)
                }
                8..12 => is_of_all_days(quarter),
                _ => true,
            }
        };
        // Of equal ones the first.
        let parts = PARTS.into_iter().rev().filter(is_shown).map(|part| (part, excess(&part)));
        let best = parts.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (best.1 > 0.0).then_some(best.0)
    }

    /// The changes of a cell to those expected; `None` without captures.
    fn ratio(&self, cell: usize) -> Option<f64> {
        let seen: u32 = self.groups.values().map(|counts| counts.changes[cell]).sum();
        let expected: f64 =
            self.groups.values().map(|counts| f64::from(counts.looks[cell]) * counts.share()).sum();
        (expected > 0.0).then(|| f64::from(seen) / expected)
    }

    /// How many more changes some cells have than expected of the cells `within`, in standard deviations: as [`Strata`] has it, for one
    /// part. `None`: there is nothing to compare.
    fn excess(&self, cells: &[bool; CELLS], within: &[bool; CELLS]) -> Option<f64> {
        let (mut more, mut variance) = (0.0, 0.0);
        for counts in self.groups.values() {
            let sum = |all: &[u32; CELLS], cells: &[bool; CELLS]| {
                let own = all.iter().zip(cells).filter(|(_, is_own)| **is_own).map(|(count, _)| count);
                f64::from(own.sum::<u32>())
            };
            let (all, looks) = (sum(&counts.looks, within), sum(&counts.looks, cells));
            let share = sum(&counts.changes, within) / all.max(1.0);
            more += sum(&counts.changes, cells) - looks * share;
            variance += looks * share * (1.0 - share) * (all - looks) / (all - 1.0).max(1.0);
        }
        (variance > 0.0).then(|| more / variance.sqrt())
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

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

    #[test]
    fn a_page_that_changes_every_day_around_noon_is_not_said_to_change_on_workdays() {
        let monday = Instant::parse("2024-01-01T00:00:00Z").unwrap().0;
        let mut random = Pcg64::seed_from_u64(7);
        for _ in 0..60 {
            // Seen by captures of every hour, at 11 o'clock or at noon.
            let seen: Vec<i64> = (0..28).map(|_| [11, 11, 12][random.random_range(0..3)]).collect();
            let looks: Vec<Look> = (0..28 * 24)
                .map(|hour| {
                    let importance = f64::from(u8::from(seen[hour as usize / 24] == hour % 24));
                    Look { at: Instant(monday + hour * HOUR), gap_hours: 1.0, importance }
                })
                .collect();
            let when = Parts::of(&looks).when();
            assert!(matches!(when, Some(When::EveryMorning | When::EveryAfternoon)), "{when:?} {seen:?}");
        }
    }

    #[test]
    fn a_page_that_changes_on_weekends_is_said_to_however_often_it_is_captured() {
        let monday = Instant::parse("2024-01-01T00:00:00Z").unwrap().0;
        let mut random = Pcg64::seed_from_u64(11);
        let mut page = |step: i64, first: i64, chance: &dyn Fn(i64) -> f64| {
            let looks: Vec<Look> = (1..84 * 24 / step)
                .map(|number| {
                    let hour = first + number * step;
                    let changes =
                        (hour - step..hour).filter(|hour| random.random_bool(chance(*hour))).count();
                    let importance = f64::from(u8::from(changes > 0));
                    Look { at: Instant(monday + hour * HOUR), gap_hours: step as f64, importance }
                })
                .collect();
            Parts::of(&looks)
        };
        for (step, first) in [(6, 0), (12, 0), (12, 6), (18, 0), (18, 6)] {
            let weekends = |hour: i64| if hour / 24 % 7 >= 5 { 0.12 } else { 0.0 };
            // Captured at midnight and noon, a midnight shows what the day before changed, so that afternoons may stand out.
            let is_of_weekends = |when: When| when == When::Weekend || (4..8).contains(&(when as usize));
            let pages: Vec<Parts> = (0..40).map(|_| page(step, first, &weekends)).collect();
            let found = pages.iter().filter(|page| page.when().is_some_and(is_of_weekends)).count();
            assert!(found >= 38, "{found} of 40 captured every {step} hours");
            assert!(time(&pages[0]).is_some(), "captured every {step} hours");
            let wrong = (0..50).filter(|_| time(&page(step, first, &|_| 0.03)).is_some()).count();
            assert!(wrong <= 3, "{wrong} of 50 captured every {step} hours");
        }
    }

    /// A page captured every five hours from a Monday on, which shows a change by `changes`.
    fn page(captures: i64, mut changes: impl FnMut(usize) -> bool) -> Parts {
        let monday = Instant::parse("2024-01-01T00:00:00Z").unwrap().0;
        let looks: Vec<Look> = (0..captures)
            .map(|number| {
                let at = Instant(monday + number * 5 * HOUR);
                let mut look = Look { at, gap_hours: 5.0, importance: 0.0 };
                look.importance = f64::from(u8::from(changes(part_of(cell(&look)))));
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

    /// A page captured at these hours of some days of the week, whose content changes in some of the hours between.
    fn watched(hours: &[i64], days: &[i64], mut changes: impl FnMut(i64) -> bool) -> Parts {
        let monday = Instant::parse("2024-01-01T00:00:00Z").unwrap().0;
        let mut last = 0;
        let mut looks = Vec::new();
        for day in (0..60).filter(|day| days.contains(&(day % 7))) {
            for hour in hours.iter().map(|hour| day * 24 + hour) {
                let changed = (last..hour).filter(|hour| changes(*hour)).count() > 0;
                let at = Instant(monday + hour * HOUR);
                let gap_hours = (hour - last) as f64;
                looks.push(Look { at, gap_hours, importance: f64::from(u8::from(changed)) });
                last = hour;
            }
        }
        Parts::of(&looks)
    }

    #[test]
    fn a_page_that_changes_at_random_gets_no_time_from_when_it_was_captured() {
        let office: Vec<i64> = (9..18).collect();
        let rhythms: [(&[i64], &[i64]); 4] = [
            (&office, &[0, 1, 2, 3, 4]),
            (&[0, 8, 10, 12, 14], &[0, 1, 2, 3, 4, 5, 6]),
            (&[6, 9, 12, 18], &[0, 1, 2, 3, 4, 5, 6]),
            (&[8, 9, 20], &[0, 2, 4, 5]),
        ];
        let mut random = Pcg64::seed_from_u64(3);
        for (hours, days) in rhythms {
            let pages: Vec<Parts> =
                (0..100).map(|_| watched(hours, days, |_| random.random_bool(0.03))).collect();
            let wrong = pages.iter().filter(|page| time(page).is_some()).count();
            assert!(wrong <= 4, "{wrong} of 100 captured at {hours:?}");
        }
        // One that changes at one o'clock is found among such captures.
        let at_one = watched(&office, &[0, 1, 2, 3, 4], |hour| hour % 24 == 13 && random.random_bool(0.7));
        assert_eq!(time(&at_one), Some(When::WorkdayAfternoon));
    }
}
