//! Shrinking the rate of a page to those of its class, by a Gamma prior.
//!
//! One or two captures of a page say little: all unchanged would mean rate 0, all changed an infinite one. The pages of a
//! site (or a folder of it) lend each other strength: rates are taken as drawn from one Gamma distribution with shape
//! `alpha` and rate `beta`, and the posterior of a page is
//!
//! ```text
//! p(lambda) ~ lambda^(alpha-1) e^(-beta lambda) * prod_changed (1 - e^(-lambda g)) * lambda^K * e^(-lambda U)
//! ```
//!
//! With no changed gap that is exactly `Gamma(alpha + K, beta + U)`. Else it is integrated numerically over
//! `u = ln lambda`, where its logarithm is concave: one maximum, found between the bounds that [`super::poisson`] gives,
//! then [`NODES`] points as far out as the density is worth anything, so that small rates are never cut off. For smooth
//! functions the sum over equal steps is as exact as a Gauss rule; quantiles come from the cumulative sum with its first
//! correction term (Euler–Maclaurin).
//!
//! The prior is fitted by marginal likelihood over the pages of the class, with a wide prior of its own ([`Hyper`]), so
//! that it exists even where no page ever changed. What a fit to few captures leaves open is not forgotten: the deviation
//! `s` of `ln (alpha/beta)` comes from the curvature at the maximum (Laplace's approximation), and the interval of a
//! page reaches from the 2.5% quantile under the prior with its mean divided by `e^(1.96 s)` to the 97.5% quantile
//! under the one with its mean multiplied by it. Both ends move with the mean, and deviations add up here where only
//! their squares would: such an interval is rather too wide than too narrow.
//!
//! Symbols as in [`super::poisson`]. Cost: O(nodes × changed gaps) per page; a fit looks at no more than [`SAMPLE`] pages.
//!
//! Source: none of the papers shrinks; the model is the conjugate one for Poisson rates (Gelman et al., Bayesian Data
//! Analysis, section 2.6) with the likelihood of interval-censored changes.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::change::poisson::Looks;
use crate::change::special::{exp_below, gamma_quantile, ln_gamma};

/// Points of the numerical integration.
pub(crate) const NODES: usize = 64;
/// Maximum number of pages that a prior is fitted to; of more pages, every n-th.
pub(crate) const SAMPLE: usize = 1000;
/// A deviation of `ln (alpha/beta)` up to here is not worth two more integrations a page.
const NEGLIGIBLE: f64 = 0.05;
/// How far below its maximum the logarithm of a density is followed.
const DEPTH: f64 = 26.0;

/// An estimate with its 95% interval, per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The posterior mean.
    pub mean: f64,
    /// The 2.5% quantile.
    pub low: f64,
    /// The 97.5% quantile.
    pub high: f64,
    /// The variance under the likeliest prior.
    pub variance: f64,
    /// How far the mean moves with one deviation of what is not known of the prior.
    pub shared: f64,
}

/// A Gamma distribution of rates per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prior {
    /// `alpha`.
    pub shape: f64,
    /// `beta`, in seconds.
    pub rate: f64,
}

/// What is believed of a prior before any capture: independent normal distributions of the logarithms of its shape and of
/// its mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hyper {
    /// Centre and deviation of `ln alpha`.
    pub shape: (f64, f64),
    /// Centre and deviation of `ln (alpha/beta)`.
    pub mean: (f64, f64),
}

impl Default for Hyper {
    /// A page changes every two months, give or take a factor of twenty either way; most pages change less than the mean.
    fn default() -> Self {
        Hyper { shape: (0.7f64.ln(), 0.7), mean: ((1.0f64 / (60.0 * 86_400.0)).ln(), 3.0) }
    }
}

impl Hyper {
    /// Belief in a class of pages on a site whose prior is fitted: much like the site, as far as that is known.
    pub(crate) fn near(site: Fitted) -> Self {
        Hyper {
            shape: (site.prior.shape.ln(), 0.5),
            mean: (site.prior.mean().ln(), 1.0f64.hypot(site.deviation)),
        }
    }
}

/// A prior as fitted to pages, with what the fit leaves open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fitted {
    /// The likeliest prior.
    pub prior: Prior,
    /// The deviation of the logarithm of its mean.
    pub deviation: f64,
}

impl Fitted {
    /// A prior that is given, not fitted.
    pub(crate) fn given(prior: Prior) -> Self {
        Fitted { prior, deviation: 0.0 }
    }

    /// What is believed of a page of the class after its captures: the mean by the likeliest prior, the interval over all
    /// priors that the fit leaves open.
    pub(crate) fn posterior(self, looks: &Looks) -> Estimate {
        self.posterior_with(looks, &mut Quantiles::default())
    }

    /// The same of one of many pages: `quantiles` are those that were needed so far.
    pub(crate) fn posterior_with(self, looks: &Looks, quantiles: &mut Quantiles) -> Estimate {
        let Prior { shape, rate } = self.prior;
        let shape = shape + f64::from(looks.pinned);
        let factor = if self.deviation > NEGLIGIBLE { (1.96 * self.deviation).exp() } else { 1.0 };
        // The smaller the mean of the prior, the longer the time that it is worth.
        let decay = |factor: f64| rate * factor + looks.unchanged;
        if looks.changed.is_empty() {
            let (low, high) = quantiles.of(shape);
            return Estimate {
                mean: shape / decay(1.0),
                low: low / decay(factor),
                high: high / decay(1.0 / factor),
                variance: shape / decay(1.0).powi(2),
                shared: shape * (1.0 / decay(1.0 / factor) - 1.0 / decay(factor)) / (2.0 * 1.96),
            };
        }
        let at = |factor: f64, ends: Ends| {
            integrate(&Density { power: shape, decay: decay(factor), changed: &looks.changed }, ends)
        };
        match factor > 1.0 {
            true => {
                let (slow, fast) = (at(factor, Ends::Low), at(1.0 / factor, Ends::High));
                let shared = (fast.mean - slow.mean) / (2.0 * 1.96);
                Estimate { low: slow.low, high: fast.high, shared, ..at(1.0, Ends::None) }
            }
            false => at(1.0, Ends::Both),
        }
    }
}

/// The 2.5% and 97.5% quantiles of Gamma distributions by their shapes: most pages of a class share one, and each takes a hundred
/// sums of a series.
#[derive(Debug, Default)]
pub(crate) struct Quantiles(HashMap<u64, (f64, f64)>);

impl Quantiles {
    fn of(&mut self, shape: f64) -> (f64, f64) {
        let find = || (gamma_quantile(shape, 0.025), gamma_quantile(shape, 0.975));
        *self.0.entry(shape.to_bits()).or_insert_with(find)
    }
}

/// The logarithm of a posterior density over `u = ln lambda`, up to a constant: concave.
struct Density<'a> {
    power: f64,
    decay: f64,
    changed: &'a [f64],
}

/// `ln` of a product of numbers between 0 and 1: one logarithm for many of them, as long as the product is not too small for one.
#[derive(Clone, Copy)]
struct LogProduct {
    product: f64,
    sum: f64,
}

impl LogProduct {
    const ONE: LogProduct = LogProduct { product: 1.0, sum: 0.0 };
    /// The square of this is far above the least number.
    const SMALL: f64 = 1e-140;

    fn times(self, factor: f64) -> Self {
        let product = self.product * factor.max(Self::SMALL);
        let sum = if factor < Self::SMALL { self.sum + (factor / Self::SMALL).ln() } else { self.sum };
        match product < Self::SMALL {
            true => LogProduct { product: 1.0, sum: sum + product.ln() },
            false => LogProduct { product, sum },
        }
    }

    fn ln(self) -> f64 {
        self.sum + self.product.ln()
    }
}

impl Density<'_> {
    fn at(&self, u: f64) -> f64 {
        let rate = u.exp();
        let changed =
            self.changed.iter().fold(LogProduct::ONE, |all, gap| all.times(-(-rate * gap).exp_m1()));
        self.power * u - self.decay * rate + changed.ln()
    }

    /// The rate, the logarithm of the density and its slope.
    fn node(&self, u: f64) -> (f64, f64, f64) {
        let rate = u.exp();
        let (mut changed, mut slope) = (LogProduct::ONE, 0.0);
        for gap in self.changed {
            let x = rate * gap;
            // 1 - e^(-x)
            let seen = -(-x).exp_m1();
            changed = changed.times(seen);
            // x / (e^x - 1)
            slope += if x < 1e-12 { 1.0 } else { x * (1.0 - seen) / seen };
        }
        (rate, self.power * u - self.decay * rate + changed.ln(), self.power - self.decay * rate + slope)
    }

    fn slope(&self, u: f64) -> f64 {
        let rate = u.exp();
        let changed: f64 = self.changed.iter().map(|gap| ratio(rate * gap)).sum();
        self.power - self.decay * rate + changed
    }

    /// The maximum and the ends of the stretch that matters. Needs at least one changed gap or `power > 0`.
    fn span(&self) -> (f64, f64, f64) {
        let total = self.power + self.changed.len() as f64;
        let sum: f64 = self.changed.iter().sum();
        let (mut low, mut high) = ((total / (self.decay + sum / 2.0)).ln(), (total / self.decay).ln());
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if high - low < 1e-4 {
                break;
            }
            if self.slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        let peak = (low + high) / 2.0;
        let top = self.at(peak);
        let end = |direction: f64| {
            // Double the step until outside, then halve until the end is known to a tenth of the way.
            let (mut inside, mut step) = (0.0, 0.1);
            while self.at(peak + direction * (inside + step)) > top - DEPTH && step < 1e3 {
                inside += step;
                step *= 2.0;
            }
            let mut outside = inside + step;
            while outside - inside > 0.1 * outside {
                let middle = (inside + outside) / 2.0;
                if self.at(peak + direction * middle) > top - DEPTH {
                    inside = middle
                } else {
                    outside = middle
                }
            }
            peak + direction * outside
        };
        (end(-1.0), peak, end(1.0))
    }
}

/// `x / (e^x - 1)`.
fn ratio(x: f64) -> f64 {
    if x < 1e-12 { 1.0 } else { x / x.exp_m1() }
}

impl Prior {
    /// The mean rate.
    pub(crate) fn mean(self) -> f64 {
        self.shape / self.rate
    }

    /// The prior of given shape and mean.
    pub(crate) fn with_mean(shape: f64, mean: f64) -> Self {
        Prior { shape, rate: shape / mean }
    }

    /// The chance that a page of the class is seen changed within `seconds`, after its captures: `1 − E e^(−λh)`.
    ///
    /// Without a changed gap that is `1 − ((β + U)/(β + U + h))^(α + K)`.
    pub(crate) fn change_within(self, looks: &Looks, seconds: f64) -> f64 {
        let (power, decay) = (self.shape + f64::from(looks.pinned), self.rate + looks.unchanged);
        if looks.changed.is_empty() {
            return -(-power * (seconds / decay).ln_1p()).exp_m1();
        }
        let density = Density { power, decay, changed: &looks.changed };
        let (low, peak, high) = density.span();
        let (top, step) = (density.at(peak), (high - low) / (NODES - 1) as f64);
        let (mut sum, mut changes) = (0.0, 0.0);
        for node in 0..NODES {
            let u = low + step * node as f64;
            let value = (density.at(u) - top).exp();
            sum += value;
            changes -= value * (-u.exp() * seconds).exp_m1();
        }
        (changes / sum).clamp(0.0, 1.0)
    }

    /// What is believed of a page of the class after its captures, if the prior is certain.
    #[cfg(test)]
    pub(crate) fn posterior(self, looks: &Looks) -> Estimate {
        Fitted::given(self).posterior(looks)
    }

    /// Fits the prior of a class to what was seen of its pages.
    pub(crate) fn fit<'a>(pages: impl IntoIterator<Item = &'a Looks>, hyper: Hyper) -> Fitted {
        let known: Vec<&Looks> = pages.into_iter().filter(|looks| !looks.is_empty()).collect();
        let stride = known.len().div_ceil(SAMPLE).max(1);
        let pages: Vec<Evidence> = known.iter().step_by(stride).map(|looks| Evidence::of(looks)).collect();
        let prior = |point: (f64, f64)| Prior::with_mean(point.0.exp(), point.1.exp());
        let score = |point: (f64, f64)| {
            let away =
                |value: f64, (centre, deviation): (f64, f64)| ((value - centre) / deviation).powi(2) / 2.0;
            let belief = -away(point.0, hyper.shape) - away(point.1, hyper.mean);
            let prior = Candidate::of(prior(point));
            belief + pages.iter().map(|page| page.marginal(&prior)).sum::<f64>()
        };
        let top = climb((hyper.shape.0, hyper.mean.0), (0.5, 2.0), score);
        Fitted { prior: prior(top), deviation: deviation(top, score).unwrap_or(f64::MAX).min(hyper.mean.1) }
    }
}

/// A prior that is tried, with what every page needs of it.
struct Candidate {
    prior: Prior,
    /// `ln Gamma(alpha)`.
    ln_gamma: f64,
    /// `alpha ln beta`.
    power: f64,
}

impl Candidate {
    fn of(prior: Prior) -> Self {
        Candidate { prior, ln_gamma: ln_gamma(prior.shape), power: prior.shape * prior.rate.ln() }
    }
}

/// The likelihood of one page at some rates.
struct Points {
    rates: [f64; NODES],
    /// The logarithms of the rates.
    logs: [f64; NODES],
    /// The logarithms of the likelihood.
    seen: [f64; NODES],
}

/// What one page contributes to a fit, with its likelihood tabulated once.
enum Evidence {
    /// No changed gap: the marginal has a closed form in `K` and `U`.
    Closed(f64, f64),
    /// Points `lambda`, `ln lambda` and the likelihood there, and the step in `ln lambda`.
    Table(Box<Points>, f64),
}

impl Evidence {
    fn of(looks: &Looks) -> Self {
        if looks.changed.is_empty() {
            return Evidence::Closed(f64::from(looks.pinned), looks.unchanged);
        }
        // A weak stand-in prior places the points; where nothing bounds the rate, it bounds the table at 100 a second.
        let density = Density {
            power: f64::from(looks.pinned) + 0.05,
            decay: looks.unchanged + 0.05,
            changed: &looks.changed,
        };
        let (low, _, high) = density.span();
        let step = (high - low) / (NODES - 1) as f64;
        let mut points = Points { rates: [0.0; NODES], logs: [0.0; NODES], seen: [0.0; NODES] };
        for node in 0..NODES {
            let u = low + step * node as f64;
            let rate = u.exp();
            let seen =
                looks.changed.iter().fold(LogProduct::ONE, |all, gap| all.times(-(-rate * gap).exp_m1()));
            points.rates[node] = rate;
            points.logs[node] = u;
            points.seen[node] = seen.ln() + f64::from(looks.pinned) * u - rate * looks.unchanged;
        }
        Evidence::Table(Box::new(points), step)
    }

    fn marginal(&self, candidate: &Candidate) -> f64 {
        let Candidate { prior, ln_gamma: of_shape, power } = candidate;
        match self {
            Evidence::Closed(pinned, unchanged) => {
                let of_both = if *pinned == 0.0 { *of_shape } else { ln_gamma(prior.shape + pinned) };
                of_both - of_shape + power - (prior.shape + pinned) * (prior.rate + unchanged).ln()
            }
            Evidence::Table(points, step) => {
                let mut logs = [0.0; NODES];
                let known = points.rates.iter().zip(&points.logs).zip(&points.seen);
                for (log, ((rate, u), seen)) in logs.iter_mut().zip(known) {
                    *log = prior.shape * u - prior.rate * rate + seen;
                }
                let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                logs.iter_mut().for_each(|log| *log = exp_below(*log - top));
                power - of_shape + top + (step * logs.iter().sum::<f64>()).ln()
            }
        }
    }
}

/// The maximum of a smooth function of two variables with one hill: walk to the best neighbour, then halve the step.
fn climb(mut at: (f64, f64), mut step: (f64, f64), score: impl Fn((f64, f64)) -> f64) -> (f64, f64) {
    // Neighbours of neighbours are mostly points that were looked at before.
    let known: RefCell<HashMap<(u64, u64), f64>> = RefCell::default();
    let score = |point: (f64, f64)| {
        let key = (point.0.to_bits(), point.1.to_bits());
        *known.borrow_mut().entry(key).or_insert_with(|| score(point))
    };
    let mut best = score(at);
    for _ in 0..200 {
        let around = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];
        let next = around
            .into_iter()
            .map(|(x, y)| (at.0 + f64::from(x) * step.0, at.1 + f64::from(y) * step.1))
            .map(|point| (score(point), point))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        match next {
            Some((value, point)) if value > best => (best, at) = (value, point),
            _ if step.1 < 0.02 => break,
            _ => step = (step.0 / 2.0, step.1 / 2.0),
        }
    }
    at
}

/// The deviation of the second variable at the maximum of the logarithm of a density; `None` where it is no hill.
fn deviation(top: (f64, f64), score: impl Fn((f64, f64)) -> f64) -> Option<f64> {
    const STEP: f64 = 0.2;
    let at = |x: f64, y: f64| score((top.0 + STEP * x, top.1 + STEP * y));
    let middle = at(0.0, 0.0);
    let shape = 2.0 * middle - at(1.0, 0.0) - at(-1.0, 0.0);
    let mean = 2.0 * middle - at(0.0, 1.0) - at(0.0, -1.0);
    let both = (at(1.0, 1.0) + at(-1.0, -1.0) - at(1.0, -1.0) - at(-1.0, 1.0)) / 4.0;
    let area = shape * mean - both * both;
    (shape > 0.0 && area > 0.0).then(|| STEP * (shape / area).sqrt())
}

/// Mean and quantiles of a density.
fn integrate(density: &Density<'_>, ends: Ends) -> Estimate {
    let (low, peak, high) = density.span();
    let top = density.at(peak);
    let step = (high - low) / (NODES - 1) as f64;
    let mut nodes = [(0.0, 0.0, 0.0); NODES];
    let (mut sum, mut first, mut second) = (0.0, 0.0, 0.0);
    for (place, node) in nodes.iter_mut().enumerate() {
        let u = low + step * place as f64;
        let (rate, log, slope) = density.node(u);
        let value = (log - top).exp();
        // The share below u by the trapezoid rule with its first correction.
        let below = sum + value / 2.0 - step / 12.0 * value * slope;
        *node = (u, value, below);
        sum += value;
        first += value * rate;
        second += value * rate * rate;
    }
    let quantile = |share: f64| {
        let wanted = share * sum;
        let behind = nodes.partition_point(|node| node.2 < wanted).clamp(1, NODES - 1);
        let (a, b) = (nodes[behind - 1], nodes[behind]);
        // Hermite cubic between two nodes: values of the share and its slopes (the density) are known.
        let (mut left, mut right) = (0.0, 1.0);
        for _ in 0..40 {
            let t: f64 = (left + right) / 2.0;
            let (t2, t3) = (t * t, t * t * t);
            let value = (2.0 * t3 - 3.0 * t2 + 1.0) * a.2
                + (t3 - 2.0 * t2 + t) * a.1
                + (3.0 * t2 - 2.0 * t3) * b.2
                + (t3 - t2) * b.1;
            if value < wanted { left = t } else { right = t }
        }
        (a.0 + step * (left + right) / 2.0).exp()
    };
    let mean = first / sum;
    let variance = (second / sum - mean * mean).max(0.0);
    let (low, high) = match ends {
        Ends::Both => (quantile(0.025), quantile(0.975)),
        Ends::Low => (quantile(0.025), f64::NAN),
        Ends::High => (f64::NAN, quantile(0.975)),
        Ends::None => (f64::NAN, f64::NAN),
    };
    Estimate { mean, low, high, variance, shared: 0.0 }
}

/// Which ends of an interval are asked for; the others are not numbers.
#[derive(Clone, Copy)]
enum Ends {
    Both,
    Low,
    High,
    None,
}

#[cfg(test)]
#[path = "gamma_tests.rs"]
mod tests;
