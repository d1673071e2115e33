//! Parked domains, and walls against robots.

use std::collections::BTreeSet;

use super::soft404::{SHORT_TEXT, Soft404, THRESHOLD};
use super::soft404_content::has_price;
use super::soft404_prose::{SHORT_SENTENCE, width};
use super::soft404_statement::{MAX_DISTANCE, any_word, contains, has_any, is_spaced, parts, sentences};
use super::soft404_words::{
    CLOSED, DOMAIN, EXPIRED, FOR_SALE, HUMAN, OFFERS, PARKED, RESERVED, THIS, WALL_TITLES, WALL_WORDS,
};

/// Maximum bytes of text of a parked domain.
pub(super) const MAX_PARKED_TEXT: u64 = 3000;

/// Maximum bytes of text of a page that has only a title to show.
pub(super) const BARE_TEXT: u64 = 120;

/// Maximum bytes of text that a wall against robots holds besides what it says as such.
const MAX_REST: u64 = 160;

/// Hosts of scripts that make walls against robots.
const WALL_SCRIPTS: [&str; 4] =
    ["challenges.cloudflare.com", "captcha-delivery.com", "hcaptcha.com", "awswaf.com"];

/// Hosts that show parked domains in a frame.
#[rustfmt::skip]
const PARKING: [&str; 9] = [
    "sedoparking.com", "parkingcrew.net", "bodis.com", "parklogic.com", "above.com", "domainparking.com", "skenzo.com", "namedrive.com", "fabulous.com",
];

/// Judges a page without text by the addresses of its frames.
pub(crate) fn by_frames<'a>(length: u64, frames: impl Iterator<Item = &'a [u8]>) -> Option<Soft404> {
    let words = frames.filter(|_| length < BARE_TEXT).find_map(|frame| host_among(frame, &PARKING))?;
    Some(Soft404::Parked { words, score: 1.0 / (1.0 + (THRESHOLD - 4.0).exp()) })
}

/// Judges a page without text by the addresses of its scripts: one that loads nothing but the script of a wall is that wall.
pub(crate) fn by_scripts<'a>(length: u64, scripts: impl Iterator<Item = &'a [u8]>) -> Option<Soft404> {
    let mut of_wall = None;
    for script in scripts.take_while(|_| length < NOTHING_ELSE) {
        of_wall = Some(host_among(script, &WALL_SCRIPTS)?);
    }
    of_wall.map(|words| Soft404::Wall { words })
}

/// The host of an address, if it is one of these or below one.
fn host_among(address: &[u8], hosts: &[&str]) -> Option<String> {
    let address = std::str::from_utf8(address).ok()?;
    let host = address.split_once("//")?.1.split(['/', '?', '#', ':']).next()?.to_ascii_lowercase();
    let is_of = |known: &&str| host == **known || host.ends_with(&format!(".{known}"));
    hosts.iter().any(is_of).then_some(host)
}

/// Judges whether a page is that of a parked domain. It speaks of this one domain, or of the one that it names: shops for domains name
/// endings and prices, and many domains.
pub(super) fn parked(title: &str, heading: &str, first: &str, length: u64) -> Option<Soft404> {
    let own = Own::of(title, heading, first);
    if length >= MAX_PARKED_TEXT || own.sells_many {
        return None;
    }
    let found = |part: &str| {
        let said = |list: &[&'static str]| {
            list.iter().find(|words| contains(part, words, is_spaced(words))).copied()
        };
        let offer = || said(OFFERS).filter(|_| own.is_one || length < NOTHING_ELSE);
        let closed = || CLOSED.iter().copied().find(|words| parts(part).any(|(part, _)| part == *words));
        let words = said(PARKED).or_else(offer).or_else(closed);
        words
            .or_else(|| for_sale(part, own.is_title))
            .or_else(|| is_taken(part))
            .or_else(|| has_run_out(part))
    };
    let (in_title, in_heading, in_text) = (found(title), found(heading), found(first));
    let words = in_title.or(in_heading).or(in_text)?;
    let about = [title, heading].into_iter().chain(sentences(first).filter(|line| found(line).is_some()));
    let about = about.into_iter().any(|part| any_word(part, |language| language.about).is_some());
    let in_name = [in_title, in_heading].iter().flatten().count() as f64;
    // A page about something else may name such a sentence; a parked domain says little besides, and shows its name.
    let says_twice = || PARKED.iter().filter(|words| contains(first, words, is_spaced(words))).count() > 1;
    let of_text = match in_text {
        Some(_) if own.is_title || in_name > 0.0 || title.is_empty() || says_twice() => 2.0,
        Some(_) => 1.0,
        None => 0.0,
    };
    let short = if length < SHORT_TEXT { 1.5 } else { 0.0 };
    let points = 2.0 * in_name + of_text + short - if about { 3.0 } else { 0.0 };
    let score = 1.0 / (1.0 + (THRESHOLD - points).exp());
    (points >= THRESHOLD).then(|| Soft404::Parked { words: words.to_owned(), score })
}

/// Bytes of text below which a page has nothing to read but its title.
const NOTHING_ELSE: u64 = 60;

/// Maximum number of names of hosts on a page about one domain: its own, and those of who sells it.
const MAX_HOSTS: usize = 3;

/// Which domain a page speaks of.
struct Own {
    /// The title or the heading is the name of a host and nothing else.
    is_title: bool,
    /// The title or the heading names one domain.
    is_one: bool,
    /// It lists endings of domains, or many domains, with prices.
    sells_many: bool,
}

impl Own {
    fn of(title: &str, heading: &str, first: &str) -> Self {
        let hosts = |part: &str| -> BTreeSet<String> { host_words(part).map(str::to_owned).collect() };
        let is_ending = |word: &str| {
            let ending = word.trim_end_matches(|c: char| !c.is_alphanumeric()).strip_prefix('.');
            ending.is_some_and(|ending| {
                ending.len() >= 2 && ending.chars().all(|c| c.is_alphabetic() || c == '.')
            })
        };
        let endings = first.split_whitespace().filter(|word| is_ending(word)).count();
        let named: BTreeSet<String> = hosts(title).into_iter().chain(hosts(heading)).collect();
        let is_priced = first.lines().any(has_price);
        Own {
            is_title: is_host(title) || is_host(heading),
            is_one: named.len() == 1,
            sells_many: hosts(first).len() > MAX_HOSTS || (endings > 0 && is_priced),
        }
    }
}

/// The words of a text that are names of hosts: with a dot inside, and letters behind it.
fn host_words(part: &str) -> impl Iterator<Item = &str> {
    part.split(|c: char| c.is_whitespace() || c >= '\u{3000}')
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| {
            let letters = |suffix: &str| suffix.len() >= 2 && suffix.chars().all(char::is_alphabetic);
            word.rsplit_once('.')
                .is_some_and(|(host, suffix)| letters(suffix) && host.chars().any(char::is_alphanumeric))
        })
}

/// Whether a title is the name of a host and nothing else.
pub(super) fn is_host(title: &str) -> bool {
    let title = title.trim();
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    title.contains('.') && title.split('.').all(is_label) && title.chars().any(char::is_alphabetic)
}

/// "The domain example.org is for sale": a word for domains, "this" or the name of one (unless the title `is_named` so), and that it is for
/// sale. "example.org is for sale" says it as well, if it says nothing else.
fn for_sale(part: &str, is_named: bool) -> Option<&'static str> {
    let sale = FOR_SALE.iter().copied().find(|words| part.contains(words))?;
    let before = &part[..part.find(sale)?];
    let title = before.rsplit(['|', '–', '\n']).next().unwrap_or(before).trim();
    let is_only_host = host_words(title)
        .next()
        .is_some_and(|host| title.starts_with(host) && title.len() <= host.len() + MAX_VERB);
    let Some(at) = DOMAIN.iter().filter_map(|noun| before.rfind(noun)).max() else {
        return is_only_host.then_some(sale);
    };
    let between = &before[at..];
    let start = before[..at].rfind(['.', '!', '\n', '。']).unwrap_or(0);
    let is_this = || has_any(&before[start..], THIS);
    let has_name = host_words(between).next().is_some();
    ((has_name || is_named || is_this()) && between.len() <= MAX_DISTANCE).then_some(sale)
}

/// Maximum bytes of "is", "may be" and the like.
const MAX_VERB: usize = 16;

/// "This domain is reserved": "this" or a name, a word for domains, and that it is taken, in one short sentence.
fn is_taken(part: &str) -> Option<&'static str> {
    sentences(part).filter(|sentence| width(sentence) <= SHORT_SENTENCE).find_map(|sentence| {
        let taken = RESERVED.iter().copied().find(|words| contains(sentence, words, is_spaced(words)))?;
        let is_domain = DOMAIN.iter().any(|noun| sentence.contains(noun));
        let is_named = || host_words(sentence).next().is_some();
        let is_this = is_domain && (has_any(sentence, THIS) || is_named());
        (is_this || (taken == "parked" && is_named())).then_some(taken)
    })
}

/// "This domain has expired": both words in one sentence.
fn has_run_out(part: &str) -> Option<&'static str> {
    let expired = |sentence: &str| EXPIRED.iter().copied().find(|words| sentence.contains(words));
    sentences(part).filter(|sentence| DOMAIN.iter().any(|noun| sentence.contains(noun))).find_map(expired)
}

/// Bytes of a text without white space.
fn dense(text: &str) -> usize {
    text.split_whitespace().map(str::len).sum()
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
    said.sort_unstable_by_key(|words| (std::cmp::Reverse(words.len()), *words));
    said.dedup();
    // A wall holds hardly anything else: a form that asks for a human stands on a page with more to say.
    let is_of_wall = |sentence: &&str| said.iter().any(|words| sentence.contains(*words));
    let of_wall: usize = sentences(first).filter(is_of_wall).map(dense).sum();
    let rest = length.saturating_sub(of_wall as u64);
    let words = match (by_title, said.as_slice()) {
        (Some(title), [_, ..]) => title,
        (_, [words, _, ..]) if rest < MAX_REST => words,
        // A page that a script makes has nothing but this title.
        (Some(title), []) if length < BARE_TEXT => title,
        // It says nothing else.
        (None, [only]) if length < only.len() as u64 + 24 => only,
        (None, [only]) if HUMAN.contains(only) && rest < NOTHING_ELSE => only,
        _ => return None,
    };
    Some(Soft404::Wall { words: (*words).to_owned() })
}
