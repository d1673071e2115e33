//! The answer as JSON: the reproducible part of a report, and the one hash that everything refers to.
//!
//! Signs that mean something to HTML are written as escapes (`\u003c`), so that the same bytes can be embedded in HTML and taken out again unchanged.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use crate::archive::temporary;
use crate::at::model::At;
use crate::digest::{Algorithm, Hasher, sha256};
use crate::report::escape::data_block_into;
use crate::report::pretty;

/// Bytes that are hashed and written at once.
const PIECE: usize = 256 << 10;

/// An answer as the bytes of its file: in memory if its pages are, else in a temporary file.
#[derive(Debug)]
pub(crate) struct AnswerFile {
    content: Content,
    /// SHA-256 of these bytes, in hexadecimal digits.
    pub sha256: String,
}

#[derive(Debug)]
enum Content {
    Memory(Vec<u8>),
    Disk(File),
}

impl AnswerFile {
    /// The file of an answer.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(crate) fn of(at: &At) -> io::Result<Self> {
        if !at.pages.is_on_disk() {
            return Ok(AnswerFile::of_bytes(embeddable(at)?));
        }
        let mut hasher = Hasher::new(Algorithm::Sha256);
        let mut file = temporary::file()?;
        let sink = &mut |piece: &[u8]| {
            hasher.update(piece);
            temporary::named(file.write_all(piece))
        };
        write_embeddable(at, sink)?;
        Ok(AnswerFile { content: Content::Disk(file), sha256: hasher.finish().hex() })
    }

    /// A file with these bytes.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        AnswerFile { sha256: sha256(&bytes), content: Content::Memory(bytes) }
    }

    /// All bytes at once.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub(crate) fn bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.content {
            Content::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Content::Disk(_) => {
                let mut bytes = Vec::new();
                self.write(&mut bytes)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Writes all bytes.
    ///
    /// # Errors
    /// When they cannot be written, or the temporary file not be read.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.content {
            Content::Memory(bytes) => out.write_all(bytes),
            Content::Disk(file) => {
                let (mut piece, mut next) = (vec![0; PIECE], 0);
                loop {
                    let count = file.read_at(&mut piece, next)?;
                    if count == 0 {
                        return Ok(());
                    }
                    out.write_all(&piece[..count])?;
                    next += count as u64;
                }
            }
        }
    }
}

/// Escapes JSON as it is written. Serializers write whole characters at a time.
struct Escaping<'a> {
    escaped: String,
    sink: &'a mut dyn FnMut(&[u8]) -> io::Result<()>,
}

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        data_block_into(std::str::from_utf8(bytes).map_err(io::Error::other)?, &mut self.escaped);
        if self.escaped.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.sink)(self.escaped.as_bytes())?;
        self.escaped.clear();
        Ok(())
    }
}

/// Writes a value as JSON that can stand in HTML.
fn write_embeddable(
    value: &impl serde::Serialize,
    sink: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = Escaping { escaped: String::new(), sink };
    pretty::write(&mut out, value)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// A value as JSON that can stand in HTML.
pub(crate) fn embeddable(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_embeddable(value, &mut |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    })?;
    Ok(bytes)
}

/// The answer inside of an HTML report; `None` where there is none.
pub(crate) fn inside(html: &[u8]) -> Option<&[u8]> {
    block(html, "<script type=\"application/json\" id=\"answer\">")
}

/// The custody inside of an HTML report.
pub(crate) fn custody_inside(html: &[u8]) -> Option<&[u8]> {
    block(html, "<script type=\"application/json\" id=\"custody\">")
}

fn block<'a>(html: &'a [u8], begin: &str) -> Option<&'a [u8]> {
    let start = memchr::memmem::find(html, begin.as_bytes())? + begin.len();
    let length = memchr::memmem::find(&html[start..], b"</script>")?;
    Some(&html[start..start + length])
}

/// 64 digits in groups of 8.
pub(crate) fn in_groups(hash: &str) -> String {
    let groups: Vec<&str> =
        (0..hash.len()).step_by(8).filter_map(|at| hash.get(at..hash.len().min(at + 8))).collect();
    groups.join(" ")
}
