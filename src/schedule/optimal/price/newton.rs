//! Newton's method on the smoothed dual.
//!
//! ```text
//! F(P) = Σ_j a_j P_j + Σ_i m_i ε_i ln Σ_j (a_j/n)·exp((c_i(x_j) − P_j)/ε_i),    ε_i = η(w_i + 1)/2
//! π_ij = softmax,  d = Σ m π (demand),  ∇F = a − d,  H = Σ (m/ε)(diag π − π πᵀ)
//! ```
//!
//! F is convex. The step solves `(H + κ·diag(a)/η) s = d − a` (Cholesky); it is taken if F falls, then κ shrinks, else κ grows.

use super::classes::Class;
use super::knots::Knots;
use super::parallel::pieces;

/// Terms of a softmax below e^(−18) of the greatest are left out.
const NEGLIGIBLE: f64 = 18.0;

/// Pieces of work; each holds a K×K matrix.
const PIECES: usize = 8;

/// Lowers F until the demand meets the capacity of the knots, or for a limited number of tries.
pub(super) fn minimise(classes: &[Class], knots: &Knots, prices: &mut Vec<f64>, eta: f64) {
    let a = knots.weights();
    let n: f64 = a.iter().sum();
    let tries = if classes.len() > 100_000 { 12 } else { 30 };
    let mut kappa = 1e-3;
    let mut here = evaluate(classes, knots, prices, eta);
    for _ in 0..tries {
        let least = prices.iter().copied().fold(f64::INFINITY, f64::min);
        let excess = |j: usize| (here.demand[j] - a[j]).abs();
        let total: f64 = (0..a.len()).map(excess).sum();
        let paid: f64 = (0..a.len()).map(|j| excess(j) * (prices[j] - least)).sum();
        if total < 4e-3 * n && paid < 1e-3 * here.value {
            return;
        }
        let mut matrix = here.hessian.clone();
        for j in 0..a.len() {
            matrix[j * a.len() + j] += kappa * a[j] / eta;
        }
        let mut step: Vec<f64> = here.demand.iter().zip(a).map(|(d, a)| d - a).collect();
        if !cholesky(&mut matrix, &mut step) {
            kappa *= 8.0;
            continue;
        }
        // F does not change along (1, …, 1): prices are kept from drifting.
        let drift = step.iter().zip(a).map(|(s, a)| s * a).sum::<f64>() / n;
        let trial: Vec<f64> = prices.iter().zip(&step).map(|(p, s)| p + s - drift).collect();
        let there = evaluate(classes, knots, &trial, eta);
        if there.value < here.value {
            (*prices, here) = (trial, there);
            kappa /= 8.0;
        } else {
            kappa *= 8.0;
        }
    }
}

/// F with its derivatives; the Hessian's lower triangle, row by row.
struct Evaluation {
    value: f64,
    demand: Vec<f64>,
    hessian: Vec<f64>,
}

fn evaluate(classes: &[Class], knots: &Knots, prices: &[f64], eta: f64) -> Evaluation {
    let k = knots.len();
    let n: f64 = knots.weights().iter().sum();
    let share: Vec<f64> = knots.weights().iter().map(|a| (a / n).ln()).collect();
    let paid = knots.weights().iter().zip(prices).map(|(a, p)| a * p).sum();
    let mut sum = Evaluation { value: paid, demand: vec![0.0; k], hessian: vec![0.0; k * k] };
    let parts = pieces(classes.len(), PIECES, |range| {
        let mut part = Evaluation { value: 0.0, demand: vec![0.0; k], hessian: vec![0.0; k * k] };
        let mut softmax = Softmax::new(k);
        for class in &classes[range] {
            part.add(class, &mut softmax, knots, prices, &share, eta);
        }
        part
    });
    for part in parts {
        sum.value += part.value;
        sum.demand.iter_mut().zip(&part.demand).for_each(|(sum, part)| *sum += part);
        sum.hessian.iter_mut().zip(&part.hessian).for_each(|(sum, part)| *sum += part);
    }
    sum
}

impl Evaluation {
    fn add(
        &mut self,
        class: &Class,
        softmax: &mut Softmax,
        knots: &Knots,
        prices: &[f64],
        share: &[f64],
        eta: f64,
    ) {
        let epsilon = eta * (class.weight + 1.0) / 2.0;
        let log_sum = softmax.of(class.weight, class.mu, epsilon, knots, prices, share, NEGLIGIBLE);
        self.value += class.count * epsilon * log_sum;
        let (k, scale) = (self.demand.len(), class.count / epsilon);
        for (at, &(j, pi)) in softmax.support.iter().enumerate() {
            let j = j as usize;
            self.demand[j] += class.count * pi;
            let row = &mut self.hessian[j * k..=j * k + j];
            row[j] += scale * pi;
            for &(i, other) in &softmax.support[..=at] {
                row[i as usize] -= scale * pi * other;
            }
        }
    }
}

/// The softmax of one page over the knots: its support, in the order of knots.
pub(super) struct Softmax {
    logits: Vec<f64>,
    pub(super) support: Vec<(u32, f64)>,
}

impl Softmax {
    pub(super) fn new(knots: usize) -> Self {
        Softmax { logits: vec![0.0; knots], support: Vec::with_capacity(knots) }
    }

    /// Fills the support with terms within e^(−`cut`) of the greatest, summing to one; gives the logarithm of the sum.
    #[expect(
        clippy::too_many_arguments,
        reason = "the innermost loop; a struct would only be taken apart again"
    )]
    pub(super) fn of(
        &mut self,
        weight: f64,
        mu: f64,
        epsilon: f64,
        knots: &Knots,
        prices: &[f64],
        share: &[f64],
        cut: f64,
    ) -> f64 {
        knots.curve(weight, mu, &mut self.logits);
        let inverse = 1.0 / epsilon;
        let mut greatest = f64::NEG_INFINITY;
        for ((logit, price), share) in self.logits.iter_mut().zip(prices).zip(share) {
            *logit = (*logit - price) * inverse + share;
            greatest = greatest.max(*logit);
        }
        self.support.clear();
        let mut sum = 0.0;
        for (j, logit) in self.logits.iter().enumerate() {
            let below = logit - greatest;
            if below > -cut {
                let term = below.exp();
                sum += term;
                self.support.push((j as u32, term));
            }
        }
        self.support.iter_mut().for_each(|(_, term)| *term /= sum);
        greatest + sum.ln()
    }
}

/// Solves `A x = b` for symmetric positive definite A (lower triangle, overwritten); false if A is not.
fn cholesky(matrix: &mut [f64], vector: &mut [f64]) -> bool {
    let k = vector.len();
    for i in 0..k {
        let (above, rest) = matrix.split_at_mut(i * k);
        let row = &mut rest[..=i];
        for j in 0..i {
            let other = &above[j * k..=j * k + j];
            let dot: f64 = row[..j].iter().zip(&other[..j]).map(|(x, y)| x * y).sum();
            row[j] = (row[j] - dot) / other[j];
        }
        let square = row[i] - row[..i].iter().map(|x| x * x).sum::<f64>();
        if square.is_nan() || square <= 0.0 {
            return false;
        }
        row[i] = square.sqrt();
        let dot: f64 = row[..i].iter().zip(vector.iter()).map(|(x, y)| x * y).sum();
        vector[i] = (vector[i] - dot) / row[i];
    }
    for i in (0..k).rev() {
        vector[i] /= matrix[i * k + i];
        let value = vector[i];
        for (x, y) in vector[..i].iter_mut().zip(&matrix[i * k..]) {
            *x -= value * y;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cholesky_solves_and_refuses() {
        let mut matrix = [4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 2.0, 3.0, 6.0];
        let mut vector = [2.0, -4.0, 9.0];
        assert!(cholesky(&mut matrix, &mut vector));
        let [x, y, z] = vector;
        for (sum, right) in [
            (4.0 * x + 2.0 * y + 2.0 * z, 2.0),
            (2.0 * x + 5.0 * y + 3.0 * z, -4.0),
            (2.0 * x + 3.0 * y + 6.0 * z, 9.0),
        ] {
            assert!((sum - right).abs() < 1e-12);
        }
        assert!(!cholesky(&mut [1.0, 0.0, 2.0, 1.0], &mut [1.0, 1.0]));
    }

    #[test]
    fn the_gradient_is_capacity_minus_demand() {
        let knots = Knots::new(50, 8);
        let classes =
            [Class { count: 20.0, weight: 2.0, mu: 0.3 }, Class { count: 30.0, weight: 0.3, mu: 0.01 }];
        let prices: Vec<f64> = (0..knots.len()).map(|j| 0.5 / (1.0 + j as f64)).collect();
        let here = evaluate(&classes, &knots, &prices, 0.3);
        for j in [0, 3, knots.len() - 1] {
            let mut moved = prices.clone();
            moved[j] += 1e-6;
            let slope = (evaluate(&classes, &knots, &moved, 0.3).value - here.value) / 1e-6;
            assert!((slope - (knots.weights()[j] - here.demand[j])).abs() < 1e-4, "{j}");
        }
    }
}
