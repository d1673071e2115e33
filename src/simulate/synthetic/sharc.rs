//! The synthetic sites of SHARC.
//!
//! ```text
//! λ_i = 1/(i + 1)^skew, i = 0 … n−1;   page j of the tree links to d·j+1 … d·j+d
//! ```
//!
//! *Cold leaves*: page j of the tree has rank j, the root is hottest. *Hot leaves*: ranks are reversed, the root is coldest. A
//! slow-down multiplies the time between two downloads, so every interval.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum, *The SHARC framework for data quality in Web archiving*, VLDB Journal, §9.3 and §9.6;
//! by default skew 1.2, outdegree 400, n = 10,000.

use serde::Deserialize;

use super::{Point, Synthetic, check_pages, check_positive};
use crate::error::{Error, Result};
use crate::schedule::links::Links;
use crate::simulate::process::Process;

/// Which end of the tree is hot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leaves {
    /// The root is hottest.
    #[default]
    Cold,
    /// The root is coldest.
    Hot,
}

/// A site of the SHARC experiments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sharc {
    /// n.
    pub pages: usize,
    /// How unevenly changes are spread.
    pub skew: f64,
    /// Links a page.
    pub outdegree: usize,
    /// Which end of the tree is hot.
    pub leaves: Leaves,
    /// Δ.
    pub slow_down: f64,
}

impl Default for Sharc {
    fn default() -> Self {
        Sharc { pages: 10_000, skew: 1.2, outdegree: 400, leaves: Leaves::Cold, slow_down: 1.0 }
    }
}

impl Sharc {
    /// A site with these rates; an error where they make no sense.
    pub fn site(&self) -> Result<Synthetic> {
        check_pages(self.pages)?;
        check_positive("the slow-down", self.slow_down)?;
        if !self.skew.is_finite() || self.outdegree == 0 {
            return Err(Error::usage("the skew is a number, and a page of a tree links to one page or more"));
        }
        let rate = |rank: usize| 1.0 / (rank as f64 + 1.0).powf(self.skew);
        let rank = |page: usize| match self.leaves {
            Leaves::Cold => page,
            Leaves::Hot => self.pages - 1 - page,
        };
        let processes = (0..self.pages).map(|page| Process::Poisson { rate: rate(rank(page)) }).collect();
        let links = Links::tree(self.pages, self.outdegree);
        let point = Point {
            pages: self.pages,
            skew: Some(self.skew),
            slow_down: Some(self.slow_down),
            ..Point::default()
        };
        Synthetic::new(self.name(), point, processes, self.slow_down, links)
    }

    fn name(&self) -> String {
        let leaves = match self.leaves {
            Leaves::Cold => "cold",
            Leaves::Hot => "hot",
        };
        let slower = if self.slow_down == 1.0 { String::new() } else { format!(" ×{}", self.slow_down) };
        format!("sharc {leaves} {} ^{}{slower}", self.pages, self.skew)
    }
}
