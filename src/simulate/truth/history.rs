//! What a page showed, and since when.

use rand::RngExt;
use rand_pcg::Pcg64;

use crate::time::{Instant, SECOND};

/// What a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// A version of its own.
    Version(u32),
    /// There is no page.
    Gone,
    /// A redirect to another address.
    Moved(u32),
}

impl State {
    /// Whether a page in this state says [`super::PHRASE`].
    pub fn has_phrase(self) -> bool {
        matches!(self, State::Version(version) if version % 2 == 0)
    }

    /// The state as a word for tables.
    pub(crate) fn word(self) -> String {
        match self {
            State::Version(version) => format!("version {version}"),
            State::Gone => "gone".to_owned(),
            State::Moved(target) => format!("moved to {target}"),
        }
    }
}

/// The states of a page with the instants at which they began; the first one always was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    first: State,
    changes: Vec<(Instant, State)>,
}

impl History {
    /// Up to three changes within hours: new versions, an old one that comes back, 404, a redirect.
    pub(crate) fn story(random: &mut Pcg64, from: Instant) -> Self {
        let first = State::Version(0);
        let mut changes: Vec<(Instant, State)> = Vec::new();
        let mut at = from;
        for version in 1..=random.random_range(0..4u32) {
            at = at.plus(random.random_range(1..20_000) * SECOND + random.random_range(0..SECOND));
            let last = changes.last().map_or(first, |change| change.1);
            let before = changes.iter().rev().nth(1).map_or(first, |change| change.1);
            let state = match random.random_range(0..10) {
                0 => State::Gone,
                1 => State::Moved(version),
                2 | 3 if version > 1 => before,
                _ => State::Version(version),
            };
            if state != last {
                changes.push((at, state));
            }
        }
        History { first, changes }
    }

    /// New versions at a rate per second.
    pub(crate) fn poisson(random: &mut Pcg64, rate: f64, from: Instant, to: Instant) -> Self {
        let mut changes = Vec::new();
        let mut at = from;
        loop {
            let wait = -(1.0 - random.random::<f64>()).ln() / rate * SECOND as f64;
            at = at.plus(wait.min(1e17) as i64 + 1);
            if at > to {
                return History { first: State::Version(0), changes };
            }
            changes.push((at, State::Version(changes.len() as u32 + 1)));
        }
    }

    /// What the page showed at an instant.
    pub fn at(&self, time: Instant) -> State {
        self.change_before(time).map_or(self.first, |change| change.1)
    }

    /// When the state of an instant began; `None`: it always was.
    pub fn since(&self, time: Instant) -> Option<Instant> {
        self.change_before(time).map(|change| change.0)
    }

    fn change_before(&self, time: Instant) -> Option<&(Instant, State)> {
        let behind = self.changes.partition_point(|(since, _)| *since <= time);
        behind.checked_sub(1).and_then(|place| self.changes.get(place))
    }

    /// All changes, in the order of time.
    pub fn changes(&self) -> &[(Instant, State)] {
        &self.changes
    }

    /// Whether anything changed after `from`, up to `to`.
    pub fn changes_within(&self, from: Instant, to: Instant) -> bool {
        self.changes.iter().any(|(since, _)| from < *since && *since <= to)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn a_state_stands_from_its_change_on() {
        let at = |seconds: i64| Instant(seconds * SECOND);
        let history = History {
            first: State::Version(0),
            changes: vec![(at(5), State::Gone), (at(9), State::Version(2))],
        };
        assert_eq!(
            [4, 5, 8, 9].map(|second| history.at(at(second))),
            [State::Version(0), State::Gone, State::Gone, State::Version(2)]
        );
        assert_eq!((history.since(at(4)), history.since(at(6))), (None, Some(at(5))));
        assert!(history.changes_within(at(4), at(5)) && !history.changes_within(at(5), at(8)));
    }

    #[test]
    fn rates_are_kept_in_the_long_run() {
        let mut random = Pcg64::seed_from_u64(1);
        let history = History::poisson(&mut random, 0.5, Instant(0), Instant(20_000 * SECOND));
        assert!((9_500..10_500).contains(&history.changes().len()));
    }
}
