//! The problems of several parts of a collection together, each counted once: parts may have read the same file.

use std::collections::{BTreeMap, HashMap};

use crate::audit::model::ProblemCount;
use crate::problem::{Level, Problem};

/// The most problems that a result names; all are counted.
const MAX_NAMED: usize = 10_000;
/// The most problems that are remembered, to know them again; beyond that each counts.
const MAX_KNOWN: usize = 1 << 20;

/// Problems that are gathered, part by part.
#[derive(Debug, Default)]
pub(crate) struct ProblemUnion {
    named: Vec<Problem>,
    /// How often each was found in one part, at most.
    known: HashMap<[u8; 16], u32>,
    counts: BTreeMap<(Level, String), u64>,
}

impl ProblemUnion {
    /// Adds what a part names, and what it counts: it may count more than it names.
    pub(crate) fn add(&mut self, named: Vec<Problem>, counts: Vec<ProblemCount>) {
        let mut unnamed: BTreeMap<(Level, String), u64> = BTreeMap::new();
        for ProblemCount { level, kind, count } in counts {
            *unnamed.entry((level, kind)).or_default() += count;
        }
        let mut of_part: HashMap<[u8; 16], u32> = HashMap::new();
        for problem in named {
            let kind = (problem.level, problem.kind.clone());
            if let Some(count) = unnamed.get_mut(&kind) {
                *count = count.saturating_sub(1);
            }
            let name = fingerprint(&problem);
            let again = of_part.entry(name).or_default();
            *again += 1;
            if self.known.get(&name).is_some_and(|known| known >= again) {
                continue;
            }
            if self.known.len() < MAX_KNOWN || self.known.contains_key(&name) {
                self.known.insert(name, *again);
            }
            *self.counts.entry(kind).or_default() += 1;
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

/// What two reports of one problem have in common: all of it.
fn fingerprint(problem: &Problem) -> [u8; 16] {
    let text = serde_json::to_vec(problem).unwrap_or_default();
    let mut name = [0; 16];
    name.copy_from_slice(&blake3::hash(&text).as_bytes()[..16]);
    name
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
