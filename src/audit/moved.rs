//! Archives that cannot be read again: an index names them, but they are no longer at their path. Figures that need
//! bodies then lack what is in them, and a report has to say so.

use std::collections::BTreeMap;

use super::bodies::holds_body;
use crate::archive::source::path_of;
use crate::capture::intern::Id;
use crate::capture::table::Table;
use crate::problem::{Level, Problem};

/// Captures in archives that cannot be read again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Per input: captures whose bodies cannot be read again.
    pub captures: BTreeMap<u32, u64>,
    /// One for each archive.
    pub problems: Vec<Problem>,
}

/// How many captures of each input have their body in each archive.
#[derive(Debug, Default)]
pub(crate) struct Holdings(BTreeMap<String, BTreeMap<u32, u64>>);

impl Holdings {
    /// Adds the captures of a table.
    pub(crate) fn add(&mut self, table: &Table) {
        let mut counts: BTreeMap<(Id, u32), u64> = BTreeMap::new();
        for row in table.rows().iter().filter(|row| holds_body(row)) {
            *counts.entry((row.file, row.input)).or_default() += 1;
        }
        for ((file, input), count) in counts {
            let archive = self.0.entry(table.text(file).to_owned()).or_default();
            *archive.entry(input).or_default() += count;
        }
    }
}

/// Looks for every archive that holds bodies. One `stat` per archive.
pub(crate) fn moved(holdings: &Holdings) -> Moved {
    let mut moved = Moved::default();
    for (file, inputs) in &holdings.0 {
        if is_readable(file) {
            continue;
        }
        let count: u64 = inputs.values().sum();
        let (level, why) = match file.as_str() {
            "-" => (Level::Note, "standard input can be read only once"),
            _ => (Level::Warning, "the archive is not at this path"),
        };
        let message = format!(
            "the bodies of {count} captures cannot be read again, because {why}: how much their changes matter is unknown, \
             and their pages are not compared block by block"
        );
        let remedy = "put the archive where the index says it is, or audit the archives themselves";
        let problem = Problem::new(level, "bodies-not-readable", message).in_file(file);
        moved.problems.push(problem.with_remedy(remedy));
        for (input, count) in inputs {
            *moved.captures.entry(*input).or_default() += count;
        }
    }
    moved
}

/// Whether the file, or the package that an entry is in, can be opened.
fn is_readable(file: &str) -> bool {
    let mut name = file;
    loop {
        if path_of(name).is_file() {
            return true;
        }
        match name.rsplit_once('#') {
            Some((package, _)) => name = package,
            None => return false,
        }
    }
}
