//! Synthetic sites: pages whose law of change is known, and the links by which they are found.

pub(crate) mod sharc;
pub(crate) mod solar;
pub(crate) mod chances;
pub(crate) mod daily;
pub(crate) mod described;

use serde::{Deserialize, Serialize};

pub(crate) use described::{Described, Kind};

use super::process::{Process, stream};
use super::world::{Subject, World};
use crate::error::{Error, Result};
use crate::schedule::Site;
use crate::schedule::links::Links;

/// Sites of more pages than this are refused: their pages would not fit into memory.
pub(crate) const MOST_PAGES: usize = 20_000_000;

/// A site made up by a rule.
#[derive(Debug, Clone)]
pub struct Synthetic {
    /// What tables call it.
    pub name: String,
    /// Where it lies in a sweep.
    pub point: Point,
    /// What strategies know of its pages.
    pub site: Site,
    /// How pages are found.
    pub links: Links,
    /// How every page changes.
    pub processes: Vec<Process>,
}

/// What was varied from site to site. `None` where the site has no such thing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Point {
    /// Number of pages.
    pub pages: usize,
    /// How unevenly changes are spread over the pages.
    pub skew: Option<f64>,
    /// Δ in units of the site's time.
    pub slow_down: Option<f64>,
    /// Downloads a period, as a share of the pages.
    pub resources: Option<f64>,
    /// Days that a crawl of a recorded site takes.
    pub duration_days: Option<f64>,
}

/// What the pages of a synthetic site weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Importance {
    /// All the same: 1.
    #[default]
    Equal,
    /// `n/(H·(1 + r))`, r the rank by heat and H the harmonic number: the hottest pages matter most, as front pages do.
    Heat,
}

impl Synthetic {
    /// A site of these processes, all pages weighing the same.
    fn new(name: String, point: Point, processes: Vec<Process>, delay: f64, links: Links) -> Result<Self> {
        let site = Site::new(processes.iter().map(Process::rate).collect(), delay)?;
        Ok(Synthetic { name, point, site, links, processes })
    }

    /// Gives the pages their weights.
    pub fn weighing(mut self, importance: Importance) -> Result<Self> {
        if importance == Importance::Equal {
            return Ok(self);
        }
        let n = self.site.len();
        let harmonic: f64 = (1..=n).map(|rank| 1.0 / rank as f64).sum();
        let mut weights = vec![0.0; n];
        for (rank, page) in self.site.hottest_first().into_iter().enumerate() {
            weights[page as usize] = n as f64 / (harmonic * (1.0 + rank as f64));
        }
        self.site = self.site.with_weights(weights)?;
        self.name.push_str(" by heat");
        Ok(self)
    }

    /// The changes of a page in (0, to] under a seed, put in place of what `changes` holds.
    pub fn draw(&self, seed: u64, page: usize, to: f64, changes: &mut Vec<f64>) {
        self.processes[page].draw(0.0, to, &mut stream(seed, page as u64), changes);
    }

    /// All that happens on the site from 0 to `to` under a seed.
    pub fn world(&self, seed: u64, to: f64) -> World {
        let subject = |page: usize| {
            let mut changes = Vec::new();
            self.draw(seed, page, to, &mut changes);
            Subject {
                url: format!("p{page}"),
                weight: self.site.weights()[page],
                born: f64::NEG_INFINITY,
                died: f64::INFINITY,
                changes,
                unknown: Vec::new(),
            }
        };
        World {
            name: self.name.clone(),
            from: 0.0,
            to,
            pages: (0..self.site.len()).map(subject).collect(),
            links: (0..self.links.len() as u32).map(|page| self.links.children(page).to_vec()).collect(),
        }
    }
}

/// Refuses what cannot be the size of a site.
fn check_pages(pages: usize) -> Result<()> {
    if pages == 0 || pages > MOST_PAGES {
        return Err(Error::usage(format!("a synthetic site has 1 to {MOST_PAGES} pages, not {pages}")));
    }
    Ok(())
}

/// Refuses what is no positive number.
fn check_positive(name: &str, value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(Error::usage(format!("{name} is a number greater than 0, not {value}")))
}
