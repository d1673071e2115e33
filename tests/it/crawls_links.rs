//! The links of crawls of a real site, held against a plain search for `href` in the same bodies. The crawls are found by
//! `ACUITY_DATA`; where they are absent, that is said and the test passes.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::data::data;
use acuity::internals::archive::source::expand;
use acuity::internals::capture::Kind;
use acuity::internals::html::links::LinkKind;
use acuity::internals::ingest::{Fetcher, Options, ProblemLog, Sought, Wanted, read};
use acuity::internals::url::Canon;
use url::Url;

/// The targets of `<a … href="…">`, found by searching the text, with no idea of HTML.
fn anchors(page: &str, html: &str) -> BTreeSet<String> {
    let base = Url::parse(page).unwrap();
    let mut found = BTreeSet::new();
    for (at, _) in html.match_indices("<a") {
        let tag = &html[at + 2..];
        let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
        let Some(href) = tag.starts_with(char::is_whitespace).then(|| tag.find("href=\"")).flatten() else {
            continue;
        };
        let value = tag[href + 6..].split('"').next().unwrap_or_default().replace("&amp;", "&");
        let Ok(mut target) = base.join(&value) else { continue };
        target.set_fragment(None);
        if matches!(target.scheme(), "http" | "https") {
            found.insert(Canon::Strict.key(target.as_str()));
        }
    }
    found
}

#[test]
fn links_agree_with_those_that_a_plain_search_finds_in_the_pages() {
    for file in ["crawls/condget/siteC.warc.gz", "crawls/wget/siteC-visit.warc.gz"] {
        let Some(path) = data(file) else { continue };
        let name = path.to_str().unwrap().to_owned();
        let wanted = Wanted { links: true, ..Wanted::default() };
        let options = Options { wanted, ..Options::default() };
        let mut log = ProblemLog::new(None);
        let reading = read(&expand(&[name]).unwrap(), &options, &mut log, &|_| {}).unwrap();
        let mut fetcher = Fetcher::default();
        let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        reading
            .observations
            .for_each(&mut |observation, _| {
                let html = observation.mime.as_deref() == Some("text/html");
                if observation.kind == Kind::Response && html && observation.status == Some(200) {
                    let body = fetcher.body(&Sought::of(observation).unwrap())?.unwrap();
                    let found = anchors(&observation.url, &String::from_utf8_lossy(&body.bytes));
                    expected.entry(Canon::Strict.key(&observation.url)).or_default().extend(found);
                }
                Ok(())
            })
            .unwrap();
        assert!(expected.len() > 100, "{file}: {} pages", expected.len());
        let graph = &reading.graph;
        let mut links = 0;
        for (page, expected) in &expected {
            let node = graph.urls().find(page).unwrap_or_else(|| panic!("{file}: no node for {page}"));
            let found: BTreeSet<String> = graph
                .out(node)
                .filter(|(_, kind)| *kind == LinkKind::Anchor)
                .map(|(to, _)| graph.urls().get(to).to_owned())
                .collect();
            assert_eq!(&found, expected, "{file}: {page}");
            links += found.len();
        }
        assert!(links > 500, "{file}: {links} links");
        // The first page links to every page of the site. It is captured as `/` and again later as `/index.html`, when a
        // page had been added meanwhile.
        let is_home = |page: &str| {
            page.matches('/').count() == 3 && page.ends_with('/') || page.ends_with("/index.html")
        };
        let homes = expected.iter().filter(|(page, _)| is_home(page));
        let linked: BTreeSet<&String> = homes.flat_map(|(_, targets)| targets).collect();
        for page in expected.keys().filter(|page| page.contains("/pep-")) {
            assert!(linked.contains(page), "{file}: the first page does not link to {page}");
        }
    }
}
