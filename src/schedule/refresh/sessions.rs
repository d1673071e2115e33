//! Coherent sessions in a continuous plan: subsites that are fetched as a visit–revisit pyramid again and again.
//!
//! A session of k pages every P days costs `(2k − 1)/P` downloads a day. At a random time a page in it is current *and* in the
//! picture with a chance of at least `e^(−λI)·F(λP)`, I its interval in the pyramid and F the freshness of a fetch every P days. A
//! share β of a page's worth needs no session; so a page is worth
//!
//! ```text
//! w[(1 − β)·e^(−λI) + β]·F(λP)      in slot I = 0, 2Δ, 4Δ, … of a session
//! βw·F(λ/f)                         alone, fetched f times a day
//! ```
//!
//! **The bound.** With a price μ of a download and `φ_i(μ) = max_f (βwF − μf)`,
//!
//! ```text
//! V* ≤ μB + Σ_i φ_i(μ) + Σ_subsites max(0, max_P [μ/P + best assignment of pages to slots, profit − 2μ/P − φ_i])
//! ```
//!
//! for every μ: a rectangular assignment for each subsite and P. The least over μ is the certificate. In subsites of more than
//! [`EXACT`] pages every page is given the shortest interval for the bound, which is then loose but holds.
//!
//! **The plan** is a **heuristic**: the sessions that are best at some μ on the way, improved subsite by subsite; what they leave of the
//! budget goes to single pages by [`allocate`]. Hosts have caps; a session that alone exceeds its host's cap is not held.
//!
//! Cost: assignments of at most `EXACT` pages, for each subsite, period and some 60 prices.

use super::super::optimal::assignment;
use super::allocation::{Aim, Allocation, Pages, Times, allocate, freshness, surplus};

/// Maximum number of pages of a subsite for the exact assignment.
const EXACT: usize = 120;

/// Allocations of single pages that a plan may cost, times pages.
const TRIES: usize = 400_000;

/// Steps of the search for the price.
const STEPS: usize = 48;

/// The periods that sessions may have, in days.
pub(crate) const PERIODS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// What sessions are planned for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    /// Downloads a day.
    pub budget: f64,
    /// β: the share of a page's worth that needs no session.
    pub alone: f64,
    /// Periods in days.
    pub periods: &'a [f64],
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
    /// Which subsite.
    pub subsite: usize,
    /// In days.
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
    pub(crate) fn cost(&self) -> f64 {
        (2 * self.pages.len()).saturating_sub(1) as f64 / self.period
    }
}

fn survival(rate: f64, days: f64) -> f64 {
    if rate == 0.0 || days == 0.0 { 1.0 } else { (-rate * days).exp() }
}

struct Problem<'a> {
    pages: &'a Pages,
    subsites: &'a [Subsite],
    terms: Terms<'a>,
}

impl Problem<'_> {
    /// What a page is worth in a slot of a session.
    fn worth(&self, page: u32, subsite: &Subsite, slot: usize, period: f64) -> f64 {
        let (rate, weight) = (self.pages.rates[page as usize], self.pages.weights[page as usize]);
        let together = survival(rate, 2.0 * slot as f64 * subsite.delay);
        let beta = self.terms.alone;
        weight * ((1.0 - beta) * together + beta) * freshness(rate, 1.0 / period)
    }

    fn value(&self, session: &Session) -> f64 {
        let subsite = &self.subsites[session.subsite];
        let pages = session.pages.iter().enumerate();
        pages.map(|(slot, &page)| self.worth(page, subsite, slot, session.period)).sum()
    }

    /// What pages are worth alone at price μ.
    fn alone(&self, price: f64) -> Vec<f64> {
        let weight = |page: usize| self.terms.alone * self.pages.weights[page];
        (0..self.pages.len()).map(|page| surplus(self.pages.rates[page], weight(page), price)).collect()
    }

    /// The session of a subsite that gains most at price μ, and a bound of what any gains.
    fn best(&self, number: usize, period: f64, price: f64, alone: &[f64]) -> (Option<Session>, f64) {
        let subsite = &self.subsites[number];
        let net = |page: u32, slot: usize| {
            self.worth(page, subsite, slot, period) - 2.0 * price / period - alone[page as usize]
        };
        let mut useful: Vec<u32> = subsite.pages.iter().copied().filter(|&page| net(page, 0) > 0.0).collect();
        let gains = !useful.is_empty();
        if !gains {
            // One page alone is not fetched twice: that may pay where two downloads do not.
            useful = subsite.pages.clone();
            useful.sort_by(|&a, &b| net(b, 0).total_cmp(&net(a, 0)).then(a.cmp(&b)));
            useful.truncate(1);
        }
        let once = price / period;
        let session = |pages: Vec<u32>| Session { subsite: number, period, pages };
        if useful.len() > EXACT {
            let bound: f64 = once + useful.iter().map(|&page| net(page, 0).max(0.0)).sum::<f64>();
            // Hottest inside; pages that lose in their slot are left out, from the outside in.
            useful.sort_by(|&a, &b| {
                self.pages.rates[b as usize].total_cmp(&self.pages.rates[a as usize]).then(a.cmp(&b))
            });
            let mut kept: Vec<u32> = Vec::with_capacity(useful.len());
            for page in useful {
                if net(page, kept.len()) > 0.0 {
                    kept.push(page);
                }
            }
            let gain: f64 = once + kept.iter().enumerate().map(|(slot, &page)| net(page, slot)).sum::<f64>();
            return ((gain > 0.0 && !kept.is_empty()).then(|| session(kept)), bound);
        }
        let n = useful.len();
        // Columns: the slots, then as many places outside the session. One slot is always taken: a session has a page.
        let costs: Vec<f64> = useful
            .iter()
            .flat_map(|&page| (0..2 * n).map(move |column| if column < n { -net(page, column) } else { 0.0 }))
            .collect();
        let found = assignment::solve(n, 2 * n, &costs);
        let mut chosen: Vec<(u32, u32)> = found
            .columns
            .iter()
            .zip(&useful)
            .filter(|(column, _)| (**column as usize) < n)
            .map(|(&column, &page)| (column, page))
            .collect();
        chosen.sort_unstable();
        let mut pages: Vec<u32> = chosen.into_iter().map(|(_, page)| page).collect();
        if pages.is_empty() {
            let first = useful.iter().copied().max_by(|&a, &b| net(a, 0).total_cmp(&net(b, 0)));
            pages.extend(first);
        }
        let gain: f64 = once + pages.iter().enumerate().map(|(slot, &page)| net(page, slot)).sum::<f64>();
        // The dual of the assignment is its value but for rounding; a bound must not lie below what was reached.
        let bound = if gains { gain.max(once - found.dual_bound(&costs)) } else { gain };
        ((gain > 0.0).then(|| session(pages)), bound)
    }

    /// The bound at price μ, and the sessions that are best there.
    fn at(&self, price: f64) -> (f64, Vec<Session>) {
        let alone = self.alone(price);
        let mut bound = price * self.terms.budget + alone.iter().sum::<f64>();
        let mut sessions = Vec::new();
        for number in 0..self.subsites.len() {
            let (mut most, mut best, mut best_gain) = (0.0, None, 0.0);
            for &period in self.terms.periods {
                let (session, gain) = self.best(number, period, price, &alone);
                most = f64::max(most, gain);
                if gain > best_gain && session.is_some() {
                    (best, best_gain) = (session, gain);
                }
            }
            bound += most;
            sessions.extend(best);
        }
        (bound, sessions)
    }

    /// Value of a plan with these sessions, the rest spent on single pages; `None` if they cost too much.
    fn complete(&self, sessions: &[Session]) -> Option<(f64, Allocation)> {
        let cost: f64 = sessions.iter().map(Session::cost).sum();
        let rest = self.terms.budget - cost;
        if rest < -1e-12 {
            return None;
        }
        let mut weights: Vec<f64> =
            self.pages.weights.iter().map(|weight| self.terms.alone * weight).collect();
        let mut caps = self.pages.caps.clone();
        for session in sessions {
            session.pages.iter().for_each(|&page| weights[page as usize] = 0.0);
            let host = session.pages.first().and_then(|&page| self.pages.hosts.get(page as usize));
            if let Some(cap) = host.and_then(|host| caps.get_mut(*host as usize)) {
                *cap -= session.cost();
                if *cap < 0.0 {
                    return None;
                }
            }
        }
        let (rates, hosts) = (self.pages.rates.clone(), self.pages.hosts.clone());
        let singles =
            allocate(&Pages { rates, weights, hosts, caps }, rest.max(0.0), Aim::Freshness, Times::Equal);
        let held: f64 = sessions.iter().map(|session| self.value(session)).sum();
        Some((held + singles.value, singles))
    }
}

/// Plans sessions and single pages.
pub(crate) fn plan(pages: &Pages, subsites: &[Subsite], terms: Terms<'_>) -> Sessions {
    let problem = Problem { pages, subsites, terms };
    let mut bound = f64::INFINITY;
    let mut best: (f64, Vec<Session>, Allocation) = match problem.complete(&[]) {
        Some((value, singles)) => (value, Vec::new(), singles),
        None => (0.0, Vec::new(), allocate(pages, 0.0, Aim::Freshness, Times::Equal)),
    };
    let mut tried: Vec<Vec<Session>> = Vec::new();
    let mut at = |log: f64| {
        let (own, sessions) = problem.at(log.exp());
        bound = f64::min(bound, own);
        if !tried.contains(&sessions) {
            tried.push(sessions);
        }
        own
    };
    // The bound is convex in μ: golden section in its logarithm, from far below to far above any worth of a download.
    let heaviest = pages.weights.iter().copied().fold(0.0, f64::max).max(1e-300);
    let (mut low, mut high) = ((heaviest * 1e-9).ln(), (heaviest * 1e3 + 1e-300).ln());
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
    let price = ((low + high) / 2.0).exp();
    let mut keep = |sessions: Vec<Session>, best: &mut (f64, Vec<Session>, Allocation)| {
        if let Some((value, singles)) = problem.complete(&sessions)
            && value > best.0 * (1.0 + 1e-12)
        {
            *best = (value, sessions, singles);
            return true;
        }
        false
    };
    // Each try is an allocation of all pages: of many pages, only the sets nearest to the best price are tried.
    let mut tries = TRIES / pages.len().max(1) + 4;
    for sessions in tried.iter().rev().take(tries) {
        // Where all together cost too much, as many as can be paid for, in order.
        let mut paid = Vec::new();
        let mut left = terms.budget;
        for session in sessions.iter().filter(|session| session.cost() <= terms.budget) {
            if session.cost() <= left {
                left -= session.cost();
                paid.push(session.clone());
            }
        }
        keep(paid, &mut best);
        tries -= 1;
    }
    improve(&problem, price, tries, &mut best, &mut keep);
    let (value, sessions, singles) = best;
    Sessions { sessions, frequencies: singles.frequencies, value, bound: bound.max(value), price }
}

type Best = (f64, Vec<Session>, Allocation);

/// Gives single subsites other sessions, or none, as long as that gains and `tries` are left.
fn improve(
    problem: &Problem<'_>,
    price: f64,
    mut tries: usize,
    best: &mut Best,
    keep: &mut impl FnMut(Vec<Session>, &mut Best) -> bool,
) {
    for _ in 0..4 {
        let mut gained = false;
        for number in 0..problem.subsites.len() {
            for scale in [1.0, 0.5, 2.0] {
                if tries == 0 {
                    return;
                }
                let alone = problem.alone(price * scale);
                let others = |best: &Best| -> Vec<Session> {
                    best.1.iter().filter(|session| session.subsite != number).cloned().collect()
                };
                gained |= keep(others(best), best);
                for &period in problem.terms.periods {
                    let Some(session) = problem.best(number, period, price * scale, &alone).0 else {
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

    fn terms(budget: f64) -> Terms<'static> {
        Terms { budget, alone: 0.5, periods: &[1.0, 2.0, 4.0, 8.0, 16.0] }
    }

    #[test]
    fn two_subsites_of_three_pages_have_the_plan_of_brute_force_and_its_bound() {
        let (pages, subsites) = example();
        let found = plan(&pages, &subsites, terms(3.0));
        assert!((found.value - 7.568002086).abs() < 1e-8, "{found:?}");
        // The prototype, on a grid of prices, had 7.603924.
        assert!(found.bound > 7.568002 && found.bound < 7.603925, "{}", found.bound);
        let mut held: Vec<(f64, Vec<u32>)> =
            found.sessions.iter().map(|session| (session.period, session.pages.clone())).collect();
        held.iter_mut().for_each(|(_, pages)| pages.sort_unstable());
        assert_eq!(held, [(2.0, vec![0, 1]), (4.0, vec![3, 4, 5])]);
        assert!((found.frequencies.iter().sum::<f64>() - 0.25).abs() < 1e-9);
        let none = plan(&pages, &[], terms(3.0));
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
            let terms = Terms { budget: 0.5 + 2.0 * random(), alone: random(), periods: &[1.0, 4.0] };
            let problem = Problem { pages: &pages, subsites: &subsites, terms };
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
            let found = plan(&pages, &subsites, terms);
            assert!(most <= found.bound * (1.0 + 1e-9), "{most} {found:?}");
            assert!(found.value <= most * (1.0 + 1e-9) && found.value >= 0.97 * most, "{most} {found:?}");
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
        let terms = Terms { budget: 100.0, alone: 0.3, periods: &PERIODS };
        let found = plan(&pages, &subsites, terms);
        let cost: f64 = found.sessions.iter().map(Session::cost).sum();
        assert!(cost + found.frequencies.iter().sum::<f64>() <= 20.0 + 1e-6, "{cost}");
        assert!(found.value > 0.0 && found.value <= found.bound);
        assert!(plan(&Pages::default(), &[], terms).sessions.is_empty());
    }
}
