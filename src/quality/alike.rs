//! Intervals of many pages, where equal ones are one entry: a large site has far more pages than seconds in which they were
//! captured.

use crate::quality::span::Span;

/// Pages with the same interval and the same weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alike {
    pub span: Span,
    /// The units of each page.
    pub units: u64,
    pub pages: u32,
}

impl From<(Span, u64)> for Alike {
    fn from((span, units): (Span, u64)) -> Self {
        Alike { span, units, pages: 1 }
    }
}

/// Number of entries at which equal ones are joined for the first time: with fewer, joining saves nothing.
const MIN_ENTRIES_TO_JOIN: usize = 1 << 16;

/// Intervals of pages, in no particular order.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    entries: Vec<Alike>,
    /// The number of entries at which equal ones are joined.
    limit: usize,
}

impl Spans {
    /// Adds the interval of a page, with its units.
    pub(crate) fn add(&mut self, span: Span, units: u64) {
        if self.entries.len() >= self.limit.max(MIN_ENTRIES_TO_JOIN) {
            self.join();
            // Where most differ, joining again soon would cost more than it saves.
            self.limit = 2 * self.entries.len();
        }
        self.entries.push((span, units).into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn join(&mut self) {
        self.entries.sort_unstable_by_key(|entry| (entry.span, entry.units));
        self.entries.dedup_by(|next, kept| {
            let is_same = (next.span, next.units) == (kept.span, kept.units);
            kept.pages += if is_same { next.pages } else { 0 };
            is_same
        });
    }

    /// The entries, equal ones joined if there are many.
    pub(crate) fn finish(mut self) -> Vec<Alike> {
        if self.limit > 0 || self.entries.len() >= MIN_ENTRIES_TO_JOIN {
            self.join();
        }
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_intervals_are_one_entry_and_none_is_lost() {
        let mut spans = Spans::default();
        let span = |place: i64| Span { low: place % 100, high: place % 100 + 7 };
        for place in 0..3 * MIN_ENTRIES_TO_JOIN as i64 {
            spans.add(span(place), 1 + place as u64 % 2);
            assert!(spans.entries.len() <= MIN_ENTRIES_TO_JOIN);
        }
        let entries = spans.finish();
        // Even places have one weight, odd ones the other.
        assert_eq!(entries.len(), 100);
        assert_eq!(entries.iter().map(|entry| entry.pages as usize).sum::<usize>(), 3 * MIN_ENTRIES_TO_JOIN);
        assert!(entries.iter().all(|entry| entry.units == 1 + entry.span.low as u64 % 2));
        let mut few = Spans::default();
        (0..5).for_each(|place| few.add(span(place), 1));
        assert_eq!(few.finish().len(), 5);
    }
}
