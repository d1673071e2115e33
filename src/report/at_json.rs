//! The answer as JSON: the reproducible part of a report, and the one hash that everything refers to.
//!
//! Signs that mean something to HTML are written as escapes (`\u003c`), so that the same bytes can be embedded in HTML and taken out again unchanged.

use std::io;

use crate::at::model::At;
use crate::at::seal::sha256;
use crate::report::escape::data_block_into;
use crate::report::pretty;

/// An answer as the bytes of its file.
#[derive(Debug, Clone)]
pub(crate) struct AnswerFile {
    pub bytes: Vec<u8>,
    /// SHA-256 of these bytes, in hexadecimal digits.
    pub sha256: String,
}

impl AnswerFile {
    /// The file of an answer.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(crate) fn of(at: &At) -> io::Result<Self> {
        let bytes = embeddable(at)?;
        Ok(AnswerFile { sha256: sha256(&bytes), bytes })
    }
}

/// A value as JSON that can stand in HTML.
pub(crate) fn embeddable(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    pretty::write(&mut plain, value)?;
    plain.push(b'\n');
    let text = String::from_utf8(plain).map_err(io::Error::other)?;
    let mut escaped = String::with_capacity(text.len());
    data_block_into(&text, &mut escaped);
    Ok(escaped.into_bytes())
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
