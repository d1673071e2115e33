//! Text made comparable: case, accents, white space and invisible characters folded; and a search in it, piece by piece.

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use memchr::memmem::Finder;

use super::whole_words::{self, CONTEXT};

/// Bytes of text collected before they are searched.
pub(super) const SEARCH_BYTES: usize = 64 << 10;
/// Maximum bytes of text without any ASCII character before it is cut.
const MAX_WORD_BYTES: usize = 1 << 20;

/// Folds case and the different ways to write an accent.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
    let composed = NFC.normalize(text);
    let folded = composed.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    Cow::Owned(NFC.normalize_iter(folded).collect())
}

/// Letters and digits of a folded text, without accents; letters of other scripts that look like Latin ones as these.
pub(super) fn loosen(folded: &str) -> String {
    const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
    if folded.is_ascii() {
        return folded.chars().filter(char::is_ascii_alphanumeric).collect();
    }
    // Compatibility forms may hold capitals.
    let plain = NFKD.normalize_iter(folded.chars()).flat_map(char::to_lowercase);
    plain.filter(|character| character.is_alphanumeric()).map(look_alike).collect()
}

/// The Latin letter that a letter looks like, as a capital or not. A reader cannot tell them apart, so neither proves anything.
fn look_alike(letter: char) -> char {
    match letter {
        'а' | 'α' => 'a',
        'в' | 'β' | 'ь' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' => 'e',
        'һ' | 'н' | 'η' => 'h',
        'і' | 'ι' | 'ı' | 'ӏ' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'м' | 'μ' => 'm',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'ν' | 'ѵ' => 'v',
        'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'υ' => 'y',
        'ζ' => 'z',
        letter => letter,
    }
}

/// Characters that readers do not see, and that do not separate words.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\0' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Stands between digits that do not belong to one number.
const SEAM: char = '\u{1f}';

/// Text with its white space collapsed, waiting to be searched.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) text: String,
    pub(super) gap: bool,
    /// What comes next is in another block: a line feed separates it.
    pub(super) border: bool,
    /// What comes next is a note or behind one, as in 10<sup>6</sup>: its digits are not those of the number before.
    pub(super) seam: bool,
    started: bool,
    /// It contained bytes that are not characters.
    pub(super) damaged: bool,
}

impl Words {
    pub(super) fn push(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                _ if is_invisible(character) => {}
                _ if character.is_whitespace() => self.gap = true,
                _ => {
                    match () {
                        () if !self.started => {}
                        () if self.border => self.text.push('\n'),
                        () if self.gap => self.text.push(' '),
                        () if self.seam
                            && character.is_numeric()
                            && self.text.ends_with(char::is_numeric) =>
                        {
                            self.text.push(SEAM);
                        }
                        () => {}
                    }
                    (self.gap, self.border, self.seam, self.started) = (false, false, false, true);
                    self.damaged |= character == '\u{fffd}';
                    self.text.push(character);
                }
            }
        }
    }

    /// The part that can be searched: nothing after an ASCII character modifies a letter before it.
    pub(super) fn ready(&mut self, last: bool) -> Option<String> {
        if !last && self.text.len() < SEARCH_BYTES {
            return None;
        }
        let cut = match self.text.bytes().rposition(|byte| byte.is_ascii()) {
            _ if last || self.text.len() > MAX_WORD_BYTES => self.text.len(),
            Some(cut) => cut,
            None => 0,
        };
        let rest = self.text.split_off(cut);
        Some(std::mem::replace(&mut self.text, rest))
    }
}

/// A stream of text, and which needles it contained.
pub(super) struct Stream<'a> {
    needles: Vec<&'a Finder<'static>>,
    pub(super) found: Vec<bool>,
    /// The end of the text so far, in which a needle may begin.
    tail: String,
    longest: usize,
    /// Up to where in the tail it is decided which words are whole.
    decided: usize,
}

impl<'a> Stream<'a> {
    pub(super) fn new(needles: Vec<&'a Finder<'static>>) -> Self {
        let longest = needles.iter().map(|needle| needle.needle().len()).max().unwrap_or(0);
        Stream { found: vec![false; needles.len()], needles, tail: String::new(), longest, decided: 0 }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.tail.push_str(text);
        for (needle, found) in self.needles.iter().zip(&mut self.found) {
            *found = *found || needle.find(self.tail.as_bytes()).is_some();
        }
        self.keep(self.longest);
    }

    /// The same for needles that must not be part of a longer word or number; with the `last` text no more will come.
    pub(super) fn push_whole(&mut self, text: &str, last: bool) {
        self.tail.push_str(text);
        for (needle, found) in self.needles.iter().zip(&mut self.found) {
            *found = *found || whole_words::find(needle, &self.tail, self.decided, last).is_some();
        }
        self.decided = self.tail.len().saturating_sub(CONTEXT).max(self.decided);
        self.keep(self.longest + 2 * CONTEXT);
    }

    /// Keeps the end of the tail.
    fn keep(&mut self, length: usize) {
        let from = self.tail.len().saturating_sub(length);
        let from = (from..=self.tail.len()).find(|cut| self.tail.is_char_boundary(*cut)).unwrap_or(0);
        self.tail.drain(..from);
        self.decided = self.decided.saturating_sub(from);
    }
}
