//! Crawls and observation windows: which observations are judged together.
//!
//! Crawlers rarely fetch a URL twice within one crawl, so the two captures that show whether a page stayed the same mostly
//! lie in two crawls. The user names them (`--visit`, `--revisit`), or they are found: captures are grouped by the
//! crawl or collection their warcinfo names (else by file), split where the archive is silent for long, and groups
//! are joined again when they overlap in time, or follow closely and share hardly any URL, as the files of one crawl do.

use std::collections::{HashMap, HashSet};

use crate::capture::division::Stretch;
pub(crate) use crate::capture::division::{Crawl, DivisionTable};
use crate::capture::intern::Id;
use crate::capture::names::Names;
use crate::capture::table::{Row, Table};
use crate::time::{Instant, Interval, SECOND};

/// Two passes make two crawls where at least this share of the URLs was captured once before and once behind one instant.
const REPEATED: f64 = 0.6;
/// Fewer URLs than these show no passes.
const REPEATED_URLS: usize = 5;

/// How observations are divided into crawls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Division {
    /// All of them are one window.
    #[default]
    Whole,
    /// Found by warcinfo, collection and silence.
    Auto,
    /// As it was found for an archive that these observations are a part of.
    Given(Box<DivisionTable>),
    /// The inputs of the visit and those of the revisit; other inputs are not looked at.
    Sets {
        /// Numbers of the inputs that hold the visit.
        visit: Vec<u32>,
        /// Numbers of the inputs that hold the revisit.
        revisit: Vec<u32>,
    },
}

/// The crawls of a table in time order, and for every row the crawl it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crawls {
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
    beside: &[u32],
) -> Crawls {
    let mut divider = Divider::new(division, from, to, beside);
    divider.add(table);
    let divided = divider.finish();
    Crawls { of_row: divided.of_rows(table), crawls: divided.crawls, silence: divided.silence }
}

/// Divides the rows of one table after the other, all of one archive.
#[derive(Debug)]
pub(crate) struct Divider {
    scope: Scope,
    /// Crawls, collections or files, by what rows say they belong to.
    labels: Names,
    /// All rows, where the crawls have to be found.
    seen: Vec<Seen>,
    rows: u32,
    keys: u32,
    found: HashMap<u32, Described>,
}

/// What was asked for.
#[derive(Debug, Clone)]
struct Scope {
    division: Division,
    from: Option<Instant>,
    to: Option<Instant>,
    /// Inputs whose captures belong to crawls, but are not counted.
    beside: Vec<u32>,
}

impl Scope {
    fn takes(&self, row: &Row) -> bool {
        let dated = self.from.is_none_or(|from| row.time >= from) && self.to.is_none_or(|to| row.time < to);
        dated
            && match &self.division {
                Division::Whole | Division::Auto | Division::Given(_) => true,
                Division::Sets { visit, revisit } => {
                    visit.contains(&row.input) || revisit.contains(&row.input)
                }
            }
    }

    /// The crawl of a row where it need not be found.
    fn given(&self, row: &Row) -> u32 {
        match &self.division {
            Division::Sets { visit, .. } if !visit.contains(&row.input) => 1,
            _ => 0,
        }
    }
}

/// The fields of a row that say which crawl it belongs to.
#[derive(Debug, Clone, Copy)]
struct Seen {
    label: u32,
    /// The number of its page.
    key: u32,
    /// The number of the row.
    place: u32,
    inside: bool,
    time: Instant,
    end: Instant,
}

#[derive(Debug)]
struct Described {
    span: Interval,
    observations: usize,
    labels: HashSet<u32>,
}

impl Described {
    fn add(found: &mut HashMap<u32, Described>, crawl: u32, label: u32, span: Interval) {
        let known =
            found.entry(crawl).or_insert_with(|| Described { span, observations: 0, labels: HashSet::new() });
        known.span.from = known.span.from.min(span.from);
        known.span.to = known.span.to.max(span.to);
        known.observations += 1;
        known.labels.insert(label);
    }
}

/// How the rows of an archive are divided.
#[derive(Debug)]
pub(crate) struct Divided {
    /// The crawls, in time order.
    pub crawls: Vec<Crawl>,
    /// The silence that splits crawls, in microseconds, where it was used.
    pub silence: Option<i64>,
    scope: Scope,
    /// The numbers of crawls in time order, by the numbers that they were found with.
    places: HashMap<u32, u32>,
    /// Where crawls were found: for each label its stretches, in time order.
    stretches: HashMap<String, Vec<Stretch>>,
}

impl Divider {
    /// Divides what lies in `[from, to]`.
    ///
    /// Captures of the inputs `beside` are of other sites: they belong to crawls, but no crawl is made of them.
    pub(crate) fn new(
        division: &Division,
        from: Option<Instant>,
        to: Option<Instant>,
        beside: &[u32],
    ) -> Self {
        Divider {
            scope: Scope { division: division.clone(), from, to, beside: beside.to_vec() },
            labels: Names::new(),
            seen: Vec::new(),
            rows: 0,
            keys: 0,
            found: HashMap::new(),
        }
    }

    /// Adds the rows of a table; the keys of the next one follow those of this one.
    pub(crate) fn add(&mut self, table: &Table) {
        let mut labels: HashMap<Id, u32> = HashMap::new();
        for page in table.pages() {
            for row in table.rows_of(page) {
                let place = self.rows;
                self.rows += 1;
                let name = label(row);
                let label = *labels.entry(name).or_insert_with(|| self.labels.intern(table.text(name)));
                let inside = self.scope.takes(row) && !self.scope.beside.contains(&row.input);
                if self.scope.division == Division::Auto {
                    let Row { time, end, .. } = *row;
                    self.seen.push(Seen { label, key: self.keys, place, inside, time, end });
                } else if inside {
                    let span = Interval { from: row.time, to: row.end };
                    Described::add(&mut self.found, self.scope.given(row), label, span);
                }
            }
            self.keys += 1;
        }
    }

    /// Whether a row lies in what was asked for.
    pub(crate) fn takes(&self, row: &Row) -> bool {
        self.scope.takes(row)
    }

    /// The crawls.
    pub(crate) fn finish(mut self) -> Divided {
        if let Division::Given(table) = &self.scope.division {
            let (crawls, silence) = (table.crawls.clone(), table.silence());
            let places = (0..crawls.len() as u32).map(|place| (place, place)).collect();
            let stretches = table.stretches.clone().into_iter().collect();
            return Divided { crawls, silence, places, stretches, scope: self.scope };
        }
        let (mut silence, mut stretches) = (None, HashMap::new());
        if self.scope.division == Division::Auto {
            let quiet = quiet(&self.seen);
            silence = Some(quiet);
            stretches = self.find(quiet);
        }
        let found = self.found;
        let mut numbers: Vec<u32> = found.keys().copied().collect();
        numbers.sort_unstable_by_key(|number| (found[number].span.from, *number));
        let places = numbers.iter().zip(0..).map(|(number, place)| (*number, place)).collect();
        let describe = |number: &u32| {
            let Described { span, observations, labels } = &found[number];
            let mut names: Vec<String> =
                labels.iter().map(|label| self.labels.get(*label).to_owned()).collect();
            names.sort_unstable();
            names.truncate(Crawl::NAMES);
            Crawl { names, span: *span, observations: *observations }
        };
        Divided {
            crawls: numbers.iter().map(describe).collect(),
            silence,
            scope: self.scope,
            places,
            stretches,
        }
    }

    fn find(&mut self, quiet: i64) -> HashMap<String, Vec<Stretch>> {
        let mut seen = std::mem::take(&mut self.seen);
        seen.retain(|row| row.inside);
        seen.sort_unstable_by_key(|row| (row.label, row.time, row.place));
        let mut groups: Vec<&[Seen]> = Vec::new();
        let same = |one: &Seen, next: &Seen| {
            one.label == next.label && next.time.0.saturating_sub(one.time.0) <= quiet
        };
        groups.extend(seen.chunk_by(same).flat_map(passes));
        let span = |group: &[Seen]| Interval { from: group[0].time, to: group[group.len() - 1].time };
        groups.sort_unstable_by_key(|group| (span(group).from, span(group).to, group[0].place));
        let mut stretches: HashMap<String, Vec<Stretch>> = HashMap::new();
        let mut crawl = 0u32;
        let mut end = Instant(i64::MIN);
        let mut known: HashSet<u32> = HashSet::new();
        for group in groups {
            let span = span(group);
            let keys: HashSet<u32> = group.iter().map(|row| row.key).collect();
            let shared = keys.iter().filter(|key| known.contains(key)).count();
            let overlaps = span.from <= end;
            let follows = span.from.0.saturating_sub(end.0) <= quiet && shared * 100 <= keys.len();
            if !(known.is_empty() || overlaps || follows) {
                crawl += 1;
                known.clear();
            }
            known.extend(keys);
            end = end.max(span.to);
            for row in group {
                let span = Interval { from: row.time, to: row.end };
                Described::add(&mut self.found, crawl, row.label, span);
            }
            let name = self.labels.get(group[0].label).to_owned();
            stretches.entry(name).or_default().push(Stretch { from: span.from, to: span.to, crawl });
        }
        stretches
    }
}

impl Divided {
    /// As a table that parts of the archive can be divided by.
    pub(crate) fn table(&self) -> DivisionTable {
        let place = |stretch: &Stretch| {
            let crawl = self.places.get(&stretch.crawl).copied()?;
            Some(Stretch { crawl, ..*stretch })
        };
        let stretches = self.stretches.iter();
        let stretches = stretches.map(|(label, of)| (label.clone(), of.iter().filter_map(place).collect()));
        DivisionTable::new(self.crawls.clone(), self.silence, stretches.collect())
    }

    /// For every row of a table of the archive the number of its crawl.
    pub(crate) fn of_rows(&self, table: &Table) -> Vec<Option<u32>> {
        let mut labels: HashMap<Id, Option<&Vec<Stretch>>> = HashMap::new();
        let mut of_row = |row: &Row| {
            let crawl = match self.scope.division {
                _ if !self.scope.takes(row) => return None,
                Division::Auto | Division::Given(_) => {
                    let name = label(row);
                    let of_label = labels.entry(name).or_insert_with(|| self.stretches.get(table.text(name)));
                    let stretches = of_label.as_ref()?;
                    let behind = stretches.partition_point(|stretch| stretch.from <= row.time);
                    stretches.get(behind.checked_sub(1)?)?.crawl
                }
                _ => self.scope.given(row),
            };
            self.places.get(&crawl).copied()
        };
        table.rows().iter().map(&mut of_row).collect()
    }
}

/// When the second pass begins, where most of `urls` URLs were fetched in one pass and again in another: from the first two captures, at
/// different times, of each URL that has two.
pub(crate) fn second_pass(twice: &[(Instant, Instant)], urls: usize) -> Option<Instant> {
    // Each URL fetched twice wants the cut behind its first capture and not behind its second one.
    let mut ends: Vec<(Instant, i64)> =
        twice.iter().flat_map(|(first, second)| [(first.plus(1), 1), (second.plus(1), -1)]).collect();
    ends.sort_unstable();
    let (mut wanted, mut best, mut is_open) = (0i64, (0i64, Instant(i64::MIN)), false);
    for (at, step) in ends {
        // The second pass begins with the first capture that repeats one.
        if is_open && step < 0 {
            best.1 = at.plus(-1);
            is_open = false;
        }
        wanted += step;
        if wanted > best.0 {
            best = (wanted, at);
            is_open = true;
        }
    }
    let is_enough = urls >= REPEATED_URLS && best.0 as f64 >= REPEATED * urls as f64;
    is_enough.then_some(best.1)
}

/// Divides a stretch in which most URLs were fetched twice or more, one pass after the other.
fn passes(group: &[Seen]) -> Vec<&[Seen]> {
    let mut times: HashMap<u32, (Instant, Option<Instant>)> = HashMap::new();
    for row in group {
        let known = times.entry(row.key).or_insert((row.time, None));
        if known.1.is_none() && row.time > known.0 {
            known.1 = Some(row.time);
        }
    }
    let twice: Vec<(Instant, Instant)> =
        times.values().filter_map(|(first, second)| Some((*first, (*second)?))).collect();
    let Some(begins) = second_pass(&twice, times.len()) else { return vec![group] };
    let (first, second) = group.split_at(group.partition_point(|row| row.time < begins));
    match first.is_empty() || second.is_empty() {
        true => vec![group],
        false => [passes(first), passes(second)].concat(),
    }
}

/// What a row says it belongs to.
fn label(row: &Row) -> Id {
    row.crawl.unwrap_or(row.file)
}

/// The silence that splits: an hour, or a hundred times the usual pause between two captures if that is longer.
fn quiet(seen: &[Seen]) -> i64 {
    let mut times: Vec<i64> = seen.iter().map(|row| row.time.0).collect();
    times.sort_unstable();
    let mut pauses: Vec<i64> =
        times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).filter(|pause| *pause > 0).collect();
    let usual = match pauses.len() {
        0 => 0,
        count => *pauses.select_nth_unstable(count / 2).1,
    };
    usual.saturating_mul(100).max(3600 * SECOND)
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
        divide(&table, &Division::Auto, None, None, &[])
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
    fn two_passes_of_one_crawl_are_found_where_most_urls_repeat() {
        let mut all = crawl("2024-01-01T00:00:00Z", 0..50, "one");
        all.extend(crawl("2024-01-01T00:08:30Z", 0..40, "one"));
        let counts: Vec<usize> = spans(&all).into_iter().map(|(count, _)| count).collect();
        assert_eq!(counts, [50, 40]);
        all.extend(crawl("2024-01-01T00:17:00Z", 0..45, "one"));
        let counts: Vec<usize> = spans(&all).into_iter().map(|(count, _)| count).collect();
        assert_eq!(counts, [50, 40, 45]);
        let mut few = crawl("2024-01-01T00:00:00Z", 0..50, "one");
        few.extend(crawl("2024-01-01T00:08:30Z", 0..10, "one"));
        assert_eq!(spans(&few).len(), 1, "ten pages fetched again are not a second pass");
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
        let crawls = divide(&table, &division, None, None, &[]);
        assert_eq!(crawls.crawls.len(), 2);
        assert_eq!(crawls.crawls[0].span.from, parse("2024-01-01T00:00:00Z"));
        assert_eq!(crawls.of_row.iter().filter(|crawl| crawl.is_none()).count(), 3);
    }

    #[test]
    fn dates_cut_the_window() {
        let table = Table::of(&crawl("2024-01-01T00:00:00Z", 0..50, "one"));
        let from = Some(parse("2024-01-01T00:01:00Z"));
        let crawls = divide(&table, &Division::Whole, from, from.map(|from| from.plus(60 * SECOND)), &[]);
        assert_eq!(crawls.crawls[0].observations, 6, "the end is behind the window");
    }
}
