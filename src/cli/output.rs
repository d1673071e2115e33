//! Where data goes: standard output, or a file that appears only when it is complete.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tempfile::TempPath;

use super::interrupt;
use crate::archive::temporary;
use crate::error::ErrorKind;

/// Writes an output to `path`, or to standard output without one (or with `-`). A file appears only when all of it is
/// written, and replaces an older one as a whole.
pub(super) fn write<T>(
    path: Option<&Path>,
    content: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    Output::create(path, Box::new(Screen::stdout()))?.fill(content)
}

/// The same for what is long and all that a run makes: it stops when the reader of standard output is gone.
pub(super) fn write_while_read<T>(
    path: Option<&Path>,
    content: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    Output::create(path, Box::new(io::stdout()))?.fill(content)
}

/// Standard output as a screen. Its reader may leave (`| head`): the rest is dropped and the run goes on, because its files and
/// its exit code do not depend on who watches.
pub(super) fn screen() -> impl Write {
    Named { to: Box::new(Screen::stdout()), name: "standard output".to_owned() }
}

struct Screen<W> {
    to: W,
    is_watched: bool,
}

impl Screen<io::Stdout> {
    fn stdout() -> Self {
        Screen { to: io::stdout(), is_watched: true }
    }
}

impl<W: Write> Screen<W> {
    fn unless_left<T>(&mut self, dropped: T, call: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if !self.is_watched {
            return Ok(dropped);
        }
        match call(&mut self.to) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_watched = false;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_left(bytes.len(), |to| to.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_left((), Write::flush)
    }
}

/// An output that appears under its name only at [`Output::finish`].
struct Output {
    writer: BufWriter<Named>,
    pending: Option<(File, TempPath, PathBuf)>,
}

impl Output {
    /// An output to `path`, or to `standard` without one.
    fn create(path: Option<&Path>, standard: Box<dyn Write>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Output::to(standard, "standard output".to_owned(), None));
        };
        let name = path.display().to_string();
        let failed = || format!("{name} cannot be written");
        // Devices and pipes cannot be replaced by a new file.
        if path.exists() && !path.is_file() {
            let file = File::create(path).with_context(failed)?;
            return Ok(Output::to(Box::new(file), name, None));
        }
        // Write what a link points to, and keep the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        remove_stale(folder);
        let partial = tempfile::Builder::new()
            .prefix(&partial_prefix())
            .suffix(PARTIAL_SUFFIX)
            // The same as of any new file: the umask applies.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)
            // Hide the random name of the temporary file.
            .map_err(|error| match error.get_ref().and_then(std::error::Error::source) {
                Some(cause) => io::Error::new(error.kind(), cause.to_string()),
                None => error,
            })
            .with_context(failed)?;
        let (file, partial) = partial.into_parts();
        // Held until this process ends: it shows others that the file is in use.
        let _ = file.try_lock();
        interrupt::remove_on_signal(&partial);
        let lock = file.try_clone().with_context(failed)?;
        Ok(Output::to(Box::new(file), name, Some((lock, partial, path))))
    }

    fn to(to: Box<dyn Write>, name: String, pending: Option<(File, TempPath, PathBuf)>) -> Self {
        Output { writer: BufWriter::with_capacity(256 << 10, Named { to, name }), pending }
    }

    fn fill<T>(mut self, content: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let made = content(&mut self.writer)?;
        self.finish()?;
        Ok(made)
    }

    /// Gives the complete file its name. What is written later goes to the same file.
    fn finish(&mut self) -> anyhow::Result<()> {
        self.writer.flush()?;
        if let Some((file, partial, path)) = self.pending.take() {
            // The content has to be on the disk before the name is, or a power cut leaves an empty file.
            sync(&file).map_err(|error| Unwritable::new(&path, &error))?;
            let own_name = partial.to_path_buf();
            partial
                .persist(&path)
                .map_err(|failed| failed.error)
                .with_context(|| format!("{} cannot be written", path.display()))?;
            interrupt::forget(&own_name);
            sync_folder(&path);
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((_, partial, _)) = &self.pending {
            interrupt::forget(partial);
        }
    }
}

const PARTIAL_PREFIX: &str = ".acuity-";
const PARTIAL_SUFFIX: &str = ".partial";
/// Seconds after which a partial file that no process holds a lock on is stale, whoever made it.
const STALE_AFTER: Duration = Duration::from_secs(60);

/// How the names of this process's partial files begin: with its number and what that number belongs to.
fn partial_prefix() -> String {
    match numbered_by() {
        Some(machine) => format!("{PARTIAL_PREFIX}{machine:08x}-{}-", std::process::id()),
        None => PARTIAL_PREFIX.to_owned(),
    }
}

/// What numbers processes here: this machine since it was started, or a container on it; `None` where that is unknown.
fn numbered_by() -> Option<u32> {
    let boot = fs::read("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(crc32(&[&boot, space.as_os_str().as_encoded_bytes()].concat()))
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Whether the process that made a partial file is known to have ended.
fn is_orphan(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let mut parts = name.strip_prefix(PARTIAL_PREFIX).unwrap_or_default().split('-');
    let machine = parts.next().and_then(|machine| u32::from_str_radix(machine, 16).ok());
    let process = parts.next().and_then(|process| process.parse::<u32>().ok());
    let is_here = machine.is_some() && machine == numbered_by();
    process.is_some_and(|process| is_here && !Path::new(&format!("/proc/{process}")).exists())
}

/// Puts the content of a file on the disk.
fn sync(file: &File) -> io::Result<()> {
    loop {
        #[cfg(not(test))]
        let result = file.sync_all();
        #[cfg(test)]
        let result = crate::archive::faults::call(0, |_| file.sync_all().map(|()| 0)).map(drop);
        match result {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Makes the new name of a file last. Not every file system can do this, and the file itself is safe.
pub(super) fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

/// Makes files in a folder, which is made if it is not there: `make` gets a folder inside it for what is unfinished.
pub(super) fn fill_folder(folder: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> anyhow::Result<()> {
    let filled = (|| {
        fs::create_dir_all(folder)?;
        remove_stale(folder);
        let unfinished =
            tempfile::Builder::new().prefix(&partial_prefix()).suffix(PARTIAL_SUFFIX).tempdir_in(folder)?;
        // Held until the folder is gone: it shows others that it is in use.
        let lock = File::open(unfinished.path());
        let _ = lock.as_ref().map(File::try_lock);
        interrupt::remove_on_signal(unfinished.path());
        let made = make(unfinished.path());
        interrupt::forget(unfinished.path());
        made?;
        unfinished.close()?;
        sync_folder(&folder.join("."));
        Ok(())
    })();
    filled.map_err(|error| Unwritable::in_folder(folder, error))
}

/// Whether a file of this name is one that is being written.
pub(super) fn is_partial(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PARTIAL_PREFIX) && name.ends_with(PARTIAL_SUFFIX)
}

/// Removes partial files and folders that killed processes left in a folder: those without a lock, whose process has ended
/// or that are not new.
pub(super) fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if !is_partial(&entry.file_name()) {
            continue;
        }
        // A new file is not locked yet.
        let is_old = |file: &File| {
            let age = file.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
            age.is_ok_and(|age| age.is_ok_and(|age| age > STALE_AFTER))
        };
        let is_orphan = is_orphan(&entry.file_name());
        let is_stale = |file: File| (is_orphan || is_old(&file)) && file.try_lock().is_ok();
        let Ok(kind) = entry.file_type() else { continue };
        if (kind.is_file() || kind.is_dir()) && File::open(entry.path()).is_ok_and(is_stale) {
            let path = entry.path();
            let _ = if kind.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// A writer that stays open until the end of the run. A file appears when it is flushed the first time; to standard output, a
/// device or a pipe lines go as they come.
pub(super) fn stream(path: &Path) -> anyhow::Result<Box<dyn Write>> {
    Ok(Box::new(Stream(Output::create(Some(path), Box::new(io::stdout()))?)))
}

struct Stream(Output);

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        let named = |error: anyhow::Error| match error.downcast::<Unwritable>() {
            Ok(unwritable) => io::Error::other(unwritable),
            Err(other) => other.downcast::<io::Error>().unwrap_or_else(io::Error::other),
        };
        self.0.finish().map_err(named)
    }
}

/// A writer whose errors say what could not be written.
struct Named {
    to: Box<dyn Write>,
    name: String,
}

impl Named {
    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            io::Error::new(error.kind(), Unwritable { name: self.name.clone(), cause: error.to_string() })
        })
    }
}

impl Write for Named {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(not(test))]
        let result = self.to.write(bytes);
        #[cfg(test)]
        let result = crate::archive::faults::call(bytes.len(), |length| self.to.write(&bytes[..length]));
        self.named(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.to.flush();
        self.named(result)
    }
}

/// An output that could be opened, but not written to its end.
#[derive(Debug)]
pub(super) struct Unwritable {
    name: String,
    cause: String,
}

impl Unwritable {
    pub(super) fn new(path: &Path, cause: &dyn fmt::Display) -> Self {
        Unwritable { name: path.display().to_string(), cause: cause.to_string() }
    }

    /// The same for files in a folder; that the folder cannot be made is a usage error.
    pub(super) fn in_folder(folder: &Path, cause: io::Error) -> anyhow::Error {
        if folder.is_dir() {
            return Unwritable::new(folder, &cause).into();
        }
        anyhow::Error::new(cause).context(format!("{} cannot be written", folder.display()))
    }

    /// An output that is made of records, which are read at the same time: only the disk is to blame for some errors.
    pub(super) fn or_source(path: &Path, error: io::Error) -> anyhow::Error {
        if is_full(error.kind()) {
            return Unwritable::new(path, &error).into();
        }
        anyhow::Error::new(error).context(format!("{} cannot be written", path.display()))
    }

    /// Whether this is the cause of an error.
    pub(super) fn caused(error: &anyhow::Error) -> bool {
        let is_it = |error: &io::Error| {
            error.get_ref().is_some_and(|inner| inner.is::<Unwritable>() || inner.is::<temporary::Failed>())
        };
        error.chain().any(|cause| {
            let known = cause.downcast_ref::<crate::Error>().map(crate::Error::kind);
            let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
            cause.is::<Unwritable>()
                || json.is_some_and(is_full)
                || cause.downcast_ref::<io::Error>().is_some_and(is_it)
                || matches!(known, Some(ErrorKind::Io(error)) if is_it(error))
        })
    }
}

/// Whether an error says that no more can be written.
fn is_full(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded)
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be written: {}", self.name, self.cause)
    }
}

impl std::error::Error for Unwritable {}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod fault_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_file_goes_with_its_process_however_new_it_is() {
        let Some(machine) = numbered_by() else { return };
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let name =
            |machine: u32, process: u32| format!("{PARTIAL_PREFIX}{machine:08x}-{process}-x{PARTIAL_SUFFIX}");
        let dead = name(machine, child.id());
        let living = [
            name(machine, std::process::id()),
            name(machine ^ 1, child.id()),
            ".acuity-x.partial".to_owned(),
        ];
        for name in living.iter().chain([&dead]) {
            File::create(folder.path().join(name)).unwrap();
        }
        remove_stale(folder.path());
        let is_there = |name: &String| folder.path().join(name).exists();
        assert!(!is_there(&dead));
        assert!(living.iter().all(is_there));
        assert!(partial_prefix().contains(&format!("-{}-", std::process::id())));
    }
}
