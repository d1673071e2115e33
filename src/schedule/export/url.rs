//! URLs made safe for a line of text.

use std::fmt::Write;

use crate::url::is_requestable;

/// Maximum length of a URL that is handed on: a program accepts arguments of at most 128 KiB.
const MAX_URL_BYTES: usize = 64 << 10;

/// The URL with everything percent-encoded that could end a line or a field, or be taken for a quote; `None` if it is not an
/// absolute `http` or `https` URL (so that it never begins with a dash, a `#` or anything else that means something else), or one
/// that cannot be requested: a host that is neither a name nor an address, a port out of range, or too long for an argument.
pub(crate) fn safe(url: &str) -> Option<String> {
    let url = url.trim();
    let scheme = url.get(..8).or_else(|| url.get(..7))?.to_ascii_lowercase();
    let rest = if scheme.starts_with("https://") {
        &url[8..]
    } else if scheme.starts_with("http://") {
        &url[7..]
    } else {
        return None;
    };
    if rest.is_empty() || rest.starts_with(['/', '?', '#']) {
        return None;
    }
    let mut safe = String::with_capacity(url.len());
    for character in url.chars() {
        let harmless = !character.is_whitespace()
            && !character.is_control()
            && !matches!(character, '"' | '\'' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
            && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if harmless {
            safe.push(character);
        } else {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(safe, "%{byte:02X}");
            }
        }
    }
    (safe.len() <= MAX_URL_BYTES && is_requestable(&safe)).then_some(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_url_can_end_a_line_or_begin_an_option() {
        for (url, expected) in [
            ("http://a/b c", Some("http://a/b%20c")),
            ("http://a/\nF+ http://evil/", Some("http://a/%0AF+%20http://evil/")),
            ("HTTPS://a/?q=\"';$(x)`y`\\", Some("HTTPS://a/?q=%22%27;$(x)%60y%60%5C")),
            ("http://a/\u{85}\u{2028}\u{202e}é", Some("http://a/%C2%85%E2%80%A8%E2%80%AEé")),
            ("--output-document=/etc/passwd", None),
            ("# comment", None),
            ("http://", None),
            ("http:///x", None),
            ("ftp://a/", None),
            ("http://a:89170/", None),
            ("http://[127.0.0.1]/", None),
            ("http://a b/", None),
            (&format!("http://a/{}", "é|".repeat(30_000)), None),
            ("p17", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(safe(url).as_deref(), expected, "{url:?}");
        }
    }
}
