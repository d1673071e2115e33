//! The Gamma function and the quantiles of the Gamma distribution.
//!
//! `ln_gamma` is Lanczos' approximation (g = 7, nine terms; relative error below 1e-13), the incomplete Gamma function
//! is its power series left of `a + 1` and its continued fraction right of it (Abramowitz and Stegun, 6.5.29 and
//! 6.5.31), quantiles are found by bisection of their logarithm, with Newton's method to say which halves need no look.

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
    if x <= 0.0 {
        return 0.0;
    }
    let front = (shape * x.ln() - x - ln_gamma(shape)).exp();
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
    let near = approached(shape, share, (low, high));
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let is_below = match near {
            Some(root) if (middle - root).abs() > NEAR => middle < root,
            _ => gamma_share(shape, middle.exp()) < share,
        };
        if is_below { low = middle } else { high = middle }
    }
    ((low + high) / 2.0).exp()
}

/// How near its aim [`approached`] comes at least, in the logarithm.
const NEAR: f64 = 1e-11;

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
        let step = (gamma_share(shape, x) - share) / slope;
        if !step.is_finite() {
            return None;
        }
        let next = (at - step.clamp(-2.0, 2.0)).clamp(low, high);
        let moved = (next - at).abs();
        at = next;
        if moved < NEAR / 10.0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn what_newton_spares_changes_no_digit() {
        for step in -300..500 {
            let shape = 10f64.powf(f64::from(step) / 100.0);
            for share in [0.025, 0.975, 0.5, 0.1] {
                assert_eq!(gamma_quantile(shape, share), bisected(shape, share), "{shape} {share}");
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
