//! What a list of dates is worth: the one place where a plan is valued, whatever made its dates.
//!
//! A page of rate λ, last captured `a` days before the horizon of L days (∞: never), is fetched at `t_1 ≤ … ≤ t_m`.
//!
//! ```text
//! freshness   share of the horizon in which the last capture is current; nothing is current before the first capture ever
//! blur        λ times the distance to the closest capture (the last one before the horizon included), averaged over the horizon
//! versions    versions that began in the horizon and were captured: Σ (1 − e^(−λ·gap)), the first gap from the start
//! ```
//!
//! Blur and versions of pages that always change are without bound, and what was never captured can not be replayed: neither is
//! counted ([`is_counted`]), and a plan says how many these are.

use super::allocation::Aim;
use super::exact::{Horizon, quiet};

/// What the downloads of a page at these instants (ascending, in days) are worth by an aim, without its weight. Blur is negative.
pub(crate) fn worth(page: Horizon, days: f64, at: &[f64], aim: Aim) -> f64 {
    let Horizon { rate, age, .. } = page;
    if !is_counted(page, !at.is_empty(), aim) {
        return 0.0;
    }
    let first = at.first().copied().unwrap_or(days);
    let last = at.last().copied();
    let gaps = || at.windows(2).map(|pair| pair[1] - pair[0]);
    match aim {
        Aim::Freshness => {
            let before = if age.is_finite() { quiet(rate, age + first) - quiet(rate, age) } else { 0.0 };
            let behind = last.map_or(0.0, |last| quiet(rate, days - last));
            (before + gaps().map(|gap| quiet(rate, gap)).sum::<f64>() + behind) / days
        }
        Aim::Blur => {
            let before = match last {
                // The last capture before the horizon serves all of it.
                None => days * (age + days / 2.0),
                // It is closer than the first fetch for the time up to their middle.
                Some(_) if age < first => (age + first).powi(2) / 4.0 - age * age / 2.0,
                Some(_) => first * first / 2.0,
            };
            let behind = last.map_or(0.0, |last| (days - last).powi(2) / 2.0);
            -rate * (before + gaps().map(|gap| gap * gap / 4.0).sum::<f64>() + behind) / days
        }
        Aim::Versions => {
            let first = last.map_or(0.0, |_| quiet(rate, first));
            rate * (first + gaps().map(|gap| quiet(rate, gap)).sum::<f64>())
        }
    }
}

/// Whether the worth of a page is a number: blur and versions of what always changes are not, nor is the blur of what was never
/// captured.
pub(crate) fn is_counted(page: Horizon, is_fetched: bool, aim: Aim) -> bool {
    match aim {
        Aim::Freshness => true,
        Aim::Blur => page.rate.is_finite() && (page.age.is_finite() || is_fetched),
        Aim::Versions => page.rate.is_finite(),
    }
}

/// What all downloads of a plan are worth, by weight. Blur is negative.
pub(crate) fn value(pages: &[Horizon], days: f64, at: &[Vec<f64>], aim: Aim) -> f64 {
    pages.iter().zip(at).map(|(page, at)| page.weight * worth(*page, days, at, aim)).sum()
}

/// Whether a page weighs something and can not be replayed: never captured before, and not fetched.
fn is_missed((page, at): &(&Horizon, &Vec<f64>)) -> bool {
    page.weight > 0.0 && page.age.is_infinite() && at.is_empty()
}

/// How many pages can not be replayed.
pub(crate) fn missed(pages: &[Horizon], at: &[Vec<f64>]) -> usize {
    pages.iter().zip(at).filter(is_missed).count()
}

/// What the pages weigh that can not be replayed.
pub(crate) fn missed_weight(pages: &[Horizon], at: &[Vec<f64>]) -> f64 {
    pages.iter().zip(at).filter(is_missed).map(|(page, _)| page.weight).sum()
}

#[cfg(test)]
mod tests {
    use super::super::exact::instants;
    use super::*;

    fn page(rate: f64, age: f64) -> Horizon {
        Horizon { rate, weight: 1.0, age }
    }

    #[test]
    fn the_best_instants_are_worth_what_the_closed_forms_say() {
        for aim in [Aim::Freshness, Aim::Blur, Aim::Versions] {
            for one in [page(0.2, 3.0), page(3.0, 0.0), page(0.01, 40.0), page(1.0, f64::INFINITY)] {
                for m in 0..6 {
                    let by_instants = worth(one, 10.0, &instants(one, 10.0, m, aim), aim);
                    let closed = super::super::exact::worth(one, 10.0, m, aim);
                    assert!(
                        (by_instants - closed).abs() <= 1e-12 * closed.abs().max(1.0),
                        "{aim:?} {one:?} {m} {by_instants} {closed}"
                    );
                }
            }
        }
    }

    /// By definition, in small steps of time.
    fn measured(one: Horizon, at: &[f64], aim: Aim) -> f64 {
        const STEPS: u32 = 200_000;
        let captures: Vec<f64> =
            [-one.age].into_iter().filter(|at| at.is_finite()).chain(at.iter().copied()).collect();
        let step = 10.0 / f64::from(STEPS);
        let at_time = |now: f64| match aim {
            Aim::Freshness => {
                let last = captures.iter().copied().filter(|at| *at <= now).fold(f64::NEG_INFINITY, f64::max);
                (-one.rate * (now - last)).exp()
            }
            _ => -one.rate * captures.iter().map(|at| (at - now).abs()).fold(f64::INFINITY, f64::min),
        };
        (0..STEPS).map(|k| at_time((f64::from(k) + 0.5) * step)).sum::<f64>() / f64::from(STEPS)
    }

    #[test]
    fn any_dates_are_worth_what_the_definition_says() {
        for dates in [&[][..], &[2.0], &[0.0, 0.5, 7.0], &[4.0, 4.0, 9.5]] {
            for age in [0.0, 1.0, 3.0, 30.0, f64::INFINITY] {
                for aim in [Aim::Freshness, Aim::Blur] {
                    let one = page(0.3, age);
                    if !is_counted(one, !dates.is_empty(), aim) {
                        assert_eq!(worth(one, 10.0, dates, aim), 0.0);
                        continue;
                    }
                    let (ours, theirs) = (worth(one, 10.0, dates, aim), measured(one, dates, aim));
                    assert!((ours - theirs).abs() < 1e-4, "{aim:?} {age} {dates:?} {ours} {theirs}");
                }
            }
        }
    }

    #[test]
    fn what_has_no_blur_is_not_counted_as_a_small_one() {
        let never = page(0.001, f64::INFINITY);
        assert!(!is_counted(never, false, Aim::Blur) && is_counted(never, true, Aim::Blur));
        assert!(!is_counted(page(f64::INFINITY, 1.0), true, Aim::Blur));
        assert_eq!(worth(page(f64::INFINITY, 1.0), 10.0, &[5.0], Aim::Blur), 0.0);
        assert_eq!(missed(&[never, page(1.0, 2.0)], &[vec![], vec![]]), 1);
        // Nothing is current that was never captured.
        assert_eq!(worth(never, 10.0, &[], Aim::Freshness), 0.0);
    }
}
