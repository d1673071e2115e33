//! Coverage: how many pages, and which weight of them, are known to have been online at each instant.
//!
//! ```text
//! C(t) = sum of w_i over pages i with an interval that contains t
//! ```
//!
//! One pass over the sorted ends of the m intervals, O(m log m). C is constant between ends; its maximum by number is the
//! `##pages` of SOLAR (Mazeika, Denev, Spaniol, Weikum: The SOLAR System for Sharp Web Archiving, section 3); the instants
//! where it reaches all pages are those where the capture is coherent as a whole (Spaniol et al.: Data Quality in Web
//! Archiving, Def. 3.1). The intervals of one page must be disjoint. DIFFERENCE: the papers ask for one such instant; here
//! *all* best and all full intervals are given, by number and by weight.

use crate::quality::alike::Alike;
use crate::quality::span::Span;

/// The coverage from one position on, until the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The first position.
    pub low: i64,
    pub pages: u32,
    /// The units of their weights.
    pub weight: u64,
}

/// The coverage over all time: before its first step nothing is covered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    steps: Vec<Step>,
}

/// A level of coverage and where it is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Level {
    pub pages: u32,
    /// The units of their weights, there (the greatest where it varies).
    pub weight: u64,
    /// All maximal stretches of time where the level is reached, in time order.
    pub spans: Vec<Span>,
}

impl Coverage {
    /// Sweeps over intervals with the units of their pages.
    pub(crate) fn of<T: Into<Alike>>(spans: impl IntoIterator<Item = T>) -> Self {
        let mut ends: Vec<(i64, i64, i64)> = Vec::new();
        for Alike { span, units, pages } in spans.into_iter().map(Into::into) {
            let (pages, weight) = (i64::from(pages), units as i64 * i64::from(pages));
            ends.push((span.low, pages, weight));
            ends.push((span.high.saturating_add(1), -pages, -weight));
        }
        ends.sort_unstable_by_key(|end| end.0);
        let mut steps: Vec<Step> = Vec::new();
        let (mut pages, mut weight) = (0i64, 0i64);
        for at_once in ends.chunk_by(|one, next| one.0 == next.0) {
            for (_, more, units) in at_once {
                (pages, weight) = (pages + more, weight + units);
            }
            let step = Step { low: at_once[0].0, pages: pages as u32, weight: weight as u64 };
            let is_new = |before: &Step| (before.pages, before.weight) != (step.pages, step.weight);
            if steps.last().is_none_or(is_new) {
                steps.push(step);
            }
        }
        Coverage { steps }
    }

    /// The steps in time order.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The coverage at a position.
    #[cfg(test)]
    pub(crate) fn at(&self, position: i64) -> (u32, u64) {
        match self.steps.partition_point(|step| step.low <= position) {
            0 => (0, 0),
            behind => (self.steps[behind - 1].pages, self.steps[behind - 1].weight),
        }
    }

    /// Where most pages are covered.
    pub(crate) fn best_by_number(&self) -> Level {
        let most = self.steps.iter().map(|step| step.pages).max().unwrap_or(0);
        self.level(|step| most > 0 && step.pages == most)
    }

    /// Where the greatest weight is covered.
    pub(crate) fn best_by_weight(&self) -> Level {
        let most = self.steps.iter().map(|step| step.weight).max().unwrap_or(0);
        self.level(|step| most > 0 && step.weight == most)
    }

    /// Where all of `pages` pages are covered.
    pub(crate) fn full(&self, pages: usize) -> Level {
        self.level(|step| pages > 0 && step.pages as usize == pages)
    }

    fn level(&self, reached: impl Fn(&Step) -> bool) -> Level {
        let mut level = Level::default();
        for (place, step) in self.steps.iter().enumerate().filter(|(_, step)| reached(step)) {
            level.pages = level.pages.max(step.pages);
            level.weight = level.weight.max(step.weight);
            let high = self.steps.get(place + 1).map_or(i64::MAX, |next| next.low).saturating_sub(1);
            match level.spans.last_mut() {
                Some(span) if span.high.saturating_add(1) == step.low => span.high = high,
                _ => level.spans.push(Span { low: step.low, high }),
            }
        }
        level
    }
}

/// Where most pages are covered, from ends that come in the order of time: nothing is held but the best so far.
#[derive(Debug, Default)]
pub(crate) struct Most {
    at: Option<i64>,
    pages: i64,
    /// How many were covered before the ends at this position.
    before: i64,
    best: Level,
    /// Whether the last of the best stretches has not ended yet.
    is_open: bool,
}

impl Most {
    /// At a position, the number of intervals that begin there minus the number that have just ended.
    pub(crate) fn add(&mut self, position: i64, more: i64) {
        if self.at.is_some_and(|at| at != position) {
            self.settle();
        }
        self.at = Some(position);
        self.pages += more;
    }

    fn settle(&mut self) {
        let Some(low) = self.at.filter(|_| self.pages != self.before) else { return };
        self.before = self.pages;
        if let Some(span) = self.best.spans.last_mut().filter(|_| self.is_open) {
            span.high = low.saturating_sub(1);
        }
        let pages = self.pages as u32;
        if pages > self.best.pages {
            self.best = Level { pages, weight: u64::from(pages), spans: Vec::new() };
        }
        self.is_open = pages > 0 && pages == self.best.pages;
        if self.is_open {
            self.best.spans.push(Span { low, high: i64::MAX - 1 });
        }
    }

    /// The level and all maximal stretches where it is reached; the weight of each page is one unit.
    pub(crate) fn finish(mut self) -> Level {
        self.settle();
        self.best
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::change::run::Outer;
    use crate::time::{Instant, Interval};

    fn closed(from: i64, to: i64) -> Span {
        Span::closed(Interval { from: Instant(from), to: Instant(to) })
    }

    #[test]
    fn figure_2_of_data_quality_in_web_archiving() {
        // Four pages, downloads at t1..t4. Left: p2 changes at t3, p3 at t2: coherent from t2 to t3.
        let left =
            Coverage::of([closed(1, 4), closed(1, 3), closed(2, 4), closed(1, 4)].map(|span| (span, 1)));
        assert_eq!(left.full(4).spans, [closed(2, 3)]);
        // Right: p1 and p3 change at t2; p1 was captured before, p3 after it: no instant is coherent.
        let before = Span::open(Outer { after: None, before: Some(Instant(2)) });
        let right =
            Coverage::of([before.unwrap(), closed(1, 4), closed(2, 4), closed(1, 4)].map(|span| (span, 1)));
        assert!(right.full(4).spans.is_empty());
        assert_eq!(right.best_by_number().pages, 3);
    }

    #[test]
    fn all_best_intervals_are_given_and_number_and_weight_may_disagree() {
        let spans = [
            (closed(0, 10), 1),
            (closed(5, 10), 1),
            (closed(20, 30), 5),
            (closed(40, 41), 1),
            (closed(41, 50), 1),
        ];
        let coverage = Coverage::of(spans);
        let number = coverage.best_by_number();
        assert_eq!((number.pages, number.spans), (2, vec![closed(5, 10), closed(41, 41)]));
        assert_eq!(coverage.best_by_weight().spans, [closed(20, 30)]);
        assert_eq!(Coverage::of::<(Span, u64)>([]).best_by_number(), Level::default());
    }

    prop_compose! {
        fn spans()(ends in prop::collection::vec((0i64..30, 0i64..12, any::<bool>(), 1u64..9), 0..14)) -> Vec<(Span, u64)> {
            ends.into_iter().filter_map(|(from, length, open, weight)| {
                let (from, to) = (Instant(from), Instant(from + length));
                let span = if open {
                    Span::open(Outer { after: Some(from), before: Some(to) })
                } else {
                    Some(Span::closed(Interval { from, to }))
                };
                span.map(|span| (span, weight))
            }).collect()
        }
    }

    proptest! {
        #[test]
        fn the_sweep_equals_counting_at_every_position(spans in spans()) {
            let coverage = Coverage::of(spans.iter().copied());
            let count = |position: i64| spans.iter().filter(move |(span, _)| span.low <= position && position <= span.high);
            for position in -3..100 {
                let weight: u64 = count(position).map(|(_, weight)| weight).sum();
                prop_assert_eq!(coverage.at(position), (count(position).count() as u32, weight));
            }
            let best = coverage.best_by_number();
            for position in -3..100 {
                let inside = best.spans.iter().any(|span| span.low <= position && position <= span.high);
                prop_assert_eq!(inside, best.pages > 0 && count(position).count() as u32 == best.pages);
            }
        }

        #[test]
        fn the_most_pages_are_the_same_when_ends_come_one_by_one(spans in spans()) {
            let alike = || spans.iter().map(|(span, _)| *span);
            let mut ends: Vec<(i64, i64)> = alike().flat_map(|span| [(span.low, 1), (span.high + 1, -1)]).collect();
            ends.sort_by_key(|end| end.0);
            let mut most = Most::default();
            ends.into_iter().for_each(|(position, more)| most.add(position, more));
            prop_assert_eq!(most.finish(), Coverage::of(alike().map(|span| (span, 1))).best_by_number());
        }

        /// Helly: the most intervals over one point are the largest set of pairwise intersecting ones.
        #[test]
        fn the_best_point_is_the_largest_set_of_pairwise_intersecting_intervals(spans in spans()) {
            prop_assume!(spans.len() <= 10);
            let meet = |a: Span, b: Span| a.low.max(b.low) <= a.high.min(b.high);
            let largest = (0u32..1 << spans.len())
                .filter(|set| {
                    let chosen = || (0..spans.len()).filter(|place| set >> place & 1 == 1);
                    chosen().all(|a| chosen().all(|b| meet(spans[a].0, spans[b].0)))
                })
                .map(u32::count_ones)
                .max();
            prop_assert_eq!(Some(Coverage::of(spans.iter().copied()).best_by_number().pages), largest);
        }
    }
}
