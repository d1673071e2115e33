//! Character references (`&amp;`, `&#x41;`) as the HTML standard's tokenizer reads them.
//!
//! Source: WHATWG HTML, "Named character reference state" to "Numeric character reference end state". The table of
//! names is the standard's own, as `html5ever` carries it.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

use crate::byte_search;

/// Maximum bytes, from `&` to its end, that [`decode_text`] needs in one piece. The longest name has
/// 32 characters; a number padded with more zeros than fit is left undecoded.
pub(crate) const MAX_REFERENCE_BYTES: usize = 40;

/// A decoded reference: its characters, and the bytes it takes including the `&`.
struct Reference {
    chars: [char; 2],
    two: bool,
    length: usize,
}

impl Reference {
    fn one(c: char, length: usize) -> Self {
        Reference { chars: [c, '\0'], two: false, length }
    }
}

/// Reads the reference at the start of `at`, which begins with `&`. `None`: it is literal text.
fn reference(at: &[u8], in_attribute: bool) -> Option<Reference> {
    match at.get(1)? {
        b'#' => numeric(at),
        c if c.is_ascii_alphanumeric() => named(at, in_attribute),
        _ => None,
    }
}

fn numeric(at: &[u8]) -> Option<Reference> {
    let (base, first) = if matches!(at.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let mut number = 0u32;
    let mut end = first;
    while let Some(digit) = at.get(end).and_then(|&c| (c as char).to_digit(base)) {
        number = number.saturating_mul(base).saturating_add(digit);
        end += 1;
    }
    if end == first {
        return None;
    }
    if at.get(end) == Some(&b';') {
        end += 1;
    }
    let replaced = match number {
        0x80..=0x9f => C1_REPLACEMENTS[(number - 0x80) as usize].or(char::from_u32(number)),
        0 => None,
        n => char::from_u32(n),
    };
    Some(Reference::one(replaced.unwrap_or('\u{fffd}'), end))
}

fn named(at: &[u8], in_attribute: bool) -> Option<Reference> {
    // Nearly all references are one of these; the table costs a look-up per letter.
    const COMMON: [(&[u8], char); 6] = [
        (b"&amp;", '&'),
        (b"&lt;", '<'),
        (b"&gt;", '>'),
        (b"&quot;", '"'),
        (b"&nbsp;", '\u{a0}'),
        (b"&apos;", '\''),
    ];
    if let Some((name, c)) = COMMON.iter().find(|(name, _)| at.starts_with(name)) {
        return Some(Reference::one(*c, name.len()));
    }
    // The table holds every prefix of every name, with no character for those that are prefixes only.
    let mut found = None;
    let mut end = 1;
    while at.get(end).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b';') {
        end += 1;
        let name = std::str::from_utf8(&at[1..end]).ok()?;
        match NAMED_ENTITIES.get(name) {
            Some(&(0, _)) => {}
            Some(&pair) => found = Some((pair, end)),
            None => break,
        }
    }
    let ((first, second), end) = found?;
    // For historical reasons `href="?a=b&copy=c"` is no copyright sign.
    let historical =
        at[end - 1] != b';' && at.get(end).is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric());
    if in_attribute && historical {
        return None;
    }
    let (first, second) = (char::from_u32(first)?, char::from_u32(second)?);
    Some(Reference { chars: [first, second], two: second != '\0', length: end })
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn push_reference(out: &mut Vec<u8>, reference: &Reference) {
    push(out, reference.chars[0]);
    if reference.two {
        push(out, reference.chars[1]);
    }
}

/// Whether an attribute value needs decoding: it has a reference, a carriage return or a NUL.
pub(crate) fn needs_decoding(raw: &[u8]) -> bool {
    byte_search::any(raw, [b'&', b'\r', 0])
}

/// Decodes an attribute value: references, line ends (CR LF and CR become LF), NUL (becomes U+FFFD).
pub(crate) fn decode_attribute(mut raw: &[u8], out: &mut Vec<u8>) {
    while let Some(at) = memchr::memchr3(b'&', b'\r', 0, raw) {
        out.extend_from_slice(&raw[..at]);
        let mut length = 1;
        match raw[at] {
            b'&' => match reference(&raw[at..], true) {
                Some(reference) => {
                    push_reference(out, &reference);
                    length = reference.length;
                }
                None => out.push(b'&'),
            },
            b'\r' => {
                out.push(b'\n');
                length += usize::from(raw.get(at + 1) == Some(&b'\n'));
            }
            _ => push(out, '\u{fffd}'),
        }
        raw = &raw[at + length..];
    }
    out.extend_from_slice(raw);
}

/// Decodes the references in text and leaves everything else as it is. A reference that may continue after the end of `text` is
/// not decoded unless `last`: returns the number of bytes taken.
pub(crate) fn decode_text(text: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
    let mut taken = 0;
    while let Some(at) = memchr::memchr(b'&', &text[taken..]) {
        let at = taken + at;
        out.extend_from_slice(&text[taken..at]);
        taken = at;
        let rest = &text[at..text.len().min(at + MAX_REFERENCE_BYTES)];
        let open = rest[1..].iter().all(|c| c.is_ascii_alphanumeric() || *c == b'#');
        if open && rest.len() < MAX_REFERENCE_BYTES && !last {
            return taken;
        }
        // Cut in the middle, a number would become another number.
        match reference(rest, false).filter(|_| !(open && rest.len() == MAX_REFERENCE_BYTES)) {
            Some(reference) => {
                push_reference(out, &reference);
                taken += reference.length;
            }
            None => {
                out.push(b'&');
                taken += 1;
            }
        }
    }
    out.extend_from_slice(&text[taken..]);
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(raw: &str) -> String {
        let mut out = Vec::new();
        decode_attribute(raw.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn text(raw: &str) -> String {
        let mut out = Vec::new();
        assert_eq!(decode_text(raw.as_bytes(), true, &mut out), raw.len());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_name_without_semicolon_counts_in_text_but_not_before_a_letter_in_an_attribute() {
        assert_eq!(attribute("?a=b&copy=c&copy;&copy"), "?a=b&copy=c©©");
        assert_eq!(text("?a=b&copy=c"), "?a=b©=c");
        assert_eq!(text("&notit; &notin; &not"), "¬it; ∉ ¬");
    }

    #[test]
    fn numbers_follow_the_standard_for_nul_surrogates_and_windows_1252() {
        assert_eq!(
            attribute("&#65;&#x41&#0;&#xD800;&#x80;&#99999999999;&#;&#x;"),
            "AA\u{fffd}\u{fffd}€\u{fffd}&#;&#x;"
        );
    }

    #[test]
    fn line_ends_and_nul_are_normalised_in_attributes() {
        assert_eq!(attribute("a\r\nb\rc\0d"), "a\nb\nc\u{fffd}d");
    }

    #[test]
    fn text_keeps_back_a_reference_that_may_go_on() {
        let mut out = Vec::new();
        assert_eq!(decode_text(b"a &am", false, &mut out), 2);
        assert_eq!(out, b"a ");
        let zeros = format!("&#{}65;", "0".repeat(60));
        assert_eq!(text(&zeros), zeros);
    }
}
