//! Indexes of captures: CDX and CDXJ.
//!
//! A CDX file says in its header line which column means what, and by which character they are divided (the first one of
//! the line): ` CDX N b a m s k r M S V g`. Writers differ (wget: `a b a m s k r M V g u`), so nothing is assumed where
//! there is a header; without one, lines of 7, 9, 10 or 11 columns with a date in the second are known. A CDXJ line is a
//! key, a date and a JSON object, whose names differ by writer too. `-` means unknown.
//!
//! A line that cannot be read is a problem with its place, and reading goes on.

mod columns;
mod detect;
mod json;
mod reader;
mod write;

use std::borrow::Cow;

use crate::digest::Digest;
use crate::time::Dated;

pub(crate) use detect::IndexFormat;
pub use detect::looks_like_index;
pub use reader::{IndexItem, IndexReader};
pub(crate) use write::CdxjLine;

/// One line of an index, borrowed from it. Unknown is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexLine<'a> {
    /// The URL as captured.
    pub url: Cow<'a, str>,
    pub time: Option<Dated>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The media type as the index has it; `warc/revisit` for most revisits.
    pub mime: Option<Cow<'a, str>>,
    /// The payload digest.
    pub digest: Option<Digest>,
    /// The length of the record in its file, compressed where it is.
    pub length: Option<u64>,
    /// The offset of the record in its file.
    pub offset: Option<u64>,
    /// The file that holds the record.
    pub file: Option<Cow<'a, str>>,
    /// The id of the record, without angle brackets.
    pub record_id: Option<Cow<'a, str>>,
    /// The method of the request.
    pub method: Option<Cow<'a, str>>,
    /// The target of a redirect.
    pub redirect: Option<Cow<'a, str>>,
    /// Why the record is cut, as Common Crawl says it.
    pub truncated: Option<Cow<'a, str>>,
    /// Whether the index says that the record is a revisit.
    pub is_revisit: bool,
    /// The URL of the capture that a revisit refers to.
    pub refers_to_url: Option<Cow<'a, str>>,
    /// The date of the capture that a revisit refers to.
    pub refers_to_time: Option<Dated>,
    /// The id of the record that a revisit refers to.
    pub refers_to_id: Option<Cow<'a, str>>,
    /// The first field whose value is invalid, and so unknown.
    pub doubtful: Option<&'static str>,
}

impl<'a> IndexLine<'a> {
    fn set_url(&mut self, text: Cow<'a, str>) {
        self.url = text;
    }

    fn set_time(&mut self, text: &[u8]) {
        self.time = parsed("date", text, &mut self.doubtful, date);
    }

    fn set_status(&mut self, text: &[u8]) {
        self.status = parsed("status", text, &mut self.doubtful, |text| {
            number(text).and_then(|number| u16::try_from(number).ok()).filter(|status| *status < 1000)
        });
        // Some indexers write 0 if there was no response.
        self.status = self.status.filter(|status| *status != 0);
    }

    fn set_mime(&mut self, text: Cow<'a, str>) {
        self.is_revisit |= text == "warc/revisit";
        self.mime = (!matches!(text.as_ref(), "-" | "")).then_some(text);
    }

    fn set_digest(&mut self, text: &[u8]) {
        self.digest =
            parsed("digest", text, &mut self.doubtful, |text| Digest::parse(std::str::from_utf8(text).ok()?));
    }

    fn set_length(&mut self, text: &[u8]) {
        self.length = parsed("length", text, &mut self.doubtful, number);
    }

    fn set_offset(&mut self, text: &[u8]) {
        self.offset = parsed("offset", text, &mut self.doubtful, number);
    }

    /// Why the line cannot be used, if it cannot.
    fn fault(&self) -> Option<&'static str> {
        if self.url.is_empty() || self.url == "-" {
            Some("it has no URL")
        } else if !is_url(self.url.as_bytes()) {
            Some("its URL has neither scheme nor host")
        } else {
            None
        }
    }
}

/// The value of a field; unknown if it is `-`, and noted as doubtful if it is invalid.
fn parsed<T>(
    name: &'static str,
    text: &[u8],
    doubtful: &mut Option<&'static str>,
    parse: impl Fn(&[u8]) -> Option<T>,
) -> Option<T> {
    if matches!(text, b"-" | b"") {
        return None;
    }
    let value = parse(text);
    if value.is_none() {
        doubtful.get_or_insert(name);
    }
    value
}

fn number(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// A date of 4 to 17 digits, or in RFC 3339.
fn date(text: &[u8]) -> Option<Dated> {
    if text.len() == 14 { Dated::parse_digits(text) } else { Dated::parse(std::str::from_utf8(text).ok()?) }
}

fn known(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!matches!(text.as_ref(), "-" | "")).then_some(text)
}

/// A URL has a scheme, or begins with a host as old indexes have it: `example.com:80/a`.
fn is_url(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(text.len());
    memchr::memchr2(b':', b'.', &text[..end]).is_some_and(|mark| mark > 0)
}

/// Removes angle brackets, as around the ids in wget's index.
fn without_brackets(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches('<').trim_end_matches('>')),
        Cow::Owned(text) => Cow::Owned(text.trim_matches(['<', '>']).to_owned()),
    }
}

#[cfg(test)]
mod tests;
