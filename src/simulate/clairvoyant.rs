//! The best and the worst that any visit–revisit crawl could have reached, had it known the changes.
//!
//! Around the middle of the crawl page i is quiet for `a_i` slots before and `b_i` slots after it, so it stays sharp exactly if its
//! visit slot is `v ≤ a_i` and its revisit slot `r ≤ b_i`. With v and r permutations of 0..n:
//!
//! - **best**: a set S of pages can be sharp together iff `#{S: a < t} ≤ t` and `#{S: b < t} ≤ t` for all t. These are two
//!   matroids, and the largest common set is a maximum flow on two chains: `A_t → A_{t−1}` of capacity t, page `A_a → B_b` of
//!   capacity 1, `B_{t−1} → B_t` of capacity t.
//! - **worst**: a page is spoilt by one of its slots, `v > a` or `r > b`: n minus the largest matching of pages to such slots.
//! - **pyramid**: v = r, deadlines `min(a, b)`, earliest first. With hindsight pyramids are not optimal.
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart, *Data Quality in Web Archiving*, WICOW 2009, §5 and Fig. 9 (best and worst
//! possible strategy; how they were found is not said). Cost: a maximum flow of 2n and 3n nodes (Dinic).

use std::collections::VecDeque;

/// The most pages that can stay sharp.
pub(crate) fn best(before: &[u32], after: &[u32]) -> usize {
    let n = before.len();
    if n == 0 {
        return 0;
    }
    // Chain node A_t holds the pages with a ≤ t; at most t + 1 of them have slots of their own.
    let (source, sink) = (2 * n, 2 * n + 1);
    let mut flow = Flow::new(2 * n + 2);
    let last = n as u32 - 1;
    for t in 1..n {
        flow.edge(t, t - 1, t as u32);
        flow.edge(n + t - 1, n + t, t as u32);
    }
    flow.edge(source, n - 1, n as u32);
    flow.edge(2 * n - 1, sink, n as u32);
    for (&a, &b) in before.iter().zip(after) {
        flow.edge(a.min(last) as usize, n + b.min(last) as usize, 1);
    }
    flow.maximum(source, sink)
}

/// The fewest pages that stay sharp.
pub(crate) fn worst(before: &[u32], after: &[u32]) -> usize {
    let n = before.len();
    // Slots are nodes of two chains that lead outwards; every slot takes one page.
    let (pages, source, sink) = (2 * n, 3 * n, 3 * n + 1);
    let mut flow = Flow::new(3 * n + 2);
    for side in [0, n] {
        for slot in 0..n {
            flow.edge(side + slot, sink, 1);
            if slot + 1 < n {
                flow.edge(side + slot, side + slot + 1, n as u32);
            }
        }
    }
    for (page, (&a, &b)) in before.iter().zip(after).enumerate() {
        flow.edge(source, pages + page, 1);
        for (side, quiet) in [(0, a), (n, b)] {
            if (quiet as usize) + 1 < n {
                flow.edge(pages + page, side + quiet as usize + 1, 1);
            }
        }
    }
    n - flow.maximum(source, sink)
}

/// The most pages that can stay sharp in a pyramid.
pub(crate) fn pyramid(before: &[u32], after: &[u32]) -> usize {
    let mut deadlines: Vec<u32> = before.iter().zip(after).map(|(a, b)| *a.min(b)).collect();
    deadlines.sort_unstable();
    deadlines.into_iter().fold(0, |kept, deadline| if deadline >= kept { kept + 1 } else { kept }) as usize
}

/// Quiet slots before and after the middle, from changes in units of slots, ascending, the middle at `middle`; at most n − 1.
pub(crate) fn quiet(changes: &[f64], middle: f64, n: usize) -> (u32, u32) {
    let most = n.saturating_sub(1) as f64;
    // A capture at h shows the change at h: a change at the middle itself lies before it.
    let next = changes.partition_point(|change| *change <= middle);
    let after = changes.get(next).map_or(most, |change| ((change - middle).ceil() - 1.0).clamp(0.0, most));
    let before = next.checked_sub(1).map_or(most, |last| (middle - changes[last]).floor().clamp(0.0, most));
    (before as u32, after as u32)
}

/// Dinic's maximum flow on integer capacities.
struct Flow {
    edges: Vec<(u32, u32)>,
    out: Vec<Vec<u32>>,
    level: Vec<u32>,
    next: Vec<usize>,
}

const UNREACHED: u32 = u32::MAX;

impl Flow {
    fn new(nodes: usize) -> Self {
        Flow { edges: Vec::new(), out: vec![Vec::new(); nodes], level: vec![0; nodes], next: vec![0; nodes] }
    }

    /// An edge, and behind it the one that takes flow back.
    fn edge(&mut self, from: usize, to: usize, capacity: u32) {
        self.out[from].push(self.edges.len() as u32);
        self.edges.push((to as u32, capacity));
        self.out[to].push(self.edges.len() as u32);
        self.edges.push((from as u32, 0));
    }

    fn maximum(&mut self, source: usize, sink: usize) -> usize {
        let mut total = 0;
        while self.levels(source, sink) {
            self.next.fill(0);
            while self.augment(source, sink) {
                total += 1;
            }
        }
        total
    }

    fn levels(&mut self, source: usize, sink: usize) -> bool {
        self.level.fill(UNREACHED);
        self.level[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &edge in &self.out[node] {
                let (to, capacity) = self.edges[edge as usize];
                if capacity > 0 && self.level[to as usize] == UNREACHED {
                    self.level[to as usize] = self.level[node] + 1;
                    queue.push_back(to as usize);
                }
            }
        }
        self.level[sink] != UNREACHED
    }

    /// Sends one unit along a path of rising levels. No recursion: chains are as long as the site.
    fn augment(&mut self, source: usize, sink: usize) -> bool {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        loop {
            if node == sink {
                for &edge in &path {
                    self.edges[edge as usize].1 -= 1;
                    self.edges[edge as usize ^ 1].1 += 1;
                }
                return true;
            }
            let step = self.out[node].get(self.next[node]).copied();
            match step {
                Some(edge) => {
                    let (to, capacity) = self.edges[edge as usize];
                    if capacity > 0 && self.level[to as usize] == self.level[node] + 1 {
                        path.push(edge);
                        node = to as usize;
                    } else {
                        self.next[node] += 1;
                    }
                }
                None => {
                    let Some(edge) = path.pop() else { return false };
                    node = self.edges[edge as usize ^ 1].0 as usize;
                    self.next[node] += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_examples_are_met() {
        let (a, b) = ([0, 0, 1, 3, 4], [4, 1, 0, 0, 2]);
        assert_eq!((best(&a, &b), worst(&a, &b), pyramid(&a, &b)), (3, 0, 2));
        let square = |i: u32, factor: u32, modulus: u32| ((factor * i % modulus).pow(2) / modulus).min(999);
        let a: Vec<u32> = (0..1000).map(|i| square(i, 37, 1009)).collect();
        let b: Vec<u32> = (0..1000).map(|i| square(i, 53, 1013)).collect();
        assert_eq!((best(&a, &b), worst(&a, &b), pyramid(&a, &b)), (660, 0, 495));
        assert_eq!((best(&[], &[]), worst(&[], &[]), pyramid(&[], &[])), (0, 0, 0));
    }

    #[test]
    fn quiet_slots_are_counted_to_the_next_change_on_both_sides() {
        assert_eq!(quiet(&[], 9.0, 10), (9, 9));
        assert_eq!(quiet(&[2.0, 12.0], 9.0, 10), (7, 2));
        assert_eq!(quiet(&[2.5, 11.5], 9.0, 10), (6, 2));
        assert_eq!(quiet(&[9.0, 9.5], 9.0, 10), (0, 0));
        assert_eq!(quiet(&[], 0.0, 0), (0, 0));
    }

    fn permutations(n: u32) -> Vec<Vec<u32>> {
        let mut all = vec![vec![]];
        for value in 0..n {
            let insert = |short: &Vec<u32>, at: usize| {
                let mut long = short.clone();
                long.insert(at, value);
                long
            };
            all = all.iter().flat_map(|short| (0..=short.len()).map(move |at| insert(short, at))).collect();
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn all_pairs_of_permutations_agree(quiet in prop::collection::vec((0u32..5, 0u32..5), 1..6)) {
            let n = quiet.len();
            let (a, b): (Vec<u32>, Vec<u32>) = quiet.iter().map(|&(a, b)| (a.min(n as u32 - 1), b.min(n as u32 - 1))).unzip();
            let all = permutations(n as u32);
            let sharp = |v: &[u32], r: &[u32]| (0..n).filter(|&i| v[i] <= a[i] && r[i] <= b[i]).count();
            let counts: Vec<usize> = all.iter().flat_map(|v| all.iter().map(move |r| (v, r))).map(|(v, r)| sharp(v, r)).collect();
            prop_assert_eq!(best(&a, &b), *counts.iter().max().unwrap());
            prop_assert_eq!(worst(&a, &b), *counts.iter().min().unwrap());
            prop_assert_eq!(pyramid(&a, &b), all.iter().map(|v| sharp(v, v)).max().unwrap());
        }
    }
}
