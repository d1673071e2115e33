//! Bytes of an archive that is not on this disk: a program of the user's gives the ranges that are asked for.
//!
//! The program is started without a shell, with three more arguments: the name of the archive as an index has it, the offset
//! and the length of the range. It writes the bytes to its standard output; fewer only where the archive ends. A name comes
//! from an index, so it is hostile: it is one argument, whatever it holds, and a name that could be taken for an option is
//! refused.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use super::source::path_of;

/// What is asked for at once, at least: starting a program for every few bytes would be slow.
const MIN_REQUEST_BYTES: u64 = 256 << 10;

/// Longer than any archive: how long one is, its program does not say.
pub(crate) const LENGTH: u64 = 1 << 62;

/// A program that gives ranges of archives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeReader {
    program: String,
    arguments: Vec<String>,
}

impl RangeReader {
    /// A program and its first arguments, separated by spaces.
    pub(crate) fn parse(command: &str) -> Result<Self, String> {
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or("name a program")?;
        Ok(RangeReader { program, arguments: words.collect() })
    }

    /// A range of an archive; shorter only where the archive ends.
    fn range(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        if name.starts_with('-') || name.is_empty() {
            let why = "its name could be taken for an option of the program that fetches archives";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .arg::<&OsStr>(path_of(name).as_os_str())
            .args([offset.to_string(), length.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| self.fault(&format!("cannot be started: {error}")))?;
        let read = take(&mut child, length);
        let is_too_long = read.as_ref().is_ok_and(|bytes| bytes.len() as u64 > length);
        if read.is_err() || is_too_long {
            // It may have ended already.
            let _ = child.kill();
        }
        let status = child.wait()?;
        let bytes = read?;
        match () {
            () if is_too_long => Err(self.fault("gave more bytes than it was asked for")),
            () if !status.success() => Err(self.fault(&format!("failed ({status})"))),
            () => Ok(bytes),
        }
    }

    fn fault(&self, what: &str) -> io::Error {
        io::Error::other(FetchFailed(format!("the program {} of --fetch {what}", self.program)))
    }
}

/// The program did not give the bytes: this says nothing about the archive.
#[derive(Debug)]
struct FetchFailed(String);

impl fmt::Display for FetchFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FetchFailed {}

/// Whether bytes are missing because the program failed.
pub(crate) fn is_fetch_failure(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<FetchFailed>())
}

/// What the program writes: one byte more than wanted shows that it does not keep to the range.
fn take(child: &mut Child, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(output) = child.stdout.take() {
        output.take(length.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// An archive that a program gives ranges of; the last range is kept.
#[derive(Debug)]
pub(crate) struct Remote {
    reader: Arc<RangeReader>,
    name: String,
    held: Mutex<Held>,
}

/// What is known of an archive.
#[derive(Debug, Default)]
struct Held {
    offset: u64,
    bytes: Vec<u8>,
    /// Where it ends, once a range came short. Nothing behind is asked for: a program that ignores the offset has no end.
    end: Option<u64>,
}

impl Held {
    fn fetch(&mut self, reader: &RangeReader, name: &str, offset: u64, length: u64) -> io::Result<()> {
        let most = self.end.map_or(length, |end| length.min(end.saturating_sub(offset)));
        self.bytes = if most == 0 { Vec::new() } else { reader.range(name, offset, most)? };
        self.offset = offset;
        let count = self.bytes.len() as u64;
        if count < most {
            self.end = Some(offset.saturating_add(count));
        }
        Ok(())
    }
}

impl Remote {
    pub(crate) fn new(reader: Arc<RangeReader>, name: &str) -> Self {
        Remote { reader, name: name.to_owned(), held: Mutex::default() }
    }

    /// Fills `buffer` from `offset` on; gives fewer bytes only at the end.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let has = |held: &Held| {
            let from = offset.checked_sub(held.offset)?;
            let rest = held.bytes.get(usize::try_from(from).ok()?..)?;
            (rest.len() >= buffer.len()).then_some(from as usize)
        };
        let from = match has(&held) {
            Some(from) => from,
            None => {
                let length = (buffer.len() as u64).max(MIN_REQUEST_BYTES);
                held.fetch(&self.reader, &self.name, offset, length)?;
                0
            }
        };
        let rest = &held.bytes[from..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::blob::Blob;

    fn reader(command: &str) -> Arc<RangeReader> {
        Arc::new(RangeReader::parse(command).unwrap())
    }

    #[test]
    fn ranges_are_what_the_program_writes_and_end_where_the_archive_ends() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("range.sh");
        std::fs::write(&script, "printf x >>\"$0.count\"\ntail -c +$(($2 + 1)) \"$1\" | head -c \"$3\"\n")
            .unwrap();
        let hostile = folder.path().join("$(touch gone);a b'\"`id`.warc");
        std::fs::write(&hostile, "0123456789").unwrap();
        let command = format!("sh {}", script.display());
        let blob = Blob::remote(reader(&command), hostile.to_str().unwrap());
        assert_eq!(blob.bytes_at(2, 4).unwrap(), b"2345");
        assert_eq!(blob.section(2, 100).bytes_at(3, 2).unwrap(), b"56");
        assert_eq!(std::fs::read(folder.path().join("range.sh.count")).unwrap(), b"x", "one start for both");
        assert_eq!(blob.bytes_at(8, 9).unwrap(), b"89");
        assert_eq!(blob.bytes_at(99, 9).unwrap(), b"");
    }

    #[test]
    fn a_program_that_gives_the_same_at_every_offset_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("same.sh");
        std::fs::write(&script, "printf x >>\"$0.count\"\nprintf 0123456789\n").unwrap();
        let blob = Blob::remote(reader(&format!("sh {}", script.display())), "a");
        assert_eq!(blob.bytes_at(0, 20).unwrap(), b"0123456789");
        for offset in [10, 20, 1 << 40] {
            assert_eq!(blob.bytes_at(offset, 20).unwrap(), b"", "{offset}");
        }
        assert_eq!(std::fs::read(folder.path().join("same.sh.count")).unwrap(), b"x");
    }

    #[test]
    fn a_program_that_fails_or_does_not_keep_to_the_range_is_an_error() {
        for (command, name, says) in [
            ("false", "a", "failed"),
            ("/nowhere/at/all", "a", "cannot be started"),
            ("cat /dev/zero", "/dev/null", "more bytes"),
            ("echo", "-n", "option"),
            ("echo", "", "option"),
        ] {
            let error = Blob::remote(reader(command), name).bytes_at(0, 10).unwrap_err();
            assert!(error.to_string().contains(says), "{command}: {error}");
        }
        assert!(RangeReader::parse("  ").is_err());
    }
}
