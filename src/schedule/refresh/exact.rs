//! Whole downloads in a horizon: which pages, how often and when, exactly.
//!
//! A page of rate λ, last captured a days before the horizon of L days, is fetched m times. Freshness, averaged over the horizon, is
//! greatest with equal gaps counted from the last capture if they are no shorter than its age, else with a fetch at once:
//!
//! ```text
//! γ = (L + a)/(m + 1) ≥ a:   V(m) = [(m + 1)(1 − e^(−λγ)) − (1 − e^(−λa))]/(λL)      fetches at kγ − a, k = 1..m
//! else                       V(m) = m(1 − e^(−λL/m))/(λL)                            fetches at kL/m, k = 0..m−1
//! ```
//!
//! V is a minimum of functions affine in m, hence concave, so **taking the greatest marginal gain again and again is exactly
//! optimal**, also with caps per host (a laminar matroid). The end of the horizon is not maintained, so values lie above those of
//! a steady state. For the number of versions `V(m) = m(1 − e^(−λL/m))` with fetches at the ends. For blur, the closest capture served,
//!
//! ```text
//! L ≥ 2am:   V(m) = −λ[(L + a)²/(2(2m + 1)) − a²/2]/L      gaps 2e, e = (L + a)/(2m + 1), counted from the last capture
//! else       V(m) = −λL/(4m)                               fetches in the middles of equal parts
//! ```
//!
//! (never captured: the second; the two meet with one slope, so V is concave). Both are concave too. What was never captured has no
//! blur, so its first download comes before all else, the heaviest page first, of equal ones the coldest: **blur drops no page**
//! that weighs something as long as there is a download for each. Cost: `O((n + downloads) log n)`.

use super::allocation::Aim;
use super::dates::is_counted;
use super::greedy::{Limits, Step, greedy};

/// A page of the horizon; all times in days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Horizon {
    /// Changes a day.
    pub rate: f64,
    pub weight: f64,
    /// Days since the last capture; infinite: never captured.
    pub age: f64,
}

/// Freshness of a page that is fetched m times within `days`.
pub(crate) fn fresh(page: Horizon, days: f64, m: u32) -> f64 {
    let Horizon { rate, age, .. } = page;
    if age.is_infinite() {
        // Without any capture there is nothing to be fresh until the first fetch, which is at once.
        return if m == 0 { 0.0 } else { at_once(rate, days, m) };
    }
    let gap = (days + age) / f64::from(m + 1);
    if m == 0 || gap >= age {
        let span = f64::from(m + 1) * quiet(rate, gap) - quiet(rate, age);
        return span / days;
    }
    at_once(rate, days, m)
}

/// What m fetches of a page are worth by an aim, without its weight.
pub(super) fn worth(page: Horizon, days: f64, m: u32, aim: Aim) -> f64 {
    match (aim, m) {
        (Aim::Freshness, _) => fresh(page, days, m),
        _ if !is_counted(page, m > 0, aim) => 0.0,
        (Aim::Blur, m) => match blur_step(page, days, m) {
            Some(step) => {
                let (span, age) = (days + page.age, page.age);
                -page.rate * (span * step - age * age) / (2.0 * days)
            }
            None => -page.rate * days / (4.0 * f64::from(m)),
        },
        (Aim::Versions, 0) => 0.0,
        (Aim::Versions, m) => f64::from(m) * page.rate * quiet(page.rate, days / f64::from(m)),
    }
}

/// Half a gap of the best instants for blur, counted from the last capture; `None` where they do not depend on it.
fn blur_step(page: Horizon, days: f64, m: u32) -> Option<f64> {
    let m = f64::from(m);
    (days >= 2.0 * page.age * m).then(|| (days + page.age) / (2.0 * m + 1.0))
}

fn at_once(rate: f64, days: f64, m: u32) -> f64 {
    f64::from(m) * quiet(rate, days / f64::from(m)) / days
}

/// `(1 − e^(−λt))/λ`: expected days until the first change, within t.
pub(super) fn quiet(rate: f64, t: f64) -> f64 {
    match rate {
        0.0 => t,
        rate if rate.is_infinite() => 0.0,
        rate => -(-rate * t).exp_m1() / rate,
    }
}

/// When the m fetches of a page are, in days from the start.
pub(crate) fn instants(page: Horizon, days: f64, m: u32, aim: Aim) -> Vec<f64> {
    let part = days / f64::from(m);
    match aim {
        Aim::Freshness => {}
        Aim::Blur => {
            return match blur_step(page, days, m) {
                Some(step) => (1..=m).map(|k| 2.0 * f64::from(k) * step - page.age).collect(),
                None => (0..m).map(|k| (f64::from(k) + 0.5) * part).collect(),
            };
        }
        Aim::Versions => return (1..=m).map(|k| f64::from(k) * part).collect(),
    }
    let gap = (days + page.age) / f64::from(m + 1);
    if page.age.is_finite() && gap >= page.age {
        return (1..=m).map(|k| f64::from(k) * gap - page.age).collect();
    }
    (0..m).map(|k| f64::from(k) * days / f64::from(m)).collect()
}

/// Pages that were never captured and weigh something, in the order of their first downloads: heaviest, then coldest.
pub(super) fn first_captures(pages: &[Horizon]) -> Vec<u32> {
    let is_new = |page: &Horizon| page.age.is_infinite() && page.weight > 0.0;
    let mut new: Vec<u32> = (0..pages.len() as u32).filter(|&page| is_new(&pages[page as usize])).collect();
    new.sort_by(|&a, &b| {
        let (a, b) = (&pages[a as usize], &pages[b as usize]);
        b.weight.total_cmp(&a.weight).then(a.rate.total_cmp(&b.rate))
    });
    new
}

/// How often every page is fetched, and the summed weighted value. `hosts` and `caps` may be empty.
pub(crate) fn best(
    pages: &[Horizon],
    days: f64,
    downloads: u64,
    (hosts, caps): (&[u32], &[u64]),
    aim: Aim,
) -> (Vec<u32>, f64) {
    let value = |page: usize, m: u32| pages[page].weight * worth(pages[page], days, m, aim);
    let mut counts = vec![0u32; pages.len()];
    let mut rooms: Vec<f64> = caps.iter().map(|cap| *cap as f64).collect();
    let mut left = downloads as f64;
    if aim == Aim::Blur {
        for page in first_captures(pages) {
            let host = hosts.get(page as usize).and_then(|host| rooms.get_mut(*host as usize));
            if left >= 1.0 && host.as_ref().is_none_or(|room| **room >= 1.0) {
                left -= 1.0;
                host.into_iter().for_each(|room| *room -= 1.0);
                counts[page as usize] = 1;
            }
        }
    }
    // A host alone shares its limit with nobody.
    if let [room] = rooms[..] {
        left = left.min(room);
    }
    greedy(&mut counts, Limits { left, least: 1.0, groups: hosts, rooms }, |page, m| {
        let gain = value(page, m + 1) - value(page, m);
        (gain > 0.0).then_some(Step { gain, cost: 1.0 })
    });
    let total = (0..pages.len()).map(|page| value(page, counts[page])).sum();
    (counts, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(ours: f64, golden: f64) {
        assert!((ours - golden).abs() <= 2e-9 * golden.abs().max(1.0), "{ours} is not {golden}");
    }

    fn page(rate: f64, age: f64) -> Horizon {
        Horizon { rate, weight: 1.0, age }
    }

    #[test]
    fn freshness_of_one_page_and_its_gains_fall() {
        for (m, value) in [(0, 0.237269029), (1, 0.501874025), (2, 0.643880241)] {
            near(fresh(page(0.2, 3.0), 10.0, m), value);
        }
        for one in [page(0.2, 3.0), page(3.0, 0.0), page(0.01, 40.0), page(1.0, f64::INFINITY)] {
            let gains: Vec<f64> = (0..30).map(|m| fresh(one, 10.0, m + 1) - fresh(one, 10.0, m)).collect();
            assert!(gains.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "{one:?} {gains:?}");
        }
    }

    /// All ways to share out the downloads.
    fn brute(pages: &[Horizon], days: f64, downloads: u32) -> f64 {
        match pages {
            [] => 0.0,
            [last] => fresh(*last, days, downloads) * last.weight,
            [first, rest @ ..] => (0..=downloads)
                .map(|m| first.weight * fresh(*first, days, m) + brute(rest, days, downloads - m))
                .fold(f64::NEG_INFINITY, f64::max),
        }
    }

    #[test]
    fn greedy_is_the_best_of_all_ways_to_share_out_downloads() {
        let ages = [0.0, 0.5, 1.0, 0.0, 2.0];
        let pages: Vec<Horizon> = (0..5).map(|i| page(f64::from(i + 1), ages[i as usize])).collect();
        let (counts, value) = best(&pages, 2.0, 10, (&[], &[]), Aim::Freshness);
        assert_eq!(counts, [1, 3, 3, 2, 1]);
        near(value, 2.068857146);
        near(brute(&pages, 2.0, 10), 2.068857146);
        let mut odd = pages;
        odd[1].weight = 4.0;
        odd[3] = page(0.0, f64::INFINITY);
        near(best(&odd, 3.0, 7, (&[], &[]), Aim::Freshness).1, brute(&odd, 3.0, 7));
    }

    #[test]
    fn every_aim_has_falling_gains_and_instants_within_the_horizon() {
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            for one in [page(0.2, 3.0), page(3.0, 0.0), page(0.01, 40.0), page(1.0, f64::INFINITY)] {
                let gain = |m: u32| worth(one, 10.0, m + 1, aim) - worth(one, 10.0, m, aim);
                // The blur of what was never captured is not a number before its first download.
                let from = u32::from(aim == Aim::Blur && one.age.is_infinite());
                assert!(
                    (from..30).all(|m| gain(m + 1) <= gain(m) + 1e-12 && gain(m) >= 0.0),
                    "{aim:?} {one:?}"
                );
                let at = instants(one, 10.0, 4, aim);
                assert!(at.len() == 4 && at.iter().all(|at| (0.0..=10.0).contains(at)), "{aim:?} {at:?}");
            }
        }
    }

    #[test]
    fn blur_drops_no_page_while_there_is_a_download_for_each() {
        let rates = [1.0, 0.001, f64::INFINITY, 0.0, 5.0];
        let pages: Vec<Horizon> = rates.iter().map(|&rate| page(rate, f64::INFINITY)).collect();
        for downloads in 5..12 {
            let (counts, _) = best(&pages, 7.0, downloads, (&[], &[]), Aim::Blur);
            assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
            assert_eq!(counts.iter().map(|count| u64::from(*count)).sum::<u64>(), downloads);
        }
        // With fewer, the heaviest come first, and no small blur is counted for the others.
        let mut heavy = pages.clone();
        heavy[4].weight = 2.0;
        let (counts, value) = best(&heavy, 7.0, 2, (&[], &[]), Aim::Blur);
        assert_eq!(counts, [0, 0, 0, 1, 1]);
        near(value, -2.0 * 5.0 * 7.0 / 4.0);
    }

    #[test]
    fn no_other_instants_have_less_blur() {
        for one in [page(0.2, 3.0), page(0.7, 0.0), page(0.3, 30.0), page(0.3, f64::INFINITY)] {
            for m in 1..5 {
                let at = instants(one, 10.0, m, Aim::Blur);
                let best = worth(one, 10.0, m, Aim::Blur);
                near(super::super::dates::worth(one, 10.0, &at, Aim::Blur), best);
                for k in 0..at.len() {
                    for shift in [-0.1, 0.1] {
                        let mut moved = at.clone();
                        moved[k] = (moved[k] + shift).clamp(0.0, 10.0);
                        moved.sort_by(f64::total_cmp);
                        assert!(super::super::dates::worth(one, 10.0, &moved, Aim::Blur) <= best + 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn caps_per_host_are_kept() {
        let pages: Vec<Horizon> = (1..=5).map(|rate| page(f64::from(rate), 1.0)).collect();
        let (counts, _) = best(&pages, 2.0, 10, (&[0, 0, 0, 1, 1], &[2, 100]), Aim::Freshness);
        assert_eq!((counts[..3].iter().sum::<u32>(), counts[3..].iter().sum::<u32>()), (2, 8));
    }

    #[test]
    fn no_other_instants_are_fresher() {
        // Freshness of given fetch instants, by definition.
        let by_instants = |one: Horizon, at: &[f64]| {
            let mut total =
                quiet(one.rate, one.age + at.first().copied().unwrap_or(10.0)) - quiet(one.rate, one.age);
            for (k, from) in at.iter().enumerate() {
                total += quiet(one.rate, at.get(k + 1).copied().unwrap_or(10.0) - from);
            }
            total / 10.0
        };
        for one in [page(0.2, 3.0), page(0.7, 0.0), page(0.3, 30.0)] {
            for m in 1..4 {
                let at = instants(one, 10.0, m, Aim::Freshness);
                near(by_instants(one, &at), fresh(one, 10.0, m));
                for k in 0..at.len() {
                    for shift in [-0.1, 0.1] {
                        let mut moved = at.clone();
                        moved[k] = (moved[k] + shift).clamp(0.0, 10.0);
                        moved.sort_by(f64::total_cmp);
                        assert!(by_instants(one, &moved) <= fresh(one, 10.0, m) + 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn twelve_weeks_of_a_thousand_pages() {
        let smooth = (1..=1000).map(|i| (1.0f64 / 0.7).ln() / f64::from(i));
        let pages: Vec<Horizon> = smooth.map(|rate| page(rate, 30.0)).collect();
        near(best(&pages, 84.0, 20 * 84, (&[], &[]), Aim::Freshness).1, 970.155664);
        let power: Vec<Horizon> = (1..=1000).map(|i| page(f64::from(i).powf(-1.2), 30.0)).collect();
        near(best(&power, 84.0, 20 * 84, (&[], &[]), Aim::Freshness).1, 970.212898);
    }
}
