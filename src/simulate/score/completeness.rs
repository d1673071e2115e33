//! Version completeness of one page of known law: expected, and realised.
//!
//! Captures at `t_1 < … < t_m` cut the window into stretches `(o_s, t_1], (t_1, t_2], …`; a capture gets the last version of its
//! stretch, if one came to be in it, and what comes behind `t_m` is missed. With all versions equally important, D stretches with a
//! change, and N changes in the window,
//!
//! ```text
//! completeness = D/N   (1 if N = 0)
//! ```
//!
//! N is Poisson of mean Λ, and given N = n every change lies in stretch k with chance `q_k = Λ_k/Λ`, independently. So
//!
//! ```text
//! E = e^{−Λ} + Σ_k Σ_{n≥1} e^{−Λ} Λ^n/n! · (1 − (1 − q_k)^n)/n
//!   = e^{−Λ} + Σ_k ( h(Λ) − e^{−Λ_k} h(Λ − Λ_k) ),      h(x) = e^{−x} Σ_{n≥1} x^n/(n·n!) = e^{−x} (Ei(x) − ln x − γ)
//! ```
//!
//! Where the importance ω of a change depends on its period, `1/S = ∫₀^∞ e^{−sS} ds` turns the ratio of two sums into an integral over
//! s of products over disjoint stretches:
//!
//! ```text
//! E = e^{−Λ} + ∫₀^∞ Σ_k e^{−(Ψ(s) − Ψ_k(s))} A_k(s) ds,     Ψ(s) = ∫ (1 − e^{−sω}) dΛ
//! A_k(s) = ∫_{stretch k} ω e^{−sω} e^{−Ψ(s; start to t)} e^{−Λ(t, t_k)} dΛ(t)
//! ```
//!
//! (the last change of the stretch at t, none after it, any before). Rate and importance are constant by pieces, so A_k is a sum of
//! exponentials; the integral over s is done by the trapezoidal rule in ln s, which converges faster than any power of the
//! step here. Cost: O(m) by the first formula, some hundred nodes × pieces by the second.
//!
//! Source: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, Def. 5.12, over
//! distinct versions. The expectations are not in the paper.

use crate::simulate::process::{Piece, Process};

/// The expected completeness; `None` where changes come in slots.
pub(crate) fn expected(process: &Process, captures: &[f64], from: f64, to: f64) -> Option<f64> {
    match process {
        Process::Slots { .. } => None,
        Process::Poisson { .. } => Some(plain(process, captures, from, to)),
        Process::Periodic { .. } => Some(weighted(process, captures, from, to)),
    }
}

/// The completeness of a history: changes ascending, inside the window.
pub(crate) fn realised(process: &Process, captures: &[f64], changes: &[f64]) -> f64 {
    if changes.is_empty() {
        return 1.0;
    }
    let importance = |at: usize| if process.is_plain() { 1.0 } else { process.importance(changes[at]) };
    let (mut caught, mut seen) = (0.0, 0);
    for capture in captures {
        let happened = changes.partition_point(|change| change <= capture);
        if happened > seen {
            caught += importance(happened - 1);
            seen = happened;
        }
    }
    let all: f64 =
        if process.is_plain() { changes.len() as f64 } else { (0..changes.len()).map(importance).sum() };
    if all > 0.0 { caught / all } else { 1.0 }
}

/// All versions equally important.
fn plain(process: &Process, captures: &[f64], from: f64, to: f64) -> f64 {
    let all = process.mean(from, to);
    let whole = scaled_integral(all);
    let starts = std::iter::once(from).chain(captures.iter().copied());
    let caught: f64 = starts
        .zip(captures)
        .map(|(start, &end)| process.mean(start, end))
        .filter(|stretch| *stretch > 0.0)
        .map(|stretch| whole - (-stretch).exp() * scaled_integral((all - stretch).max(0.0)))
        .sum();
    (-all).exp() + caught
}

/// h(x).
fn scaled_integral(x: f64) -> f64 {
    const GAMMA: f64 = 0.577_215_664_901_532_9;
    if x < 40.0 {
        // All terms are positive: nothing cancels.
        let (mut power, mut sum, mut n) = (1.0, 0.0, 1.0);
        loop {
            power *= x / n;
            let term = power / n;
            sum += term;
            if term <= sum * 1e-17 || n > 400.0 {
                return sum * (-x).exp();
            }
            n += 1.0;
        }
    }
    // e^{−x} Ei(x) = Σ k!/x^{k+1}, up to the smallest term, which is below e^{−40}.
    let (mut term, mut sum) = (1.0 / x, 0.0);
    let mut k = 0.0;
    while term > 1e-18 / x && k < x {
        sum += term;
        k += 1.0;
        term *= k / x;
    }
    sum - (-x).exp() * (x.ln() + GAMMA)
}

/// The step of the quadrature in ln s.
const STEP: f64 = 0.3;

/// Importance depends on the period.
fn weighted(process: &Process, captures: &[f64], from: f64, to: f64) -> f64 {
    let mut stretches: Vec<Vec<Piece>> = Vec::with_capacity(captures.len());
    let mut start = from;
    for &end in captures {
        let mut pieces = Vec::new();
        process.pieces(start, end, |piece| pieces.push(piece));
        stretches.push(pieces);
        start = end;
    }
    let mut tail = Vec::new();
    process.pieces(start, to, |piece| tail.push(piece));
    let mut least = f64::INFINITY;
    for piece in stretches.iter().flatten().chain(&tail).filter(|piece| piece.period.rate > 0.0) {
        least = least.min(piece.period.importance);
    }
    // A change of no importance has no part in a ratio of importances.
    if !least.is_finite() || least <= 0.0 {
        return f64::NAN;
    }
    let integrand = |s: f64| {
        let spent = |piece: &Piece| {
            piece.period.rate * (piece.to - piece.from) * -(-s * piece.period.importance).exp_m1()
        };
        let all: f64 = stretches.iter().flatten().chain(&tail).map(spent).sum();
        let caught = |pieces: &Vec<Piece>| {
            let own: f64 = pieces.iter().map(spent).sum();
            (own - all).exp() * last_change(pieces, s)
        };
        stretches.iter().map(caught).sum::<f64>()
    };
    // Below: all that came to be weighs at most `most`, so what is left out is less than 1e-11. Above: e^{−s·least} vanishes.
    let most: f64 = stretches
        .iter()
        .flatten()
        .chain(&tail)
        .map(|piece| piece.period.rate * (piece.to - piece.from))
        .sum();
    let (low, high) = ((1e-11 / most.max(1.0)).ln(), (40.0 / least).ln());
    let steps = ((high - low) / STEP).ceil() as usize;
    let node = |step: usize| (low + step as f64 * STEP).exp();
    // ds = s d(ln s)
    let sum: f64 = (0..=steps).map(node).map(|s| STEP * s * integrand(s)).sum();
    (-process.mean(from, to)).exp() + sum
}

/// A_k(s): the stretch is in pieces of constant rate and importance.
fn last_change(pieces: &[Piece], s: f64) -> f64 {
    // From the end: Λ behind the piece. From the start: Ψ before it.
    let mut behind: f64 = pieces.iter().map(|piece| piece.period.rate * (piece.to - piece.from)).sum();
    let (mut before, mut sum) = (0.0f64, 0.0);
    for piece in pieces {
        let (rate, omega, length) = (piece.period.rate, piece.period.importance, piece.to - piece.from);
        behind -= rate * length;
        let kept = (-s * omega).exp();
        let spent = rate * length * -(-s * omega).exp_m1();
        // ∫ rate·e^{−rate·(1−kept)·u}·e^{−rate·(length−u)} du over the piece; 1 − (1 − kept) = kept.
        let exponent = rate * length * kept;
        let inner = if kept > 0.0 {
            (exponent - rate * length - behind.max(0.0)).exp() * -(-exponent).exp_m1() / kept
        } else {
            rate * length * (-rate * length - behind.max(0.0)).exp()
        };
        sum += omega * kept * (-before).exp() * inner;
        before += spent;
    }
    sum
}

#[cfg(test)]
#[path = "completeness_tests.rs"]
mod tests;
