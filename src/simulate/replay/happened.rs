//! What a capture of a page, or a visit and a revisit, would have shown.
//!
//! A change at `h` is seen by captures at `h` and later, so a page changed between a visit `v` and a revisit `r` iff some
//! change has `v < h <= r`. A page exists from its birth until its death, `born <= t < died`; a death is a change (a
//! page that is gone answers "not found", another state). What is unknown stays unknown:
//!
//! ```text
//! Absent      the page does not exist at v: there is no capture to compare
//! Changed     a change or the death in (v, r]; or a span in (v, r] in which it changed at an unknown instant
//! Unknown     neither, and (v, r] meets unknown time; or it is unknown whether the page exists at v
//! Unchanged   all else
//! ```
//!
//! So counting `Changed` gives a lower bound of the changed pages, and `Unknown` besides an upper one. Assumes, of an
//! archive, that a page does not change and change back between two equal captures. Cost: O(log changes) for each
//! question.

use super::Replay;

/// What happened to a page between two instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happened {
    /// It is known to have stayed as it was.
    Unchanged,
    /// It is known to have changed, or to have gone.
    Changed,
    /// It did not exist at the first instant.
    Absent,
    /// Not known.
    Unknown,
}

/// How many versions a list of captures holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Captured {
    pub low: u32,
    pub high: u32,
}

impl Replay {
    /// Whether a page exists at an instant; `None` outside what is known of the site or the page.
    pub fn stands(&self, page: usize, at: f64) -> Option<bool> {
        let subject = &self.world.pages[page];
        if at < subject.born || at >= subject.died {
            return Some(false);
        }
        // Unknown time without a beginning or an end lies before the first or after the last capture.
        let unseen = subject.unknown.first().is_some_and(|span| span.0 == f64::NEG_INFINITY && at < span.1)
            || subject.unknown.last().is_some_and(|span| span.1 == f64::INFINITY && at > span.0);
        (self.world.from <= at && at <= self.world.to && !unseen).then_some(true)
    }

    /// What happened to a page between a visit and a revisit.
    pub fn between(&self, page: usize, visit: f64, revisit: f64) -> Happened {
        let subject = &self.world.pages[page];
        match self.stands(page, visit) {
            Some(false) => return Happened::Absent,
            None => return Happened::Unknown,
            Some(true) if revisit <= visit => return Happened::Unchanged,
            Some(true) => {}
        }
        let after = subject.changes.partition_point(|change| *change <= visit);
        let changed = subject.changes.get(after).is_some_and(|change| *change <= revisit);
        let seen = &self.seen[page];
        let later = &seen[seen.partition_point(|span| span.0 < visit)..];
        if subject.died <= revisit
            || changed
            || later.iter().take_while(|span| span.0 < revisit).any(|span| span.1 <= revisit)
        {
            return Happened::Changed;
        }
        let behind = subject.unknown.partition_point(|span| span.1 <= visit);
        let unknown = subject.unknown.get(behind).is_some_and(|span| span.0 < revisit);
        if unknown || revisit > self.world.to {
            return Happened::Unknown;
        }
        Happened::Unchanged
    }

    /// How many versions of a page are captured at the given instants, which ascend. Where it does not exist nothing is
    /// captured.
    pub fn captured(&self, page: usize, instants: &[f64]) -> Captured {
        let mut captured = Captured::default();
        let mut before: Option<f64> = None;
        for &at in instants {
            match self.stands(page, at) {
                Some(false) => continue,
                None => captured.high += 1,
                Some(true) => match before.map(|before| self.between(page, before, at)) {
                    Some(Happened::Unchanged) => {}
                    Some(Happened::Unknown) => captured.high += 1,
                    Some(Happened::Changed | Happened::Absent) | None => {
                        captured.low += 1;
                        captured.high += 1;
                    }
                },
            }
            before = Some(at).filter(|_| self.stands(page, at).is_some()).or(before);
        }
        captured
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulate::world::{Subject, World};

    fn replay(
        born: f64,
        died: f64,
        changes: Vec<f64>,
        unknown: Vec<(f64, f64)>,
        seen: Vec<(f64, f64)>,
    ) -> Replay {
        let page = Subject { url: "/".into(), weight: 1.0, born, died, changes, unknown };
        let world = World { name: "w".into(), from: 0.0, to: 100.0, pages: vec![page], links: vec![vec![]] };
        Replay { world, seen: vec![seen] }
    }

    #[test]
    fn a_log_says_what_happened_between_visit_and_revisit() {
        let page = replay(10.0, 50.0, vec![20.0, 30.0], vec![], vec![]);
        for (visit, revisit, happened) in [
            (5.0, 60.0, Happened::Absent),
            (10.0, 19.0, Happened::Unchanged),
            (10.0, 20.0, Happened::Changed),
            (20.0, 29.0, Happened::Unchanged),
            (30.0, 30.0, Happened::Unchanged),
            (31.0, 49.0, Happened::Unchanged),
            (31.0, 50.0, Happened::Changed),
            (50.0, 60.0, Happened::Absent),
        ] {
            assert_eq!(page.between(0, visit, revisit), happened, "{visit} {revisit}");
        }
        assert_eq!(page.captured(0, &[5.0, 12.0, 15.0, 25.0, 40.0, 70.0]), Captured { low: 3, high: 3 });
    }

    #[test]
    fn what_lies_outside_of_the_log_is_unknown() {
        let page = replay(f64::NEG_INFINITY, f64::INFINITY, vec![20.0], vec![], vec![]);
        assert_eq!(page.stands(0, -5.0), None);
        assert_eq!(page.between(0, -5.0, 10.0), Happened::Unknown);
        assert_eq!(page.between(0, -5.0, 20.0), Happened::Unknown);
        assert_eq!(page.between(0, 5.0, 120.0), Happened::Changed);
        assert_eq!(page.between(0, 90.0, 101.0), Happened::Unknown);
        assert_eq!(page.between(0, 101.0, 101.0), Happened::Unknown);
        assert_eq!(page.captured(0, &[10.0, 101.0]), Captured { low: 1, high: 2 });
    }

    #[test]
    fn a_change_at_an_unknown_instant_is_certain_for_those_who_span_it() {
        let page = replay(
            f64::NEG_INFINITY,
            f64::INFINITY,
            vec![],
            vec![(f64::NEG_INFINITY, 10.0), (30.0, 40.0), (60.0, f64::INFINITY)],
            vec![(30.0, 40.0)],
        );
        for (visit, revisit, happened) in [
            (10.0, 30.0, Happened::Unchanged),
            (40.0, 60.0, Happened::Unchanged),
            (30.0, 40.0, Happened::Changed),
            (20.0, 50.0, Happened::Changed),
            (20.0, 35.0, Happened::Unknown),
            (31.0, 50.0, Happened::Unknown),
            (5.0, 15.0, Happened::Unknown),
            (50.0, 61.0, Happened::Unknown),
            (35.0, 35.0, Happened::Unchanged),
        ] {
            assert_eq!(page.between(0, visit, revisit), happened, "{visit} {revisit}");
        }
        assert_eq!(page.captured(0, &[20.0, 35.0, 45.0]), Captured { low: 1, high: 3 });
        assert_eq!(page.captured(0, &[20.0, 45.0]), Captured { low: 2, high: 2 });
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_counting(
            mut changes in prop::collection::vec(0u32..100, 0..10), one in 0u32..=100, other in 0u32..=100,
        ) {
            changes.sort_unstable();
            changes.dedup();
            let (visit, revisit) = (one.min(other), one.max(other));
            let changed = changes.iter().any(|change| visit < *change && *change <= revisit);
            let page = replay(
                f64::NEG_INFINITY, f64::INFINITY, changes.into_iter().map(f64::from).collect(), vec![], vec![],
            );
            let happened = page.between(0, f64::from(visit), f64::from(revisit));
            prop_assert_eq!(happened, if changed { Happened::Changed } else { Happened::Unchanged });
        }
    }
}
