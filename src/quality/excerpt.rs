//! The part of two texts where they differ, for a reader who wants to see the change.

/// Words shown before the first that differs.
const BEFORE: usize = 8;
/// Maximum length, in bytes, of what is shown of a text.
const MAX_BYTES: usize = 240;

/// What to show of the text of a block before and after a change: both begin a few words before the first that differs.
pub(super) fn where_they_differ(before: &str, after: &str) -> (String, String) {
    let same = before.split(' ').zip(after.split(' ')).take_while(|(a, b)| a == b).count();
    let skipped = same.saturating_sub(BEFORE);
    (shown(before, skipped), shown(after, skipped))
}

/// A text from some word on, with a mark where something is left out.
fn shown(text: &str, skipped: usize) -> String {
    let mut shown = if skipped > 0 { "…".to_owned() } else { String::new() };
    for word in text.split(' ').skip(skipped) {
        if shown.len() + word.len() > MAX_BYTES && !shown.is_empty() {
            shown.push_str(" …");
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.extend(word.chars().take(MAX_BYTES));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_a_long_text_has_what_differs() {
        let text = |price: &str| {
            format!("{} Price {price} EUR {}", "word ".repeat(300).trim(), "end ".repeat(300).trim())
        };
        let (before, after) = where_they_differ(&text("49.90"), &text("59.90"));
        assert!(before.starts_with("… word word") && before.contains("Price 49.90 EUR end"), "{before}");
        assert!(after.contains("Price 59.90 EUR end") && after.ends_with(" …"), "{after}");
        assert!(after.len() < MAX_BYTES + 20);
    }

    #[test]
    fn short_texts_are_shown_whole() {
        assert_eq!(where_they_differ("one two", "one three"), ("one two".to_owned(), "one three".to_owned()));
        assert_eq!(where_they_differ("", "all new"), (String::new(), "all new".to_owned()));
        let (cut, _) = where_they_differ("one two", "one two three four");
        assert_eq!(cut, "one two");
    }
}
