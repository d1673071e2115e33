//! Continuous crawling: which pages to fetch when, over weeks, under a budget of downloads; and repair after a crawl.
//!
//! ```text
//! pages ─ allocation ─ how often (a steady state, with its proven bound, and the value of other budgets)
//!       ├ whole ────── whole downloads within the horizon (level) ─┐
//!       ├ daily ────── day by day (pauses: one by one) ────────────┼─ candidates: the best of them ┐
//!       ├ calendar ─── periods of 1, 2, 4, … days (rhythm) ────────┘                               │
//!       ├ random ───── Poisson times ──────────────────────────────────────────────────────────────┼─ timetable ─ dates ─ plan
//!       └ sessions ─── subsites as pyramids, again and again (rounds, paid, held) ─────────────────┘
//! ```
//!
//! Downloads of small plans change hands where that gains (`exchange`). `dates` values the dates of every plan, whatever made them.

pub(crate) mod allocation;
pub(crate) mod calendar;
mod candidates;
mod day_by_day;
mod dates;
mod exchange;
mod greedy;
pub(crate) mod session_plan;
pub(crate) mod day_limits;
pub(crate) mod model;
pub(crate) mod plan;
mod session_search;
mod pauses;
mod plan_words;
mod price;
mod random;
pub(crate) mod repair;
mod rhythm;
mod session_counts;
mod session_bounds;
mod session_prices;
pub(crate) mod sessions;
pub(crate) mod timetable;
pub(crate) mod exact;
