//! Query coherence of a whole site whose changes are known.
//!
//! For a date each page is served by its closest capture, and that version was online from the change before the capture to the change
//! behind it. How many of the versions served were online together, in the mean over all dates of the window: see
//! [`crate::quality::query`]. There is no closed form for its expectation, which is that of a maximum.
//!
//! Source: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, Def. 5.22 and
//! 5.23. DIFFERENCE: the weight of a version is the weight of its page; the paper multiplies it by the importance of the change
//! that made it.

use super::View;
use crate::quality::query::{Capture, coherence};
use crate::quality::span::Span;
use crate::quality::weight::Weights;
use crate::time::{Instant, Interval};

/// Instants are whole numbers: ticks in a unit of time.
const UNIT: f64 = 1e6;

/// Gathers the captures of all pages, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Served {
    pages: Vec<Vec<Capture>>,
}

impl Served {
    /// Adds a page: its captures, and its changes, both ascending.
    pub(crate) fn add(&mut self, view: View, changes: &[f64]) {
        let instant = |at: f64| Instant((at * UNIT).round() as i64);
        let captures = view.captures.iter().map(|&capture| {
            let happened = changes.partition_point(|change| *change <= capture);
            // From the change to the next one, which is no longer part of it. Two changes in one instant leave the instant itself.
            let low = happened.checked_sub(1).map_or(i64::MIN / 4, |last| instant(changes[last]).0);
            let high = changes.get(happened).map_or(i64::MAX / 4, |next| instant(*next).0.saturating_sub(1));
            let interval = Interval { from: Instant(low), to: Instant(high.max(low)) };
            Capture { time: instant(capture), stood: Some(Span::closed(interval)) }
        });
        self.pages.push(captures.collect());
    }

    /// The coherence, by weight; `None` without pages.
    pub(crate) fn coherence(&self, weights: &Weights, from: f64, to: f64) -> Option<f64> {
        let instant = |at: f64| Instant((at * UNIT).round() as i64);
        let window = Interval { from: instant(from), to: instant(to) };
        coherence(self.pages.iter().map(Vec::as_slice), weights, window).map(|found| found.by_weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_never_stood_together_are_half_coherent() {
        // One page was captured before its change, the other after its own, which came first: they met. In the second site the
        // change of the page captured early came first: they never did.
        let coherence = |early: f64, late: f64| {
            let mut served = Served::default();
            let view = |captures| View { captures, from: 0.0, to: 10.0 };
            served.add(view(&[1.0]), &[early]);
            served.add(view(&[9.0]), &[late]);
            served.coherence(&Weights::uniform(2), 0.0, 10.0)
        };
        assert_eq!(coherence(6.0, 4.0), Some(1.0));
        assert_eq!(coherence(4.0, 6.0), Some(0.5));
    }
}
