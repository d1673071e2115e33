//! Error pages with status 200, and parked domains.
//!
//! **The rule of the papers** asks the server: request an address that cannot exist, and treat every response like that one as
//! "not found" (Z. Bar-Yossef, A. Broder, R. Kumar, A. Tomkins, *Sic Transit Gloria Telae*, WWW 2004; used by F. McCown,
//! M. Nelson, *Evaluation of Crawling Policies for a Web-Repository Crawler*, HYPERTEXT 2006). An archive cannot be asked.
//! The rule is applied where it has such a capture: the same content with status 404 or 410, or at an address that only
//! broken scripts produce (`cannot_exist`). A report says which of the two rules finds a page.
//!
//! **Our rule** reads the page: its title, its first headings and its first lines. Each gives points, and so does the length of
//! the text:
//!
//! ```text
//! title or heading says nothing but "page not found" or 404       + 3     (404 alone + 2.5, "not found" alone + 2)
//! there is no text besides a title "not found"                    + 1
//! title or heading contains a clear statement                     + 2.5   (among many other words + 1)
//! first lines contain a clear statement, or "error 404"           + 2     (about a product or a post + 1.5)
//! an apology, advice, or a word for the request ("requested")     + 1
//! title or heading is "Error" and nothing else                    + 1
//! text below 300, 800 bytes                                       + 0.75, + 0.5
//! text above 1,600, 4,000 bytes                                   − 1.5, − 4
//! title or heading says so, but a text of 250 bytes does not      − 2
//! words of pages about errors ("how to fix")                      − 3
//!
//! score = 1 / (1 + e^(3 − points))
//! ```
//!
//! A clear statement has a noun for a page and an expression for "missing" in one sentence. From a score of one half on the page
//! looks like an error page. The score is printed beside the verdict: it is an opinion, not a probability.

use serde::{Deserialize, Serialize};

use super::soft404_filter::FILTER;
use super::soft404_words::{
    ABBREVIATIONS, BARE, DOMAIN, ERROR_WORDS, FOR_SALE, LANGUAGES, Language, PAGE_NOUNS, PARKED, STATEMENTS,
    USUAL, WALL_TITLES, WALL_WORDS,
};
use super::text::Text;

/// Why a response with status 200, or a redirect, looks like an error page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "sign")]
pub enum Soft404 {
    /// The title says so.
    TitleWords {
        /// The words found.
        words: String,
        /// Between one half and 1.
        #[serde(default)]
        score: f64,
    },
    /// A heading says so.
    HeadingWords {
        /// The words found.
        words: String,
        /// Between one half and 1.
        score: f64,
    },
    /// The first lines say so.
    TextWords {
        /// The words found.
        words: String,
        /// Between one half and 1.
        #[serde(default)]
        score: f64,
    },
    /// The domain is for sale, expired or parked.
    Parked {
        /// The words found.
        words: String,
        /// Between one half and 1.
        score: f64,
    },
    /// A wall against robots: the visitor shall wait, or prove to be human.
    Wall {
        /// The words found.
        words: String,
    },
    /// The same short page was served for many unlike addresses.
    SameBody {
        /// Number of addresses.
        urls: u32,
    },
    /// The same page was served for an address that cannot exist, or with status 404 or 410.
    LikeMissing {
        /// That address.
        url: String,
    },
    /// A deeper address was redirected to the root of the site.
    RedirectToRoot,
}

impl Soft404 {
    /// A sentence for a report.
    pub fn explain(&self) -> String {
        match self {
            Soft404::TitleWords { words, score } => format!("the title says \"{words}\" (score {score:.2})"),
            Soft404::HeadingWords { words, score } => {
                format!("a heading says \"{words}\" (score {score:.2})")
            }
            Soft404::TextWords { words, score } => {
                format!("the first lines say \"{words}\" (score {score:.2})")
            }
            Soft404::Parked { words, score } => {
                format!("the domain is parked or for sale: \"{words}\" (score {score:.2})")
            }
            Soft404::Wall { words } => {
                format!("{WALL}: \"{words}\"")
            }
            Soft404::SameBody { urls } => {
                format!("{urls} unlike addresses were answered with this same short page")
            }
            Soft404::LikeMissing { url } => {
                format!("it equals the response for {url}, which does not exist")
            }
            Soft404::RedirectToRoot => "the address was redirected to the root of the site".to_owned(),
        }
    }
}

/// What is said of every wall against robots.
pub(crate) const WALL: &str = "it is a wall against robots, not the page";
/// Points from which on a page looks like an error page.
const THRESHOLD: f64 = 3.0;
/// Bytes at the beginning of the text, and after its first heading, that are read for statements.
const FIRST_LINES: usize = 500;
/// Maximum bytes of a title or heading that are read.
const MAX_TITLE: usize = 300;
/// Maximum bytes of text of a parked domain.
const MAX_PARKED_TEXT: u64 = 3000;
/// Minimum number of unlike addresses with one short page that is no coincidence.
pub(crate) const SAME_BODY: u32 = 5;
/// Maximum bytes of text, without white space, of a page that counts as short.
pub(crate) const SHORT_TEXT: u64 = 800;

/// Maximum bytes of text of a page that has only a title to show.
const BARE_TEXT: u64 = 120;

/// Points of a title or heading that says "not found" and not what.
const UNNAMED: f64 = 2.0;

/// Bytes of text below which a page has nothing to say but its title.
const NOTHING_ELSE: u64 = 60;

/// What was found in one part of the page.
#[derive(Default)]
struct Finding {
    points: f64,
    words: String,
}

impl Finding {
    fn raise(&mut self, points: f64, words: &str) {
        if points > self.points {
            *self = Finding { points, words: words.to_owned() };
        }
    }
}

/// Judges a page that was answered with status 200 by its own words.
pub(crate) fn by_words(text: &Text) -> Option<Soft404> {
    let title = lower(&text.title, MAX_TITLE);
    let heading = lower(&text.heading, MAX_TITLE);
    let first = lower(&text.excerpt, FIRST_LINES);
    let lead = lower(&text.lead, FIRST_LINES);
    // Nearly all pages end here: without one of these expressions no rule below says anything.
    if ![&title, &heading, &first, &lead].iter().any(|part| FILTER.may_match(part)) {
        return None;
    }
    if let Some(wall) = wall(&title, &heading, &first, text.length) {
        return Some(wall);
    }
    if let Some(parked) = parked(&title, &heading, &first, text.length) {
        return Some(parked);
    }
    let in_title = of_title(&title);
    let in_heading = of_title(&heading);
    let mut in_text = of_lines(&first);
    let in_lead = of_lines(&lead);
    in_text.raise(in_lead.points, &in_lead.words);
    // A heading is text as well: what it says alone is not said twice.
    let below = of_lines(lead.strip_prefix(heading.as_str()).unwrap_or(&lead));
    let body_says = in_heading.points.max(in_text.points);
    if in_title.points.max(body_says) == 0.0 {
        return None;
    }
    let helps = [&title, &heading, &first, &lead]
        .iter()
        .any(|part| any_word(part, |language| language.help).is_some());
    let about =
        [&title, &heading, &first].iter().any(|part| any_word(part, |language| language.about).is_some());
    let names_error = [&title, &heading].iter().any(|part| parts(part).any(|(part, _)| BARE.contains(&part)));
    let mut points = in_title.points + in_heading.points + in_text.points;
    points += f64::from(u8::from(helps)) + f64::from(u8::from(names_error));
    points += match text.length {
        0..300 => 0.75,
        300..800 => 0.5,
        800..1600 => 0.0,
        1600..4000 => -1.5,
        _ => -4.0,
    };
    let said_below = below.points > 0.0 || in_text.points > 0.0 || helps;
    if text.length < NOTHING_ELSE && in_title.points.max(in_heading.points) == UNNAMED {
        points += 1.0;
    }
    if text.length >= 250 && (!said_below || body_says == 0.0) {
        points -= 2.0;
    }
    if about {
        points -= 3.0;
    }
    if points < THRESHOLD {
        return None;
    }
    let score = 1.0 / (1.0 + (THRESHOLD - points).exp());
    Some(if in_title.points > 0.0 {
        Soft404::TitleWords { words: in_title.words, score }
    } else if in_heading.points > 0.0 {
        Soft404::HeadingWords { words: in_heading.words, score }
    } else {
        Soft404::TextWords { words: in_text.words, score }
    })
}

/// Lower case, with plain apostrophes, cut to about `limit` bytes.
fn lower(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if out.len() >= limit {
            break;
        }
        match c {
            _ if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            '’' | '‘' | 'ʼ' => out.push('\''),
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Titles and headings are lists of parts: the name of the page, that of the site. Each comes with the whole of what colons
/// join it to: "Error 404: how to fix it".
fn parts(title: &str) -> impl Iterator<Item = (&str, &str)> {
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
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty())
}

/// The points of a title or a heading.
fn of_title(title: &str) -> Finding {
    let mut found = Finding::default();
    for (part, group) in parts(title) {
        // "Error 404: what it means" is about errors.
        if part.len() < group.trim().len() && any_word(group, |language| language.about).is_some() {
            continue;
        }
        let is_whole = LANGUAGES.iter().any(|language| language.whole.contains(&part));
        // "Error" alone is too little, and needs the number.
        if is_whole && !BARE.contains(&part) {
            // "Not found" does not say what: a poem may be called so.
            found.raise(if statement(part).is_some() { 3.0 } else { UNNAMED }, part);
        }
        if part == "404" {
            found.raise(2.5, part);
        } else if let Some(words) = number_and_error_words(part) {
            found.raise(3.0, words);
        }
        if let Some(statement) = statement(part) {
            // A sentence with much else in it reports something.
            let many = words(part).count() > 14 || (statement.language == 0 && others(part) > 2);
            found.raise(if many { 1.0 } else { statement.points + 0.5 }, &statement.words);
        }
    }
    found
}

/// Number of words of an English sentence that error pages do not use.
fn others(part: &str) -> usize {
    let nouns = LANGUAGES[0].nouns;
    words(part).filter(|word| !USUAL.contains(word) && !nouns.contains(word)).count()
}

/// A title such as "404 not found" or "error 404": the number, and nothing but words of errors.
fn number_and_error_words(part: &str) -> Option<&str> {
    let has = words(part).any(|word| word == "404");
    let mut rest = words(part).filter(|word| *word != "404");
    let count = words(part).count();
    (has && (2..=7).contains(&count) && rest.all(|word| ERROR_WORDS.contains(&word))).then_some(part)
}

/// The points of the first lines.
fn of_lines(lines: &str) -> Finding {
    let mut found = Finding::default();
    for sentence in lines.split(['.', '!', '?', '。', '！', '？', '|', '\n', '…']) {
        if let Some(statement) = statement(sentence) {
            let weak = (statement.language == 0 && others(sentence) > 3) || words(sentence).count() > 28;
            found.raise(if weak { 0.5 } else { statement.points }, &statement.words);
        }
    }
    for error in [
        "error 404",
        "404 error",
        "http 404",
        "404 not found",
        "fehler 404",
        "erreur 404",
        "erro 404",
        "errore 404",
        "ошибка 404",
        "404エラー",
        "404错误",
    ] {
        if contains(lines, error, true) {
            found.raise(2.0, error);
        }
    }
    found
}

/// That something is missing, in one sentence.
struct Statement {
    points: f64,
    words: String,
    /// The place of its language in the table.
    language: usize,
}

/// Maximum bytes between the noun and the expression for "missing".
const MAX_DISTANCE: usize = 90;

fn statement(sentence: &str) -> Option<Statement> {
    if let Some(words) = STATEMENTS.iter().find(|words| sentence.contains(*words)) {
        return Some(Statement { points: 2.0, words: (*words).to_owned(), language: LANGUAGES.len() });
    }
    let mut best: Option<Statement> = None;
    for (place, language) in LANGUAGES.iter().enumerate() {
        let Some((at, missing)) = find(sentence, language.missing, language.spaced) else { continue };
        let noun = language.nouns.iter().find(|noun| {
            positions(sentence, noun, language.spaced).any(|noun_at| noun_at.abs_diff(at) <= MAX_DISTANCE)
        });
        let Some(noun) = noun else { continue };
        // Products, posts and the like are missing on pages that are otherwise in order.
        let is_page = PAGE_NOUNS.contains(noun);
        let points = if is_page { 2.0 } else { 1.5 };
        if best.as_ref().is_none_or(|best| points > best.points) {
            let words = format!("{noun} {missing}");
            let words = if language.spaced { words } else { format!("{noun}{missing}") };
            best = Some(Statement { points, words, language: place });
        }
    }
    best
}

fn any_word(text: &str, words: fn(&Language) -> &'static [&'static str]) -> Option<&'static str> {
    LANGUAGES.iter().find_map(|language| {
        words(language).iter().find(|word| contains(text, word, language.spaced)).copied()
    })
}

/// The first of several expressions, the longest where two begin at one place.
fn find(text: &str, words: &[&'static str], spaced: bool) -> Option<(usize, &'static str)> {
    words
        .iter()
        .filter_map(|word| Some((positions(text, word, spaced).next()?, *word)))
        .min_by_key(|(at, word)| (*at, std::cmp::Reverse(word.len())))
}

fn contains(text: &str, word: &str, spaced: bool) -> bool {
    positions(text, word, spaced).next().is_some()
}

/// Where a word or phrase occurs; with `spaced`, between word borders.
fn positions<'t>(text: &'t str, word: &'t str, spaced: bool) -> impl Iterator<Item = usize> + 't {
    let is_border = move |c: Option<char>| !spaced || !c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        is_border(text[..*at].chars().next_back()) && is_border(text[*at + word.len()..].chars().next())
    })
}

fn parked(title: &str, heading: &str, first: &str, length: u64) -> Option<Soft404> {
    if length >= MAX_PARKED_TEXT {
        return None;
    }
    let found = |part: &str| {
        let words = PARKED.iter().find(|words| contains(part, words, part.is_ascii())).copied();
        words.or_else(|| named_for_sale(part))
    };
    let (in_title, in_heading, in_text) = (found(title), found(heading), found(first));
    let words = in_title.or(in_heading).or(in_text)?;
    let about = [title, heading, first].iter().any(|part| {
        LANGUAGES
            .iter()
            .any(|language| language.about.iter().any(|word| contains(part, word, language.spaced)))
    });
    let places = [in_title, in_heading, in_text].iter().flatten().count() as f64;
    let short = if length < SHORT_TEXT { 1.5 } else { 0.0 };
    let points = 2.0 * places + short - if about { 3.0 } else { 0.0 };
    let score = 1.0 / (1.0 + (THRESHOLD - points).exp());
    (points >= THRESHOLD).then(|| Soft404::Parked { words: words.to_owned(), score })
}

/// "The domain example.org is for sale": a word for domains, a name with a dot, and that it is for sale.
fn named_for_sale(part: &str) -> Option<&'static str> {
    let sale = FOR_SALE.iter().copied().find(|words| part.contains(words))?;
    let before = &part[..part.find(sale)?];
    let at = DOMAIN.iter().filter_map(|noun| before.rfind(noun)).max()?;
    let between = &before[at..];
    let has_name = between.split_whitespace().any(|word| {
        let name = word.trim_matches(|c: char| !c.is_alphanumeric());
        name.split_once('.').is_some_and(|(host, suffix)| !host.is_empty() && suffix.len() >= 2)
    });
    (has_name && between.len() <= MAX_DISTANCE).then_some(sale)
}

/// A short page whose title says so, or whose heading or first lines say it twice.
fn wall(title: &str, heading: &str, first: &str, length: u64) -> Option<Soft404> {
    if length >= SHORT_TEXT {
        return None;
    }
    let title = title.trim().trim_end_matches(['.', '…', '!', ' ']);
    let by_title =
        WALL_TITLES.iter().find(|words| title == **words || title.starts_with(&format!("{words} |")));
    let mut said: Vec<&str> = WALL_WORDS
        .iter()
        .filter(|words| heading.contains(**words) || first.contains(**words))
        .copied()
        .collect();
    said.sort_unstable_by_key(|words| std::cmp::Reverse(words.len()));
    let words = match (by_title, said.as_slice()) {
        (Some(title), [_, ..]) => title,
        (_, [words, _, ..]) => words,
        // A page that a script makes has nothing but this title.
        (Some(title), []) if length < BARE_TEXT => title,
        _ => return None,
    };
    Some(Soft404::Wall { words: (*words).to_owned() })
}

#[cfg(test)]
#[path = "soft404_tests.rs"]
mod tests;
