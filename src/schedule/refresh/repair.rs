//! Repair: which few pages to fetch again now, so that the most pages are proven to have been online together.
//!
//! Fetches happen at `t0 + jΔ`, j = 0..m−1. **At a past instant T** a page is proven if T lies in a proven interval. Else, if its last
//! capture l is not after T, a fetch at τ that finds the same version proves it, with chance `e^(−λ(τ−l))`, whatever T. Nothing
//! helps the others. So
//!
//! ```text
//! V(T) = C(T) + best assignment of the candidates {l ≤ T} to slots, profit W·e^(−λjΔ), W = w·e^(−λ(t0−l))
//! UB(T) = C(T) + the m greatest W
//! ```
//!
//! Candidates only grow with T, so one sweep over interval ends with a heap gives all UB(T); instants are solved by UB descending
//! until none can be better. **Exact.** **At a new instant** inside the repair (d fetches before it) a page is fetched once, bridging
//! from its last capture, or twice around it: a **heuristic** assignment for every d. The better of the two is taken. Assumes that no
//! page changes and changes back. Cost: `O(n log n)`, and an assignment of m slots for each instant that is solved.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::optimal::assignment;

/// A page as the captures show it; times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    /// Proven intervals, ascending.
    pub proven: Vec<(f64, f64)>,
    /// The last capture.
    pub last: f64,
    /// Changes per second.
    pub rate: f64,
    pub weight: f64,
}

/// What is to be fetched again, in order, and what it is expected to bring.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Repair {
    /// The instant at which pages are then proven together.
    pub instant: f64,
    /// Whether that instant lies inside the repair: found by a heuristic.
    pub new_instant: bool,
    /// Pages in the order of fetches; a page may come twice around a new instant.
    pub fetches: Vec<u32>,
    /// Chance that each fetch finds what it needs.
    pub chances: Vec<f64>,
    /// Weight proven together now, at the best instant.
    pub before: f64,
    /// Expected weight proven together afterwards.
    pub expected: f64,
}

/// The best repair of at most `m` fetches, the first at `t0`, `delay` apart.
pub(crate) fn repair(pages: &[Evidence], t0: f64, delay: f64, m: usize) -> Repair {
    let sweep = instants(pages, t0, m);
    let before = sweep.iter().map(|instant| instant.proven).fold(0.0, f64::max);
    let mut best =
        Repair { instant: t0, new_instant: false, fetches: vec![], chances: vec![], before, expected: -1.0 };
    for Instant { at, proven, bound } in sweep {
        if bound <= best.expected {
            break;
        }
        let candidates: Vec<u32> =
            (0..pages.len() as u32).filter(|&page| is_candidate(&pages[page as usize], at)).collect();
        let profit = |page: u32, slot: usize| {
            let page = &pages[page as usize];
            page.weight * survives(page.rate, t0 + slot as f64 * delay - page.last)
        };
        let (fetches, gained) = assign(&candidates, m, profit);
        if proven + gained > best.expected {
            let chances = chances(pages, &fetches, |page, slot| t0 + slot as f64 * delay - pages[page].last);
            best = Repair {
                instant: at,
                new_instant: false,
                fetches,
                chances,
                before,
                expected: proven + gained,
            };
        }
    }
    let new =
        (1..=m).map(|d| around(pages, t0, delay, m, d)).max_by(|a, b| a.expected.total_cmp(&b.expected));
    match new {
        Some(new) if new.expected > best.expected => Repair { before, ..new },
        _ => best,
    }
}

/// What a repair of any number of fetches at most proves together at a past instant, each of them made at `t0`.
pub(crate) fn most_proven(pages: &[Evidence], t0: f64) -> f64 {
    instants(pages, t0, pages.len()).first().map_or(0.0, |instant| instant.bound)
}

fn survives(rate: f64, seconds: f64) -> f64 {
    if rate == 0.0 || seconds <= 0.0 { 1.0 } else { (-rate * seconds).exp() }
}

fn chances(pages: &[Evidence], fetches: &[u32], span: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let chance =
        |(slot, page): (usize, &u32)| survives(pages[*page as usize].rate, span(*page as usize, slot));
    fetches.iter().enumerate().map(chance).collect()
}

fn is_proven(page: &Evidence, at: f64) -> bool {
    page.proven.iter().any(|(from, to)| *from <= at && at <= *to)
}

fn is_candidate(page: &Evidence, at: f64) -> bool {
    page.last <= at && !is_proven(page, at)
}

/// An instant with the weight proven there and the upper bound of a repair.
struct Instant {
    at: f64,
    proven: f64,
    bound: f64,
}

/// All instants at which something begins or ends, by bound descending. Between them nothing is better than at one of them.
fn instants(pages: &[Evidence], t0: f64, m: usize) -> Vec<Instant> {
    // Order at one time: intervals begin, pages whose last capture is alone become candidates, evaluation, intervals end.
    let mut events: Vec<(f64, u8, u32)> = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let number = number as u32;
        for (from, to) in &page.proven {
            events.push((*from, 0, number));
            events.push((*to, 2, number));
        }
        if !is_proven(page, page.last) && page.last <= t0 {
            events.push((page.last, 1, number));
        }
    }
    events.retain(|(at, _, _)| *at <= t0);
    events.push((t0, 1, u32::MAX));
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut top: BinaryHeap<Reverse<Ordered>> = BinaryHeap::new();
    let (mut proven, mut sum) = (0.0, 0.0);
    let mut found = Vec::new();
    let mut add = |page: &Evidence, sum: &mut f64| {
        let worth = page.weight * survives(page.rate, t0 - page.last);
        *sum += worth;
        top.push(Reverse(Ordered(worth)));
        if top.len() > m {
            *sum -= top.pop().map_or(0.0, |least| least.0.0);
        }
    };
    let mut place = 0;
    while place < events.len() {
        let at = events[place].0;
        while place < events.len() && events[place].0 == at && events[place].1 < 2 {
            let (_, kind, page) = events[place];
            match kind {
                0 => proven += pages[page as usize].weight,
                _ if page == u32::MAX => {}
                _ => add(&pages[page as usize], &mut sum),
            }
            place += 1;
        }
        found.push(Instant { at, proven, bound: proven + sum * (1.0 + 1e-12) });
        while place < events.len() && events[place].0 == at {
            let page = &pages[events[place].2 as usize];
            proven -= page.weight;
            if page.last == at {
                add(page, &mut sum);
            }
            place += 1;
        }
        // Just after an end a page may have become a candidate that is proven no more; the stretch up to the next event.
        let next = events.get(place).map_or(t0, |event| event.0);
        if next > at {
            found.push(Instant { at: at + (next - at) / 2.0, proven, bound: proven + sum * (1.0 + 1e-12) });
        }
    }
    found.sort_by(|a, b| b.bound.total_cmp(&a.bound).then(a.at.total_cmp(&b.at)));
    found
}

#[derive(PartialEq)]
struct Ordered(f64);

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The best assignment of candidates to the slots `0..slots`: the pages by slot, and their summed profit.
fn assign(candidates: &[u32], slots: usize, profit: impl Fn(u32, usize) -> f64) -> (Vec<u32>, f64) {
    let slots = slots.min(candidates.len());
    if slots == 0 {
        return (Vec::new(), 0.0);
    }
    // Slot j is best given to one of its most profitable pages: of any `slots` pages one is free.
    let mut useful = vec![false; candidates.len()];
    for slot in 0..slots {
        let mut ranked: Vec<(f64, usize)> =
            candidates.iter().enumerate().map(|(place, &page)| (profit(page, slot), place)).collect();
        ranked.select_nth_unstable_by(slots - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked[..slots].iter().for_each(|(_, place)| useful[*place] = true);
    }
    let kept: Vec<u32> =
        (0..candidates.len()).filter(|place| useful[*place]).map(|place| candidates[place]).collect();
    let costs: Vec<f64> = (0..slots)
        .flat_map(|slot| kept.iter().map(|&page| -profit(page, slot)).collect::<Vec<_>>())
        .collect();
    let found = assignment::solve(slots, kept.len(), &costs);
    let fetches: Vec<u32> = found.columns.iter().map(|&column| kept[column as usize]).collect();
    let gained = fetches.iter().enumerate().map(|(slot, &page)| profit(page, slot)).sum();
    (fetches, gained)
}

/// The heuristic for a new instant after d fetches: pages fetched once after it, or twice around it.
fn around(pages: &[Evidence], t0: f64, delay: f64, m: usize, d: usize) -> Repair {
    let all: Vec<u32> = (0..pages.len() as u32).filter(|&page| pages[page as usize].last <= t0).collect();
    let once = |page: u32, r: usize| {
        survives(pages[page as usize].rate, t0 + (d + r) as f64 * delay - pages[page as usize].last)
    };
    let twice = |page: u32, r: usize| {
        if r < d { survives(pages[page as usize].rate, (2 * r + 1) as f64 * delay) } else { 0.0 }
    };
    let (after, _) =
        assign(&all, m - d, |page, r| pages[page as usize].weight * once(page, r).max(twice(page, r)));
    // Visits mirror the revisits of the pages that are fetched twice. These may be fewer than d: then all else comes earlier.
    let is_twice = |r: usize| twice(after[r], r) > once(after[r], r);
    let visited: Vec<u32> = (0..after.len()).rev().filter(|&r| is_twice(r)).map(|r| after[r]).collect();
    let visits = visited.len();
    let mut chances = vec![1.0; visits];
    let mut expected = 0.0;
    for (r, &page) in after.iter().enumerate() {
        let evidence = &pages[page as usize];
        let since = match visited.iter().position(|&other| other == page) {
            Some(visit) => (visits + r - visit) as f64 * delay,
            None => t0 + (visits + r) as f64 * delay - evidence.last,
        };
        chances.push(survives(evidence.rate, since));
        expected += evidence.weight * survives(evidence.rate, since);
    }
    let instant = if visits == 0 { t0 } else { t0 + (visits as f64 - 0.5) * delay };
    Repair { instant, new_instant: true, fetches: [visited, after].concat(), chances, before: 0.0, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<Evidence> {
        let page = |proven: Vec<(f64, f64)>, last: f64, rate: f64, weight: f64| Evidence {
            proven,
            last,
            rate,
            weight,
        };
        vec![
            page(vec![(0.0, 7.0)], 7.0, 0.01, 1.0),
            page(vec![], 8.0, 0.05, 3.0),
            page(vec![], 2.0, 0.05, 2.0),
            page(vec![(3.0, 6.0)], 6.0, 0.02, 1.0),
            page(vec![], 4.0, 0.1, 4.0),
            page(vec![(5.0, 9.0)], 9.0, 0.03, 1.0),
        ]
    }

    fn near(ours: f64, golden: f64) {
        assert!((ours - golden).abs() < 2e-9, "{ours} is not {golden}");
    }

    #[test]
    fn the_example_of_six_pages_is_met() {
        for (m, at, order, value) in [
            (0, 5.0, vec![], 3.0),
            (1, 5.0, vec![5], 5.195246544),
            (2, 5.0, vec![5, 3], 6.470502848),
            (3, 8.0, vec![5, 2, 3], 6.990431793),
            (4, 8.0, vec![5, 2, 3, 1], 7.932196327),
        ] {
            let found = repair(&example(), 10.0, 1.0, m);
            near(found.expected, value);
            assert_eq!((found.before, found.new_instant), (3.0, false));
            assert_eq!(found.fetches.iter().map(|page| page + 1).collect::<Vec<_>>(), order);
            let same = repair_at(&example(), at, 10.0, 1.0, m);
            near(same, value);
        }
    }

    fn repair_at(pages: &[Evidence], at: f64, t0: f64, delay: f64, m: usize) -> f64 {
        let proven: f64 = pages.iter().filter(|page| is_proven(page, at)).map(|page| page.weight).sum();
        let candidates: Vec<u32> =
            (0..pages.len() as u32).filter(|&page| is_candidate(&pages[page as usize], at)).collect();
        let profit = |page: u32, slot: usize| {
            let page = &pages[page as usize];
            page.weight * survives(page.rate, t0 + slot as f64 * delay - page.last)
        };
        proven + assign(&candidates, m, profit).1
    }

    #[test]
    fn a_new_instant_has_the_values_of_the_heuristic() {
        let best = |m: usize| {
            (1..=m)
                .map(|d| around(&example(), 10.0, 1.0, m, d))
                .max_by(|a, b| a.expected.total_cmp(&b.expected))
                .unwrap()
        };
        near(best(3).expected, 6.075541931);
        near(best(4).expected, 7.229441552);
        assert_eq!(best(3).fetches.iter().map(|page| page + 1).collect::<Vec<_>>(), [5, 5, 2]);
    }

    /// All ordered choices of m pages, at every instant of a fine grid.
    fn brute(pages: &[Evidence], t0: f64, m: usize, at: f64, used: u32, slot: usize) -> f64 {
        if slot == m {
            return 0.0;
        }
        let mut best = brute(pages, t0, m, at, used, slot + 1);
        for (number, page) in pages.iter().enumerate() {
            if used >> number & 1 == 0 && is_candidate(page, at) {
                let gain = page.weight * survives(page.rate, t0 + slot as f64 - page.last);
                best = f64::max(best, gain + brute(pages, t0, m, at, used | 1 << number, slot + 1));
            }
        }
        best
    }

    #[test]
    fn the_sweep_is_the_best_of_all_instants_and_orders() {
        let mut random = crate::schedule::tests::random(7);
        for _ in 0..40 {
            let pages: Vec<Evidence> = (0..5)
                .map(|_| {
                    let (a, b) = ((random() * 10.0).floor(), (random() * 10.0).floor());
                    let proven = if a < b { vec![(a, b)] } else { vec![] };
                    Evidence {
                        proven,
                        last: a.max(b),
                        rate: random() * 0.2,
                        weight: 1.0 + (random() * 4.0).floor(),
                    }
                })
                .collect();
            let sweep = instants(&pages, 10.0, 2)
                .iter()
                .map(|one| repair_at(&pages, one.at, 10.0, 1.0, 2))
                .fold(0.0, f64::max);
            let slowly = (0..=40)
                .map(|at| f64::from(at) / 4.0)
                .map(|at| {
                    let proven: f64 =
                        pages.iter().filter(|page| is_proven(page, at)).map(|page| page.weight).sum();
                    proven + brute(&pages, 10.0, 2, at, 0, 0)
                })
                .fold(0.0, f64::max);
            assert!((sweep - slowly).abs() < 1e-9, "{sweep} {slowly} {pages:?}");
            assert!(repair(&pages, 10.0, 1.0, 2).expected >= slowly - 1e-9);
        }
    }

    /// Every page that is counted is captured on both sides of the new instant, and the sum is that of the chances.
    #[test]
    fn a_new_instant_lies_between_the_captures_that_prove_it() {
        let mut state = 11u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for _ in 0..200 {
            let pages: Vec<Evidence> = (0..6)
                .map(|_| Evidence {
                    proven: vec![],
                    last: (random() * 10.0).floor(),
                    rate: 0.5 * random() * random(),
                    weight: 1.0 + (random() * 4.0).floor(),
                })
                .collect();
            for d in 1..=5 {
                let found = around(&pages, 10.0, 1.0, 5, d);
                assert!(found.fetches.len() <= 5 && found.fetches.len() == found.chances.len());
                let mut sum = 0.0;
                for (slot, page) in found.fetches.iter().enumerate() {
                    let at = 10.0 + slot as f64;
                    let earlier = found.fetches[..slot].iter().position(|other| other == page);
                    let evidence = &pages[*page as usize];
                    let from = earlier.map_or(evidence.last, |slot| 10.0 + slot as f64);
                    if at >= found.instant {
                        assert!(from <= found.instant, "{found:?}");
                        let chance = survives(evidence.rate, at - from);
                        assert!((found.chances[slot] - chance).abs() < 1e-12);
                        sum += evidence.weight * chance;
                    }
                }
                assert!((sum - found.expected).abs() < 1e-9, "{found:?}");
            }
        }
    }

    #[test]
    fn no_page_and_no_fetch_are_repairs_too() {
        assert_eq!(repair(&[], 10.0, 1.0, 5).expected, 0.0);
        assert!(repair(&example(), 10.0, 1.0, 0).fetches.is_empty());
    }
}
