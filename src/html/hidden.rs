//! Content that markup may hide from readers: hidden elements, fallbacks for media, documents inside attributes.

use std::borrow::Cow;

use super::element::{INLINE, key, traits};
use super::hiding_style::{may_hide, may_move, property};
use super::tag::Tag;

const NOSCRIPT: u64 = key(b"noscript");
const TEMPLATE: u64 = key(b"template");
const DATALIST: u64 = key(b"datalist");
const DIALOG: u64 = key(b"dialog");
/// Of a list to choose from, readers see one entry until they open it.
const SELECT: u64 = key(b"select");
/// What is struck out is no longer valid.
const STRUCK: [u64; 3] = [key(b"del"), key(b"s"), key(b"strike")];
/// Parentheses for browsers that cannot show ruby.
const RP: u64 = key(b"rp");
pub(crate) const DETAILS: u64 = key(b"details");
pub(crate) const SUMMARY: u64 = key(b"summary");
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

/// Whether readers may not see the content of this element.
pub(crate) fn is_hidden(tag: &Tag<'_>) -> bool {
    let is_empty = tag.is_bare();
    hides(tag.name, |name| if is_empty { None } else { tag.find(name).map(|found| found.value()) })
        // An attribute that was too long was dropped; it may be a style.
        || tag.dropped > 0 && !VOID.contains(&tag.key)
}

/// Whether readers may not see the content of an element with this name and these attributes, or see it struck out.
pub(crate) fn hides<'a>(name: &[u8], attribute: impl Fn(&'static [u8]) -> Option<Cow<'a, [u8]>>) -> bool {
    match key(name) {
        NOSCRIPT | TEMPLATE | DATALIST | SVG | SELECT | RP => return true,
        key if FALLBACK.contains(&key) || STRUCK.contains(&key) => return true,
        _ if name.eq_ignore_ascii_case(b"annotation") => return true,
        DIALOG | DETAILS if attribute(b"open").is_none() => return true,
        key if VOID.contains(&key) => return false,
        _ => {}
    }
    attribute(b"hidden").is_some()
        || attribute(b"popover").is_some()
        || attribute(b"style").is_some_and(|style| may_hide(&style))
        || is_moved(name, attribute)
}

/// Whether a part of a line may be shown elsewhere than the markup has it. Blocks that are moved stay whole.
pub(crate) fn is_moved<'a>(name: &[u8], attribute: impl Fn(&'static [u8]) -> Option<Cow<'a, [u8]>>) -> bool {
    traits(key(name)) & INLINE != 0 && attribute(b"style").is_some_and(|style| may_move(&style))
}

/// Whether a tag gives an element another place among its neighbours.
pub(crate) fn is_ordered(tag: &Tag<'_>) -> bool {
    let orders = |style: &[u8]| property(style, &["order", "-webkit-order", "-ms-flex-order"]).is_some();
    tag.find(b"style").is_some_and(|style| orders(&style.value()))
}

/// Whether a tag sets text that runs from right to left.
pub(crate) fn runs_left(tag: &Tag<'_>) -> bool {
    let is = |value: &[u8]| value.trim_ascii().eq_ignore_ascii_case(b"rtl");
    tag.find(b"dir").is_some_and(|dir| is(&dir.value()))
        || tag.find(b"style").is_some_and(|style| {
            property(&style.value(), &["direction"]).is_some_and(|value| is(value.as_bytes()))
        })
}

/// Whether a style sets each character of an element in a direction of its own.
pub(crate) fn is_turned(tag: &Tag<'_>) -> bool {
    tag.find(b"style").is_some_and(|style| {
        property(&style.value(), &["unicode-bidi"])
            .is_some_and(|value| value.to_ascii_lowercase().contains("override"))
    })
}

/// Whether a tag begins a shadow root, which decides what is shown of the element that it stands in.
pub(crate) fn is_shadow(tag: &Tag<'_>) -> bool {
    tag.key == TEMPLATE && (tag.find(b"shadowrootmode").is_some() || tag.find(b"shadowroot").is_some())
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

/// Elements that separate words, but do not end a line of text.
const FLOWING: [u64; 32] = [
    key(b"area"),
    key(b"audio"),
    key(b"base"),
    key(b"br"),
    key(b"canvas"),
    key(b"embed"),
    key(b"iframe"),
    key(b"img"),
    key(b"input"),
    key(b"label"),
    key(b"link"),
    key(b"map"),
    key(b"meta"),
    key(b"meter"),
    key(b"noscript"),
    key(b"object"),
    key(b"output"),
    key(b"param"),
    key(b"picture"),
    key(b"progress"),
    key(b"rb"),
    key(b"rp"),
    key(b"rt"),
    key(b"rtc"),
    key(b"ruby"),
    key(b"script"),
    key(b"source"),
    key(b"style"),
    key(b"svg"),
    key(b"time"),
    key(b"var"),
    key(b"video"),
];

/// Whether what follows a tag stands in another paragraph, cell or entry than what is before it.
pub(crate) fn is_border(key: u64) -> bool {
    traits(key) & INLINE == 0 && !FLOWING.contains(&key)
}

/// Whether an element holds a note or a reading aid: footnote marks, exponents, ruby.
pub(crate) fn is_note(name: u64) -> bool {
    const NOTES: [u64; 4] = [key(b"sup"), key(b"sub"), key(b"rt"), key(b"rtc")];
    NOTES.contains(&name)
}
