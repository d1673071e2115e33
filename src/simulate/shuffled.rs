//! Links followed in random order: the reading of the SHARC tables, and of synthetic sites with links.
//!
//! Breadth first and depth first depend on the order in which a page's links are followed, which the paper does not give. With
//! the links of every page shuffled, its cells are met. A published cell is one run on one order, so
//!
//! ```text
//! expected  = mean over shuffles of the expectation
//! variance  = mean over shuffles of the variance of a run + variance of the expectation over shuffles
//! ```
//!
//! and a sample of ours is the same: every seed draws an order of links of its own beside its changes, so that the spread of the
//! samples holds both.

use crate::error::Result;
use crate::schedule::Strategy;
use crate::schedule::links::Links;
use crate::schedule::parallel::jobs;
use crate::simulate::crawl::Crawl;
use crate::simulate::run::{Outcome, Planning, Seeds, expected, sampled};
use crate::simulate::score::Score;
use crate::simulate::spec::Spec;
use crate::simulate::synthetic::Synthetic;

/// Number of shuffles of a site, the number for a large site, and the pages from which a site is large.
const SHUFFLES: u64 = 40;
const SHUFFLES_OF_LARGE: u64 = 8;
const LARGE_PAGES: usize = 50_000;

/// How a site is crawled with its links in random order.
pub(super) struct Shuffled<'a> {
    pub made: &'a Synthetic,
    /// The links in the order of the pages.
    pub tree: &'a Links,
    pub planning: Planning,
    pub seeds: Seeds,
    pub threads: usize,
}

impl Shuffled<'_> {
    /// The crawl of a strategy with the links of this shuffle.
    fn crawl(&self, strategy: &dyn Strategy, shuffle: u64) -> Crawl {
        let plan = strategy.crawl(&self.made.site, &self.tree.shuffled(shuffle));
        let plan = if self.planning.shared_middle { plan.with_shared_middle() } else { plan };
        Crawl::Planned { plan, delay: self.made.site.delay() }
    }

    /// One sample for every seed, each with an order of links of its own.
    fn samples(&self, strategy: &dyn Strategy, score: Score) -> Vec<f64> {
        let one = |place: usize| {
            let first = self.seeds.first + place as u64;
            let crawl = (String::new(), self.crawl(strategy, first));
            sampled(self.made, &[crawl], &[score], Seeds { first, count: 1 }, 1).concat()
        };
        jobs(self.threads, self.seeds.count as usize, one).concat()
    }
}

/// Whether a strategy depends on the order of a page's links.
pub(super) fn depends_on_links(spec: &Spec) -> bool {
    spec.name.starts_with("bfs") || spec.name.starts_with("dfs")
}

/// Replaces expectation, deviation and samples of the strategies that depend on the order of links. The outcomes of a strategy, one
/// for each score, stand together.
pub(super) fn average(by: &Shuffled<'_>, specs: &[Spec], outcomes: &mut [Outcome]) -> Result<()> {
    let Shuffled { made, tree, threads, .. } = *by;
    if tree.is_flat() {
        return Ok(());
    }
    let shuffles = if made.site.len() > LARGE_PAGES { SHUFFLES_OF_LARGE } else { SHUFFLES };
    let scores = (outcomes.len() / specs.len().max(1)).max(1);
    let outcomes = specs.iter().zip(outcomes.chunks_mut(scores));
    for (spec, outcome) in outcomes.flat_map(|(spec, own)| own.iter_mut().map(move |outcome| (spec, outcome)))
    {
        if !depends_on_links(spec) {
            continue;
        }
        let strategy = spec.strategy()?;
        outcome.samples = by.samples(&*strategy, outcome.score);
        let moments = jobs(threads, shuffles as usize, |shuffle| {
            let crawl = by.crawl(&*strategy, shuffle as u64);
            expected(&made.processes, made.site.weights(), &crawl, outcome.score)
        });
        let Some(moments) = moments.into_iter().collect::<Option<Vec<_>>>() else { continue };
        let n = moments.len() as f64;
        let mean = moments.iter().map(|(mean, _)| mean).sum::<f64>() / n;
        let between = moments.iter().map(|(one, _)| (one - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let within: Option<f64> = moments.iter().map(|(_, variance)| *variance).sum();
        outcome.expected = Some(mean);
        outcome.deviation = within.map(|within| (within / n + between).sqrt());
    }
    Ok(())
}
