//! References in which nothing has to be changed: no escapes to write, no dots to follow, no host to bring into form.

use crate::byte_search::{LANES, marks, unprintable};

const OTHER: u8 = 0;
const PLAIN: u8 = 1;
const SLASH: u8 = 2;
/// `.` and `%`: at the start of a segment they may name the folder itself or the one above.
const DOT: u8 = 3;
/// `:` ends a scheme where nothing stands before the first segment.
const COLON: u8 = 4;
/// Plain in a path, not in a query.
const QUOTE: u8 = 5;
const QUERY: u8 = 6;
const FRAGMENT: u8 = 7;

static CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = b'!';
    while byte < 0x7f {
        class[byte as usize] = match byte {
            b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'\\' => OTHER,
            b'/' => SLASH,
            b'.' | b'%' => DOT,
            b':' => COLON,
            b'\'' => QUOTE,
            b'?' => QUERY,
            b'#' => FRAGMENT,
            _ => PLAIN,
        };
        byte += 1;
    }
    class
};

/// How many bytes of a path and query, up to a fragment, can be taken as they are. `None`: not all. `led`: a slash or
/// a host leads to it; else it must neither be empty nor look like a scheme.
#[inline]
pub(crate) fn length(reference: &[u8], led: bool) -> Option<usize> {
    if is_plain_path(reference, led) {
        return (led || !reference.is_empty()).then_some(reference.len());
    }
    let mut starts = true;
    for (at, byte) in reference.iter().enumerate() {
        match CLASS[*byte as usize] {
            PLAIN | QUOTE => starts = false,
            SLASH => starts = true,
            DOT if !starts => {}
            COLON if led => starts = false,
            QUERY if led || at > 0 => return query(reference, at + 1),
            FRAGMENT if led || at > 0 => return Some(at),
            _ => return None,
        }
    }
    (led || !reference.is_empty()).then_some(reference.len())
}

/// Whether there is nothing but a path that can be taken as it is: sixteen bytes at a time, for nearly all are that.
#[inline]
fn is_plain_path(reference: &[u8], led: bool) -> bool {
    let mut starts = 1;
    let mut is_plain = |chunk: &[u8; LANES]| {
        let colon = if led { b'?' } else { b':' };
        let others = unprintable(chunk)
            | marks(chunk, b'"', b'`')
            | marks(chunk, b'<', b'>')
            | marks(chunk, b'{', b'}')
            | marks(chunk, b'\\', b'#')
            | marks(chunk, b'?', colon);
        let slashes = marks(chunk, b'/', b'/');
        let dots = marks(chunk, b'.', b'%') & (slashes << 1 | starts);
        starts = slashes >> (LANES - 1);
        others | dots == 0
    };
    let (chunks, rest) = reference.as_chunks();
    let mut last = [b'_'; LANES];
    last[..rest.len()].copy_from_slice(rest);
    chunks.iter().all(&mut is_plain) && is_plain(&last)
}

fn query(reference: &[u8], from: usize) -> Option<usize> {
    for (at, byte) in reference.iter().enumerate().skip(from) {
        match CLASS[*byte as usize] {
            PLAIN | SLASH | DOT | COLON | QUERY => {}
            FRAGMENT => return Some(at),
            _ => return None,
        }
    }
    Some(reference.len())
}

/// The end of the host of an absolute http(s) URL, if it is written as it has to be.
#[inline]
pub(crate) fn host(reference: &[u8]) -> Option<usize> {
    let rest = reference.strip_prefix(b"http")?;
    let rest = rest.strip_prefix(b"s").unwrap_or(rest).strip_prefix(b"://")?;
    let from = reference.len() - rest.len();
    let is_plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_');
    let length = rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
    let ends = rest.get(length).is_none_or(|byte| matches!(byte, b'/' | b'?' | b'#'));
    (ends && length > 0).then_some(from + length)
}
