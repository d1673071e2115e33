//! The front pages of sites: `/`, or its index name where a site is stored so, or where `/` redirects to.

use std::collections::BTreeMap;
use std::io;

use crate::capture::page::{is_html, path};
use crate::ingest::Reading;
use crate::url::resolve::Base;
use crate::url::{Canon, SiteBy};

/// Finds the front pages among captures.
#[derive(Debug, Default)]
pub(super) struct FrontPages {
    /// Of each site, by the loosest key of its front page.
    by_site: BTreeMap<String, Front>,
}

/// How one site is entered.
#[derive(Debug, Default)]
struct Front {
    /// The spelling that answered with a page: the barest one.
    page: Option<String>,
    /// `/`, where it redirects to another page of its site.
    way: Option<String>,
    /// `/`, where it redirects to another site.
    way_out: Option<String>,
}

impl FrontPages {
    /// Where to start: the front pages; where none is there itself, also the page that is nearest to one: the topmost, the shortest.
    pub(super) fn seeds_of(reading: &Reading) -> io::Result<Vec<String>> {
        let mut fronts = FrontPages::default();
        let mut nearest: Option<(usize, usize, String)> = None;
        reading.observations.for_each(&mut |observation, _| {
            let url = &observation.url;
            if !url.starts_with("http") {
                return Ok(());
            }
            if let (Some(300..=399), Some(location)) = (observation.status, &observation.location) {
                fronts.add_redirect(url, location);
            }
            let is_page = observation.mime.as_deref().is_some_and(is_html)
                && observation.status.is_none_or(|status| status == 200);
            if is_page {
                fronts.add_page(url);
                let place = (Canon::Loose.key(url).len(), url.len(), url.clone());
                if nearest.as_ref().is_none_or(|known| place < *known) {
                    nearest = Some(place);
                }
            }
            Ok(())
        })?;
        let nearest = nearest.filter(|_| !fronts.has_page());
        let mut seeds = fronts.seeds();
        seeds.extend(nearest.map(|(.., url)| url));
        Ok(seeds)
    }

    /// Adds a URL that answered with a page.
    fn add_page(&mut self, url: &str) {
        if let Some(front) = self.front(url) {
            keep(&mut front.page, url);
        }
    }

    /// Adds a URL that redirects. One to another spelling of itself is not counted.
    fn add_redirect(&mut self, url: &str, location: &str) {
        let target = Base::parse(url.as_bytes()).and_then(|base| base.resolve(location.as_bytes()));
        let Some(target) = target.filter(|target| Canon::Default.key(target) != Canon::Default.key(url))
        else {
            return;
        };
        let is_inside = SiteBy::Host.site_of(&target) == SiteBy::Host.site_of(url);
        if let Some(front) = self.front(url).filter(|_| is_bare(url)) {
            keep(if is_inside { &mut front.way } else { &mut front.way_out }, url);
        }
    }

    fn front(&mut self, url: &str) -> Option<&mut Front> {
        let key = Some(url).filter(|url| !url.contains('?')).map(|url| Canon::Loose.key(url));
        key.filter(|key| key.ends_with(")/")).map(|key| self.by_site.entry(key).or_default())
    }

    /// Whether a front page is there itself.
    fn has_page(&self) -> bool {
        self.by_site.values().any(|front| front.page.is_some())
    }

    /// Where to start. A redirect comes along where the page itself is stored under an index name or at another address of the site. One
    /// to another site is a start only where no front page is there at all.
    fn seeds(self) -> Vec<String> {
        let has_page = self.has_page();
        let mut seeds = Vec::new();
        for Front { page, way, way_out } in self.by_site.into_values() {
            match page {
                Some(page) => {
                    seeds.extend(way.filter(|_| !is_bare(&page)));
                    seeds.push(page);
                }
                None => seeds.extend(way.or(way_out.filter(|_| !has_page))),
            }
        }
        seeds
    }
}

/// Whether the path is `/`.
fn is_bare(url: &str) -> bool {
    path(url) == "/"
}

/// Keeps the barest spelling.
fn keep(known: &mut Option<String>, url: &str) {
    fn rank(url: &str) -> (bool, usize, &str) {
        (!is_bare(url), url.len(), url)
    }
    if known.as_ref().is_none_or(|known| rank(url) < rank(known)) {
        *known = Some(url.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "http://a.example/";
    const INDEX: &str = "http://a.example/index.html";

    fn seeds(pages: &[&str], redirects: &[(&str, &str)]) -> Vec<String> {
        let mut fronts = FrontPages::default();
        pages.iter().for_each(|url| fronts.add_page(url));
        redirects.iter().for_each(|(url, location)| fronts.add_redirect(url, location));
        fronts.seeds()
    }

    #[test]
    fn the_front_page_of_a_site_is_its_root_or_the_index_name_of_it() {
        assert_eq!(seeds(&[INDEX, "http://www.a.example/"], &[]), ["http://www.a.example/"]);
        assert_eq!(seeds(&["http://a.example/Default.asp", INDEX], &[]), [INDEX]);
        assert_eq!(
            seeds(&["http://b.example:81/index.php", INDEX], &[]),
            [INDEX, "http://b.example:81/index.php"]
        );
    }

    #[test]
    fn the_root_is_a_start_where_it_redirects_to_another_page() {
        assert_eq!(seeds(&[INDEX], &[(ROOT, "/index.html")]), [ROOT, INDEX]);
        assert_eq!(seeds(&[], &[(ROOT, "/home/")]), [ROOT]);
        assert_eq!(seeds(&[INDEX], &[(ROOT, "https://www.a.example/")]), [INDEX]);
        assert_eq!(seeds(&[], &[(ROOT, "http://b.example/")]), [ROOT]);
        let front = "http://b.example/";
        assert_eq!(seeds(&[front], &[(ROOT, front)]), [front]);
    }

    #[test]
    fn other_pages_are_no_front_pages() {
        let others = [
            "http://a.example/d/index.html",
            "http://a.example/?page=1",
            "http://a.example/index.html?page=1",
            "http://a.example/myindex.html",
        ];
        assert_eq!(seeds(&others, &[(others[0], "/")]), Vec::<String>::new());
    }
}
