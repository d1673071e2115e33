//! Oracle rates: how often every page really changes around the crawl.
//!
//! ```text
//! lambda = changes in W / known time in W,     W = [start - reach, start + length + reach], cut to the life of the page
//! ```
//!
//! With [`Reach::Life`] `W` is all of the page's life in the history: the maximum-likelihood rate of the source. With
//! [`Reach::Around`] it is the neighbourhood of the crawl, for rates drift: a page busy in 2003 may be quiet in 2023.
//! The narrower the reach, the more the oracle knows of the very changes it is asked about; with reach 0 it knows the
//! outcome. A page that did not change in `W` has the rate 0: here that is exact, not an estimate. Changes at unknown
//! instants (of an archive) enter by the likelihood of [`crate::change::poisson`]; a page with no known time in `W` has
//! no rate. Births and deaths do not count towards this rate, though a death between visit and revisit still makes
//! the page incoherent.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 8.2 (oracle; slots so short that each holds one change at most, here in the limit). DIFFERENCE: the
//! neighbourhood. Cost: O(log changes + unknown spans) a page.

use super::{Replay, Snapshot};
use crate::change::poisson::Looks;

/// How far around the crawl an oracle counts changes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Reach {
    /// The whole life of the page.
    #[default]
    Life,
    /// From this many seconds before the start to as many after the end.
    Around(f64),
}

impl Replay {
    /// What is known of the changes of a page in `(from, to]`, while it stands.
    pub fn looks(&self, page: usize, from: f64, to: f64) -> Looks {
        let subject = &self.world.pages[page];
        let from = from.max(subject.born).max(self.world.from);
        let to = to.min(subject.died).min(self.world.to);
        let mut looks = Looks::default();
        if from >= to {
            return looks;
        }
        let up_to = |at: f64| subject.changes.partition_point(|change| *change <= at);
        looks.pinned = (up_to(to) - up_to(from)) as u32;
        let unknown: f64 =
            subject.unknown.iter().map(|span| (span.1.min(to) - span.0.max(from)).max(0.0)).sum();
        looks.unchanged = (to - from - unknown).max(0.0);
        looks.changed = self.seen[page]
            .iter()
            .filter(|span| from <= span.0 && span.1 <= to)
            .map(|span| span.1 - span.0)
            .filter(|length| *length > 0.0)
            .collect();
        looks
    }
}

/// The true rates, per second, of the pages of a snapshot; `None` where nothing is known of a page.
pub fn oracle(replay: &Replay, snapshot: &Snapshot, reach: Reach) -> Vec<Option<f64>> {
    let crawl = &snapshot.replay.world;
    let (from, to) = match reach {
        Reach::Life => (f64::NEG_INFINITY, f64::INFINITY),
        Reach::Around(seconds) => (crawl.from - seconds, crawl.to + seconds),
    };
    snapshot.members.iter().map(|page| rate(&replay.looks(*page as usize, from, to))).collect()
}

/// The likeliest rate: 0 where there was known time and no change.
fn rate(looks: &Looks) -> Option<f64> {
    if looks.changes() == 0.0 {
        return (looks.unchanged > 0.0).then_some(0.0);
    }
    // Where every gap changed the likeliest rate is infinite; the other form stays finite.
    looks.most_likely().or_else(|| looks.bias_reduced())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::world::{Subject, World};

    #[test]
    fn an_oracle_counts_what_happens_in_its_reach() {
        let page = |born: f64, changes: &[f64], unknown: Vec<(f64, f64)>| Subject {
            url: "/".into(),
            weight: 1.0,
            born,
            died: 90.0,
            changes: changes.to_vec(),
            unknown,
        };
        let pages = vec![
            page(f64::NEG_INFINITY, &[5.0, 45.0, 52.0, 80.0], vec![]),
            page(40.0, &[], vec![]),
            page(
                f64::NEG_INFINITY,
                &[],
                vec![(f64::NEG_INFINITY, 40.0), (50.0, 60.0), (70.0, f64::INFINITY)],
            ),
            page(f64::NEG_INFINITY, &[], vec![(f64::NEG_INFINITY, f64::INFINITY)]),
        ];
        let world = World { name: "w".into(), from: 0.0, to: 100.0, pages, links: vec![vec![]; 4] };
        let replay = Replay { world, seen: vec![vec![], vec![], vec![(50.0, 60.0)], vec![]] };
        let snapshot = Snapshot::at(&replay, 45.0, 10.0);
        let life = oracle(&replay, &snapshot, Reach::Life);
        assert_eq!(life[0], Some(4.0 / 90.0));
        assert_eq!((life[1], life[3]), (Some(0.0), None));
        // One changed gap of 10 and 20 unchanged seconds: 10/(e^(10 l) - 1) = 20, so l = ln(1.5)/10.
        assert!((life[2].unwrap() - 1.5f64.ln() / 10.0).abs() < 1e-12);
        let near = oracle(&replay, &snapshot, Reach::Around(5.0));
        assert_eq!(near[0], Some(2.0 / 20.0));
        assert_eq!(near[2].map(|rate| rate > 0.0), Some(true));
    }
}
