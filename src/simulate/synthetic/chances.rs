//! Sites of pages that change with a chance per slot.
//!
//! ```text
//! p_i = u_i^skew, u_i = (π(i) + ½)/n, π a permutation drawn once
//! ```
//!
//! Each page changes just before a download slot, with chance p_i, whatever happened before. The skew runs from 2 (almost
//! unstable: 99% of the pages have p > 10^-4) to 128 (nearly static: 7%). Pages are in random order: breadth first meets hot and
//! cold ones alike.
//!
//! Source: Spaniol, Denev, Mazeika, Weikum, Senellart, *Data Quality in Web Archiving*, WICOW 2009, §5: 10,000 to 50,000 pages,
//! `λ_i` in [0, 1], one uniform random number a page and slot. DIFFERENCE: the paper says that sites varied "from nearly static to
//! almost unstable", not how λ_i was spread; this spread is ours.

use rand::RngExt;

use super::{Point, Synthetic, check_pages, check_positive};
use crate::error::Result;
use crate::schedule::links::Links;
use crate::simulate::process::{Process, stream};

/// The seed of the permutation: the site is the same in every run.
const PERMUTATION: u64 = 2009;

/// A site of `pages` pages with this skew.
pub(crate) fn site(pages: usize, skew: f64, slow_down: f64) -> Result<Synthetic> {
    check_pages(pages)?;
    check_positive("the skew", skew)?;
    check_positive("the slow-down", slow_down)?;
    let mut ranks: Vec<u32> = (0..pages as u32).collect();
    let mut random = stream(PERMUTATION, 0);
    for last in (1..pages).rev() {
        ranks.swap(last, random.random_range(0..=last));
    }
    // A slow-down leaves more of the site's time, so more chances to change, between two downloads; one per slot.
    let chance = |rank: u32| ((f64::from(rank) + 0.5) / pages as f64).powf(skew);
    let processes =
        ranks.into_iter().map(|rank| Process::Slots { chance: chance(rank), slot: 1.0 }).collect();
    let point = Point { pages, skew: Some(skew), slow_down: Some(slow_down), ..Point::default() };
    Synthetic::new(format!("chances {pages} ^{skew}"), point, processes, slow_down, Links::flat(pages))
}
