//! The next crawl of sites whose pages are on a [`Shelf`]: each page is read when it is asked for, and none is kept.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::audit::model::SiteAudit;
use crate::audit::next::crawl::remark;
use crate::audit::next::planned::Planned;
use crate::audit::next::shelf::{Shelf, Shelved, SitePages};
use crate::audit::next::site_crawl::SiteCrawl;
use crate::error::Result;
use crate::schedule::page::Page;
use crate::schedule::parts::PageSource;
use crate::schedule::subsite::Division;

/// The pages of the next crawl, by site and key; behind those of a site what is linked but was never captured.
pub(crate) struct ShelvedCrawl<'a> {
    sites: Vec<Site<'a>>,
    /// Δ of the lanes where it can be seen, in seconds.
    pub delays: HashMap<Arc<str>, f64>,
    /// Remark on the patterns of change; `None` without pages.
    pub patterns: Option<String>,
    /// How pages are divided into subsites, where they are.
    division: Option<RefCell<Division>>,
}

struct Site<'a> {
    crawl: SiteCrawl<'a>,
    pages: Shelved<'a>,
    uncaptured: Vec<(Page, Option<&'a str>)>,
}

impl Site<'_> {
    /// Visits every page, with the sitemap that lists it.
    fn each(&self, visit: &mut dyn FnMut(Page, Option<&str>) -> Result<()>) -> Result<()> {
        let mut end = Ok(());
        self.pages.each(&mut |page, is_latest| {
            if end.is_ok() {
                end = visit(self.crawl.page(page, is_latest), page.sitemap());
            }
        })?;
        end?;
        self.uncaptured.iter().try_for_each(|(page, sitemap)| visit(page.clone(), *sitemap))
    }
}

impl<'a> ShelvedCrawl<'a> {
    /// The next crawl of the sites of an audit.
    pub(crate) fn of(
        audited: &'a [SiteAudit],
        shelf: &'a Shelf,
        uncaptured: bool,
        subsites: bool,
    ) -> Result<Self> {
        let mut entries: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, site) in audited.iter().enumerate() {
            entries.entry(&site.site).or_default().push(number);
        }
        let mut sites = Vec::with_capacity(entries.len());
        for mut entries in entries.into_values() {
            entries.sort_by_key(|entry| audited[*entry].window.to);
            entries.reverse();
            let pages = shelf.site(&entries)?;
            let crawl = SiteCrawl::new(&audited[entries[0]], &pages)?;
            let uncaptured = if uncaptured { crawl.uncaptured(&pages)? } else { Vec::new() };
            sites.push(Site { crawl, pages, uncaptured });
        }
        let mut made = ShelvedCrawl { patterns: None, delays: HashMap::new(), division: None, sites };
        let has_pages = made.look_over(subsites)?;
        made.patterns = remark(made.sites.iter().map(|site| site.crawl.latest), has_pages);
        Ok(made)
    }

    /// Notes what all pages together say: the pauses of lanes and, if that is asked for, the subsites. Whether there is any page.
    fn look_over(&mut self, subsites: bool) -> Result<bool> {
        let (mut division, mut is_any) = (Division::default(), false);
        for site in &self.sites {
            let delay = site.crawl.latest.delay_seconds;
            let delays = &mut self.delays;
            site.each(&mut |page, sitemap| {
                is_any = true;
                if let Some(delay) = delay
                    && !delays.contains_key(&page.lane)
                {
                    delays.insert(page.lane.clone(), delay);
                }
                if subsites {
                    division.see(&page.lane, sitemap);
                }
                Ok(())
            })?;
        }
        self.division = subsites.then(|| RefCell::new(division));
        Ok(is_any)
    }
}

impl PageSource for ShelvedCrawl<'_> {
    fn each(&self, visit: &mut dyn FnMut(&Page) -> Result<()>) -> Result<()> {
        for site in &self.sites {
            site.each(&mut |mut page, sitemap| {
                if let Some(division) = &self.division {
                    page.group = Some(division.borrow_mut().group(&page.url, &page.lane, sitemap));
                }
                visit(&page)
            })?;
        }
        Ok(())
    }
}
