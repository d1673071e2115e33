//! Where archives come from: files, directories, globs, lists and standard input.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::blob::Blob;
use crate::error::{Error, Result};

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name, as the user gave it; `-` for standard input.
    pub name: String,
    /// Whether the user named it, rather than a directory it stands in.
    pub named: bool,
}

/// Directories nested deeper than this are not followed: links may run in circles.
const DEPTH: usize = 64;

/// Expands the arguments into files, in a fixed order; each file once.
pub fn expand(arguments: &[String]) -> Result<Vec<Source>> {
    let mut expander = Expander::default();
    for argument in arguments {
        expander.argument(argument)?;
    }
    Ok(expander.sources)
}

#[derive(Default)]
struct Expander {
    sources: Vec<Source>,
    seen: BTreeSet<PathBuf>,
    stdin_used: bool,
}

impl Expander {
    fn argument(&mut self, argument: &str) -> Result<()> {
        if argument == "-" {
            self.take_stdin()?;
            self.sources.push(Source { name: "-".to_owned(), named: true });
            return Ok(());
        }
        if let Some(list) = argument.strip_prefix('@').filter(|_| !Path::new(argument).exists()) {
            return self.list(list);
        }
        self.path(argument)
    }

    fn take_stdin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.stdin_used, true) {
            return Err(Error::usage("standard input can be read only once"));
        }
        Ok(())
    }

    fn list(&mut self, list: &str) -> Result<()> {
        let reader: Box<dyn Read> = if list == "-" {
            self.take_stdin()?;
            Box::new(io::stdin())
        } else {
            let file = File::open(list).map_err(|error| {
                Error::usage(format!("{error}"))
                    .at_file(list)
                    .with_remedy("name a list of inputs, one path a line")
            })?;
            Box::new(file)
        };
        for line in BufReader::new(reader).lines() {
            let line = line
                .map_err(|error| Error::usage(format!("the list cannot be read: {error}")).at_file(list))?;
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.path(line)?;
            }
        }
        Ok(())
    }

    fn path(&mut self, argument: &str) -> Result<()> {
        match fs::metadata(argument) {
            Ok(metadata) if metadata.is_dir() => self.directory(Path::new(argument), 0),
            Ok(_) => {
                self.file(PathBuf::from(argument), true);
                Ok(())
            }
            Err(_) if argument.contains(['*', '?', '[']) => self.glob(argument),
            Err(error) => Err(Error::usage(error.to_string()).at_file(argument)),
        }
    }

    fn glob(&mut self, pattern: &str) -> Result<()> {
        let paths = glob::glob(pattern).map_err(|error| Error::usage(format!("{error}")).at_file(pattern))?;
        let paths: BTreeSet<PathBuf> = paths.filter_map(std::result::Result::ok).collect();
        if paths.is_empty() {
            return Err(Error::usage("no file matches").at_file(pattern));
        }
        for path in paths {
            if path.is_dir() { self.directory(&path, 0)? } else { self.file(path, true) }
        }
        Ok(())
    }

    fn directory(&mut self, directory: &Path, depth: usize) -> Result<()> {
        let entries =
            fs::read_dir(directory).map_err(|error| Error::usage(error.to_string()).at_file(directory))?;
        let mut paths: Vec<PathBuf> =
            entries.filter_map(std::result::Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
            if hidden || depth > DEPTH {
                continue;
            }
            if path.is_dir() { self.directory(&path, depth + 1)? } else { self.file(path, false) }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, named: bool) {
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.seen.insert(identity) {
            self.sources.push(Source { name: path.to_string_lossy().into_owned(), named });
        }
    }
}

impl Source {
    /// Opens the input for random access. A pipe is first copied to a temporary file that no name leads to.
    pub fn open(&self) -> io::Result<Blob> {
        if self.name == "-" {
            return blob_of_stream(stdin_file()?);
        }
        blob_of_stream(File::open(&self.name)?)
    }
}

fn stdin_file() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

fn blob_of_stream(mut file: File) -> io::Result<Blob> {
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return Blob::file(file);
    }
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut spooled = tempfile::tempfile()?;
    io::copy(&mut file, &mut spooled)?;
    Blob::file(spooled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_globs_and_lists_give_each_file_once_in_a_fixed_order() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name).to_string_lossy().into_owned();
        fs::create_dir(at("sub")).unwrap();
        for name in ["b.warc", "a.warc", ".hidden", "sub/c.warc"] {
            fs::write(at(name), "x").unwrap();
        }
        fs::write(at("list.txt"), format!("# comment\n\n{}\n{}\n", at("b.warc"), at("a.warc"))).unwrap();
        let names = |arguments: &[String]| -> Vec<String> {
            expand(arguments).unwrap().into_iter().map(|source| source.name).collect()
        };
        let all = [at("a.warc"), at("b.warc"), at("list.txt"), at("sub/c.warc")];
        assert_eq!(names(&[directory.path().to_string_lossy().into_owned()]), all);
        assert_eq!(names(&[at("*.warc"), at("a.warc")]), all[..2]);
        assert_eq!(names(&[format!("@{}", at("list.txt"))]), [at("b.warc"), at("a.warc")]);
        let missing = expand(&[at("nothing.warc")]).unwrap_err();
        assert!(missing.to_string().contains("nothing.warc"), "{missing}");
        assert!(expand(&[at("*.nothing")]).is_err());
    }
}
