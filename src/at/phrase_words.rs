//! What is known of a phrase, in words.

use crate::at::date::AskedDate;
use crate::at::model::At;
use crate::at::phrase_model::{PhraseAt, Sighting};
use crate::change::at::State;
use crate::format::{count, number};

/// Why nothing is proven of a phrase on a page in this state.
pub(crate) fn unproven(
    state: State,
    failed: usize,
    before: Option<&Sighting>,
    after: Option<&Sighting>,
) -> String {
    let why = match (state, before, after) {
        (State::Proven, ..) => "",
        (State::Claimed, ..) => "only claims, such as the server's own dates, say which version was online",
        (State::ChangedNearby, ..) => "the captures around the date differ",
        (State::Undecided, ..) => "the captures around the date cannot be compared",
        (State::Unseen, None, _) => "the date is before the first capture",
        (State::Unseen, ..) => "the date is after the last capture",
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

/// Where quotations are.
pub(super) fn places(phrase: &mut PhraseAt) {
    for quote in &mut phrase.quotes {
        let shown = quote.captured.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        quote.place = format!(
            "Record {}, byte {} of the content, in {}. The {} of {shown} {} this content.",
            quote.record,
            number(quote.byte),
            quote.place,
            if quote.captured.len() == 1 { "capture" } else { "captures" },
            if quote.captured.len() == 1 { "holds" } else { "hold" },
        );
        if quote.captured.is_empty() {
            let end = quote.place.find(". The ").map_or(quote.place.len(), |at| at + 1);
            quote.place.truncate(end);
        }
    }
}

pub(super) fn answer(at: &At, date: &AskedDate, phrase: &PhraseAt) -> String {
    let all = at.counts.pages;
    let of = if all == 1 { "the page".to_owned() } else { format!("{all} pages") };
    let (present, absent) = (phrase.present.len() as u64, phrase.absent.len() as u64);
    let mut answer = match () {
        () if all == 1 && present == 1 => format!("Yes. The page held these words {}.", date.words),
        () if all == 1 && absent == 1 => format!("No. The page did not hold these words {}.", date.words),
        () if all == 1 => {
            let why = phrase.unprovable.first().map_or("nothing is known of it", |page| page.reason.as_str());
            format!("The archive does not settle this: {why}.")
        }
        () if absent == all => format!("No. None of {of} held these words {}.", date.words),
        () if present == all => format!("Yes. All {of} held these words {}.", date.words),
        () if present > 0 => {
            let open = phrase.unprovable.len();
            let rest = match (absent, open) {
                (0, _) => format!("For {open} the archive does not settle it."),
                (_, 0) => format!("Not on {absent}."),
                _ => format!("Not on {absent}; for {open} the archive does not settle it."),
            };
            format!("Yes, on {present} of {of} {}. {rest}", date.words)
        }
        () => format!(
            "The archive does not settle this: {absent} of {of} did not hold these words {}; for {} it is not settled.",
            date.words,
            phrase.unprovable.len()
        ),
    };
    answer += &match (phrase.first, phrase.last) {
        (Some(first), Some(last)) if phrase.when.len() == 1 => {
            format!(" Shown to be there from {first} to {last}.")
        }
        (Some(first), Some(last)) => {
            format!(
                " Shown to be there first at {first}, last at {last}, in {} separate periods.",
                phrase.when.len()
            )
        }
        _ => " At no time is it shown to be there.".to_owned(),
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

pub(super) fn limits(at: &At, phrase: &PhraseAt) -> Vec<String> {
    let mut limits = Vec::new();
    if !phrase.unprovable.is_empty() {
        let states = State::ALL.iter().filter_map(|state| {
            let number = phrase.unprovable.iter().filter(|page| page.state == *state).count();
            let words = match state {
                State::Proven => "with a text that does not settle it",
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
            "The archive lacks {} that captured pages and sitemaps of the site link to; any of them may hold it.",
            if uncaptured.count == 1 { "1 address".to_owned() } else { format!("{} addresses", uncaptured.count) }
        )),
        Some(_) => {}
        None if !at.parameters.urls.is_empty() => {
            limits.push("Only the pages that were named were searched, not the site.".to_owned());
        }
        None => limits.push("Links were not read, so other pages of the site are unknown.".to_owned()),
    }
    if at.parameters.urls.is_empty() {
        limits.push("Pages that no captured page links to are unknown.".to_owned());
    }
    limits.push(
        if at.parameters.raw {
            "Only what the server sent was searched, not what scripts add or what is packed inside documents."
        } else {
            "Not searched: what scripts add, what images, frames and other documents show, and what answers to forms held."
        }
        .to_owned(),
    );
    limits
}
