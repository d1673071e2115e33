//! Strategies on a site whose changes were recorded: the same crawls, started at many moments of its history.
//!
//! A crawl of given duration begins at each start, with the pages that exist then: n pages, so a download every
//! `Δ = duration/2n`. Each source of rates gives the strategies what it knows; the recorded changes decide.
//!
//! | score | realised |
//! |---|---|
//! | `incoherence` | weight of the pages known to have changed, or to have gone, between visit and revisit, or to have gone before the visit |
//! | `pages` | number of those known to have stayed as they were |
//! | `undecided` | weight of those that cannot be decided: the incoherence lies between `incoherence` and the sum of the two |
//! | the others | as on a synthetic site, with the death of a page as a change; unknown where something in the window is |
//!
//! What is *expected* is what a strategy would expect: the closed form for Poisson pages of the rates it was given. Where that is far
//! from what was realised, the pages did not change as Poisson processes of these rates. Standard errors are over starts.
//! Where starts are dense, crawls overlap, and sites drift: the standard error is then too small.
//!
//! Source: Denev et al., *The SHARC framework*, VLDB Journal, §9.3 to §9.5 (crawls of weeks on histories of years: a stress test).

mod rates;

use rates::last_changes;
pub(crate) use rates::{RateOrigin, rates};

use super::crawl::Crawl;
use super::model::{Row, Simulation};
use super::process::Process;
use super::replay::{Happened, Replay, Snapshot, starts};
use super::run::{Knowledge, Outcome, Planning, expected, lead};
use super::score::Score;
use super::score::query::Served;
use super::spec::Spec;
use super::synthetic::Point;
use crate::error::Result;
use crate::format::duration;
use crate::quality::weight::Weights;
use crate::schedule::Site;
use crate::schedule::links::Links;
use crate::schedule::parallel::jobs;
use crate::time::Instant;

/// Name of the row for what could not be decided.
pub(crate) const UNDECIDED: &str = "undecided";

#[derive(Debug, Clone)]
pub(crate) struct Recorded<'a> {
    pub replay: &'a Replay,
    /// Seconds that a crawl takes.
    pub duration: f64,
    pub starts: usize,
    /// Seconds of history that must lie before a crawl.
    pub lead: f64,
    /// Sources of rates; all are run.
    pub told: &'a [RateOrigin],
    pub specs: &'a [Spec],
    pub planning: Planning,
    pub scores: &'a [Score],
    /// The strategy that all others are compared with, crawl by crawl.
    pub against: Option<&'a str>,
    pub threads: usize,
}

/// What one strategy reached in one crawl: expected and realised by every score, what was undecided, downloads.
struct Reached {
    scores: Vec<(Option<f64>, Option<f64>)>,
    undecided: f64,
    downloads: u64,
}

/// One crawl: pages, and what every strategy reached.
struct Crawled {
    pages: usize,
    reached: Vec<Reached>,
}

pub(crate) fn run(recorded: &Recorded) -> Result<Simulation> {
    let world = &recorded.replay.world;
    let starts = starts(world, recorded.starts, recorded.duration, recorded.lead)?;
    let crawled = jobs(recorded.threads, starts.len() * recorded.told.len(), |job| {
        crawl(recorded, starts[job % starts.len()], &recorded.told[job / starts.len()])
    });
    let crawled: Vec<Crawled> = crawled.into_iter().collect::<Result<_>>()?;
    let mut simulation = Simulation::new(format!("Strategies on the history of {}", world.name));
    simulation.notes.push(note(recorded, &starts, &crawled[..starts.len()]));
    let chunks: Vec<&[Crawled]> = crawled.chunks(starts.len().max(1)).collect();
    let plain = recorded.told.iter().position(|told| matches!(told, RateOrigin::Estimated(_)));
    for (told, crawled) in recorded.told.iter().zip(&chunks) {
        let site = format!("{}, {} rates", world.name, told.name());
        rows(recorded, &site, crawled, &mut simulation.rows);
        let is_rule =
            matches!(told, RateOrigin::Unordered(_) | RateOrigin::Discounted(_) | RateOrigin::Mixed(_));
        if let Some(plain) = plain.filter(|_| is_rule) {
            gains(recorded, &site, crawled, chunks[plain], &mut simulation.rows);
        }
    }
    Ok(simulation)
}

/// The crawl that begins at `start`, by every strategy.
fn crawl(recorded: &Recorded, start: f64, told: &RateOrigin) -> Result<Crawled> {
    let snapshot = Snapshot::at(recorded.replay, start, recorded.duration);
    let world = &snapshot.replay.world;
    let pages = world.pages.len();
    let delay = recorded.duration / (2 * pages.max(1)) as f64;
    let weights: Vec<f64> = world.pages.iter().map(|page| page.weight).collect();
    let rates = rates(recorded.replay, &snapshot, told);
    let processes: Vec<Process> = rates.iter().map(|&rate| Process::Poisson { rate }).collect();
    let changed = last_changes(recorded.replay, &snapshot, told);
    let site = Site::new(rates, delay)?.with_weights(weights.clone())?.with_changed(changed)?;
    let seen = if recorded.planning.ignore_weights { site.unweighted() } else { site.clone() };
    let links = links(&snapshot);
    // A deletion is a change: from then on the response differs.
    let end = start + recorded.duration;
    let changes: Vec<Vec<f64>> = world
        .pages
        .iter()
        .map(|page| {
            let death = (page.died > start && page.died <= end).then_some(page.died);
            page.changes.iter().copied().chain(death).map(|change| change - start).collect()
        })
        .collect();
    let mut plans = Vec::with_capacity(recorded.specs.len());
    for spec in recorded.specs {
        let strategy = spec.strategy()?;
        plans.push(match recorded.planning.knowledge {
            Knowledge::Seeds => strategy.crawl(&seen, &links),
            Knowledge::All => strategy.plan(&seen),
        });
    }
    let mut reached = Vec::with_capacity(recorded.specs.len());
    for plan in lead(&seen, recorded.specs, plans) {
        let crawl = Crawl::Planned { plan, delay };
        let one = Judged { snapshot: &snapshot, start, crawl: &crawl, weights: &weights, changes: &changes };
        let scores = recorded.scores.iter().map(|&score| {
            (expected(&processes, &weights, &crawl, score).map(|(mean, _)| mean), one.realised(score))
        });
        let scores = scores.collect();
        reached.push(Reached {
            scores,
            undecided: one.weight_of(Happened::Unknown),
            downloads: crawl.downloads(false),
        });
    }
    Ok(Crawled { pages, reached })
}

/// A crawl that was made, to be judged.
struct Judged<'a> {
    snapshot: &'a Snapshot,
    start: f64,
    crawl: &'a Crawl,
    weights: &'a [f64],
    changes: &'a [Vec<f64>],
}

impl Judged<'_> {
    /// What happened to a page between its visit and its revisit.
    fn happened(&self, page: usize) -> Happened {
        let mut buffer = [0.0; 2];
        let captures = self.crawl.view(page, false, &mut buffer).captures;
        match (captures.first(), captures.last()) {
            (Some(first), Some(last)) => {
                self.snapshot.replay.between(page, self.start + first, self.start + last)
            }
            _ => Happened::Absent,
        }
    }

    fn weight_of(&self, what: Happened) -> f64 {
        (0..self.weights.len())
            .filter(|page| self.happened(*page) == what)
            .map(|page| self.weights[page])
            .sum()
    }

    fn realised(&self, score: Score) -> Option<f64> {
        let pages = 0..self.weights.len();
        match score {
            Score::Incoherence => Some(self.weight_of(Happened::Changed) + self.weight_of(Happened::Absent)),
            Score::Pages => {
                Some(pages.filter(|page| self.happened(*page) == Happened::Unchanged).count() as f64)
            }
            // The score is known only if the whole window is.
            _ if self.snapshot.replay.world.pages.iter().any(|page| !page.unknown.is_empty()) => None,
            Score::Query => {
                let mut served = Served::default();
                for page in pages {
                    let mut buffer = [0.0; 2];
                    served.add(self.crawl.view(page, false, &mut buffer), &self.changes[page]);
                }
                served.coherence(&Weights::new(self.weights), 0.0, self.crawl.window(false))
            }
            _ => {
                let total: f64 = self.weights.iter().sum();
                let plain = Process::Poisson { rate: 0.0 };
                let one = |page: usize| {
                    let mut buffer = [0.0; 2];
                    let view = self.crawl.view(page, score.is_single(), &mut buffer);
                    score.factor(self.weights[page], total)
                        * score.realised(&plain, view, &self.changes[page])
                };
                Some(pages.map(one).sum())
            }
        }
    }
}

/// The links between the pages of a snapshot. A crawl begins at the front page: the one with the shortest URL.
fn links(snapshot: &Snapshot) -> Links {
    let world = &snapshot.replay.world;
    if world.links.iter().all(Vec::is_empty) {
        return Links::flat(world.pages.len());
    }
    let front = (0..world.pages.len()).min_by_key(|page| world.pages[*page].url.len());
    Links::new(front.map(|page| page as u32).into_iter().collect(), &world.links)
}

fn mean(values: Vec<f64>) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn point(recorded: &Recorded, crawled: &[Crawled]) -> Point {
    let pages = mean(crawled.iter().map(|crawl| crawl.pages as f64).collect()).unwrap_or(0.0);
    Point {
        pages: pages.round() as usize,
        duration_days: Some(recorded.duration / 86_400.0),
        ..Point::default()
    }
}

/// What one strategy came to by one score, over all crawls.
fn outcome(recorded: &Recorded, crawled: &[Crawled], place: usize, score: usize) -> Outcome {
    let cells: Vec<_> = crawled.iter().map(|crawl| crawl.reached[place].scores[score]).collect();
    let expected: Option<Vec<f64>> = cells.iter().map(|cell| cell.0).collect();
    let samples: Option<Vec<f64>> = cells.iter().map(|cell| cell.1).collect();
    let downloads = crawled.iter().map(|crawl| crawl.reached[place].downloads as f64).collect();
    Outcome {
        strategy: recorded.specs[place].label.clone(),
        score: recorded.scores[score],
        expected: expected.and_then(mean),
        deviation: None,
        samples: samples.unwrap_or_default(),
        downloads: mean(downloads).unwrap_or(0.0),
    }
}

/// What a rule for rates gains over plain estimates, strategy by strategy and crawl by crawl.
fn gains(recorded: &Recorded, site: &str, crawled: &[Crawled], plain: &[Crawled], rows: &mut Vec<Row>) {
    for score in 0..recorded.scores.len() {
        for place in 0..recorded.specs.len() {
            let [ours, theirs] = [crawled, plain].map(|crawls| outcome(recorded, crawls, place, score));
            // What each expects of its own rates cannot be compared.
            let gain = Outcome { expected: None, ..ours.gain_over(&theirs, 1.0) };
            let mut row = Row::new(site, point(recorded, crawled), &gain, None);
            row.score = format!("gain in {} over estimated rates", row.score);
            row.strategy = ours.strategy;
            rows.push(row);
        }
    }
}

/// The rows of one source of rates: score by score, and what was undecided, if anything was.
fn rows(recorded: &Recorded, site: &str, crawled: &[Crawled], rows: &mut Vec<Row>) {
    let point = point(recorded, crawled);
    let outcome = |place: usize, score: usize| outcome(recorded, crawled, place, score);
    for score in 0..recorded.scores.len() {
        let outcomes: Vec<Outcome> = (0..recorded.specs.len()).map(|place| outcome(place, score)).collect();
        rows.extend(outcomes.iter().map(|outcome| Row::new(site, point, outcome, None)));
        let against = outcomes.iter().find(|outcome| Some(outcome.strategy.as_str()) == recorded.against);
        for other in outcomes.iter().filter(|_| against.is_some()) {
            if let Some(against) = against.filter(|against| against.strategy != other.strategy) {
                let gain = other.gain_over(against, 1.0);
                let mut row = Row::new(site, point, &gain, None);
                row.score = format!("gain in {} over {}", row.score, against.strategy);
                row.strategy.clone_from(&other.strategy);
                rows.push(row);
            }
        }
    }
    if crawled.iter().any(|crawl| crawl.reached.iter().any(|reached| reached.undecided > 0.0)) {
        for place in 0..recorded.specs.len() {
            let samples = crawled.iter().map(|crawl| crawl.reached[place].undecided).collect();
            let mut row =
                Row::new(site, point, &Outcome { samples, expected: None, ..outcome(place, 0) }, None);
            row.score = UNDECIDED.to_owned();
            rows.push(row);
        }
    }
}

/// When, how many pages, and how fast.
fn note(recorded: &Recorded, starts: &[f64], crawled: &[Crawled]) -> String {
    let date = |at: Option<&f64>| at.map_or(String::new(), |at| Instant::from_seconds(*at).to_string());
    let least = crawled.iter().map(|crawl| crawl.pages).min().unwrap_or(0);
    let most = crawled.iter().map(|crawl| crawl.pages).max().unwrap_or(0);
    let delay = |pages: usize| recorded.duration / (2 * pages.max(1)) as f64;
    let range = |from: String, to: String| if from == to { from } else { format!("{from} to {to}") };
    format!(
        "{} crawls that take {}, begun from {} to {}; {} pages, a download every {}.",
        starts.len(),
        duration(recorded.duration),
        date(starts.first()),
        date(starts.last()),
        range(least.to_string(), most.to_string()),
        range(duration(delay(most)), duration(delay(least))),
    )
}

#[cfg(test)]
mod tests;
