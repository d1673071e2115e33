//! Escaping: archived text is hostile wherever it is shown.

use std::borrow::Cow;

/// Whether a character could act on a terminal or mislead a reader: controls, line and paragraph separators,
/// direction overrides, invisible joiners and tags.
fn is_treacherous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text for a terminal or a plain-text report: what could act or mislead is shown as `\u{…}`.
pub fn terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_treacherous) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_treacherous(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// A text cell of a CSV file: what a spreadsheet would run as a formula gets a quote in front.
pub fn csv(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(terminal("a\u{1b}[2Jb\r\nc\u{202e}d\u{9b}"), "a\\u{1b}[2Jb\\u{d}\\u{a}c\\u{202e}d\\u{9b}");
        assert!(matches!(terminal("http://é.example/文"), Cow::Borrowed(_)));
    }

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(csv("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(csv("http://a/"), "http://a/");
    }
}
