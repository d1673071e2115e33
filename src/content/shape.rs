//! How deep and wide a page's markup is: looked at before a tree is built from it.
//!
//! A tree builder takes quadratic time on deep nesting and on many attributes, so hostile pages are told by these
//! counts, which cost nothing beside the tokenizer. The depth is an estimate: elements whose end tag may be left out
//! (`p`, `li`, `td`…) close each other in the tree and are not counted, void ones have no content.

use super::links::key;
use super::tag::Tag;

/// Counts over the tags of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shape {
    /// Start tags.
    pub elements: u64,
    /// The deepest nesting, estimated.
    pub depth: u32,
    /// The most attributes of one tag.
    pub attributes: u32,
    open: u32,
}

/// Void elements and those whose end tag may be left out.
fn is_uncounted(name: &[u8]) -> bool {
    const UNCOUNTED: [u64; 30] = [
        key(b"area"),
        key(b"base"),
        key(b"br"),
        key(b"col"),
        key(b"embed"),
        key(b"hr"),
        key(b"img"),
        key(b"input"),
        key(b"link"),
        key(b"meta"),
        key(b"param"),
        key(b"source"),
        key(b"track"),
        key(b"wbr"),
        key(b"p"),
        key(b"li"),
        key(b"dt"),
        key(b"dd"),
        key(b"td"),
        key(b"th"),
        key(b"tr"),
        key(b"tbody"),
        key(b"thead"),
        key(b"tfoot"),
        key(b"option"),
        key(b"html"),
        key(b"head"),
        key(b"body"),
        key(b"rt"),
        key(b"rp"),
    ];
    UNCOUNTED.contains(&key(name))
}

impl Shape {
    pub(crate) fn start_tag(&mut self, tag: &Tag<'_>) {
        self.elements += 1;
        self.attributes = self.attributes.max(tag.attribute_count());
        if !is_uncounted(tag.name) {
            self.open = self.open.saturating_add(1);
            self.depth = self.depth.max(self.open);
        }
    }

    pub(crate) fn end_tag(&mut self, name: &[u8]) {
        if !is_uncounted(name) {
            self.open = self.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::PageScanner;

    #[test]
    fn depth_counts_nesting_but_not_elements_that_close_each_other() {
        let shape = |html: &str| {
            let mut scanner = PageScanner::new(None);
            scanner.feed(html.as_bytes());
            scanner.finish(b"http://a/").shape
        };
        assert_eq!(shape(&"<div>".repeat(70)).depth, 70);
        assert_eq!(shape(&"<div></div>".repeat(70)).depth, 1);
        assert_eq!(shape(&"<ul><li>x<li>y<br></ul><p>z".repeat(70)).depth, 1);
        assert_eq!(shape("<a b c d=e><f g>").attributes, 3);
    }
}
