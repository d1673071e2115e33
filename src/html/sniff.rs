//! The media type of a response without `Content-Type`, from its first bytes, as browsers determine it.
//!
//! Source: WHATWG MIME Sniffing, "identifying a resource with an unknown MIME type": the table of patterns, in its
//! order. Only types that matter here are named; everything else stays unknown.

/// Number of bytes that decide: the standard's resource header.
pub(crate) const HEADER: usize = 1445;

/// Tags that make a document HTML, each to be followed by a space or `>`.
const HTML: [&[u8]; 17] = [
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
    b"<!--",
];

const SIGNATURES: [(&[u8], &str); 14] = [
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\xfe\xff", "text/plain"),
    (b"\xff\xfe", "text/plain"),
    (b"\xef\xbb\xbf", "text/plain"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"BM", "image/bmp"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"OggS\0", "application/ogg"),
    (b"\x1f\x8b\x08", "application/x-gzip"),
    (b"PK\x03\x04", "application/zip"),
];

/// Whether a declared type says nothing, so that browsers look at the bytes.
pub(crate) fn is_unknown(mime: Option<&str>) -> bool {
    matches!(mime, None | Some("unknown/unknown" | "application/unknown" | "*/*"))
}

/// The type that the first bytes of a body show; `None`: they show none.
pub(crate) fn sniff(head: &[u8]) -> Option<&'static str> {
    let head = &head[..head.len().min(HEADER)];
    let start = head.iter().position(|byte| !matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | b' '));
    let text = start.map_or(&[][..], |start| &head[start..]);
    let is_html = HTML.iter().any(|tag| {
        let starts = text.get(..tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag));
        starts && (*tag == b"<!--" || matches!(text.get(tag.len()), Some(b' ' | b'>')))
    });
    if is_html {
        return Some("text/html");
    }
    if text.starts_with(b"<?xml") {
        return Some("text/xml");
    }
    if head.starts_with(b"RIFF") && head.get(8..14) == Some(b"WEBPVP") {
        return Some("image/webp");
    }
    let signature = SIGNATURES.iter().find(|(pattern, _)| head.starts_with(pattern));
    if let Some((_, mime)) = signature {
        return Some(mime);
    }
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    (!head.is_empty() && !head.iter().any(is_binary)).then_some("text/plain")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_the_type_as_in_browsers() {
        for (head, mime) in [
            (&b"<!doctype html>"[..], Some("text/html")),
            (b"\r\n\t <HtMl lang=en>", Some("text/html")),
            (b"<html\n>", Some("text/plain")),
            (b"<a href=x>", Some("text/html")),
            (b"<article>", Some("text/plain")),
            (b"<!--x-->", Some("text/html")),
            (b"<p>x", Some("text/html")),
            (b"<?xml version='1.0'?><rss>", Some("text/xml")),
            (b"\x89PNG\r\n\x1a\n....", Some("image/png")),
            (b"RIFF....WEBPVP8 ", Some("image/webp")),
            (b"plain words", Some("text/plain")),
            (b"\x00\x01\x02", None),
            (b"", None),
        ] {
            assert_eq!(sniff(head), mime, "{:?}", String::from_utf8_lossy(head));
        }
        let late = [vec![b' '; HEADER], b"<html>".to_vec()].concat();
        assert_eq!(sniff(&late), Some("text/plain"));
        assert!(is_unknown(None) && is_unknown(Some("*/*")) && !is_unknown(Some("text/plain")));
    }
}
