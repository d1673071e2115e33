//! Whether words that were found stand for themselves, or are part of a longer word or number: `5 euros` in `15 euros`, `1.5 euros`
//! and `5 000 euros`.

use memchr::memmem::Finder;

/// Signs that stand inside of numbers.
const INSIDE_NUMBERS: [char; 7] = ['.', ',', '\'', '\u{2019}', ':', '/', '\u{a0}'];
/// Signs before a negative number, or between the ends of a range.
const DASHES: [char; 4] = ['-', '\u{2010}', '\u{2013}', '\u{2212}'];

/// Bytes of text around a match that decide whether it is whole.
pub(super) const CONTEXT: usize = 32;

/// The first whole match that ends behind `decided` and before the last [`CONTEXT`] bytes, which only the text to come decides; those of
/// the `last` text are decided.
pub(super) fn find(needle: &Finder<'_>, text: &str, decided: usize, last: bool) -> Option<usize> {
    let limit = if last { text.len() } else { text.len().saturating_sub(CONTEXT) };
    let length = needle.needle().len();
    let mut from = 0;
    while let Some(found) = text.as_bytes().get(from..).and_then(|rest| needle.find(rest)) {
        let (start, end) = (from + found, from + found + length);
        if end > limit {
            return None;
        }
        if end > decided && is_whole(text, start, end) {
            return Some(start);
        }
        from = start + 1;
    }
    None
}

fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(found), Some(after)) = (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return false;
    };
    let begins = continues(found.chars(), before.chars().rev(), true);
    let ends = continues(found.chars().rev(), after.chars(), false);
    !begins && !ends
}

/// Whether a word or number goes on outside: `inner` leads from the edge into the words found, `outer` away from them.
fn continues(
    inner: impl Iterator<Item = char> + Clone,
    mut outer: impl Iterator<Item = char> + Clone,
    is_start: bool,
) -> bool {
    let Some(edge) = inner.clone().next() else { return false };
    let Some(next) = outer.next() else { return false };
    if edge.is_alphanumeric() && next.is_alphanumeric() {
        return !is_spaceless(edge) && !is_spaceless(next);
    }
    if !edge.is_numeric() {
        return false;
    }
    let digits = outer.clone().take_while(|sign| sign.is_numeric()).count();
    let own = inner.take_while(|sign| sign.is_numeric()).count();
    match next {
        next if INSIDE_NUMBERS.contains(&next) => digits > 0,
        next if DASHES.contains(&next) => is_start || digits > 0,
        // Groups of three digits.
        ' ' => {
            if is_start {
                own == 3 && (1..=3).contains(&digits)
            } else {
                digits == 3
            }
        }
        _ => false,
    }
}

/// Scripts that put no spaces between words, or parts of words behind words.
fn is_spaceless(character: char) -> bool {
    matches!(u32::from(character),
        0xe00..=0xeff | 0x1000..=0x11ff | 0x1780..=0x17ff | 0x2e80..=0xa4cf | 0xac00..=0xd7ff | 0xf900..=0xfaff
        | 0xff66..=0xff9f | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(text: &str, phrase: &str) -> bool {
        find(&Finder::new(phrase), text, 0, true).is_some()
    }

    #[test]
    fn parts_of_words_and_numbers_are_not_whole() {
        for text in [
            "a fee of 5 euros.",
            "5 euros",
            "(5 euros)",
            "$5 euros",
            "no.5 euros",
            "15 euros or 5 euros",
            "fees: 5 euros!",
            "5 euros, 10 cents",
            "5 euros-worth",
        ] {
            assert!(is(text, "5 euros"), "{text}");
        }
        for text in [
            "15 euros",
            "1.5 euros",
            "1,5 euros",
            "-5 euros",
            "3\u{2013}5 euros",
            "5 eurosport",
            "x5 euros",
            "1:5 euros",
        ] {
            assert!(!is(text, "5 euros"), "{text}");
        }
        for text in
            ["a fee of 50", "a fee of 5.50", "a fee of 5 000 euros", "a fee of 5-7 euros", "a fee of 5,-5"]
        {
            assert_eq!(is(text, "a fee of 5"), text.ends_with(",-5"), "{text}");
        }
        assert!(is("in 2024 2000 guests", "in 2024"), "four digits are no group of three");
        assert!(!is("2 200 guests", "200 guests"));
        assert!(is("日本語の文書", "語の"));
        assert!(is("학교에 간다", "학교"));
        assert!(!is("Widerrufsrecht", "Widerruf"));
    }

    #[test]
    fn only_what_the_text_decides_is_told() {
        let needle = Finder::new("5 euros");
        let text = "a fee of 5 euros";
        assert_eq!(find(&needle, text, 0, false), None);
        assert_eq!(find(&needle, text, 0, true), Some(9));
        assert_eq!(find(&needle, text, text.len(), true), None, "told before");
        let long = format!("{text} {}", "x".repeat(CONTEXT));
        assert_eq!(find(&needle, &long, 0, false), Some(9));
    }
}
