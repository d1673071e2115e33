//! One site of the next crawl: what its pages are to a plan, their rates, weights, lanes and patterns, and the pages that are linked but
//! were never captured.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use crate::audit::model::{Missing, SiteAudit};
use crate::audit::next::patterns::Weeks;
use crate::audit::next::planned::Planned;
use crate::audit::next::rates::LearnedRates;
use crate::audit::next::shelf::SitePages;
use crate::change::rate::Source;
use crate::schedule::page::{Basis, Page};
use crate::time::SECONDS_A_DAY;
use crate::url::SiteBy;

/// How the pages of a site become those of its next crawl.
pub(crate) struct SiteCrawl<'s> {
    /// The latest entry of the site, which says how it was crawled.
    pub latest: &'s SiteAudit,
    weeks: Weeks,
    learned: LearnedRates,
    lanes: RefCell<HashMap<String, Arc<str>>>,
}

impl<'s> SiteCrawl<'s> {
    pub(crate) fn new(latest: &'s SiteAudit, pages: &impl SitePages) -> io::Result<Self> {
        let learned = LearnedRates::of(pages)?;
        Ok(SiteCrawl { latest, weeks: Weeks::of(latest), learned, lanes: RefCell::default() })
    }

    pub(crate) fn lane(&self, url: &str) -> Arc<str> {
        let name = SiteBy::Host.site_of(url).unwrap_or_else(|| self.latest.site.clone());
        let mut lanes = self.lanes.borrow_mut();
        match lanes.get(&name) {
            Some(lane) => lane.clone(),
            None => lanes.entry(name.clone()).or_insert_with(|| name.into()).clone(),
        }
    }

    fn new_page(&self, url: &str, per_day: f64, weight: f64, basis: Basis) -> Page {
        Page {
            lane: self.lane(url),
            weight,
            basis,
            pattern: self.weeks.flat(per_day / SECONDS_A_DAY),
            ..Page::new(url, per_day / SECONDS_A_DAY)
        }
    }

    /// A page that was captured, in the latest entry or an earlier one.
    pub(crate) fn page(&self, page: &impl Planned, is_latest: bool) -> Page {
        let (known, source) = page.rate();
        let basis = match source {
            Source::Folder | Source::Site | Source::Assumed => Basis::Others,
            Source::History | Source::Looks | Source::LastModified | Source::Sitemap => Basis::Own,
        };
        let predicted = if basis == Basis::Others { self.learned.per_day(page.url()) } else { None };
        let per_day = predicted.unwrap_or(known);
        Page {
            looks: is_latest.then(|| page.looks()),
            changed: page.changed(),
            found: page.found(),
            pattern: self.weeks.pattern(page, per_day / SECONDS_A_DAY),
            ..self.new_page(page.url(), per_day, page.weight(), basis)
        }
    }

    /// Pages that are linked but were never captured, with the sitemaps that list them.
    pub(crate) fn uncaptured(&self, pages: &impl SitePages) -> io::Result<Vec<(Page, Option<&'s str>)>> {
        let lacking = || self.latest.missing.iter().flatten().filter(|missing| worth_a_try(missing));
        let mut wanted: HashSet<&str> = lacking().map(|missing| missing.url.as_str()).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        pages.each(&mut |page, _| {
            page.urls().for_each(|url| {
                wanted.remove(url);
            });
        })?;
        let new = |missing: &'s Missing| {
            let url = missing.url.as_str();
            let per_day = self.learned.per_day(url).unwrap_or(self.latest.rates.prior.mean_per_day);
            // Weights of a site have the mean 1.
            let page = Page { found: missing.found, ..self.new_page(url, per_day, 1.0, Basis::Uncaptured) };
            (page, missing.sitemap.as_deref())
        };
        Ok(lacking().filter(|missing| wanted.remove(missing.url.as_str())).map(new).collect())
    }
}

/// A link that was not tried, or that failed on the server's side.
fn worth_a_try(missing: &Missing) -> bool {
    missing.kind == "link" && missing.status.is_none_or(|status| status >= 500)
}
