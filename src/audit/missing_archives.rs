//! Archives whose bodies cannot be read again: an index names them, but they are no longer at their path, or they are other files
//! than they were. Figures that need bodies then lack what is in them, and a report has to say so.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use super::bodies::{Bodies, Spot, holds_body};
use crate::archive::source::path_of;
use crate::capture::intern::Id;
use crate::capture::table::{Row, Table};
use crate::digest::{BodyDigest, Digest};
use crate::problem::{Level, Problem};

/// Captures in archives that cannot be read again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Whether versions were to be compared block by block.
    compared: bool,
    /// Per input: captures whose bodies cannot be read again.
    pub captures: BTreeMap<u32, u64>,
    /// One for each archive.
    pub problems: Vec<Problem>,
}

/// Why bodies cannot be read again of an archive that this run has read.
const CHANGED: &str = "the archive changed while it was audited";

/// How many captures of each input have their body in each archive.
#[derive(Debug, Default)]
pub(crate) struct Holdings {
    archives: BTreeMap<String, Archive>,
    /// The lengths of the archives that were read themselves in this run.
    read: HashMap<String, u64>,
}

#[derive(Debug, Default)]
struct Archive {
    captures: BTreeMap<u32, u64>,
    /// Its first and its last body that is known by a digest: in an archive that was cut, replaced or compressed anew, one of them
    /// is not at its place.
    ends: Option<(Probe, Probe)>,
}

/// The place of a body, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Probe {
    offset: u64,
    record_id: Option<String>,
    length: Option<u64>,
    declared: Option<Digest>,
    body: Option<BodyDigest>,
}

impl Probe {
    fn of(table: &Table, row: &Row) -> Self {
        let Spot { offset, length, record_id, declared, body, .. } = Spot::of(table, row);
        Probe { offset, length, record_id: record_id.map(str::to_owned), declared, body }
    }

    fn spot<'a>(&'a self, file: &'a str) -> Spot<'a> {
        let Probe { offset, length, declared, body, .. } = *self;
        Spot { file, offset, length, record_id: self.record_id.as_deref(), declared, body }
    }
}

/// Visits all captures, as one table or as several.
pub(crate) type EachTable<'a> = dyn Fn(&mut dyn FnMut(&Table) -> io::Result<()>) -> io::Result<()> + 'a;

impl Holdings {
    /// Nothing yet; these archives were read themselves, and had this many bytes.
    pub(crate) fn beside(read: impl Iterator<Item = (String, u64)>) -> Self {
        Holdings { read: read.collect(), ..Holdings::default() }
    }

    /// Adds the captures of a table.
    pub(crate) fn add(&mut self, table: &Table) {
        let mut counts: BTreeMap<(Id, u32), u64> = BTreeMap::new();
        let mut ends: HashMap<Id, (&Row, &Row)> = HashMap::new();
        let key = |row: &Row| (row.offset, row.record_id.map(|id| table.text(id)));
        for row in table.rows().iter().filter(|row| holds_body(row)) {
            *counts.entry((row.file, row.input)).or_default() += 1;
            if row.truncated || (row.body.is_none() && row.declared.is_none()) {
                continue;
            }
            let (first, last) = ends.entry(row.file).or_insert((row, row));
            if key(row) < key(first) {
                *first = row;
            }
            if key(row) > key(last) {
                *last = row;
            }
        }
        for ((file, input), count) in counts {
            let archive = self.archives.entry(table.text(file).to_owned()).or_default();
            *archive.captures.entry(input).or_default() += count;
        }
        for (file, (first, last)) in ends {
            let archive = self.archives.entry(table.text(file).to_owned()).or_default();
            let (first, last) = (Probe::of(table, first), Probe::of(table, last));
            archive.ends = Some(match archive.ends.take() {
                Some((lowest, highest)) => (lowest.min(first), highest.max(last)),
                None => (first, last),
            });
        }
    }

    /// The length and the time of modification of every archive that is there.
    pub(crate) fn states(&self) -> BTreeMap<String, (u64, Option<SystemTime>)> {
        let state = |file: &String| {
            let found = path_at(file)?.metadata().ok()?;
            Some((file.clone(), (found.len(), found.modified().ok())))
        };
        self.archives.keys().filter_map(state).collect()
    }

    /// Whether the ends of an archive are not what they were. Those of one that was just read, and is as long as it was, are.
    fn is_other(&self, file: &str, archive: &Archive, bodies: &Bodies) -> bool {
        if let Some(length) = self.read.get(file)
            && path_of(file).metadata().map_or(file.contains('#'), |found| found.len() == *length)
        {
            return false;
        }
        let ends = archive.ends.iter().flat_map(|(first, last)| [last, first]);
        ends.into_iter().any(|probe| !bodies.has(&probe.spot(file)))
    }
}

/// Looks for every archive that holds bodies, and for two bodies in each that was not just read. All bodies of an archive that is
/// another one than it was are tried.
///
/// # Errors
/// When captures cannot be read from the disk.
pub(crate) fn moved(holdings: &Holdings, compared: bool, each_table: &EachTable<'_>) -> io::Result<Moved> {
    let bodies = Bodies::default();
    let mut moved = Moved { compared, ..Moved::default() };
    let mut others: BTreeSet<&str> = BTreeSet::new();
    for (file, archive) in &holdings.archives {
        if path_at(file).is_some() {
            if holdings.is_other(file, archive, &bodies) {
                others.insert(file);
            }
            continue;
        }
        let (level, why) = match file.as_str() {
            "-" => (Level::Note, "standard input can be read only once"),
            _ if holdings.read.contains_key(file) => (Level::Error, CHANGED),
            _ => (Level::Warning, "the archive is not at this path"),
        };
        moved.add(file, &archive.captures, level, why);
    }
    for (file, captures) in lost(&others, each_table)? {
        let (level, why) = match holdings.read.contains_key(&file) {
            true => (Level::Error, CHANGED),
            false => {
                (Level::Warning, "the archive has other bytes at their places, or none that can be read")
            }
        };
        moved.add(&file, &captures, level, why);
    }
    Ok(moved)
}

/// The archives that changed since they had these states, and their captures whose bodies cannot be read again.
///
/// # Errors
/// When captures cannot be read from the disk.
pub(crate) fn changed_since(
    states: &BTreeMap<String, (u64, Option<SystemTime>)>,
    holdings: &Holdings,
    compared: bool,
    each_table: &EachTable<'_>,
) -> io::Result<Moved> {
    let now = holdings.states();
    let others: BTreeSet<&str> = states
        .iter()
        .filter(|(file, state)| now.get(*file) != Some(state))
        .map(|(file, _)| &**file)
        .collect();
    let mut moved = Moved { compared, ..Moved::default() };
    for (file, captures) in lost(&others, each_table)? {
        moved.add(&file, &captures, Level::Error, CHANGED);
    }
    Ok(moved)
}

/// The captures in these archives whose bodies are not where they were, by archive and input.
fn lost(
    files: &BTreeSet<&str>,
    each_table: &EachTable<'_>,
) -> io::Result<BTreeMap<String, BTreeMap<u32, u64>>> {
    let mut lost: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    if files.is_empty() {
        return Ok(lost);
    }
    let bodies = Bodies::default();
    each_table(&mut |table| {
        for row in table.rows().iter().filter(|row| holds_body(row)) {
            let file = table.text(row.file);
            if files.contains(file) && !bodies.has(&Spot::of(table, row)) {
                *lost.entry(file.to_owned()).or_default().entry(row.input).or_default() += 1;
            }
        }
        Ok(())
    })?;
    Ok(lost)
}

impl Moved {
    fn add(&mut self, file: &str, captures: &BTreeMap<u32, u64>, level: Level, why: &str) {
        let count: u64 = captures.values().sum();
        let lacking = match self.compared {
            true => {
                "how much their changes matter is unknown, their pages are not compared block by block, and blank responses, \
                 repeated error pages and what robots.txt forbids are not recognised"
            }
            false => "blank responses, repeated error pages and what robots.txt forbids are not recognised",
        };
        let message =
            format!("the bodies of {count} captures cannot be read again, because {why}: {lacking}");
        let remedy = "put the archive where the index says it is, or audit the archives themselves";
        let problem = Problem::new(level, "bodies-not-readable", message).in_file(file);
        self.problems.push(problem.with_remedy(remedy));
        for (input, count) in captures {
            *self.captures.entry(*input).or_default() += count;
        }
    }
}

/// The path of a file, or of the package that an entry is in, if it is there.
fn path_at(file: &str) -> Option<PathBuf> {
    let mut name = file;
    loop {
        let path = path_of(name);
        if path.is_file() {
            return Some(path.into());
        }
        name = name.rsplit_once('#')?.0;
    }
}
