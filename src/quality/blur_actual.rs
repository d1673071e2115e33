//! Actual blur of one page: how many changes a reader misses, from what is known of the changes themselves.
//!
//! With the change times `h` known, every change costs its distance to the end of the window where it lies outside of the
//! captures, and its distance to the midpoint of the two captures around it where it lies between them:
//!
//! ```text
//! B = 1/(o_e - o_s) * ( sum_{h <= t_1} (h - o_s) + sum_{t_k < h <= t_(k+1)} |h - (t_k + t_(k+1))/2| + sum_{h > t_m} (o_e - h) )
//! ```
//!
//! An archive knows less. Between two captures that differ, `g` apart, at least one change happened:
//!
//! | part | low | expected | high |
//! |---|---|---|---|
//! | proven unchanged | 0 | 0 | 0 |
//! | gap with a change | 0 (midway) | `g/4 * x/(1-e^-x)`, `x = lambda g` (at least one, each uniform) | `g/2`, if there was just one |
//! | gap whose last change is known (`mu`) | `|mu - m|` | that, and `lambda` times the cost of the time before `mu` | `|mu - m|`, if just one |
//! | gap that could not be judged | 0 | `lambda g^2 / 4` | `g/2`, if there was at most one |
//! | unseen end of length `d` | 0 | `lambda d^2 / 2` | `d`, if there was at most one |
//!
//! all divided by `o_e - o_s`. With more changes than one in a gap there is no finite high; where more are expected than
//! that bound allows, high is not given.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! eq. 23 and 24. DIFFERENCE: any number of captures, and the bounds from captures alone. Cost: O(captures + changes).

use super::spread::{Hidden, RateSpread, Spread};
use crate::change::poisson::changes_given_one;

/// What is known of the time between two captures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Between {
    /// Nothing changed.
    Same,
    /// Something changed.
    Changed,
    /// Something changed, last at this time.
    ChangedAt(f64),
    /// Not decided.
    Unknown,
}

/// Low, expected and high actual blur of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ActualBlur {
    /// What is certain.
    pub low: f64,
    pub expected: f64,
    /// What is possible with at most one change in every gap and end; `None` where more are expected.
    pub high: Option<f64>,
    /// The part of `expected` that rests on the rate alone: before the first and after the last capture.
    pub unseen: f64,
}

/// Exact blur from sorted capture times and sorted change times, all in `[from, to]`; `None` without captures. Changes
/// outside the window cost nothing.
pub(crate) fn exact(captures: &[f64], changes: &[f64], from: f64, to: f64) -> Option<f64> {
    let (first, last) = (*captures.first()?, *captures.last()?);
    let mut behind = 0;
    let cost = |change: f64| {
        while behind < captures.len() && captures[behind] < change {
            behind += 1;
        }
        match () {
            () if change <= first => change - from,
            () if change > last => to - change,
            () => (change - (captures[behind - 1] + captures[behind]) / 2.0).abs(),
        }
    };
    let inside = changes.iter().copied().filter(|change| from <= *change && *change <= to);
    let sum: f64 = inside.map(cost).sum();
    Some(if to > from { sum / (to - from) } else { 0.0 })
}

/// Bounds from captures: sorted capture times in `[from, to]`, what is known between each two, the accepted Last-Modified of the
/// first capture, and the rate. `None` without captures.
pub(crate) fn bounds(
    captures: &[f64],
    between: &[Between],
    first_modified: Option<f64>,
    rate: f64,
    from: f64,
    to: f64,
) -> Option<ActualBlur> {
    let (first, last) = (*captures.first()?, *captures.last()?);
    let mut sums = ActualBlur { high: Some(0.0), ..ActualBlur::default() };
    let mut high = 0.0;
    let head = match first_modified {
        Some(modified) if modified <= from => 0.0,
        Some(modified) if modified < first => (modified - from) + rate * (modified - from).powi(2) / 2.0,
        _ => rate * (first - from).powi(2) / 2.0,
    };
    sums.unseen = head + rate * (to - last).powi(2) / 2.0;
    sums.expected = sums.unseen;
    high += (first - from) + (to - last);
    for (pair, known) in captures.windows(2).zip(between) {
        let (gap, middle) = (pair[1] - pair[0], (pair[0] + pair[1]) / 2.0);
        match known {
            Between::Same => {}
            Between::Changed => {
                sums.expected += gap / 4.0 * changes_given_one(rate, gap);
                high += gap / 2.0;
            }
            Between::ChangedAt(modified) => {
                let modified = modified.clamp(pair[0], pair[1]);
                let cost = (modified - middle).abs();
                sums.low += cost;
                sums.expected += cost + rate * distance_to(middle, pair[0], modified);
                high += cost;
            }
            Between::Unknown => {
                sums.expected += rate * gap * gap / 4.0;
                high += gap / 2.0;
            }
        }
    }
    let length = to - from;
    if length <= 0.0 {
        return Some(ActualBlur { high: Some(0.0), ..ActualBlur::default() });
    }
    Some(ActualBlur {
        low: sums.low / length,
        expected: sums.expected / length,
        high: (sums.expected <= high).then_some(high / length),
        unseen: sums.unseen / length,
    })
}

/// What is known of the blur of a page, for the 95% interval of a mean over pages: as [`bounds`], but with what is not
/// known of the rate and of chance. `None` without captures.
pub(crate) fn spread(
    captures: &[f64],
    between: &[Between],
    first_modified: Option<f64>,
    rate: RateSpread,
    from: f64,
    to: f64,
) -> Option<Spread> {
    let (first, last) = (*captures.first()?, *captures.last()?);
    if to <= from {
        return Some(Spread::known(0.0));
    }
    // At an end every change costs its distance to the end of the window.
    let end = |length: f64| Hidden::Any { length, cost: length * length / 2.0, square: length.powi(3) / 3.0 };
    let mut certain = 0.0;
    let mut open = vec![end(to - last)];
    match first_modified {
        Some(modified) if modified <= from => {}
        Some(modified) if modified < first => {
            certain += modified - from;
            open.push(end(modified - from));
        }
        _ => open.push(end(first - from)),
    }
    for (pair, known) in captures.windows(2).zip(between) {
        let (length, middle) = (pair[1] - pair[0], (pair[0] + pair[1]) / 2.0);
        match known {
            Between::Same => {}
            Between::Changed => {
                open.push(Hidden::Some { length, cost: length / 4.0, square: length * length / 12.0 });
            }
            Between::ChangedAt(modified) => {
                let modified = modified.clamp(pair[0], pair[1]);
                certain += (modified - middle).abs();
                open.push(Hidden::Any {
                    length: modified - pair[0],
                    cost: distance_to(middle, pair[0], modified),
                    square: ((modified - middle).powi(3) - (pair[0] - middle).powi(3)) / 3.0,
                });
            }
            Between::Unknown => {
                let (cost, square) = (length * length / 4.0, length.powi(3) / 12.0);
                open.push(Hidden::Any { length, cost, square });
            }
        }
    }
    Some(Spread::of(certain, &open, rate).times(1.0 / (to - from)))
}

/// The integral of the distance to `middle` over `[from, to]`.
fn distance_to(middle: f64, from: f64, to: f64) -> f64 {
    let below = |at: f64| (at - middle) * (at - middle).abs() / 2.0;
    below(to) - below(from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_capture_costs_distances_to_the_ends_of_the_window() {
        // Eq. 23: changes at 1 and 2 before the capture at 4, one at 9 after it, window [0, 10].
        assert_eq!(exact(&[4.0], &[1.0, 2.0, 9.0], 0.0, 10.0), Some((1.0 + 2.0 + 1.0) / 10.0));
    }

    #[test]
    fn two_captures_cost_distances_to_the_midpoint_between_them() {
        // Eq. 24: visit at 2, revisit at 8, midpoint 5.
        let blur = exact(&[2.0, 8.0], &[1.0, 4.0, 7.0, 9.5], 0.0, 10.0).unwrap();
        assert!((blur - (1.0 + 1.0 + 2.0 + 0.5) / 10.0).abs() < 1e-12);
    }

    #[test]
    fn a_page_seen_to_stand_still_has_blur_only_at_the_unseen_ends() {
        let blur = bounds(&[2.0, 8.0], &[Between::Same], None, 0.1, 0.0, 10.0).unwrap();
        assert_eq!(blur.low, 0.0);
        assert!((blur.expected - 0.1 * (2.0 + 2.0) / 10.0).abs() < 1e-12);
        assert_eq!(blur.expected, blur.unseen);
        assert_eq!(blur.high, Some(0.4));
    }

    #[test]
    fn a_known_last_change_is_certain() {
        let blur = bounds(&[0.0, 10.0], &[Between::ChangedAt(9.0)], None, 1e-9, 0.0, 10.0).unwrap();
        assert!((blur.low - 0.4).abs() < 1e-12 && (blur.expected - 0.4).abs() < 1e-6);
    }

    #[test]
    fn the_mean_of_the_spread_is_the_expected_blur_where_the_rate_is_known() {
        let rate = RateSpread { mean: 0.2, variance: 0.0, shared: 0.0 };
        let captures = [1.0, 4.0, 6.0, 9.0, 12.0];
        let between = [Between::Changed, Between::Same, Between::ChangedAt(8.0), Between::Unknown];
        for modified in [None, Some(-3.0), Some(0.5)] {
            let expected = bounds(&captures, &between, modified, 0.2, 0.0, 14.0).unwrap().expected;
            let found = spread(&captures, &between, modified, rate, 0.0, 14.0).unwrap();
            assert!((found.least + found.mean - expected).abs() < 1e-6, "{found:?} {expected}");
            let (low, high) = found.interval();
            assert!(low < expected && expected < high);
        }
    }

    #[test]
    fn many_expected_changes_leave_high_open() {
        let blur = bounds(&[0.0, 10.0], &[Between::Changed], None, 5.0, 0.0, 10.0).unwrap();
        assert_eq!(blur.high, None);
        assert!((blur.expected - 10.0 / 4.0 * 50.0 / 10.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn exact_blur_equals_numerical_integration(
            mut captures in prop::collection::vec(0.0f64..100.0, 1..6),
            mut changes in prop::collection::vec(0.0f64..100.0, 0..12),
        ) {
            captures.sort_by(f64::total_cmp);
            changes.sort_by(f64::total_cmp);
            let steps = 50_000;
            let mut missed = 0usize;
            for step in 0..steps {
                let at = 100.0 * (f64::from(step) + 0.5) / f64::from(steps);
                let nearest = captures.iter().copied().min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs())).unwrap();
                let (low, high) = (nearest.min(at), nearest.max(at));
                missed += changes.iter().filter(|change| low < **change && **change <= high).count();
            }
            let numeric = missed as f64 / f64::from(steps);
            let closed = exact(&captures, &changes, 0.0, 100.0).unwrap();
            prop_assert!((closed - numeric).abs() < 1e-3 * (1.0 + changes.len() as f64), "{closed} {numeric}");
        }

        /// Over all places of one change in the gap, exact blur stays between low and high, and its mean is the expected one
        /// for small rates.
        #[test]
        fn bounds_hold_the_exact_value(gap in 1.0f64..50.0, start in 0.0f64..40.0) {
            let captures = [start, start + gap];
            let blur = bounds(&captures, &[Between::Changed], None, 1e-12, 0.0, 100.0).unwrap();
            let steps = 1000;
            let mut mean = 0.0;
            for step in 0..steps {
                let change = start + gap * (f64::from(step) + 0.5) / f64::from(steps);
                let exact = exact(&captures, &[change], 0.0, 100.0).unwrap();
                prop_assert!(blur.low <= exact && exact <= blur.high.unwrap());
                mean += exact / f64::from(steps);
            }
            prop_assert!((mean - blur.expected).abs() < 1e-3);
        }
    }
}
