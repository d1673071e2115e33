//! Errors: what stops the work.
//!
//! A finding about the data is not an error but a [`Problem`](crate::problem::Problem), and what is unknown is
//! `None`. An error says where it happened, what the cause is and, where there is one, the remedy.

use std::fmt;
use std::path::PathBuf;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where in which file something was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, as the user named it.
    pub file: Option<PathBuf>,
    /// Byte offset in that file (of the compressed member, where there is one).
    pub offset: Option<u64>,
    /// `WARC-Record-ID` or another name of the record.
    pub record: Option<String>,
}

/// What went wrong, without the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The caller asked for something that does not make sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The data cannot be read as what it has to be.
    #[error("{0}")]
    Data(String),
}

/// Why the work stopped, where, and what to do about it.
#[derive(Debug)]
pub struct Error {
    kind: Box<ErrorKind>,
    location: Box<Location>,
    remedy: Option<String>,
}

impl Error {
    /// The caller's mistake (exit code 2).
    pub fn usage(message: impl Into<String>) -> Self {
        ErrorKind::Usage(message.into()).into()
    }

    /// A file with unusable content (exit code 3).
    pub fn data(message: impl Into<String>) -> Self {
        ErrorKind::Data(message.into()).into()
    }

    /// Adds the file to the location.
    #[must_use]
    pub fn at_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.location.file = Some(file.into());
        self
    }

    /// Adds the byte offset to the location.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.location.offset = Some(offset);
        self
    }

    /// Says what the user can do about it.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where it went wrong.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<&str> {
        self.remedy.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.location.file {
            write!(f, "{}", file.display())?;
            if let Some(offset) = self.location.offset {
                write!(f, " at byte {offset}")?;
            }
            if let Some(record) = &self.location.record {
                write!(f, " in record {record}")?;
            }
            f.write_str(": ")?;
        }
        let text = self.kind.to_string();
        f.write_str(without_number(&text))
    }
}

/// What the operating system says, without the number that it gives to it.
fn without_number(text: &str) -> &str {
    match text.rfind(" (os error ") {
        Some(at) if text.ends_with(')') => &text[..at],
        _ => text,
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.kind {
            // `Display` already prints the error itself.
            ErrorKind::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl<K: Into<ErrorKind>> From<K> for Error {
    fn from(kind: K) -> Self {
        Error { kind: Box::new(kind.into()), location: Box::default(), remedy: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_offset_and_cause() {
        let error = Error::data("not a zip file").at_file("a.wacz").at_offset(7).with_remedy("repack it");
        assert_eq!(error.to_string(), "a.wacz at byte 7: not a zip file");
        assert_eq!(error.remedy(), Some("repack it"));
        assert!(matches!(error.kind(), ErrorKind::Data(_)));
        let missing = Error::usage("No such file or directory (os error 2)").at_file("a.json");
        assert_eq!(missing.to_string(), "a.json: No such file or directory");
    }
}
