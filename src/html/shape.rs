//! How deep and wide a page's markup is; checked before a tree is built.
//!
//! A tree builder takes quadratic time on deep nesting and on many attributes, so hostile pages are recognised by these
//! counts, which cost almost nothing. The depth is an estimate: elements whose end tag may be left out
//! (`p`, `li`, `td`…) close each other in the tree and are not counted, void ones have no content.

use super::element::{FLAT, FORMATTING, traits};
use super::tag::Tag;
use super::tokens::{Place, Sink, Tokenizer};

/// Maximum nesting of a page that is parsed into a tree.
pub(crate) const MAX_DEPTH: u32 = 500;
/// Maximum number of attributes of a tag of a page that is parsed into a tree.
pub(crate) const MAX_TAG_ATTRIBUTES: u32 = 500;
/// Maximum of elements times open text formats: the tree builder repeats open formats in every paragraph.
pub(crate) const MAX_WORK: u64 = 4_000_000;

/// Counts over the tags of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// Number of start tags.
    pub elements: u64,
    /// Deepest nesting, estimated.
    pub depth: u32,
    /// Most attributes of one tag.
    pub attributes: u32,
    /// Most text formats (`b`, `font`, `a`…) open at once.
    pub formatting: u32,
    open: u32,
    open_formatting: u32,
}

impl Shape {
    pub fn of(html: &[u8]) -> Shape {
        let mut shape = Shape::default();
        let mut tokenizer = Tokenizer::new();
        tokenizer.feed(html, &mut shape);
        tokenizer.finish(&mut shape);
        shape
    }
}

impl Sink for Shape {
    fn wants(&self, _: Place) -> bool {
        false
    }

    fn text(&mut self, _: Place, _: &[u8]) {}
    fn interruption(&mut self) {}

    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.elements += 1;
        self.attributes = self.attributes.max(tag.attribute_count());
        let traits = traits(tag.key);
        if traits & FLAT == 0 {
            self.open = self.open.saturating_add(1);
            self.depth = self.depth.max(self.open);
        }
        if traits & FORMATTING != 0 {
            self.open_formatting = self.open_formatting.saturating_add(1);
            self.formatting = self.formatting.max(self.open_formatting);
        }
    }

    fn end_tag(&mut self, _: &[u8], key: u64) {
        let traits = traits(key);
        if traits & FLAT == 0 {
            self.open = self.open.saturating_sub(1);
        }
        if traits & FORMATTING != 0 {
            self.open_formatting = self.open_formatting.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_nesting_but_not_elements_that_close_each_other() {
        let shape = |html: &str| Shape::of(html.as_bytes());
        assert_eq!(shape(&"<div>".repeat(70)).depth, 70);
        assert_eq!(shape(&"<div></div>".repeat(70)).depth, 1);
        assert_eq!(shape(&"<ul><li>x<li>y<br></ul><p>z".repeat(70)).depth, 1);
        assert_eq!(shape("<a b c d=e><f g>").attributes, 3);
    }
}
