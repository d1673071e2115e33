//! The problems of several parts of a collection together, each counted once: parts may have read the same file.

use std::collections::BTreeMap;

use crate::audit::model::ProblemCount;
use crate::problem::{Level, Problem, Reported};

/// The most problems that a result names; all are counted.
const MAX_NAMED: usize = 10_000;

/// Problems that are gathered, part by part.
#[derive(Debug, Default)]
pub(crate) struct ProblemUnion {
    named: Vec<Problem>,
    known: Reported,
    counts: BTreeMap<(Level, String), u64>,
}

impl ProblemUnion {
    /// Adds what a part names, and what it counts: it may count more than it names.
    pub(crate) fn add(&mut self, mut named: Vec<Problem>, counts: Vec<ProblemCount>) {
        let mut unnamed: BTreeMap<(Level, String), u64> = BTreeMap::new();
        for ProblemCount { level, kind, count } in counts {
            *unnamed.entry((level, kind)).or_default() += count;
        }
        for problem in &named {
            if let Some(count) = unnamed.get_mut(&(problem.level, problem.kind.clone())) {
                *count = count.saturating_sub(1);
            }
        }
        self.known.keep_new(&mut named);
        for problem in named {
            *self.counts.entry((problem.level, problem.kind.clone())).or_default() += 1;
            if self.named.len() < MAX_NAMED {
                self.named.push(problem);
            }
        }
        for (kind, count) in unnamed.into_iter().filter(|(_, count)| *count > 0) {
            *self.counts.entry(kind).or_default() += count;
        }
    }

    /// All problems, and how many there are of each kind, gravest first.
    pub(crate) fn finish(self) -> (Vec<Problem>, Vec<ProblemCount>) {
        let count = |((level, kind), count)| ProblemCount { level, kind, count };
        (self.named, self.counts.into_iter().rev().map(count).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(offset: u64) -> Problem {
        Problem::new(Level::Warning, "x", "y").in_file("a.warc").at(offset)
    }

    fn counted(count: u64) -> Vec<ProblemCount> {
        vec![ProblemCount { level: Level::Warning, kind: "x".to_owned(), count }]
    }

    #[test]
    fn what_several_parts_tell_of_counts_once_and_what_one_part_tells_twice_counts_twice() {
        let mut all = ProblemUnion::default();
        all.add(vec![problem(1), problem(2)], counted(2));
        all.add(vec![problem(2), problem(3), problem(3)], counted(3));
        all.add(vec![problem(3)], counted(1));
        let (named, counts) = all.finish();
        assert_eq!(named.len(), 4);
        assert_eq!(counts, counted(4));
    }

    #[test]
    fn what_is_counted_without_being_named_stays_counted() {
        let mut all = ProblemUnion::default();
        all.add(vec![problem(1)], counted(5));
        all.add(vec![problem(1)], counted(1));
        assert_eq!(all.finish().1, counted(5));
    }
}
