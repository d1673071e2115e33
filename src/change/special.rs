//! The Gamma function and the quantiles of the Gamma distribution.
//!
//! `ln_gamma` is Lanczos' approximation (g = 7, nine terms; relative error below 1e-13), the incomplete Gamma function
//! is its power series left of `a + 1` and its continued fraction right of it (Abramowitz and Stegun, 6.5.29 and
//! 6.5.31), quantiles are found by Newton's method on their logarithm, and by bisection where that
//! does not settle.

/// `e^x` for `x <= 0`, without branches, so that a loop over many numbers runs on several at once. Right to a unit or two in the last
/// place; below -708 it is that of -708, which is nothing beside 1.
pub(crate) fn exp_below(x: f64) -> f64 {
    /// `ln 2` in two parts: a multiple of the first one is exact.
    const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    /// Added to a number, it leaves the nearest whole one in the last bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.max(-708.0);
    let rounded = x * std::f64::consts::LOG2_E + ROUND;
    let whole = rounded - ROUND;
    let r = x - whole * LN2.0 - whole * LN2.1;
    // The series of e^r for |r| < 0.35.
    const TERMS: [f64; 13] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ];
    let series = TERMS.iter().fold(0.0, |sum, term| sum * r + term);
    // The last bits of the rounded number are those of the exponent.
    let power = f64::from_bits((rounded.to_bits().wrapping_add(1023)) << 52);
    (series * r + 1.0) * power
}

/// `ln Gamma(x)` for `x > 0`.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        // Reflection keeps small arguments exact.
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let base = x + 7.5;
    let sum = TERMS
        .iter()
        .zip(1u32..)
        .fold(0.999_999_999_999_809_9, |sum, (term, place)| sum + term / (x + f64::from(place)));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

/// The share of `Gamma(shape, 1)` below `x`.
pub(crate) fn gamma_share(shape: f64, x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { share_below(shape, x, (shape * x.ln() - x - ln_gamma(shape)).exp()) }
}

/// The same, where `x` times the density there is known.
fn share_below(shape: f64, x: f64, front: f64) -> f64 {
    if x < shape + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / shape, 1.0 / shape, shape);
        while term > sum * 1e-16 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (front * sum).min(1.0);
    }
    // Lentz' method for the continued fraction of the upper part.
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - shape;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / b);
    let mut fraction = d;
    for step in 1..10_000 {
        let n = f64::from(step);
        let a = -n * (n - shape);
        b += 2.0;
        d = a * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + a / c;
        c = if c.abs() < TINY { TINY } else { c };
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    (1.0 - front * fraction).max(0.0)
}

/// The point below which the given share of `Gamma(shape, 1)` lies.
pub(crate) fn gamma_quantile(shape: f64, share: f64) -> f64 {
    // Far down, the share is x^shape / Gamma(shape + 1): exact to all digits there, a lower bound elsewhere.
    let small = ((share.ln() + ln_gamma(shape + 1.0)) / shape).exp();
    if small < 1e-10 {
        return small;
    }
    let (mut low, mut high) = (small.ln(), (shape + 1.0).ln() + 5.0);
    if let Some(root) = approached(shape, share, (low, high)) {
        return root.exp();
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if gamma_share(shape, middle.exp()) < share { low = middle } else { high = middle }
    }
    ((low + high) / 2.0).exp()
}

/// A step smaller than this, in the logarithm, is the last one: the next would be about its square.
const NEAR: f64 = 1e-8;

/// The logarithm of a quantile by Newton's method, kept between two bounds; `None` where it is not reached.
fn approached(shape: f64, share: f64, (low, high): (f64, f64)) -> Option<f64> {
    let of_shape = ln_gamma(shape);
    // Wilson and Hilferty: the cube root is nearly normal.
    let normal = if share < 0.5 { -1.959_964 } else { 1.959_964 };
    let cube = 1.0 - 1.0 / (9.0 * shape) + normal / (3.0 * shape.sqrt());
    let guess = if cube > 0.0 { (shape * cube.powi(3)).ln() } else { low };
    let mut at = guess.clamp(low, high);
    for _ in 0..20 {
        let x = at.exp();
        // The slope over the logarithm is x times the density.
        let slope = (shape * at - x - of_shape).exp();
        let step = (share_below(shape, x, slope) - share) / slope;
        if !step.is_finite() {
            return None;
        }
        let next = (at - step.clamp(-2.0, 2.0)).clamp(low, high);
        let moved = (next - at).abs();
        at = next;
        if moved < NEAR {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_without_branches_is_the_exponential() {
        for step in 0..=708_000 {
            let x = -f64::from(step) / 1000.0 - f64::from(step % 7) * 1e-5;
            let (found, known) = (exp_below(x.max(-708.0)), x.max(-708.0).exp());
            assert!((found / known - 1.0).abs() < 5e-16, "{x}: {found} {known}");
        }
        assert_eq!(exp_below(0.0), 1.0);
        assert!(exp_below(f64::NEG_INFINITY) < 1e-300 && exp_below(-1e6) < 1e-300);
    }

    #[test]
    fn the_gamma_function_has_its_known_values() {
        for (x, value) in [(1.0, 1.0), (5.0, 24.0), (0.5, std::f64::consts::PI.sqrt()), (11.0, 3_628_800.0)] {
            assert!((ln_gamma(x) - f64::ln(value)).abs() < 1e-12, "{x}");
        }
        assert!((ln_gamma(1e-8) - (1e8f64).ln()).abs() < 1e-7);
    }

    #[test]
    fn the_exponential_distribution_is_the_gamma_of_shape_one() {
        for x in [1e-9f64, 0.1, 1.0, 1.9, 2.1, 10.0] {
            assert!((gamma_share(1.0, x) + (-x).exp_m1()).abs() < 1e-14, "{x}");
        }
        for share in [0.025, 0.5, 0.975] {
            assert!((gamma_quantile(1.0, share) / -f64::ln_1p(-share) - 1.0).abs() < 1e-10);
        }
    }

    /// The quantile by bisection alone.
    fn bisected(shape: f64, share: f64) -> f64 {
        let small = ((share.ln() + ln_gamma(shape + 1.0)) / shape).exp();
        if small < 1e-10 {
            return small;
        }
        let (mut low, mut high) = (small.ln(), (shape + 1.0).ln() + 5.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if gamma_share(shape, middle.exp()) < share { low = middle } else { high = middle }
        }
        ((low + high) / 2.0).exp()
    }

    #[test]
    fn newton_finds_what_bisection_finds() {
        for step in -300..500 {
            let shape = 10f64.powf(f64::from(step) / 100.0);
            for share in [0.025, 0.975, 0.5, 0.1] {
                let (found, known) = (gamma_quantile(shape, share), bisected(shape, share));
                assert!(
                    found == known || (found / known - 1.0).abs() < 1e-11,
                    "{shape} {share}: {found} {known}"
                );
            }
        }
    }

    #[test]
    fn quantiles_invert_shares_for_every_shape() {
        for shape in [0.05, 0.3, 0.9, 1.5, 7.0, 120.0, 5000.0] {
            for share in [0.025, 0.5, 0.975] {
                let x = gamma_quantile(shape, share);
                assert!((gamma_share(shape, x) - share).abs() < 1e-9, "{shape} {share} {x}");
            }
        }
    }
}
