//! One pass over an HTML body: its links, its text and its shape.
//!
//! The body comes in pieces, decoded of transfer and content coding. A body that is not UTF-8 is transcoded on the way.
//! Links are resolved at the end, when the page's `base` is known.

use std::cell::Cell;

use super::charset::Charset;
use super::css::CssScanner;
use super::element::{self, traits};
use super::link_list::Links;
use super::links::{LinkKind, LinkSink};
use super::resolve::Base;
use super::shape::Shape;
use super::tag::Tag;
use super::text::{Text, TextCollector};
use super::tokens::{Place, Sink, Tokenizer};
use super::transcode::Transcoder;
use crate::problem::{Level, Problem};

/// How many links of one page are kept.
pub const MAX_LINKS: usize = 200_000;
/// How many bytes of link values of one page are kept.
const MAX_LINK_BYTES: usize = 16 * 1024 * 1024;

/// What one pass over a page finds.
#[derive(Debug, Clone)]
pub struct PageContent {
    /// The encoding and what told it.
    pub charset: Charset,
    /// Links and embedded resources in order of appearance; of links within the page (`#…`) the first.
    pub links: Links,
    /// Visible text, where it was asked for.
    pub text: Option<Text>,
    /// How deep and wide the markup is.
    pub shape: Shape,
    /// What a cap cut.
    pub problems: Vec<Problem>,
}

/// Link values in one buffer, those that repeat once: menus and tables of contents are full of them.
#[derive(Debug, Default)]
struct RawLinks {
    bytes: Vec<u8>,
    ends: Vec<(LinkKind, u32)>,
    /// Number + 1 of a link at a slot of its hash, 0 where it is free.
    slots: Vec<u32>,
    left_out: u64,
    /// A link to a place in the page itself was there already.
    within: bool,
    /// The first `base`.
    base: Option<Vec<u8>>,
}

/// Buffers with more bytes or more slots are not kept for the next page.
const LONGEST_SPARE: usize = 1 << 20;
const MOST_SPARE_SLOTS: usize = 1 << 14;

thread_local! {
    /// What the last page of a thread left: the next one needs as much.
    static SPARE: Cell<Option<RawLinks>> = const { Cell::new(None) };
}

/// How far a repetition is looked for: values made to collide are kept twice, and cost no more.
const PROBES: usize = 8;

impl RawLinks {
    /// None yet, in the memory of the last page.
    fn fresh() -> Self {
        SPARE.take().unwrap_or_default()
    }

    /// Leaves the memory to the next page.
    fn leave(mut self) {
        if self.bytes.capacity() <= LONGEST_SPARE && self.slots.len() <= MOST_SPARE_SLOTS {
            self.bytes.clear();
            self.ends.clear();
            self.slots.fill(0);
            let RawLinks { bytes, ends, slots, .. } = self;
            SPARE.set(Some(RawLinks { bytes, ends, slots, ..RawLinks::default() }));
        }
    }

    fn push(&mut self, kind: LinkKind, value: &[u8]) {
        if kind == LinkKind::Base {
            self.base.get_or_insert_with(|| value.to_vec());
            return;
        }
        if kind == LinkKind::Anchor
            && value.first() == Some(&b'#')
            && std::mem::replace(&mut self.within, true)
        {
            return;
        }
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let hash = hash(kind, value);
        let mut free = None;
        for probe in 0..PROBES {
            let slot = (hash as usize + probe) & mask;
            match self.slots[slot].checked_sub(1) {
                Some(number) if self.get(number as usize) == (kind, value) => return,
                Some(_) => {}
                None => {
                    free = Some(slot);
                    break;
                }
            }
        }
        if self.ends.len() >= MAX_LINKS || self.bytes.len() + value.len() > MAX_LINK_BYTES {
            self.left_out += 1;
            return;
        }
        self.bytes.extend_from_slice(value);
        self.ends.push((kind, self.bytes.len() as u32));
        if let Some(slot) = free {
            self.slots[slot] = self.ends.len() as u32;
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 4).max(256)];
        let mask = self.slots.len() - 1;
        for number in 0..self.ends.len() {
            let (kind, value) = self.get(number);
            let slots = (0..PROBES).map(|probe| (hash(kind, value) as usize + probe) & mask);
            if let Some(slot) = slots.into_iter().find(|slot| self.slots[*slot] == 0) {
                self.slots[slot] = number as u32 + 1;
            }
        }
    }

    fn get(&self, number: usize) -> (LinkKind, &[u8]) {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before].1 as usize);
        let (kind, end) = self.ends[number];
        (kind, &self.bytes[start..end as usize])
    }

    fn iter(&self) -> impl Iterator<Item = (LinkKind, &[u8])> {
        (0..self.ends.len()).map(|number| self.get(number))
    }
}

/// Eight bytes at a step: values are short, and a hash that withstands an attacker is not needed here.
fn hash(kind: LinkKind, value: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(ODD).rotate_left(29);
    let mut chunks = value.chunks_exact(8);
    let start = mix(kind as u64, value.len() as u64);
    let hash = chunks
        .by_ref()
        .fold(start, |hash, chunk| mix(hash, u64::from_le_bytes(chunk.try_into().unwrap_or_default())));
    let rest = chunks.remainder().iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let hash = mix(hash, rest);
    hash ^ hash >> 32
}

/// The sinks of one pass, side by side.
struct Everything<'a> {
    css: &'a mut CssScanner,
    links: &'a mut RawLinks,
    text: &'a mut TextCollector,
    shape: &'a mut Shape,
}

impl Everything<'_> {
    fn with_links(&mut self, act: impl FnOnce(&mut LinkSink<'_, &mut dyn FnMut(LinkKind, &[u8])>)) {
        let links = &mut *self.links;
        let mut emit = |kind: LinkKind, value: &[u8]| links.push(kind, value);
        act(&mut LinkSink { css: self.css, emit: &mut (&mut emit as &mut dyn FnMut(LinkKind, &[u8])) });
    }
}

impl Sink for Everything<'_> {
    fn wants(&self, place: Place) -> bool {
        place == STYLE || self.text.wants(place)
    }

    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.shape.start_tag(tag);
        self.text.start_tag(tag);
        if !tag.is_bare() {
            self.with_links(|sink| sink.start_tag(tag));
        }
    }

    #[inline]
    fn end_tag(&mut self, name: &[u8], key: u64) {
        self.shape.end_tag(name, key);
        self.text.end_tag(name, key);
        if traits(key) & element::STYLE != 0 {
            self.with_links(|sink| sink.end_tag(name, key));
        }
    }

    fn text(&mut self, place: Place, text: &[u8]) {
        if place == STYLE {
            self.with_links(|sink| sink.text(place, text));
        } else {
            self.text.text(place, text);
        }
    }

    fn interruption(&mut self) {
        self.text.interruption();
    }
}

const STYLE: Place = Place::Raw(super::tokens::RawElement::Style);

/// Reads a page in one pass.
pub struct PageScanner {
    transcoder: Transcoder,
    pass: Pass,
}

/// What is found in text that is UTF-8.
struct Pass {
    tokenizer: Tokenizer,
    css: CssScanner,
    links: RawLinks,
    text: TextCollector,
    shape: Shape,
    links_only: bool,
}

impl PageScanner {
    /// A scanner at the start of a body, with the value of its `Content-Type` header.
    pub fn new(content_type: Option<&[u8]>) -> Self {
        PageScanner {
            transcoder: Transcoder::new(content_type),
            pass: Pass {
                tokenizer: Tokenizer::new(),
                css: CssScanner::default(),
                links: RawLinks::fresh(),
                text: TextCollector::default(),
                shape: Shape::default(),
                links_only: false,
            },
        }
    }

    /// A scanner that finds links, and leaves text and shape empty.
    pub fn of_links(content_type: Option<&[u8]>) -> Self {
        let mut scanner = PageScanner::new(content_type);
        scanner.pass.links_only = true;
        scanner
    }

    /// Reads the next piece of the body.
    pub fn feed(&mut self, piece: &[u8]) {
        let PageScanner { transcoder, pass } = self;
        transcoder.feed(piece, &mut |utf8| pass.tokens(utf8));
    }

    /// Ends the body of the page at `url` and resolves its links.
    pub fn finish(self, url: &[u8]) -> PageContent {
        let PageScanner { mut transcoder, mut pass } = self;
        let charset = transcoder.finish(&mut |utf8| pass.tokens(utf8));
        pass.finish(charset, url)
    }
}

impl Pass {
    fn tokens(&mut self, piece: &[u8]) {
        if self.links_only {
            let links = &mut self.links;
            let mut emit = |kind: LinkKind, value: &[u8]| links.push(kind, value);
            return self.tokenizer.feed(piece, &mut LinkSink { css: &mut self.css, emit: &mut emit });
        }
        let mut sink = Everything {
            css: &mut self.css,
            links: &mut self.links,
            text: &mut self.text,
            shape: &mut self.shape,
        };
        self.tokenizer.feed(piece, &mut sink);
    }

    fn finish(mut self, charset: Charset, url: &[u8]) -> PageContent {
        let mut sink = Everything {
            css: &mut self.css,
            links: &mut self.links,
            text: &mut self.text,
            shape: &mut self.shape,
        };
        self.tokenizer.finish(&mut sink);
        let links = &mut self.links;
        self.css.finish(&mut |kind, value: &[u8]| links.push(kind, value));
        let problems = self.problems();
        let links = resolve(&self.links, url);
        self.links.leave();
        PageContent {
            charset,
            links,
            text: (!self.links_only).then(|| self.text.finish()),
            shape: self.shape,
            problems,
        }
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let dropped = self.tokenizer.dropped + self.css.dropped;
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

/// Resolves against the page's own URL, or its first `base` that has a usable `href`.
fn resolve(raw: &RawLinks, url: &[u8]) -> Links {
    let document = Base::parse(url);
    let base = raw.base.as_ref().and_then(|value| Base::parse(document.as_ref()?.resolve(value)?.as_bytes()));
    let base = base.or(document);
    // Most references go up and down in one site: about as much of the base is taken over as they drop.
    let mut links = Links::with_capacity(raw.ends.len(), raw.bytes.len() + raw.ends.len() * url.len() / 2);
    for (kind, value) in raw.iter() {
        links.push_with(kind, |out| match &base {
            Some(base) => base.resolve_into(value, out),
            // Without an address of its own, a page can still point to absolute ones.
            None => Base::parse(value).map(|url| out.push_str(url.as_str())),
        });
    }
    links
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
        for (bytes, content_type) in [(&latin, Some("text/html; charset=iso-8859-1")), (&utf16, None)] {
            for step in [1, 5, 1000] {
                let content = scan(bytes, content_type, step);
                assert_eq!(content.text, utf8.text, "{content_type:?}");
                assert_eq!(urls(&content), ["http://example.org/%C3%A4?%C3%B6"]);
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
        let html = format!("<img src='data:{}'><a href=y>", "A".repeat(100_000));
        let content = scan(html.as_bytes(), None, 1 << 20);
        assert_eq!((content.links.len(), content.problems[0].kind.as_str()), (1, "html-attribute-too-long"));
    }
}
