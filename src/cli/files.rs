//! The inputs and outputs of one run: no output may replace an input or another output. Both are refused before anything is
//! written.
//!
//! Files are compared by device and inode, so that links and other spellings of a path do not hide one. Devices and pipes
//! are not compared: writing to them destroys nothing.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::archive::blob::Blob;
use crate::archive::sniff::{Content, sniff};
use crate::archive::source::{Source, path_of};
use crate::error::{Error, Result};
use crate::ingest::InputFile;

/// The identity of a file, whatever its path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Place {
    /// Standard output.
    Stdout,
    /// A file that is there: its device and inode.
    There(u64, u64),
    /// One that is not there yet.
    New(PathBuf),
}

impl Place {
    /// `None` for devices and pipes, which many may write to.
    fn of(path: &Path) -> Option<Place> {
        match fs::metadata(path) {
            Ok(file) if file.is_file() => Some(Place::There(file.dev(), file.ino())),
            Ok(_) => None,
            Err(_) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new("."));
                let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder)).ok()?;
                Some(Place::New(folder.join(path.file_name()?)))
            }
        }
    }
}

/// What is read and what is written.
#[derive(Debug, Default)]
pub struct Files {
    read: HashMap<Place, Reads>,
    written: HashMap<Place, String>,
}

/// A file that is read.
#[derive(Debug, Clone)]
struct Reads {
    path: PathBuf,
    /// Whether it was only found in a folder: it is read if it is an archive, which an earlier report is not.
    found: bool,
}

impl Reads {
    fn is_taken(&self) -> bool {
        let told = |file| Blob::file(file).and_then(|blob| sniff(&blob));
        !self.found
            || !matches!(File::open(&self.path).and_then(told), Ok((_, Content::Text | Content::Empty)))
    }
}

impl Files {
    /// A file that is written by an option; `-` is standard output.
    ///
    /// # Errors
    /// Where another option writes it too, or it is read.
    pub fn write(&mut self, option: &str, path: Option<&Path>) -> Result<()> {
        let place = match path {
            None => return Ok(()),
            Some(path) if path.as_os_str() == "-" => Some(Place::Stdout),
            Some(path) => Place::of(path),
        };
        let (Some(path), Some(place)) = (path, place) else { return Ok(()) };
        if self.read.get(&place).is_some_and(Reads::is_taken) {
            return Err(overwritten(option, path));
        }
        if let Some(other) = self.written.insert(place.clone(), option.to_owned()) {
            let what = match place {
                Place::Stdout => "standard output".to_owned(),
                _ => path.display().to_string(),
            };
            let message = format!("{other} and {option} would both write to {what}");
            return Err(Error::usage(message).with_remedy("name a file for each"));
        }
        Ok(())
    }

    /// Whether an option writes to standard output, so that nothing else may.
    pub fn take_stdout(&self) -> bool {
        self.written.contains_key(&Place::Stdout)
    }

    /// A file that is read, besides the archives.
    ///
    /// # Errors
    /// Where an option would write it.
    pub fn read(&mut self, path: Option<&Path>) -> Result<()> {
        path.map_or(Ok(()), |path| self.reads(Reads { path: path.to_owned(), found: false }))
    }

    /// The archives that are read.
    ///
    /// # Errors
    /// Where an option would write one of them.
    pub fn read_sources(&mut self, sources: &[Source]) -> Result<()> {
        let archives = sources.iter().filter(|source| source.name != "-");
        archives
            .map(|source| Reads { path: source.path().into_owned(), found: !source.named })
            .try_for_each(|file| self.reads(file))
    }

    /// What was read: a list of packages may have led to others.
    ///
    /// # Errors
    /// Where an option would write one of them.
    pub fn have_read(&mut self, files: &[InputFile]) -> Result<()> {
        let archives = files.iter().filter(|file| file.source != "-");
        archives
            .map(|file| Reads { path: path_of(&file.source).into_owned(), found: false })
            .try_for_each(|file| self.reads(file))
    }

    fn reads(&mut self, file: Reads) -> Result<()> {
        let Some(place @ Place::There(..)) = Place::of(&file.path) else { return Ok(()) };
        match self.written.get(&place) {
            Some(option) if file.is_taken() => Err(overwritten(option, &file.path)),
            _ => {
                self.read.insert(place, file);
                Ok(())
            }
        }
    }
}

fn overwritten(option: &str, path: &Path) -> Error {
    let message = format!("{option} would write over {}, which is an input", path.display());
    Error::usage(message).with_remedy("name another file; nothing was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_every_name_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.warc", "b.warc"] {
            fs::write(at(name), "WARC/1.0\r\n").unwrap();
        }
        fs::hard_link(at("a.warc"), at("hard")).unwrap();
        std::os::unix::fs::symlink(at("a.warc"), at("soft")).unwrap();
        let source = |name: &str, named| Source { named, ..Source::named(at(name).to_string_lossy()) };
        for other in ["a.warc", "hard", "soft", "../missing/../a.warc"] {
            let mut files = Files::default();
            let written = files.write("--html", Some(&at(other)));
            let read = files.read_sources(&[source("a.warc", false)]);
            let is_there = at(other).exists();
            assert!(written.is_ok() && read.is_err() == is_there, "{other}");
            let mut files = Files::default();
            files.read_sources(&[source("a.warc", true)]).unwrap();
            assert_eq!(files.write("--html", Some(&at(other))).is_err(), is_there, "{other}");
        }
        let mut files = Files::default();
        files.read_sources(&[source("a.warc", true)]).unwrap();
        files.write("--html", Some(&at("b.warc"))).unwrap();
        assert!(files.write("--json", Some(&folder.path().join(".").join("b.warc"))).is_err());
        files.write("--csv", Some(&at("new"))).unwrap();
        assert!(files.write("--json", Some(&folder.path().join(".").join("new"))).is_err());
    }

    #[test]
    fn an_earlier_report_in_a_folder_of_archives_may_be_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let report = folder.path().join("report.json");
        fs::write(&report, "{\"schema\": \"acuity.audit/1\"}\n").unwrap();
        let source = |named| Source { named, ..Source::named(report.to_string_lossy()) };
        let mut files = Files::default();
        files.write("--json", Some(&report)).unwrap();
        files.read_sources(&[source(false)]).unwrap();
        assert!(files.read_sources(&[source(true)]).is_err());
    }

    #[test]
    fn standard_output_is_taken_once_and_devices_as_often_as_one_likes() {
        let mut files = Files::default();
        for option in ["--html", "--json"] {
            files.write(option, Some(Path::new("/dev/null"))).unwrap();
        }
        assert!(!files.take_stdout());
        files.write("--missing", Some(Path::new("-"))).unwrap();
        assert!(files.take_stdout());
        let error = files.write("--json", Some(Path::new("-"))).unwrap_err();
        assert_eq!(error.to_string(), "--missing and --json would both write to standard output");
    }
}
