//! The shown text of a page by a second way: as a tree, built as browsers build it. Where tags are nested wrongly, it and the
//! tokenizer may disagree on what is hidden. A tree also shows what an element takes over from those around it: whether its text
//! has the colour of its background, and whether a style sheet in the page hides it or strikes it out.

use encoding_rs::Encoding;
use scraper::node::Element;
use scraper::{Html, Node};

use super::colour::{Colours, is_seen};
use super::element::{INLINE, key, traits};
use super::fold::{Words, fold};
use super::hidden::{hides, is_border, is_moved, is_note};
use super::page_style::PageStyle;
use super::shape::Shape;

/// The longest page that is read as a tree.
const MAX_PAGE: usize = 16 << 20;

/// Elements with nothing to read in them.
const CODE: [&str; 6] = ["script", "style", "iframe", "noembed", "noframes", "noscript"];

/// The shown text, folded.
pub(super) struct Texts {
    /// By tags and `style` attributes.
    pub shown: String,
    /// Without what colours and the style sheets in the page hide.
    pub unhidden: String,
}

/// The shown text; `None` for a page too long or too deep for a tree.
pub(super) fn texts(body: &[u8], encoding: &'static Encoding) -> Option<Texts> {
    if body.len() > MAX_PAGE {
        return None;
    }
    let (text, _, _) = encoding.decode(body);
    if Shape::of(text.as_bytes()).too_hard().is_some() {
        return None;
    }
    let html = Html::parse_document(&text);
    let sheets = PageStyle::of(&html);
    let (mut shown, mut unhidden) = (Words::default(), Words::default());
    let mut stack = vec![(html.tree.root(), false, Some(Colours::default()))];
    while let Some((node, leaving, colours)) = stack.pop() {
        match node.value() {
            Node::Element(element) => {
                let key = key(element.name().as_bytes());
                for words in [&mut shown, &mut unhidden] {
                    words.gap |= traits(key) & INLINE == 0;
                    words.border |= is_border(key) || is_moved(element.name().as_bytes(), of(element));
                    words.seam |= is_note(key);
                }
                if leaving || CODE.contains(&element.name()) {
                    continue;
                }
                if hides(element.name().as_bytes(), of(element)) {
                    // Of closed details the summary is shown.
                    let is_closed = element.name() == "details" && element.attr("hidden").is_none();
                    let mut children = node.children().filter(|_| is_closed);
                    let summary = children.find(|child| {
                        child.value().as_element().is_some_and(|element| element.name() == "summary")
                    });
                    stack.extend(summary.map(|child| (child, false, colours)));
                    continue;
                }
                let colours = colours
                    .filter(|_| !sheets.hides(element) && !sheets.strikes(element))
                    .map(|colours| colours.inside(element));
                stack.push((node, true, colours));
                stack.extend(node.children().rev().map(|child| (child, false, colours)));
            }
            Node::Text(text) => {
                shown.push(text);
                if colours.is_some_and(is_seen) {
                    unhidden.push(text);
                }
            }
            _ => stack.extend(node.children().rev().map(|child| (child, false, colours))),
        }
    }
    Some(Texts { shown: fold(&shown.text).into_owned(), unhidden: fold(&unhidden.text).into_owned() })
}

/// The attributes of an element.
fn of<'e>(element: &'e Element) -> impl Fn(&'static [u8]) -> Option<std::borrow::Cow<'e, [u8]>> + use<'e> {
    |name| {
        let name = std::str::from_utf8(name).ok()?;
        element.attr(name).map(|value| value.as_bytes().into())
    }
}
