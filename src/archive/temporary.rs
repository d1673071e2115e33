//! Temporary files that no name leads to, and what is said where they cannot be made or written.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// A temporary file.
///
/// # Errors
/// With [`Failed`] inside, where none can be made.
pub(crate) fn file() -> io::Result<File> {
    named(tempfile::tempfile())
}

/// An error on a temporary file, with the folder it lies in.
///
/// # Errors
/// With [`Failed`] inside, where there was one.
pub(crate) fn named<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        // The name that was tried says nothing.
        let cause = error.get_ref().and_then(std::error::Error::source).map(ToString::to_string);
        let cause = cause.unwrap_or_else(|| error.to_string());
        io::Error::new(error.kind(), Failed { folder: std::env::temp_dir(), cause })
    })
}

/// A temporary file could not be made or written.
#[derive(Debug)]
pub(crate) struct Failed {
    folder: PathBuf,
    cause: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a temporary file in {} (TMPDIR) cannot be written: {}", self.folder.display(), self.cause)
    }
}

impl std::error::Error for Failed {}
