//! Coherent sessions in a continuous plan: subsites that are fetched as a visit–revisit pyramid again and again.
//!
//! A session of k pages every P days costs `2k/P` downloads a day, `(2k − 1)/P` where the page in the middle is fetched once.
//! At a random time a page in it is current *and* in the picture with a chance of at least `e^(−λI)·F(λP)`, I its interval in
//! the pyramid and F the freshness of a fetch every P days. A share β of a page's worth needs no session; so a page is worth
//!
//! ```text
//! w[(1 − β)·e^(−λI) + β]·F(λP)      in slot I = Δ, 3Δ, 5Δ, … of a session; 0, 2Δ, 4Δ, … with the middle fetched once
//! βw·F(λ/f)                         alone, fetched f times a day
//! ```
//!
//! **The bound.** With a price μ of a download and `φ_i(μ) = max_f (βwF − μf)`,
//!
//! ```text
//! V* ≤ μB + Σ_i φ_i(μ) + Σ_subsites max(0, max_P [μ/P + best assignment of pages to slots, profit − 2μ/P − φ_i])
//! ```
//!
//! (the μ/P at the front only where the middle is fetched once) for every μ: a rectangular assignment for each subsite and P. The least over
//! μ is the certificate. In subsites of more than 120 pages, or of many subsites in smaller ones, too, every page is given the shortest interval for the bound, which is then loose but holds.
//!
//! **The plan** is a **heuristic**: the sessions that are best at some μ on the way, improved subsite by subsite; what they leave of the
//! budget goes to single pages by [`allocate`]. Hosts have caps; a session that alone exceeds its host's cap is not held.
//!
//! Of several budgets everything but the budget is shared. Up to [`MAX_PAGES_FINE`] pages a golden section tries some 50
//! prices for each budget, and with them many plans; of more, [`super::session_prices`] finds the least bound in few, and
//! only the plans nearest to it are tried.
//!
//! Cost: for each subsite and price an assignment of at most 120 pages for the best period, and for others that may be better.

use super::allocation::{Aim, Allocation, Pages, Times, allocate};
use super::session_bounds::Shared;
use super::session_prices::Prices;
use crate::schedule::parallel::{jobs, threads};

/// Maximum number of pages for which many prices are tried.
pub(super) const MAX_PAGES_FINE: usize = 10_000;

/// Allocations of single pages that a plan may cost, times pages.
const TRIES: usize = 400_000;

/// Steps of the search for the price.
const STEPS: usize = 48;

/// The periods that sessions may have, in days.
pub(crate) const PERIODS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// What sessions are planned for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// β: the share of a page's worth that needs no session.
    pub alone: f64,
    /// Periods in days.
    pub periods: &'a [f64],
    /// Slots between the innermost visit and the innermost revisit: 0 (the page in the middle is fetched once) or 1 (twice).
    pub gap: u32,
}

/// Downloads of a session of so many pages.
pub(super) fn downloads(pages: usize, gap: u32) -> usize {
    (2 * pages + gap as usize).saturating_sub(1) * usize::from(pages > 0)
}

/// Pages that belong together, on one host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Subsite {
    /// Places in [`Pages`].
    pub pages: Vec<u32>,
    /// Δ in days.
    pub delay: f64,
}

/// A session that is held again and again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    pub subsite: usize,
    /// Period in days.
    pub period: f64,
    /// Pages by slot, from the middle.
    pub pages: Vec<u32>,
}

/// Sessions, frequencies of single pages, and what proves them.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    pub sessions: Vec<Session>,
    /// Downloads a day of single pages; 0 for pages in sessions.
    pub frequencies: Vec<f64>,
    pub value: f64,
    /// No plan has a greater value.
    pub bound: f64,
    /// What one more download a day is worth about: the price of the bound.
    pub price: f64,
}

impl Session {
    /// Downloads a day.
    pub(crate) fn cost(&self, gap: u32) -> f64 {
        downloads(self.pages.len(), gap) as f64 / self.period
    }
}

struct Problem<'a> {
    shared: &'a Shared<'a>,
    budget: f64,
}

impl Problem<'_> {
    /// Value of a plan with these sessions, the rest spent on single pages; `None` if they cost too much.
    fn complete(&self, sessions: &[Session]) -> Option<(f64, Allocation)> {
        let Shared { pages, terms: Terms { alone, gap, .. }, .. } = *self.shared;
        let cost: f64 = sessions.iter().map(|session| session.cost(gap)).sum();
        let rest = self.budget - cost;
        if rest < -1e-12 {
            return None;
        }
        let mut weights: Vec<f64> = pages.weights.iter().map(|weight| alone * weight).collect();
        let mut caps = pages.caps.clone();
        for session in sessions {
            session.pages.iter().for_each(|&page| weights[page as usize] = 0.0);
            let host = session.pages.first().and_then(|&page| pages.hosts.get(page as usize));
            if let Some(cap) = host.and_then(|host| caps.get_mut(*host as usize)) {
                *cap -= session.cost(gap);
                if *cap < 0.0 {
                    return None;
                }
            }
        }
        let (rates, hosts) = (pages.rates.clone(), pages.hosts.clone());
        let singles =
            allocate(&Pages { rates, weights, hosts, caps }, rest.max(0.0), Aim::Freshness, Times::Equal);
        let held: f64 = sessions.iter().map(|session| self.shared.value(session)).sum();
        Some((held + singles.value, singles))
    }
}

/// Plans sessions and single pages for each of several budgets of downloads a day.
pub(crate) fn plans(pages: &Pages, subsites: &[Subsite], terms: Terms<'_>, budgets: &[f64]) -> Vec<Sessions> {
    let shared = Shared::new(pages, subsites, terms);
    // From far below to far above any worth of a download.
    let heaviest = pages.weights.iter().copied().fold(0.0, f64::max).max(1e-300);
    let ends = ((heaviest * 1e-9).ln(), (heaviest * 1e3 + 1e-300).ln());
    if pages.len() > MAX_PAGES_FINE {
        return by_few_prices(&shared, ends, budgets);
    }
    jobs(threads(), budgets.len(), |place| {
        Problem { shared: &shared, budget: budgets[place] }.by_golden_section(ends)
    })
}

/// The plans nearest to the prices of the least bounds.
fn by_few_prices(shared: &Shared<'_>, ends: (f64, f64), budgets: &[f64]) -> Vec<Sessions> {
    let mut prices = Prices::new(ends.0, ends.1, |log| shared.at(log).0);
    let least: Vec<(f64, Vec<f64>)> = budgets.iter().map(|budget| prices.least(*budget)).collect();
    let tries = TRIES / shared.pages.len().max(1) + 2;
    jobs(threads(), budgets.len(), |place| {
        let (bound, logs) = &least[place];
        let tried: Vec<Vec<Session>> = logs.iter().take(tries).map(|log| shared.at(*log).1).collect();
        let price = logs.first().map_or(0.0, |log| log.exp());
        Problem { shared, budget: budgets[place] }.tried(&tried, *bound, price, 0)
    })
}

impl Problem<'_> {
    /// The bound is convex in μ: golden section in its logarithm.
    fn by_golden_section(&self, (mut low, mut high): (f64, f64)) -> Sessions {
        let mut bound = f64::INFINITY;
        let mut tried: Vec<Vec<Session>> = Vec::new();
        let mut at = |log: f64| {
            let (point, sessions) = self.shared.at(log);
            let own = point.bound + log.exp() * self.budget;
            bound = f64::min(bound, own);
            if !tried.contains(&sessions) {
                tried.push(sessions);
            }
            own
        };
        const RATIO: f64 = 0.618_033_988_749_894_9;
        let (mut a, mut b) = (high - RATIO * (high - low), low + RATIO * (high - low));
        let (mut at_a, mut at_b) = (at(a), at(b));
        for _ in 0..STEPS {
            if at_a <= at_b {
                (high, b, at_b) = (b, a, at_a);
                a = high - RATIO * (high - low);
                at_a = at(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = low + RATIO * (high - low);
                at_b = at(b);
            }
        }
        tried.reverse();
        // Each try is an allocation of all pages: of many pages, only the sets nearest to the best price are tried.
        let tries = TRIES / self.shared.pages.len().max(1) + 4;
        tried.truncate(tries);
        let left = tries - tried.len();
        self.tried(&tried, bound, ((low + high) / 2.0).exp(), left)
    }

    /// The best plan with one of these sets of sessions, improved as long as that takes no more than so many tries.
    fn tried(&self, tried: &[Vec<Session>], bound: f64, price: f64, tries: usize) -> Sessions {
        let mut best: Best = match self.complete(&[]) {
            Some((value, singles)) => (value, Vec::new(), singles),
            None => (0.0, Vec::new(), allocate(self.shared.pages, 0.0, Aim::Freshness, Times::Equal)),
        };
        let mut keep = |sessions: Vec<Session>, best: &mut Best| {
            if let Some((value, singles)) = self.complete(&sessions)
                && value > best.0 * (1.0 + 1e-12)
            {
                *best = (value, sessions, singles);
                return true;
            }
            false
        };
        for sessions in tried {
            // Where all together cost too much, as many as can be paid for, in order.
            let mut paid = Vec::new();
            let mut left = self.budget;
            let cost = |session: &Session| session.cost(self.shared.terms.gap);
            for session in sessions.iter().filter(|session| cost(session) <= self.budget) {
                if cost(session) <= left {
                    left -= cost(session);
                    paid.push(session.clone());
                }
            }
            keep(paid, &mut best);
        }
        improve(self.shared, price, tries, &mut best, &mut keep);
        let (value, sessions, singles) = best;
        Sessions { sessions, frequencies: singles.frequencies, value, bound: bound.max(value), price }
    }
}

type Best = (f64, Vec<Session>, Allocation);

/// Gives single subsites other sessions, or none, as long as that gains and `tries` are left.
fn improve(
    shared: &Shared<'_>,
    price: f64,
    mut tries: usize,
    best: &mut Best,
    keep: &mut impl FnMut(Vec<Session>, &mut Best) -> bool,
) {
    for _ in 0..4 {
        let mut gained = false;
        for number in 0..shared.subsites.len() {
            for scale in [1.0, 0.5, 2.0] {
                if tries == 0 {
                    return;
                }
                let alone = shared.alone(price * scale);
                let others = |best: &Best| -> Vec<Session> {
                    best.1.iter().filter(|session| session.subsite != number).cloned().collect()
                };
                gained |= keep(others(best), best);
                for place in 0..shared.terms.periods.len() {
                    let Some(session) = shared.best(number, place, price * scale, &alone).session else {
                        continue;
                    };
                    // The pyramid without its outermost pages costs less.
                    for shorter in 0..session.pages.len().min(3) {
                        let mut session = session.clone();
                        session.pages.truncate(session.pages.len() - shorter);
                        let mut tried = others(best);
                        tries = tries.saturating_sub(1);
                        tried.push(session);
                        gained |= keep(tried, best);
                    }
                }
            }
        }
        if !gained {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Pages, Vec<Subsite>) {
        let pages = Pages {
            rates: vec![0.5, 0.2, 0.05, 1.0, 0.3, 0.02],
            weights: vec![3.0, 2.0, 1.0, 2.0, 2.0, 2.0],
            ..Pages::default()
        };
        let subsite = |pages: [u32; 3]| Subsite { pages: pages.to_vec(), delay: 0.01 };
        (pages, vec![subsite([0, 1, 2]), subsite([3, 4, 5])])
    }

    const TERMS: Terms<'static> = Terms { alone: 0.5, periods: &[1.0, 2.0, 4.0, 8.0, 16.0], gap: 0 };

    fn plan(pages: &Pages, subsites: &[Subsite], terms: Terms<'_>, budget: f64) -> Sessions {
        plans(pages, subsites, terms, &[budget]).remove(0)
    }

    #[test]
    fn two_subsites_of_three_pages_have_the_plan_of_brute_force_and_its_bound() {
        let (pages, subsites) = example();
        let found = plan(&pages, &subsites, TERMS, 3.0);
        assert!((found.value - 7.568002086).abs() < 1e-8, "{found:?}");
        // The prototype, on a grid of prices, had 7.603924.
        assert!(found.bound > 7.568002 && found.bound < 7.603925, "{}", found.bound);
        let mut held: Vec<(f64, Vec<u32>)> =
            found.sessions.iter().map(|session| (session.period, session.pages.clone())).collect();
        held.iter_mut().for_each(|(_, pages)| pages.sort_unstable());
        assert_eq!(held, [(2.0, vec![0, 1]), (4.0, vec![3, 4, 5])]);
        assert!((found.frequencies.iter().sum::<f64>() - 0.25).abs() < 1e-9);
        let none = plan(&pages, &[], TERMS, 3.0);
        assert!((none.value - 4.663266).abs() < 1e-6 && none.sessions.is_empty());
    }

    /// All ordered choices of pages of a subsite.
    fn orders(pages: &[u32]) -> Vec<Vec<u32>> {
        let mut all = vec![vec![]];
        for &page in pages {
            let rest: Vec<u32> = pages.iter().copied().filter(|other| *other != page).collect();
            all.extend(orders(&rest).into_iter().map(|order| [vec![page], order].concat()));
        }
        all
    }

    #[test]
    fn no_plan_is_above_the_bound_and_ours_is_close_to_the_best_of_all() {
        let mut random = crate::schedule::tests::random(11);
        for _ in 0..6 {
            let pages = Pages {
                rates: (0..4).map(|_| 10f64.powf(2.0 * random() - 1.5)).collect(),
                weights: (0..4).map(|_| 1.0 + (random() * 4.0).floor()).collect(),
                ..Pages::default()
            };
            let subsite = |pages: [u32; 2]| Subsite { pages: pages.to_vec(), delay: 0.05 };
            let subsites = vec![subsite([0, 1]), subsite([2, 3])];
            let (budget, alone) = (0.5 + 2.0 * random(), random());
            let gap = u32::from(random() < 0.5);
            let terms = Terms { alone, periods: &[1.0, 4.0], gap };
            let shared = Shared::new(&pages, &subsites, terms);
            let problem = Problem { shared: &shared, budget };
            let of = |number: usize| -> Vec<Option<Session>> {
                let mut all = vec![None];
                for order in orders(&subsites[number].pages).into_iter().filter(|order| !order.is_empty()) {
                    let session = |period| Some(Session { subsite: number, period, pages: order.clone() });
                    all.extend([1.0, 4.0].map(session));
                }
                all
            };
            let mut most = 0.0;
            for first in of(0) {
                for second in of(1) {
                    let sessions: Vec<Session> = first.iter().chain(&second).cloned().collect();
                    most = f64::max(most, problem.complete(&sessions).map_or(0.0, |(value, _)| value));
                }
            }
            let found = plan(&pages, &subsites, terms, budget);
            assert!(most <= found.bound * (1.0 + 1e-9), "{most} {found:?}");
            assert!(found.value <= most * (1.0 + 1e-9) && found.value >= 0.97 * most, "{most} {found:?}");
        }
    }

    /// Pages of four subsites, some with intervals that matter.
    fn four(random: &mut impl FnMut() -> f64) -> (Pages, Vec<Subsite>) {
        let pages = Pages {
            rates: (0..40).map(|_| 10f64.powf(3.0 * random() - 2.0)).collect(),
            weights: (0..40).map(|_| 1.0 + (random() * 4.0).floor()).collect(),
            ..Pages::default()
        };
        let subsite = |first: u32, last: u32, delay| Subsite { pages: (first..last).collect(), delay };
        let subsites =
            vec![subsite(0, 1, 0.5), subsite(1, 9, 0.05), subsite(9, 20, 0.001), subsite(20, 40, 0.01)];
        (pages, subsites)
    }

    #[test]
    fn few_prices_have_the_bound_of_many_and_nearly_their_plan() {
        let mut random = crate::schedule::tests::random(23);
        for _ in 0..4 {
            let (pages, subsites) = four(&mut random);
            let terms = Terms { alone: random(), periods: &PERIODS, gap: u32::from(random() < 0.5) };
            let shared = Shared::new(&pages, &subsites, terms);
            let ends = ((4.0f64 * 1e-9).ln(), (4.0f64 * 1e3).ln());
            let budgets = [0.5, 2.0, 6.0, 20.0, 500.0];
            for (few, budget) in by_few_prices(&shared, ends, &budgets).into_iter().zip(budgets) {
                let many = Problem { shared: &shared, budget }.by_golden_section(ends);
                assert!(few.bound <= many.bound * (1.0 + 2e-9) && many.bound <= few.bound * (1.0 + 1e-8));
                assert!(few.value <= many.bound * (1.0 + 1e-9) && few.value >= 0.97 * many.value);
            }
        }
    }

    #[test]
    fn periods_that_are_passed_over_are_no_better() {
        let mut random = crate::schedule::tests::random(29);
        for _ in 0..12 {
            let (pages, subsites) = four(&mut random);
            let terms = Terms { alone: random(), periods: &PERIODS, gap: u32::from(random() < 0.5) };
            let shared = Shared::new(&pages, &subsites, terms);
            let log = 12.0 * random() - 8.0;
            let alone = shared.alone(log.exp());
            let (point, sessions) = shared.at(log);
            let mut bound: f64 = alone.iter().map(|own| own.worth).sum();
            let mut held = Vec::new();
            for number in 0..subsites.len() {
                let all = (0..PERIODS.len()).map(|place| shared.best(number, place, log.exp(), &alone));
                let (mut most, mut best) = (0.0, None);
                for found in all.filter(|found| found.session.is_some()) {
                    (most, best) =
                        if found.bound > most { (found.bound, found.session) } else { (most, best) };
                }
                bound += most;
                held.extend(best);
            }
            assert!((point.bound - bound).abs() <= 1e-12 * bound, "{} {bound}", point.bound);
            assert_eq!(sessions, held);
            // D is the slope of h: its line lies below.
            for to in [-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0] {
                let line = point.bound - point.demand * ((log + to).exp() - log.exp());
                assert!(shared.at(log + to).0.bound >= line - 1e-9 * bound, "{log} {to}");
            }
        }
    }

    #[test]
    fn a_cap_and_a_large_subsite_are_kept() {
        let n = 300;
        let pages = Pages {
            rates: (0..n).map(|i| 1.0 / f64::from(i + 1)).collect(),
            weights: vec![1.0; n as usize],
            hosts: vec![0; n as usize],
            caps: vec![20.0],
        };
        let subsites = vec![Subsite { pages: (0..n as u32).collect(), delay: 0.001 }];
        let terms = Terms { alone: 0.3, periods: &PERIODS, gap: 1 };
        let found = plan(&pages, &subsites, terms, 100.0);
        let cost: f64 = found.sessions.iter().map(|session| session.cost(terms.gap)).sum();
        assert!(cost + found.frequencies.iter().sum::<f64>() <= 20.0 + 1e-6, "{cost}");
        assert!(found.value > 0.0 && found.value <= found.bound);
        assert!(plan(&Pages::default(), &[], terms, 100.0).sessions.is_empty());
    }
}
