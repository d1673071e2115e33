//! The pages that a package lists, with title and time.

use std::io::{self, BufRead, Read};

use serde::Deserialize;

use super::Wacz;
use crate::problem::{Level, Problem};
use crate::time::Instant;

/// Maximum line length: a line may contain the text of its page.
const MAX_LINE_BYTES: u64 = 4 << 20;
const MAX_PAGES: usize = 1_000_000;
/// Bytes of all URLs and titles.
const MAX_BYTES: usize = 64 << 20;

/// A page as the package lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPage {
    pub url: String,
    /// When it was captured.
    pub time: Option<Instant>,
    pub title: Option<String>,
    /// Whether the page was a seed, rather than found by following links.
    pub is_seed: Option<bool>,
    /// The HTTP status.
    pub status: Option<u16>,
}

/// A line without its large fields, such as the text.
#[derive(Deserialize)]
struct Line {
    url: Option<String>,
    ts: Option<serde_json::Value>,
    title: Option<String>,
    seed: Option<bool>,
    status: Option<u16>,
}

impl Wacz {
    /// The pages of `pages/pages.jsonl` and `pages/extraPages.jsonl`, and the problems of those files.
    ///
    /// # Errors
    /// If the package cannot be read.
    pub fn pages(&self) -> io::Result<(Vec<ListedPage>, Vec<Problem>)> {
        let (mut pages, mut problems): (Vec<ListedPage>, Vec<Problem>) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        for name in ["pages/pages.jsonl", "pages/extraPages.jsonl"] {
            let Some(entry) = self.directory.find(name) else { continue };
            let (blob, problem) = entry.open(&self.blob)?;
            problems.extend(problem);
            let mut reader = blob.reader(0);
            let (mut line, mut number, mut bad, mut first_bad) = (Vec::new(), 0u64, 0u64, None);
            let mut is_full;
            loop {
                line.clear();
                let length = (&mut reader).take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
                is_full = length > 0 && (pages.len() == MAX_PAGES || bytes > MAX_BYTES);
                if length == 0 || is_full {
                    break;
                }
                number += 1;
                if !line.ends_with(b"\n") && length as u64 == MAX_LINE_BYTES {
                    reader.skip_until(b'\n')?;
                }
                match serde_json::from_slice::<Line>(&line) {
                    Ok(line) => {
                        let page = page(line);
                        bytes += page
                            .as_ref()
                            .map_or(0, |page| page.url.len() + page.title.as_ref().map_or(0, String::len));
                        pages.extend(page);
                    }
                    Err(_) if line.trim_ascii().is_empty() => {}
                    Err(_) => {
                        bad += 1;
                        first_bad.get_or_insert(number);
                    }
                }
            }
            if let Some(first) = first_bad {
                let message = format!("{name}: {bad} lines could not be read, the first is line {first}");
                problems.push(
                    Problem::new(Level::Warning, "wacz-pages-damaged", message).at(entry.header_offset),
                );
            }
            if is_full {
                let message = format!("{name}: only the first {} pages are read", pages.len());
                problems.push(
                    Problem::new(Level::Warning, "wacz-pages-damaged", message).at(entry.header_offset),
                );
            }
        }
        Ok((pages, problems))
    }
}

/// A page; `None` for the header line, which has no URL.
fn page(line: Line) -> Option<ListedPage> {
    // Dates are RFC 3339; old files have milliseconds since 1970.
    let time = line.ts.and_then(|ts| match ts {
        serde_json::Value::String(text) => Instant::parse(&text),
        value => value.as_i64().and_then(|millis| millis.checked_mul(1000)).map(Instant),
    });
    Some(ListedPage { url: line.url?, time, title: line.title, is_seed: line.seed, status: line.status })
}
