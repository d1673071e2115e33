//! Queries of links in the encoding of their page: `?é` in a Latin-1 page asks for `?%E9`.
//!
//! Source: WHATWG URL, "percent-encode after encoding", for the query of an http(s) URL. A character that the encoding
//! lacks becomes `%26%23N%3B`, its reference in decimal. Pages in UTF-16 ask in UTF-8.

use std::borrow::Cow;
use std::fmt::Write;

use encoding_rs::{EncoderResult, Encoding, UTF_8};

/// The reference with its query in ASCII. The value is UTF-8; only a query with other characters than ASCII changes.
pub(super) fn encoded<'a>(value: &'a [u8], encoding: &'static Encoding) -> Cow<'a, [u8]> {
    let encoding = encoding.output_encoding();
    if encoding == UTF_8 || value.is_ascii() {
        return Cow::Borrowed(value);
    }
    let Some(start) = memchr::memchr(b'?', value).filter(|start| !value[*start..].is_ascii()) else {
        return Cow::Borrowed(value);
    };
    let query = String::from_utf8_lossy(&value[start..]);
    let mut out = String::new();
    let mut encoder = encoding.new_encoder();
    let (mut rest, mut buffer) = (&*query, [0; 256]);
    loop {
        let (result, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
        for byte in &buffer[..written] {
            push(*byte, &mut out);
        }
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => break,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%26%23{}%3B", u32::from(character));
            }
        }
    }
    let mut all = value[..start].to_vec();
    all.extend_from_slice(out.as_bytes());
    Cow::Owned(all)
}

fn push(byte: u8, out: &mut String) {
    if byte.is_ascii() && byte != 0x1b {
        out.push(byte as char);
    } else {
        let _ = write!(out, "%{byte:02X}");
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, GBK, ISO_2022_JP, SHIFT_JIS, UTF_16LE, WINDOWS_1252};

    use super::*;

    #[test]
    fn queries_are_written_in_the_encoding_of_the_page() {
        for (value, encoding, expected) in [
            ("/é?é=ü&x", WINDOWS_1252, "/é?%E9=%FC&x"),
            ("?q=日本", SHIFT_JIS, "?q=%93%FA%96{"),
            ("?q=日本", EUC_JP, "?q=%C6%FC%CB%DC"),
            ("?q=中文", GBK, "?q=%D6%D0%CE%C4"),
            ("?é=日", WINDOWS_1252, "?%E9=%26%2326085%3B"),
            ("?q=日", ISO_2022_JP, "?q=%1B$BF|%1B(B"),
            ("/é", WINDOWS_1252, "/é"),
            ("?é", UTF_16LE, "?é"),
            ("?é", UTF_8, "?é"),
            ("?a=b", WINDOWS_1252, "?a=b"),
        ] {
            let found = encoded(value.as_bytes(), encoding);
            assert_eq!(String::from_utf8_lossy(&found), expected, "{value} in {}", encoding.name());
        }
        let long = format!("?{}", "é".repeat(1000));
        assert_eq!(encoded(long.as_bytes(), WINDOWS_1252).len(), 3001);
        encoded(b"?\xff\xe9", WINDOWS_1252);
    }
}
