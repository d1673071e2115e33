//! Version completeness: how much of what a page, a site, an archive went through was captured.
//!
//! ```text
//! completeness of a page = Σ weight of distinct versions captured / Σ weight of versions created
//! site    = Σ_j completeness_j · ω_j / Σ_j ω_j        archive = mean over sites
//! ```
//!
//! The weight of a version is the importance of the change that made it; ω_j is the importance of page j.
//!
//! Source: M. Ben Saad, S. Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA
//! 2011, Definitions 5.12 to 5.14.
//!
//! DIFFERENCE: Definition 5.12 as printed sums over captures, so a version captured twice counts twice and the ratio
//! can exceed 1. Distinct versions are counted here.
//!
//! Without the true history the denominator is estimated (ours, not in the paper). Changes come as a Poisson process of
//! rate λ; between neighbouring captures, `g` apart, there are on average
//!
//! ```text
//! λg/(1 − e^{−λg}) − 1    further versions where the two differ (at least one change is known)
//! λg − (1 − e^{−λg})      where it is unknown whether they differ
//! 0                       where the interval is proven unchanged
//! λd                      in an end of length d that nobody looked at
//! ```
//!
//! A trusted Last-Modified `μ` says more: between captures that differ only the time before it can hide versions, as if
//! nobody had looked there; before the first capture it shows that another version stood in the window, or that none did.
//!
//! The interval of the share is a 95% one over what is not known of the rate and over chance itself ([`super::spread`]).

use super::spread::{Hidden, RateSpread, Spread};

/// A stretch of a page's time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stretch {
    /// Between two captures of one version.
    Proven,
    /// Between two captures that differ.
    Changed(f64),
    /// Between two captures that cannot be compared.
    Unknown(f64),
    /// Before the first or after the last capture, and before the last change between two captures.
    Unseen(f64),
    /// Before a change that is known: another version stood there.
    Before(f64),
}

/// A number with the interval it lies in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    /// The best guess.
    pub value: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// How many versions a stretch hides on average, at a rate per unit of its length.
pub(crate) fn hidden(stretch: Stretch, rate: f64) -> f64 {
    let rate = if rate > 0.0 { rate } else { 0.0 };
    match stretch {
        Stretch::Proven => 0.0,
        Stretch::Changed(length) => {
            let x = rate * length.max(0.0);
            // x/(1 − e^{−x}) − 1 = x/2 + x²/12 − …: the closed form loses all digits for small x.
            if x < 1e-4 { x / 2.0 + x * x / 12.0 } else { x / -(-x).exp_m1() - 1.0 }
        }
        Stretch::Unknown(length) => {
            let x = rate * length.max(0.0);
            if x < 1e-4 { x * x / 2.0 - x * x * x / 6.0 } else { x + (-x).exp_m1() }
        }
        Stretch::Unseen(length) => rate * length.max(0.0),
        Stretch::Before(length) => 1.0 + rate * length.max(0.0),
    }
}

/// Completeness of a page, a site or an archive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VersionCompleteness {
    /// The weight of the distinct versions captured.
    pub captured: f64,
    /// The weight of versions that were missed, expected.
    pub expected_missed: f64,
    /// captured / (captured + missed). `None`: there was nothing to capture.
    pub share: Option<f64>,
    /// What is known of the share that was missed.
    pub missing: Spread,
}

impl VersionCompleteness {
    /// From what is known of the weight that was missed, counted in versions of weight `unit`.
    fn new(captured: f64, expected_missed: f64, missed: Spread, unit: f64) -> Self {
        let missing = if unit > 0.0 { missed.missing_share(captured, unit) } else { Spread::known(0.0) };
        let all = captured + expected_missed;
        VersionCompleteness { captured, expected_missed, share: (all > 0.0).then(|| captured / all), missing }
    }

    /// The share with the interval that what is known of the rest gives. It costs more than all else that is known of a page.
    pub(crate) fn estimate(&self) -> Option<Estimate> {
        let value = self.share?;
        let (least, most) = self.missing.interval();
        Some(Estimate { value, low: (1.0 - most).clamp(0.0, value), high: (1.0 - least).clamp(value, 1.0) })
    }
}

/// The weights of a page's versions where some are unknown: an unknown one weighs what the known ones do on average, 1
/// where none is known.
pub(crate) fn filled(weights: &[Option<f64>]) -> (Vec<f64>, f64) {
    let known: Vec<f64> = weights.iter().flatten().copied().collect();
    let mean = if known.is_empty() { 1.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    (weights.iter().map(|weight| weight.unwrap_or(mean)).collect(), mean)
}

/// Estimates the completeness of a page from the weights of the distinct versions captured, the stretches of its time
/// and its rate (per unit of their length).
pub(crate) fn estimated(
    versions: &[Option<f64>],
    stretches: &[Stretch],
    rate: RateSpread,
) -> VersionCompleteness {
    let (weights, mean) = filled(versions);
    let missed = stretches.iter().map(|&stretch| hidden(stretch, rate.mean)).sum::<f64>() * mean;
    let certain = stretches.iter().filter(|stretch| matches!(stretch, Stretch::Before(_))).count() as f64;
    let open: Vec<Hidden> = stretches
        .iter()
        .filter_map(|stretch| match *stretch {
            Stretch::Proven => None,
            Stretch::Changed(length) => Some(Hidden::MoreThanOne { length: length.max(0.0) }),
            Stretch::Unknown(length) => Some(Hidden::BeyondFirst { length: length.max(0.0) }),
            Stretch::Unseen(length) | Stretch::Before(length) => {
                let length = length.max(0.0);
                Some(Hidden::Any { length, cost: length, square: length })
            }
        })
        .collect();
    let spread = Spread::of(certain, &open, rate).times(mean);
    VersionCompleteness::new(weights.iter().sum(), missed, spread, mean)
}

/// Completeness of a page whose history is known: the weight of every change, in order of time, and the captures as the
/// number of changes that had happened before each. A capture before the first change got no version of the list.
pub(crate) fn exact(changes: &[f64], captures: impl IntoIterator<Item = usize>) -> VersionCompleteness {
    let mut caught = vec![false; changes.len()];
    for happened in captures {
        if let Some(caught) = happened.checked_sub(1).and_then(|at| caught.get_mut(at)) {
            *caught = true;
        }
    }
    let weight = |wanted: bool| -> f64 {
        let weights = changes.iter().zip(&caught).filter(|(_, caught)| **caught == wanted);
        // A sum of nothing is -0.
        weights.map(|(weight, _)| *weight).sum::<f64>() + 0.0
    };
    let missed = weight(false);
    VersionCompleteness::new(weight(true), missed, Spread::known(missed), 1.0)
}

/// Completeness of a site, added up while its pages go by. Pages with nothing to capture do not count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteCompleteness {
    captured: f64,
    missed: f64,
    value: f64,
    missing: Spread,
    weights: f64,
}

impl Default for SiteCompleteness {
    fn default() -> Self {
        SiteCompleteness { captured: 0.0, missed: 0.0, value: 0.0, missing: Spread::known(0.0), weights: 0.0 }
    }
}

impl SiteCompleteness {
    /// Adds a page with its importance.
    pub(crate) fn add(&mut self, page: &VersionCompleteness, weight: f64) {
        self.captured += page.captured * weight;
        self.missed += page.expected_missed * weight;
        if let Some(of_page) = page.share {
            self.value += of_page * weight;
            self.missing = self.missing.plus(page.missing.times(weight));
            self.weights += weight;
        }
    }

    pub(crate) fn finish(self) -> VersionCompleteness {
        let SiteCompleteness { captured, missed, value, missing, weights } = self;
        let missing = if weights > 0.0 { missing.times(1.0 / weights) } else { missing };
        let share = (weights > 0.0).then(|| value / weights);
        VersionCompleteness { captured, expected_missed: missed, share, missing }
    }
}

/// Completeness of an archive: the mean over its sites, which share nothing that is unknown.
pub(crate) fn of_archive(sites: &[VersionCompleteness]) -> VersionCompleteness {
    let alone = |site: &VersionCompleteness| VersionCompleteness { missing: site.missing.alone(), ..*site };
    let mut all = SiteCompleteness::default();
    sites.iter().for_each(|site| all.add(&alone(site), 1.0));
    all.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn example_5_11_of_ben_saad_and_gancarski() {
        // Four changes, the versions of the second and third captured; two changes, the first captured.
        let first = exact(&[0.1, 0.6, 0.5, 0.2], [2, 3]);
        let second = exact(&[0.12, 0.45], [1]);
        let site = of_archive(&[first, second]);
        let share = |of: VersionCompleteness| of.share.unwrap();
        assert!((share(first) - 0.785714).abs() < 5e-7);
        assert!((share(second) - 0.210526).abs() < 5e-7);
        assert!((share(site) - 0.498120).abs() < 5e-7);
        assert_eq!(share(of_archive(&[site, site])), share(site));
    }

    #[test]
    fn a_version_captured_twice_counts_once_and_nothing_to_capture_has_no_share() {
        assert_eq!(exact(&[0.5, 0.5], [1, 1, 1]).share, Some(0.5));
        assert_eq!(exact(&[], [0, 3]).share, None);
        assert!(exact(&[1.0], [1]).expected_missed.is_sign_positive());
        assert_eq!(of_archive(&[]).share, None);
    }

    #[test]
    fn a_page_proven_unchanged_is_complete_and_unseen_ends_cost() {
        let rate = RateSpread { mean: 0.1, variance: 0.001, shared: 0.0 };
        let whole = estimated(&[Some(0.4)], &[Stretch::Proven], rate);
        assert_eq!(whole.estimate(), Some(Estimate { value: 1.0, low: 1.0, high: 1.0 }));
        let ends = estimated(&[Some(0.4)], &[Stretch::Unseen(5.0), Stretch::Unseen(5.0)], rate);
        let share = ends.estimate().unwrap();
        assert_eq!(share.value, 0.5);
        assert!(share.low < 0.5 && share.high > 0.5);
        let before = estimated(&[Some(0.4)], &[Stretch::Before(0.0)], rate).estimate().unwrap();
        assert_eq!((before.value, before.low, before.high), (0.5, 0.5, 0.5));
        assert_eq!(filled(&[None, Some(0.2), Some(0.4)]).0, [0.30000000000000004, 0.2, 0.4]);
    }

    #[test]
    fn hidden_versions_equal_a_simulated_process() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
        let (rate, length) = (0.7, 3.0);
        let (mut changed, mut with_change, mut unknown, mut runs) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..200_000 {
            let mut count = 0.0;
            let mut time = 0.0;
            loop {
                time -= (1.0 - random.random::<f64>()).ln() / rate;
                if time > length {
                    break;
                }
                count += 1.0;
            }
            runs += 1.0;
            unknown += f64::max(count - 1.0, 0.0);
            if count > 0.0 {
                with_change += 1.0;
                changed += count - 1.0;
            }
        }
        assert!((changed / with_change - hidden(Stretch::Changed(length), rate)).abs() < 0.01);
        assert!((unknown / runs - hidden(Stretch::Unknown(length), rate)).abs() < 0.01);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_series_for_small_gaps_meets_the_closed_form(x in 0.9e-4f64..1.1e-4) {
            let closed = x / -(-x).exp_m1() - 1.0;
            prop_assert!((hidden(Stretch::Changed(x), 1.0) - closed).abs() < 1e-11);
            prop_assert!((hidden(Stretch::Unknown(x), 1.0) - (x + (-x).exp_m1())).abs() < 1e-15);
        }

        #[test]
        fn shares_lie_between_their_ends_and_fall_when_rates_rise(
            captured in 1usize..5,
            gaps in prop::collection::vec(0.0f64..100.0, 0..6),
            rate in 0.0f64..2.0,
        ) {
            let stretches: Vec<Stretch> = gaps.iter().enumerate().map(|(i, &g)| match i % 3 {
                0 => Stretch::Changed(g),
                1 => Stretch::Unknown(g),
                _ => Stretch::Unseen(g),
            }).collect();
            let rate = RateSpread { mean: rate, variance: rate * rate / 2.0, shared: rate / 10.0 };
            let of = estimated(&vec![None; captured], &stretches, rate);
            let share = of.estimate().unwrap();
            prop_assert!(0.0 <= share.low && share.low <= share.value && share.value <= share.high && share.high <= 1.0);
        }
    }
}
