//! The link graph at ten million edges: time and peak memory, as an audit builds it.
//!
//! `cargo bench --bench graph`. Links are handed in as URLs, page by page, as reading does; then the graph is made over the
//! keys of the audit, and PageRank runs on it. The peak (VmHWM) is that of the whole process.

#[path = "support/memory.rs"]
mod memory;

use std::fmt::Write as _;
use std::io::Write;
use std::time::Instant;

use acuity::internals::audit::LinkMap;
use acuity::internals::capture::graph::GraphBuilder;
use acuity::internals::html::links::LinkKind;
use acuity::internals::quality::importance::by_pagerank;
use acuity::internals::url::{Canon, SiteBy};
use memory::peak_megabytes;

/// Every tenth URL is a page with 50 links.
const URLS: u64 = 2_000_000;
const PAGES: u64 = URLS / 10;
const LINKS: u64 = 50;

fn main() {
    let mut out = std::io::stdout().lock();
    let mut begin = Instant::now();
    let mut print = |stage: &str, what: String| {
        let seconds = begin.elapsed().as_secs_f64();
        begin = Instant::now();
        let peak = peak_megabytes().map_or("–".to_owned(), |peak| peak.to_string());
        writeln!(out, "{stage:26} {what:32} {seconds:>7.2} s {peak:>6} MB peak").unwrap_or_default();
    };
    let (mut from, mut to) = (String::new(), String::new());
    let mut builder = GraphBuilder::default();
    let mut state = 1u64;
    for page in 0..PAGES {
        url(&mut from, page * 10);
        for _ in 0..LINKS {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            url(&mut to, (state >> 33) % URLS);
            let kind = if state & (1 << 20) == 0 { LinkKind::Anchor } else { LinkKind::Image };
            builder.link(&from, &to, kind);
        }
    }
    print("links by URL", format!("{} links", PAGES * LINKS));
    let (graph, problem) = builder.finish();
    assert!(problem.is_none());
    print("graph of URLs", format!("{} URLs, {} edges", graph.nodes(), graph.edges()));
    let links = LinkMap::new(graph, Canon::Default, &SiteBy::Host, &[], &[]);
    let graph = links.graph();
    print("graph of keys", format!("{} keys, {} edges", graph.nodes(), graph.edges()));
    let pages: Vec<u32> =
        (0..graph.nodes() as u32).filter(|node| graph.out(*node).next().is_some()).collect();
    let weights = by_pagerank(&graph.between(&pages));
    print("PageRank", format!("{} pages, mean weight {:.3}", pages.len(), mean(&weights)));
}

/// A URL of ordinary length.
fn url(text: &mut String, number: u64) {
    text.clear();
    let _ = write!(
        text,
        "https://www.site{}.example/section-{}/some-page-{number}.html",
        number % 50,
        number % 700
    );
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
