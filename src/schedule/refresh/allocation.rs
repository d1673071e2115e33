//! How often to fetch every page: frequencies under a budget of downloads a day, with a certificate.
//!
//! Pages change at rate λ a day and weigh w; f is downloads a day, x = λ/f.
//!
//! | aim | equal intervals | random times |
//! |---|---|---|
//! | freshness, completeness | `wF`, `F = (1 − e^(−x))/x` | `w f/(f + λ)` |
//! | versions | the same with weights wλ | the same with weights wλ |
//! | blur (least) | `wλ/(4f)` | `wλ/(2f)` |
//!
//! Every value is concave in f, so the best frequencies have one price μ of a download: `d value/df = μ` where f > 0, and f = 0 where
//! even the first download is worth less (freshness: `w/λ ≤ μ`: hot pages of little weight are dropped). Demand falls as μ rises;
//! μ is bracketed in its logarithm ([`super::price`]). Hosts have caps: the demand of a host at μ is at most its cap, and a capped host has a price of
//! its own. For any prices
//!
//! ```text
//! V* ≤ Σ_i max_f (value_i(f) − μ_h f) + μB + Σ_h (μ_h − μ)·cap_h
//! ```
//!
//! so what was reached is printed with a proven bound. Where no double μ separates f from 0 (x above 37) the two ends of the bracket
//! are mixed so that the budget is spent.
//!
//! Source: Cho, Garcia-Molina, *Effective page refresh policies for Web crawlers*, ACM TODS 28(4), 2003 (equal intervals); Azar,
//! Horvitz, Lubetzky, Peres, Shahaf, *Tractable near-optimal policies for crawling*, PNAS 2018 (random times). Blur: Denev et al.,
//! *The SHARC framework*, §4, for the closest of many captures. Cost: n a step, some 15 steps, once more for every capped host.

use super::price::bracket;

/// What a plan is to be good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Aim {
    /// Share of time in which the last capture is current; also the share of versions captured, page by page.
    #[default]
    Freshness,
    /// Changes between what is served and what was online.
    Blur,
    /// Number of versions captured.
    Versions,
}

/// When downloads of a page happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Times {
    /// At equal intervals.
    #[default]
    Equal,
    /// At random, as a Poisson process: nobody can foresee them.
    Random,
}

/// The pages of a plan, all per day.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pages {
    pub rates: Vec<f64>,
    pub weights: Vec<f64>,
    /// The host of every page, as a place in `caps`; empty: no caps.
    pub hosts: Vec<u32>,
    /// Downloads a day that a host allows.
    pub caps: Vec<f64>,
}

/// Frequencies with their value and what proves them.
#[derive(Debug, Clone)]
pub(crate) struct Allocation {
    /// Downloads a day.
    pub frequencies: Vec<f64>,
    /// Summed value; of blur the summed blur.
    pub value: f64,
    /// No frequencies have a better value.
    pub bound: f64,
    /// μ: what one more download a day is worth.
    pub price: f64,
    /// Pages that change and are never fetched.
    pub dropped: usize,
}

/// g(x) = 1 − (1 + x)e^(−x).
pub(super) fn gain(x: f64) -> f64 {
    if x < 0.03 {
        // Σ (−1)^k (k − 1)/k! x^k from k = 2 on.
        const PARTS: [f64; 7] =
            [0.5, -1.0 / 3.0, 0.125, -1.0 / 30.0, 1.0 / 144.0, -1.0 / 840.0, 1.0 / 5_760.0];
        return x * x * PARTS.iter().rev().fold(0.0, |sum, next| sum * x + next);
    }
    -(-x).exp_m1() - x * (-x).exp()
}

/// The series of x in √(2t), t = x − ln(1 + x), of which the first coefficient is 1.
const SERIES: [f64; 11] = [
    1.0 / 3.0,
    1.0 / 36.0,
    -1.0 / 270.0,
    1.0 / 4_320.0,
    1.0 / 17_010.0,
    -139.0 / 5_443_200.0,
    1.0 / 204_120.0,
    -571.0 / 2_351_462_400.0,
    -281.0 / 1_515_591_000.0,
    163_879.0 / 2_172_751_257_600.0,
    -5_221.0 / 354_648_294_000.0,
];

/// g⁻¹, for 0 < y < 1: the root of x − ln(1 + x) = −ln(1 − y), by its series where x is small, else by Halley's steps from there.
fn inverse_gain(y: f64) -> f64 {
    let t = -(-y).ln_1p();
    let root = (2.0 * t).sqrt();
    let mut x = match root {
        root if root < 2.2 => {
            root * (1.0 + root * SERIES.iter().rev().fold(0.0, |sum, next| sum * root + next))
        }
        _ => t + (1.0 + t).ln(),
    };
    // The series is exact to rounding.
    if root < 0.3 {
        return x;
    }
    for _ in 0..30 {
        let newton = (x - x.ln_1p() - t) * (1.0 + x) / x;
        let step = newton / (1.0 - newton / (2.0 * x * (1.0 + x)));
        x -= step;
        // The next one would be about its third power.
        if step.abs() <= 1e-5 * x {
            break;
        }
    }
    x
}

/// Freshness at equal intervals.
pub(crate) fn freshness(rate: f64, frequency: f64) -> f64 {
    if rate == 0.0 {
        return 1.0;
    }
    if frequency == 0.0 || !rate.is_finite() {
        return 0.0;
    }
    let x = rate / frequency;
    if x < 1e-12 { 1.0 } else { -(-x).exp_m1() / x }
}

/// `max_f (wF − μf)`, and its f: what a page is worth at equal intervals when a download costs μ, and how often it is fetched.
pub(crate) fn alone_at(rate: f64, weight: f64, price: f64) -> (f64, f64) {
    let objective = Objective(Aim::Freshness, Times::Equal);
    let frequency = objective.demand(rate, weight, price);
    (objective.value(rate, weight, frequency) - price * frequency, frequency)
}

/// An aim with its times: value and demand of one page.
#[derive(Debug, Clone, Copy)]
struct Objective(Aim, Times);

impl Objective {
    fn weight(self, rate: f64, weight: f64) -> f64 {
        if self.0 == Aim::Versions { weight * rate } else { weight }
    }

    /// Blur is a cost: its value is negative.
    fn value(self, rate: f64, weight: f64, frequency: f64) -> f64 {
        if weight == 0.0 {
            return 0.0;
        }
        match self {
            // Blur without bound is not counted.
            Objective(Aim::Blur, _) if !rate.is_finite() => 0.0,
            Objective(Aim::Blur, times) => {
                let part = if times == Times::Equal { 4.0 } else { 2.0 };
                if rate == 0.0 { 0.0 } else { -weight * rate / (part * frequency) }
            }
            Objective(_, Times::Equal) => self.weight(rate, weight) * freshness(rate, frequency),
            Objective(_, Times::Random) if rate == 0.0 => self.weight(rate, weight),
            Objective(_, Times::Random) if !rate.is_finite() => 0.0,
            Objective(_, Times::Random) => self.weight(rate, weight) * frequency / (frequency + rate),
        }
    }

    /// The frequency at which one more download is worth μ.
    fn demand(self, rate: f64, weight: f64, price: f64) -> f64 {
        if rate == 0.0 || weight == 0.0 || !rate.is_finite() {
            return 0.0;
        }
        match self {
            Objective(Aim::Blur, Times::Equal) => (weight * rate / (4.0 * price)).sqrt(),
            Objective(Aim::Blur, Times::Random) => (weight * rate / (2.0 * price)).sqrt(),
            Objective(_, Times::Equal) => {
                let y = price * rate / self.weight(rate, weight);
                if y < 1.0 { rate / inverse_gain(y) } else { 0.0 }
            }
            Objective(_, Times::Random) => {
                ((self.weight(rate, weight) * rate / price).sqrt() - rate).max(0.0)
            }
        }
    }
}

impl Pages {
    pub(crate) fn len(&self) -> usize {
        self.rates.len()
    }

    fn members(&self) -> Vec<Vec<u32>> {
        if self.hosts.is_empty() {
            return vec![(0..self.len() as u32).collect()];
        }
        let mut members = vec![Vec::new(); self.caps.len()];
        for (page, host) in self.hosts.iter().enumerate() {
            members[*host as usize].push(page as u32);
        }
        members
    }
}

/// What the pages of a host demand at the lower and the higher price, and how much that is together.
type Ends = [(Vec<f64>, f64); 2];

/// The best frequencies of `budget` downloads a day.
pub(crate) fn allocate(pages: &Pages, budget: f64, aim: Aim, times: Times) -> Allocation {
    let objective = Objective(aim, times);
    let members = pages.members();
    let cap = |host: usize| if pages.hosts.is_empty() { f64::INFINITY } else { pages.caps[host] };
    let one = |page: u32, price: f64| {
        objective.demand(pages.rates[page as usize], pages.weights[page as usize], price)
    };
    let of_host = |host: usize, price: f64| members[host].iter().map(|&page| one(page, price)).sum::<f64>();
    let demand = |price: f64| (0..members.len()).map(|host| of_host(host, price).min(cap(host))).sum::<f64>();
    // Where the caps allow less than the budget no price is low enough: all hosts are capped.
    let room: f64 = (0..members.len()).map(cap).sum();
    let all = room <= budget;
    let price = if all { (0.0, 0.0) } else { bracket(demand, budget) };
    // What the pages of every host demand at both ends, and how much that is together.
    let demands: Vec<Option<Ends>> = (0..members.len())
        .map(|host| {
            (!all).then(|| {
                [price.0, price.1].map(|price| {
                    let own: Vec<f64> = members[host].iter().map(|&page| one(page, price)).collect();
                    let sum = own.iter().sum();
                    (own, sum)
                })
            })
        })
        .collect();
    let is_capped = |host: usize| demands[host].as_ref().is_none_or(|ends| ends[1].1 >= cap(host));
    let taken: f64 = (0..members.len()).filter(|host| is_capped(*host)).map(cap).sum();
    let (most, least): (f64, f64) = (0..members.len())
        .filter(|host| !is_capped(*host))
        .filter_map(|host| demands[host].as_ref().map(|ends| (ends[0].1.min(cap(host)), ends[1].1)))
        .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let rest = budget - taken;
    let between = |most: f64, least: f64, wanted: f64| {
        if most > least { ((most - wanted) / (most - least)).clamp(0.0, 1.0) } else { 1.0 }
    };
    // The two ends are mixed so that exactly the budget is spent, host by host where a cap binds.
    let mut frequencies = vec![0.0; pages.len()];
    let (mut reached, mut best, mut paid, mut capped_worth) = (0.0, 0.0, 0.0, 0.0);
    let value = |page: u32, frequency: f64| {
        objective.value(pages.rates[page as usize], pages.weights[page as usize], frequency)
    };
    for host in 0..members.len() {
        let own;
        let (low, high, own_price, share) = match &demands[host] {
            Some([low, high]) if !is_capped(host) => {
                let (more, less) = (low.1.min(cap(host)), high.1);
                let wanted = more + (less - more) * between(most, least, rest);
                (&low.0, &high.0, price.1, between(low.1, high.1, wanted))
            }
            _ => {
                let ends = bracket(|price| of_host(host, price), cap(host));
                own = [ends.0, ends.1]
                    .map(|price| members[host].iter().map(|&page| one(page, price)).collect::<Vec<f64>>());
                let own_price = ends.1.max(price.1);
                capped_worth += (own_price - price.1) * cap(host);
                let share = between(own[0].iter().sum(), own[1].iter().sum(), cap(host));
                (&own[0], &own[1], own_price, share)
            }
        };
        for ((&page, low), high) in members[host].iter().zip(low).zip(high) {
            let frequency = (1.0 - share) * low + share * high;
            frequencies[page as usize] = frequency;
            reached += value(page, frequency);
            best += value(page, *high);
            paid += own_price * high;
        }
    }
    let bound = best - paid + price.1 * budget + capped_worth;
    let sign = if aim == Aim::Blur { -1.0 } else { 1.0 };
    let dropped =
        (0..pages.len()).filter(|&page| frequencies[page] == 0.0 && pages.rates[page] > 0.0).count();
    Allocation {
        value: sign * reached,
        bound: sign * bound.max(reached),
        price: price.1,
        frequencies,
        dropped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(ours: f64, golden: f64, digits: f64) {
        assert!((ours - golden).abs() <= digits * golden.abs().max(1e-3), "{ours} is not {golden}");
    }

    fn five(weights: [f64; 5]) -> Pages {
        Pages { rates: vec![1.0, 2.0, 3.0, 4.0, 5.0], weights: weights.to_vec(), ..Pages::default() }
    }

    fn check(pages: &Pages, budget: f64, aim: Aim, times: Times, frequencies: [f64; 5], value: f64) {
        let found = allocate(pages, budget, aim, times);
        for (ours, golden) in found.frequencies.iter().zip(frequencies) {
            assert!((ours - golden).abs() < 1e-6, "{:?}", found.frequencies);
        }
        near(found.value, value, 1e-9);
        near(found.bound, found.value, 1e-9);
        near(found.frequencies.iter().sum(), budget, 1e-9);
    }

    #[test]
    fn the_five_pages_of_cho_and_garcia_molina_by_every_aim() {
        let pages = five([1.0; 5]);
        check(
            &pages,
            5.0,
            Aim::Freshness,
            Times::Equal,
            [1.149892, 1.358412, 1.353835, 1.137860, 0.0],
            1.869443496,
        );
        check(
            &pages,
            5.0,
            Aim::Freshness,
            Times::Random,
            [1.385971, 1.374272, 1.132623, 0.771942, 0.335193],
            1.486825221,
        );
        check(
            &pages,
            5.0,
            Aim::Blur,
            Times::Equal,
            [0.596493, 0.843568, 1.033156, 1.192985, 1.333798],
            3.513174779,
        );
        let third = [1.0 / 3.0, 2.0 / 3.0, 1.0, 4.0 / 3.0, 5.0 / 3.0];
        check(&pages, 5.0, Aim::Versions, Times::Equal, third, 4.751064658);
        let weighed = five([1.0, 1.0, 1.0, 4.0, 4.0]);
        check(
            &weighed,
            5.0,
            Aim::Freshness,
            Times::Equal,
            [0.561380, 0.0, 0.0, 2.245520, 2.193100],
            3.909178640,
        );
        near(allocate(&pages, 5.0, Aim::Freshness, Times::Equal).price, 0.216431826, 1e-7);
        near(allocate(&pages, 5.0, Aim::Freshness, Times::Random).price, 0.175658739, 1e-7);
        assert_eq!(allocate(&pages, 5.0, Aim::Freshness, Times::Equal).dropped, 1);
        let random = allocate(&pages, 5.0, Aim::Blur, Times::Random);
        near(random.value, 2.0 * 3.513174779, 1e-9);
    }

    #[test]
    fn the_inverse_of_the_gain_has_that_gain() {
        for step in 1..20_000 {
            let x = 1e-9 * (f64::from(step) * 1.2e-3).exp();
            let y = gain(x);
            // Near 1 a double of y is many x.
            if y < 1.0 {
                let slack = 4e-15 + f64::EPSILON / (x * x * (-x).exp());
                let slack = if x < 0.03 { 4e-15 } else { slack };
                assert!((inverse_gain(y) / x - 1.0).abs() <= slack, "{x} {}", inverse_gain(y));
            }
        }
    }

    #[test]
    fn twice_the_budget_buys_what_the_prices_say() {
        let pages = five([1.0; 5]);
        let at = |budget: f64| allocate(&pages, budget, Aim::Freshness, Times::Equal);
        for (budget, value) in
            [(1.25, 0.800212), (2.5, 1.235477), (5.0, 1.869443), (10.0, 2.750136), (20.0, 3.612361)]
        {
            near(at(budget).value, value, 1e-6);
            let (once, twice) = (at(budget), at(2.0 * budget));
            let gain = twice.value - once.value;
            assert!(
                twice.price * budget <= gain * (1.0 + 1e-9) && gain <= once.price * budget * (1.0 + 1e-9)
            );
        }
    }

    #[test]
    fn a_capped_host_has_a_price_of_its_own() {
        let pages = Pages { hosts: vec![0, 0, 0, 1, 1], caps: vec![2.0, f64::INFINITY], ..five([1.0; 5]) };
        check(
            &pages,
            5.0,
            Aim::Freshness,
            Times::Equal,
            [0.841359, 0.873972, 0.284669, 1.629700, 1.370300],
            1.711930673,
        );
        let narrow = Pages { caps: vec![1.0, 1.0], ..pages };
        let found = allocate(&narrow, 5.0, Aim::Freshness, Times::Equal);
        near(found.frequencies.iter().sum(), 2.0, 1e-9);
    }

    fn skewed() -> Vec<f64> {
        let mut rates = vec![1.0];
        (0..999).for_each(|i| rates.push(rates[i] / if i % 9 < 3 { 1.06 } else { 1.001 }));
        rates
    }

    fn smooth() -> Vec<f64> {
        (1..=1000).map(|i| (1.0f64 / 0.7).ln() / f64::from(i)).collect()
    }

    fn power() -> Vec<f64> {
        (1..=1000).map(|i| f64::from(i).powf(-1.2)).collect()
    }

    fn heat() -> Vec<f64> {
        let harmonic: f64 = (1..=1000).map(|rank| 1.0 / f64::from(rank)).sum();
        (1..=1000).map(|rank| 1000.0 / (harmonic * f64::from(rank))).collect()
    }

    #[test]
    fn a_thousand_pages_have_the_golden_values_and_their_bound() {
        for (rates, weights, equal, double, price, dropped, random, blur) in [
            (skewed(), vec![1.0; 1000], 884.569052, 919.082627, 2.4670389, 44, 857.419848, 118.202559),
            (skewed(), heat(), 571.798834, 705.207454, 8.5025504, 48, 496.965722, 424.509293),
            (smooth(), vec![1.0; 1000], 967.447170, 983.348381, 1.5523114, 0, 939.908297, 17.028396),
            (smooth(), heat(), 936.126576, 967.356801, 3.0546926, 0, 882.227876, 33.373499),
            (power(), vec![1.0; 1000], 967.224343, 982.898379, 1.4954396, 1, 941.351226, 17.745012),
            (power(), heat(), 903.389124, 949.963672, 4.4933596, 0, 829.514696, 51.861128),
        ] {
            let pages = Pages { rates, weights, ..Pages::default() };
            let found = allocate(&pages, 20.0, Aim::Freshness, Times::Equal);
            near(found.value, equal, 1e-9);
            near(found.bound, found.value, 1e-11);
            near(found.price, price, 1e-7);
            assert_eq!(found.dropped, dropped);
            near(allocate(&pages, 40.0, Aim::Freshness, Times::Equal).value, double, 1e-9);
            near(allocate(&pages, 20.0, Aim::Freshness, Times::Random).value, random, 1e-9);
            near(allocate(&pages, 20.0, Aim::Blur, Times::Equal).value, blur, 1e-7);
        }
    }

    /// Frequencies in steps of a grid, each step where it is worth most: the best of the grid, since values are concave.
    fn best_of_grid(pages: &Pages, budget: f64, steps: usize, value: impl Fn(usize, f64) -> f64) -> f64 {
        let step = budget / steps as f64;
        let gain = |page: usize, taken: usize| {
            value(page, (taken + 1) as f64 * step) - value(page, taken as f64 * step)
        };
        // Positive doubles sort as their bits.
        let mut heap: std::collections::BinaryHeap<(u64, usize, usize)> =
            (0..pages.rates.len()).map(|page| (gain(page, 0).max(0.0).to_bits(), page, 0)).collect();
        let mut total = (0..pages.rates.len()).map(|page| value(page, 0.0)).sum::<f64>();
        for _ in 0..steps {
            let Some((bits, page, taken)) = heap.pop() else { break };
            total += f64::from_bits(bits);
            heap.push((gain(page, taken + 1).max(0.0).to_bits(), page, taken + 1));
        }
        total
    }

    #[test]
    fn no_frequencies_of_a_grid_are_better_for_a_thousand_pages() {
        for (rates, weights) in
            [(skewed(), heat()), (smooth(), vec![1.0; 1000]), (power(), heat()), (power(), vec![1.0; 1000])]
        {
            let pages = Pages { rates, weights, ..Pages::default() };
            let (rates, weights) = (&pages.rates, &pages.weights);
            let equal = |page: usize, f: f64| match f {
                0.0 => 0.0,
                f => weights[page] * f / rates[page] * -(-rates[page] / f).exp_m1(),
            };
            let random = |page: usize, f: f64| weights[page] * f / (f + rates[page]);
            let grids = |steps: usize| {
                let random = best_of_grid(&pages, 20.0, steps, random);
                [(Times::Equal, best_of_grid(&pages, 20.0, steps, equal)), (Times::Random, random)]
            };
            for ((times, coarse), (_, fine)) in grids(20_000).into_iter().zip(grids(80_000)) {
                let found = allocate(&pages, 20.0, Aim::Freshness, times).value;
                assert!(coarse <= fine && fine <= found * (1.0 + 1e-9), "{coarse} {fine} {found}");
                assert!(fine > found * (1.0 - 3e-3), "{fine} {found}");
            }
        }
    }

    #[test]
    fn a_budget_too_small_to_price_is_spent_all_the_same_and_odd_pages_are_harmless() {
        let one = Pages { rates: vec![1.0], weights: vec![1.0], ..Pages::default() };
        let found = allocate(&one, 0.02, Aim::Freshness, Times::Equal);
        near(found.frequencies[0], 0.02, 1e-9);
        let odd = Pages {
            rates: vec![0.0, f64::INFINITY, 1.0, 2.0],
            weights: vec![1.0, 1.0, 0.0, 1.0],
            ..Pages::default()
        };
        let found = allocate(&odd, 3.0, Aim::Freshness, Times::Equal);
        assert_eq!(found.frequencies[..3], [0.0; 3]);
        assert!(found.value.is_finite() && found.value > 1.0);
        assert!(allocate(&Pages::default(), 3.0, Aim::Freshness, Times::Equal).frequencies.is_empty());
    }
}
