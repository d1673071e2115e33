//! Tags that can hold no link, or only that of an `a`, passed over: nearly all are of that kind, and only where they
//! end matters.
//!
//! What is passed over ends where [`super::tag::TagReader`] would end it. That a `>` does not end the tag needs a
//! value in quotes, and that needs a name with `=` directly before it; whatever looks different is left to the reader.

use super::element::{self, key, traits};
use super::lanes::{LANES, find, find2, lanes, marks};
use super::tag::{self, ends_name, equal, low, word};

/// What is longer is left to the reader, which keeps count of overlong and too many attributes.
const LONGEST: usize = 2 * tag::MAX_ATTRIBUTES;

/// The bit of each byte that tells lower-case letters from capital ones.
const CASE: u64 = tag::LOW * 0x20;

const A: u64 = key(b"a");
const HREF: u64 = key(b"href");
const STYLE: u64 = key(b"style");
/// The last eight letters of `background`, the other attribute that makes a link of any element.
const BACKGROUND: u64 = key(b"ckground");

/// Goes over text, and over tags that can hold no link, from `at` on; tells the `href` of each `a`, if it has one.
/// Returns the position of the `<` that has to be looked at more closely: what it opens may hold other links or raw
/// text, looks odd, or ends too near to the end of the piece. `None`: there is none.
#[inline]
pub(crate) fn next(data: &[u8], mut at: usize, anchor: &mut impl FnMut(&[u8])) -> Option<usize> {
    loop {
        let open = find(b'<', data, at)?;
        let Some(Passed { href: (from, to), end }) = pass(data, open + 1) else { return Some(open) };
        if from < to {
            anchor(&data[from..to]);
        }
        at = end;
    }
}

/// A tag that needs no closer look.
struct Passed {
    /// Where the first `href` of an `a` stands; nowhere: 0 to 0.
    href: (usize, usize),
    /// The position behind the tag.
    end: usize,
}

impl Passed {
    fn without_link(end: usize) -> Self {
        Passed { href: (0, 0), end }
    }
}

/// Passes a tag whose first byte behind `<` is at `start`.
#[inline(always)]
fn pass(data: &[u8], start: usize) -> Option<Passed> {
    let tag = lanes(data, start)?;
    let marks = marks(tag, b'=', b'>');
    if tag[0] == b'/' {
        let end = marks.trailing_zeros() as usize;
        let is_bare = marks != 0 && tag[end % LANES] == b'>' && tag[1].is_ascii_alphabetic();
        return is_bare.then_some(Passed::without_link(start + end + 1));
    }
    let name = word(tag, 0)?;
    let ends = low(name) | equal(name, b'>') | equal(name, b'/');
    let length = ends.trailing_zeros() / 8;
    let at = length as usize;
    if at >= 8 || !tag[0].is_ascii_alphabetic() || !ends_name(tag[at]) {
        return None;
    }
    let key = key_of(name, length);
    if key == A {
        return attributes::<true>(data, start, start + at);
    }
    if traits(key) & (element::LINKS | element::RAW) != 0 {
        return None;
    }
    match marks.trailing_zeros() as usize {
        mark if mark < LANES && tag[mark] == b'>' => Some(Passed::without_link(start + mark + 1)),
        _ => attributes::<false>(data, start, start + at),
    }
}

/// Passes the attributes, from `at` on, of the tag that starts at `start`. With `ANCHOR`, `href` is wanted.
#[inline(always)]
fn attributes<const ANCHOR: bool>(data: &[u8], start: usize, mut at: usize) -> Option<Passed> {
    let mut href = None;
    loop {
        let mark = find2(b'=', b'>', data, at)?;
        if mark - start >= LONGEST {
            return None;
        }
        if data[mark] == b'>' {
            return Some(Passed { href: href.unwrap_or_default(), end: mark + 1 });
        }
        let ending = word(data, mark.checked_sub(8)?)? | CASE;
        let is_named = mark > at && !ends_name(data[mark - 1]);
        if !is_named || ending >> 24 == STYLE || ending == BACKGROUND {
            return None;
        }
        let value;
        (value, at) = match *data.get(mark + 1)? {
            quote @ (b'"' | b'\'') => {
                let end = find(quote, data, mark + 2)?;
                ((mark + 2, end), end + 1)
            }
            first if ends_name(first) && first != b'/' => return None,
            _ => {
                let end = tag::end_of_unquoted(data, mark + 1)?;
                ((mark + 1, end), end)
            }
        };
        if ANCHOR && ending >> 32 == HREF {
            // `xlink:href` counts too, where there is no `href`.
            if !data[mark - 5].is_ascii_whitespace() {
                return None;
            }
            href.get_or_insert(value);
        }
        if data.get(at) == Some(&b'>') {
            return Some(Passed { href: href.unwrap_or_default(), end: at + 1 });
        }
    }
}

/// The key of the name in the first bytes of a word.
#[inline(always)]
fn key_of(word: u64, length: u32) -> u64 {
    (word | CASE) & !(u64::MAX << (8 * length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the tag ends, and its `href`, if it is passed over in the middle of a page.
    fn passed(tag: &str) -> Option<(usize, String)> {
        let (before, behind) = ("some text before ", " and some text behind it");
        let page = format!("{before}{tag}{behind}");
        let Passed { href: (from, to), end } = pass(page.as_bytes(), before.len() + 1)?;
        Some((end - before.len(), page[from..to].to_owned()))
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
        ] {
            assert_eq!(passed(whole), Some((whole.len(), String::new())), "{whole}");
        }
        for left in [
            "<img src=x>",
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
        ] {
            assert_eq!(passed(left), None, "{left}");
        }
    }

    #[test]
    fn the_first_href_of_an_anchor_is_told_and_odd_ones_are_left() {
        for (tag, href) in [
            ("<a href='x'>", Some("x")),
            ("<A data-x=1 HREF=\"y>\" class=z>", Some("y>")),
            ("<a title='t' href=u/ href=v>", Some("u/")),
            ("<a href=''>", Some("")),
            ("<a name=top>", Some("")),
            ("<a xlink:href='x'>", None),
            ("<a title='t'href='x'>", None),
            ("<a style='s' href='x'>", None),
            ("<area href='x'>", None),
        ] {
            assert_eq!(passed(tag), href.map(|href| (tag.len(), href.to_owned())), "{tag}");
        }
    }
}
