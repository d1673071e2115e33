//! Lines of a table as they come: a bench may take minutes.

use std::fmt::Arguments;
use std::io::Write;

/// Prints a line at once.
pub fn print(line: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// The words behind `--`: only what they name is run.
pub fn wanted() -> String {
    std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default()
}
