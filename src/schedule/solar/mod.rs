//! The strategies of the SOLAR paper: intervals as long as a page is likely to stay unchanged.
//!
//! Source: Mazeika, Denev, Spaniol, Weikum, *The SOLAR System for Sharp Web Archiving*.

pub(crate) mod offline;
pub(crate) mod online;
mod shrink;

use super::site::Site;

/// The survival that a confidence length promises, by default.
pub(crate) const TAU: f64 = 0.7;

/// Confidence lengths in slots, eq. 1: a page stays unchanged for `I = ln(1/τ)/(λΔ)` slots with probability τ. Rounded down;
/// the tiny addition keeps whole lengths whole. Longer than 2^62 slots is as good as endless.
fn lengths(site: &Site, tau: f64) -> Vec<u64> {
    const EVER: f64 = (1u64 << 62) as f64;
    let length = |&rate: &f64| ((1.0 / tau).ln() / (rate * site.delay()) + 1e-9).floor();
    site.rates()
        .iter()
        .map(length)
        .map(|length| if length < EVER { length as u64 } else { 1 << 62 })
        .collect()
}

/// Pages by confidence length, shortest first: the hottest first, for lengths that rounding makes equal, too.
fn shortest_first(site: &Site) -> Vec<u32> {
    site.hottest_first()
}
