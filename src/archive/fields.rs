//! Named fields: the `Name: value` lines of WARC and HTTP heads, as real archives have them.
//!
//! Lines may end in LF alone, values may be folded over several lines, names come in any case and any number of
//! times, bytes need not be UTF-8.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

/// Iterates over the fields of a head, in order.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    head: &'a [u8],
    /// The head as text if it is valid UTF-8: checked once rather than for every value.
    text: Option<&'a str>,
    at: usize,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// Valid UTF-8.
    Text(&'a str),
    /// Not known to be UTF-8, or joined from folded lines.
    Bytes(Cow<'a, [u8]>),
}

impl<'a> Value<'a> {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Value::Text(text) => text.as_bytes(),
            Value::Bytes(bytes) => bytes,
        }
    }

    /// The text: UTF-8, or else Latin-1, as in HTTP and old writers.
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Value::Text(text) => Cow::Borrowed(text),
            Value::Bytes(bytes) => text(bytes),
        }
    }
}

impl<'a> Fields<'a> {
    /// The fields in `head`, which starts after the version or status line.
    pub(crate) fn new(head: &'a [u8]) -> Self {
        Fields { head, text: std::str::from_utf8(head).ok(), at: 0 }
    }

    /// The same for a caller that reads few values: UTF-8 is then checked per value.
    pub(crate) fn sparsely(head: &'a [u8]) -> Self {
        Fields { head, text: None, at: 0 }
    }

    /// The start and end of the next line, without its line ending.
    fn line(&mut self) -> Option<(usize, usize)> {
        let start = self.at;
        if start == self.head.len() {
            return None;
        }
        let end = memchr(b'\n', &self.head[start..]).map_or(self.head.len(), |end| start + end);
        self.at = (end + 1).min(self.head.len());
        let is_crlf = end > start && self.head[end - 1] == b'\r';
        Some((start, end - usize::from(is_crlf)))
    }

    /// The value between two positions, trimmed.
    fn value(&self, from: usize, to: usize) -> Value<'a> {
        let rest = self.head[from..to].trim_ascii_start();
        let from = to - rest.len();
        let to = from + rest.trim_ascii_end().len();
        match self.text.and_then(|text| text.get(from..to)) {
            Some(text) => Value::Text(text),
            None => Value::Bytes(Cow::Borrowed(&self.head[from..to])),
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a [u8], Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (start, end) = self.line()?;
            let Some(colon) = memchr(b':', &self.head[start..end]) else { continue };
            let name = self.head[start..start + colon].trim_ascii();
            let mut value = self.value(start + colon + 1, end);
            let is_folded = |fields: &Self| matches!(fields.head.get(fields.at), Some(b' ' | b'\t'));
            if is_folded(self) {
                let mut joined = value.bytes().to_vec();
                while is_folded(self) {
                    let (start, end) = self.line()?;
                    if !joined.is_empty() {
                        joined.push(b' ');
                    }
                    joined.extend_from_slice(self.head[start..end].trim_ascii());
                }
                value = Value::Bytes(Cow::Owned(joined));
            }
            return Some((name, value));
        }
    }
}

/// The value of the first field of that name, if it is not empty.
pub(crate) fn find<'a>(block: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    let (_, value) = Fields::sparsely(block).find(|(found, _)| is_named(found, name))?;
    Some(value.text()).filter(|value| !value.is_empty())
}

/// Whether a field's name is `known`, in any case. Fast if `known` has the usual spelling.
#[inline]
pub(crate) fn is_named(name: &[u8], known: &str) -> bool {
    name == known.as_bytes() || name.eq_ignore_ascii_case(known.as_bytes())
}

/// Bytes as text: UTF-8, or else Latin-1.
pub(crate) fn text<'a>(value: Cow<'a, [u8]>) -> Cow<'a, str> {
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
pub(crate) fn head_length(bytes: &[u8], from: usize) -> Option<usize> {
    static CRLF: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n\r\n"));
    static LF: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\n\n"));
    let bytes = bytes.get(from..)?;
    let crlf = CRLF.find(bytes).map(|at| at + 3);
    let lf = LF.find(&bytes[..crlf.unwrap_or(bytes.len())]).map(|at| at + 2);
    lf.or(crlf).map(|length| from + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(head: &[u8]) -> Vec<(String, String)> {
        Fields::new(head)
            .map(|(name, value)| (text(Cow::Borrowed(name)).into_owned(), value.text().into_owned()))
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
