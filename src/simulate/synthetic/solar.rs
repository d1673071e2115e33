//! The synthetic sites of SOLAR.
//!
//! ```text
//! skewed   λ_0 = 1, λ_{i+1} = λ_i/1.06 if i mod 9 < 3, else λ_i/1.001
//! smooth   λ_i = ln(1/0.7)/i, i = 1 … n: confidence lengths 1, 2, …, n at τ = 0.7
//! ```
//!
//! Both use one tree: `p_0` links to `p_1 … p_20`, and `p_i`, 0 < i < 99, to `p_{10i+11} … p_{10i+20}`; p_0 is hottest.
//!
//! Source: Mazeika, Denev, Spaniol, Weikum, *The SOLAR System for Sharp Web Archiving*, §6; n = 1,000. Beyond 1,000 pages the
//! tree does not reach: such pages are known from the start.

use super::{Point, Synthetic, check_pages, check_positive};
use crate::error::Result;
use crate::schedule::links::Links;
use crate::simulate::process::Process;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Solar {
    /// Few hot pages.
    Skewed,
    /// Change rates decrease slowly from page to page.
    Smooth,
}

impl Solar {
    pub(crate) fn site(self, pages: usize, slow_down: f64) -> Result<Synthetic> {
        check_pages(pages)?;
        check_positive("the slow-down", slow_down)?;
        let rates: Vec<f64> = match self {
            Solar::Skewed => {
                let mut rates = vec![1.0];
                for i in 0..pages - 1 {
                    rates.push(rates[i] / if i % 9 < 3 { 1.06 } else { 1.001 });
                }
                rates
            }
            Solar::Smooth => (1..=pages).map(|i| (1.0f64 / 0.7).ln() / i as f64).collect(),
        };
        let kind = match self {
            Solar::Skewed => "skewed",
            Solar::Smooth => "smooth",
        };
        let slower = if slow_down == 1.0 { String::new() } else { format!(" ×{slow_down}") };
        let point = Point { pages, slow_down: Some(slow_down), ..Point::default() };
        let processes = rates.into_iter().map(|rate| Process::Poisson { rate }).collect();
        Synthetic::new(
            format!("solar {kind} {pages}{slower}"),
            point,
            processes,
            slow_down,
            Links::solar_tree(pages),
        )
    }
}
