//! Strategies that only say in which order pages are visited.
//!
//! Most crawlers of the literature visit every page once. To compare them with visit–revisit strategies the crawl is
//! repeated (FIFO) or run back (LIFO), as Denev et al. do (SHARC, §9.1).

use super::links::Links;
use super::plan::{Plan, Revisits, Strategy};
use super::site::Site;

/// An order of visits, each page once.
pub(crate) trait Order: Send + Sync {
    /// The pages in the order in which they are visited, found by `links` on the way.
    fn order(&self, site: &Site, links: &Links) -> Vec<u32>;
}

/// An order of visits together with the way back.
pub(crate) struct Ordered {
    order: Box<dyn Order>,
    revisits: Revisits,
}

impl Ordered {
    /// Visits in the given order, revisits FIFO or LIFO.
    pub(crate) fn new(order: impl Order + 'static, revisits: Revisits) -> Self {
        Ordered { order: Box::new(order), revisits }
    }
}

impl Strategy for Ordered {
    fn plan(&self, site: &Site) -> Plan {
        self.crawl(site, &Links::flat(site.len()))
    }

    fn crawl(&self, site: &Site, links: &Links) -> Plan {
        Plan::ordered(&self.order.order(site, links), self.revisits, site)
    }
}
