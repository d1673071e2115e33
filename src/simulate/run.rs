//! Strategies against a synthetic site: plans, expected scores, and scores realised under many seeds.
//!
//! One thread plans for one strategy at a time. Histories are drawn page by page, each from the stream of its seed and page, and
//! every strategy is judged on the same history; nothing is kept but sums. Sums are taken over fixed pieces of the site in fixed
//! order, so the number of threads changes no bit of the result.

use super::crawl::Crawl;
use super::process::Process;
use super::score::{Score, query::Served};
use super::spec::Spec;
use super::synthetic::Synthetic;
use crate::error::Result;
use crate::quality::weight::Weights;
use crate::schedule::compare::difference;
use crate::schedule::optimal::rivals;
use crate::schedule::parallel::jobs;
use crate::schedule::{Plan, Site};

/// Pages summed at a time.
const PIECE: usize = 1 << 14;

/// What strategies may know before the crawl begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Knowledge {
    /// The seeds: pages are found by links, except by strategies that need to know all pages.
    #[default]
    Seeds,
    All,
}

/// How plans are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Planning {
    /// What strategies know before the crawl begins.
    pub knowledge: Knowledge,
    /// Whether the last visit and the first revisit always fall together, as SOLAR counts.
    pub shared_middle: bool,
    /// Whether strategies do not see the page weights; they are still judged by them.
    pub ignore_weights: bool,
}

/// The seeds `first`, `first + 1`, ….
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// How many runs, each with the next seed.
    pub count: u64,
}

/// What one strategy reached by one score.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub strategy: String,
    pub score: Score,
    /// Expected value; `None` where there is no closed form.
    pub expected: Option<f64>,
    /// The standard deviation of one run, by closed form.
    pub deviation: Option<f64>,
    /// Realised, seed by seed.
    pub samples: Vec<f64>,
    pub downloads: f64,
}

impl Outcome {
    /// By how much this strategy is better than another, run by run, in units of `unit`: less where less is better.
    pub fn gain_over(&self, other: &Outcome, unit: f64) -> Outcome {
        let sign = if self.score.more_is_better() { 1.0 } else { -1.0 };
        // Plus zero: no gain is 0, not −0.
        let gain = |ours: f64, theirs: f64| sign * difference(ours, theirs) / unit + 0.0;
        Outcome {
            strategy: format!("{} over {}", self.strategy, other.strategy),
            score: self.score,
            expected: self.expected.zip(other.expected).map(|(ours, theirs)| gain(ours, theirs)),
            deviation: None,
            samples: self
                .samples
                .iter()
                .zip(&other.samples)
                .map(|(ours, theirs)| gain(*ours, *theirs))
                .collect(),
            downloads: self.downloads,
        }
    }
}

/// The crawls of strategies on a site.
pub fn plan(
    made: &Synthetic,
    specs: &[Spec],
    planning: Planning,
    threads: usize,
) -> Result<Vec<(String, Crawl)>> {
    let blind = planning.ignore_weights.then(|| made.site.unweighted());
    let site = blind.as_ref().unwrap_or(&made.site);
    let planned = jobs(threads, specs.len(), |job| {
        let strategy = specs[job].strategy()?;
        let plan = match planning.knowledge {
            Knowledge::Seeds => strategy.crawl(site, &made.links),
            Knowledge::All => strategy.plan(site),
        };
        Ok(if planning.shared_middle { plan.with_shared_middle() } else { plan })
    });
    let plans = lead(site, specs, planned.into_iter().collect::<Result<_>>()?);
    let delay = made.site.delay();
    Ok(specs
        .iter()
        .zip(plans)
        .map(|(spec, plan)| (spec.label.clone(), Crawl::Planned { plan, delay }))
        .collect())
}

/// No plan of a comparison is ahead of the optimum.
pub(crate) fn lead(site: &Site, specs: &[Spec], mut plans: Vec<Plan>) -> Vec<Plan> {
    for place in (0..specs.len()).filter(|&place| specs[place].name == rivals::OPTIMAL) {
        plans[place] = rivals::lead(site, plans[place].clone(), &plans);
    }
    plans
}

/// What the crawls reach by the scores: all scores of the first crawl, then those of the next.
pub fn judge(
    made: &Synthetic,
    crawls: &[(String, Crawl)],
    scores: &[Score],
    seeds: Seeds,
    threads: usize,
) -> Vec<Outcome> {
    let expected = jobs(threads, crawls.len() * scores.len(), |job| {
        expected(
            &made.processes,
            made.site.weights(),
            &crawls[job / scores.len()].1,
            scores[job % scores.len()],
        )
    });
    let sampled = sampled(made, crawls, scores, seeds, threads);
    let mut outcomes = Vec::with_capacity(expected.len());
    for (job, (expected, samples)) in expected.into_iter().zip(sampled).enumerate() {
        let ((strategy, crawl), score) = (&crawls[job / scores.len()], scores[job % scores.len()]);
        outcomes.push(Outcome {
            strategy: strategy.clone(),
            score,
            expected: expected.map(|(mean, _)| mean),
            deviation: expected.and_then(|(_, variance)| variance).map(f64::sqrt),
            samples,
            downloads: crawl.downloads(score.is_single()) as f64,
        });
    }
    outcomes
}

/// Mean and variance of a score over pages of these laws and weights: pages are independent. `None` without a closed form.
pub(crate) fn expected(
    processes: &[Process],
    weights: &[f64],
    crawl: &Crawl,
    score: Score,
) -> Option<(f64, Option<f64>)> {
    let total: f64 = weights.iter().sum();
    let (mut mean, mut variance) = (0.0, Some(0.0));
    for (page, process) in processes.iter().enumerate() {
        let mut buffer = [0.0; 2];
        let view = crawl.view(page, score.is_single(), &mut buffer);
        let factor = score.factor(weights[page], total);
        // A page that was never captured contributes nothing.
        if view.captures.is_empty() {
            continue;
        }
        let moments = score.expected(process, view)?;
        mean += factor * moments.mean;
        variance = variance.zip(moments.variance).map(|(sum, one)| sum + factor * factor * one);
    }
    mean.is_finite().then_some((mean, variance))
}

/// The realised scores: for every crawl and score the values of all seeds.
pub(crate) fn sampled(
    made: &Synthetic,
    crawls: &[(String, Crawl)],
    scores: &[Score],
    seeds: Seeds,
    threads: usize,
) -> Vec<Vec<f64>> {
    let count = seeds.count as usize;
    let total: f64 = made.site.weights().iter().sum();
    let cells = crawls.len() * scores.len();
    let singles: Vec<bool> = scores.iter().map(|score| score.is_single()).collect();
    let windows = crawls.iter().flat_map(|(_, crawl)| singles.iter().map(|single| crawl.window(*single)));
    let horizon = windows.fold(0.0, f64::max);
    let pages = made.processes.len();
    let pieces = pages.div_ceil(PIECE).max(1);
    let additive = scores.iter().any(|score| *score != Score::Query);
    let sums = jobs(threads, if additive { count * pieces } else { 0 }, |job| {
        let (seed, piece) = (seeds.first + (job / pieces) as u64, job % pieces);
        let (mut sums, mut changes) = (vec![0.0; cells], Vec::new());
        for page in piece * PIECE..pages.min((piece + 1) * PIECE) {
            made.draw(seed, page, horizon, &mut changes);
            let weight = made.site.weights()[page];
            for (row, (_, crawl)) in sums.chunks_mut(scores.len()).zip(crawls) {
                for (sum, score) in row.iter_mut().zip(scores) {
                    let mut buffer = [0.0; 2];
                    let view = crawl.view(page, score.is_single(), &mut buffer);
                    let realised = score.realised(&made.processes[page], view, &changes);
                    *sum += score.factor(weight, total) * realised;
                }
            }
        }
        sums
    });
    let mut samples = vec![vec![0.0; count]; cells];
    for (job, sums) in sums.into_iter().enumerate() {
        for (samples, sum) in samples.iter_mut().zip(sums) {
            samples[job / pieces] += sum;
        }
    }
    if let Some(place) = scores.iter().position(|score| *score == Score::Query) {
        let coherence = query(made, crawls, seeds, horizon, threads);
        for (crawl, values) in coherence.into_iter().enumerate() {
            samples[crawl * scores.len() + place] = values;
        }
    }
    samples
}

/// Query coherence needs the whole site at once: one seed after the other, for every crawl the values of all seeds.
fn query(
    made: &Synthetic,
    crawls: &[(String, Crawl)],
    seeds: Seeds,
    horizon: f64,
    threads: usize,
) -> Vec<Vec<f64>> {
    let weights = Weights::new(made.site.weights());
    let by_seed = jobs(threads, seeds.count as usize, |job| {
        let mut served: Vec<Served> = crawls.iter().map(|_| Served::default()).collect();
        let mut changes = Vec::new();
        for page in 0..made.processes.len() {
            made.draw(seeds.first + job as u64, page, horizon, &mut changes);
            for (served, (_, crawl)) in served.iter_mut().zip(crawls) {
                let mut buffer = [0.0; 2];
                served.add(crawl.view(page, false, &mut buffer), &changes);
            }
        }
        let coherence = |(served, (_, crawl)): (Served, &(String, Crawl))| {
            served.coherence(&weights, 0.0, crawl.window(false)).unwrap_or(0.0)
        };
        served.into_iter().zip(crawls).map(coherence).collect::<Vec<f64>>()
    });
    (0..crawls.len()).map(|crawl| by_seed.iter().map(|values| values[crawl]).collect()).collect()
}
