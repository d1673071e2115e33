//! What single sentences and titles say of an error: that something is missing, the number 404, a quotation.

use super::soft404_words::{
    ABBREVIATIONS, ERROR_NAMES, ERROR_WORDS, LANGUAGES, Language, NEVER, OF_SITE, PAGE_NOUNS, PAGE_ONLY,
    RELATIVE, REMOVED, STATEMENTS, THIS,
};

/// Titles and headings are lists of parts: the name of the page, that of the site. Each comes with the whole of what colons
/// join it to: "Error 404: how to fix it".
pub(super) fn parts(title: &str) -> impl Iterator<Item = (&str, &str)> {
    let is_end = |(at, c): (usize, char)| match c {
        // "No. 404" does not end at its dot.
        '.' => !ABBREVIATIONS.contains(&words(&title[..at]).next_back().unwrap_or("")),
        _ => matches!(
            c,
            '|' | '–'
                | '—'
                | '»'
                | '«'
                | '·'
                | '•'
                | '｜'
                | '/'
                | '!'
                | '！'
                | '。'
                | '…'
                | '›'
                | '~'
                | '★'
        ),
    };
    let mut groups = Vec::new();
    let mut start = 0;
    for (at, c) in title.char_indices().filter(|found| is_end(*found)) {
        groups.push(&title[start..at]);
        start = at + c.len_utf8();
    }
    groups.push(&title[start..]);
    groups
        .into_iter()
        .flat_map(|group| group.split(" - "))
        .flat_map(|group| group.split([':', '：']).map(move |part| (part, group)))
        .map(|(part, group)| (part.trim_matches(|c: char| !c.is_alphanumeric()), group))
        .filter(|(part, _)| !part.is_empty())
}

/// The words of a text, in any script that has spaces.
pub(super) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty())
}

/// The sentences of a text, without questions; a block ends a sentence.
pub(super) fn sentences(lines: &str) -> impl Iterator<Item = &str> {
    const ENDS: [char; 9] = ['.', '!', '?', '。', '！', '？', '|', '\n', '…'];
    let whole = lines.split_inclusive(ENDS).filter(|sentence| !sentence.ends_with(['?', '？']));
    whole.map(|sentence| sentence.trim_end_matches(ENDS)).filter(|sentence| !sentence.is_empty())
}

/// Whether a sentence says that something is missing, or names the number.
pub(super) fn names_error(sentence: &str) -> bool {
    number(sentence).is_some() || statement(sentence).is_some()
}

/// Whether a title or sentence only tells of something that is missing: "the page that was never found", in a clause about a noun, or
/// that was never there.
pub(super) fn is_told_of(part: &str) -> bool {
    let Some(found) = statement(part) else { return has_any(part, NEVER) };
    let is_clause = found.noun_first
        && RELATIVE.iter().any(|word| contains(&found.words, word, true))
        && any_request(part).is_none();
    is_clause || has_any(part, NEVER)
}

/// A text without what stands between quotation marks and names an error, where anything else is said.
pub(super) fn unquoted(text: &str) -> String {
    let mut rest = text.to_owned();
    for (open, close) in QUOTES {
        let mut from = 0;
        while let Some(start) = rest[from..].find(open).map(|at| from + at) {
            let inner = start + open.len_utf8();
            let Some(end) = rest[inner..].find(close).map(|at| inner + at) else { break };
            if names_error(&rest[inner..end]) {
                let after = end + rest[end..].chars().next().map_or(0, char::len_utf8);
                rest.replace_range(start..after, " ");
                from = start;
            } else {
                from = inner;
            }
        }
    }
    if words(&rest).next().is_some() { rest } else { text.to_owned() }
}

/// Whether a sentence has an expression for "missing", whatever is missing.
pub(super) fn is_missing(sentence: &str) -> bool {
    any_word(sentence, |language| language.missing).is_some()
}

/// Whether a title speaks of the thing on this page: "this product".
pub(super) fn means_this(title: &str) -> bool {
    has_any(title, THIS)
}

/// Whether a text has one of these words.
pub(super) fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| contains(text, word, is_spaced(word)))
}

/// Whether a word is of a language with spaces between words: Japanese and Chinese have none.
pub(super) fn is_spaced(word: &str) -> bool {
    word.chars().all(|c| c < '\u{3000}')
}

/// Quotation marks: what opens, and what closes.
const QUOTES: [(char, &[char]); 7] = [
    ('“', &['”']),
    ('„', &['“', '”']),
    ('«', &['»']),
    ('「', &['」']),
    ('『', &['』']),
    ('《', &['》']),
    ('"', &['"']),
];

/// Whether an error is named between quotation marks, as something that another page says.
pub(super) fn quotes(text: &str) -> bool {
    QUOTES.iter().any(|(open, close)| {
        let opened = text.match_indices(*open).map(|(at, mark)| &text[at + mark.len()..]);
        opened.filter_map(|rest| Some(&rest[..rest.find(*close)?])).any(names_error)
    })
}

/// The number 404 beside a word for errors, in this order or the other: "error code: 404", "404エラー". Alone in its line it says
/// less.
pub(super) fn number(line: &str) -> Option<(f64, &str)> {
    let is_border = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric());
    line.match_indices("404").find_map(|(at, found)| {
        let (before, after) = (&line[..at], &line[at + found.len()..]);
        if !is_border(before.chars().next_back()) || !is_border(after.chars().next()) {
            return None;
        }
        let is_error = |word: &str| {
            let word = word.strip_prefix("d'").unwrap_or(word);
            ERROR_NAMES.contains(&word)
                || (!word.is_ascii() && ERROR_NAMES.iter().any(|name| word.ends_with(name)))
        };
        let follows = words(after).next().is_some_and(|word| {
            ERROR_NAMES.iter().any(|name| word == *name || (!name.is_ascii() && word.starts_with(name)))
        });
        let near = words(before).rev().take(2).any(is_error) || follows;
        // "Page 404" is a page of a book.
        let is_page = words(before).chain(words(after)).any(|word| PAGE_ONLY.contains(&word));
        let has_more =
            words(before).chain(words(after)).any(|word| !ERROR_WORDS.contains(&word) && !is_error(word));
        match (near, has_more) {
            (true, false) => Some((2.5, found)),
            (true, true) => Some((2.0, found)),
            (false, false) if !is_page => Some((1.5, found)),
            _ => None,
        }
    })
}

/// That something is missing, in one sentence.
pub(super) struct Statement {
    pub(super) points: f64,
    pub(super) words: String,
    /// The place of its language in the table.
    pub(super) language: usize,
    /// It is a page that is missing, not a product or a post.
    pub(super) of_page: bool,
    /// What is missing has a noun that is known, or was requested: it is not just "this".
    pub(super) is_named: bool,
    /// It speaks of the page itself, or of "this", and not of any address or file.
    pub(super) is_of_this_page: bool,
    /// What is missing is named before that it is.
    pub(super) noun_first: bool,
}

/// Maximum bytes between the noun and the expression for "missing".
pub(super) const MAX_DISTANCE: usize = 90;

pub(super) fn statement(sentence: &str) -> Option<Statement> {
    if let Some(words) = STATEMENTS.iter().find(|words| sentence.contains(*words)) {
        return Some(Statement {
            points: 2.0,
            words: (*words).to_owned(),
            language: LANGUAGES.len(),
            of_page: true,
            is_named: true,
            is_of_this_page: true,
            noun_first: false,
        });
    }
    let mut best: Option<Statement> = None;
    for (place, language) in LANGUAGES.iter().enumerate() {
        let Some((at, missing)) = find(sentence, language.missing, language.spaced) else { continue };
        let noun = language.nouns.iter().copied().find(|noun| {
            positions(sentence, noun, language.spaced)
                .any(|noun_at| noun_at.abs_diff(at) <= MAX_DISTANCE && !is_compound(sentence, noun_at))
        });
        // Whatever it is called: it was requested, or it is "this" and little else is said.
        let this = || {
            let near = |word: &&&str| {
                positions(sentence, word, language.spaced).any(|this| this.abs_diff(at) <= MAX_DISTANCE)
            };
            THIS.iter().find(near).copied()
        };
        let is_named = noun.is_some() || request(sentence, language).is_some();
        let Some(noun) = noun.or_else(|| request(sentence, language)).or_else(&this) else { continue };
        // Products, posts and the like are missing on pages that are otherwise in order.
        let of_page = PAGE_NOUNS.contains(&noun);
        let points = match (of_page, is_named) {
            (true, _) => 2.0,
            (false, true) => 1.5,
            (false, false) => 1.25,
        };
        if best.as_ref().is_none_or(|best| points > best.points) {
            // As the sentence has it, from the one to the other.
            let near = positions(sentence, noun, false).min_by_key(|place| place.abs_diff(at)).unwrap_or(at);
            let end = (near + noun.len()).max(at + missing.len());
            let words = sentence[near.min(at)..end].to_owned();
            let is_of_this_page = PAGE_ONLY.contains(&noun) || this().is_some();
            let noun_first = near < at;
            let language = place;
            best =
                Some(Statement { points, words, language, of_page, is_named, is_of_this_page, noun_first });
        }
    }
    best
}

/// Whether a noun is the end of a compound: a "teletext-page" is not a web page.
fn is_compound(sentence: &str, noun_at: usize) -> bool {
    let Some(before) = sentence[..noun_at].strip_suffix(['-', '‑']) else { return false };
    words(before).next_back().is_some_and(|word| {
        before.ends_with(word) && !["web", "internet", "html", "www", "веб", "интернет"].contains(&word)
    })
}

/// A word for what the reader requested, in any of its forms.
pub(super) fn request(text: &str, language: &Language) -> Option<&'static str> {
    language.request.iter().copied().find(|stem| begins(text, stem, language.spaced))
}

/// Whether a text has a word that begins so; with `spaced`, at the border of a word.
fn begins(text: &str, stem: &str, spaced: bool) -> bool {
    text.match_indices(stem)
        .any(|(at, _)| !spaced || !text[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

/// Whether a sentence has a word about a site itself.
pub(super) fn is_of_site(sentence: &str) -> bool {
    OF_SITE.iter().any(|stem| begins(sentence, stem, is_spaced(stem)))
}

/// Whether a sentence says that somebody took something away.
pub(super) fn is_removed(sentence: &str) -> bool {
    REMOVED.iter().any(|stem| begins(sentence, stem, is_spaced(stem)))
}

pub(super) fn any_request(text: &str) -> Option<&'static str> {
    LANGUAGES.iter().find_map(|language| request(text, language))
}

pub(super) fn any_word(text: &str, words: fn(&Language) -> &'static [&'static str]) -> Option<&'static str> {
    LANGUAGES.iter().find_map(|language| {
        words(language).iter().find(|word| contains(text, word, language.spaced)).copied()
    })
}

/// The first of several expressions, the longest where two begin at one place.
pub(super) fn find(text: &str, words: &[&'static str], spaced: bool) -> Option<(usize, &'static str)> {
    words
        .iter()
        .filter_map(|word| Some((positions(text, word, spaced).next()?, *word)))
        .min_by_key(|(at, word)| (*at, std::cmp::Reverse(word.len())))
}

pub(super) fn contains(text: &str, word: &str, spaced: bool) -> bool {
    positions(text, word, spaced).next().is_some()
}

/// Where a word or phrase occurs; with `spaced`, between word borders.
pub(super) fn positions<'t>(text: &'t str, word: &'t str, spaced: bool) -> impl Iterator<Item = usize> + 't {
    let is_border = move |c: Option<char>| !spaced || !c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        is_border(text[..*at].chars().next_back()) && is_border(text[*at + word.len()..].chars().next())
    })
}
