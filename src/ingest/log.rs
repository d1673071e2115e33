//! The findings of a run: counted by kind, the first ones kept, all of them written if asked for.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::problem::{Level, Problem};

/// How many findings are kept in memory; beyond that they are counted (and written, if asked for).
const MAX_KEPT: usize = 10_000;

/// Where findings are written as they come.
pub(crate) trait ProblemWriter {
    fn write(&mut self, problem: &Problem) -> io::Result<()>;

    /// Ends writing.
    fn flush(&mut self) -> io::Result<()>;
}

/// Findings as lines of JSON.
struct Lines(Box<dyn Write>);

impl ProblemWriter for Lines {
    fn write(&mut self, problem: &Problem) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, problem)?;
        self.0.write_all(b"\n")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Collects findings.
#[derive(Default)]
pub struct ProblemLog {
    counts: BTreeMap<(Level, String), u64>,
    kept: Vec<Problem>,
    writer: Option<Box<dyn ProblemWriter>>,
    /// All findings, if they are collected.
    collected: Option<Vec<Problem>>,
}

impl ProblemLog {
    /// A log that also writes every finding as a line of JSON.
    pub fn new(writer: Option<Box<dyn Write>>) -> Self {
        let lines = |writer| Box::new(Lines(writer)) as Box<dyn ProblemWriter>;
        ProblemLog { writer: writer.map(lines), ..ProblemLog::default() }
    }

    /// A log that writes every finding its own way.
    pub(crate) fn writing(writer: Box<dyn ProblemWriter>) -> Self {
        ProblemLog { writer: Some(writer), ..ProblemLog::default() }
    }

    /// A log that keeps all findings, for one archive at a time.
    pub(crate) fn collecting() -> Self {
        ProblemLog { collected: Some(Vec::new()), ..ProblemLog::default() }
    }

    /// The findings of a log that collects.
    pub(crate) fn take_collected(&mut self) -> Vec<Problem> {
        self.collected.take().unwrap_or_default()
    }

    /// Takes a finding.
    pub fn push(&mut self, problem: Problem) -> io::Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.write(&problem)?;
        }
        if let Some(collected) = &mut self.collected {
            collected.push(problem.clone());
        }
        *self.counts.entry((problem.level, problem.kind.clone())).or_default() += 1;
        if self.kept.len() < MAX_KEPT {
            self.kept.push(problem);
        }
        Ok(())
    }

    /// Ends writing.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), |writer| writer.flush())
    }

    /// How many findings of each level and kind there are, gravest first.
    pub fn counts(&self) -> impl Iterator<Item = (Level, &str, u64)> {
        self.counts.iter().rev().map(|((level, kind), count)| (*level, kind.as_str(), *count))
    }

    /// The first findings.
    pub fn kept(&self) -> &[Problem] {
        &self.kept
    }

    /// Whether there is a finding of this level or above.
    pub fn has(&self, least: Level) -> bool {
        self.counts.keys().any(|(level, _)| *level >= least)
    }

    /// Whether something could not be read.
    pub fn has_errors(&self) -> bool {
        self.counts.keys().any(|(level, _)| *level == Level::Error)
    }
}
