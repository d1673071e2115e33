//! Unnamed temporary files, and a clear error where they cannot be created or written.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// An unnamed temporary file.
///
/// # Errors
/// [`Failed`], if none can be created.
pub(crate) fn file() -> io::Result<File> {
    named(tempfile::tempfile())
}

/// Adds the folder to an error on a temporary file.
///
/// # Errors
/// [`Failed`], if `result` is an error.
pub(crate) fn named<T>(result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| {
        // Hide the random name of the temporary file.
        let cause = error.get_ref().and_then(std::error::Error::source).map(ToString::to_string);
        let cause = cause.unwrap_or_else(|| error.to_string());
        io::Error::new(error.kind(), Failed { folder: std::env::temp_dir(), cause })
    })
}

/// A temporary file could not be created or written.
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
