//! Pattern-based crawling: M downloads a period, the most urgent pages first.
//!
//! A pattern says how much changes in each period of a cycle (a day of 24 hours; or a week of 168, where work days and
//! holidays differ). A page's urgency grows with the time since it was last fetched:
//!
//! ```text
//! U = ω(P) · ω_k · (t − t_last)     ω(P): page weight;  ω_k: what the page is expected to do in period k
//! ```
//!
//! | strategy | ω_k |
//! |---|---|
//! | importance-pattern | mean importance of changes in period k |
//! | pattern | changes in period k, whatever their importance |
//! | importance | mean importance over all periods: fixed |
//!
//! Source: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, §6,
//! Algorithm 1, and §7 for the two reduced strategies. Without a pattern a page does λ in every period, each change as
//! important as any other. Cost: `O(n)` a period to select, `O(M log M)` to sort. Pages that behave alike share a [`Cycle`],
//! so that a million patterns fit into memory.

mod urgency;

pub(crate) use urgency::{Kind, Urgency, Urgent};

use std::sync::Arc;

use crate::error::{Error, Result};

/// What happens in each period of a cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    changes: Vec<f64>,
    importance: Vec<f64>,
    mean_importance: f64,
    period_seconds: Option<f64>,
}

impl Cycle {
    /// Expected changes, and expected importance of changes, for every period.
    pub fn new(changes: Vec<f64>, importance: Vec<f64>) -> Result<Self> {
        if changes.is_empty() || changes.len() != importance.len() {
            return Err(Error::usage(
                "a pattern tells changes and importance for the same periods, one or more",
            ));
        }
        if changes.iter().chain(&importance).any(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Error::data("a pattern holds finite numbers, zero or more"));
        }
        let mean_importance = importance.iter().sum::<f64>() / importance.len() as f64;
        Ok(Cycle { changes, importance, mean_importance, period_seconds: None })
    }

    /// Says how long a period lasts, so that as many downloads are made in it as Δ allows.
    #[must_use]
    pub fn lasting(mut self, period_seconds: f64) -> Self {
        self.period_seconds = Some(period_seconds);
        self
    }
}

/// What a page does in each period: a cycle that it may share with others, times a level of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    cycle: Arc<Cycle>,
    level: f64,
    first: usize,
}

impl Pattern {
    pub fn new(changes: Vec<f64>, importance: Vec<f64>) -> Result<Self> {
        Ok(Pattern::of(Arc::new(Cycle::new(changes, importance)?), 1.0))
    }

    /// A cycle, all of it multiplied by the level. A level without bound would swallow every weight.
    pub fn of(cycle: Arc<Cycle>, level: f64) -> Self {
        Pattern { cycle, level: level.clamp(0.0, 1e100), first: 0 }
    }

    /// The same, the crawl beginning in this period of the cycle.
    #[must_use]
    pub fn starting(mut self, period: usize) -> Self {
        self.first = period % self.periods();
        self
    }

    /// Number of periods in the cycle.
    pub fn periods(&self) -> usize {
        self.cycle.changes.len()
    }

    /// How long a period lasts, where that is known.
    pub fn period_seconds(&self) -> Option<f64> {
        self.cycle.period_seconds
    }

    /// Expected changes in period k of the running count.
    pub fn changes(&self, k: usize) -> f64 {
        self.level * self.cycle.changes[(self.first + k) % self.periods()]
    }

    /// Expected importance of changes in period k of the running count.
    pub fn importance(&self, k: usize) -> f64 {
        self.level * self.cycle.importance[(self.first + k) % self.periods()]
    }

    /// Mean importance over the cycle.
    pub fn mean_importance(&self) -> f64 {
        self.level * self.cycle.mean_importance
    }
}
