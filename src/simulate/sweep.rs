//! Strategies on synthetic sites, one site after the other.

use super::continuous;
use super::model::{Row, Simulation};
use super::run::{Knowledge, Planning, Seeds, judge, plan};
use super::score::Score;
use super::shuffled::{Shuffled, average, depends_on_links};
use super::spec::Spec;
use super::synthetic::{Described, Importance, Kind, daily};
use crate::error::{Error, Result};
use crate::schedule::registry::Settings;

/// On larger sites, strategies of quadratic cost are run only if named.
pub(crate) const QUADRATIC_LIMIT: usize = 200_000;

#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    pub sites: Vec<Described>,
    pub importance: Importance,
    pub strategies: Vec<String>,
    /// Default settings of the strategies.
    pub settings: Settings,
    pub planning: Planning,
    pub scores: Vec<Score>,
    /// How long a site with daily patterns is crawled.
    pub days: usize,
    pub seeds: Seeds,
    pub threads: usize,
}

pub(crate) fn run(sweep: &Sweep) -> Result<Simulation> {
    let mut simulation = Simulation::new("Strategies on synthetic sites");
    let mut left_out: Vec<String> = Vec::new();
    let mut is_shuffled = false;
    for described in &sweep.sites {
        let mut made = described.build(sweep.importance)?;
        let tree = made.links.clone();
        made.links = tree.shuffled(sweep.seeds.first);
        let mut specs = match sweep.strategies.as_slice() {
            [] => Spec::all(&sweep.settings)?,
            names => names.iter().map(|name| Spec::parse(name, &sweep.settings)).collect::<Result<_>>()?,
        };
        if sweep.strategies.is_empty() && made.site.len() > QUADRATIC_LIMIT {
            left_out.extend(specs.iter().filter(|spec| spec.is_quadratic()).map(|spec| spec.label.clone()));
            specs.retain(|spec| !spec.is_quadratic());
        }
        let crawls = match described.kind {
            Kind::Daily => {
                if let Some(score) = sweep.scores.iter().find(|score| !Score::OF_DAYS.contains(score)) {
                    return Err(Error::usage(format!("{} does not apply to a crawl of days", score.name()))
                        .with_remedy("choose --score completeness, query or blur-revisits"));
                }
                let periods = sweep.days * daily::PERIODS;
                continuous::plan(&made, &specs, periods, sweep.planning, sweep.threads)?
            }
            _ => plan(&made, &specs, sweep.planning, sweep.threads)?,
        };
        let mut outcomes = judge(&made, &crawls, &sweep.scores, sweep.seeds, sweep.threads);
        let is_found = sweep.planning.knowledge == Knowledge::Seeds && described.kind != Kind::Daily;
        if is_found && !tree.is_flat() {
            let (planning, seeds, threads) = (sweep.planning, sweep.seeds, sweep.threads);
            let by = Shuffled { made: &made, tree: &tree, planning, seeds, threads };
            average(&by, &specs, &mut outcomes)?;
            is_shuffled |= specs.iter().any(depends_on_links);
        }
        // All strategies by the first score, then by the next.
        for place in 0..sweep.scores.len() {
            let of_score = outcomes.iter().skip(place).step_by(sweep.scores.len());
            let row = |outcome| Row::new(&made.name, made.point, outcome, None);
            simulation.rows.extend(of_score.map(row));
        }
    }
    if is_shuffled {
        simulation.notes.push(
            "Links are followed in random order: figures of breadth and depth first are means over orders, and each run has its own."
                .to_owned(),
        );
    }
    left_out.sort();
    left_out.dedup();
    if !left_out.is_empty() {
        simulation
            .notes
            .push(format!("Left out above {QUADRATIC_LIMIT} pages, unless named: {}.", left_out.join(", ")));
    }
    Ok(simulation)
}
