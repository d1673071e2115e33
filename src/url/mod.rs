//! Canonical URLs: which captures are of the same page.
//!
//! A key is made by one of three sets of rules, [`Canon`]. The default is SURT (sort-friendly URI reordering
//! transform) exactly as the Python package `surt` 0.3.1 makes it, and so pywb, cdxj-indexer and the Wayback indexes: the
//! keys of an index and of an archive then agree. `docs/formats.md` has the rules as a table; the tests hold cases with
//! their provenance.
//!
//! DIFFERENCE: where `surt` raises an exception there is a key all the same (a port that is no number is kept as it is,
//! white space alone is `-`), and names in other scripts are folded to lower case but not composed (NFKC).
//!
//! Cost: linear in the length of the URL, one pass over the bytes where nothing has to be normalised.

mod as_written;
mod escape;
mod fast_path;
mod host;
mod path;
mod punycode;
mod query;
mod requestable;
pub(crate) mod resolve;
mod site;
mod split;

use std::str::FromStr;

pub(crate) use as_written::as_written;
pub(crate) use requestable::is_requestable;
pub use site::SiteBy;
pub(crate) use site::host;
#[cfg(feature = "parquet")]
pub(crate) use site::registered_domain;
use split::Parts;

/// The rules by which a URL becomes a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Canon {
    /// A URL: scheme and host in lower case, no default port, no fragment, and `/` for an empty path.
    Strict,
    /// SURT, as the indexes of the field have it.
    #[default]
    Default,
    /// SURT without the names of index files and path sessions: `/a/`, `/a` and `/a/index.html` are one page.
    Loose,
}

impl Canon {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Canon::Strict => "strict",
            Canon::Default => "default",
            Canon::Loose => "loose",
        }
    }

    /// What all spellings of a URL that these rules treat as one have in common.
    pub fn key(self, url: &str) -> String {
        let mut key = String::with_capacity(url.len() + 8);
        self.key_into(url, &mut key);
        key
    }

    /// Puts the key of a URL into `key`, in place of what it held.
    pub fn key_into(self, url: &str, key: &mut String) {
        let mut out = std::mem::take(key).into_bytes();
        out.clear();
        match self {
            Canon::Strict => strict(url, &mut out),
            Canon::Default | Canon::Loose => surt(url, self == Canon::Loose, &mut out),
        }
        // Keys are ASCII, or pieces of the URL cut at ASCII characters: the second case never occurs.
        *key =
            String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into());
    }
}

impl FromStr for Canon {
    type Err = crate::Error;

    fn from_str(text: &str) -> crate::Result<Self> {
        [Canon::Strict, Canon::Default, Canon::Loose]
            .into_iter()
            .find(|canon| canon.name() == text)
            .ok_or_else(|| {
                crate::Error::usage(format!(
                    "no such canonicalisation: {text:?}; it is strict, default or loose"
                ))
            })
    }
}

/// The URL without white space around it and without line breaks and tabs in it: borrowed where it has none.
fn without_breaks<'a>(url: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let front = url.iter().take_while(|byte| is_space(byte)).count();
    let back = url[front..].iter().rev().take_while(|byte| is_space(byte)).count();
    let url = &url[front..url.len() - back];
    if memchr::memchr3(b'\t', b'\n', b'\r', url).is_none() {
        return url;
    }
    scratch.extend(url.iter().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r')));
    scratch
}

fn surt(url: &str, loose: bool, out: &mut Vec<u8>) {
    if url.starts_with("filedesc") {
        return out.extend_from_slice(url.as_bytes());
    }
    let mut scratch = Vec::new();
    let url = without_breaks(url.as_bytes(), &mut scratch);
    if url.is_empty() {
        return out.push(b'-');
    }
    let parts = Parts::of(url);
    host::write_reversed(parts.host, parts.scheme != b"dns", out);
    let has_host = !out.is_empty();
    if has_host {
        match parts.port_number() {
            Ok(Some(port)) if !parts.is_default_port(port) => write_port(port, out),
            Ok(_) => {}
            Err(split::NotAPort) => {
                out.push(b':');
                escape::escape_lower_into(parts.port, out);
            }
        }
        out.push(b')');
    } else {
        out.extend_from_slice(parts.scheme);
        out.push(b':');
    }
    let path = out.len();
    path::write_path(parts.path, has_host, loose, out);
    let no_path = out.len() == path;
    let query = out.len();
    query::write_query(parts.query, out);
    if no_path && out.len() > query {
        out.insert(query, b'/');
    }
}

/// Without going through `fmt`, which would cost more than the rest of the key.
fn write_port(port: u16, out: &mut Vec<u8>) {
    out.push(b':');
    let mut unit = 10_000;
    while unit > 1 && port < unit {
        unit /= 10;
    }
    while unit > 0 {
        out.push(b'0' + (port / unit % 10) as u8);
        unit /= 10;
    }
}

fn strict(url: &str, out: &mut Vec<u8>) {
    let mut scratch = Vec::new();
    let url = without_breaks(url.as_bytes(), &mut scratch);
    let Some(parts) = Parts::strictly(url) else { return out.extend_from_slice(url) };
    out.extend(parts.scheme.iter().map(u8::to_ascii_lowercase));
    out.extend_from_slice(b"://");
    if !parts.user.is_empty() {
        out.extend_from_slice(parts.user);
        out.push(b'@');
    }
    let is_ipv6 = parts.host.contains(&b':');
    out.extend(is_ipv6.then_some(b'['));
    out.extend(parts.host.iter().map(u8::to_ascii_lowercase));
    out.extend(is_ipv6.then_some(b']'));
    let is_default = match parts.port_number() {
        Ok(port) => port.is_none_or(|port| parts.is_default_port(port)),
        Err(split::NotAPort) => false,
    };
    if !is_default {
        out.push(b':');
        out.extend_from_slice(parts.port);
    }
    out.extend_from_slice(if parts.path.is_empty() { b"/" } else { parts.path });
    if parts.has_query {
        out.push(b'?');
        out.extend_from_slice(parts.query);
    }
}

#[cfg(test)]
mod tests;
