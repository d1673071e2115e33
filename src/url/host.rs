//! The host of a canonical key: labels reversed, numbers as dotted quads, other scripts in Punycode.

use super::escape::{escape_lower_into, is_plain, unescape_into};
use super::punycode::punycode;

/// Appends the host in SURT order (`com,example`); nothing where it has no label. `www.` is stripped on request.
pub(super) fn write_reversed(host: &[u8], strip_www: bool, out: &mut Vec<u8>) {
    let mut scratch = Vec::new();
    let host = canonical(host, strip_www, &mut scratch);
    if host.is_empty() {
        return;
    }
    for label in host.rsplit(|byte| *byte == b'.') {
        out.extend(label.iter().map(u8::to_ascii_lowercase));
        out.push(b',');
    }
    out.pop();
}

/// The host in its own order, canonical but for letter case: borrowed where it already is.
pub(super) fn canonical<'a>(host: &'a [u8], strip_www: bool, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    let plain = host.iter().all(|byte| is_plain(*byte))
        && host.first() != Some(&b'.')
        && host.last() != Some(&b'.')
        && !host.windows(2).any(|pair| pair == b"..");
    let host = if !plain {
        tidy(host, scratch);
        scratch
    } else if let Some(quad) = ipv4(host) {
        write_quad(quad, scratch);
        scratch
    } else {
        host
    };
    if strip_www { &host[www_length(host)..] } else { host }
}

/// Unescapes, encodes other scripts, removes dots too many, recognises numeric addresses, escapes again.
fn tidy(host: &[u8], out: &mut Vec<u8>) {
    let mut unescaped = Vec::with_capacity(host.len());
    unescape_into(host, &mut unescaped);
    if !unescaped.is_ascii()
        && let Some(ascii) = idna(&unescaped)
    {
        unescaped = ascii.into_bytes();
    }
    let mut dots = 0;
    unescaped.retain(|byte| {
        dots = if *byte == b'.' { dots + 1 } else { 0 };
        dots == 0 || dots % 2 == 1
    });
    let front = unescaped.iter().take_while(|byte| **byte == b'.').count();
    let back = unescaped[front..].iter().rev().take_while(|byte| **byte == b'.').count();
    let trimmed = &unescaped[front..unescaped.len() - back];
    match ipv4(trimmed) {
        Some(quad) => write_quad(quad, out),
        None => escape_lower_into(trimmed, out),
    }
}

/// The length of a leading `www.`, `www2.` …
pub(super) fn www_length(host: &[u8]) -> usize {
    if !host.get(..3).is_some_and(|head| head.eq_ignore_ascii_case(b"www")) {
        return 0;
    }
    let digits = host[3..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if host.get(3 + digits) == Some(&b'.') { digits + 4 } else { 0 }
}

/// The address behind a numeric host, as `inet_aton` reads it: one to four parts, the last one filling what is left;
/// parts with a leading zero are octal. One number alone is taken modulo 2³².
pub(super) fn ipv4(host: &[u8]) -> Option<[u8; 4]> {
    if !host.first()?.is_ascii_digit() || !host.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return None;
    }
    if !host.contains(&b'.') {
        let number = host
            .iter()
            .fold(0u32, |number, byte| number.wrapping_mul(10).wrapping_add(u32::from(byte - b'0')));
        return Some(number.to_be_bytes());
    }
    if host[0] == b'0' && host.iter().any(|byte| *byte > b'7') {
        return None;
    }
    let (mut parts, mut count) = ([0u32; 4], 0);
    for part in host.split(|byte| *byte == b'.') {
        let base = if part.len() > 1 && part[0] == b'0' { 8 } else { 10 };
        let number = (!part.is_empty()).then_some(part)?.iter().try_fold(0u32, |number, byte| {
            let digit = (*byte as char).to_digit(base)?;
            number.checked_mul(base)?.checked_add(digit)
        })?;
        *parts.get_mut(count)? = number;
        count += 1;
    }
    let (last, leading) = (parts[count - 1], &parts[..count - 1]);
    let room = 32 - 8 * leading.len() as u32;
    if leading.iter().any(|part| *part > 255) || (room < 32 && last >> room != 0) {
        return None;
    }
    let address = leading.iter().enumerate().fold(last, |sum, (place, part)| sum | part << (24 - 8 * place));
    Some(address.to_be_bytes())
}

fn write_quad(quad: [u8; 4], out: &mut Vec<u8>) {
    for octet in quad {
        let digits = [octet / 100, octet / 10 % 10, octet % 10].map(|digit| b'0' + digit);
        out.extend_from_slice(
            &digits[if octet >= 100 {
                0
            } else if octet >= 10 {
                1
            } else {
                2
            }..],
        );
        out.push(b'.');
    }
    out.pop();
}

/// A host in other scripts, in the ASCII form of RFC 3490; bytes that are not UTF-8 are left out. `None` where a
/// label is empty or too long, or pretends to be encoded already.
fn idna(host: &[u8]) -> Option<String> {
    let text: String = host.utf8_chunks().map(|chunk| chunk.valid()).collect();
    let mut ascii = String::with_capacity(text.len() + 8);
    let mut labels = text.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).peekable();
    while let Some(label) = labels.next() {
        let start = ascii.len();
        if label.is_ascii() {
            ascii.push_str(label);
        } else {
            let folded: String = label.chars().flat_map(fold).collect();
            if folded.is_ascii() {
                ascii.push_str(&folded);
            } else if folded.starts_with("xn--") {
                return None;
            } else {
                ascii.push_str("xn--");
                punycode(&folded, &mut ascii)?;
            }
        }
        let length = ascii.len() - start;
        if length > 63 || (length == 0 && labels.peek().is_some()) {
            return None;
        }
        if labels.peek().is_some() {
            ascii.push('.');
        }
    }
    Some(ascii)
}

/// The case folding of Nameprep (RFC 3491, table B.2) and the characters it maps to nothing (table B.1).
fn fold(character: char) -> impl Iterator<Item = char> {
    let (fixed, lower) = match character {
        '\u{df}' => (Some("ss"), None),
        '\u{3c2}' => (Some("\u{3c3}"), None),
        '\u{ad}'
        | '\u{34f}'
        | '\u{1806}'
        | '\u{180b}'..='\u{180d}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => (Some(""), None),
        _ => (None, Some(character.to_lowercase())),
    };
    fixed.unwrap_or_default().chars().chain(lower.into_iter().flatten())
}
