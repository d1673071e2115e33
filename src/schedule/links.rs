//! How pages are found: seeds, and the pages that a page links to.

/// A link graph over pages `0..n`, as an online crawl meets it.
#[derive(Debug, Clone)]
pub struct Links {
    seeds: Vec<u32>,
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Links {
    /// The graph of the given links. Pages that cannot be reached from the seeds become seeds themselves, in their
    /// order, so that every plan holds every page.
    pub fn new(seeds: Vec<u32>, children: &[Vec<u32>]) -> Self {
        let n = children.len();
        let mut starts = Vec::with_capacity(n + 1);
        let mut targets = Vec::with_capacity(children.iter().map(Vec::len).sum());
        starts.push(0);
        for children in children {
            targets.extend(children.iter().copied().filter(|&child| (child as usize) < n));
            starts.push(targets.len() as u32);
        }
        let mut links = Links { seeds: Vec::new(), starts, targets };
        let mut seen = vec![false; n];
        for seed in seeds.into_iter().filter(|&seed| (seed as usize) < n).chain(0..n as u32) {
            if links.reach(seed, &mut seen) {
                links.seeds.push(seed);
            }
        }
        links
    }

    /// No links: every page is known from the start.
    pub fn flat(n: usize) -> Self {
        Links { seeds: (0..n as u32).collect(), starts: vec![0; n + 1], targets: Vec::new() }
    }

    /// The tree of the SHARC experiments (§9.3): page j links to `d·j+1 … d·j+d`; page 0 is the seed.
    pub fn tree(n: usize, outdegree: usize) -> Self {
        Links::of_tree(n, |page| (outdegree * page + 1).min(n)..(outdegree * page + outdegree + 1).min(n))
    }

    /// The tree of the SOLAR experiments (§6): `p0` links to `p1…p20`, and `p_i`, `0 < i < 99`, to `p_{10i+11}…p_{10i+20}`.
    pub fn solar_tree(n: usize) -> Self {
        Links::of_tree(n, |page| match page {
            0 => 1..21.min(n).max(1),
            1..99 => (10 * page + 11).min(n)..(10 * page + 21).min(n),
            _ => n..n,
        })
    }

    fn of_tree(n: usize, children: impl Fn(usize) -> std::ops::Range<usize>) -> Self {
        let children: Vec<Vec<u32>> =
            (0..n).map(|page| children(page).map(|child| child as u32).collect()).collect();
        Links::new(if n == 0 { vec![] } else { vec![0] }, &children)
    }

    /// The same graph, the links of every page in an order of their own under this seed.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        use rand::{SeedableRng, seq::SliceRandom};
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
        let mut links = self.clone();
        for ends in self.starts.windows(2) {
            links.targets[ends[0] as usize..ends[1] as usize].shuffle(&mut random);
        }
        links
    }

    /// Marks all that can be reached from `seed`; false if the seed itself was marked before.
    fn reach(&self, seed: u32, seen: &mut [bool]) -> bool {
        if std::mem::replace(&mut seen[seed as usize], true) {
            return false;
        }
        let mut stack = vec![seed];
        while let Some(page) = stack.pop() {
            for &child in self.children(page) {
                if !std::mem::replace(&mut seen[child as usize], true) {
                    stack.push(child);
                }
            }
        }
        true
    }

    /// Whether there is no link at all.
    pub fn is_flat(&self) -> bool {
        self.targets.is_empty()
    }

    /// Where the crawl begins.
    pub fn seeds(&self) -> &[u32] {
        &self.seeds
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pages that a page links to.
    pub fn children(&self, page: u32) -> &[u32] {
        let page = page as usize;
        &self.targets[self.starts[page] as usize..self.starts[page + 1] as usize]
    }
}

/// A crawl under way: which pages have been detected.
#[derive(Debug)]
pub(crate) struct Discovery<'a> {
    links: &'a Links,
    detected: Vec<bool>,
}

impl<'a> Discovery<'a> {
    /// Before the first download.
    pub(crate) fn new(links: &'a Links) -> Self {
        let mut detected = vec![false; links.len()];
        for &seed in links.seeds() {
            detected[seed as usize] = true;
        }
        Discovery { links, detected }
    }

    /// Downloads a page and gives the pages that are detected by that, in the order of the links.
    pub(crate) fn download(&mut self, page: u32) -> impl Iterator<Item = u32> + use<'a, '_> {
        let detected = &mut self.detected;
        let links = self.links;
        links
            .children(page)
            .iter()
            .copied()
            .filter(move |&child| !std::mem::replace(&mut detected[child as usize], true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_no_link_reaches_become_seeds() {
        let links = Links::new(vec![1, 9], &[vec![], vec![2, 7], vec![1], vec![0]]);
        assert_eq!(links.seeds(), [1, 0, 3]);
        assert_eq!(links.children(1), [2]);
    }

    #[test]
    fn shuffled_links_lead_to_the_same_pages() {
        let links = Links::tree(1000, 30);
        let shuffled = links.shuffled(7);
        assert!(links.targets != shuffled.targets && links.seeds() == shuffled.seeds());
        for page in 0..1000 {
            let mut children = shuffled.children(page).to_vec();
            children.sort_unstable();
            assert_eq!(children, links.children(page));
        }
        assert_eq!(shuffled.targets, links.shuffled(7).targets);
    }

    #[test]
    fn the_trees_of_the_papers_hold_every_page_once() {
        for links in [Links::tree(1000, 400), Links::tree(7, 2), Links::solar_tree(1000)] {
            let mut all: Vec<u32> =
                (0..links.len() as u32).flat_map(|page| links.children(page).to_vec()).collect();
            all.sort_unstable();
            assert_eq!(all, (1..links.len() as u32).collect::<Vec<_>>());
            assert_eq!(links.seeds(), [0]);
        }
        assert!(Links::tree(0, 400).is_empty());
        assert_eq!(Links::solar_tree(1).seeds(), [0]);
    }
}
