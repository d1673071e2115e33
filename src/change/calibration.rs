//! Forecast against outcome: how often pages changed for which a change had been forecast with probability p.
//!
//! Forecasts are sorted into bins by their chance. A bin holds how many forecasts it got, the sum of their chances and how many came
//! true; the share that came true has Wilson's 95% interval. The forecasts of a bin are those of many pages, and pages of a site
//! often change together: the intervals, which take them as independent, are then too narrow.
//!
//! Source: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 1927.

use serde::{Deserialize, Serialize};

/// Upper ends of the bins, but for the last, which ends at 1.
const EDGES: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9];

/// Forecasts of like chance.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Bin {
    pub forecasts: u64,
    /// The sum of their chances.
    pub predicted: f64,
    /// How many pages were seen changed.
    pub changed: u64,
}

/// All forecasts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Calibration {
    /// Forecasts by their chance, ascending.
    pub bins: [Bin; EDGES.len() + 1],
    /// The score of all forecasts in bits, −log2 of the chance given to what came true.
    pub bits: f64,
}

impl Bin {
    /// The share that came true with its 95% interval; `None` without forecasts.
    pub(crate) fn share(&self) -> Option<(f64, f64, f64)> {
        const Z: f64 = 1.959_963_984_540_054;
        let n = self.forecasts as f64;
        if self.forecasts == 0 {
            return None;
        }
        let share = self.changed as f64 / n;
        let centre = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        Some((share, (centre - half).max(0.0), (centre + half).min(1.0)))
    }

    /// The mean chance.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.forecasts > 0).then(|| self.predicted / self.forecasts as f64)
    }
}

impl Calibration {
    /// Adds a forecast and its outcome. What is not a chance is left out.
    pub(crate) fn add(&mut self, chance: f64, changed: bool) {
        if !(0.0..=1.0).contains(&chance) {
            return;
        }
        let bin = &mut self.bins[EDGES.partition_point(|edge| *edge <= chance)];
        bin.forecasts += 1;
        bin.predicted += chance;
        bin.changed += u64::from(changed);
        // A page that was certain to change and did not would cost everything: at most 50 bits.
        self.bits -= if changed { chance } else { 1.0 - chance }.max(2f64.powi(-50)).log2();
    }

    pub(crate) fn all(&self) -> Bin {
        self.bins.iter().fold(Bin::default(), |sum, bin| Bin {
            forecasts: sum.forecasts + bin.forecasts,
            predicted: sum.predicted + bin.predicted,
            changed: sum.changed + bin.changed,
        })
    }

    /// Changes forecast for every change seen; `None` without any.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let all = self.all();
        (all.changed > 0).then(|| all.predicted / all.changed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_what_was_forecast_and_what_came_true() {
        let mut found = Calibration::default();
        for n in 0..1000 {
            found.add(0.3, n % 4 == 0);
        }
        found.add(f64::NAN, true);
        found.add(1.0, true);
        found.add(0.0, false);
        let bin = found.bins[5];
        assert_eq!((bin.forecasts, bin.changed), (1000, 250));
        let (share, low, high) = bin.share().unwrap();
        // Wilson's interval of 250 of 1000.
        assert!((share - 0.25).abs() < 1e-12 && (low - 0.2242).abs() < 1e-4 && (high - 0.2777).abs() < 1e-4);
        assert!((found.ratio().unwrap() - 301.0 / 251.0).abs() < 1e-12);
        assert_eq!(Calibration::default().ratio(), None);
        assert_eq!(Bin::default().share(), None);
        let mut surprised = Calibration::default();
        surprised.add(1.0, false);
        assert_eq!(surprised.bits, 50.0);
    }
}
