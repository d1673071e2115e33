//! The next crawl: its pages with rates and weights, and the recommended order.

pub mod patterns;
pub mod plan;
pub mod rates;
pub mod crawl;
