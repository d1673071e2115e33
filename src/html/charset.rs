//! The character encoding of a page.
//!
//! Order of trust, as browsers have it: byte order mark, `charset` of the `Content-Type` header, `meta` in the first
//! 1024 bytes (or an XML declaration), and otherwise the bytes themselves: UTF-8 if they are valid, else windows-1252.
//! Source: WHATWG HTML, "Determining the character encoding"; WHATWG Encoding for the labels.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};

use super::tag::Tag;
use super::tokens::{Place, Sink, Tokenizer};

/// Number of bytes at the start of a page that are searched for a declaration.
pub(crate) const PRESCAN: usize = 1024;

/// Where the encoding was declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A byte order mark.
    Bom,
    /// `charset` of the `Content-Type` header.
    Header,
    /// A `meta` element or an XML declaration.
    Meta,
    /// Not declared: guessed from the bytes.
    Guess,
}

/// The encoding of a page, and where it was declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    pub encoding: &'static Encoding,
    pub source: Source,
}

impl Charset {
    /// Decides from the first bytes of a body and its `Content-Type` header.
    pub fn detect(head: &[u8], content_type: Option<&[u8]>) -> Charset {
        Charset::of(head, Charset::declared(content_type))
    }

    /// The encoding that a `Content-Type` header declares, if it is known.
    pub(crate) fn declared(content_type: Option<&[u8]>) -> Option<&'static Encoding> {
        content_type.and_then(charset_of).and_then(Encoding::for_label)
    }

    /// Decides from the first bytes of a body and the encoding that its header declares.
    pub(crate) fn of(head: &[u8], declared: Option<&'static Encoding>) -> Charset {
        if let Some((encoding, _)) = Encoding::for_bom(head) {
            return Charset { encoding, source: Source::Bom };
        }
        if let Some(encoding) = declared {
            return Charset { encoding, source: Source::Header };
        }
        if let Some(encoding) = prescan(&head[..head.len().min(PRESCAN)]) {
            return Charset { encoding, source: Source::Meta };
        }
        let encoding = if looks_like_utf8(head) { UTF_8 } else { WINDOWS_1252 };
        Charset { encoding, source: Source::Guess }
    }

    /// Whether the tokenizer can read the bytes as they are.
    pub(crate) fn is_utf8(&self) -> bool {
        self.encoding == UTF_8
    }
}

/// Whether the bytes are UTF-8, ignoring a character cut at the end.
fn looks_like_utf8(head: &[u8]) -> bool {
    match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    }
}

/// The value of `charset` in a media type, read leniently.
pub(crate) fn charset_of(content_type: &[u8]) -> Option<&[u8]> {
    let mut rest = content_type;
    loop {
        let at = rest.windows(7).position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = &rest[at + 7..];
        let Some((b'=', value)) = rest.trim_ascii_start().split_first() else { continue };
        let value = value.trim_ascii_start();
        return Some(match value.split_first() {
            Some((&quote @ (b'"' | b'\''), value)) => &value[..memchr::memchr(quote, value)?],
            _ => {
                let end = value.iter().position(|&c| c.is_ascii_whitespace() || c == b';' || c == b',');
                &value[..end.unwrap_or(value.len())]
            }
        });
    }
}

/// The encoding that a `meta` element or an XML declaration names.
fn prescan(head: &[u8]) -> Option<&'static Encoding> {
    let mut sink = MetaSink { label: None };
    Tokenizer::new().feed(head, &mut sink);
    let label = sink.label.or_else(|| xml_declaration(head))?;
    let encoding = Encoding::for_label(&label)?;
    // This declaration was readable as ASCII, so the page is not UTF-16.
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

fn xml_declaration(head: &[u8]) -> Option<Vec<u8>> {
    let head = head.strip_prefix(b"<?xml")?;
    let head = &head[..memchr::memchr(b'>', head)?];
    let at = head.windows(8).position(|word| word == b"encoding")?;
    let (b'=', value) = head[at + 8..].trim_ascii_start().split_first()? else { return None };
    let (quote, value) = value.trim_ascii_start().split_first()?;
    Some(value[..memchr::memchr(*quote, value)?].to_vec())
}

struct MetaSink {
    label: Option<Vec<u8>>,
}

impl Sink for MetaSink {
    fn wants(&self, _: Place) -> bool {
        false
    }

    fn start_tag(&mut self, tag: &Tag<'_>) {
        if self.label.is_some() || !tag.name.eq_ignore_ascii_case(b"meta") {
            return;
        }
        if let Some(label) = tag.find(b"charset") {
            self.label = Some(label.value().into_owned());
        } else if tag.find(b"http-equiv").is_some_and(|a| a.value().eq_ignore_ascii_case(b"content-type"))
            && let Some(content) = tag.find(b"content")
        {
            self.label = charset_of(&content.value()).map(<[u8]>::to_vec);
        }
    }

    fn end_tag(&mut self, _: &[u8], _: u64) {}
    fn text(&mut self, _: Place, _: &[u8]) {}
    fn interruption(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_mark_header_declaration_guess() {
        let latin = b"<meta charset=iso-8859-1>\xe4";
        for (head, header, encoding, source) in [
            (&b"\xef\xbb\xbf<meta charset=big5>"[..], Some(&b"text/html; charset=gbk"[..]), "UTF-8", Source::Bom),
            (b"\xff\xfea\0", None, "UTF-16LE", Source::Bom),
            (latin, Some(b"text/html;CHARSET = \"Shift_JIS\""), "Shift_JIS", Source::Header),
            (latin, Some(b"text/html; charset=nonsense"), "windows-1252", Source::Meta),
            (
                b"<!-- <meta charset=big5> --><META http-equiv=Content-Type content='text/html; charset=koi8-r'>",
                None,
                "KOI8-R",
                Source::Meta,
            ),
            (b"<meta charset=utf-16>", None, "UTF-8", Source::Meta),
            (b"<?xml version='1.0' encoding=\"EUC-JP\"?><html>", None, "EUC-JP", Source::Meta),
            ("ä".as_bytes(), None, "UTF-8", Source::Guess),
            (b"\xe4 b", None, "windows-1252", Source::Guess),
            (b"plain", None, "UTF-8", Source::Guess),
        ] {
            let found = Charset::detect(head, header);
            assert_eq!((found.encoding.name(), found.source), (encoding, source), "{:?}", String::from_utf8_lossy(head));
        }
    }

    #[test]
    fn a_character_cut_at_the_end_does_not_speak_against_utf8() {
        assert_eq!(Charset::detect(&"xä".as_bytes()[..2], None).encoding, UTF_8);
    }
}
