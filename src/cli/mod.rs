//! The command line: arguments, input, output, exit codes. Everything else is in the library.

mod args;
mod at;
mod crawls;
mod extras;
mod custody;
mod audit;
mod audit_args;
mod audited;
mod collection;
mod completions;
mod console;
mod diff;
mod exhibits;
mod exit;
mod explain_change;
mod exported;
mod fetch;
mod files;
mod front_pages;
mod index;
mod input;
mod interrupt;
mod left_out;
mod logs;
mod merge;
mod metrics;
mod name_as;
mod output;
mod page_records;
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod plan;
mod proofs;
mod rate_prior;
mod rebuild;
mod report;
mod report_file;
pub mod schedule;
mod schedule_args;
mod screen;
mod select;
mod simulate;
mod sitemaps;
mod timeline;
mod typed;
mod values;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

pub use args::{Cli, command};
pub use exit::Exit;

use self::output::Unwritable;
use crate::error::ErrorKind;
use crate::report::escape::terminal;

/// Runs the program.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output; a closed pipe is not reported.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    interrupt::watch();
    match std::panic::catch_unwind(|| args::execute(&cli)) {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) => failure(&error).into(),
        Err(_) => {
            let _ = writeln!(io::stderr(), "acuity: internal fault; please report it with the message above");
            Exit::Internal.into()
        }
    }
}

/// Says what went wrong; the exit code says whose fault it was.
fn failure(error: &anyhow::Error) -> Exit {
    let is_broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        let known = match cause.downcast_ref::<crate::Error>().map(crate::Error::kind) {
            Some(ErrorKind::Io(error)) => Some(error.kind()),
            _ => cause.downcast_ref::<io::Error>().map(io::Error::kind),
        };
        known.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
            == Some(io::ErrorKind::BrokenPipe)
    };
    // Broken pipe: the reader is gone, exit 0.
    if error.chain().any(is_broken_pipe) {
        return Exit::Done;
    }
    let known = error.downcast_ref::<crate::Error>();
    let mut stderr = io::stderr().lock();
    let _ = writeln!(stderr, "acuity: {}", terminal(&format!("{error:#}")));
    if let Some(remedy) = known.and_then(crate::Error::remedy) {
        let _ = writeln!(stderr, "hint: {}", terminal(remedy));
    }
    match known.map(crate::Error::kind) {
        _ if Unwritable::caused(error) => Exit::Unwritable,
        Some(ErrorKind::Usage(_)) => Exit::Usage,
        Some(ErrorKind::Io(_) | ErrorKind::Data(_)) => Exit::Unreadable,
        // Output that cannot be written: the path given does not work.
        None if error.chain().any(|cause| cause.is::<io::Error>()) => Exit::Usage,
        None => Exit::Internal,
    }
}
