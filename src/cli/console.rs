//! What the user sees besides the data: progress and the summary of problems, on standard error.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use clap::ValueEnum;

use super::input::UNREADABLE;
use crate::audit::seed_list::NOT_A_SEED;
use crate::format::{bytes, clock_time, count, number};
use crate::ingest::ProblemLog;
use crate::problem::{Level, Problem};
use crate::report::escape::terminal;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressArg {
    /// A moving line on a terminal, elsewhere one line per minute
    Auto,
    /// One JSON object every ten seconds, and one at the end
    Json,
}

/// Shows the progress of a run: bytes, rate and the time left.
pub(super) struct Progress {
    total: u64,
    done: Cell<u64>,
    started: Instant,
    shown: Cell<Option<Instant>>,
    style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Terminal,
    Lines,
    Json,
    Silent,
}

impl Progress {
    /// For `total` bytes of input.
    pub(super) fn new(total: u64, how: ProgressArg, quiet: bool) -> Self {
        let style = match how {
            ProgressArg::Json => Style::Json,
            ProgressArg::Auto if quiet => Style::Silent,
            ProgressArg::Auto if io::stderr().is_terminal() => Style::Terminal,
            ProgressArg::Auto => Style::Lines,
        };
        Progress { total, done: Cell::new(0), started: Instant::now(), shown: Cell::new(None), style }
    }

    /// Bytes done so far.
    pub(super) fn done(&self) -> u64 {
        self.done.get()
    }

    /// Seconds since the run started.
    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// More bytes are done.
    pub(super) fn advance(&self, bytes: u64) {
        self.done.set(self.done.get() + bytes);
        if self.is_due(Instant::now()) {
            self.show(false);
        }
    }

    /// Whether progress is to be shown now.
    fn is_due(&self, now: Instant) -> bool {
        let pause = match self.style {
            Style::Silent => return false,
            Style::Terminal => Duration::from_millis(250),
            Style::Json => Duration::from_secs(10),
            Style::Lines => Duration::from_secs(60),
        };
        let last = self.shown.get().or((self.style != Style::Terminal).then_some(self.started));
        let is_due = last.is_none_or(|last| now - last > pause);
        if is_due {
            self.shown.set(Some(now));
        }
        is_due
    }

    /// All bytes of input, if that is known: of a pipe it is not.
    fn known_total(&self) -> Option<u64> {
        Some(self.total).filter(|total| *total >= self.done.get().max(1))
    }

    fn text(&self) -> String {
        let done = self.done.get();
        let rate = done as f64 / self.seconds().max(1e-3);
        let so_far = format!("{}/s", bytes(rate as u64));
        match self.known_total() {
            Some(total) => {
                let left = clock_time((total - done) as f64 / rate.max(1.0));
                format!("{} of {}, {so_far}, {left} left", bytes(done), bytes(total))
            }
            None => format!("{}, {so_far}", bytes(done)),
        }
    }

    fn show(&self, is_last: bool) {
        let (done, seconds) = (self.done.get(), self.seconds().max(1e-3));
        // Standard error may be gone; that is no reason to stop.
        let _ = match self.style {
            Style::Silent => Ok(()),
            Style::Terminal => write!(io::stderr(), "\r\x1b[K{}", self.text()),
            Style::Lines => writeln!(io::stderr(), "{}", self.text()),
            Style::Json => {
                let event = if is_last { "done" } else { "progress" };
                let total = self.known_total().map_or("null".to_owned(), |total| total.to_string());
                writeln!(
                    io::stderr(),
                    r#"{{"event":"{event}","bytes":{done},"total_bytes":{total},"seconds":{seconds:.3}}}"#
                )
            }
        };
    }

    /// Wipes the moving line.
    pub(super) fn wipe(&self) {
        if self.style == Style::Terminal && self.shown.get().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    /// The run is over.
    pub(super) fn finish(&self) {
        self.wipe();
        if self.style == Style::Json {
            self.show(true);
        }
    }
}

/// How many inputs that cannot be read are named; of other problems one of each kind.
const NAMED: usize = 20;

/// Writes which inputs and which lines of seeds cannot be read.
pub(super) fn write_unread(out: &mut dyn Write, log: &ProblemLog) -> io::Result<()> {
    write_named(out, log, UNREADABLE, "input")?;
    write_named(out, log, NOT_A_SEED, "line of seeds")
}

/// Writes the problems of a kind, each with its file; `noun` is what could not be read.
fn write_named(out: &mut dyn Write, log: &ProblemLog, kind: &str, noun: &str) -> io::Result<()> {
    let all: u64 = log.counts().filter(|(_, found, _)| *found == kind).map(|(.., many)| many).sum();
    if all == 0 {
        return Ok(());
    }
    writeln!(out, "{} could not be read:", count(all, noun))?;
    let mut shown = 0;
    for problem in log.kept().iter().filter(|problem| problem.kind == kind).take(NAMED) {
        writeln!(out, "  {}: {}", terminal(&problem.file), terminal(&problem.message))?;
        shown += 1;
    }
    if all > shown {
        writeln!(out, "  … and {} more; --problems FILE writes all of them", number(all - shown))?;
    }
    Ok(())
}

/// Writes the problems by kind, each with its first place. Inputs that cannot be read are all named, since each is a gap in what was
/// asked for.
pub(super) fn write_problems(out: &mut dyn Write, log: &ProblemLog, all_in: Option<&str>) -> io::Result<()> {
    let total: u64 = log.counts().map(|(_, _, many)| many).sum();
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "{}:", count(total, "problem"))?;
    for (level, kind, many) in log.counts() {
        writeln!(out, "  {:<7} {kind:<24} {many:>8}", level.word())?;
        if level == Level::Note {
            continue;
        }
        let named = if kind == UNREADABLE { NAMED } else { 1 };
        let same = |found: &&Problem| found.level == level && found.kind == kind;
        let mut shown = 0;
        for problem in log.kept().iter().filter(same).take(named) {
            let offset = problem.offset.map(|offset| format!(" at {offset}")).unwrap_or_default();
            writeln!(out, "          {}{offset}: {}", terminal(&problem.file), terminal(&problem.message))?;
            if let Some(remedy) =
                problem.remedy.as_ref().filter(|_| matches!(kind, "unknown-input" | "zip-entry-unreadable"))
            {
                writeln!(out, "          {}", terminal(remedy))?;
            }
            shown += 1;
        }
        if named > 1 && many > shown {
            writeln!(out, "          … and {} more", number(many - shown))?;
        }
    }
    match all_in {
        Some(file) => writeln!(out, "  all of them with their places: {}", terminal(file)),
        None => writeln!(out, "  --problems FILE writes all of them with their places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_a_terminal_progress_is_a_line_a_minute() {
        let shown = |style: Style| {
            let progress = Progress { style, ..Progress::new(1000, ProgressArg::Auto, true) };
            let second = |second: u64| progress.started + Duration::from_secs(second);
            (0..=600).filter(|now| progress.is_due(second(*now))).collect::<Vec<u64>>()
        };
        assert_eq!(shown(Style::Lines), [61, 122, 183, 244, 305, 366, 427, 488, 549]);
        assert_eq!(shown(Style::Json).len(), 54);
        assert!(shown(Style::Silent).is_empty());
    }

    #[test]
    fn of_a_pipe_no_total_and_no_end_is_said() {
        let text = |total: u64| {
            let progress = Progress::new(total, ProgressArg::Auto, true);
            progress.done.set(25_000);
            progress.text()
        };
        assert!(
            text(50_000).contains(" of 50.0 KB, ") && text(50_000).ends_with(" left"),
            "{}",
            text(50_000)
        );
        assert!(text(0).starts_with("25.0 KB, ") && text(0).ends_with("/s"), "{}", text(0));
    }
}
