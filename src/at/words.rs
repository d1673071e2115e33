//! The answer in words that need no knowledge of archives, and that claim no more than is proven.

use crate::at::embed_model::{EmbedCounts, EmbedState};
use crate::at::model::{At, Holds, SiteVerdict};
use crate::at::phrase_model::{PhraseAt, Sighting};
use crate::capture::page::PageFilter;
use crate::change::at::State;
use crate::change::evidence::Grade;
use crate::format::count;
use crate::problem::Level;
use crate::time::Instant;

/// Fills in all words of an answer.
pub(crate) fn speak(at: &mut At) {
    at.question = question(at);
    at.answer = answer(at);
    at.method = method(at);
    at.limits = limits(at);
    let mut phrases = std::mem::take(&mut at.phrases);
    for phrase in &mut phrases {
        phrase.limits = phrase_limits(at, phrase);
        phrase.answer = phrase_answer(at, phrase);
    }
    at.phrases = phrases;
}

fn question(at: &At) -> String {
    let which = match (&at.parameters.site, at.parameters.urls.len()) {
        (_, 1) => "the page that was named".to_owned(),
        (_, 2..) => "the pages that were named".to_owned(),
        (Some(site), _) => format!("the pages of {site}"),
        (None, _) => "all captured pages".to_owned(),
    };
    let together = if at.parameters.urls.len() == 1 { "" } else { " together" };
    format!("Did {which} stand{together}, as captured, {}?", date(at))
}

/// The date that was asked for.
fn date(at: &At) -> String {
    let (from, to) = (at.asked.from, at.asked.to);
    match to.0 - from.0 {
        0 => format!("at {from}"),
        999_999 => format!("at {from} (throughout that second)"),
        _ => format!("from {from} to {to}"),
    }
}

fn method(at: &At) -> Vec<String> {
    let mut method = vec![
        "A page is proven for a time when one capture before it and one after it are equal, and no capture in between \
         differs. The capture is coherent at a date when every page is proven at that date.",
        "It is not coherent when, for some page, the server's own Last-Modified shows that the captured version closest to \
         the date came only after it. Everything else is not provable, which says nothing against the pages.",
    ];
    if !at.phrases.is_empty() {
        method.push(
            "A page is proven to hold a phrase, or not to hold it, when it is proven at the date and the text of the version \
             proven there decides it.",
        );
        method.push(if at.parameters.raw {
            "Phrases were looked for in the bytes of the pages, byte by byte."
        } else {
            "Phrases were looked for in the text that readers see; capitals, white space and markup within a line do not \
             count. A phrase may stand inside of longer words. Where it stands only in a hidden part, or with other signs \
             between its letters, nothing is called proven."
        });
    }
    if at.embeds.is_some() {
        method.push(
            "For images, style sheets, scripts and frames of a page: whether the capture closest to the page's own one is \
             shown to have stood when the page was captured (prima facie coherent), may have (possibly coherent), came later \
             as far as is known (probably violative), or is shown to have come later (prima facie violative).",
        );
    }
    method.into_iter().map(str::to_owned).collect()
}

/// Why nothing is proven of a phrase on a page in this state.
pub(crate) fn unproven(
    state: State,
    failed: usize,
    before: Option<&Sighting>,
    after: Option<&Sighting>,
) -> String {
    let why = match (state, before, after) {
        (State::Proven, ..) => "",
        (State::Claimed, ..) => "only the server's dates tell which version stood",
        (State::ChangedNearby, ..) => "the captures around the date differ",
        (State::Undecided, ..) => "the captures around the date cannot be compared",
        (State::Unseen, None, _) => "the date lies before the first capture",
        (State::Unseen, ..) => "the date lies after the last capture",
        (State::Missing, ..) if failed > 0 => "every capture of the page failed",
        (State::Missing, ..) => "the page was never captured",
    };
    let holds = |seen: &Sighting| seen.holds;
    let seen = match (before.map(holds), after.map(holds)) {
        (None, None) => return why.to_owned(),
        (Some(Some(true)), Some(Some(true))) => "both captures hold it",
        (Some(Some(false)), Some(Some(false))) => "neither capture holds it",
        (Some(Some(true)), Some(Some(false))) => "only the earlier capture holds it",
        (Some(Some(false)), Some(Some(true))) => "only the later capture holds it",
        (Some(Some(true)), None) | (None, Some(Some(true))) if state == State::Unseen => {
            "that capture holds it"
        }
        (Some(Some(false)), None) | (None, Some(Some(false))) if state == State::Unseen => {
            "that capture does not hold it"
        }
        (Some(Some(true)), None) => "the capture before the date holds it",
        (Some(Some(false)), None) => "the capture before the date does not hold it",
        (None, Some(Some(true))) => "the capture after the date holds it",
        (None, Some(Some(false))) => "the capture after the date does not hold it",
        _ => {
            let doubt = [before, after].into_iter().flatten().find_map(|seen| seen.reason.as_deref());
            return format!("{why}; a capture does not decide it either: {}", doubt.unwrap_or("unknown"));
        }
    };
    format!("{why}; {seen}")
}

fn phrase_answer(at: &At, phrase: &PhraseAt) -> String {
    let all = at.counts.pages;
    let of = if all == 1 { "the page".to_owned() } else { format!("{all} pages") };
    let (present, absent) = (phrase.present.len() as u64, phrase.absent.len() as u64);
    let mut answer = match () {
        () if all == 1 && present == 1 => "Proven present on the page at the date.".to_owned(),
        () if all == 1 && absent == 1 => "Proven absent from the page at the date.".to_owned(),
        () if all == 1 => "Neither presence nor absence is provable for the page at the date.".to_owned(),
        () if absent == all => format!("Proven absent from all {of} at the date."),
        () => format!(
            "At the date proven present on {present} of {of}, proven absent from {absent}, not provable for {}.",
            phrase.unprovable.len()
        ),
    };
    answer += &match (phrase.first, phrase.last) {
        (Some(first), Some(last)) if phrase.when.len() == 1 => {
            format!(" Proven present from {first} to {last}.")
        }
        (Some(first), Some(last)) => {
            format!(
                " Proven present first at {first}, last at {last}, in {} stretches of time.",
                phrase.when.len()
            )
        }
        _ => " At no time is it proven present.".to_owned(),
    };
    if let (Some(first), Some(last)) = (phrase.first_capture, phrase.last_capture) {
        let captures = count(phrase.captures, "capture");
        answer += &match phrase.captures {
            1 => format!(" One capture shows it, of {first}."),
            _ => format!(" {captures} show it, of {first} to {last}."),
        };
    }
    answer
}

/// That states are those of a part of the date, where they change within it.
pub(crate) fn partly(at: &At) -> Option<String> {
    let number = at.pages.iter().filter(|page| !page.parts.is_empty()).count() as u64;
    let all = if number == at.counts.pages { "" } else { &format!(" for {}", count(number, "page")) };
    (number > 0).then(|| {
        format!("The state is that of the least favourable part of the time{all}; in another part it is a better one.")
    })
}

/// What limits the answer.
fn limits(at: &At) -> Vec<String> {
    let mut limits = vec![match (&at.parameters.urls[..], at.parameters.pages) {
        ([], PageFilter::Html) => {
            "The verdict is about HTML pages that were captured; other documents, and pages that were never captured, do not \
             enter it."
        }
        ([], PageFilter::All) => "The verdict is about addresses that were captured; those that never were do not enter it.",
        _ => "The verdict is about the pages that were named, not about the site.",
    }
    .to_owned()];
    let failed: u64 = at.pages.iter().map(|page| page.failed).sum();
    if failed > 0 {
        limits.push(format!("{} of these pages failed and count for nothing.", count(failed, "capture")));
    }
    let witnesses = || at.pages.iter().flat_map(|page| &page.witnesses);
    let mut told = |number: usize, words: &str| {
        if number > 0 {
            let witnesses = if number == 1 { "witness is" } else { "witnesses are" };
            limits.push(format!("{number} {witnesses} {words}"));
        }
    };
    told(
        witnesses().filter(|witness| witness.index.is_some()).count(),
        "only told by an index, and the record was not read.",
    );
    told(
        witnesses().filter(|witness| witness.digest_ok == Some(false)).count(),
        "at odds: the declared digest is not the one of the body.",
    );
    if at.parameters.digests != "verify" {
        limits.push("Digests are those that the crawler wrote; they were not computed again.".to_owned());
    }
    let errors: u64 =
        at.problems.iter().filter(|problem| problem.level == Level::Error).map(|problem| problem.count).sum();
    if errors > 0 {
        limits.push(format!("The inputs could not be read in full: {}.", count(errors, "error")));
    }
    let left_out = at.left_out.other_methods + at.left_out.undated;
    if left_out > 0 {
        limits.push(format!(
            "{} without a date, or of another method than GET, left out.",
            count(left_out, "capture")
        ));
    }
    limits
}

fn phrase_limits(at: &At, phrase: &PhraseAt) -> Vec<String> {
    let mut limits = Vec::new();
    if !phrase.unprovable.is_empty() {
        let states = State::ALL.iter().filter_map(|state| {
            let number = phrase.unprovable.iter().filter(|page| page.state == *state).count();
            let words = match state {
                State::Proven => "with a text that decides nothing",
                state => state.name(),
            };
            (number > 0).then(|| format!("{number} {words}"))
        });
        let states: Vec<String> = states.collect();
        limits.push(format!(
            "Nothing is proven for {} of {}: {}.",
            phrase.unprovable.len(),
            count(at.counts.pages, "page"),
            states.join(", ")
        ));
    }
    match &at.uncaptured {
        Some(uncaptured) if uncaptured.count > 0 => limits.push(format!(
            "The archive lacks {} that captured pages and sitemaps of the site name; any of them may hold it.",
            if uncaptured.count == 1 { "1 address".to_owned() } else { format!("{} addresses", uncaptured.count) }
        )),
        Some(_) => {}
        None if !at.parameters.urls.is_empty() => {
            limits.push("Only the pages that were named were searched, not the site.".to_owned());
        }
        None => limits.push("Links were not read, so what else the site held is not known.".to_owned()),
    }
    if at.parameters.urls.is_empty() {
        limits.push("Pages that nothing captured names are not known.".to_owned());
    }
    limits.push(
        if at.parameters.raw {
            "Searched were the bytes of what the server sent, not what scripts add, nor what is packed inside of documents."
        } else {
            "Not searched: what scripts add, what images, frames and other documents show, and what answers to forms held."
        }
        .to_owned(),
    );
    limits
}

/// What a grade of evidence is.
pub(crate) fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Bytes => "bytes, the captured bodies themselves",
        Grade::Digest => "digest, what the crawler wrote about the bodies",
        Grade::NotModified => "not-modified, the server's answer that nothing changed",
        Grade::Validator => "validator, a date or tag that the server gave",
    }
}

/// How the embedded resources of a page stand.
pub(crate) fn embeds(root: Instant, counts: EmbedCounts) -> String {
    if counts.embeds == 0 {
        return format!("Replay would serve the capture of {root}, which embeds nothing.");
    }
    let parts = EmbedState::ALL.iter().filter(|state| counts.of(**state) > 0);
    let parts: Vec<String> = parts.map(|state| format!("{} {}", counts.of(*state), state.words())).collect();
    format!(
        "Replay would serve the capture of {root}; of its {}: {}.",
        count(counts.embeds, "embedded resource"),
        parts.join(", ")
    )
}

/// The answer in a sentence or two.
fn answer(at: &At) -> String {
    let counts = &at.counts;
    let is_one = counts.pages == 1;
    let date = date(at);
    let date = date[..1].to_uppercase() + &date[1..];
    let mut answer = match at.verdict {
        SiteVerdict::Coherent => format!(
            "{date} the capture is coherent: equal captures before and after enclose the date for {}.",
            if is_one { "the page".to_owned() } else { format!("all {} pages", counts.pages) }
        ),
        SiteVerdict::NotCoherent => format!(
            "{date} the capture is not coherent: for {}, Last-Modified shows that the version closest to the date began only \
             after it.",
            if is_one { "the page".to_owned() } else { format!("{} of {} pages", counts.late, counts.pages) }
        ),
        SiteVerdict::NotProvable => format!(
            "{date} coherence is not provable: {} proven by equal captures before and after.",
            match counts.proven {
                _ if is_one => "the page is not".to_owned(),
                1 => format!("1 of {} pages is", counts.pages),
                proven => format!("{proven} of {} pages are", counts.pages),
            }
        ),
    };
    if at.parts.len() > 1 {
        let coherent = at.parts.iter().filter(|part| part.verdict == SiteVerdict::Coherent);
        let spans: Vec<String> = coherent.map(|part| format!("{} to {}", part.from, part.to)).collect();
        answer += &match spans.as_slice() {
            [] => " No part of that time is proven coherent.".to_owned(),
            [one] => format!(" It is coherent for a part of that time: {one}."),
            [first, .., last] => {
                format!(
                    " It is coherent for {} parts of that time, the first {first}, the last {last}.",
                    spans.len()
                )
            }
        };
    }
    answer
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
