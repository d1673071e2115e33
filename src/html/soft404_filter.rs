//! Whether a text contains any expression of error pages, parked domains or walls: asked of every page, so it costs one look
//! per byte.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::soft404_server::SIGNS;
use super::soft404_words::{
    CLOSED, EXPIRED, FOR_SALE, HUMAN, LANGUAGES, OFFERS, PARKED, RESERVED, STATEMENTS, WALL_TITLES,
    WALL_WORDS,
};
use super::stand_in::expressions;

/// Number of leading bytes that expressions are looked up by; none is shorter.
const LEADING: usize = 3;

/// All expressions without which no rule gives points.
pub(super) static FILTER: LazyLock<Filter> = LazyLock::new(|| {
    let of_languages = LANGUAGES.iter().flat_map(|language| language.missing.iter().chain(language.whole));
    let others = [
        STATEMENTS,
        PARKED,
        OFFERS,
        CLOSED,
        RESERVED,
        FOR_SALE,
        EXPIRED,
        WALL_TITLES,
        WALL_WORDS,
        HUMAN,
        SIGNS,
        &["404"],
    ];
    Filter::of(of_languages.chain(others.into_iter().flatten()).copied().chain(expressions()))
});

pub(super) struct Filter {
    /// A bit for each hash of leading bytes.
    leads: Vec<u64>,
    words: HashMap<[u8; LEADING], Vec<&'static [u8]>, RandomState>,
}

impl Filter {
    fn of(words: impl Iterator<Item = &'static str>) -> Self {
        let mut filter = Filter { leads: vec![0; 1 << 10], words: HashMap::default() };
        for word in words {
            let Some((lead, rest)) = word.as_bytes().split_first_chunk() else {
                debug_assert!(false, "{word} is too short");
                continue;
            };
            let bit = place(*lead);
            filter.leads[bit / 64] |= 1 << (bit % 64);
            filter.words.entry(*lead).or_default().push(rest);
        }
        filter
    }

    /// Whether any expression occurs in the text, also inside of words.
    pub(super) fn may_match(&self, text: &str) -> bool {
        let text = text.as_bytes();
        (0..text.len().saturating_sub(LEADING - 1)).any(|at| {
            let lead = [text[at], text[at + 1], text[at + 2]];
            let bit = place(lead);
            self.leads[bit / 64] >> (bit % 64) & 1 == 1
                && self.words.get(&lead).is_some_and(|words| {
                    let rest = &text[at + LEADING..];
                    words.iter().any(|word| rest.starts_with(word))
                })
        })
    }
}

/// The bit of some leading bytes.
fn place([a, b, c]: [u8; LEADING]) -> usize {
    let number = u32::from(a) | u32::from(b) << 8 | u32::from(c) << 16;
    (number.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_is_found_wherever_it_stands_and_nothing_else() {
        for language in LANGUAGES {
            for word in language.missing.iter().chain(language.whole) {
                for text in [word.to_string(), format!("x{word}"), format!("é {word} ü")] {
                    assert!(FILTER.may_match(&text), "{text}");
                }
                let mut cut = word.chars();
                cut.next_back();
                let known = |text: &str| {
                    LANGUAGES.iter().any(|language| {
                        language.missing.iter().chain(language.whole).any(|word| text.contains(word))
                    })
                };
                assert!(FILTER.may_match(cut.as_str()) == known(cut.as_str()), "{}", cut.as_str());
            }
        }
        for text in ["", "4", "40", "A page about bread and 4 0 4 loaves", "Ein Haus am See", "猫"] {
            assert!(!FILTER.may_match(text), "{text}");
        }
        assert!(FILTER.may_match("it says 404"));
    }
}
