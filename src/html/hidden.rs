//! Content that markup may hide from readers: hidden elements, fallbacks for media, documents inside attributes.

use super::element::key;
use super::tag::Tag;

const NOSCRIPT: u64 = key(b"noscript");
const TEMPLATE: u64 = key(b"template");
const DATALIST: u64 = key(b"datalist");
const DIALOG: u64 = key(b"dialog");
pub(crate) const SVG: u64 = key(b"svg");
pub(crate) const MATH: u64 = key(b"math");
const IFRAME: u64 = key(b"iframe");

/// The content of these is displayed only if the medium itself cannot be.
const FALLBACK: [u64; 6] =
    [key(b"canvas"), key(b"video"), key(b"audio"), key(b"object"), key(b"progress"), key(b"meter")];

/// Elements that may show a document, and the attributes that name it.
pub(crate) const FRAMES: [u64; 4] = [IFRAME, key(b"frame"), key(b"object"), key(b"embed")];

/// Void elements, which have no content to hide.
const VOID: [u64; 14] = [
    key(b"area"),
    key(b"base"),
    key(b"br"),
    key(b"col"),
    key(b"embed"),
    key(b"hr"),
    key(b"img"),
    key(b"input"),
    key(b"link"),
    key(b"meta"),
    key(b"param"),
    key(b"source"),
    key(b"track"),
    key(b"wbr"),
];

/// Attributes whose text browsers may display.
pub(crate) const LABELS: [&[u8]; 6] = [b"alt", b"title", b"value", b"placeholder", b"label", b"aria-label"];

/// A style without comments and white space, in lower case.
fn rules(style: &[u8]) -> Vec<u8> {
    let (mut rules, mut rest) = (Vec::with_capacity(style.len()), style);
    while let Some(start) = memchr::memmem::find(rest, b"/*") {
        rules.extend_from_slice(&rest[..start]);
        rest = &rest[start + 2..];
        rest = memchr::memmem::find(rest, b"*/").map_or(&[][..], |end| &rest[end + 2..]);
    }
    rules.extend_from_slice(rest);
    rules.retain(|byte| !byte.is_ascii_whitespace());
    rules.make_ascii_lowercase();
    rules
}

/// Whether readers may not see the content of this element.
pub(crate) fn is_hidden(tag: &Tag<'_>) -> bool {
    match tag.key {
        NOSCRIPT | TEMPLATE | DATALIST | SVG => return true,
        key if FALLBACK.contains(&key) => return true,
        _ if tag.name.eq_ignore_ascii_case(b"annotation") => return true,
        DIALOG if tag.find(b"open").is_none() => return true,
        key if VOID.contains(&key) => return false,
        _ => {}
    }
    if tag.is_bare() {
        return false;
    }
    tag.find(b"hidden").is_some()
        || tag.find(b"style").is_some_and(|style| {
            let style = rules(&style.value());
            let holds = |rule: &[u8]| memchr::memmem::find(&style, rule).is_some();
            holds(b"display:none") || holds(b"visibility:hidden")
        })
}

/// Whether an attribute of a frame holds a whole document rather than its address.
pub(crate) fn holds_document(tag: &Tag<'_>) -> bool {
    let is_inline = |name: &[u8]| {
        tag.find(name).is_some_and(|address| {
            let value = address.value();
            let start: Vec<u8> =
                value.trim_ascii_start().iter().take(5).map(u8::to_ascii_lowercase).collect();
            // A script can also write a document.
            start == b"data:" || start == b"javas"
        })
    };
    // An attribute that was too long was dropped; it may be any of these.
    tag.dropped > 0
        || (tag.key == IFRAME && tag.find(b"srcdoc").is_some())
        || is_inline(b"src")
        || is_inline(b"data")
}
