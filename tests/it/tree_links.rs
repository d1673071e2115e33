//! Compares the links of real pages with the tree that `html5ever` builds: every HTML page of the demo, the labelled
//! pages, and those of the archives in `ACUITY_DATA`. The scanner builds no tree, so the two agree only if it reads tags as browsers do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::data::{data, say};
use acuity::internals::archive::source::expand;
use acuity::internals::capture::Kind;
use acuity::internals::html::links::{LinkKind, LinkScanner};
use acuity::internals::ingest::{Fetcher, Options, ProblemLog, Sought, Wanted, read};
use scraper::{Html, Node};

/// What both sides can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Anchor,
    Relation,
    Frame,
    Form,
    Image,
    Script,
    Media,
    Object,
}

type Found = BTreeSet<(Use, String)>;

/// The links of the tree, by the attributes that the standard names.
fn in_tree(html: &str, found: &mut Found) {
    let tree = Html::parse_document(html);
    for node in tree.tree.nodes() {
        let Node::Element(element) = node.value() else { continue };
        // Nobody loads what a template holds.
        let is_template = |node: &Node| {
            let element = node.as_element().filter(|element| element.name() == "template");
            element.is_some_and(|element| element.attr("shadowrootmode").is_none())
        };
        if node.ancestors().any(|node| is_template(node.value())) {
            continue;
        }
        let attribute = |name: &str| element.attr(name).filter(|value| !value.is_empty());
        let mut add = |place: Use, name: &str| {
            if let Some(value) = attribute(name) {
                found.insert((place, value.to_owned()));
            }
        };
        match element.name() {
            "a" | "area" => add(Use::Anchor, "href"),
            "link" => {
                let rel = attribute("rel").unwrap_or_default().to_ascii_lowercase();
                if !rel.contains("dns-prefetch") && !rel.contains("preconnect") {
                    add(Use::Relation, "href");
                }
            }
            "iframe" | "frame" if attribute("srcdoc").is_none() => add(Use::Frame, "src"),
            "form" => add(Use::Form, "action"),
            "img" => add(Use::Image, "src"),
            "script" => add(Use::Script, "src"),
            // A further source is another form of the first.
            "source" if node.prev_siblings().any(|other| is_source(other.value())) => {}
            "video" | "audio" | "source" | "track" => add(Use::Media, "src"),
            "embed" => add(Use::Object, "src"),
            "object" => add(Use::Object, "data"),
            // With scripts on, what it holds is text in the tree.
            "noscript" => {
                let text: String =
                    node.descendants().filter_map(|node| Some(&**node.value().as_text()?)).collect();
                if text.contains('<') {
                    in_tree(&text, found);
                }
            }
            _ => {}
        }
    }
}

fn is_source(node: &Node) -> bool {
    node.as_element().is_some_and(|element| element.name() == "source")
}

fn by_scanner(html: &str) -> Found {
    let mut found = Found::new();
    let mut emit = |kind: LinkKind, value: &[u8]| {
        let place = match kind {
            LinkKind::Anchor => Use::Anchor,
            LinkKind::Relation
            | LinkKind::Icon
            | LinkKind::Preload
            | LinkKind::Machine
            | LinkKind::Stylesheet => Use::Relation,
            LinkKind::Frame => Use::Frame,
            LinkKind::Form => Use::Form,
            LinkKind::Image | LinkKind::Lazy | LinkKind::Conditional => Use::Image,
            LinkKind::Script => Use::Script,
            LinkKind::Media => Use::Media,
            LinkKind::Object => Use::Object,
            _ => return,
        };
        found.insert((place, String::from_utf8_lossy(value).into_owned()));
        // A frame that is loaded late, or not by everybody, is both.
        if matches!(kind, LinkKind::Lazy | LinkKind::Conditional) {
            found.insert((Use::Frame, String::from_utf8_lossy(value).into_owned()));
        }
    };
    let mut scanner = LinkScanner::new();
    scanner.feed(html.as_bytes(), &mut emit);
    scanner.finish(&mut emit);
    found
}

/// Every HTML page of an archive, given to `take`.
fn pages(archive: &Path, take: &mut dyn FnMut(&str, &str)) {
    let Ok(sources) = expand(&[archive.as_os_str().to_owned()]) else { return };
    let options = Options { wanted: Wanted::default(), ..Options::default() };
    let Ok(reading) = read(&sources, &options, &mut ProblemLog::new(None), &|_| {}) else { return };
    let mut fetcher = Fetcher::default();
    let outcome = reading.observations.for_each(&mut |observation, _| {
        let is_page = observation.mime.as_deref() == Some("text/html");
        if observation.kind == Kind::Response
            && is_page
            && let Some(sought) = Sought::of(observation)
            && let Ok(Ok(body)) = fetcher.body(&sought)
        {
            take(&observation.url, &String::from_utf8_lossy(&body.bytes));
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn links_agree_with_the_tree_on_every_page_there_is() {
    let mut archives = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo")];
    for folder in ["warcs", "crawls/wget", "crawls/warcprox", "careless"] {
        let Some(folder) = data(folder) else { continue };
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        archives.append(&mut files);
    }
    let (mut count, mut links) = (0, 0);
    let mut seen = BTreeSet::new();
    let mut compare = |page: &str, html: &str| {
        if html.len() > 2_000_000 || !seen.insert(html.to_owned()) {
            return;
        }
        let (mut tree, scanned) = (Found::new(), by_scanner(html));
        in_tree(html, &mut tree);
        count += 1;
        links += tree.len();
        let lost: Vec<_> = tree.difference(&scanned).collect();
        assert!(lost.is_empty(), "{page}: only the tree has {lost:?}");
        // These come from attributes alone; the scanner also knows images and sheets that other places name. A frame that
        // is loaded late is an image here.
        let attributes =
            |found: &&(Use, String)| matches!(found.0, Use::Anchor | Use::Form | Use::Script | Use::Media);
        let more: Vec<_> = scanned.difference(&tree).filter(attributes).collect();
        assert!(more.is_empty(), "{page}: only the scanner has {more:?}");
    };
    for archive in archives {
        pages(&archive, &mut |url, html| compare(&format!("{url} of {}", archive.display()), html));
    }
    let labelled = [
        include_str!("../../fixtures/error-pages/pages.jsonl"),
        include_str!("../../fixtures/error-pages/second.jsonl"),
        include_str!("../../fixtures/error-pages/third.jsonl"),
        include_str!("../../fixtures/error-pages/fourth.jsonl"),
    ];
    for line in labelled.iter().flat_map(|pages| pages.lines()) {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        compare(page["note"].as_str().unwrap(), page["html"].as_str().unwrap());
    }
    say(&format!("{count} pages, {links} links"));
    assert!(count >= 400 && links > 500, "{count} pages, {links} links");
}
