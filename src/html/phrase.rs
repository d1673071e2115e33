//! Whether a text contains a phrase: yes, no, or doubtful.
//!
//! The search covers what readers see: ordinary markup, `title`, `textarea`, with character references and encoding decoded. Case
//! does not count (the lower case of the upper case of each character, so ß is ss), nor do white space of any length and
//! kind, inline tags (they are nothing), soft hyphens and zero-width characters, and the two ways to write an accent
//! (Unicode NFC).
//!
//! *Present* and *absent* are proofs, so each is judged by the text that is least favourable to it. Present: the phrase
//! is in text that no markup and no `style` attribute may hide or strike out, in one paragraph, cell or entry, not as a
//! part of longer words or numbers ([`super::whole_words`]), and a second reading of the page as a tree
//! ([`super::shown_tree`]) finds it, too. Absent: not even its letters and digits alone are found (compatibility forms
//! and accents removed), neither in what is displayed, nor together with what hidden parts, `noscript`, `template`,
//! closed `dialog`s and `details`, drawings in `svg`, fallbacks for media, and labels in attributes add, nor without
//! footnote marks and reading aids, nor in scripts, style sheets and data for scripts.
//! Between the two it is *doubtful*, with the reason. What style sheets and scripts hide or add is unknown here.
//!
//! Also doubtful: every phrase beyond ASCII if the encoding is only guessed, every absence next to a document inside
//! an attribute (`srcdoc`, `data:`), and everything where this tokenizer, which reads HTML, and a browser, which reads
//! XML or has SVG and MathML, would disagree: raw-text elements that close themselves or contain markup, and CDATA.
//!
//! Cost: one pass, each phrase searched for by `memmem`; memory is bounded by the longest phrase and word.

use std::borrow::Cow;

use memchr::memmem::Finder;

use super::charset::{Charset, Source};
use super::element::{INLINE, key, traits};
use super::fold::{Stream, Words, fold, loosen};
use super::hidden::{
    DETAILS, FRAMES, LABELS, MATH, SUMMARY, SVG, holds_document, is_border, is_hidden, is_moved, is_note,
    is_ordered, is_shadow, is_turned, runs_left,
};
use super::quote::Trace;
use super::shown_tree;
use super::tag::Tag;
use super::text::{References, is_visible};
use super::tokens::{Place, RawElement, Sink, Tokenizer};
use super::transcode::Transcoder;
use super::whole_words;

/// Maximum length of a phrase in bytes.
pub(crate) const MAX_PHRASE_BYTES: usize = 4096;

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
    pub(super) phrases: Vec<Phrase>,
}

#[derive(Debug, Clone)]
pub(super) struct Phrase {
    pub(super) bytes: Finder<'static>,
    pub(super) exact: Finder<'static>,
    loose: Finder<'static>,
    /// Without the numbers and letters that browsers add to lists; the same as `loose` where there are none.
    unnumbered: Finder<'static>,
    is_ascii: bool,
    /// The phrase as it was given.
    pub(super) text: String,
}

/// Whether a word may be the mark of a list entry, which browsers add: `1.`, `a)`, `iv.`, `§`, a bullet.
fn is_mark(word: &str) -> bool {
    let core = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_number = core.len() <= 4 && core.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = core.chars().count() == 1 && core.len() < word.len();
    let is_roman =
        core.len() <= 6 && core.len() < word.len() && core.bytes().all(|byte| b"ivxlcdm".contains(&byte));
    is_number || is_letter || is_roman
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
            let unmarked: Vec<&str> = exact.split(' ').filter(|word| !is_mark(word)).collect();
            Phrase {
                bytes: Finder::new(phrase.as_bytes()).into_owned(),
                loose: Finder::new(loosen(&exact).as_bytes()).into_owned(),
                unnumbered: Finder::new(loosen(&unmarked.join(" ")).as_bytes()).into_owned(),
                exact: Finder::new(exact.as_bytes()).into_owned(),
                is_ascii: phrase.is_ascii(),
                text: phrase.clone(),
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
        let mut found = shown.finish(is_guess && !is_told);
        if matches!(how, How::Html | How::Xhtml) && found.contains(&Found::Present) {
            let again = shown_tree::texts(body, charset.encoding);
            let has = |phrase: &Phrase, text: &str| whole_words::find(&phrase.exact, text, 0, true).is_some();
            for (found, phrase) in
                found.iter_mut().zip(&self.phrases).filter(|(found, _)| **found == Found::Present)
            {
                let doubt = match &again {
                    Some(texts) if !has(phrase, &texts.shown) => {
                        "its markup can be read in two ways, and in one it is not shown"
                    }
                    Some(texts) if !has(phrase, &texts.unhidden) => {
                        "a style sheet in the page hides it, or its colour is that of its background"
                    }
                    Some(_) => continue,
                    None => "its markup is too long or too deep to be read twice",
                };
                *found = Found::Doubtful(doubt);
            }
        }
        found
    }
}

/// The tokenizer's sink.
pub(super) struct Shown<'a> {
    phrases: &'a Phrases,
    references: References,
    /// Text that is certainly displayed.
    shown: Words,
    /// That, and text that may be hidden.
    all: Words,
    exact: Stream<'a>,
    /// The same, also as a part of longer words.
    inside: Stream<'a>,
    /// The same, also across the borders of blocks.
    across: Stream<'a>,
    loose: Stream<'a>,
    loose_of_all: Stream<'a>,
    /// Without the marks of lists, in all text.
    unnumbered: Stream<'a>,
    /// All text but footnote marks and reading aids.
    main: Words,
    loose_of_main: Stream<'a>,
    /// How many of these are open.
    notes: usize,
    /// Characters turn the direction of text around.
    is_turned: bool,
    /// Text runs from right to left somewhere.
    runs_left: bool,
    /// Parts of lines may be shown elsewhere than they stand.
    is_moved: bool,
    /// A shadow root decides what is shown.
    has_shadow: bool,
    /// Letters and digits of scripts.
    script: Stream<'a>,
    /// The same of attributes that only programs read.
    attribute: Stream<'a>,
    /// The same of style sheets.
    style: Stream<'a>,
    has_list: bool,
    /// Inside of the summary of a closed `details`, which is shown.
    in_summary: bool,
    /// Where the shown text comes from; only for quoting.
    trace: Option<Trace>,
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
    pub(super) fn new(phrases: &'a Phrases, xml: bool) -> Self {
        let all = |of: fn(&Phrase) -> &Finder<'static>| Stream::new(phrases.phrases.iter().map(of).collect());
        Shown {
            phrases,
            references: References::default(),
            shown: Words::default(),
            all: Words::default(),
            exact: all(|phrase| &phrase.exact),
            inside: all(|phrase| &phrase.exact),
            across: all(|phrase| &phrase.exact),
            loose: all(|phrase| &phrase.loose),
            loose_of_all: all(|phrase| &phrase.loose),
            unnumbered: all(|phrase| &phrase.unnumbered),
            main: Words::default(),
            loose_of_main: all(|phrase| &phrase.loose),
            notes: 0,
            is_turned: false,
            runs_left: false,
            is_moved: false,
            has_shadow: false,
            script: all(|phrase| &phrase.loose),
            attribute: all(|phrase| &phrase.loose),
            style: all(|phrase| &phrase.loose),
            has_list: false,
            in_summary: false,
            trace: None,
            hidden: None,
            has_nul: false,
            xml,
            foreign: 0,
            has_foreign: false,
            two_ways: false,
            has_inner: false,
        }
    }

    /// For quoting: only the shown text is collected, with its places.
    pub(super) fn traced(phrases: &'a Phrases, xml: bool) -> Self {
        Shown { trace: Some(Trace::default()), ..Shown::new(phrases, xml) }
    }

    /// The place in the body of what comes next.
    pub(super) fn at(&mut self, offset: u64) {
        if let Some(trace) = &mut self.trace {
            trace.now = offset;
        }
    }

    /// What was collected.
    pub(super) fn into_trace(mut self) -> Trace {
        self.flush();
        self.trace.unwrap_or_default()
    }

    fn is_shown(&self) -> bool {
        self.hidden.is_none() || self.in_summary
    }

    fn take(&mut self, text: &[u8]) {
        self.has_nul |= memchr::memchr(0, text).is_some();
        let text = String::from_utf8_lossy(text);
        self.is_turned |= text.contains(['\u{202d}', '\u{202e}']);
        self.runs_left |= text.contains(['\u{200f}', '\u{202b}', '\u{2067}']);
        let is_shown = self.is_shown();
        if let Some(trace) = &mut self.trace {
            if is_shown {
                trace.push(&text);
            }
            return;
        }
        if is_shown {
            self.shown.push(&text);
        }
        self.all.push(&text);
        if self.notes == 0 {
            self.main.push(&text);
        }
        self.search(false);
    }

    /// Text that only scripts and style sheets read.
    fn code(&mut self, is_style: bool, text: &[u8]) {
        if self.trace.is_none() {
            let letters = loosen(&fold(&unescaped(&String::from_utf8_lossy(text))));
            if is_style { &mut self.style } else { &mut self.script }.push(&letters);
        }
    }

    fn search(&mut self, last: bool) {
        if let Some(ready) = self.shown.ready(last) {
            let folded = fold(&ready);
            self.exact.push_whole(&folded, last);
            self.inside.push(&folded);
            self.across.push(&folded.replace('\n', " "));
            self.loose.push(&loosen(&folded));
        }
        if let Some(ready) = self.all.ready(last) {
            let letters = loosen(&fold(&ready));
            self.loose_of_all.push(&letters);
            self.unnumbered.push(&letters);
        }
        if let Some(ready) = self.main.ready(last) {
            self.loose_of_main.push(&loosen(&fold(&ready)));
        }
    }

    fn flush(&mut self) {
        let mut references = std::mem::take(&mut self.references);
        references.flush(&mut |_, text| self.take(text));
        self.references = references;
    }

    /// A tag that is not inline separates words, and most of them separate lines.
    fn part(&mut self, key: u64) {
        let (is_border, is_shown) = (is_border(key), self.is_shown());
        self.shown.seam |= is_note(key);
        if traits(key) & INLINE == 0 {
            self.all.gap = true;
            self.shown.gap |= is_shown;
            self.shown.border |= is_shown && is_border;
            if let Some(trace) = &mut self.trace {
                trace.part(key, is_border);
            }
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
            () if self.has_shadow => {
                Found::Doubtful("a shadow root decides what of it is shown, and that was not evaluated")
            }
            () if guessed && !phrase.is_ascii => unclear,
            () if self.exact.found[place] && self.is_turned => {
                Found::Doubtful("characters in it turn the direction of text around")
            }
            () if self.exact.found[place] && self.runs_left && has_parts(&phrase.text) => {
                Found::Doubtful("text in it runs from right to left, where numbers and signs change places")
            }
            () if self.exact.found[place] => Found::Present,
            () if self.inside.found[place] => {
                Found::Doubtful("it is there only as a part of longer words or numbers")
            }
            () if self.across.found[place] => {
                Found::Doubtful("its words are there, but not in one paragraph, cell or entry of a list")
            }
            () if self.loose.found[place] => Found::Doubtful(
                "its letters are there, but with other signs or gaps between them, or as letters that look alike",
            ),
            () if self.loose_of_all.found[place] => Found::Doubtful(
                "it is only where readers may not see it, in a hidden or struck-out part or a label",
            ),
            () if self.loose_of_main.found[place] => {
                Found::Doubtful("its letters are there, but with a note or a reading aid between them")
            }
            () if self.script.found[place] => Found::Doubtful("it is in a script, not in text that is shown"),
            () if self.attribute.found[place] => {
                Found::Doubtful("it is in an attribute that programs read, not in text that is shown")
            }
            () if self.style.found[place] => {
                Found::Doubtful("it is in a style sheet, not in text that is shown")
            }
            () if is_unnumbered(phrase) && (phrase.unnumbered.needle().is_empty() && self.has_list)
                || !phrase.unnumbered.needle().is_empty() && self.unnumbered.found[place] =>
            {
                Found::Doubtful(
                    "its words are there without the number or letter, which a browser may add to lists",
                )
            }
            () if self.has_nul || (self.all.damaged && !phrase.is_ascii) => unclear,
            () if self.is_turned => {
                Found::Doubtful("text in it is turned around, so that words may be shown that are not there")
            }
            () if self.has_inner => {
                Found::Doubtful("a frame in it holds another document, which was not searched")
            }
            () if self.is_moved && phrase.text.trim().contains(char::is_whitespace) => {
                Found::Doubtful("styles move parts of its lines, so that words may be shown in another order")
            }
            () => Found::Absent,
        };
        self.phrases.phrases.iter().enumerate().map(tell).collect()
    }
}

/// Whether a phrase in letters that run from left to right has numbers or signs, which change places where the text around them
/// runs from right to left.
fn has_parts(phrase: &str) -> bool {
    let runs_left =
        |character: char| matches!(u32::from(character), 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff);
    !phrase.chars().any(runs_left)
        && phrase.chars().any(|character| !character.is_alphabetic() && !character.is_whitespace())
}

/// Whether a phrase has marks that browsers may add.
fn is_unnumbered(phrase: &Phrase) -> bool {
    phrase.unnumbered.needle() != phrase.loose.needle()
}

/// A script with `\uXXXX` and other escapes undone, as far as letters are concerned.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let hexadecimal = rest.strip_prefix('u').and_then(|rest| rest.get(..4));
        let character =
            hexadecimal.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match character {
            Some(character) => {
                plain.push(character);
                rest = rest.get(5..).unwrap_or_default();
            }
            // The letter of a short escape is no letter of the text.
            None if rest.starts_with(['n', 't', 'r', 'b', 'f']) => rest = &rest[1..],
            None => {}
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

const LI: u64 = key(b"li");
/// Text in a direction of its own.
const BDO: u64 = key(b"bdo");

impl Sink for Shown<'_> {
    fn wants(&self, _place: Place) -> bool {
        true
    }

    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.flush();
        self.part(tag.key);
        self.notes += usize::from(is_note(tag.key));
        self.is_turned |= tag.key == BDO;
        if !tag.is_bare() {
            self.runs_left |= runs_left(tag);
            self.is_turned |= is_turned(tag);
            self.has_shadow |= is_shadow(tag);
            self.is_moved |= is_ordered(tag);
            if is_moved(tag.name, |name| tag.find(name).map(|found| found.value())) {
                self.is_moved = true;
                self.shown.border = true;
            }
        }
        let is_root = matches!(tag.key, SVG | MATH);
        let may_close = self.xml || self.foreign > 0 || is_root;
        let closes = may_close && tag.closes_itself;
        if (self.xml || self.foreign > 0) && RawElement::of(tag.name).is_some() {
            // XHTML names are in lower case; other spellings are unknown elements.
            let is_other = self.xml && tag.name.iter().any(u8::is_ascii_uppercase);
            self.two_ways |= closes || is_other;
        }
        if is_root && !closes {
            self.foreign += 1;
            self.has_foreign = true;
        }
        self.has_inner |= FRAMES.contains(&tag.key) && holds_document(tag);
        self.has_list |= tag.key == LI;
        if tag.key == SUMMARY && matches!(&self.hidden, Some((name, 1)) if key(name) == DETAILS) {
            self.in_summary = !is_hidden(tag);
        }
        match &mut self.hidden {
            _ if closes => {}
            // What hides inside of a summary ends the summary for good: rather hidden than shown.
            Some(_) if self.in_summary && tag.key != SUMMARY && is_hidden(tag) => self.in_summary = false,
            Some((name, open)) => *open += usize::from(tag.name.eq_ignore_ascii_case(name)),
            None if is_hidden(tag) => self.hidden = Some((tag.name.to_vec(), 1)),
            None => {}
        }
        if !tag.is_bare() && self.trace.is_none() {
            for (name, value) in tag.attributes() {
                let is_data = name.len() > 5 && name[..5].eq_ignore_ascii_case(b"data-");
                let is_event = name.len() > 2 && name[..2].eq_ignore_ascii_case(b"on");
                if is_event {
                    self.code(false, &value.value());
                    self.script.push(" ");
                } else if is_data || name.eq_ignore_ascii_case(b"content") {
                    let letters = loosen(&fold(&unescaped(&String::from_utf8_lossy(&value.value()))));
                    self.attribute.push(&letters);
                    self.attribute.push(" ");
                }
            }
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
        self.notes = self.notes.saturating_sub(usize::from(is_note(key)));
        if key == SUMMARY {
            self.in_summary = false;
        }
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
            if is_code && self.foreign == 0 {
                return self.code(raw == Style, text);
            }
            if !is_visible(place) {
                // Fallback content of a frame, or code before which a browser may have left the drawing.
                if (!self.xml || !is_code) && self.trace.is_none() {
                    self.all.push(&String::from_utf8_lossy(text));
                    self.search(false);
                }
                return;
            }
        }
        let is_open = self.references.is_open();
        if let Some(trace) = self.trace.as_mut().filter(|_| !is_open) {
            trace.since = trace.now;
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
