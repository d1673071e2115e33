//! Percent escapes: decoded until none is left, then encoded once.

fn hex(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

/// Undoes percent escapes until none is left, in one pass.
///
/// No two escapes can overlap, so the order in which they are undone does not matter; undoing each as soon as it is
/// complete costs linear time even for `%2525252525…`, where whole passes would cost quadratic time.
pub(super) fn unescape_into(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for byte in text {
        out.push(*byte);
        while let [.., b'%', high, low] = out[start..] {
            let (Some(high), Some(low)) = (hex(high), hex(low)) else { break };
            out.truncate(out.len() - 3);
            out.push(high << 4 | low);
        }
    }
}

/// Undoes every percent escape once.
pub(super) fn unescape_once(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        match after {
            [high, low, after @ ..] if *byte == b'%' => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    out.push(high << 4 | low);
                    rest = after;
                }
                _ => out.push(*byte),
            },
            _ => out.push(*byte),
        }
    }
    out
}

/// Whether a byte stands for itself in a canonical URL: printable ASCII but `#` and `%`.
pub(super) fn is_plain(byte: u8) -> bool {
    byte > b' ' && byte < 0x7f && byte != b'%' && byte != b'#'
}

/// Appends text in lower case, escaping (also in lower case) what is not plain.
pub(super) fn escape_lower_into(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if is_plain(*byte) {
            out.push(byte.to_ascii_lowercase());
        } else {
            let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 15)];
            out.extend_from_slice(&[b'%', digit(byte >> 4), digit(*byte)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unescaped(text: &str) -> String {
        let mut out = Vec::new();
        unescape_into(text.as_bytes(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn an_escape_is_undone_once() {
        assert_eq!(unescape_once(b"a%20b%2541%4"), b"a b%41%4");
        assert_eq!(unescape_once(b"%%41%zz%"), b"%A%zz%");
    }

    #[test]
    fn escapes_of_escapes_are_undone_to_the_last() {
        assert_eq!(unescaped("a%20b"), "a b");
        assert_eq!(unescaped("%252525252541"), "A");
        assert_eq!(unescaped("%%34%31"), "A");
        assert_eq!(unescaped("%"), "%");
        assert_eq!(unescaped("%4"), "%4");
        assert_eq!(unescaped("%zz%25"), "%zz%");
        assert_eq!(unescaped("%25%32%35%34%31"), "A");
    }

    #[test]
    fn a_megabyte_of_nested_escapes_takes_linear_time() {
        let text = format!("%{}41", "25".repeat(500_000));
        assert_eq!(unescaped(&text), "A");
    }
}
