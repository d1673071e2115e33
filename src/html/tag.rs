//! Tags: the attribute states of the HTML tokenizer, resumable at any byte and bounded in memory.
//!
//! Source: WHATWG HTML, "Tag name state" to "Self-closing start tag state". An attribute longer than
//! [`MAX_ATTRIBUTE`], and attributes beyond [`MAX_TAG`] bytes or [`MAX_ATTRIBUTES`] of one tag, are dropped and
//! counted; the tag still ends where it ends. The rules look only at byte positions, so that the same bytes give the
//! same tags however they are cut into pieces.

use std::borrow::Cow;

use super::charref;
use super::element::key;
use crate::byte_search::find;

/// Maximum bytes of a tag or attribute name; longer ones are cut.
pub(crate) const MAX_NAME: usize = 64;
/// Maximum bytes of an attribute, from the start of its name to its end.
pub(crate) const MAX_ATTRIBUTE: usize = 64 * 1024;
/// Maximum bytes of attributes kept per tag.
pub(crate) const MAX_TAG: usize = 256 * 1024;
/// Maximum number of attributes kept per tag.
pub(crate) const MAX_ATTRIBUTES: usize = 512;

/// The positions of an attribute's name and value.
#[derive(Debug, Clone, Copy)]
struct Span {
    name: (usize, usize),
    value: (usize, usize),
    dropped: bool,
}

impl Span {
    fn attribute<'a>(&self, data: &'a [u8]) -> Attribute<'a> {
        Attribute { raw: &data[self.value.0..self.value.1] }
    }

    fn name<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        &data[self.name.0..self.name.1]
    }
}

/// A complete tag.
pub(crate) struct Tag<'a> {
    data: &'a [u8],
    /// The name as written: not lower-cased, at most [`MAX_NAME`] bytes.
    pub(crate) name: &'a [u8],
    /// The name as an integer, see [`super::element::key`].
    pub(crate) key: u64,
    spans: &'a [Span],
    /// Number of attributes of this tag dropped for exceeding a limit.
    pub(crate) dropped: u32,
    /// Whether the tag ends in `/>`.
    pub(crate) closes_itself: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Attribute<'a> {
    /// The value as written, without quotes.
    raw: &'a [u8],
}

impl<'a> Attribute<'a> {
    pub(crate) fn of(raw: &'a [u8]) -> Self {
        Attribute { raw }
    }

    /// The value with character references decoded.
    pub(crate) fn value(&self) -> Cow<'a, [u8]> {
        if !charref::needs_decoding(self.raw) {
            return Cow::Borrowed(self.raw);
        }
        let mut out = Vec::with_capacity(self.raw.len());
        charref::decode_attribute(self.raw, &mut out);
        Cow::Owned(out)
    }
}

impl<'a> Tag<'a> {
    /// Names, as written, and attributes in order of appearance. A dropped attribute has an empty value.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a [u8], Attribute<'a>)> + use<'a> {
        let data = self.data;
        self.spans.iter().map(move |span| (span.name(data), span.attribute(data)))
    }

    pub(crate) fn is_bare(&self) -> bool {
        self.spans.is_empty()
    }

    /// Number of attributes, including dropped ones.
    pub(crate) fn attribute_count(&self) -> u32 {
        let kept = self.spans.iter().filter(|span| !span.dropped).count() as u32;
        kept.saturating_add(self.dropped)
    }

    /// The first attribute of this lower-case name; repetitions do not count.
    #[inline]
    pub(crate) fn find(&self, name: &[u8]) -> Option<Attribute<'a>> {
        let data = self.data;
        self.spans
            .iter()
            .filter(|span| span.name.1 - span.name.0 == name.len())
            .find(|span| span.name(data).eq_ignore_ascii_case(name))
            .map(|span| span.attribute(data))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
    AfterQuoted,
}

/// A tag being read. Positions refer to the buffer that holds the tag.
#[derive(Debug)]
pub(crate) struct TagReader {
    phase: Phase,
    start: usize,
    name_end: usize,
    spans: Vec<Span>,
    kept: usize,
    dropped: u32,
    /// The attribute being read: its start, the end of its name, the start of its value.
    attribute: (usize, usize, usize),
    /// The attribute being read already exceeds the limit.
    overlong: bool,
    /// The last byte read is a slash between attributes.
    slash: bool,
}

const SPACE: u8 = 1;
const SLASH: u8 = 2;
const CLOSE: u8 = 4;
const EQUALS: u8 = 8;

/// Byte classes, so that a name is skipped with one look-up per byte.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b'\t' as usize] = SPACE;
    class[b'\n' as usize] = SPACE;
    class[0x0c] = SPACE;
    class[b'\r' as usize] = SPACE;
    class[b' ' as usize] = SPACE;
    class[b'/' as usize] = SLASH;
    class[b'>' as usize] = CLOSE;
    class[b'=' as usize] = EQUALS;
    class
};

/// Whether the byte ends a tag name: white space, `/` or `>`.
pub(crate) fn ends_name(byte: u8) -> bool {
    CLASS[byte as usize] & (SPACE | SLASH | CLOSE) != 0
}

pub(crate) const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes of `word` that equal `byte`; only the lowest mark is exact.
#[inline(always)]
pub(crate) fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ (LOW * u64::from(byte));
    difference.wrapping_sub(LOW) & !difference & HIGH
}

/// Marks the bytes of `word` below 33, white space among them; only the lowest mark is exact.
#[inline(always)]
pub(crate) fn low(word: u64) -> u64 {
    word.wrapping_sub(LOW * 33) & !word & HIGH
}

/// The position of the next byte of one of the classes, or the end. Eight bytes at a time without a branch per byte:
/// names are short, and a mispredicted loop exit costs more than reading eight bytes.
#[inline(always)]
fn until(data: &[u8], mut at: usize, classes: u8) -> usize {
    while let Some(word) = word(data, at) {
        let marked = low(word) | equal(word, b'>') | equal(word, b'=') | equal(word, b'/');
        if marked == 0 {
            at += 8;
            continue;
        }
        at += marked.trailing_zeros() as usize / 8;
        if CLASS[data[at] as usize] & classes != 0 {
            return at;
        }
        at += 1;
    }
    while at < data.len() && CLASS[data[at] as usize] & classes == 0 {
        at += 1;
    }
    at
}

/// The position of the next byte that is not white space, or the end.
#[inline(always)]
fn skip_space(data: &[u8], mut at: usize) -> usize {
    while at < data.len() && CLASS[data[at] as usize] & SPACE != 0 {
        at += 1;
    }
    at
}

/// The eight bytes at `at` as a number.
#[inline(always)]
pub(crate) fn word(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// The end of the unquoted value that starts at `at`; `None`: not in this piece.
#[inline(always)]
pub(crate) fn end_of_unquoted(data: &[u8], at: usize) -> Option<usize> {
    let end = until(data, at, SPACE | CLOSE);
    (end < data.len()).then_some(end)
}

/// The tag whose name starts at `name`, if it has no attributes, and the position after it.
#[inline(always)]
pub(crate) fn bare(data: &[u8], name: usize) -> Option<(Tag<'_>, usize)> {
    let end = until(data, name, SPACE | SLASH | CLOSE);
    if data.get(end) != Some(&b'>') {
        return None;
    }
    let name = &data[name..end.min(name + MAX_NAME)];
    Some((Tag { data, name, key: key(name), spans: &[], dropped: 0, closes_itself: false }, end + 1))
}

impl TagReader {
    pub(crate) fn new() -> Self {
        TagReader {
            phase: Phase::TagName,
            start: 0,
            name_end: 0,
            spans: Vec::new(),
            kept: 0,
            dropped: 0,
            attribute: (0, 0, 0),
            overlong: false,
            slash: false,
        }
    }

    /// Begins a tag whose name starts at `start`, or, with `BeforeName`, whose name is already known.
    #[inline]
    pub(crate) fn begin(&mut self, start: usize, phase: Phase) {
        self.phase = phase;
        self.start = start;
        self.name_end = start;
        self.spans.clear();
        self.kept = 0;
        self.dropped = 0;
        self.overlong = false;
        self.slash = false;
    }

    /// The tag, once [`run`](Self::run) has found its end in `data`.
    #[inline]
    pub(crate) fn tag<'a>(&'a self, data: &'a [u8]) -> Tag<'a> {
        let end = self.name_end.min(self.start + MAX_NAME);
        let name = &data[self.start..end];
        Tag {
            data,
            name,
            key: key(name),
            spans: &self.spans,
            dropped: self.dropped,
            closes_itself: self.slash,
        }
    }

    /// Continues reading at `at`. Returns the position after the `>` that ends the tag, or `None` if `data` ends first.
    #[inline]
    pub(crate) fn run(&mut self, data: &[u8], mut at: usize) -> Option<usize> {
        loop {
            if at >= data.len() {
                return None;
            }
            match self.phase {
                Phase::TagName => {
                    at = until(data, at, SPACE | SLASH | CLOSE);
                    self.name_end = at;
                    if at < data.len() {
                        self.phase = Phase::BeforeName;
                    }
                }
                Phase::BeforeName => {
                    // A slash that does not close the tag counts as white space.
                    while at < data.len() && CLASS[data[at] as usize] & (SPACE | SLASH) != 0 {
                        self.slash = data[at] == b'/';
                        at += 1;
                    }
                    if at < data.len() {
                        if data[at] == b'>' {
                            return Some(at + 1);
                        }
                        self.attribute = (at, at, at);
                        self.overlong = false;
                        self.slash = false;
                        self.phase = Phase::Name;
                        // A leading `=` belongs to the name.
                        at += 1;
                    }
                }
                Phase::Name => {
                    at = until(data, at, SPACE | SLASH | CLOSE | EQUALS);
                    self.attribute.1 = at;
                    self.attribute.2 = at;
                    // The common case first: `name="value"`.
                    if let Some([b'=', quote @ (b'"' | b'\'')]) = data.get(at..at + 2)
                        && let Some(end) = find(*quote, data, at + 2)
                    {
                        self.end_attribute(end, (at + 2, end));
                        at = end + 1;
                        if data.get(at) == Some(&b'>') {
                            return Some(at + 1);
                        }
                        self.phase = Phase::BeforeName;
                    } else if at < data.len() {
                        self.phase = match data[at] {
                            b'=' => Phase::BeforeValue,
                            _ => Phase::AfterName,
                        };
                        at += usize::from(data[at] == b'=');
                    }
                }
                Phase::AfterName => {
                    at = skip_space(data, at);
                    match data.get(at) {
                        None => {}
                        Some(b'=') => {
                            self.phase = Phase::BeforeValue;
                            at += 1;
                        }
                        Some(_) => {
                            let end = self.attribute.1;
                            self.end_attribute(at, (end, end));
                            self.phase = Phase::BeforeName;
                        }
                    }
                }
                Phase::BeforeValue => {
                    at = skip_space(data, at);
                    match data.get(at) {
                        None => {}
                        Some(&quote @ (b'"' | b'\'')) => {
                            at += 1;
                            self.attribute.2 = at;
                            self.phase = Phase::Quoted(quote);
                        }
                        Some(b'>') => {
                            self.end_attribute(at, (at, at));
                            return Some(at + 1);
                        }
                        Some(_) => {
                            self.attribute.2 = at;
                            self.phase = Phase::Unquoted;
                        }
                    }
                }
                Phase::Quoted(quote) => match find(quote, data, at) {
                    None => at = data.len(),
                    Some(end) => {
                        at = end;
                        self.end_attribute(at, (self.attribute.2, at));
                        at += 1;
                        self.phase = Phase::AfterQuoted;
                    }
                },
                Phase::Unquoted => {
                    at = until(data, at, SPACE | CLOSE);
                    if at < data.len() {
                        self.end_attribute(at, (self.attribute.2, at));
                        self.phase = Phase::BeforeName;
                    }
                }
                Phase::AfterQuoted => {
                    if data[at] == b'>' {
                        return Some(at + 1);
                    }
                    self.phase = Phase::BeforeName;
                }
            }
        }
    }

    #[inline]
    fn end_attribute(&mut self, at: usize, value: (usize, usize)) {
        let (start, name_end, _) = self.attribute;
        let length = at - start;
        if self.overlong || length > MAX_ATTRIBUTE || self.kept + length > MAX_TAG {
            self.dropped += 1;
            if self.spans.len() < MAX_ATTRIBUTES {
                let name_end = name_end.min(start + MAX_NAME + 1);
                self.spans.push(Span { name: (start, name_end), value: (name_end, name_end), dropped: true });
            }
        } else if self.spans.len() >= MAX_ATTRIBUTES {
            self.dropped += 1;
        } else {
            self.kept += length;
            self.spans.push(Span { name: (start, name_end), value, dropped: false });
        }
    }

    /// Moves the useful part of the unfinished tag from `data` to the front of a new buffer, and adjusts the positions.
    /// Returns the buffer; reading continues at its end.
    pub(crate) fn carry(&mut self, data: &[u8]) -> Vec<u8> {
        let mut carry = Vec::new();
        let put = |from: usize, to: usize, carry: &mut Vec<u8>| {
            let start = carry.len();
            carry.extend_from_slice(&data[from..to.max(from)]);
            (start, carry.len())
        };
        // One byte more than the longest name, so that a cut name does not look like a whole one.
        let name = put(self.start, self.name_end.min(self.start + MAX_NAME + 1), &mut carry);
        (self.start, self.name_end) = name;
        for span in &mut self.spans {
            span.name = put(span.name.0, span.name.1, &mut carry);
            let value = if span.dropped { (0, 0) } else { span.value };
            span.value = put(value.0, value.1, &mut carry);
        }
        if matches!(
            self.phase,
            Phase::Name | Phase::AfterName | Phase::BeforeValue | Phase::Quoted(_) | Phase::Unquoted
        ) {
            let (start, name_end, value) = self.attribute;
            if self.overlong || data.len() - start > MAX_ATTRIBUTE {
                self.overlong = true;
                let name = put(start, name_end.min(start + MAX_NAME + 1), &mut carry);
                self.attribute = (name.0, name.1, name.1);
            } else {
                let name = put(start, data.len(), &mut carry);
                self.attribute = (name.0, name.0 + (name_end - start), name.0 + (value - start));
            }
        }
        carry
    }
}
