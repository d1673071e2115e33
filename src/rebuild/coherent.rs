//! The versions that are provably online together: the audit's sweep as a selector.
//!
//! Every page has intervals in which a version is proven. At the instant where the pages covered weigh most (or at a given
//! one) the captures of the versions that are proven there are those to take.

use std::collections::HashSet;

use crate::capture::table::Table;
use crate::change::Versions;
use crate::change::evidence::Judge;
use crate::quality::span::Span;
use crate::quality::sweep::Coverage;
use crate::time::Instant;

/// The moment, and what is proven there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Together {
    pub at: Option<Instant>,
    /// Places of rows whose version is proven at the moment.
    pub rows: HashSet<usize>,
    /// URLs that are proven at the moment.
    pub urls: u64,
}

/// Weights as whole units, so that sums do not depend on their order.
const UNITS: f64 = 1e9;

/// Finds the best moment by weight (the first of several), or takes `at`; and what is proven online there.
pub(crate) fn together(judge: &Judge<'_>, table: &Table, weights: &[f64], at: Option<Instant>) -> Together {
    let versions: Vec<Versions> =
        table.pages().iter().map(|page| Versions::of(judge, table.rows_of(page))).collect();
    let total: f64 = weights.iter().sum();
    let units = |page: usize| {
        let weight = weights.get(page).copied().unwrap_or(0.0);
        // No weight at all still counts for something, behind all others.
        if total > 0.0 { ((weight / total) * UNITS).max(1.0) as u64 } else { 1 }
    };
    let spans = versions
        .iter()
        .enumerate()
        .flat_map(|(page, versions)| versions.proven().map(move |interval| (page, interval)))
        .map(|(page, interval)| (Span::closed(interval), units(page)));
    let best = || Coverage::of(spans).best_by_weight().spans.first().map(|span| span.interval().from);
    let Some(at) = at.or_else(best) else { return Together::default() };
    let mut found = Together { at: Some(at), ..Together::default() };
    for (page, versions) in table.pages().iter().zip(&versions) {
        let run = versions.runs.iter().find(|run| run.proven.is_some_and(|proven| proven.contains(at)));
        if let Some(run) = run {
            found.urls += 1;
            found.rows.extend(run.looks.clone().map(|look| page.rows.start + versions.looks[look].row));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{look, parse};
    use crate::change::evidence::{Compare, Grade};

    #[test]
    fn versions_that_were_online_together_are_found() {
        // A changed between 02 and 03; B was the same from 01 to 04; C is proven from 03 to 04 only.
        let page = |name: &str, day: u32, body: u8| {
            look(&format!("http://a.example/{name}"), &format!("2024-01-{day:02}T00:00:00Z"))
                .body(body)
                .build()
        };
        let table = Table::of(&[
            page("a", 1, 1),
            page("a", 2, 1),
            page("a", 3, 2),
            page("a", 5, 2),
            page("b", 1, 3),
            page("b", 4, 3),
            page("c", 3, 4),
            page("c", 4, 4),
        ]);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let found = together(&judge, &table, &[1.0; 3], None);
        assert_eq!((found.at, found.urls), (Some(parse("2024-01-03T00:00:01Z")), 3));
        assert_eq!(found.rows, HashSet::from([2, 3, 4, 5, 6, 7]));
        let asked = together(&judge, &table, &[1.0; 3], Some(parse("2024-01-01T12:00:00Z")));
        assert_eq!((asked.urls, asked.rows), (2, HashSet::from([0, 1, 4, 5])));
    }
}
