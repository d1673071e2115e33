//! SHARC-selective online: the rule of SHARC-selective on the pages detected so far.
//!
//! With d pages downloaded the intervals `I_0 … I_{N−1−d}` are left. The e detected pages are judged as if they had to take
//! the e *longest* of these (the shorter ones are kept for what is still to be found): if one is hopeless, the hottest such
//! page is visited now and so gets the longest interval; otherwise the coldest page is. Revisits are last-in-first-out.
//!
//! Page i of the detected ones, hottest first, with intervals `J_0 < J_1 < …`, is hopeful if
//!
//! ```text
//! a_i − z_i ≥ Σ_{j>i} (b_j − a_j),    a_j = w_j·e^(−μ_j J_j),  b_j = w_j·e^(−μ_j J_{j−1}),  z_i = w_i·e^(−μ_i J_{e−1})
//! ```
//!
//! which is the comparison of the two diagonal sums with equal terms taken out.
//!
//! Source: Denev et al., *The SHARC framework*, §7.2, Algorithm 4 ("while F *or* H"; the |D| longest remaining intervals).
//! Cost: `O(e)` a download, without an exponential unless pages were detected; a few additions a page.

use super::selective::TIE;
use crate::schedule::links::{Discovery, Links};
use crate::schedule::order::Order;
use crate::schedule::site::{Site, survival};

/// The order of visits of SHARC-selective online.
pub(crate) struct SelectiveOnline;

impl Order for SelectiveOnline {
    fn order(&self, site: &Site, links: &Links) -> Vec<u32> {
        let mut rank = vec![0u32; site.len()];
        for (place, page) in site.hottest_first().into_iter().enumerate() {
            rank[page as usize] = place as u32;
        }
        let mut waiting = Waiting::new(site, links.seeds(), &rank);
        let mut discovery = Discovery::new(links);
        let mut order = Vec::with_capacity(site.len());
        while let Some(coldest) = waiting.pages.len().checked_sub(1) {
            let page = waiting.take(waiting.hottest_hopeless().unwrap_or(coldest));
            order.push(page);
            waiting.detect(discovery.download(page), &rank);
        }
        order
    }
}

/// Downloads between two exact evaluations, and the 2μΔ beyond which pages are always evaluated; as for the offline rule.
const REFRESH: usize = 64;
const HOT: f64 = 8.0;

/// Pages examined at a time.
const CHUNK: usize = 256;

/// The detected pages, hottest first, with the terms of the rule.
struct Waiting<'a> {
    site: &'a Site,
    pages: Vec<u32>,
    /// Number of the shortest interval that detected pages may take.
    base: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    z: Vec<f64>,
    growth: Vec<f64>,
    age: usize,
}

impl<'a> Waiting<'a> {
    fn new(site: &'a Site, seeds: &[u32], rank: &[u32]) -> Self {
        let (a, b, z, growth) = (vec![], vec![], vec![], vec![]);
        let mut waiting = Waiting { site, pages: vec![], base: site.len(), a, b, z, growth, age: 0 };
        waiting.detect(seeds.iter().copied(), rank);
        waiting
    }

    /// Adds pages; they take shorter intervals away from those that are still to be found.
    fn detect(&mut self, found: impl Iterator<Item = u32>, rank: &[u32]) {
        let before = self.pages.len();
        self.pages.extend(found);
        let found = self.pages.len() - before;
        if found > 0 {
            self.base -= found;
            self.pages.sort_by_key(|&page| rank[page as usize]);
            self.evaluate();
        }
    }

    /// All terms from the definition.
    fn evaluate(&mut self) {
        let (site, base, last) = (self.site, self.base, self.pages.len().saturating_sub(1));
        let term = |page: u32, k: usize| {
            let term =
                site.weights()[page as usize] * survival(site.rates()[page as usize], site.interval(k));
            if term < 1e-290 { 0.0 } else { term }
        };
        let pages = || self.pages.iter().copied().enumerate();
        self.a = pages().map(|(j, page)| term(page, base + j)).collect();
        self.b = pages().map(|(j, page)| term(page, (base + j).saturating_sub(1))).collect();
        self.z = pages().map(|(_, page)| term(page, base + last)).collect();
        let step = |page: u32| 2.0 * site.delay() * site.rates()[page as usize];
        self.growth =
            pages().map(|(_, page)| if step(page) > HOT { 0.0 } else { step(page).exp() }).collect();
        self.age = 0;
    }

    /// The hottest page that the rule gives up.
    ///
    /// From the coldest on, chunk by chunk. What the colder pages gain only grows on the way, so where even all of a chunk's own
    /// gain added leaves every page of it with more to lose, none of them is hopeless, and most chunks end there.
    fn hottest_hopeless(&self) -> Option<usize> {
        let mut gain = 0.0;
        let mut hottest = None;
        let mut end = self.pages.len();
        while end > 0 {
            let start = (end - 1) / CHUNK * CHUNK;
            let (own, least) = self.bounds(start, end);
            if gain + own > least {
                let mut colder = gain;
                for i in (start..end).rev() {
                    let zero = self.site.interval(self.base + i) == 0.0;
                    if !zero && self.a[i] * TIE < colder + self.z[i] {
                        hottest = Some(i);
                    }
                    colder += self.b[i] - self.a[i];
                }
            }
            gain += own;
            end = start;
        }
        hottest
    }

    /// What the pages of a chunk gain together, and the least that one of them has to lose. In lanes, so that the sums go
    /// side by side.
    fn bounds(&self, start: usize, end: usize) -> (f64, f64) {
        const LANES: usize = 8;
        let (a, b, z) = (&self.a[start..end], &self.b[start..end], &self.z[start..end]);
        let (mut gains, mut least) = ([0.0; LANES], [f64::INFINITY; LANES]);
        let whole = a.len() / LANES * LANES;
        let lanes = a[..whole].chunks_exact(LANES).zip(b.chunks_exact(LANES)).zip(z.chunks_exact(LANES));
        for ((a, b), z) in lanes {
            for lane in 0..LANES {
                gains[lane] += b[lane] - a[lane];
                let loss = a[lane] * TIE - z[lane];
                least[lane] = if loss < least[lane] { loss } else { least[lane] };
            }
        }
        for place in whole..a.len() {
            gains[0] += b[place] - a[place];
            least[0] = f64::min(least[0], a[place] * TIE - z[place]);
        }
        (gains.iter().sum(), least.into_iter().fold(f64::INFINITY, f64::min))
    }

    /// Downloads the i-th page: it gets the longest interval, and colder ones move one step inwards.
    fn take(&mut self, i: usize) -> u32 {
        let page = self.pages.remove(i);
        for terms in [&mut self.a, &mut self.b, &mut self.z, &mut self.growth] {
            terms.remove(i);
        }
        self.age += 1;
        // Growth 0 marks a page that is too hot to be carried on by multiplication.
        if self.age.is_multiple_of(REFRESH) || self.growth.first() == Some(&0.0) {
            self.evaluate();
            return page;
        }
        for (z, growth) in self.z.iter_mut().zip(&self.growth) {
            *z *= growth;
        }
        for ((a, b), growth) in self.a.iter_mut().zip(&mut self.b).zip(&self.growth).skip(i) {
            *a = *b;
            *b *= growth;
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Waiting<'_> {
        /// The rule page by page.
        fn hottest_hopeless_slowly(&self) -> Option<usize> {
            let (mut gain, mut hottest) = (0.0, None);
            for i in (0..self.pages.len()).rev() {
                let zero = self.site.interval(self.base + i) == 0.0;
                if !zero && self.a[i] * TIE < gain + self.z[i] {
                    hottest = Some(i);
                }
                gain += self.b[i] - self.a[i];
            }
            hottest
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn chunks_decide_as_pages_do(
            pages in prop::collection::vec((-5.0f64..1.0, 0.1f64..3.0), 1..900), outdegree in 1usize..60,
        ) {
            let (rates, weights): (Vec<f64>, Vec<f64>) = pages.into_iter().map(|(log, weight)| (10f64.powf(log), weight)).unzip();
            let site = Site::new(rates, 1.0).unwrap().with_weights(weights).unwrap();
            let links = Links::tree(site.len(), outdegree);
            let mut rank = vec![0u32; site.len()];
            for (place, page) in site.hottest_first().into_iter().enumerate() {
                rank[page as usize] = place as u32;
            }
            let mut waiting = Waiting::new(&site, links.seeds(), &rank);
            let mut discovery = Discovery::new(&links);
            while let Some(coldest) = waiting.pages.len().checked_sub(1) {
                let hopeless = waiting.hottest_hopeless();
                prop_assert_eq!(hopeless, waiting.hottest_hopeless_slowly());
                let page = waiting.take(hopeless.unwrap_or(coldest));
                waiting.detect(discovery.download(page), &rank);
            }
        }
    }
}
