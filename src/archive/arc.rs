//! ARC 1 and 2, read as a dialect of WARC, so that no code after the reader needs to know.
//!
//! A record is one line, a block and a newline. Version 1: `URL IP date type length`; version 2 puts status,
//! checksum, location, offset and file name before the length. Real lines have spaces in the URL (warcio#61), 12 or
//! 18 digits of date (webarchive-commons#80), `-` for anything, a negative length or none.

use std::borrow::Cow;

use memchr::memchr;

use super::fields::text;
use super::record::{RecordHead, RecordType};

/// Maximum length of a head line.
pub(crate) const LINE_LIMIT: usize = 64 << 10;

/// Parses the head line that starts `bytes`; `None` if it is not one.
pub(crate) fn parse_line(bytes: &[u8]) -> Option<RecordHead<'_>> {
    let line = &bytes[..memchr(b'\n', bytes)?.min(LINE_LIMIT)];
    let line = line.strip_suffix(b"\r").unwrap_or(line).trim_ascii_end();
    let scheme_end = memchr(b':', line)?;
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    if scheme_end < 2 || !line[0].is_ascii_alphabetic() || !line[..scheme_end].iter().all(is_scheme) {
        return None;
    }
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let is_filedesc = line.starts_with(b"filedesc:");
    // The URL may contain spaces, so search for the date: digits after something like an IP address.
    let date = (2..words.len().checked_sub(1)?).find(|at| {
        (is_date(words[*at]) && is_address(words[at - 1]))
            || (is_filedesc && words[*at] == b"-" && words[at - 1] == b"-")
    })?;
    let url = &line[..line.len() - words[date - 1..].iter().map(|word| word.len() + 1).sum::<usize>()];
    let after_date = &words[date + 1..];
    let (content_type, status) = match after_date {
        [content_type, status, _checksum, _location, _offset, _name, _length] => {
            (*content_type, Some(*status))
        }
        [first, .., _length] => {
            let words = after_date.len() - 2;
            let length: usize = after_date[1..=words].iter().map(|word| word.len() + 1).sum();
            let start = first.as_ptr() as usize - line.as_ptr() as usize;
            (&line[start..start + first.len() + length], None)
        }
        // Without a length only what cannot be taken for anything else is a head.
        [content_type]
            if has_known_scheme(line) && words[date].len() == 14 && memchr(b'/', content_type).is_some() =>
        {
            (*content_type, None)
        }
        _ => return None,
    };
    let number = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|digits| digits.parse().ok());
    let known = |word| (word != b"-").then(|| text(Cow::Borrowed(word)));
    let record_type = if is_filedesc { RecordType::WarcInfo } else { RecordType::Response };
    Some(RecordHead {
        target: known(url),
        date: known(date_digits(words[date])),
        content_length: words.last().and_then(|word| number(word)),
        content_type: known(content_type).filter(|known| known != "no-type"),
        arc_status: status.and_then(number).and_then(|status| u16::try_from(status).ok()),
        is_arc: true,
        ..RecordHead::new(record_type)
    })
}

/// Whether a line starts with a scheme that occurs in ARC files.
pub(crate) fn has_known_scheme(line: &[u8]) -> bool {
    const SCHEMES: [&[u8]; 8] =
        [b"http", b"https", b"ftp", b"dns", b"whois", b"filedesc", b"gopher", b"metadata"];
    memchr(b':', &line[..line.len().min(16)]).is_some_and(|end| SCHEMES.contains(&&line[..end]))
}

/// 17 digits include milliseconds; otherwise anything after 14 digits is padding.
fn date_digits(word: &[u8]) -> &[u8] {
    if word.len() == 17 { word } else { &word[..word.len().min(14)] }
}

fn is_date(word: &[u8]) -> bool {
    (8..=20).contains(&word.len()) && word.iter().all(u8::is_ascii_digit)
}

fn is_address(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|byte| byte.is_ascii_hexdigit() || b".:-".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_versions_are_read() {
        let head = parse_line(b"http://a.org/x y 93.184.216.119 20140216050221 text/html 1591\n").unwrap();
        assert_eq!(head.target.as_deref(), Some("http://a.org/x y"));
        assert_eq!(head.date.as_deref(), Some("20140216050221"));
        assert_eq!((head.content_type.as_deref(), head.content_length), (Some("text/html"), Some(1591)));

        let v2 = b"http://a.org/ 1.2.3.4 201402160502 text/html 404 ABC - 99 x.arc.gz 12\r\n";
        let head = parse_line(v2).unwrap();
        assert_eq!((head.arc_status, head.content_length), (Some(404), Some(12)));
        assert_eq!(head.date.as_deref(), Some("201402160502"));

        let head = parse_line(b"http://a.org/ 1.2.3.4 20140216050221 text/html; charset=x 12\n").unwrap();
        assert_eq!(head.content_type.as_deref(), Some("text/html; charset=x"));

        let head = parse_line(b"filedesc:// - - - 76\r\n").unwrap();
        assert_eq!((head.record_type, head.content_length), (RecordType::WarcInfo, Some(76)));
        assert_eq!(head.date, None);

        let head =
            parse_line(b"http://example.com/ 93.184.216.119 201404010000000000 text/html -1\n").unwrap();
        assert_eq!((head.date.as_deref(), head.content_length), (Some("20140401000000"), None));

        let head = parse_line(b"http://example.com/ 93.184.216.119 20140401000000 text/html\n").unwrap();
        assert_eq!((head.content_type.as_deref(), head.content_length), (Some("text/html"), None));
    }

    #[test]
    fn other_lines_are_not_heads() {
        for line in [
            "",
            "\n",
            "http://www.bt.dk/node/100\n",
            "a b c d e\n",
            "Date: Fri, 17 Dec 2010 22:39:59 GMT\n",
            "x:\n",
            "http://example.com/ 93.184.216.119 20140401000000\n",
            "http://example.com/ 93.184.216.119 20140401 text/html\n",
            "see:this 93.184.216.119 20140401000000 text/html\n",
        ] {
            assert!(parse_line(line.as_bytes()).is_none(), "{line}");
        }
    }
}
