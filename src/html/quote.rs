//! Quotation: where a phrase is in a body, and the words around it as they are shown; and the words nearest to a phrase
//! that is not there.
//!
//! The body is fed to the tokenizer byte by byte, so that every character of the shown text has the offset of its first
//! byte. Cost: several times that of a search, so only bodies that an answer quotes are read this way.

use encoding_rs::CoderResult;

use super::charset::{Charset, PRESCAN};
use super::element::key;
use super::fold::{fold, is_invisible, loosen};
use super::phrase::{How, Phrases, Shown};
use super::tokens::{Place, RawElement, Sink, Tokenizer};
use super::whole_words;

/// Longer bodies are not quoted.
const MAX_BODY: usize = 16 << 20;
/// Characters shown on each side of a phrase.
const AROUND: usize = 160;
/// Longer phrases are not compared word by word.
const MAX_WORDS: usize = 200;

/// A phrase in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quote {
    /// The first byte of the phrase in the body.
    pub byte: u64,
    /// What it is part of: "a paragraph", "a heading", …
    pub part: &'static str,
    /// The words before it, the phrase as shown, and the words after it.
    pub before: String,
    pub words: String,
    pub after: String,
}

/// Words that nearly are the phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Near {
    pub byte: u64,
    pub words: String,
    /// What differs, in words.
    pub differs: String,
    /// How many words differ.
    pub distance: usize,
}

/// The shown text with the place of every character.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// Where the next byte of the body is.
    pub(super) now: u64,
    /// Where the next character began.
    pub(super) since: u64,
    /// Characters with their places; a blank between words, a line feed between blocks.
    text: Vec<(char, u64)>,
    gap: Option<char>,
    /// What the text is part of, from each character on.
    parts: Vec<(usize, &'static str)>,
}

impl Trace {
    pub(super) fn push(&mut self, text: &str) {
        for character in text.chars() {
            if is_invisible(character) {
            } else if character.is_whitespace() {
                self.gap = self.gap.or(Some(' '));
            } else {
                if let Some(gap) = self.gap.take().filter(|_| !self.text.is_empty()) {
                    self.text.push((gap, self.since));
                }
                self.text.push((character, self.since));
            }
        }
    }

    /// An element that separates words begins or ends; a block, if it `is_border`.
    pub(super) fn part(&mut self, element: u64, is_border: bool) {
        if is_border {
            self.gap = Some('\n');
            self.parts.push((self.text.len(), part_of(element)));
        } else {
            self.gap = self.gap.or(Some(' '));
        }
    }

    fn part_at(&self, place: usize) -> &'static str {
        // A gap may be added between the border and the first character.
        let behind = self.parts.partition_point(|(from, _)| *from <= place);
        behind.checked_sub(1).map_or("text", |part| self.parts[part].1)
    }

    /// The folded text, and for each of its bytes the character it comes from.
    fn folded(&self) -> (String, Vec<u32>) {
        let (mut folded, mut places) = (String::new(), Vec::new());
        let mut at = 0;
        while at < self.text.len() {
            let mut end = at + 1;
            while self.text.get(end).is_some_and(|(character, _)| is_mark(*character)) {
                end += 1;
            }
            let group: String = self.text[at..end].iter().map(|(character, _)| *character).collect();
            folded.push_str(&fold(&group));
            places.resize(folded.len(), at as u32);
            at = end;
        }
        (folded, places)
    }

    fn string(&self, from: usize, to: usize) -> String {
        self.text[from..to].iter().map(|(character, _)| blank(*character)).collect()
    }

    /// The words before a place, from the start of the block or of a sentence.
    fn before(&self, place: usize) -> String {
        let least = place.saturating_sub(AROUND);
        let mut from = place;
        while from > least && self.text[from - 1].0 != '\n' {
            from -= 1;
        }
        let is_start = from == 0 || self.text[from - 1].0 == '\n';
        if !is_start {
            // Begin with a sentence, or at least with a word.
            let range = from..place;
            let sentence = range.clone().find(|at| self.ends_sentence(*at)).map(|at| at + 2);
            let word = range.clone().find(|at| self.text[*at].0 == ' ').map(|at| at + 1);
            from = sentence.filter(|at| *at < place).or(word).unwrap_or(from).min(place);
            return format!("… {}", self.string(from, place));
        }
        self.string(from, place)
    }

    /// The words after a place, to the end of a sentence or of the block.
    fn after(&self, place: usize) -> String {
        let most = (place + AROUND).min(self.text.len());
        let mut to = place;
        while to < most && self.text[to].0 != '\n' {
            to += 1;
            if to < self.text.len() && self.ends_sentence(to - 1) {
                break;
            }
        }
        if to == self.text.len() || self.text[to].0 == '\n' || (to > place && self.ends_sentence(to - 1)) {
            return self.string(place, to);
        }
        let word = (place..to).rev().find(|at| self.text[*at].0 == ' ').unwrap_or(to);
        format!("{} …", self.string(place, word))
    }

    fn ends_sentence(&self, at: usize) -> bool {
        matches!(self.text[at].0, '.' | '!' | '?' | '。')
            && self.text.get(at + 1).is_some_and(|next| next.0 == ' ')
    }

    /// The phrase in its place; `None` where it cannot be located.
    fn quote(&self, phrases: &Phrases, phrase: usize) -> Option<Quote> {
        let (folded, places) = self.folded();
        let needle = &phrases.phrases.get(phrase)?.exact;
        let at = whole_words::find(needle, &folded, 0, true)?;
        let from = *places.get(at)? as usize;
        let last = *places.get(at + needle.needle().len().checked_sub(1)?)? as usize;
        let mut to = last + 1;
        while self.text.get(to).is_some_and(|(character, _)| is_mark(*character)) {
            to += 1;
        }
        Some(Quote {
            byte: self.text.get(from)?.1,
            part: self.part_at(from),
            before: self.before(from),
            words: self.string(from, to),
            after: self.after(to),
        })
    }

    /// The words nearest to a phrase.
    fn nearest(&self, phrase: &str) -> Option<Near> {
        let wanted: Vec<String> =
            phrase.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
        if wanted.is_empty() || wanted.len() > MAX_WORDS {
            return None;
        }
        let mut words: Vec<(usize, usize, String)> = Vec::new();
        let mut from = 0;
        for at in 0..=self.text.len() {
            if at == self.text.len() || matches!(self.text[at].0, ' ' | '\n') {
                let word = plain(&self.string(from, at));
                if !word.is_empty() {
                    words.push((from, at, word));
                }
                from = at + 1;
            }
        }
        let allowed = match wanted.len() {
            1 => 0,
            2 | 3 => 1,
            more => (more / 4).max(1),
        };
        // Sellers: the cheapest way to end a match with each word of the text, and where it begins.
        let mut row: Vec<(usize, usize)> = (0..=wanted.len()).map(|cost| (cost, 0)).collect();
        let mut best: Option<(usize, usize, usize)> = None;
        for (place, (_, _, word)) in words.iter().enumerate() {
            let mut corner = row[0];
            row[0] = (0, place + 1);
            for (column, sought) in wanted.iter().enumerate() {
                let change =
                    (corner.0 + usize::from(sought != word), if column == 0 { place } else { corner.1 });
                let more = (row[column + 1].0 + 1, row[column + 1].1);
                let less = (row[column].0 + 1, row[column].1);
                corner = row[column + 1];
                row[column + 1] = change.min(more).min(less);
            }
            let (cost, begin) = row[wanted.len()];
            // Of equal matches with one beginning the longer: it says more.
            let is_better = |best: (usize, usize, usize)| (cost, begin) <= (best.0, best.1);
            if cost <= allowed && best.is_none_or(is_better) {
                best = Some((cost, begin, place));
            }
        }
        let (distance, begin, last) = best?;
        let found = words.get(begin..=last)?;
        let (from, to) = (found.first()?.0, found.last()?.1);
        let found: Vec<&str> = found.iter().map(|(.., word)| word.as_str()).collect();
        let words = self.string(from, to);
        // Not every text that reads the same proves it: its encoding may be a guess.
        let differs = match fold(&words).contains(fold(phrase).trim()) {
            true => "the same words, but it is not certain that this is how they are to be read".to_owned(),
            false => differences(&wanted, &found),
        };
        Some(Near { byte: self.text.get(from)?.1, words, differs, distance })
    }
}

/// A word as it is compared: folded, without signs around it.
fn plain(word: &str) -> String {
    let folded = fold(word);
    let inner = folded.trim_matches(|character: char| !character.is_alphanumeric());
    if loosen(inner).is_empty() { String::new() } else { inner.to_owned() }
}

/// What differs between a phrase and the words found, in words.
fn differences(wanted: &[String], found: &[&str]) -> String {
    // Costs from each place to the end.
    let (rows, columns) = (wanted.len(), found.len());
    let mut cost = vec![vec![0usize; columns + 1]; rows + 1];
    for row in (0..=rows).rev() {
        for column in (0..=columns).rev() {
            cost[row][column] = match (row == rows, column == columns) {
                (true, _) => columns - column,
                (_, true) => rows - row,
                _ => {
                    let change = cost[row + 1][column + 1] + usize::from(wanted[row] != found[column]);
                    change.min(1 + cost[row + 1][column]).min(1 + cost[row][column + 1])
                }
            };
        }
    }
    let mut said = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < rows || column < columns {
        let is_change = row < rows && column < columns;
        if is_change && wanted[row] == found[column] && cost[row][column] == cost[row + 1][column + 1] {
            (row, column) = (row + 1, column + 1);
        } else if is_change && cost[row][column] == 1 + cost[row + 1][column + 1] {
            said.push(format!("“{}” instead of “{}”", found[column], wanted[row]));
            (row, column) = (row + 1, column + 1);
        } else if row < rows && cost[row][column] == 1 + cost[row + 1][column] {
            said.push(format!("without “{}”", wanted[row]));
            row += 1;
        } else {
            said.push(format!("with “{}” added", found[column]));
            column += 1;
        }
    }
    if said.is_empty() { "other signs or gaps between the words".to_owned() } else { said.join(", ") }
}

/// Marks that change the letter before them.
fn is_mark(character: char) -> bool {
    matches!(u32::from(character),
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x610..=0x61a | 0x64b..=0x65f | 0x900..=0x903 | 0x93a..=0x94f
        | 0x1160..=0x11ff | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20ff | 0x3099..=0x309a | 0xfe20..=0xfe2f)
}

fn blank(character: char) -> char {
    if character == '\n' { ' ' } else { character }
}

fn part_of(element: u64) -> &'static str {
    const fn of(name: &[u8]) -> u64 {
        key(name)
    }
    const PARTS: [(u64, &str); 19] = [
        (of(b"p"), "a paragraph"),
        (of(b"h1"), "a heading"),
        (of(b"h2"), "a heading"),
        (of(b"h3"), "a heading"),
        (of(b"h4"), "a heading"),
        (of(b"h5"), "a heading"),
        (of(b"h6"), "a heading"),
        (of(b"li"), "a list"),
        (of(b"dt"), "a list"),
        (of(b"dd"), "a list"),
        (of(b"td"), "a table"),
        (of(b"th"), "a table"),
        (of(b"caption"), "a table"),
        (of(b"title"), "the title of the page"),
        (of(b"textarea"), "a form field"),
        (of(b"button"), "a button"),
        (of(b"legend"), "a form"),
        (of(b"summary"), "a summary"),
        (of(b"pre"), "preformatted text"),
    ];
    PARTS.iter().find(|(part, _)| *part == element).map_or("text", |(_, words)| words)
}

impl Phrases {
    fn trace(&self, body: &[u8], content_type: Option<&[u8]>, how: How) -> Option<Trace> {
        if how == How::Bytes || body.len() > MAX_BODY {
            return None;
        }
        let charset = Charset::detect(&body[..body.len().min(PRESCAN)], content_type);
        let mark = encoding_rs::Encoding::for_bom(body).map_or(0, |(_, length)| length);
        let mut shown = Shown::traced(self, how == How::Xhtml);
        let mut tokenizer = Tokenizer::new();
        let mut give = |from: usize, utf8: &[u8], shown: &mut Shown<'_>| {
            shown.at(from as u64);
            if how == How::Text {
                shown.text(Place::Raw(RawElement::Plaintext), utf8);
            } else {
                tokenizer.feed(utf8, shown);
            }
        };
        let mut decoder = (!charset.is_utf8()).then(|| charset.encoding.new_decoder_without_bom_handling());
        let (mut from, mut buffer) = (mark, [0; 32]);
        for at in mark..body.len() {
            let byte = &body[at..=at];
            match &mut decoder {
                None => {
                    give(at, byte, &mut shown);
                    from = at + 1;
                }
                Some(decoder) => {
                    let (mut left, mut is_given) = (byte, false);
                    loop {
                        let (result, read, written, _) = decoder.decode_to_utf8(left, &mut buffer, false);
                        if written > 0 {
                            give(from, &buffer[..written], &mut shown);
                            is_given = true;
                        }
                        left = &left[read..];
                        if result == CoderResult::InputEmpty {
                            break;
                        }
                    }
                    // A character of several bytes begins with the first that gave nothing.
                    if is_given {
                        from = at + 1;
                    }
                }
            }
        }
        shown.at(from as u64);
        tokenizer.finish(&mut shown);
        Some(shown.into_trace())
    }

    /// The first place of a phrase in a body; `None` where it cannot be located.
    pub(crate) fn quote(
        &self,
        phrase: usize,
        body: &[u8],
        content_type: Option<&[u8]>,
        how: How,
    ) -> Option<Quote> {
        if how == How::Bytes {
            let needle = &self.phrases.get(phrase)?.bytes;
            let at = needle.find(body)?;
            let end = at + needle.needle().len();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            return Some(Quote {
                byte: at as u64,
                part: "the bytes of the body",
                before: text(&body[at.saturating_sub(AROUND / 2)..at]),
                words: text(&body[at..end]),
                after: text(&body[end..body.len().min(end + AROUND / 2)]),
            });
        }
        self.trace(body, content_type, how)?.quote(self, phrase)
    }

    /// The words of a body that are nearest to a phrase that is not in it.
    pub(crate) fn nearest(
        &self,
        phrase: usize,
        body: &[u8],
        content_type: Option<&[u8]>,
        how: How,
    ) -> Option<Near> {
        let text = &self.phrases.get(phrase)?.text;
        self.trace(body, content_type, how)?.nearest(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTF8: Option<&[u8]> = Some(b"text/html; charset=utf-8");

    fn quote(html: &[u8], content_type: Option<&[u8]>, phrase: &str) -> Quote {
        Phrases::new(&[phrase.to_owned()]).quote(0, html, content_type, How::Html).unwrap()
    }

    #[test]
    fn a_phrase_is_quoted_with_its_sentence_and_its_first_byte() {
        let html = "<h1>Fees</h1><p>Lending is free. For each week of delay a <b>fee</b> of 5&nbsp;euros is charged. More.</p><p>x</p>";
        let found = quote(html.as_bytes(), UTF8, "A fee of 5 euros");
        assert_eq!(found.byte as usize, html.find("a <b>fee").unwrap());
        assert_eq!(found.words, "a fee of 5 euros");
        assert_eq!(found.before, "Lending is free. For each week of delay ");
        assert_eq!(found.after, " is charged.");
        assert_eq!(found.part, "a paragraph");
    }

    #[test]
    fn offsets_are_those_of_the_body_in_every_encoding() {
        let text = "<p>x ÄÖ ä</p><p>Käufer &auml;ndern Großes";
        for phrase in ["käufer", "ändern", "grosses", "ÄÖ"] {
            let found = quote(text.as_bytes(), UTF8, phrase);
            let at = match phrase {
                "käufer" => text.find("Käufer"),
                "ändern" => text.find("&auml;"),
                "grosses" => text.find("Großes"),
                _ => text.find("ÄÖ"),
            };
            assert_eq!(Some(found.byte as usize), at, "{phrase}");
        }
        let utf16: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("<p>xy für".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(quote(&utf16, None, "für").byte, 2 + 2 * 6);
        let latin = b"<p>\xe4\xe4 f\xfcr";
        assert_eq!(quote(latin, Some(b"text/html; charset=iso-8859-1"), "f\u{fc}r").byte, 6);
        let kanji = encoding_rs::SHIFT_JIS.encode("<p>日本語の文書").0.into_owned();
        assert_eq!(quote(&kanji, Some(b"text/html; charset=shift_jis"), "語の").byte, 7);
        let bom = "\u{feff}<p>fee".as_bytes();
        assert_eq!(quote(bom, None, "fee").byte, 6);
    }

    #[test]
    fn near_misses_say_what_differs() {
        let near = |html: &str, phrase: &str| {
            Phrases::new(&[phrase.to_owned()]).nearest(0, html.as_bytes(), UTF8, How::Html)
        };
        let found = near("<p>For delay a fee of 4 euros is charged.", "a fee of 5 euros").unwrap();
        assert_eq!(
            (found.words.as_str(), found.differs.as_str()),
            ("a fee of 4 euros", "“4” instead of “5”")
        );
        assert_eq!(found.byte, 13);
        assert_eq!(near("no fee of any kind", "right of withdrawal"), None);
        assert_eq!(
            near("the right of a withdrawal", "right of withdrawal").unwrap().differs,
            "with “a” added"
        );
        assert_eq!(near("right withdrawal", "right of withdrawal").unwrap().differs, "without “of”");
        assert_eq!(
            near("5% fee: none", "5 fee none").unwrap().differs,
            "other signs or gaps between the words"
        );
        // Without a stated encoding an umlaut is only guessed.
        let guessed = Phrases::new(&["für alle".to_owned()]);
        let same = guessed.nearest(0, "<p>für alle".as_bytes(), None, How::Html).unwrap();
        assert!(same.differs.starts_with("the same words, but"), "{}", same.differs);
        assert_eq!(near("x", "y"), None);
        assert_eq!(near("", "a fee of 5 euros"), None);
    }

    #[test]
    fn hidden_parts_and_scripts_are_not_quoted() {
        let html = "<script>fee</script><p hidden>fee</p><p>a fee</p>";
        assert_eq!(quote(html.as_bytes(), UTF8, "fee").byte as usize, html.rfind("fee").unwrap());
    }
}
