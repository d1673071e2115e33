//! Patterns: when a page changes significantly.
//!
//! A pattern is the mean importance of changes per period, here hour of the day (UTC, or local time) × kind of day (workday, Saturday,
//! Sunday):
//!
//! ```text
//! ω_k = (importance of the changes seen in period k) / (captures in period k)
//! ```
//!
//! Captures that can be compared with the one before count; a change counts in the period of the
//! capture that showed it, and an unchanged capture has importance 0. A period without captures is unknown, not 0. How
//! few captures a pattern rests on is reported: fewer than [`MIN_CAPTURES_PER_PERIOD`] per period say little.
//!
//! Source: M. Ben Saad, S. Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA
//! 2011, Definition 4.21 and Figure 1.
//!
//! DIFFERENCE: a gap between two captures spans many periods, and the change may have happened in any of them; the paper
//! assumes that every period is visited. A change is counted when it was seen, which is late by up to the gap;
//! `median_gap_hours` reports how late.

use serde::{Deserialize, Serialize};

use super::evenness::{LEVEL, Parts, When};
use crate::format::count;
use crate::time::Instant;

/// Minimum number of captures in a period for a reliable mean.
pub(crate) const MIN_CAPTURES_PER_PERIOD: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DayKind {
    /// Monday to Friday.
    Workday,
    Saturday,
    Sunday,
}

impl DayKind {
    pub const ALL: [DayKind; 3] = [DayKind::Workday, DayKind::Saturday, DayKind::Sunday];
}

/// Number of periods: hours times kinds of day.
const PERIODS: usize = 24 * 3;
const HOUR: i64 = 3_600_000_000;

/// Hours in a week.
pub(crate) const WEEK: usize = 7 * 24;

/// The hour of the week of an instant, counted from Monday, 0:00 UTC.
pub(crate) fn hour_of_week(at: Instant) -> usize {
    // Hour 0 of the epoch was the first of a Thursday.
    (at.0.div_euclid(HOUR) + 3 * 24).rem_euclid(WEEK as i64) as usize
}

/// The period of an hour of the week: its kind of day and its hour.
pub(crate) fn period_of_hour(hour_of_week: usize) -> (DayKind, usize) {
    let kind = match hour_of_week / 24 % 7 {
        0..=4 => DayKind::Workday,
        5 => DayKind::Saturday,
        _ => DayKind::Sunday,
    };
    (kind, hour_of_week % 24)
}

/// The period of an instant: its kind of day and its hour.
pub(crate) fn period(at: Instant) -> (DayKind, usize) {
    period_of_hour(hour_of_week(at))
}

/// A capture that was compared with the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    pub at: Instant,
    /// Hours since the capture before.
    pub gap_hours: f64,
    /// The importance of the change; 0: unchanged.
    pub importance: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    parts: Parts,
    sums: [f64; PERIODS],
    changes: [u32; PERIODS],
    looks: [u32; PERIODS],
    gaps: Vec<f64>,
}

impl Default for Pattern {
    fn default() -> Self {
        Pattern {
            parts: Parts::default(),
            sums: [0.0; PERIODS],
            changes: [0; PERIODS],
            looks: [0; PERIODS],
            gaps: Vec::new(),
        }
    }
}

fn index((kind, hour): (DayKind, usize)) -> usize {
    kind as usize * 24 + hour
}

impl Pattern {
    pub(crate) fn of(looks: impl IntoIterator<Item = Look>) -> Pattern {
        let mut pattern = Pattern::default();
        for look in looks {
            let at = index(period(look.at));
            pattern.parts.look(&look);
            pattern.sums[at] += look.importance;
            pattern.changes[at] += u32::from(look.importance > 0.0);
            pattern.looks[at] += 1;
            pattern.gaps.push(look.gap_hours);
        }
        pattern
    }

    /// Adds another page, as if all captures were of one page.
    fn merge(&mut self, page: &Pattern) {
        self.parts.add(&page.parts);
        for at in 0..PERIODS {
            self.sums[at] += page.sums[at];
            self.changes[at] += page.changes[at];
            self.looks[at] += page.looks[at];
        }
        self.gaps.extend_from_slice(&page.gaps);
    }

    /// ω of a period; `None`: no capture then.
    pub(crate) fn mean(&self, kind: DayKind, hour: usize) -> Option<f64> {
        let at = index((kind, hour.min(23)));
        (self.looks[at] > 0).then(|| self.sums[at] / f64::from(self.looks[at]))
    }

    /// Share of captures in a period that showed a change; `None`: no capture then.
    pub(crate) fn changed(&self, kind: DayKind, hour: usize) -> Option<f64> {
        let at = index((kind, hour.min(23)));
        (self.looks[at] > 0).then(|| f64::from(self.changes[at]) / f64::from(self.looks[at]))
    }

    /// ω of the period of an instant, for urgency `ω(P)·ω_k·(t − t_last)`. For a period without captures: the mean over all
    /// captures; `None` if there are none at all.
    #[cfg(test)]
    pub(crate) fn expected(&self, at: Instant) -> Option<f64> {
        let (kind, hour) = period(at);
        self.mean(kind, hour).or_else(|| self.overall())
    }

    /// The mean importance over all captures.
    pub(crate) fn overall(&self) -> Option<f64> {
        let looks = self.looks();
        (looks > 0).then(|| self.sums.iter().sum::<f64>() / f64::from(looks))
    }

    /// Number of captures.
    pub(crate) fn looks(&self) -> u32 {
        self.looks.iter().sum()
    }

    /// The chance that changes without a time of their own look at least as uneven; `None`: too few captures to say.
    pub(crate) fn chance(&self) -> Option<f64> {
        self.parts.chance()
    }

    /// The pattern as reports show it, without a test of its evenness.
    pub(crate) fn summary(&self) -> PatternSummary {
        let strips = DayKind::ALL.map(|kind| Strip {
            kind,
            heat: self.strip(kind),
            looks: self.looks[kind as usize * 24..][..24].iter().sum(),
            means: (0..24).map(|hour| self.mean(kind, hour)).collect(),
            changed: (0..24).map(|hour| self.changed(kind, hour)).collect(),
        });
        let looks = self.looks();
        let mut gaps = self.gaps.clone();
        gaps.sort_by(f64::total_cmp);
        PatternSummary {
            looks,
            mean: self.overall(),
            changed: (looks > 0).then(|| f64::from(self.changes.iter().sum::<u32>()) / f64::from(looks)),
            periods_seen: self.looks.iter().filter(|&&looks| looks > 0).count() as u32,
            periods_trusted: self.looks.iter().filter(|&&looks| looks >= MIN_CAPTURES_PER_PERIOD).count()
                as u32,
            median_gap_hours: gaps.get(gaps.len() / 2).copied(),
            chance_even: None,
            chance_limit: None,
            utc_offset_minutes: 0,
            strips: strips.to_vec(),
        }
    }

    /// One character per hour: blank without captures, `·` for no change, then darker with the importance of changes,
    /// relative to the pattern's greatest period.
    pub(crate) fn strip(&self, kind: DayKind) -> String {
        const HEAT: [char; 5] = ['░', '▒', '▓', '█', '█'];
        let greatest = DayKind::ALL
            .into_iter()
            .flat_map(|kind| (0..24).filter_map(move |hour| self.mean(kind, hour)))
            .fold(0.0, f64::max);
        (0..24)
            .map(|hour| match self.mean(kind, hour) {
                None => ' ',
                Some(mean) if mean <= 0.0 || greatest <= 0.0 => '·',
                Some(mean) => HEAT[((mean / greatest * 4.0) as usize).min(4)],
            })
            .collect()
    }
}

/// A pattern as reports show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PatternSummary {
    /// Number of captures it rests on.
    pub looks: u32,
    /// The mean importance over all captures; null without captures.
    #[serde(default)]
    pub mean: Option<f64>,
    /// The share of captures that showed a change; null without captures.
    #[serde(default)]
    pub changed: Option<f64>,
    /// How many of the 72 periods have captures.
    pub periods_seen: u32,
    /// How many of them have enough to be reliable.
    pub periods_trusted: u32,
    /// The median time between captures: a change may have been counted this late.
    pub median_gap_hours: Option<f64>,
    /// The chance that changes without a time of their own look at least as uneven; null where captures are too few.
    #[serde(default)]
    pub chance_even: Option<f64>,
    /// What the chance must not exceed for a time of their own: the fewer, the more pages, or classes of pages, the site has.
    #[serde(default)]
    pub chance_limit: Option<f64>,
    /// The offset from UTC of the hours, in minutes.
    #[serde(default)]
    pub utc_offset_minutes: i32,
    /// One strip per kind of day.
    pub strips: Vec<Strip>,
}

impl PatternSummary {
    /// Whether it can distinguish periods: two or more have enough captures.
    pub fn is_trusted(&self) -> bool {
        self.periods_trusted >= 2
    }

    /// Whether changes come at certain times rather than at random.
    pub fn is_uneven(&self) -> bool {
        self.chance_even.is_some_and(|chance| chance <= self.chance_limit.unwrap_or(LEVEL))
    }

    /// A sentence on how reliable the pattern is.
    pub fn caution(&self) -> String {
        let PatternSummary { looks, periods_seen, periods_trusted, .. } = self;
        match looks {
            0 => "no captures: there is no pattern to show".to_owned(),
            _ if *periods_trusted < 24 => format!(
                "{} in {periods_seen} of 72 hours of the week; {periods_trusted} of them with {MIN_CAPTURES_PER_PERIOD} or more: take it as a hint",
                count(u64::from(*looks), "capture")
            ),
            _ => format!(
                "{looks} captures, {periods_trusted} of 72 hours of the week with {MIN_CAPTURES_PER_PERIOD} or more"
            ),
        }
    }
}

/// The strip of one kind of day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strip {
    pub kind: DayKind,
    /// One character per hour.
    pub heat: String,
    /// Number of captures on such days.
    pub looks: u32,
    /// ω per hour; `None` without captures.
    pub means: Vec<Option<f64>>,
    /// Share of captures per hour that showed a change; `None` without captures.
    #[serde(default)]
    pub changed: Vec<Option<f64>>,
}

/// How a page behaves, coarse enough that pages with few captures can be pooled: how often a capture shows a
/// change, how much a change matters, and when changes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Behaviour {
    /// 0: never seen to change; then by share of captures with a change: 1 up to a tenth, 2 to a third, 3 to two thirds, 4.
    pub often: u8,
    /// By mean importance of a change: 0 below 0.05, 1 below 0.2, 2 below 0.5, 3.
    pub much: u8,
    /// The part of the week in which it changes most; null where no time stands out.
    #[serde(default)]
    pub when: Option<When>,
}

/// The behaviour that some captures show, with a time if the page `is_uneven`; `None` without captures.
pub(crate) fn behaviour(looks: &[Look], is_uneven: bool) -> Option<Behaviour> {
    if looks.is_empty() {
        return None;
    }
    let changes: Vec<f64> =
        looks.iter().map(|look| look.importance).filter(|&importance| importance > 0.0).collect();
    let share = changes.len() as f64 / looks.len() as f64;
    let mean = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
    let often = match share {
        0.0 => 0,
        share if share <= 0.1 => 1,
        share if share <= 1.0 / 3.0 => 2,
        share if share <= 2.0 / 3.0 => 3,
        _ => 4,
    };
    let much = [0.05, 0.2, 0.5].iter().filter(|&&bound| mean >= bound).count() as u8;
    Some(Behaviour { often, much, when: if is_uneven { Parts::of(looks).when() } else { None } })
}

/// Classes of pages that behave alike, each with the pattern of all its pages.
#[derive(Debug, Default)]
pub(crate) struct Classes(std::collections::BTreeMap<Behaviour, (u32, Pattern)>);

impl Classes {
    /// Adds a page of this behaviour.
    pub(crate) fn add(&mut self, behaviour: Behaviour, looks: &[Look]) {
        let (pages, pattern) = self.0.entry(behaviour).or_default();
        *pages += 1;
        pattern.merge(&Pattern::of(looks.iter().copied()));
    }

    /// How many pages each class has, and their pattern.
    pub(crate) fn finish(self) -> impl Iterator<Item = (Behaviour, u32, Pattern)> {
        self.0.into_iter().map(|(behaviour, (pages, pattern))| (behaviour, pages, pattern))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    fn look(text: &str, importance: f64) -> Look {
        Look { at: at(text), gap_hours: 6.0, importance }
    }

    #[test]
    fn instants_fall_into_hours_and_kinds_of_day() {
        assert_eq!(period(at("2022-03-04T13:59:59Z")), (DayKind::Workday, 13));
        assert_eq!(period(at("2022-03-05T00:00:00Z")), (DayKind::Saturday, 0));
        assert_eq!(period(at("2022-03-06T23:00:00Z")), (DayKind::Sunday, 23));
        assert_eq!(
            period(Instant(-1)),
            (DayKind::Workday, 23),
            "the last second of Wednesday, 31 December 1969"
        );
        assert_eq!(hour_of_week(at("2022-03-07T00:59:59Z")), 0, "a Monday");
        assert_eq!(period_of_hour(6 * 24 + 5), (DayKind::Sunday, 5));
    }

    #[test]
    fn means_count_unchanged_looks_and_unseen_periods_are_unknown() {
        let pattern = Pattern::of([
            look("2022-03-03T13:10:00Z", 0.6),
            look("2022-03-04T13:50:00Z", 0.0),
            look("2022-03-05T13:00:00Z", 0.2),
        ]);
        assert_eq!(pattern.mean(DayKind::Workday, 13), Some(0.3));
        assert_eq!(pattern.mean(DayKind::Saturday, 13), Some(0.2));
        assert_eq!(pattern.mean(DayKind::Sunday, 13), None);
        assert_eq!(pattern.changed(DayKind::Workday, 13), Some(0.5));
        assert_eq!(pattern.summary().changed, Some(2.0 / 3.0));
        let expected = pattern.expected(at("2022-03-06T13:00:00Z")).unwrap();
        assert!((expected - 0.8 / 3.0).abs() < 1e-12);
        assert_eq!(Pattern::default().expected(Instant(0)), None);
    }

    #[test]
    fn strips_have_a_character_per_hour_and_the_summary_says_how_few_looks_there_are() {
        let pattern = Pattern::of([
            look("2022-03-03T01:00:00Z", 0.0),
            look("2022-03-03T02:00:00Z", 0.1),
            look("2022-03-03T03:00:00Z", 0.8),
        ]);
        assert_eq!(pattern.strip(DayKind::Workday), format!(" ·░█{}", " ".repeat(20)));
        assert_eq!(pattern.strip(DayKind::Sunday), " ".repeat(24));
        let summary = pattern.summary();
        assert_eq!((summary.looks, summary.periods_seen, summary.periods_trusted), (3, 3, 0));
        assert!(summary.caution().contains("3 captures in ") && !summary.is_trusted());
        assert_eq!(summary.median_gap_hours, Some(6.0));
        assert!(Pattern::default().summary().caution().contains("no captures"));
        let json = serde_json::to_string(&summary).unwrap();
        assert_eq!(serde_json::from_str::<PatternSummary>(&json).unwrap(), summary);
    }

    #[test]
    fn pages_that_behave_alike_share_a_pattern() {
        let quiet = vec![look("2022-03-03T01:00:00Z", 0.0); 5];
        let busy = vec![look("2022-03-03T02:00:00Z", 0.6); 5];
        let mut gathered = Classes::default();
        for looks in [quiet.clone(), busy.clone(), quiet, Vec::new()] {
            if let Some(behaviour) = behaviour(&looks, false) {
                gathered.add(behaviour, &looks);
            }
        }
        let classes: Vec<_> = gathered.finish().collect();
        assert_eq!(classes.len(), 2);
        assert_eq!((classes[0].0, classes[0].1), (Behaviour { often: 0, much: 0, when: None }, 2));
        assert_eq!((classes[1].0, classes[1].1), (Behaviour { often: 4, much: 3, when: None }, 1));
        assert_eq!(classes[0].2.looks(), 10);
        assert!((classes[1].2.mean(DayKind::Workday, 2).unwrap() - 0.6).abs() < 1e-12);
    }
}
