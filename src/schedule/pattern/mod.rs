//! Pattern-based crawling: M downloads a period, the most urgent pages first.
//!
//! A pattern tells how much changes in each period of a cycle (a day of 24 hours; or a week of 168, where work days and
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
//! important as any other. Cost: `O(n)` a period to select, `O(M log M)` to sort.

mod urgency;

pub use urgency::{Kind, Urgency, Urgent};

use crate::error::{Error, Result};

/// What a page does in each period of a cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    changes: Vec<f64>,
    importance: Vec<f64>,
}

impl Pattern {
    /// Expected changes, and expected importance of changes, for every period of the cycle.
    pub fn new(changes: Vec<f64>, importance: Vec<f64>) -> Result<Self> {
        if changes.is_empty() || changes.len() != importance.len() {
            return Err(Error::usage(
                "a pattern tells changes and importance for the same periods, one or more",
            ));
        }
        if changes.iter().chain(&importance).any(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(Error::data("a pattern holds finite numbers, zero or more"));
        }
        Ok(Pattern { changes, importance })
    }

    /// Number of periods in the cycle.
    pub fn periods(&self) -> usize {
        self.changes.len()
    }

    /// Expected changes in period k of the running count.
    pub fn changes(&self, k: usize) -> f64 {
        self.changes[k % self.changes.len()]
    }

    /// Expected importance of changes in period k of the running count.
    pub fn importance(&self, k: usize) -> f64 {
        self.importance[k % self.importance.len()]
    }

    /// Mean importance over the cycle.
    pub fn mean_importance(&self) -> f64 {
        self.importance.iter().sum::<f64>() / self.importance.len() as f64
    }
}
