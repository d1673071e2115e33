//! The answer in words that need no knowledge of archives, and that claim no more than is proven.

use crate::audit::at_embed_model::{EmbedCounts, EmbedState};
use crate::audit::at_model::{At, Holds, SiteVerdict};
use crate::audit::at_phrase_model::{PhraseAt, Sighting};
use crate::audit::words::count;
use crate::change::at::State;
use crate::time::Instant;

/// Fills in all words of an answer.
pub fn speak(at: &mut At) {
    at.question = question(at);
    at.answer = answer(at);
    at.method = method(at);
    let mut phrases = std::mem::take(&mut at.phrases);
    for phrase in &mut phrases {
        phrase.limits = limits(at, phrase);
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
    let asked = if at.asked.from == at.asked.to {
        at.asked.from.to_string()
    } else {
        format!("{} (all of it: {} to {})", at.parameters.date, at.asked.from, at.asked.to)
    };
    let together = if at.parameters.urls.len() == 1 { "" } else { " together" };
    format!("Did {which} stand{together}, as captured, at {asked}?")
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

/// Whether a capture shows a phrase, in words.
fn sighting(which: &str, sighting: Sighting) -> String {
    let holds = match sighting.holds {
        Some(true) => "holds it",
        Some(false) => "does not hold it",
        None => "does not tell",
    };
    format!("the capture {which} ({}) {holds}", sighting.captured)
}

/// Why nothing is proven of a phrase on a page in this state.
pub fn unproven(state: State, failed: usize, before: Option<Sighting>, after: Option<Sighting>) -> String {
    let why = match (state, before, after) {
        (State::Proven, ..) => "",
        (State::Claimed, ..) => "only the server's dates tell which version stood",
        (State::ChangedNearby, ..) => "the page changed between the captures around the date",
        (State::Undecided, ..) => "the captures around the date cannot be compared",
        (State::Unseen, None, _) => "the date lies before the first capture",
        (State::Unseen, ..) => "the date lies after the last capture",
        (State::Missing, ..) if failed > 0 => "every capture of the page failed",
        (State::Missing, ..) => "the page was never captured",
    };
    let seen: Vec<String> = [("before", before), ("after", after)]
        .into_iter()
        .filter_map(|(which, seen)| Some(sighting(which, seen?)))
        .collect();
    if seen.is_empty() { why.to_owned() } else { format!("{why}; {}", seen.join(", ")) }
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

fn limits(at: &At, phrase: &PhraseAt) -> Vec<String> {
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
            "{} of {} may hold it without proof: {}.",
            phrase.unprovable.len(),
            count(at.counts.pages, "page"),
            states.join(", ")
        ));
    }
    match &at.uncaptured {
        Some(uncaptured) if uncaptured.count > 0 => limits.push(format!(
            "The archive lacks {} that captured pages and sitemaps of the site name; any of them may hold it.",
            count(uncaptured.count, "address").replace("addresss", "addresses")
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
        "Not searched: what scripts add, what images, frames and other documents show, and what answers to forms held."
            .to_owned(),
    );
    limits
}

/// How the embedded resources of a page stand.
pub fn embeds(root: Instant, counts: EmbedCounts) -> String {
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
    let pages = if counts.pages == 1 { "page".to_owned() } else { format!("{} pages", counts.pages) };
    let date = if at.asked.from == at.asked.to {
        format!("At {}", at.asked.from)
    } else {
        format!("From {} to {}", at.asked.from, at.asked.to)
    };
    let mut answer = match at.verdict {
        SiteVerdict::Coherent => format!(
            "{date} the capture is coherent: equal captures before and after enclose the date for {}.",
            if counts.pages == 1 { "the page".to_owned() } else { format!("all {pages}") }
        ),
        SiteVerdict::NotCoherent => format!(
            "{date} the capture is not coherent: for {} of {pages}, Last-Modified shows that the version closest to the \
             date began only after it.",
            counts.late
        ),
        SiteVerdict::NotProvable => format!(
            "{date} coherence is not provable: {} of {pages} {} proven by equal captures before and after.",
            counts.proven,
            if counts.proven == 1 { "is" } else { "are" }
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
pub fn stretch(holds: Holds) -> String {
    match (holds.from, holds.to) {
        (Some(from), Some(to)) => format!("from {from} to {to}"),
        (Some(from), None) => format!("from {from} on"),
        (None, Some(to)) => format!("up to {to}"),
        (None, None) => "at all times".to_owned(),
    }
}
