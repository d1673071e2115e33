//! Whether a text contains a phrase: yes, no, or doubtful.
//!
//! The search covers what readers see: ordinary markup, `title`, `textarea`, with character references and encoding decoded. Case
//! does not count (the lower case of the upper case of each character, so ß is ss), nor do white space of any length and
//! kind, the borders of blocks (they are white space), inline tags (they are nothing), soft hyphens and zero-width
//! characters, and the two ways to write an accent (Unicode NFC). A phrase may be part of a longer word.
//!
//! *Present* and *absent* are proofs, so each is judged by the text that is least favourable to it. Present: the phrase
//! is in text that is certainly displayed. Absent: not even its letters and digits alone are found (compatibility forms
//! and accents removed), neither in what is displayed, nor together with what `hidden`, `display:none`, `noscript`, `template`,
//! closed `dialog`s, drawings in `svg`, fallbacks for media, and labels in attributes add.
//! Between the two it is *doubtful*, with the reason. What style sheets and scripts hide or add is not known here.
//!
//! Also doubtful: every phrase beyond ASCII if the encoding is only guessed, every absence next to a document inside
//! an attribute (`srcdoc`, `data:`), and everything where this tokenizer, which reads HTML, and a browser, which reads
//! XML or has SVG and MathML, would disagree: raw-text elements that close themselves or contain markup, and CDATA.
//!
//! Cost: one pass, each phrase searched for by `memmem`; memory is bounded by the longest phrase and word.

use std::borrow::Cow;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use memchr::memmem::Finder;

use super::charset::Charset;
use super::charset::Source;
use super::element::{INLINE, traits};
use super::hidden::{FRAMES, LABELS, MATH, SVG, holds_document, is_hidden};
use super::tag::Tag;
use super::text::{References, is_visible};
use super::tokens::{Place, RawElement, Sink, Tokenizer};
use super::transcode::Transcoder;

/// Maximum length of a phrase in bytes.
pub(crate) const MAX_PHRASE_BYTES: usize = 4096;
/// Bytes of text collected before they are searched.
const SEARCH_BYTES: usize = 64 << 10;
/// Maximum bytes of text without any ASCII character before it is cut.
const MAX_WORD_BYTES: usize = 1 << 20;

/// Whether a body contains a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Certainly displayed.
    Present,
    /// Not even its letters are found.
    Absent,
    /// Cannot be decided, for this reason.
    Doubtful(&'static str),
}

/// How a body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The visible text of HTML.
    Html,
    /// The visible text of XHTML served as XML: where HTML and XML parsing differ, the result is doubtful.
    Xhtml,
    /// All of a plain text.
    Text,
    /// The bytes themselves: the phrase in UTF-8, every byte counts.
    Bytes,
}

/// Phrases prepared for searching.
#[derive(Debug, Clone)]
pub struct Phrases {
    phrases: Vec<Phrase>,
}

#[derive(Debug, Clone)]
struct Phrase {
    bytes: Finder<'static>,
    exact: Finder<'static>,
    loose: Finder<'static>,
    is_ascii: bool,
}

/// Why a phrase cannot be searched for, if it cannot.
pub(crate) fn fault(phrase: &str) -> Option<&'static str> {
    if phrase.len() > MAX_PHRASE_BYTES {
        return Some("a phrase has at most 4096 bytes");
    }
    loosen(&fold(phrase)).is_empty().then_some("a phrase has a letter or a digit")
}

impl Phrases {
    /// Prepares a search for these phrases, each without [`fault`].
    pub fn new(phrases: &[String]) -> Self {
        let phrase = |phrase: &String| {
            let mut words = Words::default();
            words.push(phrase);
            let exact = fold(&words.text).into_owned();
            Phrase {
                bytes: Finder::new(phrase.as_bytes()).into_owned(),
                loose: Finder::new(loosen(&exact).as_bytes()).into_owned(),
                exact: Finder::new(exact.as_bytes()).into_owned(),
                is_ascii: phrase.is_ascii(),
            }
        };
        Phrases { phrases: phrases.iter().map(phrase).collect() }
    }

    /// Whether a body, with the value of its `Content-Type` header, contains each of the phrases.
    pub fn search(&self, body: &[u8], content_type: Option<&[u8]>, how: How) -> Vec<Found> {
        if how == How::Bytes {
            let found = |phrase: &Phrase| match phrase.bytes.find(body) {
                Some(_) => Found::Present,
                None => Found::Absent,
            };
            return self.phrases.iter().map(found).collect();
        }
        let mut transcoder = Transcoder::new(Charset::declared(content_type));
        let mut shown = Shown::new(self, how == How::Xhtml);
        let charset = if matches!(how, How::Html | How::Xhtml) {
            let mut tokenizer = Tokenizer::new();
            transcoder.feed(body, &mut |utf8| tokenizer.feed(utf8, &mut shown));
            let charset = transcoder.finish(&mut |utf8| tokenizer.feed(utf8, &mut shown));
            tokenizer.finish(&mut shown);
            charset
        } else {
            const PLAIN: Place = Place::Raw(RawElement::Plaintext);
            transcoder.feed(body, &mut |utf8| shown.text(PLAIN, utf8));
            transcoder.finish(&mut |utf8| shown.text(PLAIN, utf8))
        };
        // ASCII bytes are the same characters in every encoding that may be guessed.
        let is_guess = charset.source == Source::Guess && !body.is_ascii();
        // XML is UTF-8 unless it declares otherwise.
        let is_told = how == How::Xhtml && charset.is_utf8();
        shown.finish(is_guess && !is_told)
    }
}

/// Folds case and the different ways to write an accent.
fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
    let composed = NFC.normalize(text);
    let folded = composed.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase);
    Cow::Owned(NFC.normalize_iter(folded).collect())
}

/// Letters and digits of a folded text, without accents.
fn loosen(folded: &str) -> String {
    const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
    if folded.is_ascii() {
        return folded.chars().filter(char::is_ascii_alphanumeric).collect();
    }
    // Compatibility forms may hold capitals.
    let plain = NFKD.normalize_iter(folded.chars()).flat_map(char::to_lowercase);
    plain.filter(|character| character.is_alphanumeric()).collect()
}

/// Text with its white space collapsed, waiting to be searched.
#[derive(Debug, Default)]
struct Words {
    text: String,
    gap: bool,
    started: bool,
    /// It contained bytes that are not characters.
    damaged: bool,
}

impl Words {
    fn push(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\0' => {}
                '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}' => {}
                _ if character.is_whitespace() => self.gap = true,
                _ => {
                    if self.gap && self.started {
                        self.text.push(' ');
                    }
                    (self.gap, self.started) = (false, true);
                    self.damaged |= character == '\u{fffd}';
                    self.text.push(character);
                }
            }
        }
    }

    /// The part that can be searched: nothing after an ASCII character modifies a letter before it.
    fn ready(&mut self, last: bool) -> Option<String> {
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
struct Stream<'a> {
    needles: Vec<&'a Finder<'static>>,
    found: Vec<bool>,
    /// The end of the text so far, in which a needle may begin.
    tail: String,
    longest: usize,
}

impl<'a> Stream<'a> {
    fn new(needles: Vec<&'a Finder<'static>>) -> Self {
        let longest = needles.iter().map(|needle| needle.needle().len()).max().unwrap_or(0);
        Stream { found: vec![false; needles.len()], needles, tail: String::new(), longest }
    }

    fn push(&mut self, text: &str) {
        self.tail.push_str(text);
        for (needle, found) in self.needles.iter().zip(&mut self.found) {
            *found = *found || needle.find(self.tail.as_bytes()).is_some();
        }
        let keep = self.tail.len().saturating_sub(self.longest);
        let keep = (keep..=self.tail.len()).find(|cut| self.tail.is_char_boundary(*cut));
        self.tail.drain(..keep.unwrap_or(0));
    }
}

/// The tokenizer's sink.
struct Shown<'a> {
    phrases: &'a Phrases,
    references: References,
    /// Text that is certainly displayed.
    shown: Words,
    /// That, and text that may be hidden.
    all: Words,
    exact: Stream<'a>,
    loose: Stream<'a>,
    loose_of_all: Stream<'a>,
    /// The name of the open hidden element, and how many of that name are open.
    hidden: Option<(Vec<u8>, usize)>,
    has_nul: bool,
    /// Whether the document is XML.
    xml: bool,
    /// How many `svg` and `math` are open.
    foreign: usize,
    has_foreign: bool,
    /// A browser may read some of the markup differently.
    two_ways: bool,
    /// An attribute holds a document of its own.
    has_inner: bool,
}

impl<'a> Shown<'a> {
    fn new(phrases: &'a Phrases, xml: bool) -> Self {
        let all = |of: fn(&Phrase) -> &Finder<'static>| Stream::new(phrases.phrases.iter().map(of).collect());
        Shown {
            phrases,
            references: References::default(),
            shown: Words::default(),
            all: Words::default(),
            exact: all(|phrase| &phrase.exact),
            loose: all(|phrase| &phrase.loose),
            loose_of_all: all(|phrase| &phrase.loose),
            hidden: None,
            has_nul: false,
            xml,
            foreign: 0,
            has_foreign: false,
            two_ways: false,
            has_inner: false,
        }
    }

    fn take(&mut self, text: &[u8]) {
        self.has_nul |= memchr::memchr(0, text).is_some();
        let text = String::from_utf8_lossy(text);
        if self.hidden.is_none() {
            self.shown.push(&text);
        }
        self.all.push(&text);
        self.search(false);
    }

    fn search(&mut self, last: bool) {
        if let Some(ready) = self.shown.ready(last) {
            let folded = fold(&ready);
            self.exact.push(&folded);
            self.loose.push(&loosen(&folded));
        }
        if let Some(ready) = self.all.ready(last) {
            self.loose_of_all.push(&loosen(&fold(&ready)));
        }
    }

    fn flush(&mut self) {
        let mut references = std::mem::take(&mut self.references);
        references.flush(&mut |_, text| self.take(text));
        self.references = references;
    }

    /// A tag that is not inline separates words.
    fn part(&mut self, key: u64) {
        if traits(key) & INLINE == 0 {
            self.all.gap = true;
            self.shown.gap |= self.hidden.is_none();
        }
    }

    fn finish(mut self, guessed: bool) -> Vec<Found> {
        self.flush();
        self.search(true);
        let unclear = Found::Doubtful("the encoding of its characters cannot be told for certain");
        let tell = |(place, phrase): (usize, &Phrase)| match () {
            () if self.two_ways => {
                Found::Doubtful("its markup can be read in two ways, as XML or foreign markup and as HTML")
            }
            () if guessed && !phrase.is_ascii => unclear,
            () if self.exact.found[place] => Found::Present,
            () if self.loose.found[place] => {
                Found::Doubtful("its letters stand there, but with other signs or gaps between them")
            }
            () if self.loose_of_all.found[place] => {
                Found::Doubtful("it stands only where readers may not see it: in a hidden part or a label")
            }
            () if self.has_nul || (self.all.damaged && !phrase.is_ascii) => unclear,
            () if self.has_inner => {
                Found::Doubtful("a frame in it holds a document of its own, which was not searched")
            }
            () => Found::Absent,
        };
        self.phrases.phrases.iter().enumerate().map(tell).collect()
    }
}

impl Sink for Shown<'_> {
    fn wants(&self, place: Place) -> bool {
        use RawElement::{Iframe, Noembed, Noframes};
        is_visible(place)
            || self.foreign > 0
            || matches!(place, Place::Raw(raw) if self.xml || matches!(raw, Iframe | Noembed | Noframes))
    }

    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.flush();
        self.part(tag.key);
        let is_root = matches!(tag.key, SVG | MATH);
        let may_close = self.xml || self.foreign > 0 || is_root;
        let closes = if may_close { tag.closes_itself() } else { Some(false) };
        if (self.xml || self.foreign > 0) && RawElement::of(tag.name).is_some() {
            // XHTML names are in lower case; other spellings are unknown elements.
            let is_other = self.xml && tag.name.iter().any(u8::is_ascii_uppercase);
            self.two_ways |= closes != Some(false) || is_other;
        }
        if is_root && closes != Some(true) {
            self.foreign += 1;
            self.has_foreign = true;
        }
        self.has_inner |= FRAMES.contains(&tag.key) && holds_document(tag);
        match &mut self.hidden {
            _ if closes == Some(true) => {}
            Some((name, open)) => *open += usize::from(tag.name.eq_ignore_ascii_case(name)),
            None if is_hidden(tag) => self.hidden = Some((tag.name.to_vec(), 1)),
            None => {}
        }
        if !tag.is_bare() {
            for label in LABELS {
                if let Some(label) = tag.find(label) {
                    self.all.gap = true;
                    self.all.push(&String::from_utf8_lossy(&label.value()));
                    self.all.gap = true;
                }
            }
        }
    }

    fn end_tag(&mut self, name: &[u8], key: u64) {
        self.flush();
        self.foreign = self.foreign.saturating_sub(usize::from(matches!(key, SVG | MATH)));
        if let Some((hidden, open)) = &mut self.hidden
            && name.eq_ignore_ascii_case(hidden)
        {
            *open -= 1;
            if *open == 0 {
                self.all.gap |= traits(key) & INLINE == 0;
                self.hidden = None;
                return;
            }
        }
        self.part(key);
    }

    fn text(&mut self, place: Place, text: &[u8]) {
        use RawElement::{Script, Style};
        if let Place::Raw(raw) = place {
            let is_code = matches!(raw, Script | Style);
            let has_markup = memchr::memchr(b'<', text).is_some();
            self.two_ways |= (self.xml || self.foreign > 0) && !is_code && has_markup;
            if !is_visible(place) {
                // Fallback content of a frame, or code before which a browser may have left the drawing.
                if !self.xml || !is_code {
                    self.all.push(&String::from_utf8_lossy(text));
                    self.search(false);
                }
                return;
            }
        }
        let mut references = std::mem::take(&mut self.references);
        references.feed(place, text, &mut |_, text| self.take(text));
        self.references = references;
    }

    fn interruption(&mut self) {
        self.flush();
    }

    fn marked_section(&mut self) {
        self.two_ways |= self.xml || self.has_foreign;
    }
}

#[cfg(test)]
#[path = "phrase_tests.rs"]
mod tests;
