//! Finds where records start in arbitrary bytes.

use memchr::memmem;

use super::{arc, record};

/// The two record formats.
pub(super) enum Dialect {
    Warc,
    Arc,
}

/// The format of the record that starts here; `None` if none does.
pub(super) fn dialect(bytes: &[u8]) -> Option<Dialect> {
    if bytes.len() >= 5 && bytes[..5].eq_ignore_ascii_case(b"WARC/") {
        Some(Dialect::Warc)
    } else if arc::parse_line(bytes).is_some() {
        Some(Dialect::Arc)
    } else {
        None
    }
}

/// Whether these bytes begin like the head of a record, of WARC or ARC.
pub(super) fn is_record_start(bytes: &[u8]) -> bool {
    dialect(bytes).is_some()
}

/// The first record start in `bytes` that is also the start of a line.
pub(super) fn find_start(bytes: &[u8], is_arc: bool) -> Option<usize> {
    if is_arc {
        return memchr::memchr_iter(b'\n', bytes)
            .map(|at| at + 1)
            .find(|at| arc::parse_line(&bytes[*at..]).is_some());
    }
    memmem::find_iter(bytes, b"\nWARC/").map(|at| at + 1).find(|at| {
        let rest = &bytes[*at..];
        let line = memchr::memchr(b'\n', &rest[..rest.len().min(32)]);
        record::is_version_line(rest)
            && line.is_some_and(|end| rest[end + 1..].first().is_none_or(u8::is_ascii_alphabetic))
    })
}

/// The first record start in `bytes`, even without a line break before it.
pub(super) fn find_anywhere(bytes: &[u8], is_arc: bool) -> Option<usize> {
    [find_start(bytes, is_arc), find_glued(bytes)].into_iter().flatten().min()
}

/// Whether a record of any kind starts somewhere in `bytes`.
pub(super) fn holds_record(bytes: &[u8]) -> bool {
    find_anywhere(bytes, false).or_else(|| find_start(bytes, true)).is_some()
}

/// The first place in `bytes`, anywhere in a line, where a WARC head certainly starts: garbage may directly precede it.
fn find_glued(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, b"WARC/").find(|at| {
        let rest = &bytes[*at..];
        let end = memchr::memchr(b'\n', &rest[..rest.len().min(32)]);
        let field = end.map_or(&rest[rest.len()..], |end| &rest[end + 1..]);
        let is_field =
            |name: &[u8]| field.len() >= name.len() && field[..name.len()].eq_ignore_ascii_case(name);
        record::is_version_line(rest) && (is_field(b"WARC-") || is_field(b"Content-"))
    })
}
