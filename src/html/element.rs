//! Element names as integers, so that a tag is classified by one look-up.

/// A name of at most eight letters, lower-cased, as a unique integer. Longer names give 0.
#[inline(always)]
pub(crate) const fn key(name: &[u8]) -> u64 {
    let mut key = 0;
    let mut i = name.len();
    if i > 8 {
        return 0;
    }
    // Setting bit 5 lower-cases letters and turns nothing else into a letter.
    while i > 0 {
        i -= 1;
        key = key << 8 | (name[i] | 0x20) as u64;
    }
    key
}

/// Inline; all other elements separate words.
pub(crate) const INLINE: u16 = 1;
/// A format that a tree builder reopens in every paragraph.
pub(crate) const FORMATTING: u16 = 2;
/// Adds no depth: void, or its end tag is optional and the next such element closes it.
pub(crate) const FLAT: u16 = 4;
/// `template`: its content is not displayed.
pub(crate) const TEMPLATE: u16 = 8;
/// `style`: its content is CSS.
pub(crate) const STYLE: u16 = 16;
/// Has attributes that are links.
pub(crate) const LINKS: u16 = 32;
/// The tokenizer reads its content as raw text.
pub(crate) const RAW: u16 = 64;
/// `h1` and `h2`.
pub(crate) const HEADING: u16 = 128;
/// An element of SVG that is painted, with colours and shapes that may lie in other files.
pub(crate) const PAINTED: u16 = 256;

const NAMES: &[(&[u8], u16)] = &[
    (b"a", INLINE | FORMATTING | LINKS),
    (b"abbr", INLINE),
    (b"acronym", INLINE),
    (b"area", FLAT | LINKS),
    (b"audio", LINKS),
    (b"b", INLINE | FORMATTING),
    (b"base", FLAT | LINKS),
    (b"bdi", INLINE),
    (b"bdo", INLINE),
    (b"bgsound", LINKS),
    (b"big", INLINE | FORMATTING),
    (b"body", FLAT),
    (b"br", FLAT),
    (b"button", LINKS),
    (b"circle", LINKS | PAINTED),
    (b"cite", INLINE),
    (b"clippath", LINKS | PAINTED),
    (b"code", INLINE | FORMATTING),
    (b"col", FLAT),
    (b"data", INLINE),
    (b"dd", FLAT),
    (b"del", INLINE),
    (b"dfn", INLINE),
    (b"dt", FLAT),
    (b"ellipse", LINKS | PAINTED),
    (b"em", INLINE | FORMATTING),
    (b"embed", FLAT | LINKS),
    (b"feimage", LINKS),
    (b"font", INLINE | FORMATTING),
    (b"form", LINKS),
    (b"frame", LINKS),
    (b"g", LINKS | PAINTED),
    (b"h1", HEADING),
    (b"h2", HEADING),
    (b"head", FLAT),
    (b"hr", FLAT),
    (b"html", FLAT),
    (b"i", INLINE | FORMATTING),
    (b"iframe", LINKS | RAW),
    (b"image", LINKS | PAINTED),
    (b"img", FLAT | LINKS),
    (b"input", FLAT | LINKS),
    (b"ins", INLINE),
    (b"kbd", INLINE),
    (b"li", FLAT),
    (b"line", LINKS | PAINTED),
    (b"link", FLAT | LINKS),
    (b"mark", INLINE),
    (b"marker", LINKS | PAINTED),
    (b"mask", LINKS | PAINTED),
    (b"math", LINKS),
    (b"meta", FLAT | LINKS),
    (b"nobr", INLINE | FORMATTING),
    (b"noembed", RAW),
    (b"noframes", RAW),
    (b"noscript", LINKS),
    (b"object", LINKS),
    (b"option", FLAT),
    (b"p", FLAT),
    (b"param", FLAT | LINKS),
    (b"path", LINKS | PAINTED),
    (b"pattern", LINKS | PAINTED),
    (b"polygon", LINKS | PAINTED),
    (b"polyline", LINKS | PAINTED),
    (b"q", INLINE),
    (b"rect", LINKS | PAINTED),
    (b"rp", FLAT),
    (b"rt", FLAT),
    (b"s", INLINE | FORMATTING),
    (b"samp", INLINE),
    (b"script", LINKS | RAW),
    (b"small", INLINE | FORMATTING),
    (b"source", FLAT | LINKS),
    (b"span", INLINE),
    (b"strike", INLINE | FORMATTING),
    (b"strong", INLINE | FORMATTING),
    (b"style", STYLE | RAW),
    (b"sub", INLINE),
    (b"sup", INLINE),
    // Foreign markup is read by the rules of XML; see `foreign`.
    (b"svg", LINKS | PAINTED),
    (b"symbol", LINKS | PAINTED),
    (b"tbody", FLAT),
    (b"td", FLAT),
    (b"template", TEMPLATE | LINKS),
    (b"text", LINKS | PAINTED),
    (b"textarea", RAW),
    (b"textpath", LINKS | PAINTED),
    (b"tfoot", FLAT),
    (b"th", FLAT),
    (b"thead", FLAT),
    (b"title", RAW),
    (b"tr", FLAT),
    (b"track", FLAT | LINKS),
    (b"tspan", LINKS | PAINTED),
    (b"tt", INLINE | FORMATTING),
    (b"u", INLINE | FORMATTING),
    (b"use", LINKS | PAINTED),
    (b"video", LINKS),
    (b"wbr", INLINE | FLAT),
    (b"xmp", RAW),
];

const SLOTS: usize = 512;

const fn slot(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize
}

/// The names above by their key, hashed, with linear probing.
static TABLE: [(u64, u16); SLOTS] = {
    let mut table = [(0, 0); SLOTS];
    let mut i = 0;
    while i < NAMES.len() {
        let key = key(NAMES[i].0);
        let mut at = slot(key);
        while table[at].0 != 0 {
            at = (at + 1) % SLOTS;
        }
        table[at] = (key, NAMES[i].1);
        i += 1;
    }
    table
};

/// The traits of the element with this key.
#[inline]
pub(crate) fn traits(key: u64) -> u16 {
    let mut at = slot(key);
    loop {
        let (found, traits) = TABLE[at];
        if found == key {
            return traits;
        }
        if found == 0 {
            return 0;
        }
        at = (at + 1) % SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_any_case_and_others_are_not() {
        for (name, expected) in NAMES {
            assert_eq!(traits(key(name)), *expected);
            assert_eq!(traits(key(&name.to_ascii_uppercase())), *expected);
        }
        for other in [&b"div"[..], b"section", b"blockquote", b"h3", b"", b"a-b", b"\x01"] {
            assert_eq!(traits(key(other)), 0, "{other:?}");
        }
    }
}
