//! Query coherence: of the versions a reader gets for one date, how many were online together at some instant.
//!
//! For a query time T each page is answered by its closest capture. The coherence of the answer is the weight of the largest
//! set of versions whose invariance intervals share a point, divided by the weight of all; the coherence of the site is
//! its mean over all T in the window.
//!
//! ```text
//! coherence(T) = max_t  sum of w_i over pages i whose answer for T was online at t   /   sum of w_i
//! coherence    = 1/(o_e - o_s) * integral of coherence(T) dT
//! ```
//!
//! The largest set of pairwise intersecting intervals is the largest set over one point (Helly), so the maximum of a sweep.
//! The answer changes only midway between neighbouring captures of different versions, so the integral is a finite sum, exact
//! to the microsecond: never a sample. A tree over the starts of all intervals keeps the maximum while intervals come and
//! go: O(m log m) for m versions. With proven intervals the result is a lower bound of the truth, with outer ones an upper
//! bound. A single version is always coherent with itself, so the lower bound counts at least one page.
//!
//! Source: Ben Saad, Gançarski: Improving the Quality of Web Archives through the Importance of Changes, DEXA 2011,
//! Def. 5.22 and 5.23. DIFFERENCE: the paper averages over queries that were asked; here over all that could be. "Largest"
//! is ambiguous there (number or weight): both are given.

use crate::quality::alike::Alike;
use crate::quality::span::{Span, position};
use crate::quality::weight::{All, Weights};
use crate::time::{Instant, Interval};

/// A capture: its time and the interval in which its version is taken to have been online, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Capture {
    /// When it was made.
    pub time: Instant,
    /// When its version was online.
    pub stood: Option<Span>,
}

/// Mean coherence by number of pages and by their weight, between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QueryCoherence {
    pub by_number: f64,
    pub by_weight: f64,
}

/// The mean coherence over the window. Every page has its captures in time order, at least one; weights follow the order
/// of the pages. `None` without pages.
pub(crate) fn coherence(
    pages: impl IntoIterator<Item = impl AsRef<[Capture]>> + Clone,
    weights: &Weights,
    window: Interval,
) -> Option<QueryCoherence> {
    let all = All { pages: weights.len(), units: weights.total(), greatest: weights.greatest() };
    coherence_of(pages, |page| weights.units(page), &[], all, window)
}

/// The same of very many pages: `alike` are those that have one version only, `units` are those of the others, by their places.
pub(crate) fn coherence_of(
    pages: impl IntoIterator<Item = impl AsRef<[Capture]>> + Clone,
    units_of: impl Fn(usize) -> u64,
    alike: &[Alike],
    all: All,
    window: Interval,
) -> Option<QueryCoherence> {
    if all.pages == 0 || all.units == 0 {
        return None;
    }
    let (from, to) = (position(window.from), position(window.to));
    let mut starts: Vec<i64> = alike.iter().map(|alike| alike.span.low).collect();
    for page in pages.clone() {
        starts.extend(page.as_ref().iter().filter_map(|capture| capture.stood).map(|span| span.low));
    }
    starts.sort_unstable();
    starts.dedup();
    let mut tree = Tree::new(starts);
    // Which interval of which page is in force from which T on. T is counted in half microseconds, as positions are.
    let mut changes: Vec<Change> = Vec::new();
    for (page, captures) in pages.into_iter().enumerate() {
        let captures = captures.as_ref();
        let Some(first) = captures.first() else { continue };
        let mut before = tree.range(first.stood);
        let mut at_first = before;
        for pair in captures.windows(2).filter(|pair| pair[0].stood != pair[1].stood) {
            let at = pair[0].time.0.saturating_add(pair[1].time.0);
            let after = tree.range(pair[1].stood);
            if at > from {
                changes.push(Change { at, page: page as u32, before, after });
            } else {
                at_first = after;
            }
            before = after;
        }
        tree.begin(at_first, 1, units_of(page) as i64);
    }
    for Alike { span, units, pages } in alike {
        let range = tree.range(Some(*span));
        tree.begin(range, *pages as i32, *units as i64 * i64::from(*pages));
    }
    tree.build();
    // A stable sort keeps the changes of one page in their order.
    changes.sort_by_key(|change| (change.at, change.page));
    let mut sums = (0u128, 0u128);
    let mut at = from;
    let mut changes = changes.into_iter().peekable();
    loop {
        while let Some(change) = changes.next_if(|change| change.at <= at) {
            let units = units_of(change.page as usize) as i64;
            tree.add(change.before, -1, -units);
            tree.add(change.after, 1, units);
        }
        let until = changes.peek().map_or(to, |change| change.at.min(to));
        // An instant without length is asked as it is.
        let length = if from == to { 1 } else { (until.max(at) - at) as u128 };
        let (pages, units) = tree.most();
        sums.0 += length * u128::from(pages.max(1));
        sums.1 += length * u128::from(units.max(all.greatest));
        if until >= to {
            break;
        }
        at = until;
    }
    let length = if from == to { 1.0 } else { (to - from) as f64 };
    Some(QueryCoherence {
        by_number: sums.0 as f64 / length / all.pages as f64,
        by_weight: sums.1 as f64 / length / all.units as f64,
    })
}

/// From `at` on another interval of a page is in force.
#[derive(Debug, Clone, Copy)]
struct Change {
    at: i64,
    page: u32,
    before: Leaves,
    after: Leaves,
}

/// The starts inside an interval: the first, and the one behind the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leaves {
    low: u32,
    high: u32,
}

/// Sums over positions with addition on ranges and the maximum of all: by number and by weight.
struct Tree {
    starts: Vec<i64>,
    size: usize,
    nodes: Vec<Node>,
}

/// What was added to a whole subtree, and the maximum in it, that included.
#[derive(Clone, Copy, Default)]
struct Node {
    pages: i32,
    most_pages: i32,
    units: i64,
    most_units: i64,
}

impl Tree {
    fn new(starts: Vec<i64>) -> Self {
        let size = starts.len().next_power_of_two();
        Tree { starts, size, nodes: vec![Node::default(); 2 * size] }
    }

    fn most(&self) -> (u32, u64) {
        let root = self.nodes[1];
        (root.most_pages.max(0) as u32, root.most_units.max(0) as u64)
    }

    /// The starts inside a span: the maximum is always reached where some interval starts.
    fn range(&self, span: Option<Span>) -> Leaves {
        let Some(span) = span else { return Leaves { low: 0, high: 0 } };
        let low = self.starts.partition_point(|start| *start < span.low);
        let high = low + self.starts[low..].partition_point(|start| *start <= span.high);
        Leaves { low: low as u32, high: high as u32 }
    }

    /// Adds the interval of some pages that is in force at first: noted where it begins and ends, and summed by [`Tree::build`].
    fn begin(&mut self, Leaves { low, high }: Leaves, pages: i32, units: i64) {
        if low >= high {
            return;
        }
        let first = &mut self.nodes[self.size + low as usize];
        first.pages += pages;
        first.units += units;
        if let Some(behind) = self.nodes.get_mut(self.size + high as usize) {
            behind.pages -= pages;
            behind.units -= units;
        }
    }

    /// Makes the tree of what is in force at first.
    fn build(&mut self) {
        let (mut pages, mut units) = (0, 0);
        for leaf in &mut self.nodes[self.size..] {
            (pages, units) = (pages + leaf.pages, units + leaf.units);
            *leaf = Node { pages, most_pages: pages, units, most_units: units };
        }
        for node in (1..self.size).rev() {
            self.repair(node);
        }
    }

    /// Adds to all starts of a range.
    fn add(&mut self, Leaves { low, high }: Leaves, pages: i32, units: i64) {
        if low >= high {
            return;
        }
        let (mut left, mut right) = (low as usize + self.size, high as usize - 1 + self.size);
        self.raise(left, pages, units);
        if left != right {
            self.raise(right, pages, units);
            while left ^ right != 1 {
                if left & 1 == 0 {
                    self.raise(left ^ 1, pages, units);
                }
                if right & 1 == 1 {
                    self.raise(right ^ 1, pages, units);
                }
                (left, right) = (left / 2, right / 2);
                self.repair(left);
                self.repair(right);
            }
        }
        // Where the maximum of a subtree stays, nothing above it changes.
        while left > 1 {
            left /= 2;
            if !self.repair(left) {
                break;
            }
        }
    }

    fn raise(&mut self, node: usize, pages: i32, units: i64) {
        let node = &mut self.nodes[node];
        node.pages += pages;
        node.most_pages += pages;
        node.units += units;
        node.most_units += units;
    }

    /// Takes the maximum of a node from those below it; whether it changed.
    fn repair(&mut self, node: usize) -> bool {
        let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        let own = &mut self.nodes[node];
        let before = (own.most_pages, own.most_units);
        own.most_pages = own.pages + left.most_pages.max(right.most_pages);
        own.most_units = own.units + left.most_units.max(right.most_units);
        before != (own.most_pages, own.most_units)
    }
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
