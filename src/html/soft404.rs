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
//! title or heading contains a clear statement, or "this … is gone" + 2.5  (among many other words + 1)
//! first lines contain a clear statement, or "error 404"           + 2     (about a product or a post + 1.5; "error 404" alone + 2.5)
//! an apology, advice, or a word for the request ("requested")     + 1
//! title or heading is "Error" and nothing else                    + 1
//! text below 300, 800 bytes                                       + 0.75, + 0.5
//! text above 1,600, 4,000 bytes                                   − 1.5, − 4
//! title or heading says so, but a text of 250 bytes does not      − 2
//! words of pages about errors ("how to fix"), quotation marks     − 3.5
//! somebody asks about errors of a site of their own               − 5
//!
//! score = 1 / (1 + e^(3 − points))
//! ```
//!
//! A clear statement has a noun for a page, or a word for what was requested, and an expression for "missing" in one sentence
//! that is not a question; a block ends a sentence. What only names a thing ("Record not found"), in a title and the same heading, counts
//! once where the text has nothing of it. From a score of one half on the page
//! looks like an error page. The score is printed beside the verdict: it is an opinion, not a probability.

use serde::{Deserialize, Serialize};

use super::soft404_filter::FILTER;
use super::soft404_words::{
    ABBREVIATIONS, ASKING, BARE, DOMAIN, ERROR_NAMES, ERROR_WORDS, FOR_SALE, LANGUAGES, Language, PAGE_NOUNS,
    PARKED, STATEMENTS, THIS, USUAL, WALL_TITLES, WALL_WORDS, WHEN,
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
        .any(|part| any_word(part, |language| language.help).is_some() || any_request(part).is_some());
    let about = [&title, &heading]
        .iter()
        .any(|part| any_word(part, |language| language.about).is_some() || is_question(part) || quotes(part))
        || [&first, &lead].iter().any(|lines| are_about(lines));
    let asks = [&first, &lead].iter().any(|lines| sentences(lines).any(asks));
    let has_name = [&title, &heading].iter().any(|part| parts(part).any(|(part, _)| BARE.contains(&part)));
    // A poem may be called "Not found", and news "Article removed", in the title and above the text: that is said once.
    let is_name = in_title.points.max(in_heading.points) <= UNNAMED
        && below.points < 1.0
        && !helps
        && ![&title, &heading].iter().any(|part| means_this(part));
    let mut points = if is_name {
        in_title.points.max(in_heading.points).max(in_text.points)
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
    let said_below = below.points > 0.0 || in_text.points > 0.0 || helps;
    if text.length < NOTHING_ELSE && in_title.points.max(in_heading.points) == UNNAMED {
        points += 1.0;
    }
    if text.length >= 250 && (!said_below || body_says == 0.0) {
        points -= 2.0;
    }
    if asks {
        points -= 5.0;
    } else if about {
        points -= 3.5;
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
            let many = words(part).count() > 14 || others(part, &statement) > 2;
            found.raise(if many { 1.0 } else { statement.points + 0.5 }, &statement.words);
        } else if let Some(missing) = short_statement(part) {
            found.raise(UNNAMED, missing);
        } else if let Some(missing) = any_word(part, |language| language.missing).filter(|_| means_this(part))
        {
            found.raise(2.5, missing);
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
    words(part).filter(|word| word.chars().count() >= 5 && !is_usual(word)).count()
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

/// The sentences of a text, without questions; a block ends a sentence.
fn sentences(lines: &str) -> impl Iterator<Item = &str> {
    const ENDS: [char; 9] = ['.', '!', '?', '。', '！', '？', '|', '\n', '…'];
    let whole = lines.split_inclusive(ENDS).filter(|sentence| !sentence.ends_with(['?', '？']));
    whole.map(|sentence| sentence.trim_end_matches(ENDS)).filter(|sentence| !sentence.is_empty())
}

/// The points of the first lines.
fn of_lines(lines: &str) -> Finding {
    let mut found = Finding::default();
    for sentence in sentences(lines) {
        if let Some(statement) = statement(sentence) {
            let is_case = words(sentence).any(|word| WHEN.contains(&word));
            let weak = is_case || others(sentence, &statement) > 3 || words(sentence).count() > 28;
            found.raise(if weak { 0.5 } else { statement.points }, &statement.words);
        }
        if let Some((points, words)) = number(sentence) {
            found.raise(points, words);
        }
    }
    found
}

/// Whether the first lines explain errors instead of reporting one: in the sentence that names it.
fn are_about(lines: &str) -> bool {
    sentences(lines).any(|sentence| {
        let is_about = any_word(sentence, |language| language.about).is_some();
        (is_about && names_error(sentence)) || quotes(sentence)
    })
}

/// Whether a sentence says that something is missing, or names the number.
fn names_error(sentence: &str) -> bool {
    number(sentence).is_some() || statement(sentence).is_some()
}

/// Whether a title speaks of the thing on this page: "this product".
fn means_this(title: &str) -> bool {
    // Japanese and Chinese have no spaces.
    let has_spaces = |word: &str| word.chars().all(|c| c < '\u{3000}');
    THIS.iter().any(|word| contains(title, word, has_spaces(word)))
}

/// Whether somebody asks about errors of a site of their own.
fn asks(sentence: &str) -> bool {
    ASKING.iter().any(|words| sentence.contains(words)) && names_error(sentence)
}

/// Whether an error is named between quotation marks, as something that another page says.
fn quotes(text: &str) -> bool {
    const MARKS: [(char, &[char]); 5] =
        [('“', &['”']), ('„', &['“', '”']), ('«', &['»']), ('「', &['」']), ('"', &['"'])];
    MARKS.iter().any(|(open, close)| {
        let opened = text.match_indices(*open).map(|(at, mark)| &text[at + mark.len()..]);
        opened.filter_map(|rest| Some(&rest[..rest.find(*close)?])).any(names_error)
    })
}

/// Whether a title asks about an error: "Error 404: what now?"
fn is_question(title: &str) -> bool {
    parts(title).any(|(part, group)| {
        let whole = group.trim().trim_end_matches(' ');
        let is_part = part.len() < whole.trim_matches(|c: char| !c.is_alphanumeric()).len();
        whole.ends_with(['?', '？']) && is_part && names_error(part)
    })
}

/// The number 404 beside a word for errors, in this order or the other: "error code: 404", "404エラー". Alone in its line it says
/// less.
fn number(line: &str) -> Option<(f64, &str)> {
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
        let has_more =
            words(before).chain(words(after)).any(|word| !ERROR_WORDS.contains(&word) && !is_error(word));
        match (near, has_more) {
            (true, false) => Some((2.5, found)),
            (true, true) => Some((2.0, found)),
            (false, false) => Some((1.5, found)),
            (false, true) => None,
        }
    })
}

/// That something is missing, in one sentence.
struct Statement {
    points: f64,
    words: String,
    /// The place of its language in the table.
    language: usize,
    /// It is a page that is missing, not a product or a post.
    of_page: bool,
}

/// Maximum bytes between the noun and the expression for "missing".
const MAX_DISTANCE: usize = 90;

fn statement(sentence: &str) -> Option<Statement> {
    if let Some(words) = STATEMENTS.iter().find(|words| sentence.contains(*words)) {
        return Some(Statement {
            points: 2.0,
            words: (*words).to_owned(),
            language: LANGUAGES.len(),
            of_page: true,
        });
    }
    let mut best: Option<Statement> = None;
    for (place, language) in LANGUAGES.iter().enumerate() {
        let Some((at, missing)) = find(sentence, language.missing, language.spaced) else { continue };
        let noun = language.nouns.iter().copied().find(|noun| {
            positions(sentence, noun, language.spaced).any(|noun_at| noun_at.abs_diff(at) <= MAX_DISTANCE)
        });
        // Whatever it is called: it was requested.
        let Some(noun) = noun.or_else(|| request(sentence, language)) else { continue };
        // Products, posts and the like are missing on pages that are otherwise in order.
        let of_page = PAGE_NOUNS.contains(&noun);
        let points = if of_page { 2.0 } else { 1.5 };
        if best.as_ref().is_none_or(|best| points > best.points) {
            let words = format!("{noun} {missing}");
            let words = if language.spaced { words } else { format!("{noun}{missing}") };
            best = Some(Statement { points, words, language: place, of_page });
        }
    }
    best
}

/// A word for what the reader requested, in any of its forms.
fn request(text: &str, language: &Language) -> Option<&'static str> {
    let begins = |stem: &str| {
        text.match_indices(stem).any(|(at, _)| {
            !language.spaced || !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
        })
    };
    language.request.iter().copied().find(|stem| begins(stem))
}

fn any_request(text: &str) -> Option<&'static str> {
    LANGUAGES.iter().find_map(|language| request(text, language))
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
    let is_named = is_host(title) || is_host(heading);
    let found = |part: &str| {
        let words = PARKED.iter().find(|words| contains(part, words, part.is_ascii())).copied();
        words.or_else(|| for_sale(part, !is_named))
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
fn is_host(title: &str) -> bool {
    let title = title.trim();
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    title.contains('.') && title.split('.').all(is_label) && title.chars().any(char::is_alphabetic)
}

/// "The domain example.org is for sale": a word for domains, with `named` a name with a dot, and that it is for sale.
fn for_sale(part: &str, named: bool) -> Option<&'static str> {
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
        // It says nothing else.
        (None, [only]) if length < only.len() as u64 + 24 => only,
        _ => return None,
    };
    Some(Soft404::Wall { words: (*words).to_owned() })
}

#[cfg(test)]
#[path = "soft404_tests.rs"]
mod tests;
