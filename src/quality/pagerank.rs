//! PageRank on the captured link graph.
//!
//! ```text
//! r_i = (1 − d)/n + d · ( Σ_{j → i} r_j / out_j + Σ_{j dangling} r_j / n )
//! ```
//!
//! d is the damping factor, out_j the number of links of page j; a page without links passes its rank to all pages
//! alike. The ranks sum to 1.
//!
//! Source: L. Page, S. Brin, R. Motwani, T. Winograd, *The PageRank Citation Ranking: Bringing Order to the Web*,
//! Stanford InfoLab, 1999; dangling pages as in A. Langville, C. Meyer, *Deeper Inside PageRank*, Internet Mathematics
//! 1(3), 2004, section 3.
//!
//! Power iteration on one thread in the order of the nodes: the same graph gives the same bits. An iteration costs
//! O(pages + links); the error shrinks by d each time.

use crate::capture::graph::Adjacency;

/// How PageRank is computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PageRankOptions {
    /// The damping factor, in [0, 1).
    pub damping: f64,
    /// Stop when the sum of changes of all ranks is below this.
    pub tolerance: f64,
    /// Stop after this many iterations in any case.
    pub max_iterations: u32,
}

impl Default for PageRankOptions {
    fn default() -> Self {
        PageRankOptions { damping: 0.85, tolerance: 1e-12, max_iterations: 200 }
    }
}

/// The rank of every node; they sum to 1.
pub(crate) fn pagerank(graph: &Adjacency, options: PageRankOptions) -> Vec<f64> {
    let nodes = graph.nodes();
    if nodes == 0 {
        return Vec::new();
    }
    let each = 1.0 / nodes as f64;
    let mut ranks = vec![each; nodes];
    let mut next = vec![0.0; nodes];
    for _ in 0..options.max_iterations {
        let dangling: f64 =
            (0..nodes).filter(|&node| graph.out(node).is_empty()).map(|node| ranks[node]).sum();
        next.fill((1.0 - options.damping) * each + options.damping * dangling * each);
        for (node, rank) in ranks.iter().enumerate() {
            let out = graph.out(node);
            let share = options.damping * rank / out.len().max(1) as f64;
            for &to in out {
                next[to as usize] += share;
            }
        }
        let change: f64 = ranks.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
        std::mem::swap(&mut ranks, &mut next);
        if change < options.tolerance {
            break;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Solves (I − d·M) r = (1 − d)/n by elimination, M dense with uniform columns for dangling nodes.
    fn dense(lists: &[Vec<u32>], damping: f64) -> Vec<f64> {
        let n = lists.len();
        let mut matrix = vec![vec![0.0; n + 1]; n];
        for (from, list) in lists.iter().enumerate() {
            if list.is_empty() {
                matrix.iter_mut().for_each(|row| row[from] -= damping / n as f64);
            }
            for &to in list {
                matrix[to as usize][from] -= damping / list.len() as f64;
            }
        }
        for (at, row) in matrix.iter_mut().enumerate() {
            row[at] += 1.0;
            row[n] = (1.0 - damping) / n as f64;
        }
        for column in 0..n {
            let pivot = (column..n)
                .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
                .unwrap();
            matrix.swap(column, pivot);
            let row = matrix[column].clone();
            for (at, other) in matrix.iter_mut().enumerate() {
                if at != column {
                    let factor = other[column] / row[column];
                    for (value, pivot) in other.iter_mut().zip(&row) {
                        *value -= factor * pivot;
                    }
                }
            }
        }
        (0..n).map(|at| matrix[at][n] / matrix[at][at]).collect()
    }

    #[test]
    fn a_star_ranks_its_centre_first_and_an_empty_graph_has_no_ranks() {
        let star = Adjacency::from_lists(&[vec![], vec![0], vec![0], vec![0]]);
        let ranks = pagerank(&star, PageRankOptions::default());
        assert!(ranks[0] > ranks[1] && ranks[1] == ranks[3]);
        assert!(pagerank(&Adjacency::from_lists(&[]), PageRankOptions::default()).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ranks_equal_those_of_a_dense_solver(
            lists in prop::collection::vec(prop::collection::vec(0u32..14, 0..6), 1..14),
            damping in 0.0f64..0.95,
        ) {
            let n = lists.len() as u32;
            let lists: Vec<Vec<u32>> = lists.into_iter().map(|mut list| {
                list.iter_mut().for_each(|to| *to %= n);
                list.sort_unstable();
                list.dedup();
                list
            }).collect();
            let options = PageRankOptions { damping, max_iterations: 2000, ..PageRankOptions::default() };
            let ranks = pagerank(&Adjacency::from_lists(&lists), options);
            prop_assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for (ours, reference) in ranks.iter().zip(dense(&lists, damping)) {
                prop_assert!((ours - reference).abs() < 1e-9, "{} {}", ours, reference);
            }
        }
    }
}
