//! Tags that can hold no link, passed over: most are of that kind, and only where they end matters.
//!
//! What is passed over ends where [`super::tag::TagReader`] would end it. That a `>` does not end the tag needs a
//! value in quotes, and that needs a name with `=` directly before it; whatever looks different is left to the reader.

use super::element::{self, key, traits};
use super::lanes::{find, find2};
use super::tag::{self, ends_name, equal, low, word};

/// What is longer is left to the reader, which keeps count of overlong and too many attributes.
const LONGEST: usize = 2 * tag::MAX_ATTRIBUTES;

/// The bit of each byte that tells lower-case letters from capital ones.
const CASE: u64 = tag::LOW * 0x20;

const STYLE: u64 = key(b"style");
/// The last eight letters of `background`, the other attribute that makes a link of any element.
const BACKGROUND: u64 = key(b"ckground");

/// The position behind the tag whose name starts at `name`. `None`: it may hold a link or open raw text, or has to be
/// looked at more closely.
#[inline(always)]
pub(crate) fn pass(data: &[u8], name: usize, end_tag: bool) -> Option<usize> {
    if end_tag {
        let end = find2(b'=', b'>', data, name)?;
        return (data[end] == b'>' && end - name < LONGEST).then_some(end + 1);
    }
    let start = word(data, name)?;
    let marked = low(start) | equal(start, b'>') | equal(start, b'/');
    if marked == 0 {
        return None;
    }
    let length = marked.trailing_zeros() / 8;
    let mut at = name + length as usize;
    let element = key_of(start, length);
    if !ends_name(data[at]) || traits(element) & (element::LINKS | element::RAW) != 0 {
        return None;
    }
    loop {
        let mark = find2(b'=', b'>', data, at)?;
        if mark - name >= LONGEST {
            return None;
        }
        if data[mark] == b'>' {
            return Some(mark + 1);
        }
        let ending = word(data, mark.checked_sub(8)?)? | CASE;
        let is_named = mark > at && !ends_name(data[mark - 1]);
        if !is_named || ending >> 24 == STYLE || ending == BACKGROUND {
            return None;
        }
        at = match *data.get(mark + 1)? {
            quote @ (b'"' | b'\'') => find(quote, data, mark + 2)? + 1,
            first if ends_name(first) && first != b'/' => return None,
            _ => tag::end_of_unquoted(data, mark + 1)?,
        };
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

    fn passed(html: &str) -> Option<usize> {
        let end_tag = html.as_bytes()[1] == b'/';
        pass(format!("{html} and some text behind it").as_bytes(), 1 + usize::from(end_tag), end_tag)
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
            assert_eq!(passed(whole), Some(whole.len()), "{whole}");
        }
        for left in [
            "<a href=x>",
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
        ] {
            assert_eq!(passed(left), None, "{left}");
        }
    }
}
