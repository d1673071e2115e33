//! The target of `<meta http-equiv=refresh>` and of the `Refresh` header.
//!
//! Source: WHATWG HTML, "shared declarative refresh steps".

/// The URL of a value such as `5; url=next.html`. `None`: it reloads the page itself, or is not valid.
pub(crate) fn target(value: &[u8]) -> Option<&[u8]> {
    let mut rest = value.trim_ascii_start();
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    if digits == 0 && rest.first() != Some(&b'.') {
        return None;
    }
    let number = rest.iter().take_while(|c| c.is_ascii_digit() || **c == b'.').count();
    rest = &rest[number..];
    if !rest.first().is_some_and(|&c| c == b';' || c == b',' || c.is_ascii_whitespace()) {
        return None;
    }
    rest = rest.trim_ascii_start();
    if let Some((b';' | b',', behind)) = rest.split_first() {
        rest = behind;
    }
    rest = rest.trim_ascii_start();
    if rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"url")) {
        let behind = rest[3..].trim_ascii_start();
        if let Some((b'=', behind)) = behind.split_first() {
            rest = behind.trim_ascii_start();
        }
    }
    match rest.split_first() {
        Some((&quote @ (b'"' | b'\''), behind)) => {
            Some(&behind[..memchr::memchr(quote, behind).unwrap_or(behind.len())])
        }
        Some(_) => Some(rest.trim_ascii_end()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn the_forms_seen_in_the_wild_are_read() {
        for (value, url) in [
            ("0;url=a", Some("a")),
            (" 5 ; URL = 'a b' x", Some("a b")),
            ("0.5, url=\"a", Some("a")),
            ("0; a.html ", Some("a.html")),
            ("0 urls", Some("urls")),
            ("5", None),
            ("5;", None),
            ("x; url=a", None),
            ("5x; url=a", None),
            ("", None),
        ] {
            assert_eq!(target(value.as_bytes()), url.map(str::as_bytes), "{value:?}");
        }
    }
}
