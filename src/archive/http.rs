//! HTTP heads, as servers and crawlers really write them.
//!
//! Status lines come without a reason (warcat#3), without a space after the code, as `HTTP/2 200`
//! (stormcrawler#828), and after interim `100 Continue` heads (httrack#1740).

use std::borrow::Cow;

use super::fields::{Fields, head_length, is_named, text};
use crate::time::{Instant, parse_http_date};

/// How the body of a message is wrapped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Wrapping {
    /// `Transfer-Encoding` names chunked.
    pub chunked: bool,
    /// The content codings, outermost last, in lower case.
    pub codings: Vec<String>,
}

impl Wrapping {
    /// All codings, the content's first; `None` where there is none.
    pub(crate) fn name(&self) -> Option<String> {
        let content = self.codings.iter().map(|coding| coding.strip_prefix("x-").unwrap_or(coding));
        let names: Vec<&str> = content.chain(self.chunked.then_some(CHUNKED)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// The transfer coding that splits a body into chunks.
pub(crate) const CHUNKED: &str = "chunked";

/// The head of an HTTP response.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseHead {
    /// The status code.
    pub status: Option<u16>,
    /// `Content-Type` without parameters, in lower case.
    pub mime: Option<String>,
    /// The `charset` parameter of `Content-Type`.
    pub charset: Option<String>,
    pub last_modified: Option<Instant>,
    pub etag: Option<String>,
    pub date: Option<Instant>,
    pub location: Option<String>,
    /// `Vary` headers, joined by commas, in lower case.
    pub vary: Option<String>,
    /// `Age`, in seconds; of several the largest.
    pub age: Option<u64>,
    /// `Link` headers, joined by commas.
    pub link: Option<String>,
    pub refresh: Option<String>,
    pub content_length: Option<u64>,
    /// How the body is wrapped.
    pub wrapping: Wrapping,
    /// What is wrong with the head, by the codes of [`fault`].
    pub faults: Vec<&'static str>,
    /// The header by which a wall against robots says that it answered in place of the server.
    pub wall: Option<&'static str>,
}

/// What can be wrong with the head of a response.
pub(crate) mod fault {
    /// `Age` cannot be read.
    pub(crate) const AGE: &str = "age";
    /// `Date` cannot be read.
    pub(crate) const DATE: &str = "date";
    /// Several `Date` that differ.
    pub(crate) const DATES: &str = "dates";
    /// `Last-Modified` cannot be read.
    pub(crate) const LAST_MODIFIED: &str = "last-modified";
    /// Several `Last-Modified` that differ.
    pub(crate) const LAST_MODIFIEDS: &str = "last-modifieds";
    /// `Content-Length` cannot be read, or several differ.
    pub(crate) const LENGTH: &str = "content-length";
    /// `Content-Range`, though the response is not said to be a part.
    pub(crate) const RANGE: &str = "content-range";
    /// Several `Location` that differ.
    pub(crate) const LOCATIONS: &str = "several-Location";
    /// That `Content-Range` names less than the whole.
    pub(crate) const PART: &str = "part";
}

/// The block without the newlines that some writers put before an HTTP response (Nutch; warcio PR#42).
pub(crate) fn without_stray_newlines(block: &[u8]) -> &[u8] {
    let count = block.iter().take(4).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    &block[count..]
}

/// Whether a block starts like an HTTP response.
pub(crate) fn is_response(block: &[u8]) -> bool {
    block.len() >= 5 && block[..5].eq_ignore_ascii_case(b"HTTP/")
}

/// The length of a response's head, including interim heads; `None` if its blank line is missing so far.
pub(crate) fn response_head_length(block: &[u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        end += head_length(&block[end..], 0)?;
        let interim = final_head_start(&block[..end]) == end;
        if !interim || !(is_response(&block[end..]) || b"HTTP/".starts_with(&block[end..])) {
            return Some(end);
        }
        if block.len() < end + 5 {
            return None;
        }
    }
}

/// Where the final head starts: after all interim ones. Equals the length if all are interim.
fn final_head_start(heads: &[u8]) -> usize {
    let mut start = 0;
    while let Some(code) = status_of(&heads[start..]) {
        if !(100..200).contains(&code) || code == 101 {
            break;
        }
        match head_length(&heads[start..], 0) {
            Some(length) => start += length,
            None => break,
        }
    }
    start
}

/// The code in a status line.
fn status_of(head: &[u8]) -> Option<u16> {
    if !is_response(head) {
        return None;
    }
    let line = &head[..memchr::memchr(b'\n', head).unwrap_or(head.len()).min(256)];
    let code = line.iter().position(u8::is_ascii_whitespace).map(|at| line[at..].trim_ascii_start())?;
    let digits = code.get(..3)?;
    let ends = !code.get(3).is_some_and(u8::is_ascii_digit);
    (ends && digits.iter().all(u8::is_ascii_digit))
        .then(|| digits.iter().fold(0, |value, digit| value * 10 + u16::from(digit - b'0')))
}

/// The seconds of an `Age`: the largest of a list, the greatest number where it is too large. A cache counts the first of a list
/// (RFC 9111 §5.1); which one is right cannot be told, and the largest claims least of the time at which the response was made.
fn age(value: &str) -> Option<u64> {
    value.split(',').filter_map(|member| seconds(member.trim())).max()
}

/// Seconds, rounded up: some caches state fractions.
fn seconds(value: &str) -> Option<u64> {
    match value.split_once('.') {
        Some((whole, part)) if part.bytes().all(|digit| digit.is_ascii_digit()) => {
            let is_more = part.bytes().any(|digit| digit != b'0');
            Some(number(whole)?.saturating_add(u64::from(is_more)))
        }
        _ => number(value),
    }
}

/// Parses a response's head; interim heads are skipped.
pub(crate) fn parse_response(heads: &[u8]) -> ResponseHead {
    let start = final_head_start(heads);
    let head = if start < heads.len() { &heads[start..] } else { heads };
    let mut response = ResponseHead { status: status_of(head), ..ResponseHead::default() };
    let fields = memchr::memchr(b'\n', head).map_or(&head[head.len()..], |end| &head[end + 1..]);
    let mut has_age = false;
    for (name, value) in Fields::new(fields) {
        match name.len() {
            4 if is_named(name, "Date") => {
                let date = parse_http_date(&value.text());
                response.take(|head| &mut head.date, date, [fault::DATE, fault::DATES]);
            }
            4 if is_named(name, "ETag") => response.etag = Some(value.text().into_owned()),
            4 if is_named(name, "Link") => join(&mut response.link, &value.text()),
            4 if is_named(name, "Vary") => join(&mut response.vary, &value.text().to_ascii_lowercase()),
            3 if is_named(name, "Age") => {
                has_age = true;
                response.age = response.age.max(age(&value.text()));
            }
            7 if is_named(name, "Refresh") => response.refresh = Some(value.text().into_owned()),
            8 if is_named(name, "Location") => {
                let before = response.location.replace(value.text().into_owned());
                let is_other = before.is_some() && before != response.location;
                // Elsewhere it leads nowhere.
                response.note(is_other && matches!(response.status, Some(300..=399)), fault::LOCATIONS);
            }
            12 if is_named(name, "Content-Type") && response.mime.is_none() => {
                let value = value.text();
                response.mime = media_type(&value);
                response.charset = charset(&value);
            }
            12 if is_named(name, "cf-mitigated") => response.wall = Some("cf-mitigated"),
            13 if is_named(name, "Last-Modified") => {
                let date = parse_http_date(&value.text());
                let faults = [fault::LAST_MODIFIED, fault::LAST_MODIFIEDS];
                response.take(|head| &mut head.last_modified, date, faults);
            }
            13 if is_named(name, "Content-Range") => {
                let is_no_range = !matches!(response.status, Some(206 | 416));
                response.note(is_no_range, fault::RANGE);
                response.note(is_no_range && is_part(&value.text()), fault::PART);
            }
            14 if is_named(name, "Content-Length") => {
                let (before, length) = (response.content_length, length(&value.text()));
                response.note(
                    length.is_none() || before.is_some_and(|before| length != Some(before)),
                    fault::LENGTH,
                );
                // Of several the longest: a body that is shorter is cut.
                response.content_length = before.max(length);
            }
            16 if is_named(name, "Content-Encoding") => add_codings(&mut response.wrapping, &value.text()),
            17 if is_named(name, "x-amzn-waf-action") => response.wall = Some("x-amzn-waf-action"),
            17 if is_named(name, "Transfer-Encoding") => {
                for coding in value.text().split(',') {
                    match coding.trim().to_ascii_lowercase().as_str() {
                        CHUNKED => response.wrapping.chunked = true,
                        // A transfer coding such as gzip wraps the body like a content coding does.
                        other => add_codings(&mut response.wrapping, other),
                    }
                }
            }
            _ => {}
        }
    }
    response.note(has_age && response.age.is_none(), fault::AGE);
    response
}

impl ResponseHead {
    /// Takes a date, with the codes for one that cannot be read and for several. Of several that differ none is used: it is
    /// unknown which one is right.
    fn take(
        &mut self,
        of: fn(&mut Self) -> &mut Option<Instant>,
        date: Option<Instant>,
        [unreadable, several]: [&'static str; 2],
    ) {
        let before = *of(self);
        let is_first =
            before.is_none() && ![unreadable, several].iter().any(|code| self.faults.contains(code));
        if is_first {
            *of(self) = date;
            self.note(date.is_none(), unreadable);
        } else if before != date {
            *of(self) = None;
            self.note(true, several);
        }
    }

    fn note(&mut self, is_wrong: bool, fault: &'static str) {
        if is_wrong && !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// Adds one of several values of a header.
fn join(list: &mut Option<String>, value: &str) {
    let list = list.get_or_insert_default();
    if !list.is_empty() {
        list.push_str(", ");
    }
    list.push_str(value);
}

fn add_codings(wrapping: &mut Wrapping, value: &str) {
    for coding in value.split(',') {
        let coding = coding.trim().to_ascii_lowercase();
        // Values that do not name a coding.
        const NOT_A_CODING: [&str; 9] =
            ["", "identity", "none", "binary", "8bit", "7bit", "utf-8", "utf8", "iso-8859-1"];
        if !NOT_A_CODING.contains(&coding.as_str()) && wrapping.codings.len() < 16 {
            wrapping.codings.push(coding);
        }
    }
}

/// The media type without parameters, in lower case; `None` if the value is not a media type.
pub(crate) fn media_type(value: &str) -> Option<String> {
    let media = value.split([';', ',']).next().unwrap_or_default().trim().to_ascii_lowercase();
    (!media.is_empty() && media.len() <= 255 && media.contains('/')).then_some(media)
}

/// The `charset` parameter of a `Content-Type`.
pub(crate) fn charset(value: &str) -> Option<String> {
    const NAME: &[u8] = b"charset=";
    let at = value.as_bytes().windows(NAME.len()).position(|window| window.eq_ignore_ascii_case(NAME))?;
    let name = value.get(at + NAME.len()..)?.trim_start_matches(['"', '\'', ' ']);
    let end = name.find(['"', '\'', ';', ' ', ',']).unwrap_or(name.len());
    (end > 0 && end <= 40).then(|| name[..end].to_owned())
}

pub(crate) fn request_method(block: &[u8]) -> Option<Cow<'_, str>> {
    let line = &block[..memchr::memchr(b'\n', block).unwrap_or(block.len()).min(64)];
    let method = &line[..memchr::memchr(b' ', line)?];
    let plausible = (1..=20).contains(&method.len())
        && method.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_".contains(byte));
    plausible.then(|| text(Cow::Borrowed(method)))
}

/// The header fields of a request, behind its first line.
pub(crate) fn request_fields(block: &[u8]) -> Fields<'_> {
    let start = memchr::memchr(b'\n', block).map_or(block.len(), |end| end + 1);
    let end = head_length(block, 0).unwrap_or(block.len());
    Fields::sparsely(block.get(start..end).unwrap_or_default())
}

/// Whether a `Content-Range` names less than the whole.
fn is_part(value: &str) -> bool {
    let range = value.trim().strip_prefix("bytes").map(|range| range.trim_start_matches([' ', '=', ':']));
    let Some((range, whole)) = range.and_then(|range| range.split_once('/')) else { return false };
    let Some((first, last)) = range.split_once('-') else { return false };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (number(first), number(last), number(whole)) {
        (Some(first), Some(last), Some(whole)) => first > 0 || last.saturating_add(1) < whole,
        // Of what whole it is a part is not said.
        (Some(first), Some(_), None) => first > 0,
        _ => false,
    }
}

/// The value of `Content-Length`; proxies make a list of equal values of several fields.
fn length(value: &str) -> Option<u64> {
    let mut values = value.split(',').map(|value| number(value.trim()));
    let first = values.next()??;
    values.all(|value| value == Some(first)).then_some(first)
}

/// A number of any length: the greatest one where it is too large, for nothing is as long as it says.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_of_every_kind() {
        for (line, status) in [
            ("HTTP/1.1 200 OK", Some(200)),
            ("HTTP/1.1 200", Some(200)),
            ("HTTP/1.1 200 ", Some(200)),
            ("HTTP/2 304", Some(304)),
            ("http/1.0  404 Not Found", Some(404)),
            ("HTTP/1.1 2000 x", None),
            ("HTTP/1.1 abc", None),
            ("HTTP/1.1", None),
            ("ICY 200 OK", None),
        ] {
            assert_eq!(parse_response(format!("{line}\r\nA: b\r\n\r\n").as_bytes()).status, status, "{line}");
        }
    }

    #[test]
    fn interim_heads_are_skipped() {
        let block = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nETag: x\r\n\r\nbody";
        let length = response_head_length(block).unwrap();
        assert_eq!(&block[length..], b"body");
        let head = parse_response(&block[..length]);
        assert_eq!((head.status, head.etag.as_deref()), (Some(200), Some("x")));
        assert_eq!(response_head_length(b"HTTP/1.1 100 Continue\r\n\r\n"), None);
        assert_eq!(parse_response(b"HTTP/1.1 100 Continue\r\n\r\n").status, Some(100));
    }

    #[test]
    fn fields_that_matter_are_read() {
        let head = parse_response(
            b"HTTP/1.1 200 OK\nContent-Type: Text/HTML;\n charset=\"x-y\"\nTransfer-Encoding: gzip, Chunked\n\
            Content-Encoding: br\nContent-Encoding: GZIP\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\n\n",
        );
        assert_eq!(head.mime.as_deref(), Some("text/html"));
        assert_eq!(head.charset.as_deref(), Some("x-y"));
        assert_eq!(
            head.wrapping,
            Wrapping { chunked: true, codings: vec!["gzip".into(), "br".into(), "gzip".into()] }
        );
        assert_eq!(head.last_modified, Instant::parse("1994-11-06T08:49:37Z"));
    }

    #[test]
    fn of_several_dates_that_differ_none_is_used() {
        let head = |dates: &[&str]| {
            let lines: String = dates.iter().map(|date| format!("Last-Modified: {date}\n")).collect();
            let head = parse_response(format!("HTTP/1.1 200 OK\n{lines}\n").as_bytes());
            (head.last_modified.is_some(), head.faults)
        };
        let (one, other) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT");
        assert_eq!(head(&[one]), (true, vec![]));
        assert_eq!(head(&[one, one]), (true, vec![]));
        assert_eq!(head(&["never"]), (false, vec![fault::LAST_MODIFIED]));
        for several in [&[one, other][..], &[other, one], &[one, other, one], &[one, "never"]] {
            assert_eq!(head(several), (false, vec![fault::LAST_MODIFIEDS]), "{several:?}");
        }
        assert!(!head(&["never", one]).0);
    }

    #[test]
    fn of_several_ages_the_largest_counts() {
        let head = |lines: &str| {
            let head = parse_response(format!("HTTP/1.1 200 OK\n{lines}\n\n").as_bytes());
            (head.age, head.faults)
        };
        for lines in ["Age: 7", "Age: 7, 3", "Age: 3, 7", "Age: x, 7", "Age: 3\nAge: 7", "Age: x\nAge: 6.5"] {
            assert_eq!(head(lines), (Some(7), vec![]), "{lines}");
        }
        for lines in ["Age: x", "Age: -7", "Age:", "Age: 7s", "Age: x\nAge: y"] {
            assert_eq!(head(lines), (None, vec![fault::AGE]), "{lines}");
        }
        assert_eq!(head("Age: 99999999999999999999").0, Some(u64::MAX));
        assert_eq!(head("Via: x"), (None, vec![]));
    }

    #[test]
    fn a_range_is_a_part_unless_it_is_all_there_is() {
        for (value, part) in [
            ("bytes 0-49/92", true),
            ("bytes 50-91/92", true),
            ("bytes=0-49/92", true),
            ("bytes 7-8/*", true),
            ("bytes 0-91/92", false),
            ("bytes 0-8/*", false),
            ("bytes */92", false),
            ("pages 1-2/3", false),
            ("bytes 0-18446744073709551615/1", false),
        ] {
            assert_eq!(is_part(value), part, "{value}");
            let head = parse_response(format!("HTTP/1.1 200 OK\nContent-Range: {value}\n\n").as_bytes());
            assert_eq!(head.faults.contains(&fault::PART), part, "{value}");
        }
        assert!(parse_response(b"HTTP/1.1 206 x\nContent-Range: bytes 0-49/92\n\n").faults.is_empty());
    }

    #[test]
    fn methods_are_words() {
        assert_eq!(request_method(b"POST /x HTTP/1.1\r\n").as_deref(), Some("POST"));
        assert_eq!(request_method(b"\x00\x01 /x"), None);
        assert_eq!(request_method(b""), None);
    }
}
