//! Contradictory evidence, reported with both places.

use std::io;

use super::log::ProblemLog;
use super::plan::InputFile;
use crate::capture::Witness;
use crate::capture::table::{Row, Table};
use crate::problem::{Level, Problem};

/// Reports every capture of the table that a copy or an index contradicts. (A package that does not match its hashes
/// is reported when it is opened.)
pub(crate) fn report_contradictions(
    table: &Table,
    inputs: &[InputFile],
    log: &mut ProblemLog,
) -> io::Result<()> {
    for row in table.rows() {
        let message = match table.contradiction(row) {
            None | Some((Witness::Package, ..)) => continue,
            Some((Witness::Copy, file, offset)) => {
                let place = place(file, offset);
                format!(
                    "the record at {place} has the same id, URL and date but other content: nothing is proven by either"
                )
            }
            Some((Witness::Request, file, offset)) => format!(
                "the request at {} is not GET and may be this record's: nothing is proven by it",
                place(file, offset)
            ),
            Some((Witness::Index, "", _)) => {
                let index = inputs.get(row.witness_input as usize).map_or("an index", |input| &input.file);
                format!("{index:?} has another digest or status for this record: nothing is proven by it")
            }
            Some((Witness::Index, index, offset)) => {
                let place = place(index, offset);
                format!(
                    "the line at {place} has another digest or status for this record: nothing is proven by it"
                )
            }
        };
        log.push(problem(table, row, message))?;
    }
    log.flush()
}

fn problem(table: &Table, row: &Row, message: String) -> Problem {
    let id = row.record_id.map(|id| table.text(id));
    let problem = Problem::new(Level::Warning, "contradictory-evidence", message)
        .in_file(table.text(row.file))
        .of_record(id)
        .with_remedy("find out which of the two was altered");
    match row.offset {
        Some(offset) => problem.at(offset),
        None => problem,
    }
}

fn place(file: &str, offset: Option<u64>) -> String {
    match offset {
        Some(offset) => format!("offset {offset} of {file:?}"),
        None => format!("{file:?}"),
    }
}
