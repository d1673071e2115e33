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
//! title or heading contains a clear statement, or "this … is gone" + 2.5  (both + 3; among many other words + 1)
//! the lines below contain a clear statement, or "error 404"       + 2     (about a product or a post + 1.5; "error 404" alone + 2.5)
//! they say after such a title that something is missing, not what + 1
//! the statement is a third of a short page without a heading      + 1
//! an apology, advice, or a word for the request ("requested")     + 1
//! title or heading is "Error" and nothing else                    + 1
//! text below 300, 800 bytes                                       + 0.75, + 0.5
//! text above 1,600, 4,000 bytes                                   − 1.5, − 4
//! title or heading says so, but sentences below say nothing of it − 5
//! sentences below say little of it                                − 2
//! title or heading says so, but a text of 250 bytes does not      − 2
//! title or heading has the number among other words, and nothing else  − 2
//! words of pages about errors ("how to fix"), quotation marks     − 4.5  ("guide" beside the statement, a name of a site − 2.5)
//! somebody asks about errors of a site of their own               − 5
//!
//! score = 1 / (1 + e^(3 − points))
//! ```
//!
//! A clear statement has a noun for a page, or a word for what was requested, and an expression for "missing" in one sentence
//! that is not a question; a block ends a sentence. What only names a thing ("Record not found"), in a title and the same heading, counts
//! once where the text has nothing of it. The number counts for nothing where it names something else ("Peugeot 404"). From a score of
//! one half on the page looks like an error page. The score is printed beside the verdict: it is an opinion, not a probability.

use serde::{Deserialize, Serialize};

use super::soft404_filter::FILTER;
use super::soft404_parked::{parked, wall};
use super::soft404_prose::{MIN_SENTENCE, Prose, without_headings};
use super::soft404_server::failed;
use super::soft404_statement::{
    Statement, any_request, any_word, contains, find, has_any, is_missing, is_spaced, means_this,
    names_error, number, parts, quotes, sentences, statement, words,
};
use super::soft404_words::{
    AFTER, ASKING, BARE, ERROR_NAMES, ERROR_WORDS, LANGUAGES, OF_NAMES, OF_SITE, PAGE_ONLY, REPORTING, THIS,
    USUAL, WHEN, WRONG,
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
pub(super) const THRESHOLD: f64 = 3.0;
/// Bytes at the beginning of the text, and after its first heading, that are read for statements.
const FIRST_LINES: usize = 500;
/// Maximum bytes of a title or heading that are read.
const MAX_TITLE: usize = 300;
/// Minimum number of unlike addresses with one short page that is no coincidence.
pub(crate) const SAME_BODY: u32 = 5;
/// Maximum bytes of text, without white space, of a page that counts as short.
pub(crate) const SHORT_TEXT: u64 = 800;

/// Points of a title or heading that says "not found" and not what.
const UNNAMED: f64 = 2.0;

/// Bytes of text below which a page has nothing to say but its title.
const NOTHING_ELSE: u64 = 60;

/// Bytes of text below which one statement may be all that a page says.
const ALL_SAID: u64 = 250;

/// Letters of sentences that say nothing of an error from which on a title is the name of something else; and from which on they
/// are what the page is about.
const PROSE: usize = 60;
const MUCH_PROSE: usize = 200;

/// What was found in one part of the page.
#[derive(Default)]
struct Finding {
    points: f64,
    words: String,
    /// Bytes of the sentence.
    length: usize,
    /// It speaks of the page itself, or of "this".
    is_of_this_page: bool,
}

impl Finding {
    fn raise(&mut self, points: f64, words: &str, length: usize) {
        if points > self.points {
            *self = Finding { points, words: words.to_owned(), length, is_of_this_page: false };
        }
    }

    /// The stronger one.
    fn or(self, other: Finding) -> Finding {
        if other.points > self.points { other } else { self }
    }
}

/// Whether the number stands beside a word that has nothing to do with errors: "Room 404".
fn numbers_thing(part: &str) -> bool {
    let is_of_error = |word: &str| {
        word == "404"
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
fn is_named_about(title: &str) -> bool {
    parts(title).any(|(part, _)| !is_missing(part) && OF_NAMES.iter().any(|word| contains(part, word, true)))
}

/// Whether a title is that of a page about errors.
fn is_about(title: &str) -> bool {
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
fn is_work(title: &str) -> bool {
    parts(title).any(|(part, _)| any_word(part, |language| language.works).is_some() && !is_missing(part))
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
    if let Some(failed) = failed(&title, &heading, &first, text.length) {
        return Some(failed);
    }
    if let Some(parked) = parked(&title, &heading, &first, text.length) {
        return Some(parked);
    }
    // "Peugeot 404": the number of a thing.
    let is_number_of = [&title, &heading].iter().any(|part| parts(part).any(|(part, _)| numbers_thing(part)));
    let in_title = of_title(&title, is_number_of);
    let in_heading = of_title(&heading, is_number_of);
    // A heading is text as well: what it says is not said twice.
    let below: Vec<String> = [&first, &lead].iter().map(|lines| without_headings(lines, &heading)).collect();
    let mut in_text = of_lines(&below[0]).or(of_lines(&below[1]));
    let named = in_title.points.max(in_heading.points);
    // A line of a list below another heading.
    if named == 0.0 && !heading.is_empty() {
        in_text.points = in_text.points.min(2.0);
    }
    if named.max(in_text.points) == 0.0 {
        return None;
    }
    let helps_in = |part: &str| {
        any_word(part, |language| language.help).is_some()
            || any_request(part).is_some()
            || sentences(part).any(|sentence| {
                has_any(sentence, WRONG) && OF_SITE.iter().any(|word| sentence.contains(word))
            })
    };
    let helps = [&title, &heading, &below[0], &below[1]].into_iter().any(|part| helps_in(part));
    let is_work = |part: &str| named > 0.0 && is_work(part);
    let about = [&title, &heading]
        .into_iter()
        .any(|part| is_about(part) || is_work(part) || is_question(part) || quotes(part))
        || below.iter().any(|lines| are_about(lines));
    let is_site = [&title, &heading].into_iter().any(|part| is_named_about(part));
    let asks = below.iter().any(|lines| sentences(lines).any(asks));
    let has_name = [&title, &heading].iter().any(|part| parts(part).any(|(part, _)| BARE.contains(&part)));
    let lacks = below.iter().any(|lines| sentences(lines).any(is_missing));
    let prose =
        below.iter().map(|lines| Prose::of(lines)).max_by_key(|prose| prose.other).unwrap_or_default();
    // A poem may be called "Not found", and news "Article removed", in the title and above the text: that is said once.
    let is_name = named <= UNNAMED
        && in_text.points < 1.5
        && !helps
        && (!lacks || prose.other >= MIN_SENTENCE)
        && ![&title, &heading].iter().any(|part| means_this(part));
    let mut points = if is_name {
        named.max(in_text.points)
    } else {
        in_title.points + in_heading.points + in_text.points
    };
    points += f64::from(u8::from(helps)) + f64::from(u8::from(has_name));
    points += match text.length {
        0..300 => 0.75,
        300..800 => 0.5,
        800..1600 => 0.0,
        1600..4000 => -1.5,
        _ => -4.0,
    };
    if named > 0.0 && in_text.points == 0.0 && lacks {
        points += 1.0;
    }
    if text.length < ALL_SAID
        && heading.is_empty()
        && in_text.is_of_this_page
        && in_text.length as u64 * 3 >= text.length
    {
        points += 1.0;
    }
    if text.length < NOTHING_ELSE && named == UNNAMED {
        points += 1.0;
    }
    // Nothing is called "This page is no longer available".
    let says_this = [&title, &heading]
        .iter()
        .any(|part| parts(part).any(|(part, _)| means_this(part) && is_missing(part)));
    let says_little = prose.other >= MUCH_PROSE && prose.other > 2 * prose.said;
    let says_nothing = text.length >= 250 && in_text.points == 0.0 && !helps && !lacks;
    if prose.said == 0 && prose.other >= PROSE && !says_this {
        points -= 5.0;
    } else if says_little || says_nothing {
        points -= 2.0;
    }
    // "The history of error 404"
    if is_number_of && named == 0.0 {
        points -= 2.0;
    }
    if asks {
        points -= 5.0;
    } else if about {
        points -= 4.5;
    } else if is_site {
        points -= 2.5;
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

/// The points of a title or a heading; where the number is that of a thing it counts for nothing alone.
fn of_title(title: &str, is_number_of: bool) -> Finding {
    let mut found = Finding::default();
    for (part, group) in parts(title) {
        // "Error 404: what it means" is about errors.
        if part.len() < group.trim().len() && (is_about(group) || is_work(group)) {
            continue;
        }
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
            found.raise(3.0, words, part.len());
        }
        if let Some(statement) = statement(part) {
            // A sentence with much else in it reports something.
            let many = words(part).count() > 14 || others(part, &statement) > 2 || has_any(part, AFTER);
            let points = match (many, means_this(part)) {
                (true, _) => 1.0,
                (false, true) => 3.0,
                (false, false) => statement.points + 0.5,
            };
            found.raise(points, &statement.words, part.len());
        } else if let Some(missing) = short_statement(part) {
            found.raise(UNNAMED, missing, part.len());
        } else if let Some(missing) = any_word(part, |language| language.missing).filter(|_| means_this(part))
        {
            found.raise(2.5, missing, part.len());
        }
    }
    found
}

/// Number of words of a sentence that error pages do not use. Where the usual words of a language are not known, those of pages
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

/// Maximum number of words of a title that says what is missing in a word that is not known.
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
        (at > 0 && at + missing.len() == part.len()).then_some(missing)
    })
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
    for sentence in sentences(lines) {
        if let Some(statement) = statement(sentence) {
            let is_case = words(sentence).any(|word| {
                WHEN.iter().any(|when| {
                    word == *when || (!when.is_ascii() && !is_spaced(when) && word.contains(when))
                })
            });
            let weak = is_case || others(sentence, &statement) > 3 || words(sentence).count() > 28;
            let before = found.points;
            found.raise(if weak { 0.5 } else { statement.points }, &statement.words, sentence.len());
            if found.points > before {
                found.is_of_this_page = !weak && statement.is_of_this_page;
            }
        }
        if let Some((points, words)) = number(sentence) {
            found.raise(points, words, sentence.len());
        }
    }
    found
}

/// Whether the first lines explain errors instead of reporting one: in the sentence that names it.
fn are_about(lines: &str) -> bool {
    sentences(lines).any(|sentence| {
        let explains =
            || any_word(sentence, |language| language.about).is_some() || has_any(sentence, REPORTING);
        (names_error(sentence) && explains()) || quotes(sentence)
    })
}

/// Whether somebody asks about errors of a site of their own.
fn asks(sentence: &str) -> bool {
    ASKING.iter().any(|words| sentence.contains(words)) && names_error(sentence)
}

/// Whether a title asks about an error: "Error 404: what now?"
fn is_question(title: &str) -> bool {
    parts(title).any(|(part, group)| {
        let whole = group.trim().trim_end_matches(' ');
        let is_part = part.len() < whole.trim_matches(|c: char| !c.is_alphanumeric()).len();
        whole.ends_with(['?', '？']) && is_part && names_error(part)
    })
}

#[cfg(test)]
#[path = "soft404_tests.rs"]
mod tests;
