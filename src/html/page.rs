//! One pass over an HTML body: its links, its text and its shape.
//!
//! The body arrives in pieces, with transfer and content coding removed. A body that is not UTF-8 is transcoded first.
//! Links are resolved at the end, when the page's `base` is known.

use encoding_rs::Encoding;

use super::charset::Charset;
use super::css::CssScanner;
use super::element::{self, traits};
use super::foreign::Syntax;
use super::link_list::Links;
use super::links::{Inner, LinkKind, LinkSink, NOSCRIPT, TEMPLATE};
use super::query;
use super::raw_links::{MAX_LINKS, RawLinks};
use super::shape::Shape;
use super::tag::Tag;
use super::text::{Text, TextCollector};
use super::tokens::{Place, RawElement, Sink, Tokenizer};
use super::transcode::Transcoder;
use crate::problem::{Level, Problem};
use crate::url::resolve::Base;

#[derive(Debug, Clone)]
pub struct PageContent {
    pub charset: Charset,
    /// Links and embedded resources in order of appearance; those that differ only in their fragment appear once.
    pub links: Links,
    /// Visible text, if requested.
    pub text: Option<Text>,
    /// How deep and wide the markup is.
    pub shape: Shape,
    /// Limits that were exceeded.
    pub problems: Vec<Problem>,
}

/// The sinks that share one pass.
struct Everything<'a> {
    css: &'a mut CssScanner,
    inner: &'a mut Inner,
    links: &'a mut RawLinks,
    text: &'a mut TextCollector,
    shape: &'a mut Shape,
}

impl Everything<'_> {
    fn with_links(&mut self, act: impl FnOnce(&mut LinkSink<'_, &mut dyn FnMut(LinkKind, &[u8])>)) {
        let links = &mut *self.links;
        let mut emit = |kind: LinkKind, value: &[u8]| links.push(kind, value);
        let mut emit: &mut dyn FnMut(LinkKind, &[u8]) = &mut emit;
        act(&mut LinkSink { css: self.css, inner: self.inner, emit: &mut emit });
    }
}

impl Sink for Everything<'_> {
    fn wants(&self, place: Place) -> bool {
        place == STYLE || place == NOFRAMES || self.text.wants(place)
    }

    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.shape.start_tag(tag);
        self.text.start_tag(tag);
        if !tag.is_bare() || matches!(tag.key, NOSCRIPT | TEMPLATE) {
            self.with_links(|sink| sink.start_tag(tag));
        }
    }

    #[inline]
    fn end_tag(&mut self, name: &[u8], key: u64) {
        self.shape.end_tag(name, key);
        self.text.end_tag(name, key);
        let is_end = traits(key) & element::STYLE != 0
            || key == element::key(b"noframes")
            || matches!(key, NOSCRIPT | TEMPLATE);
        if is_end || self.inner.awaits_end() {
            self.with_links(|sink| sink.end_tag(name, key));
        }
    }

    fn text(&mut self, place: Place, text: &[u8]) {
        if place == STYLE || place == NOFRAMES {
            self.with_links(|sink| sink.text(place, text));
        } else {
            self.text.text(place, text);
        }
    }

    fn interruption(&mut self) {
        self.text.interruption();
    }
}

const STYLE: Place = Place::Raw(RawElement::Style);
const NOFRAMES: Place = Place::Raw(RawElement::Noframes);

/// Reads a page in one pass: links, and if requested text and shape.
pub struct PageScanner {
    transcoder: Transcoder,
    pass: Pass,
}

/// The state of a pass over UTF-8 text.
struct Pass {
    tokenizer: Tokenizer,
    css: CssScanner,
    inner: Inner,
    links: RawLinks,
    shape: Shape,
    /// `None`: only links are needed.
    text: Option<Box<TextCollector>>,
}

impl PageScanner {
    /// A scanner at the start of a body, with the value of its `Content-Type` header.
    pub fn new(content_type: Option<&[u8]>) -> Self {
        PageScanner::of(Charset::declared(content_type), syntax_of(content_type), true)
    }

    /// A scanner that finds links and leaves text and shape empty.
    pub fn of_links(content_type: Option<&[u8]>) -> Self {
        PageScanner::of(Charset::declared(content_type), syntax_of(content_type), false)
    }

    /// A scanner at the start of a body whose response declares an encoding. Without `text` it finds only links.
    pub(crate) fn of(declared: Option<&'static Encoding>, syntax: Syntax, text: bool) -> Self {
        PageScanner {
            transcoder: Transcoder::new(declared),
            pass: Pass {
                tokenizer: Tokenizer::of(syntax),
                css: CssScanner::default(),
                inner: Inner::default(),
                links: RawLinks::fresh(),
                shape: Shape::default(),
                text: text.then(Box::default),
            },
        }
    }

    /// Reads the next piece of the body.
    pub fn feed(&mut self, piece: &[u8]) {
        let PageScanner { transcoder, pass } = self;
        transcoder.feed(piece, &mut |utf8| pass.tokens(utf8));
    }

    /// Ends the body of the page at `url` and resolves its links.
    pub fn finish(self, url: &[u8]) -> PageContent {
        let found = self.end();
        let content = found.at(url);
        found.leave();
        content
    }

    pub(crate) fn end(self) -> Findings {
        let PageScanner { mut transcoder, mut pass } = self;
        let charset = transcoder.finish(&mut |utf8| pass.tokens(utf8));
        pass.finish(charset)
    }
}

/// The result of one pass, independent of the page's address.
#[derive(Debug)]
pub struct Findings {
    charset: Charset,
    links: RawLinks,
    text: Option<Text>,
    shape: Shape,
    problems: Vec<Problem>,
}

impl Findings {
    /// Resolves the findings for a page at this address.
    pub fn at(&self, url: &[u8]) -> PageContent {
        let Findings { charset, text, shape, problems, .. } = self;
        let (links, problem) = self.links_at(url);
        let problems = problems.iter().cloned().chain(problem).collect();
        PageContent { charset: *charset, links, text: text.clone(), shape: *shape, problems }
    }

    /// The links of the page at an address, resolved against that address, or against the first `base` with a usable
    /// `href`. A long address lets a little markup make very many bytes of links, so links beyond a total size are left out and reported.
    pub fn links_at(&self, url: &[u8]) -> (Links, Option<Problem>) {
        let (links, left_out) = resolve(&self.links, url, self.charset.encoding);
        let problem = (left_out > 0).then(|| {
            let message = format!(
                "the links of the page have more than {MAX_RESOLVED_BYTES} bytes together; {left_out} were left out"
            );
            Problem::new(Level::Warning, "html-links-too-long", message)
        });
        (links, problem)
    }

    /// The addresses of what the page links to in one way, as written.
    pub(crate) fn addresses(&self, wanted: LinkKind) -> impl Iterator<Item = &[u8]> {
        self.links.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, value)| value)
    }

    /// Number of distinct links.
    pub fn link_count(&self) -> usize {
        self.links.size().0
    }

    /// Visible text, if requested.
    pub fn text(&self) -> Option<&Text> {
        self.text.as_ref()
    }

    /// Limits that were exceeded.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// A copy without spare capacity.
    pub(crate) fn compact(&self) -> Self {
        let Findings { charset, links, text, shape, problems } = self;
        Findings {
            charset: *charset,
            links: links.compact(),
            text: text.clone(),
            shape: *shape,
            problems: problems.clone(),
        }
    }

    /// Approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        let text = self.text.as_ref().map_or(0, |text| {
            [&text.title, &text.excerpt, &text.heading, &text.lead].iter().map(|part| part.len()).sum()
        });
        // A page has at most two problems, one sentence each.
        size_of::<Self>() + text + self.links.memory() + self.problems.len() * 2 * size_of::<Problem>()
    }

    /// Keeps the buffers for the next page.
    pub(crate) fn leave(self) {
        self.links.leave();
    }
}

impl Pass {
    fn tokens(&mut self, piece: &[u8]) {
        let Pass { tokenizer, css, inner, links, shape, text } = self;
        match text {
            None => {
                let mut emit = |kind: LinkKind, value: &[u8]| links.push(kind, value);
                tokenizer.feed(piece, &mut LinkSink { css, inner, emit: &mut emit });
            }
            Some(text) => tokenizer.feed(piece, &mut Everything { css, inner, links, text, shape }),
        }
    }

    fn finish(mut self, charset: Charset) -> Findings {
        let Pass { tokenizer, css, inner, links, shape, text } = &mut self;
        match text {
            None => {
                let mut emit = |kind: LinkKind, value: &[u8]| links.push(kind, value);
                tokenizer.finish(&mut LinkSink { css, inner, emit: &mut emit });
            }
            Some(text) => tokenizer.finish(&mut Everything { css, inner, links, text, shape }),
        }
        css.finish(&mut |kind, value: &[u8]| links.push(kind, value));
        inner.finish(&mut |kind, value: &[u8]| links.push(kind, value));
        let problems = self.problems();
        let Pass { links, shape, text, .. } = self;
        Findings { charset, links, text: text.map(|mut text| text.finish()), shape, problems }
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let dropped = self.tokenizer.dropped + self.css.dropped + self.inner.dropped;
        if dropped > 0 {
            let message =
                format!("{dropped} attributes or style URLs are longer than a link can be and were left out");
            problems.push(Problem::new(Level::Note, "html-attribute-too-long", message));
        }
        if self.links.left_out > 0 {
            let message =
                format!("the page has more than {MAX_LINKS} links; {} were left out", self.links.left_out);
            problems.push(Problem::new(Level::Warning, "html-too-many-links", message));
        }
        problems
    }
}

/// The language that a `Content-Type` header names.
fn syntax_of(content_type: Option<&[u8]>) -> Syntax {
    Syntax::of_mime(&String::from_utf8_lossy(content_type.unwrap_or_default()))
}

/// Maximum total bytes of the resolved links of one page.
const MAX_RESOLVED_BYTES: usize = 64 * 1024 * 1024;

/// The links, and the number left out.
fn resolve(raw: &RawLinks, url: &[u8], encoding: &'static Encoding) -> (Links, usize) {
    let document = Base::parse(url);
    let base = raw.base.as_ref().and_then(|value| Base::parse(document.as_ref()?.resolve(value)?.as_bytes()));
    let base = base.or(document);
    // Most links stay on one site, so a resolved link is about as long as the base.
    let (count, bytes) = raw.size();
    let mut links = Links::with_capacity(count, (bytes + count * url.len() / 2).min(MAX_RESOLVED_BYTES));
    for (at, (kind, value)) in raw.iter().enumerate() {
        if links.bytes() > MAX_RESOLVED_BYTES {
            return (links, count - at);
        }
        let value = &*query::encoded(value, encoding);
        links.push_with(kind, |out| match &base {
            Some(base) => base.resolve_into(value, out),
            // A page without a usable address can still have absolute links.
            None => Base::parse(value).map(|url| out.push_str(url.as_str())),
        });
    }
    (links, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(html: &[u8], content_type: Option<&str>, step: usize) -> PageContent {
        let mut scanner = PageScanner::new(content_type.map(str::as_bytes));
        for piece in html.chunks(step) {
            scanner.feed(piece);
        }
        scanner.finish(b"http://example.org/dir/page.html")
    }

    fn urls(content: &PageContent) -> Vec<&str> {
        content.links.iter().map(|(_, url)| url).collect()
    }

    #[test]
    fn links_are_resolved_against_the_first_base_wherever_it_stands() {
        let html = b"<a href=x>1</a><base href='/other/'><base href='/no/'><img src=i.png><a href='mailto:a@b'><a href='#f'>";
        let content = scan(html, None, 1000);
        assert_eq!(
            urls(&content),
            ["http://example.org/other/x", "http://example.org/other/i.png", "http://example.org/other/"]
        );
    }

    #[test]
    fn one_page_in_three_encodings_has_one_fingerprint_and_the_same_links() {
        let page = "<title>Größe</title><p>Äpfel &amp; Öl <a href='/ä?ö'>x</a>";
        let utf8 = scan(page.as_bytes(), None, 7);
        let latin: Vec<u8> = page.chars().map(|c| c as u32 as u8).collect();
        let utf16: Vec<u8> =
            [0xff, 0xfe].into_iter().chain(page.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        // As browsers do: paths are UTF-8 always, queries are written in the encoding of the page.
        let latin1 = Some("text/html; charset=iso-8859-1");
        for (bytes, content_type, query) in [(&latin, latin1, "%F6"), (&utf16, None, "%C3%B6")] {
            for step in [1, 5, 1000] {
                let content = scan(bytes, content_type, step);
                assert_eq!(content.text, utf8.text, "{content_type:?}");
                assert_eq!(urls(&content), [format!("http://example.org/%C3%A4?{query}")]);
            }
        }
    }

    #[test]
    fn a_link_bomb_is_cut_with_a_named_problem() {
        use std::fmt::Write;
        let html = (0..MAX_LINKS + 3).fold(String::new(), |mut html, number| {
            let _ = write!(html, "<a href={number}><a href={number}>");
            html
        });
        let content = scan(html.as_bytes(), None, 100_000);
        assert_eq!(content.links.len(), MAX_LINKS);
        assert_eq!(content.problems[0].kind, "html-too-many-links");
        let url = format!("http://a/{}/", "x".repeat(10_000));
        let mut scanner = PageScanner::of_links(None);
        scanner.feed(html.as_bytes());
        let content = scanner.finish(url.as_bytes());
        assert!((6_000..7_000).contains(&content.links.len()), "{}", content.links.len());
        assert_eq!(content.problems[1].kind, "html-links-too-long");
        let html = format!("<img src='data:{}'><a href=y>", "A".repeat(100_000));
        let content = scan(html.as_bytes(), None, 1 << 20);
        assert_eq!((content.links.len(), content.problems[0].kind.as_str()), (1, "html-attribute-too-long"));
    }
}
