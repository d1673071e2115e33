//! How a page changes: processes with known law, and histories drawn from them.
//!
//! | process | changes | source |
//! |---|---|---|
//! | Poisson | at rate λ, at any time | Denev et al., *The SHARC framework*, VLDB Journal, §3 and §9.3; Mazeika et al., *SOLAR*, §6 |
//! | slots | at whole multiples of a slot, each with chance p | Spaniol et al., *Data Quality in Web Archiving*, WICOW 2009, §5 |
//! | periodic | at a rate, and with an importance, that depend on the period of the day | Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, Def. 4.21 and §7 |
//!
//! All have independent increments: what happens in disjoint stretches of time is independent. So with the mean measure Λ,
//!
//! ```text
//! E Σ_h c(h) = ∫ c dΛ,   Var Σ_h c(h) = ∫ c² dΛ   (Campbell; with chances instead of rates: Σ c²·p(1 − p))
//! ```
//!
//! for any cost c of a change, which is all that the expected blur and its spread need. Stretches are open on the left and
//! closed on the right: a capture at h shows the change at h.

use std::sync::Arc;

use rand::RngExt;
use rand_pcg::Pcg64;

#[derive(Debug, Clone, PartialEq)]
pub enum Process {
    /// Changes per unit of time, the same at all times.
    Poisson {
        /// λ.
        rate: f64,
    },
    /// At most one change at every multiple of the slot.
    Slots {
        /// The chance of a change, `0 ≤ p < 1`.
        chance: f64,
        slot: f64,
    },
    /// A Poisson process whose rate, and the importance of its changes, depend on the period.
    Periodic {
        /// What happens in each period of the cycle.
        periods: Arc<[Period]>,
        length: f64,
    },
}

/// One period of a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Period {
    /// Changes per unit of time.
    pub rate: f64,
    /// The importance of a change that happens in it.
    pub importance: f64,
}

/// A stretch of time in which the rate is constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its beginning and its end, in units of the site's time.
    pub from: f64,
    pub to: f64,
    /// What happens in it.
    pub period: Period,
}

/// The random numbers of one page under one seed: its own stream, so that no order of work can matter.
pub(crate) fn stream(seed: u64, page: u64) -> Pcg64 {
    // SplitMix64 (Steele, Lea, Flood 2014): neighbouring seeds and pages get states far apart.
    let mut state = seed.wrapping_mul(0xD1B5_4A32_D192_ED03) ^ page.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u128::from(mixed ^ (mixed >> 31))
    };
    Pcg64::new(next() << 64 | next(), next() << 64 | u128::from(page))
}

/// Exponential with mean 1.
fn exponential(random: &mut Pcg64) -> f64 {
    -(1.0 - random.random::<f64>()).ln()
}

impl Process {
    /// The mean rate over all time.
    pub fn rate(&self) -> f64 {
        match self {
            Process::Poisson { rate } => *rate,
            // The Poisson rate with the same chance of no change in a slot.
            Process::Slots { chance, slot } => -(-chance).ln_1p() / slot,
            Process::Periodic { periods, .. } => {
                periods.iter().map(|period| period.rate).sum::<f64>() / periods.len().max(1) as f64
            }
        }
    }

    /// Λ(from, to]: how many changes are expected.
    pub fn mean(&self, from: f64, to: f64) -> f64 {
        match self {
            Process::Poisson { rate } => rate * (to - from),
            Process::Slots { chance, slot } => chance * (count(to, *slot) - count(from, *slot)),
            Process::Periodic { .. } => {
                let mut sum = 0.0;
                self.pieces(from, to, |piece| sum += piece.period.rate * (piece.to - piece.from));
                sum
            }
        }
    }

    /// The chance that nothing changes in (from, to].
    pub fn survival(&self, from: f64, to: f64) -> f64 {
        match self {
            Process::Slots { chance, slot } => (1.0 - chance).powf(count(to, *slot) - count(from, *slot)),
            _ => (-self.mean(from, to)).exp(),
        }
    }

    /// The mean and the variance of the summed distances |h − point| of all changes h in (from, to].
    pub fn distances(&self, point: f64, from: f64, to: f64) -> (f64, f64) {
        if from >= to {
            return (0.0, 0.0);
        }
        if from < point && point < to {
            let (left, right) = (self.distances(point, from, point), self.distances(point, point, to));
            return (left.0 + right.0, left.1 + right.1);
        }
        let integrals = |a: f64, b: f64| {
            let (a, b) = ((a - point).abs(), (b - point).abs());
            let (a, b) = (a.min(b), a.max(b));
            ((b * b - a * a) / 2.0, (b * b * b - a * a * a) / 3.0)
        };
        match self {
            Process::Poisson { rate } => {
                let (first, second) = integrals(from, to);
                (rate * first, rate * second)
            }
            Process::Slots { chance, slot } => {
                let (first, second) = slot_sums(count(from, *slot) + 1.0, count(to, *slot), *slot, point);
                (chance * first, chance * (1.0 - chance) * second)
            }
            Process::Periodic { .. } => {
                let mut sums = (0.0, 0.0);
                self.pieces(from, to, |piece| {
                    let (first, second) = integrals(piece.from, piece.to);
                    sums.0 += piece.period.rate * first;
                    sums.1 += piece.period.rate * second;
                });
                sums
            }
        }
    }

    /// Calls `each` with the stretches of constant rate in (from, to], in order. A process in slots has none.
    pub fn pieces(&self, from: f64, to: f64, mut each: impl FnMut(Piece)) {
        match self {
            Process::Poisson { rate } => {
                if from < to {
                    each(Piece { from, to, period: Period { rate: *rate, importance: 1.0 } });
                }
            }
            Process::Slots { .. } => {}
            Process::Periodic { periods, length } => {
                let mut at = from;
                while at < to {
                    // The next border after `at`, despite rounding.
                    let mut number = (at / length).floor();
                    if (number + 1.0) * length <= at {
                        number += 1.0;
                    }
                    let end = ((number + 1.0) * length).min(to);
                    let period = periods[number.rem_euclid(periods.len() as f64) as usize];
                    each(Piece { from: at, to: end, period });
                    at = end;
                }
            }
        }
    }

    /// The importance of a change at `at`.
    pub fn importance(&self, at: f64) -> f64 {
        match self {
            Process::Periodic { periods, length } => {
                periods[(at / length).floor().rem_euclid(periods.len() as f64) as usize].importance
            }
            _ => 1.0,
        }
    }

    /// Whether all changes are equally important.
    pub fn is_plain(&self) -> bool {
        !matches!(self, Process::Periodic { .. })
    }

    /// Draws the changes in (from, to] and puts them, ascending, in place of what `changes` holds.
    pub fn draw(&self, from: f64, to: f64, random: &mut Pcg64, changes: &mut Vec<f64>) {
        changes.clear();
        match self {
            Process::Poisson { rate } => {
                if *rate > 0.0 {
                    let mean = 1.0 / rate;
                    let mut at = from + mean * exponential(random);
                    while at <= to {
                        changes.push(at);
                        at += mean * exponential(random);
                    }
                }
            }
            Process::Slots { chance, slot } => {
                if *chance > 0.0 {
                    let (mut at, last) = (count(from, *slot), count(to, *slot));
                    let scale = -(-chance).ln_1p();
                    loop {
                        // Slots until the next change: geometric.
                        at += 1.0 + (exponential(random) / scale).floor();
                        if at > last {
                            break;
                        }
                        changes.push(at * slot);
                    }
                }
            }
            Process::Periodic { .. } => {
                // In operational time Λ the process is Poisson of rate 1.
                let mut due = exponential(random);
                self.pieces(from, to, |piece| {
                    let expected = piece.period.rate * (piece.to - piece.from);
                    while due <= expected {
                        changes.push((piece.from + due / piece.period.rate).min(piece.to));
                        due += exponential(random);
                    }
                    due -= expected;
                });
            }
        }
    }
}

/// How many multiples of the slot lie in (0, at]. Times are products of whole numbers and the slot: rounding is undone.
fn count(at: f64, slot: f64) -> f64 {
    (at / slot + 1e-9).floor()
}

/// Σ |k·slot − point| and Σ (k·slot − point)² over k = first..=last, all on one side of the point.
fn slot_sums(first: f64, last: f64, slot: f64, point: f64) -> (f64, f64) {
    let n = last - first + 1.0;
    if n <= 0.0 {
        return (0.0, 0.0);
    }
    // With d = first·slot − point: Σ (d + j·slot), Σ (d + j·slot)², j = 0..n−1.
    let d = first * slot - point;
    let (ones, squares) = (n * (n - 1.0) / 2.0, (n - 1.0) * n * (2.0 * n - 1.0) / 6.0);
    ((n * d + slot * ones).abs(), n * d * d + 2.0 * d * slot * ones + slot * slot * squares)
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
