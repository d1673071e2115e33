//! Parked domains, and walls against robots.

use super::soft404::{SHORT_TEXT, Soft404, THRESHOLD};
use super::soft404_statement::{MAX_DISTANCE, any_word, contains, sentences};
use super::soft404_words::{DOMAIN, EXPIRED, FOR_SALE, HUMAN, PARKED, WALL_TITLES, WALL_WORDS};

/// Maximum bytes of text of a parked domain.
pub(super) const MAX_PARKED_TEXT: u64 = 3000;

/// Maximum bytes of text of a page that has only a title to show.
pub(super) const BARE_TEXT: u64 = 120;

/// Hosts that show parked domains in a frame.
#[rustfmt::skip]
const PARKING: [&str; 9] = [
    "sedoparking.com", "parkingcrew.net", "bodis.com", "parklogic.com", "above.com", "domainparking.com", "skenzo.com", "namedrive.com", "fabulous.com",
];

/// Judges a page without text by the addresses of its frames.
pub(crate) fn by_frames<'a>(length: u64, frames: impl Iterator<Item = &'a [u8]>) -> Option<Soft404> {
    let parking = |frame: &[u8]| {
        let frame = std::str::from_utf8(frame).ok()?;
        let host = frame.split_once("//")?.1.split(['/', '?', '#', ':']).next()?.to_ascii_lowercase();
        let is_of = |parking: &&str| host == **parking || host.ends_with(&format!(".{parking}"));
        PARKING.iter().any(is_of).then_some(host)
    };
    let words = frames.filter(|_| length < BARE_TEXT).find_map(parking)?;
    Some(Soft404::Parked { words, score: 1.0 / (1.0 + (THRESHOLD - 4.0).exp()) })
}

pub(super) fn parked(title: &str, heading: &str, first: &str, length: u64) -> Option<Soft404> {
    if length >= MAX_PARKED_TEXT {
        return None;
    }
    let is_named = is_host(title) || is_host(heading);
    let found = |part: &str| {
        let words = PARKED.iter().find(|words| contains(part, words, part.is_ascii())).copied();
        words.or_else(|| for_sale(part, !is_named)).or_else(|| has_run_out(part))
    };
    let (in_title, in_heading, in_text) = (found(title), found(heading), found(first));
    let words = in_title.or(in_heading).or(in_text)?;
    let about = [title, heading].into_iter().chain(sentences(first).filter(|line| found(line).is_some()));
    let about = about.into_iter().any(|part| any_word(part, |language| language.about).is_some());
    let in_name = [in_title, in_heading].iter().flatten().count() as f64;
    // A page about something else may name such a sentence; a parked domain says little besides, and shows its name.
    let says_twice = || PARKED.iter().filter(|words| contains(first, words, first.is_ascii())).count() > 1;
    let of_text = match in_text {
        Some(_) if is_named || in_name > 0.0 || title.is_empty() || says_twice() => 2.0,
        Some(_) => 1.0,
        None => 0.0,
    };
    let short = if length < SHORT_TEXT { 1.5 } else { 0.0 };
    let points = 2.0 * in_name + of_text + short - if about { 3.0 } else { 0.0 };
    let score = 1.0 / (1.0 + (THRESHOLD - points).exp());
    (points >= THRESHOLD).then(|| Soft404::Parked { words: words.to_owned(), score })
}

/// Whether a title is the name of a host and nothing else.
pub(super) fn is_host(title: &str) -> bool {
    let title = title.trim();
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    title.contains('.') && title.split('.').all(is_label) && title.chars().any(char::is_alphabetic)
}

/// "The domain example.org is for sale": a word for domains, with `named` a name with a dot, and that it is for sale.
pub(super) fn for_sale(part: &str, named: bool) -> Option<&'static str> {
    let sale = FOR_SALE.iter().copied().find(|words| part.contains(words))?;
    let before = &part[..part.find(sale)?];
    let at = DOMAIN.iter().filter_map(|noun| before.rfind(noun)).max()?;
    let between = &before[at..];
    let has_name = between.split_whitespace().any(|word| {
        let name = word.trim_matches(|c: char| !c.is_alphanumeric());
        name.split_once('.').is_some_and(|(host, suffix)| !host.is_empty() && suffix.len() >= 2)
    });
    ((has_name || !named) && between.len() <= MAX_DISTANCE).then_some(sale)
}

/// "This domain has expired": both words in one sentence.
pub(super) fn has_run_out(part: &str) -> Option<&'static str> {
    let expired = |sentence: &str| EXPIRED.iter().copied().find(|words| sentence.contains(words));
    sentences(part).filter(|sentence| DOMAIN.iter().any(|noun| sentence.contains(noun))).find_map(expired)
}

/// A short page whose title says so, or whose heading or first lines say it twice.
pub(super) fn wall(title: &str, heading: &str, first: &str, length: u64) -> Option<Soft404> {
    if length >= SHORT_TEXT {
        return None;
    }
    let title = title.trim().trim_end_matches(['.', '…', '!', ' ']);
    let by_title =
        WALL_TITLES.iter().find(|words| title == **words || title.starts_with(&format!("{words} |")));
    let asks = |part: &str| HUMAN.iter().find(|words| part.contains(**words));
    // Titled so, it is nothing else; an article about walls has a longer title, or more to say.
    if let Some(words) = asks(title).filter(|words| title.len() < words.len() + 40) {
        return Some(Soft404::Wall { words: (*words).to_owned() });
    }
    let mut said: Vec<&str> = WALL_WORDS
        .iter()
        .chain(HUMAN)
        .filter(|words| heading.contains(**words) || first.contains(**words))
        .copied()
        .collect();
    said.sort_unstable_by_key(|words| std::cmp::Reverse(words.len()));
    let words = match (by_title, said.as_slice()) {
        (Some(title), [_, ..]) => title,
        (_, [words, _, ..]) => words,
        // A page that a script makes has nothing but this title.
        (Some(title), []) if length < BARE_TEXT => title,
        // It says nothing else.
        (None, [only]) if length < only.len() as u64 + 24 => only,
        (None, [only]) if HUMAN.contains(only) && length < only.len() as u64 + BARE_TEXT => only,
        _ => return None,
    };
    Some(Soft404::Wall { words: (*words).to_owned() })
}
