//! What crawlers say became of URLs: their logs, and the lists of pages in packages.

use std::collections::{HashMap, HashSet};

use crate::crawl::outcome::Fate;
use crate::url::{Canon, SiteBy};

/// What became of URLs, by their keys. Of several lines about one URL the last counts, but a later line that says that the
/// URL was skipped does not overrule a response.
#[derive(Debug, Clone, Default)]
pub struct Fates {
    fates: HashMap<String, Fate>,
    listed: Vec<String>,
    /// Hosts that logs speak of, each as the root of the host.
    logged: HashSet<String>,
}

impl Fates {
    /// Adds what a log says about a URL.
    pub fn tell(&mut self, canon: Canon, url: &str, fate: Fate) {
        if let Some(root) = root(url).filter(|root| !self.logged.contains(*root)) {
            self.logged.insert(root.to_owned());
        }
        let skipped = matches!(fate, Fate::Excluded { .. } | Fate::Untried { .. } | Fate::Duplicate);
        let known = self.fates.entry(canon.key(url)).or_insert_with(|| fate.clone());
        if !(skipped && matches!(known, Fate::Answered { .. })) {
            *known = fate;
        }
    }

    /// A package lists a page as crawled.
    pub fn list(&mut self, canon: Canon, url: &str, status: Option<u16>) {
        let fate = match status {
            Some(status) if status >= 100 => Fate::Answered { status },
            _ => Fate::Failed { reason: "the package lists it, without an answer".to_owned() },
        };
        self.fates.entry(canon.key(url)).or_insert(fate);
        self.listed.push(url.to_owned());
    }

    /// The sites that logs speak of: what their crawls were meant to cover is known. The pages that a package lists say
    /// only what was captured.
    pub fn logged_sites(&self, site_by: &SiteBy) -> HashSet<String> {
        self.logged.iter().filter_map(|root| site_by.site_of(root)).collect()
    }

    /// The pages that packages list.
    pub fn listed(&self) -> &[String] {
        &self.listed
    }

    /// What became of the URL with this key.
    pub fn get(&self, key: &str) -> Option<&Fate> {
        self.fates.get(key)
    }
}

/// The address of a URL's host.
fn root(url: &str) -> Option<&str> {
    let start = url.find("://")? + 3;
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    Some(&url[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_speaks_of_its_own_sites_and_a_list_of_pages_of_none() {
        let mut fates = Fates::default();
        fates.tell(Canon::Default, "https://a.example/x?y#z", Fate::Duplicate);
        fates.list(Canon::Default, "https://b.example/", Some(200));
        let sites = fates.logged_sites(&SiteBy::Host);
        assert_eq!(sites.into_iter().collect::<Vec<_>>(), ["a.example"]);
    }

    #[test]
    fn the_last_line_counts_but_an_answer_stays_an_answer() {
        let canon = Canon::Default;
        let mut fates = Fates::default();
        let url = "http://a.example/x";
        let key = canon.key(url);
        fates.tell(canon, url, Fate::Failed { reason: "no answer".into() });
        fates.tell(canon, url, Fate::Answered { status: 200 });
        fates.tell(canon, url, Fate::Excluded { reason: "robots.txt".into() });
        assert_eq!(fates.get(&key), Some(&Fate::Answered { status: 200 }));
        fates.tell(canon, url, Fate::Answered { status: 404 });
        fates.list(canon, url, Some(200));
        assert_eq!(fates.get(&key), Some(&Fate::Answered { status: 404 }));
        assert_eq!(fates.listed(), [url]);
    }
}
