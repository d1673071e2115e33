//! The text of a page that readers see, without white space: two pages with the same differ only in markup, or in what is hidden.

use scraper::{Html, Node};

use super::block_role::is_hidden;
use super::blocks::HIDDEN;
use super::charset::Charset;
use super::lines::INLINE;
use super::page_style::PageStyle;
use super::shape::Shape;

/// A fingerprint of the text that readers see, title and all; `None` for a page that is too deep for a tree.
pub(crate) fn seen_text(body: &[u8], content_type: Option<&[u8]>) -> Option<[u8; 32]> {
    let text = seen(body, content_type)?;
    let mut hasher = blake3::Hasher::new();
    for word in text.split(|c: char| {
        c.is_whitespace() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    }) {
        hasher.update(word.as_bytes());
    }
    Some(*hasher.finalize().as_bytes())
}

/// The text that readers see, title and all, with a line feed around every block.
pub(crate) fn seen(body: &[u8], content_type: Option<&[u8]>) -> Option<String> {
    let charset = Charset::detect(body, content_type);
    let (text, _, _) = charset.encoding.decode(body);
    if Shape::of(text.as_bytes()).too_hard().is_some() {
        return None;
    }
    let html = Html::parse_document(&text);
    let style = PageStyle::of(&html);
    let mut out = String::new();
    // An explicit stack, because a hostile tree may be deeper than the call stack. With each node, whether it ends.
    let mut stack = vec![(html.tree.root(), false)];
    let mut has_title = false;
    while let Some((node, ends)) = stack.pop() {
        match node.value() {
            Node::Text(text) => out.push_str(text),
            Node::Element(element) if element.name() == "title" && !has_title => {
                has_title = true;
                node.children()
                    .filter_map(|child| child.value().as_text())
                    .for_each(|text| out.push_str(text));
                out.push('\n');
            }
            // The title is in there.
            Node::Element(element) if element.name() == "head" => {
                stack.extend(node.children().rev().map(|child| (child, false)));
            }
            Node::Element(element)
                if HIDDEN.contains(&element.name()) || is_hidden(element) || style.hides(element) => {}
            Node::Element(element) => {
                let is_block = !INLINE.contains(&element.name());
                if is_block {
                    out.push('\n');
                }
                if !ends {
                    stack.extend(is_block.then_some((node, true)));
                    stack.extend(node.children().rev().map(|child| (child, false)));
                }
            }
            _ => stack.extend(node.children().rev().map(|child| (child, false))),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Option<[u8; 32]> {
        seen_text(html.as_bytes(), Some(b"text/html; charset=utf-8"))
    }

    #[test]
    fn blocks_are_apart_and_words_stay_whole() {
        let text =
            seen(b"<title>Flood</title><p>on the <b>riv</b>er<p>dyke<p hidden>not<script>x</script>", None);
        let words: Vec<String> = text.unwrap().split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["Flood", "on", "the", "river", "dyke"]);
    }

    #[test]
    fn what_is_hidden_does_not_count_and_every_sign_that_is_shown_does() {
        let page = of("<title>T</title><p>You know.");
        for same in [
            "<title>T</title><script>x</script><p>You <b>know</b>.",
            "<title>T</title><p>You know.<p hidden>not",
            "<title>T</title><p>You know.<div style='display: none'>not</div>",
            "<title>T</title><style>.h{display:none}</style><p>You know.<div class=h>not</div>",
        ] {
            assert_eq!(of(same), page, "{same}");
        }
        for other in [
            "<title>T</title><p>You know?",
            "<title>U</title><p>You know.",
            "<title>T</title><p>You know. Not.",
        ] {
            assert_ne!(of(other), page, "{other}");
        }
    }
}
