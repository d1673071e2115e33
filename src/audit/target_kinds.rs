//! What the target of a link is, by its use, its type and its first bytes.

use crate::capture::page::path;
use crate::html::links::LinkKind;

/// Whether a use needs a file, and can show nothing of a web page: an image, a style sheet, a script, a font. What a script loads may be a
/// part of a page, unless its name is that of a file.
pub(super) fn wants_file(kind: LinkKind, url: &str) -> bool {
    use LinkKind::*;
    const FILES: [&str; 16] = [
        "png", "jpg", "jpeg", "gif", "webp", "avif", "ico", "bmp", "css", "js", "mjs", "woff", "woff2",
        "ttf", "mp4", "mp3",
    ];
    let is_named_so = || {
        let name = path(url).rsplit('/').next().unwrap_or("").to_ascii_lowercase();
        name.rsplit_once('.').is_some_and(|(_, suffix)| FILES.contains(&suffix))
    };
    match kind {
        Image | Script | Stylesheet | Style | Icon | Media | Font | Candidate | Source | Conditional => true,
        Preload | Loaded | Lazy | Object => is_named_so(),
        _ => false,
    }
}

/// Whether a body begins with markup, behind white space and comments. A drawing is an image.
pub(super) fn starts_with_markup(body: &[u8]) -> bool {
    let mut rest = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    while let Some((_, end)) = [(&b"<!--"[..], &b"-->"[..]), (b"<?", b"?>")]
        .into_iter()
        .find_map(|(open, close)| rest.starts_with(open).then_some((open, close)))
    {
        let Some(at) = memchr::memmem::find(rest, end) else { return false };
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    let is_drawing = rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"<svg"));
    let is_doctype = rest.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"<!doctype"));
    let is_svg_type = rest.get(..13).is_some_and(|start| start.eq_ignore_ascii_case(b"<!doctype svg"));
    match rest {
        _ if is_drawing || is_svg_type => false,
        _ if is_doctype => true,
        [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Whether a page has neither text nor anything that a browser would load or run.
pub(super) fn shows_nothing(page: &[u8]) -> bool {
    const FRAME: [&str; 8] = ["!doctype", "html", "head", "meta", "title", "body", "p", "br"];
    let text = String::from_utf8_lossy(page).to_ascii_lowercase();
    let mut parts = text.split('<');
    let is_frame = |part: &str| {
        let name = part.trim_start_matches('/');
        let name = name.split(|c: char| c.is_whitespace() || matches!(c, '>' | '/')).next().unwrap_or("");
        let behind = part.split_once('>').map_or("", |(_, behind)| behind);
        FRAME.contains(&name) && behind.trim().is_empty() && !part.contains("refresh")
    };
    parts.next().is_some_and(|before| before.trim().is_empty()) && parts.all(is_frame)
}

/// Whether a media type is that of a feed: XML that is neither a page nor an image.
pub(super) fn is_feed(mime: &str) -> bool {
    (mime.ends_with("/xml") || mime.ends_with("+xml"))
        && !matches!(mime, "application/xhtml+xml" | "image/svg+xml")
}

/// Whether a media type is that of a document that may name links, and that is not a page.
pub(super) fn is_document(mime: &str) -> bool {
    is_feed(mime) || matches!(mime, "image/svg+xml" | "application/pdf")
}

/// Whether a media type is that of styles, scripts or data for them.
pub(super) fn is_code(mime: &str) -> bool {
    mime == "text/css" || mime == "text/plain" || mime.ends_with("javascript") || mime.ends_with("json")
}

/// Whether an address is an interface for programs: nobody reads it, and it answers GET with an error.
pub(super) fn is_for_programs(url: &str) -> bool {
    let path =
        url.split_once("://").map_or("", |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let path = path.split(['?', '#']).next().unwrap_or("");
    path.ends_with("xmlrpc.php")
        || path == "wp-json"
        || path.starts_with("wp-json/")
        || path.contains("/wp-json/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_told_from_files_that_have_the_type_of_a_page() {
        for page in [
            "<!DOCTYPE html>\n<title>a</title>",
            " <!-- x --> <html lang=de>",
            "\u{feff}<h1>Not here",
            "<?xml version='1.0'?><html/>",
        ] {
            assert!(starts_with_markup(page.as_bytes()), "{page}");
        }
        for file in [
            "",
            "body { color: red }",
            "document.write('<p>')",
            "<!-- hide\nrun()\n//-->",
            "<!-- open",
            "<svg/>",
            "<?xml version='1.0'?><!DOCTYPE svg>",
            "< 3",
        ] {
            assert!(!starts_with_markup(file.as_bytes()), "{file}");
        }
        assert!(!starts_with_markup(b"\x89PNG\r\n\x1a\n"));
    }

    #[test]
    fn a_frame_or_what_a_script_loads_may_be_a_page_and_an_image_may_not() {
        assert!(wants_file(LinkKind::Image, "http://a.example/photo"));
        assert!(wants_file(LinkKind::Lazy, "http://a.example/a.PNG?x=1"));
        assert!(!wants_file(LinkKind::Lazy, "http://a.example/frame"));
        assert!(!wants_file(LinkKind::Frame, "http://a.example/a.png"));
    }
}
