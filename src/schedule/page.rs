//! The pages of the next crawl, from wherever they come.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::baseline::bfs::breadth_first;
use super::baseline::dfs::depth_first;
use super::links::Links;
use super::pattern::Pattern;
use super::subsite::{Group, GroupBy};
use crate::error::{Error, Result};
use crate::time::Instant;
use crate::url::SiteBy;

/// A page to be scheduled.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its URL, or any name.
    pub url: Arc<str>,
    /// Pages of one lane are fetched one after another, lanes in parallel. Usually the host.
    pub lane: Arc<str>,
    /// Changes per second, `0 ≤ λ ≤ ∞`.
    pub rate: f64,
    /// Importance, `0 ≤ w < ∞`.
    pub weight: f64,
    /// The subsite it belongs to.
    pub group: Option<Group>,
    /// What it does at which time of the day, if that is known.
    pub pattern: Option<Pattern>,
    /// What its rate rests on.
    pub basis: Basis,
    /// Its first and last capture in the last crawl.
    pub looks: Option<(Instant, Instant)>,
    /// The latest time at which it was seen to have changed.
    pub changed: Option<Instant>,
    /// When crawls that follow links find it, if links are known.
    pub found: Option<Found>,
}

/// The places, from 0, at which crawls that follow the links of a site fetch a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    pub breadth: u32,
    pub depth: u32,
}

impl Found {
    /// The places of all pages of a site.
    pub fn by(links: &Links) -> Vec<Found> {
        let mut found = vec![Found { breadth: 0, depth: 0 }; links.len()];
        for (place, page) in (0..).zip(breadth_first(links)) {
            found[page as usize].breadth = place;
        }
        for (place, page) in (0..).zip(depth_first(links)) {
            found[page as usize].depth = place;
        }
        found
    }
}

/// What the rate of a page rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Basis {
    /// The page itself: its captures, its dates, the sitemap, or a table.
    #[default]
    Own,
    /// Other pages of its folder or site: nothing is known of the page itself.
    Others,
    /// Other pages of its site: it is linked but was never captured.
    Uncaptured,
}

impl Page {
    /// Whether it is known how often it changes itself. Of a page that differs at every request, only that is known.
    pub(crate) fn has_own_rate(&self) -> bool {
        self.basis == Basis::Own && self.rate.is_finite()
    }

    /// A page of weight one in the lane without a name.
    pub fn new(url: &str, rate: f64) -> Self {
        Page {
            url: url.into(),
            lane: "".into(),
            rate,
            weight: 1.0,
            group: None,
            pattern: None,
            basis: Basis::Own,
            looks: None,
            changed: None,
            found: None,
        }
    }
}

/// The time that a rate is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RateUnit {
    #[default]
    Second,
    Hour,
    Day,
}

impl RateUnit {
    pub(crate) fn seconds(self) -> f64 {
        match self {
            RateUnit::Second => 1.0,
            RateUnit::Hour => 3_600.0,
            RateUnit::Day => 86_400.0,
        }
    }
}

/// The greatest sum of weights. Behind it, products with days and rates are not numbers any more.
const MAX_WEIGHT: f64 = 1e200;

/// The columns of a table of rates.
const COLUMNS: [&str; 4] = ["page", "rate", "weight", "group"];

/// Reads a table with the columns `page`, `rate` and, if there are any, `weight` and `group`; the names of the others,
/// which are skipped, are returned. Pages that are `http` or `https` URLs are in the lane of their host, other names in one lane; each is
/// listed once. Rates may be `0` or `inf`.
pub(crate) fn pages_from_rates_csv(table: impl Read, unit: RateUnit) -> Result<(Vec<Page>, Vec<String>)> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(true).from_reader(table);
    let headers = reader.byte_headers().map_err(not_csv)?.clone();
    let names: Vec<String> = headers
        .iter()
        .map(|header| String::from_utf8_lossy(header).trim_start_matches('\u{feff}').to_ascii_lowercase())
        .collect();
    let column = |name: &str| names.iter().position(|header| header == name);
    let twice = |name: &&str| names.iter().filter(|header| header == name).count() > 1;
    if let Some(name) = COLUMNS.into_iter().find(twice) {
        return Err(Error::data(format!("the table has two columns {name:?}")));
    }
    let (Some(page), Some(rate)) = (column("page"), column("rate")) else {
        return Err(Error::data("the table has no columns \"page\" and \"rate\"")
            .with_remedy("let the first line be: page,rate,weight"));
    };
    let (weight, group) = (column("weight"), column("group"));
    let mut lanes: HashMap<String, Arc<str>> = HashMap::new();
    let mut pages = Vec::new();
    let mut lines: HashMap<Arc<str>, u64> = HashMap::new();
    let mut record = csv::ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(not_csv)? {
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() > names.len() {
            let message = format!("line {line} has {} cells, the first line {}", record.len(), names.len());
            return Err(Error::data(message).with_remedy("put a URL with a comma into double quotes"));
        }
        let field = |column: usize| String::from_utf8_lossy(record.get(column).unwrap_or_default());
        let number = |column: usize, what: &str, greatest: f64| {
            let text = field(column);
            text.parse::<f64>().ok().filter(|value| *value >= 0.0 && *value <= greatest).ok_or_else(|| {
                Error::data(format!("line {line}: {text:?} is not a {what}"))
                    .with_remedy(format!("a {what} is a number, zero or more"))
            })
        };
        let weight = match weight {
            Some(column) if !field(column).is_empty() => number(column, "weight", f64::MAX)?,
            _ => 1.0,
        };
        let url: Arc<str> = field(page).into();
        if url.is_empty() {
            return Err(Error::data(format!("line {line} names no page"))
                .with_remedy("give every page a URL or a name"));
        }
        let host = lane_of(&url);
        if let Some(before) = lines.insert(url.clone(), line) {
            let message = format!("line {line}: the page {url:?} is already in line {before}");
            return Err(Error::data(message).with_remedy("list every page once"));
        }
        pages.push(Page {
            url,
            lane: match lanes.get(&host) {
                Some(lane) => lane.clone(),
                None => lanes.entry(host.clone()).or_insert_with(|| host.as_str().into()).clone(),
            },
            rate: number(rate, "rate", f64::INFINITY)? / unit.seconds(),
            weight,
            group: group
                .map(field)
                .filter(|name| !name.is_empty())
                .map(|name| Group { name: name.into(), by: GroupBy::Table }),
            pattern: None,
            basis: Basis::Own,
            looks: None,
            changed: None,
            found: None,
        });
    }
    if pages.is_empty() {
        return Err(Error::data("the table lists no page")
            .with_remedy("write a line for every page: http://a.example/,0.5"));
    }
    if pages.iter().map(|page| page.weight).sum::<f64>() > MAX_WEIGHT {
        return Err(Error::data("the weights of the table are too great to be added up")
            .with_remedy("divide all of them by the greatest: only their ratios count"));
    }
    let others = names.into_iter().filter(|name| !name.is_empty() && !COLUMNS.contains(&name.as_str()));
    Ok((pages, others.collect()))
}

/// The host of a URL, as an audit names it; no name for what is no URL.
fn lane_of(url: &str) -> String {
    let is_web =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme));
    let site = (is_web("http://") || is_web("https://")).then(|| SiteBy::Host.site_of(url));
    site.flatten().unwrap_or_default()
}

fn not_csv(error: csv::Error) -> Error {
    Error::data(format!("not a table: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_rates_is_read_in_any_column_order_and_unit() {
        let table = "weight,page,note,rate\n2,http://a/,x,24\n,\"http://b/,1\",,inf\n0,c,,0\n";
        let (pages, others) = pages_from_rates_csv(table.as_bytes(), RateUnit::Day).unwrap();
        assert_eq!(others, ["note"]);
        assert_eq!(pages[0].rate, 24.0 / 86_400.0);
        assert_eq!((&*pages[1].url, pages[1].rate, pages[1].weight), ("http://b/,1", f64::INFINITY, 1.0));
        assert_eq!((pages[2].rate, pages[2].weight), (0.0, 0.0));
    }

    #[test]
    fn pages_of_a_table_are_in_the_lanes_of_their_hosts() {
        let table = "page,rate\nhttp://www.h1.example/a,1\nHTTPS://h1.example/b,1\nhttp://h2.example:8080/,1\nh3.example/a,1\np,1\n";
        let (pages, _) = pages_from_rates_csv(table.as_bytes(), RateUnit::Day).unwrap();
        let lanes: Vec<&str> = pages.iter().map(|page| &*page.lane).collect();
        assert_eq!(lanes, ["h1.example", "h1.example", "h2.example:8080", "", ""]);
    }

    #[test]
    fn what_is_no_rate_is_refused_with_its_line() {
        for (table, message) in [
            ("page,rate\na,1\nb,-1\n", "line 3"),
            ("page,rate\na,nan\n", "NaN is not a rate"),
            ("page,rate\na,\n", "line 2"),
            ("page,rate,weight\na,1,inf\n", "weight"),
            ("url,rate\na,1\n", "columns"),
            ("page,rate\na,1\nb,1\na,2\n", "line 4: the page \"a\" is already in line 2"),
            ("page,rate\na,1,2\n", "line 2 has 3 cells, the first line 2"),
            ("page,rate,Rate\na,1,2\n", "two columns \"rate\""),
            ("page,rate\na,1\n,2\n", "line 3 names no page"),
            ("page,rate\n", "lists no page"),
            ("page,rate,weight\na,1,1e308\nb,1,1e308\n", "too great"),
        ] {
            let error = pages_from_rates_csv(table.as_bytes(), RateUnit::Second).unwrap_err().to_string();
            assert!(
                error.to_lowercase().contains(&message.to_lowercase().replace("nan is", "\"nan\" is")),
                "{error}"
            );
        }
    }
}
