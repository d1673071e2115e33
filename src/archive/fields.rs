//! Named fields: the `Name: value` lines of WARC and HTTP heads, as the wild writes them.
//!
//! Lines may end in LF alone, values may be folded over several lines, names come in any case and any number of
//! times, bytes need not be UTF-8.

use std::borrow::Cow;

use memchr::memchr;

/// Iterates over the fields of a head, in their order.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields in `head`, which starts behind the version or status line.
    pub fn new(head: &'a [u8]) -> Self {
        Fields { rest: head }
    }

    fn line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match memchr(b'\n', self.rest) {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, &self.rest[self.rest.len()..]),
        };
        self.rest = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.line()?;
            let Some(colon) = memchr(b':', line) else { continue };
            let mut value = Cow::Borrowed(line[colon + 1..].trim_ascii());
            while matches!(self.rest.first(), Some(b' ' | b'\t')) {
                let folded = self.line()?.trim_ascii();
                let joined = value.to_mut();
                if !joined.is_empty() {
                    joined.push(b' ');
                }
                joined.extend_from_slice(folded);
            }
            return Some((line[..colon].trim_ascii(), value));
        }
    }
}

/// Whether a field's name is `known` (given in lower case).
pub fn is_named(name: &[u8], known: &str) -> bool {
    name.eq_ignore_ascii_case(known.as_bytes())
}

/// Text of a field: UTF-8, or Latin-1 where it is not, as HTTP and old writers have it.
pub fn text<'a>(value: Cow<'a, [u8]>) -> Cow<'a, str> {
    match value {
        Cow::Borrowed(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(latin1(bytes)),
        },
        Cow::Owned(bytes) => {
            Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|error| latin1(error.as_bytes())))
        }
    }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// The length of a head up to and including its blank line, if the blank line is there.
///
/// The blank line ends the head whether lines end in CRLF or in LF.
pub fn head_length(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = memchr(b'\n', bytes.get(at..)?) {
        at += found + 1;
        match bytes.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(head: &[u8]) -> Vec<(String, String)> {
        Fields::new(head)
            .map(|(name, value)| (text(Cow::Borrowed(name)).into_owned(), text(value).into_owned()))
            .collect()
    }

    #[test]
    fn folded_repeated_and_odd_lines_are_read() {
        let head =
            b"A: 1\r\nb:two\n  more\r\n\tand more\r\nno colon here\r\nA :\xe9\r\n:x\r\nc:\r\n late\r\n";
        let expected = [("A", "1"), ("b", "two more and more"), ("A", "é"), ("", "x"), ("c", "late")];
        assert_eq!(fields(head), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_head_ends_at_its_blank_line() {
        assert_eq!(head_length(b"a\r\nb\r\n\r\nbody", 0), Some(8));
        assert_eq!(head_length(b"a\nb\n\nbody", 0), Some(5));
        assert_eq!(head_length(b"a\nb\n\r\nbody", 0), Some(6));
        assert_eq!(head_length(b"a\r\nb\r\n", 0), None);
        assert_eq!(head_length(b"a\r\nb\r\n\r", 0), None);
    }
}
