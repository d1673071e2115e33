//! Weights of pages, as whole numbers.
//!
//! Sums of real numbers depend on their order and drift when terms are added and taken away, as a sweep does. So weights
//! are scaled to whole units, about 2^50 in total: sums are exact, equal weights stay equal, and results do not depend
//! on the order of pages.

/// The weights of the pages of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Weights {
    units: Vec<u64>,
    total: u64,
}

impl Weights {
    const TOTAL: f64 = (1u64 << 50) as f64;

    /// Equal weights.
    pub(crate) fn uniform(pages: usize) -> Self {
        Self::new(&vec![1.0; pages])
    }

    /// Scaled weights; negative and infinite ones count as 0, and if nothing is left all are equal.
    pub(crate) fn new(weights: &[f64]) -> Self {
        let sane = |weight: &f64| if weight.is_finite() && *weight > 0.0 { *weight } else { 0.0 };
        let sum: f64 = weights.iter().map(sane).sum();
        if !(sum.is_finite() && sum > 0.0) {
            return if weights.is_empty() {
                Weights { units: Vec::new(), total: 0 }
            } else {
                Self::uniform(weights.len())
            };
        }
        let units: Vec<u64> =
            weights.iter().map(|weight| (sane(weight) / sum * Self::TOTAL).round() as u64).collect();
        let total = units.iter().sum();
        Weights { units, total }
    }

    pub(crate) fn units(&self, page: usize) -> u64 {
        self.units[page]
    }

    /// The units of all pages.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The greatest units of one page.
    pub(crate) fn greatest(&self) -> u64 {
        self.units.iter().copied().max().unwrap_or(0)
    }

    /// How many pages there are.
    pub(crate) fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there is no page.
    pub(crate) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// The share of the total that some units are; `None` without pages.
    pub(crate) fn share(&self, units: u64) -> Option<f64> {
        (self.total > 0).then(|| units as f64 / self.total as f64)
    }
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
}
