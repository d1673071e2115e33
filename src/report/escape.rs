//! Escaping: archived text is hostile wherever it is shown.

use std::borrow::Cow;

/// Whether a character could act on a terminal or mislead a reader: controls, line and paragraph separators,
/// direction overrides, letters and joiners that are not seen, selectors of variants, tags.
fn is_treacherous(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text for a terminal or a plain-text report: what could act or mislead is shown as `\u{…}`.
pub(crate) fn terminal(text: &str) -> Cow<'_, str> {
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

/// Appends text for HTML, outside of tags: markup is escaped, and what could mislead is shown as a visible mark.
pub(crate) fn html_into(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            character if is_treacherous(character) => {
                out.push_str("<span class=\"esc\">");
                out.extend(character.escape_unicode());
                out.push_str("</span>");
            }
            character => out.push(character),
        }
    }
}

/// Text inside XML that is no HTML, such as a plot: markup is escaped, and what could mislead is shown as `\u{…}`.
pub(crate) fn xml(text: &str) -> String {
    terminal(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Appends text for the value of an HTML attribute in double quotes.
pub(crate) fn html_value_into(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str("&#96;"),
            character if is_treacherous(character) => out.extend(character.escape_unicode()),
            character => out.push(character),
        }
    }
}

/// Appends JSON for a data block in HTML. Nothing in it can end the block, begin a comment or mislead a reader of the source:
/// in JSON these characters stand only inside of strings, where an escape means the same.
pub(crate) fn data_block_into(json: &str, out: &mut String) {
    for character in json.chars() {
        if matches!(character, '<' | '>' | '&') || (!character.is_ascii() && is_treacherous(character)) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
}

/// A text cell of a CSV file: what a spreadsheet would run as a formula gets a quote in front, and what a terminal would act
/// on is shown as `\u{…}`.
pub(crate) fn csv(text: &str) -> Cow<'_, str> {
    let acts = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    if text.contains(acts) {
        let mut escaped = String::with_capacity(text.len() + 16);
        for character in text.chars() {
            if acts(character) {
                escaped.extend(character.escape_unicode());
            } else {
                escaped.push(character);
            }
        }
        return Cow::Owned(csv(&escaped).into_owned());
    }
    if text.starts_with(['=', '+', '-', '@', '\t', '\n']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_has_no_markup_of_html() {
        assert_eq!(xml("a<b>&\"\u{202e}"), "a&lt;b&gt;&amp;&quot;\\u{202e}");
    }

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(terminal("a\u{1b}[2Jb\r\nc\u{202e}d\u{9b}"), "a\\u{1b}[2Jb\\u{d}\\u{a}c\\u{202e}d\\u{9b}");
        assert!(matches!(terminal("http://é.example/文"), Cow::Borrowed(_)));
    }

    #[test]
    fn markup_does_not_survive_html() {
        let mut text = String::new();
        html_into("</script><img src=x onerror='a'>&amp;\u{202e}gpj\u{200b}", &mut text);
        assert_eq!(
            text,
            "&lt;/script&gt;&lt;img src=x onerror='a'&gt;&amp;amp;<span class=\"esc\">\\u{202e}</span>gpj\
             <span class=\"esc\">\\u{200b}</span>"
        );
        let mut value = String::new();
        html_value_into("\" onload='x'`<\u{2066}", &mut value);
        assert_eq!(value, "&quot; onload=&#39;x&#39;&#96;&lt;\\u{2066}");
    }

    #[test]
    fn a_data_block_cannot_be_left() {
        let mut text = String::new();
        let hostile = "</script><!--<script>&\u{2028}\u{202e}\u{e0041}";
        let json = serde_json::to_string(hostile).unwrap();
        data_block_into(&json, &mut text);
        assert!(!text.contains(['<', '>', '&']) && text.is_ascii(), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(csv("=HYPERLINK(1)"), "'=HYPERLINK(1)");
        assert_eq!(csv("http://a/"), "http://a/");
        assert_eq!(csv("=a\u{1b}[2J\r\u{9b}\n"), "'=a\\u{1b}[2J\\u{d}\\u{9b}\n");
    }
}
