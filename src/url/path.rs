//! The path of a canonical key: dot segments and repeated slashes removed, lower case, escapes normal, no session.

use super::escape::{escape_lower_into, unescape_into};

/// Names that servers answer with when asked for a directory, without their extension and with.
const INDEX_STEMS: [&[u8]; 2] = [b"index", b"default"];
const INDEX_EXTENSIONS: [&[u8]; 16] = [
    b"html", b"htm", b"shtml", b"xhtml", b"php", b"php3", b"php4", b"php5", b"phtml", b"asp", b"aspx",
    b"jsp", b"do", b"cgi", b"pl", b"cfm",
];

/// Appends the canonical path. `hierarchical` is false for the free text behind `urn:` and the like.
pub(super) fn write_path(path: &[u8], hierarchical: bool, loose: bool, out: &mut Vec<u8>) {
    let start = out.len();
    if is_plain(path) {
        out.extend(path.iter().map(u8::to_ascii_lowercase));
        if hierarchical && path.is_empty() {
            out.push(b'/');
        }
    } else {
        let mut unescaped = Vec::with_capacity(path.len());
        unescape_into(path, &mut unescaped);
        if hierarchical {
            escape_lower_into(&without_dot_segments(&unescaped), out);
        } else {
            escape_lower_into(&unescaped, out);
        }
    }
    strip_session(out, start);
    if loose && hierarchical {
        loosen(out, start);
    }
    if out.len() > start + 1 && out.last() == Some(&b'/') {
        out.pop();
    }
}

/// Whether only letter case may have to change. The loops have no early exit, so that they are vectorised.
fn is_plain(path: &[u8]) -> bool {
    let plain = path.iter().fold(true, |plain, byte| {
        plain & (*byte > b' ') & (*byte < 0x7f) & (*byte != b'%') & (*byte != b'#')
    });
    let dots = path
        .iter()
        .zip(path.iter().skip(1))
        .fold(false, |dots, (one, next)| dots | ((*one == b'/') & ((*next == b'/') | (*next == b'.'))));
    plain & !dots
}

/// Removes `.`, `..` with what it takes back, and empty segments. A `..` at the root stays, as `surt` has it.
fn without_dot_segments(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    out.push(b'/');
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            out.extend_from_slice(segment);
            out.push(b'/');
        }
        out.extend_from_slice(last);
    }
    out
}

/// Removes the session of ASP.NET, `/(24 characters)/` or `/(S(24 characters))/`, before a name with `.aspx`.
fn strip_session(out: &mut Vec<u8>, start: usize) {
    if !out[start..].contains(&b'(') || memchr::memmem::find(&out[start..], b".aspx").is_none() {
        return;
    }
    for length_at in [wrapped_session_length, bare_session_length] {
        if let Some((from, to)) = find_session(&out[start..], length_at) {
            out.drain(start + from..start + to);
        }
    }
}

/// The last session in the path that a name with `.aspx` follows; one walk from the end.
fn find_session(path: &[u8], length_at: fn(&[u8]) -> usize) -> Option<(usize, usize)> {
    // The first `.aspx` and the second behind the place, and the first `?`, which may not stand before it.
    let (mut aspx, mut later_aspx, mut question) = (None, None, path.len());
    for at in (1..path.len()).rev() {
        match path[at] {
            b'?' => question = at,
            b'.' if path[at..].starts_with(b".aspx") => (later_aspx, aspx) = (aspx, Some(at)),
            b'(' if path[at - 1] == b'/' => {
                let length = length_at(&path[at..]);
                let name = at + length;
                let extension = if aspx == Some(name) { later_aspx } else { aspx };
                if length > 0 && extension.is_some_and(|extension| extension < question) {
                    return Some((at, name));
                }
            }
            _ => {}
        }
    }
    None
}

/// The length of `(24 characters)`.
fn parenthesised_length(text: &[u8]) -> usize {
    let is_session = text.len() >= 26
        && text[0] == b'('
        && text[1..25].iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
        && text[25] == b')';
    if is_session { 26 } else { 0 }
}

fn bare_session_length(text: &[u8]) -> usize {
    let length = parenthesised_length(text);
    if length > 0 && text.get(length) == Some(&b'/') { length + 1 } else { 0 }
}

/// The length of `(S(24 characters)F(24 characters)…)/`.
fn wrapped_session_length(text: &[u8]) -> usize {
    let mut at = 1;
    while text.get(at).is_some_and(u8::is_ascii_lowercase) {
        match parenthesised_length(&text[at + 1..]) {
            0 => return 0,
            length => at += 1 + length,
        }
    }
    if at > 1 && text[at..].starts_with(b")/") { at + 2 } else { 0 }
}

/// Removes `;jsessionid=…` and the name of an index file.
fn loosen(out: &mut Vec<u8>, start: usize) {
    const PARAMETER: &[u8] = b";jsessionid=";
    if let Some(found) = memchr::memmem::find(&out[start..], PARAMETER) {
        let from = start + found;
        let value = from + PARAMETER.len();
        let to = memchr::memchr3(b'/', b';', b'?', &out[value..]).map_or(out.len(), |length| value + length);
        out.drain(from..to);
    }
    let name = memchr::memrchr(b'/', &out[start..]).map_or(start, |slash| start + slash + 1);
    if is_index(&out[name..]) {
        out.truncate(name);
    }
}

fn is_index(name: &[u8]) -> bool {
    memchr::memchr(b'.', name).is_some_and(|dot| {
        INDEX_STEMS.contains(&&name[..dot]) && INDEX_EXTENSIONS.contains(&&name[dot + 1..])
    })
}
