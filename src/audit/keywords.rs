//! The importance of pages by their similarity to a query: the cosine between the words of both.
//!
//! ```text
//! similarity = Σ_t q_t · d_t · idf_t² / (|q| · |d|)      d_t = 1 + ln(count of t),  idf_t = ln(1 + pages / pages with t)
//! ```
//!
//! Source: M. Ben Saad, S. Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA
//! 2011, section 3: the importance of a page is "PageRank, similarity to keywords of a query, etc." The formula is the
//! usual one of text retrieval.
//!
//! The words of a page are those that readers see, its title included.
//!
//! Cost: the body of every page is read once more.

use std::collections::{BTreeSet, HashMap};

use crate::audit::bodies::{Bodies, holds_body};
use crate::capture::page::is_html_page;
use crate::capture::table::Table;
use crate::html::block_words::words;
use crate::html::seen_text::seen;

/// The similarity of each page (a place in [`Table::pages`]) to the query; 0 where its text cannot be read. `None`: no
/// page has any of the words.
pub(crate) fn similarities(table: &Table, places: &[usize], query: &str) -> Option<Vec<f64>> {
    let terms: BTreeSet<String> = words(query).map(|word| word.text.to_lowercase()).collect();
    let bodies = Bodies::default();
    let pages: Vec<Counted> = places.iter().map(|place| count(table, &bodies, *place, &terms)).collect();
    let with = |term: &String| pages.iter().filter(|page| page.counts.contains_key(term)).count();
    let idf: HashMap<&String, f64> = terms
        .iter()
        .map(|term| (term, with(term)))
        .filter(|(_, with)| *with > 0)
        .map(|(term, with)| (term, (1.0 + pages.len() as f64 / with as f64).ln()))
        .collect();
    if idf.is_empty() {
        return None;
    }
    let query_norm = idf.values().map(|idf| idf * idf).sum::<f64>().sqrt();
    // In the order of the terms, so that sums are the same in every run.
    let similarity = |page: &Counted| {
        let product: f64 =
            terms.iter().filter_map(|term| Some(tf(*page.counts.get(term)?) * idf.get(term)?.powi(2))).sum();
        if page.norm > 0.0 { product / (query_norm * page.norm) } else { 0.0 }
    };
    Some(pages.iter().map(similarity).collect())
}

/// How often a page has the words of the query, and the length of its vector of words.
#[derive(Default)]
struct Counted {
    counts: HashMap<String, u64>,
    norm: f64,
}

fn tf(count: u64) -> f64 {
    1.0 + (count as f64).ln()
}

/// Counts in the last capture of a page that holds its text.
fn count(table: &Table, bodies: &Bodies, place: usize, terms: &BTreeSet<String>) -> Counted {
    let rows = table.rows_of(&table.pages()[place]);
    let body = rows
        .iter()
        .rev()
        .filter(|row| is_html_page(table, row) && holds_body(row) && !row.truncated)
        .find_map(|row| bodies.fetch(table, row).ok());
    let Some(text) = body.and_then(|body| seen(&body.bytes, body.content_type.as_deref().map(str::as_bytes)))
    else {
        return Counted::default();
    };
    let mut all: HashMap<String, u64> = HashMap::new();
    for word in words(&text) {
        *all.entry(word.text.to_lowercase()).or_default() += 1;
    }
    let mut squares: Vec<f64> = all.values().map(|count| tf(*count).powi(2)).collect();
    squares.sort_by(f64::total_cmp);
    all.retain(|word, _| terms.contains(word));
    Counted { norm: squares.iter().sum::<f64>().sqrt(), counts: all }
}
