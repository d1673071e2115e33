//! How much of a page's text speaks of an error, and how much of something else.

use super::soft404_content::{facts, names_work};
use super::soft404_statement::{
    any_request, any_word, has_any, is_missing, is_of_site, names_error, parts, statement,
};
use super::soft404_words::{LANGUAGES, PAGE_ONLY};
use super::text::Text;

/// Minimum letters of a sentence of prose: shorter ones are entries of menus.
pub(super) const MIN_SENTENCE: usize = 20;

/// Maximum letters of a sentence that speaks of the page and hardly of anything else.
pub(super) const SHORT_SENTENCE: usize = 60;

/// What ends a sentence.
pub(super) const ENDS: [char; 6] = ['.', '!', '?', '。', '！', '？'];

/// Minimum number of entries of a menu, and of a list without links.
const MENU_ENTRIES: usize = 5;
const ROW_ENTRIES: usize = 3;

/// The sentences of some lines: letters of those that speak of an error or give advice, and of the others.
#[derive(Default)]
pub(super) struct Prose {
    pub(super) said: usize,
    pub(super) other: usize,
}

impl Prose {
    pub(super) fn of(lines: &str) -> Self {
        let mut prose = Prose::default();
        for sentence in lines.lines().flat_map(|line| above_copyright(line).split_inclusive(ENDS)) {
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

/// A line up to the sentence with a sign of copyright: from there on it speaks of the site.
fn above_copyright(line: &str) -> &str {
    let Some(sign) = line.find(['©', '®']).or_else(|| line.starts_with("copyright").then_some(0)) else {
        return line;
    };
    line[..sign]
        .rfind(ENDS)
        .map_or("", |end| &line[..end + line[end..].chars().next().map_or(1, char::len_utf8)])
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
        || is_of_site(sentence)
        || (is_short && has_any(sentence, PAGE_ONLY) && facts(sentence) == 0)
}

/// The lines that are more than an entry of a menu such as "Home page": advice is a sentence.
pub(super) fn without_entries(lines: &str) -> String {
    let is_entry = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        let is_home = || line.chars().count() <= 5 && line.ends_with("页") && !line.contains(['返', '回']);
        is_home() || LANGUAGES.iter().any(|language| language.help.contains(&line))
    };
    lines.lines().filter(|line| !is_entry(line)).collect::<Vec<_>>().join("\n")
}

/// The first sentence after the heading that says that something is missing; entries of menus do not count. All in lower case.
pub(super) fn after_statement(lead: &str, heading: &str) -> Option<String> {
    let says = |line: &str| parts(line).any(|(part, _)| statement(part).is_some() || names_error(part));
    let headings: Vec<&str> = heading.split(" | ").map(str::trim).collect();
    let mut lines = lead.lines().skip_while(|line| !(headings.contains(&line.trim()) && says(line))).skip(1);
    let is_sentence = |line: &&str| width(line) >= MIN_SENTENCE && !line.starts_with(['©', '®']);
    let line = lines.find(is_sentence)?;
    line.split_inclusive(ENDS).find(|sentence| width(sentence) >= MIN_SENTENCE).map(str::to_owned)
}

/// The bytes of text of a page, without white space and without its menus: rows of links, and rows of short entries.
/// Where the page is longer than its beginning, the rest is taken to be like it.
pub(super) fn without_menus(text: &Text) -> u64 {
    let bytes = |line: &str| line.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    let (mut menus, mut all, mut row, mut entries) = (0, 0, 0, 0);
    for line in text.excerpt.lines().chain([". "]) {
        all += bytes(line);
        if width(line) < MIN_SENTENCE && !line.ends_with(ENDS) {
            (row, entries) = (row + bytes(line), entries + 1);
            continue;
        }
        menus += if entries >= MENU_ENTRIES { row } else { 0 };
        (row, entries) = (0, 0);
    }
    let length = text.length - text.menu_length;
    length - length * menus as u64 / all.max(1) as u64
}

/// Some lines without rows of entries: three or more lines of a few words that end no sentence.
pub(super) fn without_rows(lines: &str) -> String {
    let lines: Vec<&str> = lines.lines().collect();
    let is_entry = |line: &&str| width(line) < MIN_SENTENCE && !line.ends_with(ENDS);
    let rows = lines.chunk_by(|a, b| is_entry(a) == is_entry(b));
    rows.filter(|row| row.len() < ROW_ENTRIES || !is_entry(&row[0]))
        .flatten()
        .copied()
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line that is a part of the title, or with a title that says that something is missing says so as well, and the lines from there on.
pub(super) fn title_line<'l>(title: &str, lines: &'l str) -> Option<(&'l str, &'l str)> {
    let names: Vec<&str> = parts(title).map(|(part, _)| part).collect();
    let says = names.iter().any(|part| is_missing(part));
    let mut at = 0;
    for line in lines.split_inclusive('\n') {
        let own = line.trim_matches(|c: char| !c.is_alphanumeric());
        let is_short = width(own) <= SHORT_SENTENCE && !line.trim_end().ends_with(ENDS);
        if names.contains(&own) || own == title.trim() || (says && is_short && is_missing(own)) {
            return Some((line.trim(), &lines[at..]));
        }
        at += line.len();
    }
    None
}

/// Whether a sentence tells what kind of work it is that is called like an error: "Page not found is a film of 2019".
pub(super) fn tells_of(lines: &str, name: &str) -> bool {
    let names = || parts(name).map(|(part, _)| part).filter(|part| names_error(part));
    lines.lines().flat_map(|line| line.split_inclusive(ENDS)).any(|sentence| {
        let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
        names().filter_map(|name| start.strip_prefix(name)).any(names_work)
    })
}

/// Number of letters of a text; one of Japanese or Chinese says as much as two and a half others.
pub(super) fn width(text: &str) -> usize {
    half_widths(text.chars()) / 2
}

/// The same of some of its characters, in halves.
pub(super) fn half_widths(text: impl Iterator<Item = char>) -> usize {
    text.map(|c| if c < '\u{3000}' { 2 } else { 5 }).sum()
}

/// Some lines without those that repeat a heading.
pub(super) fn without_headings(lines: &str, heading: &str) -> String {
    let headings: Vec<&str> = heading.split(" | ").map(str::trim).collect();
    lines.lines().filter(|line| !headings.contains(&line.trim())).collect::<Vec<_>>().join("\n")
}
