//! 95% intervals of sums over pages of which the captures leave something open.
//!
//! What a page hides (changes between captures, versions that nobody captured) depends on chance twice: its rate is known
//! only up to a posterior, and at a given rate the number and the times of changes are those of a Poisson process. With
//! `N` the number of changes in a stretch of length `g`, `x = λg`, and costs `c` of one change with the means `E c`, `E c²`:
//!
//! | stretch | mean | variance | chance of nothing |
//! |---|---|---|---|
//! | nothing is known | `x E c` | `x E c²` | `e^{−x}` |
//! | at least one change | `n E c` | `n (E c² − (E c)²) + v (E c)²` | 0 |
//! | the same, the first one free, `c = 1` | `n − 1` | `v` | `x e^{−x}/(1 − e^{−x})` |
//! | nothing is known, the first one free, `c = 1` | `x − (1 − e^{−x})` | `x − x² + … ` by the moments of `max(N − 1, 0)` | `(1 + x) e^{−x}` |
//!
//! with `n = x/(1 − e^{−x})` and `v = (x + x²)/(1 − e^{−x}) − n²` the mean and variance of `N` given `N ≥ 1`. The posterior of
//! the rate is taken as a Gamma distribution of the same mean and variance, and integrated by the Gauss–Laguerre rule
//! of two points, which is exact for cubics. Pages are independent, but for what is not known of the prior of their
//! site: that moves all rates together, and its deviation is added up before it is squared. The sum above its least
//! possible value is taken as a Gamma distribution of the same mean and variance; where nothing at all is hidden with a chance
//! of 2.5% or more, the lower end is that least value.
//!
//! Source: none of the papers has intervals; the moments are those of compound Poisson sums. `tests/it/truth/coverage.rs`
//! holds the intervals against simulated sites.

use serde::{Deserialize, Serialize};

use crate::change::special::gamma_quantile;

/// What is known of the rate of a page, per unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RateSpread {
    pub mean: f64,
    /// The variance of its posterior under the likeliest prior.
    pub variance: f64,
    /// How far the mean moves with one deviation of the mean of the prior.
    pub shared: f64,
}

/// A stretch of a page's time, with what a change in it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Hidden {
    /// Changes at the rate: the length, and the integrals of the cost and of its square over it.
    Any { length: f64, cost: f64, square: f64 },
    /// At least one change: the length, and the means of the cost and of its square.
    Some { length: f64, cost: f64, square: f64 },
    /// Changes beyond the first, of which there is at least one.
    MoreThanOne { length: f64 },
    /// Changes beyond the first, if there is any.
    BeyondFirst { length: f64 },
}

/// Mean, variance, and the chance of nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moments {
    mean: f64,
    variance: f64,
    nothing: f64,
}

/// Mean and variance of the number of changes where at least one is expected `x` times over.
fn given_one(x: f64) -> (f64, f64) {
    if x < 1e-6 {
        return (1.0 + x / 2.0, x / 2.0);
    }
    let some = -(-x).exp_m1();
    let mean = x / some;
    (mean, ((x + x * x) / some - mean * mean).max(0.0))
}

impl Hidden {
    fn moments(self, rate: f64) -> Moments {
        match self {
            Hidden::Any { length, cost, square } => {
                Moments { mean: rate * cost, variance: rate * square, nothing: (-rate * length).exp() }
            }
            Hidden::Some { length, cost, square } => {
                let (number, spread) = given_one(rate * length);
                let variance = number * (square - cost * cost).max(0.0) + spread * cost * cost;
                Moments { mean: number * cost, variance, nothing: 0.0 }
            }
            Hidden::MoreThanOne { length } => {
                let x = rate * length;
                let (number, variance) = given_one(x);
                let nothing = if x < 1e-6 { 1.0 - x / 2.0 } else { x / x.exp_m1() };
                Moments { mean: number - 1.0, variance, nothing }
            }
            Hidden::BeyondFirst { length } => {
                let x = rate * length;
                let mean = if x < 1e-4 { x * x / 2.0 } else { x + (-x).exp_m1() };
                // E (N − 1)² over N ≥ 1.
                let square = if x < 1e-4 { x * x / 2.0 } else { x * x - x - (-x).exp_m1() };
                let nothing = (1.0 + x) * (-x).exp();
                Moments { mean, variance: (square - mean * mean).max(0.0), nothing }
            }
        }
    }
}

/// All stretches of a page at one rate.
fn sum(stretches: &[Hidden], rate: f64) -> Moments {
    let start = Moments { mean: 0.0, variance: 0.0, nothing: 1.0 };
    stretches.iter().fold(start, |sum, stretch| {
        let next = stretch.moments(rate);
        Moments {
            mean: sum.mean + next.mean,
            variance: sum.variance + next.variance,
            nothing: sum.nothing * next.nothing,
        }
    })
}

/// A number that is known up to chance: what it is at least, and mean, variance and chance of nothing above that.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub least: f64,
    /// The mean above the least.
    pub mean: f64,
    /// The variance that is the page's own.
    pub variance: f64,
    /// The deviation that all pages of a site share.
    pub shared: f64,
    /// The logarithm of the chance that the number is the least.
    pub ln_nothing: f64,
}

impl Spread {
    pub(crate) fn known(value: f64) -> Self {
        Spread { least: value, mean: 0.0, variance: 0.0, shared: 0.0, ln_nothing: 0.0 }
    }

    /// What the stretches of a page hide, above what is certain.
    pub(crate) fn of(certain: f64, stretches: &[Hidden], rate: RateSpread) -> Self {
        let at = rate.mean.max(0.0);
        if at == 0.0 {
            return Spread::known(certain);
        }
        // Two points at the rates whose weighted sums have the moments of the Gamma distribution.
        let variance = rate.variance.max(1e-12 * at * at);
        let (shape, scale) = (at * at / variance, variance / at);
        let root = (shape + 1.0).sqrt();
        let (low, high) = (shape + 1.0 - root, shape + 1.0 + root);
        let share = (high - shape) / (2.0 * root);
        let (one, other) = (sum(stretches, low * scale), sum(stretches, high * scale));
        let mix = |a: f64, b: f64| share * a + (1.0 - share) * b;
        let mean = mix(one.mean, other.mean);
        let between = mix((one.mean - mean).powi(2), (other.mean - mean).powi(2));
        let slope = (other.mean - one.mean) / ((high - low) * scale);
        Spread {
            least: certain,
            mean,
            variance: mix(one.variance, other.variance) + between,
            shared: slope * rate.shared.max(0.0),
            ln_nothing: mix(one.nothing, other.nothing).max(f64::MIN_POSITIVE).ln(),
        }
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Spread {
            least: self.least * factor,
            mean: self.mean * factor,
            variance: self.variance * factor * factor,
            shared: self.shared * factor,
            ln_nothing: self.ln_nothing,
        }
    }

    /// The same, with nothing that it shares with others.
    pub(crate) fn alone(self) -> Self {
        let deviation = self.shared.min(self.mean);
        Spread { variance: self.variance + deviation * deviation, shared: 0.0, ..self }
    }

    /// The sum of two pages.
    pub(crate) fn plus(self, other: Self) -> Self {
        Spread {
            least: self.least + other.least,
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
            shared: self.shared + other.shared,
            ln_nothing: self.ln_nothing + other.ln_nothing,
        }
    }

    /// The 95% interval.
    pub(crate) fn interval(self) -> (f64, f64) {
        let variance = self.alone().variance;
        if self.mean <= 0.0 || variance <= 0.0 {
            return (self.least + self.mean.max(0.0), self.least + self.mean.max(0.0));
        }
        let (shape, scale) = (self.mean * self.mean / variance, variance / self.mean);
        let low = match self.ln_nothing.exp() >= 0.025 {
            true => 0.0,
            false => gamma_quantile(shape, 0.025) * scale,
        };
        (self.least + low, self.least + gamma_quantile(shape, 0.975) * scale)
    }

    /// What of a whole is left if `self` counts what is missing from it, in units of `unit`: `captured / (captured +
    /// missing)`, as the spread of the share that is *not* captured.
    pub(crate) fn missing_share(self, captured: f64, unit: f64) -> Self {
        let (mean, variance) = (self.mean / unit, self.variance / (unit * unit));
        let share = |number: f64| {
            let missing = self.least + number * unit;
            if captured + missing > 0.0 { missing / (captured + missing) } else { 0.0 }
        };
        let least = share(0.0);
        let slope = captured * unit / (captured + self.least + self.mean).powi(2);
        let own = match mean {
            0.0 => (0.0, 0.0),
            // Too many to be counted one by one: the curve is nearly straight.
            _ if mean > 100.0 => (share(mean) - least, slope * slope * variance),
            _ => counted(mean, variance, |number| share(number) - least),
        };
        Spread {
            least,
            mean: own.0,
            variance: own.1,
            shared: slope * self.shared / unit,
            ln_nothing: self.ln_nothing,
        }
    }
}

/// Mean and variance of a function of a count: Poisson, or negative binomial where it varies more.
fn counted(mean: f64, variance: f64, of: impl Fn(f64) -> f64) -> (f64, f64) {
    let excess = (variance - mean).max(1e-9 * mean);
    let shape = mean * mean / excess;
    let again = mean / (shape + mean);
    let mut chance = (-shape * (mean / shape).ln_1p()).exp();
    let (mut first, mut second, mut all) = (0.0, 0.0, 0.0);
    for count in 0..2_000u32 {
        let number = f64::from(count);
        let value = of(number);
        first += chance * value;
        second += chance * value * value;
        all += chance;
        if all > 1.0 - 1e-6 && number > mean {
            break;
        }
        chance *= (shape + number) / (number + 1.0) * again;
    }
    (first / all, (second / all - (first / all).powi(2)).max(0.0))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    const RATE: RateSpread = RateSpread { mean: 0.7, variance: 0.0, shared: 0.0 };

    fn close(one: f64, other: f64, tolerance: f64) -> bool {
        (one - other).abs() <= tolerance * (1.0 + other.abs())
    }

    #[test]
    fn moments_equal_those_of_a_simulated_process() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(11);
        let (rate, length) = (0.7, 3.0);
        let mut sums = [(0.0, 0.0, 0.0, 0.0); 4];
        for _ in 0..200_000 {
            let (mut times, mut time) = (Vec::new(), 0.0);
            loop {
                time -= (1.0 - random.random::<f64>()).ln() / rate;
                if time > length {
                    break;
                }
                times.push(time);
            }
            let number = times.len() as f64;
            let distance: f64 = times.iter().map(|time| (time - length / 2.0).abs()).sum();
            let some = f64::from(u8::from(number > 0.0));
            for (sum, value, counts) in [
                (0, times.iter().sum::<f64>(), 1.0),
                (1, distance, some),
                (2, number - 1.0, some),
                (3, f64::max(number - 1.0, 0.0), 1.0),
            ] {
                let sum: &mut (f64, f64, f64, f64) = &mut sums[sum];
                sum.0 += counts;
                sum.1 += counts * value;
                sum.2 += counts * value * value;
                sum.3 += counts * f64::from(u8::from(value == 0.0));
            }
        }
        let kinds = [
            Hidden::Any { length, cost: length * length / 2.0, square: length.powi(3) / 3.0 },
            Hidden::Some { length, cost: length / 4.0, square: length * length / 12.0 },
            Hidden::MoreThanOne { length },
            Hidden::BeyondFirst { length },
        ];
        for (kind, (count, first, second, nothing)) in kinds.into_iter().zip(sums) {
            let found = kind.moments(rate);
            let mean = first / count;
            assert!(close(found.mean, mean, 0.02), "{kind:?} {found:?} {mean}");
            assert!(close(found.variance, second / count - mean * mean, 0.03), "{kind:?} {found:?}");
            assert!(close(found.nothing, nothing / count, 0.01), "{kind:?} {found:?}");
        }
    }

    #[test]
    fn nothing_hidden_is_known_and_a_rare_change_leaves_the_least_inside() {
        assert_eq!(Spread::of(0.4, &[], RATE).interval(), (0.4, 0.4));
        let rare = Hidden::Any { length: 0.1, cost: 0.005, square: 0.0003 };
        let (low, high) = Spread::of(0.4, &[rare], RATE).interval();
        assert!(low == 0.4 && high > 0.4 && high < 0.6, "{low} {high}");
    }

    #[test]
    fn many_pages_are_known_better_than_one_unless_they_share_what_is_not_known() {
        let part = [Hidden::MoreThanOne { length: 2.0 }, Hidden::Any { length: 1.0, cost: 1.0, square: 1.0 }];
        let wide = |shared: f64, pages: usize| {
            let page = Spread::of(0.0, &part, RateSpread { variance: 0.2, shared, ..RATE });
            let all = (0..pages).fold(Spread::known(0.0), |sum, _| sum.plus(page)).times(1.0 / pages as f64);
            let (low, high) = all.interval();
            assert!(low < all.mean && all.mean < high);
            high - low
        };
        assert!(wide(0.0, 100) < wide(0.0, 1) / 5.0);
        assert!(wide(0.3, 100) > 4.0 * wide(0.0, 100));
    }

    #[test]
    fn the_missing_share_lies_between_nothing_and_all() {
        let hidden =
            Spread::of(0.0, &[Hidden::MoreThanOne { length: 4.0 }], RateSpread { variance: 0.3, ..RATE });
        let share = hidden.missing_share(2.0, 1.0);
        let (low, high) = share.interval();
        assert!((0.0..1.0).contains(&low) && low < high && high < 1.2, "{low} {high}");
        assert!(share.mean < hidden.mean / (2.0 + hidden.mean), "the curve bends down");
        assert_eq!(Spread::known(1.0).missing_share(1.0, 1.0).interval(), (0.5, 0.5));
    }
}
