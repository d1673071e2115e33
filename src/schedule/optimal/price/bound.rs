//! The certificate: `Σ a_j P_j + Σ_i max_j (c_i(x_j) − P_j)` over *all* pages.

use super::{Curves, knots::Knots, parallel::pieces};

/// The upper bound of these prices.
pub(super) fn bound(curves: &Curves, knots: &Knots, prices: &[f64]) -> f64 {
    let paid: f64 = knots.weights().iter().zip(prices).map(|(a, p)| a * p).sum();
    paid + pieces(curves.len(), 64, |pages| pages.map(|page| best(curves, knots, prices, page)).sum::<f64>())
        .iter()
        .sum::<f64>()
}

/// What page i gains at its best knot.
fn best(curves: &Curves, knots: &Knots, prices: &[f64], page: usize) -> f64 {
    let (mut value, mu) = (curves.weight[page], curves.mu[page]);
    let (mut factor, mut step) = ((-mu).exp(), 1);
    let mut best = value - prices[0];
    for (pair, price) in knots.positions().windows(2).zip(&prices[1..]) {
        let gap = pair[1] - pair[0];
        if gap != step {
            factor = if gap == 2 * step { factor * factor } else { (-mu * f64::from(gap)).exp() };
            step = gap;
        }
        value *= factor;
        best = best.max(value - price);
    }
    best
}

/// The gain of every page at its best knot.
pub(super) fn gains(curves: &Curves, knots: &Knots, prices: &[f64]) -> Vec<f64> {
    pieces(curves.len(), 64, |pages| pages.map(|page| best(curves, knots, prices, page)).collect::<Vec<_>>())
        .concat()
}
