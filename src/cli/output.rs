//! Where data goes: standard output, or a file that appears only when it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

/// An output that is not there until [`Output::finish`] says so.
pub struct Output {
    writer: BufWriter<Box<dyn Write>>,
    pending: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Writes to `path`, or to standard output without one (or with `-`).
    pub fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Output {
                writer: BufWriter::with_capacity(256 << 10, Box::new(io::stdout())),
                pending: None,
            });
        };
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        // Something that is no regular file (/dev/null, a pipe) is written to as it is.
        if path.exists() && !path.is_file() {
            let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
            return Ok(Output { writer: BufWriter::with_capacity(256 << 10, Box::new(file)), pending: None });
        }
        let file = File::create(&partial).with_context(|| format!("{} cannot be written", path.display()))?;
        let pending = Some((partial, path.to_owned()));
        Ok(Output { writer: BufWriter::with_capacity(256 << 10, Box::new(file)), pending })
    }

    /// The writer.
    pub fn writer(&mut self) -> &mut dyn Write {
        &mut self.writer
    }

    /// All is written: the file gets its name.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.writer.flush()?;
        if let Some((partial, path)) = self.pending.take() {
            std::fs::rename(&partial, &path)
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some((partial, _)) = &self.pending {
            // What is incomplete is not left behind; if that fails too, nothing more can be done.
            let _ = std::fs::remove_file(partial);
        }
    }
}
