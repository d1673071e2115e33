//! A crawl: when every page is captured.

use super::score::View;
use crate::schedule::Plan;

#[derive(Debug, Clone)]
pub enum Crawl {
    /// By a plan: a visit, and a revisit if the plan has one.
    Planned {
        plan: Plan,
        /// Δ.
        delay: f64,
    },
    /// Each page has its own list of capture times.
    Listed {
        /// Where the captures of each page begin in `times`, and where the last one's end.
        starts: Vec<usize>,
        /// The captures of all pages, page after page, ascending.
        times: Vec<f64>,
        /// The end of the window; it begins at 0.
        to: f64,
    },
}

impl Crawl {
    /// From the captures of every page, ascending.
    pub fn listed(pages: &[Vec<f64>], to: f64) -> Self {
        let mut starts = vec![0];
        let mut times = Vec::with_capacity(pages.iter().map(Vec::len).sum());
        for captures in pages {
            times.extend_from_slice(captures);
            starts.push(times.len());
        }
        Crawl::Listed { starts, times, to }
    }

    /// The captures of a page and the window; of a plan, those of its visits alone if `single`.
    pub fn view<'a>(&'a self, page: usize, single: bool, buffer: &'a mut [f64; 2]) -> View<'a> {
        let to = self.window(single);
        match self {
            Crawl::Planned { plan, delay } => {
                buffer[0] = plan.visit_time(page) as f64 * delay;
                let captures = match plan.revisit_time(page) {
                    Some(revisit) if !single => {
                        buffer[1] = revisit as f64 * delay;
                        // The page in the middle is fetched once.
                        if buffer[1] > buffer[0] { &buffer[..] } else { &buffer[..1] }
                    }
                    _ => &buffer[..1],
                };
                View { captures, from: 0.0, to }
            }
            Crawl::Listed { starts, times, .. } => {
                View { captures: &times[starts[page]..starts[page + 1]], from: 0.0, to }
            }
        }
    }

    /// The end of the window of observation, which is the crawl's own.
    pub fn window(&self, single: bool) -> f64 {
        match self {
            Crawl::Planned { plan, delay } if single => plan.len().saturating_sub(1) as f64 * delay,
            Crawl::Planned { plan, delay } => plan.length() as f64 * delay,
            Crawl::Listed { to, .. } => *to,
        }
    }

    pub fn downloads(&self, single: bool) -> u64 {
        match self {
            Crawl::Planned { plan, .. } if single || plan.is_single() => plan.len() as u64,
            Crawl::Planned { plan, .. } if plan.is_empty() => 0,
            // The two innermost downloads are one where one page holds both slots.
            Crawl::Planned { plan, .. } => 2 * plan.len() as u64 - u64::from(plan.gap() == 0),
            Crawl::Listed { times, .. } => times.len() as u64,
        }
    }
}
