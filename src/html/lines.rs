//! The visible text of a page, one line per paragraph: for showing two versions side by side.

use scraper::{Html, Node};

use super::charset::Charset;
use super::shape::Shape;

/// The longest page that is cut into lines: it bounds memory, so nothing within a page is left out.
const MAX_PAGE: usize = 8 << 20;

/// Elements with nothing to read in them.
const HIDDEN: [&str; 9] =
    ["script", "style", "template", "noscript", "head", "svg", "iframe", "noembed", "noframes"];
/// Elements inside of which text goes on in one line.
pub(super) const INLINE: [&str; 33] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub",
    "sup", "time", "tt", "u", "var",
];

/// Cuts a page into lines, in document order.
///
/// # Errors
///
/// In words, where the page is too long or its markup too hard to take apart.
pub(crate) fn lines(body: &[u8], content_type: Option<&[u8]>) -> Result<Vec<String>, String> {
    if body.len() > MAX_PAGE {
        return Err(format!("the page has {} bytes, too many to show", body.len()));
    }
    let (text, _, _) = Charset::detect(body, content_type).encoding.decode(body);
    if let Some(message) = Shape::of(text.as_bytes()).too_hard() {
        return Err(message);
    }
    let html = Html::parse_document(&text);
    let mut lines = Lines::default();
    let mut stack = vec![(html.tree.root(), false)];
    while let Some((node, leaving)) = stack.pop() {
        match node.value() {
            Node::Element(element) => {
                if !INLINE.contains(&element.name()) {
                    lines.end();
                }
                if !leaving && !HIDDEN.contains(&element.name()) {
                    stack.push((node, true));
                    stack.extend(node.children().rev().map(|child| (child, false)));
                }
            }
            Node::Text(text) => lines.push(text),
            _ => stack.extend(node.children().rev().map(|child| (child, false))),
        }
    }
    lines.end();
    Ok(lines.done)
}

#[derive(Debug, Default)]
struct Lines {
    done: Vec<String>,
    line: String,
    gap: bool,
}

impl Lines {
    fn push(&mut self, text: &str) {
        for letter in text.chars() {
            if letter.is_whitespace() {
                self.gap = true;
            } else {
                if std::mem::take(&mut self.gap) && !self.line.is_empty() {
                    self.line.push(' ');
                }
                self.line.push(letter);
            }
        }
    }

    fn end(&mut self) {
        if !self.line.is_empty() {
            self.done.push(std::mem::take(&mut self.line));
        }
        self.gap = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_lines_and_scripts_are_not_shown() {
        let page = b"<title>T</title><script>alert(1)</script><h1>A  b</h1><p>one <b>two</b>\nthree<br>four<ul><li>x<li>y</ul>";
        assert_eq!(lines(page, None).unwrap(), ["A b", "one two three", "four", "x", "y"]);
        assert!(lines(&vec![b'a'; MAX_PAGE + 1], None).is_err());
    }

    #[test]
    fn every_line_of_a_page_is_kept_to_its_end() {
        assert_eq!(lines("<p>x".repeat(5_000).as_bytes(), None).unwrap().len(), 5_000);
        let long = format!("<p>{}end", "word ".repeat(5_000));
        assert!(lines(long.as_bytes(), None).unwrap()[0].ends_with("word end"));
    }
}
