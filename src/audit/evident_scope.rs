//! What a crawl evidently covered: how deep it followed links, and below which folder.
//!
//! Pages are sorted by their number of links from the start (the root of the site, or its first capture). A level was *followed*
//! if the crawl requested any of the new pages that the level links to. Where from some level on it requested none, a limit of depth
//! is evident, and what only those levels link to lies beyond it. Where it requested a few of many, it may as well have broken off,
//! however many there are, and nothing is evident. A folder is evident if at least [`MIN_PAGES`] pages were captured and all are in it.
//!
//! What comes with a page of any depth shows nothing: feeds, images and sound, files that pages embed, and the page itself under another
//! name: one that is redirected to it, its `index.html`, its translation by a query ([`plain_form`]). Nor does the page that the start
//! sends a browser on to (`Refresh`), which is of its level. Where a crawl followed no link at
//! all, such captures are not linked pages either, and say nothing of how complete it is.

use std::collections::{HashMap, HashSet};

use crate::capture::graph::LinkGraph;
use crate::capture::page::path;
use crate::html::links::LinkKind;
use crate::time::Instant;

/// Maximum number of redirects followed.
const MAX_REDIRECTS: usize = 5;
/// Minimum number of pages that show a folder.
const MIN_PAGES: usize = 5;
/// Minimum number of new pages that a level must link to before it can count as not followed.
const MIN_NEW: usize = 3;

/// A captured page.
pub(crate) struct Covered<'a> {
    /// Its node; `u32::MAX`: it has none.
    pub node: u32,
    pub url: &'a str,
    /// Its first capture.
    pub first: Instant,
    /// A page, and not a feed.
    pub is_page: bool,
}

/// What lies beyond the evident scope of a crawl.
#[derive(Debug, Default)]
pub(crate) struct EvidentScope {
    /// Nodes that only levels beyond the depth link to.
    beyond: HashSet<u32>,
    /// No link of any page was followed.
    follows_none: bool,
    folder: Option<String>,
}

impl EvidentScope {
    /// The scope that the pages of a site show. `captured` says whether a node was requested that is not an entrance of the
    /// site, and nothing that comes with a page.
    pub(crate) fn of(
        graph: &LinkGraph,
        pages: &[Covered<'_>],
        captured: impl Fn(u32) -> bool,
        in_scope: impl Fn(u32) -> bool,
    ) -> Self {
        let nodes: Vec<u32> = pages.iter().map(|page| page.node).collect();
        let start = (0..pages.len())
            .min_by_key(|at| (path(pages[*at].url) != "/" || pages[*at].url.contains('?'), pages[*at].first));
        let Some(start) = start else { return EvidentScope::default() };
        // The forms of a page are of its level.
        let forms: Vec<String> = pages.iter().map(|page| plain_form(page.url)).collect();
        let mut starts: Vec<u32> =
            (0u32..).zip(&forms).filter(|(_, form)| **form == forms[start]).map(|(at, _)| at).collect();
        go_on(graph, &nodes, &mut starts);
        let mut depths = graph.between(&nodes).depths(&starts);
        let mut least: HashMap<&str, u32> = HashMap::new();
        for (form, depth) in forms.iter().zip(&depths).filter_map(|(form, depth)| Some((form, (*depth)?))) {
            least.entry(form).and_modify(|known| *known = depth.min(*known)).or_insert(depth);
        }
        for (form, depth) in forms.iter().zip(&mut depths) {
            *depth = least.get(form.as_str()).copied();
        }
        let deepest = depths.iter().flatten().max().copied().unwrap_or(0);
        let own: HashSet<u32> = pages.iter().filter(|page| page.is_page).map(|page| page.node).collect();
        // The level that first links to each node; pages without a way from the start count as starts of their own.
        let mut first: HashMap<u32, u32> = HashMap::new();
        let (mut embedded, mut anchored): (HashSet<u32>, HashSet<u32>) = Default::default();
        let mut sizes = vec![0usize; deepest as usize + 1];
        for (at, from) in nodes.iter().enumerate() {
            let level = depths[at].unwrap_or(0);
            sizes[level as usize] += 1;
            for (to, kind) in graph.out(*from) {
                if kind.is_embed() {
                    embedded.insert(to);
                } else if kind == LinkKind::Anchor {
                    anchored.insert(to);
                }
                use LinkKind::{Base, Form, Machine, Refresh};
                let followed = !kind.is_embed() && !matches!(kind, Form | Base | Machine | Refresh);
                if followed && to != *from && in_scope(to) {
                    first.entry(to).and_modify(|known| *known = level.min(*known)).or_insert(level);
                }
            }
        }
        let mut found = vec![(0usize, 0usize); deepest as usize + 1];
        let reached: HashMap<u32, u32> =
            nodes.iter().zip(&depths).filter_map(|(node, depth)| Some((*node, (*depth)?))).collect();
        // What an earlier level has is not new, under whatever name: most pages link back to the start.
        let is_new = |to: &u32, level: &u32| {
            redirects(graph, *to).all(|node| reached.get(&node).is_none_or(|depth| depth > level))
        };
        for (to, level) in first.iter().filter(|(to, level)| is_new(to, level)) {
            let counts = &mut found[*level as usize];
            counts.0 += 1;
            let is_followed = || anchored.contains(to) && !embedded.contains(to) && captured(*to);
            counts.1 += usize::from(own.contains(to) || is_followed());
        }
        let not_followed = |level: usize| found[level].1 == 0;
        let mut limit = deepest as usize + 1;
        while limit > 0 && not_followed(limit - 1) {
            limit -= 1;
        }
        // Links that lead to the start alone, whatever its name, are not links that were followed.
        let leads_nowhere = found.iter().all(|(new, _)| *new == 0);
        let shows = (limit..=deepest as usize).any(|level| found[level].0 >= MIN_NEW.max(sizes[level]));
        let beyond = first.into_iter().filter(|(_, level)| shows && *level as usize >= limit);
        EvidentScope {
            beyond: beyond.map(|(to, _)| to).collect(),
            follows_none: (shows || leads_nowhere) && limit == 0,
            folder: folder(pages),
        }
    }

    /// Whether the crawl evidently followed no link: what was captured of them came with the pages.
    pub(crate) fn follows_none(&self) -> bool {
        self.follows_none
    }

    /// Whether a linked page lies beyond what the crawl evidently covered.
    pub(crate) fn is_beyond(&self, node: u32, url: &str) -> bool {
        self.beyond.contains(&node)
            || self.folder.as_ref().is_some_and(|folder| !path(url).starts_with(folder.as_str()))
    }
}

/// Adds to the starts the pages that a browser goes on to by itself, by `Refresh` and the redirects behind it.
fn go_on(graph: &LinkGraph, nodes: &[u32], starts: &mut Vec<u32>) {
    let places: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
    let mut at = 0;
    while let Some(start) = starts.get(at) {
        let from = nodes[*start as usize];
        let next = graph.out(from).filter(|(_, kind)| *kind == LinkKind::Refresh);
        let found: Vec<u32> =
            next.flat_map(|(to, _)| redirects(graph, to)).filter_map(|to| places.get(&to).copied()).collect();
        for page in found {
            if !starts.contains(&page) {
                starts.push(page);
            }
        }
        at += 1;
    }
}

/// A node, and those that it is redirected to.
fn redirects(graph: &LinkGraph, node: u32) -> impl Iterator<Item = u32> {
    let next = |node: &u32| graph.out(*node).find(|(_, kind)| *kind == LinkKind::Redirect).map(|(to, _)| to);
    std::iter::successors(Some(node), next).take(MAX_REDIRECTS + 1)
}

/// An address without what only chooses the form of a page: the name of the entrance of a folder, and parameters that choose a language, a
/// version to print, or that follow the visitor.
fn plain_form(url: &str) -> String {
    const FORMS: [&str; 14] = [
        "lang",
        "language",
        "locale",
        "lng",
        "hl",
        "setlang",
        "uselang",
        "print",
        "printable",
        "ref",
        "sid",
        "sessionid",
        "phpsessid",
        "jsessionid",
    ];
    let url = url.split('#').next().unwrap_or("");
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let address = address.split_once("://").map_or(address, |(_, rest)| rest).to_ascii_lowercase();
    let (folder, name) = address.rsplit_once('/').unwrap_or((&address, ""));
    let stem = name.split('.').next().unwrap_or("");
    let name = if matches!(stem, "index" | "default" | "home") { "" } else { name };
    let chooses_form = |parameter: &&str| {
        let name = parameter.split('=').next().unwrap_or("").to_ascii_lowercase();
        FORMS.contains(&name.as_str()) || name.starts_with("utm_")
    };
    let rest: Vec<&str> =
        query.split('&').filter(|parameter| !parameter.is_empty() && !chooses_form(parameter)).collect();
    format!("{folder}/{name}?{}", rest.join("&"))
}

/// The folder that all pages are in, if it is not the root.
fn folder(pages: &[Covered<'_>]) -> Option<String> {
    if pages.iter().filter(|page| page.is_page).count() < MIN_PAGES {
        return None;
    }
    let mut paths = pages.iter().filter(|page| page.is_page).map(|page| path(page.url));
    let mut common = paths.next()?.to_owned();
    for path in paths {
        let length = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        common.truncate((0..=length).rev().find(|at| common.is_char_boundary(*at)).unwrap_or(0));
    }
    common.truncate(common.rfind('/').map_or(0, |slash| slash + 1));
    (common.len() > 1).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::graph::GraphBuilder;

    fn scope(pages: &[&str], links: &[(&str, &str)]) -> (EvidentScope, LinkGraph) {
        let mut builder = GraphBuilder::default();
        for (from, to) in links {
            builder.link(
                &format!("http://a.example{from}"),
                &format!("http://a.example{to}"),
                LinkKind::Anchor,
            );
        }
        let graph = builder.finish().0;
        let urls: Vec<String> = pages.iter().map(|page| format!("http://a.example{page}")).collect();
        let covered: Vec<Covered<'_>> = (0i64..)
            .zip(&urls)
            .map(|(at, url)| Covered {
                node: graph.urls().find(url).unwrap_or(u32::MAX),
                url,
                first: Instant(at),
                is_page: true,
            })
            .collect();
        let scope = EvidentScope::of(&graph, &covered, |_| false, |_| true);
        drop(covered);
        (scope, graph)
    }

    fn beyond(scope: &(EvidentScope, LinkGraph), page: &str) -> bool {
        let url = format!("http://a.example{page}");
        scope.0.is_beyond(scope.1.urls().find(&url).unwrap_or(u32::MAX), &url)
    }

    #[test]
    fn links_of_a_single_page_lie_beyond_the_crawl() {
        let one = scope(&["/"], &[("/", "/a"), ("/", "/b"), ("/", "/c")]);
        assert!(beyond(&one, "/a") && beyond(&one, "/c"));
    }

    #[test]
    fn another_form_of_the_start_shows_no_link_that_was_followed() {
        let links = [("/", "/a"), ("/", "/b"), ("/", "/c"), ("/", "/?lang=en"), ("/", "/index.html")];
        let forms = scope(&["/", "/?lang=en", "/index.html"], &links);
        assert!(beyond(&forms, "/a") && forms.0.follows_none());
        let pages = scope(&["/", "/?p=7"], &[("/", "/a"), ("/", "/b"), ("/", "/c"), ("/", "/?p=7")]);
        assert!(!beyond(&pages, "/a") && !pages.0.follows_none());
    }

    #[test]
    fn a_redirect_to_the_linking_page_shows_no_link_that_was_followed_also_where_it_goes_both_ways() {
        let mut builder = GraphBuilder::default();
        let url = |path: &str| format!("http://a.example{path}");
        for to in ["/a", "/b", "/c", "/old"] {
            builder.link(&url("/"), &url(to), LinkKind::Anchor);
        }
        builder.link(&url("/old"), &url("/"), LinkKind::Redirect);
        builder.link(&url("/"), &url("/old"), LinkKind::Redirect);
        let graph = builder.finish().0;
        let node = |path: &str| graph.urls().find(&url(path)).unwrap();
        let home = url("/");
        let pages = [Covered { node: node("/"), url: &home, first: Instant(0), is_page: true }];
        let scope = EvidentScope::of(&graph, &pages, |to| to == node("/old"), |_| true);
        assert!(scope.is_beyond(node("/a"), &url("/a")) && scope.follows_none());
    }

    #[test]
    fn the_page_that_the_start_goes_on_to_by_itself_shows_no_link_that_was_followed() {
        let mut builder = GraphBuilder::default();
        let url = |path: &str| format!("http://a.example{path}");
        builder.link(&url("/"), &url("/go"), LinkKind::Refresh);
        builder.link(&url("/go"), &url("/en/"), LinkKind::Redirect);
        for to in ["/en/a", "/en/b", "/en/c"] {
            builder.link(&url("/en/"), &url(to), LinkKind::Anchor);
        }
        let graph = builder.finish().0;
        let node = |path: &str| graph.urls().find(&url(path)).unwrap();
        let urls = [url("/"), url("/en/")];
        let page = |path: &str, url| Covered { node: node(path), url, first: Instant(0), is_page: true };
        let pages = [page("/", &urls[0]), page("/en/", &urls[1])];
        let scope = EvidentScope::of(&graph, &pages, |_| false, |_| true);
        assert!(scope.is_beyond(node("/en/c"), &url("/en/c")) && scope.follows_none());
    }

    #[test]
    fn a_page_that_links_to_its_own_other_name_alone_shows_no_link_that_was_followed() {
        let mut builder = GraphBuilder::default();
        let (home, root) = ("http://a.example/home", "http://a.example/");
        builder.link(root, home, LinkKind::Redirect);
        builder.link(home, root, LinkKind::Anchor);
        let graph = builder.finish().0;
        let node = |url: &str| graph.urls().find(url).unwrap();
        let pages = [Covered { node: node(home), url: home, first: Instant(0), is_page: true }];
        assert!(EvidentScope::of(&graph, &pages, |_| true, |_| true).follows_none());
        // Two pages that link to each other are a site.
        let both = scope(&["/", "/a"], &[("/", "/a"), ("/a", "/")]);
        assert!(!both.0.follows_none());
    }

    #[test]
    fn addresses_that_choose_the_form_of_a_page_are_told_from_other_pages() {
        for form in ["/x/index.php", "/x/?hl=de", "/x/?utm_source=a&lang=en", "/X/#top"] {
            assert_eq!(plain_form(&format!("http://a.example{form}")), "a.example/x/?", "{form}");
        }
        for other in ["/x/?p=1", "/x/a", "/x", "/x/y/"] {
            assert_ne!(plain_form(&format!("http://a.example{other}")), "a.example/x/?", "{other}");
        }
    }

    #[test]
    fn links_of_the_last_level_of_a_crawl_of_depth_one_lie_beyond_it_and_those_of_the_start_do_not() {
        let pages = ["/", "/a", "/b"];
        let links = [
            ("/", "/a"),
            ("/", "/b"),
            ("/", "/c"),
            ("/a", "/a1"),
            ("/a", "/a2"),
            ("/b", "/b1"),
            ("/b", "/b2"),
            ("/a", "/c"),
        ];
        let depth = scope(&pages, &links);
        assert!(beyond(&depth, "/a1") && beyond(&depth, "/b2") && !beyond(&depth, "/c"));
    }

    #[test]
    fn a_page_that_is_missing_among_many_is_not_beyond() {
        let links = [("/", "/a"), ("/", "/b"), ("/a", "/gone"), ("/a", "/"), ("/b", "/")];
        assert!(!beyond(&scope(&["/", "/a", "/b"], &links), "/gone"));
    }

    #[test]
    fn a_link_back_to_the_start_shows_nothing_of_the_depth() {
        let links = [
            ("/", "/a"),
            ("/", "/b"),
            ("/a", "/"),
            ("/a", "/b"),
            ("/a", "/a1"),
            ("/a", "/a2"),
            ("/a", "/a3"),
            ("/b", "/"),
        ];
        assert!(beyond(&scope(&["/", "/a", "/b"], &links), "/a1"));
    }

    #[test]
    fn a_level_of_which_a_few_pages_were_captured_shows_no_limit_of_depth() {
        let names: Vec<String> = (0..50).map(|number| format!("/p{number}")).collect();
        let links: Vec<(&str, &str)> = names.iter().map(|name| ("/", name.as_str())).collect();
        assert!(beyond(&scope(&["/"], &links), "/p49"));
        for captured in [1, 2, 5, 6, 40] {
            let pages: Vec<&str> =
                ["/"].into_iter().chain(names[..captured].iter().map(String::as_str)).collect();
            assert!(!beyond(&scope(&pages, &links), "/p49"), "{captured}");
        }
    }

    #[test]
    fn a_few_pages_of_a_level_of_hundreds_may_be_all_that_was_reached_before_the_crawl_broke_off() {
        let names: Vec<String> = (0..400).map(|number| format!("/p{number}")).collect();
        let links: Vec<(&str, &str)> = names.iter().map(|name| ("/", name.as_str())).collect();
        assert!(beyond(&scope(&["/"], &links), "/p399"));
        assert!(!beyond(&scope(&["/", "/p0"], &links), "/p399"));
        assert!(!beyond(&scope(&["/", "/p0", "/p1", "/p2", "/p3"], &links), "/p399"));
    }

    #[test]
    fn a_crawl_below_one_folder_did_not_mean_the_rest() {
        let pages = ["/docs/", "/docs/a", "/docs/b", "/docs/c", "/docs/d"];
        let links = [
            ("/docs/", "/docs/a"),
            ("/docs/", "/docs/b"),
            ("/docs/", "/docs/c"),
            ("/docs/", "/docs/d"),
            ("/docs/", "/shop"),
        ];
        let folder = scope(&pages, &links);
        assert!(beyond(&folder, "/shop") && !beyond(&folder, "/docs/e"));
    }
}
