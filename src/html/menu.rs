//! Menus: rows of short links, or of options, with nothing to read between them. They are not text of the page itself.

use super::soft404_prose::{ENDS, half_widths};

/// Minimum number of entries of a menu.
const MIN_ENTRIES: u32 = 5;
/// Maximum letters of an entry, in halves: a longer link is a headline.
const MAX_ENTRY: usize = 2 * 40;
/// The same of what stands in lines of its own between two parts of a menu.
const MAX_LABEL: usize = 2 * 24;

/// How far the text has come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// Bytes of the excerpt, and of the text from the first heading on.
    pub(super) excerpt: usize,
    pub(super) lead: usize,
    /// Bytes of all text without white space.
    pub(super) length: u64,
}

/// Follows the text, and finds the menus in it.
#[derive(Debug, Default)]
pub(super) struct Menus {
    /// Where the row begins, or what is not yet left out of it.
    row: Option<Mark>,
    entries: u32,
    /// Letters of the open entry.
    entry: Option<usize>,
    /// Letters since the last entry.
    label: usize,
    /// A sentence may have ended since then.
    has_end: bool,
    /// A line has ended since the last entry.
    is_apart: bool,
    /// There are words in this line besides entries: it is not a menu.
    has_words: bool,
}

impl Menus {
    /// A link or an option begins.
    pub(super) fn open(&mut self, at: Mark) {
        if self.row.is_none() {
            if self.has_words {
                return;
            }
            (self.row, self.entries) = (Some(at), 0);
            (self.label, self.has_end, self.is_apart) = (0, false, false);
        }
        self.entry = Some(0);
    }

    /// It ends. Says where the menu began, of which it is the latest entry: what came since is to be left out.
    pub(super) fn close(&mut self, at: Mark) -> Option<Mark> {
        let letters = self.entry.take()?;
        if letters == 0 {
            return None;
        }
        (self.label, self.has_end, self.is_apart) = (0, false, false);
        self.entries += 1;
        let row = self.row.as_mut().filter(|_| self.entries >= MIN_ENTRIES)?;
        let start = *row;
        row.length = at.length;
        Some(start)
    }

    /// Whether an entry is open.
    pub(super) fn is_open(&self) -> bool {
        self.entry.is_some()
    }

    pub(super) fn end_line(&mut self) {
        self.is_apart = true;
        self.has_words = false;
    }

    /// Something begins that no menu has.
    pub(super) fn end(&mut self) {
        (self.row, self.entry) = (None, None);
    }

    /// The next text. It ends the row if it is a sentence, a long entry, or beside an entry in its line.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.has_words |= self.entry.is_none() && has_letters(text);
        if self.row.is_none() {
            return;
        }
        let text = String::from_utf8_lossy(text);
        let letters = |is_counted: fn(char) -> bool| {
            half_widths(text.chars().filter(|c| is_counted(*c) && *c != char::REPLACEMENT_CHARACTER))
        };
        let ends = match &mut self.entry {
            Some(entry) => {
                *entry += letters(|c| !c.is_whitespace());
                *entry > MAX_ENTRY
            }
            None => {
                let label = letters(char::is_alphabetic);
                self.label += label;
                self.has_end |= text.contains(ENDS);
                let is_sentence = self.label > 0 && self.has_end;
                (label > 0 && !self.is_apart) || self.label > MAX_LABEL || is_sentence
            }
        };
        if ends {
            self.end();
        }
    }
}

fn has_letters(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphabetic)
        || (!text.is_ascii() && String::from_utf8_lossy(text).chars().any(char::is_alphabetic))
}
