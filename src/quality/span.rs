//! Intervals of time with open, closed or missing ends, as pairs of whole numbers.
//!
//! Time is counted in whole microseconds. Position `2x` stands for the instant `x` and `2x + 1` for the stretch between `x`
//! and `x + 1`, on which nothing ever begins or ends. Every interval, whatever its ends, is then a closed range of
//! positions, and the order in which a sweep must meet ends at one coordinate comes by itself: open-right ends (2x - 1),
//! closed-left starts (2x), the point, closed-right ends (2x), open-left starts (2x + 1), the stretch.

use crate::change::run::Outer;
use crate::time::{Instant, Interval};

/// A non-empty interval as a closed range of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Span {
    /// The first position.
    pub low: i64,
    /// The last position.
    pub high: i64,
}

pub(crate) fn position(at: Instant) -> i64 {
    at.0.saturating_mul(2)
}

impl Span {
    /// The interval with both ends.
    pub(crate) fn closed(interval: Interval) -> Self {
        Span { low: position(interval.from), high: position(interval.to) }
    }

    /// The interval without its ends, a missing one being infinity; `None` if it is empty.
    pub(crate) fn open(outer: Outer) -> Option<Self> {
        let low = outer.after.map_or(i64::MIN, |after| position(after).saturating_add(1));
        let high = outer.before.map_or(i64::MAX - 1, |before| position(before).saturating_sub(1));
        (low <= high).then_some(Span { low, high })
    }

    /// The smallest closed interval around it.
    pub(crate) fn interval(self) -> Interval {
        Interval {
            from: Instant(self.low.div_euclid(2)),
            to: Instant((self.high.saturating_add(1)).div_euclid(2)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_and_closed_ends_meet_in_the_right_order() {
        let closed = |from, to| Span::closed(Interval { from: Instant(from), to: Instant(to) });
        let open =
            |after, before| Span::open(Outer { after: Some(Instant(after)), before: Some(Instant(before)) });
        let meet = |a: Span, b: Span| a.low.max(b.low) <= a.high.min(b.high);
        assert!(meet(closed(0, 5), closed(5, 9)));
        assert!(!meet(open(0, 5).unwrap(), closed(5, 9)));
        assert!(!meet(closed(0, 5), open(5, 9).unwrap()));
        assert!(meet(open(0, 6).unwrap(), open(5, 9).unwrap()));
        assert!(!meet(open(0, 5).unwrap(), open(5, 9).unwrap()));
        assert_eq!(open(5, 5), None);
        assert!(open(5, 6).is_some_and(|span| !meet(span, closed(5, 5)) && !meet(span, closed(6, 6))));
        assert!(meet(Span::open(Outer::default()).unwrap(), closed(i64::MIN / 4, i64::MIN / 4)));
        assert_eq!(closed(-3, 4).interval(), Interval { from: Instant(-3), to: Instant(4) });
        assert_eq!(open(-3, 4).unwrap().interval(), Interval { from: Instant(-3), to: Instant(4) });
    }
}
