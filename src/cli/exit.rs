//! Exit codes: what a job can rely on.

use std::process::ExitCode;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Everything was done.
    Done = 0,
    /// A limit that was asked for is not met.
    BarNotMet = 1,
    /// The command line does not make sense, or names a file that is not there.
    Usage = 2,
    /// Some input could not be read, or a driven download failed; the rest was done.
    Unreadable = 3,
    /// A fault in the program itself.
    Internal = 70,
    /// An output could not be written to its end: the disk is full.
    Unwritable = 74,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// The table of exit codes for `--help` and the man page.
pub(super) const HELP: &str = "\
Exit codes:
   0  done
   1  a limit that was asked for is not met
   2  usage: a wrong option, or a path that does not exist
   3  some input could not be read, or some downloads of --drive failed; the rest was done
  70  internal fault
  74  an output could not be written to its end, such as on a full disk";
