//! A decision tree in the manner of C4.5.
//!
//! The examples are divided by the question of greatest gain ratio ([`super::split`]), each part again, until a part is
//! of one class, too small, or no question gains anything; then subtrees that promise no fewer errors than a leaf in
//! their place are cut off ([`super::prune`]). An example whose feature is missing follows every branch, with the share
//! of the examples that took it; a page to be judged does likewise, also where no branch has its name.
//!
//! Source: Quinlan: C4.5, Programs for Machine Learning, Morgan Kaufmann 1993; used by Denev, Mazeika, Spaniol, Weikum:
//! The SHARC framework for data quality in Web archiving, VLDB Journal 2011, section 8.2. DIFFERENCE: no deeper than
//! [`DEPTH`], so that no data can exhaust the stack. Cost: O(features × n log n) for each level; a prediction O(depth),
//! more where features are missing.

use super::encoded::{Cell, Encoded};
use super::prune::expected_errors;
use super::split::{MIN_EXAMPLES, Part, Question, Split, best};

/// The greatest depth of a tree.
pub(crate) const DEPTH: usize = 64;
/// Fractions of an example below this are dropped.
const CRUMB: f64 = 1e-3;

#[derive(Debug, Clone)]
pub(crate) struct Tree {
    root: Node,
}

#[derive(Debug, Clone)]
struct Node {
    /// The weights of the classes of its examples.
    counts: Vec<f64>,
    inner: Option<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    feature: usize,
    question: Question,
    /// Which share of the known examples took each branch.
    shares: Vec<f64>,
    branches: Vec<Node>,
}

impl Tree {
    /// Learns from the chosen examples.
    pub(super) fn train(data: &Encoded, chosen: &[u32]) -> Self {
        let mut asked = vec![false; data.width()];
        let mut root = grow(data, chosen.iter().map(|row| (*row, 1.0)).collect(), &mut asked, DEPTH);
        root.prune();
        Tree { root }
    }

    pub(super) fn distribution(&self, cells: &[Cell]) -> Vec<f64> {
        let mut shares = vec![0.0; self.root.counts.len()];
        self.root.descend(cells, 1.0, &mut shares);
        shares
    }

    #[cfg(test)]
    pub(crate) fn leaves(&self) -> usize {
        self.root.leaves()
    }
}

fn grow(data: &Encoded, parts: Vec<Part>, asked: &mut [bool], depth: usize) -> Node {
    let mut counts = vec![0.0; data.class_count as usize];
    for &(row, weight) in &parts {
        counts[data.classes[row as usize] as usize] += weight;
    }
    let total: f64 = counts.iter().sum();
    let pure = counts.iter().any(|count| total - count < CRUMB);
    let split =
        if pure || total < 2.0 * MIN_EXAMPLES || depth == 0 { None } else { best(data, &parts, asked) };
    let Some(Split { feature, question, .. }) = split else { return Node { counts, inner: None } };
    let (shares, branches) = divide(data, parts, feature, &question);
    // A name asked for once is the same in the whole branch; a number can be asked for more closely.
    let names = matches!(question, Question::Names(_));
    asked[feature] |= names;
    let branches = branches.into_iter().map(|parts| grow(data, parts, asked, depth - 1)).collect();
    asked[feature] &= !names;
    Node { counts, inner: Some(Inner { feature, question, shares, branches }) }
}

/// The parts of every branch, and its share of the known ones.
fn divide(
    data: &Encoded,
    parts: Vec<Part>,
    feature: usize,
    question: &Question,
) -> (Vec<f64>, Vec<Vec<Part>>) {
    let mut branches = vec![Vec::new(); question.branches()];
    let mut shares = vec![0.0; branches.len()];
    let mut unknown = Vec::new();
    for (row, weight) in parts {
        match question.branch(data.rows[row as usize][feature]) {
            Some(branch) => {
                branches[branch].push((row, weight));
                shares[branch] += weight;
            }
            None => unknown.push((row, weight)),
        }
    }
    let known: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= known);
    for (row, weight) in unknown {
        for (branch, share) in branches.iter_mut().zip(&shares) {
            if weight * share >= CRUMB {
                branch.push((row, weight * share));
            }
        }
    }
    (shares, branches)
}

impl Node {
    /// Prunes the subtree and returns the errors expected of what is left.
    fn prune(&mut self) -> f64 {
        let leaf = expected_errors(&self.counts);
        let Some(inner) = &mut self.inner else { return leaf };
        let below: f64 = inner.branches.iter_mut().map(Node::prune).sum();
        // A split must save at least a tenth of an error.
        if leaf <= below + 0.1 {
            self.inner = None;
            return leaf;
        }
        below
    }

    fn descend(&self, cells: &[Cell], weight: f64, shares: &mut [f64]) {
        let Some(inner) = &self.inner else {
            let total: f64 = self.counts.iter().sum();
            for (share, count) in shares.iter_mut().zip(&self.counts) {
                *share += weight * count / total;
            }
            return;
        };
        let cell = cells.get(inner.feature).copied().unwrap_or(Cell::Missing);
        match inner.question.branch(cell) {
            Some(branch) => inner.branches[branch].descend(cells, weight, shares),
            None => {
                for (branch, share) in inner.branches.iter().zip(&inner.shares) {
                    branch.descend(cells, weight * share, shares);
                }
            }
        }
    }

    #[cfg(test)]
    fn leaves(&self) -> usize {
        self.inner.as_ref().map_or(1, |inner| inner.branches.iter().map(Node::leaves).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::super::split::tests::golf;
    use super::*;

    fn grown(data: &Encoded) -> Tree {
        let parts = (0..data.rows.len() as u32).map(|row| (row, 1.0)).collect();
        Tree { root: grow(data, parts, &mut vec![false; data.width()], DEPTH) }
    }

    #[test]
    fn the_tree_of_the_book_judges_all_fourteen_days_right() {
        let data = golf();
        let tree = grown(&data);
        assert_eq!(tree.leaves(), 5);
        for (row, class) in data.rows.iter().zip(&data.classes) {
            assert_eq!(tree.distribution(row)[*class as usize], 1.0);
        }
        // Sunny, humidity unknown: two of five days below the threshold.
        let unknown = tree.distribution(&[Cell::Name(0), Cell::Missing, Cell::Missing, Cell::Missing]);
        assert!((unknown[0] - 0.4).abs() < 1e-12);
        // An outlook never seen follows all branches by share.
        let never = tree.distribution(&[Cell::Name(9), Cell::Missing, Cell::Number(70.0), Cell::Name(0)]);
        assert!((never[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn noise_is_pruned_away() {
        // The class has nothing to do with the feature: a tree grown on it must fall back to one leaf.
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 40
        };
        let rows: Vec<Vec<Cell>> = (0..300).map(|_| vec![Cell::Number(random() as f64)]).collect();
        let classes = (0..300).map(|_| u32::from(random() % 10 == 0)).collect();
        let data = Encoded { rows, classes, class_count: 2 };
        let chosen: Vec<u32> = (0..300).collect();
        assert_eq!(Tree::train(&data, &chosen).leaves(), 1);
    }

    #[test]
    fn a_staircase_that_would_be_deeper_than_allowed_is_cut() {
        let rows: Vec<Vec<Cell>> = (0..2000u32).map(|row| vec![Cell::Number(f64::from(row))]).collect();
        let classes = (0..2000u32).map(|row| (row / 4) % 2).collect();
        let data = Encoded { rows, classes, class_count: 2 };
        let tree = grown(&data);
        assert!(tree.root.depth() <= DEPTH);
    }

    impl Node {
        fn depth(&self) -> usize {
            self.inner
                .as_ref()
                .map_or(0, |inner| 1 + inner.branches.iter().map(Node::depth).max().unwrap_or(0))
        }
    }
}
