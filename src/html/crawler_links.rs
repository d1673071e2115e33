//! Links as crawlers themselves recorded them: Heritrix `metadata` records and browsertrix `urn:pageinfo:` records.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use serde::Deserialize;

use super::links::LinkKind;
use crate::problem::{Level, Problem};

/// Maximum number of resources kept per page.
const MAX_LOADED: usize = 200_000;

/// Reports the absolute links that Heritrix found in a page, from the block of its metadata record
/// (`application/warc-fields`).
pub(crate) fn outlinks(block: &[u8], mut tell: impl FnMut(LinkKind, &str)) {
    // A line break ends a cut UTF-8 sequence, so checking the block checks each line.
    let text = std::str::from_utf8(block).map_or_else(|_| String::from_utf8_lossy(block), Cow::Borrowed);
    let mut start = 0;
    for end in memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        if let Some(value) = text[start..end].strip_prefix("outlink:")
            && let Some((kind, url)) = outlink(value)
        {
            tell(kind, url);
        }
        start = end + 1;
    }
}

/// Splits off the first word, which is long.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let end = memchr(b' ', text.as_bytes()).unwrap_or(text.len());
    // A space nearly always ends the word; test for other white space without searching for it.
    let word = &text.as_bytes()[..end];
    let is_plain = word.iter().fold(true, |is_plain, byte| is_plain & (*byte > b' '));
    let white = if is_plain { None } else { word.iter().position(u8::is_ascii_whitespace) };
    text.split_at(white.unwrap_or(end))
}

/// `URI hop context`, such as `http://a/i.png E img/@src`.
fn outlink(value: &str) -> Option<(LinkKind, &str)> {
    let (url, rest) = first_word(value);
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return None;
    }
    let mut words = rest.split_ascii_whitespace();
    let (hop, context) = (words.next()?, words.next().unwrap_or(""));
    let kind = match hop {
        "L" => match context {
            "form/@action" => LinkKind::Form,
            "link/@href" => LinkKind::Relation,
            _ => LinkKind::Anchor,
        },
        "E" => match context.split_once('/').map_or(context, |(element, _)| element) {
            "script" => LinkKind::Script,
            "link" => LinkKind::Stylesheet,
            "frame" | "iframe" => LinkKind::Frame,
            "video" | "audio" | "source" | "track" => LinkKind::Media,
            "object" | "embed" | "applet" => LinkKind::Object,
            "img" | "input" | "body" | "td" | "table" => LinkKind::Image,
            _ => LinkKind::Loaded,
        },
        "R" => LinkKind::Redirect,
        "M" => LinkKind::Sitemap,
        // Guesses from scripts (X) and inferred links (I, P, S) are not links of the page itself.
        _ => return None,
    };
    Some((kind, url))
}

/// One resource that a browser loaded for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub url: String,
    /// HTTP status; `None`: no response.
    pub status: Option<u16>,
    pub mime: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Used from a cache without a request: if the archive has it, then from another time.
    pub from_browser_cache: bool,
}

/// Content of a browsertrix `urn:pageinfo:` record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PageInfo {
    pub url: String,
    /// Resources the browser loaded, ordered by URL.
    pub loaded: Vec<Loaded>,
    /// Number of resources beyond the limit.
    pub left_out: u64,
}

#[derive(Deserialize)]
struct PageInfoJson {
    url: Option<String>,
    #[serde(default)]
    urls: std::collections::BTreeMap<String, LoadedJson>,
}

#[derive(Deserialize)]
struct LoadedJson {
    status: Option<i64>,
    mime: Option<String>,
    error: Option<String>,
    #[serde(default, rename = "fromBrowserCache")]
    from_browser_cache: bool,
}

/// Reads the block of a `urn:pageinfo:` record, JSON.
///
/// # Errors
///
/// A problem if it is not in the form that browsertrix writes.
pub(crate) fn page_info(block: &[u8]) -> Result<PageInfo, Box<Problem>> {
    let read: PageInfoJson = serde_json::from_slice(block).map_err(|error| {
        Box::new(Problem::new(Level::Warning, "pageinfo", format!("the page info cannot be read: {error}")))
    })?;
    let left_out = read.urls.len().saturating_sub(MAX_LOADED) as u64;
    let loaded = read
        .urls
        .into_iter()
        .take(MAX_LOADED)
        .map(|(url, value)| Loaded {
            url,
            status: value.status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status > 0),
            mime: value.mime,
            error: value.error,
            from_browser_cache: value.from_browser_cache,
        })
        .collect();
    Ok(PageInfo { url: read.url.unwrap_or_default(), loaded, left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlinks_of_heritrix_are_told_by_hop_and_context() {
        let block = b"via: http://a/\r\nhopsFromSeed: LL\r\nfetchTimeMs: 225\r\ncharsetForLinkExtraction: UTF-8\r\n\
            outlink: http://a/x L a/@href\r\noutlink: http://a/i.png E img/@src\r\noutlink: http://a/s.js E script/@src\r\n\
            outlink: http://a/?= X =JS_MISC\r\noutlink: mailto:x@y L a/@href\r\noutlink: http://a/f L form/@action\r\n\
            outlink: broken\r\noutlink: http://a/r R Location:\r\n";
        let mut kinds = Vec::new();
        outlinks(block, |kind, url| {
            assert!(url.starts_with("http://a/"), "{url}");
            kinds.push(kind);
        });
        assert_eq!(
            kinds,
            [LinkKind::Anchor, LinkKind::Image, LinkKind::Script, LinkKind::Form, LinkKind::Redirect]
        );
    }

    #[test]
    fn outlinks_are_cut_at_any_white_space_and_need_not_be_utf8() {
        let block = b"outlink:\t http://a/x\tL\x0ca/@href\r\noutlink: http://a/\xe9\xc3 E  img/@src x\noutlink: \noutlink: http://a/\xc3\n\
            outlink: http://a/\x01\x0b L\xc3\xa9\noutlink: http://a/y R";
        let mut told = Vec::new();
        outlinks(block, |kind, url| told.push((kind, url.to_owned())));
        let expected = [
            (LinkKind::Anchor, "http://a/x"),
            (LinkKind::Image, "http://a/\u{fffd}\u{fffd}"),
            (LinkKind::Redirect, "http://a/y"),
        ];
        assert_eq!(told, expected.map(|(kind, url)| (kind, url.to_owned())));
    }

    #[test]
    fn page_info_tells_what_was_loaded_failed_and_taken_from_the_cache() {
        let json = br#"{"pageid":"1","url":"http://a/","ts":"2025-01-01","counts":{"jsErrors":0},"urls":{
            "http://a/":{"status":200,"mime":"text/html","type":"document"},
            "http://a/c.css":{"status":200,"fromBrowserCache":true},
            "http://a/lost.png":{"status":0,"error":"net::ERR_FAILED"}}}"#;
        let info = page_info(json).unwrap();
        assert_eq!(info.url, "http://a/");
        assert_eq!(info.loaded.len(), 3);
        assert!(info.loaded[1].from_browser_cache);
        assert_eq!((info.loaded[2].status, info.loaded[2].error.as_deref()), (None, Some("net::ERR_FAILED")));
        assert!(page_info(b"[1]").is_err() && page_info(b"\xff").is_err());
    }
}
