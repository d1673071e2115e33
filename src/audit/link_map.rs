//! The link graph of an archive by canonical key: URLs that the rules treat as one page are one node.
//!
//! Sitemaps, and the page lists of packages, are nodes that point to what they name, so that a page
//! known only from them is missed too.

use std::collections::HashMap;

use crate::capture::graph::{GraphBuilder, LinkGraph, Spelling};
use crate::capture::names::NameList;
use crate::html::links::LinkKind;
use crate::html::sitemap::Entry;
use crate::url::{Canon, SiteBy};

/// The URLs of nodes as one site writes them, by the numbers of site and node. So what is said of a site does not depend on how other
/// sites write its URLs, nor on whether they are audited with it.
#[derive(Debug, Default)]
struct BySite {
    sites: HashMap<String, u32>,
    /// In the markup of its pages: which name in `strict`.
    linked: HashMap<(u32, u32), u32>,
    /// In its sitemaps and lists alone.
    listed: HashMap<(u32, u32), String>,
}

impl BySite {
    fn number(&mut self, site: &str) -> u32 {
        match self.sites.get(site) {
            Some(number) => *number,
            None => {
                let number = self.sites.len() as u32;
                self.sites.insert(site.to_owned(), number);
                number
            }
        }
    }

    /// Of the names that a site uses, the first by its letters.
    fn link(&mut self, site: u32, spelling: Spelling, names: &NameList) {
        let known = self.linked.entry((site, spelling.node)).or_insert(spelling.name);
        if names.get(spelling.name) < names.get(*known) {
            *known = spelling.name;
        }
    }

    fn place(self, place: &impl Fn(u32) -> u32) -> Self {
        fn moved<T>(map: HashMap<(u32, u32), T>, place: &impl Fn(u32) -> u32) -> HashMap<(u32, u32), T> {
            map.into_iter().map(|((site, node), name)| ((site, place(node)), name)).collect()
        }
        BySite { sites: self.sites, linked: moved(self.linked, place), listed: moved(self.listed, place) }
    }
}

/// Links by canonical key, with the URLs as written.
#[derive(Debug)]
pub struct LinkMap {
    /// The URLs as written.
    strict: NameList,
    graph: LinkGraph,
    /// For each node, which of its spellings in `strict` is the first by its letters.
    spelled: Vec<u32>,
    /// The URLs, or names, of nodes that are not in `strict`.
    own: HashMap<u32, String>,
    /// What a site calls nodes that others call otherwise.
    by_site: BySite,
    /// The nodes of lists, by site.
    lists: HashMap<String, Vec<u32>>,
}

impl LinkMap {
    /// Merges the nodes of a graph of URLs by key, and adds what sitemaps and page lists name.
    pub fn new(
        strict: LinkGraph,
        canon: Canon,
        site_by: &SiteBy,
        sitemaps: &[Entry],
        listed: &[String],
    ) -> Self {
        let mut builder = GraphBuilder::default();
        let entries = sitemaps.iter().map(|entry| (entry.url.as_str(), "the sitemap"));
        let lists = || entries.clone().chain(listed.iter().map(|url| (url.as_str(), "the list of pages")));
        let urls = lists().map(|(url, _)| url).filter(|url| site_by.site_of(url).is_some());
        let named: Vec<u32> = urls.filter_map(|url| builder.node(&canon.key(url))).collect();
        let mut by_site = BySite::default();
        let mut last: (u32, Option<u32>) = (u32::MAX, None);
        let name = |url: &str, key: &mut String| canon.key_into(url, key);
        let (strict, spelled) = strict.contract(&mut builder, name, &named, &mut |names, spelling| {
            if last.0 != spelling.by {
                let site = site_by.site_of(names.get(spelling.by));
                last = (spelling.by, site.map(|site| by_site.number(&site)));
            }
            if let Some(site) = last.1 {
                by_site.link(site, spelling, names);
            }
        });
        let mut map = LinkMap {
            strict,
            graph: LinkGraph::default(),
            spelled,
            own: HashMap::new(),
            by_site,
            lists: HashMap::new(),
        };
        for (url, list) in lists() {
            let Some(site) = site_by.site_of(url) else { continue };
            let name = format!("{list} of {site}");
            let (Some(from), Some(to)) = (builder.node(&name), builder.node(&canon.key(url))) else {
                continue;
            };
            let place = (map.by_site.number(&site), to);
            if map.own.insert(from, name).is_none() {
                map.lists.entry(site).or_default().push(from);
            }
            match map.spelled.get(to as usize).filter(|node| **node != u32::MAX) {
                None => {
                    map.own.entry(to).or_insert_with(|| url.to_owned());
                }
                Some(strict)
                    if map.strict.get(*strict) != url && !map.by_site.linked.contains_key(&place) =>
                {
                    map.by_site.listed.entry(place).or_insert_with(|| url.to_owned());
                }
                Some(_) => {}
            }
            builder.edge(from, to, LinkKind::Sitemap);
        }
        let spelled = &map.spelled;
        map.by_site.linked.retain(|(_, node), name| spelled.get(*node as usize) != Some(&*name));
        // Numbers must not depend on the order of the inputs, nor on what other sites there are.
        let places = builder.sort_nodes();
        let place = |node: u32| places.get(node as usize).copied().unwrap_or(u32::MAX);
        let spelled = std::mem::take(&mut map.spelled);
        map.spelled = vec![u32::MAX; places.len()];
        for (node, url) in (0u32..).zip(spelled) {
            if let Some(spelling) = map.spelled.get_mut(place(node) as usize) {
                *spelling = url;
            }
        }
        map.own = map.own.into_iter().map(|(node, url)| (place(node), url)).collect();
        map.by_site = map.by_site.place(&place);
        for nodes in map.lists.values_mut() {
            nodes.iter_mut().for_each(|node| *node = place(*node));
            nodes.sort_unstable();
        }
        // URLs beyond a limit were reported when the graph of URLs was made.
        map.graph = builder.finish().0;
        map
    }

    /// The graph, with keys as names.
    pub fn graph(&self) -> &LinkGraph {
        &self.graph
    }

    /// The node of a canonical key.
    pub fn node(&self, key: &str) -> Option<u32> {
        self.graph.urls().find(key)
    }

    /// The nodes of the sitemap and the page list of a site.
    pub fn lists(&self, site: &str) -> &[u32] {
        self.lists.get(site).map_or(&[], Vec::as_slice)
    }

    /// All nodes of sitemaps and page lists, in node order.
    pub fn all_lists(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = self.lists.values().flatten().copied().collect();
        nodes.sort_unstable();
        nodes
    }

    /// The URL of a node as this site writes it, or where it does not, as it is written somewhere.
    pub fn url_on(&self, site: &str, node: u32) -> &str {
        let BySite { sites, linked, listed } = &self.by_site;
        let place =
            sites.get(site).map(|site| (*site, node)).filter(|_| !linked.is_empty() || !listed.is_empty());
        let own = place.and_then(|place| match linked.get(&place) {
            Some(name) => Some(self.strict.get(*name)),
            None => listed.get(&place).map(String::as_str),
        });
        own.unwrap_or_else(|| self.url(node))
    }

    /// The URL of a node, as it is written somewhere, or the name of a list.
    pub fn url(&self, node: u32) -> &str {
        match (self.own.get(&node), self.spelled.get(node as usize)) {
            (Some(own), _) => own,
            (None, Some(strict)) if *strict != u32::MAX => self.strict.get(*strict),
            _ => self.graph.urls().get(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_page_become_one_node_and_lists_point_to_what_they_name() {
        let mut builder = GraphBuilder::default();
        builder.link("http://a.example/", "http://www.a.example/B", LinkKind::Anchor);
        builder.link("https://a.example/", "http://a.example/b", LinkKind::Anchor);
        let strict = builder.finish().0;
        let entry = |url: &str| {
            crate::html::sitemap::parse(&format!("<urlset><url><loc>{url}</loc></url></urlset>")).entries
        };
        let sitemap = [entry("http://a.example/b"), entry("http://a.example/c")].concat();
        let map = LinkMap::new(strict, Canon::Default, &SiteBy::Host, &sitemap, &[]);
        let home = map.node(&Canon::Default.key("http://a.example/")).unwrap();
        assert_eq!(map.url(home), "http://a.example/");
        assert_eq!(map.graph().out(home).count(), 1);
        let list = map.lists("a.example")[0];
        assert_eq!(map.url(list), "the sitemap of a.example");
        let named: Vec<&str> = map.graph().out(list).map(|(to, _)| map.url(to)).collect();
        assert_eq!(named, ["http://a.example/b", "http://a.example/c"]);
    }

    #[test]
    fn a_site_has_its_own_spelling_of_a_url_whatever_other_sites_are_there() {
        let own = [
            ("http://www.a.example/", "http://www.a.example/x"),
            ("http://www.a.example/", "http://cdn.example/i"),
        ];
        let other = [
            ("http://b.example/", "http://a.example/x"),
            ("http://b.example/", "http://a.example/"),
            ("http://b.example/", "http://a.example/z"),
        ];
        let sitemap =
            crate::html::sitemap::parse("<urlset><url><loc>http://www.a.example/z</loc></url></urlset>")
                .entries;
        let urls = |links: &[(&str, &str)]| {
            let mut builder = GraphBuilder::default();
            links.iter().for_each(|(from, to)| builder.link(from, to, LinkKind::Anchor));
            let map = LinkMap::new(builder.finish().0, Canon::Default, &SiteBy::Host, &sitemap, &[]);
            let node = |url: &str| map.node(&Canon::Default.key(url)).unwrap();
            ["http://a.example/x", "http://cdn.example/i", "http://a.example/", "http://a.example/z"]
                .map(|url| map.url_on("a.example", node(url)).to_owned())
        };
        let expected = [
            "http://www.a.example/x",
            "http://cdn.example/i",
            "http://www.a.example/",
            "http://www.a.example/z",
        ];
        assert_eq!(urls(&own), expected);
        assert_eq!(urls(&[&other[..], &own].concat()), expected);
    }
}
