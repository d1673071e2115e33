//! What the title, a heading or the first lines of a page say of an error, in points.

use super::soft404_content::names_work;
use super::soft404_statement::{
    Statement, any_word, contains, find, has_any, is_missing, is_spaced, is_told_of, means_this, number,
    parts, sentences, statement, words,
};
use super::soft404_words::{
    AFTER, BARE, ERROR_NAMES, ERROR_WORDS, LANGUAGES, OF_NAMES, PAGE_ONLY, RELATIVE, THIS, USUAL, WHEN,
};

/// Points of a title or heading that says "not found" and not what.
pub(super) const UNNAMED: f64 = 2.0;

/// Points of one that names a page by the number.
const PAGE_NUMBER: f64 = 1.75;

/// What was found in one part of the page.
#[derive(Default)]
pub(super) struct Finding {
    pub(super) points: f64,
    pub(super) words: String,
    /// Bytes of the sentence.
    pub(super) length: usize,
    /// It speaks of the page itself, or of "this".
    pub(super) is_of_this_page: bool,
    /// It is a page, a file or an address that is missing, or it has the number: not a product, a person or a thing.
    pub(super) of_page: bool,
}

impl Finding {
    fn raise(&mut self, points: f64, words: &str, length: usize) {
        if points > self.points {
            let words = words.to_owned();
            *self = Finding { points, words, length, is_of_this_page: false, of_page: true };
        }
    }

    /// The stronger one.
    pub(super) fn or(self, other: Finding) -> Finding {
        if other.points > self.points { other } else { self }
    }
}

/// A single digit, which some programs add to the title of the second such page.
fn is_count(word: &str) -> bool {
    word.len() == 1 && word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether the number stands beside a word that has nothing to do with errors: "Room 404".
pub(super) fn numbers_thing(part: &str) -> bool {
    let is_of_error = |word: &str| {
        word == "404"
            || is_count(word)
            || ERROR_WORDS.contains(&word)
            || ERROR_NAMES.iter().any(|name| word.starts_with(name) || word.ends_with(name))
    };
    // "404型", but not "404エラー".
    let is_model = |word: &str| {
        let rest = word.strip_prefix("404").filter(|rest| rest.starts_with(|c: char| c.is_alphabetic()));
        rest.is_some_and(|rest| !ERROR_NAMES.iter().chain(PAGE_ONLY).any(|name| rest.starts_with(name)))
    };
    let has_number = words(part).any(|word| word == "404") && words(part).any(|word| !is_of_error(word));
    (has_number || words(part).any(is_model)) && statement(part).is_none()
}

/// Whether a part of a title beside the statement has a word about errors that sites have in their names.
pub(super) fn is_named_about(title: &str) -> bool {
    parts(title).any(|(part, _)| !is_missing(part) && OF_NAMES.iter().any(|word| contains(part, word, true)))
}

/// Whether a title is that of a page about errors.
pub(super) fn is_about(title: &str) -> bool {
    let is_told = |part: &str| {
        let own = |word: &&str| !OF_NAMES.contains(word) || is_missing(part);
        LANGUAGES.iter().any(|language| {
            let mut about = language.about.iter().filter(|word| contains(part, word, language.spaced));
            about.any(own)
        })
    };
    parts(title).any(|(part, _)| is_told(part))
}

/// Whether a title has a word for a work, which may be called like an error.
pub(super) fn is_work(title: &str) -> bool {
    let names = |part: &str| any_word(part, |language| language.works).is_some() && !is_missing(part);
    // "Page not found (film)"
    let in_brackets = title.split(['(', '（']).skip(1).filter_map(|rest| rest.split([')', '）']).next());
    parts(title).any(|(part, _)| names(part)) || in_brackets.into_iter().any(names_work)
}

/// The points of a title or a heading; where the number is that of a thing it counts for nothing alone.
pub(super) fn of_title(title: &str, is_number_of: bool) -> Finding {
    let mut found = Finding::default();
    for (part, group) in parts(title) {
        // "Error 404: what it means" is about errors.
        if part.len() < group.trim().len() && (is_about(group) || is_work(group)) {
            continue;
        }
        if is_told_of(part) {
            continue;
        }
        let before = found.points;
        let is_whole = LANGUAGES.iter().any(|language| language.whole.contains(&part));
        // "Error" alone is too little, and needs the number.
        if is_whole && !BARE.contains(&part) {
            // "Not found" does not say what: a poem may be called so.
            found.raise(if statement(part).is_some() { 3.0 } else { UNNAMED }, part, part.len());
        }
        if part == "404" {
            found.raise(if is_number_of { 0.0 } else { 2.5 }, part, part.len());
        } else if let Some((2.5, words)) = number(part) {
            found.raise(3.0, words, part.len());
        } else if let Some(words) = number_and_error_words(part) {
            // "Page 404" may be a page of a book.
            found.raise(if is_page_number(part) { PAGE_NUMBER } else { 3.0 }, words, part.len());
        }
        if let Some(statement) = statement(part) {
            // A sentence with much else in it reports something.
            let many = words(part).count() > 14 || others(part, &statement) > 2 || has_any(part, AFTER);
            let points = match (many, means_this(part)) {
                (true, _) => 1.0,
                (false, true) => 3.0,
                (false, false) => statement.points + 0.5,
            };
            if points > found.points {
                found.raise(points, &statement.words, part.len());
                found.of_page = statement.of_page;
            }
        } else if let Some(missing) = short_statement(part).filter(|_| found.points < UNNAMED) {
            found.raise(UNNAMED, missing, part.len());
            found.of_page = false;
        } else if let Some(missing) =
            any_word(part, |language| language.missing).filter(|_| means_this(part) && found.points < 2.5)
        {
            found.raise(2.5, missing, part.len());
            found.of_page = false;
        }
        // "Receiver not found?" asks.
        if group.trim_end().ends_with(['?', '？']) && group.trim_end_matches(['?', '？', ' ']).ends_with(part)
        {
            found.points = found.points.min(before.max(1.0));
        }
    }
    found
}

/// Number of words of a sentence that error pages do not use. Where the usual words of a language are unknown, those of pages
/// themselves are taken to be usual, and short ones.
fn others(part: &str, statement: &Statement) -> usize {
    if statement.language == 0 {
        let nouns = LANGUAGES[0].nouns;
        return words(part).filter(|word| !USUAL.contains(word) && !nouns.contains(word)).count();
    }
    let Some(language) = LANGUAGES.get(statement.language).filter(|_| !statement.of_page) else { return 0 };
    let lists = [language.nouns, language.missing, language.help, language.request];
    let is_usual = |word: &str| lists.iter().any(|list| list.iter().any(|usual| usual.contains(word)));
    words(part).filter(|word| word.chars().count() >= 5 && !is_usual(word) && !THIS.contains(word)).count()
}

/// Maximum number of words of a title that says what is missing in a word that is unknown.
const SHORT_TITLE_WORDS: usize = 4;
/// The same where words are not separated, in bytes.
const SHORT_TITLE_BYTES: usize = 30;

/// "Record not found": a title or heading of a few words that end with an expression for "missing".
fn short_statement(part: &str) -> Option<&'static str> {
    LANGUAGES.iter().find_map(|language| {
        let is_short = match language.spaced {
            true => words(part).count() <= SHORT_TITLE_WORDS,
            false => part.len() <= SHORT_TITLE_BYTES,
        };
        let (at, missing) = find(part, language.missing, language.spaced).filter(|_| is_short)?;
        // In "The house that is no more" the house is what the page is about.
        let is_clause = has_any(&part[..at], RELATIVE);
        (at > 0 && at + missing.len() == part.len() && !is_clause).then_some(missing)
    })
}

/// A title such as "404 not found" or "error 404": the number, and nothing but words of errors.
fn number_and_error_words(part: &str) -> Option<&str> {
    let has = words(part).any(|word| word == "404");
    let mut rest = words(part).filter(|word| *word != "404" && !is_count(word));
    let count = words(part).filter(|word| !is_count(word)).count();
    (has && (2..=7).contains(&count) && rest.all(|word| ERROR_WORDS.contains(&word))).then_some(part)
}

/// Whether a part names a page by the number and says nothing else.
fn is_page_number(part: &str) -> bool {
    words(part).all(|word| word == "404" || PAGE_ONLY.contains(&word))
}

/// What is said to be missing in a sentence of a few words, whatever it is: "Record not found".
pub(super) fn of_short_lines(lines: &str) -> Finding {
    let mut found = Finding::default();
    for sentence in sentences(lines) {
        if let Some(missing) = short_statement(sentence.trim()) {
            found.raise(1.5, missing, sentence.len());
            found.of_page = false;
        }
    }
    found
}

/// The points of the first lines.
pub(super) fn of_lines(lines: &str) -> Finding {
    let mut found = Finding::default();
    for sentence in sentences(lines) {
        if let Some(statement) = statement(sentence) {
            let is_case = words(sentence).any(|word| {
                WHEN.iter().any(|when| {
                    word == *when || (!when.is_ascii() && !is_spaced(when) && word.contains(when))
                })
            });
            let weak = is_case
                || is_told_of(sentence)
                || others(sentence, &statement) > 3
                || words(sentence).count() > 28;
            let before = found.points;
            found.raise(if weak { 0.5 } else { statement.points }, &statement.words, sentence.len());
            if found.points > before {
                found.is_of_this_page = !weak && statement.is_of_this_page;
                found.of_page = statement.of_page;
            }
        }
        if let Some((points, words)) = number(sentence) {
            found.raise(points, words, sentence.len());
        }
    }
    found
}
