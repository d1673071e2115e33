//! Links in CSS: `url(…)` and `@import`, streaming.
//!
//! Follows the tokens of CSS Syntax Level 3 as far as they decide where a URL is: comments, strings, escapes, bad
//! URLs. `@namespace url(…)` names no resource and is skipped, as is an `@import` behind other rules, which browsers
//! ignore; `url(#x)` names a part of the page itself. What stands behind a media query or `@supports` is [`LinkKind::Conditional`], unless the query is met by every screen. Of the images of an `image-set()`,
//! named by `url()` or by a bare string, one is enough: all but the first are [`LinkKind::Candidate`]. A function name written with
//! escapes (`\75rl(`) is not read.

use super::links::{LinkKind, is_fetched};
use super::tag::MAX_ATTRIBUTE;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    /// After a `/`.
    Slash,
    Comment,
    /// In a comment after a `*`.
    Star,
    Text(u8),
    /// After `@`, reading its name.
    At,
    /// After `@import` and white space.
    Import,
    /// After `url(` and white space.
    Open,
    Quoted(u8),
    Bare,
    /// After a bare URL and white space.
    Trail,
    Bad,
}

/// Finds the links of a style sheet that arrives in pieces.
#[derive(Debug)]
pub(crate) struct CssScanner {
    state: State,
    /// The byte after a backslash is literal.
    escaped: bool,
    /// The last bytes of a run of code, and how long the run is.
    last: [u8; 4],
    run: usize,
    name: [u8; 12],
    name_length: usize,
    /// The next `url(`, if it follows directly, belongs to an `@import` or an `@namespace`.
    rule: Rule,
    /// A rule has begun behind which browsers ignore every `@import`.
    has_rules: bool,
    /// Inside `@font-face`.
    font_face: bool,
    media: Media,
    set: Option<ImageSet>,
    value: Vec<u8>,
    overlong: bool,
    /// URLs dropped because they were longer than the cap.
    pub(crate) dropped: u64,
}

/// Inside `image-set(`.
#[derive(Debug, Clone, Copy)]
struct ImageSet {
    /// Parentheses open.
    depth: u32,
    /// An image of it was told.
    is_told: bool,
}

/// Where we are with regard to `@media`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Media {
    None,
    /// In the condition; whether it asks for more than a screen.
    Condition {
        more: bool,
    },
    /// In a block with a condition, that many braces deep.
    Block {
        depth: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    None,
    Import,
    /// It names no resource: `@namespace`, or an `@import` behind other rules.
    Nothing,
}

static STOP: [bool; 256] = {
    let mut stop = [false; 256];
    let stops = b"\"'/()@\\;{}";
    let mut i = 0;
    while i < stops.len() {
        stop[stops[i] as usize] = true;
        i += 1;
    }
    stop
};

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..)
}

impl Default for CssScanner {
    fn default() -> Self {
        CssScanner {
            state: State::Code,
            escaped: false,
            last: [0; 4],
            run: 0,
            name: [0; 12],
            name_length: 0,
            rule: Rule::None,
            has_rules: false,
            font_face: false,
            media: Media::None,
            set: None,
            value: Vec::new(),
            overlong: false,
            dropped: 0,
        }
    }
}

impl CssScanner {
    /// Reads the next piece and reports every link in it.
    pub(crate) fn feed(&mut self, data: &[u8], emit: &mut impl FnMut(LinkKind, &[u8])) {
        let mut at = 0;
        while at < data.len() {
            if self.escaped {
                self.escaped = false;
                self.keep(data[at]);
                at += 1;
                continue;
            }
            at = match self.state {
                State::Code => self.code(data, at),
                State::Comment => match memchr::memchr(b'*', &data[at..]) {
                    None => data.len(),
                    Some(length) => {
                        self.state = State::Star;
                        at + length + 1
                    }
                },
                _ => self.step(data[at], at, emit),
            };
        }
    }

    /// Ends the style sheet: an unclosed URL counts, as the standard requires.
    pub(crate) fn finish(&mut self, emit: &mut impl FnMut(LinkKind, &[u8])) {
        if matches!(self.state, State::Quoted(_) | State::Bare | State::Trail) {
            self.emit(emit);
        }
        *self = CssScanner { dropped: self.dropped, ..CssScanner::default() };
    }

    fn enter_code(&mut self) {
        self.state = State::Code;
        self.last = [0; 4];
        self.run = 0;
    }

    fn code(&mut self, data: &[u8], at: usize) -> usize {
        let mut stop = at;
        while stop < data.len() && !STOP[data[stop] as usize] {
            stop += 1;
        }
        for &byte in &data[stop.saturating_sub(4).max(at)..stop] {
            self.last = [self.last[1], self.last[2], self.last[3], byte.to_ascii_lowercase()];
        }
        self.run += stop - at;
        let Some(&byte) = data.get(stop) else {
            return data.len();
        };
        match byte {
            b'(' if &self.last[1..] == b"url" && !is_name(self.last[0]) => {
                if self.run != 3 {
                    self.rule = Rule::None;
                }
                self.state = State::Open;
                return stop + 1;
            }
            b'(' if &self.last == b"-set" && self.set.is_none() => {
                self.set = Some(ImageSet { depth: 1, is_told: false });
                self.enter_code();
            }
            b'(' if matches!(self.media, Media::Condition { .. }) => {
                self.media = Media::Condition { more: true };
                self.enter_code();
            }
            b';' if matches!(self.media, Media::Condition { .. }) => {
                self.media = Media::None;
                self.enter_code();
            }
            b'/' => self.state = State::Slash,
            b'(' => {
                self.set = self.set.map(|set| ImageSet { depth: set.depth.saturating_add(1), ..set });
                self.enter_code();
            }
            b')' => {
                let set = self.set.filter(|set| set.depth > 1);
                self.set = set.map(|set| ImageSet { depth: set.depth - 1, ..set });
                self.enter_code();
            }
            b'"' | b'\'' if self.set.is_some_and(|set| set.depth == 1) => self.begin(State::Quoted(byte)),
            b'"' | b'\'' => self.state = State::Text(byte),
            b'@' => {
                self.state = State::At;
                self.name_length = 0;
            }
            b'\\' => {
                self.enter_code();
                self.escaped = true;
            }
            b'}' => {
                self.font_face = false;
                self.set = None;
                self.media = match self.media {
                    Media::Block { depth: 0..=1 } => Media::None,
                    Media::Block { depth } => Media::Block { depth: depth - 1 },
                    media => media,
                };
                self.enter_code();
            }
            b'{' => {
                self.has_rules = true;
                self.set = None;
                self.media = match self.media {
                    Media::Condition { more: false } if !self.is_print() => Media::None,
                    Media::Condition { .. } => Media::Block { depth: 1 },
                    Media::Block { depth } => Media::Block { depth: depth.saturating_add(1) },
                    Media::None => Media::None,
                };
                self.enter_code();
            }
            _ => {
                self.set = None;
                self.enter_code();
            }
        }
        self.rule = Rule::None;
        stop + 1
    }

    /// Whether the code before this ends in `print`, as far as it is remembered.
    fn is_print(&self) -> bool {
        matches!(&self.last, b"rint" | b"int ")
    }

    fn keep(&mut self, byte: u8) {
        match self.state {
            State::Code => self.last = [self.last[1], self.last[2], self.last[3], b'\\'],
            State::Quoted(_) | State::Bare if self.value.len() < MAX_ATTRIBUTE => self.value.push(byte),
            State::Quoted(_) | State::Bare => self.overlong = true,
            _ => {}
        }
    }

    fn begin(&mut self, state: State) {
        self.value.clear();
        self.overlong = false;
        self.state = state;
    }

    fn emit(&mut self, emit: &mut impl FnMut(LinkKind, &[u8])) {
        let rule = std::mem::replace(&mut self.rule, Rule::None);
        if self.overlong {
            self.dropped += 1;
            return;
        }
        let kind = match rule {
            Rule::Nothing => return,
            Rule::Import => LinkKind::Stylesheet,
            Rule::None if self.value.first() == Some(&b'#') => return,
            Rule::None if self.font_face => LinkKind::Font,
            Rule::None if matches!(self.media, Media::Block { .. }) => LinkKind::Conditional,
            Rule::None => LinkKind::Style,
        };
        let kind = match &mut self.set {
            Some(set) if set.is_told => LinkKind::Candidate,
            Some(set) => {
                set.is_told = is_fetched(&self.value);
                kind
            }
            None => kind,
        };
        if self.value.contains(&b'\\') {
            emit(kind, &unescape(&self.value));
        } else {
            emit(kind, &self.value);
        }
    }

    /// Handles one byte in a short state. Returns where to continue: at the same position to read the byte again.
    fn step(&mut self, byte: u8, at: usize, emit: &mut impl FnMut(LinkKind, &[u8])) -> usize {
        match self.state {
            State::Slash if byte == b'*' => self.state = State::Comment,
            State::Slash => {
                self.enter_code();
                return at;
            }
            State::Star if byte == b'/' => self.enter_code(),
            State::Star if byte == b'*' => {}
            State::Star => self.state = State::Comment,
            State::Text(quote) if byte == quote => self.enter_code(),
            State::Text(_) => match byte {
                b'\\' => self.escaped = true,
                b'\n' | b'\r' | 0x0c => self.enter_code(),
                _ => {}
            },
            State::At if is_name(byte) => {
                if self.name_length < self.name.len() {
                    self.name[self.name_length] = byte.to_ascii_lowercase();
                }
                self.name_length += 1;
            }
            State::At => {
                self.enter_code();
                match self.name.get(..self.name_length) {
                    Some(b"import") if !self.has_rules => {
                        (self.rule, self.state) = (Rule::Import, State::Import);
                    }
                    Some(b"font-face") => self.font_face = true,
                    Some(b"media" | b"supports") if self.media == Media::None => {
                        self.media = Media::Condition { more: false };
                    }
                    Some(b"import") => (self.rule, self.state) = (Rule::Nothing, State::Import),
                    Some(b"namespace") => {
                        self.has_rules = true;
                        (self.rule, self.state) = (Rule::Nothing, State::Import);
                    }
                    _ => {}
                }
                return at;
            }
            State::Import if is_space(byte) => {}
            State::Import => match byte {
                b'"' | b'\'' => self.begin(State::Quoted(byte)),
                // A namespace may have a prefix before its URL.
                _ if self.rule == Rule::Nothing && is_name(byte) && !matches!(byte, b'u' | b'U') => {}
                _ => {
                    self.enter_code();
                    return at;
                }
            },
            State::Open if is_space(byte) => {}
            State::Open => match byte {
                b'"' | b'\'' => self.begin(State::Quoted(byte)),
                _ => {
                    self.begin(State::Bare);
                    return at;
                }
            },
            State::Quoted(quote) => match byte {
                _ if byte == quote => {
                    self.emit(emit);
                    self.enter_code();
                }
                b'\\' => {
                    self.keep(byte);
                    self.escaped = true;
                }
                b'\n' | b'\r' | 0x0c => {
                    self.rule = Rule::None;
                    self.enter_code();
                }
                _ => self.keep(byte),
            },
            State::Bare => match byte {
                b')' => {
                    self.emit(emit);
                    self.enter_code();
                }
                b'\\' => {
                    self.keep(byte);
                    self.escaped = true;
                }
                b'"' | b'\'' | b'(' => self.state = State::Bad,
                _ if is_space(byte) => self.state = State::Trail,
                _ => self.keep(byte),
            },
            State::Trail if is_space(byte) => {}
            State::Trail if byte == b')' => {
                self.emit(emit);
                self.enter_code();
            }
            State::Trail => self.state = State::Bad,
            State::Bad => match byte {
                b')' => {
                    self.rule = Rule::None;
                    self.enter_code();
                }
                b'\\' => self.escaped = true,
                _ => {}
            },
            State::Code | State::Comment => {}
        }
        at + 1
    }
}

/// Undoes the escapes of a CSS string or URL.
fn unescape(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len());
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let digits = value[at..].iter().take(6).take_while(|c| c.is_ascii_hexdigit()).count();
        if digits > 0 {
            let code = value[at..at + digits]
                .iter()
                .fold(0, |code, &c| code * 16 + (c as char).to_digit(16).unwrap_or(0));
            let c = char::from_u32(code).filter(|&c| c != '\0').unwrap_or('\u{fffd}');
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            at += digits;
            at += usize::from(value.get(at).is_some_and(|&c| is_space(c)));
        } else if let Some(&next) = value.get(at) {
            at += 1;
            if !matches!(next, b'\n' | b'\r' | 0x0c) {
                out.push(next);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scan(pieces: &[&[u8]]) -> Vec<(LinkKind, String)> {
        let mut found = Vec::new();
        let mut emit = |kind, value: &[u8]| found.push((kind, String::from_utf8_lossy(value).into_owned()));
        let mut scanner = CssScanner::default();
        for piece in pieces {
            scanner.feed(piece, &mut emit);
        }
        scanner.finish(&mut emit);
        found
    }

    #[test]
    fn urls_and_imports_are_found_and_their_look_alikes_are_not() {
        let css = r#"@charset "utf-8"; @import "a.css"; @IMPORT url(b.css) print; @import url( "c.css" );
            /* url(no1) */ p { background: URL( d.png ), url('e f.png'); content: "url(no2)"; myurl(no3); }
            @namespace url(http://no4/); @namespace svg url(no5); @font-face { src: url(f\).woff) }
            q { x: url(no6 no7); y: url(no"8); z: url(g\20h.png) } @import 'no9'; @import url(no10);"#;
        let found = scan(&[css.as_bytes()]);
        let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["a.css", "b.css", "c.css", "d.png", "e f.png", "f).woff", "g h.png"]);
        let imports = found.iter().filter(|(kind, _)| *kind == LinkKind::Stylesheet).count();
        assert_eq!(imports, 3);
    }

    #[test]
    fn of_the_images_of_a_set_one_is_enough_however_they_are_written() {
        use LinkKind::{Candidate, Style};
        let css = r#"a { background: image-set(url(a1.png) 1x, url("a2.png") 2x), url(b.png) }
            c { background: -webkit-image-set("c1.webp" type("image/no"), 'c2.png' 2x); content: "no" }
            d { x: image-set(linear-gradient(red, blue) 1x, "d.png" 2x); y: url(e.png) }
            f { x: image-set(url(data:no) 1x, url(f.png) 2x); g: image-set("g.png" } h { i: "no"; j: url(k.png) }"#;
        let found: Vec<(LinkKind, String)> = scan(&[css.as_bytes()]);
        let expected = [
            (Style, "a1.png"),
            (Candidate, "a2.png"),
            (Style, "b.png"),
            (Style, "c1.webp"),
            (Candidate, "c2.png"),
            (Style, "d.png"),
            (Style, "e.png"),
            (Style, "data:no"),
            (Style, "f.png"),
            (Style, "g.png"),
            (Style, "k.png"),
        ];
        assert_eq!(found, expected.map(|(kind, value)| (kind, value.to_owned())));
    }

    #[test]
    fn an_import_behind_other_rules_is_no_link_as_browsers_ignore_it() {
        let imports = |css: &str| scan(&[css.as_bytes()]).len();
        for early in [
            "@import 'a.css",
            "@charset 'utf-8'; @layer base, page; @import 'a.css';",
            "/* p { } */ @import url(a.css) layer(base);",
        ] {
            assert_eq!(imports(early), 1, "{early}");
        }
        for late in [
            "p { } @import 'a.css';",
            "@media print { } @import url(a.css);",
            "@layer base { } @import url('a.css');",
            "@namespace url(x); @import 'a.css';",
            "@font-face { } @import url(a.css) screen;",
        ] {
            assert_eq!(imports(late), 0, "{late}");
        }
    }

    proptest! {
        #[test]
        fn any_way_to_cut_a_style_sheet_gives_the_same_links(
            words in prop::collection::vec(prop::sample::select(vec![
                "url(", "URL(", "@import ", "@namespace ", "\"", "'", ")", "(", "/*", "*/", "/", "*", "\\", "a.png",
                "\n", " ", ";", "{", "}", "u", "r", "l", "@", "import", "20", "image-set(", "-set",
            ]), 0..30),
            cut in 0usize..100,
        ) {
            let css = words.concat();
            let (a, b) = css.as_bytes().split_at(cut.min(css.len()));
            let whole = scan(&[css.as_bytes()]);
            prop_assert_eq!(&scan(&[a, b]), &whole);
            let bytes: Vec<&[u8]> = css.as_bytes().chunks(1).collect();
            prop_assert_eq!(&scan(&bytes), &whole);
        }
    }
}
