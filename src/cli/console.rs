//! What the user sees besides the data: progress and the summary of problems, on standard error.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::format::{bytes, count};
use crate::ingest::ProblemLog;
use crate::problem::Level;
use crate::report::escape::terminal;

/// Progress on a terminal: bytes, rate and the time that is left. Silent elsewhere.
pub(super) struct Progress {
    total: u64,
    done: Cell<u64>,
    started: Instant,
    shown: Cell<Option<Instant>>,
    visible: bool,
}

impl Progress {
    /// For `total` bytes of input.
    pub(super) fn new(total: u64, quiet: bool) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        Progress { total, done: Cell::new(0), started: Instant::now(), shown: Cell::new(None), visible }
    }

    /// More bytes are done.
    pub(super) fn advance(&self, more: u64) {
        self.done.set(self.done.get() + more);
        let now = Instant::now();
        let due = self.shown.get().is_none_or(|shown| now - shown > Duration::from_millis(250));
        if self.visible && due {
            self.shown.set(Some(now));
            let seconds = (now - self.started).as_secs_f64().max(1e-3);
            let rate = self.done.get() as f64 / seconds;
            let left = self.total.saturating_sub(self.done.get()) as f64 / rate.max(1.0);
            // The terminal may be gone; that is no reason to stop.
            let _ = write!(
                io::stderr(),
                "\r\x1b[K{} of {}, {}/s, {} left",
                bytes(self.done.get()),
                bytes(self.total),
                bytes(rate as u64),
                seconds_text(left)
            );
        }
    }

    /// Wipes the line.
    pub(super) fn finish(&self) {
        if self.visible && self.shown.get().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn seconds_text(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    if seconds >= 3600 {
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    } else {
        format!("{}:{:02}", seconds / 60, seconds % 60)
    }
}

/// Writes the problems by kind, each with its first place.
pub(super) fn write_problems(out: &mut dyn Write, log: &ProblemLog, all_in: Option<&str>) -> io::Result<()> {
    let total: u64 = log.counts().map(|(_, _, many)| many).sum();
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "{}:", count(total, "problem"))?;
    for (level, kind, many) in log.counts() {
        let level_name = match level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        };
        writeln!(out, "  {level_name:<7} {kind:<24} {many:>8}")?;
        if level == Level::Note {
            continue;
        }
        for problem in log.kept().iter().filter(|found| found.level == level && found.kind == kind).take(1) {
            let offset = problem.offset.map(|offset| format!(" at {offset}")).unwrap_or_default();
            writeln!(out, "          {}{offset}: {}", terminal(&problem.file), terminal(&problem.message))?;
        }
    }
    match all_in {
        Some(file) => writeln!(out, "  all of them with their places: {}", terminal(file)),
        None => writeln!(out, "  --problems FILE writes all of them with their places"),
    }
}
