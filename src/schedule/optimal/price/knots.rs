//! Knots: the slots at which prices are free; linear in between.
//!
//! Profits fall fast near the middle and slowly outside, so the first knots are one slot apart, then R/2 knots each two, four,
//! eight … apart: `K ≈ R + (R/2)·log₂(n/R)`.

/// Knot positions and their hat weights.
#[derive(Debug, Clone)]
pub(super) struct Knots {
    fine: usize,
    x: Vec<u32>,
    /// How many slots' prices hang on each knot: `Σ_k p_k = Σ_j a_j P_j`.
    weight: Vec<f64>,
}

impl Knots {
    /// Knots over `0..n`, the first `fine` of them one apart.
    pub(super) fn new(n: usize, fine: usize) -> Self {
        let last = n - 1;
        let (mut x, mut at, mut step) = (Vec::new(), 0usize, 1usize);
        let mut left = fine;
        while at < last {
            x.push(at as u32);
            at += step;
            left -= 1;
            if left == 0 {
                step *= 2;
                left = fine / 2;
            }
        }
        x.push(last as u32);
        let gap = |j: usize| (x[j + 1] - x[j]) as f64;
        let side = |gap: f64| (gap - 1.0) / 2.0;
        let weight = (0..x.len())
            .map(|j| {
                let left = if j == 0 { 0.0 } else { side(gap(j - 1)) };
                let right = if j + 1 == x.len() { 0.0 } else { side(gap(j)) };
                1.0 + left + right
            })
            .collect();
        Knots { fine, x, weight }
    }

    pub(super) fn len(&self) -> usize {
        self.x.len()
    }

    pub(super) fn fine(&self) -> usize {
        self.fine
    }

    pub(super) fn positions(&self) -> &[u32] {
        &self.x
    }

    pub(super) fn weights(&self) -> &[f64] {
        &self.weight
    }

    /// Whether the knot stands for itself alone.
    pub(super) fn single(&self, j: usize) -> bool {
        self.weight[j] < 1.25
    }

    pub(super) fn price(&self, prices: &[f64], slot: u32) -> f64 {
        let right = self.x.partition_point(|&x| x < slot);
        if self.x[right] == slot {
            return prices[right];
        }
        let (from, to) = (f64::from(self.x[right - 1]), f64::from(self.x[right]));
        let share = (f64::from(slot) - from) / (to - from);
        prices[right - 1] * (1.0 - share) + prices[right] * share
    }

    pub(super) fn slot_prices(&self, prices: &[f64]) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.x.last().map_or(0, |&last| last as usize + 1));
        for (ends, prices) in self.x.windows(2).zip(prices.windows(2)) {
            let slope = (prices[1] - prices[0]) / f64::from(ends[1] - ends[0]);
            all.extend((0..ends[1] - ends[0]).map(|step| prices[0] + slope * f64::from(step)));
        }
        all.extend(prices.last());
        all
    }

    /// Writes `w·e^(−μx_j)` for every knot: one exponential, a squaring where the step doubles, a multiplication each.
    pub(super) fn curve(&self, weight: f64, mu: f64, out: &mut [f64]) {
        let (mut value, mut factor, mut step) = (weight, (-mu).exp(), 1);
        out[0] = value;
        for (pair, out) in self.x.windows(2).zip(&mut out[1..]) {
            let gap = pair[1] - pair[0];
            if gap != step {
                factor = if gap == 2 * step { factor * factor } else { (-mu * f64::from(gap)).exp() };
                step = gap;
            }
            value *= factor;
            *out = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hat_weights_share_out_every_slot_and_curves_are_exponentials() {
        for n in [2, 3, 64, 65, 66, 100, 1000, 54_321] {
            let knots = Knots::new(n, 16);
            assert_eq!(knots.weights().iter().sum::<f64>(), n as f64, "{n}");
            let mut curve = vec![0.0; knots.len()];
            knots.curve(3.0, 0.01, &mut curve);
            for (value, &x) in curve.iter().zip(knots.positions()) {
                let exact = 3.0 * (-0.01 * f64::from(x)).exp();
                assert!((value - exact).abs() <= 1e-10 * exact, "{n} {x}");
            }
            let prices: Vec<f64> = knots.positions().iter().map(|&x| 7.0 - f64::from(x)).collect();
            let all = knots.slot_prices(&prices);
            assert!(all.len() == n && (0..n).all(|k| (all[k] - (7.0 - k as f64)).abs() < 1e-9));
            assert!((0..n as u32).all(|k| (knots.price(&prices, k) - (7.0 - f64::from(k))).abs() < 1e-9));
        }
    }
}
