//! The HTML tokenizer: tags, text and raw text from bytes that arrive in pieces.
//!
//! It follows the tokenizer of the WHATWG HTML standard with the raw-text switching of the tree builder (`script`,
//! `style`, `textarea`, `title`, `xmp`, `iframe`, `noembed`, `noframes`, `plaintext`), but builds no tree: `noscript`
//! is markup, and a tag counts wherever it is. In XML, and inside `svg` and `math`, `<script/>` has no content and a
//! marked section ends at `]]>` ([`super::foreign`]). It works on bytes of any encoding that keeps ASCII apart (UTF-8, windows-125x, EUC, Shift_JIS, GBK, Big5; not UTF-16 and
//! ISO-2022-JP, which have to be decoded first).
//!
//! Memory is bounded by the limits of [`super::tag`]; the same bytes give the same tags and text however they are
//! cut into pieces.

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use super::element::key;
use super::foreign::{Foreign, Syntax};
use super::tag::{self, Phase, Tag, TagReader};
use crate::byte_search::find;
use crate::html::tag_skip::{self, Plain};

/// Elements whose content the tokenizer reads as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RawElement {
    Title,
    Textarea,
    Style,
    Xmp,
    Iframe,
    Noembed,
    Noframes,
    Script,
    Plaintext,
}

impl RawElement {
    pub(crate) fn name(self) -> &'static [u8] {
        match self {
            RawElement::Title => b"title",
            RawElement::Textarea => b"textarea",
            RawElement::Style => b"style",
            RawElement::Xmp => b"xmp",
            RawElement::Iframe => b"iframe",
            RawElement::Noembed => b"noembed",
            RawElement::Noframes => b"noframes",
            RawElement::Script => b"script",
            RawElement::Plaintext => b"plaintext",
        }
    }

    #[inline]
    pub(crate) fn of(name: &[u8]) -> Option<Self> {
        use RawElement::*;
        let candidates: &[RawElement] = match (name.len(), name.first()? | 0x20) {
            (5, b't') => &[Title],
            (8, b't') => &[Textarea],
            (5, b's') => &[Style],
            (3, b'x') => &[Xmp],
            (6, b'i') => &[Iframe],
            (7, b'n') => &[Noembed],
            (8, b'n') => &[Noframes],
            (6, b's') => &[Script],
            (9, b'p') => &[Plaintext],
            _ => return None,
        };
        candidates.iter().copied().find(|raw| name.eq_ignore_ascii_case(raw.name()))
    }
}

/// Where a run of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In ordinary markup. Character references are decoded.
    Data,
    /// In a raw-text element. Character references are decoded in `title` and `textarea` only.
    Raw(RawElement),
}

/// Receives what the tokenizer finds.
pub(crate) trait Sink {
    /// Skip text, tags without links, and end tags outside raw text.
    const LINKS_ONLY: bool = false;
    /// A simple link, instead of its start tag; only with `LINKS_ONLY`.
    fn plain(&mut self, _link: Plain<'_>) {}
    /// Whether every tag is needed whole for now; only with `LINKS_ONLY`.
    fn wants_all(&self) -> bool {
        false
    }
    /// Whether text of this place is needed.
    fn wants(&self, place: Place) -> bool;
    fn start_tag(&mut self, tag: &Tag<'_>);
    /// An end tag, its name also as an integer. Its attributes are ignored.
    fn end_tag(&mut self, name: &[u8], key: u64);
    /// Some text, undecoded; one run may come in several calls.
    fn text(&mut self, place: Place, text: &[u8]);
    /// A comment, a doctype or the like interrupts the text: no character reference continues after it.
    fn interruption(&mut self);
    /// The interruption begins with `<![`: in XML and foreign markup this is text.
    fn marked_section(&mut self) {}
}

/// The last bytes of a comment: whether a `>` ends it depends on them.
#[derive(Debug, Clone, Copy, Default)]
struct Comment {
    last: [u8; 3],
    length: usize,
}

impl Comment {
    fn push(&mut self, bytes: &[u8]) {
        for &byte in &bytes[bytes.len().saturating_sub(3)..] {
            self.last = [self.last[1], self.last[2], byte];
        }
        self.length = (self.length + bytes.len()).min(3);
    }

    fn closes(&self) -> bool {
        match self.length {
            0 => true,
            1 => self.last[2] == b'-',
            2 => self.last[1..] == *b"--",
            _ => self.last[1..] == *b"--" || self.last == *b"--!",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Data,
    /// After `<`.
    TagOpen,
    /// After `</`.
    EndTagOpen,
    /// After `<!`.
    Declaration,
    /// After `<!-`.
    DeclarationDash,
    /// A bogus comment, a doctype or a processing instruction: all end at the next `>`.
    Bogus,
    Comment,
    /// A marked section of XML: `<![CDATA[` to `]]>`.
    Marked,
    /// A tag that began in an earlier piece.
    Tag,
    Raw,
    /// In raw text after `<`.
    RawLess,
    /// In raw text after `</` and some letters of the name.
    RawEnd,
    /// In an escaped script after `<` and some letters of `script`.
    RawDouble,
    /// In a script after `<!`.
    ScriptBang,
    /// In a script after `<!-`.
    ScriptBangDash,
}

/// Escape level of a script: `<!--` escapes, `<script` inside that escapes twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Once,
    Twice,
}

#[derive(Debug)]
pub(crate) struct Tokenizer {
    state: State,
    comment: Comment,
    reader: TagReader,
    end_tag: bool,
    /// The bytes of an unfinished tag.
    carry: Vec<u8>,
    raw: RawElement,
    foreign: Foreign,
    escape: Escape,
    dashes: u8,
    /// The bytes since a `<` in raw text that may become an end tag.
    seen: [u8; 12],
    seen_length: usize,
    /// Number of attributes dropped for exceeding a limit.
    pub(crate) dropped: u64,
}

/// Maximum bytes copied at a time while a tag spans pieces.
const COPY_BYTES: usize = 64 * 1024;
const MAX_CARRY_BYTES: usize = tag::MAX_TAG + 2 * tag::MAX_ATTRIBUTE;

impl Tokenizer {
    /// A tokenizer of HTML.
    pub(crate) fn new() -> Self {
        Tokenizer::of(Syntax::Html)
    }

    pub(crate) fn of(syntax: Syntax) -> Self {
        Tokenizer {
            state: State::Data,
            comment: Comment::default(),
            reader: TagReader::new(),
            end_tag: false,
            carry: Vec::new(),
            raw: RawElement::Plaintext,
            foreign: Foreign::new(syntax),
            escape: Escape::None,
            dashes: 0,
            seen: [0; 12],
            seen_length: 0,
            dropped: 0,
        }
    }

    pub(crate) fn feed<S: Sink>(&mut self, data: &[u8], sink: &mut S) {
        let mut at = 0;
        while at < data.len() {
            at = match self.state {
                State::Data => self.data(data, at, sink),
                State::Tag => self.resume_tag(data, at, sink),
                State::Raw => self.raw(data, at, sink),
                State::Comment => self.comment(data, at),
                State::Marked => self.marked(data, at),
                State::Bogus => match memchr(b'>', &data[at..]) {
                    None => data.len(),
                    Some(length) => {
                        self.state = State::Data;
                        at + length + 1
                    }
                },
                _ => self.step(data, at, sink),
            };
        }
    }

    /// Ends the document. An unfinished tag is dropped, as the standard requires; unfinished text is text.
    pub(crate) fn finish<S: Sink>(&mut self, sink: &mut S) {
        match self.state {
            State::TagOpen => self.text(Place::Data, b"<", sink),
            State::EndTagOpen => self.text(Place::Data, b"</", sink),
            _ => self.flush_seen(sink),
        }
        self.state = State::Data;
    }

    #[inline]
    fn text<S: Sink>(&mut self, place: Place, text: &[u8], sink: &mut S) {
        if !text.is_empty() && sink.wants(place) {
            sink.text(place, text);
        }
    }

    /// Reads markup up to a change of state that is not a tag within this piece.
    #[inline]
    fn data<S: Sink>(&mut self, data: &[u8], mut at: usize, sink: &mut S) -> usize {
        loop {
            let open = if S::LINKS_ONLY && !self.foreign.has_open() && !sink.wants_all() {
                tag_skip::next(data, at, &mut |link| sink.plain(link))
            } else {
                find(b'<', data, at)
            };
            let Some(open) = open else {
                self.text(Place::Data, &data[at..], sink);
                return data.len();
            };
            self.text(Place::Data, &data[at..open], sink);
            at = open + 1;
            let end_tag = data.get(at) == Some(&b'/');
            let name = at + usize::from(end_tag);
            if !data.get(name).is_some_and(u8::is_ascii_alphabetic) {
                self.state = State::TagOpen;
                return at;
            }
            let raw = if !S::LINKS_ONLY
                && let Some((tag, end)) = tag::bare(data, name)
            {
                at = end;
                Self::emit(&tag, end_tag, None, &mut self.foreign, &mut self.dropped, sink)
            } else {
                self.end_tag = end_tag;
                self.reader.begin(name, Phase::TagName);
                let Some(end) = self.reader.run(data, name) else {
                    self.carry = self.reader.carry(data);
                    self.state = State::Tag;
                    return data.len();
                };
                at = end;
                Self::emit(&self.reader.tag(data), end_tag, None, &mut self.foreign, &mut self.dropped, sink)
            };
            if let Some(raw) = raw {
                self.enter_raw(raw);
                return at;
            }
        }
    }

    /// Reports a complete tag. Returns the raw-text element that it opens.
    #[inline]
    fn emit<S: Sink>(
        tag: &Tag<'_>,
        end_tag: bool,
        known: Option<RawElement>,
        foreign: &mut Foreign,
        dropped: &mut u64,
        sink: &mut S,
    ) -> Option<RawElement> {
        if end_tag {
            match known.map(RawElement::name) {
                Some(name) => sink.end_tag(name, key(name)),
                None => {
                    foreign.end_tag(tag);
                    sink.end_tag(tag.name, tag.key);
                }
            }
            return None;
        }
        *dropped += u64::from(tag.dropped);
        sink.start_tag(tag);
        foreign.start_tag(tag);
        RawElement::of(tag.name).filter(|_| !(tag.closes_itself && foreign.is_xml()))
    }

    fn enter_raw(&mut self, raw: RawElement) {
        self.state = State::Raw;
        self.raw = raw;
        self.escape = Escape::None;
        self.dashes = 0;
    }

    /// Continues a tag that began in an earlier piece: its bytes are copied up to the next `>`, which may end it.
    fn resume_tag<S: Sink>(&mut self, data: &[u8], at: usize, sink: &mut S) -> usize {
        let rest = &data[at..data.len().min(at + COPY_BYTES)];
        let length = memchr(b'>', rest).map_or(rest.len(), |close| close + 1);
        let from = self.carry.len();
        self.carry.extend_from_slice(&rest[..length]);
        if self.reader.run(&self.carry, from).is_some() {
            let known = (self.raw_end_known()).then_some(self.raw);
            let tag = self.reader.tag(&self.carry);
            let raw = Self::emit(&tag, self.end_tag, known, &mut self.foreign, &mut self.dropped, sink);
            self.carry.clear();
            self.seen_length = 0;
            match raw {
                Some(raw) => self.enter_raw(raw),
                None => self.state = State::Data,
            }
        } else if self.carry.len() > MAX_CARRY_BYTES {
            let carry = std::mem::take(&mut self.carry);
            self.carry = self.reader.carry(&carry);
        }
        at + length
    }

    /// The name of a raw-text end tag is in `seen`, not in the tag's buffer.
    fn raw_end_known(&self) -> bool {
        self.seen_length > 0
    }

    fn comment(&mut self, data: &[u8], at: usize) -> usize {
        let mut from = at;
        for close in memchr_iter(b'>', &data[at..]) {
            self.comment.push(&data[from..at + close]);
            if self.comment.closes() {
                self.state = State::Data;
                return at + close + 1;
            }
            from = at + close;
        }
        self.comment.push(&data[from..]);
        data.len()
    }

    fn marked(&mut self, data: &[u8], at: usize) -> usize {
        let mut from = at;
        for close in memchr_iter(b'>', &data[at..]) {
            self.comment.push(&data[from..at + close]);
            if self.comment.last[1..] == *b"]]" {
                self.state = State::Data;
                return at + close + 1;
            }
            from = at + close;
        }
        self.comment.push(&data[from..]);
        data.len()
    }

    /// Reads raw text up to the next `<`, or to the end of a script's escape.
    fn raw<S: Sink>(&mut self, data: &[u8], at: usize, sink: &mut S) -> usize {
        let rest = &data[at..];
        if self.raw == RawElement::Plaintext {
            self.text(Place::Raw(self.raw), rest, sink);
            return data.len();
        }
        if self.escape == Escape::None {
            let length = memchr(b'<', rest).unwrap_or(rest.len());
            self.text(Place::Raw(self.raw), &rest[..length], sink);
            if length == rest.len() {
                return data.len();
            }
            self.open_seen(b'<');
            return at + length + 1;
        }
        let found =
            if self.dashes >= 2 { memchr3(b'-', b'<', b'>', rest) } else { memchr2(b'-', b'<', rest) };
        let length = found.unwrap_or(rest.len());
        if length > 0 {
            self.dashes = 0;
        }
        let passed = length + usize::from(rest.get(length).is_some_and(|&byte| byte != b'<'));
        self.text(Place::Raw(self.raw), &rest[..passed], sink);
        let Some(&byte) = rest.get(length) else {
            return data.len();
        };
        match byte {
            b'-' => self.dashes = (self.dashes + 1).min(2),
            b'<' => {
                self.dashes = 0;
                self.open_seen(b'<');
            }
            // `>` ends the escape only directly after two dashes.
            _ => {
                if self.dashes >= 2 {
                    self.escape = Escape::None;
                }
                self.dashes = 0;
            }
        }
        at + length + 1
    }

    fn open_seen(&mut self, byte: u8) {
        self.seen_length = 0;
        self.see(byte);
        self.state = State::RawLess;
    }

    fn see(&mut self, byte: u8) {
        self.seen[self.seen_length] = byte;
        self.seen_length += 1;
    }

    fn flush_seen<S: Sink>(&mut self, sink: &mut S) {
        let (seen, length) = (self.seen, self.seen_length);
        self.seen_length = 0;
        if matches!(
            self.state,
            State::RawLess | State::RawEnd | State::RawDouble | State::ScriptBang | State::ScriptBangDash
        ) {
            self.text(Place::Raw(self.raw), &seen[..length], sink);
        }
    }

    /// Returns to raw text: what looked like an end tag is text.
    fn back_to_raw<S: Sink>(&mut self, sink: &mut S) {
        self.flush_seen(sink);
        self.state = State::Raw;
    }

    /// Handles one byte in a short state. Returns where to continue: at the same position to read the byte again.
    fn step<S: Sink>(&mut self, data: &[u8], at: usize, sink: &mut S) -> usize {
        let byte = data[at];
        match self.state {
            State::TagOpen => match byte {
                b'!' => {
                    sink.interruption();
                    self.state = State::Declaration;
                }
                b'/' => self.state = State::EndTagOpen,
                b'?' => {
                    sink.interruption();
                    self.state = State::Bogus;
                }
                _ if byte.is_ascii_alphabetic() => return self.open_tag(at, false),
                _ => {
                    self.text(Place::Data, b"<", sink);
                    self.state = State::Data;
                    return at;
                }
            },
            State::EndTagOpen => match byte {
                b'>' => {
                    sink.interruption();
                    self.state = State::Data;
                }
                _ if byte.is_ascii_alphabetic() => return self.open_tag(at, true),
                _ => {
                    sink.interruption();
                    self.state = State::Bogus;
                    return at;
                }
            },
            State::Declaration if byte == b'-' => self.state = State::DeclarationDash,
            State::DeclarationDash if byte == b'-' => {
                self.comment = Comment::default();
                self.state = State::Comment;
            }
            State::Declaration | State::DeclarationDash => {
                let is_marked = self.state == State::Declaration && byte == b'[';
                if is_marked {
                    sink.marked_section();
                }
                self.comment = Comment::default();
                self.state = if is_marked && self.foreign.is_xml() { State::Marked } else { State::Bogus };
                return at;
            }
            State::RawLess => return self.raw_less(byte, at, sink),
            State::RawEnd => return self.raw_end(byte, at, sink),
            State::RawDouble => return self.raw_double(byte, at, sink),
            State::ScriptBang if byte == b'-' => {
                self.see(byte);
                self.state = State::ScriptBangDash;
            }
            State::ScriptBangDash if byte == b'-' => {
                self.see(byte);
                self.back_to_raw(sink);
                self.escape = Escape::Once;
                self.dashes = 2;
            }
            _ => {
                self.back_to_raw(sink);
                return at;
            }
        }
        at + 1
    }

    fn open_tag(&mut self, at: usize, end_tag: bool) -> usize {
        self.end_tag = end_tag;
        self.carry.clear();
        self.reader.begin(0, Phase::TagName);
        self.state = State::Tag;
        at
    }

    fn raw_less<S: Sink>(&mut self, byte: u8, at: usize, sink: &mut S) -> usize {
        let script = self.raw == RawElement::Script;
        match byte {
            b'/' => self.state = State::RawEnd,
            b'!' if script && self.escape == Escape::None => self.state = State::ScriptBang,
            _ if self.escape == Escape::Once && byte.is_ascii_alphabetic() => {
                self.state = State::RawDouble;
                return at;
            }
            _ => {
                self.back_to_raw(sink);
                return at;
            }
        }
        self.see(byte);
        at + 1
    }

    /// After `</`: the name of the element and a byte that ends it make the end tag.
    fn raw_end<S: Sink>(&mut self, byte: u8, at: usize, sink: &mut S) -> usize {
        let name = self.raw.name();
        let matched = self.seen_length - 2;
        if matched < name.len() {
            if byte.to_ascii_lowercase() == name[matched] {
                self.see(byte);
                return at + 1;
            }
            self.back_to_raw(sink);
            return at;
        }
        if !tag::ends_name(byte) {
            self.back_to_raw(sink);
            return at;
        }
        if self.escape == Escape::Twice {
            self.back_to_raw(sink);
            self.escape = Escape::Once;
            return at;
        }
        self.end_tag = true;
        self.carry.clear();
        self.reader.begin(0, Phase::BeforeName);
        self.state = State::Tag;
        at
    }

    /// After `<` in an escaped script: `script` and a byte that ends the name escape it twice.
    fn raw_double<S: Sink>(&mut self, byte: u8, at: usize, sink: &mut S) -> usize {
        let name = RawElement::Script.name();
        let matched = self.seen_length - 1;
        if matched < name.len() && byte.to_ascii_lowercase() == name[matched] {
            self.see(byte);
            return at + 1;
        }
        self.back_to_raw(sink);
        if matched == name.len() && tag::ends_name(byte) {
            self.escape = Escape::Twice;
        }
        at
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
