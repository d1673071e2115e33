//! What sessions gain at a price of a download: the best session of every subsite, and a bound of what any gains. See [`super::sessions`].

use super::super::optimal::assignment;
use super::allocation::{Pages, alone_at, freshness};
use super::session_prices::Point;
use super::sessions::{MAX_PAGES_FINE, Session, Subsite, Terms, downloads};
use crate::schedule::parallel::{jobs, threads};

/// Maximum number of pages of a subsite for the exact assignment.
const EXACT: usize = 120;

/// The third powers of pages that all assignments at a price may have together where there are many pages: of many subsites only small ones are
/// exact.
const MAX_CUBES: f64 = 1e8;

/// The number of subsites that a thread takes at a time.
const CHUNK: usize = 64;

/// A bound that is less by this part is less whatever the rounding.
const ROUNDING: f64 = 1e-9;

fn survival(rate: f64, days: f64) -> f64 {
    if rate == 0.0 || days == 0.0 { 1.0 } else { (-rate * days).exp() }
}

/// What does not depend on the budget.
pub(super) struct Shared<'a> {
    pub pages: &'a Pages,
    pub subsites: &'a [Subsite],
    pub terms: Terms<'a>,
    /// What pages are worth in the middle of a session, page by page, by period.
    middle: Vec<f64>,
    /// The pages of large subsites, hottest first.
    by_rate: Vec<Vec<u32>>,
    /// Maximum number of pages for the exact assignment.
    exact: usize,
}

/// What a page is worth alone at a price, and how often it is fetched.
#[derive(Clone, Copy)]
pub(super) struct Alone {
    pub worth: f64,
    frequency: f64,
}

/// The session of a subsite that is best for a period.
pub(super) struct Found {
    pub session: Option<Session>,
    /// Upper bound of the gain of any session.
    pub bound: f64,
    /// Downloads a day that the bound pays for, above those of its pages alone.
    cost: f64,
}

impl<'a> Shared<'a> {
    pub(super) fn new(pages: &'a Pages, subsites: &'a [Subsite], terms: Terms<'a>) -> Self {
        let periods = terms.periods;
        let work = |exact: usize| {
            subsites.iter().map(|own| (own.pages.len().min(exact) as f64).powi(3)).sum::<f64>()
        };
        let is_affordable = |exact: &usize| pages.len() <= MAX_PAGES_FINE || work(*exact) <= MAX_CUBES;
        let exact = (1..=EXACT).rev().find(is_affordable).unwrap_or(1);
        let hottest = |subsite: &Subsite| {
            let mut order = if subsite.pages.len() > exact { subsite.pages.clone() } else { Vec::new() };
            order.sort_by(|&a, &b| {
                pages.rates[b as usize].total_cmp(&pages.rates[a as usize]).then(a.cmp(&b))
            });
            order
        };
        let by_rate = subsites.iter().map(hottest).collect();
        let mut shared = Shared { pages, subsites, terms, middle: Vec::new(), by_rate, exact };
        let mut middle = vec![0.0; pages.len() * periods.len()];
        for subsite in subsites {
            for &page in &subsite.pages {
                let own = &mut middle[page as usize * periods.len()..][..periods.len()];
                own.iter_mut()
                    .zip(periods)
                    .for_each(|(worth, &period)| *worth = shared.worth(page, subsite, 0, period));
            }
        }
        shared.middle = middle;
        shared
    }

    /// What a page is worth in a slot of a session.
    fn worth(&self, page: u32, subsite: &Subsite, slot: usize, period: f64) -> f64 {
        let (rate, weight) = (self.pages.rates[page as usize], self.pages.weights[page as usize]);
        let together = survival(rate, (2 * slot + self.terms.gap as usize) as f64 * subsite.delay);
        let beta = self.terms.alone;
        weight * ((1.0 - beta) * together + beta) * freshness(rate, 1.0 / period)
    }

    pub(super) fn value(&self, session: &Session) -> f64 {
        let subsite = &self.subsites[session.subsite];
        let pages = session.pages.iter().enumerate();
        pages.map(|(slot, &page)| self.worth(page, subsite, slot, session.period)).sum()
    }

    /// What pages are worth alone at price μ.
    pub(super) fn alone(&self, price: f64) -> Vec<Alone> {
        let one = |page: usize| {
            let (worth, frequency) =
                alone_at(self.pages.rates[page], self.terms.alone * self.pages.weights[page], price);
            Alone { worth, frequency }
        };
        let chunks = jobs(threads(), self.pages.len().div_ceil(MAX_PAGES_FINE), |chunk| {
            (chunk * MAX_PAGES_FINE..((chunk + 1) * MAX_PAGES_FINE).min(self.pages.len()))
                .map(one)
                .collect::<Vec<_>>()
        });
        chunks.concat()
    }

    /// What a page gains in the middle of a session.
    fn net(&self, page: u32, place: usize, price: f64, alone: &[Alone]) -> f64 {
        self.middle[page as usize * self.terms.periods.len() + place]
            - 2.0 * price / self.terms.periods[place]
            - alone[page as usize].worth
    }

    /// What the one download of the page in the middle saves.
    fn saved(&self, price: f64, period: f64) -> f64 {
        if self.terms.gap == 0 { price / period } else { 0.0 }
    }

    /// No sessions of a subsite gain more, period by period: every page in the middle.
    fn loose(&self, number: usize, price: f64, alone: &[Alone]) -> Vec<f64> {
        let mut sums = vec![(0.0, f64::NEG_INFINITY); self.terms.periods.len()];
        for &page in &self.subsites[number].pages {
            for (place, (sum, most)) in sums.iter_mut().enumerate() {
                let net = self.net(page, place, price, alone);
                *sum += f64::max(net, 0.0);
                *most = f64::max(*most, net);
            }
        }
        let bound = |((sum, most), period): ((f64, f64), &f64)| {
            self.saved(price, *period) + if most > 0.0 { sum } else { most }
        };
        sums.into_iter().zip(self.terms.periods).map(bound).collect()
    }

    /// The session of a subsite that gains most at price μ, and a bound of what any gains.
    pub(super) fn best(&self, number: usize, place: usize, price: f64, alone: &[Alone]) -> Found {
        let (subsite, period) = (&self.subsites[number], self.terms.periods[place]);
        let middle = |page: u32| self.net(page, place, price, alone);
        let net = |page: u32, slot: usize| {
            self.worth(page, subsite, slot, period) - 2.0 * price / period - alone[page as usize].worth
        };
        let is_useful = |page: &u32| middle(*page) > 0.0;
        let count = subsite.pages.iter().filter(|page| is_useful(page)).count();
        let once = self.saved(price, period);
        let session = |pages: Vec<u32>| Session { subsite: number, period, pages };
        let cost = |pages: &[u32]| {
            let instead: f64 = pages.iter().map(|&page| alone[page as usize].frequency).sum();
            downloads(pages.len(), self.terms.gap) as f64 / period - instead
        };
        if count > self.exact {
            // Hottest inside; pages that lose in their slot are left out, from the outside in.
            let useful: Vec<u32> = self.by_rate[number].iter().copied().filter(is_useful).collect();
            let bound: f64 =
                once + subsite.pages.iter().map(|&page| middle(page)).filter(|net| *net > 0.0).sum::<f64>();
            let cost = cost(&useful);
            let mut kept: Vec<u32> = Vec::with_capacity(useful.len());
            let mut gain = once;
            for page in useful {
                let net = net(page, kept.len());
                if net > 0.0 {
                    gain += net;
                    kept.push(page);
                }
            }
            let is_held = gain > 0.0 && !kept.is_empty();
            return Found { session: is_held.then(|| session(kept)), bound, cost };
        }
        let gains = count > 0;
        let useful: Vec<u32> = match gains {
            true => subsite.pages.iter().copied().filter(is_useful).collect(),
            // One page alone is not fetched twice: that may pay where two downloads do not.
            false => {
                let first = |a: &u32, b: &u32| middle(*b).total_cmp(&middle(*a)).then(a.cmp(b));
                subsite.pages.iter().copied().min_by(first).into_iter().collect()
            }
        };
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
        let cost = cost(&pages);
        Found { session: (gain > 0.0).then(|| session(pages)), bound, cost }
    }

    /// The best session of a subsite whatever the period, a bound of what any gains, and what that costs. Periods that can not be better are
    /// left out.
    fn best_of_periods(&self, number: usize, price: f64, alone: &[Alone]) -> Found {
        let mut order: Vec<(usize, f64)> = self.loose(number, price, alone).into_iter().enumerate().collect();
        order.retain(|(_, loose)| *loose > -ROUNDING * price);
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut held = f64::NEG_INFINITY;
        let mut found: Vec<(usize, Found)> = Vec::new();
        for (place, loose) in order {
            if loose + ROUNDING * (loose.abs() + price) < held {
                continue;
            }
            let own = self.best(number, place, price, alone);
            held = if own.session.is_some() { held.max(own.bound) } else { held };
            found.push((place, own));
        }
        found.sort_by_key(|(place, _)| *place);
        let mut best = Found { session: None, bound: 0.0, cost: 0.0 };
        let mut best_gain = 0.0;
        for (_, own) in found {
            if own.bound > best.bound {
                (best.bound, best.cost) = (own.bound, own.cost);
            }
            if own.bound > best_gain && own.session.is_some() {
                (best.session, best_gain) = (own.session, own.bound);
            }
        }
        best
    }

    /// The bound at price μ without the price of the budget, and the sessions that are best there.
    pub(super) fn at(&self, log: f64) -> (Point, Vec<Session>) {
        let price = log.exp();
        let alone = self.alone(price);
        let subsites = self.subsites.len();
        let chunks = jobs(threads(), subsites.div_ceil(CHUNK), |chunk| {
            let own = chunk * CHUNK..((chunk + 1) * CHUNK).min(subsites);
            own.map(|number| self.best_of_periods(number, price, &alone)).collect::<Vec<Found>>()
        });
        let mut bound = alone.iter().map(|own| own.worth).sum::<f64>();
        let mut demand = alone.iter().map(|own| own.frequency).sum::<f64>();
        let mut sessions = Vec::new();
        for found in chunks.into_iter().flatten() {
            bound += found.bound;
            demand += found.cost;
            sessions.extend(found.session);
        }
        (Point { log, bound, demand }, sessions)
    }
}
