//! Matches the blocks of the later version to those of the earlier one.
//!
//! In this order: equal content in the same order (a longest common subsequence); equal content elsewhere; the same `id`; the most alike content
//! (at least half of the words in common) among the rest; the same path. A block without a partner was inserted or
//! deleted. A partner that stands in another order than the others has moved: all but a longest run of partners in
//! unchanged order.

use std::collections::{HashMap, HashSet};

use crate::html::blocks::Block;

/// A block of the union of both versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
    pub(crate) moved: bool,
}

/// Maximum number of unmatched blocks of each side that are compared by their words.
const MAX_COMPARED: usize = 300;
/// Minimum share of common words for two blocks to be versions of one.
const MIN_ALIKE: f64 = 0.5;

struct Partners<'a> {
    before: &'a [Block],
    after: &'a [Block],
    of_before: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Partners<'_> {
    fn pair(&mut self, before: usize, after: usize) {
        self.of_before[before] = Some(after);
        self.taken[after] = true;
    }

    /// Pairs free blocks with equal keys, in order of appearance.
    fn pair_by<K: std::hash::Hash + Eq>(&mut self, key: impl Fn(&Block) -> Option<K>) {
        let mut free: HashMap<K, Vec<usize>> = HashMap::new();
        for (at, block) in self.after.iter().enumerate().rev() {
            if !self.taken[at]
                && let Some(key) = key(block)
            {
                free.entry(key).or_default().push(at);
            }
        }
        for at in 0..self.before.len() {
            if self.of_before[at].is_none()
                && let Some(key) = key(&self.before[at])
                && let Some(partner) = free.get_mut(&key).and_then(Vec::pop)
            {
                self.pair(at, partner);
            }
        }
    }

    fn pair_alike(&mut self) {
        let words = |block: &Block| -> HashSet<u64> {
            block.paragraphs.iter().flat_map(|(_, words)| words.iter().copied()).collect()
        };
        let free_before: Vec<(usize, HashSet<u64>)> = (0..self.before.len())
            .filter(|&at| self.of_before[at].is_none())
            .take(MAX_COMPARED)
            .map(|at| (at, words(&self.before[at])))
            .collect();
        let free_after: Vec<(usize, HashSet<u64>)> = (0..self.after.len())
            .filter(|&at| !self.taken[at])
            .take(MAX_COMPARED)
            .map(|at| (at, words(&self.after[at])))
            .collect();
        let mut pairs = Vec::new();
        for (before, old) in &free_before {
            for (after, new) in &free_after {
                let common = old.intersection(new).count() as f64;
                let alike = 2.0 * common / (old.len() + new.len()).max(1) as f64;
                if alike >= MIN_ALIKE {
                    pairs.push((alike, *before, *after));
                }
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, before, after) in pairs {
            if self.of_before[before].is_none() && !self.taken[after] {
                self.pair(before, after);
            }
        }
    }
}

/// Finds the partner of every block. The result holds each block of both versions once: those of the later version in
/// its order, then what was deleted.
pub(crate) fn match_blocks(before: &[Block], after: &[Block]) -> Vec<Match> {
    let mut partners =
        Partners { before, after, of_before: vec![None; before.len()], taken: vec![false; after.len()] };
    let contents = |blocks: &[Block]| blocks.iter().map(Block::content).collect::<Vec<u64>>();
    let (old, new) = (contents(before), contents(after));
    aligned(&old, &new).into_iter().for_each(|(before, after)| partners.pair(before, after));
    partners.pair_by(|block| Some(block.content()));
    partners.pair_by(|block| block.id.clone());
    partners.pair_alike();
    partners.pair_by(|block| Some(block.path.clone()));
    let order: Vec<usize> = partners.of_before.iter().flatten().copied().collect();
    let in_order = increasing(&order);
    let mut of_after: Vec<Option<(usize, bool)>> = vec![None; after.len()];
    let matched = partners.of_before.iter().enumerate().filter_map(|(at, partner)| Some((at, (*partner)?)));
    for ((at, partner), in_order) in matched.zip(in_order) {
        of_after[partner] = Some((at, !in_order));
    }
    let inserted_or_matched = of_after.iter().enumerate().map(|(at, partner)| Match {
        before: partner.map(|(before, _)| before),
        after: Some(at),
        moved: partner.is_some_and(|(_, moved)| moved),
    });
    let deleted = (0..before.len()).filter(|&at| partners.of_before[at].is_none());
    let deleted = deleted.map(|at| Match { before: Some(at), after: None, moved: false });
    inserted_or_matched.chain(deleted).collect()
}

/// Maximum product of lengths for which a longest common subsequence is computed.
const MAX_ALIGNED: usize = 4_000_000;

/// Pairs equal values of two sequences in order: as many as possible. Repeated values are aligned with their
/// neighbours, so that something inserted before them does not shift them all. Sequences that are too long are
/// aligned at their ends only.
pub(crate) fn aligned(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    let mut pairs: Vec<(usize, usize)> = (0..start).map(|at| (at, at)).collect();
    let (inner_old, inner_new) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let width = inner_new.len() + 1;
    if inner_old.len() * inner_new.len() <= MAX_ALIGNED {
        // `longest[i * width + j]`: of what is left from i and j on.
        let mut longest = vec![0u32; (inner_old.len() + 1) * width];
        for i in (0..inner_old.len()).rev() {
            for j in (0..inner_new.len()).rev() {
                longest[i * width + j] = if inner_old[i] == inner_new[j] {
                    longest[(i + 1) * width + j + 1] + 1
                } else {
                    longest[(i + 1) * width + j].max(longest[i * width + j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < inner_old.len() && j < inner_new.len() {
            if inner_old[i] == inner_new[j] {
                pairs.push((start + i, start + j));
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs.extend((0..end).rev().map(|at| (old.len() - 1 - at, new.len() - 1 - at)));
    pairs
}

/// Marks the members of a longest increasing subsequence. O(n log n).
pub(crate) fn increasing(values: &[usize]) -> Vec<bool> {
    // `tails[k]` is the position of the smallest end of an increasing run of k + 1 values.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; values.len()];
    for (at, &value) in values.iter().enumerate() {
        let length = tails.partition_point(|&tail| values[tail] < value);
        previous[at] = length.checked_sub(1).map(|shorter| tails[shorter]);
        match tails.get_mut(length) {
            Some(tail) => *tail = at,
            None => tails.push(at),
        }
    }
    let mut marked = vec![false; values.len()];
    let mut at = tails.last().copied();
    while let Some(here) = at {
        marked[here] = true;
        at = previous[here];
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_in_order_is_marked() {
        assert_eq!(increasing(&[3, 0, 1, 2]), [false, true, true, true]);
        assert_eq!(increasing(&[0, 1, 2]), [true; 3]);
        assert_eq!(increasing(&[2, 1, 0]).iter().filter(|marked| **marked).count(), 1);
        assert!(increasing(&[]).is_empty());
    }

    #[test]
    fn repeated_values_are_aligned_with_their_neighbours() {
        let shifted: Vec<(usize, usize)> = (0..6).map(|at| (at, at + 1)).collect();
        assert_eq!(aligned(&[1, 2, 1, 3, 1, 4], &[9, 1, 2, 1, 3, 1, 4]), shifted);
        assert_eq!(aligned(&[1, 1, 1], &[1, 1]), [(0, 0), (1, 1)]);
        assert_eq!(aligned(&[1, 2, 3, 4], &[1, 3, 2, 4]).len(), 3);
        assert!(aligned(&[], &[1]).is_empty() && aligned(&[1], &[2]).is_empty());
    }
}
