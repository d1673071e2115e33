//! Recognises an index by its content, never by its name.

use super::columns::Columns;
use super::reader::split_cdxj;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexFormat {
    /// Lines of columns.
    Cdx,
    /// Key, date and JSON object.
    Cdxj,
    /// A secondary index (`.idx`, ZipNum): it lists the blocks of another index and holds no captures.
    Summary,
}

/// The kind of index that begins with these bytes; `None` if it is not an index. A few kilobytes are enough.
pub fn looks_like_index(head: &[u8]) -> Option<IndexFormat> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut meta = false;
    for line in head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).take(50) {
        if line.starts_with(b"!") {
            if memchr::memmem::find(line, b"cdxj-gzip").is_some() {
                return Some(IndexFormat::Summary);
            }
            meta |= line.starts_with(b"!meta") || line.starts_with(b"!OpenWayback-CDXJ");
            continue;
        }
        let line = line.trim_ascii_end();
        if Columns::of_header(line).is_some() {
            return Some(IndexFormat::Cdx);
        }
        if is_cdxj(line) {
            return Some(IndexFormat::Cdxj);
        }
        if is_summary(line) {
            return Some(IndexFormat::Summary);
        }
        // One line that fits is enough: the last line may be cut.
        if Columns::of_line(line).is_some() {
            return Some(IndexFormat::Cdx);
        }
        if !meta {
            return None;
        }
    }
    meta.then_some(IndexFormat::Cdxj)
}

fn is_cdxj(line: &[u8]) -> bool {
    match split_cdxj(line) {
        Some((date, _, object)) if !date.is_empty() => {
            super::date(date).is_some() && object.starts_with(b"{\"")
        }
        // An object alone, as some tools write: it must name what an index needs.
        Some((_, _, object)) => {
            let has = |name: &[u8]| memchr::memmem::find(object, name).is_some();
            object.starts_with(b"{\"") && has(b"\"timestamp\"") && has(b"\"url") && !has(b"\"kind\"")
        }
        None => false,
    }
}

/// `key date TAB file TAB offset TAB length TAB number`.
fn is_summary(line: &[u8]) -> bool {
    let mut fields = line.split(|byte| *byte == b'\t');
    let is_number = |field: Option<&[u8]>| field.and_then(super::number).is_some();
    let key = fields.next().unwrap_or_default();
    let has_date = key.rsplit(|byte| *byte == b' ').next().and_then(super::date).is_some();
    has_date && fields.next().is_some() && is_number(fields.next()) && is_number(fields.next())
}
