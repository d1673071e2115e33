//! Crawls and observation windows: which observations are looked at together.
//!
//! Crawlers rarely fetch a URL twice within one crawl, so the two looks that show whether a page stood still mostly
//! lie in two crawls. The user names them (`--visit`, `--revisit`), or they are found: captures are grouped by the
//! crawl or collection their warcinfo names (else by file), split where the archive is silent for long, and groups
//! are joined again when they overlap in time, or follow closely and share hardly any URL, as the files of one crawl do.

use std::collections::{HashMap, HashSet};

use crate::capture::intern::Id;
use crate::capture::table::{Row, Table};
use crate::time::{Instant, Interval, SECOND};

/// How observations are divided into crawls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Division {
    /// All of them are one window.
    #[default]
    Whole,
    /// Found by warcinfo, collection and silence.
    Auto,
    /// The inputs of the visit and those of the revisit; other inputs are not looked at.
    Sets {
        /// Numbers of the inputs that hold the visit.
        visit: Vec<u32>,
        /// Numbers of the inputs that hold the revisit.
        revisit: Vec<u32>,
    },
}

/// One crawl: what it is called, when it ran, how many observations it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crawl {
    /// Names given by the archive (collections, warcinfo ids or files), at most [`Crawl::NAMES`], sorted.
    pub names: Vec<String>,
    /// First and last observation.
    pub span: Interval,
    /// How many observations it has.
    pub observations: usize,
}

impl Crawl {
    /// How many names are kept.
    pub(crate) const NAMES: usize = 20;
}

/// The crawls of a table in time order, and for every row the crawl it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crawls {
    /// The crawls.
    pub crawls: Vec<Crawl>,
    /// For every row of the table the number of its crawl; `None` where it lies outside of what was asked for.
    pub of_row: Vec<Option<u32>>,
    /// The silence that splits crawls, in microseconds, where it was used.
    pub silence: Option<i64>,
}

/// Divides the rows that lie in `[from, to]`.
pub(crate) fn divide(
    table: &Table,
    division: &Division,
    from: Option<Instant>,
    to: Option<Instant>,
) -> Crawls {
    let inside = |row: &Row| from.is_none_or(|from| row.time >= from) && to.is_none_or(|to| row.time <= to);
    let mut silence = None;
    let mut of_row: Vec<Option<u32>> = match division {
        Division::Whole => table.rows().iter().map(|row| inside(row).then_some(0)).collect(),
        Division::Sets { visit, revisit } => table
            .rows()
            .iter()
            .map(|row| match () {
                () if !inside(row) => None,
                () if visit.contains(&row.input) => Some(0),
                () if revisit.contains(&row.input) => Some(1),
                () => None,
            })
            .collect(),
        Division::Auto => {
            let quiet = quiet(table);
            silence = Some(quiet);
            find(table, inside, quiet)
        }
    };
    let crawls = describe(table, &mut of_row);
    Crawls { crawls, of_row, silence }
}

/// The silence that splits: an hour, or a hundred times the usual pause between two captures if that is longer.
fn quiet(table: &Table) -> i64 {
    let mut times: Vec<i64> = table.rows().iter().map(|row| row.time.0).collect();
    times.sort_unstable();
    let mut pauses: Vec<i64> =
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).filter(|pause| *pause > 0).collect();
    let usual = match pauses.len() {
        0 => 0,
        count => *pauses.select_nth_unstable(count / 2).1,
    };
    usual.saturating_mul(100).max(3600 * SECOND)
}

struct Group {
    span: Interval,
    rows: Vec<u32>,
}

fn find(table: &Table, inside: impl Fn(&Row) -> bool, quiet: i64) -> Vec<Option<u32>> {
    let rows = table.rows();
    let mut labelled: HashMap<Id, Vec<u32>> = HashMap::new();
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| inside(row)) {
        labelled.entry(row.crawl.unwrap_or(row.file)).or_default().push(place as u32);
    }
    let mut groups: Vec<Group> = Vec::new();
    for mut places in labelled.into_values() {
        places.sort_unstable_by_key(|place| (rows[*place as usize].time, *place));
        for place in places {
            let time = rows[place as usize].time;
            match groups.last_mut() {
                Some(group)
                    if !group.rows.is_empty()
                        && time.0.saturating_sub(group.span.to.0) <= quiet
                        && same_label(&rows[group.rows[0] as usize], &rows[place as usize]) =>
                {
                    group.span.to = time;
                    group.rows.push(place);
                }
                _ => groups.push(Group { span: Interval { from: time, to: time }, rows: vec![place] }),
            }
        }
    }
    groups.sort_unstable_by_key(|group| (group.span.from, group.span.to, group.rows[0]));
    let mut of_row = vec![None; rows.len()];
    let mut crawl = 0u32;
    let mut end = Instant(i64::MIN);
    let mut seen: HashSet<Id> = HashSet::new();
    for group in &groups {
        let keys: HashSet<Id> = group.rows.iter().map(|place| rows[*place as usize].key).collect();
        let shared = keys.iter().filter(|key| seen.contains(key)).count();
        let overlaps = group.span.from <= end;
        let follows = group.span.from.0.saturating_sub(end.0) <= quiet && shared * 100 <= keys.len();
        if !(seen.is_empty() || overlaps || follows) {
            crawl += 1;
            seen.clear();
        }
        seen.extend(keys);
        end = end.max(group.span.to);
        for place in &group.rows {
            of_row[*place as usize] = Some(crawl);
        }
    }
    of_row
}

fn same_label(one: &Row, other: &Row) -> bool {
    one.crawl.unwrap_or(one.file) == other.crawl.unwrap_or(other.file)
}

/// Describes the crawls, in time order of their first observation, and renumbers the rows accordingly.
fn describe(table: &Table, of_row: &mut [Option<u32>]) -> Vec<Crawl> {
    let mut found: HashMap<u32, (Interval, usize, HashSet<Id>)> = HashMap::new();
    for (row, crawl) in table.rows().iter().zip(of_row.iter()) {
        let Some(crawl) = crawl else { continue };
        let span = Interval { from: row.time, to: row.end };
        let (whole, count, names) = found.entry(*crawl).or_insert((span, 0, HashSet::new()));
        whole.from = whole.from.min(span.from);
        whole.to = whole.to.max(span.to);
        *count += 1;
        names.insert(row.crawl.unwrap_or(row.file));
    }
    let mut numbers: Vec<u32> = found.keys().copied().collect();
    numbers.sort_unstable_by_key(|number| (found[number].0.from, *number));
    let place: HashMap<u32, u32> = numbers.iter().zip(0..).map(|(number, place)| (*number, place)).collect();
    for crawl in of_row.iter_mut().flatten() {
        *crawl = place[crawl];
    }
    numbers
        .iter()
        .map(|number| {
            let (span, observations, names) = &found[number];
            let mut names: Vec<String> = names.iter().map(|name| table.text(*name).to_owned()).collect();
            names.sort_unstable();
            names.truncate(Crawl::NAMES);
            Crawl { names, span: *span, observations: *observations }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{look_at, parse};
    use crate::capture::{Observation, table::TableBuilder};

    fn crawl(start: &str, pages: std::ops::Range<i64>, name: &str) -> Vec<Observation> {
        let start = parse(start);
        pages
            .clone()
            .map(|page| {
                let time = start.plus((page - pages.start) * 10 * SECOND);
                look_at(&format!("http://a.example/{page}"), time).crawl(name).build()
            })
            .collect()
    }

    fn spans(observations: &[Observation]) -> Vec<(usize, Vec<String>)> {
        let table = Table::of(observations);
        divide(&table, &Division::Auto, None, None)
            .crawls
            .into_iter()
            .map(|crawl| (crawl.observations, crawl.names))
            .collect()
    }

    #[test]
    fn two_collections_of_the_same_pages_are_visit_and_revisit() {
        let mut all = crawl("2024-01-01T00:00:00Z", 0..50, "one");
        all.extend(crawl("2024-01-01T00:10:00Z", 0..50, "two"));
        assert_eq!(spans(&all), [(50, vec!["one".to_owned()]), (50, vec!["two".to_owned()])]);
    }

    #[test]
    fn files_of_one_crawl_that_follow_each_other_are_one_crawl() {
        let mut all = crawl("2024-01-01T00:00:00Z", 0..50, "one");
        all.extend(crawl("2024-01-01T00:10:00Z", 50..100, "two"));
        assert_eq!(spans(&all), [(100, vec!["one".to_owned(), "two".to_owned()])]);
    }

    #[test]
    fn writers_at_work_at_the_same_time_are_one_crawl() {
        let mut all = crawl("2024-01-01T00:00:00Z", 0..50, "one");
        all.extend(crawl("2024-01-01T00:01:00Z", 0..50, "two"));
        assert_eq!(spans(&all).len(), 1);
    }

    #[test]
    fn a_long_silence_splits_a_collection() {
        let mut all = crawl("2024-01-01T00:00:00Z", 0..50, "one");
        all.extend(crawl("2024-02-01T00:00:00Z", 0..50, "one"));
        all.extend(crawl("2024-03-01T00:00:00Z", 0..50, "one"));
        assert_eq!(spans(&all).len(), 3);
    }

    #[test]
    fn inputs_named_as_visit_and_revisit_are_the_two_crawls() {
        let mut builder = TableBuilder::new();
        for (input, start) in
            ["2024-02-01T00:00:00Z", "2024-01-01T00:00:00Z", "2024-03-01T00:00:00Z"].into_iter().enumerate()
        {
            for observation in crawl(start, 0..3, "x") {
                builder.push(&observation, input as u32);
            }
        }
        let table = builder.finish();
        let division = Division::Sets { visit: vec![1], revisit: vec![0] };
        let crawls = divide(&table, &division, None, None);
        assert_eq!(crawls.crawls.len(), 2);
        assert_eq!(crawls.crawls[0].span.from, parse("2024-01-01T00:00:00Z"));
        assert_eq!(crawls.of_row.iter().filter(|crawl| crawl.is_none()).count(), 3);
    }

    #[test]
    fn dates_cut_the_window() {
        let table = Table::of(&crawl("2024-01-01T00:00:00Z", 0..50, "one"));
        let from = Some(parse("2024-01-01T00:01:00Z"));
        let crawls = divide(&table, &Division::Whole, from, from.map(|from| from.plus(60 * SECOND)));
        assert_eq!(crawls.crawls[0].observations, 7);
    }
}
