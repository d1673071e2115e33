//! The next crawl: its pages with rates and weights, and the recommended order.

pub(crate) mod planned;
pub(crate) mod shelf;
pub(crate) mod site_crawl;
pub(crate) mod shelved_crawl;
pub(crate) mod patterns;
pub(crate) mod plan;
pub(crate) mod again;
pub(crate) mod rates;
pub(crate) mod repair;
pub(crate) mod crawl;
pub(crate) mod learn;
