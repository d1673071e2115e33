//! Weights of pages, as whole numbers.
//!
//! Sums of real numbers depend on their order and drift when terms are added and taken away, as a sweep does. So weights
//! are scaled to whole units, about 2^50 in total: sums are exact, equal weights stay equal, and results do not depend
//! on the order of pages.

use std::collections::HashMap;

/// The weights of the pages of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Weights {
    units: Units,
    pages: usize,
    total: u64,
}

/// The units of the pages.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Units {
    /// All the same.
    Equal(u64),
    Each(Vec<u64>),
}

impl Weights {
    const TOTAL: f64 = (1u64 << 50) as f64;

    /// Equal weights.
    pub(crate) fn uniform(pages: usize) -> Self {
        Self::of(pages, |_| 1.0)
    }

    /// Scaled weights; negative and infinite ones count as 0, and if nothing is left all are equal.
    pub(crate) fn new(weights: &[f64]) -> Self {
        Self::of(weights.len(), |page| weights[page])
    }

    /// The same, each by its page.
    pub(crate) fn of(pages: usize, weight: impl Fn(usize) -> f64) -> Self {
        let sane = |page: usize| {
            Some(weight(page)).filter(|weight| weight.is_finite() && *weight > 0.0).unwrap_or(0.0)
        };
        let sum: f64 = (0..pages).map(sane).sum();
        if !(sum.is_finite() && sum > 0.0) {
            return if pages == 0 {
                Weights { units: Units::Equal(0), pages, total: 0 }
            } else {
                Self::uniform(pages)
            };
        }
        let scaled = |page: usize| (sane(page) / sum * Self::TOTAL).round() as u64;
        let first = sane(0);
        // Most sites have weights all alike, and some have millions of pages.
        let units = match (1..pages).all(|page| sane(page) == first) {
            true => Units::Equal(scaled(0)),
            false => Units::Each((0..pages).map(scaled).collect()),
        };
        let total = match &units {
            Units::Equal(each) => each * pages as u64,
            Units::Each(units) => units.iter().sum(),
        };
        Weights { units, pages, total }
    }

    pub(crate) fn units(&self, page: usize) -> u64 {
        match &self.units {
            Units::Equal(each) => *each,
            Units::Each(units) => units[page],
        }
    }

    /// The units of all pages.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The greatest units of one page.
    pub(crate) fn greatest(&self) -> u64 {
        match &self.units {
            Units::Equal(each) => *each,
            Units::Each(units) => units.iter().copied().max().unwrap_or(0),
        }
    }

    /// How many pages there are.
    pub(crate) fn len(&self) -> usize {
        self.pages
    }

    /// The share of the total that some units are; `None` without pages.
    pub(crate) fn share(&self, units: u64) -> Option<f64> {
        (self.total > 0).then(|| units as f64 / self.total as f64)
    }
}

/// Units of some pages, scaled so that these pages alone have all weight.
#[derive(Debug)]
pub(crate) struct Rescaled {
    /// The units of all these pages, before; 0: all count alike.
    sum: f64,
    pub all: All,
}

impl Rescaled {
    /// Scales the units of pages: how many pages have how many units.
    pub(crate) fn of(counts: &HashMap<u64, u64>) -> Self {
        let pages = counts.values().sum::<u64>();
        let sum = counts.iter().map(|(units, pages)| units * pages).sum::<u64>() as f64;
        let mut scaled = Rescaled { sum, all: All { pages: pages as usize, units: 0, greatest: 0 } };
        let (mut total, mut greatest) = (0, 0);
        for (units, pages) in counts {
            total += scaled.units(*units) * pages;
            greatest = greatest.max(scaled.units(*units));
        }
        (scaled.all.units, scaled.all.greatest) = (total, greatest);
        scaled
    }

    /// The scaled units of a page.
    pub(crate) fn units(&self, units: u64) -> u64 {
        let share = if self.sum > 0.0 { units as f64 / self.sum } else { 1.0 / self.all.pages as f64 };
        (share * Weights::TOTAL).round() as u64
    }
}

/// All pages together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct All {
    pub pages: usize,
    /// The units of all, and the greatest of one.
    pub units: u64,
    pub greatest: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_stay_equal_and_shares_add_up() {
        let weights = Weights::new(&[0.1; 7]);
        assert!((0..7).all(|page| weights.units(page) == weights.units(0)));
        assert_eq!(weights.share(weights.total()), Some(1.0));
        assert_eq!(Weights::new(&[0.0, -1.0, f64::NAN]), Weights::uniform(3));
        assert_eq!(Weights::new(&[]).share(0), None);
    }

    #[test]
    fn rescaled_units_are_those_of_the_weights_themselves() {
        for units in [vec![3, 3, 3], vec![1, 2, 3, 2, 0], vec![0, 0], vec![]] {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            units.iter().for_each(|units| *counts.entry(*units).or_default() += 1);
            let rescaled = Rescaled::of(&counts);
            let weights = Weights::new(&units.iter().map(|units| *units as f64).collect::<Vec<_>>());
            let All { pages, units: total, greatest } = rescaled.all;
            assert_eq!((pages, total, greatest), (weights.len(), weights.total(), weights.greatest()));
            assert!((0..units.len()).all(|page| rescaled.units(units[page]) == weights.units(page)));
        }
    }
}
