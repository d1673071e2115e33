//! Links followed in random order: the reading of the SHARC tables.
//!
//! Breadth first and depth first depend on the order in which a page's links are followed, which the paper does not give. With
//! the links of every page shuffled, its cells are met. A published cell is one run on one order, so
//!
//! ```text
//! expected  = mean over shuffles of the expectation
//! variance  = mean over shuffles of the variance of a run + variance of the expectation over shuffles
//! ```

use crate::error::Result;
use crate::schedule::links::Links;
use crate::schedule::parallel::jobs;
use crate::simulate::crawl::Crawl;
use crate::simulate::run::{Outcome, Planning, expected};
use crate::simulate::spec::Spec;
use crate::simulate::synthetic::Synthetic;

/// Shuffles of a site, and of a larger one.
const SHUFFLES: u64 = 40;
const FEW_SHUFFLES: u64 = 8;
const LARGE: usize = 50_000;

/// Replaces expectation and deviation of the strategies that depend on the order of links.
pub(super) fn average(
    made: &Synthetic,
    tree: &Links,
    specs: &[Spec],
    planning: Planning,
    threads: usize,
    outcomes: &mut [Outcome],
) -> Result<()> {
    if tree.is_flat() {
        return Ok(());
    }
    let shuffles = if made.site.len() > LARGE { FEW_SHUFFLES } else { SHUFFLES };
    for (spec, outcome) in specs.iter().zip(outcomes) {
        if !(spec.name.starts_with("bfs") || spec.name.starts_with("dfs")) {
            continue;
        }
        let strategy = spec.strategy()?;
        let moments = jobs(threads, shuffles as usize, |shuffle| {
            let plan = strategy.crawl(&made.site, &tree.shuffled(shuffle as u64));
            let plan = if planning.shared_middle { plan.with_shared_middle() } else { plan };
            let crawl = Crawl::Planned { plan, delay: made.site.delay() };
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
