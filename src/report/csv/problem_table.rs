//! The table of problems, written as they are found: a row for every problem, however many there are.

use std::io::{self, Write};

use super::cell;
use super::columns::PROBLEMS;
use crate::ingest::log::ProblemWriter;
use crate::problem::Problem;

/// Writes the rows of problems.csv.
pub(crate) struct ProblemTable(::csv::Writer<Box<dyn Write>>);

impl ProblemTable {
    /// A table with its header.
    pub(crate) fn new(out: Box<dyn Write>) -> io::Result<Self> {
        let mut writer = ::csv::Writer::from_writer(out);
        writer.write_record(PROBLEMS)?;
        Ok(ProblemTable(writer))
    }
}

impl ProblemWriter for ProblemTable {
    fn write(&mut self, problem: &Problem) -> io::Result<()> {
        let value = serde_json::to_value(problem)?;
        Ok(self.0.write_record(PROBLEMS.iter().map(|column| cell(&value, column)))?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
