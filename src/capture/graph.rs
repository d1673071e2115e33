//! The link graph of an archive: which URL points to which, and how.
//!
//! Compact: a node is a number, an edge takes nine bytes while the graph is built and five afterwards (compressed
//! sparse rows). Ten million edges over two million URLs: `cargo bench --bench graph` measures them.

use std::collections::HashMap;

use crate::capture::names::{NameList, Names};
use crate::html::links::LinkKind;
use crate::problem::{Level, Problem};

/// Collects edges.
#[derive(Debug)]
pub struct GraphBuilder {
    urls: Names,
    edges: Vec<Edge>,
    max_edges: usize,
    max_nodes: usize,
    left_out: u64,
    /// The nodes that were linked to last: only here to be used again.
    targets: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C, packed)]
struct Edge {
    from: u32,
    to: u32,
    kind: LinkKind,
}

impl Default for GraphBuilder {
    fn default() -> Self {
        Self::with_limits(100_000_000, 50_000_000)
    }
}

impl GraphBuilder {
    /// A builder with a maximum number of edges and URLs; the rest is only counted.
    pub fn with_limits(max_edges: usize, max_nodes: usize) -> Self {
        let max_nodes = max_nodes.min(u32::MAX as usize - 1);
        GraphBuilder {
            urls: Names::new(),
            edges: Vec::new(),
            max_edges,
            max_nodes,
            left_out: 0,
            targets: Vec::new(),
        }
    }

    /// The number of a URL key. `None`: there is no room for another one.
    pub fn node(&mut self, key: &str) -> Option<u32> {
        if self.urls.len() < self.max_nodes {
            return Some(self.urls.intern(key));
        }
        self.urls.find(key)
    }

    /// Adds an edge between two nodes. Repetitions count once.
    pub fn edge(&mut self, from: u32, to: u32, kind: LinkKind) {
        if self.edges.len() >= self.max_edges {
            self.compact();
        }
        if self.edges.len() >= self.max_edges {
            self.left_out += 1;
        } else {
            self.edges.push(Edge { from, to, kind });
        }
    }

    /// Adds an edge between two URL keys.
    pub fn link(&mut self, from: &str, to: &str, kind: LinkKind) {
        let from = self.node(from);
        self.link_from(from, to, kind);
    }

    /// Adds an edge from a node, if there was room for it, to a URL key.
    pub fn link_from(&mut self, from: Option<u32>, to: &str, kind: LinkKind) {
        match (from, self.node(to)) {
            (Some(from), Some(to)) => self.edge(from, to, kind),
            _ => self.left_out += 1,
        }
    }

    /// Adds an edge from a node, if there was room for it, to each of these URL keys.
    pub fn link_all<'a>(
        &mut self,
        from: Option<u32>,
        links: impl Iterator<Item = (LinkKind, &'a str)> + Clone,
    ) {
        let Some(node) = from.filter(|_| self.urls.len() + links.clone().count() <= self.max_nodes) else {
            return links.for_each(|(kind, to)| self.link_from(from, to, kind));
        };
        let mut targets = std::mem::take(&mut self.targets);
        self.urls.intern_all(links.clone().map(|(_, to)| to), &mut targets);
        for ((kind, _), to) in links.zip(&targets) {
            self.edge(node, *to, kind);
        }
        self.targets = targets;
    }

    fn compact(&mut self) {
        self.edges.sort_unstable();
        self.edges.dedup();
    }

    /// Numbers the nodes in the order of their names, so that numbers do not depend on the order in which names came. Gives
    /// for each old number the new one.
    pub fn sort_nodes(&mut self) -> Vec<u32> {
        let names = std::mem::take(&mut self.urls).into_list();
        let mut order: Vec<u32> = (0..names.len() as u32).collect();
        order.sort_unstable_by(|a, b| names.get(*a).cmp(names.get(*b)));
        let mut places = vec![u32::MAX; order.len()];
        for old in order {
            places[old as usize] = self.urls.intern(names.get(old));
        }
        for edge in &mut self.edges {
            *edge = Edge { from: places[edge.from as usize], to: places[edge.to as usize], kind: edge.kind };
        }
        places
    }

    /// The graph, and a problem if a limit left edges out.
    pub fn finish(self) -> (LinkGraph, Option<Problem>) {
        let problem = (self.left_out > 0).then(|| {
            let message = format!("the link graph is full; {} links were left out", self.left_out);
            Problem::new(Level::Warning, "links-left-out", message)
        });
        (LinkGraph { rows: Rows::of(&self.edges, self.urls.len()), urls: self.urls }, problem)
    }
}

/// Edges as compressed sparse rows: for every node its targets in their order, each with its kinds.
#[derive(Debug, Clone, Default)]
struct Rows {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    kinds: Vec<LinkKind>,
}

impl Rows {
    /// Edges in any order, repetitions once. A page's links come together and are few: each row is sorted on its own.
    fn of(edges: &[Edge], nodes: usize) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for edge in edges {
            starts[edge.from as usize + 1] += 1;
        }
        for at in 0..nodes {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut targets = vec![0u32; edges.len()];
        let mut kinds = vec![LinkKind::Anchor; edges.len()];
        for edge in edges {
            let place = &mut next[edge.from as usize];
            targets[*place as usize] = edge.to;
            kinds[*place as usize] = edge.kind;
            *place += 1;
        }
        let mut row: Vec<(u32, LinkKind)> = Vec::new();
        let mut kept = 0;
        for node in 0..nodes {
            let range = starts[node] as usize..starts[node + 1] as usize;
            starts[node] = kept as u32;
            row.clear();
            row.extend(targets[range.clone()].iter().copied().zip(kinds[range].iter().copied()));
            row.sort_unstable();
            row.dedup();
            for &(to, kind) in &row {
                (targets[kept], kinds[kept]) = (to, kind);
                kept += 1;
            }
        }
        starts[nodes] = kept as u32;
        targets.truncate(kept);
        kinds.truncate(kept);
        Rows { offsets: starts, targets, kinds }
    }

    fn out(&self, node: u32) -> impl Iterator<Item = (u32, LinkKind)> + '_ {
        let range = match self.offsets.get(node as usize..node as usize + 2) {
            Some(&[from, to]) => from as usize..to as usize,
            _ => 0..0,
        };
        self.targets[range.clone()].iter().copied().zip(self.kinds[range].iter().copied())
    }
}

/// A finished link graph.
#[derive(Debug, Clone, Default)]
pub struct LinkGraph {
    urls: Names,
    rows: Rows,
}

impl LinkGraph {
    /// The URL keys; a node is its number there.
    pub fn urls(&self) -> &Names {
        &self.urls
    }

    pub fn nodes(&self) -> usize {
        self.urls.len()
    }

    pub fn edges(&self) -> usize {
        self.rows.targets.len()
    }

    /// Where a node points to, by number of the target.
    pub fn out(&self, node: u32) -> impl Iterator<Item = (u32, LinkKind)> + '_ {
        self.rows.out(node)
    }

    /// The graph between the chosen nodes alone, embedded resources and self-links left out, each pair once: what a
    /// reader can follow from page to page. Node `i` of the result is `chosen[i]`.
    ///
    /// A link to a redirect counts as a link to its target, so that importance flows on.
    pub fn between(&self, chosen: &[u32]) -> Adjacency {
        let places = Places::new(self.nodes(), chosen);
        let mut leads: HashMap<u32, u32> = HashMap::new();
        let mut offsets = Vec::with_capacity(chosen.len() + 1);
        let mut targets: Vec<u32> = Vec::new();
        // For every target the last node that was seen to lead to it.
        let mut seen = vec![u32::MAX; chosen.len()];
        offsets.push(0);
        for (at, &node) in chosen.iter().enumerate() {
            for (to, kind) in self.out(node) {
                if kind.is_embed() && kind != LinkKind::Frame {
                    continue;
                }
                let to = match places.get(to) {
                    u32::MAX => *leads.entry(to).or_insert_with(|| self.through_redirects(to, &places)),
                    place => place,
                };
                if to != u32::MAX && to as usize != at && seen[to as usize] != at as u32 {
                    seen[to as usize] = at as u32;
                    targets.push(to);
                }
            }
            offsets.push(targets.len() as u32);
        }
        Adjacency { offsets, targets }
    }

    /// The chosen node that the redirects of a node lead to; `u32::MAX`: none.
    fn through_redirects(&self, node: u32, places: &Places) -> u32 {
        let mut node = node;
        for _ in 0..MAX_REDIRECTS {
            let mut redirects = self.out(node).filter(|(_, kind)| *kind == LinkKind::Redirect);
            let Some((first, _)) = redirects.next() else { return u32::MAX };
            let known = std::iter::once(first).chain(redirects.map(|(to, _)| to)).map(|to| places.get(to));
            if let Some(place) = known.into_iter().find(|place| *place != u32::MAX) {
                return place;
            }
            node = first;
        }
        u32::MAX
    }

    /// Adds the graph to a builder with other names for its nodes, so that nodes which get one name become one. Returns the old
    /// names, and for every node of the builder which of them is the first by its letters. The edges are gone: there is no
    /// room for both graphs. `spell` gets which node uses which old name, of nodes with several and of those that are `watched`.
    pub fn contract(
        self,
        builder: &mut GraphBuilder,
        name: impl Fn(&str, &mut String),
        watched: &[u32],
        spell: &mut dyn FnMut(&NameList, Spelling),
    ) -> (NameList, Vec<u32>) {
        let LinkGraph { urls, rows } = self;
        let urls = urls.into_list();
        let mut spelled: Vec<u32> = Vec::new();
        let mut several: Vec<u32> = watched.to_vec();
        let mut scratch = String::new();
        let places: Vec<Option<u32>> = (0..urls.len() as u32)
            .map(|node| {
                name(urls.get(node), &mut scratch);
                let place = builder.node(&scratch)?;
                if place as usize >= spelled.len() {
                    spelled.resize(place as usize, u32::MAX);
                    spelled.push(node);
                } else if let Some(known) = spelled.get_mut(place as usize) {
                    several.extend((*known != u32::MAX).then_some(place));
                    if *known == u32::MAX || urls.get(node) < urls.get(*known) {
                        *known = node;
                    }
                }
                Some(place)
            })
            .collect();
        let mut is_told = vec![false; if several.is_empty() { 0 } else { spelled.len() }];
        for place in several {
            if let Some(is_told) = is_told.get_mut(place as usize) {
                *is_told = true;
            }
        }
        let is_told = |place: u32| is_told.get(place as usize) == Some(&true);
        for by in 0..urls.len() as u32 {
            let from = places[by as usize];
            let mut has_links = false;
            for (old, kind) in rows.out(by) {
                has_links = true;
                match (from, places[old as usize]) {
                    (Some(from), Some(to)) => builder.edge(from, to, kind),
                    _ => builder.left_out += 1,
                }
                if let Some(node) = places[old as usize].filter(|node| is_told(*node)) {
                    spell(&urls, Spelling { by, name: old, node });
                }
            }
            if let Some(node) = from.filter(|node| has_links && is_told(*node)) {
                spell(&urls, Spelling { by, name: by, node });
            }
        }
        (urls, spelled)
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        let Rows { offsets, targets, kinds } = &self.rows;
        self.urls.memory() + offsets.capacity() * 4 + targets.capacity() * 4 + kinds.capacity()
    }
}

/// How a node is called by one that links to it, or by itself.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    /// The old number of the node that links.
    pub by: u32,
    /// The old number of the name that it uses.
    pub name: u32,
    pub node: u32,
}

/// Maximum number of redirects followed from a link.
const MAX_REDIRECTS: usize = 5;

/// The places of chosen nodes: a table if they are many, else a map, so that a small site of a large archive is cheap.
enum Places {
    Table(Vec<u32>),
    Map(HashMap<u32, u32>),
}

impl Places {
    fn new(nodes: usize, chosen: &[u32]) -> Self {
        let numbered = (0u32..).zip(chosen);
        if chosen.len() < nodes / 8 {
            return Places::Map(numbered.map(|(at, node)| (*node, at)).collect());
        }
        let mut table = vec![u32::MAX; nodes];
        for (at, node) in numbered {
            if let Some(place) = table.get_mut(*node as usize) {
                *place = at;
            }
        }
        Places::Table(table)
    }

    fn get(&self, node: u32) -> u32 {
        match self {
            Places::Table(table) => table.get(node as usize).copied(),
            Places::Map(map) => map.get(&node).copied(),
        }
        .unwrap_or(u32::MAX)
    }
}

/// A plain directed graph: for every node its targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjacency {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// From lists of targets. Targets that are not nodes are left out.
    pub fn from_lists(lists: &[Vec<u32>]) -> Self {
        let mut adjacency = Adjacency { offsets: vec![0], targets: Vec::new() };
        for list in lists {
            adjacency.targets.extend(list.iter().filter(|&&to| (to as usize) < lists.len()));
            adjacency.offsets.push(adjacency.targets.len() as u32);
        }
        adjacency
    }

    pub fn nodes(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The targets of a node.
    pub fn out(&self, node: usize) -> &[u32] {
        &self.targets[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }

    /// How many nodes point to each.
    pub fn inlinks(&self) -> Vec<u32> {
        let mut inlinks = vec![0u32; self.nodes()];
        for &to in &self.targets {
            inlinks[to as usize] += 1;
        }
        inlinks
    }

    /// The number of links from the nearest of the given nodes; `None`: there is no way.
    pub fn depths(&self, from: &[u32]) -> Vec<Option<u32>> {
        let mut depths = vec![None; self.nodes()];
        let mut queue = std::collections::VecDeque::new();
        for &node in from {
            if let Some(depth @ None) = depths.get_mut(node as usize) {
                *depth = Some(0);
                queue.push_back(node);
            }
        }
        while let Some(node) = queue.pop_front() {
            let next = depths[node as usize].map(|depth| depth + 1);
            for &to in self.out(node as usize) {
                if depths[to as usize].is_none() {
                    depths[to as usize] = next;
                    queue.push_back(to);
                }
            }
        }
        depths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_kept_once_and_sorted_by_source_and_target() {
        let mut builder = GraphBuilder::default();
        for (from, to, kind) in [
            ("a", "b", LinkKind::Anchor),
            ("b", "c", LinkKind::Anchor),
            ("a", "c", LinkKind::Image),
            ("a", "b", LinkKind::Anchor),
            ("a", "b", LinkKind::Relation),
            ("a", "a", LinkKind::Anchor),
        ] {
            builder.link(from, to, kind);
        }
        let (graph, problem) = builder.finish();
        assert!(problem.is_none());
        assert_eq!((graph.nodes(), graph.edges()), (3, 5));
        let out: Vec<_> = graph.out(0).collect();
        assert_eq!(
            out,
            [(0, LinkKind::Anchor), (1, LinkKind::Anchor), (1, LinkKind::Relation), (2, LinkKind::Image)]
        );
        assert_eq!(graph.out(2).count(), 0);
        assert_eq!(graph.out(99).count(), 0);
        let pages = graph.between(&[1, 0, 2]);
        assert_eq!(pages, Adjacency::from_lists(&[vec![2], vec![0], vec![]]));
        assert_eq!(pages.inlinks(), [1, 0, 1]);
        assert_eq!(pages.depths(&[1]), [Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn links_to_redirects_are_links_to_their_targets() {
        let mut builder = GraphBuilder::default();
        builder.link("a", "old", LinkKind::Anchor);
        builder.link("old", "older", LinkKind::Redirect);
        builder.link("older", "new", LinkKind::Redirect);
        builder.link("a", "new", LinkKind::Anchor);
        builder.link("b", "loop", LinkKind::Anchor);
        builder.link("loop", "loop", LinkKind::Redirect);
        builder.link("b", "old", LinkKind::Anchor);
        let (graph, _) = builder.finish();
        let nodes: Vec<u32> = ["a", "b", "new"].map(|key| graph.urls().find(key).unwrap()).to_vec();
        assert_eq!(graph.between(&nodes), Adjacency::from_lists(&[vec![2], vec![2], vec![]]));
    }

    #[test]
    fn a_full_graph_says_how_much_it_left_out() {
        let mut builder = GraphBuilder::with_limits(2, 3);
        for to in ["b", "c", "d", "b"] {
            builder.link("a", to, LinkKind::Anchor);
        }
        builder.link("b", "c", LinkKind::Anchor);
        let (graph, problem) = builder.finish();
        assert_eq!((graph.nodes(), graph.edges()), (3, 2));
        assert!(problem.unwrap().message.contains("3 links"));
    }

    #[test]
    fn a_million_edges_take_less_than_50_megabytes() {
        let mut builder = GraphBuilder::default();
        // 200,000 URLs of ordinary length; `cargo bench --bench graph` builds ten million edges over two million URLs.
        let mut key = String::new();
        for i in 0..200_000u32 {
            use std::fmt::Write;
            key.clear();
            let _ = write!(key, "org,example,www)/some/section/of/the/site/page-{i}.html?x=y");
            builder.node(&key);
        }
        let mut state = 1u64;
        for _ in 0..1_000_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            builder.edge((state >> 33) as u32 % 200_000, (state >> 13) as u32 % 200_000, LinkKind::Anchor);
        }
        let building = builder.urls.memory() + builder.edges.capacity() * size_of::<Edge>();
        let (graph, _) = builder.finish();
        assert!(
            building + graph.memory() - graph.urls().memory() < 50_000_000,
            "{building} {}",
            graph.memory()
        );
    }
}
