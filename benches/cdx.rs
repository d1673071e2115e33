//! Lines of CDX and CDXJ parsed into observations, on one thread. `cargo bench --bench cdx`
//!
//! Also prints what one canonical key costs. The lines are generated, so nothing but the parser is measured.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use acuity::internals::archive::cdx::{IndexItem, IndexReader};
use acuity::internals::ingest::index_line::IndexObserver;
use acuity::internals::url::Canon;

const LINES: usize = 500_000;

/// Ordinary lines: hosts, paths and queries of usual lengths, a fresh digest each, a new file every 10,000 lines.
fn lines(json: bool) -> String {
    let mut text = String::new();
    if !json {
        text.push_str(" CDX N b a m s k r M S V g\n");
    }
    for number in 0..LINES {
        let (site, day, file) = (number % 977, number % 28 + 1, number / 10_000);
        let path = format!("news/{}/article-{number}.html", number % 31);
        let query = if number % 4 == 0 { "?id=17&page=2" } else { "" };
        let url = format!("https://www.site{site}.example.org/{path}{query}");
        let key = format!("org,example,site{site})/{path}{query}");
        let digest: String = (0..32)
            .map(|place| {
                char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[(number * 31 + place * 7) >> (place % 5) & 31])
            })
            .collect();
        let date = format!("202611{day:02}{:06}", number % 240_000);
        let _ = if json {
            writeln!(
                text,
                "{key} {date} {{\"url\": \"{url}\", \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"sha1:{digest}\", \"length\": \"{}\", \"offset\": \"{}\", \"filename\": \"CRAWL-20261116-{file:05}.warc.gz\"}}",
                number % 90_000,
                number * 700
            )
        } else {
            writeln!(
                text,
                "{key} {date} {url} text/html 200 {digest} - - {} {} CRAWL-20261116-{file:05}.warc.gz",
                number % 90_000,
                number * 700
            )
        };
    }
    text
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for (name, json) in [("cdx", false), ("cdxj", true)] {
        let text = lines(json);
        let (mut best, mut count) = (f64::INFINITY, 0);
        for _ in 0..5 {
            let start = Instant::now();
            let mut reader = IndexReader::new(std::io::BufReader::with_capacity(256 * 1024, text.as_bytes()));
            let mut observer = IndexObserver::new("bench.cdx".into(), Canon::Default);
            count = 0;
            while let Some(item) = reader.next_item()? {
                if let IndexItem::Line(line) = item {
                    black_box(observer.observe(&line));
                    count += 1;
                }
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        assert_eq!(count, LINES, "every generated line is a capture");
        let rate = count as f64 / best / 1e6;
        writeln!(out, "{name:>5}: {rate:.2} million lines/s, {:.0} MB/s", text.len() as f64 / best / 1e6)?;
    }
    for url in [
        "https://www.site17.example.org/news/3/article-4711.html",
        "http://127.0.0.1:8803/pep-0500.html",
        "https://Example.org/search?q=Web+Archive&page=2&lang=en",
        "https://example.org/a%20b/../c?x=%C3%A9",
        "http://bücher.example/",
    ] {
        let (rounds, mut key, mut best) = (200_000, String::new(), f64::INFINITY);
        for _ in 0..5 {
            let start = Instant::now();
            for _ in 0..rounds {
                Canon::Default.key_into(black_box(url), &mut key);
            }
            best = best.min(start.elapsed().as_secs_f64());
        }
        writeln!(out, "{:>5.0} ns  {url} -> {key}", best / f64::from(rounds) * 1e9)?;
    }
    Ok(())
}
