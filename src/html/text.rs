//! The visible text of a page, and its fingerprint.
//!
//! Visible text is text in ordinary markup, in `title`, `textarea` and the old `xmp` and `plaintext`, but not scripts, styles,
//! comments, attributes and `template`. Text hidden by style sheets or scripts is not recognised and counts as visible.
//!
//! The fingerprint is BLAKE3 of the text without any white space (Unicode's, soft hyphens and zero-width characters
//! too). White space comes and goes with markup, so leaving it out makes the fingerprint equal wherever only markup,
//! scripts, comments or nonces differ, at the price that "a b" and "ab" are one. A page without visible text has none.

use super::charref;
use super::element::{HEADING, INLINE, TEMPLATE, key, traits};
use super::menu::{Mark, Menus};
use super::tag::Tag;
use super::tokens::{Place, RawElement, Sink};
use crate::digest::BodyDigest;

/// Maximum bytes of the excerpt.
const MAX_EXCERPT_BYTES: usize = 2048;
/// Maximum bytes of the title.
const MAX_TITLE_BYTES: usize = 512;
/// Maximum bytes of the headings, and of the text that follows the first of them.
const MAX_HEADING_BYTES: usize = 512;

const A: u64 = key(b"a");
const BR: u64 = key(b"br");
const OPTION: u64 = key(b"option");
const SELECT: u64 = key(b"select");
const FOOTER: u64 = key(b"footer");

#[derive(Debug, Default)]
pub(crate) struct TextCollector {
    hasher: blake3::Hasher,
    /// Text without white space, waiting to be hashed.
    dense: Vec<u8>,
    /// Bytes of text without white space.
    length: u64,
    excerpt: Words,
    title: Words,
    heading: Words,
    lead: Words,
    /// Headings seen and open.
    headings: u32,
    in_heading: bool,
    menus: Menus,
    /// Bytes of text in menus, without white space.
    menu_length: u64,
    /// The last thing seen is a `br`: a second one ends a paragraph.
    after_br: bool,
    references: References,
    templates: u32,
    /// Footers open, and where the text began of the footer that ends the page so far.
    footers: u32,
    footer: Option<(usize, usize)>,
}

/// Decodes the character references of text that arrives in pieces, and keeps characters whole.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// A character reference or a character that may continue in the next call.
    open: Vec<u8>,
    place: Option<Place>,
    scratch: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The fingerprint; `None` for a page without visible text.
    pub fingerprint: Option<BodyDigest>,
    /// Bytes of visible text in UTF-8, without white space.
    pub length: u64,
    /// Those of them that are in menus: rows of short links.
    pub menu_length: u64,
    /// The title with white space collapsed, cut at a limit.
    pub title: String,
    /// The beginning of the text with white space collapsed, a line for each block, without menus, cut at a limit.
    pub excerpt: String,
    /// The first `h1` and `h2`, separated by `|`, cut at a limit.
    pub heading: String,
    /// The text from the first heading on, in the same way, cut at a limit.
    pub lead: String,
    /// Where in the excerpt and in the lead the `footer` begins that ends the page.
    pub footer: Option<(usize, usize)>,
}

impl Text {
    /// The excerpt without the footer that ends the page, unless there is nothing else.
    pub(crate) fn excerpt_above_footer(&self) -> &str {
        above(&self.excerpt, self.footer.map(|(excerpt, _)| excerpt))
    }

    /// The lead without it.
    pub(crate) fn lead_above_footer(&self) -> &str {
        above(&self.lead, self.footer.map(|(_, lead)| lead))
    }
}

fn above(text: &str, footer: Option<usize>) -> &str {
    footer.and_then(|at| text.get(..at)).filter(|text| !text.is_empty()).unwrap_or(text)
}

/// Words separated by single spaces, and by a line feed where a block ends, up to a limit.
#[derive(Debug, Default)]
struct Words {
    bytes: Vec<u8>,
    /// What comes before the next word.
    gap: Option<u8>,
}

impl Words {
    /// Ends a word, or with a line feed a line.
    fn separate(&mut self, by: u8) {
        self.gap = self.gap.filter(|gap| *gap == b'\n').or(Some(by));
    }

    fn push(&mut self, text: &[u8], cap: usize) {
        for &byte in text {
            if self.bytes.len() >= cap {
                return;
            }
            if byte.is_ascii_whitespace() || byte == 0 {
                self.separate(b' ');
            } else {
                if let Some(gap) = self.gap.take().filter(|_| !self.bytes.is_empty()) {
                    self.bytes.push(gap);
                }
                self.bytes.push(byte);
            }
        }
    }

    /// Leaves out what came behind a place.
    fn cut(&mut self, to: usize) {
        self.bytes.truncate(to);
        self.gap = Some(b'\n');
    }

    fn finish(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end_matches('\u{fffd}').to_owned()
    }
}

/// The length of the non-ASCII white space or invisible character that starts here, or 0.
fn invisible(at: &[u8]) -> usize {
    match at {
        // No-break space, soft hyphen, next line.
        [0xc2, 0xa0 | 0xad | 0x85, ..] => 2,
        // Ogham space, en quad to right-to-left mark, line and paragraph separator, narrow space, word joiner.
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x80, 0x80..=0x8f | 0xa8 | 0xa9 | 0xaf, ..] => 3,
        [0xe2, 0x81, 0x9f | 0xa0, ..] | [0xe3, 0x80, 0x80, ..] | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// Whether readers see text of this place.
pub(crate) fn is_visible(place: Place) -> bool {
    use RawElement::*;
    matches!(place, Place::Data | Place::Raw(Title | Textarea | Xmp | Plaintext))
}

impl References {
    /// Whether a reference or a character has begun that may go on.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Reads the next piece of text and passes on the decoded part.
    #[inline]
    pub(crate) fn feed(&mut self, place: Place, text: &[u8], take: &mut impl FnMut(Place, &[u8])) {
        if self.place != Some(place) {
            self.flush(take);
            self.place = Some(place);
        }
        // Most text is plain: nothing to decode, nothing that continues after its end.
        if self.open.is_empty()
            && text.last().is_none_or(u8::is_ascii)
            && memchr::memchr(b'&', text).is_none()
        {
            return take(place, text);
        }
        self.decode(place, text, false, take);
    }

    /// Ends the text: nothing continues what came so far.
    #[inline]
    pub(crate) fn flush(&mut self, take: &mut impl FnMut(Place, &[u8])) {
        if let Some(place) = self.place
            && !self.open.is_empty()
        {
            self.decode(place, b"", true, take);
        }
    }

    fn decode(&mut self, place: Place, text: &[u8], last: bool, take: &mut impl FnMut(Place, &[u8])) {
        let mut input = std::mem::take(&mut self.open);
        let text = if input.is_empty() {
            text
        } else {
            input.extend_from_slice(text);
            &input
        };
        self.scratch.clear();
        let decodes = !matches!(place, Place::Raw(RawElement::Xmp | RawElement::Plaintext));
        let (decoded, taken) = if decodes && memchr::memchr(b'&', text).is_some() {
            let taken = charref::decode_text(text, last, &mut self.scratch);
            (&self.scratch[..], taken)
        } else {
            (text, text.len())
        };
        // A character cut at the end also waits for the rest.
        let cut = if last || taken < text.len() { 0 } else { unfinished(decoded) };
        take(place, &decoded[..decoded.len() - cut]);
        let mut open = decoded[decoded.len() - cut..].to_vec();
        open.extend_from_slice(&text[taken..]);
        self.open = open;
    }
}

impl TextCollector {
    fn collect(&mut self, place: Place, text: &[u8]) {
        let mut references = std::mem::take(&mut self.references);
        references.feed(place, text, &mut |place, text| self.take(place, text));
        self.references = references;
    }

    fn take(&mut self, place: Place, text: &[u8]) {
        if place == Place::Raw(RawElement::Title) {
            self.title.push(text, MAX_TITLE_BYTES);
        } else {
            self.after_br &= text.iter().all(u8::is_ascii_whitespace);
            self.menus.text(text);
            if self.footers == 0 && !text.iter().all(u8::is_ascii_whitespace) {
                self.footer = None;
            }
            self.excerpt.push(text, MAX_EXCERPT_BYTES);
            if self.headings > 0 {
                self.lead.push(text, MAX_HEADING_BYTES);
            }
            if self.in_heading {
                self.heading.push(text, MAX_HEADING_BYTES);
            }
        }
        if text.is_ascii() {
            // Branch-free: every byte is written, and white space is overwritten by the next byte.
            let mut end = self.dense.len();
            self.dense.resize(end + text.len(), 0);
            for &byte in text {
                self.dense[end] = byte;
                end += usize::from(byte > b' ');
            }
            self.dense.truncate(end);
        } else {
            self.take_any(text);
        }
        if self.dense.len() >= 16 * 1024 {
            self.hash();
        }
    }

    fn take_any(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match invisible(&text[at..]) {
                0 => {
                    if byte > b' ' {
                        self.dense.push(byte);
                    }
                    at += 1;
                }
                length => at += length,
            }
        }
    }

    fn hash(&mut self) {
        self.hasher.update(&self.dense);
        self.length += self.dense.len() as u64;
        self.dense.clear();
    }

    /// Separates words, and lines unless it is a single `br`: a sentence may go on behind that.
    fn part(&mut self, key: u64) {
        let by = if key == BR && !self.after_br { b' ' } else { b'\n' };
        self.after_br = key == BR;
        self.menus.end_line();
        self.excerpt.separate(by);
        self.lead.separate(by);
        self.heading.separate(b' ');
    }

    fn begin_heading(&mut self) {
        if self.headings > 0 {
            self.heading.push(b" | ", MAX_HEADING_BYTES);
        }
        self.headings = self.headings.saturating_add(1);
        self.in_heading = true;
        self.menus.end();
    }

    fn mark(&self) -> Mark {
        let length = self.length + self.dense.len() as u64;
        Mark { excerpt: self.excerpt.bytes.len(), lead: self.lead.bytes.len(), length }
    }

    /// Begins an entry of a menu, unless it is a heading.
    fn open_entry(&mut self) {
        self.close_entry();
        if !self.in_heading {
            self.menus.open(self.mark());
        }
    }

    /// Ends it, and leaves the menu out.
    fn close_entry(&mut self) {
        let at = self.mark();
        if let Some(start) = self.menus.close(at) {
            self.excerpt.cut(start.excerpt);
            self.lead.cut(start.lead);
            self.menu_length += at.length - start.length;
        }
    }

    fn flush(&mut self) {
        if self.references.open.is_empty() {
            return;
        }
        let mut references = std::mem::take(&mut self.references);
        references.flush(&mut |place, text| self.take(place, text));
        self.references = references;
    }

    pub(crate) fn finish(&mut self) -> Text {
        self.flush();
        self.hash();
        Text {
            fingerprint: (self.length > 0).then(|| BodyDigest(*self.hasher.finalize().as_bytes())),
            length: self.length,
            menu_length: self.menu_length,
            title: self.title.finish(),
            excerpt: self.excerpt.finish(),
            heading: self.heading.finish(),
            lead: self.lead.finish(),
            footer: self.footer,
        }
    }
}

/// Number of bytes at the end that begin an unfinished UTF-8 character.
fn unfinished(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let byte = text[text.len() - back];
        let needs = match byte {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0.. => 4,
            0x80..=0xbf => continue,
            _ => 0,
        };
        return if needs > back { back } else { 0 };
    }
    0
}

impl Sink for TextCollector {
    fn wants(&self, place: Place) -> bool {
        self.templates == 0 && is_visible(place)
    }

    #[inline]
    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.flush();
        let traits = traits(tag.key);
        if traits & INLINE == 0 {
            self.part(tag.key);
            self.templates = self.templates.saturating_add(u32::from(traits & TEMPLATE != 0));
            if traits & HEADING != 0 {
                self.begin_heading();
            }
        }
        if matches!(tag.key, A | OPTION) {
            self.open_entry();
        }
        if tag.key == FOOTER {
            self.footers = self.footers.saturating_add(1);
            let at = (self.excerpt.bytes.len(), self.lead.bytes.len());
            self.footer.get_or_insert(at);
        }
    }

    #[inline]
    fn end_tag(&mut self, _: &[u8], key: u64) {
        self.flush();
        let traits = traits(key);
        if self.menus.is_open() && matches!(key, A | OPTION | SELECT) {
            self.close_entry();
        }
        if traits & INLINE == 0 {
            self.part(key);
            self.templates = self.templates.saturating_sub(u32::from(traits & TEMPLATE != 0));
            self.in_heading &= traits & HEADING == 0;
        }
        if key == FOOTER {
            self.footers = self.footers.saturating_sub(1);
        }
    }

    fn text(&mut self, place: Place, text: &[u8]) {
        self.collect(place, text);
    }

    fn interruption(&mut self) {
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tokens::Tokenizer;
    use super::*;

    fn text_of(pieces: &[&[u8]]) -> Text {
        let mut collector = TextCollector::default();
        let mut tokenizer = Tokenizer::new();
        for piece in pieces {
            tokenizer.feed(piece, &mut collector);
        }
        tokenizer.finish(&mut collector);
        collector.finish()
    }

    fn text(html: &str) -> Text {
        text_of(&[html.as_bytes()])
    }

    #[test]
    fn markup_scripts_comments_nonces_and_white_space_do_not_change_the_fingerprint() {
        let plain = text("<title>T</title><p>A &amp; b</p><p>c</p>");
        for same in [
            "<title>T</title><div class=x><b>A</b>&nbsp;&#38; b<br>c</div>",
            "<MAX_TITLE_BYTES>\nT </MAX_TITLE_BYTES><script nonce=1>x</script><p>A & b</p> <p>c<!-- 17 -->",
            "<title>T</title><style>p{}</style><template>no</template>A &amp;\u{200b} b<noframes>n</noframes>c\u{ad}",
        ] {
            assert_eq!(text(same).fingerprint, plain.fingerprint, "{same}");
        }
        for other in ["<title>T</title>A & b d", "<title>U</title>A & b c", "A & b c"] {
            assert_ne!(text(other).fingerprint, plain.fingerprint, "{other}");
        }
    }

    #[test]
    fn a_page_without_visible_text_has_no_fingerprint() {
        assert_eq!(text("<html><script>app()</script><div id=root></div>").fingerprint, None);
        assert_eq!(text("").length, 0);
    }

    #[test]
    fn title_and_excerpt_are_collapsed_and_words_stay_whole() {
        let text = text("<title> Not\n found </title><h1>Not <b>fo</b>und</h1><p>Sorry</p>");
        assert_eq!(text.title, "Not found");
        assert_eq!(text.excerpt, "Not found\nSorry");
        assert_eq!(text.length, 8 + 8 + 5);
        assert_eq!((text.heading.as_str(), text.lead.as_str()), ("Not found", "Not found\nSorry"));
    }

    #[test]
    fn the_footer_that_ends_a_page_is_told_from_footers_before_more_text() {
        let end = text("<h1>Head</h1><p>Text</p><footer><p>Foot</p></footer></body>");
        assert_eq!((end.excerpt_above_footer(), end.lead_above_footer()), ("Head\nText", "Head\nText"));
        let inner = text("<p>One</p><footer>By Ada</footer><p>Two</p>");
        assert_eq!(inner.excerpt_above_footer(), "One\nBy Ada\nTwo");
        assert_eq!(text("<footer>All</footer>").excerpt_above_footer(), "All");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_way_to_cut_a_page_gives_the_same_text(
            words in prop::collection::vec(prop::sample::select(vec![
                "a", "é", "\u{a0}", "\u{200b}", "&amp;", "&am", "p;", "&#", "65", ";", "&", "<p>", "</p>", "<!--x-->",
                "<title>", "</title>", " ", "\n", "<template>", "</template>", "\u{1F600}", "<script>", "</script>", "<footer>", "</footer>",
            ]), 0..30),
            cut in 0usize..120,
        ) {
            let html = words.concat();
            let (a, b) = html.as_bytes().split_at(cut.min(html.len()));
            let whole = text(&html);
            prop_assert_eq!(&text_of(&[a, b]), &whole);
            let bytes: Vec<&[u8]> = html.as_bytes().chunks(1).collect();
            prop_assert_eq!(&text_of(&bytes), &whole);
        }
    }
}
