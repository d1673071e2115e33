//! How much each page counts: by PageRank, inlinks, depth, keywords, a file, or all alike.
//!
//! By every method, the weights of a site's pages are scaled to a mean of 1, so that weighted and plain figures are
//! comparable and equal importance is 1 each.

use std::collections::HashMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::pagerank::{PageRankOptions, pagerank};
use crate::capture::graph::Adjacency;
use crate::error::{Error, Result};
use crate::problem::{Level, Problem};

/// How the importance of pages is determined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ImportanceBy {
    /// PageRank on the captured links of each site.
    #[default]
    PageRank,
    /// PageRank on all captured links, across sites.
    #[serde(rename = "pagerank-all")]
    PageRankAll,
    /// The number of pages that link to it, plus one.
    Inlinks,
    /// The number of links from a seed: 1, 1/2, 1/3…
    Depth,
    /// The `priority` of the sitemap.
    Sitemap,
    /// All pages equal.
    Uniform,
    /// A table given by the user.
    Table,
}

impl FromStr for ImportanceBy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "pagerank" => ImportanceBy::PageRank,
            "pagerank-all" => ImportanceBy::PageRankAll,
            "inlinks" => ImportanceBy::Inlinks,
            "depth" => ImportanceBy::Depth,
            "sitemap" => ImportanceBy::Sitemap,
            "uniform" => ImportanceBy::Uniform,
            _ => {
                let message = format!("there is no importance by \"{text}\"");
                return Err(Error::usage(message).with_remedy(
                    "give pagerank, pagerank-all, inlinks, depth, sitemap, uniform, keywords:WORDS or the name of a CSV file",
                ));
            }
        })
    }
}

/// Scales weights to a mean of 1. If all are zero or not finite, all become 1.
pub(crate) fn normalised(mut weights: Vec<f64>) -> Vec<f64> {
    weights
        .iter_mut()
        .filter(|weight| !(weight.is_finite() && **weight >= 0.0))
        .for_each(|weight| *weight = 0.0);
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        let factor = weights.len() as f64 / sum;
        weights.iter_mut().for_each(|weight| *weight *= factor);
    } else {
        weights.fill(1.0);
    }
    weights
}

/// PageRank, scaled to a mean of 1.
pub fn by_pagerank(graph: &Adjacency) -> Vec<f64> {
    normalised(pagerank(graph, PageRankOptions::default()))
}

/// By the number of pages that link to it. One is added, so that a page that no other links to still counts.
pub(crate) fn by_inlinks(graph: &Adjacency) -> Vec<f64> {
    normalised(graph.inlinks().into_iter().map(|count| f64::from(count) + 1.0).collect())
}

/// By the number of links from the seeds: `1/(1 + depth)`. An unreachable page counts as one step deeper than
/// the deepest. Without seeds, pages without inlinks are the seeds.
pub(crate) fn by_depth(graph: &Adjacency, seeds: &[u32]) -> Vec<f64> {
    let roots: Vec<u32> = if seeds.is_empty() {
        let inlinks = graph.inlinks();
        (0..graph.nodes() as u32).filter(|&node| inlinks[node as usize] == 0).collect()
    } else {
        seeds.to_vec()
    };
    let depths = graph.depths(&roots);
    let beyond = depths.iter().flatten().max().map_or(0, |deepest| deepest + 1);
    normalised(depths.iter().map(|depth| 1.0 / f64::from(1 + depth.unwrap_or(beyond))).collect())
}

/// By sitemap priority; 0.5 for pages without one, as the sitemap protocol says.
pub(crate) fn by_sitemap(priorities: &[Option<f64>]) -> Vec<f64> {
    normalised(priorities.iter().map(|priority| priority.unwrap_or(0.5).clamp(0.0, 1.0)).collect())
}

pub(crate) fn uniform(pages: usize) -> Vec<f64> {
    vec![1.0; pages]
}

/// A user's table: URL and weight.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WeightTable {
    weights: HashMap<String, f64>,
    /// The weight of pages that are not in the table: that of the row `*`, else 0.
    pub rest: f64,
    /// Rows that could not be read.
    pub problems: Vec<Problem>,
}

/// Maximum number of unreadable rows reported one by one.
const MAX_REPORTED_ROWS: usize = 20;

impl WeightTable {
    /// Reads CSV with the columns `url,weight`, with or without a header. `key` makes the canonical key of a URL.
    pub(crate) fn parse(text: &[u8], key: impl Fn(&str) -> String) -> WeightTable {
        let mut table = WeightTable::default();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        let mut bad = 0;
        for (row, record) in reader.byte_records().enumerate() {
            let read = record.ok().and_then(|record| {
                let url = std::str::from_utf8(record.get(0)?).ok()?.trim().to_owned();
                let weight: f64 = std::str::from_utf8(record.get(1)?).ok()?.trim().parse().ok()?;
                (weight.is_finite() && weight >= 0.0 && !url.is_empty()).then_some((url, weight))
            });
            match read {
                Some((url, weight)) if url == "*" => table.rest = weight,
                Some((url, weight)) => {
                    table.weights.insert(key(&url), weight);
                }
                None if row == 0 => {}
                None => {
                    bad += 1;
                    if bad <= MAX_REPORTED_ROWS {
                        let message = format!("row {} is not a URL with a weight of 0 or more", row + 1);
                        table.problems.push(Problem::new(Level::Warning, "importance-row", message));
                    }
                }
            }
        }
        if bad > MAX_REPORTED_ROWS {
            let message = format!("{} more rows could not be read", bad - MAX_REPORTED_ROWS);
            table.problems.push(Problem::new(Level::Warning, "importance-row", message));
        }
        table
    }

    /// Whether the table has URLs, but none of these.
    pub(crate) fn misses<'a>(&self, mut keys: impl Iterator<Item = &'a str>) -> bool {
        !self.weights.is_empty() && !keys.any(|key| self.weights.contains_key(key))
    }

    pub(crate) fn of<'a>(&self, keys: impl Iterator<Item = &'a str>) -> Vec<f64> {
        normalised(keys.map(|key| self.weights.get(key).copied().unwrap_or(self.rest)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gives_weights_of_mean_one() {
        let graph = Adjacency::from_lists(&[vec![1, 2], vec![2], vec![0], vec![]]);
        for weights in [
            by_pagerank(&graph),
            by_inlinks(&graph),
            by_depth(&graph, &[0]),
            by_sitemap(&[Some(1.0), None, Some(0.1), Some(7.0)]),
            uniform(4),
        ] {
            assert!((weights.iter().sum::<f64>() - 4.0).abs() < 1e-9, "{weights:?}");
        }
        assert_eq!(by_inlinks(&graph), normalised(vec![2.0, 2.0, 3.0, 1.0]));
        assert_eq!(by_depth(&graph, &[0]), normalised(vec![1.0, 0.5, 0.5, 1.0 / 3.0]));
        // Nothing links to node 3, so it is the seed; nothing leads to the others.
        assert_eq!(by_depth(&graph, &[]), normalised(vec![0.5, 0.5, 0.5, 1.0]));
    }

    #[test]
    fn weights_that_are_all_zero_or_no_numbers_count_alike() {
        assert_eq!(normalised(vec![0.0, f64::NAN, -1.0]), [1.0, 1.0, 1.0]);
        assert!(normalised(Vec::new()).is_empty());
    }

    #[test]
    fn a_users_table_may_have_a_head_and_a_row_for_the_rest() {
        let table = WeightTable::parse(
            b"url,weight\nhttp://a/,3\nhttp://b/, 1\n*,0.5\nbad\nhttp://c/,-1\n\xff,2\n",
            str::to_owned,
        );
        assert_eq!(table.problems.len(), 3);
        assert_eq!(
            table.of(["http://a/", "http://b/", "http://x/"].into_iter()),
            normalised(vec![3.0, 1.0, 0.5])
        );
        assert!(table.misses(["http://x/"].into_iter()) && !table.misses(["http://b/"].into_iter()));
        assert!(!WeightTable::parse(b"*,1\n", str::to_owned).misses(["http://x/"].into_iter()));
        assert!("pagerank".parse::<ImportanceBy>().is_ok() && "x".parse::<ImportanceBy>().is_err());
    }
}
