//! Linear assignment: every row to its own column at least cost, with the dual prices that prove it.
//!
//! Jonker and Volgenant's algorithm: columns are priced at their cheapest row (column reduction), rows still free bid for
//! their best column (augmenting row reduction), and what is left is placed by shortest augmenting paths. Throughout,
//! `cost(i, k) − v_k ≥ u_i` for the row's `u_i = min_k`, with equality on assigned pairs: the optimum by linear duality. Where
//! there are more columns than rows, prices start at zero and a column that stays free keeps that price.
//!
//! Source: R. Jonker, A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear assignment problems*,
//! Computing 38, 1987. Cost: `O(n³)` at worst. Costs must be finite.

/// Rows to columns, and column prices.
#[derive(Debug)]
pub(crate) struct Assignment {
    /// The column of every row.
    pub columns: Vec<u32>,
    /// The dual price of every column.
    pub prices: Vec<f64>,
}

const FREE: u32 = u32::MAX;

/// Solves the assignment for `costs` (row by row); there must not be fewer columns than rows.
pub(crate) fn solve(rows: usize, columns: usize, costs: &[f64]) -> Assignment {
    let mut state = State {
        n: columns,
        costs,
        row_of: vec![FREE; columns],
        column_of: vec![FREE; rows],
        prices: vec![0.0; columns],
    };
    if rows == columns {
        state.reduce_columns();
    }
    let mut free: Vec<u32> = (0..rows as u32).filter(|&row| state.column_of[row as usize] == FREE).collect();
    for _ in 0..2 {
        free = state.reduce_rows(free);
    }
    let mut paths = Paths::new(columns);
    for row in free {
        state.augment(row, &mut paths);
    }
    Assignment { columns: state.column_of, prices: state.prices }
}

impl Assignment {
    /// `Σ v + Σ_i min_k (cost(i, k) − v_k)`: no assignment costs less.
    pub(crate) fn dual_bound(&self, costs: &[f64]) -> f64 {
        let least = |row: &[f64]| {
            row.iter().zip(&self.prices).map(|(cost, price)| cost - price).fold(f64::INFINITY, f64::min)
        };
        let n = self.prices.len().max(1);
        self.prices.iter().sum::<f64>() + costs.chunks(n).map(least).sum::<f64>()
    }
}

struct State<'a> {
    /// Number of columns.
    n: usize,
    costs: &'a [f64],
    row_of: Vec<u32>,
    column_of: Vec<u32>,
    prices: Vec<f64>,
}

/// Work space of the shortest-path search.
struct Paths {
    distance: Vec<f64>,
    from: Vec<u32>,
    columns: Vec<u32>,
}

impl Paths {
    fn new(n: usize) -> Self {
        Paths { distance: vec![0.0; n], from: vec![0; n], columns: (0..n as u32).collect() }
    }
}

impl State<'_> {
    fn row(&self, row: u32) -> &[f64] {
        &self.costs[row as usize * self.n..(row as usize + 1) * self.n]
    }

    /// Every column is priced at its cheapest row, which takes it if it is still free.
    fn reduce_columns(&mut self) {
        let mut cheapest = vec![0u32; self.n];
        self.prices.fill(f64::INFINITY);
        for row in 0..self.n as u32 {
            let costs = &self.costs[row as usize * self.n..(row as usize + 1) * self.n];
            for (k, &cost) in costs.iter().enumerate() {
                if cost < self.prices[k] {
                    self.prices[k] = cost;
                    cheapest[k] = row;
                }
            }
        }
        for (column, &row) in cheapest.iter().enumerate() {
            if self.column_of[row as usize] == FREE {
                self.column_of[row as usize] = column as u32;
                self.row_of[column] = row;
            }
        }
    }

    /// Free rows bid for their best column, up to the worth of the second best; who is outbid bids again. Rows that can only
    /// displace at equal worth are left for the paths; so are all once rounding makes bids too small to count.
    fn reduce_rows(&mut self, free: Vec<u32>) -> Vec<u32> {
        let mut left = Vec::new();
        let mut budget = 8 * self.n;
        for row in free {
            let mut bidder = row;
            loop {
                let (best, second, least, next) = self.two_best(bidder);
                let bid = self.prices[best as usize] - (next - least);
                let raises = bid < self.prices[best as usize] && bid.is_finite();
                let column = if next <= least && self.row_of[best as usize] != FREE { second } else { best };
                let holder = self.row_of[column as usize];
                if holder != FREE && (!raises || budget == 0) {
                    left.push(bidder);
                    break;
                }
                if raises {
                    self.prices[column as usize] = bid;
                }
                self.row_of[column as usize] = bidder;
                self.column_of[bidder as usize] = column;
                if holder == FREE {
                    break;
                }
                budget -= 1;
                self.column_of[holder as usize] = FREE;
                bidder = holder;
            }
        }
        left
    }

    /// The best and second best column of a row, with their reduced costs.
    fn two_best(&self, row: u32) -> (u32, u32, f64, f64) {
        let (mut best, mut second, mut least, mut next) = (0, 0, f64::INFINITY, f64::INFINITY);
        for (k, (&cost, &price)) in self.row(row).iter().zip(&self.prices).enumerate() {
            let reduced = cost - price;
            if reduced < next {
                if reduced < least {
                    (second, next) = (best, least);
                    (best, least) = (k as u32, reduced);
                } else {
                    (second, next) = (k as u32, reduced);
                }
            }
        }
        (best, second, least, next)
    }

    /// Places a free row by the shortest path, in reduced costs, to a free column (Dijkstra on a dense graph).
    fn augment(&mut self, start: u32, paths: &mut Paths) {
        let n = self.n;
        let Paths { distance, from, columns } = paths;
        for (k, (&cost, &price)) in self.row(start).iter().zip(&self.prices).enumerate() {
            distance[k] = cost - price;
            from[k] = start;
        }
        // columns[..done]: final, below `reach`; columns[done..todo]: at distance `reach`, to be scanned; the rest beyond.
        let (mut done, mut todo, mut ready) = (0, 0, 0);
        let mut reach = 0.0;
        let end = 'search: loop {
            if done == todo {
                ready = done;
                reach = f64::INFINITY;
                for at in done..n {
                    let column = columns[at];
                    let far = distance[column as usize];
                    if far <= reach {
                        if far < reach {
                            todo = done;
                            reach = far;
                        }
                        columns.swap(at, todo);
                        todo += 1;
                    }
                }
                for &column in &columns[done..todo] {
                    if self.row_of[column as usize] == FREE {
                        break 'search column;
                    }
                }
            }
            let column = columns[done];
            done += 1;
            let row = self.row_of[column as usize];
            let costs = &self.costs[row as usize * n..(row as usize + 1) * n];
            let offset = costs[column as usize] - self.prices[column as usize] - reach;
            let mut at = todo;
            while at < n {
                let candidate = columns[at] as usize;
                let far = costs[candidate] - self.prices[candidate] - offset;
                if far < distance[candidate] {
                    distance[candidate] = far;
                    from[candidate] = row;
                    if far <= reach {
                        if self.row_of[candidate] == FREE {
                            break 'search candidate as u32;
                        }
                        columns.swap(at, todo);
                        todo += 1;
                    }
                }
                at += 1;
            }
        };
        for &column in &columns[..ready] {
            self.prices[column as usize] += distance[column as usize] - reach;
        }
        let mut column = end;
        loop {
            let row = from[column as usize];
            self.row_of[column as usize] = row;
            std::mem::swap(&mut self.column_of[row as usize], &mut column);
            if row == start {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost by trying everything.
    fn brute(rows: usize, n: usize, costs: &[f64], row: usize, used: u32) -> f64 {
        if row == rows {
            return 0.0;
        }
        (0..n)
            .filter(|k| used & (1 << k) == 0)
            .map(|k| costs[row * n + k] + brute(rows, n, costs, row + 1, used | 1 << k))
            .fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn the_assignment_is_the_cheapest_of_all_and_its_prices_prove_it(
            n in 1usize..7,
            rows in 1usize..7,
            numbers in prop::collection::vec(prop_oneof![0.0f64..1.0, (0u8..3).prop_map(f64::from)], 36),
        ) {
            let rows = rows.min(n);
            let costs = &numbers[..rows * n];
            let assignment = solve(rows, n, costs);
            let mut columns = assignment.columns.clone();
            columns.sort_unstable();
            columns.dedup();
            prop_assert_eq!(columns.len(), rows);
            let cost: f64 = (0..rows).map(|row| costs[row * n + assignment.columns[row] as usize]).sum();
            prop_assert!((cost - brute(rows, n, costs, 0, 0)).abs() < 1e-12);
            prop_assert!((cost - assignment.dual_bound(costs)).abs() < 1e-12);
        }
    }

    #[test]
    fn equal_costs_and_no_rows_at_all_end() {
        assert!(solve(0, 0, &[]).columns.is_empty());
        let assignment = solve(200, 200, &vec![1.0; 40_000]);
        assert_eq!(assignment.dual_bound(&vec![1.0; 40_000]), 200.0);
    }
}
