//! Continuous crawling: which pages to fetch when, over weeks, under a budget of downloads; and repair after a crawl.
//!
//! ```text
//! pages ─ allocation ─ how often (a steady state, with its proven bound, and the value of other budgets)
//!       ├ whole ────── whole downloads within the horizon (level) ──┐
//!       ├ calendar ─── periods of 1, 2, 4, … days ──────────────────┼─ plan ─ days, CSV, crawler files
//!       ├ random ───── Poisson times ───────────────────────────────┤
//!       └ sessions ─── subsites as pyramids, again and again (held) ┘
//! ```

pub(crate) mod allocation;
pub(crate) mod calendar;
pub(crate) mod held;
pub(crate) mod level;
pub(crate) mod model;
pub(crate) mod plan;
mod plan_words;
pub(crate) mod repair;
pub(crate) mod sessions;
pub(crate) mod whole;
