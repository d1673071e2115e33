//! How much of a page's text speaks of an error, and how much of something else.

use super::soft404_statement::{any_request, any_word, has_any, is_missing, names_error};
use super::soft404_words::{OF_SITE, PAGE_ONLY};

/// Minimum letters of a sentence of prose: shorter ones are entries of menus.
pub(super) const MIN_SENTENCE: usize = 20;

/// Maximum letters of a sentence that speaks of the page and hardly of anything else.
pub(super) const SHORT_SENTENCE: usize = 60;

/// Minimum number of entries of a menu.
const MENU_ENTRIES: usize = 5;

/// The sentences of some lines: letters of those that speak of an error or give advice, and of the others.
#[derive(Default)]
pub(super) struct Prose {
    pub(super) said: usize,
    pub(super) other: usize,
}

impl Prose {
    pub(super) fn of(lines: &str) -> Self {
        const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];
        let mut prose = Prose::default();
        for sentence in lines.lines().flat_map(|line| line.split_inclusive(ENDS)) {
            let width = width(sentence);
            if is_sign(sentence) {
                prose.said += width;
            } else if sentence.ends_with(ENDS) && width >= MIN_SENTENCE && !is_menu(sentence) {
                prose.other += width;
            }
        }
        prose
    }
}

/// Whether a line of a language without spaces has many: then it is a menu.
fn is_menu(line: &str) -> bool {
    let (wide, all) = line
        .chars()
        .filter(|c| !c.is_whitespace())
        .fold((0, 0), |(wide, all), c| (wide + usize::from(c >= '\u{3000}'), all + 1));
    wide * 2 > all && line.split_whitespace().count() >= MENU_ENTRIES
}

/// Whether a sentence may be one of an error page: it names the error, gives advice, or speaks of the site or shortly of the page.
pub(super) fn is_sign(sentence: &str) -> bool {
    let is_short = width(sentence) <= SHORT_SENTENCE;
    names_error(sentence)
        || is_missing(sentence)
        || any_word(sentence, |language| language.help).is_some()
        || any_request(sentence).is_some()
        || OF_SITE.iter().any(|word| sentence.contains(word))
        || (is_short && has_any(sentence, PAGE_ONLY))
}

/// Number of letters of a text; one of Japanese or Chinese says as much as two and a half others.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|c| if c < '\u{3000}' { 2 } else { 5 }).sum::<usize>() / 2
}

/// Some lines without those that repeat a heading.
pub(super) fn without_headings(lines: &str, heading: &str) -> String {
    let headings: Vec<&str> = heading.split(" | ").map(str::trim).collect();
    lines.lines().filter(|line| !headings.contains(&line.trim())).collect::<Vec<_>>().join("\n")
}
