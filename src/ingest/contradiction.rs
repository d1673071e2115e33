//! Contradictory evidence, reported with both places.

use std::io;

use super::codec::{decode, glimpse};
use super::log::ProblemLog;
use super::plan::InputFile;
use super::revisit::resolve::Mistaken;
use super::spool::Spool;
use crate::capture::table::{Row, Table};
use crate::capture::{Contradiction, Kind, Witness};
use crate::problem::{Level, Problem};

/// Marks the records that lines of an index take for other captures, with another digest.
pub(crate) fn contradict(spool: Spool, mistaken: &Mistaken, inputs: &[InputFile]) -> io::Result<Spool> {
    let mut marked = Spool::new(spool.limit());
    spool.drain(&mut |bytes, names| {
        let (mut observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
        let place = glimpse(bytes).and_then(|seen| Some((u32::try_from(seen.file).ok()?, seen.offset?)));
        let index = place.filter(|_| observation.kind != Kind::Index).and_then(|place| mistaken.get(&place));
        if let Some(index) = index.and_then(|index| inputs.get(*index as usize)) {
            let file = index.file.as_str().into();
            let contradiction = Contradiction { witness: Witness::Index, file, offset: None };
            observation.contradicts.get_or_insert(contradiction);
        }
        marked.push(&observation, input)
    })?;
    Ok(marked)
}

/// Reports every capture of the table that a copy or an index contradicts. (A package that does not match its hashes
/// is reported when it is opened, a head that contradicts itself when it is read.)
pub(crate) fn report_contradictions(
    table: &Table,
    inputs: &[InputFile],
    log: &mut ProblemLog,
) -> io::Result<()> {
    // What stands beside the inputs is not judged.
    let is_judged = |row: &&Row| inputs.get(row.input as usize).is_none_or(|input| !input.beside);
    for row in table.rows().iter().filter(is_judged) {
        let message = match table.contradiction(row) {
            None | Some((Witness::Package | Witness::Head, ..)) => continue,
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
                of_index(inputs.get(row.witness_input as usize).map_or("an index", |input| &input.file))
            }
            Some((Witness::Index, index, None)) => of_index(index),
            Some((Witness::Index, index, offset)) => {
                let place = place(index, offset);
                format!(
                    "the line at {place} has another digest, status or method for this record: nothing is proven by it"
                )
            }
        };
        log.push(problem(table, row, message))?;
    }
    log.flush()
}

fn of_index(index: &str) -> String {
    format!("{index:?} has another digest, status or method for this record: nothing is proven by it")
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
