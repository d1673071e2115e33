//! Links and embedded resources of an HTML page whose bytes arrive in pieces.
//!
//! The tokenizer equals `html5ever`'s with raw-text switching (property-tested). It builds no tree, so where
//! the tree builder would drop or move an element the scanner still reports its link. The differences, each with a test:
//! links in `noscript` count (a crawler without scripts follows them; what only counts visitors there is
//! [`LinkKind::Conditional`]), tags that only close a `select` or that a `frameset` drops count, and so do links in `noframes`. The document in a `srcdoc`
//! is a part of the page.

use std::borrow::Cow;

use super::css::CssScanner;
use super::element::{PAINTED, key, traits};
use super::tag::{Attribute, Tag};
use super::tokens::{Place, RawElement, Sink, Tokenizer};
use super::{refresh, srcset};
use crate::html::tag_skip::Plain;
use crate::word_enum::word_enum;

word_enum! {
    /// What a page does with a URL.
    pub enum LinkKind {
        /// `a` and `area`.
        Anchor = "anchor",
        /// `link` with another relation than those below, and the `Link` header: `next`, `canonical`, `alternate`…
        Relation = "relation",
        /// `iframe` and `frame`: a page of its own, shown inside this one.
        Frame = "frame",
        /// `form` and `formaction`.
        Form = "form",
        /// `meta` refresh and the `Refresh` header.
        Refresh = "refresh",
        /// `Location` of a response.
        Redirect = "redirect",
        /// Listed in a sitemap.
        Sitemap = "sitemap",
        /// `base`: not a target, but what other links are relative to.
        Base = "base",
        /// Images of any element.
        Image = "image",
        /// `script` and its SVG form.
        Script = "script",
        /// Style sheets and `@import`.
        Stylesheet = "stylesheet",
        /// `url()` in a style: images and fonts.
        Style = "style",
        /// `link rel=icon`, `apple-touch-icon` and their like.
        Icon = "icon",
        /// `preload` and `modulepreload`.
        Preload = "preload",
        /// Video, sound, and the tracks that are shown with them from the start.
        Media = "media",
        /// `object`, `embed` and `applet`.
        Object = "object",
        /// A resource that a browser was seen to load for the page.
        Loaded = "loaded",
        /// An image or frame that a script loads when it comes into view: `data-src`, `loading=lazy`.
        Lazy = "lazy",
        /// A font of `@font-face`: a browser loads it only if some text needs it.
        Font = "font",
        /// A further candidate of `srcset`: one of them, or the link before, is enough.
        Candidate = "candidate",
        /// A candidate of a `source` in `picture`: one of them, or the image before, is enough.
        Source = "source",
        /// `link` for programs, not readers: `pingback`, `EditURI`, `shortlink`…
        Machine = "machine",
        /// What a browser loads under a condition: an image behind a media query, one in `noscript` that only counts visitors or
        /// stands for one that a script loads, the manifest
        /// of a web application, a track without `default`.
        Conditional = "conditional",
    }
}

impl LinkKind {
    /// Whether the page needs the target to be displayed as it was. Frames count; links that a reader follows do not.
    pub fn is_embed(self) -> bool {
        use LinkKind::*;
        matches!(
            self,
            Frame
                | Image
                | Script
                | Stylesheet
                | Style
                | Icon
                | Preload
                | Media
                | Object
                | Loaded
                | Lazy
                | Font
                | Candidate
                | Source
                | Conditional
        )
    }
}

/// Finds the links of an HTML document that arrives in pieces.
#[derive(Debug)]
pub struct LinkScanner {
    tokenizer: Tokenizer,
    css: CssScanner,
    inner: Inner,
}

impl Default for LinkScanner {
    fn default() -> Self {
        Self::new()
    }
}

impl LinkScanner {
    /// A scanner at the start of a document.
    pub fn new() -> Self {
        LinkScanner { tokenizer: Tokenizer::new(), css: CssScanner::default(), inner: Inner::default() }
    }

    /// Reads the next piece and reports every link in it: references decoded, not yet resolved.
    pub fn feed(&mut self, piece: &[u8], emit: &mut impl FnMut(LinkKind, &[u8])) {
        let LinkScanner { tokenizer, css, inner } = self;
        tokenizer.feed(piece, &mut LinkSink { css, inner, emit });
    }

    /// Ends the document and reports a last link left open.
    pub fn finish(&mut self, emit: &mut impl FnMut(LinkKind, &[u8])) {
        let LinkScanner { tokenizer, css, inner } = self;
        tokenizer.finish(&mut LinkSink { css, inner, emit: &mut *emit });
        css.finish(emit);
        inner.finish(emit);
    }

    /// Number of attributes and URLs dropped for exceeding a limit.
    pub fn dropped(&self) -> u64 {
        self.tokenizer.dropped + self.css.dropped + self.inner.dropped
    }
}

/// Maximum depth of documents inside documents.
const MAX_INNER_DEPTH: u8 = 3;

/// Markup inside the page that the tokenizer reads as text: `noframes`, and the documents in `srcdoc`; and whether `noscript` is open.
#[derive(Debug, Default)]
pub(crate) struct Inner {
    scanner: Option<Box<LinkScanner>>,
    depth: u8,
    /// Inside `noscript`.
    in_noscript: bool,
    /// A script puts images of this page in their place. Those in `noscript` are the same ones, for browsers without scripts.
    has_lazy: bool,
    /// Number of open `template` elements: what they hold is loaded by nobody until a script uses it.
    templates: u32,
    /// The last link is a source of the open `video` or `audio`: a further source is another form of the same.
    in_sources: bool,
    /// Candidates of `source` elements that wait for the image of their `picture`.
    sources: Vec<Vec<u8>>,
    /// Number of attributes and URLs dropped there.
    pub(crate) dropped: u64,
}

impl Inner {
    fn scanner(&self) -> LinkScanner {
        let inner = Inner { depth: self.depth + 1, ..Inner::default() };
        LinkScanner { inner, ..LinkScanner::new() }
    }

    fn feed(&mut self, text: &[u8], emit: &mut impl FnMut(LinkKind, &[u8])) {
        if self.depth < MAX_INNER_DEPTH {
            let mut scanner = self.scanner.take().unwrap_or_else(|| Box::new(self.scanner()));
            // A `base` in there is not that of the page. A trait object, so that types do not nest without end.
            let mut emit: &mut dyn FnMut(LinkKind, &[u8]) = &mut |kind, value: &[u8]| {
                if kind != LinkKind::Base {
                    emit(kind, value);
                }
            };
            scanner.feed(text, &mut emit);
            self.scanner = Some(scanner);
        }
    }

    /// Whether candidates wait for the image of their `picture`, or sources for further ones.
    pub(crate) fn awaits_end(&self) -> bool {
        self.in_sources || !self.sources.is_empty()
    }

    /// Opens a `template`, unless it declares a shadow tree, which browsers show.
    fn open_template(&mut self, tag: &Tag<'_>) {
        if self.templates > 0 || tag.find(b"shadowrootmode").is_none() {
            self.templates = self.templates.saturating_add(1);
        }
    }

    /// Reports the candidates of a `picture`: the first is the image, unless the image was already told.
    fn tell_sources(&mut self, first: LinkKind, emit: &mut impl FnMut(LinkKind, &[u8])) {
        let mut kind = first;
        for source in self.sources.drain(..) {
            emit(kind, &source);
            kind = LinkKind::Source;
        }
    }

    /// The part of the page that holds it ends.
    pub(crate) fn finish(&mut self, emit: &mut impl FnMut(LinkKind, &[u8])) {
        self.tell_sources(LinkKind::Image, emit);
        if let Some(mut scanner) = self.scanner.take() {
            let mut emit: &mut dyn FnMut(LinkKind, &[u8]) = emit;
            scanner.finish(&mut emit);
            self.dropped += scanner.dropped();
        }
    }

    fn document(&mut self, html: &[u8], emit: &mut impl FnMut(LinkKind, &[u8])) {
        let outer = (self.scanner.take(), std::mem::take(&mut self.sources));
        self.feed(html, emit);
        self.finish(emit);
        (self.scanner, self.sources) = outer;
    }
}

/// The tokenizer's sink for links.
pub(crate) struct LinkSink<'a, F> {
    pub(crate) css: &'a mut CssScanner,
    pub(crate) inner: &'a mut Inner,
    pub(crate) emit: &'a mut F,
}

impl<F: FnMut(LinkKind, &[u8])> LinkSink<'_, F> {
    #[inline]
    fn tell(&mut self, kind: LinkKind, attribute: Option<Attribute<'_>>) {
        if let Some(value) = attribute.map(|a| a.value()).filter(|value| !value.is_empty()) {
            (self.emit)(kind, &value);
        }
    }

    /// An image with its candidates: `src`, or without one that is fetched the first candidate, and all others as
    /// alternatives. Tells whether any of them is fetched.
    fn tell_image(&mut self, kind: LinkKind, src: Option<Attribute<'_>>, set: Option<Attribute<'_>>) -> bool {
        let src = src.map(|src| src.value()).filter(|src| !src.is_empty());
        if let Some(src) = &src {
            (self.emit)(kind, src);
        }
        // A picture inside the attribute only keeps the place until the list is loaded.
        let mut is_told = src.as_deref().is_some_and(is_fetched);
        let Some(set) = set else { return is_told };
        srcset::candidates(&set.value(), |url| {
            if src.as_deref() != Some(url) && is_fetched(url) {
                (self.emit)(if is_told { LinkKind::Candidate } else { kind }, url);
                is_told = true;
            }
        });
        is_told
    }

    /// `loading=lazy`, or an attribute that a script puts in the place of `src`.
    fn tell_lazy(&mut self, tag: &Tag<'_>) {
        let src =
            [&b"data-src"[..], b"data-original", b"data-lazy-src"].iter().find_map(|name| tag.find(name));
        let set = tag.find(b"data-srcset").or_else(|| tag.find(b"data-lazy-srcset"));
        if src.is_some() || set.is_some() {
            self.inner.has_lazy = true;
            self.tell_image(LinkKind::Lazy, src, set);
        }
    }

    /// A document in `srcdoc` is displayed instead of `src`.
    fn tell_frame(&mut self, tag: &Tag<'_>) {
        if let Some(document) = tag.find(b"srcdoc") {
            return self.inner.document(&document.value(), self.emit);
        }
        let kind = match is_lazy(tag) {
            _ if self.inner.in_noscript && is_counter(tag) => LinkKind::Conditional,
            true => LinkKind::Lazy,
            false => LinkKind::Frame,
        };
        self.tell(kind, tag.find(b"src"));
        self.tell(LinkKind::Lazy, tag.find(b"data-src"));
    }

    fn tell_link(&mut self, tag: &Tag<'_>) {
        let rel = tag.find(b"rel").map_or(Cow::Borrowed(&b""[..]), |rel| rel.value());
        if let Some(kind) = relation(&rel) {
            let is_off = kind == LinkKind::Stylesheet && tag.find(b"disabled").is_some();
            let kind = if is_off { LinkKind::Conditional } else { kind };
            self.tell_image(kind, tag.find(b"href"), tag.find(b"imagesrcset"));
        }
    }

    fn tell_style(&mut self, style: &[u8]) {
        let mut css = CssScanner::default();
        css.feed(style, self.emit);
        css.finish(self.emit);
        self.css.dropped += css.dropped;
    }

    /// What SVG paints with may lie in another file: `fill="url(paint.svg#red)"`.
    fn tell_paint(&mut self, tag: &Tag<'_>) {
        for value in PAINT.iter().filter_map(|name| tag.find(name)) {
            self.tell_style(&value.value());
        }
    }

    fn tell_refresh(&mut self, tag: &Tag<'_>) {
        let (Some(equiv), Some(content)) = (tag.find(b"http-equiv"), tag.find(b"content")) else { return };
        if equiv.value().eq_ignore_ascii_case(b"refresh")
            && let Some(url) = refresh::target(&content.value()).filter(|url| !url.is_empty())
        {
            (self.emit)(LinkKind::Refresh, url);
        }
    }
}

/// Whether a browser loads the file of a script: one for old browsers, and one of a type that is not a script, it leaves alone.
fn is_run(tag: &Tag<'_>) -> bool {
    const TYPES: [&[u8]; 5] = [b"", b"module", b"text/vbscript", b"importmap", b"application/json"];
    let kind = tag.find(b"type").map(|kind| kind.value().trim_ascii().to_ascii_lowercase());
    let is_script = kind.is_none_or(|kind| {
        let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let has = |name: &[u8]| memchr::memmem::find(kind, name).is_some();
        TYPES.contains(&kind)
            || has(b"javascript")
            || has(b"ecmascript")
            || has(b"jscript")
            || has(b"livescript")
    });
    is_script && tag.find(b"nomodule").is_none()
}

const STYLE: u64 = key(b"style");
const NOFRAMES: u64 = key(b"noframes");
pub(crate) const NOSCRIPT: u64 = key(b"noscript");
pub(crate) const TEMPLATE: u64 = key(b"template");
const PICTURE: u64 = key(b"picture");
const VIDEO: u64 = key(b"video");
const AUDIO: u64 = key(b"audio");

/// Attributes of SVG whose `url()` browsers load from other files.
const PAINT: [&[u8]; 8] =
    [b"fill", b"stroke", b"filter", b"mask", b"clip-path", b"marker-start", b"marker-mid", b"marker-end"];

/// Whether an image or frame is too small to be seen, or hidden: in `noscript` it counts visitors.
fn is_counter(tag: &Tag<'_>) -> bool {
    let is_tiny = |name: &[u8]| {
        tag.find(name).is_some_and(|size| matches!(size.value().trim_ascii(), b"0" | b"1" | b"0px" | b"1px"))
    };
    let is_hidden = || {
        tag.find(b"style").is_some_and(|style| {
            let style: Vec<u8> =
                style.value().iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
            style.to_ascii_lowercase().windows(12).any(|part| part == b"display:none")
        })
    };
    (is_tiny(b"width") && is_tiny(b"height")) || is_hidden()
}

/// Whether an address is fetched over HTTP: it has that scheme, or none.
pub(super) fn is_fetched(address: &[u8]) -> bool {
    let address = address.trim_ascii_start();
    let scheme = address.iter().position(|c| !(c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.')));
    match scheme.filter(|end| address[*end] == b':' && address[0].is_ascii_alphabetic()) {
        Some(end) => [&b"http"[..], b"https"].iter().any(|name| address[..end].eq_ignore_ascii_case(name)),
        None => !address.is_empty(),
    }
}

/// Maximum number of candidates that wait for the image of their `picture`.
const MAX_SOURCES: usize = 1000;

/// Whether a browser loads the image or frame only when it comes into view.
fn is_lazy(tag: &Tag<'_>) -> bool {
    tag.find(b"loading").is_some_and(|value| value.value().trim_ascii().eq_ignore_ascii_case(b"lazy"))
}

/// Relations that only programs follow.
const MACHINE: [&[u8]; 10] = [
    b"pingback",
    b"edituri",
    b"wlwmanifest",
    b"shortlink",
    b"https://api.w.org/",
    b"webmention",
    b"hub",
    b"search",
    b"token_endpoint",
    b"authorization_endpoint",
];

/// The kind of link a `rel` makes. `stylesheet` wins over other tokens. `None`: the link only
/// asks a browser to open a connection.
pub(crate) fn relation(rel: &[u8]) -> Option<LinkKind> {
    let mut kind = Some(LinkKind::Relation);
    for token in rel.split(u8::is_ascii_whitespace) {
        let is = |name: &[u8]| token.eq_ignore_ascii_case(name);
        if is(b"stylesheet") {
            return Some(LinkKind::Stylesheet);
        }
        if MACHINE.iter().any(|name| is(name)) {
            kind = Some(LinkKind::Machine);
        } else if is(b"icon")
            || is(b"apple-touch-icon")
            || is(b"apple-touch-icon-precomposed")
            || is(b"mask-icon")
        {
            kind = Some(LinkKind::Icon);
        } else if is(b"manifest") {
            // A browser reads it when the reader installs the application.
            kind = Some(LinkKind::Conditional);
        } else if is(b"preload") || is(b"modulepreload") {
            kind = Some(LinkKind::Preload);
        } else if is(b"dns-prefetch") || is(b"preconnect") {
            kind = None;
        }
    }
    kind
}

impl<F: FnMut(LinkKind, &[u8])> Sink for LinkSink<'_, F> {
    const LINKS_ONLY: bool = true;

    #[inline]
    fn plain(&mut self, link: Plain<'_>) {
        let (kind, value) = match link {
            Plain::Anchor(href) => (Some(LinkKind::Anchor), href),
            Plain::Image(src) => (Some(LinkKind::Image), src),
            Plain::Relation(href, rel) => (relation(&Attribute::of(rel).value()), href),
        };
        self.inner.in_sources = false;
        if let Some(kind) = kind {
            self.tell(kind, Some(Attribute::of(value)));
        }
    }

    #[inline(always)]
    fn wants_all(&self) -> bool {
        self.inner.in_noscript || self.inner.templates > 0 || self.inner.awaits_end()
    }

    #[inline]
    fn wants(&self, place: Place) -> bool {
        matches!(place, Place::Raw(RawElement::Style | RawElement::Noframes))
    }

    fn text(&mut self, place: Place, text: &[u8]) {
        match place {
            _ if self.inner.templates > 0 => {}
            Place::Raw(RawElement::Noframes) => self.inner.feed(text, self.emit),
            _ => self.css.feed(text, self.emit),
        }
    }

    #[inline]
    fn end_tag(&mut self, _: &[u8], name: u64) {
        match name {
            STYLE => self.css.finish(self.emit),
            NOFRAMES => self.inner.finish(self.emit),
            NOSCRIPT => self.inner.in_noscript = false,
            TEMPLATE => self.inner.templates = self.inner.templates.saturating_sub(1),
            // A `picture` without an image, and a list where browsers read none.
            PICTURE | VIDEO | AUDIO => {
                self.inner.in_sources = false;
                self.inner.tell_sources(LinkKind::Image, self.emit);
            }
            _ => {}
        }
    }

    fn interruption(&mut self) {}

    #[inline]
    fn start_tag(&mut self, tag: &Tag<'_>) {
        const A: u64 = key(b"a");
        const AREA: u64 = key(b"area");
        const LINK: u64 = key(b"link");
        const BASE: u64 = key(b"base");
        const META: u64 = key(b"meta");
        const FORM: u64 = key(b"form");
        const IMG: u64 = key(b"img");
        const SCRIPT: u64 = key(b"script");
        const IFRAME: u64 = key(b"iframe");
        const FRAME: u64 = key(b"frame");
        const SOURCE: u64 = key(b"source");
        const TRACK: u64 = key(b"track");
        const BGSOUND: u64 = key(b"bgsound");
        const EMBED: u64 = key(b"embed");
        const OBJECT: u64 = key(b"object");
        const INPUT: u64 = key(b"input");
        const BUTTON: u64 = key(b"button");
        const IMAGE: u64 = key(b"image");
        const FEIMAGE: u64 = key(b"feimage");
        const USE: u64 = key(b"use");
        const PARAM: u64 = key(b"param");

        if tag.key == NOSCRIPT {
            self.inner.in_noscript = true;
        }
        if tag.key == TEMPLATE {
            self.inner.open_template(tag);
        }
        if tag.is_bare() || self.inner.templates > 0 {
            return;
        }
        let in_sources = std::mem::take(&mut self.inner.in_sources);
        match tag.key {
            A | AREA => self.tell(LinkKind::Anchor, tag.find(b"href").or_else(|| tag.find(b"xlink:href"))),
            LINK => self.tell_link(tag),
            BASE => self.tell(LinkKind::Base, tag.find(b"href")),
            META => self.tell_refresh(tag),
            FORM => self.tell(LinkKind::Form, tag.find(b"action")),
            BUTTON => self.tell(LinkKind::Form, tag.find(b"formaction")),
            IMG => {
                let kind = match is_lazy(tag) {
                    _ if self.inner.in_noscript && (self.inner.has_lazy || is_counter(tag)) => {
                        LinkKind::Conditional
                    }
                    true => LinkKind::Lazy,
                    false => LinkKind::Image,
                };
                let is_told = self.tell_image(kind, tag.find(b"src"), tag.find(b"srcset"));
                self.inner.tell_sources(if is_told { LinkKind::Source } else { kind }, self.emit);
                self.tell_lazy(tag);
            }
            SCRIPT => {
                let svg = || tag.find(b"href").or_else(|| tag.find(b"xlink:href"));
                let kind = if is_run(tag) { LinkKind::Script } else { LinkKind::Conditional };
                self.tell(kind, tag.find(b"src").or_else(svg));
            }
            IFRAME | FRAME => self.tell_frame(tag),
            PARAM => {
                let name = tag.find(b"name").map(|name| name.value().to_ascii_lowercase());
                let names_file = matches!(name.as_deref(), Some(b"movie" | b"src" | b"data" | b"filename"));
                self.tell(LinkKind::Object, tag.find(b"value").filter(|_| names_file));
            }
            VIDEO | AUDIO | TRACK | BGSOUND => {
                self.tell(LinkKind::Image, tag.find(b"poster"));
                let src = tag.find(b"src");
                self.inner.in_sources = matches!(tag.key, VIDEO | AUDIO) && src.is_some();
                // A browser loads subtitles when the reader chooses them.
                let is_chosen = tag.key == TRACK && tag.find(b"default").is_none();
                self.tell(if is_chosen { LinkKind::Conditional } else { LinkKind::Media }, src);
            }
            SOURCE => {
                let src = tag.find(b"src");
                self.inner.in_sources = in_sources || src.is_some();
                self.tell(if in_sources { LinkKind::Candidate } else { LinkKind::Media }, src);
                let sources = &mut self.inner.sources;
                for set in [tag.find(b"srcset"), tag.find(b"data-srcset")].into_iter().flatten() {
                    srcset::candidates(&set.value(), |url| {
                        if is_fetched(url) && sources.len() < MAX_SOURCES {
                            sources.push(url.to_vec());
                        }
                    });
                }
            }
            EMBED => self.tell(LinkKind::Object, tag.find(b"src")),
            OBJECT => self.tell(LinkKind::Object, tag.find(b"data")),
            INPUT => {
                let image = tag.find(b"type").is_some_and(|kind| kind.value().eq_ignore_ascii_case(b"image"));
                self.tell(LinkKind::Image, tag.find(b"src").filter(|_| image));
                self.tell(LinkKind::Form, tag.find(b"formaction"));
            }
            IMAGE | FEIMAGE | USE => {
                self.tell(LinkKind::Image, tag.find(b"href").or_else(|| tag.find(b"xlink:href")));
            }
            _ => {}
        }
        if traits(tag.key) & PAINTED != 0 {
            self.tell_paint(tag);
        }
        // These two are allowed on any element.
        self.tell(LinkKind::Image, tag.find(b"background"));
        if let Some(style) = tag.find(b"style") {
            self.tell_style(&style.value());
        }
    }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
