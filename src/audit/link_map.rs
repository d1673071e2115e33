//! The link graph of an archive by canonical key: URLs that the rules treat as one page are one node.
//!
//! Sitemaps, and the page lists of packages, are nodes that point to what they name, so that a page
//! known only from them is missed too.

use std::collections::HashMap;

use crate::capture::graph::{GraphBuilder, LinkGraph};
use crate::capture::names::NameList;
use crate::html::links::LinkKind;
use crate::html::sitemap::Entry;
use crate::url::{Canon, SiteBy};

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
        let (strict, spelled) = strict.contract(&mut builder, |url, key| canon.key_into(url, key));
        let mut map = LinkMap {
            strict,
            graph: LinkGraph::default(),
            spelled,
            own: HashMap::new(),
            lists: HashMap::new(),
        };
        let entries = sitemaps.iter().map(|entry| (entry.url.as_str(), "the sitemap"));
        for (url, list) in entries.chain(listed.iter().map(|url| (url.as_str(), "the list of pages"))) {
            let Some(site) = site_by.site_of(url) else { continue };
            let name = format!("{list} of {site}");
            let (Some(from), Some(to)) = (builder.node(&name), builder.node(&canon.key(url))) else {
                continue;
            };
            if map.own.insert(from, name).is_none() {
                map.lists.entry(site).or_default().push(from);
            }
            if map.spelled.get(to as usize).is_none_or(|node| *node == u32::MAX) {
                map.own.entry(to).or_insert_with(|| url.to_owned());
            }
            builder.edge(from, to, LinkKind::Sitemap);
        }
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
}
