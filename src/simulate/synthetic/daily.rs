//! Sites whose pages change by the hour of the day, and more or less importantly.
//!
//! A pattern is the one that the paper prints for work days, 0.2, 0.4, 0.6, 0.1 for the four quarters of a day, turned by a number
//! of hours of its own for every page. Each page draws two turns, one for how often it changes and one for how much its changes
//! matter:
//!
//! ```text
//! rate_i(k)       = r_i · ω(k + a_i)/mean ω        r_i = 10^U(−2, 0) changes an hour
//! importance_i(k) = min(1, e_i · ω(k + b_i))       e_i = U(½, 1½)
//! page weight     = n/(H·(1 + rank)), ranks drawn at random
//! ```
//!
//! Source: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, Figure 1 and §7:
//! 1,000 pages, 24 periods, "real patterns discovered from France Télévisions channels pages". DIFFERENCE: those patterns were never
//! published; all numbers above but ω are ours.

use rand::RngExt;

use super::{Point, Synthetic, check_pages};
use crate::error::Result;
use crate::schedule::links::Links;
use crate::schedule::pattern::Pattern;
use crate::simulate::process::{Period, Process, stream};

/// Periods of the cycle: hours.
pub(crate) const PERIODS: usize = 24;

/// Figure 1, work days: the importance of changes in the four quarters of a day.
const QUARTERS: [f64; 4] = [0.2, 0.4, 0.6, 0.1];

/// The seed of the patterns: the site is the same in every run.
const PATTERNS: u64 = 2011;

/// The site; `resources` is the number of downloads an hour as a share of its pages.
pub(crate) fn site(pages: usize, resources: f64) -> Result<Synthetic> {
    check_pages(pages)?;
    if !(resources > 0.0 && resources <= 1.0) {
        let message = format!("resources are a share of the pages, above 0% and up to 100%, not {resources}");
        return Err(crate::Error::usage(message));
    }
    let omega = |hour: usize| QUARTERS[hour % PERIODS / 6];
    let mean = QUARTERS.iter().sum::<f64>() / QUARTERS.len() as f64;
    let mut random = stream(PATTERNS, 0);
    let (mut processes, mut patterns) = (Vec::with_capacity(pages), Vec::with_capacity(pages));
    for _ in 0..pages {
        let rate = 10f64.powf(random.random_range(-2.0..0.0));
        let much = random.random_range(0.5..1.5);
        let turns: [usize; 2] = [random.random_range(0..PERIODS), random.random_range(0..PERIODS)];
        let period = |hour: usize| Period {
            rate: rate * omega(hour + turns[0]) / mean,
            importance: f64::min(1.0, much * omega(hour + turns[1])),
        };
        let periods: Vec<Period> = (0..PERIODS).map(period).collect();
        let changes = periods.iter().map(|period| period.rate).collect();
        // What a period is expected to bring: how often, times how much each matters.
        let importance = periods.iter().map(|period| period.rate * period.importance).collect();
        patterns.push(Pattern::new(changes, importance)?);
        processes.push(Process::Periodic { periods: periods.into(), length: 1.0 });
    }
    let mut ranks: Vec<usize> = (0..pages).collect();
    for last in (1..pages).rev() {
        ranks.swap(last, random.random_range(0..=last));
    }
    let harmonic: f64 = (1..=pages).map(|rank| 1.0 / rank as f64).sum();
    let weights = ranks.into_iter().map(|rank| pages as f64 / (harmonic * (1.0 + rank as f64))).collect();
    let per_period = (pages as f64 * resources).round().max(1.0);
    let point = Point { pages, resources: Some(resources), ..Point::default() };
    let name = format!("daily {pages} {}%", (resources * 1e4).round() / 100.0);
    let mut made = Synthetic::new(name, point, processes, 1.0 / per_period, Links::flat(pages))?;
    made.site = made.site.with_weights(weights)?.with_patterns(patterns)?;
    Ok(made)
}
