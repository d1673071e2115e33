//! The shown text of a page by a second way: as a tree, built as browsers build it. Where tags are nested wrongly, it and the
//! tokenizer may disagree on what is hidden.

use encoding_rs::Encoding;
use scraper::{Html, Node};

use super::element::{INLINE, key, traits};
use super::fold::{Words, fold};
use super::hidden::{hides, is_border, is_note};
use super::shape::Shape;

/// The longest page that is read as a tree.
const MAX_PAGE: usize = 16 << 20;

/// Elements with nothing to read in them.
const CODE: [&str; 6] = ["script", "style", "iframe", "noembed", "noframes", "noscript"];

/// The shown text, folded; `None` for a page too long or too deep for a tree.
pub(super) fn text(body: &[u8], encoding: &'static Encoding) -> Option<String> {
    if body.len() > MAX_PAGE {
        return None;
    }
    let (text, _, _) = encoding.decode(body);
    if Shape::of(text.as_bytes()).too_hard().is_some() {
        return None;
    }
    let html = Html::parse_document(&text);
    let mut words = Words::default();
    let mut stack = vec![(html.tree.root(), false)];
    while let Some((node, leaving)) = stack.pop() {
        match node.value() {
            Node::Element(element) => {
                let name = element.name();
                let key = key(name.as_bytes());
                words.gap |= traits(key) & INLINE == 0;
                words.border |= is_border(key);
                words.seam |= is_note(key);
                let attribute = |name: &'static [u8]| {
                    let name = std::str::from_utf8(name).ok()?;
                    element.attr(name).map(|value| value.as_bytes().into())
                };
                if leaving || CODE.contains(&name) {
                    continue;
                }
                if hides(name.as_bytes(), attribute) {
                    // Of closed details the summary is shown.
                    let is_closed = name == "details" && element.attr("hidden").is_none();
                    let mut children = node.children().filter(|_| is_closed);
                    let summary = children.find(|child| {
                        child.value().as_element().is_some_and(|element| element.name() == "summary")
                    });
                    stack.extend(summary.map(|child| (child, false)));
                    continue;
                }
                stack.push((node, true));
                stack.extend(node.children().rev().map(|child| (child, false)));
            }
            Node::Text(text) => words.push(text),
            _ => stack.extend(node.children().rev().map(|child| (child, false))),
        }
    }
    Some(fold(&words.text).into_owned())
}
