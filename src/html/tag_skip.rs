//! Fast path over tags without links or with one simple link. Nearly all tags are of this kind, and only their end
//! matters.
//!
//! A skipped tag ends where [`super::tag::TagReader`] would end it. A `>` that does not end the tag needs a
//! quoted value, and that needs a name with `=` directly before it; anything else is left to the reader.

use super::element::{self, key, traits};
use super::tag::{self, ends_name, equal, low, word};
use crate::byte_search::{LANES, find, find2, lanes, marks};

/// Maximum bytes of a tag on the fast path; the reader counts overlong and too many attributes.
const MAX_TAG_BYTES: usize = 2 * tag::MAX_ATTRIBUTES;

/// The bit of each byte that distinguishes lower-case from upper-case letters.
const CASE: u64 = tag::LOW * 0x20;

const A: u64 = key(b"a");
const BUTTON: u64 = key(b"button");
const IMG: u64 = key(b"img");
const LINK: u64 = key(b"link");
const META: u64 = key(b"meta");

/// A link in a skipped tag, its attributes as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain<'a> {
    /// `a`: its `href`.
    Anchor(&'a [u8]),
    /// `img`: its `src`.
    Image(&'a [u8]),
    /// `link`: its `href` and its `rel`.
    Relation(&'a [u8], &'a [u8]),
}

/// Skips text and tags without links, or with simple ones, from `at` on, and reports those links. Returns the position of the
/// `<` that the reader has to handle: what it opens may have other links or raw text, is unusual, or ends too near
/// the end of the piece. `None`: there is no such `<`.
#[inline]
pub(crate) fn next(data: &[u8], mut at: usize, found: &mut impl FnMut(Plain<'_>)) -> Option<usize> {
    loop {
        let open = find(b'<', data, at)?;
        let Some((plain, end)) = pass(data, open + 1) else { return Some(open) };
        if let Some(plain) = plain {
            found(plain);
        }
        at = end;
    }
}

/// Skips a tag whose first byte after `<` is at `start`. Returns its link, if it has one, and the position after the tag.
#[inline(always)]
fn pass(data: &[u8], start: usize) -> Option<(Option<Plain<'_>>, usize)> {
    let tag = lanes(data, start)?;
    let marks = marks(tag, b'=', b'>');
    if tag[0] == b'/' {
        let end = marks.trailing_zeros() as usize;
        let is_bare = marks != 0 && tag[end % LANES] == b'>' && tag[1].is_ascii_alphabetic();
        return is_bare.then_some((None, start + end + 1));
    }
    let name = word(tag, 0)?;
    let ends = low(name) | equal(name, b'>') | equal(name, b'/');
    let length = ends.trailing_zeros() / 8;
    let at = length as usize;
    if at >= 8 || !tag[0].is_ascii_alphabetic() || !ends_name(tag[at]) {
        return None;
    }
    let key = key_of(name, length);
    let at = start + at;
    if key == A {
        let ([href, _], end) = attributes::<true>(data, start, at, Role::in_anchor)?;
        return Some((href.map(Plain::Anchor), end));
    }
    if traits(key) & (element::LINKS | element::RAW) == 0 {
        return match marks.trailing_zeros() as usize {
            mark if mark < LANES && tag[mark] == b'>' => Some((None, start + mark + 1)),
            _ => attributes::<false>(data, start, at, Role::in_any).map(|(_, end)| (None, end)),
        };
    }
    match key {
        LINK => {
            let ([href, rel], end) = attributes::<true>(data, start, at, Role::in_link)?;
            // A style sheet that is switched off.
            if data[at..end].windows(8).any(|word| word.eq_ignore_ascii_case(b"disabled")) {
                return None;
            }
            Some((href.map(|href| Plain::Relation(href, rel.unwrap_or_default())), end))
        }
        IMG => {
            let ([src, _], end) = attributes::<true>(data, start, at, Role::in_image)?;
            Some((src.map(Plain::Image), end))
        }
        META => attributes::<false>(data, start, at, Role::in_meta).map(|(_, end)| (None, end)),
        BUTTON => attributes::<false>(data, start, at, Role::in_button).map(|(_, end)| (None, end)),
        _ => None,
    }
}

/// The meaning of an attribute for the links of its tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Other,
    /// The address; its name has this many letters.
    Address(usize),
    /// The relation; its name has this many letters.
    Relation(usize),
    /// The reader has to handle this tag.
    Unclear,
}

/// Attribute names by their last eight letters: each test compares as many of them as the name has.
impl Role {
    /// These two are links on any element.
    #[inline(always)]
    fn in_any(ending: u64) -> Role {
        const STYLE: u64 = key(b"style");
        const BACKGROUND: u64 = key(b"ckground");
        if ending >> 24 == STYLE || ending == BACKGROUND { Role::Unclear } else { Role::Other }
    }

    #[inline(always)]
    fn in_anchor(ending: u64) -> Role {
        const HREF: u64 = key(b"href");
        if ending >> 32 == HREF { Role::Address(4) } else { Role::in_any(ending) }
    }

    #[inline(always)]
    fn in_link(ending: u64) -> Role {
        const REL: u64 = key(b"rel");
        match Role::in_anchor(ending) {
            Role::Other if ending >> 40 == REL => Role::Relation(3),
            Role::Other if is_set(ending) => Role::Unclear,
            role => role,
        }
    }

    #[inline(always)]
    fn in_image(ending: u64) -> Role {
        const SRC: u64 = key(b"src");
        const ORIGINAL: u64 = key(b"original");
        const LOADING: u64 = key(b"loading");
        match Role::in_any(ending) {
            Role::Other if ending >> 40 == SRC => Role::Address(3),
            Role::Other if ending == ORIGINAL || ending >> 8 == LOADING => Role::Unclear,
            Role::Other if is_set(ending) => Role::Unclear,
            role => role,
        }
    }

    #[inline(always)]
    fn in_meta(ending: u64) -> Role {
        const EQUIV: u64 = key(b"equiv");
        if ending >> 24 == EQUIV { Role::Unclear } else { Role::in_any(ending) }
    }

    #[inline(always)]
    fn in_button(ending: u64) -> Role {
        const FORMACTION: u64 = key(b"rmaction");
        if ending == FORMACTION { Role::Unclear } else { Role::in_any(ending) }
    }
}

/// `srcset` and `imagesrcset`.
#[inline(always)]
fn is_set(ending: u64) -> bool {
    const SRCSET: u64 = key(b"srcset");
    ending >> 16 == SRCSET
}

/// The address and relation of a tag, and the position after it.
type Passed<'a> = ([Option<&'a [u8]>; 2], usize);

/// Skips the attributes, from `at` on, of the tag that starts at `start`. With `LINKS` the tag has an address: only the first
/// attribute of a name counts, so one without a value must not be overlooked.
#[inline(always)]
fn attributes<const LINKS: bool>(
    data: &[u8],
    start: usize,
    mut at: usize,
    role: impl Fn(u64) -> Role,
) -> Option<Passed<'_>> {
    let mut values = [None; 2];
    loop {
        let mark = find2(b'=', b'>', data, at)?;
        if mark - start >= MAX_TAG_BYTES {
            return None;
        }
        if data[mark] == b'>' {
            return Some((values, mark + 1));
        }
        let role = role(word(data, mark.checked_sub(8)?)? | CASE);
        let is_named = mark > at && !ends_name(data[mark - 1]);
        if !is_named || role == Role::Unclear {
            return None;
        }
        let name = if LINKS { only_name(data, at, mark)? } else { 0 };
        let value;
        (value, at) = match *data.get(mark + 1)? {
            quote @ (b'"' | b'\'') => {
                let end = find(quote, data, mark + 2)?;
                (&data[mark + 2..end], end + 1)
            }
            first if ends_name(first) && first != b'/' => return None,
            _ => {
                let end = tag::end_of_unquoted(data, mark + 1)?;
                (&data[mark + 1..end], end)
            }
        };
        if LINKS && let Role::Address(length) | Role::Relation(length) = role {
            // The name is longer: `xlink:href` counts too, where there is no `href`.
            if name != length {
                return None;
            }
            values[usize::from(matches!(role, Role::Relation(_)))].get_or_insert(value);
        }
        if data.get(at) == Some(&b'>') {
            return Some((values, at + 1));
        }
    }
}

/// The length of the name between the end of the last attribute and a `=`; `None`: there is not exactly one name.
#[inline(always)]
fn only_name(data: &[u8], at: usize, mark: usize) -> Option<usize> {
    let length = mark - at;
    let chunk = lanes(data, at).filter(|_| length <= LANES)?;
    let gaps = marks(chunk, b' ', b'/') | marks(chunk, b'\n', b'\r') | marks(chunk, b'\t', 0x0c);
    let gaps = gaps & !(u32::MAX << length);
    // All gaps are at the front.
    let is_one = gaps != 0 && gaps & (gaps + 1) == 0;
    is_one.then(|| length - gaps.trailing_ones() as usize)
}

/// The key of the name in the first bytes of a word.
#[inline(always)]
fn key_of(word: u64, length: u32) -> u64 {
    (word | CASE) & !(u64::MAX << (8 * length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of the tag and its link, if it is skipped in the middle of a page.
    fn passed(tag: &str) -> Option<(usize, Option<String>)> {
        let (before, behind) = ("some text before ", " and some text behind it");
        let page = format!("{before}{tag}{behind}");
        let (plain, end) = pass(page.as_bytes(), before.len() + 1)?;
        let text = |value: &[u8]| String::from_utf8(value.to_vec()).unwrap();
        let link = plain.map(|plain| match plain {
            Plain::Anchor(href) => text(href),
            Plain::Image(src) => format!("image {}", text(src)),
            Plain::Relation(href, rel) => format!("{} {}", text(rel), text(href)),
        });
        Some((end - before.len(), link))
    }

    #[test]
    fn a_tag_is_passed_over_as_a_whole_or_not_at_all() {
        for whole in [
            "<p>",
            "</p>",
            "</p class>",
            "<DIV CLASS=\"a > b\" ID='x\">'>",
            "<td width=5 class=x/>",
            "<li a=b=\"c>",
            "<p x \"y>",
            "<meta name=viewport content='a=b'>",
            "<button type=submit>",
            "<img alt=x>",
            "<link rel=next>",
        ] {
            assert_eq!(passed(whole), Some((whole.len(), None)), "{whole}");
        }
        for left in [
            "<script>",
            "<textarea>",
            "<p style='x'>",
            "<p data-Style='x'>",
            "<body background=x>",
            "<p a = 'x'>",
            "<p ='x'>",
            "<p a='x'='y'>",
            "<p a=>",
            "</p a='>'>",
            "<blockquote>",
            "<!doctype html>",
            "</>",
            "</p class='a' id='b'>",
            "<meta http-equiv=refresh content=x>",
            "<button formaction=x>",
            "<img src=x srcset='y 2x'>",
            "<link rel=preload imagesrcset='y 2x'>",
        ] {
            assert_eq!(passed(left), None, "{left}");
        }
    }

    #[test]
    fn plain_links_are_told_and_odd_ones_are_left() {
        for (tag, link) in [
            ("<a href='x'>", Some("x")),
            ("<A data-x=1 HREF=\"y>\" class=z>", Some("y>")),
            ("<a title='t' href=u/ href=v>", Some("u/")),
            ("<a href=''>", Some("")),
            ("<img alt='' SRC=a.png src=b.png>", Some("image a.png")),
            ("<link rel=icon href=i rel=next>", Some("icon i")),
            ("<link href='s' type=t>", Some(" s")),
        ] {
            assert_eq!(passed(tag), Some((tag.len(), link.map(str::to_owned))), "{tag}");
        }
        assert_eq!(passed("<a name=top>"), Some((12, None)));
        for left in [
            "<a xlink:href='x'>",
            "<a title='t'href='x'>",
            "<a style='s' href='x'>",
            "<area href='x'>",
            "<img data-src=x>",
            "<link data-rel=x href=y>",
            "<a href href=x>",
            "<a href class=y href=x>",
            "<link rel href=x>",
        ] {
            assert_eq!(passed(left), None, "{left}");
        }
    }
}
