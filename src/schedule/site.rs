//! What a strategy knows of the pages of one lane.

use super::page::Found;
use super::pattern::Pattern;
use crate::error::{Error, Result};

/// The pages of one lane (a host, or a subsite of it), fetched one every [`delay`](Site::delay) seconds.
#[derive(Debug, Clone)]
pub struct Site {
    rates: Vec<f64>,
    weights: Vec<f64>,
    delay: f64,
    two_phase: bool,
    patterns: Vec<Pattern>,
    found: Vec<Found>,
    changed: Vec<f64>,
}

/// The chance that a page of this rate (changes per second) does not change within `seconds`: `e^(−λI)`.
///
/// Nothing changes in no time, not even a page of infinite rate; and a page of rate zero never changes.
pub(crate) fn survival(rate: f64, seconds: f64) -> f64 {
    if rate == 0.0 || seconds == 0.0 { 1.0 } else { (-rate * seconds).exp() }
}

impl Site {
    /// A site whose pages weigh the same. Rates are changes per second, `0 ≤ λ ≤ ∞`; the delay Δ is in seconds.
    pub fn new(rates: Vec<f64>, delay: f64) -> Result<Self> {
        if let Some(page) = rates.iter().position(|rate| rate.is_nan() || *rate < 0.0) {
            return Err(Error::data(format!("page {page} has the change rate {}", rates[page]))
                .with_remedy("a rate is a number of changes per unit of time, zero or more"));
        }
        if !(delay.is_finite() && delay >= 0.0) {
            return Err(Error::usage(format!("{delay} seconds cannot be a delay between downloads")));
        }
        if u32::try_from(rates.len()).is_err() {
            return Err(Error::usage("a lane holds at most 4,294,967,295 pages"));
        }
        let weights = vec![1.0; rates.len()];
        Ok(Site {
            rates,
            weights,
            delay,
            two_phase: false,
            patterns: Vec::new(),
            found: Vec::new(),
            changed: Vec::new(),
        })
    }

    /// Gives every page its weight, `0 ≤ w < ∞`.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.rates.len() {
            return Err(Error::usage("there must be one weight for every page"));
        }
        if let Some(page) = weights.iter().position(|weight| !(weight.is_finite() && *weight >= 0.0)) {
            return Err(Error::data(format!("page {page} has the weight {}", weights[page]))
                .with_remedy("a weight is a finite number, zero or more"));
        }
        self.weights = weights;
        Ok(self)
    }

    /// Gives every page its pattern of change (an empty list: every page follows its rate, day and night).
    pub fn with_patterns(mut self, patterns: Vec<Pattern>) -> Result<Self> {
        if !patterns.is_empty() && patterns.len() != self.rates.len() {
            return Err(Error::usage("there must be one pattern for every page"));
        }
        self.patterns = patterns;
        Ok(self)
    }

    /// Says when crawls that follow links find every page (an empty list: links are unknown).
    pub fn with_found(mut self, found: Vec<Found>) -> Result<Self> {
        if !found.is_empty() && found.len() != self.rates.len() {
            return Err(Error::usage("there must be one place for every page"));
        }
        self.found = found;
        Ok(self)
    }

    /// Says when each page was last seen to change, in seconds (−∞: never seen; an empty list: not known). Decides ties.
    pub fn with_changed(mut self, changed: Vec<f64>) -> Result<Self> {
        if !changed.is_empty() && changed.len() != self.rates.len() {
            return Err(Error::usage("there must be one date of change for every page"));
        }
        self.changed = changed;
        Ok(self)
    }

    /// Fetches the page in the middle twice, so that visits and revisits are two complete crawls: every interval
    /// grows by Δ.
    #[must_use]
    pub fn two_phase(mut self, two_phase: bool) -> Self {
        self.two_phase = two_phase;
        self
    }

    /// The same site, every page of weight one.
    #[must_use]
    pub fn unweighted(&self) -> Self {
        Site { weights: vec![1.0; self.len()], ..self.clone() }
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.rates.len()
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.rates.is_empty()
    }

    /// Change rates, per second.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// Page weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Patterns of change: one a page, or none.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// When crawls that follow links find pages: one place a page, or none.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// When a page was last seen to change; −∞ if that is unknown.
    pub fn changed(&self, page: usize) -> f64 {
        self.changed.get(page).copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// Δ: seconds from one download to the next.
    pub fn delay(&self) -> f64 {
        self.delay
    }

    /// Slots that lie between the innermost visit and the innermost revisit of a pyramid: 0 (one download) or 1.
    pub fn gap(&self) -> u32 {
        u32::from(self.two_phase)
    }

    /// The k-th shortest interval of a pyramid, in seconds: `(2k + gap)Δ`.
    pub fn interval(&self, k: usize) -> f64 {
        (2.0 * k as f64 + f64::from(self.gap())) * self.delay
    }

    /// Pages by rate, coldest first; equal rates in their given order.
    pub fn coldest_first(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(|&a, &b| self.rates[a as usize].total_cmp(&self.rates[b as usize]));
        order
    }

    /// Pages by rate, hottest first; equal rates in their given order.
    pub fn hottest_first(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(|&a, &b| self.rates[b as usize].total_cmp(&self.rates[a as usize]));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survival_is_defined_for_every_rate_and_every_interval() {
        assert_eq!(survival(f64::INFINITY, 0.0), 1.0);
        assert_eq!(survival(0.0, f64::INFINITY), 1.0);
        assert_eq!(survival(f64::INFINITY, 1.0), 0.0);
        assert!((survival(0.35, 2.0) - 0.496_585_303_8).abs() < 1e-10);
    }

    #[test]
    fn rates_and_weights_that_mean_nothing_are_refused() {
        assert!(Site::new(vec![0.0, f64::NAN], 1.0).is_err());
        assert!(Site::new(vec![-0.1], 1.0).is_err());
        assert!(Site::new(vec![0.1], f64::INFINITY).is_err());
        let site = Site::new(vec![f64::INFINITY, 0.0], 1.0).unwrap();
        assert!(site.clone().with_weights(vec![1.0]).is_err());
        assert!(site.clone().with_weights(vec![1.0, f64::INFINITY]).is_err());
        assert_eq!(site.with_weights(vec![1.0, 0.0]).unwrap().hottest_first(), [0, 1]);
    }
}
