//! Markup that follows the rules of XML: XHTML and SVG files as a whole, and `svg` and `math` inside HTML.
//!
//! There a tag such as `<script src="x"/>` closes itself, and `<![CDATA[ … ]]>` is text. In HTML both differ: the script
//! goes on to its end tag, and the section is a comment up to the next `>`.
//!
//! Source: WHATWG HTML, "The rules for parsing tokens in foreign content": HTML begins again inside `foreignObject`, and
//! at the first tag that no `svg` can hold, such as `div`.

use super::element::key;
use super::tag::Tag;

/// The language of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Syntax {
    #[default]
    Html,
    /// XHTML and SVG files.
    Xml,
}

impl Syntax {
    /// The language that a media type names.
    pub(crate) fn of_mime(mime: &str) -> Syntax {
        let name = mime.split(';').next().unwrap_or(mime).trim();
        let is_xml =
            ["application/xhtml+xml", "image/svg+xml"].iter().any(|xml| name.eq_ignore_ascii_case(xml));
        if is_xml { Syntax::Xml } else { Syntax::Html }
    }
}

const SVG: u64 = key(b"svg");
const MATH: u64 = key(b"math");

/// HTML tags that end foreign markup which was left open.
const BREAKOUT: [u64; 42] = [
    key(b"b"),
    key(b"big"),
    key(b"body"),
    key(b"br"),
    key(b"center"),
    key(b"code"),
    key(b"dd"),
    key(b"div"),
    key(b"dl"),
    key(b"dt"),
    key(b"em"),
    key(b"embed"),
    key(b"h1"),
    key(b"h2"),
    key(b"h3"),
    key(b"h4"),
    key(b"h5"),
    key(b"h6"),
    key(b"head"),
    key(b"hr"),
    key(b"i"),
    key(b"img"),
    key(b"li"),
    key(b"listing"),
    key(b"menu"),
    key(b"meta"),
    key(b"nobr"),
    key(b"ol"),
    key(b"p"),
    key(b"pre"),
    key(b"ruby"),
    key(b"s"),
    key(b"small"),
    key(b"span"),
    key(b"strike"),
    key(b"strong"),
    key(b"sub"),
    key(b"sup"),
    key(b"table"),
    key(b"tt"),
    key(b"u"),
    key(b"ul"),
];

/// Which foreign elements are open.
#[derive(Debug)]
pub(crate) struct Foreign {
    syntax: Syntax,
    /// One bit per open element, the innermost last: 1 for `svg` and `math`, 0 for `foreignObject`.
    open: u32,
    depth: u8,
}

impl Foreign {
    pub(crate) fn new(syntax: Syntax) -> Self {
        Foreign { syntax, open: 0, depth: 0 }
    }

    /// Whether `svg` or `math` is open, however deep.
    #[inline(always)]
    pub(crate) fn has_open(&self) -> bool {
        self.depth > 0
    }

    /// Whether the rules of XML hold here.
    #[inline(always)]
    pub(crate) fn is_xml(&self) -> bool {
        self.open & 1 == 1 || self.syntax == Syntax::Xml
    }

    #[inline(always)]
    pub(crate) fn start_tag(&mut self, tag: &Tag<'_>) {
        if self.depth > 0 || matches!(tag.key, SVG | MATH) {
            self.start(tag);
        }
    }

    #[inline(always)]
    pub(crate) fn end_tag(&mut self, tag: &Tag<'_>) {
        if self.depth > 0 {
            self.end(tag);
        }
    }

    #[cold]
    fn start(&mut self, tag: &Tag<'_>) {
        if self.syntax == Syntax::Xml {
            return;
        }
        let in_foreign = self.open & 1 == 1;
        if matches!(tag.key, SVG | MATH) {
            if !tag.closes_itself {
                self.push(1);
            }
        } else if in_foreign && is_foreign_object(tag) {
            if !tag.closes_itself {
                self.push(0);
            }
        } else if in_foreign && (BREAKOUT.contains(&tag.key) || tag.name.eq_ignore_ascii_case(b"blockquote"))
        {
            while self.open & 1 == 1 {
                self.pop();
            }
        }
    }

    #[cold]
    fn end(&mut self, tag: &Tag<'_>) {
        if matches!(tag.key, SVG | MATH) {
            while self.depth > 0 {
                let is_foreign = self.open & 1 == 1;
                self.pop();
                if is_foreign {
                    break;
                }
            }
        } else if self.open & 1 == 0 && is_foreign_object(tag) {
            self.pop();
        }
    }

    fn push(&mut self, bit: u32) {
        // Deeper nesting is not markup that anyone wrote; it is left out.
        if u32::from(self.depth) < u32::BITS {
            self.open = self.open << 1 | bit;
            self.depth += 1;
        }
    }

    fn pop(&mut self) {
        self.open >>= 1;
        self.depth = self.depth.saturating_sub(1);
    }
}

fn is_foreign_object(tag: &Tag<'_>) -> bool {
    tag.name.eq_ignore_ascii_case(b"foreignobject")
}
