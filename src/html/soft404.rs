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
//! title or heading says nothing but "page not found" or 404       + 3     (404 alone + 2.5, "not found" alone + 2, "page 404" + 1.75)
//! there is no text besides a title "not found"                    + 1
//! title or heading contains a clear statement, or "this … is gone" + 2.5  (both + 3; among many other words + 1)
//! the lines below contain a clear statement, or "error 404"       + 2     (about a product or a post + 1.5; "error 404" alone + 2.5)
//! they say after such a title that something is missing, not what + 1
//! the statement is a third of a short page without a heading      + 1
//! an apology, advice, or a word for the request ("requested")     + 1
//! title or heading is "Error" and nothing else                    + 1
//! below it a few words say that something is missing              + 1.5
//! text below 300, 800 bytes                                       + 0.75, + 0.5
//! text above 1,600, 4,000 bytes, menus left out                   − 1.5, − 4
//! title or heading says so, but sentences below say nothing of it − 5     (from 200 letters on where both say nothing but that the page is missing)
//! sentences below say little of it                                − 2
//! title or heading says so, but a text of 250 bytes does not      − 2
//! title or heading has the number among other words, and nothing else  − 2
//! a price, a measure, a date, a kind of work, and no advice       − 2.5  (two of them − 4, at once below the heading − 6)
//! words of pages about errors ("how to fix"), quotation marks     − 4.5  ("guide" beside the statement, a name of a site − 2.5)
//! somebody asks about errors of a site of their own               − 5
//!
//! score = 1 / (1 + e^(3 − points))
//! ```
//!
//! The statement is about the page or its address. Below a heading that names something else, a sentence about a product, a person or a thing
//! ("this article is not available") does not count, unless it says that somebody asked for it, or that the link is wrong. An entry of a menu is no
//! advice. A heading that says so, with advice behind it or nothing, is a message, whatever teasers follow.
//!
//! A footer that ends the page says what it says on every page of the site, and neither do lines with a sign of copyright speak for content. Menus do not count as text: rows of short links are left out ([`super::menu`]), and so are rows of entries below the name of something else. Without
//! a heading, a line that is a part of the title is one. A title is that of a work where brackets or a sentence say so: "Page not found (film)".
//!
//! A search that found nothing is not an error page, and neither is what only tells of something missing ("the page that was
//! never found"), asks, or quotes. Where the title says so, the lines behind a menu are read too.
//!
//! A clear statement has a noun for a page, or a word for what was requested, and an expression for "missing" in one sentence
//! that is not a question; a block ends a sentence. What only names a thing ("Record not found"), in a title and the same heading, counts
//! once where the text has nothing of it. The number counts for nothing where it names something else ("Peugeot 404"). From a score of
//! one half on the page looks like an error page. The score is printed beside the verdict: it is an opinion, not a probability.

use serde::{Deserialize, Serialize};

use super::soft404_content::facts;
use super::soft404_filter::FILTER;
use super::soft404_parked::{parked, wall};
use super::soft404_points::{
    Finding, UNNAMED, is_about, is_named_about, is_work, numbers_thing, of_lines, of_short_lines, of_title,
};
use super::soft404_prose::{
    MIN_SENTENCE, Prose, after_statement, is_sign, tells_of, title_line, width, without_entries,
    without_headings, without_menus, without_rows,
};
use super::soft404_search::is_empty_search;
use super::soft404_server::failed;
use super::soft404_statement::{
    any_request, any_word, has_any, is_missing, is_of_site, is_removed, is_told_of, means_this, names_error,
    parts, quotes, sentences, statement, unquoted, words,
};
use super::soft404_words::{ASKING, BARE, ERROR_NAMES, NUMBER_SIGNS, PAGE_ONLY, REPORTING, WRONG};
use super::stand_in::stand_in;
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
    /// A default page of a server, a notice of maintenance, an error of a script or a database.
    Notice {
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
    /// The signs as JSON names them; a test compares them with the variants.
    pub(crate) const SIGNS: [&str; 9] = [
        "title-words",
        "heading-words",
        "text-words",
        "parked",
        "wall",
        "notice",
        "same-body",
        "like-missing",
        "redirect-to-root",
    ];

    /// The same with the words as the page has them.
    fn quoting(mut self, texts: [&str; 4]) -> Self {
        if let Soft404::TitleWords { words, .. }
        | Soft404::HeadingWords { words, .. }
        | Soft404::TextWords { words, .. }
        | Soft404::Parked { words, .. }
        | Soft404::Wall { words }
        | Soft404::Notice { words } = &mut self
            && let Some(found) = texts.iter().find_map(|text| verbatim(text, words))
        {
            *words = found;
        }
        self
    }

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
                format!("{PARKED}: \"{words}\" (score {score:.2})")
            }
            Soft404::Wall { words } => {
                format!("{WALL}: \"{words}\"")
            }
            Soft404::Notice { words } => {
                format!("it is a notice of the server, not the page: \"{words}\"")
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

/// What is said of every parked domain.
pub(crate) const PARKED: &str = "the domain is parked or for sale";
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

/// Bytes of text below which a page has nothing to say but its title.
const NOTHING_ELSE: u64 = 60;

/// Bytes of text below which one statement may be all that a page says.
const ALL_SAID: u64 = 250;

/// Letters of sentences that say nothing of an error from which on a title is the name of something else, also if nothing else speaks for an
/// error; and from which on they are what the page is about.
const PROSE: usize = 60;
const SHORT_PROSE: usize = 30;
const MUCH_PROSE: usize = 200;

/// Judges a page that was answered with status 200 by its own words.
pub(crate) fn by_words(text: &Text) -> Option<Soft404> {
    let title = lower(&text.title, MAX_TITLE);
    let heading = lower(&text.heading, MAX_TITLE);
    let first = lower(&text.excerpt, FIRST_LINES);
    let lead = lower(&text.lead, FIRST_LINES);
    // What there is to read besides menus.
    let whole = text.length - text.menu_length;
    // Nearly all pages end here: without one of these expressions no rule below says anything.
    if ![&title, &heading, &first, &lead].iter().any(|part| FILTER.may_match(part)) {
        return None;
    }
    let quoted = |found: Soft404| found.quoting([&text.title, &text.heading, &text.excerpt, &text.lead]);
    // A wall has no menu of the site: a page with one has more to say.
    if let Some(wall) = wall(&title, &heading, &first, text.length) {
        return Some(quoted(wall));
    }
    if let Some(failed) = failed(&title, &heading, &first, whole) {
        return Some(quoted(failed));
    }
    if let Some(parked) = parked(&title, &heading, &first, whole) {
        return Some(quoted(parked));
    }
    if let Some(found) = stand_in(&title, &heading, [&first, &lead], whole) {
        return Some(quoted(found));
    }
    // What a footer says is said on every page of the site.
    let first = lower(text.excerpt_above_footer(), FIRST_LINES);
    let lead = lower(text.lead_above_footer(), FIRST_LINES);
    if is_empty_search(&title, &heading, [&first, &lead]) {
        return None;
    }
    // A line may be a heading without its markup.
    let (heading, lead) = match heading.is_empty().then(|| title_line(&title, &first)).flatten() {
        Some((line, rest)) => (line.to_owned(), rest.to_owned()),
        None => (heading, lead),
    };
    // "Peugeot 404": the number of a thing.
    let is_number_of = [&title, &heading]
        .iter()
        .any(|whole| is_numbered(whole) || parts(whole).any(|(part, _)| numbers_thing(part)));
    let in_title = of_title(&unquoted(&title), is_number_of);
    let in_heading = of_title(&unquoted(&heading), is_number_of);
    // A heading is text as well: what it says is not said twice.
    let below: Vec<String> = [&first, &lead].iter().map(|lines| without_headings(lines, &heading)).collect();
    let named = in_title.points.max(in_heading.points);
    let has_name = [&title, &heading].iter().any(|part| parts(part).any(|(part, _)| BARE.contains(&part)));
    let is_bare = !heading.is_empty() && parts(&heading).all(|(part, _)| BARE.contains(&part));
    // Below the name of something else, the entries of a list name other pages.
    let names_other = named == 0.0 && !heading.is_empty() && !is_bare;
    let read =
        |lines: &str| of_lines(&unquoted(&if names_other { without_rows(lines) } else { lines.to_owned() }));
    let mut in_text = read(&below[0]).or(read(&below[1]));
    // "Error", and below it "Record not found": whatever that is.
    if named == 0.0 && has_name && in_text.points == 0.0 {
        in_text = below.iter().map(|lines| of_short_lines(lines)).fold(in_text, Finding::or);
    }
    // Behind a menu the page says again what its title says.
    if named > 0.0 && in_text.points == 0.0 {
        in_text = of_lines(&unquoted(&long_lines(text.excerpt_above_footer(), &heading)));
    }
    // A line of a list below another heading.
    if names_other {
        in_text.points = in_text.points.min(2.0);
    }
    if named.max(in_text.points) == 0.0 {
        return None;
    }
    let of_page = [&in_title, &in_heading, &in_text].iter().any(|found| found.points > 0.0 && found.of_page);
    let blames = |part: &str| {
        any_request(part).is_some()
            || sentences(part).any(|sentence| has_any(sentence, WRONG) && is_of_site(sentence))
    };
    let helps_in = |part: &str| any_word(part, |language| language.help).is_some() || blames(part);
    let below_menu = below.iter().map(|lines| without_entries(lines)).collect::<Vec<_>>();
    let helps_above = [&title, &heading].into_iter().any(|part| helps_in(part));
    let helps = helps_above || below_menu.iter().any(|part| helps_in(part));
    // Below the name of a thing: it is sold out, or it was never found. That is no error, unless somebody asked for it.
    let names_thing = names_other && !of_page;
    if names_thing && !helps_above && !below.iter().any(|part| blames(part)) {
        return None;
    }
    let is_work = |part: &str| named > 0.0 && is_work(part);
    let about = [&title, &heading]
        .into_iter()
        .any(|part| is_about(part) || is_work(part) || is_question(part) || quotes(part))
        || below
            .iter()
            .any(|lines| are_about(lines) || [&title, &heading].iter().any(|name| tells_of(lines, name)));
    let after = after_statement(&lead, &heading);
    let is_message = in_heading.of_page && in_heading.points >= 2.5 && after.as_deref().is_none_or(is_sign);
    // A statement made once, next to facts, is about a thing or is its name. Advice that follows at once says that it is not.
    let is_said_once =
        [&in_title, &in_heading, &in_text].iter().filter(|found| found.points >= 1.5).count() < 2;
    let told = facts(if lead.is_empty() { &below[0] } else { &below[1] });
    let tells_at_once = after.as_deref().is_some_and(|sentence| facts(sentence) > 0);
    let advises_at_once = is_message && after.is_some();
    let is_content =
        told > 0 && (tells_at_once || !advises_at_once && (is_said_once || !of_page || in_text.points < 1.5));
    let is_site = [&title, &heading].into_iter().any(|part| is_named_about(part));
    let asks = below.iter().any(|lines| sentences(lines).any(asks));
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
    let length = without_menus(text);
    points += match length {
        0..300 => 0.75,
        300..800 => 0.5,
        800..1600 => 0.0,
        1600..4000 => -1.5,
        _ => -4.0,
    };
    if named > 0.0 && in_text.points == 0.0 && lacks {
        points += 1.0;
    }
    if whole < ALL_SAID && heading.is_empty() && in_text.is_of_this_page && in_text.length as u64 * 3 >= whole
    {
        points += 1.0;
    }
    if whole < NOTHING_ELSE && named == UNNAMED {
        points += 1.0;
    }
    // "File not found.", and nothing else.
    let is_all = in_text.points >= 2.0 && whole <= in_text.length as u64;
    if is_all && title.is_empty() && heading.is_empty() && !in_text.is_of_this_page {
        points += 1.0;
    }
    // Nothing is called "This page was removed", or "This lot is not available"; "This scene has been removed" may be said of anything.
    let is_this = |part: &str| {
        let is_known = || statement(part).is_some_and(|found| found.is_named);
        means_this(part) && is_missing(part) && (is_known() || !is_removed(part))
    };
    let says_this = [&title, &heading].iter().any(|part| parts(part).any(|(part, _)| is_this(part)));
    let says_little = prose.other >= MUCH_PROSE && prose.other > 2 * prose.said;
    let says_nothing = length >= 250 && in_text.points == 0.0 && !helps && !lacks;
    // Without an apology, advice or the word "error" one sentence about something else is enough.
    let least = match () {
        // The title and the heading say nothing but that the page is missing, and no fact says that both are the name of a thing: what
        // friendly words follow is unknown.
        () if told == 0 && [&title, &heading].iter().all(|part| names_missing_page(part)) => MUCH_PROSE,
        () if helps || has_name => PROSE,
        () => SHORT_PROSE,
    };
    if prose.said == 0 && prose.other >= least && !says_this {
        points -= 5.0;
    } else if (says_little || says_nothing) && !is_message {
        points -= 2.0;
    }
    if is_content {
        points -= match () {
            () if tells_at_once && in_text.points < 2.0 => 6.0,
            () if told > 1 => 4.0,
            () => 2.5,
        };
    }
    // "The history of error 404"
    if is_number_of && named == 0.0 {
        points -= 2.0;
    }
    if asks {
        points -= 5.0;
    } else if about {
        points -= 4.5;
    }
    if is_site {
        points -= 2.5;
    }
    if points < THRESHOLD {
        return None;
    }
    let score = 1.0 / (1.0 + (THRESHOLD - points).exp());
    Some(quoted(if in_title.points > 0.0 {
        Soft404::TitleWords { words: in_title.words, score }
    } else if in_heading.points > 0.0 {
        Soft404::HeadingWords { words: in_heading.words, score }
    } else {
        Soft404::TextWords { words: in_text.words, score }
    }))
}

/// Whether a part of a title or a heading says that the page is missing, and nothing else.
fn names_missing_page(title: &str) -> bool {
    parts(title).any(|(part, _)| {
        has_any(part, PAGE_ONLY)
            && !is_told_of(part)
            && statement(part).is_some_and(|found| found.of_page && found.words == part)
    })
}

/// Whether 404 is the number of a thing: "#404", "§ 404", "s. 404".
fn is_numbered(title: &str) -> bool {
    title.match_indices("404").any(|(at, _)| {
        let before = title[..at].trim_end();
        let sign = before.chars().next_back().filter(|c| NUMBER_SIGNS.contains(c));
        let owner = before.trim_end_matches(NUMBER_SIGNS);
        sign.is_some() && words(owner).next_back().is_none_or(|word| !ERROR_NAMES.contains(&word))
    })
}

/// The lines of the beginning that are not single entries of a menu, without headings.
fn long_lines(text: &str, heading: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| width(line) >= MIN_SENTENCE).collect();
    without_headings(&lower(&lines.join("\n"), usize::MAX), heading)
}

/// Lower case, with plain apostrophes and spaces, cut to about `limit` bytes.
fn lower(text: &str, limit: usize) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if out.len() >= limit {
            break;
        }
        match c {
            _ if c.is_ascii() => out.push(c.to_ascii_lowercase()),
            '’' | '‘' | 'ʼ' => out.push('\''),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' => {}
            _ if c.is_whitespace() => out.push(' '),
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// The words of `folded`, a part of what [`lower`] makes of a text, as the text has them.
fn verbatim(text: &str, folded: &str) -> Option<String> {
    let whole = lower(text, usize::MAX);
    let start = whole.find(folded)?;
    let (mut at, mut from, mut to) = (0, None, text.len());
    for (place, c) in text.char_indices() {
        if at >= start + folded.len() {
            to = place;
            break;
        }
        from = from.or((at >= start).then_some(place));
        at += lower(c.encode_utf8(&mut [0; 4]), usize::MAX).len();
    }
    text.get(from?..to).map(str::to_owned)
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
