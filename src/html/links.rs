//! Links and embedded resources of an HTML page whose bytes arrive in pieces.
//!
//! The tokenizer equals `html5ever`'s with raw-text switching (property-tested). It builds no tree, so where
//! the tree builder would drop or move an element the scanner still reports its link. The differences, each with a test:
//! links in `noscript` count (a crawler without scripts follows them), links in `template` count, tags that
//! only close a `select` or that a `frameset` drops count, `<svg><title/>` starts raw text, and CDATA sections of `svg`
//! and `math` are read as bogus comments.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::css::CssScanner;
use super::element::key;
use super::tag::{Attribute, Tag};
use super::tokens::{Place, RawElement, Sink, Tokenizer};
use super::{refresh, srcset};
use crate::html::tag_skip::Plain;

/// What a page does with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// `a` and `area`.
    Anchor,
    /// `link` with another relation than those below, and the `Link` header: `next`, `canonical`, `alternate`…
    Relation,
    /// `iframe` and `frame`: a page of its own, shown inside this one.
    Frame,
    /// `form` and `formaction`.
    Form,
    /// `meta` refresh and the `Refresh` header.
    Refresh,
    /// `Location` of a response.
    Redirect,
    /// Listed in a sitemap.
    Sitemap,
    /// `base`: not a target, but what other links are relative to.
    Base,
    /// Images of any element.
    Image,
    /// `script` and its SVG form.
    Script,
    /// Style sheets and `@import`.
    Stylesheet,
    /// `url()` in a style: images and fonts.
    Style,
    /// Icons and web application manifests.
    Icon,
    /// `preload` and `modulepreload`.
    Preload,
    /// Video, sound and their tracks.
    Media,
    /// `object`, `embed` and `applet`.
    Object,
    /// A resource that a browser was seen to load for the page.
    Loaded,
}

impl LinkKind {
    /// All kinds, in their order.
    pub const ALL: [LinkKind; 17] = {
        use LinkKind::*;
        [
            Anchor, Relation, Frame, Form, Refresh, Redirect, Sitemap, Base, Image, Script, Stylesheet,
            Style, Icon, Preload, Media, Object, Loaded,
        ]
    };

    /// Whether the page needs the target to be displayed as it was. Frames count; links that a reader follows do not.
    pub fn is_embed(self) -> bool {
        use LinkKind::*;
        matches!(self, Frame | Image | Script | Stylesheet | Style | Icon | Preload | Media | Object | Loaded)
    }
}

/// Finds the links of an HTML document that arrives in pieces.
#[derive(Debug)]
pub struct LinkScanner {
    tokenizer: Tokenizer,
    css: CssScanner,
}

impl Default for LinkScanner {
    fn default() -> Self {
        Self::new()
    }
}

impl LinkScanner {
    /// A scanner at the start of a document.
    pub fn new() -> Self {
        LinkScanner { tokenizer: Tokenizer::new(), css: CssScanner::default() }
    }

    /// Reads the next piece and reports every link in it: references decoded, not yet resolved.
    pub fn feed(&mut self, piece: &[u8], emit: &mut impl FnMut(LinkKind, &[u8])) {
        self.tokenizer.feed(piece, &mut LinkSink { css: &mut self.css, emit });
    }

    /// Ends the document and reports a last link left open.
    pub fn finish(&mut self, emit: &mut impl FnMut(LinkKind, &[u8])) {
        self.tokenizer.finish(&mut LinkSink { css: &mut self.css, emit: &mut *emit });
        self.css.finish(emit);
    }

    /// Number of attributes and URLs dropped for exceeding a limit.
    pub fn dropped(&self) -> u64 {
        self.tokenizer.dropped + self.css.dropped
    }
}

/// The tokenizer's sink for links.
pub(crate) struct LinkSink<'a, F> {
    pub(crate) css: &'a mut CssScanner,
    pub(crate) emit: &'a mut F,
}

impl<F: FnMut(LinkKind, &[u8])> LinkSink<'_, F> {
    #[inline]
    fn tell(&mut self, kind: LinkKind, attribute: Option<Attribute<'_>>) {
        if let Some(value) = attribute.map(|a| a.value()).filter(|value| !value.is_empty()) {
            (self.emit)(kind, &value);
        }
    }

    fn tell_set(&mut self, kind: LinkKind, attribute: Option<Attribute<'_>>) {
        if let Some(attribute) = attribute {
            srcset::candidates(&attribute.value(), |url| (self.emit)(kind, url));
        }
    }

    fn tell_link(&mut self, tag: &Tag<'_>) {
        let rel = tag.find(b"rel").map_or(Cow::Borrowed(&b""[..]), |rel| rel.value());
        if let Some(kind) = relation(&rel) {
            self.tell(kind, tag.find(b"href"));
        }
        self.tell_set(LinkKind::Image, tag.find(b"imagesrcset"));
    }

    fn tell_style(&mut self, style: &[u8]) {
        let mut css = CssScanner::default();
        css.feed(style, self.emit);
        css.finish(self.emit);
        self.css.dropped += css.dropped;
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

/// The kind of link a `rel` makes. `stylesheet` wins over other tokens. `None`: the link only
/// asks a browser to open a connection.
pub(crate) fn relation(rel: &[u8]) -> Option<LinkKind> {
    let mut kind = Some(LinkKind::Relation);
    for token in rel.split(u8::is_ascii_whitespace) {
        let is = |name: &[u8]| token.eq_ignore_ascii_case(name);
        if is(b"stylesheet") {
            return Some(LinkKind::Stylesheet);
        }
        if is(b"icon") || is(b"apple-touch-icon") || is(b"mask-icon") || is(b"manifest") {
            kind = Some(LinkKind::Icon);
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
        if let Some(kind) = kind {
            self.tell(kind, Some(Attribute::of(value)));
        }
    }

    #[inline]
    fn wants(&self, place: Place) -> bool {
        place == Place::Raw(RawElement::Style)
    }

    fn text(&mut self, _: Place, text: &[u8]) {
        self.css.feed(text, self.emit);
    }

    #[inline]
    fn end_tag(&mut self, _: &[u8], name: u64) {
        if name == key(b"style") {
            self.css.finish(self.emit);
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
        const VIDEO: u64 = key(b"video");
        const AUDIO: u64 = key(b"audio");
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

        if tag.is_bare() {
            return;
        }
        match tag.key {
            A | AREA => self.tell(LinkKind::Anchor, tag.find(b"href").or_else(|| tag.find(b"xlink:href"))),
            LINK => self.tell_link(tag),
            BASE => self.tell(LinkKind::Base, tag.find(b"href")),
            META => self.tell_refresh(tag),
            FORM => self.tell(LinkKind::Form, tag.find(b"action")),
            BUTTON => self.tell(LinkKind::Form, tag.find(b"formaction")),
            IMG => {
                self.tell(LinkKind::Image, tag.find(b"src"));
                self.tell_set(LinkKind::Image, tag.find(b"srcset"));
            }
            SCRIPT => {
                let svg = || tag.find(b"href").or_else(|| tag.find(b"xlink:href"));
                self.tell(LinkKind::Script, tag.find(b"src").or_else(svg));
            }
            IFRAME | FRAME => self.tell(LinkKind::Frame, tag.find(b"src")),
            VIDEO | AUDIO | TRACK | BGSOUND => {
                self.tell(LinkKind::Media, tag.find(b"src"));
                self.tell(LinkKind::Image, tag.find(b"poster"));
            }
            SOURCE => {
                self.tell(LinkKind::Media, tag.find(b"src"));
                self.tell_set(LinkKind::Image, tag.find(b"srcset"));
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
