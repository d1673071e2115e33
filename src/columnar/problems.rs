//! Writes and reads the Parquet table of problems, one row per problem.

use parquet::errors::Result;

use super::rows;
use super::table::{Cell, CellKind, TableWriter};
use crate::archive::blob::Blob;
use crate::problem::Problem;

/// The version of the columns.
const SCHEMA: &str = "acuity.problems/1";

/// The problems as the bytes of a Parquet file.
pub(crate) fn table(problems: &[Problem]) -> Result<Vec<u8>> {
    let columns = Problem::COLUMNS
        .map(|name| (name.to_owned(), if name == "offset" { CellKind::Number } else { CellKind::Text }));
    let mut table = TableWriter::new(SCHEMA, &columns, &[])?;
    for problem in problems {
        table.push([
            Cell::text(Some(problem.level.word())),
            Cell::text(Some(&*problem.kind)),
            Cell::text(Some(&*problem.file)),
            Cell::number(problem.offset),
            Cell::text(problem.record_id.as_deref()),
            Cell::text(Some(&*problem.message)),
            Cell::text(problem.remedy.as_deref()),
        ])?;
    }
    table.finish()
}

/// The problems of such a file, as far as it can be read.
pub(crate) fn read(blob: &Blob) -> Vec<Problem> {
    let mut problems = Vec::new();
    // What was read before damage counts.
    let _ = rows::for_each(blob, "problems", &["level", "message"], &mut |row| {
        problems.extend(serde_json::from_value(serde_json::Value::Object(row)).ok());
    });
    problems
}
