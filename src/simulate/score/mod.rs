//! What a crawl is judged by, page after page: expected from the law of its changes, and realised on a history.
//!
//! | score | per page | site | better |
//! |---|---|---|---|
//! | `blur` | actual blur of the visit alone | weighted mean | less |
//! | `blur-revisits` | actual blur of visit and revisit | weighted mean | less |
//! | `incoherence` | 1 if it changed between its first and last capture | weighted sum | less |
//! | `pages` | 1 if it did not: SOLAR's `##pages` | sum | more |
//! | `measurable` | 1 if it changed between the start and its visit | weighted sum | less |
//! | `completeness` | importance of the versions captured / of all that came to be | weighted mean | more |
//! | `query` | of the versions served for a date, the most that were online together | see [`query`] | more |
//!
//! Source: Denev et al., *The SHARC framework*, VLDB Journal, eq. 23 and 24 and Def. 2; Mazeika et al., *SOLAR*, §6; Spaniol et al.,
//! *Data Quality in Web Archiving*, WICOW 2009, Def. 3.4; Ben Saad, Gançarski, DEXA 2011, Def. 5.12 and 5.22.
//!
//! DIFFERENCE: `##pages` is, in the paper, the most pages known to be online together at some instant. All captures here are visits before one
//! middle and revisits after it, so every sharp page was online at the middle and their number is that maximum.
//!
//! DIFFERENCE: a page that did not change has nothing to miss and counts as complete. To leave it out, as an audit does, would make
//! the site's completeness a ratio of two random sums, whose expectation has no closed form.

pub(crate) mod completeness;
pub(crate) mod query;

use serde::{Deserialize, Serialize};

use super::process::Process;
use crate::quality::blur_actual;

/// What a crawl is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// Mean number of changes between what is served and what was online, pages visited once.
    Blur,
    /// The same, pages visited twice.
    BlurRevisits,
    /// Weight of the pages that changed between visit and revisit.
    Incoherence,
    /// Number of the pages that did not.
    Pages,
    /// Weight of the pages that changed between the start of the crawl and their visit.
    Measurable,
    /// Share of what came to be that was captured.
    Completeness,
    /// Share of what is served for a date that was online together.
    Query,
}

impl Score {
    /// In the order of tables.
    pub const ALL: [Score; 7] = [
        Score::Incoherence,
        Score::Pages,
        Score::Blur,
        Score::BlurRevisits,
        Score::Measurable,
        Score::Completeness,
        Score::Query,
    ];

    /// Those of a crawl of days, which has no visit and no revisit.
    pub const OF_DAYS: [Score; 3] = [Score::BlurRevisits, Score::Completeness, Score::Query];

    /// Its name in tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Score::Blur => "blur",
            Score::BlurRevisits => "blur-revisits",
            Score::Incoherence => "incoherence",
            Score::Pages => "pages",
            Score::Measurable => "measurable",
            Score::Completeness => "completeness",
            Score::Query => "query",
        }
    }

    /// The score of that name.
    pub fn of(name: &str) -> Option<Self> {
        Score::ALL.into_iter().find(|score| score.name() == name)
    }

    /// Whether it judges the visits alone.
    pub fn is_single(self) -> bool {
        matches!(self, Score::Blur | Score::Measurable)
    }

    /// Whether a larger score is the better one.
    pub fn more_is_better(self) -> bool {
        matches!(self, Score::Pages | Score::Completeness | Score::Query)
    }

    /// By what the contribution of a page of this weight is multiplied.
    pub fn factor(self, weight: f64, total: f64) -> f64 {
        match self {
            Score::Pages => 1.0,
            Score::Incoherence | Score::Measurable => weight,
            _ if total > 0.0 => weight / total,
            _ => 0.0,
        }
    }

    /// What the page adds on the average; `None` where there is no closed form.
    pub fn expected(self, process: &Process, view: View) -> Option<Moments> {
        let chance = |mean: f64| Moments { mean, variance: Some(mean * (1.0 - mean)) };
        let View { captures, from, to } = view;
        let (first, last) = (*captures.first()?, *captures.last()?);
        match self {
            Score::Blur | Score::BlurRevisits => Some(blur(process, view)),
            Score::Incoherence => Some(chance(1.0 - process.survival(first, last))),
            Score::Pages => Some(chance(process.survival(first, last))),
            Score::Measurable => Some(chance(1.0 - process.survival(from, first))),
            Score::Completeness => {
                let mean = completeness::expected(process, captures, from, to)?;
                Some(Moments { mean, variance: None })
            }
            Score::Query => None,
        }
    }

    /// What the page adds, its changes being known: ascending, all in the window. A page's part of `query` depends on the others
    /// and is not given here.
    pub fn realised(self, process: &Process, view: View, changes: &[f64]) -> f64 {
        let View { captures, from, to } = view;
        let (Some(&first), Some(&last)) = (captures.first(), captures.last()) else { return 0.0 };
        let changed = |from: f64, to: f64| {
            let behind = changes.partition_point(|change| *change <= from);
            changes.get(behind).is_some_and(|change| *change <= to)
        };
        let flag = |value: bool| f64::from(u8::from(value));
        match self {
            Score::Blur | Score::BlurRevisits => {
                // The window may end before the history does.
                let inside = &changes[..changes.partition_point(|change| *change <= to)];
                blur_actual::exact(captures, inside, from, to).unwrap_or(0.0)
            }
            Score::Incoherence => flag(changed(first, last)),
            Score::Pages => flag(!changed(first, last)),
            Score::Measurable => flag(changed(from, first)),
            Score::Completeness => {
                let inside = &changes[..changes.partition_point(|change| *change <= to)];
                completeness::realised(process, captures, inside)
            }
            Score::Query => 0.0,
        }
    }
}

/// The captures of a page, ascending, and the window of observation around them.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// When it was captured, once or more.
    pub captures: &'a [f64],
    /// Where the window begins.
    pub from: f64,
    /// Where the window ends.
    pub to: f64,
}

/// Mean and variance of what a page adds to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    /// The variance; `None` where there is no closed form.
    pub variance: Option<f64>,
}

/// The blur: every change costs its distance to an end of the window, or to the midpoint of the captures around it.
fn blur(process: &Process, view: View) -> Moments {
    let View { captures, from, to } = view;
    if to <= from {
        return Moments { mean: 0.0, variance: Some(0.0) };
    }
    let (first, last) = (captures[0], captures[captures.len() - 1]);
    let (mut mean, mut variance) = process.distances(from, from, first);
    let inner = captures.windows(2).map(|pair| ((pair[0] + pair[1]) / 2.0, pair[0], pair[1]));
    for (point, from, to) in inner.chain([(to, last, to)]) {
        let (first, second) = process.distances(point, from, to);
        mean += first;
        variance += second;
    }
    let length = to - from;
    Moments { mean: mean / length, variance: Some(variance / (length * length)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_has_a_name_of_its_own() {
        for score in Score::ALL {
            assert_eq!(Score::of(score.name()), Some(score));
            assert_eq!(serde_json::to_value(score).unwrap(), score.name());
        }
        assert_eq!(Score::of("speed"), None);
    }

    #[test]
    fn a_change_at_a_capture_is_seen_by_it() {
        let process = Process::Poisson { rate: 1.0 };
        let view = View { captures: &[2.0, 4.0], from: 0.0, to: 6.0 };
        let incoherent = |changes: &[f64]| Score::Incoherence.realised(&process, view, changes);
        assert_eq!([&[2.0][..], &[4.0], &[2.5, 3.0], &[4.5], &[]].map(incoherent), [0.0, 1.0, 1.0, 0.0, 0.0]);
        assert_eq!(Score::Measurable.realised(&process, view, &[2.0]), 1.0);
        assert_eq!(Score::Measurable.realised(&process, view, &[2.5]), 0.0);
    }

    #[test]
    fn the_blur_of_a_window_does_not_see_what_happens_behind_it() {
        let process = Process::Poisson { rate: 1.0 };
        let view = View { captures: &[2.0], from: 0.0, to: 4.0 };
        assert_eq!(Score::Blur.realised(&process, view, &[1.0, 3.5, 9.0]), (1.0 + 0.5) / 4.0);
    }
}
