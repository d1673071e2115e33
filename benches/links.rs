//! Link extraction: our scanner against `lol_html` on one thread, the same pages, interleaved runs.
//!
//! `ACUITY_CORPUS=FOLDER cargo bench --bench links` reads the HTML of the folder's WARC files (read by `fastwarc`);
//! without it a corpus is generated. Prints medians and their ratio; only ratios of one run mean anything.

#![allow(clippy::print_stdout, missing_docs)]

use std::cell::Cell;
use std::io::Read;
use std::time::Instant;

use acuity::internals::html::links::LinkScanner;
use acuity::internals::html::page::PageScanner;
use fastwarc::warc::iter::ArchiveIterator;
use fastwarc::warc::record::{SharedWarcRecord, WarcRecordType};
use lol_html::html_content::Element;
use lol_html::{HtmlRewriter, MemorySettings, Settings, element};

const RUNS: usize = 5;

fn main() {
    let pages = match std::env::var_os("ACUITY_CORPUS") {
        Some(folder) => read(&folder),
        None => generate(),
    };
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} pages, {:.1} MB", pages.len(), bytes as f64 / 1e6);
    let (mut ours, mut whole, mut peer) = (Vec::new(), Vec::new(), Vec::new());
    let (mut our_links, mut peer_links) = (0, 0);
    for _ in 0..RUNS {
        let mut clock = Clock::start();
        our_links = pages.iter().map(|page| scan(page)).sum();
        ours.push(bytes as f64 / 1e6 / clock.lap());
        pages.iter().for_each(|page| read_page(page));
        whole.push(bytes as f64 / 1e6 / clock.lap());
        peer_links = pages.iter().map(|page| lol(page)).sum();
        peer.push(bytes as f64 / 1e6 / clock.lap());
    }
    let (ours, whole, peer) = (median(&mut ours), median(&mut whole), median(&mut peer));
    println!("acuity    {ours:8.0} MB/s  {our_links} links");
    println!("acuity    {whole:8.0} MB/s  links resolved, text fingerprint, shape");
    println!("lol_html  {peer:8.0} MB/s  {peer_links} href and src attributes");
    println!("ratio     {:8.2}", ours / peer);
}

/// Time on the processor where the system tells it (Linux), else by the clock on the wall.
struct Clock {
    wall: Instant,
    processor: Option<u64>,
}

impl Clock {
    fn start() -> Self {
        Clock { wall: Instant::now(), processor: Self::nanoseconds() }
    }

    fn nanoseconds() -> Option<u64> {
        std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
    }

    /// Seconds since the last lap.
    fn lap(&mut self) -> f64 {
        let now = Clock::start();
        let seconds = match (self.processor, now.processor) {
            (Some(from), Some(to)) => (to - from) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        };
        *self = now;
        seconds
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn scan(page: &[u8]) -> usize {
    let mut count = 0;
    let mut emit = |_, value: &[u8]| {
        std::hint::black_box(value);
        count += 1;
    };
    let mut scanner = LinkScanner::new();
    scanner.feed(page, &mut emit);
    scanner.finish(&mut emit);
    count
}

fn read_page(page: &[u8]) {
    let mut scanner = PageScanner::new(None);
    scanner.feed(page);
    std::hint::black_box(scanner.finish(b"http://example.org/dir/page.html"));
}

fn lol(page: &[u8]) -> usize {
    let count = Cell::new(0);
    let seen = |element: &Element<'_, '_>, name: &str| {
        if let Some(value) = element.get_attribute(name) {
            std::hint::black_box(&value);
            count.set(count.get() + 1);
        }
    };
    let settings = Settings::new()
        .append_element_content_handler(element!("[href]", |e| {
            seen(e, "href");
            Ok(())
        }))
        .append_element_content_handler(element!("[src]", |e| {
            seen(e, "src");
            Ok(())
        }))
        .with_strict(false)
        .with_memory_settings(MemorySettings::new());
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    if rewriter.write(page).is_ok() {
        let _ = rewriter.end();
    }
    count.get()
}

/// The HTML bodies of a folder's WARC files that are UTF-8, which both sides need for a like comparison.
fn read(folder: &std::ffi::OsStr) -> Vec<Vec<u8>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("ACUITY_CORPUS names a folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
        .collect();
    files.sort();
    let mut pages = Vec::new();
    for file in files.iter().take(2) {
        let archive = ArchiveIterator::from_path(file).expect("a readable file").with_parse_http(true);
        for record in archive.flatten() {
            record.with_mut(|record| {
                let html = record.http_content_type().is_some_and(|kind| kind.starts_with("text/html"));
                if record.record_type() != WarcRecordType::Response || !html {
                    return;
                }
                let mut body = Vec::new();
                let read = record.reader_mut().map(|reader| reader.read_to_end(&mut body));
                if read.is_some_and(|read| read.is_ok()) && std::str::from_utf8(&body).is_ok() {
                    pages.push(body);
                }
            });
        }
    }
    pages
}

/// Pages like those of a documentation site: navigation, prose, code, a script and a style sheet.
fn generate() -> Vec<Vec<u8>> {
    (0..600).map(|page| generate_page(page).into_bytes()).collect()
}

fn generate_page(page: usize) -> String {
    use std::fmt::Write;
    let mut html =
        String::from("<!DOCTYPE html><html><head><title>Page</title><link rel=stylesheet href=/s.css>\n");
    html.push_str("<style>body { background: url(/bg.png) }</style><script>if (a < b) { x(\"</p>\") }</script></head>\n");
    html.push_str("<body class=\"doc\"><nav><ul>\n");
    for entry in 0..60 {
        let _ = writeln!(
            html,
            "<li class=\"toctree-l1\"><a class=\"reference internal\" href=\"p{}.html#s{entry}\">Entry {entry}</a></li>",
            (page * 7 + entry) % 600
        );
    }
    html.push_str("</ul></nav><main>\n");
    for paragraph in 0..120 {
        let _ = writeln!(
            html,
            "<p id=\"p{paragraph}\">The quick brown fox jumps over the lazy dog &amp; reads <code class=\"docutils literal\"><span class=\"pre\">fn main()</span></code> for the {paragraph}th time, as page {page} of this collection tells at some length.</p>"
        );
        if paragraph % 10 == 0 {
            let _ =
                writeln!(html, "<img src=\"/img/{page}-{paragraph}.png\" alt='figure'><!-- a comment -->");
        }
    }
    html.push_str("</main></body></html>\n");
    html
}
