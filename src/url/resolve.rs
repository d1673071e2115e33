//! Relative references to absolute http(s) URLs.
//!
//! Follows the URL standard of the WHATWG (as browsers do) for http and https, written for bytes and without
//! allocation per link but the result: a page has hundreds of links, an archive many millions. Fragments are dropped,
//! other schemes are not targets.
//!
//! DIFFERENCE: user name and password are dropped, so that no report prints them; host names are lower-cased and put
//! into Punycode, without the full mapping tables of UTS 46; odd spellings of IPv4 addresses stay as they are.

use std::borrow::Cow;

use super::escape::unescape_once;
use super::punycode::punycode;
use crate::url::fast_path;

/// The longest reference that is resolved. What is longer is data, not an address.
pub(crate) const MAX_URL: usize = 16 * 1024;

/// An absolute http(s) URL that references are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    url: String,
    scheme_end: usize,
    path_start: usize,
    /// Where the path ends: at `?`, or at the end of the reference.
    path_end: usize,
    /// The end of the path's folder, behind its slash.
    folder_end: usize,
    /// The ends of the folders above it, the nearest last: most links of some sites go up.
    above: Vec<usize>,
}

impl Base {
    /// Reads an absolute URL. `None`: not a URL, or not http(s).
    pub(crate) fn parse(url: &[u8]) -> Option<Base> {
        let cleaned = clean(url)?;
        let (scheme, rest) = split_scheme(&cleaned)?;
        let scheme = Scheme::of(scheme)?;
        let slashes = rest.iter().take_while(|c| is_slash(**c)).count();
        let mut out = String::with_capacity(url.len() + 8);
        authority_and_rest(scheme, &rest[slashes..], &mut out)?;
        Some(Base::of(out))
    }

    /// Of a URL that this module wrote.
    fn of(url: String) -> Base {
        let bytes = url.as_bytes();
        let find =
            |byte, from: usize| memchr::memchr(byte, &bytes[from..]).map_or(bytes.len(), |at| from + at);
        let scheme_end = find(b':', 0);
        let path_start = find(b'/', (scheme_end + 3).min(bytes.len()));
        let path_end = find(b'?', path_start);
        let slash = memchr::memrchr(b'/', &bytes[path_start..path_end]);
        let folder_end = slash.map_or(path_end, |at| path_start + at + 1);
        let folder = &bytes[path_start..folder_end.saturating_sub(1).max(path_start)];
        let above = memchr::memchr_iter(b'/', folder).map(|at| path_start + at + 1).collect();
        Base { url, scheme_end, path_start, path_end, folder_end, above }
    }

    /// The URL itself, normalised.
    pub(crate) fn as_str(&self) -> &str {
        &self.url
    }

    /// The absolute URL that `reference` means here. `None`: no http(s) URL.
    pub(crate) fn resolve(&self, reference: &[u8]) -> Option<String> {
        let mut out = String::with_capacity(self.url.len() + reference.len());
        self.resolve_into(reference, &mut out)?;
        Some(out)
    }

    /// Appends the absolute URL that `reference` means here. `None`: no http(s) URL, and what was appended is of no use.
    pub(crate) fn resolve_into(&self, reference: &[u8], out: &mut String) -> Option<()> {
        if self.resolve_plain(reference, out).is_some() {
            return Some(());
        }
        self.resolve_carefully(reference, out)
    }

    /// The short way, for references that only have to be put behind their folder: nearly all. `None`: it takes the long
    /// way, and nothing was appended.
    fn resolve_plain(&self, reference: &[u8], out: &mut String) -> Option<()> {
        if reference.len() > MAX_URL {
            return None;
        }
        if let Some(host) = fast_path::host(reference) {
            let (front, rest) = reference.split_at(host);
            let length = if rest.is_empty() { 0 } else { fast_path::length(rest, true)? };
            push_ascii(front, out);
            if rest.first() != Some(&b'/') {
                out.push('/');
            }
            push_ascii(&rest[..length], out);
            return Some(());
        }
        let (mut rest, mut folder_end, mut above) = (reference, self.folder_end, &self.above[..]);
        if let [b'/', behind @ ..] = reference {
            if behind.first().is_some_and(|byte| is_slash(*byte)) {
                return None;
            }
            (rest, folder_end, above) = (behind, self.path_start + 1, &[]);
        }
        while let Some(behind) = rest.strip_prefix(b"../") {
            (folder_end, above) =
                above.split_last().map_or((self.path_start + 1, above), |(end, above)| (*end, above));
            rest = behind;
        }
        let length = fast_path::length(rest, rest.len() < reference.len())?;
        out.push_str(&self.url[..folder_end]);
        push_ascii(&rest[..length], out);
        Some(())
    }

    fn resolve_carefully(&self, reference: &[u8], out: &mut String) -> Option<()> {
        let cleaned = clean(reference)?;
        let own = Scheme::of(&self.url.as_bytes()[..self.scheme_end])?;
        let mut rest: &[u8] = &cleaned;
        if let Some((scheme, behind)) = split_scheme(&cleaned) {
            let scheme = Scheme::of(scheme)?;
            let slashes = behind.iter().take_while(|c| is_slash(**c)).count();
            if scheme != own || slashes >= 2 {
                return authority_and_rest(scheme, &behind[slashes..], out);
            }
            // `http:next.html` is relative where the scheme is the base's own.
            rest = behind;
        }
        let slashes = rest.iter().take_while(|c| is_slash(**c)).count();
        if slashes >= 2 {
            return authority_and_rest(own, &rest[slashes..], out);
        }
        out.push_str(&self.url[..self.path_start]);
        let authority_end = out.len();
        match rest.first() {
            None | Some(b'#') => out.push_str(&self.url[self.path_start..]),
            Some(b'?') => {
                out.push_str(&self.url[self.path_start..self.path_end]);
                push_query(rest, out);
            }
            Some(b'/' | b'\\') => push_path(rest, authority_end, out),
            Some(_) => {
                out.push_str(&self.url[self.path_start..self.folder_end - 1]);
                push_path(rest, authority_end, out);
            }
        }
        Some(())
    }
}

/// Whether an absolute URL is written as it would be written here: no escape, no dot segment, nothing to drop.
pub(crate) fn is_plain(url: &str) -> bool {
    let url = url.as_bytes();
    fast_path::host(url).is_some_and(|host| {
        let rest = &url[host..];
        rest.first() == Some(&b'/') && fast_path::length(rest, true) == Some(rest.len())
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Scheme {
    fn of(name: &[u8]) -> Option<Scheme> {
        if name.eq_ignore_ascii_case(b"https") {
            Some(Scheme::Https)
        } else {
            name.eq_ignore_ascii_case(b"http").then_some(Scheme::Http)
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Scheme::Http => "http://",
            Scheme::Https => "https://",
        }
    }

    fn port(self) -> u32 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Without white space and control characters at the ends, and without tabs and line ends anywhere.
fn clean(reference: &[u8]) -> Option<Cow<'_, [u8]>> {
    let start = reference.iter().position(|&c| c > b' ').unwrap_or(reference.len());
    let end = reference.iter().rposition(|&c| c > b' ').map_or(start, |last| last + 1);
    let trimmed = &reference[start..end];
    if trimmed.len() > MAX_URL {
        return None;
    }
    Some(match memchr::memchr3(b'\t', b'\n', b'\r', trimmed) {
        None => Cow::Borrowed(trimmed),
        Some(_) => trimmed.iter().copied().filter(|c| !matches!(c, b'\t' | b'\n' | b'\r')).collect(),
    })
}

/// The scheme and what stands behind its colon.
fn split_scheme(url: &[u8]) -> Option<(&[u8], &[u8])> {
    if !url.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = url.iter().position(|c| !(c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.')))?;
    (url[end] == b':').then(|| (&url[..end], &url[end + 1..]))
}

fn authority_and_rest(scheme: Scheme, rest: &[u8], out: &mut String) -> Option<()> {
    let end = rest.iter().position(|&c| is_slash(c) || matches!(c, b'?' | b'#')).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let host = memchr::memrchr(b'@', authority).map_or(authority, |at| &authority[at + 1..]);
    out.push_str(scheme.prefix());
    push_host(scheme, host, out)?;
    let authority_end = out.len();
    push_path(rest, authority_end, out);
    Some(())
}

fn push_host(scheme: Scheme, host: &[u8], out: &mut String) -> Option<()> {
    let bracket = memchr::memrchr(b']', host).unwrap_or(0);
    let (name, port) = match memchr::memrchr(b':', host).filter(|&colon| colon > bracket) {
        Some(colon) => (&host[..colon], &host[colon + 1..]),
        None => (host, &b""[..]),
    };
    if name.first() == Some(&b'[') {
        let inner = name.strip_prefix(b"[")?.strip_suffix(b"]")?;
        if inner.is_empty() || !inner.iter().all(|c| c.is_ascii_hexdigit() || matches!(c, b':' | b'.')) {
            return None;
        }
        out.extend(name.iter().map(|c| c.to_ascii_lowercase() as char));
    } else {
        push_name(name, out)?;
    }
    if !port.is_empty() {
        let number: u32 = std::str::from_utf8(port).ok()?.parse().ok().filter(|&n| n <= 65_535)?;
        if port[0] == b'+' {
            return None;
        }
        if number != scheme.port() {
            out.push(':');
            out.push_str(&number.to_string());
        }
    }
    Some(())
}

fn push_name(name: &[u8], out: &mut String) -> Option<()> {
    if name.is_empty() {
        return None;
    }
    let plain = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_');
    if name.iter().all(plain) {
        out.extend(name.iter().map(|c| c.to_ascii_lowercase() as char));
        return Some(());
    }
    let decoded = unescape_once(name);
    let text = std::str::from_utf8(&decoded).ok()?.to_lowercase();
    let forbidden = |c: char| c <= ' ' || c == '\u{7f}' || "#/<>?@[\\]^|%:\"`{}".contains(c);
    if text.is_empty() || text.contains(forbidden) {
        return None;
    }
    // The three other full stops of IDNA part labels too.
    for (index, label) in text.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).enumerate() {
        if index > 0 {
            out.push('.');
        }
        if label.is_ascii() {
            out.push_str(label);
        } else {
            out.push_str("xn--");
            punycode(label, out)?;
        }
    }
    Some(())
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn push_encoded(byte: u8, out: &mut String) {
    out.push('%');
    out.push(HEX[(byte >> 4) as usize] as char);
    out.push(HEX[(byte & 15) as usize] as char);
}

/// Appends path and query to `out`, which holds the URL up to a directory without its slash; dot segments do not
/// reach above `authority_end`.
fn push_path(rest: &[u8], authority_end: usize, out: &mut String) {
    let end = memchr::memchr2(b'?', b'#', rest).unwrap_or(rest.len());
    let (path, query) = rest.split_at(end);
    let path = path.strip_prefix(b"/").or_else(|| path.strip_prefix(b"\\")).unwrap_or(path);
    let mut segments = path.split(|&c| is_slash(c)).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match dots(segment) {
            2 => {
                let parent = out[authority_end..].rfind('/').unwrap_or(0);
                out.truncate(authority_end + parent);
            }
            1 => {}
            _ => {
                out.push('/');
                push_segment(segment, out);
                continue;
            }
        }
        if last {
            out.push('/');
        }
    }
    if out.len() == authority_end {
        out.push('/');
    }
    push_query(query, out);
}

/// 1 for `.`, 2 for `..`, also percent-encoded; else 0.
fn dots(segment: &[u8]) -> usize {
    if segment.len() > 6 {
        return 0;
    }
    let mut rest = segment;
    let mut count = 0;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(b".") {
            rest = behind;
        } else if rest.get(..3).is_some_and(|code| code.eq_ignore_ascii_case(b"%2e")) {
            rest = &rest[3..];
        } else {
            return 0;
        }
        count += 1;
    }
    if count <= 2 { count } else { 0 }
}

/// Bytes that are percent-encoded in a path (1) and in a query (2).
static ENCODED: [u8; 256] = {
    let mut encoded = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        encoded[byte] = match byte as u8 {
            0..=b' ' | 0x7f.. | b'"' | b'<' | b'>' => 3,
            b'`' | b'{' | b'}' => 1,
            b'\'' => 2,
            _ => 0,
        };
        byte += 1;
    }
    encoded
};

/// Appends bytes, those of the class percent-encoded.
fn push_bytes(mut bytes: &[u8], class: u8, out: &mut String) {
    while let Some(at) = bytes.iter().position(|&byte| ENCODED[byte as usize] & class != 0) {
        push_ascii(&bytes[..at], out);
        push_encoded(bytes[at], out);
        bytes = &bytes[at + 1..];
    }
    push_ascii(bytes, out);
}

/// Appends bytes that are all ASCII.
#[inline]
fn push_ascii(bytes: &[u8], out: &mut String) {
    debug_assert!(bytes.is_ascii());
    if bytes.is_ascii() {
        // SAFETY: ASCII is UTF-8; to have it checked as such takes longer than all else that is done with a link.
        unsafe { out.as_mut_vec() }.extend_from_slice(bytes);
    }
}

fn push_segment(segment: &[u8], out: &mut String) {
    push_bytes(segment, 1, out);
}

/// Appends the query with its `?`; a fragment is dropped.
fn push_query(rest: &[u8], out: &mut String) {
    if rest.first() != Some(&b'?') {
        return;
    }
    let end = memchr::memchr(b'#', rest).unwrap_or(rest.len());
    out.push('?');
    push_bytes(&rest[1..end], 2, out);
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
