//! The price at which a bound of sessions is least, for several budgets at once, in few steps.
//!
//! The bound at price μ is `μB + h(μ)`, and h, which takes all the time, does not depend on the budget B: what was found out for one budget
//! serves all. h is convex and falls by D(μ), what is demanded at μ, so at every price a line below it is known, too: where the two lines
//! next to the least bound cross, nothing lies deeper. The search ends when that is no more than [`CLOSE`] below what was found. It tries
//! this crossing (where demand jumps, it is the price), the secant of demand in logarithms (where it does not), and the middle in turns.

/// The least bound is known to this part of it.
const CLOSE: f64 = 1e-9;

/// Steps for one budget at most.
const STEPS: usize = 60;

/// What is known at a price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// Natural logarithm of the price.
    pub log: f64,
    /// h: the bound without the price of the budget.
    pub bound: f64,
    /// D: downloads a day that are demanded.
    pub demand: f64,
}

impl Point {
    fn price(self) -> f64 {
        self.log.exp()
    }

    fn bound(self, budget: f64) -> f64 {
        self.bound + self.price() * budget
    }
}

/// The prices tried so far, ascending.
pub(super) struct Prices<F> {
    points: Vec<Point>,
    at: F,
}

impl<F: FnMut(f64) -> Point> Prices<F> {
    /// Between two logarithms of prices; `at` finds out about one.
    pub(super) fn new(low: f64, high: f64, mut at: F) -> Self {
        Prices { points: vec![at(low), at(high)], at }
    }

    /// The least bound for a budget, and the prices that were tried, nearest to its own first.
    pub(super) fn least(&mut self, budget: f64) -> (f64, Vec<f64>) {
        for step in 0..STEPS {
            let place = self.points.partition_point(|point| point.demand > budget);
            let Some(log) = place.checked_sub(1).and_then(|before| self.between(before, budget, step)) else {
                break;
            };
            self.points.insert(place, (self.at)(log));
        }
        let least = self.points.iter().copied().min_by(|a, b| a.bound(budget).total_cmp(&b.bound(budget)));
        let Some(least) = least else { return (f64::INFINITY, Vec::new()) };
        let mut logs: Vec<f64> = self.points.iter().map(|point| point.log).collect();
        logs.sort_by(|a, b| (a - least.log).abs().total_cmp(&(b - least.log).abs()));
        (least.bound(budget), logs)
    }

    /// Where to try next, behind a place; `None` where that is not needed.
    fn between(&self, place: usize, budget: f64, step: usize) -> Option<f64> {
        let (low, high) = (*self.points.get(place)?, *self.points.get(place + 1)?);
        let (falls, rises) = (budget - low.demand, budget - high.demand);
        let found = low.bound(budget).min(high.bound(budget));
        let crossing = (low.bound(budget) - high.bound(budget) + rises * high.price() - falls * low.price())
            / (rises - falls);
        let deepest = low.bound(budget) + falls * (crossing - low.price());
        let width = high.log - low.log;
        if found - deepest <= CLOSE * found.abs() || width <= 1e-12 {
            return None;
        }
        let part = match step % 3 {
            0 => (crossing.ln() - low.log) / width,
            1 => (low.demand / budget).ln() / (low.demand / high.demand).ln(),
            _ => 0.5,
        };
        // Where demand is nothing, its logarithm is not a number.
        let part = if part > 0.0 && part < 1.0 { part.clamp(1e-3, 1.0 - 1e-3) } else { 0.5 };
        Some(low.log + part * width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of the bound on a fine grid.
    fn grid(at: impl Fn(f64) -> Point, budget: f64) -> f64 {
        (0..200_000)
            .map(|k| at(-12.0 + 20.0 * f64::from(k) / 2e5).bound(budget))
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn few_prices_find_the_least_bounds_of_all_budgets() {
        let smooth = |log: f64| {
            // h = Σ max_f (w√f − μf) has D = Σ (w/2μ)².
            let weights = [1.0, 2.0, 7.0];
            let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
            Point { log, bound: squares / (4.0 * log.exp()), demand: squares / (4.0 * (2.0 * log).exp()) }
        };
        let jumps = |log: f64| {
            // h = Σ max(0, v − μc).
            let all = [(3.0, 2.0), (5.0, 1.0), (0.2, 4.0), (9.0, 9.0), (1.0, 0.1)];
            let taken = all.iter().filter(|(value, cost)| value - log.exp() * cost > 0.0);
            let sum = |sum: (f64, f64), (value, cost): &(f64, f64)| {
                (sum.0 + value - log.exp() * cost, sum.1 + cost)
            };
            let (bound, demand) = taken.fold((0.0, 0.0), sum);
            Point { log, bound, demand }
        };
        for at in [&smooth as &dyn Fn(f64) -> Point, &jumps] {
            let mut tried = 0;
            let mut prices = Prices::new(-12.0, 8.0, |log| {
                tried += 1;
                at(log)
            });
            for budget in [0.0, 0.5, 1.0, 2.0, 2.5, 4.0, 11.0, 16.1, 40.0] {
                let (found, logs) = prices.least(budget);
                let least = grid(at, budget);
                assert!(found <= least * (1.0 + 2e-9) + 1e-12, "{budget} {found} {least}");
                assert!(found >= least * (1.0 - 1e-6) - 1e-3, "{budget} {found} {least}");
                assert!((at(logs[0]).bound(budget) - found).abs() <= 1e-15 * found);
            }
            assert!(tried < 140, "{tried}");
        }
    }
}
