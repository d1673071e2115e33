//! Where archives come from: files, directories, globs, lists and standard input.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write as _};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::blob::Blob;
use super::collection::{self, is_collection};
use super::sniff::{self, Content};
use super::temporary;
use crate::error::{Error, Result};

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name as the user gave it, in the form of [`name_of`]; `-` for standard input.
    pub name: String,
    /// Whether the user named it, rather than a folder that contains it.
    pub named: bool,
    /// Why it cannot be read, if that is already known: it does not exist, or the folder cannot be listed.
    pub fault: Option<String>,
    /// Whether it only stands beside the others: they are judged by it, and it is not judged itself.
    pub beside: bool,
}

/// Maximum nesting of folders.
const MAX_DEPTH: usize = 64;
/// Maximum length of a line in a list of inputs, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// Expands the arguments into files, in a fixed order; each file once. A path that does not exist or a folder that cannot
/// be listed becomes a source with a fault, so that the rest is still read.
///
/// # Errors
/// If a list cannot be read, a pattern is invalid, or standard input is named twice.
pub fn expand(arguments: &[impl AsRef<OsStr>]) -> Result<Vec<Source>> {
    expand_so(arguments, Expansion::default())
}

/// How arguments are expanded.
#[derive(Debug, Clone)]
pub(crate) struct Expansion {
    /// Maximum bytes of a list on standard input, a pipe or a device.
    pub max_list: u64,
    /// The collection that is made of the sources, by its true path: neither it nor other collections are searched for archives.
    pub output: Option<PathBuf>,
}

impl Default for Expansion {
    fn default() -> Self {
        Expansion { max_list: 1 << 40, output: None }
    }
}

/// The same, with limits.
///
/// # Errors
/// As [`expand`], and where a list does not end.
pub(crate) fn expand_so(arguments: &[impl AsRef<OsStr>], how: Expansion) -> Result<Vec<Source>> {
    let mut expander = Expander { how, ..Expander::default() };
    for argument in arguments {
        expander.argument(argument.as_ref())?;
    }
    Ok(expander.sources)
}

/// The lists of inputs among the arguments.
pub(crate) fn lists(arguments: &[impl AsRef<OsStr>]) -> impl Iterator<Item = &Path> {
    arguments
        .iter()
        .filter_map(|argument| list_of(argument.as_ref()))
        .filter(|list| *list != "-")
        .map(Path::new)
}

/// The list that `@LIST` names, unless it is the name of a file itself.
fn list_of(argument: &OsStr) -> Option<&OsStr> {
    let list = argument.as_bytes().strip_prefix(b"@").filter(|_| !Path::new(argument).exists())?;
    Some(OsStr::from_bytes(list))
}

/// The last part of a path or URL, whatever the separator; `#` precedes a name inside a package.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\', '#']).next().unwrap_or(path)
}

/// The name of a file as text. Bytes that are not UTF-8 become `\xNN`; a name with such a byte has its backslashes doubled.
pub(crate) fn name_of(path: &Path) -> String {
    if let Some(name) = path.to_str() {
        return name.to_owned();
    }
    let mut name = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        name.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(name, "\\x{byte:02X}");
        }
    }
    name
}

/// The file that a name of [`name_of`] denotes.
pub(crate) fn path_of(name: &str) -> Cow<'_, Path> {
    let plain = Path::new(name);
    if !name.contains("\\x") || plain.exists() {
        return Cow::Borrowed(plain);
    }
    let (mut bytes, mut rest) = (Vec::with_capacity(name.len()), name);
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let code = after.strip_prefix('x').and_then(|code| u8::from_str_radix(code.get(..2)?, 16).ok());
        bytes.push(code.unwrap_or(b'\\'));
        rest = match code {
            Some(_) => &after[3..],
            None => after.strip_prefix('\\').unwrap_or(after),
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    Cow::Owned(PathBuf::from(OsString::from_vec(bytes)))
}

#[derive(Default)]
struct Expander {
    how: Expansion,
    sources: Vec<Source>,
    seen: BTreeSet<PathBuf>,
    /// Folders already listed, by device and inode: links may run in circles.
    folders: HashSet<(u64, u64)>,
    stdin_used: bool,
}

impl Expander {
    fn argument(&mut self, argument: &OsStr) -> Result<()> {
        if argument == "-" {
            self.take_stdin()?;
            self.sources.push(Source::named("-"));
            return Ok(());
        }
        match list_of(argument) {
            Some(list) => self.list(list),
            None => self.path(argument),
        }
    }

    fn take_stdin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.stdin_used, true) {
            return Err(Error::usage("standard input can be read only once"));
        }
        Ok(())
    }

    fn list(&mut self, list: &OsStr) -> Result<()> {
        let (reader, limit): (Box<dyn Read>, u64) = if list == "-" {
            self.take_stdin()?;
            (Box::new(io::stdin()), self.how.max_list)
        } else {
            let file = File::open(list).map_err(|error| {
                Error::usage(format!("{error}"))
                    .at_file(list)
                    .with_remedy("name a list of inputs, one path a line")
            })?;
            let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
            (Box::new(file), if is_file { u64::MAX } else { self.how.max_list })
        };
        let mut reader = BufReader::new(reader);
        let (mut line, mut taken) = (Vec::new(), 0u64);
        loop {
            line.clear();
            let most = MAX_LINE.min(limit - taken);
            let count =
                reader.by_ref().take(most.saturating_add(1)).read_until(b'\n', &mut line).map_err(
                    |error| Error::usage(format!("the list cannot be read: {error}")).at_file(list),
                )? as u64;
            taken = taken.saturating_add(count);
            match () {
                () if count == 0 => return Ok(()),
                () if taken > limit => {
                    let message = format!("the list is longer than {limit} bytes, the limit of --max-input");
                    return Err(Error::data(message).at_file(list));
                }
                () if count > MAX_LINE => {
                    let message = format!(
                        "a line of the list is longer than {MAX_LINE} bytes, longer than any path can be"
                    );
                    return Err(Error::usage(message).at_file(list));
                }
                () => {}
            }
            let path = line.trim_ascii();
            if !path.is_empty() && !path.starts_with(b"#") {
                self.path(OsStr::from_bytes(path))?;
            }
        }
    }

    fn path(&mut self, argument: &OsStr) -> Result<()> {
        let pattern = argument.to_str().filter(|text| text.contains(['*', '?', '[']));
        match (fs::metadata(argument), pattern) {
            (Ok(metadata), _) if metadata.is_dir() => self.directory(Path::new(argument), 0),
            (Ok(_), _) => self.file(PathBuf::from(argument), true),
            (Err(_), Some(pattern)) => return self.glob(pattern),
            (Err(error), None) => self.fault(Path::new(argument), &error),
        }
        Ok(())
    }

    fn fault(&mut self, path: &Path, cause: &dyn std::fmt::Display) {
        if self.seen.insert(path.to_owned()) {
            let fault = Some(cause.to_string());
            self.sources.push(Source { name: name_of(path), named: true, fault, beside: false });
        }
    }

    fn glob(&mut self, pattern: &str) -> Result<()> {
        let paths = glob::glob(pattern).map_err(|error| Error::usage(format!("{error}")).at_file(pattern))?;
        let paths: BTreeSet<PathBuf> = paths.filter_map(std::result::Result::ok).collect();
        if paths.is_empty() {
            self.fault(Path::new(pattern), &"no file matches");
        }
        for path in paths {
            if path.is_dir() { self.directory(&path, 0) } else { self.file(path, true) }
        }
        Ok(())
    }

    /// The tables of a collection, and the traces of what was left out of it.
    fn collection(&mut self, folder: &Path) {
        match collection::members(folder) {
            Ok(paths) => paths.into_iter().for_each(|path| self.file(path, true)),
            Err(error) => self.fault(folder, &format!("the collection cannot be read: {error}")),
        }
    }

    fn directory(&mut self, directory: &Path, depth: usize) {
        if is_collection(directory) {
            // Tables that lie among the archives are made of them.
            let is_passed = depth > 0 && self.how.output.is_some();
            if !is_passed {
                self.collection(directory);
            }
            return;
        }
        let listed = fs::metadata(directory).and_then(|metadata| {
            let is_new = self.folders.insert((metadata.dev(), metadata.ino()));
            if !is_new {
                return Ok(Vec::new());
            }
            fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect()
        });
        let mut paths: Vec<PathBuf> = match listed {
            Ok(paths) => paths,
            Err(error) => return self.fault(directory, &format!("the folder cannot be listed: {error}")),
        };
        paths.sort();
        for path in paths {
            let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
            match () {
                () if hidden => {}
                () if !path.is_dir() => self.file(path, false),
                () if depth < MAX_DEPTH => self.directory(&path, depth + 1),
                () => self.fault(&path, &format!("folders are nested more than {MAX_DEPTH} deep")),
            }
        }
    }

    fn file(&mut self, path: PathBuf, named: bool) {
        let identity = path.canonicalize().unwrap_or_else(|_| path.clone());
        if self.how.output.as_ref().is_some_and(|output| identity.starts_with(output)) {
            return;
        }
        if self.seen.insert(identity) {
            self.sources.push(Source { name: name_of(&path), named, fault: None, beside: false });
        }
    }
}

impl Source {
    /// An input that the user named.
    pub fn named(name: impl Into<String>) -> Self {
        Source { name: name.into(), named: true, fault: None, beside: false }
    }

    /// The file itself.
    pub fn path(&self) -> Cow<'_, Path> {
        path_of(&self.name)
    }

    /// Whether it is a pipe or a device found in a folder: waiting for it was not asked for.
    pub fn is_skipped(&self) -> bool {
        !self.named && fs::metadata(self.path()).is_ok_and(|file| !file.is_file())
    }

    /// Whether it is read as a stream, and so only once: standard input, a pipe, a device.
    pub fn is_stream(&self) -> bool {
        self.name == "-" || fs::metadata(self.path()).is_ok_and(|file| !file.is_file())
    }

    /// Why a file, or a link to one, cannot be opened. A stream is not tried: that would take its first bytes, or wait for them.
    pub fn closed(&self) -> Option<String> {
        if self.name == "-" || self.is_skipped() {
            return None;
        }
        let tried = fs::metadata(self.path()).and_then(|file| match file.is_file() {
            true => File::open(self.path()).map(drop),
            false => Ok(()),
        });
        tried.err().map(|error| error.to_string())
    }

    /// Opens the input for random access. A pipe is first copied to an unnamed temporary file, up to `max_stream` bytes.
    pub fn open(&self, max_stream: u64) -> io::Result<Blob> {
        if let Some(fault) = &self.fault {
            return Err(io::Error::other(fault.clone()));
        }
        if self.name == "-" {
            return blob_of_stream(stdin_file()?, max_stream);
        }
        blob_of_stream(File::open(self.path())?, max_stream)
    }
}

fn stdin_file() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

fn blob_of_stream(file: File, max_stream: u64) -> io::Result<Blob> {
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return Blob::file(file);
    }
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    spool(file, max_stream)
}

/// Copies a stream to a temporary file. What is not an archive from its start on is not copied further: a device may never
/// end.
fn spool(mut stream: impl Read, max: u64) -> io::Result<Blob> {
    let check = |length: u64| match length > max {
        true => {
            let message = format!("the stream is longer than {max} bytes, the limit of --max-input");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
        }
        false => Ok(()),
    };
    let mut start = Vec::new();
    stream.by_ref().take(sniff::HEAD as u64).read_to_end(&mut start)?;
    check(start.len() as u64)?;
    let is_whole = start.len() < sniff::HEAD;
    let blob = Blob::memory(start);
    let (_, content) = sniff::sniff(&blob)?;
    if is_whole || matches!(content, Content::Text | Content::Unknown(_)) {
        return Ok(blob);
    }
    let mut spooled = temporary::file()?;
    let mut copied = temporary::named(io::copy(&mut blob.reader(0), &mut spooled))?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        copied += count as u64;
        check(copied)?;
        temporary::named(spooled.write_all(&buffer[..count]))?;
    }
    Blob::file(spooled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_file() {
        for bytes in
            [&b"plain"[..], b"caf\xe9.warc", b"\\x41\xff\\", "caf\u{e9}\\".as_bytes(), b"\xc3(\\\\x00"]
        {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(path_of(&name_of(path)), path, "{}", name_of(path));
        }
        assert_eq!(name_of(Path::new(OsStr::from_bytes(b"caf\xe9.warc"))), "caf\\xE9.warc");
        for odd in ["\\x", "\\xé", "\\x4", "\\xZZ\\"] {
            path_of(odd);
        }
    }

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
        let found = expand(&[at("nothing.warc"), at("*.nothing"), at("a.warc")]).unwrap();
        let faults: Vec<bool> = found.iter().map(|source| source.fault.is_some()).collect();
        assert_eq!(faults, [true, true, false]);
        assert_eq!(found[0].name, at("nothing.warc"));
    }

    #[test]
    fn links_between_folders_do_not_run_in_circles() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("a")).unwrap();
        fs::write(at("a/x.warc"), "x").unwrap();
        std::os::unix::fs::symlink("..", at("a/up")).unwrap();
        std::os::unix::fs::symlink("a", at("b")).unwrap();
        let found = expand(&[directory.path()]).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].path().into_owned(), &found[0].fault), (at("a/x.warc"), &None));
    }

    #[test]
    fn an_endless_stream_meets_the_limit_or_is_no_archive() {
        let zeros = spool(io::repeat(0), u64::MAX).unwrap();
        assert_eq!(zeros.len(), sniff::HEAD as u64);
        struct Endless(u64);
        impl Read for Endless {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let record = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
                for byte in out.iter_mut() {
                    *byte = record[(self.0 % record.len() as u64) as usize];
                    self.0 += 1;
                }
                Ok(out.len())
            }
        }
        let error = spool(Endless(0), 1 << 20).unwrap_err();
        assert!(error.to_string().contains("--max-input"), "{error}");
    }
}
