//! The question, the method and what is not shown, in words that need no knowledge of archives.

use crate::at::date::AskedDate;
use crate::at::embed_model::{EmbedCounts, EmbedState};
use crate::at::facts::Facts;
use crate::at::model::{At, Better, Holds, SiteAt, SiteVerdict};
use crate::at::{answer_words, assumptions, clock_words, phrase_words, record_words};
use crate::capture::page::PageFilter;
use crate::change::evidence::Grade;
use crate::format::{count, number};
use crate::time::Instant;

/// Fills in all words of an answer.
pub(super) fn speak(at: &mut At, date: &AskedDate) {
    let facts = &Facts::of(&at.pages, &at.parameters);
    at.question = question(at, date);
    at.answer = answer_words::answer(at, facts, date);
    at.because = record_words::because(at, date);
    at.clocks = clock_words::clocks(at, facts, date);
    at.method = method(at);
    at.limits = limits(at, facts);
    let mut phrases = std::mem::take(&mut at.phrases);
    for phrase in &mut phrases {
        phrase.limits = phrase_words::limits(at, phrase);
        phrase.answer = phrase_words::answer(at, date, phrase);
        phrase_words::places(phrase);
    }
    at.phrases = phrases;
    at.assumptions = assumptions::of(at, facts);
}

/// Of several pages that are not all proven: for how many the answer is proven at best, and when.
pub(crate) fn at_best(at: &At) -> Option<String> {
    let several = at.counts.pages > 1 && at.verdict != SiteVerdict::Coherent;
    let most = at.most_proven.as_ref().filter(|_| several)?;
    let when = most.when.first().map(|when| format!(", from {} to {}", when.from, when.to));
    let more = if most.when.len() > 1 { " and at other times" } else { "" };
    let (proven, pages) = (number(most.pages), number(at.counts.pages));
    Some(format!("At best it is proven for {proven} of {pages} pages{}{more}.", when.unwrap_or_default()))
}

fn question(at: &At, date: &AskedDate) -> String {
    let when = &date.words;
    match (at.parameters.urls.as_slice(), &at.parameters.site) {
        ([url], _) => format!("Was the content that the archive holds for the address {url} there {when}?"),
        ([_, _, ..], _) => {
            format!(
                "Was the content that the archive holds for the addresses asked for there together {when}?"
            )
        }
        (_, Some(site)) => {
            format!("Was the content that the archive holds for the pages of {site} there together {when}?")
        }
        _ => format!("Was the content that the archive holds for all captured pages there together {when}?"),
    }
}

fn method(at: &At) -> Vec<String> {
    let mut method = vec![
        "The answer is yes where one capture before the time and one after it hold the same content, and no capture between \
         them differs. For several pages it is yes where that holds for each of them.",
        "It is no where no record before the time shows a version of the page or speaks against it, and the server's own \
         Last-Modified shows that the first version captured after it is newer than the time: the response is a page, its Date agrees \
         with the crawler's clock and is not before the Last-Modified, and no earlier record holds the same content, or is cut and \
         may hold it. Everything else the archive does not settle, which says nothing against the pages.",
    ];
    if !at.phrases.is_empty() {
        method.push(
            "Words are shown to be on a page, or not to be, where the content at that time is settled and the text of that \
             content decides it.",
        );
        method.push(if at.parameters.raw {
            "Words were searched for in the bytes of the pages, byte by byte."
        } else {
            "Words were searched for in the text that readers see; capitals, white space and markup within a line do not \
             matter. Nothing is called shown where they are only in a script, a hidden or struck-out part or a label, a part of \
             longer words or numbers, in several paragraphs or cells, or with other signs between their letters."
        });
    }
    if at.embeds.is_some() {
        method.push(
            "For images, style sheets, scripts and frames of a page: whether the capture of each that is nearest the capture \
             of the page was there when the page was captured.",
        );
    }
    method.into_iter().map(str::to_owned).collect()
}

/// Says that a state belongs to a part of the date, where it changes within it.
pub(crate) fn partly(at: &At) -> Option<String> {
    let number = at.pages.iter().filter(|page| !page.parts.is_empty()).count() as u64;
    let all = if number == at.counts.pages { "" } else { &format!(" for {}", count(number, "page")) };
    (number > 0).then(|| {
        format!("The state is that of the least favourable part of the time{all}; in another part it is a better one.")
    })
}

/// What the answer does not show.
fn limits(at: &At, facts: &Facts) -> Vec<String> {
    let mut limits = vec![
        "Who wrote the content; what other visitors were served; what scripts in the page did in a browser."
            .to_owned(),
    ];
    if !at.phrases.is_empty() && !at.parameters.raw {
        limits.push("How the page looked: style sheets were not applied.".to_owned());
    }
    limits.push(
        match (&at.parameters.urls[..], at.parameters.pages) {
            ([], PageFilter::Html) => {
                "Anything about documents other than HTML pages, and about pages that were never captured."
            }
            ([], PageFilter::All) => "Anything about addresses that were never captured.",
            ([_], _) => "Anything about other addresses of the site.",
            _ => "Anything about addresses that were not asked for.",
        }
        .to_owned(),
    );
    limits.push(match at.parameters.canon.as_str() {
        "strict" => {
            "Whether another spelling of an address names the same page: addresses were compared as written, but for the case of \
             scheme and host, a default port, and what follows a #."
                .to_owned()
        }
        canon => format!("Addresses were compared by the rules `{canon}`, as asked for with --canon."),
    });
    let failed = facts.failed;
    if failed > 0 {
        limits.push(format!(
            "{} of these pages failed and {} for nothing.",
            count(failed, "capture"),
            if failed == 1 { "counts" } else { "count" }
        ));
    }
    let mut add = |number: u64, words: &str| {
        if number > 0 {
            limits.push(format!("{} {words}", count(number, "record")));
        }
    };
    add(facts.indexed, "known only from an index, not read.");
    add(facts.misstated, "with a stated digest that is not the one of its content.");
    if at.parameters.digests != "verify" {
        limits.push("Digests are those that the crawler stated; they were not computed again.".to_owned());
    }
    let left_out = at.left_out.other_methods + at.left_out.undated;
    if left_out > 0 {
        limits.push(format!(
            "{} without a date, or not of a GET request, left out.",
            count(left_out, "capture")
        ));
    }
    limits
}

/// What a grade of evidence is.
pub(crate) fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Bytes => "bytes, the captured content itself",
        Grade::Digest => "digest, what the crawler stated about the content",
        Grade::NotModified => "not-modified, the server's answer that nothing changed",
        Grade::Validator => "validator, a date or tag that the server stated",
    }
}

/// How the embedded resources of a page fit to it.
pub(crate) fn embeds(root: Instant, counts: EmbedCounts) -> String {
    if counts.embeds == 0 {
        return format!("The capture of {root} embeds nothing.");
    }
    let parts = EmbedState::ALL.iter().filter(|state| counts.of(**state) > 0);
    let parts: Vec<String> = parts.map(|state| format!("{} {}", counts.of(*state), state.words())).collect();
    format!("The capture of {root} embeds {}: {}.", count(counts.embeds, "file"), parts.join(", "))
}

/// The nearest time with a better verdict.
pub(crate) fn better(better: Better) -> String {
    match better.verdict {
        SiteVerdict::Coherent => format!("The nearest time for which it is proven: {}.", better.at),
        verdict => format!("The nearest time at which the answer is \"{}\": {}.", verdict.words(), better.at),
    }
}

/// The answer for a site.
pub(crate) fn site(site: &SiteAt) -> &'static str {
    match site.verdict {
        SiteVerdict::Coherent if site.counts.absent > 0 => "settled, not every page was there",
        verdict => verdict.words(),
    }
}

/// A stretch of time in words.
pub(crate) fn stretch(holds: Holds) -> String {
    match (holds.from, holds.to) {
        (Some(from), Some(to)) => format!("from {from} to {to}"),
        (Some(from), None) => format!("from {from} on"),
        (None, Some(to)) => format!("up to {to}"),
        (None, None) => "at all times".to_owned(),
    }
}

pub(crate) fn status_words(status: u16) -> String {
    let name = match status {
        200 => "OK",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        410 => "Gone",
        429 => "Too Many Requests",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return status.to_string(),
    };
    format!("{status} {name}")
}
